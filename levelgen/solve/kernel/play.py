"""The law at speed: perft, which ties it to `board.Position`, and bots that play to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import UNLIMITED, CDeal, Gates, status_of

Mode = Literal["pick", "lift", "flip"]
"""How tiles leave: one by one into the tray, or two alike at once with face-down tiles lifted or turned over."""
Bot = Literal["random", "greedy"]

_MODES = {"pick": lib.LG_PICK, "lift": lib.LG_LIFT, "flip": lib.LG_FLIP}
_BOTS = {"random": lib.LG_BOT_RANDOM, "greedy": lib.LG_BOT_GREEDY}


def _hidden(tiles: int, face_down: Sequence[int]) -> bytes:
    flags = bytearray(max(tiles, 1))
    for tile in face_down:
        flags[tile] = 1
    return bytes(flags)


def perft(
    gates: Gates, faces: Sequence[int], *, mode: Mode, cap: int, group: int, depth: int, removed: Sequence[int] = (),
    tray: Sequence[int] = (), face_down: Sequence[int] = (), budget: int = UNLIMITED,
) -> tuple[int, ...] | None:  # fmt: skip
    """How many sequences of 0, 1, …, `depth` accepted moves there are; None when there are more than `budget`."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    counts = ffi.new("uint64_t[]", depth + 1)
    hidden = ffi.new("uint8_t[]", _hidden(deal.tiles, face_down))
    status = status_of(lib.lg_perft(deal.pointer, _MODES[mode], hidden, depth, budget, counts))
    return tuple(counts) if status == "solved" else None


def playouts(
    gates: Gates, faces: Sequence[int], *, mode: Mode, bot: Bot, cap: int, group: int, seed: int, count: int,
    removed: Sequence[int] = (), tray: Sequence[int] = (), face_down: Sequence[int] = (),
) -> tuple[int, ...]:  # fmt: skip
    """Tiles left on the board at the end of each of `count` games; 0 is a win. Game i depends on `seed` and i only."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    left = ffi.new("int32_t[]", max(count, 1))
    hidden = ffi.new("uint8_t[]", _hidden(deal.tiles, face_down))
    status_of(lib.lg_playouts(deal.pointer, _MODES[mode], hidden, _BOTS[bot], seed, count, left))
    return tuple(ffi.unpack(left, count))
