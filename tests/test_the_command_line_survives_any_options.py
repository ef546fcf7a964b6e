"""Whatever is typed gets a documented exit code and a sentence, never a traceback or a file left behind.

`LEVELGEN_FUZZ=1000` tries so many lines a command instead of a few.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from levelgen.cli import COMMANDS, levelgen, run
from levelgen.seed import Stream
from tests.packs import write_tiny
from tests.project import ROOT, tree, working_in

ROUNDS = int(os.environ.get("LEVELGEN_FUZZ", "25"))
CODES = {0, 1, 2, 3, 4, 5, 6}
ASKED = ("build", "check", "daily", "diff", "explain", "hint", "replay", "show", "shuffle", "solve", "verify")
"""Commands that write nothing unless told where, and end by themselves."""
VALUES = (
    "", "-", "--", "-1", "0", "1", "7..3", "1..2", "9" * 40, "1e9", "nan", "ポ", "a b", "%s", "../..", "/",
    ".", "/dev/null", "pack", "pack#1", "pack#0", "pack#2#3", "pack#99999999999", "none.yaml", "log", "json", "kernel",
    "2026-02-30", "2026-12-01", "u h r g", "s:", "tcp://127.0.0.1:9", "x" * 5000,
)  # fmt: skip


def options(name: str) -> list[str]:
    """Every option of a command as it may be typed."""
    command = levelgen.get_command(click.Context(levelgen), name)
    assert command is not None
    skipped = {"--out", "-o", "--archive", "--client", "--report", "--lock", "--html", "--cluster"}
    found = [text for one in command.params if isinstance(one, click.Option) for text in one.opts]
    return [text for text in found if text not in skipped]


@pytest.mark.parametrize("name", ASKED)
def test_any_words_are_answered(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in COMMANDS
    write_tiny(tmp_path / "pack", 2)
    (tmp_path / "log").write_text("levelgen-log 1 tiny#1\n0-1\n")
    before = tree(tmp_path)
    chance = Stream("words", name)
    known = options(name)
    with working_in(tmp_path):
        for _ in range(ROUNDS):
            words = [chance.choice([*known, *VALUES] if chance.below(3) else VALUES) for _ in range(chance.below(6))]
            code = run([name, *words])
            talk = capsys.readouterr()
            assert code in CODES, (words, talk.err)
            assert "Traceback" not in talk.err + talk.out, words
            assert code == 0 or talk.err or talk.out, words
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", ["build", "verify", "lint"])
def test_names_that_are_no_text_are_answered(name: str, tmp_path: Path) -> None:
    """A file name may hold any bytes; so may what is said about it."""
    code = "from levelgen.cli import main; main()"
    command = [sys.executable.encode(), b"-c", code.encode(), name.encode(), b"no-such-\xff-file.yaml"]
    given = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8:strict"}
    for more in ([], [b"--json"]):
        done = subprocess.run([*command, *more], cwd=tmp_path, env=given, capture_output=True, check=False)
        assert done.returncode == 2, done.stderr
        assert b"bug" not in done.stderr + done.stdout
