"""`sixprime strength`: many games between two players, and the decisions of the benchmark.

People read stderr; one JSON object on stdout tells the result and all that it takes to repeat it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.main import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sixprime.engine.lab.measuring.measure import Score, Series

REPORT_EVERY_S = 10.0
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
    """Measure as asked."""
    kinds = {
        "games": _games,
        "decisions": _decisions,
        "make-decisions": _make_decisions,
        "cubes": _cubes,
        "make-cubes": _make_cubes,
        "references": _references,
        "make-references": _make_references,
        "chances": _chances,
        "make-chances": _make_chances,
    }
    return kinds[options.kind](options)


def _games(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring.measure import BLOCK, BadState, Series, Terms, play_series
    from sixprime.engine.lab.measuring.peers import PeerError

    if options.games < 4 or options.processes < 1 or options.seed < 0:
        raise UsageError("--games is at least 4, --processes at least 1, --seed not negative")
    if options.differences and (options.one_point or options.reduce):
        raise UsageError("--differences is for cubeless money, and has no luck to take out")
    names = (options.first, options.second)
    block = DIFFERENCES_BLOCK if options.differences else BLOCK
    terms = Terms(options.one_point, options.seed, block, options.differences)
    about = {
        "player": described(names[0]),
        "opponent": described(names[1]),
        "game": "one-point match" if options.one_point else "cubeless money",
        "seed": options.seed,
        "block": terms.block,
        "reduce": options.reduce,
        **({"differences": True} if options.differences else {}),
    }
    start = time.monotonic()
    said = 0.0

    def report(series: Series) -> None:
        nonlocal said
        if time.monotonic() - said > REPORT_EVERY_S:
            said = time.monotonic()
            print(_line(series, options, said - start), file=sys.stderr, flush=True)

    try:
        series = Series(options.resume, about)
        play_series(
            names, options.games, terms, series,
            reduce=options.reduce, processes=options.processes, report=report,
        )  # fmt: skip
    except (BadState, PeerError) as error:
        raise UsageError(str(error)) from error
    seconds = time.monotonic() - start
    print(_line(series, options, seconds), file=sys.stderr)
    print(json.dumps(about | _result(series, options) | _when(seconds)))
    return 0


def _seen(name: str, boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """The five chances that a player sees in each position."""
    from sixprime.engine.lab.measuring import peers

    try:
        player = peers.player(name)
    except peers.PeerError as error:
        raise UsageError(str(error)) from error
    try:
        if not isinstance(player, peers.OurPlayer | peers.GnubgPeer):
            raise UsageError(f"{name}: does not tell what it thinks of a position")
        return player.evaluate(boards)
    finally:
        player.close()


def _references(options: argparse.Namespace) -> int:
    """Each chance that a player sees in the reference positions against what rollouts found."""
    import numpy as np

    from sixprime.engine.lab.measuring import references
    from sixprime.protocols.formats.ids import read_position_id

    found = references.load()
    boards = np.stack([read_position_id(each.position).array() for each in found])
    seen = _seen(options.player, boards)
    rows: list[dict[str, Any]] = []
    for each, chances in zip(found, seen, strict=True):
        gaps = {
            judge: [
                round(float(a) - b, 4) for a, b in zip(chances, getattr(each, judge), strict=True)
            ]
            for judge in ("ours", "gnubg")
        }
        largest = {judge: max(map(abs, own)) for judge, own in gaps.items()}
        what = {"kind": each.kind, "name": each.name, "position": each.position}
        rows.append(what | {"gaps": gaps, "largest": largest})
    within = {
        judge: sum(row["largest"][judge] <= references.CLOSE for row in rows)
        for judge in ("ours", "gnubg")
    }
    for row in rows:
        print(f"{row['name']}: {row['largest']}", file=sys.stderr)
    print(json.dumps({**described(options.player), "within_0.015": within, "positions": rows}))
    return 0


def _make_references(options: argparse.Namespace) -> int:
    """The positions stay; what our rollouts and gnubg's say of them is found anew."""
    from dataclasses import replace

    from sixprime.engine.lab.measuring import peers, references
    from sixprime.engine.nets.weights import load_brain
    from sixprime.protocols.formats.ids import read_position_id

    if min(options.trials, options.gnubg_trials, options.threads) < 1 or options.gnubg_plies < 0:
        raise UsageError("trials and threads are at least 1, plies at least 0")
    brain = load_brain()
    trials, plies = options.gnubg_trials, options.gnubg_plies
    found = []
    try:
        for each in references.load():
            position = read_position_id(each.position)
            ours = references.rolled_by_us(position, brain, options.trials, options.threads)
            gnubg = references.rolled_by_gnubg(each.position, trials, plies)
            found.append(replace(each, ours=ours, gnubg=gnubg))
            print(f"{found[-1].name}: {found[-1].ours} {found[-1].gnubg}", file=sys.stderr)
    except peers.PeerError as error:
        raise UsageError(str(error)) from error
    about: dict[str, object] = {
        "ours": {**described("ours"), "trials": options.trials},
        "gnubg": {"trials": trials, "plies": plies},
        "date": datetime.now(UTC).date().isoformat(),
    }
    references.save(found, about, options.out)
    print(json.dumps({"references": len(found), "out": str(options.out)}))
    return 0


