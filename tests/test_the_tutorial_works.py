"""The tutorial's files and commands, as written, in a new project."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from levelgen.certificate import moves_under
from levelgen.cli import run
from levelgen.moves import Log
from levelgen.verify import TrustRoot, open_pack
from tests.project import ROOT, working_in

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_every_file_and_command_of_the_tutorial_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
    shapes = tmp_path / "templates" / "shapes"
    shapes.mkdir(parents=True)
    (tmp_path / "templates" / "packs").mkdir()
    (tmp_path / "faces").symlink_to(ROOT / "faces")
    for path in (ROOT / "templates" / "shapes").iterdir():
        (shapes / path.name).write_bytes(path.read_bytes())
    files = re.findall(r"^`(templates/\S+\.yaml)`.*?^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["templates/shapes/hut.yaml", "templates/packs/village.yaml"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    commands = re.findall(r"^    (levelgen .*)$", PAGE, re.MULTILINE)
    assert len(commands) == 8
    with working_in(tmp_path):
        for command in commands:
            if command.startswith("levelgen replay"):
                write_a_winning_log(tmp_path)
            assert run(shlex.split(command)[1:]) == 0, command
        assert (tmp_path / "village.png").is_file()
        assert (tmp_path / "village.lgpack").is_file()


def write_a_winning_log(folder: Path) -> None:
    with open_pack(folder / "out" / "village", TrustRoot.from_pem((folder / "studio.pub.pem").read_bytes())) as pack:
        record, certificate = pack.level(1), pack.certificate(1)
    moves = moves_under(record.ruleset, record.face_down, certificate.solution)
    (folder / "player.log").write_text(Log("village", 1, moves).to_text())
