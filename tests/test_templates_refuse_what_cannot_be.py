"""A template that cannot be is refused with the place of every mistake, and lint finds what only some seeds show."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from levelgen.document import load
from levelgen.errors import Finding, Malformed
from levelgen.recipe import lint
from levelgen.template import Library, compose, parse_template


def told(folder: Path, **files: str) -> list[Finding]:
    """What lint says of these templates, `name="pieces: …"`, in the order of the files."""
    shapes = folder / "templates" / "shapes"
    shapes.mkdir(parents=True, exist_ok=True)
    (folder / "faces").mkdir(exist_ok=True)
    for name, text in files.items():
        (shapes / f"{name}.yaml").write_text(f"template: {name}\n{dedent(text).strip(chr(10))}\n", encoding="utf-8")
    return list(lint([shapes]))


def codes(folder: Path, **files: str) -> list[str]:
    return [
        f"{finding.code.removeprefix('template/')} {finding.where.rpartition('/')[2]}"
        for finding in told(folder, **files)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pieces:\n  - grid: {columns: 10, rows: 2}", ["off-canvas it.yaml:3:5"]),
        ("canvas: {width: 6, height: 4, margin: 0}\npieces:\n  - grid: {columns: 2, rows: 3}",
         ["off-canvas it.yaml:4:5"]),
        ("canvas: {layers: 2}\npieces:\n  - grid: {columns: 2, rows: 3}\n    stack: 3", ["off-canvas it.yaml:4:5"]),
        ("pieces:\n  - grid: {columns: 2}\n  - grid: {columns: 1}\n    at: [3, 0]", ["overlap it.yaml:3:3"]),
        ("pieces:\n  - grid: {columns: 2}\n  - grid: {columns: 1}\n    at: [8, 0]\n    z: 1",
         ["unsupported it.yaml:3:3"]),
        ("pieces:\n  - subtract: [{grid: {columns: 2}}, {grid: {columns: 3}}]", ["empty it.yaml:3:3"]),
        ("pieces:\n  - grid: {columns: $width}", ["unknown-parameter it.yaml:3:21"]),
        ("pieces:\n  - grid: {columns: {range: [5, 3]}}", ["range it.yaml:3:29"]),
        ("pieces:\n  - grid: {columns: {range: [5, 60]}}", ["range it.yaml:3:33"]),
        ("pieces:\n  - drawing: |\n      aa\n      ab",
         ["broken-tile it.yaml:4:7", "broken-tile it.yaml:4:8", "broken-tile it.yaml:5:7", "broken-tile it.yaml:5:8"]),
        ("pieces:\n  - drawing: '...'", ["drawing it.yaml:3:14"]),
        ("pieces:\n  - grid: {columns: 2}\n    with: {rows: 3}", ["with it.yaml:4:5"]),
        ("parameters: {width: 3}\npieces:\n  - grid: {columns: 2}", ["unused-parameter it.yaml:2:14"]),
        ("pieces:\n  - template: nowhere", ["unknown-template it.yaml:3:15"]),
        ("pieces:\n  - template: it", ["recursion it.yaml:3:15"]),
        ("pieces:\n  - grid: {columns: 40, rows: 40}\n    repeat: {count: 9, by: [0, 1]}",
         ["too-many-tiles it.yaml:3:5"]),
        ("pieces:\n  - grid: {columns: '3 + - $x'}", ["formula it.yaml:3:21"]),
        ("pieces:\n  - grid: {}\n    repeat: {count: 3}", ["missing-key it.yaml:4:13"]),
        ("pieces:\n  - grid: {}\n    repeat: {columns: 3, by: [1, 1]}", ["missing-key it.yaml:4:13"]),
        ("pieces:\n  - grid: {}\n    repeat: {by: [1, 1]}", ["missing-key it.yaml:4:13"]),
        ("pieces:\n  - grid: {}\n    stack: {inset: 1}", []),
        ("pieces: []", ["length it.yaml:2:9"]),
        ("pieces:\n  - 7", ["type it.yaml:3:5"]),
    ],
)  # fmt: skip
def test_each_mistake_is_told_at_its_place(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert codes(tmp_path, it=text) == expected


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    assert codes(
        tmp_path,
        a="pieces:\n  - gird: {}\n  - ring: {columns: x}",
        b="pieces:\n  - template: c\n  - template: d",
        c="pieces:\n  - grid: {}\n    at: [0, 0, 0]",
    ) == [
        "unknown-key a.yaml:3:5",
        "value a.yaml:4:21",
        "length c.yaml:4:9",
        "unknown-template b.yaml:4:15",
    ]


def test_misspelt_shapes_templates_parameters_and_arguments_get_a_suggestion(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        turtle="parameters: {width: 3}\npieces:\n  - grid: {columns: $widht}",
        user="pieces:\n  - template: turtel\n  - rign: {columns: 3}",
        bar="parameters: {length: 3}\npieces:\n  - grid: {columns: $length}",
        two="pieces:\n  - template: bar\n    with: {lenght: 2}",
    )
    fixes = {finding.fix for finding in found}
    assert {"did you mean `width`?", "did you mean `ring`?", "did you mean `length`?"} <= fixes


def test_an_argument_to_a_template_without_parameters_is_to_be_left_out(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, dot="pieces:\n  - grid: {columns: 1, rows: 1}",
                      it="pieces:\n  - template: dot\n    with: {columns: 2}")  # fmt: skip
    assert (finding.code, finding.fix) == ("template/unknown-argument", "leave it out")


def test_an_unknown_template_is_suggested(tmp_path: Path) -> None:
    (finding,) = told(tmp_path, turtle="pieces:\n  - grid: {}", user="pieces:\n  - template: turtel")
    assert (finding.code, finding.fix) == ("template/unknown-template", "did you mean `turtle`?")


def test_a_circle_of_templates_is_told_once_with_its_chain(tmp_path: Path) -> None:
    (finding,) = told(
        tmp_path,
        a="pieces:\n  - template: b",
        b="pieces:\n  - grid: {}\n  - unite: [{template: c}]",
        c="pieces:\n  - template: a",
    )
    assert finding.code == "template/recursion"
    assert "a → b → c → a" in finding.message


def test_a_template_is_not_blamed_for_the_one_it_uses(tmp_path: Path) -> None:
    assert codes(tmp_path, broken="pieces:\n  - grid: {columns: 0}", user="pieces:\n  - template: broken") == [
        "range broken.yaml:3:21"
    ]


def test_the_name_is_that_of_the_file(tmp_path: Path) -> None:
    shapes = tmp_path / "templates" / "shapes"
    shapes.mkdir(parents=True)
    (shapes / "one.yaml").write_text("template: two\npieces:\n  - grid: {}\n", encoding="utf-8")
    assert [finding.code for finding in lint([shapes])] == ["template/name"]


def test_the_piece_that_leaves_the_canvas_is_pointed_at(tmp_path: Path) -> None:
    text = "pieces:\n" + "".join(f"  - grid: {{columns: 2}}\n    at: [{x}, 0]\n" for x in (0, 60, 6))
    assert codes(tmp_path, it=text) == ["off-canvas it.yaml:5:5"]
    text = "pieces:\n  - grid: {columns: 40}\n  - grid: {columns: 2}\n"
    assert codes(tmp_path, it=text) == ["off-canvas it.yaml:3:5"]


def test_a_number_that_is_none_is_told_once(tmp_path: Path) -> None:
    assert codes(tmp_path, it="pieces:\n  - grid: {columns: 500.5}\n  - grid: {rows: -1.5}") == [
        "type it.yaml:3:21", "type it.yaml:4:18"
    ]  # fmt: skip


def test_a_fault_that_only_some_seeds_show_is_found(tmp_path: Path) -> None:
    text = "parameters: {width: {range: [1, 40]}}\npieces:\n  - grid: {columns: $width, rows: 2}"
    assert codes(tmp_path, it=text) == ["off-canvas it.yaml:4:5"]  # once, though each seed has another number


def test_templates_that_multiply_are_stopped(tmp_path: Path) -> None:
    files = {"t0": "pieces:\n  - choose: [{grid: {columns: 1, rows: 1}}, {grid: {columns: 1, rows: 1}}]"}
    for depth in range(1, 8):
        uses = "\n".join(f"  - template: t{depth - 1}\n    at: [0, 0]" for _ in range(8))
        files[f"t{depth}"] = f"pieces:\n{uses}"
    assert {finding.code for finding in told(tmp_path, **files)} == {"template/too-many-pieces"}


def test_a_formula_may_not_leave_the_bounds_of_its_shape() -> None:
    text = "template: it\nparameters: {n: 3}\npieces:\n  - grid: {columns: '$n - 3'}\n"
    made = parse_template(load(text, "it.yaml", "template"))
    with pytest.raises(Malformed) as caught:
        compose(made, Library([made]), "1")
    (finding,) = caught.value.findings
    assert (finding.code, finding.where) == ("template/range", "it.yaml:4:5")


def test_a_library_has_each_name_once() -> None:
    text = "template: it\npieces:\n  - grid: {}\n"
    twice = [parse_template(load(text, name, "template")) for name in ("a/it.yaml", "b/it.yaml")]
    with pytest.raises(Malformed) as caught:
        Library(twice)
    assert caught.value.findings[0].code == "template/duplicate-name"


def test_files_that_are_neither_template_nor_recipe_are_told(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("colour: green\n", encoding="utf-8")
    assert [finding.code for finding in lint([tmp_path])] == ["document/kind"]
    with pytest.raises(Malformed):
        lint([tmp_path / "no-such-folder"])
