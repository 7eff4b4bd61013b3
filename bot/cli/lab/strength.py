"""`sixprime strength games`: many games between two players.

Progress goes to stderr; stdout gets one JSON object with the result and all that is needed to
repeat it.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.lab.benchmarks import described
from sixprime.bot.cli.lab.reporting import Reporter, refusing_bad_measures, rounded
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.process.printable import counted
from sixprime.engine.lab.measuring import peers
from sixprime.engine.lab.measuring.differences import judge
from sixprime.engine.lab.measuring.games import BLOCK, GameTerms
from sixprime.engine.lab.measuring.gameseries import GameSeries, play_series
from sixprime.engine.lab.tallies import Mean

DEEP_BLOCK = 10  # games; three plies ahead they take a minute,
ROLLING_BLOCK = 2  # and with rollouts ten


@refusing_bad_measures
def play_games(options: Namespace) -> int:
    if options.differences and (options.one_point or options.reduce):
        raise UsageError("--differences is for cubeless money, and has no luck to take out")
    names = (options.first, options.second)
    deep = options.differences or any(peers.parts(name)[2] for name in names)
    block = DEEP_BLOCK if deep else BLOCK
    if any(peers.rolls_out(name) for name in names):
        block = ROLLING_BLOCK
    terms = GameTerms(options.one_point, options.seed, block, options.differences)
    about = {
        "player": described(names[0]),
        "opponent": described(names[1]),
        "game": "one-point match" if options.one_point else "cubeless money",
        "seed": options.seed,
        "block": terms.block,
        "reduce": options.reduce,
        **({"differences": judge()} if options.differences else {}),
    }
    reporter = Reporter()
    series = GameSeries(options.resume, about)
    play_series(
        names, options.games, terms, series,
        reduce=options.reduce, processes=options.processes,
        report=lambda series: reporter.say(lambda: _line(series, options, reporter.seconds)),
    )  # fmt: skip
    print(_line(series, options, reporter.seconds), file=sys.stderr)
    reporter.print_result(about | _result(series, options))
    return 0


def _result(series: GameSeries, options: Namespace) -> dict[str, Any]:
    tally = series.tally()
    result: dict[str, Any] = {
        "games": 2 * tally.pairs,
        **_figures(tally.score(), options.one_point),
    }
    if options.differences:
        result |= {"decisions": tally.decisions, "different": tally.different}
    else:
        points = zip(range(-3, 4), tally.results, strict=True)
        result["results"] = {f"{each:+d}": games for each, games in points if each}
    if options.reduce:
        result["without_luck"] = _figures(tally.adjusted(), options.one_point)
    return result


def _figures(score: Mean, one_point: bool) -> dict[str, Any]:
    """Return points a game and the 95 % interval; of one-point matches also wins in per cent."""
    figures = rounded(score, 5, "points_per_game")
    if one_point:
        won = rounded(score, 3, "win_percent", 50.0, 50.0)
        figures |= {"win_percent": won["win_percent"]}
        figures |= {"win_percent_interval_95": won["interval_95"]}
    return figures


def _line(series: GameSeries, options: Namespace, seconds: float) -> str:
    tally = series.tally()
    plain = tally.score()
    text = (
        f"{2 * tally.pairs:,} of {counted(options.games, 'game')}, {seconds:.0f} s: "
        f"{plain.mean:+.4f} ± {plain.half_width:.4f} points a game"
    )
    if options.reduce:
        fair = tally.adjusted()
        text += f"; without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    return text
