"""Named arrangements of tiles: YAML → `Template`, and templates → layouts.

    library = read_library(Path("templates/shapes"))
    layout  = compose(library["turtle"], library, seed="7")
    layout  = compose_level(parts("plaza", "ring@on"), library, PHONE, tiles=64, group=2, seed="7")

A template is a list of pieces. Each is made (a shape, another template, a drawing, or pieces united, subtracted,
intersected, chosen among), then mirrored, turned, stacked, repeated, completed to a symmetry and put at its place, in
this order. Numbers are fixed, or drawn from the stream `layout/TEMPLATE/NAME` of the level's seed, so that neither
the order of keys nor another template has any say in them. `docs/templates.md` teaches the language.
"""

from levelgen.template.composing import Templates, compose, weighted
from levelgen.template.level import PLACES, Part, compose_level, parts
from levelgen.template.library import Library, find_templates, misfits, read_library, read_with, trials
from levelgen.template.model import MARGIN, PHONE, Template
from levelgen.template.reading import canvas_fault, is_licence, parse_template, pixels, read_canvas, read_template

__all__ = [
    "MARGIN",
    "PHONE",
    "PLACES",
    "Library",
    "Part",
    "Template",
    "Templates",
    "canvas_fault",
    "compose",
    "compose_level",
    "find_templates",
    "is_licence",
    "misfits",
    "parse_template",
    "parts",
    "pixels",
    "read_canvas",
    "read_library",
    "read_template",
    "read_with",
    "trials",
    "weighted",
]
