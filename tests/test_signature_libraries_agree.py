"""Good signatures are good and bad ones bad for everybody: libsodium, OpenSSL, Node, securesystemslib and our own two.

The classes are those of the public Ed25519 test vectors (small order, mixed order, cofactor, non-canonical, malleable,
truncated, prehashed, at the bounds), made here by arithmetic. Where libraries differ, ours are as strict as any.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from hashlib import sha512
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from levelgen.pack.signing import verify_signature
from tests.curve import BASE, TORSION, L, P, Point, add, challenge, encode, holds, join, on_curve, raw, same, times
from tests.packs import signer

ROOT = Path(__file__).resolve().parent.parent
SECRET, NONCE = 0x1234567890ABCDEF << 180, 0xFEDCBA9876543210 << 181
KEY = times(SECRET % L, BASE)
Case = tuple[str, bytes, bytes, bytes]
"""Class, raw public key, message, signature."""


def wanted(message_fits: Callable[[bytes], bool]) -> bytes:
    """The first message for which something holds that holds for one in a few."""
    return next(text for n in range(10_000) if message_fits(text := b"message %d" % n))


def _with(
    a: bytes, r: bytes, s_of: Callable[[int], int], fits: Callable[[int], bool] = lambda h: True
) -> tuple[bytes, bytes]:
    """A message whose challenge fits, and the signature on it."""
    message = wanted(lambda text: fits(challenge(r, a, text)))
    return message, join(r, s_of(challenge(r, a, message)) % L)


def cases() -> Iterator[Case]:
    """Every class, each case with what makes it one checked by the bare equation."""
    honest, other = signer("a"), signer("b")
    message = b"levelgen"
    good = honest.sign(message)
    r, s = good[:32], int.from_bytes(good[32:], "little")
    yield "good", honest.public, message, good
    yield "good", honest.public, b"", honest.sign(b"")
    yield "good", other.public, bytes(range(256)) * 40, other.sign(bytes(range(256)) * 40)
    a = encode(KEY)
    point = encode(times(NONCE % L, BASE))
    plain = _with(a, point, lambda h: NONCE + h * SECRET)
    yield "good", a, *plain

    yield "wrong message", honest.public, message + b"!", good
    yield "wrong key", other.public, message, good
    for bit in (0, 1, 100, 254, 255, 256, 300, 507, 508, 511):
        yield "bit flipped", honest.public, message, (int.from_bytes(good, "little") ^ 1 << bit).to_bytes(64, "little")
    for length in (0, 1, 31, 32, 33, 63):
        yield "truncated", honest.public, message, good[:length]
    for more in (b"\0", good, b"\n"):
        yield "longer", honest.public, message, good + more
    yield "halves swapped", honest.public, message, good[32:] + r
    yield "encoded as text", honest.public, message, good.hex().encode()

    for k in (1, 2, 7, 8, 14):
        assert holds(honest.public, message, join(r, s + k * L))
        yield "malleable: S + kL", honest.public, message, join(r, s + k * L)
    for edge in (0, 1, P - 1, P, P + 1, (1 << 255) - 1, (1 << 256) - 1):
        for scalar in (0, 1, L - 1, L, L + 1, (1 << 252) - 1, 1 << 253, (1 << 256) - 1):
            yield "at the bounds", honest.public, message, join(edge.to_bytes(32, "little"), scalar)

    prefix = b"SigEd25519 no Ed25519 collisions\1\0"
    digest = sha512(message).digest()
    yield "prehashed", a, message, join(point, (NONCE + challenge(point, a, digest, prefix) * SECRET) % L)
    yield "with a context", a, message, join(point, (NONCE + challenge(point, a, message, prefix) * SECRET) % L)

    for small in TORSION:
        yield from _small_key(small, point)
    for small in TORSION[1:]:
        yield from _mixed(small, point)
    yield from _not_canonical(a)
    yield "no point: A", raw(2, 0), message, good
    yield "no point: R", honest.public, message, join(raw(2, 0), s)
    assert on_curve(2, 0) is None


def _small_key(small: Point, point: bytes) -> Iterator[Case]:
    """A key that signs everything: anybody can make these."""
    a = encode(small)
    dead = _with(a, point, lambda h: NONCE, lambda h: same(times(h, small), TORSION[0]))
    assert holds(a, *dead)
    yield "A of small order", a, *dead
    zero = _with(a, encode(TORSION[1]), lambda h: 0)
    assert holds(a, *zero, cofactor=8)
    yield "A and R of small order, S = 0", a, *zero


def _mixed(small: Point, point: bytes) -> Iterator[Case]:
    """Keys and points with a small part: only their owner can make these, and verifiers read them differently."""
    mixed = encode(add(KEY, small))
    for part in TORSION:
        r = encode(part)
        found = _with(mixed, r, lambda h: h * SECRET, lambda h, p=part: same(add(p, times(h, small)), TORSION[0]))  # type: ignore[misc]
        assert holds(mixed, *found)
        yield "R of small order", mixed, *found
        break
    both = encode(add(times(NONCE % L, BASE), small))
    fits = _with(mixed, both, lambda h: NONCE + h * SECRET, lambda h: same(times(h + 1, small), TORSION[0]))
    assert holds(mixed, *fits)
    yield "A and R of mixed order, whole equation", mixed, *fits
    only = _with(mixed, point, lambda h: NONCE + h * SECRET, lambda h: not same(times(h, small), TORSION[0]))
    assert holds(mixed, *only, cofactor=8)
    assert not holds(mixed, *only)
    yield "A of mixed order, cofactored equation only", mixed, *only
    a = encode(KEY)
    only = _with(a, both, lambda h: NONCE + h * SECRET)
    assert holds(a, *only, cofactor=8)
    assert not holds(a, *only)
    yield "R of mixed order, cofactored equation only", a, *only


def _not_canonical(a: bytes) -> Iterator[Case]:
    """Other spellings of a point: y above the field, or a sign where x is zero."""
    spellings = [raw(P, 0), raw(P, 1), raw(P + 1, 0), raw(P + 1, 1), raw(1, 1), raw(P - 1, 1)]
    for r in spellings:
        found = _with(a, r, lambda h: h * SECRET)
        assert holds(a, *found, cofactor=8)
        yield "R not canonical", a, *found
    for key in spellings:
        r = encode(TORSION[0])
        found = _with(key, r, lambda h: 0)
        assert holds(key, *found, cofactor=8)
        yield "A not canonical", key, *found
        fits = wanted(lambda text, key=key: holds(key, text, join(encode(TORSION[0]), 0)))  # type: ignore[misc]
        yield "A not canonical", key, fits, join(r, 0)


CASES = list(cases())
GOOD = {"good", "A and R of mixed order, whole equation"}
"""What everybody accepts. The second class only the owner of an odd key can make, for that key alone."""

LAXER = {
    "openssl": {"A of small order", "A and R of small order, S = 0", "R of small order", "A not canonical"},
    "libsodium": set[str](),
}
"""Classes that a library may accept and we do not; whoever is built on OpenSSL shares its entry."""


def openssl_reads(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def judge(accepts: Callable[[bytes, bytes, bytes], bool], laxer: set[str]) -> None:
    """Whether somebody accepts what is good, and besides nothing but `laxer`."""
    for kind, public, message, signature in CASES:
        found = accepts(public, message, signature)
        if kind in GOOD:
            assert found, kind
        else:
            assert not found or kind in laxer, f"{kind}: {public.hex()} {message!r} {signature.hex()}"


def test_every_class_is_there() -> None:
    kinds = [case[0] for case in CASES]
    assert len(set(kinds)) == 22
    assert len(kinds) > 130


def test_our_verifier_accepts_what_is_good_and_nothing_else() -> None:
    judge(lambda public, message, signature: verify_signature(public, signature, message), set())


def test_openssl_as_a_library_is_laxer_in_these_classes_only() -> None:
    judge(openssl_reads, LAXER["openssl"])


def test_libsodium_agrees() -> None:
    nacl_signing = pytest.importorskip("nacl.signing")

    def accepts(public: bytes, message: bytes, signature: bytes) -> bool:
        try:
            nacl_signing.VerifyKey(public).verify(message, signature)
        except Exception:  # wrong lengths and bad signatures are different errors there
            return False
        return True

    judge(accepts, LAXER["libsodium"])


def test_securesystemslib_agrees() -> None:
    library = pytest.importorskip("securesystemslib.signer")
    errors = pytest.importorskip("securesystemslib.exceptions")

    def accepts(public: bytes, message: bytes, signature: bytes) -> bool:
        key = library.SSlibKey("id", "ed25519", "ed25519", {"public": public.hex()})
        try:
            key.verify_signature(library.Signature("id", signature.hex()), message)
        except errors.UnverifiedSignatureError:
            return False
        return True

    judge(accepts, LAXER["openssl"])


SPKI = bytes.fromhex("302a300506032b6570032100")


def test_the_openssl_command_agrees(tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    chosen = {kind: (public, message, signature) for kind, public, message, signature in CASES}

    def accepts(public: bytes, message: bytes, signature: bytes) -> bool:
        if (public, message, signature) not in chosen.values():  # one of a class: each costs a process
            return openssl_reads(public, message, signature)
        for name, data in (("key", SPKI + public), ("message", message), ("sig", signature)):
            (tmp_path / name).write_bytes(data)
        command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in message -sigfile sig"
        return subprocess.run(command.split(), cwd=tmp_path, capture_output=True, check=False).returncode == 0

    judge(accepts, LAXER["openssl"])


NODE = """
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
const { verifySignature } = await import(process.argv[1]);
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
const answers = [];
for (const [key, message, signature] of JSON.parse(readFileSync(0, "utf8"))) {
  let theirs = false;
  try {
    const der = Buffer.from("302a300506032b6570032100" + key, "hex");
    const read = createPublicKey({ key: der, format: "der", type: "spki" });
    theirs = verify(null, bytes(message), read, bytes(signature));
  } catch {}
  answers.push([theirs, await verifySignature(bytes(key), bytes(signature), bytes(message))]);
}
console.log(JSON.stringify(answers));
"""


def test_node_and_our_javascript_agree() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    question = json.dumps([[part.hex() for part in case[1:]] for case in CASES])
    module = (ROOT / "levelgen/clients/levelgen.mjs").as_uri()
    done = subprocess.run(
        ["node", "--input-type=module", "-e", NODE, module], input=question, capture_output=True, text=True, check=True
    )
    answers = dict(zip((case[1:] for case in CASES), json.loads(done.stdout), strict=True))
    judge(lambda *case: answers[case][0], LAXER["openssl"])
    judge(lambda *case: answers[case][1], set())
