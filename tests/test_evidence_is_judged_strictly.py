"""Evidence written by hand: each rule of its checkers refuses what only that rule can refuse."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest

from levelgen.board import Deal
from levelgen.certificate import certify
from levelgen.errors import Finding
from levelgen.evidence import MAX_DATA, Evidence, arrangement_bytes, check, closed_set, exhaust, from_json, strategy
from levelgen.pack.claims import MAX_EVIDENCE, claim_findings, evidence_bytes, needed
from tests.boards import board

EMPTY_LEMMA = b"\0"
"""A refutation that says: nothing needs to be assumed, the closure alone gets stuck."""


def shows(claim: str, kind: str, data: bytes, deal: Deal, slots: int | None = None) -> list[str]:
    """What is said against this evidence; nothing when it holds."""
    about = deal.board.ruleset.tray if slots is None else slots
    return [finding.message for finding in check(Evidence(claim, kind, about, deal.digest(), data), deal)]


# Which claims there are, and of which boards

THREES = "AABBAABBAABB\nAABBAABBAABB"


def test_a_tray_too_small_for_a_group_is_shown_to_be_so_and_only_for_that_tray() -> None:
    """Two slots cannot take three tiles: forwards, no state follows the first."""
    narrow, wide = board(THREES, "triples", tray=2), board(THREES, "triples", tray=3)
    nothing_follows = b"\0"
    assert shows("unsolvable", "closed-set", nothing_follows, narrow) == []
    assert shows("unsolvable", "closed-set", nothing_follows, narrow, slots=3) == [
        "is about a tray of 3, the board's has 2"
    ]
    assert "does not show unsolvable" in shows("unsolvable", "closed-set", nothing_follows, wide)[0]


def test_a_minimum_is_no_more_than_the_slots_there_are() -> None:
    drawing = "AABBCC\nAABBCC\n-- 1\nBBCCAA\nBBCCAA\n-- 2\nCCAABB\nCCAABB"
    three, five, six = (board(drawing, "triples", tray=slots) for slots in (3, 5, 6))
    count = exhaust(five, 10_000)
    assert count is not None
    data = count.to_bytes(4, "big")
    shown = Evidence("minimum", "exhaustion", 6, six.digest(), data, "7 6 4 8 3 1 5 0 2")
    assert check(shown, six) == ()
    assert [finding.code for finding in check(replace(shown, witness="7 6 4"), six)] == ["evidence/witness"]
    assert [finding.code for finding in check(replace(shown, slots=5), six)] == ["evidence/witness"]
    assert shows("minimum", "exhaustion", data, three, slots=4) == ["4 is no par: 3 is always the least"]
    assert shows("minimum", "exhaustion", data, six, slots=3) == ["3 is no par: 3 is always the least"]


CROSSED = """
    AA.AA.CC.DD
    AA.AA.CC.DD
    -- 1
    ......DD.CC
    ......DD.CC
