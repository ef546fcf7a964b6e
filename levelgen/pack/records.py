"""Records, certificates and boards as lines of JSON: the formats other people's programs read.

A field is never renamed, its order never changes, and an unknown one is refused: a new field raises `v`. `parse_*`
checks types, spellings and ranges; `record_findings` asks the law besides whether the board can be played. The bytes of
a line, without its line feed, are the Merkle leaf.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import Any

from levelgen.board import Board, Deal
from levelgen.certificate import Certificate, Solution
from levelgen.drawn_board import is_drawn, no_board, parse_drawn
from levelgen.errors import Finding, LevelgenError, Malformed
from levelgen.layout import MAX_COORDINATE, MAX_FAULTS, MAX_TILES, Layout, Slot, violations
from levelgen.pack.strict import (
    MAX_LINE,
    decode,
    decode_canonical,
    digest,
    encode,
    field_findings,
    is_count,
    is_digest,
    is_match,
)
from levelgen.pack.words import (
    FIGURE,
    MAX_FIGURES,
    MAX_READINGS,
    MAX_TEMPLATES,
    NAME,
    PACK_ID,
    READING,
    SEED,
    WORD,
    in_order,
    name_of,
    read_proof,
    read_words,
    ruleset_of,
    slot_of,
)
from levelgen.rules import Ruleset
from levelgen.tools import AIDS, MAX_COUNT

MAX_LEVEL = 999_999_999
MAX_BOARDS = 1_000_000
TOOLS = AIDS

RECORD_FIELDS = (
    "v", "pack", "level", "ruleset", "slots", "face_set", "faces", "face_down", "templates", "seed", "attempt",
    "generator", "difficulty", "tools", "sources_sha256", "certificate_sha256",
)  # fmt: skip
CERTIFICATE_FIELDS = (
    "v", "pack", "level", "claim", "solution", "holds_under", "peak", "par", "guess_free", "robust"
)  # fmt: skip
BOARD_FIELDS = ("ruleset", "slots", "faces", "face_down")
POSITION_FIELDS = ("tray", "removed")


@dataclass(frozen=True)
class Record:
    """One level of a pack, whole: it stays valid when the generator that made it is gone."""

    pack: str
    level: int
    ruleset: Ruleset
    slots: tuple[Slot, ...]
    """Tile i stands on `slots[i]`; canonical order."""
    face_set: str
    faces: tuple[str, ...]
    face_down: tuple[int, ...]
    templates: tuple[str, ...]
    seed: str
    attempt: int
    generator: int
    difficulty: Mapping[str, int] = field(hash=False)
    """Figures by name; written in the order of the names."""
    tools: Mapping[str, int | None] = field(hash=False)
    """How often each of `TOOLS` may be used; None is without limit. A tool not named: none in pairs, any in triples."""
    sources_sha256: str
    """Of the recipe, the templates and the face set's manifest the level was made from."""
    certificate_sha256: str = ""
    """Of the certificate's line; `bind` fills it in."""
    _line: bytes = field(default=b"", init=False, repr=False, compare=False)
    """The bytes it was read from; empty for one that was made."""

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the record's line, which a player's log names."""
        return digest(self._line or self.encode())

    @cached_property
    def deal(self) -> Deal:
        """The board and its faces, ready to be played."""
        return Deal(_board(self.slots, self.ruleset), self.faces, self.face_down)

    def to_json(self) -> dict[str, Any]:
        """The record as its line spells it."""
        return {**self._head(), "slots": [list(slot) for slot in self.slots], **self._rest()}

    def encode(self) -> bytes:
        """The record's line, without a line feed."""
        return b'%s,"slots":%s,%s' % (encode(self._head())[:-1], _spelt_slots(self.slots), encode(self._rest())[1:])

    def _head(self) -> dict[str, Any]:
        """What its line says before the slots."""
        return {"v": 1, "pack": self.pack, "level": self.level, "ruleset": self.ruleset.to_json()}

    def _rest(self) -> dict[str, Any]:
        """What its line says after them."""
        return {
            "face_set": self.face_set,
            "faces": list(self.faces),
            "face_down": list(self.face_down),
            "templates": list(self.templates),
            "seed": self.seed,
            "attempt": self.attempt,
            "generator": self.generator,
            "difficulty": dict(sorted(self.difficulty.items())),
            "tools": {name: self.tools[name] for name in TOOLS if name in self.tools},
            "sources_sha256": self.sources_sha256,
            "certificate_sha256": self.certificate_sha256,
        }


