"""Every shape a template can name, in one table: `SHAPES["ring"].slots(columns=7, rows=9)`.

A shape is a pure function from whole numbers to places in half-tiles, its upper left corner at (0, 0) and its lowest
layer at 0. The table is the documentation: names, bounds and defaults of the parameters stand in it once, and the
schema that lint and editors read is made from it (`python -m levelgen.shapes` writes it anew).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

Place = tuple[int, int, int]
"""`(x, y, z)` in half-tiles, not yet on any canvas."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a shape takes."""

    low: int
    high: int
    default: int
    unit: str
    """What it counts: `tiles`, `half-tiles`, `layers`, `turns`."""
    doc: str


Maker = Callable[..., Iterable[tuple[int, ...]]]
"""From numbers to places, `(x, y)` or `(x, y, z)`."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A row of `SHAPES`."""

    function: Maker
    parameters: Mapping[str, Parameter]
    doc: str

    def slots(self, **given: int) -> frozenset[Place]:
        """The places of this shape; parameters left out have their defaults.

        Raises:
            ValueError: a parameter is unknown or outside its bounds.
        """
        values = {name: parameter.default for name, parameter in self.parameters.items()}
        for name, value in given.items():
            parameter = self.parameters.get(name)
            if parameter is None:
                raise ValueError(f"no parameter `{name}`")
            if not parameter.low <= value <= parameter.high:
                raise ValueError(f"`{name}` is {value}; it must be {parameter.low} … {parameter.high}")
            values[name] = value
        return _places(self.function, tuple(values.items()))


@lru_cache(maxsize=4096)
def _places(
    function: Callable[..., Iterable[tuple[int, ...]]], values: tuple[tuple[str, int], ...]
) -> frozenset[Place]:
    """What a shape is with these numbers, its corner at (0, 0): the same few are asked for again and again."""
    places = [(*spot, 0) if len(spot) == 2 else spot for spot in function(**dict(values))]
    if not places:
        return frozenset()
    xs, ys, _ = zip(*places, strict=True)
    left, top = min(xs), min(ys)
    return frozenset([(x - left, y - top, z) for x, y, z in places])


