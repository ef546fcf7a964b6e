"""Hundreds of copies of a face make a board easy, not undecided."""

from __future__ import annotations

import pytest

from levelgen.board import Board, Deal
from levelgen.layout import Layout
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.solve import prove


def block(base: str, tiles: int, faces: int, hidden: int = 0) -> Deal:
    """Two layers of a block 24 tiles wide, dealt uniformly."""
    lower = [(2 * (tile % 24), 2 * (tile // 24), 0) for tile in range(2 * tiles // 3)]
    upper = [(1 + 2 * (tile % 23), 1 + 2 * (tile // 23), 1) for tile in range(tiles - len(lower))]
    rules = RULESETS[base]
    dealt = [f"F{tile // rules.group % faces}" for tile in range(tiles)]
    Stream("many", f"{base}/{tiles}/{faces}").shuffle(dealt)
    return Deal(Board.compile(Layout.of([*lower, *upper]), rules), tuple(dealt), tuple(range(hidden)))


@pytest.mark.parametrize(
    ("base", "tiles", "faces"),
    [("pairs", 288, 1), ("pairs", 288, 3), ("pairs", 576, 4), ("triples", 1152, 1), ("triples", 576, 4)],
)
def test_a_board_of_many_copies_is_solved(base: str, tiles: int, faces: int) -> None:
    assert prove(block(base, tiles, faces)).verdict == "solved"


def test_face_down_tiles_are_lifted_on_the_way() -> None:
    proof = prove(block("pairs", 288, 2, hidden=40))
    assert proof.verdict == "solved"
    assert sum(move.kind == "lift" for move in proof.moves) == 40
