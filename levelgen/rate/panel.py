"""The bots a level is rated with, and what their games say about it, in integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from levelgen.board import Deal
from levelgen.evidence import numbered
from levelgen.rules import neighbours

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Bot, Player, Table

BEST = 10
"""The best runs are one in so many."""
NEAR = 10
"""A lost game is a near miss when at most one in so many of the tiles, and at least two groups, are left."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One of the panel: a bot that sees what a player sees, how often it errs, and how often it plays."""

    name: str
    bot: Bot
    mistakes: int
    """Of 1000 decisions."""
    full: int
    """Games of a full rating; a cheap one plays the first `cheap` of them."""
    cheap: int

    @property
    def player(self) -> Player:
        """The player the kernel knows."""
        from levelgen.solve.kernel.bots import Player

        return Player(self.bot, False, self.mistakes)


PANEL = (
    Seat("novice", "greedy", 400, 240, 24),
    Seat("casual", "greedy", 100, 240, 24),
    Seat("careful", "one-ply", 150, 96, 6),
    Seat("expert", "expert", 50, 32, 1),
)
"""The weakest first."""


def table(deal: Deal) -> Table:
    """The deal made ready for bots.

    Raises:
        ValueError: the kernel does not take the deal.
    """
    from levelgen.solve.kernel.bots import Table

    rules = deal.board.ruleset
    faces, waiting = numbered(deal)
    counts = [waiting.count(face) for face in range(max([*faces, *waiting], default=-1) + 1)]
    return Table(
        deal.board.gates, neighbours(deal.board.layout).above, faces,
        mode="pick" if rules.id == "triples" else "flip" if rules.face_down == "flip" else "lift",
        cap=rules.tray, group=rules.group, face_down=deal.face_down, removed=deal.removed, tray=counts,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Games:
    """What some games of one player came to; shares in thousandths."""

    played: int
    won: int
    failure: int
    """The mean over the games of the square root of the share of tiles left: 0 when all are won."""
    win: int
    win_low: int
    """The ends of the 95 % interval of the win rate (Wilson), rounded outwards."""
    win_high: int
    progress: int
    """Of the lost games: the mean share of tiles removed; 1000 when none was lost."""
    near: int
    """Games lost with a tenth of the tiles left at most, or two groups: near misses, of all games."""
    best: int
    """The mean share of tiles removed in the best tenth of the games."""

    @classmethod
    def of(cls, left: Sequence[int], tiles: int, group: int) -> Games:
        """One game or more of `tiles` ≥ 1 tiles, by how many were left at the end of each."""
        played, won = len(left), left.count(0)
        lost = [count for count in left if count]
        low, high = wilson(won, played)
        best = sorted(left)[: -(-played // BEST)]
        near = max(tiles // NEAR, 2 * group)
        return cls(
            played,
            won,
            sum(isqrt(1_000_000 * count // tiles) for count in left) // played,
            1000 * won // played,
            low,
            high,
            1000 - 1000 * sum(lost) // (tiles * len(lost)) if lost else 1000,
            1000 * sum(1 for count in lost if count <= near) // played,
            1000 - 1000 * sum(best) // (tiles * len(best)),
        )

    def figures(self, name: str) -> dict[str, int]:
        """The figures of the player of that name."""
        found = {
            key: getattr(self, key) for key in ("failure", "win", "win_low", "win_high", "progress", "near", "best")
        }
        return {f"{name}_{key}": value for key, value in found.items()}


Z2 = 38_416
"""The square of 1.96, in ten-thousandths."""


def wilson(won: int, played: int) -> tuple[int, int]:
    """The 95 % interval (Wilson) of a rate seen as `won` of `played` ≥ 1, in thousandths, rounded outwards."""
    scale = 10_000
    middle = scale * won + Z2 // 2
    spread = isqrt(Z2 * (scale * won * (played - won) // played + Z2 // 4)) + 1
    whole = scale * played + Z2
    return max(0, 1000 * (middle - spread) // whole), min(1000, -(-1000 * (middle + spread) // whole))
