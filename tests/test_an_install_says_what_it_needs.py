"""A fresh clone installs the same everything everywhere, or says in one sentence what is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "constraints.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def check_machine(**environment: str) -> subprocess.CompletedProcess[str]:
    """What `make` asks first of all."""
    return subprocess.run(
        [sys.executable, "setup.py", "check-machine"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`make` with these arguments."""
    return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_without_a_compiler_one_sentence_says_what_to_install() -> None:
    done = check_machine(CC="/no/such/compiler", LEVELGEN_NO_KERNEL="")
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(r"levelgen needs a C compiler .*: install gcc or clang .*\n", done.stderr)


def test_who_only_verifies_needs_no_compiler() -> None:
    assert check_machine(CC="/no/such/compiler", LEVELGEN_NO_KERNEL="1").returncode == 0


def test_a_missing_python_is_named(tmp_path: Path) -> None:
    done = make("setup", f"VENV={tmp_path / 'venv'}", "PYTHON=")
    assert done.returncode != 0
    assert done.stderr.startswith("levelgen needs Python 3.11 or newer: install it")
    assert not (tmp_path / "venv").exists()


def test_an_old_python_is_named(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    done = make("setup", f"VENV={tmp_path / 'venv'}", f"PYTHON={old}")
    assert done.returncode != 0
    assert done.stderr.startswith(f"levelgen needs Python 3.11 or newer, and {old} is older")


def pins() -> dict[str, str]:
    """What the lock pins: name to the lines that belong to it."""
    return {block.partition("==")[0]: block for block in re.findall(r"^[a-z0-9][^#]*", LOCK, re.MULTILINE)}


def test_everything_is_pinned_with_hashes() -> None:
    assert all("--hash=sha256:" in block for block in pins().values())
    assert re.findall(r"^(?!#|    |[a-z0-9-]+==).*\S.*$", LOCK, re.MULTILINE) == []


def test_the_lock_names_no_registry_and_no_machine() -> None:
    assert re.findall(r"https?:|file:|--index|--find-links|--extra|--trusted|(?<![\w.])/\w", LOCK) == []


@pytest.mark.parametrize("group", ["base", "build-system", *PROJECT["project"]["optional-dependencies"]])
def test_every_declared_dependency_is_in_the_lock(group: str) -> None:
    declared = {
        "base": PROJECT["project"]["dependencies"],
        "build-system": PROJECT["build-system"]["requires"],
        **PROJECT["project"]["optional-dependencies"],
    }[group]
    assert {re.split(r"[^a-z0-9-]", name)[0] for name in declared} <= set(pins())


def test_every_data_file_is_packaged() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    built = {".py", ".pyi", ".pyc", ".c", ".h", ".o", ".so"}
    files = [path for path in sorted((ROOT / "levelgen").rglob("*")) if path.is_file() and path.suffix not in built]
    assert files
    assert [path for path in files if not any(path.match(pattern) for pattern in patterns)] == []


def test_a_server_installs_cryptography_and_click_only() -> None:
    assert [re.split(r"\W", name)[0] for name in PROJECT["project"]["dependencies"]] == ["click", "cryptography"]
