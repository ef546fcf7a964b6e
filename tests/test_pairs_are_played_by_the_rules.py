"""ERAM Tiles: pairs shatter, face-down tiles are lifted into the tray, every refusal has its reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.board import Deal
from levelgen.errors import AnswerIsNo
from levelgen.moves import PLAYS, REASONS, Move
from levelgen.seed import Stream
from tests.boards import board, heap, moves, play, random_deal, reason, under

FLAT = """
    AA.AA.BB.BB
    AA.AA.BB.BB
"""
LIFTS = """
    aa.bb.cc.dd.AA.BB.CC.DD
    aa.bb.cc.dd.AA.BB.CC.DD
"""


def test_a_pair_shatters_at_once_and_leaves_the_tray_empty() -> None:
    after = play(board(FLAT), "0-1")
    assert (after.remaining, after.tray) == (0b1100, ())
    assert not after.won
    assert play(after, "2-3").won


def test_a_lifted_tile_waits_in_the_tray_in_the_order_of_lifting() -> None:
    after = play(board(LIFTS), "^1 ^0 ^2")
    assert after.tray == ("B", "A", "C")
    assert after.hidden == 0b1000


def test_a_match_frees_both_slots_and_the_rest_close_up() -> None:
    after = play(board(LIFTS), "^1 ^0 ^2 =4")
    assert after.tray == ("B", "C")


def test_lifting_the_mate_of_a_waiting_tile_shatters_both_at_once() -> None:
    deal = board("aa.aa\naa.aa")
    after = play(deal, "^0 ^1")
    assert (after.tray, after.won) == ((), True)


def test_the_second_lifted_tile_still_needs_a_slot_to_enter() -> None:
    deal = board("aa.bb.aa.bb\naa.bb.aa.bb", tray=2)
    after = play(deal, "^0 ^1")
    assert reason(after, "^2") == "tray-full"
    assert reason(play(under(deal, tray=3), "^0 ^1"), "^2") == ""


def test_a_waiting_tile_stays_where_a_pair_of_its_face_shatters() -> None:
    deal = board("aa.AA.AA.AA\naa.AA.AA.AA")
    after = play(deal, "^0 1-2")
    assert after.tray == ("A",)
    assert play(after, "=3").won


def test_flip_turns_a_tile_over_where_it_lies() -> None:
    deal = board(LIFTS, face_down="flip")
    after = play(deal, "~0")
    assert (after.remaining, after.hidden, after.tray) == (0xFF, 0b1110, ())
    assert reason(deal, "0-4") == "face-down"
    assert play(after, "0-4").remaining == 0b11101110


@pytest.mark.parametrize(
    ("spelt", "expected"),
    [
        ("4", "wrong-game"),
        ("~0", "wrong-game"),
        ("u", "wrong-game"),
        ("s:x", "wrong-game"),
        ("8-9", "no-such-tile"),
        ("0-8", "no-such-tile"),
        ("^8", "no-such-tile"),
        ("5-1", "gone"),
        ("=5", "gone"),
        ("4-4", "same-tile"),
        ("0-4", "face-down"),
        ("=0", "face-down"),
        ("^4", "face-up"),
        ("4-6", "faces-differ"),
        ("=4", "no-mate"),
        ("^0", ""),
    ],
)
def test_every_refusal_has_its_reason(spelt: str, expected: str) -> None:
    deal = board("aa.bb.cc.dd.AA.BB.CC.DD\naa.bb.cc.dd.AA.BB.CC.DD", removed=(1, 5))
    assert reason(deal, spelt) == expected
    assert expected in ("", *REASONS)


def test_a_blocked_tile_neither_pairs_nor_lifts_nor_matches() -> None:
    row = board("AAaaBBAABB\nAAaaBBAABB", waiting="B")
    assert reason(row, "0-3") == "blocked"
    assert reason(row, "^1") == "blocked"
    assert reason(row, "=2") == "blocked"
    assert reason(row, "=4") == ""


def test_a_pair_needs_two_slots_and_a_lift_or_a_match_needs_one() -> None:
    deal = board("EE.EE.aa.AA.bb.BB.cc.CC.dd.DD\nEE.EE.aa.AA.bb.BB.cc.CC.dd.DD")
    two, three, four = (play(deal, lifts) for lifts in ("^2 ^4", "^2 ^4 ^6", "^2 ^4 ^6 ^8"))
    assert (reason(two, "0-1"), reason(two, "^6"), reason(two, "=3")) == ("", "", "")
    assert (reason(three, "0-1"), reason(three, "^8"), reason(three, "=3")) == ("tray-full", "", "")
    assert (reason(four, "0-1"), reason(four, "=3")) == ("tray-full", "tray-full")
    assert four.full


def test_a_flip_needs_no_slot() -> None:
    crowded = board("aa.AA.BB.CC.DD.EE\naa.AA.BB.CC.DD.EE", face_down="flip", waiting="BCDE")
    assert reason(crowded, "~0") == ""
    assert reason(crowded, "=2") == "tray-full"


def test_reasons_are_looked_for_in_their_order() -> None:
    """Absent before same, same before blocked, blocked before face down, face down before faces differ."""
    row = board("AAbbCC\nAAbbCC")
    assert reason(row, "7-7") == "no-such-tile"
    assert reason(play(board(FLAT), "0-1"), "0-0") == "gone"
    assert reason(row, "1-1") == "same-tile"
    assert reason(row, "0-1") == "blocked"
    assert reason(board("AA.bb\nAA.bb"), "0-1") == "face-down"


def test_the_warning_comes_exactly_when_one_slot_is_left() -> None:
    position = board(LIFTS).start
    warnings = []
    for move in moves("^0 ^1 ^2 ^3"):
        position = position.play(move)
        warnings.append(position.warning)
    assert warnings == ["", "", "last-slot", ""]
    assert play(board(LIFTS, last_slot=2), "^0 ^1").warning == "last-slot"


def test_won_means_board_and_tray_are_both_empty() -> None:
    deal = board("aa.AA\naa.AA")
    waiting = play(deal, "^0")
    assert not waiting.won
    assert play(waiting, "=1").won
    assert not board("AA\nAA", waiting="B", removed=(0,)).start.won


STUCK = """
    AA.AA.CC.DD
    AA.AA.CC.DD
    -- 1
    ......DD.CC
    ......DD.CC
