"""A layout that cannot be dealt says why, tile by tile; one that just fits has nothing to say."""

from __future__ import annotations

import pytest

from levelgen.layout import MAX_COORDINATE, Canvas, Layout, likeness, parse, violations

STEP = parse("aabb..\naabb..\n..cc..\n..cc..\n-- 1\n.dd\n.dd\n")[0]
"""Four half-tiles wide, four high, two layers."""


def codes(layout: Layout, canvas: Canvas | None = None, group: int = 1) -> list[str]:
    return [finding.code for finding in violations(layout, canvas=canvas, group=group)]


def test_a_layout_may_fill_its_canvas() -> None:
    assert codes(STEP, Canvas(4, 4, 2), 4) == []


@pytest.mark.parametrize(
    ("canvas", "tiles"), [(Canvas(3, 4, 2), [1, 2]), (Canvas(4, 3, 2), [2]), (Canvas(4, 4, 1), [3])]
)
def test_a_tile_off_the_canvas_on_any_side_is_named(canvas: Canvas, tiles: list[int]) -> None:
    found = violations(STEP, canvas=canvas)
    assert {finding.code for finding in found} == {"layout/off-canvas"}
    assert [int(finding.where.split()[1]) for finding in found] == tiles


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_coordinates_have_bounds_without_a_canvas_too(axis: int) -> None:
    def at(number: int) -> list[str]:
        slot = [0, 0, 0]
        slot[axis] = number
        under = [(0, 0, number - 1)] if axis == 2 and number > 0 else []
        return [code for code in codes(Layout.of([(slot[0], slot[1], slot[2]), *under])) if code == "layout/off-canvas"]

    assert at(MAX_COORDINATE) == at(0) == []
    assert at(MAX_COORDINATE + 1) == at(-1) == ["layout/off-canvas"]


def test_a_tile_needs_support_on_the_layer_right_below() -> None:
    assert codes(parse("aa\naa\n-- 1\n.bb\n.bb")[0]) == []
    assert codes(parse("aa\naa\n-- 1\n..bb\n..bb")[0]) == ["layout/unsupported"]
    assert codes(parse("aa\naa\n-- 2\nbb\nbb")[0]) == ["layout/unsupported"]
    assert codes(parse("-- 1\naa\naa")[0]) == ["layout/unsupported"]


def test_overlapping_tiles_are_named_once_a_pair_and_touching_ones_not() -> None:
    assert codes(Layout.of([(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0)])) == []
    found = violations(Layout.of([(0, 0, 0), (1, 1, 0), (2, 0, 0)]))
    assert [(finding.code, finding.where) for finding in found] == [
        ("layout/overlap", "tile 0 at (0, 0, 0)"),
        ("layout/overlap", "tile 1 at (2, 0, 0)"),
    ]
    assert codes(Layout.of([(0, 0, 0), (0, 0, 0)])) == ["layout/overlap"]


def test_a_count_the_group_does_not_divide_and_no_tile_at_all_are_reported() -> None:
    assert codes(STEP, group=2) == []
    assert codes(STEP, group=3) == codes(Layout(())) == ["layout/odd-count"]


def test_likeness_is_rounded_down_and_found_in_each_mirror_image_and_place() -> None:
    row = parse("aabbccddeeff\naabbccddeeff")[0]
    assert likeness(row, parse("aa\naa")[0]) == 16
    bend = parse("aabbcc\naabbcc\ndd....\ndd....\nee....\nee....")[0]
    for image in (
        "aabbcc\naabbcc\n....dd\n....dd\n....ee\n....ee",
        "dd....\ndd....\nee....\nee....\naabbcc\naabbcc",
        "....dd\n....dd\n....ee\n....ee\naabbcc\naabbcc",
    ):
        assert likeness(bend, parse(image)[0]) == 100
    tee = parse("..aa..\n..aa..\nbbccdd\nbbccdd")[0]
    assert likeness(tee, parse("aa\naa\nbb\nbb")[0]) == 50
    side = parse("bb..\nbb..\nccaa\nccaa\ndd..\ndd..")[0]
    assert likeness(side, parse("aabb\naabb")[0]) == 50
