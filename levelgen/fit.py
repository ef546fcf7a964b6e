"""A heap of tiles trimmed or padded to exactly the count asked for, by one stated rule.

**Trim**: from the highest layer down, and within a layer from the outside inwards, take tiles that carry nothing;
every layer keeps a few, so that a heap stays a heap, as long as the count can be met that way.
**Pad**: on the highest layer, then on those below it, then on new ones above and last on the ground around the heap,
from the middle outwards, put tiles that lie wholly on tiles of the layer below.

Both work on whole sets of mirror images as long as that comes out even, so that a heap keeps its symmetry: first on
all images the heap has, then on fewer of them, and on single tiles only when nothing else gives the exact count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

Place = tuple[int, int, int]
"""`(x, y, z)` in half-tiles."""

Area = tuple[int, int, int, int, int]
"""`(left, top, right, bottom, layers)` in half-tiles: where tiles may lie."""

KEEP = 4
"""How many tiles each layer keeps while there are others to trim."""

MAX_SIDE = 128
"""The greatest canvas, so that the cells beside it stay free in the codes below."""

_DOWN = 256
_UP = 256 * 256
_SQUARE = (0, 1, _DOWN, _DOWN + 1)
"""Inside this module a place is one number, x + 256 y + 65536 z: sets of numbers are thrice as fast as sets of
triples, and composing a level must not be felt. The square of a tile at `c` is `c + _SQUARE`."""

_ONTO = {
    odd_x + odd_y * _DOWN: tuple(dx + dy * _DOWN + _UP for dx in ((-1, 1) if odd_x else (0,))
                                 for dy in ((-1, 1) if odd_y else (0,)))
    for odd_x in (0, 1) for odd_y in (0, 1)
}  # fmt: skip
"""From a tile to the places on it, by whether these lie half a tile across and half a tile down from it."""

Image = Callable[[int], int]


def bounds_of(places: Collection[Place]) -> tuple[int, int, int, int]:
    """`(left, top, right, bottom)`, right and bottom excluded; all 0 for nothing."""
    if not places:
        return (0, 0, 0, 0)
    xs, ys, _ = zip(*places, strict=True)
    return (min(xs), min(ys), max(xs) + 2, max(ys) + 2)


def fit(places: frozenset[Place], tiles: int, area: Area, *, all_layers: bool = False) -> frozenset[Place]:
    """`places` trimmed or padded to `tiles`; the nearest reachable count when that cannot be reached.

    With `all_layers`, no layer is trimmed away altogether. All places lie within `area`.
    """
    if len(places) == tiles:
        return places
    heap = _Heap(places)
    if len(places) > tiles:
        heap.trim(tiles, int(all_layers))
    else:
        heap.pad(tiles, area)
    return heap.places()


def least(places: frozenset[Place], *, all_layers: bool = False) -> int:
    """How few tiles trimming can reach at least."""
    heap = _Heap(places)
    heap.trim(0, int(all_layers))
    return len(heap.codes)


def most(places: frozenset[Place], area: Area) -> int:
    """How many tiles padding can reach at most."""
    heap = _Heap(places)
    heap.pad((area[2] - area[0]) * (area[3] - area[1]) * area[4], area)
    return len(heap.codes)


class _Heap:
    """Tiles by code, and the symmetries they began with."""

    def __init__(self, places: frozenset[Place]) -> None:
        left, top, right, bottom = bounds_of(places)
        self.codes = {x + y * _DOWN + z * _UP for x, y, z in places}
        self.cells = set(self.codes)
        """Every cell that a tile covers."""
        for step in _SQUARE[1:]:
            self.cells.update([c + step for c in self.codes])
        self.across, self.down = left + right - 2, top + bottom - 2
        """Twice the middle that tiles' corners are mirrored about."""
        self.top = max(self.codes, default=0) >> 16
        self.groups = self._images()
        """The symmetries as groups of maps, the richest first, the trivial one last."""

    def places(self) -> frozenset[Place]:
        return frozenset([(c & 255, c >> 8 & 255, c >> 16) for c in self.codes])

    def _images(self) -> list[tuple[Image, ...]]:
        """Reflections left-right and up-down about the middle of the bounds, and the half turn, if they hold."""
        across, down = self.across, self.down

        def x(c: int) -> int:
            return c - 2 * (c & 255) + across

        def y(c: int) -> int:
            return c + (down - 2 * (c >> 8 & 255)) * _DOWN

        def half(c: int) -> int:
            return c - 2 * (c & 255) + across + (down - 2 * (c >> 8 & 255)) * _DOWN

        codes = self.codes
        kept: list[Image] = [image for image in (x, y, half) if all(map(codes.__contains__, map(image, codes)))]
        if not kept:
            return [()]
        alone = [(image,) for image in kept]
        return [*([tuple(kept)] if len(kept) > 1 else []), *alone, ()]

    def nearest_first(self, codes: Iterable[int]) -> list[int]:
        """By distance from the middle, then in reading order."""
        across, down = self.across, self.down
        far = sorted([(2 * (c & 255) - across) ** 2 + (2 * (c >> 8 & 255) - down) ** 2 << 32 | c for c in codes])
        return [one & 0xFFFFFFFF for one in far]

    def trim(self, tiles: int, last: int) -> None:
        """Take tiles until `tiles` are left, each layer keeping `last` at least."""
        codes = self.codes
        layers: list[list[int]] = [[] for _ in range(self.top + 1)]
        for c in codes:
            layers[c >> 16].append(c)
        counts = [len(layer) for layer in layers]
        order = [self.nearest_first(layer)[::-1] for layer in layers]
        first = self.groups[:2] if len(self.groups) > 2 else self.groups[:1]
        kinds = [first, *([images] for images in self.groups[len(first) :])]
        passes = [(low, images) for kind in kinds for low in (KEEP, last) for images in kind]
        for low, images in passes:
            for z in range(self.top, -1, -1):
                for c in order[z]:
                    excess = len(codes) - tiles
                    if not excess:
                        return
                    if c not in codes:
                        continue
                    orbit = {c, *[image(c) for image in images]}
                    if len(orbit) > excess or counts[z] - len(orbit) < low or not orbit <= codes:
                        continue
                    if any(self._touches(one + _UP) for one in orbit):
                        continue
                    codes -= orbit
                    self.cells.difference_update([one + step for one in orbit for step in _SQUARE])
                    counts[z] -= len(orbit)

    def pad(self, tiles: int, area: Area) -> None:
        """Put tiles within `area` until there are `tiles`, or no more room."""
        layers = [z for z in (*range(self.top, 0, -1), *range(self.top + 1, area[4])) if z < area[4]]
        rooms: dict[int, tuple[int, list[int]]] = {}
        for images in self.groups:
            for z in layers:
                if z not in rooms or rooms[z][0] != len(self.codes):  # something was put since they were looked for
                    rooms[z] = (len(self.codes), self.nearest_first(self._rooms(z, area)))
                if self._put_all(rooms[z][1], images, tiles, area) and len(self.codes) >= tiles:
                    return
            while self._put_all(self.nearest_first(self._beside(area)), images, tiles, area):
                if len(self.codes) >= tiles:
                    return

    def _put_all(self, places: Iterable[int], images: tuple[Image, ...], tiles: int, area: Area) -> bool:
        """Add what can be added of these, until there are `tiles`; whether anything was."""
        grown = False
        for c in places:
            if len(self.codes) >= tiles:
                break
            grown = self._put(c, images, tiles, area) or grown
        return grown

    def _put(self, c: int, images: tuple[Image, ...], tiles: int, area: Area) -> bool:
        """Add `c` and its images if the count allows it and every one of them fits; whether that was so."""
        orbit = {c, *[image(c) for image in images]}
        if len(self.codes) + len(orbit) > tiles:
            return False
        for one in orbit:
            if not self._free(one, area) or not (one < _UP or self._rests(one)):
                return False
        covered = [one + step for one in orbit for step in _SQUARE]
        if len(set(covered)) < len(covered):  # images of one another overlap
            return False
        self.codes |= orbit
        self.cells.update(covered)
        return True

    def _free(self, c: int, area: Area) -> bool:
        """Whether a tile at `c` lies within the area and overlaps none."""
        within = area[0] <= c & 255 <= area[2] - 2 and area[1] <= c >> 8 & 255 <= area[3] - 2
        return within and not self._touches(c)

    def _touches(self, c: int) -> bool:
        """Whether a tile at `c` overlaps one."""
        cells = self.cells
        return c in cells or c + 1 in cells or c + _DOWN in cells or c + _DOWN + 1 in cells

    def _rests(self, c: int) -> bool:
        """Whether every cell under `c` belongs to a tile of the layer below."""
        below, cells = c - _UP, self.cells
        return below in cells and below + 1 in cells and below + _DOWN in cells and below + _DOWN + 1 in cells

    def _rooms(self, z: int, area: Area) -> Iterator[int]:
        """Free places on layer `z` that rest wholly on the layer below, all on lattices that suit the layer.

        A layer that has tiles goes on in their lattices; a new one lies straight on the tiles below it, where a
        covered tile hides one tile only.
        """
        below = [c for c in self.codes if c >> 16 == z - 1]
        lattices = {c & 257 for c in self.codes if c >> 16 == z} or {c & 257 for c in below}
        spots = {c + step for c in below for lattice in lattices for step in _ONTO[(c ^ lattice) & 257]}
        for c in spots:
            if self._free(c, area) and self._rests(c):
                yield c

    def _beside(self, area: Area) -> Iterator[int]:
        """Free places on the ground that touch a tile of it along a whole edge."""
        spots = {c + step for c in self.codes if c < _UP for step in (2, -2, 2 * _DOWN, -2 * _DOWN)}
        for c in spots:
            if c >= 0 and self._free(c, area):
                yield c