"""


def test_a_game_is_lost_at_once_when_no_move_is_left() -> None:
    """D lies on C and C on D: once the A are gone no two alike are open."""
    deal = board(STUCK)
    assert not deal.start.lost
    after = play(deal, "0-1")
    assert not after.has_move()
    assert after.lost


def test_the_two_readings_of_loss_differ_only_where_nothing_waits() -> None:
    assert not play(board(STUCK, loss="tray-full"), "0-1").lost
    for loss in ("no-move", "tray-full"):
        assert play(board("aa.bb.AA.BB\naa.bb.AA.BB", loss=loss, tray=2), "^0 ^1").lost


def test_play_can_be_taken_up_in_mid_game() -> None:
    deal = board("aa.AA.BB.bb\naa.AA.BB.bb", removed=(0, 3))
    assert deal.violations() != ()
    waiting = Deal(deal.board, deal.faces, (), ("B", "A"), (0, 3))
    assert waiting.violations() == ()
    assert play(waiting, "=2").tray == ("A",)
    assert play(waiting, "=1 =2").won


def test_impossible_deals_are_reported_in_full() -> None:
    codes = [finding.code for finding in board("AABB..CC\nAABB..CC", waiting="CC").violations()]
    assert codes.count("deal/copies") == 3
    assert "deal/tray" in codes
    buried = "AA.BB\nAA.BB\n-- 1\nBB.AA\nBB.AA"
    assert [finding.code for finding in board(buried).violations()] == ["deal/no-move"]


def test_a_tile_that_is_gone_hides_nothing() -> None:
    drawn = board("aa.AA.BB.BB\naa.AA.BB.BB")
    gone = Deal(drawn.board, drawn.faces, (0,), (), (0, 1))
    assert gone.start.hidden == 0
    assert gone.start.digest() == Deal(drawn.board, drawn.faces, (), (), (0, 1)).start.digest()


def test_a_tile_removed_and_face_down_at_once_is_reported() -> None:
    drawn = board("aa.AA.BB.BB\naa.AA.BB.BB")
    findings = Deal(drawn.board, drawn.faces, (0,), (), (0, 1)).violations()
    assert [(finding.code, finding.where) for finding in findings] == [("deal/face_down", "tile 0")]


def test_a_tray_longer_than_its_slots_is_reported() -> None:
    row = "AA.BB.CC.DD.EE.FF.FF\nAA.BB.CC.DD.EE.FF.FF"
    full = board(row, waiting="ABCD", removed=(4,), tray=4).violations()
    assert [finding.code for finding in full] == ["deal/no-move"]
    long = board(row, waiting="ABCDE", tray=4).violations()
    assert [finding.code for finding in long] == ["deal/tray", "deal/no-move"]
    assert board(row, waiting="ABCDE", tray=7).violations() == ()


def test_play_raises_where_the_law_refuses() -> None:
    with pytest.raises(AnswerIsNo) as caught:
        board(FLAT).start.play(Move("pair", (0, 2)))
    assert caught.value.findings[0].code == "move/faces-differ"
    assert caught.value.findings[0].where == "move 0-2"


@given(st.integers(0, 10**6), st.sampled_from(["lift", "flip"]), st.integers(2, 4))
def test_moves_are_exactly_what_is_not_refused_and_playing_never_mutates(seed: int, mode: str, tray: int) -> None:
    stream = Stream(str(seed), "pairs")
    deal = random_deal(stream, "pairs", heap(stream, 10, 8, 6), 3, 4, face_down=mode, tray=tray)
    position = deal.start
    while True:
        before, digest = tuple(position), position.digest()
        singles = [Move(kind, (tile,)) for kind in PLAYS if kind != "pair" for tile in range(11)]
        pairs = [Move("pair", (a, b)) for a in range(10) for b in range(a + 1, 10)]
        accepted = [move for move in singles + pairs if position.refusal(move) is None]
        listed = list(position.moves())
        assert sorted(listed) == sorted(accepted)
        assert position.has_move() is bool(listed)
        for move in listed:
            child = position.after(move)
            assert len(child.tray) <= tray
            assert len(set(child.tray)) == len(child.tray)
        assert (tuple(position), position.digest()) == (before, digest)
        if not listed:
            assert position.won or position.lost
            return
        position = position.after(stream.choice(listed))
