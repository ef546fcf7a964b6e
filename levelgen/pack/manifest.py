"""The manifest: what a pack signs, and through digests everything it holds.

    {"v":1,"pack":"eram","title":"…","version":1,"previous":null,"generator":1,"ruleset_sha256":"…",
     "face_set":{"id":"AR1","sha256":"…","provisional":true},
     "first":1,"levels":60,"merkle_root":"…",
     "files":{"certificates.jsonl":{"size":…,"sha256":"…"},"levels.jsonl":{…},…},
     "tools":{"earned":{"every":5,"undo":1,"hint":1,"shuffle":1},"race":{"undo":2,…,"provisional":true}}}

No clock: version and previous digest come from the recipe, so a rebuild is equal. `levels.idx` and `tree.bin` can be
rebuilt, pictures are signed by their pixels (`previews.jsonl`); none of these is listed among the files. `tools` is
left out where there is nothing to say of them (`levelgen.tools`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from levelgen.errors import Finding, Malformed
from levelgen.pack.archive import CERTIFICATES, LEVELS, PREVIEWS, is_member_name
from levelgen.pack.records import MAX_LEVEL
from levelgen.pack.signing import MAX_ENVELOPE
from levelgen.pack.strict import (
    MAX_LINE,
    decode_canonical,
    digest,
    encode,
    field_findings,
    is_count,
    is_digest,
    is_match,
)
from levelgen.pack.words import NAME, PACK_ID
from levelgen.pixels import MODES, pixel_digest
from levelgen.rules import Ruleset
from levelgen.tools import SILENT, Allowance

MAX_LEVELS = 10_000_000
MAX_FILE = 1 << 40
MAX_PIXELS = 1 << 26
MANIFEST_FIELDS = (
    "v", "pack", "title", "version", "previous", "generator", "ruleset_sha256", "face_set", "first", "levels",
    "merkle_root", "files",
)  # fmt: skip
_TITLE = re.compile(r"[^\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]{1,200}")


@dataclass(frozen=True, slots=True)
class FaceSetMark:
    """Which face set the faces of a pack belong to."""

    id: str
    sha256: str
    """Of the set's manifest and artwork."""
    provisional: bool
    """Whether any of the artwork is not final yet."""


@dataclass(frozen=True, slots=True)
class FileMark:
    """A file a manifest signs."""

    size: int
    sha256: str


@dataclass(frozen=True)
class Heading:
    """What a recipe says of a pack; the rest of the manifest follows from the levels."""

    pack: str
    title: str
    version: int
    previous: str | None
    """The digest of the previous version's manifest payload; None for the first."""
    generator: int
    ruleset: Ruleset
    face_set: FaceSetMark
    tools: Allowance = SILENT


@lru_cache(maxsize=256)
def ruleset_digest(ruleset: Ruleset) -> str:
    """The digest of a ruleset: of its JSON as records spell it."""
    return digest(encode(ruleset.to_json()))


@dataclass(frozen=True)
class Manifest:
    """A parsed manifest payload."""

    pack: str
    title: str
    version: int
    previous: str | None
    generator: int
    ruleset_sha256: str
    face_set: FaceSetMark
    first: int
    """The number of the first level; the others follow without gaps."""
    levels: int
    merkle_root: str
    files: Mapping[str, FileMark] = field(hash=False)
    tools: Allowance = SILENT

    def to_json(self) -> dict[str, Any]:
        """The manifest as its payload spells it."""
        tools = self.tools.to_json()
        return {
            "v": 1,
            "pack": self.pack,
            "title": self.title,
            "version": self.version,
            "previous": self.previous,
            "generator": self.generator,
            "ruleset_sha256": self.ruleset_sha256,
            "face_set": {
                "id": self.face_set.id,
                "sha256": self.face_set.sha256,
                "provisional": self.face_set.provisional,
            },
            "first": self.first,
            "levels": self.levels,
            "merkle_root": self.merkle_root,
            "files": {name: {"size": mark.size, "sha256": mark.sha256} for name, mark in sorted(self.files.items())},
            **({"tools": tools} if tools else {}),
        }

    def encode(self) -> bytes:
        """The payload."""
        return encode(self.to_json())


def parse_manifest(payload: bytes, where: str = "manifest") -> Manifest:
    """The manifest in a payload whose signature has been verified.

    Raises:
        Malformed: with every field that is missing, unknown, out of order or out of range.
    """
    data = decode_canonical(payload, where, limit=MAX_ENVELOPE)
    fields = (*MANIFEST_FIELDS, "tools") if isinstance(data, dict) and "tools" in data else MANIFEST_FIELDS
    findings = list(field_findings(data, fields, where, kind="manifest")) or list(_findings(data, where))
    if findings:
        raise Malformed(findings)
    faces = data["face_set"]
    return Manifest(
        data["pack"],
        data["title"],
        data["version"],
        data["previous"],
        data["generator"],
        data["ruleset_sha256"],
        FaceSetMark(faces["id"], faces["sha256"], faces["provisional"]),
        data["first"],
        data["levels"],
        data["merkle_root"],
        {name: FileMark(mark["size"], mark["sha256"]) for name, mark in data["files"].items()},
        Allowance.from_json(data["tools"]) or SILENT if "tools" in data else SILENT,
    )


