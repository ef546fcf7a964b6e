"""What every reader shares: a file's bytes with their bounds, and a layout being gathered place by place.

A reader is given a `Source` and yields what it finds: a `Found` for each layout that is whole, a `Finding` for each
fault, so that one bad map of a file does not hide the others. What stops the whole file is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from levelgen.errors import Finding, Malformed
from levelgen.layout import MAX_TILES, Layout, Slot, violations

if TYPE_CHECKING:
    from levelgen.imports.jsontext import Value
    from levelgen.imports.markup import Element

MAX_BYTES = 4 << 20
"""Bytes of a file."""
MAX_LAYOUTS = 1000
"""Layouts of a file."""
MAX_PLACES = 262_144
"""Tiles and grid cells of a file, all layouts together."""
MAX_SIDE = 1024
"""Half-tiles a layout may be wide or high before it is moved to its corner."""
MAX_CANVAS = 128
MAX_LAYERS = 32
"""The largest layout a template can hold."""
MAX_TOLD = 8
"""Faults told of one layout; the others are counted."""

_LICENCE = re.compile(r"(?:SPDX-License-Identifier|licen[cs]e)\s*:\s*(\S[^\r\n]{0,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A layout read from a file, moved so that it begins at (0, 0, 0)."""

    title: str
    """As the file has it; empty when it names none."""
    layout: Layout
    where: str
    """`file:line` of its beginning."""
    author: str = ""
    licence: str = ""
    provenance: str = ""
    """As the file itself has it: only what we have written says so."""
    format: str = ""
    """The id of the format it was read from."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A layout to be written for another program, with what is known of it."""

    title: str
    layout: Layout
    author: str = ""
    licence: str = ""
    provenance: str = ""
    faces: tuple[str, ...] = ()
    """The face of each tile by its id, for a board; empty for a bare layout."""
    face_down: frozenset[int] = frozenset()


class Source:
    """The bytes of one file, what to call it, and its text."""

    def __init__(self, data: bytes, name: str) -> None:
        """Take the bytes.

        Raises:
            Malformed: there are none, or too many.
        """
        self.data = data
        self.name = name
        self.places = 0
        if len(data) > MAX_BYTES:
            raise self.stop("too-long", f"is longer than {MAX_BYTES >> 20} MiB", 0, "no layout needs that much")
        if not data.strip():
            raise self.stop("empty", "is empty")

    def finding(self, code: str, message: str, line: int = 1, fix: str = "", column: int = 0) -> Finding:
        """A finding about a line; line 0 is the file as a whole."""
        place = f":{line}" if line else ""
        place += f":{column}" if column else ""
        return Finding(f"import/{code}", message, self.name + place, fix)

    def stop(self, code: str, message: str, line: int = 1, fix: str = "", column: int = 0) -> Malformed:
        """The error that ends the reading of the file."""
        return Malformed((self.finding(code, message, line, fix, column),))

    @cached_property
    def head(self) -> bytes:
        """The first bytes, without a byte order mark and leading blanks: enough to tell a format by."""
        return self.data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()[:512]

    @cached_property
    def text(self) -> str:
        """The file as UTF-8 text with plain line ends.

        Raises:
            Malformed: it is something else.
        """
        data = self.data
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise self.stop("encoding", "is UTF-16", 1, "save it as UTF-8")
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise self.stop("binary", "holds a zero byte: it is no text", line)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise self.stop("encoding", f"byte 0x{data[error.start]:02x} is not UTF-8", line,
                            "save it as UTF-8") from None  # fmt: skip
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def xml(self) -> Element:
        """The root of the file as XML."""
        from levelgen.imports.markup import parse_xml

        return parse_xml(self)

    @cached_property
    def json(self) -> Value:
        """The file as JSON."""
        from levelgen.imports.jsontext import parse_json

        return parse_json(self)


def clean(text: str, length: int) -> str:
    """`text` fit to be shown and stored: printable, on one line, of at most `length` characters."""
    words = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * length]).split()
    return " ".join(words)[:length].rstrip()


