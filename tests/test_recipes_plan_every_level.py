"""A recipe decides everything about every level, purely: the same recipe, the same plan."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from levelgen.daily import kathmandu_date
from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.faces import FaceSet, load_face_set
from levelgen.layout import violations
from levelgen.recipe import (
    Over,
    Recipe,
    daily_plans,
    layout_of,
    open_project,
    parse_recipe,
    plan,
    read_recipe,
)  # fmt: skip

ROOT = Path(__file__).parent.parent
PROJECT = open_project(ROOT / "templates" / "packs" / "eram.yaml")
ERAM = read_recipe(ROOT / "templates" / "packs" / "eram.yaml", PROJECT)
TILEMATCH = read_recipe(ROOT / "templates" / "packs" / "tilematch.yaml", PROJECT)
SETS: dict[str, FaceSet] = {"AR1": load_face_set(ROOT / "faces" / "AR1")}

HEAD = "pack: probe\nversion: 3\nruleset: {id: pairs}\nfaces: AR1\nseed: probe\n"


def recipe(levels: str, head: str = HEAD) -> Recipe:
    return parse_recipe(load(f"{head}levels:\n{levels}", "probe.yaml", "recipe"), ["a", "b", "c", "d", "e"], SETS)


def test_a_number_goes_from_one_end_of_the_range_to_the_other() -> None:
    assert [Over(20, 40).at(index, 5) for index in range(5)] == [20, 25, 30, 35, 40]
    assert [Over(20, 40).at(index, 5, 2) for index in range(5)] == [20, 26, 30, 36, 40]
    assert [Over(40, 20).at(index, 3, 4) for index in range(3)] == [40, 32, 20]
    assert [Over(45, 99).at(index, 3, 3) for index in range(3)] == [45, 72, 99]
    assert Over(7, 99).at(0, 1) == 7


def test_every_level_has_its_number_seed_and_values() -> None:
    plans = plan(recipe("""\
  - {levels: 1, templates: [[a]], tiles: 16, face_down: 3, distinct: 8}
  - {levels: 2..4, templates: [[a, b@sides]], tiles: {from: 20, to: 40}, face_down: {from: 0, to: 4}}
