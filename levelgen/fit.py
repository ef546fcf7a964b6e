"""A heap of tiles trimmed or padded to exactly the count asked for, by one stated rule.

**Trim**: from the highest layer down, and within a layer from the outside inwards, take tiles that carry nothing;
every layer keeps a few, so that a heap stays a heap, as long as the count can be met that way.
**Pad**: on the highest layer, then on those below it, then on new ones above and last on the ground around the heap,
from the middle outwards, put tiles that lie wholly on tiles of the layer below.

Both work on whole sets of mirror images as long as that comes out even, so that a heap keeps its symmetry: first on
all images the heap has, then on fewer of them, and on single tiles only when nothing else gives the exact count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Place = tuple[int, int, int]
"""`(x, y, z)` in half-tiles."""

Area = tuple[int, int, int, int, int]
"""`(left, top, right, bottom, layers)` in half-tiles: where tiles may lie."""

Image = Callable[[int, int], tuple[int, int]]


def cells_of(place: Place) -> tuple[Place, Place, Place, Place]:
    """The four half-tile cells a tile covers."""
    x, y, z = place
    return ((x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z))


def bounds_of(places: Iterable[Place]) -> tuple[int, int, int, int]:
    """`(left, top, right, bottom)`, right and bottom excluded; all 0 for nothing."""
    xs, ys, _ = zip(*places, strict=True) if places else ((), (), ())
    return (min(xs), min(ys), max(xs) + 2, max(ys) + 2) if xs else (0, 0, 0, 0)


def images_of(places: frozenset[Place]) -> list[list[Image]]:
    """The symmetries of a heap as groups of maps, the richest first, the trivial one last.

    Looked for are reflections left-right and up-down about the middle of the bounds, and the half turn.
    """
    left, top, right, bottom = bounds_of(places)
    across, down = left + right - 2, top + bottom - 2

    def x(u: int, v: int) -> tuple[int, int]:
        return (across - u, v)

    def y(u: int, v: int) -> tuple[int, int]:
        return (u, down - v)

    def half(u: int, v: int) -> tuple[int, int]:
        return (across - u, down - v)

    kept = [image for image in (x, y, half) if all((*image(u, v), z) in places for u, v, z in places)]
    groups: list[list[Image]] = [[*kept]] if len(kept) != 1 else []
    groups += [[image] for image in kept]
    return [*groups, []] if kept else [[]]


KEEP = 4
"""How many tiles each layer keeps while there are others to trim."""


def fit(places: frozenset[Place], tiles: int, area: Area, *, all_layers: bool = False) -> frozenset[Place]:
    """`places` trimmed or padded to `tiles`; the nearest reachable count when that cannot be reached.

    With `all_layers`, no layer is trimmed away altogether.
    """
    if len(places) > tiles:
        return _trim(places, tiles, int(all_layers))
    if len(places) < tiles:
        return _pad(places, tiles, area)
    return places


def least(places: frozenset[Place], *, all_layers: bool = False) -> int:
    """How few tiles trimming can reach at least."""
    return len(_trim(places, 0, int(all_layers)))


def most(places: frozenset[Place], area: Area) -> int:
    """How many tiles padding can reach at most."""
    return len(_pad(places, (area[2] - area[0]) * (area[3] - area[1]) * area[4], area))


def _orbit(place: Place, images: list[Image]) -> frozenset[Place]:
    x, y, z = place
    return frozenset((place, *((*image(x, y), z) for image in images)))


def _by_distance(places: Iterable[Place], middle: tuple[int, int]) -> list[Place]:
    """Nearest to the middle first; `middle` is doubled, a tile's own middle is one half-tile from its corner."""
    cx, cy = middle
    return sorted(places, key=lambda p: ((2 * p[0] + 2 - cx) ** 2 + (2 * p[1] + 2 - cy) ** 2, p[1], p[0]))


def _middle(places: Iterable[Place]) -> tuple[int, int]:
    left, top, right, bottom = bounds_of(places)
    return (left + right, top + bottom)


