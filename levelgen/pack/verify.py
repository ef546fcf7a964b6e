"""Check a whole pack and say everything that fails.

The chain of `levelgen.pack.opened`, followed link by link to every level: only what a failed link would have vouched
for is left unchecked. Levels are checked in chunks, by as many processes as are asked for; a chunk names the leaf hash
of each of its levels, so that a worker believes no file more than the first process did. Files are read through, not
in: memory does not grow with them beyond 200 bytes a level.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from levelgen.certificate import check
from levelgen.errors import Finding, Malformed, Untrusted, counted
from levelgen.pack.archive import (
    CERTIFICATES,
    INDEX,
    LEVELS,
    MANIFEST,
    PREVIEWS,
    TREE,
    PackReader,
    forget,
    open_reader,
    preview_name,
)
from levelgen.pack.claims import claim_findings
from levelgen.pack.crew import Crew
from levelgen.pack.manifest import Manifest, Preview, parse_manifest
from levelgen.pack.merkle import SIZE, grow_tree
from levelgen.pack.opened import (
    LevelProof,
    Pack,
    Source,
    Trust,
    as_trust,
    bound_certificate,
    file_digest,
    index_bytes,
    leaf_row,
    line_at,
    line_offsets,
    may_be_absent,
    open_manifest,
    open_pack,
    place_findings,
    proved_leaves,
    rebuilt,
    size_findings,
    tree_findings,
    verify_level,
    view_of,
)
from levelgen.pack.pictures import MAX_PNG, can_compare, picture_findings, png_problem
from levelgen.pack.records import Record, parse_record, record_findings
from levelgen.pack.report import CHECKS, Check, Report
from levelgen.pack.signing import TrustRoot, Verified, key_id
from levelgen.pack.strict import digest

CHUNK = 256
"""Levels, or pictures, that a worker is handed at once."""
MAX_FINDINGS = 1000
"""Findings of one kind of check that a report lists; of more it says how many."""

Progress = Callable[[int, int], None]
"""Called with (levels done, levels in all)."""


def verify_pack(source: Source, trust: Trust, progress: Progress | None = None, *, jobs: int = 1) -> Report:
    """Check a whole pack: signature, manifest, files, tree, every record, every certificate by replay, every picture.

    Everything that fails is reported at once; only what a failed link would have vouched for is left unchecked. Large
    packs are checked by `jobs` processes. Memory: 200 bytes a level and what one chunk of levels takes.

    Raises:
        Malformed: there is no pack, or `trust` is no key.
        SystemFailed: a worker died, or the pack was replaced meanwhile.
    """
    root = as_trust(trust)
    label = "pack" if isinstance(source, bytes) else str(source)
    try:
        reader = open_reader(source)
    except Untrusted as error:
        return _unsigned_report(label, error.findings)
    crew = Crew(reader, source, jobs)
    try:
        return _verify(reader, root, crew, progress)
    finally:
        crew.close()
        reader.close()


def _unsigned_report(label: str, findings: tuple[Finding, ...]) -> Report:
    failed = Check("signature", "failed", "nothing in it is believed", findings)
    return Report(label, None, "", (), False, (failed, *map(_unchecked, CHECKS[1:])), ())


def _unchecked(name: str, note: str = "") -> Check:
    return Check(name, "not checked", note)


def _verify(reader: PackReader, trust: TrustRoot, crew: Crew, progress: Progress | None) -> Report:
    try:
        verified = open_manifest(reader, trust)
    except Untrusted as error:
        return _unsigned_report(reader.label, error.findings)
    keys = tuple(key_id(key) for key in verified.keys)
    signature = Check("signature", "ok", f"signed by {', '.join(keys)}")

    def report(manifest: Manifest | None, checks: list[Check], warnings: list[Finding]) -> Report:
        payload = digest(verified.payload)
        rest = [_unchecked(name) for name in CHECKS[1 + len(checks) :]]
        return Report(
            reader.label, manifest, payload, keys, verified.demonstration, (signature, *checks, *rest), tuple(warnings)
        )

    try:
        manifest = parse_manifest(verified.payload)
    except Malformed as error:
        return report(None, [Check("manifest", "failed", "", error.findings)], [])
    other = tuple(trust.pack_findings(manifest.pack, manifest.version, digest(verified.payload), MANIFEST))
    if other:
        return report(None, [Check("manifest", "failed", "", other)], [])
    warnings = [
        Finding("pack/stray-file", "is not part of the pack and is ignored", name) for name in _readable(reader.strays)
    ]
    checks = [
        Check("manifest", "ok", f"{manifest.pack} version {manifest.version}, {counted(manifest.levels, 'level')}"),
        _guarded("files", lambda: _check_files(reader, manifest)),
        *_check_levels(reader, manifest, crew, progress, warnings),
        _guarded("previews", lambda: _check_previews(reader, verified, manifest, crew, warnings)),
    ]
    return report(manifest, checks, warnings)


def _readable(strays: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    try:
        return strays()
    except Untrusted:
        return ()


def _guarded(name: str, work: Callable[[], Check]) -> Check:
    """The check, failed when the container cannot even be read."""
    try:
        return work()
    except Untrusted as error:
        return Check(name, "failed", "", error.findings)


def _verdict(name: str, note: str, findings: Sequence[Finding]) -> Check:
    return Check(name, "failed" if findings else "ok", "" if findings else note, tuple(findings))


def _check_files(reader: PackReader, manifest: Manifest) -> Check:
    findings = list(size_findings(reader, manifest))
    sized = {finding.where for finding in findings}
    absent = 0
    for name, mark in manifest.files.items():
        view = reader.view(name)
        if view is None:
            absent += may_be_absent(name)
        elif name not in sized and file_digest(view) != mark.sha256:
            findings.append(Finding("pack/file-digest", "is not the file the manifest signs", name))
    known = {MANIFEST, INDEX, TREE, *manifest.files}
    findings += [
        Finding("pack/file-unsigned", "is not listed in the manifest", name)
        for name in reader.names()
        if name not in known and not name.startswith("previews/")
    ]
    matching = len(manifest.files) - absent
    note = f"{counted(matching, 'file')} {'matches' if matching == 1 else 'match'}"
    return _verdict("files", f"{note}, {absent} left out of this edition" if absent else note, findings)


@dataclass(slots=True)
class _Listed:
    """Findings of one kind of check, up to `MAX_FINDINGS` of them."""

    findings: list[Finding] = field(default_factory=list)
    unlisted: int = 0

    def add(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            if len(self.findings) < MAX_FINDINGS:
                self.findings.append(finding)
            else:
                self.unlisted += 1

    def all(self) -> list[Finding]:
        more = Finding("pack/more", f"{self.unlisted} more findings like these are not listed")
        return [*self.findings, *([more] if self.unlisted else [])]


def _check_levels(
    reader: PackReader, manifest: Manifest, crew: Crew, progress: Progress | None, warnings: list[Finding]
) -> tuple[Check, Check, Check]:
    """The tree, the records and the certificates, in one pass over the levels."""
    levels, tree = view_of(reader, LEVELS), view_of(reader, TREE)
    offsets = line_offsets(levels)
    leaves = leaf_row(levels, offsets)
    signed, checked_tree = _check_tree(reader, manifest, leaves, offsets, tree, warnings)
    if signed is None:
        note = "the tree does not say which records to believe"
        return checked_tree, _unchecked("records", note), _unchecked("certificates", note)
    proofs = reader.view(CERTIFICATES)
    places = line_offsets(proofs) if proofs is not None else None
    records, certificates = _Listed(), _Listed()
    derived = done = 0
    if places is not None and len(places) - 1 != manifest.levels:
        message = f"holds {counted(len(places) - 1, 'certificate')} for {counted(manifest.levels, 'level')}"
        certificates.add([Finding("certificate/count", message, CERTIFICATES)])
    chunks = (
        _Levels(
            manifest,
            first,
            bytes(signed[SIZE * first : SIZE * (first + CHUNK)]),
            offsets[first : first + CHUNK + 1],
            None if places is None else places[first : first + CHUNK + 1],
        )
        for first in range(0, manifest.levels, CHUNK)
    )
    for found in crew.map(chunks, manifest.levels):
        records.add(found.records)
        certificates.add(found.certificates)
        derived += found.derived
        done = min(done + CHUNK, manifest.levels)
        if progress is not None:
            progress(done, manifest.levels)
    checked_records = _verdict("records", f"{manifest.levels} records are well-formed and playable", records.all())
    if proofs is None:
        return checked_tree, checked_records, Check("certificates", "absent", "client edition: no certificates")
    note = f"every level is certified: {manifest.levels} solutions replayed under every reading"
    note += f", {derived} claims re-derived from evidence" if derived else ""
    return checked_tree, checked_records, _verdict("certificates", note, certificates.all())


def _check_tree(
    reader: PackReader,
    manifest: Manifest,
    leaves: bytearray,
    offsets: array[int],
    tree: memoryview,
    warnings: list[Finding],
) -> tuple[bytes | bytearray | None, Check]:
    """The leaf hashes to believe, 32 bytes each, if any; and the check of the tree."""
    built = grow_tree(bytearray(leaves))
    if len(leaves) == SIZE * manifest.levels and built[-SIZE:].hex() == manifest.merkle_root:
        for name, new in ((INDEX, memoryview(index_bytes(offsets))), (TREE, memoryview(built))):
            old = reader.view(name)
            if old is None or old != new:
                warnings.append(rebuilt(name, old is not None))
        return leaves, _verdict("tree", f"root {manifest.merkle_root[:16]}…", ())
    failures = _Listed()
    failures.add(tree_findings(manifest, leaves, tree))
    return proved_leaves(manifest, tree), _verdict("tree", "", failures.all())


@dataclass(frozen=True, slots=True)
class _Found:
    """What checking a chunk of levels brought up."""

    records: tuple[Finding, ...]
    certificates: tuple[Finding, ...]
    derived: int
    """Claims re-derived from evidence."""


@dataclass(frozen=True, slots=True)
class _Levels:
    """A chunk of levels to check, with what is believed of them."""

    manifest: Manifest
    first: int
    """Counted from 0."""
    signed: bytes
    """Their leaf hashes."""
    offsets: array[int]
    """Where their records begin, and where the last one ends; fewer, where the file is too short."""
    places: array[int] | None
    """The same for their certificates; None for a client edition."""

    def check(self, reader: PackReader) -> _Found:
        """Check them in the pack that `reader` reads."""
        levels, proofs = view_of(reader, LEVELS), view_of(reader, CERTIFICATES)
        records: list[Finding] = []
        certificates: list[Finding] = []
        derived = 0
        for index in range(len(self.signed) // SIZE):
            level = self.manifest.first + self.first + index
            line = _line_of(levels, self.offsets, index)
            if sha256(b"\0" + line).digest() != self.signed[SIZE * index : SIZE * (index + 1)]:
                records.append(Finding("record/not-a-member", "is not the record the manifest signs", f"level {level}"))
                continue
            record = _checked_record(line, level, self.manifest, records)
            if record is not None and self.places is not None:
                found, shown = _certificate_findings(_line_of(proofs, self.places, index), record, level, reader)
                certificates += found
                derived += shown
        if self.offsets and self.offsets[0] // _LET_GO != self.offsets[-1] // _LET_GO:
            forget(levels)
            forget(proofs)
        return _Found(tuple(records), tuple(certificates), derived)


_LET_GO = 32 << 20


def _line_of(data: memoryview, offsets: array[int], index: int) -> bytes:
    return line_at(data, offsets[index], offsets[index + 1]) if index + 1 < len(offsets) else b""


def _checked_record(line: bytes, level: int, manifest: Manifest, findings: list[Finding]) -> Record | None:
    """The record of a proved line, if it can be played; else why not, added to `findings`."""
    where = f"level {level}"
    try:
        record = parse_record(line, where)
    except Malformed as error:
        findings += error.findings
        return None
    found = [*place_findings(record, level, manifest), *record_findings(record, line, where)]
    findings += found
    return None if found else record


def _certificate_findings(line: bytes, record: Record, level: int, reader: PackReader) -> tuple[list[Finding], int]:
    """What is wrong with a level's certificate, and how many of its claims were re-derived from evidence."""
    findings, certificate = bound_certificate(line, record, level)
    if certificate is None:
        return list(findings), 0
    deal = record.deal
    found = [
        replace(finding, where=f"level {level}, {finding.where}" if finding.where else f"level {level}")
        for finding in check(certificate, deal)
    ]

    def member(name: str) -> bytes | None:
        view = reader.view(name)
        return None if view is None else bytes(view)

    derived, wrong = claim_findings(certificate, deal, member)
    return [*findings, *found, *wrong], derived


