"""Mutants: packs, channels and logs with something changed, each made from its number; and what must come of them.

    python -m tests.mutants --packs 0..1000 --logs 0..1000

tries those numbers and prints how many ended how. A mutant is refused with one of our errors, or everything read from
it is what the honest one holds; a mutant of a log is judged, and called a win only where a judge of five lines that
shares no code with ours sees the board emptied. Anything else is raised with the mutant's number.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from levelgen.certificate import moves_under
from levelgen.errors import LevelgenError, Malformed, Untrusted
from levelgen.layout import Slot
from levelgen.moves import Log, parse_log
from levelgen.pack.archive import MANIFEST, archive_bytes, open_reader, read_members
from levelgen.pack.records import Record
from levelgen.pack.release import accept_release
from levelgen.pack.signing import PackMark
from levelgen.replay import Context
from levelgen.seed import Stream
from levelgen.verify import judge, open_pack, verify_pack
from tests.channels import NOW, document, release, signed
from tests.packs import TRUST, write_tiny

Members = dict[str, bytes]
RULESETS = ("pairs", "triples")
NEVER_BELIEVED = ("levels.idx", "tree.bin", MANIFEST)
"""Members that may differ: what the first two say proves itself, and the envelope's `keyid` is a hint."""
SAME = "the same is read"


@cache
def honest(ruleset: str) -> Members:
    """The files of a pack of three levels."""
    with tempfile.TemporaryDirectory() as folder:
        write_tiny(Path(folder) / "pack", 3, ruleset, evidence={})
        return {name: bytes(view) for name, view in read_members(open_reader(Path(folder) / "pack")).items()}


@cache
def container(ruleset: str) -> bytes:
    """The same as an `.lgpack`."""
    return archive_bytes(honest(ruleset))


@cache
def channel() -> Members:
    """A trust root, the version after it, and a release."""
    old, new = document(pack="test"), document(2, root="new", pack="test")
    return {
        "trust.json": signed(old),
        "2.trust.json": signed(new, "root new"),
        "release.dsse.json": release(packs={"tiny": PackMark(1, "ab" * 32)}),
    }


def everything_in(data: bytes) -> tuple[object, ...]:
    """All that a reader gets out of a pack."""
    with open_pack(data, TRUST) as pack:
        lines = [pack.line(number) for number in pack.numbers]
        return pack.manifest, lines, [pack.certificate(number) for number in pack.numbers], pack.previews()


@cache
def everything_honest(ruleset: str) -> tuple[object, ...]:
    return everything_in(container(ruleset))


def accepted_from(files: Members) -> object:
    """What a client gets out of a channel."""
    found = accept_release(files["trust.json"], files["release.dsse.json"], NOW, chain=[files["2.trust.json"]])
    return found.trust, found.release, found.packs


# ------------------------------------------------------------------------------------------------- changes to bytes

PIECES = (
    b"", b"0", b"-1", b"9007199254740992", b"1e9", b"0.5", b"null", b"true", b"NaN", b'"', b"\\", b"\\ud800", b"[",
    b"]", b"{", b"}", b",", b":", b"[" * 20, b"\0", b"\xff\xfe", b"\n", b"\r\n", b" ", b"../", b'"v":1,', b"PK\1\2",
    b"=", b"A" * 64,
)  # fmt: skip
NUMBER = re.compile(rb"[0-9]+")


def changed(data: bytes, stream: Stream, other: bytes) -> bytes:
    """The bytes with one to three changes."""
    for _ in range(1 + stream.below(8) // 6):
        data = CHANGES[stream.below(len(CHANGES))](data, stream, other)
    return data


def _at(data: bytes, stream: Stream) -> int:
    return stream.below(len(data) + 1)


def _flip(data: bytes, stream: Stream, other: bytes) -> bytes:
    place = _at(data, stream)
    return data[:place] + bytes(byte ^ 1 << stream.below(8) for byte in data[place : place + 1]) + data[place + 1 :]


def _set(data: bytes, stream: Stream, other: bytes) -> bytes:
    place = _at(data, stream)
    return data[:place] + bytes([stream.below(256)]) + data[place + 1 :]


def _insert(data: bytes, stream: Stream, other: bytes) -> bytes:
    place = _at(data, stream)
    return data[:place] + PIECES[stream.below(len(PIECES))] + data[place:]


def _overwrite(data: bytes, stream: Stream, other: bytes) -> bytes:
    place, piece = _at(data, stream), PIECES[stream.below(len(PIECES))]
    return data[:place] + piece + data[place + len(piece) :]


def _delete(data: bytes, stream: Stream, other: bytes) -> bytes:
    place = _at(data, stream)
    return data[:place] + data[place + 1 + stream.below(1 << stream.below(9)) :]


def _repeat(data: bytes, stream: Stream, other: bytes) -> bytes:
    place, size = _at(data, stream), 1 + stream.below(1 << stream.below(9))
    return data[:place] + data[place : place + size] + data[place:]


def _swap(data: bytes, stream: Stream, other: bytes) -> bytes:
    a, b = sorted((_at(data, stream), _at(data, stream)))
    size = min(1 + stream.below(64), b - a)
    return data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]


