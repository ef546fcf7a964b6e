"""The kernel's word on couplings is the word of an exhaustive search, and its solutions replay."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from levelgen.evidence.refutation_tree import check
from levelgen.layout import Layout
from levelgen.rules import BLOCKING, Gates, gates
from levelgen.seed import Stream
from levelgen.solve.kernel import pairs
from tests.boards import heap

BLOCKINGS = [(), *((name,) for name in BLOCKING), BLOCKING[:2], BLOCKING[1:], BLOCKING[::2], BLOCKING]


def board_of(stream: Stream) -> Layout:
    size = 8 + 2 * stream.below(6)
    return heap(stream, size, 10 + 2 * stream.below(3), 8, layers=3 + stream.below(2))


def faces_of(stream: Stream, count: int) -> list[int]:
    """Faces of two, four, six or more copies, shuffled."""
    found: list[int] = []
    face = 0
    while len(found) < count:
        copies = min((2, 4, 4, 6, 10)[stream.below(5)], count - len(found))
        found += [face] * copies
        face += 1
    for last in range(count - 1, 0, -1):
        other = stream.below(last + 1)
        found[last], found[other] = found[other], found[last]
    return found


def open_tiles(board: Gates, gone: int) -> list[int]:
    ways = enumerate(board)
    return [tile for tile, gate in ways if not gone >> tile & 1 and any(not way & ~gone for way in gate)]


def winnable(board: Gates, faces: Sequence[int], gone: int, dead: set[int]) -> bool:
    if gone == (1 << len(faces)) - 1:
        return True
    if gone in dead:
        return False
    tiles = open_tiles(board, gone)
    for index, a in enumerate(tiles):
        for b in tiles[index + 1 :]:
            if faces[a] == faces[b] and winnable(board, faces, gone | 1 << a | 1 << b, dead):
                return True
    dead.add(gone)
    return False


def replays(board: Gates, faces: Sequence[int], couples: Sequence[tuple[int, int]], gone: int = 0) -> bool:
    for a, b in couples:
        tiles = open_tiles(board, gone)
        if a == b or a not in tiles or b not in tiles or faces[a] != faces[b]:
            return False
        gone |= 1 << a | 1 << b
    return gone == (1 << len(faces)) - 1


@pytest.mark.parametrize("blocking", BLOCKINGS, ids=lambda names: "+".join(names) or "none")
def test_every_verdict_is_that_of_an_exhaustive_search(blocking: tuple[str, ...]) -> None:
    counts = {"solved": 0, "unsolvable": 0}
    for number in range(150):
        stream = Stream("kernel-pairs", f"{'+'.join(blocking)}/{number}")
        layout = board_of(stream)
        board, faces = gates(layout, blocking), faces_of(stream, len(layout))
        answer = pairs.solve(board, faces, seed=number)
        counts[answer.status] += 1
        assert (answer.status == "solved") == winnable(board, faces, 0, set()), f"board {number}"
        if answer.status == "solved":
            assert replays(board, faces, answer.couples)
        else:
            assert answer.evidence is not None
            assert check(board, faces, answer.evidence) == ""
    assert counts["solved"]
    assert counts["unsolvable"] or "cover" not in blocking


def test_a_position_in_mid_game_is_judged_without_the_tiles_gone() -> None:
    seen = set()
    for number in range(150):
        stream = Stream("kernel-pairs-mid", str(number))
        layout = board_of(stream)
        board, faces = gates(layout, BLOCKING[:2]), faces_of(stream, len(layout))
        gone = 0
        for _ in range(1 + stream.below(3)):
            tiles = open_tiles(board, gone)
            couples = [(a, b) for a in tiles for b in tiles if a < b and faces[a] == faces[b]]
            if couples:
                a, b = couples[stream.below(len(couples))]
                gone |= 1 << a | 1 << b
        removed = [tile for tile in range(len(faces)) if gone >> tile & 1]
        answer = pairs.solve(board, faces, removed=removed)
        seen.add(answer.status)
        assert (answer.status == "solved") == winnable(board, faces, gone, set())
        if answer.status == "solved":
            assert replays(board, faces, answer.couples, gone)
        else:
            left = [None if gone >> tile & 1 else face for tile, face in enumerate(faces)]
            assert answer.evidence is not None
            assert check(board, left, answer.evidence) == ""
    assert seen == {"solved", "unsolvable"}


def test_one_seed_gives_one_answer_and_one_witness() -> None:
    layout = heap(Stream("same", "layout"), 60, 24, 16, layers=4)
    board = pairs.Board(gates(layout, BLOCKING))
    faces = [tile // 4 for tile in range(60)]
    assert board.solve(faces, seed=7, evidence=9999) == board.solve(faces, seed=7, evidence=9999)


def test_a_spent_budget_is_undecided_never_a_verdict() -> None:
    layout = heap(Stream("budget", "layout"), 60, 24, 16, layers=4)
    board = pairs.Board(gates(layout, BLOCKING))
    for number in range(30):
        faces = faces_of(Stream("budget", str(number)), 60)
        full, short = board.solve(faces), board.solve(faces, budget=0)
        assert short.status in (full.status, "undecided")


@pytest.mark.parametrize("faces", [[0, 0, 0, 1], [0, 0, -1, -1], [0, 0, 1, 70000]])
def test_faces_that_cannot_be_coupled_are_bad_input(faces: list[int]) -> None:
    with pytest.raises(ValueError, match="does not take"):
        pairs.solve([(0,)] * 4, faces)


@pytest.mark.parametrize("copies", [72, 144])
def test_any_even_number_of_copies_is_taken(copies: int) -> None:
    layout = heap(Stream("wide", "layout"), 144, 40, 20, layers=5)
    board = gates(layout, BLOCKING)
    faces = [tile // copies for tile in range(144)]
    Stream("wide", str(copies)).shuffle(faces)
    answer = pairs.solve(board, faces)
    assert answer.status == "solved"
    assert replays(board, faces, answer.couples)


def test_a_stack_of_one_face_is_refuted_however_many_copies() -> None:
    stack = [(1 << tile + 1,) for tile in range(71)] + [(0,)]
    answer = pairs.solve(stack, [0] * 72)
    assert answer.status == "unsolvable"
    assert answer.evidence is not None
    assert check(stack, [0] * 72, answer.evidence) == ""
