"""Where commands take layouts from: a template by its name in this project or by its file, else a board's places."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.errors import Malformed

if TYPE_CHECKING:
    from levelgen.board import Deal
    from levelgen.layout import Layout
    from levelgen.template import Library, Template

GAMES = ("pairs", "triples")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")


def template_from(source: str) -> tuple[Template, Library] | None:
    """The template SOURCE names, and a library of it and what it is made of; None when it names none.

    A template is named by its file, which ends in .yaml, or by its name where the current folder is in a project, as
    long as no file is called so. Other templates of the project are not looked at: what is wrong with them is no
    obstacle.

    Raises:
        Malformed: there is no such template, or with every defect of it and of those it names.
    """
    from levelgen.recipe import project_root
    from levelgen.template import find_templates, read_with

    path = Path(source)
    if path.suffix in (".yaml", ".yml"):
        root = project_root(path.parent)
        folder = next((one for one in path.absolute().parents if one.name == "shapes"), None)
        return read_with(path, folder or (root / "templates" / "shapes" if root else path.parent))
    if not _NAME.fullmatch(source) or os.path.lexists(source):
        return None
    root = project_root(Path.cwd()) or Path()
    found = find_templates(root / "templates" / "shapes")
    if source in found:
        return read_with(found[source], root / "templates" / "shapes")
    if found:
        from levelgen.document import suggest

        raise Malformed.of("template/unknown", f"there is no template and no file `{source}`", "",
                           suggest(source, sorted(found)) or "name another, or its file")  # fmt: skip
    return None


def undealt(layout: Layout, ruleset: str) -> Deal:
    """A board of blank tiles: the layout as the rules of that game see it."""
    from levelgen.board import Board, Deal
    from levelgen.rules import RULESETS

    return Deal(Board.compile(layout, RULESETS[ruleset]), ("",) * len(layout))


def places_left(deal: Deal) -> Layout:
    """The places of the tiles that are still on a board."""
    from levelgen.board import tiles_of
    from levelgen.layout import Layout

    slots = deal.board.layout.slots
    return Layout.of(slots[tile] for tile in tiles_of(deal.start.remaining))
