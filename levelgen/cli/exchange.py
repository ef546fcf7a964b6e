"""Commands that exchange layouts with other programs: `import` and `export`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelgen.cli.designs import GAMES, places_left, template_from
from levelgen.cli.sources import boards_from, folder, writable
from levelgen.cli.talk import emit_json, no_more_waiting, say, table, tell_findings
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Finding, Malformed, counted

if TYPE_CHECKING:
    from levelgen.imports import Outgoing, Planned, Wishes

EXPORTS = ("tmj", "json", "csv", "layout")
MAX_FILES = 100_000


def _short(length: int) -> Any:
    def check(context: click.Context, option: click.Parameter, value: str | None) -> str:
        text = (value or "").strip()
        if len(text) > length or not text.isprintable():
            raise click.BadParameter(f"write at most {length} printable characters on one line")
        return text

    return check


@click.command("import", epilog="Example:  levelgen import castle.layout --licence CC0-1.0 -o templates/shapes")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option("-o", "--out", metavar="DIR", default=Path("templates/shapes"), show_default=True,
              type=click.Path(path_type=Path), help="Where the templates go.")  # fmt: skip
@click.option(
    "--licence", metavar="TEXT", callback=_short(80), help="What allows their use; default: as the file says."
)
@click.option("--provenance", metavar="TEXT", callback=_short(200), help="Where they come from; default: the file.")
@click.option(
    "--ruleset", type=click.Choice(GAMES), help="Say which layouts its group does not divide, and how to trim."
)
@click.option("--trim", is_flag=True, help="With --ruleset: take away the tiles that are too many.")
@click.option("--turn", is_flag=True, help="Turn layouts upright that are wider than high.")
@click.option("--force", is_flag=True, help="Replace templates that are there already.")
@click.option("--json", "as_json", is_flag=True, help="What was imported, as JSON.")
def import_command(
    files: tuple[Path, ...],
    out: Path,
    licence: str,
    provenance: str,
    ruleset: str | None,
    trim: bool,
    turn: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Turn the layouts in FILE… into templates: KMahjongg, GNOME, Kyodai, ffalt/mah, PySolFC, Tiled.

    A folder stands for all files in it. Bad files are told with file and line, and the others imported all the same.
    Exit code 2 when a file cannot be read, 1 when a layout breaks the rules of layouts, 0 otherwise.
    """
    if trim and ruleset is None:
        raise click.UsageError("--trim needs --ruleset: whose multiples?")
    from levelgen.imports import Wishes

    folder(out)
    told = _Told(as_json)
    shelf = _Shelf(out, force)
    wishes = Wishes(licence, provenance, ruleset or "", trim, turn)
    for path in _all(files, told):
        _import_file(path, wishes, shelf, told)
    return told.summary()


@dataclass
class _Told:
    """What an import has to say: findings and warnings at once, the rest at the end."""

    as_json: bool
    files: int = 0
    findings: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def error(self, *findings: Finding) -> None:
        self.findings += findings
        if not self.as_json:
            tell_findings(findings)

    def warning(self, *findings: Finding) -> None:
        self.warnings += findings
        if not self.as_json:
            tell_findings(findings, word="warning")

    def summary(self) -> int:
        broken = any(finding.code.startswith("import/") for finding in self.findings)
        failed = any(finding.code.startswith("system/") for finding in self.findings)
        if self.as_json:
            emit_json("import/1", {
                "files": self.files, "templates": self.rows, "findings": [one.to_json() for one in self.findings],
                "warnings": [one.to_json() for one in self.warnings],
            })  # fmt: skip
        else:
            if self.rows:
                columns = ("template", "title", "tiles", "layers", "games", "licence")
                table([[str(row[key]) for key in columns] for row in self.rows], columns)
            say(f"{counted(self.files, 'file')}: {counted(len(self.rows), 'template')} written, "
                f"{counted(len(self.findings), 'fault')}, {counted(len(self.warnings), 'warning')}")  # fmt: skip
        return 2 if broken else 6 if failed else 1 if self.findings else 0


class _Shelf:
    """The folder templates are put in, and the names that stand in it and around it."""

    def __init__(self, out: Path, force: bool) -> None:
        from levelgen.document import documents_in
        from levelgen.imports import Names

        self.out = out
        self.force = force
        self.names = Names()
        whole = next((above for above in (out, *out.absolute().parents) if above.name == "shapes"), out)
        self.there = {path.stem.lower(): path for path in documents_in(whole)} if whole.is_dir() else {}

    def put(self, planned: Planned) -> Path | Finding:
        """Write a template; the finding says why it was not."""
        from levelgen.pack.disk import write_file

        path = self.out / f"{planned.name}.yaml"
        other = self.there.get(planned.name)
        same = other is not None and other.absolute() == path.absolute()
        if other is not None and not (same and self.force):
            fix = "--force replaces it" if same else "rename one of them"
            return Finding("import/exists", f"there is a template `{planned.name}` already: {other}",
                           planned.found.where, fix)  # fmt: skip
        self.out.mkdir(parents=True, exist_ok=True)
        try:
            write_file(path, planned.text.encode(), replace=self.force)
        except FileExistsError:
            return Finding("import/exists", f"{path} is there already", planned.found.where, "--force replaces it")
        return path


