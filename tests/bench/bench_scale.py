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
from pathlib import Path
from typing import Any

from million import recipe  # type: ignore[import-not-found] # beside this file

from levelgen import level as making
from levelgen.build import Order
from levelgen.workbench import Workbench

ROOT = Path(__file__).resolve().parents[2]
FULL = bool(os.environ.get("LEVELGEN_BENCH_FULL"))
COLD, WARM, SAMPLE = (1_000_000, 10_000, 2_000) if FULL else (10_000, 10_000, 500)
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


def with_dask(path: Path, folder: Path) -> dict[str, Any] | None:
    """The same build on a scheduler and two workers of this machine; None where Dask is not installed."""
    try:
        from distributed import LocalCluster
    except ImportError:
        return None
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        return build(path, folder / "dask", "off", "--cluster", cluster.scheduler_address)


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
        if not FULL:
            one = build(path, folder / "one", "off", "--jobs", "1")
            row("two workers are faster than one by", one["seconds"] / two["seconds"], "times", 1.8, least=True)
            dask = with_dask(path, folder)
            if dask is not None:
                row("Dask is as fast as local workers by", two["seconds"] / dask["seconds"], "times", 0.9, least=True)
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


if __name__ == "__main__":
    main()
