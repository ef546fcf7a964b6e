"""How a face's picture looks, and how like two of them are: whole numbers, the same on every machine.

    one, other = measure(picture), measure(another)
    one.wider_than(135)             the width of its visible pixels against their height
    one.contrast_percent            how it stands out from a tile
    likeness(one, other)            {"outline": 87, "normal": 26, "grey": 30, …} in percent

**Outline** is the share of the area that either silhouette covers that both cover. **Every other likeness** is the
share of that same area which looks the same, as one of `VIEWS` sees it: a cell counts as wholly different when red,
green or blue differ by `CLEAR` levels or more, and in proportion below. What is compared are the visible pixels on a
tile's ivory, fitted to a grid of 64 × 64 cells, so that neither size nor place excuses; only the view `small` takes
the whole picture as it lies on a tile of 48 pixels.

Colour-vision deficiencies are simulated at their full strength by the matrices of G. M. Machado, M. M. Oliveira and
L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Transactions on
Visualization and Computer Graphics 15(6), 2009, applied to linear light. Greyscale is the luminance of ITU-R BT.709.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from PIL.Image import Image

    Levels = NDArray[numpy.uint8]

VISIBLE: Final = 32
"""The least alpha of a pixel that counts as visible: fainter is the blur of an edge, or dust."""
IVORY: Final = (252, 245, 228)
"""The middle of a tile's plate, on which pictures are looked at."""
CLEAR: Final = 64
"""A difference of so many levels of 255 is clear: more does not tell two faces apart any better."""
SMALL_TILE: Final = 48
"""Pixels of the tile on which the view `small` sees a picture; the picture's box is 39 of them, 82 percent."""

MATRICES: Final[Mapping[str, tuple[tuple[int, int, int], ...]]] = MappingProxyType({
    "protan": ((1523, 10526, -2049), (1145, 7863, 992), (-39, -481, 10520)),
    "deutan": ((3673, 8607, -2280), (2801, 6725, 474), (-118, 429, 9689)),
    "tritan": ((12555, -767, -1788), (-784, 9308, 1476), (47, 6914, 3039)),
})  # fmt: skip
"""What becomes of linear red, green and blue in the eye of someone without one kind of cones, in 10,000ths."""
LUMINANCE: Final = (2126, 7152, 722)
"""The share of linear red, green and blue in the luminance, in 10,000ths."""
VIEWS: Final = ("normal", "grey", *MATRICES, "small")
"""The ways two pictures are looked at."""
KINDS: Final = ("outline", *VIEWS)
"""All that a likeness is measured of."""

