"""Structural figures are what one counts by hand; what rests on the solver is proved or counted apart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from levelgen.board import Board, Deal, tiles_of
from levelgen.certificate import Solution
from levelgen.deal import deal_faces
from levelgen.rate import proofs, rate, structure
from levelgen.rate.panel import CASUAL, table
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.solve.dfs import prove as by_search
from levelgen.solve.kernel.bots import Player
from tests.boards import board, heap, random_deal


def test_the_start_is_counted() -> None:
    deal = board(
        """
        AABBCC
        AABBCC
        -- 1
        .cc
        .cc
        """
    )
    found = structure.figures(deal)
    assert (found["tiles"], found["layers"], found["faces"], found["hidden"]) == (4, 2, 3, 1)
    assert found["open"] == 2
    assert found["unseen"] == 750
    assert found["faces_per_slot"] == 750


def pyramid() -> tuple[Deal, Solution]:
    """Six tiles of triples: A B A on the ground, B A on them, B on top; a way out."""
    deal = board(
        """
        AABBAA
        AABBAA
        -- 1
        .BBAA
        .BBAA
        -- 2
        ..BB
        ..BB
        """,
        "triples",
    )
    return deal, ((5,), (3,), (4,), (1,), (0,), (2,))


def test_a_way_out_is_measured_move_by_move() -> None:
    deal, solution = pyramid()
    dealt = table(deal)
    walked = structure.way_out(deal, dealt, solution)
    assert walked.load == (1, 2, 3, 4, 2, 3)
    assert walked.accepted == (1, 2, 2, 3, 2, 1)
    assert walked.shown == walked.accepted
    assert structure.along(deal, walked) == {
        "peak": 4,
        "pressure": 1000 * 15 // 42,
        "branching": 1000 * 11 // 6,
        "forced": 1000 * 2 // 6,
    }
    assert structure.bottleneck(deal, dealt) == {"bottleneck": 3}


def test_a_move_beside_which_all_others_lose_is_forced() -> None:
    deal = board(
        """
        AABBCCAA
        AABBCCAA
        """,
        "triples", waiting="AABC", tray=5,
    )  # fmt: skip
    walked = table(deal).follow([(0, 0, -1)])
    assert walked.accepted == (4,)
    assert walked.safe == (2,), "A clears; anything else fills the tray"


def test_a_solution_that_the_law_refuses_is_no_way_out() -> None:
    deal, _ = pyramid()
    with pytest.raises(ValueError, match="accepted"):
        rate(deal, ((0,),), "s", "cheap")


def test_the_least_tray_is_proved_or_said_not_to_be() -> None:
    deal, solution = pyramid()
    assert proofs.par(deal, 4) == {"par": 4, "par_proved": 1}
    assert proofs.par(deal, 3) == {"par": 3, "par_proved": 1}
    figures = rate(deal, solution, "s").figures
    assert (figures["par"], figures["peak"]) == (4, 4)


def some_levels(base: str) -> Iterator[Deal]:
    stream = Stream("figures", base)
    for _ in range(4):
        tiles = 18 if base == "triples" else 12
        yield random_deal(stream, base, heap(stream, tiles, 7, 6, 4), 5)


@pytest.mark.parametrize("base", RULESETS)
def test_dead_ends_are_lost_by_another_solver_too(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "DEAD_BUDGET", {"pairs": 20_000, "triples": 20_000})
    lost = 0
    for deal in some_levels(base):
        dealt = table(deal)
        verdicts = []
        for position in proofs.sampled(deal, dealt, CASUAL.player, "s"):
            removed = tuple(tile for tile in range(len(deal.faces)) if not position.remaining >> tile & 1)
            rest = Deal(deal.board, deal.faces, tiles_of(position.hidden), position.tray, removed)
            verdicts.append(by_search(rest, 1_000_000).verdict)
        assert "undecided" not in verdicts
        found = proofs.dead_ends(deal, dealt, CASUAL.player, "s")
        assert found == {"dead": 1000 * verdicts.count("unsolvable") // len(verdicts), "dead_open": 0}
        lost += verdicts.count("unsolvable")
    assert lost, "some position must be lost"


def test_what_the_budget_leaves_open_is_no_dead_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "DEAD_BUDGET", {"pairs": 0, "triples": 0})
    deal = next(some_levels("triples"))
    assert proofs.dead_ends(deal, table(deal), Player("random"), "s") == {"dead": 0, "dead_open": 1000}


@pytest.mark.parametrize("base", RULESETS)
def test_a_full_rating_has_every_figure_and_a_cheap_one_those_that_cost_little(base: str) -> None:
    layout = heap(Stream("full", base), 36, 12, 10, 3)
    made = deal_faces(Board.compile(layout, RULESETS[base]), ["F1", "F2", "F3", "F4"], "full")
    full = rate(made.deal, made.solution, "s", "full")
    cheap = rate(made.deal, made.solution, "s", "cheap")
    dear = {"par", "par_proved", "guess_free", "dead", "dead_open", "bottleneck"}
    assert dear <= full.figures.keys()
    assert {name for name in full.figures if name not in cheap.figures} == dear | {
        name for name in full.figures if name.startswith("expert_")
    }
    assert full.figures["guess_free"] == 1
    without = rate(made.deal, (), "s", "cheap")
    assert without.number == cheap.number
    assert cheap.figures.keys() - without.figures.keys() == {"peak", "pressure", "branching", "forced"}
    assert without.seconds > 0
