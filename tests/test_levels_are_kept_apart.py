"""No level is too like the ones before it, and what somebody rejected does not come back."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from levelgen.build import Order, build
from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.faces import load_face_set
from levelgen.layout import Layout, likeness, parse
from levelgen.pack.signing import demo_key
from levelgen.recipe import Asked, Choice, Recipe, layout_of, lint, parse_recipe, plan
from levelgen.template import read_library
from levelgen.verify import TrustRoot, open_pack
from tests.project import ROOT, new_project

LIBRARY = read_library(ROOT / "templates" / "shapes", root=ROOT)
SETS = {"AR1": load_face_set(ROOT / "faces" / "AR1")}
HEAD = "pack: probe\nversion: 1\nruleset: {id: pairs}\nfaces: AR1\nseed: probe\n"
LEVELS = "levels:\n  - {levels: 1..12, templates: [[cap], [garden], [{any: {tags: [heap]}}]], tiles: 40}\n"


def recipe(text: str) -> Recipe:
    return parse_recipe(load(HEAD + text, "p.yaml", "recipe"), LIBRARY, SETS)


def drawn(text: str) -> Layout:
    return parse(text)[0]


def test_a_layout_is_wholly_like_itself_and_its_mirror_images() -> None:
    one = drawn("aabb\naabb\ncc..\ncc..\n")
    assert likeness(one, one) == 100
    assert likeness(one, drawn("....bbaa\n....bbaa\n......cc\n......cc\n")) == 100
    assert likeness(one, drawn("cc..\ncc..\naabb\naabb\n")) == 100


def test_likeness_is_the_share_of_places_that_both_have() -> None:
    one, other = drawn("aabbcc\naabbcc\n"), drawn("aabb\naabb\n")
    assert likeness(one, other) == likeness(other, one) == 66
    assert likeness(one, drawn("aabbcc\naabbcc\n-- 1\naa\naa\n")) == 75
    assert likeness(one, Layout(())) == 0


def test_levels_near_one_another_are_no_more_alike_than_allowed() -> None:
    free = plan(recipe(LEVELS), LIBRARY)
    kept = plan(recipe("apart: {likeness: 60, levels: 1}\n" + LEVELS), LIBRARY)
    layouts = [layout_of(one, LIBRARY) for one in kept]
    assert all(likeness(one, other) <= 60 for one, other in pairwise(layouts))
    assert any(likeness(layout_of(a, LIBRARY), layout_of(b, LIBRARY)) > 60 for a, b in pairwise(free))
    again = [one.seed for one in kept if "~" in one.seed]
    assert again
    assert all(one.seed.startswith(f"probe/{one.level}") for one in kept)


def test_levels_may_be_as_alike_as_is_allowed_and_no_more() -> None:
    """The second level is drawn again only where it is above the percentage, not where it is at it."""
    two = LEVELS.replace("1..12", "1..2")
    first, second = (layout_of(one, LIBRARY) for one in plan(recipe(two), LIBRARY))
    alike = likeness(first, second)
    assert 0 < alike < 100

    def seeds(percent: int) -> list[str]:
        return [one.seed for one in plan(recipe(f"apart: {{likeness: {percent}, levels: 1}}\n{two}"), LIBRARY)]

    assert seeds(alike) == ["probe/1", "probe/2"]
    assert seeds(alike - 1)[1].startswith("probe/2~")


def test_of_four_templates_that_suit_each_comes_back_after_three_others() -> None:
    asked = recipe("levels:\n  - {levels: 1..16, templates: [[{any: {tags: [heap]}}]], tiles: 40}\n")
    (section,) = asked.sections
    four = tuple(sorted(LIBRARY)[:4])
    one_of_four = replace(section, choices=(Choice((Asked(four),), 1),))
    made = [one.parts[0].template for one in plan(replace(asked, sections=(one_of_four,)))]
    assert set(made[:4]) == set(four)
    assert made[4:] == made[:-4]


def test_a_level_that_cannot_be_told_apart_is_reported() -> None:
    text = "apart: {likeness: 50}\nlevels:\n  - {levels: 1..3, templates: [[turtle]], tiles: 144}\n"
    with pytest.raises(Malformed) as caught:
        plan(recipe(text), LIBRARY)
    assert [one.code for one in caught.value.findings] == ["recipe/near-duplicate"] * 2
    assert "level 2 is 100 % like level 1" in caught.value.findings[0].message


def test_a_rejected_seed_is_passed_over() -> None:
    plans = plan(recipe("reject:\n  - {level: 3, seeds: [probe/3, probe/3~1]}\n" + LEVELS))
    assert [one.seed for one in plans[:4]] == ["probe/1", "probe/2", "probe/3~2", "probe/4"]


def test_a_rejected_attempt_is_passed_over(tmp_path: Path) -> None:
    path = new_project(tmp_path)

    def built(text: str) -> list[tuple[str, int]]:
        path.write_text(text)
        build(Order.of(path), tmp_path / "out", demo_key())
        with open_pack(tmp_path / "out", TrustRoot((demo_key().public,))) as pack:
            return [(pack.level(n).seed, pack.level(n).attempt) for n in pack.numbers]

    text = path.read_text()
    before = built(text)
    attempt = before[1][1]
    after = built(text + f"reject:\n  - {{level: 2, attempts: [{attempt}], why: dull}}\n")
    assert [after[0], after[2]] == [before[0], before[2]]
    assert after[1][0] == before[1][0]
    assert after[1][1] > attempt


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("{level: 13, seeds: [probe/13]}", "7:13"),
        ("{level: 3, seeds: [probe/4]}", "7:24"),
        ("{level: 3, seeds: [probe/3~99]}", "7:24"),
        ("{level: 3, attempts: [0]}\n  - {level: 3, attempts: [1]}", "8:13"),
        ("{level: 3}", "7:5"),
    ],
)
def test_what_was_never_drawn_cannot_be_rejected(line: str, place: str) -> None:
    with pytest.raises(Malformed) as caught:
        recipe(f"reject:\n  - {line}\n{LEVELS}")
    assert [one.where for one in caught.value.findings] == [f"p.yaml:{place}"]


def test_rejecting_every_draw_is_an_error() -> None:
    seeds = ", ".join(["probe/3", *(f"probe/3~{draw}" for draw in range(1, 32))])
    with pytest.raises(Malformed, match="recipe/rejected"):
        plan(recipe(f"reject:\n  - {{level: 3, seeds: [{seeds}]}}\n{LEVELS}"))


def test_lint_tells_of_levels_too_alike(tmp_path: Path) -> None:
    path = new_project(tmp_path)
    path.write_text(path.read_text().replace("faces: AR1", "faces: AR1\napart: {likeness: 60}"))
    assert {one.code for one in lint([path])} == {"recipe/near-duplicate"}
