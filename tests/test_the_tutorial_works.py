"""The pages are true: whoever follows the tutorial from top to bottom ends with a pack that verifies."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from levelgen.certificate import moves_under
from levelgen.cli import run
from levelgen.document import load
from levelgen.faces import load_face_set
from levelgen.moves import Log
from levelgen.recipe import parse_recipe, plan
from levelgen.template import read_library
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


def test_the_recipe_on_the_page_about_recipes_is_one() -> None:
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    library = read_library(ROOT / "templates" / "shapes", root=ROOT)
    recipe = parse_recipe(load(text, "valley.yaml", "recipe"), library, {"AR1": load_face_set(ROOT / "faces" / "AR1")})
    plans = plan(recipe, library)
    assert plans[6].seed != "valley-2026/7"
    assert plans[8].rejected == {0}
    assert len(plans) == 20


def test_the_page_about_recipes_names_every_key() -> None:
    from levelgen.document import schema_of

    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    schema = schema_of("recipe")
    for key in (*schema["properties"], *schema["properties"]["levels"]["items"]["properties"]):
        assert f"`{key}" in page, key
