"""Everything a pack is made from, as digests: of one level for the cache, of all of it for the lock.

A lock is a small JSON file beside a recipe, written by `build --lock` and kept under version control. `build --locked`
refuses when the recipe, a template, the face set, the generator or the ruleset is not what it was, and says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from levelgen import GENERATOR
from levelgen.board import Deal
from levelgen.errors import Finding, Malformed
from levelgen.level import Workshop
from levelgen.pack.disk import read_file, write_file
from levelgen.pack.manifest import Heading, ruleset_digest
from levelgen.pack.strict import decode, digest, encode
from levelgen.recipe import LevelPlan
from levelgen.recipe.kept import Kept

MAX_LOCK = 4 << 20
_ASIDE = ("cli",)
"""Parts of the code that no level depends on."""


@cache
def code_digest(*, compiled: bool) -> str:
    """The digest of levelgen's code as it is installed here; of the compiled kernel too when asked for.

    A level in a cache was made by some code; development must not find the levels of yesterday's. Across machines
    `compiled` is left out: two compilers make two files of the same kernel.
    """
    root = Path(__file__).parent
    whole = sha256()
    for path in sorted([*root.rglob("*.py"), *(root.rglob("*.so") if compiled else ())]):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] not in _ASIDE:
            whole.update(f"{name} {digest(path.read_bytes())}\n".encode())
    return whole.hexdigest()


class LevelKeys:
    """The keys under which a cache keeps the levels of one recipe."""

    def __init__(self, workshop: Workshop, heading: Heading, provers: tuple[str, ...], *, previews: bool) -> None:
        self._workshop = workshop
        self._spelt: dict[str, tuple[Any, str]] = {}
        self._base = encode(
            {
                "code": code_digest(compiled=True),
                "generator": GENERATOR,
                "pack": heading.pack,
                "ruleset": ruleset_digest(heading.ruleset),
                "face_set": [heading.face_set.id, heading.face_set.sha256],
                "provers": list(provers),
                "previews": workshop.recipe.title if previews else None,
            }
        )

    def key(self, level: LevelPlan) -> bytes:
        """The digest of everything that level is made from, 32 bytes."""
        texts = [self._workshop.sources(level)]
        for name in _FIELDS:
            value = getattr(level, name)
            last = self._spelt.get(name)
            if last is None or last[0] is not value:  # most of a plan is what the level before it had, too
                last = self._spelt[name] = (value, _spelt(value))
            texts.append(last[1])
        return sha256(self._base + "\n".join(texts).encode()).digest()


_FIELDS = tuple(field.name for field in fields(LevelPlan))


def _spelt(value: Any) -> str:
    """A value of a plan as text that is the same in every process."""
    if isinstance(value, frozenset):
        return repr(sorted(value))
    if isinstance(value, Deal):
        return value.digest()
    if isinstance(value, Kept):
        return digest(value.encode())
    return repr(value)


def lock_path(recipe: Path) -> Path:
    """Where the lock of a recipe lies: beside it, `NAME.lock`."""
    return recipe.with_suffix(".lock")


def locked_inputs(workshop: Workshop) -> dict[str, Any]:
    """What a lock says: the digest of each thing the pack of a recipe is made from."""
    recipe, library = workshop.recipe, workshop.project.library
    asked = {
        name
        for section in recipe.sections
        for choice in section.choices
        for part in choice.parts
        for name in part.templates
    }
    return {
        "v": 1,
        "pack": recipe.pack,
        "generator": GENERATOR,
        "recipe": digest(recipe.document.text.encode()),
        "ruleset": ruleset_digest(recipe.ruleset),
        "face_set": workshop.face_set.sha256,
        "templates": {name: library[name].sha256 for name in library.closure(asked)},
        "boards": [deal.digest() for section in recipe.sections for deal in section.boards],
        "kept": {str(level): digest(kept.encode()) for level, kept in sorted(recipe.kept.items())},
    }


def write_lock(recipe: Path, workshop: Workshop) -> Path:
    """Write the lock of a recipe beside it; its path."""
    path = lock_path(recipe)
    write_file(path, encode(locked_inputs(workshop)) + b"\n")
    return path


def lock_findings(recipe: Path, workshop: Workshop) -> Iterator[Finding]:
    """Everything that is not what the lock of a recipe says; nothing when all of it is.

    Raises:
        Malformed: there is no lock, or it cannot be read.
    """
    path = lock_path(recipe)
    if not path.exists():
        raise Malformed.of("lock/missing", "there is no lock", str(path), "write it once with `build --lock`")
    then = decode(read_file(path, MAX_LOCK, "lock").rstrip(b"\n"), str(path), limit=MAX_LOCK)
    now = locked_inputs(workshop)
    if not isinstance(then, dict) or then.get("v") != 1 or not isinstance(then.get("templates"), dict):
        raise Malformed.of("lock/form", "is no lock of this levelgen", str(path), "write it anew with `build --lock`")
    for name in sorted({*now["templates"], *then["templates"]}):
        old, new = then["templates"].get(name), now["templates"].get(name)
        if old != new:
            what = "is new" if old is None else "is not used any more" if new is None else "is not what it was"
            yield Finding("lock/differs", f"the template {name} {what}", str(path), _FIX)
    names = {"recipe": "the recipe", "ruleset": "the ruleset", "face_set": "the face set", "boards": "a pinned board",
             "kept": "a kept level"}  # fmt: skip
    for key, what in names.items():
        if then.get(key) != now[key]:
            yield Finding("lock/differs", f"{what} is not what it was", str(path), _FIX)
    for key in ("pack", "generator"):
        if then.get(key) != now[key]:
            yield Finding("lock/differs", f"the {key} is {now[key]}, it was {then.get(key)}", str(path), _FIX)


_FIX = "undo the change, or accept it with `build --lock`"