def bind(record: Record, certificate: Certificate) -> Record:
    """The record with the digest of its certificate."""
    return replace(record, certificate_sha256=digest(encode_certificate(certificate)))


def parse_record(line: bytes, where: str = "record") -> Record:
    """The record in `line`.

    Raises:
        Malformed: with every field that is missing, unknown, out of order or out of range. Whether the board can be
            played is left to `record_findings`.
    """
    words = read_words(line)
    record = _parsed_record(line, where) if words is None else Record(*words)
    object.__setattr__(record, "_line", line)
    return record


def _parsed_record(line: bytes, where: str) -> Record:
    """A record spelt in any way, or what is wrong with it. Raises as `parse_record`."""
    data = decode(line, where, booleans=False)
    findings = [*field_findings(data, RECORD_FIELDS, where)]
    if not findings:
        findings = [*_version_findings(data, where), *_findings(data, _RECORD_CHECKS, where)]
    if findings:
        raise Malformed(findings)
    try:
        ruleset = ruleset_of(data["ruleset"])
    except LevelgenError as error:
        raise Malformed([replace(finding, where=f"{where}: {finding.where}") for finding in error.findings]) from None
    return Record(
        data["pack"],
        data["level"],
        ruleset,
        _slots(data["slots"], where),
        data["face_set"],
        tuple(data["faces"]),
        tuple(data["face_down"]),
        tuple(data["templates"]),
        data["seed"],
        data["attempt"],
        data["generator"],
        data["difficulty"],
        data["tools"],
        data["sources_sha256"],
        data["certificate_sha256"],
    )


def record_findings(record: Record, line: bytes, where: str = "record") -> tuple[Finding, ...]:
    """Everything that is wrong with a parsed record that its fields alone do not show.

    Its line must be the one way to spell it, its layout without violations, its faces dealt in whole groups, and a move
    must be possible.
    """
    found: list[Finding] = []
    if record.encode() != line:
        found.append(Finding("record/not-canonical", "is not spelt as levelgen writes it", where))
    found += _board_findings(record.slots, record.ruleset, where)
    if not found:
        found += [_at(finding, where) for finding in record.deal.violations()]
    return tuple(found)


def _at(finding: Finding, where: str) -> Finding:
    return replace(finding, where=f"{where}: {finding.where}" if finding.where else where)


@lru_cache(maxsize=256)
def _spelt_slots(slots: tuple[Slot, ...]) -> bytes:
    """The slots as a line spells them: half of it, and the same in all levels made of the same templates."""
    return encode([list(slot) for slot in slots])


@lru_cache(maxsize=256)
def _board(slots: tuple[Slot, ...], ruleset: Ruleset) -> Board:
    """The board of these slots; levels made of the same templates share it."""
    return Board.compile(Layout(slots), ruleset)


def _board_findings(slots: tuple[Slot, ...], ruleset: Ruleset, where: str) -> Iterator[Finding]:
    return (_at(finding, where) for finding in _layout_findings(slots, ruleset.group))


@lru_cache(maxsize=256)
def _layout_findings(slots: tuple[Slot, ...], group: int) -> tuple[Finding, ...]:
    """What is wrong with these slots, whatever lies on them; levels made of the same templates share the answer."""
    if Layout.of(slots).slots != slots:
        fix = "sort the slots by z, then y, then x; faces and ids move with them"
        return (Finding("layout/order", "the slots are not in canonical order", "", fix),)
    return tuple(violations(Layout(slots), group=group))


