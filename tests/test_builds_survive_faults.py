"""Disks fill, directories vanish, workers die, people press Ctrl-C forty times: a build says so and loses nothing."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from levelgen.build import Order, build
from levelgen.cache import Cache
from levelgen.cli import run
from levelgen.cli.talk import Progress
from levelgen.errors import SystemFailed
from levelgen.pack.disk import claimed
from levelgen.pack.signing import demo_key
from tests.patience import PATIENCE, happens
from tests.project import ROOT, TRIPLES, new_project, tree

RECIPE = (
    TRIPLES
    + """\
par: solved
levels:
  - levels: 1..12
    templates: [[block]]
    tiles: 18
"""
)
Popen = subprocess.Popen[str]
MAIN = "from levelgen.cli import main; main()"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe of twelve small levels."""
    return new_project(tmp_path_factory.mktemp("project"), recipe=RECIPE)


@pytest.fixture(scope="module")
def whole(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The pack of an undisturbed build."""
    out = tmp_path_factory.mktemp("whole") / "out"
    build(Order.of(project, previews=False), out, demo_key())
    return tree(out)


def options(out: Path, jobs: int = 1) -> list[str]:
    return ["-o", str(out), "--no-previews", "--prover", "none", "--jobs", str(jobs)]


def start(
    project: Path, out: Path, cache: Path, environment: dict[str, str] | None = None, *, jobs: int = 1, before: str = ""
) -> Popen:
    """A build in a process of its own; `before` is run in it first."""
    given = os.environ | {"LEVELGEN_CACHE": str(cache), "PYTHONPATH": str(ROOT)} | (environment or {})
    return subprocess.Popen(
        [sys.executable, "-c", f"{before}\n{MAIN}", "build", str(project), *options(out, jobs)],
        env=given, cwd=out.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(child: Popen) -> tuple[int, str]:
    _, talk = child.communicate(timeout=PATIENCE)
    assert "Traceback" not in talk
    return child.returncode, talk


def leftovers(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
"""


def test_a_file_that_cannot_grow_is_told_and_the_old_pack_stays(project: Path, tmp_path: Path) -> None:
    """A limit on file sizes works everywhere and fails writes as a full disk does, with another number."""
    code, talk = ended(start(project, tmp_path / "out", tmp_path / "cache", before=LIMITED))
    assert code == 6, talk
    assert "File too large" in talk
    assert os.listdir(tmp_path) in (["cache"], [])


@pytest.fixture
def tiny_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of 64 KiB; where none may be mounted, a folder in which no more than that can be written."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode == 0:
        yield folder
        subprocess.run(["umount", str(folder)], check=True)
        return
    from levelgen.pack import write

    real, left = write._Marked.write, [64 * 1024]

    def until_full(self: write._Marked, data: bytes) -> None:
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(self, data)

    monkeypatch.setattr(write._Marked, "write", until_full)
    yield folder


def test_a_full_disk_is_told_and_the_old_pack_stays(
    project: Path, tiny_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = new_project(tmp_path / "large", recipe=RECIPE.replace("1..12", "1..60"))
    assert run(["build", str(project), *options(tiny_disk / "out"), "--levels", "1..3"]) == 0
    before = tree(tiny_disk / "out")
    assert run(["build", str(large), *options(tiny_disk / "out")]) == 6
    talk = capsys.readouterr().err
    assert "No space left on device" in talk
    assert "free some space" in talk
    assert tree(tiny_disk / "out") == before
    assert leftovers(tiny_disk) == []


def test_an_output_that_cannot_be_written_is_told_before_anything_is_made(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["build", str(project), *options(Path("/proc/levelgen/out"))]) == 6
    assert "/proc/levelgen" in capsys.readouterr().err
    assert run(["build", str(project), *options(project / "out")]) == 2
    assert "output/not-a-folder" in capsys.readouterr().err

    def read_only(path: str, *_: object, **__: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    monkeypatch.setattr("levelgen.pack.disk.os.open", read_only)
    assert run(["build", str(project), *options(tmp_path / "out"), "--no-cache"]) == 6
    talk = capsys.readouterr().err
    assert "Read-only file system" in talk
    assert "choose an output directory that can be written" in talk


def test_an_output_directory_that_vanishes_is_told_and_the_next_build_is_whole(
    project: Path, tmp_path: Path, whole: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    parent = tmp_path / "parent"
    steps = iter([False] * 5 + [True] + [False] * 100)

    def step() -> None:
        if next(steps):
            shutil.rmtree(parent)

    with pytest.raises(FileNotFoundError):
        build(Order.of(project, previews=False), parent / "out", demo_key(), step=step)
    assert run(["build", str(project), *options(parent / "out")]) == 0
    assert tree(parent / "out") == whole


def test_the_second_build_into_a_directory_is_refused(
    project: Path, tmp_path: Path, whole: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    with claimed(out):
        assert run(["build", str(project), *options(out)]) == 6
    assert "is being written by another process" in capsys.readouterr().err
    assert run(["build", str(project), *options(out)]) == 0
    assert tree(out) == whole
    assert leftovers(tmp_path) == []


def test_of_builds_that_begin_at_once_one_writes_and_the_others_are_refused(tmp_path: Path) -> None:
    inside, most, refused = [0], [0], [0]
    gate = threading.Barrier(8)

    def contend() -> None:
        gate.wait()
        for _ in range(50):
            try:
                with claimed(tmp_path / "out"):
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1
            except SystemFailed:
                refused[0] += 1

    threads = [threading.Thread(target=contend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1
    assert refused[0] < 400
    assert leftovers(tmp_path) == []


DEADLY = """
import os
from levelgen import workbench
make = workbench.make_level
def deadly(workshop, level, *rest):
    if level.level == 7:
        {crash}
    return make(workshop, level, *rest)
workbench.make_level = deadly
"""
CRASHES = {
    "killed": "os.kill(os.getpid(), 9)",
    "a crash in compiled code": "import ctypes; ctypes.string_at(0)",
    "out of memory, as the system answers it": "os._exit(137)",
}


@pytest.mark.parametrize("crash", CRASHES)
def test_a_worker_that_dies_over_a_level_is_named_and_the_rest_is_kept(
    project: Path, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, crash: str
) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        "import sys\nif '--multiprocessing-fork' in sys.argv or 'spawn_main' in ' '.join(sys.orig_argv):\n"
        + "".join(f"    {line}\n" for line in DEADLY.format(crash=CRASHES[crash]).splitlines())
    )
    path = f"{hook}{os.pathsep}{ROOT}"
    out, cache = tmp_path / "out", tmp_path / "cache"
    code, talk = ended(start(project, out, cache, {"PYTHONPATH": path}, jobs=2))
    assert code == 6, talk
    assert "level 7: a worker process died over this level" in talk
    assert "level 6" not in talk
    assert not out.exists()
    report = tmp_path / "report.json"
    monkeypatch.setenv("LEVELGEN_CACHE", str(cache))
    assert run(["build", str(project), *options(out), "--report", str(report)]) == 0
    told = json.loads(report.read_text())
    assert (told["made"], told["kept"]) == (1, 11)
    assert tree(out) == whole


@pytest.mark.parametrize("edit", ["columns: 6", "columns: six", ""])
def test_sources_that_change_before_a_worker_has_read_them_are_told_and_nothing_is_kept(
    tmp_path: Path, whole: dict[str, bytes], edit: str
) -> None:
    """Else the levels would be kept under the key of what the templates said before."""
    path, cache = new_project(tmp_path / "project", recipe=RECIPE), Cache(tmp_path / "kept")
    block = tmp_path / "project" / "templates" / "shapes" / "block.yaml"
    before, order = block.read_text(), Order.of(path, previews=False)
    if edit:
        block.write_text(before.replace("columns: 5", edit))
    else:
        block.unlink()
    with pytest.raises(SystemFailed) as caught:
        build(order, tmp_path / "out", demo_key(), jobs=2, cache=cache)
    found = [(finding.code, finding.where) for finding in caught.value.findings]
    assert found[0] == ("build/sources-changed", "probe.yaml")
    assert [Path(where.partition(":")[0]).name for _, where in found[1:]] == (
        ["block.yaml"] if "six" in edit else [] if edit else ["probe.yaml"]
    )
    assert not (tmp_path / "out").exists()
    block.write_text(before)
    (block.parent / "top.yaml").write_text((block.parent / "top.yaml").read_text().replace("rows: 3", "rows: 2"))
    summary = build(order, tmp_path / "out", demo_key(), jobs=2, cache=cache)
    assert (summary.made, summary.kept) == (12, 0)
    assert tree(tmp_path / "out") == whole, "a template that no level is made from may change"


def test_a_title_that_changes_meanwhile_is_in_no_picture(tmp_path: Path) -> None:
    path = new_project(tmp_path / "project", recipe=RECIPE)
    order = Order.of(path).only(range(1, 5))
    build(order, tmp_path / "before", demo_key())
    path.write_text(RECIPE.replace("title: Probe", "title: Other"))
    build(order, tmp_path / "out", demo_key(), jobs=2)
    assert tree(tmp_path / "out") == tree(tmp_path / "before")


def test_a_storm_of_signals_is_one_interruption(project: Path, tmp_path: Path, whole: dict[str, bytes]) -> None:
    many = new_project(tmp_path / "many", recipe=RECIPE.replace("1..12", "1..9000"))
    out, cache = tmp_path / "out", tmp_path / "cache"
    child = start(many, out, cache, jobs=2)
    assert happens(lambda: (cache / "levels.sqlite").exists() or child.poll() is not None)
    storm = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT] * 40
    for number in storm:
        if child.poll() is None:
            child.send_signal(number)
            time.sleep(0.001)
    code, talk = ended(child)
    assert code == 130, talk
    assert talk.count("interrupted") == 1
    assert not out.exists()
    assert leftovers(tmp_path) == []
    assert ended(start(project, out, cache))[0] == 0
    assert tree(out) == whole


def test_a_clock_that_is_set_back_changes_nothing(
    project: Path, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEVELGEN_CACHE", str(tmp_path / "cache"))
    folder = new_project(tmp_path / "project", recipe=RECIPE)
    assert run(["build", str(folder), *options(tmp_path / "out")]) == 0
    for year, path in enumerate([*folder.parents[1].rglob("*.yaml"), *(tmp_path / "cache").iterdir()]):
        os.utime(path, (4_000_000_000 * (year % 2),) * 2)
    report = tmp_path / "report.json"
    ticks = iter(range(10_000, 0, -1))
    monkeypatch.setattr("levelgen.cli.talk.time.monotonic", lambda: float(next(ticks)))
    assert run(["build", str(folder), *options(tmp_path / "out"), "--report", str(report)]) == 0
    assert json.loads(report.read_text())["kept"] == 12
    assert tree(tmp_path / "out") == whole


def test_progress_bears_a_clock_that_runs_backwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticks = iter([100.0, 90.0, 90.0, 500.0, 80.0, 80.0])
    monkeypatch.setattr("levelgen.cli.talk.time.monotonic", lambda: next(ticks))
    with Progress("work", 3) as progress:
        progress.step()
        progress.step()
        progress.step()
    assert "work: 3/3 done" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Łódź · नेपाल · ポ", "with blanks and 'quotes'", "-leading-dash", "d" * 180])
def test_names_of_any_kind_hold_a_pack(project: Path, tmp_path: Path, whole: dict[str, bytes], name: str) -> None:
    out = tmp_path / name / name
    build(Order.of(project, previews=False), out, demo_key())
    assert tree(out) == whole
    assert leftovers(tmp_path / name) == []


def test_names_that_differ_in_case_only_are_two_packs(project: Path, tmp_path: Path, whole: dict[str, bytes]) -> None:
    build(Order.of(project, previews=False), tmp_path / "out", demo_key())
    build(Order.of(project, previews=False).only(range(1, 3)), tmp_path / "OUT", demo_key())
    assert tree(tmp_path / "out") == whole
    assert len((tmp_path / "OUT" / "levels.jsonl").read_bytes().splitlines()) == 2


def test_very_long_paths_are_used_or_told(
    project: Path, tmp_path: Path, whole: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    deep = tmp_path.joinpath(*["deep" * 40] * 20)
    build(Order.of(project, previews=False), deep / "out", demo_key())
    assert len(str(deep)) > 3000
    assert tree(deep / "out") == whole
    for name in ("n" * 256, "n" * 250, f"{'/'.join(['n' * 200] * 30)}"):
        assert run(["build", str(project), *options(tmp_path / name)]) == 6
        talk = capsys.readouterr().err
        assert "File name too long" in talk
        assert "a bug" not in talk


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"},
        {"PYTHONHASHSEED": "4294967295", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
        {"PYTHONHASHSEED": "random", "PYTHONUTF8": "1", "LANG": "ne_NP", "TZ": "America/St_Johns", "COLUMNS": "10"},
    ],
)
def test_surroundings_do_not_reach_the_bytes(
    project: Path, tmp_path: Path, whole: dict[str, bytes], environment: dict[str, str]
) -> None:
    assert ended(start(project, tmp_path / "out", Path("off"), environment))[0] == 0
    assert tree(tmp_path / "out") == whole
