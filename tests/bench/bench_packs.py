"""How fast packs are opened, read, verified and signed, in CPU time. `make bench` prints it."""

from __future__ import annotations

import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from levelgen.board import Board
from levelgen.certificate import certify
from levelgen.deal import Stuck, deal_faces
from levelgen.layout import Layout
from levelgen.pack.archive import INDEX, LEVELS, MANIFEST, TREE
from levelgen.pack.manifest import FaceSetMark, FileMark, Heading, Manifest, ruleset_digest
from levelgen.pack.merkle import finish_tree, leaf_hash
from levelgen.pack.records import Record, bind
from levelgen.pack.signing import DEMO_TRUST, demo_key, open_envelope, sign
from levelgen.pack.strict import digest
from levelgen.pack.verify import open_pack, verify_pack
from levelgen.pack.write import write_pack
from levelgen.rules import RULESETS
from levelgen.seed import Stream

MILLION = 1_000_000
TILES = 72
READS = 5000
FIGURES = {f"figure_{number:02}": 29 * number for number in range(40)}
"""As many as a rated level has."""
CHECKED = 60
FACES = tuple(f"AR1_{number:03}" for number in range(1, 13))
MARK = FaceSetMark("AR1", "ab" * 32, True)


def layout() -> Layout:
    """Seventy-two tiles on three layers."""
    sizes = ((8, 5), (6, 4), (4, 2))
    return Layout.of((2 * x + z, 2 * y, z) for z, (w, h) in enumerate(sizes) for y in range(h) for x in range(w))


def level(number: int, ruleset: str) -> tuple[Record, Any]:
    """A certified level of that number."""
    board = Board.compile(layout(), RULESETS[ruleset])
    for attempt in range(64):
        try:
            dealt = deal_faces(board, FACES, f"bench/{number}", attempt=attempt)
            break
        except Stuck:
            continue
    certificate = certify(dealt.deal, dealt.solution, "bench", number)
    record = Record(
        "bench", number, board.ruleset, board.layout.slots, "AR1", dealt.deal.faces, (), ("bench",), f"bench/{number}",
        0, 1, FIGURES, {"undo": 2, "hint": 0, "shuffle": 0}, "cd" * 32,
    )  # fmt: skip
    return bind(record, certificate), certificate


def write_huge(directory: Path, count: int) -> None:
    """A client edition of `count` levels that differ in their number only, written without checking each."""
    record, _ = level(1, "triples")
    head, tail = record.encode().split(b'"level":1,', 1)
    size, offsets = 0, [0]
    with (directory / LEVELS).open("wb") as lines, (directory / TREE).open("w+b") as tree:
        for number in range(1, count + 1):
            line = b'%s"level":%d,%s' % (head, number, tail)
            lines.write(line + b"\n")
            size += len(line) + 1
            offsets.append(size)
            tree.write(leaf_hash(line))
        root = finish_tree(tree, count)
    (directory / INDEX).write_bytes(struct.pack(f"<{len(offsets)}Q", *offsets))
    manifest = Manifest(
        "bench", "Bench", 1, None, 1, ruleset_digest(record.ruleset), MARK, 1, count, root.hex(),
        {LEVELS: FileMark(size, "00" * 32)},
    )  # fmt: skip
    (directory / MANIFEST).write_bytes(sign(manifest.encode(), [demo_key()]))


def times_of(work: Callable[[], object], runs: int) -> list[float]:
    """Sorted CPU times of `runs` runs, in seconds."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return sorted(times)


def row(name: str, value: float, unit: str, limit: float | None = None) -> None:
    """One line of the table; `limit` is the most that is allowed."""
    verdict = "" if limit is None else f"   must < {limit:g} {unit}: {'met' if value < limit else 'NOT MET'}"
    print(f"{name:44} {value:10.1f} {unit}{verdict}")


def read_huge(directory: str) -> None:
    """Open and read a huge pack; in a process of its own, so that its memory can be told."""
    path = Path(directory)
    open_pack(path, DEMO_TRUST).close()
    opening = times_of(lambda: open_pack(path, DEMO_TRUST).close(), 50)
    row("open a pack of a million levels", 1000 * opening[25], "ms", 50)
    pack = open_pack(path, DEMO_TRUST)
    count, stream = pack.manifest.levels, Stream("bench", "reads")
    numbers = [1 + stream.below(count) for _ in range(READS)]
    times = []
    for number in numbers:
        began = time.process_time()
        pack.level(number)
        times.append(time.process_time() - began)
    row("read, prove and parse one level, median", 1e6 * statistics.median(times), "µs", 100)
    row("… the same, 99th percentile", 1e6 * sorted(times)[int(READS * 0.99)], "µs")
    again = []
    for number in numbers:
        began = time.process_time()
        pack.line(number)
        again.append(time.process_time() - began)
    row("read and prove only, median", 1e6 * statistics.median(again), "µs")
    assert not pack.warnings
    private = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize() / 1e6
    row("memory of the process, mapped files excluded", private, "MB", 100)


def main() -> None:
    """Print one row for each figure."""
    with tempfile.TemporaryDirectory(prefix="levelgen-bench-") as folder:
        huge = Path(folder) / "huge"
        huge.mkdir()
        write_huge(huge, MILLION)
        subprocess.run([sys.executable, __file__, str(huge)], check=True)
        for ruleset in RULESETS:
            path = Path(folder) / ruleset
            heading = Heading("bench", "Bench", 1, None, 1, RULESETS[ruleset], MARK)
            levels = [level(number, ruleset) for number in range(1, CHECKED + 1)]
            best = times_of(lambda p=path, h=heading, s=levels: write_pack(p, h, s, [demo_key()]), 3)[0]  # type: ignore[misc]
            row(f"write {CHECKED} {ruleset} levels", 1000 * best, "ms")
            best = times_of(lambda p=path: verify_pack(p, DEMO_TRUST), 3)[0]  # type: ignore[misc]
            row(f"verify-all, {ruleset} of {TILES} tiles", CHECKED / best, "levels/s")
    payload, key = b"x" * 1000, demo_key()
    envelope = sign(payload, [key])
    signing = times_of(lambda: sign(payload, [key]), 500)[250]
    row("sign a manifest, median", 1e6 * signing, "µs")
    row("sign", 1 / signing, "manifests/s")
    row("verify a manifest, median", 1e6 * times_of(lambda: open_envelope(envelope, DEMO_TRUST), 500)[250], "µs")
    row("digest of 1 MB", 1000 * times_of(lambda: digest(bytes(1_000_000)), 20)[10], "ms")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        read_huge(sys.argv[1])
    else:
        main()
