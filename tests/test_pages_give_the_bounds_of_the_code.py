"""The numbers that docs/ promises to whoever writes a client are those of the code, in Python and in JavaScript."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from levelgen import batch, daily, layout, moves, tools
from levelgen.evidence import MAX_DATA
from levelgen.pack import manifest, records, release, signers, signing, strict, trust, words
from levelgen.rate import guests, panel

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("formats", "packs", "trust", "difficulty")
}
POWERS = {20: "2²⁰", 21: "2²¹", 40: "2⁴⁰", 53: "2⁵³"}

PROMISES = (
    ("formats", f"nesting beyond {strict.MAX_DEPTH}, and a line beyond {POWERS[20]} bytes", strict.MAX_LINE, 1 << 20),
    ("formats", f"magnitude below {POWERS[53]}", strict.MAX_INTEGER + 1, 1 << 53),
    ("formats", "manifests and envelopes 8 MiB", signing.MAX_ENVELOPE, 8 << 20),
    ("formats", f"no leading zeros and are below {layout.MAX_TILES}", layout.MAX_TILES, 4096),
    ("formats", f"has at most {POWERS[20]} bytes and {moves.MAX_MOVES:,} moves", moves.MAX_LOG_BYTES, 1 << 20),
    ("formats", f"nested {moves.MAX_DEPTH} deep at most", moves.MAX_DEPTH, strict.MAX_DEPTH),
    ("formats", f"longer ones than {POWERS[21]} bytes", batch.MAX_LINE, 1 << 21),
    ("formats", f"at most {layout.MAX_TILES}, coordinates 0 to {layout.MAX_COORDINATE}", layout.MAX_TILES, 4096),
    ("formats", f"1 to {records.MAX_LEVEL:,}; 0 or more; 1 or more", records.MAX_LEVEL, 999_999_999),
    ("formats", f"lists of 1 to {layout.MAX_TILES}, 0 to {words.MAX_TEMPLATES} names", words.MAX_TEMPLATES, 64),
    ("formats", f"at most {words.MAX_FIGURES} names `{words.FIGURE.pattern}`", words.MAX_FIGURES, 256),
    ("formats", f"null or 0 to {tools.MAX_COUNT:,}", tools.MAX_COUNT, 1_000_000),
    ("formats", f"At most {signing.MAX_SIGNATURES} signatures", signing.MAX_SIGNATURES, 16),
    ("formats", f"1 to {records.MAX_LEVEL:,}; 1 to {manifest.MAX_LEVELS:,}", manifest.MAX_LEVELS, 10_000_000),
    ("formats", f"`every` 1 to {tools.MAX_EVERY:,}", tools.MAX_EVERY, records.MAX_LEVEL),
    ("formats", f"a size up to {POWERS[40]}", manifest.MAX_FILE, 1 << 40),
    ("formats", "at most 1 MiB of payload", trust.MAX_TRUST, release.MAX_RELEASE),
    ("formats", f"in UTC, up to {trust.MAX_TIME:,}", trust.MAX_TIME, 253_402_300_799),
    ("formats", f"a pack id; 1 to {trust.MAX_VERSION:,}", trust.MAX_VERSION, 1_000_000),
    ("formats", f"such a list of at most {trust.MAX_REVOKED} ", trust.MAX_REVOKED, 4096),
    ("formats", f"such a list of at most {signing.MAX_KEYS} ", signing.MAX_KEYS, 64),
    ("formats", f"1 to {trust.MAX_THRESHOLD}, and no more than there are keys", trust.MAX_THRESHOLD, 8),
    ("formats", f"in the order of its names, at most {release.MAX_PACKS}.", release.MAX_PACKS, 4096),
    ("packs", "Evidence has at most 64 KiB", MAX_DATA, 64 << 10),
    ("difficulty", f"games of {guests.BUDGET:,} tiles together, {panel.MOST:,} games at most", panel.MOST, 5_000),
    ("trust", "within two minutes", signers.COMMAND_SECONDS, 120),
)


@pytest.mark.parametrize(("page", "promise", "is_there", "is_meant"), PROMISES, ids=[one[1] for one in PROMISES])
def test_a_page_promises(page: str, promise: str, is_there: int, is_meant: int) -> None:
    assert promise in PAGES[page]
    assert is_there == is_meant


def test_the_page_says_how_big_the_vectors_are() -> None:
    size = sum(path.stat().st_size for path in (ROOT / "tests" / "vectors").glob("*.json"))
    assert f"({size / 1e6:.1f} MB, to be vendored)" in PAGES["formats"]


def test_the_two_languages_have_the_same_bounds() -> None:
    script = (ROOT / "levelgen" / "clients" / "levelgen.mjs").read_text(encoding="utf-8")
    found = {
        name: int(number) << int(shift or 0)
        for name, number, shift in re.findall(r"^(?:export )?const (MAX_\w+) = ([\d_]+)(?: << (\d+))?;", script, re.M)
    }
    ours: dict[str, int] = {"MAX_TRUST_VERSION": trust.MAX_VERSION}
    for module in (daily, layout, moves, manifest, records, release, signing, strict, tools, trust, words):
        ours |= {name: value for name, value in vars(module).items() if name in found and isinstance(value, int)}
    assert len(found) >= 15
    assert {name: ours[name] for name in found} == found
