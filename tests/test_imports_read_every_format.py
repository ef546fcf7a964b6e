"""Layouts of other programs come in as they are: place for place, whatever way their file spells them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.imports import Found, Reading, read_layouts
from levelgen.layout import Layout, parse
from tests.foreign import (
    FILES,
    FLAT,
    STEP,
    gnome,
    gnome_map,
    kmahjongg_10,
    kyodai,
    mah,
    mah_board,
    pysol_source,
    pysol_string,
    tmj,
    tmx,
)


def only(reading: Reading) -> Found:
    """The one layout of a file without faults."""
    assert reading.findings == ()
    (found,) = reading.found
    return found


def drawn(text: str) -> Layout:
    return parse(text)[0]


@pytest.mark.parametrize("name", FILES)
def test_a_layout_is_read_place_for_place(name: str) -> None:
    assert only(read_layouts(FILES[name], name)).layout == STEP


@pytest.mark.parametrize("name", FILES)
def test_a_format_is_told_by_what_the_file_holds(name: str) -> None:
    reading = read_layouts(FILES[name], "misnamed.doc")
    assert reading.format == read_layouts(FILES[name], name).format
    assert only(reading).format == (reading.format.id if reading.format else "")


@pytest.mark.parametrize("name", [name for name in FILES if name != "step10.layout"])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(name: str) -> None:
    data = FILES[name].replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    assert only(read_layouts(b"\xef\xbb\xbf" + data, name)).layout == STEP


@given(
    st.sets(st.tuples(st.integers(0, 15), st.integers(0, 7), st.integers(0, 4)), min_size=1, max_size=12),
    st.sampled_from(["layout", "lay", "map", "mah", "pysol", "source", "tmx", "tmj"]),
)
@settings(max_examples=60, deadline=None)
def test_any_sound_heap_is_read_from_any_format(spots: set[tuple[int, int, int]], kind: str) -> None:
    whole: set[tuple[int, int, int]] = set()
    for x, y, top in sorted(spots):
        if all(abs(x - u) > 1 or abs(y - v) > 1 for u, v, _ in whole):
            whole |= {(x, y, z) for z in range(top + 1)}
    left, up = min(x for x, _, _ in whole), min(y for _, y, _ in whole)
    heap = Layout.of((x - left, y - up, z) for x, y, z in whole)
    writers: dict[str, Callable[[Layout], bytes]] = {
        "layout": kmahjongg_10, "lay": kyodai, "map": lambda one: gnome(gnome_map(one)),
        "mah": lambda one: mah(mah_board(one)), "pysol": lambda one: pysol_string(one).encode(),
        "source": pysol_source, "tmx": tmx, "tmj": tmj,
    }  # fmt: skip
    assert only(read_layouts(writers[kind](heap), f"heap.{kind}")).layout == heap


def test_kmahjongg_11_says_its_own_size_name_author_and_licence() -> None:
    text = """\
kmahjongg-layout-v1.1
# name: Two Steps
# by: N. N.
# licence: CC-BY-4.0
w5
h3
d2
12...
4312.
..43.
.12..
.43..
.....
"""
    found = only(read_layouts(text.encode(), "a.layout"))
    assert found.layout == drawn("aa\naabb\n..bb\n-- 1\n.cc\n.cc")
    assert (found.title, found.author, found.licence) == ("Two Steps", "N. N.", "CC-BY-4.0")


def test_gnome_pieces_include_both_their_ends_and_may_lie_on_halves() -> None:
    pieces = """\
  <map name="Pieces">
   <layer z="0"><row left="0" right="2" y="0"/><column x="4.5" top="0.5" bottom="1.5"/></layer>
   <block left="0.5" right="1.5" top="0" bottom="0" z="1"/>
   <layer z="0"><block left="0" right="1" top="2" bottom="3"/></layer>
  </map>
"""
    assert only(read_layouts(gnome(pieces), "pieces.map")).layout == drawn("""\
-- 0
aabbcc
aabbcc...dd
.........dd
.........ee
ffgg.....ee
ffgg
hhii
hhii
-- 1
.jjkk
.jjkk
""")


def test_one_gnome_file_holds_many_maps() -> None:
    reading = read_layouts(gnome(gnome_map(STEP, "One"), gnome_map(FLAT, "Två")), "both.map")
    assert reading.findings == ()
    assert [(found.title, found.layout) for found in reading.found] == [("One", STEP), ("Två", FLAT)]


def test_one_mah_file_holds_many_boards_and_the_older_spelling() -> None:
    older: dict[str, object] = {"name": "Old", "by": "O.", "mapping": [[z, x, y] for x, y, z in FLAT]}
    reading = read_layouts(mah(mah_board(STEP), older), "both.mah")
    assert reading.findings == ()
    assert [(found.title, found.author, found.layout) for found in reading.found] == [
        ("Step", "", STEP),
        ("Old", "O.", FLAT),
    ]
    assert only(read_layouts(json.dumps([mah_board(STEP)]).encode(), "bare.json")).layout == STEP


def test_a_kyodai_name_may_be_windows_1252() -> None:
    assert only(read_layouts(kyodai(STEP, "Café::Mine".encode("cp1252")), "a.lay")).title == "Café"


def test_a_pysol_stack_of_tiles_is_one_word() -> None:
    assert only(read_layouts(b"# Tower\n0baa\n", "a.txt")).layout == drawn("-- 0\naa\naa\n-- 1\nbb\nbb")


def test_pysol_source_is_searched_and_never_run() -> None:
    data = pysol_source(STEP, 'It\\"s') + b"raise SystemExit\n" + pysol_source(FLAT, "Flat")
    assert [(one.title, one.layout) for one in read_layouts(data, "a.py").found] == [('It"s', STEP), ("Flat", FLAT)]


def test_tiled_layers_are_shifted_objects_lie_freely_and_z_may_be_named() -> None:
    text = """\
<map orientation="orthogonal" width="4" height="3" tilewidth="20" tileheight="30">
 <tileset firstgid="1" source="elsewhere.tsx"/>
 <group id="1" offsetx="10">
  <layer id="2" width="4" height="3" offsety="-15"><data encoding="csv">0,0,0,0,
3221225473,2,0,0,
0,0,0,0</data></layer>
 </group>
 <objectgroup id="3"><properties><property name="z" type="int" value="1"/></properties>
  <object id="1" x="20" y="15" width="20" height="30"/>
  <object id="2" gid="1" x="40" y="45" width="20" height="30"/>
 </objectgroup>
</map>
"""
    assert only(read_layouts(text.encode(), "a.tmx")).layout == drawn("aabb\naabb\n-- 1\n.ccdd\n.ccdd")


def test_csv_and_json_of_our_own_are_read_too() -> None:
    table = "x,y,z,note\n" + "".join(f"{x},{y},{z},free\n" for x, y, z in STEP)
    assert only(read_layouts(table.encode(), "a.csv")).layout == STEP
    ours = {"schema": "levelgen/layout/1", "title": "Step", "tiles": [list(slot) for slot in STEP]}
    assert only(read_layouts(json.dumps(ours).encode(), "a.json")).layout == STEP


@pytest.mark.parametrize("name", ["step.lay", "step.map", "step.mah", "string.txt", "csv.tmx"])
def test_reading_twice_gives_the_same(name: str) -> None:
    assert read_layouts(FILES[name], name) == read_layouts(FILES[name], name)
