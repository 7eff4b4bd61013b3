"""Work that is done once per installation or update; imports nothing heavy.

Their kernels are compiled by the first use of each, so all of it may also be left undone. "worths"
and "pruning" are parts of "ranking" and "search": two processes compile those in half the time.
"""

from __future__ import annotations

from collections.abc import Mapping

PREPARATIONS: dict[str, str] = {  # in this order, and the words for them
    "rules": "compiling the move generator",
    "worths": "compiling the worths of positions",
    "bearoff": "compiling the bearoff kernels",
    "one-sided": "building the one-sided bearoff databases, 6 and 8 points",
    "two-sided": "building the two-sided bearoff database, 6 checkers",
    "pruning": "compiling the pruning of plays",
    "ranking": "compiling the ranking of plays",
    "search": "compiling the search",
    "nets": "compiling the nets",
    "people": "compiling the choices of people",
    "analysis": "compiling the analysis",
    "rollouts": "compiling the rollouts",
}
ON_DEMAND: dict[str, str] = {  # done only if somebody asks for it
    f"hypergammon-{checkers}": f"building the hypergammon database, checkers: {checkers}"
    for checkers in (1, 2)
}
TYPICAL_S: Mapping[str, float] = {  # on one idle core; anything else takes no time
    "rules": 2, "worths": 5, "bearoff": 8, "pruning": 6, "ranking": 15, "search": 21, "nets": 2,
    "people": 4, "analysis": 22, "rollouts": 70, "hypergammon-1": 20, "hypergammon-2": 30,
}  # fmt: skip
RULES = ("rules",)
_LEAVES = (*RULES, "worths", "bearoff", "one-sided", "two-sided")
RANKING = (*_LEAVES, "ranking")  # plays without looking ahead
CUBE = (*_LEAVES, "pruning", "search")  # the cube, looking ahead
PLAYING = (*RANKING, "pruning", "search", "nets", "people")  # all but analysis and rollouts
ANALYSIS = (*PLAYING, "analysis")
ROLLOUTS = (*PLAYING, "rollouts")
