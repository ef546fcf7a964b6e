"""How fast packs of any size are built and verified, in how much memory. `make bench` prints it.

Scaled down by default; `LEVELGEN_BENCH_FULL=1` builds and verifies the million, which takes an hour on two cores.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from million import recipe  # type: ignore[import-not-found] # beside this file

from levelgen import level as making
from levelgen.build import Order
from levelgen.workbench import Workbench

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.machines import Machines  # noqa: E402 - below the repository's root

FULL = bool(os.environ.get("LEVELGEN_BENCH_FULL"))
COLD, WARM, SAMPLE = (1_000_000, 10_000, 2_000) if FULL else (10_000, 10_000, 500)
TURNS, TURN = 5, 20_000
CALM = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False", "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s"}
"""What `docs/scale.md` says to set where Dask's processes run."""
MAIN = "from levelgen.cli import main; main()"


def row(name: str, value: float, unit: str, limit: float | None = None, *, least: bool = False) -> None:
    """One line of the table; `limit` is the most that is allowed, or the least."""
    met = limit is None or (value > limit if least else value < limit)
    sign = ">" if least else "<"
    verdict = "" if limit is None else f"   must {sign} {limit:g} {unit}: {'met' if met else 'NOT MET'}"
    print(f"{name:58} {value:10.2f} {unit}{verdict}", flush=True)


def project(folder: Path, count: int) -> Path:
    """A project with the recipe of so many levels; templates and faces are the repository's."""
    (folder / "templates" / "packs").mkdir(parents=True, exist_ok=True)
    for link, target in (("faces", "faces"), ("templates/shapes", "templates/shapes")):
        if not (folder / link).exists():
            (folder / link).symlink_to(ROOT / target)
    path = folder / "templates" / "packs" / f"million-{count}.yaml"
    path.write_text(recipe(count), encoding="utf-8")
    return path


def build(path: Path, out: Path, cache: str, *options: str) -> dict[str, Any]:
    """Build in a process of its own; its report, with the seconds of the whole command."""
    report = out.with_suffix(".json")
    command = [sys.executable, "-c", MAIN, "build", str(path), "-o", str(out), "--no-previews", "--prover", "none"]
    environment = os.environ | {"LEVELGEN_CACHE": cache, "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run([*command, *options, "--report", str(report)], env=environment, check=True, capture_output=True)
    found: dict[str, Any] = {"command_seconds": time.perf_counter() - began, **json.loads(report.read_text())}
    return found


def cost_of_a_level(path: Path) -> None:
    """CPU time in this process, with and without the rating."""
    order = Order.of(path, previews=False)
    bench = Workbench(order.setup, order.workshop)
    plans = list(order.plans)[:SAMPLE]
    bench.make(plans)
    began = time.process_time()
    bench.make(plans)
    whole = time.process_time() - began
    rated = making.difficulty
    making.difficulty = lambda *_: {"tiles": 72}
    began = time.process_time()
    bench.make(plans)
    bare = time.process_time() - began
    making.difficulty = rated
    row("a level on a known layout, outside difficulty, CPU", 1000 * bare / len(plans), "ms", 1.5)
    row("its cheap rating, CPU", 1000 * (whole - bare) / len(plans), "ms")


def verify(out: Path, jobs: int) -> tuple[float, float, float]:
    """Seconds by the clock and of CPU, and peak MB of the largest process, of verifying the pack."""
    code = (
        "import resource, sys\nfrom levelgen.cli import run\ncode = run(sys.argv[1:])\n"
        "kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)\n"
        "used = [resource.getrusage(kind) for kind in kinds]\n"
        "print(sum(one.ru_utime + one.ru_stime for one in used), max(one.ru_maxrss for one in used), file=sys.stderr)\n"
        "sys.exit(code)"
    )
    command = [sys.executable, "-c", code, "verify", "--certified", str(out), "--jobs", str(jobs)]
    began = time.perf_counter()
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    *_, cpu, memory = done.stderr.split()
    return time.perf_counter() - began, float(cpu), int(memory) / 1000


def on_cluster(path: Path, folder: Path) -> float:
    """Seconds that the build takes on a scheduler and two workers of this machine, set up as `docs/scale.md` says."""
    folder.mkdir()
    with Machines(folder, CALM) as cluster:
        for _ in range(2):
            cluster.worker(nanny=True, environment=CALM)
        return float(build(path, folder / "out", "off", "--cluster", cluster.address)["seconds"])


def hands(path: Path, folder: Path) -> None:
    """How two workers compare with one, and Dask's with the local ones: builds by turns, for machines change speed."""
    seconds: dict[str, list[float]] = {"two": [], "one": [], "dask": []}
    for turn in range(TURNS):
        (out := folder / f"turn-{turn}").mkdir()
        seconds["two"].append(build(path, out / "two", "off", "--jobs", "2")["seconds"])
        seconds["one"].append(build(path, out / "one", "off", "--jobs", "1")["seconds"])
        if find_spec("distributed"):
            seconds["dask"].append(on_cluster(path, out / "dask"))
        shutil.rmtree(out)
    for name, each in seconds.items():
        print(f"seconds of {len(each)} builds of {TURN} levels, {name}: {', '.join(f'{one:.1f}' for one in each)}")
    two, one, dask = (sum(each) for each in seconds.values())
    row("two workers are faster than one by", one / two, "times", 1.8, least=True)
    if dask:
        row("Dask is as fast as local workers by", two / dask, "times", 0.9, least=True)


def main() -> None:
    """Print one row for each figure."""
    with tempfile.TemporaryDirectory(prefix="levelgen-bench-") as name:
        folder = Path(name)
        path = project(folder, SAMPLE)
        cost_of_a_level(path)
        path = project(folder, COLD)
        two = build(path, folder / "out", "off" if not FULL else str(folder / "all"), "--jobs", "2")
        row(f"build of {COLD} levels, two workers", two["seconds"] / 60, "min", 30 if FULL else None)
        row("its peak memory, the largest process", max(two["peak_memory_kib"].values()) / 1000, "MB", 500)
        row("its CPU, a level: the conductor's", 1000 * two["cpu_seconds"]["own"] / COLD, "ms")
        row("its CPU, a level: the workers'", 1000 * two["cpu_seconds"]["workers"] / COLD, "ms")
        seconds, cpu, memory = verify(folder / "out", 2)
        row(f"verification of {COLD} levels, two processes", seconds / 60, "min", 10 if FULL else None)
        row("its CPU, a level", 1000 * cpu / COLD, "ms")
        row("its peak memory, mapped files included", memory, "MB", 500)
        shutil.rmtree(folder / "out")
        path = project(folder, WARM)
        build(path, folder / "warm", str(folder / "cache"), "--jobs", "2")
        again = build(path, folder / "warm", str(folder / "cache"), "--jobs", "2")
        assert again["made"] == 0
        row(f"warm build of {WARM} unchanged levels, the whole command", again["command_seconds"], "s", 3)
        row("its CPU", again["cpu_seconds"]["own"], "s")
        hands(project(folder, TURN), folder)


if __name__ == "__main__":
    main()
