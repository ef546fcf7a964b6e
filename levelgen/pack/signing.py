"""Signatures: DSSE v1 envelopes with Ed25519, and the keys that make and check them.

    PAE(type, body) = "DSSEv1" SP len(type) SP type SP len(body) SP body        lengths in decimal ASCII

is what is signed (the DSSE protocol, v1.0.2). A verifier takes the algorithm and the payload type from its trust root,
never from the envelope; `keyid` only says which key to try first; a threshold counts distinct raw public keys.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from levelgen.errors import Finding, Malformed, Untrusted
from levelgen.pack.disk import write_file
from levelgen.pack.strict import decode_canonical, digest, encode, field_findings

PAYLOAD_TYPE = "application/vnd.levelgen.manifest.v1+json"
MAX_ENVELOPE = 8 << 20
MAX_SIGNATURES = 16
MAX_KEYS = 64

_FIELD = (1 << 255) - 19
_ORDER = (1 << 252) + 27742317777372353535851937790883648493
_ORDER_EIGHT_Y = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER_Y = frozenset(
    {
        0,
        1,
        _FIELD - 1,
        _ORDER_EIGHT_Y,
        _FIELD - _ORDER_EIGHT_Y,
    }
)
"""The y of every point whose order divides eight (RFC 8032 names the curve; a test derives them)."""

DEMO_PUBLIC = bytes.fromhex("f19dce45357ca7c99af6a81a263b36119ebfc73c4bddb9c2948c95bfd20a13b0")
"""The public half of the DEMONSTRATION key in `demo_key.pem`. Everybody has the private half: it proves nothing."""


def is_demo_key(public: bytes) -> bool:
    """Whether this raw public key is the DEMONSTRATION key, which no release may use."""
    return public == DEMO_PUBLIC


def key_id(public: bytes) -> str:
    """The name of a key in an envelope: the SHA-256 of its 32 raw bytes; the demonstration key says what it is."""
    name = digest(public)
    return f"DEMONSTRATION-KEY-{name[:16]}" if is_demo_key(public) else name


def public_key_findings(public: bytes, where: str = "key") -> tuple[Finding, ...]:
    """Why these raw bytes are no key to trust: wrong length, not a canonical encoding, or a point of low order."""
    if len(public) != 32:
        return (Finding("key/length", f"has {len(public)} bytes, an Ed25519 key has 32", where),)
    y = _y_of(public)
    if y >= _FIELD:
        return (Finding("key/not-canonical", "does not encode its point canonically", where),)
    if y in _LOW_ORDER_Y:
        return (Finding("key/low-order", "is a point of low order: it accepts signatures nobody made", where),)
    return ()


def _y_of(point: bytes) -> int:
    """The y coordinate that 32 bytes encode, as it stands there."""
    return int.from_bytes(point, "little") & ((1 << 255) - 1)


@dataclass(frozen=True, slots=True)
class PackMark:
    """Which version of a pack a release names."""

    version: int
    sha256: str
    """Of the manifest's payload."""


