"""A document → a `Recipe`, or every defect that the schema cannot tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from levelgen.board import Deal
from levelgen.document import Document, Spot, read, suggest
from levelgen.errors import Finding, Malformed
from levelgen.faces import FaceSet
from levelgen.layout import MAX_TILES
from levelgen.pack.records import parse_boards
from levelgen.recipe.curve import PANEL, TOLERANCE, Curve, Over, Points, Sawtooth, Slack, Wins
from levelgen.recipe.data import (
    APART,
    DRAWS,
    Apart,
    Asked,
    Choice,
    Daily,
    Hide,
    Recipe,
    Rejected,
    Section,
    draw_seed,
    letters_of,
)
from levelgen.recipe.kept import Kept, read_kept, strangers
from levelgen.recipe.project import Project
from levelgen.rules import Ruleset
from levelgen.template import Library, canvas_fault, read_canvas
from levelgen.tools import AIDS, Allowance, Counts

MAX_BOARD_BYTES = 16 << 20


def read_recipe(path: Path, project: Project) -> Recipe:
    """The recipe in that file.

    Raises:
        Malformed: with every defect found.
    """
    return parse_recipe(read(path, "recipe"), project.library, project.sets, path.parent)


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
        if fault := canvas_fault(canvas, margin):
            self.say("margin", fault, "canvas", fix="make the canvas larger or the margin smaller")
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
            self.apart(data), self.rejected(data, sections), _allowance(data.get("tools", {})),
            self.curve(data, (), ruleset), self.doc,
            data.get("par", "minimum"), data.get("rating", "full"),
            kept=self.kept(data, sections, ruleset, faces, face_set),
        )  # fmt: skip

    def apart(self, data: Mapping[str, Any]) -> Apart | None:
        given = data.get("apart")
        return Apart(given["likeness"], given.get("levels", APART)) if given else None

    def curve(self, data: Mapping[str, Any], spot: Spot, ruleset: Ruleset) -> Curve | None:
        """The curve of the pack or of a section; None where there is none, or it is `none`."""
        given, spot = data.get("curve"), (*spot, "curve")
        if given is None or isinstance(given, str):
            return None
        if "par" in given:
            if ruleset.id != "triples":
                self.say("par", "pairs are won with two slots: `par` says nothing of them", *spot, "par", key=True,
                         fix="remove `par`")  # fmt: skip
            elif given["par"] > ruleset.tray:
                self.say("par", f"the tray has {ruleset.tray} slots", *spot, "par", fix=f"write {ruleset.tray} at most")
        slack = given.get("slack", {})
        for key, value in (("guess_free", given.get("guess_free")), ("face_down", slack.get("face_down"))):
            if value and ruleset.id != "pairs":
                path = ("guess_free",) if key == "guess_free" else ("slack", "face_down")
                self.say("face-down", f"{ruleset.id} know no face-down tiles", *spot, *path, key=True,
                         fix=f"remove `{key}`")  # fmt: skip
        return Curve(
            self.shape(given, spot), given.get("tolerance", TOLERANCE),
            Slack(slack.get("distinct", 0), slack.get("face_down", 0)),
            given.get("par"), given.get("guess_free", False), self.wins(given.get("wins", []), (*spot, "wins")),
        )  # fmt: skip

    def wins(self, data: Any, spot: Spot) -> tuple[Wins, ...]:
        """What a curve asks of how often players win: of one, or of each of a list."""
        found: list[Wins] = []
        for index, one in enumerate(data if isinstance(data, list) else [data]):
            here = (*spot, index) if isinstance(data, list) else spot
            wins = Wins(one["bot"], one["from"], one["to"], one.get("sees") == "everything", one.get("mistakes", 0))
            if wins.last < wins.first:
                self.say("range", f"the range {wins.first} … {wins.last} is empty", *here, "to",
                         fix=f"write from: {wins.last}, to: {wins.first}")  # fmt: skip
            if wins.bot in PANEL:
                for key in ("sees", "mistakes"):
                    if key in one:
                        fix = f"remove `{key}`, or name a bot: random, greedy, one-ply, macro, expert"
                        self.say("wins", f"`{key}` of `{wins.bot}` is fixed", *here, key, key=True, fix=fix)
            if wins.name in [other.name for other in found]:
                self.say("wins", f"{wins} stands here again", *here, "bot", fix="make one range of the two")
            found.append(wins)
        return tuple(found)

    def shape(self, data: Mapping[str, Any], spot: Spot) -> Over | Sawtooth | Points:
        """The form of a curve: exactly one of its keys stands there."""
        if "points" in data:
            points = tuple((level, number) for level, number in data["points"])
            for index, (level, number) in enumerate(points):
                if not level or number > 1000:
                    self.say("points", f"[{level}, {number}] is no point: levels count from 1, numbers go to 1000",
                             *spot, "points", index)  # fmt: skip
            for index, (one, other) in enumerate(pairwise(points), start=1):
                if other[0] <= one[0]:
                    self.say("points", f"level {other[0]} stands after level {one[0]}", *spot, "points", index,
                             fix="name each level once, in order")  # fmt: skip
                    break
            return Points(points)
        if "sawtooth" in data:
            tooth = data["sawtooth"]
            made = Sawtooth(_over(tooth["low"]), _over(tooth["high"]), tooth["period"], tooth.get("rest", 0))
            if made.rest > made.period - 2:
                self.say("rest", f"a tooth of {made.period} levels has {made.rest} levels of rest", *spot, "sawtooth",
                         "rest", fix=f"rest for {made.period - 2} at most")  # fmt: skip
            for end in ("first", "last"):
                low, high = getattr(made.low, end), getattr(made.high, end)
                if low > high:
                    self.say("range", f"a tooth would fall from {low} to {high}", *spot, "sawtooth", "low",
                             fix=f"write {high} at most")  # fmt: skip
                    break
            return made
        return _over(data["flat"] if "flat" in data else data["linear"])

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

    def kept(
        self, data: Mapping[str, Any], sections: Sequence[Section], ruleset: Ruleset, faces: tuple[str, ...],
        face_set: FaceSet,
    ) -> dict[int, Kept]:  # fmt: skip
        """The levels that stay as they were; whatever keeps one from being a level of this pack is told."""
        found: dict[int, Kept] = {}
        for index, one in enumerate(data.get("keep", ())):
            level, spot = one["level"], ("keep", index)
            if not any(each.first <= level <= each.last for each in sections):
                self.say("keep", f"there is no level {level}", *spot, "level")
                continue
            if level in found:
                self.say("keep", f"level {level} stands here again", *spot, "level", fix="remove one of the two")
            name = one["file"]
            if self.folder is None or ".." in Path(name).parts:
                self.say("keep", f"{name} stands nowhere under the recipe's folder", *spot, "file")
                continue
            try:
                kept = read_kept(self.folder / name, (Path(self.doc.name).parent / name).as_posix())
            except Malformed as error:
                for finding in error.findings:
                    self.say("keep", f"{finding.where}: {finding.message}", *spot, "file", fix=finding.fix)
                continue
            wrong = [*strangers(kept, data["pack"], level, ruleset, face_set.id)]
            for message, fix in wrong or _unfit(kept.record.deal, ruleset, faces, face_set):
                self.say("keep", f"{name}: {message}", *spot, "file", fix=fix)
            found[level] = kept
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
        return _counts(data)

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
            self.curve(data, spot, ruleset), "curve" not in data,
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
        keys = ("templates", "tiles", "layers", "face_down", "hide", "distinct", "copies", "pictures", "curve")
        for key in keys:
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
        """The boards of a file beside the recipe; what is wrong in it is told with its own lines."""
        if self.folder is None or ".." in Path(name).parts or Path(name).is_absolute():
            self.say("board", f"{name} stands nowhere under the recipe's folder", *spot)
            return ()
        path = self.folder / name
        try:
            if path.exists() and not path.is_file():  # a pipe would keep us waiting for ever
                self.say("board", f"{name} is no ordinary file", *spot)
                return ()
            with path.open("rb") as file:
                data = file.read(MAX_BOARD_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            self.say("board", f"there is no file {name} beside the recipe", *spot)
            return ()
        if len(data) > MAX_BOARD_BYTES:
            self.say("board", f"{name} is longer than {MAX_BOARD_BYTES} bytes", *spot, fix="make several files of it")
            return ()
        try:
            return parse_boards(data, (Path(self.doc.name).parent / name).as_posix())
        except Malformed as error:
            self.findings += error.findings
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
    letters = letters_of(deal, faces)
    for face in sorted({*deal.faces} - {*faces} - {*letters}):
        if face in excluded:
            yield f"{face} is not dealt: {excluded[face]}", "show another face"
        else:
            yield f"`{face}` is none of the faces that may be dealt", suggest(face, faces)
    if len(letters) > len({*faces} - {*deal.faces}):
        yield f"its {len(letters)} letters are more than there are faces", "draw with fewer letters"


def _within(library: Library, name: str, low: int, high: int) -> bool:
    least, most = library.sizes(name)
    return low <= least and most <= high


def _over(data: Any) -> Over:
    return Over(data, data) if isinstance(data, int) else Over(data["from"], data["to"])


def _daily(data: Mapping[str, Any] | None) -> Daily | None:
    return Daily(data["seed"], tuple(data["tiers"]), data.get("pin", "")) if data else None


def _counts(data: Mapping[str, Any]) -> Counts:
    undo, hint, shuffle = (data.get(name, 0) for name in AIDS)
    return undo, hint, shuffle


def _allowance(data: Mapping[str, Any]) -> Allowance:
    """What `tools` says beyond what each level begins with."""
    earned, race = data.get("earned"), data.get("race")
    return Allowance(
        earned["every"] if earned else 0,
        _counts(earned or {}),
        None if race is None else _counts(race),
        bool(race and race.get("provisional", False)),
    )
