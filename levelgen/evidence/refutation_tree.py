"""Checks that no pairing clears a board: the evidence behind `unsolvable` and `robust: no` for pairs.

A board is won by pairs only if every face's tiles are coupled so that the couples can leave one after the other.
Whether that is possible is a question about couplings alone, because removing an open couple never shuts another.
The evidence is a list of lemmas. A lemma is a set of literals, "these two are a couple" or "these two are not", of
which every solution must make at least one true; the last lemma is empty, which no solution can. A lemma holds when
assuming all its literals false fails: the earlier lemmas and the rule "every tile has exactly one mate" are applied
until nothing follows, and then either one of them is broken or the **closure** leaves tiles on the board: every tile
that is open together with a tile it may still be coupled with goes, again and again. The closure lets a tile be used
by several couples, so it removes whatever a real game could; where it gets stuck, a real game gets stuck.

Nothing here searches. Bytes: unsigned LEB128 numbers; a lemma is its number of literals, then the literals ascending,
each as the difference to the one before (the first to 0). Literal 2v is "couple v", 2v+1 "not couple v".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

Gates = Sequence[Iterable[int]]
"""Per tile its alternatives, each the bit set of its blockers."""


def couplings(faces: Sequence[int | None]) -> list[tuple[tuple[int, int], ...]]:
    """The variables, faces ascending: of two tiles none, of four the three ways to make two couples, else every couple.

    `faces[t]` is None where no tile lies.
    """
    found: list[tuple[tuple[int, int], ...]] = []
    for face in sorted({face for face in faces if face is not None}):
        tiles = [tile for tile, other in enumerate(faces) if other == face]
        if len(tiles) == 4:
            a, b, c, d = tiles
            found += [((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))]
        elif len(tiles) != 2:
            found += [(couple,) for couple in combinations(tiles, 2)]
    return found


class _Claim:
    """The board, what is known about its variables, and whether that can still be true."""

    def __init__(self, gates: Gates, faces: Sequence[int | None], lone: int) -> None:
        self.gates = [tuple(alternatives) for alternatives in gates]
        self.present = sum(1 << tile for tile, face in enumerate(faces) if face is not None)
        self.lone = lone
        self.variables = couplings(faces)
        holders: dict[int, int] = {}
        for number, variable in enumerate(self.variables):
            for tile in {tile for couple in variable for tile in couple}:
                holders[tile] = holders.get(tile, 0) | 1 << number
        self.groups = list(dict.fromkeys(holders[tile] for tile in sorted(holders)))
        self.pairs = [  # faces of two tiles
            tuple(tile for tile, other in enumerate(faces) if other == face)
            for face in sorted({face for face in faces if face is not None})
            if faces.count(face) == 2
        ]

    def fails(self, true: int, false: int, lemmas: Sequence[tuple[int, int]]) -> bool:
        """Whether the variables in `true` and `false` cannot be what is claimed."""
        while not true & false:
            before = true, false
            for group in self.groups:
                left = group & ~false
                if group & true:
                    false |= left & ~(group & true & -(group & true))  # one holds: the others do not
                elif not left & (left - 1):
                    if not left:
                        return True
                    true |= left
            for holds, not_holds in lemmas:
                if holds & true or not_holds & false:
                    continue
                holds, not_holds = holds & ~false, not_holds & ~true
                if holds.bit_count() + not_holds.bit_count() < 2:
                    if not holds | not_holds:
                        return True
                    true, false = true | holds, false | not_holds
            if (true, false) == before:
                return self.closure(false) != self.present
        return True

    def closure(self, false: int) -> int:
        """The tiles that leave when every coupling not in `false` may be used as often as one likes."""
        mates = [0] * len(self.gates)
        allowed = [c for v, coupling in enumerate(self.variables) if not false >> v & 1 for c in coupling]
        for a, b in allowed + self.pairs:
            mates[a] |= 1 << b
            mates[b] |= 1 << a
        gone = opened = 0
        waiting = [tile for tile in range(len(self.gates)) if self.present >> tile & 1]
        moved = True
        while moved:
            moved = False
            for tile in waiting:
                if any(not blockers & self.present & ~gone for blockers in self.gates[tile]):
                    opened |= 1 << tile
            for tile in waiting:
                if opened >> tile & 1 and (self.lone >> tile & 1 or mates[tile] & opened):
                    gone |= 1 << tile
                    moved = True
            waiting = [tile for tile in waiting if not gone >> tile & 1]
        return gone


def lemmas_of(evidence: bytes) -> Iterator[list[int]]:
    """The lemmas as lists of literals. Raises ValueError when the bytes are not such a list in its only encoding."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            if at >= len(evidence) or shift > 28:
                raise ValueError("a number is cut off or too long")
            byte = evidence[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                if shift and not byte:
                    raise ValueError("a number is longer than it needs to be")
                return value
            shift += 7

    while at < len(evidence):
        literals: list[int] = []
        for _ in range(number()):
            step = number()
            if literals and not step:
                raise ValueError("literals do not ascend")
            literals.append((literals[-1] if literals else 0) + step)
        yield literals


def check(
    gates: Gates, faces: Sequence[int | None], evidence: bytes, *, lone: int = 0, waiting: Sequence[int] = ()
) -> str:
    """Why the evidence does not show that the board cannot be cleared by couples; empty when it does.

    Args:
        gates: per tile its alternatives, each the bit set of its blockers.
        faces: per tile its face, None where the tile is gone.
        lone: bit set of tiles that leave alone once open, mate or not: face-down ones, where they may be lifted.
        waiting: faces of the tiles in the tray; they count as tiles after the others, always open, blocking nothing.
    """
    tray = range(len(gates), len(gates) + len(waiting))
    lone |= sum(1 << tile for tile in tray)
    claim = _Claim([*gates, *((0,) for _ in tray)], [*faces, *waiting], lone)
    known: list[tuple[int, int]] = []
    try:
        lemmas = list(lemmas_of(evidence))
    except ValueError as error:
        return str(error)
    if not lemmas or lemmas[-1]:
        return "the last lemma is not the empty one"
    for number, literals in enumerate(lemmas):
        if literals and literals[-1] >= 2 * len(claim.variables):
            return f"lemma {number} names a couple there is not"
        holds = sum(1 << (literal >> 1) for literal in literals if not literal & 1)
        not_holds = sum(1 << (literal >> 1) for literal in literals if literal & 1)
        if not claim.fails(not_holds, holds, known):
            return f"lemma {number} does not follow"
        known.append((holds, not_holds))
    return ""