def _rows(lengths: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Rows of so many tiles, one under the other, each centred: neighbours differ by half a tile where they must."""
    for row, length in enumerate(lengths):
        for column in range(length):
            yield (2 * column - length, 2 * row)


def _inside(columns: int, rows: int, cut: int) -> Iterator[tuple[int, int]]:
    """Cells of a grid whose middle lies in the ellipse that touches the grid shrunk by `cut` tiles on each side."""
    a, b = columns - 2 * cut, rows - 2 * cut
    if a <= 0 or b <= 0:
        return
    for row in range(rows):
        for column in range(columns):
            u, v = 2 * column + 1 - columns, 2 * row + 1 - rows
            if u * u * b * b + v * v * a * a <= a * a * b * b:
                yield (column, row)


def grid(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """A full rectangle."""
    return ((2 * column, 2 * row) for row in range(rows) for column in range(columns))


def dots(columns: int, rows: int, gap: int) -> Iterator[tuple[int, int]]:
    """Tiles that stand apart."""
    step = 2 + gap
    return ((step * column, step * row) for row in range(rows) for column in range(columns))


def frame(columns: int, rows: int, thickness: int) -> Iterator[tuple[int, int]]:
    """The border of a rectangle."""
    for x, y in grid(columns, rows):
        edge = min(x, y, 2 * columns - 2 - x, 2 * rows - 2 - y) // 2
        if edge < thickness:
            yield (x, y)


def arch(columns: int, rows: int, thickness: int) -> Iterator[tuple[int, int]]:
    """A gate: a border without its lower side."""
    for x, y in grid(columns, rows):
        if min(x, y, 2 * columns - 2 - x) // 2 < thickness:
            yield (x, y)


def disc(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """A filled oval."""
    return ((2 * column, 2 * row) for column, row in _inside(columns, rows, 0))


def ring(columns: int, rows: int, thickness: int) -> Iterator[tuple[int, int]]:
    """An oval band: an oval without the oval that many tiles smaller."""
    inner = set(_inside(columns, rows, thickness))
    return ((2 * column, 2 * row) for column, row in _inside(columns, rows, 0) if (column, row) not in inner)


def diamond(size: int, middle: int) -> Iterator[tuple[int, int]]:
    """Rows of 1, 2, … size, … 2, 1 tiles, each half a tile over, the longest repeated `middle` times."""
    return _rows([*range(1, size), *[size] * middle, *range(size - 1, 0, -1)])


def hexagon(side: int, middle: int) -> Iterator[tuple[int, int]]:
    """A honeycomb cell: rows grow from `side` by one, half a tile over, and shrink again."""
    widest = 2 * side - 1
    return _rows([*range(side, widest), *[widest] * middle, *range(widest - 1, side - 1, -1)])


def triangle(rows: int, top: int, step: int) -> Iterator[tuple[int, int]]:
    """Rows that grow by `step` tiles from the top down."""
    return _rows(top + step * row for row in range(rows))


def hourglass(size: int) -> Iterator[tuple[int, int]]:
    """Two triangles, tip to tip."""
    return _rows([*range(size, 0, -1), *range(2, size + 1)])


def cross(arm: int, width: int, rise: int) -> Iterator[tuple[int, int]]:
    """A plus: a middle `width` tiles square, arms to the sides of `arm`, arms up and down of `rise`."""
    for x, y in grid(width + 2 * arm, width + 2 * rise):
        if 2 * arm <= x < 2 * (arm + width) or 2 * rise <= y < 2 * (rise + width):
            yield (x, y)


def stairs(steps: int, width: int, rise: int) -> Iterator[tuple[int, int]]:
    """Bars of `width` tiles, each one tile lower and `rise` half-tiles further right than the last."""
    return ((rise * step + 2 * column, 2 * step) for step in range(steps) for column in range(width))


def chevron(arm: int, thickness: int) -> Iterator[tuple[int, int]]:
    """A V: two arms of `arm` tiles that meet below, half a tile lower with each tile."""
    for column in range(-arm, arm + 1):
        for row in range(thickness):
            yield (2 * column, arm - abs(column) + 2 * row)


def wave(columns: int, rows: int, length: int) -> Iterator[tuple[int, int]]:
    """A band that rises and falls by half a tile a column, turning every `length` columns."""
    for column in range(columns):
        phase = column % (2 * length)
        for row in range(rows):
            yield (2 * column, 2 * row + min(phase, 2 * length - phase))


def wings(span: int, rows: int, gap: int) -> Iterator[tuple[int, int]]:
    """Two wings beside a body `gap` half-tiles wide: the outer edge tall, the inner one short."""
    for column in range(span):
        height = rows - (span - 1 - column)
        if height <= 0:
            continue
        for row in range(height):
            y = 2 * row - height
            yield (gap + 2 * column, y)
            yield (-2 - 2 * column, y)


def columns_(count: int, height: int, gap: int, step: int) -> Iterator[tuple[int, int]]:
    """Pillars `gap` half-tiles apart; every second one `step` half-tiles lower."""
    for pillar in range(count):
        for row in range(height):
            yield ((2 + gap) * pillar, 2 * row + step * (pillar % 2))


def checker(columns: int, rows: int, odd: int) -> Iterator[tuple[int, int]]:
    """Every second cell of a chessboard."""
    return ((x, y) for x, y in grid(columns, rows) if (x + y) // 2 % 2 == odd)


def net(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """A grid with a hole in every second column of every second row."""
    return ((x, y) for x, y in grid(columns, rows) if x // 2 % 2 == 0 or y // 2 % 2 == 0)


def spiral(columns: int, rows: int) -> Iterator[tuple[int, int]]:
    """A path one tile wide that winds inwards, one tile of air between its turns."""
    filled = {(0, 0)}
    x, y, dx, dy = 0, 0, 1, 0
    turned = 0
    while turned < 2:
        u, v = x + dx, y + dy
        near = {(u + 1, v), (u - 1, v), (u, v + 1), (u, v - 1)} & filled
        if 0 <= u < columns and 0 <= v < rows and near == {(x, y)} and (u + dx, v + dy) not in filled:
            x, y = u, v
            filled.add((x, y))
            turned = 0
        else:
            dx, dy = -dy, dx
            turned += 1
    return ((2 * column, 2 * row) for column, row in filled)


def heart(columns: int) -> Iterator[tuple[int, int]]:
    """Two humps above a point."""
    half = columns // 2
    hump = max(1, half - 2)
    for start in (0, 2 * half):
        inset = half - hump
        yield from ((start + inset + 2 * column, 0) for column in range(hump))
    for row, length in enumerate([2 * half] * max(1, half // 2) + list(range(2 * half - 1, 0, -1)), start=1):
        yield from ((2 * half - length + 2 * column, 2 * row) for column in range(length))


def pyramid(columns: int, rows: int, layers: int, step: int) -> Iterator[tuple[int, int, int]]:
    """Full rectangles one on the other, each `step` half-tiles smaller on every side."""
    for z in range(layers):
        for x, y in grid(columns - step * z, rows - step * z):
            yield (x + step * z, y + step * z, z)


def ziggurat(size: int, middle: int, layers: int) -> Iterator[tuple[int, int, int]]:
    """Diamonds one on the other, each one tile smaller in every direction."""
    for z in range(min(layers, size)):
        for x, y in diamond(size - z, middle):
            yield (x, y + 2 * z, z)


def _tiles(low: int, high: int, default: int, doc: str) -> Parameter:
    return Parameter(low, high, default, "tiles", doc)


def _halves(low: int, high: int, default: int, doc: str) -> Parameter:
    return Parameter(low, high, default, "half-tiles", doc)


_COLUMNS = _tiles(1, 48, 6, "tiles from left to right")
_ROWS = _tiles(1, 48, 6, "tiles from top to bottom")
_THICKNESS = _tiles(1, 12, 1, "how many tiles the band is thick")
_MIDDLE = _tiles(1, 24, 1, "how often the longest row is repeated")
_LAYERS = Parameter(1, 12, 3, "layers", "how many layers")

SHAPES: dict[str, Shape] = {
    "arch": Shape(arch, {"columns": _COLUMNS, "rows": _ROWS, "thickness": _THICKNESS}, "a gate, open below"),
    "checker": Shape(
        checker,
        {"columns": _COLUMNS, "rows": _ROWS, "odd": Parameter(0, 1, 0, "cells", "1 leaves the corner cell out")},
        "every second cell of a chessboard",
    ),
    "chevron": Shape(chevron, {"arm": _tiles(1, 24, 3, "tiles of each arm"), "thickness": _THICKNESS}, "a V"),
    "columns": Shape(
        columns_,
        {
            "count": _tiles(1, 48, 4, "how many pillars"),
            "height": _tiles(1, 48, 6, "tiles of each pillar"),
            "gap": _halves(0, 24, 2, "room between two pillars"),
            "step": _halves(0, 24, 0, "how much lower every second pillar stands"),
        },
        "pillars",
    ),
    "cross": Shape(
        cross,
        {
            "arm": _tiles(0, 24, 2, "tiles of the arms to the sides"),
            "width": _tiles(1, 24, 2, "tiles of the middle, and how thick the arms are"),
            "rise": _tiles(0, 24, 2, "tiles of the arms up and down"),
        },
        "a plus",
    ),
    "diamond": Shape(
        diamond, {"size": _tiles(1, 24, 5, "tiles of the longest row"), "middle": _MIDDLE}, "a square on its corner"
    ),
    "disc": Shape(disc, {"columns": _COLUMNS, "rows": _ROWS}, "a filled oval"),
    "dots": Shape(
        dots, {"columns": _COLUMNS, "rows": _ROWS, "gap": _halves(0, 24, 2, "room between two tiles")}, "tiles apart"
    ),
    "frame": Shape(frame, {"columns": _COLUMNS, "rows": _ROWS, "thickness": _THICKNESS}, "the border of a rectangle"),
    "grid": Shape(grid, {"columns": _COLUMNS, "rows": _ROWS}, "a full rectangle"),
    "heart": Shape(heart, {"columns": _tiles(4, 24, 6, "tiles across, rounded down to even")}, "a heart"),
    "hexagon": Shape(
        hexagon, {"side": _tiles(1, 16, 3, "tiles of the shortest row"), "middle": _MIDDLE}, "a honeycomb cell"
    ),
    "hourglass": Shape(hourglass, {"size": _tiles(1, 24, 5, "tiles of the longest row")}, "two triangles, tip to tip"),
    "net": Shape(net, {"columns": _COLUMNS, "rows": _ROWS}, "a grid with holes"),
    "pyramid": Shape(
        pyramid,
        {
            "columns": _COLUMNS,
            "rows": _ROWS,
            "layers": _LAYERS,
            "step": _halves(0, 8, 1, "how much smaller each layer is on every side"),
        },
        "rectangles one on the other",
    ),
    "ring": Shape(ring, {"columns": _COLUMNS, "rows": _ROWS, "thickness": _THICKNESS}, "an oval band"),
    "spiral": Shape(spiral, {"columns": _COLUMNS, "rows": _ROWS}, "a path that winds inwards"),
    "stairs": Shape(
        stairs,
        {
            "steps": _tiles(1, 48, 4, "how many bars"),
            "width": _tiles(1, 48, 3, "tiles of each bar"),
            "rise": _halves(0, 24, 2, "how much further right each bar begins"),
        },
        "bars that step down to the right",
    ),
    "triangle": Shape(
        triangle,
        {
            "rows": _ROWS,
            "top": _tiles(1, 24, 1, "tiles of the first row"),
            "step": _tiles(0, 4, 1, "how many more each row has"),
        },
        "rows that grow downwards",
    ),
    "wave": Shape(
        wave,
        {"columns": _COLUMNS, "rows": _ROWS, "length": _tiles(1, 24, 2, "columns until it turns")},
        "a band that rises and falls",
    ),
    "wings": Shape(
        wings,
        {
            "span": _tiles(1, 24, 3, "columns of each wing"),
            "rows": _ROWS,
            "gap": _halves(0, 24, 2, "room for a body between them"),
        },
        "two wings, tall outside",
    ),
    "ziggurat": Shape(
        ziggurat,
        {"size": _tiles(1, 24, 5, "tiles of the longest row"), "middle": _MIDDLE, "layers": _LAYERS},
        "diamonds one on the other",
    ),
}


_SINES = (0, 259, 500, 707, 866, 966, 1000)
"""A thousand times the sine of 0°, 15°, …, 90°."""


def on_oval(count: int, index: int, radius_x: int, radius_y: int) -> tuple[int, int]:
    """The middle of place `index` of `count` on an oval, from the top clockwise, in whole half-tiles.

    Whole numbers only, so that every machine agrees, and mirror images stay mirror images.
    """
    turn = 2400 * index // count if count else 0  # a hundredth of 15° each
    return (_scaled(turn, radius_x), -_scaled(turn + 600, radius_y))


def _scaled(turn: int, radius: int) -> int:
    """`radius` times the sine of `turn` hundredths of 15°, rounded half away from zero."""
    turn %= 2400
    sign = 1 if turn < 1200 else -1
    turn %= 1200
    turn = min(turn, 1200 - turn)
    low, part = divmod(turn, 100)
    sine = _SINES[low] * 100 + (_SINES[low + 1] - _SINES[low]) * part if part else _SINES[low] * 100
    return sign * ((radius * sine + 50_000) // 100_000)


def value_schema(low: int, high: int, doc: str = "") -> dict[str, Any]:
    """The schema of a number in a template: itself, a formula over parameters, or a range to draw it from."""
    bound = {"type": "integer", "minimum": low, "maximum": high}
    return {
        "description": doc or "a whole number, `$parameter + 1`, or {range: [low, high]}",
        "type": ["integer", "string", "object"],
        "minimum": low,
        "maximum": high,
        "pattern": r"^[0-9 +*-]*\$[a-z][a-z0-9_]*([ ]*[+*-][ ]*([0-9]+|\$[a-z][a-z0-9_]*))*$",
        "properties": {
            "range": {"type": "array", "items": bound, "minItems": 2, "maxItems": 2},
            "step": {"type": "integer", "minimum": 1, "maximum": 64},
        },
        "required": ["range"],
        "additionalProperties": False,
    }


def shape_schemas() -> dict[str, Any]:
    """For each shape the schema of its arguments, as it stands in the template schema."""
    return {
        name: {
            "description": shape.doc,
            "type": "object",
            "additionalProperties": False,
            "properties": {
                key: value_schema(p.low, p.high, f"{p.doc} ({p.unit}, {p.low} … {p.high}, default {p.default})")
                for key, p in shape.parameters.items()
            },
        }
        for name, shape in SHAPES.items()
    }


def with_shapes(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The template schema with the shapes of this table written into its definition of a piece."""
    fresh: dict[str, Any] = json.loads(json.dumps(schema))
    piece = fresh["definitions"]["piece"]
    kept = {key: value for key, value in piece["properties"].items() if not value.get("x-shape")}
    piece["properties"] = kept | {key: value | {"x-shape": True} for key, value in shape_schemas().items()}
    others = [one for one in piece["oneOf"] if one["required"][0] in kept]
    piece["oneOf"] = [*others, *({"required": [name]} for name in SHAPES)]
    return fresh


def shape_table() -> str:
    """The table as Markdown, one row a shape, for `docs/templates.md`."""
    rows = ["| shape | is | arguments |", "|---|---|---|"]
    for name, shape in SHAPES.items():
        words = [f"`{key}` {p.doc} ({p.low} … {p.high}, default {p.default})" for key, p in shape.parameters.items()]
        rows.append(f"| `{name}` | {shape.doc} | {'; '.join(words)} |")
    return "\n".join(rows) + "\n"


def with_table(page: str) -> str:
    """The page with the table of this module between its marks."""
    head, mark, rest = page.partition("in levelgen/shapes.py -->\n")
    return head + mark + shape_table() + "<!-- end -->" + rest.partition("<!-- end -->")[2]


def main() -> None:
    """Write the table into the shipped template schema and, in a checkout, into the page on templates."""
    package = Path(__file__).parent
    path = package / "schemas" / "template.schema.json"
    schema = with_shapes(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(schema, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = package.parent / "docs" / "templates.md"
    if page.exists():
        page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stderr.write(f"{len(SHAPES)} shapes written\n")


if __name__ == "__main__":
    main()
