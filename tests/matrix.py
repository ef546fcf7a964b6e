"""The reference packs built anew on every Python at hand, with the oldest and the newest allowed dependencies.

    python tests/matrix.py                          every python3.11 … python3.15 on the PATH
    python tests/matrix.py python3.12 /opt/py/bin/python

Each combination gets an environment of its own in a temporary folder (wheels come from the package registry), compiles
the kernel, builds both reference packs, previews included, and compares every signed file with the digests in
`tests/golden/packs.json`. Exit code 0 when all that could be set up agree, 1 when one differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKS = ("eram", "tilematch")
SIGNED = ("certificates.jsonl", "levels.jsonl", "previews.jsonl")


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file of the pack that its manifest signs, and of the evidence together."""
    found = {name: sha256((folder / name).read_bytes()).hexdigest() for name in SIGNED}
    whole = sha256()
    for path in sorted((folder / "evidence").glob("*")):
        whole.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return {**found, "evidence": whole.hexdigest()}


def requirements(oldest: bool) -> list[str]:
    """What a pack is built with: the least versions `pyproject.toml` allows, or whatever is newest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["build"], "setuptools>=77"]
    return [_oldest(each) if oldest else each for each in wanted]


def _oldest(wanted: str) -> str:
    """`click>=8.1` as `click==8.1.*`, `pillow>=11` as `pillow==11.0.*`: the oldest line of releases that is allowed."""
    name, _, version = wanted.partition(">=")
    return f"{name}=={version}{'' if '.' in version else '.0'}.*"


def build_with(python: str, oldest: bool, folder: Path) -> dict[str, dict[str, str]] | str:
    """The digests of the packs built there, or why they could not be built."""
    environment = os.environ | {"LEVELGEN_CACHE": "off", "PYTHONPATH": str(folder / "source")}
    shutil.copytree(
        ROOT, folder / "source",
        ignore=shutil.ignore_patterns(".git", ".venv", "out", "*.so", "*.o", "_kernel.c", "__pycache__", "build"),
    )  # fmt: skip
    own = folder / "venv" / "bin" / "python"
    steps = [
        [python, "-m", "venv", str(folder / "venv")],
        [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements(oldest)],
        [str(own), str(folder / "source/levelgen/solve/kernel/ffibuild.py")],
    ]
    code = "from levelgen.cli import main; main()"
    for pack in PACKS:
        recipe = str(folder / f"source/templates/packs/{pack}.yaml")
        steps.append([str(own), "-c", code, "build", recipe, "-o", str(folder / pack), "--prover", "none"])
    for step in steps:
        done = subprocess.run(step, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{' '.join(step[:6])} …: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    return {pack: digests(folder / pack) for pack in PACKS}


def main(pythons: list[str]) -> int:
    """One line for each combination."""
    found = pythons or [name for minor in range(11, 16) if (name := shutil.which(f"python3.{minor}"))]
    golden = json.loads((ROOT / "tests/golden/packs.json").read_text(encoding="utf-8"))
    differs = 0
    for python in found:
        version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
        for oldest in (True, False):
            with tempfile.TemporaryDirectory(prefix="levelgen-matrix-") as folder:
                answer = build_with(python, oldest, Path(folder))
            if isinstance(answer, str):
                verdict = f"could not be set up: {answer}"
            elif answer == golden:
                verdict = "the same bytes"
            else:
                differs += 1
                verdict = f"DIFFERS: {[pack for pack in PACKS if answer[pack] != golden[pack]]}"
            print(f"{version:<14} {'oldest' if oldest else 'newest'} dependencies: {verdict}", flush=True)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
