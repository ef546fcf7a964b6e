"""Commands for whoever designs levels: `init` and `try`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelgen.cli.completion import templates
from levelgen.cli.designs import GAMES, places_left, template_from
from levelgen.cli.sources import boards_from, folder, writable
from levelgen.cli.talk import Progress, emit_json, say, show, table
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed

if TYPE_CHECKING:
    from levelgen.layout import Layout
    from levelgen.rules import Ruleset
    from levelgen.trial import Trial

_SEEDS = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.\.([1-9][0-9]{0,8}))?")
MAX_SEEDS = 100_000
SHOWN = 12
"""Odd deals of a kind that are named on a line."""


@click.command("init", epilog="Example:  levelgen init village --ruleset pairs")
@click.argument("name")
@click.option("--ruleset", type=click.Choice(GAMES), default="pairs", show_default=True,
              help="The game its levels are for.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="What was written, as JSON.")
def init_command(name: str, ruleset: str, as_json: bool) -> int:
    """Make a project in a new folder NAME: templates, a recipe, a face set, and schemas for editors.

    It lints and builds as it stands. NAME becomes the pack's name too.
    """
    from levelgen.starter import write_project

    place = Path(name)
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,39}", place.name):
        raise Malformed.of("init/name", f"{place.name!r} cannot be a pack's name", "NAME",
                           "use lower-case letters, digits and dashes, beginning with a letter")  # fmt: skip
    folder(place.parent)
    files = write_project(place, place.name, ruleset)
    if as_json:
        emit_json("init/1", {"folder": name, "ruleset": ruleset, "files": list(files)})
        return 0
    for file in files:
        show(f"{name}/{file}")
    say(f"next: cd {name}; levelgen lint; levelgen try hill; levelgen build templates/packs/{place.name}.yaml")
    return 0


@click.command("try", epilog="Example:  levelgen try turtle --seeds 1..200")
@click.argument("source", metavar="TEMPLATE", shell_complete=templates)
@click.option("--seeds", default="1..200", show_default=True, metavar="A..B", help="The seeds to deal with.")
@click.option("--ruleset", type=click.Choice(GAMES), help="The game to deal for; default: pairs, a board's own.")
@click.option("--faces", type=click.IntRange(1, 512), help="Different faces; default: one for two groups.")
@click.option(
    "--face-down", type=click.IntRange(0, 4096), default=0, show_default=True, help="Tiles that lie face down."
)
@click.option("--budget", type=click.IntRange(1), help="What the kernel may spend on a deal.")
@click.option("-o", "--out", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the odd deals there, as a board file for show and solve.")  # fmt: skip
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="Counts, figures and odd deals as JSON.")
def try_command(
    source: str, seeds: str, ruleset: str | None, faces: int | None, face_down: int, budget: int | None,
    out: Path | None, key: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Deal TEMPLATE (a name in this project, or a file) at random and say how many deals can be won.

    PACK#N and a board file (- for standard input) are taken too: their places are dealt anew. Faces are dealt without
    looking, unlike in a pack, where every deal can be won.
    """
    from levelgen.trial import BUDGET, odd, summary, try_seed

    span = _span(seeds)
    if out is not None:
        writable(out, source)
    name, rules, layouts = _layouts(source, ruleset, key)
    trials: list[Trial] = []
    with Progress(f"trying {name}", len(span), silent=as_json) as progress:
        for seed in map(str, span):
            trials.append(
                try_seed(layouts(seed), rules, seed, faces=faces or 0, face_down=face_down, budget=budget or BUDGET)
            )
            progress.step()
    report = summary(trials)
    if out is not None:
        _write_boards(out, odd(trials))
    if as_json:
        emit_json("try/1", {"template": name, "ruleset": rules.id, "seeds": [span[0], span[-1]], **report})
    else:
        _tell(report)
    return 0


def _tell(report: Mapping[str, Any]) -> None:
    rows = [
        (word, str(report[word]), _percent(report[word], report["deals"])) for word in ("winnable", "dead", "undecided")
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


def _layouts(source: str, ruleset: str | None, key: str | None) -> tuple[str, Ruleset, Callable[[str], Layout]]:
    """What to deal onto: its name, the rules, and the layout under a seed.

    Raises:
        Malformed: there is no such template or board, or a template does not compose.
    """
    from levelgen.rules import RULESETS
    from levelgen.trial import whole_groups

    named = template_from(source)
    if named is not None:
        template, library = named
        rules = RULESETS[ruleset or "pairs"]
        return template.name, rules, lambda seed: whole_groups(template, library, rules.group, seed)
    boards = boards_from(source, key)
    if len(boards) != 1:
        raise Malformed.of("try/many", f"holds {len(boards)} boards", source, "give one")
    deal = boards[0].deal
    layout = places_left(deal)
    return boards[0].name, RULESETS[ruleset] if ruleset else deal.board.ruleset, lambda seed: layout


def _span(text: str) -> range:
    found = _SEEDS.fullmatch(text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if high < low:
        raise Malformed.of("try/seeds", f"{text!r} names no seeds", "--seeds", "write 7 or 1..200")
    if high - low >= MAX_SEEDS:
        raise Malformed.of("try/seeds", f"{text!r} names {high - low + 1} seeds", "--seeds",
                           f"{MAX_SEEDS} at most are tried at a time")  # fmt: skip
    return range(low, high + 1)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // whole} %"


def _write_boards(path: Path, chosen: Sequence[tuple[Trial, str]]) -> None:
    """Write the deals, and say which ones stand where: in the order in which their seeds are told."""
    from levelgen.pack.disk import write_file
    from levelgen.pack.records import encode_board, lines_of

    write_file(path, lines_of([encode_board(trial.deal) for trial, _ in chosen]))
    runs, first = [], 1
    for why, count in Counter(why for _, why in chosen).items():
        runs.append(f"{first}..{first + count - 1} {why}" if count > 1 else f"{first} {why}")
        first += count
    say(f"{path}: {len(chosen)} deals" + (f", by line: {', '.join(runs)}" if runs else ""))
