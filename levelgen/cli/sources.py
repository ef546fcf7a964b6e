"""Where commands take their input from: packs with a trust root, `PACK#N`, board files, position by a log's prefix."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.errors import Malformed, NothingMatched

if TYPE_CHECKING:
    from levelgen.board import Deal
    from levelgen.pack.signing import Signer, TrustRoot

MAX_INPUT = 64 << 20
"""Bytes of a board file or a log read from outside."""

_PIPED = "pipe it into the command and write - for the file"
_LEVEL = re.compile(r"(.+)#([1-9][0-9]{0,8})")
_SPAN = re.compile(r"([1-9][0-9]{0,8})(?:\.\.([1-9][0-9]{0,8}))?")


@dataclass(frozen=True, slots=True)
class Named:
    """A deal and what to call it."""

    name: str
    deal: Deal
    level: int | None
    face_set: str


def read_bytes(path: str) -> bytes:
    """The bytes of a file, `-` for standard input.

    Raises:
        Malformed: there is no such file, it is a directory, or it is too long to be read.
    """
    if path == "-":
        data = sys.stdin.buffer.read(MAX_INPUT + 1)
    else:
        try:
            if not _can_be_read(os.stat(path).st_mode, path):
                raise Malformed.of("input/not-a-file", "is a pipe or a device, not a file", path, _PIPED)
            with open(path, "rb") as file:
                data = file.read(MAX_INPUT + 1)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            raise Malformed.of("input/missing", "there is no such file", path, "check the path") from None
        except IsADirectoryError:
            raise Malformed.of("input/directory", "is a directory, not a file", path) from None
    if len(data) > MAX_INPUT:
        raise Malformed.of("input/too-long", f"is longer than {MAX_INPUT} bytes", path)
    return data


def _can_be_read(mode: int, path: str) -> bool:
    """Whether reading such a file comes to an end: a named pipe nobody writes to would keep us waiting for ever.

    What a shell hands over as `<(command)` is a pipe with a writer.
    """
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return True
    return stat.S_ISFIFO(mode) and path.startswith(("/dev/fd/", "/proc/self/fd/", "/dev/stdin"))


def writable(path: Path) -> None:
    """Refuse now what could not be written after the work is done.

    Raises:
        Malformed: it is a folder or a device, or its folder does not exist.
    """
    if path.is_dir():
        raise Malformed.of("output/directory", "is a folder", str(path), "name a file")
    if path.exists() and not path.is_file():
        raise Malformed.of("output/not-a-file", "is a pipe or a device, not a file", str(path), "name a file")
    if not path.parent.is_dir():
        raise Malformed.of("output/folder", f"there is no folder {path.parent}", str(path), "make it first")


def trust_from(key: str | None) -> TrustRoot:
    """The keys to trust: the public key in the file `key`, in `LEVELGEN_KEY`, else the DEMONSTRATION key.

    Raises:
        Malformed: the name is empty (an unset variable must not mean the demonstration key), or the file is no key.
    """
    from levelgen.pack.signing import DEMO_TRUST, TrustRoot

    path = os.environ.get("LEVELGEN_KEY") if key is None else key
    if path is None:
        return DEMO_TRUST
    return TrustRoot.from_pem(read_bytes(_named(path, "--key or $LEVELGEN_KEY")), path)


def signer_from(key: str | None) -> Signer:
    """Who signs: the private key in the file `key`, else the demonstration key.

    Its password is taken from `LEVELGEN_KEY_PASSWORD`.

    Raises:
        Malformed: the name or the password is empty, or the file is no private key that this password opens.
    """
    from levelgen.pack.signing import demo_key, load_private_pem

    if key is None:
        return demo_key()
    return load_private_pem(read_bytes(_named(key, "--key")), password_from_environment(), key)


def password_from_environment() -> bytes | None:
    """The password in `LEVELGEN_KEY_PASSWORD`; None when that is not set.

    Raises:
        Malformed: it is set and empty.
    """
    password = os.environ.get("LEVELGEN_KEY_PASSWORD")
    return None if password is None else _named(password, "$LEVELGEN_KEY_PASSWORD").encode()


def _named(value: str, where: str) -> str:
    if not value:
        raise Malformed.of("key/empty", "is empty", where, "give a value, or leave it out altogether")
    return value


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def split_level(source: str) -> tuple[str, int] | None:
    """`PACK#N` as its two parts; None when `source` is not of that form."""
    found = _LEVEL.fullmatch(source)
    return (found[1], int(found[2])) if found else None


def span(text: str | None, numbers: range) -> range:
    """The levels `A..B` (or `N`) selects out of `numbers`; all of them when `text` is None.

    Raises:
        Malformed: not of that form.
        NothingMatched: none of `numbers` is selected.
    """
    if text is None:
        return numbers
    found = _SPAN.fullmatch(text)
    if found is None:
        raise Malformed.of("levels/form", f"{text!r} selects no levels", "--levels", "write 7 or 3..12")
    low, high = int(found[1]), int(found[2] or found[1])
    chosen = range(max(low, numbers.start), min(high, numbers.stop - 1) + 1)
    if not chosen:
        message = f"{text} selects none of the levels {numbers.start} to {numbers.stop - 1}"
        raise NothingMatched.of("levels/none", message, "--levels")
    return chosen


def boards_from(source: str, key: str | None) -> tuple[Named, ...]:
    """The deals `source` names: `PACK#N`, or every board of a board file (`-` for standard input)."""
    from levelgen.pack.records import parse_boards

    place = split_level(source)
    if place is not None and not os.path.isfile(source):
        from levelgen.pack.opened import open_pack

        with open_pack(Path(place[0]), trust_from(key)) as pack:
            record = pack.level(place[1])
        return (Named(f"{record.pack}#{record.level}", record.deal, record.level, record.face_set),)
    if os.path.isdir(source):
        if os.path.exists(os.path.join(source, "manifest.dsse.json")):
            raise Malformed.of("board/pack", "is a pack; name one of its levels", source, f"write {source}#1")
        raise Malformed.of("input/directory", "is a folder, not a board", source, "name a file, or a level: PACK#1")
    deals = parse_boards(read_bytes(source), source)
    return tuple(Named(f"{source}:{number}", deal, None, "") for number, deal in enumerate(deals, start=1))
