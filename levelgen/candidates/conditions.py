"""What the curve asks of a level besides its number: a tray, no guessing, how often players win.

    conditions = Conditions(level, aim)
    conditions.hold(dealt)                # by what the deal shows, the kernel proves, the law says
    conditions.wins(deal, figures)        # by how often players win it

Nothing undecided holds. What the questions may cost is counted in work for a level as a whole, so that one that cannot
be answered yes is given up after bounded work.
"""

from __future__ import annotations

from collections.abc import Mapping

from levelgen.board import Deal
from levelgen.certificate import moves_under
from levelgen.deal import Dealt
from levelgen.evidence import with_slots
from levelgen.rate import guests
from levelgen.recipe import Aim, LevelPlan
from levelgen.replay import replay
from levelgen.solve import fast
from levelgen.solve.guess_free import lifts_never_lose

SEED = "levelgen"
"""The bots' seed: one for all, so that a board's number depends on the board only."""
PAR_BUDGET, PAR_WORK = 50_000, 3_000_000
"""Nodes that the question of the tray may cost: of one candidate, and of all of a level."""
GUESS_BUDGET, GUESS_WORK = 10_000, 100_000
"""States of knowledge that the question of guessing may cost."""
BIG, BIG_GUESS_BUDGET, BIG_GUESS = 200, 20, 5_000
"""On boards with more tiles than this, so many states, and what an answer costs at least: a state is dear there."""
LIFT_BUDGET, LIFT_WORK = 20_000, 60_000
"""States of knowledge that the question of revealing in any order may cost."""
NOTHING = 10
"""What a question costs at least: with none of the work left, all answers are no."""


class Conditions:
    """The conditions of one level, and what asking for them has shown."""

    def __init__(self, level: LevelPlan, aim: Aim) -> None:
        self.level = level
        self.aim = aim
        self.asked = 0
        """Candidates that were asked for anything."""
        self.kept = 0
        """Of them, those that keep everything."""
        self.won: dict[str, list[int]] = {one.name: [] for one in aim.wins}
        """How often each player asked about won them, in thousandths."""
        self._left = {"par": PAR_WORK, "guess": GUESS_WORK, "lifts": LIFT_WORK}

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return self.aim.par is not None or self.aim.guess_free or self.level.guess_free or bool(self.aim.wins)

    @property
    def spent(self) -> bool:
        """Whether nothing more can be asked."""
        return min(self._left.values()) < NOTHING

    def hold(self, dealt: Dealt) -> bool:
        """Whether a deal keeps what can be asked without playing."""
        held = self._tray(dealt) and self._guesses(dealt.deal) and self._lifts(dealt.deal)
        self.asked += 1
        self.kept += held and not self.aim.wins
        return held

    def wins(self, deal: Deal, figures: Mapping[str, int]) -> bool:
        """Whether each player wins as often as it shall; `figures` are those of the deal's full rating."""
        if not self.aim.wins:
            return True
        rates = {**figures, **guests.figures(deal, self.won, SEED)}
        held = True
        for one in self.aim.wins:
            rate = rates[f"{guests.PREFIX}{one.name}_win" if guests.player(one.name) else f"{one.name}_win"]
            self.won[one.name].append(rate)
            held = held and 10 * one.first <= rate <= 10 * one.last
        self.kept += held
        return held

    @property
    def hopeless(self) -> bool:
        """Whether no candidate has kept them, and nothing says that one between those asked might."""
        if self.kept or not self.asked:
            return False
        played = [(one, self.won[one.name]) for one in self.aim.wins]
        return not played or not all(
            rates and min(rates) <= 10 * one.last and max(rates) >= 10 * one.first for one, rates in played
        )

    def told(self) -> str:
        """What was found instead of what is asked for; empty when something keeps it."""
        if self.kept or not self.asked:
            return ""
        said = [
            f"{one} shall win {one.first} to {one.last} percent, and in the {len(rates)} nearest wins "
            f"{_percent(min(rates))} to {_percent(max(rates))}"
            for one in self.aim.wins
            if (rates := self.won[one.name])
        ]
        if said:
            return "; ".join(said)
        aim = self.aim
        asked = [
            *([f"par {aim.par}"] if aim.par else []),
            *(["guess_free"] if aim.guess_free or self.level.guess_free else []),
        ]
        return f"{' and '.join(asked)} is proved of none of the {self.asked} nearest"

    def _tray(self, dealt: Dealt) -> bool:
        slots = self.aim.par
        if slots is None or peak(dealt) <= slots:
            return True
        budget = min(PAR_BUDGET, self._left["par"])
        if budget < NOTHING:
            return False
        proof = fast.prove(with_slots(dealt.deal, slots), budget)
        self._left["par"] -= max(NOTHING, proof.work)
        return proof.verdict == "solved"

    def _guesses(self, deal: Deal) -> bool:
        if not (self.aim.guess_free or self.level.guess_free) or not deal.face_down:
            return True
        big = len(deal.faces) > BIG
        budget = min(BIG_GUESS_BUDGET if big else GUESS_BUDGET, self._left["guess"])
        if budget < NOTHING:
            return False
        value, work = fast.guesses(deal, budget)
        self._left["guess"] -= max(BIG_GUESS if big else NOTHING, work)
        return value == "yes"

    def _lifts(self, deal: Deal) -> bool:
        if not self.level.guess_free or not deal.face_down:
            return True
        budget = min(LIFT_BUDGET, self._left["lifts"])
        if budget < NOTHING:
            return False
        answer = lifts_never_lose(deal, budget)
        self._left["lifts"] -= max(NOTHING, answer.work)
        return answer.verdict == "yes"


def peak(dealt: Dealt) -> int:
    """Tray slots that the deal's own way out takes at most, as a tile enters and before anything clears."""
    deal = dealt.deal
    return replay(deal, moves_under(deal.board.ruleset, deal.face_down, dealt.solution)).peak


def _percent(rate: int) -> str:
    return f"{rate // 10}.{rate % 10}"
