"""A recipe's gallery that keeps up with its designer: whatever a save touches is made anew, and nothing else.

    studio = Studio(Path("templates/packs/eram.yaml"), cache)
    studio.refresh()                               makes what is out of date; `studio.news` is what a page is told
    with Server(Path("…/eram.yaml")) as server: …  does so after every save, and serves the page on the loopback address

A level is made again when what it is made from changed; until it is found, rated and proved, a draft of it is shown. A
save that breaks something changes nothing but the findings: the last good picture stays. Only this machine can ask, for
two paths, by the server's own name.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from levelgen.board import Board
from levelgen.cache import Cache
from levelgen.document import read
from levelgen.errors import Finding, LevelgenError, Malformed, raise_for, unforeseen
from levelgen.gallery import Exhibit, Gallery, Heading, draft_of, exhibit_of, exhibit_of_deal
from levelgen.inputs import LevelKeys
from levelgen.level import Workshop, deal_level
from levelgen.pack.records import parse_certificate, parse_record
from levelgen.recipe import LevelPlan, layout_of, plan, project_root
from levelgen.workbench import Finished, Setup, Workbench

LOOPBACK = "127.0.0.1"
POLL_SECONDS = 0.15
"""How often the files are looked at."""
SHOW_SECONDS = 4.0
"""How often a rebuild that takes long shows what it has; what it has not is shown as a draft from the beginning."""
PATIENCE_SECONDS = 20.0
"""How long a page that asks for news waits for an answer."""
KEPT = 4
"""How many versions of a level are kept, so that taking a change back costs nothing."""
MAX_FILES = 50_000
PROVERS = ("kernel",)
"""As `build` has it by default, so that each finds the other's levels in the cache."""

Stamp = Mapping[Path, tuple[int, int, int]]


