"""Where tiles lie: slots in half-tile units, whole layouts, their defects, and their form as text.

A slot `(x, y, z)` covers the square `[x, x+2) × [y, y+2)` of layer `z`; x grows right, y grows down, z grows up
(`docs/rules.md`). A layout keeps its slots in the canonical order `(z, y, x)`; a tile's id is its index there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from levelgen.errors import Finding, Malformed

_HEADING = re.compile(r"--(\s.*|[0-9]*\s*)")

MAX_TILES = 4096
MAX_COORDINATE = 1023
"""Bounds on anything read from outside; far beyond what a phone can show."""
MAX_FAULTS = 1000
"""How many defects of one drawing are told; whoever mends so many looks again anyway."""


class Slot(NamedTuple):
    """A place for one tile: the half-tile coordinates of its upper left corner and its layer."""

    x: int
    y: int
    z: int

    def covers(self, other: Slot) -> bool:
        """Whether a tile here lies on a higher layer and shares area with `other`, even a quarter tile."""
        return self.z > other.z and abs(self.x - other.x) < 2 and abs(self.y - other.y) < 2

    def overlaps(self, other: Slot) -> bool:
        """Whether both lie on one layer and share area."""
        return self.z == other.z and abs(self.x - other.x) < 2 and abs(self.y - other.y) < 2


def canonical(slot: Slot) -> tuple[int, int, int]:
    """The sort key of the canonical order."""
    return (slot.z, slot.y, slot.x)


@dataclass(frozen=True, slots=True)
class Canvas:
    """The area a layout must stay in, in half-tiles, and how many layers it may stack."""

    width: int
    height: int
    layers: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Slots in canonical order. Build one with `Layout.of`."""

    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, slots: Iterable[tuple[int, int, int]]) -> Layout:
        """The layout of these slots, sorted; a slot given twice stays twice, for `violations` to report."""
        ordered = sorted([(z, y, x) for x, y, z in slots])
        return cls(tuple([Slot(x, y, z) for z, y, x in ordered]))

    def __len__(self) -> int:
        return len(self.slots)

    def __iter__(self) -> Iterator[Slot]:
        return iter(self.slots)

    @property
    def layers(self) -> int:
        """One more than the highest layer; 0 for an empty layout."""
        return 1 + max((slot.z for slot in self.slots), default=-1)

    def bounds(self) -> tuple[int, int, int, int]:
        """`(left, top, right, bottom)` in half-tiles, right and bottom excluded; all 0 for an empty layout."""
        if not self.slots:
            return (0, 0, 0, 0)
        xs = [slot.x for slot in self.slots]
        ys = [slot.y for slot in self.slots]
        return (min(xs), min(ys), max(xs) + 2, max(ys) + 2)


def cell_index(slots: Iterable[Slot]) -> dict[tuple[int, int, int], list[int]]:
    """Which tiles cover each half-tile cell `(x, y, z)`; the way to find what lies near a slot in constant time."""
    cells: dict[tuple[int, int, int], list[int]] = {}
    for tile, (x, y, z) in enumerate(slots):
        for cell in ((x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z)):
            cells.setdefault(cell, []).append(tile)
    return cells


def violations(layout: Layout, *, canvas: Canvas | None = None, group: int = 1) -> tuple[Finding, ...]:
    """Every defect of `layout`, in canonical order of the tiles concerned; none means it is fit to be dealt.

    Reported: two tiles of a layer that overlap, a tile off the canvas (or at a negative coordinate), a tile above
    layer 0 with nothing under any part of it on the layer below, and a tile count that `group` does not divide.
    """
    return tuple(_violations(layout, canvas, group))


