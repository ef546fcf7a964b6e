"""`replay --batch` answers each line with one line, in order, whatever the lines hold, in bounded memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from levelgen.batch import AHEAD, CHUNK, MAX_LINE, Chunk, Judge, chunks_of, judge_stream
from levelgen.certificate import moves_under
from levelgen.cli import run
from levelgen.moves import Log, Move
from levelgen.pack.signing import public_pem
from levelgen.tools import Allowance
from levelgen.verify import Pack, judge, open_pack
from tests.packs import SIGNER, TRUST, write_tiny
from tests.patience import PATIENCE, happens, is_running

MAIN = "from levelgen.cli import main; main()"
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    folder = tmp_path_factory.mktemp("stream") / "tiny"
    write_tiny(folder, 5, heading={"tools": Allowance(5, (1, 1, 1), (2, 0, 0), True)})
    (folder.parent / "key.pem").write_bytes(public_pem(SIGNER.public))
    with open_pack(folder, TRUST) as opened:
        yield opened


def win(pack: Pack, level: int) -> Log:
    record = pack.level(level)
    return Log("tiny", level, moves_under(record.ruleset, record.deal.face_down, pack.certificate(level).solution))


def command(pack: Pack, source: str, *more: str) -> list[str]:
    folder = Path(pack.label)
    return ["replay", str(folder), "--batch", source, "--key", str(folder.parent / "key.pem"), *more]


def batch(pack: Pack, lines: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[Any]]:
    """The exit code and the answers to lines given as values, or as bytes that are no JSON."""
    source = tmp_path / "logs.ndjson"
    source.write_bytes(b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n"
                                for line in lines))  # fmt: skip
    capsys.readouterr()
    code = run(command(pack, str(source), "--jobs", "1"))
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_line_is_answered_as_replay_would(pack: Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = win(pack, 2)
    code, (bare, text, inner) = batch(
        pack, [log.to_json(), {"log": log.to_text()}, {"log": log.to_json()}], tmp_path, capsys
    )
    path = tmp_path / "one.log"
    path.write_text(log.to_text())
    assert (
        run(["replay", f"{pack.label}#2", str(path), "--key", str(Path(pack.label).parent / "key.pem"), "--json"]) == 0
    )
    alone = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {**bare, "line": 0} == {**text, "line": 0} == {**inner, "line": 0} == {**alone, "line": 0}


def test_a_line_may_bring_what_the_server_knows(pack: Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, tool = win(pack, 5), Log("tiny", 5, (Move("undo"),))
    hints = Log("tiny", 5, (Move("hint"), *log.moves))
    code, (first, again, spent, raced, hinted) = batch(pack, [
        {"id": "a", "log": log.to_json(), "first": True},
        {"id": 7, "log": log.to_json()},
        {"log": tool.to_json(), "balance": {"undo": 0}},
        {"log": log.to_json(), "race": True},
        {"log": hints.to_json(), "race": True},
    ], tmp_path, capsys)  # fmt: skip
    assert code == 1
    assert (first["id"], first["progress"], first["earned"]) == ("a", True, {"undo": 1, "hint": 1, "shuffle": 1})
    assert (again["id"], again["progress"], set(again["earned"].values())) == (7, False, {0})
    assert spent["refused"]["reason"] == "no-tool"
    assert (raced["verdict"], raced["progress"], hinted["refused"]["reason"]) == ("won", False, "no-tool")


BAD: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "json/syntax"),
    "nothing": (b"", "json/syntax"),
    "no ASCII": ("{}é".encode(), "json/not-ascii"),
    "deep": (b"[" * 9 + b"]" * 9, "json/too-deep"),
    "a number": (b"7", "log/fields"),
    "an unknown field": ({"log": {}, "more": 1}, "batch/fields"),
    "an odd id": ({"log": {}, "id": [1]}, "batch/fields"),
    "a long id": ({"log": {}, "id": "x" * 201}, "batch/fields"),
    "an odd balance": ({"log": {}, "balance": {"magic": 1}}, "batch/fields"),
    "a negative balance": ({"log": {}, "balance": {"undo": -1}}, "batch/fields"),
    "first is no truth value": ({"log": {}, "first": 1}, "batch/fields"),
    "a race with a balance": ({"log": {}, "race": True, "balance": {"undo": 1}}, "batch/fields"),
    "no log": ({"log": {}}, "log/fields"),
    "no move": ({"v": 1, "pack": "tiny", "level": 1, "moves": ["x"]}, "log/unparsable-move"),
    "half a surrogate": (b'{"log":"\\ud800"}', "json/surrogate"),
    "another pack": ({"v": 1, "pack": "other", "level": 1, "moves": []}, "log/other-level"),
    "no such level": ({"v": 1, "pack": "tiny", "level": 6, "moves": []}, "pack/no-such-level"),
    "too long": (b" " * (MAX_LINE + 1), "batch/too-long"),
}


def test_a_bad_line_hurts_no_other(pack: Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = win(pack, 1).to_json()
    lines = [line for bad, _ in BAD.values() for line in (bad, good)]
    code, answers = batch(pack, lines, tmp_path, capsys)
    assert [answer["line"] for answer in answers] == list(range(1, len(lines) + 1))
    assert [answer["findings"][0]["code"] for answer in answers[::2]] == [wanted for _, wanted in BAD.values()]
    assert {answer["schema"] for answer in answers[::2]} == {"levelgen/error/1"}
    assert {answer["verdict"] for answer in answers[1::2]} == {"won"}
    assert code == 5


def test_the_exit_code_is_the_worst_of_the_lines(
    pack: Pack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, open_end = win(pack, 1).to_json(), Log("tiny", 1, ()).to_json()
    assert batch(pack, [good], tmp_path, capsys)[0] == 0
    assert batch(pack, [good, open_end], tmp_path, capsys)[0] == 1
    assert batch(pack, [good, b"", open_end], tmp_path, capsys)[0] == 2
    assert batch(pack, [], tmp_path, capsys) == (0, [])


def test_a_bug_in_one_line_hurts_no_other(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("levelgen.batch.log_of", broken)
    text, code = Judge(pack).answer(3, b"{}")
    assert (json.loads(text)["findings"][0]["code"], code) == ("bug", 70)


def chunks(data: bytes) -> list[Chunk]:
    """The chunks of a stream that comes in as fast as it is read."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - the child writes and is gone
        os.close(reading)
        with open(writing, "wb") as file:
            file.write(data)
        os._exit(0)
    os.close(writing)
    found = [chunk for chunk, _ in chunks_of(reading)]
    os.close(reading)
    os.waitpid(child, 0)
    return found


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("middle", [b"", b"x" * MAX_LINE, b"y" * (MAX_LINE + 1), b"z" * (3 * MAX_LINE)])
def test_lines_come_out_as_they_went_in(middle: bytes, end: bytes) -> None:
    lines = [b"%d" % number * 1000 for number in range(300)]
    data = b"\n".join([*lines, middle, b"last"]) + end
    found = chunks(data)
    wanted = [*lines, middle if len(middle) <= MAX_LINE else None, b"last"]
    assert [line for chunk in found for line in chunk.lines] == wanted
    assert [chunk.first for chunk in found] == [1 + sum(len(c.lines) for c in found[:place])
                                                for place in range(len(found))]  # fmt: skip
    assert chunks(b"") == []
    assert [line for chunk in chunks(b"z" * (MAX_LINE + 5)) for line in chunk.lines] == [None]


