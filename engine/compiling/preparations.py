"""Work that is done once per installation or update; imports nothing heavy.

Their kernels are compiled by the first use of each, so all of it may also be left undone.
"""

from __future__ import annotations

from collections.abc import Mapping

PREPARATIONS: dict[str, str] = {  # in this order, and the words for them
    "rules": "compiling the move generator",
    "bearoff": "compiling the bearoff kernels",
    "one-sided": "building the one-sided bearoff database, 6 points",
    "two-sided": "building the two-sided bearoff database, 6 checkers",
    "nets": "compiling the nets",
    "ranking": "compiling the ranking of plays",
    "search": "compiling the search",
    "people": "compiling the choices of people",
    "analysis": "compiling the analysis",
    "rollouts": "compiling the rollouts",
}
ON_DEMAND: dict[str, str] = {  # done only if somebody asks for it
    f"hypergammon-{checkers}": f"building the hypergammon database, checkers: {checkers}"
    for checkers in (1, 2)
}
TYPICAL_S: Mapping[str, float] = {  # on one idle core; anything else takes no time
    "rules": 2, "bearoff": 8, "nets": 8, "ranking": 20, "search": 35, "people": 4, "analysis": 22,
    "rollouts": 70, "hypergammon-1": 20, "hypergammon-2": 30,
}  # fmt: skip
RULES = ("rules",)
RANKING = (*RULES, "bearoff", "one-sided", "two-sided", "ranking")  # plays without looking ahead
PLAYING = (*RANKING, "nets", "search", "people")  # all but analysis and rollouts
ANALYSIS = (*PLAYING, "analysis")
ROLLOUTS = (*PLAYING, "rollouts")
