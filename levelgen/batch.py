r"""Judge a stream of players' logs: one line of JSON in, one out, in the same order.

    {"v":1,"pack":"eram","level":7,"moves":["3-9",…]}                             a log by itself, or
    {"id":"…","log":"levelgen-log 1 eram#7\n3-9 …","first":true,"balance":{"undo":2}}  one with what the server knows

A line that cannot be read or judged is answered with an error object and hurts no other. Memory does not grow with the
stream: lines go to the workers in chunks, so many ahead and no more. While little comes in, as from a server that waits
for each answer, this process judges by itself at once; workers start when there is enough to do.
"""

from __future__ import annotations

import json
import os
import select
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from levelgen.errors import Finding, LevelgenError, Malformed, SystemFailed, unforeseen
from levelgen.moves import MAX_LOG_BYTES, log_of
from levelgen.pack.crew import deaf_to_interrupts, end_with_parent
from levelgen.pack.records import Record
from levelgen.pack.signing import TrustRoot
from levelgen.pack.strict import decode, is_count
from levelgen.tools import AIDS, MAX_COUNT
from levelgen.verify import Pack, context_of, judge, open_pack

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

MAX_LINE = 2 * MAX_LOG_BYTES
"""The most bytes of one line; longer ones are answered with an error and passed over."""
CHUNK = 1 << 16
"""Bytes read at once; workers are worth their while when so many are there."""
AHEAD = 4
"""Chunks a worker may have waiting for it; bounds memory."""
KEPT = 256
"""Levels a process keeps, read and proved."""
FIELDS = ("id", "log", "balance", "first", "race")

Line = bytes | None
"""A line without its line feed; None for one that is too long."""
Answered = tuple[str, int]
"""A line of JSON without its line feed, and the exit code it would have had by itself."""


class Judge:
    """Judges lines on one opened pack."""

    def __init__(self, pack: Pack) -> None:
        self._manifest = pack.manifest
        self._level: Callable[[int], Record] = lru_cache(maxsize=KEPT)(pack.level)

    def answer(self, number: int, line: Line) -> Answered:
        """The answer to line `number`, counted from 1."""
        found: dict[str, Any] = {"line": number}
        try:
            if line is None:
                raise Malformed.of("batch/too-long", f"is longer than {MAX_LINE} bytes", f"line {number}")
            return self._verdict(decode(line, f"line {number}", limit=MAX_LINE), found)
        except LevelgenError as error:
            return _error(found, error.findings, error.exit_code)
        except Exception as error:  # the other lines are judged all the same
            told = unforeseen(error, f"line {number}")
            return _error(found, told.findings, told.exit_code)

    def _verdict(self, data: Any, found: dict[str, Any]) -> Answered:
        where = f"line {found['line']}"
        given = data if isinstance(data, dict) and "log" in data else {"log": data}
        named = given.get("id")
        if "id" in given and (isinstance(named, int) or (isinstance(named, str) and len(named) <= 200)):
            found["id"] = named
        problem = _problem(given, found)
        if problem:
            fix = 'write {"log":…} and beside it any of "id", "balance", "first", "race", or a log by itself'
            raise Malformed.of("batch/fields", problem, where, fix)
        log = log_of(given["log"], where)
        if log.pack != self._manifest.pack:
            message = f"was played on {log.pack}#{log.level}, this pack is {self._manifest.pack}"
            raise Malformed.of("log/other-level", message, where)
        record = self._level(log.level)
        context = context_of(
            record, self._manifest, given.get("balance"), first=given.get("first", False), race=given.get("race", False)
        )
        verdict = judge(record, log, context)
        level = f"{record.pack}#{record.level}"
        told = {"schema": "levelgen/verdict/1", **found, "level": level, "record": record.digest, **verdict.to_json()}
        return json.dumps(told), 0 if verdict.verdict == "won" else 1


