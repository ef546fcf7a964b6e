"""What is written for another program comes back as it was; templates say where they come from and what allows it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.build import Order, build
from levelgen.cli import run
from levelgen.document import load, read
from levelgen.errors import AnswerIsNo
from levelgen.imports import EXPORTS, Names, Outgoing, Wishes, plan_template, read_layouts
from levelgen.imports.names import name_of
from levelgen.layout import Layout
from levelgen.pack.signing import new_key
from levelgen.template import Library, compose, parse_template, read_template
from tests.foreign import FLAT, STEP, gnome, gnome_map, kyodai, mah, mah_board
from tests.project import new_project, tree, working_in

Capture = pytest.CaptureFixture[str]


def at_corner(layout: Layout) -> Layout:
    left, top, _, _ = layout.bounds()
    return Layout.of((x - left, y - top, z) for x, y, z in layout)


def layout_in(path: Path) -> Layout:
    """The layout of an imported template, at the corner."""
    template = parse_template(read(path, "template"), path.stem)
    return at_corner(compose(template, Library([template]), "any"))


# --- round trips -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", EXPORTS)
@given(
    st.sets(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5)), min_size=1, max_size=30), st.text()
)
@settings(max_examples=30, deadline=None)
def test_any_layout_and_title_come_back(form: str, spots: set[tuple[int, int, int]], title: str) -> None:
    whole: set[tuple[int, int, int]] = set()
    for x, y, top in sorted(spots):
        if all(abs(x - u) > 1 or abs(y - v) > 1 for u, v, _ in whole):
            whole |= {(x, y, z) for z in range(top + 1)}
    layout = Layout.of(whole)
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in title[:80]).split())
    out = Outgoing(shown, layout, "N. N.", "CC0-1.0", "drawn by hand")
    reading = read_layouts(EXPORTS[form](out), "x")
    assert reading.findings == ()
    (found,) = reading.found
    assert found.layout == at_corner(layout)
    if form != "csv":
        assert (found.title, found.author) == (shown.rstrip(), "N. N.")
        assert (found.licence, found.provenance) == ("CC0-1.0", "drawn by hand")


@pytest.mark.parametrize("form", EXPORTS)
def test_a_template_goes_out_and_comes_back(form: str, tmp_path: Path) -> None:
    new_project(tmp_path)
    with working_in(tmp_path):
        assert run(["export", "block", "-o", f"block.{form}"]) == 0
        assert run(["import", f"block.{form}", "-o", "back"]) == 0
    assert layout_in(tmp_path / "back" / "block.yaml") == layout_in(tmp_path / "templates" / "shapes" / "block.yaml")


def test_a_template_that_names_others_is_exported_whole(tmp_path: Path, capsys: Capture) -> None:
    new_project(tmp_path)
    path = tmp_path / "templates" / "shapes" / "both.yaml"
    path.write_text("template: both\npieces:\n  - template: block\n  - template: top\n    z: top\n")
    assert run(["export", str(path), "--format", "csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 20 + 6


def test_a_board_keeps_its_faces(tmp_path: Path, capsys: Capture) -> None:
    board = {
        "ruleset": {"id": "pairs"}, "slots": [[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0]],
        "faces": ["b", "a", "a", "b"], "face_down": [1],
    }  # fmt: skip
    (tmp_path / "one.json").write_text(json.dumps(board))
    assert run(["export", str(tmp_path / "one.json"), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "2,0,0,a,yes"
    assert run(["export", str(tmp_path / "one.json"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["faces"] == ["b", "a", "a", "b"]
    assert run(["export", str(tmp_path / "one.json"), "--format", "tmj"]) == 0
    objects = json.loads(capsys.readouterr().out)["layers"][0]["objects"]
    assert [one["name"] for one in objects] == ["b", "a", "a", "b"]
    assert [one["properties"][0]["name"] for one in objects if "properties" in one] == ["face_down"]


def test_a_level_of_a_pack_is_exported(tmp_path: Path, capsys: Capture) -> None:
    recipe = new_project(tmp_path)
    out = tmp_path / "out"
    assert run(["build", str(recipe), "-o", str(out), "--prover", "none", "--jobs", "1", "--levels", "1"]) == 0
    capsys.readouterr()
    assert run(["export", f"{out}#1", "--format", "csv"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("x,y,z,face,face_down\n")
    assert len(read_layouts(table.encode(), "x").found[0].layout) == 22


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["blok", "--format", "csv"], 2),
        (["block"], 2),
        (["nowhere.yaml", "--format", "csv"], 2),
        (["nowhere#3", "--format", "csv"], 2),
        (["block", "-o", "there.csv"], 2),
        (["two.jsonl", "--format", "csv"], 2),
        (["two.jsonl", "--format", "csv", "--board", "2"], 0),
        (["two.jsonl", "--format", "csv", "--board", "3"], 2),
    ],
)
def test_what_cannot_be_exported_says_why(arguments: list[str], code: int, tmp_path: Path, capsys: Capture) -> None:
    new_project(tmp_path)
    (tmp_path / "there.csv").write_text("mine")
    board = {"ruleset": {"id": "pairs"}, "slots": [[0, 0, 0], [2, 0, 0]], "faces": ["a", "a"], "face_down": []}
    (tmp_path / "two.jsonl").write_text(json.dumps(board) + "\n" + json.dumps(board) + "\n")
    with working_in(tmp_path):
        assert run(["export", *arguments]) == code
    assert "Traceback" not in capsys.readouterr().err
    assert (tmp_path / "there.csv").read_text() == "mine"


# --- templates ---------------------------------------------------------------------------------------------------


def test_the_template_draws_each_layer_and_says_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "steps.mah").write_bytes(mah(mah_board(STEP, by="N. N.", name="Två steg")))
    assert run(["import", str(tmp_path / "steps.mah"), "-o", str(tmp_path / "out")]) == 0
    assert (
        (tmp_path / "out" / "tva-steg.yaml").read_text()
        == """\
