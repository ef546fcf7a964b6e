"""Named arrangements of tiles: YAML → `Template`, and templates → layouts.

    library = read_library(Path("templates/shapes"))
    layout  = compose(library["turtle"], library, seed="7")
    layout  = compose_level(parts("plaza", "ring@on"), library, PHONE, tiles=64, group=2, seed="7")

A template is a list of pieces. Each is made (a shape, another template, a drawing, or pieces united, subtracted,
intersected, chosen among), then mirrored, turned, stacked, repeated, completed to a symmetry and put at its place, in
this order. Numbers are fixed, or drawn from the stream `layout/TEMPLATE/NAME` of the level's seed, so that neither
the order of keys nor another template has any say in them. `docs/templates.md` teaches the language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from levelgen.document import Document, Spot, read, suggest
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.fit import Area, bounds_of, fit, least, most
from levelgen.layout import MAX_TILES, Canvas, Layout, parse
from levelgen.seed import Stream
from levelgen.shapes import SHAPES, Place, on_oval

PHONE = Canvas(20, 28, 6)
"""The canvas unless a template or a recipe names another: a phone held upright."""
MARGIN = 1
"""Half-tiles kept free on every side unless said otherwise."""
MAX_PIECES = 4096
"""How many pieces one composition may make, templates inside templates counted through."""

TRIALS = 6
"""How many seeds a template that draws numbers is tried under, beside its least and its greatest numbers."""
MAX_KEPT = 10_000
"""How many made templates a library keeps for the next time they are asked for with the same numbers."""

SUPPORT = {"part": 1, "half": 2, "whole": 4}
"""How many of a tile's four cells must have a tile right under them."""
MAX_PICTURE = 96
"""The greatest width and height of a picture that is a drawing, in pixels."""

Places = frozenset[Place]


@dataclass(frozen=True, slots=True)
class Draw:
    """A whole number drawn by the seed: low, low + step, … up to high."""

    low: int
    high: int
    step: int
    label: str
    """The stream it is drawn from, after `layout/TEMPLATE/`."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A sum of products of numbers and parameters, `2 * $width - 1`."""

    terms: tuple[tuple[int, tuple[int | str, ...]], ...]
    """Sign and factors of each term."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters it needs."""
        return tuple(factor for _, factors in self.terms for factor in factors if isinstance(factor, str))


Value = int | Draw | Formula
Pair = tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """Which images are added, and the frame whose middle they are taken about (None: the bounds)."""

    kind: str
    size: Pair | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of a template."""

    kind: str
    """A shape's name, or `template`, `drawing`, `picture`, `unite`, `subtract`, `intersect`, `choose`."""
    spot: Spot
    """Its path in the file: findings and streams are named after it."""
    name: str = ""
    """The template named by a piece of that kind."""
    arguments: tuple[tuple[str, Value], ...] = ()
    drawing: Places = frozenset()
    parts: tuple[Piece, ...] = ()
    weight: int = 1
    at: Pair | None = (0, 0)
    """Where its upper left corner goes; None centres it over the pieces before."""
    z: Value | None = 0
    """Its lowest layer; None is the lowest on which it overlaps nothing before it."""
    mirror: str = ""
    turn: Value = 0
    layers: Value = 1
    inset: Pair = (0, 0)
    repeat: tuple[tuple[str, Value], ...] = ()
    symmetry: Symmetry | None = None
    support: str = ""
    """Tiles that lack this support are left out; a row of `SUPPORT`, or empty."""


