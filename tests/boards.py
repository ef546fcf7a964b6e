"""Boards for tests: drawn, never spelt as coordinates.

    deal = board('''
        AABB
        AABB
        -- 1
        .aa
        .aa
    ''', face_down="flip")

A drawing is read by `levelgen.layout.parse` (each tile a 2×2 block of half-tile cells, `-- z` starts a
layer). An uppercase letter is a tile that shows this face, a lowercase letter a face-down tile of the
uppercase face. Tile ids follow the canonical order: lowest layer first, then reading order of the upper left
corners.
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent
from typing import Any

from levelgen.board import Board, Deal, Position
from levelgen.layout import Layout, Slot, parse
from levelgen.moves import Move, decode
from levelgen.rules import RULESETS, Ruleset
from levelgen.seed import Stream


def ruleset(base: str | Ruleset = "pairs", **changes: Any) -> Ruleset:
    """The ruleset of that name with some parameters changed: `ruleset("pairs", tray=3, blocking=("cover",))`."""
    return replace(RULESETS[base] if isinstance(base, str) else base, **changes)


def board(drawing: str, base: str | Ruleset = "pairs", *, waiting: str = "", removed: tuple[int, ...] = (),
          **changes: Any) -> Deal:  # fmt: skip
    """The deal in `drawing` under a ruleset; `waiting` holds one letter per tile in the tray, `removed` ids already
    gone.
    """
    layout, marks = parse(dedent(drawing).strip("\n"))
    faces = tuple(marks[tile].upper() for tile in range(len(layout)))
    hidden = tuple(tile for tile in range(len(layout)) if marks[tile].islower() and tile not in removed)
    return Deal(Board.compile(layout, ruleset(base, **changes)), faces, hidden, tuple(waiting), removed)


def under(deal: Deal, **changes: Any) -> Deal:
    """The same deal with some parameters of its ruleset changed."""
    compiled = Board.compile(deal.board.layout, ruleset(deal.board.ruleset, **changes))
    return Deal(compiled, deal.faces, deal.face_down, deal.tray, deal.removed)


def moves(text: str) -> tuple[Move, ...]:
    """The moves of a blank-separated text: `moves("0-1 ^4 =12")`."""
    found = tuple(decode(token) for token in text.split())
    assert None not in found, f"a test spells a move that cannot be read: {text}"
    return tuple(move for move in found if move is not None)


def play(where: Deal | Position, text: str) -> Position:
    """The position after the moves of `text`, each of them accepted by the law."""
    position = where.start if isinstance(where, Deal) else where
    for move in moves(text):
        position = position.play(move)
    return position


def reason(where: Deal | Position, text: str) -> str:
    """The code of the law's refusal of the one move `text`; empty when it is accepted."""
    position = where.start if isinstance(where, Deal) else where
    (move,) = moves(text)
    refusal = position.refusal(move)
    return refusal.reason if refusal else ""


def heap(stream: Stream, tiles: int, width: int, height: int, layers: int = 3) -> Layout:
    """A random heap of so many tiles on a canvas of half-tiles, without violations; the same for the same
    stream.

    The canvas must be large enough: every layer takes the places the tiles below support.
    """
    spots: list[Slot] = []
    while len(spots) < tiles:
        spot = Slot(stream.below(width - 1), stream.below(height - 1), stream.below(layers))
        supported = spot.z == 0 or any(spot.covers(other) and other.z == spot.z - 1 for other in spots)
        if supported and not any(spot == other or spot.overlaps(other) for other in spots):
            spots.append(spot)
    return Layout.of(spots)


def random_deal(stream: Stream, base: str | Ruleset, layout: Layout, faces: int, hidden: int = 0,
                **changes: Any) -> Deal:  # fmt: skip
    """`layout` with faces A, B, … dealt uniformly in whole groups, so many of the tiles face down; often
    unsolvable.

    The tile count must be a multiple of the group; groups go to the faces in turn, the first faces get more.
    """
    rules = ruleset(base, **changes)
    dealt = [chr(ord("A") + tile // rules.group % faces) for tile in range(len(layout))]
    stream.shuffle(dealt)
    ids = list(range(len(layout)))
    stream.shuffle(ids)
    return Deal(Board.compile(layout, rules), tuple(dealt), tuple(sorted(ids[:hidden])))


def perft(where: Deal | Position) -> list[int]:
    """How many sequences of accepted moves there are of each length: 1 for none, up to the longest."""
    position = where.start if isinstance(where, Deal) else where
    counts: list[int] = [1]
    for move in position.moves():
        for depth, number in enumerate(perft(position.after(move)), start=1):
            counts += [0] * (depth + 1 - len(counts))
            counts[depth] += number
    return counts
