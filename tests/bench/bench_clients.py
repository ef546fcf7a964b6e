"""How many players' logs a second Python and JavaScript judge: wins of 72 tiles in triples, parsing included.

Of one core, in CPU time; and as a stream on all cores, by the clock. What part of that stream's CPU time is spent where
lines are handed out, which more processes cannot take over, does not depend on what else the machine does.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from levelgen.batch import judge_stream
from levelgen.board import Board, Deal
from levelgen.certificate import certify
from levelgen.deal import deal_faces
from levelgen.layout import Layout
from levelgen.moves import Log, Move
from levelgen.pack.manifest import FaceSetMark, Heading
from levelgen.pack.records import Record, bind
from levelgen.pack.signing import DEMO_TRUST, demo_key
from levelgen.pack.write import write_pack
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.verify import judge, parse_log, parse_record

LOGS = 2000
RUNS = 5
ROUNDS = 5
FACES = tuple(f"face{number}" for number in range(14))


def layout() -> Layout:
    """Seventy-two tiles on four layers, as the medium level of Tile Match has."""
    sizes = ((6, 5), (5, 4), (4, 4), (3, 2))
    return Layout.of((2 * x + z, 2 * y + z, z) for z, (w, h) in enumerate(sizes) for y in range(h) for x in range(w))


def wins(deal: Deal, solution: tuple[tuple[int, ...], ...]) -> list[bytes]:
    """Logs that win: the way out, with accepted picks exchanged where that still wins."""
    picks, logs = [tile for (tile,) in solution], list[bytes]()
    stream = Stream("bench", "wins")
    while len(logs) < LOGS:
        tried = list(picks)
        at = stream.below(len(tried) - 1)
        tried[at], tried[at + 1] = tried[at + 1], tried[at]
        log = Log("bench", 1, tuple(Move("pick", (tile,)) for tile in tried))
        if judge(RECORD, log).verdict == "won":
            logs.append(log.to_text().encode())
            picks = tried
    return logs


DEALT = deal_faces(Board.compile(layout(), RULESETS["triples"]), FACES, "bench")
RECORD = Record(
    "bench", 1, RULESETS["triples"], layout().slots, "demo", DEALT.deal.faces, (), ("bench",), "bench", 0, 1, {}, {},
    "cd" * 32, "ef" * 32,
)  # fmt: skip


def row(name: str, value: float, least: float | None = None) -> None:
    verdict = "" if least is None else f"   must ≥ {least:,.0f}: {'met' if value >= least else 'NOT MET'}"
    print(f"{name:44} {value:10,.0f} logs/s{verdict}")


def stream(logs: list[bytes]) -> None:
    """`replay --batch`: the same logs again and again through as many processes as there are cores."""
    lines = [json.dumps({"log": data.decode()}).encode() + b"\n" for data in logs]
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="levelgen-bench-") as folder:
        pack, source = Path(folder) / "bench", Path(folder) / "logs.ndjson"
        heading = Heading("bench", "Bench", 1, None, 1, RULESETS["triples"], FaceSetMark("demo", "ab" * 32, True))
        certificate = certify(DEALT.deal, DEALT.solution, "bench", 1)
        write_pack(pack, heading, [(bind(RECORD, certificate), certificate)], [demo_key()])
        source.write_bytes(b"".join(lines) * ROUNDS)
        for jobs in sorted({1, cores}):
            answers: list[str] = []
            began, before = time.perf_counter(), os.times()
            with source.open("rb") as file:
                judge_stream(pack, DEMO_TRUST, file.fileno(), answers.extend, jobs)
            rate, after = len(answers) / (time.perf_counter() - began), os.times()
            row(f"as a stream, {jobs} process{'es' * (jobs > 1)}, by the clock", rate)
            if jobs > 1:
                here = after.user + after.system - before.user - before.system
                there = after.children_user + after.children_system - before.children_user - before.children_system
                print(f"{'… CPU time of the process that hands out':44} {100 * here / (here + there):10.1f} %")


def main() -> None:
    """Print one row for each language."""
    logs = wins(DEALT.deal, DEALT.solution)
    record = parse_record(RECORD.encode())
    best = 0.0
    for _ in range(RUNS):
        began = time.process_time()
        for data in logs:
            if judge(record, parse_log(data)).verdict != "won":
                raise AssertionError("a win is not judged a win")
        best = max(best, len(logs) / (time.process_time() - began))
    row("Python, one core: parse and judge a win of 72", best, 3000)
    stream(logs)
    node = shutil.which("node")
    if node is None:
        print("JavaScript: there is no node here")
        return
    given = b"\n".join([RECORD.encode(), *(data.rstrip().replace(b"\n", b"|") for data in logs)])
    script = Path(__file__).with_name("judge.mjs")
    done = subprocess.run([node, str(script)], input=given, capture_output=True, check=True)
    row("JavaScript, one core: the same", float(done.stdout), 3000)


if __name__ == "__main__":
    main()
