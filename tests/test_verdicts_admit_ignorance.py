"""A spent budget is `undecided`, never `unsolvable`; and what one budget decides, no larger one contradicts."""

from __future__ import annotations

import pytest

from levelgen.seed import Stream
from levelgen.solve import PROVERS, prove
from levelgen.solve.dfs import robust_pairs, search
from levelgen.solve.guess_free import guess_free, lifts_never_lose
from tests.boards import board, heap, random_deal


@pytest.mark.parametrize("prover", PROVERS)
@pytest.mark.parametrize("base", ["pairs", "triples"])
def test_no_budget_at_all_decides_nothing(prover: str, base: str) -> None:
    stream = Stream("ignorance", base)
    deal = random_deal(stream, base, heap(stream, 18, 9, 8), 4, tray=3)
    assert prove(deal, prover, 0).verdict == "undecided"


@pytest.mark.parametrize("base", ["pairs", "triples"])
def test_growing_budgets_go_from_undecided_to_one_verdict(base: str) -> None:
    decided = set()
    for index in range(25):
        stream = Stream("ignorance", f"{base}/{index}")
        deal = random_deal(stream, base, heap(stream, 12, 8, 6), 3, 2 if base == "pairs" else 0, tray=3)
        truth = search(deal, 1_000_000)
        assert truth.verdict != "undecided"
        decided.add(truth.verdict)
        for budget in (*range(min(truth.work, 20)), truth.work - 1, truth.work, truth.work + 1):
            proof = search(deal, budget)
            assert proof.verdict == (truth.verdict if budget >= truth.work else "undecided"), (index, budget)
            assert proof.work <= max(budget, 1)
        for prover in PROVERS:
            for budget in (1, 10):
                assert prove(deal, prover, budget).verdict in ("undecided", truth.verdict)
    assert decided == {"solved", "unsolvable"}


def test_a_robust_search_that_ran_out_says_neither_yes_nor_no() -> None:
    answers = set()
    for index in range(25):
        stream = Stream("ignorance", f"robust/{index}")
        deal = random_deal(stream, "pairs", heap(stream, 14, 8, 7), 3 + index % 4)
        truth = robust_pairs(deal, 100_000)
        answers.add(truth.verdict)
        for budget in (0, 1, 2, 5, 20, 100, 1000):
            found = robust_pairs(deal, budget)
            assert found.verdict in ("undecided", truth.verdict)
            assert found.work <= budget
        assert robust_pairs(deal, 0).verdict == "undecided"
    assert answers == {"yes", "no"}


def test_a_search_for_strategies_that_ran_out_says_neither_yes_nor_no() -> None:
    deal = board("aa.bb.cc.AA.BB.CC\naa.bb.cc.AA.BB.CC")
    truth = guess_free(deal)
    assert truth.verdict == "yes"
    for budget in range(truth.work):
        assert guess_free(deal, budget).verdict == "undecided"
    assert guess_free(deal, truth.work).verdict == "yes"
    assert lifts_never_lose(deal, 1).verdict == "undecided"


def test_the_same_question_costs_the_same_work_every_time() -> None:
    for base in ("pairs", "triples"):
        stream = Stream("ignorance", f"again/{base}")
        deal = random_deal(stream, base, heap(stream, 12, 8, 6), 3)
        for prover in PROVERS:
            assert prove(deal, prover) == prove(deal, prover)


def test_a_robust_order_is_named_as_one_whatever_the_boards_own_blocking() -> None:
    for blocking in (("cover", "horizontal", "vertical"), ("cover",), ()):
        proof = prove(board("AABB\nAABB\nBBAA\nBBAA", blocking=blocking))
        assert len(proof.pairs) == 2, blocking
