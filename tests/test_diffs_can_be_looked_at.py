"""The page of `diff --html` in real Chromium: ways to compare, by mouse, touch and keyboard; nothing is fetched."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw

from levelgen.cli import run
from levelgen.pack.diff import diff_packs
from levelgen.pack.signing import public_pem
from levelgen.pack.verify import open_pack
from levelgen.pack.write import write_pack
from levelgen.render import compare
from levelgen.render.compare import compare_page, describe, pages_levels
from levelgen.render.preview import Painter
from tests.browser import fresh_context, happens_on, serious
from tests.packs import SIGNER, TRUST, Levels, heading, make_level, make_levels
from tests.project import working_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FACES = ("sun", "moon", "kite")
SIZES = pytest.mark.parametrize("width", [390, 1440])


def pictures() -> dict[str, Image.Image]:
    """A disc of its own colour for each face."""
    found = {}
    for place, face in enumerate(FACES):
        picture = Image.new("RGBA", (96, 96))
        ImageDraw.Draw(picture).ellipse((6, 6, 90, 90), fill=(60 + 80 * place, 200 - 70 * place, 90, 255))
        found[face] = picture
    return found


def html_of(folder: Path, old: Levels, new: Levels, **changes: Any) -> str:
    write_pack(folder / "old", heading(), old, [SIGNER])
    write_pack(folder / "new", heading(**changes), new, [SIGNER])
    with open_pack(folder / "old", TRUST) as before, open_pack(folder / "new", TRUST) as after:
        return compare_page(diff_packs(before, after), before, after, {"demo": Painter(pictures())})


def some_levels() -> tuple[Levels, Levels]:
    """1 is the same, 2 has another deal, 3 other figures only, 4 another deal, 5 and 6 are new."""
    before, after = make_levels(4), make_levels(6)
    after[1], after[3] = make_level(2, seed="other"), make_level(4, seed="third")
    after[2] = (replace(after[2][0], difficulty={"rank": 9, "branching": 3}), after[2][1])
    return before, after


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff")
    path = folder / "diff.html"
    path.write_text(html_of(folder, *some_levels(), title="<b>Tiny</b> & new", version=2))
    return path


@contextmanager
def opened(chromium: Browser, file: Path, width: int = 1440, **options: Any) -> Iterator[Page]:
    """The page from disk; whatever it asks of anybody, and whatever goes wrong in it, fails the test."""
    context = fresh_context(chromium, viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "request", lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "data:")) else None
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.goto(file.as_uri())
    if options.get("java_script_enabled", True):  # they are decoded when the browser finds the time
        page.evaluate("Promise.all([...document.images].map(one => one.decode()))")
    yield page
    assert wrong == []
    context.close()


def shown(page: Page, selector: str) -> bool:
    """Whether a player sees any of it."""
    return bool(page.locator(selector).first.evaluate("node => getComputedStyle(node).visibility === 'visible'"))


def row(page: Page, selector: str = "#level-2 .old img") -> list[tuple[int, ...]]:
    """The colours that are painted along the middle of a picture, at every twentieth of its width."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    line = {"x": box["x"], "y": box["y"] + box["height"] * 0.49, "width": box["width"], "height": 1}
    with Image.open(io.BytesIO(page.screenshot(clip=line))) as picture:  # type: ignore[arg-type, unused-ignore]
        raw, width = picture.convert("RGB").tobytes(), picture.width
    return [tuple(raw[3 * (width * place // 20) :][:3]) for place in range(1, 20)]


@SIZES
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_opens_from_disk_and_fits(chromium: Browser, file: Path, width: int, scheme: str) -> None:
    with opened(chromium, file, width, color_scheme=scheme) as page:
        assert page.title() == "<b>Tiny</b> & new: what changed"
        assert page.locator("h1").inner_text() == "<b>Tiny</b> & new"
        assert page.locator(".summary").inner_text() == "3 levels changed, 2 added, 1 the same"
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("[...document.images].every(one => one.complete && one.naturalWidth > 0)")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness = sum(map(int, re.findall(r"\d+", ground)[:3])) // 3
        assert (brightness > 200) == (scheme == "light")


def test_side_by_side_shows_both_and_needs_no_script(chromium: Browser, file: Path) -> None:
    with opened(chromium, file, java_script_enabled=False) as page:
        one, other = (page.locator(f"#level-2 .{kind} img").bounding_box() for kind in ("old", "new"))
        assert one is not None
        assert other is not None
        assert one["x"] + one["width"] <= other["x"]
        assert not page.locator(".controls").is_visible(), "what would not work is not offered"


def test_the_slider_follows_mouse_and_keyboard(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as page:
        page.keyboard.press("2")
        assert page.locator("#mode-slider").is_checked()
        level = "#level-2"
        box = page.locator(f"{level} .old img").bounding_box()
        assert box is not None
        page.locator(level).scroll_into_view_if_needed()
        slider = page.get_by_role("slider", name="Level 2: how much of it as it is after")
        slider.focus()
        page.keyboard.press("Home")
        assert slider.get_attribute("aria-valuetext") == "0 % after"
        before = row(page)
        page.keyboard.press("End")
        after = row(page)
        assert before != after
        page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 200)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 200)
        page.mouse.up()
        assert slider.input_value() == "75"
        assert page.locator(f"{level} output").inner_text() == "75 % after"
        mixed = row(page)
        assert mixed[:3] == before[:3], "left of the handle it is as before"
        assert mixed[6:] == after[6:], "right of it as after"


def test_blend_mixes_and_difference_blackens_what_is_equal(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as page:
        page.locator("label[for=mode-blend]").click()
        page.locator("#level-2").scroll_into_view_if_needed()
        slider = page.get_by_role("slider", name="Level 2:")
        ends = []
        for key in ("Home", "End"):
            slider.press(key)
            ends.append(row(page))
        slider.fill("50")
        mixed = row(page)
        for one, other, both in zip(*ends, mixed, strict=True):
            assert all(abs(2 * c - a - b) <= 6 for a, b, c in zip(one, other, both, strict=True))
        page.locator("#level-2").get_by_label("only what differs").check()
        differing = row(page)
        same = [place for place, (one, other) in enumerate(zip(*ends, strict=True)) if one == other]
        assert same
        assert all(max(differing[place]) <= 8 for place in same)


def test_toggle_flips_by_button_click_and_key(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as page:
        page.keyboard.press("4")
        assert (shown(page, "#level-2 .old"), shown(page, "#level-2 .new")) == (True, False)
        button = page.locator("#level-2 button")
        button.press("Enter")
        assert (shown(page, "#level-2 .old"), shown(page, "#level-2 .new")) == (False, True)
        assert button.get_attribute("aria-pressed") == "true"
        assert button.inner_text() == "Shown: after"
        page.keyboard.press("t")
        assert shown(page, "#level-2 .old")
        page.locator("#level-2 .stage").click()
        assert shown(page, "#level-2 .new")
        assert shown(page, "#level-4 .old"), "the other levels stay as they are"


def test_touch_moves_the_slider_on_a_phone(chromium: Browser, file: Path) -> None:
    with opened(chromium, file, 390, has_touch=True, is_mobile=True) as page:
        page.locator("label[for=mode-slider]").tap()
        page.locator("#level-2").scroll_into_view_if_needed()
        box = page.locator("#level-2 .old img").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] * 0.2, box["y"] + 150)
        slider = page.get_by_role("slider", name="Level 2:")
        assert happens_on(page, lambda: abs(int(slider.input_value()) - 80) <= 1)


def test_the_keyboard_walks_the_levels_that_the_filter_leaves(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as page:
        walked = []
        for key in "jjjjk":
            page.keyboard.press(key)
            walked.append(page.evaluate("document.activeElement.id"))
        assert walked == ["level-2", "level-3", "level-4", "level-4", "level-3"]
        page.locator("#filter").select_option("looks")
        assert page.locator("#count").inner_text() == "2 of 3 shown"
        assert not page.locator("#level-3").is_visible()
        page.locator("#filter").select_option("difficulty")
        assert page.locator(".level:visible").count() == 1
        page.locator("#filter").select_option("")
        assert page.locator("#count").inner_text() == ""


def test_added_and_removed_levels_have_their_lists(chromium: Browser, file: Path, tmp_path: Path) -> None:
    with opened(chromium, file) as page:
        assert page.get_by_role("heading", name="Added: 2 levels (5..6)").is_visible()
        assert page.get_by_role("list", name="Added levels").get_by_role("listitem").count() == 2
    other = tmp_path / "less.html"
    other.write_text(html_of(tmp_path, make_levels(3), make_levels(2)))
    with opened(chromium, other) as page:
        assert page.get_by_role("heading", name="Removed: 1 level (3)").is_visible()
        assert page.locator(".controls").count() == 0


def test_everything_that_can_be_used_has_a_name(chromium: Browser, file: Path) -> None:
    with opened(chromium, file) as page:
        for mode in "1234":
            page.keyboard.press(mode)
            for role in ("slider", "button", "checkbox", "radio", "combobox", "img", "article"):
                for one in page.get_by_role(role).all():
                    name = one.evaluate(
                        "node => (node.labels?.[0]?.textContent || node.alt || node.textContent).trim()"
                    )
                    assert name, f"a {role} without a name in mode {mode}"


@pytest.mark.parametrize(("scheme", "modes"), [("light", "1234"), ("dark", "13")])
def test_axe_finds_nothing_serious(chromium: Browser, file: Path, scheme: str, modes: str) -> None:
    with opened(chromium, file, color_scheme=scheme) as page:
        for mode in modes:
            page.keyboard.press(mode)
            assert serious(page) == []


def test_no_hidden_face_is_told(file: Path) -> None:
    text = re.sub(r"data:image/webp;base64,[A-Za-z0-9+/=]+", "", file.read_text())
    assert "1 face down" in text
    for face in FACES:
        assert face not in text


def test_a_picture_of_a_hidden_tile_shows_its_back_only(tmp_path: Path) -> None:
    """Two levels that differ in a hidden face only look the same."""
    record, certificate = make_level(2)
    hidden = record.face_down[0]
    mate = next(tile for tile, face in enumerate(record.faces) if face != record.faces[hidden])
    faces = list(record.faces)
    painter = Painter(pictures())
    faces[hidden] = record.faces[mate]
    assert painter.preview(record.deal).tobytes() == painter.preview(replace(record.deal, faces=tuple(faces))).tobytes()
    assert certificate.level == record.level


def test_a_level_that_looks_the_same_is_drawn_once(file: Path) -> None:
    (level,) = re.findall(r'<article class="level" id="level-3".*?</article>', file.read_text(), re.DOTALL)
    assert level.count("<img") == 1
    assert "Looks the same" in level
    assert "rank 3 → 9" in level


def test_a_level_is_described_without_its_faces() -> None:
    assert describe(make_level(2)[0]) == "8 tiles, 2 layers, 3 open, 1 face down"
    assert describe(make_level(1, "triples")[0]).endswith(" free")


def test_a_big_diff_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MOST_LEVELS", 1)
    monkeypatch.setattr(compare, "MOST_SMALL", 1)
    text = html_of(tmp_path, *some_levels())
    assert "The first 1 are shown with pictures" in text
    assert text.count('<article class="level') == 3
    assert "… and 1 more." in text
    with open_pack(tmp_path / "old", TRUST) as old, open_pack(tmp_path / "new", TRUST) as new:
        assert pages_levels(diff_packs(old, new)) == 2


def test_the_command_writes_the_page_and_still_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    html_of(tmp_path, *some_levels())
    (tmp_path / "key.pem").write_bytes(public_pem(SIGNER.public))
    monkeypatch.setenv("LEVELGEN_KEY", str(tmp_path / "key.pem"))
    monkeypatch.setattr("levelgen.cli.pictures.painter_of", lambda *_: Painter(pictures()))
    with working_in(tmp_path):
        assert run(["diff", "old", "new", "--html", "diff.html"]) == 1
        assert (tmp_path / "diff.html").read_text().count('class="level both"') == 2
        assert "diff.html: " in capsys.readouterr().err
        assert run(["diff", "old", "old", "--html", "same.html"]) == 0
        assert "Nothing changed" in (tmp_path / "same.html").read_text()
        assert run(["diff", "old", "new", "--html", "no/such/folder.html"]) == 2
