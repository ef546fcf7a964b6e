"""A small PNG may say where tiles lie, and support is a rule with a name."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.layout import Layout, draw
from levelgen.template import Library, compose, parse_template, pixels, read_template

HOUSE = ["..#..", ".###.", "#####"]


def paint(path: Path, rows: list[str], *, mode: str = "RGBA", size: int = 0) -> None:
    """A dot is white in RGB and transparent in RGBA; letters are colours."""
    picture = Image.new("RGBA", (size or len(rows[0]), size or len(rows)), (255, 255, 255, 0))
    colours = {"#": (20, 20, 20, 255), "a": (200, 0, 0, 255), "b": (0, 0, 200, 255)}
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark in colours:
                picture.putpixel((x, y), colours[mark])
    flat = Image.new("RGBA", picture.size, (255, 255, 255, 255))
    flat.alpha_composite(picture)
    (picture if mode == "RGBA" else flat.convert(mode)).save(path)


def made(folder: Path, pieces: str) -> Layout:
    (folder / "t.yaml").write_text(f"template: t\n{pieces}")
    template = read_template(folder / "t.yaml")
    return compose(template, Library([template]), "1")


def errors(folder: Path, pieces: str) -> list[str]:
    with pytest.raises(Malformed) as caught:
        made(folder, pieces)
    return [one.code for one in caught.value.findings]


@pytest.mark.parametrize("mode", ["RGBA", "RGB", "L", "P", "1"])
def test_a_pixel_is_a_tile(mode: str, tmp_path: Path) -> None:
    paint(tmp_path / "house.png", HOUSE, mode=mode)
    layout = made(tmp_path, "pieces:\n  - picture: house.png\n")
    left, top, _, _ = layout.bounds()
    assert [(slot.x - left, slot.y - top) for slot in layout] == [
        (4, 0), (2, 2), (4, 2), (6, 2), (0, 4), (2, 4), (4, 4), (6, 4), (8, 4)]  # fmt: skip


def test_a_pixel_may_be_a_quarter_tile(tmp_path: Path) -> None:
    paint(tmp_path / "house.png", [".aa..", ".aabb", "..bbb", "..bb."])
    assert errors(tmp_path, "pieces:\n  - picture: {file: house.png, pixel: half}\n") == ["template/picture"]
    paint(tmp_path / "house.png", [".aa..", ".aabb", "...bb"])
    layout = made(tmp_path, "pieces:\n  - picture: {file: house.png, pixel: half}\n")
    assert len(layout) == 2
    assert draw(layout).count("##") == 4


def test_a_picture_can_mask_a_shape(tmp_path: Path) -> None:
    paint(tmp_path / "house.png", HOUSE)
    layout = made(
        tmp_path, "pieces:\n  - intersect:\n      - grid: {columns: 5, rows: 3}\n      - picture: house.png\n"
    )
    assert len(layout) == 9


def test_the_digest_of_a_template_covers_its_pictures(tmp_path: Path) -> None:
    paint(tmp_path / "house.png", HOUSE)
    made(tmp_path, "pieces:\n  - picture: house.png\n")
    before = read_template(tmp_path / "t.yaml").sha256
    paint(tmp_path / "house.png", HOUSE[1:])
    assert read_template(tmp_path / "t.yaml").sha256 != before


def test_a_picture_that_cannot_be_used_is_told_where_it_is_named(tmp_path: Path) -> None:
    text = "pieces:\n  - picture: house.png\n"
    assert errors(tmp_path, text) == ["template/picture"]
    (tmp_path / "house.png").write_bytes(b"\x89PNG\r\n\x1a\n junk")
    assert errors(tmp_path, text) == ["template/picture"]
    paint(tmp_path / "house.png", HOUSE, size=97)
    assert errors(tmp_path, text) == ["template/picture"]
    paint(tmp_path / "house.png", ["....."])
    assert errors(tmp_path, text) == ["template/picture"]
    assert errors(tmp_path, "pieces:\n  - picture: ../house.png\n") == ["template/value"]
    with pytest.raises(Malformed, match="no folder"):
        parse_template(load("template: t\n" + text, "t.yaml", "template"))


OVER = "  - {{grid: {{columns: 3, rows: 1}}, at: [{x}, 0], z: 1{more}}}\n"
GROUND = "pieces:\n  - grid: {columns: 3, rows: 1}\n"


@pytest.mark.parametrize(
    ("support", "spot", "sound"),
    [
        ("part", "5, 1", True),
        ("half", "5, 1", False),
        ("half", "5, 0", True),
        ("whole", "5, 0", False),
        ("whole", "1, 0", True),
    ],
)
def test_a_template_may_demand_more_support(support: str, spot: str, sound: bool, tmp_path: Path) -> None:
    text = f"support: {support}\n{GROUND}  - {{grid: {{columns: 1, rows: 1}}, at: [{spot}], z: 1}}\n"
    if sound:
        assert len(made(tmp_path, text)) == 4
    else:
        assert errors(tmp_path, text) == ["template/unsupported"]


def test_a_piece_may_leave_out_what_lacks_support(tmp_path: Path) -> None:
    assert len(made(tmp_path, GROUND + OVER.format(x=3, more=", support: whole"))) == 4
    assert len(made(tmp_path, GROUND + OVER.format(x=3, more=", support: half"))) == 5
    assert errors(tmp_path, GROUND + OVER.format(x=3, more="")) == ["template/unsupported"]


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_a_spoilt_picture_is_refused_with_a_finding(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "spoilt.png"
    paint(path, HOUSE)
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with suppress(Malformed):
        pixels(path)


def test_a_huge_picture_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    paint(path, HOUSE)
    raw = bytearray(path.read_bytes())
    raw[16:24] = (200_000).to_bytes(4, "big") * 2
    path.write_bytes(raw)
    with pytest.raises(Malformed, match="too-large"):
        pixels(path)
