"""A picture in the terminal: each character is two pixels, one above the other, in 24-bit colour.

    print(blocks(picture, columns=60, lines=40))

The picture is reduced once; nothing but `▀` and colours is written, each line ends with the colours off.
"""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

RESET = "\x1b[0m"
GAP = 2
"""Columns between pictures that stand side by side."""


def blocks(picture: Image.Image, columns: int, lines: int) -> str:
    """`picture` as large as `columns` and `lines` allow, its shape kept; every line ended by a line feed."""
    return "".join(line + "\n" for line in _lines(picture, columns, lines))


def beside(pictures: Sequence[Image.Image], columns: int, lines: int) -> str:
    """Pictures side by side, all in one scale."""
    across = (columns - GAP * (len(pictures) - 1)) // max(1, len(pictures))
    drawn = [_lines(picture, across, lines) for picture in pictures]
    rows = max(map(len, drawn), default=0)
    widths = [_fitted(picture, across, lines)[0] for picture in pictures]
    padded = [[*some, *[" " * width] * (rows - len(some))] for some, width in zip(drawn, widths, strict=True)]
    return "".join((" " * GAP).join(row) + "\n" for row in zip(*padded, strict=True))


def _fitted(picture: Image.Image, columns: int, lines: int) -> tuple[int, int]:
    """Columns and lines that a picture takes."""
    width = max(1, min(columns, 2 * lines * picture.width // picture.height))
    return width, max(1, (width * picture.height // picture.width + 1) // 2)


def _lines(picture: Image.Image, columns: int, lines: int) -> list[str]:
    width, rows = _fitted(picture, columns, lines)
    small = picture.convert("RGB").resize((width, 2 * rows), Image.Resampling.LANCZOS)
    raw = small.tobytes()
    found = []
    for row in range(rows):
        line, style = "", ""
        for x in range(width):
            upper, lower = (raw[3 * ((2 * row + half) * width + x) :][:3] for half in (0, 1))
            wanted = f"\x1b[38;2;{upper[0]};{upper[1]};{upper[2]};48;2;{lower[0]};{lower[1]};{lower[2]}m"
            line += "▀" if wanted == style else wanted + "▀"
            style = wanted
        found.append(line + RESET)
    return found
