"""Progress never floods a log, a terminal gets an answer at once, and nothing of it gets into data."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.cli.talk import Progress, emit_json, no_more_waiting, say, show, waiting
from tests.patience import read_to_the_end

ROOT = Path(__file__).resolve().parent.parent


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error, from now on a terminal."""
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


class Clock:
    """A clock that goes on by a fixed step each time it is read."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.parametrize(("hours", "steps", "most"), [(1, 100_000, 90), (6, 100_000, 130), (24, 50_000, 160)])
def test_piped_progress_stays_short_however_long_it_takes(
    hours: int, steps: int, most: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("levelgen.cli.talk.time.monotonic", Clock(hours * 3600 / steps))
    with Progress("building", steps) as progress:
        for _ in range(steps):
            progress.step()
    lines = capsys.readouterr().err.splitlines()
    assert 20 < len(lines) < most
    assert all("\x1b" not in line and "\r" not in line for line in lines)
    assert any("left" in line for line in lines)


def test_on_a_terminal_progress_is_one_line_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr("levelgen.cli.talk.time.monotonic", Clock(0.5))
    with Progress("building", 8) as progress:
        for _ in range(8):
            progress.step()
    text = terminal.getvalue()
    assert text.count("\n") == 2, "the first line and the last"
    assert text.count("\r\x1b[2K") >= 8
    assert "about" in text


@pytest.mark.parametrize("speak", [lambda: say("x"), lambda: show("x"), lambda: emit_json("x/1", {})])
def test_the_first_output_takes_the_place_of_the_waiting_line(
    speak: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = a_terminal(monkeypatch)
    waiting("levelgen verify …")
    assert "levelgen verify …" in terminal.getvalue()
    speak()
    assert terminal.getvalue().count("\r\x1b[2K") == 1
    speak()
    no_more_waiting()
    assert terminal.getvalue().count("\r\x1b[2K") == 1


def test_piped_nobody_waits_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    waiting("levelgen verify …")
    no_more_waiting()
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


HEAVY = ("PIL", "yaml", "numpy", "cryptography", "xml", "email", "rich")


@pytest.mark.parametrize("command", ["verify", "show", "lint", "preview", "diff"])
def test_a_real_terminal_is_answered_before_anything_heavy_is_loaded(command: str, tmp_path: Path) -> None:
    """What stands on the terminal first, and that nothing but the command line's own modules was loaded for it."""
    more = {"preview": ["-o", "shots"], "diff": ["nowhere"]}.get(command, [])
    probe = (
        "import os, sys, levelgen.cli as cli\n"
        "said = cli.waiting\n"
        "def waiting(text):\n"
        "    said(text)\n"
        f"    os.write(2, str([name for name in {HEAVY} if name in sys.modules]).encode())\n"
        "cli.waiting = waiting\n"
        f"cli.main({[command, 'nowhere', *more]!r})\n"
    )
    child, end = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("CI", "NO_COLOR")}
    subprocess.run([sys.executable, "-c", probe], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=end, check=False,
                   env={**environment, "PYTHONPATH": str(ROOT), "TERM": "xterm"})  # fmt: skip
    os.close(end)
    text = read_to_the_end(child).decode()
    os.close(child)
    assert f"levelgen {command} …\x1b[0m[]" in text
    assert text.index("\r\x1b[2K") < text.index("error"), "the error takes the line's place"


def test_help_is_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    assert run(["verify", "--help"]) == 0
    assert terminal.getvalue() == ""
