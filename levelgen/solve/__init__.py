"""Provers by name. A prover is a callable `(deal, budget) -> Proof`; whoever offers a choice iterates this
table.
"""

from __future__ import annotations

from levelgen.board import Deal
from levelgen.errors import Malformed
from levelgen.solve.proof import Proof, Prover, confirm


def _kernel(deal: Deal, budget: int) -> Proof:
    from levelgen.solve import fast

    try:
        return fast.prove(deal, budget)
    except ValueError as error:
        raise Malformed.of("solve/not-taken", str(error), fix="ask --prover dfs") from None


def _dfs(deal: Deal, budget: int) -> Proof:
    from levelgen.solve.dfs import prove as decide

    return decide(deal, budget)


def _cpsat(deal: Deal, budget: int) -> Proof:
    from levelgen.solve.cpsat import prove as decide

    return decide(deal, budget)


PROVERS: dict[str, Prover] = {"kernel": _kernel, "dfs": _dfs, "cpsat": _cpsat}
"""Each is loaded when it is first asked: OR-tools must not be imported by whoever only wants the names."""

BUDGETS: dict[str, int] = {"kernel": 10_000_000, "dfs": 200_000, "cpsat": 60_000}
"""What a prover may spend when nobody says, in its own unit (`Proof.work`)."""


def prove(deal: Deal, prover: str = "kernel", budget: int | None = None) -> Proof:
    """The verdict of `prover` on `deal`; a `solved` has been replayed by the law.

    Raises:
        Malformed: there is no prover of that name.
        LevelgenError: the prover's moves do not win, which is a bug in it.
    """
    if prover not in PROVERS:
        raise Malformed.of("solve/prover", f"there is no prover {prover!r}", fix=f"use one of {', '.join(PROVERS)}")
    spend = BUDGETS[prover] if budget is None else budget
    return confirm(deal, PROVERS[prover](deal, spend))
