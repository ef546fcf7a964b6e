"""Commands that hang levels on a page: `gallery` and `watch`."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from levelgen.cli.completion import packs
from levelgen.cli.pictures import is_archive, pictures_for, set_for
from levelgen.cli.sources import Named, boards_from, span, split_level, trust_from, writable
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed


@click.command("gallery", epilog="Example:  levelgen gallery out/eram -o eram.html")
@click.argument("source", metavar="PACK", shell_complete=packs)
@click.option("-o", "--out", metavar="HTML", type=click.Path(path_type=Path), help="The page; default: PACK.html.")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--recipe", metavar="YAML", type=click.Path(path_type=Path),
              help="Mark the levels of which this recipe rejects draws or keeps an old one.")  # fmt: skip
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The page's name as JSON.")
def gallery_command(
    source: str, out: Path | None, levels: str | None, recipe: Path | None, faces: str | None, key: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Write PACK as one page to look at, to step through and to play: a file that opens from disk, in any browser.

    PACK#N is the page of that level alone. A board file is taken too: of a board that cannot be won the page tells why.
    """
    if alone := split_level(source):
        if levels:
            raise click.UsageError(f"{source} is one level already: leave --levels out")
        source, levels = alone[0], str(alone[1])
    name = source.rstrip("/").removesuffix(".lgpack") + (f"-{alone[1]}" if alone else "")
    target = out or Path(f"{name}.html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise Malformed.of("gallery/name", f"{str(target)!r} is no name for a page", "-o", "end it in .html")
    writable(target, source)
    if os.path.isfile(source) and not is_archive(source):
        boards = boards_from(source, key)
        with Progress(f"proving {source}", len(boards), silent=as_json) as progress:
            html = page_of_boards(boards, Path(source).stem, faces, progress.step)
        count = len(boards)
    else:
        html, count = _page_of_pack(source, levels, recipe, faces, key, as_json)
    write_page(target, html)
    if as_json:
        emit_json("gallery/1", {"page": str(target), "levels": count, "bytes": len(html)})
    else:
        show(str(target))
        say(f"{count} level{'s' * (count != 1)}, {len(html) // 1024} KB; open it in a browser")
    return 0


def _page_of_pack(
    source: str, levels: str | None, recipe: Path | None, faces: str | None, key: str | None, silent: bool
) -> tuple[str, int]:
    from levelgen.faces import load_face_set
    from levelgen.gallery import Gallery, exhibit_of, heading_of, rejection
    from levelgen.pack.opened import open_pack
    from levelgen.recipe import open_project, read_recipe

    asked = read_recipe(recipe, open_project(recipe)) if recipe else None
    with open_pack(Path(source), trust_from(key)) as opened:
        chosen = span(levels, opened.numbers)
        face_set = load_face_set(Path(faces or "faces") / opened.manifest.face_set.id)
        exhibits = []
        with Progress(f"hanging {source}", len(chosen), silent=silent) as progress:
            for number in chosen:
                record = opened.level(number)
                certificate = opened.certificate(number) if opened.has_certificates else None
                exhibits.append(exhibit_of(record, certificate, rejection(asked, record) if asked else ""))
                progress.step()
        return Gallery.of(face_set).page(heading_of(opened.manifest), exhibits), len(exhibits)


def page_of_boards(
    boards: Sequence[Named], title: str, faces: str | None, step: Callable[[], None] = lambda: None
) -> str:
    """The page of boards that belong to no pack, each proved or explained."""
    from levelgen.gallery import Gallery, Heading, exhibit_of_deal

    exhibits = []
    for one in boards:
        exhibits.append(exhibit_of_deal(os.path.basename(one.name), one.deal))
        step()
    names = {face for exhibit in exhibits for face in exhibit.faces}
    face_set = set_for(names, faces)
    titles = {face.id: face.title for face in face_set.faces} if face_set else {}
    return Gallery(pictures_for(names, faces), titles).page(Heading(title), exhibits)


def write_page(target: Path, html: str) -> None:
    """Write a page, whole or not at all."""
    from levelgen.pack.disk import write_file

    write_file(target, html.encode())


@click.command("watch", epilog="Example:  levelgen watch templates/packs/eram.yaml")
@click.argument("recipe", type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where to serve it; default: any free port.")
@click.option("--json", "as_json", is_flag=True, help="The address as JSON.")
def watch_command(recipe: Path, port: int, as_json: bool) -> int:
    """Serve the gallery of RECIPE on this machine and keep it up to date: the page follows every save, until Ctrl-C.

    Only what a save touches is made anew. A save that breaks something shows its findings; the last good picture stays.
    """
    from levelgen.cache import cache_folder
    from levelgen.watch import Server

    with Server(recipe, port, cache_folder()) as server:
        try:
            if as_json:
                emit_json("watch/1", {"address": server.address})
            else:
                show(server.address)
            sys.stdout.flush()
            say(f"watching {recipe}; open the address in a browser, stop with Ctrl-C")
            threading.Event().wait()
        except KeyboardInterrupt:
            say("stopped")
    return 0
