"""Our own layouts as other programs would write them: small writers for the formats that levelgen only reads."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from collections.abc import Callable

from levelgen.layout import Layout, parse

STEP = parse("""\
-- 0
aabbccdd..
aabbccddee
AABB..DDee
AABB..DD..
-- 1
.aabb
.aabbcc
.....cc
""")[0]
"""Two layers, half-tile steps, wider than high, eight tiles and three above them."""

FLAT = parse("""\
aabb
aabb
..cc
..cc
""")[0]


def kmahjongg_10(layout: Layout) -> bytes:
    """32×16 cells, five layers, no size lines."""
    lines = ["kmahjongg-layout-v1.0"]
    for z in range(5):
        grid = [["."] * 32 for _ in range(16)]
        for slot in layout:
            if slot.z == z:
                grid[slot.y][slot.x : slot.x + 2] = "12"
                grid[slot.y + 1][slot.x : slot.x + 2] = "43"
        lines += [f"# level {z}", *("".join(row) for row in grid)]
    return ("\n".join(lines) + "\n").encode()


def kyodai(layout: Layout, title: bytes = b"Step::Own", ends: bytes = b"\r\n") -> bytes:
    """Five layers of 20 rows of 34 cells, as one line."""
    cells = bytearray(b"0" * 3400)
    for slot in layout:
        cells[slot.z * 680 + slot.y * 34 + slot.x] = ord("1")
    return ends.join([b"Kyodai 3.0", title, bytes(cells), b""])


def halves(number: int) -> str:
    """A coordinate in whole tiles."""
    return f"{number // 2}.5" if number % 2 else str(number // 2)


def gnome_map(layout: Layout, title: str = "Step") -> str:
    """Every tile by itself, layer by layer."""
    lines = [f'  <map name="{title}" scorename="own">']
    for z in range(layout.layers):
        lines.append(f'    <layer z="{z}">')
        lines += [f'      <tile x="{halves(x)}" y="{halves(y)}"/>' for x, y, layer in layout if layer == z]
        lines.append("    </layer>")
    return "\n".join([*lines, "  </map>"])


def gnome(*maps: str) -> bytes:
    """A file of maps."""
    return ('<?xml version="1.0"?>\n<mahjongg>\n' + "\n".join(maps) + "\n</mahjongg>\n").encode()


def mah_board(layout: Layout, **more: object) -> dict[str, object]:
    """A board with runs where tiles stand in a row."""
    layers = []
    for z in range(layout.layers):
        rows: dict[int, list[object]] = {}
        for x, y, layer in layout:
            if layer == z:
                cells = rows.setdefault(y, [])
                last = cells[-1] if cells else None
                if isinstance(last, list) and last[0] + 2 * last[1] == x:
                    last[1] += 1
                else:
                    cells.append([x, 1])
        layers.append([z, [[y, [c[0] if c[1] == 1 else c for c in cells]] for y, cells in rows.items()]])  # type: ignore[index]
    return {"name": "Step", **more, "map": layers}


def mah(*boards: dict[str, object]) -> bytes:
    """A file of boards, one a line."""
    return ('{"mah": "1.0", "boards": [\n' + ",\n".join(map(json.dumps, boards)) + "\n]}\n").encode()


ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def pysol_string(layout: Layout) -> str:
    """Every tile a stack of one, but two that stand exactly over each other are a stack of two."""
    left = set(layout)
    words = ["0"]
    for slot in layout:
        if slot in left:
            height = 2 if slot._replace(z=slot.z + 1) in left else 1
            left -= {slot, slot._replace(z=slot.z + 1)} if height == 2 else {slot}
            words.append(ALPHABET[7 * slot.z + height - 1] + ALPHABET[slot.x] + ALPHABET[slot.y])
    return "".join(words)


def pysol_source(layout: Layout, title: str = "Step") -> bytes:
    """A call as PySolFC's source has it, the string in pieces of sixteen."""
    text = pysol_string(layout)
    pieces = [f'"{text[at : at + 16]}"' for at in range(0, len(text), 16)]
    return (
        "from somewhere import r\n\n# one of ours\n"
        f'r(5001, "{title}", ncards={len(layout)}, layout=' + " +\n    ".join(pieces) + ")\n"
    ).encode()


