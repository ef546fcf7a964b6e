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
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelgen import GENERATOR
from levelgen.board import Board, Deal
from levelgen.certificate import Certificate, Solution, certify
from levelgen.deal import Stuck, deal_faces
from levelgen.errors import AnswerIsNo, Finding, LevelgenError, SystemFailed, Undecided, raise_for
from levelgen.evidence import Evidence
from levelgen.faces import FaceSet, check, image
from levelgen.pack.claims import evidence_bytes, evidence_name
from levelgen.pack.manifest import FaceSetMark, Heading, Manifest, Preview
from levelgen.pack.records import Record, bind
from levelgen.pack.signing import Signer, is_demo_key
from levelgen.pack.strict import encode
from levelgen.pack.write import check_replaceable, write_pack
from levelgen.rate.structure import figures
from levelgen.recipe import TOOLS, LevelPlan, Project, Recipe, layout_of, open_project, plan, read_recipe
from levelgen.solve import prove
from levelgen.template import Library

if TYPE_CHECKING:
    from levelgen.render.preview import Painter

ATTEMPTS = 400
"""Deals tried for a level before it is given up."""
CROSS_CHECK = {"kernel": 10_000_000, "dfs": 3_000, "cpsat": 10_000}
"""What a prover may spend on a level that is won already, in its own unit of work."""
PAR_BUDGET = 2_000_000
GUESS_BUDGET = 10_000
"""Nodes that the least tray of a level, and states of knowledge that its hidden faces, may cost."""
AHEAD = 4
"""How many levels a worker may be ahead of the one being written; bounds memory."""


@dataclass(frozen=True)
class Workshop:
    """A recipe and everything it needs, read and found without defects."""

    recipe: Recipe
    project: Project
    face_set: FaceSet

    @classmethod
    def open(cls, path: Path) -> Workshop:
        """Read a recipe, the templates and the face sets of its project; measure the artwork.

        Raises:
            Malformed: with every defect of any of them.
        """
        project = open_project(path)
        recipe = read_recipe(path, project)
        face_set = project.sets[recipe.face_set]
        raise_for(check(face_set))
        return cls(recipe, project, face_set)

    def heading(self, pack: str | None = None, title: str | None = None) -> Heading:
        """What the manifest says of the pack as a whole; a daily pack has a name and a title of its own."""
        recipe = self.recipe
        mark = FaceSetMark(self.face_set.id, self.face_set.sha256, self.face_set.provisional)
        return Heading(
            pack or recipe.pack, title or recipe.title, recipe.version, recipe.previous, GENERATOR, recipe.ruleset, mark
        )

    def daily_pin(self) -> str:
        """The digest of what the deals of the day are made with: generator, face set, the templates of their tiers."""
        tiers = self.recipe.daily.tiers if self.recipe.daily else ()
        sections = [section for section in self.recipe.sections if section.tier in tiers]
        names = {
            name
            for section in sections
            for choice in section.choices
            for asked in choice.parts
            for name in asked.templates
        }
        return sha256(encode({"generator": GENERATOR, **self._made_from(names)})).hexdigest()

    def _made_from(self, templates: Iterable[str]) -> dict[str, Any]:
        """The digests of the face set and of these templates and all that they name."""
        library = self.project.library
        texts = {name: library[name].sha256 for name in library.closure(templates)}
        return {"face_set": self.face_set.sha256, "templates": texts}

    def sources(self, level: LevelPlan) -> str:
        """The digest of the sources a level is made from: its templates or its pinned board, and the face set."""
        data = self._made_from(part.template for part in level.parts)
        if level.board is not None:
            data["board"] = level.board.digest()
        return sha256(encode(data)).hexdigest()


@dataclass(frozen=True)
class Made:
    """A finished level."""

    record: Record
    certificate: Certificate
    preview: Preview
    png: bytes
    evidence: tuple[Evidence, ...]
    answers: tuple[tuple[str, str], ...]
    """What each prover that was asked answered, by its name."""


def deal_level(level: LevelPlan, board: Board) -> tuple[int, Deal, Solution]:
    """The first attempt at dealing `board` that the plan accepts: its number, the deal, the way out.

    Raises:
        AnswerIsNo: no attempt was accepted.
    """
    hidable = level.hide.tiles(board.layout)
    for attempt in range(ATTEMPTS):
        if attempt in level.rejected:
            continue
        try:
            dealt = deal_faces(
                board, level.faces, level.seed, attempt=attempt, face_down=level.face_down, hidable=hidable
            )
        except Stuck:
            continue
        if not level.guess_free or _no_guess_loses(dealt.deal):
            return attempt, dealt.deal, dealt.solution
    raise AnswerIsNo.of(
        "build/no-deal",
        f"none of {ATTEMPTS} deals was accepted",
        fix="give the templates more open tiles, hide fewer, or do not ask for guess_free",
    )


