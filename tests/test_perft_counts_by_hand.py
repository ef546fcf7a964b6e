"""Counts of move sequences to full depth, worked out by hand: `[1, a, b, …]` says a of one move, b of two, …

A count is of sequences, not of positions, so that a wrong refusal anywhere shows up at some depth.
"""

from __future__ import annotations

import pytest

from tests.boards import board, perft, under

ROW = "AABBBBAA\nAABBBBAA"
COLUMN = "AA\nAA\nBB\nBB\nBB\nBB\nAA\nAA"
STACK = "BB.BB\nBB.BB\n-- 1\nAA.AA\nAA.AA"


def test_four_alike_pair_in_six_ways_then_one() -> None:
    assert perft(board("AA.AA.AA.AA\nAA.AA.AA.AA")) == [1, 6, 6]


def test_two_faces_go_in_two_orders() -> None:
    assert perft(board("AA.BB.AA.BB\nAA.BB.AA.BB")) == [1, 2, 2]


@pytest.mark.parametrize(
    ("drawing", "switch"), [(ROW, "horizontal"), (COLUMN, "vertical"), (STACK, "cover")], ids=["row", "column", "stack"]
)
def test_each_blocking_switch_forces_the_one_order(drawing: str, switch: str) -> None:
    """A before B where the switch is on; with every other switch on instead, two orders."""
    others = tuple(name for name in ("cover", "horizontal", "vertical") if name != switch)
    assert perft(board(drawing, blocking=(switch,))) == [1, 1, 1]
    assert perft(board(drawing, blocking=others)) == [1, 2, 2]


def test_a_face_down_tile_is_lifted_and_then_matched() -> None:
    assert perft(board("aa.AA\naa.AA")) == [1, 1, 1]


def test_two_face_down_tiles_are_lifted_in_either_order() -> None:
    assert perft(board("aa.aa\naa.aa")) == [1, 2, 2]


def test_a_face_down_tile_is_flipped_and_then_paired() -> None:
    assert perft(board("aa.AA\naa.AA", face_down="flip")) == [1, 1, 1]
    # ~0 and ~1 in either order, then the pair
    assert perft(board("aa.aa\naa.aa", face_down="flip")) == [1, 2, 2, 2]


THREE_UP = "aa.AA.AA.AA\naa.AA.AA.AA"


def test_a_waiting_tile_leaves_pairs_of_its_face_alone() -> None:
    """Start: the lift, or one of 3 pairs of the three that show: 4.

    After the lift: 3 matches and 3 pairs; after each pair only the lift: 6 + 3 = 9.
    Every one of these 9 has exactly one move left: 9. Then the board is won.
    """
    assert perft(board(THREE_UP)) == [1, 4, 9, 9]


def test_with_two_slots_a_waiting_tile_forbids_pairs() -> None:
    """After the lift one slot is empty: 3 matches, no pair. 3 + 3 = 6, and one way on from each."""
    assert perft(board(THREE_UP, tray=2)) == [1, 4, 6, 6]


TWO_LIFTS = "aa.bb.AA.BB\naa.bb.AA.BB"


def test_lifting_both_fills_a_tray_of_two() -> None:
    """Start: ^a or ^b: 2. After ^a: ^b or the match of A, likewise after ^b: 4.

    With both lifted the tray is full and nothing goes on; after lift and match the other lift: 2, its match: 2.
    """
    assert perft(board(TWO_LIFTS, tray=2)) == [1, 2, 4, 2, 2]


def test_a_tray_of_three_lets_both_be_matched_in_either_order() -> None:
    """As above, but with both lifted (2 ways) one slot is empty: 2 matches each, 4. 4 + 2 = 6; one way on: 6."""
    assert perft(board(TWO_LIFTS, tray=3)) == [1, 2, 4, 6, 6]


def test_a_tile_waiting_from_the_start_is_matched_by_either_of_its_face() -> None:
    """A waits, three A lie there: 3 matches and 3 pairs, then what is left goes in one way."""
    assert perft(board("AA.AA.AA\nAA.AA.AA", waiting="A")) == [1, 6, 6]


def test_three_free_tiles_are_picked_in_any_order() -> None:
    assert perft(board("AA.AA.AA\nAA.AA.AA", "triples")) == [1, 3, 6, 6]


def test_what_covers_is_picked_first() -> None:
    assert perft(board("AAAA\nAAAA\n-- 1\n.AA\n.AA", "triples")) == [1, 1, 2, 2]


SIX = "AA.AA.AA.BB.BB.BB\nAA.AA.AA.BB.BB.BB"


def test_a_tray_of_three_takes_one_face_after_the_other() -> None:
    """6, 30 and 120 picks of any tiles; of the 120 only the 2 · 3! that are all A or all B have cleared.

    The others are full. From the 12 the other face goes in 3 · 2 · 1 orders: 36, 72, 72.
    """
    assert perft(board(SIX, "triples", tray=3)) == [1, 6, 30, 120, 36, 72, 72]


def test_a_tray_of_four_takes_one_stranger() -> None:
    """After three picks 12 have cleared and 108 hold two of one face and one of the other.

    Fourth pick: 12 · 3 and 108 · 3, together 360. Of the latter 108 complete the two (and leave one waiting), 216
    fill the tray with two and two. Fifth: 36 · 2 + 108 · 2 = 288; sixth: the same, one tile being left.
    """
    assert perft(board(SIX, "triples", tray=4)) == [1, 6, 30, 120, 360, 288, 288]


def test_a_tray_of_five_never_fills_with_two_faces() -> None:
    """Two and two leave one slot for what completes either: every order of six tiles wins, 6! = 720."""
    assert perft(board(SIX, "triples", tray=5)) == [1, 6, 30, 120, 360, 720, 720]


def test_triples_in_mid_game_clear_with_what_waits() -> None:
    """Two A and a B wait; A, B and B lie free. With five slots they go in any order: 3!.

    With four a B first fills the tray and ends it, so that A comes first and the two B in either order. With three
    the tray is full at the start.
    """
    deal = board("AA.BB.BB\nAA.BB.BB", "triples", waiting="AAB", tray=5)
    assert perft(deal) == [1, 3, 6, 6]
    assert perft(under(deal, tray=4)) == [1, 3, 2, 2]
    assert perft(under(deal, tray=3)) == [1]
