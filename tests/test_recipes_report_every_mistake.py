"""What a recipe cannot mean is told with its place, every mistake at once, before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.document import load
from levelgen.errors import Finding, Malformed
from levelgen.faces import load_face_set
from levelgen.recipe import lint, open_project, parse_recipe
from tests.project import ROOT, new_project

SETS = {name: load_face_set(ROOT / "faces" / name) for name in ("AR1", "nepal")}
NAMES = ["turtle", "ring", "heap"]
GOOD = """\
pack: probe
version: 1
ruleset: {id: pairs}
faces: AR1
seed: probe
levels:
  - levels: 1..10
    templates: [[turtle, ring@sides]]
    tiles: {from: 20, to: 40}
    face_down: 3
    distinct: 10
"""


def told(text: str) -> list[Finding]:
    try:
        parse_recipe(load(text, "p.yaml", "recipe"), NAMES, SETS)
    except Malformed as error:
        return list(error.findings)
    return []


def codes(text: str) -> list[str]:
    return [f"{one.code.removeprefix('recipe/')} {one.where.removeprefix('p.yaml:')}" for one in told(text)]


def test_a_sound_recipe_has_no_findings() -> None:
    assert codes(GOOD) == []


def test_every_missing_key_is_told_at_once() -> None:
    missing = [one.message for one in told("pack: probe\ntitle: Probe\n")]
    assert missing == [f"`{key}` is missing" for key in ("faces", "levels", "ruleset", "seed", "version")]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("seed: probe", "seeds: probe", ["missing-key 1:1", "unknown-key 5:1"]),
        ("version: 1", "version: 1.0", ["type 2:10"]),
        ("version: 1", "version: 0", ["range 2:10"]),
        ("version: 1", "version: 1\nprevious: abc", ["value 3:11"]),
        ("pack: probe", "pack: Pröbe", ["value 1:7"]),
        ("seed: probe", "seed: 'a b'", ["value 5:7"]),
        ("{id: pairs}", "{id: pears}", ["value 3:15"]),
        ("{id: pairs}", "{id: pairs, tray: 1}", ["range 3:28"]),
        ("{id: pairs}", "{id: pairs, group: 3}", ["group 3:29"]),
        ("{id: pairs}", "{id: pairs, blocking: [cover, diagonal]}", ["value 3:40"]),
        ("{id: pairs}", "{id: triples, loss: no-move}", ["unknown-key 3:24"]),
        ("faces: AR1", "faces: AR2", ["unknown-face-set 4:8"]),
        ("faces: AR1", "faces: {set: AR1, only: [AR1_001, AR1_045]}", ["excluded-face 4:35", "too-few-faces 11:15"]),
        ("faces: AR1", "faces: {set: AR1, without: [AR1_999]}", ["unknown-face 4:29"]),
        ("levels: 1..10", "levels: 2..10", ["levels 7:13"]),
        ("levels: 1..10", "levels: 10..1", ["levels 7:13", "levels 7:13"]),
        ("levels: 1..10", "levels: one", ["value 7:13"]),
        ("[turtle, ring@sides]", "[turtel, ring@sides]", ["unknown-template 8:18"]),
        ("[turtle, ring@sides]", "[turtle, ring@beside]", ["value 8:26"]),
        ("from: 20", "from: 21", ["tiles 9:19"]),
        ("{from: 20, to: 40}", "21", ["tiles 9:12"]),
        ("{from: 20, to: 40}", "{from: 20}", ["missing-key 9:12"]),
        ("face_down: 3", "face_down: 21", ["face-down 10:16"]),
        ("distinct: 10", "distinct: 11", ["too-many-faces 11:15"]),
        ("distinct: 10", "distinct: 60", ["too-few-faces 11:15", "too-many-faces 11:15"]),
        ("distinct: 10", "pictures: {first: 60}", ["too-few-faces 11:23", "too-many-faces 11:15"]),
        ("distinct: 10", "faces: [AR1_001, AR1_045, AR1_003, x]\n    distinct: 2",
         ["excluded-face 11:22", "unknown-face 11:40"]),
        ("distinct: 10", "distinct: 10\ndaily: {seed: x, tiers: [easy]}", ["unknown-tier 12:26"]),
        ("distinct: 10", "distinct: 10\n  - {levels: 12..13, templates: [[ring]], tiles: 20}", ["levels 12:14"]),
        ("distinct: 10", "distinct: 10\n  - {levels: 9..13, templates: [[ring]], tiles: 20}", ["levels 12:14"]),
        ("distinct: 10", "distinct: 10\n    distinct: 9", ["duplicate-key 12:5"]),
    ],
)  # fmt: skip
def test_each_mistake_is_told_at_its_place(old: str, new: str, expected: list[str]) -> None:
    assert old in GOOD
    assert sorted(codes(GOOD.replace(old, new))) == sorted(expected)


def test_all_mistakes_are_told_at_once() -> None:
    text = GOOD.replace("tiles: {from: 20", "tiles: {from: 21").replace("turtle", "turtel").replace("ring", "rin")
    assert codes(text) == ["unknown-template 8:18", "unknown-template 8:26", "tiles 9:19"]


def test_every_tile_of_a_level_may_lie_face_down() -> None:
    assert codes(GOOD.replace("face_down: 3", "face_down: 20")) == []
    assert codes(GOOD.replace("face_down: 3", "face_down: 21")) == ["face-down 10:16"]


def test_triples_have_neither_face_down_tiles_nor_counted_tools() -> None:
    text = GOOD.replace("id: pairs", "id: triples").replace("from: 20, to: 40", "from: 21, to: 42")
    text = text.replace("faces: AR1", "faces: nepal\ntools: {undo: 3}").replace("distinct: 10", "distinct: 7")
    assert codes(text) == ["tools 5:1", "face-down 11:5"]


def test_misspelt_templates_faces_and_sets_get_a_suggestion() -> None:
    text = GOOD.replace("turtle", "turtel").replace("faces: AR1", "faces: {set: AR1, without: [AR1_01]}")
    assert [one.fix[:17] for one in told(text)] == ["did you mean `AR1", "did you mean `tur"]
    assert told(GOOD.replace("faces: AR1", "faces: AR11"))[0].fix == "did you mean `AR1`?"


def test_lint_composes_every_choice_of_a_recipe_even_those_no_level_drew(tmp_path: Path) -> None:
    path = new_project(tmp_path)
    assert lint([tmp_path / "templates"]) == ()
    text = path.read_text().replace("[[block, top]]", "[{parts: [block, top], weight: 1000}, [top, block@above]]")
    path.write_text(text.replace("seed: probe", "seed: probe\ncanvas: {height: 12}"))
    (finding,) = lint([path])
    assert finding.code == "recipe/off-canvas"
    assert finding.where.endswith("probe.yaml:10:54")


def test_lint_says_which_counts_the_templates_can_reach(tmp_path: Path) -> None:
    path = new_project(tmp_path)
    path.write_text(path.read_text().replace("to: 26", "to: 1000"))
    findings = lint([path])
    assert {finding.code for finding in findings} == {"recipe/unreachable"}
    assert "gives 2 …" in findings[0].message


def test_a_recipe_outside_any_project_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "lost.yaml").write_text(GOOD)
    with pytest.raises(Malformed, match="project/missing"):
        open_project(tmp_path / "lost.yaml")


def test_opening_a_project_tells_every_mistake_of_its_templates(tmp_path: Path) -> None:
    path = new_project(tmp_path, block="template: block\npieces:\n  - gird: {}\n  - grid: {columns: 99}\n")
    with pytest.raises(Malformed) as caught:
        open_project(path)
    assert [one.code for one in caught.value.findings] == ["template/unknown-key", "template/range"]