def _trim(places: frozenset[Place], tiles: int, last: int) -> frozenset[Place]:
    left = set(places)
    middle = _middle(places)
    by_layer: dict[int, list[Place]] = {}
    for place in places:
        by_layer.setdefault(place[2], []).append(place)
    order = [p for z in sorted(by_layer, reverse=True) for p in reversed(_by_distance(by_layer[z], middle))]
    counts = {z: len(layer) for z, layer in by_layer.items()}
    carried = {cell for place in places for cell in cells_of(place)}
    groups = images_of(places)
    for images, at_least in [(group, low) for low in (KEEP, last) for group in groups]:
        for place in order:
            if len(left) <= tiles:
                return frozenset(left)
            if place not in left:
                continue
            orbit = _orbit(place, images)
            if len(orbit) > len(left) - tiles or not orbit <= left or any(_carries(p, carried) for p in orbit):
                continue
            if counts[place[2]] - len(orbit) < at_least:
                continue
            left -= orbit
            counts[place[2]] -= len(orbit)
            for gone in orbit:
                carried.difference_update(cells_of(gone))
    return frozenset(left)


def _carries(place: Place, cells: set[Place]) -> bool:
    x, y, z = place
    z += 1
    return (x, y, z) in cells or (x + 1, y, z) in cells or (x, y + 1, z) in cells or (x + 1, y + 1, z) in cells


def _pad(places: frozenset[Place], tiles: int, area: Area) -> frozenset[Place]:
    heap = set(places)
    cells = {cell for place in places for cell in cells_of(place)}
    middle = _middle(places)
    groups = images_of(places)
    top = max((z for _, _, z in places), default=0)
    layers = [z for z in (*range(top, 0, -1), *range(top + 1, area[4])) if 0 < z < area[4]]
    for images in groups:
        for z in layers:
            for spot in _by_distance(_rooms(heap, cells, z, area), middle):
                if len(heap) >= tiles:
                    return frozenset(heap)
                _put(heap, cells, _orbit(spot, images), tiles, area)
        grown = True
        while grown and len(heap) < tiles:
            grown = False
            for spot in _by_distance(_beside(heap, cells, area), middle):
                grown = _put(heap, cells, _orbit(spot, images), tiles, area) or grown
    return frozenset(heap)


def _put(heap: set[Place], cells: set[Place], orbit: frozenset[Place], tiles: int, area: Area) -> bool:
    """Add all of `orbit` if the count allows it and every one of them fits; whether that was so."""
    if len(heap) + len(orbit) > tiles:
        return False
    new: set[Place] = set()
    for place in orbit:
        own = cells_of(place)
        if not _within(place, area) or any(cell in cells or cell in new for cell in own):
            return False
        if place[2] and not all((x, y, z - 1) in cells for x, y, z in own):
            return False
        new.update(own)
    heap |= orbit
    cells |= new
    return True


def _within(place: Place, area: Area) -> bool:
    x, y, z = place
    return area[0] <= x <= area[2] - 2 and area[1] <= y <= area[3] - 2 and z < area[4]


def _rooms(heap: set[Place], cells: set[Place], z: int, area: Area) -> Iterator[Place]:
    """Free places on layer `z` that lie wholly on the layer below, all on the one lattice that suits the layer.

    A layer that has tiles goes on in their lattice; a new one lies straight on the tiles below it, where a covered
    tile hides one tile only.
    """
    model = [p for p in heap if p[2] == z] or [p for p in heap if p[2] == z - 1]
    below = [p for p in heap if p[2] == z - 1]
    rows = {(p[1] % 2, p[0] % 2) for p in model}
    spots = {(x + dx, y + dy, z) for x, y, _ in below for dx in (0, 1, -1) for dy in (0, 1, -1)}
    for spot in spots:
        x, y, _ = spot
        own = cells_of(spot)
        free = (y % 2, x % 2) in rows and _within(spot, area) and not any(cell in cells for cell in own)
        if free and all((cx, cy, z - 1) in cells for cx, cy, _ in own):
            yield spot


def _beside(heap: set[Place], cells: set[Place], area: Area) -> Iterator[Place]:
    """Free places on the ground that touch a tile of it along a whole edge."""
    spots = {(x + dx, y + dy, 0) for x, y, z in heap if not z for dx, dy in ((2, 0), (-2, 0), (0, 2), (0, -2))}
    for spot in spots:
        if _within(spot, area) and not any(cell in cells for cell in cells_of(spot)):
            yield spot
