"""Open a pack and believe only what its signature covers; check a whole pack and say everything that fails.

The chain: a trust root → the envelope's signatures → the manifest's bytes → file digests and the Merkle root → a record
proved a member → its certificate by digest → the law. Nothing is parsed before the link above it has been verified.
`levels.idx` and `tree.bin` only say where to look: what they lead to proves itself, or they are built anew.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from levelgen.certificate import Certificate, check
from levelgen.errors import Finding, LevelgenError, Malformed, NothingMatched, Untrusted
from levelgen.pack.archive import (
    CERTIFICATES,
    INDEX,
    LEVELS,
    MANIFEST,
    PREVIEWS,
    TREE,
    PackReader,
    open_reader,
    preview_name,
)
from levelgen.pack.claims import claim_findings
from levelgen.pack.manifest import Manifest, Preview, parse_manifest, parse_preview, ruleset_digest
from levelgen.pack.merkle import build_tree, leaf_hash, path_of, root_from_path, tree_bytes
from levelgen.pack.records import Record, parse_certificate, parse_record, record_findings
from levelgen.pack.signing import MAX_ENVELOPE, TrustRoot, Verified, key_id, open_envelope
from levelgen.pack.strict import MAX_LINE, digest
from levelgen.pixels import pixel_digest

Source = Path | str | bytes
"""A pack: the path of a directory or an `.lgpack`, or the bytes of an `.lgpack`."""
Trust = TrustRoot | bytes
"""A trust root, or the PEM text of the public key to trust."""

_PAIR = struct.Struct("<QQ")
_CHUNK = 1 << 20
_KEPT_ROW = 1 << 11
"""Rows of at most so many nodes are remembered once proved."""
MAX_PNG = 64 << 20


@dataclass(frozen=True, slots=True)
class LevelProof:
    """One level without its pack: with a manifest this proves that the record belongs to it."""

    level: int
    line: bytes
    """The record's bytes, the Merkle leaf."""
    path: tuple[bytes, ...]
    """Sibling hashes from the leaf upwards, 32 bytes each."""


def verify_level(proof: LevelProof, manifest: Manifest) -> Record:
    """The record in `proof`, once it is proved to be that level of the pack.

    Raises:
        Untrusted: the path does not lead to the signed root, or the record names another level or pack.
    """
    index = proof.level - manifest.first
    root = root_from_path(leaf_hash(proof.line), index, manifest.levels, proof.path)
    if root is None or root.hex() != manifest.merkle_root:
        raise Untrusted.of("record/not-a-member", "is not the record the manifest signs", f"level {proof.level}")
    return _parse_proved(proof.line, proof.level, manifest)


def _parse_proved(line: bytes, level: int, manifest: Manifest) -> Record:
    try:
        record = parse_record(line, f"level {level}")
    except Malformed as error:
        raise Untrusted(error.findings) from None
    if record.level != level or record.pack != manifest.pack:
        raise Untrusted(tuple(_place_findings(record, level, manifest)))
    return record


def _place_findings(record: Record, level: int, manifest: Manifest) -> Iterator[Finding]:
    """Whether a record says of itself what the manifest says of the pack."""
    where = f"level {level}"
    if (record.pack, record.level) != (manifest.pack, level):
        yield Finding("record/elsewhere", f"calls itself {record.pack}#{record.level}", where)
    if ruleset_digest(record.ruleset) != manifest.ruleset_sha256:
        yield Finding("record/ruleset", "is of another ruleset than the manifest signs", where)
    if record.face_set != manifest.face_set.id:
        yield Finding("record/face-set", f"shows {record.face_set}, the manifest {manifest.face_set.id}", where)
    if record.generator != manifest.generator:
        yield Finding("record/generator", f"is of generator {record.generator}, not {manifest.generator}", where)


