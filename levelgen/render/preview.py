"""One picture a level, as a phone shows it: header, board, tray.

Tiles are drawn layer by layer from below. Within a layer they go by x + y, so that each one's thickness is hidden
behind its right and lower neighbour. Every layer is shifted up and to the left by the thickness of a tile, and casts
its shadow before its own tiles are drawn.
"""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from levelgen import pixels
from levelgen.board import Deal, Position, tiles_of
from levelgen.layout import Layout
from levelgen.render.lettering import text_mask, write
from levelgen.render.panel import BLACK, SHADE, WHITE, Box, glass, pill, ring, well
from levelgen.render.theme import DEFAULT_THEMES, THEMES, Size, Theme, backdrop, mix
from levelgen.render.tile import Cut, Pictures, Sprites, shadow

SIZE: Size = (720, 1280)
"""Of every preview."""
LARGEST_TILE = 144
SMALLEST_TILE = 12
"""Sides of a tile's plate. A board that needs smaller tiles is drawn with the smallest and then reduced."""
_BOARD: Box = (22, 176, 698, 1062)
_CHIP: Size = (130, 56)
_BADGE_ROOM = 380
_TRAY_CENTRE = (360, 1166)
_TRAY_ROOM = (640, 124)
_LARGEST_SLOT = 104


