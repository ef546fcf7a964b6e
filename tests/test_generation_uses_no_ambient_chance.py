"""The same recipe gives the same bytes everywhere, so no code may draw chance, time or order from its surroundings.

Chance comes from `levelgen.seed.Stream` alone. What talks to people may look at the clock; each such place is listed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BANNED_MODULES = {"random", "secrets", "uuid", "time", "numpy.random"}
BANNED_CALLS = {"hash", "id"}
BANNED_ATTRIBUTES = {
    "os.urandom",
    "os.getrandom",
    "np.random",
    "numpy.random",
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
}
LISTINGS = {"iterdir", "glob", "rglob", "listdir", "scandir", "walk"}
"""Methods that list a folder in the order of the disk; good only where order is made or does not matter."""

ORDERLESS = {"sorted", "set", "frozenset", "len", "any", "all"}
"""What makes order out of a listing, or does not care for it."""

ALLOWED = {
    ("levelgen/cli/completion.py", "scandir() unsorted"): "sorted before it is offered",
    ("levelgen/cli/daily.py", "datetime.now"): "the day of `daily` when no --date is given",
    ("levelgen/cli/sources.py", "datetime.now"): "what has expired, when no --at is given",
    ("levelgen/cli/talk.py", "time"): "progress on a terminal",
    ("levelgen/watch.py", "time"): "how long a rebuild or a question for news may take before something is shown",
    ("levelgen/pack/archive.py", "listdir() unsorted"): "one list of names, sorted by whoever shows it",
    ("levelgen/pack/disk.py", "glob() unsorted"): "drafts left by a kill are removed in any order",
    ("levelgen/pack/disk.py", "walk() unsorted"): "files are flushed in any order",
    ("levelgen/solve/kernel/ffibuild.py", "glob() unsorted"): "both lists are sorted in the next line",
}
"""File and banned name, and why it may be there. An entry that is no longer needed fails."""


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text, or the part of it that is names."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def ambient(source: str) -> Iterator[tuple[int, str]]:
    """Line and banned name of everything in the source that draws from its surroundings."""
    tree = ast.parse(source)
    ordered = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and dotted(node.func) in ORDERLESS
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names if _banned_module(alias.name))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            wholes = [f"{base}.{alias.name}" for alias in node.names]
            if _banned_module(base):
                yield node.lineno, base
            else:
                yield from (
                    (node.lineno, whole) for whole in wholes if _banned_attribute(whole) or _banned_module(whole)
                )
        elif isinstance(node, ast.Attribute) and _banned_attribute(dotted(node)):
            yield node.lineno, ".".join(dotted(node).split(".")[-2:])
        elif isinstance(node, ast.Call) and dotted(node.func) in BANNED_CALLS:
            yield node.lineno, f"{dotted(node.func)}()"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            method = node.func.attr
            if method in LISTINGS and dotted(node.func) != "ast.walk" and node not in ordered:
                yield node.lineno, f"{method}() unsorted"


def _banned_module(name: str) -> bool:
    return name in BANNED_MODULES or any(name.startswith(f"{banned}.") for banned in BANNED_MODULES)


def _banned_attribute(name: str) -> bool:
    return any(name == banned or name.endswith(f".{banned}") for banned in BANNED_ATTRIBUTES)


def everything() -> Iterator[tuple[str, int, str]]:
    """File, line and name of every ambient draw in the code we ship or draw artwork with."""
    for folder in ("levelgen", "artwork"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line, name in ambient(path.read_text(encoding="utf-8")):
                yield path.relative_to(ROOT).as_posix(), line, name


def test_nothing_is_drawn_from_the_surroundings() -> None:
    assert [found for found in everything() if (found[0], found[2]) not in ALLOWED] == []


def test_every_exception_is_still_needed() -> None:
    assert set(ALLOWED) <= {(path, name) for path, _, name in everything()}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import random", "random"),
        ("from random import shuffle", "random"),
        ("import numpy.random", "numpy.random"),
        ("from numpy import random", "numpy.random"),
        ("import numpy as np\nx = np.random.default_rng(1)", "np.random"),
        ("def f():\n    from numpy.random import default_rng", "numpy.random"),
        ("import secrets, json", "secrets"),
        ("import uuid", "uuid"),
        ("from time import monotonic", "time"),
        ("import os\nx = os.urandom(8)", "os.urandom"),
        ("from os import urandom", "os.urandom"),
        ("x = datetime.now()", "datetime.now"),
        ("x = datetime.datetime.now(tz)", "datetime.now"),
        ("x = datetime.date.today()", "date.today"),
        ("x = hash(y)", "hash()"),
        ("x = sorted(y, key=lambda z: id(z))", "id()"),
        ("for path in folder.iterdir():\n    pass", "iterdir() unsorted"),
        ("x = list(Path('a').glob('*.png'))", "glob() unsorted"),
        ("x = [p for p in os.listdir(a) if p]", "listdir() unsorted"),
    ],
)
def test_the_check_finds(source: str, name: str) -> None:
    assert [found for _, found in ambient(source)] == [name]


@pytest.mark.parametrize(
    "source",
    [
        "x = sorted(folder.iterdir())",
        "x = sorted(p.name for p in islice(folder.rglob('*'), 9) if p)",
        "x = any(folder.iterdir())",
        "x = stream.shuffle(y)",
        "from hashlib import sha256",
        "x = datetime.fromisoformat(text)",
        "x = self.hash(y)",
        "from levelgen.seed import Stream as random_words",
    ],
)
def test_the_check_lets_pass(source: str) -> None:
    assert not list(ambient(source))
