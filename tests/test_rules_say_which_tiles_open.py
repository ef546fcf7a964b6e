"""A tile is open unless it is covered or hemmed in, each kind of blocking switched on or off by itself."""

from __future__ import annotations

from itertools import combinations
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.board import Board, Deal, tiles_of
from levelgen.layout import Slot
from levelgen.rules import BLOCKING
from levelgen.seed import Stream
from tests.boards import board, heap, moves, random_deal, reason, ruleset, under

SWITCHES = [names for size in range(4) for names in combinations(BLOCKING, size)]


def open_faces(deal: Deal) -> str:
    """The letters of the open tiles, in order of their ids."""
    return "".join(deal.faces[tile] for tile in deal.board.open_tiles(deal.start.remaining))


COVERED = """
    AABBCC
    AABBCC
    -- 1
    .DD
    .DD
"""


def test_a_covered_tile_is_not_open_even_where_half_a_tile_covers_it() -> None:
    assert open_faces(board(COVERED, blocking=("cover",))) == "CD"


def test_a_corner_covers_and_an_edge_does_not() -> None:
    corner = """
        AA.BB
        AA.BB
        -- 1
        .
        .CC
        .CC
    """
    assert open_faces(board(corner, blocking=("cover",))) == "BC"


def test_any_higher_layer_covers_not_only_the_next() -> None:
    floating = """
        AABB
        AABB
        -- 2
        CC
        CC
    """
    assert open_faces(board(floating, blocking=("cover",))) == "BC"


ROW = """
    AABBCC
    AABBCC
"""
COLUMN = """
    AA
    AA
    BB
    BB
    CC
    CC
"""


def test_a_tile_between_a_left_and_a_right_neighbour_is_hemmed_in() -> None:
    assert open_faces(board(ROW, blocking=("horizontal",))) == "AC"
    assert open_faces(board(ROW, blocking=("cover", "vertical"))) == "ABC"


def test_a_tile_between_an_upper_and_a_lower_neighbour_is_hemmed_in() -> None:
    assert open_faces(board(COLUMN, blocking=("vertical",))) == "AC"
    assert open_faces(board(COLUMN, blocking=("cover", "horizontal"))) == "ABC"


def test_a_neighbour_shifted_by_half_a_tile_hems_in_and_one_shifted_by_a_whole_tile_does_not() -> None:
    half = """
        AA..CC
        AABBCC
        ..BB
    """
    whole = """
        AA..CC
        AA..CC
        ..BB
        ..BB
    """
    assert open_faces(board(half, blocking=("horizontal",))) == "AC"
    assert open_faces(board(whole, blocking=("horizontal",))) == "ACB"


def turned(drawing: str, left_right: bool, upside_down: bool, on_its_side: bool) -> str:
    """The drawing mirrored, and with rows for columns."""
    rows = dedent(drawing).split()
    width = max(map(len, rows))
    rows = [row.ljust(width, ".") for row in rows]
    rows = [row[::-1] for row in rows] if left_right else rows
    rows = rows[::-1] if upside_down else rows
    return "\n".join(map("".join, zip(*rows, strict=True)) if on_its_side else rows)


@pytest.mark.parametrize("on_its_side", [False, True])
@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("left_right", [False, True])
def test_one_neighbour_only_half_a_tile_lower_hems_in_on_each_side(
    left_right: bool, upside_down: bool, on_its_side: bool
) -> None:
    half = """
        ..BBCC
        AABBCC
        AA....
    """
    deal = board(turned(half, left_right, upside_down, on_its_side), blocking=BLOCKING)
    assert "B" not in open_faces(deal)
    other_way = "horizontal" if on_its_side else "vertical"
    assert "B" in open_faces(under(deal, blocking=(other_way,)))


def test_a_gap_of_half_a_tile_is_no_neighbour() -> None:
    gap = """
        AABB.CC
        AABB.CC
    """
    assert open_faces(board(gap)) == "ABC"


def test_left_and_lower_together_do_not_hem_in() -> None:
    bend = """
        AABB
        AABB
        ..CC
        ..CC
    """
    assert open_faces(board(bend)) == "ABC"


