"""One number says how hard a level is: integers, the same for the same seed, its shares named, monotone in failure."""

from __future__ import annotations

from math import sqrt

import pytest

from levelgen.board import Board, Deal
from levelgen.certificate import Solution
from levelgen.deal import deal_faces
from levelgen.layout import Layout, Slot
from levelgen.pack.words import FIGURE
from levelgen.rate import RATING, rate
from levelgen.rate.panel import ABOVE, BELOW, KNOWN, PANEL, ROUND, Games, Judge, games_until_known, table, wilson
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
    for rules in RULESETS.values():
        spans = {seat.name: seat.spans[rules.group] for seat in PANEL if rules.group in seat.spans}
        assert list(spans) == [seat.name for seat in PANEL if seat.cheap]
        assert sum(span.weight for span in spans.values()) == 1000
        for span in spans.values():
            shares = [span.share(failure) for failure in range(1001)]
            assert shares == sorted(shares)
            assert (shares[0], shares[-1]) == (0, span.weight)


@pytest.mark.parametrize("base", RULESETS)
def test_other_games_of_the_same_bots_hardly_move_the_number(base: str) -> None:
    """Each is known to 4.7 points: six of them lie within 20 of one another but for bad luck."""
    deal, solution = level(base)
    numbers = [rate(deal, solution, str(seed)).number for seed in range(6)]
    assert len(set(numbers)) > 1
    assert max(numbers) - min(numbers) < 20


@pytest.mark.parametrize("base", RULESETS)
def test_the_games_end_once_the_number_is_known(base: str) -> None:
    """The variance of the number, counted anew from single games, is below the limit, and not far below."""
    deal, _ = level(base)
    dealt, variance = table(deal), 0.0
    found = games_until_known(dealt, deal, "s")
    for seat in PANEL:
        if seat.name not in found:
            continue
        stream, judge = Stream("s", f"bots/{seat.name}"), Judge.of(deal, seat.player)
        number, played = stream.word() << 32 | stream.word(), found[seat.name].played
        left, _, need = dealt.ends(seat.player, number, played)
        failures = judge.failures(left, need)
        assert found[seat.name] == Games.of(left, failures, judge)
        weight, low, high = seat.spans[deal.board.ruleset.group]
        mean = sum(failures) / played
        spread = sum((failure - mean) ** 2 for failure in failures) / (played - 1) / played
        variance += (weight * 1000 / (high - low) / judge.whole) ** 2 * spread
    assert KNOWN * 0.8 < 100 * variance <= KNOWN + 3
    assert sum(games.played for games in found.values()) > 3 * ROUND


def test_a_level_nobody_can_lose_is_0_and_one_that_everybody_loses_at_once_is_1000() -> None:
    rules = RULESETS["triples"]
    easy = Deal(Board.compile(Layout.of([Slot(2 * x, 0, 0) for x in range(6)]), rules), tuple("AAABBB"))
    assert rate(easy, tuple((tile,) for tile in range(6)), "s").number == 0
    tower = Layout.of([Slot(0, 0, z) for z in range(60)])
    faces = tuple(chr(ord("A") + z % 20) for z in range(60))
    assert rate(Deal(Board.compile(tower, rules), faces), (), "s").number > 950


def summed(left: list[int], need: list[int], judge: Judge) -> Games:
    return Games.of(left, judge.failures(left, need), judge)


def test_games_are_summed_up_in_thousandths() -> None:
    judge = Judge(100, RULESETS["pairs"], endless=False)
    games = summed([0, 0, 1, 4, 25, 100, 0, 0, 0, 0], list(range(2, 22, 2)), judge)
    assert (games.played, games.won, games.win) == (10, 6, 600)
    assert games.failure == (100 + 200 + 500 + 1000) // 10
    assert games.progress == 1000 - 1000 * 130 // 400
    assert games.near == 200
    assert games.best == 1000
    assert summed([0], [4], judge).progress == 1000


def test_in_triples_a_games_failure_is_the_share_of_trays_it_loses_with() -> None:
    rules = RULESETS["triples"]
    for need, lost in ((3, 0), (4, 1), (7, 4), (8, 5), (14, 11), (40, 11)):
        trays = range(rules.tray - BELOW, rules.tray + ABOVE + 1)
        assert sum(need > tray for tray in trays) == lost
        assert summed([0], [need], Judge(100, rules, endless=True)).failure == 1000 * lost // 11


@pytest.mark.parametrize(("won", "played"), [(0, 1), (1, 1), (0, 240), (240, 240), (120, 240), (7, 96), (1, 1000)])
def test_the_interval_is_wilsons(won: int, played: int) -> None:
    z, rate_ = 1.96, won / played
    middle = (rate_ + z * z / (2 * played)) / (1 + z * z / played)
    half = z * sqrt(rate_ * (1 - rate_) / played + z * z / (4 * played * played)) / (1 + z * z / played)
    low, high = wilson(won, played)
    assert 1000 * (middle - half) - 1.1 <= low <= 1000 * (middle - half) + 0.001 or low == 0
    assert 1000 * (middle + half) - 0.001 <= high <= 1000 * (middle + half) + 1.1 or high == 1000
