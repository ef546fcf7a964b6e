"""JSON read strictly and written one way only.

What is written here is compact, ASCII, and keeps the key order it is given, so that equal data are equal bytes. What is
read here is RFC 8259 minus everything two parsers might read differently: a byte-order mark, bytes beyond ASCII, a key
given twice, fractions, exponents, `NaN`, `-0`, integers of 2⁵³ and more, lone surrogates. Size and nesting are bounded
before the parser sees a byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NoReturn

from levelgen.errors import Finding, Malformed

MAX_LINE = 1 << 20
"""The most bytes of one record, certificate or board."""
MAX_DEPTH = 8
"""The deepest nesting read; nothing levelgen writes needs more than four."""
MAX_INTEGER = (1 << 53) - 1
"""The largest integer every JSON parser reads exactly."""


class _Refused(ValueError):
    """The parser met something that is JSON but not ours."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Integers(dict[str, int]):
    """From digits to the integer, as the parser's hook: the small ones by one look-up, the others checked."""

    def __missing__(self, text: str) -> int:
        if text == "-0":
            raise _Refused("json/number", "-0 is not written as 0")
        if len(text) > 17 or abs(value := int(text)) > MAX_INTEGER:
            raise _Refused("json/number", f"{text[:24]} is not below 2^53")
        return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused("json/duplicate-key", f"the key {twice[:40]!r} is given twice")
    return data


def _no_fraction(text: str) -> NoReturn:
    raise _Refused("json/number", f"{text[:24]} is not an integer")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_Integers({str(number): number for number in range(4096)}).__getitem__,
    parse_float=_no_fraction,
    parse_constant=_no_fraction,
)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_NOT_MARKS = bytes(set(_NOT_BRACKETS) - set(b'"\\'))
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


def decode(data: bytes, where: str, *, limit: int = MAX_LINE, depth: int = MAX_DEPTH, booleans: bool = True) -> Any:
    """The value in `data`, one JSON text; without `booleans` it must not hold `true` or `false`.

    Raises:
        Malformed: it is too long, too deeply nested, not JSON, or JSON outside the strict subset; the finding names
            `where`, and the line and column where the parser knows them.
    """
    if len(data) > limit:
        raise Malformed.of("json/too-long", f"has {len(data)} bytes, more than {limit}", where)
    if data.startswith(b"\xef\xbb\xbf"):
        raise Malformed.of("json/bom", "starts with a byte-order mark", where, "save it without one")
    if not data.isascii():
        beyond = next(place for place, byte in enumerate(data) if byte > 127)
        raise Malformed.of("json/not-ascii", f"byte {beyond} is not ASCII", where, "write it as an escape, \\uXXXX")
    if _deeper_than(data, depth):
        raise Malformed.of("json/too-deep", f"nests deeper than {depth}", where)
    text = data.decode("ascii")
    try:
        value = _DECODER.decode(text)
    except _Refused as error:
        raise Malformed.of(error.code, str(error), where) from None
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}" if error.lineno > 1 else f"{where}, column {error.colno}"
        raise Malformed.of("json/syntax", f"is not JSON: {error.msg}", place,
                           "look there: something is missing, cut off, or was edited by hand") from None  # fmt: skip
    if not booleans and (b"true" in data or b"false" in data) and any(type(part) is bool for part in _parts(value)):
        raise Malformed.of("json/boolean", "holds true or false where nothing can be either", where)
    if b"\\" in data and any(isinstance(part, str) and _has_surrogate(part) for part in _parts(value)):
        raise Malformed.of("json/surrogate", "a string holds half of a surrogate pair", where)
    return value


def _deeper_than(data: bytes, depth: int) -> bool:
    """Whether brackets outside strings nest deeper than `depth`; unbalanced ones are left to the parser."""
    # Strings without brackets leave nothing but two quotes; only where more is left are strings cut out one by one.
    brackets = data.translate(None, _NOT_MARKS).replace(b'""', b"")
    if b'"' in brackets or b"\\" in brackets:
        brackets = _STRING.sub(b"", data).translate(None, _NOT_BRACKETS)
    # Without the flat arrays, which are most of it, one level is missing; only near the bound does that matter.
    return _nests(brackets.replace(b"[]", b""), depth - 1) and _nests(brackets, depth)


def _nests(brackets: bytes, depth: int) -> bool:
    level = 0
    for bracket in brackets:
        level += 1 if bracket in b"[{" else -1
        if level > depth:
            return True
    return False


def _parts(value: Any) -> Iterator[Any]:
    """Every text, number, truth value and null in `value`, keys included."""
    if isinstance(value, list):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _parts(item)
    else:
        yield value


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


_ENCODER = json.JSONEncoder(ensure_ascii=True, check_circular=False, allow_nan=False, separators=(",", ":"))


def encode(value: Any) -> bytes:
    """`value` as compact ASCII JSON; keys stay in the order in which they are given."""
    return _ENCODER.encode(value).encode("ascii")


def decode_canonical(data: bytes, where: str, *, limit: int = MAX_LINE) -> Any:
    """As `decode`, and the bytes must be those that `encode` writes.

    Raises:
        Malformed: as `decode`, or the same value is spelt another way.
    """
    value = decode(data, where, limit=limit)
    if encode(value) != data:
        raise Malformed.of("json/not-canonical", "is not spelt as levelgen writes it: blanks, escapes", where)
    return value


def field_findings(
    value: Any, fields: Iterable[str], where: str, *, optional: Iterable[str] = (), kind: str = "record"
) -> Iterator[Finding]:
    """Whether `value` is an object with exactly `fields`; with the order of `fields` when nothing is optional."""
    fields, optional = list(fields), list(optional)
    if isinstance(value, dict) and list(value) == fields:
        return
    if not isinstance(value, dict):
        yield Finding(f"{kind}/not-an-object", f"is not an object but {_kind(value)}", where)
        return
    for key in value:
        if key not in fields and key not in optional:
            yield Finding(
                f"{kind}/unknown-field", f"has an unknown field {key[:40]!r}", where, "remove it, or mend its spelling"
            )
    missing = [key for key in fields if key not in value]
    for key in missing:
        yield Finding(f"{kind}/missing-field", f"has no field {key!r}", where)
    if not optional and not missing and len(value) == len(fields) and list(value) != fields:
        yield Finding(f"{kind}/field-order", f"does not keep the order of its fields: {', '.join(fields)}", where)


def _kind(value: Any) -> str:
    names = {list: "an array", str: "a text", int: "a number", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "something else")


def is_count(value: Any, low: int = 0, high: int = MAX_INTEGER) -> bool:
    """Whether `value` is an integer (no truth value) from `low` to `high`."""
    return type(value) is int and low <= value <= high


_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


def is_digest(value: Any) -> bool:
    """Whether `value` is a SHA-256 digest as 64 lowercase hexadecimal digits."""
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def is_match(value: Any, pattern: re.Pattern[str]) -> bool:
    """Whether `value` is a text that `pattern` matches as a whole."""
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def digest(data: bytes) -> str:
    """The SHA-256 digest of `data` in hexadecimal."""
    return sha256(data).hexdigest()
