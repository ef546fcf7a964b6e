"""The one part of the build that needs code: the compiled kernel. Everything else stands in pyproject.toml.

`LEVELGEN_NO_KERNEL=1 pip install .` leaves the kernel out, for machines that only verify and replay.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Any

WANTED = os.environ.get("LEVELGEN_NO_KERNEL", "") in ("", "0")


def missing() -> str:
    """What the machine lacks to compile the kernel, as one sentence; empty when it lacks nothing."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    leave_out = "or set LEVELGEN_NO_KERNEL=1 if this machine only verifies packs"
    if shutil.which(compiler) is None:
        return (
            f"levelgen needs a C compiler to build its kernel and found no '{compiler}': "
            f"install gcc or clang (Debian: apt-get install gcc), {leave_out}"
        )
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return (
            "levelgen needs Python's C headers to build its kernel and found no Python.h: "
            f"install them (Debian: apt-get install python3-dev), {leave_out}"
        )
    return ""


def kernel() -> dict[str, Any]:
    """The arguments of `setup` that add the kernel: one extension for every Python from 3.11 on."""
    if not WANTED:
        return {}
    return {
        "cffi_modules": ["levelgen/solve/kernel/ffibuild.py:ffibuilder"],
        "options": {"bdist_wheel": {"py_limited_api": "cp311"}},
    }


def main() -> None:
    """Build, or with the argument `check-machine` only say what is missing: `make` asks that first of all."""
    if lack := missing() if WANTED else "":
        raise SystemExit(lack)
    if sys.argv[1:] == ["check-machine"]:
        return
    from setuptools import setup  # not there yet when only the machine is checked

    setup(**kernel())


main()
