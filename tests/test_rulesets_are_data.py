"""A ruleset is a record of parameters; what a recipe or a record spells wrongly is refused, never bent into
shape.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from levelgen.errors import Malformed
from levelgen.rules import BLOCKING, RULESETS, Ruleset, readings


@pytest.mark.parametrize("name", RULESETS)
def test_a_ruleset_reads_back_as_itself(name: str) -> None:
    assert Ruleset.from_json(RULESETS[name].to_json()) == RULESETS[name]


def test_what_is_left_out_has_the_default_and_blocking_has_one_order() -> None:
    assert Ruleset.from_json({"id": "pairs"}) == RULESETS["pairs"]
    spelt = Ruleset.from_json({"id": "pairs", "blocking": ["vertical", "cover"], "face_down": "flip", "tray": 6})
    assert spelt.blocking == ("cover", "vertical")
    assert (spelt.face_down, spelt.tray) == ("flip", 6)
    assert spelt.reading == "cover+vertical/flip"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ({}, "ruleset/unknown"),
        ({"id": "solitaire"}, "ruleset/unknown"),
        ({"id": ["pairs"]}, "ruleset/unknown"),
        ({"id": "pairs", "group": 3}, "ruleset/group"),
        ({"id": "pairs", "group": 2.0}, "ruleset/group"),
        ({"id": "pairs", "tray": 1}, "ruleset/range"),
        ({"id": "pairs", "tray": True}, "ruleset/range"),
        ({"id": "pairs", "tray": 4.0}, "ruleset/range"),
        ({"id": "pairs", "last_slot": 0}, "ruleset/range"),
        ({"id": "pairs", "blocking": "cover"}, "ruleset/blocking"),
        ({"id": "pairs", "blocking": None}, "ruleset/blocking"),
        ({"id": "pairs", "blocking": ["cover", "cover"]}, "ruleset/blocking"),
        ({"id": "pairs", "blocking": ["diagonal"]}, "ruleset/blocking"),
        ({"id": "pairs", "face_down": "peek"}, "ruleset/value"),
        ({"id": "pairs", "loss": []}, "ruleset/value"),
        ({"id": "pairs", "colour": 1}, "ruleset/unknown-key"),
        ({"id": "triples", "blocking": []}, "ruleset/blocking"),
        ({"id": "triples", "blocking": ["horizontal"]}, "ruleset/blocking"),
        ({"id": "triples", "face_down": "lift"}, "ruleset/unknown-key"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(data: dict[str, Any], code: str) -> None:
    with pytest.raises(Malformed) as caught:
        Ruleset.from_json(data)
    assert [finding.code for finding in caught.value.findings] == [code]


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("slots", [1, 2, 3, 63])
def test_the_slots_of_the_warning_are_spelt_out_wherever_they_are_not_one(name: str, slots: int) -> None:
    warned = replace(RULESETS[name], last_slot=slots)
    assert warned.to_json().get("last_slot") == (None if slots == 1 else slots)
    assert Ruleset.from_json(warned.to_json()) == warned


@pytest.mark.parametrize(("name", "key", "low", "high"), [
    ("pairs", "tray", 2, 64), ("triples", "tray", 3, 64),
    ("pairs", "last_slot", 1, 63), ("triples", "last_slot", 1, 63),
])  # fmt: skip
def test_a_number_may_reach_its_bounds_and_not_pass_them(name: str, key: str, low: int, high: int) -> None:
    for number in (low, high):
        assert getattr(Ruleset.from_json({"id": name, key: number}), key) == number
    for number in (low - 1, high + 1):
        with pytest.raises(Malformed, match=f"{number} is not an integer from {low} to {high}"):
            Ruleset.from_json({"id": name, key: number})


def test_pairs_have_sixteen_readings_and_triples_one() -> None:
    names = [ruleset.reading for ruleset in readings(RULESETS["pairs"])]
    assert len(set(names)) == 16
    assert names[0] == "cover+horizontal+vertical/lift"
    assert readings(RULESETS["pairs"])[0].blocking == BLOCKING
    assert readings(RULESETS["triples"]) == (RULESETS["triples"],)
