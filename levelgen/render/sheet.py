"""Contact sheets: the boards of a pack side by side, each with its number, its tiles and its layers.

Where it is known how hard the levels are, a strip above them shows the curve: a bar a level, a line across it where the
recipe wanted it, and every board has its own bar below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PIL import Image, ImageDraw

from levelgen.board import Deal, Position
from levelgen.errors import counted
from levelgen.render.lettering import write
from levelgen.render.panel import WHITE, Box, faded, glass, pill, ring, rounded
from levelgen.render.preview import Painter
from levelgen.render.theme import THEMES, Colour, backdrop, mix
from levelgen.render.tile import Cut, Pictures

PER_PAGE = 60
COLUMNS = 10
_FEWEST_COLUMNS = 5
"""As many columns wide is a sheet at least, or its title would not fit."""
_CELL = (190, 262)
_MARGIN = 34
_HEAD = 112
_FOOT = 84
_STRIP = 120
"""Height of the curve, if there is one."""
HARDEST = 1_000
_EASY, _MIDDLE, _HARD = (86, 196, 122), (246, 190, 74), (228, 78, 84)
_FINE = 2
"""Boards are drawn so many times larger than they appear."""


class Entry(NamedTuple):
    """One board of a sheet."""

    level: int
    state: Position | Deal
    note: str = ""
    """A word or two under the board: `easy`, `rejected`, a date. Empty: the number of its layers."""
    rating: int | None = None
    """How hard it is, 0 to `HARDEST`; None where nobody said."""
    target: int | None = None
    """How hard it was meant to be."""
    templates: tuple[str, ...] = ()
    """What it is made of."""


def sheets(
    boards: Sequence[Entry | tuple[Any, ...]],
    source: Pictures | Painter,
    *,
    title: str,
    per_page: int = PER_PAGE,
    columns: int = COLUMNS,
) -> list[Image.Image]:
    """The pages of a contact sheet, at least one, as RGB. The last one is only as high as it needs to be."""
    painter = source if isinstance(source, Painter) else Painter(source)
    entries = [Entry(*board) for board in boards]
    pages = [entries[start : start + per_page] for start in range(0, len(entries), per_page)] or [entries]
    across = max(_FEWEST_COLUMNS, min(columns, per_page, len(entries)))
    return [
        _page(page, painter, across, title, f"{_summary(entries)} · page {number} of {len(pages)}")
        for number, page in enumerate(pages, start=1)
    ]


def _page(entries: Sequence[Entry], painter: Painter, across: int, title: str, summary: str) -> Image.Image:
    theme = painter.look(position_of(entries[0].state)).theme if entries else THEMES["garden"]
    rows = max(1, -(-len(entries) // across))
    rated = any(entry.rating is not None for entry in entries)
    head = _HEAD + (_STRIP if rated else 0)
    size = (across * _CELL[0] + 2 * _MARGIN, head + rows * _CELL[1] + _FOOT)
    canvas = backdrop(theme, size).copy()
    write(canvas, title, (_MARGIN + 8, 48), 30, theme.text, weight=20, anchor="start", room=size[0] - 2 * _MARGIN)
    write(canvas, summary, (_MARGIN + 8, 88), 14, theme.text, weight=16, anchor="start", room=size[0] - 2 * _MARGIN)
    if rated:
        box = (_MARGIN + 10, _HEAD, size[0] - _MARGIN - 10, _HEAD + _STRIP - 14)
        glass(canvas, box, 16, theme.panel, 150)
        ring(canvas, box, 16, 1, WHITE, 36)
        write(canvas, "difficulty", (box[0] + 16, box[1] + 24), 12, theme.text, weight=16, anchor="start", room=110)
        if any(entry.target is not None for entry in entries):
            write(canvas, "- wanted", (box[0] + 16, box[1] + 50), 10, theme.text, weight=16, anchor="start", room=110)
        curve(canvas, entries, (box[0] + 130, box[1] + 12, box[2] - 16, box[3] - 8), theme.text)
    for place, entry in enumerate(entries):
        x = _MARGIN + place % across * _CELL[0]
        y = head + place // across * _CELL[1]
        canvas.paste(_cell(canvas.crop((x, y, x + _CELL[0], y + _CELL[1])), entry, painter), (x, y))
    _legend(canvas, entries, painter)
    return canvas


def _cell(ground: Image.Image, entry: Entry, painter: Painter) -> Image.Image:
    """One board on its panel, over the piece of backdrop it will stand on."""
    position = position_of(entry.state)
    theme = painter.look(position).theme
    large = ground.resize((ground.width * _FINE, ground.height * _FINE), Image.Resampling.BICUBIC)
    panel: Box = (10, 10, large.width - 10, large.height - 14)
    glass(large, panel, 26, theme.panel, 150)
    ring(large, panel, 26, 2, WHITE, 36)
    floor = panel[3] - (16 if entry.rating is None else 36)
    painter.board(large, position, (panel[0] + 16, panel[1] + 60, panel[2] - 16, floor))
    if entry.rating is not None:
        gauge(large, entry, (panel[0] + 22, panel[3] - 24, panel[2] - 22, panel[3] - 14), theme.text)
    number = str(entry.level)
    width = max(76, 40 + 26 * len(number))
    pill(large, (panel[0] + 12, panel[1] + 10, panel[0] + 12 + width, panel[1] + 54), theme.badge)
    write(large, number, (panel[0] + 12 + width // 2, panel[1] + 32), 22, theme.ink, weight=20, room=width - 20)
    tiles, layers = position.remaining.bit_count(), position.deal.board.layout.layers
    note = f"{tiles} · {entry.note or counted(layers, 'layer')}"
    write(
        large, note, (panel[2] - 20, panel[1] + 32), 20, theme.text,
        weight=16, anchor="end", room=panel[2] - panel[0] - width - 56,
    )  # fmt: skip
    return large.reduce(_FINE)


def curve(canvas: Image.Image, entries: Sequence[Entry], box: Box, text: Colour) -> None:
    """A bar for each entry, as high as it is hard, its target across it, numbers below where there is room."""
    pen = ImageDraw.Draw(canvas)
    left, top, right, bottom = box
    floor = bottom - 18
    pitch = (right - left) * 256 // max(1, len(entries))
    wide = max(1, min(44, pitch * 6 // 10 // 256))
    every = max(1, -(-24 * 256 // max(1, pitch)))
    for place, entry in enumerate(entries):
        middle = left + (2 * place + 1) * pitch // 512
        x = middle - wide // 2
        if entry.rating is not None:
            high = max(1, (floor - top) * _bounded(entry.rating) // HARDEST)
            pen.rectangle((x, floor - high, x + wide - 1, floor), fill=hardness(entry.rating))
        if entry.target is not None:
            y = floor - (floor - top) * _bounded(entry.target) // HARDEST
            reach = max(1, wide // 5)
            pen.rectangle((x - reach, y - 1, x + wide - 1 + reach, y), fill=text)
        if place % every == 0:
            write(canvas, str(entry.level), (middle, bottom - 6), 9, text, weight=16)
    pen.line((left, floor + 1, right, floor + 1), fill=text)


def gauge(canvas: Image.Image, entry: Entry, box: Box, text: Colour) -> None:
    """How hard one level is, as a line that fills from the left, and a tick where it was meant to be."""
    left, top, right, bottom = box
    radius = (bottom - top) // 2
    canvas.paste(mix(text, (128, 128, 128), 60), box[:2], faded(rounded((right - left, bottom - top), radius), 110))
    width = max(bottom - top, (right - left) * _bounded(entry.rating or 0) // HARDEST)
    canvas.paste(hardness(entry.rating or 0), box[:2], rounded((width, bottom - top), radius))
    if entry.target is not None:
        x = left + (right - left) * _bounded(entry.target) // HARDEST
        ImageDraw.Draw(canvas).rectangle((x - 1, top - 4, x + 1, bottom + 3), fill=text)


def hardness(rating: int) -> Colour:
    """Green, amber, red, and what lies between them."""
    place, half = _bounded(rating), HARDEST // 2
    if place < half:
        return mix(_MIDDLE, _EASY, place, half)
    return mix(_HARD, _MIDDLE, place - half, half)


def _bounded(rating: int) -> int:
    return max(0, min(HARDEST, rating))


def _legend(canvas: Image.Image, entries: Sequence[Entry], painter: Painter) -> None:
    """What bright, dark and patterned tiles mean."""
    if not entries:
        return
    position = position_of(entries[0].state)
    sprites = painter.look(position)
    rules = position.deal.board.ruleset
    shown = [face for tile, face in enumerate(position.deal.faces) if not position.hidden >> tile & 1]
    samples: list[tuple[str | None, bool, str]] = [
        (shown[0] if shown else None, False, "open" if rules.id == "pairs" else "free"),
        (shown[0] if shown else None, True, "blocked" if rules.id == "pairs" else "held"),
    ]
    if any(position_of(entry.state).hidden for entry in entries):
        samples.append((None, False, "face down"))
    cut = Cut(40, 3, 5)
    x, y = _MARGIN + 8, canvas.height - _FOOT // 2 - 4
    for face, dimmed, word in samples:
        sprite = sprites.tile(face, cut, dimmed=dimmed)
        canvas.paste(sprite, (x, y - sprite.height // 2), sprite)
        x += 56 + write(canvas, word, (x + 56, y), 14, sprites.theme.text, weight=16, anchor="start") + 40


def _summary(entries: Sequence[Entry]) -> str:
    counts = [position_of(entry.state).remaining.bit_count() for entry in entries]
    if not counts:
        return "no levels"
    least, most = min(counts), max(counts)
    tiles = counted(least, "tile") if least == most else f"{least} to {most} tiles"
    return f"{counted(len(entries), 'level')} · {tiles}"


def position_of(state: Position | Deal) -> Position:
    """A position as it is, a deal as it starts."""
    return state.start if isinstance(state, Deal) else state
