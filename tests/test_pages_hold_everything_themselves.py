"""A page is one file: its law is the one JavaScript of the rules, and its policy lets nothing else in."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from levelgen.layout import parse
from levelgen.page import law, page, page_style, tiles_script
from levelgen.render.preview import cut_of, extent, plates

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MODULE = Path(__file__).resolve().parent.parent / "levelgen" / "clients" / "levelgen.mjs"


def test_the_law_of_a_page_is_the_module_without_its_exports() -> None:
    module = MODULE.read_text(encoding="utf-8")
    first, *body, ret, end, last = law().split("\n")
    assert first == "const law = (() => {"
    assert (end, last) == ("})();", "")
    exported = set(re.findall(r"\w+", ret.removeprefix("return")))
    assert {"Game", "dealOf", "logText", "parseLog"} <= exported
    named = re.compile(r"^(?:async )?(?:function|class|const) (\w+)")
    again = [f"export {line}" if (found := named.match(line)) and found[1] in exported else line for line in body]
    assert "\n".join(again) == module
    assert len(exported) == len(re.findall(r"^export ", module, re.MULTILINE))
    assert not re.search(r"^import |import\(|import\.meta", module, re.MULTILINE)


def test_a_page_names_the_digest_of_all_that_runs_in_it() -> None:
    html = page("A & B", "<p>x</p>", styles=["p { color: red }"], scripts=["DATA;"], data={"a": "</script>"})
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none';")
    assert policy[1].count("'sha256-") == 2
    assert "connect-src 'none'" in policy[1]
    assert "<title>A &amp; B</title>" in html
    assert html.count("</script>") == 1, "what data holds cannot end the script"


def test_a_page_is_dark_where_the_system_is_unless_told_otherwise(chromium: Browser) -> None:
    light, dark = "rgb(245, 241, 232)", "rgb(16, 23, 27)"
    for system, asked, ground in (
        ("light", "", light), ("light", "light", light), ("light", "dark", dark),
        ("dark", "", dark), ("dark", "light", light), ("dark", "dark", dark),
    ):  # fmt: skip
        tab = chromium.new_page(color_scheme="dark" if system == "dark" else "light")
        theme = f' data-theme="{asked}"' if asked else ""
        tab.set_content(f"<!doctype html><html{theme}><style>{page_style()}</style><body>x</body></html>")
        assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == ground, (system, asked)
        tab.close()


def test_what_dark_is_stands_in_the_style_sheet_once() -> None:
    said = (MODULE.parent.parent / "page" / "page.css").read_text(encoding="utf-8")
    assert said.count("color-scheme: dark;") == 1
    assert page_style().count("color-scheme: dark;") == 2


@pytest.mark.parametrize("shape", ["AA..BB\nAA..BB", "AABB....\nAABB....\n-- 1\n.CC\n.CC\n-- 3\n..DD\n..DD"])
def test_a_page_puts_tiles_where_a_preview_does(chromium: Browser, shape: str) -> None:
    layout = parse(shape)[0]
    tab = chromium.new_page()
    for side in (12, 40, 90):
        cut = cut_of(side, layout.layers)
        asked = json.dumps([[list(slot) for slot in layout.slots], layout.layers, side])
        found = tab.evaluate(
            f"((slots, layers, side) => {{ {tiles_script()}; const cut = cutOf(side, layers);"
            f"const place = placed(slots, cut); return [cut, place.corners, place.width, place.height]; }})(...{asked})"
        )
        assert found[0] == {"side": cut.side, "right": cut.right, "below": cut.below}
        assert [tuple(corner) for corner in found[1]] == plates(layout, cut)
        assert (found[2], found[3]) == extent(layout, cut)
    tab.close()


@pytest.mark.parametrize("text", ["x = '</script>'", "<!-- x", "</STYLE>"])
def test_what_would_end_its_element_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="would end"):
        page("x", "", styles=[], scripts=[text], data=None)
