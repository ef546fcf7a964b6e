"""KMahjongg `.layout`, 1.0 and 1.1: rows of half-tile cells, one grid a layer, the lowest first.

A tile is `12` over `43`, an empty cell is `.`. Version 1.0 has 32×16 cells and five layers; 1.1 says its own size in
lines `w32`, `h16`, `d5`. Lines that begin with `#` are comments; `# name:`, `# by:`, `# licence:` and
`# provenance:` are understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from levelgen.errors import Finding
from levelgen.imports.source import MAX_PLACES, MAX_SIDE, Found, Outgoing, Sheet, Source, clean, licence_in

MAGIC = "kmahjongg-layout-v1."
_SIZE = re.compile(r"([whd])\s*([0-9]{1,18})\s*")
_NOTE = re.compile(r"#\s*(name|by|provenance)\s*:\s*(.*)", re.IGNORECASE)
_AROUND = (("2", 1, 0), ("4", 0, 1), ("3", 1, 1))
"""The other three cells of a tile, from the one marked 1."""


def matches(source: Source) -> bool:
    """Whether the file begins as such a layout does."""
    return source.head.startswith(MAGIC.encode())


def read(source: Source) -> Iterator[Found | Finding]:
    """The one layout of the file.

    Raises:
        Malformed: the version, the size or the number of rows is wrong.
    """
    lines = source.text.lstrip("\n").split("\n")
    skipped = source.text.count("\n") + 1 - len(lines)
    version = lines[0].strip().removeprefix(MAGIC)
    if version not in ("0", "1"):
        shown = "1." + version[:20]
        raise source.stop("version", f"is a layout of version {shown!r}; 1.0 and 1.1 are read", skipped + 1)
    size = {"w": 32, "h": 16, "d": 5}
    notes: dict[str, str] = {}
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines[1:], start=skipped + 2):
        text = line.rstrip()
        if text.startswith("#"):
            if note := _NOTE.match(text):
                notes.setdefault(note[1].lower(), note[2].strip())
            elif licence := licence_in(text):
                notes.setdefault("licence", licence)
        elif version == "1" and (found := _SIZE.fullmatch(text)):
            size[found[1]] = int(found[2])
        elif text:
            rows.append((number, text))
            if len(rows) > MAX_PLACES:
                raise source.stop("rows", f"has more than {MAX_PLACES} rows", number)
    width, height, depth = (size[name] for name in "whd")
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE and depth > 0) or width * height * depth > MAX_PLACES:
        raise source.stop("size", f"is {width}×{height}×{depth} cells: out of bounds", skipped + 1,
                          f"stay below {MAX_SIDE}×{MAX_SIDE} and {MAX_PLACES} cells in all")  # fmt: skip
    if len(rows) != height * depth:
        where = rows[height * depth][0] if len(rows) > height * depth else skipped + len(lines)
        raise source.stop("rows", f"has {len(rows)} rows; {depth} layers of {height} make {height * depth}", where,
                          "the file may be truncated, or its size lines are wrong")  # fmt: skip
    sheet = Sheet(source, notes.get("name", ""), skipped + 1, author=notes.get("by", ""),
                  licence=notes.get("licence", ""), provenance=notes.get("provenance", ""))  # fmt: skip
    for z in range(depth):
        _read_layer(sheet, rows[z * height : (z + 1) * height], z, width)
    yield from sheet.done()


def _read_layer(sheet: Sheet, rows: list[tuple[int, str]], z: int, width: int) -> None:
    wanted: dict[tuple[int, int], str] = {}
    for y, (line, text) in enumerate(rows):
        if len(text) != width:
            sheet.say("row", f"the row has {len(text)} cells, not {width}", line, "fill it with `.`")
            continue
        for x, cell in enumerate(text):
            if cell == "1":
                sheet.put(x, y, z, line)
                wanted.update({(x + dx, y + dy): mark for mark, dx, dy in _AROUND})
            if cell not in ".1" and wanted.get((x, y)) != cell:
                what = f"`{cell}` belongs to no tile" if cell in "234" else f"{cell!r} is no cell"
                sheet.say("cell", what, line, "a tile is `12` over `43`, an empty cell `.`", x + 1)
            elif cell in ".1" and (x, y) in wanted:
                sheet.say("cell", f"`{wanted[x, y]}` of a tile is missing", line, "a tile is `12` over `43`", x + 1)
            wanted.pop((x, y), None)
    for x, y in wanted:
        last = rows[min(y, len(rows) - 1)][0]
        sheet.say("cell", f"`{wanted[x, y]}` of a tile is missing", last, "a tile is `12` over `43`", x + 1)


def write(out: Outgoing) -> bytes:
    """The layout as version 1.1."""
    _, _, width, height = out.layout.bounds()
    head = [MAGIC + "1"]
    notes = (("name", out.title), ("by", out.author), ("licence", out.licence), ("provenance", out.provenance))
    for key, value in notes:
        if value:
            head.append(f"# {key}: {clean(value, 200)}")
    lines = [*head, "# Board size in half-tiles", f"w{width}", f"h{height}", "# Layers", f"d{out.layout.layers}"]
    for z in range(out.layout.layers):
        grid = [["."] * width for _ in range(height)]
        for slot in out.layout:
            if slot.z == z:
                grid[slot.y][slot.x : slot.x + 2] = "12"
                grid[slot.y + 1][slot.x : slot.x + 2] = "43"
        lines += [f"# Layer {z}", *("".join(row) for row in grid)]
    return ("\n".join(lines) + "\n").encode()
