"""Finished levels kept between builds, by the digest of everything they were made from.

    with Cache.open(cache_folder()) as cache:
        known = cache.get(key)                   the bytes put there, or None
        cache.put([(key, data)])                 on the disk when this returns, whole or not at all

One SQLite file, written in small transactions, so that a kill at any moment costs at most the last one. Each entry
carries the digest of its key and its bytes: what does not match is dropped and made anew. Several builds may share a
cache. It is bounded: the entries that the longest row of builds had no use for go first, by a count of builds and not
by a clock. A cache is a convenience: where it cannot be read or written, building goes on without it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from types import TracebackType

LIMIT = 4 << 30
"""Bytes that a cache keeps when no build uses it."""
BATCH = 512
_PATIENCE = 30.0
"""Seconds to wait for another build's transaction; those take milliseconds."""
_FORM = 1
_FILE = "levels.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS place (key BLOB PRIMARY KEY, id INTEGER NOT NULL, size INTEGER NOT NULL,
                                  used INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS build (number INTEGER NOT NULL);
"""
_LOOK_UP = "SELECT data, used FROM place JOIN entry USING (id) WHERE key = ?"


def cache_folder() -> Path | None:
    """Where the cache lies: `$LEVELGEN_CACHE` (None when that is `off`), else `levelgen` in the user's cache folder."""
    named = os.environ.get("LEVELGEN_CACHE")
    if named:
        return None if named == "off" else Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "levelgen"


