"""What is done with the places of a piece: moved, mirrored, turned, stacked, completed to a symmetry, laid on others.

A place is the upper left corner of a tile, `(x, y, z)` in half-tiles; a piece is a set of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from levelgen.errors import Finding, Malformed
from levelgen.fit import Place, bounds_of
from levelgen.layout import Canvas
from levelgen.template.model import Places

SUPPORT = {"part": 1, "half": 2, "whole": 4}
"""How many of a tile's four cells must have a tile right under them."""


def moved(places: Places, dx: int, dy: int, dz: int) -> Places:
    """The same places elsewhere."""
    if not (dx or dy or dz):
        return places
    return frozenset([(x + dx, y + dy, z + dz) for x, y, z in places])


_NEAR = tuple((dx, dy) for dy in (0, -1, 1) for dx in (0, -1, 1))
"""Steps to every corner at which a tile would overlap one at (0, 0)."""


def normal(places: Places) -> Places:
    """Moved so that the upper left corner is (0, 0) and the lowest layer 0."""
    if not places:
        return places
    xs, ys, zs = zip(*places, strict=True)
    left, top, low = min(xs), min(ys), min(zs)
    return moved(places, -left, -top, -low) if left or top or low else places


def frame_of(places: Places) -> tuple[int, int]:
    """Width and height from (0, 0) to the furthest tile: a piece is mirrored and turned within it."""
    return (max((x for x, _, _ in places), default=-2) + 2, max((y for _, y, _ in places), default=-2) + 2)


def mirrored(places: Places, kind: str) -> Places:
    """Mirror image within the frame: left and right swapped (`x`), up and down (`y`), or `both`."""
    width, height = frame_of(places)
    if kind in ("x", "both"):
        places = frozenset((width - 2 - x, y, z) for x, y, z in places)
    if kind in ("y", "both"):
        places = frozenset((x, height - 2 - y, z) for x, y, z in places)
    return places


def turned(places: Places, quarters: int) -> Places:
    """Quarter turns clockwise: the left column becomes the top row."""
    for _ in range(quarters):
        _, height = frame_of(places)
        places = frozenset((height - 2 - y, x, z) for x, y, z in places)
    return places


def stacked(places: Places, layers: int, across: int, down: int) -> Places:
    """More layers on the highest one, each lying `across` and `down` half-tiles inside the one below it."""
    top = max((z for _, _, z in places), default=0)
    layer = {(x, y) for x, y, z in places if z == top}
    made = set(places)
    for z in range(top + 1, top + layers):
        cells = {(x + i, y + j) for x, y in layer for i in (0, 1) for j in (0, 1)}
        reach = [(i, j) for i in range(-across, across + 2) for j in range(-down, down + 2)]
        sx, sy = across % 2, down % 2
        layer = {(x + sx, y + sy) for x, y in layer if all((x + sx + i, y + sy + j) in cells for i, j in reach)}
        made |= {(x, y, z) for x, y in layer}
    return frozenset(made)


