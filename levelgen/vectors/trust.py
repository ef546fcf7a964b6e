"""What packs are believed by: Merkle trees, keys, signatures, envelopes."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from levelgen.pack.merkle import build_tree, leaf_hash, node_hash, path_of, verify_inclusion
from levelgen.pack.signing import (
    PAYLOAD_TYPE,
    KeySigner,
    TrustRoot,
    key_id,
    open_envelope,
    pae,
    public_key_findings,
    sign,
    verify_signature,
)
from levelgen.pack.strict import digest
from levelgen.pack.strict import encode as encode_json
from levelgen.vectors.case import SEED, Case, codes_of, spelled_input


def vector_signer(name: str) -> KeySigner:
    """A key that anybody can make; for vectors only."""
    return KeySigner(Ed25519PrivateKey.from_private_bytes(sha256(f"{SEED}/{name}".encode()).digest()))


def merkle_cases() -> Iterator[Case]:
    """Trees of all shapes up to a few dozen leaves."""
    for count in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17, 33):
        lines = [f"leaf {number} of {count}" for number in range(count)]
        tree = build_tree(leaf_hash(line.encode()) for line in lines)
        paths = [[node.hex() for node in path_of(tree, count, index)] for index in range(count)]
        yield {"lines": lines, "root": tree[-32:].hex(), "tree_sha256": digest(tree), "paths": paths}


def inclusion_cases() -> Iterator[Case]:
    """A path, and everything near it that proves nothing."""
    lines = [f"line {number}".encode() for number in range(6)]
    leaves = [leaf_hash(line) for line in lines]
    tree = build_tree(leaves)
    root, path = tree[-32:], list(path_of(tree, 6, 2))
    inner = node_hash(leaves[2], leaves[3])
    zero = bytes(32)
    cases: tuple[tuple[str, bytes, int, int, list[bytes], bytes], ...] = (
        ("good", leaves[2], 2, 6, path, root),
        ("good, a last leaf moved up", leaves[5], 5, 6, list(path_of(tree, 6, 5)), root),
        ("good, alone", leaves[0], 0, 1, [], leaves[0]),
        ("another leaf", leaves[3], 2, 6, path, root),
        ("another index", leaves[2], 3, 6, path, root),
        ("another size", leaves[2], 2, 5, path, root),
        ("a size of the same shape", leaves[2], 2, 8, path, root),
        ("no such leaf", leaves[2], 6, 6, path, root),
        ("a negative index", leaves[2], -1, 6, path, root),
        ("an empty tree", leaves[2], 0, 0, [], root),
        ("cut short", leaves[2], 2, 6, path[:-1], root),
        ("too long", leaves[2], 2, 6, [*path, zero], root),
        ("a node as a leaf", inner, 1, 3, path[1:], root),
        ("a node as a leaf of the whole tree", inner, 2, 6, path[1:], root),
        ("nodes in another order", leaves[2], 2, 6, path[::-1], root),
        ("a node of another length", leaves[2], 2, 6, [path[0] + b"\0", *path[1:]], root),
        ("another root", leaves[2], 2, 6, path, zero),
        ("the root itself", root, 0, 1, [], root),
    )
    for name, leaf, index, count, nodes, wanted in cases:
        good = verify_inclusion(leaf, index, count, nodes, wanted)
        hexes = [node.hex() for node in nodes]
        yield {"name": name, "leaf": leaf.hex(), "index": index, "leaves": count, "path": hexes, "root": wanted.hex(),
               "good": good}  # fmt: skip


# Signatures

_FIELD = (1 << 255) - 19
_ORDER = (1 << 252) + 27742317777372353535851937790883648493
_EIGHT = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")


def _odd_keys() -> dict[str, bytes]:
    """Raw public keys that are none to trust, by name."""
    low = {"y = 0": 0, "y = 1, the neutral element": 1, "y = -1": _FIELD - 1}
    keys = {name: y.to_bytes(32, "little") for name, y in low.items()}
    keys |= {
        "order eight": _EIGHT,
        "order eight, the other": (_FIELD - int.from_bytes(_EIGHT, "little")).to_bytes(32, "little"),
    }
    keys |= {f"{name}, sign bit set": key[:31] + bytes([key[31] | 0x80]) for name, key in keys.items()}
    for extra in (0, 1, 2, 18):
        keys[f"y = p + {extra}"] = (_FIELD + extra).to_bytes(32, "little")
    keys |= {"all ones": b"\xff" * 32, "no bytes": b"", "31 bytes": bytes(31), "33 bytes": bytes(33)}
    return keys


def key_cases() -> Iterator[Case]:
    """A key, and all classes of keys that are none."""
    for name, key in {"good": vector_signer("a").public, **_odd_keys()}.items():
        yield {
            "name": name,
            "key": key.hex(),
            "keyid": key_id(key),
            "refused": [f.code for f in public_key_findings(key)],
        }


def signature_cases() -> Iterator[Case]:
    """Signatures, and all classes of false ones."""
    signer, other = vector_signer("a"), vector_signer("b")
    message = b"levelgen"
    signature = signer.sign(message)
    odd = _odd_keys()
    half, s = signature[:32], int.from_bytes(signature[32:], "little")

    def flip(data: bytes, bit: int) -> bytes:
        return (int.from_bytes(data, "little") ^ 1 << bit).to_bytes(len(data), "little")

    cases: list[tuple[str, bytes, bytes, bytes]] = [
        ("good", signer.public, message, signature),
        ("good, the empty message", signer.public, b"", signer.sign(b"")),
        ("good, another key", other.public, message, other.sign(message)),
        ("good, a long message", signer.public, bytes(range(256)) * 8, signer.sign(bytes(range(256)) * 8)),
        ("another message", signer.public, b"levelgem", signature),
        ("another key", other.public, message, signature),
        *((f"bit {n} flipped", signer.public, message, flip(signature, n)) for n in (0, 7, 255, 256, 300, 505, 511)),
        ("key, bit 3 flipped", flip(signer.public, 3), message, signature),
        ("key, sign flipped", flip(signer.public, 255), message, signature),
        ("S + L: malleable", signer.public, message, half + (s + _ORDER).to_bytes(32, "little")),
        ("S + 8 L: malleable", signer.public, message, half + (s + 8 * _ORDER).to_bytes(32, "little")),
        ("S = L", signer.public, message, half + _ORDER.to_bytes(32, "little")),
        ("63 bytes", signer.public, message, signature[:63]),
        ("65 bytes", signer.public, message, signature + b"\0"),
        ("no bytes", signer.public, message, b""),
        ("zeros", signer.public, message, bytes(64)),
        ("halves swapped", signer.public, message, signature[32:] + half),
        *((f"signed by nobody: {name}", key, message, key + bytes(32)) for name, key in odd.items() if len(key) == 32),
    ]  # fmt: skip
    for name, key, text, found in cases:
        good = verify_signature(key, found, text)
        yield {"name": name, "key": key.hex(), "message": text.hex(), "signature": found.hex(), "good": good}


def envelope_cases() -> Iterator[Case]:
    """Envelopes, and every attack on them."""
    a, b = vector_signer("a"), vector_signer("b")
    payload = b'{"v":1}'
    single, double = sign(payload, [a]), sign(payload, [a, b])
    keys = [a.public, b.public]

    def changed(envelope: bytes = single, entry: Case | None = None, **fields: Any) -> bytes:
        data = json.loads(envelope) | fields
        if entry is not None:
            data["signatures"][0] = data["signatures"][0] | entry
        return encode_json(data)

    entry = json.loads(single)["signatures"][0]
    sig = entry["sig"]
    other = sign(payload, [a], payload_type="application/vnd.levelgen.release.v1+json")
    cases: list[tuple[str, bytes, list[bytes], int]] = [
        ("good", single, keys, 1),
        ("good, two of two", double, keys, 2),
        ("good, one of two counts", double, keys[1:], 1),
        ("good, a wrong keyid", changed(entry={"keyid": "0" * 64}), keys, 1),
        ("good, no keyid", changed(entry={"keyid": ""}), keys, 1),
        ("good, a bad signature beside", changed(double, {"sig": base64.b64encode(bytes(64)).decode()}), keys, 1),
        ("one of two", single, keys, 2),
        ("another key", single, keys[1:], 1),
        ("the same signature twice", changed(signatures=[entry, entry | {"keyid": "another"}]), keys, 2),
        ("stripped", changed(signatures=[]), keys, 1),
        ("seventeen", changed(signatures=[entry] * 17), keys, 1),
        ("sixteen", changed(signatures=[entry] * 16), keys, 1),
        ("another type, signed", other, keys, 1),
        ("another type, renamed", changed(other, payloadType=PAYLOAD_TYPE), keys, 1),
        ("the type not signed", changed(payloadType="application/json"), keys, 1),
        ("another payload", changed(payload=base64.b64encode(b'{"v":2}').decode()), keys, 1),
        ("an algorithm named", changed(entry={"alg": "none"}), keys, 1),
        ("a field more", changed(more=1), keys, 1),
        ("a field less", encode_json({"payload": "", "payloadType": PAYLOAD_TYPE}), keys, 1),
        ("another order", encode_json(dict(reversed(json.loads(single).items()))), keys, 1),
        ("payload no text", changed(payload=None), keys, 1),
        ("sig no text", changed(entry={"sig": 1}), keys, 1),
        ("signatures no list", changed(signatures={}), keys, 1),
        ("entry no object", changed(signatures=["x"]), keys, 1),
        ("padding more", changed(entry={"sig": sig + "="}), keys, 1),
        ("padding less", changed(entry={"sig": sig.rstrip("=")}), keys, 1),
        ("a line feed", changed(entry={"sig": sig[:20] + "\n" + sig[20:]}), keys, 1),
        ("spare bits", changed(entry={"sig": sig[:-3] + chr(ord(sig[-3]) + 1) + "=="}), keys, 1),
        ("the other alphabet", changed(entry={"sig": sig[:-4] + "_-=="}), keys, 1),
        ("no ASCII", changed(entry={"sig": "é" + sig[1:]}), keys, 1),
        ("blanks", json.dumps(json.loads(single)).encode(), keys, 1),
        ("a line feed behind", single + b"\n", keys, 1),
        ("a byte-order mark", b"\xef\xbb\xbf" + single, keys, 1),
        ("a key twice", single.replace(b'{"payload":', b'{"payload":"","payload":', 1), keys, 1),
        ("an escape", single.replace(b"payloadType", b"payload\\u0054ype"), keys, 1),
        ("a list", b"[]", keys, 1),
        ("nothing", b"", keys, 1),
    ]
    for name, data, trusted, threshold in cases:
        case: Case = {
            "name": name,
            **spelled_input(data)[1],
            "keys": [key.hex() for key in trusted],
            "threshold": threshold,
        }
        trust = TrustRoot.of(trusted, threshold)
        codes = codes_of(lambda d=data, t=trust: open_envelope(d, t))  # type: ignore[misc]
        yield case | ({"refused": codes} if codes else {"payload": open_envelope(data, trust).payload.decode()})
    signed = pae("http://example.com/HelloWorld", b"hello world").decode()
    yield {"name": "what is signed", "pae": ["http://example.com/HelloWorld", "hello world", signed]}
