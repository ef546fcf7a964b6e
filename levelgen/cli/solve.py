"""Commands that ask a solver, and `check`, which asks none: `solve`, `hint`, `shuffle`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from levelgen.cli.completion import levels
from levelgen.cli.sources import Named, boards_from, read_bytes, writable
from levelgen.cli.talk import emit_json, say, show, tell_findings
from levelgen.cli.trust import KEY_HELP
from levelgen.errors import AnswerIsNo, Finding, Malformed

if TYPE_CHECKING:
    from levelgen.board import Position
    from levelgen.evidence import Evidence

CODES = {"solved": 0, "unsolvable": 1, "undecided": 4}


@click.command("solve", epilog="Example:  levelgen solve out/eram#1 --minimum")
@click.argument("board", metavar="BOARD", shell_complete=levels)
@click.option(
    "--prover", type=click.Choice(["kernel", "dfs", "cpsat"]), default="kernel", show_default=True, help="Who decides."
)
@click.option("--budget", type=click.IntRange(1), help="What the prover may spend, in its own unit of work.")
@click.option(
    "--minimum", is_flag=True, help="Also find the least tray that is enough, and show that one slot fewer is not."
)
@click.option(
    "--evidence",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the evidence for unsolvable or the minimum there.",
)
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The verdicts as JSON.")
def solve_command(
    board: str, prover: str, budget: int | None, minimum: bool, evidence: Path | None, key: str | None, as_json: bool
) -> int:
    """Decide whether BOARD (PACK#N or a board file, - for standard input) can be won.

    A solution is replayed by the law before it is printed; evidence is checked before it is written. Exit code 0
    solved, 1 unsolvable, 4 undecided; of several boards the worst.
    """
    from levelgen.moves import encode
    from levelgen.solve import fast, prove

    if evidence is not None:
        writable(evidence, board)

    worst = 0
    files: list[bytes] = []
    for named in boards_from(board, key):
        proof = prove(named.deal, prover, budget)
        worst = max(worst, CODES[proof.verdict])
        answer = {
            "name": named.name,
            "verdict": proof.verdict,
            "prover": proof.prover,
            "work": proof.work,
            "moves": [encode(move) for move in proof.moves],
            "pairs": [list(pair) for pair in proof.pairs],
        }
        shown: Evidence | None = None
        if proof.verdict == "unsolvable" and evidence is not None:
            shown = fast.refute(named.deal)
            answer["claim"] = "unsolvable" if shown else "asserted"
        elif minimum and proof.verdict == "solved":
            least = fast.least_tray(named.deal) if budget is None else fast.least_tray(named.deal, budget)
            shown = least.evidence
            trivial = least.par == named.deal.board.ruleset.group
            proved = least.verdict == "solved"
            claim = "minimum" if proved and (shown or trivial) else "asserted" if proved else "solved"
            answer["par"] = {"value": least.par, "claim": claim} if least.par else None
        files += _evidence_file(shown, named)
        _tell(answer, as_json)
    if evidence is not None:
        _write(evidence, b"".join(files))
    return worst


def _tell(answer: dict[str, object], as_json: bool) -> None:
    if as_json:
        emit_json("solve/1", answer)
        return
    show(f"{answer['name']}: {answer['verdict']} ({answer['prover']}, {answer['work']} of work)")
    moves, par = answer["moves"], answer.get("par")
    if isinstance(moves, list) and moves:
        show("  " + " ".join(moves))
    if isinstance(par, dict):
        show(f"  least tray: {par['value']} ({par['claim']})")
    if "claim" in answer:
        show(f"  claim: {answer['claim']}")


def _evidence_file(shown: Evidence | None, named: Named) -> list[bytes]:
    from levelgen.pack.claims import evidence_bytes

    return [evidence_bytes(shown, named.deal)] if shown else []


def _write(path: Path, data: bytes) -> None:
    from levelgen.pack.disk import write_file

    if not data:
        say(f"there is no evidence to write; {path} is left alone")
        return
    write_file(path, data)
    show(str(path))


@click.command("check", epilog="Example:  levelgen check dead.evidence")
@click.argument("evidence")
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
def check_command(evidence: str, as_json: bool) -> int:
    """Re-derive the claims in file EVIDENCE (as `solve --evidence` writes it), without any solver.

    Exit code 0 when every claim holds, 3 when one does not, 2 when the file cannot be read.
    """
    from levelgen.evidence import check
    from levelgen.pack.claims import parse_evidence

    lines = [line for line in read_bytes(evidence).split(b"\n") if line.strip()]
    if not lines:
        raise Malformed.of("evidence/none", "holds no evidence", evidence)
    claims: list[dict[str, object]] = []
    findings: list[Finding] = []
    for number, line in enumerate(lines, start=1):
        where = f"{evidence}:{number}"
        shown, deal = parse_evidence(line, where)
        if deal is None:
            raise Malformed.of(
                "evidence/no-board", "does not bring its board along", where, "verify the pack it belongs to"
            )
        wrong = check(shown, deal, where)
        findings += wrong
        claims.append(
            {
                "claim": shown.claim,
                "kind": shown.kind,
                "slots": shown.slots,
                "bytes": len(shown.data),
                "holds": not wrong,
            }
        )
    if as_json:
        emit_json("check/1", {"claims": claims, "findings": [finding.to_json() for finding in findings]})
    else:
        tell_findings(findings)
        for claim in claims:
            word = "holds" if claim["holds"] else "does not hold"
            show(f"{claim['claim']} ({claim['kind']}, {claim['bytes']} bytes): {word}")
    return 3 if findings else 0


def _position(board: str, log: str | None, key: str | None) -> Position:
    """The position to help with: a board as it starts, or after the moves of a log."""
    from levelgen.moves import parse_log

    boards = boards_from(board, key)
    if len(boards) != 1:
        raise Malformed.of("board/many", f"holds {len(boards)} boards", board, "give one")
    position = boards[0].deal.start
    for move in parse_log(read_bytes(log), log).moves if log else ():
        position = position.play(move)
    return position


@click.command("hint", epilog="Example:  levelgen hint out/tilematch#3 --log player.log")
@click.argument("board", metavar="BOARD", shell_complete=levels)
@click.option("--log", metavar="FILE", help="Moves played so far; default: none.")
@click.option("--budget", type=click.IntRange(1), help="Nodes the kernel may spend.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The hint as JSON.")
def hint_command(board: str, log: str | None, budget: int | None, key: str | None, as_json: bool) -> int:
    """A move that keeps BOARD (PACK#N, or a board file's position) winnable, or "none from here".

    Exit code 0 with a move, 1 when the position cannot be won, 4 when that is undecided.
    """
    from levelgen.moves import encode
    from levelgen.solve.aid import hint

    position = _position(board, log, key)
    move = None if position.won else hint(position, budget)
    if as_json:
        emit_json("hint/1", {"move": encode(move) if move else None, "won": position.won})
    elif position.won:
        show("nothing to do: the game is won")
    else:
        show(encode(move) if move else "none from here: the position cannot be won")
    return 0 if move or position.won else 1


@click.command("shuffle", epilog="Example:  levelgen shuffle out/tilematch#3 --log player.log --seed 7")
@click.argument("board", metavar="BOARD", shell_complete=levels)
@click.option("--seed", required=True, help="As the log will name it: s:SEED.")
@click.option("--log", metavar="FILE", help="Moves played so far; default: none.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The new position as JSON.")
def shuffle_command(board: str, seed: str, log: str | None, key: str | None, as_json: bool) -> int:
    """Deal the tiles left on BOARD anew over their places, so that the position can be won; printed as a board file.

    The deal is the one a log's `s:SEED` stands for, proved winnable by the kernel. Exit code 1 when it is refused.
    """
    from levelgen.deal import shuffle
    from levelgen.moves import decode
    from levelgen.pack.records import encode_board
    from levelgen.solve import prove

    if decode(f"s:{seed}") is None:
        raise Malformed.of("shuffle/seed", f"{seed!r} is no seed", "--seed", "1 to 64 characters of A-Za-z0-9._/+-")
    position = _position(board, log, key)
    dealt = shuffle(position, seed)
    if dealt is None:
        raise AnswerIsNo.of("shuffle/no-winnable-shuffle", "no deal of the tiles left was found that can be won")
    verdict = prove(dealt).verdict
    if verdict == "unsolvable":
        raise AnswerIsNo.of("shuffle/no-winnable-shuffle", "the deal this seed gives cannot be won here")
    if as_json:
        emit_json("shuffle/1", {"board": dealt.to_json(), "verdict": verdict})
    else:
        show(encode_board(dealt).decode())
    return CODES[verdict]
