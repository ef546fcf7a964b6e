"""`watch` keeps a recipe's gallery up to date: a save shows at once, a broken one shows why, and only we may ask."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from levelgen.cache import Cache
from levelgen.recipe import LevelPlan
from levelgen.watch import LOOPBACK, Server, Studio
from levelgen.workbench import Finished, Workbench
from tests.browser import Watched, fresh_context
from tests.patience import PATIENCE
from tests.project import BLOCK, TOP, new_project

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RECIPE = """\
pack: probe
title: Probe
version: 1
ruleset: {id: pairs}
faces: nepal
seed: probe
levels:
  - levels: 1..2
    templates: [[block, top]]
    tiles: 22
  - levels: 3
    templates: [[block]]
    tiles: 20
"""
DEAD = """\
levelgen-board 1 pairs
AABBAABB..CC..CC
AABBAABB..CC..CC
"""
"""A row that never opens, and a pair that may be taken."""
HIGHER = TOP.replace("rows: 3", "rows: 2")
BROKEN = BLOCK.replace("columns", "colums")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three levels, two of which use `top`; its recipe."""
    return new_project(tmp_path, recipe=RECIPE)


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the levels that are made, as they are."""
    made: list[int] = []
    finish = Workbench.finish

    def noted(bench: Workbench, level: LevelPlan) -> Finished:
        made.append(level.level)
        return finish(bench, level)

    monkeypatch.setattr(Workbench, "finish", noted)
    return made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that serves a project nobody changes."""
    with Server(new_project(tmp_path_factory.mktemp("served"), recipe=RECIPE)) as started:
        yield started


def save(recipe: Path, template: str, text: str) -> None:
    """Save a template as an editor does: whole, by a rename."""
    path = recipe.parent.parent / "shapes" / f"{template}.yaml"
    draft = path.with_suffix(".part")
    draft.write_text(text)
    draft.replace(path)


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    """The answer to a request for `path`, spelt as it is."""
    connection = http.client.HTTPConnection(LOOPBACK, server.port, timeout=PATIENCE)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


