"""What checking a face set costs, and the report of it. `make bench` prints it."""

from __future__ import annotations

import time
from pathlib import Path

from levelgen.faces import load_face_set, survey
from levelgen.render.alike import report

AR1 = Path(__file__).resolve().parent.parent.parent / "faces" / "AR1"
ROUNDS = 5
LIMIT_S = 3.0


def main() -> None:
    """Print one row: the median and the worst of a few rounds in CPU time."""
    checks, reports = [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        face_set = load_face_set(AR1)
        found = survey(face_set)
        checked = time.process_time()
        report([(face_set, found)])
        checks.append(checked - start)
        reports.append(time.process_time() - checked)
    checks.sort()
    reports.sort()
    median, met = checks[ROUNDS // 2], "met" if checks[-1] < LIMIT_S else "NOT MET"
    print(
        f"check {len(face_set.faces)} faces, {len(found.pairs)} pairs: CPU median {median:.2f} s, "
        f"worst {checks[-1]:.2f} s, must < {LIMIT_S} s: {met}; the report on top {reports[ROUNDS // 2]:.2f} s"
    )


if __name__ == "__main__":
    main()