def numbers(layout: Layout, z: int, width: int, height: int) -> list[int]:
    """A tile layer on a grid of half-tiles whose tiles are twice as large: Tiled anchors them at the lower left."""
    cells = [0] * (width * height)
    for x, y, layer in layout:
        if layer == z:
            cells[(y + 1) * width + x] = 1
    return cells


def _csv(cells: list[int], width: int) -> str:
    rows = [",".join(map(str, cells[at : at + width])) for at in range(0, len(cells), width)]
    return "\n" + ",\n".join(rows) + "\n"


def _packed(pack: Callable[[bytes], bytes]) -> Callable[[list[int], int], str]:
    return lambda cells, width: base64.b64encode(pack(struct.pack(f"<{len(cells)}I", *cells))).decode()


DATA: dict[str, tuple[str, Callable[[list[int], int], str]]] = {
    "csv": ('encoding="csv"', _csv),
    "base64": ('encoding="base64"', _packed(bytes)),
    "zlib": ('encoding="base64" compression="zlib"', _packed(zlib.compress)),
    "gzip": ('encoding="base64" compression="gzip"', _packed(gzip.compress)),
    "tiles": ("", lambda cells, width: "".join(f'<tile gid="{cell}"/>' if cell else "<tile/>" for cell in cells)),
}


def tmx(layout: Layout, data: str = "csv") -> bytes:
    """Tile layers on a grid of half-tiles, an image layer and an empty layer among them."""
    _, _, width, height = layout.bounds()
    attributes, write = DATA[data]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<map version="1.10" orientation="orthogonal" width="{width}" height="{height}" tilewidth="16" tileheight="16"'
        ' infinite="0">',
        ' <properties><property name="title" value="Step"/><property name="licence" value="CC0-1.0"/></properties>',
        ' <tileset firstgid="1" name="tile" tilewidth="32" tileheight="32" tilecount="1" columns="1"/>',
        ' <imagelayer id="90" name="table"/>',
    ]
    for z in range(layout.layers):
        body = write(numbers(layout, z, width, height), width)
        lines.append(f' <layer id="{z}" name="{z}" width="{width}" height="{height}">')
        lines.append(f"  <data {attributes}>{body}</data>")
        lines.append(" </layer>")
    lines.append(' <objectgroup id="91" name="notes"/>')
    return ("\n".join([*lines, "</map>"]) + "\n").encode()


def tmj(layout: Layout, *, infinite: bool = False, packed: bool = False) -> bytes:
    """The same in JSON: lists, chunks or base64."""
    _, _, width, height = layout.bounds()
    layers: list[dict[str, object]] = []
    for z in range(layout.layers):
        cells: object = numbers(layout, z, width, height)
        layer: dict[str, object] = {"type": "tilelayer", "name": str(z), "width": width, "height": height}
        if packed:
            layer |= {"encoding": "base64", "compression": "zlib"}
            cells = DATA["zlib"][1](numbers(layout, z, width, height), width)
        if infinite:
            layer["chunks"] = [{"x": -16, "y": -16, "width": width, "height": height, "data": cells}]
        else:
            layer["data"] = cells
        layers.append(layer)
    group = {"type": "group", "name": "all", "layers": layers}
    tileset = {"firstgid": 1, "tilewidth": 32, "tileheight": 32, "name": "tile"}
    data = {"type": "map", "orientation": "orthogonal", "infinite": infinite, "width": width, "height": height,
            "tilewidth": 16, "tileheight": 16, "tilesets": [tileset], "layers": [group]}  # fmt: skip
    return json.dumps(data, indent=1).encode()


FILES: dict[str, bytes] = {
    "step10.layout": kmahjongg_10(STEP),
    "step.lay": kyodai(STEP),
    "step.map": gnome(gnome_map(STEP)),
    "step.mah": mah(mah_board(STEP)),
    "string.txt": pysol_string(STEP).encode(),
    "source.py": pysol_source(STEP),
    **{f"{data}.tmx": tmx(STEP, data) for data in DATA},
    "list.tmj": tmj(STEP),
    "chunks.tmj": tmj(STEP, infinite=True),
    "packed.tmj": tmj(STEP, packed=True),
}
"""`STEP` in every format and spelling that is only read."""
