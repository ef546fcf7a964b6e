"""Commands that ask a solver: `solve`."""

from __future__ import annotations

import click

from levelgen.cli.sources import boards_from
from levelgen.cli.talk import emit_json, show
from levelgen.cli.trust import KEY_HELP

CODES = {"solved": 0, "unsolvable": 1, "undecided": 4}


@click.command("solve", epilog="Example:  levelgen solve out/eram#1")
@click.argument("board", metavar="BOARD")
@click.option("--prover", type=click.Choice(["kernel", "dfs", "cpsat"]), default="kernel", show_default=True, help="Who decides.")
@click.option("--budget", type=click.IntRange(1), help="What the prover may spend, in its own unit of work.")
@click.option("--key", metavar="PEM", help=KEY_HELP)
@click.option("--json", "as_json", is_flag=True, help="The verdicts as JSON.")
def solve_command(board: str, prover: str, budget: int | None, key: str | None, as_json: bool) -> int:
    """Decide whether BOARD (PACK#N or a board file, - for standard input) can be won.

    A solution is replayed by the law before it is printed. Exit code 0 solved, 1 unsolvable, 4 undecided; of several
    boards the worst.
    """
    from levelgen.moves import encode
    from levelgen.solve import prove

    worst = 0
    for named in boards_from(board, key):
        proof = prove(named.deal, prover, budget)
        moves = [encode(move) for move in proof.moves]
        worst = max(worst, CODES[proof.verdict])
        if as_json:
            answer = {"name": named.name, "verdict": proof.verdict, "prover": proof.prover, "work": proof.work}
            emit_json("solve/1", {**answer, "moves": moves, "pairs": [list(pair) for pair in proof.pairs]})
        else:
            show(f"{named.name}: {proof.verdict} ({proof.prover}, {proof.work} of work)")
            if moves:
                show("  " + " ".join(moves))
    return worst
