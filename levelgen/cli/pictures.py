"""Commands that draw: `preview` and `sheet`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs
from levelgen.cli.designs import template_from, undealt
from levelgen.cli.sources import boards_from, folder, span, split_level, trust_from, writable
from levelgen.cli.talk import Progress, emit_json, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import AnswerIsNo, Malformed

if TYPE_CHECKING:
    from PIL.Image import Image

    from levelgen.board import Deal
    from levelgen.faces import FaceSet
    from levelgen.moves import Move
    from levelgen.render.preview import Painter
    from levelgen.render.sheet import Entry
    from levelgen.render.theme import Size

THEMES = ("garden", "himal", "plum", "light", "dark", "contrast", "paper")
FILMS = {"gif": ".gif", "apng": ".png", "webp": ".webp"}
FACES_HELP = "Folder of face sets; default: faces/."


@click.command("preview", epilog="Example:  levelgen preview out/eram --levels 1..3 --theme dark -o pictures")
@click.argument("source", metavar="PACK", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="DIR", help="Directory for the pictures, NNN.png each.")
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--size", "sizes", multiple=True, metavar="SIZE",
              help="phone, small, tall, square, tablet, wide or WIDTHxHEIGHT; may be given several times.")  # fmt: skip
@click.option("--theme", type=click.Choice(THEMES), help="How it looks; default: what the ruleset has.")
@click.option("--solution", type=click.Choice(list(FILMS)), help="Films of the solutions instead of single pictures.")
@click.option("--faces", metavar="DIR", help=FACES_HELP)
@click.option("--seed", default="1", show_default=True, help="Decides what a template leaves to chance.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def preview_command(
    source: str, out: str, levels: str | None, sizes: tuple[str, ...], theme: str | None, solution: str | None,
    faces: str | None, seed: str, key: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Draw levels of PACK as one PNG each, or their solutions as moving pictures.

    PACK#N, a board file and a template's name are taken too; faces without artwork are drawn as their names. A solution
    is the certificate's; where there is none, the kernel's.
    """
    from levelgen.render.frame import size_of
    from levelgen.render.preview import Painter, save_png

    folder(Path(out))
    named = sizes or (("small",) if solution else ("phone",))
    wanted = {name: size_of(name) for name in named}
    with opened(source, faces, seed, key) as shown:
        chosen = span(levels, shown.numbers)
        painter = Painter(shown.pictures, theme)
        Path(out).mkdir(parents=True, exist_ok=True)
        paths = []
        with Progress(f"drawing {source}", len(chosen) * len(wanted), silent=as_json) as progress:
            for number in chosen:
                for name, size in wanted.items():
                    end = f"-{name}" if len(wanted) > 1 else ""
                    path = Path(out) / f"{number:03}{end}{FILMS[solution] if solution else '.png'}"
                    if solution:
                        _film(shown, number, painter, size, path)
                    else:
                        deal = shown.deal(number)
                        picture = painter.preview(deal, level=shown.label(number), title=shown.title, size=size)
                        save_png(picture, path)
                    paths.append(path)
                    progress.step()
    _tell_pictures(paths, as_json)
    return 0


def _film(shown: Shown, number: int, painter: Painter, size: Size, path: Path) -> None:
    from levelgen.render.film import film, save_film

    shots = film(shown.deal(number), shown.moves(number), painter, level=shown.label(number), title=shown.title,
                 size=size)  # fmt: skip
    save_film(shots, path)


def _tell_pictures(paths: list[Path], as_json: bool) -> None:
    if as_json:
        emit_json("pictures/1", {"pictures": [str(path) for path in paths]})
    else:
        for path in paths:
            show(str(path))


@click.command("sheet", epilog="Example:  levelgen sheet out/eram --print a4 -o eram.pdf")
@click.argument("source", metavar="PACK", shell_complete=packs)
@click.option("-o", "--out", required=True, metavar="FILE",
              help="The picture, .png; further pages get -2, -3, … With --print also .pdf.")  # fmt: skip
@click.option("--levels", metavar="A..B", help="Only these levels.")
@click.option("--theme", type=click.Choice(THEMES), help="How it looks; default: what the ruleset has.")
@click.option("--print", "paper", type=click.Choice(["a4", "letter"]),
              help="Pages to be printed, 300 dots an inch, with room for notes.")  # fmt: skip
