"""`sixprime strength matches` and `promote`: matches with the cube, and new nets against old."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.cli.lab.benchmarks import described, drawn_races
from sixprime.bot.cli.lab.reporting import Reporter, refusing_bad_measures, rounded
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.strength import STEP
from sixprime.bot.process.printable import counted
from sixprime.engine.lab.calibration.duels import DuelSeries, DuelTerms, play_duels
from sixprime.engine.lab.measuring import chances, peers, promotion, races
from sixprime.engine.lab.measuring.games import GameTerms
from sixprime.engine.lab.measuring.gameseries import GameSeries, play_series
from sixprime.engine.lab.tallies import Mean


@refusing_bad_measures
def play_matches(options: Namespace) -> int:
    """Play cubeful matches or games of money, and take luck out."""
    about = {
        "player": described(options.first),
        "opponent": described(options.second),
        "length": options.length,
        "seed": options.seed,
    }
    reporter = Reporter()
    series = DuelSeries(options.resume, about)
    play_duels(
        DuelTerms(options.first, options.second, options.length, options.seed),
        options.pairs, series, options.processes,
        lambda series: reporter.say(lambda: _line(series)),
    )  # fmt: skip
    print(_line(series), file=sys.stderr)
    tally = series.tally()
    result = {
        "pairs": tally.pairs,
        **_figures(tally.score(), options.length),
        "without_luck": _figures(tally.adjusted(), options.length),
    }
    reporter.print_result(about | result)
    return 0


def _figures(score: Mean, length: int) -> dict[str, Any]:
    """Return points a game of money, or matches won in per cent."""
    if length == 0:
        return rounded(score, 4, "points_per_game")
    return rounded(score, 2, "win_percent", 100.0, 50.0)


def _line(series: DuelSeries) -> str:
    tally = series.tally()
    plain, fair = tally.score(), tally.adjusted()
    return (
        f"{counted(tally.pairs, 'pair')}: {plain.mean:+.3f} ± {plain.half_width:.3f}; "
        f"without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    )


@refusing_bad_measures
def promote_nets(options: Namespace) -> int:
    """Play new nets against old until the result is clear; no family may be worse at any depth."""
    if options.gain <= options.none:
        raise UsageError(f"--gain {options.gain}: more than --none is needed")
    names = f"ours:{options.new}", f"ours:{options.old}" if options.old else "ours"
    terms = promotion.Promotion(options.none, options.gain)
    about: dict[str, Any] = {
        "new": described(names[0]), "old": described(names[1]), "seed": options.seed,
    }  # fmt: skip
    squares, lost = _families(names, options)
    reporter = Reporter()
    series = GameSeries(options.resume, about)
    gain = None
    for games in range(STEP, options.most + 1, STEP):
        play_series(names, games, GameTerms(False, options.seed, STEP), series, reduce=True)
        gain = promotion.decided(series.tally(), terms)
        if gain is not None:
            break
        reporter.say(
            lambda: f"{counted(2 * series.tally().pairs, 'game')}: {series.tally().adjusted()}"
        )
    tally, worse = series.tally(), promotion.worse(squares | lost)
    result = {
        "promote": None if gain is None else gain and not worse,
        "games": 2 * tally.pairs,
        **rounded(tally.adjusted(), 5, "points_per_game"),
        "log_likelihood": round(promotion.likelihood(tally, terms), 3),
        "worse_families": worse,
        "squares_more": {name: round(more.mean, 7) for name, more in squares.items()},
        "lost_more_meq": {name: rounded(more, 3, scale=1000.0) for name, more in lost.items()},
    }
    reporter.print_result(about | result)
    return 0 if result["promote"] else 1


def _families(
    names: tuple[str, str], options: Namespace
) -> tuple[dict[str, Mean], dict[str, Mean]]:
    """Compare the new nets with the old in each family at each depth: `race:2` at two plies.

    The first figures are squared errors of winning chances, the second losses of equity in races.
    """
    sample = chances.load_sample(options.set)
    plan = races.RacePlan(options.ordinary, options.bearoffs, options.points)
    sets = promotion.race_families(drawn_races(plan).benchmark)
    squares, lost = dict[str, Mean](), dict[str, Mean]()
    for plies in promotion.DEPTHS:
        end = f":{plies}" if plies else ""
        with peers.player(f"{names[0]}{end}") as new, peers.player(f"{names[1]}{end}") as old:
            seen = old.evaluate(sample.boards), new.evaluate(sample.boards)
            more_lost = promotion.lost_more(old, new, sets, Reporter().count)
        further_off = promotion.further_off(*seen, sample)
        squares |= {f"{family}{end}": more for family, more in further_off.items()}
        lost |= {f"{family}{end}": more for family, more in more_lost.items()}
    return squares, lost
