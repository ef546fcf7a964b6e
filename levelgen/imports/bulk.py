"""From found layouts to templates: turned upright, trimmed, named, licensed, with a warning where one is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from levelgen.errors import Finding
from levelgen.fit import fit
from levelgen.imports.names import Names
from levelgen.imports.source import MAX_CANVAS, MAX_LAYERS, Found, clean
from levelgen.imports.written import template_text
from levelgen.layout import Layout
from levelgen.rules import RULESETS
from levelgen.template import MARGIN, PHONE, is_licence

MAX_NAMED = 12
"""Tiles of a suggested trim that are named one by one."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How layouts are to be taken in."""

    licence: str = ""
    provenance: str = ""
    ruleset: str = ""
    """Whose group the tiles are counted by; empty for any."""
    trim: bool = False
    turn: bool = False


@dataclass(frozen=True, slots=True)
class Planned:
    """A template to be written."""

    name: str
    text: str
    found: Found
    licence: str
    games: tuple[str, ...]
    """The rulesets its count of tiles can be dealt in as it is."""
    warnings: tuple[Finding, ...]


def plan_template(found: Found, file: str, title: str, names: Names, wishes: Wishes) -> Planned:
    """The template a layout becomes; `title` is that of its format."""
    warnings: list[Finding] = []
    if wishes.turn and _is_landscape(found.layout):
        found = replace(found, layout=_turned(found.layout))
    if wishes.ruleset:
        found = _counted(found, wishes, warnings)
    games = tuple(name for name, rules in RULESETS.items() if len(found.layout) % rules.group == 0)
    if not games and not wishes.ruleset:
        warnings.append(Finding("layout/odd-count", f"{len(found.layout)} tiles can be dealt in no game as they are",
                                found.where, "name one with --ruleset to see what to trim"))  # fmt: skip
    if not _fits_phone(found.layout):
        warnings.append(_too_wide(found))
    stem = PurePath(file).stem
    licence = wishes.licence or found.licence
    provenance = (
        wishes.provenance
        or found.provenance
        or clean(f"{title} {clean(PurePath(file).name, 80)}" + (f", by {found.author}" if found.author else ""), 200)
    )
    name = names.new(found.title or stem)
    named = replace(found, title=found.title or clean(stem, 80))
    return Planned(name, template_text(named, name, provenance=provenance, licence=licence), named, licence, games,
                   tuple(warnings))  # fmt: skip


def _counted(found: Found, wishes: Wishes, warnings: list[Finding]) -> Found:
    """The layout, trimmed if that is wished and needed; else a warning says how."""
    count, group = len(found.layout), RULESETS[wishes.ruleset].group
    over = count % group
    if not over:
        return found
    if count < group:
        warnings.append(Finding("layout/odd-count", f"{count} tiles are too few for {wishes.ruleset}", found.where))
        return found
    fitted = _trimmed(found.layout, count - over)
    if wishes.trim:
        return replace(found, layout=_at_corner(fitted))
    gone = [slot for slot in found.layout if slot not in set(fitted)]
    which = ", ".join(f"({x}, {y}) on layer {z}" for x, y, z in gone[:MAX_NAMED])
    warnings.append(Finding(
        "layout/odd-count", f"{count} tiles: {wishes.ruleset} takes multiples of {group}", found.where,
        f"trim {over}: without the tile{'s' if over > 1 else ''} at {which}; --trim does it, and so does "
        f"`tiles: {count - over}` in a recipe"))  # fmt: skip
    return found


def _trimmed(layout: Layout, tiles: int) -> Layout:
    places = frozenset((slot.x, slot.y, slot.z) for slot in layout)
    return Layout.of(fit(places, tiles, (0, 0, MAX_CANVAS, MAX_CANVAS, MAX_LAYERS)))


def _at_corner(layout: Layout) -> Layout:
    left, top, _, _ = layout.bounds()
    return Layout.of((x - left, y - top, z) for x, y, z in layout)


def _is_landscape(layout: Layout) -> bool:
    left, top, right, bottom = layout.bounds()
    return right - left > bottom - top


def _turned(layout: Layout) -> Layout:
    """A quarter turn clockwise."""
    _, _, _, bottom = layout.bounds()
    return Layout.of((bottom - 2 - y, x, z) for x, y, z in layout)


def _fits_phone(layout: Layout) -> bool:
    _, _, right, bottom = layout.bounds()
    return right <= PHONE.width - 2 * MARGIN and bottom <= PHONE.height - 2 * MARGIN and layout.layers <= PHONE.layers


def _too_wide(found: Found) -> Finding:
    _, _, right, bottom = found.layout.bounds()
    inner = f"{PHONE.width - 2 * MARGIN}×{PHONE.height - 2 * MARGIN}×{PHONE.layers}"
    fix = "--turn turns it upright" if _is_landscape(found.layout) and _fits_phone(_turned(found.layout)) else ""
    return Finding("layout/off-canvas", f"is {right}×{bottom}×{found.layout.layers} half-tiles and layers, a phone has "
                   f"room for {inner}: the template names a canvas of its own", found.where, fix)  # fmt: skip


def unlicensed(planned: Planned) -> Iterator[Finding]:
    """That a release will refuse it, when no licence is known; that what is known is no licence expression."""
    if planned.licence and not is_licence(planned.licence):
        yield Finding("import/licence-form", f"{planned.licence!r} is no SPDX expression", planned.found.where,
                      "--licence CC-BY-4.0, or LicenseRef-NAME for terms of your own")  # fmt: skip
    if not planned.licence:
        yield Finding("import/licence", "no licence is known: `build --release` will refuse the template",
                      planned.found.where, "name it with --licence, or write it into the template")  # fmt: skip
