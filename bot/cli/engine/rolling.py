"""The players and settings that the options of `sixprime rollout` choose."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from sixprime.bot.cli.levels import level_named
from sixprime.bot.cli.line.engine import ROLLOUT_LEVEL
from sixprime.bot.cli.line.errors import UsageError
from sixprime.engine.search.levels import Level
from sixprime.engine.search.plies import FILTERS, Evaluation
from sixprime.engine.search.trials import RolloutPlayer, RolloutSettings
from sixprime.engine.system.errors import nearest_or_all

LOOKS = ("level", "plies", "cube_plies", "filter")


def settings_of(options: Namespace) -> RolloutSettings:
    """Return the settings that the options choose; UsageError."""
    if options.truncate_plies and not options.truncate:
        raise UsageError("--truncate-plies needs --truncate")
    later = _later(options)
    settings = RolloutSettings(
        trials=options.trials, cubeful=not options.cubeless, truncate=options.truncate,
        reduce_variance=not options.no_reduction, databases=not options.no_databases,
        seed=options.seed, stop_at=options.stop_at, stop_after=options.stop_after,
        stop_at_error=options.stop_at_error, players=_players(options, ""), later=later,
        later_after=options.later_after or 0, at_truncation=Evaluation(options.truncate_plies),
        one_sided=not options.no_one_sided, two_sided=not options.no_two_sided,
        stratified=not options.plain_dice, opening=options.opening,
    )  # fmt: skip
    return settings.checked()


def level_of(options: Namespace) -> Level:
    """Return the level of the player who decides, with the rollout's table; UsageError."""
    words = [_of_side(options, "", "level", side) for side in (0, 1)]
    mine, theirs = (level_named(word or ROLLOUT_LEVEL, options.levels_file) for word in words)
    if mine.bearoff != theirs.bearoff:
        raise UsageError(f"--level {options.level}: both need the same bearoff databases")
    return mine


def _later(options: Namespace) -> tuple[RolloutPlayer, RolloutPlayer] | None:
    given = [name for name in LOOKS if getattr(options, f"later_{name}") is not None]
    if given and options.later_after is None:
        raise UsageError(f"--later-{given[0].replace('_', '-')} needs --later-after")
    if options.later_after is not None and not given:
        raise UsageError("--later-after needs --later-level, -plies, -cube-plies or -filter")
    return _players(options, "later_", _players(options, "")) if given else None


def _players(
    options: Namespace,
    when: str,
    before: tuple[RolloutPlayer, RolloutPlayer] | None = None,
) -> tuple[RolloutPlayer, RolloutPlayer]:
    """Return both players; `before` holds where the options do not say otherwise."""
    both = []
    for side in (0, 1):
        word = {name: _of_side(options, when, name, side) for name in LOOKS}
        level: Level | RolloutPlayer
        if word["level"] is None and before is not None:
            level = before[side]
        else:
            level = level_named(word["level"] or ROLLOUT_LEVEL, options.levels_file)
            if level.person or level.cube_person:
                raise UsageError(f"--{when}level {word['level']}: rollouts play without people's "
                                 "errors, name another level")  # fmt: skip
        plies = _plies(word["plies"], f"--{when}plies")
        cube_plies = _plies(word["cube_plies"], f"--{when}cube-plies")
        both.append(
            RolloutPlayer(
                _look(level.checker, plies, word["filter"]),
                _look(level.cube, plies if cube_plies is None else cube_plies, None),
            )
        )
    return both[0], both[1]


def _of_side(options: Namespace, when: str, name: str, side: int) -> str | None:
    given: str | None = getattr(options, when + name)
    if given is None:
        return None
    words = given.split(",")
    if len(words) > 2:
        option = f"--{when}{name}".replace("_", "-")
        raise UsageError(f"{option} {given[:40]}: one value, or two with a comma")
    return words[min(side, len(words) - 1)]


def _plies(word: str | None, option: str) -> int | None:
    if word is None:
        return None
    if not word.isdecimal():
        raise UsageError(f"{option.replace('_', '-')} {word[:40]}: a number of plies is needed")
    return int(word)


def _look(look: Evaluation, plies: int | None, width: str | None) -> Evaluation:
    if width is not None:
        if width not in FILTERS:
            raise UsageError(f"no filter {width[:40]!r}{nearest_or_all(width, FILTERS)}")
        look = replace(look, filter=FILTERS[width])
    if plies is not None:
        look = replace(look, plies=plies, prune=look.prune or plies > 0)
    return look
