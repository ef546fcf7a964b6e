"""GNOME Mahjongg maps: XML, many maps a file, coordinates in whole tiles with halves allowed.

    <map name="Step"><layer z="0"><row left="0" right="3" y="0.5"/><tile x="1" y="2"/></layer></map>

`row`, `column`, `block` and `tile` stand in a `layer`, or bear a `z` of their own. Both ends of a row belong to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from levelgen.errors import Finding, Malformed
from levelgen.imports.markup import Element
from levelgen.imports.source import MAX_LAYOUTS, MAX_SIDE, Found, Sheet, Source, licence_in

_NUMBER = re.compile(r"([0-9]{1,4})(?:\.(0|5)0*)?")
_SIDES = {
    "tile": ("x", "x", "y", "y"),
    "row": ("left", "right", "y", "y"),
    "column": ("x", "x", "top", "bottom"),
    "block": ("left", "right", "top", "bottom"),
}


def matches(source: Source) -> bool:
    """Whether the file is XML with maps that are not Tiled's."""
    if not source.head.startswith(b"<"):
        return False
    root = source.xml
    maps = [root] if root.tag == "map" else root.all("map")
    return any("tilewidth" not in one.attributes for one in maps)


def read(source: Source) -> Iterator[Found | Finding]:
    """Every map of the file.

    Raises:
        Malformed: it is not well-formed, or there are too many maps.
    """
    root = source.xml
    maps = [root] if root.tag == "map" else root.all("map")
    if len(maps) > MAX_LAYOUTS:
        raise source.stop("too-many", f"has more than {MAX_LAYOUTS} maps", maps[MAX_LAYOUTS].line)
    licence = licence_in("\n".join(root.comments))
    for one in maps:
        title = one.attributes.get("name") or one.attributes.get("_name") or ""
        sheet = Sheet(source, title, one.line, licence=licence)
        for child in one.children:
            for piece in child.children if child.tag == "layer" else (child,):
                try:
                    _put(sheet, piece, child if child.tag == "layer" else None)
                except Malformed as error:
                    sheet.tell(error.findings[0])
        yield from sheet.done()


def _put(sheet: Sheet, piece: Element, layer: Element | None) -> None:
    source = sheet.source
    if piece.tag not in _SIDES:
        raise source.stop("element", f"<{piece.tag[:40]}> is not known here", piece.line,
                          "use row, column, block, tile")  # fmt: skip
    home = piece if "z" in piece.attributes or layer is None else layer
    z = _halves(source, home, "z")
    if z % 2 or z > 2 * 255:
        raise source.stop("number", f"{home.attributes['z']!r} is no layer", home.line, "write a whole number")
    x0, x1, y0, y1 = (_halves(source, piece, name) for name in _SIDES[piece.tag])
    if x1 < x0 or y1 < y0:
        raise source.stop("empty-piece", f"<{piece.tag}> ends before it begins", piece.line, "exchange its ends")
    columns, rows = range(x0, x1 + 1, 2), range(y0, y1 + 1, 2)
    if sheet.room(len(columns) * len(rows), piece.line):
        for y in rows:
            for x in columns:
                sheet.put(x, y, z // 2, piece.line)


def _halves(source: Source, element: Element, name: str) -> int:
    text = element.attributes.get(name)
    if text is None:
        raise source.stop("attribute", f"<{element.tag[:40]}> has no {name!r}", element.line)
    found = _NUMBER.fullmatch(text.strip())
    if found is None or not 2 * int(found[1]) < MAX_SIDE:
        raise source.stop("number", f"{name}={text[:20]!r} is no place", element.line,
                          f"write a number from 0 to {MAX_SIDE // 2 - 1}, .5 for half a tile")  # fmt: skip
    return 2 * int(found[1]) + (found[2] == "5")
