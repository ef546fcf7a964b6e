"""`lint` and `verify` speak to CI: annotations on GitHub, JUnit's XML, SARIF 2.1.0."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

from levelgen.cli import run
from levelgen.cli.reports import MOST, Part, by_file, render
from levelgen.errors import Finding
from levelgen.pack.signing import public_pem
from levelgen.pack.write import client_edition
from tests.packs import SIGNER, write_tiny
from tests.project import BLOCK, RECIPE, new_project, working_in

Capture = pytest.CaptureFixture[str]
TEXT: dict[str, Any] = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
COUNT = {"type": "integer", "minimum": 1}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": {
            "type": "object", "required": ["tool", "results"], "additionalProperties": False,
            "properties": {
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name"],
                    "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "rules": {
                        "type": "array", "uniqueItems": True,
                        "items": {"type": "object", "required": ["id"], "properties": {"shortDescription": TEXT}},
                    }},
                }}},
                "automationDetails": {"type": "object", "properties": {"id": {"type": "string"}}},
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message"], "additionalProperties": False,
                    "properties": {
                        "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": 0},
                        "level": {"enum": ["none", "note", "warning", "error"]}, "message": TEXT,
                        "locations": {"type": "array", "items": {"type": "object", "properties": {"physicalLocation": {
                            "type": "object", "required": ["artifactLocation"],
                            "properties": {
                                "artifactLocation": {"type": "object", "properties": {
                                    "uri": {"type": "string", "pattern": "^[A-Za-z0-9/._~%+@!$&'()*,;=:-]+$"}}},
                                "region": {"type": "object", "additionalProperties": False,
                                           "properties": {"startLine": COUNT, "startColumn": COUNT}},
                            },
                        }}}},
                    },
                }},
            },
        }},
    },
}  # fmt: skip
"""What the standard (OASIS SARIF 2.1.0) asks of the members we write."""


def sarif(text: str) -> dict[str, Any]:
    """The one run of a SARIF document that is as the standard asks."""
    document = json.loads(text)
    Draft202012Validator(SARIF).validate(document)
    (found,) = document["runs"]
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    for result in found["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    assert isinstance(found, dict)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose recipe and one template are wrong."""
    new_project(tmp_path, recipe=RECIPE.replace("seed: probe", "sead: probe"), block=BLOCK.replace("grid", "gird"))
    return tmp_path


def linted(project: Path, form: str, capsys: Capture, code: int = 1) -> str:
    with working_in(project):
        assert run(["lint", "templates", "--format", form]) == code
    return capsys.readouterr().out


def test_github_shows_a_finding_at_its_line(project: Path, capsys: Capture) -> None:
    lines = linted(project, "github", capsys).splitlines()
    assert all(re.fullmatch(r"::error file=templates/[\w/.]+,line=\d+,col=\d+,title=[\w/-]+(%3A[\w]*)?::.+", one)
               for one in lines), lines  # fmt: skip
    assert any("file=templates/packs/probe.yaml,line=6,col=1," in line for line in lines)
    assert any("file=templates/shapes/block.yaml,line=4," in line and "grid" in line for line in lines)


def test_junit_has_a_case_for_each_file(project: Path, capsys: Capture) -> None:
    suite = ElementTree.fromstring(linted(project, "junit", capsys))[0]
    cases = {case.get("name"): case for case in suite}
    assert {"templates/packs/probe.yaml", "templates/shapes/block.yaml", "templates/shapes/top.yaml"} == set(cases)
    assert suite.get("tests") == "3"
    assert suite.get("failures") == "2"
    assert cases["templates/shapes/top.yaml"].find("failure") is None
    failure = cases["templates/packs/probe.yaml"].find("failure")
    assert failure is not None
    assert "probe.yaml:6:1" in (failure.text or "")


def test_sarif_says_where_and_which_rule(project: Path, capsys: Capture) -> None:
    results = sarif(linted(project, "sarif", capsys))["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert {
        "artifactLocation": {"uri": "templates/packs/probe.yaml"},
        "region": {"startLine": 6, "startColumn": 1},
    } in places


def test_a_clean_project_is_a_passed_report(tmp_path: Path, capsys: Capture) -> None:
    new_project(tmp_path)
    assert linted(tmp_path, "github", capsys, 0).strip() == ""
    assert ElementTree.fromstring(linted(tmp_path, "junit", capsys, 0)).get("failures") == "0"
    assert sarif(linted(tmp_path, "sarif", capsys, 0))["results"] == []
    assert json.loads(linted(tmp_path, "json", capsys, 0))["findings"] == []


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    write_tiny(tmp_path / "pack")
    (tmp_path / "key.pem").write_bytes(public_pem(SIGNER.public))
    return tmp_path / "pack"


