"""What was finished is never made again; what changed always is; and the bytes are those of an undisturbed build."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from levelgen import inputs
from levelgen.build import Order, Summary, build
from levelgen.cache import Cache
from levelgen.cli import run
from levelgen.pack.signing import demo_key
from tests.patience import happens, kept_in
from tests.project import BLOCK, ROOT, TOP, TRIPLES, new_project, tree

RECIPE = (
    TRIPLES
    + """\
par: solved
levels:
  - levels: 1..24
    templates: [[block], [top]]
    tiles: 18
"""
)


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe of twenty-four levels, made of two templates in turn, and an empty cache."""
    monkeypatch.setenv("LEVELGEN_CACHE", str(tmp_path / "cache"))
    path = new_project(tmp_path / "project", recipe=RECIPE)
    (path.parent.parent / "shapes" / "top.yaml").write_text(TOP.replace("columns: 2", "columns: 6"))
    return path


def made(recipe: Path, out: Path, **options: Any) -> Summary:
    """Build with the cache; what it did."""
    order = Order.of(recipe, previews=options.pop("previews", False))
    with Cache.open(recipe.parents[3] / "cache") as cache:
        return build(order, out, demo_key(), cache=cache, **options)


def test_a_second_build_makes_nothing_and_gives_the_same_bytes(recipe: Path, tmp_path: Path) -> None:
    first = made(recipe, tmp_path / "out", previews=True)
    assert (first.made, first.kept) == (24, 0)
    before = tree(tmp_path / "out")
    second = made(recipe, tmp_path / "out", previews=True)
    assert (second.made, second.kept) == (0, 24)
    assert tree(tmp_path / "out") == before
    build(Order.of(recipe), tmp_path / "without", demo_key())
    assert tree(tmp_path / "without") == before


def test_a_changed_template_makes_only_the_levels_that_use_it_anew(recipe: Path, tmp_path: Path) -> None:
    made(recipe, tmp_path / "out")
    lines = (tmp_path / "out/levels.jsonl").read_bytes().splitlines()
    using = sum(json.loads(line)["templates"] == ["block"] for line in lines)
    shapes = recipe.parent.parent / "shapes"
    (shapes / "block.yaml").write_text(BLOCK.replace("columns: 5", "columns: 6"))
    summary = made(recipe, tmp_path / "out")
    assert (summary.made, summary.kept) == (using, 24 - using)
    assert 0 < using < 24
    build(Order.of(recipe, previews=False), tmp_path / "anew", demo_key())
    assert tree(tmp_path / "out") == tree(tmp_path / "anew")


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("title: Probe", "title: Another", 24),
        ("levels: 1..24", "levels: 1..30", 24),
        ("version: 1", "version: 2", 24),
        ("seed: probe", "seed: other", 0),
        ("pack: probe", "pack: other", 0),
        ("tiles: 18", "tiles: 21", 0),
        ("tray: 7", "tray: 6", 0),
    ],
)
def test_what_a_level_depends_on_decides(recipe: Path, tmp_path: Path, old: str, new: str, kept: int) -> None:
    text = RECIPE.replace("{id: triples}", "{id: triples, tray: 7}")
    recipe.write_text(text)
    made(recipe, tmp_path / "out")
    assert old in text
    recipe.write_text(text.replace(old, new))
    assert made(recipe, tmp_path / "other").kept == kept