class Cache:
    """An open cache, for one process and one thread of it."""

    def __init__(self, folder: Path | None, limit: int = LIMIT) -> None:
        """A cache in `folder`; None for one that keeps nothing. Use `open`."""
        self.folder = folder
        self.limit = limit
        self.damaged = 0
        """Entries found damaged and dropped."""
        self.trouble = ""
        """Why nothing is kept any more; empty as long as things are."""
        self._base: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._number = 0
        self._touched: list[tuple[int, bytes]] = []

    @classmethod
    def open(cls, folder: Path | None, limit: int = LIMIT) -> Cache:
        """The cache in `folder`, made when it is not there; one that keeps nothing where that cannot be done."""
        cache = cls(folder, limit)
        if folder is None:
            return cache
        try:
            folder.mkdir(parents=True, exist_ok=True)
            cache._lock = os.open(folder / "in-use", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(cache._lock, fcntl.LOCK_SH)
            cache._connect()
        except (OSError, sqlite3.Error) as error:
            cache._fail(error)
        return cache

    def __enter__(self) -> Cache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connect(self, again: bool = True) -> None:
        assert self.folder is not None
        path = self.folder / _FILE
        base: sqlite3.Connection | None = None
        try:
            base = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
            base.text_factory = bytes  # damage may turn bytes into text
            base.execute("PRAGMA auto_vacuum=INCREMENTAL")
            base.execute("PRAGMA journal_mode=WAL")
            base.execute("PRAGMA synchronous=NORMAL")
            base.executescript(_TABLES)
            base.execute("BEGIN IMMEDIATE")
            form = base.execute("PRAGMA user_version").fetchone()[0]
            if form not in (0, _FORM):
                raise sqlite3.DatabaseError(f"is of form {form}")
            base.execute(f"PRAGMA user_version={_FORM}")
            row = base.execute("SELECT max(number) FROM build").fetchone()
            self._number = (row[0] or 0) + 1
            base.execute("DELETE FROM build")
            base.execute("INSERT INTO build VALUES (?)", (self._number,))
            base.execute("COMMIT")
        except sqlite3.OperationalError:
            if base is not None:
                base.close()
            raise
        except sqlite3.DatabaseError:
            if base is not None:
                base.close()
            if not again:
                raise
            self._remove_files()
            self._connect(again=False)
            return
        self._base = base

    def _remove_files(self) -> None:
        """A file that is no database is begun anew."""
        assert self.folder is not None
        self.damaged += 1
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.folder / f"{_FILE}{suffix}")

    def _fail(self, error: Exception) -> None:
        """Keep nothing from here on; building does not depend on it."""
        self.trouble = f"{type(error).__name__}: {error}"
        if self._base is not None:
            with contextlib.suppress(sqlite3.Error):
                self._base.close()
        self._base = None

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:  # locked, full, read-only: not the file's fault
            self._fail(error)
        except sqlite3.DatabaseError as error:
            self._fail(error)
            with contextlib.suppress(OSError, sqlite3.Error):
                self._remove_files()
                self._connect(again=False)
                self.trouble = ""

    def get(self, key: bytes) -> bytes | None:
        """The bytes kept under `key`, or None."""
        if self._base is None:
            return None
        row = None
        with self._guarded():
            row = self._base.execute(_LOOK_UP, (key,)).fetchone()
        if row is None:
            return None
        stored, used = row
        data = stored[32:] if isinstance(stored, bytes) else b""
        if not data or sha256(key + data).digest() != stored[:32]:
            self.damaged += 1
            with self._guarded():
                self._drop([key])
            return None
        if used != self._number:
            self._touched.append((self._number, key))
            if len(self._touched) >= BATCH:
                with self._guarded():
                    self._note_use()
        return data

    def put(self, entries: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep these entries, all of them or none."""
        if self._base is None:
            return
        with self._guarded():
            base = self._base
            base.execute("BEGIN IMMEDIATE")
            try:
                for key, data in entries:
                    found = base.execute("SELECT id FROM place WHERE key = ?", (key,)).fetchone()
                    if found is None:
                        stored = sha256(key + data).digest() + data
                        place = base.execute("INSERT INTO entry (data) VALUES (?)", (stored,)).lastrowid
                        base.execute("INSERT INTO place VALUES (?, ?, ?, ?)", (key, place, len(stored), self._number))
                base.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    base.execute("ROLLBACK")
                raise

    def _drop(self, keys: Iterable[bytes]) -> None:
        assert self._base is not None
        self._base.execute("BEGIN IMMEDIATE")
        for key in keys:
            self._base.execute("DELETE FROM entry WHERE id IN (SELECT id FROM place WHERE key = ?)", (key,))
            self._base.execute("DELETE FROM place WHERE key = ?", (key,))
        self._base.execute("COMMIT")

    def _note_use(self) -> None:
        if self._base is not None and self._touched:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.executemany("UPDATE place SET used = ? WHERE key = ?", self._touched)
            self._base.execute("COMMIT")
        self._touched.clear()

    @property
    def size(self) -> int:
        """Bytes of the entries kept."""
        size = 0
        if self._base is not None:
            with self._guarded():
                size = int(self._base.execute("SELECT total(size) FROM place").fetchone()[0])
        return size

    def clear(self) -> None:
        """Drop every entry."""
        self._trim(0)

    def _trim(self, limit: int) -> None:
        """Drop what was longest not used until no more than `limit` bytes are kept."""
        if self._base is None:
            return
        with self._guarded():
            base = self._base
            excess = self.size - limit
            while excess > 0:
                rows = base.execute("SELECT key, size FROM place ORDER BY used, id LIMIT ?", (BATCH,)).fetchall()
                if not rows:
                    break
                chosen = []
                for key, size in rows:
                    if excess > 0:
                        chosen.append(key)
                        excess -= size
                self._drop(chosen)
            base.execute("PRAGMA incremental_vacuum").fetchall()

    def close(self) -> None:
        """Let go of the cache; whoever uses it last brings it back within its bound."""
        if self._base is not None:
            with self._guarded():
                self._note_use()
        if self._base is not None and self._lock is not None and self._is_alone(self._lock):
            self._trim(self.limit)
        if self._base is not None:
            with contextlib.suppress(sqlite3.Error):
                self._base.close()
            self._base = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @staticmethod
    def _is_alone(lock: int) -> bool:
        """Whether no other build uses the cache; none begins to before this one lets go."""
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
