"""Trust roots and releases for tests: keys by name, a clock that is a number, documents that differ in one thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from levelgen.pack.release import RELEASE_TYPE, Accepted, Release, Seen, accept_release
from levelgen.pack.signing import KeySigner, PackMark, sign
from levelgen.pack.trust import ROLES, TRUST_TYPE, Role, TrustDocument
from tests.packs import signer

NOW = 1_800_000_000
LATER = NOW + 1000
"""When everything expires that is not told otherwise."""
MARK = PackMark(1, "ab" * 32)


def keys(names: str) -> tuple[bytes, ...]:
    """The public keys of those names, in the order a document keeps them."""
    return tuple(sorted(signer(name).public for name in names.split()))


def signers(names: str) -> list[KeySigner]:
    """Whoever bears those names."""
    return [signer(name) for name in names.split()]


def document(version: int = 1, revoked: str = "", digests: Iterable[str] = (), **changes: Any) -> TrustDocument:
    """A trust root with one key a role, named after it; `root="a b"`, `root_threshold=2`, `root_expires=…` differ."""
    roles = {
        name: Role(
            keys(changes.pop(name, name)), changes.pop(f"{name}_threshold", 1), changes.pop(f"{name}_expires", LATER)
        )
        for name in ROLES
    }
    channel = changes.pop("channel", "main")
    assert not changes, changes
    return TrustDocument(channel, version, roles, keys(revoked), tuple(sorted(digests)))


def signed(trust: TrustDocument, by: str = "root") -> bytes:
    """The document's envelope."""
    return sign(trust.encode(), signers(by), payload_type=TRUST_TYPE)


def release(version: int = 1, by: str = "release", **changes: Any) -> bytes:
    """A release's envelope."""
    packs = changes.pop("packs", {"tiny": MARK})
    made = Release(changes.pop("channel", "main"), version, changes.pop("expires", LATER), packs)
    assert not changes, changes
    return sign(made.encode(), signers(by), payload_type=RELEASE_TYPE)


def visit(chain: list[bytes], envelope: bytes, seen: Seen | Accepted | None = None, now: int = NOW) -> Accepted:
    """What a client does that was given the first of `chain` and finds the rest and the release in the channel."""
    before = seen.seen if isinstance(seen, Accepted) else seen
    return accept_release(chain[0], envelope, now, chain=chain[1:], seen=before)
