"""JSON within bounds that remembers the line of every value, so that a fault can be pointed at."""

from __future__ import annotations

import json
import re

from levelgen.imports.source import Source

MAX_DEPTH = 32
MAX_VALUES = 400_000
MAX_DIGITS = 15


class Object(dict[str, "Value"]):
    """An object; `lines` has the line of each value, `line` its own."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class Array(list["Value"]):
    """An array; `lines` has the line of each item, `line` its own."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


Value = Object | Array | str | int | float | bool | None

_TOKEN = re.compile(
    r'[ \t]*(?:(?P<mark>[][{},:\n])|(?P<string>"(?:[^"\\\x00-\x1f]|\\[^\n])*+")'
    r"|(?P<number>-?[0-9][0-9.eE+-]*+)|(?P<word>[a-zA-Z]++))"
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = {"true": True, "false": False, "null": None}
_BLANK = re.compile(r"[ \t]*")


def parse_json(source: Source) -> Value:
    """The value the file holds.

    Raises:
        Malformed: it is not JSON, gives a key twice, or leaves the bounds.
    """
    return _Parser(source).parse()


class _Parser:
    """Reads token by token with a stack of open containers; no recursion, whatever the input."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.line = 1
        self.count = 0

    def parse(self) -> Value:
        text = self.source.text
        root = Array(1)
        stack: list[Object | Array] = [root]
        key: str | None = None
        wanted = "value"  # value, item (a value or the end), key, first (a key or the end), colon, comma
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                if _BLANK.fullmatch(text, at):
                    break
                raise self.bad("something that is not JSON")
            at = token.end()
            mark = token["mark"]
            if mark == "\n":
                self.line += 1
                continue
            holder = stack[-1]
            if mark in ("}", "]"):
                closes = isinstance(holder, Object) == (mark == "}") and len(stack) > 1
                if not closes or wanted not in ("comma", "item", "first"):
                    raise self.bad(f"`{mark}`")
                stack.pop()
                wanted = "comma"
            elif mark == ",":
                if wanted != "comma" or len(stack) == 1:
                    raise self.bad("`,`")
                wanted = "key" if isinstance(holder, Object) else "value"
            elif mark == ":":
                if wanted != "colon":
                    raise self.bad("`:`")
                wanted = "value"
            elif wanted in ("key", "first"):
                if token["string"] is None:
                    raise self.bad("something that is no key")
                key = self.string(token["string"])
                if key in holder:
                    raise self.source.stop("json", f"the key {key[:40]!r} is given twice", self.line)
                wanted = "colon"
            elif wanted in ("value", "item"):
                value = self.value(token)
                self.attach(holder, key, value)
                if isinstance(value, Object | Array):
                    stack.append(value)
                    if len(stack) > MAX_DEPTH:
                        raise self.source.stop("too-deep", f"nests deeper than {MAX_DEPTH} levels", self.line)
                    wanted = "first" if isinstance(value, Object) else "item"
                else:
                    wanted = "comma"
            else:
                raise self.bad("a value where none can be")
        if len(stack) > 1 or wanted != "comma":
            raise self.source.stop("json", "ends in the middle", self.line, "the file may be truncated")
        return root[0]

    def bad(self, what: str) -> Exception:
        return self.source.stop("json", f"is not JSON: {what} stands here", self.line)

    def attach(self, holder: Object | Array, key: str | None, value: Value) -> None:
        self.count += 1
        if self.count > MAX_VALUES:
            raise self.source.stop("too-many", f"has more than {MAX_VALUES} values", self.line)
        if isinstance(holder, Object):
            assert key is not None, "a value in an object comes after its key"
            holder[key] = value
            holder.lines[key] = self.line
        else:
            holder.append(value)
            holder.lines.append(self.line)

    def value(self, token: re.Match[str]) -> Value:
        if token["mark"] is not None:
            return Object(self.line) if token["mark"] == "{" else Array(self.line)
        if token["string"] is not None:
            return self.string(token["string"])
        if token["word"] is not None:
            if token["word"] not in _WORDS:
                raise self.bad(f"`{token['word'][:20]}`")
            return _WORDS[token["word"]]
        number = _NUMBER.fullmatch(token["number"])
        if number is None or len(token["number"]) > 40:
            raise self.bad(f"`{token['number'][:20]}`")
        if number[1] is None and number[2] is None:
            if len(token["number"]) > MAX_DIGITS:
                raise self.source.stop("number", f"{token['number'][:20]}… is too large a number", self.line)
            return int(token["number"])
        return float(token["number"])

    def string(self, text: str) -> str:
        if "\\" not in text:
            return text[1:-1]
        try:
            decoded: str = json.loads(text)
        except ValueError:
            raise self.bad("a text with a broken escape") from None
        return decoded
