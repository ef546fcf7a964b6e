"""Templates → places of tiles, under one seed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from levelgen.document import Spot
from levelgen.errors import Malformed
from levelgen.fit import bounds_of
from levelgen.layout import MAX_TILES, Layout
from levelgen.seed import Stream
from levelgen.shapes import SHAPES, on_oval
from levelgen.template.model import Formula, Piece, Places, Symmetry, Template, Value
from levelgen.template.places import (
    cells_of,
    centred,
    fits,
    floating_in,
    made_symmetric,
    mirrored,
    moved,
    normal,
    on_top,
    overlap,
    stacked,
    supported,
    too_big,
    turned,
)

MAX_PIECES = 4096
"""How many pieces one composition may make, templates inside templates counted through."""
MAX_KEPT = 10_000
"""How many made templates a library keeps for the next time they are asked for with the same numbers."""
MAX_LAYOUTS = 2_000
"""How many layouts of levels a library keeps before it begins anew."""


Drawn = tuple[str, int, int]
"""A label, a count, and the number below it that was drawn."""
_Known = Layout | tuple[str, int, "dict[Hashable, _Known]"]
"""A layout, or what is drawn next on the way to one, and where each number leads."""


class Templates(Mapping[str, Template]):
    """Templates by name, and what has been made of them so far."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = templates
        self._made: dict[tuple[str, tuple[int, ...]], Places] = {}
        self._fixed: set[str] = set()
        self._layouts: dict[Hashable, _Known] = {}
        self._count = 0

    def __getitem__(self, name: str) -> Template:
        return self._templates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)

    def is_fixed(self, name: str) -> bool:
        """Whether that template draws nothing by the seed, as far as it has been composed yet."""
        return name in self._fixed

    def made(self, name: str, values: tuple[int, ...]) -> Places | None:
        """The places kept of that template with these values of its parameters."""
        return self._made.get((name, values))

    def keep(self, name: str, values: tuple[int, ...], places: Places, *, fixed: bool) -> None:
        """Keep what was made; `fixed` when nothing was drawn for it, not even a parameter."""
        if len(self._made) < MAX_KEPT:
            self._made[name, values] = places
        if fixed:
            self._fixed.add(name)

    def layout_for(self, asked: Hashable, seed: str) -> Layout | None:
        """The layout kept of what was asked for, where under this seed the same is drawn on the way to it."""
        known = self._layouts.get(asked)
        while known is not None and not isinstance(known, Layout):
            label, count, branches = known
            known = branches.get(Stream(seed, label).below(count))
        return known

    def keep_layout(self, asked: Hashable, draws: Sequence[Drawn], layout: Layout) -> None:
        """Keep the layout of what was asked for, to be found by what was drawn for it."""
        if self._count >= MAX_LAYOUTS:
            self._layouts.clear()
            self._count = 0
        self._count += 1
        branches, at = self._layouts, asked
        for label, count, number in draws:
            known = branches.setdefault(at, (label, count, {}))
            if isinstance(known, Layout):
                return
            branches, at = known[2], number
        branches.setdefault(at, layout)


def compose(template: Template, library: Templates, seed: str, arguments: Mapping[str, int] | None = None) -> Layout:
    """The layout of one template, in the middle of its own canvas.

    Raises:
        Malformed: the drawn numbers make tiles overlap, float or leave the canvas; the place is the piece's.
    """
    places = Composer(library, seed).template(template, dict(arguments or {}))
    canvas, margin = template.canvas, template.margin
    places = centred(places, canvas, margin, lambda: template.document.finding(
        "off-canvas", too_big(places, canvas, margin), *_sticking_out(template, library, seed, arguments or {}),
        fix="shrink or turn a piece, or enlarge `canvas`"))  # fmt: skip
    floating = floating_in(places, template.support)
    if floating:
        layer = min(z for _, _, z in floating)
        what = "float" if template.support == "part" else f"lack `{template.support}` support"
        raise Malformed((template.document.finding(
            "unsupported", f"{len(floating)} tile(s) {what}, the first on layer {layer}", "pieces",
            fix="put tiles under them or lower the piece"),))  # fmt: skip
    return Layout.of(places)


def _sticking_out(template: Template, library: Templates, seed: str, arguments: Mapping[str, int]) -> Spot:
    """Where the first piece stands with which the template no longer fits its canvas."""

    def too_many(count: int) -> bool:
        begun = replace(template, pieces=template.pieces[:count])
        try:
            places = Composer(library, seed).template(begun, dict(arguments))
        except Malformed:  # the first pieces alone have no tiles
            return False
        return not fits(places, template.canvas, template.margin)

    # Pieces only add to those before: once it is too big it stays so.
    return template.pieces[bisect_left(range(1, len(template.pieces)), True, key=too_many)].spot


