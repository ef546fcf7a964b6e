"""The command `trust`: who may sign packs and releases, and until when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from levelgen.cli.sources import SIGNER_HELP, expiry_from, now_from, read_bytes, signers_from
from levelgen.cli.sources import folder as refuse_file
from levelgen.cli.talk import emit_json, say, show, table, tell_findings
from levelgen.errors import Finding, Malformed

if TYPE_CHECKING:
    from levelgen.pack.trust import Role, TrustDocument
    from levelgen.pack.trust_store import Proposal


class _Folder(click.Path):
    """A path that is not empty: a variable that is not set must not mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if value == "":
            self.fail("is empty", param, ctx)
        return super().convert(value, param, ctx)


FOLDER = _Folder(path_type=Path)
_EXPIRES = {"root": "365d", "pack": "365d", "release": "365d"}
_SOON = 14 * 86_400


def _change_options(command: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that makes a new version."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="What was made, as JSON."),
        click.option("--at", metavar="TIME", help="Take this for the time; default: the clock."),
        click.option("--signer", "signers", multiple=True, metavar="SIGNER", help=SIGNER_HELP),
        click.option(
            "--expires", multiple=True, metavar="ROLE=WHEN", help="A date or days from now, such as root=365d."
        ),
        click.option("--threshold", multiple=True, metavar="ROLE=N", help="How many keys of a role must sign."),
        click.option("--release", multiple=True, metavar="PEM", help="Public keys of those who sign releases."),
        click.option("--pack", multiple=True, metavar="PEM", help="Public keys of those who sign packs."),
        click.option("--root", multiple=True, metavar="PEM", help="Public keys of those who may change this."),
    ):
        command = option(command)
    return command


@click.group("trust", epilog="Example:  levelgen trust show studio")
def trust_command() -> None:
    """Say who may sign packs and releases: trust.json, signed by its root keys."""


@trust_command.command(
    "init",
    epilog="Example:  levelgen trust init studio --channel main --root root.pub.pem --pack build.pub.pem"
    " --release ops.pub.pem --signer root.pem",
)
@click.argument("folder", type=FOLDER)
@click.option("--channel", required=True, metavar="NAME", help="The channel this is for: main, staging, …")
@_change_options
def init_command(folder: Path, channel: str, as_json: bool, **options: Any) -> int:
    """Make the first trust root in FOLDER.

    Every role needs a key (--root, --pack, --release). A role expires after 365 days when not told otherwise.
    """
    from levelgen.pack.trust import ROLES, TRUST, Role, TrustDocument

    refuse_file(folder)
    if (folder / TRUST).exists():
        raise Malformed.of(
            "trust/exists", "holds a trust root already", str(folder), "levelgen trust rotate changes it"
        )
    now = now_from(options["at"])
    lasting = {role: f"{role}={_EXPIRES[role]}" for role in ROLES}
    lasting |= {text.partition("=")[0]: text for text in options["expires"]}
    empty = TrustDocument(channel, 1, {name: Role((), 1, 0) for name in ROLES})
    document = _changed(empty, options | {"expires": tuple(lasting.values())}, now)
    return _propose(folder, document, options["signers"], now, as_json)


@trust_command.command(
    "rotate", epilog="Example:  levelgen trust rotate studio --release new.pub.pem --signer root.pem"
)
@click.argument("folder", type=FOLDER)
@_change_options
def rotate_command(folder: Path, as_json: bool, **options: Any) -> int:
    """Make the next trust root in FOLDER: other keys, thresholds or expiry.

    The keys given for a role take the place of those it had; what is not given stays. It must be signed by enough
    root keys of the old and of the new version; until it is, it waits, and `levelgen trust sign` adds signatures.
    """
    from levelgen.pack.trust_store import read_store

    newest, now = read_store(folder).newest, now_from(options["at"])
    document = _changed(replace(newest, version=newest.version + 1), options, now)
    return _propose(folder, document, options["signers"], now, as_json)


