"""A file that is not right is told with file, line and what to do; its sound layouts come in all the same."""

from __future__ import annotations

import pytest

from levelgen.imports import read_layouts
from tests.foreign import FILES, FLAT, STEP, gnome, gnome_map, mah, mah_board


def edited(name: str, old: str, new: str, count: int = 1) -> bytes:
    text = FILES[name].decode()
    assert old in text, name
    return text.replace(old, new, count).encode()


FAULTS: dict[str, tuple[bytes, str, str]] = {
    "empty": (b" \n", "x:1", "empty"),
    "unknown": (b"dear diary\n", "x:1", "unknown"),
    "binary": (b"dear\ndiary\0\0\0", "x:2", "binary"),
    "utf-16": ("kmahjongg-layout-v1.0".encode("utf-16"), "x:1", "encoding"),
    "latin-1 text": (b"kmahjongg-layout-v1.0\n# \xe9\n", "x:2", "encoding"),
    "a later version": (b"kmahjongg-layout-v1.7\n", "x:1", "version"),
    "a huge size": (b"kmahjongg-layout-v1.1\nw9999\nh9999\nd9999\n", "x:1", "size"),
    "a size of many digits": (b"kmahjongg-layout-v1.1\nw99999999\nh9\nd9\n", "x:1", "size"),
    "rows are missing": (b"kmahjongg-layout-v1.1\nw2\nh2\nd1\n12\n", "x:6", "rows"),
    "a row is short": (b"kmahjongg-layout-v1.1\nw3\nh2\nd1\n12.\n43\n", "x:6", "row"),
    "a tile is broken": (b"kmahjongg-layout-v1.1\nw4\nh2\nd1\n1212\n4343".replace(b"4343", b"43.3"), "x:6:3", "cell"),
    "a corner without a tile": (b"kmahjongg-layout-v1.1\nw4\nh2\nd1\n12..\n434.", "x:6:3", "cell"),
    "a strange cell": (b"kmahjongg-layout-v1.1\nw4\nh2\nd1\n12..\n43x.", "x:6:3", "cell"),
    "no tiles": (b"kmahjongg-layout-v1.1\nw1\nh1\nd1\n.\n", "x:1", "no-tiles"),
    "kyodai cut short": (FILES["step.lay"][:900], "x:3", "cells"),
    "kyodai of another year": (b"Kyodai 9.9\n\n0", "x:1", "version"),
    "kyodai with letters": (FILES["step.lay"].replace(b"01", b"0a", 1), "x:3", "cell"),
    "xml cut short": (FILES["step.map"][:200], "x:", "xml"),
    "a bad nesting": (b"<mahjongg>\n<map></mahjongg>", "x:2:8", "xml"),
    "an entity bomb": (
        b'<?xml version="1.0"?>\n<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<m>&b;</m>',
        "x:2", "doctype",
    ),
    "an external entity": (b'<!DOCTYPE m SYSTEM "file:///etc/passwd">\n<m/>', "x:1", "doctype"),
    "deep xml": (b"<map>\n" + b"<layer>" * 100, "x:2", "too-deep"),
    "an unknown xml encoding": (b'<?xml version="1.0" encoding="klingon"?><map/>', "x:1", "encoding"),
    "negative": (edited("step.map", 'x="0"', 'x="-1"'), "x:5", "number"),
    "a third of a tile": (edited("step.map", 'x="0"', 'x="0.33"'), "x:5", "number"),
    "far away": (edited("step.map", 'x="0"', 'x="9999"'), "x:5", "number"),
    "a missing attribute": (edited("step.map", 'x="0" ', ""), "x:5", "attribute"),
    "an unknown piece": (edited("step.map", "<tile x", "<brick x"), "x:5", "element"),
    "a huge block": (
        gnome('<map><block z="0" left="0" right="500" top="0" bottom="500"/></map>'), "x:3", "too-many-tiles",
    ),
    "a backward row": (gnome('<map><row z="0" left="3" right="1" y="0"/></map>'), "x:3", "empty-piece"),
    "json cut short": (FILES["step.mah"][:60], "x:2", "json"),
    "json twice the key": (b'{"mah": "1.0",\n"mah": "1.0"}', "x:2", "json"),
    "deep json": (b"[" * 10_000, "x:1", "too-deep"),
    "json with a comment": (b"{\n // hello\n}", "x:2", "json"),
    "no boards": (b'{"mah": "1.0", "boards": []}', "x:1", "no-boards"),
    "a board that is a word": (b'{"mah": "1.0", "boards": [\n{"map": "map"}]}', "x:2", "shape"),
    "a negative place": (b'[\n{"map": [[0, [[0, [-1]]]]]}]', "x:2", "number"),
    "a fraction": (b'[\n{"map": [[0, [[0, [1.5]]]]]}]', "x:2", "number"),
    "true": (b'[\n{"map": [[0, [[0, true]]]]}]', "x:2", "number"),
    "a huge run": (b'[\n{"map": [[0, [[0, [[0, 999999999]]]]]]}]', "x:2", "number"),
    "a number beyond numbers": (b'[\n{"map": ' + b"9" * 5000 + b"}]", "x:2", "json"),
    "pysol cut short": (FILES["string.txt"][:-1], "x:1", "string"),
    "pysol with digits": (b"0aaa\naa7", "x:2", "string"),
    "pysol that counts otherwise": (edited("source.py", "ncards=11", "ncards=12"), "x:4", "count"),
    "tmx of hexagons": (edited("csv.tmx", "orthogonal", "hexagonal"), "x:2", "orientation"),
    "tmx with too few cells": (edited("csv.tmx", "0,0,0,0,0,0,0,0,0,0,\n", "", 1), "x:", "cells"),
    "tmx with a word for a cell": (edited("csv.tmx", "1,0", "one,0"), "x:9", "number"),
    "tmx with broken base64": (edited("base64.tmx", "AAAA", "A*AA"), "x:7", "base64"),
    "tmx with broken zlib": (edited("zlib.tmx", "eJ", "AA"), "x:7", "compression"),
    "tmx with zstd": (edited("zlib.tmx", '"zlib"', '"zstd"'), "x:7", "compression"),
    "tmx of a huge size": (edited("csv.tmx", 'name="0" width="10"', 'width="99999999"'), "x:6", "number"),
    "tmx shifted by a third": (edited("csv.tmx", '<layer id="0"', '<layer offsetx="5" id="0"'), "x:9", "fraction"),
    "tmx off the map": (edited("csv.tmx", '<layer id="0"', '<layer offsetx="-32" id="0"'), "x:", "negative"),
    "tmj with a word": (edited("list.tmj", " 0,", ' "0",'), "x:", "number"),
    "csv with a fraction": (b"x,y,z\n0,0,0\n0.5,0,0\n", "x:3", "number"),
    "csv with an open quote": (b'x,y,z\n"0,0,0\n', "x:", "csv"),
    "our json without tiles": (b'{"schema": "levelgen/layout/1"}', "x:1", "shape"),
    "our json with a pair": (b'{"schema": "levelgen/layout/1", "tiles": [\n[0, 0, 0],\n[1, 2]]}', "x:3", "shape"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_told_at_its_line(case: str) -> None:
    data, place, code = FAULTS[case]
    reading = read_layouts(data, "x")
    assert reading.found == ()
    told = [(finding.where, finding.code) for finding in reading.findings]
    assert any(where.startswith(place) and found == f"import/{code}" for where, found in told), told


def test_tiles_that_overlap_are_told_at_their_lines() -> None:
    reading = read_layouts(edited("step.map", '<tile x="1" y="0"', '<tile x="0.5" y="0"'), "step.map")
    assert [(one.code, one.where) for one in reading.findings] == [("layout/overlap", "step.map:5")]


def test_a_tile_given_twice_is_told_at_its_second_line() -> None:
    reading = read_layouts(edited("step.map", '<tile x="1" y="0"', '<tile x="0" y="0"'), "step.map")
    assert [(one.code, one.where) for one in reading.findings] == [("layout/twice", "step.map:6")]


def test_a_floating_tile_is_told_at_its_line() -> None:
    reading = read_layouts(edited("step.map", '<layer z="1">', '<layer z="2">'), "step.map")
    assert {(one.code, one.where) for one in reading.findings} == {
        ("layout/unsupported", f"step.map:{line}") for line in (15, 16, 17)
    }


def test_a_bad_map_does_not_hide_the_good_ones() -> None:
    bad = gnome_map(STEP, "Bad").replace('x="0"', 'x="minus one"')
    reading = read_layouts(gnome(gnome_map(FLAT, "First"), bad, gnome_map(STEP, "Last")), "three.map")
    assert [found.title for found in reading.found] == ["First", "Last"]
    assert {finding.code for finding in reading.findings} == {"import/number"}


def test_a_bad_board_does_not_hide_the_good_ones() -> None:
    reading = read_layouts(mah(mah_board(FLAT), {"name": "Bad", "map": [[0]]}, mah_board(STEP)), "three.mah")
    assert [found.layout for found in reading.found] == [FLAT, STEP]
    assert [finding.where for finding in reading.findings] == ["three.mah:3"]


def test_what_is_no_board_does_not_hide_the_boards_beside_it() -> None:
    reading = read_layouts(mah(mah_board(FLAT), {"name": "no map"}, mah_board(STEP)), "three.mah")
    assert [found.layout for found in reading.found] == [FLAT, STEP]
    assert [(one.code, one.where) for one in reading.findings] == [("import/shape", "three.mah:3")]
    alone = read_layouts(b'{"mah": "1.0", "boards": [\n{"name": "no map"}]}', "one.mah")
    assert [(one.code, one.where) for one in alone.findings] == [("import/shape", "one.mah:2")]


def test_every_wrong_cell_of_a_board_is_told() -> None:
    reading = read_layouts(b'[{"map": [[0, [[0, [-1, 2]],\n[2, [[4, 1.5]]],\n[4, [6]]]]]}]', "cells.json")
    assert [(one.code, one.where) for one in reading.findings] == [
        ("import/number", "cells.json:1"), ("import/number", "cells.json:2"),
    ]  # fmt: skip


def test_of_many_faults_the_first_are_told_and_the_rest_counted() -> None:
    text = gnome_map(STEP).replace('y="', 'y="-')
    findings = read_layouts(gnome(text), "all.map").findings
    assert len(findings) == 9
    assert "3 more faults" in findings[-1].message
