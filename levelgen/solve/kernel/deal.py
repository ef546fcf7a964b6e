"""Guaranteed deals: faces laid so that the board can be won, many a second."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import CDeal, Gates, status_of

Style = Literal["forward", "reverse", "oldest", "alike"]
_STYLES = {
    "forward": lib.LG_DEAL_FORWARD, "reverse": lib.LG_DEAL_REVERSE,
    "oldest": lib.LG_DEAL_OLDEST, "alike": lib.LG_DEAL_ALIKE,
}  # fmt: skip


def deals(
    gates: Gates, faces: Sequence[int], *, group: int, style: Style, slots: int, seed: int, count: int,
    tries: int = 100, removed: Sequence[int] = (),
) -> list[tuple[int, ...] | None]:  # fmt: skip
    """`count` deals of the faces of `faces` (as a multiset, over the tiles left); None where `tries` games got stuck.

    `slots` is the tray the guaranteed game may use, `group` or more: the larger, the more groups lie open at a time,
    the harder. 0 asks for groups whose tiles are all open at once. Deal i depends on `seed` and i only.
    """
    made = games(gates, faces, group=group, style=style, slots=slots, seed=seed, count=count, tries=tries,
                 removed=removed)  # fmt: skip
    return [None if game is None else game[0] for game in made]


def games(
    gates: Gates, faces: Sequence[int], *, group: int, style: Style, slots: int, seed: int, count: int,
    tries: int = 100, removed: Sequence[int] = (),
) -> list[tuple[tuple[int, ...], tuple[int, ...]] | None]:  # fmt: skip
    """As `deals`, each with the game that guarantees it: the tiles in the order in which they leave."""
    deal = CDeal(gates, faces, group=group, cap=max(slots, group), removed=removed)
    out = ffi.new("int32_t[]", max(deal.tiles * count, 1))
    order = ffi.new("int32_t[]", max(deal.tiles * count, 1))
    made = lib.lg_deal_faces(deal.pointer, _STYLES[style], slots, seed, tries, count, out, order)
    if made < 0:
        status_of(int(made))
    dealt, played = ffi.unpack(out, deal.tiles * count), ffi.unpack(order, deal.tiles * count)
    left = deal.tiles - len(set(removed))
    found: list[tuple[tuple[int, ...], tuple[int, ...]] | None] = []
    for first in range(0, deal.tiles * count, deal.tiles or 1):
        row = tuple(dealt[first : first + deal.tiles])
        found.append(None if row[0] < 0 else (row, tuple(played[first : first + left])))
    return found or [((), ())] * count


def rate(gates: Gates, faces: Sequence[int], *, group: int, style: Style, slots: int, count: int, seed: int = 0) -> int:
    """How many of `count` deals succeed, the deals themselves left in C: what the bench times."""
    deal = CDeal(gates, faces, group=group, cap=max(slots, group))
    out = ffi.new("int32_t[]", max(deal.tiles * count, 1))
    return int(lib.lg_deal_faces(deal.pointer, _STYLES[style], slots, seed, 100, count, out, ffi.NULL))
