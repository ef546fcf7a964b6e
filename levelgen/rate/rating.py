"""One number for how hard a level is, from what a panel of bots makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from levelgen.board import Deal
from levelgen.certificate import Solution
from levelgen.moves import Move
from levelgen.rate import proofs, structure
from levelgen.rate.panel import CASUAL, PANEL, games_of, table

RATING = 1
"""The version of the number: the panel, the weights and the curves. Whatever changes a number raises it."""

Tier = Literal["cheap", "full"]
"""`cheap` plays a few games for ranking candidates, `full` enough for the number to be certified."""

SPANS: Mapping[int, Mapping[str, tuple[int, int, int]]] = {
    2: {"novice": (400, 0, 900), "casual": (250, 0, 900), "careful": (350, 0, 900)},
    3: {"novice": (400, 200, 1000), "casual": (400, 50, 900), "careful": (200, 0, 950)},
}
"""By group size and player, for those that weigh: what it contributes at most (together 1000), and the failures at
which it contributes nothing and all; straight between them."""


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


def rate(deal: Deal, solution: Solution | Sequence[Move], seed: str, tier: Tier = "full") -> Rating:
    """The rating of a level that `solution` wins (pairs: pairs in a robust order; triples: one tile a pick; or the
    moves of a won game).

    Without a solution, the figures of the way out are left out. Bots draw from the streams `bots/NAME` of `seed`:
    another seed gives other games, and very nearly the same number. A cheap rating has the figures that cost little.

    Raises:
        ValueError: the kernel does not take the deal, or the law refuses the solution.
    """
    group = deal.board.ruleset.group
    dealt = table(deal)
    found = structure.figures(deal)
    shares: dict[str, int] = {}
    for seat in PANEL:
        budget = seat.full[deal.board.ruleset.id] if tier == "full" else seat.cheap
        if budget:
            games = games_of(dealt, deal, seat.player, seed, seat.name, budget)
            found |= games.figures(seat.name)
            if seat.name in SPANS[group]:
                shares[seat.name] = share(group, seat.name, games.failure)
    number = sum(shares.values())
    walked = structure.way_out(deal, dealt, solution)
    if walked.load:
        found |= structure.along(deal, walked)
    if tier == "full":
        found |= structure.bottleneck(deal, dealt) | proofs.guess_free(deal)
        found |= proofs.dead_ends(deal, dealt, CASUAL.player, seed)
        if walked.load:
            found |= proofs.par(deal, found["peak"])
    seconds = structure.milliseconds(deal, walked) * (1000 + number) // 1_000_000
    return Rating(number, shares, seconds, dict(sorted(found.items())), tier)


def share(group: int, name: str, failure: int) -> int:
    """What a failure contributes to the number."""
    weight, low, high = SPANS[group][name]
    return weight * min(max(failure - low, 0), high - low) // (high - low)
