"""A shell completes commands, options, packs, their levels, templates and recipes, and every help brings an example."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from levelgen.cli import COMMANDS, levelgen, run
from levelgen.cli.completion import SHELLS, levels, packs, templates
from tests.packs import write_tiny
from tests.project import new_project, working_in
from tests.test_the_readme_is_true import faults_of_command

Capture = pytest.CaptureFixture[str]


def commands(group: click.Group = levelgen, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and command group by the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def offered(line: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What bash would offer for the last word of `line`."""
    words = line.split(" ")
    monkeypatch.setenv("_LEVELGEN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    assert run([]) == 0
    return [entry.partition(",")[2] for entry in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("words", [*commands()], ids=" ".join)
def test_every_help_brings_an_example_that_is_right(words: tuple[str, ...], capsys: Capture) -> None:
    assert run([*words, "--help"]) == 0
    text = capsys.readouterr().out
    _, mark, example = text.partition("Example:")
    assert mark, f"levelgen {' '.join(words)} --help has no example"
    line = " ".join(example.split())
    for wrapper in ('eval "$(', ')"'):
        line = line.replace(wrapper, "")
    for one in line.split("; "):
        while one and "=" in one.split()[0]:
            one = one.partition(" ")[2]
        assert shlex.split(one)[0] == "levelgen"
        assert " ".join(shlex.split(one)[1:]).startswith(" ".join(words)), "the example is of another command"
        assert list(faults_of_command(one)) == []


def test_the_first_word_is_a_command(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered("levelgen ", capsys, monkeypatch) == sorted(COMMANDS)
    assert offered("levelgen ver", capsys, monkeypatch) == ["verify"]
    assert offered("levelgen faces ", capsys, monkeypatch) == ["check", "list"]


def test_options_and_their_values_are_offered(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--format" in offered("levelgen diff --fo", capsys, monkeypatch)
    assert "md" in offered("levelgen diff --format ", capsys, monkeypatch)


def test_packs_and_their_levels_are_offered(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tiny(tmp_path / "out" / "one", 3)
    write_tiny(tmp_path / "out" / "two", 2)
    (tmp_path / "out" / "other").mkdir()
    with working_in(tmp_path):
        assert offered("levelgen verify ", capsys, monkeypatch) == ["out/one", "out/two"]
        assert offered("levelgen verify out/t", capsys, monkeypatch) == ["out/two"]
        assert offered("levelgen show out/", capsys, monkeypatch) == ["out/one#", "out/two#"]
        assert offered("levelgen show out/one#", capsys, monkeypatch) == ["out/one#1", "out/one#2", "out/one#3"]
        assert offered("levelgen replay out/two", capsys, monkeypatch) == ["out/two#1", "out/two#2"]
    assert f"{tmp_path}/out/one" in offered(f"levelgen verify {tmp_path}/", capsys, monkeypatch)


def test_templates_and_recipes_are_offered(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    new_project(tmp_path)
    with working_in(tmp_path):
        assert offered("levelgen try ", capsys, monkeypatch) == ["block", "top"]
        assert offered("levelgen build ", capsys, monkeypatch) == ["templates/packs/probe.yaml"]
    with working_in(tmp_path / "templates"):
        assert offered("levelgen try to", capsys, monkeypatch) == ["top"]


@pytest.mark.parametrize("manifest", [b"", b"{", b'{"payload":"!"}', b'{"payload":"e30="}', b"[" * 100_000, b"[]"])
def test_a_broken_pack_offers_no_levels_and_no_traceback(tmp_path: Path, manifest: bytes) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "manifest.dsse.json").write_bytes(manifest)
    context, parameter = click.Context(levelgen), click.Argument(["pack"])
    (item,) = levels(context, parameter, f"{tmp_path}/pack#")
    assert (item.value, item.type) == (f"{tmp_path}/pack#", "file")


def test_where_nothing_is_ours_the_shell_completes_files(tmp_path: Path) -> None:
    context, parameter = click.Context(levelgen), click.Argument(["pack"])
    with working_in(tmp_path):
        assert [item.type for item in packs(context, parameter, "no")] == ["dir"]
        assert [item.type for item in levels(context, parameter, "no")] == ["file"]
        assert [item.type for item in templates(context, parameter, "no")] == ["file"]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_and_the_shell_accepts_it(shell: str, capsys: Capture) -> None:
    assert run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_LEVELGEN_COMPLETE" in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_bash_completes_by_the_script(tmp_path: Path, capsys: Capture) -> None:
    """The real shell, with a `levelgen` that is this checkout's."""
    assert run(["completion", "bash"]) == 0
    (tmp_path / "levelgen").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from levelgen.cli import main; main()" "$@"\n'
    )
    (tmp_path / "levelgen").chmod(0o755)
    script = f"""{capsys.readouterr().out}
COMP_WORDS=(levelgen verify --cert); COMP_CWORD=2
PATH={shlex.quote(str(tmp_path))}:$PATH; _levelgen_completion levelgen; printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=root, check=True,
                          env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root)})  # fmt: skip
    assert done.stdout.split() == ["--certified"]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["verfy", "x"], "Did you mean 'verify'?"),
        (["verify", "x", "--certifed"], "Did you mean '--certified'?"),
        (["faces", "chek"], "Did you mean 'check'?"),
        (["keys", "nwe", "x"], "Did you mean 'new'?"),
        (["solve", "x", "--prover", "kernl"], "did you mean 'kernel'?"),
        (["verify"], "missing argument 'PACK'"),
        (["try", "x", "--faces", "many"], "'many' is no whole number"),
    ],
)
def test_what_is_mistyped_gets_a_suggestion_and_an_example(line: list[str], said: str, capsys: Capture) -> None:
    assert run(line) == 2
    talk = capsys.readouterr().err
    assert said in talk
    assert "for example: levelgen " in talk
    assert " --help explains" in talk


def test_a_bare_levelgen_says_what_there_is(capsys: Capture) -> None:
    assert run([]) == 2
    talk = capsys.readouterr().err
    assert "Commands:" in talk
    assert "error" not in talk.splitlines()[0]
