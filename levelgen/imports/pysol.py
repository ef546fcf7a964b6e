"""PySolFC layout strings: `0`, then three letters a stack of tiles.

The first letter is 7 · layer + height − 1, the second and third are x and y in half-tiles; the alphabet is a … z,
A … Z. A file holds such strings as they are, each beginning a line, or calls `r(5001, "Name", ncards=144, layout=…)` as
PySolFC's source writes them; that source is searched, never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from levelgen.errors import Finding
from levelgen.imports.source import MAX_LAYOUTS, Found, Sheet, Source, licence_in
from levelgen.layout import MAX_TILES

MAX_PIECES = 20_000
"""Parts of a string that are looked at: more than enough for as many tiles as a layout may have."""
_LETTERS = {letter: n for n, letter in enumerate("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")}
_BARE = re.compile(rb"(?:\s*+#[^\n]*+\n)*+\s*+0[a-zA-Z]{3}")
_CALLED = re.compile(rb"\br\(\s*+[0-9]")
_CALL = re.compile(r"\br\(\s*[0-9]{1,9}\s*,")
_TOKEN = re.compile(
    r"[ \t]*(?:#[^\n]*)?(?:(?P<line>\n)|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    r"|(?P<word>[A-Za-z_][A-Za-z_0-9]*+)|(?P<number>[0-9]++)|(?P<mark>[+,=()]))"
)


@dataclass
class _Written:
    """One layout as it stands in the file."""

    line: int
    title: str = ""
    cards: int | None = None
    pieces: list[tuple[int, str]] = field(default_factory=list)
    """The parts of the string, each with its line."""


def matches(source: Source) -> bool:
    """Whether there are layout strings in the file."""
    if b"layout=" in source.data and _CALLED.search(source.data):
        return True
    return _BARE.match(source.data.removeprefix(b"\xef\xbb\xbf")) is not None


def read(source: Source) -> Iterator[Found | Finding]:
    """Every layout of the file.

    Raises:
        Malformed: there is none, or too many.
    """
    licence = licence_in(source.text)
    for count, one in enumerate(_calls(source) if "layout=" in source.text else _bare(source), start=1):
        if count > MAX_LAYOUTS:
            raise source.stop("too-many", f"has more than {MAX_LAYOUTS} layouts", one.line)
        sheet = Sheet(source, one.title, one.line, licence=licence)
        _decode(sheet, one)
        yield from sheet.done()


def _bare(source: Source) -> Iterator[_Written]:
    current: _Written | None = None
    title = ""
    for number, text in enumerate(source.text.split("\n"), start=1):
        words = text.strip()
        if words.startswith("#"):
            title = words.lstrip("# ")
        elif words.startswith("0"):
            if current:
                yield current
            current, title = _Written(number, title, None, [(number, words)]), ""
        elif words and current:
            current.pieces.append((number, words))
        elif words:
            raise source.stop("string", f"{words[:20]!r} is no layout string", number, "it begins with 0")
    if current:
        yield current


def _calls(source: Source) -> Iterator[_Written]:
    """Every call with a layout. Calls do not overlap, so that the text is walked through once."""
    text = source.text
    line, seen = 1, 0
    while call := _CALL.search(text, seen):
        line += text.count("\n", seen, call.start())
        one = _Written(line)
        line += call[0].count("\n")
        seen, line = _arguments(text, call.end(), one, line)
        if one.pieces:
            yield one


def _arguments(text: str, at: int, one: _Written, line: int) -> tuple[int, int]:
    """Take in what stands between a call's parentheses; where it ends, and the line of that."""
    name, first, depth = "", True, 0
    word = ""
    while token := _TOKEN.match(text, at):
        at = token.end()
        if token["line"]:
            line += 1
        elif token["word"]:
            word = token["word"]
        elif mark := token["mark"]:
            if mark == "=":
                name = word
            elif mark == "(":
                depth += 1
            elif mark == ")" and not depth:
                break
            elif mark == ")":
                depth -= 1
            elif mark == "," and not depth:
                name, first = "", False
        elif token["number"] and name == "ncards" and len(token["number"]) < 9:
            one.cards = int(token["number"])
        elif token["text"] and name == "layout":
            one.pieces.append((line, token["text"][1:-1]))
            if len(one.pieces) == MAX_PIECES:
                break
        elif token["text"] and first and len(one.title) < 200:
            one.title += re.sub(r"\\(.)", r"\1", token["text"][1:-1])
    return at, line


def _decode(sheet: Sheet, one: _Written) -> None:
    signs = ((line, sign) for line, piece in one.pieces for sign in piece if not sign.isspace())
    letters = list(islice(signs, 3 * (MAX_TILES + 1) + 1))
    if not letters or letters[0][1] != "0":
        sheet.say("string", "a layout string begins with 0", one.line)
        return
    if len(letters) % 3 != 1:
        sheet.say("string", f"has {len(letters) - 1} letters after its 0: no multiple of three", letters[-1][0],
                  "it may be truncated")  # fmt: skip
    for index in range(1, len(letters) - 2, 3):
        line = letters[index][0]
        values = [_LETTERS.get(sign, -1) for _, sign in letters[index : index + 3]]
        if min(values) < 0:
            wrong = next(sign for _, sign in letters[index : index + 3] if sign not in _LETTERS)
            sheet.say("string", f"{wrong!r} is no letter of a layout string", line, "a … z and A … Z are")
            continue
        stack, x, y = values
        if not sheet.room(stack % 7 + 1, line):
            break
        for z in range(stack // 7, stack // 7 + stack % 7 + 1):
            sheet.put(x, y, z, line)
    if one.cards is not None and not sheet.findings and one.cards != len(sheet.lines):
        sheet.say("count", f"has {len(sheet.lines)} tiles; ncards says {one.cards}", one.line, "it may be truncated")
