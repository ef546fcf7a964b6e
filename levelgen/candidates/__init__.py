"""Candidates of a level, and the search for the one that is as hard as the curve asks for.

makings = Makings(level, board)
reached = search(makings)            # the nearest candidate found: its deal, its way out, its rating
makings.deal(reached.candidate)      # the same deal again, without any search
"""

from levelgen.candidates.conditions import SEED, Conditions
from levelgen.candidates.dealing import MAX_CODE, STYLES, Candidate, Makings
from levelgen.candidates.reach import Measured, Proposal, Reach, Stretch, measured_levels, stretches
from levelgen.candidates.search import Outcome, Reached, explore, search

__all__ = [
    "MAX_CODE",
    "SEED",
    "STYLES",
    "Candidate",
    "Conditions",
    "Makings",
    "Measured",
    "Outcome",
    "Proposal",
    "Reach",
    "Reached",
    "Stretch",
    "explore",
    "measured_levels",
    "search",
    "stretches",
]
