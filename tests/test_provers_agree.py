"""Provers that share no idea give the same verdict, and so does brute force written for this test alone."""

from __future__ import annotations

from collections import Counter

import pytest

from levelgen.board import Board, Deal
from levelgen.certificate import moves_under
from levelgen.deal import deal_faces
from levelgen.errors import LevelgenError, Malformed
from levelgen.layout import Layout
from levelgen.level import CROSS_CHECK, cross_check_budget
from levelgen.rules import RULESETS
from levelgen.seed import Stream
from levelgen.solve import BUDGETS, PROVERS, prove
from levelgen.solve.dfs import robust_pairs, search
from levelgen.solve.proof import Proof, confirm
from tests.boards import board, heap, random_deal, under

STRICT = ("cover", "horizontal", "vertical")
BLOCKINGS = (STRICT, ("cover", "horizontal"), ("cover", "vertical"), ("horizontal", "vertical"), ("cover",))
BOARDS = 200


def small(base: str, index: int, tiles: int) -> Deal:
    """The index-th small board of a ruleset: random heap, faces, hidden tiles, tray and reading."""
    stream = Stream("provers-agree", f"{base}/{tiles}/{index}")
    layout = heap(stream, tiles, 7, 6)
    if base == "triples":
        return random_deal(stream, base, layout, 2 + stream.below(3), tray=3 + stream.below(2))
    return random_deal(
        stream, base, layout, 2 + stream.below(3), stream.below(6), tray=2 + stream.below(2),
        blocking=stream.choice(BLOCKINGS), face_down=stream.choice(["lift", "lift", "flip"]),
    )  # fmt: skip


def midgame(deal: Deal, index: int) -> Deal:
    """The deal taken up after up to three random moves, tray included."""
    stream = Stream("provers-agree/midgame", str(index))
    position = deal.start
    for _ in range(stream.below(4)):
        choices = list(position.moves())
        if choices:
            position = position.after(stream.choice(choices))
    gone = tuple(tile for tile in range(len(deal.faces)) if not position.remaining >> tile & 1)
    hidden = tuple(tile for tile in deal.face_down if position.hidden >> tile & 1)
    return Deal(deal.board, deal.faces, hidden, position.tray, gone)


@pytest.mark.parametrize("base", ["pairs", "triples"])
def test_depth_first_and_constraint_solving_agree(base: str) -> None:
    verdicts: Counter[str] = Counter()
    for index in range(BOARDS):
        sizes = (8, 10, 12) if base == "pairs" else (9, 12)
        deal = midgame(small(base, index, sizes[index % len(sizes)]), index)
        found = {name: prove(deal, name).verdict for name in PROVERS}
        assert len(set(found.values())) == 1, (index, found)
        assert search(deal, BUDGETS["dfs"]).verdict == found["dfs"]
        verdicts[found["dfs"]] += 1
    assert sum(verdicts.values()) == BOARDS
    assert min(verdicts["solved"], verdicts["unsolvable"]) >= BOARDS // 5, verdicts


def brute_force(deal: Deal) -> bool:
    """Whether the deal can be won: the rules page once more, on sets, geometry and lists; no gates, no memory."""
    slots, faces, rules = deal.board.layout.slots, deal.faces, deal.board.ruleset

    def is_open(tile: int, there: frozenset[int]) -> bool:
        x, y, z = slots[tile]
        near = [(slots[o].x - x, slots[o].y - y, slots[o].z - z) for o in there if o != tile]
        sides = {
            name: any(dz == 0 and (dx, dy)[axis] == step and abs((dy, dx)[axis]) < 2 for dx, dy, dz in near)
            for name, axis, step in (("left", 0, -2), ("right", 0, 2), ("upper", 1, -2), ("lower", 1, 2))
        }
        covered = any(dz > 0 and abs(dx) < 2 and abs(dy) < 2 for dx, dy, dz in near)
        return not (
            ("cover" in rules.blocking and covered)
            or ("horizontal" in rules.blocking and sides["left"] and sides["right"])
            or ("vertical" in rules.blocking and sides["upper"] and sides["lower"])
        )

    def enter(tray: list[str], face: str) -> list[str]:
        entered = [*tray, face]
        return entered if entered.count(face) < rules.group else [other for other in entered if other != face]

    def wins(there: frozenset[int], hidden: frozenset[int], tray: list[str]) -> bool:
        if not there and not tray:
            return True
        opened = [tile for tile in there if is_open(tile, there)]
        room = rules.tray - len(tray)
        for tile in opened:
            flips = tile in hidden and rules.face_down == "flip"
            if flips and wins(there, hidden - {tile}, tray):
                return True
            lifts = tile in hidden and not flips
            enters = rules.id == "triples" or lifts or (tile not in hidden and faces[tile] in tray)
            if enters and room >= 1 and wins(there - {tile}, hidden - {tile}, enter(tray, faces[tile])):
                return True
            for mate in opened if rules.id == "pairs" and room >= 2 and tile not in hidden else ():
                alike = mate > tile and faces[mate] == faces[tile] and mate not in hidden
                if alike and wins(there - {tile, mate}, hidden, tray):
                    return True
        return False

    return wins(frozenset(range(len(slots))) - set(deal.removed), frozenset(deal.face_down), list(deal.tray))


