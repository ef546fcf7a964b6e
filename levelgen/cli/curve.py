"""Commands about the difficulty curve of a pack: `curve` and `tune`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs, recipes
from levelgen.cli.sources import span, trust_from, writable
from levelgen.cli.talk import Progress, emit_json, say, show, table
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed, NothingMatched, counted, raise_for

if TYPE_CHECKING:
    from levelgen.candidates import Measured, Stretch
    from levelgen.render.curve import Point

WIDTH = 100
"""Levels on a line of the sparkline."""


@click.command("curve", epilog="Example:  levelgen curve out/eram -o eram.svg -o eram.png")
@click.argument("source", metavar="PACK|RECIPE", shell_complete=packs)
@click.option("-o", "--out", "outs", multiple=True, metavar="FILE", type=click.Path(path_type=Path),
              help="Draw it there, as .svg or .png; may be given twice.")  # fmt: skip
@click.option("--check", is_flag=True, help="Exit with 1 when a level missed its target.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="Target and reached of every level as JSON.")
def curve_command(source: str, outs: tuple[Path, ...], check: bool, key: str | None, as_json: bool) -> int:
    """What was asked of every level of PACK and what it reached; of a RECIPE (.yaml) what it asks."""
    for out in outs:
        if out.suffix.lower() not in (".svg", ".png"):
            raise Malformed.of("curve/name", f"{str(out)!r} is no name for a drawing", "-o",
                               "write a name that ends in .svg or .png")  # fmt: skip
        writable(out, source)
    asked = source.endswith((".yaml", ".yml"))
    if check and asked:
        raise Malformed.of("curve/check", f"{source} is a recipe: it has reached nothing yet", "--check",
                           "name the pack that was built of it")  # fmt: skip
    title, points = _asked(Path(source)) if asked else _reached(source, key)
    for out in outs:
        _draw(out, title, points)
    missed = [one for one in points if one.missed]
    if as_json:
        emit_json("curve/1", {
            "title": title, "missed": [one.level for one in missed], "drawings": [str(out) for out in outs],
            "levels": [{**one._asdict(), "missed": one.missed} for one in points],
        })  # fmt: skip
    else:
        _tell(title, points, missed)
        for out in outs:
            show(str(out))
    return 1 if check and missed else 0


def _reached(source: str, key: str | None) -> tuple[str, list[Point]]:
    from levelgen.pack.verify import open_pack

    with open_pack(Path(source), trust_from(key)) as pack:
        return pack.manifest.title, [_recorded(number, pack.level(number).difficulty) for number in pack.numbers]


def _recorded(level: int, figures: Mapping[str, int]) -> Point:
    """What a record says was asked and reached."""
    from levelgen.render.curve import Point

    return Point(level, figures.get("rating"), figures.get("target"), figures.get("tolerance", 0))


def _asked(recipe: Path) -> tuple[str, list[Point]]:
    from levelgen.recipe import open_project, plan, read_recipe
    from levelgen.render.curve import Point

    project = open_project(recipe)
    read = read_recipe(recipe, project)
    plans = plan(read, project.library)
    points = []
    for one in plans:
        if one.kept:  # the curve asks nothing of it: it is built as it was
            points.append(_recorded(one.level, one.kept.record.difficulty))
        elif one.aim:
            points.append(Point(one.level, None, one.aim.target, one.aim.tolerance))
        else:
            points.append(Point(one.level, None))
    return read.title, points


def _draw(out: Path, title: str, points: Sequence[Point]) -> None:
    from levelgen.pack.disk import write_file
    from levelgen.render.curve import curve_png, curve_svg

    if out.suffix.lower() == ".svg":
        write_file(out, curve_svg(points, title).encode())
    else:
        from levelgen.render.preview import save_png

        save_png(curve_png(points, title), out)


def _tell(title: str, points: Sequence[Point], missed: Sequence[Point]) -> None:
    from levelgen.render.curve import sparkline

    show(f"{title}: {counted(len(points), 'level')}")
    for start in range(0, len(points), WIDTH):
        row = points[start : start + WIDTH]
        for name, values in (("target", [one.target for one in row]), ("reached", [one.reached for one in row])):
            if any(value is not None for value in values):
                show(f"{row[0].level:>7} {name:<7} {sparkline(values)}")
    aimed = [one for one in points if one.target is not None and one.reached is not None]
    if aimed:
        there = "is where it shall be" if len(aimed) == 1 else "are where they shall be"
        show(f"{len(aimed) - len(missed)} of {counted(len(aimed), 'level')} {there}")
    if not any(one.target is not None for one in points):
        show("no level was asked for a number: a recipe asks by `curve`")
    for one in missed:
        show(f"level {one.level}: target {one.target}, reached {one.reached}, tolerance {one.tolerance}")


@click.command("tune", epilog="Example:  levelgen tune templates/packs/eram.yaml")
@click.argument("recipe", type=click.Path(path_type=Path), shell_complete=recipes)
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--json", "as_json", is_flag=True, help="Ranges and proposals as JSON.")
def tune_command(recipe: Path, levels: str | None, as_json: bool) -> int:
    """Where the curve of RECIPE asks for what its templates cannot give, and what to change there.

    A few candidates of every kind show how hard each level can be. Where its target lies outside, other templates,
    other numbers of faces and of face-down tiles are tried. Exit code 1 when a target is out of reach.
    """
    from levelgen.candidates import measured_levels, stretches
    from levelgen.recipe import open_project, plan, read_recipe, unfit

    project = open_project(recipe)
    read = read_recipe(recipe, project)
    plans = plan(read, project.library)
    aimed = [one.level for one in plans if one.aim and not one.kept]
    if not aimed:
        raise Malformed.of("tune/no-curve", "asks for no difficulty", str(recipe), "add `curve`: see docs/recipes.md")
    chosen = span(levels, range(aimed[0], aimed[-1] + 1))
    there = [one for one in aimed if one in chosen]
    if not there:
        raise NothingMatched.of("levels/none", f"no level of {levels} is asked for a number", "--levels",
                                f"name some like {aimed[0]}")  # fmt: skip
    raise_for(unfit(read, plans, project.library))
    with Progress(f"measuring {recipe}", len(there), silent=as_json) as progress:
        measured = measured_levels(read, project.library, chosen, progress.step)
    missed = any(one.missed for one in measured)
    if as_json:
        found = [_stretch(one) for one in stretches(read, project.library, measured)]
        emit_json("tune/1", {"levels": [_level(one) for one in measured], "stretches": found})
    else:
        table([_row(one) for one in measured], ("level", "target", "can be", "looked at", "nearest", "templates"))
        say("looking for changes" if missed else "nothing to change")
        for stretch in stretches(read, project.library, measured):
            _advise(stretch)
    return 1 if missed else 0


def _level(one: Measured) -> dict[str, object]:
    return {
        "level": one.level.level, "target": one.level.aim.target if one.level.aim else None,
        "least": one.reach.least if one.reach else None, "most": one.reach.most if one.reach else None,
        "missed": one.missed, **_evidence(one),
    }  # fmt: skip


def _evidence(one: Measured) -> dict[str, object]:
    """What a statement about a level rests on: candidates looked at, and those of a search, where there was one."""
    outcome, searched = one.outcome, {}
    if outcome is not None:
        nearest = outcome.best.rating.number if outcome.best else None
        searched = {"nearest": nearest, "rated": outcome.rated, "asked": outcome.asked, "kept": outcome.kept,
                    "lacks": outcome.told}  # fmt: skip
    return {"candidates": one.reach.candidates if one.reach else 0, "searched": searched or None}


def _stretch(stretch: Stretch) -> dict[str, object]:
    return {
        "first": stretch.levels[0].level.level,
        "last": stretch.levels[-1].level.level,
        "proposals": [
            {"change": one.change, "least": one.measured.reach.least if one.measured.reach else None,
             "most": one.measured.reach.most if one.measured.reach else None, "reaches": not one.measured.missed,
             **_evidence(one.measured)}
            for one in stretch.proposals
        ],
    }  # fmt: skip


def _row(one: Measured) -> tuple[str, ...]:
    reach = f"{one.reach.least} to {one.reach.most}" if one.reach else "not won"
    target = str(one.level.aim.target) if one.level.aim else ""
    looked = str(one.reach.candidates) if one.reach else "0"
    nearest = ""
    if one.outcome is not None:
        nearest = str(one.outcome.best.rating.number) if one.outcome.best else "none"
    return str(one.level.level), target, reach, looked, nearest, ", ".join(str(part) for part in one.level.parts)


def _advise(stretch: Stretch) -> None:
    first, last = stretch.levels[0].level, stretch.levels[-1].level
    targets = [one.level.aim.target for one in stretch.levels if one.level.aim]
    name = f"level {first.level}" if first is last else f"levels {first.level} to {last.level}"
    wanted = str(targets[0]) if len(set(targets)) == 1 else f"{min(targets)} to {max(targets)}"
    lacks = [one.outcome.told for one in stretch.levels if one.outcome and one.outcome.told]
    show(f"{name}: {lacks[0] if lacks else f'{wanted} is out of reach'}{_nearest(stretch)}")
    middle = stretch.levels[len(stretch.levels) // 2].level
    for one in stretch.proposals:
        show(f"  {one.change}: {_found(one.measured)}")
    if stretch.proposals:
        show(f"  each was searched through for level {middle.level}")
    else:
        show(f"  nothing that was tried comes nearer: {'ask for less' if lacks else 'change the target'}")


def _nearest(stretch: Stretch) -> str:
    """What the levels of a stretch come to instead."""
    numbers = [one.outcome.best.rating.number for one in stretch.levels if one.outcome and one.outcome.best]
    if not numbers:
        return ""
    if len(set(numbers)) == 1:
        return f", the nearest found is {numbers[0]}"
    return f", the nearest found are {min(numbers)} to {max(numbers)}"


def _found(one: Measured) -> str:
    """The nearest that a search found, and among how many."""
    outcome = one.outcome
    if outcome is None or outcome.best is None:
        return "nothing found"
    kept = f", {outcome.kept} of {outcome.asked} asked keep the conditions" if outcome.asked else ""
    number = outcome.best.rating.number
    off = ", nearer but still too far off" if one.missed else ""
    return f"{number}, the nearest of {outcome.candidates} candidates, {outcome.rated} rated in full{kept}{off}"