def _violations(layout: Layout, canvas: Canvas | None, group: int) -> Iterator[Finding]:
    cells = cell_index(layout.slots)
    seen: set[tuple[int, int]] = set()
    for tile, slot in enumerate(layout.slots):
        x, y, z = slot
        where = f"tile {tile} at ({x}, {y}, {z})"
        for cell in ((x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z)):
            for other in cells[cell]:
                if other > tile and (tile, other) not in seen:
                    seen.add((tile, other))
                    spot = layout.slots[other]
                    yield Finding(
                        "layout/overlap",
                        f"overlaps tile {other} at ({spot.x}, {spot.y}, {spot.z})",
                        where,
                        "move one of the two by two half-tiles, or subtract one piece from the other",
                    )
        off = min(x, y, z) < 0 or max(x, y, z) > MAX_COORDINATE
        if canvas is not None:
            off = off or x + 2 > canvas.width or y + 2 > canvas.height or z >= canvas.layers
        if off:
            size = f"{canvas.width}×{canvas.height}×{canvas.layers}" if canvas else "positive"
            yield Finding(
                "layout/off-canvas",
                f"leaves the {size} canvas",
                where,
                "move the piece inwards, shrink it, or enlarge the canvas",
            )
        if z > 0 and not any((cx, cy, z - 1) in cells for cx, cy in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1))):
            yield Finding(
                "layout/unsupported",
                f"floats: no tile of layer {z - 1} lies under any part of it",
                where,
                "put a tile under it or lower the piece",
            )
    if len(layout) % group or not layout.slots:
        yield Finding(
            "layout/odd-count",
            f"has {len(layout)} tiles, which is not a positive multiple of {group}",
            fix=f"add or remove tiles until {group} divides the count",
        )


