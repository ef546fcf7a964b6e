"""YAML a person wrote → plain data, every mistake with its place.

    doc = read(path, "template")          # a schema of levelgen/schemas/; raises Malformed with every finding
    doc.data["pieces"][0]                 # dict, list, str, int, float, bool, None
    doc.place("pieces", 0, "at")          # "templates/shapes/turtle.yaml:12:9"

Scalars follow the YAML 1.2 core schema, so that `no`, `on` and `12:30` are texts and `010` is ten. Keys are
texts. Anchors, aliases, tags and several documents in one file are refused: nothing here needs them, and they
are how a small file becomes a large one. The parser's events are read one by one, so that size, depth and node
count are bounded before anything is built.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from levelgen.errors import Finding, Malformed, SystemFailed, excerpt
from levelgen.schema import Check, compiled, pattern

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
MAX_NODES = 50_000
MAX_DIGITS = 15
"""Bounds on a document: far beyond what a person writes, small enough to be read at once."""

Spot = tuple[str | int, ...]
"""The path of a value: `("pieces", 0, "at")`; the whole document is `()`."""
Mark = tuple[int, int]
"""Line and column, both counted from 1."""

_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_BOOL = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
_INT = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says, and where it says it."""

    name: str
    """The file as it shall be called in findings."""
    data: Any
    subject: str = "document"
    """First half of the rule codes of findings: `template`, `recipe`, `faceset`."""
    lines: tuple[str, ...] = ()
    marks: Mapping[Spot, Mark] = field(default_factory=dict)
    """Where each value begins, by its path."""
    key_marks: Mapping[Spot, Mark] = field(default_factory=dict)
    """Where the key of each mapping entry begins, by the path of its value."""

    def place(self, *path: str | int, key: bool = False) -> str:
        """`file:line:col` of the value at `path`, or of its key; of its nearest parent when it is not there."""
        return _place(self.name, self._mark(path, key))

    def finding(self, code: str, message: str, *path: str | int, fix: str = "", key: bool = False) -> Finding:
        """A finding about the value at `path` (or about its key), with its place, source line and caret."""
        mark = self._mark(path, key)
        return Finding(f"{self.subject}/{code}", message, _place(self.name, mark), fix, excerpt(self.lines, *mark))

    @property
    def text(self) -> str:
        """The file as it was read: its UTF-8 bytes are the file's bytes."""
        return "\n".join(self.lines)

    def at_row(self, finding: Finding, line: int, column: int, text: str) -> Finding:
        """`finding` about a character of a block text, moved to its place in the file; `text` is that row of it."""
        shift = max(0, self.lines[line - 1].find(text)) if line <= len(self.lines) else 0
        mark = (line, column + shift)
        code = finding.code.partition("/")[2] or finding.code
        return Finding(
            f"{self.subject}/{code}",
            finding.message,
            _place(self.name, mark),
            finding.fix,
            excerpt(self.lines, *mark),
        )

    def _mark(self, path: Sequence[str | int], key: bool) -> Mark:
        spot = tuple(path)
        if key and spot in self.key_marks:
            return self.key_marks[spot]
        while spot and spot not in self.marks:
            spot = spot[:-1]
        return self.marks.get(spot, (1, 1))


def documents_in(folder: Path) -> list[Path]:
    """The YAML files of a folder and those in it, sorted; where a name begins with a dot it is an editor's note."""
    return sorted(path for path in folder.rglob("*.yaml") if not path.name.startswith("."))


def read(path: Path, schema: str = "", *, name: str = "") -> Document:
    """The document in the file at `path`, checked against the shipped schema of that name, if one is named.

    Raises:
        Malformed: with every defect found, or when there is no such file.
        SystemFailed: the file is there but cannot be read.
    """
    name = name or str(path)
    try:
        if path.exists() and not path.is_file() and not path.is_dir():  # a pipe would keep us waiting for ever
            raise Malformed.of("document/not-a-file", "is no ordinary file", name)
        if path.is_dir():
            raise Malformed.of("document/directory", "is a folder, not a file", name, "name a file in it")
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise Malformed.of("document/missing", "there is no such file", name, _nearest(path)) from None
    except OSError as error:
        raise SystemFailed.of("document/unreadable", f"cannot be read: {error.strerror}", name) from None
    return load(raw, name, schema)


