"""A curve gives every level a difficulty number to reach, and says what it cannot mean."""

from __future__ import annotations

from datetime import date

import pytest

from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.faces import load_face_set
from levelgen.rate import guests
from levelgen.recipe import Recipe, Wins, daily_plans, parse_recipe, plan
from tests.project import ROOT

SETS = {name: load_face_set(ROOT / "faces" / name) for name in ("AR1", "nepal")}
HEAD = "pack: probe\nversion: 1\nruleset: {id: pairs}\nfaces: AR1\nseed: probe\n"
LEVELS = "levels:\n  - {levels: 1..8, templates: [[a]], tiles: 20, distinct: 6, face_down: 3}\n"


def read(text: str) -> Recipe:
    return parse_recipe(load(text, "p.yaml", "recipe"), ["a"], SETS)


def targets(curve: str, levels: str = LEVELS) -> list[int | None]:
    return [one.aim.target if one.aim else None for one in plan(read(f"{HEAD}{levels}curve: {curve}\n"))]


def told(text: str) -> list[str]:
    with pytest.raises(Malformed) as caught:
        read(text)
    return [f"{one.code.removeprefix('recipe/')} {one.where.removeprefix('p.yaml:')}" for one in caught.value.findings]


def test_every_form_of_curve_is_met_at_every_level() -> None:
    assert targets("{flat: 400}") == [400] * 8
    assert targets("{linear: {from: 100, to: 800}}") == [100, 200, 300, 400, 500, 600, 700, 800]
    assert targets("{points: [[2, 100], [4, 200], [7, 50]]}") == [100, 100, 150, 200, 150, 100, 50, 50]


def test_a_sawtooth_climbs_then_rests() -> None:
    assert targets("{sawtooth: {low: 100, high: 400, period: 4}}") == [100, 200, 300, 400] * 2
    assert targets("{sawtooth: {low: 100, high: 400, period: 5, rest: 3}}") == [100, 400, 100, 100, 100, 100, 400, 100]
    rising = targets("{sawtooth: {low: {from: 100, to: 170}, high: {from: 300, to: 370}, period: 4, rest: 1}}")
    assert rising == [100, 210, 320, 130, 140, 250, 360, 170]


def test_a_section_has_a_curve_of_its_own_or_none() -> None:
    levels = (
        "levels:\n"
        "  - {levels: 1, templates: [[a]], tiles: 20, curve: none}\n"
        "  - {levels: 2..4, templates: [[a]], tiles: 20}\n"
        "  - {levels: 5..7, templates: [[a]], tiles: 20, curve: {linear: {from: 10, to: 30}}}\n"
        "  - {levels: 8..9, templates: [[a]], tiles: 20, curve: {points: [[8, 1], [9, 2]]}}\n"
    )
    assert targets("{linear: {from: 100, to: 900}}", levels) == [None, 200, 300, 400, 10, 20, 30, 1, 2]


def test_what_a_level_must_keep_besides_stands_in_its_aim() -> None:
    curve = "{flat: 400, tolerance: 20, guess_free: true, wins: {bot: casual, from: 20, to: 60}, slack: {face_down: 2}}"
    aim = plan(read(f"{HEAD}{LEVELS}curve: {curve}\n"))[0].aim
    assert aim
    assert (aim.target, aim.tolerance, aim.guess_free, aim.slack.face_down) == (400, 20, True, 2)
    assert aim.wins == (Wins("casual", 20, 60),)


def test_a_curve_may_ask_for_any_bots_in_either_mind() -> None:
    wins = "[{bot: novice, from: 0, to: 20}, {bot: one-ply, sees: everything, mistakes: 50, from: 40, to: 100}]"
    aim = plan(read(f"{HEAD}{LEVELS}curve: {{flat: 400, wins: {wins}}}\n"))[0].aim
    assert aim
    assert aim.wins == (Wins("novice", 0, 20), Wins("one-ply", 40, 100, sees=True, mistakes=50))
    assert [one.name for one in aim.wins] == ["novice", "one_ply_seeing_50"]
    assert str(aim.wins[1]) == "one-ply (seeing everything, 50 mistakes)"


@pytest.mark.parametrize("bot", ["random", "greedy", "one-ply", "macro", "expert"])
def test_the_name_of_a_bot_is_read_back(bot: str) -> None:
    for sees in (False, True):
        for mistakes in (0, 1, 1000):
            found = guests.player(Wins(bot, 0, 0, sees, mistakes).name)
            assert found is not None
            assert (found.bot, found.sees, found.mistakes) == (bot, sees, mistakes)
    for name in ("novice", f"{bot}_1001", f"{bot}_0", f"{bot}_all", ""):
        assert guests.player(name) is None


