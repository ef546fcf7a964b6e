"""Where header, board and tray stand in a picture of any size.

Upright pictures have the header above and the tray below, wide ones both in a column to the right. Every measure is in
units: 720 of them across or 1280 down a phone, so that the phone's preview is drawn pixel for pixel as it always was.
"""

from __future__ import annotations

from dataclasses import dataclass

from levelgen.errors import Malformed
from levelgen.render.panel import Box
from levelgen.render.theme import Size

SIZE: Size = (720, 1280)
"""Of the previews a pack signs."""
SIZES: dict[str, Size] = {
    "phone": SIZE,
    "small": (360, 640),
    "tall": (1080, 2340),
    "square": (1080, 1080),
    "tablet": (1536, 2048),
    "wide": (1920, 1080),
}
LEAST, MOST = 120, 4096
"""Pixels a side may have."""
MOST_PIXELS = 1 << 24
_COLUMN = 300
_DOWN_WIDE = 800
"""Units down a wide picture."""


def size_of(text: str) -> Size:
    """A size by its name in `SIZES`, or as `WIDTHxHEIGHT`.

    Raises:
        Malformed: it is neither, or too small or too large to be drawn.
    """
    if text in SIZES:
        return SIZES[text]
    width, _, height = text.lower().replace("×", "x").partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit() and len(text) < 12):
        raise Malformed.of("preview/size", f"{text!r} is no size", "--size",
                           f"use one of {', '.join(SIZES)}, or write 900x1600")  # fmt: skip
    size = (int(width), int(height))
    if not (min(size) >= LEAST and max(size) <= MOST and size[0] * size[1] <= MOST_PIXELS):
        raise Malformed.of("preview/size", f"{text} is too small or too large", "--size",
                           f"stay between {LEAST} and {MOST} a side, and {MOST_PIXELS} pixels")  # fmt: skip
    return size


@dataclass(frozen=True, slots=True)
class Frame:
    """The places in one picture, in pixels."""

    size: Size
    scale: tuple[int, int]
    """Pixels a unit, as a fraction."""
    badge: tuple[int, int]
    """The middle of the level badge."""
    badge_room: int
    title: tuple[int, int]
    title_room: int
    chips: tuple[tuple[int, int], tuple[int, int]]
    """Upper left corners of the chips for layers and tiles."""
    board: Box
    tray: tuple[int, int]
    """The middle of the tray."""
    tray_room: Size

    def px(self, units: int) -> int:
        """So many units in pixels."""
        return units * self.scale[0] // self.scale[1]

    def even(self, units: int) -> int:
        """So many units in an even number of pixels."""
        return self.px(units) // 2 * 2

    @classmethod
    def of(cls, size: Size) -> Frame:
        """The places for a picture of that size."""
        return _upright(size) if 10 * size[1] >= 9 * size[0] else _wide(size)


def enlargement(size: Size) -> int:
    """How many times larger a picture is drawn and then reduced, so that small ones are as fine as large ones."""
    scale = Frame.of(size).scale
    return max(1, -(-scale[1] // scale[0]))


def _upright(size: Size) -> Frame:
    width, height = size
    scale = (width, SIZE[0]) if width * SIZE[1] <= height * SIZE[0] else (height, SIZE[1])

    def px(units: int) -> int:
        return units * scale[0] // scale[1]

    middle = width // 2
    return Frame(
        size, scale, (middle, px(74)), px(380), (middle, px(144)), width - px(80),
        ((px(24), px(46)), (width - px(24) - px(130), px(46))),
        (px(22), px(176), width - px(22), height - px(218)), (middle, height - px(114)), (px(640), px(124)),
    )  # fmt: skip


def _wide(size: Size) -> Frame:
    width, height = size
    scale = (height, _DOWN_WIDE) if height * 12 <= width * 10 else (width * 10, _DOWN_WIDE * 12)

    def px(units: int) -> int:
        return units * scale[0] // scale[1]

    left = width - px(_COLUMN) - px(24)
    middle = left + px(_COLUMN) // 2
    chips = (middle - px(138), middle + px(8))
    top = px(260)
    return Frame(
        size, scale, (middle, px(74)), px(280), (middle, px(144)), px(_COLUMN),
        ((chips[0], px(176)), (chips[1], px(176))),
        (px(24), px(24), left - px(12), height - px(24)),
        (middle, (top + height - px(24)) // 2), (px(_COLUMN - 50), height - px(24) - top - px(50)),
    )  # fmt: skip
