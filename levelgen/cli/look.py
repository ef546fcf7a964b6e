"""The command `show`: a board or a template in the terminal."""

from __future__ import annotations

import json
import shutil
import sys
from string import ascii_lowercase
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels_or_templates
from levelgen.cli.designs import GAMES, template_from, undealt
from levelgen.cli.sources import Named, boards_from
from levelgen.cli.talk import colourful, emit_json, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import AnswerIsNo

if TYPE_CHECKING:
    from levelgen.template import Library, Template


@click.command("show", epilog="Example:  levelgen show out/eram#1")
@click.argument("source", metavar="BOARD", shell_complete=levels_or_templates)
@click.option("--seed", default="1", show_default=True, help="Decides what a template leaves to chance.")
@click.option("--ruleset", type=click.Choice(GAMES), default="pairs", show_default=True,
              help="Which tiles of a template are open.")  # fmt: skip
@click.option("--picture", is_flag=True, help="As it is drawn, in half blocks; needs a terminal with 24-bit colour.")
@click.option("--text", is_flag=True, help="As text to edit: a board file, or a template's drawing.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The board as JSON, with its open tiles and gates.")
def show_command(
    source: str, seed: str, ruleset: str, picture: bool, text: bool, key: str | None, as_json: bool
) -> int:
    """Show BOARD: PACK#N, a board file (- for standard input), or a template by its name or file.

    In colour on a terminal, as ASCII when piped. Of a template there are blank tiles to see.
    """
    from levelgen.render.terminal import show as draw

    if picture:
        return _show_picture(source, seed, key)
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


def _show_picture(source: str, seed: str, key: str | None) -> int:
    from levelgen.cli.pictures import opened
    from levelgen.render.blocks import blocks
    from levelgen.render.preview import Painter

    window = shutil.get_terminal_size((80, 44))
    with opened(source, None, seed, key) as shown:
        painter = Painter(shown.pictures)
        for number in shown.numbers:
            drawn = painter.preview(shown.deal(number), level=shown.label(number), title=shown.title)
            show(blocks(drawn, window.columns, window.lines - 2).rstrip("\n"))
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
