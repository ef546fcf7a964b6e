"""The triples rows of the bench: `python tests/bench/bench_triples.py [divisor]`, CPU time of one core."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from levelgen.board import Board
from levelgen.evidence import closed_set
from levelgen.rules import RULESETS
from levelgen.solve.kernel import bots, deal, triples
from tests.bench.triples_boards import BOARDS

TRIPLES = RULESETS["triples"]
BUDGET = 200_000_000
GREEDY = bots.Player("greedy")


def lids(board: Board) -> tuple[int, ...]:
    """Who lies on whom: in triples that is the whole gate."""
    return tuple(gate[0] for gate in board.gates)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def spread(seconds: list[float]) -> str:
    seconds = sorted(seconds)
    marks = {"median": 0.5, "90 %": 0.9, "99 %": 0.99, "worst": 1.0}
    return ", ".join(f"{name} {1000 * seconds[int(mark * (len(seconds) - 1))]:.2f} ms" for name, mark in marks.items())


def decide(row: str, count: int) -> None:
    found: Counter[str] = Counter()
    seconds = []
    for number in range(count):
        layout, faces = BOARDS[row][0](number)
        board = Board.compile(layout, TRIPLES)
        spent, answer = timed(lambda: triples.solve(board.gates, faces, cap=TRIPLES.tray, budget=BUDGET))  # noqa: B023
        found[answer.status] += 1
        seconds.append(spent)
    print(f"triples, {row}, {count} random deals: {dict(found)}; {spread(seconds)}")


def minimum(row: str, count: int) -> None:
    found: Counter[object] = Counter()
    seconds = []
    for number in range(count):
        layout, faces = BOARDS[row][0](number)
        board = Board.compile(layout, TRIPLES)
        spent, answer = timed(lambda: triples.minimum(board.gates, faces, cap=TRIPLES.tray, budget=BUDGET))  # noqa: B023
        found[answer.peak if answer.status == "solved" else answer.status] += 1
        seconds.append(spent)
    print(f"exact minimum tray, {row}, {count} random deals: {dict(found)}; {spread(seconds)}")


def deals(count: int) -> None:
    layout, faces = BOARDS["99 tiles, 5 layers, 16 faces"][0](0)
    board = Board.compile(layout, TRIPLES)
    styles: tuple[deal.Style, ...] = ("forward", "reverse")
    for style in styles:
        for slots in (TRIPLES.group, TRIPLES.tray):
            spent, made = timed(
                lambda: deal.rate(board.gates, faces, group=3, style=style, slots=slots, count=count)  # noqa: B023
            )
            some = deal.deals(board.gates, faces, group=3, style=style, slots=slots, seed=1, count=50)
            games = [
                bots.Table(board.gates, lids(board), row, mode="pick", cap=7, group=3).games(GREEDY, 1, 20)
                for row in some
                if row is not None
            ]
            wins = sum(game.count(0) for game in games) / sum(map(len, games))
            print(
                f"guaranteed deals, triples-99, {style}, {slots} slots: {made / spent / 1000:.0f} k/s, "
                f"greedy bot wins {100 * wins:.1f} %"
            )


def evidence(row: str, count: int) -> None:
    sizes, seconds, refused = [], [], 0
    for number in range(count):
        layout, faces = BOARDS[row][0](number)
        board = Board.compile(layout, TRIPLES)
        if triples.solve(board.gates, faces, cap=TRIPLES.tray, budget=BUDGET).status == "unsolvable":
            found = triples.closed_set(board.gates, faces, cap=TRIPLES.tray, size=1 << 16)
            if found is None:
                refused += 1
                continue
            spent, why = timed(lambda: closed_set.check(board.gates, faces, found.data, cap=TRIPLES.tray))  # noqa: B023
            assert not why, why
            sizes.append(len(found.data))
            seconds.append(spent)
    sizes.sort()
    print(
        f"evidence, {row}: {len(sizes)} checked, {refused} over 64 KB; bytes median {sizes[len(sizes) // 2]}, "
        f"worst {sizes[-1]}; the checker takes {spread(seconds)}"
    )


def main() -> None:
    divisor = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for row, (_, count) in BOARDS.items():
        decide(row, max(count // divisor, 1))
    minimum("99 tiles, 5 layers, 16 faces", max(1000 // divisor, 1))
    deals(100_000 // divisor)
    evidence("deep, 180–320 tiles, 18–41 layers", max(100 // divisor, 5))


if __name__ == "__main__":
    main()
