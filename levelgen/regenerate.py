"""Make levels of a pack anew from its recipe and compare them, byte by byte, with what was signed.

    findings = regenerate(pack, Path("templates/packs/eram.yaml"))    empty: every record is what is made today

Needs the full package. Only the generator that made a pack can do so; what another one finds says nothing of the pack.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from levelgen import GENERATOR
from levelgen.daily import date_of_seed
from levelgen.errors import Finding, LevelgenError, Undecided
from levelgen.level import Workshop
from levelgen.pack.manifest import ruleset_digest
from levelgen.pack.opened import Pack
from levelgen.recipe import LevelPlan, daily_plans, planned
from levelgen.workbench import Setup, Workbench


def generator_finding(pack: Pack) -> Finding | None:
    """`generator-mismatch` when another generator than this one made the pack."""
    made_by = pack.manifest.generator
    if made_by == GENERATOR:
        return None
    message = f"made by generator {made_by}, this is generator {GENERATOR}: its levels cannot be made anew here"
    return Finding("generator-mismatch", message, pack.label, f"use the levelgen whose generator is {made_by}")


def regenerate(
    pack: Pack, recipe: Path, numbers: range | None = None, step: Callable[[], None] = lambda: None
) -> tuple[Finding, ...]:
    """How the pack differs from what its recipe gives; `numbers` are the levels to look at, all of them if None.

    The recipe is that of the pack, or of the channel of a pack of deals of the day. `step` is called for each level.

    Raises:
        Undecided: `generator-mismatch`.
        Malformed: with every defect of the recipe and what it names.
        Untrusted: a stored record is not the one that was signed.
    """
    mismatch = generator_finding(pack)
    if mismatch is not None:
        raise Undecided([mismatch])
    return tuple(_differences(pack, Workshop.open(recipe), recipe, numbers or pack.numbers, step))


def _differences(
    pack: Pack, workshop: Workshop, path: Path, numbers: range, step: Callable[[], None]
) -> Iterator[Finding]:
    manifest, recipe = pack.manifest, workshop.recipe
    daily = manifest.pack.startswith(f"{recipe.pack}-daily-")
    heading = workshop.heading(manifest.pack, manifest.title) if daily else workshop.heading()
    said = {
        "pack": (manifest.pack, heading.pack), "title": (manifest.title, heading.title),
        "version": (manifest.version, heading.version), "previous": (manifest.previous, heading.previous),
        "ruleset": (manifest.ruleset_sha256, ruleset_digest(heading.ruleset)),
        "face_set": (manifest.face_set, heading.face_set), "tools": (manifest.tools, heading.tools),
    }  # fmt: skip
    for name, (signed, now) in said.items():
        if signed != now:
            yield Finding("regenerate/manifest", f"the manifest signs another {name} than the recipe has", pack.label)
    bench = Workbench(Setup(path, heading, previews=False), workshop)
    plans = _daily(workshop, pack, numbers) if daily else planned(recipe, workshop.project.library)
    seen = numbers.start
    for plan in plans:
        if plan.level >= numbers.stop:
            break
        if plan.level < numbers.start:
            continue
        seen = plan.level + 1
        try:
            made = bench.finish(plan).ready.line
        except LevelgenError as error:
            yield from error.findings
        else:
            signed_line = pack.line(plan.level)
            if made != signed_line:
                names = ", ".join(_changed(signed_line, made))
                yield Finding("regenerate/differs", f"is made otherwise today: {names}", f"level {plan.level}")
        step()
    for number in range(seen, numbers.stop):
        yield Finding("regenerate/no-level", "the recipe has no such level", f"level {number}")


def _changed(signed: bytes, made: bytes) -> Iterator[str]:
    old, new = json.loads(signed), json.loads(made)
    yield from (name for name in new if old.get(name) != new[name])


def _daily(workshop: Workshop, pack: Pack, numbers: range) -> Iterator[LevelPlan]:
    """The plans of deals of the day: each record's seed says of which."""
    for number in numbers:
        named = date_of_seed(pack.level(number).seed)
        if named is None:
            return
        tier, day = named
        tiers = workshop.recipe.daily.tiers if workshop.recipe.daily else ()
        if tier not in tiers:
            return
        yield daily_plans(workshop.recipe, day, number - tiers.index(tier))[tiers.index(tier)]