def verified(pack: Path, form: str, capsys: Capture, code: int, *more: str) -> str:
    key = next(folder / "key.pem" for folder in pack.parents if (folder / "key.pem").exists())
    assert run(["verify", str(pack), "--key", str(key), "--format", form, *more]) == code
    return capsys.readouterr().out


def test_verify_reports_every_check(pack: Path, capsys: Capture) -> None:
    suite = ElementTree.fromstring(verified(pack, "junit", capsys, 0))[0]
    assert [case.get("name") for case in suite][:3] == ["signature", "manifest", "files"]
    assert suite.get("failures") == "0"
    (pack / "certificates.jsonl").write_bytes((pack / "certificates.jsonl").read_bytes() + b"x")
    suite = ElementTree.fromstring(verified(pack, "junit", capsys, 3))[0]
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) != "0"
    (where,) = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif(verified(pack, "sarif", capsys, 3))["results"]
    }
    assert where == f"file://{pack}/certificates.jsonl"
    lines = verified(pack, "github", capsys, 3).splitlines()
    assert lines[0].startswith(f"::error file={pack}/certificates.jsonl,title=")
    assert len(lines) == len(set(lines)), "what two checks find is told once"


def test_what_could_not_be_checked_is_skipped_not_passed(pack: Path, capsys: Capture) -> None:
    (pack / "manifest.dsse.json").write_bytes(b"{}")
    suite = ElementTree.fromstring(verified(pack, "junit", capsys, 3))[0]
    assert int(suite.get("skipped") or 0) == len(suite.findall("testcase/skipped")) >= 5


def test_missing_certificates_fail_a_report_that_asks_for_them(pack: Path, capsys: Capture) -> None:
    out = client_edition(pack, pack.parent / "client.lgpack")
    assert "::error" not in verified(out, "github", capsys, 0)
    assert "verify/not-certified" in verified(out, "github", capsys, 3, "--certified")


HOSTILE = Finding("a/b", 'first\n::error::forged, 100 %\x00 <&"]]>', "dir with ,:\n/x.yaml:3:4", "do <this>")


def test_a_hostile_message_stays_inside_its_report() -> None:
    parts = [Part("x\x1b\n<", (HOSTILE,))]
    (line,) = render("github", "lint", parts).splitlines()
    assert line.startswith("::error file=dir with %2C%3A%0A/x.yaml,line=3,col=4,title=a/b::first%0A::error::forged")
    tree = ElementTree.fromstring(render("junit", "lint", parts))
    assert "forged" in (tree[0][0][0].text or "")
    assert "<this>" in sarif(render("sarif", "lint", parts))["results"][0]["message"]["text"]


def test_a_report_is_bounded_and_says_so() -> None:
    parts = [Part("a", tuple(Finding("a/b", str(number)) for number in range(MOST + 7))), Part("b", (HOSTILE,))]
    results = sarif(render("sarif", "lint", parts))["results"]
    assert len(results) == MOST + 1
    assert "8 more findings" in results[-1]["message"]["text"]


def test_a_warning_is_no_failure() -> None:
    parts = [Part("w", (Finding("a/b", "careful"),), level="warning")]
    assert render("github", "verify", parts).startswith("::warning title=a/b::careful")
    assert ElementTree.fromstring(render("junit", "verify", parts)).get("failures") == "0"
    assert sarif(render("sarif", "verify", parts))["results"][0]["level"] == "warning"


@pytest.mark.parametrize(
    ("where", "file", "line"),
    [
        ("templates/a.yaml:3:4", "templates/a.yaml", 3),
        ("templates/a.yaml", "templates/a.yaml", 0),
        ("levels.jsonl", "levels.jsonl", 0),
        ("level 3", "", 0),
        ("", "", 0),
        ("/abs/x.yaml:7", "/abs/x.yaml", 7),
    ],
)
def test_a_place_is_a_file_or_words(where: str, file: str, line: int) -> None:
    (part,) = by_file([], [Finding("a/b", "m", where)])
    assert part.name == (file or "project")
    (result,) = sarif(render("sarif", "lint", [part]))["results"]
    assert result.get("locations", [{}])[0].get("physicalLocation", {}).get("region", {}).get("startLine", 0) == line
    assert ("level 3" in result["message"]["text"]) == (where == "level 3")