"""


def test_an_exhaustion_names_the_exact_number_of_positions() -> None:
    """The A go or stay: two positions."""
    deal = board(CROSSED)
    assert [exhaust(deal, limit) for limit in (1, 2, 3)] == [None, 2, 2]
    assert shows("unsolvable", "exhaustion", b"\0\0\0\2", deal) == []
    for other in (b"\0\0\0\1", b"\0\0\0\3", b"\2", b"\0\0\0\0\2", b""):
        assert "play reaches other positions" in shows("unsolvable", "exhaustion", other, deal)[0]
    assert shows("unsolvable", "exhaustion", b"\0\0\0\2", board("AA.AA\nAA.AA")) != []


def test_a_face_down_tile_on_its_mate_is_won_by_lifting_and_lost_by_flipping() -> None:
    tower = "AA\nAA\n-- 1\naa\naa"
    assert shows("unsolvable", "refutation", EMPTY_LEMMA, board(tower, face_down="flip")) == []
    assert shows("unsolvable", "refutation", EMPTY_LEMMA, board(tower, face_down="lift")) != []


def test_each_kind_is_about_its_own_game() -> None:
    pairs, triples = board(CROSSED), board(THREES, "triples", tray=2)
    assert "closed sets are about triples" in shows("unsolvable", "closed-set", b"\0", pairs)[0]
    assert "refutations are about pairs" in shows("unsolvable", "refutation", EMPTY_LEMMA, triples)[0]


def test_unsolvable_is_a_matter_of_the_board_s_own_blocking() -> None:
    row = board("AABBAABB\nAABBAABB", blocking=("cover",))
    assert shows("unsolvable", "refutation", EMPTY_LEMMA, row) != []


def test_tiles_that_are_gone_do_not_stand_in_the_way() -> None:
    row = "AABBAABB\nAABBAABB"
    assert shows("unsolvable", "refutation", EMPTY_LEMMA, board(row)) == []
    assert shows("unsolvable", "refutation", EMPTY_LEMMA, board(row, removed=(1, 3))) != []


def test_an_arrangement_lays_the_hidden_faces_and_no_others() -> None:
    """With both hidden tiles showing B the one open A would have no mate."""
    deal = board("aa.AA.bb.BB\naa.AA.bb.BB")
    for faces in ([1, 1], [0, 0], [0, 2], [0]):
        said = shows("not-guess-free", "arrangement", arrangement_bytes(faces) + EMPTY_LEMMA, deal)
        assert "the arrangement is not one of the hidden faces" in said[0]
    assert "does not follow" in shows("not-guess-free", "arrangement", arrangement_bytes([1, 0]) + EMPTY_LEMMA, deal)[0]


# Evidence files

FILE = Evidence("unsolvable", "refutation", 4, "ab" * 32, b"\0\0").to_json()


def test_data_has_one_spelling_and_a_bound() -> None:
    for data in ("AAA=", base64.b64encode(bytes(MAX_DATA)).decode()):
        assert isinstance(from_json({**FILE, "data": data}), Evidence)
    for data in ("AAB=", "AAA", "AAA=\n", "AA A=", base64.b64encode(bytes(MAX_DATA + 1)).decode()):
        found = from_json({**FILE, "data": data})
        assert isinstance(found, Finding)
        assert found.code == "evidence/base64"


TWO_FACES = board(THREES, "triples")
PAR_FOUR = replace(
    certify(TWO_FACES, ((0,), (1,), (2,), (4,), (3,), (5,)), "demo", 1, par="minimum"), par=4, par_claim="minimum"
)


def test_a_minimum_above_the_group_needs_evidence_and_the_group_itself_does_not() -> None:
    assert list(needed(PAR_FOUR, TWO_FACES)) == [("minimum", 4)]
    assert list(needed(replace(PAR_FOUR, par=3), TWO_FACES)) == []
    assert list(needed(replace(PAR_FOUR, par_claim="solved"), TWO_FACES)) == []
    assert list(needed(replace(PAR_FOUR, par_claim="asserted"), TWO_FACES)) == []


def test_a_claim_without_its_own_evidence_is_refused() -> None:
    def codes(data: bytes | None) -> list[str]:
        count, findings = claim_findings(PAR_FOUR, TWO_FACES, lambda name: data)
        assert count == 1
        return [finding.code for finding in findings]

    def about(claim: str, slots: int) -> bytes:
        return evidence_bytes(Evidence(claim, "exhaustion", slots, TWO_FACES.digest(), b"\0\0\0\2"))

    assert codes(None) == ["evidence/missing"]
    assert codes(about("minimum", 5)) == ["evidence/other-claim"]
    assert codes(about("unsolvable", 4)) == ["evidence/other-claim"]
    assert codes(about("minimum", 4)) == ["evidence/witness"]
    assert codes(b'"' + b"a" * MAX_EVIDENCE + b'"') == ["json/too-long"]


# Strategies: `a+1 b+1` pairs, `a+1 0` reveals or matches, `0 0` has won, `0 r` goes on as before reveal r

LIFTS = board("aa.AA.bb.BB\naa.AA.bb.BB", blocking=())
WINS = bytes([1, 0, *[2, 0, 3, 0, 4, 0, 0, 0], *[4, 0, 3, 0, 2, 0, 0, 0]])
"""Lift 0; whichever face it shows, match it, then lift 2 and match that."""


def test_a_strategy_that_wins_wherever_the_faces_lie_is_one() -> None:
    assert strategy.check(LIFTS, WINS) == ""
    assert shows("guess-free", "strategy", WINS, LIFTS) == []


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (WINS + b"\0\0", "numbers are left over after the last line"),
        (WINS[:-2], "the strategy is cut off"),
        (b"", "the strategy is cut off"),
        (b"\0\0", "a line ends before the game is won"),
        (bytes([1, 0, 2, 0, 0, 0]), "a line ends before the game is won"),
        (bytes([0, 1]), "what is known is not what was known before reveal 1"),
        (bytes([1, 0, 0, 1, 0, 1]), "what is known is not what was known before reveal 1"),
        (bytes([1, 0, 0, 2, 0, 2]), "what is known is not what was known before reveal 2"),
        (bytes([2, 4]), "the law refuses 1-3: tile 1 shows A, tile 3 shows B"),
        (b"\x81\0" + WINS[1:], "a number is too long"),
        (b"\x81\x80\x80\x80\x80\x01" + WINS[1:], "a number is too long"),
        (WINS[:-1] + b"\x80", "a number is cut off"),
    ],
)
def test_what_is_no_strategy_says_why(data: bytes, why: str) -> None:
    assert strategy.check(LIFTS, data) == why


def test_numbers_go_up_to_the_fifth_byte() -> None:
    assert list(strategy.numbers(b"\x80\x80\x80\x80\x01\x7f")) == [1 << 28, 127]


FLIPS = board("aa.bb.cc.AA.BB.CC\naa.bb.cc.AA.BB.CC", blocking=(), face_down="flip")


def flips(known: dict[int, str], order: tuple[int, ...]) -> list[int]:
    """Turn over the tiles in that order, then pair them with their open mates."""
    if not order:
        pairs = [(tile + 1, 4 + "ABC".index(face)) for tile, face in sorted(known.items())]
        return [number for pair in pairs for number in pair] + [0, 0]
    outcomes = [flips({**known, order[0]: face}, order[1:]) for face in sorted({*"ABC"} - {*known.values()})]
    return [order[0] + 1, 0] + [number for line in outcomes for number in line]


def test_going_on_as_before_asks_for_the_same_faces_in_the_same_places() -> None:
    """0 and 1 show A and B, or B and A: the same faces are still hidden, but what to do is another thing."""
    a_first, c_first = flips({0: "A"}, (1, 2)), flips({0: "C"}, (1, 2))
    b_first = flips({0: "B"}, (1, 2))
    assert strategy.check(FLIPS, bytes([1, 0, *a_first, *b_first, *c_first])) == ""
    swapped = [2, 0, *[0, 3], *flips({0: "B", 1: "C"}, (2,))]
    why = "what is known is not what was known before reveal 3"
    assert strategy.check(FLIPS, bytes([1, 0, *a_first, *swapped, *c_first])) == why


def test_going_on_as_before_asks_for_the_same_tiles_to_be_hidden() -> None:
    """1 and 2 show A and B, or 0 and 1 do: read in order of the tiles the open faces are the same."""
    a_first, c_first = flips({1: "A"}, (2, 0)), flips({1: "C"}, (0, 2))
    b_first = flips({1: "B"}, (0, 2))
    assert strategy.check(FLIPS, bytes([2, 0, *a_first, *b_first, *c_first])) == ""
    shifted = [1, 0, *[0, 3], *flips({1: "B", 0: "C"}, (2,))]
    why = "what is known is not what was known before reveal 3"
    assert strategy.check(FLIPS, bytes([2, 0, *a_first, *shifted, *c_first])) == why


# Closed sets: the direction, then states as (how far back, how many tiles, the tiles)

OPEN = ((0,), (0,), (0,))
"""Three tiles that nothing covers."""


@pytest.mark.parametrize("backward", [0, 1])
def test_a_set_with_a_state_that_has_won_shows_nothing(backward: int) -> None:
    """Three alike, all open: the start leads to the end, and the end is won."""
    everything = bytes([backward, 1, 3, 0, 1, 1])
    assert closed_set.check(OPEN, (0, 0, 0), everything, cap=3) in (
        "state 0 is as good as won",
        "state 1 is as good as won",
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\2", "the evidence does not say from which end it plays"),
        (b"", "the evidence does not say from which end it plays"),
        (b"\x80\0", "a number is longer than it needs to be"),
        (b"\0\x80", "the last number is cut off"),
        (bytes([0, 1, 1, 0, 2, 1, 0]), "a state is listed twice"),
        (bytes([0, 2, 1, 0]), "a state adds to one that is not listed before it"),
        (bytes([0, 1, 1, 3]), "the tiles a state adds do not ascend, are none of the board's, or are there already"),
        (bytes([0, 1, 2, 1, 0]), "the tiles a state adds do not ascend, are none of the board's, or are there already"),
    ],
)
def test_what_is_no_closed_set_says_why(data: bytes, why: str) -> None:
    assert closed_set.check(OPEN, (0, 0, 0), data, cap=2) == why


def test_a_state_may_not_play_a_tile_that_was_gone_from_the_start() -> None:
    why = "state 1 plays a tile that is gone from the start"
    assert closed_set.check(OPEN, (0, 0, 0), bytes([0, 1, 1, 2]), cap=2, removed=(2,), tray=(1,)) == why


def test_a_full_tray_is_shown_forwards() -> None:
    """Two of each of two faces wait in four slots; the two tiles that would clear them find no place."""
    gates, faces, gone = OPEN * 2, (0, 0, 0, 1, 1, 1), (0, 1, 3, 4)
    assert closed_set.check(gates, faces, b"\0", cap=4, removed=gone, tray=(2, 2)) == ""
    why = "a tray full from the start is to be shown forwards"
    assert closed_set.check(gates, faces, b"\1", cap=4, removed=gone, tray=(2, 2)) == why


def test_a_whole_group_does_not_wait() -> None:
    why = "not a game of this kind: a tile has several alternatives, or the tray holds a whole group"
    assert closed_set.check(OPEN, (0, 0, 0), b"\0", cap=2, tray=(3,)) == why
    assert closed_set.check(((0, 0), (0,), (0,)), (0, 0, 0), b"\0", cap=2) == why