def _findings(data: Mapping[str, Any], where: str) -> Iterator[Finding]:
    if data["v"] != 1 or type(data["v"]) is not int:
        yield Finding("manifest/version", f"is of version {data['v']!r}; this levelgen reads version 1", where)
    wrong = {
        "pack": not is_match(data["pack"], PACK_ID),
        "title": not is_match(data["title"], _TITLE),
        "version": not is_count(data["version"], 1),
        "previous": data["previous"] is not None and not is_digest(data["previous"]),
        "generator": not is_count(data["generator"], 1),
        "ruleset_sha256": not is_digest(data["ruleset_sha256"]),
        "face_set": not _is_face_set(data["face_set"]),
        "first": not is_count(data["first"], 1, MAX_LEVEL),
        "levels": not is_count(data["levels"], 1, MAX_LEVELS),
        "merkle_root": not is_digest(data["merkle_root"]),
        "tools": "tools" in data and Allowance.from_json(data["tools"]) is None,
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            yield Finding(f"manifest/{name.replace('_', '-')}", f"{name} has the wrong type, spelling or range", where)
    yield from _files_findings(data["files"], where)


def _is_face_set(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and list(value) == ["id", "sha256", "provisional"]
        and is_match(value["id"], NAME)
        and is_digest(value["sha256"])
        and isinstance(value["provisional"], bool)
    )


def _files_findings(files: Any, where: str) -> Iterator[Finding]:
    if not isinstance(files, dict) or list(files) != sorted(files) or LEVELS not in files:
        yield Finding("manifest/files", f"files is not an object in the order of its names that lists {LEVELS}", where)
        return
    for name, mark in files.items():
        if name not in (LEVELS, CERTIFICATES, PREVIEWS) and not (is_member_name(name) and name.startswith("evidence/")):
            yield Finding("manifest/files", f"files lists {name[:60]!r}, which is no signed file", where)
        elif not (
            isinstance(mark, dict)
            and list(mark) == ["size", "sha256"]
            and is_count(mark["size"], 0, MAX_FILE)
            and is_digest(mark["sha256"])
        ):
            yield Finding("manifest/files", f'{name} is not marked as {{"size":…,"sha256":…}}', where)


PREVIEW_FIELDS = ("v", "pack", "level", "mode", "width", "height", "sha256")


@dataclass(frozen=True, slots=True)
class Preview:
    """The pixels of a level's picture, by digest (`levelgen.pixels`); one line of `previews.jsonl`."""

    pack: str
    level: int
    mode: str
    width: int
    height: int
    sha256: str

    @classmethod
    def of(cls, pack: str, level: int, mode: str, size: tuple[int, int], raw: bytes) -> Preview:
        """The preview of these pixels.

        Raises:
            ValueError: the mode has no digest, or `raw` has the wrong length.
        """
        return cls(pack, level, mode, size[0], size[1], pixel_digest(mode, size, raw))

    def encode(self) -> bytes:
        """The preview's line, without a line feed."""
        return encode(
            {
                "v": 1,
                "pack": self.pack,
                "level": self.level,
                "mode": self.mode,
                "width": self.width,
                "height": self.height,
                "sha256": self.sha256,
            }
        )


def parse_preview(line: bytes, where: str = "preview") -> Preview:
    """The preview in a line of `previews.jsonl`.

    Raises:
        Malformed: with every field that is missing, unknown, out of order or out of range.
    """
    data = decode_canonical(line, where, limit=MAX_LINE)
    findings = list(field_findings(data, PREVIEW_FIELDS, where, kind="preview"))
    if not findings:
        fine = (
            is_count(data["v"], 1, 1)
            and is_match(data["pack"], PACK_ID)
            and is_count(data["level"], 1, MAX_LEVEL)
            and isinstance(data["mode"], str)
            and data["mode"] in MODES
            and is_count(data["width"], 1, MAX_PIXELS)
            and is_count(data["height"], 1, MAX_PIXELS)
            and data["width"] * data["height"] <= MAX_PIXELS
            and is_digest(data["sha256"])
        )
        if not fine:
            findings = [Finding("preview/field", "a field has the wrong type, spelling or range", where)]
    if findings:
        raise Malformed(findings)
    return Preview(*(data[name] for name in PREVIEW_FIELDS[1:]))
