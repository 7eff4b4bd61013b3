"""The rating formula of FIBS, chances of a match from rating differences and back; and PRs.

A PR is 500 times the EMG that a player loses per decision. `pr 6` is the level that plays like
people of PR 6.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

LEAST_RATING = 100.0  # no server rates lower; Galaxy's files hold a score where others rate
PR_N = "pr N"  # among the names of levels
LEAST_PR, MOST_PR = 1.0, 25.0  # of the players that the model of people has seen
PEOPLE: Mapping[int, str] = {  # words for people of a PR, best first
    3: "a world champion",
    5: "a strong club player",
    7: "a club player",
    10: "a good casual player",
    14: "a casual player",
}


def pr_named(name: str) -> float | None:
    """Return the PR in the name of a level, such as `pr 6`, `pr6` or `PR 6.5`; None without one."""
    named = re.fullmatch(r"pr *([0-9]{1,3}(?:\.[0-9]{1,3})?)", name, re.ASCII | re.IGNORECASE)
    return None if named is None else float(named[1])


def canonical(level: str) -> str:
    """Return the name of a level, in its usual form if it is that of a PR."""
    pr = pr_named(level)
    return level if pr is None else f"pr {pr:g}"


def pr_fault(pr: float) -> str | None:
    """Return why no level can have this PR; None for a PR in range."""
    if LEAST_PR <= pr <= MOST_PR:
        return None
    return f"pr {pr:g} is out of range, people play from pr {LEAST_PR:g} to pr {MOST_PR:g}"


def in_people(pr: float) -> str:
    """Return the name for people of about this PR."""
    return PEOPLE[min(PEOPLE, key=lambda known: abs(known - pr))]


def winning_chance(difference: float, length: int) -> float:
    """Return the chance of winning a match against a player rated lower by `difference`."""
    return 1.0 / (1.0 + math.pow(10.0, -difference * math.sqrt(length) / 2000.0))


def rating_difference(chance: float, length: int) -> float:
    """Return the rating difference at which a match is won with this chance."""
    if chance <= 0.0:
        return -math.inf
    if chance >= 1.0:
        return math.inf
    return -2000.0 / math.sqrt(length) * math.log10(1.0 / chance - 1.0)
