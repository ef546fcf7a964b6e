"""The README's pictures, from built packs: `make && python docs/pictures/make.py`.

`board.png` shows three previews beside each other, `sheet.png` the first rows of the contact sheet; both reduced to 256
colours, so that a clone stays small.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from levelgen.cli.sources import boards_from
from levelgen.faces import load_face_set
from levelgen.render.preview import Painter, save_png
from levelgen.render.sheet import sheets

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent

SHOWN = (("eram", 1, "ERAM Tiles"), ("eram", 22, "ERAM Tiles"), ("tilematch", 23, "Tile Match"))
SHEET = range(1, 21)


def main(out: Path) -> None:
    """Write both pictures from the packs `out/eram` and `out/tilematch`."""
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


def small(picture: Image.Image) -> Image.Image:
    """`picture` in 256 colours."""
    return picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.FLOYDSTEINBERG)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out")
