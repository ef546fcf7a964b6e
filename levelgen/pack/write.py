"""Write packs: a directory that takes its place whole, the same as one `.lgpack`, and the edition for clients."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import IO

from levelgen.certificate import Certificate
from levelgen.errors import Finding, LevelgenError, Malformed, SystemFailed
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

Levels = Iterable[tuple[Record, Certificate]]
Pictures = Iterable[tuple[Preview, bytes]]
"""A picture's pixel digest and its PNG."""


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
        Untrusted: `release`, and the demonstration key signs.
        SystemFailed: `directory` exists, holds something, and is not a pack.
    """
    check_replaceable(directory, heading.pack)
    with new_directory(directory, keep=lambda name: name not in (*TOP, *FOLDERS)) as draft:
        count, root, marks = _write_levels(draft, heading, levels, first)
        marks[PREVIEWS] = _write_previews(draft, heading.pack, range(first, first + count), previews)
        for name, data in sorted((evidence or {}).items()):  # filled while the levels passed by
            path = draft / "evidence" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
            marks[f"evidence/{name}"] = FileMark(len(data), digest(data))
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


def check_replaceable(directory: Path, pack: str = "") -> None:
    """Whether a pack may take the place of what is at `directory`: nothing, an empty directory, or a pack.

    With `pack`, a readable pack of another id is not replaced either.

    Raises:
        SystemFailed: it may not.
    """
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise SystemFailed.of("pack/not-a-directory", "is not a directory", str(directory), "choose another -o")
    if not directory.is_dir() or not any(directory.iterdir()):
        return
    if not (directory / MANIFEST).is_file():
        raise SystemFailed.of(
            "pack/not-a-pack", "holds files but no pack; it is not replaced", str(directory), "choose another -o"
        )
    other = _pack_in(directory)
    if pack and other not in ("", pack):
        raise SystemFailed.of(
            "pack/other-pack",
            f"holds the pack {other}; {pack} does not replace it",
            str(directory),
            "choose another -o",
        )


def _pack_in(directory: Path) -> str:
    """The id of the pack in a directory, as its manifest says, unverified; empty when it cannot be read."""
    try:
        with (directory / MANIFEST).open("rb") as file:
            envelope = decode(file.read(MAX_ENVELOPE + 1), MANIFEST, limit=MAX_ENVELOPE)
        return parse_manifest(base64.b64decode(envelope["payload"])).pack
    except (LevelgenError, OSError, ValueError, KeyError, TypeError):
        return ""


def _write_levels(draft: Path, heading: Heading, levels: Levels, first: int) -> tuple[int, bytes, dict[str, FileMark]]:
    count = 0
    with (
        (draft / LEVELS).open("wb") as level_file,
        (draft / CERTIFICATES).open("wb") as certificate_file,
        (draft / INDEX).open("wb") as index,
        (draft / TREE).open("w+b") as tree,
    ):
        lines, proofs = _Marked(level_file), _Marked(certificate_file)
        index.write(struct.pack("<Q", 0))
        for record, certificate in levels:
            line, proof = record.encode(), encode_certificate(certificate)
            findings = tuple(_level_findings(heading, record, certificate, line, proof, first + count))
            if findings:
                raise Malformed(findings)
            lines.write(line + b"\n")
            proofs.write(proof + b"\n")
            index.write(struct.pack("<Q", lines.size))
            tree.write(leaf_hash(line))
            count += 1
        if not count:
            raise Malformed.of("pack/no-levels", "has no levels", heading.pack)
        root = finish_tree(tree, count)
        return count, root, {LEVELS: lines.mark(), CERTIFICATES: proofs.mark()}


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


def _write_previews(draft: Path, pack: str, levels: range, previews: Pictures) -> FileMark:
    with (draft / PREVIEWS).open("wb") as file:
        lines = _Marked(file)
        last = 0
        for preview, png in previews:
            if preview.pack != pack or preview.level not in levels or preview.level <= last:
                message = f"a picture is of {preview.pack}#{preview.level}, after level {last}"
                raise Malformed.of("pack/preview-elsewhere", message, pack)
            last = preview.level
            lines.write(preview.encode() + b"\n")
            path = draft / preview_name(preview.level)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(png)
        return lines.mark()


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
            raise Malformed.of("pack/missing", "there is no pack", str(source))
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
