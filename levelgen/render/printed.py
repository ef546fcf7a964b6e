"""Sheets to be printed: a page of cards, each a board with its figures, two boxes to tick and a line for a note.

Pages are drawn one at a time, since one at 300 dots an inch takes 26 MB. The PDF holds them as JPEG and no date.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from PIL import Image, ImageDraw

from levelgen.errors import counted
from levelgen.pack.disk import new_file
from levelgen.render.lettering import write
from levelgen.render.panel import Box, rounded
from levelgen.render.preview import Painter
from levelgen.render.sheet import Entry, curve, gauge, position_of
from levelgen.render.theme import Colour, Size

DPI = 300
PAPERS: dict[str, Size] = {"a4": (2480, 3508), "letter": (2550, 3300)}
"""Pixels at `DPI`."""
ACROSS, DOWN = 4, 4
MARGIN = 150
"""Half an inch, which every printer can reach."""
_HEAD = 210
_CURVE = 300
_FOOT = 90
_GAP = 36
_INK: Colour = (28, 28, 30)
_QUIET: Colour = (110, 110, 114)
_LINE: Colour = (196, 196, 200)
_CARD: Colour = (250, 250, 250)
JPEG_QUALITY = 90


def print_sheets(
    entries: Sequence[Entry], painter: Painter, *, title: str, paper: str = "a4", foot: str = ""
) -> Iterator[Image.Image]:
    """The pages, at least one, as RGB at `DPI`. `foot` says which pack this is; the curve stands on the first page."""
    rated = any(entry.rating is not None for entry in entries)
    pages: list[Sequence[Entry]] = []
    rest = iter(entries)
    while some := list(islice(rest, ACROSS * (DOWN - 1 if rated and not pages else DOWN))):
        pages.append(some)
    for number, page in enumerate(pages or [[]], start=1):
        mark = f"{number} of {max(1, len(pages))}"
        yield _page(page, painter, PAPERS[paper], title, foot, mark, entries if rated and number == 1 else ())


def save_pdf(pages: Iterator[Image.Image], path: Path) -> None:
    """Write the pages as one PDF, whole or not at all; nothing in it tells when.

    Raises:
        OSError: the directory does not exist or cannot be written.
    """
    with new_file(path) as draft, draft.open("wb") as file:
        file.write(pdf_bytes(pages))


def pdf_bytes(pages: Iterator[Image.Image]) -> bytes:
    """The pages as a PDF 1.4, written by hand: a page is one picture, and nothing differs from one day to another."""
    objects: list[bytes] = [b"", b""]
    kids: list[int] = []
    for page in pages:
        packed = io.BytesIO()
        page.save(packed, "JPEG", quality=JPEG_QUALITY, dpi=(DPI, DPI), subsampling=0)
        width, height = (side * 72 / DPI for side in page.size)
        draw = b"q %.2f 0 0 %.2f 0 0 cm /P Do Q" % (width, height)
        first = len(objects) + 1
        objects += [
            b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 "
            b"/Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream"
            % (*page.size, len(packed.getvalue()), packed.getvalue()),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents %d 0 R /Resources "
            b"<< /XObject << /P %d 0 R >> >> >>" % (width, height, first + 1, first),
        ]
        kids.append(first + 2)
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def _page(
    entries: Sequence[Entry], painter: Painter, size: Size, title: str, foot: str, mark: str, whole: Sequence[Entry]
) -> Image.Image:
    page = Image.new("RGB", size, (255, 255, 255))
    room = size[0] - 2 * MARGIN
    write(page, title, (MARGIN, MARGIN + 40), 64, _INK, weight=20, anchor="start", room=room * 2 // 3)
    write(page, mark, (size[0] - MARGIN, MARGIN + 40), 34, _QUIET, anchor="end", room=room // 3)
    top = MARGIN + _HEAD - 60
    if whole:
        write(page, "difficulty", (MARGIN, top + 14), 26, _QUIET, weight=16, anchor="start")
        strip = Image.new("RGB", (room // 2, _CURVE // 2 - 24), (255, 255, 255))
        curve(strip, whole, (4, 4, strip.width - 4, strip.height - 2), _INK)
        page.paste(strip.resize((room, strip.height * 2), Image.Resampling.LANCZOS), (MARGIN, top + 34))
        top += _CURVE
    down = DOWN - (1 if whole else 0)
    cell = ((room - (ACROSS - 1) * _GAP) // ACROSS,
            (size[1] - MARGIN - _FOOT - top - (down - 1) * _GAP) // down)  # fmt: skip
    for place, entry in enumerate(entries):
        x = MARGIN + place % ACROSS * (cell[0] + _GAP)
        y = top + place // ACROSS * (cell[1] + _GAP)
        _card(page, entry, painter, (x, y, x + cell[0], y + cell[1]))
    write(page, foot, (MARGIN, size[1] - MARGIN), 26, _QUIET, weight=16, anchor="start", room=room)
    return page


def _card(page: Image.Image, entry: Entry, painter: Painter, box: Box) -> None:
    left, top, right, bottom = box
    size = (right - left, bottom - top)
    page.paste(_LINE, (left, top), rounded(size, 28))
    page.paste(_CARD, (left + 3, top + 3), rounded((size[0] - 6, size[1] - 6), 26))
    position = position_of(entry.state)
    write(page, str(entry.level), (left + 34, top + 58), 50, _INK, weight=20, anchor="start", room=200)
    tiles, layers = position.remaining.bit_count(), position.deal.board.layout.layers
    facts = f"{counted(tiles, 'tile')} · {counted(layers, 'layer')}"
    write(page, facts, (right - 34, top + 44), 24, _INK, anchor="end", room=size[0] - 250)
    made = entry.note or " ".join(entry.templates)
    write(page, made, (right - 34, top + 84), 20, _QUIET, anchor="end", room=size[0] - 250)
    base = bottom - 96
    if entry.rating is not None:
        gauge(page, entry, (left + 34, base - 40, right - 150, base - 24), _INK)
        write(page, str(entry.rating), (right - 34, base - 32), 24, _INK, anchor="end")
        base -= 52
    painter.board(page, position, (left + 30, top + 120, right - 30, base - 16))
    pen = ImageDraw.Draw(page)
    x = left + 34
    for word in ("keep", "redo"):
        pen.rectangle((x, bottom - 70, x + 34, bottom - 36), outline=_QUIET, width=3)
        x += 50 + write(page, word, (x + 48, bottom - 53), 22, _QUIET, anchor="start") + 34
    pen.line((x, bottom - 34, right - 34, bottom - 34), fill=_LINE, width=3)
