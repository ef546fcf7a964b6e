"""A drawing that is written reads back as the same layout; what could not be read back is refused, not drawn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.errors import Malformed
from levelgen.layout import Layout, draw, parse
from levelgen.seed import Stream
from tests.boards import heap

MARKS = st.characters().filter(lambda mark: mark.isprintable() and not mark.isspace() and mark not in "-.")


@given(st.integers(0, 10**6), st.dictionaries(st.integers(0, 8), MARKS))
def test_what_is_drawn_reads_back_with_its_marks(seed: int, marks: dict[int, str]) -> None:
    layout = heap(Stream(str(seed), "drawings"), 9, 10, 7)
    assert parse(draw(layout, marks)) == (layout, {tile: marks.get(tile, "#") for tile in range(9)})


def test_an_empty_layout_reads_back_as_one() -> None:
    assert parse(draw(Layout(()))) == (Layout(()), {})


@pytest.mark.parametrize("mark", ["-", ".", " ", "", "ab", "\n", "\t", "\u2028", "\x1c", "\u00a0"])
def test_a_mark_that_would_not_read_back_is_refused(mark: str) -> None:
    with pytest.raises(ValueError, match="cannot mark a tile"):
        draw(parse("aa\naa")[0], {0: mark})


@pytest.mark.parametrize("slot", [(-1, 0, 0), (0, -2, 0), (0, 0, -1)])
def test_a_tile_at_a_negative_coordinate_is_not_drawn(slot: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="negative coordinate"):
        draw(Layout.of([slot, (4, 0, 0)]))


@pytest.mark.parametrize("heading", ["-- 3", "--3", "--  3  ", "-- 3\t"])
def test_a_heading_names_the_layer_of_the_rows_below(heading: str) -> None:
    assert {slot.z for slot in parse(f"{heading}\naa\naa")[0]} == {3}


@pytest.mark.parametrize("heading", ["--", "-- ", "-- one", "-- 1 2", "-- -1", "-- 1024", "-- ٣"])
def test_a_heading_without_a_number_is_refused_as_one(heading: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse(f"aa\naa\n{heading}\naa\naa")
    assert [(finding.code, finding.where) for finding in caught.value.findings] == [("drawing/heading", "drawing:3:1")]


def test_a_row_of_hyphens_and_tiles_is_told_that_a_hyphen_marks_no_tile() -> None:
    with pytest.raises(Malformed) as caught:
        parse("--aa\n--aa")
    findings = caught.value.findings
    assert {finding.code for finding in findings} == {"drawing/mark"}
    assert [finding.where for finding in findings] == [
        f"drawing:{line}:{column}" for line in (1, 2) for column in (1, 2)
    ]
    assert "marks no tile" in findings[0].message


def test_a_hyphen_between_tiles_is_reported_where_it_stands() -> None:
    with pytest.raises(Malformed) as caught:
        parse("aa-bb\naa.bb")
    assert [(finding.code, finding.where) for finding in caught.value.findings] == [("drawing/mark", "drawing:1:3")]


def test_a_tile_that_would_lie_over_another_is_no_tile() -> None:
    with pytest.raises(Malformed) as caught:
        parse(".aa\naaa\naa")
    assert ("drawing/broken-tile", "drawing:2:1") in [(one.code, one.where) for one in caught.value.findings]
