"""Releases: which version of each pack is current. `release.dsse.json` says so, for a short time.

    {"v":1,"channel":"main","version":7,"expires":1798761600,
     "packs":{"eram":{"version":3,"sha256":"…"},"tilematch":{…}}}

is the payload of a DSSE envelope, signed by the role `release` of a trust root. A client remembers what it has seen
(`Seen`), a trust root and a release; with it `accept_release` refuses

    rollback          an older release or trust root than was seen, another one of the same version
    freeze            a release, a role or a root that has expired
    mix and match     a pack that is not the one the release names

What was seen of releases counts only as long as the keys that signed it are trusted and it is not revoked: after a
stolen key has run the version up, a new trust root without that key lets versions start again (fast-forward recovery).
No file and no clock is read here: bytes, `now` and what was seen are arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from levelgen.errors import Finding, Malformed, Untrusted
from levelgen.pack.signing import PackMark, TrustRoot, open_envelope
from levelgen.pack.strict import decode_canonical, digest, encode, field_findings, is_count, is_digest, is_match
from levelgen.pack.trust import CHANNEL, MAX_TIME, MAX_VERSION, TRUST, TrustDocument, follow_chain, moment
from levelgen.pack.words import PACK_ID

RELEASE_TYPE = "application/vnd.levelgen.release.v1+json"
RELEASE = "release.dsse.json"
MAX_RELEASE = 1 << 20
MAX_PACKS = 4096
_FIELDS = ("v", "channel", "version", "expires", "packs")
_SEEN_FIELDS = ("v", "channel", "trust", "release")


@dataclass(frozen=True, slots=True)
class Release:
    """A parsed release."""

    channel: str
    version: int
    expires: int
    """From this second on it counts no more; seconds since 1970, UTC."""
    packs: Mapping[str, PackMark] = field(hash=False)

    def to_json(self) -> dict[str, Any]:
        """The release as its payload spells it."""
        return {
            "v": 1,
            "channel": self.channel,
            "version": self.version,
            "expires": self.expires,
            "packs": {name: _mark_json(mark) for name, mark in sorted(self.packs.items())},
        }

    def encode(self) -> bytes:
        """The payload."""
        return encode(self.to_json())

    @property
    def digest(self) -> str:
        """The digest of the payload."""
        return digest(self.encode())


def _mark_json(mark: PackMark) -> dict[str, Any]:
    return {"version": mark.version, "sha256": mark.sha256}


def parse_release(payload: bytes, where: str = RELEASE) -> Release:
    """The release in a payload.

    Raises:
        Malformed: with every field that is missing, unknown, out of order or out of range.
    """
    data = decode_canonical(payload, where, limit=MAX_RELEASE)
    findings = list(field_findings(data, _FIELDS, where, kind="release")) or list(_findings(data, where))
    if findings:
        raise Malformed(findings)
    return Release(data["channel"], data["version"], data["expires"], marks_in(data["packs"]))


def _findings(data: Mapping[str, Any], where: str) -> Iterator[Finding]:
    wrong = {
        "v": type(data["v"]) is not int or data["v"] != 1,
        "channel": not is_match(data["channel"], CHANNEL),
        "version": not is_count(data["version"], 1),
        "expires": not is_count(data["expires"], 0, MAX_TIME),
        "packs": not are_marks(data["packs"]),
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            yield Finding(f"release/{name}", f"{name} has the wrong type, spelling, order or range", where)


def are_marks(value: Any) -> bool:
    """Whether `value` is an object of packs in the order of their ids, each with its version and digest."""
    if not isinstance(value, dict) or len(value) > MAX_PACKS or list(value) != sorted(value):
        return False
    return all(is_match(name, PACK_ID) and _is_mark(mark) for name, mark in value.items())


def _is_mark(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and list(value) == ["version", "sha256"]
        and is_count(value["version"], 1)
        and is_digest(value["sha256"])
    )


def marks_in(value: Mapping[str, Any]) -> dict[str, PackMark]:
    """The packs in an object of which `are_marks` is true."""
    return {name: PackMark(mark["version"], mark["sha256"]) for name, mark in value.items()}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client remembers from one visit to the next: the newest trust root and release it accepted."""

    channel: str
    trust_version: int
    trust_sha256: str
    release_version: int
    release_sha256: str
    release_keys: tuple[bytes, ...]
    """The raw public keys that signed that release."""

    def encode(self) -> bytes:
        """The state as a line of JSON to be kept."""
        return encode(
            {
                "v": 1,
                "channel": self.channel,
                "trust": {"version": self.trust_version, "sha256": self.trust_sha256},
                "release": {
                    "version": self.release_version,
                    "sha256": self.release_sha256,
                    "keys": [key.hex() for key in self.release_keys],
                },
            }
        )