def likeness(one: Layout, other: Layout) -> int:
    """How alike two layouts are, in percent rounded down: of the places that either has, how many both have.

    The best is taken of the four mirror images of one of them, each laid on the other at its corners and its middle.
    """
    if not one.slots or not other.slots:
        return 0
    here, (width, height) = _normal(one)
    there, (wide, high) = _normal(other)
    best = 0
    for flip_x in (False, True):
        for flip_y in (False, True):
            image = [(wide - x if flip_x else x, high - y if flip_y else y, z) for x, y, z in there]
            for dx in {0, (width - wide) // 2, width - wide}:
                for dy in {0, (height - high) // 2, height - high}:
                    best = max(best, sum((x + dx, y + dy, z) in here for x, y, z in image))
    return 100 * best // (len(here) + len(there) - best)


def _normal(layout: Layout) -> tuple[frozenset[tuple[int, int, int]], tuple[int, int]]:
    """Its places counted from its own corner, and the furthest of them."""
    left, top, right, bottom = layout.bounds()
    return frozenset((x - left, y - top, z) for x, y, z in layout.slots), (right - left - 2, bottom - top - 2)


def draw(layout: Layout, marks: Mapping[int, str] | None = None) -> str:
    """The layout as text: per layer a heading `-- z` and a grid of half-tile cells, each tile a 2×2 block.

    Every cell of a tile shows its mark, `#` without one; `.` is empty. `parse` reads it back, as long as no
    tiles overlap.

    Raises:
        ValueError: a tile lies at a negative coordinate, or a mark is not one character that `parse` takes for a tile.
    """
    for mark in (marks or {}).values():
        if len(mark) != 1 or mark in "-." or not mark.isprintable() or mark.isspace():
            raise ValueError(f"{mark!r} cannot mark a tile: it takes one visible character other than - and .")
    if any(min(slot) < 0 for slot in layout):
        raise ValueError("a tile at a negative coordinate cannot be drawn")
    _, _, right, bottom = layout.bounds()
    lines: list[str] = []
    for z in range(layout.layers):
        grid = [["."] * right for _ in range(bottom)]
        for tile, slot in enumerate(layout.slots):
            if slot.z == z:
                mark = (marks or {}).get(tile, "#")
                for dy in (0, 1):
                    grid[slot.y + dy][slot.x : slot.x + 2] = [mark, mark]
        lines.append(f"-- {z}")
        lines += ["".join(row).rstrip(".") or "." for row in grid]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Drawing:
    """A layout as it was drawn."""

    layout: Layout
    marks: Mapping[int, str]
    """The mark of each tile, by tile id."""
    spots: Mapping[int, tuple[int, int]]
    """Line and column of each tile's upper left cell, both counted from 1, by tile id."""


def parse(text: str, where: str = "drawing") -> tuple[Layout, dict[int, str]]:
    """The layout and each tile's mark by tile id of a drawing, as `read_drawing` reads it; raises what that raises."""
    drawing = read_drawing(text, where)
    return drawing.layout, dict(drawing.marks)


def read_drawing(text: str, where: str = "drawing") -> Drawing:
    """Read a drawing as `draw` writes it.

    Blank and `.` cells are empty, `-` marks no tile. In reading order the first cell of a tile is its upper left
    corner, so that touching tiles with the same mark stay apart. A drawing without `-- z` headings is one layer, z = 0.

    Raises:
        Malformed: with every cell that does not complete a 2×2 block of one mark, every heading that cannot be read
            or stands there twice; the first `MAX_FAULTS` of them.
    """
    lines = text.split("\n")
    cells: dict[Slot, tuple[str, int, int]] = {}
    findings: list[Finding] = []
    rows: list[tuple[int, str]] = []
    headed: dict[int, int] = {}
    layer = 0

    def close() -> None:
        findings.extend(islice(_read_layer(rows, layer, cells, where), MAX_FAULTS - len(findings)))
        rows.clear()

    for number, line in enumerate(lines, start=1):
        if not _HEADING.fullmatch(line):
            rows.append((number, line))
            continue
        if any(row.strip(". ") for _, row in rows):
            headed.setdefault(layer, rows[0][0])
        close()
        heading = line[2:].strip()
        if not (heading.isascii() and heading.isdigit() and len(heading) <= 4 and int(heading) <= MAX_COORDINATE):
            message, fix = f"cannot read the layer number {heading[:20]!r}", "write the heading as `-- 0`, `-- 1`, …"
        elif int(heading) in headed:
            message = f"layer {int(heading)} was drawn already, from line {headed[int(heading)]} on"
            fix = "draw each layer once"
        else:
            layer = int(heading)
            headed[layer] = number
            continue
        findings.append(Finding("drawing/heading", message, f"{where}:{number}:1", fix))
        if len(findings) >= MAX_FAULTS:
            break
    close()
    if findings:
        raise Malformed(findings)
    layout = Layout.of(cells)
    shown = [cells[slot] for slot in layout.slots]
    return Drawing(
        layout,
        {tile: mark for tile, (mark, _, _) in enumerate(shown)},
        {tile: (line, column) for tile, (_, line, column) in enumerate(shown)},
    )


def _read_layer(
    rows: list[tuple[int, str]], layer: int, cells: dict[Slot, tuple[str, int, int]], where: str
) -> Iterator[Finding]:
    taken: set[tuple[int, int]] = set()
    for y, (number, line) in enumerate(rows):
        for x, mark in enumerate(line):
            if mark in ". " or (x, y) in taken:
                continue
            place = f"{where}:{number}:{x + 1}"
            below = rows[y + 1][1] if y + 1 < len(rows) else ""
            if mark == "-":
                yield Finding(
                    "drawing/mark", "`-` begins a heading and marks no tile", place,
                    "write the heading as `-- 0`, `-- 1`, …, or give the tile another mark",
                )  # fmt: skip
                continue
            if not mark.isprintable() or mark.isspace():
                yield Finding("drawing/mark", f"{mark!r} marks no tile", place, "leave cells empty with `.` or a blank")
                continue
            block = line[x : x + 2] + below[x : x + 2]
            if block != mark * 4 or (x + 1, y) in taken:
                yield Finding(
                    "drawing/broken-tile",
                    f"{mark!r} does not start a 2×2 block of {mark!r}",
                    place,
                    "draw every tile as two equal characters over two equal characters",
                )
                continue
            taken |= {(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)}
            cells[Slot(x, y, layer)] = (mark, number, x + 1)
