"""A board as a person draws it in a text file; it goes wherever a board file goes.

    levelgen-board 1 pairs
    A = AR1_007
    tray C
    AABB
    AABB
    -- 1
    .aa
    .aa

The first line names the ruleset. Then lines that say which face a letter stands for (without one the letter is the
face's name) and which letters wait in the tray. Then the drawing, read by `layout.read_drawing`: a tile is a letter two
wide and two high, an uppercase letter shows its face, a lowercase letter is a face-down tile of that face.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from levelgen.board import Board, Deal
from levelgen.errors import Finding, Malformed, excerpt
from levelgen.layout import MAX_FAULTS, MAX_TILES, Drawing, draw, read_drawing, violations
from levelgen.rules import RULESETS

MARK = b"levelgen-board "
"""How a text board begins; nothing else that levelgen reads does."""
MAX_BYTES = 1 << 20
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_BOM = b"\xef\xbb\xbf"

_HEAD = re.compile(r"levelgen-board 1 ([a-z]+)\s*")
_NAMED = re.compile(r"\s*(.*?)\s*=\s*(.*?)\s*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
_TRAY = re.compile(r"\s*tray(\s.*)?")

Mark = tuple[int, int]
"""Line and column, both counted from 1."""


def is_drawn(data: bytes) -> bool:
    """Whether `data` begins as a text board does; a byte order mark and blank lines before it are passed over."""
    return data[:4096].removeprefix(_BOM).lstrip().startswith(MARK.rstrip())


def parse_drawn(data: bytes, where: str = "board") -> Deal:
    """The deal drawn in `data`.

    Raises:
        Malformed: with everything that is wrong with it, by line and column, the line itself and a caret.
    """
    if len(data) > MAX_BYTES:
        raise Malformed.of("board/too-long", f"is longer than {MAX_BYTES} bytes", where)
    data = data.removeprefix(_BOM)
    try:
        lines = data.decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        before = data[: error.start].split(b"\n")
        place = f"{where}:{len(before)}:{len(before[-1]) + 1}"
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise Malformed.of("board/encoding", message, place, "save it as UTF-8; letters are A to Z") from None
    return _Sheet(lines, where).deal()


def no_board(data: bytes, where: str) -> Finding:
    """What is said of a file that is no board of any kind: what it seems to be, and what to do."""
    start = data[:4096].removeprefix(_BOM)
    code, fix = "board/unknown", "draw one below a line `levelgen-board 1 pairs`, or write one board a line, as JSON"
    if b"\0" in start[:64] and start[:2] != b"PK":
        return Finding(code, "is UTF-16 or no text at all", where, "save it as UTF-8")
    if start[:2] == b"PK":
        return Finding(code, "is an archive, not a board", where, f"name a level of it: {where}#1")
    lines = start.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    at = next((index for index, line in enumerate(lines) if line.strip()), 0)
    message = "begins neither a drawn board nor a board as JSON"
    keys = {line.partition(":")[0] for line in lines if re.match(r"[a-z_]+:", line)}
    if {"template", "pieces"} & keys:
        message, fix = "is a template, not a board", f"deal it: levelgen try {where} -o boards.jsonl"
    elif {"pack", "ruleset"} & keys:
        message, fix = "is a recipe, not a board", "build it and name a level: out/PACK#1"
    elif lines[at].lstrip()[:1] in ("{", "["):
        message = "is JSON, but not one board a line"
    return Finding(code, message, f"{where}:{at + 1}:1", fix, excerpt(lines, at + 1, 1))


class _Sheet:
    """A text board being read; what is wrong with it gathers in `findings`."""

    def __init__(self, lines: list[str], where: str) -> None:
        self.lines = lines
        self.where = where
        self.findings: list[Finding] = []
        self.names: dict[str, str] = {}
        """The face each letter stands for."""
        self.named_at: dict[str, Mark] = {}
        self.tray: tuple[str, ...] = ()
        self.tray_at: Mark | None = None

    def say(self, code: str, message: str, mark: Mark, fix: str = "") -> None:
        if len(self.findings) < MAX_FAULTS:
            place = f"{self.where}:{mark[0]}:{mark[1]}"
            self.findings.append(Finding(code, message, place, fix, excerpt(self.lines, *mark)))

    def stop(self) -> None:
        if self.findings:
            raise Malformed(self.findings)

    def deal(self) -> Deal:
        """The deal.

        Raises:
            Malformed: with all findings. What can be told of a drawing that cannot be read is told before the rest.
        """
        rules, at = self.head()
        while at < len(self.lines) and self.note(at):
            at += 1
        drawing = self.drawing(at)
        self.stop()
        assert rules is not None, "what is missing was told"
        assert drawing is not None, "what is missing was told"
        names, marks = self.names, drawing.marks
        for letter in sorted(set(names) - {mark.upper() for mark in marks.values()} - set(self.tray)):
            self.say("board/face-line", f"no tile shows {letter}", self.named_at[letter], "remove the line")
        faces = tuple(names.get(mark.upper(), mark.upper()) for _, mark in sorted(marks.items()))
        hidden = tuple(tile for tile, mark in sorted(marks.items()) if mark.islower())
        deal = Deal(Board.compile(drawing.layout, RULESETS[rules]), faces, hidden,
                    tuple(names.get(one, one) for one in self.tray))  # fmt: skip
        self.judge(deal, drawing)
        self.stop()
        return deal

    def head(self) -> tuple[str | None, int]:
        """The ruleset's name, and how many lines the heading takes, blank ones before it counted."""
        at = next((index for index, line in enumerate(self.lines) if line.strip()), 0)
        found = _HEAD.fullmatch(self.lines[at])
        if found is None or found[1] not in RULESETS:
            self.say("board/head", f"cannot read the heading {self.lines[at][:60]!r}", (at + 1, 1),
                     f"write `levelgen-board 1 {' or '.join(RULESETS)}`")  # fmt: skip
            return None, at + 1
        return found[1], at + 1

    def note(self, at: int) -> bool:
        """Read a line above the drawing; whether it was one."""
        line = self.lines[at]
        if _TRAY.fullmatch(line):
            self.waiting(line, at + 1)
        elif _names_face(line):
            self.face(line, at + 1)
        else:
            return not line.strip()
        return True

    def face(self, line: str, number: int) -> None:
        """A line `A = NAME`."""
        found = _NAMED.fullmatch(line)
        assert found is not None, "the line has a `=`"
        letter, name = found[1], found[2]
        here, there = (number, found.start(1) + 1), (number, min(found.start(2), len(line) - 1) + 1)
        code = "board/face-line"
        if len(letter) != 1 or letter not in LETTERS:
            small = len(letter) == 1 and letter.isascii() and letter.islower()
            self.say(code, f"{letter[:20]!r} is no letter that a face can be named by", here,
                     f"write `{letter.upper()} = …`; in the drawing {letter} is then a face-down tile of that face"
                     if small else "write an uppercase letter, `A = NAME`")  # fmt: skip
        elif letter in self.named_at:
            self.say(
                code, f"`{letter}` was named already, on line {self.named_at[letter][0]}", here, "keep one of the two"
            )
        elif not _NAME.fullmatch(name):
            self.say(code, f"{name[:40]!r} is no name of a face" if name else f"`{letter}` is given no face", there,
                     "write letters, digits and . _ : / - (at most 64), as in AR1_007")  # fmt: skip
            self.named_at[letter] = here
        else:
            for other, taken in self.names.items():
                if taken == name:
                    self.say(code, f"`{other}` is {name} already", there, "draw both with one letter")
            self.names[letter], self.named_at[letter] = name, here

    def waiting(self, line: str, number: int) -> None:
        """A line `tray A B`."""
        begin = line.index("tray") + 1
        if self.tray_at is not None:
            self.say("board/tray-line", f"the tray was told already, on line {self.tray_at[0]}", (number, begin),
                     "keep one of the two")  # fmt: skip
            return
        self.tray_at = (number, begin)
        words = [(found[0], found.start() + 1) for found in re.finditer(r"\S+", line)][1:]
        if not words:
            self.say(
                "board/tray-line", "nothing waits in the tray", (number, begin), "write `tray A B`, or no such line"
            )
        for word, column in words[:MAX_TILES]:
            if len(word) != 1 or word not in LETTERS:
                self.say(
                    "board/tray-line", f"{word[:20]!r} is no uppercase letter", (number, column), "write `tray A B`"
                )
        self.tray = tuple(word for word, _ in words[:MAX_TILES])

    def drawing(self, at: int) -> Drawing | None:
        """What the lines from the one at index `at` on draw; None when that cannot be read."""
        rows = self.lines[at:]
        for index, line in enumerate(rows):
            if _names_face(line):
                self.say("board/face-line", "a line that names a face stands above the drawing", (at + index + 1, 1),
                         "move it up")  # fmt: skip
                rows[index] = ""
        try:
            drawing = read_drawing("\n".join(rows), self.where)
        except Malformed as error:
            for one in error.findings:
                row, column = map(int, one.where.rsplit(":", 2)[1:])
                self.say(one.code, one.message, (row + at, column), one.fix)
            return None
        if not 0 < len(drawing.layout) <= MAX_TILES:
            self.say("board/tiles", f"draws {len(drawing.layout)} tiles; 1 … {MAX_TILES} are read",
                     (min(at + 1, len(self.lines)), 1), "draw a tile as AA over AA")  # fmt: skip
            return None
        drawing = Drawing(drawing.layout, drawing.marks,
                          {tile: (line + at, column) for tile, (line, column) in drawing.spots.items()})  # fmt: skip
        seen: set[str] = set()
        for tile, mark in drawing.marks.items():
            if not (mark.isascii() and mark.isalpha()) and mark not in seen:
                seen.add(mark)
                self.say(
                    "board/letter", f"{mark!r} is no letter", drawing.spots[tile], "draw tiles with the letters A to Z"
                )
        for letter, face in self.names.items():
            named = face == letter or face in self.names
            if not named and any(mark.upper() == face for mark in drawing.marks.values()):
                self.say("board/face-line", f"`{letter}` is {face}, and so are the tiles drawn with {face}",
                         self.named_at[letter], f"draw all of them with {face}, or add `{face} = …`")  # fmt: skip
        return drawing

    def judge(self, deal: Deal, drawing: Drawing) -> None:
        """What the law of layouts and deals has against it, each where a tile, the tray or the heading shows it."""
        first = {face: drawing.spots[tile] for tile, face in reversed(list(enumerate(deal.faces)))}
        head = next(iter(drawing.spots.values()))
        if deal.face_down:
            hidden = drawing.spots[deal.face_down[0]]
        wrong: Iterable[Finding] = (*violations(drawing.layout), *deal.violations())
        for one in wrong:
            kind, _, what = one.where.partition(" ")
            if one.code == "deal/no-move":  # what has no move is no level, but a board to look at and to explain
                continue
            if kind == "tile":
                mark = drawing.spots[int(what.partition(" ")[0])]
            elif one.code == "deal/tray" and self.tray_at:
                mark = self.tray_at
            elif kind == "face":
                mark = first.get(what) or self.tray_at or head
            else:
                mark = hidden if one.code == "deal/face_down" else head
            self.say(one.code, f"{one.where}: {one.message}" if one.where else one.message, mark, one.fix)


def _names_face(line: str) -> bool:
    """Whether a line is meant to say what a letter stands for; a row of `=` is not."""
    return "=" in line and not line.replace(" ", "").startswith("==")


def draw_board(deal: Deal) -> str | None:
    """The deal as `parse_drawn` reads it.

    None when it cannot be drawn: it shows more faces than there are letters, is in mid-game, or its ruleset is not one
    that is known by its name alone.
    """
    faces = sorted({*deal.faces, *deal.tray})
    rules = deal.board.ruleset
    if len(faces) > len(LETTERS) or deal.removed or RULESETS.get(rules.id) != rules:
        return None
    letters = {face: LETTERS[index] for index, face in enumerate(faces)}
    if all(face in LETTERS for face in faces):
        letters = {face: face for face in faces}
    lines = [f"levelgen-board 1 {rules.id}"]
    lines += [f"{letter} = {face}" for face, letter in letters.items() if face != letter]
    if deal.tray:
        lines.append("tray " + " ".join(letters[face] for face in deal.tray))
    hidden = set(deal.face_down)
    marks = {tile: letters[face].lower() if tile in hidden else letters[face] for tile, face in enumerate(deal.faces)}
    return "\n".join(lines) + "\n" + draw(deal.board.layout, marks)
