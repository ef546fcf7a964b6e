"""Candidates of a level, and the search for the one that is as hard as the curve asks for.

makings = Makings(level, board)
reached = search(makings)            # the nearest candidate found: its deal, its way out, its rating
makings.deal(reached.candidate)      # the same deal again, without any search
"""

from levelgen.candidates.dealing import MAX_CODE, STYLES, Candidate, Makings
from levelgen.candidates.reach import Measured, Proposal, Reach, Stretch, measured_levels, stretches
from levelgen.candidates.search import SEED, Reached, search

__all__ = [
    "MAX_CODE",
    "SEED",
    "STYLES",
    "Candidate",
    "Makings",
    "Measured",
    "Proposal",
    "Reach",
    "Reached",
    "Stretch",
    "measured_levels",
    "search",
    "stretches",
]
