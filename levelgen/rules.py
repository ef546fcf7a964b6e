"""The rulesets as data, and blocking as gates.

A ruleset is a record of parameters; every decision of `docs/rules.md` is one of them. Its blocking switches compile,
for a given layout, into gates: per tile, alternatives of blocker sets. A tile is open when every blocker of any one
alternative is gone. Whoever plays, solves or draws reads gates; geometry is known here and in `layout.py` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any

from levelgen.errors import Finding, Malformed
from levelgen.layout import Layout, Slot, cell_index

Gates = tuple[tuple[int, ...], ...]
"""`gates[tile]` = alternatives, each a set of blockers as a bit mask over tile ids. `(0,)` is always open."""

BLOCKING = ("cover", "horizontal", "vertical")
FACE_DOWN = ("lift", "flip")
LOSS = ("no-move", "tray-full")


@dataclass(frozen=True, slots=True)
class Ruleset:
    """The parameters of a game. Compare `RULESETS` for the two that ship."""

    id: str
    """`pairs` (a move takes two alike) or `triples` (tiles are picked one by one, three alike clear)."""
    group: int
    """How many alike clear at once: 2 for pairs, 3 for triples."""
    tray: int
    """Slots of the tray."""
    blocking: tuple[str, ...]
    """Which of `BLOCKING` are on, in that order. Triples know `cover` only."""
    face_down: str = ""
    """Pairs: what revealing a face-down tile does, `lift` into the tray or `flip` in place. Triples: empty."""
    loss: str = ""
    """Pairs: `no-move` loses when no move is accepted, `tray-full` only if tiles wait as well. Triples: empty."""
    last_slot: int = 1
    """The warning `last-slot` is raised when, after an accepted move, exactly so many slots are empty."""

    @property
    def reading(self) -> str:
        """The name under which a certificate lists this ruleset: `cover+horizontal+vertical/lift`, `cover`."""
        name = "+".join(self.blocking) or "none"
        return f"{name}/{self.face_down}" if self.face_down else name

    @property
    def warned_at(self) -> int:
        """So many tiles in the tray call for a warning."""
        return self.tray - self.last_slot

    def to_json(self) -> dict[str, Any]:
        """The ruleset as it stands in a record; `last_slot` is written only where it is not 1."""
        data: dict[str, Any] = {
            "id": self.id,
            "group": self.group,
            "tray": self.tray,
            "blocking": list(self.blocking),
        }
        if self.id == "pairs":
            data |= {"face_down": self.face_down, "loss": self.loss}
        if self.last_slot != 1:
            data["last_slot"] = self.last_slot
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any], where: str = "ruleset") -> Ruleset:
        """The ruleset a record or a recipe spells out; what is left out has the default of `RULESETS[id]`.

        Raises:
            Malformed: with every unknown key and every value that is not offered.
        """
        base = RULESETS.get(data["id"]) if isinstance(data.get("id"), str) else None
        if base is None:
            raise Malformed.of(
                "ruleset/unknown", f"unknown ruleset id {data.get('id')!r}", where, f"use one of {', '.join(RULESETS)}"
            )
        findings = tuple(_ruleset_findings(data, base, where))
        if findings:
            raise Malformed(findings)
        given = dict(data)
        if "blocking" in given:
            given["blocking"] = tuple(name for name in BLOCKING if name in given["blocking"])
        return replace(base, **given)


RULESETS: dict[str, Ruleset] = {
    "pairs": Ruleset("pairs", 2, 4, BLOCKING, "lift", "no-move"),
    "triples": Ruleset("triples", 3, 7, ("cover",)),
}

_OFFERED: dict[str, dict[str, tuple[str, ...]]] = {
    "pairs": {"blocking": BLOCKING, "face_down": FACE_DOWN, "loss": LOSS},
    "triples": {"blocking": ("cover",)},
}


def _ruleset_findings(data: Mapping[str, Any], base: Ruleset, where: str) -> Iterator[Finding]:
    offered = _OFFERED[base.id]
    for key, value in data.items():
        at = f"{where}.{key}"
        if key == "id":
            continue
        if key == "group":
            if type(value) is not int or value != base.group:
                yield Finding("ruleset/group", f"{base.id} clears {base.group} alike, not {value!r}", at)
        elif key in ("tray", "last_slot"):
            low, high = (base.group, 64) if key == "tray" else (1, 63)
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                yield Finding("ruleset/range", f"{value!r} is not an integer from {low} to {high}", at)
        elif key == "blocking" and not isinstance(value, list | tuple):
            yield Finding(
                "ruleset/blocking", f"{value!r} is not a list", at, f"write [{', '.join(offered['blocking'])}]"
            )
        elif key == "blocking":
            unknown = [name for name in value if name not in offered["blocking"]]
            if unknown or len(set(value)) != len(value):
                yield Finding(
                    "ruleset/blocking",
                    f"{list(value)!r} is not a choice of {', '.join(offered['blocking'])} without repeats",
                    at,
                )
            elif base.id == "triples" and not value:
                yield Finding("ruleset/blocking", "triples always block by covering", at, "write [cover]")
        elif key in offered:
            if value not in offered[key]:
                yield Finding("ruleset/value", f"{value!r} is not offered", at, f"use {' or '.join(offered[key])}")
        else:
            yield Finding("ruleset/unknown-key", f"{base.id} has no parameter {key!r}", at, f"remove {key}")


def readings(ruleset: Ruleset) -> tuple[Ruleset, ...]:
    """Every reading of the rules that a certificate must hold under, the strictest first.

    Pairs: all eight choices of blocking × `lift` and `flip`. Triples leave nothing open: the ruleset itself.
    """
    if ruleset.id != "pairs":
        return (ruleset,)
    switches = product((True, False), repeat=len(BLOCKING))
    choices = [tuple(name for name, on in zip(BLOCKING, row, strict=True) if on) for row in switches]
    return tuple(replace(ruleset, blocking=names, face_down=mode) for names in choices for mode in FACE_DOWN)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Per tile, bit masks of the tiles that lie above it and at its four sides."""

    above: tuple[int, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]


