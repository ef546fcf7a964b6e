"""Write packs: a directory that takes its place whole, the same as one `.lgpack`, and the edition for clients."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import IO

from levelgen.certificate import Certificate
from levelgen.errors import Finding, LevelgenError, Malformed, raise_for
from levelgen.pack.archive import (
    CERTIFICATES,
    FOLDERS,
    INDEX,
    LEVELS,
    MANIFEST,
    PREVIEWS,
    SUFFIX,
    TOP,
    TREE,
    open_reader,
    preview_name,
    read_members,
    write_archive,
)
from levelgen.pack.disk import new_directory, new_file
from levelgen.pack.manifest import FileMark, Heading, Manifest, Preview, parse_manifest, ruleset_digest
from levelgen.pack.merkle import finish_tree, leaf_hash
from levelgen.pack.records import Record, encode_certificate, parse_record, record_findings
from levelgen.pack.signing import MAX_ENVELOPE, Signer, sign
from levelgen.pack.strict import decode, digest

Pictures = Iterable[tuple[Preview, bytes]]
"""A picture's pixel digest and its PNG."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A level as a pack holds it: lines without their line feeds, checked. `checked_level` makes it."""

    line: bytes
    """The record."""
    proof: bytes
    """The certificate."""
    picture: tuple[Preview, bytes] | None = None
    evidence: tuple[tuple[str, bytes], ...] = ()
    """Names below `evidence/` and what those files hold."""


Levels = Iterable[tuple[Record, Certificate] | Ready]
MAX_LISTED = MAX_ENVELOPE // 2
"""Bytes of a manifest that its list of files may take: every piece of evidence is one of them."""
_LISTED = 128
"""Bytes that a file takes in that list, beside its name."""


