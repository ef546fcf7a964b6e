"""A Dask cluster on this machine: a scheduler and its workers, each a process of its own, started as the pages say."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.patience import PATIENCE, happens
from tests.project import ROOT

NOTHING: Mapping[str, str] = MappingProxyType({})


class Counting:
    """A build's step: counts the levels, and does something when so many are there."""

    def __init__(self, happening: Mapping[int, Callable[[], object]]) -> None:
        self.happening = happening
        self.levels = 0

    def __call__(self) -> None:
        self.levels += 1
        self.happening.get(self.levels, lambda: None)()


class Machines:
    """A scheduler and its workers."""

    def __init__(self, folder: Path, environment: Mapping[str, str] = NOTHING) -> None:
        """What they write goes into `folder`; `environment` is the scheduler's."""
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.nannies: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", environment, "--host", "127.0.0.1", "--port", "0")
        assert happens(self._answers)

    def _answers(self) -> bool:
        """Whether the scheduler has written, to the end, where it is."""
        try:
            self.address = str(json.loads(self.file.read_text())["address"])
        except (FileNotFoundError, ValueError):
            return False
        return True

    def _start(self, role: str, environment: Mapping[str, str], *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--scheduler-file", str(self.file)]
        log = (self.folder / f"{role}-{len(self.processes)}.log").open("wb")
        given = os.environ | {"PYTHONPATH": str(ROOT)} | dict(environment)
        process = subprocess.Popen(
            [*command, "--no-dashboard", *options], cwd=self.folder, env=given, stdout=log, stderr=log
        )
        log.close()
        self.processes.append(process)
        return process

    def worker(
        self, *, nanny: bool = False, late: bool = False, environment: Mapping[str, str] = NOTHING
    ) -> subprocess.Popen[bytes]:
        """One more worker, of one thread; with a nanny it is started again whenever it dies.

        It is waited for until the scheduler knows it, unless it is to come `late`.
        """
        options = ["--host", "127.0.0.1", "--nworkers", "1", "--nthreads", "1", "--nanny" if nanny else "--no-nanny"]
        known = self._known()
        process = self._start("worker", environment, *options)
        if nanny:
            self.nannies.append(process)
        assert late or happens(lambda: self._known() > known)
        return process

    def _known(self) -> int:
        return (self.folder / "scheduler-0.log").read_bytes().count(b"Register worker addr")

    def __enter__(self) -> Machines:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let all of them go."""
        for nanny in self.nannies:
            nanny.terminate()  # and takes its worker with it, which a kill would leave behind
            with contextlib.suppress(subprocess.TimeoutExpired):
                nanny.wait(timeout=PATIENCE)
        for process in reversed(self.processes):
            process.kill()
            process.wait()
