"""A small project for tests of the command line: two templates, one recipe, the repository's face sets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BLOCK = """\
template: block
title: Block
pieces:
  - grid: {columns: 5, rows: 4}
"""
TOP = """\
template: top
title: Top
pieces:
  - grid: {columns: 2, rows: 3}
"""
TRIPLES = """\
pack: probe
title: Probe
version: 1
ruleset: {id: triples}
faces: nepal
seed: probe
"""
"""How a recipe of triples begins."""
RECIPE = """\
pack: probe
title: Probe
version: 1
ruleset: {id: pairs}
faces: AR1
seed: probe
levels:
  - levels: 1..3
    templates: [[block, top]]
    tiles: {from: 22, to: 26}
    face_down: 2
"""


def new_project(folder: Path, *, recipe: str = RECIPE, block: str = BLOCK) -> Path:
    """Write the project to `folder`; returns the recipe's path. Face sets are linked, not copied."""
    shapes, packs = folder / "templates" / "shapes", folder / "templates" / "packs"
    shapes.mkdir(parents=True)
    packs.mkdir()
    (shapes / "block.yaml").write_text(block)
    (shapes / "top.yaml").write_text(TOP)
    (packs / "probe.yaml").write_text(recipe)
    if not (folder / "faces").exists():
        (folder / "faces").symlink_to(ROOT / "faces")
    return packs / "probe.yaml"


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Run the block with `folder` as the current directory."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` by its relative name, to compare before and after."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
