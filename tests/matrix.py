"""The first levels of both reference packs built elsewhere: other Pythons, other dependencies, other machines.

    python tests/matrix.py                           every python3.11 … python3.15 on the PATH
    python tests/matrix.py python3.12 /opt/py/bin/python
    python tests/matrix.py --whole                   all levels, and the digests in tests/golden/packs.json
    python tests/matrix.py --root DIR --levels 4     a Debian system unpacked there, of this machine or another

For each Python there are two environments in a temporary folder, made by `uv`: with the oldest and with the newest
dependencies that `pyproject.toml` allows and that have a wheel for it. It compiles the kernel, builds, previews
included, and compares every record, certificate, pixel digest and piece of evidence with those committed under `out/`.
In a root the Debian packages of that system are used and a cross compiler of this one; another processor is emulated
by QEMU:

    mmdebstrap --mode=root --variant=extract --architectures=arm64 --include=PACKAGES trixie DIR

with `PACKAGES` as printed by `--packages`. Exit code 0 when all agree, 1 when one differs, 6 when none differs but one
gave no pack or there was none to ask.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKS = ("eram", "tilematch")
SIGNED = ("certificates.jsonl", "levels.jsonl", "previews.jsonl")
LEVELS = 10
"""Levels of each pack that are built unless all are asked for: every tier of effort is met in minutes."""
DEBIAN = (
    "base-files", "python3", "libpython3-dev", "libc6-dev", "python3-cffi-backend", "python3-numpy", "python3-pil",
    "python3-yaml", "python3-rich", "python3-jsonschema", "python3-cryptography", "python3-click",
)  # fmt: skip
RUN = ("-P", "-c", "from levelgen.cli import main; main()")
"""Without `-P` the folder this stands in would come first, and the checkout be measured instead of the copy."""


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file of the pack that its manifest signs, and of the evidence together."""
    found = {name: sha256((folder / name).read_bytes()).hexdigest() for name in SIGNED}
    whole = sha256()
    for path in sorted((folder / "evidence").glob("*")):
        whole.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return {**found, "evidence": whole.hexdigest()}


def differences(folder: Path, pack: str, levels: int) -> list[str]:
    """What of these first levels is not as it is in the committed pack; with all of them, not as the digests say."""
    if levels == 0:
        golden = json.loads((ROOT / "tests/golden/packs.json").read_text(encoding="utf-8"))[pack]
        return [f"{pack}/{name}" for name, digest in digests(folder).items() if digest != golden[name]]
    known = ROOT / "out" / pack
    found = []
    for name in SIGNED:
        lines = (known / name).read_bytes().splitlines()[:levels]
        made = (folder / name).read_bytes().splitlines() if (folder / name).exists() else []
        if made != lines and not (name == "previews.jsonl" and not made):  # nobody may have asked for pictures
            found.append(f"{pack}/{name}")
    here = {path.name: path.read_bytes() for path in (folder / "evidence").glob("*")}
    there = {path.name: path.read_bytes() for path in (known / "evidence").glob("*") if int(path.name[:4]) <= levels}
    names = sorted(here.keys() | there.keys())
    return found + [f"{pack}/evidence/{name}" for name in names if here.get(name) != there.get(name)]


def requirements() -> list[str]:
    """What a pack is built with, each with the least version that `pyproject.toml` allows."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *project["optional-dependencies"]["build"], "setuptools>=77"]


class CouldNot(Exception):
    """A step failed before there was a pack: this says nothing about the bytes, and is no success."""


def ran(step: Sequence[str | Path], **environment: str) -> str:
    """What it printed."""
    done = subprocess.run(
        [str(part) for part in step], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        fault = next((line for line in said if "error" in line.lower()), said[-1] if said else "")
        raise CouldNot(f"{' '.join(str(part) for part in step)[:120]} …: {fault}")
    return done.stdout.strip()


def copied(folder: Path) -> Path:
    """The sources, without anything compiled."""
    made = ("*.so", "*.o", "_kernel.c", "__pycache__")
    source = folder / "source"
    for name in ("levelgen", "templates", "faces"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns(*made))
    return source


def asked(folder: str, pack: str, levels: int) -> list[str]:
    """The arguments of the build, as seen from where it runs."""
    some = ["--levels", f"1..{levels}"] if levels else []
    return ["build", f"{folder}/source/templates/packs/{pack}.yaml", "-o", f"{folder}/{pack}", "--prover", "none",
            "--no-cache", "--jobs", "1", *some]  # fmt: skip


@dataclass(frozen=True)
class Interpreter:
    """A Python of this machine, with dependencies from the registry."""

    python: str
    oldest: bool

    def __str__(self) -> str:
        version = subprocess.run([self.python, "-V"], capture_output=True, text=True, check=True).stdout.strip()
        return f"{version}, {'oldest' if self.oldest else 'newest'} dependencies"

    def build(self, folder: Path, levels: int) -> str:
        """Build into the folder; with what.

        Raises:
            CouldNot: it did not get as far as a pack.
        """
        source = copied(folder)
        own = folder / "venv/bin/python"
        which = "lowest-direct" if self.oldest else "highest"
        ran(["uv", "venv", "--quiet", "--python", self.python, folder / "venv"])
        ran(["uv", "pip", "install", "--quiet", "--python", own, "--only-binary", ":all:", "--resolution", which,
             *requirements()])  # fmt: skip
        ran([own, source / "levelgen/solve/kernel/ffibuild.py"], PYTHONPATH=str(source))
        for pack in PACKS:
            ran([own, *RUN, *asked(str(folder), pack, levels)], PYTHONPATH=str(source))
        names = ("numpy", "pillow", "cryptography")
        shown = json.loads(ran(["uv", "pip", "list", "--quiet", "--python", own, "--format", "json"]))
        return ", ".join(f"{each['name']} {each['version']}" for each in shown if each["name"].lower() in names)


MACHINES = {62: ("x86-64", "", "x86_64-linux-gnu"), 3: ("i386", "", "i686-linux-gnu"),
            183: ("arm64", "qemu-aarch64-static", "aarch64-linux-gnu"),
            22: ("s390x", "qemu-s390x-static", "s390x-linux-gnu")}  # fmt: skip
"""By the number in the head of an ELF file: its name, what runs it here, what its compiler's name begins with."""


