"""A build takes the memory of the levels that are on their way, however many there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.project import ROOT, TRIPLES, new_project

RECIPE = (
    TRIPLES
    + """\
par: solved
rating: cheap
levels:
  - levels: 1..COUNT
    templates: [[block]]
    tiles: 9
"""
)
ROOM = 4 << 20
"""Bytes that 1,500 more levels may take: half of what they are when finished."""


def peak(folder: Path, levels: int) -> int:
    """Bytes of memory that a build of so many levels took, at most."""
    project = new_project(folder / f"{levels}", recipe=RECIPE.replace("COUNT", str(levels)))
    report = folder / f"{levels}.json"
    command = ["build", str(project), "-o", str(folder / f"out-{levels}"), "--no-previews", "--jobs", "1"]
    subprocess.run(
        [sys.executable, "-c", "from levelgen.cli import main; main()", *command, "--report", str(report)],
        env=os.environ | {"LEVELGEN_CACHE": str(folder / f"cache-{levels}"), "PYTHONPATH": str(ROOT)}, check=True,
        capture_output=True,
    )  # fmt: skip
    told = json.loads(report.read_text())
    assert told["made"] == levels
    return int(told["peak_memory_kib"]["own"]) << 10


def test_memory_does_not_grow_with_the_number_of_levels(tmp_path: Path) -> None:
    few = peak(tmp_path, 100)  # first: it may have to compile levelgen's own modules
    assert peak(tmp_path, 1600) < few + ROOM
