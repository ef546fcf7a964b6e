"""One codec for moves: what is written reads back the same, and one move has one spelling only."""

from __future__ import annotations

import ast
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levelgen.errors import AnswerIsNo, Malformed
from levelgen.layout import MAX_TILES
from levelgen.moves import MAX_LOG_BYTES, MAX_MOVES, REASONS, Log, Move, decode, encode, parse_log
from tests.boards import board, reason
from tests.project import ROOT

TILES = st.integers(0, MAX_TILES - 1)
SEED_LETTERS = "ABCXYZabcxyz0189._/+-"
MOVES = st.one_of(
    st.builds(lambda a, b: Move("pair", (a, b)), TILES, TILES),
    st.builds(lambda kind, a: Move(kind, (a,)), st.sampled_from(["lift", "match", "flip", "pick"]), TILES),
    st.sampled_from(["undo", "hint", "restart", "give_up"]).map(Move),
    st.builds(lambda seed: Move("shuffle", (), seed), st.text(SEED_LETTERS, min_size=1, max_size=64)),
)
LOGS = st.builds(
    Log,
    st.from_regex(r"[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True),
    st.integers(1, 999_999_999),
    st.lists(MOVES, max_size=50).map(tuple),
)


@given(MOVES)
def test_every_move_reads_back_as_itself(move: Move) -> None:
    assert decode(encode(move)) == move
    assert str(move) == encode(move)


@given(st.text(st.sampled_from("0123456789-^=~urhgs: abU"), max_size=8))
def test_a_token_that_is_read_is_the_only_spelling_of_its_move(token: str) -> None:
    move = decode(token)
    assert move is None or encode(move) == token


@given(LOGS)
def test_every_log_reads_back_as_itself_in_both_forms(log: Log) -> None:
    assert parse_log(log.to_text().encode()) == log
    assert parse_log(json.dumps(log.to_json()).encode()) == log


@given(st.binary(max_size=80))
def test_no_bytes_at_all_crash_the_reader(data: bytes) -> None:
    for given_bytes in (
        data,
        b"levelgen-log 1 eram#1\n" + data,
        b'{"v":1,"pack":"eram","level":1,"moves":[' + data + b"]}",
    ):
        with suppress(Malformed):
            parse_log(given_bytes)


@pytest.mark.parametrize(
    "token",
    ["", "-", "3-", "-3", "03", "3-04", "00", "^", "^-1", "^1-2", "=x", "~ 4", "+3", "3.", "4096", "0-4096", "12345",
     "s:", "s:a b", "s:ä", "S:x", "U", "uu", "٣", "1-2-3", "s:" + "x" * 65],
)  # fmt: skip
def test_other_spellings_are_refused(token: str) -> None:
    assert decode(token) is None


def test_every_unreadable_token_is_reported_with_its_place() -> None:
    with pytest.raises(Malformed) as caught:
        parse_log(b"levelgen-log 1 eram#1\n0-1 oops\n  ^2 3-\n")
    assert [(f.code, f.where) for f in caught.value.findings] == [
        ("log/unparsable-move", "log:2:5"),
        ("log/unparsable-move", "log:3:6"),
    ]


def test_a_json_log_takes_moves_as_texts_only() -> None:
    with pytest.raises(Malformed) as caught:
        parse_log(b'{"v":1,"pack":"eram","level":1,"moves":[7,"7",null,["7"]]}')
    assert [f.where for f in caught.value.findings] == ["log: move 1", "log: move 3", "log: move 4"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "log/header"),
        ("levelgen-log 1 eram\n", "log/header"),
        ("levelgen-log 1 eram#0\n", "log/header"),
        ("levelgen-log 1 Eram#1\n", "log/header"),
        ("levelgen-log 2 eram#1\n", "log/version"),
        ('{"v":1,"pack":"eram","level":1}', "log/fields"),
        ('{"v":1,"pack":"eram","level":1,"moves":[],"more":0}', "log/fields"),
        ('{"v":true,"pack":"eram","level":1,"moves":[]}', "log/fields"),
        ('{"v":1,"pack":5,"level":1,"moves":[]}', "log/fields"),
        ('{"v":1,"pack":"eram","level":"1","moves":[]}', "log/fields"),
        ('{"v":1,"pack":"eram","level":1,"moves":"u"}', "log/fields"),
        ('{"v":1,"v":1,"pack":"eram","level":1,"moves":[]}', "log/json"),
        ('{"v":1.0,"pack":"eram","level":1,"moves":[]}', "log/json"),
        ('{"v":NaN,"pack":"eram","level":1,"moves":[]}', "log/json"),
        ("{" * 5000, "log/json"),
    ],
)
def test_what_is_no_log_is_refused_by_name(text: str, code: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse_log(text.encode())
    assert [f.code for f in caught.value.findings] == [code]


def test_a_log_must_be_ascii_and_of_a_sane_size() -> None:
    for data, code in (
        ("levelgen-log 1 eram#1\n3–9\n".encode(), "log/not-ascii"),
        (b"levelgen-log 1 eram#1\n" + b" " * MAX_LOG_BYTES, "log/too-long"),
        (b"levelgen-log 1 eram#1\n" + b"u " * (MAX_MOVES + 1), "log/too-long"),
    ):
        with pytest.raises(Malformed) as caught:
            parse_log(data)
        assert caught.value.findings[0].code == code


def test_a_log_may_just_fill_its_bounds() -> None:
    head = b"levelgen-log 1 eram#1\n"
    assert len(parse_log(head + b"u " * MAX_MOVES).moves) == MAX_MOVES
    assert parse_log(head + b" " * (MAX_LOG_BYTES - len(head))).moves == ()
    with pytest.raises(Malformed):
        parse_log(head + b" " * (MAX_LOG_BYTES - len(head) + 1))


def spelt_in(path: Path) -> set[str]:
    """Every reason a module refuses with."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    named = [one for one in calls if ast.unparse(one.func) in ("Refusal", "self._blocked")]
    return {
        node.args[0].value for node in named if isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }  # fmt: skip


def test_the_table_of_reasons_holds_every_reason_there_is_and_no_other() -> None:
    law, judge, server = (spelt_in(ROOT / "levelgen" / name) for name in ("board.py", "replay.py", "verify.py"))
    assert {"held", "tray-full"} <= law
    assert {"game-over", "no-tool", "nothing-to-undo", "no-winnable-shuffle"} <= judge
    assert law | judge | server == set(REASONS)


def test_the_rules_page_lists_the_reasons_in_the_same_order() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    table = page.partition("| reason | when |\n|---|---|\n")[2].partition("\n\n")[0]
    firsts = [re.findall(r"`([a-z-]+)`", line.split("|")[1]) for line in table.splitlines()]
    listed = [code for codes in firsts for code in codes if code not in ("pairs", "triples")]
    assert listed == list(REASONS)


def test_unparsable_and_not_allowed_are_different_answers() -> None:
    deal = board("AABB\nAABB\nBBAA\nBBAA", blocking=("cover",))
    with pytest.raises(Malformed) as unparsable:
        parse_log(b"levelgen-log 1 eram#1\n0-\n")
    (move,) = parse_log(b"levelgen-log 1 eram#1\n0-1\n").moves
    with pytest.raises(AnswerIsNo) as refused:
        deal.start.play(move)
    assert unparsable.value.exit_code == 2
    assert refused.value.exit_code == 1
    assert refused.value.findings[0].code == "move/faces-differ"
    assert reason(deal, "0-1") in REASONS
