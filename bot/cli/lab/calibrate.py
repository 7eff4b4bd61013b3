"""`sixprime levels calibrate` and `levels ratings`: the measured strength of levels."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from functools import partial
from typing import Any

from sixprime.bot.cli.columns import say, table
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.printable import counted
from sixprime.bot.reports.text import ShownTable
from sixprime.engine.lab import LabError
from sixprime.engine.lab.calibration.compose import composed
from sixprime.engine.lab.calibration.ratings import MANUAL
from sixprime.engine.lab.calibration.series import BLOCK, MatchSeries, Pair, play_series, player
from sixprime.engine.nets import weights
from sixprime.engine.nets.weights import BadWeights, load_brain
from sixprime.engine.search import ratingtable
from sixprime.engine.search.levels import UnknownLevel
from sixprime.engine.search.ratingtable import LONGEST, BadRating, Ratings, Relation
from sixprime.engine.system.wholefiles import read_whole, write_json

# Pairs that the manual measured: length, players, rating difference with its 90 % interval.
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


def calibrate_levels(options: Namespace) -> int:
    """Play the missing matches; write the table and print it."""
    pairs = _pairs(options)
    state = options.out.with_suffix(".state.json")
    if state.exists() and not options.resume:
        raise UsageError(f"{state} exists already; --resume continues from it")
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


def _pairs(options: Namespace) -> list[Pair]:
    """List the requested pairs of players, each once."""
    if not all(1 <= length <= LONGEST for length in options.lengths):
        raise UsageError(f"--lengths: matches of 1 to {LONGEST} points can be measured")
    found = []
    for length in sorted(set(options.lengths)):
        found += [Pair(length, "expert", noise) for noise in options.noises]
        if length > 1:
            found += [Pair(length, "expert", f"0/{noise}") for noise in options.cube_noises]
        found += [Pair(length, "expert", f"@{rating:g}") for rating in options.ratings]
        for text in options.pairs:
            first, colon, second = text.replace("pr ", "pr").partition(":")
            if not (first and colon and second) or " " in first + second:
                raise UsageError(f"--pairs {text}: not A:B, such as expert:0.04")
            found.append(Pair(length, first, second))
    if options.manual:
        found += [Pair(length, first, second) for length, first, second, *_ in MANUAL_PAIRS]
    return list(dict.fromkeys(found))


def _about(options: Namespace) -> dict[str, Any]:
    """Return the settings that must be equal for results to be added up."""
    path = options.weights or weights.shipped()
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    about = {"weights": weights.digest(path), "seed": options.seed, "block": BLOCK}
    if options.ratings or "@" in " ".join(options.pairs):
        about["ratings_from"] = weights.digest(ratingtable.shipped())
    return about


def _reference(options: Namespace) -> float:
    if options.reference is not None:
        return float(options.reference)
    try:
        return ratingtable.shipped_ratings().reference
    except ratingtable.BadRating:
        return ratingtable.USUAL_REFERENCE


def _keep(options: Namespace, series: MatchSeries, reference: float) -> dict[str, Any]:
    """Write the table of the matches so far."""
    tree = composed(series, {**series.about, "command": _command(options)}, reference)
    write_json(options.out, tree, indent=1)
    return tree


def _command(options: Namespace) -> str:
    """Return the command line that repeats the run."""
    words = ["sixprime levels calibrate"]
    for name in ("lengths", "noises", "cube_noises", "pairs", "ratings"):
        values = getattr(options, name)
        words.append(" ".join([f"--{name.replace('_', '-')}", *map(str, values)]))
    if options.manual:
        words.append("--manual")
    return " ".join([*words, f"--matches {options.matches} --seed {options.seed}"])


# --- showing


def show_ratings(options: Namespace) -> int:
    """Print the table, or put it into a document."""
    with refusing(ratingtable.BadRating):
        ratings = ratingtable.read_ratings(options.table or ratingtable.shipped())
    tables = [_noise_table(ratings), _relation_table(ratings.relation)]
    if not options.without_pairs:
        tables.append(_pair_table(ratings.reference, ratings.pairs))
    if options.into is None:
        for part in tables:
            _print(part)
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


def _noise_table(ratings: Ratings) -> ShownTable:
    def noise(rating: int, length: int) -> str:
        try:
            return f"{ratings.noise(rating, length):.4f}"
        except BadRating:
            return "-"

    return ShownTable(
        f"The noise that plays at a rating (expert is {ratings.reference:.0f})",
        ("rating", *(counted(length, "point") for length in ALL_LENGTHS)),
        [(str(rating), *(noise(rating, n) for n in ALL_LENGTHS)) for rating in SHOWN],
    )


def _relation_table(ours: Relation) -> ShownTable:
    """Show the cost of an error: the manual's figures and ours."""
    rows = []
    for length in ALL_LENGTHS:
        row = [str(length)]
        for errors in ((1.0, 0.0), (0.0, 1.0)):
            row += [f"{relation.straight(length, *errors):.0f}" for relation in (MANUAL, ours)]
        rows.append(row)
    return ShownTable(
        "Rating lost per EMG of errors in each play (a2) and cube decision (b) while they are "
        f"small; a loss of 1000 counts as {ours.bent(1, 1000.0):.0f} in matches of 1 point and "
        f"{ours.bent(5, 1000.0):.0f} in others",
        ("match", "manual a2", "ours", "manual b", "ours"),
        rows,
    )


def _pair_table(reference: float, pairs: list[dict[str, Any]]) -> ShownTable:
    measured = {(length, a, b): rest for length, a, b, *rest in MANUAL_PAIRS}
    rows = []
    for row in pairs:
        mean, low, high = row["rating_95"]
        key = row["length"], row["first"], row["second"]
        theirs = measured.get(key)
        against_expert = row["first"] == "expert" and mean is not None
        rows.append((
            str(row["length"]), row["first"], row["second"], str(row["matches"]),
            f"{100 * row['adjusted'][0]:.1f}",
            _interval(row["rating_90"]),
            *(f"{row[key]:.0f}" if key in row else "" for key in BY),
            _each(row.get("epm")), _each(row.get("epc")),
            "" if theirs is None else _interval(theirs),
            _interval([reference - mean, _less(reference, high), _less(reference, low)])
            if against_expert else "",
        ))  # fmt: skip
    return ShownTable(
        "Rating differences [90 %]: as played; as the manual's relations predict from the errors, "
        "of both kinds per decision (EPD) and of each kind; as ours predict",
        ("match", "first", "second", "matches", "won %", "difference", "by EPD", "by manual",
        "ours", "EPM", "EPC", "the manual played", "second's rating [95 %]"), rows,
    )  # fmt: skip


def _less(reference: float, difference: float | None) -> float | None:
    return None if difference is None else reference - difference


def _interval(ends: Any) -> str:
    mean, low, high = ("?" if value is None else f"{value:.0f}" for value in ends)
    return f"{mean} [{low}, {high}]"


def _each(values: list[float] | None) -> str:
    return "" if values is None else " / ".join(f"{value:.4f}" for value in values)


def _print(shown: ShownTable) -> None:
    say(shown.title)
    table(shown.heads, shown.rows)


def _markdown(shown: ShownTable) -> str:
    lines = [f"\n{shown.title}:\n", "| " + " | ".join(shown.heads) + " |"]
    lines.append("|" + "---:|" * len(shown.heads))
    lines += ["| " + " | ".join(row) + " |" for row in shown.rows]
    return "\n".join(lines)
