"""Trust roots: who may sign what, until when, and what counts no more. `trust.json` says so, signed by its own roots.

    {"v":1,"channel":"main","version":2,
     "roles":{"root":{"keys":["…","…"],"threshold":2,"expires":1830297600},"pack":{…},"release":{…}},
     "revoked":{"keys":["…"],"digests":["…"]}}

is the payload of a DSSE envelope. Keys are raw Ed25519 public keys in hexadecimal, times are seconds since 1970 (UTC).
Whoever trusts version N accepts version N + 1 when enough root keys of N *and* enough root keys of N + 1 have signed
it; so a client that slept follows the chain, and only the newest must not have expired. Nothing here reads a file or
a clock: bytes and `now` are arguments. (The Update Framework's root role is the model.)
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from levelgen.errors import Finding, Malformed, Untrusted
from levelgen.pack.signing import (
    MAX_KEYS,
    TrustRoot,
    is_demo_key,
    open_envelope,
    public_key_findings,
    read_envelope,
)
from levelgen.pack.strict import decode_canonical, digest, encode, field_findings, is_count, is_digest, is_match

TRUST_TYPE = "application/vnd.levelgen.trust.v1+json"
TRUST = "trust.json"
ROLES = ("root", "pack", "release")
"""Who may change this file, sign packs, sign releases."""
MAX_TRUST = 1 << 20
MAX_THRESHOLD = 8
"""Twice this is the most signatures an envelope carries, and a new root needs the old and the new ones."""
MAX_REVOKED = 4096
MAX_VERSION = 1_000_000
MAX_TIME = 253_402_300_799
"""The last second of the year 9999: what every calendar can show."""
CHANNEL = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_FIELDS = ("v", "channel", "version", "roles", "revoked")


def moment(seconds: int) -> str:
    """A time as people read it, in UTC."""
    known = datetime.datetime.fromtimestamp(min(max(seconds, 0), MAX_TIME), datetime.UTC)
    return known.strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True, slots=True)
class Role:
    """Who may do one thing."""

    keys: tuple[bytes, ...]
    """Raw public keys, each once, in the order of their bytes."""
    threshold: int
    """How many of them must sign."""
    expires: int
    """From this second on their signatures count no more."""

    def to_json(self) -> dict[str, Any]:
        """The role as its document spells it."""
        return {"keys": [key.hex() for key in self.keys], "threshold": self.threshold, "expires": self.expires}


@dataclass(frozen=True, slots=True)
class TrustDocument:
    """A parsed trust root."""

    channel: str
    version: int
    roles: Mapping[str, Role]
    revoked_keys: tuple[bytes, ...] = ()
    """Keys no later version may name again."""
    revoked_digests: tuple[str, ...] = ()
    """Digests of payloads (manifests, releases) that count no more, whoever signed them."""

    def to_json(self) -> dict[str, Any]:
        """The document as its payload spells it."""
        return {
            "v": 1,
            "channel": self.channel,
            "version": self.version,
            "roles": {name: self.roles[name].to_json() for name in ROLES},
            "revoked": {"keys": [key.hex() for key in self.revoked_keys], "digests": list(self.revoked_digests)},
        }

    def encode(self) -> bytes:
        """The payload."""
        return encode(self.to_json())

    @property
    def digest(self) -> str:
        """The digest of the payload."""
        return digest(self.encode())

    def signers_of(self, role: str) -> TrustRoot:
        """The keys of a role, whatever the time."""
        return TrustRoot(self.roles[role].keys, self.roles[role].threshold, frozenset(self.revoked_digests))

    def root_of(self, role: str, now: int) -> TrustRoot:
        """Whose signatures count for `role` at the time `now`.

        Raises:
            Untrusted: the root or the role has expired.
        """
        findings = tuple(self.expiry_findings(now, ("root", role)))
        if findings:
            raise Untrusted(findings)
        return self.signers_of(role)

    def expiry_findings(self, now: int, roles: Iterable[str] = ROLES) -> Iterator[Finding]:
        """Which of `roles` have expired at the time `now`."""
        for name in dict.fromkeys(roles):
            if now >= self.roles[name].expires:
                yield Finding(
                    "trust/expired",
                    f"the role {name} expired on {moment(self.roles[name].expires)}, it is {moment(now)}",
                    f"{TRUST} version {self.version}",
                    "get a newer trust.json (levelgen trust rotate makes one)",
                )


def parse_trust(payload: bytes, where: str = TRUST) -> TrustDocument:
    """The document in a payload.

    Raises:
        Malformed: with everything that is missing, unknown, out of order or range, or cannot be: a threshold above
            the number of keys, a revoked key in a role, the DEMONSTRATION key.
    """
    data = decode_canonical(payload, where, limit=MAX_TRUST)
    findings = list(field_findings(data, _FIELDS, where, kind="trust")) or list(_findings(data, where))
    if findings:
        raise Malformed(findings)
    roles = {
        name: Role(tuple(map(bytes.fromhex, role["keys"])), role["threshold"], role["expires"])
        for name, role in data["roles"].items()
    }
    revoked = data["revoked"]
    return TrustDocument(
        data["channel"],
        data["version"],
        roles,
        tuple(map(bytes.fromhex, revoked["keys"])),
        tuple(revoked["digests"]),
    )


def _findings(data: Mapping[str, Any], where: str) -> Iterator[Finding]:
    if type(data["v"]) is not int or data["v"] != 1:
        yield Finding("trust/v", f"is of format {str(data['v'])[:20]}; this levelgen reads format 1", where)
    if not is_match(data["channel"], CHANNEL):
        yield Finding("trust/channel", "channel is no name of a channel", where, "write a-z, 0-9, dot, dash")
    if not is_count(data["version"], 1, MAX_VERSION):
        yield Finding("trust/version", f"version is no number from 1 to {MAX_VERSION}", where)
    revoked, wrong = data["revoked"], list(field_findings(data["revoked"], ("keys", "digests"), where, kind="trust"))
    yield from wrong
    if not wrong:
        for name in ("keys", "digests"):
            if not _is_hex_list(revoked[name], MAX_REVOKED):
                yield Finding(
                    "trust/revoked", f"revoked {name} are not at most {MAX_REVOKED} hexadecimal texts in order", where
                )
    gone = set(revoked["keys"]) if not wrong and _is_hex_list(revoked["keys"], MAX_REVOKED) else set()
    wrong = list(field_findings(data["roles"], ROLES, where, kind="trust"))
    yield from wrong
    if not wrong:
        for name in ROLES:
            yield from _role_findings(data["roles"][name], f"{where}, role {name}", gone)


def _is_hex_list(value: Any, most: int) -> bool:
    """Whether `value` is a list of 64 hexadecimal digits each, ascending, none twice."""
    if not isinstance(value, list) or len(value) > most or not all(map(is_digest, value)):
        return False
    return all(low < high for low, high in itertools.pairwise(value))


def _role_findings(role: Any, where: str, revoked: set[str]) -> Iterator[Finding]:
    wrong = list(field_findings(role, ("keys", "threshold", "expires"), where, kind="trust"))
    if wrong:
        yield from wrong
        return
    if not is_count(role["expires"], 0, MAX_TIME):
        yield Finding("trust/expires", "expires is no number of seconds since 1970", where)
    keys = role["keys"]
    if keys == []:
        yield Finding("trust/no-key", "has no key", where, "give it one: --root, --pack or --release")
        return
    if not _is_hex_list(keys, MAX_KEYS):
        yield Finding("trust/keys", f"keys are not 1 to {MAX_KEYS} hexadecimal texts in order, each once", where)
        return
    yield from key_findings(map(bytes.fromhex, keys), where)
    for key in keys:
        if key in revoked:
            yield Finding("trust/revoked-key", f"names the revoked key {key[:16]}…", where, "take it out of the role")
    if not is_count(role["threshold"], 1, min(len(keys), MAX_THRESHOLD)):
        yield Finding(
            "trust/threshold",
            f"the threshold cannot be met: 1 to {min(len(keys), MAX_THRESHOLD)} with these keys",
            where,
        )


def key_findings(keys: Iterable[bytes], where: str) -> Iterator[Finding]:
    """Why keys may not stand in a role: malformed, of low order, or the DEMONSTRATION key."""
    for key in keys:
        yield from public_key_findings(key, where)
        if is_demo_key(key):
            yield Finding(
                "key/demonstration", "this is the DEMONSTRATION key, whose private half is public", where,
                "make a key of your own: levelgen keys new",
            )  # fmt: skip


def open_trust(data: bytes, where: str = TRUST) -> TrustDocument:
    """The document that whoever calls got from a place they trust; its own roots must have signed it.

    Raises:
        Untrusted: it is no trust root, or enough of its own root keys have not signed it.
    """
    return _open_signed(data, None, where)


def follow(trusted: TrustDocument, data: bytes, where: str = TRUST) -> TrustDocument:
    """The next version, once enough root keys of `trusted` and of itself are found to have signed it.

    Raises:
        Untrusted: it is not the next version of the same channel, it lacks signatures, or it takes a revocation back.
    """
    found = _open_signed(data, trusted, where)
    findings = list(successor_findings(trusted, found, where))
    if findings:
        raise Untrusted(findings)
    return found


def _open_signed(data: bytes, before: TrustDocument | None, where: str) -> TrustDocument:
    """Parse after the roots of `before` vouched for the bytes; without any, after the document's own did."""
    if len(data) > 2 * MAX_TRUST:
        raise Untrusted.of("trust/too-long", f"has {len(data)} bytes, more than {2 * MAX_TRUST}", where)
    try:
        if before is not None:
            payload = open_envelope(
                data, before.signers_of("root"), payload_type=TRUST_TYPE, where=f"{where}, by the old roots"
            ).payload
            found = parse_trust(payload, where)
        else:
            found = parse_trust(read_envelope(data, TRUST_TYPE, where)[0], where)
    except Malformed as error:
        raise Untrusted(error.findings) from None
    open_envelope(data, found.signers_of("root"), payload_type=TRUST_TYPE, where=where)
    return found


def successor_findings(old: TrustDocument, new: TrustDocument, where: str = TRUST) -> Iterator[Finding]:
    """Why `new` is not the version that follows `old`, signatures aside."""
    if new.channel != old.channel:
        yield Finding("trust/other-channel", f"is of the channel {new.channel}, not {old.channel}", where)
    if new.version != old.version + 1:
        yield Finding("trust/not-next", f"is version {new.version}, the next one is {old.version + 1}", where)
    if not (set(old.revoked_keys) <= set(new.revoked_keys) and set(old.revoked_digests) <= set(new.revoked_digests)):
        yield Finding("trust/unrevoked", "takes a revocation back", where, "what is revoked stays revoked")


def follow_chain(pinned: bytes, chain: Iterable[bytes] = (), where: str = TRUST) -> tuple[TrustDocument, ...]:
    """Every version from the pinned one to the newest: `chain` holds the versions after `pinned`, in order.

    Raises:
        Untrusted: as `open_trust` and `follow`.
    """
    found = [open_trust(pinned, where)]
    for data in chain:
        found.append(follow(found[-1], data, f"{found[-1].version + 1}.{TRUST}"))
    return tuple(found)
