"""The bots a level is rated with, and what their games say about it, in integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from levelgen.board import Deal
from levelgen.evidence import numbered
from levelgen.rules import Ruleset, neighbours
from levelgen.seed import Stream

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Bot, Game, Player, Table

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
    full: Mapping[str, int]
    """By ruleset, tiles it may take in the games of a full rating; a cheap one plays the first, up to `cheap` tiles."""
    cheap: int

    @property
    def player(self) -> Player:
        """The player the kernel knows."""
        from levelgen.solve.kernel.bots import Player

        return Player(self.bot, False, self.mistakes)


CASUAL = Seat("casual", "greedy", 100, {"pairs": 26_000, "triples": 60_000}, 1_200)
PANEL = (
    Seat("novice", "greedy", 400, {"pairs": 34_000, "triples": 70_000}, 1_600),
    CASUAL,
    Seat("careful", "one-ply", 300, {"pairs": 18_000, "triples": 26_000}, 1_000),
    Seat("expert", "expert", 0, {"pairs": 2_000, "triples": 2_000}, 0),
)
"""The weakest first. An expert plays too few games to weigh in the number; none in a cheap rating."""
MOST = 1_000
"""Games of one player at most, however small the level."""


def table(deal: Deal) -> Table:
    """The deal made ready for bots.

    Raises:
        ValueError: the kernel does not take the deal.
    """
    from levelgen.solve.fast import counts
    from levelgen.solve.kernel.bots import Table

    rules = deal.board.ruleset
    faces, _ = numbered(deal)
    return Table(
        deal.board.gates, neighbours(deal.board.layout).above, faces,
        mode="pick" if rules.id == "triples" else "flip" if rules.face_down == "flip" else "lift",
        cap=rules.tray, group=rules.group, face_down=deal.face_down, removed=deal.removed, tray=counts(deal),
    )  # fmt: skip


BELOW, ABOVE = 4, 6
"""In triples the bots that do not mind the tray are judged with trays from so many slots fewer to so many more."""


@dataclass(frozen=True, slots=True)
class Games:
    """What some games of one player came to; shares in thousandths."""

    played: int
    won: int
    failure: int
    """How badly it did, 0 when it never came near a loss. The mean over the games of the square root of the share of
    tiles left; for a player whose games go on with an endless tray, the mean over trays of `BELOW` slots fewer to
    `ABOVE` more of the share of these very games it loses."""
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
    def of(cls, games: Sequence[Game], tiles: int, rules: Ruleset, endless: bool = False) -> Games:
        """One game or more of `tiles` ≥ 1 tiles; `endless` when `Game.need` goes beyond the tray."""
        played = len(games)
        left = sorted(game.left for game in games)
        lost = [count for count in left if count]
        won = played - len(lost)
        low, high = wilson(won, played)
        best = left[: -(-played // BEST)]
        near = max(tiles // NEAR, 2 * rules.group)
        if endless:
            first, trays = rules.tray - BELOW, BELOW + 1 + ABOVE
            failed = 1000 * sum(min(max(game.need - first, 0), trays) for game in games) // (trays * played)
        else:
            failed = sum(isqrt(1_000_000 * count // tiles) for count in left) // played
        return cls(
            played,
            won,
            failed,
            1000 * won // played,
            low,
            high,
            1000 - 1000 * sum(lost) // (tiles * len(lost)) if lost else 1000,
            1000 * sum(1 for count in lost if count <= near) // played,
            1000 - 1000 * sum(best) // (tiles * len(best)),
        )

    def figures(self, name: str) -> dict[str, int]:
        """The figures of the player of that name."""
        keys = ("failure", "win", "win_low", "win_high", "progress", "near", "best")
        return {f"{name}_{key}": getattr(self, key) for key in keys}


def games_of(dealt: Table, deal: Deal, player: Player, seed: str, label: str, budget: int, most: int = MOST) -> Games:
    """What a player's games on a deal made ready come to; they draw from the stream `bots/LABEL` of `seed`.

    No game is begun once `budget` tiles were taken, or `most` were played; at least one is.
    """
    stream = Stream(seed, f"bots/{label}")
    games = dealt.games(player, stream.word() << 32 | stream.word(), most, budget=budget)
    rules = deal.board.ruleset
    endless = rules.id == "triples" and player.bot in ("random", "greedy")
    return Games.of(games, max(deal.start.remaining.bit_count(), 1), rules, endless)


Z2 = 38_416
"""The square of 1.96, in ten-thousandths."""


def wilson(won: int, played: int) -> tuple[int, int]:
    """The 95 % interval (Wilson) of a rate seen as `won` of `played` ≥ 1, in thousandths, rounded outwards."""
    scale = 10_000
    middle = scale * won + Z2 // 2
    spread = isqrt(Z2 * (scale * won * (played - won) // played + Z2 // 4)) + 1
    whole = scale * played + Z2
    return max(0, 1000 * (middle - spread) // whole), min(1000, -(-1000 * (middle + spread) // whole))
