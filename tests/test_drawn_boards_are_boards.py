"""A board drawn in a text file is a board wherever one is asked for."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.cli import run
from levelgen.drawn_board import draw_board, parse_drawn
from levelgen.errors import Malformed
from levelgen.pack.records import encode_board, parse_boards
from tests.boards import board

DRAWN = b"""\
levelgen-board 1 pairs
A = AR1_007
AABB
AABB
BBaa
BBaa
"""


def test_letters_are_faces_and_small_letters_lie_face_down() -> None:
    deal = parse_drawn(DRAWN)
    assert deal.faces == ("AR1_007", "B", "B", "AR1_007")
    assert deal.face_down == (3,)
    assert deal.board.ruleset.id == "pairs"


def test_a_board_file_may_be_drawn() -> None:
    (deal,) = parse_boards(DRAWN, "one.txt")
    assert encode_board(deal) == encode_board(parse_drawn(DRAWN))


def test_waiting_tiles_and_higher_layers_are_read() -> None:
    deal = parse_drawn(b"levelgen-board 1 triples\ntray A A\n\nAABBBB\nAABBBB\n-- 1\n.BB\n.BB\n")
    assert deal.tray == ("A", "A")
    assert deal.board.layout.layers == 2
    assert deal.faces == ("A", "B", "B", "B")


def test_what_is_drawn_is_read_back() -> None:
    deal = board(
        """
        AABBCC
        AABBCC
        CCBBAA
        CCBBAA
        -- 1
        .ddDD
        .ddDD
        """
    )
    drawn = draw_board(deal)
    assert drawn is not None
    assert parse_drawn(drawn.encode()) == deal


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("levelgen-board 1 chess\nAA\nAA\n", "board/head", "b.txt:1:1"),
        ("levelgen-board 2 pairs\nAA\nAA\n", "board/head", "b.txt:1:1"),
        ("levelgen-board 1 pairs\nB = X\nAAAA\nAAAA\n", "board/letter", "b.txt"),
        ("levelgen-board 1 pairs\nA = X\nAAAA\nAAA.\n", "drawing/broken-tile", "b.txt:3:3"),
        ("levelgen-board 1 pairs\nAA11\nAA11\n", "board/letter", "b.txt"),
        ("levelgen-board 1 pairs\n", "board/tiles", "b.txt"),
        ("levelgen-board 1 pairs\nAABB\nAABB\n", "deal/", "b.txt"),
        ("levelgen-board 1 triples\nAAaaAA\nAAaaAA\n", "deal/face_down", "b.txt"),
        ("levelgen-board 1 pairs\nAAAA\nAAAA\n-- 1\n.......AA\n.......AA\n", "layout/unsupported", "b.txt"),
    ],
)
def test_a_mistake_in_a_drawing_has_its_place(text: str, code: str, place: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_drawn(text.encode(), "b.txt")
    assert any(one.code.startswith(code) and one.where.startswith(place) for one in caught.value.findings)


@given(st.binary(max_size=400))
def test_junk_is_refused_with_a_finding(junk: bytes) -> None:
    with suppress(Malformed):
        parse_drawn(b"levelgen-board 1 pairs\n" + junk)


def test_show_and_solve_take_a_drawn_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.txt"
    path.write_bytes(DRAWN)
    assert run(["show", str(path)]) == 0
    assert run(["solve", str(path)]) == 0
    assert "solved" in capsys.readouterr().out