"""))  # fmt: skip
    assert [one.level for one in plans] == [1, 2, 3, 4]
    assert [one.tiles for one in plans] == [16, 20, 30, 40]
    assert [one.face_down for one in plans] == [3, 0, 2, 4]
    assert [len(one.faces) for one in plans] == [8, 10, 15, 20]
    assert [one.seed for one in plans] == ["probe/1", "probe/2", "probe/3", "probe/4"]
    assert [str(part) for part in plans[1].parts] == ["a", "b@sides"]
    assert plans[0].ruleset.id == "pairs"


def test_faces_are_drawn_by_the_level_and_stand_in_the_order_of_the_set() -> None:
    plans = plan(recipe("  - {levels: 1..40, templates: [[a]], tiles: 20, distinct: 6}\n"))
    order = SETS["AR1"].dealable
    for one in plans:
        assert list(one.faces) == sorted(one.faces, key=order.index)
    assert len({one.faces for one in plans}) == 40
    assert len({face for one in plans for face in one.faces}) > 40


def test_an_excluded_face_is_never_dealt() -> None:
    assert "AR1_045" not in {face for one in plan(ERAM, PROJECT.library) for face in one.faces}


def test_only_and_without_narrow_the_faces() -> None:
    head = HEAD.replace("faces: AR1", "faces: {set: AR1, only: [AR1_009, AR1_002, AR1_004], without: [AR1_004]}")
    plans = plan(recipe("  - {levels: 1, templates: [[a]], tiles: 20}\n", head))
    assert plans[0].faces == ("AR1_002", "AR1_009")


def test_neighbouring_levels_are_made_of_different_templates() -> None:
    plans = plan(recipe("  - {levels: 1..60, templates: [[a], [b], [c], [d], [e]], tiles: 20}\n"))
    for index in range(3, 60):
        assert plans[index].parts not in {one.parts for one in plans[index - 3 : index]}
    twos = plan(recipe("  - {levels: 1..20, templates: [[a], [b]], tiles: 20}\n"))
    assert all(first.parts != second.parts for first, second in pairwise(twos))


def test_a_heavier_choice_comes_more_often() -> None:
    weighted = "[{parts: [a], weight: 8}, [b], [c], [d], [e]]"
    plans = plan(recipe(f"  - {{levels: 1..200, templates: {weighted}, tiles: 20}}\n"))
    names = [one.parts[0].template for one in plans]
    assert names.count("a") == max(names.count(name) for name in "abcde")


def test_the_plan_is_the_same_again_and_hangs_on_the_seed() -> None:
    assert plan(ERAM, PROJECT.library) == plan(
        read_recipe(ROOT / "templates" / "packs" / "eram.yaml", PROJECT), PROJECT.library
    )
    text = "  - {levels: 1..20, templates: [[a], [b], [c]], tiles: 20, distinct: 5}\n"
    other = plan(recipe(text, HEAD.replace("seed: probe", "seed: other")))
    assert [one.faces for one in plan(recipe(text))] != [one.faces for one in other]


def test_a_later_section_changes_nothing_before_it() -> None:
    first = "  - {levels: 1..20, templates: [[a], [b], [c]], tiles: 20, distinct: 5}\n"
    more = first + "  - {levels: 21..22, templates: [[d]], tiles: 30}\n"
    assert plan(recipe(more))[:20] == plan(recipe(first))


def test_the_first_level_of_eram_is_the_reference_board() -> None:
    one = plan(ERAM, PROJECT.library)[0]
    assert (one.tiles, one.face_down) == (16, 3)
    assert len(layout_of(one, PROJECT.library)) == 16


def test_eram_grows_gently_to_144_tiles_over_60_levels() -> None:
    plans = plan(ERAM, PROJECT.library)
    assert len(plans) == 60
    assert plans[-1].tiles == 144
    for before, after in pairwise(plans):
        assert before.tiles <= after.tiles <= before.tiles + 6
        assert before.face_down - 2 <= after.face_down <= before.face_down + 2
    assert all(len(one.parts) > 1 for one in plans[1:])


def test_tile_match_follows_its_table() -> None:
    table = {"easy": (45, 3, 8), "medium": (72, 4, 14), "hard": (99, 5, 16)}
    plans = plan(TILEMATCH, PROJECT.library)
    for tier, (tiles, layers, pictures) in table.items():
        own = [one for one in plans if one.tier == tier]
        assert len(own) == 20
        for one in own:
            layout = layout_of(one, PROJECT.library)
            assert (len(layout), layout.layers, one.faces) == (tiles, layers, PROJECT.sets["nepal"].dealable[:pictures])


@pytest.mark.parametrize("shipped", [ERAM, TILEMATCH], ids=["eram", "tilematch"])
def test_every_level_that_ships_composes_soundly(shipped: Recipe) -> None:
    for one in plan(shipped, PROJECT.library):
        layout = layout_of(one, PROJECT.library)
        assert len(layout) == one.tiles
        assert violations(layout, canvas=one.canvas, group=one.ruleset.group) == ()


def test_a_deal_of_the_day_hangs_on_channel_tier_and_date_only() -> None:
    day = date(2026, 11, 30)
    plans = daily_plans(TILEMATCH, day)
    assert [one.tier for one in plans] == ["easy", "medium", "hard"]
    assert [one.seed for one in plans] == [f"tilematch-daily-1/{one.tier}/2026-11-30" for one in plans]
    assert daily_plans(TILEMATCH, day) == plans
    assert {one.seed for one in plans}.isdisjoint({one.seed for one in daily_plans(TILEMATCH, date(2026, 12, 1))})
    with pytest.raises(Malformed, match="recipe/no-daily"):
        daily_plans(ERAM, day)


def test_the_day_changes_at_midnight_in_kathmandu() -> None:
    assert kathmandu_date(datetime(2026, 11, 30, 18, 14, 59, tzinfo=UTC)) == date(2026, 11, 30)
    assert kathmandu_date(datetime(2026, 11, 30, 18, 15, 0, tzinfo=UTC)) == date(2026, 12, 1)