@dataclass(frozen=True)
class News:
    """What there is to know now."""

    serial: int = 0
    """Goes up with everything that is told."""
    version: int = 0
    """Goes up when the page is another."""
    html: bytes = b""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the sources, or with single levels."""
    pending: int = 0
    """How many levels are out of date."""

    def to_json(self) -> dict[str, object]:
        """As a page reads it."""
        told = [str(one) for one in self.findings]
        return {"serial": self.serial, "version": self.version, "findings": told, "pending": self.pending}


def _no_recipe(path: Path) -> Iterator[Finding]:
    """That a file is a template, a face set or the like; whatever else is wrong may be mended while it is watched."""
    try:
        data = read(path).data
    except LevelgenError:
        return
    if isinstance(data, dict) and data and not data.keys() & {"pack", "levels"}:
        yield Finding("watch/no-recipe", "is not a recipe: it has neither `pack` nor `levels`", str(path),
                      "name a recipe; every file it is made from is watched with it")  # fmt: skip


class Studio:
    """A recipe, the levels made of it so far, and the news of them.

    `refresh` and `changed` are for one thread, in which the cache was opened; news are for any.
    """

    def __init__(self, recipe: Path, cache: Cache | None = None) -> None:
        """A studio; without a cache it remembers levels only while it lives.

        Raises:
            Malformed: there is no such recipe, it is something else, or it stands in no project.
        """
        if recipe.is_dir():
            raise Malformed.of("document/directory", "is a folder, not a recipe", str(recipe), "name a recipe's file")
        if not recipe.is_file():
            raise Malformed.of("document/missing", "there is no such file", str(recipe), "check the path")
        root = project_root(recipe)
        if root is None:
            raise Malformed.of(
                "project/missing", "stands in no project: no folder above it has templates/shapes and faces",
                str(recipe), "`levelgen init` makes one",
            )  # fmt: skip
        raise_for(_no_recipe(recipe))
        self.recipe, self.root = recipe, root
        empty = Gallery().page(Heading(recipe.stem, (f"watching {recipe.name}",)), [], live=0)
        self.news = News(html=empty.encode())
        self._told = threading.Condition()
        self.cache = cache or Cache(None)
        self._known: dict[bytes, Exhibit] = {}
        """Finished levels by what they are made from."""
        self.shown: dict[int, Exhibit] = {}
        """What the page shows, by number: the last that could be made of each."""
        self._stamp: Stamp | None = None
        self._face_stamp: Stamp | None = None
        self._gallery = Gallery()

    # --- news ---

    def wait_for_news(self, after: int, seconds: float) -> News:
        """The news once they are later than the serial number `after`, or after so long as they are."""
        with self._told:
            self._told.wait_for(lambda: self.news.serial > after, seconds)
            return self.news

    def _tell(self, **changes: Any) -> None:
        with self._told:
            self.news = replace(self.news, serial=self.news.serial + 1, **changes)
            self._told.notify_all()

    def fail(self, error: Exception) -> None:
        """Tell of what should not have happened."""
        self._tell(findings=unforeseen(error, fix="report what was saved").findings, pending=0)

    # --- making ---

    def changed(self) -> bool:
        """Whether a file of the project is another than when it was read last."""
        return self._look() != self._stamp

    def refresh(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Make what is out of date and tell of it; gives up early when `stop` says so or a file changes meanwhile."""
        self._stamp = self._look()
        try:
            workshop = self._open()
            plans = plan(workshop.recipe, workshop.project.library)
        except LevelgenError as error:
            self._tell(findings=error.findings, pending=0)
            return
        heading = workshop.heading()
        keys = LevelKeys(workshop, heading, PROVERS, previews=True)
        wanted = [(level, keys.key(level)) for level in plans]
        self.shown = {level.level: self.shown[level.level] for level in plans if level.level in self.shown}
        todo = [(level, key) for level, key in wanted if not self._take(level, key)]
        bench = Workbench(Setup(self.recipe, heading, PROVERS), workshop)
        findings: list[Finding] = []
        if todo:
            for level, _ in todo:
                self._sketch(workshop, level)
            self._show(workshop, findings, len(todo))
        shown = time.monotonic()
        for place, (level, key) in enumerate(todo):
            if stop() or self.changed():
                return
            if place and time.monotonic() - shown > SHOW_SECONDS:
                self._show(workshop, findings, len(todo) - place)
                shown = time.monotonic()
            else:
                self._tell(pending=len(todo) - place)
            try:
                finished = bench.finish(level)
            except LevelgenError as error:
                findings += error.findings
                if level.board is not None:
                    why = "; ".join(finding.message for finding in error.findings)
                    name = f"{heading.pack}#{level.level}"
                    self.shown[level.level] = exhibit_of_deal(name, level.board, f"{why[:1].upper()}{why[1:]}.")
                continue
            self.cache.put([(key, finished.to_bytes())])
            self._keep(level, key, finished)
        self._known = {key: self._known[key] for key in list(self._known)[-KEPT * len(plans) :]}
        self._show(workshop, findings, 0)

    def _open(self) -> Workshop:
        """The workshop; the artwork is measured and prepared only when it changed."""
        assert self._stamp is not None, "the files were looked at"
        folder = self.root / "faces"
        faces = {path: mark for path, mark in self._stamp.items() if folder in path.parents}
        workshop = Workshop.open(self.recipe, measured=faces != self._face_stamp)
        if faces != self._face_stamp:
            self._gallery, self._face_stamp = Gallery.of(workshop.face_set), faces
        return workshop

    def _take(self, level: LevelPlan, key: bytes) -> bool:
        """Show a level as it was made before; whether it was."""
        if key in self._known:
            self.shown[level.level] = self._known[key]
            return True
        data = self.cache.get(key)
        if data is not None:
            self._keep(level, key, Finished.from_bytes(data))
        return data is not None

    def _sketch(self, workshop: Workshop, level: LevelPlan) -> None:
        """Show a level as a draft: its layout and the first deal, before any search for the one that is asked for."""
        if level.board is not None or level.kept is not None:
            return
        try:
            board = Board.compile(layout_of(level, workshop.project.library), level.ruleset)
            _, deal, solution = deal_level(replace(level, guess_free=False), board)
        except LevelgenError:
            return  # making it will tell
        self.shown[level.level] = draft_of(level, deal, solution, workshop.recipe.pack)

    def _keep(self, level: LevelPlan, key: bytes, finished: Finished) -> None:
        record, certificate = parse_record(finished.ready.line), parse_certificate(finished.ready.proof)
        self._known[key] = self.shown[level.level] = exhibit_of(record, certificate)

    def _show(self, workshop: Workshop, findings: list[Finding], pending: int) -> None:
        recipe = workshop.recipe
        heading = Heading(recipe.title, (f"watching {self.recipe.name}", f"{recipe.pack} version {recipe.version}"))
        version = self.news.version + 1
        html = self._gallery.page(heading, [self.shown[number] for number in sorted(self.shown)], live=version)
        self._tell(version=version, html=html.encode(), findings=tuple(findings), pending=pending)

    # --- files ---

    def _look(self) -> Stamp:
        """What tells one state from another of every file the recipe may draw on: time, size and number."""
        found: dict[Path, tuple[int, int, int]] = {}
        for folder in (self.root / "templates", self.root / "faces", self.recipe.resolve().parent):
            for path in _files(folder):
                try:
                    status = path.stat()
                except OSError:  # gone since it was listed, or not ours to read
                    continue
                found[path] = (status.st_mtime_ns, status.st_size, status.st_ino)
        return found


