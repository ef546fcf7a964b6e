"""What a game server imports: open a pack it trusts, read a level, judge a player's log.

    trust  = TrustRoot.from_pem(pem, release=True)
    pack   = open_pack("eram.lgpack", trust)
    record = pack.level(7)                              proved a member of the signed tree
    answer = judge(record, parse_log(body))             won, lost, unfinished or refused

The standard library and `cryptography` only. Errors are `LevelgenError`s: `Untrusted` when something signed does not
hold, `Malformed` when a log cannot be read, `NothingMatched` when the pack has no such level.
"""

from __future__ import annotations

from collections.abc import Mapping

from levelgen.errors import Malformed
from levelgen.moves import Log, parse_log
from levelgen.pack.manifest import Manifest, parse_manifest
from levelgen.pack.records import Record, parse_record
from levelgen.pack.release import Accepted, Release, Seen, accept_release, parse_seen
from levelgen.pack.signing import DEMO_TRUST, TrustRoot, open_envelope
from levelgen.pack.trust import TrustDocument, follow_chain, open_trust
from levelgen.pack.verify import LevelProof, Pack, Report, open_pack, verify_level, verify_pack
from levelgen.replay import AIDS, Context, Verdict, grant_of, replay


def context_of(record: Record, balance: Mapping[str, int | None] | None = None, first: bool = False) -> Context:
    """The context of a game on a level: the level's own tools, where `balance` does not say how many the player had.

    A tool that neither names is free in triples and absent in pairs. `first`: the player never completed the level.
    """
    unnamed = None if record.ruleset.id == "triples" else 0
    had = [(balance or {}).get(name) for name in AIDS]
    undo, hint, shuffle = (
        record.tools.get(name, unnamed) if number is None else number for name, number in zip(AIDS, had, strict=True)
    )
    return Context((undo, hint, shuffle), first, grant_of(record.ruleset, record.level))


def judge(record: Record, log: Log, context: Context | None = None) -> Verdict:
    """The verdict on a log under the rules of its level; without a context, in that of `context_of(record)`.

    Raises:
        Malformed: the log was played on another level.
    """
    if (log.pack, log.level) != (record.pack, record.level):
        raise Malformed.of(
            "log/other-level", f"was played on {log.pack}#{log.level}, not on {record.pack}#{record.level}", "log"
        )
    return replay(record.deal, log.moves, context or context_of(record))


__all__ = [
    "AIDS",
    "DEMO_TRUST",
    "Accepted",
    "Context",
    "LevelProof",
    "Log",
    "Manifest",
    "Pack",
    "Record",
    "Release",
    "Report",
    "Seen",
    "TrustDocument",
    "TrustRoot",
    "Verdict",
    "accept_release",
    "context_of",
    "follow_chain",
    "judge",
    "open_envelope",
    "open_pack",
    "open_trust",
    "parse_log",
    "parse_manifest",
    "parse_record",
    "parse_seen",
    "verify_level",
    "verify_pack",
]
