"""How many players' logs a second Python and JavaScript judge: wins of 72 tiles in triples, parsing included."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from levelgen.board import Board, Deal
from levelgen.deal import deal_faces
from levelgen.layout import Layout
from levelgen.moves import Log, Move
from levelgen.pack.records import Record
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.verify import judge, parse_log, parse_record

LOGS = 2000
RUNS = 5
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


def main() -> None:
    """Print one row for each language."""
    logs = wins(DEALT.deal, DEALT.solution)
    record = parse_record(RECORD.encode())
    best = 0.0
    for _ in range(RUNS):
        began = time.perf_counter()
        for data in logs:
            if judge(record, parse_log(data)).verdict != "won":
                raise AssertionError("a win is not judged a win")
        best = max(best, len(logs) / (time.perf_counter() - began))
    row("Python, one core: parse and judge a win of 72", best, 3000)
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
