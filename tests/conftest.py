"""What every test shares: golden files, and that in CI nothing is skipped and the same examples are tried each time.

    def test_the_page_looks_so(golden: Golden) -> None:
        golden("golden/board.txt", page())

compares with `tests/golden/board.txt`; `make golden` writes such files anew.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Golden = Callable[[str, str | bytes], None]
TESTS = Path(__file__).resolve().parent
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")

os.environ["LEVELGEN_CACHE"] = "off"  # a test builds what it looks at, and leaves nothing behind

# What a script runs in its background is deaf to Ctrl-C, and so is all that the tests start, unless it is heard again.
signal.signal(signal.SIGINT, signal.default_int_handler)

# However busy the machine is, the answer is the same: nothing here fails because an example took long.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("patient"), derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if IN_CI else "patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew instead of comparing")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--golden`, only the tests that have golden files run."""
    if config.getoption("--golden"):
        chosen = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare text or bytes with a committed file, or write it when run by `make golden`."""

    def compare(name: str, found: str | bytes) -> None:
        path = TESTS / name
        raw = found.encode() if isinstance(found, str) else found
        if request.config.getoption("--golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
        wanted = path.read_bytes() if path.exists() else b""
        assert raw == wanted, f"tests/{name} differs; if the change is meant, run: make golden"

    return compare


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Real Chromium without a window. A machine without it skips; in CI that is a failure like any skip."""
    driver = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one: it would have promised something that nobody checked."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        _fail(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a test file that skips itself as a whole."""
    report = yield
    if IN_CI and report.skipped:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"skipped in CI, which counts as failed: {reason}"
