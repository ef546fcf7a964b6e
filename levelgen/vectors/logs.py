"""Players' logs as text and as JSON, whole, wrong, and cut short."""

from __future__ import annotations

from collections.abc import Iterator

from levelgen.errors import LevelgenError
from levelgen.moves import Log, parse_log
from levelgen.saved import recover_log
from levelgen.vectors.boards import moves_of
from levelgen.vectors.case import Case, spelled_input

_HEAD = b"levelgen-log 1 eram#7\n"
_NAMED = _HEAD[:-1] + b" " + b"0f" * 32 + b"\n3-9\n"
_JSON_NAMED = b'{"v":1,"pack":"eram","level":7,"record":"%s","moves":["3-9"]}'
_JSON = b'{"v":1,"pack":"eram","level":7,"moves":[%s]}'


def log_cases() -> Iterator[Case]:
    """Logs that can be read, and every way in which they cannot."""
    good: list[bytes] = [
        _HEAD, _HEAD + b"3-9 ^4 =12 ~4 7 u h s:SEED r g\n", _HEAD + b"0-4095\n\n  7\t8\r\n9", b"  " + _HEAD + b"1",
        _HEAD + b"s:A-Za-z0-9._/+- s:" + b"x" * 64, b"levelgen-log 1 a.b_c-d#999999999", _JSON % b"",
        _JSON % b'"3-9","^4","s:x"', b'\n { "moves" : [ ] , "level":7, "pack" :"eram","v":1 }\n',
        _HEAD + b"1\x0c2\x1c3\x1f4",
        Log("tiny", 3, moves_of("1 2 u")).to_text().encode(), _JSON % b'"\\u0037"',
        _NAMED, Log("tiny", 3, moves_of("1 2 u"), "ab" * 32).to_text().encode(), _JSON_NAMED % (b"ab" * 32),
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
             _HEAD + "3–9\n".encode(), _NAMED.replace(b"0f", b"0F"), _NAMED.replace(b" 0f", b"  0f"),
             _NAMED.replace(b"0f0f", b"0f", 1), _NAMED.replace(b"0f", b"0f0", 1))  # fmt: skip
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
        b'{"v":1,"pack":"eram\\n","level":7,"moves":[]}', _JSON_NAMED % b"", _JSON_NAMED % (b"AB" * 32),
        (_JSON_NAMED % b"x").replace(b'"x"', b"null"), _JSON % b'[[[[["u"]]]]]', _JSON % b'[[[[[[["u"]]]]]]]',
        _JSON % b'9007199254740991', _JSON % b'9007199254740992', _JSON % b"-0", b"[" * 9, _JSON % b'"[[[[[[[[["',
    )  # fmt: skip
    inputs = [spelled_input(data) for data in (*good, *heads, *texts)]
    inputs += [spelled_input(_HEAD + b"0-1 " + token + b" 5\n") for token in tokens]
    inputs += [
        spelled_input(_HEAD + b"0-1 oops\n  ^2 3- u\r\nx\n"),
        spelled_input(_HEAD, (b"u ", 100_001)),
        spelled_input(_HEAD, (b" ", 1 << 20)),
        spelled_input((b"[", 100_000)),
        spelled_input(b'{"moves":', (b"[", 100_000)),
    ]
    for data, spelled in inputs:
        try:
            log = parse_log(data)
            answer: Case = {"log": log.to_json()}
        except LevelgenError as error:
            answer = {"refused": [{"code": found.code, "where": found.where} for found in error.findings]}
        yield spelled | answer


def saved_cases() -> Iterator[Case]:
    """Saved logs, whole and cut short."""
    whole = _HEAD + b"0-2\n1-3 u\n"
    ends = (b"", b"1", b"1-3", b"\x00\x00\xff", b"1-")
    texts = (_HEAD, _HEAD[:-1], b"level", b"", _HEAD + b"0-2\nx\n1-3", _HEAD + b"0-2 \r\n^1")
    for data in (*(whole + end for end in ends), *texts, _JSON % b'"u"', (_JSON % b'"u"')[:-4]):
        _, spelled = spelled_input(data)
        try:
            saved = recover_log(data)
            torn = saved.torn and {"code": saved.torn.code, "where": saved.torn.where}
            yield spelled | {"log": saved.log.to_json(), "torn": torn}
        except LevelgenError as error:
            yield spelled | {"refused": [{"code": found.code, "where": found.where} for found in error.findings]}
