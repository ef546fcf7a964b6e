"""Games: moves one by one, whole logs with tools under a context, shuffles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.certificate import moves_under
from levelgen.deal import Stuck, deal_faces, shuffle
from levelgen.moves import Move, encode
from levelgen.replay import Context, replay
from levelgen.rules import RULESETS, Ruleset
from levelgen.seed import Stream
from levelgen.vectors.boards import (
    board_json,
    context_json,
    drawn,
    heap,
    moves_of,
    random_board,
    random_context,
    random_play,
    random_rules,
)
from levelgen.vectors.case import SEED, Case

# Plays: every refusal of the law, and what the state looks like after each step


_FOUR = "AABBAABB\nAABBAABB"
_MIXED = "aabbAABB\naabbAABB"
_STACK = "AABB\nAABB\n-- 1\n.AABB\n.AABB"
_TALL = "AABBAACC\nAABBAACC\nCCBBAABB\nCCBBAABB\n-- 1\n..CC\n..CC"

_PLAYS: dict[str, tuple[Deal, str]] = {
    "pairs, won": (drawn(_FOUR, "pairs", blocking=()), "0-2 1-3"),
    "pairs, hemmed in": (drawn(_FOUR, "pairs"), "1-3 2-0 0-2 1-3 0-3"),
    "pairs, covered": (drawn(_STACK, "pairs"), "0-2 1-3 2-3 2-0 3-1"),
    "pairs, every refusal": (
        drawn(_MIXED, "pairs", blocking=(), tray=3),
        "7 ~0 0-9 0-0 2-3 0-2 ^2 =2 ^0 ^1 =2 0-2 =3",
    ),
    "pairs, the tray is full": (drawn("aabbccAABBCC\naabbccAABBCC", "pairs", blocking=(), tray=2), "^0 3-3 ^1 ^2 =3"),
    "pairs, a pair needs two slots": (drawn("aabbAABBBBBB\naabbAABBBBBB", "pairs", blocking=(), tray=2), "^0 3-4 =2"),
    "pairs, flip": (drawn(_MIXED, "pairs", blocking=(), face_down="flip"), "^0 ~0 ~0 0-2 ~1 =1 1-3"),
    "pairs, a waiting mate shatters": (drawn("aaaaAAAA\naaaaAAAA", "pairs", blocking=()), "^0 ^1 ^0 2-3"),
    "pairs, a pair beside a waiting face": (drawn("aaAAAAAA\naaAAAAAA", "pairs", blocking=()), "^0 1-2 =3"),
    "pairs, warned at two": (drawn(_MIXED, "pairs", blocking=(), last_slot=2), "^0 ^1 =2 =3"),
    "pairs, mid-game": (drawn("aabbAABB\naabbAABB", "pairs", "A", (0,), blocking=()), "0-2 =2 ^1 =3"),
    "triples, won": (drawn("AABBAABBAABB\nAABBAABBAABB", "triples"), "0 1 2 3 4 5"),
    "triples, every refusal": (drawn(_TALL, "triples", tray=3), "1-2 ^0 12 8 8 0 1 2 3 6"),
    "triples, enters beside its like": (drawn("AABBCCAABBCCAABBCC\nAABBCCAABBCCAABBCC", "triples"),
                                        "0 1 3 2 4 5 8 6 7"),
    "triples, full without a clear": (drawn("AABBCCAABBCCAABBCC\nAABBCCAABBCCAABBCC", "triples", tray=4),
                                      "0 1 2 3 4 6"),
    "triples, mid-game": (drawn("AABBAABBAABB\nAABBAABBAABB", "triples", "AB", (0, 1)), "0 2 4 3 5"),
}  # fmt: skip


def play_cases() -> Iterator[Case]:
    """Every refusal of the law, and random games."""
    for name, (deal, text) in _PLAYS.items():
        yield _play(name, deal, moves_of(text))
    for number in range(40):
        stream = Stream(SEED, f"plays/{number}")
        deal = random_board(stream, random_rules(stream), stream.between(3, 6))
        moves = [move for move in random_play(deal, stream, 40) if move.tiles]
        yield _play(f"random {number}", deal, tuple(moves))


def _play(name: str, deal: Deal, moves: tuple[Move, ...]) -> Case:
    """A game in which what is refused changes nothing."""
    position = deal.start
    steps: list[Case] = []
    for move in moves:
        refusal = position.refusal(move)
        step: Case = {"move": encode(move), "refused": None}
        if refusal is not None:
            step["refused"] = {"reason": refusal.reason, "message": refusal.message, "tiles": list(refusal.tiles)}
        else:
            position = position.after(move)
            step |= _state(position)
        steps.append(step)
    return {"name": name, "board": board_json(deal), "start": _state(deal.start), "steps": steps}


def _state(position: Position) -> Case:
    return {
        "open": list(position.deal.board.open_tiles(position.remaining)),
        "moves": [encode(move) for move in position.moves()],
        "tray": list(position.tray),
        "warning": position.warning,
        "won": position.won,
        "lost": position.lost,
        "digest": position.digest(),
    }


# Verdicts: whole logs with tools under a context

_RICH = Context((9, 9, 9), True, (1, 1, 1))
_LIFTS = drawn(_MIXED, "pairs", blocking=(), tray=2)
_HEAP = drawn("AABBAABB\nAABBAABB\nAABBCCDD\nAABBCCDD\nCCDDCCDD\nCCDDCCDD", "triples")
_NARROW = drawn("AABBAABB\nAABBAABB\nAABBCCDD\nAABBCCDD\nCCDDCCDD\nCCDDCCDD", "triples", tray=4)
_OPEN = drawn(_FOUR, "pairs", blocking=())
_BURIED = drawn("AA\nAA\n-- 1\nAA\nAA", "pairs", loss="tray-full")

_VERDICTS: tuple[tuple[str, Deal, str, Context | None], ...] = (
    ("a first win earns", _OPEN, "0-2 1-3", _RICH),
    ("a second win earns nothing", _OPEN, "0-2 1-3", replace(_RICH, first_completion=False)),
    ("nothing played", _OPEN, "", None),
    ("undo makes a win assisted", _OPEN, "0-2 u 1-3 0-2", _RICH),
    ("nothing to undo", _OPEN, "u", _RICH),
    ("no undo left", _OPEN, "0-2 u 0-2 u", Context((1, 0, 0))),
    ("pairs have no tools of their own", _OPEN, "h", None),
    ("hints are not undone", _OPEN, "0-2 h u", _RICH),
    ("lost at once", _LIFTS, "^0 ^1", _RICH),
    *((f"nothing after a loss: {use}", _LIFTS, f"^0 ^1 {use}", _RICH) for use in ("u", "h", "s:a", "g", "=2", "9-9")),
    ("a retry after a loss", _LIFTS, "^0 u ^0 ^1 r ^0 =2 ^1 =3", Context((1, 0, 0))),
    ("a retry refills nothing", _LIFTS, "^0 u ^0 ^1 r ^0 u", Context((1, 0, 0))),
    ("a retry is not undone", _LIFTS, "^0 r u", _RICH),
    ("no restart after a win", _OPEN, "0-2 1-3 r", _RICH),
    ("nothing after a win", _OPEN, "0-2 1-3 0-2", _RICH),
    ("given up", _HEAP, "0 g", None),
    ("nothing after giving up", _HEAP, "0 g 1", None),
    ("no restart after giving up", _LIFTS, "^0 g r", _RICH),
    ("triples restart", _HEAP, "0 2 r", None),
    ("a restart of triples is undone", _HEAP, "0 2 r u", None),
    ("a clear is undone", _HEAP, "0 2 4 u", None),
    ("a full tray is unfinished", _NARROW, "0 1 8 9", None),
    ("a full tray takes no shuffle", _NARROW, "0 1 8 9 s:x", None),
    ("a full tray takes no pick", _NARROW, "0 1 8 9 2", None),
    ("a full tray can be undone", _NARROW, "0 1 8 9 u", None),
    ("warned of the last slot", _NARROW, "0 1 2 8", None),
    ("a shuffle", _HEAP, "0 s:x", None),
    ("a shuffle is undone", _HEAP, "0 s:x u", None),
    ("undo goes behind a shuffle", _HEAP, "0 s:x u u", None),
    ("no shuffle left", _OPEN, "s:x", Context((1, 1, 0))),
    ("no shuffle can be won", _BURIED, "s:x", _RICH),
    ("stuck, but the tray is empty", _BURIED, "h", _RICH),
    ("triples with limited tools", _HEAP, "0 u 0 u", Context((1, None, 0))),
    ("refused by the law", _HEAP, "0 0", None),
    ("not of this game", _HEAP, "0-2", None),
)  # fmt: skip


def verdict_cases() -> Iterator[Case]:
    """Every tool and every end of a game, random logs, and wins."""
    for name, deal, text, context in _VERDICTS:
        yield verdict_case(name, deal, moves_of(text), context)
    for number in range(60):
        stream = Stream(SEED, f"verdicts/{number}")
        deal = random_board(stream, random_rules(stream), stream.between(3, 7))
        context = random_context(stream) if stream.below(4) else None
        yield verdict_case(f"random {number}", deal, random_play(deal, stream, 60), context)
    for number in range(12):
        rules = replace(RULESETS["pairs" if number % 2 else "triples"])
        yield verdict_case(f"win {number}", *_won(rules, f"wins/{number}"), None)


def verdict_case(name: str, deal: Deal, moves: tuple[Move, ...], context: Context | None) -> Case:
    """A log and what comes of it."""
    return {
        "name": name,
        "board": board_json(deal),
        "context": context_json(context),
        "log": " ".join(map(encode, moves)),
        "verdict": replay(deal, moves, context).to_json(),
    }


def _won(rules: Ruleset, label: str) -> tuple[Deal, tuple[Move, ...]]:
    """A guaranteed deal and a log that wins it."""
    stream = Stream(SEED, label)
    board = Board.compile(heap(stream, rules.group * 6, 13, 10), rules)
    for attempt in range(64):
        try:
            dealt = deal_faces(board, ("F1", "F2", "F3"), SEED, attempt=attempt, face_down=3 * (rules.id == "pairs"))
        except Stuck:
            continue
        return dealt.deal, moves_under(rules, dealt.deal.face_down, dealt.solution)
    return _won(rules, f"{label}/again")


def shuffle_cases() -> Iterator[Case]:
    """Positions of all kinds shuffled."""
    starts = [deal.start for deal in (_OPEN, _LIFTS, _HEAP, _NARROW, _BURIED)]
    starts += [_PLAYS[name][0].start for name in _PLAYS if name.endswith("mid-game")]
    for number in range(60):
        stream = Stream(SEED, f"shuffles/{number}")
        deal = random_board(stream, random_rules(stream), stream.between(3, 7))
        position = deal.start
        for _ in range(stream.below(2 * len(deal.faces) // 3)):
            options = list(position.moves())
            if options:
                position = position.after(stream.choice(options))
        starts.append(position)
    for number, position in enumerate(starts):
        here = Deal(
            position.deal.board, position.deal.faces, tiles_of(position.hidden), position.tray,
            tuple(tile for tile in range(len(position.deal.faces)) if not position.remaining >> tile & 1),
        )  # fmt: skip
        seed = ("a", "seed-2", f"{number}", "x/y.z+1_-")[number % 4]
        dealt = shuffle(here.start, seed)
        yield {"board": board_json(here), "seed": seed, "faces": dealt and list(dealt.faces)}