def parse_seen(data: bytes, where: str = "state") -> Seen:
    """The state that `Seen.encode` wrote.

    Raises:
        Malformed: it is none.
    """
    value = decode_canonical(data.removesuffix(b"\n"), where)
    findings = list(field_findings(value, _SEEN_FIELDS, where, kind="state"))
    if not findings and not _is_seen(value):
        findings = [Finding("state/field", "a field has the wrong type, spelling or range", where)]
    if findings:
        fix = "restore it; without it an older release than the last one seen would be accepted once"
        raise Malformed([replace(finding, fix=fix) for finding in findings])
    trust, release = value["trust"], value["release"]
    return Seen(
        value["channel"], trust["version"], trust["sha256"], release["version"], release["sha256"],
        tuple(map(bytes.fromhex, release["keys"])),
    )  # fmt: skip


def _is_seen(value: Mapping[str, Any]) -> bool:
    trust, release = value["trust"], value["release"]
    return (
        type(value["v"]) is int
        and value["v"] == 1
        and is_match(value["channel"], CHANNEL)
        and _is_mark(trust)
        and trust["version"] <= MAX_VERSION
        and isinstance(release, dict)
        and list(release) == ["version", "sha256", "keys"]
        and _is_mark({name: release[name] for name in ("version", "sha256")})
        and isinstance(release["keys"], list)
        and 1 <= len(release["keys"]) <= 64
        and all(map(is_digest, release["keys"]))
    )


@dataclass(frozen=True, slots=True)
class Accepted:
    """A channel that was found good."""

    trust: TrustDocument
    release: Release
    packs: TrustRoot
    """What opens the released packs and no others: give it to `open_pack`."""
    seen: Seen
    """What to remember for the next visit."""


def accept_release(
    trust: bytes,
    release: bytes,
    now: int,
    *,
    chain: Iterable[bytes] = (),
    seen: Seen | None = None,
) -> Accepted:
    """Accept a release: `trust` is the trust root the caller was given, `chain` the versions that followed it.

    `now` is the time, seconds since 1970; `seen` what the last visit gave back, None on the first.

    Raises:
        Untrusted: anything is not signed as it must be, has expired, is older than what was seen, or contradicts it.
    """
    documents = follow_chain(trust, chain)
    newest = documents[-1]
    if seen is not None:
        findings = tuple(_trust_findings(documents, seen))
        if findings:
            raise Untrusted(findings)
    verified = open_envelope(release, newest.root_of("release", now), payload_type=RELEASE_TYPE, where=RELEASE)
    try:
        found = parse_release(verified.payload)
    except Malformed as error:
        raise Untrusted(error.findings) from None
    sha256 = digest(verified.payload)
    findings = tuple(_release_findings(found, sha256, newest, now, seen))
    if findings:
        raise Untrusted(findings)
    packs = replace(newest.root_of("pack", now), released=found.packs)
    keys = set(verified.keys)
    if seen is not None and seen.release_sha256 == sha256:  # who strips a signature takes nothing from what was seen
        keys |= set(seen.release_keys) & set(newest.roles["release"].keys)
    remembered = Seen(newest.channel, newest.version, newest.digest, found.version, sha256, tuple(sorted(keys)))
    return Accepted(newest, found, packs, remembered)


def _trust_findings(documents: Sequence[TrustDocument], seen: Seen) -> Iterator[Finding]:
    newest = documents[-1]
    if newest.channel != seen.channel:
        yield Finding("trust/other-channel", f"is of the channel {newest.channel}, seen was {seen.channel}", TRUST)
    elif newest.version < seen.trust_version:
        yield Finding(
            "trust/rollback", f"is version {newest.version}, version {seen.trust_version} was seen", TRUST,
            "get the newest trust.json and the versions before it",
        )  # fmt: skip
    elif any(document.version == seen.trust_version and document.digest != seen.trust_sha256 for document in documents):
        yield Finding("trust/other", f"version {seen.trust_version} is not the one that was seen", TRUST)


def _release_findings(
    release: Release, sha256: str, trust: TrustDocument, now: int, seen: Seen | None
) -> Iterator[Finding]:
    if release.channel != trust.channel:
        yield Finding("release/other-channel", f"is of the channel {release.channel}, not {trust.channel}", RELEASE)
    if now >= release.expires:
        yield Finding(
            "release/expired", f"expired on {moment(release.expires)}, it is {moment(now)}", RELEASE,
            "get a newer one; whoever publishes: levelgen publish",
        )  # fmt: skip
    if seen is None or not still_counts(seen.release_keys, seen.release_sha256, trust):
        return
    if release.version < seen.release_version:
        yield Finding(
            "release/rollback", f"is version {release.version}, version {seen.release_version} was seen", RELEASE,
            "get the newest release",
        )  # fmt: skip
    elif release.version == seen.release_version and sha256 != seen.release_sha256:
        yield Finding("release/other", f"is another version {release.version} than the one that was seen", RELEASE)


def still_counts(keys: Iterable[bytes], sha256: str, trust: TrustDocument) -> bool:
    """Whether a release of that digest, signed by those keys, would be accepted under `trust`, time aside."""
    role = trust.roles["release"]
    return len(set(keys) & set(role.keys)) >= role.threshold and sha256 not in trust.revoked_digests