class _Marked:
    """A file being written, its size and digest counted along."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sha = sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._sha.update(data)
        self.size += len(data)

    def mark(self) -> FileMark:
        return FileMark(self.size, self._sha.hexdigest())


def write_pack(
    directory: Path,
    heading: Heading,
    levels: Levels,
    signers: Sequence[Signer],
    *,
    first: int = 1,
    previews: Pictures = (),
    evidence: Mapping[str, bytes] | None = None,
    release: bool = False,
) -> Manifest:
    """Write the pack of `levels`, in order and without gaps from `first`, and sign its manifest.

    The pack is built beside `directory` and takes its place at the end: a kill, a full disk or bad input leave it as it
    was. Files in it that are not a pack's are carried over. Levels are taken one by one; memory stays constant.

    Raises:
        Malformed: a record that cannot be played, is not bound to its certificate, or belongs elsewhere.
            Or `directory` exists, holds something, and is not this pack.
        Untrusted: `release`, and the demonstration key signs.
    """
    check_replaceable(directory, heading.pack)
    with new_directory(directory, keep=lambda name: name not in (*TOP, *FOLDERS)) as draft:
        with _Draft(draft, heading, first) as pack:
            for level in levels:
                pack.add(level if isinstance(level, Ready) else checked_level(heading, *level, pack.next))
            for preview, png in previews:
                pack.add_picture(preview, png)
            for name, data in sorted((evidence or {}).items()):
                pack.add_evidence(name, data)
            count, root, marks = pack.finish()
        manifest = Manifest(
            heading.pack,
            heading.title,
            heading.version,
            heading.previous,
            heading.generator,
            ruleset_digest(heading.ruleset),
            heading.face_set,
            first,
            count,
            root.hex(),
            dict(sorted(marks.items())),
            heading.tools,
        )
        payload = manifest.encode()
        parse_manifest(payload)
        (draft / MANIFEST).write_bytes(sign(payload, signers, release=release))
    return manifest


_ELSEWHERE = "name a new folder, or the one this pack was built into"


def check_replaceable(directory: Path, pack: str = "") -> None:
    """Whether a pack may take the place of what is at `directory`: nothing, an empty directory, or a pack.

    With `pack`, a readable pack of another id is not replaced either.

    Raises:
        Malformed: it may not.
    """
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        what = "is a symbolic link" if directory.is_symlink() else "is not a directory"
        raise Malformed.of("pack/not-a-directory", f"{what}; it is not replaced", str(directory), _ELSEWHERE)
    if not directory.is_dir() or not any(directory.iterdir()):
        return
    if not (directory / MANIFEST).is_file():
        raise Malformed.of("pack/not-a-pack", "holds files but no pack; it is not replaced", str(directory), _ELSEWHERE)
    other = _pack_in(directory)
    if pack and other not in ("", pack):
        message = f"holds the pack {other}; {pack} does not replace it"
        raise Malformed.of("pack/other-pack", message, str(directory), _ELSEWHERE)


def _pack_in(directory: Path) -> str:
    """The id of the pack in a directory, as its manifest says, unverified; empty when it cannot be read."""
    try:
        with (directory / MANIFEST).open("rb") as file:
            envelope = decode(file.read(MAX_ENVELOPE + 1), MANIFEST, limit=MAX_ENVELOPE)
        return parse_manifest(base64.b64decode(envelope["payload"])).pack
    except (LevelgenError, OSError, ValueError, KeyError, TypeError):
        return ""


class _Draft:
    """The files of a pack while levels are appended to it, one by one, in constant memory."""

    def __init__(self, folder: Path, heading: Heading, first: int) -> None:
        self._folder = folder
        self._heading = heading
        self._first = first
        self._last_picture = 0
        self._listed = 0
        self._evidence: dict[str, FileMark] = {}
        self.count = 0

    def __enter__(self) -> _Draft:
        self._open = ExitStack()
        lines, proofs, shown, self._index, self._tree = (
            self._open.enter_context((self._folder / name).open("w+b"))
            for name in (LEVELS, CERTIFICATES, PREVIEWS, INDEX, TREE)
        )
        self._lines, self._proofs, self._shown = _Marked(lines), _Marked(proofs), _Marked(shown)
        self._index.write(struct.pack("<Q", 0))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @property
    def next(self) -> int:
        """The number of the level to come."""
        return self._first + self.count

    def add(self, level: Ready) -> None:
        """Append the next level."""
        self._lines.write(level.line + b"\n")
        self._proofs.write(level.proof + b"\n")
        self._index.write(struct.pack("<Q", self._lines.size))
        self._tree.write(leaf_hash(level.line))
        self.count += 1
        if level.picture is not None:
            self.add_picture(*level.picture)
        for name, data in level.evidence:
            self.add_evidence(name, data)

    def add_picture(self, preview: Preview, png: bytes) -> None:
        """Add the picture of a level that is there already, after those of the levels before it."""
        pack = self._heading.pack
        known = range(max(self._first, self._last_picture + 1), self._first + self.count)
        if preview.pack != pack or preview.level not in known:
            message = f"a picture is of {preview.pack}#{preview.level}, after level {self._last_picture}"
            raise Malformed.of("pack/preview-elsewhere", message, pack)
        self._last_picture = preview.level
        self._shown.write(preview.encode() + b"\n")
        self._write(preview_name(preview.level), png)

    def add_evidence(self, name: str, data: bytes) -> None:
        """Add a file of evidence."""
        member = f"evidence/{name}"
        self._listed += len(member) + _LISTED
        if self._listed > MAX_LISTED:
            raise Malformed.of(
                "pack/too-much-evidence",
                f"has more than {len(self._evidence)} files of evidence, more than a manifest can list",
                self._heading.pack,
                "make several packs of it, or write `par: solved` in the recipe",
            )
        self._write(member, data)
        self._evidence[member] = FileMark(len(data), digest(data))

    def _write(self, member: str, data: bytes) -> None:
        path = self._folder / member
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def finish(self) -> tuple[int, bytes, dict[str, FileMark]]:
        """How many levels there are, the Merkle root over them, and the marks of all files."""
        if not self.count:
            raise Malformed.of("pack/no-levels", "has no levels", self._heading.pack)
        root = finish_tree(self._tree, self.count)
        marks = {LEVELS: self._lines.mark(), CERTIFICATES: self._proofs.mark(), PREVIEWS: self._shown.mark()}
        return self.count, root, marks | self._evidence


def checked_level(heading: Heading, record: Record, certificate: Certificate, level: int) -> Ready:
    """The lines of a level, once nothing is wrong with it as number `level` of the pack.

    Raises:
        Malformed: a record that cannot be played, is not bound to its certificate, or belongs elsewhere.
    """
    line, proof = record.encode(), encode_certificate(certificate)
    raise_for(_level_findings(heading, record, certificate, line, proof, level))
    return Ready(line, proof)


def _level_findings(
    heading: Heading, record: Record, certificate: Certificate, line: bytes, proof: bytes, level: int
) -> Iterator[Finding]:
    where = f"level {level}"
    for what, here in (("record", record), ("certificate", certificate)):
        if (here.pack, here.level) != (heading.pack, level):
            yield Finding(f"pack/{what}-elsewhere", f"the {what} is of {here.pack}#{here.level}", where)
    if record.ruleset != heading.ruleset:
        yield Finding("pack/ruleset", f"is of another ruleset than the pack's {heading.ruleset.id}", where)
    if record.face_set != heading.face_set.id:
        yield Finding("pack/face-set", f"shows {record.face_set}, the pack {heading.face_set.id}", where)
    if record.generator != heading.generator:
        yield Finding("pack/generator", f"was made by generator {record.generator}, not {heading.generator}", where)
    if record.certificate_sha256 != digest(proof):
        yield Finding("pack/unbound", "the record does not hold the digest of its certificate", where, "call bind")
    yield from record_findings(parse_record(line, where), line, where)


def pack_archive(source: Path, out: Path | None = None, *, previews: bool = False) -> Path:
    """Write the pack at `source` as one `.lgpack`, by default beside it; pictures only when asked for.

    Raises:
        Malformed: there is no pack.
        Untrusted: `source` is not a container that levelgen writes.
    """
    target = source.with_name(source.name.removesuffix(SUFFIX) + SUFFIX) if out is None else out
    _copy(source, target, lambda name: previews or not name.startswith("previews/"))
    return target


def client_edition(source: Path, out: Path, *, previews: bool = False) -> Path:
    """Write the pack at `source` without its certificates and evidence, which are winning logs.

    The manifest stays as it is, signature included. `out` becomes an `.lgpack` when so named, else a directory.

    Raises:
        Malformed: there is no pack.
        Untrusted: `source` is not a container that levelgen writes.
    """
    _copy(
        source,
        out,
        lambda name: (
            name != CERTIFICATES and not name.startswith("evidence/") and (previews or not name.startswith("previews/"))
        ),
    )
    return out


def _copy(source: Path, out: Path, wanted: Callable[[str], bool]) -> None:
    reader = open_reader(source)
    try:
        names = [name for name in reader.names() if wanted(name)]
        if MANIFEST not in names:
            raise Malformed.of("pack/missing", "there is no pack", str(source), "name the folder that a build wrote")
        members = read_members(reader, names)
        if out.suffix == SUFFIX:
            with new_file(out) as draft, draft.open("wb") as file:
                write_archive(file, members)
            return
        check_replaceable(out)
        with new_directory(out, keep=lambda name: name not in (*TOP, *FOLDERS)) as draft:
            for name, data in members.items():
                path = draft / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
    finally:
        reader.close()
