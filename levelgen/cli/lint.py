"""The command `lint`: every defect of templates, recipes and face sets at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from levelgen.cli.reports import FORMS, by_file, render
from levelgen.cli.talk import emit_json, say, show, tell_findings
from levelgen.errors import NothingMatched


@click.command("lint", epilog="Example:  levelgen lint templates faces --format github")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True,
              help="How to print the findings: for people, programs, GitHub, test reports, code scanning.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def lint_command(paths: tuple[Path, ...], form: str, as_json: bool) -> int:
    """Report every error of the templates, recipes and face sets at PATH, with place, rule code and fix.

    Without PATH: templates/ and faces/. Exit code 0 when there are none, 1 when there are findings.
    """
    from levelgen.recipe import WARNINGS, lint

    chosen = paths or tuple(path for path in (Path("templates"), Path("faces")) if path.exists())
    if not any(path for path in chosen if not path.exists() or _documents(path)):
        names = ", ".join(map(str, chosen)) or "templates, faces"
        raise NothingMatched.of("lint/nothing", "there is no template, recipe or face set", names, "name their folder")
    found = lint(chosen)
    findings = [one for one in found if one.code not in WARNINGS]
    warnings = [one for one in found if one.code in WARNINGS]
    if as_json or form == "json":
        emit_json("findings/1", {
            "checked": [str(path) for path in chosen], "findings": [one.to_json() for one in findings],
            "warnings": [one.to_json() for one in warnings],
        })  # fmt: skip
    elif form != "text":
        documents = sorted({str(file) for path in chosen for file in _documents(path)})
        doubts = [replace(part, level="warning") for part in by_file([], warnings)]
        show(render(form, "lint", [*by_file(documents, findings), *doubts]))
    else:
        tell_findings(findings)
        tell_findings(warnings, word="warning")
        also = f", {len(warnings)} warning{'s' * (len(warnings) != 1)}" if warnings else ""
        counts = f"{len(findings)} finding{'s' * (len(findings) != 1)}{also}"
        say(f"{', '.join(map(str, chosen)) or 'nothing to lint'}: {counts}")
    return 1 if findings else 0


def _documents(path: Path) -> list[Path]:
    """What there is to lint at `path`."""
    from levelgen.document import documents_in

    return [path] if path.is_file() and path.suffix == ".yaml" else documents_in(path)