@pytest.mark.parametrize(("base", "tiles"), [("pairs", 6), ("pairs", 8), ("triples", 6), ("triples", 9)])
def test_provers_agree_with_brute_force_on_tiny_boards(base: str, tiles: int) -> None:
    verdicts: Counter[str] = Counter()
    for index in range(60):
        deal = small(base, index, tiles)
        if tiles == 9:
            deal = under(deal, tray=3)
        expected = "solved" if brute_force(deal) else "unsolvable"
        assert search(deal, BUDGETS["dfs"]).verdict == expected, index
        assert prove(deal, "cpsat").verdict == expected, index
        verdicts[expected] += 1
    assert min(verdicts["solved"], verdicts["unsolvable"]) >= 6, verdicts


def test_lift_wins_where_a_face_down_tile_lies_on_its_own_mate() -> None:
    """No robust order exists, yet the lift wins: `robust: no` is not `unsolvable`."""
    deal = board("AA\nAA\n-- 1\naa\naa")
    assert robust_pairs(deal, 1000).verdict == "no"
    assert [str(move) for move in prove(deal).moves] == ["^1", "=0"]
    assert prove(deal, "cpsat").verdict == "solved"
    for name in PROVERS:
        assert prove(under(deal, face_down="flip"), name).verdict == "unsolvable"


def test_a_position_with_waiting_tiles_is_searched_with_its_tray() -> None:
    deal = board("BB\nBB\n-- 1\nAA\nAA", waiting="AB")
    for name in PROVERS:
        assert prove(deal, name).verdict == "solved"
        assert prove(under(deal, tray=2), name).verdict == "unsolvable"
    assert robust_pairs(deal, 1000).verdict == "no"


def test_robust_orders_hold_under_the_strictest_reading_and_brute_force_finds_no_others() -> None:
    verdicts: Counter[str] = Counter()
    for index in range(150):
        deal = under(small("pairs", index, 12), tray=4)
        shown = Deal(under(deal, blocking=STRICT).board, deal.faces)
        robust = robust_pairs(deal, 20_000)
        verdicts[robust.verdict] += 1
        assert robust.verdict == {"solved": "yes", "unsolvable": "no"}[search(shown, 50_000).verdict]
        if robust.verdict == "yes":
            for mode in ("lift", "flip"):
                strict = under(deal, blocking=STRICT, face_down=mode)
                moves = moves_under(strict.board.ruleset, deal.face_down, robust.pairs)
                confirm(strict, Proof("solved", "robust", 0, moves))
    assert min(verdicts["yes"], verdicts["no"]) >= 30, verdicts


def test_a_prover_that_lies_is_a_bug_and_never_believed() -> None:
    deal = board("AA.AA.BB.BB\nAA.AA.BB.BB")
    (first, second) = prove(deal).moves
    for moves in ((first,), (first, first), (first, second, second)):
        with pytest.raises(LevelgenError) as caught:
            confirm(deal, Proof("solved", "liar", 1, moves))
        assert caught.value.exit_code == 70
        assert caught.value.findings[0].code == "solve/false-proof"


def test_an_unknown_prover_is_refused_by_name() -> None:
    with pytest.raises(Malformed):
        prove(board("AA.AA\nAA.AA"), "oracle")


def test_a_level_that_is_won_is_checked_within_seconds_however_big_it_is() -> None:
    layout = Layout.of((2 * x, 2 * y, z) for x in range(14) for y in range(12) for z in range(3))
    dealt = deal_faces(
        Board.compile(layout, RULESETS["pairs"]),
        tuple(f"F{index % 36}" for index in range(252)),
        "big",
    )
    budget = cross_check_budget(dealt.deal, "kernel")
    proof = prove(dealt.deal, "kernel", budget)
    assert proof.verdict != "unsolvable"
    assert proof.work < 1_000_000
    assert cross_check_budget(dealt.deal, "dfs") == CROSS_CHECK["dfs"]


def test_a_level_of_everyday_size_is_checked_in_full() -> None:
    assert cross_check_budget(small("pairs", 0, 12), "kernel") == CROSS_CHECK["kernel"]
