"""Random bytes through every entry point for tray games, under the address and undefined-behaviour sanitizers.

`sh tests/kernel/run_tray.sh` does the same at length, with both compilers, Valgrind and libFuzzer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "levelgen" / "solve" / "kernel"
PARTS = ("triples", "side", "pool", "deal", "play", "perft", "bots", "bots_greedy", "bots_think")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_tray_games_dealing_and_playing_take_any_input(compiler: str, tmp_path: Path) -> None:
    if compiler == "clang" and not shutil.which("clang"):
        compiler = os.environ.get("CC", "cc")
    program = tmp_path / "tray"
    sources = [str(ROOT / "tests" / "kernel" / "fuzz_tray.c"), *(str(KERNEL / f"{part}.c") for part in PARTS)]
    flags = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-DSTANDALONE", f"-I{KERNEL}"]
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([compiler, *flags, *checks, *sources, "-o", str(program)], check=True)
    run = subprocess.run([str(program), "300"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
