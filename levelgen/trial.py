"""Uniform random deals of one layout: how often chance alone makes a board that can be won.

    layout = whole_groups(template, library, 2, "7")                 # what the template is under that seed
    trial = try_seed(layout, RULESETS["pairs"], "7")                 # a Trial: the deal and the kernel's verdict
    report = summary(trials)                                         # counts, figures, the odd ones

Unlike `deal.py`, which plays backwards so that every deal can be won, faces are dealt here without looking. That
tells a designer how forgiving a layout is: one that is dead in most deals hangs on its dealer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from levelgen.board import Board, Deal
from levelgen.errors import Malformed
from levelgen.layout import Layout
from levelgen.rules import Ruleset
from levelgen.seed import Stream
from levelgen.solve import prove
from levelgen.template import Library, Part, Template, compose, compose_level

BUDGET = 200_000
"""What the kernel may spend on a deal: some hundredths of a second as a rule."""
HARDEST = 3
"""How many of the deals that can be won are named for the work they took."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One deal, and what became of it."""

    seed: str
    deal: Deal
    verdict: str
    work: int

    @property
    def open(self) -> int:
        """Open tiles at the start."""
        return len(self.deal.board.open_tiles(self.deal.start.remaining))


def whole_groups(template: Template, library: Library, group: int, seed: str) -> Layout:
    """The template's layout, trimmed to whole groups by the rule of `fit.py`.

    Raises:
        Malformed: it does not compose, or has fewer tiles than a group.
    """
    layout = compose(template, library, seed)
    tiles = len(layout) // group * group
    if tiles == len(layout):
        return layout
    if not tiles:
        raise Malformed.of("try/count", f"has {len(layout)} tiles; a group is {group}", template.name)
    return compose_level(
        [Part(template.name)], library, template.canvas, tiles, group, seed, margin=template.margin
    )  # fmt: skip


def uniform_deal(layout: Layout, ruleset: Ruleset, faces: int, face_down: int, seed: str) -> Deal:
    """So many faces, each in whole groups and equally often give or take one, dealt without looking.

    Raises:
        Malformed: the numbers do not fit the layout.
    """
    groups, rest = divmod(len(layout), ruleset.group)
    if rest:
        raise Malformed.of("try/count", f"has {len(layout)} tiles; {ruleset.id} are dealt in groups of {ruleset.group}",
                           "", "add or take away tiles")  # fmt: skip
    if not 1 <= faces <= groups:
        raise Malformed.of("try/faces", f"{groups} groups cannot show {faces} different faces", "--faces",
                           f"ask for {groups} at most")  # fmt: skip
    if face_down and (ruleset.id != "pairs" or face_down > len(layout)):
        raise Malformed.of("try/face-down", f"cannot lay {face_down} of {len(layout)} tiles of {ruleset.id} face down",
                           "--face-down")  # fmt: skip
    dealt = [f"F{index % faces + 1:02}" for index in range(groups) for _ in range(ruleset.group)]
    Stream(seed, "try/faces").shuffle(dealt)
    tiles = list(range(len(layout)))
    Stream(seed, "try/face-down").shuffle(tiles)
    return Deal(Board.compile(layout, ruleset), tuple(dealt), tuple(sorted(tiles[:face_down])))


def try_seed(
    layout: Layout, ruleset: Ruleset, seed: str, *, faces: int = 0, face_down: int = 0, budget: int = BUDGET
) -> Trial:
    """One uniform random deal of the layout, decided by the kernel; without `faces`, two groups show each face.

    Raises:
        Malformed: the numbers do not fit the layout.
    """
    deal = uniform_deal(layout, ruleset, faces or max(1, len(layout) // ruleset.group // 2), face_down, seed)
    proof = prove(deal, "kernel", budget)
    return Trial(seed, deal, proof.verdict, proof.work)


def summary(trials: Sequence[Trial]) -> Mapping[str, Any]:
    """What the trials show together, ready for JSON."""
    counts = {word: sum(one.verdict == word for one in trials) for word in ("solved", "unsolvable", "undecided")}
    return {
        "deals": len(trials),
        "winnable": counts["solved"],
        "dead": counts["unsolvable"],
        "undecided": counts["undecided"],
        "tiles": _spread([len(one.deal.faces) for one in trials]),
        "layers": _spread([one.deal.board.layout.layers for one in trials]),
        "faces": _spread([len(set(one.deal.faces)) for one in trials]),
        "open": _spread([one.open for one in trials]),
        "work": _spread([one.work for one in trials]),
        "odd": [{"seed": one.seed, "why": why, "work": one.work} for one, why in odd(trials)],
    }


def odd(trials: Sequence[Trial]) -> list[tuple[Trial, str]]:
    """Those worth a look: the dead deals, the undecided ones, and the winnable ones that took the most work."""
    strange = [(one, why) for verdict, why in (("unsolvable", "dead"), ("undecided", "undecided"))
               for one in trials if one.verdict == verdict]  # fmt: skip
    solved = sorted((one for one in trials if one.verdict == "solved"), key=lambda one: -one.work)
    return [*strange, *((one, "hardest") for one in solved[:HARDEST])]


def _spread(numbers: Sequence[int]) -> dict[str, int]:
    ordered = sorted(numbers)
    return {"least": ordered[0], "median": ordered[len(ordered) // 2], "most": ordered[-1]}
