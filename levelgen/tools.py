"""The tools players have: the three that are counted, what completing levels earns of them, what a race gives.

The recipe says all of it, and the manifest signs it, so that a server and its clients agree without asking levelgen:

    "tools":{"earned":{"every":5,"undo":1,"hint":1,"shuffle":1},
             "race":{"undo":2,"hint":0,"shuffle":0,"provisional":true}}

What a level begins with stands in its record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AIDS = ("undo", "hint", "shuffle")
"""The tools that are counted against a balance and make a win an assisted one."""
MAX_COUNT = 1_000_000
MAX_EVERY = 999_999_999

Counts = tuple[int, int, int]
"""How many of each of `AIDS`."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a pack says of tools beyond what each level begins with."""

    every: int = 0
    """The first completion of a level whose number this divides earns tools; 0 when none does."""
    earned: Counts = (0, 0, 0)
    """How many of each it earns."""
    race: Counts | None = None
    """How many of each both sides of a race or of a room have, whatever they own; None when the pack is silent."""
    provisional: bool = False
    """Whether the numbers for races are a decision the game has not taken yet."""

    def grant(self, level: int) -> Counts:
        """What the first completion of that level earns."""
        return self.earned if self.every and level % self.every == 0 else (0, 0, 0)

    def to_json(self) -> dict[str, Any]:
        """As a manifest spells it: only what there is; empty when there is nothing."""
        data: dict[str, Any] = {}
        if self.every:
            data["earned"] = {"every": self.every, **dict(zip(AIDS, self.earned, strict=True))}
        if self.race is not None:
            data["race"] = {**dict(zip(AIDS, self.race, strict=True)), "provisional": self.provisional}
        return data

    @classmethod
    def from_json(cls, data: Any) -> Allowance | None:
        """The allowance in a manifest's `tools`; None when it is not spelt as `to_json` spells one."""
        if (
            not isinstance(data, dict)
            or not data
            or list(data) != [name for name in ("earned", "race") if name in data]
        ):
            return None
        found: dict[str, Any] = {}
        if "earned" in data:
            earned = data["earned"]
            if not _spelt(earned, ("every", *AIDS)) or not _is_count(earned["every"], 1, MAX_EVERY):
                return None
            found |= {"every": earned["every"], "earned": _counts(earned)}
        if "race" in data:
            race = data["race"]
            if not _spelt(race, (*AIDS, "provisional")) or not isinstance(race["provisional"], bool):
                return None
            found |= {"race": _counts(race), "provisional": race["provisional"]}
        return None if None in found.values() else cls(**found)


SILENT = Allowance()
"""Nothing is earned, and nothing is said of races."""


def _spelt(value: Any, fields: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and tuple(value) == fields


def _is_count(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _counts(data: Mapping[str, Any]) -> Counts | None:
    undo, hint, shuffle = (data[name] for name in AIDS)
    fine = all(_is_count(number, 0, MAX_COUNT) for number in (undo, hint, shuffle))
    return (undo, hint, shuffle) if fine else None
