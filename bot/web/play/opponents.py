"""The opponents to choose from in the browser: people by their PR, engines by level or rating."""

from __future__ import annotations

from collections.abc import Mapping

from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.play.boardmatch import DICE_TOO, HANDS
from sixprime.bot.web.play.coach import ratings
from sixprime.engine.compiling.preparations import (
    ON_DEMAND,
    PLAYING,
    RANKING,
    ROLLOUTS,
    RULES,
)
from sixprime.engine.position import Variant
from sixprime.engine.ratings import LEAST_PR, MOST_PR, canonical, pr_fault, pr_named
from sixprime.engine.ratings import PEOPLE as WORDS
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import WITHOUT_ENGINE
from sixprime.engine.search.ratingtable import shipped_ratings

ENGINES = {  # with words for their strength, a rating where it was measured
    "simple": N_("counts pips"),
    "random": N_("plays at random"),
    "world-class": N_("above FIBS 2000, looks 2 plies ahead"),
    "supremo": N_("looks 2 plies ahead, at more plays"),
    "grandmaster": N_("looks 3 plies ahead"),
    "4ply": N_("looks 4 plies ahead, takes seconds"),
    "roller": N_("rolls out close decisions, takes 10 s"),
}
PEOPLE = {f"pr {pr}": words for pr, words in WORDS.items()}
LONGEST_RATING = 4  # digits


def engines() -> dict[str, str]:
    """Return the levels of the engine and words for their strength, weakest first."""
    table = shipped_ratings()
    rated = {name: table.rating_of(level) for name, level in PRESETS.items()}
    ratings = {name: f"FIBS {rating:z.0f}" for name, rating in rated.items() if rating is not None}
    return {name: ratings.get(name) or ENGINES[name] for name in (*WITHOUT_ENGINE, *PRESETS)}


def level_of(form: Mapping[str, str]) -> str:
    """Return the level of a rating or PR that was typed, or else the one from the list."""
    pr = form.get("pr", "").strip()
    return form.get("rating", "").strip() or canonical(f"pr {pr}" if pr else form["level"])


def may_play(level: str) -> bool:
    if level in (HANDS, DICE_TOO):
        return True
    if level.isascii() and level.isdecimal():
        least, most = ratings()
        return len(level) <= LONGEST_RATING and least <= int(level) <= most
    pr = pr_named(level)
    return level in (*PRESETS, *WITHOUT_ENGINE) if pr is None else pr_fault(pr) is None


def no_opponent() -> str:
    """Return the answer to a level that nobody plays at."""
    least, most = ratings()
    return gettext(
        "Choose a level, a PR from %(least_pr)s to %(most_pr)s, "
        "or a rating from %(least)s to %(most)s.",
        least_pr=f"{LEAST_PR:g}", most_pr=f"{MOST_PR:g}", least=least, most=most,
    )  # fmt: skip


def preparations(level: str, length: int, variant: Variant) -> tuple[str, ...]:
    """Return the preparations that an opponent of this level needs, by their keys."""
    if level in (*WITHOUT_ENGINE, HANDS):
        return RULES
    game = (variant.called,) if variant.called in ON_DEMAND else ()
    if length == 1 and pr_named(level) is not None:  # a cube would be searched
        return *RANKING, "nets", "people", *game
    rolls_out = level in PRESETS and PRESETS[level].checker.rollout is not None
    return *(ROLLOUTS if rolls_out else PLAYING), *game
