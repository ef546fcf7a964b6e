"""What a client does in a channel: trust roots that follow each other, a release, what was seen before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from levelgen.errors import LevelgenError
from levelgen.pack.release import RELEASE_TYPE, Accepted, Release, accept_release, parse_seen
from levelgen.pack.signing import PackMark, sign
from levelgen.pack.strict import MAX_INTEGER
from levelgen.pack.strict import encode as encode_json
from levelgen.pack.trust import ROLES, TRUST_TYPE, Role, TrustDocument
from levelgen.vectors.case import Case
from levelgen.vectors.trust import vector_signer

_NOW = 1_800_000_000
_UNTIL = _NOW + 1000


def _document(
    version: int = 1, revoked: Iterable[str] = (), digests: Iterable[str] = (), channel: str = "main", **names: str
) -> TrustDocument:
    """A trust root with one key a role, named after it; `root="a b/2"` has two, of which both must sign."""

    def role(name: str) -> Role:
        who, _, threshold = names.get(name, name).partition("/")
        return Role(_keys(who.split()), int(threshold or 1), _UNTIL)

    return TrustDocument(channel, version, {name: role(name) for name in ROLES}, _keys(revoked), tuple(sorted(digests)))


def _keys(names: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(sorted(vector_signer(name).public for name in names))


def _signed(payload: bytes, by: str, kind: str = TRUST_TYPE) -> bytes:
    return sign(payload, [vector_signer(name) for name in by.split()], payload_type=kind)


def _root(version: int = 1, by: str = "root", **changes: Any) -> bytes:
    return _signed(_document(version, **changes).encode(), by)


def _release(version: int = 1, by: str = "release", *, until: int = _UNTIL, channel: str = "main") -> bytes:
    release = Release(channel, version, until, {"tiny": PackMark(version, "ab" * 32)})
    return _signed(release.encode(), by, RELEASE_TYPE)


def _twisted(payload: bytes, by: str, kind: str, *path: str, value: Any) -> bytes:
    """A payload with something else at a path, signed all the same."""
    data = json.loads(payload)
    part = data
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return _signed(encode_json(data), by, kind)


def release_cases() -> Iterator[Case]:
    """Visits to a channel, each with what it must come to."""
    first, release = _root(), _release(7)
    seen = accept_release(first, release, _NOW).seen.encode()
    forged = accept_release(first, _release(MAX_INTEGER), _NOW).seen.encode()
    fresh = _root(2, release="fresh", revoked=["release"])
    both = _root(2, "root new", root="new")
    second = accept_release(first, release, _NOW, chain=[_root(2)]).seen.encode()
    trust, plain = _document().encode(), Release("main", 7, _UNTIL, {"tiny": PackMark(7, "ab" * 32)}).encode()
    visits: list[tuple[str, list[bytes], bytes, bytes | None, int]] = [
        ("good, a first visit", [first], release, None, _NOW),
        ("good, seen before", [first], release, seen, _NOW),
        ("good, a newer release", [first], _release(8), seen, _NOW),
        ("good, the root rotated", [first, both], release, seen, _NOW),
        ("good, two of two", [_root(1, "a b", root="a b/2")], release, None, _NOW),
        ("good, to the last second", [first], release, None, _UNTIL - 1),
        ("good, a stolen key ran the version up and is gone", [first, fresh], _release(1, "fresh"), forged, _NOW),
        ("good, a revoked release is forgotten", [first, _root(2, digests=[_sha(forged)])], release, forged, _NOW),
        ("rollback", [first], _release(6), seen, _NOW),
        ("rollback, the version run up", [first], release, forged, _NOW),
        ("rollback, a key was added", [first, _root(2, release="release fresh")], _release(6, "fresh"), seen, _NOW),
        ("two of one version", [first], _release(7, until=_UNTIL - 1), seen, _NOW),
        ("rollback of the root", [first], release, second, _NOW),
        ("another root of that version", [first, _root(2, pack="other")], release, second, _NOW),
        ("freeze", [first], _release(7, until=_NOW), None, _NOW),
        ("everything expired", [first], release, None, _UNTIL),
        ("another channel", [first], _release(7, channel="staging"), None, _NOW),
        ("signed by the role pack", [first], _release(7, "pack"), None, _NOW),
        ("signed by a revoked key", [first, fresh], release, seen, _NOW),
        ("a revoked release", [first, _root(2, digests=[_sha(seen)])], release, None, _NOW),
        ("one of two", [_root(1, "a", root="a b/2")], release, None, _NOW),
        ("rotated without the old key", [first, _root(2, "new", root="new")], release, None, _NOW),
        ("rotated without the new key", [first, _root(2, "root", root="new")], release, None, _NOW),
        ("a version skipped", [first, _root(3)], release, None, _NOW),
        ("a revocation taken back", [_root(1, revoked=["x"]), _root(2)], release, None, _NOW),
        ("a trust root of another channel", [first, _root(2, channel="staging")], release, None, _NOW),
        ("seen in another channel", [_root(channel="staging")], _release(channel="staging"), seen, _NOW),
        ("a state that is none", [first], release, b'{"v":1}', _NOW),
        ("a state without keys", [first], release, re.sub(rb'"keys":.*', b'"keys":[]}}', seen), _NOW),
        ("a revoked key in a role", [_root(1, revoked=["pack"])], release, None, _NOW),
        ("a trust root for a release", [first], first, None, _NOW),
        ("a release for a trust root", [release], release, None, _NOW),
    ]  # fmt: skip
    visits += [
        (f"trust root: {' '.join(path)} is {value!r}"[:60], [_twisted(trust, "root", TRUST_TYPE, *path, value=value)],
         release, None, _NOW)
        for *path, value in (
            ("v", 2), ("channel", "a/b"), ("version", 0), ("more", 1), ("roles", []), ("roles", "pack", None),
            ("roles", "pack", "keys", []), ("roles", "pack", "keys", ["ab"]), ("roles", "root", "threshold", 2),
            ("roles", "root", "expires", "never"), ("roles", "pack", "keys", ["01" + "00" * 31]),
            ("revoked", "keys", 1),
        )
    ]  # fmt: skip
    visits += [
        (f"release: {' '.join(path)} is {value!r}"[:60], [first],
         _twisted(plain, "release", RELEASE_TYPE, *path, value=value), None, _NOW)
        for *path, value in (
            ("v", True), ("version", 0), ("expires", -1), ("more", 1), ("packs", []), ("packs", "tiny", "version", "7"),
            ("packs", "../x", {"version": 1, "sha256": "ab" * 32}), ("packs", "tiny", "sha256", "AB" * 32),
        )
    ]  # fmt: skip
    for name, chain, envelope, before, now in visits:
        yield _visit(name, chain, envelope, before, now)


def _sha(seen: bytes) -> str:
    return parse_seen(seen).release_sha256


def _visit(name: str, chain: list[bytes], envelope: bytes, before: bytes | None, now: int) -> Case:
    case: Case = {
        "name": name,
        "trust": chain[0].decode(),
        "chain": [data.decode() for data in chain[1:]],
        "release": envelope.decode(),
        "seen": None if before is None else before.decode(),
        "now": now,
    }
    try:
        seen = None if before is None else parse_seen(before)
        found = accept_release(chain[0], envelope, now, chain=chain[1:], seen=seen)
    except LevelgenError as error:
        return case | {"refused": [finding.code for finding in error.findings]}
    return case | accepted_json(found)


def accepted_json(found: Accepted) -> Case:
    """What comes of a visit: what to remember, the keys that sign packs, why others than the released do not count."""
    others = [("tiny", 99, "ab" * 32), ("tiny", found.release.version, "cd" * 32), ("giant", 1, "ab" * 32)]
    codes = [finding.code for other in others for finding in found.packs.pack_findings(*other)]
    return {
        "remember": found.seen.encode().decode(),
        "pack_keys": [key.hex() for key in found.packs.keys],
        "others": {"refused": codes},
    }