def line_offsets(data: memoryview) -> array[int]:
    """Where each line of `data` begins, and where the last one ends; what `levels.idx` holds as u64 little-endian."""
    offsets = array("Q", [0])
    for begin in range(0, len(data), _CHUNK):
        chunk = bytes(data[begin : begin + _CHUNK])
        place = chunk.find(b"\n")
        while place >= 0:
            offsets.append(begin + place + 1)
            place = chunk.find(b"\n", place + 1)
    if offsets[-1] != len(data):
        offsets.append(len(data))
    return offsets


def _index_bytes(offsets: array[int]) -> bytes:
    return struct.pack(f"<{len(offsets)}Q", *offsets)


def _line(data: memoryview, begin: int, end: int) -> bytes:
    """The line in `data[begin:end]`, without its line feed."""
    return bytes(data[begin:end]).removesuffix(b"\n")


class Pack:
    """An opened pack: its signature has been verified; everything else is proved when it is asked for.

    Reading changes nothing but caches, so one `Pack` may serve many threads.
    """

    def __init__(self, reader: PackReader, verified: Verified, manifest: Manifest) -> None:
        self._reader = reader
        self._root = bytes.fromhex(manifest.merkle_root)
        self._levels = _view(reader, LEVELS)
        self._index: bytes | memoryview = _view(reader, INDEX)
        self._tree: bytes | memoryview = _view(reader, TREE)
        self._certificate_index: array[int] | None = None
        self._previews: dict[int, Preview] | None = None
        self.manifest = manifest
        self.verified = verified
        self._fits = len(self._index) == 8 * (manifest.levels + 1) and len(self._tree) == tree_bytes(manifest.levels)
        self._proved: dict[int, bytes] = {}
        """Nodes near the root that were proved already, by their place in the tree."""
        self.label = reader.label
        self.warnings: list[Finding] = []
        """What turned out to be wrong and does not matter, because it was rebuilt."""

    def __enter__(self) -> Pack:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the pack's files."""
        self._reader.close()

    @property
    def digest(self) -> str:
        """The digest of the manifest's payload: the identity of this version of the pack."""
        return digest(self.verified.payload)

    @property
    def numbers(self) -> range:
        """The numbers of the levels."""
        return range(self.manifest.first, self.manifest.first + self.manifest.levels)

    @property
    def has_certificates(self) -> bool:
        """False for a client edition."""
        return self._reader.view(CERTIFICATES) is not None

    def level(self, number: int) -> Record:
        """The record of a level, proved to be in the signed tree.

        Raises:
            NothingMatched: the pack has no such level.
            Untrusted: the stored record is not the one that was signed.
        """
        return _parse_proved(self.line(number), number, self.manifest)

    def line(self, number: int) -> bytes:
        """The bytes of a level's record, proved to be in the signed tree. Raises as `level`."""
        index = number - self.manifest.first
        if not 0 <= index < self.manifest.levels:
            known = f"{self.numbers[0]} to {self.numbers[-1]}"
            raise NothingMatched.of("pack/no-such-level", f"{self.manifest.pack} has levels {known}", f"level {number}")
        line = self._proved_line(index)
        if line is None:
            self._rebuild()
            line = self._proved_line(index)
        if line is None:
            raise Untrusted.of("record/not-a-member", "is not the record the manifest signs", f"level {number}")
        return line

    def _proved_line(self, index: int) -> bytes | None:
        """The line the index leads to, if the tree proves it."""
        if not self._fits:
            return None
        begin, end = _PAIR.unpack_from(self._index, 8 * index)
        if not 0 < end - begin <= MAX_LINE + 1:
            return None
        line = _line(self._levels, begin, end)
        return line if self._is_member(index, sha256(b"\0" + line).digest()) else None

    def _is_member(self, index: int, node: bytes) -> bool:
        """Climb from a leaf towards the signed root, at most up to a node that an earlier climb proved."""
        tree, size, start = self._tree, self.manifest.levels, 0
        climbed: list[tuple[int, bytes]] = []
        while size > 1:
            if size <= _KEPT_ROW:
                known = self._proved.get(start + index)
                if known is not None:
                    if known != node:
                        return False
                    self._proved.update(climbed)
                    return True
                climbed.append((start + index, node))
            sibling = index ^ 1
            if sibling < size:
                place = 32 * (start + sibling)
                other = bytes(tree[place : place + 32])
                node = sha256(b"\1" + other + node if index & 1 else b"\1" + node + other).digest()
            start += size
            size = (size + 1) >> 1
            index >>= 1
        if node != self._root:
            return False
        self._proved.update(climbed)
        return True

    def proof(self, number: int) -> LevelProof:
        """A level's record and its inclusion path, proved. Raises as `level`."""
        line = self.line(number)
        index, leaves = number - self.manifest.first, self.manifest.levels
        path = path_of(self._tree, leaves, index)
        if root_from_path(leaf_hash(line), index, leaves, path) != self._root:
            self._rebuild()
            path = path_of(self._tree, leaves, index)
        return LevelProof(number, line, path)

    def _rebuild(self) -> None:
        """Build index and tree anew from the records; kept when they lead to the signed root.

        Raises:
            Untrusted: they do not: the records are not the signed ones. Says which, where that can be proved.
        """
        offsets = line_offsets(self._levels)
        leaves = _leaves(self._levels, offsets)
        tree = build_tree(leaves)
        if len(leaves) != self.manifest.levels or tree[-32:] != self._root:
            raise Untrusted(tuple(_tree_findings(self.manifest, leaves, self._tree)))
        for name, old, new in ((INDEX, self._index, _index_bytes(offsets)), (TREE, self._tree, tree)):
            if bytes(old) != new:
                self.warnings.append(_rebuilt(name, bool(len(old))))
        self._index, self._tree, self._fits = _index_bytes(offsets), tree, True

    def records(self) -> Iterator[Record]:
        """Every level in order, each proved. Raises as `level`."""
        return (self.level(number) for number in self.numbers)

    def certificate(self, number: int) -> Certificate:
        """The certificate of a level, bound by the digest in its record. Whether it holds is for `check` to say.

        Raises:
            NothingMatched: no such level, or a client edition, which has no certificates.
            Untrusted: the stored certificate is not the one that was signed.
        """
        record = self.level(number)
        data = self._reader.view(CERTIFICATES)
        if data is None:
            raise NothingMatched.of(
                "pack/client-edition", "client edition: no certificates", self.label, "use the full pack"
            )
        if self._certificate_index is None:
            self._certificate_index = line_offsets(data)
        index = number - self.manifest.first
        offsets = self._certificate_index
        line = _line(data, offsets[index], offsets[index + 1]) if index + 1 < len(offsets) else b""
        findings, certificate = _bound_certificate(line, record, number)
        if certificate is None:
            raise Untrusted(findings)
        return certificate

    def previews(self) -> dict[int, Preview]:
        """The signed pixel digests by level.

        Raises:
            Untrusted: `previews.jsonl` is missing or not the signed one.
        """
        if self._previews is None:
            data = bytes(_view(self._reader, PREVIEWS))
            mark = self.manifest.files.get(PREVIEWS)
            if mark is not None and (mark.size, mark.sha256) != (len(data), digest(data)):
                raise Untrusted.of("pack/file-digest", "is not the file the manifest signs", PREVIEWS)
            lines = data.split(b"\n")[:-1] if mark is not None else []
            try:
                found = [parse_preview(line, f"{PREVIEWS}:{number}") for number, line in enumerate(lines, 1)]
            except Malformed as error:
                raise Untrusted(error.findings) from None
            self._previews = {preview.level: preview for preview in found}
        return self._previews


