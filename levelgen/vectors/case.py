"""What every case is made with: its bytes spelt, the codes it is refused with, the seed of all that is drawn."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from levelgen.errors import LevelgenError

SEED = "levelgen-vectors-1"
Case = dict[str, Any]


def codes_of(work: Callable[[], object]) -> list[str]:
    """The codes of the findings with which `work` is refused; empty when it is not."""
    try:
        work()
    except LevelgenError as error:
        return [finding.code for finding in error.findings]
    return []


def spelled_input(*pieces: bytes | tuple[bytes, int]) -> tuple[bytes, Case]:
    """Bytes, some pieces repeated so many times, and how a case spells them."""
    parts = [(piece, 1) if isinstance(piece, bytes) else piece for piece in pieces]
    data = b"".join(piece * times for piece, times in parts)
    if len(parts) > 1 or parts[0][1] > 1:
        return data, {"repeat": [[piece.decode("ascii"), times] for piece, times in parts]}
    return data, {"text": data.decode()} if data.isascii() else {"base64": base64.b64encode(data).decode()}
