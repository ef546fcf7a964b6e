"""Face sets: a folder with a manifest and one PNG a face, and the check of the artwork (measured in `likeness`).

`faceset.yaml` says which faces there are, in which order they are dealt, and which are not dealt and why. The
manifest's word is not taken for it: `check` measures every picture and must reach the same answer by itself.

    face_set = load_face_set(Path("faces/AR1"))     a well-formed manifest, or every problem it has
    raise_for(check(face_set))                      the pictures are what the manifest says
    face_set.dealable                               what a deal may use
    image(face_set, "AR1_001")                      what the renderer draws

Pictures come from outside: nothing is decoded before its file size and its dimensions are known to be
bounded. Pillow is imported where it is used, so that listing faces stays cheap.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from levelgen.document import read, suggest
from levelgen.errors import Finding, Malformed, SystemFailed, raise_for
from levelgen.likeness import SMALL_TILE, VIEWS, Measure, likenesses
from levelgen.likeness import measure as measure_picture
from levelgen.pixels import pixel_digest

if TYPE_CHECKING:
    from PIL.Image import Image

MANIFEST: Final = "faceset.yaml"
MAX_PICTURE_BYTES: Final = 4 * 1024 * 1024
MAX_SIDE: Final = 4096
MAX_ENTRIES: Final = 4096
"""Bounds on what is read from outside; the number of faces is bounded by the manifest's schema."""

VIEW_NAMES: Final = {
    "normal": "in colour",
    "grey": "in greyscale",
    "protan": "without red cones",
    "deutan": "without green cones",
    "tritan": "without blue cones",
    "small": f"on a tile of {SMALL_TILE} pixels",
}
"""The views of `levelgen.likeness` in words."""

_PNG_START = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_MODES = ("RGBA", "RGB", "LA", "L", "P", "1")


@dataclass(frozen=True, slots=True)
class Face:
    """One face of a set; its picture is the file named after its id."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A face that is not dealt, and why."""

    id: str
    reason: str

    @property
    def as_wide(self) -> bool:
        """Whether the reason is the one that measuring the artwork must confirm."""
        return re.match(r"wide\b", self.reason) is not None


@dataclass(frozen=True, slots=True)
class Group:
    """Faces that match one another: a deal knows them as one face, by the group's id."""

    id: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """From where on the check complains; the manifest may say otherwise under `limits`."""

    outline_percent: int = 95
    """Two outlines that share this much of their joint area are one: only colour would tell them apart."""
    picture_percent: int = 60
    """Two pictures of which this much looks the same, in any view, are too alike."""
    contrast_percent: int = 300
    """The contrast with the tile that a quarter of a picture must reach: what WCAG 2.1 asks of graphics (1.4.11)."""
    colour_levels: int = 96
    """The difference from the tile in red, green or blue that a quarter of a picture must reach."""


@dataclass(frozen=True)
class FaceSet:
    """A face set as its manifest describes it; whether the pictures agree is `check`'s business."""

    id: str
    title: str
    provisional: bool
    """Whether the artwork may still change; packs say so."""
    faces: tuple[Face, ...]
    """In the order in which they are dealt."""
    excluded: tuple[Exclusion, ...]
    aspect_limit_percent: int
    """Width of the visible pixels in percent of their height, above which a face is wide."""
    size: tuple[int, int]
    """Width and height in pixels of every picture that is not excluded."""
    root: Path
    """The folder."""
    alike: tuple[tuple[str, str], ...] = ()
    """Pairs of faces marked too alike to lie on one board."""
    groups: tuple[Group, ...] = ()
    """Faces of which any matches any."""
    limits: Limits = Limits()
    """What the check complains about; packs do not depend on it."""

    @property
    def dealable(self) -> tuple[str, ...]:
        """The ids a deal may use, in order: all but the excluded; a group stands where its first member would."""
        excluded = {exclusion.id for exclusion in self.excluded}
        return tuple(dict.fromkeys(self.dealt_as(face.id) for face in self.faces if face.id not in excluded))

    def dealt_as(self, face: str) -> str:
        """The id under which a deal knows the face: its group's, or its own."""
        return next((group.id for group in self.groups if face in group.members), face)

    @property
    def never_together(self) -> tuple[tuple[str, str], ...]:
        """The pairs marked too alike, as a deal knows them; those within a group match anyway."""
        dealt = ((self.dealt_as(one), self.dealt_as(other)) for one, other in self.alike)
        return tuple(dict.fromkeys((one, other) for one, other in dealt if one != other))

    @property
    def manifest(self) -> str:
        """The manifest's path, for messages."""
        return (self.root / MANIFEST).as_posix()

    def picture(self, face: str) -> Path:
        """The file that holds the face's picture."""
        return self.root / f"{face}.png"

    @cached_property
    def sha256(self) -> str:
        """The digest of all that a pack depends on: ids in order, exclusions, pairs, groups, size, limit, flag, pixels.

        Pixels, not PNG bytes: builds of zlib differ. Titles and the wording of reasons are left out, and pairs and
        groups where there are none.

        Raises:
            Malformed: with every picture that is missing or cannot be read.
        """
        facts: dict[str, object] = {
            "aspect_limit_percent": self.aspect_limit_percent,
            "excluded": sorted(exclusion.id for exclusion in self.excluded),
            "faces": [face.id for face in self.faces],
            "id": self.id,
            "provisional": self.provisional,
            "size": list(self.size),
        }
        if self.alike:
            facts["alike"] = sorted(sorted(pair) for pair in self.alike)
        if self.groups:
            facts["groups"] = sorted([group.id, *group.members] for group in self.groups)
        digest = hashlib.sha256(b"levelgen-faceset-1\n" + json.dumps(facts, separators=(",", ":")).encode())
        findings: list[Finding] = []
        for face in self.faces:
            try:
                picture = read_picture(self.picture(face.id))
            except (Malformed, SystemFailed) as error:
                findings.extend(error.findings)
                continue
            pixels = pixel_digest(picture.mode, picture.size, picture.tobytes())
            digest.update(f"\n{face.id} {pixels}".encode())
        raise_for(findings)
        return digest.hexdigest()