def _view(reader: PackReader, name: str) -> memoryview:
    view = reader.view(name)
    return memoryview(b"") if view is None else view


def _leaves(levels: memoryview, offsets: array[int]) -> list[bytes]:
    return [leaf_hash(_line(levels, offsets[i], offsets[i + 1])) for i in range(len(offsets) - 1)]


def _rebuilt(name: str, existed: bool) -> Finding:
    what = "does not belong to the records" if existed else "is missing"
    return Finding("pack/rebuilt", f"{what}; rebuilt from them, so it does not matter", name)


def _tree_findings(manifest: Manifest, leaves: list[bytes], tree: bytes | memoryview) -> Iterator[Finding]:
    """Why the leaves do not make the signed root; by level where the stored leaf row is proved to be the signed one."""
    if len(leaves) != manifest.levels:
        yield Finding("tree/count", f"holds {len(leaves)} records, the manifest signs {manifest.levels}", LEVELS)
    signed = proved_leaves(manifest, tree)
    if signed is None:
        yield Finding("tree/root", "the records do not make the Merkle root the manifest signs", LEVELS)
        return
    for index, leaf in enumerate(signed):
        if index >= len(leaves) or leaf != leaves[index]:
            where = f"level {manifest.first + index}"
            yield Finding("record/not-a-member", "is not the record the manifest signs", where)


