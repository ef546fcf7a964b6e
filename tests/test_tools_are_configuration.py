"""What players own of tools stands in the recipe, is signed with the pack, and decides the context of a game."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from levelgen.errors import NothingMatched
from levelgen.level import Workshop
from levelgen.pack.manifest import parse_manifest
from levelgen.pack.records import Record
from levelgen.pack.signing import DEMO_TRUST
from levelgen.replay import Context
from levelgen.tools import AIDS, SILENT, Allowance
from levelgen.verify import Manifest, context_of, open_pack
from tests.packs import make_level, write_tiny

ROOT = Path(__file__).resolve().parent.parent
ERAM = Allowance(5, (1, 1, 1), (2, 0, 0), True)


def record(level: int = 5, ruleset: str = "pairs", **tools: int | None) -> Record:
    return replace(make_level(level, ruleset)[0], tools=tools)


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    return write_tiny(tmp_path / "tiny", heading={"tools": ERAM})


def test_the_recipe_says_it_and_the_reference_pack_signs_it() -> None:
    recipe = Workshop.open(ROOT / "templates" / "packs" / "eram.yaml").recipe
    assert recipe.allowance == ERAM
    with open_pack(ROOT / "out" / "eram", DEMO_TRUST) as pack:
        assert pack.manifest.tools == ERAM
        assert pack.level(1).tools == {"undo": 3, "hint": 3, "shuffle": 3}
    with open_pack(ROOT / "out" / "tilematch", DEMO_TRUST) as pack:
        assert pack.manifest.tools == SILENT
        assert set(pack.level(1).tools.values()) == {None}


def test_a_pack_that_says_nothing_has_no_such_field(tmp_path: Path, manifest: Manifest) -> None:
    silent = write_tiny(tmp_path / "silent")
    assert "tools" not in silent.to_json()
    assert list(manifest.to_json())[-1] == "tools"
    assert parse_manifest(manifest.encode()) == manifest
    assert parse_manifest(silent.encode()) == silent


@pytest.mark.parametrize("allowance", [SILENT, ERAM, Allowance(3, (0, 1, 0)), Allowance(race=(0, 0, 0))])
def test_what_is_written_is_read_back(allowance: Allowance) -> None:
    assert Allowance.from_json(allowance.to_json()) == (None if allowance == SILENT else allowance)


@pytest.mark.parametrize(("level", "granted"), [(1, False), (4, False), (5, True), (10, True), (11, False)])
def test_every_fifth_level_earns_one_of_each_once(manifest: Manifest, level: int, granted: bool) -> None:
    first = context_of(record(level), manifest, first=True)
    assert (first.first_completion, any(first.grant)) == (True, granted)
    assert not context_of(record(level), manifest).first_completion
    assert context_of(record(level), first=True).grant == (0, 0, 0)


def test_what_the_player_had_comes_before_what_the_level_says(manifest: Manifest) -> None:
    level = record(undo=3, hint=2)
    assert context_of(level, manifest).balance == (3, 2, 0)
    assert context_of(level, manifest, {"undo": 0, "shuffle": 9}).balance == (0, 2, 9)
    assert context_of(record(ruleset="triples", hint=1)).balance == (None, 1, None)


def test_a_race_has_its_own_tools_and_earns_nothing(manifest: Manifest) -> None:
    assert context_of(record(undo=3, hint=2), manifest, first=True, race=True) == Context((2, 0, 0))
    with pytest.raises(NothingMatched) as caught:
        context_of(record(), race=True)
    assert caught.value.findings[0].code == "tools/no-race"


EARNED: dict[str, Any] = {"every": 5, **dict.fromkeys(AIDS, 1)}


@pytest.mark.parametrize(
    "spoilt",
    [None, [], {}, {"more": 1}, {"earned": EARNED, "more": 1}, {"earned": None}, {"earned": EARNED | {"every": True}},
     {"earned": {**dict.fromkeys(AIDS, 1), "every": 5}}, {"earned": EARNED | {"undo": -1}},
     {"race": dict.fromkeys(AIDS, 0)}, {"race": {**dict.fromkeys(AIDS, 0), "provisional": 0}}],
)  # fmt: skip
def test_anything_else_is_no_allowance(spoilt: Any) -> None:
    assert Allowance.from_json(spoilt) is None
