"""The gallery in a real browser: opens from disk, asks nobody, is played by the rules, hides what lies face down."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from levelgen.board import Board, Deal
from levelgen.certificate import certify
from levelgen.cli import run
from levelgen.deal import deal_faces
from levelgen.faces import FaceSet, load_face_set
from levelgen.gallery import Exhibit, Gallery, Heading, exhibit_of
from levelgen.layout import Layout
from levelgen.moves import REASONS, parse_log
from levelgen.pack.records import Record, bind
from levelgen.replay import UNLIMITED, Context, replay
from levelgen.rules import RULESETS
from tests.browser import Watched, fresh_context, happens_on, serious

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
FLAT = Layout.of((x, y, 0) for y in (0, 2) for x in range(0, 10, 2))
"""Ten tiles in two rows; two more on top hide some of them."""
TOP = Layout.of([*FLAT.slots, (3, 1, 1), (5, 1, 1)])
HEAP = Layout.of((x, y, z) for z in (0, 1) for y in (0, 2) for x in range(0, 12, 2))
PILE = Layout.of((x, y, 0) for y in (0, 2, 4) for x in range(0, 14, 2))


@pytest.fixture(scope="module")
def faces() -> FaceSet:
    return load_face_set(ROOT / "faces" / "nepal")


def record(number: int, ruleset: str, layout: Layout, faces: tuple[str, ...], **more: Any) -> tuple[Record, Exhibit]:
    """A certified level with so many tools."""
    rules = RULESETS[ruleset]
    dealt = deal_faces(Board.compile(layout, rules), faces, f"gallery/{number}", face_down=more.get("hidden", 0))
    certificate = certify(dealt.deal, dealt.solution, "test", number)
    made = bind(
        Record("test", number, rules, layout.slots, "nepal", dealt.deal.faces, dealt.deal.face_down, ("rows",),
               f"gallery/{number}", 0, 1, more.get("figures", {"tiles": len(layout.slots)}), more.get("tools", {}),
               "cd" * 32),
        certificate,
    )  # fmt: skip
    return made, exhibit_of(made, certificate, more.get("rejected", ""))


LEVELS: dict[int, tuple[str, Layout, tuple[str, ...], dict[str, Any]]] = {
    1: ("pairs", TOP, ("sun", "moon", "kite", "bell"), {"hidden": 2, "tools": {"undo": 3, "hint": 2, "shuffle": 1}}),
    2: ("triples", HEAP, ("sun", "moon", "kite", "bell"), {"figures": {"rating": 610, "target": 600, "tiles": 24}}),
    3: ("triples", PILE, ("sun", "moon", "kite", "bell", "fish", "star", "tea"),
        {"figures": {"rating": 120, "target": 200}}),
    4: ("pairs", FLAT, ("sun", "moon"), {"rejected": "too flat"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def exhibits() -> dict[int, tuple[Record, Exhibit]]:
    return {
        number: record(number, rules, layout, faces, **more) for number, (rules, layout, faces, more) in LEVELS.items()
    }


@pytest.fixture(scope="module")
def address(
    exhibits: dict[int, tuple[Record, Exhibit]], faces: FaceSet, tmp_path_factory: pytest.TempPathFactory
) -> str:
    path = tmp_path_factory.mktemp("gallery") / "test.html"
    path.write_text(
        Gallery.of(faces).page(Heading("Test pack"), [one for _, one in exhibits.values()]), encoding="utf-8"
    )
    return path.as_uri()


@pytest.fixture
def watched(chromium: Browser) -> Iterator[Watched]:
    context = fresh_context(chromium, viewport={"width": 1000, "height": 800})
    watched = Watched(context.new_page())
    yield watched
    assert watched.complaints == []
    context.close()


def reason(page: Page) -> str:
    """The code of the refusal that is shown, or nothing."""
    code = "box => box.hidden || !box.classList.contains('refused') ? '' : box.dataset.reason"
    return str(page.eval_on_selector("#toast", code))


def enter(page: Page, *moves: str) -> None:
    """Type moves into the log."""
    page.eval_on_selector("#log-box", "box => box.open = true")
    for move in moves:
        page.fill("#entry", move)
        page.press("#entry", "Enter")


def log_of(page: Page) -> bytes:
    """The log the page would save."""
    return str(page.input_value("#log")).encode()


def test_it_opens_from_disk_and_asks_nobody_for_anything(watched: Watched, address: str) -> None:
    page = watched.open(address)
    page.click("a.level >> nth=1")
    page.wait_for_selector("#desk:not([hidden])")
    page.click("#to-solution")
    outside = [url for url in watched.requests if not url.startswith(("data:", "about:", "blob:"))]
    assert outside == [address]


def test_a_pack_becomes_a_page(watched: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "eram.html"
    assert run(["gallery", str(ROOT / "out" / "eram"), "--faces", str(ROOT / "faces"), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"] == 60
    page = watched.open(out.as_uri())
    assert page.locator("a.level").count() == 60
    assert page.title() == "ERAM Tiles"


def test_one_level_of_a_pack_becomes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "three.html"
    assert run(["gallery", f"{ROOT / 'out' / 'eram'}#3", "--faces", str(ROOT / "faces"), "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["levels"] == 1
    assert out.stat().st_size < 500_000


def test_a_solution_is_stepped_through_to_its_end_and_back(watched: Watched, address: str) -> None:
    page = watched.open(f"{address}#1/solution")
    page.focus("#next-step")
    steps = int(page.get_attribute("#step", "max") or 0)
    for _ in range(steps):
        page.keyboard.press("ArrowRight")
    assert "Won." in page.inner_text("#step-told")
    assert page.inner_text("#chip-tiles") == "0 tiles"
    for _ in range(steps):
        page.keyboard.press("ArrowLeft")
    assert page.inner_text("#chip-tiles") == "12 tiles"
    page.keyboard.press("End")
    assert "Won." in page.inner_text("#step-told")


def go_to(page: Page, tile: int) -> None:
    """Bring the focus to an open tile with the keyboard alone."""
    for _ in range(40):
        if page.evaluate("document.activeElement.dataset.tile") == str(tile):
            return
        page.keyboard.press("PageDown")
    raise AssertionError(f"the keyboard does not reach tile {tile}")


@pytest.mark.parametrize("number", [1, 2])
def test_a_level_is_won_with_the_keyboard_alone(
    watched: Watched, address: str, exhibits: dict[int, tuple[Record, Exhibit]], number: int
) -> None:
    page = watched.open(f"{address}#{number}")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.tile") is not None:
            break
    level, exhibit = exhibits[number]
    for move in exhibit.moves or ():
        for tile in map(int, re.findall(r"\d+", move)):
            go_to(page, tile)
            page.keyboard.press("Enter")
    assert "Won" in page.inner_text("#toast")
    log = parse_log(log_of(page))
    assert replay(level.deal, log.moves).verdict == "won"


REFUSALS = [
    (1, ("g", "0-1"), "game-over"),
    (1, ("s:1", "s:2"), "no-tool"),
    (1, ("7",), "wrong-game"),
    (2, ("90",), "no-such-tile"),
    (2, ("12", "12"), "gone"),
    (4, ("0-0",), "same-tile"),
    (1, ("=BLOCKED",), "blocked"),
    (2, ("0",), "held"),
    (1, ("=HIDDEN",), "face-down"),
    (4, ("^0",), "face-up"),
    (4, ("DIFFER",), "faces-differ"),
    (4, ("=0",), "no-mate"),
    (3, ("SEVEN", "u", "NEXT", "7th"), "tray-full"),
    (2, ("u",), "nothing-to-undo"),
    (3, ("SIX", "s:1"), "no-winnable-shuffle"),
]


def spelt(word: str, deal: Deal, solution: tuple[str, ...] = ()) -> list[str]:
    """The moves a word of the table above stands for on a board."""
    ready = deal.board.open_tiles(deal.start.remaining)
    each = list({deal.faces[tile]: tile for tile in reversed(range(len(deal.faces)))}.values())
    if word == "=BLOCKED":
        return [f"={next(tile for tile in range(len(deal.faces)) if tile not in set(ready))}"]
    if word == "=HIDDEN":
        lift = next(place for place, move in enumerate(solution) if move.startswith("^"))
        return [*solution[:lift], solution[lift].replace("^", "=")]
    if word == "DIFFER":
        shown = list(ready)
        return [f"{shown[0]}-{next(tile for tile in shown if deal.faces[tile] != deal.faces[shown[0]])}"]
    if word in ("SEVEN", "SIX"):
        return [str(tile) for tile in each[: 7 if word == "SEVEN" else 6]]
    if word == "NEXT":
        return [str(each[6])]
    if word == "7th":
        return [str(next(tile for tile in range(len(deal.faces)) if tile not in each))]
    return [word]


def test_the_table_has_every_refusal() -> None:
    of_logs = {"other-record"}  # no move can provoke it: the page plays no log
    assert {code for _, _, code in REFUSALS} == set(REASONS) - of_logs


def test_every_refusal_is_shown_with_its_reason(
    watched: Watched, address: str, exhibits: dict[int, tuple[Record, Exhibit]]
) -> None:
    page = watched.open(address)
    for number, moves, code in REFUSALS:
        page.evaluate("location.hash = ''")
        page.wait_for_selector("#shelf:not([hidden])")
        page.evaluate(f"location.hash = '{number}/play'")
        page.wait_for_selector("#desk:not([hidden])")
        level, exhibit = exhibits[number]
        *before, last = [move for word in moves for move in spelt(word, level.deal, exhibit.moves or ())]
        enter(page, *before)
        assert reason(page) == "", code
        kept = log_of(page)
        enter(page, last)
        assert reason(page) == code
        assert len(page.inner_text("#toast")) > 20
        assert log_of(page) == kept, f"{code}: what is refused does not reach the log"


def test_faces_that_lie_hidden_are_nowhere_in_the_page(watched: Watched, tmp_path: Path, faces: FaceSet) -> None:
    board = {
        "ruleset": RULESETS["pairs"].to_json(),
        "slots": [[0, 0, 0], [2, 0, 0], [6, 0, 0], [8, 0, 0]],
        "faces": ["umbrella", "sun", "sun", "umbrella"],
        "face_down": [0, 3],
    }
    path = tmp_path / "hidden.html"
    path.write_text(Gallery.of(faces).page(Heading("Hidden"), [Exhibit("x", board)]), encoding="utf-8")
    page = watched.open(f"{path.as_uri()}#1")
    hidden = next(face.title for face in faces.faces if face.id == "umbrella")
    enter(page, "1-2")

    def told() -> str:
        return str(page.content() + page.locator("body").aria_snapshot()).lower()

    assert page.locator("#tiles button:visible").count() == 2
    assert "umbrella" not in told()
    assert hidden.lower() not in told()
    assert "face down" in told()
    enter(page, "^0")
    assert hidden.lower() in told(), "lifted, it is seen"


def test_undo_hint_and_shuffle_reach_the_log_and_the_balance(
    watched: Watched, address: str, exhibits: dict[int, tuple[Record, Exhibit]]
) -> None:
    page = watched.open(f"{address}#1/play")
    for _ in range(30):
        page.click("#hint") if "0" not in page.inner_text("#hint") else None
        assert not re.search(r"[.!?]\.", page.inner_text("#said")), "a sentence ends once"
        if "Won" in page.inner_text("#state"):
            break
        hinted = page.locator("#tiles .hinted:visible")
        if hinted.count() == 0:
            break
        for tile in hinted.evaluate_all("all => all.map(one => one.dataset.tile)"):
            page.click(f"[data-tile='{tile}']")
        if "u" not in log_of(page).decode().split()[3:]:
            page.click("#undo")
    page.click("#shuffle")
    log = parse_log(log_of(page))
    kinds = [move.kind for move in log.moves]
    assert kinds.count("hint") == 2
    assert kinds.count("undo") >= 1
    assert kinds[-1] == "shuffle"
    verdict = replay(exhibits[1][0].deal, log.moves, Context((3, 2, 1)))
    assert verdict.refusal is None
    assert verdict.assisted
    assert page.inner_text("#shuffle").split() == ["Shuffle", "0", "left"]


def test_hints_alone_win_and_the_saved_log_is_judged_won(
    watched: Watched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, pack = tmp_path / "tilematch.html", str(ROOT / "out" / "tilematch")
    assert run(["gallery", pack, "--faces", str(ROOT / "faces"), "-o", str(out), "--levels", "3"]) == 0
    page = watched.open(f"{out.as_uri()}#3")
    page.locator("#tiles button.open").first.click()
    for _ in range(60):
        if "Won" in page.inner_text("#state"):
            break
        page.keyboard.press("h")
        page.locator("#tiles .hinted").first.click()
    page.eval_on_selector("#log-box", "box => box.open = true")
    with page.expect_download() as saved:
        page.click("#save")
    log = tmp_path / saved.value.suggested_filename
    saved.value.save_as(log)
    capsys.readouterr()
    assert run(["replay", f"{pack}#3", str(log), "--json"]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["verdict"] == "won"
    assert verdict["assisted"]


def test_a_level_is_played_by_touch(
    chromium: Browser, address: str, exhibits: dict[int, tuple[Record, Exhibit]]
) -> None:
    context = fresh_context(chromium, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = Watched(context.new_page()).open(f"{address}#2")
    moves = list((exhibits[2][1].moves or ())[:3])
    for move in moves:
        page.tap(f"[data-tile='{move}']")
    assert happens_on(page, lambda: log_of(page).decode().split()[3:] == moves)
    context.close()


def test_a_saved_log_is_opened_again_and_another_levels_is_not(
    watched: Watched, address: str, exhibits: dict[int, tuple[Record, Exhibit]], tmp_path: Path
) -> None:
    page = watched.open(f"{address}#2/solution")
    page.click("#next-step")
    page.click("#next-step")
    page.click("#play-from")
    text = log_of(page)
    assert [str(move) for move in parse_log(text).moves] == list((exhibits[2][1].moves or ())[:2])
    log = tmp_path / "two.log"
    log.write_bytes(text)
    enter(page, "r", "u", "u")
    page.set_input_files("#load", log)
    page.wait_for_selector("#toast:has-text('2 steps read')")
    assert log_of(page) == text
    log.write_bytes(text.replace(b"#2", b"#3"))
    page.set_input_files("#load", log)
    page.wait_for_selector("#toast:has-text('test#3')")
    log.write_bytes(b"levelgen-log 1 test#2\n4 nonsense\n")
    page.set_input_files("#load", log)
    page.wait_for_selector("#toast:has-text('nonsense')")
    assert log_of(page) == text


def test_a_warning_and_a_full_tray_are_told(
    watched: Watched, address: str, exhibits: dict[int, tuple[Record, Exhibit]]
) -> None:
    page = watched.open(f"{address}#3/play")
    picks = spelt("SEVEN", exhibits[3][0].deal)
    enter(page, *picks[:6])
    assert "Last slot" in page.inner_text("#toast")
    assert "warn" in (page.get_attribute("#tray", "class") or "")
    enter(page, picks[6])
    assert "The tray is full" in page.inner_text("#toast")
    enter(page, "u", "g")
    assert "Lost" in page.inner_text("#toast")
    assert replay(exhibits[3][0].deal, parse_log(log_of(page)).moves, UNLIMITED).verdict == "lost"


def test_layers_peel_off_and_open_tiles_can_be_marked_or_not(watched: Watched, address: str) -> None:
    page = watched.open(f"{address}#1/play")
    page.focus("#undo")
    assert page.locator("#tiles button:visible").count() == 12
    page.keyboard.press("-")
    assert page.locator("#tiles button:visible").count() == 10
    assert "lowest" in page.inner_text("#peel-name")
    page.keyboard.press("+")
    assert page.locator("#tiles button:visible").count() == 12
    pixels = "document.getElementById('board').toDataURL()"
    dimmed = page.evaluate(pixels)
    page.keyboard.press("o")
    assert page.evaluate(pixels) != dimmed


def test_levels_are_found_sorted_and_filtered(watched: Watched, address: str) -> None:
    page = watched.open(address)

    def shown() -> list[str]:
        return list(page.eval_on_selector_all("a.level", "all => all.map(one => one.hash.slice(1))"))

    assert shown() == ["1", "2", "3", "4"]
    page.select_option("#sort", "rating")
    page.click("#direction")
    assert shown() == ["2", "3", "1", "4"]
    page.click("#filters-open")
    page.fill("#rating-from", "300")
    assert shown() == ["2"]
    assert page.inner_text("#count") == "1 of 4 levels"
    page.click("#show-all")
    assert shown() == ["1", "2", "3", "4"]
    page.select_option("#rejected", "yes")
    assert shown() == ["4"]
    page.click("#show-all")
    page.fill("#tiles-to", "12")
    assert shown() == ["1", "4"]
    page.click("#show-all")
    page.fill("#search", "fish")
    assert shown() == ["3"]
    page.fill("#search", "no such thing")
    assert shown() == []
    assert page.is_visible("#empty")
    label = page.get_attribute("#curve svg", "aria-label") or ""
    assert "1 of 2 near their target" in label


def test_without_certificates_there_is_play_and_no_solution(
    watched: Watched, tmp_path: Path, faces: FaceSet, exhibits: dict[int, tuple[Record, Exhibit]]
) -> None:
    path = tmp_path / "client.html"
    path.write_text(Gallery.of(faces).page(Heading("Client"), [exhibit_of(exhibits[1][0], None)]), encoding="utf-8")
    page = watched.open(f"{path.as_uri()}#1")
    assert page.eval_on_selector_all("[role=tab]", "all => all.map(one => one.textContent)") == ["Play"]
    page.keyboard.press("Tab")
    page.click("#hint")
    assert page.locator("#tiles .hinted").count() > 0, "a small search finds a hint"


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (390, "dark"), (1440, "light")])
def test_no_serious_finding_and_nothing_sticks_out(chromium: Browser, address: str, width: int, scheme: Any) -> None:
    context = fresh_context(chromium, viewport={"width": width, "height": 844}, color_scheme=scheme)
    watched = Watched(context.new_page())
    for view in ("", "#1/play", "#1/solution"):
        page = watched.open(address + view)
        if not view:
            page.click("#help-open")
            assert serious(page) == []
            page.keyboard.press("Escape")
            page.click("#filters-open")
        else:
            page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
        assert serious(page) == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert watched.complaints == []
    context.close()
