"""`sixprime strength matches` and `promote`: with the cube, at depth, until it is clear."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.declaring import file, number
from sixprime.bot.cli.lab.benchmarks import described, seen, when
from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError, new_file
from sixprime.bot.process.printable import counted

if TYPE_CHECKING:
    from sixprime.engine.lab.calibration.duels import DuelSeries
    from sixprime.engine.lab.tallies import Mean

STEP = 200  # games between two looks at whether it is clear


def arguments(matches: argparse.ArgumentParser, promote: argparse.ArgumentParser) -> None:
    matches.add_argument("first", metavar="A", help="the result is this player's")
    matches.add_argument("second", metavar="B")
    number(matches, "--length", 0, "of the matches; default 0: single games of money")
    number(matches, "--pairs", 100, "with the seats exchanged, default 100", least=1)
    number(matches, "--seed", 1, "of the dice; default 1", metavar=None)
    number(matches, "--processes", 1, least=1)
    file(matches, "--resume", "keep the state here, and go on from it", kind=new_file)
    promote.add_argument("new", metavar="NEW.npz")
    promote.add_argument("old", nargs="?", metavar="OLD.npz", help="default: those that ship")
    number(promote, "--gain", 0.004, "points a game worth having, default 0.004", metavar=None)
    number(
        promote, "--none", 0.0,
        "points a game that are no gain, default 0; negative: no worse is enough", metavar=None,
        least=float("-inf"),
    )  # fmt: skip
    most = "games at most, then it stays open; default 20000"
    number(promote, "--most", 20_000, most, least=STEP)
    number(promote, "--seed", 1, "of the dice; default 1", metavar=None)
    file(promote, "--set", "of `make-chances`; default: the project's own")
    file(promote, "--resume", "keep the state here, and go on from it", kind=new_file)


def matches(options: argparse.Namespace) -> int:
    """Cubeful matches or games of money, the luck taken out."""
    from sixprime.engine.lab.calibration.duels import DuelSeries, DuelTerms, play_duels

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
    print(json.dumps(about | result | when(reporter.seconds)))
    return 0


def _figures(score: Mean, length: int) -> dict[str, Any]:
    """Points a game of money, or matches won in per cent."""
    if length == 0:
        return {
            "points_per_game": round(score.mean, 4),
            "interval_95": [round(end, 4) for end in score.interval],
        }
    return {
        "win_percent": round(50 + 100 * score.mean, 2),
        "interval_95": [round(50 + 100 * end, 2) for end in score.interval],
    }


def _line(series: DuelSeries) -> str:
    tally = series.tally()
    plain, fair = tally.score(), tally.adjusted()
    return (
        f"{counted(tally.pairs, 'pair')}: {plain.mean:+.3f} ± {plain.half_width:.3f}; "
        f"without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    )


def promote(options: argparse.Namespace) -> int:
    """New nets against old ones until the result is clear; no family may be worse."""
    from sixprime.engine.lab.measuring import chances, promotion
    from sixprime.engine.lab.measuring.games import GameTerms
    from sixprime.engine.lab.measuring.gameseries import GameSeries, play_series

    if options.gain <= options.none:
        raise UsageError(f"--gain {options.gain}: more than --none is needed")
    names = f"ours:{options.new}", f"ours:{options.old}" if options.old else "ours"
    terms = promotion.Promotion(options.none, options.gain)
    about: dict[str, Any] = {
        "new": described(names[0]), "old": described(names[1]), "seed": options.seed,
    }  # fmt: skip
    sample = chances.load_sample(options.set)
    new, old = (seen(name, sample.boards) for name in names)
    families = promotion.further_off(old, new, sample)
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
    tally, worse = series.tally(), promotion.worse(families)
    score = tally.adjusted()
    result = {
        "promote": None if gain is None else gain and not worse,
        "games": 2 * tally.pairs,
        "points_per_game": round(score.mean, 5),
        "interval_95": [round(end, 5) for end in score.interval],
        "log_likelihood": round(promotion.likelihood(tally, terms), 3),
        "worse_families": worse,
        "squares_more": {name: round(more.mean, 7) for name, more in families.items()},
    }
    print(json.dumps(about | result | when(reporter.seconds)))
    return 0 if result["promote"] else 1
