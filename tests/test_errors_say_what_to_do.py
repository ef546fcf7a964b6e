"""Errors over all commands, provoked with fresh eyes: each says what is wrong, where, and what to do about it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.pack.signing import demo_key
from tests.packs import write_tiny
from tests.project import new_project, tree, working_in

CASES = [
    # what is typed, the exit code, what is wrong and where, what to do
    ("verify nowhere", 2, "nowhere: there is no pack", "name the folder or the .lgpack that a build wrote"),
    ("verify faces", 3, "faces: holds no manifest.dsse.json", "name a pack's own folder"),
    ("verify notes.txt", 3, "notes.txt: does not begin as an .lgpack does", "get the pack again"),
    ("verify pack --key nothere.pem", 2, "nothere.pem: there is no such file", "check the path"),
    ("verify pack --key notes.txt", 2, "notes.txt: is not a PEM public key", "NAME.pub.pem that `levelgen keys new"),
    ("verify pack --certifed", 2, "no such option '--certifed'", "for example: levelgen verify"),
    ("show pack", 2, "pack: is a pack; name one of its levels", "write pack#1"),
    ("show pack#999", 5, "level 999: tiny has levels 1 to 2", "name one of those"),
    ("show pack#0", 2, "pack#0: '0' is no number of a level", "write pack#1"),
    ("show blok", 2, "there is no template and no file `blok`", "did you mean `block`?"),
    ("replay pack#1 nolog", 2, "nolog: there is no such file", "check the path"),
    ("replay pack#1 notes.txt", 2, "notes.txt:1:1: does not start with `levelgen-log 1", "add that line on top"),
    ("replay pack notes.txt", 2, "pack: is a pack; name one of its levels", "write pack#1"),
    ("replay pack#2 one.log", 2, "was played on tiny#1, not on tiny#2", "judge it on PACK#1 of tiny"),
    ("solve brace.json", 2, "brace.json:1, column 2: is not JSON", "something is missing, cut off"),
    ("solve empty.json", 2, "empty.json: holds no board", "write one board a line"),
    ("solve pack#1 --prover kernl", 2, "'kernl' is not one of", "did you mean 'kernel'?"),
    ("check brace.json", 2, "brace.json:1, column 2: is not JSON", "cut off"),
    ("solve brace.json --evidence brace.json", 2, "brace.json: is what is read", "name another file"),
    ("try templates/shapes/block.yaml -o templates/shapes/block.yaml", 2, "is what is read", "name another file"),
    ("build brace.lock --lock", 2, "brace.lock: is what is read", "name another file"),
    ("shuffle pack#1 --seed a,b", 2, "--seed: 'a,b' is no seed", "1 to 64 characters of"),
    ("build templates/packs/prob.yaml", 2, "prob.yaml: there is no such file", "did you mean `probe.yaml`?"),
    ("build templates", 2, "templates: is a folder, not a file", "name a file in it"),
    ("build templates/packs/probe.yaml --levels 5-9", 2, "--levels: '5-9' selects no levels", "write 7 or 3..12"),
    ("build templates/packs/probe.yaml --levels 9", 5, "9 selects none of the levels 1 to 3", "name some of those"),
    ("build templates/packs/probe.yaml --jobs 0", 2, "'--jobs': 0 is not between 1 and 256", "--help explains"),
    ("build templates/packs/probe.yaml --client no/x.lgpack", 2, "no/x.lgpack: there is no folder no", "make it first"),
    ("build templates/packs/probe.yaml -o templates", 2, "templates: holds files but no pack", "name a new folder"),
    ("build templates/packs/probe.yaml -o faces", 2, "faces: is a symbolic link", "name a new folder, or the one"),
    ("build templates/packs/probe.yaml -o notes.txt", 2, "notes.txt: is not a directory", "name a new folder"),
    ("build templates/packs/probe.yaml -o pack", 2, "pack: holds the pack tiny", "or the one this pack was built into"),
    ("daily --recipe templates/packs/probe.yaml", 2, "the recipe has no deals of the day", "add `daily: {seed"),
    ("daily -o notes.txt/x", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("daily --date 2026-13-01", 2, "'2026-13-01' is no date", "write it as 2026-12-01"),
    ("diff pack", 2, "missing argument 'NEW'", "for example: levelgen diff"),
    ("diff pack pack --html no/x.html", 2, "no/x.html: there is no folder no", "make it first"),
    ("publish pack --channel notes.txt --plan", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("publish --channel notes.txt --rollback", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("publish pack --channel templates --plan", 2, "templates: holds no trust.json", "choose another --channel"),
    ("review pack pack --reject 4", 5, "--reject: no level of 4 changed", "levelgen diff"),
    ("preview pack -o shots --size giant", 2, "--size: 'giant' is no size", "use one of phone, small"),
    ("preview pack -o shots", 2, "faces: there is no face set demo, which is what it shows", "give --faces the folder"),
    ("preview block -o notes.txt", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("preview block -o notes.txt/shots", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("sheet pack -o x.jpg", 2, "'x.jpg' is no name for a PNG", "ends in .png"),
    ("sheet pack -o no/x.png", 2, "no/x.png: there is no folder no", "make it first"),
    ("gallery pack -o x.pdf", 2, "'x.pdf' is no name for a page", "end it in .html"),
    ("gallery pack#1 --levels 1", 2, "pack#1 is one level already", "levelgen gallery --help"),
    ("gallery pack#9", 5, "9 selects none of the levels 1 to 2", "name some of those"),
    ("watch pack", 2, "pack: is a folder, not a recipe", "name a recipe"),
    ("watch templates/shapes/block.yaml", 2, "block.yaml: is not a recipe", "name a recipe"),
    ("watch faces/AR1/faceset.yaml", 2, "faceset.yaml: is not a recipe", "name a recipe"),
    ("lint nowhere", 2, "nowhere: there is no such file or folder", "check the path"),
    ("faces list AR1", 2, "AR1: there is no such face set", "such as faces/AR1"),
    ("faces check templates", 2, "templates: is no face set: it holds no faceset.yaml", "such as faces/AR1"),
    ("import notes.txt", 2, "notes.txt:1: is no layout of a known format", "known are: KMahjongg"),
    ("init Bad_Name", 2, "'Bad_Name' cannot be a pack's name", "use lower-case letters"),
    ("init notes.txt/village", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("init templates", 2, "templates: is there already", "choose another name"),
    ("try block --seeds 9..1", 2, "--seeds: '9..1' names no seeds", "write 7 or 1..200"),
    ("keys new studio", 2, "there is no terminal to ask for a password on", "set LEVELGEN_KEY_PASSWORD"),
    ("keys new notes.txt/studio", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("build templates/packs/probe.yaml -o notes.txt/x", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("build templates/packs/probe.yaml --report notes.txt", 2, "no report of a build", "name another file"),
    ("build templates/packs/probe.yaml --report no/x.json", 2, "no/x.json: there is no folder no", "make it first"),
    ("verify pack --levels 1", 2, "--levels goes with --regenerate", "levelgen verify --help"),
    ("completion tcsh", 2, "'SHELL': 'tcsh' is not one of", "--help explains"),
    ("import templates -o notes.txt", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("vectors -o notes.txt", 2, "notes.txt: is a file, not a folder", "name a folder"),
    ("vectors", 2, "missing option '-o'", "for example: levelgen vectors"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a pack of faces nobody has, and files that are something else."""
    folder = tmp_path_factory.mktemp("provoked")
    new_project(folder)
    write_tiny(folder / "pack", 2, signers=[demo_key()])
    (folder / "notes.txt").write_text("hello\n" * 40)
    (folder / "brace.json").write_text("{")
    (folder / "brace.lock").write_text("{")
    (folder / "empty.json").write_text("")
    (folder / "one.log").write_text("levelgen-log 1 tiny#1\n0-1\n")
    return folder


@pytest.mark.parametrize(("line", "code", "wrong", "fix"), CASES, ids=[case[0] for case in CASES])
def test_an_error_says_what_is_wrong_where_and_what_to_do(
    folder: Path, line: str, code: int, wrong: str, fix: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.delenv("LEVELGEN_KEY_PASSWORD", raising=False)
    before = tree(folder)
    with working_in(folder):
        assert run(line.split()) == code
    shutil.rmtree(folder / "shots", ignore_errors=True)
    out, talk = capsys.readouterr()
    said = out + talk
    assert wrong in said
    assert fix in said[said.index(wrong) :]
    assert not re.search(r"https?://|Errno|Traceback|\.draft-|<class ", said), "nothing that only a programmer reads"
    assert tree(folder) == before, "nothing is written"


def test_thirty_at_least_over_every_command() -> None:
    assert len(CASES) >= 30
    assert len({line.split()[0] for line, *_ in CASES}) >= 20