def _check_previews(
    reader: PackReader, verified: Verified, manifest: Manifest, crew: Crew, warnings: list[Finding]
) -> Check:
    previews = Pack(reader, verified, manifest).previews()
    pictures = [name for name in reader.names() if name.startswith("previews/")]
    if not previews and not pictures:
        return Check("previews", "absent", "no pictures are signed")
    if not pictures:
        return Check("previews", "absent", f"{len(previews)} digests are signed, no pictures are here")
    findings = _Listed()
    for level, preview in previews.items():
        if preview.pack != manifest.pack or level not in range(manifest.first, manifest.first + manifest.levels):
            findings.add([Finding("preview/elsewhere", f"is of {preview.pack}#{level}", PREVIEWS)])
    signed = {preview_name(level): preview for level, preview in previews.items()}
    for name in sorted({*pictures, *signed}):
        if name not in signed:
            findings.add([Finding("preview/unsigned", "the manifest signs no such picture", name)])
        elif name not in pictures:
            warnings.append(Finding("preview/missing", "the picture is not here", name))
    if not can_compare():
        note = "Pillow is not installed, so the pixels were not compared"
        return _verdict("previews", note, findings.all()) if findings.findings else _unchecked("previews", note)
    shown = [(name, signed[name]) for name in pictures if name in signed]
    chunks = (_Pictures(tuple(shown[first : first + CHUNK])) for first in range(0, len(shown), CHUNK))
    for found in crew.map(chunks, len(shown)):
        findings.add(found)
    return _verdict("previews", f"{len(pictures)} pictures show the signed pixels", findings.all())


@dataclass(frozen=True, slots=True)
class _Pictures:
    """A chunk of pictures to compare with their signed digests."""

    signed: tuple[tuple[str, Preview], ...]

    def check(self, reader: PackReader) -> tuple[Finding, ...]:
        """Compare them in the pack that `reader` reads."""
        return tuple(
            finding
            for name, preview in self.signed
            for finding in picture_findings(bytes(view_of(reader, name)[: MAX_PNG + 1]), preview, name)
        )


__all__ = [
    "CHECKS",
    "Check",
    "LevelProof",
    "Pack",
    "Progress",
    "Report",
    "line_offsets",
    "open_pack",
    "png_problem",
    "verify_level",
    "verify_pack",
]
