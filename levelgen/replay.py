"""Judge a log: play its moves by the law and say what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from levelgen.board import Deal, Position
from levelgen.moves import TOOLS, Move, Refusal


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning the player saw."""

    step: int
    """After which move, counted from 1."""
    warning: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a log amounts to. A pure function of the deal and the moves."""

    verdict: str
    """`won`, `lost`, `unfinished` or `refused`."""
    steps: int
    """Moves accepted."""
    refusal: Refusal | None
    """For `refused`: why the move after the last accepted one is not."""
    warnings: tuple[Warned, ...]
    peak: int
    """The most tray slots occupied at once, tiles just entering included."""
    digest: str
    """Of the final state, see `Position.digest`."""

    def to_json(self) -> dict[str, Any]:
        """The verdict as `replay --json` prints it."""
        refused = self.refusal
        return {
            "verdict": self.verdict,
            "steps": self.steps,
            "refused": refused
            and {"step": self.steps + 1, "reason": refused.reason, "message": refused.message, "tiles": list(refused.tiles)},
            "warnings": [{"step": warned.step, "warning": warned.warning} for warned in self.warnings],
            "peak": self.peak,
            "digest": self.digest,
        }


ENTERING = {"pair": 2, "lift": 1, "match": 1, "flip": 0, "pick": 1}
"""Tray slots a play occupies for a moment at least, before anything shatters or clears."""


def replay(deal: Deal, moves: Iterable[Move]) -> Verdict:
    """Play `moves` from the start of `deal` and judge the outcome.

    A game that is over accepts nothing more: the reason is then `game-over`. A position is asked whether it is lost
    only where the log stops or a move is refused, for an accepted move proves that the game was still on.
    """
    position = deal.start
    warnings: list[Warned] = []
    steps = 0
    peak = len(position.tray)
    for move in moves:
        refusal = _refusal(position, move)
        if refusal is not None:
            over = steps > 0 and (position.won or position.lost)
            if over:
                refusal = Refusal("game-over", f"the game was {'won' if position.won else 'lost'} with move {steps}")
            return Verdict("refused", steps, refusal, tuple(warnings), peak, position.digest())
        steps += 1
        peak = max(peak, len(position.tray) + ENTERING[move.kind])
        position = position.after(move)
        if position.warning:
            warnings.append(Warned(steps, position.warning))
    verdict = "won" if position.won else "lost" if position.lost else "unfinished"
    return Verdict(verdict, steps, None, tuple(warnings), peak, position.digest())


def _refusal(position: Position, move: Move) -> Refusal | None:
    if move.kind in TOOLS:
        return Refusal("no-tool", f"{move.kind} is a tool, and this level grants none")
    return position.refusal(move)
