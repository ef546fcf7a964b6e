"""The command `faces`: check a face set's artwork, or list it."""

from __future__ import annotations

from pathlib import Path

import click

from levelgen.cli.talk import emit_json, say, show, table, tell_findings
from levelgen.errors import Finding


@click.group("faces", epilog="Example:  levelgen faces check faces/AR1")
def faces_command() -> None:
    """Check or list a face set."""


@faces_command.command("check", epilog="Example:  levelgen faces check faces/AR1 faces/nepal")
@click.argument("folders", nargs=-1, metavar="[FOLDER]…")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def faces_check(folders: tuple[str, ...], as_json: bool) -> int:
    """Measure the artwork and compare it with the manifest; without FOLDER every set under faces/.

    Exit code 0 when they agree, 1 when there are findings.
    """
    from levelgen.faces import check, find_face_sets, load_face_set

    findings: list[Finding] = []
    names: list[str] = []
    for folder in [Path(name) for name in folders] or find_face_sets(Path("faces")):
        face_set = load_face_set(folder)
        names.append(face_set.id)
        findings += check(face_set)
    if as_json:
        emit_json("findings/1", {"checked": names, "findings": [finding.to_json() for finding in findings]})
    else:
        tell_findings(findings)
        say(f"{', '.join(names) or 'no face set'}: {len(findings)} findings")
    return 1 if findings else 0


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
        emit_json(
            "faces/1", {"id": face_set.id, "title": face_set.title, "provisional": face_set.provisional, "faces": faces}
        )
    else:
        rows = [
            (face.id, face.title, f"not dealt: {excluded[face.id]}" if face.id in excluded else "")
            for face in face_set.faces
        ]
        table(rows, ("face", "title", "note"))
        show("")
        say(
            f"{face_set.title}: {len(face_set.dealable)} of {len(face_set.faces)} dealt"
            + (", provisional" if face_set.provisional else "")
        )
    return 0
