"""What tests of pages look for in the browser that `conftest.py` starts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import PATIENCE, happens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SERIOUS = ("serious", "critical")
NOTHING_FADES = """
const later = window.setTimeout;
window.setTimeout = (work, wait, ...rest) => (wait >= 3000 ? 0 : later(work, wait, ...rest));
"""
"""What a page takes away after seconds stays: a test that is slow to look still sees it."""


def fresh_context(browser: Browser, **options: Any) -> BrowserContext:
    """A context as all tests want it: patient, and nothing in it moves or goes by itself."""
    context = browser.new_context(**{"reduced_motion": "reduce", **options})
    context.set_default_timeout(PATIENCE * 1000)
    context.add_init_script(NOTHING_FADES)
    return context


class Watched:
    """A page, with every request it makes and everything that goes wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)

    def open(self, address: str) -> Page:
        """Open a gallery and wait until it can be used."""
        self.page.goto("about:blank")
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]")
        return self.page


def happens_on(page: Page, what: Callable[[], object]) -> bool:
    """Whether it becomes true in time: a click that follows a touch comes a moment later."""
    return happens(what, pause=lambda: page.wait_for_timeout(20))


def serious(page: Page) -> list[dict[str, Any]]:
    """What axe-core finds serious or critical on the page as it is: rule, and the first element of each."""
    spec = importlib.util.find_spec("axe_playwright_python")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("axe-core is not installed")
    page.evaluate((Path(spec.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        {"rule": one["id"], "impact": one["impact"], "at": [node["html"][:200] for node in one["nodes"][:3]]}
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]
