"""What composing layouts and linting a large project cost. `make bench` prints it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from levelgen.recipe import layout_of, lint, open_project, plan, read_recipe
from levelgen.template import Library, compose

ROOT = Path(__file__).resolve().parent.parent.parent
ROUNDS = 20
LIMIT_MS = 1.0
TEMPLATES = 1000
LINT_LIMIT_S = 5.0


def compose_ms() -> tuple[float, float]:
    """CPU time of composing the levels of 128 … 144 tiles of the ERAM recipe, median and worst, in milliseconds.

    Every one of them anew, no layout and no template's places known from before; the least of several rounds each,
    for other work on the machine can only add to it.
    """
    recipe = ROOT / "templates" / "packs" / "eram.yaml"
    project = open_project(recipe)
    levels = [level for level in plan(read_recipe(recipe, project), project.library) if level.tiles >= 128]
    return _spread([partial(layout_of, level) for level in levels], project.library)


def shapes_ms() -> tuple[float, float]:
    """The same of every template that has 128 tiles and more by itself."""
    library = open_project(ROOT / "templates").library
    large = [name for name in library if library.sizes(name)[0] >= 128]
    return _spread([partial(compose, library[name], seed="1") for name in large], library)


def _spread(makers: Sequence[Callable[..., object]], library: Library) -> tuple[float, float]:
    times = []
    for make in makers:
        rounds = []
        for _ in range(ROUNDS):
            fresh = Library(library.values())
            start = time.process_time()
            make(library=fresh)
            rounds.append(1000 * (time.process_time() - start))
        times.append(min(rounds))
    times.sort()
    return times[len(times) // 2], times[-1]


def lint_s(count: int) -> tuple[float, float]:
    """Seconds of CPU and of the clock to lint so many templates: those that ship, again and again, by other names."""
    shipped = sorted((ROOT / "templates" / "shapes").glob("*.yaml"))
    with tempfile.TemporaryDirectory() as folder:
        shapes = Path(folder) / "templates" / "shapes"
        shapes.mkdir(parents=True)
        for picture in (ROOT / "templates" / "shapes").glob("*.png"):
            (shapes / picture.name).write_bytes(picture.read_bytes())
        for number in range(count):
            path = shipped[number % len(shipped)]
            name = path.stem if number < len(shipped) else f"{path.stem}-{number}"
            text = path.read_text(encoding="utf-8")
            (shapes / f"{name}.yaml").write_text(text.replace(f"template: {path.stem}\n", f"template: {name}\n", 1))
        start, began = time.perf_counter(), time.process_time()
        found = lint([Path(folder)])
        cpu, took = time.process_time() - began, time.perf_counter() - start
    assert not found, found[0]
    return cpu, took


def main() -> None:
    """Print one row for each promise."""
    for name, (median, worst) in (("levels", compose_ms()), ("templates", shapes_ms())):
        print(f"compose {name} of 128 tiles and more: CPU median {median:.2f} ms, worst {worst:.2f} ms, must < "
              f"{LIMIT_MS} ms: {_met(median < LIMIT_MS)}")  # fmt: skip
    cpu, took = lint_s(TEMPLATES)
    print(f"lint {TEMPLATES} templates: CPU {cpu:.2f} s, must < {LINT_LIMIT_S} s: {_met(cpu < LINT_LIMIT_S)} "
          f"(by the clock {took:.2f} s, with whatever else ran)")  # fmt: skip


def _met(kept: bool) -> str:
    return "met" if kept else "NOT MET"


if __name__ == "__main__":
    main()
