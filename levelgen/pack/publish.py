"""Publish packs to a channel (`levelgen.pack.channel`), or go back to older ones.

First a plan, which names the state of the channel it was made for; then `apply`, which refuses when the channel has
moved since. The whole folder is made anew beside the old one and takes its place in one step, so that a kill at any
moment leaves the old channel or the new one. Going back is a new release of older packs. No clock is read here.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from levelgen.errors import AnswerIsNo, Finding, Malformed, SystemFailed, Untrusted
from levelgen.pack.channel import (
    NOWHERE,
    PACKS,
    RELEASES,
    Channel,
    history_of,
    is_ours,
    pack_path,
    read_channel,
)
from levelgen.pack.disk import new_directory
from levelgen.pack.release import (
    RELEASE,
    RELEASE_TYPE,
    Accepted,
    Release,
    accept_release,
    are_marks,
    marks_in,
    parse_release,
    still_counts,
)
from levelgen.pack.signing import PackMark, Signer, TrustRoot, key_id, sign
from levelgen.pack.strict import MAX_INTEGER, decode_canonical, encode, field_findings, is_count, is_digest
from levelgen.pack.trust import MAX_TIME, TRUST, TrustDocument
from levelgen.pack.trust_store import Store, read_store, version_name
from levelgen.pack.verify import open_pack, verify_pack
from levelgen.pack.write import client_edition, pack_archive

Edition = Literal["server", "client"]
EDITIONS: tuple[Edition, ...] = ("server", "client")
_PLAN_FIELDS = ("v", "channel", "state", "trust", "version", "expires", "edition", "packs", "sources")
_MAX_PLAN = 4 << 20


@dataclass(frozen=True, slots=True)
class Plan:
    """What the next release will hold, and the state of the channel that it follows."""

    channel: str
    state: str
    trust: str
    """The folder the trust root is taken from; empty for the channel's own."""
    version: int
    expires: int
    edition: Edition
    packs: Mapping[str, PackMark] = field(hash=False)
    sources: Mapping[str, str] = field(hash=False)
    """Where the packs are that the channel does not hold yet."""

    def encode(self) -> bytes:
        """The plan as a line of JSON."""
        packs = {name: {"version": mark.version, "sha256": mark.sha256} for name, mark in sorted(self.packs.items())}
        values = (1, self.channel, self.state, self.trust, self.version, self.expires, self.edition, packs)
        return encode(dict(zip(_PLAN_FIELDS, (*values, dict(sorted(self.sources.items()))), strict=True)))


def parse_plan(data: bytes, where: str = "plan") -> Plan:
    """The plan that `Plan.encode` wrote.

    Raises:
        Malformed: it is none.
    """
    value = decode_canonical(data.removesuffix(b"\n"), where, limit=_MAX_PLAN)
    findings = list(field_findings(value, _PLAN_FIELDS, where, kind="plan"))
    if not findings and not _is_plan(value):
        findings = [Finding("plan/field", "a field has the wrong type, spelling or range", where, "plan again")]
    if findings:
        raise Malformed(findings)
    return Plan(
        value["channel"],
        value["state"],
        value["trust"],
        value["version"],
        value["expires"],
        value["edition"],
        marks_in(value["packs"]),
        value["sources"],
    )


def _is_plan(value: Mapping[str, Any]) -> bool:
    sources = value["sources"]
    return (
        is_count(value["v"], 1, 1)
        and all(isinstance(value[name], str) for name in ("channel", "trust", "edition"))
        and value["edition"] in EDITIONS
        and is_digest(value["state"])
        and is_count(value["version"], 1)
        and is_count(value["expires"], 0, MAX_TIME)
        and are_marks(value["packs"])
        and isinstance(sources, dict)
        and all(name in value["packs"] and isinstance(path, str) for name, path in sources.items())
    )


def plan_release(
    folder: Path,
    sources: Sequence[Path],
    now: int,
    expires: int,
    *,
    trust: Path | None = None,
    remove: Iterable[str] = (),
    edition: Edition = "server",
    step: Callable[[], None] = lambda: None,
    jobs: int = 1,
) -> Plan:
    """Plan a release in which the packs at `sources` are current besides those that are already.

    Every pack is verified whole, every certificate replayed, by `jobs` processes; `step` is called after each.
    Without sources the plan renews what is there.

    Raises:
        Malformed: a pack is named twice or is not newer than the one that is current, nothing is left to release.
        Untrusted: a pack does not verify under the role `pack`, or the trust root has expired.
    """
    channel = read_channel(folder)
    store = _store_for(channel, trust)
    store.newest.root_of("release", now)
    root = store.newest.root_of("pack", now)
    current = dict(channel.release.packs) if channel and channel.release else {}
    findings = [
        Finding("publish/not-released", f"{name} is not in the current release", "--remove")
        for name in remove
        if current.pop(name, None) is None
    ]
    packs, places, given = dict(current), dict[str, str](), set[str]()
    for source in sources:
        name, mark = _verified(source, root, jobs)
        if name in given:
            findings.append(Finding("publish/twice", f"{name} is given twice", str(source)))
            continue
        findings += _newer_findings(name, mark, current.get(name), channel, str(source))
        given.add(name)
        packs[name] = mark
        if not _is_stored(channel, name, mark, edition):
            places[name] = str(source.absolute())
        step()
    if not packs:
        findings.append(Finding("publish/nothing", "no pack is left to release", str(folder), "name a pack"))
    if findings:
        raise Malformed(findings)
    return _plan(folder, channel, store, trust, expires, edition, packs, places)


