"""Open a pack and believe only what its signature covers.

The chain: a trust root → the envelope's signatures → the manifest's bytes → file digests and the Merkle root → a record
proved a member → its certificate by digest → the law. Nothing is parsed before the link above it has been verified.
`levels.idx` and `tree.bin` only say where to look: what they lead to proves itself, or they are built anew.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from levelgen.certificate import Certificate
from levelgen.errors import Finding, LevelgenError, Malformed, NothingMatched, Untrusted
from levelgen.pack.archive import CERTIFICATES, INDEX, LEVELS, MANIFEST, PREVIEWS, TREE, PackReader, forget, open_reader
from levelgen.pack.manifest import Manifest, Preview, parse_manifest, parse_preview, ruleset_digest
from levelgen.pack.merkle import SIZE, grow_tree, leaf_hash, path_of, root_from_path, tree_bytes
from levelgen.pack.records import Record, parse_certificate, parse_record
from levelgen.pack.signing import MAX_ENVELOPE, TrustRoot, Verified, open_envelope
from levelgen.pack.strict import MAX_LINE, digest

Source = Path | str | bytes
"""A pack: the path of a directory or an `.lgpack`, or the bytes of an `.lgpack`."""
Trust = TrustRoot | bytes
"""A trust root, or the PEM text of the public key to trust."""

_PAIR = struct.Struct("<QQ")
_CHUNK = 1 << 20
_KEPT_ROW = 1 << 11
"""Rows of at most so many nodes are remembered once proved."""


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
        Untrusted: the path does not lead to the signed root, or the record is of another level, pack, ruleset, face
            set or generator than the manifest says.
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
    findings = tuple(place_findings(record, level, manifest))
    if findings:
        raise Untrusted(findings)
    return record


def place_findings(record: Record, level: int, manifest: Manifest) -> Iterator[Finding]:
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


_RESIDENT = 64 << 20
"""Bytes of a mapped file that may stay in memory while it is read through."""


def line_offsets(data: memoryview) -> array[int]:
    """Where each line of `data` begins, and where the last one ends; what `levels.idx` holds as u64 little-endian."""
    offsets = array("Q", [0])
    for begin in range(0, len(data), _CHUNK):
        if begin % _RESIDENT == 0:
            forget(data)
        chunk = bytes(data[begin : begin + _CHUNK])
        place = chunk.find(b"\n")
        while place >= 0:
            offsets.append(begin + place + 1)
            place = chunk.find(b"\n", place + 1)
    if offsets[-1] != len(data):
        offsets.append(len(data))
    return offsets


def index_bytes(offsets: array[int]) -> bytes:
    """Offsets as `levels.idx` holds them."""
    if sys.byteorder == "big":
        offsets = offsets[:]
        offsets.byteswap()
    return offsets.tobytes()


def file_digest(data: memoryview) -> str:
    """The SHA-256 digest of a mapped file, whose pages are let go of on the way."""
    whole = sha256()
    for begin in range(0, len(data), _RESIDENT):
        whole.update(data[begin : begin + _RESIDENT])
        forget(data)
    return whole.hexdigest()


def line_at(data: memoryview, begin: int, end: int) -> bytes:
    """The line in `data[begin:end]`, without its line feed."""
    return bytes(data[begin:end]).removesuffix(b"\n")


class Pack:
    """An opened pack: its signature has been verified; everything else is proved when it is asked for.

    Reading changes nothing but caches, so one `Pack` may serve many threads.
    """

    def __init__(self, reader: PackReader, verified: Verified, manifest: Manifest) -> None:
        self._reader = reader
        self._root = bytes.fromhex(manifest.merkle_root)
        self._levels = view_of(reader, LEVELS)
        self._index: bytes | memoryview = view_of(reader, INDEX)
        self._tree: bytes | memoryview = view_of(reader, TREE)
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
            raise NothingMatched.of("pack/no-such-level", f"{self.manifest.pack} has levels {known}", f"level {number}",
                                    "name one of those")  # fmt: skip
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
        line = line_at(self._levels, begin, end)
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
        leaves = leaf_row(self._levels, offsets)
        tree = grow_tree(bytearray(leaves))
        if len(leaves) != SIZE * self.manifest.levels or tree[-SIZE:] != self._root:
            raise Untrusted(tuple(tree_findings(self.manifest, leaves, self._tree)))
        index = index_bytes(offsets)
        for name, old, new in ((INDEX, self._index, index), (TREE, self._tree, tree)):
            if old != new:
                self.warnings.append(rebuilt(name, bool(len(old))))
        self._index, self._tree, self._fits = index, bytes(tree), True

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
        line = line_at(data, offsets[index], offsets[index + 1]) if index + 1 < len(offsets) else b""
        findings, certificate = bound_certificate(line, record, number)
        if certificate is None:
            raise Untrusted(findings)
        return certificate

    def previews(self) -> dict[int, Preview]:
        """The signed pixel digests by level.

        Raises:
            Untrusted: `previews.jsonl` is missing or not the signed one.
        """
        if self._previews is None:
            data = bytes(view_of(self._reader, PREVIEWS))
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


def view_of(reader: PackReader, name: str) -> memoryview:
    """The bytes of a member, none when it is not there."""
    view = reader.view(name)
    return memoryview(b"") if view is None else view


def leaf_row(levels: memoryview, offsets: array[int]) -> bytearray:
    """The leaf hash of every line, 32 bytes each; pages of the file are let go of on the way."""
    row = bytearray()
    seen = 0
    for begin, end in pairwise(offsets):
        if begin - seen > _RESIDENT:
            seen = begin
            forget(levels)
        leaf = sha256(b"\0")
        leaf.update(levels[begin : end - 1 if levels[end - 1] == 10 else end])
        row += leaf.digest()
    return row


def rebuilt(name: str, existed: bool) -> Finding:
    """The warning about an index or a tree that had to be built anew."""
    what = "does not belong to the records" if existed else "is missing"
    return Finding("pack/rebuilt", f"{what}; rebuilt from them, so it does not matter", name)


def tree_findings(manifest: Manifest, leaves: bytearray, tree: bytes | memoryview) -> Iterator[Finding]:
    """Why the leaves do not make the signed root; by level where the stored leaf row is proved to be the signed one."""
    count = len(leaves) // SIZE
    if count != manifest.levels:
        yield Finding("tree/count", f"holds {count} records, the manifest signs {manifest.levels}", LEVELS)
    signed = proved_leaves(manifest, tree)
    if signed is None:
        yield Finding("tree/root", "the records do not make the Merkle root the manifest signs", LEVELS)
        return
    for index in range(manifest.levels):
        place = slice(SIZE * index, SIZE * index + SIZE)
        if leaves[place] != signed[place]:
            where = f"level {manifest.first + index}"
            yield Finding("record/not-a-member", "is not the record the manifest signs", where)


def proved_leaves(manifest: Manifest, tree: bytes | memoryview) -> bytes | None:
    """The leaf row of a stored tree, 32 bytes a leaf, if it makes the signed root; None when it proves nothing."""
    if len(tree) != tree_bytes(manifest.levels):
        return None
    row = bytes(tree[: SIZE * manifest.levels])
    return row if grow_tree(bytearray(row))[-SIZE:].hex() == manifest.merkle_root else None


def bound_certificate(line: bytes, record: Record, level: int) -> tuple[tuple[Finding, ...], Certificate | None]:
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
        verified = open_manifest(reader, root)
        try:
            manifest = parse_manifest(verified.payload)
        except Malformed as error:
            raise Untrusted(error.findings) from None
        found = root.pack_findings(manifest.pack, manifest.version, digest(verified.payload), MANIFEST)
        findings = (*found, *size_findings(reader, manifest))
        if findings:
            raise Untrusted(findings)
        return Pack(reader, verified, manifest)
    except LevelgenError:
        reader.close()
        raise


def open_manifest(reader: PackReader, trust: TrustRoot) -> Verified:
    """The envelope's payload, once enough trusted keys have signed it.

    Raises:
        Untrusted: it is missing, too long, or not signed.
    """
    envelope = reader.view(MANIFEST)
    if envelope is None:
        raise Untrusted.of("pack/no-manifest", f"holds no {MANIFEST}", reader.label, "name a pack's own folder")
    if len(envelope) > MAX_ENVELOPE:
        raise Untrusted.of("pack/too-long", f"has {len(envelope)} bytes, more than {MAX_ENVELOPE}", MANIFEST)
    return open_envelope(bytes(envelope), trust)


def may_be_absent(name: str) -> bool:
    """Whether a client edition leaves this file out."""
    return name == CERTIFICATES or name.startswith("evidence/")


def size_findings(reader: PackReader, manifest: Manifest) -> Iterator[Finding]:
    """Which files are missing, or of another size than the manifest signs."""
    for name, mark in manifest.files.items():
        view = reader.view(name)
        if view is None:
            if not may_be_absent(name):
                yield Finding("pack/file-missing", "is missing", name)
        elif len(view) != mark.size:
            what = "cut short" if len(view) < mark.size else "too long"
            yield Finding("pack/file-size", f"is {what}: {len(view)} bytes, the manifest signs {mark.size}", name)
