"""Deals are made by reverse play: winnable by construction, seeded, each draw from its own stream."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from levelgen.board import Board
from levelgen.certificate import moves_under, replay_under
from levelgen.deal import Dealt, Stuck, deal_faces, face_groups
from levelgen.errors import Malformed
from levelgen.layout import Layout, parse
from levelgen.replay import replay
from levelgen.rules import BLOCKING, RULESETS, gates
from levelgen.seed import Stream

HEAP = parse(
    """\
aabbccddee
aabbccddee
ffgghhiijj
ffgghhiijj
kkllmmnnoo
kkllmmnnoo
-- 1
.ppqqrrss
.ppqqrrss
.ttuuvvww
.ttuuvvww
-- 2
..xxyyzz
..xxyyzz
"""
)[0]
SEEDS = [f"seed-{number}" for number in range(25)]
FACES = ("moon", "sun", "star")


def pairs_deal(seed: str, face_down: int = 0) -> Dealt:
    board = Board.compile(Layout.of(HEAP.slots[:-2]), RULESETS["pairs"])
    for attempt in range(50):
        try:
            return deal_faces(board, FACES, seed, attempt=attempt, face_down=face_down)
        except Stuck:
            continue
    raise AssertionError("fifty attempts got stuck")


def triples_deal(seed: str) -> Dealt:
    return deal_faces(Board.compile(Layout.of(HEAP.slots[:24]), RULESETS["triples"]), FACES, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pairs_deal_is_won_by_its_own_way_out_under_every_reading(seed: str) -> None:
    dealt = pairs_deal(seed, face_down=4)
    verdicts = replay_under(dealt.deal, dealt.solution)
    assert len(verdicts) == 16
    assert {verdict.verdict for verdict in verdicts.values()} == {"won"}


@pytest.mark.parametrize("seed", SEEDS)
def test_both_tiles_of_every_pair_are_open_at_once_under_the_strictest_blocking(seed: str) -> None:
    dealt = pairs_deal(seed)
    strict = gates(dealt.deal.board.layout, BLOCKING)
    remaining = dealt.deal.start.remaining
    for pair in dealt.solution:
        for tile in pair:
            assert any(not blockers & remaining for blockers in strict[tile])
        remaining &= ~sum(1 << tile for tile in pair)
    assert remaining == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_triples_deal_is_won_by_its_own_way_out(seed: str) -> None:
    dealt = triples_deal(seed)
    verdict = replay(dealt.deal, moves_under(dealt.deal.board.ruleset, (), dealt.solution))
    assert verdict.verdict == "won"
    assert verdict.peak <= 7


def test_triples_deals_use_the_tray_and_not_only_three_slots_of_it() -> None:
    peaks = [
        replay(dealt.deal, moves_under(dealt.deal.board.ruleset, (), dealt.solution)).peak
        for dealt in map(triples_deal, SEEDS)
    ]
    assert max(peaks) >= 6


def test_every_deal_is_a_valid_level() -> None:
    for seed in SEEDS:
        assert pairs_deal(seed, face_down=3).deal.violations() == ()
        assert triples_deal(seed).deal.violations() == ()


def test_the_same_seed_deals_the_same_board_and_another_attempt_another() -> None:
    board = Board.compile(HEAP, RULESETS["triples"])
    board24 = Board.compile(Layout.of(HEAP.slots[:24]), RULESETS["triples"])
    assert board != board24
    assert deal_faces(board24, FACES, "a") == deal_faces(board24, FACES, "a")
    assert deal_faces(board24, FACES, "a") != deal_faces(board24, FACES, "a", attempt=1)
    assert deal_faces(board24, FACES, "a") != deal_faces(board24, FACES, "b")


def test_hiding_tiles_leaves_faces_and_way_out_alone() -> None:
    shown, hidden = pairs_deal("a"), pairs_deal("a", face_down=5)
    assert shown.solution == hidden.solution
    assert shown.deal.faces == hidden.deal.faces
    assert len(hidden.deal.face_down) == 5
    more = pairs_deal("a", face_down=6).deal.face_down
    assert set(hidden.deal.face_down) < set(more)


@pytest.mark.parametrize("attempt", [0, 1, 2])
def test_which_tiles_are_hidden_is_drawn_from_the_stream_of_the_attempt(attempt: int) -> None:
    rows = Board.compile(parse("aabbccddeeff\naabbccddeeff")[0], RULESETS["pairs"])
    dealt = deal_faces(rows, FACES, "a", attempt=attempt, face_down=5)
    tiles = list(range(6))
    Stream("a", f"face-down/{attempt}").shuffle(tiles)
    assert dealt.deal.face_down == tuple(sorted(tiles[:5]))


@pytest.mark.parametrize("blocking", [(), ("cover",), ("cover", "horizontal")])
def test_the_way_out_is_the_strictest_whatever_the_ruleset_blocks(blocking: tuple[str, ...]) -> None:
    layout = Layout.of(HEAP.slots[:-2])
    lax = Board.compile(layout, replace(RULESETS["pairs"], blocking=blocking))
    strict = Board.compile(layout, RULESETS["pairs"])
    for seed in SEEDS[:5]:
        for attempt in range(50):
            try:
                expected = deal_faces(strict, FACES, seed, attempt=attempt)
            except Stuck:
                with pytest.raises(Stuck):
                    deal_faces(lax, FACES, seed, attempt=attempt)
                continue
            found = deal_faces(lax, FACES, seed, attempt=attempt)
            assert (found.solution, found.deal.faces) == (expected.solution, expected.deal.faces)
            break


def test_every_face_is_dealt_in_whole_groups_and_about_equally_often() -> None:
    counts = Counter(pairs_deal("a").deal.faces)
    assert set(counts) == set(FACES)
    assert all(count % 2 == 0 for count in counts.values())
    assert max(counts.values()) - min(counts.values()) <= 2


def test_face_groups_refuse_more_faces_than_groups() -> None:
    with pytest.raises(Malformed, match="2 groups cannot show 3 different faces"):
        face_groups(FACES, 2, Stream("a", "b"))


def test_a_count_the_group_does_not_divide_is_refused() -> None:
    with pytest.raises(Malformed, match="20 tiles cannot be dealt in groups of 3"):
        deal_faces(Board.compile(Layout.of(HEAP.slots[:20]), RULESETS["triples"]), FACES, "a")


def test_a_board_whose_last_tiles_are_stacked_gets_stuck_and_says_so() -> None:
    tower = parse("aa\naa\n-- 1\nbb\nbb\n")[0]
    with pytest.raises(Stuck, match="no pair can be put back"):
        deal_faces(Board.compile(tower, RULESETS["pairs"]), ("sun",), "a")


def test_triples_have_no_face_down_tiles() -> None:
    with pytest.raises(Malformed, match="face down in triples"):
        deal_faces(Board.compile(Layout.of(HEAP.slots[:24]), RULESETS["triples"]), FACES, "a", face_down=1)
