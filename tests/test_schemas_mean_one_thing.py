"""The fast check of a schema says yes exactly where `jsonschema` does, for every schema that ships."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from levelgen.document import load, schema_of
from levelgen.schema import compiled, pattern
from levelgen.seed import Stream
from tests.project import ROOT

WORDS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 129, 10**9, 0.5, 2.0, "", "x", "top", "top\n", "centre", "$n + 1", "$n - ", "a\n", "Ä",
    [], [1, 2], [1], ["a", "a"], [{}], {}, {"range": [1, 2]}, {"range": [1, 2], "step": 0}, {"kind": "x"}, "x" * 500,
)  # fmt: skip
MUTANTS = 600


def whole(name: str) -> Any:
    """`jsonschema` as documents are checked by it: a whole number is an int that is no truth value."""
    types = jsonschema.Draft7Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )

    def anchored(_validator: Any, text: str, value: Any, _schema: Any) -> Iterator[Any]:
        if isinstance(value, str) and not pattern(text).search(value):
            yield jsonschema.ValidationError("no match")

    extend: Any = jsonschema.validators.extend
    return extend(jsonschema.Draft7Validator, {"pattern": anchored}, type_checker=types)(schema_of(name))


def documents(name: str) -> list[Any]:
    folders = {
        "template": "templates/shapes/*.yaml",
        "recipe": "templates/packs/*.yaml",
        "faceset": "faces/*/faceset.yaml",
    }
    return [load(path.read_bytes(), path.name).data for path in sorted(ROOT.glob(folders[name]))]


def spots(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from spots(inner, (*path, key))


def mutant(data: Any, stream: Stream) -> Any:
    """The document with something in it replaced, removed, renamed, doubled or added."""
    data = copy.deepcopy(data)
    places = [path for path in spots(data) if path]
    path = places[stream.below(len(places))]
    holder = data
    for key in path[:-1]:
        holder = holder[key]
    word = copy.deepcopy(WORDS[stream.below(len(WORDS))])
    match stream.below(5):
        case 0:
            holder[path[-1]] = word
        case 1:
            del holder[path[-1]]
        case 2 if isinstance(holder, dict):
            holder[f"{path[-1]}s"] = holder.pop(path[-1])
        case 3 if isinstance(holder, list):
            holder.insert(stream.below(len(holder) + 1), copy.deepcopy(holder[path[-1]]))
        case _ if isinstance(holder, dict):
            holder["with" if stream.below(2) else "at"] = word
        case _:
            holder.append(word)
    return data


def test_a_list_without_duplicates_is_looked_into_however_short() -> None:
    check = compiled({"type": "array", "items": {"type": "string"}, "uniqueItems": True})
    assert check(["a"])
    assert check(["a", "b"])
    assert not check([False])
    assert not check(["a", "a"])


@pytest.mark.parametrize("name", ["template", "recipe", "faceset"])
def test_both_say_the_same_of_what_ships_and_of_what_is_nearly_that(name: str) -> None:
    fast, slow = compiled(schema_of(name)), whole(name)
    known = documents(name)
    assert all(map(fast, known))
    stream = Stream("schemas", name)
    answers = []
    for _ in range(MUTANTS):
        data = mutant(known[stream.below(len(known))], stream)
        if stream.below(3) == 0:
            data = mutant(data, stream)
        answers.append(fast(data))
        assert answers[-1] == slow.is_valid(data), json.dumps(data)
    assert 30 < sum(answers) < MUTANTS - 100


def test_a_dollar_is_the_end_of_the_text() -> None:
    assert pattern("^a$").search("a")
    assert not pattern("^a$").search("a\n")
    assert not pattern("^a$|^b$").search("a\n")
    assert pattern(r"^\$a$").search("$a")


def test_a_keyword_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="format"):
        compiled({"type": "string", "format": "date"})


def test_every_pattern_of_the_schemas_is_anchored() -> None:
    for path in sorted(Path(ROOT / "levelgen" / "schemas").glob("*.json")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            word, _, text = line.strip().rstrip(",").partition(": ")
            if word == '"pattern"':
                assert json.loads(text)[0] == "^", line
                assert json.loads(text)[-1] == "$", line
