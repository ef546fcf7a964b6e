"""A solution as a moving picture: the start, for every move what is about to be played and what comes of it, the end.

    shots = film(deal, moves, painter, level=12, size=(360, 640))       # a pure function, like any picture
    save_film(shots, Path("012.webp"))                                   # .gif, .png or .apng, .webp

Every picture is replayed by the law. Its length is bounded: the more moves, the faster they are shown.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from levelgen.board import Deal, Position
from levelgen.errors import Malformed
from levelgen.moves import Move
from levelgen.pack.disk import write_file
from levelgen.render.preview import Painter
from levelgen.render.theme import Size, mix

SIZE: Size = (360, 640)
"""Of a film, if nothing else is said."""
KINDS = {".gif": "GIF", ".png": "PNG", ".apng": "PNG", ".webp": "WEBP"}
MOST_MOVES = 1_000
FIRST, LAST = 1_000, 2_000
"""Milliseconds of the first and the last picture."""
SLOWEST, FASTEST = 560, 120
"""Milliseconds a move may take."""
WHOLE = 24_000
"""Milliseconds that all moves take together, where they are many."""
COLOURS = 224
"""Colours of a GIF or APNG."""


class Shot(NamedTuple):
    """One picture of a film, RGB, and how long it is shown."""

    picture: Image.Image
    milliseconds: int


def film(
    deal: Deal,
    moves: Sequence[Move],
    painter: Painter,
    *,
    level: int | None = None,
    title: str = "",
    size: Size = SIZE,
) -> Iterator[Shot]:
    """The film of `moves` from the start of `deal`.

    Raises:
        Malformed: there are more moves than a film shows.
        AnswerIsNo: the law refuses one of them.
    """
    if len(moves) > MOST_MOVES:
        raise Malformed.of("film/long", f"{len(moves)} moves are more than the {MOST_MOVES} a film shows")
    position = deal.start
    each = max(FASTEST, min(SLOWEST, WHOLE // max(1, len(moves)))) // 10 * 10

    def shot(position: Position, done: int, chosen: tuple[int, ...], milliseconds: int) -> Shot:
        picture = painter.preview(position, level=level, title=title, size=size, chosen=chosen)
        _progress(picture, done, len(moves), painter, position)
        return Shot(picture, milliseconds)

    yield shot(position, 0, (), FIRST)
    for number, move in enumerate(moves, start=1):
        half = each // 20 * 10
        yield shot(position, number - 1, move.tiles, half)
        position = position.play(move)
        yield shot(position, number, (), LAST if number == len(moves) else each - half)


def _progress(picture: Image.Image, done: int, whole: int, painter: Painter, position: Position) -> None:
    """A line along the lower edge: how far the film has come."""
    theme = painter.look(position).theme
    high = max(3, picture.height // 160)
    top = picture.height - high
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, top, picture.width, picture.height), fill=mix(theme.panel, theme.text, 200))
    if done:
        pen.rectangle((0, top, picture.width * done // whole - 1, picture.height), fill=theme.mark)


def kind_of(path: Path) -> str:
    """The format a film's name asks for.

    Raises:
        Malformed: it asks for none that is known.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise Malformed.of("film/kind", f"{path.name!r} is no name for a film", "-o", f"end it in {', '.join(KINDS)}")
    return kind


def film_bytes(shots: Iterable[Shot], kind: str) -> bytes:
    """The film as GIF, PNG (an APNG) or WEBP; it runs again and again.

    GIF and APNG share one palette, taken of the first picture and one from the middle, without dithering: what does
    not move then has the same bytes in every picture.
    """
    pictures, times = zip(*shots, strict=True)
    if kind != "WEBP":
        sample = Image.new("RGB", (pictures[0].width, 2 * pictures[0].height))
        sample.paste(pictures[min(1, len(pictures) - 1)], (0, 0))
        sample.paste(pictures[len(pictures) // 2], (0, pictures[0].height))
        palette = sample.quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        pictures = tuple(one.quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures)
    packed = io.BytesIO()
    options: dict[str, Any] = {
        "GIF": {"optimize": False, "disposal": 1},
        "PNG": {"compress_level": 9, "blend": 0},
        "WEBP": {"quality": 80, "method": 3, "kmax": 60},
    }[kind]
    pictures[0].save(packed, kind, save_all=True, append_images=pictures[1:], duration=list(times), loop=0, **options)
    return packed.getvalue()


def save_film(shots: Iterable[Shot], path: Path) -> int:
    """Write the film, whole or not at all; returns its size in bytes.

    Raises:
        Malformed: the name asks for no known format.
        OSError: the directory does not exist or cannot be written.
    """
    data = film_bytes(shots, kind_of(path))
    write_file(path, data)
    return len(data)
