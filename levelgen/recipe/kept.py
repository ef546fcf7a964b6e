"""Levels that stay as a pack had them: files beside the recipe, and the entries under `keep` that name them.

A file holds the record's line and, where the pack had it, the certificate's; `levelgen review` writes both. The level
is planned as if it were not kept, so that no other level changes, and then the record takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from levelgen.certificate import Certificate
from levelgen.document import Document, load
from levelgen.errors import Finding, Malformed
from levelgen.pack.records import Record, encode_certificate, parse_certificate, parse_record
from levelgen.pack.strict import digest
from levelgen.rules import Ruleset

FOLDER = "kept"
"""Where `review` puts the files, beside the recipe."""
MAX_BYTES = 2 << 20


@dataclass(frozen=True)
class Kept:
    """A level as a pack had it."""

    record: Record
    certificate: Certificate | None = field(hash=False)
    """None where the pack had none; the kernel then proves the board again."""

    def encode(self) -> bytes:
        """The bytes of its file."""
        lines = [self.record.encode()] + ([encode_certificate(self.certificate)] if self.certificate else [])
        return b"".join(line + b"\n" for line in lines)


def file_name(pack: str, level: int) -> str:
    """How the file of a kept level is called, seen from the recipe's folder."""
    return f"{FOLDER}/{pack}-{level:04}.jsonl"


def parse_kept(data: bytes, where: str) -> Kept:
    """What a file of a kept level says.

    Raises:
        Malformed: its lines are no record and certificate, or the two do not belong together.
    """
    lines = data.removesuffix(b"\n").split(b"\n")
    if len(lines) > 2:
        raise Malformed.of("kept/lines", f"holds {len(lines)} lines", where, "a record, and its certificate below it")
    record = parse_record(lines[0], f"{where}:1")
    if len(lines) == 1:
        return Kept(record, None)
    if digest(lines[1]) != record.certificate_sha256:
        raise Malformed.of("kept/certificate", "is not the certificate its record names", f"{where}:2",
                           "take both lines from one pack, or leave this one out")  # fmt: skip
    return Kept(record, parse_certificate(lines[1], f"{where}:2"))


def read_kept(path: Path, where: str) -> Kept:
    """The kept level in a file.

    Raises:
        Malformed: there is no such file, it is too long, or as `parse_kept`.
    """
    try:
        if path.exists() and not path.is_file():  # a pipe would keep us waiting for ever
            raise Malformed.of("kept/file", "is no ordinary file", where)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Malformed.of("kept/missing", "there is no such file", where,
                           "bring it back, or remove the entry: the level is then drawn anew") from None  # fmt: skip
    if len(data) > MAX_BYTES:
        raise Malformed.of("kept/too-long", f"is longer than {MAX_BYTES} bytes", where)
    return parse_kept(data, where)


def strangers(kept: Kept, pack: str, level: int, ruleset: Ruleset, face_set: str) -> Iterator[tuple[str, str]]:
    """Why a record cannot be that level of that pack, and what to do about it."""
    record = kept.record
    if (record.pack, record.level) != (pack, level):
        yield f"it is {record.pack}#{record.level}", f"name the file of {pack}#{level}"
    if record.ruleset != ruleset:
        yield "it was made under other rules than the recipe's", "remove the entry: the level is then drawn anew"
    if record.face_set != face_set:
        yield f"it shows {record.face_set}, the recipe {face_set}", "remove the entry: the level is then drawn anew"


def with_entries(doc: Document, entries: Mapping[int, str]) -> str:
    """The recipe's text with these levels under `keep`, by level the name of their file; all else stays as it is.

    Comments, order and style stay: entries are added after the last one of the list, whichever way that is written.
    A level that is there already keeps its entry.

    Raises:
        Malformed: the text is written in a way that cannot be added to safely; the finding says what to add by hand.
    """
    there = {one["level"] for one in doc.data.get("keep", ())}
    added = [f"{{level: {level}, file: {name}}}" for level, name in sorted(entries.items()) if level not in there]
    if not added:
        return doc.text
    wanted = {**doc.data, "keep": [*doc.data.get("keep", ()), *(
        {"level": level, "file": name} for level, name in sorted(entries.items()) if level not in there)]}  # fmt: skip
    text = _added(doc, added)
    try:
        if load(text, doc.name, "recipe").data == wanted:
            return text
    except Malformed:
        pass
    raise Malformed([Finding("recipe/cannot-edit", "is written in a way that entries cannot be added to safely",
                             doc.place("keep"), "add by hand, under `keep`: " + ", ".join(added))])  # fmt: skip


def _added(doc: Document, added: Sequence[str]) -> str:
    import yaml

    root: Any = yaml.compose(doc.text, Loader=yaml.SafeLoader)
    node = next((value for key, value in root.value if key.value == "keep"), None)
    if node is None:
        return _after(doc.text, root.end_mark.index, ["keep:", *(f"  - {one}" for one in added)])
    if not isinstance(node, yaml.SequenceNode):
        return doc.text
    if node.flow_style:
        close = node.end_mark.index - 1
        glue = ", " if node.value and not doc.text[:close].rstrip().endswith(",") else ""
        return doc.text[:close].rstrip(" ") + glue + ", ".join(added) + doc.text[close:]
    last = node.value[-1]
    indent = " " * node.start_mark.column
    return _after(doc.text, last.end_mark.index, [f"{indent}- {one}" for one in added])


def _after(text: str, end: int, lines: Sequence[str]) -> str:
    """`text` with lines below the last one before `end` that says something; blank lines and comments stay below."""
    head = text[:end].splitlines(keepends=True)
    if end < len(text) and head and not head[-1].endswith("\n"):
        rest = text[end:].splitlines(keepends=True)
        head[-1] += rest[0] if rest else ""
        end = sum(map(len, head))
    place = len(head)
    while place and (not head[place - 1].strip() or head[place - 1].lstrip().startswith(("#", "..."))):
        place -= 1
    before, after = "".join(head[:place]), "".join(head[place:]) + text[end:]
    if before and not before.endswith("\n"):
        before += "\n"
    return before + "".join(line + "\n" for line in lines) + after
