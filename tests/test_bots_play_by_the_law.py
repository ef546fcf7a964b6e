"""Bots make moves that the law accepts, until it accepts none; the blind mind knows only what a player sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.layout import Layout
from levelgen.moves import Move
from levelgen.rate.panel import table
from levelgen.rules import RULESETS, neighbours
from levelgen.seed import Stream
from levelgen.solve.kernel._kernel import lib
from levelgen.solve.kernel.bots import BOTS, Bot, Player, Step, Table
from tests.boards import board, heap, random_deal, ruleset, under

GAMES = {
    "triples": ruleset("triples"),
    "triples, tray of 4": ruleset("triples", tray=4),
    "pairs, lift": ruleset("pairs"),
    "pairs, lift, tray of 2": ruleset("pairs", tray=2),
    "pairs, flip": ruleset("pairs", face_down="flip"),
    "pairs, classic": ruleset("pairs", blocking=("cover", "horizontal")),
    "pairs, nothing covers": ruleset("pairs", blocking=("horizontal",)),
}


def some_deals(game: str, count: int) -> Iterator[Deal]:
    rules = GAMES[game]
    stream = Stream("bots", game)
    for number in range(count):
        tiles = 36 if rules.id == "triples" else 32
        yield random_deal(stream, rules, heap(stream, tiles, 11, 9, 4), 7, 0 if rules.id == "triples" else 3 * number)


def spelt(position: Position, step: Step) -> Move:
    """A move of the kernel in the law's words."""
    kind, tile, mate = step
    if kind == lib.LG_PAIR:
        return Move("pair", (tile, mate))
    rules = position.deal.board.ruleset
    if rules.id == "triples":
        return Move("pick", (tile,))
    return Move(rules.face_down if position.hidden >> tile & 1 else "match", (tile,))


def replayed(deal: Deal, line: tuple[Step, ...]) -> Iterator[Position]:
    """The positions of a line, the first and the last included; the law must accept every move."""
    position = deal.start
    yield position
    for step in line:
        position = position.play(spelt(position, step))
        yield position


@pytest.mark.parametrize("game", GAMES)
def test_every_move_is_accepted_and_the_game_ends_when_none_is(game: str) -> None:
    for deal in some_deals(game, 3):
        dealt = table(deal)
        bots: tuple[Bot, ...] = tuple(BOTS)
        for bot, sees, mistakes in product(bots, (False, True), (0, 300)):
            player = Player(bot, sees, mistakes)
            *_, end = replayed(deal, dealt.game(player, 5, 2))
            assert end.remaining.bit_count() == dealt.games(player, 5, 3)[2].left
            assert end.won or not end.has_move()


def shown(position: Position) -> int:
    """What a player sees: face up, and open or covered by none."""
    above = neighbours(position.deal.board.layout).above
    opened = position.deal.board.open_tiles(position.remaining)
    return sum(
        1 << tile
        for tile in tiles_of(position.remaining & ~position.hidden)
        if tile in opened or not above[tile] & position.remaining
    )


@pytest.mark.parametrize("game", GAMES)
def test_the_blind_mind_does_not_know_hidden_faces(game: str) -> None:
    """Faces exchanged among tiles not shown: the same moves, up to the first that brings another face to light."""
    stream = Stream("bots/swap", game)
    told = 0
    for deal in some_deals(game, 3):
        dark = [tile for tile in range(len(deal.faces)) if not shown(deal.start) >> tile & 1]
        for bot in BOTS:
            faces, order = list(deal.faces), list(dark)
            stream.shuffle(order)
            for tile, other in zip(dark, order, strict=True):
                faces[tile] = deal.faces[other]
            swapped = replace(deal, faces=tuple(faces))
            player = Player(bot, False, 100)
            lines = [table(one).game(player, 3) for one in (deal, swapped)]
            for number, position in enumerate(replayed(deal, lines[0])):
                new = [tile for tile in dark if not position.remaining >> tile & 1 or shown(position) >> tile & 1]
                if any(deal.faces[tile] != faces[tile] for tile in new):
                    told += 1
                    break
                assert lines[0][: number + 1] == lines[1][: number + 1]
    assert told > 5, "the boards must have something to hide"


@pytest.mark.parametrize("game", ["triples", "pairs, lift", "pairs, flip"])
def test_the_seeing_mind_does_know_them(game: str) -> None:
    deals = list(some_deals(game, 6))
    for bot in ("one-ply", "macro", "expert"):
        seeing = [table(deal).game(Player(bot, True), 3) for deal in deals]
        assert seeing != [table(deal).game(Player(bot, False), 3) for deal in deals]


