"""Why a board cannot be won is told by a few tiles that keep each other: in words, as a picture, as a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.cli import run
from levelgen.layout import Layout
from levelgen.pack.records import encode_board
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.solve import prove
from levelgen.solve.aid import Scene, explain
from tests.boards import board
from tests.browser import Watched, fresh_context, serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FACES = str(Path(__file__).resolve().parent.parent / "faces")
SHAPE = Layout.of([*((x, y, 0) for y in (0, 2) for x in range(0, 8, 2)), (1, 1, 1), (3, 1, 1), (5, 1, 1), (3, 1, 2)])
DEAD = "AA..BB..CC\nAA..BB..CC\n-- 1\nBB..CC..AA\nBB..CC..AA"
"""Three towers of two: each waits for the mate that the next one covers."""


def deals(count: int) -> list[Deal]:
    """Random deals of twelve tiles, some faces twice and some four times, that cannot be won."""
    found: list[Deal] = []
    for number in range(2000):
        stream = Stream("dead", str(number))
        faces = [*"AAAABBBBCCDD"]
        stream.shuffle(faces)
        deal = Deal(Board.compile(SHAPE, RULESETS["pairs"]), tuple(faces), ())
        if len(found) < count and prove(deal).verdict == "unsolvable":
            found.append(deal)
    return found


def write_boards(path: Path, *boards: Deal) -> str:
    """A board file."""
    path.write_bytes(b"".join(encode_board(one) + b"\n" for one in boards))
    return str(path)


def ever_gone(start: Position) -> set[int]:
    """Every tile that some line of play removes, by trying all of them."""
    seen, stack, gone = {start}, [start], set[int]()
    while stack:
        position = stack.pop()
        gone |= set(tiles_of(start.remaining & ~position.remaining))
        for move in position.moves():
            after = position.after(move)
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return gone


def holds(deal: Deal, told: dict[int, tuple[int, ...]]) -> bool:
    """Whether these tiles keep each other even when all others are gone."""
    left = sum(1 << tile for tile in told)
    for tile, others in told.items():
        if not set(others) <= set(told):
            return False
        if deal.board.is_open(tile, left):
            mates = {other for other in range(len(deal.faces)) if deal.faces[other] == deal.faces[tile]} - {tile}
            if any(other not in told or deal.board.is_open(other, left) for other in mates & set(others)):
                return False
        elif not all(set(way) & set(others) for way in deal.board.opens_when(tile, left)):
            return False
    return True


def test_tiles_called_buried_never_leave_and_the_circle_keeps_itself() -> None:
    buried = orders = 0
    for deal in deals(40):
        first, *rest = explain(deal)
        if not first.buried:
            orders += 1
            continue
        buried += 1
        assert not ever_gone(deal.start) & set(first.buried)
        told = {scene.buried[0]: scene.by for scene in rest if len(scene.buried) == 1}
        assert told
        assert holds(deal, told)
    assert buried > 5


def test_three_towers_wait_for_each_other() -> None:
    story = explain(board(DEAD))
    assert story[0] == Scene("6 tiles can never leave, whatever is played", (0, 1, 2, 3, 4, 5), (), ())
    (circle,) = {scene.buried for scene in story[1:] if len(scene.buried) > 1} or {tuple(range(6))}
    assert {tile for scene in story for tile in scene.by} <= set(circle)


def test_a_picture_shows_the_tiles_and_tells_the_story(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "dead.png"
    boards = write_boards(tmp_path / "dead.json", board(DEAD))
    assert run(["explain", boards, "-o", str(out), "--faces", FACES]) == 1
    assert "cannot open while" in capsys.readouterr().out
    with Image.open(out) as picture:
        assert picture.size[0] == 720
        assert picture.size[1] > 1280
        colours = picture.convert("RGB").getcolors(1 << 24) or []
    assert any(colour == (255, 75, 82) for _, colour in colours), "buried tiles have a red ring"


def test_what_can_be_won_needs_no_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "fine.png"
    boards = write_boards(tmp_path / "fine.json", board("AA..AA\nAA..AA"))
    assert run(["explain", boards, "-o", str(out)]) == 0
    assert "nothing to explain" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("name", ["dead", "dead.svg", "missing/dead.png"])
def test_what_cannot_be_written_is_refused_first(tmp_path: Path, name: str) -> None:
    boards = write_boards(tmp_path / "dead.json", board(DEAD))
    assert run(["explain", boards, "-o", str(tmp_path / name)]) == 2


def test_the_page_tells_it_step_by_step(chromium: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "dead.html"
    boards = write_boards(tmp_path / "dead.json", board(DEAD), board("AA..AA\nAA..AA"))
    assert run(["explain", boards, "-o", str(out), "--faces", FACES, "--json"]) == 1
    story = json.loads(capsys.readouterr().out.splitlines()[0])["story"]
    context = fresh_context(chromium)
    watched = Watched(context.new_page())
    page = watched.open(f"{out.as_uri()}#1")
    told = page.eval_on_selector_all("#tab-story button", "all => all.map(one => one.textContent)")
    assert len(told) == len(story)
    assert page.locator("#tiles .buried").count() == 6
    page.focus("#tab-story button")
    for _ in story[1:]:
        page.keyboard.press("ArrowRight")
    assert page.locator("#tiles .buried").count() == 1
    assert page.locator("#tiles .burying").count() >= 1
    assert "buried" in (page.get_attribute("#tiles .buried", "aria-label") or "")
    assert serious(page) == []
    page = watched.open(f"{out.as_uri()}#2/solution")
    page.keyboard.press("End")
    assert "Won" in page.inner_text("#step-told"), "what can be won has a solution"
    assert watched.complaints == []
    context.close()
