"""Commands that compare two packs: `diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs
from levelgen.cli.sources import trust_from, writable
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed

if TYPE_CHECKING:
    from levelgen.pack.diff import PackDiff
    from levelgen.pack.verify import Pack


@click.command("diff", epilog="Example:  levelgen diff out/eram /tmp/eram --html diff.html")
@click.argument("old", shell_complete=packs)
@click.argument("new", shell_complete=packs)
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True,
              help="How to print it; md is for a pull request.")  # fmt: skip
@click.option("--full", is_flag=True, help="With md: every level in words, not the short table only.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path),
              help="Write a page there too: pictures side by side, under a slider, blended or toggled.")  # fmt: skip
@click.option("--faces", metavar="DIR", help="With --html: folder of face sets; default: faces/.")
def diff_command(
    old: str, new: str, key: str | None, form: str, full: bool, as_json: bool, html: Path | None, faces: str | None
) -> int:
    """Say what changed from pack OLD to pack NEW: levels added, removed, changed, and in what.

    Exit code 0 when they are the same, 1 when they differ.
    """
    from levelgen.pack.diff import diff_packs
    from levelgen.pack.opened import open_pack

    if full and form != "md":
        raise Malformed.of("diff/full", "is for Markdown only", "--full", "add --format md, or leave it out")
    if html is not None:
        writable(html)
    trust = trust_from(key)
    with open_pack(Path(old), trust) as before, open_pack(Path(new), trust) as after:
        changes = diff_packs(before, after)
        if html is not None:
            _write_page(html, changes, before, after, faces, silent=as_json or form == "json")
    if as_json or form == "json":
        emit_json("diff/1", changes.to_json())
    elif form == "md":
        show(changes.to_markdown(full=full).rstrip("\n"))
    else:
        show(changes.to_text().rstrip("\n"))
    return 0 if changes.same else 1


def _write_page(path: Path, changes: PackDiff, before: Pack, after: Pack, faces: str | None, *, silent: bool) -> None:
    from levelgen.cli.pictures import painter_of
    from levelgen.pack.disk import write_file
    from levelgen.render.compare import compare_page, pages_levels

    painters = {name: painter_of(faces, name) for name in {pack.manifest.face_set.id for pack in (before, after)}}
    with Progress("drawing", pages_levels(changes), silent=silent) as progress:
        page = compare_page(changes, before, after, painters, step=progress.step)
    write_file(path, page.encode())
    if not silent:
        say(f"{path}: {len(page) // 1024} KiB; open it in a browser")
