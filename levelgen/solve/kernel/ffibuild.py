"""Builds the kernel: one cffi extension from every C file beside this one.

setuptools finds it as `cffi_modules = ["levelgen/solve/kernel/ffibuild.py:ffibuilder"]`; for work in a checkout,
`python levelgen/solve/kernel/ffibuild.py` builds it in place. What Python sees is declared once, in the headers,
between `/* cdef begin */` and `/* cdef end */`.
"""

from __future__ import annotations

import platform
import re
import runpy
import shutil
import sys
import sysconfig
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent
MODULE = "levelgen.solve.kernel._kernel"
MADE_FROM = runpy.run_path(str(HERE / "made_from.py"))
"""That module; nothing of levelgen can be imported yet."""
FIRST = ("kernel.h", "play.h")
"""Headers whose types others use."""
COUNTING = ["-mpopcnt"] if platform.machine().lower() in ("x86_64", "amd64") else []
"""Every x86-64 machine since 2008 counts bits in one instruction, but a compiler has to be told; no answer changes."""
DECLARED = ["-include", "string.h", "-include", "alloca.h"]
"""What cffi before 2.1 writes calls `memset` and `alloca` and includes nothing that declares them."""
PUBLIC = re.compile(r"/\* cdef begin \*/(.*?)/\* cdef end \*/", re.DOTALL)


def headers() -> list[Path]:
    """The headers that declare something public, those that others build on first."""
    found = [path for path in HERE.glob("*.h") if PUBLIC.search(path.read_text(encoding="utf-8"))]
    return sorted(found, key=lambda path: (FIRST.index(path.name) if path.name in FIRST else len(FIRST), path.name))


def sources() -> list[Path]:
    """The kernel's C files."""
    return sorted(path for path in HERE.glob("*.c") if path.name != MADE_FROM["GENERATED"])


def builder(root: Path | None = HERE.parents[2]) -> FFI:
    """The cffi builder, declarations collected from the headers; paths relative to `root`, as setuptools wants them."""

    def named(path: Path) -> str:
        return path.relative_to(root).as_posix() if root else str(path)

    ffi = FFI()
    for header in headers():
        for section in PUBLIC.findall(header.read_text(encoding="utf-8")):
            ffi.cdef(section)
    ffi.cdef("const char *lg_made_from(void);")
    ffi.set_source(
        MODULE,
        "".join(f'#include "{header.name}"\n' for header in headers())
        + f'static const char *lg_made_from(void) {{ return "{MADE_FROM["sources_digest"](HERE)}"; }}\n',
        sources=[named(path) for path in sources()],
        include_dirs=[named(HERE)],
        extra_compile_args=["-std=c11", "-O2", *COUNTING, *DECLARED],
        py_limited_api=True,
        define_macros=[("Py_LIMITED_API", "0x030B0000")],
    )
    return ffi


def require_compiler() -> None:
    """Say in one sentence what is missing when there is no C compiler."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if not any(shutil.which(name) for name in (compiler, "cc", "gcc", "clang")):
        raise SystemExit("levelgen needs a C compiler (gcc or clang) to build its kernel: install one and try again")


require_compiler()
ffibuilder = builder()

if __name__ == "__main__":
    import os

    folder = HERE.parents[2] / "build" / "kernel"
    folder.mkdir(parents=True, exist_ok=True)
    built = Path(builder(None).compile(tmpdir=str(folder), verbose="-v" in sys.argv))
    fresh = HERE / f"{built.name}.{os.getpid()}"
    shutil.copyfile(built, fresh)
    fresh.replace(HERE / built.name)
