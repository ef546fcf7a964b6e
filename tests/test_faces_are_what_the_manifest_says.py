"""A manifest says which faces of a set are dealt; measuring the artwork must reach the same answer."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from artwork.__main__ import SETS, draw
from levelgen.errors import LevelgenError, Malformed
from levelgen.faces import (
    Exclusion,
    Face,
    FaceSet,
    check,
    find_face_sets,
    image,
    load_face_set,
    measure,
    read_picture,
)

FACES = Path(__file__).parent.parent / "faces"
TILE_MATCH = [
    *("sun", "moon", "pipal_leaf", "kite", "mountains", "rhododendron", "diyo", "tea"),
    *("bell", "drop", "marigold", "star", "chilli", "madal"),
    *("umbrella", "fish"),
]

MANIFEST = """\
id: small
title: A small set
provisional: true
size: [64, 64]
aspect_limit_percent: 135
faces:
  - {id: disc, title: Disc}
  - {id: bar, title: Bar}
  - {id: wedge, title: Wedge}
excluded:
  - {id: bar, reason: 'wide: 4:1'}
"""


def paint(path: Path, shape: str, colour: str = "crimson", size: tuple[int, int] = (64, 64)) -> None:
    """A picture of one flat shape."""
    picture = Image.new("RGBA", size)
    pen = ImageDraw.Draw(picture)
    match shape:
        case "disc":
            pen.ellipse((4, 4, 60, 60), colour)
        case "bar":
            pen.rectangle((2, 24, 61, 38), colour)
        case "wedge":
            pen.polygon([(32, 4), (60, 60), (4, 60)], colour)
        case "nothing":
            pen.rectangle((2, 2, 61, 61), (200, 0, 0, 31))
        case _:
            raise ValueError(shape)
    picture.save(path)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with a flawless set of three faces, of which the wide one is excluded."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "faceset.yaml").write_text(MANIFEST)
    for shape in ("disc", "bar", "wedge"):
        paint(folder / f"{shape}.png", shape)
    return folder


def edit(folder: Path, old: str, new: str) -> None:
    """Change the manifest."""
    text = (folder / "faceset.yaml").read_text()
    assert old in text
    (folder / "faceset.yaml").write_text(text.replace(old, new))


def codes(folder: Path) -> list[str]:
    """The rule codes of what `check` finds."""
    return [finding.code.removeprefix("faceset/") for finding in check(load_face_set(folder))]


# The sets we ship


@pytest.mark.parametrize("name", SETS)
def test_a_shipped_set_is_what_its_manifest_says(name: str) -> None:
    face_set = load_face_set(FACES / name)
    assert check(face_set) == ()
    assert face_set.provisional


def test_every_set_under_faces_is_drawn_by_our_own_code() -> None:
    assert [folder.name for folder in find_face_sets(FACES)] == sorted(SETS)
    for name, pictures in SETS.items():
        assert [face.id for face in load_face_set(FACES / name).faces] == list(pictures)


def test_the_eram_set_deals_at_least_48_faces_and_not_the_wide_one() -> None:
    face_set = load_face_set(FACES / "AR1")
    assert len(face_set.dealable) >= 48
    assert [exclusion.id for exclusion in face_set.excluded] == ["AR1_045"]
    assert "AR1_045" not in face_set.dealable


def test_measuring_alone_finds_the_one_wide_face() -> None:
    face_set = load_face_set(FACES / "AR1")
    wide = [face.id for face in face_set.faces if measure(face_set.picture(face.id)).wider_than(135)]
    assert wide == ["AR1_045"]
    assert measure(face_set.picture("AR1_045")).aspect_percent > 200


def test_the_tile_match_pictures_stand_in_the_order_of_the_rules() -> None:
    assert list(load_face_set(FACES / "nepal").dealable) == TILE_MATCH


@pytest.mark.parametrize(("name", "most"), [("AR1", 87), ("nepal", 83)])
def test_no_two_faces_of_a_set_differ_by_colour_alone(name: str, most: int) -> None:
    """The bounds are what the artwork reaches today, plus two: new artwork may not fall behind."""
    face_set = load_face_set(FACES / name)
    measures = {face.id: measure(face_set.picture(face.id)) for face in face_set.faces}
    likeness = sorted(
        ((measures[a].likeness_percent(measures[b]), a, b) for a, b in combinations(measures, 2)),
        reverse=True,
    )
    for percent, a, b in likeness[:5]:
        print(f"{name}: {a} and {b} are {percent} % alike")
    assert likeness[0][0] <= most


@pytest.mark.parametrize("name", SETS)
def test_the_committed_pictures_are_what_the_code_draws(name: str) -> None:
    """To the pixel with the Pillow they were drawn with; another version may round an edge differently.

    Hence a tolerance: the mean difference of a channel stays below a quarter of a level, which a redrawn
    picture exceeds.
    """
    for path, drawn in draw([name]):
        committed = read_picture(path)
        assert committed.size == drawn.size, path.name
        levels = ImageChops.difference(_flattened(committed), _flattened(drawn)).histogram()
        total = sum(level % 256 * count for level, count in enumerate(levels))
        mean = total / (3 * drawn.width * drawn.height)
        assert mean < 0.25, f"{path.name}: if the change was meant, run `python -m artwork`"


def _flattened(picture: Image.Image) -> Image.Image:
    """The picture on grey: what a transparent pixel's colour channels hold does not matter."""
    return Image.alpha_composite(Image.new("RGBA", picture.size, "#808080"), picture).convert("RGB")


