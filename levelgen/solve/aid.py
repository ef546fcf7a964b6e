"""Help for players and designers: a hint, and the story of a board that cannot be won."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from levelgen.board import Deal, Position, tiles_of
from levelgen.errors import Undecided
from levelgen.moves import Move
from levelgen.solve import BUDGETS, prove


def hint(position: Position, budget: int | None = None) -> Move | None:
    """The first move of a solution from `position`, or None when it is proved that there is none.

    Raises:
        Undecided: the budget was spent before.
    """
    proof = prove(as_deal(position), budget=budget or BUDGETS["kernel"])
    if proof.verdict == "undecided":
        raise Undecided.of("hint/undecided", "no solution was found within the budget, nor is there proof of none")
    return proof.moves[0] if proof.moves else None


def as_deal(position: Position) -> Deal:
    """The position as a deal of its own, taken up in mid-game."""
    deal = position.deal
    gone = tiles_of((1 << len(deal.faces)) - 1 & ~position.remaining)
    return Deal(deal.board, deal.faces, tiles_of(position.hidden), position.tray, gone)


class Scene(NamedTuple):
    """A step of the story of a board that cannot be won: a sentence, and the tiles it is about."""

    text: str
    buried: tuple[int, ...] = ()
    """Tiles that stay."""
    by: tuple[int, ...] = ()
    """The tiles that keep them where they are."""
    gone: tuple[int, ...] = ()
    """Tiles that have left by then."""


TOLD = 12
"""So many tiles of a circle are told of one by one."""


def explain(deal: Deal) -> tuple[Scene, ...]:
    """Why a deal that cannot be won cannot be won, scene by scene, as far as simple words go.

    What is told first are the tiles that certainly never leave: a relaxation lets every tile go that is open once a
    mate is or was open, without any tray; what it leaves is buried for good. Out of these a small circle is told tile
    by tile, each of which waits for others of the circle only. Where the relaxation leaves nothing, the board is lost
    by the order of play alone, and the story says how far play gets.
    """
    return tuple(_explain(deal))


def _explain(deal: Deal) -> Iterator[Scene]:
    start = deal.start
    buried = _buried(start)
    if buried:
        left = sum(1 << tile for tile in buried)
        gone = tiles_of(start.remaining & ~left)
        yield Scene(f"{len(buried)} tiles can never leave, whatever is played", tuple(buried), (), gone)
        circle = _circle(deal, buried, left)
        tiles = tuple(circle)
        if len(buried) > len(circle):
            text = f"{_list(tiles[:TOLD])} are enough to see why: each waits for another of them"
            yield Scene(text, tiles, (), gone)
        for tile in tiles[:TOLD]:
            yield Scene(_waits(deal, tile, circle[tile]), (tile,), circle[tile], gone)
        if len(circle) > TOLD:
            yield Scene(f"… and {len(circle) - TOLD} more", tiles, (), gone)
        return
    if start.full:
        yield Scene(f"all {deal.board.ruleset.tray} slots of the tray are occupied, so no move is accepted")
        return
    left_over, cleared = _furthest(start)
    slots = deal.board.ruleset.tray
    yield Scene("no tile is buried for good: every line of play runs into a dead end by its order")
    count = start.remaining.bit_count()
    gone = tuple(tile for tile in tiles_of(start.remaining) if tile not in set(left_over))
    text = f"the furthest line tried clears {cleared} of {count} tiles and then leaves {_list(left_over[:TOLD])}"
    yield Scene(text, left_over, (), gone)
    if deal.board.ruleset.id == "triples":
        yield Scene(f"the tray of {slots} slots fills up; a larger tray or fewer different faces would help")


def _circle(deal: Deal, buried: list[int], left: int) -> dict[int, tuple[int, ...]]:
    """A small set of buried tiles that keep each other: for each the ones of the set it waits for, in that order.

    A tile waits for blockers that meet every way in which it could open, or, where it is open, for its mates.
    """
    smallest: dict[int, tuple[int, ...]] = {}
    for first in buried:
        circle: dict[int, tuple[int, ...]] = {}
        waiting = [first]
        while waiting and (not smallest or len(circle) < len(smallest)):
            tile = waiting.pop()
            if tile in circle:
                continue
            circle[tile] = _held_by(deal, tile, buried, left, circle)
            waiting += reversed(circle[tile])
        if not waiting and (not smallest or len(circle) < len(smallest)):
            smallest = circle
    return smallest


def _held_by(
    deal: Deal, tile: int, buried: list[int], left: int, known: Mapping[int, tuple[int, ...]]
) -> tuple[int, ...]:
    if deal.board.is_open(tile, left):
        return tuple(other for other in buried if other != tile and deal.faces[other] == deal.faces[tile])
    chosen: list[int] = []
    for way in deal.board.opens_when(tile, left):
        if not any(other in chosen for other in way):
            chosen.append(next((other for other in way if other in known), way[-1]))
    return tuple(chosen)


def _waits(deal: Deal, tile: int, others: tuple[int, ...]) -> str:
    """What keeps one of the buried tiles on the board, in words."""
    face = deal.faces[tile]
    mates = [other for other in others if deal.faces[other] == face]
    if not others:
        return f"tile {tile} ({face}) has no mate that it could leave with"
    if len(mates) == len(others) and deal.board.is_open(tile, sum(1 << other for other in others) | 1 << tile):
        return f"tile {tile} ({face}) opens but finds no mate: {_list(others)} must open first"
    own = f"; {_list(mates)} is its own mate" if mates else ""
    return f"tile {tile} ({face}) cannot open while {_list(others)} {'stays' if len(others) == 1 else 'stay'}{own}"


def _buried(start: Position) -> list[int]:
    """The tiles that even a relaxed game leaves, in which a tile goes once it is open and a mate is or was open.

    A face-down tile that may be lifted goes alone, and so does the mate of a tile that waits. Triples have no buried
    tiles: a large enough tray can pick every tile of a heap.
    """
    deal, remaining = start.deal, start.remaining
    pairs = deal.board.ruleset.id == "pairs"
    lifts = start.hidden if deal.board.ruleset.face_down == "lift" else 0
    seen: dict[str, set[int]] = {face: {-1} for face in start.tray}
    """By face: the tiles that have been open at some time, -1 for those in the tray."""
    while True:
        ready = list(deal.board.open_tiles(remaining))
        for tile in ready:
            seen.setdefault(deal.faces[tile], set()).add(tile)
        if pairs:
            ready = [tile for tile in ready if lifts >> tile & 1 or seen[deal.faces[tile]] - {tile}]
        if not ready:
            return list(tiles_of(remaining))
        for tile in ready:
            remaining &= ~(1 << tile)


def _furthest(start: Position, limit: int = 2_000) -> tuple[tuple[int, ...], int]:
    """The fewest tiles that a bounded depth-first look leaves, and how many it cleared."""
    best, seen, stack = start, {start}, [start]
    while stack and len(seen) < limit:
        position = stack.pop()
        if position.remaining.bit_count() < best.remaining.bit_count():
            best = position
        for move in position.moves():
            after = position.after(move)
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return tiles_of(best.remaining), start.remaining.bit_count() - best.remaining.bit_count()


def _list(tiles: tuple[int, ...] | list[int]) -> str:
    if len(tiles) > 2:
        return ", ".join(map(str, tiles[:-1])) + f" and {tiles[-1]}"
    return " and ".join(map(str, tiles)) if tiles else "none"
