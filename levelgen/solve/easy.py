"""Boards with so many copies of a face that almost any order of play wins: a few games played at random, by the law.

The kernel's search names every couple of alike tiles; with hundreds of copies there are too many to name, and none is
needed. What is played here is a solution or nothing: that no game was won says nothing about the board.
"""

from __future__ import annotations

from levelgen.board import Deal, Position
from levelgen.moves import Move
from levelgen.seed import Stream

MANY = 48
"""Copies of one face from which on games are played before anything is searched."""
GAMES = 24


def lucky_game(deal: Deal) -> tuple[Move, ...]:
    """The moves of a won game, or none. Deterministic: game k draws from the stream `game/k` of the deal's digest."""
    seed = deal.digest()
    for number in range(GAMES):
        moves = _play(deal.start, Stream(seed, f"game/{number}"))
        if moves:
            return moves
    return ()


def _play(position: Position, stream: Stream) -> tuple[Move, ...]:
    moves: list[Move] = []
    while not position.won:
        step = _step(position, stream)
        if not step:
            return ()
        for move in step:
            if position.refusal(move):
                return ()
            position = position.after(move)
            moves.append(move)
    return tuple(moves)


def _step(position: Position, stream: Stream) -> list[Move]:
    """Moves that complete a group of open tiles, of a face drawn among those of which enough are open; or none."""
    deal, rules = position.deal, position.deal.board.ruleset
    ready: dict[str, list[int]] = {}
    for tile in deal.board.open_tiles(position.remaining):
        ready.setdefault(deal.faces[tile], []).append(tile)
    enough = [face for face, tiles in ready.items() if len(tiles) + position.tray.count(face) >= rules.group]
    if not enough:
        return []
    face = stream.choice(enough)
    tiles = ready[face]
    taken = [tiles.pop(stream.below(len(tiles))) for _ in range(rules.group - position.tray.count(face))]
    if rules.id == "triples":
        return [Move("pick", (tile,)) for tile in taken]
    down = [tile for tile in taken if position.hidden >> tile & 1]
    reveal = [Move(rules.face_down, (tile,)) for tile in down]
    if len(taken) == 1:
        return reveal or [Move("match", (taken[0],))]
    if rules.face_down == "flip" or not down:
        return [*reveal, Move("pair", (taken[0], taken[1]))]
    shown = [tile for tile in taken if tile not in down]
    return [*reveal, *(Move("match", (tile,)) for tile in shown)]
