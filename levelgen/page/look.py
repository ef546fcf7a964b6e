"""What tiles look like on a page: the same drawings that previews are made of, each once, as data URLs."""

from __future__ import annotations

import base64
import io
from collections.abc import Collection, Mapping
from typing import Any

from PIL import Image

from levelgen.render.preview import cut_of
from levelgen.render.theme import THEMES, Colour, Theme, backdrop, mix
from levelgen.render.tile import PICTURE, back, body

SIDE = 160
"""Of the plate of a tile's body, in pixels; pages draw it smaller."""
_BACKDROP = (1080, 1440)
_WHITE: Colour = (255, 255, 255)
_BLACK: Colour = (0, 0, 0)


def data_url(picture: Image.Image, *, quality: int | None = None) -> str:
    """`picture` as WebP in a data URL; without loss when no quality is given."""
    packed = io.BytesIO()
    if quality is None:
        picture.save(packed, "WEBP", lossless=True, method=4)
    else:
        picture.save(packed, "WEBP", quality=quality, method=4)
    return "data:image/webp;base64," + base64.b64encode(packed.getvalue()).decode()


class Tiles:
    """Tiles for pages: bodies in every theme, and faces with these pictures and titles, each packed once."""

    def __init__(self, pictures: Mapping[str, Image.Image], titles: Mapping[str, str]) -> None:
        self._pictures = pictures
        self._titles = titles
        self._faces: dict[str, str] = {}
        self._bodies: dict[tuple[str, int], dict[str, str]] = {}
        self._backdrops: dict[str, str] = {}

    def faces(self, wanted: Collection[str]) -> dict[str, dict[str, str]]:
        """The picture and the title of each wanted face that there is a picture of."""
        shown = {}
        for face in sorted(set(self._pictures).intersection(wanted)):
            if face not in self._faces:
                self._faces[face] = data_url(self._pictures[face], quality=90)
            shown[face] = {"title": self._titles.get(face, face), "picture": self._faces[face]}
        return shown

    def look(self, name: str, layers: Collection[int]) -> dict[str, Any]:
        """A theme: its backdrop, its colours, and a tile's body and back for each number of layers a board can have."""
        theme = THEMES[name]
        if name not in self._backdrops:
            self._backdrops[name] = data_url(backdrop(theme, _BACKDROP), quality=80)
        return {
            "backdrop": self._backdrops[name],
            "colours": {key: css(colour) for key, colour in _colours(theme).items()},
            "dim": list(theme.dim),
            "picture_percent": PICTURE,
            "bodies": {str(count): self._body(name, count) for count in sorted(layers)},
        }

    def _body(self, name: str, layers: int) -> dict[str, str]:
        key = (name, layers)
        if key not in self._bodies:
            theme, cut = THEMES[name], cut_of(SIDE, layers)
            self._bodies[key] = {"body": data_url(body(theme, cut)), "back": data_url(back(theme, cut))}
        return self._bodies[key]


def css(colour: Colour) -> str:
    """The colour as a style sheet writes it."""
    return "#" + "".join(f"{part:02x}" for part in colour)


def _colours(theme: Theme) -> dict[str, Colour]:
    """The theme's colours by the name a style sheet knows them by."""
    return {
        "sky-top": theme.sky[0],
        "sky-middle": theme.sky[1],
        "sky-bottom": theme.sky[-1],
        "panel": theme.panel,
        "well": theme.well,
        "well-edge": mix(_BLACK, theme.well, 130),
        "rim": theme.rim,
        "text": theme.text,
        "badge-top": theme.badge[0],
        "badge-bottom": theme.badge[1],
        "badge-ink": theme.ink,
        "accent-on-light": mix(_BLACK, theme.base, 56),
        "accent-on-dark": mix(_WHITE, theme.base, 128),
    }
