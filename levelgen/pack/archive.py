"""What a pack is kept in: a directory, or one `.lgpack` file; both are read through one interface.

An `.lgpack` is a ZIP file of which every byte except the members' contents follows from their names, sizes and CRCs:
members stored, in the order of their names, one after the other from byte 0, timestamps 1980-01-01 00:00, no extra
fields, no comments, nothing between or around, no ZIP64 (so less than 4 GiB and 65,535 members). The reader computes
those bytes and compares; it never extracts. In a directory no symbolic link is followed. Member names come from a
whitelist; there is no other way to name a file.
"""

from __future__ import annotations

import contextlib
import io
import mmap
import os
import re
import stat
import struct
import weakref
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, NoReturn, Protocol

from levelgen.errors import Malformed, Untrusted
from levelgen.pack.disk import standing

MANIFEST = "manifest.dsse.json"
LEVELS = "levels.jsonl"
CERTIFICATES = "certificates.jsonl"
INDEX = "levels.idx"
TREE = "tree.bin"
PREVIEWS = "previews.jsonl"
TOP = (CERTIFICATES, INDEX, LEVELS, MANIFEST, PREVIEWS, TREE)
FOLDERS = ("evidence", "previews")
SUFFIX = ".lgpack"

_NAME = re.compile(
    r"|".join(map(re.escape, TOP)) + r"|previews/[0-9]{4,9}\.png|evidence/[a-z0-9](?:[._-]?[a-z0-9]){0,99}", re.ASCII
)
_PATIENCE = 100
"""How often a directory that is replaced while it is being opened is opened again."""
_MAX_MEMBERS = 65_534
_MAX_ARCHIVE = (1 << 32) - 2


def is_member_name(name: str) -> bool:
    """Whether a pack can hold a member of this name."""
    return _NAME.fullmatch(name) is not None


def preview_name(level: int) -> str:
    """The member that holds the picture of a level."""
    return f"previews/{level:04d}.png"


class PackReader(Protocol):
    """Read access to the members of a pack, nothing verified yet."""

    label: str
    """What messages call the pack."""

    def names(self) -> tuple[str, ...]:
        """Every member, sorted."""

    def strays(self) -> tuple[str, ...]:
        """What lies beside the members and is never read."""

    def view(self, name: str) -> memoryview | None:
        """The bytes of a member, mapped rather than read; None when there is no such member.

        Raises:
            Untrusted: the member is a link, or no plain file.
        """

    def close(self) -> None:
        """Let go of files; views taken before stay valid."""


def open_reader(source: Path | str | bytes) -> PackReader:
    """The reader of a pack given as a path (directory or file) or as the bytes of an `.lgpack`.

    Raises:
        Malformed: there is nothing at the path.
        Untrusted: the container is not one that levelgen writes.
    """
    if isinstance(source, bytes):
        return ArchiveReader(memoryview(source), "pack")
    path = Path(source)
    for _ in range(_PATIENCE):
        place = standing(path)
        if not place.is_dir():
            break
        with contextlib.suppress(FileNotFoundError):
            reader = DirectoryReader(place, str(path))
            if reader.is_at(place):
                return reader
            reader.close()
    if not path.exists():
        raise Malformed.of(
            "pack/missing", "there is no pack", str(path), "name the folder or the .lgpack that a build wrote"
        )
    if not path.is_file():
        raise Malformed.of("pack/not-a-file", "is neither a directory nor an ordinary file", str(path))
    try:
        data = _map_file(os.open(path, os.O_RDONLY))
    except OSError as error:
        if error.errno:
            raise
        raise Untrusted.of("pack/container", "is no plain file", str(path)) from None
    return ArchiveReader(data, str(path))


def _map_file(descriptor: int) -> memoryview:
    """The bytes of an open file, mapped; the descriptor is closed. OSError without errno: not a plain file."""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a plain file")
        if not status.st_size:
            return memoryview(b"")
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(descriptor)


