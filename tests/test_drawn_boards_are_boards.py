"""A board drawn in a text file is a board wherever one is asked for."""

from __future__ import annotations

import re
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
from tests.project import ROOT

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


def test_the_board_on_the_page_is_one() -> None:
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    deal = parse_drawn(text.encode())
    assert (len(deal.faces), deal.tray, deal.face_down) == (5, ("C",), (4,))


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


HEAD = "levelgen-board 1 pairs\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("levelgen-board 1 chess\nAA\nAA\n", ["board/head 1:1"]),
        ("levelgen-board 2 pairs\nAA\nAA\n", ["board/head 1:1"]),
        (HEAD + "B = X\nAAAA\nAAAA\n", ["board/face-line 2:1"]),
        (HEAD + "A = X\nAAAA\nAAA.\n",
         ["drawing/broken-tile 3:3", "drawing/broken-tile 3:4", "drawing/broken-tile 4:3"]),
        (HEAD + "AA11\nAA11\n22..\n22..\n", ["board/letter 2:3", "board/letter 4:1"]),
        (HEAD, ["board/tiles 2:1"]),
        (HEAD + "AABB\nAABB\n", ["deal/copies 2:1", "deal/copies 2:3"]),
        ("levelgen-board 1 triples\nAAaaAA\nAAaaAA\n", ["deal/face_down 2:3"]),
        (HEAD + "AAAA\nAAAA\n-- 1\n.......BB\n.......BB\nBB\nBB\n",
         ["layout/unsupported 5:8", "layout/unsupported 7:1"]),
        (HEAD + "A = X\nA = Y\nAAAA\nAAAA\n", ["board/face-line 3:1"]),
        (HEAD + "a = X\nAAAA\nAAAA\n", ["board/face-line 2:1"]),
        (HEAD + "A = bad name\nAAAA\nAAAA\n", ["board/face-line 2:5"]),
        (HEAD + "A =\nAAAA\nAAAA\n", ["board/face-line 2:3"]),
        (HEAD + "  AB = X\n= Y\nAAAA\nAAAA\n", ["board/face-line 2:3", "board/face-line 3:1"]),
        (HEAD + "A = X\nB = X\nAABB\nAABB\n", ["board/face-line 3:5"]),
        (HEAD + "A = B\nAABB\nAABB\n", ["board/face-line 2:1"]),
        (HEAD + "AAAA\nAAAA\nA = X\n", ["board/face-line 4:1"]),
        (HEAD + "tray\nAAAA\nAAAA\n", ["board/tray-line 2:1"]),
        (HEAD + "tray a 1\nAAAA\nAAAA\n", ["board/tray-line 2:6", "board/tray-line 2:8"]),
        (HEAD + "tray A\ntray A\nAAAA\nAAAA\n", ["board/tray-line 3:1"]),
        (HEAD + "tray A A A A A\nAA\nAA\n", ["deal/tray 2:1", "deal/tray 2:1"]),
        (HEAD + "tray C\nAAAA\nAAAA\n", ["deal/copies 2:1"]),
        (HEAD + "AA\0\0\nAA\0\0\n", ["drawing/mark 2:3", "drawing/mark 2:4", "drawing/mark 3:3", "drawing/mark 3:4"]),
        (HEAD + "AA\tAA\nAA\tAA\n", ["drawing/mark 2:3", "drawing/mark 3:3"]),
        (HEAD + "AAAA\nAAAA\n-- 0\nBBBB\nBBBB\n", ["drawing/heading 4:1"]),
        (HEAD + "-- 1\nAAAA\nAAAA\n-- 1\nBBBB\nBBBB\n", ["drawing/heading 5:1"]),
        (HEAD + "-- 0.5\nAAAA\nAAAA\n", ["drawing/heading 2:1"]),
        (HEAD + "ééAA\nééAA\nAA\nAA\n", ["board/letter 2:1"]),
        ("levelgen-board 1 go\nA = !\nAAA\nAAA\n", ["board/head 1:1", "board/face-line 2:5", "drawing/broken-tile 3:3",
                                                    "drawing/broken-tile 4:3"]),
    ],
)  # fmt: skip
def test_every_mistake_in_a_drawing_has_its_place_and_its_line(text: str, told: list[str]) -> None:
    with pytest.raises(Malformed) as caught:
        parse_drawn(text.encode(), "b.txt")
    findings = caught.value.findings
    assert [f"{one.code} {one.where.removeprefix('b.txt:')}" for one in findings] == told
    lines = text.split("\n")
    for one in findings:
        line, column = (int(word) for word in one.where.split(":")[1:])
        above, caret = one.source.split("\n")
        assert above == f"{line:5} | " + "".join(sign if sign.isprintable() else " " for sign in lines[line - 1])
        assert caret.index("^") - 8 == column - 1
        assert one.fix or one.code == "deal/tray"


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_before_are_passed_over() -> None:
    for before in (b"\xef\xbb\xbf", b"\n\n  \n", b"\xef\xbb\xbf\r\n"):
        assert parse_boards(before + DRAWN.replace(b"\n", b"\r\n"), "one.txt") == (parse_drawn(DRAWN),)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DRAWN.decode().encode("utf-16"), "UTF-16"),
        (DRAWN.decode().encode("utf-16-be"), "UTF-16"),
        (b"AABB\nAABB\n", "neither"),
        (b"Levelgen-Board 1 pairs\nAA\nAA\n", "neither"),
        (b"# a heap\ntemplate: heap\npieces:\n  - grid: {columns: 2, rows: 2}\n", "is a template"),
        (b"pack: eram\nversion: 1\nruleset: {id: pairs}\n", "is a recipe"),
        (b'{\n  "ruleset": {"id": "pairs"},\n  "slots": []\n}\n', "JSON"),
        (b"[1, 2]\n", "JSON"),
        (b"PK\x03\x04", "archive"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "no text"),
    ],
)
def test_what_is_no_board_is_told_once(data: bytes, words: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_boards(data, "one.txt")
    (finding,) = caught.value.findings
    assert finding.code == "board/unknown"
    assert words in finding.message
    assert finding.fix


def test_a_million_bad_lines_are_not_a_million_findings() -> None:
    for data in (b"{]\n" * 1_000_000, HEAD.encode() + b"A\n" * 500_000):
        with pytest.raises(Malformed) as caught:
            parse_boards(data, "one.txt")
        assert len(caught.value.findings) <= 1000


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