@dataclass(frozen=True, slots=True)
class TrustRoot:
    """Whose signatures count, how many distinct keys must have signed, and what counts no more all the same.

    Make one with `of` or `from_pem`; `levelgen.pack.trust` and `release` make those of a role and of a release.
    """

    keys: tuple[bytes, ...]
    """Raw Ed25519 public keys, each once."""
    threshold: int = 1
    revoked: frozenset[str] = frozenset()
    """Digests of payloads that were revoked, whoever signed them."""
    released: Mapping[str, PackMark] | None = field(default=None, hash=False)
    """The only packs that count, by id; None when no release was given."""

    def pack_findings(self, pack: str, version: int, sha256: str, where: str = "manifest") -> Iterator[Finding]:
        """Why a pack with a good signature is not the released one: mixed from elsewhere, older, or withdrawn."""
        if self.released is None:
            return
        mark = self.released.get(pack)
        if mark is None:
            yield Finding("release/not-released", f"{pack} is in no current release", where, "get the released packs")
        elif mark.version != version:
            yield Finding(
                "release/other-version", f"is version {version} of {pack}, released is {mark.version}", where,
                "get the released pack",
            )  # fmt: skip
        elif mark.sha256 != sha256:
            yield Finding(
                "release/other-pack", f"is another version {version} of {pack} than the released one", where,
                "get the released pack",
            )  # fmt: skip

    @classmethod
    def of(cls, keys: Iterable[bytes], threshold: int = 1, *, release: bool = False) -> TrustRoot:
        """The root of these raw public keys; a key given twice counts once.

        Raises:
            Malformed: a key is no Ed25519 key to trust, the threshold cannot be met, or with `release` the
                demonstration key is among them.
        """
        distinct = tuple(dict.fromkeys(keys))
        findings = [
            finding for number, key in enumerate(distinct, 1) for finding in public_key_findings(key, f"key {number}")
        ]
        if release and any(is_demo_key(key) for key in distinct):
            findings.append(_demo_finding("the trust root"))
        if not 1 <= threshold <= len(distinct) or len(distinct) > MAX_KEYS:
            findings.append(
                Finding("key/threshold", f"a threshold of {threshold} cannot be met with {len(distinct)} distinct keys")
            )
        if findings:
            raise Malformed(findings)
        return cls(distinct, threshold)

    @classmethod
    def from_pem(cls, data: bytes, where: str = "key", *, release: bool = False) -> TrustRoot:
        """The root of the one or more public keys in `data`, any one of which may sign.

        Raises:
            Malformed: as `of` and `load_public_pem`.
        """
        blocks = _PUBLIC_BLOCK.findall(data) or [data]
        return cls.of([load_public_pem(block, where) for block in blocks], release=release)


DEMO_TRUST = TrustRoot((DEMO_PUBLIC,))
"""Trusts the DEMONSTRATION key only: for the packs that `make` builds, and for tests."""

_PUBLIC_BLOCK = re.compile(rb"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", re.DOTALL)


def _demo_finding(where: str) -> Finding:
    return Finding(
        "key/demonstration",
        "this is the DEMONSTRATION key, whose private half is public",
        where,
        "make a key of your own: levelgen keys new",
    )


class Signer(Protocol):
    """Whoever signs: a key in memory, a token, an external command."""

    @property
    def public(self) -> bytes:
        """The raw public key."""

    def sign(self, message: bytes) -> bytes:
        """The 64-byte Ed25519 signature of `message`."""


@dataclass(frozen=True)
class KeySigner:
    """Signs with a private key held in memory."""

    key: Ed25519PrivateKey

    @property
    def public(self) -> bytes:
        """The raw public key."""
        return self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, message: bytes) -> bytes:
        """The 64-byte Ed25519 signature of `message`."""
        return self.key.sign(message)


def new_key() -> KeySigner:
    """A fresh private key from the system's randomness."""
    return KeySigner(Ed25519PrivateKey.generate())


def demo_key() -> KeySigner:
    """The committed DEMONSTRATION key."""
    return load_private_pem((Path(__file__).parent / "demo_key.pem").read_bytes(), None, "demo_key.pem")


def private_pem(signer: KeySigner, password: bytes | None) -> bytes:
    """The key as PKCS #8 PEM, encrypted with `password`; in the clear only when that is None."""
    encryption = BestAvailableEncryption(password) if password is not None else NoEncryption()
    return signer.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)