def _slots(data: list[list[int]], where: str, kind: str = "record") -> tuple[Slot, ...]:
    """The slots in a list without truth values.

    Raises:
        Malformed: something in it is no slot.
    """
    try:
        return tuple(map(slot_of, map(tuple, data)))
    except (TypeError, KeyError):
        message = f"slots holds something that is not [x, y, z], three integers from 0 to {MAX_COORDINATE}"
        raise Malformed.of(f"{kind}/slots", message, where) from None


Problem = tuple[str, str]
"""What is wrong with a field's value, and what to do about it."""


def _findings(
    data: Mapping[str, Any], checks: Mapping[str, Any], where: str, kind: str = "record"
) -> Iterator[Finding]:
    """What each check says of its field, and whether lists that belong together have one length."""
    whole = True
    for name, check in checks.items():
        if name in data:
            problem = check(data[name])
            if problem is not None:
                whole = False
                yield Finding(f"{kind}/{name.replace('_', '-')}", f"{name} {problem[0]}", where, problem[1])
    if whole and "slots" in data and "faces" in data:
        count = len(data["slots"])
        if len(data["faces"]) != count:
            yield Finding(f"{kind}/faces", f"faces names {len(data['faces'])} faces for {count} slots", where)
        for name in ("face_down", "removed"):
            if data.get(name) and data[name][-1] >= count:
                message = f"{name} names tile {data[name][-1]}, the last one is {count - 1}"
                yield Finding(f"{kind}/{name.replace('_', '-')}", message, where)


def _version_findings(data: Mapping[str, Any], where: str, kind: str = "record") -> Iterator[Finding]:
    if type(data["v"]) is not int or data["v"] != 1:
        yield Finding(f"{kind}/version", f"is of version {data['v']!r}; this levelgen reads version 1", where)


def _check_text(pattern: re.Pattern[str]) -> Any:
    def check(value: Any) -> Problem | None:
        return None if is_match(value, pattern) else (f"is not a text that matches {pattern.pattern}", "")

    return check


def _check_count(low: int, high: int | None = None) -> Any:
    def check(value: Any) -> Problem | None:
        fine = is_count(value, low) if high is None else is_count(value, low, high)
        return None if fine else (f"is not an integer from {low} to {high if high is not None else '2^53 - 1'}", "")

    return check


def _check_digest(value: Any) -> Problem | None:
    return None if is_digest(value) else ("is not a SHA-256 digest in lowercase hexadecimal", "")


def _check_slots(value: Any) -> Problem | None:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_TILES:
        return f"is not a list of 1 to {MAX_TILES} slots", ""
    return None


def _check_names(low: int, high: int) -> Any:
    def check(value: Any) -> Problem | None:
        if not isinstance(value, list) or not low <= len(value) <= high:
            return f"is not a list of {low} to {high} names", ""
        try:
            deque(map(name_of, value), 0)
        except (TypeError, KeyError):
            return "holds something that is not a name", f"names are texts that match {NAME.pattern}"
        return None

    return check


def _check_ids(value: Any) -> Problem | None:
    fine = isinstance(value, list) and len(value) <= MAX_TILES
    if not fine or not all(is_count(tile, 0, MAX_TILES - 1) for tile in value):
        return "is not a list of tile ids", ""
    if any(first >= second for first, second in pairwise(value)):
        return "is not ascending", "sort the ids, each once"
    return None


def _check_difficulty(value: Any) -> Problem | None:
    if not isinstance(value, dict) or len(value) > MAX_FIGURES:
        return f"is not an object of at most {MAX_FIGURES} figures", ""
    for name, figure in value.items():
        if not is_match(name, FIGURE) or type(figure) is not int:
            return f"holds {name[:40]!r}, which is not a figure: a lowercase name and an integer", ""
    return None if in_order((*value,)) else ("does not keep its names in order", "")


def _check_tools(value: Any) -> Problem | None:
    if not isinstance(value, dict) or ((*value,) != TOOLS and [name for name in TOOLS if name in value] != list(value)):
        return f"is not an object whose keys are among {', '.join(TOOLS)}, in that order", ""
    for budget in value.values():
        if budget is not None and not is_count(budget, 0, MAX_COUNT):
            return "holds a budget that is neither a count nor null (no limit)", ""
    return None


