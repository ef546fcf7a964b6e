"""Pack recipes: YAML → `Recipe`, and a recipe → the plan of every level.

    project = open_project(Path("templates/packs/eram.yaml"))      # templates/shapes and faces/ beside the recipe
    recipe  = read_recipe(Path("templates/packs/eram.yaml"), project)
    plans   = plan(recipe)                                         # what each level shall be, nothing composed yet
    layout  = layout_of(plans[11], project.library)

A plan decides everything by formula or by streams of the level's seed `SEED/LEVEL`: `templates` chooses what the
level is made of, `face-choice` which faces it shows. So a level depends on its own number and section only, and on
the few levels before it in one respect: what they were made of is not chosen again while there is another choice.

`lint` finds every defect of templates, recipes and face sets at once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from levelgen import faces as face_sets
from levelgen.document import Document, Spot, checked, read, suggest
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.faces import MANIFEST, FaceSet, apart, find_face_sets, load_face_set
from levelgen.layout import Canvas, Layout
from levelgen.rules import Ruleset
from levelgen.seed import Stream
from levelgen.template import (
    Draw,
    Library,
    Part,
    Template,
    compose,
    compose_level,
    misfits,
    parse_template,
    read_canvas,
    read_library,
    weighted,
)

TOOLS = ("undo", "hint", "shuffle")
MAX_FILES = 20_000
LINT_SEEDS = 6
"""How many seeds lint composes a template under that draws numbers, beside its least and its greatest numbers."""
LINT_LEVELS = 64
"""How many levels of a section lint composes, spread over it."""
FACE_TRIES = 64
"""How often the faces of a board are drawn anew when those drawn are too alike to make up their number."""
APART = 3
"""How many levels lie between two that are made of the same templates, where there are choices enough."""
KATHMANDU = timedelta(hours=5, minutes=45)


@dataclass(frozen=True, slots=True)
class Over:
    """A number that goes from `first` at a section's first level to `last` at its last one."""

    first: int
    last: int

    def at(self, index: int, count: int, group: int = 1) -> int:
        """The number at level `index` of `count`, rounded to the nearest multiple of `group`, halves upwards."""
        span = max(1, count - 1)
        twice = 2 * (self.first * span + (self.last - self.first) * index)
        return (twice + group * span) // (2 * group * span) * group


