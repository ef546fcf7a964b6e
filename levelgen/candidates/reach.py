"""How hard the candidates of a level are, and what to change where the curve asks for something else.

for stretch in stretches(recipe, library):      # neighbouring levels whose target their candidates do not reach
    stretch.proposals                           # templates, faces or face-down tiles that do
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from levelgen.board import Board
from levelgen.candidates.conditions import Conditions
from levelgen.candidates.dealing import Makings
from levelgen.candidates.search import TOP, Outcome, Search, explore, kinds
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
SEARCHED, ASKED = 6, 10
"""So many of the changes that look best are searched through as a build would; where a condition is not kept, of which
a look says nothing, so many."""
PROPOSALS = 3
"""The best so many are told."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How hard the candidates of a level are, from the easiest to the hardest of those looked at, rated cheaply."""

    least: int
    most: int
    candidates: int
    """How many that can be won were looked at."""

    def gap(self, target: int) -> int:
        """How far the target lies outside."""
        return max(self.least - target, target - self.most, 0)


@dataclass(frozen=True, slots=True)
class Measured:
    """A level and how hard it can be."""

    level: LevelPlan
    reach: Reach | None
    """None when no candidate can be won."""
    outcome: Outcome | None = None
    """What a search as the build's came to; None when a look was enough: the target lies within the reach, and nothing
    is asked besides."""

    @property
    def gap(self) -> int:
        """How far the nearest is from the target; more than 1000 when there is none."""
        aim = self.level.aim
        if aim is None:
            return 0
        if self.outcome is not None:
            return abs(self.outcome.best.rating.number - aim.target) if self.outcome.best else TOP + 1
        return self.reach.gap(aim.target) if self.reach else TOP + 1

    @property
    def missed(self) -> bool:
        """Whether the curve asks for something else."""
        return self.level.aim is not None and self.gap > self.level.aim.tolerance


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that brings a stretch nearer to its targets."""

    change: str
    """As a recipe spells it."""
    measured: Measured
    """The level in the middle of the stretch, changed so, and searched for as a build would."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbouring levels that cannot reach their targets, or keep what the curve asks for besides."""

    levels: tuple[Measured, ...]
    proposals: tuple[Proposal, ...]
    """The best first; none when nothing that was tried comes nearer."""


def look(level: LevelPlan, library: Library) -> tuple[Makings, Reach | None] | None:
    """A few candidates of every kind, cheaply rated; None when the level cannot be composed."""
    aim = level.aim or Aim(0)
    try:
        board = Board.compile(layout_of(level, library), level.ruleset)
    except Malformed:  # whoever lints or builds it says why
        return None
    search = Search(Makings(replace(level, aim=aim), board), aim.target)
    every = [*kinds(search.makings), *kinds(search.makings, slack=True)]
    numbers = [found for kind in every for _ in range(LOOKS) if (found := search.draw(kind)) is not None]
    return search.makings, Reach(min(numbers), max(numbers), len(numbers)) if numbers else None


def measure(level: LevelPlan, library: Library) -> Measured:
    """How hard that level can be: by a look, and by a search where that leaves it open whether the aim is met."""
    looked = look(level, library)
    if looked is None:
        return Measured(level, None)
    makings, reach = looked
    measured = Measured(level, reach)
    if reach is None or level.aim is None or not (measured.missed or Conditions(level, level.aim).any):
        return measured
    return _searched(makings, reach)


def _searched(makings: Makings, reach: Reach | None) -> Measured:
    """The level searched for as a build would; what the search saw widens the reach."""
    outcome = explore(makings)
    if outcome.span is not None:
        least, most = outcome.span
        known = reach or Reach(least, most, 0)
        reach = Reach(min(known.least, least), max(known.most, most), max(known.candidates, outcome.candidates))
    return Measured(makings.level, reach, outcome)


def measured_levels(
    recipe: Recipe, library: Library, chosen: Sequence[int] | None = None, step: Callable[[], None] = lambda: None
) -> tuple[Measured, ...]:
    """Every level with a target, or as many as `LEVELS` of them, spread evenly; of `chosen` ones only, if given. Levels
    that are kept as they were have none.
    """
    plans = [one for one in plan(recipe, library) if one.aim and not one.kept]
    plans = [one for one in plans if chosen is None or one.level in chosen]
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
    """1 when harder is asked for than can be reached, -1 when easier, 0 when nothing can be won or keeps what is asked
    besides.
    """
    if one.level.aim is None or one.outcome is None or one.outcome.best is None:
        return 0
    return 1 if one.level.aim.target > one.outcome.best.rating.number else -1


def _section(recipe: Recipe, level: int) -> Section:
    return next(one for one in recipe.sections if one.first <= level <= one.last)


def _proposals(recipe: Recipe, library: Library, middle: Measured) -> Iterator[Proposal]:
    """Changes of the level in the middle that come nearer to its target than it does, the nearest first.

    All are looked at; those that look best are searched through as a build would, with all that the curve asks for.
    """
    aim = middle.level.aim
    assert aim is not None
    lacks = middle.outcome.told if middle.outcome else ""
    ranked = []
    for place, (change, changed) in enumerate(_changes(recipe, library, middle.level)):
        looked = look(changed, library)
        if looked is None or looked[1] is None:
            continue
        makings, reach = looked[0], looked[1]
        # Of those that reach the target the ones that hold it well inside come first; other faces before templates
        # where a condition is not kept.
        inside = min(aim.target - reach.least, reach.most - aim.target)
        template = bool(lacks) and changed.parts != middle.level.parts
        ranked.append(((reach.gap(aim.target), template, -inside, place), change, makings))
    ranked.sort(key=lambda one: one[0])
    found: list[Proposal] = []
    for _, change, makings in ranked[: ASKED if lacks else SEARCHED]:
        proposal = Proposal(change, _searched(makings, None))
        if proposal.measured.gap < middle.gap:
            found.append(proposal)
        if len([one for one in found if not one.measured.missed]) == PROPOSALS:
            break
    found.sort(key=lambda one: one.measured.gap)
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
