"""Letters drawn by ourselves, so that a preview needs no font and has the same pixels everywhere.

A glyph is a skeleton of strokes on a field whose capitals reach from y = 0 down to y = 100; a round pen follows it.
`M x y` lifts the pen, `L x y` draws a straight line, `Q cx cy x y` the quarter ellipse with the corner (cx, cy).
Lower-case letters are drawn as capitals; a letter with an accent loses it; what is left over is drawn as `?`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from PIL import Image, ImageDraw

INKS = ((150, 38, 44), (24, 84, 134), (32, 104, 66), (122, 68, 20), (92, 48, 128))
"""Strong colours for letters on an ivory tile."""
GLYPHS = {
    "A": "M0 100 L34 0 L68 100 M12 68 L56 68",
    "B": "M32 48 L0 48 L0 0 L32 0 Q55 0 55 24 Q55 48 32 48 Q61 48 61 74 Q61 100 34 100 L0 100 L0 48",
    "C": "M66 20 Q58 0 36 0 Q0 0 0 50 Q0 100 36 100 Q58 100 66 80",
    "D": "M0 0 L0 100 L26 100 Q66 100 66 50 Q66 0 26 0 L0 0",
    "E": "M52 0 L0 0 L0 100 L52 100 M0 49 L44 49",
    "F": "M52 0 L0 0 L0 100 M0 50 L44 50",
    "G": "M66 18 Q58 0 36 0 Q0 0 0 50 Q0 100 36 100 Q68 100 68 56 L42 56",
    "H": "M0 0 L0 100 M62 0 L62 100 M0 49 L62 49",
    "I": "M0 0 L0 100",
    "J": "M44 0 L44 70 Q44 100 22 100 Q4 100 0 82",
    "K": "M0 0 L0 100 M58 0 L0 60 M22 40 L60 100",
    "L": "M0 0 L0 100 L48 100",
    "M": "M0 100 L0 0 L38 64 L76 0 L76 100",
    "N": "M0 100 L0 0 L62 100 L62 0",
    "O": "M38 0 Q76 0 76 50 Q76 100 38 100 Q0 100 0 50 Q0 0 38 0",
    "P": "M0 100 L0 0 L32 0 Q60 0 60 29 Q60 58 32 58 L0 58",
    "Q": "M38 0 Q76 0 76 50 Q76 100 38 100 Q0 100 0 50 Q0 0 38 0 M50 76 L76 106",
    "R": "M0 100 L0 0 L32 0 Q60 0 60 29 Q60 58 32 58 L0 58 M30 58 L62 100",
    "S": "M57 18 Q50 0 30 0 Q3 0 3 26 Q3 44 31 50 Q61 56 61 76 Q61 100 31 100 Q8 100 0 82",
    "T": "M0 0 L64 0 M32 0 L32 100",
    "U": "M0 0 L0 64 Q0 100 32 100 Q64 100 64 64 L64 0",
    "V": "M0 0 L34 100 L68 0",
    "W": "M0 0 L24 100 L48 20 L72 100 L96 0",
    "X": "M0 0 L62 100 M62 0 L0 100",
    "Y": "M0 0 L33 52 L66 0 M33 52 L33 100",
    "Z": "M2 0 L60 0 L0 100 L62 100",
    "0": "M31 0 Q62 0 62 50 Q62 100 31 100 Q0 100 0 50 Q0 0 31 0",
    "1": "M0 22 L26 0 L26 100",
    "2": "M2 27 Q4 0 30 0 Q58 0 58 28 Q58 44 40 62 L0 100 L60 100",
    "3": "M4 0 L54 0 L28 38 Q60 38 60 68 Q60 100 30 100 Q6 100 0 82",
    "4": "M46 100 L46 0 L0 70 L64 70",
    "5": "M54 0 L12 0 L6 46 Q16 37 30 37 Q60 37 60 68 Q60 100 30 100 Q8 100 0 84",
    "6": "M50 0 Q0 14 0 68 Q0 100 30 100 Q60 100 60 68 Q60 38 30 38 Q0 38 0 68",
    "7": "M0 0 L58 0 L20 100",
    "8": "M30 47 Q55 47 55 23 Q55 0 30 0 Q5 0 5 23 Q5 47 30 47 Q60 47 60 73 Q60 100 30 100 Q0 100 0 73 Q0 47 30 47",
    "9": "M10 100 Q60 86 60 32 Q60 0 30 0 Q0 0 0 32 Q0 62 30 62 Q60 62 60 32",
    ".": "M0 100 L0 100",
    ",": "M6 96 L0 116",
    ":": "M0 38 L0 38 M0 92 L0 92",
    "-": "M0 54 L34 54",
    "+": "M0 54 L52 54 M26 28 L26 80",
    "×": "M0 30 L46 76 M46 30 L0 76",
    "=": "M0 38 L50 38 M0 70 L50 70",
    "/": "M42 -4 L0 104",
    "'": "M0 0 L0 20",
    "!": "M0 0 L0 64 M0 100 L0 100",
    "?": "M0 24 Q2 0 27 0 Q54 0 54 27 Q54 44 38 52 Q27 58 27 72 M27 100 L27 100",
    "#": "M20 4 L10 96 M52 4 L42 96 M2 32 L64 32 M-2 68 L60 68",
    "(": "M20 -8 Q0 16 0 50 Q0 84 20 108",
    ")": "M0 -8 Q20 16 20 50 Q20 84 0 108",
    "·": "M0 54 L0 54",
    "&": "M66 100 L14 32 Q4 0 30 0 Q52 0 50 22 Q48 36 26 46 Q0 56 0 76 Q0 100 28 100 Q54 100 66 60",
    "%": "M66 0 L10 100 M14 0 Q28 0 28 16 Q28 32 14 32 Q0 32 0 16 Q0 0 14 0 "
    "M62 68 Q76 68 76 84 Q76 100 62 100 Q48 100 48 84 Q48 68 62 68",
}  # fmt: skip

_REPLACED = {"–": "-", "—": "-", "−": "-", "’": "'", "_": "-"}
_SCALE = 2
"""Pixels a unit of the field in the masters, from which every size is reduced."""
_ARC_STEPS = 24
_CORNER_WEIGHT = 181
"""√2/2 in 256ths: the weight that makes a rational quadratic curve an ellipse."""
_SPACE = 36
_BELOW = 20
"""Units a comma or a bracket may hang below the line, or rise above the capitals."""


@lru_cache(maxsize=512)
def text_mask(text: str, height: int, weight: int = 18) -> Image.Image:
    """`text` as a greyscale mask: capitals `height` pixels high, strokes `weight` percent of that.

    The mask has a margin of `margin(height)` above and below the capitals and none at its sides.
    """
    spelt = spell(text)
    pen = weight * _SCALE
    advance = (weight + 16) * _SCALE
    places: list[tuple[int, Image.Image]] = []
    x = 0
    for letter in spelt:
        if letter == " ":
            x += _SPACE * _SCALE
            continue
        glyph = _master(letter, weight)
        places.append((x, glyph))
        x += glyph.width - pen + advance
    width = max(1, x - advance + pen) if places else max(1, x)
    line = Image.new("L", (width, (100 + 2 * (_BELOW + weight)) * _SCALE))
    for left, glyph in places:
        line.paste(glyph, (left, 0), glyph)
    tall = height + 2 * margin(height, weight)
    wide = max(1, (line.width * tall + line.height // 2) // line.height)
    return line.resize((wide, tall), Image.Resampling.BICUBIC)


def margin(height: int, weight: int = 18) -> int:
    """How far a mask of `text_mask` reaches above and below its capitals."""
    return (height * (_BELOW + weight) + 50) // 100


def spell(text: str) -> str:
    """`text` in the characters that can be drawn."""
    plain = "".join(_REPLACED.get(letter, letter) for letter in text)
    bare = (letter for letter in unicodedata.normalize("NFKD", plain.upper()) if not unicodedata.combining(letter))
    return "".join(letter if letter in GLYPHS or letter == " " else "?" for letter in bare)


def write(
    canvas: Image.Image,
    text: str,
    centre: tuple[int, int],
    height: int,
    fill: tuple[int, int, int],
    *,
    weight: int = 18,
    anchor: str = "middle",
    room: int | None = None,
) -> int:
    """Write one line around `centre` (or starting or ending there: `anchor` is middle, start or end).

    A line wider than `room` pixels is set smaller until it fits. Returns the width used.
    """
    mask = text_mask(text, height, weight)
    while room is not None and mask.width > room and height > 6:
        height -= 1
        mask = text_mask(text, height, weight)
    x, y = centre
    left = x - {"start": 0, "middle": mask.width // 2, "end": mask.width}[anchor]
    canvas.paste(fill, (left, y - mask.height // 2), mask)
    return mask.width


def lettered(name: str, side: int = 160) -> Image.Image:
    """A face without artwork: its name in a strong colour on nothing, as RGBA of `side` pixels each way."""
    picture = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    if name:
        ink = INKS[sum(name.encode()) % len(INKS)]
        mask = Image.new("RGB", picture.size)
        write(mask, name, (side // 2, side // 2), side * 7 // 10, (255, 255, 255), weight=22, room=side * 9 // 10)
        picture = Image.new("RGBA", picture.size, (*ink, 0))
        picture.putalpha(mask.getchannel(0))
    return picture


@lru_cache(maxsize=256)
def _master(letter: str, weight: int) -> Image.Image:
    """One glyph at the masters' size, as wide as its ink."""
    strokes = list(_strokes(GLYPHS[letter]))
    reach = weight * _SCALE // 2
    left = min(x for stroke in strokes for x, _ in stroke)
    right = max(x for stroke in strokes for x, _ in stroke)
    top = (_BELOW + weight) * _SCALE
    glyph = Image.new("L", (right - left + 2 * reach + 1, (100 + 2 * (_BELOW + weight)) * _SCALE))
    pen = ImageDraw.Draw(glyph)
    for stroke in strokes:
        spots = [(x - left + reach, y + top) for x, y in stroke]
        for here, there in pairwise(spots):
            for x, y in _between(here, there):
                pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=255)
    return glyph


