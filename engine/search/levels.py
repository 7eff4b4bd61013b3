"""Strength levels: the evaluations of a player before a play and before a cube decision.

The presets are gnubg 1.07's, weakest first, and one that rolls out. The weak ones add noise that is
a function of the position, so they repeat a mistake whenever the position comes up again. `pr 6` is
a level without noise that errs like people of that PR: it ranks the plays at 0-ply as `expert`, and
the person of the level chooses one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sixprime.engine.nets.weights import NONE_NAMED, Named
from sixprime.engine.people import Person
from sixprime.engine.ratings import PR_N, pr_fault, pr_named
from sixprime.engine.search.plies import DEEPEST, FILTERS, Evaluation, MoveFilter, Pass, Rolling
from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.errors import InputError, nearest_or_all


class UnknownLevel(InputError):
    """No level has this name; the text names the nearest."""


UNKNOWN_RATING = 1500.0  # of an unknown opponent: everybody starts there on FIBS


@dataclass(frozen=True, slots=True)
class Target:
    """A rating to play at. Its noise depends on the match length and has been measured."""

    rating: float | None  # None: the opponent's, from `least` to `most`
    least: float = 0.0
    most: float = math.inf
    cube_noise: float | None = None  # None: the noise of plays

    def wanted(self, opponent: float | None = None) -> float:
        """Return the rating to play at against an opponent with this rating."""
        if self.rating is not None:
            return self.rating
        theirs = UNKNOWN_RATING if opponent is None else opponent
        return min(max(theirs, self.least), self.most)


@dataclass(frozen=True, slots=True)
class Level:
    name: str
    checker: Evaluation
    cube: Evaluation
    seconds: float | None = None  # for one decision; None: no limit
    threads: int = 1  # 0: a thread for each core that this process may use
    target: Target | None = None  # then the noise is for a match of the usual length
    met: str | None = None  # match equity table: its name or gnubg's file; None: the default
    bearoff: Named = NONE_NAMED  # the user's own databases
    person: Person | None = None  # the chooser of plays; None: the best play is made
    cube_person: Person | None = None  # the same for the cube and resignations

    @property
    def cores(self) -> int:
        """The number of threads in this process."""
        return self.threads or usable_cores()

    def at_plies(self, plies: int, plays: int) -> Level:
        """Return the level that looks so far ahead at its best `plays`; ValueError for people."""
        if self.person is not None or self.cube_person is not None:
            raise ValueError(f"{self.name} chooses as people do, who look no plies ahead")
        checker, cube = (
            replace(look, plies=plies, filter=_the_best(plays), rollout=None)
            for look in (self.checker, self.cube)
        )
        return replace(self, checker=checker, cube=cube, seconds=None)

    def of_seed(self, seed: int) -> Level:
        """Return the level of other people: the same level, without any."""
        person, cube = (
            each and replace(each, seed=seed) for each in (self.person, self.cube_person)
        )
        return replace(self, person=person, cube_person=cube)


def _the_best(plays: int) -> MoveFilter:
    """Return the filter that lets this many plays through, however bad, at every depth."""
    every = Pass(max(plays, 2), 0, 0.0)
    return MoveFilter(f"best {plays}", tuple((every, *[None] * plies) for plies in range(DEEPEST)))


def noisy(name: str, noise: float, cube_noise: float | None = None) -> Level:
    """Return a 0-ply level; without `cube_noise`, the cube gets the same noise as plays."""
    cube = noise if cube_noise is None else cube_noise
    return Level(name, Evaluation(noise=noise, prune=False), Evaluation(noise=cube, prune=False))


def like_people(person: Person, name: str = "") -> Level:
    """Return the level of a person; the name is by default that of the PR."""
    looks = Evaluation(prune=False), Evaluation(prune=False)
    return Level(name or f"pr {person.pr:g}", *looks, person=person, cube_person=person)


def _deep(name: str, plies: int, width: str) -> Level:
    evaluation = Evaluation(plies, FILTERS[width])
    return Level(name, evaluation, evaluation)


_ROLLING = Evaluation(3, FILTERS["large"], rollout=Rolling())


@dataclass(frozen=True, slots=True)
class ManualLevel:
    """The level of the same name in gnubg's manual."""

    plies: int
    noise: float = 0.0
    filter: str | None = None
    why: str = ""  # reason for a difference of our level


MANUAL = {
    "beginner": ManualLevel(0, 0.060),
    "casual": ManualLevel(0, 0.050),
    "intermediate": ManualLevel(0, 0.030, why="gnubg 1.07 plays with 0.040, despite its manual"),
    "advanced": ManualLevel(0, 0.015),
    "expert": ManualLevel(0),
    "world-class": ManualLevel(2, filter="normal"),
    "supremo": ManualLevel(2, filter="large"),
    "grandmaster": ManualLevel(3, filter="large"),
    "4ply": ManualLevel(4, filter="large"),
}

PRESETS: dict[str, Level] = {
    level.name: level
    for level in (
        noisy("beginner", 0.060),
        noisy("casual", 0.050),
        noisy("intermediate", 0.040),
        noisy("advanced", 0.015),
        Level("expert", Evaluation(prune=False), Evaluation(prune=False)),
        _deep("world-class", 2, "normal"),
        _deep("supremo", 2, "large"),
        _deep("grandmaster", 3, "large"),
        _deep("4ply", 4, "large"),
        Level("roller", _ROLLING, _ROLLING, seconds=10.0, threads=0),
    )
}


PLAYED_AS = {"casual-play": "casual", "casual-player": "casual", "4-ply": "4ply"}  # gnubg's names


def preset(name: str, known: Mapping[str, Level] = PRESETS) -> Level:
    """Return the known level of this name, or of `pr N`; UnknownLevel names the nearest."""
    plain = "-".join(re.split(r"[\s_-]+", name.strip().lower()))
    plain = PLAYED_AS.get(plain, plain)
    for called in (name, plain):
        if called in known:
            return known[called]
    pr = pr_named(name)
    if pr is None:
        raise unknown_level(name, known)
    if fault := pr_fault(pr):
        raise UnknownLevel(fault)
    return like_people(Person(pr))


def unknown_level(name: str, known: Iterable[str]) -> UnknownLevel:
    return UnknownLevel(f"no level {name[:40]!r}{nearest_or_all(name, [*known, PR_N])}")