def public_pem(public: bytes) -> bytes:
    """A raw public key as PEM (SubjectPublicKeyInfo), as OpenSSL reads it."""
    return Ed25519PublicKey.from_public_bytes(public).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def load_private_pem(data: bytes, password: bytes | None, where: str = "key") -> KeySigner:
    """The private key in `data`.

    Raises:
        Malformed: not a PEM private key, not Ed25519, or the password is wrong, missing or needless.
    """
    try:
        key = load_pem_private_key(data, password)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        fix = "put the password the key was made with into LEVELGEN_KEY_PASSWORD"
        if b"-----BEGIN" not in data:
            fix = "give a private key as PEM text (PKCS #8): levelgen keys new, or openssl genpkey -algorithm ed25519"
            raise Malformed.of("key/private", "is no private key in PEM", where, fix) from None
        raise Malformed.of("key/private", f"is not a private key this password opens: {error}", where, fix) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise Malformed.of("key/algorithm", "is not an Ed25519 key", where, "make one: levelgen keys new")
    return KeySigner(key)


def load_public_pem(data: bytes, where: str = "key") -> bytes:
    """The raw public key in `data`, a PEM file.

    Raises:
        Malformed: not a PEM public key, not Ed25519, or not a key to trust (`public_key_findings`).
    """
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise Malformed.of("key/public", "is not a PEM public key", where,
                           "give the NAME.pub.pem that `levelgen keys new NAME` wrote") from None  # fmt: skip
    if not isinstance(key, Ed25519PublicKey):
        raise Malformed.of("key/algorithm", "is not an Ed25519 key", where)
    raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    findings = public_key_findings(raw, where)
    if findings:
        raise Malformed(findings)
    return raw


def save_private_key(path: Path, signer: KeySigner, password: bytes | None) -> None:
    """Write the key to `path`, readable by its owner only. An existing file is never replaced.

    Raises:
        Malformed: `path` exists.
    """
    try:
        write_file(path, private_pem(signer, password), mode=0o600, replace=False)
    except FileExistsError:
        raise Malformed.of("key/exists", "exists already; a key is never overwritten", str(path)) from None


def pae(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed for a payload."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def sign(
    payload: bytes, signers: Sequence[Signer], *, payload_type: str = PAYLOAD_TYPE, release: bool = False
) -> bytes:
    """The envelope of `payload` signed by each of `signers`; one a key, in the order of the raw keys.

    Raises:
        Untrusted: with `release`, one of them holds the demonstration key.
        Malformed: nobody signs, or a signer's key is no key to trust.
    """
    by_key = {signer.public: signer for signer in signers}
    if release and any(is_demo_key(public) for public in by_key):
        raise Untrusted((_demo_finding("signing"),))
    findings = [finding for public in by_key for finding in public_key_findings(public)]
    if not by_key:
        findings.append(Finding("key/none", "nobody signs"))
    if len(by_key) > MAX_SIGNATURES:
        findings.append(Finding("signature/count", f"more than {MAX_SIGNATURES} keys sign"))
    if findings:
        raise Malformed(findings)
    message = pae(payload_type, payload)
    signatures = [(key_id(public), signer.sign(message)) for public, signer in sorted(by_key.items())]
    return write_envelope(payload, payload_type, signatures)


def write_envelope(payload: bytes, payload_type: str, signatures: Iterable[tuple[str, bytes]]) -> bytes:
    """The envelope of a payload with these signatures, each behind the name of its key."""
    envelope: dict[str, Any] = {
        "payload": base64.b64encode(payload).decode(),
        "payloadType": payload_type,
        "signatures": [{"keyid": name, "sig": base64.b64encode(signature).decode()} for name, signature in signatures],
    }
    return encode(envelope)


@dataclass(frozen=True, slots=True)
class Verified:
    """A payload whose signatures were verified, and by which keys."""

    payload: bytes
    keys: tuple[bytes, ...]
    """Raw public keys of the trust root that signed, in its order."""

    @property
    def demonstration(self) -> bool:
        """Whether the threshold is met only with the help of the DEMONSTRATION key."""
        return any(is_demo_key(key) for key in self.keys)


