"""`sixprime levels`: lists the levels and explains each."""

from __future__ import annotations

import argparse
import json
import re
from typing import TYPE_CHECKING

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.declaring import file, flag, option
from sixprime.bot.cli.lab import calibrate
from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    from sixprime.engine.search.levels import Level
    from sixprime.engine.search.plies import Evaluation


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "example: sixprime levels show world-class"
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    lists = actions.add_parser("list", help="every level, weakest first", epilog=parser.epilog)
    show = actions.add_parser("show", help="one level as YAML", epilog=parser.epilog)
    show.add_argument("name", help="name of the level, or a rating such as 1650")
    option(show, "--length", "N", "of the match, for a rating (default 5)", int)
    calibrate.arguments(
        actions.add_parser("calibrate", help="measure how strong levels are, in matches")
    )
    calibrate.ratings_arguments(
        actions.add_parser("ratings", help="what was measured: noises, ratings, errors")
    )
    for action in (lists, show):
        file(action, "--levels-file", "more levels")
        flag(action, "--json", "as JSON")


def run(options: argparse.Namespace) -> int:
    from sixprime.bot.settings.levels import load_levels
    from sixprime.engine.search.levels import PRESETS
    from sixprime.engine.system.errors import ConfigError

    if options.action in ("calibrate", "ratings"):
        return calibrate.run(options) if options.action == "calibrate" else calibrate.show(options)
    with refusing(ConfigError):
        levels = PRESETS if options.levels_file is None else load_levels(options.levels_file)
        if options.action == "list":
            _list(levels, options.json)
        else:
            _show(*_named(options, levels), options.json)
    return 0


def _named(options: argparse.Namespace, levels: dict[str, Level]) -> tuple[str, Level]:
    """The level to show; a rating means the noise for matches of `--length`."""
    from sixprime.bot.settings.levels import read_level
    from sixprime.engine.search import ratingtable as table
    from sixprime.engine.system.errors import ConfigError

    name: str = options.name
    if name in levels or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", name):
        if options.length is not None:
            raise UsageError("--length is for ratings only")
        return name, read_level(name, levels)
    length = table.USUAL_LENGTH if options.length is None else options.length
    if not 1 <= length <= table.LONGEST:
        raise UsageError(f"--length {length}: 1 to {table.LONGEST} were measured")
    try:
        return f"about {name}", table.load().level(float(name), length)
    except table.BadRating as error:
        raise ConfigError([str(error)]) from error


def _list(levels: dict[str, Level], as_json: bool) -> None:
    from sixprime.bot.settings.levels import described
    from sixprime.engine.search import ratingtable as calibration

    measured = calibration.load()
    ratings = {name: _rounded(measured.of(level)) for name, level in levels.items()}
    if as_json:
        tree = {
            name: {**described(level), "rating": ratings[name]} for name, level in levels.items()
        }
        print(json.dumps(tree))
        return
    rows = []
    for name, level in levels.items():
        seconds = "-" if level.seconds is None else f"{level.seconds:g}"
        looks = (in_words(level.checker), in_words(level.cube))
        shown = "-" if ratings[name] is None else str(ratings[name])
        rows.append((name, shown, *looks, seconds, level.threads or "all"))
    table(("level", "rating", "plays", "cube", "seconds", "threads"), rows)
    say(
        f"ratings: as measured at 0-ply in matches of {calibration.USUAL_LENGTH} points, where "
        f"expert is {measured.reference:.0f}; -: not measured"
    )


def _show(name: str, level: Level, as_json: bool) -> None:
    import yaml

    from sixprime.bot.settings.levels import LEVELS, described
    from sixprime.engine.search import ratingtable as table

    tree = {LEVELS: {name: described(level)}}
    if as_json:
        print(json.dumps(tree))
        return
    measured = table.load()
    rating = _rounded(measured.of(level))
    if rating is not None:
        print(
            f"# plays at {rating} in matches of {table.USUAL_LENGTH} points, "
            f"where expert plays at {measured.reference:.0f}"
        )
    for line in (*_beside_the_manual(name, level), *_in_effect(level)):
        print(f"# {line}")
    print(yaml.safe_dump(tree, sort_keys=False), end="")


def _beside_the_manual(name: str, level: Level) -> list[str]:
    """How a level differs from the one of that name in gnubg's manual."""
    from sixprime.engine.search.levels import MANUAL

    if name not in MANUAL:
        return ["not a level of gnubg's manual"]
    said, lines = MANUAL[name], []
    for what, look in (("plays", level.checker), ("cube", level.cube)):
        ours = {"plies": look.plies, "noise": look.noise, "filter": look.filter.name}
        theirs = {"plies": said.plies, "noise": said.noise, "filter": said.filter}
        lines += [
            f"{what}: {key} {ours[key]}, in gnubg's manual {theirs[key]}"
            for key in (ours if said.plies else ("plies", "noise"))
            if ours[key] != theirs[key]
        ]
    if lines and said.why:
        lines.append(said.why)
    return lines or ["as in gnubg's manual"]


def _in_effect(level: Level) -> list[str]:
    """What filter names and defaults mean in numbers."""
    lines = []
    for what, look in (("plays", level.checker), ("cube", level.cube)):
        if what == "plays" and look.plies:
            passes = [
                "all" if each is None else f"{each.accept}/{each.extra}/{each.threshold:g}"
                for each in look.filter.rows[look.plies - 1]
            ]
            lines.append(f"plays: accept/extra/threshold after each ply: {', '.join(passes)}")
        contact, bearoff, race = look.efficiency.known(look.plies)
        lines.append(
            f"{what}: cube efficiency {contact:g} in contact, {bearoff:g} in bearoffs, "
            + ("in races by the pips" if race < 0 else f"{race:g} in races")
        )
    return lines


def _rounded(rating: float | None) -> int | None:
    return None if rating is None else round(rating)


def in_words(look: Evaluation) -> str:
    """`2-ply, normal`"""
    words = [f"{look.plies}-ply"]
    if look.plies > 0:
        words.append(look.filter.name)
    if look.noise > 0:
        words.append(f"noise {look.noise:g}")
        if not look.deterministic:
            words.append("random")
    if not look.cubeful:
        words.append("cubeless")
    if look.rollout is not None:
        words.append("rolled out")
    return ", ".join(words)
