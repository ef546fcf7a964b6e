"""One number for how hard a level is, from what a panel of bots makes of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from levelgen.board import Deal
from levelgen.certificate import Solution, moves_under
from levelgen.rate.panel import PANEL, Games, Seat, table
from levelgen.rate.structure import figures, sight
from levelgen.rules import Ruleset
from levelgen.seed import Stream

RATING = 1
"""The version of the number: the panel, the weights and the curves. Whatever changes a number raises it."""

Tier = Literal["cheap", "full"]
"""`cheap` plays a few games for ranking candidates, `full` enough for the number to be certified."""

WEIGHTS = {"novice": 250, "casual": 250, "careful": 300, "expert": 200}
"""What each of the panel contributes at most; together 1000."""

CURVES: Mapping[int, Mapping[str, Sequence[int]]] = {
    2: {
        "novice": (0, 11, 53, 96, 186, 304, 409, 516, 601, 709, 910),
        "casual": (0, 10, 30, 76, 155, 301, 399, 497, 606, 693, 900),
        "careful": (0, 10, 25, 48, 100, 222, 352, 456, 574, 675, 900),
        "expert": (0, 5, 10, 20, 40, 83, 269, 470, 582, 693, 926),
    },
    3: {
        "novice": (63, 280, 422, 550, 663, 746, 814, 857, 882, 912, 960),
        "casual": (0, 5, 10, 25, 75, 195, 351, 602, 756, 879, 960),
        "careful": (0, 5, 10, 25, 48, 93, 206, 353, 486, 744, 948),
        "expert": (0, 5, 10, 15, 20, 30, 40, 70, 108, 273, 948),
    },
}
"""By group size and player: the failures that 0, 1, …, 10 tenths of the reference levels stay below."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How hard a level is."""

    number: int
    """0 (nobody fails) … 1000."""
    shares: Mapping[str, int]
    """What the failure of each player contributed to the number; their sum is the number."""
    seconds: int
    """How long a player who wins is estimated to play."""
    figures: Mapping[str, int]
    """Every figure of `docs/difficulty.md`, by name, rates in thousandths; names ascending. No floats."""
    tier: Tier
    version: int = RATING

    def to_json(self) -> dict[str, int]:
        """What a record carries under `difficulty`: `rating`, `seconds`, `rating_version` and the figures."""
        found = {**self.figures, "rating": self.number, "seconds": self.seconds, "rating_version": self.version}
        return dict(sorted(found.items()))


def rate(deal: Deal, solution: Solution, seed: str, tier: Tier = "full") -> Rating:
    """The rating of a level that `solution` wins (pairs: pairs in a robust order; triples: one tile a pick).

    Bots draw from the streams `bots/NAME` of `seed`: another seed gives other games, and very nearly the same number.

    Raises:
        ValueError: the kernel does not take the deal, or the law refuses the solution.
    """
    rules = deal.board.ruleset
    tiles = deal.start.remaining.bit_count()
    dealt = table(deal)
    found: dict[str, int] = figures(deal) | sight(deal)
    shares: dict[str, int] = {}
    for seat in PANEL:
        left = dealt.games(seat.player, _seed_of(seed, seat), seat.full if tier == "full" else seat.cheap)
        games = Games.of(left, max(tiles, 1), rules.group)
        found |= games.figures(seat.name)
        shares[seat.name] = WEIGHTS[seat.name] * along(CURVES[rules.group][seat.name], games.failure) // 1000
    number = sum(shares.values())
    return Rating(number, shares, _seconds(deal, rules, solution), dict(sorted(found.items())), tier)


def along(curve: Sequence[int], failure: int) -> int:
    """How many of 1000 reference levels are failed less, by straight pieces between the tenths."""
    if failure >= curve[-1]:
        return 1000
    tenth = max(0, bisect_right(curve, failure) - 1)
    low, high = curve[tenth], curve[tenth + 1]
    return 100 * tenth + 100 * max(0, failure - low) // (high - low)


def _seed_of(seed: str, seat: Seat) -> int:
    stream = Stream(seed, f"bots/{seat.name}")
    return stream.word() << 32 | stream.word()


def _seconds(deal: Deal, rules: Ruleset, solution: Solution) -> int:
    """A first estimate: each move takes a while, and longer where more tiles lie open."""
    moves = moves_under(rules, deal.face_down, solution)
    return sum(900 + 60 * 12 for _ in moves) // 1000
