"""Structural figures: what can be counted on a board without playing it.

They stand in every record under `difficulty`.
"""

from __future__ import annotations

from levelgen.board import Deal


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
