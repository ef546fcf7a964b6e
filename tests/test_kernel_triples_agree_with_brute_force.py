"""What the kernel says about tray games is what an exhaustive search says: won or not, least tray, mid-game too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from levelgen.evidence import closed_set
from levelgen.seed import Stream
from levelgen.solve.kernel import triples


@dataclass(frozen=True)
class Game:
    """A small random game, perhaps taken up in the middle."""

    gates: tuple[tuple[int], ...]
    faces: tuple[int, ...]
    cap: int
    group: int
    removed: tuple[int, ...]
    tray: tuple[int, ...]

    def tray_after(self, gone: int) -> list[int]:
        tray = list(self.tray)
        for tile, face in enumerate(self.faces):
            if gone >> tile & 1 and tile not in self.removed:
                tray[face] = (tray[face] + 1) % self.group
        return tray

    def can_be_won(self, cap: int) -> bool:
        """By looking at every set of tiles that can be gone."""
        full = (1 << len(self.faces)) - 1
        start = sum(1 << tile for tile in self.removed)
        seen, todo = {start}, [start]
        while todo:
            gone = todo.pop()
            if gone == full:
                return True
            if sum(self.tray_after(gone)) >= cap:
                continue
            for tile, (blockers,) in enumerate(self.gates):
                after = gone | 1 << tile
                if after not in seen and not blockers & ~gone:
                    seen.add(after)
                    todo.append(after)
        return False

    def peak(self, picks: Sequence[int]) -> int:
        """The most slots the picks take; every pick is checked, and that the board is empty at the end."""
        gone, tray, peak = sum(1 << tile for tile in self.removed), list(self.tray), 0
        for tile in picks:
            assert not gone >> tile & 1
            assert not self.gates[tile][0] & ~gone
            gone |= 1 << tile
            tray[self.faces[tile]] += 1
            peak = max(peak, sum(tray))
            tray[self.faces[tile]] %= self.group
        assert gone == (1 << len(self.faces)) - 1
        assert not any(tray)
        return peak


def game(number: int) -> Game:
    stream = Stream("kernel-triples", str(number))
    group = stream.choice((2, 3, 3, 3, 3, 4))
    groups, kinds, density = 1 + stream.below(12 // group), 1 + stream.below(5), stream.below(60)
    faces = [stream.below(kinds) for _ in range(groups)] * group
    stream.shuffle(faces)
    tiles = list(range(len(faces)))
    stream.shuffle(tiles)
    gates = [0] * len(faces)
    for place, tile in enumerate(tiles):
        gates[tile] = sum(1 << blocker for blocker in tiles[:place] if stream.below(100) < density)
    found = Game(tuple((g,) for g in gates), tuple(faces), group + stream.below(4), group, (), (0,) * kinds)
    for _ in range(stream.below(7) if stream.below(2) else 0):
        gone, tray = sum(1 << tile for tile in found.removed), list(found.tray)
        free = [tile for tile in tiles if not gone >> tile & 1 and not gates[tile] & ~gone]
        if not free or sum(tray) >= found.cap:
            break
        tile = stream.choice(free)
        tray[faces[tile]] = (tray[faces[tile]] + 1) % group
        found = Game(found.gates, found.faces, found.cap, group, (*found.removed, tile), tuple(tray))
    return found


GAMES = [game(number) for number in range(2000)]


def ask(found: Game, **changes: int) -> triples.Answer:
    cap = changes.pop("cap", found.cap)
    return triples.solve(found.gates, found.faces, cap=cap, group=found.group, removed=found.removed, tray=found.tray,
                         **changes)  # fmt: skip


def test_a_game_is_solved_exactly_when_some_line_wins() -> None:
    answers = [ask(found) for found in GAMES]
    assert [a.status == "solved" for a in answers] == [found.can_be_won(found.cap) for found in GAMES]
    assert {a.status for a in answers} == {"solved", "unsolvable"}


def test_every_solution_replays_with_the_peak_it_names() -> None:
    for found in GAMES:
        answer = ask(found)
        if answer.status == "solved":
            assert found.peak(answer.picks) == answer.peak <= found.cap


def test_the_minimum_is_the_least_tray_that_wins() -> None:
    for found in GAMES[:600]:
        answer = triples.minimum(found.gates, found.faces, cap=found.cap, group=found.group, removed=found.removed,
                                 tray=found.tray)  # fmt: skip
        if not found.can_be_won(found.cap):
            assert (answer.status, answer.picks, answer.refuted) == ("unsolvable", (), found.cap)
            continue
        assert answer.status == "solved"
        assert found.peak(answer.picks) == answer.peak
        assert answer.refuted == max(answer.peak - 1, -1) or not answer.picks
        assert not answer.picks or not found.can_be_won(answer.peak - 1)


def test_every_unsolvable_game_has_evidence_that_holds() -> None:
    sides = set()
    for found in GAMES:
        evidence = triples.closed_set(found.gates, found.faces, cap=found.cap, group=found.group,
                                      removed=found.removed, tray=found.tray)  # fmt: skip
        if found.can_be_won(found.cap):
            assert evidence is None
            continue
        assert evidence is not None
        sides.add(evidence.backward)
        assert not closed_set.check(found.gates, found.faces, evidence.data, cap=found.cap, group=found.group,
                                    removed=found.removed, tray=found.tray)  # fmt: skip
    assert sides == {False, True}


def test_an_answer_never_changes() -> None:
    assert [ask(found) for found in GAMES[:100]] == [ask(found) for found in GAMES[:100]]


def test_a_spent_budget_is_admitted() -> None:
    found = next(found for found in GAMES if ask(found).nodes > 60)
    assert ask(found, budget=1).status == "undecided"
    assert ask(found, budget=1).picks == ()


def test_little_memory_makes_no_false_answer() -> None:
    for found in GAMES[:400]:
        answer = ask(found, memory=20_000)
        assert answer.status == "undecided" or (answer.status == "solved") == found.can_be_won(found.cap)


def test_a_full_tray_is_dead_and_an_empty_board_is_won() -> None:
    assert triples.solve([(0,)], [0], cap=2, tray=[2]).status == "unsolvable"
    assert triples.solve([(0,)], [0], cap=3, tray=[2]).status == "solved"
    assert triples.solve([], [], cap=3).status == "solved"


@pytest.mark.parametrize("wrong", ["two alternatives", "a blocker off the board", "a whole group in the tray"])
def test_input_that_is_no_such_game_is_refused(wrong: str) -> None:
    gates: list[tuple[int, ...]] = [(0,), (0,), (0,)]
    tray = [0]
    if wrong == "two alternatives":
        gates[0] = (2, 4)
    elif wrong == "a blocker off the board":
        gates[0] = (8,)
    else:
        tray = [3]
    with pytest.raises(ValueError, match="kernel does not take"):
        triples.solve(gates, [0, 0, 0], cap=7, tray=tray)


def test_gates_that_wait_for_one_another_cannot_be_won() -> None:
    assert triples.solve([(2,), (1,), (0,)], [0, 0, 0], cap=7).status == "unsolvable"
