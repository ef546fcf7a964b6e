"""Hands on other machines: the workers of a Dask cluster finish levels, by the same function and with the same bytes.

    levelgen build RECIPE --cluster tcp://scheduler:8786

Scheduler and workers run where levelgen is installed, of one and the same version: that is asked before anything is
made, and of every worker that joins later. The project (templates, recipes, faces) is carried to each worker once; no
file system is shared. Dask sends pickled Python between its processes: a cluster belongs in a network one trusts, or
behind TLS.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import shutil
import sys
import tempfile
import threading
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelgen import GENERATOR, __version__
from levelgen.errors import Finding, LevelgenError, Malformed, SystemFailed
from levelgen.inputs import code_digest
from levelgen.workbench import Outcome, Setup, Workbench
from levelgen.workers import Asked, Died, Levels

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECTING = 20
"""Seconds that the scheduler may take to answer, and the first worker to be there."""
LOOK = 5
"""Seconds after which somebody who waits for levels looks whether there are workers still."""
LONELY = 24
"""So many such looks without any worker end the build."""
COUNT_EVERY = 16
"""Workers are counted anew after so many batches: some may have joined."""
MAX_PROJECT = 256 << 20
MAX_FILES = 50_000

Project = dict[str, bytes]
"""The files of a project by their path below its root."""


class Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, setup: Setup, root: Path, address: str) -> None:
        """Connect, compare versions, carry the project there.

        Raises:
            Malformed: this is no address.
            SystemFailed: nobody answers, there are no workers, Dask is not installed, or the scheduler or a worker has
                another version of levelgen.
        """
        try:
            from distributed import Client
        except ImportError:
            raise SystemFailed.of("cluster/missing", "Dask is not installed here",
                                  "--cluster", "pip install 'levelgen[cluster]'") from None  # fmt: skip
        project = carried(root)
        logging.disable(logging.CRITICAL)  # we say what happened, once
        self._address = address
        self._site: _Site | None = None
        try:
            asyncio.run(_look_up(address))
            self._client: Client = Client(address, timeout=CONNECTING, set_as_default=False, name="levelgen")
        except (TimeoutError, OSError):
            raise SystemFailed.of("cluster/unreachable", "no scheduler answers", address, _START) from None
        except LevelgenError:
            logging.disable(logging.NOTSET)
            raise
        try:
            self._wait_for_workers()
            self._compare_versions()
            self._site = _Site(self._client.id, setup, root, project)
            self._client.register_plugin(self._site)
            self._width = self._count()
        except (TimeoutError, OSError):
            self.close(at_once=True)
            raise self._lost() from None
        except LevelgenError:
            self.close(at_once=True)
            raise
        self._asked = 0
        self._open: set[Future] = set()

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=CONNECTING)
        except TimeoutError:
            raise SystemFailed.of("cluster/no-workers", "the cluster has no workers", self._address, _WORK) from None

    def _compare_versions(self) -> None:
        here = installed()
        try:
            there = {"scheduler": self._client.run_on_scheduler(installed)}  # it takes levels apart and sends them on
            there |= self._client.run(installed, on_error="return")
        except (ImportError, AttributeError) as error:
            raise SystemFailed([_other_version(self._address, str(error))]) from None
        findings = [
            _other_version(worker, answer if isinstance(answer, str) else f"{type(answer).__name__}: {answer}")
            for worker, answer in sorted(there.items())
            if answer != here
        ]
        if findings:
            raise SystemFailed(findings)

    @property
    def width(self) -> int:
        """How many batches are worked on at once: one for each thread of a worker when they were last counted."""
        return self._width

    def _count(self) -> int:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except (TimeoutError, OSError):
            raise self._lost() from None
        return max(1, sum(threads.values()))

    def ask(self, levels: Levels) -> Asked:
        """As `Hands.ask`."""
        assert self._site is not None, "it was carried there at once"
        self._asked += 1
        if self._asked % COUNT_EVERY == 0:
            self._width = self._count()
        try:
            future = self._client.submit(_make, self._site.name, levels, pure=False)
        except Exception as error:  # whatever a client without a scheduler says
            raise self._lost(error) from None
        self._open.add(future)
        return lambda: self._result(future, levels)

    def _result(self, future: Future, levels: Levels) -> list[Outcome]:
        """What came of a batch. Who died over it, or beside it, is told when nothing else is being worked on.

        Dask suspects all that a dead worker held. So whoever asks for these levels again, one by one, is the only one
        who asks, and a worker that dies then did so over that level.
        """
        from distributed import KilledWorker, wait

        looks = 0
        died = False
        while True:
            try:
                if died and self._open:
                    with self._client.as_current():
                        wait(self._open, timeout=LOOK)
                if died:
                    raise Died
                outcomes: list[Outcome] = pickle.loads(future.result(timeout=LOOK))  # noqa: S301 - as Dask does
                self._open.discard(future)
                return outcomes
            except KilledWorker:
                self._open.discard(future)
                died = True
            except TimeoutError:
                looks = 0 if self._has_workers() else looks + 1
                if looks >= LONELY:
                    message = f"the cluster has no workers any more; the last was given {_named(levels)}"
                    raise SystemFailed.of("cluster/no-workers", message, self._address, f"{_WORK}; {_AGAIN}") from None
            except (Died, LevelgenError):
                raise
            except (ImportError, AttributeError) as error:  # it joined later, and has other code or none
                raise SystemFailed([_other_version(self._address, str(error))]) from None
            except (Exception, asyncio.CancelledError) as error:
                raise self._lost(error) from None

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except Exception as error:
            raise self._lost(error) from None

    def _lost(self, error: BaseException | None = None) -> SystemFailed:
        why = f": {type(error).__name__}" if error is not None else ""
        finding = Finding("cluster/lost", f"the scheduler was lost{why}", self._address, f"{_START}; {_AGAIN}")
        return SystemFailed((finding,))

    def close(self, *, at_once: bool) -> None:
        """As `Hands.close`."""
        patience = 2 if at_once else CONNECTING
        with contextlib.suppress(Exception):  # whatever a client without a scheduler says
            if self._site is not None:
                remove = self._client.scheduler.unregister_worker_plugin
                self._client.sync(remove, name=self._site.name, callback_timeout=patience)
        with contextlib.suppress(Exception):
            self._client.close(timeout=patience)
        logging.disable(logging.NOTSET)


_START = "start one with `dask scheduler`"
_WORK = "start some with `dask worker ADDRESS --nworkers auto --nthreads 1`"
_AGAIN = "then run the same command again: what is finished is kept"


async def _look_up(address: str) -> None:
    """Ask who is there before Dask's client does, which on its way out waits long for what is no scheduler.

    Raises:
        Malformed: this is no address, or nobody's who hands out work.
        OSError: nobody answers in time.
    """
    from distributed import rpc
    from distributed.security import Security

    why = "is no scheduler's address"
    try:
        async with rpc(address, timeout=CONNECTING, connection_args=Security().get_connection_args("client")) as there:
            known = await asyncio.wait_for(there.identity(), CONNECTING)
            if known["type"] == "Scheduler":
                return
            why += f" but a {known['type'].lower()}'s"
    except OSError:  # nor a TimeoutError, which is one
        raise
    except Exception as error:  # no such form, TLS that is not configured, or a server of another kind answers
        why = f"is no address of a scheduler: {error}"
    raise Malformed.of("cluster/address", why, address, "write tcp://host:8786, where `dask scheduler` runs")


def _named(levels: Levels) -> str:
    first, last = levels[0].level, levels[-1].level
    return f"level {first}" if first == last else f"levels {first} to {last}"


def _other_version(where: str, answer: str, wanted: str = "") -> Finding:
    message = f"has another levelgen than this one: {answer}, not {wanted or installed()}"
    return Finding("cluster/other-version", message, where, "install the same version on every machine of the cluster")


def installed() -> str:
    """Which levelgen is installed here, down to its code and what its kernel was compiled from."""
    from levelgen.solve.kernel.binding import made_from

    code = code_digest(compiled=False)
    return f"levelgen {__version__}, generator {GENERATOR}, code {code[:16]}, kernel {made_from()[:16]}"


def carried(root: Path) -> Project:
    """What a worker needs of a project: its templates, recipes and faces.

    Raises:
        Malformed: it is too large to be carried about.
        SystemFailed: a file of it cannot be read.
    """
    project: Project = {}
    size = 0
    found = sorted(
        islice(
            (
                Path(folder, name)
                for part in ("templates", "faces")
                for folder, _, names in os.walk(root / part, followlinks=True)
                for name in names
            ),
            MAX_FILES + 1,
        )
    )
    for count, path in enumerate(found):
        data = b""
        if path.is_file():  # nor a pipe, nor the link to nowhere by which an editor locks a file
            try:
                data = project[path.relative_to(root).as_posix()] = path.read_bytes()
            except OSError as error:
                message = f"cannot be read: {error.strerror}"
                raise SystemFailed.of(
                    "cluster/project", message, str(path), "make it readable, or move it away"
                ) from None
        size += len(data)
        if size > MAX_PROJECT or count >= MAX_FILES:
            message = f"has more than {MAX_FILES} files or {MAX_PROJECT} bytes"
            raise Malformed.of("cluster/project", message, str(root), "move elsewhere what is no template and no face")
    return project


def _plugin() -> Any:
    """Dask's class of what is set up on every worker; a plain one where Dask is not installed."""
    try:
        from distributed import WorkerPlugin
    except ImportError:
        return object
    return WorkerPlugin


