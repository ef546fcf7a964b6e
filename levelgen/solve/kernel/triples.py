"""Groups cleared through a tray: the kernel's solver, the least tray, and evidence for what cannot be won.

Plain numbers in, plain records out; nothing here is trusted: the law replays every `picks`, and
`levelgen.evidence.closed_set` checks every closed set without any of this code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import MEMORY, UNLIMITED, CDeal, Gates, Status, status_of


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found."""

    status: Status
    """For `minimum`: solved only when one slot fewer is refuted."""
    picks: tuple[int, ...]
    """A winning line, tile ids in order; empty when none is known."""
    peak: int
    """Slots the line takes at most, the one a clearing tile enters included; 0 without a line."""
    refuted: int
    """The largest tray known to be too small; -1 when none is."""
    nodes: int
    """States looked at."""


@dataclass(frozen=True, slots=True)
class ClosedSet:
    """Dead states that no move leaves, as `levelgen.evidence.closed_set` reads them."""

    backward: bool
    states: int
    data: bytes


def solve(
    gates: Gates, faces: Sequence[int], *, cap: int, group: int = 3, removed: Sequence[int] = (),
    tray: Sequence[int] = (), budget: int = UNLIMITED, memory: int = MEMORY,
) -> Answer:  # fmt: skip
    """Whether the deal can be won, and how."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    return _ask(lib.lg_triples_solve, deal, budget, memory)


def minimum(
    gates: Gates, faces: Sequence[int], *, cap: int, group: int = 3, removed: Sequence[int] = (),
    tray: Sequence[int] = (), budget: int = UNLIMITED, memory: int = MEMORY,
) -> Answer:  # fmt: skip
    """The least tray, up to `cap`, with which the deal can be won: `peak`, proved when the status is solved."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    return _ask(lib.lg_triples_minimum, deal, budget, memory)


def closed_set(
    gates: Gates, faces: Sequence[int], *, cap: int, group: int = 3, removed: Sequence[int] = (),
    tray: Sequence[int] = (), memory: int = MEMORY, size: int = 1 << 20,
) -> ClosedSet | None:  # fmt: skip
    """Evidence that the deal cannot be won, in at most `size` bytes; the smaller of the two sides that has any."""
    deal = CDeal(gates, faces, group=group, cap=cap, removed=removed, tray=tray)
    best: ClosedSet | None = None
    buffer = ffi.new("uint8_t[]", max(size, 1))
    states = ffi.new("uint64_t *")
    for backward in (True, False):
        room = size if best is None else len(best.data)
        written = lib.lg_triples_closed_set(deal.pointer, backward, memory, buffer, room, states)
        if written < 0:
            status_of(int(written))
        if states[0] and (best is None or written < len(best.data)):
            best = ClosedSet(backward, int(states[0]), bytes(ffi.buffer(buffer, written)))
    return best


def _ask(function: object, deal: CDeal, budget: int, memory: int) -> Answer:
    assert callable(function)
    picks = ffi.new("int32_t[]", max(deal.tiles, 1))
    answer = ffi.new("lg_answer *")
    status = status_of(function(deal.pointer, budget, memory, picks, answer))
    line = tuple(ffi.unpack(picks, answer.picks)) if answer.picks else ()
    return Answer(status, line, answer.peak, answer.refuted, answer.nodes)
