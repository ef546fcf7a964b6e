"""A recipe → what each of its levels shall be, decided by formula and by streams of the level's seed."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import date

from levelgen.board import Board, Deal
from levelgen.daily import daily_seed
from levelgen.errors import Finding, Malformed
from levelgen.faces import apart
from levelgen.layout import MAX_FAULTS, Layout, likeness
from levelgen.recipe.curve import Aim
from levelgen.recipe.data import (
    APART,
    DRAWS,
    Asked,
    Choice,
    LevelPlan,
    Recipe,
    Rejected,
    Section,
    draw_seed,
    letters_of,
)
from levelgen.seed import Stream
from levelgen.template import Library, compose_level, weighted

FACE_TRIES = 64
"""How often the faces of a board are drawn anew when those drawn are too alike to make up their number."""


def plan(recipe: Recipe, library: Library | None = None) -> tuple[LevelPlan, ...]:
    """Every level, in order. `library` is needed only where the recipe keeps levels `apart`.

    Raises:
        Malformed: every draw of a level was rejected, or too like a level before it.
    """
    return tuple(planned(recipe, library))


def planned(recipe: Recipe, library: Library | None = None) -> Iterator[LevelPlan]:
    """Every level as `plan` has it, one after the other; memory does not grow with their number.

    Raises:
        Malformed: as `plan`, when the last level has been planned; nothing more is yielded after the first fault.
    """
    made = _Planner(recipe, library)
    findings: list[Finding] = []
    for section in recipe.sections:
        for index in range(section.count):
            try:
                made.level(section, index)
            except Malformed as error:
                findings += error.findings[: MAX_FAULTS - len(findings)]
            if not findings:
                level = made.plans[-1]
                yield replace(level, kept=recipe.kept[level.level]) if level.level in recipe.kept else level
    if findings:
        raise Malformed(findings)


class _Planner:
    """Plans level after level; what the last ones were is all it remembers."""

    def __init__(self, recipe: Recipe, library: Library | None) -> None:
        if recipe.apart is not None and library is None:
            raise ValueError("levels are kept apart: that takes their templates")
        self.recipe = recipe
        self.library = library
        looked_at = recipe.apart.levels if recipe.apart else 0
        self.plans: deque[LevelPlan] = deque(maxlen=max(APART, looked_at))
        self.chosen: deque[tuple[Asked, ...]] = deque(maxlen=APART)
        self.layouts: deque[Layout | None] = deque(maxlen=looked_at)

    def level(self, section: Section, index: int) -> None:
        """Plan the next level: the first draw that is neither rejected nor too like its neighbours."""
        level = section.first + index
        rejected = self.recipe.rejected.get(level, Rejected())
        window = min(APART, len(section.choices) - 1)
        before = [*self.chosen][max(0, len(self.chosen) - window) :]
        recent = {part.template for one in [*self.plans][-APART:] for part in one.parts}
        best: tuple[int, int] | None = None
        for draw in range(DRAWS):
            seed = draw_seed(self.recipe.seed, level, draw)
            if seed in rejected.seeds:
                continue
            parts, made = _plan(self.recipe, section, index, level, seed, before, recent)
            layout, like = self.alike(made)
            if not like[0] or section.boards:
                self.plans.append(replace(made, rejected=rejected.attempts) if rejected.attempts else made)
                self.chosen.append(parts)
                self.layouts.append(layout)
                return
            best = min(best or like, like)
        # Levels after it are planned all the same, so that all that is wrong is told at once.
        self.plans.append(
            _plan(self.recipe, section, index, level, draw_seed(self.recipe.seed, level, 0), before, recent)[1]
        )
        self.chosen.append(())
        self.layouts.append(None)
        say = self.recipe.document.finding
        if best is None:
            raise Malformed([say("rejected", f"all {DRAWS} draws of level {level} are rejected", "reject",
                                 fix="take some of its seeds back")])  # fmt: skip
        raise Malformed([say("near-duplicate", f"level {level} is {best[0]} % like level {best[1]} in the best of "
                             f"{DRAWS} draws", *section.spot, "templates", key=True,
                             fix="give the section more templates, or allow more under `apart`")])  # fmt: skip

    def alike(self, made: LevelPlan) -> tuple[Layout | None, tuple[int, int]]:
        """Its layout, and how like which level it is, (0, 0) when not too much; nothing where nobody asks."""
        apart = self.recipe.apart
        if apart is None or self.library is None:
            return None, (0, 0)
        try:
            layout = layout_of(made, self.library)
        except Malformed:  # whoever builds or lints the level says why
            return None, (0, 0)
        found = [
            (likeness(layout, other), level.level)
            for level, other in zip([*self.plans][-apart.levels :], self.layouts, strict=True)
            if other is not None and _may_be_alike(len(layout), len(other), apart.likeness)
        ]
        worst = max(found, default=(0, 0))
        return layout, worst if worst[0] > apart.likeness else (0, 0)


def _may_be_alike(one: int, other: int, percent: int) -> bool:
    """Whether layouts of so many tiles can be more alike than that; saves most comparisons."""
    return 100 * min(one, other) > percent * max(one, other)


def daily_plans(recipe: Recipe, day: date, first: int = 1) -> tuple[LevelPlan, ...]:
    """The deals of the day of that local date, one per tier, numbered from `first`: made from date and channel only.

    Raises:
        Malformed: the recipe has no `daily`.
    """
    if recipe.daily is None:
        raise Malformed.of("recipe/no-daily", "the recipe has no deals of the day", recipe.document.name,
                           "add `daily: {seed: …, tiers: […]}`, or name another recipe")  # fmt: skip
    plans = []
    for number, tier in enumerate(recipe.daily.tiers, first):
        section = next(one for one in recipe.sections if one.tier == tier)
        made = _plan(recipe, section, 0, number, daily_seed(recipe.daily.seed, tier, day), (), ())[1]
        plans.append(replace(made, aim=None, drawn=()))
    return tuple(plans)


def _plan(
    recipe: Recipe, section: Section, index: int, level: int, seed: str,
    before: Collection[tuple[Asked, ...]], recent: Collection[str],
) -> tuple[tuple[Asked, ...], LevelPlan]:  # fmt: skip
    """The level under that seed, and which choice it was; choices `before` and templates `recent` are avoided."""
    if section.boards:
        return (), _pinned(recipe, section, index, level, seed)
    group = recipe.ruleset.group
    tiles = section.tiles.at(index, section.count, group)
    choices = [one for one in section.choices if one.parts not in before] or list(section.choices)
    chosen: Choice = weighted(choices, [one.weight for one in choices], Stream(seed, "templates"))
    parts = []
    for number, asked in enumerate(chosen.parts):
        names = asked.templates
        if len(names) > 1:
            fresh = [name for name in names if name not in recent] or names
            names = (Stream(seed, f"templates/any/{number}").choice(fresh),)
        parts.append(asked.part(index, section.count, names[0]))
    wanted = min(len(section.faces), tiles // group)
    if section.distinct is not None:
        wanted = section.distinct.at(index, section.count)
    elif section.copies is not None:
        wanted = -(-tiles // section.copies.at(index, section.count, group))
    aim = _aim(recipe, section, index, level)
    slack = aim.slack.distinct if aim else 0
    most = min(wanted + slack, tiles // group)
    drawn = _drawn(recipe, section, level, wanted, most, Stream(seed, "face-choice"))
    shown = {*drawn[:wanted]}
    least = max(1, wanted - slack)
    if section.copies is not None:
        least = max(least, -(-tiles // section.copies.at(index, section.count, group)))
    return chosen.parts, LevelPlan(
        level, section.tier, tuple(parts), tiles, section.layers,
        tuple([face for face in section.faces if face in shown]), section.face_down.at(index, section.count),
        seed, recipe.ruleset, recipe.canvas, recipe.margin, section.tools, section.guess_free, section.hide,
        par=recipe.par, rating=recipe.rating, aim=aim, drawn=drawn if slack else (), least_faces=least,
    )  # fmt: skip


def _aim(recipe: Recipe, section: Section, index: int, level: int) -> Aim | None:
    """How hard a level shall be, by its section's curve or else by the pack's."""
    if section.curve is not None:
        return section.curve.at(level, index, section.count)
    if section.on_curve and recipe.curve is not None:
        return recipe.curve.at(level, level - 1, recipe.sections[-1].last)
    return None


def _pinned(recipe: Recipe, section: Section, index: int, level: int, seed: str) -> LevelPlan:
    """A level that is a board as it is, under the recipe's ruleset; its letters get faces drawn by the level."""
    deal = section.boards[index]
    letters = letters_of(deal, section.faces)
    drawn = [face for face in section.faces if face not in deal.faces]
    Stream(seed, "face-choice").shuffle(drawn)
    named = dict(zip(letters, drawn, strict=False))
    board = Board.compile(deal.board.layout, recipe.ruleset)
    faces = tuple(named.get(face, face) for face in deal.faces)
    return LevelPlan(
        level, section.tier, (), len(deal.faces), 0, tuple(face for face in section.faces if face in faces),
        len(deal.face_down), seed, recipe.ruleset, recipe.canvas, recipe.margin, section.tools, section.guess_free,
        board=Deal(board, faces, deal.face_down), par=recipe.par, rating=recipe.rating,
    )  # fmt: skip


