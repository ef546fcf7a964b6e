"""Commands for looking at levels: `preview`, `sheet`, `show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels, packs
from levelgen.cli.sources import boards_from, span, trust_from
from levelgen.cli.talk import Progress, colourful, emit_json, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed

if TYPE_CHECKING:
    from PIL.Image import Image

    from levelgen.render.preview import Painter


@click.command("show", epilog="Example:  levelgen show out/eram#1")
@click.argument("board", metavar="BOARD", shell_complete=levels)
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The board as JSON, with its open tiles and gates.")
def show_command(board: str, key: str | None, as_json: bool) -> int:
    """Show BOARD (PACK#N or a board file, - for standard input): in colour on a terminal, as ASCII when piped."""
    import json

    from levelgen.board import tiles_of
    from levelgen.pack.records import encode_board
    from levelgen.render.terminal import show as draw

    for named in boards_from(board, key):
        start = named.deal.start
        if as_json:
            ready = list(named.deal.board.open_tiles(start.remaining))
            gates = [[list(tiles_of(way)) for way in ways] for ways in named.deal.board.gates]
            emit_json(
                "board/1", {"name": named.name, **json.loads(encode_board(named.deal)), "open": ready, "gates": gates}
            )
        else:
            show(named.name)
            show(draw(start, colour=colourful(sys.stdout)))
    return 0


@click.command("preview", epilog="Example:  levelgen preview out/eram --levels 1..3 -o pictures")
@click.argument("pack", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="DIR", help="Directory for the pictures, NNN.png each.")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def preview_command(pack: str, out: str, levels: str | None, faces: str | None, key: str | None, as_json: bool) -> int:
    """Draw levels of PACK as one PNG each."""
    from levelgen.pack.opened import open_pack
    from levelgen.render.preview import Painter, save_png

    with open_pack(Path(pack), trust_from(key)) as opened:
        chosen = span(levels, opened.numbers)
        painter = Painter(_pictures(faces, opened.manifest.face_set.id))
        Path(out).mkdir(parents=True, exist_ok=True)
        paths = []
        with Progress(f"drawing {pack}", len(chosen), silent=as_json) as progress:
            for number in chosen:
                path = Path(out) / f"{number:03}.png"
                picture = painter.preview(opened.level(number).deal, level=number, title=opened.manifest.title)
                save_png(picture, path)
                paths.append(path)
                progress.step()
    _tell_pictures(paths, as_json)
    return 0


def _tell_pictures(paths: list[Path], as_json: bool) -> None:
    if as_json:
        emit_json("pictures/1", {"pictures": [str(path) for path in paths]})
    else:
        for path in paths:
            show(str(path))


@click.command("sheet", epilog="Example:  levelgen sheet out/eram -o eram.png")
@click.argument("pack", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="PNG", help="The picture; further pages get -2, -3, …")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def sheet_command(pack: str, out: str, levels: str | None, faces: str | None, key: str | None, as_json: bool) -> int:
    """Draw a contact sheet of PACK."""
    if Path(out).suffix.lower() != ".png":
        raise Malformed.of("sheet/name", f"{out!r} is no name for a PNG", "-o", "write a name that ends in .png")
    from levelgen.pack.opened import open_pack
    from levelgen.render.preview import save_png
    from levelgen.render.sheet import sheets

    with open_pack(Path(pack), trust_from(key)) as opened:
        chosen = span(levels, opened.numbers)
        face_set = _pictures(faces, opened.manifest.face_set.id)
        pages = sheets(
            [(number, opened.level(number).deal) for number in chosen], face_set, title=opened.manifest.title
        )
    first = Path(out)
    paths = [first if page == 1 else first.with_stem(f"{first.stem}-{page}") for page in range(1, len(pages) + 1)]
    for path, picture in zip(paths, pages, strict=True):
        save_png(picture, path)
    _tell_pictures(paths, as_json)
    return 0


def painter_of(folder: str | None, name: str, theme: str | None = None) -> Painter:
    """Who draws boards of that face set, which stands in `folder` (default: faces/)."""
    from levelgen.render.preview import Painter

    return Painter(_pictures(folder, name), theme)


def _pictures(folder: str | None, name: str) -> dict[str, Image]:
    """Every face's picture of a set, by its id."""
    from levelgen.faces import image, load_face_set

    face_set = load_face_set(Path(folder or "faces") / name)
    return {face: image(face_set, face) for face in face_set.dealable}
