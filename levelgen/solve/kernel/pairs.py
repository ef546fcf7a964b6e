"""Boards cleared pair by pair: the kernel's solver over couplings, and evidence for what cannot be won.

Plain numbers in, plain records out; nothing here is trusted: the law replays every solution, and
`levelgen.evidence.refutation_tree` checks every refutation without any of this code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from levelgen.solve.kernel._kernel import ffi, lib
from levelgen.solve.kernel.binding import MEMORY, UNLIMITED, CDeal, Gates, Status, status_of

EVIDENCE = 1 << 16
"""Bytes a refutation may take unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found."""

    status: Status
    couples: tuple[tuple[int, int], ...]
    """The tiles pair by pair, in an order that works; empty when no solution is known. A waiting tile has an id
    after those of the board, in the order of `tray`."""
    evidence: bytes | None
    """When unsolvable: the refutation; None when it did not fit or was not asked for."""
    spent: int
    """Closures, roughly: what the budget counts."""


class Board:
    """Gates compiled once, for any number of deals on them."""

    def __init__(self, gates: Gates, removed: Sequence[int] = ()) -> None:
        """Raises ValueError for gates the kernel does not take: eight alternatives at most, ids in range."""
        deal = CDeal(gates, [0] * len(gates), group=2, cap=2, removed=removed)
        self.tiles = len(gates)
        self._board: Any = ffi.gc(lib.lg_pairs_new(deal.pointer), lib.lg_pairs_free)
        if not self._board:
            raise ValueError("the kernel does not take these gates")

    def solve(
        self, faces: Sequence[int], *, lone: Sequence[int] = (), tray: Sequence[int] = (), budget: int = UNLIMITED,
        memory: int = MEMORY, seed: int = 0, evidence: int = 0,
    ) -> Answer:  # fmt: skip
        """Whether the tiles can be coupled so that they leave couple by couple, both open at the same time.

        `lone` tiles leave as soon as they are open, their mates later: a face-down tile under an unlimited tray.
        `tray` are the faces that wait. `evidence` is how many bytes a refutation may take; 0: none is made.
        """
        if len(faces) != self.tiles:
            raise ValueError(f"{len(faces)} faces for {self.tiles} tiles")
        alone = ffi.NULL
        if lone:
            flags = bytearray(self.tiles)
            for tile in lone:
                flags[tile] = 1
            alone = ffi.new("uint8_t[]", bytes(flags))
        pairs = ffi.new("int32_t[]", self.tiles + len(tray) + 2)
        proof = ffi.new("uint8_t[]", evidence) if evidence else ffi.NULL
        stats = ffi.new("lg_pairs_stats *")
        status = status_of(
            lib.lg_pairs_solve(
                self._board, ffi.new("int32_t[]", faces or [0]), alone, len(tray), ffi.new("int32_t[]", tray or [0]),
                budget, memory, seed, pairs, proof, evidence, stats,
            )
        )  # fmt: skip
        flat = ffi.unpack(pairs, 2 * stats.pairs) if stats.pairs else []
        shown = bytes(ffi.buffer(proof, stats.proof_bytes)) if stats.proof_bytes >= 0 else None
        return Answer(status, tuple(zip(flat[::2], flat[1::2], strict=True)), shown, stats.spent)


def solve(
    gates: Gates, faces: Sequence[int], *, removed: Sequence[int] = (), lone: Sequence[int] = (),
    tray: Sequence[int] = (), budget: int = UNLIMITED, memory: int = MEMORY, seed: int = 0, evidence: int = EVIDENCE,
) -> Answer:  # fmt: skip
    """`Board.solve` for a single deal."""
    board = Board(gates, removed)
    return board.solve(faces, lone=lone, tray=tray, budget=budget, memory=memory, seed=seed, evidence=evidence)


@dataclass(frozen=True, slots=True)
class Guess:
    """What the search over states of knowledge found."""

    status: Status
    strategy: bytes | None
    """When solved: as `levelgen.evidence.strategy` walks it; None when it did not fit."""
    hopeless: tuple[int, ...]
    """When unsolvable because of one arrangement of the hidden faces: the faces of that arrangement; else empty."""
    evidence: bytes | None
    """Its refutation, the face-down tiles lone under lift; None when there is none or it did not fit."""
    nodes: int
    """States opened: what the budget counts."""


def play(
    gates: Gates, faces: Sequence[int], *, cap: int, face_down: Sequence[int] = (), flip: bool = False,
    known: bool = True, removed: Sequence[int] = (), tray: Sequence[int] = (), budget: int = 1_000_000,
    memory: int = MEMORY, evidence: int = EVIDENCE,
) -> Guess:  # fmt: skip
    """Whether the board can be won by the full law: lifts, the tray, matches.

    `known`: by someone who sees the hidden faces. Not known: by a strategy that wins wherever they lie (guess-free).
    `tray` are the faces that wait, at most one of each.
    """
    counts = [0] * (max((*faces, *tray), default=-1) + 1)
    for face in tray:
        counts[face] += 1
    deal = CDeal(gates, faces, group=2, cap=cap, removed=removed, tray=counts)
    flags = bytearray(deal.tiles or 1)
    for tile in face_down:
        flags[tile] = 1
    buffer = ffi.new("uint8_t[]", max(evidence, 1))
    arrangement = ffi.new("int32_t[]", max(deal.tiles, 1))
    stats = ffi.new("lg_guess_stats *")
    status = status_of(
        lib.lg_guess_solve(
            deal.pointer, ffi.new("uint8_t[]", bytes(flags)), flip, known, budget, memory, buffer, evidence,
            arrangement, stats,
        )
    )  # fmt: skip
    data = bytes(ffi.buffer(buffer, stats.bytes)) if stats.bytes >= 0 else None
    hopeless = tuple(ffi.unpack(arrangement, deal.tiles)) if stats.world else ()
    return Guess(status, data if status == "solved" else None, hopeless, data if hopeless else None, stats.nodes)


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest tray with which a board can be won."""

    status: Status
    """Solved: `slots` is the least, every smaller tray is refuted. Unsolvable: not with `cap` slots either."""
    slots: int
    """The smallest tray known to suffice; 0 when none is."""
    refuted: int
    """The largest tray known to be too small."""


def minimum(
    gates: Gates, faces: Sequence[int], *, cap: int, face_down: Sequence[int] = (), flip: bool = False,
    removed: Sequence[int] = (), tray: Sequence[int] = (), budget: int = 1_000_000, memory: int = MEMORY,
) -> Least:  # fmt: skip
    """The least tray, up to `cap`, with which the board can be won by someone who sees the hidden faces.

    A pair takes two slots, and so does every way to complete one, so that no board is won with a single slot. A board
    with a coupling needs no more: its face-down tiles are lifted just before their mates.
    """
    if len(removed) == len(faces) and not tray:
        return Least("solved", 0, -1)
    refuted = max(1, len(tray))
    for slots in range(refuted + 1, cap + 1):
        answer = play(
            gates, faces, cap=slots, face_down=face_down, flip=flip, removed=removed, tray=tray, budget=budget,
            memory=memory, evidence=0,
        )  # fmt: skip
        if answer.status == "solved":
            return Least("solved" if refuted == slots - 1 else "undecided", slots, refuted)
        if answer.status == "unsolvable" and refuted == slots - 1:
            refuted = slots
    return Least("unsolvable" if refuted >= cap else "undecided", 0, refuted)