def _drawn(recipe: Recipe, section: Section, level: int, wanted: int, most: int, stream: Stream) -> tuple[str, ...]:
    """The faces of a board in the order they were drawn, no two too alike.

    `wanted` of them and up to `most`; fewer only where no number was asked for.

    Raises:
        Malformed: too many of the faces are alike.
    """
    drawn = list(section.faces)
    for _ in range(FACE_TRIES):
        stream.shuffle(drawn)
        kept = apart(drawn, section.never_together)
        if len(kept) >= wanted or (section.distinct is None and section.copies is None):
            return tuple(kept[:most])
    raise Malformed([recipe.document.finding(
        "too-alike", f"level {level}: no {wanted} faces were found of which no two are marked too alike", *section.spot,
        fix="ask for fewer, or write `allow_alike: true`",
    )])  # fmt: skip


def layout_of(level: LevelPlan, library: Library) -> Layout:
    """The layout of a planned level; of a pinned one its own.

    Raises:
        Malformed: its templates do not fit the canvas, the tiles or the layers asked for.
    """
    if level.board is not None:
        return level.board.board.layout
    return compose_level(
        level.parts, library, level.canvas, level.tiles, level.ruleset.group, level.seed,
        margin=level.margin, layers=level.layers,
    )  # fmt: skip
