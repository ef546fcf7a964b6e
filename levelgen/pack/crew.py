"""Processes that check chunks of one pack, each with a reader of its own, and hand back what they found in order."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from levelgen.errors import SystemFailed
from levelgen.pack.archive import DirectoryReader, PackReader, open_reader

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

AHEAD = 3
"""Chunks a worker may have waiting for it; bounds memory."""
WORTH_A_WORKER = 2048
"""Levels or pictures below which another process costs more than it saves."""

Answer_co = TypeVar("Answer_co", covariant=True)


class Chunk(Protocol[Answer_co]):
    """A piece of work on a pack that can be sent to another process."""

    def check(self, reader: PackReader) -> Answer_co:
        """Do it in the pack that `reader` reads."""


class Crew:
    """Whoever checks chunks of a pack: this process alone, or several where there is enough to do."""

    def __init__(self, reader: PackReader, source: Path | str | bytes, jobs: int) -> None:
        self._reader = reader
        self._source = source
        self._jobs = 1 if isinstance(source, bytes) else jobs
        self._pool: ProcessPoolExecutor | None = None

    def map(self, chunks: Iterable[Chunk[Answer_co]], size: int) -> Iterator[Answer_co]:
        """What each chunk's check answers, in order; `size` is how many levels or pictures there are in all.

        Raises:
            SystemFailed: a worker died, or found another pack in the place of this one.
        """
        if self._jobs == 1 or size < WORTH_A_WORKER:
            yield from (chunk.check(self._reader) for chunk in chunks)
            return
        from concurrent.futures.process import BrokenProcessPool

        pool = self._pool or self._start()
        waiting: deque[Future[Answer_co]] = deque()
        try:
            for chunk in chunks:
                if len(waiting) == AHEAD * self._jobs:
                    yield waiting.popleft().result()
                with deaf_to_interrupts():
                    waiting.append(pool.submit(_check, chunk))
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise SystemFailed.of(
                "system/worker-died",
                "a process that was checking levels was killed, or the pack was replaced meanwhile",
                self._reader.label,
                "run the same command again, with fewer --jobs",
            ) from None

    def _start(self) -> ProcessPoolExecutor:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        directory = self._reader.identity if isinstance(self._reader, DirectoryReader) else None
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(self._jobs, context, _open, (str(self._source), directory))
        return self._pool

    def close(self) -> None:
        """Let the processes go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


_KILLS = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Processes started in the block never hear Ctrl-C: the parent alone answers it, after the block if it came within.

    A polite kill waits until then too: whoever is being started must not be left half told what to do. Blocked, not
    ignored: an ignored signal would be lost, and the build would go on as if nobody had asked it to stop.
    """
    from multiprocessing import resource_tracker

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # it would unblock the signal on its own start
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_KILLS})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """Have this process end when the one that started it does, however that ended, or when it is killed politely."""
    import multiprocessing

    signal.pthread_sigmask(signal.SIG_UNBLOCK, _KILLS)  # it was started by somebody who was deaf to them

    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=watch, daemon=True).start()


class _Here:
    """The reader of this process, when it is one of a crew."""

    reader: PackReader | None = None


def _open(source: str, directory: tuple[int, int] | None) -> None:
    """Open the pack in a process of a crew; it must be the one the first process opened."""
    end_with_parent()
    reader = open_reader(source)
    if directory is not None and (not isinstance(reader, DirectoryReader) or reader.identity != directory):
        os._exit(1)  # quietly; the first process says what may have happened
    _Here.reader = reader


def _check(chunk: Chunk[Answer_co]) -> Answer_co:
    assert _Here.reader is not None, "every process of a crew is started with _open"
    return chunk.check(_Here.reader)
