"""What changed between two packs, in a designer's terms: which levels, and in what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from levelgen.errors import counted
from levelgen.pack.manifest import Manifest
from levelgen.pack.opened import Pack
from levelgen.pack.records import Record

ASPECTS = (
    "layout", "faces", "face_down", "ruleset", "difficulty", "tools", "templates", "seed", "certificate", "preview",
    "generator", "sources",
)  # fmt: skip
"""In what a level can differ, in the order in which it is told."""
FIRST_FIGURES = ("rating", "target", "tiles", "layers", "faces", "hidden", "open", "moves")
"""The figures that words name; `diff` as text tells all."""
SHORT = 20
"""Lines of the short table for a pull request."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs."""

    what: str
    """One of `ASPECTS`, `difficulty.NAME` and the like, or a field of the manifest."""
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A level that is in both packs and not the same."""

    level: int
    changes: tuple[Change, ...]

    @property
    def aspects(self) -> tuple[str, ...]:
        """In what it differs: a selection of `ASPECTS`, each once."""
        return tuple(dict.fromkeys(change.what.partition(".")[0] for change in self.changes))

    @property
    def words(self) -> tuple[str, ...]:
        """Every change in a designer's words."""
        return tuple(_words(self.changes))


@dataclass(frozen=True)
class PackDiff:
    """What changed between two packs."""

    pack: str
    """The id of the newer one."""
    old: str
    new: str
    """What the two are called: pack, version, start of the digest."""
    manifest: tuple[Change, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]
    changed: tuple[LevelChange, ...]
    unchanged: int
    """How many levels are equal in everything."""

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.manifest or self.added or self.removed or self.changed)

    def to_json(self) -> dict[str, Any]:
        """The differences as `diff --json` prints them."""
        return {
            "old": self.old,
            "new": self.new,
            "same": self.same,
            "unchanged": self.unchanged,
            "manifest": [_change_json(change) for change in self.manifest],
            "added": list(self.added),
            "removed": list(self.removed),
            "changed": [
                {
                    "level": entry.level,
                    "aspects": list(entry.aspects),
                    "changes": [_change_json(change) for change in entry.changes],
                }
                for entry in self.changed
            ],
        }

    def to_text(self) -> str:
        """The differences for people."""
        lines = [f"{self.old} → {self.new}"]
        lines += [f"manifest: {_change_text(change)}" for change in self.manifest]
        if self.added:
            lines.append(f"added: {spans(self.added)}")
        if self.removed:
            lines.append(f"removed: {spans(self.removed)}")
        for entry in self.changed:
            lines.append(f"level {entry.level}: {', '.join(entry.aspects)}")
            lines += [f"  {_change_text(change)}" for change in entry.changes]
        counts = Counter(aspect for entry in self.changed for aspect in entry.aspects)
        if counts:
            told = ", ".join(f"{aspect} in {counts[aspect]}" for aspect in ASPECTS if counts[aspect])
            lines.append(f"{counted(len(self.changed), 'level')} changed: {told}")
        verb = "is" if self.unchanged == 1 else "are"
        lines.append("no differences" if self.same else f"{counted(self.unchanged, 'level')} {verb} the same")
        return "\n".join(lines) + "\n"

    def to_markdown(self, *, full: bool = False) -> str:
        """The differences for a pull request: a line for each run of levels that differ alike, `SHORT` lines at most.

        `full` leaves nothing out and folds the words for every level under its number.
        """
        lines = [f"### {_plain(self.old)} → {_plain(self.new)}", "", f"**{self.summary}.**"]
        if self.manifest:
            evidence = [change for change in self.manifest if change.what.startswith("files.")]
            told = self.manifest if full else [change for change in self.manifest if change not in evidence]
            lines += ["", *(f"- {_plain(_change_text(change))}" for change in told)]
            lines += [f"- other evidence in {counted(len(evidence), 'file')}"] if evidence and not full else []
        for word, numbers in (("added", self.added), ("removed", self.removed)):
            if numbers:
                lines += ["", f"Levels {word}: {spans(numbers)}"]
        runs = _runs(self.changed)
        if runs:
            lines += ["", "| levels | what changed |", "|---|---|"]
            shown = runs if full else runs[:SHORT]
            lines += [f"| {spans(numbers)} | {', '.join(aspects)} |" for numbers, aspects in shown]
            rest = [number for numbers, _ in runs[len(shown) :] for number in numbers]
            if rest:
                lines += [
                    "",
                    f"… and {counted(len(rest), 'more level')}; `levelgen diff --format md --full` tells all.",
                ]
        for entry in self.changed if full else ():
            lines += ["", f"<details><summary>Level {entry.level}</summary>", ""]
            lines += [f"- {_plain(line)}" for line in entry.words]
            lines += ["", "</details>"]
        return "\n".join(lines) + "\n"

    @property
    def summary(self) -> str:
        """How much changed, in a line: `3 levels changed, 2 added, 54 the same`."""
        if self.same:
            return f"Nothing changed, {counted(self.unchanged, 'level')} the same"
        parts = [f"{counted(len(self.changed), 'level')} changed"] if self.changed else ["No level changed"]
        parts += [f"{len(self.added)} added"] if self.added else []
        parts += [f"{len(self.removed)} removed"] if self.removed else []
        return ", ".join([*parts, f"{self.unchanged} the same"])