def _all(paths: tuple[Path, ...], told: _Told) -> Iterator[Path]:
    """Every file; those of a folder in order, hidden ones left out."""
    count = 0
    for path in paths:
        inner = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inner:
            if path.is_dir() and (not file.is_file() or file.name.startswith(".")):
                continue
            count += 1
            if count > MAX_FILES:
                told.error(Finding("import/too-many", f"more than {MAX_FILES} files", str(path)))
                return
            yield file


def _import_file(path: Path, wishes: Wishes, shelf: _Shelf, told: _Told) -> None:
    from levelgen.imports import plan_template, read_layouts, unlicensed

    told.files += 1
    data = _bytes(path)
    if isinstance(data, Finding):
        told.error(data)
        return
    reading = read_layouts(data, str(path))
    told.error(*reading.findings)
    for found in reading.found:
        assert reading.format is not None, "what was found has a format"
        planned = plan_template(found, str(path), reading.format.title, shelf.names, wishes)
        written = shelf.put(planned)
        if isinstance(written, Finding):
            told.error(written)
            continue
        told.warning(*planned.warnings, *unlicensed(planned))
        told.rows.append({
            "template": str(written), "title": planned.found.title, "tiles": len(planned.found.layout),
            "layers": planned.found.layout.layers, "games": " ".join(planned.games), "licence": planned.licence,
            "from": found.where, "format": found.format,
        })  # fmt: skip


def _bytes(path: Path) -> bytes | Finding:
    """The bytes of a file, never more than a layout may have and one."""
    from levelgen.imports import MAX_BYTES

    try:
        if not path.is_file():
            what = "is no plain file" if path.exists() else "there is no such file"
            return Finding("import/missing", what, str(path), "check the path")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except ValueError:
        return Finding("import/missing", "is no path", repr(str(path)))
    except OSError as error:
        return Finding("system/unreadable", f"cannot be read: {error.strerror}", str(path))


@click.command("export", epilog="Example:  levelgen export turtle --format tmj -o turtle.tmj")
@click.argument("source", metavar="SOURCE")
@click.option("--format", "form", type=click.Choice(EXPORTS), help="Default: as -o ends.")
@click.option("-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="Default: standard output.")
@click.option("--seed", default="1", show_default=True, help="Decides what a template leaves to chance.")
@click.option("--board", type=click.IntRange(1), help="Which board of a board file that holds several.")
@click.option("--force", is_flag=True, help="Replace a file that is there already.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
def export_command(
    source: str, form: str | None, out: Path | None, seed: str, board: int | None, force: bool, key: str | None
) -> int:
    """Write SOURCE, a template's name or file, PACK#N or a board file, as Tiled TMJ, JSON, CSV or KMahjongg .layout.

    A board keeps its faces in TMJ, JSON and CSV; a .layout has places only.
    """
    from levelgen.imports import EXPORTS as WRITERS

    ending = (out.suffix[1:].lower() if out else "") if form is None else form
    if ending not in WRITERS:
        raise click.UsageError(f"which format? Name one with --format: {', '.join(EXPORTS)}")
    data = WRITERS[ending](_outgoing(source, seed, board, key))
    if out is None or str(out) == "-":
        no_more_waiting()
        sys.stdout.write(data.decode())
        return 0
    from levelgen.pack.disk import write_file

    writable(out, source)
    if out.exists() and not force:
        raise Malformed.of("export/exists", "is there already", str(out), "--force replaces it")
    write_file(out, data, replace=force)
    say(f"{out}: {len(data)} bytes")
    return 0


def _outgoing(source: str, seed: str, board: int | None, key: str | None) -> Outgoing:
    """What SOURCE names, ready to be written."""
    from levelgen.imports import Outgoing

    named = template_from(source)
    if named is not None:
        from levelgen.template import compose

        template, library = named
        return Outgoing(template.title, compose(template, library, seed), licence=template.licence,
                        provenance=template.provenance)  # fmt: skip
    boards = boards_from(source, key)
    if (board is None and len(boards) > 1) or (board is not None and board > len(boards)):
        raise Malformed.of(
            "export/which", f"holds {len(boards)} boards", source, f"--board 1 … {len(boards)} names one"
        )
    one = boards[(board or 1) - 1]
    deal = one.deal
    gone = set(deal.removed)
    left = [tile for tile in range(len(deal.faces)) if tile not in gone]
    return Outgoing(
        one.name,
        places_left(deal),
        faces=tuple(deal.faces[tile] for tile in left),
        face_down=frozenset(place for place, tile in enumerate(left) if tile in deal.face_down),
    )