def proved_leaves(manifest: Manifest, tree: bytes | memoryview) -> list[bytes] | None:
    """The leaf row of a stored tree, if it makes the signed root; None when it proves nothing."""
    if len(tree) != tree_bytes(manifest.levels):
        return None
    row = [bytes(tree[place : place + 32]) for place in range(0, 32 * manifest.levels, 32)]
    return row if build_tree(row)[-32:].hex() == manifest.merkle_root else None


def _bound_certificate(line: bytes, record: Record, level: int) -> tuple[tuple[Finding, ...], Certificate | None]:
    """The certificate in `line` if it is the one `record` names, or why not."""
    where = f"level {level}"
    if digest(line) != record.certificate_sha256:
        return (Finding("certificate/digest", "is not the certificate its record names", where),), None
    try:
        certificate = parse_certificate(line, where)
    except Malformed as error:
        return error.findings, None
    if (certificate.pack, certificate.level) != (record.pack, record.level):
        message = f"is of {certificate.pack}#{certificate.level}"
        return (Finding("certificate/elsewhere", message, where),), None
    return (), certificate


def as_trust(trust: Trust) -> TrustRoot:
    """A trust root from itself or from PEM text.

    Raises:
        Malformed: not a public key to trust.
    """
    return trust if isinstance(trust, TrustRoot) else TrustRoot.from_pem(trust)


def open_pack(source: Source, trust: Trust) -> Pack:
    """Open a pack: verify its signature, read its manifest, compare the sizes of its files.

    Work and memory do not depend on the number of levels.

    Raises:
        Malformed: there is no pack, or `trust` is no key.
        Untrusted: the container, the signature, the manifest or a size does not hold.
    """
    root = as_trust(trust)
    reader = open_reader(source)
    try:
        verified = _open_manifest(reader, root)
        try:
            manifest = parse_manifest(verified.payload)
        except Malformed as error:
            raise Untrusted(error.findings) from None
        found = root.pack_findings(manifest.pack, manifest.version, digest(verified.payload), MANIFEST)
        findings = (*found, *_size_findings(reader, manifest))
        if findings:
            raise Untrusted(findings)
        return Pack(reader, verified, manifest)
    except LevelgenError:
        reader.close()
        raise


def _open_manifest(reader: PackReader, trust: TrustRoot) -> Verified:
    envelope = reader.view(MANIFEST)
    if envelope is None:
        raise Untrusted.of("pack/no-manifest", f"holds no {MANIFEST}", reader.label)
    if len(envelope) > MAX_ENVELOPE:
        raise Untrusted.of("pack/too-long", f"has {len(envelope)} bytes, more than {MAX_ENVELOPE}", MANIFEST)
    return open_envelope(bytes(envelope), trust)


def _may_be_absent(name: str) -> bool:
    """Whether a client edition leaves this file out."""
    return name == CERTIFICATES or name.startswith("evidence/")


def _size_findings(reader: PackReader, manifest: Manifest) -> Iterator[Finding]:
    for name, mark in manifest.files.items():
        view = reader.view(name)
        if view is None:
            if not _may_be_absent(name):
                yield Finding("pack/file-missing", "is missing", name)
        elif len(view) != mark.size:
            what = "cut short" if len(view) < mark.size else "too long"
            yield Finding("pack/file-size", f"is {what}: {len(view)} bytes, the manifest signs {mark.size}", name)


