"""The making of one level: from its plan to a deal that is won, its certificate, record and picture.

    workshop = Workshop.open(Path("templates/packs/eram.yaml"))     # a recipe and everything it needs
    made     = make_level(workshop, plans[11], "eram", ("kernel",), painter)

A level is a pure function of (recipe, templates, face set, number); nothing here knows of workers, caches or packs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelgen import GENERATOR
from levelgen.board import Board, Deal
from levelgen.candidates import SEED, Makings, search
from levelgen.certificate import Certificate, Solution, certify
from levelgen.deal import Stuck, deal_faces
from levelgen.errors import AnswerIsNo, LevelgenError, Undecided, raise_for
from levelgen.evidence import Evidence
from levelgen.faces import FaceSet, check
from levelgen.pack.manifest import FaceSetMark, Heading, Preview
from levelgen.pack.records import Record, bind
from levelgen.pack.strict import encode
from levelgen.rate import Tier, guests, rate
from levelgen.recipe import Aim, LevelPlan, Project, Recipe, layout_of, open_project, read_recipe
from levelgen.solve import prove
from levelgen.tools import AIDS

if TYPE_CHECKING:
    from levelgen.render.preview import Painter

ATTEMPTS = 400
"""Deals tried for a level before it is given up."""
CROSS_CHECK = {"kernel": 10_000_000, "dfs": 3_000, "cpsat": 10_000}
"""What a prover may spend on a level that is won already, in its own unit of work."""
BIG_PAIRS, BIG_PAIRS_CHECK = 200, 200_000
"""On boards of pairs with more tiles than this the kernel may spend this: its nodes cost more and decide less there."""
PAR_BUDGET = 2_000_000
GUESS_BUDGET = 10_000
"""Nodes that the least tray of a level, and states of knowledge that its hidden faces, may cost."""


@dataclass(frozen=True)
class Workshop:
    """A recipe and everything it needs, read and found without defects."""

    recipe: Recipe
    project: Project
    face_set: FaceSet
    _sources: dict[tuple[str, ...], str] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What `sources` answered before, by the templates asked about."""

    @classmethod
    def open(cls, path: Path, *, measured: bool = True) -> Workshop:
        """Read a recipe, the templates and the face sets of its project; measure the artwork, unless it was before.

        Raises:
            Malformed: with every defect of any of them.
        """
        project = open_project(path)
        recipe = read_recipe(path, project)
        face_set = project.sets[recipe.face_set]
        if measured:
            raise_for(check(face_set))
        return cls(recipe, project, face_set)

    def heading(self, pack: str | None = None, title: str | None = None) -> Heading:
        """What the manifest says of the pack as a whole; a daily pack has a name and a title of its own."""
        recipe = self.recipe
        mark = FaceSetMark(self.face_set.id, self.face_set.sha256, self.face_set.provisional)
        return Heading(
            pack or recipe.pack, title or recipe.title, recipe.version, recipe.previous, GENERATOR, recipe.ruleset,
            mark, recipe.allowance,
        )  # fmt: skip

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

    def sources_of(self, templates: Iterable[str]) -> str:
        """The digest of these templates, all that they name, and the face set."""
        return sha256(encode(self._made_from(templates))).hexdigest()

    def _made_from(self, templates: Iterable[str]) -> dict[str, Any]:
        """The digests of the face set and of these templates and all that they name."""
        library = self.project.library
        texts = {name: library[name].sha256 for name in library.closure(templates)}
        return {"face_set": self.face_set.sha256, "templates": texts}

    def sources(self, level: LevelPlan) -> str:
        """The digest of the sources a level is made from: its templates or its pinned board, and the face set."""
        names = tuple(part.template for part in level.parts)
        if level.board is not None:
            return sha256(encode({**self._made_from(names), "board": level.board.digest()})).hexdigest()
        known = self._sources.get(names)
        if known is None:
            known = self._sources[names] = self.sources_of(names)
        return known


@dataclass(frozen=True)
class Made:
    """A finished level."""

    record: Record
    certificate: Certificate
    preview: Preview | None
    """None when nobody asked for a picture."""
    png: bytes
    evidence: tuple[Evidence, ...]
    answers: tuple[tuple[str, str], ...]
    """What each prover that was asked answered, by its name."""


def deal_level(level: LevelPlan, board: Board) -> tuple[int, Deal, Solution]:
    """The first attempt at dealing `board` that the plan accepts: its number, the deal, the way out.

    Raises:
        AnswerIsNo: no attempt was accepted.
    """
    hidable = level.hide.tiles(board.layout) if level.face_down else ()
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


def aimed_level(level: LevelPlan, board: Board) -> tuple[int, Deal, Solution]:
    """The candidate nearest to the level's aim: its code, the deal, the way out.

    Raises:
        AnswerIsNo: no candidate keeps what the curve asks for.
    """
    reached = search(Makings(level, board))
    return reached.candidate.code, reached.deal, reached.solution


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


def claims_of(
    deal: Deal, way_out: Solution, pack: str, level: int, par: str = "minimum"
) -> tuple[Certificate, tuple[Evidence, ...]]:
    """The certificate of a deal and the evidence for what its solution cannot show.

    The solution is the deal's own way out; for triples the kernel's least tray is tried, whose line is the same on
    every machine and may therefore reach a pack, unless `par` says that the way out will do. What has no evidence of
    bounded length is `asserted`.
    """
    from levelgen.solve import fast

    found: list[Evidence | None] = []
    known, guess = "solved", None
    solution = way_out
    if deal.board.ruleset.id == "triples" and par == "minimum":
        least = fast.least_tray(deal, PAR_BUDGET)
        solution = least.solution or way_out
        if least.verdict == "solved":
            known = "minimum" if least.evidence else "asserted"
            found.append(least.evidence)
    elif deal.face_down:
        hidden = fast.guess_free(deal, GUESS_BUDGET)
        word = {"yes": "strategy", "no": "refutation"}.get(hidden.value, "asserted") if hidden.evidence else "asserted"
        guess = (hidden.value, word)
        found.append(hidden.evidence)
    certificate = certify(deal, solution, pack, level, par=known, guess_free=guess)
    return certificate, tuple(evidence for evidence in found if evidence is not None)


