"""Commands that hang levels on a page: `gallery` and `watch`."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import click

from levelgen.cli.completion import packs
from levelgen.cli.sources import span, trust_from
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed


@click.command("gallery", epilog="Example:  levelgen gallery out/eram -o eram.html")
@click.argument("pack", shell_complete=packs)
@click.option("-o", "--out", metavar="HTML", type=click.Path(path_type=Path), help="The page; default: PACK.html.")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The page's name as JSON.")
def gallery_command(
    pack: str, out: Path | None, levels: str | None, faces: str | None, key: str | None, as_json: bool
) -> int:
    """Write PACK as one page to look at, to step through and to play: a file that opens from disk, in any browser."""
    target = out or Path(pack.rstrip("/").removesuffix(".lgpack") + ".html")
    if target.suffix.lower() not in (".html", ".htm"):
        raise Malformed.of("gallery/name", f"{str(target)!r} is no name for a page", "-o", "end it in .html")
    from levelgen.faces import load_face_set
    from levelgen.gallery import Gallery, exhibit_of, heading_of
    from levelgen.pack.disk import write_file
    from levelgen.pack.verify import open_pack

    with open_pack(Path(pack), trust_from(key)) as opened:
        chosen = span(levels, opened.numbers)
        face_set = load_face_set(Path(faces or "faces") / opened.manifest.face_set.id)
        exhibits = []
        with Progress(f"hanging {pack}", len(chosen), silent=as_json) as progress:
            for number in chosen:
                certificate = opened.certificate(number) if opened.has_certificates else None
                exhibits.append(exhibit_of(opened.level(number), certificate))
                progress.step()
        html = Gallery(face_set).page(heading_of(opened.manifest), exhibits)
    write_file(target, html.encode())
    if as_json:
        emit_json("gallery/1", {"page": str(target), "levels": len(exhibits), "bytes": len(html)})
    else:
        show(str(target))
        say(f"{len(exhibits)} levels, {len(html) // 1024} KB; open it in a browser")
    return 0


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