class Painter:
    """Draws boards with one set of pictures, keeping every prepared tile. Without a theme each ruleset has its own."""

    def __init__(self, source: Pictures, theme: str | Theme | None = None) -> None:
        self._source = source
        self._theme = THEMES[theme] if isinstance(theme, str) else theme
        self._looks: dict[Theme, Sprites] = {}

    def look(self, position: Position) -> Sprites:
        """The tiles to draw `position` with: in the painter's theme, or in the one its ruleset has by default."""
        theme = self._theme or THEMES[DEFAULT_THEMES[position.deal.board.ruleset.id]]
        if theme not in self._looks:
            self._looks[theme] = Sprites(self._source, theme)
        return self._looks[theme]

    def preview(self, state: Position | Deal, *, level: int | None = None, title: str = "") -> Image.Image:
        """The picture of `state` (a deal as it starts) as RGB of `SIZE`."""
        position = state.start if isinstance(state, Deal) else state
        sprites = self.look(position)
        canvas = backdrop(sprites.theme, SIZE).copy()
        _header(canvas, position, level, title, sprites)
        self.board(canvas, position, _BOARD)
        _tray(canvas, position, sprites)
        return canvas

    def board(self, canvas: Image.Image, position: Position, box: Box) -> None:
        """Draw the tiles of `position`, as large as they may be, in the middle of `box`.

        The whole layout decides the scale, so that a board keeps its place while it is played.
        """
        layout = position.deal.board.layout
        if not len(layout):
            return
        sprites = self.look(position)
        width, height = box[2] - box[0], box[3] - box[1]
        cut = cut_for(layout, (width, height))
        need = extent(layout, cut)
        times = max(1, -(-need[0] // width), -(-need[1] // height))
        if times == 1:
            origin = (box[0] + (width - need[0]) // 2, box[1] + (height - need[1]) // 2)
            _tiles(canvas, position, cut, origin, sprites)
            return
        large = canvas.crop(box).resize((width * times, height * times), Image.Resampling.NEAREST)
        _tiles(large, position, cut, ((large.width - need[0]) // 2, (large.height - need[1]) // 2), sprites)
        canvas.paste(large.reduce(times), box[:2])


def preview(
    state: Position | Deal,
    images: Pictures,
    *,
    level: int | None = None,
    title: str = "",
    theme: str | Theme | None = None,
) -> Image.Image:
    """One preview. For many, keep a `Painter`: it draws each tile only once."""
    return Painter(images, theme).preview(state, level=level, title=title)


def pixel_digest(picture: Image.Image) -> str:
    """The digest a pack signs of `picture` (`levelgen.pixels`)."""
    return pixels.pixel_digest(picture.mode, picture.size, picture.tobytes())


def png_bytes(picture: Image.Image) -> bytes:
    """`picture` as PNG, packed for speed: half the time of the usual level for three percent more bytes."""
    packed = io.BytesIO()
    picture.save(packed, "PNG", compress_level=4)
    return packed.getvalue()


def save_png(picture: Image.Image, path: Path) -> None:
    """Write `picture` as PNG, whole or not at all; nothing in the file tells when.

    Raises:
        OSError: the directory does not exist or cannot be written.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(png_bytes(picture))
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _tiles(canvas: Image.Image, position: Position, cut: Cut, origin: tuple[int, int], sprites: Sprites) -> None:
    deal, remaining, hidden, _ = position
    places = plates(deal.board.layout, cut)
    slots = deal.board.layout.slots
    open_tiles = set(deal.board.open_tiles(remaining))
    layers: dict[int, list[int]] = {}
    for tile in tiles_of(remaining):
        layers.setdefault(slots[tile].z, []).append(tile)
    for _, tiles in sorted(layers.items()):
        corners = {tile: (origin[0] + places[tile][0], origin[1] + places[tile][1]) for tile in tiles}
        _cast(canvas, cut, list(corners.values()))
        for tile in sorted(tiles, key=lambda tile: (slots[tile].x + slots[tile].y, tile)):
            face = None if hidden >> tile & 1 else deal.faces[tile]
            sprite = sprites.tile(face, cut, dimmed=tile not in open_tiles)
            canvas.paste(sprite, corners[tile], sprite)


def _header(canvas: Image.Image, position: Position, level: int | None, title: str, sprites: Sprites) -> None:
    theme = sprites.theme
    middle = SIZE[0] // 2
    name = f"LEVEL {level}" if level is not None else title
    if name:
        width = max(220, min(_BADGE_ROOM, text_mask(name, 34, 20).width + 84)) // 2 * 2
        pill(canvas, (middle - width // 2, 36, middle + width // 2, 112), theme.badge)
        write(canvas, name, (middle, 73), 34, theme.ink, weight=20, room=width - 56)
    if title and level is not None:
        write(canvas, title, (middle, 144), 19, theme.text, weight=16, room=SIZE[0] - 80)
    count = position.remaining.bit_count()
    _chip(canvas, (24, 46), str(position.deal.board.layout.layers), _layers_icon(theme), theme)
    _chip(canvas, (SIZE[0] - 24 - _CHIP[0], 46), str(count), sprites.tile(None, Cut(30, 3, 5)), theme)


def _chip(canvas: Image.Image, corner: tuple[int, int], text: str, icon: Image.Image, theme: Theme) -> None:
    x, y = corner
    width, height = _CHIP
    glass(canvas, (x, y, x + width, y + height), height // 2, theme.panel, 165)
    ring(canvas, (x, y, x + width, y + height), height // 2, 2, WHITE, 40)
    canvas.paste(icon, (x + 13, y + height // 2 - icon.height // 2), icon)
    write(canvas, text, (x + 85, y + height // 2), 23, theme.text, weight=18, room=66)


def _layers_icon(theme: Theme) -> Image.Image:
    large = Image.new("RGBA", (160, 160))
    pen = ImageDraw.Draw(large)
    for step, share in enumerate((110, 180, 256)):
        y = 112 - step * 32
        colour = mix(WHITE, theme.base, share)
        outline = [(4, y), (80, y - 40), (156, y), (80, y + 40)]
        pen.polygon([(px, py + 14) for px, py in outline], fill=(*mix(BLACK, colour, 110), 255))
        pen.polygon(outline, fill=(*colour, 255))
    return large.reduce(4)


def _tray(canvas: Image.Image, position: Position, sprites: Sprites) -> None:
    theme, slots = sprites.theme, position.deal.board.ruleset.tray
    rows, side, gap = _tray_grid(slots)
    across = -(-slots // rows)
    inner = (across * (side + gap) - gap, rows * (side + gap) - gap)
    left, top = _TRAY_CENTRE[0] - inner[0] // 2, _TRAY_CENTRE[1] - inner[1] // 2
    frame = (left - 20, top - 20, left + inner[0] + 20, top + inner[1] + 20)
    glass(canvas, frame, 30, theme.panel, 214)
    ring(canvas, frame, 30, 4, theme.rim, 240)
    ring(canvas, frame, 30, 2, mix(WHITE, theme.rim, 90), 120)
    cut = Cut((side - max(6, side // 12)) // 2 * 2, max(1, side // 26), max(2, side // 16))
    for slot in range(slots):
        x = left + slot % across * (side + gap)
        y = top + slot // across * (side + gap)
        well(canvas, (x, y, x + side, y + side), theme)
        if slot < len(position.tray):
            sprite = sprites.tile(position.tray[slot], cut)
            canvas.paste(sprite, (x + (side - sprite.width) // 2, y + (side - sprite.height) // 2), sprite)


def cut_for(layout: Layout, room: Size) -> Cut:
    """The largest tiles with which `layout` fits into `room`, at least the smallest ones."""
    for side in range(LARGEST_TILE, SMALLEST_TILE, -2):
        cut = cut_of(side, layout.layers)
        width, height = extent(layout, cut)
        if width <= room[0] and height <= room[1]:
            return cut
    return cut_of(SMALLEST_TILE, layout.layers)


def cut_of(side: int, layers: int) -> Cut:
    """The measures of a tile; the more layers, the thinner it is, or the stack would slide away."""
    below = max(1, min(side * 13 // 100, side * 9 // 10 // max(1, layers)))
    return Cut(side, max(1, below * 6 // 10), below)


def plates(layout: Layout, cut: Cut) -> list[tuple[int, int]]:
    """Upper left corner of each tile's plate; the leftmost and the topmost one are at 0."""
    half = cut.side // 2
    raw = [(slot.x * half - slot.z * cut.right, slot.y * half - slot.z * cut.below) for slot in layout.slots]
    left, top = min(x for x, _ in raw), min(y for _, y in raw)
    return [(x - left, y - top) for x, y in raw]


def extent(layout: Layout, cut: Cut) -> Size:
    """Width and height of the drawn board, thickness included."""
    corners = plates(layout, cut)
    return (
        max(x for x, _ in corners) + cut.side + cut.right,
        max(y for _, y in corners) + cut.side + cut.below,
    )


def _cast(canvas: Image.Image, cut: Cut, corners: list[tuple[int, int]]) -> None:
    """Darken what lies under a layer. Shadows of neighbours join instead of adding up."""
    mask, (dx, dy) = shadow(cut)
    left, top = min(x for x, _ in corners) + dx, min(y for _, y in corners) + dy
    right, bottom = max(x for x, _ in corners) + dx + mask.width, max(y for _, y in corners) + dy + mask.height
    layer = Image.new("L", (right - left, bottom - top))
    for x, y in corners:
        spot = (x + dx - left, y + dy - top)
        box = (*spot, spot[0] + mask.width, spot[1] + mask.height)
        layer.paste(ImageChops.lighter(layer.crop(box), mask), spot)
    canvas.paste(SHADE, (left, top), layer)


def _tray_grid(slots: int) -> tuple[int, int, int]:
    """Rows, side of a slot and gap with which `slots` slots are as large as the tray's room allows."""
    best = (1, 0, 0)
    for rows in range(1, 9):
        across = -(-slots // rows)
        gap = max(4, min(14, 60 // across))
        side = min(
            (_TRAY_ROOM[0] - (across - 1) * gap) // across, (_TRAY_ROOM[1] - (rows - 1) * gap) // rows, _LARGEST_SLOT
        )
        if side > best[1]:
            best = (rows, side, gap)
    return best