def plan_rollback(folder: Path, now: int, expires: int, *, to: int | None = None, trust: Path | None = None) -> Plan:
    """Plan a new release with the packs of an older one: release `to`, else the last that held other packs.

    Raises:
        Malformed: there is no channel or no such release.
        Untrusted: a pack of that time has been revoked, or does not verify any more.
    """
    channel = read_channel(folder)
    if channel is None or channel.release is None:
        raise Malformed.of("publish/nothing", "has no release to go back from", str(folder))
    store = _store_for(channel, trust)
    store.newest.root_of("release", now)
    history = history_of(channel)
    if to is None:
        others = [version for version, past in history.items() if past.release.packs != channel.release.packs]
        to = max((version for version in others if version < channel.release.version), default=0)
    if to not in history:
        known = ", ".join(map(str, sorted(history))) if history else "none"
        raise Malformed.of("publish/no-such-release", f"there is no such release; there are {known}", f"release {to}")
    packs = dict(history[to].release.packs)
    root = replace(store.newest.root_of("pack", now), released=packs)
    for name, mark in packs.items():
        open_pack(channel.folder / pack_path(name, mark.version), root).close()
    return _plan(folder, channel, store, trust, expires, _edition_of(channel, packs), packs, {})


def _edition_of(channel: Channel, packs: Mapping[str, PackMark]) -> Edition:
    from levelgen.pack.archive import CERTIFICATES, open_reader

    for name, mark in packs.items():
        reader = open_reader(channel.folder / pack_path(name, mark.version))
        with contextlib.closing(reader):
            return "server" if CERTIFICATES in reader.names() else "client"
    return "server"


def _store_for(channel: Channel | None, trust: Path | None) -> Store:
    """The trust roots of the next release: those in `trust`, which must continue the channel's, or the channel's."""
    if trust is None:
        if channel is None:
            raise Malformed.of(
                "publish/no-trust", "a new channel needs a trust root", "--trust", "make one: levelgen trust init"
            )
        return channel.store
    store = read_store(trust)
    old = [] if channel is None else [document.digest for document in channel.store.documents]
    if [document.digest for document in store.documents[: len(old)]] != old:
        raise Untrusted.of(
            "publish/other-trust", "does not continue the trust root of the channel", str(trust), "use its own folder"
        )
    return store


def _verified(source: Path, root: TrustRoot, jobs: int) -> tuple[str, PackMark]:
    report = verify_pack(source, root, jobs=jobs)
    if report.findings or report.manifest is None:
        raise Untrusted(report.findings)
    if not report.certified:
        raise Malformed.of(
            "publish/client-edition", "has no certificates to be checked", str(source),
            "publish the whole pack; --edition client leaves them out",
        )  # fmt: skip
    return report.manifest.pack, PackMark(report.manifest.version, report.digest)


def _newer_findings(
    name: str, mark: PackMark, current: PackMark | None, channel: Channel | None, where: str
) -> Iterator[Finding]:
    if current is not None and mark.version < current.version:
        yield Finding(
            "publish/older", f"is version {mark.version} of {name}, current is {current.version}", where,
            "to go back on purpose: --rollback",
        )  # fmt: skip
        return
    history = [past.release.packs for past in history_of(channel).values()]
    known = [packs[name] for packs in history if name in packs]
    if any(old.version == mark.version and old.sha256 != mark.sha256 for old in known):
        yield Finding(
            "publish/same-version", f"is another pack than version {mark.version} of {name} released before", where,
            "raise the version in the recipe",
        )  # fmt: skip


def _is_stored(channel: Channel | None, name: str, mark: PackMark, edition: Edition) -> bool:
    """Whether the channel holds that pack in that edition already."""
    path = None if channel is None else channel.folder / pack_path(name, mark.version)
    return channel is not None and path is not None and path.is_file() and _edition_of(channel, {name: mark}) == edition


