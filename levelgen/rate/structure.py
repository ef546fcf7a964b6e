"""Structural figures: what can be counted on a board, and along one way to win it, without anybody playing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from levelgen.board import Deal, tiles_of
from levelgen.certificate import Solution, moves_under
from levelgen.moves import Move
from levelgen.rules import neighbours

if TYPE_CHECKING:
    from levelgen.solve.kernel.bots import Step, Table, Walk


def figures(deal: Deal) -> dict[str, int]:
    """What the start of a deal shows, by name.

    `tiles`, `layers`, `faces` (different ones), `hidden` (face-down tiles), `open` (open tiles at the start) and
    `moves` (moves accepted at the start); in thousandths `unseen` (tiles whose face does not show at the start) and
    `faces_per_slot` (different faces for each slot of the tray). A tile shows its face when it is face up, and either
    open or covered by none.
    """
    start, board = deal.start, deal.board
    on_board = tiles_of(start.remaining)
    opened = board.open_tiles(start.remaining)
    above = neighbours(board.layout).above
    shown = {tile for tile in on_board if not above[tile] & start.remaining}.union(opened).difference(deal.face_down)
    unseen = len(on_board) - len(shown)
    faces = len({deal.faces[tile] for tile in on_board}.union(deal.tray))
    return {
        "tiles": len(on_board),
        "layers": board.layout.layers,
        "faces": faces,
        "hidden": start.hidden.bit_count(),
        "open": len(opened),
        "moves": sum(1 for _ in start.moves()),
        "unseen": 1000 * unseen // max(len(on_board), 1),
        "faces_per_slot": 1000 * faces // board.ruleset.tray,
    }


def bottleneck(deal: Deal, dealt: Table) -> dict[str, int]:
    """`bottleneck`: of the face that lies deepest, how many tiles must go before any whole group of it can clear.

    Seen from the gates alone: what must go before the tile that opens last of the best group.
    """
    depths = dealt.depths()
    by_face: dict[str, list[int]] = {}
    for tile, depth in enumerate(depths):
        if depth >= 0:
            by_face.setdefault(deal.faces[tile], []).append(depth)
    deepest = 0
    for face, found in by_face.items():
        needs = deal.board.ruleset.group - deal.tray.count(face)
        deepest = max(deepest, sorted(found)[min(needs, len(found)) - 1])
    return {"bottleneck": deepest}


def way_out(deal: Deal, dealt: Table, solution: Solution | Sequence[Move]) -> Walk:
    """What the way out, a certificate's solution or the moves of a won game, meets move by move.

    Raises:
        ValueError: the law does not accept its moves.
    """
    from levelgen.solve.kernel.bots import PAIR, PICK, TURN

    moves = [one for one in solution if isinstance(one, Move)]
    if not moves:
        spelt = tuple([one for one in solution if not isinstance(one, Move)])
        moves = [*moves_under(deal.board.ruleset, deal.face_down, spelt)]

    def step(move: Move) -> Step:
        if move.kind == "pair":
            return (PAIR, min(move.tiles), max(move.tiles))
        return (TURN if move.kind == "flip" else PICK, move.tiles[0], -1)

    return dealt.follow([*map(step, moves)])


def along(deal: Deal, walked: Walk) -> dict[str, int]:
    """The figures of a way out of one move or more.

    `peak` (slots it takes at most); in thousandths `pressure` (mean share of the tray that is taken as a tile enters),
    `branching` (mean number of accepted moves) and `forced` (moves beside which no other wins or leaves a move).
    """
    count = len(walked.load)
    return {
        "peak": max(walked.load),
        "pressure": 1000 * sum(walked.load) // (count * deal.board.ruleset.tray),
        "branching": 1000 * sum(walked.accepted) // count,
        "forced": 1000 * walked.safe.count(1) // count,
    }


MOVE_MS = 700
"""Milliseconds a move takes by itself."""
LOOK_MS = 35
"""Milliseconds a look at one tile takes; on the way to a move half of those that show are looked at."""


def milliseconds(deal: Deal, walked: Walk) -> int:
    """How long the way out takes to play, each move found at once by looking: an estimate, measured on nobody.

    Without a way out, as if all tiles showed and left one by one.
    """
    if not walked.load:
        tiles = deal.start.remaining.bit_count()
        return MOVE_MS * tiles + LOOK_MS * tiles * tiles // 4
    return sum(MOVE_MS + LOOK_MS * shown // 2 for shown in walked.shown)
