"""A shuffle needs no solver: it is a constructive deal from the seed alone, tray and face-down places kept."""

from __future__ import annotations

from collections import Counter

from levelgen.board import Position, tiles_of
from levelgen.deal import shuffle
from levelgen.moves import Move
from levelgen.seed import Stream
from tests.boards import board, heap, random_deal, ruleset


def winnable(position: Position, seen: set[Position] | None = None) -> bool:
    """Whether some line of play wins; by plain exhaustion."""
    seen = set() if seen is None else seen
    if position.won:
        return True
    if position in seen:
        return False
    seen.add(position)
    return any(winnable(position.after(move), seen) for move in position.moves())


def wander(position: Position, stream: Stream, steps: int) -> Position:
    """The position after some random accepted moves, short of the end."""
    for _ in range(steps):
        moves: list[Move] = list(position.moves())
        if not moves:
            return position
        position = position.after(stream.choice(moves))
    return position


def mid_games(base: str, count: int) -> list[Position]:
    found = []
    for number in range(count):
        stream = Stream("shuffle-tests", f"{base}/{number}")
        deal = random_deal(stream, base, heap(stream, 12, 9, 6), 4, 3 if base == "pairs" else 0)
        found.append(wander(deal.start, stream, stream.below(6)))
    return [position for position in found if position.remaining and not position.full and not position.lost]


def test_every_shuffle_can_be_won() -> None:
    for base in ("pairs", "triples"):
        dealt = [shuffle(position, "s") for position in mid_games(base, 60)]
        assert sum(deal is not None for deal in dealt) >= 30
        for deal in dealt:
            assert deal is None or winnable(deal.start)


def test_tiles_places_hidden_and_tray_are_kept() -> None:
    for base in ("pairs", "triples"):
        for position in mid_games(base, 40):
            deal = shuffle(position, "s")
            if deal is None:
                continue
            assert deal.start._replace(deal=position.deal) == position
            on_board = tiles_of(position.remaining)
            assert Counter(deal.faces[t] for t in on_board) == Counter(position.deal.faces[t] for t in on_board)
            assert deal.violations() == ()


def test_the_seed_alone_decides() -> None:
    position = mid_games("triples", 5)[0]
    assert shuffle(position, "a") == shuffle(position, "a")
    assert len({shuffle(position, f"seed-{number}") for number in range(20)}) > 5


def test_a_tray_that_cannot_complete_any_face_is_refused() -> None:
    drawing = "AABBCCDD\nAABBCCDD\nAABBCCDD\nAABBCCDD"
    five_slots = ruleset("triples", tray=5)
    six_slots = ruleset("triples", tray=6)
    assert shuffle(board(drawing, five_slots, waiting="ABCD").start, "s") is None
    assert shuffle(board(drawing, six_slots, waiting="ABCD").start, "s") is not None


def test_a_tower_of_pairs_cannot_be_shuffled() -> None:
    assert shuffle(board("AA\nAA\n-- 1\nAA\nAA").start, "s") is None


TOWER = """
    AABBCCDDEEFFAA
    AABBCCDDEEFFAA
    -- 1
    BB
    BB
    -- 2
    CC
    CC
    -- 3
    DD
    DD
    -- 4
    EE
    EE
    -- 5
    FF
    FF
"""
"""Six tiles in a tower and six beside it: every pair must take one of each, which one try in eighty does."""


def test_the_tries_are_256_and_each_draws_on_from_the_one_before() -> None:
    """The first of these seeds succeeds with the last try, the second would with the next one."""
    tower = board(TOWER, blocking=("cover",)).start
    dealt = shuffle(tower, "try-1117")
    assert dealt is not None
    assert "".join(dealt.faces) == "FDEBACFAECBD"
    assert shuffle(tower, "try-430") is None


def test_a_position_stays_refused_or_dealt_by_the_same_seeds() -> None:
    tower = board(TOWER, blocking=("cover",)).start
    assert [seed for seed in range(100) if shuffle(tower, f"seed-{seed}") is None] == [15, 17, 58, 63, 96]
