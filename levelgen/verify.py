"""What a game server imports: open a pack it trusts, read a level, judge a player's log.

    trust  = TrustRoot.from_pem(pem, release=True)
    pack   = open_pack("eram.lgpack", trust)
    record = pack.level(7)                              proved a member of the signed tree
    answer = judge(record, parse_log(body))             won, lost, unfinished or refused

Where packs come from a channel, `visit_channel(folder, trust_json, now, state).packs` is the trust: only the released
packs count, and nothing older than what was seen.

A level without its pack is `verify_level(proof, manifest)`, a game cut short `recover_log`, today's deal `daily_level`.
A stream of logs is judged by `levelgen.batch`; where the full package is installed, `levelgen.regenerate` makes levels
anew and compares. `docs/server.md` has a whole handler.

The standard library and `cryptography` only. Errors are `LevelgenError`s: `Untrusted` when something signed does not
hold, `Malformed` when a log cannot be read, `NothingMatched` when the pack has no such level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from itertools import takewhile

from levelgen.daily import daily_number, daily_seed, date_of_seed, kathmandu_date
from levelgen.errors import Finding, LevelgenError, Malformed, NothingMatched, Untrusted
from levelgen.moves import Log, Refusal, parse_log
from levelgen.pack.channel import visit_channel
from levelgen.pack.manifest import Manifest, parse_manifest
from levelgen.pack.records import Record, parse_record
from levelgen.pack.release import Accepted, Release, Seen, accept_release, parse_seen
from levelgen.pack.signing import DEMO_TRUST, TrustRoot, open_envelope
from levelgen.pack.trust import TrustDocument, follow_chain, open_trust
from levelgen.pack.verify import LevelProof, Pack, Report, open_pack, verify_level, verify_pack
from levelgen.replay import Context, Verdict, replay
from levelgen.saved import Saved, recover_log
from levelgen.tools import AIDS, SILENT


def context_of(
    record: Record,
    manifest: Manifest | None = None,
    balance: Mapping[str, int | None] | None = None,
    *,
    first: bool = False,
    race: bool = False,
) -> Context:
    """The context of a game on a level: what the player had, and what a win earns.

    `balance` says how many of each of `AIDS` the player had; for those it does not name the level's record does, and
    what that does not name either is free in triples and absent in pairs. `first`: the player never completed the
    level, so that a win earns what `manifest` grants. In a `race` both sides have what `manifest` gives to races, and
    a win earns nothing.

    Raises:
        NothingMatched: a race, and the manifest does not say what tools a race gives.
    """
    unnamed = None if record.ruleset.id == "triples" else 0
    allowance = SILENT if manifest is None else manifest.tools
    if race:
        if allowance.race is None:
            raise NothingMatched.of("tools/no-race", "the pack does not say what tools a race gives", record.pack)
        return Context(allowance.race)
    had = [(balance or {}).get(name) for name in AIDS]
    undo, hint, shuffle = (
        record.tools.get(name, unnamed) if number is None else number for name, number in zip(AIDS, had, strict=True)
    )
    return Context((undo, hint, shuffle), first, allowance.grant(record.level))


MAX_TIERS = 64


def daily_level(pack: Pack, tier: str, day: date) -> Record:
    """The record of the deal of that day (`kathmandu_date`) in a pack of deals of the day, proved to be that one.

    Raises:
        NothingMatched: the pack holds no such deal.
        Untrusted: as `Pack.level`.
    """
    seeds = [date_of_seed(pack.level(number).seed) for number in pack.numbers[:MAX_TIERS]]
    start = seeds[0][1] if seeds[0] else None
    tiers = [named[0] for named in takewhile(lambda named: named and named[1] == start, seeds) if named]
    if start is not None and tier in tiers:
        number = daily_number(pack.numbers[0], start, tiers, tier, day)
        record = pack.level(number) if number in pack.numbers else None
        if record is not None and date_of_seed(record.seed) == (tier, day):
            return record
    raise NothingMatched.of("daily/not-here", f"{pack.manifest.pack} holds no deal {tier} of {day}", pack.label)


def judge(record: Record, log: Log, context: Context | None = None) -> Verdict:
    """The verdict on a log under the rules of its level; without a context, in that of `context_of(record)`.

    A log that names another record than this is refused (`other-record`) before its first step.

    Raises:
        Malformed: the log was played on another level.
    """
    if (log.pack, log.level) != (record.pack, record.level):
        raise Malformed.of(
            "log/other-level",
            f"was played on {log.pack}#{log.level}, not on {record.pack}#{record.level}",
            "log",
            f"judge it on PACK#{log.level} of {log.pack}",
        )
    context = context or context_of(record)
    if log.record in ("", record.digest):
        return replay(record.deal, log.moves, context)
    message = f"played on the record {log.record}, this one is {record.digest}"
    return replace(
        replay(record.deal, (), context), verdict="refused", refusal=Refusal("other-record", message), retry=False
    )


__all__ = [
    "AIDS",
    "DEMO_TRUST",
    "Accepted",
    "Context",
    "Finding",
    "LevelProof",
    "LevelgenError",
    "Log",
    "Malformed",
    "Manifest",
    "NothingMatched",
    "Pack",
    "Record",
    "Release",
    "Report",
    "Saved",
    "Seen",
    "TrustDocument",
    "TrustRoot",
    "Untrusted",
    "Verdict",
    "accept_release",
    "context_of",
    "daily_level",
    "daily_seed",
    "follow_chain",
    "judge",
    "kathmandu_date",
    "open_envelope",
    "open_pack",
    "open_trust",
    "parse_log",
    "parse_manifest",
    "parse_record",
    "parse_seen",
    "recover_log",
    "verify_level",
    "verify_pack",
    "visit_channel",
]
