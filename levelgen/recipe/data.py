"""What a recipe says, and what is planned of a level: frozen data, made by `reading` and `planning` only."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from levelgen.board import Deal
from levelgen.document import Document, Spot
from levelgen.layout import MAX_TILES, Canvas, Layout
from levelgen.recipe.curve import Aim, Curve, Over
from levelgen.recipe.kept import Kept
from levelgen.rules import Ruleset, neighbours
from levelgen.template import Part
from levelgen.tools import Allowance

APART = 3
"""How many levels lie between two that are made of the same templates, where there are choices enough."""
DRAWS = 32
"""How often a level is drawn before it is given up as too like its neighbours."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A part of a level as the recipe asks for it."""

    templates: tuple[str, ...]
    """The template, or all that suit, by name, when any of a kind will do."""
    place: str = "on"
    arguments: tuple[tuple[str, Over], ...] = ()

    def part(self, index: int, count: int, template: str = "") -> Part:
        """What it is at level `index` of `count`, made of that template or else of the first that suits."""
        given = tuple([(name, value.at(index, count)) for name, value in self.arguments])
        return _part(template or self.templates[0], self.place, given)


_part = lru_cache(maxsize=1024)(Part)
"""Levels that are made of the same share their parts."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Templates that together make a level, and how often they are chosen."""

    parts: tuple[Asked, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Hide:
    """Which tiles may lie face down."""

    least: int = 0
    most: int = MAX_TILES
    """So many tiles lie on it, on whatever layers above."""
    layers: tuple[int, ...] = ()
    """Only on these layers; any when empty."""

    def tiles(self, layout: Layout) -> tuple[int, ...]:
        """The ids of those tiles."""
        above = neighbours(layout).above
        return tuple(
            tile
            for tile, slot in enumerate(layout.slots)
            if self.least <= above[tile].bit_count() <= self.most and (not self.layers or slot.z in self.layers)
        )


@dataclass(frozen=True, slots=True)
class Apart:
    """How little alike neighbouring levels must be."""

    likeness: int
    """Percent (`layout.likeness`) above which a level is drawn again."""
    levels: int
    """How many levels before it are looked at."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """What of a level somebody looked at and did not want."""

    seeds: frozenset[str] = frozenset()
    attempts: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Section:
    """The levels `first` … `last` of a recipe."""

    first: int
    last: int
    tier: str
    choices: tuple[Choice, ...]
    tiles: Over
    layers: int
    """Exactly so many layers, or 0 for as many as come out."""
    face_down: Over
    distinct: Over | None
    """How many different faces a board shows; None for as many as it has groups and the set has faces."""
    copies: Over | None
    """The most tiles of a board that may show one face; None for any number."""
    hide: Hide
    faces: tuple[str, ...]
    """What its boards draw their faces from, in the order of the set."""
    tools: tuple[int, int, int] | None
    guess_free: bool
    boards: tuple[Deal, ...]
    """Its levels as they are, when they are pinned; then nothing above is asked for."""
    spot: Spot = field(compare=False)
    never_together: tuple[tuple[str, str], ...] = ()
    """Faces too alike to lie on one board, unless the recipe allows it."""
    curve: Curve | None = None
    """How hard its levels shall be where the pack's curve does not say."""
    on_curve: bool = False
    """Whether its levels are part of the pack's curve."""

    @property
    def count(self) -> int:
        """How many levels it has."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Daily:
    """The channel of the deals of the day."""

    seed: str
    tiers: tuple[str, ...]
    pin: str = ""
    """Digest of the generator, templates and faces its deals are made with; empty when nothing is pinned."""


@dataclass(frozen=True)
class Recipe:
    """A valid recipe; made by `parse_recipe` only."""

    pack: str
    title: str
    version: int
    previous: str | None
    ruleset: Ruleset
    face_set: str
    seed: str
    canvas: Canvas
    margin: int
    sections: tuple[Section, ...]
    daily: Daily | None
    apart: Apart | None
    rejected: Mapping[int, Rejected]
    """By level."""
    allowance: Allowance
    """What it says of tools beyond what each level begins with."""
    curve: Curve | None
    """How hard the levels shall be, over the whole pack."""
    document: Document = field(compare=False, repr=False)
    par: str = "minimum"
    """`minimum` when each level's least tray is looked for and proved, `solved` when the solution's own will do."""
    rating: Literal["full", "cheap"] = "full"
    """By how many games a level without an aim is rated."""
    kept: Mapping[int, Kept] = field(default_factory=dict)
    """Levels that stay as a pack had them."""


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """Everything that is decided of a level before it is composed and dealt."""

    level: int
    tier: str
    """The name players know its kind by, or empty."""
    parts: tuple[Part, ...]
    tiles: int
    layers: int
    """Exactly so many layers, or 0 for as many as come out."""
    faces: tuple[str, ...]
    """The faces the board shows, each at least once, in the order of the set."""
    face_down: int
    seed: str
    ruleset: Ruleset
    canvas: Canvas
    margin: int
    tools: tuple[int, int, int] | None
    """Undo, hint and shuffle to begin with; None for no limit."""
    guess_free: bool = False
    """Whether only a deal will do that no order of revealing its face-down tiles can lose."""
    hide: Hide = Hide()
    rejected: frozenset[int] = frozenset()
    """Attempts at dealing it that are passed over."""
    board: Deal | None = None
    """The level as it is, when it is pinned."""
    par: str = "minimum"
    """As in `Recipe`."""
    rating: Literal["full", "cheap"] = "full"
    """As in `Recipe`."""
    aim: Aim | None = None
    """How hard it shall be; None for as hard as it comes."""
    drawn: tuple[str, ...] = ()
    """Where it may show more faces or fewer: all that it may show, of which the first ones are `faces`."""
    least_faces: int = 1
    """It may not show fewer."""
    kept: Kept | None = None
    """The level as a pack had it, when it stays so; nothing above is then used."""


def draw_seed(seed: str, level: int, draw: int) -> str:
    """The seed of draw number `draw` of a level; as a rule the first, 0, is taken."""
    return f"{seed}/{level}~{draw}" if draw else f"{seed}/{level}"


def letters_of(deal: Deal, faces: Collection[str]) -> tuple[str, ...]:
    """Letters of a drawn board for which the level draws a face."""
    return tuple(sorted(face for face in {*deal.faces} - {*faces} if len(face) == 1 and "A" <= face <= "Z"))
