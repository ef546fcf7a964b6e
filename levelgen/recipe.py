"""Pack recipes: YAML → `Recipe`, and a recipe → the plan of every level.

    project = open_project(Path("templates/packs/eram.yaml"))      # templates/shapes and faces/ beside the recipe
    recipe  = read_recipe(Path("templates/packs/eram.yaml"), project)
    plans   = plan(recipe)                                         # what each level shall be, nothing composed yet
    layout  = layout_of(plans[11], project.library)

A plan decides everything by formula or by streams of the level's seed `SEED/LEVEL`: `templates` chooses what the
level is made of, `templates/any/N` the template of part N where a recipe asks for any of a kind, `face-choice` which
faces it shows. So a level depends on its own number and section only, and on the few levels before it in one respect:
what they were made of is not chosen again while there is another choice. A level that is too like one of those, or
whose seed somebody rejected, is drawn again with the seed `SEED/LEVEL~1`, `~2`, …, which its record then names.

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
from levelgen.board import Board, Deal
from levelgen.document import Document, Spot, checked, read, suggest
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.faces import MANIFEST, FaceSet, apart, find_face_sets, load_face_set
from levelgen.layout import MAX_TILES, Canvas, Layout, likeness
from levelgen.pack.records import parse_boards
from levelgen.rules import Ruleset, neighbours
from levelgen.seed import Stream
from levelgen.template import (
    Library,
    Part,
    Template,
    compose,
    compose_level,
    misfits,
    parse_template,
    read_canvas,
    read_library,
    trials,
    weighted,
)

TOOLS = ("undo", "hint", "shuffle")
MAX_FILES = 20_000
LINT_LEVELS = 64
"""How many levels of a section lint composes, spread over it."""
FACE_TRIES = 64
"""How often the faces of a board are drawn anew when those drawn are too alike to make up their number."""
APART = 3
"""How many levels lie between two that are made of the same templates, where there are choices enough."""
DRAWS = 32
"""How often a level is drawn before it is given up as too like its neighbours."""
MAX_BOARD_BYTES = 16 << 20
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
class Asked:
    """A part of a level as the recipe asks for it."""

    templates: tuple[str, ...]
    """The template, or all that suit, by name, when any of a kind will do."""
    place: str = "on"
    arguments: tuple[tuple[str, Over], ...] = ()

    def part(self, index: int, count: int, template: str = "") -> Part:
        """What it is at level `index` of `count`, made of that template or else of the first that suits."""
        given = tuple((name, value.at(index, count)) for name, value in self.arguments)
        return Part(template or self.templates[0], self.place, given)


@dataclass(frozen=True, slots=True)
class Choice:
    """Templates that together make a level, and how often they are chosen."""

    parts: tuple[Asked, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class Hide:
    """Which tiles may lie face down."""

    least: int = 0
    most: int = MAX_TILES
    """So many tiles lie on it, on whatever layers above."""
    layers: tuple[int, ...] = ()
    """Only on these layers; any when empty."""

    def tiles(self, layout: Layout) -> tuple[int, ...]:
        """The ids of those tiles."""
        above = neighbours(layout).above
        return tuple(
            tile
            for tile, slot in enumerate(layout.slots)
            if self.least <= above[tile].bit_count() <= self.most and (not self.layers or slot.z in self.layers)
        )


@dataclass(frozen=True, slots=True)
class Apart:
    """How little alike neighbouring levels must be."""

    likeness: int
    """Percent (`layout.likeness`) above which a level is drawn again."""
    levels: int
    """How many levels before it are looked at."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """What of a level somebody looked at and did not want."""

    seeds: frozenset[str] = frozenset()
    attempts: frozenset[int] = frozenset()


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
    copies: Over | None
    """The most tiles of a board that may show one face; None for any number."""
    hide: Hide
    faces: tuple[str, ...]
    """What its boards draw their faces from, in the order of the set."""
    tools: tuple[int, int, int] | None
    guess_free: bool
    boards: tuple[Deal, ...]
    """Its levels as they are, when they are pinned; then nothing above is asked for."""
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
    pin: str = ""
    """Digest of the generator, templates and faces its deals are made with; empty when nothing is pinned."""


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
    apart: Apart | None
    rejected: Mapping[int, Rejected]
    """By level."""
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
    hide: Hide = Hide()
    rejected: frozenset[int] = frozenset()
    """Attempts at dealing it that are passed over."""
    board: Deal | None = None
    """The level as it is, when it is pinned."""


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
    return parse_recipe(read(path, "recipe"), project.library, project.sets, path.parent)


# --- reading -----------------------------------------------------------------------------------------------------


def parse_recipe(
    doc: Document,
    library: Iterable[str],
    sets: Mapping[str, FaceSet],
    folder: Path | None = None,
    broken: Collection[str] = (),
) -> Recipe:
    """The recipe that `doc`, already checked against the schema, describes.

    `library` holds the known templates; names alone do as long as the recipe asks for none by tag. `folder` is where
    its board files are. Templates that are `broken` are known by name, and their defects told elsewhere.

    Raises:
        Malformed: with every defect found.
    """
    known = library if isinstance(library, Library) else Library()
    reader = _Reader(doc, sorted({*library, *broken}), known, sets, folder)
    recipe = reader.recipe()
    if recipe is None or reader.findings:
        raise Malformed(reader.findings)
    return recipe


class _Reader:
    """Turns a document that fits the schema into a recipe, collecting what the schema cannot say."""

    def __init__(
        self, doc: Document, names: Sequence[str], library: Library, sets: Mapping[str, FaceSet], folder: Path | None
    ) -> None:
        self.doc = doc
        self.names = names
        self.library = library
        self.sets = sets
        self.folder = folder
        self.findings: list[Finding] = []

    def say(self, code: str, message: str, *path: str | int, fix: str = "", key: bool = False) -> None:
        self.findings.append(self.doc.finding(code, message, *path, fix=fix, key=key))

    def recipe(self) -> Recipe | None:
        data = self.doc.data
        ruleset = self.ruleset(data["ruleset"])
        faces, face_set = self.faces(data["faces"])
        if ruleset is None or face_set is None:
            for index, one in enumerate(data["levels"]):
                self.choices(one.get("templates", ()), ("levels", index, "templates"))
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
            elif next(one for one in sections if one.tier == tier).boards:
                self.say("daily-board", f"`{tier}` begins with a pinned board: every day would have the same deal",
                         "daily", "tiers", index, fix="name a tier that is dealt")  # fmt: skip
        return Recipe(
            data["pack"], data.get("title", data["pack"]), data["version"], data.get("previous"), ruleset, face_set.id,
            data["seed"], canvas, margin, sections, _daily(daily),
            self.apart(data), self.rejected(data, sections), self.doc,
        )  # fmt: skip

    def apart(self, data: Mapping[str, Any]) -> Apart | None:
        given = data.get("apart")
        return Apart(given["likeness"], given.get("levels", APART)) if given else None

    def rejected(self, data: Mapping[str, Any], sections: Sequence[Section]) -> dict[int, Rejected]:
        """What is rejected, by level; that it was once a draw of that level is all that can be told."""
        found: dict[int, Rejected] = {}
        for index, one in enumerate(data.get("reject", ())):
            level, spot = one["level"], ("reject", index)
            section = next((each for each in sections if each.first <= level <= each.last), None)
            if section is None:
                self.say("reject", f"there is no level {level}", *spot, "level")
                continue
            if section.boards:
                self.say("reject", f"level {level} is pinned: it is no draw", *spot, "level", fix="change its board")
            if level in found:
                self.say("reject", f"level {level} stands here again", *spot, "level", fix="make one entry of the two")
            draws = [draw_seed(data["seed"], level, draw) for draw in range(DRAWS)]
            for number, seed in enumerate(one.get("seeds", ())):
                if seed not in draws:
                    self.say("reject", f"{seed!r} is no seed of level {level}", *spot, "seeds", number,
                             fix=f"copy it from the record: {draws[0]}, {draws[1]}, …")  # fmt: skip
            found[level] = Rejected(frozenset(one.get("seeds", ())), frozenset(one.get("attempts", ())))
        return found

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

    def parts(self, data: Sequence[Any], spot: Spot) -> tuple[Asked, ...]:
        made = []
        for index, one in enumerate(data):
            if isinstance(one, str):
                name, _, place = one.partition("@")
                asked, where = Asked((name,), place or "on"), (*spot, index)
            else:
                arguments = tuple((key, _over(value)) for key, value in sorted(one.get("with", {}).items()))
                names = (one["template"],) if "template" in one else self.suiting(one["any"], (*spot, index, "any"))
                asked, where = Asked(names, one.get("place", "on"), arguments), (*spot, index, "template")
            made.append(asked)
            if (isinstance(one, str) or "template" in one) and asked.templates[0] not in self.names:
                self.say("unknown-template", f"there is no template `{asked.templates[0]}`", *where,
                         fix=suggest(asked.templates[0], self.names))  # fmt: skip
        return tuple(made)

    def suiting(self, data: Mapping[str, Any], spot: Spot) -> tuple[str, ...]:
        """The templates a recipe describes instead of naming one, by name."""
        tags = sorted({tag for template in self.library.values() for tag in template.tags})
        for key in ("tags", "without"):
            for index, tag in enumerate(data.get(key, ())):
                if tag not in tags:
                    self.say("unknown-tag", f"no template has the tag `{tag}`", *spot, key, index,
                             fix=suggest(tag, tags))  # fmt: skip
                    return ("?",)
        low, high = data.get("tiles", (1, MAX_TILES))
        found = [
            name
            for name in sorted(self.library)
            if {*data.get("tags", ())} <= {*self.library[name].tags}
            and {*data.get("without", ())}.isdisjoint(self.library[name].tags)
            and ("tiles" not in data or _within(self.library, name, low, high))
        ]
        if not found:
            self.say("no-template", "no template suits", *spot, key=True,
                     fix="ask for fewer tags or a wider range of tiles")  # fmt: skip
        return tuple(found) or ("?",)

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
        if "board" in data:
            return self.pinned(data, spot, first, max(first, last), ruleset, faces, face_set, tools)
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
            _over(data["tiles"]), data.get("layers", 0), _over(data.get("face_down", 0)), distinct,
            _over(data["copies"]) if "copies" in data else None, self.hide(data, spot), own,
            self.tools(data.get("tools"), (*spot, "tools"), ruleset, tools), data.get("guess_free", False), (), spot,
            () if data.get("allow_alike", self.doc.data.get("allow_alike", False)) else face_set.never_together,
        )  # fmt: skip
        self.counts(section, ruleset, face_set, data)
        self.budget(section, ruleset, face_set, data)
        return section

    def hide(self, data: Mapping[str, Any], spot: Spot) -> Hide:
        given = data.get("hide")
        if given is None:
            return Hide()
        if not data.get("face_down"):
            self.say("hide", "no tile lies face down", *spot, "hide", key=True, fix="add `face_down`, or remove `hide`")
        least, most = given.get("covered", (0, MAX_TILES))
        if most < least:
            self.say("range", f"the range {least} … {most} is empty", *spot, "hide", "covered",
                     fix=f"write [{most}, {least}]")  # fmt: skip
        return Hide(least, max(least, most), tuple(sorted(given.get("layers", ()))))

    def budget(self, section: Section, ruleset: Ruleset, face_set: FaceSet, data: Mapping[str, Any]) -> None:
        """Whether the faces suffice for so few copies of each at every level of the section."""
        copies, group, spot = section.copies, ruleset.group, (*section.spot, "copies")
        if copies is None:
            return
        for key, value in (("from", copies.first), ("to", copies.last)):
            if value % group or value < group:
                path = (*spot, key) if isinstance(data["copies"], Mapping) else spot
                self.say("copies", f"{value} copies of a face cannot be cleared in groups of {group}", *path,
                         fix=f"write {max(group, value // group * group)}")  # fmt: skip
                return
        for index in range(section.count):
            groups = section.tiles.at(index, section.count, group) // group
            each = copies.at(index, section.count, group) // group
            have = section.distinct.at(index, section.count) if section.distinct else len(section.faces)
            if have and -(-groups // have) > each:
                what = "are asked for" if section.distinct else f"of {face_set.id} can be dealt"
                self.say("copies", f"level {section.first + index}: {groups * group} tiles with {each * group} copies "
                         f"a face need {-(-groups // each)} faces; {have} {what}", *spot,
                         fix=f"allow {-(-groups // have) * group} copies")  # fmt: skip
                return

    def pinned(
        self, data: Mapping[str, Any], spot: Spot, first: int, last: int, ruleset: Ruleset, faces: tuple[str, ...],
        face_set: FaceSet, tools: tuple[int, int, int] | None,
    ) -> Section:  # fmt: skip
        """Levels that are the boards of a file."""
        for key in ("templates", "tiles", "layers", "face_down", "hide", "distinct", "copies", "pictures"):
            if key in data:
                self.say("pinned", f"the board is included as it is; `{key}` says nothing of it", *spot, key, key=True,
                         fix=f"remove `{key}`")  # fmt: skip
        own = self.chosen(data["faces"], (*spot, "faces"), face_set, faces) if "faces" in data else faces
        boards = self.boards(data["board"], (*spot, "board"))
        wanted = last - first + 1
        if boards and len(boards) != wanted:
            span = f"{first}..{first + len(boards) - 1}" if len(boards) > 1 else str(first)
            self.say("board", f"{data['board']} holds {len(boards)} boards for {wanted} levels", *spot, "levels",
                     fix=f"write {span}")  # fmt: skip
        for number, deal in enumerate(boards, start=1):
            for message, fix in _unfit(deal, ruleset, own, face_set):
                self.say("board", f"board {number}: {message}", *spot, "board", fix=fix)
        return Section(
            first, last, data.get("tier", ""), (), Over(0, 0), 0, Over(0, 0), None, None, Hide(), own,
            self.tools(data.get("tools"), (*spot, "tools"), ruleset, tools), data.get("guess_free", False),
            (boards * wanted)[:wanted], spot,
        )  # fmt: skip

    def boards(self, name: str, spot: Spot) -> tuple[Deal, ...]:
        """The boards of a file beside the recipe."""
        try:
            if self.folder is None or ".." in Path(name).parts or Path(name).is_absolute():
                raise Malformed.of("board/missing", "stands nowhere under the recipe's folder", name)
            try:
                if (self.folder / name).exists() and not (self.folder / name).is_file():
                    raise FileNotFoundError(name)  # a pipe would keep us waiting for ever
                with (self.folder / name).open("rb") as file:
                    data = file.read(MAX_BOARD_BYTES + 1)
            except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
                raise Malformed.of("board/missing", "there is no such file beside the recipe", name) from None
            if len(data) > MAX_BOARD_BYTES:
                raise Malformed.of("board/too-long", f"is longer than {MAX_BOARD_BYTES} bytes", name)
            return parse_boards(data, name)
        except Malformed as error:
            for finding in error.findings:
                self.say("board", f"{finding.where}: {finding.message}", *spot, fix=finding.fix)
            return ()

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


def _unfit(deal: Deal, ruleset: Ruleset, faces: Sequence[str], face_set: FaceSet) -> Iterator[tuple[str, str]]:
    """Why a board cannot be a level of the pack, and what to do about it."""
    if deal.board.ruleset.id != ruleset.id:
        yield f"it is one of {deal.board.ruleset.id}", f"the pack is of {ruleset.id}"
        return
    if deal.tray or deal.removed:
        yield "it is a position in mid-game", "remove `tray` and `removed`"
    yield from ((finding.message, finding.fix) for finding in deal.violations())
    excluded = {one.id: one.reason for one in face_set.excluded}
    letters = _letters(deal, faces)
    for face in sorted({*deal.faces} - {*faces} - {*letters}):
        if face in excluded:
            yield f"{face} is not dealt: {excluded[face]}", "show another face"
        else:
            yield f"`{face}` is none of the faces that may be dealt", suggest(face, faces)
    if len(letters) > len({*faces} - {*deal.faces}):
        yield f"its {len(letters)} letters are more than there are faces", "draw with fewer letters"


def _letters(deal: Deal, faces: Collection[str]) -> tuple[str, ...]:
    """Letters of a drawn board for which the level draws a face."""
    return tuple(sorted(face for face in {*deal.faces} - {*faces} if len(face) == 1 and "A" <= face <= "Z"))


def _within(library: Library, name: str, low: int, high: int) -> bool:
    least, most = library.sizes(name)
    return low <= least and most <= high


def _over(data: Any) -> Over:
    return Over(data, data) if isinstance(data, int) else Over(data["from"], data["to"])


# --- planning ----------------------------------------------------------------------------------------------------


def plan(recipe: Recipe, library: Library | None = None) -> tuple[LevelPlan, ...]:
    """Every level, in order. `library` is needed only where the recipe keeps levels `apart`.

    Raises:
        Malformed: every draw of a level was rejected, or too like a level before it.
    """
    made = _Planner(recipe, library)
    findings: list[Finding] = []
    for section in recipe.sections:
        for index in range(section.count):
            try:
                made.level(section, index)
            except Malformed as error:
                findings += error.findings
    if findings:
        raise Malformed(findings)
    return tuple(made.plans)


def draw_seed(seed: str, level: int, draw: int) -> str:
    """The seed of draw number `draw` of a level; as a rule the first, 0, is taken."""
    return f"{seed}/{level}~{draw}" if draw else f"{seed}/{level}"


class _Planner:
    """Plans level after level; what the last ones were is all it remembers."""

    def __init__(self, recipe: Recipe, library: Library | None) -> None:
        if recipe.apart is not None and library is None:
            raise ValueError("levels are kept apart: that takes their templates")
        self.recipe = recipe
        self.library = library
        self.plans: list[LevelPlan] = []
        self.chosen: list[tuple[Asked, ...]] = []
        self.layouts: list[Layout | None] = []

    def level(self, section: Section, index: int) -> None:
        """Plan the next level: the first draw that is neither rejected nor too like its neighbours."""
        level = section.first + index
        rejected = self.recipe.rejected.get(level, Rejected())
        window = min(APART, len(section.choices) - 1)
        before = self.chosen[max(0, len(self.chosen) - window) :]
        recent = {part.template for one in self.plans[-APART:] for part in one.parts}
        seeds = [draw_seed(self.recipe.seed, level, draw) for draw in range(DRAWS)]
        best: tuple[int, int] | None = None
        for seed in seeds:
            if seed in rejected.seeds:
                continue
            parts, made = _plan(self.recipe, section, index, level, seed, before, recent)
            layout, like = self.alike(made)
            if not like[0] or section.boards:
                self.plans.append(replace(made, rejected=rejected.attempts))
                self.chosen.append(parts)
                self.layouts.append(layout)
                return
            best = min(best or like, like)
        # Levels after it are planned all the same, so that all that is wrong is told at once.
        self.plans.append(_plan(self.recipe, section, index, level, seeds[0], before, recent)[1])
        self.chosen.append(())
        self.layouts.append(None)
        say = self.recipe.document.finding
        if best is None:
            raise Malformed([say("rejected", f"all {DRAWS} draws of level {level} are rejected", "reject",
                                 fix="take some of its seeds back")])  # fmt: skip
        raise Malformed([say("near-duplicate", f"level {level} is {best[0]} % like level {best[1]} in the best of "
                             f"{DRAWS} draws", *section.spot, "templates", key=True,
                             fix="give the section more templates, or allow more under `apart`")])  # fmt: skip

    def alike(self, made: LevelPlan) -> tuple[Layout | None, tuple[int, int]]:
        """Its layout, and how like which level it is, (0, 0) when not too much; nothing where nobody asks."""
        apart = self.recipe.apart
        if apart is None or self.library is None:
            return None, (0, 0)
        try:
            layout = layout_of(made, self.library)
        except Malformed:  # whoever builds or lints the level says why
            return None, (0, 0)
        found = [
            (likeness(layout, other), level.level)
            for level, other in zip(self.plans[-apart.levels :], self.layouts[-apart.levels :], strict=True)
            if other is not None and _may_be_alike(len(layout), len(other), apart.likeness)
        ]
        worst = max(found, default=(0, 0))
        return layout, worst if worst[0] > apart.likeness else (0, 0)


def _daily(data: Mapping[str, Any] | None) -> Daily | None:
    return Daily(data["seed"], tuple(data["tiers"]), data.get("pin", "")) if data else None


def _may_be_alike(one: int, other: int, percent: int) -> bool:
    """Whether layouts of so many tiles can be more alike than that; saves most comparisons."""
    return 100 * min(one, other) > percent * max(one, other)


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
        plans.append(_plan(recipe, section, 0, number, f"{recipe.daily.seed}/{tier}/{day.isoformat()}", (), ())[1])
    return tuple(plans)


def kathmandu_date(moment: datetime) -> date:
    """The date in Asia/Kathmandu (UTC+05:45 all year) at `moment`, which must know its time zone."""
    return (moment.astimezone(UTC) + KATHMANDU).date()


def _plan(
    recipe: Recipe, section: Section, index: int, level: int, seed: str,
    before: Collection[tuple[Asked, ...]], recent: Collection[str],
) -> tuple[tuple[Asked, ...], LevelPlan]:  # fmt: skip
    """The level under that seed, and which choice it was; choices `before` and templates `recent` are avoided."""
    if section.boards:
        return (), _pinned(recipe, section, index, level, seed)
    group = recipe.ruleset.group
    tiles = section.tiles.at(index, section.count, group)
    choices = [one for one in section.choices if one.parts not in before] or list(section.choices)
    chosen: Choice = weighted(choices, [one.weight for one in choices], Stream(seed, "templates"))
    parts = []
    for number, asked in enumerate(chosen.parts):
        names = asked.templates
        if len(names) > 1:
            fresh = [name for name in names if name not in recent] or names
            names = (Stream(seed, f"templates/any/{number}").choice(fresh),)
        parts.append(asked.part(index, section.count, names[0]))
    wanted = min(len(section.faces), tiles // group)
    if section.distinct is not None:
        wanted = section.distinct.at(index, section.count)
    elif section.copies is not None:
        wanted = -(-tiles // section.copies.at(index, section.count, group))
    shown = _shown(recipe, section, level, wanted, Stream(seed, "face-choice"))
    return chosen.parts, LevelPlan(
        level, section.tier, tuple(parts), tiles, section.layers,
        tuple(face for face in section.faces if face in shown), section.face_down.at(index, section.count),
        seed, recipe.ruleset, recipe.canvas, recipe.margin, section.tools, section.guess_free, section.hide,
    )  # fmt: skip


def _pinned(recipe: Recipe, section: Section, index: int, level: int, seed: str) -> LevelPlan:
    """A level that is a board as it is, under the recipe's ruleset; its letters get faces drawn by the level."""
    deal = section.boards[index]
    letters = _letters(deal, section.faces)
    drawn = [face for face in section.faces if face not in deal.faces]
    Stream(seed, "face-choice").shuffle(drawn)
    named = dict(zip(letters, drawn, strict=False))
    board = Board.compile(deal.board.layout, recipe.ruleset)
    faces = tuple(named.get(face, face) for face in deal.faces)
    return LevelPlan(
        level, section.tier, (), len(deal.faces), 0, tuple(face for face in section.faces if face in faces),
        len(deal.face_down), seed, recipe.ruleset, recipe.canvas, recipe.margin, section.tools, section.guess_free,
        board=Deal(board, faces, deal.face_down),
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
        if len(kept) == wanted or (section.distinct is None and section.copies is None):
            return frozenset(kept)
    raise Malformed([recipe.document.finding(
        "too-alike", f"level {level}: no {wanted} faces were found of which no two are marked too alike", *section.spot,
        fix="ask for fewer, or write `allow_alike: true`",
    )])  # fmt: skip


def layout_of(level: LevelPlan, library: Library) -> Layout:
    """The layout of a planned level; of a pinned one its own.

    Raises:
        Malformed: its templates do not fit the canvas, the tiles or the layers asked for.
    """
    if level.board is not None:
        return level.board.board.layout
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
                own.append(parse_template(doc, Path(doc.name).stem, Path(doc.name).parent))
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


def _lint_template(template: Template, library: Library) -> Iterator[Finding]:
    seen: set[Finding] = set()
    for seed, arguments in trials(template, library):
        try:
            compose(template, library, seed, arguments)
        except Malformed as error:
            for finding in error.findings:
                if finding not in seen:
                    seen.add(finding)
                    yield finding


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
        recipe = parse_recipe(doc, library, sets, Path(doc.name).parent, broken)
        plans = plan(recipe, library)
    except Malformed as error:
        yield from error.findings
        return
    seen: set[tuple[str, str, tuple[Part, ...]]] = set()
    for spot, level in _sample(recipe, plans):
        if any(part.template in broken for part in level.parts):
            continue
        for finding in _lint_level(level, library):
            if (finding.code, finding.where, level.parts) not in seen:
                seen.add((finding.code, finding.where, level.parts))
                code = finding.code.partition("/")[2]
                yield doc.finding(code, f"level {level.level}: {finding.message}", *spot, fix=finding.fix)


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
