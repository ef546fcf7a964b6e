"""Boards and games to make cases of: drawn ones, and random ones out of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.deal import shuffle
from levelgen.layout import Layout, Slot, parse
from levelgen.moves import TOOLS, Move, parse_log
from levelgen.pack.records import encode_board
from levelgen.replay import Context
from levelgen.rules import BLOCKING, RULESETS, Ruleset, gates
from levelgen.seed import Stream
from levelgen.tools import AIDS
from levelgen.vectors.case import SEED, Case

_DRAWN = {
    "steps": "aabbccdd..\naabbccdd..\n-- 1\n.eeff\n.eeff\n-- 2\n...gg\n...gg",
    "brick": "..aabbcc\nddaabbccee\nddffgghhee\n..ffgghh",
    "ring": "aabbcc\naabbcc\ndd..ee\ndd..ee\nffgghh\nffgghh",
    "tower": "aabb\naabb\n-- 1\n.cc\n.cc\n-- 2\n.dd\n.dd\n-- 3\n..ee\n..ee",
    "line": "aabbccddeeff\naabbccddeeff",
}


def heap(stream: Stream, tiles: int, width: int, height: int, layers: int = 3) -> Layout:
    """A random heap of so many tiles, each supported; the same for the same stream. The canvas must be large enough."""
    spots: list[Slot] = []
    while len(spots) < tiles:
        spot = Slot(stream.below(width - 1), stream.below(height - 1), stream.below(layers))
        supported = spot.z == 0 or any(spot.covers(other) and other.z == spot.z - 1 for other in spots)
        if supported and not any(spot.overlaps(other) for other in spots):
            spots.append(spot)
    return Layout.of(spots)


def random_rules(stream: Stream) -> Ruleset:
    """A ruleset of either game with its parameters drawn."""
    if stream.below(2):
        return replace(RULESETS["triples"], tray=stream.between(3, 7), last_slot=stream.between(1, 2))
    blocking = tuple(name for name in BLOCKING if stream.below(3))
    return replace(
        RULESETS["pairs"],
        tray=stream.between(2, 5),
        blocking=blocking,
        face_down=stream.choice(("lift", "flip")),
        loss=stream.choice(("no-move", "tray-full")),
        last_slot=stream.between(1, 2),
    )


def random_board(stream: Stream, rules: Ruleset, groups: int) -> Deal:
    """A board of so many groups of tiles, dealt at random; now and then it has no move."""
    count = groups * rules.group
    layout = heap(stream, count, 8 + groups, 7 + groups // 2)
    dealt = [f"F{tile // rules.group % stream.between(2, 6)}" for tile in range(0, count, rules.group)]
    faces = [face for face in dealt for _ in range(rules.group)]
    stream.shuffle(faces)
    down = [tile for tile in range(count) if rules.id == "pairs" and not stream.below(4)]
    return Deal(Board.compile(layout, rules), tuple(faces), tuple(down))


def random_play(deal: Deal, stream: Stream, length: int) -> tuple[Move, ...]:
    """A log of at most so many steps: mostly accepted moves, some tools, at the end perhaps something refused."""
    history, log = [deal.start], list[Move]()
    while len(log) < length:
        position, draw = history[-1], stream.below(100)
        options = list(position.moves())
        if draw < 4 or (not options and draw < 50):
            log.append(_anything(deal, stream))
            if position.refusal(log[-1]) if log[-1].tiles else stream.below(2):
                break
        elif draw < 22 or not options:
            tool = stream.choice(("undo", "undo", "undo", "hint", "shuffle", "shuffle", "restart", "give_up"))
            log.append(Move(tool, (), f"r{stream.below(1000)}") if tool == "shuffle" else Move(tool))
        else:
            fitting = [move for move in options if deal.faces[move.tiles[0]] in position.tray]
            log.append(stream.choice(fitting if fitting and draw < 80 else options))
        _follow(history, log[-1])
    return tuple(log)


def _anything(deal: Deal, stream: Stream) -> Move:
    """Any move or tool at all, most of them senseless."""
    count = len(deal.faces)
    kind = stream.choice(("pair", "lift", "match", "flip", "pick", "pick", *TOOLS))
    if kind in TOOLS:
        return Move(kind, (), "any") if kind == "shuffle" else Move(kind)
    return Move(kind, tuple(stream.below(count + 1) for _ in range(2 if kind == "pair" else 1)))


def _follow(history: list[Position], move: Move) -> None:
    """Keep the history as a game does that refuses no tool."""
    if move.tiles:
        if history[-1].refusal(move) is None:
            history.append(history[-1].after(move))
    elif move.kind == "undo" and len(history) > 1:
        history.pop()
    elif move.kind == "shuffle":
        dealt = shuffle(history[-1], move.seed)
        if dealt is not None:
            history.append(dealt.start)
    elif move.kind == "restart":
        history.append(history[0])


def random_context(stream: Stream) -> Context:
    """A context with some tools, some without limit."""
    undo, hint, shuffles = (stream.choice((0, 1, 2, 3, None)) for _ in AIDS)
    return Context((undo, hint, shuffles), bool(stream.below(2)), (1, stream.below(2), 1))


def context_json(context: Context | None) -> Case | None:
    """The context as a case spells it."""
    if context is None:
        return None
    fields = {"balance": context.balance, "grant": context.grant}
    return {**{name: list(numbers) for name, numbers in fields.items()}, "first_completion": context.first_completion}


def board_json(deal: Deal) -> Case:
    """The board as a case spells it: a board file's line."""
    data: Case = json.loads(encode_board(deal))
    return data


def drawn(drawing: str, base: str, waiting: str = "", removed: tuple[int, ...] = (), **changes: Any) -> Deal:
    """The deal in a drawing; lowercase letters lie face down, `waiting` holds one letter a tile in the tray."""
    layout, marks = parse(drawing)
    hidden = tuple(tile for tile in range(len(layout)) if marks[tile].islower() and tile not in removed)
    faces = tuple(marks[tile].upper() for tile in range(len(layout)))
    board = Board.compile(layout, replace(RULESETS[base], **changes))
    return Deal(board, faces, hidden, tuple(waiting), removed)


def moves_of(text: str) -> tuple[Move, ...]:
    """The moves of blank-separated tokens."""
    return parse_log(f"levelgen-log 1 v#1\n{text}".encode()).moves


def gate_cases() -> Iterator[Case]:
    """Gates of drawn and random layouts under every choice of blocking."""
    stream = Stream(SEED, "gates")
    layouts = [parse(drawing)[0] for drawing in _DRAWN.values()]
    layouts += [heap(stream, tiles, 8 + tiles // 3, 7 + tiles // 5, 4) for tiles in (5, 12, 20, 40)]
    choices = [tuple(name for bit, name in enumerate(BLOCKING) if mask >> bit & 1) for mask in range(8)]
    for layout in layouts:
        for blocking in choices:
            found = [[list(tiles_of(mask)) for mask in ways] for ways in gates(layout, blocking)]
            yield {"slots": [list(slot) for slot in layout.slots], "blocking": list(blocking), "gates": found}
