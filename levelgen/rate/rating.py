"""One number for how hard a level is, from what a panel of bots makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from levelgen.board import Deal
from levelgen.certificate import Solution
from levelgen.moves import Move
from levelgen.rate import proofs, structure
from levelgen.rate.panel import CASUAL, PANEL, games_of, games_until_known, table

RATING = 2
"""The version of the number: the panel, the weights and the curves. Whatever changes a number raises it."""

Tier = Literal["cheap", "full"]
"""`cheap` plays a few games for ranking candidates, `full` enough for the number to be certified."""


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
    games = games_until_known(dealt, deal, seed) if tier == "full" else {}
    for seat in PANEL:
        budget = seat.full if tier == "full" else seat.cheap
        if budget:
            games[seat.name] = games_of(dealt, deal, seat.player, seed, seat.name, budget)
        if seat.name in games:
            found |= games[seat.name].figures(seat.name)
            if group in seat.spans:
                shares[seat.name] = seat.spans[group].share(games[seat.name].failure)
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
