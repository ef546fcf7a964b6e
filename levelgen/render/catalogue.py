"""Small pictures of templates, and the part of `docs/templates.md` that shows them all.

    python -m levelgen.render.catalogue      # writes docs/pictures/templates/*.png and the page anew

Every tile is blank; the higher its layer, the lighter it is. All pictures have one scale.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from levelgen.layout import Layout
from levelgen.render.theme import Colour, mix
from levelgen.template import Library, compose, read_library

SIDE = 14
"""Pixels of a tile's side."""
RISE = 2
"""Pixels a layer is shifted to the upper left."""
MARGIN = 9
ACROSS = 5
"""Pictures a row of the page."""
COLOURS = 40
"""Colours a picture is reduced to."""
_OVER = 4
_GROUND: Colour = (22, 46, 54)
_LOW: Colour = (120, 92, 64)
_HIGH: Colour = (255, 246, 222)
_LAYERS = 6
GROUPS = (
    ("small", "Small", "Fit beside or on top of others."),
    ("medium", "Medium", ""),
    ("large", "Large", ""),
    ("heap", "Heaps", "Their parameters say how wide and how high they are; shown with their own numbers."),
)


def thumbnail(layout: Layout, width: int = 0) -> Image.Image:
    """The layout as a small picture, at least `width` pixels wide."""
    left, top, right, bottom = layout.bounds()
    rise = RISE * (layout.layers - 1)
    half = SIDE // 2
    inner = ((right - left) * half + rise + RISE, (bottom - top) * half + rise + RISE)
    size = (max(width, inner[0] + 2 * MARGIN), inner[1] + 2 * MARGIN)
    canvas = Image.new("RGB", (size[0] * _OVER, size[1] * _OVER), _GROUND)
    start = ((size[0] - inner[0]) // 2 + rise, MARGIN + rise)
    for z in range(layout.layers):
        x, y = start[0] - left * half - RISE * z, start[1] - top * half - RISE * z
        spots = [
            ((x + slot.x * half) * _OVER, (y + slot.y * half) * _OVER)
            for slot in sorted(layout.slots, key=lambda slot: (slot.x + slot.y, slot.x))
            if slot.z == z
        ]
        _shade(canvas, spots)
        for spot in spots:
            _tile(canvas, spot, mix(_HIGH, _LOW, min(z + 2, _LAYERS), _LAYERS))
    return canvas.reduce(_OVER).quantize(COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _shade(canvas: Image.Image, spots: list[tuple[int, int]]) -> None:
    """Darken what lies under a layer."""
    mask = Image.new("L", canvas.size)
    pen = ImageDraw.Draw(mask)
    side, deep = SIDE * _OVER, (RISE + 2) * _OVER
    for x, y in spots:
        pen.rounded_rectangle((x + 2, y + 2, x + side + deep, y + side + deep), 12, fill=110)
    canvas.paste(Image.composite(Image.new("RGB", canvas.size, (6, 12, 16)), canvas, mask))


def _tile(canvas: Image.Image, spot: tuple[int, int], colour: Colour) -> None:
    pen = ImageDraw.Draw(canvas)
    x, y = spot
    side, deep = SIDE * _OVER - 1, RISE * _OVER
    edge = mix(colour, (40, 26, 16), 150)
    for step in range(deep, 0, -1):
        pen.rounded_rectangle((x + step, y + step, x + side + step, y + side + step), 10, fill=edge)
    pen.rounded_rectangle((x, y, x + side, y + side), 10, fill=mix(colour, (60, 40, 24), 110))
    pen.rounded_rectangle((x + 3, y + 3, x + side - 3, y + side - 3), 8, fill=mix(colour, (255, 255, 255), 90))
    pen.rounded_rectangle((x + 6, y + 6, x + side - 3, y + side - 3), 7, fill=colour)


def png(picture: Image.Image) -> bytes:
    """The picture as a small PNG."""
    packed = io.BytesIO()
    picture.save(packed, "PNG", optimize=True)
    return packed.getvalue()


def same_pixels(one: bytes, other: Image.Image) -> bool:
    """Whether a PNG shows what a picture shows; how it is packed does not matter."""
    with Image.open(io.BytesIO(one), formats=("PNG",)) as read:
        shown, wanted = read.convert("RGB"), other.convert("RGB")
    return shown.size == wanted.size and ImageChops.difference(shown, wanted).getbbox() is None


def pictures(library: Library) -> Iterator[tuple[str, Image.Image]]:
    """Every template's picture, under the seed `catalogue`."""
    for name in sorted(library):
        yield name, thumbnail(compose(library[name], library, "catalogue"))


def group_of(tags: tuple[str, ...]) -> str:
    """The part of the page a template with these tags stands in."""
    return next((word for word, _, _ in reversed(GROUPS) if word in tags), "medium")


def gallery(library: Library) -> str:
    """The gallery as Markdown: tables of pictures, the smallest template first."""
    lines: list[str] = []
    for word, title, about in GROUPS:
        names = [name for name in library if group_of(library[name].tags) == word]
        names.sort(key=lambda name: (library.sizes(name), name))
        lines += [f"### {title}", "", *([about, ""] if about else [])]
        lines += ["|" + " |" * ACROSS, "|" + ":-:|" * ACROSS]
        for start in range(0, len(names), ACROSS):
            row = names[start : start + ACROSS]
            cells = [_cell(name, library) for name in row]
            lines.append("| " + " | ".join(cells + [""] * (ACROSS - len(cells))) + " |")
        lines.append("")
    return "\n".join(lines)


def _cell(name: str, library: Library) -> str:
    low, high = library.sizes(name)
    layers = compose(library[name], library, "catalogue").layers
    counted = f"{low} tiles" if low == high else f"{low} … {high} tiles"
    tags = ", ".join(tag for tag in library[name].tags if tag not in ("small", "medium", "large"))
    high_word = "1 layer" if layers == 1 else f"{layers} layers"
    return f"![{name}](pictures/templates/{name}.png)<br>**{name}**<br>{counted}, {high_word}<br>{tags}"


def with_gallery(page: str, library: Library) -> str:
    """The page with the gallery between its marks."""
    head, mark, rest = page.partition("python -m levelgen.render.catalogue` -->\n")
    return head + mark + gallery(library) + "<!-- end of gallery -->" + rest.partition("<!-- end of gallery -->")[2]


def main() -> None:
    """Write the pictures and the page of the checkout."""
    root = Path(__file__).resolve().parent.parent.parent
    library = read_library(root / "templates" / "shapes", root=root)
    folder = root / "docs" / "pictures" / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.png")):
        if path.stem not in library:
            path.unlink()
    total = 0
    for name, picture in pictures(library):
        path = folder / f"{name}.png"
        if not (path.exists() and same_pixels(path.read_bytes(), picture)):
            path.write_bytes(png(picture))
        total += path.stat().st_size
    page = root / "docs" / "templates.md"
    page.write_text(with_gallery(page.read_text(encoding="utf-8"), library), encoding="utf-8")
    sys.stderr.write(f"{len(library)} templates, {total} bytes\n")


if __name__ == "__main__":
    main()
