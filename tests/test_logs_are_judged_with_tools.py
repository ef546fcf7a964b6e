"""Undo, hint, shuffle, restart and giving up: what they do, what they cost, when they are refused."""

from __future__ import annotations

import pytest

from levelgen.replay import Context, Verdict, replay
from tests.boards import board, moves, ruleset

RICH = Context((9, 9, 9), first_completion=True, grant=(1, 1, 1))
FOUR = "AABBAABB\nAABBAABB"
HEAP = "AABBAABB\nAABBAABB\nAABBCCDD\nAABBCCDD\nCCDDCCDD\nCCDDCCDD"


def judge(drawing: str, log: str, context: Context | None = None, base: str = "pairs", **rules: object) -> Verdict:
    return replay(board(drawing, ruleset(base, **rules)), moves(log), context)


def test_a_win_is_won_and_the_first_one_earns() -> None:
    verdict = judge(FOUR, "0-2 1-3", RICH, blocking=())
    assert (verdict.verdict, verdict.progress, verdict.earned) == ("won", True, (1, 1, 1))
    again = judge(FOUR, "0-2 1-3", Context((9, 9, 9), False, (1, 1, 1)), blocking=())
    assert (again.verdict, again.progress, again.earned) == ("won", False, (0, 0, 0))


def test_undo_takes_back_the_last_move_and_makes_the_win_assisted() -> None:
    verdict = judge(FOUR, "0-2 u 1-3 0-2", RICH, blocking=())
    assert (verdict.verdict, verdict.spent, verdict.assisted, verdict.best_time) == ("won", (1, 0, 0), True, False)


def test_undo_with_nothing_to_undo_is_refused_and_costs_nothing() -> None:
    verdict = judge(FOUR, "u", RICH)
    assert (verdict.verdict, verdict.refusal and verdict.refusal.reason) == ("refused", "nothing-to-undo")
    assert verdict.spent == (0, 0, 0)


def test_a_tool_beyond_the_balance_is_refused() -> None:
    verdict = judge(FOUR, "0-2 u 0-2 u", Context((1, 0, 0)), blocking=())
    assert verdict.refusal is not None
    assert (verdict.refusal.reason, verdict.steps, verdict.spent) == ("no-tool", 3, (1, 0, 0))


def test_pairs_grant_no_tools_without_a_context() -> None:
    verdict = judge(FOUR, "h")
    assert verdict.refusal is not None
    assert verdict.refusal.reason == "no-tool"


def test_a_hint_changes_nothing_is_not_undone_and_counts() -> None:
    verdict = judge(FOUR, "0-2 h u", RICH, blocking=())
    assert verdict.digest == judge(FOUR, "", RICH, blocking=()).digest
    assert verdict.spent == (1, 1, 0)


LIFTS = "aabbAABB\naabbAABB"
"""Two face-down tiles and their mates; lifting both into a tray of two loses."""


def lifts(log: str, context: Context = RICH) -> Verdict:
    return judge(LIFTS, log, context, tray=2, blocking=())


def test_a_loss_is_declared_the_moment_no_move_is_accepted() -> None:
    assert lifts("^0 ^1").verdict == "lost"
    assert lifts("^0").verdict == "unfinished"


@pytest.mark.parametrize("tool", ["u", "h", "s:a", "g", "=2", "9-9"])
def test_after_a_loss_nothing_is_accepted(tool: str) -> None:
    verdict = lifts(f"^0 ^1 {tool}")
    assert verdict.refusal is not None
    assert (verdict.verdict, verdict.refusal.reason, verdict.spent) == ("refused", "game-over", (0, 0, 0))


def test_a_retry_after_a_loss_starts_again_and_refills_no_tools() -> None:
    verdict = lifts("^0 u ^0 ^1 r ^0 =2 ^1 =3", Context((1, 0, 0)))
    assert (verdict.verdict, verdict.restarts, verdict.spent, verdict.assisted) == ("won", 1, (1, 0, 0), True)
    spent = lifts("^0 u ^0 ^1 r ^0 u", Context((1, 0, 0)))
    assert spent.refusal is not None
    assert spent.refusal.reason == "no-tool"


def test_a_retry_of_pairs_cannot_be_undone() -> None:
    verdict = lifts("^0 r u")
    assert verdict.refusal is not None
    assert verdict.refusal.reason == "nothing-to-undo"


