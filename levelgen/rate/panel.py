"""The bots a level is rated with, and what their games say about it, in integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from levelgen.board import Deal
from levelgen.evidence import numbered
from levelgen.rules import Ruleset, neighbours
from levelgen.seed import Stream

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Bot, Player, Table

BEST = 10
"""The best runs are one in so many."""
NEAR = 10
"""A lost game is a near miss when at most one in so many of the tiles, and at least two groups, are left."""


class Span(NamedTuple):
    """What a player's failure adds to the number: nothing up to `low`, `weight` from `high` on, straight between."""

    weight: int
    low: int
    high: int

    def share(self, failure: int) -> int:
        """What a failure, in thousandths, adds."""
        return self.weight * min(max(failure - self.low, 0), self.high - self.low) // (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Seat:
    """One of the panel: a bot that sees what a player sees, how often it errs, and how often it plays."""

    name: str
    bot: Bot
    mistakes: int
    """Of 1000 decisions."""
    cheap: int
    """Tiles it may take in the games of a cheap rating, or 0. In a full one it plays until the number is known."""
    full: int = 0
    """For one that has no share: tiles it may take in the games of a full rating."""
    spans: Mapping[int, Span] = field(default_factory=dict)
    """By group size, what its failure adds to the number."""
    effort: int = 1
    """How much longer it thinks about a tile than the greedy bots."""

    @property
    def player(self) -> Player:
        """The player the kernel knows."""
        from levelgen.solve.kernel.bots import Player

        return Player(self.bot, False, self.mistakes)