class Composer:
    """Evaluates templates under one seed."""

    def __init__(self, library: Templates, seed: str) -> None:
        self.library = library
        self.seed = seed
        self.drawn = False
        self.draws: list[Drawn] = []
        self.pieces = 0

    def draw(self, label: str, count: int) -> int:
        """A number below `count` from the stream of that label; noted, for layouts are known by what they drew."""
        number = Stream(self.seed, label).below(count)
        self.drawn = True
        self.draws.append((label, count, number))
        return number

    def template(self, template: Template, arguments: Mapping[str, int]) -> Places:
        """Its places, upper left corner at (0, 0), lowest layer 0.

        What its pieces make of its parameters' values is kept with the library, unless a piece draws by itself.
        """
        before, self.drawn = self.drawn, False
        scope = _Scope(self, template, arguments)
        drew, self.drawn = self.drawn, False
        library, values = self.library, tuple(scope.values.values())
        shared = library.get(template.name) is template
        kept = library.made(template.name, values) if shared else None
        if kept is not None:
            self.drawn = before or drew
            return kept
        places = self._places(template, scope)
        if shared and not self.drawn:
            library.keep(template.name, values, places, fixed=not drew and not arguments)
        self.drawn = self.drawn or before or drew
        return places

    def _places(self, template: Template, scope: _Scope) -> Places:
        places = normal(scope.symmetric(scope.unite(template.pieces), template.symmetry))
        if not places:
            raise Malformed((template.document.finding("empty", "has no tiles with these numbers", "pieces"),))
        bad = overlap(places)
        if bad is not None:
            raise Malformed((template.document.finding(
                "overlap", f"tiles overlap at ({bad[0]}, {bad[1]}) on layer {bad[2]}", "pieces",
                fix="move a piece by two half-tiles, put it on `z: top`, or subtract one"),))  # fmt: skip
        return places