template: tva-steg
title: "Två steg"
provenance: "ffalt/mah boards steps.mah, by N. N."
pieces:
  - drawing: |
      aabbccdd..
      aabbccddee
      AABB..DDee
      AABB..DD..
  - drawing: |
      aabb..
      aabbcc
      ....cc
    at: [1, 0]
    z: 1
"""
    )
    assert layout_in(tmp_path / "out" / "tva-steg.yaml") == STEP


def test_licence_and_provenance_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "a.lay").write_bytes(kyodai(STEP))
    words = ["--licence", 'CC BY "4.0": yes', "--provenance", "Drawn by us, 2026 #1"]
    assert run(["import", str(tmp_path / "a.lay"), "-o", str(tmp_path), *words]) == 0
    template = read_template(tmp_path / "step.yaml")
    assert (template.licence, template.provenance) == ('CC BY "4.0": yes', "Drawn by us, 2026 #1")
    assert run(["import", str(tmp_path / "a.lay"), "-o", str(tmp_path), "--licence", "x" * 81]) == 2


def test_an_imported_template_without_licence_is_refused_for_release(tmp_path: Path) -> None:
    recipe = new_project(tmp_path)
    block = tmp_path / "templates" / "shapes" / "block.yaml"
    block.write_text(block.read_text() + "provenance: found somewhere\n")
    command = ["build", str(recipe), "-o", str(tmp_path / "out"), "--prover", "none", "--jobs", "1"]
    assert run([*command, "--levels", "1"]) == 0
    before = tree(tmp_path / "out")
    order = Order.of(recipe)
    assert [finding.code for finding in order.unlicensed] == ["template/licence"]
    assert "templates/shapes/block.yaml:5:" in order.unlicensed[0].where
    block.write_text(block.read_text() + "licence: CC0-1.0\n")
    assert Order.of(recipe).unlicensed == ()
    final = _finished(order)
    with pytest.raises(AnswerIsNo) as caught:
        build(final, tmp_path / "out", new_key(), release=True)
    assert caught.value.findings == order.unlicensed
    assert tree(tmp_path / "out") == before


def _finished(order: Order) -> Order:
    """The order as if its artwork were final."""
    heading = order.heading
    finished = replace(heading, face_set=replace(heading.face_set, provisional=False))
    return replace(order, setup=replace(order.setup, heading=finished))


def test_counts_a_ruleset_cannot_use_are_told_with_the_trim(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.map").write_bytes(gnome(gnome_map(STEP)))
    command = ["import", str(tmp_path / "a.map"), "-o", str(tmp_path / "out"), "--licence", "CC0-1.0"]
    assert run([*command, "--ruleset", "triples"]) == 0
    talk = capsys.readouterr().err
    assert "11 tiles: triples takes multiples of 3" in talk
    assert "trim 2: without the tiles at" in talk
    assert "`tiles: 9`" in talk
    assert len(layout_in(tmp_path / "out" / "step.yaml")) == 11
    assert run([*command, "--ruleset", "triples", "--trim", "--force"]) == 0
    assert "takes multiples" not in capsys.readouterr().err
    assert len(layout_in(tmp_path / "out" / "step.yaml")) == 9
    assert run([*command, "--trim", "--force"]) == 2


@given(
    st.sets(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 3)), min_size=3, max_size=20),
    st.text(), st.booleans(), st.sampled_from(["pairs", "triples"]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_whatever_is_found_becomes_a_template(
    spots: set[tuple[int, int, int]], title: str, turn: bool, ruleset: str
) -> None:
    whole: set[tuple[int, int, int]] = set()
    for x, y, top in sorted(spots):
        if all(abs(x - u) > 1 or abs(y - v) > 1 for u, v, _ in whole):
            whole |= {(x, y, z) for z in range(top + 1)}
    (found,) = read_layouts(EXPORTS["json"](Outgoing(title, Layout.of(whole))), "x").found
    planned = plan_template(found, "any.json", "JSON", Names(), Wishes("CC0-1.0", "", ruleset, True, turn))
    template = parse_template(load(planned.text, "x.yaml", "template"))
    assert at_corner(compose(template, Library([template]), "any")) == planned.found.layout
    assert ruleset in planned.games or planned.warnings


def test_a_layout_too_wide_for_a_phone_has_its_own_canvas_or_is_turned(tmp_path: Path, capsys: Capture) -> None:
    wide = Layout.of((x, 0, 0) for x in range(0, 24, 2))
    (tmp_path / "wide.lay").write_bytes(kyodai(wide, b"Wide"))
    command = ["import", str(tmp_path / "wide.lay"), "-o", str(tmp_path), "--licence", "CC0-1.0"]
    assert run(command) == 0
    assert "--turn" in capsys.readouterr().err
    assert layout_in(tmp_path / "wide.yaml") == wide
    assert run([*command, "--turn", "--force"]) == 0
    assert "canvas" not in (tmp_path / "wide.yaml").read_text()
    assert layout_in(tmp_path / "wide.yaml") == Layout.of((0, x, 0) for x in range(0, 24, 2))


def test_the_report_is_json_when_asked_for(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.lay").write_bytes(kyodai(STEP))
    assert run(["import", str(tmp_path / "a.lay"), "-o", str(tmp_path), "--json"]) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert printed.err == ""
    assert (report["schema"], report["files"], len(report["templates"])) == ("levelgen/import/1", 1, 1)
    assert [one["code"] for one in report["warnings"]] == ["layout/odd-count", "import/licence"]


# --- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The Dragon", "the-dragon"),
        ("Crème brûlée!", "creme-brulee"),
        ("4 Winds", "layout-4-winds"),
        ("../../etc/passwd", "etc-passwd"),
        ("CON", "layout-con"),
        ("True", "layout-true"),
        ("-- x: *y", "x-y"),
        ("x" * 99, "x" * 40),
        ("ａｂｃ", "abc"),
        ("龍", name_of("龍")),
        ("", name_of("")),
    ],
)
def test_a_title_becomes_a_safe_name(title: str, name: str) -> None:
    assert name_of(title) == name


@given(st.lists(st.text(max_size=60), max_size=8))
@settings(max_examples=100, deadline=None)
def test_no_two_titles_get_one_name(titles: list[str]) -> None:
    names = Names()
    given_names = [names.new(title) for title in titles]
    assert len(set(given_names)) == len(titles)
    for name in given_names:
        assert name.isascii()
        assert name == name.lower()
        assert name[0].isalpha()
        assert len(name) <= 40


def test_layouts_of_one_name_are_numbered(tmp_path: Path) -> None:
    maps = gnome(gnome_map(STEP, "Cat"), gnome_map(FLAT, "CAT"), gnome_map(FLAT, "猫"), gnome_map(FLAT, "犬"))
    (tmp_path / "cats.map").write_bytes(maps)
    assert run(["import", str(tmp_path / "cats.map"), "-o", str(tmp_path / "out")]) == 0
    names = sorted(path.stem for path in (tmp_path / "out").iterdir())
    assert names == sorted(["cat", "cat-2", name_of("猫"), name_of("犬")])
    assert len(names) == 4
    assert layout_in(tmp_path / "out" / "cat-2.yaml") == FLAT
