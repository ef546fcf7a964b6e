"""Checks that a game of groups cleared through a tray cannot be won: the evidence behind `unsolvable` and `minimum`.

The tray follows from the set of tiles gone (each face's count modulo the group), so that set is the whole state, and a
win is a chain of sets, one tile more each time, whose tray stays below `cap` before every pick. The evidence is a set
of states that holds the start, nobody in it has won, and no move leads out of it: then it is all there is.

The chain may be followed from the start or backwards from the empty board. Backwards a face's first tile back opens a
group (group − 1 slots filled) and each further one frees a slot; forwards a tile fills a slot and the last of a group
frees all. `_Side` holds these numbers, and nothing else differs.

A move is one of two kinds, and a state needs either one *safe* move into the set, or *every* macro-move into it.

- **Macro-move**: the tiles of one face that make its next step which frees slots, and all they wait for. Delaying
  every other tile until it is needed keeps a winning chain winning, so macro-moves suffice. It may not hold the freeing
  step of another face, and may not pass over a *better* tile: one that can be played now and whose followers include
  all those of a tile it plays instead; of equals, the lower number. (Exchange the two: nothing is held up.)
- **Safe**: (a) all that is left of a face, every tile of it playable now: the face weighs nothing from then on; or (b)
  tiles playable now that complete a group (or are themselves a freeing step), when every other tile left of the face is
  no better than each of them: whatever the chain played instead, it may play these first.

Bytes: unsigned LEB128 numbers. 0 forwards or 1 backwards; then each state but the first, which is the start: how many
states ago the state was listed that it adds tiles to, how many tiles, and the tiles ascending, each as the difference
to the one before (the first to 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

Gates = Sequence[Sequence[int]]
"""Per tile its one alternative, the bit set of its blockers."""


def _tiles(mask: int) -> list[int]:
    return [tile for tile in range(mask.bit_length()) if mask >> tile & 1]


class _Side:
    """The game played from one end: which tiles wait for which, and what each count of a face weighs."""

    def __init__(self, gates: Gates, faces: Sequence[int], present: int, tray: Sequence[int],
                 cap: int, group: int, backward: bool) -> None:  # fmt: skip
        self.group, self.limit = group, cap - 1
        self.step = group - 1 if backward else 1
        self.load = [(group - c) % group if backward else c for c in range(group)]
        self.need = [(1 if c else 2) if backward else group - c for c in range(group)]
        self.present, tiles = present, _tiles(present)
        self.faces = {f: sum(1 << t for t in tiles if faces[t] == f) for f in sorted({faces[t] for t in tiles})}
        self.start = {f: 0 if backward else (tray[f] if f < len(tray) else 0) for f in self.faces}
        before = {t: gates[t][0] & present for t in tiles}
        for _ in tiles:  # a chain of blockers is no longer than the board
            grown = {t: mask | _union(before[b] for b in _tiles(mask)) for t, mask in before.items()}
            if grown == before:
                break
            before = grown
        after = {t: sum(1 << u for u in tiles if before[u] >> t & 1) for t in tiles}
        self.before, after = (after, before) if backward else (before, after)
        same = {t: self.faces[faces[t]] for t in tiles}
        self.worse = {t: sum(1 << u for u in _tiles(same[t]) if not after[u] & ~after[t]) for t in tiles}
        self.better = {
            t: sum(1 << u for u in _tiles(same[t]) if self.worse[u] >> t & 1 and (u < t or not self.worse[t] >> u & 1))
            for t in tiles
        }

    def look(self, done: int) -> None:
        """Take in a state: what may be played, every face's count, the load, and the room for a macro-move."""
        self.done, self.rest = done, self.present & ~done
        self.open = sum(1 << t for t in _tiles(self.rest) if not self.before[t] & ~done)
        self.count = {f: (self.start[f] + (mask & done).bit_count()) % self.group for f, mask in self.faces.items()}
        self.weight = sum(self.load[c] for c in self.count.values())
        self.room = (self.limit - self.weight) // self.step + 1 if self.weight <= self.limit else 0

    def decided(self) -> bool:
        """Whether no face has a freeing step left: what remains can be played as it comes."""
        return all((mask & self.rest).bit_count() < self.need[self.count[f]] for f, mask in self.faces.items())

    def safe(self) -> Iterator[int]:
        """Every state one safe move on."""
        for face, mask in self.faces.items():
            rest, here, count = mask & self.rest, mask & self.open, self.count[face]
            if not here or self.need[count] > self.room:
                continue
            counts = [(count + k) % self.group for k in range(rest.bit_count() + 1)]
            others = self.weight - self.load[count]
            peak = others + max((self.load[c] for c in counts[1:]), default=0)
            if rest == here and not self.load[counts[-1]] and peak <= self.limit:
                yield self.done | rest
            for chosen in combinations(_tiles(here), 1 if self.need[count] == 1 else self.group - count):
                best = sum(1 << t for t in chosen)
                if all(not rest & ~best & ~self.worse[t] for t in chosen):
                    yield self.done | best

    def macros(self) -> Iterator[int]:
        """Every state one macro-move on."""
        closure = {t: self.before[t] & ~self.done | 1 << t for t in _tiles(self.rest)}
        for face, mask in self.faces.items():
            need = self.need[self.count[face]]
            fitting = [t for t in _tiles(mask & self.rest) if closure[t].bit_count() <= self.room]
            for chosen in combinations(fitting, need):
                macro = _union(closure[t] for t in chosen)
                if macro.bit_count() > self.room or any(self.better[t] & self.open & ~macro for t in chosen):
                    continue
                if all(
                    (macro & other).bit_count() < self.need[self.count[f]] + (f == face)
                    for f, other in self.faces.items()
                ):
                    yield self.done | macro


