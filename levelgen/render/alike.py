"""The report picture of `faces check`: the pairs most alike side by side in every view, and the faintest faces.

A row is a pair: its silhouettes laid over each other, then both faces on their tiles in each view, the figure below;
a figure in red has reached its limit, the row's place is decided by the one that is nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from levelgen.faces import VIEW_NAMES, FaceSet, Pair, Survey, image
from levelgen.likeness import IVORY, KINDS, SMALL_TILE, VIEWS, outline_picture, simulate
from levelgen.render.lettering import write

WORST_OF_EACH = 2
"""How many pairs of each kind of likeness are shown."""
MOST_ROWS = 16
FAINTEST = 8

_GROUND = (58, 64, 72)
_BAND = (68, 75, 84)
_TEXT = (236, 238, 240)
_QUIET = (170, 178, 186)
_ALARM = (255, 122, 108)
_BOTH, _ONE, _OTHER = (226, 230, 234), (240, 168, 72), (96, 170, 240)
_TILE = 84
_GAP = 6
_COLUMN = 2 * _TILE + 3 * _GAP + 8
_LABEL = 210
_HEAD = 64
_ROW = _TILE + 40


def report(surveys: Sequence[tuple[FaceSet, Survey]]) -> Image.Image:
    """One page, a part for each set, in 256 colours.

    Raises:
        Malformed: a picture is missing or corrupt.
        SystemFailed: a picture cannot be read.
    """
    parts = [_part(face_set, found) for face_set, found in surveys]
    width = _LABEL + _COLUMN * len(KINDS)
    page = Image.new("RGB", (width, sum(part.height for part in parts) or 1), _GROUND)
    top = 0
    for part in parts:
        page.paste(part, (0, top))
        top += part.height
    return page.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def shown(face_set: FaceSet, found: Survey) -> list[Pair]:
    """The pairs that have a row: the worst of each kind, and what reached a limit, the nearest to its limit first."""
    limits = _limits(face_set)

    def nearness(pair: Pair) -> int:
        return max(pair.likeness[kind] * 1000 // limits[kind] for kind in KINDS)

    reached = [pair for pair in found.pairs if nearness(pair) >= 1000]
    chosen = [*reached, *(pair for kind in KINDS for pair in found.worst(kind, WORST_OF_EACH))]
    worst = {(pair.one, pair.other): pair for pair in chosen}
    return sorted(worst.values(), key=lambda pair: (-nearness(pair), pair.one, pair.other))[:MOST_ROWS]


def _limits(face_set: FaceSet) -> dict[str, int]:
    limits = face_set.limits
    return {kind: limits.outline_percent if kind == "outline" else limits.picture_percent for kind in KINDS}


def _part(face_set: FaceSet, found: Survey) -> Image.Image:
    pairs, limits = shown(face_set, found), _limits(face_set)
    faintest = sorted(
        (face for face, one in found.measures.items() if one.outline and face in _dealt(face_set)),
        key=lambda face: found.measures[face].contrast_percent,
    )[:FAINTEST]
    page = Image.new(
        "RGB", (_LABEL + _COLUMN * len(KINDS), _HEAD + _ROW * len(pairs) + (_ROW + 34 if faintest else 0)), _GROUND
    )
    write(page, face_set.title, (_GAP * 2, 22), 15, _TEXT, anchor="start", room=_LABEL - 20)
    names = {"outline": "outline"} | VIEW_NAMES
    for place, kind in enumerate(KINDS):
        middle = _LABEL + place * _COLUMN + _COLUMN // 2
        write(page, names[kind], (middle, 22), 11, _TEXT, room=_COLUMN - 12)
        write(page, f"limit {limits[kind]} %", (middle, 46), 9, _QUIET, room=_COLUMN - 12)
    for row, pair in enumerate(pairs):
        _row(page, face_set, found, pair, limits, _HEAD + row * _ROW, banded=row % 2 == 0)
    if faintest:
        _faint(page, face_set, found, faintest, _HEAD + _ROW * len(pairs))
    return page


def _dealt(face_set: FaceSet) -> set[str]:
    return {face.id for face in face_set.faces} - {exclusion.id for exclusion in face_set.excluded}


def _row(
    page: Image.Image, face_set: FaceSet, found: Survey, pair: Pair, limits: dict[str, int], top: int, *, banded: bool
) -> None:
    if banded:
        page.paste(_BAND, (0, top, page.width, top + _ROW))
    titles = {face.id: face.title for face in face_set.faces}
    for line, (text, colour) in enumerate((
        (titles[pair.one], _TEXT), (pair.one, _QUIET), (titles[pair.other], _TEXT), (pair.other, _QUIET),
        ("marked alike" if pair.marked else "", _OTHER),
    )):  # fmt: skip
        size = 11 if colour == _TEXT else 9
        write(page, text, (_GAP * 2, top + 18 + 22 * line), size, colour, anchor="start", room=_LABEL - 20)
    pictures = [image(face_set, face) for face in (pair.one, pair.other)]
    silhouettes = [outline_picture(found.measures[face]) for face in (pair.one, pair.other)]
    for place, kind in enumerate(KINDS):
        left = _LABEL + place * _COLUMN
        middle = left + _COLUMN // 2
        if kind == "outline":
            _overlay(page, silhouettes[0], silhouettes[1], (middle - _TILE // 2, top + _GAP))
        else:
            side = SMALL_TILE if kind == "small" else _TILE
            for number, picture in enumerate(pictures):
                corner = (middle - side - _GAP // 2 + number * (side + _GAP), top + _GAP + (_TILE - side) // 2)
                _place(page, picture, side, kind, corner)
        percent = pair.likeness[kind]
        reached = percent >= limits[kind]
        write(page, f"{percent} %", (middle, top + _TILE + 24), 13, _ALARM if reached else _TEXT)


def _faint(page: Image.Image, face_set: FaceSet, found: Survey, faces: Sequence[str], top: int) -> None:
    limits = face_set.limits
    write(page, "faintest", (_GAP * 2, top + 26), 13, _TEXT, anchor="start")
    for line, text in enumerate(
        (f"contrast: limit {limits.contrast_percent} %", f"colour: limit {limits.colour_levels}")
    ):
        write(page, text, (_GAP * 2, top + 52 + 22 * line), 9, _QUIET, anchor="start", room=_LABEL - 20)
    step = (page.width - _LABEL) // FAINTEST
    for place, face in enumerate(faces):
        one = found.measures[face]
        middle = _LABEL + place * step + step // 2
        picture = image(face_set, face)
        for number, view in enumerate(("normal", "grey")):
            _place(page, picture, step // 2 - _GAP, view, (middle - step // 2 + number * step // 2 + 2, top + _GAP))
        below = top + step // 2 + 18
        write(page, face, (middle, below), 9, _QUIET, room=step - 8)
        for line, (text, low) in enumerate((
            (f"{one.contrast_percent} %", one.contrast_percent < limits.contrast_percent),
            (f"colour {one.colour_levels}", one.colour_levels < limits.colour_levels),
        )):  # fmt: skip
            write(page, text, (middle, below + 18 + 18 * line), 10, _ALARM if low else _TEXT, room=step - 8)


def _place(page: Image.Image, picture: Image.Image, side: int, view: str, corner: tuple[int, int]) -> None:
    """A face on a plain tile, its picture as large as on a real one, as the view sees both."""
    box = side * 82 // 100
    longest = max(picture.size)
    size = (max(1, picture.width * box // longest), max(1, picture.height * box // longest))
    tile = Image.new("RGBA", (side, side), (*IVORY, 255))
    small = picture.resize(size, Image.Resampling.BICUBIC)
    tile.alpha_composite(small, ((side - size[0]) // 2, (side - size[1]) // 2))
    window = Image.new("L", (2 * side, 2 * side))
    ImageDraw.Draw(window).rounded_rectangle((0, 0, 2 * side - 1, 2 * side - 1), side * 28 // 100, fill=255)
    page.paste(simulate(tile.convert("RGB"), view if view in VIEWS else "normal"), corner, window.reduce(2))


def _overlay(page: Image.Image, one: Image.Image, other: Image.Image, corner: tuple[int, int]) -> None:
    """Two silhouettes over each other: what both cover, and what one of them does."""
    first, second = (picture.resize((_TILE, _TILE), Image.Resampling.NEAREST) for picture in (one, other))
    both = Image.new("L", first.size)
    both.paste(first, (0, 0), second)
    for colour, mask in ((_ONE, first), (_OTHER, second), (_BOTH, both)):
        page.paste(colour, corner, mask)
