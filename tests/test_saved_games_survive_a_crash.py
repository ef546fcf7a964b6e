"""A game saved line by line is taken up again, after a crash at any byte, in the state of its last whole line."""

from __future__ import annotations

from pathlib import Path

import pytest

from levelgen.cli import run
from levelgen.errors import Malformed
from levelgen.moves import Log, Move, encode
from levelgen.pack.signing import public_pem
from levelgen.replay import Context, replay
from levelgen.seed import Stream
from levelgen.vectors import random_board, random_play, random_rules
from levelgen.verify import recover_log
from tests.packs import SIGNER, write_tiny

RICH = Context((None, None, None))


@pytest.mark.parametrize("number", range(12))
def test_whatever_is_left_replays_to_the_state_it_was_saved_in(number: int) -> None:
    stream = Stream("crash", str(number))
    deal = random_board(stream, random_rules(stream), stream.between(3, 7))
    play = random_play(deal, stream, 40)
    accepted = play[: replay(deal, play, RICH).steps]
    saved, states = b"levelgen-log 1 tiny#1\n", {}
    states[len(saved)] = replay(deal, (), RICH)
    at = 0
    while at < len(accepted):
        step = stream.between(1, 4)
        saved += " ".join(map(encode, accepted[at : at + step])).encode() + b"\n"
        at += step
        states[len(saved)] = replay(deal, accepted[:at], RICH)
    for end in range(len(saved) + 1):
        whole = max((size for size in states if size <= end), default=None)
        if whole is None:
            with pytest.raises(Malformed):
                recover_log(saved[:end])
            continue
        left = recover_log(saved[:end])
        assert replay(deal, left.log.moves, RICH) == states[whole]
        assert (left.torn is None) == (end == whole)


@pytest.mark.parametrize("junk", [b"\0", b"\xff\xfe", b"12\0\0\0\0", b"{", b"\r"])
def test_what_a_crash_leaves_behind_the_last_line_does_not_matter(junk: bytes) -> None:
    saved = Log("tiny", 1, (Move("pick", (3,)),)).to_text().encode()
    left = recover_log(saved + junk, "save.log")
    assert (left.log.moves, left.torn and left.torn.code) == ((Move("pick", (3,)),), "log/torn-line")
    assert left.torn is not None
    assert left.torn.where == "save.log:3:1"


def test_replay_tells_what_was_torn_and_judges_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tiny(tmp_path / "tiny", 1)
    (tmp_path / "key.pem").write_bytes(public_pem(SIGNER.public))
    (tmp_path / "save.log").write_text("levelgen-log 1 tiny#1\nr\nr r\n5-")
    arguments = ["replay", f"{tmp_path / 'tiny'}#1", str(tmp_path / "save.log"), "--key", str(tmp_path / "key.pem")]
    assert run(arguments) == 2
    assert "log/unparsable-move" in capsys.readouterr().err
    assert run([*arguments, "--recover"]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines() == ["unfinished after 3 steps"]
    assert "save.log:4:1: the last line is cut short; its 2 bytes are left out [log/torn-line]" in told.err
