"""What a template says is what comes out: pieces made, mirrored, turned, stacked, repeated, made symmetric, placed."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.layout import Layout, draw, parse
from levelgen.template import Library, Template, compose, parse_template


def template(text: str, name: str = "it") -> Template:
    return parse_template(load(f"template: {name}\n{dedent(text).strip(chr(10))}\n", f"{name}.yaml", "template"))


def composed(text: str, *others: Template, seed: str = "1") -> str:
    """The template drawn from its own upper left corner, whatever its place on the canvas."""
    made = template(text)
    layout = compose(made, Library([made, *others]), seed)
    left, top, _, _ = layout.bounds()
    return draw(Layout.of((x - left, y - top, z) for x, y, z in layout))


def picture(text: str) -> str:
    return draw(parse(dedent(text).strip("\n"))[0])


L_SHAPE = """
- drawing: |
    aabbcc
    aabbcc
    dd....
    dd....
"""
HOOK = """
- drawing: |
    aa..
    aabb
    ccbb
    cc..
"""


def with_word(piece: str, word: str) -> str:
    return "pieces:\n" + indent(piece.strip("\n"), "  ") + f"\n    {word}\n"


def test_a_drawing_comes_out_as_it_is_drawn() -> None:
    assert composed("pieces:" + L_SHAPE) == picture("aabbcc\naabbcc\ndd\ndd")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("mirror: x", "aabbcc\naabbcc\n....dd\n....dd"),
        ("mirror: y", "dd....\ndd....\naabbcc\naabbcc"),
        ("mirror: both", "....dd\n....dd\naabbcc\naabbcc"),
        ("turn: 0", "aabbcc\naabbcc\ndd....\ndd...."),
        ("turn: 1", "ddaa\nddaa\n..bb\n..bb\n..cc\n..cc"),
        ("turn: 2", "....dd\n....dd\nccbbaa\nccbbaa"),
        ("turn: 3", "aa\naa\nbb\nbb\nccdd\nccdd"),
    ],
)
def test_a_piece_is_mirrored_and_turned_clockwise(word: str, expected: str) -> None:
    assert composed(with_word(L_SHAPE, word)) == picture(expected)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("turn: 1", "aabb\naabb\n.cc.\n.cc."),
        ("turn: 2", "..aa\nbbaa\nbbcc\n..cc"),
        ("turn: 3", ".aa.\n.aa.\nbbcc\nbbcc"),
        ("mirror: x", "..aa\nbbaa\nbbcc\n..cc"),
    ],
)
def test_half_tile_offsets_survive_a_turn(word: str, expected: str) -> None:
    assert composed(with_word(HOOK, word)) == picture(expected)


def test_four_quarter_turns_change_nothing() -> None:
    piece = "- triangle: {rows: 3}\n  turn: 1\n"
    for _ in range(3):
        piece = "- unite:\n" + indent(piece, "    ") + "  turn: 1\n"
    assert composed("pieces:\n" + indent(piece, "  ")) == composed("pieces:\n  - triangle: {rows: 3}\n")


def test_stacking_repeats_the_highest_layer_each_smaller_by_the_inset() -> None:
    assert composed("""
        pieces:
          - grid: {columns: 3, rows: 2}
            stack: {layers: 2, inset: 1}
    """) == picture("""
        aabbcc
        aabbcc
        ddeeff
        ddeeff
        -- 1
        .
        .gghh
        .gghh
    """)
    assert composed("""
        pieces:
          - grid: {columns: 4, rows: 2}
            stack: {layers: 3, inset: [2, 0]}
    """) == picture("""
        aabbccdd
        aabbccdd
        eeffgghh
        eeffgghh
        -- 1
        ..aabb
        ..aabb
        ..ccdd
        ..ccdd
    """)


def test_pieces_are_united_and_what_stands_twice_stands_once() -> None:
    assert composed("""
        pieces:
          - grid: {columns: 2, rows: 1}
          - grid: {columns: 2, rows: 1}
            at: [2, 0]
    """) == picture("aabbcc\naabbcc")


def test_subtracting_takes_every_tile_that_is_touched_on_that_layer() -> None:
    assert composed("""
        pieces:
          - subtract:
              - grid: {columns: 4, rows: 2}
                stack: 2
              - grid: {columns: 1, rows: 1}
                at: [3, 2]
                z: 1
    """) == picture("""
        aabbccdd
        aabbccdd
        eeffgghh
        eeffgghh
        -- 1
        aabbccdd
        aabbccdd
        ee....hh
        ee....hh
    """)


def test_intersecting_keeps_tiles_that_lie_wholly_inside() -> None:
    assert composed("""
        pieces:
          - intersect:
              - grid: {columns: 4, rows: 3}
              - grid: {columns: 3, rows: 3}
                at: [1, 0]
    """) == picture("aabb\naabb\nccdd\nccdd\neeff\neeff")


def test_pieces_repeat_along_a_line_a_grid_and_an_oval() -> None:
    assert composed("""
        pieces:
          - grid: {columns: 1, rows: 1}
            repeat: {count: 3, by: [2, 1]}
    """) == picture("aa....\naabb..\n..bbcc\n....cc")
    assert composed("""
        pieces:
          - grid: {columns: 1, rows: 1}
            repeat: {columns: 3, rows: 2, by: [3, 4]}
    """) == picture("aa.bb.cc\naa.bb.cc\n.\n.\ndd.ee.ff\ndd.ee.ff")
    assert composed("""
        pieces:
          - grid: {columns: 1, rows: 1}
            repeat: {circle: 4, radius: [4, 2]}
    """) == picture("....aa\n....aa\nbb......cc\nbb......cc\n....dd\n....dd")


def test_a_rising_repetition_climbs() -> None:
    assert composed("""
        pieces:
          - grid: {columns: 2, rows: 1}
            repeat: {count: 2, by: [1, 0], rise: 1}
    """) == picture("aabb\naabb\n-- 1\n.ccdd\n.ccdd")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("x", "aa....bb\naa....bb\n..cccc..\n..cccc.."),
        ("y", "aa\naa\n..bb\n..bb\n..cc\n..cc\ndd\ndd"),
        ("both", "aa....bb\naa....bb\n..ccdd..\n..ccdd..\n..eeff..\n..eeff..\ngg....hh\ngg....hh"),
        ("turn", "aa......\naa......\n..bb....\n..bb....\n....cc..\n....cc..\n......dd\n......dd"),
        ("quarter", "aa....bb\naa....bb\n..ccdd..\n..ccdd..\n..eeff..\n..eeff..\ngg....hh\ngg....hh"),
    ],
)
def test_symmetry_adds_the_images_about_the_middle_of_the_frame(kind: str, expected: str) -> None:
    height = 4 if kind == "x" else 8
    assert composed(f"""
        symmetry: {{kind: {kind}, size: [8, {height}]}}
        pieces:
          - stairs: {{steps: 2, width: 1}}
    """) == picture(expected)


def test_symmetry_leaves_out_tiles_whose_images_would_overlap() -> None:
    assert composed("""
        symmetry: {kind: x, size: [7, 2]}
        pieces:
          - grid: {columns: 2, rows: 1}
    """) == picture("aa...bb\naa...bb")


def test_centre_and_top_find_their_place_over_the_pieces_before() -> None:
    assert composed("""
        pieces:
          - grid: {columns: 5, rows: 3}
          - grid: {columns: 2, rows: 1}
            at: centre
            z: top
          - grid: {columns: 1, rows: 1}
            at: centre
            z: top
    """) == picture("""
        aabbccddee
        aabbccddee
        ffgghhiijj
        ffgghhiijj
        kkllmmnnoo
        kkllmmnnoo
        -- 1
        .
        .
        ...aabb
        ...aabb
        -- 2
        .
        .
        ....aa
        ....aa
    """)


def test_a_template_is_used_by_name_with_arguments() -> None:
    bar = template("""
        parameters:
          length: 2
        pieces:
          - grid: {columns: "2 * $length - 1", rows: 1}
    """, "bar")  # fmt: skip
    assert composed("""
        pieces:
          - template: bar
          - template: bar
            with: {length: 1}
            turn: 1
            at: [2, 2]
    """, bar) == picture("aabbcc\naabbcc\n..dd\n..dd")  # fmt: skip


WIDE = """
parameters:
  width: {range: [2, 8], step: 2}
  height: {range: [1, 5]}
