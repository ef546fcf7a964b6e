"""Conformance vectors: what any implementation of the formats must answer, as JSON files to be vendored.

    vector_files()      name → bytes; the same bytes for the same version of the formats
    random_play(…)      the random games in them, for whoever wants more of the same

`docs/formats.md` says what each file holds. Everything is derived from named streams and from the law; a key made for
this purpose signs. `index.json` lists the files with their digests.
"""

from __future__ import annotations

import base64
import datetime
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from levelgen.board import Board, Deal, Position, tiles_of
from levelgen.certificate import moves_under
from levelgen.deal import Stuck, deal_faces, shuffle
from levelgen.errors import LevelgenError
from levelgen.layout import Layout, Slot, parse
from levelgen.moves import TOOLS, Log, Move, encode, parse_log
from levelgen.pack.archive import INDEX, LEVELS, MANIFEST, TREE, archive_bytes
from levelgen.pack.manifest import FaceSetMark, FileMark, Manifest, parse_manifest, ruleset_digest
from levelgen.pack.merkle import build_tree, leaf_hash, node_hash, path_of, verify_inclusion
from levelgen.pack.records import Record, encode_board, parse_record
from levelgen.pack.signing import (
    PAYLOAD_TYPE,
    KeySigner,
    TrustRoot,
    key_id,
    open_envelope,
    pae,
    public_key_findings,
    sign,
    verify_signature,
)
from levelgen.pack.strict import decode, digest
from levelgen.pack.strict import encode as encode_json
from levelgen.pack.verify import LevelProof, open_pack, verify_level
from levelgen.recipe import kathmandu_date
from levelgen.replay import AIDS, Context, replay
from levelgen.rules import BLOCKING, RULESETS, Ruleset, gates
from levelgen.saved import recover_log
from levelgen.seed import Stream
from levelgen.verify import judge

VERSION = 1
"""Raised when a case changes its meaning; new cases do not raise it."""

SEED = "levelgen-vectors-1"
Case = dict[str, Any]


def vector_files() -> dict[str, bytes]:
    """Every file of the set by name."""
    files = {"streams.json": _lines([_stream(*name) for name in STREAMS], "[\n", "\n]\n")}
    for name, (about, cases) in _TABLE.items():
        head = f'{{"v":{VERSION},"about":{json.dumps(about)},"cases":[\n'
        files[f"{name}.json"] = _lines(cases(), head, "\n]}\n")
    index = {name: {"cases": data.count(b"\n") - 2, "sha256": digest(data)} for name, data in sorted(files.items())}
    listed = ",\n".join(f"{json.dumps(name)}:{encode_json(entry).decode()}" for name, entry in index.items())
    files["index.json"] = f'{{"v":{VERSION},"files":{{\n{listed}\n}}}}\n'.encode()
    return files


def _lines(cases: Iterable[Case], head: str, tail: str) -> bytes:
    """A file with one case a line, so that a difference shows which case changed."""
    return (head + ",\n".join(json.dumps(case) for case in cases) + tail).encode()


def _codes(work: Callable[[], object]) -> list[str]:
    """The codes of the findings with which `work` is refused; empty when it is not."""
    try:
        work()
    except LevelgenError as error:
        return [finding.code for finding in error.findings]
    return []


def _input(*pieces: bytes | tuple[bytes, int]) -> tuple[bytes, Case]:
    """Bytes, some pieces repeated so many times, and how a case spells them."""
    parts = [(piece, 1) if isinstance(piece, bytes) else piece for piece in pieces]
    data = b"".join(piece * times for piece, times in parts)
    if len(parts) > 1 or parts[0][1] > 1:
        return data, {"repeat": [[piece.decode("ascii"), times] for piece, times in parts]}
    return data, {"text": data.decode()} if data.isascii() else {"base64": base64.b64encode(data).decode()}


# Streams

STREAMS = (
    ("", ""),
    ("demo", "layout"),
    ("demo", "deal/3"),
    ("demo", "face-down"),
    ("demolayout", ""),
    ("Kathmandu/2026-11-30/hard", "bots/greedy"),
    ("दशैं 🪁", "ताश"),
    ("s" * 300, "long seeds"),
)
_LIMITS = (1, 2, 3, 52, 1 << 32, *[(1 << 31) + 1] * 4, *[3 << 30] * 2, 144, (1 << 32) - 1, 10, 7, 1152)


def _stream(seed: str, label: str) -> Case:
    plain, drawn, mixed = (Stream(seed, label) for _ in range(3))
    items = list(range(16))
    words = [plain.word() for _ in range(20)]
    below = [[n, drawn.below(n)] for n in _LIMITS]
    mixed.shuffle(items)
    return {"seed": seed, "label": label, "words": words, "below": below, "shuffle": items}


# Boards

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


def _board(drawing: str, base: str, waiting: str = "", removed: tuple[int, ...] = (), **changes: Any) -> Deal:
    """The deal in a drawing; lowercase letters lie face down, `waiting` holds one letter a tile in the tray."""
    layout, marks = parse(drawing)
    hidden = tuple(tile for tile in range(len(layout)) if marks[tile].islower() and tile not in removed)
    faces = tuple(marks[tile].upper() for tile in range(len(layout)))
    board = Board.compile(layout, replace(RULESETS[base], **changes))
    return Deal(board, faces, hidden, tuple(waiting), removed)


def _moves(text: str) -> tuple[Move, ...]:
    return parse_log(f"levelgen-log 1 v#1\n{text}".encode()).moves


