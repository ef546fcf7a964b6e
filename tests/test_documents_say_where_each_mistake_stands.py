"""YAML becomes plain data, and every mistake in it is told with file, line, column, source line and caret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.document import MAX_BYTES, MAX_DEPTH, MAX_NODES, Document, load, read
from levelgen.errors import Finding, Malformed


def findings(text: str | bytes, schema: str = "") -> list[Finding]:
    with pytest.raises(Malformed) as caught:
        load(text, "f.yaml", schema)
    return list(caught.value.findings)


def codes(text: str | bytes, schema: str = "") -> list[str]:
    return [f"{finding.code} {finding.where.removeprefix('f.yaml:')}" for finding in findings(text, schema)]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("no", "no"), ("on", "on"), ("y", "y"), ("12:30", "12:30"), ("2026-11-30", "2026-11-30"), ("1_000", "1_000"),
        ("010", 10), ("0o10", 8), ("0x1F", 31), ("-7", -7), ("+7", 7), ("1.5", 1.5), ("1e3", 1000.0), (".5", 0.5),
        ("true", True), ("FALSE", False), ("~", None), ("", None), ("null", None), ("'7'", "7"), ('"true"', "true"),
        ("|\n  7\n", "7\n"), ("0b1", "0b1"), ("=", "="),
    ],
)  # fmt: skip
def test_scalars_follow_the_yaml_1_2_core_schema(scalar: str, value: Any) -> None:
    found = load(f"a: {scalar}\n", "f.yaml").data["a"]
    assert (found, type(found)) == (value, type(value))


def test_any_value_can_be_asked_for_its_place() -> None:
    doc = load("levels:\n  - tiles: 16\n  - {tiles: [1, 22]}\n", "f.yaml")
    assert doc.place() == "f.yaml:1:1"
    assert doc.place("levels", 0, "tiles") == "f.yaml:2:12"
    assert doc.place("levels", 0, "tiles", key=True) == "f.yaml:2:5"
    assert doc.place("levels", 1, "tiles", 1) == "f.yaml:3:17"
    assert doc.place("levels", 1, "no", "such") == "f.yaml:3:5"


def test_a_list_at_the_root_has_places_too() -> None:
    doc = load("- a\n- b\n", "f.yaml")
    assert (doc.place(), doc.place(0), doc.place(1)) == ("f.yaml:1:1", "f.yaml:1:3", "f.yaml:2:3")


def test_a_finding_shows_the_line_with_a_caret_under_the_column() -> None:
    (finding,) = findings("tiles: 4\n  \ncolour: [1, &x 2]\n")
    assert finding.where == "f.yaml:3:13"
    line, caret = finding.source.splitlines()
    assert line == "    3 | colour: [1, &x 2]"
    assert line[caret.index("^")] == "&"


def test_a_very_long_line_is_shown_around_the_mistake_only() -> None:
    (finding,) = findings("a: '" + "x" * 5000 + "'\n" + "b: [" + "1, " * 3000 + "*x]\n")
    line, caret = finding.source.splitlines()
    assert len(line) < 150
    assert line[caret.index("^")] == "*"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", ["document/duplicate-key 3:1"]),
        ("a:\n  b: 1\n  b: {c: 1, c: 2}\n", ["document/duplicate-key 3:13", "document/duplicate-key 3:3"]),
        ("a:\n\tb: 1\n\tc: 2\n", ["document/tab 2:1", "document/tab 3:1"]),
        ("a: &x [1]\nb: *x\n", ["document/anchor 1:4", "document/anchor 2:4"]),
        ("*x : 1\n", ["document/anchor 1:1"]),
        ("a: !!python/name:os.system x\n", ["document/tag 1:4"]),
        ("a: !local 1\n", ["document/tag 1:4"]),
        ("a: 1\n---\nb: 2\n", ["document/many-documents 2:1"]),
        ("[a, b]: 1\n", ["document/key 1:1"]),
        ("a: .inf\nb: -.INF\nc: .nan\n", ["document/number 1:4", "document/number 2:4", "document/number 3:4"]),
        ("a: " + "9" * 5000 + "\n", ["document/number 1:4"]),
        ("a: 'open\n", ["document/syntax 2:1"]),
        ("a: b: c\n", ["document/syntax 1:5"]),
        ("a: \x07\n", ["document/character 1:4"]),
        ("", ["document/empty 1:1"]),
        ("# nothing but a remark\n", ["document/empty 1:1"]),
    ],
)
def test_what_yaml_allows_but_we_do_not_is_told_with_its_place(text: str, expected: list[str]) -> None:
    assert sorted(codes(text)) == expected


@pytest.mark.parametrize(
    ("raw", "code", "where"),
    [
        (b"\xef\xbb\xbfa: 1\n", "document/encoding", "1:1"),
        ("a: 1\n".encode("utf-16"), "document/encoding", "1:1"),
        (b"a: 1\nb: caf\xe9\n", "document/encoding", "2:7"),
        (b"a: 1\r\nb: 2\r\n", "document/newlines", "1:5"),
        (b"#" * (MAX_BYTES + 1), "document/too-big", "1:1"),
    ],
)
def test_wrong_encodings_line_ends_and_sizes_say_how_to_mend_them(raw: bytes, code: str, where: str) -> None:
    (finding,) = findings(raw)
    assert (finding.code, finding.where) == (code, f"f.yaml:{where}")
    assert finding.fix


def test_deep_wide_and_exploding_documents_are_refused_before_they_are_built() -> None:
    assert codes("[" * 100) == [f"document/too-deep 1:{MAX_DEPTH + 1}"]
    assert codes("{a: " * 100) == [f"document/too-deep 1:{4 * MAX_DEPTH + 1}"]
    assert len(codes("[" * 900_000)) == len(codes("{a: " * 200_000)) == 1
    assert codes("- 1\n" * (MAX_NODES + 1))[0].startswith("document/too-many-nodes")
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert all(code.startswith("document/anchor") for code in codes(bomb))


def test_a_missing_file_and_a_folder_are_no_documents(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path, tmp_path / "none" / "x.yaml"):
        with pytest.raises(Malformed) as caught:
            read(path)
        code = "document/directory" if path == tmp_path else "document/missing"
        assert caught.value.findings[0].code == code


def test_every_schema_error_is_reported_at_once_in_the_order_of_the_file() -> None:
    text = """\