def _strokes(path: str) -> Iterator[list[tuple[int, int]]]:
    """The skeleton as polylines in master pixels."""
    words = path.replace("M", " M ").replace("L", " L ").replace("Q", " Q ").split()
    stroke: list[tuple[int, int]] = []
    position = 0
    while position < len(words):
        command = words[position]
        count = 4 if command == "Q" else 2
        numbers = [int(word) * _SCALE for word in words[position + 1 : position + 1 + count]]
        position += 1 + count
        if command == "M":
            if stroke:
                yield stroke
            stroke = [(numbers[0], numbers[1])]
        elif command == "L":
            stroke.append((numbers[0], numbers[1]))
        else:
            stroke += _arc(stroke[-1], (numbers[0], numbers[1]), (numbers[2], numbers[3]))
    yield stroke


def _arc(start: tuple[int, int], corner: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    for step in range(1, _ARC_STEPS + 1):
        back = _ARC_STEPS - step
        shares = (256 * back * back, 2 * _CORNER_WEIGHT * step * back, 256 * step * step)
        whole = sum(shares)
        x, y = (
            (sum(share * point[axis] for share, point in zip(shares, (start, corner, end), strict=True)) * 2 + whole)
            // (2 * whole)
            for axis in (0, 1)
        )
        yield (x, y)


def _between(here: tuple[int, int], there: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Points at most two pixels apart from `here` to `there`, both included."""
    steps = max(1, max(abs(there[0] - here[0]), abs(there[1] - here[1])) // 2)
    for step in range(steps + 1):
        yield (
            (here[0] * (steps - step) + there[0] * step) // steps,
            (here[1] * (steps - step) + there[1] * step) // steps,
        )