@pytest.mark.parametrize(
    ("blocking", "expected"),
    [
        ((), "ABCDEFGHIX"),
        (("cover",), "BCDEFGHIX"),
        (("horizontal",), "ACDFGIX"),
        (("vertical",), "ABCGHIX"),
        (("horizontal", "vertical"), "ACGIX"),
        (("cover", "horizontal"), "CDFGIX"),
        (("cover", "vertical"), "BCGHIX"),
        (("cover", "horizontal", "vertical"), "CGIX"),
    ],
)
def test_every_blocking_switch_counts_by_itself(blocking: tuple[str, ...], expected: str) -> None:
    block = """
        AABBCC
        AABBCC
        DDEEFF
        DDEEFF
        GGHHII
        GGHHII
        -- 1
        XX
        XX
    """
    assert open_faces(board(block, blocking=blocking)) == expected


def test_only_tiles_still_on_the_board_block() -> None:
    assert open_faces(board(ROW, removed=(0,))) == "BC"
    assert open_faces(board(COVERED, blocking=("cover",), removed=(3,))) == "ABC"


def test_triples_know_covering_only() -> None:
    assert open_faces(board(COVERED, "triples")) == "CD"
    assert open_faces(board(ROW, "triples")) == "ABC"


def test_a_refusal_names_what_is_in_the_way_and_when_it_opens() -> None:
    deal = board(ROW)
    (move,) = moves("0-1")
    refusal = deal.start.refusal(move)
    assert refusal is not None
    assert refusal.reason == "blocked"
    assert refusal.tiles == (0, 2)
    assert refusal.message == "tile 1 is blocked; it opens when these are gone: 0, or 2"
    assert deal.board.opens_when(1, deal.start.remaining) == ((0,), (2,))
    assert reason(board(COVERED, "triples"), "0") == "held"


def naive_open(slots: tuple[Slot, ...], tile: int, there: set[int], blocking: tuple[str, ...]) -> bool:
    """The definitions of the rules page, word by word, without gates."""
    x, y, z = slots[tile]
    others = [slots[other] for other in there if other != tile]
    covered = any(w > z and abs(u - x) < 2 and abs(v - y) < 2 for u, v, w in others)
    left, right = (any(w == z and u == x + side and abs(v - y) < 2 for u, v, w in others) for side in (-2, 2))
    upper, lower = (any(w == z and v == y + side and abs(u - x) < 2 for u, v, w in others) for side in (-2, 2))
    return not (
        ("cover" in blocking and covered)
        or ("horizontal" in blocking and left and right)
        or ("vertical" in blocking and upper and lower)
    )


@given(st.integers(0, 10**6), st.sampled_from(SWITCHES), st.integers(0, 2**12 - 1))
def test_gates_say_what_the_definitions_say(seed: int, blocking: tuple[str, ...], remaining: int) -> None:
    layout = heap(Stream(str(seed), "gates"), 12, 8, 6)
    compiled = Board.compile(layout, ruleset(blocking=blocking))
    there = set(tiles_of(remaining))
    for tile in there:
        assert compiled.is_open(tile, remaining) == naive_open(layout.slots, tile, there, blocking)


@given(st.integers(0, 10**6), st.integers(0, 2**12 - 1))
def test_open_under_the_strictest_reading_is_open_under_every_reading(seed: int, remaining: int) -> None:
    stream = Stream(str(seed), "readings")
    strict = random_deal(stream, "pairs", heap(stream, 12, 8, 6), 3)
    opened = set(strict.board.open_tiles(remaining))
    for blocking in SWITCHES:
        assert opened <= set(under(strict, blocking=blocking).board.open_tiles(remaining))


@given(st.integers(0, 10**6), st.integers(0, 2**12 - 1), st.integers(0, 2**12 - 1))
def test_a_tile_once_open_stays_open(seed: int, remaining: int, taken: int) -> None:
    compiled = Board.compile(heap(Stream(str(seed), "monotone"), 12, 8, 6), ruleset())
    later = remaining & ~taken
    assert set(compiled.open_tiles(remaining)) & set(tiles_of(later)) <= set(compiled.open_tiles(later))
