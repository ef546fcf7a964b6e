"""A level made of several templates has exactly the tiles asked for: trimmed or padded by one rule, in symmetry."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.layout import Canvas, Layout, draw, parse, violations
from levelgen.template import Library, Part, compose_level, parse_template, parts, read_library

SHIPPED = read_library(Path(__file__).parent.parent / "templates" / "shapes")


def library(**pieces: str) -> Library:
    """Templates of one piece each: `library(base="grid: {columns: 4, rows: 2}")`."""
    texts = {name: f"template: {name}\npieces:\n  - {piece}\n" for name, piece in pieces.items()}
    return Library(parse_template(load(text, f"{name}.yaml", "template")) for name, text in texts.items())


BLOCKS = library(
    base="grid: {columns: 5, rows: 3}", top="grid: {columns: 3, rows: 1}", dot="grid: {columns: 1, rows: 1}",
    bar="grid: {columns: 2, rows: 1}", heap="pyramid: {columns: 4, rows: 4, layers: 3, step: 1}",
)  # fmt: skip
CANVAS = Canvas(14, 10, 4)


def level(*words: str, tiles: int, group: int = 2, canvas: Canvas = CANVAS, layers: int = 0) -> str:
    layout = compose_level(parts(*words), BLOCKS, canvas, tiles, group, "1", margin=0, layers=layers)
    left, top, _, _ = layout.bounds()
    return draw(Layout.of((x - left, y - top, z) for x, y, z in layout))


def picture(text: str) -> str:
    return draw(parse(text)[0])


def rows(*lines: str) -> str:
    """A drawing of whole tiles, one character a tile: `rows("#.#", "-- 1", ".#.")`."""
    doubled = [[line] if line.startswith("--") else ["".join(sign * 2 for sign in line)] * 2 for line in lines]
    return picture("\n".join(line for pair in doubled for line in pair))


def test_a_part_lies_over_the_middle_of_those_before() -> None:
    assert level("base", "top", tiles=18) == rows("#####", "#####", "#####", "-- 1", ".....", ".###.")


def test_parts_stand_beside_one_another_on_the_ground() -> None:
    assert level("top", "bar@left", tiles=5, group=1) == rows("#####")
    assert level("top", "dot@above", tiles=4) == rows(".#.", "###")
    assert level("top", "dot@sides", tiles=5, group=1) == rows("#####")
    assert level("top", "dot@ends", tiles=5, group=1) == rows(".#.", "###", ".#.")


def test_what_finds_nothing_under_it_falls_away() -> None:
    layout = compose_level(parts("dot", "top"), BLOCKS, CANVAS, 2, 1, "1", margin=0)
    assert violations(layout) == ()


def test_trimming_takes_the_outside_of_the_highest_layer_first_in_mirror_pairs() -> None:
    assert level("base", "base", tiles=26) == rows("#####", "#####", "#####", "-- 1", ".###.", "#####", ".###.")
    assert level("base", "base", tiles=24) == rows("#####", "#####", "#####", "-- 1", ".###.", ".###.", ".###.")


def test_every_layer_keeps_a_few_tiles_while_there_are_others_to_trim() -> None:
    assert level("base", "top", tiles=14).count("-- 1") == 1


def test_an_odd_excess_takes_a_tile_on_the_axis() -> None:
    assert level("base", "top", tiles=17, group=1) == rows("#####", "#####", "##.##", "-- 1", ".....", ".###.")


def test_padding_fills_the_highest_layer_from_the_middle_in_mirror_pairs() -> None:
    assert level("base", "dot", tiles=18) == rows("#####", "#####", "#####", "-- 1", "..#", "..#", "..#")
    assert level("base", "dot", tiles=20) == rows("#####", "#####", "#####", "-- 1", "..#..", ".###.", "..#..")


def test_padding_spreads_on_the_ground_when_nothing_rests_above() -> None:
    flat = Canvas(14, 10, 1)
    assert level("top", tiles=5, group=1, canvas=flat) in (rows("#####"), rows(".#.", "###", ".#."))


def test_an_argument_that_a_part_does_not_know_is_refused() -> None:
    gem = [Part("heap-block", "on", (("colums", 3),))]
    with pytest.raises(Malformed) as caught:
        compose_level(gem, SHIPPED, CANVAS, 16, 2, "1")
    (finding,) = caught.value.findings
    assert (finding.code, finding.fix) == ("level/unknown-argument", "did you mean `columns`?")


def test_a_layout_stands_in_the_middle_of_the_canvas() -> None:
    layout = compose_level(parts("base"), BLOCKS, Canvas(20, 12, 4), 14, 2, "1", margin=1)
    assert layout.bounds() == (5, 3, 15, 9)


def test_asked_for_layers_are_kept_when_tiles_are_trimmed() -> None:
    layout = compose_level(parts("heap"), BLOCKS, CANVAS, 21, 3, "1", margin=0, layers=3)
    assert (len(layout), layout.layers) == (21, 3)
    assert violations(layout, group=3) == ()


@pytest.mark.parametrize(
    ("words", "tiles", "group", "canvas", "layers", "code", "said"),
    [
        (("base",), 15, 2, CANVAS, 0, "level/count", "15 tiles are no positive multiple of 2"),
        (("base",), 0, 2, CANVAS, 0, "level/count", "0 tiles"),
        (("base",), 400, 2, CANVAS, 0, "level/unreachable", "gives 2 … 140"),
        (("base",), 16, 2, Canvas(9, 10, 4), 0, "level/off-canvas", "is 10×6×1 half-tiles"),
        (("base", "base"), 30, 2, Canvas(14, 10, 1), 0, "level/off-canvas", "10×6×2"),
        (("heap",), 30, 3, Canvas(10, 10, 6), 5, "level/layers", "30 tiles make 4 layers, not 5"),
        (("bass",), 16, 2, CANVAS, 0, "level/unknown-template", "`bass`"),
        ((), 16, 2, CANVAS, 0, "level/empty", "no template"),
    ],
)
def test_what_cannot_be_reached_is_said_with_the_range_that_can(
    words: tuple[str, ...], tiles: int, group: int, canvas: Canvas, layers: int, code: str, said: str
) -> None:
    with pytest.raises(Malformed) as caught:
        compose_level(parts(*words), BLOCKS, canvas, tiles, group, "1", margin=0, layers=layers)
    (finding,) = caught.value.findings
    assert finding.code == code
    assert said in finding.message
    assert finding.fix or code == "level/empty"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(SHIPPED)), st.sampled_from(["gem", "cap", "crest"]), st.integers(2, 90),
       st.sampled_from([2, 3]), st.integers(0, 5))  # fmt: skip
def test_any_count_comes_out_exact_sound_and_the_same_again(
    base: str, top: str, groups: int, group: int, seed: int
) -> None:
    canvas = Canvas(22, 30, 8)

    def made() -> Layout | None:
        try:
            return compose_level(parts(base, top), SHIPPED, canvas, groups * group, group, str(seed))
        except Malformed as error:
            (finding,) = error.findings
            if finding.code != "level/unreachable":
                raise
            return None

    layout = made()
    assert layout == made()
    if layout is not None:
        assert len(layout) == groups * group
        assert violations(layout, canvas=canvas, group=group) == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 70))
def test_a_heap_without_tiles_on_its_axes_stays_symmetric_whatever_the_even_count(pairs: int) -> None:
    stepped = library(stepped="pyramid: {columns: 6, rows: 8, layers: 3, step: 2}")
    layout = compose_level(parts("stepped"), stepped, Canvas(20, 28, 4), 2 * pairs, 2, "1")
    left, top, right, bottom = layout.bounds()
    slots = set(layout.slots)
    assert slots in (
        {(left + right - 2 - x, y, z) for x, y, z in slots},
        {(x, top + bottom - 2 - y, z) for x, y, z in slots},
    )
