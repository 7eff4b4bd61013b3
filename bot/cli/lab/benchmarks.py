"""The benchmarks of `sixprime strength`: their making, and the scores of players on them."""

from __future__ import annotations

import json
import lzma
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.bot.cli.lab.reporting import Reporter, refusing_bad_measures, rounded, today
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import counted
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.lab.measuring import (
    benchmarksets,
    chances,
    cubespots,
    decisions,
    gnubg,
    peers,
    races,
    references,
)
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.lab.training.sideends import Judge, within
from sixprime.engine.nets import weights
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import Position
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import match_id, position_id, read_position_id

AT_ONCE = 50  # positions between two reports


def described(name: str) -> dict[str, Any]:
    """Return a player's name, and facts that identify exactly this player."""
    kind, rest, plies = peers.parts(name)
    facts: dict[str, Any] = {"name": name, "plies": plies}
    with refusing(OSError, at=name):
        if kind in {"ours", "level"}:
            own = Path(rest) if rest and kind == "ours" else weights.shipped()
            facts["weights"] = weights.version_of(own)
        if kind == "gnubg":
            build = gnubg.build_of(rest)
            facts["version"] = build["version"]
            facts |= {"simd": build["simd"]} if rest else {}
    return facts


def seen(
    name: str,
    boards: NDArray[np.int8],
    report: Callable[[int, int], None] = lambda done, total: None,
) -> NDArray[np.float32]:
    """Return the five chances that a player sees in each position."""
    rows: list[NDArray[np.float32]] = []
    with peers.player(name) as player:
        for first in range(0, len(boards), AT_ONCE):
            rows.append(player.evaluate(boards[first : first + AT_ONCE]))
            report(min(first + AT_ONCE, len(boards)), len(boards))
    return np.concatenate(rows)


@refusing_bad_measures
def compare_references(options: Namespace) -> int:
    """Compare each of a player's chances in the reference positions with rollouts."""
    found = references.load_references()
    boards = np.stack([read_position_id(reference.position).array() for reference in found])
    said = seen(options.player, boards)
    rows: list[dict[str, Any]] = []
    for reference, own in zip(found, said, strict=True):
        gaps = {
            judge: [
                round(float(a) - b, 4) for a, b in zip(own, getattr(reference, judge), strict=True)
            ]
            for judge in ("ours", "gnubg")
        }
        largest = {judge: max(map(abs, gap)) for judge, gap in gaps.items()}
        what = {name: getattr(reference, name) for name in ("kind", "name", "position")}
        rows.append(what | {"gaps": gaps, "largest": largest})
    within = {
        judge: sum(row["largest"][judge] <= references.CLOSE for row in rows)
        for judge in ("ours", "gnubg")
    }
    for row in rows:
        print(f"{row['name']}: {row['largest']}", file=sys.stderr)
    print(json.dumps({**described(options.player), "within_0.015": within, "positions": rows}))
    return 0


@refusing_bad_measures
def compare_chances(options: Namespace) -> int:
    """Compare players' chances with rollouts: of random positions, or in the file of a judge."""
    names = options.players or ["ours"]
    if options.judge is not None:
        return _compare_by_judge(options.judge, names)
    if len(names) > 1:
        raise UsageError("several players are compared only by --judge FILE")
    (name,) = names
    sample = chances.load_sample(options.set)
    said = seen(name, sample.boards, Reporter().count("positions"))
    found = chances.compared(said, sample)
    for kind, row in found.items():
        print(f"{kind}: {row}", file=sys.stderr)
    asked, theirs = chances.by_gnubg(sample)
    told = {
        **described(name), **found,
        "by_gnubg_rollouts": chances.compared(said[asked], theirs),
        "our_rollouts_by_gnubg": chances.agreement(sample),
    }  # fmt: skip
    print(json.dumps({**told, "set": json.loads(sample.about)}))
    return 0


def _compare_by_judge(file: Path, names: list[str]) -> int:
    """Print how far players are off in another's positions, beside the first player."""
    reporter, judge = Reporter(), read_judge(file)
    squares = [
        chances.squares_off(seen(name, judge.boards, reporter.count(f"positions, {name}")), judge)
        for name in names
    ]
    rows = [
        {
            **described(name),
            "off": {
                kind: rounded(chances.root_mean_square(values), 5, "rms")
                for kind, values in own._asdict().items()
            },
            "less_than_the_first": {
                kind: rounded(chances.roots_apart(getattr(squares[0], kind), values), 5, "rms")
                for kind, values in own._asdict().items()
            },
        }
        for name, own in zip(names, squares, strict=True)
    ]
    about = {
        "file": str(file),
        "positions": len(judge.boards),
        "error": round(float(np.sqrt((judge.errors**2).mean())), 5),
    }
    reporter.print_result({"judge": about, "players": rows})
    return 0


