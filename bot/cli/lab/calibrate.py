"""`sixprime levels calibrate` and `levels ratings`: how strong levels are."""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.declaring import file, flag, number, option
from sixprime.bot.cli.main import UsageError, new_file, refusing, write_out
from sixprime.bot.process.printable import counted
from sixprime.engine.system.wholefiles import write_json

if TYPE_CHECKING:
    from sixprime.engine.lab.calibration.series import MatchSeries, Pair
    from sixprime.engine.search.ratingtable import Ratings, Relation

NOISES = ("0.01", "0.02", "0.03", "0.04", "0.05", "0.06", "0.075", "0.09", "0.13", "0.18")
CUBE_NOISES = ("0.06", "0.2", "0.5", "1.0")
LENGTHS = (1, 3, 5, 7)
# What the manual measured: length, players, rating difference with its 90 % interval.
MANUAL_PAIRS = (
    (5, "0/0.04", "0.04/0", 472, 451, 493),
    (5, "0/0.06", "0.015/0", 115, 103, 127),
    (5, "expert", "0/0.06", 31, 21, 41),
    (11, "expert", "0/0.06", 29, 23, 36),
    (5, "expert", "0/1.0", 191, 176, 206),
)
BEGIN, END = "<!-- levels ratings: begin -->", "<!-- levels ratings: end -->"
BY = ("by_epd", "by_manual", "by_relation")  # a rating difference predicted from a pair's errors
SHOWN = (*range(1000, 2000, 100), 2000)
ALL_LENGTHS = (1, 3, 5, 7, 9, 11)
EXAMPLE = "example: sixprime levels calibrate --lengths 1 3 5 7 --matches 100 --out levels.json"
PLAYERS = (
    "A player is the name of a preset, the noise of a 0-ply look (0.04), two noises for plays and "
    "cube (0.04/0), or a rating to play at (@1500)."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = f"{PLAYERS}\n{EXAMPLE}"
    parser.add_argument(
        "--lengths", type=int, nargs="+", default=list(LENGTHS), metavar="N",
        help="match lengths (default: 1 3 5 7)",
    )  # fmt: skip
    parser.add_argument(
        "--noises", nargs="*", default=list(NOISES), metavar="X",
        help=f"expert against each of these (default: {' '.join(NOISES)})",
    )  # fmt: skip
    parser.add_argument(
        "--cube-noises", nargs="*", default=list(CUBE_NOISES), metavar="X",
        help="expert against an expert whose cube decisions have each of these noises"
        f" (default: {' '.join(CUBE_NOISES)})",
    )  # fmt: skip
    pairs = "also these players, at each length"
    parser.add_argument("--pairs", nargs="*", default=[], metavar="A:B", help=pairs)
    manual = "also the pairs that gnubg's manual measured"
    flag(parser, "--manual", manual)
    parser.add_argument(
        "--ratings", type=float, nargs="*", default=[], metavar="R",
        help="expert against each of these target ratings, to check them",
    )  # fmt: skip
    number(parser, "--matches", 100, "a pair, default 100", least=10)
    parser.add_argument(
        "--out", type=new_file, required=True, metavar="FILE", help="the table, JSON"
    )
    flag(parser, "--resume", "resume from FILE's .state.json")
    number(parser, "--seed", 1, "of the dice; default 1", metavar=None)
    number(parser, "--processes", 1, least=1)
    file(parser, "--weights", "instead of those that ship")
    option(
        parser, "--reference", "R", "expert's rating (default: that of the table that ships)", float
    )


def ratings_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "example: sixprime levels ratings"
    file(parser, "--table", "instead of the one that ships")
    file(parser, "--into", "write it as Markdown between the marks in a file")
    flag(parser, "--without-pairs", "leave out the results of each pair")


def run(options: argparse.Namespace) -> int:
    """Play what is missing; write the table and print it."""
    from sixprime.bot.cli.progress import bar
    from sixprime.bot.cli.ready import get_ready
    from sixprime.engine.lab import LabError
    from sixprime.engine.lab.calibration.series import MatchSeries, play_series, player
    from sixprime.engine.nets.weights import BadWeights, load_brain
    from sixprime.engine.search.levels import UnknownLevel

    pairs = _pairs(options)
    state = options.out.with_suffix(".state.json")
    if state.exists() and not options.resume:
        raise UsageError(f"{state}: is there already, --resume goes on from it")
    reference = _reference(options)
    with refusing(LabError, UnknownLevel):  # before kernels are compiled
        for pair in pairs:
            player(pair.first, pair.length)
            player(pair.second, pair.length)
    get_ready()
    begun, used = time.monotonic(), time.process_time()
    with (
        refusing(LabError, BadWeights, UnknownLevel),
        bar("matches, in blocks of ten") as shown,
    ):
        series = MatchSeries(state, _about(options))

        def report(done: int, total: int) -> None:
            shown(done, total)
            if done:
                _keep(options, series, reference)

        brain, processes = partial(load_brain, options.weights), options.processes
        play_series(series, pairs, options.matches, brain=brain, processes=processes, report=report)
    tree = _keep(options, series, reference)
    asked = {pair.key for pair in pairs}
    rows = [
        row for row in tree["pairs"] if f"{row['length']} {row['first']} {row['second']}" in asked
    ]
    _print(_pair_table(reference, rows))
    matches = sum(row["matches"] for row in rows)
    print(
        f"{counted(matches, 'match')}, {time.monotonic() - begun:.0f} s now "
        f"({time.process_time() - used:.0f} s of CPU in this process); the table is {options.out}",
        file=sys.stderr,
    )
    return 0


def _pairs(options: argparse.Namespace) -> list[Pair]:
    """Every requested pair of players, once."""
    from sixprime.engine.lab.calibration.series import Pair
    from sixprime.engine.search.ratingtable import LONGEST

    if not all(1 <= length <= LONGEST for length in options.lengths):
        raise UsageError(f"--lengths: matches of 1 to {LONGEST} points can be measured")
    found = []
    for length in sorted(set(options.lengths)):
        found += [Pair(length, "expert", noise) for noise in options.noises]
        if length > 1:
            found += [Pair(length, "expert", f"0/{noise}") for noise in options.cube_noises]
        found += [Pair(length, "expert", f"@{rating:g}") for rating in options.ratings]
        for text in options.pairs:
            first, colon, second = text.partition(":")
            if not (first and colon and second) or " " in text:
                raise UsageError(f"--pairs {text}: not A:B, such as expert:0.04")
            found.append(Pair(length, first, second))
    if options.manual:
        found += [Pair(length, first, second) for length, first, second, *_ in MANUAL_PAIRS]
    return list(dict.fromkeys(found))


def _about(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that must be equal for results to be added up."""
    from sixprime.engine.lab.calibration.series import BLOCK
    from sixprime.engine.nets import weights

    path = options.weights or weights.shipped()
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    about = {"weights": weights.digest(path), "seed": options.seed, "block": BLOCK}
    if options.ratings or "@" in " ".join(options.pairs):
        from sixprime.engine.search import ratingtable as table

        about["ratings_from"] = weights.digest(table.shipped())
    return about


def _reference(options: argparse.Namespace) -> float:
    from sixprime.engine.search import ratingtable as table

    if options.reference is not None:
        return float(options.reference)
    try:
        return table.load().reference
    except table.BadRating:
        return table.USUAL_REFERENCE


def _keep(options: argparse.Namespace, series: MatchSeries, reference: float) -> dict[str, Any]:
    """Write the table so far."""
    from sixprime.engine.lab.calibration.compose import composed

    tree = composed(series, {**series.about, "command": _command(options)}, reference)
    write_json(options.out, tree, indent=1)
    return tree


def _command(options: argparse.Namespace) -> str:
    """The command line, to repeat the run."""
    words = ["sixprime levels calibrate"]
    for name in ("lengths", "noises", "cube_noises", "pairs", "ratings"):
        values = getattr(options, name)
        words.append(" ".join([f"--{name.replace('_', '-')}", *map(str, values)]))
    if options.manual:
        words.append("--manual")
    return " ".join([*words, f"--matches {options.matches} --seed {options.seed}"])


# --- showing


def show(options: argparse.Namespace) -> int:
    """Print the table, or put it into a document."""
    from sixprime.engine.search import ratingtable as table
    from sixprime.engine.system.wholefiles import read_whole

    with refusing(table.BadRating):
        ratings = table.read(options.table or table.shipped())
    tables = [_noise_table(ratings), _relation_table(ratings.relation)]
    if not options.without_pairs:
        tables.append(_pair_table(ratings.reference, ratings.pairs))
    if options.into is None:
        for each in tables:
            _print(each)
            print()
        return 0
    with refusing(OSError, UnicodeDecodeError, at=options.into):
        text = read_whole(options.into).decode("utf-8")
    if BEGIN not in text or END not in text:
        raise UsageError(f"{options.into}: the marks {BEGIN} and {END} are missing")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    shown = "\n".join([_origin(ratings), *map(_markdown, tables)])
    write_out(options.into, f"{before}{BEGIN}\n{shown}\n{END}{after}")
    return 0


def _origin(ratings: Ratings) -> str:
    weights, command = ratings.origin["weights"], ratings.origin["command"]
    matches = sum(row["matches"] for row in ratings.pairs)
    return f"Measured with the nets {weights} in {counted(matches, 'match')}:\n`{command}`\n"


class _Shown(NamedTuple):
    title: str
    heading: tuple[str, ...]
    rows: list[tuple[str, ...]]


def _noise_table(ratings: Ratings) -> _Shown:
    from sixprime.engine.search.ratingtable import BadRating

    shown = _Shown(
        f"The noise that plays at a rating (expert is {ratings.reference:.0f})",
        ("rating", *(counted(length, "point") for length in ALL_LENGTHS)), [],
    )  # fmt: skip
    for rating in SHOWN:
        row = []
        for length in ALL_LENGTHS:
            try:
                row.append(f"{ratings.noise(rating, length):.4f}")
            except BadRating:
                row.append("-")
        shown.rows.append((str(rating), *row))
    return shown


def _relation_table(ours: Relation) -> _Shown:
    """What an error costs: the manual's figures and ours."""
    from sixprime.engine.lab.calibration.ratings import MANUAL

    shown = _Shown(
        "Rating lost per EMG of errors in each play (a2) and cube decision (b) while they are "
        f"small; what would be 1000 is {ours.bent(1, 1000.0):.0f} in matches of 1 point and "
        f"{ours.bent(5, 1000.0):.0f} in others",
        ("match", "manual a2", "ours", "manual b", "ours"), [],
    )  # fmt: skip
    for length in ALL_LENGTHS:
        row = [str(length)]
        for errors in ((1.0, 0.0), (0.0, 1.0)):
            row += [f"{each.straight(length, *errors):.0f}" for each in (MANUAL, ours)]
        shown.rows.append(tuple(row))
    return shown


def _pair_table(reference: float, pairs: list[dict[str, Any]]) -> _Shown:
    measured = {(length, a, b): rest for length, a, b, *rest in MANUAL_PAIRS}
    shown = _Shown(
        "Rating differences [90 %]: as played; as the manual's relations make of the errors, of "
        "both kinds per decision (EPD) and of each kind; ours",
        ("match", "first", "second", "matches", "won %", "difference", "by EPD", "by manual",
        "ours", "EPM", "EPC", "the manual played", "second's rating [95 %]"), [],
    )  # fmt: skip
    for row in pairs:
        mean, low, high = row["rating_95"]
        key = row["length"], row["first"], row["second"]
        theirs = measured.get(key)
        against_expert = row["first"] == "expert" and mean is not None
        shown.rows.append((
            str(row["length"]), row["first"], row["second"], str(row["matches"]),
            f"{100 * row['adjusted'][0]:.1f}",
            _interval(row["rating_90"]),
            *(f"{row[key]:.0f}" if key in row else "" for key in BY),
            _each(row.get("epm")), _each(row.get("epc")),
            "" if theirs is None else _interval(theirs),
            _interval([reference - mean, _less(reference, high), _less(reference, low)])
            if against_expert else "",
        ))  # fmt: skip
    return shown


def _less(reference: float, difference: float | None) -> float | None:
    return None if difference is None else reference - difference


def _interval(ends: Any) -> str:
    mean, low, high = ("?" if value is None else f"{value:.0f}" for value in ends)
    return f"{mean} [{low}, {high}]"


def _each(values: list[float] | None) -> str:
    return "" if values is None else " / ".join(f"{value:.4f}" for value in values)


def _print(shown: _Shown) -> None:
    say(shown.title)
    table(shown.heading, shown.rows)


def _markdown(shown: _Shown) -> str:
    lines = [f"\n{shown.title}:\n", "| " + " | ".join(shown.heading) + " |"]
    lines.append("|" + "---:|" * len(shown.heading))
    lines += ["| " + " | ".join(row) + " |" for row in shown.rows]
    return "\n".join(lines)
