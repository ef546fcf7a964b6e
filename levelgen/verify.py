"""What a game server imports: open a pack it trusts, read a level, judge a player's log.

    trust  = TrustRoot.from_pem(pem, release=True)
    pack   = open_pack("eram.lgpack", trust)
    record = pack.level(7)                              proved a member of the signed tree
    answer = judge(record, parse_log(body))             won, lost, unfinished or refused

The standard library and `cryptography` only. Errors are `LevelgenError`s: `Untrusted` when something signed does not
hold, `Malformed` when a log cannot be read, `NothingMatched` when the pack has no such level.
"""

from __future__ import annotations

from levelgen.errors import Malformed
from levelgen.moves import Log, parse_log
from levelgen.pack.manifest import Manifest, parse_manifest
from levelgen.pack.records import Record, parse_record
from levelgen.pack.signing import DEMO_TRUST, TrustRoot, open_envelope
from levelgen.pack.verify import LevelProof, Pack, Report, open_pack, verify_level, verify_pack
from levelgen.replay import AIDS, Context, Verdict, replay


def judge(record: Record, log: Log, context: Context | None = None) -> Verdict:
    """The verdict on a log under the rules of its level.

    Without a context the record's own tool budget counts; a tool it does not name is free in triples, absent in pairs.

    Raises:
        Malformed: the log was played on another level.
    """
    if (log.pack, log.level) != (record.pack, record.level):
        raise Malformed.of(
            "log/other-level", f"was played on {log.pack}#{log.level}, not on {record.pack}#{record.level}", "log"
        )
    if context is None:
        unnamed = None if record.ruleset.id == "triples" else 0
        undo, hint, shuffle = (record.tools.get(name, unnamed) for name in AIDS)
        context = Context((undo, hint, shuffle))
    return replay(record.deal, log.moves, context)


__all__ = [
    "AIDS",
    "DEMO_TRUST",
    "Context",
    "LevelProof",
    "Log",
    "Manifest",
    "Pack",
    "Record",
    "Report",
    "TrustRoot",
    "Verdict",
    "judge",
    "open_envelope",
    "open_pack",
    "parse_log",
    "parse_manifest",
    "parse_record",
    "verify_level",
    "verify_pack",
]
