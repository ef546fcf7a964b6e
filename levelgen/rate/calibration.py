"""The difficulty number fitted to what real players did.

    plays       = read_plays(text, "plays.csv", ratings)          # number, games played, games won of each level
    calibration = calibrate(plays, version, "pairs")              # a monotone curve, and how well it ranks
    calibration.apply(640)                                        # the number as players have it, 0 … 1000

A calibrated number is what players lost per thousand games, as a function of the number that never falls: adjacent
levels that players found in the other order are pooled (isotonic regression), numbers between are joined by straight
lines. A fifth of the levels is held out of the fit and only used to judge it. Whole numbers throughout.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Any

from levelgen.errors import Finding, Malformed, counted
from levelgen.rules import RULESETS
from levelgen.seed import Stream

SCHEMA = "levelgen/calibration/1"
MAX_ROWS = 1_000_000
MAX_POINTS = 4096
LEAST_LEVELS = 10
"""Fewer levels tell nothing about the order of the rest."""
HELD_OUT = 5
"""One level of so many is held out of the fit."""
TOP = 1000


@dataclass(frozen=True, slots=True)
class Plays:
    """What players did on one level."""

    level: str
    rating: int
    plays: int
    wins: int

    @property
    def lost(self) -> int:
        """Games lost of a thousand."""
        return TOP * (self.plays - self.wins) // self.plays


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone curve from difficulty numbers to games lost of a thousand."""

    points: tuple[tuple[int, int], ...]
    """Number and games lost, both ascending; what lies outside has the value of the nearest end."""
    version: int
    """Of the difficulty number that was fitted: another one's numbers mean something else."""
    levels: int
    """How many levels were fitted."""
    held_out: int
    """How many others it was judged by."""
    rank_correlation: int
    """Of number and games lost on the levels held out, in thousandths (Spearman's, ties sharing their ranks)."""
    error: int
    """How far the fitted share of games lost is off on those levels, in thousandths, at the median."""
    game: str = ""
    """`pairs` or `triples`: the other's numbers mean something else. Empty where nobody said which was played."""

    def apply(self, rating: int) -> int:
        """Games that players lose of a thousand at that difficulty number."""
        if rating <= self.points[0][0]:
            return self.points[0][1]
        for (left, low), (right, high) in pairwise(self.points):
            if rating <= right:
                return low + ((high - low) * (rating - left) * 2 + right - left) // (2 * (right - left))
        return self.points[-1][1]

    def to_json(self) -> dict[str, Any]:
        """The calibration as its file spells it."""
        return {
            "schema": SCHEMA,
            "version": self.version,
            **({"game": self.game} if self.game else {}),
            "levels": self.levels,
            "held_out": self.held_out,
            "rank_correlation": self.rank_correlation,
            "error": self.error,
            "points": [list(point) for point in self.points],
        }


