"""Whatever the bytes, an import ends soon, in findings and never in a traceback, and the rest of a bulk is done."""

from __future__ import annotations

import base64
import json
import os
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from levelgen.cli import run
from levelgen.imports import EXPORTS, FORMATS, MAX_BYTES, Outgoing, Reading, read_layouts
from levelgen.imports.source import Source
from levelgen.layout import violations
from tests.foreign import FILES, FLAT, STEP, gnome, gnome_map, kyodai, mah, mah_board
from tests.project import tree, working_in

Capture = pytest.CaptureFixture[str]
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SEEDS = {
    **FILES,
    **{f"own.{form}": write(Outgoing("Own", STEP, "N. N.", "CC0-1.0")) for form, write in EXPORTS.items()},
}


def survived(data: bytes, name: str = "fuzz") -> Reading:
    """The reading, which says something and holds sound layouts only."""
    reading = read_layouts(data, name)
    assert reading.found or reading.findings
    for found in reading.found:
        assert violations(found.layout) == ()
        assert found.title.isprintable()
        assert found.layout.bounds()[:2] == (0, 0)
    for finding in reading.findings:
        str(finding).encode()
        assert finding.message
        assert finding.where.startswith(name)
    return reading


# --- fuzzing -----------------------------------------------------------------------------------------------------


@given(st.binary(max_size=400))
@FUZZ
def test_any_bytes_are_survived(data: bytes) -> None:
    survived(data)


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.id)
def test_any_text_after_a_right_beginning_is_survived(one: object) -> None:
    beginnings = {
        "kmahjongg": "kmahjongg-layout-v1.1\n", "kyodai": "Kyodai 3.0\n", "tiled": '<map tilewidth="2" tileheight="2">',
        "gnome": "<mahjongg><map>", "json": '{"schema": "levelgen/layout/1", "tiles": [',
        "mah": '{"boards": [{"map": [',
        "csv": "x,y,z\n", "pysol": "r(1, layout=",
    }  # fmt: skip
    begin = beginnings[getattr(one, "id", "")]

    @given(st.one_of(st.text(max_size=200), st.text(alphabet='0123456789,.-[]{}"abzwhd\n<>/=() ', max_size=300)))
    @settings(FUZZ, max_examples=60)
    def fuzz(rest: str) -> None:
        survived(begin.encode() + rest.encode("utf-8", "surrogatepass"))

    fuzz()


@pytest.mark.parametrize("name", SEEDS)
def test_every_mutation_of_a_sound_file_is_survived(name: str) -> None:
    seed = SEEDS[name]
    piece = st.one_of(
        st.binary(min_size=1, max_size=4),
        st.sampled_from([b"-", b"1.5", b"99999999999", b"\0", b"\xff", b"<", b"&a;", b"[", b"{", b'"', b"\n", b"nan",
                         b"1e999",
                         b"true", b"null", b"-1", b"\\ud800", b"]]>", b"<!DOCTYPE a>", b"\xe2\x80\xa8"]),
    )  # fmt: skip
    change = st.tuples(st.integers(0, len(seed)), st.integers(0, 12), st.one_of(st.just(b""), piece))

    @given(st.lists(change, min_size=1, max_size=4), st.integers(0, len(seed)))
    @settings(FUZZ, max_examples=25)
    @example([(0, 0, b"")], len(seed) // 2)
    def fuzz(changes: list[tuple[int, int, bytes]], end: int) -> None:
        data = seed
        for at, gone, new in changes:
            data = data[:at] + new + data[at + gone :]
        survived(data)
        survived(seed[:end] + b" ")

    fuzz()


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 2000), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=12,
)
KEYS = ("map", "mapping", "name", "tilesets", "layers", "tiles", "width", "type", "data", "objects", "x", "properties",
        "chunks", "encoding", "compression", "firstgid", "infinite", "gid", "offsetx")  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), VALUES), st.dictionaries(st.sampled_from(KEYS), VALUES))
