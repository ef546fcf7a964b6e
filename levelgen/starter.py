"""What `levelgen init` writes: a small project that lints, builds and verifies as it stands.

    write_project(Path("village"), "village", "pairs")

Editors find the schemas by the first two lines of each file: the first is what VS Code, Neovim and other users of the
YAML language server read, the second what JetBrains editors read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.errors import Malformed
from levelgen.rules import RULESETS

if TYPE_CHECKING:
    from PIL.Image import Image

LETTERS = "ACDEHJKLMPSTVYZ23479"
"""The starter faces: letters and digits whose outlines are not too alike."""
SIDE = 192

_HEAD = """\
# yaml-language-server: $schema=../../schemas/{kind}.schema.json
# $schema: ../../schemas/{kind}.schema.json
"""

_COURTYARD = """\
template: courtyard
title: Courtyard
tags: [medium, symmetric, airy]
parameters:
  width: {range: [5, 7]}
  height: 7
pieces:
  - frame: {columns: $width, rows: $height}
    stack: 2
  - grid: {columns: 2, rows: 3}
    at: centre
"""

_HILL = """\
template: hill
title: Hill
tags: [medium, symmetric, dense]
pieces:
  - pyramid: {columns: 6, rows: 7, layers: 3, step: 2}
"""

_CAP = """\
template: cap
title: Cap
tags: [small, symmetric, dense, top]
parameters:
  columns: 2
  rows: 3
pieces:
  - grid: {columns: $columns, rows: $rows}
"""

_BEAM = """\
template: beam
title: Beam
tags: [small, symmetric, dense, top]
pieces:
  - grid: {columns: 4, rows: 1}
"""

_RECIPE = """\
pack: {name}
title: {title}
version: 1
ruleset: {{id: {ruleset}}}
faces: letters
seed: {name}-1
apart: {{likeness: 90, levels: 1}} # no level like the one before it
levels:
  - levels: 1
    board: first.txt # this board, as it is
  - levels: 2..10
    templates:
      - [courtyard, cap]
      - [courtyard, beam@ends]
      - [hill, beam@ends]
      - [hill, cap@above]
      - [{{any: {{tags: [medium]}}}}, {{any: {{tags: [top]}}, place: below}}]
    tiles: {{from: {low}, to: {high}}}
{more}"""

_MORE = {"pairs": "    face_down: {from: 0, to: 3}\n    distinct: {from: 8, to: 12}\n", "triples": "    distinct: 8\n"}
_TILES = {"pairs": (32, 56), "triples": (33, 54)}

_FIRST = {
    "pairs": "levelgen-board 1 pairs\n"
    "AABBCCDD\nAABBCCDD\nEEAABBFF\nEEAABBFF\nDDFFEECC\nDDFFEECC\n-- 1\n.\n.\n..GGGG\n..GGGG\n",
    "triples": "levelgen-board 1 triples\n"
    "AABBCC\nAABBCC\nBBDDAA\nBBDDAA\nCCAABB\nCCAABB\n-- 1\n.\n.DDCC\n.DDCC\n.\n.\n...DD\n...DD\n",
}

_ATTRIBUTES = (
    "# levelgen compares files byte by byte: the same line ends on every machine.\n* text=auto eol=lf\n*.png binary\n"
)
_IGNORED = "/out/\n"


def write_project(folder: Path, name: str, ruleset: str) -> tuple[str, ...]:
    """Write the project; the names of its files, pictures and schemas left out.

    Raises:
        Malformed: the folder is there already and not empty.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Malformed.of("init/exists", "is there already and not empty", str(folder), "choose another name")
    files = dict(_texts(name, ruleset))
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
    schemas = folder / "schemas"
    schemas.mkdir()
    for source in sorted((Path(__file__).parent / "schemas").glob("*.schema.json")):
        shutil.copyfile(source, schemas / source.name)
    for letter in LETTERS:
        letter_picture(letter).save(folder / "faces" / "letters" / f"{face_id(letter)}.png")
    return tuple(sorted(files))


def _texts(name: str, ruleset: str) -> Iterator[tuple[str, str]]:
    assert ruleset in RULESETS, "the command line offers these only"
    for shape, text in (("courtyard", _COURTYARD), ("hill", _HILL), ("cap", _CAP), ("beam", _BEAM)):
        yield f"templates/shapes/{shape}.yaml", _HEAD.format(kind="template") + text
    low, high = _TILES[ruleset]
    title = name.replace("-", " ").capitalize()
    recipe = _RECIPE.format(name=name, title=title, ruleset=ruleset, low=low, high=high, more=_MORE[ruleset])
    yield f"templates/packs/{name}.yaml", _HEAD.format(kind="recipe") + recipe
    yield "templates/packs/first.txt", _FIRST[ruleset]
    yield "faces/letters/faceset.yaml", _HEAD.format(kind="faceset") + _faceset()
    yield ".gitattributes", _ATTRIBUTES
    yield ".gitignore", _IGNORED


def face_id(letter: str) -> str:
    """The id of a letter's face."""
    return f"L_{letter}"


def _faceset() -> str:
    lines = ["# Letters to begin with. Put your own PNG files in their place, then run `levelgen faces check`.",
             "id: letters", "title: Letters", "provisional: true", f"size: [{SIDE}, {SIDE}]",
             "aspect_limit_percent: 135", "faces:"]  # fmt: skip
    lines += [f"  - {{id: {face_id(letter)}, title: '{letter}'}}" for letter in LETTERS]
    return "\n".join([*lines, "excluded: []", ""])


def letter_picture(letter: str) -> Image:
    """A letter in a strong colour on nothing."""
    from PIL import Image

    from levelgen.render.lettering import INKS, text_mask

    mask = text_mask(letter, 140, 24)
    picture = Image.new("RGBA", (SIDE, SIDE), (0, 0, 0, 0))
    ink = Image.new("RGBA", mask.size, (*INKS[LETTERS.index(letter) % len(INKS)], 255))
    ink.putalpha(mask)
    picture.alpha_composite(ink, ((SIDE - mask.width) // 2, (SIDE - mask.height) // 2))
    return picture
