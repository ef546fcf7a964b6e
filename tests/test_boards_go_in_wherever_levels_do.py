"""A text board, a template and a level of a pack go in at the same doors: show, try, solve, preview, export, …"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.drawn_board import parse_drawn
from levelgen.layout import parse
from tests.project import ROOT

BOARD = """\
levelgen-board 1 pairs
A = AR1_007
AABBCCDD
AABBCCDD
DDccBBAA
DDccBBAA
"""
FACES = str(ROOT / "faces")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of two templates, one of them broken, and a board."""
    shapes = tmp_path / "templates" / "shapes"
    shapes.mkdir(parents=True)
    (tmp_path / "faces").mkdir()
    (shapes / "leaf.yaml").write_text(
        "template: leaf\ntags: [small]\npieces:\n  - grid: {columns: 3, rows: 1}\n  - grid: {columns: {range: [1, 2]}, "
        "rows: 1}\n    at: [1, 0]\n    z: 1\n"
    )
    (shapes / "twig.yaml").write_text(
        "template: twig\npieces:\n  - template: leaf\n  - template: leaf\n    at: [0, 2]\n"
    )
    (shapes / "broken.yaml").write_text("template: broken\npieces: 7\n")
    (tmp_path / "b.txt").write_text(BOARD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "show b.txt", "show b.txt --json", "show b.txt --text", "solve b.txt", "hint b.txt", "shuffle b.txt --seed 3",
        "explain b.txt", "export b.txt --format csv", "export b.txt --format layout", "try b.txt --seeds 1..9",
        f"preview b.txt -o pictures --faces {FACES}", f"sheet b.txt -o sheet.png --faces {FACES}",
        "show twig", "show templates/shapes/twig.yaml --seed 7", "show leaf --json", "try twig --seeds 3",
        "try templates/shapes/twig.yaml --seeds 1..3", "preview twig -o pictures", "sheet leaf -o sheet.png",
        "export twig --format tmj",
    ],
)  # fmt: skip
def test_every_command_that_takes_a_level_takes_it(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command.split()) == 0, capsys.readouterr().err
    assert capsys.readouterr().out


def test_a_log_is_judged_on_a_board(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["solve", "b.txt"]) == 0
    moves = capsys.readouterr().out.splitlines()[1]
    (here / "won.log").write_text(f"levelgen-log 1 anything#7\n{moves}\n")
    (here / "cut.log").write_text(f"levelgen-log 1 anything#7\n{moves.split()[0]}\n")
    (here / "undone.log").write_text(f"levelgen-log 1 anything#7\n{moves.split()[0]} u {moves}\n")
    assert run(["replay", "b.txt", "won.log"]) == 0
    assert capsys.readouterr().out == f"won after {len(moves.split())} steps\n"
    assert run(["replay", "b.txt", "cut.log", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["level"], said["record"], said["verdict"]) == ("b.txt:1", None, "unfinished")
    assert run(["replay", "b.txt", "undone.log"]) == 1
    assert run(["replay", "b.txt", "undone.log", "--undo", "1"]) == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("replay b.txt log --race", "leave --first and --race out"),
        ("replay two.jsonl log", "holds 2 boards"),
        ("replay none.txt log", "names no level and no board file"),
        ("replay leaf#1 log", "leaf"),
    ],
)
def test_what_no_log_can_be_judged_on_is_said(
    command: str, words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["try", "twig", "--seeds", "1..9", "-o", "two.jsonl"]) == 0
    line = (here / "two.jsonl").read_text().splitlines(keepends=True)[0]
    (here / "two.jsonl").write_text(2 * line)
    (here / "log").write_text("levelgen-log 1 b#1\n0-7\n")
    capsys.readouterr()
    assert run(command.split()) in (2, 5)
    assert words in capsys.readouterr().err


def test_show_draws_a_template_with_blank_tiles(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "leaf", "--seed", "1"]) == 0
    first = capsys.readouterr().out
    assert first.startswith("leaf: Leaf, 6×2 half-tiles, small\n")
    assert "[_1]" in first
    assert "tray" not in first
    shown = set()
    for seed in range(8):
        assert run(["show", "leaf", "--seed", str(seed)]) == 0
        shown.add(capsys.readouterr().out)
    assert len(shown) == 2


def test_what_show_writes_as_text_is_read_back(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "b.txt", "--text"]) == 0
    assert parse_drawn(capsys.readouterr().out.encode()) == parse_drawn(BOARD.encode())
    assert run(["show", "twig", "--text"]) == 0
    text = capsys.readouterr().out
    assert run(["show", "twig", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(parse(text)[0]) == data["tiles"] == len(data["slots"])


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("show twg", "did you mean `twig`"),
        ("show broken", "broken.yaml:2:9"),
        ("try b.txt --ruleset triples", "groups of 3"),
        ("try twig --seeds 1..100001", "100000 at most"),
        ("try twig --seeds 9..3", "names no seeds"),
        ("try twig -o none/odd.jsonl", "no folder none"),
        ("try twig -o templates", "is a folder"),
        ("sheet b.txt -o none/sheet.png", "no folder none"),
        ("show templates", "is a folder"),
        ("show templates/shapes/none.yaml", "no such file"),
    ],
)
def test_what_cannot_be_is_said_at_once(
    command: str, words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command.split()) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert not told.out


@pytest.mark.parametrize("command", ["show pipe", "try pipe", "export pipe --format csv", "preview pipe -o p"])
def test_a_pipe_nobody_writes_to_keeps_no_command_waiting(
    command: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("pipe")
    assert run(command.split()) == 2
    assert "is a pipe" in capsys.readouterr().err
