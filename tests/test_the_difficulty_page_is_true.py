"""`docs/difficulty.md` says what the panel is, and its pictures show the number of today."""

from __future__ import annotations

import importlib.util
from math import sqrt
from pathlib import Path

import pytest

from levelgen.rate.panel import ABOVE, BELOW, KNOWN, MOST, PANEL, ROUND, Seat
from levelgen.rate.proofs import SAMPLES
from tests.conftest import Golden

ROOT = Path(__file__).resolve().parent.parent
PAGE = " ".join((ROOT / "docs" / "difficulty.md").read_text(encoding="utf-8").split())
WORDS = {4: "four", 6: "six", 8: "eight", 100: "a hundred"}


@pytest.mark.parametrize("seat", PANEL, ids=lambda seat: seat.name)
def test_the_page_names_the_player(seat: Seat) -> None:
    games = f"until {seat.full:,} tiles are taken" if seat.full else "until the number is known"
    assert f"| `{seat.name}` | {seat.bot} | {seat.mistakes} | {games} | " in PAGE
    if seat.spans:
        weights = " | ".join(", ".join(map(str, seat.spans[group])) for group in (2, 3))
        assert f"| `{seat.name}` | {weights} |" in PAGE
        cheap = PAGE.partition(f"| `{seat.name}` | {seat.bot} | {seat.mistakes} | {games} | ")[2]
        assert f"{seat.cheap:,}" in cheap.partition(" |")[0]


def test_the_page_says_when_the_number_is_known() -> None:
    assert f"is below {KNOWN / 100:g} points squared: a standard error of {sqrt(KNOWN / 100):.1f} points" in PAGE
    assert f"play {WORDS[ROUND]} games each" in PAGE
    assert f"up to {MOST:,} each" in PAGE
    assert f"from {WORDS[BELOW]} slots fewer to {WORDS[ABOVE]} more" in PAGE
    assert f"of {WORDS[SAMPLES]} positions" in PAGE


def test_the_pictures_show_the_number_of_today(golden: Golden, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.spec_from_file_location("pictures_of_difficulty", ROOT / "docs/pictures/difficulty.py")
    assert found is not None
    assert found.loader is not None
    drawer = importlib.util.module_from_spec(found)
    found.loader.exec_module(drawer)
    monkeypatch.setattr(drawer, "OUT", tmp_path)
    drawer.main()
    folder = ROOT / "docs" / "pictures" / "difficulty"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in folder.iterdir())
    for path in sorted(tmp_path.iterdir()):
        golden(f"../docs/pictures/difficulty/{path.name}", path.read_text(encoding="utf-8"))