def test_many_workers_answer_in_the_order_of_the_lines(pack: Pack, tmp_path: Path) -> None:
    logs = [win(pack, 1 + number % 5) for number in range(5)]
    source = tmp_path / "many.ndjson"
    text = b"".join(json.dumps({"id": number, "log": logs[number % 5].to_text() if number % 9 else 0}).encode() + b"\n"
                    for number in range(6000))  # fmt: skip
    assert len(text) > 3 * CHUNK
    source.write_bytes(text)
    alone, together = list[str](), list[str]()
    for jobs, told in ((1, alone), (2, together)):
        with source.open("rb") as file:
            assert judge_stream(Path(pack.label), TRUST, file.fileno(), told.extend, jobs) == 2
    assert together == alone
    assert [json.loads(line)["line"] for line in alone] == list(range(1, 6001))


def start(pack: Pack, *more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *command(pack, "-", *more)], cwd=ROOT, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_whoever_waits_for_an_answer_gets_it(pack: Pack) -> None:
    line = json.dumps(win(pack, 1).to_json()).encode() + b"\n"
    process = start(pack)
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(1, 4):
        process.stdin.write(line)
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["line"] == number
    assert process.communicate() == (b"", b"")
    assert process.returncode == 0


def test_whoever_has_seen_enough_ends_the_stream_without_a_word(pack: Pack) -> None:
    """As `| head -1` does: the pipe is closed while there is more to tell."""
    process = start(pack, "--jobs", "1")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    line = json.dumps(win(pack, 1).to_json()).encode() + b"\n"
    process.stdin.write(line)
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(line)
    process.stdin.close()
    assert (process.stderr.read(), process.wait()) == (b"", 0)
    process.stderr.close()


