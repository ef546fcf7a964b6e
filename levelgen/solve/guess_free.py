"""Hidden faces: does some strategy win whatever the face-down tiles show?

The player sees the board and knows which faces are dealt, so also which faces are hidden, but not where:
every arrangement of the hidden faces over the hidden tiles is possible. Revealing a tile (lift or flip) shows
one of them. A board is *guess-free* when the player has a plan that wins in every arrangement.

This is an AND-OR search: the player chooses the move, the board chooses the face. What the player knows is
carried by an ordinary `Position` whose hidden faces are one possible arrangement; `revealing` exchanges faces
so that another arrangement comes true. The law therefore plays every move here as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from levelgen.board import Deal, Position, tiles_of
from levelgen.errors import Finding
from levelgen.moves import Move
from levelgen.solve.dfs import clearing, search

Answer = Literal["yes", "no", "undecided"]
REVEALS = ("lift", "flip")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play: some moves, and after a reveal what to do for each face it may show."""

    moves: tuple[Move, ...]
    """Played one after the other; only the last may be a lift or a flip, and is one when there are branches.
    """
    branches: tuple[tuple[str, Plan], ...] = ()
    """For each face that may be hidden there, by name, how to go on; empty when the moves win."""


class GuessFree(NamedTuple):
    """The answer, what it cost, and the strategy when the answer is yes."""

    verdict: Answer
    work: int
    """States of knowledge opened, positions of single arrangements included."""
    plan: Plan | None = None


class _Spent(Exception):
    """Raised inside the search when the budget is spent."""


def guess_free(deal: Deal, budget: int = 200_000) -> GuessFree:
    """Whether some strategy wins `deal` whatever its hidden faces are; `budget` counts states of knowledge
    opened.

    `no` says that every strategy was tried; running out of budget is `undecided`. The plan has been walked
    through all arrangements (`plan_findings`) before it is returned.
    """
    knowledge = _Search(budget)
    try:
        wins = knowledge.wins(deal.start)
    except _Spent:
        return GuessFree("undecided", knowledge.work)
    if not wins:
        return GuessFree("no", knowledge.work)
    plan = knowledge.plan(deal.start)
    findings = plan_findings(deal, plan)
    if findings:
        raise AssertionError(f"the search made a plan that does not win: {findings[0]}")
    return GuessFree("yes", knowledge.work, plan)


def lifts_never_lose(deal: Deal, budget: int = 200_000) -> GuessFree:
    """Whether revealing the face-down tiles in any order, at any moment, can never lose the game.

    Precisely: take every state of knowledge that can be reached from the start by moves that keep the board
    guess-free. In each of them every accepted lift (or flip), whatever face it shows, must keep it guess-free
    as well. This contains every order of revealing: all at the start, one after the other, or between any
    sensible pairs. `no` also where the start is not guess-free. No plan is returned: any plan will do.
    """
    knowledge = _Search(budget)
    try:
        if not knowledge.wins(deal.start):
            return GuessFree("no", knowledge.work)
        queue, met = [deal.start], {_key(deal.start)}
        while queue:
            state = queue.pop()
            for move in state.moves():
                for _, child in outcomes(state, move):
                    if _key(child) in met:
                        continue
                    if knowledge.wins(child):
                        met.add(_key(child))
                        queue.append(child)
                    elif move.kind in REVEALS:
                        return GuessFree("no", knowledge.work)
    except _Spent:
        return GuessFree("undecided", knowledge.work)
    return GuessFree("yes", knowledge.work)


def revealing(position: Position, tile: int, face: str) -> Position:
    """The same knowledge with the hidden `face` lying at the hidden `tile`: the two hidden tiles exchange
    faces.
    """
    faces = list(position.deal.faces)
    other = next(hidden for hidden in tiles_of(position.hidden) if faces[hidden] == face)
    faces[tile], faces[other] = faces[other], faces[tile]
    return position._replace(deal=replace(position.deal, faces=tuple(faces)))


def outcomes(position: Position, move: Move) -> Iterator[tuple[str, Position]]:
    """What an accepted move may lead to: one position, or for a reveal one per face that may lie there, by
    name.
    """
    if move.kind not in REVEALS:
        yield "", position.after(move)
        return
    for face in sorted({position.deal.faces[tile] for tile in tiles_of(position.hidden)}):
        yield face, revealing(position, move.tiles[0], face).after(move)


def plan_findings(deal: Deal, plan: Plan) -> tuple[Finding, ...]:
    """Every way in which `plan` fails to win `deal` whatever the hidden faces are; none means it is a
    strategy.
    """
    return tuple(_walk(deal.start, plan, "start"))