template: Turtle
colour: green
pieces:
  - grid: {columns: 0, rows: 5, rowz: 3}
    at: [1]
  - grid: {columns: 2.0}
  - {at: [1, 2]}
  - {grid: {}, ring: {}}
tags: [a, a]
"""
    assert codes(text, "template") == [
        "template/value 1:11",
        "template/unknown-key 2:1",
        "template/range 4:21",
        "template/unknown-key 4:33",
        "template/length 5:9",
        "template/type 6:21",
        "template/missing-key 7:5",
        "template/too-many-kinds 8:16",
        "template/repeat 9:7",
    ]


def test_a_misspelt_key_gets_a_suggestion() -> None:
    (finding,) = findings("template: a\npieces:\n  - grdi: {columns: 2}\n    grid: {}\n", "template")
    assert finding.fix == "did you mean `grid`?"


def test_a_number_never_passes_for_a_truth_value_or_a_float_for_a_number() -> None:
    assert codes("template: a\npieces:\n  - grid: {columns: true, rows: 3.0}\n", "template") == [
        "template/type 3:21",
        "template/type 3:33",
    ]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text("ab:-[]{}&*!|>'\"#\n \t,?%@0.", max_size=80).map(str.encode)))
def test_whatever_bytes_are_read_the_answer_is_a_document_or_findings_with_places(raw: bytes) -> None:
    told: tuple[Finding, ...] = ()
    try:
        assert isinstance(load(raw, "f.yaml", "template"), Document)
    except Malformed as error:
        told = error.findings
    assert all(finding.where.startswith("f.yaml:") for finding in told)
