"""The search for a candidate that is as hard as a level shall be.

Candidates of a *kind* (style, swaps, faces, face-down tiles) are alike in how hard they are, give or take chance. So
the search first takes a look at kinds from easy to hard, then draws from those whose mean lies nearest to the target,
then changes the nearest candidates a little, step by step. All are rated cheaply, the nearest few in full. What it may
spend is counted in candidates, so that the same level comes out on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from levelgen.board import Deal
from levelgen.candidates.conditions import SEED, Conditions
from levelgen.candidates.dealing import MAX_STEPS, STYLES, Candidate, Makings
from levelgen.certificate import Solution
from levelgen.deal import Dealt
from levelgen.errors import AnswerIsNo
from levelgen.rate import Rating, rate
from levelgen.recipe import Aim, Slack

TOP = 1000
LOOKS = 2
"""Candidates of each kind that the first look takes."""
ROUNDS = 3
"""Rounds of drawing from the kinds nearest to the target."""
NEAREST = 3
"""So many kinds a round draws from."""
DRAWS = 10
"""Candidates of each."""
ASTRAY = 40
"""So much farther off a step of those may lead."""
CLIMBS = 8
"""Candidates that are changed step by step, nine changes a step."""
VAIN = 3
"""After so many of them in a row that led no nearer, the tolerance is near enough, and a target beyond all that was
seen is given up."""
KEPT, FEW = 6, 2
"""How many of the nearest are rated in full at a time; where the target lies beyond all that was seen, a few."""
SPREAD = 8
"""So many from the easiest to the hardest are tried when none of the nearest keeps the conditions."""
HOPELESS = 60
"""A candidate whose cheap number is so much farther off than the best one so far is not rated in full; a target so far
outside of all cheap numbers lies beyond them."""
SHIFTS = 8
"""By how much the full number differs from the cheap one is learnt from so many of the last."""
NUMBERS = 1000
"""Candidates of a kind."""


@dataclass(frozen=True)
class Reached:
    """The candidate taken for a level."""

    candidate: Candidate
    deal: Deal
    solution: Solution
    rating: Rating
    """Rated in full."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search came to."""

    best: Reached | None
    """The nearest that keeps the conditions; None when none does, or none can be won."""
    candidates: int
    """How many that can be won were rated cheaply."""
    rated: int
    """How many of them were rated in full."""
    span: tuple[int, int] | None
    """Their least and greatest cheap number."""
    asked: int
    """How many were asked whether they keep the conditions; 0 when there are none."""
    kept: int
    """How many of those do."""
    told: str
    """What none of them keeps, in words; empty when there is no such thing."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What candidates have in common that differ by chance only."""

    style: int
    swaps: int
    faces: int = 0
    face_down: int = 0

    def candidate(self, number: int) -> Candidate:
        """The candidate of this kind with that number."""
        return Candidate(number, self.style, self.swaps, self.faces, self.face_down)