@settings(FUZZ, max_examples=60)
def test_json_of_any_shape_is_survived(outer: dict[str, object], inner: dict[str, object]) -> None:
    layer = {"type": "tilelayer", "width": 2, "height": 1, "data": [0, 1], **inner}
    data: object
    for data in (
        {"mah": "1.0", "boards": [{"map": [], **outer}]},
        {"tilewidth": 2, "tileheight": 2, "layers": [layer, {**layer, "type": "objectgroup"}], **outer},
        {"tilewidth": 2, "tileheight": 2, "layers": [{"type": "group", "layers": [layer]}], "tilesets": [inner]},
        {"schema": "levelgen/layout/1", **outer},
    ):
        survived(json.dumps(data).encode())


# --- bounds ------------------------------------------------------------------------------------------------------

ROW = '<row z="0" left="0" right="60" y="0"/>'
BOMBS: dict[str, bytes] = {
    "a megabyte of brackets": b"[" * (1 << 20),
    "a megabyte of braces": b'{"a":' * 200_000,
    "a megabyte of tags": b"<map>" + b"<layer>" * 150_000,
    "many elements": b"<mahjongg><map>" + b"<tile/>" * 500_000 + b"</map></mahjongg>",
    "many maps": b"<mahjongg>" + b"<map/>" * 300_000 + b"</mahjongg>",
    "many attributes": b"<map " + b" ".join(b'a%d="1"' % n for n in range(100_000)) + b"/>",
    "many rows in one place": gnome("<map>" + ROW * 60_000 + "</map>"),
    "many maps of many rows": gnome(*(f"<map>{ROW * 60}</map>" for _ in range(900))),
    "many runs in one place": json.dumps([{"map": [[0, [[0, [[0, 900]] * 80_000]]]]}]).encode(),
    "many boards with many runs": json.dumps([{"map": [[0, [[0, [[0, 900]] * 4]]]]}] * 1000).encode(),
    "many numbers": b"[" + b"0," * 1_900_000 + b"0]",
    "a long number": b"[" + b"9" * 4_000_000 + b"]",
    "a long string": b'{"mah":"' + b"a" * 4_000_000,
    "an endless escape": b'{"mah":"' + b"\\" * 4_000_000,
    "blanks": b" " * 4_000_000 + b"x",
    "blank lines": b"# a\n" * 1_000_000 + b"0",
    "pysol letters": b"0" + b"aaa" * 1_300_000,
    "pysol strings": b"0aaa\n" * 800_000,
    "pysol calls": b"r(1, layout=" * 300_000,
    "pysol names": b"r(1, " + b'"a" ' * 900_000 + b", layout='0aaa')",
    "quotes": b"r(1, layout=" + b'"' * 4_000_000,
    "kyodai cells": b"Kyodai 3.0\n\n" + b"1" * 4_000_000,
    "kmahjongg rows": b"kmahjongg-layout-v1.1\nw1\nh1\nd1\n" + b".\n" * 1_900_000,
    "kmahjongg marks": b"kmahjongg-layout-v1.1\nw512\nh512\nd1\n" + (b"1" * 512 + b"\n") * 512,
    "csv rows": b"x,y,z\n" + b"0,0,0\n" * 650_000,
    "a zlib bomb": (
        b'<map tilewidth="2" tileheight="2"><layer width="2" height="2"><data encoding="base64" compression="zlib">'
        + base64.b64encode(zlib.compress(bytes(40 << 20), 9))
        + b"</data></layer></map>"
    ),
    "many big layers": b'<map tilewidth="2" tileheight="2">'
    + b'<layer width="1024" height="1024"><data encoding="csv">0</data></layer>' * 300
    + b"</map>",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_costs_little_time(bomb: str) -> None:
    data = BOMBS[bomb][: MAX_BYTES // 4]
    began = time.process_time()
    survived(data)
    assert time.process_time() - began < 30, "a slow machine takes a few seconds, a bomb minutes"


def test_a_file_too_long_is_not_looked_at() -> None:
    (finding,) = read_layouts(bytes(MAX_BYTES + 1), "x").findings
    assert finding.code == "import/too-long"


def test_a_hundred_megabytes_of_junk_are_not_read(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "junk.layout"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    assert run(["import", str(path), "-o", str(tmp_path / "out")]) == 2
    assert "longer than 4 MiB" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_compressed_cells_are_unpacked_no_further_than_a_map_may_be_large() -> None:
    (finding,) = read_layouts(BOMBS["a zlib bomb"], "x").findings
    assert finding.code == "import/too-many"


def test_a_source_is_not_parsed_twice() -> None:
    source = Source(FILES["step.map"], "x")
    assert source.xml is source.xml


# --- bulk --------------------------------------------------------------------------------------------------------


def test_a_bulk_import_goes_on_past_bad_files_and_exits_with_two(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
        (folder / f"cut-{name}").write_bytes(data[: len(data) // 2])
    (folder / ".hidden").write_bytes(b"junk")
    out = tmp_path / "out"
    assert run(["import", str(folder), "missing.lay", "-o", str(out), "--licence", "CC0-1.0"]) == 2
    printed = capsys.readouterr()
    assert len(list(out.iterdir())) == len(FILES)
    for name in FILES:
        assert f"cut-{name}" in printed.err
    assert "missing.lay: there is no such file" in printed.err
    assert ".hidden" not in printed.err
    assert f"{2 * len(FILES) + 1} files: {len(FILES)} templates written" in printed.err
    assert run(["lint", str(out)]) == 0


def test_a_layout_that_breaks_the_rules_of_layouts_is_the_answer_no(tmp_path: Path, capsys: Capture) -> None:
    bad = gnome_map(STEP, "Bad").replace('<layer z="1">', '<layer z="2">')
    (tmp_path / "two.map").write_bytes(gnome(bad, gnome_map(FLAT, "Good")))
    assert run(["import", str(tmp_path / "two.map"), "-o", str(tmp_path / "out")]) == 1
    assert "floats" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.yaml"]


def test_what_cannot_be_opened_is_told_and_passed_over(tmp_path: Path, capsys: Capture) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "flat.mah").write_bytes(mah(mah_board(FLAT)))
    assert run(["import", str(tmp_path / "pipe"), str(tmp_path / "flat.mah"), "-o", str(tmp_path / "out")]) == 2
    assert "pipe: is no plain file" in capsys.readouterr().err
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_nothing_is_overwritten_without_force(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.lay").write_bytes(kyodai(STEP, b"Step"))
    shapes = tmp_path / "templates" / "shapes"
    (shapes / "deep").mkdir(parents=True)
    with working_in(tmp_path):
        assert run(["import", "a.lay"]) == 0
        before = tree(shapes)
        (tmp_path / "a.lay").write_bytes(kyodai(FLAT, b"Step"))
        assert run(["import", "a.lay"]) == 2
        assert "--force replaces it" in capsys.readouterr().err
        assert tree(shapes) == before
        assert run(["import", "a.lay", "--force"]) == 0
        assert tree(shapes) != before
        assert run(["import", "a.lay", "--force", "-o", "templates/shapes/deep"]) == 2
        assert "there is a template `step` already" in capsys.readouterr().err
    assert sorted(tree(shapes)) == ["step.yaml"]


def test_a_name_that_differs_in_case_only_is_taken(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.lay").write_bytes(kyodai(STEP, b"Step"))
    (tmp_path / "Step.yaml").write_text("mine")
    assert run(["import", str(tmp_path / "a.lay"), "-o", str(tmp_path), "--force"]) == 2
    assert "rename one of them" in capsys.readouterr().err
    assert (tmp_path / "Step.yaml").read_text() == "mine"
