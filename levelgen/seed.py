r"""Named deterministic streams: the only source of chance in levelgen.

    prefix  = SHA-256("levelgen-rng-v1\0" ‖ u32be(len(seed)) ‖ seed ‖ label)
    block i = SHA-256(prefix ‖ u64be(i)), read as eight big-endian 32-bit words

A stream is a pure function of (seed, label), so that changing what one label draws leaves every other stream alone.
Only 32-bit arithmetic is used: a client re-implements it in ten lines (`docs/formats.md`, known answers in
`tests/vectors/streams.json`).
"""

from __future__ import annotations

import struct
from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_DOMAIN = b"levelgen-rng-v1\0"
_WORDS = 1 << 32
_BLOCK = struct.Struct(">8I")
_COUNTER = struct.Struct(">Q")


class Stream:
    """A stream of unsigned 32-bit words named by a seed and a label, both text (UTF-8)."""

    __slots__ = ("_block", "_prefix", "_words")

    def __init__(self, seed: str, label: str) -> None:
        raw = seed.encode()
        self._prefix = sha256(_DOMAIN + struct.pack(">I", len(raw)) + raw + label.encode()).digest()
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next word, 0 … 2³² − 1."""
        return (self._words or self._refilled()).pop()

    def _refilled(self) -> list[int]:
        """The words of the next block, the first one last."""
        digest = sha256(self._prefix + _COUNTER.pack(self._block)).digest()
        self._words = [*_BLOCK.unpack(digest)[::-1]]
        self._block += 1
        return self._words

    def below(self, n: int) -> int:
        """A uniform integer in 0 … n − 1, for 1 ≤ n ≤ 2³²; words that would bias it are rejected.

        Raises:
            ValueError: `n` is outside that range.
        """
        if not 1 <= n <= _WORDS:
            raise ValueError(f"below({n}): n must be 1 … 2^32")
        word = (self._words or self._refilled()).pop()
        if word + n > _WORDS:  # only then can it lie beyond the last whole multiple of n
            limit = _WORDS - _WORDS % n
            while word >= limit:
                word = self.word()
        return word % n

    def between(self, low: int, high: int) -> int:
        """A uniform integer in low … high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One of `items`, which must not be empty."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Fisher–Yates in place, from the last place down to the second."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
