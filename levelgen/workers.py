"""Hands that finish levels: this process alone, or worker processes on this machine.

A worker that dies takes no level with it but the one that killed it: whoever conducts asks for the levels it held
again, one by one. `levelgen.cluster` has the hands on other machines.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from levelgen.pack.crew import deaf_to_interrupts, end_with_parent
from levelgen.recipe import LevelPlan
from levelgen.workbench import Outcome, Setup, Workbench

Levels = tuple[LevelPlan, ...]
Asked = Callable[[], list[Outcome]]
"""Waits for what was asked for: an outcome for each level, in order. Raises `Died`, or `SystemFailed` when a worker
cannot be set up."""


class Died(Exception):
    """Whoever was finishing these levels died over it."""


class Hands(Protocol):
    """Whoever finishes levels."""

    @property
    def width(self) -> int:
        """How many batches of levels are worked on at once."""

    def ask(self, levels: Levels) -> Asked:
        """Ask for these levels; what is returned waits for them."""

    def close(self, *, at_once: bool) -> None:
        """Let everybody go, `at_once` without waiting for what they are at."""


class Alone:
    """The process that asks, which works when it is waited for."""

    width = 1

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    def ask(self, levels: Levels) -> Asked:
        """As `Hands.ask`."""
        return lambda: self._bench.make(levels)

    def close(self, *, at_once: bool) -> None:
        """As `Hands.close`."""


class Local:
    """Worker processes on this machine."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self.width = jobs
        self._setup = setup
        self._pool: ProcessPoolExecutor | None = None
        self._others = {child.pid for child in multiprocessing.active_children()}

    def ask(self, levels: Levels) -> Asked:
        """As `Hands.ask`."""
        try:
            pool, future = self._submit(levels)
        except BrokenProcessPool:  # it broke since it was last looked at
            self._forget(self._pool)
            pool, future = self._submit(levels)

        def wait() -> list[Outcome]:
            try:
                return future.result()
            except BrokenProcessPool:
                self._forget(pool)
                raise Died from None

        return wait

    def _submit(self, levels: Levels) -> tuple[ProcessPoolExecutor, Future[list[Outcome]]]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.width, context, _start, (self._setup,))
        with deaf_to_interrupts():
            return self._pool, self._pool.submit(_make, levels)

    def _forget(self, pool: ProcessPoolExecutor | None) -> None:
        if pool is not None and pool is self._pool:
            pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def close(self, *, at_once: bool) -> None:
        """As `Hands.close`."""
        if self._pool is None:
            return
        if at_once:
            for child in multiprocessing.active_children():
                if child.pid not in self._others:
                    child.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None


class _Here:
    """What a worker process keeps between batches."""

    setup: Setup | None = None
    bench: Workbench | None = None


def _start(setup: Setup) -> None:
    """Set a worker process up."""
    end_with_parent()
    _Here.setup = setup


def _make(levels: Levels) -> list[Outcome]:
    assert _Here.setup is not None, "every worker is started with _start"
    if _Here.bench is None:
        _Here.bench = Workbench(_Here.setup)
    return _Here.bench.make(levels)