def _plan(
    folder: Path,
    channel: Channel | None,
    store: Store,
    trust: Path | None,
    expires: int,
    edition: Edition,
    packs: Mapping[str, PackMark],
    sources: Mapping[str, str],
) -> Plan:
    state = NOWHERE if channel is None else channel.state
    place = "" if trust is None else str(trust.absolute())
    version = _next_version(channel, store.newest)
    return Plan(store.newest.channel, state, place, version, expires, edition, packs, sources)


def _next_version(channel: Channel | None, trust: TrustDocument) -> int:
    """One more than any release before. When a stolen key has used the numbers up, those it signed are passed over."""
    history = history_of(channel)
    version = 1 + max(history, default=0)
    if version > MAX_INTEGER:
        counting = (number for number, past in history.items() if still_counts(past.keys, past.release.digest, trust))
        version = 1 + max(counting, default=0)
    if version > MAX_INTEGER:
        raise Malformed.of(
            "publish/versions-used-up", "no release can follow, and the keys that signed the last are still trusted",
            RELEASE, "take them out of the role release: levelgen trust rotate",
        )  # fmt: skip
    return version


def apply(folder: Path, plan: Plan, signers: Sequence[Signer], now: int, *, jobs: int = 1) -> Accepted:
    """Carry a plan out: sign the release and put the new channel in the place of the old one, in one step.

    What is put there was accepted as a client would accept it, and every pack in it opened.

    Raises:
        AnswerIsNo: the channel has moved since the plan was made.
        Malformed: a signer is none of the trust root's release keys, a source is not what was planned, or the folder is
            no channel.
        Untrusted: a client would refuse the outcome.
        SystemFailed: somebody else is publishing.
    """
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        channel = read_channel(folder)
        _check_unmoved(channel, plan)
        store = _store_for(channel, Path(plan.trust) if plan.trust else None)
        if store.newest.channel != plan.channel:
            raise Malformed.of("plan/other-channel", f"is for the channel {plan.channel}", "plan", "plan again")
        allowed = store.newest.root_of("release", now)
        for signer in signers:
            if signer.public not in allowed.keys:
                raise Malformed.of(
                    "publish/not-a-release-key", f"{key_id(signer.public)[:16]}… is no key of the role release",
                    "--signer", "sign with one that is, or rotate the trust root",
                )  # fmt: skip
        release = Release(plan.channel, plan.version, plan.expires, plan.packs)
        parse_release(release.encode())
        envelope = sign(release.encode(), signers, payload_type=RELEASE_TYPE, release=True)
        seen = None if channel is None else channel.seen
        accepted = accept_release(store.files[0], envelope, now, chain=store.files[1:], seen=seen)
        with new_directory(folder, keep=lambda name: not is_ours(name)) as draft:
            _fill(draft, folder, store, plan, envelope)
            for name, mark in plan.packs.items():
                _check_stored(
                    draft / pack_path(name, mark.version), accepted.packs, jobs if name in plan.sources else 0
                )
            _check_unmoved(read_channel(folder), plan)
        return accepted


def _check_stored(path: Path, root: TrustRoot, jobs: int) -> None:
    """A pack as it will be read: opened, or with `jobs` verified from end to end."""
    if not jobs:
        open_pack(path, root).close()
        return
    findings = verify_pack(path, root, jobs=jobs).findings
    if findings:
        raise Untrusted(findings)


def _check_unmoved(channel: Channel | None, plan: Plan) -> None:
    if plan.state != (NOWHERE if channel is None else channel.state):
        raise AnswerIsNo.of(
            "publish/moved", "the channel has changed since the plan was made", "plan", "plan again, and look at it"
        )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Nobody else publishes to the folder meanwhile; the lock goes with its process, however that ends."""
    descriptor = os.open(folder.with_name(f".{folder.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemFailed.of(
                "publish/locked", "somebody else is publishing to it", str(folder), "wait until they are done"
            ) from None
        yield
    finally:
        os.close(descriptor)


def _fill(draft: Path, folder: Path, store: Store, plan: Plan, envelope: bytes) -> None:
    """Everything the new channel holds; files that stay as they are become links to the same bytes."""
    for name in (RELEASES, PACKS):
        if (folder / name).is_dir():
            shutil.copytree(folder / name, draft / name, symlinks=True, copy_function=_link_or_copy)
    for number, data in enumerate(store.files, start=1):
        (draft / version_name(number)).write_bytes(data)
    (draft / TRUST).write_bytes(store.files[-1])
    (draft / RELEASE).write_bytes(envelope)
    history = draft / RELEASES / f"{plan.version}.dsse.json"
    history.parent.mkdir(exist_ok=True)
    history.unlink(missing_ok=True)
    history.write_bytes(envelope)
    for name, source in plan.sources.items():
        target = draft / pack_path(name, plan.packs[name].version)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        if plan.edition == "client":
            client_edition(Path(source), target)
        else:
            pack_archive(Path(source), target)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
