"""How hard the candidates of a level are, and what to change where the curve asks for something else.

for stretch in stretches(recipe, library):      # neighbouring levels whose target their candidates do not reach
    stretch.proposals                           # templates, faces or face-down tiles that do
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from levelgen.board import Board
from levelgen.candidates.dealing import Makings
from levelgen.candidates.search import Search, kinds
from levelgen.errors import Malformed
from levelgen.recipe import Aim, LevelPlan, Recipe, Section, layout_of, plan
from levelgen.seed import Stream
from levelgen.template import Library, Part

LOOKS = 3
"""Candidates of each kind that are looked at."""
LEVELS = 200
"""Levels of a recipe that are measured, spread over it."""
TEMPLATES = 12
"""Other templates that are tried for a stretch."""
PROPOSALS = 3
"""The best so many are told."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How hard the candidates of a level are, from the easiest to the hardest of those looked at."""

    least: int
    most: int

    def misses(self, aim: Aim) -> bool:
        """Whether the target lies outside by more than its tolerance."""
        return not self.least - aim.tolerance <= aim.target <= self.most + aim.tolerance

    def gap(self, target: int) -> int:
        """How far the target lies outside."""
        return max(self.least - target, target - self.most, 0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A level and how hard it can be."""

    level: LevelPlan
    reach: Reach | None
    """None when no candidate can be won."""

    @property
    def missed(self) -> bool:
        """Whether the curve asks for something else."""
        return self.level.aim is not None and (self.reach is None or self.reach.misses(self.level.aim))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that brings a stretch nearer to its targets."""

    change: str
    """As a recipe spells it."""
    reach: Reach
    """Of the level in the middle of the stretch, changed so."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring levels that cannot reach their targets."""

    levels: tuple[Measured, ...]
    proposals: tuple[Proposal, ...]
    """The best first; none when nothing that was tried comes nearer."""


def measure(level: LevelPlan, library: Library) -> Measured:
    """How hard that level can be: a few candidates of every kind, cheaply rated."""
    aim = level.aim or Aim(0)
    try:
        board = Board.compile(layout_of(level, library), level.ruleset)
    except Malformed:  # whoever lints or builds it says why
        return Measured(level, None)
    search = Search(Makings(replace(level, aim=aim), board), aim.target)
    every = [*kinds(search.makings), *kinds(search.makings, slack=True)]
    numbers = [found for kind in every for _ in range(LOOKS) if (found := search.draw(kind)) is not None]
    return Measured(level, Reach(min(numbers), max(numbers)) if numbers else None)


def measured_levels(
    recipe: Recipe, library: Library, chosen: Sequence[int] | None = None, step: Callable[[], None] = lambda: None
) -> tuple[Measured, ...]:
    """Every level with a target, or as many as `LEVELS` of them, spread evenly; of `chosen` ones only, if given."""
    plans = [one for one in plan(recipe, library) if one.aim and (chosen is None or one.level in chosen)]
    found = []
    for one in plans[:: -(-len(plans) // LEVELS) or 1]:
        found.append(measure(one, library))
        step()
    return tuple(found)


def stretches(recipe: Recipe, library: Library, measured: Sequence[Measured]) -> Iterator[Stretch]:
    """Runs of levels of one section, all too hard or all too easy for what they are asked, with proposals."""
    run: list[Measured] = []
    for one in (*measured, None):
        if run and (one is None or not one.missed or _side(one) != _side(run[-1]) or _section(recipe, one.level.level)
                    is not _section(recipe, run[-1].level.level)):  # fmt: skip
            yield Stretch(tuple(run), tuple(_proposals(recipe, library, run[len(run) // 2])))
            run = []
        if one is not None and one.missed:
            run.append(one)


def _side(one: Measured) -> int:
    """1 when harder is asked for than can be reached, -1 when easier, 0 when nothing can be won."""
    if one.reach is None or one.level.aim is None:
        return 0
    return 1 if one.level.aim.target > one.reach.most else -1


def _section(recipe: Recipe, level: int) -> Section:
    return next(one for one in recipe.sections if one.first <= level <= one.last)


def _proposals(recipe: Recipe, library: Library, middle: Measured) -> Iterator[Proposal]:
    """Changes of the level in the middle that reach nearer to its target than it does, the nearest first."""
    aim = middle.level.aim
    assert aim is not None
    before = middle.reach.gap(aim.target) if middle.reach else 1001
    found = []
    for change, changed in _changes(recipe, library, middle.level):
        reach = measure(changed, library).reach
        if reach is not None and reach.gap(aim.target) < before:
            found.append(Proposal(change, reach))
    # Of those that reach the target the ones that hold it well inside come first.
    found.sort(
        key=lambda one: (one.reach.gap(aim.target), -min(aim.target - one.reach.least, one.reach.most - aim.target))
    )
    yield from found[:PROPOSALS]


def _changes(recipe: Recipe, library: Library, level: LevelPlan) -> Iterator[tuple[str, LevelPlan]]:
    """What could be changed about a level, as a recipe spells it, and the level changed so."""
    section = _section(recipe, level.level)
    index, group = level.level - section.first, level.ruleset.group
    for choice in section.choices:
        parts = tuple(asked.part(index, section.count) for asked in choice.parts)
        if parts != level.parts:
            yield f"templates: only [{_spelt(parts)}]", replace(level, parts=parts)
    names = [name for name in sorted(library) if _may_hold(library, name, level.tiles)]
    Stream(level.seed, "tune").shuffle(names)
    for name in sorted(names[:TEMPLATES]):
        yield f"templates: [{name}]", replace(level, parts=(Part(name),))
    count = len(level.faces)
    for wanted in sorted({count // 2, count * 3 // 4, count * 5 // 4, count * 3 // 2} - {0, count}):
        if wanted <= min(len(section.faces), level.tiles // group) and wanted >= level.least_faces:
            drawn = list(section.faces)
            Stream(level.seed, "face-choice").shuffle(drawn)
            faces = tuple(drawn[:wanted])
            yield f"distinct: {wanted}", replace(level, faces=faces, drawn=())
    if level.ruleset.id == "pairs":
        most = level.tiles // 4
        for wanted in sorted({level.face_down // 2, level.face_down * 2, level.face_down + 4} - {level.face_down}):
            if wanted <= most:
                yield f"face_down: {wanted}", replace(level, face_down=wanted)


def _spelt(parts: Sequence[Part]) -> str:
    return ", ".join(part.template if part.place == "on" else f"{part.template}@{part.place}" for part in parts)


def _may_hold(library: Library, name: str, tiles: int) -> bool:
    """Whether the template by itself comes to about so many tiles, so that trimming leaves its shape alone."""
    least, most = library.sizes(name)
    return least * 9 <= tiles * 10 <= most * 12 and tiles <= most
