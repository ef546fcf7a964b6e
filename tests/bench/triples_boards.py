"""Boards for the triples rows of the bench: heaps as designers compose them, and deep ones like real games'."""

from __future__ import annotations

from collections.abc import Callable

from levelgen.layout import Layout, Slot
from levelgen.seed import Stream


def _places(below: list[Slot], width: int, height: int, dx: int, dy: int, z: int) -> list[Slot]:
    """The places of a layer shifted by half a tile or not, that something of the layer below supports."""
    spots = [Slot(2 * x + dx, 2 * y + dy, z) for x in range(width - dx) for y in range(height - dy)]
    return [spot for spot in spots if not z or any(spot.covers(other) for other in below)]


def heap(stream: Stream, tiles: int, layers: int, width: int, height: int) -> Layout:
    """So many tiles on so many equal layers, each at a random half-tile offset."""
    while True:
        slots: list[Slot] = []
        below: list[Slot] = []
        for z in range(layers):
            places = _places(below, width, height, stream.below(2), stream.below(2), z)
            stream.shuffle(places)
            below = places[: tiles // layers + (z < tiles % layers)]
            slots += below
        if len(slots) == tiles:
            return Layout.of(slots)


def deep(stream: Stream) -> Layout:
    """A board like those of deep real games: 18–41 layers of a main heap of uneven layers, denser in the middle, on a
    grid of up to 8×10, and up to four side piles, each a straight chain.
    """
    width, height = stream.between(6, 8), stream.between(7, 10)
    layers, tiles = stream.between(18, 41), 3 * stream.between(60, 106)
    piles = [stream.between(8, min(20, layers)) for _ in range(stream.choice((0, 2, 2, 4)))]
    weights = [stream.between(40, 160) for _ in range(layers)]
    main = tiles - sum(piles)
    slots: list[Slot] = []
    below: list[Slot] = []
    owed = 0
    for z, weight in enumerate(weights):
        places = _places(below, width, height, stream.below(2), stream.below(2), z)
        middle = [(abs(spot.x - width + 1) + abs(spot.y - height + 1)) * stream.between(30, 170) for spot in places]
        places = [spot for _, spot in sorted(zip(middle, places, strict=True))]
        wanted = max(1, main * weight // sum(weights) + owed)
        below = places[:wanted]
        owed = wanted - len(below)
        slots += below
    for pile, height in enumerate(piles):
        slots += [Slot(20 + 24 * pile + z % 2, 0, z) for z in range(height)]
    slots.sort(key=lambda spot: (spot.z, spot.y, spot.x))
    return Layout.of(slots[: len(slots) // 3 * 3])


def deal(stream: Stream, tiles: int, kinds: int) -> list[int]:
    """Faces dealt uniformly in whole groups, the first faces a group more where they do not come out even."""
    faces = [tile // 3 % kinds for tile in range(tiles)]
    stream.shuffle(faces)
    return faces


def _heaps(tiles: int, layers: int, kinds: int, width: int, height: int) -> Callable[[int], tuple[Layout, list[int]]]:
    def board(number: int) -> tuple[Layout, list[int]]:
        stream = Stream(f"bench/{tiles}", str(number))
        return heap(stream, tiles, layers, width, height), deal(stream, tiles, kinds)

    return board


def _deep(number: int) -> tuple[Layout, list[int]]:
    stream = Stream("bench/deep", str(number))
    layout = deep(stream)
    return layout, deal(stream, len(layout), stream.between(13, 16))


BOARDS = {
    "45 tiles, 3 layers, 8 faces": (_heaps(45, 3, 8, 6, 4), 1000),
    "72 tiles, 4 layers, 14 faces": (_heaps(72, 4, 14, 6, 5), 1000),
    "99 tiles, 5 layers, 16 faces": (_heaps(99, 5, 16, 6, 5), 1000),
    "300 tiles, 20 layers, 16 faces, 7×7": (_heaps(300, 20, 16, 7, 7), 50),
    "deep, 180–320 tiles, 18–41 layers": (_deep, 100),
}
"""Per row of the table: the board of a number, and how many boards the row takes."""