def _problem(given: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """What is wrong with a line that holds a log, its log aside; empty when nothing is."""
    unknown = [key for key in given if key not in FIELDS]
    if unknown:
        return f"has an unknown field {unknown[0][:40]!r}"
    if "id" in given and "id" not in found:
        return "id is neither an integer nor a text of at most 200 characters"
    if any(type(given.get(name, False)) is not bool for name in ("first", "race")):
        return "first or race is neither true nor false"
    balance = given.get("balance", {})
    if not isinstance(balance, dict) or any(name not in AIDS for name in balance):
        return f"balance is not an object whose keys are among {', '.join(AIDS)}"
    if not all(number is None or is_count(number, 0, MAX_COUNT) for number in balance.values()):
        return "balance holds something that is neither a count nor null"
    if given.get("race") and (balance or given.get("first")):
        return "a race has its own tools and earns nothing: balance and first do not go with it"
    return ""


def _error(found: Mapping[str, Any], findings: tuple[Finding, ...], code: int) -> Answered:
    told = {"schema": "levelgen/error/1", **found, "exit_code": code, "findings": [one.to_json() for one in findings]}
    return json.dumps(told), code


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines that follow one another."""

    first: int
    """The number of the first of them."""
    lines: tuple[Line, ...]

    def answers(self, judge: Judge) -> list[Answered]:
        """Their answers, in order."""
        return [judge.answer(number, line) for number, line in enumerate(self.lines, self.first)]


def chunks_of(source: int) -> Iterator[tuple[Chunk, bool]]:
    """The lines of the open file `source`, as they come in; and whether there was a whole `CHUNK` to read."""
    number, rest, skipping = 1, b"", False
    while True:
        data = os.read(source, CHUNK)
        *whole, rest = (rest + data).split(b"\n")
        if not data and rest:
            whole, rest = [rest], b""
        lines: list[Line] = []
        for line in whole:
            lines.append(None if skipping or len(line) > MAX_LINE else line)
            skipping = False
        if len(rest) > MAX_LINE:
            rest, skipping = b"", True
        if not data and skipping:
            lines.append(None)
        if lines:
            yield Chunk(number, tuple(lines)), len(data) >= CHUNK // 2
            number += len(lines)
        if not data:
            return


def judge_stream(pack: Path, trust: TrustRoot, source: int, tell: Callable[[list[str]], None], jobs: int) -> int:
    """Judge every line of the open file `source` on the pack at `pack`; `tell` gets the answers in order.

    Returns the highest exit code of any line: 0 when every log is a win, 1 when all could be judged, else 2 or more.

    Raises:
        Malformed: there is no pack.
        Untrusted: the pack's signature does not hold.
        SystemFailed: a worker died, or the pack was replaced meanwhile.
    """
    with open_pack(pack, trust) as opened:
        here, crew = Judge(opened), _Crew(pack, trust, opened.digest, jobs)
        worst = 0

        def told(answers: list[Answered]) -> int:
            tell([text for text, _ in answers])
            return max(code for _, code in answers)

        try:
            for chunk, whole in chunks_of(source):
                if crew.idle and (jobs == 1 or not whole):
                    worst = max(worst, told(chunk.answers(here)))
                    continue
                crew.take(chunk)
                # Whoever sends slowly may be waiting for these answers.
                while crew.full or (not crew.idle and not _more(source)):
                    worst = max(worst, told(crew.next()))
            while not crew.idle:
                worst = max(worst, told(crew.next()))
        finally:
            crew.close()
    return worst


def _more(source: int) -> bool:
    """Whether there is something to be read at once, or the end."""
    return bool(select.select([source], [], [], 0)[0])


class _Crew:
    """Processes that judge chunks, each on a pack it opened itself."""

    def __init__(self, pack: Path, trust: TrustRoot, digest: str, jobs: int) -> None:
        self._order = (str(pack), trust, digest)
        self._jobs = jobs
        self._waiting: deque[Future[list[Answered]]] = deque()
        self._pool: ProcessPoolExecutor | None = None

    @property
    def idle(self) -> bool:
        return not self._waiting

    @property
    def full(self) -> bool:
        return len(self._waiting) >= AHEAD * self._jobs

    def take(self, chunk: Chunk) -> None:
        """Have a chunk judged."""
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        with deaf_to_interrupts():
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self._jobs, context, _Here.start, self._order)
            self._waiting.append(self._pool.submit(_answers, chunk))

    def next(self) -> list[Answered]:
        """The answers to the chunk that has waited longest."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            return self._waiting.popleft().result()
        except BrokenProcessPool:
            raise SystemFailed.of(
                "system/worker-died", "a process that was judging was killed, or the pack was replaced meanwhile",
                self._order[0], "run the same command again",
            ) from None  # fmt: skip

    def close(self) -> None:
        """Let the processes go."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


class _Here:
    """The judge of this process, when it is one of a crew."""

    judge: Judge | None = None

    @classmethod
    def start(cls, pack: str, trust: TrustRoot, digest: str) -> None:
        """Open the pack in a process of a crew; it must be the one the first process opened."""
        end_with_parent()
        opened = open_pack(Path(pack), trust)
        if opened.digest != digest:
            os._exit(1)  # quietly; the first process says what may have happened
        cls.judge = Judge(opened)


def _answers(chunk: Chunk) -> list[Answered]:
    assert _Here.judge is not None, "every process of a crew is started with _Here.start"
    return chunk.answers(_Here.judge)
