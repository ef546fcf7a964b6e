"""Records, certificates and boards round-trip byte for byte; whatever is spelt otherwise is refused, with its place."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from levelgen.errors import LevelgenError, Malformed
from levelgen.pack import records, strict
from levelgen.pack.manifest import parse_manifest, parse_preview
from levelgen.pack.records import (
    CERTIFICATE_FIELDS,
    RECORD_FIELDS,
    bind,
    encode_board,
    encode_certificate,
    parse_board,
    parse_boards,
    parse_certificate,
    parse_record,
    record_findings,
)
from levelgen.pack.strict import decode, decode_canonical, digest, encode
from levelgen.pack.words import read_proof, read_words
from levelgen.seed import Stream
from tests.boards import board, heap, random_deal
from tests.packs import make_level

RECORD, CERTIFICATE = make_level(1)
LINE, PROOF = RECORD.encode(), encode_certificate(CERTIFICATE)
TRIPLES = replace(make_level(2, "triples")[0], templates=("a", "b"), difficulty={"a": 1, "b": -2}).encode()
Change = Callable[[dict[str, Any]], Any]


def changed(line: bytes, change: Change) -> bytes:
    data = json.loads(line)
    change(data)
    return encode(data)


def refusals(parse: Callable[[bytes], object], data: bytes) -> list[str]:
    """The codes with which `data` is refused."""
    with pytest.raises(Malformed) as caught:
        parse(data)
    return [finding.code for finding in caught.value.findings]


@pytest.mark.parametrize("ruleset", ["pairs", "triples"])
def test_a_record_and_its_certificate_round_trip(ruleset: str) -> None:
    record, certificate = make_level(3, ruleset)
    assert parse_record(record.encode()) == record
    assert parse_certificate(encode_certificate(certificate)) == certificate
    assert record_findings(record, record.encode()) == ()
    assert record.certificate_sha256 == digest(encode_certificate(certificate))


def test_the_fields_of_a_record_never_change() -> None:
    assert tuple(json.loads(LINE)) == RECORD_FIELDS
    assert tuple(json.loads(PROOF)) == CERTIFICATE_FIELDS
    assert " ".join(RECORD_FIELDS) == (
        "v pack level ruleset slots face_set faces face_down templates seed attempt generator difficulty tools "
        "sources_sha256 certificate_sha256"
    )
    assert " ".join(CERTIFICATE_FIELDS) == "v pack level claim solution holds_under peak par guess_free robust"
    assert list(json.loads(LINE)["ruleset"]) == ["id", "group", "tray", "blocking", "face_down", "loss"]


def test_triples_write_their_picks_flat() -> None:
    _, certificate = make_level(1, "triples")
    assert all(type(pick) is int for pick in json.loads(encode_certificate(certificate))["solution"])


RECORD_FAULTS: dict[str, tuple[Change, str]] = {
    "an unknown field": (lambda r: r.update(extra=1), "record/unknown-field"),
    "a missing field": (lambda r: r.pop("seed"), "record/missing-field"),
    "another order": (lambda r: r.update(pack=r.pop("pack")), "record/field-order"),
    "another version": (lambda r: r.update(v=2), "record/version"),
    "a true version": (lambda r: r.update(v=True), "json/boolean"),
    "a pack id with a blank": (lambda r: r.update(pack="a b"), "record/pack"),
    "level zero": (lambda r: r.update(level=0), "record/level"),
    "a level as text": (lambda r: r.update(level="1"), "record/level"),
    "no ruleset": (lambda r: r.update(ruleset=None), "record/ruleset"),
    "an unknown ruleset": (lambda r: r["ruleset"].update(id="quads"), "ruleset/unknown"),
    "an unknown parameter": (lambda r: r["ruleset"].update(speed=1), "ruleset/unknown-key"),
    "a parameter left out": (lambda r: r["ruleset"].pop("loss"), "ruleset/spelling"),
    "blocking in another order": (lambda r: r["ruleset"]["blocking"].reverse(), "ruleset/spelling"),
    "a tray of a million": (lambda r: r["ruleset"].update(tray=10**6), "ruleset/range"),
    "no slots": (lambda r: r.update(slots=[]), "record/slots"),
    "too many slots": (lambda r: r.update(slots=[[0, 0, 0]] * 4097), "record/slots"),
    "a slot of two numbers": (lambda r: r["slots"].__setitem__(0, [0, 0]), "record/slots"),
    "a negative coordinate": (lambda r: r["slots"].__setitem__(0, [-1, 0, 0]), "record/slots"),
    "a far coordinate": (lambda r: r["slots"].__setitem__(0, [1024, 0, 0]), "record/slots"),
    "a true coordinate": (lambda r: r["slots"].__setitem__(0, [False, 0, 0]), "json/boolean"),
    "a slot that is text": (lambda r: r["slots"].__setitem__(0, "abc"), "record/slots"),
    "a slot that is null": (lambda r: r["slots"].__setitem__(0, None), "record/slots"),
    "a coordinate that is a list": (lambda r: r["slots"].__setitem__(0, [[0], 0, 0]), "record/slots"),
    "a face that is a number": (lambda r: r["faces"].__setitem__(0, 1), "record/faces"),
    "a face with a blank": (lambda r: r["faces"].__setitem__(0, "a b"), "record/faces"),
    "a face that is a list": (lambda r: r["faces"].__setitem__(0, []), "record/faces"),
    "a face too few": (lambda r: r["faces"].pop(), "record/faces"),
    "a face-down tile that is not there": (lambda r: r.update(face_down=[8]), "record/face-down"),
    "face-down tiles out of order": (lambda r: r.update(face_down=[2, 1]), "record/face-down"),
    "a face-down tile twice": (lambda r: r.update(face_down=[1, 1]), "record/face-down"),
    "a template without a name": (lambda r: r.update(templates=[""]), "record/templates"),
    "an empty seed": (lambda r: r.update(seed=""), "record/seed"),
    "a seed beyond ASCII": (lambda r: r.update(seed="é"), "record/seed"),
    "a negative attempt": (lambda r: r.update(attempt=-1), "record/attempt"),
    "generator zero": (lambda r: r.update(generator=0), "record/generator"),
    "a figure that is no integer": (lambda r: r["difficulty"].update(rank="1"), "record/difficulty"),
    "figures out of order": (lambda r: r.update(difficulty={"b": 1, "a": 1}), "record/difficulty"),
    "a figure with a strange name": (lambda r: r.update(difficulty={"A b": 1}), "record/difficulty"),
    "an unknown tool": (lambda r: r["tools"].update(bomb=1), "record/tools"),
    "a negative budget": (lambda r: r["tools"].update(undo=-1), "record/tools"),
    "a digest in capitals": (lambda r: r.update(sources_sha256="AB" * 32), "record/sources-sha256"),
    "a short digest": (lambda r: r.update(certificate_sha256="ab"), "record/certificate-sha256"),
}


@pytest.mark.parametrize("fault", RECORD_FAULTS)
def test_a_record_is_refused_with(fault: str) -> None:
    change, code = RECORD_FAULTS[fault]
    assert code in refusals(parse_record, changed(LINE, change))


def test_every_fault_of_a_record_is_told_at_once() -> None:
    def spoil(data: dict[str, Any]) -> None:
        data.update(level=0, seed="", face_set=None)

    assert refusals(parse_record, changed(LINE, spoil)) == ["record/level", "record/face-set", "record/seed"]


def test_a_finding_names_its_place() -> None:
    with pytest.raises(Malformed, match=r"levels\.jsonl:7"):
        parse_record(changed(LINE, lambda r: r.update(level=0)), "levels.jsonl:7")


def parsed(line: bytes) -> Any:
    """What `parse_record` makes of a line when it never reads it word by word: a record, or its findings."""
    with mock.patch.object(records, "read_words", return_value=None):
        return outcome(line)


def outcome(line: bytes) -> Any:
    try:
        return parse_record(line)
    except Malformed as error:
        return error.findings


def test_records_are_read_word_by_word() -> None:
    for line in (LINE, TRIPLES):
        assert read_words(line) is not None
        assert parsed(line) == parse_record(line)
        assert read_words(line + b"\n") is None
        assert read_words(line.replace(b":", b": ", 1)) is None


@pytest.mark.parametrize("fault", RECORD_FAULTS)
def test_words_never_hide_a_fault(fault: str) -> None:
    assert read_words(changed(LINE, RECORD_FAULTS[fault][0])) is None


WORDS = ("0", "1", "7", "8", "-1", "00", "01", "-0", "1e2", "1.5", "1023", "1024", "4096", "9007199254740992", "true",
         "null", '""', '"a"', '"a":1', '"a":1,"a":1', '"b":1,"a":1', "[", "]", "[]", "[0,0,0]", "[0,0]", "],[", '","',
         "{", "}", "{}", ",", ":", '"', "\\", "\\u0041", " ", "\n", "é", '"hint":1', '"slots":[[0,0,0]]')  # fmt: skip


@settings(max_examples=600)
@given(
    st.sampled_from((LINE, TRIPLES)), st.integers(0, 2000), st.integers(0, 12),
    st.sampled_from(WORDS).map(str.encode) | st.binary(max_size=3),
)  # fmt: skip
def test_word_by_word_or_parsed_a_record_is_the_same(line: bytes, place: int, gone: int, new: bytes) -> None:
    place %= len(line)
    line = line[:place] + new + line[place + gone :]
    assert outcome(line) == parsed(line)


UNPLAYABLE: dict[str, tuple[Change, str]] = {
    "slots out of order": (lambda r: r["slots"].reverse(), "layout/order"),
    "two tiles that overlap": (lambda r: r["slots"].__setitem__(0, [1, 0, 0]), "layout/overlap"),
    "a slot given twice": (lambda r: r["slots"].__setitem__(1, [0, 0, 0]), "layout/overlap"),
    "a tile that floats": (lambda r: r["slots"].__setitem__(7, [3, 4, 1]), "layout/unsupported"),
    "a face dealt three times": (lambda r: r["faces"].__setitem__(0, "other"), "deal/copies"),
}


@pytest.mark.parametrize("fault", UNPLAYABLE)
def test_a_record_cannot_be_played_with(fault: str) -> None:
    change, code = UNPLAYABLE[fault]
    line = changed(LINE, change)
    assert code in [finding.code for finding in record_findings(parse_record(line), line)]


def test_a_record_spelt_otherwise_is_found() -> None:
    line = json.dumps(json.loads(LINE)).encode()
    assert [finding.code for finding in record_findings(parse_record(line), line)] == ["record/not-canonical"]


CERTIFICATE_FAULTS: dict[str, Change] = {
    "an unknown field": lambda c: c.update(extra=1),
    "another version": lambda c: c.update(v=2),
    "another claim": lambda c: c.update(claim="asserted"),
    "no solution": lambda c: c.update(solution=[]),
    "steps of two kinds": lambda c: c["solution"].__setitem__(0, 1),
    "a step of three": lambda c: c["solution"].__setitem__(0, [1, 2, 3]),
    "a step of one": lambda c: c.update(solution=[[1], [2]]),
    "a tile that is text": lambda c: c["solution"].__setitem__(0, ["1", 2]),
    "a true tile": lambda c: c["solution"].__setitem__(0, [True, 2]),
    "readings that are numbers": lambda c: c.update(holds_under=[1]),
    "no readings": lambda c: c.update(holds_under=[]),
    "a peak that is null": lambda c: c.update(peak=None),
    "a par without a claim": lambda c: c.update(par={"value": 2}),
    "a par with more": lambda c: c["par"].update(by="me"),
    "a claim in capitals": lambda c: c["guess_free"].update(claim="YES!"),
    "a true robust": lambda c: c.update(robust=True),
}


@pytest.mark.parametrize("fault", CERTIFICATE_FAULTS)
def test_a_certificate_is_refused_with(fault: str) -> None:
    assert refusals(parse_certificate, changed(PROOF, CERTIFICATE_FAULTS[fault]))


def read_either_way(line: bytes) -> tuple[Any, Any]:
    """What `parse_certificate` makes of a line, and what it does when it never reads it word by word."""

    def outcome(line: bytes) -> Any:
        try:
            return parse_certificate(line)
        except Malformed as error:
            return error.findings

    with mock.patch.object(records, "read_proof", return_value=None):
        parsed = outcome(line)
    return outcome(line), parsed


PICKS = encode_certificate(make_level(1, "triples")[1])


def test_certificates_are_read_word_by_word() -> None:
    for line in (PROOF, PICKS):
        assert read_proof(line) is not None
        one, other = read_either_way(line)
        assert one == other == parse_certificate(line)
        assert read_proof(line + b"\n") is None
        assert read_proof(line.replace(b":", b": ", 1)) is None


@pytest.mark.parametrize("fault", CERTIFICATE_FAULTS)
def test_words_never_hide_a_fault_of_a_certificate(fault: str) -> None:
    assert read_proof(changed(PROOF, CERTIFICATE_FAULTS[fault])) is None


@settings(max_examples=400)
@given(
    st.sampled_from((PROOF, PICKS)), st.integers(0, 1000), st.integers(0, 12),
    st.sampled_from((*WORDS, "4095", "4097", "[1,2]", "[1,2,3]", "a/b", "cover")).map(str.encode)
    | st.binary(max_size=3),
)  # fmt: skip
def test_word_by_word_or_parsed_a_certificate_is_the_same(line: bytes, place: int, gone: int, new: bytes) -> None:
    place %= len(line)
    one, other = read_either_way(line[:place] + new + line[place + gone :])
    assert one == other


JSON_FAULTS = {
    "json/syntax": b'{"a":1',
    "json/duplicate-key": b'{"a":1,"a":1}',
    "json/number": b'{"a":1.0}',
    "json/bom": b"\xef\xbb\xbf{}",
    "json/not-ascii": '{"a":"é"}'.encode(),
    "json/too-deep": b"[" * 9 + b"]" * 9,
    "json/too-long": b" " * (strict.MAX_LINE + 1),
    "json/surrogate": b'["\\ud800"]',
}


@pytest.mark.parametrize("code", JSON_FAULTS)
def test_json_outside_the_strict_subset_is_refused(code: str) -> None:
    assert refusals(lambda data: decode(data, "line"), JSON_FAULTS[code]) == [code]


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e3", "1E3", "-0", "0.5", "9007199254740992", "1" * 5000]
)
def test_a_number_others_may_read_differently_is_refused(number: str) -> None:
    assert refusals(lambda data: decode(data, "line"), f"[{number}]".encode()) == ["json/number"]


@pytest.mark.parametrize(
    "text", ["[01]", "[+1]", "['a']", "[1,]", "{a:1}", '["\t"]', "", "[]]", "nul", '"\\x"', "[1] 2"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    assert refusals(lambda data: decode(data, "line"), text.encode()) == ["json/syntax"]


def test_the_largest_exact_integer_is_read() -> None:
    assert decode(b"[9007199254740991,-9007199254740991]", "line") == [2**53 - 1, 1 - 2**53]


def test_brackets_in_texts_do_not_count_as_nesting() -> None:
    assert decode(b'["' + b"[" * 50 + b'"]', "line") == ["[" * 50]
    assert decode(b'["\\"' + b"[" * 50 + b'"]', "line") == ['"' + "[" * 50]
    hidden = b'["]",' * 9 + b"1" + b"]" * 9
    assert refusals(lambda data: decode(data, "line"), hidden) == ["json/too-deep"]


Values = st.recursive(
    st.none() | st.booleans() | st.integers(1 - 2**53, 2**53 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(Values)
def test_what_is_encoded_is_decoded_the_same(value: Any) -> None:
    data = encode(value)
    assert decode(data, "line", depth=64) == value
    assert data.isascii()


@given(st.binary(max_size=60))
def test_no_bytes_crash_the_reader(data: bytes) -> None:
    for parse in (parse_record, parse_certificate, parse_board, parse_boards, parse_manifest, parse_preview):
        with pytest.raises(Malformed):
            parse(data)


@given(st.integers(0, len(LINE) - 1), st.integers(0, 255))
def test_a_flipped_byte_in_a_record_never_crashes_and_never_parses_to_the_same(place: int, byte: int) -> None:
    line = LINE[:place] + bytes([byte]) + LINE[place + 1 :]
    try:
        record = parse_record(line)
        findings = record_findings(record, line)
    except LevelgenError:
        return
    assert line == LINE or findings or record != RECORD


@given(st.recursive(st.none() | st.integers(-5, 5) | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3)),
       st.sampled_from(RECORD_FIELDS))  # fmt: skip
def test_no_value_in_any_field_crashes(value: Any, name: str) -> None:
    line = changed(LINE, lambda r: r.update({name: value}))
    with contextlib.suppress(Malformed):
        record_findings(parse_record(line), line)


def test_binding_fills_in_the_certificates_digest() -> None:
    assert bind(replace(RECORD, certificate_sha256=""), CERTIFICATE) == RECORD


def test_a_board_needs_four_fields_only() -> None:
    deal = board("AABB\nAABB")
    line = (
        b'{"ruleset":{"id":"pairs"},"slots":[[0,0,0],[2,0,0],[4,0,0],[6,0,0]],'
        b'"faces":["sun","sun","moon","moon"],"face_down":[]}'
    )
    assert parse_board(line).board.ruleset == deal.board.ruleset
    assert parse_board(LINE).faces == RECORD.faces


def test_a_board_in_mid_game_names_tray_and_removed_tiles() -> None:
    whole = board("AABBAABB\nAABBAABB")
    deal = replace(whole, removed=(0,), tray=("A",))
    again = parse_board(encode_board(deal))
    assert (again.tray, again.removed) == (("A",), (0,))
    assert again == deal


@pytest.mark.parametrize("ruleset", ["pairs", "triples"])
def test_random_boards_round_trip(ruleset: str) -> None:
    for number in range(40):
        stream = Stream("boards", f"{ruleset}/{number}")
        deal = random_deal(stream, ruleset, heap(stream, 12, 12, 9), 3, hidden=2 if ruleset == "pairs" else 0)
        assert parse_board(encode_board(deal)) == deal


BOARD_FAULTS: dict[str, tuple[Change, str]] = {
    "an unknown field": (lambda b: b.update(name="x"), "board/unknown-field"),
    "no faces": (lambda b: b.pop("faces"), "board/missing-field"),
    "a face too few": (lambda b: b["faces"].pop(), "board/faces"),
    "slots out of order": (lambda b: b["slots"].reverse(), "layout/order"),
    "tiles that overlap": (lambda b: b["slots"].__setitem__(0, [1, 0, 0]), "layout/overlap"),
    "half a pair": (lambda b: b.update(faces=["sun", "moon", "moon", "moon"]), "deal/copies"),
    "a removed tile that is not there": (lambda b: b.update(removed=[4]), "board/removed"),
    "a removed tile without its mate": (lambda b: b.update(removed=[0]), "deal/copies"),
    "a tray that would have cleared": (lambda b: b.update(tray=["sun", "sun"]), "deal/tray"),
    "an overfull tray": (lambda b: b.update(tray=[*"abcdef"]), "deal/tray"),
    "an unknown ruleset": (lambda b: b.update(ruleset={"id": "quads"}), "ruleset/unknown"),
    "a ruleset without id": (lambda b: b.update(ruleset={}), "ruleset/unknown"),
    "a bad optional field": (lambda b: b.update(level=0), "board/level"),
}


@pytest.mark.parametrize("fault", BOARD_FAULTS)
def test_a_board_is_refused_with(fault: str) -> None:
    change, code = BOARD_FAULTS[fault]
    assert code in refusals(parse_board, changed(encode_board(board("AABBAABB\nAABBAABB")), change))


def test_a_board_on_which_nothing_can_be_done_is_read_all_the_same() -> None:
    stuck = board(
        """
        AABBCC
        AABBCC
        -- 1
        BBAACC
        BBAACC
        """
    )
    assert parse_board(encode_board(stuck)) == stuck


def test_a_board_file_holds_one_board_a_line_and_tells_every_bad_line() -> None:
    good = encode_board(board("AAAA\nAAAA"))
    assert len(parse_boards(good + b"\n\n" + good + b"\n")) == 2
    with pytest.raises(Malformed) as caught:
        parse_boards(good + b"\n{}\n" + good + b"\n[]\n", "boards.jsonl")
    places = {finding.where for finding in caught.value.findings}
    assert places == {"boards.jsonl:2", "boards.jsonl:4"}
    assert refusals(parse_boards, b"\n\n") == ["board/none"]


def test_canonical_reading_refuses_blanks() -> None:
    assert refusals(lambda data: decode_canonical(data, "line"), b'{"a": 1}') == ["json/not-canonical"]
