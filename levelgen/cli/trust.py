"""Commands about packs and keys: `verify`, `keys`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs
from levelgen.cli.reports import FORMS, Part, render
from levelgen.cli.sources import cores, folder, password_from_environment, span, trust_from
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.errors import Finding, Malformed, counted

if TYPE_CHECKING:
    from levelgen.pack.signing import TrustRoot
    from levelgen.pack.verify import Check, Report

KEY_HELP = "Whom to trust: a public key (PEM) or a trust.json; default: $LEVELGEN_KEY, else the DEMONSTRATION key."


@click.command("verify", epilog="Example:  levelgen verify out/eram --format junit > verify.xml")
@click.argument("pack", shell_complete=packs)
@click.option("--key", "--trust", metavar="FILE", help=KEY_HELP)
@click.option("--release", metavar="FILE", help="Accept only the packs this release names (release.dsse.json).")
@click.option("--seen", metavar="FILE", help="Remember there which release was seen, and refuse older ones.")
@click.option("--at", metavar="TIME", help="Judge what has expired at this time; default: the clock.")
@click.option("--certified", is_flag=True, help="Also fail when the certificates are not there (a client edition).")
@click.option("--format", "form", type=click.Choice(FORMS), default="text", show_default=True,
              help="How to print the report: for people, programs, GitHub, test reports, code scanning.")  # fmt: skip
@click.option("--regenerate", metavar="RECIPE", type=click.Path(path_type=Path),
              help="Make its levels anew from their recipe, too, and compare.")  # fmt: skip
@click.option("--levels", metavar="A..B", help="With --regenerate: only these levels.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes for a large pack; default: one a core.")
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
def verify_command(
    pack: str,
    key: str | None,
    release: str | None,
    seen: str | None,
    at: str | None,
    certified: bool,
    form: str,
    regenerate: Path | None,
    levels: str | None,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Check signature, tree, every record and every certificate of PACK.

    Exit code 0 when nothing failed, 3 when something does not hold, 4 when --regenerate finds a pack that another
    generator made (generator-mismatch).
    """
    from levelgen.pack.verify import verify_pack

    if levels is not None and regenerate is None:
        raise click.UsageError("--levels goes with --regenerate: the rest of a pack is always checked whole")
    bar: list[Progress] = []

    def progress(done: int, total: int) -> None:
        if not bar:
            bar.append(Progress(f"verifying {pack}", total, silent=as_json or form == "json").__enter__())
        bar[0].reach(done)

    trust = trust_from(key, release, seen, at)
    report = verify_pack(Path(pack), trust, progress, jobs=jobs or cores())
    if bar:
        bar[0].__exit__(None, None, None)
    undecided = False
    if regenerate is not None and report.manifest is not None:
        made_anew = _made_anew(Path(pack), trust, regenerate, levels, as_json or form == "json")
        report = replace(report, checks=(*report.checks, made_anew))
        undecided = made_anew.status == "not checked"
    if as_json or form == "json":
        emit_json("verify/1", report.to_json())
    elif form != "text":
        show(render(form, "verify", _parts(report, pack, certified)))
    else:
        show(report.to_text().rstrip("\n"))
        if report.certified and report.manifest:
            show(f"every level is certified: {report.manifest.levels} of {report.manifest.levels}")
    if not (report.certified if certified else report.ok):
        return 3
    return 4 if undecided else 0


def _made_anew(pack: Path, trust: TrustRoot, recipe: Path, levels: str | None, silent: bool) -> Check:
    """Whether the recipe gives these levels today, as a check of the report."""
    from levelgen.pack.verify import Check, open_pack
    from levelgen.regenerate import generator_finding, regenerate

    with open_pack(pack, trust) as opened:
        mismatch = generator_finding(opened)
        if mismatch is not None:
            return Check("regenerated", "not checked", f"{mismatch.code}: {mismatch.message}")
        numbers = span(levels, opened.numbers)
        with Progress(f"making {opened.manifest.pack} anew", len(numbers), silent=silent) as progress:
            findings = regenerate(opened, recipe, numbers, progress.step)
    return Check(
        "regenerated", "failed" if findings else "ok", f"{counted(len(numbers), 'level')} from {recipe}", findings
    )


def _parts(report: Report, pack: str, certified: bool) -> list[Part]:
    """Each check as a part of a report, and the warnings; a member of the pack is named with the pack's path."""
    file = f"{pack}/manifest.dsse.json" if os.path.isdir(pack) else pack

    def located(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(
            replace(one, where=f"{pack}/{one.where}") if one.where and os.path.isfile(f"{pack}/{one.where}") else one
            for one in findings
        )

    parts = []
    for check in report.checks:
        skipped = (check.note or check.status) if check.status in ("absent", "not checked") else ""
        parts.append(Part(check.name, located(check.findings or _unnamed(check)), skipped, file))
    if certified and report.ok and not report.certified:
        missing = Finding("verify/not-certified", "the certificates are not there: a client edition",
                          fix="verify the full pack, or leave --certified out")  # fmt: skip
        parts.append(Part("certified", (missing,), "", file))
    return [*parts, Part("warnings", report.warnings, "", file, "warning")] if report.warnings else parts


def _unnamed(check: Check) -> tuple[Finding, ...]:
    """A failed check that names no finding is one itself."""
    return (Finding(f"verify/{check.name}", check.note or "failed"),) if check.status == "failed" else ()


@click.group("keys", epilog="Example:  levelgen keys new studio")
def keys_command() -> None:
    """Make signing keys."""


@keys_command.command("new", epilog="Example:  LEVELGEN_KEY_PASSWORD=… levelgen keys new studio")
@click.argument("name")
@click.option("--unencrypted", is_flag=True, help="Write the private key without a password.")
@click.option("--json", "as_json", is_flag=True, help="Print names and key id as JSON.")
def keys_new(name: str, unencrypted: bool, as_json: bool) -> int:
    """Write a new key pair to NAME.pem (private, encrypted, mode 0600) and NAME.pub.pem.

    The password is taken from LEVELGEN_KEY_PASSWORD, else asked for on the terminal.
    """
    from levelgen.pack.disk import write_file
    from levelgen.pack.signing import key_id, new_key, public_pem, save_private_key

    if not name or name.endswith(("/", ".")):
        raise Malformed.of("key/name", f"{name!r} names no file", fix="write a name such as studio")
    folder(Path(name).parent)
    password = None if unencrypted else password_from_environment()
    if password is None and not unencrypted:
        if not os.isatty(0):
            raise Malformed.of(
                "key/password",
                "there is no terminal to ask for a password on",
                fix="set LEVELGEN_KEY_PASSWORD, or use --unencrypted",
            )
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True).encode()
    private, public = Path(f"{name}.pem"), Path(f"{name}.pub.pem")
    if public.exists():
        raise Malformed.of("key/exists", "exists already; a key is never overwritten", str(public))
    signer = new_key()
    save_private_key(private, signer, password)
    write_file(public, public_pem(signer.public), replace=False)
    if as_json:
        emit_json("key/1", {"private": str(private), "public": str(public), "keyid": key_id(signer.public)})
    else:
        show(f"{key_id(signer.public)}  {private}  {public}")
        say(f"keep {private} secret; give {public} to whoever verifies")
    return 0