def test_the_restart_of_triples_can_be_undone_and_is_no_aid() -> None:
    before = judge(HEAP, "0 2", base="triples")
    restarted = judge(HEAP, "0 2 r", base="triples")
    undone = judge(HEAP, "0 2 r u", base="triples")
    assert restarted.digest == judge(HEAP, "", base="triples").digest
    assert not restarted.assisted
    assert (undone.digest, undone.assisted, undone.restarts) == (before.digest, True, 1)


def test_giving_up_loses_and_ends_the_game() -> None:
    given_up = judge(HEAP, "0 g", base="triples")
    assert (given_up.verdict, given_up.gave_up) == ("lost", True)
    verdict = judge(HEAP, "0 g 1", base="triples")
    assert verdict.refusal is not None
    assert verdict.refusal.reason == "game-over"


def test_a_full_tray_may_be_undone_but_not_shuffled() -> None:
    full = judge(HEAP, "0 1 8 9", base="triples", tray=4)
    assert full.verdict == "unfinished"
    refused = judge(HEAP, "0 1 8 9 s:x", base="triples", tray=4)
    assert refused.refusal is not None
    assert (refused.refusal.reason, refused.spent) == ("tray-full", (0, 0, 0))
    assert judge(HEAP, "0 1 8 9 u", base="triples", tray=4).steps == 5


def test_undo_goes_back_over_moves_and_shuffles_alike() -> None:
    dealt = judge(HEAP, "0 s:x", base="triples")
    assert dealt.digest != judge(HEAP, "0", base="triples").digest
    assert judge(HEAP, "0 s:x u", base="triples").digest == judge(HEAP, "0", base="triples").digest
    assert judge(HEAP, "0 s:x u u", base="triples").digest == judge(HEAP, "", base="triples").digest


def test_a_shuffle_that_cannot_be_won_is_refused_and_costs_nothing() -> None:
    verdict = judge("AA\nAA\n-- 1\nAA\nAA", "s:x", RICH, loss="tray-full")
    assert verdict.refusal is not None
    assert (verdict.refusal.reason, verdict.spent) == ("no-winnable-shuffle", (0, 0, 0))


def test_a_clear_is_undone_with_the_pick_that_made_it() -> None:
    verdict = judge(HEAP, "0 2 4 u", base="triples")
    assert verdict.digest == judge(HEAP, "0 2", base="triples").digest


def test_warnings_name_the_step_after_which_one_slot_is_left() -> None:
    verdict = judge(HEAP, "0 1 2 8", base="triples", tray=4)
    assert [(warned.step, warned.warning) for warned in verdict.warnings] == [(3, "last-slot")]


@pytest.mark.parametrize(
    ("log", "peak"), [("", 0), ("2-3", 2), ("^0", 1), ("^0 ^1", 2), ("^0 2-3", 3), ("^0 ^1 =5", 3), ("^0 =4", 2)]
)
def test_the_peak_counts_tiles_that_enter_and_shatter_at_once(log: str, peak: int) -> None:
    """A pair takes two slots for a moment, a lift or a match one."""
    verdict = judge("aabbCCCCAABB\naabbCCCCAABB", log, blocking=())
    assert (verdict.verdict, verdict.peak) == ("unfinished", peak)


def test_the_peak_does_not_count_a_flip() -> None:
    waiting = board("aaAABBbbBB\naaAABBbbBB", face_down="flip", waiting="B", blocking=())
    assert replay(waiting, ()).peak == 1
    assert replay(waiting, moves("~0")).peak == 1
    assert replay(waiting, moves("~0 =2")).peak == 2
    assert replay(waiting, moves("~0 0-1")).peak == 3


def test_the_peak_of_triples_counts_the_pick_that_clears() -> None:
    assert judge(HEAP, "0 2 4", base="triples").peak == 3


@pytest.mark.parametrize(("log", "base", "steps"), [("0-2 1-3 r", "pairs", 2), ("0-2 1-3 g", "pairs", 2),
                                                    ("0-2 g r", "pairs", 2), ("0 g r", "triples", 2)])  # fmt: skip
def test_a_game_won_or_given_up_cannot_be_begun_again(log: str, base: str, steps: int) -> None:
    verdict = judge(FOUR if base == "pairs" else HEAP, log, RICH, base, blocking=())
    assert verdict.refusal is not None
    assert (verdict.refusal.reason, verdict.steps, verdict.restarts) == ("game-over", steps, 0)


def test_the_json_form_has_every_field() -> None:
    assert list(judge(FOUR, "", RICH).to_json()) == [
        "verdict", "steps", "refused", "warnings", "peak", "assisted", "spent", "restarts", "retry", "gave_up",
        "best_time",
        "progress", "earned", "digest",
    ]  # fmt: skip