def test_an_endless_stream_is_interrupted_cleanly(pack: Pack) -> None:
    """Two workers judge while this process feeds them; after Ctrl-C nobody is left and every line printed is whole."""
    process = start(pack, "--jobs", "2")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    os.set_blocking(process.stdin.fileno(), False)
    line = json.dumps(win(pack, 1).to_json()).encode() + b"\n"
    workers: list[int] = []
    data, got = line * 200, b""
    os.set_blocking(process.stdout.fileno(), False)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and (len(workers) < 2 or got.count(b"\n") < 1000):
        try:
            data = data[os.write(process.stdin.fileno(), data) :] or line * 200
        except BlockingIOError:
            time.sleep(0.005)
        got += process.stdout.read() or b""
        workers = workers_of(process.pid)
    process.send_signal(signal.SIGINT)
    os.set_blocking(process.stdout.fileno(), True)
    rest, error = process.communicate()
    lines = (got + rest).splitlines()
    assert process.returncode == 130
    assert [json.loads(one)["line"] for one in lines] == list(range(1, len(lines) + 1))
    assert b"Traceback" not in error
    assert len(workers) >= 2
    assert happens(lambda: not any(map(is_running, workers)))


def workers_of(pid: int) -> list[int]:
    """The processes it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in children.read_text().split()] if children.exists() else []


MEMORY = """
import sys
from levelgen.cli import run
code = run(sys.argv[1:])
print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0], file=sys.stderr)
"""


def test_memory_does_not_grow_with_the_stream(pack: Pack) -> None:
    """Sixty megabytes of lines go through; what is kept is a few chunks."""

    def most(megabytes: int) -> int:
        process = subprocess.Popen(
            [sys.executable, "-c", MEMORY, *command(pack, "-", "--jobs", "1")], cwd=ROOT, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin is not None
        for _ in range(megabytes):
            process.stdin.write(b" " * (1 << 20) + b"\n")
        return int(process.communicate()[1].split()[-1])

    assert most(60) - most(0) < 30_000  # kilobytes
    assert AHEAD * CHUNK < 1 << 20


def test_options_that_belong_to_one_log_do_not_go_with_a_batch(pack: Pack, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (["--undo", "1"], ["--first"], ["--race"], ["--recover"]):
        assert run(command(pack, "-", *more)) == 2
    assert run(["replay", pack.label, "x.log", "--batch", "-"]) == 2
    assert run(["replay", f"{pack.label}#1", "x.log", "--jobs", "2"]) == 2
    assert run(["replay", f"{pack.label}#1"]) == 2
    assert run(command(pack, "/nowhere/at/all")) == 2
    assert run(command(pack, "/")) == 2
    capsys.readouterr()


def test_a_log_of_another_version_of_the_level_is_refused(pack: Pack) -> None:
    record, log = pack.level(1), win(pack, 1)
    named = Log(log.pack, log.level, log.moves, record.digest)
    assert judge(record, named).verdict == "won"
    verdict = judge(record, Log(log.pack, log.level, log.moves, "0" * 64))
    assert verdict.refusal is not None
    assert (verdict.verdict, verdict.refusal.reason, verdict.steps, verdict.refused_step) == (
        "refused", "other-record", 0, 0
    )  # fmt: skip
    assert verdict.digest == judge(record, Log(log.pack, log.level, ())).digest
