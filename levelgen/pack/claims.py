"""The claims of a certificate that no solution can show, and where their evidence lies in a pack.

    evidence/0007.minimum.json       par: one slot fewer is not enough
    evidence/0007.guess-free.json    a strategy, or an arrangement of the hidden faces that cannot be won

A claim named `minimum`, `strategy` or `refutation` needs its file; what a solver only said is `asserted`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from levelgen.board import Deal
from levelgen.certificate import Certificate
from levelgen.errors import Finding, Malformed
from levelgen.evidence import Evidence, check, from_json
from levelgen.pack.records import parse_board
from levelgen.pack.strict import decode_canonical, encode

MAX_EVIDENCE = 1 << 20

GUESS_FREE = {"yes": ("guess-free", "strategy"), "no": ("not-guess-free", "refutation")}
"""What a certificate's word on guessing is called in evidence, and by the certificate itself when evidence is there."""


def evidence_name(level: int, claim: str) -> str:
    """The member of a pack that holds the evidence for a claim about a level."""
    subject = "minimum" if claim == "minimum" else "guess-free"
    return f"evidence/{level:04d}.{subject}.json"


def evidence_bytes(evidence: Evidence, deal: Deal | None = None) -> bytes:
    """An evidence file; with `deal` it stands alone."""
    data = evidence.to_json()
    if deal is not None:
        data["board"] = deal.to_json()
    return encode(data) + b"\n"


def parse_evidence(data: bytes, where: str) -> tuple[Evidence, Deal | None]:
    """The evidence in a file, and the board it brings along, if any.

    Raises:
        Malformed: with what is wrong with it.
    """
    found: Any = decode_canonical(data.removesuffix(b"\n"), where, limit=MAX_EVIDENCE)
    board = found.pop("board", None) if isinstance(found, dict) else None
    evidence = from_json(found, where)
    if isinstance(evidence, Finding):
        raise Malformed((evidence,))
    return evidence, None if board is None else parse_board(encode(board), f"{where}: board")


def needed(certificate: Certificate, deal: Deal) -> Iterator[tuple[str, int]]:
    """The claims of a certificate that need evidence, and how many tray slots each is about."""
    slots = deal.board.ruleset.tray
    if certificate.par_claim == "minimum" and certificate.par > deal.board.ruleset.group:
        yield "minimum", certificate.par
    claim, word = GUESS_FREE.get(certificate.guess_free, ("", ""))
    if deal.face_down and claim and certificate.guess_free_claim == word:
        yield claim, slots


def claim_findings(
    certificate: Certificate, deal: Deal, read: Callable[[str], bytes | None]
) -> tuple[int, tuple[Finding, ...]]:
    """How many claims needed evidence, and what is wrong with it. `read` gives a member's bytes, None if absent."""
    found: list[Finding] = []
    claims = list(needed(certificate, deal))
    for claim, slots in claims:
        name = evidence_name(certificate.level, claim)
        where = f"level {certificate.level}, {Path(name).name}"
        data = read(name)
        if data is None:
            found.append(
                Finding("evidence/missing", f"the certificate claims {claim}, and there is no evidence", where)
            )
            continue
        try:
            evidence, _ = parse_evidence(data, where)
        except Malformed as error:
            found += error.findings
            continue
        if (evidence.claim, evidence.slots) != (claim, slots):
            message = f"is about {evidence.claim} with {evidence.slots} slots, not {claim} with {slots}"
            found.append(Finding("evidence/other-claim", message, where))
        else:
            found += check(evidence, deal, where)
    return len(claims), tuple(found)