@dataclass(frozen=True, slots=True)
class Choice:
    """Templates that together make a level, and how often they are chosen."""

    parts: tuple[Part, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Section:
    """The levels `first` … `last` of a recipe."""

    first: int
    last: int
    tier: str
    choices: tuple[Choice, ...]
    tiles: Over
    layers: int
    """Exactly so many layers, or 0 for as many as come out."""
    face_down: Over
    distinct: Over | None
    """How many different faces a board shows; None for as many as it has groups and the set has faces."""
    faces: tuple[str, ...]
    """What its boards draw their faces from, in the order of the set."""
    tools: tuple[int, int, int] | None
    guess_free: bool
    spot: Spot = field(compare=False)
    never_together: tuple[tuple[str, str], ...] = ()
    """Faces too alike to lie on one board, unless the recipe allows it."""

    @property
    def count(self) -> int:
        """How many levels it has."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Daily:
    """The channel of the deals of the day."""

    seed: str
    tiers: tuple[str, ...]


@dataclass(frozen=True)
class Recipe:
    """A valid recipe; made by `parse_recipe` only."""

    pack: str
    title: str
    version: int
    previous: str | None
    ruleset: Ruleset
    face_set: str
    seed: str
    canvas: Canvas
    margin: int
    sections: tuple[Section, ...]
    daily: Daily | None
    document: Document = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LevelPlan:
    """Everything that is decided of a level before it is composed and dealt."""

    level: int
    tier: str
    """The name players know its kind by, or empty."""
    parts: tuple[Part, ...]
    tiles: int
    layers: int
    """Exactly so many layers, or 0 for as many as come out."""
    faces: tuple[str, ...]
    """The faces the board shows, each at least once, in the order of the set."""
    face_down: int
    seed: str
    ruleset: Ruleset
    canvas: Canvas
    margin: int
    tools: tuple[int, int, int] | None
    """Undo, hint and shuffle to begin with; None for no limit."""
    guess_free: bool = False
    """Whether only a deal will do that no order of revealing its face-down tiles can lose."""


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
    root = _root(path)
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


def _root(path: Path) -> Path | None:
    start = path.resolve()
    for folder in (start, *start.parents):
        if (folder / "templates" / "shapes").is_dir() and (folder / "faces").is_dir():
            return folder
    return None


def read_recipe(path: Path, project: Project) -> Recipe:
    """The recipe in that file.

    Raises:
        Malformed: with every defect found.
    """
    return parse_recipe(read(path, "recipe"), project.library, project.sets)


# --- reading -----------------------------------------------------------------------------------------------------


def parse_recipe(doc: Document, library: Iterable[str], sets: Mapping[str, FaceSet]) -> Recipe:
    """The recipe that `doc`, already checked against the schema, describes; `library` names the known templates.

    Raises:
        Malformed: with every defect found.
    """
    reader = _Reader(doc, sorted(library), sets)
    recipe = reader.recipe()
    if recipe is None or reader.findings:
        raise Malformed(reader.findings)
    return recipe


class _Reader:
    """Turns a document that fits the schema into a recipe, collecting what the schema cannot say."""

    def __init__(self, doc: Document, library: Sequence[str], sets: Mapping[str, FaceSet]) -> None:
        self.doc = doc
        self.library = library
        self.sets = sets
        self.findings: list[Finding] = []

    def say(self, code: str, message: str, *path: str | int, fix: str = "", key: bool = False) -> None:
        self.findings.append(self.doc.finding(code, message, *path, fix=fix, key=key))

    def recipe(self) -> Recipe | None:
        data = self.doc.data
        ruleset = self.ruleset(data["ruleset"])
        faces, face_set = self.faces(data["faces"])
        if ruleset is None or face_set is None:
            for index, one in enumerate(data["levels"]):
                self.choices(one["templates"], ("levels", index, "templates"))
            return None
        canvas, margin = read_canvas(data.get("canvas", {}))
        tools = self.tools(data.get("tools"), ("tools",), ruleset, None if ruleset.id == "triples" else (0, 0, 0))
        sections = tuple(
            self.section(one, ("levels", index), ruleset, faces, face_set, tools)
            for index, one in enumerate(data["levels"])
        )
        self.order(sections)
        daily = data.get("daily")
        known = sorted({section.tier for section in sections if section.tier})
        for index, tier in enumerate(daily["tiers"] if daily else ()):
            if tier not in known:
                self.say("unknown-tier", f"no levels have the tier `{tier}`", "daily", "tiers", index,
                         fix=suggest(tier, known))  # fmt: skip
        return Recipe(
            data["pack"], data.get("title", data["pack"]), data["version"], data.get("previous"), ruleset, face_set.id,
            data["seed"], canvas, margin, sections, Daily(daily["seed"], tuple(daily["tiers"])) if daily else None,
            self.doc,
        )  # fmt: skip

    def ruleset(self, data: Mapping[str, Any]) -> Ruleset | None:
        try:
            return Ruleset.from_json(data, "ruleset")
        except Malformed as error:
            for finding in error.findings:
                code = finding.code.partition("/")[2]
                self.say(code, finding.message, *finding.where.split("."), fix=finding.fix, key=code == "unknown-key")
            return None

    def faces(self, data: Any) -> tuple[tuple[str, ...], FaceSet | None]:
        """The faces the recipe may deal, and their set."""
        given = {"set": data} if isinstance(data, str) else data
        spot: Spot = ("faces",) if isinstance(data, str) else ("faces", "set")
        face_set = self.sets.get(given["set"])
        if face_set is None:
            self.say("unknown-face-set", f"there is no face set `{given['set']}`", *spot,
                     fix=suggest(given["set"], sorted(self.sets)))  # fmt: skip
            return (), None
        dealable = face_set.dealable
        if "only" in given:
            dealable = self.chosen(given["only"], ("faces", "only"), face_set, dealable)
        for index, face in enumerate(given.get("without", ())):
            self.known_face(face, ("faces", "without", index), face_set)
        return tuple(face for face in dealable if face not in given.get("without", ())), face_set

    def known_face(self, face: str, spot: Spot, face_set: FaceSet) -> bool:
        names = [*(one.id for one in face_set.faces), *(one.id for one in face_set.groups)]
        excluded = {one.id for one in face_set.excluded}
        if (group := face_set.dealt_as(face)) != face:
            self.say("grouped-face", f"{face} is dealt as `{group}`, not by itself", *spot, fix=f"write {group}")
            return False
        if face not in names and face not in excluded:
            self.say("unknown-face", f"{face_set.id} has no face `{face}`", *spot, fix=suggest(face, names))
            return False
        return True

    def chosen(self, names: Sequence[str], spot: Spot, face_set: FaceSet, faces: tuple[str, ...]) -> tuple[str, ...]:
        """Of `faces` those that are named, in the order of the set; a name that cannot be dealt is reported."""
        excluded = {one.id: one.reason for one in face_set.excluded}
        for index, face in enumerate(names):
            if face in excluded:
                self.say(
                    "excluded-face", f"{face} is not dealt: {excluded[face]}", *spot, index, fix="name another face"
                )
            elif self.known_face(face, (*spot, index), face_set) and face not in faces:
                self.say("face-left-out", f"{face} is left out above, under `faces`", *spot, index)
        return tuple(face for face in faces if face in names)

    def choices(self, data: Sequence[Any], spot: Spot) -> tuple[Choice, ...]:
        return tuple(
            Choice(self.parts(one, (*spot, index)), 1)
            if isinstance(one, list)
            else Choice(self.parts(one["parts"], (*spot, index, "parts")), one.get("weight", 1))
            for index, one in enumerate(data)
        )

    def parts(self, data: Sequence[Any], spot: Spot) -> tuple[Part, ...]:
        made = []
        for index, one in enumerate(data):
            if isinstance(one, str):
                name, _, place = one.partition("@")
                part, where = Part(name, place or "on"), (*spot, index)
            else:
                arguments = tuple(sorted(one.get("with", {}).items()))
                part, where = Part(one["template"], one.get("place", "on"), arguments), (*spot, index, "template")
            made.append(part)
            if part.template not in self.library:
                self.say("unknown-template", f"there is no template `{part.template}`", *where,
                         fix=suggest(part.template, self.library))  # fmt: skip
        return tuple(made)

    def tools(
        self, data: Any, spot: Spot, ruleset: Ruleset, default: tuple[int, int, int] | None
    ) -> tuple[int, int, int] | None:
        if data is None:
            return default
        if ruleset.id == "triples":
            self.say("tools", "triples have every tool without limit", *spot, key=True, fix="remove `tools`")
        return (data.get("undo", 0), data.get("hint", 0), data.get("shuffle", 0))

    def section(
        self, data: Mapping[str, Any], spot: Spot, ruleset: Ruleset, faces: tuple[str, ...], face_set: FaceSet,
        tools: tuple[int, int, int] | None,
    ) -> Section:  # fmt: skip
        first, last = (int(word) for word in (str(data["levels"]).split("..") * 2)[:2])
        if last < first:
            self.say("levels", f"the range {first}..{last} is empty", *spot, "levels", fix=f"write {last}..{first}")
        own = self.chosen(data["faces"], (*spot, "faces"), face_set, faces) if "faces" in data else faces
        distinct = _over(data["distinct"]) if "distinct" in data else None
        if "pictures" in data:
            wanted = data["pictures"]["first"]
            if "distinct" in data:
                self.say("distinct", "`pictures` says already how many faces there are", *spot, "distinct", key=True,
                         fix="remove one of the two")  # fmt: skip
            if wanted > len(own):
                self.too_few(wanted, len(own), face_set, (*spot, "pictures", "first"))
            own, distinct = own[:wanted], Over(wanted, wanted)
        section = Section(
            first, max(first, last), data.get("tier", ""), self.choices(data["templates"], (*spot, "templates")),
            _over(data["tiles"]), data.get("layers", 0), _over(data.get("face_down", 0)), distinct, own,
            self.tools(data.get("tools"), (*spot, "tools"), ruleset, tools), data.get("guess_free", False), spot,
            () if data.get("allow_alike", self.doc.data.get("allow_alike", False)) else face_set.never_together,
        )  # fmt: skip
        self.counts(section, ruleset, face_set, data)
        return section

    def too_few(self, wanted: int, have: int, face_set: FaceSet, spot: Spot) -> None:
        self.say("too-few-faces", f"{wanted} different faces are asked for; {have} of {face_set.id} can be dealt",
                 *spot, fix=f"ask for {have} at most, or add faces to the set")  # fmt: skip

    def counts(self, section: Section, ruleset: Ruleset, face_set: FaceSet, data: Mapping[str, Any]) -> None:
        """Whether tiles, faces and hidden tiles fit one another at every level of the section."""
        group, spot = ruleset.group, section.spot
        for key, value in (("from", section.tiles.first), ("to", section.tiles.last)):
            if value % group or value < group:
                path = (*spot, "tiles", key) if isinstance(data["tiles"], Mapping) else (*spot, "tiles")
                near = max(group, (value + group // 2) // group * group)
                self.say("tiles", f"{value} tiles cannot be cleared in groups of {group}", *path, fix=f"write {near}")
                return
        if section.face_down.first or section.face_down.last:
            if ruleset.id != "pairs":
                self.say("face-down", f"{ruleset.id} know no face-down tiles", *spot, "face_down", key=True,
                         fix="remove `face_down`")  # fmt: skip
            for index in range(section.count):
                tiles = section.tiles.at(index, section.count, group)
                hidden = section.face_down.at(index, section.count)
                if hidden > tiles:
                    self.say("face-down", f"level {section.first + index} hides {hidden} of {tiles} tiles",
                             *spot, "face_down", fix=f"hide {tiles} at most")  # fmt: skip
                    break
        if not section.faces:
            self.say("too-few-faces", "no face is left to deal", *spot)
        distinct = section.distinct
        if distinct is None:
            return
        path = (*spot, "pictures") if "pictures" in data else (*spot, "distinct")
        if max(distinct.first, distinct.last) > len(section.faces) and "pictures" not in data:
            self.too_few(max(distinct.first, distinct.last), len(section.faces), face_set, path)
        for index in range(section.count):
            tiles = section.tiles.at(index, section.count, group)
            asked = distinct.at(index, section.count)
            if asked > tiles // group:
                self.say("too-many-faces", f"level {section.first + index} has {tiles // group} groups; "
                         f"they cannot show {asked} different faces", *path,
                         fix=f"ask for {tiles // group} at most")  # fmt: skip
                break

    def order(self, sections: Sequence[Section]) -> None:
        """Levels count 1, 2, 3, … over the sections, none left out and none twice."""
        if sections and sections[0].first != 1:
            self.say("levels", f"the levels begin with {sections[0].first}", "levels", 0, "levels", fix="begin with 1")
        for before, after in pairwise(sections):
            if after.first != before.last + 1:
                what = "stand twice" if after.first <= before.last else "are missing"
                low, high = sorted((before.last + 1, after.first))
                span = f"{low}..{high - 1}" if what == "are missing" else f"from {after.first} on"
                self.say("levels", f"levels {span} {what}", *after.spot, "levels", fix=f"begin with {before.last + 1}")


def _over(data: Any) -> Over:
    return Over(data, data) if isinstance(data, int) else Over(data["from"], data["to"])


# --- planning ----------------------------------------------------------------------------------------------------


def plan(recipe: Recipe) -> tuple[LevelPlan, ...]:
    """Every level, in order."""
    plans: list[LevelPlan] = []
    for section in recipe.sections:
        for index in range(section.count):
            window = min(APART, len(section.choices) - 1)
            before = {one.parts for one in plans[max(0, len(plans) - window) :]}
            level = section.first + index
            plans.append(_plan(recipe, section, index, level, f"{recipe.seed}/{level}", before))
    return tuple(plans)


def daily_plans(recipe: Recipe, day: date) -> tuple[LevelPlan, ...]:
    """The deals of the day of that local date, one per tier, numbered from 1: a function of date and channel only.

    Raises:
        Malformed: the recipe has no `daily`.
    """
    if recipe.daily is None:
        raise Malformed.of("recipe/no-daily", "the recipe has no deals of the day", recipe.document.name, "add `daily`")
    plans = []
    for number, tier in enumerate(recipe.daily.tiers, start=1):
        section = next(one for one in recipe.sections if one.tier == tier)
        plans.append(_plan(recipe, section, 0, number, f"{recipe.daily.seed}/{tier}/{day.isoformat()}", ()))
    return tuple(plans)


def kathmandu_date(moment: datetime) -> date:
    """The date in Asia/Kathmandu (UTC+05:45 all year) at `moment`, which must know its time zone."""
    return (moment.astimezone(UTC) + KATHMANDU).date()


def _plan(
    recipe: Recipe, section: Section, index: int, level: int, seed: str, before: Collection[tuple[Part, ...]]
) -> LevelPlan:
    group = recipe.ruleset.group
    tiles = section.tiles.at(index, section.count, group)
    choices = [one for one in section.choices if one.parts not in before] or list(section.choices)
    chosen: Choice = weighted(choices, [one.weight for one in choices], Stream(seed, "templates"))
    wanted = min(len(section.faces), tiles // group)
    if section.distinct is not None:
        wanted = section.distinct.at(index, section.count)
    shown = _shown(recipe, section, level, wanted, Stream(seed, "face-choice"))
    return LevelPlan(
        level, section.tier, chosen.parts, tiles, section.layers,
        tuple(face for face in section.faces if face in shown), section.face_down.at(index, section.count),
        seed, recipe.ruleset, recipe.canvas, recipe.margin, section.tools, section.guess_free,
    )  # fmt: skip


def _shown(recipe: Recipe, section: Section, level: int, wanted: int, stream: Stream) -> frozenset[str]:
    """The faces of a board: `wanted` of them, no two too alike, or as many as there are where none are asked for.

    Raises:
        Malformed: too many of the faces are alike.
    """
    drawn = list(section.faces)
    for _ in range(FACE_TRIES):
        stream.shuffle(drawn)
        kept = apart(drawn, section.never_together)[:wanted]
        if len(kept) == wanted or section.distinct is None:
            return frozenset(kept)
    raise Malformed([recipe.document.finding(
        "too-alike", f"level {level}: no {wanted} faces were found of which no two are marked too alike", *section.spot,
        fix="ask for fewer, or write `allow_alike: true`",
    )])  # fmt: skip


def layout_of(level: LevelPlan, library: Library) -> Layout:
    """The layout of a planned level.

    Raises:
        Malformed: its templates do not fit the canvas, the tiles or the layers asked for.
    """
    return compose_level(
        level.parts, library, level.canvas, level.tiles, level.ruleset.group, level.seed,
        margin=level.margin, layers=level.layers,
    )  # fmt: skip


# --- linting -----------------------------------------------------------------------------------------------------


def lint(paths: Sequence[Path]) -> tuple[Finding, ...]:
    """Every defect of the templates, recipes and face sets among `paths`, folders looked through.

    Templates are composed under several seeds, levels of recipes are composed, pictures are measured.

    Raises:
        Malformed: a path does not exist, or there are too many files.
    """
    return tuple(_lint(paths))


def _lint(paths: Sequence[Path]) -> Iterator[Finding]:
    documents: list[Document] = []
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
                own.append(parse_template(doc, Path(doc.name).stem))
            except Malformed as error:
                yield from error.findings
    recipes = [doc for doc in documents if doc.subject == "recipe"]
    library, broken, findings = _library(own, [Path(doc.name) for doc in documents])
    yield from findings
    for template in own:
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
            raise Malformed.of("document/missing", "there is no such file or folder", str(path))
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
    for file in sorted(path.rglob("*.yaml")):
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
    for root in sorted({root for file in files if (root := _root(file)) is not None}):
        for path in sorted((root / "templates" / "shapes").rglob("*.yaml")):
            if path.stem in templates:
                continue
            try:
                templates[path.stem] = parse_template(read(path, "template"), path.stem)
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


def _lint_template(template: Template, library: Library) -> Iterator[Finding]:
    seen: set[Finding] = set()
    for seed, arguments in _trials(template, library):
        try:
            compose(template, library, seed, arguments)
        except Malformed as error:
            for finding in error.findings:
                if finding not in seen:
                    seen.add(finding)
                    yield finding


def _trials(template: Template, library: Library) -> Iterator[tuple[str, dict[str, int]]]:
    """Seeds and arguments to compose a template with: once when it draws nothing, else its extremes and some seeds."""
    drawn = {name: value for name, value in template.parameters if isinstance(value, Draw)}
    yield "lint/0", {}
    if library.is_fixed(template.name):
        return
    for seed in range(1, LINT_SEEDS):
        yield f"lint/{seed}", {}
    if drawn:
        yield "lint/low", {name: value.low for name, value in drawn.items()}
        yield "lint/high", {name: value.low + (value.high - value.low) // value.step * value.step
                            for name, value in drawn.items()}  # fmt: skip


def _sets(recipes: Sequence[Path]) -> dict[str, FaceSet]:
    sets: dict[str, FaceSet] = {}
    for root in sorted({root for path in recipes if (root := _root(path)) is not None}):
        for folder in find_face_sets(root / "faces"):
            try:
                sets.setdefault(folder.name, load_face_set(folder))
            except LevelgenError:  # reported where the set itself is looked at
                continue
    return sets


def _lint_recipe(doc: Document, library: Library, broken: set[str], sets: Mapping[str, FaceSet]) -> Iterator[Finding]:
    try:
        recipe = parse_recipe(doc, {*library, *broken}, sets)
    except Malformed as error:
        yield from error.findings
        return
    seen: set[tuple[str, str, tuple[Part, ...]]] = set()
    try:
        sample = list(_sample(recipe))
    except Malformed as error:
        yield from error.findings
        return
    for section, level in sample:
        if any(part.template in broken for part in level.parts):
            continue
        try:
            layout_of(level, library)
        except Malformed as error:
            spot = _choice_spot(section, level)
            for finding in error.findings:
                if (finding.code, finding.where, level.parts) not in seen:
                    seen.add((finding.code, finding.where, level.parts))
                    code = finding.code.partition("/")[2]
                    yield doc.finding(code, f"level {level.level}: {finding.message}", *spot, fix=finding.fix)


def _sample(recipe: Recipe) -> Iterator[tuple[Section, LevelPlan]]:
    """Levels to compose: every choice of every section with its first and last tile count, and planned levels."""
    plans = plan(recipe)
    for section in recipe.sections:
        levels = plans[section.first - 1 : section.last]
        for choice in section.choices:
            for level in (levels[0], levels[-1]):
                yield section, replace(level, parts=choice.parts)
        yield from ((section, level) for level in levels[:: max(1, section.count // LINT_LEVELS)])


def _choice_spot(section: Section, level: LevelPlan) -> Spot:
    index = next(i for i, choice in enumerate(section.choices) if choice.parts == level.parts)
    return (*section.spot, "templates", index)
