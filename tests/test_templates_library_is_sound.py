"""Every template that ships is valid, composes whatever the seed, and can be dealt."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.board import Board
from levelgen.deal import Stuck, deal_faces
from levelgen.layout import Layout, violations
from levelgen.recipe import lint
from levelgen.rules import RULESETS
from levelgen.template import PHONE, compose, compose_level, parts, read_library, trials

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
def test_a_template_has_the_tags_that_measuring_it_gives(name: str) -> None:
    """As `docs/templates.md` says what they mean."""
    template = LIBRARY[name]
    assert template.title
    layouts = [compose(template, LIBRARY, seed, arguments) for seed, arguments in trials(template, LIBRARY)]
    size = sum(LIBRARY.sizes(name))
    tags = set(template.tags)
    assert tags & {"small", "medium", "large"} == {"small" if size < 60 else "medium" if size < 166 else "large"}
    images = [kind for kind in ("mirror", "turn") if all(is_own_image(layout, kind) for layout in layouts)]
    symmetry = "symmetric" if "mirror" in images else "rotational" if images else "asymmetric"
    assert tags & {"symmetric", "rotational", "asymmetric"} == {symmetry}
    assert tags & {"airy", "dense"} == {"dense" if min(map(closeness, layouts)) >= 85 else "airy"}


def is_own_image(layout: Layout, kind: str) -> bool:
    left, top, right, bottom = layout.bounds()
    slots = {tuple(slot) for slot in layout.slots}
    across = {(left + right - 2 - x, y, z) for x, y, z in slots}
    down = {(x, top + bottom - 2 - y, z) for x, y, z in slots}
    turned = {(left + right - 2 - x, top + bottom - 2 - y, z) for x, y, z in slots}
    return slots == turned if kind == "turn" else slots in (across, down)


def closeness(layout: Layout) -> int:
    """Percent covered of what lies between the first and the last tile, of all rows or of all columns: the less."""
    cells = {(x + i, y + j) for x, y, _ in layout.slots for i in (0, 1) for j in (0, 1)}
    shares = []
    for axis in (0, 1):
        lines: dict[int, list[int]] = {}
        for cell in cells:
            lines.setdefault(cell[1 - axis], []).append(cell[axis])
        shares.append(100 * len(cells) // sum(max(line) - min(line) + 1 for line in lines.values()))
    return min(shares)


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
