"""The command `faces`: check a face set's artwork, or list it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelgen.cli.talk import emit_json, say, show, table, tell_findings
from levelgen.errors import counted

if TYPE_CHECKING:
    from levelgen.faces import FaceSet, Survey

WORST = 5
"""How many pairs of each kind of likeness are told as JSON."""


@click.group("faces", epilog="Example:  levelgen faces check faces/AR1")
def faces_command() -> None:
    """Check or list a face set."""


@faces_command.command("check", epilog="Example:  levelgen faces check faces/AR1 --report alike.png")
@click.argument("folders", nargs=-1, metavar="[FOLDER]…")
@click.option("--report", metavar="FILE", help="Draw the pairs most alike, side by side in every view, as a PNG.")
@click.option("--json", "as_json", is_flag=True, help="The findings and the worst figures as JSON.")
def faces_check(folders: tuple[str, ...], report: str | None, as_json: bool) -> int:
    """Measure the artwork and compare it with the manifest; without FOLDER every set under faces/.

    Exit code 0 when they agree, 1 when there are findings.
    """
    from levelgen.faces import find_face_sets, load_face_set, survey

    sets = [load_face_set(folder) for folder in [Path(name) for name in folders] or find_face_sets(Path("faces"))]
    surveys = [(face_set, survey(face_set)) for face_set in sets]
    findings = [finding for _, found in surveys for finding in found.findings]
    names = [face_set.id for face_set in sets]
    if report is not None:
        _draw_report(surveys, Path(report))
    if as_json:
        figures = [_figures(face_set, found) for face_set, found in surveys]
        told = [finding.to_json() for finding in findings]
        emit_json("findings/1", {"checked": names, "findings": told, "sets": figures})
    else:
        tell_findings(findings)
        for face_set, found in surveys:
            say(f"{face_set.id}: {_worst(found)}")
        say(f"{', '.join(names) or 'no face set'}: {counted(len(findings), 'finding')}")
    return 1 if findings else 0


def _draw_report(surveys: Sequence[tuple[FaceSet, Survey]], path: Path) -> None:
    from levelgen.render.alike import report
    from levelgen.render.preview import save_png

    save_png(report(surveys), path)
    say(f"the pairs most alike are in {path}")


def _figures(face_set: FaceSet, found: Survey) -> dict[str, Any]:
    """What was measured of a set: limits, the worst pairs of each kind, every face that is dealt."""
    from levelgen.likeness import KINDS

    worst = {
        kind: [
            {"faces": [pair.one, pair.other], "marked": pair.marked, "likeness": dict(pair.likeness)}
            for pair in found.worst(kind, WORST)
        ]
        for kind in KINDS
    }
    faces = {
        face: {
            "aspect_percent": one.aspect_percent,
            "contrast_percent": one.contrast_percent,
            "colour_levels": one.colour_levels,
        }
        for face, one in found.measures.items()
    }
    return {"id": face_set.id, "limits": asdict(face_set.limits), "worst": worst, "faces": faces}


def _worst(found: Survey) -> str:
    """The worst pair of each kind in a line."""
    from levelgen.likeness import KINDS

    pairs = [(kind, pair) for kind in KINDS for pair in found.worst(kind, 1)]
    told = (f"{kind} {pair.likeness[kind]} % ({pair.one}, {pair.other})" for kind, pair in pairs)
    return "most alike: " + (", ".join(told) or "no two faces to compare")


@faces_command.command("list", epilog="Example:  levelgen faces list faces/AR1")
@click.argument("folder")
@click.option("--json", "as_json", is_flag=True, help="The set as JSON.")
def faces_list(folder: str, as_json: bool) -> int:
    """List the faces of a set in their order, with what is excluded and why."""
    from levelgen.faces import load_face_set

    face_set = load_face_set(Path(folder))
    excluded = {exclusion.id: exclusion.reason for exclusion in face_set.excluded}
    if as_json:
        faces = [
            {"id": face.id, "title": face.title, "dealt": face.id not in excluded, "reason": excluded.get(face.id)}
            for face in face_set.faces
        ]
        emit_json("faces/1", {
            "id": face_set.id, "title": face_set.title, "provisional": face_set.provisional, "faces": faces,
            "alike": [list(pair) for pair in face_set.alike],
            "groups": {group.id: list(group.members) for group in face_set.groups},
        })  # fmt: skip
    else:
        rows = [(face.id, face.title, _note(face_set, face.id, excluded)) for face in face_set.faces]
        table(rows, ("face", "title", "note"))
        show("")
        say(
            f"{face_set.title}: {len(face_set.dealable)} of {len(face_set.faces)} dealt"
            + (", provisional" if face_set.provisional else "")
        )
    return 0


def _note(face_set: FaceSet, face: str, excluded: dict[str, str]) -> str:
    """What a deal must know of a face."""
    notes = [f"not dealt: {excluded[face]}"] if face in excluded else []
    if (group := face_set.dealt_as(face)) != face:
        notes.append(f"matches any of {group}")
    others = [one if other == face else other for one, other in face_set.alike if face in (one, other)]
    if others:
        notes.append(f"never with {', '.join(others)}")
    return "; ".join(notes)