def load_face_set(folder: Path) -> FaceSet:
    """The face set in a folder; the pictures are not looked at, see `check`.

    Raises:
        Malformed: with every problem of the manifest, each with its place, or when there is none.
        SystemFailed: the manifest is there and cannot be read.
    """
    if folder.is_dir() and not (folder / MANIFEST).exists():
        raise Malformed.of("faceset/missing", f"is no face set: it holds no {MANIFEST}", folder.as_posix(),
                           "name a set's own folder, such as faces/AR1")  # fmt: skip
    if not folder.exists():
        raise Malformed.of("faceset/missing", "there is no such face set", folder.as_posix(),
                           "name a set's own folder, such as faces/AR1")  # fmt: skip
    doc = read(folder / MANIFEST, "faceset", name=(folder / MANIFEST).as_posix())
    data = doc.data
    faces = tuple(Face(entry["id"], entry["title"]) for entry in data["faces"])
    excluded = tuple(Exclusion(entry["id"], entry["reason"]) for entry in data["excluded"])
    alike = tuple((one, other) for one, other in data.get("alike", ()))
    groups = tuple(Group(name, tuple(members)) for name, members in data.get("groups", {}).items())
    findings = [
        doc.finding(found.code, found.message, *found.entry, fix=found.fix)
        for found in _contradictions(faces, excluded, alike, groups)
    ]
    name = folder.resolve().name
    if data["id"] != name:
        fix = f"write `id: {name}`, or rename the folder"
        findings.append(doc.finding("id", f"the set {data['id']} stands in a folder called {name}", "id", fix=fix))
    raise_for(findings)
    width, height = data["size"]
    return FaceSet(
        id=data["id"],
        title=data["title"],
        provisional=data["provisional"],
        faces=faces,
        excluded=excluded,
        aspect_limit_percent=data["aspect_limit_percent"],
        size=(width, height),
        root=folder,
        alike=alike,
        groups=groups,
        limits=Limits(**data.get("limits", {})),
    )


