"""The looks a preview can have: colours, and a backdrop drawn by code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from PIL import Image, ImageChops, ImageDraw

from levelgen.seed import Stream

Colour = tuple[int, int, int]
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one look. The tiles' ivory is the same in all: faces are painted for it."""

    sky: tuple[Colour, ...]
    """The backdrop's gradient from top to bottom, at equal distances."""
    glow: Colour
    """The light behind the board."""
    pattern: Callable[[Image.Image, Colour], None]
    """Draws onto the gradient, at twice its final size."""
    ornament: Colour
    base: Colour
    """The coloured underside of a tile, and its back."""
    back: Colour
    """The drawing on a tile's back."""
    badge: tuple[Colour, Colour]
    """The level badge's gradient."""
    ink: Colour
    """What is written on the badge."""
    panel: Colour
    """The tray and the chips."""
    well: Colour
    """The tray's empty slots."""
    rim: Colour
    """The tray's frame."""
    text: Colour
    """What is written on the panel or the backdrop."""
    dim: tuple[int, int, int]
    """A blocked tile's share of its red, green and blue, in 256ths."""
    mark: Colour = (255, 128, 0)
    """The ring around a tile that is about to be played."""


def mix(one: Colour, other: Colour, share: int, whole: int = 256) -> Colour:
    """`share` of `whole` parts of `one`, the rest `other`."""
    red, green, blue = (
        (a * share + b * (whole - share) + whole // 2) // whole for a, b in zip(one, other, strict=True)
    )
    return (red, green, blue)


def gradient(size: Size, stops: tuple[Colour, ...]) -> Image.Image:
    """A vertical gradient through `stops` at equal distances."""
    height = size[1]
    rows = bytearray()
    for y in range(height):
        place, rest = divmod(y * (len(stops) - 1), max(1, height - 1))
        below = stops[min(place + 1, len(stops) - 1)]
        rows += bytes(mix(below, stops[place], rest, max(1, height - 1)))
    return Image.frombytes("RGB", (1, height), bytes(rows)).resize(size, Image.Resampling.NEAREST)


def glow_mask(size: Size, strength: int) -> Image.Image:
    """A round light in the middle, `strength` at its centre, fading to nothing at the edges."""
    small = 64
    mask = Image.new("L", (small, small))
    for y in range(small):
        for x in range(small):
            far = (2 * x + 1 - small) ** 2 + (2 * y + 1 - small) ** 2
            near = max(0, small * small - far)
            mask.putpixel((x, y), strength * near * near // (small * small) ** 2)
    return mask.resize(size, Image.Resampling.BICUBIC)


@lru_cache(maxsize=16)
def backdrop(theme: Theme, size: Size, scale: tuple[int, int] = (1, 1)) -> Image.Image:
    """The picture behind the board, its pattern enlarged by `scale`, a fraction. Do not draw on it: copy it first."""
    width, height = size
    large = gradient((2 * width * scale[1] // scale[0], 2 * height * scale[1] // scale[0]), theme.sky)
    theme.pattern(large, theme.ornament)
    picture = large.reduce(2) if scale[0] == scale[1] else large.resize(size, Image.Resampling.BICUBIC)
    light = Image.new("L", size)
    light.paste(glow_mask((width * 5 // 4, height * 7 // 8), 150), (-width // 8, height // 16))
    picture.paste(theme.glow, (0, 0), light)
    return picture


def _stars(canvas: Image.Image, colour: Colour) -> None:
    """Eight-pointed stars and the crosses between them, as on a tiled garden wall."""
    pitch, reach = 300, 96
    mask = Image.new("L", canvas.size)
    pen = ImageDraw.Draw(mask)
    diagonal = reach * 181 // 128
    rows = canvas.height // pitch + 2
    columns = canvas.width // pitch + 2
    for row in range(rows):
        for column in range(columns):
            x, y = column * pitch - pitch // 8, row * pitch - pitch // 8
            square = [(x - reach, y - reach), (x + reach, y - reach), (x + reach, y + reach), (x - reach, y + reach)]
            lozenge = [(x, y - diagonal), (x + diagonal, y), (x, y + diagonal), (x - diagonal, y)]
            for outline in (square, lozenge):
                pen.line([*outline, outline[0], outline[1]], fill=38, width=6, joint="curve")
            inner = reach * 5 // 12
            for outline in (
                [(x - inner, y - inner), (x + inner, y - inner), (x + inner, y + inner), (x - inner, y + inner)],
                [(x, y - inner * 181 // 128), (x + inner * 181 // 128, y), (x, y + inner * 181 // 128),
                 (x - inner * 181 // 128, y)],
            ):  # fmt: skip
                pen.polygon(outline, fill=30)
            for far in ((x + diagonal, y, x + pitch - diagonal, y), (x, y + diagonal, x, y + pitch - diagonal)):
                pen.line(far, fill=38, width=6)
    canvas.paste(colour, (0, 0), mask)


_RIDGES = (
    (
        56, (150, 128, 184), (196, 150, 184),
        ((0, 52), (9, 46), (20, 55), (33, 47), (46, 57), (63, 49), (80, 41), (91, 51), (100, 46)),
    ),
    (
        82, (96, 90, 156), (120, 108, 172),
        ((0, 78), (12, 83), (27, 75), (42, 84), (53, 81), (69, 74), (85, 83), (100, 77)),
    ),
    (0, (58, 54, 112), (40, 36, 84), ((0, 89), (22, 93), (47, 88), (72, 94), (100, 89))),
)  # fmt: skip
"""Mountain ridges from far to near: the line above which snow lies, colours of crest and foot, then summits and
saddles; heights and places in percent of the canvas."""
_ROUGHNESS = 6
"""How often the line between two of them is broken."""


def _mountains(canvas: Image.Image, colour: Colour) -> None:
    """A pale sun and three ridges in the haze: snow on the farthest, the nearest the darkest."""
    width, height = canvas.size
    sun = Image.new("L", canvas.size)
    corner, across = (width * 56 // 100, height * 29 // 100), width * 36 // 100
    for grow, light in ((60, 26), (30, 34), (0, 70)):
        box = (corner[0] - grow, corner[1] - grow, corner[0] + across + grow, corner[1] + across + grow)
        ImageDraw.Draw(sun).ellipse(box, fill=light)
    canvas.paste((255, 240, 214), (0, 0), sun)
    for number, (snow_line, crest, foot, summits) in enumerate(_RIDGES):
        chance = Stream("himal", f"ridge/{number}")
        line = [(width * x // 100, height * y // 100) for x, y in summits]
        for step in range(_ROUGHNESS):
            line = _broken(line, height // 90 >> step, chance)
        mask = Image.new("L", canvas.size)
        ImageDraw.Draw(mask).polygon([*line, (width, height), (0, height)], fill=255)
        top = min(y for _, y in line)
        canvas.paste(gradient((width, height - top), (crest, foot)), (0, top), mask.crop((0, top, width, height)))
        lower = [(x, y + max(0, (height * snow_line // 100 - y) * (30 + chance.below(34)) // 100)) for x, y in line]
        snow = Image.new("L", canvas.size)
        ImageDraw.Draw(snow).polygon(line + lower[::-1], fill=180)
        canvas.paste(mix(colour, (255, 246, 250), 10), (0, 0), snow)


def _broken(line: list[tuple[int, int]], reach: int, chance: Stream) -> list[tuple[int, int]]:
    """`line` with a point between every two, up to `reach` above or below the middle."""
    points = [line[0]]
    for here, there in pairwise(line):
        shift = chance.between(-reach, reach)
        points += [((here[0] + there[0]) // 2, (here[1] + there[1]) // 2 + shift), there]
    return points


def _petals(canvas: Image.Image, colour: Colour) -> None:
    """Overlapping rings, which make four-petalled flowers."""
    pitch = 200
    mask = Image.new("L", canvas.size)
    for row in range(-1, canvas.height // pitch + 2):
        for column in range(-1, canvas.width // pitch + 2):
            ring = Image.new("L", (2 * pitch + 1, 2 * pitch + 1))
            reach = pitch * 181 // 256
            ImageDraw.Draw(ring).ellipse(
                (pitch - reach, pitch - reach, pitch + reach, pitch + reach), outline=40, width=6
            )
            place = (column * pitch - pitch, row * pitch - pitch)
            box = (*place, place[0] + ring.width, place[1] + ring.height)
            mask.paste(ImageChops.lighter(mask.crop(box), ring), place)
    canvas.paste(colour, (0, 0), mask)


def _nothing(_canvas: Image.Image, _colour: Colour) -> None:
    """No pattern: a plain ground."""


THEMES: dict[str, Theme] = {
    "garden": Theme(
        sky=((16, 78, 88), (13, 92, 92), (9, 58, 72), (6, 36, 50)),
        glow=(64, 168, 150),
        pattern=_stars,
        ornament=(140, 226, 204),
        base=(19, 122, 106),
        back=(240, 208, 128),
        badge=((255, 217, 120), (240, 164, 44)),
        ink=(92, 48, 8),
        panel=(5, 34, 44),
        well=(12, 60, 68),
        rim=(240, 178, 70),
        text=(226, 246, 238),
        dim=(148, 156, 166),
    ),
    "himal": Theme(
        sky=((38, 58, 126), (84, 96, 172), (196, 140, 176), (150, 92, 120)),
        glow=(236, 176, 176),
        pattern=_mountains,
        ornament=(58, 62, 118),
        base=(176, 44, 62),
        back=(250, 214, 140),
        badge=((226, 62, 78), (172, 28, 56)),
        ink=(255, 244, 230),
        panel=(38, 34, 78),
        well=(66, 60, 116),
        rim=(238, 190, 104),
        text=(248, 240, 246),
        dim=(150, 148, 168),
    ),
    "plum": Theme(
        sky=((70, 36, 92), (98, 48, 116), (64, 34, 94), (36, 20, 62)),
        glow=(176, 98, 168),
        pattern=_petals,
        ornament=(238, 180, 230),
        base=(196, 92, 34),
        back=(255, 224, 160),
        badge=((132, 226, 190), (48, 168, 140)),
        ink=(8, 60, 56),
        panel=(34, 16, 54),
        well=(66, 36, 92),
        rim=(72, 190, 160),
        text=(250, 234, 250),
        dim=(150, 145, 166),
    ),
    "light": Theme(
        sky=((250, 246, 238), (244, 238, 226), (236, 230, 218), (228, 222, 210)),
        glow=(255, 254, 250),
        pattern=_petals,
        ornament=(206, 190, 160),
        base=(38, 118, 112),
        back=(244, 220, 160),
        badge=((46, 140, 130), (24, 100, 94)),
        ink=(255, 255, 250),
        panel=(255, 252, 244),
        well=(226, 216, 196),
        rim=(196, 164, 108),
        text=(62, 54, 42),
        dim=(168, 164, 166),
    ),
    "dark": Theme(
        sky=((34, 40, 50), (27, 32, 41), (20, 24, 32), (14, 17, 23)),
        glow=(76, 92, 118),
        pattern=_stars,
        ornament=(96, 112, 138),
        base=(58, 84, 126),
        back=(196, 212, 238),
        badge=((74, 94, 128), (46, 60, 86)),
        ink=(240, 245, 255),
        panel=(12, 14, 19),
        well=(38, 44, 56),
        rim=(104, 124, 156),
        text=(228, 234, 244),
        dim=(126, 128, 140),
    ),
    "contrast": Theme(
        sky=((0, 0, 0), (0, 0, 0)),
        glow=(0, 0, 0),
        pattern=_nothing,
        ornament=(0, 0, 0),
        base=(0, 82, 190),
        back=(255, 255, 255),
        badge=((255, 230, 0), (255, 214, 0)),
        ink=(0, 0, 0),
        panel=(0, 0, 0),
        well=(44, 44, 44),
        rim=(255, 255, 255),
        text=(255, 255, 255),
        dim=(92, 92, 100),
        mark=(255, 0, 190),
    ),
    "paper": Theme(
        sky=((255, 255, 255), (255, 255, 255)),
        glow=(255, 255, 255),
        pattern=_nothing,
        ornament=(255, 255, 255),
        base=(120, 120, 120),
        back=(240, 240, 240),
        badge=((70, 70, 70), (40, 40, 40)),
        ink=(255, 255, 255),
        panel=(246, 246, 246),
        well=(224, 224, 224),
        rim=(150, 150, 150),
        text=(30, 30, 30),
        dim=(186, 186, 186),
    ),
}
"""What `preview --theme` knows; `paper` is what is printed on."""

DEFAULT_THEMES = {"pairs": "garden", "triples": "himal"}
"""The theme of a ruleset whose pack names none."""
