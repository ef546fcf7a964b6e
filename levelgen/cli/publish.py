"""The command `publish`: packs into a channel that servers and clients read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import packs as complete_packs
from levelgen.cli.roots import FOLDER
from levelgen.cli.sources import SIGNER_HELP, cores, expiry_from, folder, now_from, read_bytes, signers_from, writable
from levelgen.cli.talk import Progress, emit_json, say, show
from levelgen.errors import Malformed

if TYPE_CHECKING:
    from levelgen.pack.publish import Plan


@click.command(
    "publish",
    epilog="Example:  levelgen publish out/eram --channel channel --plan; levelgen publish --channel channel --apply"
    " --signer ops.pem",
)
@click.argument("packs", nargs=-1, type=FOLDER, shell_complete=complete_packs)
@click.option("--channel", required=True, metavar="DIR", type=FOLDER, help="The folder that servers and clients read.")
@click.option("--plan", is_flag=True, help="Say what would change, and write the plan.")
@click.option("--apply", is_flag=True, help="Carry the plan out.")
@click.option("--rollback", is_flag=True, help="Go back to older packs, in a new release.")
@click.option("--to", type=click.IntRange(1), help="The release to go back to; default: the last with other packs.")
@click.option("--file", "path", metavar="FILE", type=FOLDER, help="Where the plan is kept; default: DIR.plan.json.")
@click.option(
    "--trust", metavar="FOLDER", type=FOLDER, help="Trust roots to publish too (levelgen trust); needed first."
)
@click.option("--remove", multiple=True, metavar="PACK", help="Release this pack no longer.")
@click.option("--edition", type=click.Choice(["server", "client"]), default="server", show_default=True,
              help="client: without certificates, which are winning logs.")  # fmt: skip
@click.option("--expires", metavar="WHEN", default="30d", show_default=True, help="When clients need a newer release.")
@click.option("--signer", "signers", multiple=True, metavar="SIGNER", help=SIGNER_HELP)
@click.option("--at", metavar="TIME", help="Take this for the time; default: the clock.")
@click.option("--json", "as_json", is_flag=True, help="The plan or the release as JSON.")
def publish_command(
    packs: tuple[Path, ...],
    channel: Path,
    plan: bool,
    apply: bool,
    rollback: bool,
    to: int | None,
    path: Path | None,
    trust: Path | None,
    remove: tuple[str, ...],
    edition: str,
    expires: str,
    signers: tuple[str, ...],
    at: str | None,
    as_json: bool,
) -> int:
    """Make PACK… the current packs of a channel.

    First --plan, which verifies them; then --apply, which refuses (exit code 1) when the channel has moved since.
    --rollback plans and applies at once, or only plans with --plan. Without PACK… a plan renews the release.
    """
    from levelgen.pack import publish

    if (plan and apply) or not (plan or apply or rollback):
        raise Malformed.of("publish/option", "give --plan, then --apply; or --rollback", "levelgen publish")
    if ((apply or rollback) and (packs or remove)) or (apply and rollback):
        raise Malformed.of("publish/option", "packs and --remove go with --plan alone", "levelgen publish")
    if not channel.resolve().name:
        raise Malformed.of("publish/option", "is no folder of its own", "--channel", "name a folder")
    folder(channel)
    now = now_from(at)
    file = path or channel.resolve().with_name(f"{channel.resolve().name}.plan.json")
    if plan:
        writable(file)
    if apply:
        made = publish.parse_plan(read_bytes(str(file)), str(file))
    elif rollback:
        made = publish.plan_rollback(channel, now, expiry_from(expires, now), to=to, trust=trust)
    else:
        made = _planned(packs, channel, now, expires, trust, remove, edition, as_json)
    if plan:
        return _keep(file, channel, made, as_json)
    accepted = publish.apply(channel, made, signers_from(signers), now, jobs=cores())
    if apply:
        file.unlink(missing_ok=True)
    if as_json:
        emit_json("publish/1", {"trust": accepted.trust.version, **accepted.release.to_json()})
    else:
        show(f"{channel}: release {accepted.release.version}, trust root {accepted.trust.version}")
    return 0


def _planned(
    packs: tuple[Path, ...],
    channel: Path,
    now: int,
    expires: str,
    trust: Path | None,
    remove: tuple[str, ...],
    edition: str,
    as_json: bool,
) -> Plan:
    from levelgen.pack.publish import EDITIONS, plan_release

    with Progress("verifying", len(packs), silent=as_json or not packs) as bar:
        return plan_release(
            channel,
            packs,
            now,
            expiry_from(expires, now),
            trust=trust,
            remove=remove,
            edition=EDITIONS[edition == "client"],
            step=bar.step,
            jobs=cores(),
        )


def _keep(file: Path, channel: Path, plan: Plan, as_json: bool) -> int:
    """Write the plan down and say what it would change."""
    import json

    from levelgen.pack.channel import read_channel
    from levelgen.pack.disk import write_file
    from levelgen.pack.trust import moment

    write_file(file, plan.encode() + b"\n")
    if as_json:
        emit_json("publish-plan/1", {"file": str(file), **json.loads(plan.encode())})
        return 0
    before = read_channel(channel)
    old = before.release.packs if before and before.release else {}
    show(f"release {plan.version} of {plan.channel}, until {moment(plan.expires)}")
    for name in sorted({*old, *plan.packs}):
        now, then = plan.packs.get(name), old.get(name)
        if now is None:
            show(f"- {name}")
        elif now == then:
            show(f"  {name} version {now.version}")
        else:
            show(f"{'~' if then else '+'} {name} version {now.version}" + (f", was {then.version}" if then else ""))
    say(f"{file}: apply it with levelgen publish --channel {channel} --apply --signer …")
    return 0