def _check_object(value: Any) -> Problem | None:
    return None if isinstance(value, dict) else ("is not an object", "")


_RECORD_CHECKS: dict[str, Any] = {
    "pack": _check_text(PACK_ID),
    "level": _check_count(1, MAX_LEVEL),
    "ruleset": _check_object,
    "slots": _check_slots,
    "face_set": _check_text(NAME),
    "faces": _check_names(1, MAX_TILES),
    "face_down": _check_ids,
    "templates": _check_names(0, MAX_TEMPLATES),
    "seed": _check_text(SEED),
    "attempt": _check_count(0),
    "generator": _check_count(1),
    "difficulty": _check_difficulty,
    "tools": _check_tools,
    "sources_sha256": _check_digest,
    "certificate_sha256": _check_digest,
}
_BOARD_CHECKS: dict[str, Any] = _RECORD_CHECKS | {"tray": _check_names(0, 64), "removed": _check_ids}


def encode_certificate(certificate: Certificate) -> bytes:
    """The certificate's line, without a line feed. Its SHA-256 stands in the record."""
    single = set(map(len, certificate.solution)) <= {1}
    return encode(
        {
            "v": 1,
            "pack": certificate.pack,
            "level": certificate.level,
            "claim": "solved",
            "solution": [*chain(*certificate.solution)] if single else [*map(list, certificate.solution)],
            "holds_under": list(certificate.holds_under),
            "peak": certificate.peak,
            "par": {"value": certificate.par, "claim": certificate.par_claim},
            "guess_free": {"value": certificate.guess_free, "claim": certificate.guess_free_claim},
            "robust": certificate.robust,
        }
    )


def parse_certificate(line: bytes, where: str = "certificate") -> Certificate:
    """The certificate in `line`. Whether it holds is for `levelgen.certificate.check` to say.

    Raises:
        Malformed: with every field that is missing, unknown, out of order or out of range.
    """
    words = read_proof(line)
    return _parsed_certificate(line, where) if words is None else Certificate(*words)


def _parsed_certificate(line: bytes, where: str) -> Certificate:
    """A certificate that must be parsed to say what is wrong with it. Raises as `parse_certificate`."""
    data = decode_canonical(line, where)
    findings = [*field_findings(data, CERTIFICATE_FIELDS, where, kind="certificate")]
    if not findings:
        findings = [
            *_version_findings(data, where, "certificate"),
            *_findings(data, _CERTIFICATE_CHECKS, where, "certificate"),
        ]
    if findings:
        raise Malformed(findings)
    solution: Solution = tuple(tuple(step) if isinstance(step, list) else (step,) for step in data["solution"])
    return Certificate(
        data["pack"],
        data["level"],
        solution,
        tuple(data["holds_under"]),
        data["peak"],
        data["par"]["value"],
        data["par"]["claim"],
        data["guess_free"]["value"],
        data["guess_free"]["claim"],
        data["robust"],
    )


def _check_solution(value: Any) -> Problem | None:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_TILES:
        return f"is not a list of 1 to {MAX_TILES} steps", ""
    flat: list[Any] = value
    if set(map(type, value)) != {int}:
        if not all(isinstance(step, list) and len(step) == 2 for step in value):
            return "mixes picks with pairs, or names something else", "write [[a,b],…] for pairs, [a,…] for triples"
        flat = [tile for step in value for tile in step]
    if set(map(type, flat)) != {int} or min(flat) < 0 or max(flat) >= MAX_TILES:
        return "names something that is not a tile id", ""
    return None


def _check_readings(value: Any) -> Problem | None:
    fine = isinstance(value, list) and 1 <= len(value) <= MAX_READINGS
    if not fine or not all(is_match(name, READING) for name in value):
        return "is not a list of readings", ""
    return None


def _check_claim(value: Any) -> Problem | None:
    return None if value == "solved" else ("is not 'solved'", "")


def _check_claimed(check: Any) -> Any:
    def inner(value: Any) -> Problem | None:
        if not isinstance(value, dict) or list(value) != ["value", "claim"]:
            return 'is not {"value":…,"claim":…}', ""
        problem: Problem | None = check(value["value"]) or _check_text(WORD)(value["claim"])
        return problem

    return inner


