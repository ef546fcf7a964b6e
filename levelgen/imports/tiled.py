"""Tiled maps, TMX and TMJ: one layout a map, each tile or object layer one layer of tiles, the lowest first.

A tile's place is where Tiled draws it: the size of a tile is that of its tileset (or of the object), and half of it
is the unit. So a grid of half-tiles with a tileset twice as large works as well as a grid of whole tiles, layers may be
shifted by half a tile, and objects may lie anywhere on half-tiles. Empty layers count for nothing; a layer's own
property `z` says which one it is. Map properties `title`, `author`, `licence` and `provenance` are understood.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from levelgen.errors import Finding
from levelgen.imports.jsontext import Array, Object, Value
from levelgen.imports.markup import Element
from levelgen.imports.source import MAX_PLACES, MAX_SIDE, Found, Outgoing, Sheet, Source

MAX_LAYERS = 256
MAX_PIXELS = 1 << 28
_GID = 0x0FFFFFFF
"""Without the four bits that turn a tile over."""
_PLAIN = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,12})?")
_LAYERS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group", "imagelayer": "imagelayer"}


@dataclass
class _Thing:
    """A node of either spelling: an element with its attributes, or an object with its plain values."""

    source: Source
    line: int
    values: Mapping[str, object]
    node: Element | Object

    @classmethod
    def of(cls, source: Source, node: Element | Object) -> _Thing:
        values: Mapping[str, object] = node.attributes if isinstance(node, Element) else node
        return cls(source, node.line, values, node)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def number(self, name: str, default: float = 0) -> float:
        """A number of pixels or cells; fractions are for pixels."""
        value = self.values.get(name, default)
        if isinstance(value, str) and _PLAIN.fullmatch(value.strip()):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_PIXELS:
            raise self.source.stop("number", f"{name} is {str(value)[:20]!r}, no number within bounds", self.line)
        return value

    def whole(self, name: str, low: int, high: int, default: int = 0) -> int:
        value = self.number(name, default)
        if value != int(value) or not low <= value <= high:
            message = f"{name} is {value:g}; a whole number from {low} to {high} is meant"
            raise self.source.stop("number", message, self.line)
        return int(value)

    def gid(self) -> int:
        value = self.values.get("gid")
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 10:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
            raise self.source.stop("number", f"{str(value)[:20]!r} is no tile number", self.line)
        return value & _GID

    def inner(self, *names: str) -> list[_Thing]:
        """The elements with these tags, or the objects in the lists under these keys."""
        if isinstance(self.node, Element):
            return [_Thing.of(self.source, child) for child in self.node.all(*names)]
        found = []
        for name in names:
            items = self.node.get(name, Array(self.line))
            if not isinstance(items, Array):
                raise self.source.stop("shape", f"`{name}` is no list", self.node.lines[name])
            for item, line in zip(items, items.lines, strict=True):
                if not isinstance(item, Object):
                    raise self.source.stop("shape", f"`{name}` lists something that is no object", line)
                found.append(_Thing.of(self.source, item))
        return found

    def properties(self) -> dict[str, object]:
        """Its custom properties."""
        holders = self.inner("properties")
        if isinstance(self.node, Element):
            holders = [entry for holder in holders for entry in holder.inner("property")]
        return {holder.text("name"): holder.values.get("value") for holder in holders}


@dataclass
class _Layer:
    line: int
    x: float
    y: float
    z: int | None
    cells: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Column, row, tile number, line."""
    objects: list[_Thing] = field(default_factory=list)


def matches(source: Source) -> bool:
    """Whether the file is a map of Tiled's, in XML or JSON."""
    if source.head[:1] == b"<":
        return source.xml.tag == "map" and "tilewidth" in source.xml.attributes
    return source.head[:1] == b"{" and isinstance(source.json, Object) and "tilewidth" in source.json


def read(source: Source) -> Iterator[Found | Finding]:
    """The layout of the map.

    Raises:
        Malformed: the map is of a kind that is not read, or broken.
    """
    root = _Thing.of(source, source.xml) if source.head[:1] == b"<" else _root(source)
    if root.text("orientation") not in ("", "orthogonal"):
        raise source.stop("orientation", f"is {root.text('orientation')[:20]!r}; orthogonal maps are read", root.line)
    reader = _Reader(source, root)
    reader.gather(root, 0, 0, 0)
    told = {key: text for key, text in root.properties().items() if isinstance(text, str)}
    licence = told.get("licence", told.get("license", ""))
    sheet = Sheet(source, told.get("title", told.get("name", "")), root.line, author=told.get("author", ""),
                  licence=licence, provenance=told.get("provenance", ""))  # fmt: skip
    z = 0
    for layer in reader.layers:
        if layer.cells or layer.objects:
            z = z if layer.z is None else layer.z
            reader.put(sheet, layer, z)
            z += 1
    yield from sheet.done()


