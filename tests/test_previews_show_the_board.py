"""A preview shows what a player sees: open tiles bright, blocked ones dark, hidden faces hidden, all in view."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from levelgen.board import Board, Deal
from levelgen.errors import Malformed
from levelgen.faces import load_face_set
from levelgen.layout import Layout
from levelgen.pixels import pixel_digest as digest_of_bytes
from levelgen.render import lettering, preview
from levelgen.render.frame import SIZE
from levelgen.render.preview import Painter, cut_for, extent, pixel_digest, plates, save_png
from levelgen.render.sheet import Entry, sheets
from levelgen.render.terminal import show
from levelgen.render.theme import DEFAULT_THEMES, THEMES, Theme
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from tests.boards import board, heap, play, random_deal, under

ROOT = Path(__file__).resolve().parent.parent

TWO_LAYERS = """
    AABBCCDD
    AABBCCDD
    EEFFEEFF
    EEFFEEFF
    -- 1
    .AA.BB
    .AA.BB
    .CC.DD
    .CC.DD
"""


def stand_ins(letters: str = "ABCDEFGHIJ") -> dict[str, Image.Image]:
    """A coloured disc for each face: enough to tell them apart."""
    pictures = {}
    for place, letter in enumerate(letters):
        picture = Image.new("RGBA", (96, 96))
        colour = (40 + 20 * place, 220 - 20 * place, 90 + (place * 53) % 160, 255)
        ImageDraw.Draw(picture).ellipse((6, 6, 90, 90), fill=colour)
        pictures[letter] = picture
    return pictures


def painter(theme: str | Theme | None = None) -> Painter:
    return Painter(stand_ins(), theme)


def level_of(picture: Image.Image, box: tuple[int, int, int, int]) -> int:
    """Mean brightness of a part of a picture, 0 to 255."""
    histogram = picture.crop(box).convert("L").histogram()
    return sum(value * count for value, count in enumerate(histogram)) // sum(histogram)


def differing(one: Image.Image, other: Image.Image) -> tuple[int, int, int, int] | None:
    """The box in which two pictures differ; None when they do not."""
    return ImageChops.difference(one, other).getbbox()


def large_board(base: str = "pairs") -> Deal:
    """180 tiles in 10 layers."""
    layout = Layout.of((2 * column + z % 2, 2 * row, z) for z in range(10) for row in range(6) for column in range(3))
    return random_deal(Stream("large", "test"), base, layout, 10)


# What is bright and what is dark


def test_a_blocked_tile_is_darker_than_the_same_tile_open() -> None:
    hemmed = board("AABBAA\nAABBAA\nCCBBCC\nCCBBCC", blocking=("horizontal",))
    free = under(hemmed, blocking=("cover",))
    dark, bright = painter().preview(hemmed), painter().preview(free)
    box = differing(dark, bright)
    assert box is not None
    assert level_of(dark, box) * 10 < level_of(bright, box) * 8


def test_only_the_law_decides_what_is_dimmed() -> None:
    deal = board("AABBAA\nAABBAA\nCCBBCC\nCCBBCC")
    everything_open = Board(deal.board.layout, deal.board.ruleset, ((0,),) * 6)
    assert differing(painter().preview(deal), painter().preview(replace(deal, board=everything_open)))


def test_a_dimmed_picture_can_still_be_told_from_another() -> None:
    sprites = painter("garden").look(board("AA\nAA").start)
    cut = preview.cut_of(60, 2)
    one, other = (sprites.tile(face, cut, dimmed=True).convert("RGB") for face in "AH")
    difference = ImageChops.difference(one, other)
    assert max(high for _, high in difference.getextrema()) > 60  # type: ignore[misc]


def test_the_upper_tile_hides_the_lower_one() -> None:
    one = board("AA\nAA\n-- 1\nBB\nBB\n-- 2\nCC\nCC\n-- 3\nDD\nDD", "triples")
    other = replace(one, faces=("F", "B", "C", "D"))
    box = differing(painter().preview(one), painter().preview(other))
    plate = plates(one.board.layout, preview.cut_of(preview.LARGEST_TILE, 4))
    assert box is None or box[2] - box[0] <= plate[0][0] - plate[1][0] + preview.LARGEST_TILE


def test_played_tiles_are_gone_and_the_others_keep_their_place() -> None:
    deal = board("AABBCC\nAABBCC\n......\nAABBCC\nAABBCC", blocking=("cover",))
    before, after = painter().preview(deal), painter().preview(play(deal, "0-3"))
    box = differing(before.crop((200, 176, 720, 1062)), after.crop((200, 176, 720, 1062)))
    whole = differing(before.crop((0, 176, 720, 1062)), after.crop((0, 176, 720, 1062)))
    assert whole is not None
    assert whole[2] < 360, "the left column is gone, the right two stand where they stood"
    assert box is None or box[2] + 200 < 360


# Hidden faces


def test_a_face_down_tile_looks_the_same_whatever_its_face() -> None:
    one = board("aaBBCC\naaBBCC\nDDEEFF\nDDEEFF")
    other = replace(one, faces=("J", *one.faces[1:]))
    assert one.faces != other.faces
    assert painter().preview(one).tobytes() == painter().preview(other).tobytes()
    assert (
        sheets([(1, one)], painter(), title="x")[0].tobytes() == sheets([(1, other)], painter(), title="x")[0].tobytes()
    )
    assert show(one) == show(other)
    assert show(one, colour=True) == show(other, colour=True)


def test_a_face_down_tile_looks_unlike_every_face() -> None:
    deal = board("AABB\nAABB")
    shown = painter().preview(deal)
    hidden = painter().preview(replace(deal, face_down=(0,)))
    assert differing(shown, hidden) is not None


def test_a_face_down_tile_needs_no_picture() -> None:
    deal = replace(board("ZZBB\nZZBB"), face_down=(0,))
    assert painter().preview(deal).size == SIZE


# Pixels


def test_equal_input_gives_equal_pixels_from_a_fresh_painter_and_a_used_one() -> None:
    used = painter()
    used.preview(large_board())
    deal = board(TWO_LAYERS)
    assert pixel_digest(used.preview(deal, level=3)) == pixel_digest(painter().preview(deal, level=3))
    assert pixel_digest(preview.preview(deal, stand_ins(), level=3)) == pixel_digest(painter().preview(deal, level=3))


def test_level_title_tray_and_board_all_change_the_pixels() -> None:
    deal = board(TWO_LAYERS)
    pictures = [
        painter().preview(deal),
        painter().preview(deal, level=1),
        painter().preview(deal, level=2),
        painter().preview(deal, level=2, title="Eram"),
        painter().preview(replace(deal, tray=("A",))),
        painter().preview(replace(deal, faces=deal.faces[::-1])),
        painter("plum").preview(deal),
    ]
    assert len({pixel_digest(picture) for picture in pictures}) == len(pictures)


def test_the_pixel_digest_is_the_documented_preimage() -> None:
    picture = Image.new("RGB", (3, 2), (1, 2, 3))
    preimage = b"levelgen-pixels-v1\0RGB\0" + b"\0\0\0\x03\0\0\0\x02" + bytes((1, 2, 3)) * 6
    assert pixel_digest(picture) == sha256(preimage).hexdigest()


@pytest.mark.parametrize(
    ("mode", "size", "raw"), [("CMYK", (1, 1), b"1234"), ("RGB", (2, 1), b"12345"), ("L", (0, 4), b"")]
)
def test_what_is_no_picture_has_no_digest(mode: str, size: tuple[int, int], raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"mode|bytes"):
        digest_of_bytes(mode, size, raw)


def test_a_saved_picture_comes_back_pixel_by_pixel_and_names_no_time(tmp_path: Path) -> None:
    picture = painter().preview(board(TWO_LAYERS), level=7)
    save_png(picture, tmp_path / "level.png")
    with Image.open(tmp_path / "level.png") as read:
        assert not read.info
        assert pixel_digest(read.copy()) == pixel_digest(picture)
    assert [path.name for path in tmp_path.iterdir()] == ["level.png"]


def test_a_failed_save_leaves_the_old_picture_and_no_rubbish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "level.png"
    target.write_bytes(b"old")

    def disk_full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", disk_full)
    with pytest.raises(OSError, match="No space"):
        save_png(Image.new("RGB", (2, 2)), target)
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["level.png"]


# Everything in view


def drawn(layout: Layout) -> tuple[int, int, int, int] | None:
    """Where the board of this layout appears on a plain canvas with a margin of 200 pixels."""
    deal = random_deal(Stream("view", "test"), "pairs", layout, 4)
    canvas = Image.new("RGB", (900, 1000), (255, 0, 255))
    painter().board(canvas, deal.start, (200, 200, 700, 800))
    return differing(canvas, Image.new("RGB", canvas.size, (255, 0, 255)))


def layouts() -> Iterable[Layout]:
    yield Layout.of([(0, 0, 0), (2, 0, 0)])
    yield large_board().board.layout
    yield Layout.of((2 * x, 2 * y, 0) for x in range(40) for y in range(3))
    yield Layout.of((2 * x, 2 * y, 0) for x in range(2) for y in range(90))
    yield Layout.of((0, 0, z) for z in range(40))
    yield heap(Stream("heap", "test"), 60, 17, 23, 5)


@pytest.mark.parametrize("layout", list(layouts()), ids=lambda layout: f"{len(layout)}-tiles-{layout.layers}-layers")
def test_every_tile_lies_inside_its_box(layout: Layout) -> None:
    box = drawn(layout)
    assert box is not None
    shade = 40  # only a soft shadow may fall out of the box
    assert box[0] >= 200 - shade
    assert box[1] >= 200 - shade
    assert box[2] <= 700 + shade
    assert box[3] <= 800 + shade


def test_the_largest_board_fits_and_uses_most_of_the_width() -> None:
    layout = large_board().board.layout
    cut = cut_for(layout, (676, 886))
    width, height = extent(layout, cut)
    assert width <= 676
    assert height <= 886
    assert max(width * 100 // 676, height * 100 // 886) > 85


def test_a_board_stands_in_the_middle() -> None:
    box = drawn(Layout.of((2 * x, 2 * y, 0) for x in range(3) for y in range(3)))
    assert box is not None
    assert abs((box[0] + box[2]) // 2 - 450) < 16
    assert abs((box[1] + box[3]) // 2 - 500) < 16


@pytest.mark.parametrize("slots", [2, 4, 7, 10, 64])
def test_a_tray_of_any_size_fits_below_the_board(slots: int) -> None:
    deal = board("AABB\nAABB", tray=slots)
    picture = painter().preview(replace(deal, tray=("C",)))
    box = differing(picture, painter().preview(deal))
    assert box is not None
    assert box[1] > 1062
    assert box[0] > 0
    assert box[2] < SIZE[0]
    assert box[3] < SIZE[1]


def test_a_tray_shows_every_waiting_tile() -> None:
    deal = board("AABB\nAABB", "triples")
    pictures = [painter().preview(replace(deal, tray=tuple("CDEFGH"[:number]))) for number in range(7)]
    right = [differing(pictures[number], pictures[number + 1]) for number in range(6)]
    assert all(one is not None and other is not None and one[0] < other[0] for one, other in pairwise(right))


# Themes


@pytest.mark.parametrize("name", THEMES)
def test_every_theme_keeps_bright_and_dark_apart(name: str) -> None:
    deal = board("AABBAA\nAABBAA\nCCBBCC\nCCBBCC", blocking=("horizontal",))
    dark, bright = painter(name).preview(deal), painter(name).preview(under(deal, blocking=("cover",)))
    box = differing(dark, bright)
    assert box is not None
    assert 40 < level_of(dark, box) < level_of(bright, box) * 8 // 10


def test_each_ruleset_has_a_theme_of_its_own() -> None:
    assert set(DEFAULT_THEMES) == set(RULESETS)
    assert len(set(DEFAULT_THEMES.values())) == len(RULESETS)
    both = painter()
    pairs, triples = board("AABB\nAABB"), board("AABB\nAABB", "triples")
    assert both.preview(pairs).tobytes() == painter("garden").preview(pairs).tobytes()
    assert both.preview(triples).tobytes() == painter("himal").preview(triples).tobytes()


# Pictures


def test_a_missing_picture_is_named() -> None:
    with pytest.raises(Malformed, match="no picture of Z"):
        painter().preview(board("ZZBB\nZZBB"))


def test_a_face_set_is_drawn_as_it_is() -> None:
    face_set = load_face_set(ROOT / "faces" / "nepal")
    deal = replace(board("AABB\nAABB", "triples"), faces=("sun", "moon"))
    by_set = Painter(face_set).preview(deal)
    files = {face: Image.open(face_set.picture(face)) for face in ("sun", "moon")}
    assert pixel_digest(by_set) == pixel_digest(Painter(files).preview(deal))
    for file in files.values():
        file.close()


# Letters


def test_every_letter_digit_and_sign_has_a_shape_of_its_own() -> None:
    shapes = {letter: lettering.text_mask(letter, 40).tobytes() for letter in lettering.GLYPHS}
    assert set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") <= set(shapes)
    assert len(set(shapes.values())) == len(shapes)


def test_accents_fall_off_and_the_unknown_becomes_a_question_mark() -> None:
    assert lettering.spell("Dašaĩ – 第 7") == "DASAI - ? 7"


def test_a_long_title_stays_in_the_picture() -> None:
    canvas = Image.new("RGB", (400, 100))
    assert lettering.write(canvas, "a title much longer than the room", (200, 50), 40, (255, 255, 255), room=300) <= 300


# Contact sheets


def test_a_sheet_shows_every_level_with_its_number() -> None:
    deal = board(TWO_LAYERS)
    full = sheets([(number, deal) for number in (1, 2, 3)], painter(), title="Pack")[0]
    for missing in range(3):
        renamed = [(number if number != missing + 1 else 9, deal) for number in (1, 2, 3)]
        box = differing(full, sheets(renamed, painter(), title="Pack")[0])
        assert box is not None
        assert full.width * missing // 5 - 40 < box[0] < full.width * (missing + 1) // 5, "its own cell, no other"
        assert box[2] - box[0] < 60


def test_a_big_pack_takes_several_pages_and_loses_no_level() -> None:
    deal = board("AABB\nAABB")
    pages = sheets([(number, deal) for number in range(1, 14)], painter(), title="Pack", per_page=6, columns=6)
    assert len(pages) == 3
    assert len({page.size for page in pages}) == 1
    assert len({page.tobytes() for page in pages}) == 3


def test_a_sheet_takes_notes_positions_and_nothing_at_all() -> None:
    deal = board("AABBAA\nAABBAA", blocking=("cover",))
    plain, noted = (sheets([Entry(1, deal, note)], painter(), title="Pack")[0] for note in ("", "hard"))
    played = sheets([(1, play(deal, "0-2"))], painter(), title="Pack")[0]
    assert len({page.tobytes() for page in (plain, noted, played)}) == 3
    assert sheets([], painter(), title="Empty")[0].mode == "RGB"


# The terminal


def test_piped_a_board_is_ascii_with_open_tiles_bracketed() -> None:
    text = show(board("AABBAA\nAABBAA\n-- 1\n.......\n......."))
    assert text.isascii()
    assert text.splitlines()[:2] == ["[A ]|B |[A ]", "[_0]|_0|[_0]"]
    assert "3 tiles, 2 open, 1 layer\n" in text
    assert "tray [ ] [ ] [ ] [ ]" in text
    assert "A A x2" in text


def test_a_face_named_by_a_letter_is_shown_as_that_letter() -> None:
    text = show(replace(board("AABBCC\nAABBCC"), faces=("moon", "B", "sun")))
    assert text.splitlines()[0] == "[A ]|B |[C ]"
    assert text.splitlines()[-1].split() == ["B", "B", "x1", "A", "moon", "x1", "C", "sun", "x1"]


def test_seen_from_above_the_upper_layer_covers_and_the_rest_stays_readable() -> None:
    deal = board("AABB\nAABB\nCCDD\nCCDD\n-- 1\n....\n.EE\n.EE", "triples")
    assert show(deal).splitlines()[:4] == ["|A ||B |", "|0[E ]0|", "|C[_1]D|", "|_0||_0|"]


def test_a_fully_covered_tile_is_counted_in_the_legend_only() -> None:
    deal = board("AA\nAA\n-- 1\nBB\nBB", "triples")
    assert show(deal).splitlines()[:2] == ["[B ]", "[_1]"]
    assert "A A x1" in show(deal)


def test_a_face_down_tile_is_a_question_mark_and_its_face_is_told_nowhere() -> None:
    text = show(board("aaBBcc\naaBBcc\nDDBBDD\nDDBBDD"))
    assert text.splitlines()[0] == "[? ]|B |[? ]"
    assert re.search(r"\? face down x2", text)
    assert " C x" not in text


def test_waiting_tiles_show_in_the_tray() -> None:
    text = show(board("AABB\nAABB", "triples", waiting="CCA"))
    assert "tray [C] [C] [A] [ ] [ ] [ ] [ ]" in text
    assert "2 free" not in text.split("tray")[1]


def test_on_a_terminal_a_board_is_coloured_and_every_line_resets_it() -> None:
    text = show(board(TWO_LAYERS), colour=True)
    assert "▄" in text
    for line in text.splitlines():
        assert "\x1b" not in line or line.endswith("\x1b[0m")
    bare = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert bare.splitlines()[0].startswith(" A")
    assert max(map(len, bare.splitlines()[:5])) == 16


def test_a_board_wider_than_the_terminal_is_drawn_narrow() -> None:
    layout = Layout.of((2 * x, 0, 0) for x in range(12))
    deal = random_deal(Stream("wide", "test"), "pairs", layout, 3)
    for colour in (False, True):
        lines = re.sub(r"\x1b\[[0-9;]*m", "", show(deal, colour=colour, width=30)).splitlines()
        assert max(map(len, lines[:2])) == 24
    assert show(deal, width=30).splitlines()[0][1] == "*"
    assert show(deal, width=30).splitlines()[0][3] == "."


def test_an_empty_board_is_said_to_be_empty() -> None:
    won = play(board("AABB\nAABB", blocking=()), "")
    cleared = won._replace(remaining=0)
    assert "0 tiles, 0 open" in show(cleared)
    assert painter().preview(cleared).size == SIZE
