"""Findings in the forms other programs read: GitHub annotations, JUnit XML, SARIF 2.1.0.

    parts = [Part("templates/shapes/turtle.yaml", findings), …]      # what was looked at, and what was found in it
    show(render("sarif", "lint", parts))

A part without findings is a passed test in JUnit and is not mentioned elsewhere. At most `MOST` findings are written,
since the readers have bounds of their own; how many were left out is said in a last one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from levelgen import __version__
from levelgen.errors import Finding, counted

FORMS = ("text", "json", "github", "junit", "sarif")
MOST = 5_000
"""Findings in one report; GitHub shows no more of a SARIF file either."""
_PLACE = re.compile(r"(?P<file>.+?)(?::(?P<line>[1-9][0-9]{0,8}))?(?::(?P<column>[1-9][0-9]{0,8}))?", re.DOTALL)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Part:
    """Something that was checked, and what is wrong with it."""

    name: str
    """A file, or the name of a check."""
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    """Why it was not checked, if it was not."""
    file: str = ""
    """The file its findings belong to when they name none themselves."""
    level: str = "error"
    """`error` or `warning`."""


def render(form: str, command: str, parts: Sequence[Part]) -> str:
    """The parts as `github`, `junit` or `sarif`, without a last line feed."""
    return {"github": _github, "junit": _junit, "sarif": _sarif}[form](command, _bounded(parts))


def by_file(checked: Sequence[str], findings: Sequence[Finding]) -> list[Part]:
    """Findings sorted into parts by the file they name; what was checked and is clean is a part without any."""
    found: dict[str, list[Finding]] = {name: [] for name in checked}
    for finding in findings:
        found.setdefault(_place(finding.where)[0], []).append(finding)
    return [Part(name or "project", tuple(some)) for name, some in found.items() if some or name in checked]


def _bounded(parts: Sequence[Part]) -> list[Part]:
    left, bounded, over = MOST, [], 0
    for part in parts:
        kept = part.findings[: max(0, left)]
        over += len(part.findings) - len(kept)
        left -= len(kept)
        bounded.append(Part(part.name, kept, part.skipped, part.file, part.level))
    if over:
        more = Finding("report/more", f"{over} more findings are left out of this report", fix="--json tells all")
        bounded.append(Part("more", (more,)))
    return bounded


def _place(where: str) -> tuple[str, int, int]:
    """File, line and column of `file:line:col`; an empty name when `where` names no file."""
    found = _PLACE.fullmatch(where)
    if found is None or (found["line"] is None and not re.search(r"[/.][A-Za-z0-9_-]*[A-Za-z]", where)):
        return "", 0, 0
    return found["file"], int(found["line"] or 0), int(found["column"] or 0)


def _spot(part: Part, finding: Finding) -> tuple[str, int, int, str]:
    """File, line and column to show a finding at, and its place in words where that is no file: `level 3`."""
    file, line, column = _place(finding.where)
    return (file, line, column, "") if file else (part.file, 0, 0, finding.where)


def _sentence(finding: Finding, words: str) -> str:
    head = f"{words}: {finding.message}" if words else finding.message
    return f"{head}. Fix: {finding.fix}" if finding.fix else head


# --- GitHub: workflow commands, one line a finding -------------------------------------------------------------------


def _github(_command: str, parts: Sequence[Part]) -> str:
    # Two checks may find the same thing wrong; a reviewer is shown it once.
    return "\n".join(dict.fromkeys(_annotation(part, finding) for part in parts for finding in part.findings))


def _annotation(part: Part, finding: Finding) -> str:
    file, line, column, words = _spot(part, finding)
    given = [("file", file), ("line", line), ("col", column), ("title", finding.code)]
    properties = ",".join(f"{key}={_escaped(str(value), inside=True)}" for key, value in given if value)
    return f"::{part.level} {properties}::{_escaped(_sentence(finding, words))}"


def _escaped(text: str, *, inside: bool = False) -> str:
    """`text` so that it cannot begin another command or another property."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if inside else text


# --- JUnit: a test case a part ---------------------------------------------------------------------------------------


def _junit(command: str, parts: Sequence[Part]) -> str:
    failed = sum(bool(part.findings) and part.level == "error" for part in parts)
    skipped = sum(bool(part.skipped) for part in parts)
    counts = f'tests="{len(parts)}" failures="{failed}" errors="0" skipped="{skipped}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="levelgen" {counts}>',
        f"  <testsuite name={_attribute(f'levelgen {command}')} {counts}>",
    ]
    for part in parts:
        head = f"    <testcase classname={_attribute(f'levelgen.{command}')} name={_attribute(part.name)}"
        inner = list(_cases(part))
        lines += [f"{head}/>"] if not inner else [f"{head}>", *inner, "    </testcase>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"])


def _cases(part: Part) -> Iterator[str]:
    if part.skipped:
        yield f"      <skipped message={_attribute(part.skipped)}/>"
    text = escape(_clean("\n".join(map(str, part.findings))), quote=False)
    if part.findings and part.level == "error":
        said = part.findings[0].message if len(part.findings) == 1 else counted(len(part.findings), "finding")
        yield f"      <failure type={_attribute(part.findings[0].code)} message={_attribute(said)}>{text}</failure>"
    elif part.findings:
        yield f"      <system-out>{text}</system-out>"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return f'"{escape(_clean(text))}"'.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")


# --- SARIF -----------------------------------------------------------------------------------------------------------


def _sarif(command: str, parts: Sequence[Part]) -> str:
    codes = sorted({finding.code for part in parts for finding in part.findings})
    results = [_result(part, finding, codes) for part in parts for finding in part.findings]
    driver = {
        "name": "levelgen",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [{"id": code, "shortDescription": {"text": code.replace("/", ": ").replace("-", " ")}}
                  for code in codes],
    }  # fmt: skip
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"levelgen/{command}/"},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=True, indent=1)


def _result(part: Part, finding: Finding, codes: Sequence[str]) -> dict[str, Any]:
    file, line, column, words = _spot(part, finding)
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": codes.index(finding.code),
        "level": part.level,
        "message": {"text": _sentence(finding, words)},
    }
    if file:
        physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
        if line:
            physical["region"] = {"startLine": line, **({"startColumn": column} if column else {})}
        result["locations"] = [{"physicalLocation": physical}]
    return result


def _uri(file: str) -> str:
    """A path as a URI reference: relative as it is, absolute as a `file:` URI."""
    from urllib.parse import quote

    path = quote(file.replace("\\", "/"), safe="/._~-+@!$&'()*,;=")
    return f"file://{path}" if path.startswith("/") else path.removeprefix("./")