def news(server: Server, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first news that are as wanted."""
    end = time.monotonic() + PATIENCE
    serial = -1
    while time.monotonic() < end:
        found: dict[str, Any] = json.loads(ask(server, f"/news?after={serial}")[1])
        if wanted(found):
            return found
        serial = found["serial"]
    raise AssertionError("there are no such news")


def done(found: dict[str, Any]) -> bool:
    return bool(found["version"]) and not found["pending"] and not found["findings"]


def test_only_what_a_save_touches_is_made_anew(project: Path, finished: list[int]) -> None:
    studio = Studio(project)
    studio.refresh()
    assert finished == [1, 2, 3]
    assert not studio.changed()
    save(project, "top", HIGHER)
    assert studio.changed()
    studio.refresh()
    assert finished == [1, 2, 3, 1, 2]
    project.write_text(RECIPE.replace("tiles: 20", "tiles: 18"))
    studio.refresh()
    assert finished[5:] == [3]
    save(project, "top", TOP)
    studio.refresh()
    assert finished[6:] == [], "a change that is taken back costs nothing"
    assert not studio.news.findings


def test_a_draft_is_shown_until_the_level_is_made(project: Path, finished: list[int]) -> None:
    studio = Studio(project)
    studio.refresh(lambda: studio.news.version > 0)
    assert finished == []
    assert studio.news.pending == 3
    assert studio.news.html.count(b'"draft":true') == 3
    studio.refresh()
    assert studio.news.html.count(b'"draft":true') == 0


def test_levels_are_kept_from_one_watch_to_the_next(project: Path, tmp_path: Path, finished: list[int]) -> None:
    for _ in range(2):
        with Cache.open(tmp_path / "cache") as cache:
            Studio(project, cache).refresh()
    assert finished == [1, 2, 3]


def test_a_broken_save_tells_why_and_the_last_good_picture_stays(project: Path) -> None:
    studio = Studio(project)
    studio.refresh()
    good = studio.news
    save(project, "block", BROKEN)
    studio.refresh()
    assert studio.news.html is good.html
    assert studio.news.version == good.version
    (told,) = {str(one) for one in studio.news.findings}
    assert "templates/shapes/block.yaml:4" in told
    assert "columns" in told
    save(project, "block", BLOCK)
    studio.refresh()
    assert not studio.news.findings
    assert studio.news.version == good.version + 1


def test_a_level_that_cannot_be_made_leaves_the_others_alone(project: Path) -> None:
    (project.parent / "dead.txt").write_text(DEAD)
    project.write_text(RECIPE.replace("    templates: [[block]]\n    tiles: 20\n", "    board: dead.txt\n"))
    studio = Studio(project)
    studio.refresh()
    (finding,) = studio.news.findings
    assert (finding.code, finding.where) == ("build/unsolvable", "level 3")
    assert b'"probe#2"' in studio.news.html
    assert b"The pinned board cannot be won." in studio.news.html, "it is shown, rejected, and the page tells why"
    assert b"can never leave" in studio.news.html


def test_what_is_saved_meanwhile_is_not_waited_for(project: Path, finished: list[int]) -> None:
    studio = Studio(project)

    def stop() -> bool:
        if len(finished) == 1:
            save(project, "block", BROKEN)
        return False

    studio.refresh(stop)
    assert finished == [1]
    assert studio.changed()


def test_a_recipe_outside_any_project_is_refused(tmp_path: Path) -> None:
    from levelgen.errors import Malformed

    (tmp_path / "lone.yaml").write_text(RECIPE)
    with pytest.raises(Malformed, match="project/missing"):
        Studio(tmp_path / "lone.yaml")
    with pytest.raises(Malformed, match="document/missing"):
        Studio(tmp_path / "gone.yaml")


def test_two_paths_are_answered_and_no_other(server: Server) -> None:
    news(server, done)
    status, page, headers = ask(server, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert headers["Cache-Control"] == "no-store"
    assert b"probe#1" in page
    for path in (
        "/../faces/AR1/faceset.yaml",
        "/..%2f..%2fetc/passwd",
        "//etc/passwd",
        "/templates/",
        "/news/..",
        "/x",
    ):
        assert ask(server, path)[0] == 404, path
    assert ask(server, "/", method="POST")[0] == 501


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}"])
def test_a_request_under_another_name_is_refused(server: Server, host: str) -> None:
    status, body, _ = ask(server, "/", Host=host.format(port=server.port))
    assert status == 403
    assert b"Probe" not in body


def test_our_own_names_are_answered(server: Server) -> None:
    assert server.address == f"http://127.0.0.1:{server.port}/"
    for host in ("localhost", LOOPBACK):
        assert ask(server, "/", Host=f"{host}:{server.port}")[0] == 200


@pytest.mark.parametrize("after", ["", "x", "-5", "9" * 400, "٣", "1&after=2"])
def test_any_question_for_news_is_answered(server: Server, after: str) -> None:
    from urllib.parse import quote

    known = news(server, done)
    found = json.loads(ask(server, f"/news?after={quote(after, safe='&=')}")[1])
    assert found["version"] == known["version"]


def test_the_page_follows_a_save_and_shows_what_is_wrong(chromium: Browser, project: Path) -> None:
    context = fresh_context(chromium)
    watched = Watched(context.new_page())
    with Server(project) as server:
        news(server, done)
        page = watched.open(f"{server.address}#2")
        assert page.inner_text("#chip-tiles") == "22 tiles"
        page.locator("#tiles button.open").first.click()
        page.evaluate("document.documentElement.dataset.stays = 'yes'")
        save(project, "block", BROKEN)
        page.wait_for_selector("#news:not([hidden])")
        assert "block.yaml:4" in page.inner_text("#news")
        assert "last good" in page.inner_text("#news")
        assert page.inner_text("#chip-tiles") == "22 tiles"
        assert page.locator("html[data-stays]").count() == 1, "the picture stays as it was"
        save(project, "block", BLOCK)
        project.write_text(RECIPE.replace("tiles: 22", "tiles: 24"))
        page.wait_for_selector("html[data-ready]:not([data-stays])")
        page.wait_for_selector("#chip-tiles:text-is('24 tiles')")
        latest = news(server, done)["version"]  # the draft is followed by the level
        page.wait_for_selector(f"html[data-ready][data-version='{latest}']")
        assert page.is_hidden("#news")
        assert page.url.endswith("#2"), "the designer is where they were"
    page.wait_for_selector("#news:not([hidden])")
    assert "ended" in page.inner_text("#news")
    context.close()


def test_the_command_says_where_and_ends_when_told(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from levelgen.cli import main; main()", "watch", str(project)]
    environment = {**os.environ, "LEVELGEN_CACHE": "off"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as watching:
        assert watching.stdout is not None
        address = watching.stdout.readline().decode().strip()
        assert address.startswith("http://127.0.0.1:")
        connection = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"), timeout=PATIENCE)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(PATIENCE) == 0
