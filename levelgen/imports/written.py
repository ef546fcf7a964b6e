"""A found layout as a template in our language: a drawing a layer, its origin and licence beside it."""

from __future__ import annotations

import json

from levelgen.document import load
from levelgen.errors import LevelgenError
from levelgen.imports.source import MAX_CANVAS, MAX_LAYERS, Found
from levelgen.layout import Layout, Slot
from levelgen.template import MARGIN, PHONE, Library, compose, parse_template

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def template_text(found: Found, name: str, *, provenance: str, licence: str) -> str:
    """The text of the file `name`.yaml. It has been read back and composes to the layout that was found.

    Raises:
        LevelgenError: it does not: a bug here.
    """
    lines = [f"template: {name}", f"title: {_quoted(found.title or name)}", f"provenance: {_quoted(provenance)}"]
    if licence:
        lines.append(f"licence: {_quoted(licence)}")
    lines += [*_canvas(found.layout), "pieces:"]
    for z in range(found.layout.layers):
        lines += _drawing(found.layout, z)
    text = "\n".join(lines) + "\n"
    template = parse_template(load(text, f"{name}.yaml", "template"), name)
    layout = compose(template, Library([template]), "import")
    left, top, _, _ = layout.bounds()
    if Layout.of((x - left, y - top, z) for x, y, z in layout) != found.layout:
        raise LevelgenError.of("import/not-the-same", "the template does not compose to what was read", found.where)
    return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _canvas(layout: Layout) -> list[str]:
    """The canvas, where a phone's is too small."""
    _, _, right, bottom = layout.bounds()
    if right <= PHONE.width - 2 * MARGIN and bottom <= PHONE.height - 2 * MARGIN and layout.layers <= PHONE.layers:
        return []
    margin = MARGIN if max(right, bottom) <= MAX_CANVAS - 2 * MARGIN else 0
    width, height = max(PHONE.width, right + 2 * margin), max(PHONE.height, bottom + 2 * margin)
    layers = min(MAX_LAYERS, max(PHONE.layers, layout.layers))
    return [f"canvas: {{width: {width}, height: {height}, layers: {layers}, margin: {margin}}}"]


def _drawing(layout: Layout, z: int) -> list[str]:
    slots = [slot for slot in layout if slot.z == z]
    left, top = min(slot.x for slot in slots), min(slot.y for slot in slots)
    right, bottom = max(slot.x for slot in slots) + 2, max(slot.y for slot in slots) + 2
    grid = [["."] * (right - left) for _ in range(bottom - top)]
    for slot in slots:
        x, y = slot.x - left, slot.y - top
        for dy in (0, 1):
            grid[y + dy][x : x + 2] = [_mark(slot)] * 2
    lines = ["  - drawing: |", *("      " + "".join(row) for row in grid)]
    if left or top:
        lines.append(f"    at: [{left}, {top}]")
    if z:
        lines.append(f"    z: {z}")
    return lines


def _mark(slot: Slot) -> str:
    """A letter a column, capital in every other row: tiles that touch never look alike."""
    letter = _LETTERS[slot.x // 2 % len(_LETTERS)]
    return letter.upper() if slot.y // 2 % 2 else letter
