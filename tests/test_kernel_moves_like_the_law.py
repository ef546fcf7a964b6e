"""Full-depth perft on tiny boards with shrunken trays ties the kernel's moves to the law, for both games and every
switch; its bots and dealers follow from the same moves.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from levelgen.board import Deal, Position
from levelgen.rules import BLOCKING, FACE_DOWN
from levelgen.seed import Stream
from levelgen.solve.kernel import deal as dealing
from levelgen.solve.kernel import play
from tests.boards import heap, random_deal, ruleset

SWITCHES = [chosen for size in range(len(BLOCKING) + 1) for chosen in combinations(BLOCKING, size)]


def perft_by_law(start: Position, depth: int) -> tuple[int, ...]:
    counts = [0] * (depth + 1)

    def walk(position: Position, played: int) -> None:
        counts[played] += 1
        if played < depth:
            for move in position.moves():
                walk(position.after(move), played + 1)

    walk(start, 0)
    return tuple(counts)


def numbers(deal: Deal) -> list[int]:
    names = sorted(set(deal.faces))
    return [names.index(face) for face in deal.faces]


@pytest.mark.parametrize("tray", [3, 4, 7])
def test_triples_have_the_laws_lines_of_play(tray: int) -> None:
    stream = Stream("kernel-perft", f"triples/{tray}")
    for _ in range(8):
        deal = random_deal(stream, ruleset("triples", tray=tray), heap(stream, 6, 5, 5, 3), 2)
        found = play.perft(deal.board.gates, numbers(deal), mode="pick", cap=tray, group=3, depth=6)
        assert found == perft_by_law(deal.start, 6)


@pytest.mark.parametrize("face_down", FACE_DOWN)
@pytest.mark.parametrize("blocking", SWITCHES, ids="+".join)
def test_pairs_have_the_laws_lines_of_play(blocking: tuple[str, ...], face_down: play.Mode) -> None:
    stream = Stream("kernel-perft", f"pairs/{face_down}/{'+'.join(blocking)}")
    for tray in (1, 2, 3, 4):
        for hidden in (0, 1, 3):
            rules = ruleset("pairs", tray=tray, blocking=blocking, face_down=face_down)
            deal = random_deal(stream, rules, heap(stream, 6, 5, 6, 2), 2, hidden)
            found = play.perft(deal.board.gates, numbers(deal), mode=face_down, cap=tray, group=2, depth=9,
                               face_down=deal.face_down)  # fmt: skip
            assert found == perft_by_law(deal.start, 9)


def test_perft_says_when_its_budget_is_spent() -> None:
    assert play.perft([(0,)] * 6, [0, 0, 0, 1, 1, 1], mode="pick", cap=7, group=3, depth=6, budget=100) is None


@pytest.mark.parametrize("style", ["forward", "reverse", "oldest", "alike"])
@pytest.mark.parametrize("slots", [3, 4, 5, 7])
def test_a_dealt_triples_board_can_be_won_with_the_slots_it_was_dealt_for(slots: int, style: dealing.Style) -> None:
    triples = pytest.importorskip("levelgen.solve.kernel.triples")
    stream = Stream("kernel-deal", f"triples/{slots}/{style}")
    deal = random_deal(stream, "triples", heap(stream, 30, 10, 8, 3), 4)
    faces = numbers(deal)
    for dealt in dealing.deals(deal.board.gates, faces, group=3, style=style, slots=slots, seed=5, count=60):
        assert dealt is not None
        assert sorted(dealt) == sorted(faces)
        assert triples.solve(deal.board.gates, dealt, cap=slots).status == "solved"


@pytest.mark.parametrize("style", ["forward", "reverse", "oldest", "alike"])
@pytest.mark.parametrize("blocking", SWITCHES, ids="+".join)
def test_a_dealt_pairs_board_can_be_won(blocking: tuple[str, ...], style: dealing.Style) -> None:
    pairs = pytest.importorskip("levelgen.solve.kernel.pairs")
    stream = Stream("kernel-deal", f"pairs/{style}/{'+'.join(blocking)}")
    rules = ruleset("pairs", blocking=blocking)
    deal = random_deal(stream, rules, heap(stream, 24, 9, 7, 3), 6)
    gates, faces = deal.board.gates, numbers(deal)
    dealt = dealing.deals(gates, faces, group=2, style=style, slots=0, seed=5, count=60, tries=1000)
    assert sum(row is not None for row in dealt) > 30
    for row in dealt:
        if row is not None:
            assert sorted(row) == sorted(faces)
            assert pairs.solve(gates, row).status == "solved"


def test_a_deal_depends_on_its_seed_and_number_only() -> None:
    stream = Stream("kernel-deal", "numbers")
    deal = random_deal(stream, "triples", heap(stream, 30, 10, 8, 3), 4)
    faces = numbers(deal)

    def dealt(seed: int, count: int) -> list[tuple[int, ...] | None]:
        return dealing.deals(deal.board.gates, faces, group=3, style="reverse", slots=5, seed=seed, count=count)

    assert dealt(1, 3) == dealt(1, 8)[:3]
    assert dealt(1, 3) != dealt(2, 3)
    assert len(set(dealt(1, 8))) == 8


def test_removed_tiles_keep_their_faces_and_the_rest_is_dealt() -> None:
    gates = [(0,)] * 9
    faces = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    for row in dealing.deals(gates, faces, group=3, style="forward", slots=3, seed=1, count=20, removed=[0, 1, 2]):
        assert row is not None
        assert row[:3] == (0, 0, 0)
        assert sorted(row[3:]) == faces[3:]


def test_a_board_that_cannot_be_cleared_is_not_dealt() -> None:
    styles: tuple[dealing.Style, ...] = ("forward", "reverse", "oldest", "alike")
    for style in styles:
        circle = [(2,), (1,), (0,)]
        assert dealing.deals(circle, [0, 0, 0], group=3, style=style, slots=3, seed=1, count=2) == [None, None]
