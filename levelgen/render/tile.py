"""Prepared tiles: an ivory plate on a coloured underside, its picture or its back, bright or dimmed.

A tile is drawn four times too large and reduced; its picture is then scaled to it once. All sprites of one size share
the body, and every finished sprite is kept, so that a pack's previews draw each only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from levelgen.errors import Malformed
from levelgen.faces import FaceSet, image
from levelgen.render.theme import Colour, Theme, gradient, mix

IVORY: tuple[Colour, ...] = ((255, 253, 245), (252, 245, 228), (245, 232, 206))
EDGE: Colour = (188, 164, 120)
"""The line around a plate that keeps neighbours apart."""
SHEEN: Colour = (255, 255, 255)
SIDE: Colour = (226, 206, 166)
_OVER = 4
"""How many times too large a body is drawn."""
PICTURE = 82
"""The picture's box in percent of the plate."""
KEPT = 2048
"""How many prepared tiles are kept; a pack of many sizes begins anew when they are more."""
SHADOW = 150
"""Opacity of a shadow at its darkest, of 255."""


Pictures = Mapping[str, Image.Image] | FaceSet
"""Where the pictures of the faces come from."""


class Cut(NamedTuple):
    """The measures of a tile in pixels."""

    side: int
    """Of the square plate; even, so that half a tile is whole pixels."""
    right: int
    """How far the underside shows to the right, and a layer is shifted to the left."""
    below: int
    """How far it shows below, and a layer is shifted up."""


