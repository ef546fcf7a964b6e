"""What composing layouts and linting a large project cost. `make bench` prints it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from levelgen.recipe import layout_of, lint, open_project, plan, read_recipe

ROOT = Path(__file__).resolve().parent.parent.parent
ROUNDS = 20
LIMIT_MS = 1.0
TEMPLATES = 1000
LINT_LIMIT_S = 5.0


def compose_ms() -> tuple[float, float]:
    """CPU time of composing the levels of 128 … 144 tiles of the ERAM recipe, median and worst, in milliseconds."""
    recipe = ROOT / "templates" / "packs" / "eram.yaml"
    project = open_project(recipe)
    levels = [level for level in plan(read_recipe(recipe, project)) if level.tiles >= 128]
    times = []
    for _ in range(ROUNDS):
        for level in levels:
            start = time.process_time()
            layout_of(level, project.library)
            times.append(1000 * (time.process_time() - start))
    times.sort()
    return times[len(times) // 2], times[-1]


def lint_s(count: int) -> float:
    """Seconds of linting a project of so many templates: those that ship, again and again under other names."""
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
        start = time.perf_counter()
        found = lint([Path(folder)])
        took = time.perf_counter() - start
    assert not found, found[0]
    return took


def main() -> None:
    """Print one row for each promise."""
    median, worst = compose_ms()
    met = "met" if median < LIMIT_MS else "NOT MET"
    print(f"compose 128 … 144 tiles: CPU median {median:.2f} ms, worst {worst:.2f} ms, must < {LIMIT_MS} ms: {met}")
    took = lint_s(TEMPLATES)
    met = "met" if took < LINT_LIMIT_S else "NOT MET"
    print(f"lint {TEMPLATES} templates: {took:.1f} s, must < {LINT_LIMIT_S} s: {met}")


if __name__ == "__main__":
    main()
