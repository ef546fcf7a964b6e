"""YAML that fits the schema → `Template`, with every defect that shows without other templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from levelgen.document import Document, Spot, read, suggest
from levelgen.errors import Finding, Malformed
from levelgen.layout import MAX_TILES, Canvas, parse
from levelgen.shapes import SHAPES
from levelgen.template.model import (
    MARGIN,
    PHONE,
    Draw,
    Formula,
    Pair,
    Piece,
    Places,
    Symmetry,
    Template,
    Value,
    names_of,
    values_of,
    walk,
)

MAX_PICTURE = 96
"""The greatest width and height of a picture that is a drawing, in pixels."""


def read_template(path: Path, name: str = "") -> Template:
    """The template in that file.

    Raises:
        Malformed: with every defect that shows without other templates.
    """
    return parse_template(read(path, "template", name=name), path.stem, path.parent)


def parse_template(doc: Document, stem: str = "", folder: Path | None = None) -> Template:
    """The template that `doc`, already checked against the schema, describes.

    `stem` is the name of its file, `folder` where the pictures it draws by are.

    Raises:
        Malformed: with every defect that shows without other templates.
    """
    reader = _Reader(doc, folder)
    template = reader.template()
    if stem and template.name != stem:
        reader.say("name", f"`{template.name}` is not the name of its file, `{stem}`", "template",
                   fix="name the template as its file")  # fmt: skip
    if reader.findings:
        raise Malformed(reader.findings)
    return template


_TERM = re.compile(r"\s*([+-]?)\s*([0-9]+|\$[a-z][a-z0-9_]*)((?:\s*\*\s*(?:[0-9]+|\$[a-z][a-z0-9_]*))*)\s*")


class _Reader:
    """Turns a document that fits the schema into a template, collecting what the schema cannot say."""

    def __init__(self, doc: Document, folder: Path | None) -> None:
        self.doc = doc
        self.folder = folder
        self.pictures: dict[str, str] = {}
        self.findings: list[Finding] = []
        self.known: list[str] = list(doc.data.get("parameters", {}))

    def say(self, code: str, message: str, *path: str | int, fix: str = "", key: bool = False) -> None:
        self.findings.append(self.doc.finding(code, message, *path, fix=fix, key=key))

    def template(self) -> Template:
        data = self.doc.data
        parameters = tuple(
            (name, self.value(value, ("parameters", name), label=name))
            for name, value in sorted(data.get("parameters", {}).items())
        )
        pieces = self.pieces(data["pieces"], ("pieces",))
        canvas, margin = read_canvas(data.get("canvas", {}))
        if fault := canvas_fault(canvas, margin):
            self.say("margin", fault, "canvas", fix="make the canvas larger or the margin smaller")
        used = {name for piece in walk(pieces) for value in values_of(piece) for name in names_of(value)}
        for name in self.known:
            if name not in used:
                self.say("unused-parameter", f"no piece uses `${name}`", "parameters", name, key=True)
        return Template(
            data["template"], data.get("title", data["template"].replace("-", " ").capitalize()),
            data.get("about", ""), tuple(data.get("tags", ())), canvas, margin, parameters, pieces,
            self.symmetry(data.get("symmetry"), ("symmetry",)), data.get("provenance", ""),
            data.get("licence", ""), tuple(sorted(self.pictures.items())), data.get("support", "part"), self.doc,
        )  # fmt: skip

    def value(self, data: Any, path: Spot, label: str = "", low: int | None = None, high: int | None = None) -> Value:
        if isinstance(data, int):
            return data
        if isinstance(data, str):
            return self.formula(data, path)
        first, last = data["range"]
        step = data.get("step", 1)
        if last < first:
            self.say("range", f"the range {first} … {last} is empty", *path, "range", fix=f"write [{last}, {first}]")
        elif low is not None and high is not None and not low <= first <= last <= high:
            self.say("range", f"the range {first} … {last} leaves {low} … {high}", *path, "range")
        return Draw(first, max(first, last), step, label or "/".join(map(str, path)))

    def formula(self, text: str, path: Spot) -> Value:
        terms: list[tuple[int, tuple[int | str, ...]]] = []
        at = 0
        while at < len(text):
            match = _TERM.match(text, at)
            if match is None or (terms and not match[1]):
                self.say("formula", f"cannot read `{text}`", *path, fix="write sums and products: 2 * $width - 1")
                return 0
            words = [match[2], *re.findall(r"[0-9]+|\$[a-z0-9_]+", match[3])]
            factors = tuple(word[1:] if word[0] == "$" else int(word) for word in words)
            terms.append((-1 if match[1] == "-" else 1, factors))
            at = match.end()
        formula = Formula(tuple(terms))
        for name in formula.names:
            if name not in self.known:
                fix = suggest(name, self.known) or f"add `{name}` under `parameters`"
                self.say("unknown-parameter", f"there is no parameter `${name}`", *path, fix=fix)
        return formula

    def pair(self, data: Any, path: Spot) -> Pair:
        return (self.value(data[0], (*path, 0)), self.value(data[1], (*path, 1)))

    def symmetry(self, data: Any, path: Spot) -> Symmetry | None:
        if data is None:
            return None
        if isinstance(data, str):
            return Symmetry(data)
        return Symmetry(data["kind"], self.pair(data["size"], (*path, "size")) if "size" in data else None)

    def pieces(self, data: Sequence[Any], path: Spot) -> tuple[Piece, ...]:
        return tuple(self.piece(one, (*path, index)) for index, one in enumerate(data))

    def piece(self, data: Mapping[str, Any], path: Spot) -> Piece:
        made: dict[str, Any] = {}
        kind = next(key for key in data if key in SHAPES or key in _KINDS)
        body, inner = data[kind], (*path, kind)
        if kind in SHAPES:
            parameters = SHAPES[kind].parameters
            made["arguments"] = tuple(
                (key, self.value(value, (*inner, key), "", parameters[key].low, parameters[key].high))
                for key, value in sorted(body.items())
            )
        elif kind == "template":
            made["name"] = body
            arguments = sorted(data.get("with", {}).items())
            made["arguments"] = tuple((key, self.value(value, (*path, "with", key))) for key, value in arguments)
        elif kind == "drawing":
            made["drawing"] = self.drawing(body, inner)
        elif kind == "picture":
            given = {"file": body} if isinstance(body, str) else body
            made["drawing"] = self.picture(given["file"], given.get("pixel", "tile"), inner)
        else:
            made["parts"] = self.pieces(body, inner)
        if "with" in data and kind != "template":
            self.say("with", "`with` belongs to `template`", *path, "with", key=True,
                     fix=f"write the arguments after `{kind}:`" if kind in SHAPES else "remove it")  # fmt: skip
        at, z = data.get("at", [0, 0]), data.get("z", 0)
        stack = data.get("stack", 1)
        if isinstance(stack, Mapping) and "range" not in stack:
            inset = stack.get("inset", 0)
            spot = (*path, "stack", "inset")
            made["inset"] = self.pair(inset if isinstance(inset, list) else [inset, inset], spot)
            stack = stack.get("layers", 2)
        return Piece(
            kind,
            path,
            weight=data.get("weight", 1),
            at=None if at == "centre" else self.pair(at, (*path, "at")),
            z=None if z == "top" else self.value(z, (*path, "z")),
            mirror=data.get("mirror", ""),
            turn=self.value(data.get("turn", 0), (*path, "turn")),
            layers=self.value(stack, (*path, "stack")),
            repeat=self.repeat(data.get("repeat", {}), (*path, "repeat")),
            symmetry=self.symmetry(data.get("symmetry"), (*path, "symmetry")),
            support=data.get("support", ""),
            **made,
        )

    def repeat(self, data: Mapping[str, Any], path: Spot) -> tuple[tuple[str, Value], ...]:
        found: list[tuple[str, Value]] = []
        for key, value in sorted(data.items()):
            if isinstance(value, list):
                found += [(f"{key}_{axis}", self.value(value[i], (*path, key, i))) for i, axis in enumerate("xy")]
            else:
                found.append((key, self.value(value, (*path, key))))
        return tuple(found)

    def picture(self, name: str, pixel: str, path: Spot) -> Places:
        """The places of a picture beside the template; its defects are told where the template names it."""
        if self.folder is None:
            self.say("picture", f"there is no folder to look for {name} in", *path)
            return frozenset()
        try:
            seen = pixels(self.folder / name)
        except Malformed as error:
            for finding in error.findings:
                self.say("picture", f"{name} {finding.message}", *path, fix=finding.fix)
            return frozenset()
        self.pictures[name] = sha256(repr(sorted(seen.items())).encode()).hexdigest()
        if pixel == "tile":
            places = {(2 * x, 2 * y, 0) for x, y in seen}
        else:
            places, taken = set(), set[tuple[int, int]]()
            for x, y in sorted(seen, key=lambda spot: (spot[1], spot[0])):
                block = {(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)}
                if (x, y) in taken:
                    continue
                if not block.isdisjoint(taken) or any(seen.get(one) != seen[x, y] for one in block):
                    self.say("picture", f"{name}: pixel ({x}, {y}) begins no square of 2×2 pixels of one colour", *path,
                             fix="draw every tile as four equal pixels, or write `pixel: tile`")  # fmt: skip
                    return frozenset()
                taken |= block
                places.add((x, y, 0))
        if not 0 < len(places) <= MAX_TILES:
            self.say("picture", f"{name} draws {len(places)} tiles", *path, fix="draw tiles in a dark colour on white")
        return frozenset(places)

    def drawing(self, text: str, path: Spot) -> Places:
        """The places of a drawing; its defects are given the line and column of the file."""
        try:
            layout, _ = parse(text, "")
        except Malformed as error:
            first = self.doc.marks[path][0]
            for finding in error.findings:
                row, column = (int(part) for part in finding.where.split(":")[1:])
                self.findings.append(self.doc.at_row(finding, first + row, column, text.split("\n")[row - 1]))
            return frozenset()
        if not len(layout) or len(layout) > MAX_TILES:
            self.say("drawing", f"the drawing has {len(layout)} tiles", *path, fix="draw a tile as aa over aa")
        return frozenset((slot.x, slot.y, slot.z) for slot in layout)


_KINDS = ("template", "drawing", "picture", "unite", "subtract", "intersect", "choose")


_LICENCE = re.compile(r"\(*[A-Za-z0-9][A-Za-z0-9.:-]*\+?\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9][A-Za-z0-9.:-]*\+?\)*)*")


def is_licence(text: str) -> bool:
    """Whether `text` looks like an SPDX licence expression: CC-BY-4.0, GPL-2.0-or-later OR MIT, LicenseRef-Studio."""
    return _LICENCE.fullmatch(text) is not None


def canvas_fault(canvas: Canvas, margin: int) -> str:
    """What is said of a margin that leaves no room for a tile; empty when it does."""
    width, height = canvas.width - 2 * margin, canvas.height - 2 * margin
    if min(width, height) >= 2:
        return ""
    return f"a margin of {margin} on every side leaves nothing of {canvas.width}×{canvas.height} half-tiles"


def pixels(path: Path) -> dict[tuple[int, int], str]:
    """The pixels of a small PNG that are neither transparent nor white, and the colour of each.

    Raises:
        Malformed: there is no such picture, it is corrupt, or larger than a drawing may be.
    """
    from levelgen.faces import read_picture

    picture = read_picture(path)
    width, height = picture.size
    if max(width, height) > MAX_PICTURE:
        raise Malformed.of("template/picture", f"is {width}×{height} pixels; at most {MAX_PICTURE} are read each way",
                           path.name, "draw one pixel a tile")  # fmt: skip
    raw = picture.tobytes()
    seen = {}
    for index in range(width * height):
        red, green, blue, alpha = raw[4 * index : 4 * index + 4]
        if alpha >= 128 and min(red, green, blue) < 250:
            seen[index % width, index // width] = f"{red:02x}{green:02x}{blue:02x}"
    return seen


def read_canvas(data: Mapping[str, int], canvas: Canvas = PHONE, margin: int = MARGIN) -> tuple[Canvas, int]:
    """The canvas and margin that a template or recipe spells out, what is left out being as in `canvas`."""
    size = Canvas(data.get("width", canvas.width), data.get("height", canvas.height), data.get("layers", canvas.layers))
    return size, data.get("margin", margin)
