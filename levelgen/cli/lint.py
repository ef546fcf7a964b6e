"""The command `lint`: every defect of templates, recipes and face sets at once."""

from __future__ import annotations

from pathlib import Path

import click

from levelgen.cli.talk import emit_json, say, tell_findings
from levelgen.errors import NothingMatched


@click.command("lint", epilog="Example:  levelgen lint templates faces")
@click.argument("paths", nargs=-1, metavar="[PATH]…", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def lint_command(paths: tuple[Path, ...], as_json: bool) -> int:
    """Report every error of the templates, recipes and face sets at PATH, with place, rule code and fix.

    Without PATH: templates/ and faces/. Exit code 0 when there are none, 1 when there are findings.
    """
    from levelgen.recipe import lint

    chosen = paths or tuple(path for path in (Path("templates"), Path("faces")) if path.exists())
    if not any(_documents(path) for path in chosen):
        names = ", ".join(map(str, chosen)) or "templates, faces"
        raise NothingMatched.of("lint/nothing", "there is no template, recipe or face set", names, "name their folder")
    findings = lint(chosen)
    if as_json:
        emit_json(
            "findings/1", {"checked": [str(path) for path in chosen], "findings": [one.to_json() for one in findings]}
        )
    else:
        tell_findings(findings)
        say(f"{', '.join(map(str, chosen)) or 'nothing to lint'}: {len(findings)} findings")
    return 1 if findings else 0


def _documents(path: Path) -> bool:
    """Whether there is anything to lint at `path`; what does not exist is for `lint` to report."""
    return not path.exists() or (path.suffix == ".yaml" if path.is_file() else any(path.rglob("*.yaml")))
