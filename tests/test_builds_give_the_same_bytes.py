"""The same recipe gives the same bytes: twice, with one worker and with two, after a kill; or nothing at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.pack.archive import MANIFEST
from tests.project import BLOCK, ROOT, new_project, tree


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    recipe = new_project(folder)
    assert run(["build", str(recipe), "-o", str(folder / "one"), "--jobs", "1", "--prover", "none"]) == 0
    return folder


def test_a_second_build_gives_the_same_bytes(built: Path) -> None:
    recipe = built / "templates/packs/probe.yaml"
    assert run(["build", str(recipe), "-o", str(built / "again"), "--jobs", "1", "--prover", "none"]) == 0
    assert tree(built / "again") == tree(built / "one")


def test_two_workers_give_the_same_bytes_as_one(built: Path) -> None:
    recipe = built / "templates/packs/probe.yaml"
    assert run(["build", str(recipe), "-o", str(built / "two"), "--jobs", "2", "--prover", "dfs"]) == 0
    assert tree(built / "two") == tree(built / "one")


def test_hash_seed_locale_time_zone_and_place_do_not_matter(built: Path, tmp_path: Path) -> None:
    recipe = new_project(tmp_path / "a folder with blanks · é")
    environment = os.environ | {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-c",
        "from levelgen.cli import main; main()",
        "build",
        str(recipe),
        "-o",
        "out",
        "--jobs",
        "1",
    ]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert tree(tmp_path / "out") == tree(built / "one")


def test_a_build_over_an_old_pack_replaces_it_whole(built: Path) -> None:
    out = built / "replaced"
    recipe = built / "templates/packs/probe.yaml"
    assert run(["build", str(recipe), "-o", str(out), "--levels", "1", "--prover", "none"]) == 0
    assert run(["build", str(recipe), "-o", str(out), "--prover", "none"]) == 0
    assert tree(out) == tree(built / "one")


def test_a_build_that_fails_leaves_the_old_pack(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = tree(built / "one")
    broken = new_project(built / "broken", block=BLOCK.replace("columns: 5", "columns: 20"))
    assert run(["build", str(broken), "-o", str(built / "one")]) == 2
    assert "off-canvas" in capsys.readouterr().err
    assert tree(built / "one") == before
    assert not list(built.glob(".one*"))


def test_a_directory_that_is_no_pack_is_never_replaced(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    precious = built / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    assert run(["build", str(built / "templates/packs/probe.yaml"), "-o", str(precious)]) == 2
    assert "no pack" in capsys.readouterr().err
    assert tree(precious) == {"thesis.txt": b"years of work"}


@pytest.mark.parametrize("moment", [0.3, 0.9, 1.5])
def test_a_kill_leaves_the_old_pack_and_the_next_build_is_whole(built: Path, tmp_path: Path, moment: float) -> None:
    recipe, out = built / "templates/packs/probe.yaml", tmp_path / "pack"
    assert run(["build", str(recipe), "-o", str(out), "--levels", "1", "--prover", "none"]) == 0
    before = tree(out)
    command = [
        sys.executable,
        "-c",
        "from levelgen.cli import main; main()",
        "build",
        str(recipe),
        "-o",
        str(out),
        "--jobs",
        "1",
    ]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(moment)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert (out / MANIFEST).is_file()
    assert tree(out) in (before, tree(built / "one"))
    assert run(["build", str(recipe), "-o", str(out), "--prover", "none"]) == 0
    assert tree(out) == tree(built / "one")


def test_part_of_a_recipe_makes_the_same_levels(built: Path) -> None:
    recipe = built / "templates/packs/probe.yaml"
    assert run(["build", str(recipe), "-o", str(built / "part"), "--levels", "2..3", "--prover", "none"]) == 0
    whole = (built / "one" / "levels.jsonl").read_bytes().splitlines()
    assert (built / "part" / "levels.jsonl").read_bytes().splitlines() == whole[1:]