def apart(faces: Sequence[str], never_together: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Those of `faces`, in their order, that make no such pair with one before them."""
    if not never_together:
        return tuple(faces)
    barred: dict[str, list[str]] = {}
    for one, other in never_together:
        barred.setdefault(one, []).append(other)
        barred.setdefault(other, []).append(one)
    kept: dict[str, None] = {}
    for face in faces:
        if kept.keys().isdisjoint(barred.get(face, ())):
            kept[face] = None
    return tuple(kept)


def read_picture(path: Path) -> Image:
    """The picture in a PNG file, as RGBA.

    Raises:
        Malformed: no such file, too large, not a PNG, or a corrupt one.
        SystemFailed: the file is there and cannot be read.
    """
    from PIL import Image

    where = path.as_posix()
    try:
        if path.exists() and not path.is_file():  # a pipe would keep us waiting for ever
            what = "is a folder" if path.is_dir() else "is a pipe or a device"
            raise Malformed.of("faceset/missing-picture", f"{what}, not a picture", where, "export it again as PNG")
        with path.open("rb") as file:
            data = file.read(MAX_PICTURE_BYTES + 1)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        fix = "draw it, or take the face out of the manifest"
        raise Malformed.of("faceset/missing-picture", "there is no such picture", where, fix) from None
    except OSError as error:
        raise SystemFailed.of("faceset/unreadable", f"cannot be read: {error.strerror or error}", where) from error
    if len(data) > MAX_PICTURE_BYTES:
        message = f"is larger than {MAX_PICTURE_BYTES} bytes"
        raise Malformed.of("faceset/too-large", message, where, "shrink the picture")
    if not data.startswith(_PNG_START) or len(data) < len(_PNG_START) + 8:
        raise Malformed.of("faceset/corrupt-picture", "is not a PNG file", where, "export it again as PNG")
    width, height = struct.unpack_from(">II", data, len(_PNG_START))
    if not (1 <= width <= MAX_SIDE and 1 <= height <= MAX_SIDE):
        message = f"is {width}×{height} pixels; at most {MAX_SIDE}×{MAX_SIDE} are read"
        raise Malformed.of("faceset/too-large", message, where, "shrink the picture")
    try:
        with Image.open(BytesIO(data), formats=("PNG",)) as probe:
            probe.verify()  # every chunk's checksum; decoding alone would not look at them
        with Image.open(BytesIO(data), formats=("PNG",)) as decoded:
            decoded.load()
            mode = decoded.mode
            picture = decoded.convert("RGBA") if mode in _MODES else None
    except Exception as error:  # on spoilt input Pillow raises whatever it stumbles over, IndexError included
        message = f"is a corrupt PNG file: {error}" if str(error) and "BytesIO" not in str(error) else "is corrupt"
        raise Malformed.of("faceset/corrupt-picture", message, where, "export it again as PNG") from error
    if picture is None:
        message = f"has pixels of kind {mode}, which are not read"
        raise Malformed.of("faceset/pixel-kind", message, where, "export it with 8 bits a channel")
    return picture


def image(face_set: FaceSet, face: str) -> Image:
    """The picture of a face of the set, as RGBA; of a group its first member's.

    Raises:
        Malformed: the set has no such face, or its picture is missing, corrupt or too large.
        SystemFailed: the file is there and cannot be read.
    """
    face = next((group.members[0] for group in face_set.groups if group.id == face), face)
    if all(known.id != face for known in face_set.faces):
        message = f"the set {face_set.id} has no face {face!r}"
        raise Malformed.of("faceset/unknown-face", message, face_set.manifest)
    return read_picture(face_set.picture(face))


def measure(path: Path) -> Measure:
    """Measure the picture in a file.

    Raises:
        Malformed: the picture is missing, corrupt or too large.
        SystemFailed: the file is there and cannot be read.
    """
    return measure_picture(read_picture(path))


@dataclass(frozen=True, slots=True)
class Pair:
    """Two faces that may lie on one board, and how like they are in percent, for each of `likeness.KINDS`."""

    one: str
    other: str
    likeness: Mapping[str, int]
    marked: bool
    """Whether the manifest marks them as too alike, so that they never do."""


@dataclass(frozen=True, slots=True)
class Survey:
    """All that measuring a set found."""

    findings: tuple[Finding, ...]
    measures: Mapping[str, Measure]
    """Of every face whose picture could be read."""
    pairs: tuple[Pair, ...]
    """Of every two faces that are dealt and do not match one another, in the order of the set."""

    def worst(self, kind: str, count: int) -> tuple[Pair, ...]:
        """The pairs most like in that respect, beginning with the worst."""
        return tuple(sorted(self.pairs, key=lambda pair: -pair.likeness[kind])[:count])


def check(face_set: FaceSet) -> tuple[Finding, ...]:
    """Every respect in which the folder is not what the manifest says; changes nothing.

    Reported: a picture that is missing, corrupt, empty, faint or of the wrong size; one that measures wide and is
    dealt, or is excluded as wide and measures narrow; two that are dealt, too alike and not marked so; an unknown
    id among the excluded, in a pair or in a group; an id given twice; a file nobody names.
    """
    return survey(face_set).findings


def survey(face_set: FaceSet) -> Survey:
    """What `check` finds, and all that it measured."""
    findings = [
        Finding(f"faceset/{found.code}", found.message, face_set.manifest, found.fix)
        for found in _contradictions(face_set.faces, face_set.excluded, face_set.alike, face_set.groups)
    ]
    excluded = {exclusion.id: exclusion for exclusion in face_set.excluded}
    measures: dict[str, Measure] = {}
    for face in face_set.faces:
        if face.id in measures:
            continue
        try:
            measures[face.id] = measure(face_set.picture(face.id))
        except (Malformed, SystemFailed) as error:
            findings += error.findings
    for face in face_set.faces:
        if face.id in measures:
            findings += _compare(face_set, face, excluded.get(face.id), measures[face.id])
    pairs = tuple(_pairs(face_set, measures))
    for pair in pairs:
        findings += _too_alike(face_set, pair)
    findings += _strays(face_set)
    return Survey(tuple(findings), measures, pairs)


def _pairs(face_set: FaceSet, measures: Mapping[str, Measure]) -> Iterator[Pair]:
    """Every two faces that are dealt, show something and do not match one another."""
    excluded = {exclusion.id for exclusion in face_set.excluded}
    shown = [(face, found) for face, found in measures.items() if found.outline and face not in excluded]
    marked = {frozenset(pair) for pair in face_set.never_together}
    for one, other, figures in likenesses(shown):
        dealt = frozenset((face_set.dealt_as(one), face_set.dealt_as(other)))
        if len(dealt) == 2:
            yield Pair(one, other, figures, dealt in marked)


def _too_alike(face_set: FaceSet, pair: Pair) -> Iterator[Finding]:
    if pair.marked:
        return
    limits, figures = face_set.limits, pair.likeness
    views = [f"{VIEW_NAMES[view]} ({figures[view]} %)" for view in VIEWS if figures[view] >= limits.picture_percent]
    where = face_set.picture(pair.other).as_posix()
    mark = f"mark the pair in {MANIFEST}: `alike: [[{pair.one}, {pair.other}]]`"
    if figures["outline"] >= limits.outline_percent:
        tells = f"too alike {_listed(views)}" if views else "only colour tells the two apart"
        message = f"has the outline of {pair.one} ({figures['outline']} % alike): {tells}"
        yield Finding("faceset/same-outline", message, where, f"give one of the two another silhouette, or {mark}")
    elif views:
        message = f"is too alike to {pair.one} {_listed(views)}, from {limits.picture_percent} % on"
        yield Finding("faceset/too-alike", message, where, f"redraw one of the two, or {mark}")


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@dataclass(frozen=True, slots=True)
class _Contradiction:
    """A defect that the manifest alone shows: in which entry, and what."""

    code: str
    message: str
    entry: tuple[str | int, ...]
    fix: str


def _contradictions(
    faces: Sequence[Face],
    excluded: Sequence[Exclusion],
    alike: Sequence[tuple[str, str]],
    groups: Sequence[Group],
) -> Iterator[_Contradiction]:
    """Where a manifest contradicts itself."""
    known = {face.id for face in faces}
    seen: dict[str, str] = {}
    for place, face in enumerate(faces):
        key = face.id.casefold()
        if key in seen:
            same = "is given twice" if seen[key] == face.id else f"differs from {seen[key]} by case only"
            fix = "give every face an id of its own; it is a file name too"
            yield _Contradiction("duplicate-id", f"face {face.id} {same}", ("faces", place, "id"), fix)
        seen.setdefault(key, face.id)
    named: set[str] = set()
    for place, exclusion in enumerate(excluded):
        if exclusion.id not in known:
            message = f"excludes {exclusion.id}, which is no face of the set"
            fix = suggest(exclusion.id, sorted(known))
            yield _Contradiction("unknown-excluded", message, ("excluded", place, "id"), fix)
        if exclusion.id in named:
            message = f"excludes {exclusion.id} twice"
            yield _Contradiction("duplicate-id", message, ("excluded", place, "id"), "keep one of the two")
        named.add(exclusion.id)
    marked: set[frozenset[str]] = set()
    for place, pair in enumerate(alike):
        for end, name in enumerate(pair):
            if name not in known:
                message = f"marks {name}, which is no face of the set, as alike"
                yield _Contradiction("unknown-alike", message, ("alike", place, end), suggest(name, sorted(known)))
        if pair[0] == pair[1]:
            message = f"marks {pair[0]} as alike to itself"
            yield _Contradiction("alike-to-itself", message, ("alike", place), "name two faces, or remove the pair")
        elif frozenset(pair) in marked:
            message = f"marks {pair[0]} and {pair[1]} as alike twice"
            yield _Contradiction("duplicate-pair", message, ("alike", place), "keep one of the two")
        marked.add(frozenset(pair))
    yield from _misgrouped(seen, named, groups)


def _misgrouped(
    faces: Mapping[str, str], excluded: Collection[str], groups: Sequence[Group]
) -> Iterator[_Contradiction]:
    """Where groups contradict themselves or the faces, which are given by their ids in lower case."""
    known = sorted(faces.values())
    grouped: dict[str, str] = {}
    for group in groups:
        if group.id.casefold() in faces:
            message = f"calls a group {group.id}, as a face is called"
            yield _Contradiction("duplicate-id", message, ("groups", group.id), "give the group a name of its own")
        for place, face in enumerate(group.members):
            entry = ("groups", group.id, place)
            if face not in known:
                message = f"puts {face}, which is no face of the set, into {group.id}"
                yield _Contradiction("unknown-member", message, entry, suggest(face, known))
            elif face in excluded:
                message = f"puts {face}, which is not dealt, into {group.id}"
                yield _Contradiction("excluded-member", message, entry, "take it out of the one or the other")
            if face in grouped:
                message = f"puts {face} into {grouped[face]} and into {group.id}"
                yield _Contradiction("in-two-groups", message, entry, "a face matches the members of one group only")
            grouped.setdefault(face, group.id)


def _compare(face_set: FaceSet, face: Face, exclusion: Exclusion | None, found: Measure) -> Iterator[Finding]:
    """Where one picture is not what the manifest says."""
    where = face_set.picture(face.id).as_posix()
    if exclusion is None and found.canvas != face_set.size:
        size, wanted = (f"{width}×{height}" for width, height in (found.canvas, face_set.size))
        yield Finding("faceset/wrong-size", f"is {size} pixels, the manifest says {wanted}", where,
                      f"draw it on {wanted} pixels")  # fmt: skip
    if not found.outline:
        yield Finding("faceset/empty-picture", "shows nothing: no pixel is visible", where, "draw the face")
        return
    limits = face_set.limits
    faint_grey = found.contrast_percent < limits.contrast_percent
    if exclusion is None and (faint_grey or found.colour_levels < limits.colour_levels):
        figures = (
            f"its best quarter reaches a contrast of {found.contrast_percent} % with the tile in greyscale (of "
            f"{limits.contrast_percent} %) and differs by {found.colour_levels} levels of colour (of "
            f"{limits.colour_levels})"
        )
        what = "is too faint" if found.colour_levels < limits.colour_levels else "is too faint in greyscale"
        yield Finding("faceset/faint", f"{what}: {figures}", where, "paint it darker, or give it a dark outline")
    limit = face_set.aspect_limit_percent
    ratio = f"measures {found.width}×{found.height}, a width of {found.aspect_percent} % of the height"
    wide = found.wider_than(limit)
    if wide and exclusion is None:
        yield Finding(
            "faceset/wide",
            f"is wide and yet dealt: it {ratio}, above the limit of {limit} %",
            where,
            f"redraw it, or add `- {{id: {face.id}, reason: 'wide: …'}}` to `excluded` in {MANIFEST}",
        )
    if exclusion is not None and exclusion.as_wide and not wide:
        yield Finding(
            "faceset/not-wide",
            f"is excluded as wide, but {ratio}, within the limit of {limit} %",
            where,
            f"take it out of `excluded` in {MANIFEST}, or state the true reason",
        )


def _strays(face_set: FaceSet) -> Iterator[Finding]:
    """Files of the folder that the manifest does not name; hidden ones are nobody's business."""
    named = {MANIFEST, *(f"{face.id}.png" for face in face_set.faces)}
    try:
        entries = sorted(entry.name for entry in islice(face_set.root.iterdir(), MAX_ENTRIES))
    except OSError as error:
        yield Finding("faceset/unreadable", f"cannot be listed: {error.strerror}", face_set.root.as_posix())
        return
    for name in entries:
        if name not in named and not name.startswith("."):
            yield Finding(
                "faceset/stray-file",
                "is named by no face of the manifest",
                (face_set.root / name).as_posix(),
                f"remove it, or list the face in {MANIFEST}",
            )


def find_face_sets(folder: Path) -> tuple[Path, ...]:
    """The folders right under `folder` that hold a face set, by name."""
    return tuple(sorted(path.parent for path in islice(folder.glob(f"*/{MANIFEST}"), MAX_ENTRIES)))
