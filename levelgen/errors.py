"""What can go wrong, said so that a reader can mend it.

Every error is a `LevelgenError` that carries one or more findings; a finding says what is wrong, where, and what to
do. The leaf classes differ in their exit code only (the table stands in `docs/formats.md`). Checkers do not raise:
they return every `Finding`, and whoever needs a clean answer calls `raise_for`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Finding:
    """One defect."""

    code: str
    """Stable rule code, `subject/defect`: `template/unknown-key`, `layout/overlap`, `pack/bad-signature`."""
    message: str
    """What is wrong, one sentence without a full stop."""
    where: str = ""
    """`file:line:col`, `level 3`, `move 12`, … ; empty when there is only one place it can be."""
    fix: str = ""
    """What to do about it; empty when the message says it already."""
    source: str = ""
    """The offending source line and a caret under it, for text files; empty elsewhere."""

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        lines = [f"{head} [{self.code}]"]
        if self.source:
            lines.append(self.source)
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, str]:
        """The finding as a JSON object; empty fields are left out."""
        pairs = {"code": self.code, "message": self.message, "where": self.where, "fix": self.fix}
        return {key: value for key, value in pairs.items() if value}


def counted(number: int, word: str) -> str:
    """`1 level`, `2 levels`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def excerpt(lines: Sequence[str], line: int, column: int) -> str:
    """That line and a caret under that column, both counted from 1; of a very long line only the part around it."""
    if not 1 <= line <= len(lines):
        return ""
    text = lines[line - 1]
    cut = max(0, column - 80)
    shown = "".join(sign if sign.isprintable() else " " for sign in text[cut : cut + 120])
    return f"{line:5} | {shown}\n      | {' ' * (column - 1 - cut)}^"


class LevelgenError(Exception):
    """The root of every error levelgen raises on purpose."""

    exit_code: ClassVar[int] = 70

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))

    @classmethod
    def of(cls, code: str, message: str, where: str = "", fix: str = "", source: str = "") -> LevelgenError:
        """An error with a single finding."""
        return cls((Finding(code, message, where, fix, source),))


class AnswerIsNo(LevelgenError):
    """The question was understood and the answer is no: refused, unsolvable, findings, differences."""

    exit_code = 1


class Malformed(LevelgenError):
    """The input cannot be parsed or asks for something that does not exist."""

    exit_code = 2


class Untrusted(LevelgenError):
    """A signature, a digest or a certificate does not hold."""

    exit_code = 3


class Undecided(LevelgenError):
    """The budget was spent before the question was decided."""

    exit_code = 4


class NothingMatched(LevelgenError):
    """A selection (`--levels`, `PACK#N`) selects nothing."""

    exit_code = 5


class SystemFailed(LevelgenError):
    """Disk full, permission denied, locked: the machine failed us, not the input."""

    exit_code = 6


_OTHER_KERNEL = re.compile(
    r"\bsolve\.kernel\._kernel\b|\b_kernel\.abi3\b"
    r"|\blg_\w+(?:\(\))? (?:takes|expected) .*\bargument|\blg_\w+[ *]*' has no field"
)
"""What Python says when the compiled kernel is missing, or was made from other sources than these."""


def stale_kernel(why: str, where: str = "") -> LevelgenError:
    """The compiled kernel is missing, or was made from other sources than the code that calls it."""
    message = f"the compiled kernel is missing or older than the code that calls it: {why}"
    return SystemFailed.of(
        "kernel/stale", message, where, "run `make setup` in the checkout, or install levelgen again"
    )


def unforeseen(error: Exception, where: str = "", fix: str = "") -> LevelgenError:
    """What to say of an exception that nobody raised on purpose: a bug, unless it is the kernel that is out of date."""
    if isinstance(error, (ImportError, AttributeError, TypeError)) and _OTHER_KERNEL.search(str(error)):
        return stale_kernel(str(error), where)
    return LevelgenError.of("bug", f"a bug in levelgen: {type(error).__name__}: {error}", where, fix)


def raise_for(findings: Iterable[Finding], kind: type[LevelgenError] = Malformed) -> None:
    """Raise `kind` with all `findings`, or return when there are none."""
    found = tuple(findings)
    if found:
        raise kind(found)
