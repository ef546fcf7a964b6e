"""A picture of why a board cannot be won: what is left when all that can leave has left, and the story below it."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from levelgen.board import Deal
from levelgen.render.frame import SIZE
from levelgen.render.lettering import text_mask, write
from levelgen.render.panel import WHITE, glass, ring
from levelgen.render.preview import Painter
from levelgen.render.theme import Colour, backdrop
from levelgen.solve.aid import Scene

BURIED: Colour = (255, 75, 82)
"""Around tiles that never leave."""
BURYING: Colour = (255, 176, 32)
"""Around the others that keep them where they are."""
_HEIGHT = 17
_LEADING = 34
_LINES = 14
_MARGIN = 36


def explained(painter: Painter, deal: Deal, story: Sequence[Scene], *, title: str = "") -> Image.Image:
    """The picture, RGB; as high as the story needs. Red rings: buried for good; amber: what else lies on them."""
    gone = max((scene.gone for scene in story), key=len, default=())
    buried = min((scene.buried for scene in story if len(scene.buried) > 1), key=len, default=())
    others = tuple(sorted({tile for scene in story for tile in scene.by}.difference(buried)))
    left = Deal(deal.board, deal.faces, deal.face_down, deal.tray, tuple(sorted({*deal.removed, *gone})))
    board = painter.preview(left, title=title, marks=((BURYING, others), (BURIED, buried)))
    theme = painter.look(left.start).theme
    lines = [line for scene in story for line in _wrapped(scene.text, SIZE[0] - 2 * _MARGIN - 40)][:_LINES]
    height = len(lines) * _LEADING + 48
    canvas = backdrop(theme, (SIZE[0], SIZE[1] + height + _MARGIN)).copy()
    canvas.paste(board, (0, 0))
    panel = (_MARGIN - 12, SIZE[1], SIZE[0] - _MARGIN + 12, SIZE[1] + height)
    glass(canvas, panel, 24, theme.panel, 214)
    ring(canvas, panel, 24, 2, WHITE, 40)
    for place, line in enumerate(lines):
        write(canvas, line, (_MARGIN + 10, SIZE[1] + 40 + place * _LEADING), _HEIGHT, theme.text, weight=16,
              anchor="start", room=SIZE[0] - 2 * _MARGIN - 20)  # fmt: skip
    return canvas


def _wrapped(text: str, room: int) -> list[str]:
    """A sentence as lines that fit."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_mask(longer, _HEIGHT, 16).width > room and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
