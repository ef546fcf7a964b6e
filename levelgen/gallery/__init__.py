"""A gallery: every level of a pack on one page, to look at, to step through and to play.

    exhibits = [exhibit_of(record, certificate) for …]
    html     = Gallery.of(face_set).page(heading_of(manifest), exhibits)

The page judges with the one JavaScript law (`levelgen.page.law`) and draws with the tiles of the previews. It needs no
server and no network. Of a board that cannot be won it tells why, step by step.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from levelgen.board import Deal
from levelgen.certificate import Certificate, Solution, moves_under
from levelgen.faces import FaceSet, image
from levelgen.moves import encode
from levelgen.pack.records import Record, encode_board
from levelgen.page import law, page, page_style, part, tiles_script
from levelgen.page.look import Tiles
from levelgen.recipe import LevelPlan, Recipe
from levelgen.render.theme import DEFAULT_THEMES
from levelgen.solve import prove
from levelgen.solve.aid import Scene, explain

if TYPE_CHECKING:
    from PIL.Image import Image

    from levelgen.pack.manifest import Manifest

SCRIPTS = ("dom.js", "figures.js", "shelf.js", "hint.js", "stage.js", "play.js", "desk.js", "live.js", "main.js")
"""In the order in which they are read; all share one scope with the law and `page/tiles.js`."""


@dataclass(frozen=True)
class Exhibit:
    """A board as the gallery shows it."""

    name: str
    """What a log of it calls it, `PACK#N`, or what its file does."""
    board: dict[str, Any]
    """Its record as JSON, or the fields of a board file."""
    moves: tuple[str, ...] | None = None
    """The certificate's moves as a log spells them; None where there is no certificate."""
    claims: dict[str, Any] = field(default_factory=dict)
    """What the certificate claims: `par`, `guess_free`, `peak`, `robust`."""
    story: tuple[Scene, ...] = ()
    """Why it cannot be won."""
    rejected: str = ""
    """Why it is not wanted; empty when it is."""
    draft: bool = False
    """Whether the level is still being made, and this only its layout with a first deal."""

    @property
    def ruleset(self) -> str:
        """The id of its ruleset."""
        return str(self.board["ruleset"]["id"])

    @property
    def layers(self) -> int:
        """How many layers it has."""
        return 1 + max(int(slot[2]) for slot in self.board["slots"])

    @property
    def faces(self) -> tuple[str, ...]:
        """The faces on it and in its tray."""
        return (*self.board["faces"], *self.board.get("tray", ()))

    def to_json(self) -> dict[str, Any]:
        """As the page reads it."""
        shown: dict[str, Any] = {"name": self.name, "board": self.board, "claims": self.claims}
        if self.moves is not None:
            shown["moves"] = " ".join(self.moves)
        if self.story:
            shown["story"] = [scene._asdict() for scene in self.story]
        if self.rejected:
            shown["rejected"] = self.rejected
        if self.draft:
            shown["draft"] = True
        return shown


@dataclass(frozen=True)
class Heading:
    """What the page says of itself."""

    title: str
    notes: tuple[str, ...] = ()
    """A few words each: the pack's id and version, that its artwork is provisional, …"""


def heading_of(manifest: Manifest) -> Heading:
    """What a pack's manifest says of it."""
    notes = [f"{manifest.pack} version {manifest.version}", manifest.face_set.id]
    if manifest.face_set.provisional:
        notes.append("provisional artwork")
    return Heading(manifest.title, tuple(notes))


def exhibit_of(record: Record, certificate: Certificate | None, rejected: str = "") -> Exhibit:
    """A level of a pack."""
    moves: tuple[str, ...] | None = None
    claims: dict[str, Any] = {}
    if certificate is not None:
        moves = tuple(map(encode, moves_under(record.ruleset, record.face_down, certificate.solution)))
        claims = {
            "peak": certificate.peak,
            "par": {"value": certificate.par, "claim": certificate.par_claim},
            "guess_free": {"value": certificate.guess_free, "claim": certificate.guess_free_claim},
            "robust": certificate.robust,
        }
    return Exhibit(f"{record.pack}#{record.level}", record.to_json(), moves, claims, (), rejected)


def exhibit_of_deal(name: str, deal: Deal, rejected: str = "") -> Exhibit:
    """A board of a file: with the kernel's solution if it can be won, with the story of why not if it cannot."""
    proof = prove(deal)
    moves = tuple(map(encode, proof.moves)) if proof.verdict == "solved" else None
    story = explain(deal) if proof.verdict == "unsolvable" else ()
    return Exhibit(name, json.loads(encode_board(deal)), moves, {}, story, rejected)


def draft_of(level: LevelPlan, deal: Deal, solution: Solution, pack: str) -> Exhibit:
    """A level that is still being made, as a deal of its plan shows it."""
    moves = tuple(map(encode, moves_under(level.ruleset, deal.face_down, solution)))
    figures = {} if level.aim is None else {"target": level.aim.target, "tolerance": level.aim.tolerance}
    board = {
        **json.loads(encode_board(deal)),
        "level": level.level,
        "templates": [part.template for part in level.parts],
        "difficulty": figures,
    }
    return Exhibit(f"{pack}#{level.level}", board, moves, draft=True)


def rejection(recipe: Recipe, record: Record) -> str:
    """What a recipe rejects of a level of its pack, in a sentence; empty when nothing."""
    if record.level in recipe.kept:
        return "Its new draw was rejected; it is kept as an earlier pack had it."
    rejected = recipe.rejected.get(record.level)
    if rejected is None:
        return ""
    if record.seed in rejected.seeds or record.attempt in rejected.attempts:
        return "The recipe rejects this draw; the next build makes another."
    return f"Draws before this one were rejected: {len(rejected.seeds) + len(rejected.attempts)}."


class Gallery:
    """Makes pages with these pictures and titles of faces, each prepared once; faces without a picture are written."""

    def __init__(self, pictures: Mapping[str, Image] | None = None, titles: Mapping[str, str] | None = None) -> None:
        self._tiles = Tiles(pictures or {}, titles or {})

    @classmethod
    def of(cls, face_set: FaceSet) -> Gallery:
        """With the pictures of a face set.

        Raises:
            Malformed: one of them cannot be read.
        """
        pictures = {face: image(face_set, face) for face in face_set.dealable}
        return cls(pictures, {face.id: face.title for face in face_set.faces})

    def page(self, heading: Heading, exhibits: Sequence[Exhibit], *, live: int | None = None) -> str:
        """The page. `live` is for one that is served: its version, of which it asks its server for news."""
        themes = {}
        for ruleset in sorted({exhibit.ruleset for exhibit in exhibits}):
            layers = {exhibit.layers for exhibit in exhibits if exhibit.ruleset == ruleset}
            themes[ruleset] = self._tiles.look(DEFAULT_THEMES[ruleset], layers)
        data = {
            "title": heading.title,
            "notes": list(heading.notes),
            "live": live,
            "faces": self._tiles.faces({face for exhibit in exhibits for face in exhibit.faces}),
            "themes": themes,
            "levels": [exhibit.to_json() for exhibit in exhibits],
        }
        return page(
            heading.title,
            part(__file__, "gallery.html"),
            styles=[page_style(), part(__file__, "gallery.css")],
            scripts=[law(), tiles_script(), *(part(__file__, name) for name in SCRIPTS)],
            data=data,
            connect="'none'" if live is None else "'self'",
        )
