"""JSON read strictly, and the records of levels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from levelgen.board import Board
from levelgen.certificate import moves_under
from levelgen.deal import Stuck, deal_faces
from levelgen.layout import Layout, parse
from levelgen.moves import Move
from levelgen.pack.manifest import ruleset_digest
from levelgen.pack.records import Record, parse_record
from levelgen.pack.strict import decode
from levelgen.pack.strict import encode as encode_json
from levelgen.rules import RULESETS
from levelgen.vectors.case import Case, codes_of, spelled_input


def json_cases() -> Iterator[Case]:
    """JSON at the edges of the strict subset."""
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
        data, spelled = spelled_input(*(text if isinstance(text, tuple) else (text,)))
        codes = codes_of(lambda data=data: decode(data, "text"))  # type: ignore[misc]
        value: Case = {"refused": codes} if codes else {"canonical": encode_json(decode(data, "text")) == data}
        yield spelled | value


_TINY = {
    "pairs": parse("aabbccddee\naabbccddee\n-- 1\n.aabbffgg\n.aabbffgg")[0].slots[:8],
    "triples": parse("aabbccddeeff\naabbccddeeff\n-- 1\n.aabbcc\n.aabbcc")[0].slots,
}


def tiny_record(number: int, ruleset: str) -> tuple[Record, tuple[Move, ...]]:
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


def record_cases() -> Iterator[Case]:
    """Records, and every field of them spoilt."""
    pairs, triples = tiny_record(1, "pairs")[0], tiny_record(2, "triples")[0]
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
        _, spelled = spelled_input(line)
        codes = codes_of(lambda line=line: parse_record(line))  # type: ignore[misc]
        if codes:
            yield spelled | {"refused": codes}
        else:
            record = parse_record(line)
            yield spelled | {"record": [record.pack, record.level, len(record.slots), ruleset_digest(record.ruleset)]}
