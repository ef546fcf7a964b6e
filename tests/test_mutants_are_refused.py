"""A short run of what `tests/mutants.py` tries a million of: no traceback, nothing accepted that is not the same."""

from __future__ import annotations

from collections import Counter

from levelgen.moves import Log, parse_log
from tests.mutants import SAME, channel, container, empties, games, honest, try_log, try_pack


def test_mutants_of_packs_and_channels_are_refused() -> None:
    ended = Counter(map(try_pack, range(2000)))
    assert ended.total() == 2000
    assert ended[SAME] < 500
    assert len(ended) > 25, "they are refused for many reasons"


def test_mutants_of_logs_are_judged_as_a_judge_of_its_own_would() -> None:
    ended = Counter(map(try_log, range(6_000)))
    assert ended.total() == 6_000
    assert 200 < ended["won"] < 1500, "many still win, or nothing was compared"
    assert ended["refused"] > 1500


def test_the_other_judge_knows_a_win_from_none() -> None:
    for ruleset in ("pairs", "triples"):
        for record, tokens in games(ruleset):
            log = parse_log(f"levelgen-log 1 tiny#{record.level}\n{' '.join(tokens)}".encode())
            assert empties(record, log) is True
            assert empties(record, Log("tiny", record.level, log.moves[:-1])) is False
            assert empties(record, Log("tiny", record.level, log.moves[1:])) is False


def test_what_is_changed_is_good_before() -> None:
    for ruleset in ("pairs", "triples"):
        assert len(honest(ruleset)) == 9
        assert container(ruleset).startswith(b"PK")
    assert set(channel()) == {"trust.json", "2.trust.json", "release.dsse.json"}
