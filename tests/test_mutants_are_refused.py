"""A short run of what `tests/mutants.py` tries a million of: no traceback, nothing accepted that is not the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from levelgen.errors import Untrusted
from levelgen.moves import Log, parse_log
from levelgen.pack.write import pack_archive
from tests.mutants import (
    SAME,
    accepted_from,
    channel,
    container,
    empties,
    everything_in,
    games,
    honest,
    try_log,
    try_pack,
)
from tests.packs import write_tiny


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


def one_byte_off(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every place of the data with one byte another, and every third with one gone or more."""
    for place, byte in enumerate(data):
        yield place, data[:place] + bytes([byte ^ (1 << place % 8)]) + data[place + 1 :]
        if not place % 3:
            yield place, data[:place] + bytes([place % 256]) + data[place:]
            yield place, data[:place] + data[place + 1 :]
    yield len(data), data + b"\n"


def test_one_byte_of_a_pack_file_changed_gone_or_more_is_refused_or_irrelevant(tmp_path: Path) -> None:
    """Any byte of the `.lgpack`, its own structure included; pictures are tried in test_packs_resist_tampering."""
    write_tiny(tmp_path / "pack", 1, evidence={}, previews=())
    data = pack_archive(tmp_path / "pack").read_bytes()
    expected = everything_in(data)
    believed_in_nothing: set[int] = set()
    for member in (b"levels.idx", b"tree.bin", b'"keyid":"'):
        content = data.index(member) + len(member)
        length = {b"levels.idx": 16, b"tree.bin": 32}.get(member, data.index(b'"', content) - content)
        believed_in_nothing |= set(range(content, content + length))
    accepted = set()
    for place, changed in one_byte_off(data):
        try:
            found = everything_in(changed)
        except Untrusted:
            continue
        assert found == expected, f"byte {place} was changed unnoticed"
        assert len(changed) == len(data)
        accepted.add(place)
    assert accepted <= believed_in_nothing
    assert len(accepted) > 40


def test_one_byte_of_a_channel_changed_gone_or_more_is_refused_or_irrelevant() -> None:
    files = channel()
    expected = accepted_from(files)
    accepted = Counter[str]()
    for name in files:
        for place, changed in one_byte_off(files[name]):
            try:
                found = accepted_from({**files, name: changed})
            except Untrusted:
                continue
            assert found == expected, f"{name} byte {place} was changed unnoticed"
            begin = files[name].index(b'"signatures":')
            hints = [(m.start(1), m.end(1)) for m in re.finditer(rb'"keyid":"([^"]*)"', files[name])]
            assert place > begin
            assert any(low <= place <= high for low, high in hints), f"{name} byte {place}"
            accepted[name] += 1
    assert set(accepted) == set(files), "what a keyid says does not matter"
