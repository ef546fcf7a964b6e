"""Figures that rest on the solver: the least tray, guess-freeness, and how much of what bots reach is lost already.

The kernel is asked with small budgets; what it leaves undecided is counted apart and never as an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from levelgen.board import Deal, Position, tiles_of
from levelgen.evidence import numbered
from levelgen.moves import Move
from levelgen.rate.panel import number_of

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Player, Step, Table

SAMPLES = 8
"""Positions that are looked at, one of each of so many games, spread evenly from the start of a game to its end."""
DEAD_BUDGET = {"pairs": 100, "triples": 1_500}
"""Nodes that each of them may cost."""
PAR_BUDGET = 6_000
"""Nodes that the least tray may cost."""
GUESS_BUDGET = 100
"""States of knowledge that the question of guessing may cost."""


def par(deal: Deal, peak: int) -> dict[str, int]:
    """`par`, the least tray known to be enough, and `par_proved`, 1 when no smaller one is; `peak` slots are enough."""
    rules = deal.board.ruleset
    if peak <= rules.group or rules.id != "triples":
        return {"par": peak, "par_proved": int(peak <= rules.group)}
    from levelgen.solve.fast import gone
    from levelgen.solve.kernel import triples

    faces, waiting = numbered(deal)
    counts = [waiting.count(face) for face in range(max([*faces, *waiting], default=-1) + 1)]
    answer = triples.minimum(
        deal.board.gates, faces, cap=peak, group=rules.group, removed=gone(deal), tray=counts, budget=PAR_BUDGET
    )
    least = answer.peak or peak
    return {"par": least, "par_proved": int(answer.status == "solved")}


def guess_free(deal: Deal) -> dict[str, int]:
    """`guess_free`: 1 when some strategy wins wherever the hidden faces lie, 0 when none does; left out when open."""
    if not deal.start.hidden:
        return {"guess_free": 1}
    from levelgen.solve.fast import gone
    from levelgen.solve.kernel import pairs

    faces, waiting = numbered(deal)
    rules = deal.board.ruleset
    found = pairs.play(
        deal.board.gates, faces, cap=rules.tray, face_down=tiles_of(deal.start.hidden), flip=rules.face_down == "flip",
        known=False, removed=gone(deal), tray=waiting, budget=GUESS_BUDGET, evidence=0,
    )  # fmt: skip
    return {} if found.status == "undecided" else {"guess_free": int(found.status == "solved")}


def dead_ends(deal: Deal, dealt: Table, player: Player, seed: str) -> dict[str, int]:
    """Of positions a player reaches, in thousandths: `dead` (proved lost) and `dead_open` (the budget was spent)."""
    from levelgen.solve.fast import prove

    found = {"solved": 0, "unsolvable": 0, "undecided": 0}
    for position in sampled(deal, dealt, player, seed):
        removed = tuple(tile for tile in range(len(deal.faces)) if not position.remaining >> tile & 1)
        rest = Deal(deal.board, deal.faces, tiles_of(position.hidden), position.tray, removed)
        found[prove(rest, DEAD_BUDGET[deal.board.ruleset.id]).verdict] += 1
    return {"dead": 1000 * found["unsolvable"] // SAMPLES, "dead_open": 1000 * found["undecided"] // SAMPLES}


def sampled(deal: Deal, dealt: Table, player: Player, seed: str) -> Iterator[Position]:
    """One position of each of `SAMPLES` games: game i after its share (2 i + 1) / (2 SAMPLES) of the moves.

    The games draw from the stream `bots/dead` of `seed`.
    """
    number = number_of(seed, "dead")
    for index in range(SAMPLES):
        line = dealt.game(player, number, index)
        position = deal.start
        for step in line[: len(line) * (2 * index + 1) // (2 * SAMPLES)]:
            position = position.after(spelt(position, step))
        yield position


def spelt(position: Position, step: Step) -> Move:
    """A move of the kernel in the law's words."""
    from levelgen.solve.kernel.bots import PAIR

    kind, tile, mate = step
    rules = position.deal.board.ruleset
    if kind == PAIR:
        return Move("pair", (tile, mate))
    if rules.id == "triples":
        return Move("pick", (tile,))
    return Move(rules.face_down if position.hidden >> tile & 1 else "match", (tile,))
