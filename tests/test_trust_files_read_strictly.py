"""No value in any field of a trust root, a release, a state or a plan crashes its reader, and what is read is whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.errors import Malformed
from levelgen.pack.publish import Plan, parse_plan
from levelgen.pack.release import Release, parse_release, parse_seen
from levelgen.pack.strict import encode
from levelgen.pack.trust import parse_trust
from tests.channels import LATER, MARK, document, release, signed, visit

READERS: dict[str, tuple[Callable[[bytes], Any], bytes]] = {
    "trust": (parse_trust, document(revoked="x", digests=["ab" * 32], root="a b").encode()),
    "release": (parse_release, Release("main", 1, LATER, {"a": MARK, "b": MARK}).encode()),
    "state": (parse_seen, visit([signed(document())], release()).seen.encode()),
    "plan": (
        parse_plan,
        Plan("main", "ab" * 32, "", 1, LATER, "server", {"a": MARK, "b": MARK}, {"a": "out/a"}).encode(),
    ),
}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 53), 1 << 53)
    | st.text("a1\u20ac./-", max_size=70)
    | st.just("ab" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kv", max_size=4), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path to every part of a JSON value."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += places(inner, (*path, key))
    return found


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with the part at `path` another."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_value(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("kind", READERS)
@given(data=st.data())
def test_any_value_anywhere_is_read_or_refused(kind: str, data: st.DataObject) -> None:
    read, good = READERS[kind]
    value = json.loads(good)
    path = data.draw(st.sampled_from(places(value)))
    text = encode(with_value(value, path, data.draw(VALUES)))
    try:
        found = read(text)
    except Malformed:
        return
    assert found.encode() == text, "what is read is written again as it stood"


@pytest.mark.parametrize("kind", READERS)
@given(data=st.binary(max_size=60))
def test_no_bytes_crash_a_reader(kind: str, data: bytes) -> None:
    with pytest.raises(Malformed):
        READERS[kind][0](data)


@pytest.mark.parametrize("kind", READERS)
def test_the_good_one_is_read(kind: str) -> None:
    read, good = READERS[kind]
    assert read(good).encode() == good
