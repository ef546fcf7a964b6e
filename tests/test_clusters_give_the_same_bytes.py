"""A Dask cluster makes the pack that one machine makes, whoever dies, joins or is lost meanwhile; or says why not.

Real schedulers and workers, each a process of its own on this machine.
"""

from __future__ import annotations

import json
import os
import signal
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from levelgen.build import Order, build
from levelgen.cli import run
from levelgen.cluster import carried
from levelgen.errors import SystemFailed
from levelgen.pack.signing import demo_key
from tests.machines import Counting, Machines
from tests.patience import PATIENCE, happens, kept_in
from tests.project import ROOT, TRIPLES, new_project, tree

Client = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'levelgen[cluster]'").Client

RECIPE = (
    TRIPLES
    + """\
par: solved
rating: cheap
levels:
  - levels: 1..160
    templates: [[block]]
    tiles: 18
"""
)


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machines]:
    monkeypatch.setattr("levelgen.cluster.CONNECTING", PATIENCE)  # the first worker may be slow to start
    with Machines(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("project"), recipe=RECIPE)


@pytest.fixture(scope="module")
def whole(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The pack one process makes."""
    out = tmp_path_factory.mktemp("whole") / "out"
    build(Order.of(project, previews=False), out, demo_key())
    return tree(out)


def build_on(machines: Machines, project: Path, out: Path, step: Callable[[], None] = lambda: None) -> None:
    build(Order.of(project, previews=False), out, demo_key(), cluster=machines.address, step=step)


def test_the_same_bytes_come_out_though_a_worker_dies_and_another_joins_late(
    project: Path, machines: Machines, whole: dict[str, bytes], tmp_path: Path
) -> None:
    first = machines.worker()
    step = Counting({20: lambda: machines.worker(late=True), 60: first.kill})
    build_on(machines, project, tmp_path / "out", step)
    assert step.levels == 160
    assert first.wait() == -signal.SIGKILL
    assert tree(tmp_path / "out") == whole


def test_workers_are_counted_now_and_then_and_not_for_every_level(
    project: Path, machines: Machines, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = 0
    nthreads = Client.nthreads

    def counting(client: Any) -> Any:
        nonlocal counted
        counted += 1
        return nthreads(client)

    monkeypatch.setattr(Client, "nthreads", counting)
    machines.worker()
    build_on(machines, project, tmp_path / "out")
    assert 1 <= counted <= 3  # 160 levels in eight batches
    assert tree(tmp_path / "out") == whole


def test_sources_that_change_before_they_are_carried_are_told(machines: Machines, tmp_path: Path) -> None:
    path = new_project(tmp_path / "project", recipe=RECIPE)
    order, block = Order.of(path, previews=False), tmp_path / "project" / "templates" / "shapes" / "block.yaml"
    block.write_text(block.read_text().replace("columns: 5", "columns: 6"))
    machines.worker()
    with pytest.raises(SystemFailed) as caught:
        build(order, tmp_path / "out", demo_key(), cluster=machines.address)
    assert [(found.code, found.where) for found in caught.value.findings] == [("build/sources-changed", "probe.yaml")]
    assert not (tmp_path / "out").exists()


def test_a_lost_scheduler_is_told_and_what_is_finished_is_kept(
    machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEVELGEN_CACHE", str(tmp_path / "cache"))
    machines.worker()
    many = new_project(tmp_path / "many", recipe=RECIPE.replace("1..160", "1..9000"))
    code = f"from levelgen import cli, cluster; cluster.CONNECTING = {PATIENCE}; cli.main()"
    options = ["build", str(many), "-o", str(tmp_path / "out"), "--no-previews", "--prover", "none"]
    child = subprocess.Popen(
        [sys.executable, "-c", code, *options, "--cluster", machines.address],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert happens(lambda: kept_in(tmp_path / "cache") or child.poll() is not None)
    machines.scheduler.kill()
    _, talk = child.communicate(timeout=PATIENCE)
    assert child.returncode == 6, talk
    assert "the scheduler was lost" in talk
    assert "what is finished is kept" in talk
    assert "Traceback" not in talk
    assert not (tmp_path / "out").exists()
    again = [*options, "--jobs", "1", "--levels", f"1..{kept_in(tmp_path / 'cache') + 20}"]
    assert run([*again, "--report", str(tmp_path / "report.json")]) == 0
    assert json.loads((tmp_path / "report.json").read_text())["kept"] > 0
    found = tree(tmp_path / "out")
    assert run([*again, "--no-cache"]) == 0
    assert tree(tmp_path / "out") == found


DEADLY = """
import os
from levelgen import workbench
make = workbench.make_level
def deadly(workshop, level, *rest):
    if level.level in (7, 45):
        os.kill(os.getpid(), 9)
    return make(workshop, level, *rest)
workbench.make_level = deadly
"""


OF_YESTERDAY = """
import levelgen
levelgen.__version__ = '0.0.0'
"""


def path_to(folder: Path, code: str) -> str:
    """A PYTHONPATH under which every Python first runs this code."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return f"{folder}{os.pathsep}{ROOT}"


def test_levels_that_kill_worker_after_worker_are_named_and_the_rest_is_kept(
    project: Path, whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Nannies start the dead again and again; Dask gives a batch up after so many deaths, and so do we."""
    monkeypatch.setenv("LEVELGEN_CACHE", str(tmp_path / "cache"))
    options = ["build", str(project), "-o", str(tmp_path / "out"), "--no-previews", "--prover", "none"]
    machines = Machines(tmp_path, {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"})
    try:
        machines.worker(nanny=True, environment={"PYTHONPATH": path_to(tmp_path / "hook", DEADLY)})
        assert run([*options, "--cluster", machines.address]) == 6
    finally:
        machines.close()
    talk = capsys.readouterr().err
    named = [line for line in talk.splitlines() if "a worker process died over this level" in line]
    assert [line.split(": ")[1] for line in named] == ["level 7", "level 45"], talk
    assert "KilledWorker" not in talk
    assert not (tmp_path / "out").exists()
    assert run([*options, "--jobs", "1", "--report", str(tmp_path / "report.json")]) == 0
    told = json.loads((tmp_path / "report.json").read_text())
    assert (told["made"], told["kept"]) == (2, 158)
    assert tree(tmp_path / "out") == whole


def test_a_cluster_whose_last_worker_died_is_told_with_what_it_was_given(
    project: Path, machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("levelgen.cluster.LOOK", 0.2)
    monkeypatch.setattr("levelgen.cluster.LONELY", 3)
    monkeypatch.setenv("LEVELGEN_CACHE", str(tmp_path / "cache"))
    machines.worker(environment={"PYTHONPATH": path_to(tmp_path / "hook", DEADLY)})
    options = ["build", str(project), "-o", str(tmp_path / "out"), "--no-previews", "--prover", "none"]
    assert run([*options, "--cluster", machines.address]) == 6
    talk = capsys.readouterr().err
    assert "the cluster has no workers any more; the last was given levels 1 to 20" in talk
    assert "what is finished is kept" in talk
    assert not (tmp_path / "out").exists()


def test_another_version_is_refused_before_anything_is_made(
    project: Path, machines: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machines.worker(environment={"PYTHONPATH": path_to(tmp_path / "hook", OF_YESTERDAY)})
    options = ["build", str(project), "-o", str(tmp_path / "out"), "--cluster", machines.address]
    assert run(options) == 6
    talk = capsys.readouterr().err
    assert "has another levelgen than this one: levelgen 0.0.0" in talk
    assert not (tmp_path / "out").exists()


def test_a_worker_of_another_version_that_joins_later_is_refused_once(
    project: Path, machines: Machines, tmp_path: Path
) -> None:
    first = machines.worker()

    def exchange() -> None:
        machines.worker(environment={"PYTHONPATH": path_to(tmp_path / "hook", OF_YESTERDAY)})
        first.kill()

    with pytest.raises(SystemFailed) as caught:
        build_on(machines, project, tmp_path / "out", Counting({20: exchange}))
    assert len(caught.value.findings) == 1
    assert "has another levelgen than this one: levelgen 0.0.0" in caught.value.findings[0].message
    assert not (tmp_path / "out").exists()


def test_nobody_there_is_told(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("levelgen.cluster.CONNECTING", 2)
    no_addresses = [
        (address, 2, "no address of a scheduler") for address in ("nonsense://x", "tcp://here", "tls://x:9")
    ]
    for address, code, words in (("tcp://127.0.0.1:9", 6, "no scheduler answers"), *no_addresses, ("", 2, "is empty")):
        assert run(["build", str(project), "-o", str(tmp_path / "out"), "--cluster", address]) == code
        assert words in capsys.readouterr().err


def test_a_server_of_another_kind_is_no_scheduler(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Greeting(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(b"SSH-2.0-OpenSSH_9.6" * 9)
            self.request.recv(1 << 16)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Greeting) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = "tcp://{}:{}".format(*server.server_address)
        assert run(["build", str(project), "-o", str(tmp_path / "out"), "--cluster", address]) == 2
        server.shutdown()
    assert f"{address}: is no address of a scheduler" in capsys.readouterr().err


def test_a_worker_is_no_scheduler(
    project: Path, machines: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machines.worker()
    with Client(machines.address, set_as_default=False) as client:
        worker = next(iter(client.nthreads()))
    assert run(["build", str(project), "-o", str(tmp_path / "out"), "--cluster", worker]) == 2
    assert "is no scheduler's address but a worker's" in capsys.readouterr().err


FULL = """
import errno, tempfile
def mkdtemp(*args, made=tempfile.mkdtemp, **options):
    if options.get('prefix') == 'levelgen-':
        raise OSError(errno.ENOSPC, 'No space left on device')
    return made(*args, **options)
tempfile.mkdtemp = mkdtemp
"""


def test_a_worker_without_room_for_the_project_is_named(
    project: Path, machines: Machines, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machines.worker(environment={"PYTHONPATH": path_to(tmp_path / "hook", FULL)})
    assert run(["build", str(project), "-o", str(tmp_path / "out"), "--cluster", machines.address]) == 6
    talk = capsys.readouterr().err
    assert "cannot take the project in: No space left on device" in talk
    assert "scheduler" not in talk
    assert not (tmp_path / "out").exists()


def test_a_build_leaves_nothing_on_the_workers_and_takes_nothing_from_others(
    project: Path, machines: Machines, whole: dict[str, bytes], tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    machines.worker(environment={"DASK_TEMPORARY_DIRECTORY": str(scratch)})

    def again() -> None:
        """The same pack, from beginning to end."""
        build_on(machines, project, tmp_path / "other")
        assert len(list(scratch.rglob("levelgen-*"))) == 1

    build_on(machines, project, tmp_path / "out", Counting({20: again}))
    assert tree(tmp_path / "out") == tree(tmp_path / "other") == whole
    assert not list(scratch.rglob("levelgen-*"))


def test_what_is_no_file_is_not_carried(project: Path, tmp_path: Path) -> None:
    path = new_project(tmp_path / "project", recipe=RECIPE)
    before = carried(tmp_path / "project")
    (path.parent / ".#probe.yaml").symlink_to("somebody@somewhere.1")  # how an editor locks a file
    os.mkfifo(path.parent / "pipe")
    assert carried(tmp_path / "project") == before
    assert {"templates/packs/probe.yaml", "faces/nepal/faceset.yaml"} <= before.keys()
