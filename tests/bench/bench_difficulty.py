"""How well the difficulty number holds: `python tests/bench/bench_difficulty.py [levels [games]]`.

Levels of both games on the template library and the layouts of the reference packs: built forwards and backwards, built
and then disturbed, and dealt at random, all proved by the kernel. Per game the bench prints how the number spreads, by
how much it moves with other games of the same bots (on the reference packs too), how a bot that is not used in rating
orders the same levels, how the cheap number is related to the full one, and what a rating of a level of 99 tiles costs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from math import isqrt, sqrt
from pathlib import Path

from levelgen.board import Board, Deal
from levelgen.certificate import Solution
from levelgen.errors import LevelgenError
from levelgen.layout import Layout, Slot
from levelgen.pack.signing import DEMO_TRUST
from levelgen.pack.verify import open_pack
from levelgen.rate import rate
from levelgen.rate.panel import table
from levelgen.rules import BLOCKING, RULESETS, gates
from levelgen.seed import Stream
from levelgen.solve import prove
from levelgen.solve.kernel.bots import Player
from levelgen.solve.kernel.deal import Style, deals
from levelgen.template import read_library
from levelgen.trial import whole_groups

ROOT = Path(__file__).resolve().parents[2]
HELD_OUT = Player("macro", False, 300)
"""A bot of another kind than those that rate: it thinks in whole groups. With so many mistakes it wins about half of
its games on these levels, so that few of them are all alike to it: the rate was chosen by that."""
GAMES = 200
STYLES = ("forward", "reverse", "disturbed", "disturbed", "random", "random")
Level = tuple[Deal, Solution]


PACKS = {"pairs": "eram", "triples": "tilematch"}


def layouts(game: str) -> list[Layout]:
    """The layouts of the game's reference pack, and of the templates of a size one plays it on."""
    rules = RULESETS[game]
    pack = ROOT / "out" / PACKS[game] / "levels.jsonl"
    found = [Layout.of([Slot(*s) for s in json.loads(line)["slots"]]) for line in pack.read_text().splitlines()]
    library = read_library(ROOT / "templates" / "shapes")
    for name in sorted(library):
        try:
            layout = whole_groups(library[name], library, rules.group, "1")
        except LevelgenError:
            continue
        if (16 if game == "pairs" else 36) <= len(layout) <= 180:
            found.append(layout)
    return found


def levels(game: str, count: int) -> Iterator[Level]:
    """So many levels, each with a way out."""
    rules, stream = RULESETS[game], Stream("bench/difficulty", game)
    found = layouts(game)
    made = 0
    while made < count:
        board = Board.compile(stream.choice(found), rules)
        level = _level(board, stream)
        if level is not None:
            made += 1
            yield level


