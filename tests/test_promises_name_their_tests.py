"""Every promise in docs/reliability.md names the tests that hold it, and those exist."""

from __future__ import annotations

import re

from tests.project import ROOT

PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?!promise|-)(?P<promise>.+?) \| (?P<file>.*?) \| (?P<tests>.+?) \|$", re.MULTILINE)
NAME = re.compile(r"`(\w+)`")


def promises() -> list[tuple[str, str, list[str]]]:
    """Of each row: the promise, the file of its tests, and their names. A row without a file is of the one above."""
    found = []
    file = ""
    for row in ROW.finditer(PAGE.partition("## ")[0]):
        named = NAME.search(row["file"])
        file = named[1] if named else file
        found.append((row["promise"], file, NAME.findall(row["tests"])))
    return found


def test_every_promise_names_tests_that_exist() -> None:
    assert len(promises()) >= 25
    for promise, file, names in promises():
        path = ROOT / "tests" / f"test_{file}.py"
        assert path.exists(), f"{promise}: there is no {path.name}"
        defined = set(re.findall(r"^def test_(\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE))
        assert names, f"{promise}: names no test"
        assert set(names) <= defined, f"{promise}: {path.name} has no test_{min(set(names) - defined)}"


def test_every_test_of_faults_holds_a_promise() -> None:
    named = {name for _, file, names in promises() if file == "builds_survive_faults" for name in names}
    text = (ROOT / "tests" / "test_builds_survive_faults.py").read_text(encoding="utf-8")
    assert named == set(re.findall(r"^def test_(\w+)\(", text, re.MULTILINE))