def test_levels_of_other_code_are_not_used(recipe: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(recipe, tmp_path / "out")
    assert len(inputs.code_digest(compiled=True)) == 64
    assert inputs.code_digest(compiled=True) != inputs.code_digest(compiled=False)
    monkeypatch.setattr(inputs, "code_digest", lambda compiled: "other")
    assert made(recipe, tmp_path / "out").kept == 0


def test_a_damaged_entry_is_found_and_made_anew(recipe: Path, tmp_path: Path) -> None:
    import sqlite3

    made(recipe, tmp_path / "out")
    before = tree(tmp_path / "out")
    base = sqlite3.connect(tmp_path / "cache" / "levels.sqlite")
    base.execute("UPDATE entry SET data = zeroblob(length(data)) WHERE id % 3 = 0")
    base.commit()
    base.close()
    summary = made(recipe, tmp_path / "out")
    assert (summary.made, summary.kept, summary.damaged) == (8, 16, 8)
    assert tree(tmp_path / "out") == before


def command(recipe: Path, out: Path, *options: str) -> list[str]:
    code = "from levelgen.cli import main; main()"
    return [
        sys.executable,
        "-c",
        code,
        "build",
        str(recipe),
        "-o",
        str(out),
        "--prover",
        "none",
        "--no-previews",
        *options,
    ]


@pytest.mark.parametrize(("jobs", "kill"), [(1, signal.SIGKILL), (2, signal.SIGINT)])
def test_a_killed_build_goes_on_and_gives_the_same_bytes(
    recipe: Path, tmp_path: Path, jobs: int, kill: signal.Signals
) -> None:
    recipe.write_text(RECIPE.replace("1..24", "1..9000"))
    out, report = tmp_path / "out", tmp_path / "report.json"
    child = subprocess.Popen(
        command(recipe, out, "--jobs", str(jobs)), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert happens(lambda: kept_in(tmp_path / "cache") or child.poll() is not None)
    child.send_signal(kill)
    _, talk = child.communicate()
    assert child.returncode == (130 if kill == signal.SIGINT else -9), talk
    assert b"Traceback" not in talk
    assert not out.exists()
    kept = kept_in(tmp_path / "cache")
    again = command(recipe, out, "--jobs", "1", "--levels", f"1..{kept + 40}")[3:]
    assert run([*again, "--report", str(report)]) == 0
    told = json.loads(report.read_text())
    assert 0 < told["kept"] <= kept
    assert told["made"] + told["kept"] == kept + 40
    before = tree(out)
    assert run([*again, "--no-cache"]) == 0
    assert tree(out) == before
    assert sorted(name for name in os.listdir(tmp_path) if name.startswith(".")) == []


def test_no_cache_keeps_nothing_and_takes_nothing(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def build(out: str, *options: str) -> str:
        assert run(["build", str(recipe), "-o", str(tmp_path / out), "--no-previews", "--jobs", "1", *options]) == 0
        return capsys.readouterr().err

    assert "in the cache" not in build("fresh", "--no-cache")
    assert not (tmp_path / "cache").exists()
    assert "in the cache" not in build("kept")
    assert "24 of the levels were in the cache" in build("elsewhere")
    assert "in the cache" not in build("anew", "--no-cache")


def test_a_report_says_what_a_build_did(recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    options = ["--no-previews", "--jobs", "1", "--report", str(report), "--json"]
    assert run(["build", str(recipe), "-o", str(tmp_path / "out"), "--prover", "dfs", *options]) == 0
    told = json.loads(report.read_text())
    assert told["schema"] == "levelgen/build-report/1"
    assert (told["pack"], told["levels"], told["made"], told["kept"]) == ("probe", 24, 24, 0)
    assert sum(told["provers"]["dfs"].values()) == 24
    assert told["merkle_root"] == json.loads(capsys.readouterr().out)["merkle_root"]
    assert told["peak_memory_kib"]["own"] > 0
    assert told["seconds"] > 0


def test_a_report_takes_the_place_of_nothing_else(
    recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def asked(report: Path) -> tuple[int, str]:
        code = run(["build", str(recipe), "-o", str(tmp_path / "out"), "--no-previews", "--report", str(report)])
        return code, capsys.readouterr().err

    for place, code in ((recipe, "build/report"), (tmp_path / "none" / "r.json", "output/folder")):
        answer, talk = asked(place)
        assert answer == 2
        assert code in talk
    assert recipe.read_text() == RECIPE
    assert not (tmp_path / "out").exists()  # told before anything was made
    report = tmp_path / "report.json"
    for _ in range(2):  # an old report is replaced
        assert asked(report)[0] == 0


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo])
@pytest.mark.parametrize(
    ("option", "name"), [("--lock", "probe.lock"), ("--locked", "probe.lock"), ("--archive", "out.lgpack")]
)
def test_a_folder_or_a_pipe_in_the_place_of_a_file_is_told_before_anything_is_made(
    recipe: Path, put: Callable[[Path], None], option: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = recipe.with_name(name)
    put(place)
    out = recipe.with_name("out")
    assert run(["build", str(recipe), "-o", str(out), "--no-previews", "--jobs", "1", option]) == 2
    assert str(place) in capsys.readouterr().err
    assert not out.exists()


def test_a_lock_is_kept_or_the_build_refused(recipe: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def build_it(*options: str) -> tuple[int, str]:
        code = run(["build", str(recipe), "-o", str(tmp_path / "out"), "--no-previews", "--jobs", "1", *options])
        return code, capsys.readouterr().err

    assert build_it("--locked")[0] == 2  # there is none
    assert build_it("--lock")[0] == 0
    locked = (recipe.parent / "probe.lock").read_bytes()
    assert build_it("--locked")[0] == 0
    before = tree(tmp_path / "out")
    block = recipe.parent.parent / "shapes" / "block.yaml"
    block.write_text(BLOCK.replace("columns: 5", "columns: 6"))
    code, talk = build_it("--locked")
    assert code == 1
    assert "the template block is not what it was" in talk
    assert "top" not in talk
    assert tree(tmp_path / "out") == before
    recipe.write_text(RECIPE.replace("seed: probe", "seed: other"))
    block.write_text(BLOCK)
    code, talk = build_it("--locked")
    assert (code, "the recipe is not what it was" in talk, "block" in talk) == (1, True, False)
    assert (recipe.parent / "probe.lock").read_bytes() == locked
    assert build_it("--lock")[0] == 0
    assert build_it("--locked")[0] == 0
    (recipe.parent / "probe.lock").write_text("{}")
    assert build_it("--locked")[0] == 2
    assert build_it("--lock", "--levels", "1..2")[0] == 2
