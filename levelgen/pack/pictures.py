"""Pictures beside a pack: whether a PNG is one of ours, and shows the pixels that are signed."""

from __future__ import annotations

import importlib.util
import struct
import zlib
from collections.abc import Iterator

from levelgen.errors import Finding
from levelgen.pack.manifest import Preview
from levelgen.pixels import pixel_digest

MAX_PNG = 64 << 20


def can_compare() -> bool:
    """Whether pictures can be decoded here; servers have no Pillow."""
    return importlib.util.find_spec("PIL") is not None


def picture_findings(png: bytes, preview: Preview, name: str) -> Iterator[Finding]:
    """What is wrong with a picture: its structure, its size, or pixels that are not the signed ones."""
    problem = png_problem(png, (preview.width, preview.height))
    if problem:
        yield Finding("preview/png", problem, name)
        return
    import io

    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            image.load()
            mode, size, raw = image.mode, image.size, image.tobytes()
            shown = pixel_digest(mode, size, raw)
    except Exception as error:  # a decoder may raise anything on damaged bytes
        yield Finding("preview/png", f"cannot be decoded: {type(error).__name__}", name)
        return
    if shown != preview.sha256 or mode != preview.mode:
        yield Finding("preview/pixels", "does not show the signed pixels", name, "build the previews again")


def png_problem(png: bytes, size: tuple[int, int]) -> str:
    """What is wrong with the structure of a PNG, decoded or not; empty when nothing is.

    Only IHDR, IDAT and IEND are allowed, each with its CRC, nothing behind them: other chunks change how a picture
    looks without changing its pixels. Its size is compared before anything is inflated.
    """
    if len(png) > MAX_PNG:
        return f"has more than {MAX_PNG} bytes"
    if not png.startswith(b"\x89PNG\r\n\x1a\n"):
        return "is no PNG"
    place, last = 8, b""
    while last != b"IEND":
        if place + 12 > len(png):
            return "is cut short"
        length, kind = struct.unpack_from(">I4s", png, place)
        end = place + 12 + length
        if end > len(png):
            return "is cut short"
        if kind not in ((b"IHDR",) if not last else (b"IDAT", b"IEND")):
            return f"holds a chunk {kind!r} that a preview does not have"
        if zlib.crc32(png[place + 4 : end - 4]) != struct.unpack_from(">I", png, end - 4)[0]:
            return f"a chunk {kind.decode()} is damaged"
        if kind == b"IHDR" and (length != 13 or struct.unpack_from(">II", png, place + 8) != size):
            return "is not of the signed size"
        place, last = end, kind
    return "" if place == len(png) else "is followed by something"
