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
from levelgen.candidates.dealing import MAX_STEPS, STYLES, Candidate, Makings
from levelgen.certificate import Solution
from levelgen.deal import Dealt
from levelgen.errors import AnswerIsNo
from levelgen.evidence import with_slots
from levelgen.rate import Rating, rate
from levelgen.recipe import Aim, Slack
from levelgen.solve import fast
from levelgen.solve.guess_free import lifts_never_lose

SEED = "levelgen"
"""The bots' seed: one for all, so that a board's number depends on the board only."""
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
KEPT = 6
"""How many of the nearest are rated in full at a time."""
HOPELESS = 60
"""A candidate whose cheap number is so much farther off than the best one so far is not rated in full."""
SHIFTS = 8
"""By how much the full number differs from the cheap one is learnt from so many of the last."""
NUMBERS = 1000
"""Candidates of a kind."""
GUESS_BUDGET = 10_000
"""States of knowledge that the question of guessing may cost."""
PAR_BUDGET = 200_000
"""Nodes that the question of the tray may cost."""


@dataclass(frozen=True)
class Reached:
    """The candidate taken for a level."""

    candidate: Candidate
    deal: Deal
    solution: Solution
    rating: Rating
    """Rated in full."""


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

    def draw(self, kind: Kind) -> int | None:
        """The cheap number of the next candidate of that kind."""
        number = self.drawn.get(kind, 0)
        self.drawn[kind] = number + 1
        found = self.look(kind.candidate(number)) if number < NUMBERS else None
        if found is not None:
            self.numbers.setdefault(kind, []).append(found)
        return found

    def off(self, number: int) -> int:
        """How far a cheap number, corrected by what was learnt, is from the target."""
        shift = sum(self.shifts) // len(self.shifts) if self.shifts else 0
        return abs(number + shift - self.target)

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
        AnswerIsNo: none was found that can be won and keeps the constraints.
    """
    aim = makings.level.aim
    assert aim is not None, "a level without an aim is dealt, not searched for"
    state = Search(makings, aim.target)
    best: Reached | None = None
    tried: set[Candidate] = set()
    won: list[int] = []
    for _ in _efforts(state, aim):
        for candidate in [one for one in state.nearest() if one not in tried][:KEPT]:
            if (
                best is not None
                and state.off(state.seen[candidate][0]) > abs(best.rating.number - aim.target) + HOPELESS
            ):
                break
            tried.add(candidate)
            if candidate.code in makings.level.rejected or not keeps(
                state.seen[candidate][1].deal, makings.level.guess_free, aim
            ):
                continue
            found = state.rate(candidate)
            if not wins_as_asked(found.rating, aim):
                won += [found.rating.figures[f"{aim.wins.bot}_win"]] if aim.wins else []
                continue
            if best is None or abs(found.rating.number - aim.target) < abs(best.rating.number - aim.target):
                best = found
            if abs(best.rating.number - aim.target) <= aim.tolerance // 2:
                return best
    if best is None:
        raise AnswerIsNo.of(
            "build/no-deal",
            f"none of {len(state.seen)} candidates keeps what the curve asks for{_nearest_found(aim, len(tried), won)}",
            fix="ask for less under `curve`, give the templates more open tiles, or hide fewer",
        )  # fmt: skip
    return best


def _efforts(state: Search, aim: Aim) -> Iterator[None]:
    """Look at ever more candidates; after each yield the nearest are worth rating in full."""
    for kind in kinds(state.makings):
        for _ in range(LOOKS):
            state.draw(kind)
    for _ in range(ROUNDS):
        for kind in state.nearest_kinds()[:NEAREST]:
            for _ in range(DRAWS):
                state.draw(kind)
        yield
    if aim.slack != Slack():
        for kind in kinds(state.makings, slack=True):
            for _ in range(LOOKS):
                state.draw(kind)
        for kind in state.nearest_kinds()[:NEAREST]:
            for _ in range(DRAWS):
                state.draw(kind)
        yield
    climbed: set[Candidate] = set()
    for _ in range(CLIMBS):
        candidate = next((one for one in state.nearest() if replace(one, steps=()) not in climbed), None)
        if candidate is not None:
            climbed.add(replace(candidate, steps=()))
            state.climb(candidate)
            yield


def _nearest_found(aim: Aim, tried: int, won: list[int]) -> str:
    """What was found instead of what the curve asks for besides its number; `won` holds rates in thousandths."""
    if aim.wins and won:
        least, most = (f"{rate // 10}.{rate % 10}" for rate in (min(won), max(won)))
        asked = f"{aim.wins.first} to {aim.wins.last}"
        return f": {aim.wins.bot} shall win {asked} percent, and in the {len(won)} nearest wins {least} to {most}"
    asked = " and ".join([*([f"par {aim.par}"] if aim.par else []), *(["guess_free"] if aim.guess_free else [])])
    return f": {asked} is proved of none of the {tried} nearest" if asked and tried else ""


def wins_as_asked(rating: Rating, aim: Aim) -> bool:
    """Whether the bot the curve names wins as often as it asks."""
    if aim.wins is None:
        return True
    return 10 * aim.wins.first <= rating.figures[f"{aim.wins.bot}_win"] <= 10 * aim.wins.last


def keeps(deal: Deal, no_guess_loses: bool, aim: Aim) -> bool:
    """Whether a deal keeps what the curve asks for besides its number; what is undecided does not."""
    if aim.par is not None and fast.prove(with_slots(deal, aim.par), PAR_BUDGET).verdict != "solved":
        return False
    if no_guess_loses and lifts_never_lose(deal).verdict != "yes":
        return False
    return not aim.guess_free or fast.guess_free(deal, GUESS_BUDGET).value == "yes"
