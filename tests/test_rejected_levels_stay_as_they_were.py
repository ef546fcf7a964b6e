"""A reviewer accepts the levels that changed or keeps the old ones; the next build gives what was decided, no more."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.cli.review import _Interview
from levelgen.document import load
from levelgen.errors import Malformed
from levelgen.pack.diff import diff_packs
from levelgen.pack.opened import open_pack
from levelgen.pack.signing import DEMO_TRUST
from levelgen.pack.write import client_edition
from levelgen.recipe import lint
from levelgen.recipe.kept import Kept, file_name, parse_kept, with_entries
from tests.packs import make_level
from tests.patience import PATIENCE
from tests.project import RECIPE, ROOT, new_project, tree, working_in

Capture = pytest.CaptureFixture[str]
COMMENTED = RECIPE.replace("levels:\n", "levels:  # three of them\n").replace("to: 26}", "to: 26}   # grows")


def build(out: str, *more: str) -> int:
    return run(["build", "templates/packs/probe.yaml", "-o", out, "--prover", "none", "--jobs", "1", *more])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose three levels were built, and built again under another seed."""
    folder = tmp_path_factory.mktemp("reviewed")
    recipe = new_project(folder, recipe=COMMENTED)
    with working_in(folder):
        assert build("one") == 0
        recipe.write_text(COMMENTED.replace("seed: probe", "seed: other"))
        assert build("two") == 0
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built, tmp_path / "project", symlinks=True)


def changed(old: Path, new: Path) -> list[int]:
    with open_pack(old, DEMO_TRUST) as before, open_pack(new, DEMO_TRUST) as after:
        return [entry.level for entry in diff_packs(before, after).changed]


def test_a_rejected_level_is_built_as_it_was_and_no_other_changes(project: Path, capsys: Capture) -> None:
    with working_in(project):
        assert run(["review", "one", "two", "--accept", "all", "--reject", "2"]) == 0
        assert build("three") == 0
        assert run(["verify", "three", "--certified"]) == 0
        assert lint([Path("templates/packs/probe.yaml")]) == ()
    assert changed(project / "one", project / "three") == [1, 3], "2 is what it was, to the certificate"
    assert changed(project / "two", project / "three") == [2], "1 and 3 are what they had become"
    said = capsys.readouterr().out
    assert "+  - {level: 2, file: kept/probe-0002.jsonl}" in said
    assert "rejected, kept as they were: 2" in said


def test_the_recipe_keeps_every_comment_and_line(project: Path) -> None:
    recipe = project / "templates" / "packs" / "probe.yaml"
    before = recipe.read_text()
    with working_in(project):
        assert run(["review", "one", "two", "--reject", "all"]) == 0
    assert recipe.read_text().startswith(before)
    assert recipe.read_text() == before + "".join(
        f"{line}\n"
        for line in ("keep:", *(f"  - {{level: {level}, file: kept/probe-000{level}.jsonl}}" for level in (1, 2, 3)))
    )


def test_a_second_review_adds_to_the_first(project: Path) -> None:
    with working_in(project):
        assert run(["review", "one", "two", "--reject", "2"]) == 1, "two levels are undecided"
        assert run(["review", "one", "two", "--reject", "2..3", "--accept", "1"]) == 0
        assert build("three") == 0
    assert changed(project / "one", project / "three") == [1]
    text = (project / "templates" / "packs" / "probe.yaml").read_text()
    assert text.count("level: 2,") == text.count("level: 3,") == 1


def test_a_dry_run_shows_and_writes_nothing(project: Path, capsys: Capture) -> None:
    before = tree(project / "templates")
    with working_in(project):
        assert run(["review", "one", "two", "--reject", "1", "--dry-run"]) == 1
    assert "would write templates/packs/kept/probe-0001.jsonl" in capsys.readouterr().out
    assert tree(project / "templates") == before


