"""Every shape a template can name stands in one table, and the schema that editors read says the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen import shapes
from levelgen.document import load
from levelgen.layout import Layout, draw, violations
from levelgen.shapes import SHAPES, on_oval, with_shapes, with_table
from levelgen.template import parse_template

SCHEMA = Path(shapes.__file__).parent / "schemas" / "template.schema.json"


def picture(name: str, **arguments: int) -> str:
    """The shape drawn, one character a half-tile, without the doubled rows of tiles in step."""
    return draw(Layout.of(SHAPES[name].slots(**arguments)))


def test_the_schema_says_what_the_table_says() -> None:
    text = SCHEMA.read_text(encoding="utf-8")
    fresh = json.dumps(with_shapes(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
    assert text == fresh, "the table changed: run `python -m levelgen.shapes` if that was meant"


def test_the_page_on_templates_says_what_the_table_says() -> None:
    page = (Path(__file__).parent.parent / "docs" / "templates.md").read_text(encoding="utf-8")
    assert page == with_table(page), "the table changed: run `python -m levelgen.shapes` if that was meant"


def test_the_example_on_the_page_is_a_valid_template() -> None:
    page = (Path(__file__).parent.parent / "docs" / "templates.md").read_text(encoding="utf-8")
    example = page.partition("```yaml\n")[2].partition("```")[0]
    assert parse_template(load(example, "courtyard.yaml", "template"), "courtyard").pieces


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_begins_at_its_corner_and_overlaps_nothing(name: str) -> None:
    layout = Layout.of(SHAPES[name].slots())
    assert len(layout)
    assert layout.bounds()[:2] == (0, 0)
    assert {finding.code for finding in violations(layout)} <= {"layout/odd-count"}


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(sorted(SHAPES)))
def test_whatever_numbers_within_the_bounds_a_shape_is_free_of_overlap(data: st.DataObject, name: str) -> None:
    arguments = {
        key: data.draw(st.integers(bound.low, min(bound.high, 9)), label=key)
        for key, bound in SHAPES[name].parameters.items()
    }
    layout = Layout.of(SHAPES[name].slots(**arguments))
    assert {finding.code for finding in violations(layout)} <= {"layout/odd-count"}


@pytest.mark.parametrize("name", SHAPES)
def test_every_parameter_has_bounds_a_default_within_them_and_a_word_of_help(name: str) -> None:
    assert SHAPES[name].doc
    for parameter in SHAPES[name].parameters.values():
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.doc
        assert parameter.unit


def test_an_argument_out_of_bounds_or_unknown_is_refused() -> None:
    with pytest.raises(ValueError, match="`columns` is 0"):
        SHAPES["grid"].slots(columns=0)
    with pytest.raises(ValueError, match="no parameter `colums`"):
        SHAPES["grid"].slots(colums=3)


def test_shapes_look_as_their_names_say() -> None:
    assert (
        picture("frame", columns=4, rows=3)
        == """\
-- 0
########
########
##....##
##....##
########
########
"""
    )
    assert (
        picture("diamond", size=2, middle=2)
        == """\
-- 0
.##
.##
####
####
####
####
.##
.##
"""
    )
    assert (
        picture("cross", arm=1, width=1, rise=2)
        == """\
-- 0
..##
..##
..##
..##
######
######
..##
..##
..##
..##
"""
    )
    assert (
        picture("stairs", steps=3, width=2, rise=1)
        == """\
-- 0
####
####
.####
.####
..####
..####
"""
    )
    assert (
        picture("spiral", columns=5, rows=4)
        == """\
-- 0
##########
##########
........##
........##
##......##
##......##
##########
##########
"""
    )
    assert (
        picture("pyramid", columns=3, rows=2, layers=2, step=1)
        == """\
-- 0
######
######
######
######
-- 1
.
.####
.####
.
"""
    )


def test_places_on_an_oval_are_mirror_images_of_one_another() -> None:
    for count in (2, 4, 6, 8, 12):
        spots = {on_oval(count, index, 9, 14) for index in range(count)}
        assert {(-x, y) for x, y in spots} == {(x, -y) for x, y in spots} == spots
    assert on_oval(4, 1, 9, 14) == (9, 0)
