"""Players that a curve asks about besides the panel's: any bot, in either mind, with mistakes.

    figures(deal, ("macro_seeing_300",), seed)     # asked_macro_seeing_300_win, …_win_low, …_win_high
    asked(record.difficulty)                       # the players whose win rates a record claims to lie in a range

A player is named by one word: its bot, `seeing` when it knows every face, its mistakes of 1000 when it makes any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from levelgen.board import Deal
from levelgen.rate.panel import games_of, table

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Bot, Player

BUDGET = 10_000
"""Tiles that a guest's games may take: 100 games of a board of 99 tiles that it wins."""
PREFIX = "asked_"
_NAME = re.compile(r"(random|greedy|one_ply|macro|expert)(_seeing)?(?:_([1-9][0-9]{0,3}))?", re.ASCII)


def player(name: str) -> Player | None:
    """The player of that name; None when it is none of a guest."""
    from levelgen.solve.kernel.bots import BOTS, Player

    found = _NAME.fullmatch(name)
    if found is None or int(found[3] or 0) > 1000:
        return None
    bots: dict[str, Bot] = {bot.replace("-", "_"): bot for bot in BOTS}
    return Player(bots[found[1]], found[2] is not None, int(found[3] or 0))


def asked(figures: Mapping[str, int]) -> tuple[str, ...]:
    """The guests that the figures of a record tell of, by name, ascending."""
    names = (name.removeprefix(PREFIX).removesuffix("_win") for name in figures if name.endswith("_win"))
    return tuple(sorted(name for name in names if f"{PREFIX}{name}_win" in figures and player(name)))


def figures(deal: Deal, names: Iterable[str], seed: str) -> dict[str, int]:
    """How often those guests win, and the ends of the interval, in thousandths; names that are no guest's are left out.

    They draw from the streams `bots/asked/NAME` of `seed`.

    Raises:
        ValueError: the kernel does not take the deal.
    """
    found: dict[str, int] = {}
    guests = {name: one for name in names if (one := player(name))}
    dealt = table(deal) if guests else None
    for name, one in guests.items():
        assert dealt is not None
        games = games_of(dealt, deal, one, seed, f"asked/{name}", BUDGET)
        found |= {
            f"{PREFIX}{name}_win": games.win,
            f"{PREFIX}{name}_win_low": games.win_low,
            f"{PREFIX}{name}_win_high": games.win_high,
        }
    return found
