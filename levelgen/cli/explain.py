"""The command `explain`: why a board cannot be won, in words, as a picture or as a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels
from levelgen.cli.sources import Named, boards_from, writable
from levelgen.cli.talk import emit_json, say, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed, Undecided

if TYPE_CHECKING:
    from levelgen.solve.aid import Scene

CODES = {"solved": 0, "unsolvable": 1, "undecided": 4}


@click.command("explain", epilog="Example:  levelgen explain dead.txt -o dead.png")
@click.argument("board", metavar="BOARD", shell_complete=levels)
@click.option("-o", "--out", metavar="FILE", type=click.Path(path_type=Path),
              help="Draw it: a .png each (-2, -3, … for further boards), or one .html to step through.")  # fmt: skip
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The story as JSON.")
def explain_command(board: str, out: Path | None, faces: str | None, key: str | None, as_json: bool) -> int:
    """Why BOARD cannot be won, in a designer's words: which tiles bury which.

    Exit code 0 when it can be won, 1 when it cannot, 4 when that is undecided.
    """
    from levelgen.solve import prove
    from levelgen.solve.aid import explain

    if out is not None:
        if out.suffix.lower() not in (".png", ".html"):
            raise Malformed.of("explain/name", f"{str(out)!r} is no name for a picture or a page", "-o",
                               "end it in .png or .html")  # fmt: skip
        writable(out, board)
    worst = 0
    boards = boards_from(board, key)
    dead: list[tuple[Named, tuple[Scene, ...]]] = []
    for named in boards:
        verdict = prove(named.deal).verdict
        worst = max(worst, CODES[verdict])
        story = explain(named.deal) if verdict == "unsolvable" else ()
        dead += [(named, story)] if story else []
        if as_json:
            emit_json("explain/1", {"name": named.name, "verdict": verdict, "story": [scene.text for scene in story]})
            continue
        show(f"{named.name}: {verdict}")
        for scene in story:
            show(f"  {scene.text}")
    if out is not None:
        _draw(out, board, boards, dead, faces)
    if worst == 4:
        raise Undecided.of("explain/undecided", "whether it can be won is undecided within the budget", board)
    return worst


def _draw(
    out: Path, board: str, boards: Sequence[Named], dead: Sequence[tuple[Named, tuple[Scene, ...]]], faces: str | None
) -> None:
    """A picture of each board that cannot be won, or a page of all boards."""
    if out.suffix.lower() == ".html":
        from levelgen.cli.gallery import page_of_boards, write_page

        write_page(out, page_of_boards(boards, Path(board).name, faces))
        say(f"the page is {out}")
        return
    if not dead:
        say(f"there is nothing to explain; {out} is left alone")
        return
    from levelgen.cli.pictures import pictures_for
    from levelgen.render.explained import explained
    from levelgen.render.preview import Painter, save_png

    for number, (named, story) in enumerate(dead, start=1):
        path = out if number == 1 else out.with_stem(f"{out.stem}-{number}")
        painter = Painter(pictures_for({*named.deal.faces, *named.deal.tray}, faces))
        save_png(explained(painter, named.deal, story, title=Path(named.name).name), path)
        say(f"the picture is {path}")