@dataclass(frozen=True)
class System:
    """An unpacked Debian system, perhaps of another machine."""

    root: Path

    @property
    def machine(self) -> tuple[str, str, str]:
        """Its entry in `MACHINES`."""
        head = (self.root / "usr/bin/python3").resolve().read_bytes()[:20]
        return MACHINES[int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")]

    def __str__(self) -> str:
        return self.machine[0]

    def build(self, folder: Path, levels: int) -> str:
        """As `Interpreter.build`."""
        _, emulator, target = self.machine
        inside = self.root / "build"
        shutil.rmtree(inside, ignore_errors=True)
        source = copied(inside)
        kernel = source / "levelgen/solve/kernel"
        include = next((self.root / "usr/include").glob("python3.*"))
        ran([sys.executable, "-c", EMIT, kernel], PYTHONPATH=str(source))
        ran([f"{target}-gcc", "-std=c11", "-O2", "-shared", "-fPIC", "-DPy_LIMITED_API=0x030B0000",
             "-I", include, "-I", kernel, "-idirafter", self.root / "usr/include", *kernel.glob("*.c"),
             "-o", kernel / "_kernel.abi3.so"])  # fmt: skip
        command: list[str | Path] = ["chroot", self.root]
        if emulator:
            shutil.copy(shutil.which(emulator) or emulator, self.root / "emulator")
            command.append("/emulator")
        command.append("/usr/bin/python3")
        libraries = [f"/usr/lib/{found.parent.name}/{found.name}" for name in ("blas", "lapack")
                     for found in (self.root / "usr/lib").glob(f"*/{name}")]  # fmt: skip
        inner = {"PYTHONPATH": "/build/source", "HOME": "/", "LC_ALL": "C.UTF-8",
                 "LD_LIBRARY_PATH": ":".join(libraries)}  # fmt: skip
        try:
            versions = ran([*command, "-c", VERSIONS], **inner)
            previews = [] if pillow_draws(versions) else ["--no-previews"]
            for pack in PACKS:
                ran([*command, *RUN, *asked("/build", pack, levels), *previews], **inner)
                shutil.copytree(inside / pack, folder / pack)
        finally:
            shutil.rmtree(inside, ignore_errors=True)
        return versions + (", without previews: its Pillow is older than we ask for" if previews else "")


EMIT = """
import runpy, sys
made = runpy.run_path(sys.argv[1] + "/ffibuild.py")["builder"](None)
made.emit_c_code(sys.argv[1] + "/_kernel.c")
"""
VERSIONS = """
import platform, sys, numpy, PIL, cryptography
print(f"Python {platform.python_version()}, {sys.byteorder}-endian, {sys.maxsize.bit_length() + 1} bits,"
      f" numpy {numpy.__version__}, pillow {PIL.__version__}, cryptography {cryptography.__version__}")
"""


def pillow_draws(versions: str) -> bool:
    """Whether the Pillow among these versions is one that `pyproject.toml` allows."""
    least = next(each for each in requirements() if each.startswith("pillow>="))
    return int(versions.partition("pillow ")[2].partition(".")[0]) >= int(least.partition(">=")[2])


def met(where: Interpreter | System, levels: int, tell: Callable[[str], None]) -> int:
    """Build there and tell what came of it: the exit code, were it alone."""
    with tempfile.TemporaryDirectory(prefix="levelgen-matrix-") as name:
        folder = Path(name)
        try:
            with_what = where.build(folder, levels)
        except CouldNot as error:
            tell(f"{where}: NO PACK: {error}")
            return 6
        found = [each for pack in PACKS for each in differences(folder / pack, pack, levels)]
    tell(f"{where} ({with_what}): {f'DIFFERS: {found}' if found else 'the same bytes'}")
    return 1 if found else 0


def main() -> int:
    """One line for each combination."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="*")
    parser.add_argument("--root", action="append", default=[], type=Path)
    parser.add_argument("--levels", type=int, default=LEVELS, help=f"of each pack, by default {LEVELS}")
    parser.add_argument("--whole", action="store_true", help="all of them")
    parser.add_argument("--packages", action="store_true", help="print the Debian packages a root needs")
    given = parser.parse_args()
    if given.packages:
        print(",".join(DEBIAN))
        return 0
    pythons = given.pythons or [
        name for minor in range(11, 16) if not given.root and (name := shutil.which(f"python3.{minor}"))
    ]
    places: list[Interpreter | System] = [Interpreter(python, oldest) for python in pythons for oldest in (True, False)]
    places += (System(root.resolve()) for root in given.root)
    codes = [met(place, 0 if given.whole else given.levels, lambda line: print(line, flush=True)) for place in places]
    return 1 if 1 in codes else max(codes, default=6)


if __name__ == "__main__":
    sys.exit(main())
