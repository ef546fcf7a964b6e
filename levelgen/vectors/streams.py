"""Streams of chance, and what a date maps to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from levelgen.daily import daily_number, daily_seed, kathmandu_date
from levelgen.seed import Stream
from levelgen.vectors.case import Case

STREAMS = (
    ("", ""),
    ("demo", "layout"),
    ("demo", "deal/3"),
    ("demo", "face-down"),
    ("demolayout", ""),
    ("Kathmandu/2026-11-30/hard", "bots/greedy"),
    ("दशैं 🪁", "ताश"),
    ("s" * 300, "long seeds"),
)
_LIMITS = (1, 2, 3, 52, 1 << 32, *[(1 << 31) + 1] * 4, *[3 << 30] * 2, 144, (1 << 32) - 1, 10, 7, 1152)


def stream_case(seed: str, label: str) -> Case:
    """What a stream yields, each time from its beginning."""
    plain, drawn, mixed = (Stream(seed, label) for _ in range(3))
    items = list(range(16))
    words = [plain.word() for _ in range(20)]
    below = [[n, drawn.below(n)] for n in _LIMITS]
    mixed.shuffle(items)
    return {"seed": seed, "label": label, "words": words, "below": below, "shuffle": items}


_MOMENTS = (
    "1970-01-01T00:00:00", "2024-02-28T18:14:59", "2024-02-28T18:15:00", "2024-02-29T18:15:00", "2026-11-30T18:14:59",
    "2026-11-30T18:15:00", "2026-12-31T18:14:59", "2026-12-31T18:15:00", "2027-03-28T01:30:00", "2100-02-28T18:15:00",
)  # fmt: skip


def daily_cases() -> Iterator[Case]:
    """Moments around midnight in Kathmandu."""
    for text in _MOMENTS:
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
        date = kathmandu_date(moment)
        tiers, start = ("easy", "medium", "hard"), datetime.date(1970, 1, 1)
        seeds = {tier: daily_seed("channel", tier, date) for tier in tiers}
        yield {
            "utc": f"{text}Z",
            "unix": int(moment.timestamp()),
            "date": date.isoformat(),
            "channel": "channel",
            "seeds": seeds,
            "first": 7,
            "start": start.isoformat(),
            "numbers": {tier: daily_number(7, start, tiers, tier, date) for tier in tiers},
        }
