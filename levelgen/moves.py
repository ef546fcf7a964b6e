"""The one move codec: solutions, certificates and players' logs speak it.

As text a log is blank-separated: `3-9` pair, `^4` lift, `=12` match, `~4` flip, `7` pick, and the tools `u` undo,
`h` hint, `s:SEED` shuffle, `r` restart, `g` give up. Its first line is `levelgen-log 1 PACK#N RECORD`. As JSON it is
`{"v":1,"pack":"PACK","level":N,"record":"RECORD","moves":["3-9",…]}`. RECORD, the SHA-256 of the record's line, may be
left out; a log that names it cannot be taken for one of another version of the level.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from levelgen.errors import Finding, Malformed
from levelgen.layout import MAX_TILES

MAX_LOG_BYTES = 1 << 20
MAX_MOVES = 100_000
MAX_DEPTH = 8
MAX_INTEGER = (1 << 53) - 1
"""Bounds on a log read from outside: no honest game comes near any of them."""

PLAYS = ("pair", "lift", "match", "flip", "pick")
TOOLS = ("undo", "hint", "shuffle", "restart", "give_up")


class Move(NamedTuple):
    """One step of a log: a play or the use of a tool."""

    kind: str
    """One of `PLAYS` or `TOOLS`."""
    tiles: tuple[int, ...] = ()
    """The tile ids a play names: two for `pair`, one for the others, none for a tool."""
    seed: str = ""
    """The seed of a `shuffle`; empty otherwise."""

    def __str__(self) -> str:
        return encode(self)


_SIGNS = {"lift": "^", "match": "=", "flip": "~", "pick": ""}
_LETTERS = {"undo": "u", "hint": "h", "restart": "r", "give_up": "g"}
_TOOLS = {letter: Move(kind) for kind, letter in _LETTERS.items()}
_KINDS = {sign: kind for kind, sign in _SIGNS.items()}
_PLAY = re.compile(r"(?:([\^=~]?)(0|[1-9][0-9]{0,3})|(0|[1-9][0-9]{0,3})-(0|[1-9][0-9]{0,3}))", re.ASCII)
_SHUFFLE = re.compile(r"s:([A-Za-z0-9._/+-]{1,64})", re.ASCII)
_HEADER = re.compile(
    r"levelgen-log ([0-9]+) ([a-z0-9][a-z0-9._-]{0,63})#([1-9][0-9]{0,8})(?: ([0-9a-f]{64}))?", re.ASCII
)
_FIX = "write 3-9 (pair), ^4 (lift), =12 (match), ~4 (flip), 7 (pick), u, h, s:SEED, r or g"


def encode(move: Move) -> str:
    """The move as its text token."""
    if move.kind == "pair":
        return f"{move.tiles[0]}-{move.tiles[1]}"
    if move.kind == "shuffle":
        return f"s:{move.seed}"
    if move.kind in _LETTERS:
        return _LETTERS[move.kind]
    return f"{_SIGNS[move.kind]}{move.tiles[0]}"


@lru_cache(maxsize=1 << 14)
def decode(token: str) -> Move | None:
    """The move a token stands for, or None when it is none. Leading zeros and other spellings are refused.

    Moves are immutable and few, so they are kept: a server reads the same tokens all day.
    """
    play = _PLAY.fullmatch(token)
    if play is None:
        shuffle = _SHUFFLE.fullmatch(token)
        return Move("shuffle", (), shuffle[1]) if shuffle else _TOOLS.get(token)
    sign, single, first, second = play.groups()
    tiles = (int(single),) if first is None else (int(first), int(second))
    if max(tiles) >= MAX_TILES:
        return None
    return Move("pair" if first is not None else _KINDS[sign], tiles)


@dataclass(frozen=True, slots=True)
class Log:
    """A player's log: whose level it was played on, and its moves."""

    pack: str
    level: int
    moves: tuple[Move, ...]
    record: str = ""
    """The digest of the record it was played on; empty when it does not say."""

    def to_text(self) -> str:
        """The compact text form, twenty moves a line."""
        tokens = [encode(move) for move in self.moves]
        lines = [" ".join(tokens[i : i + 20]) for i in range(0, len(tokens), 20)]
        header = f"levelgen-log 1 {self.pack}#{self.level} {self.record}".rstrip()
        return "\n".join([header, *lines]) + "\n"

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        named = {"record": self.record} if self.record else {}
        return {"v": 1, "pack": self.pack, "level": self.level, **named, "moves": [encode(move) for move in self.moves]}


def parse_log(data: bytes, where: str = "log") -> Log:
    """Read a log in either form.

    Raises:
        Malformed: not a log, or with every token that cannot be read, by line and column (JSON: by move number).
    """
    if len(data) > MAX_LOG_BYTES:
        raise Malformed.of("log/too-long", f"has {len(data)} bytes, more than {MAX_LOG_BYTES}", where)
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        raise Malformed.of("log/not-ascii", f"byte {error.start} is not ASCII", where) from None
    return _parse_json(text, where) if text.lstrip().startswith("{") else _parse_text(text, where)


