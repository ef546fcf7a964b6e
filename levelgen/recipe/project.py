"""A folder of templates and face sets: what recipes draw on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from levelgen.errors import Finding, Malformed
from levelgen.faces import FaceSet, find_face_sets, load_face_set
from levelgen.template import Library, read_library


@dataclass(frozen=True)
class Project:
    """A folder with `templates/shapes/` and `faces/`: what recipes draw on."""

    root: Path
    library: Library
    sets: Mapping[str, FaceSet]


def open_project(path: Path) -> Project:
    """The project that `path` belongs to: its nearest parent folder with `templates/shapes` or `faces`.

    Raises:
        Malformed: there is none, or with every defect of its templates and manifests.
    """
    root = project_root(path)
    if root is None:
        raise Malformed.of("project/missing", "stands in no project: no folder above it has templates/shapes and faces",
                           str(path), "`levelgen init` makes one")  # fmt: skip
    findings: list[Finding] = []
    library, sets = Library(), dict[str, FaceSet]()
    try:
        library = read_library(root / "templates" / "shapes", root=root)
    except Malformed as error:
        findings += error.findings
    for folder in find_face_sets(root / "faces"):
        try:
            sets[folder.name] = load_face_set(folder)
        except Malformed as error:
            findings += error.findings
    if findings:
        raise Malformed(findings)
    return Project(root, library, sets)


def project_root(path: Path) -> Path | None:
    """The nearest folder at or above `path` with `templates/shapes` and `faces`, if any."""
    start = path.resolve()
    for folder in (start, *start.parents):
        if (folder / "templates" / "shapes").is_dir() and (folder / "faces").is_dir():
            return folder
    return None