@click.option("--faces", metavar="DIR", help=FACES_HELP)
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The names of the pictures as JSON.")
def sheet_command(
    source: str, out: str, levels: str | None, theme: str | None, paper: str | None, faces: str | None, key: str | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Draw a contact sheet of PACK, or of the boards of a board file.

    Where the records say how hard the levels are, a strip shows the curve.
    """
    first = Path(out)
    suffix = first.suffix.lower()
    if suffix != ".png" and not (suffix == ".pdf" and paper):
        fix = "write a name that ends in .png" + (" or .pdf" if paper else "; a PDF needs --print a4")
        raise Malformed.of("sheet/name", f"{out!r} is no name for a {'PNG or PDF' if paper else 'PNG'}", "-o", fix)
    writable(first, source)
    from levelgen.render.preview import Painter, save_png
    from levelgen.render.sheet import sheets

    with opened(source, faces, "1", key) as shown:
        entries = [shown.entry(number) for number in span(levels, shown.numbers)]
        painter = Painter(shown.pictures, theme or ("paper" if paper else None))
        if paper:
            from levelgen.render.printed import DPI, print_sheets, save_pdf

            pages = print_sheets(entries, painter, title=shown.title, paper=paper, foot=shown.mark)
            if suffix == ".pdf":
                save_pdf(pages, first)
                _tell_pictures([first], as_json)
                return 0
        else:
            pages = iter(sheets(entries, painter, title=shown.title))
        paths = []
        for number, page in enumerate(pages, start=1):
            path = first if number == 1 else first.with_stem(f"{first.stem}-{number}")
            save_png(page, path, dpi=DPI if paper else 0)
            paths.append(path)
    _tell_pictures(paths, as_json)
    return 0


@dataclass(frozen=True)
class Shown:
    """Boards to be drawn, by number."""

    title: str
    numbers: range
    deal: Callable[[int], Deal]
    label: Callable[[int], int | None]
    """The number a picture bears."""
    pictures: Mapping[str, Image]
    entry: Callable[[int], Entry]
    """What a sheet shows of it."""
    solution: Callable[[int], tuple[Move, ...] | None] = lambda _: None
    """The moves of its certificate, if it has one."""
    mark: str = ""
    """What identifies the pack: its version and digest."""

    def moves(self, number: int) -> tuple[Move, ...]:
        """A way to win it: the certificate's, else the kernel's.

        Raises:
            AnswerIsNo: none is known.
        """
        known = self.solution(number)
        if known is None:
            from levelgen.solve import prove

            proof = prove(self.deal(number))
            if proof.verdict != "solved":
                raise AnswerIsNo.of("preview/no-solution", f"has no solution to show: it is {proof.verdict}",
                                    f"level {number}", "leave --solution out")  # fmt: skip
            known = proof.moves
        return known


@contextmanager
def opened(source: str, faces: str | None, seed: str, key: str | None) -> Iterator[Shown]:
    """What SOURCE names: a pack, one level of it, the boards of a file, or a template."""
    named = template_from(source)
    place = split_level(source)
    if named is not None:
        from levelgen.template import compose

        layout = compose(*named, seed)
        yield _board_files([undealt(layout, "pairs")], named[0].title, faces)
    elif (place is None or os.path.isfile(source)) and not (os.path.isdir(source) or is_archive(source)):
        yield _board_files([one.deal for one in boards_from(source, key)], Path(source).stem, faces)
    else:
        from levelgen.certificate import moves_under
        from levelgen.pack.opened import open_pack
        from levelgen.render.sheet import Entry

        with open_pack(Path(place[0] if place else source), trust_from(key)) as pack:
            manifest = pack.manifest

            def solution(number: int) -> tuple[Move, ...] | None:
                if not pack.has_certificates:
                    return None
                record = pack.level(number)
                return moves_under(record.ruleset, record.face_down, pack.certificate(number).solution)

            def entry(number: int) -> Entry:
                record = pack.level(number)
                rating, target = (record.difficulty.get(name) for name in ("rating", "target"))
                return Entry(number, record.deal, "", rating, target, record.templates)

            numbers = range(place[1], pack.level(place[1]).level + 1) if place else pack.numbers
            yield Shown(
                manifest.title, numbers, lambda number: pack.level(number).deal, lambda number: number,
                _pictures(faces, manifest.face_set.id), entry, solution,
                f"{manifest.pack} version {manifest.version}  {pack.digest[:12]}",
            )  # fmt: skip


def is_archive(source: str) -> bool:
    """Whether a file is a pack in one piece, by its name or else by its first bytes."""
    """Whether SOURCE is a pack in one file, or would be one by its name."""
    if source.endswith(".lgpack") or not os.path.isfile(source):
        return source.endswith(".lgpack")
    try:
        with open(source, "rb") as file:
            return file.read(2) == b"PK"
    except (OSError, ValueError):
        return False


def _board_files(deals: Sequence[Deal], title: str, faces: str | None) -> Shown:
    from levelgen.render.sheet import Entry

    numbers = range(1, len(deals) + 1)
    several = len(deals) > 1
    pictures = pictures_for({face for deal in deals for face in (*deal.faces, *deal.tray)}, faces)
    return Shown(title, numbers, lambda number: deals[number - 1], lambda number: number if several else None,
                 pictures, lambda number: Entry(number, deals[number - 1]))  # fmt: skip


def painter_of(folder: str | None, name: str, theme: str | None = None) -> Painter:
    """Who draws boards of that face set, which stands in `folder` (default: faces/)."""
    from levelgen.render.preview import Painter

    return Painter(_pictures(folder, name), theme)


def _pictures(folder: str | None, name: str) -> dict[str, Image]:
    """Every face's picture of a set, by its id."""
    from levelgen.faces import image, load_face_set

    place = Path(folder or "faces")
    if not (place / name).is_dir():
        raise Malformed.of("faces/missing", f"there is no face set {name}, which is what it shows", place.as_posix(),
                           "give --faces the folder in which it stands")  # fmt: skip
    face_set = load_face_set(place / name)
    return {face: image(face_set, face) for face in face_set.dealable}


def set_for(names: set[str], folder: str | None) -> FaceSet | None:
    """The face set that has most of these faces, whose set nobody names; None where no set has any."""
    from levelgen.faces import find_face_sets, load_face_set

    sets = [load_face_set(path) for path in find_face_sets(Path(folder or "faces"))]
    best = max(sets, key=lambda one: len(names & set(one.dealable)), default=None)
    return best if best and names & set(best.dealable) else None


def pictures_for(names: set[str], folder: str | None) -> dict[str, Image]:
    """Pictures of faces whose set nobody names: out of the set that has most of them, the others as their names."""
    from levelgen.faces import image
    from levelgen.render.lettering import lettered

    best = set_for(names, folder)
    known = names & set(best.dealable) if best else set()
    return {name: image(best, name) if best and name in known else lettered(name) for name in sorted(names)}