def forget(view: memoryview) -> None:
    """Let the system take back the pages of the mapped file behind `view`; reading them again costs only time."""
    if isinstance(view.obj, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        view.obj.madvise(mmap.MADV_DONTNEED)


class DirectoryReader:
    """A pack in a directory. The directory is held open: replacing it does not mix two packs."""

    def __init__(self, path: Path, label: str) -> None:
        self.label = label
        self._root = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        self._views: dict[str, memoryview] = {}
        self._close = weakref.finalize(self, os.close, self._root)
        for name in TOP:
            self.view(name)

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode of the directory: what tells it from one that takes its place."""
        status = os.fstat(self._root)
        return status.st_dev, status.st_ino

    def is_at(self, path: Path) -> bool:
        """Whether this very directory still stands at `path`: then its members were opened before it was replaced."""
        return os.path.samestat(os.fstat(self._root), os.stat(path))

    def names(self) -> tuple[str, ...]:
        """Every member, sorted; those among them that cannot be read say so when they are."""
        return tuple(sorted(name for name in self._entries() if is_member_name(name)))

    def strays(self) -> tuple[str, ...]:
        """Files that lie beside the members and are never read."""
        return tuple(sorted(name for name in self._entries() if not is_member_name(name)))

    def _entries(self) -> list[str]:
        names = os.listdir(self._root)
        found = [name for name in names if name not in FOLDERS]
        for folder in FOLDERS:
            if folder in names:
                inside = self._open(folder, os.O_RDONLY | os.O_DIRECTORY, self._root)
                try:
                    found += [f"{folder}/{name}" for name in os.listdir(inside)]
                finally:
                    os.close(inside)
        return found

    def view(self, name: str) -> memoryview | None:
        """The bytes of a member, mapped; None when there is no such member."""
        if name in self._views:
            return self._views[name]
        if not is_member_name(name):
            return None
        folder, _, base = name.rpartition("/")
        try:
            root = self._open(folder, os.O_RDONLY | os.O_DIRECTORY, self._root) if folder else self._root
            try:
                # Not blocking, so that a pipe in the place of a member cannot hold us up.
                descriptor = self._open(base, os.O_RDONLY | os.O_NONBLOCK, root)
            finally:
                if folder:
                    os.close(root)
        except FileNotFoundError:
            return None
        try:
            data = _map_file(descriptor)
        except OSError as error:
            if error.errno:
                raise
            self._refuse(name, "is no plain file")
        if not folder:
            self._views[name] = data
        return data

    def _open(self, name: str, flags: int, root: int) -> int:
        try:
            return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root)
        except FileNotFoundError:
            raise
        except OSError as error:
            status = os.stat(name, dir_fd=root, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                self._refuse(name, "is a link")
            if not stat.S_ISREG(status.st_mode):
                self._refuse(name, "is no plain file")
            raise OSError(error.errno, error.strerror, f"{self.label}/{name}") from None

    def _refuse(self, name: str, message: str) -> NoReturn:
        raise Untrusted.of("pack/link", message, f"{self.label}/{name}", "a pack holds plain files only")

    def close(self) -> None:
        """Let go of the directory."""
        self._close()
        self._views.clear()


_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION = 10
_MADE_BY = 3 << 8 | 20
_DATE = 0x21
_ATTRIBUTES = (stat.S_IFREG | 0o644) << 16


def _local_header(name: bytes, crc: int, size: int) -> bytes:
    return _LOCAL.pack(b"PK\3\4", _VERSION, 0, 0, 0, _DATE, crc, size, size, len(name), 0) + name


def _central_header(name: bytes, crc: int, size: int, offset: int) -> bytes:
    fields = (_MADE_BY, _VERSION, 0, 0, 0, _DATE, crc, size, size, len(name), 0, 0, 0, 0, _ATTRIBUTES, offset)
    return _CENTRAL.pack(b"PK\1\2", *fields) + name


def _end_record(count: int, size: int, offset: int) -> bytes:
    return _END.pack(b"PK\5\6", 0, 0, count, count, size, offset, 0)


class ArchiveReader:
    """A pack in one `.lgpack`; the structure is checked whole before any member can be asked for.

    Raises:
        Untrusted: any byte of the structure is not as levelgen writes it.
    """

    def __init__(self, data: memoryview, label: str) -> None:
        self.label = label
        self._data = data
        self._members: dict[str, tuple[int, int]] = {}
        """Where each member's bytes begin and end."""
        self._read_structure()

    def _refuse(self, message: str, where: str = "") -> NoReturn:
        at = f"{self.label}/{where}" if where else self.label
        raise Untrusted.of("pack/container", message, at, "get the pack again from where it was published")

    def _read_structure(self) -> None:
        data, total = self._data, len(self._data)
        if not _END.size <= total <= _MAX_ARCHIVE:
            self._refuse(f"has {total} bytes, which no {SUFFIX} has")
        if bytes(data[:4]) not in (b"PK\3\4", b"PK\5\6"):
            self._refuse(f"does not begin as an {SUFFIX} does")
        end = total - _END.size
        magic, _, _, count, _, size, place, _ = _END.unpack_from(data, end)
        if magic != b"PK\5\6":
            self._refuse("does not end in a directory of its members: truncated, or followed by something")
        if count > _MAX_MEMBERS or data[end:] != _end_record(count, size, place) or place + size != end:
            self._refuse("the record at its end is not as levelgen writes it")
        position, entry, last = 0, place, ""
        for _ in range(count):
            position, entry, last = self._read_member(position, entry, end, last)
        if entry != end or position != place:
            self._refuse("holds bytes that belong to no member")

    def _read_member(self, position: int, entry: int, end: int, last: str) -> tuple[int, int, str]:
        """Check the member listed at `entry`, which must lie at `position`; what follows both, and its name."""
        data = self._data
        if entry + _CENTRAL.size > end:
            self._refuse("its list of members is cut short")
        fields = _CENTRAL.unpack_from(data, entry)
        flags, method, crc, packed, size, length = fields[3], fields[4], *fields[7:11]
        raw = bytes(data[entry + _CENTRAL.size : entry + _CENTRAL.size + length])
        name = raw.decode("ascii", "replace")
        if not is_member_name(name):
            self._refuse(f"lists {name[:60]!r}, which is not a name in a pack")
        if name <= last:
            self._refuse("is listed twice or out of order", name)
        if flags & 1:
            self._refuse("is encrypted", name)
        if method or packed != size:
            self._refuse("is compressed; a pack stores its members as they are", name)
        if stat.S_ISLNK(fields[15] >> 16):
            self._refuse("is a link", name)
        header = _local_header(raw, crc, size)
        begin = position + len(header)
        if begin + size > end:
            self._refuse("is cut short", name)
        expected = _central_header(raw, crc, size, position)
        if data[entry : entry + len(expected)] != expected or data[position:begin] != header:
            self._refuse("its header is not as levelgen writes it", name)
        self._members[name] = (begin, begin + size)
        return begin + size, entry + len(expected), name

    def names(self) -> tuple[str, ...]:
        """Every member, sorted."""
        return tuple(self._members)

    def strays(self) -> tuple[str, ...]:
        """Nothing: an archive that holds anything else is refused."""
        return ()

    def view(self, name: str) -> memoryview | None:
        """The bytes of a member; None when there is no such member."""
        place = self._members.get(name)
        return None if place is None else self._data[place[0] : place[1]]

    def close(self) -> None:
        """Let go of the file."""
        self._data = memoryview(b"")
        self._members.clear()


def write_archive(file: IO[bytes], members: Mapping[str, bytes | memoryview]) -> None:
    """Write `members` as an `.lgpack` into an empty file.

    Raises:
        Malformed: a name is none, or the archive would be too large.
    """
    directory: list[bytes] = []
    position = 0
    for name, data in sorted(members.items()):
        if not is_member_name(name):
            raise Malformed.of("pack/name", f"{name[:60]!r} is not a name in a pack")
        raw, crc, size = name.encode("ascii"), zlib.crc32(data), len(data)
        header = _local_header(raw, crc, size) if size < _MAX_ARCHIVE else b""
        if len(directory) >= _MAX_MEMBERS or position + len(header) + size > _MAX_ARCHIVE - (1 << 24):
            raise Malformed.of(
                "pack/too-large", f"an {SUFFIX} stays below 4 GiB and {_MAX_MEMBERS} members", name, "ship a directory"
            )
        directory.append(_central_header(raw, crc, size, position))
        file.write(header)
        file.write(data)
        position += len(header) + size
    listing = b"".join(directory)
    file.write(listing + _end_record(len(directory), len(listing), position))


def archive_bytes(members: Mapping[str, bytes | memoryview]) -> bytes:
    """`members` as the bytes of an `.lgpack`."""
    file = io.BytesIO()
    write_archive(file, members)
    return file.getvalue()


def read_members(reader: PackReader, names: Iterable[str] | None = None) -> dict[str, memoryview]:
    """The members of those names, or all of them."""
    views = {name: reader.view(name) for name in (reader.names() if names is None else names)}
    return {name: view for name, view in views.items() if view is not None}
