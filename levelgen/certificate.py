"""The proof a level carries: a way to win it, replayed by the law before it counts.

A `pairs` certificate is robust: only pairs of tiles open at the same time, each face-down tile revealed immediately
before its pair is completed. Such a solution holds under every reading of the rules; the checker proves it by
replaying it under each. A certificate is trusted for nothing: `check` derives every field anew from the deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from levelgen.board import Board, Deal
from levelgen.errors import Finding, Untrusted
from levelgen.layout import MAX_TILES
from levelgen.moves import Move
from levelgen.replay import Verdict, replay
from levelgen.rules import Ruleset, readings

Solution = tuple[tuple[int, ...], ...]
"""Pairs: matched pairs in order. Triples: one tile a pick."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is claimed of one level, and the moves that prove it."""

    pack: str
    level: int
    solution: Solution
    holds_under: tuple[str, ...]
    """Names of the readings, strictest first."""
    peak: int
    """The most tray slots the solution occupies at once."""
    par: int
    """The least peak the level is claimed to be winnable with."""
    par_claim: str
    """`minimum` when no lower peak can win, `solved` when it is only the peak of this solution, else `asserted`."""
    guess_free: str
    """`yes`, `no` or `undecided`: whether some strategy wins whatever the hidden faces are."""
    guess_free_claim: str
    """`strategy` for a yes and `refutation` for a no with evidence behind it, else `asserted`."""
    robust: str
    """`yes` when the solution holds under every reading."""


@lru_cache(maxsize=MAX_TILES)
def _pick(tiles: tuple[int, ...]) -> Move:
    return Move("pick", tiles)


def moves_under(ruleset: Ruleset, face_down: tuple[int, ...], solution: Solution) -> tuple[Move, ...]:
    """The log that plays `solution` under `ruleset`: each hidden tile is revealed immediately before its pair."""
    if ruleset.id == "triples":
        return tuple(map(_pick, solution))
    hidden = frozenset(face_down)
    moves: list[Move] = []
    for first, second in solution:
        down = [tile for tile in (first, second) if tile in hidden]
        moves += [Move(ruleset.face_down, (tile,)) for tile in down]
        if ruleset.face_down == "flip" or not down:
            moves.append(Move("pair", (first, second)))
        elif len(down) == 1:
            moves.append(Move("match", (second if down[0] == first else first,)))
    return tuple(moves)


def replay_under(deal: Deal, solution: Solution) -> dict[str, Verdict]:
    """The verdict on `solution` under each reading of the deal's ruleset, by the reading's name."""
    verdicts = {}
    for ruleset in readings(deal.board.ruleset):
        read = deal if ruleset == deal.board.ruleset else replace(deal, board=Board.compile(deal.board.layout, ruleset))
        verdicts[ruleset.reading] = replay(read, moves_under(ruleset, deal.face_down, solution))
    return verdicts


def certify(
    deal: Deal,
    solution: Solution,
    pack: str,
    level: int,
    *,
    par: str = "solved",
    guess_free: tuple[str, str] | None = None,
) -> Certificate:
    """The certificate of `solution`, once the law has replayed it to a win under every reading.

    Par is the solution's own peak. Where that is the group size it is the minimum, since the last tile of a group finds
    the others in the tray or enters with them; elsewhere `par` says what is known of it. Likewise `guess_free` is what
    is known of hidden faces (value and claim); without any the solution is the strategy.

    Raises:
        Untrusted: some reading does not accept the solution.
    """
    verdicts = replay_under(deal, solution)
    broken = tuple(_broken(verdicts))
    if broken:
        raise Untrusted(broken)
    peak = max(verdict.peak for verdict in verdicts.values())
    claim = "minimum" if peak == deal.board.ruleset.group else par
    guess, word = (guess_free or ("undecided", "asserted")) if deal.face_down else ("yes", "strategy")
    return Certificate(pack, level, solution, tuple(verdicts), peak, peak, claim, guess, word, "yes")


def check(certificate: Certificate, deal: Deal) -> tuple[Finding, ...]:
    """Every way in which `certificate` does not hold for `deal`; none means that each of its claims was re-derived.

    Claims that rest on evidence outside the certificate (`minimum` above the group size, `strategy` for hidden faces)
    are not decided here but where that evidence is.
    """
    return tuple(_check(certificate, deal))


def _check(certificate: Certificate, deal: Deal) -> Iterator[Finding]:
    group = deal.board.ruleset.group
    arity = group if deal.board.ruleset.id == "pairs" else 1
    if set(map(len, certificate.solution)) - {arity}:
        yield Finding("certificate/solution", f"a step of the solution does not name {arity} tile(s)")
        return
    verdicts = replay_under(deal, certificate.solution)
    broken = tuple(_broken(verdicts))
    yield from broken
    if certificate.holds_under != tuple(verdicts):
        yield Finding("certificate/readings", f"lists other readings than the {len(verdicts)} of its ruleset")
    peak = max(verdict.peak for verdict in verdicts.values())
    if certificate.peak != peak and not broken:
        yield Finding("certificate/peak", f"claims a peak of {certificate.peak} tray slots; the replay reaches {peak}")
    if certificate.robust != "yes":
        yield Finding("certificate/robust", f"claims robust: {certificate.robust}")
    if (
        certificate.par_claim not in ("minimum", "solved", "asserted")
        or not group <= certificate.par <= certificate.peak
    ):
        yield Finding(
            "certificate/par", f"par {certificate.par} ({certificate.par_claim}) is not between {group} and the peak"
        )
    if certificate.par_claim != "asserted" and certificate.par != certificate.peak:
        yield Finding("certificate/par", f"par {certificate.par} is not what the solution shows, {certificate.peak}")
    word = {"yes": "strategy", "no": "refutation"}.get(certificate.guess_free)
    known = certificate.guess_free in ("yes", "no", "undecided")
    if not known or certificate.guess_free_claim not in (word, "asserted"):
        yield Finding(
            "certificate/guess-free", f"claims guess_free: {certificate.guess_free} ({certificate.guess_free_claim})"
        )
    elif not deal.face_down and certificate.guess_free != "yes":
        yield Finding("certificate/guess-free", "nothing is hidden, so the solution is a strategy")


def _broken(verdicts: dict[str, Verdict]) -> Iterator[Finding]:
    for reading, verdict in verdicts.items():
        if verdict.verdict != "won":
            why = f"{verdict.refusal.reason}: {verdict.refusal.message}" if verdict.refusal else verdict.verdict
            yield Finding(
                "certificate/not-won", f"under {reading} the solution is not a win: {why}", f"move {verdict.steps + 1}"
            )
