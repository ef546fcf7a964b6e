"""The pre-commit hook, the GitHub Action and the Dockerfile: read, and run as far as a machine without them can."""

from __future__ import annotations

import fnmatch
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from levelgen.cli import run
from tests.project import BLOCK, RECIPE, new_project, working_in

ROOT = Path(__file__).resolve().parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}
INPUT = re.compile(r"\$\{\{\s*inputs\.(\w+)\s*\}\}")


@pytest.fixture
def shim(tmp_path: Path) -> Path:
    """A folder with a `levelgen` that is this checkout's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "levelgen").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from levelgen.cli import main; main()" "$@"\n'
    )
    (folder / "levelgen").chmod(0o755)
    return folder


# pre-commit


def test_the_hook_lints_what_it_says(tmp_path: Path, shim: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language", "files"} <= set(hook)
    assert hook["language"] == "python"
    pattern = re.compile(hook["files"])
    assert pattern.search("templates/shapes/turtle.yaml")
    assert pattern.search("faces/AR1/AR1_001.png")
    assert not pattern.search("docs/templates.md")
    (extra,) = hook["additional_dependencies"]
    assert f"\n{extra.removeprefix('.[').removesuffix(']')} = [" in (ROOT / "pyproject.toml").read_text()
    new_project(tmp_path / "project", block=BLOCK.replace("grid", "gird"))
    done = subprocess.run(
        shlex.split(hook["entry"]), cwd=tmp_path / "project", capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{shim}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 1
    assert "templates/shapes/block.yaml:4:" in done.stderr


# GitHub


def play(
    step: dict[str, Any], inputs: dict[str, str], cwd: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a step's script as a runner does, its inputs filled in."""
    given = {name: INPUT.sub(lambda found: inputs[found[1]], value) for name, value in step.get("env", {}).items()}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=cwd, check=False, text=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **given, **environment},
    )  # fmt: skip


def test_the_action_is_composed_as_github_asks() -> None:
    assert {"name", "description", "inputs", "outputs", "runs"} <= set(ACTION)
    assert ACTION["runs"]["using"] == "composite"
    for step in STEPS.values():
        assert step["shell"] == "bash"
        subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)
        assert "${{" not in step["run"], "an input inside a script would be run"
        for value in [*step.get("env", {}).values(), step.get("working-directory", "")]:
            assert set(INPUT.findall(value)) <= set(ACTION["inputs"])
    for output in ACTION["outputs"].values():
        (name, key) = re.findall(r"steps\.(\w+)\.outputs\.(\w+)", output["value"])[0]
        assert any(step.get("id") == name and f"{key}=" in step["run"] for step in STEPS.values())


def test_the_action_installs_what_is_pinned(tmp_path: Path) -> None:
    """The network is left alone: a `python3` that writes down what it was asked for."""
    (tmp_path / "python3").write_text(
        '#!/bin/bash\necho "$*" >>"$RUNNER_TEMP/asked"\n'
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi\n'
    )
    (tmp_path / "python3").chmod(0o755)
    done = play(STEPS["Install levelgen"], {}, tmp_path, RUNNER_TEMP=str(tmp_path), GITHUB_ACTION_PATH=str(ROOT),
                GITHUB_PATH=str(tmp_path / "path"), PATH=f"{tmp_path}:{os.environ['PATH']}")  # fmt: skip
    assert done.returncode == 0, done.stderr
    venv, pinned, own = (tmp_path / "asked").read_text().splitlines()
    assert venv == f"-m venv {tmp_path}/levelgen"
    assert pinned.endswith(f"--require-hashes -r {ROOT}/constraints.txt")
    assert own.endswith(f"--no-deps --no-build-isolation {ROOT}")
    assert (tmp_path / "path").read_text() == f"{tmp_path}/levelgen/bin\n"


def test_the_action_lints_builds_verifies_and_compares(
    tmp_path: Path, shim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    recipe = new_project(project, recipe=RECIPE.replace("1..3", "1"))
    with working_in(project):
        assert run(["build", str(recipe), "-o", "old", "--prover", "none", "--jobs", "1"]) == 0
        monkeypatch.setenv("LEVELGEN_KEY_PASSWORD", "secret")
        assert run(["keys", "new", "studio"]) == 0
    recipe.write_text(recipe.read_text().replace("title: Probe", "title: Probed"))
    surroundings = {
        "PATH": f"{shim}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output"),
    }  # fmt: skip
    defaults = {name: value.get("default", "") for name, value in ACTION["inputs"].items()}
    inputs = defaults | {"recipe": "templates/packs/probe.yaml", "against": "old"}
    for name in ("Lint", "Build", "Verify", "Say what changed"):
        done = play(STEPS[name], inputs, project, **surroundings)
        assert done.returncode == 0, f"{name}: {done.stderr}"
    assert "title: Probe → Probed" in (tmp_path / "summary").read_text()
    assert (tmp_path / "output").read_text() == f"changed=true\npage={tmp_path}/levelgen-diff.html\n"
    assert "Probed: what changed" in (tmp_path / "levelgen-diff.html").read_text()
    for name in ("Build", "Verify"):
        done = play(STEPS[name], inputs | {"key": "studio.pem"}, project, **surroundings)
        assert done.returncode == 0, f"{name}: {done.stderr}"


# Docker


INSTRUCTION = re.compile(r"^(FROM|RUN|COPY|ENV|USER|WORKDIR|ENTRYPOINT|CMD) (.+)$")


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, lines that go on joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    found = [INSTRUCTION.match(line) for line in text.splitlines() if line.strip()]
    assert None not in found, "a line is no instruction"
    return [(one[1], one[2]) for one in found if one is not None]


def ignored(name: str) -> bool:
    """Whether `.dockerignore` keeps a file or folder out of what is sent to the builder; the last rule wins."""
    answer = False
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if fnmatch.fnmatch(name, line.removeprefix("!")):
            answer = not line.startswith("!")
    return answer


def test_the_dockerfile_copies_what_exists_and_is_sent() -> None:
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from="):
            *sources, target = rest.split()
            for source in sources:
                assert (ROOT / source).exists()
                assert not ignored(source), f"{source} is kept out by .dockerignore"
            assert len(sources) == 1 or target.endswith("/")
    for name in (".git", "out", "tests", ".venv", "studio.pem"):
        assert ignored(name)


def test_the_dockerfile_pins_its_base_and_drops_root() -> None:
    bases = [rest for word, rest in instructions() if word == "FROM"]
    assert all(re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+( AS [a-z]+)?", base) for base in bases), bases
    assert len({base.split()[0] for base in bases}) == 1, "the two stages have the same Python"
    words = instructions()
    last = len(words) - 1 - [word for word, _ in reversed(words)].index("FROM")
    users = [rest for word, rest in words[last:] if word == "USER"]
    assert users == ["10001:10001"]
    assert words[-2:] == [("ENTRYPOINT", '["levelgen"]'), ("CMD", '["--help"]')]
    for word, rest in words:
        if word == "RUN":
            subprocess.run(["sh", "-n"], input=rest, text=True, check=True)
