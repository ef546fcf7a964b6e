"""A compiled kernel that is missing, or older than the code that calls it, is no bug: it is said what to run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from levelgen.cli import run
from levelgen.errors import unforeseen
from levelgen.solve.kernel import binding
from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.made_from import sources_digest
from tests.project import ROOT

KERNEL = Path(binding.__file__).parent
LEVEL = str(Path(__file__).resolve().parent.parent / "out" / "eram") + "#1"


def test_a_command_says_what_to_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("levelgen.solve.fast.pairs.solve", lambda *_, **__: lib.lg_of_tomorrow())
    assert run(["solve", LEVEL]) == 6
    said = capsys.readouterr().err
    assert "[kernel/stale]" in said
    assert "run `make setup`" in said
    assert "bug" not in said


def _one_argument_less() -> None:
    lib.lg_pairs_solve()


def _a_field_of_tomorrow() -> None:
    ffi.new("lg_deal *").of_tomorrow  # noqa: B018 - it is the asking that fails


@pytest.mark.parametrize("call", [_one_argument_less, _a_field_of_tomorrow])
def test_what_an_older_kernel_does_not_know_is_told_apart(call: object) -> None:
    with pytest.raises((AttributeError, TypeError)) as caught:
        call()  # type: ignore[operator]
    assert unforeseen(caught.value).findings[0].code == "kernel/stale"


@pytest.mark.parametrize("error", [AttributeError("'Deal' object has no attribute 'gone'"), TypeError("f() argument")])
def test_a_bug_stays_a_bug(error: Exception) -> None:
    found = unforeseen(error, "level 3")
    assert (found.findings[0].code, found.findings[0].where, found.exit_code) == ("bug", "level 3", 70)


def test_a_kernel_of_other_sources_is_told_once_before_any_level_is_made(tmp_path: Path) -> None:
    """As after a pull: the C code is new and the compiled file is not."""
    shutil.copytree(ROOT / "levelgen", tmp_path / "levelgen", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "levelgen/solve/kernel/rng.h").open("a") as file:
        file.write("/* of tomorrow */\n")
    recipe = ROOT / "templates/packs/tilematch.yaml"
    command = ["build", str(recipe), "-o", str(tmp_path / "out"), "--jobs", "2", "--no-cache"]
    done = subprocess.run(
        [sys.executable, "-c", "from levelgen.cli import main; main()", *command],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 6, done.stderr
    assert done.stderr.count("[kernel/stale]") == 1
    assert "run `make setup`" in done.stderr
    assert "level 1" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_kernel_says_what_it_was_made_from(tmp_path: Path) -> None:
    assert binding.made_from() == sources_digest(KERNEL)
    assert binding.stale(KERNEL) is None
    assert binding.stale(tmp_path) is None, "an installed package has no sources to compare with"
    assert binding.made_from(SimpleNamespace()) == ""
    assert binding.stale(KERNEL, SimpleNamespace()) is not None