def _level(board: Board, stream: Stream) -> Level | None:
    rules, tiles = board.ruleset, len(board.layout)
    groups = tiles // rules.group
    kinds = min(groups, max(2, groups // stream.between(1, 4)) if rules.id == "pairs" else stream.between(6, 18))
    faces = [group % kinds for group in range(groups) for _ in range(rules.group)]
    style, number = stream.choice(STYLES), stream.word()
    if style != "random":
        play: Style = "forward" if style == "forward" or stream.below(2) else "reverse"
        strict = gates(board.layout, BLOCKING) if rules.id == "pairs" else board.gates
        slots = 0 if rules.id == "pairs" else stream.between(3, 7)
        (row,) = deals(strict, faces, group=rules.group, style=play, slots=slots, seed=number, count=1)
        if row is None:
            return None
        faces = list(row)
    hidden = stream.below(tiles // 8 + 1) if rules.id == "pairs" and stream.below(2) else 0
    places = list(range(tiles))
    stream.shuffle(places)
    for _ in range(12):
        trial = list(faces)
        if style == "random":
            stream.shuffle(trial)
        for _ in range(stream.between(1, tiles // 3) if style == "disturbed" else 0):
            one, other = stream.below(tiles), stream.below(tiles)
            trial[one], trial[other] = trial[other], trial[one]
        deal = Deal(board, tuple(f"F{face:02}" for face in trial), tuple(sorted(places[:hidden])))
        proof = prove(deal, "kernel", 100_000)
        if proof.verdict == "solved" and (proof.pairs or rules.id == "triples"):
            return deal, proof.pairs if rules.id == "pairs" else tuple(move.tiles for move in proof.moves)
    return None


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value; equal ones share theirs."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order)))}
    last = {value: place for place, value in enumerate(order)}
    return [(first[value] + last[value]) / 2 for value in values]


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The rank correlation of two rows of values."""
    a, b = ranks(one), ranks(other)
    mean = (len(a) - 1) / 2
    top = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    return top / sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def at(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    return sorted(values)[round(share * (len(values) - 1))]


def met(holds: bool) -> str:
    return "met" if holds else "MISSED"


def costs(game: str, found: Sequence[Level]) -> None:
    """CPU time of ratings of the levels nearest to 99 tiles, the best of five: others may use the machine as well."""
    near = sorted(found, key=lambda level: abs(len(level[0].faces) - 99))[:12]
    for tier, most in (("full", 50.0), ("cheap", 2.0)):
        spent = []
        for deal, solution in near:
            tries = []
            for _ in range(5):
                start = time.process_time()
                rate(deal, solution, "cost", "full" if tier == "full" else "cheap")
                tries.append(1000 * (time.process_time() - start))
            spent.append(min(tries))
        sizes = f"{min(len(deal.faces) for deal, _ in near)}–{max(len(deal.faces) for deal, _ in near)} tiles"
        print(f"{game:8} {tier} rating, {sizes}: median {at(spent, 0.5):.2f} ms, worst {max(spent):.2f} ms CPU; "
              f"median must be < {most} ms: {met(at(spent, 0.5) < most)}", flush=True)  # fmt: skip


def number(game: str, found: Sequence[Level]) -> None:
    """Spread, stability, the held-out bot, cheap against full."""
    full = [rate(deal, solution, "one").number for deal, solution in found]
    again = [rate(deal, solution, "two").number for deal, solution in found]
    cheap = [rate(deal, solution, "one", "cheap").number for deal, solution in found]
    fails = []
    for deal, _ in found:
        games = table(deal).games(HELD_OUT, 99, GAMES)
        fails.append(sum(isqrt(1_000_000 * one.left // len(deal.faces)) for one in games) / GAMES)
    moved = at([abs(one - other) for one, other in zip(full, again, strict=True)], 0.95)
    alike = spearman(full, fails)
    print(f"{game:8} {len(full)} levels, tenths of the number: {[round(at(full, k / 10)) for k in range(11)]}")
    print(f"{game:8} other games of the same bots move it by {moved:.0f} at the 95th percentile; must be < 15: "
          f"{met(moved < 15)}")  # fmt: skip
    print(f"{game:8} rank correlation with {HELD_OUT.bot}, {HELD_OUT.mistakes} mistakes, not used in rating: "
          f"{alike:.3f}; must be ≥ 0.9: {met(alike >= 0.9)}")  # fmt: skip
    off = sorted(abs(one - other) for one, other in zip(full, cheap, strict=True))
    print(f"{game:8} cheap against full: rank correlation {spearman(full, cheap):.3f}, mean difference "
          f"{sum(c - f for c, f in zip(cheap, full, strict=True)) / len(full):+.1f}, half within {at(off, 0.5):.0f}, "
          f"95 % within {at(off, 0.95):.0f}", flush=True)  # fmt: skip


def shipped(game: str) -> None:
    """The same for the levels of the reference pack: larger, so rated by fewer games, few at the ends."""
    with open_pack(ROOT / "out" / PACKS[game], DEMO_TRUST) as pack:
        moved = [
            abs(one.difficulty["rating"] - rate(one.deal, pack.certificate(one.level).solution, "two").number)
            for one in pack.records()
        ]
    print(f"{game:8} out/{PACKS[game]}, {len(moved)} levels: other games of the same bots move the number by "
          f"{at(moved, 0.5):.0f} at the median, {at(moved, 0.95):.0f} at the 95th percentile", flush=True)  # fmt: skip


def main(count: int, games: Sequence[str]) -> None:
    for game in games:
        found = list(levels(game, count))
        costs(game, found)
        number(game, found)
        shipped(game)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, sys.argv[2:] or tuple(RULESETS))
