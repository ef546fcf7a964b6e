"""A recipe may include boards as they are: proved, certified and shipped like any other level."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.build import Order, build
from levelgen.errors import AnswerIsNo
from levelgen.pack.records import encode_board
from levelgen.pack.signing import demo_key
from levelgen.recipe import lint
from levelgen.verify import TrustRoot, open_pack, verify_pack
from tests.boards import board
from tests.project import new_project, tree

HAND = """\
levelgen-board 1 pairs
A = AR1_007
B = AR1_011
AABB..CC
AABB..CC
BBAA..cc
BBAA..cc
"""
PINNED = """\
pack: probe
version: 1
ruleset: {id: pairs}
faces: AR1
seed: probe
levels:
  - {levels: 1, board: hand.txt}
  - levels: 2..3
    templates: [[block, top]]
    tiles: 24
"""


def project(folder: Path, drawn: str = HAND, recipe: str = PINNED) -> Path:
    path = new_project(folder, recipe=recipe)
    (path.parent / "hand.txt").write_text(drawn)
    return path


def test_a_pinned_board_is_shipped_as_it_is(tmp_path: Path) -> None:
    path = project(tmp_path)
    assert lint([path]) == ()
    build(Order.of(path), tmp_path / "out", demo_key())
    trust = TrustRoot((demo_key().public,))
    with open_pack(tmp_path / "out", trust) as pack:
        record = pack.level(1)
        assert pack.certificate(1).robust == "yes"
    assert [face for face in record.faces if face.startswith(("AR1_007", "AR1_011"))] == [
        "AR1_007", "AR1_011", "AR1_011", "AR1_007"]  # fmt: skip
    assert len(record.faces) == 6
    assert record.templates == ()
    assert len(record.face_down) == 1
    assert verify_pack(tmp_path / "out", trust).ok


def test_letters_without_a_face_get_one_by_the_seed(tmp_path: Path) -> None:
    build(Order.of(project(tmp_path)), tmp_path / "out", demo_key())
    with open_pack(tmp_path / "out", TrustRoot((demo_key().public,))) as pack:
        faces = pack.level(1).faces
    (other,) = {*faces} - {"AR1_007", "AR1_011"}
    assert other.startswith("AR1_")


def test_the_other_levels_do_not_change(tmp_path: Path) -> None:
    path = project(tmp_path)
    build(Order.of(path), tmp_path / "out", demo_key())
    lines = (tmp_path / "out" / "levels.jsonl").read_bytes().split(b"\n")
    (path.parent / "hand.txt").write_text(HAND.replace("B = AR1_011", "B = AR1_012"))
    build(Order.of(path), tmp_path / "out", demo_key())
    changed = (tmp_path / "out" / "levels.jsonl").read_bytes().split(b"\n")
    assert lines[0] != changed[0]
    assert lines[1:] == changed[1:]
    assert tree(tmp_path / "out")


def test_a_file_of_boards_makes_a_row_of_levels(tmp_path: Path) -> None:
    path = project(tmp_path, recipe=PINNED.replace("levels: 1, board: hand.txt", "levels: 1..2, board: two.jsonl")
                   .replace("2..3", "3..4"))  # fmt: skip
    two = [board("AABB\nAABB\nBBAA\nBBAA\n"), board("AABBAA\nAABBAA\n..BB\n..BB\n")]
    lines = [encode_board(deal).replace(b'"A"', b'"AR1_001"').replace(b'"B"', b'"AR1_002"') for deal in two]
    (path.parent / "two.jsonl").write_bytes(b"\n".join(lines))
    assert lint([path]) == ()


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("levelgen-board 1 triples\nAAAAAA\nAAAAAA\n", "triples"),
        (HAND.replace("AR1_007", "AR1_045"), "AR1_045 is not dealt"),
        (HAND.replace("AR1_007", "AR1_999"), "`AR1_999` is none of the faces"),
        (HAND.replace("cc", "DD"), "hand.txt"),
        (HAND.replace("cc", "c."), "hand.txt:6:7"),
        (HAND.replace("cc", "DD").replace("B = AR1_011\n", "B = AR1_011\ntray C D\n"), "mid-game"),
        ("{}", "hand.txt:1"),
    ],
)
def test_lint_tells_what_is_wrong_with_a_board(drawn: str, words: str, tmp_path: Path) -> None:
    findings = lint([project(tmp_path, drawn)])
    assert findings
    assert any(words in one.message or words in one.where for one in findings), findings
    assert all("hand.txt:" in one.where or one.where.split(":")[-2] == "7" for one in findings)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("hand.txt", "none.txt", "recipe/board"),
        ("hand.txt", "../hand.txt", "recipe/value"),
        ("board: hand.txt", "board: hand.txt, tiles: 8", "recipe/"),
        ("board: hand.txt", "board: hand.txt, face_down: 1", "recipe/pinned"),
        ("levels: 1, board", "levels: 1..2, board", "recipe/board"),
        ("seed: probe", "seed: probe\nreject: [{level: 1, attempts: [0]}]", "recipe/reject"),
    ],
)
def test_a_pinned_level_takes_nothing_that_says_how_to_draw_it(old: str, new: str, code: str, tmp_path: Path) -> None:
    findings = lint([project(tmp_path, recipe=PINNED.replace(old, new, 1))])
    assert any(one.code.startswith(code) for one in findings), findings


def test_a_board_that_cannot_be_won_is_never_shipped(tmp_path: Path) -> None:
    crossed = "levelgen-board 1 pairs\nAA..BB..CC..CC\nAA..BB..CC..CC\n-- 1\nBB..AA\nBB..AA\n"
    path = project(tmp_path, crossed)
    with pytest.raises(AnswerIsNo, match="cannot be won") as caught:
        build(Order.of(path), tmp_path / "out", demo_key())
    assert caught.value.findings[0].where == "level 1"
    assert not (tmp_path / "out").exists()