def test_without_a_terminal_and_without_ids_nothing_is_decided(project: Path, capsys: Capture) -> None:
    before = tree(project)
    with working_in(project):
        assert run(["review", "one", "two"]) == 1
        assert "--accept" in capsys.readouterr().err
        assert run(["review", "one", "two", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)["undecided"] == [1, 2, 3]
        assert run(["review", "one", "one"]) == 0
        assert "no level changed" in capsys.readouterr().out
    assert tree(project) == before


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--reject", "9"], 5, "no level of 9 changed"),
        (["--reject", "x"], 2, "write 4,7..9 or all"),
        (["--accept", "3..1"], 5, "no level of 3..1 changed"),
        (["--reject", "1", "--recipe", "nowhere.yaml"], 2, "there is no such file"),
        (["--reject", "1", "--recipe", "other.yaml"], 2, "makes the pack elsewhere, not probe"),
    ],
)
def test_a_wrong_selection_writes_nothing(
    project: Path, capsys: Capture, arguments: list[str], code: int, said: str
) -> None:
    (project / "other.yaml").write_text(RECIPE.replace("pack: probe", "pack: elsewhere"))
    before = tree(project)
    with working_in(project):
        assert run(["review", "one", "two", *arguments]) == code
    assert said in capsys.readouterr().err
    assert tree(project) == before


# At a terminal


@pytest.mark.parametrize(
    ("keys", "decided"),
    [
        ("yny", {1: "accept", 2: "reject", 3: "accept"}),
        ("na", {1: "reject", 2: "accept", 3: "accept"}),
        ("yr", {1: "accept", 2: "reject", 3: "reject"}),
        ("nbyq", {1: "accept"}),
        ("x?Y" + "\x04", {1: "accept"}),
        ("q", {}),
    ],
)
def test_a_key_decides_each_level(built: Path, keys: str, decided: dict[int, str], capsys: Capture) -> None:
    pressed = iter(keys)
    with (
        working_in(built),
        open_pack(Path("one"), DEMO_TRUST) as before,
        open_pack(Path("two"), DEMO_TRUST) as after,
    ):
        interview = _Interview(diff_packs(before, after), before, after, None)
        assert interview.run(lambda: next(pressed)) == decided
    assert next(pressed, None) is None, "every key was asked for"
    assert "Other faces" in capsys.readouterr().out


def test_at_a_real_terminal_the_pictures_are_shown_and_the_answer_is_written(project: Path) -> None:
    terminal, end = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    environment |= {"PYTHONPATH": str(ROOT), "COLUMNS": "90", "LINES": "40", "TERM": "xterm-256color"}
    code = "from levelgen.cli import main; main(['review', 'one', 'two'])"
    child = subprocess.Popen([sys.executable, "-c", code], cwd=project, env=environment, start_new_session=True,
                             stdin=end, stdout=end, stderr=end)  # fmt: skip
    os.close(end)
    seen, patience = "", PATIENCE
    try:
        while patience:  # a key pressed before the question stands is dropped: it is pressed again
            if not select.select([terminal], [], [], 1)[0]:
                patience -= 1
                os.write(terminal, b"n" if seen.count("[q] stop") == 1 else b"y")
                continue
            seen += os.read(terminal, 1 << 20).decode(errors="replace")
    except OSError:  # the other end is closed
        pass
    else:
        child.kill()
    os.close(terminal)
    assert child.wait() == 0, seen[-800:]
    assert seen.count("▀") > 1000
    assert re.search(r"Level 3.*3 of 3", seen)
    assert "{level: 1, file: kept/probe-0001.jsonl}" in (project / "templates/packs/probe.yaml").read_text()


# The text of a recipe


