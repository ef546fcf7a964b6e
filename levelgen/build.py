"""The conductor: from a recipe to a signed pack, level by level, on as many workers as there are cores.

A level is a pure function of (recipe, templates, face set, number): workers share nothing, results are taken in order,
and so the same bytes come out with one worker and with many. Nothing is written before the last level is certified; the
pack then takes its place whole.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from levelgen.certificate import Certificate
from levelgen.errors import AnswerIsNo, Finding, LevelgenError, SystemFailed, raise_for
from levelgen.faces import image
from levelgen.level import Made, Workshop, make_level
from levelgen.pack.claims import evidence_bytes, evidence_name
from levelgen.pack.manifest import Heading, Manifest, Preview
from levelgen.pack.records import Record
from levelgen.pack.signing import Signer, is_demo_key
from levelgen.pack.write import check_replaceable, write_pack
from levelgen.recipe import LevelPlan, plan
from levelgen.template import Library

AHEAD = 4
"""How many levels a worker may be ahead of the one being written; bounds memory."""


@dataclass
class Summary:
    """What a build did, for whoever asked for it."""

    manifest: Manifest | None = None
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    """Per prover, how often it gave which verdict."""
    attempts: int = 0
    """Deals that were thrown away before the ones that are shipped."""


@dataclass(frozen=True)
class Order:
    """What to build: the plans of a recipe, or some of them, under a pack's name."""

    recipe: Path
    heading: Heading
    plans: tuple[LevelPlan, ...]
    provers: tuple[str, ...] = ()
    unlicensed: tuple[Finding, ...] = ()
    """Imported templates the recipe uses whose licence nobody wrote down; a release is refused over them."""

    @classmethod
    def of(cls, recipe: Path, provers: Sequence[str] = ()) -> Order:
        """The whole pack of a recipe.

        Raises:
            Malformed: with every defect of the recipe and what it names.
        """
        workshop = Workshop.open(recipe)
        plans = plan(workshop.recipe, workshop.project.library)
        unlicensed = tuple(_unlicensed(workshop.project.library, plans))
        return cls(recipe, workshop.heading(), plans, tuple(provers), unlicensed)


def _unlicensed(library: Library, plans: Sequence[LevelPlan]) -> Iterator[Finding]:
    for name in library.closure(part.template for level in plans for part in level.parts):
        template = library[name]
        if template.provenance and not template.licence:
            yield template.document.finding(
                "licence", f"`{name}` comes from elsewhere and names no licence", "provenance",
                fix="write what allows its use: `licence: CC-BY-4.0`")  # fmt: skip


class _Worker:
    """What a process keeps between levels: the workshop and a painter with its prepared tiles."""

    current: _Worker | None = None

    def __init__(self, order: Order) -> None:
        from levelgen.render.preview import Painter
        from levelgen.render.theme import DEFAULT_THEMES

        self.order = order
        self.workshop = Workshop.open(order.recipe)
        faces = self.workshop.face_set
        pictures = {face: image(faces, face) for face in faces.dealable}
        self.painter = Painter(pictures, DEFAULT_THEMES[order.heading.ruleset.id])

    def make(self, level: LevelPlan) -> Made:
        return make_level(self.workshop, level, self.order.heading.pack, self.order.provers, self.painter)


