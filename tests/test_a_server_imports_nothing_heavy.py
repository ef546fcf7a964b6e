"""A game server that verifies packs and judges logs loads the standard library and `cryptography`, nothing else.

The command line answers `--help` without loading what commands need. (`make bench` measures the milliseconds.)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

CRYPTOGRAPHY = {"cryptography", "cffi", "_cffi_backend", "_openssl", "pycparser", "typing_extensions"}
"""`cryptography` and what it may itself need."""

REPORT = "import json, sys; before = set(sys.modules); {}; print(json.dumps(sorted(set(sys.modules) - before)))"


def loaded(code: str, **environment: str) -> set[str]:
    """Every module that a fresh interpreter loads for this code, beyond what it starts with."""
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def foreign(modules: set[str]) -> set[str]:
    """The top-level packages among them that are neither ours nor Python's."""
    return {name.partition(".")[0] for name in modules} - sys.stdlib_module_names - {"levelgen"}


@pytest.mark.parametrize(
    "code",
    [
        "import levelgen.verify",
        "import levelgen.batch",
        "import levelgen.replay",
        "import levelgen.certificate",
        "import levelgen.pack",
    ],
)
def test_a_server_needs_only_cryptography(code: str) -> None:
    assert foreign(loaded(code)) <= CRYPTOGRAPHY


@pytest.mark.parametrize("code", ["import levelgen.replay", "import levelgen.deal", "import levelgen.certificate"])
def test_the_law_needs_only_the_standard_library(code: str) -> None:
    assert not foreign(loaded(code))


def test_a_server_does_not_load_the_kernel() -> None:
    assert not {name for name in loaded("import levelgen.verify") if name.startswith("levelgen.solve")}


CLI = "from levelgen.cli import run; run({!r})"


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["no-such-command"]])
def test_help_loads_click_and_nothing_else(arguments: list[str]) -> None:
    assert foreign(loaded(CLI.format(arguments))) == {"click"}


def test_completion_loads_click_and_nothing_else() -> None:
    environment = {"_LEVELGEN_COMPLETE": "bash_complete", "COMP_WORDS": "levelgen bu", "COMP_CWORD": "1"}
    assert foreign(loaded(CLI.format([]), **environment)) == {"click"}


@pytest.mark.parametrize("name", ["numpy", "PIL", "yaml", "rich"])
def test_the_check_sees_a_heavy_library(name: str) -> None:
    assert name in foreign(loaded(f"import {name}"))
