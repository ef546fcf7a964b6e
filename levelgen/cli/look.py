"""Commands for looking at levels: `preview`, `sheet`, `show`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels_or_templates, packs
from levelgen.cli.designs import GAMES, template_from, undealt
from levelgen.cli.sources import Named, boards_from, span, split_level, trust_from, writable
from levelgen.cli.talk import Progress, colourful, emit_json, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import AnswerIsNo, Malformed

if TYPE_CHECKING:
    from PIL.Image import Image

    from levelgen.board import Deal
    from levelgen.render.preview import Painter
    from levelgen.template import Library, Template


@click.command("show", epilog="Example:  levelgen show out/eram#1")
@click.argument("source", metavar="BOARD", shell_complete=levels_or_templates)
@click.option("--seed", default="1", show_default=True, help="Decides what a template leaves to chance.")
@click.option("--ruleset", type=click.Choice(GAMES), default="pairs", show_default=True,
              help="Which tiles of a template are open.")  # fmt: skip
@click.option("--text", is_flag=True, help="As text to edit: a board file, or a template's drawing.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The board as JSON, with its open tiles and gates.")
def show_command(source: str, seed: str, ruleset: str, text: bool, key: str | None, as_json: bool) -> int:
    """Show BOARD: PACK#N, a board file (- for standard input), or a template by its name or file.

    In colour on a terminal, as ASCII when piped. Of a template there are blank tiles to see.
    """
    from levelgen.render.terminal import show as draw

    named = template_from(source)
    if named is not None:
        return _show_template(*named, seed, ruleset, text, as_json)
    for one in boards_from(source, key):
        if as_json:
            _emit_board(one)
        elif text:
            show(_as_text(one).rstrip("\n"))
        else:
            show(one.name)
            show(draw(one.deal.start, colour=colourful(sys.stdout), width=_columns()))
    return 0


def _show_template(template: Template, library: Library, seed: str, ruleset: str, text: bool, as_json: bool) -> int:
    from levelgen.layout import Layout
    from levelgen.layout import draw as drawing
    from levelgen.render.terminal import show as draw
    from levelgen.template import compose

    layout = compose(template, library, seed)
    left, top, right, bottom = layout.bounds()
    if as_json:
        emit_json("layout/1", {
            "template": template.name, "title": template.title, "tags": list(template.tags), "seed": seed,
            "tiles": len(layout), "layers": layout.layers, "width": right - left, "height": bottom - top,
            "slots": [list(slot) for slot in layout.slots],
        })  # fmt: skip
    elif text:
        moved = Layout.of((x - left, y - top, z) for x, y, z in layout)
        show(drawing(moved, {tile: ascii_lowercase[tile % 26] for tile in range(len(moved))}).rstrip("\n"))
    else:
        tags = f", {' '.join(template.tags)}" if template.tags else ""
        show(f"{template.name}: {template.title}, {right - left}×{bottom - top} half-tiles{tags}")
        show(draw(undealt(layout, ruleset), colour=colourful(sys.stdout), width=_columns()))
    return 0


def _emit_board(named: Named) -> None:
    from levelgen.board import tiles_of
    from levelgen.pack.records import encode_board

    deal = named.deal
    ready = list(deal.board.open_tiles(deal.start.remaining))
    gates = [[list(tiles_of(way)) for way in ways] for ways in deal.board.gates]
    emit_json("board/1", {"name": named.name, **json.loads(encode_board(deal)), "open": ready, "gates": gates})


def _as_text(named: Named) -> str:
    """The board as a text board file.

    Raises:
        AnswerIsNo: it cannot be drawn as one.
    """
    from levelgen.drawn_board import draw_board

    drawn = draw_board(named.deal)
    if drawn is None:
        raise AnswerIsNo.of("show/text", "cannot be drawn: more than 26 faces, in mid-game, or rules of its own",
                            named.name, "--json writes any board")  # fmt: skip
    return drawn


def _columns() -> int:
    """Columns of the terminal; 80 when there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80