@dataclass(frozen=True)
class Template:
    """A valid template; made by `parse_template` only."""

    name: str
    title: str
    about: str
    tags: tuple[str, ...]
    canvas: Canvas
    margin: int
    parameters: tuple[tuple[str, Value], ...]
    pieces: tuple[Piece, ...]
    symmetry: Symmetry | None
    provenance: str = ""
    licence: str = ""
    pictures: tuple[tuple[str, str], ...] = ()
    """Name and digest of each picture it draws by."""
    support: str = "part"
    """What must lie under its tiles: a row of `SUPPORT`."""
    document: Document = field(default=Document("", None), compare=False, repr=False)

    @property
    def sha256(self) -> str:
        """Digest of what it is made from: its text, and the pixels of the pictures it draws by."""
        text = "\n".join((*self.document.lines, *(f"{name} {digest}" for name, digest in self.pictures)))
        return sha256(text.encode()).hexdigest()

    @property
    def uses(self) -> tuple[tuple[str, Spot], ...]:
        """The templates it names, and where."""
        return tuple((piece.name, piece.spot) for piece in _walk(self.pieces) if piece.kind == "template")


def _walk(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        yield piece
        yield from _walk(piece.parts)


class Library(Mapping[str, Template]):
    """Templates by name, all of them valid together: every name is known and none contains itself."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        """Gather `templates`.

        Raises:
            Malformed: two have one name, one names an unknown one, or one contains itself.
        """
        self._templates: dict[str, Template] = {}
        findings = list(self._gather(templates))
        if findings:
            raise Malformed(findings)
        self._made: dict[tuple[str, tuple[int, ...]], Places] = {}
        self._fixed: set[str] = set()
        self._sizes: dict[str, tuple[int, int]] = {}

    def __getitem__(self, name: str) -> Template:
        return self._templates[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._templates)

    def __len__(self) -> int:
        return len(self._templates)

    def _gather(self, templates: Iterable[Template]) -> Iterator[Finding]:
        for template in templates:
            if template.name in self._templates:
                other = self._templates[template.name].document.name
                yield template.document.finding("duplicate-name", f"{other} has the same name", "template")
            self._templates.setdefault(template.name, template)
        yield from (finding for _, finding in misfits(self._templates))

    def is_fixed(self, name: str) -> bool:
        """Whether that template draws nothing by the seed, as far as it has been composed yet."""
        return name in self._fixed

    def sizes(self, name: str) -> tuple[int, int]:
        """The least and the most tiles that template has by itself under the seeds it is tried with; 0 if it fails."""
        if name not in self._sizes:
            template, counts = self[name], []
            for seed, arguments in trials(template, self):
                try:
                    counts.append(len(compose(template, self, seed, arguments)))
                except Malformed:  # lint tells what is wrong with it
                    counts.append(0)
            self._sizes[name] = (min(counts), max(counts))
        return self._sizes[name]

    def closure(self, names: Iterable[str]) -> tuple[str, ...]:
        """These templates and all that they name, sorted: what a level made from them depends on."""
        seen: set[str] = set()
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self._templates:
                seen.add(name)
                waiting += [used for used, _ in self._templates[name].uses]
        return tuple(sorted(seen))


def misfits(templates: Mapping[str, Template], broken: Collection[str] = ()) -> Iterator[tuple[Template, Finding]]:
    """What is wrong between templates: unknown names, unknown arguments, circles.

    A template that names one of the `broken`, whose own defects are told elsewhere, is not to be blamed for it here.
    """
    for template in templates.values():
        for piece in _walk(template.pieces):
            if piece.kind == "template":
                used = templates.get(piece.name)
                if used is not None or piece.name not in broken:
                    yield from ((template, finding) for finding in _misfit(template, piece, used, templates))
    state: dict[str, int] = {}
    for root in templates:
        if not state.get(root):
            yield from _circles(root, templates, state)


def _misfit(
    template: Template, piece: Piece, used: Template | None, templates: Mapping[str, Template]
) -> Iterator[Finding]:
    say = template.document.finding
    if used is None:
        yield say("unknown-template", f"there is no template `{piece.name}`", *piece.spot, "template",
                  fix=suggest(piece.name, sorted(templates)))  # fmt: skip
        return
    known = [name for name, _ in used.parameters]
    for name, _ in piece.arguments:
        if name not in known:
            yield say("unknown-argument", f"`{piece.name}` has no parameter `{name}`",
                      *piece.spot, "with", name, fix=suggest(name, known), key=True)  # fmt: skip


_OPEN, _DONE = 1, 2


def _circles(root: str, templates: Mapping[str, Template], state: dict[str, int]) -> Iterator[tuple[Template, Finding]]:
    """Templates reached from `root` that contain themselves; a walk in depth without recursion."""
    stack: list[tuple[str, Iterator[tuple[str, Spot]]]] = [(root, iter(templates[root].uses))]
    state[root] = _OPEN
    while stack:
        name, uses = stack[-1]
        for used, spot in uses:
            if used not in templates or state.get(used) == _DONE:
                continue
            if state.get(used) == _OPEN:
                chain = [step for step, _ in stack]
                circle = " → ".join([*chain[chain.index(used) :], used])
                yield (
                    templates[name],
                    templates[name].document.finding(
                        "recursion", f"contains itself: {circle}", *spot, "template", fix="name another template"
                    ),
                )
                continue
            state[used] = _OPEN
            stack.append((used, iter(templates[used].uses)))
            break
        else:
            state[name] = _DONE
            stack.pop()


# --- reading -----------------------------------------------------------------------------------------------------


def read_template(path: Path, name: str = "") -> Template:
    """The template in that file.

    Raises:
        Malformed: with every defect that shows without other templates.
    """
    return parse_template(read(path, "template", name=name), path.stem, path.parent)


def read_library(*folders: Path, root: Path | None = None) -> Library:
    """All templates of these folders, deeper folders included; findings name files as seen from `root`.

    Raises:
        Malformed: with every defect of every file.
    """
    templates: list[Template] = []
    findings: list[Finding] = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.yaml")):
        try:
            templates.append(read_template(path, path.relative_to(root).as_posix() if root else ""))
        except Malformed as error:
            findings += error.findings
    if findings:
        raise Malformed(findings)
    return Library(templates)


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
        used = {name for piece in _walk(pieces) for value in _values(piece) for name in _names(value)}
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


def _values(piece: Piece) -> Iterator[Value | None]:
    yield from (value for _, value in piece.arguments)
    yield from (value for _, value in piece.repeat)
    yield from (*(piece.at or ()), piece.z, piece.turn, piece.layers, *piece.inset)
    if piece.symmetry and piece.symmetry.size:
        yield from piece.symmetry.size


def _names(value: Value | None) -> tuple[str, ...]:
    return value.names if isinstance(value, Formula) else ()


# --- composing ---------------------------------------------------------------------------------------------------


def compose(template: Template, library: Library, seed: str, arguments: Mapping[str, int] | None = None) -> Layout:
    """The layout of one template, in the middle of its own canvas.

    Raises:
        Malformed: the drawn numbers make tiles overlap, float or leave the canvas; the place is the piece's.
    """
    places = _Composer(library, seed).template(template, dict(arguments or {}))
    canvas, margin = template.canvas, template.margin
    centred = _centred(places, canvas, margin, lambda: template.document.finding(
        "off-canvas", _too_big(places, canvas, margin), "pieces",
        fix="shrink or turn a piece, or enlarge `canvas`"))  # fmt: skip
    floating = _floating(centred, template.support)
    if floating:
        layer = min(z for _, _, z in floating)
        what = "float" if template.support == "part" else f"lack `{template.support}` support"
        raise Malformed((template.document.finding(
            "unsupported", f"{len(floating)} tile(s) {what}, the first on layer {layer}", "pieces",
            fix="put tiles under them or lower the piece"),))  # fmt: skip
    return Layout.of(centred)


def _too_big(places: Places, canvas: Canvas, margin: int) -> str:
    left, top, right, bottom = bounds_of(places)
    layers = 1 + max(z for _, _, z in places)
    inner = f"{canvas.width - 2 * margin}×{canvas.height - 2 * margin}×{canvas.layers}"
    return f"is {right - left}×{bottom - top}×{layers} half-tiles and layers; the canvas inside its margin is {inner}"


def _centred(places: Places, canvas: Canvas, margin: int, off: Callable[[], Finding]) -> Places:
    """The places moved to the middle of the canvas.

    Raises:
        Malformed: with the finding `off` makes, when they do not fit.
    """
    left, top, right, bottom = bounds_of(places)
    if (
        right - left > canvas.width - 2 * margin
        or bottom - top > canvas.height - 2 * margin
        or max((z for _, _, z in places), default=0) >= canvas.layers
    ):
        raise Malformed((off(),))
    dx = (canvas.width - right - left) // 2
    dy = (canvas.height - bottom - top) // 2
    return _moved(places, dx, dy, 0)


def _moved(places: Iterable[Place], dx: int, dy: int, dz: int) -> Places:
    return frozenset([(x + dx, y + dy, z + dz) for x, y, z in places])


_NEAR = tuple((dx, dy) for dy in (0, -1, 1) for dx in (0, -1, 1))
"""Steps to every corner at which a tile would overlap one at (0, 0)."""


def _floating(places: Places, support: str = "part") -> set[Place]:
    """Tiles above the ground with less under them than that support asks for."""
    if support == "part":
        return {place for place in places if place[2] and not _touches(places, place, 1, _NEAR)}
    cells = {cell for place in places for cell in cells_of(place)}
    need = SUPPORT[support]
    return {p for p in places if p[2] and sum((x, y, z - 1) in cells for x, y, z in cells_of(p)) < need}


def _supported(places: Places, before: Places, support: str) -> Places:
    """`places` without the tiles that find less than that support among themselves and those `before`."""
    low = min((z for _, _, z in places), default=0)
    for z in range(max(1, low), 1 + max((z for _, _, z in places), default=0)):
        layer = frozenset(p for p in places | before if z - 1 <= p[2] <= z)
        places -= {p for p in _floating(layer, support) if p[2] == z and p not in before}
    return places


def _overlap(places: Collection[Place]) -> Place | None:
    """The first tile that overlaps another, or None."""
    found = [place for place in places if _touches(places, place, 0, _NEAR[1:])]
    return min(found, key=lambda p: (p[2], p[1], p[0]), default=None)


def _touches(places: Collection[Place], place: Place, down: int, steps: Sequence[tuple[int, int]]) -> bool:
    """Whether a tile of `places`, `down` layers lower, begins one of `steps` away from `place`."""
    x, y, z = place
    z -= down
    for dx, dy in steps:  # noqa: SIM110 - a generator would double the time
        if (x + dx, y + dy, z) in places:
            return True
    return False


def cells_of(place: Place) -> tuple[Place, Place, Place, Place]:
    """The four half-tile cells a tile covers."""
    x, y, z = place
    return ((x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z))


class _Composer:
    """Evaluates templates under one seed."""

    def __init__(self, library: Library, seed: str) -> None:
        self.library = library
        self.seed = seed
        self.drawn = False
        self.pieces = 0

    def template(self, template: Template, arguments: Mapping[str, int]) -> Places:
        """Its places, upper left corner at (0, 0), lowest layer 0.

        What its pieces make of its parameters' values is kept with the library, unless a piece draws by itself.
        """
        before, self.drawn = self.drawn, False
        scope = _Scope(self, template, arguments)
        drew, self.drawn = self.drawn, False
        library = self.library
        key = (template.name, tuple(scope.values.values())) if library.get(template.name) is template else None
        if key is not None and key in library._made:
            self.drawn = before or drew
            return library._made[key]
        places = self._places(template, scope)
        if key is not None and not self.drawn and len(library._made) < MAX_KEPT:
            library._made[key] = places
            if not drew and not arguments:
                library._fixed.add(template.name)
        self.drawn = self.drawn or before or drew
        return places

    def _places(self, template: Template, scope: _Scope) -> Places:
        places = _normal(scope.symmetric(scope.unite(template.pieces), template.symmetry))
        if not places:
            raise Malformed((template.document.finding("empty", "has no tiles with these numbers", "pieces"),))
        bad = _overlap(places)
        if bad is not None:
            raise Malformed((template.document.finding(
                "overlap", f"tiles overlap at ({bad[0]}, {bad[1]}) on layer {bad[2]}", "pieces",
                fix="move a piece by two half-tiles, put it on `z: top`, or subtract one"),))  # fmt: skip
        return places


class _Scope:
    """One template being evaluated with its parameters' values."""

    def __init__(self, composer: _Composer, template: Template, arguments: Mapping[str, int]) -> None:
        self.composer = composer
        self.owner = template
        self.values = {
            name: arguments[name] if name in arguments else self.number(value) for name, value in template.parameters
        }

    def number(self, value: Value) -> int:
        if isinstance(value, int):
            return value
        if isinstance(value, Formula):
            total = 0
            for sign, factors in value.terms:
                product = sign
                for factor in factors:
                    product *= self.values[factor] if isinstance(factor, str) else factor
                total += product
            return total
        self.composer.drawn = True
        stream = Stream(self.composer.seed, f"layout/{self.owner.name}/{value.label}")
        return value.low + value.step * stream.below((value.high - value.low) // value.step + 1)

    def fail(self, piece: Piece, code: str, message: str, fix: str = "") -> Malformed:
        return Malformed((self.owner.document.finding(code, message, *piece.spot, fix=fix),))

    def bounded(self, piece: Piece, value: Value, low: int, high: int, what: str) -> int:
        """A number that a formula may have carried out of its bounds.

        Raises:
            Malformed: it did.
        """
        number = self.number(value)
        if not low <= number <= high:
            raise self.fail(piece, "range", f"{what} is {number}; it must be {low} … {high}")
        return number

    def unite(self, pieces: Sequence[Piece]) -> Places:
        """Pieces one after the other, each put where it belongs among those before."""
        united: Places = frozenset()
        for piece in pieces:
            places = self.put(piece, self.make(piece), united)
            united |= _supported(places, united, piece.support) if piece.support else places
        return united

    def put(self, piece: Piece, places: Places, before: Places) -> Places:
        """`places` moved to the piece's `at` and `z`."""
        if piece.at is not None:
            dx, dy = self.number(piece.at[0]), self.number(piece.at[1])
        else:
            left, top, right, bottom = bounds_of(before)
            a, b, c, d = bounds_of(places)
            dx, dy = (left + right - a - c) // 2, (top + bottom - b - d) // 2
        if piece.z is not None:
            return _moved(places, dx, dy, self.bounded(piece, piece.z, 0, 31, "`z`"))
        return _on_top(_moved(places, dx, dy, 0), before)

    def make(self, piece: Piece) -> Places:
        """The piece at (0, 0, 0): made, mirrored, turned, stacked, repeated, made symmetric."""
        self.composer.pieces += 1
        if self.composer.pieces > MAX_PIECES:
            raise self.fail(piece, "too-many-pieces", f"more than {MAX_PIECES} pieces are made",
                            "name fewer templates inside templates")  # fmt: skip
        places = self.kind(piece)
        if piece.mirror:
            places = _mirrored(places, piece.mirror)
        if piece.turn:
            places = _turned(places, self.number(piece.turn) % 4)
        if piece.layers != 1:
            layers = self.bounded(piece, piece.layers, 1, 16, "`stack`")
            places = _stacked(places, layers, self.number(piece.inset[0]), self.number(piece.inset[1]))
        if piece.repeat:
            places = self.repeated(piece, places)
        places = self.symmetric(places, piece.symmetry)
        if len(places) > MAX_TILES:
            raise self.fail(piece, "too-many-tiles", f"makes {len(places)} tiles; {MAX_TILES} are the most")
        return places

    def kind(self, piece: Piece) -> Places:
        match piece.kind:
            case "drawing" | "picture":
                return piece.drawing
            case "template":
                given = {name: self.number(value) for name, value in piece.arguments}
                return self.composer.template(self.composer.library[piece.name], given)
            case "unite":
                return self.unite(piece.parts)
            case "subtract" | "intersect":
                return self.carved(piece)
            case "choose":
                self.composer.drawn = True
                label = "/".join(map(str, piece.spot))
                stream = Stream(self.composer.seed, f"layout/{self.owner.name}/{label}")
                one = weighted(piece.parts, [part.weight for part in piece.parts], stream)
                return self.put(one, self.make(one), frozenset())
        shape = SHAPES[piece.kind]
        numbers: dict[str, int] = {}
        for name, value in piece.arguments:
            bound = shape.parameters[name]
            numbers[name] = self.bounded(piece, value, bound.low, bound.high, f"`{name}`")
        return shape.slots(**numbers)

    def carved(self, piece: Piece) -> Places:
        """The first part without what the others touch, or only what lies wholly inside each of them."""
        first = self.unite(piece.parts[:1])
        for part in piece.parts[1:]:
            other = self.put(part, self.make(part), first)
            cells = {cell for place in other for cell in cells_of(place)}
            if piece.kind == "subtract":
                first = frozenset(p for p in first if cells.isdisjoint(cells_of(p)))
            else:
                first = frozenset(p for p in first if cells.issuperset(cells_of(p)))
        return first

    def repeated(self, piece: Piece, places: Places) -> Places:
        given = {name: self.number(value) for name, value in piece.repeat}
        rise = given.get("rise", 0)
        if "circle" in given:
            n, rx, ry = given["circle"], given["radius_x"], given["radius_y"]
            offsets = [on_oval(n, index, rx, ry) for index in range(n)] if 0 < n <= 64 else []
            offsets = [(dx + rx, dy + ry) for dx, dy in offsets]
        elif "columns" in given:
            columns, rows = given["columns"], given["rows"]
            offsets = [(given["by_x"] * i, given["by_y"] * j) for j in range(rows) for i in range(columns)]
        else:
            offsets = [(given["by_x"] * i, given["by_y"] * i) for i in range(given["count"])]
        if not 0 < len(offsets) <= 1024 or len(offsets) * len(places) > MAX_TILES:
            raise self.fail(piece, "too-many-tiles", f"repeats {len(places)} tiles {len(offsets)} times",
                            f"stay between 1 and {MAX_TILES} tiles")  # fmt: skip
        return _normal(frozenset().union(*(_moved(places, dx, dy, rise * i) for i, (dx, dy) in enumerate(offsets))))

    def symmetric(self, places: Places, symmetry: Symmetry | None) -> Places:
        """The places and their images; a tile whose images overlap one another or earlier tiles is left out."""
        if symmetry is None or not places:
            return places
        size = symmetry.size
        frame = (self.number(size[0]), self.number(size[1])) if size is not None else None
        return _symmetric(places, symmetry.kind, frame)


def weighted(items: Sequence[Any], weights: Sequence[int], stream: Stream) -> Any:
    """One of `items`, each as likely as its weight says."""
    pick = stream.below(sum(weights))
    for item, weight in zip(items, weights, strict=True):
        pick -= weight
        if pick < 0:
            return item
    raise AssertionError("unreachable: the weights add up")


def _normal(places: Places) -> Places:
    if not places:
        return places
    left, top, low = min(x for x, _, _ in places), min(y for _, y, _ in places), min(z for _, _, z in places)
    return _moved(places, -left, -top, -low) if left or top or low else places


def _frame(places: Places) -> tuple[int, int]:
    """Width and height from (0, 0) to the furthest tile: a piece is mirrored and turned within it."""
    return (max((x for x, _, _ in places), default=-2) + 2, max((y for _, y, _ in places), default=-2) + 2)


def _mirrored(places: Places, kind: str) -> Places:
    width, height = _frame(places)
    if kind in ("x", "both"):
        places = frozenset((width - 2 - x, y, z) for x, y, z in places)
    if kind in ("y", "both"):
        places = frozenset((x, height - 2 - y, z) for x, y, z in places)
    return places


def _turned(places: Places, quarters: int) -> Places:
    """Quarter turns clockwise: the left column becomes the top row."""
    for _ in range(quarters):
        _, height = _frame(places)
        places = frozenset((height - 2 - y, x, z) for x, y, z in places)
    return places


def _stacked(places: Places, layers: int, across: int, down: int) -> Places:
    """More layers on the highest one, each lying `across` and `down` half-tiles inside the one below it."""
    top = max((z for _, _, z in places), default=0)
    layer = {(x, y) for x, y, z in places if z == top}
    made = set(places)
    for z in range(top + 1, top + layers):
        cells = {(x + i, y + j) for x, y in layer for i in (0, 1) for j in (0, 1)}
        reach = [(i, j) for i in range(-across, across + 2) for j in range(-down, down + 2)]
        sx, sy = across % 2, down % 2
        layer = {(x + sx, y + sy) for x, y in layer if all((x + sx + i, y + sy + j) in cells for i, j in reach)}
        made |= {(x, y, z) for x, y in layer}
    return frozenset(made)


def _symmetric(places: Places, kind: str, frame: tuple[int, int] | None) -> Places:
    left, top, right, bottom = bounds_of(places)
    across, down = (frame[0] - 2, frame[1] - 2) if frame else (left + right - 2, top + bottom - 2)
    if kind == "quarter" and (across - down) % 2:
        down += 1
    made: set[Place] = set()
    taken: set[Place] = set()
    for place in sorted(places, key=lambda p: (p[2], p[1], p[0])):
        if place in made:
            continue
        x, y, z = place
        images = {place}
        if kind in ("x", "both"):
            images |= {(across - u, v, z) for u, v, _ in images}
        if kind in ("y", "both"):
            images |= {(u, down - v, z) for u, v, _ in images}
        if kind in ("turn", "quarter"):
            images |= {(across - x, down - y, z)}
        if kind == "quarter":
            images |= {((across + down) // 2 - v, (down - across) // 2 + u, z) for u, v, _ in images}
        if _overlap(images) is None and all(taken.isdisjoint(cells_of(image)) for image in images):
            made |= images
            taken.update(cell for image in images for cell in cells_of(image))
    return frozenset(made)


def _on_top(places: Places, before: Places) -> Places:
    """`places` on the lowest layer on which they overlap nothing of `before`."""
    highest: dict[tuple[int, int], int] = {}
    for x, y, z in before:
        if highest.get((x, y), -1) < z:
            highest[x, y] = z
    rise = 0
    for x, y, z in places:
        for dx, dy in _NEAR:
            under = highest.get((x + dx, y + dy))
            if under is not None and under - z >= rise:
                rise = under - z + 1
    return _moved(places, 0, 0, rise)


def trials(template: Template, library: Library) -> Iterator[tuple[str, dict[str, int]]]:
    """Seeds and arguments to compose a template with: once when it draws nothing, else its extremes and some seeds."""
    drawn = {name: value for name, value in template.parameters if isinstance(value, Draw)}
    yield "lint/0", {}
    if library.is_fixed(template.name):
        return
    for seed in range(1, TRIALS):
        yield f"lint/{seed}", {}
    if drawn:
        yield "lint/low", {name: value.low for name, value in drawn.items()}
        yield "lint/high", {name: value.low + (value.high - value.low) // value.step * value.step
                            for name, value in drawn.items()}  # fmt: skip


# --- levels ------------------------------------------------------------------------------------------------------

PLACES = ("on", "above", "below", "left", "right", "sides", "ends")


@dataclass(frozen=True, slots=True)
class Part:
    """One of the templates of a level, and where it goes among those before it."""

    template: str
    place: str = "on"
    """`on`: over their middle, on the lowest layer where it overlaps nothing. `above`, `below`, `left`, `right`:
    beside them on the ground. `sides`, `ends`: two mirror images, left and right or above and below."""
    arguments: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return self.template if self.place == "on" else f"{self.template}@{self.place}"


def parts(*words: str) -> tuple[Part, ...]:
    """Parts as a recipe writes them: `parts("plaza", "ring@sides")`."""
    split = [word.partition("@") for word in words]
    return tuple(Part(name, place or "on") for name, _, place in split)


def compose_level(
    level: Sequence[Part], library: Library, canvas: Canvas, tiles: int, group: int, seed: str,
    *, margin: int = MARGIN, layers: int = 0,
) -> Layout:  # fmt: skip
    """Several templates put together and fitted to exactly `tiles` tiles by the rule of `fit.py`.

    Each part is put where it says among those before; what then finds nothing under it falls away. The whole stands
    in the middle of the canvas. With `layers`, exactly so many must come out.

    Raises:
        Malformed: a part is unknown, the whole leaves the canvas, or the count or the layers cannot be reached.
    """
    names = " + ".join(map(str, level))
    if tiles < group or tiles % group:
        raise _bad(
            "count", f"{tiles} tiles are no positive multiple of {group}", names, f"ask for {_near(tiles, group)}"
        )
    heap = _together(level, library, seed)
    heap = _centred(heap, canvas, margin, lambda: Finding(
        "level/off-canvas", _too_big(heap, canvas, margin), names,
        "use smaller templates or a larger canvas"))  # fmt: skip
    highest = min(layers or canvas.layers, canvas.layers)
    area: Area = (margin, margin, canvas.width - margin, canvas.height - margin, highest)
    if layers:
        heap = frozenset(place for place in heap if place[2] < layers)
    fitted = fit(heap, tiles, area, all_layers=bool(layers))
    if len(fitted) != tiles:
        low, high = _reach(heap, area, group, bool(layers))
        raise _bad("unreachable", f"{tiles} tiles cannot be reached: {names} has {len(heap)} and gives "
                   f"{low} … {high} on this canvas", names, "ask for fewer tiles or take larger templates")  # fmt: skip
    found = 1 + max(z for _, _, z in fitted)
    if layers and found != layers:
        raise _bad(
            "layers", f"{tiles} tiles make {found} layers, not {layers}", names, "take a template with more layers"
        )
    return Layout.of(fitted)


def _reach(heap: Places, area: Area, group: int, all_layers: bool) -> tuple[int, int]:
    """The least and the greatest multiple of `group` that trimming and padding reach."""
    low = max(group, -(-least(heap, all_layers=all_layers) // group) * group)
    return low, most(heap, area) // group * group


def _near(tiles: int, group: int) -> str:
    down = tiles // group * group
    return f"{down} or {down + group}" if down else str(group)


def _bad(code: str, message: str, where: str, fix: str) -> LevelgenError:
    return Malformed((Finding(f"level/{code}", message, where, fix),))


def _together(level: Sequence[Part], library: Library, seed: str) -> Places:
    unknown = [part.template for part in level if part.template not in library]
    if unknown or not level:
        raise Malformed([
            Finding("level/unknown-template", f"there is no template `{name}`", name, suggest(name, sorted(library)))
            for name in unknown
        ] or [Finding("level/empty", "no template is named")])  # fmt: skip
    strange = [
        Finding("level/unknown-argument", f"`{part.template}` has no parameter `{name}`", str(part),
                suggest(name, [key for key, _ in library[part.template].parameters]))
        for part in level for name, _ in part.arguments
        if name not in dict(library[part.template].parameters)
    ]  # fmt: skip
    if strange:
        raise Malformed(strange)
    composer = _Composer(library, seed)
    heap: Places = frozenset()
    for part in level:
        places = composer.template(library[part.template], dict(part.arguments))
        heap |= _beside(places, heap, part.place) if heap else places
    floating = _floating(heap)
    while floating:
        heap -= floating
        floating = _floating(heap)
    return heap


def _beside(places: Places, heap: Places, place: str) -> Places:
    left, top, right, bottom = bounds_of(heap)
    width, height = _frame(places)
    dx, dy = (left + right - width) // 2, (top + bottom - height) // 2
    match place:
        case "above":
            return _moved(places, dx, top - height, 0)
        case "below":
            return _moved(places, dx, bottom, 0)
        case "left":
            return _moved(places, left - width, dy, 0)
        case "right":
            return _moved(places, right, dy, 0)
        case "sides":
            return _moved(places, left - width, dy, 0) | _moved(_mirrored(places, "x"), right, dy, 0)
        case "ends":
            return _moved(places, dx, top - height, 0) | _moved(_mirrored(places, "y"), dx, bottom, 0)
    return _on_top(_moved(places, dx, dy, 0), heap)
