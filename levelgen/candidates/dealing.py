"""Candidates of a planned level: deals from built-to-be-easy to random, each named by one number.

    makings = Makings.of(level, board, ATTEMPTS)
    dealt   = makings.deal(Candidate(number=3, style=1, swaps=12))     # a deal that is won, or None

A candidate begins as a guaranteed deal (tiles taken off the full board, or put back onto the empty one) or as a random
one. Then tiles swap their faces, two at a time: the more of them do, the less is left of the guarantee and the harder
it plays. The kernel proves what comes out; what cannot be won or is undecided is no candidate. A record's `attempt` is
the candidate's number, which with plan and seed gives the same deal again, without any search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from levelgen.board import Board, Deal
from levelgen.certificate import Solution
from levelgen.deal import Dealt, Stuck, deal_faces, face_groups
from levelgen.errors import Malformed
from levelgen.recipe import LevelPlan
from levelgen.rules import BLOCKING, Gates, Ruleset, gates
from levelgen.seed import Stream
from levelgen.solve.kernel import deal as dealing
from levelgen.solve.kernel import pairs, triples

PROOF_BUDGET = 20_000
"""Nodes that a candidate's proof may cost: nearly all are decided with less, and there are always others."""
BIG_PAIRS, BIG_PROOF_BUDGET = 200, 100
"""On boards of pairs with more tiles than this, this much: a node costs milliseconds there and decides little."""
MAX_CODE = 10**15 - 1
SWAPS = (0, 1, 2, 4, 8, 12, 16, 32, 64, 128)
"""Of 64 tiles so many times two swap their faces, by the digit a candidate's code has for it."""
GROUPS = 5
"""From this one on the small changes swap the faces of two groups of the way out, which rarely loses it."""
MAX_STEPS = 6


@dataclass(frozen=True, slots=True)
class Style:
    """How a candidate's faces are first laid."""

    play: Literal["plain", "forward", "reverse", "uniform", "oldest", "alike"]
    """By `deal.py`, without looking, or as the kernel's `deals` names it."""
    tight: bool = True
    """Whether groups leave at once; else the tray may hold as much as the rules allow."""


STYLES = (
    Style("plain"), Style("forward"), Style("forward", tight=False), Style("reverse"), Style("reverse", tight=False),
    Style("uniform"), Style("oldest"), Style("alike"),
)  # fmt: skip
"""A candidate's code has the place in this table: new ones go to its end."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Which deal of a plan and seed; the plain ones are those of levels without a curve."""

    number: int = 0
    """0 … 999: which of the deals of that style."""
    style: int = 0
    """Which of `STYLES`."""
    swaps: int = 0
    """Which of `SWAPS`."""
    faces: int = 0
    """-49 … 49: how many different faces more than planned."""
    face_down: int = 0
    """-49 … 49: how many tiles more than planned lie face down."""
    steps: tuple[int, ...] = ()
    """Each 1 … 9, `MAX_STEPS` at most: which of nine small changes was made, one after the other."""

    @property
    def code(self) -> int:
        """The candidate as one number, its decimal digits in groups: steps, face_down, faces, swaps, style, number."""
        code = 0
        for step in reversed(self.steps):
            code = code * 10 + step
        for value, digits in ((self.face_down % 100, 2), (self.faces % 100, 2), (self.swaps, 1), (self.style, 1),
                              (self.number, 3)):  # fmt: skip
            code = code * int(10**digits) + value
        return code

    @classmethod
    def of(cls, code: int) -> Candidate:
        """The candidate with that code.

        Raises:
            Malformed: there is none.
        """
        rest, numbers = code, []
        for digits in (3, 1, 1, 2, 2):
            rest, value = divmod(rest, 10**digits)
            numbers.append(value)
        steps = []
        while rest > 0:
            rest, step = divmod(rest, 10)
            steps.append(step)
        number, style, swaps, faces, face_down = numbers
        made = cls(number, style, swaps, _signed(faces), _signed(face_down), tuple(steps))
        if not 0 <= code <= MAX_CODE or style >= len(STYLES) or 0 in steps or made.code != code:
            raise Malformed.of("candidate/code", f"{code} names no candidate", "attempt")
        return made


def _signed(value: int) -> int:
    return value - 100 if value >= 50 else value


