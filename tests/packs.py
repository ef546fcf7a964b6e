"""Tiny packs for tests, made from the law: a few levels of either game, certified, signed with a key of their own."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from levelgen.board import Board
from levelgen.certificate import Certificate, certify
from levelgen.deal import deal_faces
from levelgen.layout import Layout, parse
from levelgen.pack.manifest import FaceSetMark, Heading, Manifest, Preview
from levelgen.pack.records import Record, bind
from levelgen.pack.signing import KeySigner, TrustRoot
from levelgen.pack.write import write_pack
from levelgen.rules import RULESETS

ROWS = parse(
    """\
aabbccddee
aabbccddee
-- 1
.aabb
.aabb
"""
)[0]
"""Seven tiles; tests add one or take one as the group needs."""


def layout_for(ruleset: str) -> Layout:
    """Eight tiles for pairs, nine for triples; wider than high."""
    extra = [(10, 0, 0)] if ruleset == "pairs" else [(10, 0, 0), (12, 0, 0)]
    return Layout.of([*ROWS.slots, *extra])


def signer(name: str = "test") -> KeySigner:
    """The key of that name; the same in every run."""
    return KeySigner(Ed25519PrivateKey.from_private_bytes(sha256(name.encode()).digest()))


SIGNER = signer()
TRUST = TrustRoot.of([SIGNER.public])


def heading(ruleset: str = "pairs", **changes: Any) -> Heading:
    """What the recipe of a tiny pack says."""
    mark = FaceSetMark("demo", "ab" * 32, True)
    return replace(Heading("tiny", "Tiny pack", 1, None, 1, RULESETS[ruleset], mark), **changes)


def make_level(number: int, ruleset: str = "pairs", seed: str = "s", pack: str = "tiny") -> tuple[Record, Certificate]:
    """A certified level with its record."""
    rules = RULESETS[ruleset]
    board = Board.compile(layout_for(ruleset), rules)
    hidden = 1 if ruleset == "pairs" else 0
    dealt = deal_faces(board, ("sun", "moon", "kite"), f"{seed}/{number}", face_down=hidden)
    certificate = certify(dealt.deal, dealt.solution, pack, number)
    record = Record(
        pack, number, rules, board.layout.slots, "demo", dealt.deal.faces, dealt.deal.face_down, ("rows",),
        f"{seed}/{number}", 0, 1, {"rank": number, "branching": 3}, {"undo": 2, "hint": None, "shuffle": 0}, "cd" * 32,
    )  # fmt: skip
    return bind(record, certificate), certificate


Levels = list[tuple[Record, Certificate]]


def make_levels(count: int, ruleset: str = "pairs", seed: str = "s", first: int = 1) -> Levels:
    """Levels `first`, `first + 1`, …"""
    return [make_level(number, ruleset, seed) for number in range(first, first + count)]


def make_png(width: int, height: int, raw: bytes) -> bytes:
    """An RGB picture as PNG."""
    rows = b"".join(b"\0" + raw[y * width * 3 : (y + 1) * width * 3] for y in range(height))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            (b"IDAT", zlib.compress(rows)),
            (b"IEND", b""),
        )
    )


def make_pictures(count: int, shade: int = 0) -> Iterator[tuple[Preview, bytes]]:
    """A picture of 3 × 2 pixels for each level."""
    for number in range(1, count + 1):
        raw = bytes((number + place + shade) % 256 for place in range(18))
        yield Preview.of("tiny", number, "RGB", (3, 2), raw), make_png(3, 2, raw)


def write_tiny(directory: Path, count: int = 3, ruleset: str = "pairs", seed: str = "s", **options: Any) -> Manifest:
    """A signed pack of so many levels with pictures and one piece of evidence."""
    options.setdefault("previews", make_pictures(count))
    options.setdefault("evidence", {"level-1.json": b'{"v":1}'})
    changes = options.pop("heading", {})
    signers = options.pop("signers", [SIGNER])
    return write_pack(directory, heading(ruleset, **changes), make_levels(count, ruleset, seed), signers, **options)