def _runs(changed: tuple[LevelChange, ...]) -> list[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Levels that differ in the same aspects, by the first of each."""
    found: dict[tuple[str, ...], list[int]] = {}
    for entry in changed:
        found.setdefault(entry.aspects, []).append(entry.level)
    return [(tuple(numbers), aspects) for aspects, numbers in found.items()]


def _plain(text: str) -> str:
    """`text` so that Markdown shows it as it is."""
    return re.sub(r"([\\`*_\[\]<>|#~&@!])", r"\\\1", text)


def _words(changes: tuple[Change, ...]) -> Iterator[str]:
    """What changes mean, in a designer's words; the face of a hidden tile is never among them."""
    figures = _figures(change for change in changes if change.what.startswith("difficulty."))
    for change in changes:
        what, _, name = change.what.partition(".")
        old, new = change.old, change.new
        match what:
            case "layout":
                yield f"Another layout: {new} (before: {old})"
            case "faces":
                yield f"Other faces: {new}" + ("" if new.startswith(old) else f" (before: {old})")
            case "face_down":
                before, after = (len(side.split()) for side in (old, new))
                lie = "lies" if after == 1 else "lie"
                if before == after:
                    yield f"Face down: still {counted(after, 'tile')}, at other places"
                else:
                    yield f"Face down: {counted(after, 'tile')} {lie} hidden, {before} before"
            case "ruleset":
                yield f"Rules: {name} is {new or 'not given'}, it was {old or 'not given'}"
            case "difficulty":
                if figures:
                    yield f"Figures: {', '.join(figures)}"
                figures = []
            case "tools":
                yield f"Tools: {name} {old or 'none'} → {new or 'none'}"
            case "templates":
                yield f"Made of {new or 'no template'} (before: {old or 'no template'})"
            case "seed":
                yield f"Dealt from {new} (before: {old})"
            case "certificate":
                yield "Another certificate"
            case "preview":
                yield (
                    "Another picture" if old and new else "A picture, there was none" if new else "No picture any more"
                )
            case "generator":
                yield f"Made by generator {new} (before: {old})"
            case _:
                yield "Made from other sources: the recipe, a template or the face set"


def _figures(changes: Iterable[Change]) -> list[str]:
    """Figures that changed: those a designer looks at first, and how many others."""
    named = {change.what.partition(".")[2]: change for change in changes}
    first = [name for name in FIRST_FIGURES if name in named]
    shown = first or list(named)[: len(FIRST_FIGURES)]
    told = [f"{name.replace('_', ' ')} {named[name].old or '-'} → {named[name].new or '-'}" for name in shown]
    others = len(named) - len(shown)
    return [*told, f"and {counted(others, 'other')}"] if others else told


def _change_json(change: Change) -> dict[str, str]:
    return {"what": change.what, "old": change.old, "new": change.new}


def _change_text(change: Change) -> str:
    return f"{change.what}: {change.old or '-'} → {change.new or '-'}"


def spans(numbers: tuple[int, ...]) -> str:
    """Ascending numbers in short: `1..3, 7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("..".join(map(str, part)) for part in parts)


def diff_packs(old: Pack, new: Pack) -> PackDiff:
    """What changed from `old` to `new`. Every record that is compared is proved first.

    Raises:
        Untrusted: a record or the pixel digests of one of the packs are not the signed ones.
    """
    before, after = old.numbers, new.numbers
    both = [number for number in after if number in before]
    old_previews, new_previews = old.previews(), new.previews()
    changed = []
    for number in both:
        changes: list[Change] = []
        if old.line(number) != new.line(number):
            changes += _record_changes(old.level(number), new.level(number))
        pictures = [previews.get(number) for previews in (old_previews, new_previews)]
        looks = [f"{p.width}x{p.height} {p.mode} {p.sha256[:12]}" if p else "" for p in pictures]
        if looks[0] != looks[1]:
            changes.append(Change("preview", *looks))
        if changes:
            ordered = sorted(changes, key=lambda change: ASPECTS.index(change.what.partition(".")[0]))
            changed.append(LevelChange(number, tuple(ordered)))
    return PackDiff(
        new.manifest.pack,
        _name(old),
        _name(new),
        tuple(_manifest_changes(old.manifest, new.manifest)),
        tuple(number for number in after if number not in before),
        tuple(number for number in before if number not in after),
        tuple(changed),
        len(both) - len(changed),
    )


def _name(pack: Pack) -> str:
    return f"{pack.manifest.pack} version {pack.manifest.version} ({pack.digest[:12]})"


def _manifest_changes(old: Manifest, new: Manifest) -> Iterator[Change]:
    """What the manifests say differently of themselves; what merely follows from the levels is told there."""
    pairs = {
        "pack": (old.pack, new.pack),
        "title": (old.title, new.title),
        "version": (old.version, new.version),
        "previous": (old.previous or "", new.previous or ""),
        "generator": (old.generator, new.generator),
        "ruleset": (old.ruleset_sha256[:12], new.ruleset_sha256[:12]),
        "face_set": (old.face_set.id, new.face_set.id),
        "face_set.sha256": (old.face_set.sha256[:12], new.face_set.sha256[:12]),
        "face_set.provisional": (old.face_set.provisional, new.face_set.provisional),
        "first": (old.first, new.first),
        "levels": (old.levels, new.levels),
    }
    for what, (before, after) in pairs.items():
        if before != after:
            yield Change(what, str(before), str(after))
    evidence = [{n: m.sha256[:12] for n, m in side.files.items() if n.startswith("evidence/")} for side in (old, new)]
    yield from _map_changes("files", *evidence)


def _map_changes(what: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    for name in sorted({*old, *new}):
        if name not in old or name not in new or old[name] != new[name]:
            before, after = (str(side[name]) if name in side else "" for side in (old, new))
            yield Change(f"{what}.{name}", before, after)


def _record_changes(old: Record, new: Record) -> Iterator[Change]:
    if old.slots != new.slots:
        gone, come = len({*old.slots} - {*new.slots}), len({*new.slots} - {*old.slots})
        yield Change("layout", f"{len(old.slots)} tiles", f"{len(new.slots)} tiles, {gone} places left, {come} new")
    if (old.face_set, old.faces) != (new.face_set, new.faces):
        yield Change("faces", _faces(old), _faces(new) + _moved(old, new))
    if old.face_down != new.face_down:
        yield Change("face_down", " ".join(map(str, old.face_down)), " ".join(map(str, new.face_down)))
    yield from _map_changes("ruleset", old.ruleset.to_json(), new.ruleset.to_json())
    yield from _map_changes("difficulty", dict(old.difficulty), dict(new.difficulty))
    tools = [{name: "no limit" if n is None else n for name, n in side.tools.items()} for side in (old, new)]
    yield from _map_changes("tools", *tools)
    for what, before, after in (
        ("templates", ", ".join(old.templates), ", ".join(new.templates)),
        ("seed", f"{old.seed} attempt {old.attempt}", f"{new.seed} attempt {new.attempt}"),
        ("certificate", old.certificate_sha256[:12], new.certificate_sha256[:12]),
        ("generator", str(old.generator), str(new.generator)),
        ("sources", old.sources_sha256[:12], new.sources_sha256[:12]),
    ):
        if before != after:
            yield Change(what, before, after)


def _faces(record: Record) -> str:
    return f"{len(set(record.faces))} faces of {record.face_set}"


def _moved(old: Record, new: Record) -> str:
    """How many tiles show another face, when the layout is the same and so the question makes sense."""
    if old.slots != new.slots:
        return ""
    return f", {sum(a != b for a, b in zip(old.faces, new.faces, strict=True))} tiles changed"
