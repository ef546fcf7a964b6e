"""What a template says: pieces, and numbers that are fixed, drawn by the seed or worked out from parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from levelgen.document import Document, Spot
from levelgen.fit import Place
from levelgen.layout import Canvas

PHONE = Canvas(20, 28, 6)
"""The canvas unless a template or a recipe names another: a phone held upright."""
MARGIN = 1

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
        return tuple((piece.name, piece.spot) for piece in walk(self.pieces) if piece.kind == "template")


def walk(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """These pieces and all within them, each before its parts."""
    for piece in pieces:
        yield piece
        yield from walk(piece.parts)


def values_of(piece: Piece) -> Iterator[Value | None]:
    """Every number it is given that a seed or a parameter may decide, those of its parts excepted."""
    yield from (value for _, value in piece.arguments)
    yield from (value for _, value in piece.repeat)
    yield from (*(piece.at or ()), piece.z, piece.turn, piece.layers, *piece.inset)
    if piece.symmetry and piece.symmetry.size:
        yield from piece.symmetry.size


def names_of(value: Value | None) -> tuple[str, ...]:
    """The parameters that number needs."""
    return value.names if isinstance(value, Formula) else ()
