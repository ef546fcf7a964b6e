"""The pages are true: whoever follows the tutorial from top to bottom ends with a pack that verifies."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from levelgen.certificate import moves_under
from levelgen.cli import run
from levelgen.moves import Log
from levelgen.pack.signing import DEMO_TRUST
from levelgen.verify import TrustRoot, open_pack
from tests.project import ROOT

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"^    (cd \S+|levelgen [^\n]*)$|^`(templates/\S+)`[^\n]*\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def test_every_file_and_command_of_the_tutorial_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
    monkeypatch.chdir(tmp_path)
    done = []
    for step in STEP.finditer(PAGE):
        command, file, text = step.groups()
        if file:
            Path(file).write_text(text)
            done.append(file)
        elif command.startswith("cd "):
            monkeypatch.chdir(tmp_path / command[3:])
        else:
            if command.startswith("levelgen replay"):
                write_a_winning_log(Path.cwd())
            assert run(shlex.split(command)[1:]) == 0, command
            done.append(command.split()[1])
    assert done == [
        "init", "templates/shapes/hut.yaml", "lint", "try", "show", "templates/packs/first.txt", "show", "solve",
        "templates/packs/village.yaml", "lint", "build", "verify", "sheet", "keys", "build", "verify", "replay",
    ]  # fmt: skip
    assert PAGE.count("```") == 6
    assert Path("village.png").is_file()
    assert Path("village.lgpack").is_file()


def write_a_winning_log(folder: Path) -> None:
    with open_pack(folder / "out" / "village", TrustRoot.from_pem((folder / "studio.pub.pem").read_bytes())) as pack:
        record, certificate = pack.level(1), pack.certificate(1)
    moves = moves_under(record.ruleset, record.face_down, certificate.solution)
    (folder / "player.log").write_text(Log("village", 1, moves).to_text())


def test_the_recipe_on_the_page_about_recipes_is_linted_and_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    shutil.copytree(ROOT / "templates" / "shapes", tmp_path / "templates" / "shapes")
    shutil.copytree(ROOT / "faces" / "AR1", tmp_path / "faces" / "AR1")
    (tmp_path / "templates" / "packs").mkdir()
    (tmp_path / "templates" / "packs" / "valley.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert run(["lint", "templates/packs/valley.yaml"]) == 0, capsys.readouterr().err
    arguments = ["build", "templates/packs/valley.yaml", "--jobs", "1", "--no-previews", "--no-cache"]
    assert run(arguments) == 0, capsys.readouterr().err
    with open_pack(Path("out/valley"), DEMO_TRUST) as pack:
        records = [pack.level(number) for number in pack.numbers]
    assert len(records) == 20
    assert records[6].seed != "valley-2026/7"
    assert records[8].attempt > 0
    assert [len(record.slots) for record in (records[0], records[-1])] == [48, 72]


def test_the_page_about_recipes_names_every_key() -> None:
    from levelgen.document import schema_of

    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    schema = schema_of("recipe")
    for key in (*schema["properties"], *schema["properties"]["levels"]["items"]["properties"]):
        assert f"`{key}" in page, key
