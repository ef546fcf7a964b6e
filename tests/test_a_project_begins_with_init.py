"""`init` makes a project that lints and builds as it stands; `try` says how forgiving a template is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from levelgen.board import Board
from levelgen.cli import run
from levelgen.document import read
from levelgen.faces import check, load_face_set
from levelgen.layout import parse
from levelgen.pack.records import parse_boards
from levelgen.rules import RULESETS
from levelgen.solve import prove
from levelgen.template import read_library
from levelgen.trial import try_seed, uniform_deal, whole_groups
from tests.project import ROOT, tree

LIBRARY = read_library(ROOT / "templates" / "shapes", root=ROOT)


@pytest.mark.parametrize("ruleset", ["pairs", "triples"])
def test_a_new_project_lints_builds_and_verifies(
    ruleset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "dale", "--ruleset", ruleset]) == 0
    monkeypatch.chdir(tmp_path / "dale")
    assert run(["lint"]) == 0
    assert run(["try", "hill", "--seeds", "1..5", "--ruleset", ruleset]) == 0
    assert run(["build", "templates/packs/dale.yaml", "--jobs", "1"]) == 0
    assert run(["verify", "out/dale"]) == 0
    assert "10 levels" in capsys.readouterr().out


def test_init_writes_headers_for_both_editors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "dale"]) == 0
    files = [*Path("dale").rglob("*.yaml")]
    assert len(files) == 6
    for path in files:
        first, second = path.read_text().split("\n")[:2]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        assert second == f"# $schema: {schema}"
        kind = json.loads((path.parent / schema).read_text())["title"].removeprefix("levelgen ")
        read(path, {"pack recipe": "recipe", "face set": "faceset"}.get(kind, kind))


@pytest.mark.parametrize("page", ["templates.md", "tutorial.md"])
def test_a_template_of_the_documents_can_be_pasted_into_a_new_project(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "dale"]) == 0
    monkeypatch.chdir("dale")
    text = (ROOT / "docs" / page).read_text()
    block = text.partition("```yaml\n")[2].partition("```")[0]
    name = block.partition("template: ")[2].partition("\n")[0]
    Path(f"templates/shapes/{name}.yaml").write_text(block)
    assert run(["lint"]) == 0


def test_the_starter_faces_have_no_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "dale", "--json"]) == 0
    assert check(load_face_set(Path("dale/faces/letters"))) == ()


def test_init_makes_the_same_files_each_time_and_spoils_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["init", "one/dale"]) == 0
    assert run(["init", "two/dale"]) == 0
    assert tree(Path("one")) == tree(Path("two"))
    assert run(["init", "one/dale"]) == 2
    assert run(["init", "Dale!"]) == 2
    assert tree(Path("one")) == tree(Path("two"))


def test_try_counts_what_the_kernel_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shapes = str(ROOT / "templates" / "shapes" / "knoll.yaml")
    odd = tmp_path / "odd.jsonl"
    assert run(["try", shapes, "--seeds", "1..40", "--json", "--faces", "4", "-o", str(odd)]) == 0
    out, talk = capsys.readouterr()
    told = json.loads(out)
    knoll = whole_groups(LIBRARY["knoll"], LIBRARY, 2, "1")
    verdicts = [try_seed(knoll, RULESETS["pairs"], str(n), faces=4).verdict for n in range(1, 41)]
    assert told["schema"] == "levelgen/try/1"
    assert told["deals"] == 40
    assert (told["winnable"], told["dead"]) == (verdicts.count("solved"), verdicts.count("unsolvable"))
    assert told["winnable"] + told["dead"] + told["undecided"] == 40
    boards = parse_boards(odd.read_bytes())
    assert len(boards) == len(told["odd"])
    dead = told["dead"]
    assert talk.endswith(f"{dead + 3} deals, by line: 1..{dead} dead, {dead + 1}..{dead + 3} hardest\n")
    for deal, one in zip(boards, told["odd"], strict=True):
        assert prove(deal).verdict == ("solved" if one["why"] == "hardest" else "unsolvable")


def test_a_deal_without_looking_shows_each_face_in_whole_groups() -> None:
    layout, _ = parse("aabbccddee\naabbccddee\nffgghhiijj\nffgghhiijj\n")
    deal = uniform_deal(layout, RULESETS["pairs"], 2, 3, "1")
    assert sorted(deal.faces.count(face) for face in set(deal.faces)) == [4, 6]
    assert len(deal.face_down) == 3
    assert deal.board == Board.compile(layout, RULESETS["pairs"])
    assert uniform_deal(layout, RULESETS["pairs"], 2, 3, "1") == deal
    assert len({uniform_deal(layout, RULESETS["pairs"], 5, 0, str(seed)).faces for seed in range(20)}) > 15


def test_a_template_with_an_odd_count_is_trimmed_to_whole_groups() -> None:
    trial = try_seed(whole_groups(LIBRARY["gem"], LIBRARY, 3, "1"), RULESETS["triples"], "1")
    assert len(trial.deal.faces) == 12


@pytest.mark.parametrize(
    "arguments",
    [
        ["try", "knol"],
        ["try", "nothing.yaml"],
        ["try", "knoll", "--seeds", "9..1"],
        ["try", "knoll", "--seeds", "one"],
        ["try", "knoll", "--seeds", "1..1000000"],
        ["try", "knoll", "--faces", "99"],
        ["try", "knoll", "--face-down", "3", "--ruleset", "triples"],
    ],
)
def test_try_refuses_what_cannot_be(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run(arguments) == 2
