"""Builds killed at random until so many kills are survived; each one that ends gives the bytes of an undisturbed one.

    python tests/soak.py [KILLS] [SEED]              200 kills by default, bounded by 20 builds a kill

Each round builds 400 levels with a cache and kills the process at a random moment, by SIGKILL, SIGTERM or SIGINT. After
a kill the output must be absent, or whole. A build that got through is compared byte by byte, and the next one begins
with an empty cache and no output.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from levelgen.pack.signing import DEMO_TRUST
from levelgen.pack.verify import verify_pack
from levelgen.seed import Stream
from tests.bench.million import recipe
from tests.project import new_project, tree

ROOT = Path(__file__).resolve().parent.parent
LEVELS = 400
MOST_SECONDS = 2
KINDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
GOOD_ENDS = {signal.SIGKILL: (-9,), signal.SIGTERM: (130, -15), signal.SIGINT: (130, -2)}
"""A signal that comes before Python has set its handlers ends the process as the system does."""


def start(project: Path, out: Path, cache: Path, jobs: int) -> subprocess.Popen[str]:
    """A build in a process of its own."""
    code = "from levelgen.cli import main; main()"
    options = ["-o", str(out), "--no-previews", "--prover", "none", "--jobs", str(jobs)]
    return subprocess.Popen(
        [sys.executable, "-c", code, "build", str(project), *options],
        env=os.environ | {"LEVELGEN_CACHE": str(cache), "PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def begun(child: subprocess.Popen[str]) -> None:
    """Wait until levels are being made."""
    assert child.stderr is not None
    while line := child.stderr.readline():
        if line.startswith("building"):
            return


def main(kills: int, seed: str) -> int:
    """Run until `kills` are survived; 0, or 1 with what went wrong."""
    chance = Stream(seed, "soak")
    survived = finished = 0
    with tempfile.TemporaryDirectory(prefix="levelgen-soak-") as name:
        folder = Path(name)
        project = new_project(folder / "project", recipe="pack: x\n")
        shutil.rmtree(project.parents[1] / "shapes")
        (project.parents[1] / "shapes").symlink_to(ROOT / "templates" / "shapes")
        project.write_text(recipe(LEVELS), encoding="utf-8")
        out, cache = folder / "out", folder / "cache"
        start(project, folder / "whole", Path("off"), 1).communicate()
        whole = tree(folder / "whole")
        assert verify_pack(folder / "whole", DEMO_TRUST).certified
        for _ in range(20 * kills):
            child = start(project, out, cache, 1 + chance.below(2))
            if chance.below(8):
                begun(child)
            kind = chance.choice(KINDS)
            time.sleep(chance.below(1000 * MOST_SECONDS) / 1000)
            child.send_signal(kind)
            _, talk = child.communicate()
            if out.exists() and tree(out) != whole:
                print(f"after {kind.name}: the output is neither absent nor whole")
                return 1
            if child.returncode == 0:
                finished += 1
                shutil.rmtree(out)
                shutil.rmtree(cache)
            elif child.returncode in GOOD_ENDS[kind] and "a bug" not in talk:
                survived += 1
            else:
                print(f"after {kind.name}: exit code {child.returncode}: {talk}")
                return 1
            if survived and survived % 20 == 0:
                print(f"{survived} kills survived, {finished} builds finished between them", flush=True)
            if survived == kills:
                break
        child = start(project, out, cache, 2)
        child.communicate()
        same = child.returncode == 0 and tree(out) == whole
        left = [name for name in os.listdir(folder) if name.startswith(".")]
    print(f"{survived} kills survived, {finished} builds finished between them, the last one gave "
          f"{'the same bytes' if same else 'OTHER BYTES'}, left over: {left or 'nothing'}")  # fmt: skip
    return 0 if same and not left and survived == kills else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, sys.argv[2] if len(sys.argv) > 2 else "soak"))
