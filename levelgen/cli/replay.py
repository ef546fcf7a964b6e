"""The command `replay`: one player's log, or a stream of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels
from levelgen.cli.sources import Named, boards_from, cores, read_bytes, split_level, trust_from
from levelgen.cli.talk import emit_json, show, show_whole, tell_findings
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import Malformed, counted

if TYPE_CHECKING:
    from levelgen.board import Deal
    from levelgen.moves import Log
    from levelgen.replay import Verdict


@click.command("replay", epilog="Example:  levelgen replay out/eram#1 player.log")
@click.argument("level", metavar="BOARD", shell_complete=levels)
@click.argument("log", required=False)
@click.option("--batch", metavar="FILE", help="Judge a stream of logs on PACK: a line of JSON in, one out.")
@click.option("--jobs", type=click.IntRange(1, 256), help="With --batch: processes; default: one a core.")
@click.option("--key", "--trust", metavar="FILE", help=KEY_HELP)
@click.option("--undo", type=click.IntRange(0), help="Undos the player had; default: the level's.")
@click.option("--hint", type=click.IntRange(0), help="Hints the player had.")
@click.option("--shuffle", type=click.IntRange(0), help="Shuffles the player had.")
@click.option("--first", is_flag=True, help="The player has never completed this level before.")
@click.option("--race", is_flag=True, help="Played in a race: with the tools the pack gives to races; earns nothing.")
@click.option("--recover", is_flag=True, help="LOG was saved while playing: leave a last line out that was cut short.")
@click.option("--json", "as_json", is_flag=True, help="The verdict as JSON.")
def replay_command(
    level: str,
    log: str | None,
    batch: str | None,
    jobs: int | None,
    key: str | None,
    undo: int | None,
    hint: int | None,
    shuffle: int | None,
    first: bool,
    race: bool,
    recover: bool,
    as_json: bool,
) -> int:
    """Judge the log in file LOG (- for standard input), played on level N of PACK or on the board in a file.

    Exit code 0 when it is a win, 1 when it is lost, unfinished or refused, 2 when it cannot be read. With --batch it is
    the highest that any line would have had by itself.
    """
    balance = {"undo": undo, "hint": hint, "shuffle": shuffle}
    known = first or race or recover or any(number is not None for number in balance.values())
    if batch is not None:
        if log is not None or known:
            raise click.UsageError("--batch takes logs, balance, first and race from its lines")
        return _batch(level, batch, key, jobs or cores())
    if log is None or jobs is not None:
        raise click.UsageError("--jobs goes with --batch" if log else "which log? Name its file, or - for stdin")
    if race and (first or any(number is not None for number in balance.values())):
        raise click.UsageError("a race has its own tools and earns nothing: leave the others out")
    return _one(level, log, key, balance, first, race, recover, as_json)


def _one(
    level: str, log: str, key: str | None, balance: dict[str, int | None], first: bool, race: bool, recover: bool,
    as_json: bool,
) -> int:  # fmt: skip
    from levelgen.moves import encode
    from levelgen.verify import context_of, judge, open_pack, parse_log, recover_log

    place = split_level(level)
    board = _board(level) if place is None or os.path.isfile(level) else None
    if board is not None and (first or race):
        raise click.UsageError("a board of no pack earns nothing and has no races: leave --first and --race out")
    data = read_bytes(log)
    saved = recover_log(data, log) if recover else None
    played = saved.log if saved else parse_log(data, log)
    place_of: dict[str, str | None]
    if board is not None:
        place_of = {"level": board.name, "record": None}
        verdict = _judge_board(board.deal, played, balance)
    else:
        assert place is not None, "what is no board names a level"
        with open_pack(Path(place[0]), trust_from(key)) as pack:
            record = pack.level(place[1])
            context = context_of(record, pack.manifest, balance, first=first, race=race)
        place_of = {"level": f"{record.pack}#{record.level}", "record": record.digest}
        verdict = judge(record, played, context)
    torn = saved.torn if saved else None
    if as_json:
        told = {"torn": torn and torn.to_json()} if saved else {}
        emit_json("verdict/1", {**place_of, **told, **verdict.to_json()})
        return 0 if verdict.verdict == "won" else 1
    if torn:
        tell_findings((torn,), word="warning")
    show(f"{verdict.verdict} after {counted(verdict.steps, 'step')}" + (", assisted" if verdict.assisted else ""))
    for warned in verdict.warnings:
        show(f"step {warned.step}: warning {warned.warning}")
    if verdict.refusal:
        step = verdict.refused_step
        what = f"step {step}: {encode(played.moves[step - 1])}" if step else "the log"
        show(f"{what} refused, {verdict.refusal.reason}: {verdict.refusal.message}")
    if any(verdict.earned):
        show(
            "earned: " + ", ".join(f"{number} {name}" for name, number in verdict.to_json()["earned"].items() if number)
        )
    return 0 if verdict.verdict == "won" else 1


def _board(source: str) -> Named:
    """The one board of a board file.

    Raises:
        Malformed: there is no such file, or it holds several boards.
    """
    if source != "-" and not os.path.exists(source):
        raise Malformed.of("level/form", f"{source!r} names no level and no board file",
                           fix="write PACK#N, such as out/eram#1, or the name of a board file")  # fmt: skip
    boards = boards_from(source, None)
    if len(boards) > 1:
        raise Malformed.of("replay/boards", f"holds {len(boards)} boards; a log is played on one", source,
                           "keep the one it was played on")  # fmt: skip
    return boards[0]


def _judge_board(deal: Deal, played: Log, balance: Mapping[str, int | None]) -> Verdict:
    """The verdict on a board of no pack, which has no name: the one in the log's first line is not compared."""
    from levelgen.replay import Context, replay
    from levelgen.tools import AIDS

    unnamed = None if deal.board.ruleset.id == "triples" else 0
    undo, hint, shuffle = (unnamed if balance[name] is None else balance[name] for name in AIDS)
    return replay(deal, played.moves, Context((undo, hint, shuffle)))


def _batch(pack: str, source: str, key: str | None, jobs: int) -> int:
    from levelgen.batch import judge_stream

    trust = trust_from(key)
    if source == "-":
        return judge_stream(Path(pack), trust, sys.stdin.fileno(), show_whole, jobs)
    try:
        descriptor = os.open(source, os.O_RDONLY)
    except (FileNotFoundError, NotADirectoryError):
        raise Malformed.of("input/missing", "there is no such file", source, "check the path") from None
    try:
        if os.path.isdir(source):
            raise Malformed.of("input/directory", "is a directory, not a file", source)
        return judge_stream(Path(pack), trust, descriptor, show_whole, jobs)
    finally:
        os.close(descriptor)