@click.command("preview", epilog="Example:  levelgen preview out/eram --levels 1..3 -o pictures")
@click.argument("source", metavar="PACK", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="DIR", help="Directory for the pictures, NNN.png each.")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--seed", default="1", show_default=True, help="Decides what a template leaves to chance.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def preview_command(
    source: str, out: str, levels: str | None, faces: str | None, seed: str, key: str | None, as_json: bool
) -> int:
    """Draw levels of PACK as one PNG each.

    PACK#N, a board file and a template's name are taken too; faces without artwork are drawn as their names.
    """
    from levelgen.render.preview import Painter, save_png

    with _opened(source, faces, seed, key) as shown:
        chosen = span(levels, shown.numbers)
        painter = Painter(shown.pictures)
        Path(out).mkdir(parents=True, exist_ok=True)
        paths = []
        with Progress(f"drawing {source}", len(chosen), silent=as_json) as progress:
            for number in chosen:
                path = Path(out) / f"{number:03}.png"
                save_png(painter.preview(shown.deal(number), level=shown.label(number), title=shown.title), path)
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
@click.argument("source", metavar="PACK", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="PNG", help="The picture; further pages get -2, -3, …")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--faces", metavar="DIR", help="Folder of face sets; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def sheet_command(source: str, out: str, levels: str | None, faces: str | None, key: str | None, as_json: bool) -> int:
    """Draw a contact sheet of PACK, or of the boards of a board file."""
    first = Path(out)
    if first.suffix.lower() != ".png":
        raise Malformed.of("sheet/name", f"{out!r} is no name for a PNG", "-o", "write a name that ends in .png")
    writable(first)
    from levelgen.render.preview import save_png
    from levelgen.render.sheet import sheets

    with _opened(source, faces, "1", key) as shown:
        chosen = span(levels, shown.numbers)
        pages = sheets([(number, shown.deal(number)) for number in chosen], shown.pictures, title=shown.title)
    paths = [first if page == 1 else first.with_stem(f"{first.stem}-{page}") for page in range(1, len(pages) + 1)]
    for path, picture in zip(paths, pages, strict=True):
        save_png(picture, path)
    _tell_pictures(paths, as_json)
    return 0


@dataclass(frozen=True)
class _Shown:
    """Boards to be drawn, by number."""

    title: str
    numbers: range
    deal: Callable[[int], Deal]
    label: Callable[[int], int | None]
    """The number a picture bears."""
    pictures: Mapping[str, Image]


@contextmanager
def _opened(source: str, faces: str | None, seed: str, key: str | None) -> Iterator[_Shown]:
    """What SOURCE names: a pack, one level of it, the boards of a file, or a template."""
    named = template_from(source)
    if named is not None:
        from levelgen.template import compose

        layout = compose(*named, seed)
        yield _board_files([undealt(layout, "pairs")], named[0].title, faces)
    elif split_level(source) is None and (os.path.isdir(source) or _is_archive(source)):
        from levelgen.pack.opened import open_pack

        with open_pack(Path(source), trust_from(key)) as pack:
            title = pack.manifest.title
            pictures = _pictures(faces, pack.manifest.face_set.id)
            yield _Shown(title, pack.numbers, lambda number: pack.level(number).deal, lambda number: number, pictures)
    else:
        boards = boards_from(source, key)
        if len(boards) == 1 and (level := boards[0].level) is not None:
            deal = boards[0].deal
            numbers = range(level, level + 1)
            yield _Shown(source.partition("#")[0], numbers, lambda _: deal, lambda number: number,
                         _pictures(faces, boards[0].face_set))  # fmt: skip
        else:
            yield _board_files([one.deal for one in boards], Path(source).stem, faces)


def _is_archive(source: str) -> bool:
    """Whether SOURCE is a pack in one file, or would be one by its name."""
    if source.endswith(".lgpack") or not os.path.isfile(source):
        return source.endswith(".lgpack")
    try:
        with open(source, "rb") as file:
            return file.read(2) == b"PK"
    except (OSError, ValueError):
        return False


def _board_files(deals: Sequence[Deal], title: str, faces: str | None) -> _Shown:
    numbers = range(1, len(deals) + 1)
    several = len(deals) > 1
    return _Shown(title, numbers, lambda number: deals[number - 1], lambda number: number if several else None,
                  _pictures_for({face for deal in deals for face in (*deal.faces, *deal.tray)}, faces))  # fmt: skip


def painter_of(folder: str | None, name: str, theme: str | None = None) -> Painter:
    """Who draws boards of that face set, which stands in `folder` (default: faces/)."""
    from levelgen.render.preview import Painter

    return Painter(_pictures(folder, name), theme)


def _pictures(folder: str | None, name: str) -> dict[str, Image]:
    """Every face's picture of a set, by its id."""
    from levelgen.faces import image, load_face_set

    face_set = load_face_set(Path(folder or "faces") / name)
    return {face: image(face_set, face) for face in face_set.dealable}


def _pictures_for(names: set[str], folder: str | None) -> dict[str, Image]:
    """Pictures of faces whose set nobody names: out of the set that has most of them, the others as their names."""
    from levelgen.faces import find_face_sets, image, load_face_set
    from levelgen.render.lettering import lettered

    sets = [load_face_set(path) for path in find_face_sets(Path(folder or "faces"))]
    best = max(sets, key=lambda one: len(names & set(one.dealable)), default=None)
    known = names & set(best.dealable) if best else set()
    return {name: image(best, name) if best and name in known else lettered(name) for name in sorted(names)}