_CERTIFICATE_CHECKS: dict[str, Any] = {
    "pack": _check_text(PACK_ID),
    "level": _check_count(1, MAX_LEVEL),
    "claim": _check_claim,
    "solution": _check_solution,
    "holds_under": _check_readings,
    "peak": _check_count(0, MAX_TILES),
    "par": _check_claimed(_check_count(0, MAX_TILES)),
    "guess_free": _check_claimed(_check_text(WORD)),
    "robust": _check_text(WORD),
}


def parse_board(line: bytes, where: str = "board") -> Deal:
    """The deal in a board file's line: a record of which only `ruleset`, `slots`, `faces` and `face_down` are required.

    `tray` (faces waiting) and `removed` (ids) make it a position in mid-game. Of the ruleset only `id` is required. A
    board on which no move is left is read all the same: whether it can be won is the question asked of it.

    Raises:
        Malformed: with everything that is wrong with it.
    """
    data = decode(line, where, booleans=False)
    optional = [*RECORD_FIELDS, *POSITION_FIELDS]
    findings = [*field_findings(data, BOARD_FIELDS, where, optional=optional, kind="board")]
    if not findings:
        if "v" in data:
            findings += _version_findings(data, where, "board")
        findings += _findings(data, _BOARD_CHECKS, where, "board")
    if findings:
        raise Malformed(findings)
    ruleset = Ruleset.from_json(data["ruleset"], f"{where}: ruleset")
    slots = _slots(data["slots"], where, "board")
    found = tuple(_board_findings(slots, ruleset, where))
    if data.get("tray"):  # its tiles make up the groups; the deal is asked about them below
        found = tuple(one for one in found if one.code != "layout/odd-count" or not slots)
    if found:
        raise Malformed(found)
    deal = Deal(
        Board.compile(Layout(slots), ruleset),
        tuple(data["faces"]),
        tuple(data["face_down"]),
        tuple(data.get("tray", ())),
        tuple(data.get("removed", ())),
    )
    wrong = [_at(finding, where) for finding in deal.violations() if finding.code != "deal/no-move"]
    if wrong:
        raise Malformed(wrong)
    return deal


def encode_board(deal: Deal) -> bytes:
    """The deal as a board file's line, without a line feed."""
    return encode(deal.to_json())


def parse_boards(data: bytes, where: str = "boards") -> tuple[Deal, ...]:
    """Every board of a board file, one a line; blank lines are passed over. A drawn board is the only one of its file.

    Raises:
        Malformed: with everything that is wrong, by line; or there is no board at all.
    """
    if is_drawn(data):
        return (parse_drawn(data, where),)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.strip() and not data.lstrip().startswith(b"{"):
        raise Malformed((no_board(data, where),))
    deals: list[Deal] = []
    findings: list[Finding] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            deals.append(parse_board(line, f"{where}:{number}"))
        except Malformed as error:
            findings += error.findings
        if len(deals) > MAX_BOARDS:
            findings.append(Finding("board/too-many", f"holds more than {MAX_BOARDS} boards", where))
        if len(deals) > MAX_BOARDS or len(findings) >= MAX_FAULTS:
            break
    if not deals and not findings:
        findings.append(Finding("board/none", "holds no board", where, "write one board a line, as JSON, or draw one"))
    if not deals and len(findings) > 1 and all(one.code == "json/syntax" for one in findings):
        findings = [no_board(data, where)]
    if findings:
        raise Malformed(findings)
    return tuple(deals)


def lines_of(data: Sequence[bytes]) -> bytes:
    """Lines as a file's bytes, each ended by a line feed."""
    return b"".join(line + b"\n" for line in data)


__all__ = [
    "BOARD_FIELDS",
    "CERTIFICATE_FIELDS",
    "MAX_LINE",
    "RECORD_FIELDS",
    "TOOLS",
    "Record",
    "bind",
    "encode_board",
    "encode_certificate",
    "lines_of",
    "parse_board",
    "parse_boards",
    "parse_certificate",
    "parse_record",
    "record_findings",
]