# Manifest and artwork must agree


def test_a_flawless_set_has_no_findings(small: Path) -> None:
    assert codes(small) == []
    assert load_face_set(small).dealable == ("disc", "wedge")


def test_a_wide_picture_that_is_dealt_is_found(small: Path) -> None:
    edit(small, "excluded:\n  - {id: bar, reason: 'wide: 4:1'}\n", "excluded: []\n")
    assert codes(small) == ["wide"]


def test_a_picture_excluded_as_wide_that_is_not_is_found(small: Path) -> None:
    edit(small, "{id: bar, reason", "{id: disc, reason")
    assert sorted(codes(small)) == ["not-wide", "wide"]


def test_a_face_may_be_excluded_for_another_reason_without_being_wide(small: Path) -> None:
    edit(small, "excluded:\n", "excluded:\n  - {id: disc, reason: withdrawn by the studio}\n")
    assert codes(small) == []
    assert load_face_set(small).dealable == ("wedge",)


def test_width_is_judged_by_visible_pixels_not_by_the_canvas(small: Path) -> None:
    assert measure(small / "bar.png").canvas == (64, 64)
    assert measure(small / "bar.png").aspect_percent == 400


def test_the_limit_itself_is_not_wide_and_a_trace_above_it_is() -> None:
    picture = measure(FACES / "AR1" / "AR1_045.png")
    exact = replace(picture, box=(0, 0, 135, 100))
    assert not exact.wider_than(135)
    assert replace(picture, box=(0, 0, 1351, 1000)).wider_than(135)


def test_a_picture_of_the_wrong_size_is_found(small: Path) -> None:
    paint(small / "disc.png", "disc", size=(65, 64))
    assert codes(small) == ["wrong-size"]


def test_a_picture_that_shows_nothing_is_found(small: Path) -> None:
    paint(small / "disc.png", "nothing")
    assert codes(small) == ["empty-picture"]
    paint(small / "disc.png", "nothing", size=(65, 64))
    assert sorted(codes(small)) == ["empty-picture", "wrong-size"]


def test_two_pictures_that_differ_by_colour_alone_are_found(small: Path) -> None:
    paint(small / "wedge.png", "disc", colour="navy")
    assert codes(small) == ["same-outline"]


def test_a_file_that_no_face_names_is_found_but_hidden_ones_are_not(small: Path) -> None:
    (small / "extra.png").write_bytes(b"")
    (small / ".hidden").write_bytes(b"")
    assert codes(small) == ["stray-file"]


