"""How hard a level is, in integers.

    rating = rate(deal, solution, seed, "full")     # a Rating: number 0 … 1000, shares, seconds, figures

`structure` counts what can be counted without playing, `panel` has bots play, `rating` makes one number of it.
`docs/difficulty.md` defines every figure.
"""

from levelgen.rate.rating import RATING, Rating, Tier, rate

__all__ = ["RATING", "Rating", "Tier", "rate"]
