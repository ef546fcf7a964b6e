"""One picture a level, as a phone shows it: header, board, tray.

Tiles are drawn layer by layer from below. Within a layer they go by x + y, so that each one's thickness is hidden
behind its right and lower neighbour. Every layer is shifted up and to the left by the thickness of a tile, and casts
its shadow before its own tiles are drawn.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from levelgen import pixels
from levelgen.board import Deal, Position, tiles_of
from levelgen.layout import Layout
from levelgen.pack.disk import refuse_device
from levelgen.render.frame import SIZE, Frame, enlargement
from levelgen.render.lettering import text_mask, write
from levelgen.render.panel import BLACK, SHADE, WHITE, Box, glass, pill, ring, rounded, well
from levelgen.render.theme import DEFAULT_THEMES, THEMES, Colour, Size, Theme, backdrop, mix
from levelgen.render.tile import Cut, Pictures, Sprites, shadow

LARGEST_TILE = 144
SMALLEST_TILE = 12
"""Sides of a tile's plate. A board that needs smaller tiles is drawn with the smallest and then reduced."""
_CHIP: Size = (130, 56)
_LARGEST_SLOT = 104


Marks = Sequence[tuple[Colour, tuple[int, ...]]]
"""Tiles to put a ring around and to number, and in which colour."""


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

    def preview(
        self,
        state: Position | Deal,
        *,
        level: int | None = None,
        title: str = "",
        size: Size = SIZE,
        chosen: tuple[int, ...] = (),
        marks: Marks = (),
    ) -> Image.Image:
        """The picture of `state` (a deal as it starts) as RGB; tiles that are `chosen` have a ring around them.

        So have the tiles of each of `marks`, in its colour, even where others lie over them.
        """
        position = state.start if isinstance(state, Deal) else state
        times = enlargement(size)
        frame = Frame.of((size[0] * times, size[1] * times))
        sprites = self.look(position)
        canvas = backdrop(sprites.theme, frame.size, frame.scale).copy()
        _header(canvas, frame, position, level, title, sprites)
        self.board(canvas, position, frame.board, largest=frame.even(LARGEST_TILE), chosen=chosen, marks=marks)
        _tray(canvas, frame, position, sprites)
        return canvas if times == 1 else canvas.reduce(times)

    def board(
        self,
        canvas: Image.Image,
        position: Position,
        box: Box,
        *,
        largest: int = LARGEST_TILE,
        chosen: tuple[int, ...] = (),
        marks: Marks = (),
    ) -> None:
        """Draw the tiles of `position`, as large as they may be, in the middle of `box`.

        The whole layout decides the scale, so that a board keeps its place while it is played.
        """
        layout = position.deal.board.layout
        if not len(layout):
            return
        sprites = self.look(position)
        width, height = box[2] - box[0], box[3] - box[1]
        cut = cut_for(layout, (width, height), largest)
        need = extent(layout, cut)
        times = max(1, -(-need[0] // width), -(-need[1] // height))
        if times == 1:
            origin = (box[0] + (width - need[0]) // 2, box[1] + (height - need[1]) // 2)
            _tiles(canvas, position, cut, origin, sprites)
            _ring(canvas, layout, cut, origin, sprites.theme.mark, chosen)
            _numbers(canvas, layout, cut, origin, marks)
            return
        large = canvas.crop(box).resize((width * times, height * times), Image.Resampling.NEAREST)
        origin = ((large.width - need[0]) // 2, (large.height - need[1]) // 2)
        _tiles(large, position, cut, origin, sprites)
        _ring(large, layout, cut, origin, sprites.theme.mark, chosen)
        _numbers(large, layout, cut, origin, marks)
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


def png_bytes(picture: Image.Image, dpi: int = 0) -> bytes:
    """`picture` as PNG, packed for speed: half the time of the usual level for three percent more bytes.

    With `dpi`, the file says how large it is on paper.
    """
    packed = io.BytesIO()
    picture.save(packed, "PNG", compress_level=4, **({"dpi": (dpi, dpi)} if dpi else {}))
    return packed.getvalue()


def save_png(picture: Image.Image, path: Path, dpi: int = 0) -> None:
    """Write `picture` as PNG, whole or not at all; nothing in the file tells when.

    Raises:
        Malformed: `path` is a device or a pipe.
        OSError: the directory does not exist or cannot be written.
    """
    refuse_device(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(png_bytes(picture, dpi))
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


def _ring(
    canvas: Image.Image, layout: Layout, cut: Cut, origin: tuple[int, int], colour: Colour, chosen: tuple[int, ...]
) -> None:
    """A bright ring around each of the tiles `chosen`, outside its plate."""
    places = plates(layout, cut)
    wide = max(2, cut.side // 14)
    for tile in chosen:
        x, y = origin[0] + places[tile][0] - wide, origin[1] + places[tile][1] - wide
        box = (x, y, x + cut.side + 2 * wide, y + cut.side + 2 * wide)
        ring(canvas, box, cut.side * 15 // 100 + wide, wide, colour, 255)


def _numbers(canvas: Image.Image, layout: Layout, cut: Cut, origin: tuple[int, int], marks: Marks) -> None:
    """Rings, and in the corner of each tile that has one its number, even where others lie over it."""
    places = plates(layout, cut)
    for colour, tiles in marks:
        _ring(canvas, layout, cut, origin, colour, tiles)
        for tile in tiles:
            x, y = origin[0] + places[tile][0], origin[1] + places[tile][1]
            side = max(8, cut.side // 3)
            wide = side * (2 + len(str(tile))) // 3
            canvas.paste(colour, (x, y), rounded((wide, side), side // 3))
            write(canvas, str(tile), (x + wide // 2, y + side // 2), side // 2, BLACK, weight=20, room=wide - 2)


def _header(
    canvas: Image.Image, frame: Frame, position: Position, level: int | None, title: str, sprites: Sprites
) -> None:
    theme, px = sprites.theme, frame.px
    middle, centre = frame.badge
    name = f"LEVEL {level}" if level is not None else title
    if name:
        width = max(px(220), min(frame.badge_room, text_mask(name, px(34), 20).width + px(84))) // 2 * 2
        half = px(38)
        pill(canvas, (middle - width // 2, centre - half, middle + width // 2, centre + half), theme.badge)
        write(canvas, name, (middle, centre - 1), px(34), theme.ink, weight=20, room=width - px(56))
    if title and level is not None:
        write(canvas, title, frame.title, px(19), theme.text, weight=16, room=frame.title_room)
    count = position.remaining.bit_count()
    _chip(canvas, frame, 0, str(position.deal.board.layout.layers), _layers_icon(theme, px(40)), theme)
    cut = Cut(frame.even(30), max(1, px(3)), max(1, px(5)))
    _chip(canvas, frame, 1, str(count), sprites.tile(None, cut), theme)


def _chip(canvas: Image.Image, frame: Frame, place: int, text: str, icon: Image.Image, theme: Theme) -> None:
    x, y = frame.chips[place]
    width, height = frame.px(_CHIP[0]), frame.px(_CHIP[1])
    glass(canvas, (x, y, x + width, y + height), height // 2, theme.panel, 165)
    ring(canvas, (x, y, x + width, y + height), height // 2, 2, WHITE, 40)
    canvas.paste(icon, (x + frame.px(13), y + height // 2 - icon.height // 2), icon)
    write(canvas, text, (x + frame.px(85), y + height // 2), frame.px(23), theme.text, weight=18, room=frame.px(66))


def _layers_icon(theme: Theme, side: int) -> Image.Image:
    large = Image.new("RGBA", (160, 160))
    pen = ImageDraw.Draw(large)
    for step, share in enumerate((110, 180, 256)):
        y = 112 - step * 32
        colour = mix(WHITE, theme.base, share)
        outline = [(4, y), (80, y - 40), (156, y), (80, y + 40)]
        pen.polygon([(px, py + 14) for px, py in outline], fill=(*mix(BLACK, colour, 110), 255))
        pen.polygon(outline, fill=(*colour, 255))
    return large.reduce(4) if side == 40 else large.resize((side, side), Image.Resampling.LANCZOS)


def _tray(canvas: Image.Image, frame: Frame, position: Position, sprites: Sprites) -> None:
    theme, slots, px = sprites.theme, position.deal.board.ruleset.tray, frame.px
    rows, side, gap = _tray_grid(slots, frame)
    across = -(-slots // rows)
    inner = (across * (side + gap) - gap, rows * (side + gap) - gap)
    left, top = frame.tray[0] - inner[0] // 2, frame.tray[1] - inner[1] // 2
    edge, radius = px(20), px(30)
    box = (left - edge, top - edge, left + inner[0] + edge, top + inner[1] + edge)
    glass(canvas, box, radius, theme.panel, 214)
    ring(canvas, box, radius, max(2, px(4)), theme.rim, 240)
    ring(canvas, box, radius, max(1, px(2)), mix(WHITE, theme.rim, 90), 120)
    cut = Cut((side - max(6, side // 12)) // 2 * 2, max(1, side // 26), max(2, side // 16))
    for slot in range(slots):
        x = left + slot % across * (side + gap)
        y = top + slot // across * (side + gap)
        well(canvas, (x, y, x + side, y + side), theme)
        if slot < len(position.tray):
            sprite = sprites.tile(position.tray[slot], cut)
            canvas.paste(sprite, (x + (side - sprite.width) // 2, y + (side - sprite.height) // 2), sprite)


def cut_for(layout: Layout, room: Size, largest: int = LARGEST_TILE) -> Cut:
    """The largest tiles with which `layout` fits into `room`, at least the smallest ones."""
    for side in range(largest, SMALLEST_TILE, -2):
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


def _tray_grid(slots: int, frame: Frame) -> tuple[int, int, int]:
    """Rows, side of a slot and gap with which `slots` slots are as large as the tray's room allows."""
    best = (1, 0, 0)
    for rows in range(1, 9):
        across = -(-slots // rows)
        gap = max(4, frame.px(min(14, 60 // across)))
        wide, high = frame.tray_room
        side = min((wide - (across - 1) * gap) // across, (high - (rows - 1) * gap) // rows, frame.px(_LARGEST_SLOT))
        if side > best[1]:
            best = (rows, side, gap)
    return best