def _files(folder: Path) -> Iterator[Path]:
    for count, path in enumerate(sorted(folder.rglob("*"))):
        if count >= MAX_FILES:
            return
        if not path.name.startswith(".") and path.is_file():
            yield path


class Server:
    """Serves a recipe's studio on the loopback address and keeps it up to date, in threads of its own.

    Raises:
        Malformed: the recipe stands in no project.
        OSError: the port is taken.
    """

    def __init__(self, recipe: Path, port: int = 0, cache: Path | None = None) -> None:
        self._cache_folder = cache
        self.studio = Studio(recipe)
        self._stopped = threading.Event()
        self._http = _Http((LOOPBACK, port), _Handler)
        self._http.studio = self.studio
        self._http.stopped = self._stopped
        self.port: int = self._http.server_address[1]
        self._threads = [
            threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True),
            threading.Thread(target=self._keep_up, daemon=True),
        ]

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{LOOPBACK}:{self.port}/"

    def __enter__(self) -> Server:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._http.shutdown()
        self._http.server_close()
        self._threads[1].join(timeout=30)

    def _keep_up(self) -> None:
        with Cache.open(self._cache_folder) as cache:
            self.studio.cache = cache
            while not self._stopped.is_set():
                if not self.studio.changed():
                    self._stopped.wait(POLL_SECONDS)
                    continue
                try:
                    self.studio.refresh(self._stopped.is_set)
                except Exception as error:  # the page says so, and the next save is another try
                    self.studio.fail(error)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    studio: Studio
    stopped: threading.Event

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that was closed or loaded anew takes no answer any more; that is nobody's fault."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Http
    protocol_version = "HTTP/1.1"
    server_version = "levelgen"
    sys_version = ""
    timeout = 60

    def do_GET(self) -> None:
        """The page, or news of it; nothing else is here."""
        port = self.server.server_address[1]
        if self.headers.get("Host", "") not in (f"{LOOPBACK}:{port}", f"localhost:{port}"):
            self._answer(403, "text/plain", b"this server answers to its own name only\n")
            return
        if self.server.stopped.is_set():
            self.close_connection = True
            self._answer(503, "text/plain", b"the watch has ended\n")
            return
        parts = urlsplit(self.path)
        if parts.path == "/":
            self._answer(200, "text/html; charset=utf-8", self.server.studio.news.html)
        elif parts.path == "/news":
            self._answer(200, "application/json", json.dumps(self._news(parse_qs(parts.query))).encode())
        else:
            self._answer(404, "text/plain", b"there is nothing here but the gallery: /\n")

    def _news(self, query: Mapping[str, list[str]]) -> dict[str, object]:
        """The news once they are later than what the page knows, or what they are after a while."""
        after = (query.get("after") or ["-1"])[0]
        known = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else -1
        end = time.monotonic() + PATIENCE_SECONDS
        news = self.server.studio.news
        while news.serial <= known and time.monotonic() < end and not self.server.stopped.is_set():
            news = self.server.studio.wait_for_news(known, 1.0)
        return news.to_json()

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not worth a line."""