def read_judge(file: Path) -> chances.ForeignJudge:
    """Read JSON lines, also compressed ones (.xz); a UsageError names a bad line."""
    rows: list[tuple[Any, ...]] = []
    with (
        refusing(OSError, EOFError, lzma.LZMAError, at=file),
        lzma.open(file) if file.suffix == ".xz" else file.open("rb") as lines,
    ):
        for number, line in enumerate(lines, 1):
            with refusing(ValueError, KeyError, TypeError, at=f"{file}, line {number}"):
                row = json.loads(line)
                judged = [*map(float, row["mover"]), float(row["equity"]), float(row["se"])]
                if len(judged) != OUTPUTS + 2 or not np.isfinite(judged).all():
                    raise ValueError("five chances, an equity and its error are needed")
                rows.append((read_position_id(row["position"]).array(), *judged))
    if not rows:
        raise UsageError(f"{file}: no position")
    boards, *columns = zip(*rows, strict=True)
    figures = np.array(columns).T
    return chances.ForeignJudge(
        np.stack(boards), figures[:, :OUTPUTS], figures[:, OUTPUTS], figures[:, OUTPUTS + 1]
    )


@refusing_bad_measures
def score_decisions(options: Namespace) -> int:
    reporter = Reporter()
    lost = []
    benchmark = decisions.load_benchmark(options.set)
    for name in options.players:
        with peers.player(name) as player:
            count = reporter.count(f"decisions, {name}")
            lost.append(decisions.losses(player, benchmark, count))
        print(f"{name}: {1000 * lost[-1].mean():.3f} mEq a decision", file=sys.stderr)
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
    about = json.loads(benchmark.about)
    result = {"decisions": len(benchmark.boards), "players": rows, "set": about}
    reporter.print_result(result)
    return 0


@refusing_bad_measures
def score_races(options: Namespace) -> int:
    """Draw race decisions, and score players by the rolls of each side."""
    reporter = Reporter()
    plan = races.RacePlan(options.ordinary, options.bearoffs, options.points, options.seed)
    drawn = drawn_races(plan)
    rows = []
    for name in options.players:
        with peers.player(name) as player:
            scores = races.scored(player, drawn)
        lost = {kind: scores.pop(kind) for kind in races.KINDS}
        rows.append({**described(name), "lost_meq": _thousandths(lost), **scores})
        print(f"{name}: {rows[-1]['lost_meq']}", file=sys.stderr)
    reporter.print_result({"set": json.loads(drawn.benchmark.about), "players": rows})
    return 0


def drawn_races(plan: races.RacePlan) -> races.RaceSet:
    """Draw race decisions, and judge them by a large database, which takes a while."""
    size = counted(plan.points, "point")
    print(f"making the one-sided database of {size}", file=sys.stderr)
    return races.drawn(Judge.of(within(load_brain(), plan.points)), plan)


def _thousandths(scores: Mapping[str, Mean]) -> dict[str, Any]:
    return {name: rounded(score, 3, scale=1000.0) for name, score in scores.items()}