Status = Literal["ok", "failed", "absent", "not checked"]


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of check and what came of it."""

    name: str
    status: Status
    note: str
    findings: tuple[Finding, ...] = ()


CHECKS = ("signature", "manifest", "files", "tree", "records", "certificates", "previews")


@dataclass(frozen=True)
class Report:
    """Everything `verify_pack` found."""

    source: str
    manifest: Manifest | None
    """None when the signature or the manifest itself fails."""
    digest: str
    """Of the manifest's payload; empty when the signature fails."""
    keys: tuple[str, ...]
    """Names of the trusted keys that signed."""
    demonstration: bool
    """The DEMONSTRATION key is among them: this pack proves nothing to anybody."""
    checks: tuple[Check, ...]
    """One for each of `CHECKS`, in that order."""
    warnings: tuple[Finding, ...]
    """What is wrong and provably does not matter."""

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(check.status != "failed" for check in self.checks) and self.manifest is not None

    @property
    def certified(self) -> bool:
        """Whether, besides, every certificate was there and held."""
        return self.ok and self.check("certificates").status == "ok"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that failed, in the order of the checks."""
        return tuple(finding for check in self.checks for finding in check.findings)

    def check(self, name: str) -> Check:
        """The check of that name, one of `CHECKS`."""
        return next(check for check in self.checks if check.name == name)

    def to_json(self) -> dict[str, Any]:
        """The report as `verify --json` prints it."""
        return {
            "source": self.source,
            "ok": self.ok,
            "certified": self.certified,
            "pack": self.manifest and self.manifest.pack,
            "version": self.manifest and self.manifest.version,
            "levels": self.manifest and self.manifest.levels,
            "digest": self.digest or None,
            "keys": list(self.keys),
            "demonstration": self.demonstration,
            "checks": [
                {
                    "name": check.name,
                    "status": check.status,
                    "note": check.note,
                    "findings": [finding.to_json() for finding in check.findings],
                }
                for check in self.checks
            ],
            "warnings": [finding.to_json() for finding in self.warnings],
        }

    def to_text(self) -> str:
        """The report for people: one line a check, findings under it."""
        lines = []
        if self.manifest is not None:
            lines.append(f"{self.manifest.pack} version {self.manifest.version}: {self.manifest.title}")
        for entry in self.checks:
            lines.append(f"{entry.name:<13} {entry.status:<12} {entry.note}".rstrip())
            lines += [f"  {finding}" for finding in entry.findings]
        lines += [f"warning: {finding}" for finding in self.warnings]
        if self.demonstration:
            lines.append("warning: signed with the DEMONSTRATION key, which everybody has: it proves nothing")
        return "\n".join(lines) + "\n"


Progress = Callable[[int, int], None]
"""Called with (levels done, levels in all)."""


def verify_pack(source: Source, trust: Trust, progress: Progress | None = None) -> Report:
    """Check a whole pack: signature, manifest, files, tree, every record, every certificate by replay, every picture.

    Everything that fails is reported at once; only what a failed link would have vouched for is left unchecked.

    Raises:
        Malformed: there is no pack, or `trust` is no key.
    """
    root = as_trust(trust)
    label = "pack" if isinstance(source, bytes) else str(source)
    try:
        reader = open_reader(source)
    except Untrusted as error:
        return _unsigned_report(label, error.findings)
    try:
        return _verify(reader, root, progress)
    finally:
        reader.close()


def _unsigned_report(label: str, findings: tuple[Finding, ...]) -> Report:
    failed = Check("signature", "failed", "nothing in it is believed", findings)
    return Report(label, None, "", (), False, (failed, *map(_unchecked, CHECKS[1:])), ())


def _unchecked(name: str, note: str = "") -> Check:
    return Check(name, "not checked", note)


def _verify(reader: PackReader, trust: TrustRoot, progress: Progress | None) -> Report:
    try:
        verified = _open_manifest(reader, trust)
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
        Check("manifest", "ok", f"{manifest.pack} version {manifest.version}, {manifest.levels} levels"),
        _guarded("files", lambda: _check_files(reader, manifest)),
        *_check_levels(reader, manifest, progress, warnings),
        _guarded("previews", lambda: _check_previews(reader, verified, manifest, warnings)),
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


def _verdict(name: str, note: str, findings: list[Finding]) -> Check:
    return Check(name, "failed" if findings else "ok", "" if findings else note, tuple(findings))


def _check_files(reader: PackReader, manifest: Manifest) -> Check:
    findings = list(_size_findings(reader, manifest))
    sized = {finding.where for finding in findings}
    absent = 0
    for name, mark in manifest.files.items():
        view = reader.view(name)
        if view is None:
            absent += _may_be_absent(name)
        elif name not in sized and sha256(view).hexdigest() != mark.sha256:
            findings.append(Finding("pack/file-digest", "is not the file the manifest signs", name))
    known = {MANIFEST, INDEX, TREE, *manifest.files}
    findings += [
        Finding("pack/file-unsigned", "is not listed in the manifest", name)
        for name in reader.names()
        if name not in known and not name.startswith("previews/")
    ]
    note = f"{len(manifest.files) - absent} files match"
    return _verdict("files", f"{note}, {absent} left out of this edition" if absent else note, findings)


def _check_levels(
    reader: PackReader, manifest: Manifest, progress: Progress | None, warnings: list[Finding]
) -> tuple[Check, Check, Check]:
    """The tree, the records and the certificates, in one pass over the levels."""
    levels, tree = _view(reader, LEVELS), _view(reader, TREE)
    offsets = line_offsets(levels)
    leaves = _leaves(levels, offsets)
    built = build_tree(leaves)
    whole = len(leaves) == manifest.levels and built[-32:].hex() == manifest.merkle_root
    signed = leaves if whole else proved_leaves(manifest, tree)
    tree_failures = [] if whole else list(_tree_findings(manifest, leaves, tree))
    if whole:
        for name, new in ((INDEX, _index_bytes(offsets)), (TREE, built)):
            old = reader.view(name)
            if old is None or bytes(old) != new:
                warnings.append(_rebuilt(name, old is not None))
    checked_tree = _verdict("tree", f"root {manifest.merkle_root[:16]}…", tree_failures)
    if signed is None:
        note = "the tree does not say which records to believe"
        return checked_tree, _unchecked("records", note), _unchecked("certificates", note)
    proofs = reader.view(CERTIFICATES)
    places = line_offsets(proofs) if proofs is not None else array("Q")
    records: list[Finding] = []
    certificates: list[Finding] = []
    derived = 0
    if proofs is not None and len(places) - 1 != manifest.levels:
        message = f"holds {len(places) - 1} certificates for {manifest.levels} levels"
        certificates.append(Finding("certificate/count", message, CERTIFICATES))
    for index, leaf in enumerate(signed):
        level = manifest.first + index
        if index < len(leaves) and leaves[index] == leaf:
            line = _line(levels, offsets[index], offsets[index + 1])
            record = _checked_record(line, level, manifest, records)
            if record is not None and proofs is not None:
                proof = _line(proofs, places[index], places[index + 1]) if index + 1 < len(places) else b""
                found, shown = _certificate_findings(proof, record, level, reader)
                certificates += found
                derived += shown
        else:
            records.append(Finding("record/not-a-member", "is not the record the manifest signs", f"level {level}"))
        if progress is not None:
            progress(index + 1, manifest.levels)
    checked_records = _verdict("records", f"{manifest.levels} records are well-formed and playable", records)
    if proofs is None:
        return checked_tree, checked_records, Check("certificates", "absent", "client edition: no certificates")
    note = f"every level is certified: {manifest.levels} solutions replayed under every reading"
    note += f", {derived} claims re-derived from evidence" if derived else ""
    return checked_tree, checked_records, _verdict("certificates", note, certificates)


def _checked_record(line: bytes, level: int, manifest: Manifest, findings: list[Finding]) -> Record | None:
    """The record of a proved line, if it can be played; else why not, added to `findings`."""
    where = f"level {level}"
    try:
        record = parse_record(line, where)
    except Malformed as error:
        findings += error.findings
        return None
    found = [*_place_findings(record, level, manifest), *record_findings(record, line, where)]
    findings += found
    return None if found else record


def _certificate_findings(line: bytes, record: Record, level: int, reader: PackReader) -> tuple[list[Finding], int]:
    """What is wrong with a level's certificate, and how many of its claims were re-derived from evidence."""
    findings, certificate = _bound_certificate(line, record, level)
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


