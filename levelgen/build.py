"""The conductor: from a recipe to a signed pack, level by level, on as many workers as there are cores or machines.

A level is a pure function of (recipe, templates, face set, number): workers share nothing, results are taken in order,
and so the same bytes come out with one worker and with many. Levels stream through: plan → cache or worker → pack;
memory does not grow with their number. Each finished level goes into the cache at once, and so a build that was killed
goes on where it was. The pack takes its place whole, after the last level.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from levelgen.cache import Cache
from levelgen.errors import AnswerIsNo, Finding, LevelgenError, SystemFailed, raise_for
from levelgen.inputs import LevelKeys, lock_findings
from levelgen.level import Workshop
from levelgen.pack.disk import claimed
from levelgen.pack.manifest import Heading, Manifest
from levelgen.pack.signing import Signer, is_demo_key
from levelgen.pack.write import Ready, check_replaceable, write_pack
from levelgen.recipe import LevelPlan, Recipe, plan, planned, unfit
from levelgen.template import Library
from levelgen.workbench import Failed, Finished, Outcome, Setup, Workbench

if TYPE_CHECKING:
    from levelgen.workers import Hands

HELD = 10_000
"""Packs of so many levels are planned whole beforehand, so that a mistake is told before anything is made."""
AHEAD = 3
"""How many batches each worker may be ahead of the level being written; bounds memory."""
BATCH, DRAWN_BATCH, QUICK_BATCH = 32, 8, 256
"""Levels handed to a worker at once: without pictures, with them, and such as take milliseconds, for handing over a
batch costs a cluster as much as making several of those."""
WINDOW, QUICK_WINDOW = 4096, 16_384
"""Levels that may wait for the one before them: batches enough for many workers, and few enough megabytes."""
MAX_DEATHS = 8
"""Levels that may kill their worker before a build gives up."""
MAX_FAILURES = 1000
"""Findings of failed levels that are told."""


@dataclass
class Summary:
    """What a build did, for whoever asked for it."""

    manifest: Manifest | None = None
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    """Per prover, how often it gave which verdict."""
    attempts: int = 0
    """Deals that were thrown away before the ones that are shipped, of levels without a curve."""
    off_curve: list[Finding] = field(default_factory=list)
    """A finding for each level that is farther from its target than it may be, of the first `MAX_FAILURES`."""
    made: int = 0
    """Levels made in this build."""
    kept: int = 0
    """Levels that were there from before."""
    deaths: int = 0
    """How often a worker died."""
    damaged: int = 0
    """Entries of the cache that were found damaged and made anew."""
    trouble: str = ""
    """Why nothing was kept for the next build; empty when it was."""


@dataclass(frozen=True)
class Plans:
    """The levels to build, planned one after the other each time they are gone through."""

    recipe: Recipe
    library: Library
    numbers: range
    held: tuple[LevelPlan, ...] = ()
    """All of the recipe's, where they are few enough; else none."""

    @classmethod
    def of(cls, recipe: Recipe, library: Library) -> Plans:
        """All levels of a recipe.

        Raises:
            Malformed: with every defect, when the recipe has few enough levels to plan them all now.
        """
        last = recipe.sections[-1].last
        return cls(recipe, library, range(1, last + 1), plan(recipe, library) if last <= HELD else ())

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[LevelPlan]:
        for level in self.held or planned(self.recipe, self.library):
            if level.level >= self.numbers.stop:
                return
            if level.level >= self.numbers.start:
                yield level

    def templates(self) -> tuple[str, ...]:
        """The templates they are made of, and all that those name; of a large recipe all that it may choose."""
        if self.held:
            return self.library.closure(part.template for level in self.held for part in level.parts)
        choices = (choice for section in self.recipe.sections for choice in section.choices)
        return self.library.closure(name for choice in choices for part in choice.parts for name in part.templates)


