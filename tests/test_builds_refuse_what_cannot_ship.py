"""A build stops where a prover contradicts the law, names no claim that has no evidence, and releases nothing unfit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen import level as making
from levelgen.board import Deal
from levelgen.build import Order, build
from levelgen.certificate import Solution, check
from levelgen.errors import AnswerIsNo, Finding, LevelgenError
from levelgen.level import claims_of
from levelgen.pack.signing import demo_key
from levelgen.solve import fast
from levelgen.solve.proof import Proof
from tests.boards import board
from tests.packs import signer
from tests.project import new_project


def test_a_prover_that_calls_a_won_board_unsolvable_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(deal: Deal, name: str, budget: int) -> Proof:
        return Proof("unsolvable", name, 1)

    order = Order.of(new_project(tmp_path), ("dfs",))
    monkeypatch.setattr(making, "prove", wrong)
    with pytest.raises(LevelgenError) as caught:
        build(order, tmp_path / "out", demo_key())
    assert {finding.code for finding in caught.value.findings} == {"build/contradiction"}
    assert not (tmp_path / "out").exists()


def test_a_release_takes_finished_artwork_and_a_key_of_one_s_own(tmp_path: Path) -> None:
    order = Order.of(new_project(tmp_path))
    unlicensed = replace(order, unlicensed=(Finding("template/licence", "names no licence"),))

    def codes(order: Order, key: Any) -> list[str]:
        with pytest.raises(AnswerIsNo) as caught:
            build(order, tmp_path / "out", key, release=True)
        assert not (tmp_path / "out").exists()
        return [finding.code for finding in caught.value.findings]

    assert order.heading.face_set.provisional
    assert codes(order, signer()) == ["build/provisional"]
    assert codes(order, demo_key()) == ["build/demonstration", "build/provisional"]
    assert codes(unlicensed, signer()) == ["build/provisional", "template/licence"]


STACKS = board("AABB\nAABB\n-- 1\nBBAA\nBBAA\n-- 2\nAABB\nAABB", "triples")
"""Two stacks, A and B in turn: five slots are the least."""
LIFTS = board("aa.AA.bb.BB\naa.AA.bb.BB")


def without_evidence(ask: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: replace(ask(*given), evidence=None)


def claims(deal: Deal, solution: Solution) -> tuple[str, str, int]:
    """What the certificate says of par and of guessing, and how much evidence there is."""
    certificate, evidence = claims_of(deal, solution, "demo", 1)
    assert check(certificate, deal) == ()
    return certificate.par_claim, certificate.guess_free_claim, len(evidence)


def test_what_has_no_evidence_is_asserted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    stacks = fast.least_tray(STACKS).solution
    assert claims(STACKS, stacks) == ("minimum", "strategy", 1)
    assert claims(LIFTS, ((0, 1), (2, 3))) == ("minimum", "strategy", 1)
    monkeypatch.setattr(fast, "least_tray", without_evidence(fast.least_tray))
    monkeypatch.setattr(fast, "guess_free", without_evidence(fast.guess_free))
    assert claims(STACKS, stacks) == ("asserted", "strategy", 0)
    assert claims(LIFTS, ((0, 1), (2, 3))) == ("minimum", "asserted", 0)
