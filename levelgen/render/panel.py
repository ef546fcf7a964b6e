"""What stands around a board: panels, frames, slots and badges, with smooth corners and soft shadows."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from levelgen.render.theme import Colour, Size, Theme, gradient, mix

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels, right and bottom excluded."""

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
SHADE: Colour = (4, 10, 22)
"""The colour of every shadow."""


@lru_cache(maxsize=128)
def rounded(size: Size, radius: int) -> Image.Image:
    """A filled rounded rectangle as a smooth mask."""
    mask = Image.new("L", (size[0] * 4, size[1] * 4))
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, size[0] * 4 - 1, size[1] * 4 - 1), radius * 4, fill=255)
    return mask.reduce(4)


def faded(mask: Image.Image, opacity: int) -> Image.Image:
    """`mask` with `opacity` of 255 of its strength."""
    return mask.point([value * opacity // 255 for value in range(256)])


def drop(canvas: Image.Image, box: Box, radius: int, soft: int, opacity: int) -> None:
    """The soft shadow of a rounded rectangle, falling a little below it."""
    room = 3 * soft
    size = (box[2] - box[0], box[3] - box[1])
    mask = Image.new("L", (size[0] + 2 * room, size[1] + 2 * room))
    mask.paste(faded(rounded(size, radius), opacity), (room, room))
    mask = mask.filter(ImageFilter.BoxBlur(soft)).filter(ImageFilter.BoxBlur(soft))
    canvas.paste(SHADE, (box[0] - room, box[1] - room + soft), mask)


def glass(canvas: Image.Image, box: Box, radius: int, colour: Colour, opacity: int) -> None:
    """A panel of dark glass, floating a little above the backdrop."""
    shape = rounded((box[2] - box[0], box[3] - box[1]), radius)
    drop(canvas, box, radius, 6, 110)
    canvas.paste(colour, box[:2], faded(shape, opacity))


def ring(canvas: Image.Image, box: Box, radius: int, width: int, colour: Colour, opacity: int) -> None:
    """The outline of a rounded rectangle, along the inside of `box`."""
    size = (box[2] - box[0], box[3] - box[1])
    hole = Image.new("L", size)
    hole.paste(rounded((size[0] - 2 * width, size[1] - 2 * width), max(1, radius - width)), (width, width))
    canvas.paste(colour, box[:2], faded(ImageChops.subtract(rounded(size, radius), hole), opacity))


def inset(box: Box, by: int) -> Box:
    """`box` made smaller on every side."""
    return (box[0] + by, box[1] + by, box[2] - by, box[3] - by)


def well(canvas: Image.Image, box: Box, theme: Theme) -> None:
    """An empty slot, sunk into the tray: dark at its upper edge, light at its lower one."""
    side = box[2] - box[0]
    radius = max(4, side // 6)
    shape = rounded((side, side), radius)
    canvas.paste(mix(WHITE, theme.well, 36), (box[0], box[1] + 2), shape)
    deep = mix(BLACK, theme.well, 130 if sum(theme.well) < 384 else 40)
    canvas.paste(gradient((side, side), (deep, theme.well, theme.well)), box[:2], shape)


def pill(canvas: Image.Image, box: Box, colours: tuple[Colour, Colour]) -> None:
    """The level badge."""
    size = (box[2] - box[0], box[3] - box[1])
    radius = size[1] // 2
    drop(canvas, box, radius, 7, 150)
    shape = rounded(size, radius)
    canvas.paste(mix(BLACK, colours[1], 90), (box[0], box[1] + 5), shape)
    canvas.paste(gradient(size, colours), box[:2], shape)
    ring(canvas, inset(box, 5), radius - 5, 2, mix(WHITE, colours[0], 120), 190)
