"""A board in the terminal, seen from above: half a tile is two columns wide and one line high.

Piped, it is ASCII: a tile is `[A ]` over `[_2]`, its symbol in the first corner that can be seen and its layer in the
last; square brackets stand around an open tile, bars around a blocked one. On a terminal the same is drawn in
colour: ivory plates, the lower edge of each as half blocks, blocked tiles dark. A legend names the symbols.
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from levelgen.board import Deal, Position, tiles_of
from levelgen.errors import counted

SYMBOLS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "@$%&+=*"
"""One a face, in the order of their names; a level with more faces uses the later ones twice."""
HIDDEN = "?"
BLANK = ""
"""The face of tiles that show none: a layout before it is dealt."""
_CORNERS = ((0, 0), (1, 0), (0, 1), (1, 1))
_LAYERS = string.digits + string.ascii_lowercase

_OPEN = ((252, 246, 230), (40, 44, 60))
_BLOCKED = ((122, 118, 124), (30, 32, 40))
_BACK = ((19, 122, 106), (250, 220, 150))
_BACK_BLOCKED = ((14, 74, 68), (180, 160, 110))
_EDGE = ((196, 160, 96), (78, 74, 84))
"""Lower edges: of an open tile, of a blocked one."""
_RESET = "\x1b[0m"


class _Corner(NamedTuple):
    """A visible quarter of a tile."""

    tile: int
    corner: tuple[int, int]
    symbol: bool
    layer: bool


def show(state: Position | Deal, colour: bool = False, width: int = 80) -> str:
    """The board, the tray and the legend as text, each line ended by a line feed.

    A board wider than `width` columns is drawn in half the columns, without brackets: `*` follows the symbol of an
    open tile and `.` that of a blocked one. Legend lines are wrapped at `width`; hidden faces are not told.
    """
    position = state.start if isinstance(state, Deal) else state
    symbols = _symbols(position)
    left, top, right, bottom = position.deal.board.layout.bounds()
    narrow = 2 * (right - left) > width
    free = set(position.deal.board.open_tiles(position.remaining))
    seen = _seen(position)
    lines = []
    for y in range(top, bottom):
        line, style = "", ""
        for x in range(left, right):
            spot = seen.get((x, y))
            if spot is None:
                line += (_RESET if style else "") + " " * (1 if narrow else 2)
                style = ""
                continue
            hidden = position.hidden >> spot.tile & 1
            symbol = HIDDEN if hidden else symbols[position.deal.faces[spot.tile]]
            if not colour:
                line += _plain(spot, position, symbol, spot.tile in free, narrow)
                continue
            for wanted, character in _painted(spot, position, symbol, spot.tile in free, narrow):
                line += character if wanted == style else wanted + character
                style = wanted
        lines.append(line + _RESET if style else line.rstrip())
    lines.append("")
    lines += _legend(position, symbols, len(free), width, narrow=narrow, colour=colour)
    return "".join(line + "\n" for line in lines)


def _symbols(position: Position) -> dict[str, str]:
    """A symbol for each face that can be seen, in the board or in the tray; a face named by a letter keeps that one."""
    faces = {position.deal.faces[tile] for tile in tiles_of(position.remaining & ~position.hidden)}
    named = sorted((faces | set(position.tray)) - {BLANK})
    symbols = {face: face for face in named if len(face) == 1 and face in SYMBOLS}
    free = [symbol for symbol in SYMBOLS if symbol not in symbols] or SYMBOLS
    others = [face for face in named if face not in symbols]
    symbols |= {face: free[place % len(free)] for place, face in enumerate(others)}
    symbols = {face: symbols[face] for face in named}
    return {**symbols, BLANK: " "} if BLANK in faces else symbols


def _seen(position: Position) -> dict[tuple[int, int], _Corner]:
    """What is uppermost in each half-tile cell."""
    slots = position.deal.board.layout.slots
    top: dict[tuple[int, int], int] = {}
    for tile in tiles_of(position.remaining):  # canonical order: from the lowest layer up
        for dx, dy in _CORNERS:
            top[slots[tile].x + dx, slots[tile].y + dy] = tile
    visible: dict[int, list[tuple[int, int]]] = {}
    for tile in set(top.values()):
        slot = slots[tile]
        visible[tile] = [corner for corner in _CORNERS if top[slot.x + corner[0], slot.y + corner[1]] == tile]
    return {
        cell: _Corner(tile, corner, corner == corners[0], corner == corners[-1] and len(corners) > 1)
        for cell, tile in top.items()
        for corners in (visible[tile],)
        for corner in ((cell[0] - slots[tile].x, cell[1] - slots[tile].y),)
    }


def _plain(spot: _Corner, position: Position, symbol: str, is_open: bool, narrow: bool) -> str:
    """One half-tile cell in ASCII: two columns, or one when narrow."""
    right, lower = spot.corner
    if narrow:
        return symbol if not right else "*" if is_open else "."
    inside = symbol if spot.symbol else _layer(position, spot.tile) if spot.layer else "_" if lower else " "
    bracket = ("]" if right else "[") if is_open else "|"
    return inside + bracket if right else bracket + inside


def _painted(spot: _Corner, position: Position, symbol: str, is_open: bool, narrow: bool) -> Iterator[tuple[str, str]]:
    """One half-tile cell in colour: pairs of the escape sequence and the one character it applies to."""
    right, lower = spot.corner
    if position.hidden >> spot.tile & 1:
        plate, ink = _BACK if is_open else _BACK_BLOCKED
    else:
        plate, ink = _OPEN if is_open else _BLOCKED
    edge = _EDGE[not is_open]
    inside = symbol if spot.symbol else _layer(position, spot.tile) if spot.layer and not narrow else ""
    border = ("▟" if lower else "▕") if right else "▄" if lower else " "
    characters = [(inside, ink) if inside else (border if narrow or not right else "▄" if lower else " ", edge)]
    if not narrow:
        other = (border, edge)
        characters = [characters[0], other] if right else [("▄" if lower else " ", edge), characters[0]]
    for character, tint in characters:
        yield f"\x1b[0{';1' if is_open else ''};48;2;{_rgb(plate)};38;2;{_rgb(tint)}m", character


def _rgb(colour: tuple[int, int, int]) -> str:
    return ";".join(map(str, colour))


def _layer(position: Position, tile: int) -> str:
    z = position.deal.board.layout.slots[tile].z
    return _LAYERS[z] if z < len(_LAYERS) else "^"


def _legend(
    position: Position, symbols: dict[str, str], free: int, width: int, *, narrow: bool, colour: bool
) -> Iterator[str]:
    rules, deal = position.deal.board.ruleset, position.deal
    count = position.remaining.bit_count()
    layers = deal.board.layout.layers
    yield f"{counted(count, 'tile')}, {free} {'open' if rules.id == 'pairs' else 'free'}, {counted(layers, 'layer')}"
    if BLANK not in symbols:
        slots = [symbols[face] for face in position.tray]
        yield f"tray {' '.join(f'[{slot}]' for slot in slots + [' '] * (rules.tray - len(slots)))}"
    if not colour:
        marks = "A* open, A. blocked" if narrow else "[A] open, |A| blocked, the digit is the layer"
        yield marks if rules.id == "pairs" else marks.replace("open", "free").replace("blocked", "held")
    if BLANK in symbols:
        return
    tally = Counter(deal.faces[tile] for tile in tiles_of(position.remaining & ~position.hidden))
    entries = [f"{symbol} {face} ×{tally[face]}" if colour else f"{symbol} {face} x{tally[face]}"
               for face, symbol in symbols.items()]  # fmt: skip
    if position.hidden:
        entries.append(f"{HIDDEN} face down {'×' if colour else 'x'}{position.hidden.bit_count()}")
    column = max((len(entry) for entry in entries), default=0) + 3
    across = max(1, width // column) if entries else 1
    for start in range(0, len(entries), across):
        yield "".join(entry.ljust(column) for entry in entries[start : start + across]).rstrip()
