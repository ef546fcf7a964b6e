"""Previews of any size and theme, films of solutions, sheets with a curve, pages for paper, terminals."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from levelgen.board import Deal
from levelgen.cli import run
from levelgen.cli.pictures import FILMS, THEMES
from levelgen.errors import AnswerIsNo, Malformed
from levelgen.render import film as films
from levelgen.render.blocks import beside, blocks
from levelgen.render.film import KINDS, film, film_bytes, save_film
from levelgen.render.frame import MOST, SIZE, SIZES, Frame, enlargement, size_of
from levelgen.render.preview import Painter, cut_of
from levelgen.render.printed import DPI, PAPERS, pdf_bytes, print_sheets
from levelgen.render.sheet import HARDEST, Entry, curve, hardness, sheets
from levelgen.render.theme import THEMES as LOOKS
from levelgen.render.theme import backdrop
from tests.boards import board, moves
from tests.packs import write_tiny
from tests.project import new_project, working_in
from tests.test_previews_show_the_board import differing, level_of, painter

Capture = pytest.CaptureFixture[str]


def deal() -> Deal:
    """Six tiles, one of them face down, all won by three pairs."""
    return board("AABBAA\nAABBAA\nbbCCCC\nbbCCCC".replace("CCCC", "CCcc"), blocking=("cover",))


# Sizes


@pytest.mark.parametrize("size", [*SIZES.values(), (120, 120), (300, 900), (2000, 500), (777, 801)])
def test_a_picture_has_the_size_asked_for_and_everything_in_view(size: tuple[int, int]) -> None:
    if size[0] * size[1] < 1 << 20:  # larger ones are drawn alike
        assert painter().preview(deal(), level=3, title="Pack", size=size).size == size
    times = enlargement(size)
    frame = Frame.of((size[0] * times, size[1] * times))
    width, height = frame.size
    left, top, right, bottom = frame.board
    assert 0 <= left < right <= width
    assert 0 <= top < bottom <= height
    half = (frame.tray_room[0] // 2, frame.tray_room[1] // 2)
    boxes = [
        frame.board,
        (frame.tray[0] - half[0], frame.tray[1] - half[1], frame.tray[0] + half[0], frame.tray[1] + half[1]),
        *((x, y, x + frame.px(130), y + frame.px(56)) for x, y in frame.chips),
    ]
    for place, one in enumerate(boxes):
        assert min(one) >= 0
        assert one[2] <= width
        assert one[3] <= height
        for other in boxes[place + 1 :]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, "board, tray and chips never overlap"


def test_the_phone_s_measures_are_what_packs_sign() -> None:
    frame = Frame.of(SIZE)
    assert (frame.board, frame.tray, frame.tray_room) == ((22, 176, 698, 1062), (360, 1166), (640, 124))
    assert frame.px(1) == 1
    assert enlargement(SIZE) == 1


def test_a_larger_picture_shows_larger_tiles_not_more_room() -> None:
    small, large = (painter().preview(deal(), size=size) for size in (SIZE, (1440, 2560)))
    assert small.tobytes() != large.reduce(2).tobytes()
    one, other = small.convert("L"), large.reduce(2).convert("L")
    assert sum(abs(a - b) for a, b in zip(one.tobytes(), other.tobytes(), strict=True)) < 6 * len(one.tobytes())


@pytest.mark.parametrize(
    "text", ["", "huge", "100", "100x", "x100", "10x10", "9999x100", f"{MOST}x{MOST + 1}", "-5x200", "1e3x9", "²00x300"]
)
def test_a_size_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="preview/size"):
        size_of(text)


def test_a_size_may_be_named_or_spelt() -> None:
    assert size_of("phone") == SIZE
    assert size_of("640×480") == size_of("640x480") == size_of("640X480") == (640, 480)


# Themes


def test_the_command_line_offers_every_theme() -> None:
    assert list(LOOKS) == list(THEMES)


@pytest.mark.parametrize("theme", THEMES)
def test_in_every_theme_open_blocked_and_hidden_tiles_differ(theme: str) -> None:
    sprites = painter(theme).look(deal().start)
    cut = cut_of(60, 2)
    bright, dark, back = (
        sprites.tile(face, cut, dimmed=dimmed).convert("RGB")
        for face, dimmed in (("A", False), ("A", True), (None, False))
    )
    assert level_of(dark, (10, 10, 50, 50)) * 10 < level_of(bright, (10, 10, 50, 50)) * 8
    assert differing(bright, back)


@pytest.mark.parametrize("theme", THEMES)
def test_in_every_theme_the_writing_can_be_read(theme: str) -> None:
    def light(colour: Sequence[int]) -> float:
        parts = [one / 255 for one in colour]
        linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(one: Sequence[int], other: Sequence[int]) -> float:
        high, low = sorted((light(one), light(other)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    look = LOOKS[theme]
    assert contrast(look.text, look.panel) >= 4.5
    assert min(contrast(look.ink, colour) for colour in look.badge) >= 3


def test_themes_differ() -> None:
    looks = {(backdrop(look, (72, 128)).tobytes(), look.base, look.text) for look in LOOKS.values()}
    assert len(looks) == len(THEMES)


# Films


def shots_of(text: str, drawn: Deal | None = None) -> list[films.Shot]:
    return list(film(drawn or deal(), moves(text), painter(), size=(180, 320)))


def test_a_film_shows_the_start_every_move_twice_and_the_end() -> None:
    triple = board("AAAAAA\nAAAAAA", "triples")
    shots = shots_of("0 1 2", triple)
    assert len(shots) == 7
    plain = painter().preview(triple, size=(180, 320))
    line = (0, 316, 180, 320)
    box = differing(shots[0].picture, plain)
    assert box is not None
    assert box[1] >= 316, "but for the line below, the first picture is the preview"
    upper = (0, 0, 180, 316)
    assert differing(shots[1].picture.crop(upper), plain.crop(upper)), "the tile to be played is marked"
    won = triple.start._replace(remaining=0)
    box = differing(shots[-1].picture, painter().preview(won, size=(180, 320)))
    assert box is not None
    assert box[1] >= 316
    assert len({shot.picture.crop(line).tobytes() for shot in shots[::2]}) == 4, "the line grows"


def test_a_film_is_the_same_every_time() -> None:
    one, other = (shots_of("0-2", board("AABBAA\nAABBAA", blocking=("cover",))) for _ in range(2))
    assert [(shot.picture.tobytes(), shot.milliseconds) for shot in one] == [
        (shot.picture.tobytes(), shot.milliseconds) for shot in other
    ]
    for kind in {*KINDS.values()}:
        assert film_bytes(one, kind) == film_bytes(other, kind)


def test_the_law_must_accept_every_move_of_a_film() -> None:
    with pytest.raises(AnswerIsNo, match="move/"):
        shots_of("0-1", board("AABBAA\nAABBAA", blocking=("cover",)))


def test_a_long_film_is_shown_faster_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "WHOLE", 1_500)
    row = board("\n".join(["AA" * 9] * 2), "triples")
    picks = " ".join(map(str, range(9)))
    times = [shot.milliseconds for shot in film(row, moves(picks), Painter(pictures()), size=(120, 214))]
    assert sum(times) <= films.FIRST + films.LAST + films.WHOLE
    assert min(times) >= films.FASTEST // 2
    monkeypatch.setattr(films, "MOST_MOVES", 8)
    with pytest.raises(Malformed, match="film/long"):
        next(film(row, moves(picks), Painter(pictures())))


def pictures() -> dict[str, Image.Image]:
    return {"A": Image.new("RGBA", (32, 32), (200, 40, 40, 255))}


@pytest.mark.parametrize("suffix", KINDS)
def test_a_film_file_plays_what_was_drawn(suffix: str, tmp_path: Path) -> None:
    shots = shots_of("0-2 1-4", board("AABBAA\nAABBAA\nCCBBCC\nCCBBCC", blocking=("cover",)))
    path = tmp_path / f"film{suffix}"
    assert save_film(shots, path) == path.stat().st_size
    with Image.open(path) as read:
        assert read.n_frames == len(shots)  # type: ignore[attr-defined]
        assert read.info.get("loop") == 0
        for number, shot in enumerate(shots):
            read.seek(number)
            read.load()
            assert read.info["duration"] == shot.milliseconds
            seen = read.convert("RGB")
            difference = sum(abs(a - b) for a, b in zip(seen.tobytes(), shot.picture.tobytes(), strict=True))
            assert difference < 8 * len(shot.picture.tobytes()), f"picture {number} looks otherwise"


def test_a_film_of_an_unknown_kind_is_refused_before_it_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="film/kind"):
        save_film(iter(()), tmp_path / "film.mov")


# Sheets


def entries(count: int, rated: bool = True) -> list[Entry]:
    return [
        Entry(number, deal(), "", 100 * number if rated else None, 500 if rated else None, ("one", "two"))
        for number in range(1, count + 1)
    ]


def test_a_sheet_has_a_curve_where_difficulty_is_known() -> None:
    plain = sheets(entries(3, rated=False), painter(), title="Pack")[0]
    rated = sheets(entries(3), painter(), title="Pack")[0]
    assert rated.height > plain.height
    assert rated.width == plain.width
    harder = [entry._replace(rating=900) if entry.level == 2 else entry for entry in entries(3)]
    assert differing(rated, sheets(harder, painter(), title="Pack")[0])


def test_one_level_without_a_rating_is_left_out_of_the_curve() -> None:
    mixed = entries(3)
    mixed[1] = mixed[1]._replace(rating=None, target=None)
    assert differing(sheets(mixed, painter(), title="P")[0], sheets(entries(3), painter(), title="P")[0])


def test_a_curve_takes_any_figure_and_any_number_of_levels() -> None:
    for ratings in ([], [-5, 0, HARDEST, 10**9], [500] * 999):
        some = [Entry(number, deal(), "", rating, rating) for number, rating in enumerate(ratings, start=1)]
        canvas = Image.new("RGB", (400, 120))
        curve(canvas, some, (10, 10, 390, 110), (255, 255, 255))
        box = canvas.getbbox()
        assert box is not None
        assert box[1] >= 4, "nothing is drawn above the strip"


def test_hardness_goes_from_green_to_red() -> None:
    steps = [hardness(rating) for rating in range(0, HARDEST + 1, 100)]
    assert steps[0][1] > steps[0][0]
    assert steps[-1][0] > steps[-1][1]
    assert all(max(abs(a - b) for a, b in zip(one, other, strict=True)) < 50 for one, other in pairwise(steps))


# Paper


@pytest.mark.parametrize("paper", PAPERS)
def test_pages_for_paper_are_white_sharp_and_complete(paper: str) -> None:
    pages = list(print_sheets(entries(17), painter("paper"), title="Pack", paper=paper, foot="pack version 1"))
    assert [page.size for page in pages] == [PAPERS[paper]] * 2
    for page in pages:
        for corner in ((0, 0), (page.width - 140, 0), (0, page.height - 140), (page.width - 140, page.height - 140)):
            box = (*corner, corner[0] + 139, corner[1] + 139)
            assert page.crop(box).getextrema() == ((255, 255),) * 3, "nothing where printers cannot reach"
    assert differing(pages[0], pages[1])


def test_a_pdf_holds_every_page_and_no_date() -> None:
    pages = [Image.new("RGB", PAPERS["a4"], (number, 0, 0)) for number in (0, 200)]
    data = pdf_bytes(iter(pages))
    assert data == pdf_bytes(iter(pages))
    assert data.startswith(b"%PDF-1.4")
    assert b"Date" not in data
    assert data.count(b"/Type /Page ") == 2
    assert b"/MediaBox [0 0 595.20 841.92]" in data
    start = int(data.split(b"startxref\n")[1].split()[0])
    assert data[start:].startswith(b"xref\n0 9\n")
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n ", data), start=1):
        assert data[int(place) :].startswith(b"%d 0 obj" % number)
    seen = []
    for found in re.finditer(rb"/Length (\d+) >>\nstream\n(?=\xff\xd8)", data):
        with Image.open(io.BytesIO(data[found.end() : found.end() + int(found[1])])) as picture:
            assert picture.size == PAPERS["a4"]
            seen.append(picture.convert("RGB").getpixel((5, 5))[0])  # type: ignore[index]
    assert [round(one / 200) for one in seen] == [0, 1]


# The terminal


def test_half_blocks_show_two_pixels_a_character() -> None:
    picture = Image.new("RGB", (4, 4), (255, 0, 0))
    picture.paste((0, 0, 255), (0, 2, 4, 4))
    lines = blocks(picture, 4, 2).splitlines()
    assert lines == ["\x1b[38;2;255;0;0;48;2;255;0;0m▀▀▀▀\x1b[0m", "\x1b[38;2;0;0;255;48;2;0;0;255m▀▀▀▀\x1b[0m"]


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (20, 60), (1, 1), (300, 10)])
def test_a_picture_keeps_its_shape_and_fits_the_window(columns: int, lines: int) -> None:
    text = blocks(Image.new("RGB", (72, 128), (9, 9, 9)), columns, lines)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]
    assert len(bare) <= lines
    assert max(map(len, bare)) <= columns
    if columns > 1:
        assert abs(len(bare[0]) / (2 * len(bare)) - 72 / 128) < 0.15


def test_pictures_stand_beside_each_other() -> None:
    text = beside([Image.new("RGB", (72, 128)), Image.new("RGB", (72, 128), (255, 255, 255))], 40, 24)
    bare = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]
    assert {len(line) for line in bare} == {2 * 19 + 2}
    assert all(line[19:21] == "  " for line in bare)


# The command line


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictured")
    recipe = new_project(folder)
    assert run(["build", str(recipe), "-o", str(folder / "out"), "--prover", "none", "--jobs", "1"]) == 0
    return folder


def test_preview_draws_every_size_asked_for(project: Path, tmp_path: Path, capsys: Capture) -> None:
    with working_in(project):
        line = ["preview", "out", "--levels", "1..2", "--size", "small", "--size", "300x200", "--theme", "dark"]
        assert run([*line, "-o", str(tmp_path / "shots")]) == 0
    names = sorted(path.name for path in (tmp_path / "shots").iterdir())
    assert names == ["001-300x200.png", "001-small.png", "002-300x200.png", "002-small.png"]
    with Image.open(tmp_path / "shots" / names[0]) as picture:
        assert picture.size == (300, 200)


def test_preview_makes_films_of_solutions(project: Path, tmp_path: Path, capsys: Capture) -> None:
    with working_in(project):
        line = ["preview", "out", "--levels", "1", "--solution", "apng", "--size", "120x214", "-o", str(tmp_path)]
        assert run(line) == 0
    with Image.open(tmp_path / "001.png") as read:
        assert read.n_frames > 20  # type: ignore[attr-defined]
    assert set(FILMS.values()) <= set(KINDS)


def test_a_board_without_a_certificate_is_solved_for_its_film(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "one.txt").write_text("levelgen-board 1 pairs\nAABB\nAABB\nBBAA\nBBAA\n")
    (tmp_path / "dead.txt").write_text("levelgen-board 1 pairs\nAABB\nAABB\n-- 1\nBBAA\nBBAA\n")
    with working_in(tmp_path):
        assert run(["preview", "one.txt", "--solution", "gif", "--size", "120x214", "-o", "films"]) == 0
        assert [path.name for path in (tmp_path / "films").iterdir()] == ["001.gif"]
        assert run(["preview", "dead.txt", "--solution", "gif", "-o", "films"]) == 1
    assert "has no solution to show: it is unsolvable" in capsys.readouterr().err


def test_a_sheet_goes_to_paper(project: Path, tmp_path: Path, capsys: Capture) -> None:
    with working_in(project):
        assert run(["sheet", "out", "--print", "letter", "-o", str(tmp_path / "p.png")]) == 0
        assert run(["sheet", "out", "--print", "a4", "-o", str(tmp_path / "p.pdf")]) == 0
        assert run(["sheet", "out", "-o", str(tmp_path / "q.pdf")]) == 2
    with Image.open(tmp_path / "p.png") as page:
        assert page.size == PAPERS["letter"]
        assert round(page.info["dpi"][0]) == DPI
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    assert "a PDF needs --print" in capsys.readouterr().err


def test_show_draws_a_picture_in_the_terminal(project: Path, capsys: Capture) -> None:
    with working_in(project):
        assert run(["show", "out#1", "--picture"]) == 0
    assert capsys.readouterr().out.count("▀") > 500


def test_a_wrong_size_writes_nothing(project: Path, tmp_path: Path, capsys: Capture) -> None:
    with working_in(project):
        assert run(["preview", "out", "--size", "huge", "-o", str(tmp_path / "none")]) == 2
    assert "use one of phone" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_tiny_pack_of_unknown_faces_says_so(tmp_path: Path, capsys: Capture) -> None:
    write_tiny(tmp_path / "pack", 1)
    with working_in(tmp_path):
        assert run(["preview", "pack", "-o", "shots"]) == 3
