"""The options of `sixprime rollout` that say how to play, and when to end."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file, flag, option
from sixprime.bot.cli.main import UsageError, at_least

if TYPE_CHECKING:
    from sixprime.engine.search.levels import Level
    from sixprime.engine.search.plies import Evaluation
    from sixprime.engine.search.trials import RolloutPlayer, RolloutSettings

LEVEL = "expert"
LOOKS = ("level", "plies", "cube_plies", "filter")


def rolling_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options; `settings_of` reads them."""
    parser.add_argument("--trials", type=int, default=1296, help="for each candidate (1296)")
    flag(parser, "--cubeless", "without a cube")
    flag(parser, "--opening", "the first roll is the opening roll: no double")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (1)")
    flag(parser, "--plain-dice", "do not spread the first rolls evenly")
    flag(parser, "--no-reduction", "do not take luck out of the results")
    _looking_arguments(parser)
    _ending_arguments(parser)


def _looking_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "how to look", "one value, or two with a comma: the player who decides, and the opponent"
    )
    whens = (("", f" ({LEVEL})", " (0)"), ("later-", ", later", ", later"))
    for when, level, plies in whens:
        option(group, f"--{when}level", "L", f"a level, or a rating such as 1650{level}")
        option(group, f"--{when}plies", "N", f"how far to look ahead for plays{plies}")
        option(group, f"--{when}cube-plies", "N", "and for the cube; default: as for plays")
        group.add_argument(f"--{when}filter", metavar="F", help="which plays are looked at deeper")
    option(group, "--later-after", "N", "from this turn on, the `later` options hold", at_least(1))
    file(group, "--levels-file", "more levels, as in config/levels.yaml")


def _ending_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("when to end")
    option(group, "--truncate", "N", "judge the position after N turns", int, 0)
    option(group, "--truncate-plies", "N", "how far to look ahead for that (0)", int, 0)
    flag(group, "--no-databases", "play on in the bearoff")
    for sides in ("one-sided", "two-sided"):
        flag(group, f"--no-{sides}", f"play on where the {sides} database knows the rest")
    group.add_argument(
        "--stop-at", type=float, default=0.0, metavar="JSD",
        help="drop plays that are this many joint standard deviations behind (0: never)",
    )  # fmt: skip
    group.add_argument(
        "--stop-at-error", type=float, default=0.0, metavar="E",
        help="end at this standard error of the equity (0: never)",
    )  # fmt: skip
    option(group, "--stop-after", "N", "but not before so many trials (324)", int, 324)


def settings_of(options: argparse.Namespace) -> RolloutSettings:
    """The settings that the options ask for; UsageError."""
    from sixprime.engine.search.plies import Evaluation
    from sixprime.engine.search.trials import RolloutSettings

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


def level_of(options: argparse.Namespace) -> Level:
    """Of the player who decides: its table and databases are those of the rollout; UsageError."""
    words = [_of_side(options, "", "level", side) for side in (0, 1)]
    mine, theirs = (_level(word, options.levels_file) for word in words)
    if mine.bearoff != theirs.bearoff:
        raise UsageError(f"--level {options.level}: both need the same bearoff databases")
    return mine


def _later(options: argparse.Namespace) -> tuple[RolloutPlayer, RolloutPlayer] | None:
    said = [
        f"--later-{name.replace('_', '-')}"
        for name in LOOKS
        if _said(options, "later_", name) is not None
    ]
    if said and options.later_after is None:
        raise UsageError(f"{said[0]} needs --later-after")
    if options.later_after is not None and not said:
        raise UsageError("--later-after needs --later-level, -plies, -cube-plies or -filter")
    return _players(options, "later_", _players(options, "")) if said else None


def _said(options: argparse.Namespace, when: str, name: str) -> str | None:
    said: str | None = getattr(options, when + name)
    return said


def _players(
    options: argparse.Namespace,
    when: str,
    before: tuple[RolloutPlayer, RolloutPlayer] | None = None,
) -> tuple[RolloutPlayer, RolloutPlayer]:
    """Both, who look as `before` where the options do not say otherwise."""
    from sixprime.engine.search.trials import RolloutPlayer

    both = []
    for side in (0, 1):
        word = {name: _of_side(options, when, name, side) for name in LOOKS}
        level: Level | RolloutPlayer
        if word["level"] is None and before is not None:
            level = before[side]
        else:
            level = _level(word["level"], options.levels_file)
        plies = _plies(word["plies"], f"--{when}plies")
        cube_plies = _plies(word["cube_plies"], f"--{when}cube-plies")
        both.append(
            RolloutPlayer(
                _look(level.checker, plies, word["filter"]),
                _look(level.cube, plies if cube_plies is None else cube_plies, None),
            )
        )
    return both[0], both[1]


def _of_side(options: argparse.Namespace, when: str, name: str, side: int) -> str | None:
    said = _said(options, when, name)
    if said is None:
        return None
    words = said.split(",")
    if len(words) > 2:
        option = f"--{when}{name}".replace("_", "-")
        raise UsageError(f"{option} {said[:40]}: one value, or two with a comma")
    return words[min(side, len(words) - 1)]


def _level(name: str | None, file: Path | None) -> Level:
    from sixprime.bot.cli.main import refusing
    from sixprime.bot.settings.levels import load_levels, read_level
    from sixprime.engine.search.levels import PRESETS
    from sixprime.engine.system.errors import ConfigError

    with refusing(ConfigError):
        known = PRESETS if file is None else load_levels(file)
        if name is not None and name.isdecimal():
            return read_level({"target_rating": int(name)}, known)
        return read_level(LEVEL if name is None else name, known)


def _plies(word: str | None, option: str) -> int | None:
    if word is None:
        return None
    if not word.isdecimal():
        raise UsageError(f"{option.replace('_', '-')} {word[:40]}: a number of plies is needed")
    return int(word)


def _look(look: Evaluation, plies: int | None, width: str | None) -> Evaluation:
    from sixprime.engine.search.plies import FILTERS
    from sixprime.engine.system.errors import nearest_or_all

    if width is not None:
        if width not in FILTERS:
            raise UsageError(f"no filter {width[:40]!r}{nearest_or_all(width, FILTERS)}")
        look = replace(look, filter=FILTERS[width])
    if plies is not None:
        look = replace(look, plies=plies, prune=look.prune or plies > 0)
    return look
