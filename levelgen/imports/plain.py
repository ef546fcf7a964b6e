"""Our own plain forms: a layout or board as JSON, or as CSV for a spreadsheet.

    {"schema": "levelgen/layout/1", "title": "Step", "tiles": [[0, 0, 0], [2, 0, 0]]}

    x,y,z,face,face_down
    0,0,0,AR1_001,

Half-tiles both; `faces` and `face_down` are there for boards, and reading a layout passes them over.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from levelgen.errors import Finding
from levelgen.imports.jsontext import Array, Object
from levelgen.imports.source import MAX_SIDE, Found, Outgoing, Sheet, Source

SCHEMA = "levelgen/layout/1"
COLUMNS = ("x", "y", "z")


def matches_json(source: Source) -> bool:
    """Whether the file is such a layout in JSON."""
    return source.head[:1] == b"{" and isinstance(source.json, Object) and source.json.get("schema") == SCHEMA


def read_json(source: Source) -> Iterator[Found | Finding]:
    """The layout of the file."""
    data = source.json
    assert isinstance(data, Object), "matches_json() has looked"
    keys = ("title", "author", "licence", "provenance")
    title, author, licence, provenance = (text if isinstance(text := data.get(key), str) else "" for key in keys)
    sheet = Sheet(source, title, data.line, author=author, licence=licence, provenance=provenance)
    tiles = data.get("tiles")
    if not isinstance(tiles, Array):
        raise source.stop("shape", "has no list `tiles`", data.lines.get("tiles", 1))
    for tile, line in zip(tiles, tiles.lines, strict=True):
        numbers = tile if isinstance(tile, Array) else Array(line)
        x, y, z = (number if _is_place(number) else -1 for number in (*numbers, None, None, None)[:3])
        if len(numbers) != 3 or not isinstance(x, int) or not isinstance(y, int) or not isinstance(z, int):
            sheet.say("shape", "is no tile", line, "a tile is [x, y, z]")
        elif min(x, y, z) < 0:
            sheet.say("number", "is no place", line, f"write whole half-tiles from 0 to {MAX_SIDE - 1}")
        else:
            sheet.put(x, y, z, line)
    yield from sheet.done()


def _is_place(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < MAX_SIDE


def matches_csv(source: Source) -> bool:
    """Whether the file begins with the columns of such a table."""
    first = source.head.split(b"\n", 1)[0].replace(b" ", b"").replace(b'"', b"").strip().lower()
    return first.startswith(b"x,y,z")


def read_csv(source: Source) -> Iterator[Found | Finding]:
    """The layout of the file."""
    sheet = Sheet(source, "", 1)
    rows = csv.reader(source.text.split("\n"), strict=True)
    while True:
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            raise source.stop("csv", f"is no CSV: {error}", rows.line_num) from None
        if sheet.full:
            break
        words = [word.strip() for word in row[:3]]
        if rows.line_num == 1 or not any(words):
            continue
        good = len(words) == 3 and all(w.isascii() and w.isdigit() and len(w) < 6 and int(w) < MAX_SIDE for w in words)
        if good:
            x, y, z = map(int, words)
            sheet.put(x, y, z, rows.line_num)
        else:
            sheet.say("number", f"{', '.join(words)[:30]!r} is no place", rows.line_num,
                      f"write x, y and z as whole half-tiles from 0 to {MAX_SIDE - 1}")  # fmt: skip
    yield from sheet.done()


def write_json(out: Outgoing) -> bytes:
    """The layout, or the board with its faces, as JSON: a tile a line."""
    head: dict[str, object] = {"schema": SCHEMA, "title": out.title, "author": out.author}
    head |= {"licence": out.licence, "provenance": out.provenance}
    if out.faces:
        head |= {"faces": list(out.faces), "face_down": sorted(out.face_down)}
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items() if value]
    tiles = ",\n".join(f"  [{x}, {y}, {z}]" for x, y, z in out.layout)
    return ("{\n" + "\n".join(lines) + f'\n "tiles": [\n{tiles}\n ]\n}}\n').encode()


def write_csv(out: Outgoing) -> bytes:
    """The layout, or the board with its faces, as CSV."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow((*COLUMNS, "face", "face_down") if out.faces else COLUMNS)
    for tile, slot in enumerate(out.layout):
        rows.writerow((*slot, out.faces[tile], "yes" if tile in out.face_down else "") if out.faces else slot)
    return text.getvalue().encode()
