"""The plain provers: depth-first search over the law's positions, and the search for a robust order of pairs.

Both are oracles for the fast kernel, so they favour being obviously right. `search` decides a deal under its
own ruleset. `robust_pairs` asks for more: an order of pairs that holds under every reading of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Literal, NamedTuple

from levelgen.board import Deal, Position, tiles_of
from levelgen.certificate import moves_under
from levelgen.moves import Move
from levelgen.rules import BLOCKING, Gates, gates
from levelgen.seed import Stream
from levelgen.solve.proof import Proof


def prove(deal: Deal, budget: int) -> Proof:
    """Pairs: a robust order first, which also proves the deal solved; then, or for triples, the whole search.

    The budget counts fixpoints of `robust_pairs` and positions of `search` alike; the first may use up half
    of it.
    """
    spent = 0
    if deal.board.ruleset.id == "pairs":
        robust = robust_pairs(deal, budget // 2)
        spent = robust.work
        if robust.verdict == "yes":
            moves = moves_under(deal.board.ruleset, deal.face_down, robust.pairs)
            return Proof("solved", "dfs", spent, moves, robust.pairs)
    found = search(deal, budget - spent)
    return Proof(found.verdict, "dfs", spent + found.work, found.moves)


def search(deal: Deal, budget: int) -> Proof:
    """Depth-first search from `deal.start`, each state once; `budget` is the number of positions it may open.

    A state is what is on the board and what is hidden: the faces in the tray follow from what has left, and
    their order decides nothing. Two reductions, each of which only drops moves from a winning line and so
    keeps it valid, for openness never shrinks and the tray only gets emptier: see `_forced`.
    """
    start = deal.start
    line: list[Move] = []
    seen: set[tuple[int, int]] = set()
    position, forced = _settle(start)
    line += forced
    work = 1
    if position.won:
        return Proof("solved", "dfs", work, tuple(line))
    stack: list[tuple[Position, Iterator[Move], int]] = [(position, iter(_ordered(position)), len(line))]
    while stack:
        position, choices, length = stack[-1]
        del line[length:]
        move = next(choices, None)
        if move is None:
            stack.pop()
            continue
        child, forced = _settle(position.after(move))
        key = (child.remaining, child.hidden)
        if key in seen:
            continue
        if work >= budget:
            return Proof("undecided", "dfs", work)
        seen.add(key)
        work += 1
        line += [move, *forced]
        if child.won:
            return Proof("solved", "dfs", work, tuple(line))
        stack.append((child, iter(_ordered(child)), len(line)))
    return Proof("unsolvable", "dfs", work)


def _settle(position: Position) -> tuple[Position, list[Move]]:
    """Play every forced move, and return where that leads and the moves played."""
    moves: list[Move] = []
    while forced := _forced(position):
        for move in forced:
            position = position.play(move)
        moves += forced
    return position, moves


def _forced(position: Position) -> list[Move]:
    """Moves that can be played at once without loss; empty when there are none.

    1. An open tile is turned over where that leaves it on the board: it only adds moves.
    2. A face all of whose tiles on the board are open leaves, when they make whole groups with those that
       wait and the tray has room: tray + group − (waiting of that face) ≤ slots. Any winning line removes
       exactly these tiles too, only later.
    """
    rules = position.deal.board.ruleset
    faces = position.deal.faces
    blocked = set()
    shown: dict[str, list[int]] = {}
    for tile in tiles_of(position.remaining):
        if position.deal.board.is_open(tile, position.remaining):
            if position.hidden >> tile & 1 and rules.face_down == "flip":
                return [Move("flip", (tile,))]
            shown.setdefault(faces[tile], []).append(tile)
        else:
            blocked.add(faces[tile])
    for face, tiles in shown.items():
        waiting = position.tray.count(face)
        whole = (len(tiles) + waiting) % rules.group == 0
        if face not in blocked and whole and len(position.tray) + rules.group - waiting <= rules.tray:
            return clearing(position, tiles)
    return []


def clearing(position: Position, tiles: Iterable[int]) -> list[Move]:
    """The moves that take open tiles of one face: hidden ones first, then what matches, then what pairs."""
    if position.deal.board.ruleset.id == "triples":
        return [Move("pick", (tile,)) for tile in tiles]
    lifts = [Move("lift", (tile,)) for tile in tiles if position.hidden >> tile & 1]
    rest = [tile for tile in tiles if not position.hidden >> tile & 1]
    waits = len(rest) % 2
    matches = [Move("match", (tile,)) for tile in rest[:waits]]
    return lifts + matches + [Move("pair", (a, b)) for a, b in zip(rest[waits::2], rest[waits + 1 :: 2], strict=True)]


def _ordered(position: Position) -> list[Move]:
    """The accepted moves: what completes a group first, then what advances one, the highest tile first."""
    faces, tray = position.deal.faces, position.tray

    def eagerness(move: Move) -> tuple[int, int]:
        completes = 2 if move.kind == "pair" else tray.count(faces[move.tiles[0]])
        return (-completes, -move.tiles[-1])

    return sorted(position.moves(), key=eagerness)


class Robust(NamedTuple):
    """The answer to "is there a robust order of pairs?"."""

    verdict: Literal["yes", "no", "undecided"]
    """`no`: no order of board pairs empties the board. Lifts and the tray may still win the deal."""
    work: int
    """Fixpoints computed."""
    pairs: tuple[tuple[int, int], ...] = ()
    """When yes: every tile of the board once; both tiles of a pair are open at its turn."""


LOCAL, COMPLETE = 1_500, 4_000
"""Fixpoints the local and the complete search get in the first round; each further round doubles them."""


def robust_pairs(deal: Deal, budget: int) -> Robust:
    """Search for an order of pairs, both tiles open under the strictest blocking, that empties the board.

    Once every tile has its mate, taking pairs greedily is monotone, so that one fixpoint decides. In turns,
    with ever more patience: local search over pairings, good where a face has many copies; and a complete
    search that fixes one mate at a time and prunes with a relaxation in which a tile may leave beside any of
    its still possible mates. `no` comes from the complete search, or from the one pairing there is.
    """
    return _Pairings(deal, budget).run()


class _Spent(Exception):
    """Raised inside the search when the fixpoints it was allowed are used up."""


class _Pairings:
    """The work space of `robust_pairs`: gates under the strictest blocking, and the budget."""

    def __init__(self, deal: Deal, budget: int) -> None:
        self.gates: Gates = gates(deal.board.layout, BLOCKING)
        self.start = deal.start.remaining
        self.tray = deal.tray
        self.budget = self.limit = budget
        self.work = 0
        alike: dict[str, list[int]] = {}
        for tile in tiles_of(self.start):
            alike.setdefault(deal.faces[tile], []).append(tile)
        self.alike = tuple(alike.values())

    def run(self) -> Robust:
        if self.tray or any(len(tiles) % 2 for tiles in self.alike):
            return Robust("no", 0)
        for turn in count():
            for attempt in (self._local, self._complete):
                left = self.budget - self.work
                self.limit = self.work + (
                    min(left // 2, LOCAL << turn) if attempt == self._local else min(left, COMPLETE << turn)
                )
                try:
                    pairs = attempt(turn)
                except _Spent:
                    if self.work >= self.budget:
                        return Robust("undecided", self.work)
                else:
                    return Robust("no" if pairs is None else "yes", self.work, pairs or ())
        raise AssertionError("unreachable")

    def _spend(self) -> None:
        if self.work >= self.limit:
            raise _Spent
        self.work += 1

    def _greedy(self, pairs: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Take pairs while any is open: the pairs taken, in order, and those that stay."""
        self._spend()
        table, remaining = self.gates, self.start
        taken: list[tuple[int, int]] = []
        waiting = pairs
        while True:
            stuck = []
            for pair in waiting:
                if all(any(not blockers & remaining for blockers in table[tile]) for tile in pair):
                    remaining ^= 1 << pair[0] | 1 << pair[1]
                    taken.append(pair)
                else:
                    stuck.append(pair)
            if not stuck or len(stuck) == len(waiting):
                return taken, stuck
            waiting = stuck[::-1]

    def _local(self, turn: int) -> tuple[tuple[int, int], ...] | None:
        """Local search: a stuck pair with an open tile swaps mates with another pair of its face.

        The swap stays if it leaves no more tiles on the board, and once in fifty times even if it does. When
        no pair has anybody to swap with, pairs are as they must be, and the answer is no.
        """
        chance = Stream("levelgen", f"robust/{turn}")
        pairs: list[tuple[int, int]] = []
        for tiles in self.alike:
            order = list(tiles)
            chance.shuffle(order)
            pairs += [_pair(a, b) for a, b in zip(order[::2], order[1::2], strict=True)]
        face_of = {tile: index for index, tiles in enumerate(self.alike) for tile in tiles}
        taken, stuck = self._greedy(pairs)
        if all(len(tiles) == 2 for tiles in self.alike):
            return None if stuck else tuple(taken)
        while stuck:
            remaining = sum(1 << a | 1 << b for a, b in stuck)
            culprits = [
                pair for pair in stuck if len(self.alike[face_of[pair[0]]]) > 2 and self._opens(pair, remaining)
            ]
            if not culprits:
                raise _Spent
            first = chance.choice(culprits)
            second = chance.choice([p for p in pairs if face_of[p[0]] == face_of[first[0]] and p != first])
            side = chance.below(2)
            swapped = [pair for pair in pairs if pair not in (first, second)]
            swapped += [_pair(first[0], second[side]), _pair(first[1], second[1 - side])]
            result = self._greedy(swapped)
            if len(result[1]) <= len(stuck) or not chance.below(50):
                pairs, (taken, stuck) = swapped, result
        return tuple(taken)

    def _opens(self, tiles: Iterable[int], remaining: int) -> bool:
        """Whether any of `tiles` is open."""
        return any(not blockers & remaining for tile in tiles for blockers in self.gates[tile])

    def _complete(self, _turn: int) -> tuple[tuple[int, int], ...] | None:
        """Fix mates one after the other, depth first; None when no pairing empties the board."""
        mates: dict[int, int] = {}
        for tiles in self.alike:
            together = sum(1 << tile for tile in tiles)
            mates |= {tile: together ^ 1 << tile for tile in tiles}
        stack = [mates]
        while stack:
            probed = self._probe(stack.pop())
            if probed is None:
                continue
            open_ended = [tile for tile, masks in probed.items() if masks & (masks - 1)]
            if not open_ended:
                pairs = [_pair(t, mask.bit_length() - 1) for t, mask in probed.items() if t < mask.bit_length() - 1]
                taken, stuck = self._greedy(pairs)
                if not stuck:
                    return tuple(taken)
                continue
            tile = min(open_ended, key=lambda tile: (probed[tile].bit_count(), tile))
            children = (self._fix(probed, tile, mate) for mate in tiles_of(probed[tile]))
            stack += [child for child in children if child is not None]
        return None

    def _probe(self, mates: dict[int, int]) -> dict[int, int] | None:
        """Drop every mate that cannot be, until nothing changes; None when some tile has none left."""
        if not self._may_empty(mates):
            return None
        changed = True
        while changed:
            changed = False
            for tile in mates:
                for mate in tiles_of(mates[tile]):
                    if mate < tile or not mates[tile] & (mates[tile] - 1):
                        continue
                    if not mates[tile] >> mate & 1:
                        continue
                    fixed = self._fix(mates, tile, mate)
                    if fixed is not None and self._may_empty(fixed):
                        continue
                    dropped = self._without(mates, tile, mate)
                    if dropped is None or not self._may_empty(dropped):
                        return None
                    mates, changed = dropped, True
        return mates

    def _fix(self, mates: dict[int, int], tile: int, mate: int) -> dict[int, int] | None:
        """`mates` with these two fixed to each other; None when that leaves some tile without a mate."""
        fixed = dict(mates)
        both = 1 << tile | 1 << mate
        for other in tiles_of((mates[tile] | mates[mate]) & ~both):
            fixed[other] &= ~both
        fixed[tile], fixed[mate] = 1 << mate, 1 << tile
        return self._singles(fixed)

    def _without(self, mates: dict[int, int], tile: int, mate: int) -> dict[int, int] | None:
        less = dict(mates)
        less[tile] &= ~(1 << mate)
        less[mate] &= ~(1 << tile)
        return self._singles(less)

    def _singles(self, mates: dict[int, int]) -> dict[int, int] | None:
        """A tile's only possible mate is nobody else's; None when some tile has none left."""
        queue = [tile for tile, mask in mates.items() if not mask & (mask - 1)]
        while queue:
            tile = queue.pop()
            if not mates[tile]:
                return None
            mate = mates[tile].bit_length() - 1
            for other in tiles_of(mates[mate] & ~(1 << tile)):
                mates[other] &= ~(1 << mate)
                if not mates[other] & (mates[other] - 1):
                    queue.append(other)
            if mates[mate] != 1 << tile:
                mates[mate] = 1 << tile
        return mates

    def _may_empty(self, mates: dict[int, int]) -> bool:
        """The relaxation: a tile leaves once it and any possible mate were open. Is everything gone then?"""
        self._spend()
        table, remaining = self.gates, self.start
        reached = 0
        waiting = list(mates)
        while waiting:
            stuck = []
            for tile in waiting:
                if not remaining >> tile & 1:
                    continue
                if any(not blockers & remaining for blockers in table[tile]):
                    reached |= 1 << tile
                    partners = mates[tile] & reached
                    if partners:
                        remaining &= ~(partners | 1 << tile)
                        continue
                stuck.append(tile)
            if len(stuck) == len(waiting):
                return False
            waiting = stuck[::-1]
        return True


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)
