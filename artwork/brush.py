"""Drawing primitives: paths in units of a hundredth of a face, and the canvas that turns them into pixels.

A face is 100 units high; x grows right, y grows down, angles are degrees clockwise from the right. A path is
a closed polygon fine enough to pass for a curve. The canvas draws four times as large as the picture and
shrinks at the end: Pillow's own drawing has no smooth edges.

Every shape gets the same treatment, which is what makes the pictures one family: an ink outline *around* it
(so that a union of paths has one common outline), a soft gradient from light above to dark below, a rim of
light towards the upper left and a rim of shade towards the lower right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin
from typing import cast

import numpy as np
from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFilter

Point = tuple[float, float]
Path = list[Point]
Shape = Sequence[Point] | Sequence[Sequence[Point]]
"""One path, or several that count as one."""
Knot = tuple[float, ...]
"""`(x, y)` where a spline runs smoothly through, `(x, y, 0)` where it turns a corner."""
Colour = tuple[int, int, int]

FACE = 192
"""Side of an ordinary face in pixels."""
OVERSAMPLING = 4
STEPS = 14
"""Straight pieces per spline segment; at four times 192 pixels none is long enough to be seen."""

INK = "#33202c"
WHITE = "#fffaf0"


def circle(x: float, y: float, r: float) -> Path:
    """A circle."""
    return ellipse(x, y, r, r)


def ellipse(x: float, y: float, rx: float, ry: float, turn: float = 0) -> Path:
    """An ellipse, turned about its centre."""
    path = [(x + rx * cos(pi * i / 36), y + ry * sin(pi * i / 36)) for i in range(72)]
    return rotated(path, turn, x, y) if turn else path


def box(left: float, top: float, right: float, bottom: float, r: float = 0) -> Path:
    """A rectangle with corners rounded by `r`."""
    if not r:
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    path: Path = []
    for x, y, start in (
        (right - r, top + r, -90),
        (right - r, bottom - r, 0),
        (left + r, bottom - r, 90),
        (left + r, top + r, 180),
    ):
        path += arc(x, y, r, start, start + 90)
    return path


def arc(x: float, y: float, r: float, start: float, end: float) -> Path:
    """An open arc; close it by what follows it in a path."""
    steps = max(2, round(abs(end - start) / 5))
    angles = (pi / 180 * (start + (end - start) * i / steps) for i in range(steps + 1))
    return [(x + r * cos(a), y + r * sin(a)) for a in angles]


def star(points: int, x: float, y: float, outer: float, inner: float, turn: float = -90) -> Path:
    """A star; the first point looks up unless turned."""
    path = []
    for i in range(2 * points):
        a = pi / 180 * (turn + 180 * i / points)
        r = inner if i % 2 else outer
        path.append((x + r * cos(a), y + r * sin(a)))
    return path


def spline(*knots: Knot, closed: bool = True) -> Path:
    """A curve through all `knots`: Catmull-Rom, with a tangent of its own on either side of a corner."""
    n = len(knots)
    path: Path = []
    for i in range(n if closed else n - 1):
        before, a, b, after = (knots[k % n if closed else min(max(k, 0), n - 1)] for k in (i - 1, i, i + 1, i + 2))
        start = a if len(a) == 3 else before
        end = b if len(b) == 3 else after
        ta = ((b[0] - start[0]) / 2, (b[1] - start[1]) / 2)
        tb = ((end[0] - a[0]) / 2, (end[1] - a[1]) / 2)
        for s in range(STEPS):
            t = s / STEPS
            h0, h1 = 2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t
            h2, h3 = -2 * t**3 + 3 * t**2, t**3 - t**2
            path.append(
                (
                    h0 * a[0] + h1 * ta[0] + h2 * b[0] + h3 * tb[0],
                    h0 * a[1] + h1 * ta[1] + h2 * b[1] + h3 * tb[1],
                )
            )
    if not closed:
        path.append((knots[-1][0], knots[-1][1]))
    return path


def mirrored(*knots: Knot, axis: float = 50) -> Path:
    """A symmetric curve from its right half, given from top to bottom; knots on the axis are not repeated."""
    left = [(2 * axis - k[0], *k[1:]) for k in reversed(knots) if abs(k[0] - axis) > 0.01]
    return spline(*knots, *left)


def ribbon(line: Sequence[Point], *widths: float) -> Path:
    """A band along `line` with round ends, its width running evenly through `widths`."""
    if len(widths) == 1:
        widths *= 2
    lengths = [0.0]
    for (x0, y0), (x1, y1) in pairwise(line):
        lengths.append(lengths[-1] + hypot(x1 - x0, y1 - y0))
    left: Path = []
    right: Path = []
    caps: list[tuple[Point, float, float]] = []
    for i, (x, y) in enumerate(line):
        (ax, ay), (bx, by) = line[max(i - 1, 0)], line[min(i + 1, len(line) - 1)]
        length = hypot(bx - ax, by - ay) or 1
        nx, ny = (ay - by) / length, (bx - ax) / length
        place = lengths[i] / lengths[-1] * (len(widths) - 1)
        k = min(int(place), len(widths) - 2)
        half = (widths[k] + (widths[k + 1] - widths[k]) * (place - k)) / 2
        left.append((x + nx * half, y + ny * half))
        right.append((x - nx * half, y - ny * half))
        if i in (0, len(line) - 1):
            caps.append(((x, y), half, _angle(nx, ny)))
    (start, r0, a0), (end, r1, a1) = caps
    return left + arc(*end, r1, a1, a1 - 180) + right[::-1] + arc(*start, r0, a0 - 180, a0 - 360)


def _angle(x: float, y: float) -> float:
    return atan2(y, x) * 180 / pi


def curve(*knots: Knot) -> Path:
    """An open curve through `knots`, for ribbons and strokes."""
    return spline(*knots, closed=False)


def rotated(path: Iterable[Point], turn: float, x: float = 50, y: float = 50) -> Path:
    """The path turned about `(x, y)`."""
    c, s = cos(pi / 180 * turn), sin(pi / 180 * turn)
    return [(x + (px - x) * c - (py - y) * s, y + (px - x) * s + (py - y) * c) for px, py in path]


def scaled(path: Iterable[Point], factor: float, x: float = 50, y: float = 50) -> Path:
    """The path enlarged about `(x, y)`; outlines keep their width."""
    return [(x + (px - x) * factor, y + (py - y) * factor) for px, py in path]


def moved(path: Iterable[Point], dx: float, dy: float) -> Path:
    """The path shifted."""
    return [(x + dx, y + dy) for x, y in path]


def flipped(path: Iterable[Point], axis: float = 50) -> Path:
    """The path mirrored left to right."""
    return [(2 * axis - x, y) for x, y in path]


def ring_of(path: Path, times: int, x: float = 50, y: float = 50) -> list[Path]:
    """Copies of the path turned evenly about `(x, y)`."""
    return [rotated(path, 360 * i / times, x, y) for i in range(times)]


def tinted(colour: str, towards: str, share: float) -> str:
    """`colour` mixed with a share of another."""
    a, b = ImageColor.getrgb(colour), ImageColor.getrgb(towards)
    return "#" + "".join(f"{round(p + (q - p) * share):02x}" for p, q in zip(a[:3], b[:3], strict=True))


def shaded(colour: str, share: float) -> str:
    """`colour` darkened, its strongest channel least: shade that stays vivid instead of going grey."""
    rgb = ImageColor.getrgb(colour)[:3]
    most = max(rgb) or 1
    return "#" + "".join(f"{round(value * (1 - share * (1.7 - value / most))):02x}" for value in rgb)


class Canvas:
    """A transparent picture being drawn, `width` × `height` units of which a face has 100 × 100."""

    def __init__(self, width: float = 100, height: float = 100) -> None:
        self._unit = FACE * OVERSAMPLING / 100
        self.pixels = (round(width * FACE / 100), round(height * FACE / 100))
        self._size = (self.pixels[0] * OVERSAMPLING, self.pixels[1] * OVERSAMPLING)
        self._image = Image.new("RGBA", self._size, (0, 0, 0, 0))

    def shape(
        self,
        paths: Shape,
        colour: str,
        *,
        line: float = 3.0,
        cut: Shape = (),
        inside: Shape = (),
        relief: float = 1.0,
    ) -> None:
        """Draw the union of `paths`, without the holes `cut` into it, and only where it lies `inside` others.

        `line` is the width of the outline, 0 for none; `relief` scales gradient and rims, 0 is flat.
        """
        outers, holes, within = _many(paths), _many(cut), _many(inside)
        mask = self._mask(outers)
        hole = self._mask(holes) if holes else None
        if hole:
            mask = ImageChops.subtract(mask, hole)
        clip = self._mask(within) if within else None
        if line:
            edge = self._band([[*path, path[0]] for path in outers], 2 * line)
            if hole:
                rim = self._band([[*path, path[0]] for path in holes], 2 * line)
                edge = ImageChops.lighter(ImageChops.subtract(edge, hole), rim)
            self._put(edge, clip, INK)
        if clip:
            mask = ImageChops.multiply(mask, clip)
        self._paint(mask, colour, relief)

    def stroke(self, points: Sequence[Point], width: float, colour: str = INK, inside: Path | None = None) -> None:
        """Draw an open line with round ends, flat: veins, seams, whiskers, smiles."""
        self._put(self._band([points], width), self._mask([inside]) if inside else None, colour)

    def dot(self, x: float, y: float, r: float, colour: str = INK) -> None:
        """A flat disc without outline: eyes, seeds, spots."""
        self.shape(circle(x, y, r), colour, line=0, relief=0)

    def shine(self, path: Path, strength: float = 0.55, colour: str = "#ffffff") -> None:
        """A glint of light: soft-edged, without outline. Lies on what is already drawn."""
        mask = self._mask([path]).filter(ImageFilter.GaussianBlur(self._unit * 0.4))
        self._blend(mask, colour, strength)

    def finish(self) -> Image.Image:
        """The finished picture, shrunk to its size.

        Hamming rather than Lanczos: as crisp at a quarter, but no ringing beside the ink, which would also
        cost a third more bytes per PNG.

        Raises:
            ValueError: when the picture runs off the canvas, which would cut its outline.
        """
        left, top, right, bottom = self._image.getchannel("A").getbbox() or (1, 1, 1, 1)
        if min(left, top) < 1 or right >= self._size[0] or bottom >= self._size[1]:
            raise ValueError(
                f"the picture touches the edge of its canvas: {(left, top, right, bottom)} of {self._size}"
            )
        return self._image.resize(self.pixels, Image.Resampling.HAMMING)

    def _pixels(self, path: Sequence[Point]) -> Path:
        return [(x * self._unit, y * self._unit) for x, y in path]

    def _mask(self, paths: Iterable[Sequence[Point]]) -> Image.Image:
        mask = Image.new("L", self._size, 0)
        pen = ImageDraw.Draw(mask)
        for path in paths:
            pen.polygon(self._pixels(path), 255)
        return mask

    def _band(self, lines: Iterable[Sequence[Point]], width: float) -> Image.Image:
        """The mask of everything within half a width of the lines: round joins, round ends.

        Computed from distances, because Pillow's own wide lines leave gaps or bumps along tight curves.
        """
        mask = np.zeros((self._size[1], self._size[0]), dtype=bool)
        half = width * self._unit / 2
        for line in lines:
            pixels = self._pixels(line)
            for (x0, y0), (x1, y1) in pairwise(pixels):
                left, top = max(0, int(min(x0, x1) - half)), max(0, int(min(y0, y1) - half))
                part = mask[top : int(max(y0, y1) + half) + 2, left : int(max(x0, x1) + half) + 2]
                if not part.size:
                    continue
                x = left + 0.5 + np.arange(part.shape[1])[None, :] - x0
                y = top + 0.5 + np.arange(part.shape[0])[:, None] - y0
                dx, dy = x1 - x0, y1 - y0
                along = np.clip((x * dx + y * dy) / (dx * dx + dy * dy or 1), 0, 1)
                part |= (x - along * dx) ** 2 + (y - along * dy) ** 2 <= half * half
        return Image.fromarray(mask.astype(np.uint8) * 255)

    def _put(self, mask: Image.Image, clip: Image.Image | None, colour: str) -> None:
        self._image.paste(ImageColor.getrgb(colour), (0, 0), ImageChops.multiply(mask, clip) if clip else mask)

    def _blend(self, mask: Image.Image, colour: str, strength: float) -> None:
        """Tint what is opaque already; never widens the silhouette."""
        mask = ImageChops.multiply(mask, self._image.getchannel("A"))
        self._image.paste(ImageColor.getrgb(colour), (0, 0), mask.point(_scaled_by(strength)))

    def _paint(self, mask: Image.Image, colour: str, relief: float) -> None:
        bounds = mask.getbbox()
        if bounds is None:
            return
        left, top, right, bottom = bounds
        light = Image.new("RGBA", (right - left, bottom - top), tinted(colour, "#ffffff", 0.13 * relief))
        dark = Image.new("RGBA", light.size, shaded(colour, 0.20 * relief))
        ramp = Image.linear_gradient("L").resize(light.size)
        mask = mask.crop(bounds)
        fill = Image.composite(dark, light, ramp)
        if relief:
            reach = round(2.2 * self._unit)
            for dx, tint, strength in ((reach, "#ffffff", 0.42), (-reach, "#401028", 0.30)):
                shifted = Image.new("L", mask.size, 0)
                shifted.paste(mask, (dx, dx))
                rim = ImageChops.subtract(mask, shifted)
                rim = rim.filter(ImageFilter.GaussianBlur(self._unit * 0.5))
                fill.paste(ImageColor.getrgb(tint), (0, 0), rim.point(_scaled_by(strength * relief)))
        self._image.paste(fill, (left, top), mask)


def _many(shape: Shape) -> list[Sequence[Point]]:
    """The paths of a shape; a single path is known by the number its first point begins with."""
    if shape and isinstance(shape[0][0], int | float):
        return [cast(Sequence[Point], shape)]
    return list(cast(Sequence[Sequence[Point]], shape))


def _scaled_by(strength: float) -> list[int]:
    """The lookup table that scales a mask."""
    return [round(value * strength) for value in range(256)]


Picture = Callable[[Canvas], None]
"""Draws itself on a canvas of a face's size."""