def _gates() -> Iterator[Case]:
    stream = Stream(SEED, "gates")
    layouts = [parse(drawing)[0] for drawing in _DRAWN.values()]
    layouts += [heap(stream, tiles, 8 + tiles // 3, 7 + tiles // 5, 4) for tiles in (5, 12, 20, 40)]
    choices = [tuple(name for bit, name in enumerate(BLOCKING) if mask >> bit & 1) for mask in range(8)]
    for layout in layouts:
        for blocking in choices:
            found = [[list(tiles_of(mask)) for mask in ways] for ways in gates(layout, blocking)]
            yield {"slots": [list(slot) for slot in layout.slots], "blocking": list(blocking), "gates": found}


# Plays: every refusal of the law, and what the state looks like after each step

_FOUR = "AABBAABB\nAABBAABB"
_MIXED = "aabbAABB\naabbAABB"
_STACK = "AABB\nAABB\n-- 1\n.AABB\n.AABB"
_TALL = "AABBAACC\nAABBAACC\nCCBBAABB\nCCBBAABB\n-- 1\n..CC\n..CC"

_PLAYS: dict[str, tuple[Deal, str]] = {
    "pairs, won": (_board(_FOUR, "pairs", blocking=()), "0-2 1-3"),
    "pairs, hemmed in": (_board(_FOUR, "pairs"), "1-3 2-0 0-2 1-3 0-3"),
    "pairs, covered": (_board(_STACK, "pairs"), "0-2 1-3 2-3 2-0 3-1"),
    "pairs, every refusal": (
        _board(_MIXED, "pairs", blocking=(), tray=3),
        "7 ~0 0-9 0-0 2-3 0-2 ^2 =2 ^0 ^1 =2 0-2 =3",
    ),
    "pairs, the tray is full": (_board("aabbccAABBCC\naabbccAABBCC", "pairs", blocking=(), tray=2), "^0 3-3 ^1 ^2 =3"),
    "pairs, a pair needs two slots": (_board("aabbAABBBBBB\naabbAABBBBBB", "pairs", blocking=(), tray=2), "^0 3-4 =2"),
    "pairs, flip": (_board(_MIXED, "pairs", blocking=(), face_down="flip"), "^0 ~0 ~0 0-2 ~1 =1 1-3"),
    "pairs, a waiting mate shatters": (_board("aaaaAAAA\naaaaAAAA", "pairs", blocking=()), "^0 ^1 ^0 2-3"),
    "pairs, a pair beside a waiting face": (_board("aaAAAAAA\naaAAAAAA", "pairs", blocking=()), "^0 1-2 =3"),
    "pairs, warned at two": (_board(_MIXED, "pairs", blocking=(), last_slot=2), "^0 ^1 =2 =3"),
    "pairs, mid-game": (_board("aabbAABB\naabbAABB", "pairs", "A", (0,), blocking=()), "0-2 =2 ^1 =3"),
    "triples, won": (_board("AABBAABBAABB\nAABBAABBAABB", "triples"), "0 1 2 3 4 5"),
    "triples, every refusal": (_board(_TALL, "triples", tray=3), "1-2 ^0 12 8 8 0 1 2 3 6"),
    "triples, enters beside its like": (_board("AABBCCAABBCCAABBCC\nAABBCCAABBCCAABBCC", "triples"),
                                        "0 1 3 2 4 5 8 6 7"),
    "triples, full without a clear": (_board("AABBCCAABBCCAABBCC\nAABBCCAABBCCAABBCC", "triples", tray=4),
                                      "0 1 2 3 4 6"),
    "triples, mid-game": (_board("AABBAABBAABB\nAABBAABBAABB", "triples", "AB", (0, 1)), "0 2 4 3 5"),
}  # fmt: skip


def _plays() -> Iterator[Case]:
    for name, (deal, text) in _PLAYS.items():
        yield _play(name, deal, _moves(text))
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
_LIFTS = _board(_MIXED, "pairs", blocking=(), tray=2)
_HEAP = _board("AABBAABB\nAABBAABB\nAABBCCDD\nAABBCCDD\nCCDDCCDD\nCCDDCCDD", "triples")
_NARROW = _board("AABBAABB\nAABBAABB\nAABBCCDD\nAABBCCDD\nCCDDCCDD\nCCDDCCDD", "triples", tray=4)
_OPEN = _board(_FOUR, "pairs", blocking=())
_BURIED = _board("AA\nAA\n-- 1\nAA\nAA", "pairs", loss="tray-full")

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


def _verdicts() -> Iterator[Case]:
    for name, deal, text, context in _VERDICTS:
        yield verdict_case(name, deal, _moves(text), context)
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


def _shuffles() -> Iterator[Case]:
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


# Logs

_HEAD = b"levelgen-log 1 eram#7\n"
_JSON = b'{"v":1,"pack":"eram","level":7,"moves":[%s]}'


def _logs() -> Iterator[Case]:
    good: list[bytes] = [
        _HEAD, _HEAD + b"3-9 ^4 =12 ~4 7 u h s:SEED r g\n", _HEAD + b"0-4095\n\n  7\t8\r\n9", b"  " + _HEAD + b"1",
        _HEAD + b"s:A-Za-z0-9._/+- s:" + b"x" * 64, b"levelgen-log 1 a.b_c-d#999999999", _JSON % b"",
        _JSON % b'"3-9","^4","s:x"', b'\n { "moves" : [ ] , "level":7, "pack" :"eram","v":1 }\n',
        _HEAD + b"1\x0c2\x1c3\x1f4",
        Log("tiny", 3, _moves("1 2 u")).to_text().encode(), _JSON % b'"\\u0037"',
    ]  # fmt: skip
    tokens = (b"-", b"3-", b"-3", b"03", b"3-04", b"^", b"^-1", b"^1-2", b"=x", b"+3", b"3.", b"4096", b"0-4096",
              b"12345",
              b"s:", b"S:x", b"U", b"uu", b"1-2-3", b"s:" + b"x" * 65, b"'", b'"', b"it's", b"\\", b"\x7f", b"3 - 4",
              b"~")  # fmt: skip
    heads = (b"", b"levelgen-log 1 eram\n", b"levelgen-log 1 eram#0\n", b"levelgen-log 1 Eram#1\n",
             b"levelgen-log 1 eram#01\n",
             b"levelgen-log 2 eram#1\n", b"levelgen-log 01 eram#1\n", b"levelgen-log  1 eram#1\n", b"\n" + _HEAD,
             b"3-9\n",
             b"levelgen-log 1 eram#1 3-9\n", b"levelgen-log 1 eram#1234567890\n", b"[]", b"\xef\xbb\xbf" + _HEAD,
             _HEAD + "3–9\n".encode())  # fmt: skip
    texts = (
        b'{"v":1,"pack":"eram","level":7}', b'{"v":1,"pack":"eram","level":7,"moves":[],"more":0}',
        b'{"v":true,"pack":"eram","level":7,"moves":[]}', b'{"v":2,"pack":"eram","level":7,"moves":[]}',
        b'{"v":1,"pack":5,"level":7,"moves":[]}', b'{"v":1,"pack":"Eram","level":7,"moves":[]}',
        b'{"v":1,"pack":"eram","level":"7","moves":[]}', b'{"v":1,"pack":"eram","level":0,"moves":[]}',
        b'{"v":1,"pack":"eram","level":7,"moves":"u"}', b'{"v":1,"v":1,"pack":"eram","level":7,"moves":[]}',
        b'{"v":1.0,"pack":"eram","level":7,"moves":[]}', b'{"v":NaN,"pack":"eram","level":7,"moves":[]}',
        b'{"v":1,"pack":"eram","level":7e0,"moves":[]}', b'{"v":1,"pack":"eram","level":7,"moves":[],}', b"{", b"{}",
        b'{"v":1,"pack":"eram","level":7,"moves":[]} x',
        _JSON % b'7,"7",null,["7"],{"a": 1},true,123456789012345678901',
        _JSON % b'"","u ","\\n","\\u00e9","\\ud83e\\ude81","s:\\u0000"',
        b'{"v":1,"pack":"eram\\n","level":7,"moves":[]}',
    )  # fmt: skip
    inputs = [_input(data) for data in (*good, *heads, *texts)]
    inputs += [_input(_HEAD + b"0-1 " + token + b" 5\n") for token in tokens]
    inputs += [
        _input(_HEAD + b"0-1 oops\n  ^2 3- u\r\nx\n"),
        _input(_HEAD, (b"u ", 100_001)),
        _input(_HEAD, (b" ", 1 << 20)),
    ]
    for data, spelled in inputs:
        try:
            log = parse_log(data)
            answer: Case = {"log": log.to_json()}
        except LevelgenError as error:
            answer = {"refused": [{"code": found.code, "where": found.where} for found in error.findings]}
        yield spelled | answer


def _saved() -> Iterator[Case]:
    whole = _HEAD + b"0-2\n1-3 u\n"
    ends = (b"", b"1", b"1-3", b"\x00\x00\xff", b"1-")
    texts = (_HEAD, _HEAD[:-1], b"level", b"", _HEAD + b"0-2\nx\n1-3", _HEAD + b"0-2 \r\n^1")
    for data in (*(whole + end for end in ends), *texts, _JSON % b'"u"', (_JSON % b'"u"')[:-4]):
        _, spelled = _input(data)
        try:
            saved = recover_log(data)
            torn = saved.torn and {"code": saved.torn.code, "where": saved.torn.where}
            yield spelled | {"log": saved.log.to_json(), "torn": torn}
        except LevelgenError as error:
            yield spelled | {"refused": [{"code": found.code, "where": found.where} for found in error.findings]}


# JSON and records


def _json() -> Iterator[Case]:
    texts: tuple[bytes | tuple[bytes | tuple[bytes, int], ...], ...] = (
        b"null", b"true", b" [ ] ", b"\t{}\r\n", b'{"a":[1,-1,0,9007199254740991,-9007199254740991]}',
        b'"\\u00e9\\ud83e\\ude81"',
        b'"\\"\\\\\\/\\b\\f\\n\\r\\t\\u007f"', b'{"":{"":[[[[[[]]]]]]}}', b'{"__proto__":1,"10":2,"9":3}', b'"\x7f"',
        b"1",
        b"", b"[", b"]", b"{", b"}", b"[1,]", b"[,1]", b'{"a":1,}', b'{"a"}', b'{"a":}', b"{a:1}", b"{1:1}", b"nul",
        b"True",
        b"'a'", b'"a', b'"\\x"', b'"\\u12"', b'"\\u12g4"', b'"\n"', b'"\x00"', b"[1 2]", b"[1]]", b"[1] 2", b"01",
        b"+1", b"-",
        b"1.", b".5", b"\x0c1", b"//\n1", b"-0", b"[-0]", b"1.0", b"1e2", b"-0.0", b"1E-2", b"NaN", b"Infinity",
        b"-Infinity",
        b"9007199254740992", b"-9007199254740992", b"123456789012345678901234567890", b'{"a":1,"a":1}',
        b'{"a":{"b":1,"b":2}}',
        b'{"a":1,"\\u0061":1}', b'"\\ud800"', b'"\\udc00"', b'"\\udc00\\ud800"', b'{"\\ud83e":1}',
        b"[[[[[[[[[]]]]]]]]]",
        b'"[[[[[[[[[["', b'["\\"[[[[[[[[[["]', "\"é\"".encode(), b"\xef\xbb\xbf1", b"\xff", b"\xff\xfe1\x00",
        ((b"[", 100_000),), (b'"', (b"x", 1 << 20), b'"'), (b'"', (b"x", (1 << 20) - 2), b'"'),
    )  # fmt: skip
    for text in texts:
        data, spelled = _input(*(text if isinstance(text, tuple) else (text,)))
        codes = _codes(lambda data=data: decode(data, "text"))  # type: ignore[misc]
        value: Case = {"refused": codes} if codes else {"canonical": encode_json(decode(data, "text")) == data}
        yield spelled | value


def _signer(name: str) -> KeySigner:
    """A key that anybody can make; for vectors only."""
    return KeySigner(Ed25519PrivateKey.from_private_bytes(sha256(f"{SEED}/{name}".encode()).digest()))


_TINY = {
    "pairs": parse("aabbccddee\naabbccddee\n-- 1\n.aabbffgg\n.aabbffgg")[0].slots[:8],
    "triples": parse("aabbccddeeff\naabbccddeeff\n-- 1\n.aabbcc\n.aabbcc")[0].slots,
}


def _record(number: int, ruleset: str) -> tuple[Record, tuple[Move, ...]]:
    """A small level and a log that wins it."""
    rules = RULESETS[ruleset]
    board = Board.compile(Layout(_TINY[ruleset]), rules)
    hidden = 1 if ruleset == "pairs" else 0
    for attempt in range(64):
        try:
            dealt = deal_faces(board, ("sun", "moon", "kite"), f"tiny/{number}", attempt=attempt, face_down=hidden)
            break
        except Stuck:
            continue
    record = Record(
        "tiny", number, rules, board.layout.slots, "demo", dealt.deal.faces, dealt.deal.face_down, ("rows",),
        f"tiny/{number}", attempt, 1, {"branching": 3, "rank": number}, {"undo": 2, "hint": None, "shuffle": 1},
        "cd" * 32, "ef" * 32,
    )  # fmt: skip
    return record, moves_under(rules, dealt.deal.face_down, dealt.solution)


_RECORD_CHANGES: tuple[tuple[str, Any], ...] = (
    ("v", 2), ("v", "1"), ("v", None), ("v", [1]), ("v", {"a": "b"}), ("pack", ""), ("pack", "Tiny"),
    ("pack", "a" * 65),
    ("pack", "tiny\n"), ("pack", 1), ("level", 0), ("level", -1), ("level", 1_000_000_000), ("level", "1"),
    ("ruleset", None), ("ruleset", []), ("ruleset", {}), ("ruleset", {"id": "quads"}), ("ruleset", {"id": "pairs"}),
    ("slots", []), ("slots", {}), ("slots", [[0, 0]]), ("slots", [[0, 0, 0, 0]] * 8), ("slots", [[0, 0, 1024]] * 8),
    ("slots", [[0, 0, -1]] * 8), ("slots", [0] * 8), ("slots", ["abc"] * 8), ("slots", [[[0], 0, 0]] * 8),
    ("slots", [[0, 0, 0]] * 4097), ("face_set", "a b"), ("face_set", None), ("faces", ["sun"]), ("faces", []),
    ("faces", ["sun", 1]), ("faces", ["-"] * 8), ("faces", ["sun"] * 9), ("face_down", [1, 0]), ("face_down", [0, 0]),
    ("face_down", [-1]), ("face_down", [8]), ("face_down", [4096]), ("face_down", ["0"]), ("face_down", None),
    ("templates", ["a"] * 65), ("templates", "rows"), ("templates", []), ("seed", ""), ("seed", "é"), ("seed", "a\n"),
    ("seed", "x" * 257), ("attempt", -1), ("attempt", None), ("generator", 0), ("difficulty", []), ("difficulty", {}),
    ("difficulty", {"b": 1, "a": 1}), ("difficulty", {"A": 1}), ("difficulty", {"a": "1"}), ("difficulty", {"a": None}),
    ("difficulty", {f"f{n:03}": n for n in range(257)}), ("tools", {}), ("tools", []),
    ("tools", {"hint": 1, "undo": 1}),
    ("tools", {"undo": -1}), ("tools", {"undo": 1_000_001}), ("tools", {"magic": 1}), ("tools", {"shuffle": None}),
    ("sources_sha256", "cd" * 31), ("sources_sha256", "CD" * 32), ("certificate_sha256", ""), ("more", 1),
    ("level", True), ("faces", ["sun"] * 7 + [False]),
)  # fmt: skip
_RULESET_CHANGES: tuple[tuple[str, Any], ...] = (
    ("group", 3), ("tray", 1), ("tray", 65), ("tray", "4"), ("tray", 5), ("blocking", "cover"),
    ("blocking", ["cover", "cover"]),
    ("blocking", ["sideways"]), ("blocking", []), ("blocking", [["cover"]]), ("blocking", ["vertical", "cover"]),
    ("face_down", "peek"), ("face_down", None), ("loss", "never"), ("loss", "tray-full"), ("last_slot", 1),
    ("last_slot", 2),
    ("last_slot", 0), ("last_slot", 64), ("more", {"a": [1]}),
)  # fmt: skip


_TRIPLES_CHANGES: tuple[tuple[str, Any], ...] = (
    ("blocking", []), ("face_down", "lift"), ("last_slot", 2), ("tray", 2),
)  # fmt: skip


def _records() -> Iterator[Case]:
    pairs, triples = _record(1, "pairs")[0], _record(2, "triples")[0]
    plain: Case = pairs.to_json()
    lines = [pairs.encode(), triples.encode()]
    lines += [json.dumps(plain | {name: value}, separators=(",", ":")).encode() for name, value in _RECORD_CHANGES]
    lines += [encode_json(plain | {"ruleset": plain["ruleset"] | {name: value}}) for name, value in _RULESET_CHANGES]
    lines += [
        encode_json(triples.to_json() | {"ruleset": triples.ruleset.to_json() | {name: value}})
        for name, value in _TRIPLES_CHANGES
    ]
    lines += [encode_json({key: value for key, value in plain.items() if key != gone}) for gone in ("v", "tools")]
    lines += [
        encode_json(dict(reversed(plain.items()))),
        json.dumps(plain).encode(),
        b"[]",
        b"null",
        pairs.encode() + b"\n",
    ]
    lines += [
        pairs.encode()[:-1],
        pairs.encode().replace(b'"level":1', b'"level":1,"level":1'),
        b"\xef\xbb\xbf" + lines[0],
    ]
    for line in lines:
        _, spelled = _input(line)
        codes = _codes(lambda line=line: parse_record(line))  # type: ignore[misc]
        if codes:
            yield spelled | {"refused": codes}
        else:
            record = parse_record(line)
            yield spelled | {"record": [record.pack, record.level, len(record.slots), ruleset_digest(record.ruleset)]}


# Trees


def _merkle() -> Iterator[Case]:
    for count in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33):
        lines = [f"leaf {number} of {count}" for number in range(count)]
        tree = build_tree(leaf_hash(line.encode()) for line in lines)
        paths = [[node.hex() for node in path_of(tree, count, index)] for index in range(count)]
        yield {"lines": lines, "root": tree[-32:].hex(), "tree_sha256": digest(tree), "paths": paths}


def _inclusions() -> Iterator[Case]:
    lines = [f"line {number}".encode() for number in range(6)]
    leaves = [leaf_hash(line) for line in lines]
    tree = build_tree(leaves)
    root, path = tree[-32:], list(path_of(tree, 6, 2))
    inner = node_hash(leaves[2], leaves[3])
    zero = bytes(32)
    cases: tuple[tuple[str, bytes, int, int, list[bytes], bytes], ...] = (
        ("good", leaves[2], 2, 6, path, root),
        ("good, a last leaf moved up", leaves[5], 5, 6, list(path_of(tree, 6, 5)), root),
        ("good, alone", leaves[0], 0, 1, [], leaves[0]),
        ("another leaf", leaves[3], 2, 6, path, root),
        ("another index", leaves[2], 3, 6, path, root),
        ("another size", leaves[2], 2, 5, path, root),
        ("a size of the same shape", leaves[2], 2, 8, path, root),
        ("no such leaf", leaves[2], 6, 6, path, root),
        ("a negative index", leaves[2], -1, 6, path, root),
        ("an empty tree", leaves[2], 0, 0, [], root),
        ("cut short", leaves[2], 2, 6, path[:-1], root),
        ("too long", leaves[2], 2, 6, [*path, zero], root),
        ("a node as a leaf", inner, 1, 3, path[1:], root),
        ("a node as a leaf of the whole tree", inner, 2, 6, path[1:], root),
        ("nodes in another order", leaves[2], 2, 6, path[::-1], root),
        ("a node of another length", leaves[2], 2, 6, [path[0] + b"\0", *path[1:]], root),
        ("another root", leaves[2], 2, 6, path, zero),
        ("the root itself", root, 0, 1, [], root),
    )
    for name, leaf, index, count, nodes, wanted in cases:
        good = verify_inclusion(leaf, index, count, nodes, wanted)
        hexes = [node.hex() for node in nodes]
        yield {"name": name, "leaf": leaf.hex(), "index": index, "leaves": count, "path": hexes, "root": wanted.hex(),
               "good": good}  # fmt: skip


# Signatures

_FIELD = (1 << 255) - 19
_ORDER = (1 << 252) + 27742317777372353535851937790883648493
_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")


def _odd_keys() -> dict[str, bytes]:
    """Raw public keys that are none to trust, by name."""
    low = {"y = 0": 0, "y = 1, the neutral element": 1, "y = -1": _FIELD - 1}
    keys = {name: y.to_bytes(32, "little") for name, y in low.items()}
    keys |= {
        "order eight": _EIGHT,
        "order eight, the other": (_FIELD - int.from_bytes(_EIGHT, "little")).to_bytes(32, "little"),
    }
    keys |= {f"{name}, sign bit set": key[:31] + bytes([key[31] | 0x80]) for name, key in keys.items()}
    for extra in (0, 1, 2, 18):
        keys[f"y = p + {extra}"] = (_FIELD + extra).to_bytes(32, "little")
    keys |= {"all ones": b"\xff" * 32, "no bytes": b"", "31 bytes": bytes(31), "33 bytes": bytes(33)}
    return keys


def _keys() -> Iterator[Case]:
    for name, key in {"good": _signer("a").public, **_odd_keys()}.items():
        yield {
            "name": name,
            "key": key.hex(),
            "keyid": key_id(key),
            "refused": [f.code for f in public_key_findings(key)],
        }


def _signatures() -> Iterator[Case]:
    signer, other = _signer("a"), _signer("b")
    message = b"levelgen"
    signature = signer.sign(message)
    odd = _odd_keys()
    half, s = signature[:32], int.from_bytes(signature[32:], "little")

    def flip(data: bytes, bit: int) -> bytes:
        return (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(len(data), "little")

    cases: list[tuple[str, bytes, bytes, bytes]] = [
        ("good", signer.public, message, signature),
        ("good, the empty message", signer.public, b"", signer.sign(b"")),
        ("good, another key", other.public, message, other.sign(message)),
        ("good, a long message", signer.public, bytes(range(256)) * 8, signer.sign(bytes(range(256)) * 8)),
        ("another message", signer.public, b"levelgem", signature),
        ("another key", other.public, message, signature),
        *((f"bit {n} flipped", signer.public, message, flip(signature, n)) for n in (0, 7, 255, 256, 300, 505, 511)),
        ("key, bit 3 flipped", flip(signer.public, 3), message, signature),
        ("key, sign flipped", flip(signer.public, 255), message, signature),
        ("S + L: malleable", signer.public, message, half + (s + _ORDER).to_bytes(32, "little")),
        ("S + 8 L: malleable", signer.public, message, half + (s + 8 * _ORDER).to_bytes(32, "little")),
        ("S = L", signer.public, message, half + _ORDER.to_bytes(32, "little")),
        ("63 bytes", signer.public, message, signature[:63]),
        ("65 bytes", signer.public, message, signature + b"\0"),
        ("no bytes", signer.public, message, b""),
        ("zeros", signer.public, message, bytes(64)),
        ("halves swapped", signer.public, message, signature[32:] + half),
        *((f"signed by nobody: {name}", key, message, key + bytes(32)) for name, key in odd.items() if len(key) == 32),
    ]  # fmt: skip
    for name, key, text, found in cases:
        good = verify_signature(key, found, text)
        yield {"name": name, "key": key.hex(), "message": text.hex(), "signature": found.hex(), "good": good}


def _envelopes() -> Iterator[Case]:
    a, b = _signer("a"), _signer("b")
    payload = b'{"v":1}'
    single, double = sign(payload, [a]), sign(payload, [a, b])
    keys = [a.public, b.public]

    def changed(envelope: bytes = single, entry: Case | None = None, **fields: Any) -> bytes:
        data = json.loads(envelope) | fields
        if entry is not None:
            data["signatures"][0] = data["signatures"][0] | entry
        return encode_json(data)

    entry = json.loads(single)["signatures"][0]
    sig = entry["sig"]
    other = sign(payload, [a], payload_type="application/vnd.levelgen.release.v1+json")
    cases: list[tuple[str, bytes, list[bytes], int]] = [
        ("good", single, keys, 1),
        ("good, two of two", double, keys, 2),
        ("good, one of two counts", double, keys[1:], 1),
        ("good, a wrong keyid", changed(entry={"keyid": "0" * 64}), keys, 1),
        ("good, no keyid", changed(entry={"keyid": ""}), keys, 1),
        ("good, a bad signature beside", changed(double, {"sig": base64.b64encode(bytes(64)).decode()}), keys, 1),
        ("one of two", single, keys, 2),
        ("another key", single, keys[1:], 1),
        ("the same signature twice", changed(signatures=[entry, entry | {"keyid": "another"}]), keys, 2),
        ("stripped", changed(signatures=[]), keys, 1),
        ("seventeen", changed(signatures=[entry] * 17), keys, 1),
        ("sixteen", changed(signatures=[entry] * 16), keys, 1),
        ("another type, signed", other, keys, 1),
        ("another type, renamed", changed(other, payloadType=PAYLOAD_TYPE), keys, 1),
        ("the type not signed", changed(payloadType="application/json"), keys, 1),
        ("another payload", changed(payload=base64.b64encode(b'{"v":2}').decode()), keys, 1),
        ("an algorithm named", changed(entry={"alg": "none"}), keys, 1),
        ("a field more", changed(more=1), keys, 1),
        ("a field less", encode_json({"payload": "", "payloadType": PAYLOAD_TYPE}), keys, 1),
        ("another order", encode_json(dict(reversed(json.loads(single).items()))), keys, 1),
        ("payload no text", changed(payload=None), keys, 1),
        ("sig no text", changed(entry={"sig": 1}), keys, 1),
        ("signatures no list", changed(signatures={}), keys, 1),
        ("entry no object", changed(signatures=["x"]), keys, 1),
        ("padding more", changed(entry={"sig": sig + "="}), keys, 1),
        ("padding less", changed(entry={"sig": sig.rstrip("=")}), keys, 1),
        ("a line feed", changed(entry={"sig": sig[:20] + "\n" + sig[20:]}), keys, 1),
        ("spare bits", changed(entry={"sig": sig[:-3] + chr(ord(sig[-3]) + 1) + "=="}), keys, 1),
        ("the other alphabet", changed(entry={"sig": sig[:-4] + "_-=="}), keys, 1),
        ("no ASCII", changed(entry={"sig": "é" + sig[1:]}), keys, 1),
        ("blanks", json.dumps(json.loads(single)).encode(), keys, 1),
        ("a line feed behind", single + b"\n", keys, 1),
        ("a byte-order mark", b"\xef\xbb\xbf" + single, keys, 1),
        ("a key twice", single.replace(b'{"payload":', b'{"payload":"","payload":', 1), keys, 1),
        ("an escape", single.replace(b"payloadType", b"payload\\u0054ype"), keys, 1),
        ("a list", b"[]", keys, 1),
        ("nothing", b"", keys, 1),
    ]
    for name, data, trusted, threshold in cases:
        case: Case = {"name": name, **_input(data)[1], "keys": [key.hex() for key in trusted], "threshold": threshold}
        trust = TrustRoot.of(trusted, threshold)
        codes = _codes(lambda d=data, t=trust: open_envelope(d, t))  # type: ignore[misc]
        yield case | ({"refused": codes} if codes else {"payload": open_envelope(data, trust).payload.decode()})
    signed = pae("http://example.com/HelloWorld", b"hello world").decode()
    yield {"name": "what is signed", "pae": ["http://example.com/HelloWorld", "hello world", signed]}


# Manifests, single levels, packs


def _tiny_pack(ruleset: str = "pairs", levels: int = 5) -> tuple[dict[str, bytes], Manifest, list[bytes]]:
    """The members of a small client edition, its manifest and its records' lines."""
    lines = [_record(number, ruleset)[0].encode() for number in range(1, levels + 1)]
    data = b"".join(line + b"\n" for line in lines)
    tree = build_tree(map(leaf_hash, lines))
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    manifest = Manifest(
        "tiny", "Tiny pack · छोटो", 1, None, 1, ruleset_digest(RULESETS[ruleset]), FaceSetMark("demo", "ab" * 32, True),
        1, levels, tree[-32:].hex(), {LEVELS: FileMark(len(data), digest(data))},
    )  # fmt: skip
    members = {
        INDEX: b"".join(offset.to_bytes(8, "little") for offset in offsets),
        LEVELS: data,
        MANIFEST: sign(manifest.encode(), [_signer("a")]),
        TREE: tree,
    }
    return members, manifest, lines


_MANIFEST_CHANGES: tuple[tuple[str, Any], ...] = (
    ("v", 2), ("v", True), ("pack", "Tiny"), ("title", ""), ("title", "x" * 200), ("title", "x" * 201),
    ("title", "a\nb"),
    ("title", "\u202eevil"), ("title", "\U0001fa81" * 200), ("version", 0), ("version", None), ("previous", "ab" * 32),
    ("previous", "ab"), ("generator", 0), ("ruleset_sha256", "AB" * 32), ("face_set", {}), ("face_set", None),
    ("face_set", {"id": "demo", "sha256": "ab" * 32, "provisional": 1}), ("first", 0), ("first", 1_000_000_000),
    ("levels", 0), ("levels", 10_000_001), ("merkle_root", ""), ("files", {}), ("files", None),
    ("files", {"levels.jsonl": {"size": -1, "sha256": "ab" * 32}}), ("files", {"levels.jsonl": {"size": 1}}),
    ("files", {"levels.jsonl": {"size": 1, "sha256": "ab" * 32}, "tree.bin": {"size": 1, "sha256": "ab" * 32}}),
    ("files", {"levels.jsonl": {"size": 1, "sha256": "ab" * 32}, "certificates.jsonl": {"size": 1, "sha256": ""}}),
    ("files", {"certificates.jsonl": {"size": 0, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": ""}}),
    ("files", {"evidence/a.json": {"size": 1, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": "ab" * 32}}),
    ("files", {"evidence/../a": {"size": 1, "sha256": "ab" * 32}, "levels.jsonl": {"size": 1, "sha256": "ab" * 32}}),
    ("more", 1),
)  # fmt: skip


def _manifests() -> Iterator[Case]:
    plain = _tiny_pack()[1].to_json()
    payloads = [encode_json(plain)]
    payloads += [encode_json(plain | {name: value}) for name, value in _MANIFEST_CHANGES]
    payloads += [encode_json(dict(reversed(plain.items()))), json.dumps(plain).encode(), b"[]", b""]
    for payload in payloads:
        codes = _codes(lambda payload=payload: parse_manifest(payload))  # type: ignore[misc]
        yield _input(payload)[1] | {"refused": codes}


def _levels() -> Iterator[Case]:
    members, manifest, lines = _tiny_pack()
    path = path_of(members[TREE], 5, 2)
    strange = encode_json(json.loads(lines[2]) | {"pack": "other"})
    alone = replace(manifest, levels=1, first=3, merkle_root=leaf_hash(strange).hex())
    broken = replace(alone, merkle_root=leaf_hash(b"{}").hex())
    cases: tuple[tuple[str, Manifest, LevelProof], ...] = (
        ("good", manifest, LevelProof(3, lines[2], path)),
        ("another level's record", manifest, LevelProof(3, lines[1], path)),
        ("another level's number", manifest, LevelProof(2, lines[2], path)),
        ("no such level", manifest, LevelProof(6, lines[2], path)),
        ("path cut short", manifest, LevelProof(3, lines[2], path[:-1])),
        ("a byte changed", manifest, LevelProof(3, lines[2].replace(b'"undo":2', b'"undo":3'), path)),
        ("a line feed kept", manifest, LevelProof(3, lines[2] + b"\n", path)),
        ("signed, but of another pack", alone, LevelProof(3, strange, ())),
        ("signed, but no record", broken, LevelProof(3, b"{}", ())),
    )
    for name, signed, proof in cases:
        refused = _codes(lambda s=signed, p=proof: verify_level(p, s))  # type: ignore[misc]
        yield {"name": name, "manifest": signed.encode().decode(), "level": proof.level, "line": proof.line.decode(),
               "path": [node.hex() for node in proof.path], "refused": refused}  # fmt: skip


def _packs() -> Iterator[Case]:
    for ruleset, number in (("pairs", 2), ("triples", 1)):
        members, _, _ = _tiny_pack(ruleset, 3)
        log = Log("tiny", number, _record(number, ruleset)[1])
        yield _pack(f"good, {ruleset}", archive_bytes(members), number, log)
    good, log = archive_bytes(members), Log("tiny", 1, _moves("0"))
    for name in (INDEX, TREE):
        yield _pack(f"{name} missing", archive_bytes({n: data for n, data in members.items() if n != name}), 1, log)
        yield _pack(f"{name} wrong", archive_bytes(members | {name: bytes(len(members[name]))}), 1, log)
    yield _pack("another level's log", good, 2, log)
    yield _pack("no such level", good, 4, log)
    moved = members[LEVELS].replace(b'"level":1,', b'"level":7,')
    yield _pack("a record changed", archive_bytes(members | {LEVELS: moved}), 1, log)
    yield _pack("a record changed, another asked for", archive_bytes(members | {LEVELS: moved}), 2, Log("tiny", 2, ()))
    yield _pack("a record changed, tree wrong", archive_bytes(members | {LEVELS: moved, TREE: b""}), 1, log)
    yield _pack("records cut short", archive_bytes(members | {LEVELS: members[LEVELS][:-1]}), 1, log)
    yield _pack("no records", archive_bytes({n: data for n, data in members.items() if n != LEVELS}), 1, log)
    yield _pack("no manifest", archive_bytes({n: data for n, data in members.items() if n != MANIFEST}), 1, log)
    yield _pack("another pack's manifest", archive_bytes(members | {MANIFEST: _tiny_pack()[0][MANIFEST]}), 1, log)
    small = archive_bytes({MANIFEST: b"{}"})
    end = len(small) - 22
    for name, data in {
        "nothing": b"", "no archive": b"x" * 22, "cut short": small[:-1], "something in front": b"x" + small,
        "something behind": small + b"x", "empty": archive_bytes({}), "time set": small[:10] + b"\1" + small[11:],
        "a comment": small[:-2] + b"\1\0x", "another name": small.replace(b"manifest.dsse.json", b"manifest.dsse.jsoN"),
        "a name out of the pack": small.replace(b"manifest.dsse.json", b"../../../../a.json"),
        "compressed": small.replace(b"\0\0\0\0\x21\0", b"\x08\0\0\0\x21\0"), "listed, not there": small[48:],
        "the list elsewhere": small[:end + 16] + b"\0" + small[end + 17:],
        "one more counted": small[:end + 8] + b"\2\0\2\0" + small[end + 12:],
    }.items():  # fmt: skip
        yield _pack(f"container: {name}", data, 1, log)


def _pack(name: str, archive: bytes, number: int, log: Log) -> Case:
    key = _signer("a").public
    case: Case = {
        "name": name, "archive": base64.b64encode(archive).decode(), "key": key.hex(), "level": number,
        "log": log.to_text(),
    }  # fmt: skip

    def answer() -> Case:
        with open_pack(archive, TrustRoot.of([key])) as pack:
            return judge(pack.level(number), log).to_json()

    codes = _codes(answer)
    return case | ({"refused": codes} if codes else {"verdict": answer()})


# Deals of the day

_MOMENTS = (
    "1970-01-01T00:00:00", "2024-02-28T18:14:59", "2024-02-28T18:15:00", "2024-02-29T18:15:00", "2026-11-30T18:14:59",
    "2026-11-30T18:15:00", "2026-12-31T18:14:59", "2026-12-31T18:15:00", "2027-03-28T01:30:00", "2100-02-28T18:15:00",
)  # fmt: skip


def daily_seed(seed: str, tier: str, date: datetime.date) -> str:
    """The seed of the deal of the day: of a channel's public seed, the tier and the local date."""
    return f"{seed}/{tier}/{date.isoformat()}"


def _daily() -> Iterator[Case]:
    for text in _MOMENTS:
        moment = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
        date = kathmandu_date(moment)
        seeds = {tier: daily_seed("channel", tier, date) for tier in ("easy", "medium", "hard")}
        yield {
            "utc": f"{text}Z",
            "unix": int(moment.timestamp()),
            "date": date.isoformat(),
            "channel": "channel",
            "seeds": seeds,
        }


_TABLE: dict[str, tuple[str, Callable[[], Iterator[Case]]]] = {
    "gates": ("slots and blocking compiled to gates: per tile the alternatives, each a list of blockers", _gates),
    "plays": ("moves without tools: what is refused and why, and the state after what is accepted", _plays),
    "verdicts": ("whole logs with tools under a context, and their verdicts", _verdicts),
    "shuffles": ("positions shuffled by a seed: the face of every tile, or null when refused", _shuffles),
    "logs": ("logs as text and as JSON: what they say, or why and where they cannot be read", _logs),
    "saved": ("saved logs, perhaps cut short: what is left and what was torn", _saved),
    "json": ("JSON read strictly: refused, or whether it is spelt canonically", _json),
    "records": ("lines of levels.jsonl: pack, level, tiles and ruleset digest, or why they are refused", _records),
    "merkle": ("trees over lines: root, digest of tree.bin, and the inclusion path of every leaf", _merkle),
    "inclusions": ("inclusion paths, good and bad", _inclusions),
    "keys": ("raw public keys: their id, or why they are not to be trusted", _keys),
    "signatures": ("Ed25519 signatures, good and bad", _signatures),
    "envelopes": ("DSSE envelopes: the payload, or why it is refused", _envelopes),
    "manifests": ("manifest payloads, accepted or refused", _manifests),
    "levels": ("single levels: a record and its inclusion path under a manifest, accepted or refused", _levels),
    "packs": ("client editions as .lgpack with a log: the verdict, or why pack or log is refused", _packs),
    "daily": ("moments, their date in Kathmandu, and the seeds of that day's deals", _daily),
}


__all__ = [
    "VERSION", "board_json", "context_json", "daily_seed", "heap", "random_board", "random_context", "random_play",
    "random_rules", "vector_files", "verdict_case",
]  # fmt: skip
