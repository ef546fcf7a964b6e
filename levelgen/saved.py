"""A log that is written line by line while the game is played, and may have been cut off by a crash.

A client appends a line and its line feed after every few moves. Whatever follows the last line feed was still being
written: it is left out and reported, even if it could be read, since `12` may be what is left of `123`. The rest is a
log like any other, and replays to the state in which its last line was saved.
"""

from __future__ import annotations

from dataclasses import dataclass

from levelgen.errors import Finding
from levelgen.moves import Log, parse_log


@dataclass(frozen=True, slots=True)
class Saved:
    """What is left of a saved log."""

    log: Log
    torn: Finding | None
    """What was left out because it was cut short; None when nothing was."""


def recover_log(data: bytes, where: str = "log") -> Saved:
    """The whole lines of a log in its text form, and what follows them. A log as JSON is whole or it is none.

    Raises:
        Malformed: the whole lines are no log, as `parse_log`; so when not even the first line is whole.
    """
    if data.lstrip().startswith(b"{"):
        return Saved(parse_log(data, where), None)
    end = data.rfind(b"\n") + 1
    log = parse_log(data[:end], where)
    if end == len(data):
        return Saved(log, None)
    line = len(data[:end].decode("ascii").splitlines()) + 1
    message = f"the last line is cut short; its {len(data) - end} bytes are left out"
    return Saved(log, Finding("log/torn-line", message, f"{where}:{line}:1"))