class _Scope:
    """One template being evaluated with its parameters' values."""

    def __init__(self, composer: Composer, template: Template, arguments: Mapping[str, int]) -> None:
        self.composer = composer
        self.owner = template
        self.values = {
            name: arguments[name] if name in arguments else self.number(value) for name, value in template.parameters
        }

    def number(self, value: Value) -> int:
        if isinstance(value, int):
            return value
        if isinstance(value, Formula):
            total = 0
            for sign, factors in value.terms:
                product = sign
                for factor in factors:
                    product *= self.values[factor] if isinstance(factor, str) else factor
                total += product
            return total
        count = (value.high - value.low) // value.step + 1
        return value.low + value.step * self.composer.draw(f"layout/{self.owner.name}/{value.label}", count)

    def fail(self, piece: Piece, code: str, message: str, fix: str = "") -> Malformed:
        return Malformed((self.owner.document.finding(code, message, *piece.spot, fix=fix),))

    def bounded(self, piece: Piece, value: Value, low: int, high: int, what: str) -> int:
        """A number that a formula may have carried out of its bounds.

        Raises:
            Malformed: it did.
        """
        number = self.number(value)
        if not low <= number <= high:
            raise self.fail(piece, "range", f"{what} is {number}; it must be {low} … {high}")
        return number

    def unite(self, pieces: Sequence[Piece]) -> Places:
        """Pieces one after the other, each put where it belongs among those before."""
        united: Places = frozenset()
        for piece in pieces:
            places = self.put(piece, self.make(piece), united)
            united |= supported(places, united, piece.support) if piece.support else places
        return united

    def put(self, piece: Piece, places: Places, before: Places) -> Places:
        """`places` moved to the piece's `at` and `z`."""
        if piece.at is not None:
            dx, dy = self.number(piece.at[0]), self.number(piece.at[1])
        else:
            left, top, right, bottom = bounds_of(before)
            a, b, c, d = bounds_of(places)
            dx, dy = (left + right - a - c) // 2, (top + bottom - b - d) // 2
        if piece.z is not None:
            return moved(places, dx, dy, self.bounded(piece, piece.z, 0, 31, "`z`"))
        return on_top(moved(places, dx, dy, 0), before)

    def make(self, piece: Piece) -> Places:
        """The piece at (0, 0, 0): made, mirrored, turned, stacked, repeated, made symmetric."""
        self.composer.pieces += 1
        if self.composer.pieces > MAX_PIECES:
            raise self.fail(piece, "too-many-pieces", f"more than {MAX_PIECES} pieces are made",
                            "name fewer templates inside templates")  # fmt: skip
        places = self.kind(piece)
        if piece.mirror:
            places = mirrored(places, piece.mirror)
        if piece.turn:
            places = turned(places, self.number(piece.turn) % 4)
        if piece.layers != 1:
            layers = self.bounded(piece, piece.layers, 1, 16, "`stack`")
            places = stacked(places, layers, self.number(piece.inset[0]), self.number(piece.inset[1]))
        if piece.repeat:
            places = self.repeated(piece, places)
        places = self.symmetric(places, piece.symmetry)
        if len(places) > MAX_TILES:
            raise self.fail(piece, "too-many-tiles", f"makes {len(places)} tiles; {MAX_TILES} are the most")
        return places

    def kind(self, piece: Piece) -> Places:
        match piece.kind:
            case "drawing" | "picture":
                return piece.drawing
            case "template":
                given = {name: self.number(value) for name, value in piece.arguments}
                return self.composer.template(self.composer.library[piece.name], given)
            case "unite":
                return self.unite(piece.parts)
            case "subtract" | "intersect":
                return self.carved(piece)
            case "choose":
                label = "/".join(map(str, piece.spot))
                weights = [part.weight for part in piece.parts]
                one = chosen(
                    piece.parts, weights, self.composer.draw(f"layout/{self.owner.name}/{label}", sum(weights))
                )
                return self.put(one, self.make(one), frozenset())
        shape = SHAPES[piece.kind]
        numbers: dict[str, int] = {}
        for name, value in piece.arguments:
            bound = shape.parameters[name]
            numbers[name] = self.bounded(piece, value, bound.low, bound.high, f"`{name}`")
        return shape.slots(**numbers)

    def carved(self, piece: Piece) -> Places:
        """The first part without what the others touch, or only what lies wholly inside each of them."""
        first = self.unite(piece.parts[:1])
        for part in piece.parts[1:]:
            other = self.put(part, self.make(part), first)
            cells = {cell for place in other for cell in cells_of(place)}
            if piece.kind == "subtract":
                first = frozenset(p for p in first if cells.isdisjoint(cells_of(p)))
            else:
                first = frozenset(p for p in first if cells.issuperset(cells_of(p)))
        return first

    def repeated(self, piece: Piece, places: Places) -> Places:
        given = {name: self.number(value) for name, value in piece.repeat}
        rise = given.get("rise", 0)
        if "circle" in given:
            n, rx, ry = given["circle"], given["radius_x"], given["radius_y"]
            offsets = [on_oval(n, index, rx, ry) for index in range(n)] if 0 < n <= 64 else []
            offsets = [(dx + rx, dy + ry) for dx, dy in offsets]
        elif "columns" in given:
            columns, rows = given["columns"], given["rows"]
            offsets = [(given["by_x"] * i, given["by_y"] * j) for j in range(rows) for i in range(columns)]
        else:
            offsets = [(given["by_x"] * i, given["by_y"] * i) for i in range(given["count"])]
        if not 0 < len(offsets) <= 1024 or len(offsets) * len(places) > MAX_TILES:
            raise self.fail(piece, "too-many-tiles", f"repeats {len(places)} tiles {len(offsets)} times",
                            f"stay between 1 and {MAX_TILES} tiles")  # fmt: skip
        return normal(frozenset().union(*(moved(places, dx, dy, rise * i) for i, (dx, dy) in enumerate(offsets))))

    def symmetric(self, places: Places, symmetry: Symmetry | None) -> Places:
        """The places completed to that symmetry, its frame worked out."""
        if symmetry is None or not places:
            return places
        size = symmetry.size
        frame = (self.number(size[0]), self.number(size[1])) if size is not None else None
        return made_symmetric(places, symmetry.kind, frame)


def weighted(items: Sequence[Any], weights: Sequence[int], stream: Stream) -> Any:
    """One of `items`, each as likely as its weight says."""
    return chosen(items, weights, stream.below(sum(weights)))


def chosen(items: Sequence[Any], weights: Sequence[int], pick: int) -> Any:
    """The item that `pick`, below the sum of the weights, falls on."""
    for item, weight in zip(items, weights, strict=True):
        pick -= weight
        if pick < 0:
            return item
    raise AssertionError("unreachable: the weights add up")