@trust_command.command(
    "revoke",
    epilog="Example:  levelgen trust revoke studio --key stolen.pub.pem --release new.pub.pem --signer root.pem",
)
@click.argument("folder", type=FOLDER)
@click.option("--key", "keys", multiple=True, metavar="PEM", help="A public key (PEM, or 64 hexadecimal digits).")
@click.option(
    "--digest", "digests", multiple=True, metavar="SHA256", help="The digest of a pack's manifest or a release."
)
@_change_options
def revoke_command(folder: Path, keys: tuple[str, ...], digests: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Make the next trust root in FOLDER, in which keys, packs or releases count no more, for good.

    A revoked key leaves every role. `levelgen verify --json` prints the digest of a pack.
    """
    from levelgen.pack.strict import is_digest
    from levelgen.pack.trust_store import read_store

    if not keys and not digests:
        raise Malformed.of(
            "trust/nothing", "names nothing to revoke", "levelgen trust revoke", "give --key or --digest"
        )
    bad = [
        Finding("trust/digest", f"{text[:70]!r} is no digest", "--digest") for text in digests if not is_digest(text)
    ]
    if bad:
        raise Malformed(bad)
    raw = [key for text in keys for key in _keys_of((text,))]
    now = now_from(options["at"])
    document = _changed(_revoked(read_store(folder).newest, raw, digests), options, now)
    return _propose(folder, document, options["signers"], now, as_json)


@trust_command.command("sign", epilog="Example:  levelgen trust sign studio --signer root2.pem")
@click.argument("folder", type=FOLDER)
@click.option("--signer", "signers", multiple=True, metavar="SIGNER", help=SIGNER_HELP)
@click.option("--json", "as_json", is_flag=True, help="What came of it, as JSON.")
def sign_command(folder: Path, signers: tuple[str, ...], as_json: bool) -> int:
    """Add signatures to the trust root that waits in FOLDER (next.trust.json). Look at it first: `trust show`."""
    from levelgen.pack.trust_store import add_signatures

    return _told(folder, add_signatures(folder, signers_from(signers)), as_json)


@trust_command.command("show", epilog="Example:  levelgen trust show studio/next.trust.json")
@click.argument("place", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="The same as JSON.")
def show_command(place: Path, as_json: bool) -> int:
    """Show a trust root and who has signed it: a file, or the newest in a folder. `trust check` judges it."""
    from levelgen.pack.trust import ROLES, TRUST, moment
    from levelgen.pack.trust_store import standing_in

    standing = standing_in(place / TRUST if place.is_dir() else place)
    document = standing.document
    if as_json:
        signed = {"signed_by": [key.hex() for key in standing.signed_by], "missing": _missing(standing)}
        emit_json("trust/1", {"sha256": document.digest, **document.to_json(), **signed})
        return 0
    show(f"{document.channel} version {document.version}, digest {document.digest}")
    rows = [
        (name, f"{role.threshold} of {len(role.keys)}", moment(role.expires), _names(role.keys))
        for name, role in ((name, document.roles[name]) for name in ROLES)
    ]
    table(rows, ("role", "needs", "expires", "keys"))
    show(f"signed by {_names(standing.signed_by) or 'none of its root keys'}")
    for which, count in _missing(standing).items():
        if count:
            show(f"{count} more of the {which} root keys must sign")
    for key in document.revoked_keys:
        show(f"revoked key {key.hex()}")
    for sha256 in document.revoked_digests:
        show(f"revoked digest {sha256}")
    return 0


@trust_command.command("check", epilog="Example:  levelgen trust check channel")
@click.argument("folder", type=FOLDER)
@click.option("--at", metavar="TIME", help="Take this for the time; default: the clock.")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def check_command(folder: Path, at: str | None, as_json: bool) -> int:
    """Check the trust roots in FOLDER, a channel or not: each follows from the one before, nothing has expired.

    In a channel the release and every released pack are opened too. Exit code 3 when something does not hold.
    """
    from levelgen.pack.channel import check_folder

    now = now_from(at)
    checked = check_folder(folder, now)
    warnings = [*_warnings(checked.trust, now), *checked.warnings]
    if as_json:
        found = {"ok": not checked.findings, "version": checked.trust.version, "release": checked.release}
        emit_json(
            "trust-check/1",
            found
            | {
                "findings": [finding.to_json() for finding in checked.findings],
                "warnings": [finding.to_json() for finding in warnings],
            },
        )
    else:
        tell_findings(checked.findings)
        tell_findings(warnings, word="warning")
        good = "does not hold" if checked.findings else "holds"
        release = f", release {checked.release}" if checked.release else ""
        show(f"{folder}: {checked.trust.channel}, trust root {checked.trust.version}{release} {good}")
    return 3 if checked.findings else 0


def _warnings(document: TrustDocument, now: int) -> list[Finding]:
    """What is allowed and yet unwise."""
    from levelgen.pack.signing import key_id
    from levelgen.pack.trust import ROLES, moment

    found = []
    for name in ROLES:
        left = document.roles[name].expires - now
        if 0 < left < _SOON:
            when = moment(document.roles[name].expires)
            found.append(
                Finding("trust/expires-soon", f"the role {name} expires on {when}", fix="levelgen trust rotate")
            )
    for key in sorted({key for role in document.roles.values() for key in role.keys}):
        holds = [name for name in ROLES if key in document.roles[name].keys]
        if len(holds) > 1:
            found.append(
                Finding(
                    "trust/shared-key", f"the key {key_id(key)[:16]}… stands in the roles {' and '.join(holds)}",
                    fix="keep the root key apart: whoever has it can change everything",
                )
            )  # fmt: skip
    return found


def _changed(document: TrustDocument, options: dict[str, Any], now: int) -> TrustDocument:
    """The document with the keys, thresholds and expiries that the options give."""
    from levelgen.pack.trust import ROLES

    keys = {name: _keys_of(options[name]) for name in ROLES}
    thresholds = {name: _number(text, where) for name, text, where in _pairs(options["threshold"], "--threshold")}
    expiries = {name: expiry_from(text, now, where) for name, text, where in _pairs(options["expires"], "--expires")}

    def role_of(name: str) -> Role:
        old = document.roles[name]
        mine = tuple(sorted(set(keys[name]))) or old.keys
        return replace(
            old, keys=mine, threshold=thresholds.get(name, old.threshold), expires=expiries.get(name, old.expires)
        )

    return replace(document, roles={name: role_of(name) for name in ROLES})


def _revoked(newest: TrustDocument, keys: Sequence[bytes], digests: Sequence[str]) -> TrustDocument:
    roles = {
        name: replace(role, keys=tuple(key for key in role.keys if key not in keys))
        for name, role in newest.roles.items()
    }
    return replace(
        newest,
        version=newest.version + 1,
        roles=roles,
        revoked_keys=tuple(sorted({*newest.revoked_keys, *keys})),
        revoked_digests=tuple(sorted({*newest.revoked_digests, *digests})),
    )


def _keys_of(paths: Sequence[str]) -> list[bytes]:
    from levelgen.pack.signing import TrustRoot
    from levelgen.pack.strict import is_digest

    return [
        key
        for path in paths
        for key in ([bytes.fromhex(path)] if is_digest(path) else TrustRoot.from_pem(read_bytes(path), path).keys)
    ]


def _pairs(texts: Sequence[str], where: str) -> list[tuple[str, str, str]]:
    """Role, value and place of every `ROLE=VALUE`."""
    from levelgen.pack.trust import ROLES

    found = []
    for text in texts:
        name, _, value = text.partition("=")
        if name not in ROLES or not value:
            raise Malformed.of("trust/option", f"{text!r} is not ROLE=VALUE", where, f"roles are {', '.join(ROLES)}")
        found.append((name, value, where))
    return found


def _number(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise Malformed.of("trust/option", f"{text!r} is no number", where, "write release=2")
    return int(text)


def _propose(folder: Path, document: TrustDocument, signers: Sequence[str], now: int, as_json: bool) -> int:
    from levelgen.pack.trust_store import propose

    over = [replace(finding, fix="give --expires") for finding in document.expiry_findings(now)]
    if over:
        raise Malformed(over)
    return _told(folder, propose(folder, document, signers_from(signers)), as_json)


def _told(folder: Path, proposal: Proposal, as_json: bool) -> int:
    """Say what became of a proposal; exit code 0 when it is installed, 1 while it waits."""
    from levelgen.pack.trust_store import NEXT

    document = proposal.document
    missing = _missing(proposal)
    if as_json:
        emit_json(
            "trust-made/1",
            {
                "version": document.version,
                "sha256": document.digest,
                "installed": proposal.complete,
                "missing": missing,
            },
        )
    elif proposal.complete:
        show(f"{folder}: trust root {document.version} of {document.channel}")
    else:
        show(f"{folder / NEXT}: waits for signatures")
        for which, count in missing.items():
            if count:
                say(f"{count} more of the {which} root keys must sign: levelgen trust sign {folder} --signer …")
    return 0 if proposal.complete else 1


def _missing(proposal: Proposal) -> dict[str, int]:
    """How many signatures lack, by whose root keys."""
    return {"old": proposal.missing_old, "new": proposal.missing_new}


def _names(keys: Sequence[bytes]) -> str:
    from levelgen.pack.signing import key_id

    return " ".join(key_id(key)[:16] for key in keys)
