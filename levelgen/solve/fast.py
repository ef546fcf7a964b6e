"""The kernel as a prover: deals in the law's terms, answers replayed by the law.

Pairs: first a robust order (couples open together under the strictest blocking), then couples under the deal's own
blocking. That decides every deal in which nothing is lifted; where face-down tiles or waiting tiles let the tray play a
part, what couples cannot win is searched move by move by the law's own positions.
"""

from __future__ import annotations

from collections.abc import Sequence

from levelgen.board import Deal, tiles_of
from levelgen.certificate import moves_under
from levelgen.evidence import numbered
from levelgen.moves import Move
from levelgen.rules import BLOCKING, gates
from levelgen.solve import dfs
from levelgen.solve.kernel import pairs, triples
from levelgen.solve.proof import Proof

NAME = "kernel"


def prove(deal: Deal, budget: int) -> Proof:
    """The kernel's verdict on `deal`; the budget is in nodes of its searches."""
    if deal.board.ruleset.id == "triples":
        return _prove_triples(deal, budget)
    return _prove_pairs(deal, budget)


def gone(deal: Deal) -> Sequence[int]:
    """The tiles that are not on the board at the start."""
    return tiles_of((1 << len(deal.faces)) - 1 & ~deal.start.remaining)


def _prove_triples(deal: Deal, budget: int) -> Proof:
    faces, waiting = numbered(deal)
    counts = [waiting.count(face) for face in range(max([*faces, *waiting], default=-1) + 1)]
    rules = deal.board.ruleset
    answer = triples.solve(
        deal.board.gates, faces, cap=rules.tray, group=rules.group, removed=gone(deal), tray=counts, budget=budget
    )
    return Proof(answer.status, NAME, answer.nodes, tuple(Move("pick", (tile,)) for tile in answer.picks))


def _prove_pairs(deal: Deal, budget: int) -> Proof:
    faces, _ = numbered(deal)
    removed = gone(deal)
    lifting = bool(deal.tray) or (bool(deal.start.hidden) and deal.board.ruleset.face_down == "lift")
    spent = 0
    if not deal.tray:
        strict = pairs.solve(gates(deal.board.layout, BLOCKING), faces, removed=removed, budget=budget, evidence=0)
        spent = strict.spent
        if strict.status == "solved":
            moves = moves_under(deal.board.ruleset, tiles_of(deal.start.hidden), strict.couples)
            return Proof("solved", NAME, spent, moves, strict.couples)
        own = pairs.solve(deal.board.gates, faces, removed=removed, budget=budget, evidence=0)
        spent += own.spent
        if own.status == "solved" or not lifting:
            moves = moves_under(deal.board.ruleset, tiles_of(deal.start.hidden), own.couples)
            return Proof(own.status, NAME, spent, moves)
    found = dfs.search(deal, budget)
    return Proof(found.verdict, NAME, spent + found.work, found.moves)