def _root(source: Source) -> _Thing:
    assert isinstance(source.json, Object), "matches() has looked"
    return _Thing.of(source, source.json)


class _Reader:
    """A map being read: its grid, the sizes of its tiles, its layers."""

    def __init__(self, source: Source, root: _Thing) -> None:
        self.source = source
        self.infinite = root.values.get("infinite") in (True, "1")
        self.grid = root.whole("tilewidth", 1, 4096), root.whole("tileheight", 1, 4096)
        self.layers: list[_Layer] = []
        self.cells = 0
        self.sizes: list[tuple[int, int, int]] = []
        self.tile_size: tuple[float, float] | None = None
        for tileset in root.inner("tileset", "tilesets"):
            first = tileset.whole("firstgid", 1, _GID, 1)
            size = self.grid
            if "tilewidth" in tileset.values:
                size = tileset.whole("tilewidth", 1, 4096), tileset.whole("tileheight", 1, 4096)
            self.sizes.append((first, *size))
        self.sizes.sort(reverse=True)

    def size(self, gid: int) -> tuple[int, int]:
        """Pixels of a tile; those of the grid when its tileset is a file of its own."""
        return next(((width, height) for first, width, height in self.sizes if first <= gid), self.grid)

    def gather(self, parent: _Thing, x: float, y: float, depth: int) -> None:
        """The layers inside `parent`, groups included, from the lowest up."""
        if depth > 16:
            raise self.source.stop("too-deep", "groups nest deeper than 16", parent.line)
        for thing in parent.inner(*(_LAYERS if isinstance(parent.node, Element) else ("layers",))):
            kind = _LAYERS.get(thing.node.tag, "") if isinstance(thing.node, Element) else thing.text("type")
            if len(self.layers) >= MAX_LAYERS:
                raise self.source.stop("too-many", f"has more than {MAX_LAYERS} layers", thing.line)
            dx, dy = x + thing.number("offsetx"), y + thing.number("offsety")
            if kind == "group":
                self.gather(thing, dx, dy, depth + 1)
            elif kind in ("tilelayer", "objectgroup"):
                layer = _Layer(thing.line, dx, dy, self.layer_number(thing))
                if kind == "tilelayer":
                    layer.cells = list(self.tile_layer(thing))
                else:
                    layer.objects = thing.inner("object", "objects")
                self.layers.append(layer)
            elif kind != "imagelayer":
                raise self.source.stop("layer", f"{kind[:20]!r} is no kind of layer", thing.line)

    def layer_number(self, thing: _Thing) -> int | None:
        """The layer's own property `z`, if it has one."""
        given = thing.properties().get("z")
        if given is None:
            return None
        if isinstance(given, str) and re.fullmatch(r"[0-9]{1,3}", given):
            given = int(given)
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < MAX_LAYERS:
            raise self.source.stop("number", f"the layer's z is {str(given)[:20]!r}", thing.line)
        return given

    # --- tile layers -----------------------------------------------------------------------------------------------

    def tile_layer(self, thing: _Thing) -> Iterator[tuple[int, int, int, int]]:
        """Its cells that hold a tile."""
        if isinstance(thing.node, Element):
            for data in thing.inner("data"):
                chunks = data.inner("chunk")
                for holder in chunks or [data]:
                    numbers = self.xml_numbers(holder, data.text("encoding"), data.text("compression"))
                    yield from self.block(holder if chunks else thing, numbers, chunk=bool(chunks))
            return
        for holder in thing.inner("chunks") or [thing]:
            if isinstance(holder.node, Object) and "data" in holder.node:
                numbers = self.json_numbers(holder, thing.text("encoding"), thing.text("compression"))
                yield from self.block(holder, numbers, chunk=holder is not thing)

    def block(
        self, thing: _Thing, numbers: Iterable[tuple[int, int]], *, chunk: bool
    ) -> Iterator[tuple[int, int, int, int]]:
        """The filled cells of a rectangle whose tile numbers come row by row, each with its line."""
        width, height = thing.whole("width", 1, MAX_SIDE), thing.whole("height", 1, MAX_SIDE)
        left = thing.whole("x", -MAX_SIDE, MAX_SIDE) if chunk else 0
        top = thing.whole("y", -MAX_SIDE, MAX_SIDE) if chunk else 0
        self.cells += width * height
        if self.cells > MAX_PLACES:
            raise self.source.stop("too-many", f"the layers have more than {MAX_PLACES} cells", thing.line)
        count, line = 0, thing.line
        for gid, line in numbers:
            if count < width * height and gid & _GID:
                yield left + count % width, top + count // width, gid & _GID, line
            count += 1
        if count != width * height:
            raise self.source.stop("cells", f"has {count} cells; {width}×{height} make {width * height}", line,
                                   "the file may be truncated")  # fmt: skip

    def xml_numbers(self, thing: _Thing, encoding: str, compression: str) -> Iterator[tuple[int, int]]:
        node = thing.node
        assert isinstance(node, Element), "called for XML only"
        if encoding == "csv":
            yield from self.csv(node.text, node.text_line or node.line)
        elif encoding == "base64":
            yield from self.packed(node.text, compression, node.line)
        elif encoding:
            raise self.source.stop("encoding", f"the encoding {encoding[:20]!r} is not known", node.line)
        else:
            for tile in thing.inner("tile"):
                yield (tile.gid() if "gid" in tile.values else 0), tile.line

    def json_numbers(self, thing: _Thing, encoding: str, compression: str) -> Iterator[tuple[int, int]]:
        node = thing.node
        assert isinstance(node, Object), "called for JSON only"
        data, line = node["data"], node.lines["data"]
        if isinstance(data, str) and encoding == "base64":
            yield from self.packed(data, compression, line)
            return
        if not isinstance(data, Array):
            raise self.source.stop("shape", "`data` is neither a list nor base64", line)
        for value, place in zip(data, data.lines, strict=True):
            yield self.tile_number(value, place), place

    def tile_number(self, value: Value, line: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 32:
            raise self.source.stop("number", f"{str(value)[:20]!r} is no tile number", line)
        return value

    def csv(self, text: str, line: int) -> Iterator[tuple[int, int]]:
        for number, row in enumerate(text.split("\n"), start=line):
            for word in row.strip().rstrip(",").split(",") if row.strip() else ():
                cell = word.strip()
                if not (cell.isascii() and cell.isdigit() and len(cell) <= 10):
                    raise self.source.stop("number", f"{cell[:20]!r} is no tile number", number)
                yield self.tile_number(int(cell), number), number

    def packed(self, text: str, compression: str, line: int) -> Iterator[tuple[int, int]]:
        """The numbers in base64, unpacked no further than a map may be large."""
        try:
            data = base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            raise self.source.stop("base64", "the data is no base64", line, "it may be truncated") from None
        limit = 4 * MAX_PLACES
        if compression in ("zlib", "gzip"):
            unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
            try:
                data = unpacker.decompress(data, limit + 1)
            except zlib.error:
                raise self.source.stop("compression", f"the data is no {compression}", line) from None
            if len(data) <= limit and not unpacker.eof:
                raise self.source.stop("compression", f"the {compression} data ends in the middle", line,
                                       "the file may be truncated")  # fmt: skip
        elif compression:
            raise self.source.stop("compression", f"the compression {compression[:20]!r} is not read", line,
                                   "save the map with the tile layer format CSV or Base64 (zlib)")  # fmt: skip
        if len(data) > limit:
            raise self.source.stop("too-many", f"the layers have more than {MAX_PLACES} cells", line)
        if len(data) % 4:
            raise self.source.stop("cells", f"the data has {len(data)} bytes, four make a cell", line)
        for (gid,) in struct.iter_unpack("<I", data):
            yield gid, line

    # --- from pixels to half-tiles -----------------------------------------------------------------------------------

    def put(self, sheet: Sheet, layer: _Layer, z: int) -> None:
        """The tiles of a layer on layer `z`."""
        for column, row, gid, line in layer.cells:
            width, height = self.size(gid)
            down = (row + 1) * self.grid[1] - height
            self.tile(sheet, layer, z, column * self.grid[0], down, width, height, line)
        for thing in layer.objects:
            if odd := self.odd(thing):
                sheet.say("object", odd, thing.line, "draw tiles as rectangles or tile objects")
                continue
            x, y = thing.number("x"), thing.number("y")
            width_, height_ = thing.number("width"), thing.number("height")
            if "gid" in thing.values:
                across, down = self.size(thing.gid())
                width_, height_ = width_ or across, height_ or down
                y -= height_
            self.tile(sheet, layer, z, x, y, width_, height_, thing.line)

    def odd(self, thing: _Thing) -> str:
        """Why an object is no tile, or nothing."""
        shapes = ("ellipse", "point", "polygon", "polyline", "text", "capsule")
        if isinstance(thing.node, Element):
            named = [child.tag for child in thing.node.children if child.tag in shapes]
        else:
            named = [shape for shape in shapes if thing.values.get(shape)]
        if named:
            return f"the object is drawn as {named[0]}"
        if thing.number("rotation"):
            return "the object is turned"
        return "the object is an instance of a template file" if "template" in thing.values else ""

    def tile(
        self, sheet: Sheet, layer: _Layer, z: int, x: float, y: float, width: float, height: float, line: int
    ) -> None:
        """One tile of so many pixels; its upper left corner is at (x, y) of its layer."""
        if min(width, height) <= 0:
            sheet.say("object", "the object has no size", line, "draw tiles as rectangles or tile objects")
            return
        size = self.tile_size or (width, height)
        self.tile_size = size
        if size != (width, height):
            sheet.say("sizes", f"is {width:g}×{height:g} pixels; the tiles before are {size[0]:g}×{size[1]:g}", line,
                      "all tiles are of one size")  # fmt: skip
            return
        across, down = 2 * (x + layer.x) / width, 2 * (y + layer.y) / height
        if abs(across - round(across)) > 1e-6 or abs(down - round(down)) > 1e-6:
            sheet.say("fraction", f"lies at ({across:.2f}, {down:.2f}) half-tiles", line,
                      "snap it to a grid of half a tile")  # fmt: skip
        elif not (self.infinite or min(across, down) > -0.5):
            sheet.say("negative", "lies outside the map, above it or to its left", line, "move it onto the map")
        elif max(abs(across), abs(down)) > 4 * MAX_SIDE:
            sheet.say("number", f"lies at ({across:g}, {down:g}) half-tiles, too far out", line)
        else:
            sheet.put(round(across), round(down), z, line)


def write(out: Outgoing) -> bytes:
    """The layout as TMJ: an object layer for each layer, a rectangle of 32 pixels for each tile, a grid of 16.

    A board's faces are the names of its objects; one that lies face down has the property `face_down`.
    """
    _, _, right, bottom = out.layout.bounds()
    told = {"title": out.title, "author": out.author, "licence": out.licence, "provenance": out.provenance}
    layers = [
        {
            "draworder": "index", "id": z + 1, "name": f"layer {z}",
            "objects": [_object(out, tile) for tile, slot in enumerate(out.layout) if slot.z == z],
            "opacity": 1, "properties": [{"name": "z", "type": "int", "value": z}], "type": "objectgroup",
            "visible": True, "x": 0, "y": 0,
        }
        for z in range(out.layout.layers)
    ]  # fmt: skip
    data = {
        "compressionlevel": -1, "height": bottom, "infinite": False, "layers": layers,
        "nextlayerid": len(layers) + 1, "nextobjectid": len(out.layout) + 1, "orientation": "orthogonal",
        "properties": [{"name": key, "type": "string", "value": text} for key, text in told.items() if text],
        "renderorder": "right-down", "tiledversion": "1.10.2", "tileheight": 16, "tilesets": [], "tilewidth": 16,
        "type": "map", "version": "1.10", "width": right,
    }  # fmt: skip
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def _object(out: Outgoing, tile: int) -> dict[str, object]:
    slot = out.layout.slots[tile]
    found: dict[str, object] = {
        "height": 32, "id": tile + 1, "name": out.faces[tile] if out.faces else "", "rotation": 0, "type": "tile",
        "visible": True, "width": 32, "x": 16 * slot.x, "y": 16 * slot.y,
    }  # fmt: skip
    if tile in out.face_down:
        found["properties"] = [{"name": "face_down", "type": "bool", "value": True}]
    return found
