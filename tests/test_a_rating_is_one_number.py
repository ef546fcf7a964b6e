"""One number says how hard a level is: integers, the same for the same seed, its shares named, monotone in failure."""

from __future__ import annotations

from math import sqrt

import pytest

from levelgen.board import Board, Deal
from levelgen.certificate import Solution
from levelgen.deal import deal_faces
from levelgen.pack.records import FIGURE
from levelgen.rate import RATING, rate
from levelgen.rate.panel import PANEL, Games, wilson
from levelgen.rate.rating import CURVES, WEIGHTS, along
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from tests.boards import heap

FACES = tuple(f"F{number}" for number in range(8))


def level(base: str, seed: str = "level") -> tuple[Deal, Solution]:
    rules = RULESETS[base]
    layout = heap(Stream(seed, base), 36, 12, 10, 3)
    made = deal_faces(Board.compile(layout, rules), FACES, seed, face_down=3 if base == "pairs" else 0)
    return made.deal, made.solution


@pytest.mark.parametrize("base", RULESETS)
def test_a_rating_is_integers_whose_shares_sum_to_the_number(base: str) -> None:
    deal, solution = level(base)
    for rating in (rate(deal, solution, "s", "cheap"), rate(deal, solution, "s", "full")):
        assert 0 <= rating.number <= 1000
        assert sum(rating.shares.values()) == rating.number
        assert rating.seconds > 0
        assert rating.version == RATING
        data = rating.to_json()
        assert list(data) == sorted(data)
        assert all(type(value) is int and FIGURE.fullmatch(name) for name, value in data.items())


@pytest.mark.parametrize("base", RULESETS)
def test_the_same_seed_gives_the_same_rating_and_another_other_games(base: str) -> None:
    deal, solution = level(base)
    assert rate(deal, solution, "s", "cheap") == rate(deal, solution, "s", "cheap")
    assert rate(deal, solution, "s", "cheap").figures != rate(deal, solution, "t", "cheap").figures


def test_the_number_never_falls_when_a_player_fails_more() -> None:
    assert sum(WEIGHTS.values()) == 1000
    for curves in CURVES.values():
        assert list(curves) == list(WEIGHTS) == [seat.name for seat in PANEL]
        for curve in curves.values():
            heights = [along(curve, failure) for failure in range(1001)]
            assert heights == sorted(heights)
            assert heights[0] == 0
            assert heights[-1] == 1000


def test_games_are_summed_up_in_thousandths() -> None:
    games = Games.of([0, 0, 1, 4, 25, 100, 0, 0, 0, 0], tiles=100, group=2)
    assert (games.won, games.win) == (6, 600)
    assert games.failure == (100 + 200 + 500 + 1000) // 10
    assert games.progress == 1000 - 1000 * 130 // 400
    assert games.near == 200
    assert games.best == 1000
    assert Games.of([0], 100, 2).progress == 1000


@pytest.mark.parametrize(("won", "played"), [(0, 1), (1, 1), (0, 240), (240, 240), (120, 240), (7, 96), (1, 1000)])
def test_the_interval_is_wilsons(won: int, played: int) -> None:
    z, rate_ = 1.96, won / played
    middle = (rate_ + z * z / (2 * played)) / (1 + z * z / played)
    half = z * sqrt(rate_ * (1 - rate_) / played + z * z / (4 * played * played)) / (1 + z * z / played)
    low, high = wilson(won, played)
    assert 1000 * (middle - half) - 1.1 <= low <= 1000 * (middle - half) + 0.001 or low == 0
    assert 1000 * (middle + half) - 0.001 <= high <= 1000 * (middle + half) + 1.1 or high == 1000
