"""levelgen makes and certifies levels for tile-matching games.

    recipe → template → layout → board → deal → proof → certificate → pack → preview

    layout      = compose(templates, seed)            where tiles lie                      template, layout
    board       = Board.compile(layout, ruleset)      who blocks whom, as gates            rules, board
    deal        = deal_faces(board, faces, seed)      faces onto the board, by reverse play   deal
    proof       = prove(deal, budget)                 solved, unsolvable or undecided      solve
    certificate = certify(deal, proof)                replayed by the law before it counts certificate, replay
    pack        = write(levels, key)                  signed records, a Merkle tree        pack
    preview     = draw(level)                         what a designer looks at             render

Imports point strictly down that list (`tests/test_imports_never_climb.py` holds the floors). `levelgen.verify` is what
a game server imports: the standard library and `cryptography` only.
"""

__version__ = "0.1.0"

GENERATOR = 3
"""Raised by every change that alters the bytes a recipe yields."""