def made_symmetric(places: Places, kind: str, frame: tuple[int, int] | None) -> Places:
    """The places and their images; a tile whose images overlap one another or earlier tiles is left out.

    `kind` is a word of the schema; the middle is that of the frame `(width, height)`, or of the bounds if None.
    """
    left, top, right, bottom = bounds_of(places)
    across, down = (frame[0] - 2, frame[1] - 2) if frame else (left + right - 2, top + bottom - 2)
    if kind == "quarter" and (across - down) % 2:
        down += 1
    made: set[Place] = set()
    taken: set[Place] = set()
    for place in sorted(places, key=lambda p: (p[2], p[1], p[0])):
        if place in made:
            continue
        x, y, z = place
        images = {place}
        if kind in ("x", "both"):
            images |= {(across - u, v, z) for u, v, _ in images}
        if kind in ("y", "both"):
            images |= {(u, down - v, z) for u, v, _ in images}
        if kind in ("turn", "quarter"):
            images |= {(across - x, down - y, z)}
        if kind == "quarter":
            images |= {((across + down) // 2 - v, (down - across) // 2 + u, z) for u, v, _ in images}
        if not any(_overlaps(images, image) for image in images) and all(
            taken.isdisjoint(cells_of(image)) for image in images
        ):
            made |= images
            taken.update(cell for image in images for cell in cells_of(image))
    return frozenset(made)


def on_top(places: Places, before: Places) -> Places:
    """`places` on the lowest layer on which they overlap nothing of `before`."""
    layers = [(z, _covered(layer)) for z, layer in _layers(places).items()]
    others = [(z, _covered(layer)) for z, layer in _layers(before).items()]
    meets = [under - z for under, below in others for z, here in layers if not here.isdisjoint(below)]
    return moved(places, 0, 0, max([0, *(1 + steps for steps in meets)]))


_FAR = 1 << 20
"""Farther than any two tiles of a canvas lie apart."""


def _layers(places: Places) -> dict[int, list[int]]:
    """The upper left cell of each tile by layer, as one number."""
    codes: dict[int, list[int]] = {}
    for x, y, z in places:
        codes.setdefault(z, []).append(x + _FAR * y)
    return codes


def _covered(layer: Collection[int]) -> set[int]:
    """All cells under the tiles of a layer."""
    return {*layer, *[c + 1 for c in layer], *[c + _FAR for c in layer], *[c + _FAR + 1 for c in layer]}


class _Cells:
    """The half-tile cells under tiles, each as one number: sets of numbers are much faster than sets of triples."""

    def __init__(self, places: Places) -> None:
        xs, ys, _ = zip(*places, strict=True)
        left, top = min(xs), min(ys)
        self.down = down = max(xs) - left + 3
        self.up = up = down * (max(ys) - top + 3)
        self.codes = [x - left + down * (y - top) + up * z for x, y, z in places]
        """The upper left cell of each tile, in the order of the places."""
        self.all = set(self.codes)
        for step in (1, down, down + 1):
            self.all.update([code + step for code in self.codes])


def floating_in(places: Places, support: str = "part") -> set[Place]:
    """Tiles above the ground with less under them than that support asks for."""
    if not places:
        return set()
    cells = _Cells(places)
    covered, down = cells.all, cells.down
    found = set()
    for place, code in zip(places, cells.codes, strict=True):
        under = code - cells.up
        if place[2] and not (support == "part" and under in covered):
            count = (under in covered) + (under + 1 in covered) + (under + down in covered) + (
                under + down + 1 in covered)  # fmt: skip
            if count < SUPPORT[support]:
                found.add(place)
    return found


def grounded(places: Places) -> Places:
    """`places` without the tiles that have nothing under them, or only such tiles."""
    layers = _layers(places)
    below, fallen = layers.get(0, []), set[Place]()
    for z in range(1, 1 + max(layers, default=0)):
        covered, kept = _covered(below), []
        for c in layers.get(z, ()):
            if c in covered or c + 1 in covered or c + _FAR in covered or c + _FAR + 1 in covered:
                kept.append(c)
            else:
                y, x = divmod(c + _FAR // 2, _FAR)
                fallen.add((x - _FAR // 2, y, z))
        below = kept
    return places - fallen if fallen else places


def supported(places: Places, before: Places, support: str) -> Places:
    """`places` without the tiles that find less than that support among themselves and those `before`."""
    low = min((z for _, _, z in places), default=0)
    for z in range(max(1, low), 1 + max((z for _, _, z in places), default=0)):
        layer = frozenset(p for p in places | before if z - 1 <= p[2] <= z)
        places -= {p for p in floating_in(layer, support) if p[2] == z and p not in before}
    return places


def overlap(places: Places) -> Place | None:
    """The first tile that overlaps another, or None."""
    if not places or len(_Cells(places).all) == 4 * len(places):
        return None
    found = [place for place in places if _overlaps(places, place)]
    return min(found, key=lambda p: (p[2], p[1], p[0]), default=None)


def _overlaps(places: Collection[Place], place: Place) -> bool:
    """Whether another tile of `places` overlaps that one."""
    x, y, z = place
    for dx, dy in _NEAR[1:]:  # noqa: SIM110 - a generator would double the time
        if (x + dx, y + dy, z) in places:
            return True
    return False


def cells_of(place: Place) -> tuple[Place, Place, Place, Place]:
    """The four half-tile cells a tile covers."""
    x, y, z = place
    return ((x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z))


def too_big(places: Places, canvas: Canvas, margin: int) -> str:
    """What is said of places that do not fit the canvas inside its margin."""
    left, top, right, bottom = bounds_of(places)
    layers = 1 + max(z for _, _, z in places)
    inner = f"{canvas.width - 2 * margin}×{canvas.height - 2 * margin}×{canvas.layers}"
    return f"is {right - left}×{bottom - top}×{layers} half-tiles and layers; the canvas inside its margin is {inner}"


def fits(places: Places, canvas: Canvas, margin: int) -> bool:
    """Whether the places fit the canvas inside its margin."""
    left, top, right, bottom = bounds_of(places)
    return (
        right - left <= canvas.width - 2 * margin
        and bottom - top <= canvas.height - 2 * margin
        and max([z for _, _, z in places], default=0) < canvas.layers
    )


def centred(places: Places, canvas: Canvas, margin: int, off: Callable[[], Finding]) -> Places:
    """The places moved to the middle of the canvas.

    Raises:
        Malformed: with the finding `off` makes, when they do not fit.
    """
    if not fits(places, canvas, margin):
        raise Malformed((off(),))
    left, top, right, bottom = bounds_of(places)
    dx = (canvas.width - right - left) // 2
    dy = (canvas.height - bottom - top) // 2
    return moved(places, dx, dy, 0)