def parse_calibration(text: str, where: str) -> Calibration:
    """The calibration in a file that `calibrate` wrote.

    Raises:
        Malformed: it is none.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed.of("calibration/json", "is not JSON", where, "make it: levelgen calibrate") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise Malformed.of("calibration/schema", f"is no {SCHEMA}", where, "make it: levelgen calibrate")
    names = ("version", "levels", "held_out", "rank_correlation", "error")
    wrong = [name for name in names if type(data.get(name)) is not int]
    wrong += ["game"] if data.get("game", "") not in ("", *RULESETS) else []
    points: Any = data.get("points")
    sound = isinstance(points, list) and (
        1 <= len(points) <= MAX_POINTS
        and all(
            isinstance(one, list) and len(one) == 2 and all(type(n) is int and 0 <= n <= TOP for n in one)
            for one in points
        )
        and all(one[0] < other[0] and one[1] <= other[1] for one, other in pairwise(points))
    )
    if wrong or not sound:
        what = ", ".join([*wrong, *([] if sound else ["points"])])
        raise Malformed.of("calibration/fields", f"{what}: missing, or not what it must be", where,
                           "make it again: levelgen calibrate")  # fmt: skip
    numbers = {name: data[name] for name in names}
    return Calibration(tuple((one[0], one[1]) for one in points), **numbers, game=data.get("game", ""))


def read_plays(text: str, where: str, ratings: Mapping[str, int] | None = None, pack: str = "") -> tuple[Plays, ...]:
    """The rows of a CSV with the columns `level`, `plays`, `wins` and, unless `ratings` names them by level, `rating`.

    Further columns are not read. A level without plays is left out. Level 7 of `pack` may be called PACK#7.

    Raises:
        Malformed: with every row that cannot be used, 20 at most.
    """
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    try:
        first = next(rows, None) or []
        header = [name.strip() for name in first]
        wanted = ["level", "plays", "wins", *(() if ratings is not None else ("rating",))]
        lacking = [name for name in wanted if name not in header]
        if lacking:
            fix = "name the columns level,plays,wins,rating"
            if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
                fix = "save it with commas between the columns"
            elif lacking == ["rating"]:
                fix = "add it, or name the pack: --pack PACK"
            raise Malformed.of("plays/columns", f"has no column {', '.join(lacking)}", f"{where}:1", fix)
        twice = [name for name in wanted if header.count(name) > 1]
        if twice:
            raise Malformed.of("plays/columns", f"names the column {', '.join(twice)} twice", f"{where}:1",
                               "leave one of them")  # fmt: skip
        found: list[Plays] = []
        faults: list[Finding] = []
        seen: set[str] = set()
        for row in rows:
            if rows.line_num > MAX_ROWS:
                raise Malformed.of("plays/too-long", f"has more than {MAX_ROWS} rows", where)
            if not row:
                continue
            try:
                one = _plays(dict(zip(header, row, strict=False)), ratings, pack)
                if one.level in seen:
                    raise ValueError(f"level {one.level[:20]!r} stands here again")
                seen.add(one.level)
                if one.plays:
                    found.append(one)
            except ValueError as error:
                faults.append(Finding("plays/row", str(error), f"{where}:{rows.line_num}"))
                if len(faults) == 20:
                    break
    except csv.Error as error:
        raise Malformed.of("plays/csv", str(error), f"{where}:{rows.line_num}") from None
    if faults:
        raise Malformed(faults)
    return tuple(found)


def _plays(row: Mapping[str, str], ratings: Mapping[str, int] | None, pack: str) -> Plays:
    level = row.get("level", "").strip()
    if pack:
        level = level.removeprefix(f"{pack}#")
    if not level:
        raise ValueError("level is empty")
    numbers = {}
    for name in ("plays", "wins", *(() if ratings is not None else ("rating",))):
        text = row.get(name, "").strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 12):
            raise ValueError(f"{name} is {text[:20]!r}, not a whole number")
        numbers[name] = int(text)
    if numbers["wins"] > numbers["plays"]:
        raise ValueError(f"{numbers['wins']} wins of {numbers['plays']} plays")
    if ratings is not None:
        if level not in ratings:
            raise ValueError(f"the pack has no level {level[:20]!r}")
        numbers["rating"] = ratings[level]
    if numbers["rating"] > TOP:
        raise ValueError(f"rating is {numbers['rating']}, more than {TOP}")
    return Plays(level, numbers["rating"], numbers["plays"], numbers["wins"])


def calibrate(plays: Sequence[Plays], version: int, game: str = "") -> Calibration:
    """The curve that fits `plays` best among those that never fall.

    Which levels are held out is drawn by their names alone, so that the order of the rows does not matter.

    Raises:
        Malformed: there are too few levels.
    """
    if len(plays) < LEAST_LEVELS:
        raise Malformed.of("plays/too-few", f"{counted(len(plays), 'level')} with plays; {LEAST_LEVELS} are the least",
                           fix="collect more, or join the rows of several packs")  # fmt: skip
    drawn = sorted(plays, key=lambda one: (one.level, one.rating))
    Stream("calibrate", "held-out").shuffle(drawn)
    held, fitted = drawn[: len(drawn) // HELD_OUT], drawn[len(drawn) // HELD_OUT :]
    points = _isotonic(sorted((one.rating, one.plays - one.wins, one.plays) for one in fitted))
    made = Calibration(points, version, len(fitted), len(held), 0, 0)
    misses = sorted(abs(made.apply(one.rating) - one.lost) for one in held)
    correlation = rank_correlation([one.rating for one in held], [one.lost for one in held])
    return Calibration(points, version, len(fitted), len(held), correlation, misses[len(misses) // 2], game)


def _isotonic(rows: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int], ...]:
    """Number, games lost, games played, ascending → points that never fall: neighbours out of order are pooled."""
    blocks: list[tuple[int, int, int, int]] = []  # first number, last number, lost, played
    for rating, lost, played in rows:
        blocks.append((rating, rating, lost, played))
        while len(blocks) > 1 and (
            blocks[-2][2] * blocks[-1][3] >= blocks[-1][2] * blocks[-2][3] or blocks[-2][1] == blocks[-1][0]
        ):
            _, last, more_lost, more_played = blocks.pop()
            first, _, lost_, played_ = blocks.pop()
            blocks.append((first, last, lost_ + more_lost, played_ + more_played))
    points: dict[int, int] = {}
    for first, last, lost, played in blocks:
        points[first] = points[last] = (2 * TOP * lost + played) // (2 * played)
    return tuple(sorted(points.items()))


def rank_correlation(one: Sequence[int], other: Sequence[int]) -> int:
    """Spearman's rank correlation of two lists of the same length, in thousandths, -1000 … 1000; 0 when one is flat.

    Values that are equal share the mean of their ranks.
    """
    left, right = _ranks(one), _ranks(other)
    mean = len(left) + 1  # ranks are doubled, and so is their mean
    both = sum((a - mean) * (b - mean) for a, b in zip(left, right, strict=True))
    spread = sum((a - mean) ** 2 for a in left) * sum((b - mean) ** 2 for b in right)
    if not spread:
        return 0
    size = isqrt(TOP * TOP * both * both // spread)
    return size if both >= 0 else -size


def _ranks(values: Sequence[int]) -> list[int]:
    """Twice the rank of each value, counted from 1."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    ranks = [0] * len(values)
    start = 0
    while start < len(order):
        stop = start
        while stop < len(order) and values[order[stop]] == values[order[start]]:
            stop += 1
        for place in order[start:stop]:
            ranks[place] = start + stop + 1
        start = stop
    return ranks
