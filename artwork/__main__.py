"""Draw every picture of every set into `faces/`; a picture that would come out the same is left alone.

Usage: `python -m artwork [SET…]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from artwork.ar1 import AR1, WIDE
from artwork.brush import Canvas, Picture
from artwork.nepal import NEPAL

SETS: dict[str, dict[str, Picture]] = {"AR1": AR1, "nepal": NEPAL}
FACES = Path(__file__).resolve().parent.parent / "faces"


def draw(names: list[str]) -> Iterator[tuple[Path, Image.Image]]:
    """Every picture of these sets with the file it belongs in."""
    for name in names:
        for face, picture in SETS[name].items():
            canvas = Canvas(*WIDE.get(face, (100, 100)))
            picture(canvas)
            yield FACES / name / f"{face}.png", canvas.finish()


def same(path: Path, image: Image.Image) -> bool:
    """Whether the file holds these very pixels; PNG bytes may differ between builds of zlib."""
    if not path.exists():
        return False
    with Image.open(path) as old:
        return old.mode == image.mode and old.size == image.size and old.tobytes() == image.tobytes()


def main(arguments: list[str]) -> int:
    """Draw the sets named, or all; the exit code."""
    names = arguments or list(SETS)
    unknown = [name for name in names if name not in SETS]
    if unknown:
        print(f"no such set: {', '.join(unknown)}; there are {', '.join(SETS)}", file=sys.stderr)
        return 2
    written = 0
    for path, image in draw(names):
        if not same(path, image):
            path.parent.mkdir(parents=True, exist_ok=True)
            image.save(path, optimize=True)
            written += 1
    print(f"{written} pictures written", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