def difficulty(deal: Deal, solution: Solution, aim: Aim | None, tier: Tier = "full") -> dict[str, int]:
    """What a record says of how hard a level is: every figure, `rating`, `seconds`; of an aim `target`, `tolerance`,
    and of each player whose win rate it asks for its ends and, where it is none of the panel, how often it wins.

    A level with an aim is always rated in full; a `cheap` rating says so by the figure `rating_cheap`.
    """
    rating = rate(deal, solution, SEED, tier if aim is None else "full")
    asked: dict[str, int] = {}
    if aim is not None:
        asked = {"target": aim.target, "tolerance": aim.tolerance}
        asked |= guests.figures(deal, [one.name for one in aim.wins], SEED)
        for one in aim.wins:
            asked |= {f"asked_{one.name}_from": 10 * one.first, f"asked_{one.name}_to": 10 * one.last}
    cheap = {"rating_cheap": 1} if rating.tier == "cheap" else {}
    return {**rating.to_json(), **asked, **cheap}


def off_curve(record: Record) -> str:
    """That a level is farther from its target than it may be, in words; empty when it is not."""
    figures = record.difficulty
    if (
        not {"rating", "target", "tolerance"} <= figures.keys()
        or abs(figures["rating"] - figures["target"]) <= figures["tolerance"]
    ):
        return ""
    return f"target {figures['target']}, the nearest found is {figures['rating']}"


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


def make_level(
    workshop: Workshop, level: LevelPlan, pack: str, provers: Sequence[str], painter: Painter | None
) -> Made:
    """One level, from its plan to its certificate and picture.

    The way out that the deal was built from is the witness; provers that are asked must not contradict it. A prover's
    own solution never reaches a pack, since it may differ between versions.

    Raises:
        Malformed: the templates do not fit, or the deal is no level.
        AnswerIsNo: no deal was accepted.
        LevelgenError: a prover calls a board unsolvable that has just been won: a bug in it.
    """
    if level.kept is not None:
        return _kept_level(workshop, level, provers, painter)
    with _at(level):
        board = Board.compile(layout_of(level, workshop.project.library), level.ruleset)
        if level.board is not None:
            attempt, deal, solution = pinned_level(level, level.board)
        elif level.aim is not None:
            attempt, deal, solution = aimed_level(level, board)
        else:
            attempt, deal, solution = deal_level(level, board)
        raise_for(deal.violations())
        certificate, evidence = claims_of(deal, solution, pack, level.level, level.par)
    answers = _answers(level, deal, provers)
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
        difficulty(deal, certificate.solution, level.aim, level.rating),
        dict(zip(AIDS, level.tools or (None, None, None), strict=True)),
        workshop.sources(level),
    )
    return _finished(workshop, level, bind(record, certificate), certificate, evidence, answers, painter)


def _kept_level(workshop: Workshop, level: LevelPlan, provers: Sequence[str], painter: Painter | None) -> Made:
    """A level as a pack had it: its record, and its certificate made anew from the solution it had."""
    assert level.kept is not None, "whoever calls has looked"
    record, known = level.kept.record, level.kept.certificate
    with _at(level):
        solution = known.solution if known else pinned_level(level, record.deal)[2]
        certificate, evidence = claims_of(record.deal, solution, record.pack, record.level, level.par)
    answers = _answers(level, record.deal, provers)
    record = bind(replace(record, generator=GENERATOR), certificate)
    return _finished(workshop, level, record, certificate, evidence, answers, painter)


def cross_check_budget(deal: Deal, prover: str) -> int:
    """What `prover` may spend on `deal`, which is won already, in its own unit of work: seconds, however big it is."""
    budget = CROSS_CHECK[prover]
    if prover == "kernel" and deal.board.ruleset.id == "pairs" and len(deal.faces) > BIG_PAIRS:
        return min(budget, BIG_PAIRS_CHECK)
    return budget


def _answers(level: LevelPlan, deal: Deal, provers: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """What each prover says of a board that is won.

    Raises:
        LevelgenError: one of them calls it unsolvable.
    """
    answers = []
    for name in provers:
        verdict = prove(deal, name, cross_check_budget(deal, name)).verdict
        if verdict == "unsolvable":
            raise LevelgenError.of(
                "build/contradiction", f"{name} calls a board unsolvable that is won", f"level {level.level}"
            )
        answers.append((name, verdict))
    return tuple(answers)


def _finished(
    workshop: Workshop, level: LevelPlan, record: Record, certificate: Certificate, evidence: tuple[Evidence, ...],
    answers: tuple[tuple[str, str], ...], painter: Painter | None,
) -> Made:  # fmt: skip
    """The level with its picture, if one is asked for."""
    if painter is None:
        return Made(record, certificate, None, b"", evidence, answers)
    from levelgen.render.preview import png_bytes

    picture = painter.preview(record.deal, level=level.level, title=level.tier or workshop.recipe.title)
    preview = Preview.of(record.pack, level.level, picture.mode, picture.size, picture.tobytes())
    return Made(record, certificate, preview, png_bytes(picture), evidence, answers)
