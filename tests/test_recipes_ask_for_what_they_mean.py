"""A recipe may say what it means: templates by tag and size, numbers over a pack, budgets of faces, hidden tiles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.faces import load_face_set
from levelgen.level import deal_level
from levelgen.recipe import Hide, LevelPlan, Recipe, layout_of, lint, parse_recipe, plan
from levelgen.solve.guess_free import lifts_never_lose
from levelgen.template import compose, read_library
from tests.boards import board
from tests.project import ROOT, new_project

LIBRARY = read_library(ROOT / "templates" / "shapes", root=ROOT)
SETS = {name: load_face_set(ROOT / "faces" / name) for name in ("AR1", "nepal")}
HEAD = "pack: probe\nversion: 1\nruleset: {id: pairs}\nfaces: AR1\nseed: probe\nlevels:\n"


def recipe(levels: str, head: str = HEAD) -> Recipe:
    return parse_recipe(load(head + levels, "p.yaml", "recipe"), LIBRARY, SETS)


def codes(levels: str) -> list[str]:
    with pytest.raises(Malformed) as caught:
        recipe(levels)
    return [f"{one.code.removeprefix('recipe/')} {one.where.removeprefix('p.yaml:')}" for one in caught.value.findings]


def plans(levels: str) -> tuple[LevelPlan, ...]:
    return plan(recipe(levels), LIBRARY)


def test_any_template_with_a_tag_and_a_size_will_do() -> None:
    levels = plans("  - {levels: 1..30, templates: [[{any: {tags: [symmetric], tiles: [60, 80]}}]], tiles: 60}\n")
    names = [one.parts[0].template for one in levels]
    for name in names:
        assert "symmetric" in LIBRARY[name].tags
        assert 60 <= len(compose(LIBRARY[name], LIBRARY, "x")) <= 80
    assert len(set(names)) > 5
    assert all(len({*names[at : at + 4]}) == 4 for at in range(27)), "neighbours differ where there are enough"


def test_what_is_drawn_hangs_on_names_and_seed_only() -> None:
    text = "  - {levels: 1..9, templates: [[{any: {tags: [top]}, place: sides}]], tiles: 20}\n"
    assert plans(text) == plans(text)
    other = plan(recipe(text, HEAD.replace("seed: probe", "seed: other")), LIBRARY)
    assert [one.parts for one in other] != [one.parts for one in plans(text)]
    assert {one.parts[0].place for one in plans(text)} == {"sides"}


def test_a_tag_can_be_ruled_out() -> None:
    levels = plans("  - {levels: 1..30, templates: [[{any: {tags: [symmetric], without: [heap, top]}}]], tiles: 60}\n")
    assert not {tag for one in levels for tag in LIBRARY[one.parts[0].template].tags} & {"heap", "top"}


def test_numbers_of_templates_go_over_the_pack() -> None:
    part = "{template: heap-block, with: {columns: {from: 4, to: 8}, rows: 6}}"
    levels = plans(f"  - {{levels: 1..5, templates: [[{part}]], tiles: 40}}\n")
    assert [dict(one.parts[0].arguments)["columns"] for one in levels] == [4, 5, 6, 7, 8]
    assert {dict(one.parts[0].arguments)["rows"] for one in levels} == {6}


def test_copies_bound_how_often_a_face_is_shown() -> None:
    levels = plans("  - {levels: 1..5, templates: [[turtle]], tiles: {from: 40, to: 80}, copies: {from: 4, to: 2}}\n")
    assert [len(one.faces) for one in levels] == [10, 13, 15, 35, 40]


def test_hidden_tiles_lie_where_the_recipe_allows() -> None:
    deal = board(
        """
        AABBCC
        AABBCC
        -- 1
        .DDAA
        .DDAA
        -- 2
        ..BB
        ..BB
        """
    )
    layout = deal.board.layout
    assert Hide().tiles(layout) == (0, 1, 2, 3, 4, 5)
    assert Hide(most=0).tiles(layout) == (5,)
    assert Hide(least=1).tiles(layout) == (0, 1, 2, 3, 4)
    assert Hide(least=2).tiles(layout) == (1,)
    assert Hide(layers=(1, 2)).tiles(layout) == (3, 4, 5)
    assert Hide(most=1, layers=(0,)).tiles(layout) == (0, 2)


def test_a_level_is_dealt_with_no_other_tiles_hidden_and_no_rejected_attempt() -> None:
    deal = board("AABBCCDDEE\nAABBCCDDEE\n-- 1\n.AABBCCDD\n.AABBCCDD\n-- 2\n...EE\n...EE")
    (asked,) = plans("  - {levels: 1, templates: [[turtle]], tiles: 144, face_down: 2}\n")
    level = replace(asked, faces=("sun", "moon"), face_down=4, hide=Hide(layers=(1,)))
    rejected: set[int] = set()
    for _ in range(5):
        attempt, dealt, _ = deal_level(replace(level, rejected=frozenset(rejected)), deal.board)
        assert attempt not in rejected
        assert dealt.face_down == (5, 6, 7, 8)
        rejected.add(attempt)


def test_where_guessing_may_not_lose_a_deal_that_a_lift_can_lose_is_passed_over() -> None:
    deal = board("AABBCCDDEEAA\nAABBCCDDEEAA\n-- 1\n.BBCC\n.BBCC", tray=2)
    (asked,) = plans("  - {levels: 1, templates: [[turtle]], tiles: 144, face_down: 2}\n")
    passed_over = 0
    for number in range(8):
        free = replace(asked, faces=("sun", "moon"), seed=f"guess/{number}", face_down=2)
        attempt, dealt, _ = deal_level(replace(free, guess_free=True), deal.board)
        assert lifts_never_lose(dealt).verdict == "yes"
        first, loose, _ = deal_level(free, deal.board)
        if first != attempt:
            assert lifts_never_lose(loose).verdict == "no"
            passed_over += 1
    assert passed_over


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ("  - {levels: 1, templates: [[{any: {tags: [symetric]}}]], tiles: 20}\n", ["unknown-tag 7:46"]),
        ("  - {levels: 1, templates: [[{any: {tags: [top], tiles: [90, 91]}}]], tiles: 20}\n", ["no-template 7:32"]),
        ("  - {levels: 1, templates: [[{any: {}}]], tiles: 20}\n", ["value 7:37"]),
        ("  - {levels: 1, templates: [[{any: {tags: [top]}, template: cap}]], tiles: 20}\n", ["too-many-kinds 7:53"]),
        ("  - {levels: 1, templates: [[{place: on}]], tiles: 20}\n", ["missing-key 7:32"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 20, copies: 3}\n", ["copies 7:58"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 20, copies: 2, distinct: 5}\n", ["copies 7:58"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 200, copies: 2}\n", ["copies 7:59"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 20, hide: {covered: [0, 1]}}\n", ["hide 7:50"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 20, face_down: 1, hide: {covered: [2, 1]}}\n", ["range 7:80"]),
        ("  - {levels: 1, templates: [[cap]]}\n", ["missing-key 7:5"]),
        ("  - {levels: 1, templates: [[cap]], tiles: 20, board: b.json}\n", ["too-many-kinds 7:57"]),
    ],
)
def test_each_mistake_is_told_at_its_place(levels: str, expected: list[str]) -> None:
    found = codes(levels)
    assert [one.split()[0] for one in found] == [one.split()[0] for one in expected]
    assert [one.split()[1].split(":")[0] for one in found] == ["7"]


def test_lint_tells_which_level_has_too_few_tiles_to_hide(tmp_path: Path) -> None:
    path = new_project(tmp_path)
    path.write_text(path.read_text().replace("face_down: 2", "face_down: 8\n    hide: {layers: [1]}"))
    findings = lint([path])
    assert {one.code for one in findings} == {"recipe/hide"}
    assert "4 may" in findings[0].message


def test_lint_composes_every_template_that_suits(tmp_path: Path) -> None:
    path = new_project(tmp_path, block="template: block\ntags: [base]\npieces:\n  - grid: {columns: 5, rows: 4}\n")
    huge = "template: huge\ntags: [base]\ncanvas: {width: 60}\npieces:\n  - grid: {columns: 20, rows: 1}\n"
    (tmp_path / "templates" / "shapes" / "huge.yaml").write_text(huge)
    path.write_text(path.read_text().replace("[[block, top]]", "[[{any: {tags: [base]}}, top]]"))
    assert {one.code for one in lint([path])} == {"recipe/off-canvas"}


def test_layouts_of_such_levels_are_what_was_asked_for() -> None:
    for one in plans("  - {levels: 1..8, templates: [[{any: {tags: [medium]}}]], tiles: {from: 48, to: 64}}\n"):
        assert len(layout_of(one, LIBRARY)) == one.tiles
