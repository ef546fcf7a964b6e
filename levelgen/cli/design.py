"""Commands for whoever designs levels: `init` and `try`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import templates
from levelgen.cli.talk import Progress, emit_json, say, show, table
from levelgen.errors import Malformed

if TYPE_CHECKING:
    from levelgen.template import Library, Template
    from levelgen.trial import Trial

_SEEDS = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.\.([1-9][0-9]{0,8}))?")
MAX_SEEDS = 100_000
SHOWN = 12
"""Odd deals of a kind that are named on a line."""


@click.command("init", epilog="Example:  levelgen init village --ruleset pairs")
@click.argument("name")
@click.option("--ruleset", type=click.Choice(["pairs", "triples"]), default="pairs", show_default=True,
              help="The game its levels are for.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="What was written, as JSON.")
def init_command(name: str, ruleset: str, as_json: bool) -> int:
    """Make a project in a new folder NAME: templates, a recipe, a face set, and schemas for editors.

    It lints and builds as it stands. NAME becomes the pack's name too.
    """
    from levelgen.starter import write_project

    folder = Path(name)
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", folder.name):
        raise Malformed.of("init/name", f"{folder.name!r} cannot be a pack's name", "NAME",
                           "use lower-case letters, digits and dashes, beginning with a letter")  # fmt: skip
    files = write_project(folder, folder.name, ruleset)
    if as_json:
        emit_json("init/1", {"folder": name, "ruleset": ruleset, "files": list(files)})
        return 0
    for file in files:
        show(f"{name}/{file}")
    say(f"next: cd {name}; levelgen lint; levelgen try hill; levelgen build templates/packs/{folder.name}.yaml")
    return 0


@click.command("try", epilog="Example:  levelgen try turtle --seeds 1..200")
@click.argument("template", shell_complete=templates)
@click.option("--seeds", default="1..200", show_default=True, metavar="A..B", help="The seeds to deal with.")
@click.option("--ruleset", type=click.Choice(["pairs", "triples"]), default="pairs", show_default=True,
              help="The game to deal for.")  # fmt: skip
@click.option("--faces", type=click.IntRange(1, 512), help="Different faces; default: one for two groups.")
@click.option(
    "--face-down", type=click.IntRange(0, 4096), default=0, show_default=True, help="Tiles that lie face down."
)
@click.option("--budget", type=click.IntRange(1), help="What the kernel may spend on a deal.")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the odd deals there, as a board file for show and solve.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Counts, figures and odd deals as JSON.")
def try_command(
    template: str, seeds: str, ruleset: str, faces: int | None, face_down: int, budget: int | None, out: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Deal TEMPLATE (a name in this project, or a file) at random and say how many deals can be won.

    Faces are dealt without looking, unlike in a pack, where every deal can be won.
    """
    from levelgen.rules import RULESETS
    from levelgen.trial import BUDGET, odd, summary, try_seed

    chosen, library = _template(template)
    span = _span(seeds)
    trials: list[Trial] = []
    with Progress(f"trying {chosen.name}", len(span), silent=as_json) as progress:
        for seed in span:
            trials.append(
                try_seed(chosen, library, RULESETS[ruleset], str(seed), faces=faces or 0, face_down=face_down,
                         budget=budget or BUDGET)
            )  # fmt: skip
            progress.step()
    report = summary(trials)
    if out is not None:
        _write_boards(out, [trial for trial, _ in odd(trials)])
    if as_json:
        emit_json("try/1", {"template": chosen.name, "ruleset": ruleset, "seeds": [span[0], span[-1]], **report})
        return 0
    rows = [
        (word, str(report[word]), _percent(report[word], len(trials))) for word in ("winnable", "dead", "undecided")
    ]
    table(rows, ("deals", "number", "share"))
    show("")
    spreads = [(word, *(str(report[word][part]) for part in ("least", "median", "most")))
               for word in ("tiles", "layers", "faces", "open", "work")]  # fmt: skip
    table(spreads, ("figure", "least", "median", "most"))
    show("")
    for why in ("dead", "undecided", "hardest"):
        named = [one["seed"] for one in report["odd"] if one["why"] == why]
        if named:
            more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            show(f"{why}: seeds {', '.join(named[:SHOWN])}{more}")
    return 0


def _template(name: str) -> tuple[Template, Library]:
    """The template of that name or in that file, and the library it belongs to."""
    from levelgen.document import suggest
    from levelgen.recipe import open_project
    from levelgen.template import Library, read_template

    path = Path(name)
    is_file = path.suffix == ".yaml" or path.is_file()
    try:
        library = open_project(path.parent if is_file else Path.cwd()).library
    except Malformed as error:
        if not is_file or error.findings[0].code != "project/missing":
            raise
        library = Library()
    if is_file:
        own = read_template(path)
        if own.name not in library:
            library = Library([*library.values(), own])
        return library[own.name], library
    if name not in library:
        raise Malformed.of("try/unknown-template", f"there is no template `{name}`", "TEMPLATE",
                           suggest(name, sorted(library)))  # fmt: skip
    return library[name], library


def _span(text: str) -> range:
    found = _SEEDS.fullmatch(text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not 0 <= high - low < MAX_SEEDS:
        raise Malformed.of("try/seeds", f"{text!r} names no seeds", "--seeds",
                           f"write 7 or 1..200, {MAX_SEEDS} at most")  # fmt: skip
    return range(low, high + 1)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // whole} %"


def _write_boards(path: Path, trials: list[Trial]) -> None:
    from levelgen.pack.records import encode_board, lines_of

    path.write_bytes(lines_of([encode_board(trial.deal) for trial in trials]))
    say(f"{path}: {len(trials)} deals")
