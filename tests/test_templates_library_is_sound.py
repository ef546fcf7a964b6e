"""Every template that ships is valid, composes whatever the seed, and can be dealt."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.board import Board
from levelgen.deal import Stuck, deal_faces
from levelgen.layout import violations
from levelgen.recipe import lint
from levelgen.rules import RULESETS
from levelgen.template import PHONE, compose, compose_level, parts, read_library

ROOT = Path(__file__).parent.parent
LIBRARY = read_library(ROOT / "templates" / "shapes")


def test_lint_finds_nothing_in_what_ships() -> None:
    assert lint([ROOT / "templates"]) == ()


def test_there_are_many_templates_of_every_size() -> None:
    spans = [LIBRARY.sizes(name) for name in LIBRARY]
    sizes = [high for _, high in spans if 12 <= high <= 180]
    assert len(sizes) >= 60
    assert min(sizes) == 12
    assert max(sizes) == 180
    for low in range(12, 180, 24):
        assert any(low <= size < low + 24 for size in sizes), f"none of {low} … {low + 23} tiles"


@pytest.mark.parametrize("name", LIBRARY)
def test_a_template_composes_whatever_the_seed(name: str) -> None:
    template = LIBRARY[name]
    for seed in range(12):
        layout = compose(template, LIBRARY, str(seed))
        assert {finding.code for finding in violations(layout, canvas=template.canvas)} <= {"layout/odd-count"}
        assert compose(template, LIBRARY, str(seed)) == layout


@pytest.mark.parametrize("name", LIBRARY)
def test_a_template_has_a_title_tags_and_a_size_word(name: str) -> None:
    template = LIBRARY[name]
    assert template.title
    assert set(template.tags) & {"small", "medium", "large", "heap"}
    assert set(template.tags) & {"symmetric", "asymmetric", "rotational"}
    assert set(template.tags) & {"airy", "dense"}


@pytest.mark.parametrize("name", [name for name, template in LIBRARY.items() if "symmetric" in template.tags])
def test_a_template_that_says_symmetric_is_its_own_mirror_image(name: str) -> None:
    layout = compose(LIBRARY[name], LIBRARY, "3")
    left, top, right, bottom = layout.bounds()
    slots = set(layout.slots)
    across = {(left + right - 2 - x, y, z) for x, y, z in slots}
    down = {(x, top + bottom - 2 - y, z) for x, y, z in slots}
    assert slots in (across, down)


@pytest.mark.parametrize("name", LIBRARY)
def test_a_template_can_be_dealt_under_the_strictest_blocking(name: str) -> None:
    whole = compose(LIBRARY[name], LIBRARY, "1")
    layout = compose_level(parts(name), LIBRARY, PHONE, len(whole) // 2 * 2, 2, "1")
    board = Board.compile(layout, RULESETS["pairs"])
    for attempt in range(8):
        try:
            deal_faces(board, ("AR1_001",), "library", attempt=attempt)
        except Stuck:
            continue
        return
    pytest.fail(f"{name} was not dealt in 8 attempts")
