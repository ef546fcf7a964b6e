"""How near a pack of 200 levels comes to its curve, and what that takes. `make bench` prints it.

python tests/bench/bench_curve.py [EVERY]      # only every so many levels, to see the figures sooner
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from levelgen.board import Board
from levelgen.build import Order, build
from levelgen.candidates import Candidate, Makings, search
from levelgen.pack.signing import DEMO_TRUST, demo_key
from levelgen.pack.verify import open_pack
from levelgen.recipe import LevelPlan, layout_of, open_project, plan, read_recipe

ROOT = Path(__file__).resolve().parent.parent.parent
LEVELS = 200
NEAR = 30
DEALS = 1500

HEAD = """\
pack: teeth
version: 1
ruleset: {id: %s}
faces: %s
seed: teeth
canvas: {width: 20, height: 28, layers: 6, margin: 1}
curve:
  sawtooth: {low: 150, high: 850, period: 20, rest: 2}
  slack: {distinct: 4%s}
levels:
"""
PAIRS = (
    "[[knoll, crest@sides], [gem, tower@sides], [kite, crest], [stones, tower@ends], [plaza, gem]]",
    "[[islands, crest], [diamonds, gem], [boat, beam@above], [sun, band], [ladder, cap]]",
    "[[pagoda, beam@below], [heart, cap], [turtle, crest], [well, gem], [bridge, tower]]",
    "[[lotus, tower], [fortress, stones], [gate, beam@above], [rug, crest], [garden, stones]]",
    "[[honeycomb, crest], [terraces, beam@below], [garden, mandala], [window, heart]]",
)
"""For 40 to 60 tiles, to 80, to 100, to 124, to 144: tiles grow over the pack, and every size meets every number."""
ENDS = (40, 60, 80, 100, 124, 144)
TRIPLES = """[
      [{template: heap-block, with: {columns: {from: 4, to: 7}, rows: {from: 5, to: 8}, layers: 4}}, crest],
      [{template: heap-oval, with: {columns: {from: 5, to: 8}, rows: {from: 6, to: 9}, layers: 4}}, cap],
      [{template: heap-lattice, with: {columns: {from: 5, to: 7}, rows: {from: 6, to: 9}, top: {from: 1, to: 2}}}, gem],
      [{template: heap-ring, with: {columns: {from: 5, to: 8}, rows: {from: 6, to: 9}, top: {from: 1, to: 3}}}, band],
    ]"""
"""Heaps from 42 to 144 tiles: tiles grow with each climb, as a large heap of many pictures is never easy."""


def recipe_text(ruleset: str) -> str:
    """The pack of 200 levels."""
    if ruleset == "triples":
        return HEAD % (ruleset, "nepal", "") + "".join(
            f"  - {{levels: {20 * tooth + 1}..{20 * tooth + 18}, templates: {TRIPLES}, tiles: {{from: 42, to: 144}}, "
            f"distinct: {{from: 8, to: 16}}}}\n"
            f"  - {{levels: {20 * tooth + 19}..{20 * tooth + 20}, templates: {TRIPLES}, tiles: 60, distinct: 10}}\n"
            for tooth in range(10)
        )
    text = HEAD % (ruleset, "AR1", ", face_down: 2")
    for number, templates in enumerate(PAIRS):
        low, high = ENDS[number : number + 2]
        text += (
            f"  - {{levels: {40 * number + 1}..{40 * number + 40}, templates: {templates}, "
            f"tiles: {{from: {low}, to: {high}}}, face_down: {{from: {low // 12}, to: {high // 12}}}, "
            f"distinct: {{from: {low // 4}, to: {high // 4}}}}}\n"
        )
    return text


def project(folder: Path, ruleset: str) -> Path:
    """A project with the library of this one and that recipe; its path."""
    packs = folder / "templates" / "packs"
    packs.mkdir(parents=True)
    (folder / "templates" / "shapes").symlink_to(ROOT / "templates" / "shapes")
    (folder / "faces").symlink_to(ROOT / "faces")
    recipe = packs / "teeth.yaml"
    recipe.write_text(recipe_text(ruleset))
    return recipe


def cpu_seconds() -> float:
    """CPU that this process and those it waited for have used."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def whole_pack(ruleset: str) -> None:
    """Build the pack and say how near its levels are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        order = Order.of(project(folder, ruleset), previews=False)
        cpu, wall = cpu_seconds(), time.perf_counter()
        jobs = min(2, len(os.sched_getaffinity(0)))
        build(order, folder / "out", demo_key(), jobs=jobs)
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall
        with open_pack(folder / "out", DEMO_TRUST) as pack:
            found = [
                (record.level, len(record.slots), record.difficulty["target"], record.difficulty["rating"])
                for record in pack.records()
            ]
    tell(ruleset, found)
    print(f"{ruleset}: {cpu:.0f} s of CPU, {wall:.0f} s with {jobs} workers (aim 300 s)")


def sampled(ruleset: str, every: int) -> None:
    """Search for some levels of the pack only, in this process."""
    with tempfile.TemporaryDirectory() as name:
        path = project(Path(name), ruleset)
        opened = open_project(path)
        plans = [one for one in plan(read_recipe(path, opened), opened.library) if one.level % every == 0]
        begun, found = time.process_time(), []
        for one in plans:
            board = Board.compile(layout_of(one, opened.library), one.ruleset)
            assert one.aim is not None
            found.append((one.level, one.tiles, one.aim.target, search(Makings(one, board)).rating.number))
        spent = time.process_time() - begun
    tell(ruleset, found)
    print(f"{ruleset}: {spent / len(plans):.2f} s of CPU a level")


def tell(ruleset: str, found: Sequence[tuple[int, int, int, int]]) -> None:
    """How near the levels are: number, tiles, target, reached of each."""
    off = sorted(abs(target - reached) for _, _, target, reached in found)
    near = sum(one <= NEAR for one in off)
    print(
        f"{ruleset}: {near} of {len(off)} levels within ±{NEAR} ({100 * near / len(off):.1f} %; aim 95 %), "
        f"off by {off[len(off) // 2]} at the median, {off[-1]} at worst"
    )
    for level, tiles, target, reached in found:
        if abs(target - reached) > NEAR:
            print(f"  level {level}: {tiles} tiles, target {target}, reached {reached}")


def candidates(ruleset: str, level: LevelPlan, board: Board) -> None:
    """How fast candidates of one level are dealt and proved."""
    makings = Makings(level, board)
    begun = time.process_time()
    won = sum(
        makings.deal(Candidate(number % 1000, 2 + 2 * (number & 1), number % 3)) is not None for number in range(DEALS)
    )
    spent = time.process_time() - begun
    print(f"{ruleset}: {len(board.layout)} tiles, {DEALS / spent:.0f} candidates dealt and proved a second, {won} won")


def main(every: int) -> None:
    """Both games."""
    for ruleset in ("pairs", "triples"):
        with tempfile.TemporaryDirectory() as name:
            path = project(Path(name), ruleset)
            found = open_project(path)
            level = plan(read_recipe(path, found), found.library)[120]
            candidates(ruleset, level, Board.compile(layout_of(level, found.library), level.ruleset))
        if every > 1:
            sampled(ruleset, every)
        else:
            whole_pack(ruleset)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
