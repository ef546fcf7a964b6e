"""Guess-free: some strategy wins whatever the face-down tiles show, and lifting in any order never loses level 1."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import permutations

import pytest

from levelgen.board import Deal, Position
from levelgen.moves import Move
from levelgen.seed import Stream
from levelgen.solve.dfs import search
from levelgen.solve.guess_free import Plan, guess_free, lifts_never_lose, plan_findings
from tests.boards import board, heap, random_deal, under

OPEN = "aa.bb.cc.AA.BB.CC\naa.bb.cc.AA.BB.CC"


def worlds(deal: Deal) -> tuple[Deal, ...]:
    """Every deal with the same hidden faces in another arrangement."""
    arrangements = sorted(set(permutations(deal.faces[tile] for tile in deal.face_down)))
    found = []
    for arrangement in arrangements:
        faces = list(deal.faces)
        for tile, face in zip(deal.face_down, arrangement, strict=True):
            faces[tile] = face
        found.append(replace(deal, faces=tuple(faces)))
    return tuple(found)


def naive_guess_free(deal: Deal) -> bool:
    """The definition itself: one move for all worlds that look alike, then each look by itself; no reductions."""

    def look(position: Position) -> tuple[object, ...]:
        shown = [face for tile, face in enumerate(position.deal.faces) if not position.hidden >> tile & 1]
        return position.remaining, position.hidden, position.tray, tuple(shown)

    @cache
    def wins(alike: frozenset[Position]) -> bool:
        some = next(iter(alike))
        if some.won:
            return True
        for move in some.moves():
            looks: dict[tuple[object, ...], set[Position]] = {}
            for position in alike:
                assert position.refusal(move) is None
                child = position.after(move)
                looks.setdefault(look(child), set()).add(child)
            if all(wins(frozenset(group)) for group in looks.values()):
                return True
        return False

    return wins(frozenset(world.start for world in worlds(deal)))


def test_open_face_down_tiles_with_open_mates_are_guess_free() -> None:
    answer = guess_free(board(OPEN))
    assert answer.verdict == "yes"
    assert answer.plan is not None
    assert len(answer.plan.branches) == 3


def test_the_plan_wins_in_every_world() -> None:
    deal = board(OPEN)
    plan = guess_free(deal).plan
    assert plan is not None
    for world in worlds(deal):
        position, step = world.start, plan
        while not position.won:
            for move in step.moves:
                position = position.play(move)
            if step.branches:
                step = dict(step.branches)[world.faces[step.moves[-1].tiles[0]]]
        assert position.won


@pytest.mark.parametrize("mode", ["lift", "flip"])
def test_the_search_agrees_with_the_definition(mode: str) -> None:
    answers: Counter[tuple[str, bool]] = Counter()
    for index in range(80):
        stream = Stream("guess-free", f"{mode}/{index}")
        deal = random_deal(stream, "pairs", heap(stream, 8, 7, 6), 2 + stream.below(3), 2 + stream.below(2),
                           face_down=mode, tray=2 + stream.below(2))  # fmt: skip
        answer = guess_free(deal)
        assert answer.verdict == ("yes" if naive_guess_free(deal) else "no"), index
        every = all(search(world, 100_000).verdict == "solved" for world in worlds(deal))
        answers[answer.verdict, every] += 1
        if answer.plan is not None:
            assert every
            assert plan_findings(deal, answer.plan) == ()
            assert all(plan_findings(world, answer.plan) == () for world in worlds(deal))
    assert answers["yes", True] >= 10
    assert answers["no", False] + answers["no", True] >= 10


def test_a_board_winnable_in_every_world_may_still_need_a_guess() -> None:
    """B lies under R under A. Two slots: lifting A first wins, lifting B first leaves no room for the R, wherever
    either lies; and nothing but a lift can be played at the start.
    """
    deal = board(
        """
        aa.bb.BB.RR
        aa.bb.BB.RR
        -- 1
        ......RR
        ......RR
        -- 2
        ......AA
        ......AA
        """,
        tray=2,
    )
    assert [search(world, 1000).verdict for world in worlds(deal)] == ["solved", "solved"]
    assert guess_free(deal).verdict == "no"
    assert guess_free(under(deal, tray=3)).verdict == "yes"
    assert guess_free(under(deal, face_down="flip")).verdict == "yes"


def test_every_altered_plan_is_found_out() -> None:
    deal = board(OPEN)
    plan = guess_free(deal).plan
    assert plan is not None
    (first, *others) = plan.branches
    altered = {
        "moves cut off": replace(plan, moves=plan.moves[:-1]),
        "a branch missing": replace(plan, branches=tuple(others)),
        "a branch twice": replace(plan, branches=(first, first, *others)),
        "a branch for another face": replace(plan, branches=(("Z", first[1]), *others)),
        "branches exchanged": replace(plan, branches=((first[0], others[0][1]), (others[0][0], first[1]), others[1])),
        "a move too many": replace(plan, moves=(*plan.moves, Move("match", (3,)))),
        "a refused move": replace(plan, moves=(Move("pair", (3, 4)), *plan.moves)),
        "nothing at all": Plan(()),
    }
    for what, wrong in altered.items():
        assert plan_findings(deal, wrong), what


def test_lifting_in_any_order_never_loses_where_mates_lie_open() -> None:
    assert lifts_never_lose(board(OPEN)).verdict == "yes"


def test_lifting_at_the_wrong_moment_can_lose_a_guess_free_board() -> None:
    """With a tray of two, lifting A and B at once fills it: guess-free, but not in any order."""
    deal = board("aa.bb.AA.BB\naa.bb.AA.BB", tray=2)
    assert guess_free(deal).verdict == "yes"
    assert lifts_never_lose(deal).verdict == "no"
    assert lifts_never_lose(under(deal, tray=3)).verdict == "yes"


def test_three_lifts_block_a_pair_that_must_come_first() -> None:
    """The pair of D lies on the mates and needs two slots: after three lifts it is too late."""
    deal = board("""
        aa.bb.cc.AABB.CC.EE.EE
        aa.bb.cc.AABB.CC.EE.EE
        -- 1
        ..........DD..DD
        ..........DD..DD
    """)
    assert guess_free(deal).verdict == "yes"
    assert lifts_never_lose(deal).verdict == "no"


def test_without_hidden_tiles_guess_free_is_solvable() -> None:
    for index in range(30):
        stream = Stream("nothing-hidden", str(index))
        deal = random_deal(stream, "pairs", heap(stream, 10, 7, 6), 3)
        expected = {"solved": "yes", "unsolvable": "no"}[search(deal, 100_000).verdict]
        assert guess_free(deal).verdict == expected
