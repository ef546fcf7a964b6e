"""The README's pictures, from built packs: `make && .venv/bin/python docs/pictures/make.py` (needs Chromium).

`gallery.png` shows the gallery on a desk and on a phone, `board.png` three previews beside each other, `sheet.png` the
first rows of the contact sheet; all reduced to 256 colours, so that a clone stays small.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

from levelgen.cli import run
from levelgen.cli.sources import boards_from
from levelgen.faces import load_face_set
from levelgen.render.preview import Painter, save_png
from levelgen.render.sheet import sheets

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent

SHOWN = (("eram", 1, "ERAM Tiles"), ("eram", 22, "ERAM Tiles"), ("tilematch", 23, "Tile Match"))
SHEET = range(1, 21)


def main(out: Path) -> None:
    """Write all pictures from the packs `out/eram` and `out/tilematch`."""
    gallery(out)
    painters = {
        pack: Painter(load_face_set(ROOT / "faces" / faces))
        for pack, faces in (("eram", "AR1"), ("tilematch", "nepal"))
    }
    phones = [
        painters[pack].preview(next(iter(boards_from(f"{out / pack}#{level}", None))).deal, level=level, title=title)
        for pack, level, title in SHOWN
    ]
    row = Image.new("RGB", (sum(phone.width for phone in phones), phones[0].height))
    for place, phone in enumerate(phones):
        row.paste(phone, (place * phone.width, 0))
    save_png(small(row.reduce(2)), HERE / "board.png")
    boards = [(level, next(iter(boards_from(f"{out / 'eram'}#{level}", None))).deal) for level in SHEET]
    page = sheets(boards, painters["eram"], title="ERAM Tiles")[0]
    save_png(
        small(page.resize((page.width * 2 // 3, page.height * 2 // 3), Image.Resampling.BICUBIC)), HERE / "sheet.png"
    )


def gallery(out: Path) -> None:
    """The shelf of one pack in light colours beside a level of the other on a phone, as Chromium shows them."""
    from playwright.sync_api import sync_playwright

    shots = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for pack, view, scheme, width in (("eram", "", "light", 1280), ("tilematch", "#23/solution", "dark", 390)):
            page = Path(folder) / f"{pack}.html"
            if run(["gallery", str(out / pack), "-o", str(page), "--faces", str(ROOT / "faces")]):
                sys.exit("there is no gallery to show; make the packs first")
            context = browser.new_context(
                viewport={"width": width, "height": 844}, device_scale_factor=1.5, color_scheme=scheme
            )
            tab = context.new_page()
            tab.goto(page.as_uri() + view)
            tab.wait_for_selector("html[data-ready]")
            tab.wait_for_timeout(500)
            shots.append(Image.open(io.BytesIO(tab.screenshot())).convert("RGB"))
        browser.close()
    gap = 24
    row = Image.new("RGB", (sum(shot.width for shot in shots) + gap, shots[0].height), "white")
    row.paste(shots[0], (0, 0))
    row.paste(shots[1], (shots[0].width + gap, 0))
    save_png(small(row.reduce(2)), HERE / "gallery.png")


def small(picture: Image.Image) -> Image.Image:
    """`picture` in 256 colours."""
    return picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out")
