"""The tree over the records is the one of RFC 9162: roots and paths equal the definition, and nothing else proves."""

from __future__ import annotations

import io
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.pack.merkle import (
    EMPTY_ROOT,
    Root,
    build_tree,
    finish_tree,
    leaf_hash,
    node_hash,
    path_of,
    row_sizes,
    tree_bytes,
    verify_inclusion,
)

KNOWN_LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
KNOWN_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The published roots over the first 0 … 8 of these leaves, as Certificate Transparency logs test themselves."""


def naive_root(leaves: list[bytes]) -> bytes:
    """MTH exactly as section 2.1.1 defines it."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0]).digest()
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return sha256(b"\1" + naive_root(leaves[:split]) + naive_root(leaves[split:])).digest()


def naive_path(index: int, leaves: list[bytes]) -> tuple[bytes, ...]:
    """PATH exactly as section 2.1.3.1 defines it."""
    if len(leaves) == 1:
        return ()
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    if index < split:
        return (*naive_path(index, leaves[:split]), naive_root(leaves[split:]))
    return (*naive_path(index - split, leaves[split:]), naive_root(leaves[:split]))


def some_leaves(count: int) -> list[bytes]:
    return [b"leaf %d" % number for number in range(count)]


@pytest.mark.parametrize("count", range(9))
def test_the_root_is_the_published_one(count: int) -> None:
    root = Root()
    for leaf in KNOWN_LEAVES[:count]:
        root.add(leaf_hash(leaf))
    assert root.digest().hex() == KNOWN_ROOTS[count]


def test_three_leaves_by_hand() -> None:
    a, b, c = (leaf_hash(leaf) for leaf in (b"a", b"b", b"c"))
    tree = build_tree([a, b, c])
    assert tree == a + b + c + node_hash(a, b) + c + node_hash(node_hash(a, b), c)
    assert path_of(tree, 3, 0) == (b, c)
    assert path_of(tree, 3, 2) == (node_hash(a, b),)


@pytest.mark.parametrize("count", [*range(1, 70), 127, 128, 129, 1000])
def test_streamed_stored_and_defined_trees_agree(count: int) -> None:
    leaves = some_leaves(count)
    root, file = Root(), io.BytesIO()
    for leaf in leaves:
        root.add(leaf_hash(leaf))
        file.write(leaf_hash(leaf))
    assert root.digest() == finish_tree(file, count) == naive_root(leaves)
    tree = file.getvalue()
    assert tree == build_tree([leaf_hash(leaf) for leaf in leaves])
    assert len(tree) == tree_bytes(count)
    assert tree[-32:] == naive_root(leaves)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 8, 9, 33])
def test_every_path_is_the_defined_one_and_proves_its_leaf_only(count: int) -> None:
    leaves = some_leaves(count)
    tree, root = build_tree([leaf_hash(leaf) for leaf in leaves]), naive_root(leaves)
    for index, leaf in enumerate(leaves):
        path = path_of(tree, count, index)
        assert path == naive_path(index, leaves)
        assert verify_inclusion(leaf_hash(leaf), index, count, path, root)
        for other in range(-1, count + 1):
            assert (other == index) == verify_inclusion(leaf_hash(leaf), other, count, path, root)


@given(st.integers(2, 200), st.data())
def test_a_changed_proof_proves_nothing(count: int, data: st.DataObject) -> None:
    leaves = some_leaves(count)
    index = data.draw(st.integers(0, count - 1))
    path = list(path_of(build_tree([leaf_hash(leaf) for leaf in leaves]), count, index))
    root, leaf = naive_root(leaves), leaf_hash(leaves[index])
    which = data.draw(st.integers(0, len(path) - 1))
    bit = data.draw(st.integers(0, 255))
    flipped = bytearray(path[which])
    flipped[bit // 8] ^= 1 << bit % 8
    assert not verify_inclusion(leaf, index, count, [*path[:which], bytes(flipped), *path[which + 1 :]], root)
    assert not verify_inclusion(leaf, index, count, path[:-1], root)
    assert not verify_inclusion(leaf, index, count, [*path, root], root)
    assert not verify_inclusion(leaf, index, count, [*path[:-1], path[-1][:31]], root)
    assert not verify_inclusion(leaf_hash(b"other"), index, count, path, root)


def test_a_node_cannot_pass_as_a_leaf() -> None:
    leaves = some_leaves(4)
    tree = build_tree([leaf_hash(leaf) for leaf in leaves])
    inner = tree[4 * 32 : 6 * 32]
    assert not verify_inclusion(leaf_hash(inner), 0, 1, (), naive_root(leaves))
    assert sha256(b"\1" + inner).digest() == naive_root(leaves) != leaf_hash(inner)


def test_an_empty_tree_has_the_digest_of_nothing() -> None:
    assert Root().digest() == EMPTY_ROOT == naive_root([])
    assert row_sizes(0) == []
    assert tree_bytes(0) == 0


def test_a_streaming_root_keeps_few_nodes() -> None:
    root = Root()
    for _ in range(100_000):
        root.add(bytes(32))
    assert len(root._peaks) <= 17
