"""Which deal belongs to which day: the date in Kathmandu, its seed, and the number of its level in a pack.

    day  = kathmandu_date(moment)                      midnight there is the new day, whatever the machine's clock says
    seed = daily_seed("tile-match-daily", "hard", day)  tile-match-daily/hard/2026-12-01

A pack of several days holds, day after day, one level for each tier in the channel's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

KATHMANDU = timedelta(hours=5, minutes=45)
"""Asia/Kathmandu is so far ahead of UTC, all year."""
MAX_DAYS = 3660
"""The most days of one pack."""


def kathmandu_date(moment: datetime) -> date:
    """The date in Asia/Kathmandu at `moment`, which must know its time zone."""
    return (moment.astimezone(UTC) + KATHMANDU).date()


def daily_seed(channel: str, tier: str, day: date) -> str:
    """The seed of the deal of that day: of the channel's public seed, the tier and the date in Kathmandu."""
    return f"{channel}/{tier}/{day.isoformat()}"


def date_of_seed(seed: str) -> tuple[str, date] | None:
    """The tier and the date a seed names; None when it is none of a deal of the day."""
    _, _, tail = seed.rpartition("/")
    tier = seed[: -len(tail) - 1].rpartition("/")[2]
    try:
        day = datetime.strptime(tail, "%Y-%m-%d").date()
    except ValueError:
        return None
    return (tier, day) if tier and day.isoformat() == tail else None


def daily_number(first: int, start: date, tiers: Sequence[str], tier: str, day: date) -> int:
    """The number of a day's level in a pack whose level `first` is the first tier of the day `start`."""
    return first + (day - start).days * len(tiers) + tiers.index(tier)