def licence_in(text: str) -> str:
    """The licence a comment names, or nothing."""
    found = _LICENCE.search(text)
    return clean(found[1].replace("-->", " ").rstrip("*/ "), 80) if found else ""


class Sheet:
    """One layout being gathered."""

    def __init__(
        self, source: Source, title: str, line: int, *, author: str = "", licence: str = "", provenance: str = ""
    ) -> None:
        self.source = source
        self.title = title
        self.line = line
        self.author = author
        self.licence = licence
        self.provenance = provenance
        self.lines: dict[Slot, int] = {}
        self.findings: list[Finding] = []
        self.untold = 0
        self.places = 0
        self.full = False

    def say(self, code: str, message: str, line: int, fix: str = "", column: int = 0) -> None:
        """A fault of this layout; it will not come out."""
        self.tell(self.source.finding(code, message, line, fix, column))

    def tell(self, finding: Finding) -> None:
        """The same with a finding made elsewhere."""
        if len(self.findings) < MAX_TOLD:
            self.findings.append(finding)
        else:
            self.untold += 1

    def room(self, count: int, line: int) -> bool:
        """Whether `count` more tiles may come; says so when they may not."""
        if self.places + count <= MAX_TILES:
            return True
        if not self.full:
            self.full = True
            self.findings.insert(0, self.source.finding(
                "too-many-tiles", f"has more than {MAX_TILES} tiles", line, "no board needs that many"))  # fmt: skip
        return False

    def put(self, x: int, y: int, z: int, line: int) -> None:
        """A tile at these half-tile coordinates.

        Raises:
            Malformed: the layouts of the file have too many tiles.
        """
        if not self.room(1, line):
            return
        self.places += 1
        self.source.places += 1
        if self.source.places > MAX_PLACES:
            raise self.source.stop("too-many", f"the layouts of the file have more than {MAX_PLACES} tiles", line)
        slot = Slot(x, y, z)
        if slot in self.lines:
            self.tell(Finding("layout/twice", f"a tile at ({x}, {y}) on layer {z} stands on line {self.lines[slot]} "
                              "already", f"{self.source.name}:{line}", "remove one of them"))  # fmt: skip
        else:
            self.lines[slot] = line

    def done(self) -> Iterator[Found | Finding]:
        """The layout, or everything that is wrong with it."""
        if not self.lines and not self.findings:
            self.say("no-tiles", "has no tiles", self.line)
        if not self.findings:
            left, top = min(slot.x for slot in self.lines), min(slot.y for slot in self.lines)
            low = min(slot.z for slot in self.lines)
            moved = {Slot(x - left, y - top, z - low): line for (x, y, z), line in self.lines.items()}
            layout = Layout.of(moved)
            self._check(layout, moved)
            if not self.findings:
                place = f"{self.source.name}:{self.line}"
                yield Found(clean(self.title, 80), layout, place, clean(self.author, 80), clean(self.licence, 80),
                            clean(self.provenance, 200))  # fmt: skip
                return
        yield from self.findings
        if self.untold:
            yield Finding("layout/more", f"{self.untold} more faults of {clean(self.title, 40) or 'this layout'!r}",
                          f"{self.source.name}:{self.line}")  # fmt: skip

    def _check(self, layout: Layout, lines: Mapping[Slot, int]) -> None:
        _, _, right, bottom = layout.bounds()
        if max(right, bottom) > MAX_CANVAS or layout.layers > MAX_LAYERS:
            size = f"{right}×{bottom} half-tiles and {layout.layers} layers"
            most = f"{MAX_CANVAS}×{MAX_CANVAS} and {MAX_LAYERS} are the most a template holds"
            self.tell(Finding("layout/too-big", f"is {size}; {most}", f"{self.source.name}:{self.line}"))
            return
        for finding in violations(layout):
            found = re.match(r"tile (\d+) at", finding.where)
            slot = layout.slots[int(found[1])] if found else None
            line = lines[slot] if slot else self.line
            message = f"tile at ({slot.x}, {slot.y}) on layer {slot.z} {finding.message}" if slot else finding.message
            self.tell(Finding(finding.code, message, f"{self.source.name}:{line}", finding.fix))