class Search:
    """What has been seen of a level's candidates so far."""

    def __init__(self, makings: Makings, target: int) -> None:
        self.makings = makings
        self.target = target
        self.numbers: dict[Kind, list[int]] = {}
        """Of each kind the cheap numbers seen."""
        self.drawn: dict[Kind, int] = {}
        """Of each kind how many candidates were dealt, winnable or not."""
        self.seen: dict[Candidate, tuple[int, Dealt]] = {}
        """The cheap number and the deal of every candidate that can be won."""
        self.shifts: list[int] = []
        """By how much full numbers differed from cheap ones, the last ones last."""

    def look(self, candidate: Candidate) -> int | None:
        """The cheap number of a candidate, remembered; None when it cannot be dealt or won."""
        if candidate in self.seen:
            return self.seen[candidate][0]
        dealt = self.makings.deal(candidate)
        if dealt is None:
            return None
        number = rate(dealt.deal, dealt.solution, SEED, "cheap").number
        self.seen[candidate] = (number, dealt)
        return number

    def draw_some(self, kind: Kind, count: int) -> None:
        """The next so many candidates of that kind."""
        for _ in range(count):
            self.draw(kind)

    def beyond(self) -> int:
        """How far the target lies outside of all cheap numbers seen, corrected by what was learnt."""
        numbers = [number for number, _ in self.seen.values()]
        aimed = self.target - self.shift
        return max(min(numbers) - aimed, aimed - max(numbers), 0) if numbers else 0

    def draw(self, kind: Kind) -> int | None:
        """The cheap number of the next candidate of that kind."""
        number = self.drawn.get(kind, 0)
        self.drawn[kind] = number + 1
        found = self.look(kind.candidate(number)) if number < NUMBERS else None
        if found is not None:
            self.numbers.setdefault(kind, []).append(found)
        return found

    @property
    def shift(self) -> int:
        """By how much full numbers were greater than cheap ones lately, on average."""
        return sum(self.shifts) // len(self.shifts) if self.shifts else 0

    def off(self, number: int) -> int:
        """How far a cheap number, corrected by what was learnt, is from the target."""
        return abs(number + self.shift - self.target)

    def rate(self, candidate: Candidate) -> Reached:
        """The candidate rated in full."""
        cheap, dealt = self.seen[candidate]
        rating = rate(dealt.deal, dealt.solution, SEED, "full")
        self.shifts = [*self.shifts, rating.number - cheap][-SHIFTS:]
        return Reached(candidate, dealt.deal, dealt.solution, rating)

    def nearest_kinds(self) -> list[Kind]:
        """Kinds by how far their mean is from the target; kinds that are hardly ever won stand behind."""

        def distance(kind: Kind) -> tuple[int, int]:
            numbers = self.numbers[kind]
            lost = self.drawn[kind] - len(numbers)
            return self.off(sum(numbers) // len(numbers)) + 10 * lost, len(numbers)

        return sorted(self.numbers, key=distance)

    def nearest(self) -> list[Candidate]:
        """Candidates by how far their cheap number is from the target."""
        return sorted(self.seen, key=lambda one: (self.off(self.seen[one][0]), one.code))

    def climb(self, candidate: Candidate) -> None:
        """Change a candidate step by step, each time keeping the change that comes nearest.

        A step may lead away a little: the cheap numbers are no more exact than that.
        """
        while len(candidate.steps) < MAX_STEPS:
            changes = [replace(candidate, steps=(*candidate.steps, step)) for step in range(1, 10)]
            found = [(self.off(number), one.code, one) for one in changes if (number := self.look(one)) is not None]
            if not found or min(found)[0] > self.off(self.seen[candidate][0]) + ASTRAY:
                return
            candidate = min(found)[2]


def kinds(makings: Makings, slack: bool = False) -> Iterator[Kind]:
    """Kinds to look at, from those built to be easy to those at random; with `slack` those at its ends."""
    pairs = makings.board.ruleset.id == "pairs"
    swaps = (0, 2, 4, 5) if pairs else (0, 4, 6)
    plain = [
        Kind(style, times)
        for style, one in enumerate(STYLES)
        if one.play != "plain" and (one.tight or not pairs)
        for times in (swaps if one.play != "uniform" else (0,))
    ]
    if not slack:
        yield from plain
    elif makings.level.aim is not None:
        most = makings.level.aim.slack
        few = [
            Kind(style, 0)
            for style, one in enumerate(STYLES)
            if one.play in ("forward", "reverse", "alike") and one.tight
        ]
        for faces in sorted({-most.distinct, -most.distinct // 2, 0, most.distinct // 2, most.distinct}):
            for face_down in sorted({-most.face_down, 0, most.face_down}):
                if faces or face_down:
                    yield from (replace(kind, faces=faces, face_down=face_down) for kind in few)


def search(makings: Makings) -> Reached:
    """The candidate nearest to the target of its plan.

    Raises:
        AnswerIsNo: none was found that can be won and keeps the conditions.
    """
    found = explore(makings)
    if found.best is None:
        raise AnswerIsNo.of(
            "build/no-deal",
            f"none of {found.candidates} candidates keeps what the curve asks for{found.told and ': '}{found.told}",
            fix="ask for less under `curve`, give the templates more open tiles, or hide fewer",
        )
    return found.best


def explore(makings: Makings) -> Outcome:
    """What a search for the candidate nearest to the target comes to, whether it finds one or not."""
    aim = makings.level.aim
    assert aim is not None, "a level without an aim is dealt, not searched for"
    hunt = _Hunt(Search(makings, aim.target), aim, Conditions(makings.level, aim))
    hunt.run()
    numbers = [number for number, _ in hunt.state.seen.values()]
    return Outcome(
        hunt.best, len(numbers), len(hunt.rated), (min(numbers), max(numbers)) if numbers else None,
        hunt.conditions.asked if hunt.conditions.any else 0, hunt.conditions.kept, hunt.conditions.told(),
    )  # fmt: skip


class _Hunt:
    """One search: what it has seen, the nearest candidate rated in full so far, what is asked besides."""

    def __init__(self, state: Search, aim: Aim, conditions: Conditions) -> None:
        self.state = state
        self.aim = aim
        self.conditions = conditions
        self.best: Reached | None = None
        self.tried: set[Candidate] = set()
        self.rated: list[int] = []

    @property
    def gap(self) -> int:
        """How far the nearest is from the target."""
        return abs(self.best.rating.number - self.aim.target) if self.best else TOP + 1

    @property
    def astray(self) -> bool:
        """Whether the target lies far outside of what the candidates so far come to."""
        return self.state.beyond() > HOPELESS

    def run(self) -> None:
        """Look at ever more candidates and try the nearest, until one is near enough or more are of no use."""
        for kind in kinds(self.state.makings):
            self.state.draw_some(kind, LOOKS)
        for _ in range(ROUNDS):
            for kind in self.state.nearest_kinds()[:NEAREST]:
                self.state.draw_some(kind, DRAWS)
            self.try_nearest()
            if self.gap <= self.aim.tolerance // 2:
                return
        if self.aim.slack != Slack():
            for kind in kinds(self.state.makings, slack=True):
                self.state.draw_some(kind, LOOKS)
            for kind in self.state.nearest_kinds()[:NEAREST]:
                self.state.draw_some(kind, DRAWS)
            self.try_nearest()
        if self.best is None:
            self.try_all_over()
        if self.gap <= self.aim.tolerance // 2 or (self.best is None and self.conditions.hopeless):
            return
        self.climb()

    def climb(self) -> None:
        """Change the nearest candidates step by step, until one is near enough or it has led nowhere too often."""
        climbed: set[Candidate] = set()
        vain = 0
        for _ in range(CLIMBS):
            candidate = next((one for one in self.state.nearest() if replace(one, steps=()) not in climbed), None)
            if candidate is None:
                return
            climbed.add(replace(candidate, steps=()))
            before = self.gap
            self.state.climb(candidate)
            self.try_nearest()
            vain = 0 if self.gap < before else vain + 1
            near_enough = self.aim.tolerance // 2 if vain < VAIN else self.aim.tolerance
            if self.gap <= near_enough or (vain >= VAIN and self.astray) or self.conditions.spent:
                return

    def try_nearest(self) -> None:
        """Try the nearest candidates that were not tried, as long as they may be nearer than the best."""
        for candidate in [one for one in self.state.nearest() if one not in self.tried][: FEW if self.astray else KEPT]:
            if self.state.off(self.state.seen[candidate][0]) > self.gap + HOPELESS:
                return
            self.try_one(candidate)
            if self.gap <= self.aim.tolerance // 2:
                return

    def try_all_over(self) -> None:
        """When none of the nearest keeps the conditions: try some from the easiest to the hardest, then, halving what
        lies between, those nearer to the target than the best of them.
        """
        order = sorted(self.state.seen, key=lambda one: (self.state.seen[one][0], one.code))
        for place in sorted({(len(order) - 1) * step // (SPREAD - 1) for step in range(SPREAD)}):
            if order:
                self.try_one(order[place])
        nearest = 0
        while self.best is not None:
            untried = [one for one in self.state.nearest() if one not in self.tried]
            between = [one for one in untried if nearest < self.state.off(self.state.seen[one][0]) < self.gap]
            if not between:
                return
            middle, before = between[len(between) // 2], self.gap
            self.try_one(middle)
            if self.gap == before:
                nearest = self.state.off(self.state.seen[middle][0])

    def try_one(self, candidate: Candidate) -> None:
        """Rate a candidate in full if it may be taken and keeps the conditions; remember it if it is the nearest."""
        if candidate in self.tried:
            return
        self.tried.add(candidate)
        dealt = self.state.seen[candidate][1]
        if candidate.code in self.state.makings.level.rejected or not self.conditions.hold(dealt):
            return
        found = self.state.rate(candidate)
        self.rated.append(found.rating.number)
        if self.conditions.wins(dealt.deal, found.rating.figures) and (
            abs(found.rating.number - self.aim.target) < self.gap
        ):
            self.best = found
