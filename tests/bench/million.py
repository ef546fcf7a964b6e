"""The recipe that scale is measured with: certified triples of 72 tiles on four layers, as many as are asked for.

python tests/bench/million.py 1000000 PROJECT/templates/packs/million.yaml
"""

from __future__ import annotations

import sys
from pathlib import Path

RECIPE = """\
pack: million
title: A million
version: 1
ruleset: {id: triples}
faces: nepal
seed: million
canvas: {width: 20, height: 26, layers: 5, margin: 1}
par: solved
rating: cheap
levels:
  - levels: 1..COUNT
    tiles: 72
    layers: 4
    pictures: {first: 14}
    templates:
      - [{template: heap-block, with: {columns: 5, rows: 6, layers: 3}}, crest]
      - [{template: heap-block, with: {columns: 4, rows: 8, layers: 3}}, tower]
      - [{template: heap-oval, with: {columns: 6, rows: 7, layers: 3}}, gem]
      - [{template: heap-diamond, with: {size: 5, middle: 2, layers: 3}}, cap]
      - [{template: heap-ring, with: {columns: 6, rows: 8, top: 1}}, band]
      - [{template: heap-lattice, with: {columns: 6, rows: 7, top: 1}}, knoll]
      - [{template: heap-woven, with: {columns: 5, rows: 5}}, beam@ends]
      - [{template: heap-cross, with: {width: 2, arm: 3, top: 1}}, crest]
"""


def recipe(count: int) -> str:
    """The text of the recipe with so many levels."""
    return RECIPE.replace("COUNT", str(count))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(recipe(int(sys.argv[1])), encoding="utf-8")
