"""What pictures cost: a preview of each size, a film of a solution in each format. `make bench` prints it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from levelgen.certificate import moves_under
from levelgen.faces import load_face_set
from levelgen.pack.opened import open_pack
from levelgen.pack.signing import DEMO_TRUST
from levelgen.render.film import KINDS, film, film_bytes
from levelgen.render.frame import SIZES
from levelgen.render.preview import Painter

ROOT = Path(__file__).resolve().parent.parent.parent
LEVEL = 22
PREVIEW_MS, FILM_S, FILM_KIB = 150, 12, 4_096
"""What they must stay below."""


def cpu(work: Callable[[], object], runs: int = 1) -> float:
    """Seconds of CPU time of one run, tiles and backdrops being prepared."""
    began = time.process_time()
    for _ in range(runs):
        work()
    return (time.process_time() - began) / runs


def main() -> None:
    """Print a row for each size and each kind of film."""
    painter = Painter(load_face_set(ROOT / "faces" / "AR1"))
    with open_pack(ROOT / "out" / "eram", DEMO_TRUST) as pack:
        record, certificate = pack.level(LEVEL), pack.certificate(LEVEL)
    for name, size in SIZES.items():
        painter.preview(record.deal, level=LEVEL, size=size)
        spent = 1000 * cpu(lambda size=size: painter.preview(record.deal, level=LEVEL, size=size), 5)  # type: ignore[misc]
        print(f"preview {name:8} {spent:6.0f} ms, must < {PREVIEW_MS} ms: {_met(spent < PREVIEW_MS)}")
    moves = moves_under(record.ruleset, record.face_down, certificate.solution)
    shots = list(film(record.deal, moves, painter, level=LEVEL))
    drawn = cpu(lambda: list(film(record.deal, moves, painter, level=LEVEL)))
    for kind in dict.fromkeys(KINDS.values()):
        packed = cpu(lambda kind=kind: film_bytes(shots, kind))  # type: ignore[misc]
        kib = len(film_bytes(shots, kind)) // 1024
        fine = drawn + packed < FILM_S and kib < FILM_KIB
        print(f"film {kind:5} {len(shots)} pictures {drawn + packed:5.1f} s, {kib} KiB, "
              f"must < {FILM_S} s and {FILM_KIB} KiB: {_met(fine)}")  # fmt: skip


def _met(fine: bool) -> str:
    return "met" if fine else "NOT MET"


if __name__ == "__main__":
    main()
