"""How hard the levels of a pack shall be, one after the other: difficulty numbers from 0 to 1000.

curve = Curve(Sawtooth(Over(150, 150), Over(850, 850), period=10, rest=2))
curve.at(7, index=6, count=200)     # an `Aim`: the number, and what else the level must keep
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

PANEL = ("novice", "casual", "careful")
"""Players of the rating whose win rates a curve may name; what they see and how often they err is fixed."""
TOLERANCE = 30
"""How far from its number a level may be, unless the recipe says otherwise."""


@dataclass(frozen=True, slots=True)
class Over:
    """A number that goes from `first` at a section's first level to `last` at its last one."""

    first: int
    last: int

    def at(self, index: int, count: int, group: int = 1) -> int:
        """The number at level `index` of `count`, rounded to the nearest multiple of `group`, halves upwards."""
        if self.first == self.last and group == 1:
            return self.first
        span = max(1, count - 1)
        twice = 2 * (self.first * span + (self.last - self.first) * index)
        return (twice + group * span) // (2 * group * span) * group


@dataclass(frozen=True, slots=True)
class Sawtooth:
    """Teeth that climb from `low` to `high` and end in a rest."""

    low: Over
    high: Over
    """Both over the levels of the curve, so that later teeth may stand higher."""
    period: int
    """Levels of a tooth, its rest included."""
    rest: int = 0
    """The last so many levels of each tooth are at `low` again."""

    def at(self, index: int, count: int) -> int:
        """The number of level `index` of `count`, both counted from the curve's first level."""
        step, climb = index % self.period, self.period - self.rest
        low, high = self.low.at(index, count), self.high.at(index, count)
        if step >= climb:
            return low
        return low + _part(high - low, step, climb - 1)


@dataclass(frozen=True, slots=True)
class Points:
    """Straight lines between points, level before number; level before the first and after the last ones."""

    points: tuple[tuple[int, int], ...]

    def at(self, level: int) -> int:
        """The number of that level of the pack."""
        if level <= self.points[0][0]:
            return self.points[0][1]
        for (left, low), (right, high) in pairwise(self.points):
            if level <= right:
                return low + _part(high - low, level - left, right - left)
        return self.points[-1][1]


def _part(whole: int, step: int, steps: int) -> int:
    """`step` of `steps` equal parts of a whole, rounded, halves upwards."""
    return (2 * whole * step + steps) // (2 * steps) if steps else 0


@dataclass(frozen=True, slots=True)
class Wins:
    """How many of its games a player may win."""

    bot: str
    """One of the rating's panel, or a bot of its own."""
    first: int
    last: int
    """Percent, both ends included."""
    sees: bool = False
    """Whether a bot of its own knows every face; else what a player sees."""
    mistakes: int = 0
    """Of 1000 decisions of a bot of its own."""

    @property
    def name(self) -> str:
        """The player in one word, as figures spell it: `novice`, `macro`, `one_ply_seeing_300`."""
        words = (self.bot.replace("-", "_"), "seeing" if self.sees else "", str(self.mistakes or ""))
        return "_".join(word for word in words if word)

    def __str__(self) -> str:
        """The player in plain words."""
        more = [
            *(["seeing everything"] if self.sees else []),
            *([f"{self.mistakes} mistakes"] if self.mistakes else []),
        ]
        return f"{self.bot} ({', '.join(more)})" if more else self.bot


@dataclass(frozen=True, slots=True)
class Slack:
    """How far from what the recipe says a level may be to meet its number."""

    distinct: int = 0
    """So many different faces more or fewer."""
    face_down: int = 0
    """So many tiles more or fewer face down."""


@dataclass(frozen=True, slots=True)
class Aim:
    """What one level shall reach."""

    target: int
    """Its difficulty number."""
    tolerance: int = TOLERANCE
    slack: Slack = Slack()
    par: int | None = None
    """Triples: so many tray slots must be enough to win."""
    guess_free: bool = False
    """Pairs: some strategy must win wherever the hidden faces lie."""
    wins: tuple[Wins, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """What every level of a pack, or of a section, shall reach."""

    shape: Over | Sawtooth | Points
    """Flat and linear curves go over their levels like any other number of a recipe."""
    tolerance: int = TOLERANCE
    slack: Slack = Slack()
    par: int | None = None
    guess_free: bool = False
    wins: tuple[Wins, ...] = ()

    def at(self, level: int, index: int, count: int) -> Aim:
        """The aim of a level: its number in the pack, and its place among the `count` levels of the curve."""
        target = self.shape.at(level) if isinstance(self.shape, Points) else self.shape.at(index, count)
        return Aim(target, self.tolerance, self.slack, self.par, self.guess_free, self.wins)
