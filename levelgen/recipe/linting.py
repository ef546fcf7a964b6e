"""Every defect of templates, recipes and face sets at once, levels composed on the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from levelgen import faces as face_sets
from levelgen.document import Document, Spot, checked, documents_in, read
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.faces import MANIFEST, FaceSet, find_face_sets, load_face_set
from levelgen.recipe.data import Hide, LevelPlan, Recipe
from levelgen.recipe.planning import layout_of, plan
from levelgen.recipe.project import project_root
from levelgen.recipe.reading import parse_recipe
from levelgen.template import Library, Part, Template, compose, is_licence, misfits, parse_template, trials

MAX_FILES = 20_000
WARNINGS = frozenset({"template/licence-form", "document/ending"})
"""Codes of findings that keep nothing from being built."""
LINT_LEVELS = 64
"""How many levels of a section lint composes, spread over it."""


def lint(paths: Sequence[Path]) -> tuple[Finding, ...]:
    """Every defect of the templates, recipes and face sets among `paths`, folders looked through.

    Templates are composed under several seeds, levels of recipes are composed, pictures are measured.

    Raises:
        Malformed: a path does not exist, or there are too many files.
    """
    return tuple(_lint(paths))


def _lint(paths: Sequence[Path]) -> Iterator[Finding]:
    documents: list[Document] = []
    for path in paths:
        for file in sorted(path.rglob("*.yml")) if path.is_dir() else ():
            if {"templates", "shapes", "packs", "faces"} & set(file.absolute().parts[:-1]):
                yield Finding("document/ending", "is not read: its name ends in .yml", str(file),
                              f"rename it to {file.stem}.yaml")  # fmt: skip
    for path in _files(paths):
        if path.name == MANIFEST:
            yield from _lint_faces(path.parent)
            continue
        try:
            raw = read(path)
            kind = _kind(raw)
            if not kind:
                yield Finding("document/kind", "is neither a template nor a recipe", raw.place(),
                              "begin with `template: NAME` or `pack: NAME`")  # fmt: skip
                continue
            documents.append(checked(raw, kind))
        except LevelgenError as error:
            yield from error.findings
    own: list[Template] = []
    for doc in documents:
        if doc.subject == "template":
            try:
                own.append(parse_template(doc, Path(doc.name).stem, Path(doc.name).parent))
            except Malformed as error:
                yield from error.findings
    recipes = [doc for doc in documents if doc.subject == "recipe"]
    library, broken, findings = _library(own, [Path(doc.name) for doc in documents])
    yield from findings
    for template in own:
        if template.licence and not is_licence(template.licence):
            yield template.document.finding(
                "licence-form", f"`{template.licence}` is no SPDX expression: no tool can tell what it allows",
                "licence", fix="write CC-BY-4.0, …, or LicenseRef-NAME for terms of your own")  # fmt: skip
        if library.get(template.name) is template:
            yield from _lint_template(template, library)
    sets = _sets([Path(doc.name) for doc in recipes])
    for doc in recipes:
        yield from _lint_recipe(doc, library, broken, sets)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    count = 0
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise Malformed.of("document/missing", "there is no such file or folder", str(path), "check the path")
        found = [path] if path.is_file() else _folder(path)
        for file in found:
            if file in seen:
                continue
            seen.add(file)
            count += 1
            if count > MAX_FILES:
                raise Malformed.of("document/too-many", f"more than {MAX_FILES} files", str(path), "name fewer folders")
            yield file


def _folder(path: Path) -> Iterator[Path]:
    """Its YAML files, deeper folders included; hidden folders, `out` and environments are none of ours."""
    for file in documents_in(path):
        inner = file.relative_to(path).parts[:-1]
        if not any(part.startswith(".") or part in ("out", "node_modules", "__pycache__") for part in inner):
            yield file


def _kind(doc: Document) -> str:
    if isinstance(doc.data, Mapping):
        for key, kind in (("template", "template"), ("pack", "recipe"), ("pieces", "template"), ("levels", "recipe")):
            if key in doc.data:
                return kind
    return ""


def _lint_faces(folder: Path) -> Iterator[Finding]:
    try:
        yield from face_sets.check(load_face_set(folder))
    except LevelgenError as error:
        yield from error.findings


def _library(own: Sequence[Template], files: Sequence[Path]) -> tuple[Library, set[str], list[Finding]]:
    """The templates that are sound together, those of the project included; names of the others; what is wrong."""
    templates = {template.name: template for template in own}
    findings = []
    for template in own:
        if templates[template.name] is not template:
            other = templates[template.name].document.name
            findings.append(template.document.finding("duplicate-name", f"{other} has the same name", "template"))
    broken: set[str] = set()
    for root in _roots(files):
        for path in documents_in(root / "templates" / "shapes"):
            if path.stem in templates:
                continue
            try:
                templates[path.stem] = parse_template(read(path, "template"), path.stem, path.parent)
            except Malformed:
                broken.add(path.stem)
    mine = {template.document.name for template in own}
    while True:
        wrong = list(misfits(templates, broken))
        findings += [finding for template, finding in wrong if template.document.name in mine]
        lost = {template.name for template, _ in wrong}
        lost |= {one.name for one in templates.values() if any(name not in templates for name, _ in one.uses)}
        if not lost:
            return Library(templates.values()), broken, findings
        broken |= lost
        for name in lost:
            del templates[name]


def _roots(files: Iterable[Path]) -> list[Path]:
    """The projects these files belong to."""
    folders = {file.parent for file in files}
    return sorted({root for folder in folders if (root := project_root(folder)) is not None})


def _lint_template(template: Template, library: Library) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()  # other seeds find the same thing wrong by other numbers
    for seed, arguments in trials(template, library):
        try:
            compose(template, library, seed, arguments)
        except Malformed as error:
            for finding in error.findings:
                if (finding.code, finding.where) not in seen:
                    seen.add((finding.code, finding.where))
                    yield finding


def _sets(recipes: Sequence[Path]) -> dict[str, FaceSet]:
    sets: dict[str, FaceSet] = {}
    for root in _roots(recipes):
        for folder in find_face_sets(root / "faces"):
            try:
                sets.setdefault(folder.name, load_face_set(folder))
            except LevelgenError:  # reported where the set itself is looked at
                continue
    return sets


def _lint_recipe(doc: Document, library: Library, broken: set[str], sets: Mapping[str, FaceSet]) -> Iterator[Finding]:
    try:
        recipe = parse_recipe(doc, library, sets, Path(doc.name).parent, broken)
        plans = plan(recipe, library)
    except Malformed as error:
        yield from error.findings
        return
    yield from unfit(recipe, plans, library, broken)


def unfit(
    recipe: Recipe, plans: Sequence[LevelPlan], library: Library, broken: Collection[str] = ()
) -> Iterator[Finding]:
    """What is wrong with levels of a recipe when they are composed: every choice at its ends, and many between.

    `plans` are all its levels, from the first one on. Levels of templates that are `broken` are passed over.
    """
    seen: set[tuple[str, str, tuple[Part, ...]]] = set()
    for spot, level in _sample(recipe, plans):
        if any(part.template in broken for part in level.parts):
            continue
        for finding in _lint_level(level, library):
            if (finding.code, finding.where, level.parts) not in seen:
                seen.add((finding.code, finding.where, level.parts))
                code = finding.code.partition("/")[2]
                message = f"level {level.level}: {finding.message}"
                yield recipe.document.finding(code, message, *spot, fix=finding.fix)


def _lint_level(level: LevelPlan, library: Library) -> Iterator[Finding]:
    try:
        layout = layout_of(level, library)
    except Malformed as error:
        yield from error.findings
        return
    if level.hide != Hide() and level.board is None:
        may = len(level.hide.tiles(layout))
        if may < level.face_down:
            yield Finding("level/hide", f"{level.face_down} tiles shall lie face down and {may} may", "",
                          f"hide {may} at most, or allow more of them under `hide`")  # fmt: skip


def _sample(recipe: Recipe, plans: Sequence[LevelPlan]) -> Iterator[tuple[Spot, LevelPlan]]:
    """Levels to compose: every choice of every section with its first and last numbers, and planned levels."""
    for section in recipe.sections:
        levels = plans[section.first - 1 : section.last]
        for index, choice in enumerate(section.choices):
            spot = (*section.spot, "templates", index)
            for turn in range(max(len(asked.templates) for asked in choice.parts)):
                for at in (0, section.count - 1):
                    made = tuple(asked.part(at, section.count, asked.templates[turn % len(asked.templates)])
                                 for asked in choice.parts)  # fmt: skip
                    yield spot, replace(levels[at], parts=made)
        where = (*section.spot, "board" if section.boards else "templates")
        yield from ((where, level) for level in levels[:: max(1, section.count // LINT_LEVELS)])
