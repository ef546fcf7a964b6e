"""The curve of a pack drawn: what was asked of each level, and what it reached.

    points = [Point(1, target=150, tolerance=30, reached=141), …]
    curve_svg(points, "ERAM Tiles")      # text
    curve_png(points, "ERAM Tiles")      # an RGB image of the same drawing
    sparkline([141, 160, 420])           # ▁▁▄, a sign a level

SVG and PNG are made from one list of strokes and words, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw

from levelgen.render.lettering import write

TOP = 1000
BARS = "▁▂▃▄▅▆▇█"
SIZE = (1200, 480)
_LEFT, _RIGHT, _HEAD, _FOOT = 72, 28, 84, 56
_PAPER, _INK, _FAINT = (251, 250, 246), (42, 47, 54), (217, 214, 204)
_BAND, _TARGET, _REACHED, _MISSED = (220, 232, 243), (122, 163, 200), (31, 111, 74), (194, 69, 45)
_FINE = 2
"""The PNG is drawn so many times larger than it appears."""


class Point(NamedTuple):
    """A level on the curve."""

    level: int
    reached: int | None
    """None before it is built."""
    target: int | None = None
    """None where nothing was asked for."""
    tolerance: int = 0

    @property
    def missed(self) -> bool:
        """Whether it is farther from its target than it may be."""
        return self.target is not None and self.reached is not None and abs(self.reached - self.target) > self.tolerance


def sparkline(values: Sequence[int | None]) -> str:
    """One block a value of 0 … 1000, the higher the fuller; a blank where there is none."""
    return "".join(" " if one is None else BARS[min(one * len(BARS) // TOP, len(BARS) - 1)] for one in values)


@dataclass(frozen=True, slots=True)
class _Mark:
    """One thing to draw."""

    kind: Literal["shape", "line", "dot", "word"]
    points: tuple[tuple[int, int], ...]
    colour: tuple[int, int, int]
    size: int = 0
    """Width of a line, radius of a dot, height of a word's capitals."""
    word: str = ""
    anchor: str = "start"

    @property
    def css(self) -> str:
        """The colour as SVG spells it."""
        red, green, blue = self.colour
        return f"#{red:02x}{green:02x}{blue:02x}"


def _marks(points: Sequence[Point], title: str) -> Iterator[_Mark]:
    width, height = SIZE
    bottom = height - _FOOT
    first, last = (points[0].level, points[-1].level) if points else (1, 1)

    def x(level: int) -> int:
        return _LEFT + (width - _LEFT - _RIGHT) * (level - first) // max(1, last - first)

    def y(number: int) -> int:
        return bottom - (bottom - _HEAD) * max(0, min(TOP, number)) // TOP

    for number in range(0, TOP + 1, 250):
        yield _Mark("line", ((_LEFT, y(number)), (width - _RIGHT, y(number))), _FAINT, 1)
        yield _Mark("word", ((_LEFT - 10, y(number) + 5),), _INK, 12, str(number), "end")
    for level in _ticks(first, last):
        yield _Mark("line", ((x(level), bottom), (x(level), bottom + 6)), _INK, 1)
        yield _Mark("word", ((x(level), bottom + 26),), _INK, 12, str(level), "middle")
    for run in _runs(points, lambda one: one.target):
        over = [(x(one.level), y((one.target or 0) + one.tolerance)) for one in run]
        under = [(x(one.level), y((one.target or 0) - one.tolerance)) for one in reversed(run)]
        if len(run) > 1:
            yield _Mark("shape", (*over, *under), _BAND)
        yield _Mark("line", tuple((x(one.level), y(one.target or 0)) for one in run), _TARGET, 2)
    for run in _runs(points, lambda one: one.reached):
        yield _Mark("line", tuple((x(one.level), y(one.reached or 0)) for one in run), _REACHED, 2)
    radius = 4 if len(points) <= 80 else 3 if len(points) <= 250 else 2
    for one in points:
        if one.reached is not None:
            yield _Mark("dot", ((x(one.level), y(one.reached)),), _MISSED if one.missed else _REACHED, radius)
    yield _Mark("word", ((_LEFT, 36),), _INK, 20, title)
    place = _LEFT
    aimed = [one for one in points if one.target is not None]
    missed = sum(one.missed for one in points)
    notes = [("target", _TARGET)] if aimed else []
    if any(one.reached is not None for one in points):
        notes.append(("reached", _REACHED))
    if missed:
        notes.append((f"{missed} missed", _MISSED))
    for word, colour in notes:
        yield _Mark("dot", ((place + 5, 60),), colour, 5)
        yield _Mark("word", ((place + 18, 65),), _INK, 12, word)
        place += 40 + 10 * len(word)


def _ticks(first: int, last: int) -> Iterator[int]:
    """Levels to name below the axis: a dozen at most, round ones but for the first."""
    step = next(base * 10**power for power in range(9) for base in (1, 2, 5) if (last - first) <= 12 * base * 10**power)
    yield first
    start = first // step * step + step
    yield from (level for level in range(start, last + 1, step) if 2 * (level - first) > step)


def _runs(points: Sequence[Point], value: Callable[[Point], int | None]) -> Iterator[list[Point]]:
    """Neighbouring levels that have the value."""
    run: list[Point] = []
    for one in points:
        if value(one) is None:
            if run:
                yield run
            run = []
        else:
            run.append(one)
    if run:
        yield run


def curve_svg(points: Sequence[Point], title: str) -> str:
    """The drawing as a self-contained SVG file."""
    width, height = SIZE
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fbfaf6"/>',
    ]
    for mark in _marks(points, title):
        spots = " ".join(f"{x},{y}" for x, y in mark.points)
        x, y = mark.points[0]
        match mark.kind:
            case "shape":
                lines.append(f'<polygon points="{spots}" fill="{mark.css}"/>')
            case "line":
                lines.append(f'<polyline points="{spots}" fill="none" stroke="{mark.css}" stroke-width="{mark.size}"/>')
            case "dot":
                lines.append(f'<circle cx="{x}" cy="{y}" r="{mark.size}" fill="{mark.css}"/>')
            case _:
                lines.append(
                    f'<text x="{x}" y="{y}" font-size="{mark.size + 3}" fill="{mark.css}" '
                    f'text-anchor="{mark.anchor}">{escape(mark.word)}</text>'
                )
    return "\n".join([*lines, "</svg>", ""])


def curve_png(points: Sequence[Point], title: str) -> Image.Image:
    """The same drawing as pixels, with letters of our own."""
    width, height = SIZE
    canvas = Image.new("RGB", (width * _FINE, height * _FINE), _PAPER)
    pen = ImageDraw.Draw(canvas)
    marks = list(_marks(points, title))
    for mark in marks:
        spots = [(x * _FINE, y * _FINE) for x, y in mark.points]
        x, y = spots[0]
        if mark.kind == "shape":
            pen.polygon(spots, fill=mark.colour)
        elif mark.kind == "line" and len(spots) > 1:
            pen.line(spots, fill=mark.colour, width=mark.size * _FINE, joint="curve")
        elif mark.kind == "dot":
            reach = mark.size * _FINE
            pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=mark.colour)
    canvas = canvas.resize(SIZE, Image.Resampling.LANCZOS)
    for mark in marks:
        if mark.kind == "word":
            x, y = mark.points[0]
            room = width - x - _RIGHT if mark.anchor == "start" else None  # a long title is set smaller
            write(canvas, mark.word, (x, y - mark.size // 2), mark.size, mark.colour, anchor=mark.anchor, room=room)
    return canvas