def _check_previews(reader: PackReader, verified: Verified, manifest: Manifest, warnings: list[Finding]) -> Check:
    previews = Pack(reader, verified, manifest).previews()
    pictures = [name for name in reader.names() if name.startswith("previews/")]
    if not previews and not pictures:
        return Check("previews", "absent", "no pictures are signed")
    if not pictures:
        return Check("previews", "absent", f"{len(previews)} digests are signed, no pictures are here")
    findings: list[Finding] = []
    for level, preview in previews.items():
        if preview.pack != manifest.pack or level not in range(manifest.first, manifest.first + manifest.levels):
            findings.append(Finding("preview/elsewhere", f"is of {preview.pack}#{level}", PREVIEWS))
    signed = {preview_name(level): preview for level, preview in previews.items()}
    for name in sorted({*pictures, *signed}):
        if name not in signed:
            findings.append(Finding("preview/unsigned", "the manifest signs no such picture", name))
        elif name not in pictures:
            warnings.append(Finding("preview/missing", "the picture is not here", name))
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        note = "Pillow is not installed, so the pixels were not compared"
        return _verdict("previews", note, findings) if findings else _unchecked("previews", note)
    for name in pictures:
        if name in signed:
            findings += _picture_findings(bytes(_view(reader, name)[: MAX_PNG + 1]), signed[name], name)
    return _verdict("previews", f"{len(pictures)} pictures show the signed pixels", findings)