class _Site(_plugin()):  # type: ignore[misc]
    """A project carried to a worker and the workbench there; set up on those that join later, too."""

    benches: dict[str, Workbench] = {}  # noqa: RUF012 - those of this process
    refused: dict[str, Finding] = {}  # noqa: RUF012 - why there is none
    working = threading.Lock()

    def __init__(self, name: str, setup: Setup, root: Path, project: Project) -> None:
        self.name = name
        """A build's own, so that one that ends takes nothing from another on the same cluster."""
        self._recipe = setup.recipe.resolve().relative_to(root.resolve()).as_posix()
        self._setup = setup
        self._project = project
        self._sender = installed()
        self._folder: Path | None = None

    def setup(self, worker: Any) -> None:
        """Lay the project down and set the workbench up.

        Raises:
            SystemFailed: levelgen is of another version here, or there is no room for the project.
        """
        address = str(worker.address)
        if installed() != self._sender:
            raise self._refused(_other_version(address, installed(), self._sender))
        try:
            folder = self._folder = Path(tempfile.mkdtemp(prefix="levelgen-", dir=worker.local_directory))
            for name, data in self._project.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        except OSError as error:
            message = f"cannot take the project in: {error.strerror}"
            fix = f"give it room where it can write (`dask worker --local-directory`); {_AGAIN}"
            raise self._refused(Finding("cluster/worker-disk", message, address, fix)) from None
        _Site.benches[self.name] = Workbench(replace(self._setup, recipe=folder / self._recipe))

    def _refused(self, finding: Finding) -> SystemFailed:
        _Site.refused[self.name] = finding
        return SystemFailed([finding])

    def teardown(self, worker: Any) -> None:
        """Forget the build and its project."""
        _Site.benches.pop(self.name, None)
        _Site.refused.pop(self.name, None)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _make(site: str, levels: Levels) -> bytes:
    """The outcomes of these levels, made on a worker, pickled as one: Dask wraps every byte string of a list by itself.

    Raises:
        SystemFailed: the worker joined later and could not be set up.
    """
    bench = _Site.benches.get(site)
    if bench is None:
        missing = Finding("cluster/not-set-up", "a worker was given no project", sys.platform, _AGAIN)
        raise SystemFailed([_Site.refused.get(site, missing)])
    with _Site.working:
        return pickle.dumps(bench.make(levels), pickle.HIGHEST_PROTOCOL)
