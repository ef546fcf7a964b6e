"""Layouts of other programs: bytes → layouts in our half-tiles, and back.

    reading = read_layouts(data, "layouts/castle.layout")
    reading.found       every whole layout, moved so that it begins at (0, 0, 0)
    reading.findings    every fault, with file and line; a fault of one layout does not hide the others
    text = template_text(reading.found[0], "castle", provenance="…", licence="CC0-1.0")
    data = EXPORTS["tmj"](Outgoing("Castle", layout))

A format is a module and a row of the table `FORMATS`; it is told by what a file holds, never by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from levelgen.errors import Finding, Malformed
from levelgen.imports import gnome, kmahjongg, kyodai, mah, plain, pysol, tiled
from levelgen.imports.bulk import Planned, Wishes, plan_template, unlicensed
from levelgen.imports.names import Names
from levelgen.imports.source import MAX_BYTES, Found, Outgoing, Source
from levelgen.imports.written import template_text


@dataclass(frozen=True, slots=True)
class Format:
    """One format that can be read."""

    id: str
    title: str
    matches: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Found | Finding]]


FORMATS = (
    Format("kmahjongg", "KMahjongg layout", kmahjongg.matches, kmahjongg.read),
    Format("kyodai", "Kyodai layout", kyodai.matches, kyodai.read),
    Format("tiled", "Tiled map", tiled.matches, tiled.read),
    Format("gnome", "GNOME Mahjongg map", gnome.matches, gnome.read),
    Format("json", "levelgen JSON", plain.matches_json, plain.read_json),
    Format("mah", "ffalt/mah boards", mah.matches, mah.read),
    Format("csv", "levelgen CSV", plain.matches_csv, plain.read_csv),
    Format("pysol", "PySolFC layout string", pysol.matches, pysol.read),
)
"""In the order in which they are tried."""

EXPORTS: dict[str, Callable[[Outgoing], bytes]] = {
    "tmj": tiled.write,
    "json": plain.write_json,
    "csv": plain.write_csv,
    "layout": kmahjongg.write,
}
"""Writers by the word after `--format`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file held."""

    format: Format | None
    found: tuple[Found, ...]
    findings: tuple[Finding, ...]


def read_layouts(data: bytes, name: str) -> Reading:
    """Every layout in the bytes of a file called `name`, and everything that is wrong with the rest. Never raises."""
    found: list[Found] = []
    findings: list[Finding] = []
    kind: Format | None = None
    try:
        source = Source(data, name)
        kind = next((one for one in FORMATS if one.matches(source)), None)
        if kind is None:
            _ = source.text
            raise source.stop("unknown", "is no layout of a known format", 1,
                              "known are: " + ", ".join(one.title for one in FORMATS))  # fmt: skip
        for one in kind.read(source):
            if isinstance(one, Found):
                found.append(replace(one, format=kind.id))
            else:
                findings.append(one)
    except Malformed as error:
        findings += error.findings
    if not found and not findings:
        findings.append(Finding("import/none", "holds no layout", name))
    return Reading(kind, tuple(found), tuple(findings))


__all__ = [
    "EXPORTS",
    "FORMATS",
    "MAX_BYTES",
    "Format",
    "Found",
    "Names",
    "Outgoing",
    "Planned",
    "Reading",
    "Wishes",
    "plan_template",
    "read_layouts",
    "template_text",
    "unlicensed",
]