def _walk(position: Position, plan: Plan, where: str) -> Iterator[Finding]:
    last = len(plan.moves) - 1
    for index, move in enumerate(plan.moves):
        refusal = position.refusal(move)
        if refusal is not None:
            yield Finding("plan/refused", f"the law refuses {move}: {refusal.message}", where)
            return
        if move.kind in REVEALS:
            branches = dict(plan.branches)
            results = dict(outcomes(position, move))
            if index != last or sorted(branches) != sorted(results) or len(branches) != len(plan.branches):
                yield Finding(
                    "plan/branches",
                    f"{move} may show {', '.join(results)}; the plan branches otherwise",
                    where,
                )
                return
            for face, child in results.items():
                yield from _walk(child, branches[face], f"{where}, {move} shows {face}")
            return
        position = position.after(move)
    if plan.branches or not position.won:
        yield Finding("plan/not-won", "the plan ends before the game is won", where)


def _key(position: Position) -> tuple[object, ...]:
    """A state of knowledge: what lies where, which hidden faces are left, which faces were turned over in
    place.
    """
    deal, remaining, hidden, tray = position
    shown = tuple(deal.faces[tile] for tile in deal.face_down if (remaining & ~hidden) >> tile & 1)
    return (
        remaining,
        hidden,
        tuple(sorted(tray)),
        tuple(sorted(deal.faces[tile] for tile in tiles_of(hidden))),
        shown,
    )


class _Search:
    """The AND-OR search with its memory and budget."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.work = 0
        self.best: dict[tuple[object, ...], tuple[Move, ...] | None] = {}
        """Per state of knowledge the moves that win from it (the last may reveal), or None when none do."""

    def _spend(self, amount: int = 1) -> None:
        self.work += amount
        if self.work > self.budget:
            raise _Spent

    def wins(self, state: Position) -> bool:
        """Whether some strategy wins from this state of knowledge."""
        if state.won:
            return True
        key = _key(state)
        if key not in self.best:
            self._spend()
            self.best[key] = self._winning(state)
        return self.best[key] is not None

    def _winning(self, state: Position) -> tuple[Move, ...] | None:
        """Where nothing is hidden the plain search decides; else forced moves first, then reveals, then the
        rest.
        """
        if not state.hidden:
            return self._plain(state)
        forced = _forced(state)
        if forced and forced[0].kind in REVEALS:
            return tuple(forced) if self._wins_whatever(state, forced[0]) else None
        if forced:
            child = state
            for move in forced:
                child = child.play(move)
            return tuple(forced) if self.wins(child) else None
        for move in sorted(state.moves(), key=lambda move: move.kind not in REVEALS):
            if self._wins_whatever(state, move):
                return (move,)
        return None

    def _wins_whatever(self, state: Position, move: Move) -> bool:
        """Whether every outcome of `move` wins."""
        return all(self.wins(child) for _, child in outcomes(state, move))

    def _plain(self, state: Position) -> tuple[Move, ...] | None:
        deal = state.deal
        removed = tuple(tile for tile in range(len(deal.faces)) if not state.remaining >> tile & 1)
        proof = search(Deal(deal.board, deal.faces, (), state.tray, removed), self.budget - self.work)
        self._spend(proof.work)
        if proof.verdict == "undecided":
            raise _Spent
        return proof.moves if proof.verdict == "solved" else None

    def plan(self, state: Position) -> Plan:
        """The strategy found from a state that wins."""
        moves: list[Move] = []
        while not state.won:
            best = self.best[_key(state)]
            assert best is not None
            for move in best:
                moves.append(move)
                if move.kind in REVEALS:
                    branches = [(face, self.plan(child)) for face, child in outcomes(state, move)]
                    return Plan(tuple(moves), tuple(branches))
                state = state.after(move)
        return Plan(tuple(moves))


def _forced(state: Position) -> list[Move]:
    """Moves that lose nothing whatever is hidden: a flip, or a face that is hidden nowhere, all open, and
    fits.

    The proof is that of `dfs`: a strategy that clears this face later is still one without those later moves.
    """
    deal, rules = state.deal, state.deal.board.ruleset
    held_back = {deal.faces[tile] for tile in tiles_of(state.hidden)}
    shown: dict[str, list[int]] = {}
    for tile in tiles_of(state.remaining & ~state.hidden):
        if deal.board.is_open(tile, state.remaining):
            shown.setdefault(deal.faces[tile], []).append(tile)
        else:
            held_back.add(deal.faces[tile])
    if rules.face_down == "flip":
        for tile in tiles_of(state.hidden):
            if deal.board.is_open(tile, state.remaining):
                return [Move("flip", (tile,))]
    for face, tiles in shown.items():
        waiting = state.tray.count(face)
        fits = len(state.tray) + rules.group - waiting <= rules.tray
        if face not in held_back and (len(tiles) + waiting) % rules.group == 0 and fits:
            return clearing(state, tiles)
    return []
