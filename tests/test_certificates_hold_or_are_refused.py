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
        (lambda c: replace(c, peak=3), "certificate/peak"),
        (lambda c: replace(c, par=1), "certificate/par"),
        (lambda c: replace(c, par=3), "certificate/par"),
        (lambda c: replace(c, par_claim="proved"), "certificate/par"),
        (lambda c: replace(c, guess_free="maybe"), "certificate/guess-free"),
        (lambda c: replace(c, robust="no"), "certificate/robust"),
    ],
)
def test_a_false_certificate_is_found_out(lie: Callable[[Certificate], Certificate], code: str) -> None:
    assert code in [finding.code for finding in check(lie(CERTIFICATE), DEALT.deal)]


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
