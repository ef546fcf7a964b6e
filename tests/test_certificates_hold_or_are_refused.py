"""A certificate counts only after the law has replayed it under every reading; every false one is found out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from levelgen.board import Board, Deal
from levelgen.certificate import Certificate, certify, check, moves_under
from levelgen.deal import deal_faces
from levelgen.errors import Untrusted
from levelgen.layout import parse
from levelgen.rules import RULESETS
from tests.boards import board

ROWS = parse(
    """\
aabbccdd
aabbccdd
eeffgghh
eeffgghh
-- 1
..iijj
..iijj
"""
)[0]
DEALT = deal_faces(Board.compile(ROWS, RULESETS["pairs"]), ("sun", "moon"), "a", face_down=2)
CERTIFICATE = certify(DEALT.deal, DEALT.solution, "demo", 1)


def test_a_pairs_certificate_lists_all_sixteen_readings_strictest_first() -> None:
    assert len(CERTIFICATE.holds_under) == len(set(CERTIFICATE.holds_under)) == 16
    assert CERTIFICATE.holds_under[0] == "cover+horizontal+vertical/lift"
    assert CERTIFICATE.holds_under[-1] == "none/flip"


def test_a_true_certificate_has_no_findings() -> None:
    assert check(CERTIFICATE, DEALT.deal) == ()


def test_pairs_are_won_with_two_slots_which_is_the_minimum() -> None:
    assert (CERTIFICATE.peak, CERTIFICATE.par, CERTIFICATE.par_claim) == (2, 2, "minimum")


def test_hidden_faces_are_undecided_until_a_strategy_is_found() -> None:
    assert (CERTIFICATE.guess_free, CERTIFICATE.guess_free_claim) == ("undecided", "asserted")


@pytest.mark.parametrize(
    ("lie", "code"),
    [
        (lambda c: replace(c, solution=c.solution[1:]), "certificate/not-won"),
        (lambda c: replace(c, solution=c.solution[::-1]), "certificate/not-won"),
        (lambda c: replace(c, solution=(*c.solution, c.solution[-1])), "certificate/not-won"),
        (lambda c: replace(c, solution=((0,),)), "certificate/solution"),
        (lambda c: replace(c, holds_under=c.holds_under[:-1]), "certificate/readings"),
        (lambda c: replace(c, holds_under=c.holds_under[::-1]), "certificate/readings"),
        (lambda c: replace(c, peak=3), "certificate/peak"),
        (lambda c: replace(c, par=1), "certificate/par"),
        (lambda c: replace(c, par=3), "certificate/par"),
        (lambda c: replace(c, par_claim="proved"), "certificate/par"),
        (lambda c: replace(c, guess_free="maybe"), "certificate/guess-free"),
        (lambda c: replace(c, robust="no"), "certificate/robust"),
        (lambda c: replace(c, robust="undecided"), "certificate/robust"),
        (lambda c: replace(c, robust=""), "certificate/robust"),
    ],
)
def test_a_false_certificate_is_found_out(lie: Callable[[Certificate], Certificate], code: str) -> None:
    assert code in [finding.code for finding in check(lie(CERTIFICATE), DEALT.deal)]


TWO_FACES = board("AABBAABBAABB\nAABBAABBAABB", "triples")
DETOUR = certify(TWO_FACES, ((0,), (1,), (2,), (4,), (3,), (5,)), "demo", 1)
"""A solution that lets a B wait while the A clear: one slot more than a group has tiles."""


def codes(certificate: Certificate, deal: Deal) -> list[str]:
    return [finding.code for finding in check(certificate, deal)]


def test_a_peak_of_one_more_than_the_group_is_not_called_the_minimum() -> None:
    assert (DETOUR.peak, DETOUR.par, DETOUR.par_claim) == (4, 4, "solved")
    straight = certify(TWO_FACES, ((0,), (2,), (4,), (1,), (3,), (5,)), "demo", 1)
    assert (straight.peak, straight.par, straight.par_claim) == (3, 3, "minimum")


def test_a_par_below_the_peak_is_not_what_the_solution_shows() -> None:
    assert codes(DETOUR, TWO_FACES) == []
    assert codes(replace(DETOUR, par=3), TWO_FACES) == ["certificate/par"]
    assert codes(replace(DETOUR, par=3, par_claim="minimum"), TWO_FACES) == ["certificate/par"]
    assert codes(replace(DETOUR, par=3, par_claim="asserted"), TWO_FACES) == []


@pytest.mark.parametrize(("value", "claim"), [("no", "refutation"), ("no", "asserted"), ("undecided", "asserted")])
def test_with_nothing_hidden_there_is_nothing_to_guess(value: str, claim: str) -> None:
    lie = replace(DETOUR, guess_free=value, guess_free_claim=claim)
    assert codes(lie, TWO_FACES) == ["certificate/guess-free"]
    hidden = replace(CERTIFICATE, guess_free=value, guess_free_claim=claim)
    assert codes(hidden, DEALT.deal) == []


def test_a_solution_of_another_board_is_not_certified() -> None:
    faces = DEALT.deal.faces
    other = Deal(DEALT.deal.board, faces[1:] + faces[:1], DEALT.deal.face_down)
    with pytest.raises(Untrusted, match="under cover\\+horizontal\\+vertical/lift the solution is not a win"):
        certify(other, DEALT.solution, "demo", 1)


def test_hidden_tiles_are_revealed_immediately_before_their_pair() -> None:
    lift, flip = RULESETS["pairs"], replace(RULESETS["pairs"], face_down="flip")
    solution = ((0, 1), (2, 3), (4, 5))
    assert " ".join(map(str, moves_under(lift, (1, 4, 5), solution))) == "^1 =0 2-3 ^4 ^5"
    assert " ".join(map(str, moves_under(flip, (1, 4, 5), solution))) == "~1 0-1 2-3 ~4 ~5 4-5"