CASUAL = Seat("casual", "greedy", 100, 1_200, spans={2: Span(450, 0, 900), 3: Span(450, 50, 900)})
PANEL = (
    Seat("novice", "greedy", 400, 1_600, spans={2: Span(450, 0, 900), 3: Span(450, 200, 1000)}),
    CASUAL,
    Seat("careful", "one-ply", 300, 1_000, spans={2: Span(100, 0, 900), 3: Span(100, 0, 950)}, effort=3),
    Seat("expert", "expert", 0, 0, full=1_000),
)
"""The weakest first. An expert plays too few games to weigh in the number; none in a cheap rating. The weights of the
others come together to 1000."""
ROUND = 100
"""Games that a player plays before anybody is asked what is known."""
KNOWN = 22_00
"""A number is known once the variance of what the games say of it is below so many hundredths: 4.7 points, squared. Two
such numbers differ by 13 at most in 95 cases of 100."""
MOST = 5_000
"""Games of one player at most, whatever is known by then."""


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
class Judge:
    """How badly a game of a player went: 0 when it never came near a loss, `whole` when all was lost.

    The square root of the share of tiles left, in thousandths; for a player whose games go on with an endless tray, of
    the trays of `BELOW` slots fewer to `ABOVE` more, those with which this very game is lost.
    """

    tiles: int
    """On the board at the start, ≥ 1."""
    rules: Ruleset
    endless: bool
    """Whether `Game.need` goes beyond the tray."""

    @classmethod
    def of(cls, deal: Deal, player: Player) -> Judge:
        """The judge of this player's games on a deal."""
        rules = deal.board.ruleset
        endless = rules.id == "triples" and player.bot in ("random", "greedy")
        return cls(max(deal.start.remaining.bit_count(), 1), rules, endless)

    @property
    def whole(self) -> int:
        """The most that a game can be failed by."""
        return BELOW + 1 + ABOVE if self.endless else 1000

    def failures(self, left: Sequence[int], need: Sequence[int]) -> list[int]:
        """Of each game; what is left and what it needed, as `Game` says it."""
        if not self.endless:
            roots = [isqrt(1_000_000 * count // self.tiles) for count in range(self.tiles + 1)]
            return [roots[count] for count in left]
        first, trays = self.rules.tray - BELOW, self.whole
        lost = [min(max(slots - first, 0), trays) for slots in range(max(need) + 1)]
        return [lost[slots] for slots in need]


@dataclass(frozen=True, slots=True)
class Games:
    """What some games of one player came to; shares in thousandths."""

    played: int
    won: int
    failure: int
    """How badly it did: the mean over the games, see `Judge`."""
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
    def of(cls, left: Sequence[int], failures: Sequence[int], judge: Judge) -> Games:
        """Of one game or more: the tiles left in each, and how badly they went."""
        played, tiles, left = len(left), judge.tiles, sorted(left)
        lost = [count for count in left if count]
        won = played - len(lost)
        low, high = wilson(won, played)
        best = left[: -(-played // BEST)]
        near = max(tiles // NEAR, 2 * judge.rules.group)
        return cls(
            played,
            won,
            1000 * sum(failures) // (judge.whole * played),
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


def games_of(dealt: Table, deal: Deal, player: Player, seed: str, label: str, budget: int) -> Games:
    """What a player's games on a deal made ready come to; they draw from the stream `bots/LABEL` of `seed`.

    No game is begun once `budget` tiles were taken, or `MOST` were played; at least one is.
    """
    judge = Judge.of(deal, player)
    left, _, need = dealt.ends(player, number_of(seed, label), MOST, budget=budget)
    return Games.of(left, judge.failures(left, need), judge)


class _Series:
    """The games of one player, as they come in."""

    def __init__(self, seat: Seat, dealt: Table, deal: Deal, seed: str) -> None:
        self.seat, self.judge = seat, Judge.of(deal, seat.player)
        self._dealt, self._span, self._seed = dealt, seat.spans[deal.board.ruleset.group], number_of(seed, seat.name)
        self.left: list[int] = []
        self.failures: list[int] = []
        self._total = self._squares = self._taken = 0

    def play(self) -> None:
        """One round more."""
        left, _, need = self._dealt.ends(self.seat.player, self._seed, ROUND, first=len(self.left))
        failures = self.judge.failures(left, need)
        self.left += left
        self.failures += failures
        self._total += sum(failures)
        self._squares += sum(map(mul, failures, failures))
        self._taken += self.judge.tiles * len(left) - (0 if self.judge.endless else sum(left))

    @property
    def variance(self) -> int:
        """Of what they say of the player's share of the number, in hundredths of a point squared."""
        count, (weight, low, high) = len(self.left), self._span
        spread = (10_000 * weight) ** 2 * (count * self._squares - self._total * self._total)
        return spread // (((high - low) * self.judge.whole * count) ** 2 * (count - 1))

    @property
    def gain(self) -> int:
        """How much another round is expected to lower the variance, for the work it takes; to compare by."""
        return (self.variance << 32) // (self._taken * self.seat.effort + 1)


def games_until_known(dealt: Table, deal: Deal, seed: str) -> dict[str, Games]:
    """By player's name, for those that weigh, the same games: as many as it takes until the number is known.

    They play a round each; from then on whoever's next round says most about the number for the work it takes.
    """
    panel = [_Series(seat, dealt, deal, seed) for seat in PANEL if deal.board.ruleset.group in seat.spans]
    for series in panel:
        series.play()
    while sum(series.variance for series in panel) > KNOWN:
        playing = [series for series in panel if len(series.left) < MOST]
        if not playing:
            break
        max(playing, key=lambda series: series.gain).play()
    return {series.seat.name: Games.of(series.left, series.failures, series.judge) for series in panel}


def number_of(seed: str, label: str) -> int:
    """What the kernel's games of the stream `bots/LABEL` of `seed` draw from."""
    stream = Stream(seed, f"bots/{label}")
    return stream.word() << 32 | stream.word()


Z2 = 38_416
"""The square of 1.96, in ten-thousandths."""


def wilson(won: int, played: int) -> tuple[int, int]:
    """The 95 % interval (Wilson) of a rate seen as `won` of `played` ≥ 1, in thousandths, rounded outwards."""
    scale = 10_000
    middle = scale * won + Z2 // 2
    spread = isqrt(Z2 * (scale * won * (played - won) // played + Z2 // 4)) + 1
    whole = scale * played + Z2
    return max(0, 1000 * (middle - spread) // whole), min(1000, -(-1000 * (middle + spread) // whole))