def _chances(options: argparse.Namespace) -> int:
    """How far off the chances are that a player sees in positions drawn at random."""
    from sixprime.engine.lab.measuring import chances

    try:
        sample = chances.load(options.set)
    except chances.BadSample as error:
        raise UsageError(str(error)) from error
    found = chances.compared(_seen(options.player, sample.boards), sample)
    for kind, row in found.items():
        print(f"{kind}: {row}", file=sys.stderr)
    print(json.dumps({**described(options.player), **found, "set": json.loads(sample.about)}))
    return 0


def _make_chances(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import chances
    from sixprime.engine.nets.weights import load_brain
    from sixprime.engine.search.rollout import BadRollout, Settings

    if min(options.positions, options.threads) < 1 or options.seed < 0:
        raise UsageError("--positions and --threads are at least 1, --seed is not negative")
    total = options.positions * len(chances.KINDS)

    def report(done: int) -> None:
        if done % 20 == 0 or done == total:
            print(f"{done} of {total}", file=sys.stderr, flush=True)

    how = {"trials": options.trials, "truncate": options.truncate, "seed": options.seed}
    try:
        settings = Settings(**how, cubeful=False).checked()
    except BadRollout as error:
        raise UsageError(str(error)) from error
    found = chances.judged(load_brain(), options.positions, settings, options.threads, report)
    about = {**described("ours"), **how, "date": datetime.now(UTC).date().isoformat()}
    chances.Sample(**found, about=json.dumps(about)).save(options.out)
    print(json.dumps({"positions": total, "out": str(options.out)}))
    return 0


def _decisions(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import decisions, peers

    start = time.monotonic()
    lost = []
    try:
        benchmark = decisions.load(options.set)
        for name in options.players:
            player = peers.player(name)
            try:
                lost.append(decisions.losses(player, benchmark))
            finally:
                player.close()
            print(f"{name}: {1000 * lost[-1].mean():.3f} mEq a decision", file=sys.stderr)
    except (decisions.BadBenchmark, peers.PeerError) as error:
        raise UsageError(str(error)) from error
    rows = [
        {
            **described(name),
            "lost_meq": _thousandths(decisions.by_kind(own, benchmark.kinds)),
            "less_than_the_first_meq": _thousandths(
                decisions.by_kind(lost[0] - own, benchmark.kinds)
            ),
        }
        for name, own in zip(options.players, lost, strict=True)
    ]
    told = {"decisions": len(benchmark.boards), "players": rows, "set": json.loads(benchmark.about)}
    print(json.dumps(told | _when(time.monotonic() - start)))
    return 0


def _thousandths(scores: dict[str, Score]) -> dict[str, Any]:
    return {
        name: {
            "mean": round(1000 * score.mean, 3),
            "interval_95": [round(1000 * end, 3) for end in score.interval],
        }
        for name, score in scores.items()
    }


def _make_decisions(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import decisions, peers
    from sixprime.engine.nets import weights

    making = decisions.Making(
        counts=(options.contact, options.race, options.bearoff),
        seed=options.seed,
        plies=options.plies,
        disputed=not options.everywhere,
        trials=options.trials,
        truncate=options.truncate,
    )
    start = time.monotonic()
    said = 0.0

    def report(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > REPORT_EVERY_S or done == total:
            said = time.monotonic()
            print(f"{done} of {total} decisions, {said - start:.0f} s", file=sys.stderr, flush=True)

    others: list[peers.Player] = []
    try:
        path = options.weights or weights.shipped()
        brain = weights.load_brain(path)
        others += [peers.player(name) for name in options.include]
        about = {
            "weights": weights.digest(path),
            "judged_for": [described(name) for name in options.include],
            "date": datetime.now(UTC).date().isoformat(),
        }
        made = decisions.make(
            brain, making, others,
            threads=options.threads, seconds=options.seconds, about=about, report=report,
        )  # fmt: skip
    except (weights.BadWeights, peers.PeerError, decisions.BadBenchmark) as error:
        raise UsageError(str(error)) from error
    finally:
        for player in others:
            player.close()
    made.save(options.out)
    print(json.dumps({"decisions": len(made.boards), **json.loads(made.about)}))
    return 0


def _cubes(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import cubespots, peers

    start = time.monotonic()
    try:
        spots = cubespots.load(options.set).judged()
        views = []
        for name in options.players:
            views.append(cubespots.views(name, spots))
            print(f"{name} has been asked", file=sys.stderr)
    except (cubespots.BadSpots, peers.PeerError) as error:
        raise UsageError(str(error)) from error
    lost = [cubespots.losses(view, spots) for view in views]
    rows = []
    for name, view, own in zip(options.players, views, lost, strict=True):
        figures = own._asdict() | {"less_than_the_first": lost[0].double - own.double}
        leans = cubespots.bias(view, spots)
        rows.append(
            {
                **described(name),
                "lost_meq": _thousandths({k: cubespots.mean(each) for k, each in figures.items()}),
                "too_high_meq": _thousandths({k: cubespots.mean(x) for k, x in leans.items()}),
                "close_spots": len(leans["no_double"]),
            }
        )
    told = {"spots": len(spots.boards), "players": rows, "set": json.loads(spots.about)}
    print(json.dumps(told | _when(time.monotonic() - start)))
    return 0


def _make_cubes(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import cubespots
    from sixprime.engine.nets import weights

    making = cubespots.Making(
        spots=options.spots, seed=options.seed, truncate=options.truncate,
        error=options.error, most=options.most,
    )  # fmt: skip
    if min(making.spots, making.most, options.threads) < 1 or making.truncate < 0:
        raise UsageError("--spots, --most, --threads are at least 1, --truncate is not negative")
    start = time.monotonic()
    said = 0.0

    def report(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said > REPORT_EVERY_S or done == total:
            said = time.monotonic()
            print(f"{done} of {total} spots, {said - start:.0f} s", file=sys.stderr, flush=True)

    try:
        path = options.weights or weights.shipped()
        brain = weights.load_brain(path)
        spots = cubespots.begun(brain, making, options.out, {"weights": weights.digest(path)})
    except (weights.BadWeights, cubespots.BadSpots) as error:
        raise UsageError(str(error)) from error
    made = cubespots.judge_all(
        brain, spots, options.out,
        threads=options.threads, seconds=options.seconds, report=report,
    ).judged()  # fmt: skip
    told = {"spots": len(made.boards), "of": making.spots, "trials": int(made.trials.sum())}
    print(json.dumps(told | json.loads(made.about) | _when(time.monotonic() - start)))
    return 0


def described(name: str) -> dict[str, Any]:
    """A player by name, with what it takes to find the same one again."""
    from sixprime.engine.lab.measuring import peers
    from sixprime.engine.nets import weights

    try:
        kind, rest, plies = peers.parts(name)
        facts: dict[str, Any] = {"name": name, "plies": plies}
        if kind in {"ours", "level"}:
            own = Path(rest) if rest and kind == "ours" else weights.shipped()
            facts["weights"] = weights.digest(own)
        if kind == "gnubg":
            facts["version"] = peers.version()
    except (weights.BadWeights, peers.PeerError, OSError) as error:
        raise UsageError(str(error)) from error
    return facts


def _result(series: Series, options: argparse.Namespace) -> dict[str, Any]:
    from sixprime.engine.lab.measuring.measure import adjusted, score

    tally = series.tally()
    result: dict[str, Any] = {
        "games": 2 * tally.pairs,
        **_figures(score(tally), options.one_point),
    }
    if options.differences:
        result |= {"decisions": tally.decisions, "different": tally.different}
    else:
        points = zip(range(-3, 4), tally.results, strict=True)
        result["results"] = {f"{each:+d}": games for each, games in points if each}
    if options.reduce:
        result["without_luck"] = _figures(adjusted(tally), options.one_point)
    return result


def _figures(score: Score, one_point: bool) -> dict[str, Any]:
    """Points a game and the 95 % interval; for one-point matches also as wins in per cent."""
    figures: dict[str, Any] = {
        "points_per_game": round(score.mean, 5),
        "interval_95": [round(end, 5) for end in score.interval],
    }
    if one_point:
        figures["win_percent"] = round(50 + 50 * score.mean, 3)
        figures["win_percent_interval_95"] = [round(50 + 50 * end, 3) for end in score.interval]
    return figures


def _line(series: Series, options: argparse.Namespace, seconds: float) -> str:
    from sixprime.engine.lab.measuring.measure import adjusted, score

    tally = series.tally()
    plain = score(tally)
    text = (
        f"{2 * tally.pairs:,} of {options.games:,} games, {seconds:.0f} s: "
        f"{plain.mean:+.4f} ± {plain.half_width:.4f} points a game"
    )
    if options.reduce:
        fair = adjusted(tally)
        text += f"; without luck {fair.mean:+.4f} ± {fair.half_width:.4f}"
    return text


def _when(seconds: float) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(seconds, 1),
    }
