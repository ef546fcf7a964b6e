"""Streams are the same in every language and for ever: `tests/vectors/streams.json` holds the known answers.

The answers come from a second implementation below, written from the formula in `docs/formats.md` alone.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.seed import Stream
from tests.conftest import Golden

VECTORS = Path(__file__).with_name("vectors") / "streams.json"

NAMES = [
    ("", ""),
    ("demo", "layout"),
    ("demo", "deal/3"),
    ("demo", "face-down"),
    ("demolayout", ""),  # not the stream of ("demo", "layout"): the seed's length is hashed too
    ("Kathmandu/2026-11-30/hard", "bots/greedy"),
    ("दशैं 🪁", "ताश"),  # lengths count bytes of UTF-8
    ("s" * 300, "long seeds"),
]
HALF = 2**31 + 1
"""The n that rejects most: nearly every second word."""
LIMITS = [1, 2, 3, 52, 2**32, HALF, HALF, HALF, HALF, 3 * 2**30, 3 * 2**30, 144, 2**32 - 1, 10, 7, 1152]


def words(seed: str, label: str) -> Iterator[int]:
    """The words of a stream, straight from the formula."""
    raw = seed.encode("utf-8")
    prefix = hashlib.sha256(
        b"levelgen-rng-v1" + bytes([0]) + len(raw).to_bytes(4, "big") + raw + label.encode("utf-8")
    ).digest()
    block = 0
    while True:
        digest = hashlib.sha256(prefix + block.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def draw(stream: Iterator[int], n: int) -> tuple[int, int]:
    """The value of `below(n)` and how many words it rejected."""
    rejected = 0
    while (word := next(stream)) >= 2**32 - 2**32 % n:
        rejected += 1
    return word % n, rejected


def shuffled(stream: Iterator[int], size: int) -> list[int]:
    """0 … size − 1, shuffled from the top down."""
    items = list(range(size))
    for i in reversed(range(1, size)):
        j = draw(stream, i + 1)[0]
        items[i], items[j] = items[j], items[i]
    return items


def vector(seed: str, label: str) -> dict[str, Any]:
    """The known answers of one stream; each list starts the stream anew."""
    plain, drawn, mixed = words(seed, label), words(seed, label), words(seed, label)
    return {
        "seed": seed,
        "label": label,
        "words": [next(plain) for _ in range(20)],
        "below": [[n, draw(drawn, n)[0]] for n in LIMITS],
        "shuffle": shuffled(mixed, 16),
    }


def test_the_committed_vectors_are_those_of_the_formula(golden: Golden) -> None:
    lines = ",\n".join(json.dumps(vector(*name), ensure_ascii=True) for name in NAMES)
    golden("vectors/streams.json", f"[\n{lines}\n]\n")


def test_the_vectors_reject_words_at_the_start_within_and_across_blocks() -> None:
    rejections = []
    for name in NAMES:
        stream = words(*name)
        rejections.append([draw(stream, n)[1] for n in LIMITS])
    assert any(max(row) >= 3 for row in rejections)
    assert any(sum(row) >= 8 for row in rejections)
    assert all(sum(row) >= 1 for row in rejections)


@pytest.mark.parametrize("place", range(len(NAMES)))
def test_a_stream_gives_its_known_answers(place: int) -> None:
    known = json.loads(VECTORS.read_bytes())[place]
    plain, drawn, mixed = (Stream(known["seed"], known["label"]) for _ in range(3))
    assert [plain.word() for _ in known["words"]] == known["words"]
    assert [[n, drawn.below(n)] for n, _ in known["below"]] == known["below"]
    items = list(range(len(known["shuffle"])))
    mixed.shuffle(items)
    assert items == known["shuffle"]


@given(st.text(max_size=20), st.text(max_size=20), st.lists(st.integers(1, 2**32), max_size=30))
def test_any_stream_agrees_with_the_formula(seed: str, label: str, limits: list[int]) -> None:
    ours, plain = Stream(seed, label), words(seed, label)
    assert [ours.below(n) for n in limits] == [draw(plain, n)[0] for n in limits]


def test_between_and_choice_take_one_draw_each() -> None:
    ours, plain = Stream("demo", "draws"), words("demo", "draws")
    assert [ours.between(-3, 3) for _ in range(50)] == [draw(plain, 7)[0] - 3 for _ in range(50)]
    assert [ours.choice("abc") for _ in range(50)] == ["abc"[draw(plain, 3)[0]] for _ in range(50)]


@pytest.mark.parametrize("n", [0, -1, 2**32 + 1])
def test_a_limit_out_of_range_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="1 … 2"):
        Stream("demo", "").below(n)


def test_javascript_gives_the_known_answers() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    done = subprocess.run([node, str(VECTORS.with_suffix(".mjs"))], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{3 * len(NAMES)} checked\n")
