"""Where levels are finished: what a worker needs for it, and what it hands back, as bytes.

    bench    = Workbench(Setup(recipe, heading), workshop)
    outcomes = bench.make(plans)                     one `Finished` (packed) or `Failed` for each, in order

A worker is a process on this machine or on another; all of them call the same function. A finished level is complete
and checked: who receives it appends it to a pack, or keeps it, as it is.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.errors import Finding, LevelgenError, SystemFailed, unforeseen
from levelgen.faces import image
from levelgen.level import Workshop, make_level, off_curve
from levelgen.pack.claims import evidence_bytes, evidence_name
from levelgen.pack.manifest import Heading, Preview, parse_preview
from levelgen.pack.write import Ready, checked_level
from levelgen.recipe import LevelPlan

if TYPE_CHECKING:
    from levelgen.render.preview import Painter

_COMPRESSION, _WINDOW, _EFFORT = 1, 13, 6
"""Fast; a record shrinks to a third of it. zlib's window and memory level are smaller than usual, for its buffers would
otherwise be 256 KB anew for each level: a thread of a Dask worker gives such pages back at once, and each level faults
them in again."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a worker must be told before it is given levels."""

    recipe: Path
    heading: Heading
    provers: tuple[str, ...] = ()
    previews: bool = True
    templates: tuple[str, ...] = ()
    """Those the levels are made from."""
    sources: str = ""
    """The digest of them and of the face set, as whoever hands out the levels has read them."""
    title: str = ""
    """The recipe's, as it was then; pictures show it."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A level that is made, proved, certified, drawn and checked."""

    level: int
    ready: Ready
    attempt: int
    """Deals that were thrown away before it; 0 of one that was searched for."""
    answers: tuple[tuple[str, str], ...]
    """What each prover that was asked answered, by its name."""
    off_curve: str = ""
    """How far it is from its target, in words, when it is farther than it may be."""

    def to_bytes(self) -> bytes:
        """The level in one piece, for another process or a cache."""
        ready = self.ready
        preview, png = ready.picture or (None, b"")
        names = [name for name, _ in ready.evidence]
        parts = [ready.line, ready.proof, preview.encode() if preview else b"", *(data for _, data in ready.evidence)]
        sizes = [len(part) for part in parts]
        head = [self.level, self.attempt, self.answers, self.off_curve, names, sizes, len(png)]
        packer = zlib.compressobj(_COMPRESSION, zlib.DEFLATED, _WINDOW, _EFFORT)
        whole = json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(parts)
        text = packer.compress(whole) + packer.flush()
        return len(text).to_bytes(4, "big") + text + png

    @classmethod
    def from_bytes(cls, data: bytes) -> Finished:
        """The level out of `to_bytes`, whose digest whoever kept it has compared."""
        size = int.from_bytes(data[:4], "big")
        head, _, rest = zlib.decompress(data[4 : 4 + size]).partition(b"\n")
        level, attempt, answers, off_curve, names, sizes, picture = json.loads(head.decode("ascii"))
        parts = []
        place = 0
        for length in sizes:
            parts.append(rest[place : place + length])
            place += length
        line, proof, shown, *evidence = parts
        png = data[4 + size : 4 + size + picture]
        ready = Ready(
            line,
            proof,
            (parse_preview(shown), png) if shown else None,
            tuple(zip(names, evidence, strict=True)),
        )
        return cls(level, ready, attempt, tuple((name, verdict) for name, verdict in answers), off_curve)


@dataclass(frozen=True, slots=True)
class Failed:
    """A level that could not be made, and why."""

    level: int
    kind: type[LevelgenError]
    findings: tuple[Finding, ...]


Outcome = bytes | Failed
"""A finished level in one piece, or why there is none."""


def _opened(setup: Setup) -> Workshop:
    """The workshop of a worker. Sources may have changed since the levels were planned and their keys taken; what were
    made from them then would be kept, and shipped, as something else.

    Raises:
        SystemFailed: they have changed.
    """
    wrong: tuple[Finding, ...] = ()
    try:
        workshop = Workshop.open(setup.recipe, measured=False)
        if workshop.sources_of(setup.templates) == setup.sources:
            return replace(workshop, recipe=replace(workshop.recipe, title=setup.title))
    except LevelgenError as error:
        wrong = error.findings
    changed = Finding("build/sources-changed", "a template or the face set changed since the build began",
                      setup.recipe.name, "run the same command again: what is finished is kept")  # fmt: skip
    raise SystemFailed([changed, *wrong])


class Workbench:
    """A workshop set up to finish levels: recipe, templates, faces, and a painter with its prepared tiles."""

    def __init__(self, setup: Setup, workshop: Workshop | None = None) -> None:
        """Its workshop is the one given, or is opened here.

        Raises:
            SystemFailed: the sources read here are not those of `setup`.
        """
        self.setup = setup
        self.workshop = workshop or _opened(setup)
        self._painter: Painter | None = None

    @property
    def painter(self) -> Painter | None:
        """Who draws the previews, if any are asked for."""
        if self._painter is None and self.setup.previews:
            from levelgen.render.preview import Painter
            from levelgen.render.theme import DEFAULT_THEMES

            faces = self.workshop.face_set
            pictures = {face: image(faces, face) for face in faces.dealable}
            self._painter = Painter(pictures, DEFAULT_THEMES[self.setup.heading.ruleset.id])
        return self._painter

    def finish(self, level: LevelPlan) -> Finished:
        """One level.

        Raises:
            LevelgenError: as `make_level`, or the level is none of its pack's.
        """
        heading = self.setup.heading
        made = make_level(self.workshop, level, heading.pack, self.setup.provers, self.painter)
        ready = checked_level(heading, made.record, made.certificate, level.level)
        evidence = tuple(
            (evidence_name(level.level, shown.claim).removeprefix("evidence/"), evidence_bytes(shown))
            for shown in made.evidence
        )
        picture: tuple[Preview, bytes] | None = None if made.preview is None else (made.preview, made.png)
        ready = Ready(ready.line, ready.proof, picture, evidence)
        attempt = 0 if level.aim else made.record.attempt
        return Finished(level.level, ready, attempt, made.answers, off_curve(made.record))

    def make(self, levels: Sequence[LevelPlan]) -> list[Outcome]:
        """Each of the levels, in order; one that fails does not keep the others from being made."""
        outcomes: list[Outcome] = []
        for level in levels:
            try:
                outcomes.append(self.finish(level).to_bytes())
            except LevelgenError as error:
                outcomes.append(Failed(level.level, type(error), error.findings))
            except Exception as error:  # a bug on one level: the others are made all the same
                found = unforeseen(error, f"level {level.level}", "run again with --jobs 1 and --levels")
                outcomes.append(Failed(level.level, type(found), found.findings))
        return outcomes
