"""Where commands take their input from: packs with a trust root, `PACK#N`, board files, position by a log's prefix."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.cli.talk import no_more_waiting
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


def writable(path: Path, read: str | Path = "") -> None:
    """Refuse now what could not be written after the work is done, or would take the place of what is `read` for it.

    Raises:
        Malformed: it is a folder or a device, or its folder does not exist, or it is what is read.
    """
    from levelgen.pack.disk import refuse_device

    if path.is_dir():
        raise Malformed.of("output/directory", "is a folder", str(path), "name a file")
    refuse_device(path)
    if path.exists() and os.path.exists(read) and path.samefile(read):
        raise Malformed.of("output/input", "is what is read", str(path), "name another file")
    if not path.parent.is_dir():
        raise Malformed.of("output/folder", f"there is no folder {path.parent}", str(path), "make it first")


def folder(path: Path) -> None:
    """Refuse a place for files that cannot be a folder, before anything is made to be put there.

    Raises:
        Malformed: it, or what should be a folder above it, is a file.
    """
    for place in (path, *path.parents):
        if place.is_dir():
            return
        if place.exists():
            raise Malformed.of("output/not-a-folder", "is a file, not a folder", str(place), "name a folder")


def trust_from(
    key: str | None, release: str | None = None, seen: str | None = None, at: str | None = None
) -> TrustRoot:
    """Whom to trust: the public key or the `trust.json` in the file `key`, in `LEVELGEN_KEY`, else the DEMONSTRATION
    key. With `release`, a release file, only the packs it names; what was seen is kept in the file `seen`.

    Raises:
        Malformed: the name is empty (an unset variable must not mean the demonstration key), or the file is no key.
        Untrusted: the trust root or the release does not hold or has expired.
    """
    from levelgen.pack.signing import DEMO_TRUST, TrustRoot

    path = os.environ.get("LEVELGEN_KEY") if key is None else key
    if path is not None:
        data = read_bytes(_named(path, "--key or $LEVELGEN_KEY"))
        if data.lstrip()[:1] == b"{":
            return _trust_of_document(data, path, release, seen, now_from(at))
    if release is not None or seen is not None:
        raise Malformed.of("trust/missing", "needs a trust root", "--release", "give --trust trust.json")
    return DEMO_TRUST if path is None else TrustRoot.from_pem(data, path)


def _trust_of_document(data: bytes, path: str, release: str | None, seen: str | None, now: int) -> TrustRoot:
    """The packs that a trust root vouches for. The versions that follow it lie beside the release, or beside itself."""
    from levelgen.pack.channel import visit_channel
    from levelgen.pack.trust import follow_chain, open_trust
    from levelgen.pack.trust_store import chain_after

    if release is not None:
        place = Path(_named(release, "--release"))
        state = None if seen is None else Path(_named(seen, "--seen"))
        return visit_channel(place.parent, data, now, state, release=place.name).packs
    if seen is not None:
        raise Malformed.of("trust/missing", "goes with a release", "--seen", "give --release")
    chain = chain_after(Path(path).parent, open_trust(data, path).version)
    return follow_chain(data, chain, path)[-1].root_of("pack", now)


def now_from(at: str | None) -> int:
    """Seconds since 1970: of the time `at`, or now; the one place where trust looks at the clock.

    Raises:
        Malformed: `at` is no time.
    """
    import datetime

    if at is None:
        return int(datetime.datetime.now(datetime.UTC).timestamp())
    return _seconds(at, "--at")


def _seconds(text: str, where: str) -> int:
    import datetime

    for form in ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"):
        try:
            found = datetime.datetime.strptime(text, form).replace(tzinfo=datetime.UTC)
        except ValueError:
            continue
        if found.strftime(form) == text and found.year >= 1970:
            return int(found.timestamp())
    raise Malformed.of(
        "time/form", f"{text!r} is no time", where, "write it as 2027-12-31 or 2027-12-31T12:00:00Z, in UTC"
    )


def expiry_from(text: str, now: int, where: str = "--expires") -> int:
    """When something expires, in seconds since 1970: a date, a time, or so many days from `now` (`30d`).

    Raises:
        Malformed: it is none of these, or already over.
    """
    from levelgen.pack.trust import MAX_TIME

    days = re.fullmatch(r"([1-9][0-9]{0,4})d", text, re.ASCII)
    found = now + 86_400 * int(days[1]) if days else _seconds(text, where)
    if not now < found <= MAX_TIME:
        raise Malformed.of("time/over", f"{text} is not in the future", where, "write a later date, or 30d")
    return found


SIGNER_HELP = "Who signs: a private key (PEM), env:VARIABLE, or cmd:PUBLIC.pem COMMAND…; several may be given."


def signers_from(sources: Sequence[str], *, demonstration: bool = False) -> list[Signer]:
    """Who signs. Nobody named means the demonstration key where `demonstration` allows it.

    Raises:
        Malformed: nobody is named, a name or password is empty, or a key cannot be read or opened.
    """
    from levelgen.pack.signers import signer_of
    from levelgen.pack.signing import demo_key

    if not sources and demonstration:
        return [demo_key()]
    if not sources:
        raise Malformed.of("key/none", "nobody signs", "--signer", "name a private key; make one: levelgen keys new")
    return [signer_of(_named(source, "--signer"), password_for) for source in sources]


def password_for(place: str) -> bytes | None:
    """The password of the key at `place`: from `LEVELGEN_KEY_PASSWORD`, the first line of the file that
    `LEVELGEN_KEY_PASSWORD_FILE` names, or asked for on the terminal; None when there is none.

    Raises:
        Malformed: a variable is set and empty, or the file cannot be read.
    """
    found = password_from_environment()
    if found is None and os.isatty(0) and os.isatty(2):
        import click

        no_more_waiting()
        asked: str = click.prompt(f"Password of {place}", hide_input=True, err=True)
        return asked.encode()
    return found


def password_from_environment() -> bytes | None:
    """The password in `LEVELGEN_KEY_PASSWORD`, or in the file `LEVELGEN_KEY_PASSWORD_FILE`; None when neither is set.

    Raises:
        Malformed: it is set and empty, or the file cannot be read.
    """
    password = os.environ.get("LEVELGEN_KEY_PASSWORD")
    if password is not None:
        return _named(password, "$LEVELGEN_KEY_PASSWORD").encode()
    path = os.environ.get("LEVELGEN_KEY_PASSWORD_FILE")
    if path is None:
        return None
    line = read_bytes(_named(path, "$LEVELGEN_KEY_PASSWORD_FILE")).split(b"\n")[0].removesuffix(b"\r")
    return _named(line.decode("utf-8", "surrogateescape"), path).encode("utf-8", "surrogateescape")


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
        raise NothingMatched.of("levels/none", message, "--levels", "name some of those")
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
    folder, mark, number = source.rpartition("#")
    if mark and not os.path.lexists(source) and os.path.exists(folder):
        raise Malformed.of("level/form", f"{number!r} is no number of a level", source, f"write {folder}#1")
    if os.path.isdir(source):
        if os.path.exists(os.path.join(source, "manifest.dsse.json")):
            raise Malformed.of("board/pack", "is a pack; name one of its levels", source, f"write {source}#1")
        raise Malformed.of("input/directory", "is a folder, not a board", source, "name a file, or a level: PACK#1")
    deals = parse_boards(read_bytes(source), source)
    return tuple(Named(f"{source}:{number}", deal, None, "") for number, deal in enumerate(deals, start=1))
