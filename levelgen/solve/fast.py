"""The kernel in the law's terms: proofs, the least tray, strategies, and the evidence for each.

Nothing the kernel says is taken for true: moves are replayed by the law (`proof.confirm`), and evidence is checked by
`levelgen.evidence` before it is handed out.

Pairs: first a robust order (couples open together under the strictest blocking), then couples under the deal's own
blocking. That decides every deal in which nothing is lifted; where face-down or waiting tiles let the tray play a part,
what couples cannot win is searched by the full law.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from levelgen.board import Deal, Position, tiles_of
from levelgen.certificate import Solution, moves_under
from levelgen.errors import LevelgenError
from levelgen.evidence import (
    MAX_DATA,
    MAX_POSITIONS,
    Evidence,
    arrangement_bytes,
    check,
    exhaust,
    numbered,
    strategy,
    with_slots,
)
from levelgen.moves import Move, encode
from levelgen.rules import BLOCKING, gates
from levelgen.solve import easy
from levelgen.solve.kernel import pairs, triples
from levelgen.solve.proof import Proof, Verdict

NAME = "kernel"
BUDGET = 10_000_000
"""Nodes a question may cost unless told otherwise."""
PLAY_BUDGET = 2_000_000
"""States that the full law of pairs may open: each costs more than a node of the others."""


@dataclass(frozen=True, slots=True)
class Least:
    """The least tray a deal can be won with."""

    verdict: Verdict
    """`solved` when the value is proved the least; `unsolvable` when no tray up to the ruleset's is enough."""
    par: int
    """0 when no solution is known."""
    solution: Solution
    """One that peaks at `par`."""
    evidence: Evidence | None
    """That one slot fewer is not enough; None where nothing needs showing, or it is too long."""


@dataclass(frozen=True, slots=True)
class GuessFree:
    """Whether some strategy wins wherever the hidden faces lie."""

    value: str
    """`yes`, `no` or `undecided`."""
    evidence: Evidence | None
    """The strategy, or an arrangement that cannot be won; None where there is none or it is too long."""


def gone(deal: Deal) -> tuple[int, ...]:
    """The tiles that are not on the board at the start."""
    return tiles_of((1 << len(deal.faces)) - 1 & ~deal.start.remaining)


def prove(deal: Deal, budget: int) -> Proof:
    """The kernel's verdict on `deal`; the budget is in nodes of its searches."""
    if budget < 1:
        return Proof("undecided", NAME, 0)
    if max(Counter(deal.faces).values(), default=0) >= easy.MANY:
        moves = easy.lucky_game(deal)
        if moves:
            return Proof("solved", NAME, len(moves), moves)
    if deal.board.ruleset.id == "triples":
        return _prove_triples(deal, budget)
    return _prove_pairs(deal, budget)


def counts(deal: Deal) -> list[int]:
    """How many tiles of each face number wait in the tray; nothing where none do."""
    if not deal.tray:
        return []
    faces, waiting = numbered(deal)
    return [waiting.count(face) for face in range(max([*faces, *waiting], default=-1) + 1)]


def _asked(ask: Callable[..., triples.Answer], deal: Deal, budget: int) -> triples.Answer:
    """What the triples kernel answers about `deal`, asked by one of its searches."""
    faces, _ = numbered(deal)
    rules = deal.board.ruleset
    return ask(
        deal.board.gates,
        faces,
        cap=rules.tray,
        group=rules.group,
        removed=gone(deal),
        tray=counts(deal),
        budget=budget,
    )


def _prove_triples(deal: Deal, budget: int) -> Proof:
    answer = _asked(triples.solve, deal, budget)
    return Proof(answer.status, NAME, answer.nodes, tuple(Move("pick", (tile,)) for tile in answer.picks))


def _prove_pairs(deal: Deal, budget: int) -> Proof:
    faces, _ = numbered(deal)
    removed = gone(deal)
    spent = 0
    if not deal.tray:
        for robust, blocking in ((True, gates(deal.board.layout, BLOCKING)), (False, deal.board.gates)):
            answer = pairs.solve(blocking, faces, removed=removed, budget=budget, evidence=0)
            spent += answer.spent
            if answer.status == "solved":
                moves = moves_under(deal.board.ruleset, tiles_of(deal.start.hidden), answer.couples)
                return Proof("solved", NAME, spent, moves, answer.couples if robust else ())
        if not _lifting(deal):
            return Proof(answer.status, NAME, spent)
    found = _play(deal, known=True, budget=min(budget, PLAY_BUDGET), size=16 * len(faces) + 64)
    moves = tuple(_spelt(deal.start, found.strategy)) if found.strategy is not None else ()
    verdict = "undecided" if found.status == "solved" and not moves and deal.start.remaining else found.status
    return Proof(verdict, NAME, spent + found.nodes, moves)


def _lifting(deal: Deal) -> bool:
    """Whether single tiles may enter the tray: then couples are not all there is."""
    return bool(deal.tray) or (bool(deal.start.hidden) and deal.board.ruleset.face_down == "lift")


def _play(deal: Deal, *, known: bool, budget: int, size: int) -> pairs.Guess:
    faces, waiting = numbered(deal)
    rules = deal.board.ruleset
    return pairs.play(
        deal.board.gates,
        faces,
        cap=rules.tray,
        face_down=tiles_of(deal.start.hidden),
        flip=rules.face_down == "flip",
        known=known,
        removed=gone(deal),
        tray=waiting,
        budget=budget,
        evidence=size,
    )


