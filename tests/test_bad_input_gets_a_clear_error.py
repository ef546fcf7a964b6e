"""Every kind of bad input: a clear message with its place, the documented exit code, and `out` as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from levelgen.cli import run
from tests.project import BLOCK, RECIPE, ROOT, new_project, tree

Capture = pytest.CaptureFixture[str]


def edited(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("recipe", "block", "place", "said"),
    [
        (edited(RECIPE, "seed: probe", "sead: probe"), BLOCK, "probe.yaml:6:1", "seed"),
        (edited(RECIPE, "seed: probe", "seed: probe\nseed: again"), BLOCK, "probe.yaml:7:1", "stands here again"),
        (edited(RECIPE, "version: 1", "version: one"), BLOCK, "probe.yaml:3:10", "whole number"),
        (edited(RECIPE, "from: 22", "from: 23"), BLOCK, "probe.yaml:10:", "23 tiles"),
        (edited(RECIPE, "from: 22, to: 26", "from: 22, to: 4000"), BLOCK, "level", "4000 tiles cannot be reached"),
        (edited(RECIPE, "face_down: 2", "face_down: 90"), BLOCK, "probe.yaml:11:", "hides 90 of"),
        (edited(RECIPE, "face_down: 2", "distinct: 60"), BLOCK, "probe.yaml:11:", "60"),
        (edited(RECIPE, "faces: AR1", "faces: {set: AR1, only: [AR1_045]}"), BLOCK, "probe.yaml:5:", "AR1_045"),
        (edited(RECIPE, "faces: AR1", "faces: AR2"), BLOCK, "probe.yaml:5:8", "AR2"),
        (edited(RECIPE, "[[block, top]]", "[[blok, top]]"), BLOCK, "probe.yaml:9:", "block"),
        (edited(RECIPE, "id: pairs", "id: pears"), BLOCK, "probe.yaml:4:", "pears"),
        (RECIPE, edited(BLOCK, "columns", "colums"), "block.yaml:4:", "columns"),
        (RECIPE, edited(BLOCK, "columns: 5", "columns: five"), "block.yaml:4:", "columns"),
        (RECIPE, edited(BLOCK, "columns: 5", "columns: 20"), "packs/probe.yaml:9:17: level 1: is", "canvas"),
        (RECIPE, edited(BLOCK, "grid", "gird"), "block.yaml:4:", "grid"),
        (edited(RECIPE, "pack: probe", "pack: [probe"), BLOCK, "probe.yaml:", ""),
    ],
)
def test_a_mistake_in_a_recipe_or_template_is_shown_at_its_place(
    tmp_path: Path, capsys: Capture, recipe: str, block: str, place: str, said: str
) -> None:
    path = new_project(tmp_path, recipe=recipe, block=block)
    code = run(["build", str(path), "-o", str(tmp_path / "out"), "--jobs", "1"])
    talk = capsys.readouterr().err
    assert code == 2, talk
    assert place in talk
    assert said in talk
    assert "Traceback" not in talk
    assert not (tmp_path / "out").exists()


def test_every_mistake_is_reported_at_once(tmp_path: Path, capsys: Capture) -> None:
    wrong = edited(edited(RECIPE, "seed: probe", "seed: ''"), "version: 1", "version: 0")
    path = new_project(tmp_path, recipe=wrong)
    assert run(["build", str(path), "-o", str(tmp_path / "out")]) == 2
    talk = capsys.readouterr().err
    assert "probe.yaml:3:" in talk
    assert "probe.yaml:6:" in talk


def broken_faces(tmp_path: Path, spoil: Callable[[Path], object]) -> Path:
    shutil.copytree(ROOT / "faces" / "AR1", tmp_path / "faces" / "AR1")
    spoil(tmp_path / "faces" / "AR1")
    return new_project(tmp_path)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "AR1_003.png").unlink(), "AR1_003"),
        (lambda folder: (folder / "AR1_003.png").write_bytes(b"no picture"), "AR1_003"),
        (lambda folder: (folder / "AR1_003.png").write_bytes((folder / "AR1_003.png").read_bytes()[:500]), "AR1_003"),
        (lambda folder: shutil.copy(folder / "AR1_045.png", folder / "AR1_003.png"), "wide"),
    ],
)
def test_missing_corrupt_and_wide_pictures_stop_a_build(
    tmp_path: Path, capsys: Capture, spoil: Callable[[Path], object], said: str
) -> None:
    path = broken_faces(tmp_path, spoil)
    assert run(["build", str(path), "-o", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert run(["lint", str(tmp_path / "faces")]) == 1


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    path = new_project(folder)
    assert run(["build", str(path), "-o", str(folder / "out"), "--prover", "none", "--jobs", "1"]) == 0
    return folder / "out"


def test_a_wrong_key_is_refused(pack: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
    assert run(["keys", "new", str(tmp_path / "other")]) == 0
    assert run(["verify", str(pack), "--key", str(tmp_path / "other.pub.pem")]) == 3
    assert "signature     failed" in capsys.readouterr().out


def test_a_truncated_pack_is_refused_by_name(pack: Path, tmp_path: Path, capsys: Capture) -> None:
    copy = shutil.copytree(pack, tmp_path / "cut")
    (copy / "levels.jsonl").write_bytes((copy / "levels.jsonl").read_bytes()[:-9])
    assert run(["verify", str(copy)]) == 3
    assert "levels.jsonl" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("log", "code", "said"),
    [
        ("levelgen-log 1 probe#1\n0-0\n", 1, "same-tile"),
        ("levelgen-log 1 probe#1\n0-999\n", 1, "no-such-tile"),
        ("levelgen-log 1 probe#1\n7\n", 1, "wrong-game"),
        ("levelgen-log 1 probe#1\n3--9 0-1\n", 2, "log:2:1"),
        ("levelgen-log 1 probe#1\n0-1 03-9\n", 2, "log:2:5"),
        ("levelgen-log 2 probe#1\n", 2, "version 2"),
        ("levelgen-log 1 probe#2\n", 2, "probe#2"),
        ("", 2, "log:1:1"),
        ("levelgen-log 1 probe#1\n", 1, "unfinished"),
    ],
)
def test_a_log_that_cannot_be_read_is_not_a_log_that_breaks_the_rules(
    pack: Path, tmp_path: Path, capsys: Capture, log: str, code: int, said: str
) -> None:
    path = tmp_path / "player.log"
    path.write_text(log)
    assert run(["replay", f"{pack}#1", str(path)]) == code
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_a_level_that_does_not_exist_is_nothing_matched(pack: Path, tmp_path: Path) -> None:
    (tmp_path / "player.log").write_text("levelgen-log 1 probe#9\n")
    assert run(["replay", f"{pack}#9", str(tmp_path / "player.log")]) == 5
    assert run(["preview", str(pack), "--levels", "7..9", "-o", str(tmp_path / "pictures")]) == 5


@pytest.mark.parametrize(
    "arguments",
    [["bild"], ["build"], ["build", "nowhere.yaml"], ["verify", "nowhere"], ["solve", "nowhere.json"],
     ["show", "nowhere"], ["diff", "a"], ["daily", "--date", "tomorrow"], ["replay", "x", "y"], ["keys"],
     ["faces", "check", "nowhere"], ["lint", "nowhere"], ["build", "x", "--jobs", "0"]],
)  # fmt: skip
def test_usage_errors_exit_with_two(arguments: list[str], capsys: Capture) -> None:
    assert run(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_mistyped_command_gets_a_suggestion(capsys: Capture) -> None:
    assert run(["biuld"]) == 2
    assert "build" in capsys.readouterr().err


def test_errors_are_json_when_asked_for(tmp_path: Path, capsys: Capture) -> None:
    import json

    assert run(["verify", str(tmp_path / "none"), "--json"]) == 2
    error = json.loads(capsys.readouterr().out)
    assert error["schema"] == "levelgen/error/1"
    assert error["exit_code"] == 2
    assert error["findings"][0]["code"] == "pack/missing"


def test_a_private_key_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
    assert run(["keys", "new", str(tmp_path / "k")]) == 0
    before = tree(tmp_path)
    assert run(["keys", "new", str(tmp_path / "k")]) == 2
    assert tree(tmp_path) == before
    assert (tmp_path / "k.pem").stat().st_mode & 0o777 == 0o600