@lru_cache(maxsize=64)
def neighbours(layout: Layout) -> Neighbours:
    """Who lies near whom, by the definitions of `docs/rules.md`, in time linear in tiles × layers."""
    cells = cell_index(layout.slots)
    layers = range(layout.layers)

    def mask(spots: list[tuple[int, int, int]]) -> int:
        found = 0
        for spot in spots:
            for tile in cells.get(spot, ()):
                found |= 1 << tile
        return found

    def above(s: Slot) -> int:
        higher = layers[s.z + 1 :]
        return mask([(s.x + dx, s.y + dy, z) for z in higher for dx in (0, 1) for dy in (0, 1)])

    slots = layout.slots
    return Neighbours(
        tuple(above(s) for s in slots),
        tuple(mask([(s.x - 1, s.y, s.z), (s.x - 1, s.y + 1, s.z)]) for s in slots),
        tuple(mask([(s.x + 2, s.y, s.z), (s.x + 2, s.y + 1, s.z)]) for s in slots),
        tuple(mask([(s.x, s.y - 1, s.z), (s.x + 1, s.y - 1, s.z)]) for s in slots),
        tuple(mask([(s.x, s.y + 2, s.z), (s.x + 1, s.y + 2, s.z)]) for s in slots),
    )


@lru_cache(maxsize=64)
def gates(layout: Layout, blocking: tuple[str, ...]) -> Gates:
    """The blocking of `layout` as gates: per tile the least alternatives, fewest blockers first."""
    near = neighbours(layout)
    return tuple(
        _least(
            above | side | end
            for above in (near.above[tile] if "cover" in blocking else 0,)
            for side in ((near.left[tile], near.right[tile]) if "horizontal" in blocking else (0,))
            for end in ((near.upper[tile], near.lower[tile]) if "vertical" in blocking else (0,))
        )
        for tile in range(len(layout))
    )


def _least(alternatives: Iterator[int]) -> tuple[int, ...]:
    """Only the alternatives that contain no other one: the rest can never open a tile first."""
    kept: list[int] = []
    for mask in sorted(set(alternatives), key=lambda mask: (mask.bit_count(), mask)):
        if not any(other & mask == other for other in kept):
            kept.append(mask)
    return tuple(kept)