@dataclass(frozen=True)
class Makings:
    """A planned level and its board, ready to deal any candidate of it."""

    level: LevelPlan
    board: Board

    def deal(self, candidate: Candidate) -> Dealt | None:
        """The candidate's deal and a way out; None when it cannot be dealt, won, or decided cheaply."""
        level = self.level
        faces = self.faces(candidate.faces)
        face_down = level.face_down + candidate.face_down
        if faces is None or not 0 <= face_down <= len(self.hidable):
            return None
        style = STYLES[candidate.style]
        if style.play == "plain" and not candidate.swaps and not candidate.steps:
            try:
                return deal_faces(self.board, faces, level.seed, attempt=candidate.number, face_down=face_down,
                                  hidable=self.hidable)  # fmt: skip
            except Stuck:
                return None
        laid = self._laid(candidate, faces)
        if laid is None:
            return None
        shown, game = laid
        tiles, named = len(shown), f"{candidate.style}/{candidate.number}"
        times = -(-tiles * SWAPS[candidate.swaps] // 64)
        _swap([(tile,) for tile in range(tiles)], shown, times, Stream(level.seed, f"swaps/{named}"))
        for place, step in enumerate(candidate.steps):
            path = "/".join(str(one) for one in candidate.steps[: place + 1])
            together: Sequence[tuple[int, ...]] = [(tile,) for tile in range(tiles)]
            if step >= GROUPS:
                game = tuple(tile for one in self._way_out(shown, game) for tile in one)
                together = _groups(shown, game, self.board.ruleset.group)
            _swap(together, shown, self.step_size(place), Stream(level.seed, f"steps/{named}/{path}"))
        hidden = list(self.hidable)
        Stream(level.seed, f"face-down/{candidate.number}").shuffle(hidden)
        deal = Deal(self.board, tuple(faces[one] for one in shown), tuple(sorted(hidden[:face_down])))
        solution = self._way_out(shown, game)
        return Dealt(deal, solution) if solution else None

    def faces(self, more: int) -> tuple[str, ...] | None:
        """What the board shows when it may show so many faces more than planned; None when it may not."""
        if not more:
            return self.level.faces
        wanted = len(self.level.faces) + more
        if not self.level.least_faces <= wanted <= len(self.level.drawn):
            return None
        return self.level.drawn[:wanted]

    def step_size(self, place: int) -> int:
        """Swaps of a small change: the later, the fewer."""
        return max(1, len(self.board.layout) >> (4 + place // 2))

    @cached_property
    def hidable(self) -> tuple[int, ...]:
        """The tiles that may lie face down."""
        return self.level.hide.tiles(self.board.layout)

    @cached_property
    def _gates(self) -> Gates:
        """Pairs are dealt and proved under the strictest blocking, so that the way out holds under every reading."""
        pairs_ = self.board.ruleset.id == "pairs"
        return gates(self.board.layout, BLOCKING) if pairs_ else self.board.gates

    @cached_property
    def _pairs(self) -> pairs.Board:
        return pairs.Board(self._gates)

    def _laid(self, candidate: Candidate, faces: tuple[str, ...]) -> tuple[list[int], tuple[int, ...]] | None:
        """Who shows what before any swap, faces numbered, and the game that wins it, tile by tile, where one is known.

        None when it cannot be dealt.
        """
        level, rules, style = self.level, self.board.ruleset, STYLES[candidate.style]
        count = len(self.board.layout)
        if style.play == "plain":
            try:
                dealt = deal_faces(self.board, faces, level.seed, attempt=candidate.number)
            except Stuck:
                return None
            number = {face: index for index, face in enumerate(faces)}
            return [number[face] for face in dealt.deal.faces], tuple(tile for one in dealt.solution for tile in one)
        chance = Stream(level.seed, f"faces/{candidate.style}/{candidate.number}")
        numbers = [str(index) for index in range(len(faces))]
        groups = [int(one) for one in face_groups(numbers, count // rules.group, chance)]
        laid = [face for face in groups for _ in range(rules.group)]
        if style.play == "uniform":
            chance.shuffle(laid)
            return laid, ()
        slots = 0 if style.tight or rules.id == "pairs" else rules.tray
        made = dealing.games(
            self._gates, laid, group=rules.group, style=style.play, slots=slots, seed=chance.word(), count=1
        )[0]  # fmt: skip
        return None if made is None else (list(made[0]), made[1])

    def _way_out(self, shown: list[int], game: tuple[int, ...]) -> Solution:
        """A way to win, empty when there is none or it is not found cheaply; `game` is tried before any search."""
        rules = self.board.ruleset
        if rules.id == "pairs":
            couples = tuple(zip(game[::2], game[1::2], strict=True))
            if couples and all(shown[one] == shown[other] for one, other in couples):
                return couples
            budget = PROOF_BUDGET if len(shown) <= BIG_PAIRS else BIG_PROOF_BUDGET
            return self._pairs.solve(shown, budget=budget).couples
        if game and _fits(shown, game, rules):
            return tuple((tile,) for tile in game)
        answer = triples.solve(self._gates, shown, cap=rules.tray, group=rules.group, budget=PROOF_BUDGET)
        return tuple((tile,) for tile in answer.picks)


def _fits(shown: list[int], game: tuple[int, ...], rules: Ruleset) -> bool:
    """Whether the tray holds out when the tiles, each free by then, are picked in that order."""
    waiting: dict[int, int] = {}
    held = 0
    for tile in game:
        waiting[shown[tile]] = (waiting.get(shown[tile], 0) + 1) % rules.group
        held += 1
        if not waiting[shown[tile]]:
            held -= rules.group
        elif held == rules.tray:
            return False
    return not held


def _groups(shown: list[int], game: tuple[int, ...], group: int) -> list[tuple[int, ...]]:
    """The tiles that leave together when they leave in that order."""
    open_groups: dict[int, list[int]] = {}
    found = []
    for tile in game:
        members = open_groups.setdefault(shown[tile], [])
        members.append(tile)
        if len(members) == group:
            found.append(tuple(open_groups.pop(shown[tile])))
    return found


def _swap(together: Sequence[tuple[int, ...]], shown: list[int], times: int, stream: Stream) -> None:
    """So many times two tiles that show different faces swap them, or two groups, in place."""
    if len({shown[tiles[0]] for tiles in together}) < 2:
        return
    for _ in range(times):
        one, other = stream.choice(together), stream.choice(together)
        while shown[one[0]] == shown[other[0]]:
            other = stream.choice(together)
        for left, right in zip(one, other, strict=True):
            shown[left], shown[right] = shown[right], shown[left]
