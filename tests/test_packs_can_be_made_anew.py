"""`verify --regenerate` makes levels anew and compares bytes; what another generator made is not judged."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.errors import Undecided
from levelgen.pack.signing import DEMO_TRUST
from levelgen.regenerate import regenerate
from levelgen.verify import daily_level, open_pack
from tests.project import new_project
from tests.test_deals_of_the_day_are_the_same_for_everybody import TWO

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A recipe, its pack, and a pack of its deals of two days."""
    folder = tmp_path_factory.mktemp("made")
    recipe = new_project(folder, recipe=TWO)
    pack, days = folder / "probe", folder / "days"
    assert run(["build", str(recipe), "-o", str(pack), "--jobs", "1", "--no-cache", "--prover", "none"]) == 0
    span = ["daily", "--from", "2027-12-31", "--to", "2028-01-01", "--recipe", str(recipe)]
    assert run([*span, "-o", str(days), "--jobs", "1"]) == 0
    return recipe, pack, days


def test_a_pack_is_what_its_recipe_gives(made: tuple[Path, Path, Path], capsys: Capture) -> None:
    recipe, pack, days = made
    for path in (pack, days):
        capsys.readouterr()
        assert run(["verify", str(path), "--regenerate", str(recipe), "--json"]) == 0
        check = json.loads(capsys.readouterr().out)["checks"][-1]
        assert (check["name"], check["status"]) == ("regenerated", "ok")


def test_a_server_compares_the_one_level_it_judges(made: tuple[Path, Path, Path]) -> None:
    recipe, _, days = made
    with open_pack(days, DEMO_TRUST) as pack:
        record = daily_level(pack, "easy", date(2028, 1, 1))
        assert regenerate(pack, recipe, range(record.level, record.level + 1)) == ()


def test_what_is_made_otherwise_is_named(made: tuple[Path, Path, Path], tmp_path: Path, capsys: Capture) -> None:
    _, pack, days = made
    other = new_project(tmp_path, recipe=TWO.replace("seed: probe", "seed: other").replace("channel", "elsewhere"))
    assert run(["verify", str(pack), "--regenerate", str(other), "--levels", "2", "--json"]) == 3
    (finding,) = json.loads(capsys.readouterr().out)["checks"][-1]["findings"]
    assert (finding["code"], finding["where"]) == ("regenerate/differs", "level 2")
    assert "faces" in finding["message"]
    assert "seed" in finding["message"]
    with open_pack(days, DEMO_TRUST) as opened:
        assert {finding.code for finding in regenerate(opened, other)} == {"regenerate/differs"}
    short = new_project(
        tmp_path / "short", recipe=TWO.replace("title: Probe", "title: Other").partition("  - levels: 2")[0]
    )
    with open_pack(pack, DEMO_TRUST) as opened:
        found = [(finding.code, finding.where) for finding in regenerate(opened, short)]
    assert found == [("regenerate/manifest", str(pack)), ("regenerate/no-level", "level 2")]


def test_figures_of_difficulty_are_asserted_and_compared_when_made_anew(
    made: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    recipe, _, _ = made
    with monkeypatch.context() as patched:
        patched.setattr("levelgen.level.SEED", "other games")
        assert (
            run(["build", str(recipe), "-o", str(tmp_path / "pack"), "--jobs", "1", "--no-cache", "--levels", "1"]) == 0
        )
    assert run(["verify", str(tmp_path / "pack")]) == 0
    capsys.readouterr()
    again = ["--regenerate", str(recipe), "--levels", "1", "--json"]
    assert run(["verify", str(tmp_path / "pack"), *again]) == 3
    (finding,) = json.loads(capsys.readouterr().out)["checks"][-1]["findings"]
    assert finding["message"] == "is made otherwise today: difficulty"


def test_another_generators_pack_is_not_judged(
    made: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    recipe, pack, _ = made
    monkeypatch.setattr("levelgen.regenerate.GENERATOR", 999_999)
    assert run(["verify", str(pack), "--regenerate", str(recipe), "--json"]) == 4
    check = json.loads(capsys.readouterr().out)["checks"][-1]
    assert check["status"] == "not checked"
    assert check["note"].startswith("generator-mismatch: ")
    with open_pack(pack, DEMO_TRUST) as opened, pytest.raises(Undecided) as caught:
        regenerate(opened, recipe)
    assert [finding.code for finding in caught.value.findings] == ["generator-mismatch"]
