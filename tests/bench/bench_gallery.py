"""The gallery: size of a page of 500 large levels, how soon it can be used, and how soon a watch shows a save."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from levelgen.board import Board  # noqa: E402
from levelgen.certificate import certify  # noqa: E402
from levelgen.deal import Dealt, Stuck, deal_faces  # noqa: E402
from levelgen.faces import load_face_set  # noqa: E402
from levelgen.gallery import Exhibit, Gallery, Heading, exhibit_of  # noqa: E402
from levelgen.pack.records import Record, bind  # noqa: E402
from levelgen.rules import RULESETS  # noqa: E402
from levelgen.template import compose, read_library  # noqa: E402
from levelgen.watch import Studio  # noqa: E402

LEVELS, CERTIFIED = 500, 10
"""Every deal is shown many times: certifying 500 is not what is measured."""
TEMPLATE = "citadel"
RUNS = 3


def row(name: str, value: float, unit: str, most: float | None = None) -> None:
    verdict = "" if most is None else f"   must be < {most:g}: {'met' if value < most else 'NOT MET'}"
    print(f"{name:56} {value:10.2f} {unit}{verdict}")


def first_deal(board: Board, faces: tuple[str, ...], seed: str) -> Dealt:
    """The first attempt that is not stuck."""
    for attempt in range(100):
        try:
            return deal_faces(board, faces, seed, attempt=attempt, face_down=6)
        except Stuck:
            continue
    raise AssertionError("no deal")


def exhibits() -> Iterator[Exhibit]:
    """Levels of 180 tiles with their certificates."""
    library = read_library(ROOT / "templates" / "shapes")
    layout = compose(library[TEMPLATE], library, "1")
    board = Board.compile(layout, RULESETS["pairs"])
    faces = load_face_set(ROOT / "faces" / "AR1").dealable[:36]
    for number in range(1, CERTIFIED + 1):
        dealt = first_deal(board, faces, f"bench/{number}")
        certificate = certify(dealt.deal, dealt.solution, "bench", number)
        record = Record(
            "bench", number, board.ruleset, layout.slots, "AR1", dealt.deal.faces, dealt.deal.face_down, (TEMPLATE,),
            f"bench/{number}", 0, 1, {"rating": number, "target": number, "tiles": len(layout)}, {}, "cd" * 32,
        )  # fmt: skip
        shown = exhibit_of(bind(record, certificate), certificate)
        for again in range(number, LEVELS + 1, CERTIFIED):
            yield replace(shown, name=f"bench#{again}", board={**shown.board, "level": again})


def opened(page: Path) -> None:
    """How soon Chromium has the page ready, and its first thumbnails drawn."""
    path = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("opening: there is no Chromium with Playwright here")
        return
    ready, drawn = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(RUNS):
            tab = browser.new_page(viewport={"width": 1440, "height": 900})
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_selector("html[data-ready]")
            ready.append(tab.evaluate("performance.getEntriesByName('ready')[0].startTime") / 1000)
            tab.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
            drawn.append(tab.evaluate("performance.now()") / 1000)
            tab.close()
        browser.close()
    row("opened: ready to be used", min(ready), "s", 2)
    row("opened: first thumbnails drawn", min(drawn), "s", 2)


@contextmanager
def project() -> Iterator[Path]:
    """A copy of the reference project, to be edited; its recipe."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "templates", Path(folder) / "templates")
        shutil.copytree(ROOT / "faces", Path(folder) / "faces")
        yield Path(folder) / "templates" / "packs" / "eram.yaml"


def followed() -> None:
    """CPU time from a save to the page that shows it, in the first ten levels of the reference recipe."""
    with project() as recipe:
        text = recipe.read_text()
        sections = text.split("\n  - levels:")
        recipe.write_text("\n  - levels:".join(sections[:3]) + "\n")
        studio = Studio(recipe)
        studio.refresh()
        print(f"watching {len(studio.shown)} levels")
        template = studio.shown[2].board["templates"][0]
        path = recipe.parent.parent / "shapes" / f"{template}.yaml"
        path.write_text(path.read_text() + "# saved\n")
        began = time.process_time()
        before = studio.news.version
        studio.refresh(lambda: studio.news.version > before)
        row(f"a save of {template}: page with what it touches", time.process_time() - began, "s CPU", 2)
        studio.refresh()
        row(f"a save of {template}: found, rated and proved", time.process_time() - began, "s CPU")


def main() -> None:
    """Print the figures."""
    face_set = load_face_set(ROOT / "faces" / "AR1")
    shown = list(exhibits())
    began = time.process_time()
    html = Gallery.of(face_set).page(Heading("Bench"), shown)
    row(f"{LEVELS} levels of 180 tiles: page made", time.process_time() - began, "s CPU")
    row(f"{LEVELS} levels of 180 tiles: size", len(html) / 1e6, "MB", 20)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "bench.html"
        page.write_text(html, encoding="utf-8")
        opened(page)
    followed()


if __name__ == "__main__":
    main()
