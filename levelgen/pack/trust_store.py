"""A folder of trust roots: every version as `N.trust.json`, the newest as `trust.json` too, and the one being made.

A new version that lacks signatures waits as `next.trust.json`, so that root keys can be kept by several people on
several machines: each adds a signature, and with the last one needed it becomes the newest version.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from levelgen.errors import Malformed, Untrusted
from levelgen.pack.disk import read_file, write_file
from levelgen.pack.signing import Signer, TrustRoot, is_demo_key, key_id, pae, read_envelope, sign, verify_signature
from levelgen.pack.signing import write_envelope as seal
from levelgen.pack.trust import (
    MAX_TRUST,
    MAX_VERSION,
    TRUST,
    TRUST_TYPE,
    TrustDocument,
    follow,
    open_trust,
    parse_trust,
    successor_findings,
)

NEXT = "next.trust.json"
MAX_FILE = 2 * MAX_TRUST


def version_name(version: int) -> str:
    """The file that keeps a version of the trust root."""
    return f"{version}.{TRUST}"


def read_envelope_file(path: Path) -> bytes:
    """The bytes of a file that holds a trust root or a release. Raises as `disk.read_file`."""
    return read_file(path, MAX_FILE, "trust")


def chain_after(folder: Path, version: int) -> Iterator[bytes]:
    """The versions in a folder that follow `version`, in order, up to the first that is not there.

    Each is read when it is asked for, so that whoever verifies them one by one reads no more than one bad one.
    """
    for number in range(version + 1, MAX_VERSION + 1):
        path = folder / version_name(number)
        if not path.is_file():
            return
        yield read_envelope_file(path)


@dataclass(frozen=True, slots=True)
class Store:
    """What a folder of trust roots holds, verified from its first version on."""

    files: tuple[bytes, ...]
    """Version 1, 2, …"""
    documents: tuple[TrustDocument, ...]

    @property
    def newest(self) -> TrustDocument:
        """The last version."""
        return self.documents[-1]


def read_store(folder: Path) -> Store:
    """Every version in a folder.

    Raises:
        Malformed: there is no trust root.
        Untrusted: a version is missing or does not follow from the one before, or `trust.json` is none of them.
    """
    files: list[bytes] = []
    documents: list[TrustDocument] = []
    for data in chain_after(folder, 0):
        where = version_name(len(files) + 1)
        documents.append(follow(documents[-1], data, where) if documents else open_trust(data, where))
        files.append(data)
    current = read_envelope_file(folder / TRUST)
    if not files:
        raise Malformed.of("trust/missing", f"holds no {version_name(1)}", str(folder), "make one: levelgen trust init")
    # A version is put down before trust.json is: killed in between, the older of the two is what trust.json still says.
    if current not in files[-2:]:
        raise Untrusted.of(
            "trust/not-newest", f"is not version {documents[-1].version}, which lies beside it", str(folder / TRUST),
            "restore the files that levelgen wrote",
        )  # fmt: skip
    return Store(tuple(files), tuple(documents))


@dataclass(frozen=True, slots=True)
class Proposal:
    """A version on its way: who has signed it, and how many signatures it still lacks."""

    document: TrustDocument
    envelope: bytes
    missing_old: int
    """Signatures by root keys of the version before."""
    missing_new: int
    """Signatures by root keys of this version."""
    signed_by: tuple[bytes, ...]
    """Root keys of either version that signed, in the order of the roles."""

    @property
    def complete(self) -> bool:
        """Whether it can become the newest version."""
        return not self.missing_old and not self.missing_new


def propose(folder: Path, document: TrustDocument, signers: Sequence[Signer]) -> Proposal:
    """Sign a new version and install it, or keep it as `next.trust.json` while it lacks signatures.

    Raises:
        Malformed: the document cannot be one or does not follow the newest version, a signer's key is in neither root
            role, or another proposal waits.
    """
    before = _newest_in(folder)
    if (folder / NEXT).exists():
        raise Malformed.of(
            "trust/waiting", "waits for signatures already", str(folder / NEXT),
            "sign it (levelgen trust sign), or remove the file",
        )  # fmt: skip
    parse_trust(document.encode())
    if before is None and document.version != 1:
        raise Malformed.of("trust/not-next", "the first version is 1", str(folder))
    findings = [] if before is None else list(successor_findings(before, document))
    if findings:
        raise Malformed(findings)
    _check_signers(document, before, signers)
    envelope = sign(document.encode(), signers, payload_type=TRUST_TYPE, release=True)
    folder.mkdir(parents=True, exist_ok=True)
    return _settle(folder, document, before, envelope)


def add_signatures(folder: Path, signers: Sequence[Signer]) -> Proposal:
    """Sign the version that waits in a folder, and install it if that is enough.

    Raises:
        Malformed: none waits, or a signer's key is in neither root role.
        Untrusted: what waits does not follow the newest version.
    """
    before = _newest_in(folder)
    envelope = read_envelope_file(folder / NEXT)
    payload, signatures = read_envelope(envelope, TRUST_TYPE, NEXT)
    document = parse_trust(payload, NEXT)
    findings = [] if before is None else list(successor_findings(before, document, NEXT))
    if findings:
        raise Untrusted(findings)
    _check_signers(document, before, signers)
    message = pae(TRUST_TYPE, payload)
    both = TrustRoot(_root_keys(document, before))
    kept = dict(_signed(both, signatures, message)) | {signer.public: signer.sign(message) for signer in signers}
    envelope = seal(payload, TRUST_TYPE, ((key_id(key), signature) for key, signature in sorted(kept.items())))
    return _settle(folder, document, before, envelope)


def _newest_in(folder: Path) -> TrustDocument | None:
    """The newest version in a folder, if it has any; what a killed writer left undone is done."""
    if not (folder / version_name(1)).exists() and not (folder / TRUST).exists():
        return None
    store = read_store(folder)
    if read_envelope_file(folder / TRUST) != store.files[-1]:
        write_file(folder / TRUST, store.files[-1])
    if (folder / NEXT).exists() and read_envelope_file(folder / NEXT) == store.files[-1]:
        (folder / NEXT).unlink()
    return store.newest


def standing_of(envelope: bytes, before: TrustDocument | None, where: str = NEXT) -> Proposal:
    """How far a proposal has come.

    Raises:
        Untrusted: it is no envelope of a trust root.
        Malformed: it holds no trust root.
    """
    payload, signatures = read_envelope(envelope, TRUST_TYPE, where)
    document = parse_trust(payload, where)
    message = pae(TRUST_TYPE, payload)

    def missing(root: TrustRoot) -> int:
        return max(0, root.threshold - len(dict(_signed(root, signatures, message))))

    old = 0 if before is None else missing(before.signers_of("root"))
    both = TrustRoot(_root_keys(document, before))
    signed = dict(_signed(both, signatures, message))
    return Proposal(
        document, envelope, old, missing(document.signers_of("root")), tuple(key for key in both.keys if key in signed)
    )


def standing_in(path: Path) -> Proposal:
    """How far the trust root in a file has come; the version before it is looked for beside it.

    Raises:
        Untrusted: as `standing_of`.
        Malformed: as `standing_of`, or there is no such file.
    """
    proposal = standing_of(read_envelope_file(path), None, str(path))
    beside = path.with_name(version_name(proposal.document.version - 1))
    if not beside.exists():
        return proposal
    return standing_of(
        proposal.envelope, standing_of(read_envelope_file(beside), None, str(beside)).document, str(path)
    )


def _signed(root: TrustRoot, signatures: Sequence[tuple[str, bytes]], message: bytes) -> list[tuple[bytes, bytes]]:
    """The keys of `root` that signed, each with its signature."""
    return [
        (key, signature)
        for _, signature in signatures
        for key in root.keys
        if verify_signature(key, signature, message)
    ]


def _root_keys(document: TrustDocument, before: TrustDocument | None) -> tuple[bytes, ...]:
    old = () if before is None else before.roles["root"].keys
    return tuple(dict.fromkeys((*old, *document.roles["root"].keys)))


def _check_signers(document: TrustDocument, before: TrustDocument | None, signers: Sequence[Signer]) -> None:
    known = _root_keys(document, before)
    for signer in signers:
        if signer.public not in known:
            name = "the DEMONSTRATION key" if is_demo_key(signer.public) else f"the key {key_id(signer.public)[:16]}…"
            raise Malformed.of(
                "trust/not-a-root", f"{name} is a root key of neither version", "--signer", "sign with a root key"
            )


def _settle(folder: Path, document: TrustDocument, before: TrustDocument | None, envelope: bytes) -> Proposal:
    proposal = standing_of(envelope, before)
    if not proposal.complete:
        write_file(folder / NEXT, envelope)
        return proposal
    if before is None:
        open_trust(envelope)
    else:
        follow(before, envelope)
    try:
        write_file(folder / version_name(document.version), envelope, replace=False)
    except FileExistsError:
        raise Malformed.of(
            "trust/exists", "exists already; a version is never replaced", str(folder / version_name(document.version)),
            "somebody else was faster: look at what they did, then begin again",
        ) from None  # fmt: skip
    write_file(folder / TRUST, envelope)
    with contextlib.suppress(FileNotFoundError):
        (folder / NEXT).unlink()
    return proposal
