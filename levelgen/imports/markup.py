"""XML within bounds: elements with their lines; no document types, no entities but the five, no namespaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from levelgen.imports.source import Source

MAX_DEPTH = 32
MAX_ELEMENTS = 100_000
MAX_ATTRIBUTES = 64


@dataclass(slots=True)
class Element:
    """An element, where it begins, and what is in it."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    text_line: int = 0
    """The line its text begins on."""
    comments: list[str] = field(default_factory=list)
    """Comments of the whole file; on the root only."""

    @property
    def text(self) -> str:
        """The characters directly inside it."""
        return "".join(self.chunks)

    def all(self, *tags: str) -> list[Element]:
        """Its children with one of these tags."""
        return [child for child in self.children if child.tag in tags]


class _Builder:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.count = 0
        self.root: Element | None = None
        self.open: list[Element] = []
        self.comments: list[str] = []
        parser = self.parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.CommentHandler = self.comment

    def doctype(self, *_: object) -> NoReturn:
        raise self.source.stop("doctype", "declares a document type or entities; they are not read",
                               self.parser.CurrentLineNumber, "remove the DOCTYPE")  # fmt: skip

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise self.source.stop("too-many", f"has more than {MAX_ELEMENTS} elements", line)
        if len(self.open) >= MAX_DEPTH:
            raise self.source.stop("too-deep", f"nests deeper than {MAX_DEPTH} elements", line)
        if len(attributes) > MAX_ATTRIBUTES:
            raise self.source.stop("too-many", f"<{tag[:40]}> has more than {MAX_ATTRIBUTES} attributes", line)
        element = Element(tag, attributes, line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        element = self.open[-1]
        element.text_line = element.text_line or self.parser.CurrentLineNumber
        element.chunks.append(text)

    def comment(self, text: str) -> None:
        if len(self.comments) < 100:
            self.comments.append(text[:1000])


def parse_xml(source: Source) -> Element:
    """The root element of the file.

    Raises:
        Malformed: it is not well-formed, or leaves the bounds.
    """
    builder = _Builder(source)
    try:
        builder.parser.Parse(source.data.lstrip() if source.data[:1].isspace() else source.data, True)
    except expat.ExpatError as error:
        skipped = source.data[: len(source.data) - len(source.data.lstrip())].count(b"\n")
        message = expat.errors.messages.get(error.code, str(error.code))
        raise source.stop("xml", f"is not well-formed XML: {message}", error.lineno + skipped, "",
                          error.offset + 1) from None  # fmt: skip
    except (LookupError, ValueError):
        raise source.stop("encoding", "names an encoding that is not read", 1, "save it as UTF-8") from None
    assert builder.root is not None, "expat refuses a document without an element"
    builder.root.comments = builder.comments
    return builder.root