class Sprites:
    """Every prepared tile of one set of pictures in one theme."""

    def __init__(self, source: Pictures, theme: Theme) -> None:
        self._source = source
        self.theme = theme
        self._originals: dict[str, Image.Image] = {}
        self._kept: dict[tuple[str | None, Cut, bool], Image.Image] = {}

    def tile(self, face: str | None, cut: Cut, *, dimmed: bool = False) -> Image.Image:
        """The tile showing `face`, or its back for None. Its upper left corner is the plate's. Do not draw on it."""
        key = (face, cut, dimmed)
        sprite = self._kept.get(key)
        if sprite is None:
            sprite = self._draw(face, cut, dimmed)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[key] = sprite
        return sprite

    def _draw(self, face: str | None, cut: Cut, dimmed: bool) -> Image.Image:
        if dimmed:
            return dim(self.tile(face, cut), self.theme.dim)
        if face is None:
            return back(self.theme, cut)
        sprite = body(self.theme, cut).copy()
        picture = self.picture(face, cut.side * PICTURE // 100)
        sprite.alpha_composite(picture, ((cut.side - picture.width) // 2, (cut.side - picture.height) // 2))
        return sprite

    def picture(self, face: str, box: int) -> Image.Image:
        """The picture of `face` alone, its whole canvas fitted into a square of `box` pixels.

        Raises:
            Malformed: there is no such picture.
        """
        whole = self._originals.get(face)
        if whole is None:
            whole = self._originals[face] = self._original(face)
        longest = max(whole.size)
        size = (max(1, whole.width * box // longest), max(1, whole.height * box // longest))
        return whole.resize(size, Image.Resampling.BICUBIC)

    def _original(self, face: str) -> Image.Image:
        if isinstance(self._source, FaceSet):
            return image(self._source, face)
        if face in self._source:
            return self._source[face].convert("RGBA")
        raise Malformed.of("preview/no-picture", f"there is no picture of {face}", fix="draw with the level's face set")


def dim(sprite: Image.Image, shares: tuple[int, int, int]) -> Image.Image:
    """`sprite` as a blocked tile: a little of its colour drained, all of it darker, its outline unchanged."""
    bright = sprite.convert("RGB")
    grey = bright.convert("L").convert("RGB")
    drained = Image.composite(grey, bright, Image.new("L", sprite.size, 56))
    table = [value * share // 256 for share in shares for value in range(256)]
    dark = drained.point(table)
    dark.putalpha(sprite.getchannel("A"))
    return dark


@lru_cache(maxsize=256)
def body(theme: Theme, cut: Cut) -> Image.Image:
    """A tile without a picture: the plate, its bevel, and the underside to the lower right."""
    large = _underside(theme, cut)
    side = cut.side * _OVER
    plate = gradient((side, side), IVORY)
    radius = _radius(cut)
    line = max(3, side // 44)
    frame = Image.new("L", (side, side))
    pen = ImageDraw.Draw(frame)
    pen.rounded_rectangle((0, 0, side - 1, side - 1), radius, fill=255)
    inner = Image.new("L", (side, side))
    pen = ImageDraw.Draw(inner)
    pen.rounded_rectangle((line, line, side - 1 - line, side - 1 - line), radius - line, fill=255)
    # The bevel: a light rim towards the light, a shaded one away from it.
    rim = line * 2
    lit = ImageChops.subtract(inner, ImageChops.offset(inner, rim, rim))
    shaded = ImageChops.subtract(inner, ImageChops.offset(inner, -rim, -rim))
    plate.paste(SHEEN, (0, 0), lit)
    plate.paste(mix(SIDE, IVORY[2], 150), (0, 0), shaded)
    edged = Image.new("RGB", (side, side), EDGE)
    edged.paste(plate, (0, 0), inner)
    large.paste(edged, (0, 0), frame)
    return large.reduce(_OVER)


@lru_cache(maxsize=256)
def back(theme: Theme, cut: Cut) -> Image.Image:
    """A tile whose face is hidden: the theme's colour in an ivory frame, a lattice, and a star in the middle."""
    side = cut.side * _OVER
    large = Image.new("RGB", (side, side), theme.base)
    ground = gradient((side, side), (mix((255, 255, 255), theme.base, 40), theme.base, mix((0, 0, 0), theme.base, 60)))
    large.paste(ground, (0, 0))
    lattice = Image.new("L", (side, side))
    pen = ImageDraw.Draw(lattice)
    pitch = max(8, side // 6)
    for shift in range(-side, 2 * side + 1, pitch):
        pen.line((shift, 0, shift + side, side), fill=110, width=max(2, side // 60))
        pen.line((shift, 0, shift - side, side), fill=110, width=max(2, side // 60))
    large.paste(theme.back, (0, 0), lattice)
    middle, reach = side // 2, side * 23 // 100
    pen = ImageDraw.Draw(large)
    for size, colour in ((reach * 125 // 100, theme.base), (reach, theme.back), (reach * 55 // 100, theme.base)):
        wide = size * 181 // 128
        pen.rectangle((middle - size, middle - size, middle + size, middle + size), fill=colour)
        pen.polygon(
            [(middle, middle - wide), (middle + wide, middle), (middle, middle + wide), (middle - wide, middle)],
            fill=colour,
        )
    small = large.reduce(_OVER)
    window = Image.new("L", (side, side))
    inset, radius = side * 9 // 100, _radius(cut)
    ImageDraw.Draw(window).rounded_rectangle(
        (inset, inset, side - 1 - inset, side - 1 - inset), max(2, radius - inset // 2), fill=255
    )
    sprite = body(theme, cut).copy()
    sprite.paste(small, (0, 0), window.reduce(_OVER))
    return sprite


@lru_cache(maxsize=256)
def shadow(cut: Cut) -> tuple[Image.Image, tuple[int, int]]:
    """The shadow a tile casts onto the layer below it, and where it lies relative to the plate."""
    soft = max(2, cut.side // 14)
    room = 3 * soft
    side = cut.side
    mask = Image.new("L", (side + 2 * room, side + 2 * room))
    ImageDraw.Draw(mask).rounded_rectangle(
        (room, room, room + side - 1, room + side - 1), _radius(cut) // _OVER, fill=SHADOW
    )
    blurred = mask.filter(ImageFilter.BoxBlur(soft)).filter(ImageFilter.BoxBlur((soft + 1) // 2))
    drop = max(2, cut.side // 16)
    return blurred, (cut.right + drop - room, cut.below + drop + drop // 2 - room)


def _radius(cut: Cut) -> int:
    return max(2, cut.side * _OVER * 15 // 100)


def _underside(theme: Theme, cut: Cut) -> Image.Image:
    """The tile's thickness at four times its size: the coloured base, then ivory up to the plate."""
    side, right, below = cut.side * _OVER, cut.right * _OVER, cut.below * _OVER
    large = Image.new("RGBA", (side + right, side + below))
    pen = ImageDraw.Draw(large)
    steps = max(right, below, 1)
    deep = mix((0, 0, 0), theme.base, 90)
    for step in range(steps, 0, -1):
        x, y = right * step // steps, below * step // steps
        height = 256 * (steps - step) // steps
        if height < 118:
            colour = mix(theme.base, deep, height * 2)
        elif height < 134:
            colour = mix((0, 0, 0), SIDE, 70)
        else:
            colour = mix(SIDE, mix((0, 0, 0), SIDE, 44), (height - 134) * 2)
        pen.rounded_rectangle((x, y, x + side - 1, y + side - 1), _radius(cut), fill=(*colour, 255))
    return large
