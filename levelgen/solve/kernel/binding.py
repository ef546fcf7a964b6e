"""How a deal gets into C: the arrays of `lg_deal`, and the statuses that come out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from levelgen.errors import LevelgenError, stale_kernel
from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.made_from import sources_digest


def made_from(kernel: Any = lib) -> str:
    """The digest of the sources that a kernel was compiled from; empty of one from before there was such a stamp."""
    told = getattr(kernel, "lg_made_from", None)
    return ffi.string(told()).decode() if told else ""


def stale(sources: Path, kernel: Any = lib) -> LevelgenError | None:
    """What to say when `kernel` was not compiled from the sources in this folder; None where none are shipped."""
    now = sources_digest(sources)
    if now in ("", made_from(kernel)):
        return None
    return stale_kernel("it was compiled from other sources than those beside it")


if _found := stale(Path(__file__).parent):  # once, before anything is asked of it: it might answer differently
    raise _found

Gates = Sequence[Sequence[int]]
"""Per tile its alternatives, each the bit mask of its blockers."""

Status = Literal["solved", "unsolvable", "undecided"]

MEMORY = 80_000_000
"""Bytes a search may take unless told otherwise: with the interpreter around it, below 100 MB."""
MAX_FACES = 8192
"""Faces are numbered from 0, and there is an array as long as the largest number."""
UNLIMITED = (1 << 64) - 1
"""A budget that is never spent."""

_STATUS: dict[int, Status] = {lib.LG_SOLVED: "solved", lib.LG_UNSOLVABLE: "unsolvable", lib.LG_UNDECIDED: "undecided"}


@lru_cache(maxsize=64)
def spread(gates: tuple[tuple[int, ...], ...]) -> tuple[Any, Any, Any]:
    """The arrays `alt_start`, `blk_start` and `blk` of `lg_deal`; nobody writes to them, so that deals share them.

    Raises:
        ValueError: a mask is negative.
    """
    if any(mask < 0 for gate in gates for mask in gate):
        raise ValueError("a gate is not of this board")
    alternatives = [0]
    starts = [0]
    blockers: list[int] = []
    for gate in gates:
        for mask in gate:
            while mask:
                low = mask & -mask
                blockers.append(low.bit_length() - 1)
                mask ^= low
            starts.append(len(blockers))
        alternatives.append(len(starts) - 1)
    return tuple(ffi.new("int32_t[]", array) for array in (alternatives, starts, blockers or [0]))


class CDeal:
    """An `lg_deal` and the arrays it points to, kept alive together."""

    def __init__(
        self, gates: Gates, faces: Sequence[int], *, group: int, cap: int, removed: Sequence[int] = (),
        tray: Sequence[int] = (),
    ) -> None:  # fmt: skip
        """`faces` are numbers from 0; `removed` are tile ids; `tray` is how many tiles of each face wait."""
        if len(faces) != len(gates):
            raise ValueError(f"{len(faces)} faces for {len(gates)} tiles")
        if (faces and (min(faces) < 0 or max(faces) >= MAX_FACES)) or len(tray) > MAX_FACES:
            raise ValueError(f"a face is no number below {MAX_FACES}")
        if any(not 0 <= tile < len(gates) for tile in removed):
            raise ValueError("a removed tile is not of this board")
        alternatives, starts, blockers = spread(tuple(map(tuple, gates)))
        self.tiles = len(faces)
        self.faces = max((*faces, len(tray) - 1), default=-1) + 1
        gone = bytearray(self.tiles)
        for tile in removed:
            gone[tile] = 1
        waiting = list(tray) + [0] * (self.faces - len(tray))
        self._arrays = {
            "face": ffi.new("int32_t[]", list(faces)),
            "alt_start": alternatives,
            "blk_start": starts,
            "blk": blockers,
            "removed": ffi.new("uint8_t[]", bytes(gone) or b"\0"),
            "tray": ffi.new("int32_t[]", waiting or [0]),
        }
        self.pointer: Any = ffi.new(
            "lg_deal *", {"n": self.tiles, "faces": self.faces, "group": group, "cap": cap, **self._arrays}
        )


def status_of(code: int) -> Status:
    """The status in words.

    Raises:
        ValueError: the kernel refused its input.
        MemoryError: the machine had no memory left.
    """
    if code == lib.LG_BAD_INPUT:
        raise ValueError("the kernel does not take this deal: an index, a count or a gate is out of range")
    if code == lib.LG_NO_MEMORY:
        raise MemoryError("no memory left for the search")
    return _STATUS[code]
