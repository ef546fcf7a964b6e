"""The difficulty number can be fitted to what real players did: a curve that never falls, judged on levels held out."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.errors import Malformed
from levelgen.rate.calibration import (
    Calibration,
    Plays,
    calibrate,
    parse_calibration,
    rank_correlation,
    read_plays,
)

PLAYED = [Plays(str(level), 20 * level, 100, 100 - 2 * level) for level in range(1, 41)]


def told(text: str, ratings: dict[str, int] | None = None) -> list[str]:
    with pytest.raises(Malformed) as caught:
        read_plays(text, "plays.csv", ratings)
    return [f"{one.code} {one.where}" for one in caught.value.findings]


def test_levels_that_players_rank_alike_are_fitted_exactly() -> None:
    fitted = calibrate(PLAYED, 1)
    assert (fitted.levels, fitted.held_out, fitted.rank_correlation, fitted.error) == (32, 8, 1000, 0)
    assert [fitted.apply(number) for number in (200, 210, 400, 600)] == [200, 210, 400, 600]
    assert fitted.apply(0) == fitted.points[0][1]
    assert fitted.apply(1000) == fitted.points[-1][1]


def test_levels_out_of_order_are_pooled_by_how_much_they_were_played() -> None:
    plays = [Plays(f"a{index}", 100, 30, 15) for index in range(5)] + [
        Plays(f"b{index}", 200, 10, 9) for index in range(5)
    ]
    made = calibrate(plays, 1)
    # One of each or two of a kind are held out: 64 of 160, 49 of 140 or 78 of 180 games were lost by the rest.
    assert made.apply(100) == made.apply(150) == made.apply(200)
    assert made.apply(100) in (400, 350, 433)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(1, 50), st.integers(0, 50)), min_size=10, max_size=40))
def test_a_fitted_curve_never_falls_and_does_not_mind_the_order_of_rows(rows: list[tuple[int, int, int]]) -> None:
    plays = [Plays(str(index), rating, played, min(won, played)) for index, (rating, played, won) in enumerate(rows)]
    fitted = calibrate(plays, 1)
    values = [fitted.apply(number) for number in range(0, 1001, 7)]
    assert values == sorted(values)
    assert values[0] >= 0
    assert values[-1] <= 1000
    assert calibrate(plays[::-1], 1) == fitted


def test_rank_correlation_is_spearmans() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == 1000
    assert rank_correlation([1, 2, 3, 4], [40, 30, 20, 10]) == -1000
    assert rank_correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]) == 800
    assert rank_correlation([1, 1, 2, 2], [1, 2, 1, 2]) == 0
    assert rank_correlation([5, 5, 5], [1, 2, 3]) == 0


def test_a_calibration_reads_back_and_nothing_else_does() -> None:
    fitted = calibrate(PLAYED, 3)
    text = json.dumps(fitted.to_json())
    assert parse_calibration(text, "c.json") == fitted
    named = calibrate(PLAYED, 3, "triples")
    assert named == replace(fitted, game="triples")
    assert parse_calibration(json.dumps(named.to_json()), "c.json") == named
    for wrong in ("", "[]", "{}", text.replace("points", "dots"), text.replace('"version": 3', '"version": "3"'),
                  text.replace("{", '{"game": ["pairs"], ', 1), text.replace("{", '{"game": "chess", ', 1),
                  '{"a":' * 9999, json.dumps(Calibration(((5, 9), (4, 9)), 1, 1, 1, 1, 1).to_json()),
                  json.dumps(Calibration(((4, 9), (5, 8)), 1, 1, 1, 1, 1).to_json())):  # fmt: skip
        with pytest.raises(Malformed):
            parse_calibration(wrong, "c.json")


def test_rows_name_their_level_plays_and_wins() -> None:
    text = "\ufeffcountry,level,plays,wins\r\nnp,1,10,4\r\nnp,2,0,0\r\n"
    assert read_plays(text, "plays.csv", {"1": 340, "2": 350}) == (Plays("1", 340, 10, 4),)
    assert read_plays("level,plays,wins,rating\na,9,3,120\n", "plays.csv") == (Plays("a", 120, 9, 3),)
    named = "level,plays,wins\neram#1,10,4\n2,8,8\n"
    assert read_plays(named, "p.csv", {"1": 340, "2": 350}, "eram") == (Plays("1", 340, 10, 4), Plays("2", 350, 8, 8))
    with pytest.raises(Malformed, match="stands here again"):
        read_plays(named + "1,9,9\n", "p.csv", {"1": 340, "2": 350}, "eram")


def test_columns_parted_by_something_else_than_commas_are_named() -> None:
    for mark in ";\t":
        with pytest.raises(Malformed) as caught:
            read_plays("level,plays,wins,rating\n1,2,1,5\n".replace(",", mark), "p.csv")
        assert caught.value.findings[0].fix == "save it with commas between the columns"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["plays/columns plays.csv:1"]),
        ("level,plays,wins\n", ["plays/columns plays.csv:1"]),
        ("level,plays,level,wins,rating\n1,9,2,3,4\n", ["plays/columns plays.csv:1"]),
        ("level,plays,wins,rating\n ,9,3,4\n", ["plays/row plays.csv:2"]),
        ("level,plays,wins,rating\n1,2,3,4\n", ["plays/row plays.csv:2"]),
        ("level,plays,wins,rating\n1,9,3,4\n2,x,3,4\n3,9,-1,4\n", ["plays/row plays.csv:3", "plays/row plays.csv:4"]),
        ("level,plays,wins,rating\n1,9,3,4\n1,9,3,4\n", ["plays/row plays.csv:3"]),
        ("level,plays,wins,rating\n1,9,3,1001\n", ["plays/row plays.csv:2"]),
        ("level,plays,wins,rating\n1,9\n", ["plays/row plays.csv:2"]),
        ("level,plays,wins,rating\n" + "x" * 200_000, ["plays/csv plays.csv:2"]),
        ('level,plays,wins,rating,note\n1,9,3,4,"open\n2,9,3,4,shut\n', ["plays/csv plays.csv:3"]),
    ],
)
def test_what_cannot_be_used_is_told_with_its_row(text: str, expected: list[str]) -> None:
    assert told(text) == expected


def test_a_level_the_pack_does_not_have_is_told() -> None:
    assert told("level,plays,wins\n9,5,1\n", {"1": 5}) == ["plays/row plays.csv:2"]


def test_too_few_levels_are_no_basis() -> None:
    with pytest.raises(Malformed, match="10 are the least"):
        calibrate(PLAYED[:9], 1)