@dataclass(frozen=True)
class Order:
    """What to build: levels under a pack's name, and how."""

    setup: Setup
    plans: Plans | tuple[LevelPlan, ...]
    workshop: Workshop
    unlicensed: tuple[Finding, ...] = ()
    """Imported templates the recipe uses whose licence nobody wrote down; a release is refused over them."""

    @classmethod
    def of(cls, recipe: Path, provers: Sequence[str] = (), *, previews: bool = True) -> Order:
        """The whole pack of a recipe.

        Raises:
            Malformed: with every defect of the recipe and what it names.
        """
        workshop = Workshop.open(recipe)
        library = workshop.project.library
        plans = Plans.of(workshop.recipe, library)
        if plans.held:
            raise_for(unfit(workshop.recipe, plans.held, library))
        unlicensed = tuple(_unlicensed(library, plans.templates()))
        setup = Setup(recipe, workshop.heading(), tuple(provers), previews)
        return cls(setup, plans, workshop, unlicensed)

    def only(self, numbers: range) -> Order:
        """The levels with these numbers, as a pack of their own."""
        assert isinstance(self.plans, Plans), "a part is taken of a recipe's levels"
        return replace(self, plans=replace(self.plans, numbers=numbers))

    @property
    def numbers(self) -> range:
        """The numbers of the levels."""
        if isinstance(self.plans, Plans):
            return self.plans.numbers
        return range(self.plans[0].level, self.plans[-1].level + 1)

    def templates(self) -> tuple[str, ...]:
        """The templates the levels are made from, and all that those name."""
        if isinstance(self.plans, Plans):
            return self.plans.templates()
        return self.workshop.project.library.closure(part.template for level in self.plans for part in level.parts)

    @property
    def heading(self) -> Heading:
        """What the manifest says of the pack as a whole."""
        return self.setup.heading


def _unlicensed(library: Library, names: Sequence[str]) -> Iterator[Finding]:
    for name in names:
        template = library[name]
        if template.provenance and not template.licence:
            yield template.document.finding(
                "licence", f"`{name}` comes from elsewhere and names no licence", "provenance",
                fix="write what allows its use: `licence: CC-BY-4.0`")  # fmt: skip


def made_here(order: Order) -> Iterator[Finished]:
    """Every level of the order, made by this process, with nothing kept."""
    bench = Workbench(order.setup, order.workshop)
    return (bench.finish(level) for level in order.plans)


def build(
    order: Order,
    out: Path,
    signer: Signer,
    *,
    jobs: int = 1,
    cluster: str = "",
    release: bool = False,
    locked: bool = False,
    strict: bool = False,
    cache: Cache | None = None,
    step: Callable[[], None] = lambda: None,
    cosigners: Sequence[Signer] = (),
) -> Summary:
    """Make every level of `order` and write the signed pack to `out`, whole or not at all.

    Levels are made by `jobs` processes here, or by the workers of the Dask `cluster` of that address; those in `cache`
    are not made again. `step` is called after each level; `cosigners` sign besides `signer`. `release` refuses the
    demonstration key, provisional artwork and imported templates without a licence; `locked` refuses other inputs than
    those of the recipe's lock; `strict` refuses levels that miss their target.

    Raises:
        LevelgenError: with the findings of every level that failed; `out` is then as it was.
    """
    if locked:
        raise_for(lock_findings(order.setup.recipe, order.workshop), AnswerIsNo)
    if release:
        raise_for(_release_findings(order, (signer, *cosigners)), AnswerIsNo)
    with claimed(out):
        check_replaceable(out, order.heading.pack)
        conductor = _Conductor(order, cache or Cache(None), jobs, cluster, step, strict)
        levels = conductor.levels()
        signers = (signer, *cosigners)
        try:
            conductor.summary.manifest = write_pack(
                out, order.heading, levels, signers, first=order.numbers.start, release=release
            )
        finally:
            levels.close()
    return conductor.summary


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


@dataclass(slots=True)
class _Waiting:
    """A level on its way: what is to be made, and what came of it as far as that is known."""

    plan: LevelPlan
    key: bytes
    outcome: Outcome | None
    batch: _Batch | None = None


@dataclass(slots=True)
class _Batch:
    """Levels handed to a worker together."""

    members: list[_Waiting]
    wait: Callable[[], list[Outcome]]


