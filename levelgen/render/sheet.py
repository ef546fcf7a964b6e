"""Contact sheets: the boards of a pack side by side, each with its number, its tiles and its layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PIL import Image

from levelgen.board import Deal, Position
from levelgen.render.lettering import write
from levelgen.render.panel import WHITE, Box, glass, pill, ring
from levelgen.render.preview import Painter
from levelgen.render.theme import THEMES, backdrop
from levelgen.render.tile import Cut, Pictures

PER_PAGE = 60
COLUMNS = 10
_FEWEST_COLUMNS = 5
"""As many columns wide is a sheet at least, or its title would not fit."""
_CELL = (190, 262)
_MARGIN = 34
_HEAD = 112
_FOOT = 84
_FINE = 2
"""Boards are drawn so many times larger than they appear."""


class Entry(NamedTuple):
    """One board of a sheet."""

    level: int
    state: Position | Deal
    note: str = ""
    """A word or two under the board: `easy`, `rejected`, a date. Empty: the number of its layers."""


def sheets(
    boards: Sequence[Entry | tuple[int, Position | Deal]],
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
    theme = painter.look(_position(entries[0].state)).theme if entries else THEMES["garden"]
    rows = max(1, -(-len(entries) // across))
    size = (across * _CELL[0] + 2 * _MARGIN, _HEAD + rows * _CELL[1] + _FOOT)
    canvas = backdrop(theme, size).copy()
    write(canvas, title, (_MARGIN + 8, 48), 30, theme.text, weight=20, anchor="start", room=size[0] - 2 * _MARGIN)
    write(canvas, summary, (_MARGIN + 8, 88), 14, theme.text, weight=16, anchor="start", room=size[0] - 2 * _MARGIN)
    for place, entry in enumerate(entries):
        x = _MARGIN + place % across * _CELL[0]
        y = _HEAD + place // across * _CELL[1]
        canvas.paste(_cell(canvas.crop((x, y, x + _CELL[0], y + _CELL[1])), entry, painter), (x, y))
    _legend(canvas, entries, painter)
    return canvas


def _cell(ground: Image.Image, entry: Entry, painter: Painter) -> Image.Image:
    """One board on its panel, over the piece of backdrop it will stand on."""
    position = _position(entry.state)
    theme = painter.look(position).theme
    large = ground.resize((ground.width * _FINE, ground.height * _FINE), Image.Resampling.BICUBIC)
    panel: Box = (10, 10, large.width - 10, large.height - 14)
    glass(large, panel, 26, theme.panel, 150)
    ring(large, panel, 26, 2, WHITE, 36)
    painter.board(large, position, (panel[0] + 16, panel[1] + 60, panel[2] - 16, panel[3] - 16))
    number = str(entry.level)
    width = max(76, 40 + 26 * len(number))
    pill(large, (panel[0] + 12, panel[1] + 10, panel[0] + 12 + width, panel[1] + 54), theme.badge)
    write(large, number, (panel[0] + 12 + width // 2, panel[1] + 32), 22, theme.ink, weight=20, room=width - 20)
    tiles, layers = position.remaining.bit_count(), position.deal.board.layout.layers
    note = f"{tiles} · {entry.note or _counted(layers, 'layer')}"
    write(
        large, note, (panel[2] - 20, panel[1] + 32), 20, theme.text,
        weight=16, anchor="end", room=panel[2] - panel[0] - width - 56,
    )  # fmt: skip
    return large.reduce(_FINE)


def _legend(canvas: Image.Image, entries: Sequence[Entry], painter: Painter) -> None:
    """What bright, dark and patterned tiles mean."""
    if not entries:
        return
    position = _position(entries[0].state)
    sprites = painter.look(position)
    rules = position.deal.board.ruleset
    shown = [face for tile, face in enumerate(position.deal.faces) if not position.hidden >> tile & 1]
    samples: list[tuple[str | None, bool, str]] = [
        (shown[0] if shown else None, False, "open" if rules.id == "pairs" else "free"),
        (shown[0] if shown else None, True, "blocked" if rules.id == "pairs" else "held"),
    ]
    if any(_position(entry.state).hidden for entry in entries):
        samples.append((None, False, "face down"))
    cut = Cut(40, 3, 5)
    x, y = _MARGIN + 8, canvas.height - _FOOT // 2 - 4
    for face, dimmed, word in samples:
        sprite = sprites.tile(face, cut, dimmed=dimmed)
        canvas.paste(sprite, (x, y - sprite.height // 2), sprite)
        x += 56 + write(canvas, word, (x + 56, y), 14, sprites.theme.text, weight=16, anchor="start") + 40


def _summary(entries: Sequence[Entry]) -> str:
    counts = [_position(entry.state).remaining.bit_count() for entry in entries]
    if not counts:
        return "no levels"
    least, most = min(counts), max(counts)
    tiles = _counted(least, "tile") if least == most else f"{least} to {most} tiles"
    return f"{_counted(len(entries), 'level')} · {tiles}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _position(state: Position | Deal) -> Position:
    return state.start if isinstance(state, Deal) else state