def _picture_findings(png: bytes, preview: Preview, name: str) -> Iterator[Finding]:
    problem = png_problem(png, (preview.width, preview.height))
    if problem:
        yield Finding("preview/png", problem, name)
        return
    import io

    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            image.load()
            mode, size, raw = image.mode, image.size, image.tobytes()
            shown = pixel_digest(mode, size, raw)
    except Exception as error:  # a decoder may raise anything on damaged bytes
        yield Finding("preview/png", f"cannot be decoded: {type(error).__name__}", name)
        return
    if shown != preview.sha256 or mode != preview.mode:
        yield Finding("preview/pixels", "does not show the signed pixels", name, "build the previews again")


def png_problem(png: bytes, size: tuple[int, int]) -> str:
    """What is wrong with the structure of a PNG, decoded or not; empty when nothing is.

    Only IHDR, IDAT and IEND are allowed, each with its CRC, nothing behind them: other chunks change how a picture
    looks without changing its pixels. Its size is compared before anything is inflated.
    """
    if len(png) > MAX_PNG:
        return f"has more than {MAX_PNG} bytes"
    if not png.startswith(b"\x89PNG\r\n\x1a\n"):
        return "is no PNG"
    place, last = 8, b""
    while last != b"IEND":
        if place + 12 > len(png):
            return "is cut short"
        length, kind = struct.unpack_from(">I4s", png, place)
        end = place + 12 + length
        if end > len(png):
            return "is cut short"
        if kind not in ((b"IHDR",) if not last else (b"IDAT", b"IEND")):
            return f"holds a chunk {kind!r} that a preview does not have"
        if zlib.crc32(png[place + 4 : end - 4]) != struct.unpack_from(">I", png, end - 4)[0]:
            return f"a chunk {kind.decode()} is damaged"
        if kind == b"IHDR" and (length != 13 or struct.unpack_from(">II", png, place + 8) != size):
            return "is not of the signed size"
        place, last = end, kind
    return "" if place == len(png) else "is followed by something"
