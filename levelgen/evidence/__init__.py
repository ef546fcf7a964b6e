"""Evidence: what stands behind a claim that no solution can show, and the check that re-derives it without a solver.

    unsolvable      the deal cannot be won under its own ruleset        closed-set, refutation, exhaustion
    minimum         `slots` tray slots are enough, one fewer is not     closed-set, refutation, exhaustion
    guess-free      a strategy wins wherever the hidden faces lie       strategy
    not-guess-free  some arrangement of the hidden faces cannot be won  arrangement

An evidence file is one line of JSON: `{"v":1,"claim":…,"kind":…,"slots":…,"board_sha256":…,"data":…}` and, when it
stands alone, `"board"`, a board file's object. `data` is base64 of the bytes that the kind's module describes. Faces
are numbered in the order of their names, those in the tray included.

Closed sets are about triples, refutations about pairs. An **exhaustion** is the plainest evidence there is: how many
positions play can reach. The checker visits them all by the law and finds none won.
"""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from levelgen.board import Deal, tiles_of
from levelgen.errors import Finding
from levelgen.evidence import closed_set, refutation_tree, strategy
from levelgen.moves import decode

MAX_DATA = 1 << 16
"""Bytes of evidence that are still given. A claim that takes more is `asserted`."""
MAX_POSITIONS = 50_000
"""Positions an exhaustion may visit."""

MAX_COUPLES = 40_000
"""Possible couples of a board whose refutation is still checked."""

KINDS = {
    "unsolvable": ("closed-set", "refutation", "exhaustion"),
    "minimum": ("closed-set", "refutation", "exhaustion"),
    "guess-free": ("strategy",),
    "not-guess-free": ("arrangement",),
}
"""Which kinds of evidence can stand behind which claim."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A claim about one deal and the bytes that show it."""

    claim: str
    kind: str
    slots: int
    """Tray slots the claim is about: the ruleset's, or the par for `minimum`."""
    board_sha256: str
    """Of the deal, see `levelgen.board.Deal.digest`."""
    data: bytes
    witness: str = ""
    """For `minimum`: moves, as a log spells them, that win with `slots` slots; empty otherwise."""

    def to_json(self) -> dict[str, Any]:
        """The evidence file's object, without the board."""
        witness = {"witness": self.witness} if self.claim == "minimum" else {}
        return {
            "v": 1,
            "claim": self.claim,
            "kind": self.kind,
            "slots": self.slots,
            "board_sha256": self.board_sha256,
            "data": base64.b64encode(self.data).decode(),
            **witness,
        }


def from_json(data: Any, where: str = "evidence") -> Evidence | Finding:
    """The evidence in an evidence file's object (without `board`), or what is wrong with it."""
    fields = {"v": int, "claim": str, "kind": str, "slots": int, "board_sha256": str, "data": str}
    if isinstance(data, dict) and data.get("claim") == "minimum":
        fields["witness"] = str
    if not isinstance(data, dict) or list(data) != list(fields):
        return Finding("evidence/fields", f"is not an object with the fields {', '.join(fields)}, in that order", where)
    if any(type(data[name]) is not kind for name, kind in fields.items()) or data["v"] != 1:
        return Finding("evidence/fields", "a field is of the wrong type, or the version is not 1", where)
    if data["kind"] not in KINDS.get(data["claim"], ()):
        return Finding("evidence/kind", f"{data['kind']!r} cannot show {data['claim']!r}", where)
    try:
        raw = base64.b64decode(data["data"], validate=True)
    except binascii.Error:
        return Finding("evidence/base64", "data is not base64", where)
    if base64.b64encode(raw).decode() != data["data"] or len(raw) > MAX_DATA:
        return Finding("evidence/base64", f"data is not canonical base64 of at most {MAX_DATA} bytes", where)
    return Evidence(data["claim"], data["kind"], data["slots"], data["board_sha256"], raw, data.get("witness", ""))


def numbered(deal: Deal) -> tuple[list[int], list[int]]:
    """The faces as numbers, in the order of their names: per tile, and of the tiles that wait, in tray order."""
    names = sorted({*deal.faces, *deal.tray})
    number = {face: index for index, face in enumerate(names)}
    return [number[face] for face in deal.faces], [number[face] for face in deal.tray]


def check(evidence: Evidence, deal: Deal, where: str = "evidence") -> tuple[Finding, ...]:
    """Why `evidence` does not show its claim about `deal`; empty when it does. No solver is asked."""
    return tuple(_check(evidence, deal, where))