class _Conductor:
    """Sees to it that every level is found in the cache or made, and hands them on in order."""

    def __init__(
        self, order: Order, cache: Cache, jobs: int, cluster: str, step: Callable[[], None], strict: bool = False
    ) -> None:
        self.summary = Summary()
        self._order = order
        self._cache = cache
        self._jobs = jobs
        self._cluster = cluster
        self._step = step
        self._strict = strict
        self._hands: Hands | None = None
        setup, recipe = order.setup, order.workshop.recipe
        quick = recipe.par == "solved" and recipe.rating == "cheap" and not setup.provers
        self._most = DRAWN_BATCH if setup.previews else QUICK_BATCH if quick else BATCH
        self._window = QUICK_WINDOW if self._most == QUICK_BATCH else WINDOW
        self._gathered: list[_Waiting] = []
        self._asked = 0
        """Batches that were asked for and not waited for yet."""
        self._findings: list[Finding] = []
        self._kind: type[LevelgenError] | None = None
        self._deaths = 0

    def levels(self) -> Generator[Ready]:
        """Every level, in order. After the first failure nothing more is handed on; the rest is made all the same.

        Raises:
            LevelgenError: with the findings of all levels that failed.
        """
        order = self._order
        keys = LevelKeys(order.workshop, order.heading, order.setup.provers, previews=order.setup.previews)
        waiting: deque[_Waiting] = deque()
        whole = False
        try:
            for level in order.plans:
                key = keys.key(level)
                entry = _Waiting(level, key, self._cache.get(key))
                waiting.append(entry)
                if entry.outcome is None:
                    self._gather(entry)
                else:
                    self.summary.kept += 1
                while waiting and (waiting[0].outcome is not None or self._is_far_ahead(len(waiting))):
                    yield from self._hand_on(waiting.popleft())
            while waiting:
                yield from self._hand_on(waiting.popleft())
            whole = True
        finally:
            if self._hands is not None:
                self._hands.close(at_once=not whole)
            self.summary.damaged = self._cache.damaged
            self.summary.trouble = self._cache.trouble
        if self._kind is not None:
            raise self._kind(self._findings)
        if self._strict:
            raise_for(self.summary.off_curve, AnswerIsNo)

    def _is_far_ahead(self, waiting: int) -> bool:
        return waiting >= self._window or (self._hands is not None and self._asked > AHEAD * self._hands.width)

    def _gather(self, entry: _Waiting) -> None:
        self._gathered.append(entry)
        if self._hands is None:
            self._hands = self._take_on()
        if len(self._gathered) >= min(self._most, max(1, len(self._order.plans) // (8 * self._hands.width))):
            self._ask()

    def _take_on(self) -> Hands:
        """Whoever makes the levels; nobody is waited for when all of them are in the cache."""
        workshop, templates = self._order.workshop, self._order.templates()
        setup = replace(
            self._order.setup,
            templates=templates,
            sources=workshop.sources_of(templates),
            title=workshop.recipe.title,
        )
        if self._cluster:
            from levelgen.cluster import Cluster

            return Cluster(setup, workshop.project.root, self._cluster)
        from levelgen.workers import Alone, Local

        if self._jobs == 1:
            return Alone(Workbench(setup, workshop))
        return Local(setup, self._jobs)

    def _ask(self) -> None:
        if self._gathered and self._hands is not None:
            members, self._gathered = self._gathered, []
            batch = _Batch(members, self._hands.ask(tuple(entry.plan for entry in members)))
            self._asked += 1
            for entry in members:
                entry.batch = batch

    def _hand_on(self, entry: _Waiting) -> Iterator[Ready]:
        """The level, once it is there, if none has failed so far."""
        while entry.outcome is None:
            if entry.batch is None:
                self._ask()
            else:
                self._settle(entry.batch)
        outcome = entry.outcome
        if isinstance(outcome, Failed):
            self._findings += outcome.findings[: MAX_FAILURES - len(self._findings)]
            self._kind = outcome.kind
            return
        level = Finished.from_bytes(outcome)
        for name, verdict in level.answers:
            counts = self.summary.answers.setdefault(name, {})
            counts[verdict] = counts.get(verdict, 0) + 1
        self.summary.attempts += level.attempt
        if level.off_curve and len(self.summary.off_curve) < MAX_FAILURES:
            self.summary.off_curve.append(Finding("build/off-curve", level.off_curve, f"level {level.level}",
                                                  "levelgen tune says what to change"))  # fmt: skip
        self._step()
        if self._kind is None:
            yield level.ready

    def _settle(self, batch: _Batch) -> None:
        """Wait for a batch; what is finished is kept at once."""
        from levelgen.workers import Died

        try:
            outcomes = batch.wait()
        except Died:
            self.summary.deaths += 1
            outcomes = [self._alone(entry.plan) for entry in batch.members]
        self._asked -= 1
        self._cache.put(
            (entry.key, outcome)
            for entry, outcome in zip(batch.members, outcomes, strict=True)
            if isinstance(outcome, bytes)
        )
        for entry, outcome in zip(batch.members, outcomes, strict=True):
            self.summary.made += isinstance(outcome, bytes)
            entry.outcome, entry.batch = outcome, None

    def _alone(self, level: LevelPlan) -> Outcome:
        """A level asked for by itself, after somebody died over its batch.

        Raises:
            SystemFailed: too many have died already.
        """
        from levelgen.workers import Died

        assert self._hands is not None
        try:
            return self._hands.ask((level,))()[0]
        except Died:
            self._deaths += 1
            finding = Finding(
                "system/worker-died",
                "a worker process died over this level: for lack of memory, or by a bug in the kernel",
                f"level {level.level}",
                "run the same command again: what is finished is kept; with fewer --jobs if memory is short",
            )
            if self._deaths >= MAX_DEATHS:
                raise SystemFailed([*self._findings, finding]) from None
            return Failed(level.level, SystemFailed, (finding,))