HEAD = RECIPE.rstrip("\n")
ENTRY = "{level: 2, file: kept/probe-0002.jsonl}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HEAD, f"{HEAD}\nkeep:\n  - {ENTRY}\n"),
        (f"{HEAD}\n\n# the end\n", f"{HEAD}\nkeep:\n  - {ENTRY}\n\n# the end\n"),
        (f"keep: []\n{HEAD}\n", f"keep: [{ENTRY}]\n{HEAD}\n"),
        (f"keep: [ ]  # none\n{HEAD}\n", f"keep: [{ENTRY}]  # none\n{HEAD}\n"),
        (f"keep: [{{level: 1, file: a.jsonl}}]\n{HEAD}\n", f"keep: [{{level: 1, file: a.jsonl}}, {ENTRY}]\n{HEAD}\n"),
        (
            f"keep:\n- level: 1   # dull\n  file: a.jsonl # this\n\n# then\n{HEAD}\n",
            f"keep:\n- level: 1   # dull\n  file: a.jsonl # this\n- {ENTRY}\n\n# then\n{HEAD}\n",
        ),
        (
            f"{HEAD}\nkeep:\n    - {{level: 1, file: a.jsonl}} # why",
            f"{HEAD}\nkeep:\n    - {{level: 1, file: a.jsonl}} # why\n    - {ENTRY}\n",
        ),
        (f"{HEAD}\n...\n", f"{HEAD}\nkeep:\n  - {ENTRY}\n...\n"),
    ],
)
def test_an_entry_is_added_and_nothing_else_is_touched(before: str, after: str) -> None:
    doc = load(before, "probe.yaml", "recipe")
    text = with_entries(doc, {2: file_name("probe", 2)})
    assert text == after
    assert with_entries(load(text, "probe.yaml", "recipe"), {2: "else.jsonl"}) == text


def test_a_recipe_in_one_line_is_not_edited_but_told_what_to_add() -> None:
    doc = load('{pack: probe, version: 1, ruleset: {id: pairs}, faces: AR1, seed: x, '
               'levels: [{levels: 1, templates: [[block]], tiles: 20}]}', "probe.yaml", "recipe")  # fmt: skip
    with pytest.raises(Malformed, match="add by hand, under `keep`"):
        with_entries(doc, {1: "kept/probe-0001.jsonl"})


# The files


def kept(level: int = 1) -> Kept:
    return Kept(*make_level(level))


def test_a_kept_level_round_trips() -> None:
    assert parse_kept(kept().encode(), "f") == kept()
    bare = Kept(kept().record, None)
    assert parse_kept(bare.encode(), "f") == bare


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "strict|record|json"),
        (b"{}\n", "record/"),
        (kept(1).record.encode() + b"\n" + kept(2).encode().split(b"\n")[1] + b"\n", "kept/certificate"),
        (kept().encode() * 2, "kept/lines"),
        (kept().encode().replace(b'"peak":2', b'"peak":3'), "kept/certificate"),
    ],
)
def test_a_file_that_is_no_kept_level_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Malformed, match=r"f") as caught:
        parse_kept(data, "f")
    assert re.match(code, caught.value.findings[0].code), caught.value.findings


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path, recipe: path.unlink(), "there is no such file"),
        (lambda path, recipe: path.write_bytes(b"{}"), "probe-0002.jsonl:1"),
        (lambda path, recipe: recipe.write_text(recipe.read_text().replace("level: 2,", "level: 3,")), "it is probe#2"),
        (lambda path, recipe: recipe.write_text(recipe.read_text().replace("level: 2,", "level: 9,")), "no level 9"),
        (
            lambda path, recipe: recipe.write_text(recipe.read_text().replace("id: pairs", "id: pairs, tray: 5")),
            "rules",
        ),
        (lambda path, recipe: recipe.write_text(recipe.read_text().replace("kept/p", "../kept/p")), "file"),
    ],
)
def test_lint_tells_what_is_wrong_with_a_kept_level(project: Path, spoil: object, said: str) -> None:
    recipe = project / "templates" / "packs" / "probe.yaml"
    with working_in(project):
        assert run(["review", "one", "two", "--accept", "all", "--reject", "2"]) == 0
        assert callable(spoil)
        spoil(recipe.parent / "kept" / "probe-0002.jsonl", recipe)
        findings = lint([recipe])
    assert any(said in finding.message or said in finding.source for finding in findings), findings
    assert all("probe.yaml:" in finding.where for finding in findings)


def test_a_client_edition_has_no_certificates_and_its_levels_are_proved_again(project: Path) -> None:
    with working_in(project):
        client_edition(Path("one"), Path("one.lgpack"))
        assert run(["review", "one.lgpack", "two", "--reject", "all"]) == 0
        assert build("three") == 0
        assert run(["verify", "three", "--certified"]) == 0
    with open_pack(project / "one", DEMO_TRUST) as old, open_pack(project / "three", DEMO_TRUST) as new:
        for number in old.numbers:
            assert old.level(number).deal == new.level(number).deal