def _union(masks: Iterator[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total


def _numbers(data: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in data:
        if shift > 28 or (shift and not byte):
            raise ValueError("a number is longer than it needs to be")
        value |= (byte & 127) << shift
        shift = shift + 7 if byte > 127 else 0
        if not shift:
            yield value
            value = 0
    if shift:
        raise ValueError("the last number is cut off")


def states_of(numbers: Iterator[int], tiles: int) -> Iterator[int]:
    """The states as bit sets of tiles played. Raises ValueError when the numbers are no such list."""
    states = [0]
    yield 0
    for back in numbers:
        if not 0 < back <= len(states):
            raise ValueError("a state adds to one that is not listed before it")
        state, tile, size = states[-back], -1, next(numbers, 0)
        for k in range(size):
            step = next(numbers, 0)
            tile = step if not k else tile + step
            if (k and not step) or tile >= tiles or state >> tile & 1:
                raise ValueError("the tiles a state adds do not ascend, are none of the board's, or are there already")
            state |= 1 << tile
        states.append(state)
        yield state


def check(gates: Gates, faces: Sequence[int], evidence: bytes, *, cap: int, group: int = 3,
          removed: Sequence[int] = (), tray: Sequence[int] = ()) -> str:  # fmt: skip
    """Why the evidence does not show that a tray of `cap` slots is too small; empty when it does.

    Args:
        gates: per tile its one alternative, the bit set of its blockers.
        faces: per tile its face, a number.
        removed: tiles gone before the start.
        tray: how many tiles of each face wait at the start, none of them a whole group.
    """
    numbers = _numbers(evidence)
    present = (1 << len(gates)) - 1 & ~sum(1 << tile for tile in set(removed))
    if any(len(gate) != 1 for gate in gates) or len(faces) != len(gates) or any(not 0 <= n < group for n in tray):
        return "not a game of this kind: a tile has several alternatives, or the tray holds a whole group"
    try:
        direction = next(numbers, -1)
        states = list(states_of(numbers, len(gates)))
    except ValueError as wrong:
        return str(wrong)
    if direction not in (0, 1):
        return "the evidence does not say from which end it plays"
    if direction == 1 and sum(tray) >= cap:
        return "a tray full from the start is to be shown forwards"
    side = _Side(gates, faces, present, tray, cap, group, direction == 1)
    known, reached = set(states), {0}
    if len(known) < len(states):
        return "a state is listed twice"
    for number, state in enumerate(states):
        if state & ~present:
            return f"state {number} plays a tile that is gone from the start"
        side.look(state)
        if side.decided():
            return f"state {number} is as good as won"
        after = {other for other in side.safe() if other in known} or set(side.macros())
        if not after <= known:
            return f"a move leads from state {number} out of the set"
        reached |= after
    for state in states if reached != known else ():  # a prover may have gone by macro-moves where it could play safe
        side.look(state)
        reached |= {*side.safe(), *side.macros()} & known
    return "" if reached == known else "a state is listed that no move leads to"
