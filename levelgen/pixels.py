"""The digest of a picture's pixels: what a pack signs of a preview.

PNG bytes differ between builds of zlib, pixels do not; so the digest is taken of pixels. This module imports
nothing but the standard library: whoever has decoded a picture by any means can compare.

    digest = SHA-256("levelgen-pixels-v1" ‖ 0x00 ‖ mode ‖ 0x00 ‖ u32be(width) ‖ u32be(height) ‖ raw)

`mode` is ASCII, one of `MODES`; `raw` holds the rows from the top, pixels from the left, one byte a channel in
the order of the letters of `mode`, without padding.
"""

from __future__ import annotations

import struct
from hashlib import sha256

_DOMAIN = b"levelgen-pixels-v1\0"

MODES = {"L": 1, "RGB": 3, "RGBA": 4}
"""Modes that have a digest, and their bytes a pixel."""


def pixel_digest(mode: str, size: tuple[int, int], raw: bytes) -> str:
    """The digest, in lower-case hexadecimal, of a picture given as its mode, (width, height) and raw bytes.

    Raises:
        ValueError: the mode has no digest, or `raw` has not the length that mode and size ask for.
    """
    width, height = size
    if mode not in MODES:
        raise ValueError(f"mode {mode!r} is none of {', '.join(MODES)}")
    if min(width, height) < 1 or len(raw) != width * height * MODES[mode]:
        raise ValueError(f"{len(raw)} bytes are no {width}×{height} picture of mode {mode}")
    head = _DOMAIN + mode.encode("ascii") + b"\0" + struct.pack(">II", width, height)
    return sha256(head + raw).hexdigest()
