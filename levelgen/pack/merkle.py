"""The Merkle tree of RFC 9162, section 2.1, over the lines of `levels.jsonl`.

    MTH({})     = SHA-256("")
    MTH({d})    = SHA-256(0x00 ‖ d)
    MTH(D[0:n]) = SHA-256(0x01 ‖ MTH(D[0:k]) ‖ MTH(D[k:n])),   k the largest power of two below n

The same tree row by row: row 0 are the leaves; each next row joins neighbours, and a last node without a neighbour
moves up unchanged. `tree.bin` is all rows, leaves first, each node its 32 raw bytes, without any header: row r of n
leaves has ⌈n / 2^r⌉ nodes, the last 32 bytes are the root. So the path of a leaf is one look-up a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import IO

SIZE = 32
"""Bytes of a node."""
EMPTY_ROOT = sha256(b"").digest()
_CHUNK = 4096


def leaf_hash(data: bytes) -> bytes:
    """The leaf of `data`; 0x00 keeps leaves and nodes apart."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The node over two nodes."""
    return sha256(b"\1" + left + right).digest()


class Root:
    """The root of a tree whose leaves come one by one; holds log₂ n nodes."""

    __slots__ = ("_peaks", "count")

    def __init__(self) -> None:
        self.count = 0
        self._peaks: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        """Append one leaf hash."""
        index = self.count
        while index & 1:
            leaf = node_hash(self._peaks.pop(), leaf)
            index >>= 1
        self._peaks.append(leaf)
        self.count += 1

    def digest(self) -> bytes:
        """The root of the leaves so far."""
        if not self._peaks:
            return EMPTY_ROOT
        root = self._peaks[-1]
        for peak in self._peaks[-2::-1]:
            root = node_hash(peak, root)
        return root


def row_sizes(leaves: int) -> list[int]:
    """How many nodes each row has, leaves first; no row at all for an empty tree."""
    sizes = [leaves] if leaves else []
    while sizes and sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes


def tree_bytes(leaves: int) -> int:
    """The size of `tree.bin`."""
    return SIZE * sum(row_sizes(leaves))


def finish_tree(file: IO[bytes], leaves: int) -> bytes:
    """Append to `file`, which holds exactly `leaves` leaf hashes, every further row; the root is returned.

    Works in constant memory. `file` must be readable, writable and seekable.
    """
    start = 0
    for size in row_sizes(leaves)[:-1]:
        end = start + size * SIZE
        for begin in range(start, end, 2 * _CHUNK * SIZE):
            file.seek(begin)
            nodes = file.read(min(2 * _CHUNK * SIZE, end - begin))
            joined = bytearray()
            for place in range(0, len(nodes), 2 * SIZE):
                both = nodes[place : place + 2 * SIZE]
                joined += sha256(b"\1" + both).digest() if len(both) == 2 * SIZE else both
            file.seek(0, 2)
            file.write(joined)
        start = end
    if not leaves:
        return EMPTY_ROOT
    file.seek(start)
    return file.read(SIZE)


def path_of(tree: bytes | memoryview, leaves: int, index: int) -> tuple[bytes, ...]:
    """The inclusion path of leaf `index`, lowest sibling first, out of a tree laid out as in `tree.bin`.

    `tree` is trusted with nothing: what is returned proves itself by `root_from_path`.
    """
    path = []
    start, size = 0, leaves
    while size > 1:
        sibling = index ^ 1
        if sibling < size:
            place = start + sibling * SIZE
            path.append(bytes(tree[place : place + SIZE]))
        start += size * SIZE
        size = (size + 1) >> 1
        index >>= 1
    return tuple(path)


def root_from_path(leaf: bytes, index: int, leaves: int, path: Sequence[bytes]) -> bytes | None:
    """The root that `path` proves `leaf` to lie under as leaf `index` of `leaves` (RFC 9162, section 2.1.3.2).

    None when the path has the wrong length or a node the wrong size, or when there is no such leaf.
    """
    if not 0 <= index < leaves or any(len(node) != SIZE for node in path):
        return None
    node, size, used = leaf, leaves, 0
    while size > 1:
        sibling = index ^ 1
        if sibling < size:
            if used == len(path):
                return None
            other = path[used]
            node = sha256(b"\1" + other + node if index & 1 else b"\1" + node + other).digest()
            used += 1
        size = (size + 1) >> 1
        index >>= 1
    return node if used == len(path) else None


def verify_inclusion(leaf: bytes, index: int, leaves: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether `path` proves that `leaf` stands at `index` in the tree of `leaves` leaves with this `root`."""
    return root_from_path(leaf, index, leaves, path) == root


def grow_tree(rows: bytearray) -> bytearray:
    """`rows`, which holds the leaf hashes, with every further row appended: the bytes of `tree.bin`."""
    start, size = 0, len(rows) // SIZE
    while size > 1:
        end = start + size * SIZE
        for place in range(start, end - SIZE, 2 * SIZE):
            rows += sha256(b"\1" + rows[place : place + 2 * SIZE]).digest()
        if size & 1:
            rows += rows[end - SIZE : end]
        start, size = end, (size + 1) >> 1
    return rows


def build_tree(leaf_hashes: Iterable[bytes]) -> bytes:
    """The bytes of `tree.bin`, built in memory."""
    return bytes(grow_tree(bytearray(b"".join(leaf_hashes))))
