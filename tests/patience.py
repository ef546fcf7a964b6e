"""Waiting for what other processes do: for as long as a busy machine may need, and never by a fixed pause."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 300.0
"""Seconds to wait for what takes a fraction of one on an idle machine."""


def _sleep() -> None:
    time.sleep(0.01)


def happens(what: Callable[[], object], seconds: float = PATIENCE, pause: Callable[[], object] = _sleep) -> bool:
    """Whether it becomes true in time; asked again and again, after a `pause`."""
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            return False
        pause()
    return True


def is_running(process: int) -> bool:
    """Whether there is such a process; one that has ended, but that nobody has buried yet, is none."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] not in "ZX"


def kept_in(cache: Path) -> int:
    """How many levels a running build has finished so far."""
    try:
        base = sqlite3.connect(f"file:{cache / 'levels.sqlite'}?mode=ro", uri=True, timeout=5)
        try:
            count: int = base.execute("SELECT count(*) FROM place").fetchone()[0]
        finally:
            base.close()
    except sqlite3.Error:
        return 0
    return count


def read_to_the_end(terminal: int) -> bytes:
    """What was written to the other end of a terminal that everybody has closed; it comes in pieces."""
    found = b""
    try:
        while piece := os.read(terminal, 1 << 16):
            found += piece
    except OSError:  # how a terminal says that it ends
        pass
    return found