def _spelt(position: Position, line: bytes) -> Iterator[Move]:
    """The moves of a strategy without branches."""
    numbers = iter(strategy.numbers(line))
    for first in numbers:
        second = next(numbers)
        if not first:
            return
        tile = first - 1
        if second:
            move = Move("pair", (tile, second - 1))
        else:
            alone = position.deal.board.ruleset.face_down if position.hidden >> tile & 1 else "match"
            move = Move(alone, (tile,))
        yield move
        position = position.play(move)


def refute(deal: Deal) -> Evidence | None:
    """Evidence that `deal` cannot be won, checked; None when there is none of bounded length."""
    return _refute(deal, "unsolvable", deal.board.ruleset.tray)


def _refute(deal: Deal, claim: str, slots: int, witness: Iterable[Move] = ()) -> Evidence | None:
    """Evidence for a claim about `deal` that rests on a tray of so many slots being too small.

    For `minimum`, `witness` wins with one slot more.
    """
    won = " ".join(encode(move) for move in witness)
    tight = with_slots(deal, slots)
    faces, _ = numbered(deal)
    named = slots + 1 if claim == "minimum" else slots
    if deal.board.ruleset.id == "triples":
        found = triples.closed_set(
            deal.board.gates, faces, cap=slots, group=3, removed=gone(deal), tray=counts(deal), size=MAX_DATA
        )
        return _checked(deal, claim, "closed-set", named, found.data if found else None, won)
    if _lifting(deal):
        data = _play(tight, known=True, budget=PLAY_BUDGET, size=MAX_DATA).evidence
    else:
        data = pairs.solve(deal.board.gates, faces, removed=gone(deal), budget=BUDGET, evidence=MAX_DATA).evidence
    if data is None:
        count = exhaust(tight, MAX_POSITIONS)
        return _checked(deal, claim, "exhaustion", named, count.to_bytes(4, "big") if count else None, won)
    return _checked(deal, claim, "refutation", named, data, won)


def least_tray(deal: Deal, budget: int = BUDGET) -> Least:
    """The least tray `deal` can be won with.

    A pair takes two slots, so that two is the least for pairs wherever a robust order is known; elsewhere smaller and
    smaller trays are tried by the full law.
    """
    if deal.board.ruleset.id == "pairs":
        return _least_pairs(deal, budget)
    answer = _asked(triples.minimum, deal, budget)
    solution = tuple((tile,) for tile in answer.picks)
    if not solution or answer.peak <= deal.board.ruleset.group or answer.status != "solved":
        return Least(answer.status, answer.peak, solution, None)
    return Least(
        "solved",
        answer.peak,
        solution,
        _refute(deal, "minimum", answer.peak - 1, [Move("pick", tiles) for tiles in solution]),
    )


def _least_pairs(deal: Deal, budget: int) -> Least:
    best = Least("undecided", 0, (), None)
    witness: tuple[Move, ...] = ()
    for slots in range(deal.board.ruleset.tray, 1, -1):
        proof = prove(with_slots(deal, slots), budget)
        if proof.pairs:
            return Least("solved", 2, proof.pairs, None)
        if proof.verdict != "solved":
            if proof.verdict == "unsolvable" and best.par:
                return replace(best, verdict="solved", evidence=_refute(deal, "minimum", slots, witness))
            return replace(best, verdict=proof.verdict)
        best, witness = Least("undecided", slots, (), None), proof.moves
    return replace(best, verdict="solved")


def guesses(deal: Deal, budget: int) -> tuple[str, int]:
    """What `guess_free` answers, and the states of knowledge it took, without evidence in a fraction of the time."""
    found = _play(deal, known=False, budget=budget, size=0)
    return {"solved": "yes", "unsolvable": "no"}.get(found.status, "undecided"), found.nodes


def guess_free(deal: Deal, budget: int = PLAY_BUDGET) -> GuessFree:
    """Whether some strategy wins `deal` wherever its hidden faces lie, with checked evidence."""
    found = _play(deal, known=False, budget=budget, size=MAX_DATA)
    slots = deal.board.ruleset.tray
    if found.status == "solved":
        return GuessFree("yes", _checked(deal, "guess-free", "strategy", slots, found.strategy))
    if found.status == "undecided":
        return GuessFree("undecided", None)
    data = None
    if found.hopeless and found.evidence is not None:
        hidden = tiles_of(deal.start.hidden)
        data = arrangement_bytes([found.hopeless[tile] for tile in hidden]) + found.evidence
    return GuessFree("no", _checked(deal, "not-guess-free", "arrangement", slots, data))


def _checked(deal: Deal, claim: str, kind: str, slots: int, data: bytes | None, witness: str = "") -> Evidence | None:
    """The evidence, once its checker agrees.

    Raises:
        LevelgenError: it does not: the kernel is wrong, which is a bug (exit code 70).
    """
    if data is None or len(data) > MAX_DATA:
        return None
    evidence = Evidence(claim, kind, slots, deal.digest(), data, witness if claim == "minimum" else "")
    findings = check(evidence, deal)
    if any(finding.code == "evidence/too-large" for finding in findings):
        return None
    if findings:
        raise LevelgenError.of("solve/false-evidence", f"the kernel's evidence fails its check: {findings[0].message}")
    return evidence
