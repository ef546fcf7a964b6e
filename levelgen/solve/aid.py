"""Help for players and designers: a hint, and the story of a board that cannot be won."""

from __future__ import annotations

from collections.abc import Iterator

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


def explain(deal: Deal) -> tuple[str, ...]:
    """Why a deal that cannot be won cannot be won, line by line, as far as simple words go.

    What is told first are the tiles that certainly never open: a relaxation lets every tile go that is open together
    with a mate (for triples, with enough mates), without any tray; what it leaves is buried for good. Where that leaves
    nothing, the board is lost by the order of play alone, and the story says how far play gets.
    """
    return tuple(_explain(deal))


def _explain(deal: Deal) -> Iterator[str]:
    buried = _buried(deal.start)
    if buried:
        yield f"{len(buried)} tiles can never leave, whatever is played:"
        yield from (_why_buried(deal, tile, buried) for tile in buried[:12])
        if len(buried) > 12:
            yield f"… and {len(buried) - 12} more"
        return
    if deal.start.full:
        yield f"all {deal.board.ruleset.tray} slots of the tray are occupied, so no move is accepted"
        return
    left, cleared = _furthest(deal.start)
    slots = deal.board.ruleset.tray
    yield "no tile is buried for good: every line of play runs into a dead end by its order"
    count = deal.start.remaining.bit_count()
    yield f"the furthest line tried clears {cleared} of {count} tiles and then leaves {_list(left[:12])}"
    if deal.board.ruleset.id == "triples":
        yield f"the tray of {slots} slots fills up; a larger tray or fewer different faces would help"


def _why_buried(deal: Deal, tile: int, buried: list[int]) -> str:
    """What keeps one of the buried tiles on the board."""
    board, face = deal.board, deal.faces[tile]
    left = sum(1 << other for other in buried)
    mates = [other for other in buried if other != tile and deal.faces[other] == face]
    if board.is_open(tile, left):
        under = [mate for mate in mates if any(tile in way for way in board.opens_when(mate, left))]
        whose = f"it helps to bury its own mate {under[0]}" if under else f"its mates {_list(mates)} stay blocked"
        return f"tile {tile} ({face}) opens but finds no mate: {whose}"
    ways = board.opens_when(tile, left)
    own = [mate for mate in mates if all(mate in way for way in ways)]
    spelt = ", or ".join(_list(way) for way in ways)
    return f"tile {tile} ({face}) is buried by {spelt}" + (f"; {_list(own)} is its own mate" if own else "")


def _buried(start: Position) -> list[int]:
    """The tiles that even a relaxed game leaves, in which a tile goes once it is open together with any mate.

    A face-down tile that may be lifted goes alone, and so does the mate of a tile that waits or was lifted. Triples
    have no buried tiles: a large enough tray can pick every tile of a heap.
    """
    deal, remaining = start.deal, start.remaining
    pairs = deal.board.ruleset.id == "pairs"
    lifts = start.hidden if deal.board.ruleset.face_down == "lift" else 0
    waited = set(start.tray)
    while True:
        ready = list(deal.board.open_tiles(remaining))
        waited |= {deal.faces[tile] for tile in ready if lifts >> tile & 1}
        if pairs:
            shown = [deal.faces[tile] for tile in ready]
            ready = [
                tile
                for tile, face in zip(ready, shown, strict=True)
                if shown.count(face) > 1 or face in waited or lifts >> tile & 1
            ]
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
    return " and ".join(map(str, tiles)) if tiles else "none"