def load(raw: bytes | str, name: str, schema: str = "") -> Document:
    """The document in `raw`, checked against the shipped schema of that name, if one is named.

    Raises:
        Malformed: with every defect found; what stops the reader (an encoding, a broken line) stands alone.
    """
    subject = schema or "document"
    text = _decode(raw, name, subject)
    reader = _Reader(name, subject, tuple(text.split("\n")))
    doc = reader.read(text)
    if reader.findings:
        raise Malformed(reader.findings)
    return checked(doc, schema) if schema else doc


def checked(doc: Document, schema: str) -> Document:
    """`doc` once the shipped schema of that name has no objection; the subject of its findings from then on.

    Raises:
        Malformed: with every defect found.
    """
    doc = replace(doc, subject=schema)
    findings = tuple(schema_findings(doc, schema))
    if findings:
        raise Malformed(findings)
    return doc


def _nearest(path: Path) -> str:
    """A fix for a file that is not there: one of its folder with nearly that name, if there is one."""
    try:
        names = sorted(one.name for one in path.parent.iterdir() if one.suffix == path.suffix)
    except (OSError, ValueError):
        names = []
    near = difflib.get_close_matches(path.name, names[:MAX_NODES], n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else "check the path"


def suggest(word: str, known: Sequence[str]) -> str:
    """A fix for a misspelt word: the nearest known one, else all of them when they are few."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return f"use one of {', '.join(known)}" if known and len(known) <= 40 else ""


def _place(name: str, mark: Mark) -> str:
    return f"{name}:{mark[0]}:{mark[1]}"


def _decode(raw: bytes | str, name: str, subject: str) -> str:
    """The text in `raw`: UTF-8, at most `MAX_BYTES`, no byte order mark, lines ended by a line feed only."""

    def stop(code: str, message: str, fix: str, line: int = 1, column: int = 1) -> Malformed:
        return Malformed((Finding(f"{subject}/{code}", message, f"{name}:{line}:{column}", fix),))

    if isinstance(raw, str):
        raw = raw.encode("utf-8", "surrogatepass")
    if len(raw) > MAX_BYTES:
        raise stop("too-big", f"is larger than {MAX_BYTES} bytes", "split it into several files")
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise stop("encoding", "is UTF-16", "save it as UTF-8 without a byte order mark")
    if raw[:3] == b"\xef\xbb\xbf":
        raise stop("encoding", "begins with a byte order mark", "save it as UTF-8 without a byte order mark")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise stop(
            "encoding", f"byte 0x{raw[error.start]:02x} is not UTF-8", "save it as UTF-8", line, column
        ) from None
    if "\r" in text:
        before_cr = text[: text.index("\r")]
        line = before_cr.count("\n") + 1
        column = len(before_cr) - (before_cr.rfind("\n") + 1) + 1
        raise stop(
            "newlines",
            "has Windows line ends; files are compared byte by byte on every machine",
            "save it with line ends LF (editors call it `Unix`; git: `* text eol=lf` in .gitattributes)",
            line,
            column,
        )
    return text


class _Reader:
    """Builds a `Document` from parser events, collecting findings."""

    def __init__(self, name: str, subject: str, lines: tuple[str, ...]) -> None:
        self.name = name
        self.subject = subject
        self.lines = lines
        self.findings: list[Finding] = []
        self.marks: dict[Spot, Mark] = {}
        self.key_marks: dict[Spot, Mark] = {}

    def say(self, code: str, message: str, mark: Mark, fix: str = "") -> None:
        """Record a finding at `mark`."""
        place = _place(self.name, mark)
        self.findings.append(Finding(f"{self.subject}/{code}", message, place, fix, excerpt(self.lines, *mark)))

    def read(self, text: str) -> Document:
        """The document; what is missing in it stands in `findings`."""
        import yaml

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        data: Any = None
        try:
            data = self._build(yaml.parse(text, Loader=loader))
        except yaml.YAMLError as error:
            self._syntax(error, text)
        if not self.findings and data is None:
            self.say("empty", "the file is empty", (1, 1))
        return Document(self.name, data, self.subject, self.lines, self.marks, self.key_marks)

    def _build(self, events: Iterator[Any]) -> Any:
        """Walk the events with a stack of open collections; no recursion, whatever the input."""
        import yaml

        root: list[Any] = []
        stack: list[tuple[Any, Spot]] = [(root, ())]
        key: list[tuple[str, Mark] | None] = [None]
        nodes = documents = 0
        for event in events:
            mark = (event.start_mark.line + 1, event.start_mark.column + 1)
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents == 2:
                    self.say(
                        "many-documents",
                        "a second document begins here",
                        mark,
                        "one document a file: remove `---`",
                    )
                    break
                continue
            if isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                stack.pop()
                key.pop()
                continue
            if not isinstance(event, yaml.NodeEvent):
                continue
            nodes += 1
            if nodes > MAX_NODES:
                self.say("too-many-nodes", f"has more than {MAX_NODES} values", mark, "split it into several files")
                break
            holder, path = stack[-1]
            tag = None if isinstance(event, yaml.AliasEvent) else event.tag  # type: ignore[attr-defined]
            if isinstance(event, yaml.AliasEvent) or event.anchor:
                self.say(
                    "anchor",
                    "anchors and aliases are not used here",
                    mark,
                    "write the value out where it is needed",
                )
            elif tag and not (isinstance(event, yaml.ScalarEvent) and tag == "!"):
                self.say("tag", f"the tag {tag!r} is not used here", mark, "remove it; quote a text instead")
            waits_for_key = isinstance(holder, dict) and key[-1] is None
            if waits_for_key:
                if isinstance(event, yaml.ScalarEvent):
                    key[-1] = (event.value, mark)
                    continue
                if isinstance(event, yaml.AliasEvent):
                    key[-1] = ("", mark)
                    continue
                self.say("key", "a key must be a word", mark)
                if isinstance(event, yaml.CollectionStartEvent):
                    break
            if isinstance(event, yaml.ScalarEvent):
                value: Any = self._scalar(event, mark)
            elif isinstance(event, yaml.AliasEvent):
                value = None
            else:
                value = [] if isinstance(event, yaml.SequenceStartEvent) else {}
            spot = self._attach(holder, path, key, value, mark, root=len(stack) == 1)
            if isinstance(event, yaml.CollectionStartEvent):
                if len(stack) > MAX_DEPTH:
                    self.say("too-deep", f"is nested more than {MAX_DEPTH} levels deep", mark)
                    break
                stack.append((value, spot))
                key.append(None)
        return root[0] if root else None

    def _attach(
        self,
        holder: Any,
        path: Spot,
        key: list[tuple[str, Mark] | None],
        value: Any,
        mark: Mark,
        *,
        root: bool,
    ) -> Spot:
        """Put `value` into the collection it belongs to; its path."""
        if isinstance(holder, dict):
            assert key[-1] is not None
            name, key_mark = key[-1]
            key[-1] = None
            spot = (*path, name)
            if name in holder:
                first = self.key_marks[spot]
                self.say("duplicate-key", f"`{name}` stands here again, after line {first[0]}",
                         key_mark, "keep one of the two")  # fmt: skip
                return spot
            holder[name] = value
            self.key_marks[spot] = key_mark
        else:
            spot = () if root else (*path, len(holder))
            holder.append(value)
        self.marks[spot] = mark
        return spot

    def _scalar(self, event: Any, mark: Mark) -> Any:
        text: str = event.value
        if not event.implicit[0] or event.style not in ("", None):  # quoted or a block: a text
            return text
        if _NULL.match(text):
            return None
        if _BOOL.match(text):
            return text[0] in "tT"
        if _INT.match(text) or _OCTAL.match(text) or _HEX.match(text):
            if len(text) > MAX_DIGITS:
                self.say("number", f"a number of more than {MAX_DIGITS} digits", mark, "quote it if it is a text")
                return 0
            base = {"0o": 8, "0x": 16}.get(text[:2], 10)
            return int(text[2:] if base != 10 else text, base)
        if _FLOAT.match(text):
            return float(text)
        if _NOT_FINITE.match(text):
            self.say("number", f"{text} is not a number to count with", mark)
            return 0
        return text

    def _syntax(self, error: Any, text: str) -> None:
        """What the parser stumbled over, in our words where the cause is plain."""
        spot = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        tabs = [number for number, line in enumerate(self.lines, 1) if re.match(r" *\t", line)]
        if spot is None:  # a character YAML does not allow
            at = next((i for i, sign in enumerate(text) if not (sign.isprintable() or sign == "\n")), 0)
            before = text[:at]
            mark = (before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)
            sign = f"U+{ord(text[at]):04X}" if text else "a character"
            self.say("character", f"{sign} may not stand in a text file", mark, "remove it")
            return
        mark = (min(spot.line + 1, len(self.lines)), spot.column + 1)
        if tabs and tabs[0] <= mark[0] + 1:
            for number in tabs:
                column = len(self.lines[number - 1]) - len(self.lines[number - 1].lstrip(" ")) + 1
                self.say("tab", "a tab stands where blanks indent the line", (number, column), "indent with blanks")
            return
        problem = str(getattr(error, "problem", None) or "cannot be read")
        context = str(getattr(error, "context", None) or "")
        self.say("syntax", f"{problem} {context}".strip().replace("could not find expected", "missing"), mark)


@lru_cache(maxsize=16)
def schema_of(name: str) -> Mapping[str, Any]:
    """The shipped JSON Schema (draft-07) of that name: the one truth for lint and for editors."""
    data = (Path(__file__).parent / "schemas" / f"{name}.schema.json").read_text()
    schema: Mapping[str, Any] = json.loads(data)
    return schema


@lru_cache(maxsize=16)
def _validator(name: str) -> Any:
    import jsonschema

    whole = jsonschema.Draft7Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    extend: Any = jsonschema.validators.extend
    kind = extend(jsonschema.Draft7Validator, {"pattern": _pattern}, type_checker=whole)
    return kind(schema_of(name))


def _pattern(_validator: Any, text: str, value: Any, _schema: Any) -> Iterator[Any]:
    import jsonschema

    if isinstance(value, str) and not pattern(text).search(value):
        yield jsonschema.ValidationError(f"{value!r} does not match {text!r}")


@lru_cache(maxsize=16)
def _fits(name: str) -> Check:
    return compiled(schema_of(name))


def schema_findings(doc: Document, schema: str) -> Iterator[Finding]:
    """Every way in which `doc` breaks the shipped schema of that name, in the order of the file."""
    if _fits(schema)(doc.data):
        return
    found: list[tuple[Mark, Finding]] = []
    for error in _validator(schema).iter_errors(doc.data):
        for finding, mark in _explain(doc, error):
            found.append((mark, finding))
    seen: set[Finding] = set()
    other = {mark for mark, finding in found if finding.code.endswith("/type")}
    for mark, finding in sorted(found, key=lambda pair: (pair[0], pair[1].message)):
        if finding not in seen and not (mark in other and finding.code.endswith("/range")):
            seen.add(finding)
            yield finding


_KINDS = {
    "integer": "a whole number", "string": "a text", "object": "a mapping", "array": "a list",
    "boolean": "true or false", "null": "null", "number": "a number",
}  # fmt: skip


def _explain(doc: Document, error: Any) -> Iterator[tuple[Finding, Mark]]:
    """A schema error in words a designer understands; one unknown key is one finding."""
    path: Spot = tuple(error.absolute_path)
    value, rule = error.instance, error.validator_value

    def say(code: str, message: str, *more: str | int, fix: str = "", key: bool = False) -> tuple[Finding, Mark]:
        spot = (*path, *more)
        return doc.finding(code, message, *spot, fix=fix, key=key), doc._mark(spot, key)

    named = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this"
    hint = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
    match error.validator:
        case "additionalProperties":
            known = sorted(error.schema.get("properties", ()))
            for name in value:
                if name not in error.schema.get("properties", ()):
                    yield say("unknown-key", f"unknown key `{name}`", name, fix=suggest(name, known), key=True)
        case "required":
            for name in rule:
                if name not in value:
                    yield say("missing-key", f"`{name}` is missing", fix=f"add `{name}: …`")
        case "type":
            kinds = [rule] if isinstance(rule, str) else rule
            expected = " or ".join(_KINDS[kind] for kind in kinds)
            yield say("type", f"{named} must be {expected}, not {_show(value)}", fix=hint)
        case "minimum" | "maximum":
            edge = "less" if error.validator == "minimum" else "more"
            yield say("range", f"{named} is {_show(value)}; it may not be {edge} than {rule}", fix=hint)
        case "enum" | "const":
            allowed = [str(one) for one in (rule if error.validator == "enum" else [rule])]
            yield say("value", f"{named} cannot be {_show(value)}", fix=suggest(str(value), allowed))
        case "minItems" | "maxItems":
            edge = "at least" if error.validator == "minItems" else "at most"
            yield say("length", f"{named} has {len(value)} entries; it needs {edge} {rule}", fix=hint)
        case "minLength" | "maxLength":
            edge = "at least" if error.validator == "minLength" else "at most"
            yield say("length", f"{named} has {len(value)} characters; it needs {edge} {rule}", fix=hint)
        case "uniqueItems":
            yield say("repeat", f"{named} names something twice", fix="keep each entry once")
        case "oneOf" | "anyOf":
            deep = [sub for sub in error.context or () if len(sub.absolute_path) > len(path)]
            options = [one["required"][0] for one in rule if "required" in one]
            if options:
                given = [name for name in options if isinstance(value, Mapping) and name in value]
                known = error.schema.get("properties", {})
                if len(given) > 1:
                    yield say("too-many-kinds", f"`{given[0]}` and `{given[1]}` cannot stand together", given[1],
                              fix="make two of it", key=True)  # fmt: skip
                elif given:
                    branch = next(one["required"] for one in rule if one["required"][0] == given[0])
                    for name in branch:
                        if name not in value:
                            yield say("missing-key", f"`{name}` is missing", fix=f"add `{name}: …`")
                elif isinstance(value, Mapping) and all(name in known for name in value):
                    yield say("missing-key", f"one of {', '.join(f'`{name}`' for name in options)} is missing")
            elif deep:
                yield from _explain(doc, min(deep, key=lambda sub: -len(sub.absolute_path)))
            else:
                yield say("value", f"{named} cannot be {_show(value)}", fix=hint)
        case "propertyNames":
            yield say("value", f"`{value}` cannot be a key here", value, fix=hint, key=True)
        case _:  # pattern, minProperties, …: the schema's own description says what is expected
            yield say("value", f"{named} cannot be {_show(value)}", fix=hint)


def _show(value: Any) -> str:
    """A value in a message: short, as YAML spells it."""
    if isinstance(value, Mapping | list):
        return "a mapping" if isinstance(value, Mapping) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "…"
