"""`sixprime strength`: many games between two players, and the decisions of the benchmark.

Progress goes to stderr; stdout gets one JSON object with the result and all that is needed to
repeat it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError

if TYPE_CHECKING:
    from sixprime.engine.lab.measuring.gameseries import GameSeries
    from sixprime.engine.lab.measuring.mean import Mean

DIFFERENCES_BLOCK = 10  # games; three plies ahead they take a minute
PLAYERS = (
    "players: ours (the nets that ship), ours:FILE.npz, level:NAME (plays as that preset), gnubg "
    "(the installed program), random; a last :N means that the player looks N plies ahead, as in "
    "gnubg:1"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the measurements and their options."""
    parser.epilog = (
        "example: sixprime strength games ours gnubg --games 200000 --processes 2 "
        f"--resume runs/games.json\n{PLAYERS}"
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    games = kinds.add_parser(
        "games",
        help="play pairs of games with the same dice and seats exchanged",
        epilog=PLAYERS,
    )
    games.add_argument("first", metavar="A", help="the result is this player's")
    games.add_argument("second", metavar="B")
    games.add_argument("--games", type=int, default=10_000, metavar="N", help="default 10000")
    games.add_argument(
        "--one-point", action="store_true", help="one-point matches instead of cubeless money"
    )
    games.add_argument("--seed", type=int, default=1, help="of the dice; default 1")
    games.add_argument(
        "--reduce",
        action="store_true",
        help="also tell the result with the luck taken out: a third of the width, slower",
    )
    games.add_argument(
        "--differences", action="store_true",
        help="ask both at each close decision and try out what they differ in: for players that "
        "look ahead or are nearly as strong",
    )  # fmt: skip
    games.add_argument("--processes", type=int, default=1, metavar="N", help="default 1")
    games.add_argument(
        "--resume", type=Path, metavar="FILE", help="keep the state here, and go on from it"
    )
    references = kinds.add_parser(
        "references",
        help="the chances seen in 21 positions of different kinds, against long rollouts",
        epilog=PLAYERS,
    )
    references.add_argument("player", nargs="?", default="ours", metavar="PLAYER")
    rolled = kinds.add_parser("make-references", help="roll those positions out again, with gnubg")
    rolled.add_argument("--out", type=Path, required=True, metavar="FILE")
    rolled.add_argument("--trials", type=int, default=216, metavar="N", help="ours, default 216")
    rolled.add_argument("--gnubg-trials", type=int, default=648, metavar="N", help="default 648")
    rolled.add_argument(
        "--gnubg-plies", type=int, default=1, metavar="N",
        help="how far gnubg looks ahead as it plays, default 1: at 0 it misplays some of them",
    )  # fmt: skip
    rolled.add_argument("--threads", type=int, default=1, metavar="N", help="ours, default 1")
    chances = kinds.add_parser(
        "chances",
        help="the same for hundreds of positions drawn at random, against our own rollouts",
        epilog=PLAYERS,
    )
    chances.add_argument("player", nargs="?", default="ours", metavar="PLAYER")
    chances.add_argument("--set", type=Path, metavar="FILE", help="default: the project's own")
    drawn = kinds.add_parser("make-chances", help="draw and roll out such positions")
    drawn.add_argument("--out", type=Path, required=True, metavar="FILE")
    drawn.add_argument(
        "--positions", type=int, default=300, metavar="N", help="of each kind, default 300"
    )
    drawn.add_argument("--trials", type=int, default=108, metavar="N", help="default 108")
    drawn.add_argument(
        "--truncate", type=int, default=12, metavar="TURNS", help="default 12, 0: to the end"
    )
    drawn.add_argument("--seed", type=int, default=20260004, help="default 20260004")
    drawn.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    decisions = kinds.add_parser(
        "decisions",
        help="what players lose by each decision of the benchmark, compared with the first",
        epilog=PLAYERS,
    )
    decisions.add_argument("players", nargs="+", metavar="PLAYER")
    decisions.add_argument("--set", type=Path, metavar="FILE", help="default: the project's own")
    make = kinds.add_parser("make-decisions", help="make such a benchmark from our own play")
    make.add_argument("--out", type=Path, required=True, metavar="FILE")
    make.add_argument("--weights", type=Path, metavar="FILE", help="default: those that ship")
    make.add_argument(
        "--include",
        nargs="*",
        default=[],
        metavar="PLAYER",
        help="the plays of these players are judged as deep as the best (default: ours)",
    )
    make.add_argument("--contact", type=int, default=1500, metavar="N", help="default 1500")
    make.add_argument("--race", type=int, default=400, metavar="N", help="default 400")
    make.add_argument("--bearoff", type=int, default=300, metavar="N", help="default 300")
    make.add_argument(
        "--plies", type=int, default=3, choices=range(5),
        help="contact is judged so many plies ahead (default 3), 0: by truncated rollouts",
    )  # fmt: skip
    make.add_argument(
        "--everywhere", action="store_true",
        help="to that depth also where all the players choose alike; two plies otherwise",
    )  # fmt: skip
    make.add_argument(
        "--trials", type=int, default=72, metavar="N", help="of a rollout, default 72"
    )
    make.add_argument("--truncate", type=int, default=7, metavar="TURNS", help="default 7")
    make.add_argument("--seed", type=int, default=20260001, help="default 20260001")
    make.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    make.add_argument(
        "--seconds", type=float, default=float("inf"), help="then keep what has been judged"
    )

    _cube_arguments(kinds)


def _cube_arguments(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    cubes = kinds.add_parser(
        "cubes",
        help="what players lose by each cube decision of the benchmark, and how they lean",
        epilog=PLAYERS,
    )
    cubes.add_argument("players", nargs="+", metavar="PLAYER")
    cubes.add_argument("--set", type=Path, metavar="FILE", help="default: the project's own")
    make = kinds.add_parser(
        "make-cubes",
        help="make such a benchmark from our own play, judged by our own rollouts",
        epilog="what FILE holds already is kept: stop and start it as you like",
    )
    make.add_argument("--out", type=Path, required=True, metavar="FILE")
    make.add_argument("--weights", type=Path, metavar="FILE", help="default: those that ship")
    make.add_argument("--spots", type=int, default=500, metavar="N", help="default 500")
    make.add_argument(
        "--truncate", type=int, default=12, metavar="TURNS", help="default 12, 0: to the end"
    )
    make.add_argument(
        "--error", type=float, default=0.010, metavar="EMG",
        help="standard error of the gain by doubling at which a rollout ends; default 0.010",
    )  # fmt: skip
    make.add_argument("--most", type=int, default=1296, metavar="N", help="trials, default 1296")
    make.add_argument("--seed", type=int, default=20260003, help="default 20260003")
    make.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    make.add_argument(
        "--seconds", type=float, default=float("inf"), help="then stop; the rest can be made later"
    )


def run(options: argparse.Namespace) -> int:
    """Run the chosen measurement."""
    from sixprime.bot.cli.lab import benchmarks

    kinds = {
        "games": _games,
        "decisions": benchmarks.decisions,
        "make-decisions": benchmarks.make_decisions,
        "cubes": benchmarks.cubes,
        "make-cubes": benchmarks.make_cubes,
        "references": benchmarks.references,
        "make-references": benchmarks.make_references,
        "chances": benchmarks.chances,
        "make-chances": benchmarks.make_chances,
    }
    with benchmarks.usage_errors():
        return kinds[options.kind](options)


def _games(options: argparse.Namespace) -> int:
    from sixprime.bot.cli.lab.benchmarks import described, when
    from sixprime.engine.lab.measuring.games import BLOCK, GameTerms
    from sixprime.engine.lab.measuring.gameseries import GameSeries, play_series

    if options.games < 4 or options.processes < 1 or options.seed < 0:
        raise UsageError("--games is at least 4, --processes at least 1, --seed not negative")
    if options.differences and (options.one_point or options.reduce):
        raise UsageError("--differences is for cubeless money, and has no luck to take out")
    names = (options.first, options.second)
    block = DIFFERENCES_BLOCK if options.differences else BLOCK
    terms = GameTerms(options.one_point, options.seed, block, options.differences)
    about = {
        "player": described(names[0]),
        "opponent": described(names[1]),
        "game": "one-point match" if options.one_point else "cubeless money",
        "seed": options.seed,
        "block": terms.block,
        "reduce": options.reduce,
        **({"differences": True} if options.differences else {}),
    }
    reporter = Reporter()
    series = GameSeries(options.resume, about)
    play_series(
        names, options.games, terms, series,
        reduce=options.reduce, processes=options.processes,
        report=lambda series: reporter.say(lambda: _line(series, options, reporter.seconds)),
    )  # fmt: skip
    seconds = reporter.seconds
    print(_line(series, options, seconds), file=sys.stderr)
    print(json.dumps(about | _result(series, options) | when(seconds)))
    return 0


def _result(series: GameSeries, options: argparse.Namespace) -> dict[str, Any]:
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
    """Points a game and the 95 % interval; for one-point matches also as wins in per cent."""
    figures: dict[str, Any] = {
        "points_per_game": round(score.mean, 5),
        "interval_95": [round(end, 5) for end in score.interval],
    }
    if one_point:
        figures["win_percent"] = round(50 + 50 * score.mean, 3)
        figures["win_percent_interval_95"] = [round(50 + 50 * end, 3) for end in score.interval]
    return figures


def _line(series: GameSeries, options: argparse.Namespace, seconds: float) -> str:
    tally = series.tally()
    plain = tally.score()
    text = (
        f"{2 * tally.pairs:,} of {options.games:,} games, {seconds:.0f} s: "
        f"{plain.mean:+.4f} ± {plain.half_width:.4f} points a game"
    )
    if options.reduce:
        fair = tally.adjusted()
        text += f"; without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    return text