def _start_worker(order: Order) -> None:
    """Set a worker process up; it ends when the process that started it does, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _Worker.current = _Worker(order)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started in the block ignore Ctrl-C from their first instruction on: the parent alone answers it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(level: LevelPlan) -> Made:
    assert _Worker.current is not None, "the pool starts every worker with _start_worker"
    return _Worker.current.make(level)


def made_levels(order: Order, jobs: int) -> Iterator[Made]:
    """Every level of the order, in order, made by `jobs` processes.

    Raises:
        LevelgenError: the defects of all levels that failed, the rest having been tried.
    """
    if jobs == 1:
        worker = _Worker(order)
        yield from _collect(lambda level: lambda: worker.make(level), order.plans, 1)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _start_worker, (order,))
    try:

        def submit(level: LevelPlan) -> Callable[[], Made]:
            with _deaf_to_interrupts():
                future: Future[Made] = pool.submit(_work, level)
            return future.result

        yield from _collect(submit, order.plans, AHEAD * jobs)
    except BrokenProcessPool:
        raise SystemFailed.of(
            "system/worker-died",
            "a worker process was killed, most likely for lack of memory",
            fix="run the same command again, with fewer --jobs",
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _collect(
    submit: Callable[[LevelPlan], Callable[[], Made]], plans: Sequence[LevelPlan], ahead: int
) -> Iterator[Made]:
    """Results in the order of `plans`, at most `ahead` in the making; failures are raised together at the end."""
    waiting: list[Callable[[], Made]] = []
    failed: list[Finding] = []
    kind: type[LevelgenError] | None = None
    for index in range(len(plans) + ahead):
        if index < len(plans):
            waiting.append(submit(plans[index]))
        if index >= ahead - 1 and waiting:
            try:
                made = waiting.pop(0)()
            except LevelgenError as error:
                failed += error.findings
                kind = type(error)
                continue
            if not failed:
                yield made
    if kind is not None:
        raise kind(failed)


def build(
    order: Order,
    out: Path,
    signer: Signer,
    *,
    jobs: int = 1,
    release: bool = False,
    step: Callable[[], None] = lambda: None,
    cosigners: Sequence[Signer] = (),
) -> Summary:
    """Make every level of `order` and write the signed pack to `out`, whole or not at all.

    `step` is called after each level; `cosigners` sign besides `signer`. `release` refuses the demonstration key,
    provisional artwork and imported templates without a licence.

    Raises:
        LevelgenError: with the findings of every level that failed; `out` is then as it was.
    """
    check_replaceable(out, order.heading.pack)
    if release:
        raise_for(_release_findings(order, (signer, *cosigners)), AnswerIsNo)
    summary = Summary()
    first = order.plans[0].level
    evidence: dict[str, bytes] = {}
    with _spooled(made_levels(order, jobs)) as (levels, pictures):
        summary.manifest = write_pack(
            out,
            order.heading,
            _noted(levels, summary, evidence, step),
            (signer, *cosigners),
            first=first,
            previews=pictures,
            evidence=evidence,
            release=release,
        )
    return summary


def _release_findings(order: Order, signers: Sequence[Signer]) -> Iterator[Finding]:
    """Everything that keeps the order from being a release."""
    if any(is_demo_key(signer.public) for signer in signers):
        yield Finding(
            "build/demonstration",
            "a release is not signed with the DEMONSTRATION key",
            fix="give --key; make one: levelgen keys new",
        )
    if order.heading.face_set.provisional:
        yield Finding(
            "build/provisional",
            f"the artwork of {order.heading.face_set.id} is provisional",
            fix="finish it and say so in faceset.yaml",
        )
    yield from order.unlicensed


def _noted(
    levels: Iterator[Made], summary: Summary, evidence: dict[str, bytes], step: Callable[[], None]
) -> Iterator[tuple[Record, Certificate]]:
    """The levels passing by, what they add to the summary and to the pack's evidence noted."""
    for made in levels:
        for name, verdict in made.answers:
            counts = summary.answers.setdefault(name, {})
            counts[verdict] = counts.get(verdict, 0) + 1
        summary.attempts += made.record.attempt
        for shown in made.evidence:
            member = evidence_name(made.record.level, shown.claim)
            evidence[member.removeprefix("evidence/")] = evidence_bytes(shown)
        step()
        yield made.record, made.certificate


@contextmanager
def _spooled(levels: Iterator[Made]) -> Iterator[tuple[Iterator[Made], Iterator[tuple[Preview, bytes]]]]:
    """The levels, and after them their pictures, which wait in a temporary file meanwhile."""
    import tempfile

    with tempfile.TemporaryFile() as spool:
        marks: list[tuple[Preview, int]] = []

        def passing() -> Iterator[Made]:
            for made in levels:
                spool.write(made.png)
                marks.append((made.preview, len(made.png)))
                yield made

        def pictures() -> Iterator[tuple[Preview, bytes]]:
            spool.seek(0)
            for preview, size in marks:
                yield preview, spool.read(size)

        yield passing(), pictures()
