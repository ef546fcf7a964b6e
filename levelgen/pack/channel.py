"""Channels: a folder that servers and clients read, plainly or through a web server.

    trust.json, 1.trust.json, 2.trust.json, …    the trust root and how it came to be
    release.dsse.json                            which version of each pack is current
    releases/7.dsse.json                         every release, for going back
    packs/eram/3.lgpack                          every version of every pack that was released

`visit_channel` is what a server does; `read_channel` and `check_folder` are for whoever keeps the channel.
`levelgen.pack.publish` writes it. A folder that is being replaced is read again, so that old and new never mix.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from levelgen.errors import Finding, LevelgenError, Malformed, Untrusted
from levelgen.pack.archive import SUFFIX
from levelgen.pack.disk import read_file, standing, write_file
from levelgen.pack.opened import open_pack
from levelgen.pack.release import (
    RELEASE,
    RELEASE_TYPE,
    Accepted,
    Release,
    Seen,
    accept_release,
    parse_release,
    parse_seen,
)
from levelgen.pack.signing import TrustRoot, open_envelope
from levelgen.pack.strict import digest, encode
from levelgen.pack.trust import TRUST, TrustDocument, moment, open_trust
from levelgen.pack.trust_store import MAX_FILE, Store, chain_after, read_envelope_file, read_store, version_name

RELEASES = "releases"
PACKS = "packs"
_PATIENCE = 100
_SOON = 7 * 86_400


def visit_channel(
    folder: Path, trusted: bytes, now: int, state: Path | None = None, *, release: str = RELEASE
) -> Accepted:
    """Accept what the folder of a channel holds: the release, and the trust roots that follow `trusted`.

    `trusted` is the trust root the caller was given by hand, `now` the time in seconds since 1970. What was seen is
    kept in the file `state`, if one is named, so that nothing older is accepted the next time.

    Raises:
        Malformed: there is no release, or `state` holds something else.
        Untrusted: as `accept_release`.
    """
    before = None
    if state is not None and state.exists():
        before = parse_seen(read_file(state, MAX_FILE, "state"), str(state))
    version = open_trust(trusted).version
    for patience in reversed(range(_PATIENCE)):
        place = standing(folder)
        envelope = read_envelope_file(place / release)
        try:
            accepted = accept_release(trusted, envelope, now, chain=chain_after(place, version), seen=before)
            break
        except Untrusted:
            if not patience or read_envelope_file(standing(folder) / release) == envelope:
                raise  # else somebody published meanwhile
    if state is not None and accepted.seen != before:
        write_file(state, accepted.seen.encode() + b"\n")
    return accepted


def pack_path(pack: str, version: int) -> str:
    """Where a channel keeps a version of a pack."""
    return f"{PACKS}/{pack}/{version}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class Channel:
    """What a channel's folder holds, verified."""

    folder: Path
    store: Store
    release: Release | None
    """None before the first one."""
    envelope: bytes
    """Of that release; empty before the first one."""
    signed_by: tuple[bytes, ...]

    @property
    def state(self) -> str:
        """What a plan is made for: changes with every release and every trust root."""
        return _state(self.store.files[-1], self.envelope)

    @property
    def seen(self) -> Seen | None:
        """What a client remembers that has visited the channel just now."""
        if self.release is None:
            return None
        newest = self.store.newest
        release = self.release
        return Seen(newest.channel, newest.version, newest.digest, release.version, release.digest, self.signed_by)


def _state(trust: bytes, release: bytes) -> str:
    return digest(encode([digest(part) if part else None for part in (trust, release)]))


NOWHERE = _state(b"", b"")
"""The state of a channel that does not exist yet."""


