"""`sixprime strength`: many games between two players, and the decisions of the benchmark.

Progress goes to stderr; stdout gets one JSON object with the result and all that is needed to
repeat it.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.declaring import file, flag, number
from sixprime.bot.cli.lab import duels
from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError, new_file, refusing
from sixprime.bot.process.printable import counted

if TYPE_CHECKING:
    from sixprime.engine.lab.measuring.gameseries import GameSeries
    from sixprime.engine.lab.tallies import Mean

DEEP_BLOCK = 10  # games; three plies ahead they take a minute,
ROLLING_BLOCK = 2  # and with rollouts ten
PLAYERS = (
    "players: ours (the nets that ship), ours:FILE.npz, level:NAME (plays as that preset), gnubg "
    "(the installed program), random; a last :N means that the player looks N plies ahead, as in "
    "gnubg:1"
)

DUELLISTS = (
    "players: ours (the nets that ship), ours:FILE.npz, gnubg; a last :N means N plies, as in "
    "gnubg:2"
)
PROMOTED = "exit code 0: promote; 1: do not, or still open"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "example: sixprime strength games ours gnubg --games 200000 --processes 2 "
        f"--resume runs/games.json\n{PLAYERS}"
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")

    def kind(name: str, text: str, example: str, about: str = "") -> argparse.ArgumentParser:
        epilog = f"example: sixprime strength {name} {example}\n{about}"
        return kinds.add_parser(name, help=text, epilog=epilog.rstrip())

    games = kind(
        "games",
        "play pairs of games with the same dice and seats exchanged",
        "ours gnubg --games 4000 --reduce --processes 2 --resume runs/games.json",
        PLAYERS,
    )
    _games_arguments(games)
    duels.arguments(
        kind(
            "matches",
            "play matches or games of money with the cube, without luck",
            "ours:2 gnubg:2 --length 7 --resume runs/seven.json",
            DUELLISTS,
        ),
        kind(
            "promote",
            "play new nets against old until the result is clear; no family may be worse",
            "runs/new.npz --resume runs/promote.json",
            PROMOTED,
        ),
    )

    of_references = "the chances seen in 21 positions of different kinds, against long rollouts"
    of_chances = "the same for hundreds of positions drawn at random, against our own rollouts"
    of_decisions = "what players lose by each decision of the benchmark, compared with the first"
    of_cubes = "what players lose by each cube decision of the benchmark, and how far they overrate"
    references = kind("references", of_references, "ours:2", PLAYERS)
    chances = kind("chances", of_chances, "gnubg:2", PLAYERS)
    decisions = kind("decisions", of_decisions, "gnubg:2 ours:2", PLAYERS)
    cubes = kind("cubes", of_cubes, "gnubg:2 ours:2", PLAYERS)
    for each in (references, chances):
        each.add_argument("player", nargs="?", default="ours", metavar="PLAYER")
    for each in (decisions, cubes):
        each.add_argument("players", nargs="+", metavar="PLAYER")
    for each in (chances, decisions, cubes):
        file(each, "--set", "default: the project's own")
    number(
        cubes, "--differences", 0, "instead of the set, draw N spots and judge those on which "
        "two players act differently: for players that are nearly as strong",
    )  # fmt: skip
    number(cubes, "--error", 0.028, "standard error at which their rollouts end; default 0.028")
    number(cubes, "--seed", 1, "of the spots; default 1", metavar=None)
    number(cubes, "--threads", 1, least=1)
    file(cubes, "--resume", "keep the judged spots here", kind=new_file)

    rolled = kind(
        "make-references",
        "roll those positions out again, with gnubg",
        "--out runs/references.json",
    )
    number(rolled, "--trials", 216, "ours, default 216", least=1)
    number(rolled, "--gnubg-trials", 648, least=1)
    number(
        rolled, "--gnubg-plies", 1,
        "how far gnubg looks ahead as it plays, default 1: at 0 it misplays some of them",
    )  # fmt: skip
    drawn = kind(
        "make-chances", "draw and roll out such positions",
        "--positions 60 --threads 2 --out runs/chances.npz",
    )  # fmt: skip
    number(drawn, "--positions", 100, "of each family, default 100", least=1)
    number(drawn, "--trials", 144, "each to the end of the game, default 144", least=1)
    number(drawn, "--keep", 12, "replies that the pruning net leaves, default 12; 0: all")
    deep = "turns of a trial that are played one ply ahead, default 12"
    number(drawn, "--deep-turns", 12, deep, metavar=None)
    number(drawn, "--gnubg", 0, "so many of each family are rolled out by gnubg, too; default 0")
    number(drawn, "--gnubg-trials", 648, least=1)
    make = kind(
        "make-decisions", "make such a benchmark from our own play",
        "--include ours gnubg --contact 400 --threads 2 --out runs/decisions.npz",
    )  # fmt: skip
    make.add_argument(
        "--include", nargs="*", default=[], metavar="PLAYER",
        help="the plays of these players are judged as deep as the best (default: ours)",
    )  # fmt: skip
    number(make, "--contact", 1500)
    number(make, "--race", 400)
    number(make, "--bearoff", 300)
    number(make, "--odd", 40, "of each odd family (back games, primes ...), default 40")
    flag(make, "--everywhere", "contact is rolled out also where all the players choose alike")
    number(make, "--trials", 288, "of a play, to the end of the game; default 288", least=2)
    number(make, "--seconds", float("inf"), "then stop and keep what has been judged", metavar=None)
    spots = kind(
        "make-cubes", "make such a benchmark from our own play, judged by our own rollouts",
        "--spots 600 --error 0.028 --threads 2 --out runs/cubes.npz",
        "What FILE already holds is kept: stop and restart it as you like.",
    )  # fmt: skip
    number(spots, "--spots", 500, least=1)
    error = "standard error of the gain by doubling at which a rollout ends; default 0.010"
    number(spots, "--error", 0.010, error, metavar="EMG")
    number(spots, "--most", 1296, "trials, default 1296", least=1)
    stop = "then stop; the rest can be made later"
    number(spots, "--seconds", float("inf"), stop, metavar=None)
    number(spots, "--truncate", 0, "default 0: to the end of the game", metavar="TURNS")
    for each in (make, spots):
        file(each, "--weights", "default: those that ship")
    for each, seed in ((make, 20260001), (spots, 20260003), (drawn, 20260004)):
        number(each, "--seed", seed, metavar=None)
    for each in (rolled, drawn, make, spots):
        each.add_argument("--out", type=new_file, required=True, metavar="FILE")
    number(rolled, "--threads", 1, "ours, default 1", least=1)
    for each in (drawn, make, spots):
        number(each, "--threads", 1, least=1)


def _games_arguments(games: argparse.ArgumentParser) -> None:
    games.add_argument("first", metavar="A", help="the result is this player's")
    games.add_argument("second", metavar="B")
    number(games, "--games", 10_000, least=4)
    flag(games, "--one-point", "one-point matches instead of cubeless money")
    number(games, "--seed", 1, "of the dice; default 1", metavar=None)
    flag(
        games,
        "--reduce",
        "also report the result with luck taken out: a third of the interval, slower",
    )
    flag(
        games,
        "--differences",
        "play out only the close decisions on which both differ: for players that look "
        "ahead or are nearly as strong",
    )
    number(games, "--processes", 1, least=1)
    file(games, "--resume", "keep the state here, and resume from it", kind=new_file)


def run(options: argparse.Namespace) -> int:
    from sixprime.bot.cli.lab import benchmarks
    from sixprime.engine.lab import LabError
    from sixprime.engine.nets.weights import BadWeights
    from sixprime.engine.search.rollout import BadRollout

    kinds = {
        "games": _games,
        "matches": duels.matches,
        "promote": duels.promote,
        "decisions": benchmarks.decisions,
        "make-decisions": benchmarks.make_decisions,
        "cubes": benchmarks.cubes,
        "make-cubes": benchmarks.make_cubes,
        "references": benchmarks.references,
        "make-references": benchmarks.make_references,
        "chances": benchmarks.chances,
        "make-chances": benchmarks.make_chances,
    }
    with refusing(LabError, BadRollout, BadWeights):
        return kinds[options.kind](options)


def _games(options: argparse.Namespace) -> int:
    from sixprime.bot.cli.lab.benchmarks import described, when
    from sixprime.engine.lab.measuring import peers
    from sixprime.engine.lab.measuring.differences import judge
    from sixprime.engine.lab.measuring.games import BLOCK, GameTerms
    from sixprime.engine.lab.measuring.gameseries import GameSeries, play_series

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
        f"{2 * tally.pairs:,} of {counted(options.games, 'game')}, {seconds:.0f} s: "
        f"{plain.mean:+.4f} ± {plain.half_width:.4f} points a game"
    )
    if options.reduce:
        fair = tally.adjusted()
        text += f"; without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    return text