def _means(values: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    return _thousandths({name: Mean.of_values(samples) for name, samples in values.items()})


def _brain_of(path: Path | None) -> tuple[Brain, dict[str, str]]:
    """Load nets, by default the shipped ones, and name them by their digest."""
    path = path or weights.shipped()
    return load_brain(path), {"weights": weights.version_of(path)}


@refusing_bad_measures
def score_cubes(options: Namespace) -> int:
    if options.differences:
        return _cube_differences(options)
    reporter = Reporter()
    spots = cubespots.load_spots(options.set).judged()
    views = []
    for name in options.players:
        views.append(cubespots.views(name, spots))
        print(f"{name} has been asked", file=sys.stderr)
    lost = [cubespots.losses(view, spots) for view in views]
    rows = []
    for name, view, own in zip(options.players, views, lost, strict=True):
        figures = own._asdict() | {
            "less_than_the_first": lost[0].double - own.double,
            "take_less_than_the_first": lost[0].take - own.take,
        }
        leans = cubespots.bias(view, spots)
        rows.append(
            {
                **described(name),
                "lost_meq": _means(figures),
                "too_high_meq": _means(leans),
                "close_spots": len(leans["no_double"]),
            }
        )
    result = {"spots": len(spots.boards), "players": rows, "set": json.loads(spots.about)}
    reporter.print_result(result)
    return 0


def _cube_differences(options: Namespace) -> int:
    """Compare two players on many new spots, judging only the spots on which they differ."""
    if len(options.players) != 2 or options.set is not None or options.resume is None:
        raise UsageError("--differences takes two players and --resume FILE, and makes its own set")
    reporter = Reporter()
    plan = cubespots.CubePlan(spots=options.differences, seed=options.seed, error=options.error)
    brain, names = _brain_of(None)
    spots = cubespots.begun_by_us(brain, plan, options.resume, names)
    first, second = (cubespots.views(name, spots) for name in options.players)
    judged = cubespots.judge_all(
        cubespots.by_us(brain, spots), spots, options.resume,
        where=cubespots.differ(first, second),
        threads=options.threads, report=reporter.count("spots"),
    )  # fmt: skip
    lost, less = (cubespots.losses(view, judged) for view in (first, second))
    figures = {"double": lost.double - less.double, "take": lost.take - less.take}
    result = {
        "spots": len(judged.boards),
        "judged": int((judged.trials > 0).sum()),
        "players": [described(name) for name in options.players],
        "less_than_the_first_meq": _means(figures),
    }
    reporter.print_result(result)
    return 0


@refusing_bad_measures
def make_references(options: Namespace) -> int:
    """Roll the reference positions out again, with our engine and gnubg."""
    brain = load_brain()
    trials, plies = options.gnubg_trials, options.gnubg_plies
    found = []
    for reference in references.load_references():
        position = read_position_id(reference.position)
        ours = references.rolled_by_us(position, brain, options.trials, options.threads)
        theirs = references.rolled_by_gnubg(reference.position, trials, plies, options.peer_command)
        found.append(replace(reference, ours=ours, gnubg=theirs))
        print(f"{found[-1].name}: {found[-1].ours} {found[-1].gnubg}", file=sys.stderr)
    about: dict[str, object] = {
        "ours": {**described("ours"), "trials": options.trials},
        "gnubg": {"trials": trials, "plies": plies},
        "date": today(),
    }
    references.save_references(found, about, options.out)
    print(json.dumps({"references": len(found), "out": str(options.out)}))
    return 0


@refusing_bad_measures
def make_chances(options: Namespace) -> int:
    reporter, brain = Reporter(), load_brain()
    how = {"trials": options.trials, "keep": options.keep, "seed": options.seed}
    settings = chances.to_the_end(RolloutSettings(**how).checked(), options.deep_turns)
    about = {
        **described("ours"), **how, "deep_turns": options.deep_turns,
        "gnubg": {"of_each_family": options.gnubg, "trials": options.gnubg_trials},
        "date": today(),
    }  # fmt: skip
    sample = chances.begun_for(brain, options.positions, options.seed, options.out, about)
    chances.roll_out(
        brain, sample, options.out, settings, options.threads, reporter.count("positions")
    )
    asked = {
        place: position_id(Position.from_array(board))
        for place, board in enumerate(sample.boards)
        if place % options.positions < options.gnubg
    }
    if asked:  # gnubg takes hours, and may be missing
        rollout = partial(
            gnubg.printed_rollout,
            trials=options.gnubg_trials, plies=1, command=options.peer_command,
        )  # fmt: skip
        chances.roll_out_by_gnubg(
            sample, options.out, asked, rollout, options.threads, Reporter().count("by gnubg")
        )
    print(json.dumps({"positions": len(sample.boards), "out": str(options.out)}))
    return 0


@refusing_bad_measures
def make_decisions(options: Namespace) -> int:
    plan = decisions.DecisionPlan(
        counts=(options.contact, options.race, options.bearoff),
        odd=options.odd,
        seed=options.seed,
        disputed=not options.everywhere,
        trials=options.trials,
    )
    brain, names = _brain_of(options.weights)
    with ExitStack() as seats:
        others = [seats.enter_context(peers.player(name)) for name in options.include]
        about = {
            **names,
            "judged_for": [described(name) for name in options.include],
            "date": today(),
        }
        made = decisions.make(
            brain, plan, others,
            threads=options.threads, seconds=options.seconds, about=about,
            report=Reporter().count("decisions"),
        )  # fmt: skip
    benchmarksets.save_set(options.out, made)
    print(json.dumps({"decisions": len(made.boards), **json.loads(made.about)}))
    return 0


@refusing_bad_measures
def make_cubes(options: Namespace) -> int:
    plan = cubespots.CubePlan(
        spots=options.spots, seed=options.seed, truncate=options.truncate,
        error=options.error, most=options.most,
    )  # fmt: skip
    if options.by_gnubg is not None:
        return _cubes_by_gnubg(options)
    brain, names = _brain_of(options.weights)
    spots = cubespots.begun_by_us(brain, plan, options.out, names)
    return _judge_cubes(cubespots.by_us(brain, spots), spots, options)


def _cubes_by_gnubg(options: Namespace) -> int:
    """Let gnubg judge spots of a set that we have judged."""
    terms = gnubg.CubeTerms(options.most, options.error, options.gnubg_plies)
    command = options.peer_command
    about = {"gnubg": {**gnubg.build_of(command), **asdict(terms)}}
    ours = cubespots.load_spots(options.by_gnubg)
    spots = cubespots.begun_by_gnubg(ours, options.spots, options.out, about)

    def judged(place: int) -> cubespots.CubeVerdict:
        position, match = spots.spot(place)
        ids = f"{position_id(position)}:{match_id(match)}"
        return cubespots.rolled_by_gnubg(ids, terms, command)

    return _judge_cubes(judged, spots, options)


def _judge_cubes(
    judged: Callable[[int], cubespots.CubeVerdict], spots: cubespots.Spots, options: Namespace
) -> int:
    reporter = Reporter()
    made = cubespots.judge_all(
        judged, spots, options.out,
        threads=options.threads, seconds=options.seconds,
        report=reporter.count("spots"),
    ).judged()  # fmt: skip
    result = {
        "spots": len(made.boards), "of": len(spots.boards), "trials": int(made.trials.sum()),
    }  # fmt: skip
    reporter.print_result(result | json.loads(made.about))
    return 0
