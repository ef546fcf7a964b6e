"""Lifts, the tray and hidden faces: the kernel's verdicts are the law's, and its strategies walk."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from levelgen.board import Deal, Position
from levelgen.evidence import refutation_tree, strategy
from levelgen.rules import BLOCKING
from levelgen.seed import Stream
from levelgen.solve.guess_free import guess_free
from levelgen.solve.kernel import pairs
from tests.boards import board, heap, random_deal, under


def ask(deal: Deal, *, known: bool, budget: int = 10**6) -> pairs.Guess:
    names = sorted({*deal.faces, *deal.tray})
    rules = deal.board.ruleset
    return pairs.play(
        deal.board.gates, [names.index(face) for face in deal.faces], cap=rules.tray, face_down=deal.face_down,
        flip=rules.face_down == "flip", known=known, removed=deal.removed,
        tray=[names.index(face) for face in deal.tray], budget=budget,
    )  # fmt: skip


def winnable(position: Position, dead: set[tuple[int, int]]) -> bool:
    if position.won:
        return True
    key = position.remaining, position.hidden
    if key in dead:
        return False
    if any(winnable(position.after(move), dead) for move in position.moves()):
        return True
    dead.add(key)
    return False


def small(number: int, label: str, face_down: str, hidden: int) -> Deal:
    stream = Stream("kernel-pairs-law", f"{label}/{number}")
    layout = heap(stream, 8 + 2 * stream.below(3), 10, 8, layers=4)
    blocking = (BLOCKING, BLOCKING[:2], BLOCKING[:1])[stream.below(3)]
    faces, tray = 2 + stream.below(4), 2 + stream.below(3)
    return random_deal(stream, "pairs", layout, faces, hidden, face_down=face_down, blocking=blocking, tray=tray)


@pytest.mark.parametrize("face_down", ["lift", "flip"])
def test_whoever_sees_through_the_tiles_wins_exactly_what_can_be_won(face_down: str) -> None:
    counts = {"solved": 0, "unsolvable": 0, "lifted": 0}
    for number in range(400):
        deal = small(number, f"known-{face_down}", face_down, 1 + number % 5)
        answer = ask(deal, known=True)
        assert (answer.status == "solved") == winnable(deal.start, set()), f"deal {number}"
        counts[answer.status] += 1
        if answer.status == "solved":
            assert answer.strategy is not None
            assert strategy.check(deal, answer.strategy, known=True) == ""
            names = sorted(set(deal.faces))
            coupled = pairs.solve(deal.board.gates, [names.index(face) for face in deal.faces])
            counts["lifted"] += coupled.status == "unsolvable"
        elif answer.hopeless:
            assert answer.evidence is not None
            lone = sum(1 << tile for tile in deal.face_down) if face_down == "lift" else 0
            assert refutation_tree.check(deal.board.gates, answer.hopeless, answer.evidence, lone=lone) == ""
    assert counts["solved"] > 20
    assert counts["unsolvable"] > 20
    assert (counts["lifted"] > 0) == (face_down == "lift"), "lifts win what no coupling wins"


def test_positions_in_mid_game_with_a_tray_are_judged() -> None:
    seen = set()
    for number in range(200):
        position = small(number, "mid", "lift", 3).start
        stream = Stream("kernel-pairs-law", f"play/{number}")
        for _ in range(3):
            moves = list(position.moves())
            if moves:
                position = position.after(moves[stream.below(len(moves))])
        deal, remaining, hidden, tray = position
        gone = tuple(tile for tile in range(len(deal.faces)) if not remaining >> tile & 1)
        face_down = tuple(tile for tile in deal.face_down if hidden >> tile & 1)
        middle = replace(deal, removed=gone, face_down=face_down, tray=tray)
        answer = ask(middle, known=True)
        seen.add((answer.status, bool(tray)))
        assert (answer.status == "solved") == winnable(middle.start, set())
        if answer.strategy is not None:
            assert strategy.check(middle, answer.strategy, known=True) == ""
    assert len(seen) == 4


@pytest.mark.parametrize("face_down", ["lift", "flip"])
def test_guess_free_agrees_with_the_plain_search(face_down: str) -> None:
    seen = {"solved": 0, "unsolvable": 0}
    for number in range(250):
        deal = small(number, f"guess-{face_down}", face_down, 2 + number % 3)
        answer = ask(deal, known=False)
        plain = guess_free(deal)
        assert {"solved": "yes", "unsolvable": "no"}[answer.status] == plain.verdict, f"deal {number}"
        seen[answer.status] += 1
        if answer.status == "solved":
            assert answer.strategy is not None
            assert strategy.check(deal, answer.strategy) == ""
            hidden = [deal.faces[tile] for tile in deal.face_down]
            for order in sorted(set(permutations(hidden)))[:3]:
                faces = list(deal.faces)
                for tile, face in zip(deal.face_down, order, strict=True):
                    faces[tile] = face
                assert strategy.check(replace(deal, faces=tuple(faces)), answer.strategy) == ""
    assert min(seen.values()) > 10


def test_every_change_of_a_strategy_is_rejected_or_still_wins() -> None:
    tried = refused = 0
    for number in range(60):
        deal = small(number, "mutate", "lift", 3)
        answer = ask(deal, known=False)
        if answer.strategy is None:
            continue
        for at in range(len(answer.strategy)):
            for change in (1, 2, 128):
                data = bytearray(answer.strategy)
                data[at] ^= change
                tried += 1
                refused += strategy.check(deal, bytes(data)) != ""
        assert strategy.check(deal, answer.strategy[:-2]) == "the strategy is cut off"
        assert strategy.check(deal, answer.strategy + b"\0\0") == "numbers are left over after the last line"
    assert tried > 200
    assert refused > tried * 9 // 10


def test_a_lift_that_must_guess_is_no_strategy() -> None:
    """Two face-down tiles on two face-up ones, a tray of two: lifting the wrong one first fills it."""
    deal = board(
        """
        AABB
        AABB
        -- 1
        aabb
        aabb
        """,
        tray=2,
    )
    assert ask(deal, known=True).status == "solved" if winnable(deal.start, set()) else "unsolvable"
    assert ask(deal, known=False).status == {"yes": "solved", "no": "unsolvable"}[guess_free(deal).verdict]


def test_the_least_tray_is_the_first_with_which_the_law_wins() -> None:
    seen = set()
    for number in range(150):
        deal = small(number, "least", "lift", 4)
        names = sorted(set(deal.faces))
        faces = [names.index(face) for face in deal.faces]
        least = pairs.minimum(deal.board.gates, faces, cap=5, face_down=deal.face_down)
        wins = [slots for slots in range(2, 6) if winnable(under(deal, tray=slots).start, set())]
        assert (least.slots if least.status == "solved" else None) == (wins[0] if wins else None)
        seen.add(least.slots)
    assert {0, 2, 3} <= seen


def test_a_spent_budget_is_undecided() -> None:
    stream = Stream("kernel-pairs-law", "budget")
    deal = random_deal(stream, "pairs", heap(stream, 40, 20, 12, layers=4), 10, 5)
    assert ask(deal, known=False, budget=1).status in ("undecided", "unsolvable")
