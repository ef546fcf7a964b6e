"""Empty variables, careless paths, signals and closed pipes: what a hurried person or a CI job gets wrong."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from levelgen.cli import run
from tests.patience import PATIENCE, happens, kept_in
from tests.project import RECIPE, ROOT, new_project, tree, working_in

Capture = pytest.CaptureFixture[str]
LEVELGEN = [sys.executable, "-c", "from levelgen.cli import main; main()"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("careless")
    new_project(folder)
    assert run(["build", str(folder / "templates/packs/probe.yaml"), "-o", str(folder / "out"), "--jobs", "1"]) == 0
    return folder


def build(project: Path, *options: str) -> int:
    return run(["build", str(project / "templates/packs/probe.yaml"), "--prover", "none", "--jobs", "1", *options])


def test_an_empty_password_is_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "")
    assert run(["keys", "new", str(tmp_path / "studio")]) == 2
    assert "$LEVELGEN_KEY_PASSWORD: is empty" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_empty_key_is_not_the_demonstration_key(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["verify", str(project / "out")]) == 0
    assert run(["verify", str(project / "out"), "--key", ""]) == 2
    monkeypatch.setenv("LEVELGEN_KEY", "")
    assert run(["verify", str(project / "out")]) == 2


def test_a_pack_without_its_certificates_is_not_certified(project: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(project / "out", tmp_path / "copy")
    assert run(["verify", "--certified", str(copy)]) == 0
    (copy / "certificates.jsonl").unlink()
    assert run(["verify", str(copy)]) == 0
    assert run(["verify", "--certified", str(copy)]) == 3


@pytest.mark.parametrize("client", ["out", "client.zip", "nowhere/client.lgpack"])
def test_a_client_edition_that_cannot_be_written_stops_the_build_before_it_begins(
    project: Path, capsys: Capture, client: str
) -> None:
    before = tree(project / "out")
    assert build(project, "-o", str(project / "out"), "--levels", "1", "--client", str(project / client)) == 2
    assert client in capsys.readouterr().err
    assert tree(project / "out") == before


def test_one_pack_does_not_replace_another(project: Path, tmp_path: Path, capsys: Capture) -> None:
    before = tree(project / "out")
    other = new_project(tmp_path, recipe=RECIPE.replace("pack: probe", "pack: other"))
    assert run(["build", str(other), "-o", str(project / "out"), "--prover", "none"]) == 2
    assert "holds the pack probe" in capsys.readouterr().err
    assert tree(project / "out") == before


def test_what_can_be_made_again_is_replaced_and_what_people_write_is_not(project: Path, tmp_path: Path) -> None:
    drawing, layout = tmp_path / "curve.svg", tmp_path / "block.json"
    with working_in(project):
        drawing.write_text("old")
        assert run(["curve", "out", "-o", str(drawing)]) == 0
        assert drawing.read_text() != "old"
        layout.write_text("mine")
        assert run(["export", "block", "-o", str(layout)]) == 2
        assert layout.read_text() == "mine"
        assert run(["export", "block", "-o", str(layout), "--force"]) == 0


def test_a_release_is_refused_for_everything_at_once_before_it_is_built(project: Path, capsys: Capture) -> None:
    assert build(project, "-o", str(project / "release"), "--release") == 1
    talk = capsys.readouterr().err
    assert "DEMONSTRATION" in talk
    assert "provisional" in talk
    assert not (project / "release").exists()


def test_a_date_is_written_one_way() -> None:
    for date in ("2026-W49-2", "20261201", "2026-1-2", "2026-02-30", ""):
        assert run(["daily", "--date", date]) == 2


def test_nothing_to_lint_is_not_nothing_wrong(tmp_path: Path) -> None:
    assert run(["lint", str(tmp_path)]) == 5


def test_usage_errors_are_json_too(capsys: Capture) -> None:
    assert run(["verify", "--json"]) == 2
    assert '"schema": "levelgen/error/1"' in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_polite_kill_ends_every_worker_and_leaves_nothing_behind(
    project: Path, tmp_path: Path, number: signal.Signals
) -> None:
    new_project(tmp_path, recipe=RECIPE.replace("1..3", "1..5000"))
    command = [
        *LEVELGEN,
        "build",
        str(tmp_path / "templates/packs/probe.yaml"),
        "-o",
        str(tmp_path / "out"),
        "--jobs",
        "2",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "LEVELGEN_CACHE": str(tmp_path / "cache")}
    child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert happens(lambda: kept_in(tmp_path / "cache") or child.poll() is not None), "both workers are at it"
    child.send_signal(number)
    _, talk = child.communicate(timeout=PATIENCE)  # returns only once no worker holds the pipes any more
    assert child.returncode == 130, talk
    assert "Traceback" not in talk
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def test_a_full_disk_under_stdout_is_the_systems_fault() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*LEVELGEN, "verify", "nowhere", "--json"], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 6
    assert "Traceback" not in done.stderr


def test_a_pipe_in_the_place_of_a_file_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pack")
    assert run(["verify", str(tmp_path / "pack")]) == 2
    recipe = new_project(tmp_path)
    os.mkfifo(recipe.parent.parent / "shapes" / "pipe.yaml")
    assert run(["lint", str(recipe.parent.parent)]) == 1
