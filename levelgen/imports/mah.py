"""ffalt/mah boards: JSON, many boards a file, coordinates in half-tiles.

    {"mah": "1.0", "boards": [{"name": "Step", "by": "N.", "map": [[0, [[0, [[0, 4]]], [2, [0, 6]]]]]}]}

`map` lists layers `[z, rows]`, rows `[y, cells]`, and cells that are an x or `[x, count]`: a run of tiles. An older
`mapping` lists tiles as `[z, x, y]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from levelgen.errors import Finding, Malformed
from levelgen.imports.jsontext import Array, Object, Value
from levelgen.imports.source import MAX_LAYOUTS, MAX_SIDE, Found, Sheet, Source


def matches(source: Source) -> bool:
    """Whether the file is JSON with boards in it."""
    return source.head[:1] in (b"{", b"[") and _boards(source.json) is not None


def _boards(value: Value) -> Array | None:
    known = isinstance(value, Object) and "mah" in value
    if isinstance(value, Object):
        value = value.get("boards") if "boards" in value or "mah" not in value else Array(value.line)
    if isinstance(value, Array) and (known or not value or any(map(_is_board, value))):
        return value
    return None


def _is_board(value: Value) -> bool:
    return isinstance(value, Object) and not {"map", "mapping"}.isdisjoint(value)


def read(source: Source) -> Iterator[Found | Finding]:
    """Every board of the file.

    Raises:
        Malformed: there is none, or too many.
    """
    boards = _boards(source.json)
    if not boards:
        raise source.stop("no-boards", "lists no boards", 1, 'write {"mah": "1.0", "boards": […]}')
    if len(boards) > MAX_LAYOUTS:
        raise source.stop("too-many", f"has more than {MAX_LAYOUTS} boards", boards.lines[MAX_LAYOUTS])
    for place, board in enumerate(boards):
        if not isinstance(board, Object) or not _is_board(board):
            yield source.finding("shape", "is no board", boards.lines[place], "a board has a `map`: lists within lists")
            continue
        title, author, licence = (
            text if isinstance(text := board.get(key), str) else "" for key in ("name", "by", "licence")
        )
        sheet = Sheet(source, title, board.line, author=author, licence=licence)
        try:
            if "map" in board:
                _read_map(sheet, board["map"], board.lines["map"])
            else:
                _read_mapping(sheet, board["mapping"], board.lines["mapping"])
        except Malformed as error:
            sheet.tell(error.findings[0])
        yield from sheet.done()


def _read_map(sheet: Sheet, value: Value, line: int) -> None:
    for layer in _list(sheet, value, line):
        z, rows = _couple(sheet, layer, line, "a layer is [z, rows]")
        height = _place(sheet, z, line)
        for row in _list(sheet, rows, line):
            y, cells = _couple(sheet, row, line, "a row is [y, cells]")
            assert isinstance(row, Array), "a couple is a list"
            down = _place(sheet, y, row.line)
            for cell in cells if isinstance(cells, Array) else (cells,):
                is_run = isinstance(cell, Array)
                x, count = _couple(sheet, cell, row.line, "a run is [x, count]") if is_run else (cell, 1)
                try:
                    across, length = _place(sheet, x, row.line), _place(sheet, count, row.line)
                except Malformed as error:  # the other cells may be wrong too
                    sheet.tell(error.findings[0])
                    continue
                if not sheet.room(length, row.line):
                    return
                for step in range(length):
                    sheet.put(across + 2 * step, down, height, row.line)


def _read_mapping(sheet: Sheet, value: Value, line: int) -> None:
    for tile in _list(sheet, value, line):
        if not isinstance(tile, Array) or len(tile) < 3:
            raise sheet.source.stop("shape", "is no tile", getattr(tile, "line", line), "a tile is [z, x, y]")
        z, x, y = (_place(sheet, number, tile.line) for number in tile[:3])
        sheet.put(x, y, z, tile.line)


def _list(sheet: Sheet, value: Value, line: int) -> Array:
    if not isinstance(value, Array):
        raise sheet.source.stop("shape", "is no list", line, "the board's map is lists within lists")
    return value


def _couple(sheet: Sheet, value: Value, line: int, meant: str) -> tuple[Value, Value]:
    if not isinstance(value, Array) or len(value) != 2:
        raise sheet.source.stop("shape", f"is no list of two: {meant}", getattr(value, "line", line))
    return value[0], value[1]


def _place(sheet: Sheet, value: Value, line: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_SIDE:
        raise sheet.source.stop("number", f"{str(value)[:20]!r} is no place", line,
                                f"write a whole number of half-tiles from 0 to {MAX_SIDE - 1}")  # fmt: skip
    return value
