"""Several templates put together and fitted to the count of tiles a level asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from levelgen.document import suggest
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.fit import Area, bounds_of, fit, least, most
from levelgen.layout import Canvas, Layout
from levelgen.template.composing import Composer, Templates
from levelgen.template.model import MARGIN, Places
from levelgen.template.places import (
    centred,
    frame_of,
    grounded,
    mirrored,
    moved,
    on_top,
    too_big,
)

PLACES = ("on", "above", "below", "left", "right", "sides", "ends")


@dataclass(frozen=True, slots=True)
class Part:
    """One of the templates of a level, and where it goes among those before it."""

    template: str
    place: str = "on"
    """`on`: over their middle, on the lowest layer where it overlaps nothing. `above`, `below`, `left`, `right`:
    beside them on the ground. `sides`, `ends`: two mirror images, left and right or above and below."""
    arguments: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return self.template if self.place == "on" else f"{self.template}@{self.place}"


def parts(*words: str) -> tuple[Part, ...]:
    """Parts as a recipe writes them: `parts("plaza", "ring@sides")`."""
    split = [word.partition("@") for word in words]
    return tuple(Part(name, place or "on") for name, _, place in split)


def compose_level(
    level: Sequence[Part], library: Templates, canvas: Canvas, tiles: int, group: int, seed: str,
    *, margin: int = MARGIN, layers: int = 0,
) -> Layout:  # fmt: skip
    """Several templates put together and fitted to exactly `tiles` tiles by the rule of `fit.py`.

    Each part is put where it says among those before; what then finds nothing under it falls away. The whole stands
    in the middle of the canvas. With `layers`, exactly so many must come out. The library keeps what came out, for the
    next seed under which the same numbers are drawn.

    Raises:
        Malformed: a part is unknown, the whole leaves the canvas, or the count or the layers cannot be reached.
    """
    asked = (tuple(level), canvas, tiles, group, margin, layers)
    known = library.layout_for(asked, seed)
    if known is not None:
        return known
    composer = Composer(library, seed)
    layout = _composed(level, composer, canvas, tiles, group, margin, layers)
    library.keep_layout(asked, composer.draws, layout)
    return layout


def _composed(
    level: Sequence[Part], composer: Composer, canvas: Canvas, tiles: int, group: int, margin: int, layers: int
) -> Layout:
    names = " + ".join(map(str, level))
    if tiles < group or tiles % group:
        raise _bad(
            "count", f"{tiles} tiles are no positive multiple of {group}", names, f"ask for {_near(tiles, group)}"
        )
    heap = _together(level, composer)
    heap = centred(heap, canvas, margin, lambda: Finding(
        "level/off-canvas", too_big(heap, canvas, margin), names,
        "use smaller templates or a larger canvas"))  # fmt: skip
    highest = min(layers or canvas.layers, canvas.layers)
    area: Area = (margin, margin, canvas.width - margin, canvas.height - margin, highest)
    if layers:
        heap = frozenset(place for place in heap if place[2] < layers)
    fitted = fit(heap, tiles, area, all_layers=bool(layers))
    if len(fitted) != tiles:
        low, high = _reach(heap, area, group, bool(layers))
        raise _bad("unreachable", f"{tiles} tiles cannot be reached: {names} has {len(heap)} and gives "
                   f"{low} … {high} on this canvas", names, "ask for fewer tiles or take larger templates")  # fmt: skip
    found = 1 + max([z for _, _, z in fitted])
    if layers and found != layers:
        raise _bad(
            "layers", f"{tiles} tiles make {found} layers, not {layers}", names, "take a template with more layers"
        )
    return Layout.of(fitted)


def _reach(heap: Places, area: Area, group: int, all_layers: bool) -> tuple[int, int]:
    """The least and the greatest multiple of `group` that trimming and padding reach."""
    low = max(group, -(-least(heap, all_layers=all_layers) // group) * group)
    return low, most(heap, area) // group * group


def _near(tiles: int, group: int) -> str:
    down = tiles // group * group
    return f"{down} or {down + group}" if down else str(group)


def _bad(code: str, message: str, where: str, fix: str) -> LevelgenError:
    return Malformed((Finding(f"level/{code}", message, where, fix),))


def _together(level: Sequence[Part], composer: Composer) -> Places:
    library = composer.library
    unknown = [part.template for part in level if part.template not in library]
    if unknown or not level:
        raise Malformed([
            Finding("level/unknown-template", f"there is no template `{name}`", name, suggest(name, sorted(library)))
            for name in unknown
        ] or [Finding("level/empty", "no template is named")])  # fmt: skip
    strange = [
        Finding("level/unknown-argument", f"`{part.template}` has no parameter `{name}`", str(part),
                suggest(name, [key for key, _ in library[part.template].parameters]) or "leave it out")
        for part in level for name, _ in part.arguments
        if name not in dict(library[part.template].parameters)
    ]  # fmt: skip
    if strange:
        raise Malformed(strange)
    heap: Places = frozenset()
    for part in level:
        places = composer.template(library[part.template], dict(part.arguments))
        heap |= _beside(places, heap, part.place) if heap else places
    return grounded(heap)


def _beside(places: Places, heap: Places, place: str) -> Places:
    left, top, right, bottom = bounds_of(heap)
    width, height = frame_of(places)
    dx, dy = (left + right - width) // 2, (top + bottom - height) // 2
    match place:
        case "above":
            return moved(places, dx, top - height, 0)
        case "below":
            return moved(places, dx, bottom, 0)
        case "left":
            return moved(places, left - width, dy, 0)
        case "right":
            return moved(places, right, dy, 0)
        case "sides":
            return moved(places, left - width, dy, 0) | moved(mirrored(places, "x"), right, dy, 0)
        case "ends":
            return moved(places, dx, top - height, 0) | moved(mirrored(places, "y"), dx, bottom, 0)
    return on_top(moved(places, dx, dy, 0), heap)
