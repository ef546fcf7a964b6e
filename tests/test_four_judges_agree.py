"""Kernel, depth-first search, CP-SAT and brute force say the same of thousands of small boards, mid-game included."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from levelgen.board import Deal, Position, tiles_of
from levelgen.rules import BLOCKING
from levelgen.seed import Stream
from levelgen.solve import prove
from tests.boards import heap, random_deal

SWITCHES = [chosen for size in range(len(BLOCKING) + 1) for chosen in combinations(BLOCKING, size)]
BOARDS = 1500
SLOW_ONE_IN = 15
"""CP-SAT takes hundreds of times longer than the others; it judges every so manieth board."""


def brute(position: Position, dead: set[Position]) -> bool:
    """Whether any line of play wins; nothing but the law and a memory of what has failed."""
    if position.won:
        return True
    if position in dead:
        return False
    dead.add(position)
    return any(brute(position.after(move), dead) for move in position.moves())


def small_board(base: str, number: int) -> Deal:
    """A board of nine to twelve tiles, with other switches and trays each time, one in three taken up in mid-game."""
    stream = Stream("four judges", f"{base}/{number}")
    if base == "pairs":
        rules = {
            "blocking": stream.choice(SWITCHES),
            "tray": stream.between(2, 4),
            "face_down": stream.choice(("lift", "flip")),
        }
        deal = random_deal(stream, base, heap(stream, 10, 8, 6), stream.between(2, 4), stream.below(4), **rules)
    else:
        deal = random_deal(stream, base, heap(stream, 12, 8, 6), stream.between(2, 4), tray=stream.between(3, 6))
    position = deal.start
    for _ in range(stream.below(4) if stream.below(3) == 0 else 0):
        moves = list(position.moves())
        if not moves:
            break
        position = position.after(stream.choice(moves))
    gone = tiles_of((1 << len(deal.faces)) - 1 & ~position.remaining)
    return Deal(deal.board, deal.faces, tiles_of(position.hidden), position.tray, gone)


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("base", ["pairs", "triples"])
def test_all_judges_say_the_same(base: str, part: int) -> None:
    answers: Counter[str] = Counter()
    for number in range(part, BOARDS, 3):
        deal = small_board(base, number)
        wanted = "solved" if brute(deal.start, set()) else "unsolvable"
        judges = ("kernel", "dfs", "cpsat") if number % SLOW_ONE_IN == part else ("kernel", "dfs")
        for judge in judges:
            assert prove(deal, judge).verdict == wanted, f"{judge} on {base} board {number}"
        answers[wanted] += 1
    assert min(answers["solved"], answers["unsolvable"]) >= BOARDS // 30, answers
