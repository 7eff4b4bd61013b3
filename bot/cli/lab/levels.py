"""`sixprime levels list` and `show`: the levels in words and as YAML."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator

import yaml

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.settings.levels import LEVELS, described, load_levels, read_level
from sixprime.engine.kernels.cube import CONTACT_EFFICIENCY
from sixprime.engine.people.choosing import MODEL
from sixprime.engine.ratings import LEAST_PR, MOST_PR, PEOPLE, in_people
from sixprime.engine.search import ratingtable
from sixprime.engine.search.levels import MANUAL, PRESETS, Level
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.system.errors import ConfigError

DEBIANS_BIAS = -6.9  # its hash adds bytes with a sign


def _named(options: Namespace, levels: dict[str, Level]) -> tuple[str, Level]:
    """Return the level to show; a rating stands for the noise in matches of `--length`."""
    name: str = options.name
    if name in levels or not re.fullmatch(r"[0-9]+(\.[0-9]+)?", name):
        if options.length is not None:
            raise UsageError("--length is for ratings only")
        return name, read_level(name, levels)
    length = ratingtable.USUAL_LENGTH if options.length is None else options.length
    if not 1 <= length <= ratingtable.LONGEST:
        raise UsageError(f"--length {length}: 1 to {ratingtable.LONGEST} were measured")
    try:
        return f"about {name}", ratingtable.shipped_ratings().level(float(name), length)
    except ratingtable.BadRating as error:
        raise ConfigError([str(error)]) from error


@refusing(ConfigError)
def list_levels(options: Namespace) -> int:
    levels = _known(options)
    measured = ratingtable.shipped_ratings()
    ratings = {name: _rounded(measured.rating_of(level)) for name, level in levels.items()}
    if options.json:
        tree = {
            name: {**described(level), "rating": ratings[name]} for name, level in levels.items()
        }
        print(json.dumps(tree))
        return 0
    people = ", ".join(f"pr {pr} like {words}" for pr, words in PEOPLE.items())
    say(f"pr N errs as people of PR N do ({LEAST_PR:g} to {MOST_PR:g}): {people}\n")
    rows = []
    for name, level in levels.items():
        seconds = "-" if level.seconds is None else f"{level.seconds:g}"
        looks = (in_words(level.checker), in_words(level.cube))
        shown = "-" if ratings[name] is None else str(ratings[name])
        rows.append((name, shown, *looks, seconds, level.threads or "all"))
    table(("level", "rating", "plays", "cube", "seconds", "threads"), rows)
    say(
        f"ratings: as measured at 0-ply in matches of {ratingtable.USUAL_LENGTH} points, where "
        f"expert is {measured.reference:.0f}; -: not measured. Noise is gnubg's way to play "
        "weaker: it errs a little everywhere, people err seldom and badly"
    )
    return 0


def _known(options: Namespace) -> dict[str, Level]:
    return PRESETS if options.levels_file is None else load_levels(options.levels_file)


@refusing(ConfigError)
def show_level(options: Namespace) -> int:
    name, level = _named(options, _known(options))
    tree = {LEVELS: {name: described(level)}}
    if options.json:
        print(json.dumps(tree))
        return 0
    measured = ratingtable.shipped_ratings()
    rating = _rounded(measured.rating_of(level))
    if rating is not None:
        print(
            f"# plays at {rating} in matches of {ratingtable.USUAL_LENGTH} points, "
            f"where expert plays at {measured.reference:.0f}"
        )
    people = [*_in_people(level)]
    for line in people or (*_beside_the_manual(name, level), *_in_effect(level)):
        print(f"# {line}")
    print(yaml.safe_dump(tree, sort_keys=False), end="")
    return 0


def _beside_the_manual(name: str, level: Level) -> list[str]:
    """List the differences of a level from the level of that name in gnubg's manual."""
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
    return [*(lines or ["as in gnubg's manual"]), *_as_gnubgs_noise(level)]


def _in_people(level: Level) -> Iterator[str]:
    """Tell whose errors a level makes."""
    if (person := level.person) is not None:
        yield f"plays: as people of PR {person.pr:g}, {in_people(person.pr)}"
        yield f"seed {person.seed}: one of these people; another seed misjudges other positions"
        yield from _measured(person.pr)
    if (person := level.cube_person) is not None:
        yield f"cube: as people of PR {person.pr:g}, too early and too late as they are"


def _measured(pr: float) -> Iterator[str]:
    """Tell how like people of about this PR the model plays where it was judged."""
    unseen = json.loads(MODEL.with_suffix(".json").read_text(encoding="utf-8"))["unseen"]
    for band, found in unseen.items():
        ends = re.fullmatch("PR ([0-9]+) to ([0-9]+)", band)
        if ends is not None and int(ends[1]) <= pr < int(ends[2]):
            told = [
                f"{what} {found[what]:{shown}} (people {found[f'{what} of people']:{shown}})"
                for what, shown in (("loss", ".4f"), ("blunders", ".1%"))
            ]
            yield f"{found['decisions']:,} unseen plays of people of {band}: {', '.join(told)}"


def _as_gnubgs_noise(level: Level) -> list[str]:
    """Tell how the noise of a level differs from the manual's words and from Debian's program."""
    noise, contact = level.checker.noise, level.cube.efficiency.contact
    if noise == 0.0:
        return []
    return [
        "this is gnubg's noise, not how people err; 'pr 7' errs as people do",
        f"noise: standard deviation {noise:.3f} with mean 0, as in gnubg 1.07; the manual calls "
        "its figure a limit",
        f"cube: efficiency {_as_set(contact)} in contact, in gnubg's manual {CONTACT_EFFICIENCY:g}",
        f"Debian's gnubg 1.07 shifts its noise by {DEBIANS_BIAS:g} standard deviations, against "
        "the player on roll",
    ]


def _as_set(efficiency: float | None) -> str:
    return "as the net says" if efficiency is None else f"{efficiency:g}"


def _in_effect(level: Level) -> list[str]:
    """Give filters and defaults in numbers."""
    lines = []
    for what, look in (("plays", level.checker), ("cube", level.cube)):
        if what == "plays" and look.plies:
            passes = [
                "all" if each is None else f"{each.accept}/{each.extra}/{each.threshold:g}"
                for each in look.filter.rows[look.plies - 1]
            ]
            lines.append(f"plays: accept/extra/threshold after each ply: {', '.join(passes)}")
        _, bearoff, race = look.efficiency.known()
        lines.append(
            f"{what}: cube efficiency {_as_set(look.efficiency.contact)} in contact, "
            f"{bearoff:g} in bearoffs, "
            + ("in races by the pips" if race < 0 else f"{race:g} in races")
        )
    return lines


def _rounded(rating: float | None) -> int | None:
    return None if rating is None else round(rating)


def in_words(look: Evaluation) -> str:
    """Describe a search, such as `2-ply, normal`."""
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