def test_every_defect_is_reported_not_only_the_first(small: Path) -> None:
    (small / "disc.png").unlink()
    (small / "wedge.png").write_bytes(b"not a picture")
    (small / "extra.txt").write_text("")
    edit(small, "excluded:\n  - {id: bar, reason: 'wide: 4:1'}\n", "excluded: []\n")
    assert sorted(codes(small)) == ["corrupt-picture", "missing-picture", "stray-file", "wide"]


def test_a_set_built_by_hand_is_checked_for_contradictions_too(small: Path) -> None:
    face_set = load_face_set(small)
    twice = replace(face_set, faces=(*face_set.faces, Face("disc", "Again")), excluded=(Exclusion("bra", "wide"),))
    assert sorted(finding.code for finding in check(twice)) == [
        "faceset/duplicate-id",
        "faceset/unknown-excluded",
        "faceset/wide",
    ]


# Bad pictures


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk with its checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width: int, height: int, depth: int = 8, colour: int = 6) -> bytes:
    """The start of a PNG file."""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))


SPOILT: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "corrupt-picture"),
    "garbage": (lambda data: b"\x00" * 100, "corrupt-picture"),
    "a GIF": (lambda data: b"GIF89a" + data[6:], "corrupt-picture"),
    "cut in the header": (lambda data: data[:20], "corrupt-picture"),
    "cut in the pixels": (lambda data: data[: len(data) // 2], "corrupt-picture"),
    "a flipped bit in the pixels": (
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        "corrupt-picture",
    ),
    "no pixels": (lambda data: header(64, 64) + chunk(b"IEND", b""), "corrupt-picture"),
    "pixels that end early": (
        lambda data: header(64, 64) + chunk(b"IDAT", zlib.compress(b"\x00" * 99)) + chunk(b"IEND", b""),
        "corrupt-picture",
    ),
    "sides of nothing": (lambda data: header(0, 64) + data[33:], "too-large"),
    "enormous sides": (lambda data: header(2**31 - 1, 2**31 - 1) + data[33:], "too-large"),
    "a file of 5 MiB": (lambda data: data + b"\x00" * (5 << 20), "too-large"),
    "16 bits a channel": (
        lambda data: header(2, 2, 16, 0) + chunk(b"IDAT", zlib.compress(b"\x00" * 10)) + chunk(b"IEND", b""),
        "pixel-kind",
    ),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_picture_is_refused_with_its_name(small: Path, how: str) -> None:
    spoil, code = SPOILT[how]
    path = small / "disc.png"
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(Malformed) as caught:
        image(load_face_set(small), "disc")
    (finding,) = caught.value.findings
    assert finding.code == f"faceset/{code}"
    assert finding.where == path.as_posix()
    assert codes(small) == [code]


def test_a_flipped_bit_anywhere_in_a_picture_is_refused_or_changes_no_pixel(small: Path) -> None:
    path = small / "wedge.png"
    whole = path.read_bytes()
    pixels = read_picture(path).tobytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        try:
            assert read_picture(path).tobytes() == pixels, place
        except LevelgenError:
            continue


def test_a_missing_picture_is_named(small: Path) -> None:
    (small / "disc.png").unlink()
    (finding,) = check(load_face_set(small))
    assert finding.code == "faceset/missing-picture"
    assert finding.where == (small / "disc.png").as_posix()


def test_a_folder_in_place_of_a_picture_is_no_picture(small: Path) -> None:
    (small / "disc.png").unlink()
    (small / "disc.png").mkdir()
    assert codes(small) == ["missing-picture"]


def test_a_face_the_set_does_not_have_is_not_looked_for_on_disk(small: Path) -> None:
    paint(small.parent / "secret.png", "disc")
    with pytest.raises(Malformed, match="no face"):
        image(load_face_set(small), "../secret")


# Bad manifests


BAD: dict[str, tuple[str, str, str, str]] = {
    "an unknown key": ("title: A small", "tilte: x\ntitle: A small", "unknown-key", "2:1"),
    "a duplicate key": ("provisional: true", "provisional: true\nprovisional: false", "duplicate-key", "4:1"),
    "a missing key": ("provisional: true\n", "", "missing-key", "1:1"),
    "a flag that is no flag": ("provisional: true", "provisional: yes", "type", "3:14"),
    "a limit that is a fraction": ("percent: 135", "percent: 1.35", "type", "5:23"),
    "a limit below square": ("percent: 135", "percent: 99", "range", "5:23"),
    "a size of one number": ("[64, 64]", "[64]", "length", "4:7"),
    "an id that climbs": ("{id: disc,", "{id: ../disc,", "value", "7:10"),
    "an id that ends in a line feed": ("{id: disc,", '{id: "disc\\n",', "value", "7:10"),
    "a title that moves the cursor": ("title: Disc", 'title: "\\e[2J"', "value", "7:23"),
    "an id twice": ("{id: wedge,", "{id: disc,", "duplicate-id", "9:10"),
    "two ids that differ by case": ("{id: wedge,", "{id: DISC,", "duplicate-id", "9:10"),
    "an unknown excluded id": ("{id: bar, reason", "{id: bra, reason", "unknown-excluded", "11:10"),
    "another folder's id": ("id: small", "id: large", "id", "1:5"),
    "no YAML": ("faces:", "faces: [", "syntax", ""),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_manifest_is_refused_with_the_place(small: Path, what: str) -> None:
    old, new, code, place = BAD[what]
    edit(small, old, new)
    with pytest.raises(Malformed) as caught:
        load_face_set(small)
    finding = next(found for found in caught.value.findings if found.code == f"faceset/{code}")
    assert finding.where.startswith(f"{(small / 'faceset.yaml').as_posix()}:{place}")


def test_every_contradiction_of_a_manifest_is_reported_at_once(small: Path) -> None:
    edit(small, "{id: wedge,", "{id: disc,")
    edit(small, "{id: bar, reason", "{id: bra, reason")
    edit(small, "id: small", "id: large")
    with pytest.raises(Malformed) as caught:
        load_face_set(small)
    assert len(caught.value.findings) == 3


def test_a_folder_without_a_manifest_is_no_face_set(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="is no face set"):
        load_face_set(tmp_path)
    assert find_face_sets(tmp_path) == ()


# The digest a pack signs


def digest(folder: Path) -> str:
    return load_face_set(folder).sha256


def test_the_digest_is_of_pixels_not_of_png_bytes(small: Path) -> None:
    before = digest(small)
    picture = read_picture(small / "disc.png")
    old = (small / "disc.png").read_bytes()
    picture.save(small / "disc.png", compress_level=0)
    assert (small / "disc.png").read_bytes() != old
    assert digest(small) == before


def test_the_digest_changes_with_a_single_pixel(small: Path) -> None:
    before = digest(small)
    picture = read_picture(small / "disc.png")
    picture.putpixel((32, 32), (0, 0, 0, 255))
    picture.save(small / "disc.png")
    assert digest(small) != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("provisional: true", "provisional: false"),
        ("percent: 135", "percent: 136"),
        ("[64, 64]", "[64, 65]"),
        (
            "  - {id: disc, title: Disc}\n  - {id: bar, title: Bar}",
            "  - {id: bar, title: B}\n  - {id: disc, title: D}",
        ),
        ("excluded:\n", "excluded:\n  - {id: disc, reason: withdrawn}\n"),
    ],
)
def test_the_digest_changes_with_the_facts_a_pack_depends_on(small: Path, old: str, new: str) -> None:
    before = digest(small)
    edit(small, old, new)
    assert digest(small) != before


def test_the_digest_does_not_change_with_wording_or_place(small: Path) -> None:
    before = digest(small)
    edit(small, "title: A small set", "title: Renamed")
    edit(small, "wide: 4:1", "wide, measured again")
    moved = small.parent / "elsewhere" / "small"
    moved.parent.mkdir()
    small.rename(moved)
    assert digest(moved) == before


def test_the_digest_of_a_set_with_spoilt_pictures_names_each_of_them(small: Path) -> None:
    face_set: FaceSet = load_face_set(small)
    (small / "disc.png").unlink()
    (small / "bar.png").write_bytes(b"")
    with pytest.raises(Malformed) as caught:
        _ = face_set.sha256
    assert [finding.code for finding in caught.value.findings] == [
        "faceset/missing-picture",
        "faceset/corrupt-picture",
    ]
