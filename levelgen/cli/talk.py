"""How the command line talks: data on stdout, talk on stderr, one exit code; nothing else prints.

On a terminal progress is a bar with an estimate; piped, it is a line every ten seconds at most, and ever fewer, so that
a CI log is never flooded. `--json` turns data and errors into one JSON object with a `schema` field.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import IO, Any

from levelgen.errors import Finding

QUIET_SECONDS = 10.0
QUIET_SHARE = 20
"""Piped, a line comes after a twentieth of the time so far: six hours take some hundred lines."""
BAR_SECONDS = 0.1
MOST_TOLD = 100
"""Findings that are told to a person at a time."""


def waiting(text: str) -> None:
    """On a terminal, a line that says a command has begun; the first real output takes its place."""
    if colourful(sys.stderr):
        _Waiting.shown = True
        sys.stderr.write(f"\x1b[2m{text}\x1b[0m")
        sys.stderr.flush()


def no_more_waiting() -> None:
    """Take that line away, if it stands."""
    if _Waiting.shown:
        _Waiting.shown = False
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


class _Waiting:
    """Whether the line of `waiting` stands."""

    shown = False


def emit_json(schema: str, data: dict[str, Any]) -> None:
    """One JSON object on stdout; `schema` is a name and a version, `verify/1`."""
    no_more_waiting()
    sys.stdout.write(json.dumps({"schema": f"levelgen/{schema}", **data}, ensure_ascii=True) + "\n")


def say(text: str) -> None:
    """A line of talk on stderr."""
    no_more_waiting()
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def show(text: str) -> None:
    """A line of data on stdout."""
    no_more_waiting()
    sys.stdout.write(text + "\n")


def show_whole(lines: Iterable[str]) -> None:
    """Lines of ASCII data on stdout at once, each whole or not at all, also when we are interrupted meanwhile.

    A pipe takes a block of so many bytes whole; only a longer line could be cut.
    """
    sys.stdout.flush()
    block = b""
    for line in (*(line.encode("ascii") + b"\n" for line in lines), b""):
        if block and (not line or len(block) + len(line) > _BLOCK):
            _write(block)
            block = b""
        block += line


_BLOCK = 4096


def _write(block: bytes) -> None:
    out: Any = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    while block:
        block = block[out.write(block) :]


def colourful(stream: IO[str]) -> bool:
    """Whether `stream` is a terminal that wants colour: `NO_COLOR` and `CI` are honoured."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and not os.environ.get("CI")


def tell_findings(findings: Sequence[Finding], *, word: str = "error") -> None:
    """The findings on stderr, a word before each, in colour on a terminal; of very many the first and their number."""
    red = colourful(sys.stderr)
    for finding in findings[:MOST_TOLD]:
        head = f"\x1b[1;31m{word}:\x1b[0m" if red else f"{word}:"
        say(f"{head} {finding}")
    if len(findings) > MOST_TOLD:
        say(f"… and {len(findings) - MOST_TOLD} more; --json names them all")


def table(rows: Iterable[Sequence[str]], header: Sequence[str]) -> None:
    """Rows on stdout: a Rich table on a terminal, tab-separated lines when piped."""
    if not colourful(sys.stdout):
        for row in (header, *rows):
            show("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table

    drawn = Table(*header, box=None, header_style="bold")
    for row in rows:
        drawn.add_row(*row)
    Console().print(drawn)


def _lasting(seconds: float) -> str:
    """`42 s`, `3 min`, `5 h`: as people say it."""
    for size, unit in ((7200, "h"), (120, "min")):
        if seconds >= size:
            return f"{seconds / (size / 2):.0f} {unit}"
    return f"{seconds:.0f} s"


class Progress:
    """Progress of work in known steps. Use as a context manager; call `step` after each step.

    The clock decides only when to print, never what is made.
    """

    def __init__(self, title: str, total: int, *, silent: bool = False) -> None:
        self._title = title
        self._total = total
        self._done = 0
        self._bar = colourful(sys.stderr)
        self._silent = silent
        self._began = time.monotonic()
        self._printed = self._began

    def __enter__(self) -> Progress:
        if not self._silent:
            say(f"{self._title}: {self._total} to do")
        return self

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._began

    def step(self, note: str = "") -> None:
        """One more step is done."""
        self.reach(self._done + 1, note)

    def reach(self, done: int, note: str = "") -> None:
        """So many steps are done by now."""
        self._done = done
        now = time.monotonic()
        quiet = BAR_SECONDS if self._bar else max(QUIET_SECONDS, (now - self._began) / QUIET_SHARE)
        if self._silent or now - self._printed < quiet:
            return
        self._printed = now
        spent = now - self._began
        left = spent / self._done * (self._total - self._done)
        rate = f"{self._done / max(spent, 0.001):.3g}/s, about {_lasting(left)} left"
        text = f"{self._title}: {self._done}/{self._total}, {rate}{' · ' + note if note else ''}"
        if self._bar:
            width = 24
            filled = width * self._done // max(1, self._total)
            sys.stderr.write(f"\r\x1b[2K{'█' * filled}{'░' * (width - filled)} {text}")
            sys.stderr.flush()
        else:
            say(text)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._silent:
            return
        if self._bar:
            sys.stderr.write("\r\x1b[2K")
        if kind is None:
            say(f"{self._title}: {self._done}/{self._total} done in {time.monotonic() - self._began:.1f} s")
