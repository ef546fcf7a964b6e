"""Walks a strategy against hidden faces: the evidence behind `guess_free: yes`, and behind `solved` by lifting.

The player knows which faces lie face down, not where. A strategy says what to play; after a reveal it goes on in one
way for each face the tile may show, names ascending. Walking it by the law, through every branch, is the whole check.

Bytes: unsigned LEB128 numbers, two for a move: `a+1 b+1` pairs a with b, `a+1 0` plays a alone (a lift or flip when it
lies face down, else a match). `0 0` ends a line that has won. Reveals are numbered from 1 in the order written;
`0 r` says: the player knows here what was known before reveal r, and goes on as written there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from levelgen.board import Deal, Position, tiles_of
from levelgen.moves import Move

Knowledge = tuple[object, ...]


def numbers(evidence: bytes) -> Iterator[int]:
    """The numbers of the encoding. Raises ValueError where one is cut off, too long or not in its shortest form."""
    value = shift = 0
    for byte in evidence:
        value |= (byte & 127) << shift
        shift += 7
        if byte > 127 and shift <= 28:
            continue
        if byte > 127 or (byte == 0 and shift > 7):
            raise ValueError("a number is too long")
        yield value
        value = shift = 0
    if shift:
        raise ValueError("a number is cut off")


def check(deal: Deal, evidence: bytes, *, known: bool = False) -> str:
    """Why the evidence is no strategy that wins `deal` wherever its hidden faces lie; empty when it is one.

    `known`: the faces lie as the deal says and the player sees them; every reveal has one outcome.
    """
    try:
        walk = _Walk(list(numbers(evidence)), known)
        walk.line(deal.start)
    except ValueError as error:
        return str(error)
    return "" if walk.at == len(walk.numbers) else "numbers are left over after the last line"


class _Walk:
    def __init__(self, numbers: list[int], known: bool) -> None:
        self.numbers = numbers
        self.known = known
        self.at = 0
        self.reveals: list[Knowledge] = []

    def next(self) -> int:
        if self.at >= len(self.numbers):
            raise ValueError("the strategy is cut off")
        self.at += 1
        return self.numbers[self.at - 1]

    def line(self, position: Position) -> None:
        """Walks one line and all that branches off it. Raises ValueError with the reason when it does not win."""
        while True:
            first, second = self.next(), self.next()
            if not first:
                if second and (second > len(self.reveals) or self.reveals[second - 1] != self.knowledge(position)):
                    raise ValueError(f"what is known is not what was known before reveal {second}")
                if not second and not position.won:
                    raise ValueError("a line ends before the game is won")
                return
            tile = first - 1
            hidden = bool(position.hidden >> tile & 1)
            kind = position.deal.board.ruleset.face_down if hidden else "match"
            move = Move("pair", (tile, second - 1)) if second else Move(kind, (tile,))
            refusal = position.refusal(move)
            if refusal:
                raise ValueError(f"the law refuses {move}: {refusal.message}")
            if not hidden:
                position = position.after(move)
                continue
            self.reveals.append(self.knowledge(position))
            for outcome in self.outcomes(position, tile):
                self.line(outcome.after(move))
            return

    def outcomes(self, position: Position, tile: int) -> Iterator[Position]:
        """The position with each face that may lie at the hidden tile lying there, in exchange with another's."""
        if self.known:
            yield position
            return
        faces = position.deal.faces
        places = {faces[other]: other for other in reversed(tiles_of(position.hidden))}
        for face in sorted(places):
            exchanged = list(faces)
            exchanged[tile], exchanged[places[face]] = face, faces[tile]
            yield position._replace(deal=replace(position.deal, faces=tuple(exchanged)))

    def knowledge(self, position: Position) -> Knowledge:
        """All that the player knows: what lies where, and which faces are still hidden."""
        deal, remaining, hidden, tray = position
        shown = tuple(deal.faces[tile] for tile in tiles_of(remaining & ~hidden))
        secret = [deal.faces[tile] for tile in tiles_of(hidden)]
        return remaining, hidden, tuple(sorted(tray)), shown, tuple(secret if self.known else sorted(secret))
