"""How fast the kernel decides boards of pairs, and how big its refutations are. `make bench` prints it.

All times are CPU time. Random deals are uniform: every face's copies anywhere.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Literal

from levelgen.board import Board, Deal
from levelgen.evidence import strategy
from levelgen.evidence.refutation_tree import check
from levelgen.layout import Layout
from levelgen.rules import RULESETS, gates
from levelgen.seed import Stream
from levelgen.solve.kernel import pairs
from levelgen.solve.kernel.deal import rate

CLASSIC = ("cover", "horizontal")
STRICT = ("cover", "horizontal", "vertical")


def turtle(left: int = 0) -> Iterator[tuple[int, int, int]]:
    """The classic layout of 144 tiles: a broad base with two ears and a tail, a block of 6 × 6, 4 × 4, 2 × 2, a top."""
    for row, (first, count) in enumerate([(1, 12), (3, 8), (2, 10), (1, 12), (1, 12), (2, 10), (3, 8), (1, 12)]):
        yield from ((left + 2 * (first + column), 2 * row, 0) for column in range(count))
    yield from ((left + x, 7, 0) for x in (0, 26, 28))
    for z, first_x, first_y, size in ((1, 8, 2, 6), (2, 10, 4, 4), (3, 12, 6, 2)):
        yield from ((left + first_x + 2 * x, first_y + 2 * y, z) for x in range(size) for y in range(size))
    yield left + 13, 7, 4


def turtles(count: int) -> Layout:
    """Turtles side by side, out of each other's way."""
    return Layout.of(chain.from_iterable(turtle(32 * number) for number in range(count)))


def pyramid(width: int, height: int, layers: int, tiles: int) -> Layout:
    """Full layers, each half a tile further in and one tile smaller; the last tiles of the base are left out."""
    slots = [
        (z + 2 * x, z + 2 * y, z) for z in reversed(range(layers)) for y in range(height - z) for x in range(width - z)
    ]
    return Layout.of(slots[:tiles])