def test_a_game_depends_on_player_seed_and_number_only() -> None:
    (deal,) = some_deals("triples", 1)
    dealt, player = table(deal), Player("greedy", False, 200)
    games = dealt.games(player, 9, 40)
    dealt.games(Player("expert", True), 9, 2)
    assert dealt.games(player, 9, 40) == games
    assert dealt.games(player, 9, 20, first=20) == games[20:]
    assert dealt.games(player, 10, 40) != games
    assert dealt.games(player, 9, 40, budget=300) == games[: len(dealt.games(player, 9, 40, budget=300))]
    assert 1 == len(dealt.games(player, 9, 40, budget=0)) < len(dealt.games(player, 9, 40, budget=300)) < 40


@pytest.mark.parametrize("bot", ["random", "greedy"])
def test_a_game_that_needs_so_many_slots_is_won_with_so_many(bot: Bot) -> None:
    """The bots that do not mind the tray make the same moves with any tray, as long as it lasts."""
    player, needs = Player(bot, False, 100), set()
    for deal in some_deals("triples", 3):
        for number, game in enumerate(table(deal).games(player, 4, 10)):
            needs.add(game.need)
            for slots, won in ((game.need, True), (game.need - 1, False)):
                if slots >= 3:
                    other = under(deal, tray=slots)
                    *_, end = replayed(other, table(other).game(player, 4, number))
                    assert end.won == won
    assert len(needs) > 3


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("sees", [False, True])
def test_what_cannot_be_lost_is_won_and_what_must_stick_sticks(bot: Bot, sees: bool) -> None:
    player = Player(bot, sees, 500)
    easy = Table([(0,)] * 6, [0] * 6, [0, 0, 0, 1, 1, 1], mode="pick", cap=7, group=3)
    assert {game.left for game in easy.games(player, 1, 50)} == {0}
    gates = [(0,), (1,), (2,), (4,), (8,), (16,)]
    chain = Table(gates, [gate[0] for gate in gates], [0, 1, 0, 1, 0, 1], mode="pick", cap=3, group=3)
    assert {game.left for game in chain.games(player, 1, 5)} == {3}


def test_a_position_in_mid_game_is_played_on() -> None:
    deal = board(
        """
        AABBCCDD
        AABBCCDD
        -- 1
        .bb
        .bb
        """,
        waiting="AC", removed=(3,), tray=4,
    )  # fmt: skip
    for bot, seed in product(BOTS, range(5)):
        *_, end = replayed(deal, table(deal).game(Player(bot), seed))
        assert end.won


@pytest.mark.parametrize("game", ["triples", "pairs, lift"])
def test_an_expert_leaves_less_than_the_greedy_and_they_less_than_chance(game: str) -> None:
    tables = [table(deal) for deal in some_deals(game, 12)]
    left = {bot: sum(game.left for one in tables for game in one.games(Player(bot), 3, 60)) for bot in BOTS}
    assert left["expert"] < left["greedy"] < left["random"]


def test_a_walk_counts_what_the_law_counts() -> None:
    for game in GAMES:
        for deal in some_deals(game, 2):
            dealt = table(deal)
            line = dealt.game(Player("one-ply"), 1)
            walk = dealt.follow(line)
            positions = list(replayed(deal, line))
            entering = {lib.LG_PAIR: 2, lib.LG_TURN: 0, lib.LG_PICK: 1}
            assert walk.load == tuple(len(p.tray) + entering[s[0]] for p, s in zip(positions, line, strict=False))
            assert walk.accepted == tuple(len(list(p.moves())) for p in positions[:-1])
            assert walk.shown == tuple(shown(p).bit_count() for p in positions[:-1])
            for position, safe in zip(positions, walk.safe, strict=False):
                after = [position.after(move) for move in position.moves()]
                assert safe == min(2, sum(1 for p in after if not p.remaining or p.has_move()))


def test_a_walk_over_hundreds_of_copies_ends() -> None:
    """Trying every move before every move would take hours here."""
    layout = Layout.of([(3 * (tile % 20), 3 * (tile // 20), 0) for tile in range(400)])
    deal = Deal(Board.compile(layout, RULESETS["pairs"]), ("A",) * 400)
    walk = table(deal).follow([(lib.LG_PAIR, tile, tile + 1) for tile in range(0, 400, 2)])
    assert walk.accepted == tuple(left * (left - 1) // 2 for left in range(400, 0, -2))
    assert walk.safe == (*(2 for _ in range(199)), 1)


def test_a_line_that_the_law_refuses_is_no_walk() -> None:
    (deal,) = some_deals("triples", 1)
    with pytest.raises(ValueError, match="accepted"):
        table(deal).follow([(lib.LG_PICK, 0, -1), (lib.LG_PICK, 0, -1)])
