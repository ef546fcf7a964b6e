"""How much CPU time the command line costs before it does anything. `make bench` prints it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

LEVELGEN = Path(sys.executable).with_name("levelgen")
RUNS = 15
LIMIT_MS = 120


def cpu_ms(*arguments: str) -> float:
    """CPU time of one run in milliseconds, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(LEVELGEN), *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Print one row for each way to start."""
    for arguments in (["--help"], ["--version"]):
        times = sorted(cpu_ms(*arguments) for _ in range(RUNS))
        median = times[RUNS // 2]
        figures = f"CPU median {median:5.0f} ms, worst {times[-1]:5.0f} ms, must < {LIMIT_MS} ms"
        print(f"levelgen {arguments[0]:10} {figures}: {_met(median < LIMIT_MS)}")
    solve_row()


def solve_row() -> None:
    """From the start of the process to the first answer."""
    pack = Path(__file__).resolve().parent.parent.parent / "out" / "eram"
    times = sorted(cpu_ms("solve", f"{pack}#7") for _ in range(RUNS))
    median = times[RUNS // 2]
    figures = f"CPU median {median:5.0f} ms, worst {times[-1]:5.0f} ms, must < 300 ms"
    print(f"levelgen solve      {figures}: {_met(median < 300)}")


def _met(fine: bool) -> str:
    return "met" if fine else "NOT MET"


if __name__ == "__main__":
    main()
