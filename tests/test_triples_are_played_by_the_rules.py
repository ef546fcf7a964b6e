"""Tile Match: picks enter beside their like, three alike clear, a full tray takes nothing more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.moves import PLAYS, Move
from levelgen.seed import Stream
from tests.boards import board, heap, play, random_deal, reason

SPREAD = """
    AA.BB.AA.CC.AA.BB.CC.BB.CC
    AA.BB.AA.CC.AA.BB.CC.BB.CC
"""
"""Ids 0 … 8 show A B A C A B C B C."""


def test_a_pick_enters_at_the_end_or_after_the_last_of_its_face() -> None:
    deal = board(SPREAD, "triples")
    assert play(deal, "0 1 3").tray == ("A", "B", "C")
    assert play(deal, "0 1 3 2").tray == ("A", "A", "B", "C")
    assert play(deal, "0 1 3 5").tray == ("A", "B", "B", "C")


def test_a_pick_enters_after_the_last_of_its_face_even_in_an_untidy_tray() -> None:
    deal = board("AA.BB.AA\nAA.BB.AA", "triples", group=4)
    untidy = deal.start._replace(tray=("A", "B", "A", "C"))
    assert play(untidy, "0").tray == ("A", "B", "A", "A", "C")
    assert play(untidy, "1").tray == ("A", "B", "B", "A", "C")


def test_three_of_a_face_clear_at_once_and_the_rest_close_up() -> None:
    deal = board(SPREAD, "triples")
    after = play(deal, "0 1 2 3 4")
    assert after.tray == ("B", "C")
    assert after.remaining == 0b111100000


def test_the_clear_happens_before_the_tray_is_judged_full() -> None:
    deal = board(SPREAD, "triples", tray=4)
    before = play(deal, "0 1 2")
    assert before.warning == "last-slot"
    cleared = play(before, "4")
    assert (cleared.tray, cleared.full) == (("B",), False)
    assert play(before, "3").full


def test_a_full_tray_accepts_no_pick_and_is_not_lost_by_itself() -> None:
    full = play(board(SPREAD, "triples", tray=3), "0 1 3")
    assert full.full
    assert reason(full, "2") == "tray-full"
    assert not full.has_move()
    assert not full.lost
    assert not full.won


def test_the_warning_comes_at_six_of_seven() -> None:
    deal = board(
        """
        AA.AA.BB.BB.CC.CC.DD.DD
        AA.AA.BB.BB.CC.CC.DD.DD
        .
        AA.BB.CC.DD
        AA.BB.CC.DD
        """,
        "triples",
    )
    warnings = []
    position = deal.start
    for tile in range(7):
        position = position.play(Move("pick", (tile,)))
        warnings.append(position.warning)
    assert warnings == ["", "", "", "", "", "last-slot", ""]
    assert position.full


@pytest.mark.parametrize(
    ("spelt", "expected"),
    [
        ("0-2", "wrong-game"),
        ("^0", "wrong-game"),
        ("=0", "wrong-game"),
        ("~0", "wrong-game"),
        ("u", "wrong-game"),
        ("6", "no-such-tile"),
        ("0", "held"),
        ("1", "held"),
        ("2", ""),
        ("3", "gone"),
        ("4", ""),
        ("5", "gone"),
    ],
)
def test_every_refusal_has_its_reason(spelt: str, expected: str) -> None:
    drawing = """
        AABBCCBB
        AABBCCBB
        -- 1
        .AA..CC
        .AA..CC
    """
    assert reason(board(drawing, "triples", removed=(3, 5)), spelt) == expected


def test_neighbours_on_its_own_layer_do_not_hold_a_tile() -> None:
    block = "AABBCC\nAABBCC\nCCAABB\nCCAABB\nBBCCAA\nBBCCAA"
    assert len(list(board(block, "triples").start.moves())) == 9


def test_won_means_heap_and_tray_are_both_empty() -> None:
    deal = board("AA.AA.AA\nAA.AA.AA", "triples")
    assert play(deal, "1 0 2").won
    assert not play(deal, "1 0").won


def test_play_can_be_taken_up_in_mid_game() -> None:
    deal = board("AA.BB.AA.BB.AA.BB\nAA.BB.AA.BB.AA.BB", "triples", removed=(0, 1, 3), waiting="BBA")
    assert deal.violations() == ()
    assert play(deal, "5").tray == ("A",)
    assert play(deal, "5 2 4").won


def test_face_down_tiles_and_odd_counts_are_no_triples() -> None:
    codes = [finding.code for finding in board("aa.AA.AA.AA\naa.AA.AA.AA", "triples").violations()]
    assert codes == ["deal/face_down", "deal/copies"]


@given(st.integers(0, 10**6), st.integers(3, 7))
def test_moves_are_exactly_what_is_not_refused_and_playing_never_mutates(seed: int, tray: int) -> None:
    stream = Stream(str(seed), "triples")
    deal = random_deal(stream, "triples", heap(stream, 12, 8, 6), 3, tray=tray)
    position = deal.start
    while True:
        before, digest = tuple(position), position.digest()
        every = [Move(kind, (tile,)) for kind in PLAYS if kind != "pair" for tile in range(13)]
        listed = list(position.moves())
        assert listed == [move for move in every if position.refusal(move) is None]
        for move in listed:
            child = position.after(move)
            assert len(child.tray) in (len(position.tray) + 1, len(position.tray) - 2)
            for face in set(child.tray):
                first = child.tray.index(face)
                assert child.tray.count(face) < 3
                assert child.tray[first : first + child.tray.count(face)] == (face,) * child.tray.count(face)
        assert (tuple(position), position.digest()) == (before, digest)
        if not listed:
            assert position.won or position.full
            return
        position = position.after(stream.choice(listed))