def test_slack_leaves_the_planned_faces_as_they_are() -> None:
    without = plan(read(f"{HEAD}{LEVELS}curve: {{flat: 400}}\n"))
    slack = plan(read(f"{HEAD}{LEVELS}curve: {{flat: 400, slack: {{distinct: 9}}}}\n"))
    for one, other in zip(without, slack, strict=True):
        assert one.faces == other.faces
        assert set(one.faces) == set(other.drawn[:6])
        assert len(other.drawn) == 10
        assert other.least_faces == 1


def test_deals_of_the_day_have_no_target() -> None:
    head = HEAD.replace("pairs", "triples").replace("AR1", "nepal")
    levels = "levels:\n  - {levels: 1..2, tier: easy, templates: [[a]], tiles: 21}\n"
    recipe = read(f"{head}{levels}curve: {{flat: 400}}\ndaily: {{seed: d, tiers: [easy]}}\n")
    assert [one.aim for one in daily_plans(recipe, date(2026, 12, 1))] == [None]


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ("{flat: 1001}", ["range 8:15"]),
        ("{flat: 4.5}", ["type 8:15"]),
        ("{}", ["missing-key 8:8"]),
        ("none", ["type 8:8"]),
        ("{flat: 4, linear: {from: 1, to: 2}}", ["too-many-kinds 8:18"]),
        ("{linear: {from: 1}}", ["missing-key 8:17"]),
        ("{sawtooth: {low: 1, high: 9, period: 4, rest: 3}}", ["rest 8:54"]),
        ("{sawtooth: {low: {from: 1, to: 90}, high: 9, period: 4}}", ["range 8:25"]),
        ("{sawtooth: {low: 1, high: 9, period: 1}}", ["range 8:45"]),
        ("{points: []}", ["length 8:17"]),
        ("{points: [[1, 2], [1, 3]]}", ["points 8:26"]),
        ("{points: [[0, 2]]}", ["points 8:18"]),
        ("{points: [[1, 1001]]}", ["points 8:18"]),
        ("{points: [[1, 2, 3]]}", ["length 8:18"]),
        ("{flat: 4, tolerance: 0}", ["range 8:29"]),
        ("{flat: 4, slack: {tiles: 3}}", ["unknown-key 8:26"]),
        ("{flat: 4, par: 4}", ["par 8:18"]),
        ("{flat: 4, wins: {bot: clever, from: 1, to: 2}}", ["value 8:30"]),
        ("{flat: 4, wins: {bot: casual, from: 9, to: 2}}", ["range 8:51"]),
        ("{flat: 4, wins: {bot: novice, mistakes: 3, sees: player, from: 1, to: 2}}", ["wins 8:51", "wins 8:38"]),
        ("{flat: 4, wins: [{bot: macro, from: 1, to: 2}, {bot: macro, from: 3, to: 4}]}", ["wins 8:61"]),
        ("{flat: 4, wins: []}", ["length 8:24"]),
        ("{flat: 4, wins: {bot: macro, mistakes: 1001, from: 1, to: 2}}", ["range 8:47"]),
        ("{flat: 4, wins: {bot: macro, sees: all, from: 1, to: 2}}", ["value 8:43"]),
        ("{falt: 4}", ["unknown-key 8:9"]),
    ],
)
def test_what_a_curve_cannot_mean_is_told_with_its_place(curve: str, expected: list[str]) -> None:
    assert told(f"{HEAD}{LEVELS}curve: {curve}\n") == expected


def test_triples_have_their_own_constraints() -> None:
    head = HEAD.replace("pairs", "triples").replace("AR1", "nepal")
    levels = "levels:\n  - {levels: 1..2, templates: [[a]], tiles: 21}\n"
    curve = "curve: {flat: 4, par: 9, guess_free: true, slack: {face_down: 1}}\n"
    assert told(head + levels + curve) == ["par 8:23", "face-down 8:26", "face-down 8:52"]


def test_a_pinned_level_has_no_curve() -> None:
    levels = "levels:\n  - {levels: 1, board: there.json, curve: {flat: 4}}\n"
    assert "pinned 7:36" in told(HEAD + levels)
