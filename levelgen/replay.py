"""Judge a log: play its moves and tools by the law and say what came of it.

A verdict is a pure function of (deal, moves, context); the context is what only the server knows. Nothing here asks a
solver: a logged shuffle is the specified deal of `levelgen.deal.shuffle`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from levelgen.board import ENTERING, Deal, Position
from levelgen.deal import shuffle
from levelgen.moves import Move, Refusal
from levelgen.tools import AIDS, Counts


@dataclass(frozen=True, slots=True)
class Context:
    """What only the server knows when it judges a log."""

    balance: tuple[int | None, int | None, int | None] = (0, 0, 0)
    """How many of each of `AIDS` the player had when the game began; None is unlimited."""
    first_completion: bool = False
    """Whether the player has never completed this level before."""
    grant: Counts = (0, 0, 0)
    """How many of each of `AIDS` this level grants when it is completed for the first time."""


UNLIMITED = Context((None, None, None))
"""The context of `triples`, whose tools cost nothing."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning the player saw."""

    step: int
    """After which step of the log, counted from 1."""
    warning: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a log amounts to."""

    verdict: str
    """`won`, `lost`, `unfinished` or `refused`."""
    steps: int
    """Moves and tools accepted."""
    refusal: Refusal | None
    """For `refused`: why the step after the last accepted one is not; or why nothing of the log is played."""
    warnings: tuple[Warned, ...]
    peak: int
    """The most tray slots occupied at once, tiles just entering included."""
    spent: Counts
    """How many of each of `AIDS` were used."""
    restarts: int
    """How often the game was begun again; what was spent before stays spent."""
    retry: bool
    """Whether the game may be begun again where the log stops: not once it is won or given up."""
    gave_up: bool
    progress: bool
    """Won and completed for the first time: the next level unlocks. A replay of a completed level earns nothing."""
    earned: Counts
    """How many of each of `AIDS` the win grants."""
    digest: str
    """Of the final state, see `Position.digest`."""

    @property
    def assisted(self) -> bool:
        """Whether any of undo, hint or shuffle was used; a restart does not wash that away."""
        return any(self.spent)

    @property
    def best_time(self) -> bool:
        """Whether the win may count as a best time."""
        return self.verdict == "won" and not self.assisted

    @property
    def refused_step(self) -> int:
        """For `refused`: the step that is, counted from 1; 0 when nothing of the log is played."""
        return 0 if self.refusal is not None and self.refusal.reason == "other-record" else self.steps + 1

    def to_json(self) -> dict[str, Any]:
        """The verdict as `replay --json` prints it."""
        refused = self.refusal and {
            "step": self.refused_step,
            "reason": self.refusal.reason,
            "message": self.refusal.message,
            "tiles": list(self.refusal.tiles),
        }
        return {
            "verdict": self.verdict,
            "steps": self.steps,
            "refused": refused,
            "warnings": [{"step": warned.step, "warning": warned.warning} for warned in self.warnings],
            "peak": self.peak,
            "assisted": self.assisted,
            "spent": dict(zip(AIDS, self.spent, strict=True)),
            "restarts": self.restarts,
            "retry": self.retry,
            "gave_up": self.gave_up,
            "best_time": self.best_time,
            "progress": self.progress,
            "earned": dict(zip(AIDS, self.earned, strict=True)),
            "digest": self.digest,
        }


@dataclass(slots=True)
class _Game:
    """A game in progress: where it stands, what undo goes back to, what was spent."""

    history: list[Position]
    balance: list[int | None]
    spent: list[int] = field(default_factory=lambda: [0, 0, 0])
    restarts: int = 0
    gave_up: bool = False


def replay(deal: Deal, moves: Iterable[Move], context: Context | None = None) -> Verdict:
    """Play `moves` from the start of `deal` and judge the outcome.

    Without a context the deal's ruleset decides: `pairs` grants no tools, those of `triples` are unlimited. A position
    is asked whether it is lost only where the log stops, a tool is used or a move is refused: an accepted move proves
    that the game was still on.
    """
    if context is None:
        context = Context() if deal.board.ruleset.id == "pairs" else UNLIMITED
    position = deal.start
    game = _Game([position], list(context.balance))
    history = game.history
    warnings: list[Warned] = []
    warned_at = deal.board.ruleset.warned_at
    steps = 0
    peak = len(position.tray)
    refusal = None
    for move in moves:
        needed = ENTERING.get(move.kind)
        if needed is None:
            refusal = _use(game, position, move, steps)
            if refusal is not None:
                break
            steps += 1
            position = history[-1]
            continue
        refusal = _over(game, position, steps) if game.gave_up else position.refusal(move)
        if refusal is not None:
            refusal = _over(game, position, steps) or refusal
            break
        steps += 1
        needed += len(position.tray)
        if needed > peak:
            peak = needed
        position = position.after(move)
        history.append(position)
        if len(position.tray) == warned_at:
            warnings.append(Warned(steps, position.warning))
    if refusal is not None:
        verdict = "refused"
    elif position.won:
        verdict = "won"
    else:
        verdict = "lost" if game.gave_up or (steps and position.lost) else "unfinished"
    progress = verdict == "won" and context.first_completion
    return Verdict(
        verdict,
        steps,
        refusal,
        tuple(warnings),
        peak,
        (game.spent[0], game.spent[1], game.spent[2]),
        game.restarts,
        not game.gave_up and not position.won,
        game.gave_up,
        progress,
        context.grant if progress else (0, 0, 0),
        position.digest(),
    )


def _over(game: _Game, position: Position, steps: int) -> Refusal | None:
    """The refusal of anything further, once the game has ended."""
    if game.gave_up:
        return Refusal("game-over", "the game was given up")
    if steps and (position.won or position.lost):
        return Refusal("game-over", f"the game was {'won' if position.won else 'lost'} with step {steps}")
    return None


def _use(game: _Game, position: Position, move: Move, steps: int) -> Refusal | None:
    """Use a tool: change the game, or say why not. What is refused costs nothing."""
    kind, pairs = move.kind, position.deal.board.ruleset.id == "pairs"
    retry = kind == "restart" and pairs and not game.gave_up and not position.won
    over = None if retry else _over(game, position, steps)
    if over is not None:
        return over
    if kind == "give_up":
        game.gave_up = True
        return None
    if kind == "restart":
        game.restarts += 1
        start = game.history[0]
        # A retry of pairs begins anew and cannot be taken back; the restart of triples can.
        game.history[:] = [start] if pairs else [*game.history, start]
        return None
    aid = AIDS.index(kind)
    left = game.balance[aid]
    if left is not None and left <= game.spent[aid]:
        return Refusal("no-tool", f"no {kind} is left: the balance was {left}")
    if kind == "undo":
        if len(game.history) == 1:
            return Refusal("nothing-to-undo", "no move or shuffle has been made")
        game.history.pop()
    elif kind == "shuffle":
        if not pairs and position.full:
            return Refusal("tray-full", "a full tray allows undo, restart or giving up only")
        dealt = shuffle(position, move.seed)
        if dealt is None:
            return Refusal("no-winnable-shuffle", "no deal of the tiles left was found that can be won")
        game.history.append(dealt.start)
    game.spent[aid] += 1
    return None
