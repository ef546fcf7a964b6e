"""Which sources a kernel was compiled from: stamped into it, and compared where the sources lie beside it.

Read by `ffibuild`, too, which runs where nothing is installed yet: the standard library only.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

GENERATED = "_kernel.c"


def sources_digest(folder: Path) -> str:
    """The digest of the kernel's sources and of the script that compiles them; empty where they are not shipped."""
    paths = sorted(path for path in folder.glob("*.[ch]") if path.name != GENERATED)
    if not paths:
        return ""
    whole = sha256()
    for path in [*paths, folder / "ffibuild.py"]:
        whole.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
