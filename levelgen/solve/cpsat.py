"""The independent oracle: both games as constraint models for OR-tools' CP-SAT.

Every tile on the board has a time at which it leaves; a tile leaves only after every blocker of one of its
alternatives. What waits in the tray is an interval, and the tray a cumulative resource with one unit a slot.
The model shares no idea with the depth-first search, which is the point. One worker, a fixed seed and
deterministic time make a verdict repeatable with one version of OR-tools; the witness may change between
versions and must never reach a pack.

Simultaneous moves are allowed in the model: openness asks for strictly earlier times and the resource adds up
what they need, so that any order of them is a legal line.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ortools.sat.python import cp_model

from levelgen.board import Deal, tiles_of
from levelgen.errors import LevelgenError
from levelgen.moves import Move
from levelgen.solve.proof import Proof

TICKS = 1000
"""Units of budget and work in one unit of CP-SAT's deterministic time."""


def prove(deal: Deal, budget: int) -> Proof:
    """The verdict of CP-SAT on `deal`, mid-game and waiting tiles included.

    Raises:
        LevelgenError: CP-SAT rejects the model, which is a bug here.
    """
    model = _Triples(deal) if deal.board.ruleset.id == "triples" else _Pairs(deal)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.max_deterministic_time = max(budget, 0) / TICKS
    status = solver.solve(model.model)
    work = int(solver.response_proto.deterministic_time * TICKS)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Proof("solved", "cpsat", work, model.log(solver))
    if status == cp_model.INFEASIBLE:
        return Proof("unsolvable", "cpsat", work)
    if status == cp_model.MODEL_INVALID:
        raise LevelgenError.of("solve/model", f"CP-SAT rejects the model: {model.model.validate()}")
    return Proof("undecided", "cpsat", work)


class _Game:
    """What both models share: times, openness, the tray."""

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.rules = deal.board.ruleset
        self.model: Any = cp_model.CpModel()
        self.tiles = tiles_of(deal.start.remaining)
        self.horizon = len(self.tiles)
        self.time = {tile: self.model.new_int_var(0, max(self.horizon - 1, 0), f"t{tile}") for tile in self.tiles}
        self.slots: list[Any] = []
        self.demands: list[int] = []
        self.alike: dict[str, list[int]] = {face: [] for face in deal.tray}
        for tile in self.tiles:
            self.alike.setdefault(deal.faces[tile], []).append(tile)
            self._opens(tile)

    def _opens(self, tile: int) -> None:
        """Some alternative's blockers all leave earlier than `tile`."""
        ways = self.deal.board.opens_when(tile, self.deal.start.remaining)
        chosen = [self.model.new_bool_var(f"o{tile}.{index}") for index in range(len(ways))]
        self.model.add_bool_or(chosen)
        for literal, blockers in zip(chosen, ways, strict=True):
            for blocker in blockers:
                self.model.add(self.time[blocker] < self.time[tile]).only_enforce_if(literal)

    def occupy(self, start: Any, end: Any, demand: int = 1, present: Any = None) -> Any:
        """`demand` slots are taken from `start` up to, not including, `end`, if the literal `present` holds."""
        size = self.model.new_int_var(0, self.horizon + 1, "")
        name = f"i{len(self.slots)}"
        if present is None:
            interval = self.model.new_interval_var(start, size, end, name)
        else:
            interval = self.model.new_optional_interval_var(start, size, end, present, name)
        self.slots.append(interval)
        self.demands.append(demand)
        return interval

    def close_tray(self) -> None:
        """No more slots are taken at any time than there are."""
        self.model.add_cumulative(self.slots, self.demands, self.rules.tray)