def _check(evidence: Evidence, deal: Deal, where: str) -> Iterator[Finding]:
    rules = deal.board.ruleset
    if evidence.board_sha256 != deal.digest():
        yield Finding("evidence/other-board", "is about another board", where)
        return
    if evidence.claim == "minimum":
        if not rules.group < evidence.slots <= rules.tray:
            yield Finding("evidence/slots", f"{evidence.slots} is no par: {rules.group} is always the least", where)
            return
        unwon = _not_won(with_slots(deal, evidence.slots), evidence.witness)
        if unwon:
            yield Finding("evidence/witness", f"the witness does not win with {evidence.slots} slots: {unwon}", where)
            return
    elif evidence.slots != rules.tray:
        yield Finding("evidence/slots", f"is about a tray of {evidence.slots}, the board's has {rules.tray}", where)
        return
    if evidence.kind in ("refutation", "arrangement") and _couples(deal) > MAX_COUPLES:
        yield Finding("evidence/too-large", f"{MAX_COUPLES} possible couples are the most that is checked", where)
        return
    wrong = _refuted(evidence, deal)
    if wrong:
        yield Finding("evidence/does-not-hold", f"does not show {evidence.claim}: {wrong}", where)


def _couples(deal: Deal) -> int:
    """How many pairs of tiles show one face."""
    return sum(count * (count - 1) // 2 for count in Counter(deal.faces).values())


def _not_won(deal: Deal, witness: str) -> str:
    """Why the moves of `witness` do not win `deal`; empty when they do."""
    position = deal.start
    for token in witness.split():
        move = decode(token)
        if move is None:
            return f"{token[:20]!r} is no move"
        refusal = position.refusal(move)
        if refusal is not None:
            return f"{token}: {refusal.message}"
        position = position.after(move)
    return "" if position.won else "board and tray are not empty at its end"


def _refuted(evidence: Evidence, deal: Deal) -> str:
    """What the kind's checker says against the evidence."""
    rules = deal.board.ruleset
    if evidence.kind == "strategy":
        return strategy.check(deal, evidence.data)
    if evidence.claim == "minimum":
        deal = with_slots(deal, evidence.slots - 1)
    if evidence.kind == "exhaustion":
        found = exhaust(deal, MAX_POSITIONS)
        return "" if found is not None and found.to_bytes(4, "big") == evidence.data else "play reaches other positions"
    faces, waiting = numbered(deal)
    gone = tiles_of((1 << len(faces)) - 1 & ~deal.start.remaining)
    if evidence.kind == "closed-set":
        if rules.id != "triples":
            return "closed sets are about triples"
        counts = [waiting.count(face) for face in range(max([*faces, *waiting], default=-1) + 1)]
        cap = deal.board.ruleset.tray
        return closed_set.check(
            deal.board.gates, faces, evidence.data, cap=cap, group=rules.group, removed=gone, tray=counts
        )
    if rules.id != "pairs":
        return "refutations are about pairs"
    present = [None if tile in gone else face for tile, face in enumerate(faces)]
    data = evidence.data
    if evidence.kind == "arrangement":
        try:
            present, data = _arranged(deal, present, data)
        except ValueError as error:
            return str(error)
    lone = deal.start.hidden if rules.face_down == "lift" else 0
    return refutation_tree.check(deal.board.gates, present, data, lone=lone, waiting=waiting)


def arrangement_bytes(faces: list[int]) -> bytes:
    """How an `arrangement` begins: the face of each hidden tile, by id, two bytes each. A refutation follows."""
    return b"".join(face.to_bytes(2, "big") for face in faces)


def _arranged(deal: Deal, present: list[int | None], data: bytes) -> tuple[list[int | None], bytes]:
    """The board with its hidden faces where the evidence lays them, and the refutation that follows.

    Raises:
        ValueError: these are not the hidden faces in some order.
    """
    hidden = tiles_of(deal.start.hidden)
    head = data[: 2 * len(hidden)]
    laid = [int.from_bytes(head[at : at + 2], "big") for at in range(0, len(head), 2)]
    if sorted(laid) != sorted(present[tile] or 0 for tile in hidden):
        raise ValueError("the arrangement is not one of the hidden faces")
    arranged = list(present)
    for tile, face in zip(hidden, laid, strict=True):
        arranged[tile] = face
    return arranged, data[len(head) :]


def with_slots(deal: Deal, slots: int) -> Deal:
    """The same deal with a tray of `slots` slots."""
    ruleset = replace(deal.board.ruleset, tray=slots)
    return replace(deal, board=replace(deal.board, ruleset=ruleset))


def exhaust(deal: Deal, limit: int) -> int | None:
    """How many positions play can reach from the start; None when one is won or there are more than `limit`."""
    seen = {deal.start[1:]}
    waiting = [deal.start]
    while waiting:
        position = waiting.pop()
        if position.won:
            return None
        for move in position.moves():
            after = position.after(move)
            if after[1:] not in seen:
                if len(seen) == limit:
                    return None
                seen.add(after[1:])
                waiting.append(after)
    return len(seen)