def read_channel(folder: Path) -> Channel | None:
    """The channel in a folder; None when there is nothing yet.

    Raises:
        Malformed: it is no folder, or holds other things.
        Untrusted: a trust root does not follow from the one before, or no release key ever signed the release.
    """
    for _ in range(_PATIENCE):
        place = standing(folder)
        if not place.exists() or (place.is_dir() and not any(place.iterdir())):
            return None
        if not place.is_dir() or not ((place / TRUST).is_file() and (place / version_name(1)).is_file()):
            raise Malformed.of(
                "publish/not-a-channel",
                f"holds no {TRUST}; it is not replaced",
                str(folder),
                "choose another --channel",
            )
        before = place.stat()
        store = read_store(place)
        envelope = read_envelope_file(place / RELEASE) if (place / RELEASE).exists() else b""
        if os.path.samestat(before, place.stat()):  # else it was replaced meanwhile
            break
    release, signed_by = _opened(envelope, store.documents) if envelope else (None, ())
    return Channel(folder, store, release, envelope, signed_by)


def _opened(envelope: bytes, documents: Sequence[TrustDocument]) -> tuple[Release, tuple[bytes, ...]]:
    """A release of our own, whenever it was signed: under the newest trust root whose release keys signed it."""
    for document in reversed(documents):
        root = TrustRoot(document.roles["release"].keys, document.roles["release"].threshold)
        try:
            verified = open_envelope(envelope, root, payload_type=RELEASE_TYPE, where=RELEASE)
        except Untrusted:
            continue
        return parse_release(verified.payload), verified.keys
    return parse_release(_refused(envelope, documents[-1])), ()


def _refused(envelope: bytes, document: TrustDocument) -> bytes:
    """Raise what is wrong with a release nobody signed."""
    return open_envelope(envelope, document.signers_of("release"), payload_type=RELEASE_TYPE, where=RELEASE).payload


@dataclass(frozen=True, slots=True)
class Past:
    """A release that was published, and the keys that signed it."""

    release: Release
    keys: tuple[bytes, ...]


def history_of(channel: Channel | None) -> dict[int, Past]:
    """Every release that the channel's folder holds, by version, each once signed by release keys of its time."""
    if channel is None or channel.release is None:
        return {}
    found = {channel.release.version: Past(channel.release, channel.signed_by)}
    folder = channel.folder / RELEASES
    for path in sorted(folder.glob("*.dsse.json")) if folder.is_dir() else ():
        try:
            past = Past(*_opened(read_envelope_file(path), channel.store.documents))
        except (Untrusted, Malformed):
            continue  # not a release of ours: never gone back to
        found.setdefault(past.release.version, past)
    return found


def is_ours(name: str) -> bool:
    """Whether an entry of a channel's folder belongs to the channel; others are carried over."""
    return name in (TRUST, RELEASE, RELEASES, PACKS) or (
        name.endswith(f".{TRUST}") and name.removesuffix(f".{TRUST}").isdigit()
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """What `check_folder` found."""

    trust: TrustDocument
    release: int | None
    findings: tuple[Finding, ...]
    warnings: tuple[Finding, ...]


def check_folder(folder: Path, now: int) -> Checked:
    """Check a folder of trust roots, and the release and the packs if it is a channel, as a client at `now` would.

    Raises:
        Malformed: there is no trust root.
        Untrusted: the trust roots do not follow from each other.
    """
    store = read_store(folder)
    newest = store.newest
    findings = list(newest.expiry_findings(now))
    channel = read_channel(folder)
    if channel is None or channel.release is None:
        return Checked(newest, None, tuple(findings), ())
    found = channel.release.version
    try:
        accepted = accept_release(store.files[0], channel.envelope, now, chain=store.files[1:])
    except Untrusted as error:
        new = [finding for finding in error.findings if finding not in findings]
        return Checked(newest, found, (*findings, *new), ())
    for name, mark in accepted.release.packs.items():
        try:
            open_pack(folder / pack_path(name, mark.version), accepted.packs).close()
        except LevelgenError as error:
            findings += error.findings
    left = accepted.release.expires - now
    soon = Finding("release/expires-soon", f"the release expires on {moment(accepted.release.expires)}", RELEASE,
                   "levelgen publish renews it")  # fmt: skip
    return Checked(newest, found, tuple(findings), (soon,) if left < _SOON else ())