class _Pairs(_Game):
    """Every tile has one mate: another of its face on the board, or the tile of its face that waits at the
    start.

    Two tiles that show their faces leave at one time. Where a tile is lifted, the first to leave is a lifted
    one and waits for its mate; stays of one face in the tray never overlap, for the second would shatter with
    the first.
    """

    def __init__(self, deal: Deal) -> None:
        super().__init__(deal)
        self.lifted = {tile for tile in self.tiles if self.rules.face_down == "lift" and deal.start.hidden >> tile & 1}
        self.pairs: dict[tuple[int, int], Any] = {}
        self.ends: dict[int, Any] = {}
        for face, tiles in self.alike.items():
            self._face(tiles, deal.tray.count(face))
        self.close_tray()

    def _face(self, tiles: list[int], waiting: int) -> None:
        model, time = self.model, self.time
        mates: dict[int, list[Any]] = {tile: [] for tile in tiles}
        stays: list[Any] = []
        if waiting:
            closing = [model.new_bool_var(f"w{tile}") for tile in tiles]
            model.add_exactly_one(closing) if closing else model.add_bool_or([])
            for tile, literal in zip(tiles, closing, strict=True):
                self.ends[tile] = literal
                mates[tile].append(literal)
                stays.append(self._stay(-1, time[tile], literal))
        for a, b in combinations(tiles, 2):
            literal = self.pairs[a, b] = model.new_bool_var(f"p{a}-{b}")
            mates[a].append(literal)
            mates[b].append(literal)
            if a not in self.lifted and b not in self.lifted:
                model.add(time[a] == time[b]).only_enforce_if(literal)
                self.occupy(time[a], time[a] + 1, 2, literal)
                continue
            for (first, second), order in self._orders(a, b, literal):
                model.add(time[first] < time[second]).only_enforce_if(order)
                stays.append(self._stay(time[first], time[second], order))
        for literals in mates.values():
            model.add_exactly_one(literals) if literals else model.add_bool_or([])
        if len(stays) > 1:
            model.add_no_overlap(stays)

    def _orders(self, a: int, b: int, mated: Any) -> list[tuple[tuple[int, int], Any]]:
        """Who of two mates may go first, only a lifted one may, and under which literal."""
        if a not in self.lifted or b not in self.lifted:
            return [((a, b) if a in self.lifted else (b, a), mated)]
        a_first, b_first = self.model.new_bool_var(f"f{a}-{b}"), self.model.new_bool_var(f"f{b}-{a}")
        self.model.add(a_first + b_first == mated)
        return [((a, b), a_first), ((b, a), b_first)]

    def _stay(self, start: Any, end: Any, present: Any) -> Any:
        """A tile waits from `start` until its mate enters a slot of its own at `end` and both shatter."""
        self.occupy(start, end + 1, 1, present)
        self.occupy(end, end + 1, 1, present)
        size = self.model.new_int_var(0, self.horizon + 1, "")
        return self.model.new_optional_interval_var(start, size, end, present, "")

    def log(self, solver: Any) -> tuple[Move, ...]:
        """The line of a solution: by time; at one time what shatters comes before what begins to wait."""
        steps: list[tuple[int, int, list[Move]]] = []
        hidden = self.deal.start.hidden

        def single(tile: int) -> Move:
            return Move("lift" if tile in self.lifted else "match", (tile,))

        def flips(*tiles: int) -> list[Move]:
            return [Move("flip", (tile,)) for tile in tiles if hidden >> tile & 1 and tile not in self.lifted]

        for tile, literal in self.ends.items():
            if solver.value(literal):
                steps.append((solver.value(self.time[tile]), 0, [*flips(tile), single(tile)]))
        for (a, b), literal in self.pairs.items():
            if not solver.value(literal):
                continue
            first, second = sorted((a, b), key=lambda tile: solver.value(self.time[tile]))
            start, end = solver.value(self.time[first]), solver.value(self.time[second])
            if start == end:
                steps.append((start, 0, [*flips(a, b), Move("pair", (a, b))]))
            else:
                steps.append((start, 1, [single(first)]))
                steps.append((end, 0, [single(second)]))
        return tuple(move for _, _, moves in sorted(steps, key=lambda step: step[:2]) for move in moves)


class _Triples(_Game):
    """Every tile belongs to a group of its face; the groups of a face follow each other, as the tray clears
    them.
    """

    def __init__(self, deal: Deal) -> None:
        super().__init__(deal)
        if self.tiles:
            self.model.add_all_different(list(self.time.values()))
        for face, tiles in self.alike.items():
            self._face(tiles, deal.tray.count(face))
        self.close_tray()

    def _face(self, tiles: list[int], waiting: int) -> None:
        model, time, size = self.model, self.time, self.rules.group
        groups = (len(tiles) + waiting) // size
        if (len(tiles) + waiting) % size or not groups:
            model.add_bool_or([])
            return
        begins = [model.new_int_var(-1, self.horizon, "") for _ in range(groups)]
        ends = [model.new_int_var(0, self.horizon, "") for _ in range(groups)]
        for before, after in zip(ends, begins[1:], strict=False):
            model.add(before < after)
        member = {tile: [model.new_bool_var(f"g{tile}.{group}") for group in range(groups)] for tile in tiles}
        for tile, literals in member.items():
            model.add_exactly_one(literals)
            for group, literal in enumerate(literals):
                model.add(time[tile] >= begins[group]).only_enforce_if(literal)
                model.add(time[tile] <= ends[group]).only_enforce_if(literal)
                self.occupy(time[tile], ends[group] + 1, 1, literal)
        for group in range(groups):
            already = waiting if group == 0 else 0
            model.add(sum(literals[group] for literals in member.values()) == size - already)
            for _ in range(already):
                self.occupy(-1, ends[group] + 1)

    def log(self, solver: Any) -> tuple[Move, ...]:
        """The line of a solution: the tiles by time."""
        return tuple(
            Move("pick", (tile,)) for tile in sorted(self.tiles, key=lambda tile: solver.value(self.time[tile]))
        )
