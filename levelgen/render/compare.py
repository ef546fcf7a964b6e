"""The page of `diff --html`: every changed level before and after, in one file that fetches nothing.

    html = compare_page(diff, old, new, painters)          # packs opened, painters by face set

Side by side, under a slider, blended, or toggled: the modes are styles of one mark-up, so that the page works without
its script too. What a picture shows is said in words; the face of a hidden tile is in neither.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path

from PIL import Image

from levelgen.errors import counted
from levelgen.pack.diff import ASPECTS, LevelChange, PackDiff, spans
from levelgen.pack.records import Record
from levelgen.pack.verify import Pack
from levelgen.render.preview import Painter
from levelgen.render.theme import Size

PICTURE: Size = (432, 768)
SMALL: Size = (180, 320)
QUALITY = 82
MOST_LEVELS = 150
"""Changed levels with pictures; the others are told in words, and the page says so. Keeps a page under 20 MB."""
MOST_SMALL = 200
"""Added and removed levels with pictures."""
ASPECT_WORDS = {
    "layout": "layout", "faces": "faces", "face_down": "face-down tiles", "ruleset": "rules", "difficulty": "figures",
    "tools": "tools", "templates": "templates", "seed": "seed", "certificate": "certificate", "preview": "picture",
    "generator": "generator", "sources": "sources",
}  # fmt: skip
_MODES = (("side", "Side by side"), ("slider", "Slider"), ("blend", "Blend"), ("toggle", "Toggle"))
_HERE = Path(__file__).parent


def compare_page(
    diff: PackDiff,
    old: Pack,
    new: Pack,
    painters: Mapping[str, Painter],
    *,
    step: Callable[[], None] = lambda: None,
) -> str:
    """The page as HTML. `painters` draws each face set that the two packs use; `step` is called for each level drawn.

    Raises:
        Untrusted: a record of one of the packs is not the signed one.
        Malformed: a picture is missing.
    """
    artist = _Artist(painters)
    style, script = (_asset(f"compare.{kind}") for kind in ("css", "js"))
    changed = list(_changed(diff, old, new, artist, step))
    others = [
        *_others("Added", diff.added, new, artist, step),
        *_others("Removed", diff.removed, old, artist, step),
    ]
    parts = {
        "title": f"{new.manifest.title}: what changed",
        "heading": new.manifest.title,
        "summary": diff.summary,
        "old": diff.old,
        "new": diff.new,
    }
    page = {
        **{name: escape(text) for name, text in parts.items()},
        "style": style,
        "script": script,
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "manifest": _manifest(diff),
        "controls": _controls(diff) if diff.changed else "",
        "changed": "\n".join(changed),
        "others": "\n".join(others),
    }
    html = _asset("compare.html")
    head, *pieces = html.split("{{")
    filled = [head]
    for piece in pieces:
        name, _, rest = piece.partition("}}")
        filled += [page[name], rest]
    return "".join(filled)


def pages_levels(diff: PackDiff) -> int:
    """How many levels `compare_page` draws for `diff`."""
    return min(len(diff.changed), MOST_LEVELS) + min(len(diff.added), MOST_SMALL) + min(len(diff.removed), MOST_SMALL)


class _Artist:
    """Draws levels as pictures for the page."""

    def __init__(self, painters: Mapping[str, Painter]) -> None:
        self._painters = painters

    def draw(self, record: Record) -> Image.Image:
        return self._painters[record.face_set].preview(record.deal, level=record.level)


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """`text` as a Content-Security-Policy names what it allows."""
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _image(picture: Image.Image, size: Size, alt: str) -> str:
    packed = io.BytesIO()
    picture.resize(size, Image.Resampling.LANCZOS).save(packed, "WEBP", quality=QUALITY, method=4)
    data = base64.b64encode(packed.getvalue()).decode()
    return (
        f'<img src="data:image/webp;base64,{data}" width="{size[0]}" height="{size[1]}" alt="{escape(alt)}" '
        'decoding="async" draggable="false">'
    )


def describe(record: Record) -> str:
    """A level in words: how many tiles lie how, and no face."""
    deal = record.deal
    ready = len(deal.board.open_tiles(deal.start.remaining))
    word = "open" if record.ruleset.id == "pairs" else "free"
    parts = [counted(len(record.slots), "tile"), counted(deal.board.layout.layers, "layer"), f"{ready} {word}"]
    return ", ".join([*parts, f"{len(record.face_down)} face down"] if record.face_down else parts)


def _manifest(diff: PackDiff) -> str:
    if not diff.manifest:
        return ""
    lines = (
        f"<li>{escape(change.what)}: {escape(change.old or '–')} → {escape(change.new or '–')}</li>"
        for change in diff.manifest
    )
    head = f"<summary>The packs themselves: {counted(len(diff.manifest), 'difference')}</summary>"
    return f"<details>{head}<ul>{''.join(lines)}</ul></details>"


def _controls(diff: PackDiff) -> str:
    modes = "".join(
        f'<input type="radio" name="mode" id="mode-{name}"{" checked" if name == "side" else ""}>'
        f'<label for="mode-{name}">{words}</label>'
        for name, words in _MODES
    )
    used = {aspect for entry in diff.changed for aspect in entry.aspects}
    options = "".join(
        f'<option value="{aspect}">{ASPECT_WORDS[aspect]}</option>' for aspect in ASPECTS if aspect in used
    )
    return (
        '<section class="controls" aria-label="How to look" hidden><div>'
        '<fieldset class="modes"><legend class="hidden-legend">Show before and after</legend>'
        f"<div>{modes}</div></fieldset>"
        '<label>Levels that differ in <select id="filter"><option value="">anything</option>'
        f'<option value="looks">how they look</option>{options}</select></label>'
        '<span id="count" class="note" role="status"></span>'
        '<p class="keys"><kbd>1</kbd>–<kbd>4</kbd> mode · <kbd>j</kbd> <kbd>k</kbd> next, previous · '
        "<kbd>t</kbd> flip</p>"
        "</div></section>"
    )


def _changed(diff: PackDiff, old: Pack, new: Pack, artist: _Artist, step: Callable[[], None]) -> Iterator[str]:
    if not diff.changed:
        return
    yield f"<h2>{counted(len(diff.changed), 'level')} changed</h2>"
    if len(diff.changed) > MOST_LEVELS:
        yield f'<p class="note">The first {MOST_LEVELS} are shown with pictures, the others in words.</p>'
    for place, entry in enumerate(diff.changed):
        drawn = place < MOST_LEVELS
        yield _level(entry, old.level(entry.level), new.level(entry.level), artist if drawn else None)
        if drawn:
            step()


def _level(entry: LevelChange, before: Record, after: Record, artist: _Artist | None) -> str:
    number = entry.level
    both, view = False, ""
    if artist is not None:
        one, other = artist.draw(before), artist.draw(after)
        both = one.tobytes() != other.tobytes()
        view = _stage(number, before, after, one, other) if both else _alone(number, after, other)
    chips = "".join(f"<li>{ASPECT_WORDS[aspect]}</li>" for aspect in entry.aspects)
    words = "".join(f"<li>{escape(line)}</li>" for line in entry.words)
    return (
        f'<article class="level{" both" if both else ""}" id="level-{number}" tabindex="-1" '
        f'aria-labelledby="name-{number}" data-aspects="{" ".join(entry.aspects)}">'
        f'<div class="view">{view}</div><div class="words"><h3 id="name-{number}">Level {number}</h3>'
        f'<ul class="chips" aria-label="Differs in">{chips}</ul><ul class="list">{words}</ul></div></article>'
    )


def _stage(number: int, before: Record, after: Record, one: Image.Image, other: Image.Image) -> str:
    figures = "".join(
        f'<figure class="{kind}">'
        f"{_image(picture, PICTURE, f'Level {number} {word.lower()}: {describe(record)}')}"
        f"<figcaption>{word}</figcaption></figure>"
        for kind, word, record, picture in (("old", "Before", before, one), ("new", "After", after, other))
    )
    return (
        f'<div class="stage">{figures}<div class="bar" aria-hidden="true"></div></div><div class="tools">'
        f'<label class="amount"><span class="hidden-legend">Level {number}: how much of it as it is after</span>'
        '<input type="range" min="0" max="100" value="50" aria-valuetext="50 % after">'
        "<output>50 % after</output></label>"
        '<label class="difference"><input type="checkbox"> only what differs</label>'
        '<button type="button" aria-pressed="false">Shown: before</button></div>'
    )


def _alone(number: int, record: Record, picture: Image.Image) -> str:
    return (
        f'<div class="stage"><figure>{_image(picture, PICTURE, f"Level {number}: {describe(record)}")}'
        "<figcaption>Looks the same</figcaption></figure></div>"
    )


def _others(
    word: str, numbers: tuple[int, ...], pack: Pack, artist: _Artist, step: Callable[[], None]
) -> Iterator[str]:
    if not numbers:
        return
    yield f"<h2>{word}: {counted(len(numbers), 'level')} ({spans(numbers)})</h2>"
    shown = numbers[:MOST_SMALL]
    yield f'<ul class="strip" aria-label="{word} levels">'
    for number in shown:
        record = pack.level(number)
        told = describe(record)
        yield (
            f"<li>{_image(artist.draw(record), SMALL, f'Level {number}: {told}')}"
            f"<p><b>{number}</b> · {counted(len(record.slots), 'tile')}</p></li>"
        )
        step()
    yield "</ul>"
    if len(shown) < len(numbers):
        yield f'<p class="note">… and {len(numbers) - len(shown)} more.</p>'
