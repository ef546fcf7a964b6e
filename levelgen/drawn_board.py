"""A board as a person draws it in a text file; it goes wherever a board file goes.

    levelgen-board 1 pairs
    A = AR1_007
    tray C
    AABB
    AABB
    -- 1
    .aa
    .aa

The first line names the ruleset. Then lines that say which face a letter stands for (without one the letter is the
face's name) and which letters wait in the tray. Then the drawing, read by `layout.parse`: a tile is a letter two wide
and two high, an uppercase letter shows its face, a lowercase letter is a face-down tile of that face.
"""

from __future__ import annotations

import re

from levelgen.board import Board, Deal
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.layout import MAX_TILES, Layout, draw, parse, violations
from levelgen.rules import RULESETS

MARK = b"levelgen-board "
"""How a text board begins; nothing else that levelgen reads does."""
MAX_BYTES = 1 << 20

_HEAD = re.compile(r"levelgen-board 1 ([a-z]+)\s*\Z")
_NAMED = re.compile(r"([A-Z])\s*=\s*([A-Za-z0-9][A-Za-z0-9._:/-]{0,63})\s*\Z")
_TRAY = re.compile(r"tray((?:\s+[A-Z])+)\s*\Z")


def parse_drawn(data: bytes, where: str = "board") -> Deal:
    """The deal drawn in `data`.

    Raises:
        Malformed: with everything that is wrong with it, by line and column.
    """
    if len(data) > MAX_BYTES:
        raise Malformed.of("board/too-long", f"is longer than {MAX_BYTES} bytes", where)
    try:
        lines = data.decode("ascii").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Malformed.of("board/encoding", "a drawn board is ASCII", f"{where}:{line}") from None
    head = _HEAD.match(lines[0])
    if head is None or head[1] not in RULESETS:
        fix = f"write `levelgen-board 1 {' or '.join(RULESETS)}`"
        raise Malformed.of("board/head", f"cannot read the heading {lines[0][:60]!r}", f"{where}:1:1", fix)
    names: dict[str, str] = {}
    tray: tuple[str, ...] = ()
    at = 1
    while at < len(lines):
        named, waiting = _NAMED.match(lines[at]), _TRAY.match(lines[at])
        if named:
            names[named[1]] = named[2]
        elif waiting:
            tray = tuple(waiting[1].split())
        elif lines[at].strip():
            break
        at += 1
    layout, marks = _drawing(lines[at:], at, where)
    strange = sorted({mark for mark in marks.values() if not (mark.isascii() and mark.isalpha())})
    if strange:
        raise Malformed.of("board/letter", f"{strange[0]!r} is no letter", where, "draw tiles with the letters A to Z")
    faces = tuple(names.get(mark.upper(), mark.upper()) for _, mark in sorted(marks.items()))
    hidden = tuple(tile for tile, mark in sorted(marks.items()) if mark.islower())
    unused = sorted(set(names) - {mark.upper() for mark in marks.values()} - set(tray))
    if unused:
        raise Malformed.of("board/letter", f"no tile shows {unused[0]}", where, f"remove `{unused[0]} = …`")
    deal = Deal(Board.compile(layout, RULESETS[head[1]]), faces, hidden, tuple(names.get(one, one) for one in tray))
    wrong = [*violations(layout), *(one for one in deal.violations() if one.code != "deal/no-move")]
    if wrong:
        raise Malformed([Finding(one.code, one.message, f"{where}: {one.where}" if one.where else where, one.fix)
                         for one in wrong])  # fmt: skip
    return deal


def _drawing(rows: list[str], above: int, where: str) -> tuple[Layout, dict[int, str]]:
    """`layout.parse` of rows that stand so many lines further down in their file."""
    try:
        layout, marks = parse("\n".join(rows), where)
    except LevelgenError as error:
        moved = []
        for one in error.findings:
            place, line, column = one.where.rsplit(":", 2)
            moved.append(Finding(one.code, one.message, f"{place}:{int(line) + above}:{column}", one.fix))
        raise Malformed(moved) from None
    if not 0 < len(layout) <= MAX_TILES:
        raise Malformed.of("board/tiles", f"draws {len(layout)} tiles; 1 … {MAX_TILES} are read", where)
    return layout, marks


def draw_board(deal: Deal) -> str | None:
    """The deal as `parse_drawn` reads it; None when it shows more faces than there are letters, or is in mid-game."""
    faces = sorted({*deal.faces, *deal.tray})
    if len(faces) > 26 or deal.removed:
        return None
    letters = {face: chr(ord("A") + index) for index, face in enumerate(faces)}
    if all(len(face) == 1 and "A" <= face <= "Z" for face in faces):
        letters = {face: face for face in faces}
    lines = [f"levelgen-board 1 {deal.board.ruleset.id}"]
    lines += [f"{letter} = {face}" for face, letter in letters.items() if face != letter]
    if deal.tray:
        lines.append("tray " + " ".join(letters[face] for face in deal.tray))
    hidden = set(deal.face_down)
    marks = {tile: letters[face].lower() if tile in hidden else letters[face] for tile, face in enumerate(deal.faces)}
    return "\n".join(lines) + "\n" + draw(deal.board.layout, marks)