def open_envelope(
    data: bytes, trust: TrustRoot, *, payload_type: str = PAYLOAD_TYPE, where: str = "manifest.dsse.json"
) -> Verified:
    """The payload of an envelope, once enough distinct keys of `trust` are found to have signed it.

    Raises:
        Untrusted: the envelope is not one, is of another type, or lacks good signatures.
    """
    payload, signatures = read_envelope(data, payload_type, where)
    message = pae(payload_type, payload)
    good: set[bytes] = set()
    for hint, signature in signatures:
        for key in sorted(trust.keys, key=lambda key: key_id(key) != hint):
            if key not in good and verify_signature(key, signature, message):
                good.add(key)
                break
    if len(good) < trust.threshold:
        hints = ", ".join(hint[:80] for hint, _ in signatures) or "nobody"
        raise Untrusted.of(
            "signature/not-trusted",
            f"{len(good)} of the trusted keys signed this, {trust.threshold} must; it says it is signed by {hints}",
            where,
            "verify with the public key of whoever made the pack; if that fails too, get the pack again",
        )
    if digest(payload) in trust.revoked:
        raise Untrusted.of("signature/revoked", "was revoked by the trust root", where, "get a newer one")
    return Verified(payload, tuple(key for key in trust.keys if key in good))


def read_envelope(data: bytes, payload_type: str, where: str) -> tuple[bytes, tuple[tuple[str, bytes], ...]]:
    """The payload of an envelope and its signatures, each behind the key it names; nothing is verified yet.

    Raises:
        Untrusted: the envelope is not one, or of another type.
    """
    try:
        envelope = decode_canonical(data, where, limit=MAX_ENVELOPE)
    except Malformed as error:
        raise Untrusted(error.findings) from None
    findings = list(_envelope_findings(envelope, payload_type, where))
    if findings:
        raise Untrusted(findings)
    payload = _base64(envelope["payload"])
    signatures = tuple((entry["keyid"], _base64(entry["sig"])) for entry in envelope["signatures"])
    good = tuple((name, signature) for name, signature in signatures if signature is not None)
    if payload is None or len(good) != len(signatures):
        raise Untrusted.of("signature/base64", "is not canonical standard base64", where)
    return payload, good


def _envelope_findings(envelope: Any, payload_type: str, where: str) -> Iterable[Finding]:
    found = list(field_findings(envelope, ("payload", "payloadType", "signatures"), where, kind="signature"))
    if found:
        yield from found
        return
    if envelope["payloadType"] != payload_type:
        yield Finding("signature/payload-type", f"is not of the type {payload_type}", where)
    if not isinstance(envelope["payload"], str):
        yield Finding("signature/payload", "the payload is no text", where)
    signatures = envelope["signatures"]
    if not isinstance(signatures, list) or not 1 <= len(signatures) <= MAX_SIGNATURES:
        yield Finding("signature/count", f"does not carry 1 to {MAX_SIGNATURES} signatures", where)
        return
    for number, entry in enumerate(signatures, start=1):
        at = f"{where}, signature {number}"
        wrong = list(field_findings(entry, ("keyid", "sig"), at, kind="signature"))
        yield from wrong
        if not wrong and not (isinstance(entry["keyid"], str) and isinstance(entry["sig"], str)):
            yield Finding("signature/field", "keyid or sig is no text", at)


def _base64(text: str) -> bytes | None:
    """The bytes of canonical standard base64, or None: padding, alphabet and spare bits must be exact."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode() == text else None


def verify_signature(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether this is the Ed25519 signature of `message` under a raw public key, by RFC 8032 and no laxer.

    Refused besides a wrong signature: A (the key) or R (the signature's first half) of low order or not canonically
    encoded, and S (its second half) not below the group's order. Libraries differ in these; honest signers meet none.
    """
    if len(signature) != 64 or public_key_findings(public):
        return False
    r, s = _y_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if s >= _ORDER or r >= _FIELD or r in _LOW_ORDER_Y:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
