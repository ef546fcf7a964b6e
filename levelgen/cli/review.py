"""The command `review`: accept the levels that changed, or keep the old ones, by name or one by one at a terminal."""

from __future__ import annotations

import difflib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs, recipes
from levelgen.cli.sources import trust_from
from levelgen.cli.talk import colourful, emit_json, no_more_waiting, say, show
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed, NothingMatched

if TYPE_CHECKING:
    from levelgen.pack.diff import LevelChange, PackDiff
    from levelgen.pack.opened import Pack
    from levelgen.recipe.kept import Kept

ACCEPT, REJECT = "accept", "reject"
KEYS = "[y] take the new one  [n] keep the old one  [a] take all the rest  [r] keep all the rest  [b] back  [q] stop"


@click.command("review", epilog="Example:  levelgen review out/eram /tmp/eram --accept all --reject 4,7..9")
@click.argument("old", shell_complete=packs)
@click.argument("new", shell_complete=packs)
@click.option("--recipe", type=click.Path(path_type=Path), shell_complete=recipes,
              help="The recipe to write into; default: templates/packs/PACK.yaml.")  # fmt: skip
@click.option("--accept", metavar="LEVELS", help="Take these as they are now: 3,5..9 or all.")
@click.option("--reject", metavar="LEVELS", help="Keep these as they were: 4,7..9 or all; wins over --accept.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--faces", metavar="DIR", help="Folder of face sets for the pictures; default: faces/.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The decisions as JSON.")
def review_command(
    old: str, new: str, recipe: Path | None, accept: str | None, reject: str | None, dry_run: bool, faces: str | None,
    key: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Go through the levels that changed from pack OLD to pack NEW; those rejected stay as they were.

    A rejected level's record and certificate are written beside the recipe and named in it under `keep`; the next build
    gives the old level, and no other one changes. Without --accept and --reject a terminal asks, level by level.

    Exit code 0 when every changed level is decided, 1 when some are not.
    """
    from levelgen.pack.diff import diff_packs
    from levelgen.pack.opened import open_pack

    trust = trust_from(key)
    with open_pack(Path(old), trust) as before, open_pack(Path(new), trust) as after:
        diff = diff_packs(before, after)
        changed = {entry.level: entry for entry in diff.changed}
        decided = _named(changed, accept, reject)
        asked = accept is None and reject is None and bool(changed)
        if asked and not as_json and sys.stdin.isatty() and sys.stdout.isatty():
            decided = _Interview(diff, before, after, faces).run()
        kept = {level: _kept(before, level) for level, what in sorted(decided.items()) if what == REJECT}
    target = recipe or Path("templates/packs") / f"{diff.pack}.yaml"
    lines = _write(target, kept, dry_run) if kept else []
    open_ones = [level for level in changed if level not in decided]
    _tell(diff, decided, open_ones, lines, dry_run, as_json)
    return 1 if open_ones else 0


def _named(changed: Mapping[int, LevelChange], accept: str | None, reject: str | None) -> dict[int, str]:
    decided: dict[int, str] = {}
    for option, text, what in (("--accept", accept, ACCEPT), ("--reject", reject, REJECT)):
        if text is not None:
            decided |= dict.fromkeys(_levels(text, option, changed), what)
    return decided


def _levels(text: str, option: str, changed: Mapping[int, object]) -> list[int]:
    """The changed levels that `3,5..9` or `all` names.

    Raises:
        Malformed: it is not of that form.
        NothingMatched: one of them did not change.
    """
    if text == "all":
        return list(changed)
    found: list[int] = []
    for word in text.replace(" ", "").split(","):
        span = re.fullmatch(r"([1-9][0-9]{0,8})(?:\.\.([1-9][0-9]{0,8}))?", word)
        if span is None:
            raise Malformed.of("review/levels", f"{word!r} names no levels", option, "write 4,7..9 or all")
        low, high = int(span[1]), int(span[2] or span[1])
        inside = [level for level in changed if low <= level <= high]
        if not inside or (span[2] is None and low not in changed):
            raise NothingMatched.of("review/unchanged", f"no level of {word} changed", option,
                                    "`levelgen diff` lists those that did")  # fmt: skip
        found += inside
    return found


def _kept(pack: Pack, level: int) -> Kept:
    from levelgen.recipe.kept import Kept

    return Kept(pack.level(level), pack.certificate(level) if pack.has_certificates else None)


def _write(recipe: Path, kept: Mapping[int, Kept], dry_run: bool) -> list[str]:
    """Write the kept levels and the recipe that names them; the recipe's changes as a unified diff.

    Raises:
        Malformed: the recipe is missing, broken, of another pack, or cannot take one of the levels.
    """
    from levelgen.document import read
    from levelgen.pack.disk import write_file
    from levelgen.recipe.kept import file_name, with_entries

    doc = read(recipe, "recipe")
    if any(one.record.pack != doc.data["pack"] for one in kept.values()):
        other = next(iter(kept.values())).record.pack
        raise Malformed.of("review/recipe", f"makes the pack {doc.data['pack']}, not {other}", str(recipe),
                           "name the pack's own with --recipe")  # fmt: skip
    there = {one["level"]: one["file"] for one in doc.data.get("keep", ())}
    names = {level: there.get(level, file_name(doc.data["pack"], level)) for level in kept}
    text = with_entries(doc, names)
    lines = list(difflib.unified_diff(doc.text.splitlines(), text.splitlines(), str(recipe), str(recipe), lineterm=""))
    if not dry_run:
        for level, one in kept.items():
            path = recipe.parent / names[level]
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, one.encode())
        if text != doc.text:
            write_file(recipe, text.encode())
    return lines + [f"{'would write' if dry_run else 'wrote'} {recipe.parent / name}" for name in names.values()]


def _tell(
    diff: PackDiff, decided: Mapping[int, str], open_ones: list[int], lines: list[str], dry_run: bool, as_json: bool
) -> None:
    from levelgen.pack.diff import spans

    by = {what: tuple(sorted(level for level, one in decided.items() if one == what)) for what in (ACCEPT, REJECT)}
    if as_json:
        emit_json("review/1", {
            "accepted": list(by[ACCEPT]), "rejected": list(by[REJECT]), "undecided": open_ones,
            "added": list(diff.added), "removed": list(diff.removed), "written": bool(by[REJECT]) and not dry_run,
        })  # fmt: skip
        return
    for line in lines:
        show(_tinted(line))
    told = [f"{word}: {spans(numbers)}" for word, numbers in
            (("accepted", by[ACCEPT]), ("rejected, kept as they were", by[REJECT]), ("undecided", tuple(open_ones)))
            if numbers]  # fmt: skip
    for line in told or ["no level changed"]:
        show(line)
    for word, numbers in (("added", diff.added), ("removed", diff.removed)):
        if numbers:
            say(f"{word}, which the recipe decides and no review: {spans(numbers)}")
    if open_ones and not decided:
        say("decide with --accept and --reject, or at a terminal; look first: levelgen diff OLD NEW --html diff.html")
    elif by[REJECT] and not dry_run:
        say("build again: the rejected levels come out as they were")


def _tinted(line: str) -> str:
    tint = {"+": "32", "-": "31", "@": "36"}.get(line[:1]) if colourful(sys.stdout) else None
    return f"\x1b[{tint}m{line}\x1b[0m" if tint else line


@dataclass
class _Interview:
    """The questions at a terminal: both pictures, what changed in words, one key."""

    diff: PackDiff
    before: Pack
    after: Pack
    faces: str | None
    decided: dict[int, str] = field(default_factory=dict)

    def run(self, read_key: Callable[[], str] = click.getchar) -> dict[int, str]:
        """What was decided when all are, or when somebody stopped."""
        no_more_waiting()
        entries = self.diff.changed
        draw = self._drawer()
        place = 0
        while place < len(entries):
            entry = entries[place]
            self._ask(entry, place, draw)
            key = read_key().lower()
            if key in ("y", "n"):
                self.decided[entry.level] = ACCEPT if key == "y" else REJECT
                place += 1
            elif key in ("a", "r"):
                self._rest(entries[place:], ACCEPT if key == "a" else REJECT)
                break
            elif key == "b":
                place = max(0, place - 1)
            elif key in ("q", "\x04", "\x1b", ""):
                break
        click.echo("")
        return self.decided

    def _rest(self, entries: Iterable[LevelChange], what: str) -> None:
        for entry in entries:
            self.decided.setdefault(entry.level, what)

    def _ask(self, entry: LevelChange, place: int, draw: Callable[[int], str]) -> None:
        was = {ACCEPT: ", taken before", REJECT: ", kept before"}.get(self.decided.get(entry.level, ""), "")
        click.echo(f"\n\x1b[1mLevel {entry.level}\x1b[0m  {place + 1} of {len(self.diff.changed)}{was}")
        click.echo(draw(entry.level), nl=False)
        for line in entry.words:
            click.echo(f"  {line}")
        click.echo(f"\x1b[2m{KEYS}\x1b[0m ", nl=False)

    def _drawer(self) -> Callable[[int], str]:
        """Both levels side by side in half blocks; in words where there is no artwork."""
        from levelgen.cli.pictures import painter_of
        from levelgen.errors import LevelgenError
        from levelgen.render.blocks import beside

        packs = (self.before, self.after)
        try:
            painters = [painter_of(self.faces, pack.manifest.face_set.id) for pack in packs]
        except LevelgenError as error:
            say(f"no pictures: {error.findings[0].message} (--faces)")
            return lambda level: ""

        def draw(level: int) -> str:
            window = shutil.get_terminal_size()
            pictures = [painter.preview(pack.level(level).deal, level=level)
                        for painter, pack in zip(painters, packs, strict=True)]  # fmt: skip
            drawn = beside(pictures, min(window.columns - 1, 120), max(8, window.lines - 14))
            return drawn if colourful(sys.stdout) else ""

        return draw
