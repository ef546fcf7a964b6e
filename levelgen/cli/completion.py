"""The command `completion`, and what completes the arguments of the others: packs, their levels, templates, recipes.

Nothing here opens a pack or verifies it: what is offered while somebody types must come at once, so folders are listed
to a bounded number of entries and a manifest is only glanced at. A name that is offered proves nothing.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.talk import show

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")
MOST_ENTRIES = 2_000
"""Folder entries looked at for one completion."""
MOST_LEVELS = 200
MOST_BYTES = 1 << 20
MANIFEST = "manifest.dsse.json"


@click.command("completion", epilog='Example:  eval "$(levelgen completion bash)"')
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
def completion_command(shell: str) -> int:
    """Print the script that makes SHELL complete commands, options, packs, levels and templates.

    zsh is told as bash is, after compinit; fish by: levelgen completion fish | source
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from levelgen.cli import levelgen

    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells named here"
    show(ShellComplete.source(kind(levelgen, {}, "levelgen", "_LEVELGEN_COMPLETE")).strip())
    return 0


def _item(value: str, **kind: str) -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, **kind)


def packs(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Packs whose path begins so, at most two folders further down; folders where there is none."""
    found = [_item(path) for path in _packs(incomplete)]
    return found or [_item(incomplete, type="dir")]


def levels(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """`PACK#N` for the packs that fit, the numbers once one pack is left; files where there is none."""
    pack, mark, number = incomplete.partition("#")
    found = [pack] if mark else _packs(incomplete)
    if len(found) == 1:
        return [_item(f"{found[0]}#{one}") for one in _numbers(Path(found[0])) if str(one).startswith(number)][
            :MOST_LEVELS
        ] or [_item(incomplete, type="file")]
    return [_item(f"{path}#") for path in found] or [_item(incomplete, type="file")]


def templates(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the templates of the project that the current folder is in; files where there is none."""
    return _project_files("templates/shapes", incomplete, whole=False)


def levels_or_templates(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a board is named by: templates that begin so, else levels of packs and files."""
    named = [one for one in templates(context, parameter, incomplete) if one.type == "plain" and incomplete]
    return named or levels(context, parameter, incomplete)


def recipes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Recipes below `templates/packs` here; files where there is none."""
    return _project_files("templates/packs", incomplete, whole=True)


def _project_files(folder: str, incomplete: str, *, whole: bool) -> list[CompletionItem]:
    here = Path.cwd()
    for root in [here] if whole else [here, *here.parents]:
        names = sorted(path for path in _entries(root / folder) if path.suffix == ".yaml")
        texts = [f"{folder}/{path.name}" if whole else path.stem for path in names]
        chosen = [_item(text) for text in texts if text.startswith(incomplete)]
        if chosen:
            return chosen
    return [_item(incomplete, type="file")]


def _packs(incomplete: str) -> list[str]:
    head, _, _ = incomplete.rpartition("/")
    base = head + "/" if incomplete.startswith("/") or head else ""
    found: list[str] = []
    left = MOST_ENTRIES
    folders = [base]
    for _depth in range(2):
        deeper: list[str] = []
        for prefix in folders:
            for path in itertools.islice(_entries(Path(prefix or ".")), left):
                left -= 1
                text = prefix + path.name
                if not (text.startswith(incomplete) or incomplete.startswith(text + "/")) or path.name[0] == ".":
                    continue
                if path.suffix == ".lgpack" or (path / MANIFEST).is_file():
                    found.append(text)
                elif path.is_dir():
                    deeper.append(text + "/")
        folders = deeper
    return sorted(found)


def _entries(folder: Path) -> Iterator[Path]:
    """What a folder holds, nothing when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            yield from sorted(Path(entry.path) for entry in itertools.islice(entries, MOST_ENTRIES))
    except OSError:
        return


def _numbers(pack: Path) -> range:
    """The levels a pack's manifest claims to have."""
    import base64

    try:
        with (pack / MANIFEST).open("rb") as file:
            payload = json.loads(base64.b64decode(json.loads(file.read(MOST_BYTES))["payload"]))
        first, count = payload["first"], payload["levels"]
        return range(first, first + min(count, 1_000_000)) if type(first) is type(count) is int else range(0)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return range(0)
