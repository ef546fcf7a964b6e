"""The gallery of `docs/templates.md` shows every template that ships, as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.render.catalogue import GROUPS, pictures, png, same_pixels, thumbnail, with_gallery
from levelgen.template import compose, read_library

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures" / "templates"
LIBRARY = read_library(ROOT / "templates" / "shapes", root=ROOT)
SHOWN = dict(pictures(LIBRARY))
AGAIN = "run: python -m levelgen.render.catalogue"


def test_the_page_lists_every_template_that_ships() -> None:
    page = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
    assert page == with_gallery(page, LIBRARY), AGAIN
    for name in LIBRARY:
        assert f"(pictures/templates/{name}.png)" in page
    for _, title, _ in GROUPS:
        assert f"### {title}" in page


@pytest.mark.parametrize("name", LIBRARY)
def test_a_picture_shows_its_template_as_it_is(name: str) -> None:
    assert same_pixels((FOLDER / f"{name}.png").read_bytes(), SHOWN[name]), AGAIN


def test_there_are_no_pictures_of_others_and_all_are_small() -> None:
    files = sorted(FOLDER.iterdir())
    assert [path.stem for path in files] == sorted(LIBRARY), AGAIN
    assert sum(path.stat().st_size for path in files) < 1_500_000


def test_a_picture_of_something_else_is_noticed() -> None:
    turtle = compose(LIBRARY["turtle"], LIBRARY, "1")
    assert same_pixels(png(thumbnail(turtle)), thumbnail(turtle))
    assert not same_pixels(png(SHOWN["rug"]), thumbnail(turtle))
    assert thumbnail(turtle, 300).width == 300
