"""Structural figures: what can be counted on a board without playing it.

They stand in every record under `difficulty`.
"""

from __future__ import annotations

from levelgen.board import Deal, tiles_of
from levelgen.rules import neighbours


def figures(deal: Deal) -> dict[str, int]:
    """The figures of a deal, by name.

    `tiles`, `layers`, `faces` (different ones), `hidden` (face-down tiles), `open` (open tiles at the start) and
    `moves` (moves accepted at the start).
    """
    start = deal.start
    return {
        "tiles": len(deal.faces),
        "layers": deal.board.layout.layers,
        "faces": len(set(deal.faces)),
        "hidden": len(deal.face_down),
        "open": len(deal.board.open_tiles(start.remaining)),
        "moves": sum(1 for _ in start.moves()),
    }


def sight(deal: Deal) -> dict[str, int]:
    """In thousandths: `unseen` (tiles whose face is not shown at the start) and `faces_per_slot` of the tray.

    A tile shows its face when it is face up, and either open or covered by none.
    """
    start, board = deal.start, deal.board
    above = neighbours(board.layout).above
    on_board = tiles_of(start.remaining)
    shown = {tile for tile in on_board if not above[tile] & start.remaining}.union(board.open_tiles(start.remaining))
    unseen = len(on_board) - sum(1 for tile in shown if not start.hidden >> tile & 1)
    return {
        "unseen": 1000 * unseen // max(len(on_board), 1),
        "faces_per_slot": 1000 * len(set(deal.faces)) // board.ruleset.tray,
    }