def pinned_level(level: LevelPlan, deal: Deal) -> tuple[int, Deal, Solution]:
    """A pinned level, proved by the kernel, whose line is the same on every machine: attempt 0, the deal, a way out.

    Raises:
        AnswerIsNo: it cannot be won, or not in a way that holds under every reading of the rules.
        Undecided: nobody knows.
    """
    proof = prove(deal)
    solution = proof.pairs if deal.board.ruleset.id == "pairs" else tuple(move.tiles for move in proof.moves)
    if proof.verdict == "unsolvable":
        raise AnswerIsNo.of("build/unsolvable", "the pinned board cannot be won", fix="change the board")
    if proof.verdict != "solved":
        raise Undecided.of("build/undecided", f"whether the pinned board can be won is open after {proof.work} of work")
    if not solution:
        raise AnswerIsNo.of("build/not-robust", "the pinned board can be won, but not under every reading of the rules",
                            fix="change the board so that pairs of open tiles clear it")  # fmt: skip
    if level.guess_free and not _no_guess_loses(deal):
        raise AnswerIsNo.of("build/guess", "guessing can lose the pinned board",
                            fix="show more of its tiles, or do not ask for guess_free")  # fmt: skip
    return 0, deal, solution


def _no_guess_loses(deal: Deal) -> bool:
    from levelgen.solve.guess_free import lifts_never_lose

    return lifts_never_lose(deal).verdict == "yes"


def claims_of(deal: Deal, way_out: Solution, pack: str, level: int) -> tuple[Certificate, tuple[Evidence, ...]]:
    """The certificate of a deal and the evidence for what its solution cannot show.

    The solution is the deal's own way out; for triples the kernel's least tray is tried, whose line is the same on
    every machine and may therefore reach a pack. What has no evidence of bounded length is `asserted`.
    """
    from levelgen.solve import fast

    found: list[Evidence | None] = []
    par, guess = "solved", None
    solution = way_out
    if deal.board.ruleset.id == "triples":
        least = fast.least_tray(deal, PAR_BUDGET)
        solution = least.solution or way_out
        if least.verdict == "solved":
            par = "minimum" if least.evidence else "asserted"
            found.append(least.evidence)
    elif deal.face_down:
        hidden = fast.guess_free(deal, GUESS_BUDGET)
        word = {"yes": "strategy", "no": "refutation"}.get(hidden.value, "asserted") if hidden.evidence else "asserted"
        guess = (hidden.value, word)
        found.append(hidden.evidence)
    certificate = certify(deal, solution, pack, level, par=par, guess_free=guess)
    return certificate, tuple(evidence for evidence in found if evidence is not None)


@contextmanager
def _at(level: LevelPlan) -> Iterator[None]:
    """Findings raised in the block say which level they are about."""
    try:
        yield
    except LevelgenError as error:
        place = f"level {level.level}"
        raise type(error)(
            [
                replace(finding, where=f"{place}: {finding.where}" if finding.where else place)
                for finding in error.findings
            ]
        ) from None


def make_level(workshop: Workshop, level: LevelPlan, pack: str, provers: Sequence[str], painter: Painter) -> Made:
    """One level, from its plan to its certificate and picture.

    The way out that the deal was built from is the witness; provers that are asked must not contradict it. A prover's
    own solution never reaches a pack, since it may differ between versions.

    Raises:
        Malformed: the templates do not fit, or the deal is no level.
        AnswerIsNo: no deal was accepted.
        LevelgenError: a prover calls a board unsolvable that has just been won: a bug in it.
    """
    from levelgen.render.preview import png_bytes

    with _at(level):
        board = Board.compile(layout_of(level, workshop.project.library), level.ruleset)
        attempt, deal, solution = pinned_level(level, level.board) if level.board else deal_level(level, board)
        raise_for(deal.violations())
        certificate, evidence = claims_of(deal, solution, pack, level.level)
    answers = []
    for name in provers:
        verdict = prove(deal, name, CROSS_CHECK[name]).verdict
        if verdict == "unsolvable":
            raise LevelgenError.of(
                "build/contradiction", f"{name} calls a board unsolvable that is won", f"level {level.level}"
            )
        answers.append((name, verdict))
    record = Record(
        pack,
        level.level,
        level.ruleset,
        board.layout.slots,
        workshop.face_set.id,
        deal.faces,
        deal.face_down,
        tuple(part.template for part in level.parts),
        level.seed,
        attempt,
        GENERATOR,
        figures(deal),
        dict(zip(TOOLS, level.tools or (None, None, None), strict=True)),
        workshop.sources(level),
    )
    picture = painter.preview(deal, level=level.level, title=level.tier or workshop.recipe.title)
    preview = Preview.of(pack, level.level, picture.mode, picture.size, picture.tobytes())
    return Made(bind(record, certificate), certificate, preview, png_bytes(picture), evidence, tuple(answers))


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
) -> Summary:
    """Make every level of `order` and write the signed pack to `out`, whole or not at all.

    `step` is called after each level. `release` refuses the demonstration key, provisional artwork and imported
    templates without a licence.

    Raises:
        LevelgenError: with the findings of every level that failed; `out` is then as it was.
    """
    check_replaceable(out, order.heading.pack)
    if release:
        raise_for(_release_findings(order, signer), AnswerIsNo)
    summary = Summary()
    first = order.plans[0].level
    evidence: dict[str, bytes] = {}
    with _spooled(made_levels(order, jobs)) as (levels, pictures):
        summary.manifest = write_pack(
            out,
            order.heading,
            _noted(levels, summary, evidence, step),
            (signer,),
            first=first,
            previews=pictures,
            evidence=evidence,
            release=release,
        )
    return summary


def _release_findings(order: Order, signer: Signer) -> Iterator[Finding]:
    """Everything that keeps the order from being a release."""
    if is_demo_key(signer.public):
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