def _graft(data: bytes, stream: Stream, other: bytes) -> bytes:
    place, begin, size = _at(data, stream), _at(other, stream), 1 + stream.below(1 << stream.below(10))
    return data[:place] + other[begin : begin + size] + data[place + size :]


def _cut(data: bytes, stream: Stream, other: bytes) -> bytes:
    return data[: _at(data, stream)]


def _count(data: bytes, stream: Stream, other: bytes) -> bytes:
    numbers = list(NUMBER.finditer(data[:100_000]))
    if not numbers:
        return data
    found = numbers[stream.below(len(numbers))]
    value = (int(found[0][:18]) + (1, -1, 2, 1 << 32)[stream.below(4)]) if stream.below(3) else stream.below(10)
    return data[: found.start()] + b"%d" % value + data[found.end() :]


def _lines(data: bytes, stream: Stream, other: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = stream.below(len(lines)), stream.below(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


Change = Callable[[bytes, Stream, bytes], bytes]
CHANGES: tuple[Change, ...] = (
    _flip, _flip, _set, _insert, _overwrite, _delete, _repeat, _swap, _graft, _cut, _count, _lines,
)  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- packs


def try_pack(number: int, seed: str = "mutants") -> str:
    """Make the mutant of that number from a pack or a channel; how it ended.

    Raises:
        AssertionError: it was accepted and is another, or something but our errors came of it.
    """
    stream = Stream(seed, f"pack/{number}")
    ruleset, kind = RULESETS[stream.below(2)], stream.below(8)
    if kind == 0:
        return _outcome(number, lambda: accepted_from(_one_changed(channel(), stream)), accepted_from(channel()))
    if kind <= 3:
        data = changed(container(ruleset), stream, container("triples"))
    else:
        data = archive_bytes(_one_changed(honest(ruleset), stream))
    if kind == 7:
        return _report(number, data, ruleset)
    ended = _outcome(number, lambda: everything_in(data), everything_honest(ruleset))
    if ended == SAME:
        found = {name: bytes(view) for name, view in read_members(open_reader(data)).items()}
        other = {name for name, old in honest(ruleset).items() if found.get(name) != old}
        assert all(name in NEVER_BELIEVED or name.endswith(".png") for name in other), f"mutant {number} was accepted"
        assert set(found) <= set(honest(ruleset)), f"mutant {number} was accepted"
    return ended


def _one_changed(files: Members, stream: Stream) -> Members:
    """One of the files changed, or two of them exchanged."""
    names = sorted(name for name in files if not name.endswith(".png") or not stream.below(8))
    name, other = names[stream.below(len(names))], names[stream.below(len(names))]
    if not stream.below(20):
        return {**files, name: files[other], other: files[name]}
    envelope = name.endswith(".json") and stream.below(2)
    return {**files, name: (_resealed if envelope else changed)(files[name], stream, files[other])}


def _resealed(data: bytes, stream: Stream, other: bytes) -> bytes:
    """An envelope whose payload was changed: canonical, every byte in its place, only nobody signed it."""
    envelope = json.loads(data)
    payload = changed(base64.b64decode(envelope["payload"]), stream, other)
    envelope["payload"] = base64.b64encode(payload).decode()
    return json.dumps(envelope, separators=(",", ":")).encode()


def _outcome(number: int, work: Callable[[], object], expected: object) -> str:
    try:
        found = work()
    except (Untrusted, Malformed) as error:
        return error.findings[0].code
    except LevelgenError as error:
        raise AssertionError(f"mutant {number}: {error!r}") from error
    except Exception as error:
        raise AssertionError(f"mutant {number} gives {type(error).__name__}: {error}") from error
    assert found == expected, f"mutant {number} was accepted"
    return SAME


def _report(number: int, data: bytes, ruleset: str) -> str:
    try:
        report = verify_pack(data, TRUST)
    except Exception as error:
        raise AssertionError(f"mutant {number} gives {type(error).__name__}: {error}") from error
    if not report.ok:
        return "reported: " + report.findings[0].code
    assert everything_in(data) == everything_honest(ruleset), f"mutant {number} was accepted"
    return "reported the same"


# ----------------------------------------------------------------------------------------------------------- logs


@cache
def games(ruleset: str) -> tuple[tuple[Record, tuple[str, ...]], ...]:
    """The levels of the honest pack and a winning log of each, as tokens."""
    with open_pack(container(ruleset), TRUST) as pack:
        found = []
        for number in pack.numbers:
            record = pack.level(number)
            moves = moves_under(record.ruleset, record.face_down, pack.certificate(number).solution)
            found.append((record, tuple(map(str, moves))))
        return tuple(found)


TOKENS = ("u", "u", "h", "r", "g", "s:x", "^0", "=1", "~2", "0-0", "4095", "4096", "-1", "0-", "٣", "s:", "u1", "^^1")


def try_log(number: int, seed: str = "mutants") -> str:
    """Make the mutant of that number from a winning log; how it was judged.

    Raises:
        AssertionError: it is called won and is not, or not won and is, or something but our errors came of it.
    """
    stream = Stream(seed, f"log/{number}")
    ruleset = RULESETS[stream.below(2)]
    record, tokens = games(ruleset)[stream.below(3)]
    spelt = list(tokens)
    for _ in range(1 + stream.below(8) // 5):
        _change_tokens(spelt, record, stream)
    data = f"levelgen-log 1 {record.pack}#{record.level}\n{' '.join(spelt)}\n".encode()
    if not stream.below(4):
        data = json.dumps({"v": 1, "pack": record.pack, "level": record.level, "moves": spelt}).encode()
    if not stream.below(3):
        data = changed(data, stream, b"levelgen-log 1 " + b" ".join(map(str.encode, tokens)))
    try:
        log = parse_log(data)
        verdict = judge(record, log, Context((2, 1, 1), True))
    except Malformed as error:
        return error.findings[0].code
    except Exception as error:
        raise AssertionError(f"log {number} gives {type(error).__name__}: {error}") from error
    emptied = empties(record, log)
    if emptied is not None:
        assert (verdict.verdict == "won") == emptied, f"log {number} is called {verdict.verdict}"
        return verdict.verdict
    assert verdict.verdict != "won" or verdict.assisted or "r" in map(str, log.moves), f"log {number}"
    return f"with tools: {verdict.verdict}"


def _change_tokens(spelt: list[str], record: Record, stream: Stream) -> None:
    place = stream.below(len(spelt) + 1)
    match stream.below(7):
        case 0:
            del spelt[place : place + 1]
        case 1:
            spelt[place:place] = spelt[place : place + 1]
        case 2 if len(spelt) > 1:
            a, b = stream.below(len(spelt)), stream.below(len(spelt))
            spelt[a], spelt[b] = spelt[b], spelt[a]
        case 3:
            spelt.insert(place, TOKENS[stream.below(len(TOKENS))])
        case 4:
            a, b = stream.below(len(record.slots)), stream.below(len(record.slots))
            spelt[place : place + 1] = [(f"{a}-{b}", f"{a}", f"^{a}", f"={a}", f"~{a}")[stream.below(5)]]
        case 5:
            del spelt[place:]
        case _:
            spelt[place : place + 1] = spelt[place : place + 2][::-1]


def empties(record: Record, log: Log) -> bool | None:
    """Whether a log of plays alone empties the board, by a judge that knows geometry and nothing of ours."""
    left, tray = set(range(len(record.slots))), list[int]()
    hidden, size = set(record.face_down), record.ruleset.tray
    for move in log.moves:
        if move.kind in ("undo", "hint", "shuffle", "restart", "give_up"):
            return None
        if not _play(record, left, tray, hidden, move.kind, move.tiles, size):
            return False
    return not left and not tray


def _play(
    record: Record, left: set[int], tray: list[int], hidden: set[int], kind: str, tiles: Sequence[int], size: int
) -> bool:
    """Do a play if the rules page allows it; whether it does."""
    faces, pairs = record.faces, record.ruleset.id == "pairs"
    if len(set(tiles)) != len(tiles) or not set(tiles) <= left or (kind == "pick") == pairs or kind == "flip":
        return False
    if not all(_is_open(record, left, tile, pairs) for tile in tiles) or len(tray) + len(tiles) > size:
        return False
    same = [tile for tile in tray if faces[tile] == faces[tiles[0]]]
    if (kind == "lift" and tiles[0] not in hidden) or (kind in ("pair", "match") and hidden & set(tiles)):
        return False
    if (kind == "pair" and faces[tiles[0]] != faces[tiles[1]]) or (kind == "match" and not same):
        return False
    left -= set(tiles)
    if kind != "pair":
        tray += tiles
        if len(same) + 1 == record.ruleset.group:
            tray[:] = [tile for tile in tray if faces[tile] != faces[tiles[0]]]
    return True


def _is_open(record: Record, left: set[int], tile: int, pairs: bool) -> bool:
    x, y, z = _xyz(record.slots[tile])
    others = [_xyz(record.slots[other]) for other in left if other != tile]
    if any(h > z and abs(a - x) < 2 and abs(b - y) < 2 for a, b, h in others):
        return False
    beside = [(a - x, b - y) for a, b, h in others if h == z]
    wide = {a for a, b in beside if abs(b) < 2}
    high = {b for a, b in beside if abs(a) < 2}
    return not pairs or not ({-2, 2} <= wide or {-2, 2} <= high)


def _xyz(slot: Slot) -> tuple[int, int, int]:
    return slot.x, slot.y, slot.z


def main() -> None:
    """Try the mutants that were asked for, and say how they ended."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", default="0..0")
    parser.add_argument("--logs", default="0..0")
    parser.add_argument("--seed", default="mutants")
    options: Any = parser.parse_args()
    for name, work in (("packs", try_pack), ("logs", try_log)):
        low, high = map(int, getattr(options, name).split(".."))
        began = time.process_time()
        counts = Counter(work(number, options.seed) for number in range(low, high))
        if counts:
            seconds = round(time.process_time() - began, 1)
            print(json.dumps({name: high - low, "seconds": seconds, "ended": dict(counts.most_common())}), flush=True)


if __name__ == "__main__":
    main()
