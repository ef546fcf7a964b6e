"""Templates by name that are valid together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from levelgen.document import Spot, documents_in, suggest
from levelgen.errors import Finding, Malformed
from levelgen.template.composing import Templates, compose
from levelgen.template.model import Draw, Piece, Template, walk
from levelgen.template.reading import read_template

TRIALS = 6
"""How many seeds a template that draws numbers is tried under, beside its least and its greatest numbers."""


class Library(Templates):
    """Templates by name, all of them valid together: every name is known and none contains itself."""

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        """Gather `templates`.

        Raises:
            Malformed: two have one name, one names an unknown one, or one contains itself.
        """
        gathered: dict[str, Template] = {}
        findings = list(_gather(templates, gathered))
        if findings:
            raise Malformed(findings)
        super().__init__(gathered)
        self._sizes: dict[str, tuple[int, int]] = {}

    def sizes(self, name: str) -> tuple[int, int]:
        """The least and the most tiles that template has by itself under the seeds it is tried with; 0 if it fails."""
        if name not in self._sizes:
            template, counts = self[name], []
            for seed, arguments in trials(template, self):
                try:
                    counts.append(len(compose(template, self, seed, arguments)))
                except Malformed:  # lint tells what is wrong with it
                    counts.append(0)
            self._sizes[name] = (min(counts), max(counts))
        return self._sizes[name]

    def closure(self, names: Iterable[str]) -> tuple[str, ...]:
        """These templates and all that they name, sorted: what a level made from them depends on."""
        seen: set[str] = set()
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self:
                seen.add(name)
                waiting += [used for used, _ in self[name].uses]
        return tuple(sorted(seen))


def read_library(*folders: Path, root: Path | None = None) -> Library:
    """All templates of these folders, deeper folders included; findings name files as seen from `root`.

    Raises:
        Malformed: with every defect of every file.
    """
    templates: list[Template] = []
    findings: list[Finding] = []
    for path in sorted(path for folder in folders for path in documents_in(folder)):
        try:
            templates.append(read_template(path, path.relative_to(root).as_posix() if root else ""))
        except Malformed as error:
            findings += error.findings
    if findings:
        raise Malformed(findings)
    return Library(templates)


def find_templates(folder: Path) -> dict[str, Path]:
    """The files of the templates in that folder and those in it, by name; of several the first by path."""
    found: dict[str, Path] = {}
    for path in documents_in(folder):
        found.setdefault(path.stem, path)
    return found


def read_with(path: Path, folder: Path) -> tuple[Template, Library]:
    """The template in that file, and a library of it and of all that it names, looked for in `folder`.

    Raises:
        Malformed: with every defect of these; others in the folder are not looked at.
    """
    chosen = read_template(path)
    templates = {chosen.name: chosen}
    files: dict[str, Path] | None = None
    findings: list[Finding] = []
    broken: set[str] = set()
    waiting = [chosen]
    while waiting:
        for name, _ in waiting.pop().uses:
            files = find_templates(folder) if files is None else files
            if name in templates or name in broken or name not in files:
                continue
            try:
                templates[name] = read_template(files[name])
                waiting.append(templates[name])
            except Malformed as error:
                findings += error.findings
                broken.add(name)
    if findings:
        raise Malformed([*findings, *(finding for _, finding in misfits(templates, broken))])
    return chosen, Library(templates.values())


def _gather(templates: Iterable[Template], gathered: dict[str, Template]) -> Iterator[Finding]:
    for template in templates:
        if template.name in gathered:
            other = gathered[template.name].document.name
            yield template.document.finding("duplicate-name", f"{other} has the same name", "template")
        gathered.setdefault(template.name, template)
    yield from (finding for _, finding in misfits(gathered))


def misfits(templates: Mapping[str, Template], broken: Collection[str] = ()) -> Iterator[tuple[Template, Finding]]:
    """What is wrong between templates: unknown names, unknown arguments, circles.

    A template that names one of the `broken`, whose own defects are told elsewhere, is not to be blamed for it here.
    """
    for template in templates.values():
        for piece in walk(template.pieces):
            if piece.kind == "template":
                used = templates.get(piece.name)
                if used is not None or piece.name not in broken:
                    yield from ((template, finding) for finding in _misfit(template, piece, used, templates))
    state: dict[str, int] = {}
    for root in templates:
        if not state.get(root):
            yield from _circles(root, templates, state)


def _misfit(
    template: Template, piece: Piece, used: Template | None, templates: Mapping[str, Template]
) -> Iterator[Finding]:
    say = template.document.finding
    if used is None:
        yield say("unknown-template", f"there is no template `{piece.name}`", *piece.spot, "template",
                  fix=suggest(piece.name, sorted(templates)))  # fmt: skip
        return
    known = [name for name, _ in used.parameters]
    for name, _ in piece.arguments:
        if name not in known:
            yield say("unknown-argument", f"`{piece.name}` has no parameter `{name}`",
                      *piece.spot, "with", name, fix=suggest(name, known) or "leave it out", key=True)  # fmt: skip


_OPEN, _DONE = 1, 2


def _circles(root: str, templates: Mapping[str, Template], state: dict[str, int]) -> Iterator[tuple[Template, Finding]]:
    """Templates reached from `root` that contain themselves; a walk in depth without recursion."""
    stack: list[tuple[str, Iterator[tuple[str, Spot]]]] = [(root, iter(templates[root].uses))]
    state[root] = _OPEN
    while stack:
        name, uses = stack[-1]
        for used, spot in uses:
            if used not in templates or state.get(used) == _DONE:
                continue
            if state.get(used) == _OPEN:
                chain = [step for step, _ in stack]
                circle = " → ".join([*chain[chain.index(used) :], used])
                yield (
                    templates[name],
                    templates[name].document.finding(
                        "recursion", f"contains itself: {circle}", *spot, "template", fix="name another template"
                    ),
                )
                continue
            state[used] = _OPEN
            stack.append((used, iter(templates[used].uses)))
            break
        else:
            state[name] = _DONE
            stack.pop()


def trials(template: Template, library: Templates) -> Iterator[tuple[str, dict[str, int]]]:
    """Seeds and arguments to compose a template with: once when it draws nothing, else its extremes and some seeds."""
    drawn = {name: value for name, value in template.parameters if isinstance(value, Draw)}
    yield "lint/0", {}
    if library.is_fixed(template.name):
        return
    for seed in range(1, TRIALS):
        yield f"lint/{seed}", {}
    if drawn:
        yield "lint/low", {name: value.low for name, value in drawn.items()}
        yield "lint/high", {name: value.low + (value.high - value.low) // value.step * value.step
                            for name, value in drawn.items()}  # fmt: skip