def deal(tiles: int, copies: int, name: str) -> list[int]:
    """Faces with so many copies each, dealt uniformly."""
    faces = [tile // copies for tile in range(tiles)]
    Stream("bench", name).shuffle(faces)
    return faces


def row(
    name: str, layout: Layout, blocking: tuple[str, ...], deals: int, copies: int = 4, budget: int = 10**8,
    least: int = 0, worst: float = 10.0,
) -> None:  # fmt: skip
    """Decides so many random deals, prints a line; all must be decided, `least` a second, in `worst` seconds each."""
    board = pairs.Board(gates(layout, blocking))
    counts = {"solved": 0, "unsolvable": 0, "undecided": 0}
    times = []
    for number in range(deals):
        faces = deal(len(layout), copies, f"{name}/{number}")
        start = time.process_time()
        answer = board.solve(faces, seed=number, budget=budget)
        times.append(time.process_time() - start)
        counts[answer.status] += 1
    times.sort()
    print(
        f"{name:34} {len(layout):5} tiles {deals:6} deals  {counts['solved']:5} solved {counts['unsolvable']:4} dead "
        f"{counts['undecided']:3} undecided  {deals / sum(times):7.0f}/s  median {1e3 * times[deals // 2]:7.2f} ms  "
        f"99 % {1e3 * times[deals * 99 // 100]:8.2f} ms  worst {1e3 * times[-1]:8.2f} ms  "
        f"must: all{f', ≥ {least}/s' if least else ''}, < {worst} s: "
        f"{_met(not counts['undecided'] and deals / sum(times) >= least and times[-1] < worst)}",
        flush=True,
    )


def _met(fine: bool) -> str:
    return "met" if fine else "NOT MET"


def deals_row(style: Literal["forward", "reverse"], count: int) -> None:
    """Guaranteed deals of the Turtle, a second."""
    ways = gates(turtles(1), CLASSIC)
    faces = [tile // 4 for tile in range(144)]
    start = time.process_time()
    made = rate(ways, faces, group=2, style=style, slots=0, count=count)
    speed = made / (time.process_time() - start)
    print(
        f"guaranteed deals, pairs-144, {style:7} {speed / 1000:8.0f} k/s  must ≥ 150 k/s: {_met(speed >= 150_000)}",
        flush=True,
    )


def evidence_row(deals: int) -> None:
    """Refutes what cannot be won among so many Turtles, checks it, prints the sizes."""
    layout = turtles(1)
    ways = gates(layout, CLASSIC)
    board = pairs.Board(ways)
    sizes = []
    slowest = 0.0
    for number in range(deals):
        faces = deal(144, 4, f"turtle, classic/{number}")
        answer = board.solve(faces, seed=number, evidence=1 << 20)
        if answer.status == "unsolvable":
            assert answer.evidence is not None
            start = time.process_time()
            assert check(ways, faces, answer.evidence) == ""
            slowest = max(slowest, time.process_time() - start)
            sizes.append(len(answer.evidence))
    sizes.sort()
    print(
        f"{'evidence, unsolvable turtles':34} {len(sizes)} of {len(sizes)} checked  median {sizes[len(sizes) // 2]} B  "
        f"99 % {sizes[len(sizes) * 99 // 100]} B  largest {sizes[-1]} B  slowest check {slowest:.2f} s"
    )


def hidden_row(deals: int, hidden: int) -> None:
    """Decides whether random deals of 72 tiles, some face down, are guess-free; walks every strategy by the law."""
    sizes = ((7, 5), (5, 4), (4, 3), (5, 1))
    layout = Layout.of((2 * x + z, 2 * y, z) for z, (w, h) in enumerate(sizes) for y in range(h) for x in range(w))
    board = Board.compile(layout, replace(RULESETS["pairs"], blocking=CLASSIC))
    counts = {"solved": 0, "unsolvable": 0, "undecided": 0}
    times = []
    for number in range(deals):
        faces = deal(72, 4, f"hidden/{number}")
        ids = list(range(72))
        Stream("bench", f"face-down/{number}").shuffle(ids)
        down = tuple(sorted(ids[:hidden]))
        start = time.process_time()
        answer = pairs.play(board.gates, faces, cap=4, face_down=down, known=False)
        times.append(time.process_time() - start)
        counts[answer.status] += 1
        if answer.strategy is not None:
            assert strategy.check(Deal(board, tuple(f"F{face:02}" for face in faces), down), answer.strategy) == ""
    times.sort()
    print(
        f"guess-free, 72 tiles, {hidden} hidden          {deals:6} deals  {counts['solved']:5} yes "
        f"{counts['unsolvable']:4} no "
        f"{counts['undecided']:3} undecided  median {1e3 * times[deals // 2]:.1f} ms  worst {1e3 * times[-1]:.1f} ms",
        flush=True,
    )


def main() -> None:
    """`python -m tests.bench.bench_pairs [SHARE]`: a share of the deals, in percent."""
    share = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    some: Callable[[int], int] = lambda count: max(count * share // 100, 5)  # noqa: E731
    row("turtle, classic", turtles(1), CLASSIC, some(10_000), least=2_000, worst=0.15)
    row("turtle, strict", turtles(1), STRICT, some(2_000))
    for count, tiles in ((2, 288), (4, 576), (8, 1152)):
        size = {288: (11, 9, 6), 576: (14, 11, 7), 1152: (18, 15, 8)}[tiles]
        row(f"{count} turtles, classic", turtles(count), CLASSIC, some(100))
        row(f"pyramid {tiles}, classic", pyramid(*size, tiles), CLASSIC, some(100))
        row(f"pyramid {tiles}, strict", pyramid(*size, tiles), STRICT, some(100))
        row(f"pyramid {tiles}, classic, 8 copies", pyramid(*size, tiles), CLASSIC, some(100), copies=8)
    row("2 turtles, strict (open-ended)", turtles(2), STRICT, 10, budget=10**7)
    row("pyramid 288, classic, 16 copies", pyramid(11, 9, 6, 288), CLASSIC, 10, copies=16, budget=10**7)
    deals_row("forward", some(50_000))
    deals_row("reverse", some(20_000))
    hidden_row(20, 5)
    evidence_row(some(10_000))


if __name__ == "__main__":
    main()
