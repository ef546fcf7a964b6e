"""What a prover answers, and the replay that an answer must survive.

A verdict admits ignorance: `undecided` when the budget was spent. Budgets count work, never seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from levelgen.board import Deal
from levelgen.errors import LevelgenError
from levelgen.moves import Move

Verdict = Literal["solved", "unsolvable", "undecided"]
"""`solved`: the moves win. `unsolvable`: every line was searched. `undecided`: the budget was spent before.
"""


@dataclass(frozen=True, slots=True)
class Proof:
    """A prover's answer to "can this deal be won under its own ruleset, from where it stands?"."""

    verdict: Verdict
    prover: str
    """Its name in the table `PROVERS`."""
    work: int
    """What was spent, in the prover's own unit: positions and fixpoints, or thousandths of deterministic
    time.
    """
    moves: tuple[Move, ...] = ()
    """When solved: a complete log from `deal.start` to the win."""
    pairs: tuple[tuple[int, int], ...] = ()
    """A robust order of pairs that clears the board as well, where the prover found one; empty otherwise."""


Prover = Callable[[Deal, int], Proof]
"""`(deal, budget) -> Proof`. The budget is in the unit of `Proof.work` and may be overrun only within one
step.
"""


def confirm(deal: Deal, proof: Proof) -> Proof:
    """`proof` itself, once the law has replayed what it calls solved.

    Raises:
        LevelgenError: the moves do not win the deal: the prover is wrong, which is a bug (exit code 70).
    """
    if proof.verdict != "solved":
        return proof
    position = deal.start
    for step, move in enumerate(proof.moves, start=1):
        refusal = position.refusal(move)
        if refusal is not None:
            raise LevelgenError.of(
                "solve/false-proof",
                f"{proof.prover} plays {move}, which the law refuses: {refusal.message}",
                f"move {step}",
            )
        position = position.after(move)
    if not position.won:
        raise LevelgenError.of(
            "solve/false-proof", f"{proof.prover} says solved, but its moves do not empty board and tray",
            f"move {len(proof.moves)}",
        )  # fmt: skip
    return proof
