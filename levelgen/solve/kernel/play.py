"""The law at speed: perft, which ties it to `board.Position`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import UNLIMITED, CDeal, Gates, status_of

Mode = Literal["pick", "lift", "flip"]
"""How tiles leave: one by one into the tray, or two alike at once with face-down tiles lifted or turned over."""

MODES: dict[Mode, int] = {"pick": lib.LG_PICK, "lift": lib.LG_LIFT, "flip": lib.LG_FLIP}


def flags(tiles: int, face_down: Sequence[int]) -> bytes:
    """One byte a tile, 1 where its id is among `face_down`."""
    found = bytearray(max(tiles, 1))
    for tile in face_down:
        found[tile] = 1
    return bytes(found)


def perft(
    gates: Gates, faces: Sequence[int], *, mode: Mode, cap: int, group: int, depth: int, removed: Sequence[int] = (),
    tray: Sequence[int] = (), face_down: Sequence[int] = (), budget: int = UNLIMITED,
) -> tuple[int, ...] | None:  # fmt: skip
    """How many sequences of 0, 1, …, `depth` accepted moves there are; None when there are more than `budget`."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    counts = ffi.new("uint64_t[]", depth + 1)
    hidden = ffi.new("uint8_t[]", flags(deal.tiles, face_down))
    status = status_of(lib.lg_perft(deal.pointer, MODES[mode], hidden, depth, budget, counts))
    return tuple(counts) if status == "solved" else None
