"""A compiled kernel that is missing, or older than the code that calls it, is no bug: it is said what to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.errors import unforeseen
from levelgen.solve.kernel._kernel import ffi, lib

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
