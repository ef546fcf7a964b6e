"""What `lint` says of a recipe `build` says before the first deal; doubts are warnings; nobody is flooded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.recipe import lint
from tests.project import ROOT

RECIPE = """\
pack: probe
version: 1
ruleset: {id: pairs}
faces: AR1
seed: probe
levels:
  - levels: 1..3
    templates: [[leaf]]
    tiles: 8
  - levels: 4..5
    templates: [[leaf]]
    tiles: 900
"""
LEAF = "template: leaf\npieces:\n  - grid: {columns: 4, rows: 2}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "templates" / "shapes").mkdir(parents=True)
    (tmp_path / "templates" / "packs").mkdir()
    shutil.copytree(ROOT / "faces" / "AR1", tmp_path / "faces" / "AR1")
    (tmp_path / "templates" / "shapes" / "leaf.yaml").write_text(LEAF)
    (tmp_path / "templates" / "packs" / "probe.yaml").write_text(RECIPE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_level_that_cannot_be_composed_stops_a_build_before_it_begins(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["lint", "templates"]) == 1
    found = [line for line in capsys.readouterr().err.split("\n") if "[recipe/unreachable]" in line]
    assert found
    assert run(["build", "templates/packs/probe.yaml"]) == 2
    told = capsys.readouterr().err
    assert all(line in told for line in found)
    assert "building" not in told
    assert not Path("out").exists()


def test_what_an_editor_keeps_beside_a_file_is_no_template(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "templates" / "packs" / "probe.yaml").write_text(RECIPE[: RECIPE.index("  - levels: 4")])
    for folder, name in (("shapes", "leaf"), ("packs", "probe")):
        (here / "templates" / folder / f".#{name}.yaml").symlink_to("somebody@somewhere.1234:5678")
        (here / "templates" / folder / f".{name}~.yaml").write_text("half a wo: [")
    assert run(["lint", "templates"]) == 0
    assert run(["build", "templates/packs/probe.yaml", "--no-previews"]) == 0
    assert run(["show", "leaf"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("licence", "doubtful"),
    [
        ("CC-BY-4.0", False),
        ("GPL-2.0-or-later OR MIT", False),
        ("(MIT AND CC0-1.0) OR LicenseRef-Studio", False),
        ("GPL-2.0+ WITH Classpath-exception-2.0", False),
        ("free for all uses", True),
        ("MIT OR", True),
    ],
)
def test_a_licence_no_tool_understands_is_a_warning(
    licence: str, doubtful: bool, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = here / "templates" / "shapes" / "leaf.yaml"
    path.write_text(LEAF.replace("pieces", f"licence: {licence}\npieces"))
    assert run(["lint", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["findings"] == []
    assert [one["code"] for one in data["warnings"]] == ["template/licence-form"] * doubtful
    assert run(["lint", str(path), "--format", "github"]) == 0
    assert ("::warning" in capsys.readouterr().out) is doubtful


def test_a_file_that_is_passed_over_for_its_ending_is_a_warning(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "templates" / "packs" / "probe.yaml").unlink()
    (here / "templates" / "shapes" / "leaf.yaml").rename(here / "templates" / "shapes" / "leaf.yml")
    (here / "templates" / "shapes" / "twig.yaml").write_text(LEAF.replace("leaf", "twig"))
    assert run(["lint", "templates"]) == 0
    assert "rename it to leaf.yaml" in capsys.readouterr().err


def test_a_margin_that_leaves_no_room_is_said_to(here: Path) -> None:
    shape, recipe = here / "templates" / "shapes" / "leaf.yaml", here / "templates" / "packs" / "probe.yaml"
    shape.write_text(LEAF.replace("pieces", "canvas: {width: 20, height: 10, margin: 5}\npieces"))
    recipe.write_text(RECIPE.replace("levels:", "canvas: {width: 6, margin: 3}\nlevels:", 1))
    found = {one.code: one for one in lint([here])}
    assert "a margin of 5 on every side leaves nothing of 20×10" in found["template/margin"].message
    assert found["template/margin"].where.endswith("leaf.yaml:2:9")
    assert "a margin of 3 on every side leaves nothing of 6×28" in found["recipe/margin"].message


def test_a_thousand_mistakes_are_told_by_the_first_hundred(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = here / "templates" / "shapes" / "leaf.yaml"
    path.write_text("template: leaf\npieces:\n" + "  - grid: {columns: 0, rows: 1}\n" * 1000)
    assert run(["lint", str(path)]) == 1
    told = capsys.readouterr().err
    assert told.count("error:") == 100
    assert "and 901 more" in told