def _parse_text(text: str, where: str) -> Log:
    lines = text.splitlines()
    header = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise Malformed.of(
            "log/header",
            "does not start with `levelgen-log 1 PACK#N` or `levelgen-log 1 PACK#N RECORD`",
            f"{where}:1:1",
            "add that line on top",
        )
    if header[1] != "1":
        raise Malformed.of("log/version", f"is of version {header[1]}; this levelgen reads version 1", f"{where}:1:14")
    body = lines[1:]

    def places() -> Iterator[str]:
        for number, line in enumerate(body, start=2):
            for token in re.finditer(r"\S+", line):
                yield f"{where}:{number}:{token.start() + 1}"

    moves = _decode_all(" ".join(body).split(), places(), where)
    return Log(header[2], int(header[3]), moves, header[4] or "")


def _parse_json(text: str, where: str) -> Log:
    if _nests_deeper(text):
        raise Malformed.of("log/json", f"is not JSON: it nests deeper than {MAX_DEPTH}", where)
    try:
        data = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_refuse, parse_int=_integer
        )
    except json.JSONDecodeError:
        raise Malformed.of("log/json", "is not JSON", where) from None
    except ValueError as error:
        raise Malformed.of("log/json", f"is not JSON: {error}", where) from None
    return log_of(data, where)


def log_of(data: Any, where: str = "log") -> Log:
    """The log in a value read from JSON: an object in the JSON form, or a string that holds a log in either form.

    Raises:
        Malformed: as `parse_log`.
    """
    if isinstance(data, str):
        return parse_log(data.encode("utf-8", "surrogatepass"), where)
    fields = {"v", "pack", "level", "moves"}
    if not isinstance(data, dict) or data.keys() - {"record"} != fields or data["v"] != 1 or data["v"] is True:
        raise Malformed.of("log/fields", 'is not {"v":1,"pack":…,"level":…,"record":…,"moves":[…]}', where)
    pack, level, record, tokens = data["pack"], data["level"], data.get("record", ""), data["moves"]
    spelt = isinstance(pack, str) and type(level) is int and isinstance(record, str) and isinstance(tokens, list)
    header = f"levelgen-log 1 {pack}#{level}" + (f" {record}" if "record" in data else "")
    if not spelt or _HEADER.fullmatch(header) is None:
        raise Malformed.of("log/fields", "pack, level, record or moves has the wrong type or spelling", where)
    texts = [token if isinstance(token, str) else f"{json.dumps(token)[:40]} (not a text)" for token in tokens]
    places = (f"{where}: move {number}" for number in range(1, len(texts) + 1))
    return Log(pack, level, _decode_all(texts, places, where), record)


def _nests_deeper(text: str) -> bool:
    """Whether brackets outside strings nest deeper than `MAX_DEPTH`: the parser's own bound is the machine's."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False


_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"?|[][{}]', re.DOTALL)


def _integer(text: str) -> int:
    if text == "-0":
        raise ValueError("-0 is not written as 0")
    if len(text) > 17 or abs(value := int(text)) > MAX_INTEGER:
        raise ValueError(f"{text[:24]} is not below 2^53")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise ValueError(f"the key {key[:40]!r} is given twice")
        data[key] = value
    return data


def _refuse(text: str) -> Any:
    raise ValueError(f"{text[:24]} is not an integer")


def _decode_all(tokens: list[str], places: Iterator[str], where: str) -> tuple[Move, ...]:
    """The moves of all tokens; `places` is consumed only to say where unreadable ones stand."""
    if len(tokens) > MAX_MOVES:
        raise Malformed.of("log/too-long", f"has {len(tokens)} moves, more than {MAX_MOVES}", where)
    moves = tuple(move for move in map(decode, tokens) if move is not None)
    if len(moves) == len(tokens):
        return moves
    raise Malformed(
        [
            Finding("log/unparsable-move", f"cannot read the move {token[:40]!r}", place, _FIX)
            for token, place in zip(tokens, places, strict=True)
            if decode(token) is None
        ]
    )


class Refusal(NamedTuple):
    """Why a move or a tool is not accepted. `REASONS` lists the codes."""

    reason: str
    message: str
    tiles: tuple[int, ...] = ()
    """The tiles that are the cause: the blockers, the tile that is gone, …"""


REASONS = {
    "other-record": "the log names a record that is not this level's; nothing of it is played",
    "game-over": "the game is won, lost or given up",
    "no-tool": "none of that tool is left",
    "wrong-game": "this ruleset has no such move",
    "no-such-tile": "the board has no tile of that id",
    "gone": "the tile has left the board",
    "same-tile": "a tile cannot be paired with itself",
    "blocked": "pairs: the tile is covered or hemmed in",
    "held": "triples: another tile lies over part of it",
    "face-down": "pair and match take tiles that show their face",
    "face-up": "lift and flip take tiles that lie face down",
    "faces-differ": "the two tiles do not show the same face",
    "no-mate": "no tile of that face waits in the tray",
    "tray-full": "the tray has too few empty slots",
    "nothing-to-undo": "no move or shuffle has been made",
    "no-winnable-shuffle": "no deal of the tiles left was found that can be won",
}
"""Every code a refusal can carry. A play is refused with the first that applies, in this order, and so is a tool."""
