"""levelgen is built in floors: a module imports from lower floors only, so that any part can be read from below.

A package is one unit: its modules may import each other. A unit within a package may stand on a floor of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

FLOORS = {
    "levelgen": 0,  # version numbers only
    "levelgen.cache": 0,
    "levelgen.errors": 0,
    "levelgen.schema": 0,
    "levelgen.seed": 0,
    "levelgen.tools": 0,
    "levelgen.daily": 0,
    "levelgen.document": 1,
    "levelgen.layout": 1,
    "levelgen.likeness": 1,
    "levelgen.pixels": 1,
    "levelgen.moves": 2,
    "levelgen.fit": 2,
    "levelgen.shapes": 2,
    "levelgen.faces": 2,
    "levelgen.template": 3,
    "levelgen.rules": 3,
    "levelgen.saved": 3,
    "levelgen.board": 4,
    "levelgen.imports": 4,
    "levelgen.deal": 5,
    "levelgen.drawn_board": 5,
    "levelgen.evidence": 6,
    "levelgen.replay": 6,
    "levelgen.certificate": 7,
    "levelgen.solve": 8,
    "levelgen.pack": 8,
    "levelgen.recipe": 9,
    "levelgen.trial": 9,
    "levelgen.verify": 9,
    "levelgen.batch": 10,
    "levelgen.rate": 9,
    "levelgen.candidates": 10,
    "levelgen.render": 10,
    "levelgen.vectors": 10,
    "levelgen.level": 11,
    "levelgen.starter": 11,
    "levelgen.page": 11,
    "levelgen.gallery": 12,
    "levelgen.inputs": 12,
    "levelgen.workbench": 12,
    "levelgen.regenerate": 13,
    "levelgen.watch": 13,
    "levelgen.workers": 13,
    "levelgen.cluster": 14,
    "levelgen.build": 15,
    "levelgen.cli": 16,
}


def modules(root: Path) -> dict[str, str]:
    """The source of every module of the package, by dotted name."""
    found = {}
    for path in sorted((root / "levelgen").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text(encoding="utf-8")
    return found


def unit_of(name: str, floors: Mapping[str, int]) -> str | None:
    """The entry of the table a module belongs to: itself or the nearest package above it, the root excepted."""
    while "." in name:
        if name in floors:
            return name
        name = name.rpartition(".")[0]
    return name if name in floors else None


def imports(source: str, names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Line and module of every import, wherever it stands: lazy ones and those for type checkers count too."""
    known = set(names)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute"
            base = node.module or ""
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield node.lineno, whole if whole in known else base


def loaded_with(target: str, importer: str) -> Iterator[str]:
    """The module and the packages around it, which Python runs first; those around the importer ran already."""
    while target:
        if target == importer or importer.startswith(f"{target}."):
            return
        yield target
        target = target.rpartition(".")[0]


def faults(sources: Mapping[str, str], floors: Mapping[str, int]) -> list[str]:
    """Every import that does not lead down, and every module or entry of the table without its counterpart."""
    found = [f"{unit} has a floor but does not exist" for unit in floors if unit not in sources]
    for name, source in sources.items():
        unit = unit_of(name, floors)
        if unit is None or (unit == "levelgen" and name != "levelgen"):
            found.append(f"{name} has no floor: give it one in {Path(__file__).name}")
            continue
        for line, target in imports(source, sources):
            if target.partition(".")[0] in ("artwork", "tests"):
                found.append(f"{name}:{line} imports {target}, which is not shipped")
            if target.partition(".")[0] != "levelgen":
                continue
            for step in loaded_with(target, name):
                other = unit_of(step, floors)
                if other is not None and other != unit and floors[other] >= floors[unit]:
                    found.append(f"{name}:{line} (floor {floors[unit]}) climbs to {step} (floor {floors[other]})")
    return found


def test_every_module_has_a_floor_and_imports_strictly_down() -> None:
    assert not faults(modules(ROOT), FLOORS)


BAD: dict[str, tuple[dict[str, str | None], str]] = {
    "a climb": ({"levelgen.low": "import levelgen.high"}, "climbs to levelgen.high"),
    "a climb inside a function": (
        {"levelgen.low": "def f():\n    from levelgen.high import x"},
        "levelgen.low:2 (floor 1) climbs",
    ),
    "a climb from the package's name": ({"levelgen.low": "from levelgen import high"}, "climbs to levelgen.high"),
    "the same floor": ({"levelgen.low": "import levelgen.flat"}, "climbs to levelgen.flat"),
    "a module of a higher package": ({"levelgen.low": "import levelgen.high.part"}, "climbs to levelgen.high.part"),
    "a low part of a high package": ({"levelgen.low": "import levelgen.high.deep"}, "climbs to levelgen.high "),
    "a new module": ({"levelgen.new": ""}, "levelgen.new has no floor"),
    "a module that is gone": ({"levelgen.flat": None}, "levelgen.flat has a floor but does not exist"),
    "what is not shipped": ({"levelgen.low": "import tests.boards"}, "which is not shipped"),
}


@pytest.mark.parametrize("case", BAD)
def test_the_check_finds(case: str) -> None:
    floors = {"levelgen": 0, "levelgen.low": 1, "levelgen.flat": 1, "levelgen.high": 2, "levelgen.high.deep": 0}
    sound = {
        "levelgen": "",
        "levelgen.low": "import levelgen",
        "levelgen.flat": "import json",
        "levelgen.high": "from levelgen.low import x",
        "levelgen.high.part": "import levelgen.high.deep, levelgen.high",
        "levelgen.high.deep": "from levelgen import __version__",
    }
    assert not faults(sound, floors)
    change, complaint = BAD[case]
    merged: dict[str, str | None] = {**sound, **change}
    changed = {name: source for name, source in merged.items() if source is not None}
    assert any(complaint in fault for fault in faults(changed, floors))