pieces:
  - grid: {columns: $width, rows: $height}
"""


def test_the_same_seed_gives_the_same_layout_and_seeds_differ() -> None:
    assert composed(WIDE, seed="a") == composed(WIDE, seed="a")
    assert len({composed(WIDE, seed=str(seed)) for seed in range(40)}) > 8


def test_drawn_numbers_keep_to_range_and_step() -> None:
    made = template(WIDE)
    layouts = [compose(made, Library([made]), str(seed)) for seed in range(60)]
    sizes = {((r - x) // 2, (b - y) // 2) for x, y, r, b in (layout.bounds() for layout in layouts)}
    assert {width for width, _ in sizes} == {2, 4, 6, 8}
    assert {height for _, height in sizes} == {1, 2, 3, 4, 5}


def test_a_draw_depends_neither_on_the_order_of_keys_nor_on_other_draws() -> None:
    swapped = WIDE.replace("  width: {range: [2, 8], step: 2}\n", "").replace(
        "[1, 5]}\n", "[1, 5]}\n  width: {range: [2, 8], step: 2}\n"
    )
    fixed = WIDE.replace("height: {range: [1, 5]}", "height: 3")
    for seed in range(20):
        assert composed(WIDE, seed=str(seed)) == composed(swapped, seed=str(seed))
        first, second = (composed(text, seed=str(seed)).splitlines()[1] for text in (WIDE, fixed))
        assert first == second


def test_a_choice_is_made_by_the_seed_and_heeds_weights() -> None:
    text = """
        pieces:
          - choose:
              - grid: {columns: 1, rows: 1}
              - grid: {columns: 2, rows: 1}
                weight: 9
    """
    counts = [composed(text, seed=str(seed)).count("####") for seed in range(100)]
    assert 75 < sum(1 for count in counts if count) < 100


def test_drawn_numbers_that_make_tiles_overlap_are_told_when_they_do() -> None:
    text = """
        pieces:
          - grid: {columns: 2, rows: 1}
          - grid: {columns: 2, rows: 1}
            at: [{range: [3, 4]}, 0]
    """
    results = set()
    for seed in range(20):
        try:
            results.add(composed(text, seed=str(seed)))
        except Malformed as error:
            results.add(error.findings[0].code)
    assert results == {"template/overlap", picture("aabbccdd\naabbccdd")}