_OUTLINE_SIDE = 48
_GRID = 64
_SMALL_BOX = SMALL_TILE * 82 // 100
_WHITE = 65535
_FLARE = 3277
"""A twentieth of white, which WCAG 2 adds to both luminances of a contrast: the room's light on the screen."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What measuring a picture found."""

    canvas: tuple[int, int]
    """Size of the picture in pixels."""
    box: tuple[int, int, int, int]
    """Left, top, right and bottom of the visible pixels, right and bottom excluded; all 0 if there are none."""
    outline: int = field(repr=False)
    """The silhouette, scaled to fit 48 × 48 with its proportions kept: a bit a cell."""
    contrast_percent: int = 100
    """What the best quarter of the picture reaches of the contrast of WCAG 2 with the tile: luminance, not hue."""
    colour_levels: int = 0
    """The difference in red, green or blue from the tile, whichever is greatest, that the best quarter reaches."""
    looks: tuple[Look, ...] = field(default=(), repr=False, compare=False)
    """The picture in each of `VIEWS`; none for an empty one."""

    @property
    def width(self) -> int:
        """Width of the visible pixels."""
        return self.box[2] - self.box[0]

    @property
    def height(self) -> int:
        """Height of the visible pixels."""
        return self.box[3] - self.box[1]

    @property
    def aspect_percent(self) -> int:
        """Width in percent of the height, rounded down; 0 for an empty picture."""
        return self.width * 100 // self.height if self.height else 0

    def wider_than(self, percent: int) -> bool:
        """Whether the width exceeds this share of the height, exactly."""
        return self.width * 100 > self.height * percent

    def likeness_percent(self, other: Measure) -> int:
        """How much of the area that either silhouette covers both cover."""
        either = (self.outline | other.outline).bit_count()
        return (self.outline & other.outline).bit_count() * 100 // either if either else 100


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture in one view: arrays of numpy."""

    planes: Levels
    """On ivory: red, green and blue, or grey alone; a row a channel, a column a cell."""
    cover: NDArray[numpy.bool_]
    """Which cells the picture covers."""


def measure(picture: Image) -> Measure:
    """Measure a picture, which is RGBA."""
    from PIL import Image

    alpha = picture.getchannel("A")
    visible = alpha.point([0] * VISIBLE + [255] * (256 - VISIBLE))
    box = visible.getbbox()
    if box is None:
        return Measure(picture.size, (0, 0, 0, 0), 0)
    cells = _fitted(visible.crop(box), _OUTLINE_SIDE, 0)
    bits = cells.point([0] * 128 + [255] * 128).convert("1", dither=Image.Dither.NONE).tobytes()
    fitted, small = (
        Look(_planes(_fitted(_on_ivory(part), side, IVORY)), _planes(_fitted(part.getchannel("A"), side, 0))[0] >= 128)
        for part, side in ((picture.crop(box), _GRID), (picture, _SMALL_BOX))
    )
    light = _linear()[fitted.planes]
    grey = _encoded(_mixed(light, (LUMINANCE,)))
    seen = [grey, *(_encoded(_mixed(light, matrix)) for matrix in MATRICES.values())]
    looks = (fitted, *(Look(planes, fitted.cover) for planes in seen), small)
    contrast, levels = _standing_out(fitted, light)
    return Measure(picture.size, box, int.from_bytes(bits, "big"), contrast, levels, looks)


def likeness(one: Measure, other: Measure) -> dict[str, int]:
    """In percent, for each of `KINDS`."""
    return next(likenesses([("one", one), ("other", other)]))[2]


def likenesses(measures: Sequence[tuple[str, Measure]]) -> Iterator[tuple[str, str, dict[str, int]]]:
    """Every two of them in their order, and for each of `KINDS` how like they are in percent; none may be empty."""
    import numpy

    if len(measures) < 2:
        return
    planes = [numpy.stack([found.looks[view].planes for _, found in measures]) for view in range(len(VIEWS))]
    cover = [numpy.stack([found.looks[view].cover for _, found in measures]) for view in range(len(VIEWS))]
    for place, (name, found) in enumerate(measures[:-1]):
        rest = slice(place + 1, None)
        columns = [
            _alike(planes[view][place], planes[view][rest], cover[view][place] | cover[view][rest])
            for view in range(len(VIEWS))
        ]
        for index, (other, against) in enumerate(measures[rest]):
            shares = (int(column[index]) for column in columns)
            yield name, other, dict(zip(KINDS, (found.likeness_percent(against), *shares), strict=True))


def simulate(picture: Image, view: str) -> Image:
    """An RGB picture as one of `VIEWS` sees it, in its own size."""
    import numpy
    from PIL import Image

    if view not in ("grey", *MATRICES):
        return picture
    planes = numpy.moveaxis(numpy.asarray(picture), 2, 0)
    seen = _encoded(_mixed(_linear()[planes], MATRICES.get(view, (LUMINANCE,) * 3)))
    return Image.fromarray(numpy.ascontiguousarray(numpy.moveaxis(seen, 0, 2)))


def outline_picture(found: Measure) -> Image:
    """The silhouette as it is compared, white on black, 48 × 48."""
    from PIL import Image

    side = _OUTLINE_SIDE
    return Image.frombytes("1", (side, side), found.outline.to_bytes(side * side // 8, "big")).convert("L")


def _on_ivory(picture: Image) -> Image:
    from PIL import Image

    return Image.alpha_composite(Image.new("RGBA", picture.size, (*IVORY, 255)), picture).convert("RGB")


def _fitted(picture: Image, side: int, ground: int | tuple[int, int, int]) -> Image:
    """The picture scaled to fit into a square, its proportions kept, in the middle of `ground`."""
    from PIL import Image

    longest = max(picture.size)
    width, height = (max(1, (2 * length * side + longest) // (2 * longest)) for length in picture.size)
    square = Image.new(picture.mode, (side, side), ground)
    small = picture.resize((width, height), Image.Resampling.BOX)
    square.paste(small, ((side - width) // 2, (side - height) // 2))
    return square


def _planes(picture: Image) -> Levels:
    import numpy

    levels = numpy.asarray(picture)
    return numpy.ascontiguousarray(levels.reshape(picture.width * picture.height, -1).T)


def _alike(one: Levels, others: Levels, either: NDArray[numpy.bool_]) -> NDArray[Any]:
    """For each of the others: the percentage of the cells that either covers which look the same."""
    import numpy

    difference = (numpy.maximum(one, others) - numpy.minimum(one, others)).max(axis=1)
    same = CLEAR - numpy.minimum(difference, CLEAR)
    area = either.sum(axis=1, dtype=numpy.int64)
    total = numpy.where(either, same, 0).sum(axis=1, dtype=numpy.int64)
    shares: NDArray[Any] = numpy.where(area > 0, total * 100 // numpy.maximum(CLEAR * area, 1), 100)
    return shares


def _standing_out(look: Look, light: NDArray[Any]) -> tuple[int, int]:
    """Contrast in percent and difference in levels from the tile that the best quarter of the picture reaches."""
    import numpy

    cover = look.cover if look.cover.any() else numpy.ones_like(look.cover)
    tile = int(_mixed(_linear()[list(IVORY)], (LUMINANCE,))[0])
    luminance = _mixed(light, (LUMINANCE,))[0][cover]
    contrast = (numpy.maximum(luminance, tile) + _FLARE) * 100 // (numpy.minimum(luminance, tile) + _FLARE)
    levels = abs(look.planes.astype(numpy.int64) - numpy.array(IVORY)[:, None]).max(axis=0)[cover]
    quarter = len(levels) * 3 // 4
    return int(numpy.sort(contrast)[quarter]), int(numpy.sort(levels)[quarter])


# --- light: sRGB levels and what they stand for, in 65,535ths of white, without a float --------------------------


@cache
def _linear() -> NDArray[numpy.int64]:
    """The light of each of the 256 levels (IEC 61966-2-1)."""
    import numpy

    return numpy.array([_light(level) for level in range(256)], dtype=numpy.int64)


def _light(level: int) -> int:
    """The light of an sRGB level: level / 255 / 12.92 up to 10, above it ((level / 255 + 0.055) / 1.055) to the 2.4."""
    if level <= 10:
        return _WHITE * level * 100 // (255 * 1292)
    return _fifth_root(_WHITE**5 * (1000 * level + 14025) ** 12 // 269025**12)


def _fifth_root(number: int) -> int:
    """The greatest whole number whose fifth power is not above `number`."""
    root = 1 << -(-number.bit_length() // 5)
    while (better := (4 * root + number // root**4) // 5) < root:
        root = better
    return root


def _mixed(light: NDArray[Any], matrix: Sequence[tuple[int, int, int]]) -> NDArray[Any]:
    """What the rows of the matrix make of the planes of light."""
    import numpy

    mixed: NDArray[Any] = numpy.clip(numpy.array(matrix, dtype=numpy.int64) @ light.reshape(3, -1) // 10000, 0, _WHITE)
    return mixed.reshape(len(matrix), *light.shape[1:])


def _encoded(light: NDArray[Any]) -> Levels:
    """The levels whose light is nearest."""
    import numpy

    table = _linear()
    return numpy.searchsorted((table[1:] + table[:-1] + 1) // 2, light, side="right").astype(numpy.uint8)
