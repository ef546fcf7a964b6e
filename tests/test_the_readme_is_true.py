"""What README.md and docs/ tell people to type exists: commands, their options, make targets, files, links."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from levelgen.cli import levelgen

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^(?: {4}|\t)(?:\$ )?(.+)$|`([^`\n]+)`", re.MULTILINE)
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLACEHOLDER = re.compile(r"^[A-Z][A-Z#.…]*$")
"""`PACK`, `PACK#N`, `…`: names for what the reader fills in."""


def code(page: str) -> Iterator[str]:
    """Every line of code blocks and every piece of inline code."""
    for block in FENCED.findall(page):
        yield from (line.removeprefix("$ ").strip() for line in block.splitlines())
    for indented, inline in CODE.findall(FENCED.sub("", page)):
        yield (indented or inline).strip()


def faults_of_command(line: str) -> Iterator[str]:
    """What is wrong with a line that begins with `levelgen`."""
    words = shlex.split(line, comments=True)[1:]
    for stop in ("|", ">", "<", "&&", ";"):
        words = words[: words.index(stop)] if stop in words else words
    context = click.Context(levelgen, info_name="levelgen")
    command: click.Command = levelgen
    while words and isinstance(command, click.Group) and not words[0].startswith("-"):
        if PLACEHOLDER.match(words[0]):
            return
        below = command.get_command(context, words[0])
        if below is None:
            yield f"{line!r}: there is no command {words[0]!r}"
            return
        command, words = below, words[1:]
        context = click.Context(command, parent=context, info_name=command.name)
    known = {name for option in command.get_params(context) for name in (*option.opts, *option.secondary_opts)}
    for word in words:
        name = word.partition("=")[0]
        if re.match(r"--?[A-Za-z]", word) and name not in known:
            yield f"{line!r}: {command.name} has no option {name}"


def make_targets() -> set[str]:
    """The targets of the Makefile that are meant for people."""
    return set(re.findall(r"^\.PHONY: (\w+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def faults(page: str, folder: Path) -> list[str]:
    """Everything a page promises and the project does not hold."""
    found: list[str] = []
    for line in code(page):
        if line.startswith("levelgen "):
            found += faults_of_command(line)
        if target := re.match(r"make ([a-z]\S*)(?: |$)", line):
            found += [] if target[1] in make_targets() else [f"{line!r}: make has no target {target[1]}"]
    for target in LINK.findall(page):
        if not re.match(r"[a-z]+:", target) and not (folder / target.partition("#")[0]).exists():
            found.append(f"the link to {target} leads nowhere")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_promises_only_what_exists(page: Path) -> None:
    assert faults(page.read_text(encoding="utf-8"), page.parent) == []


def test_the_readme_begins_with_how_to_begin() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "\n    make\n    make test\n" in page[:2000]
    assert "docs/pictures/gallery.png" in page[:1000]
    assert "docs/pictures/board.png" in page[:2000]


def test_make_ends_by_naming_the_page_to_open() -> None:
    done = subprocess.run(["make", "-n", "all"], cwd=ROOT, capture_output=True, text=True, check=True)
    last = done.stdout.splitlines()[-1]
    assert last.startswith("echo")
    assert f"{ROOT}/out/eram.html" in last
    assert "levelgen gallery out/$pack -o out/$pack.html" in done.stdout


def test_make_help_names_every_target() -> None:
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {line.split()[1].rstrip(":") for line in done.stdout.splitlines()} == make_targets()


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("Type `levelgen bild x`.", "no command 'bild'"),
        ("    levelgen bild x", "no command 'bild'"),
        ("```sh\n$ levelgen bild x\n```", "no command 'bild'"),
        ("`levelgen --sideways`", "no option --sideways"),
        ("`make coffee`", "no target coffee"),
        ("[here](docs/nowhere.md)", "leads nowhere"),
        ("![picture](docs/nowhere.png)", "leads nowhere"),
    ],
)
def test_the_check_finds(page: str, complaint: str) -> None:
    found = faults(page, ROOT)
    assert len(found) == 1
    assert complaint in found[0]


def test_the_check_lets_pass() -> None:
    page = "`levelgen --help`, `make test`, `make`, `levelgen COMMAND`, [a](https://example.org), [b](README.md#top)"
    assert faults(page, ROOT) == []
