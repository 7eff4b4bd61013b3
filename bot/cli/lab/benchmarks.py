"""The benchmarks of `sixprime strength`: scores players on them, and makes them."""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sixprime.engine.lab.tallies import Mean


def when(seconds: float) -> dict[str, Any]:
    return {"date": datetime.now(UTC).date().isoformat(), "seconds": round(seconds, 1)}


def described(name: str) -> dict[str, Any]:
    """A player's name, and what identifies exactly this player."""
    from sixprime.engine.lab.measuring import gnubg, peers
    from sixprime.engine.nets import weights

    kind, rest, plies = peers.parts(name)
    facts: dict[str, Any] = {"name": name, "plies": plies}
    with refusing(OSError, at=name):
        if kind in {"ours", "level"}:
            own = Path(rest) if rest and kind == "ours" else weights.shipped()
            facts["weights"] = weights.digest(own)
        if kind == "gnubg":
            facts["version"] = gnubg.version()
    return facts


def seen(name: str, boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """The five chances that a player sees in each position."""
    from sixprime.engine.lab.measuring import peers

    with peers.player(name) as player:
        return player.evaluate(boards)


def references(options: argparse.Namespace) -> int:
    """Compares each of a player's chances in the reference positions with rollouts."""
    import numpy as np

    from sixprime.engine.lab.measuring import references
    from sixprime.protocols.formats.ids import read_position_id

    found = references.load_references()
    boards = np.stack([read_position_id(each.position).array() for each in found])
    said = seen(options.player, boards)
    rows: list[dict[str, Any]] = []
    for each, chances in zip(found, said, strict=True):
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


def chances(options: argparse.Namespace) -> int:
    """How far off a player's chances are in random positions."""
    from sixprime.engine.lab.measuring import chances

    sample = chances.load_sample(options.set)
    said = seen(options.player, sample.boards)
    found = chances.compared(said, sample)
    for kind, row in found.items():
        print(f"{kind}: {row}", file=sys.stderr)
    asked, theirs = chances.by_gnubg(sample)
    told = {
        **described(options.player), **found,
        "by_gnubg_rollouts": chances.compared(said[asked], theirs),
        "our_rollouts_by_gnubg": chances.agreement(sample),
    }  # fmt: skip
    print(json.dumps({**told, "set": json.loads(sample.about)}))
    return 0


def decisions(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import decisions, peers

    start = time.monotonic()
    lost = []
    benchmark = decisions.load_benchmark(options.set)
    for name in options.players:
        with peers.player(name) as player:
            lost.append(decisions.losses(player, benchmark))
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
    result = {
        "decisions": len(benchmark.boards),
        "players": rows,
        "set": json.loads(benchmark.about),
    }
    print(json.dumps(result | when(time.monotonic() - start)))
    return 0


def _thousandths(scores: dict[str, Mean]) -> dict[str, Any]:
    return {
        name: {
            "mean": round(1000 * score.mean, 3),
            "interval_95": [round(1000 * end, 3) for end in score.interval],
        }
        for name, score in scores.items()
    }


def cubes(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import cubespots
    from sixprime.engine.lab.tallies import Mean

    if options.differences:
        return _cube_differences(options)
    start = time.monotonic()
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
                "lost_meq": _thousandths({k: Mean.of_values(each) for k, each in figures.items()}),
                "too_high_meq": _thousandths({k: Mean.of_values(x) for k, x in leans.items()}),
                "close_spots": len(leans["no_double"]),
            }
        )
    result = {"spots": len(spots.boards), "players": rows, "set": json.loads(spots.about)}
    print(json.dumps(result | when(time.monotonic() - start)))
    return 0


def _cube_differences(options: argparse.Namespace) -> int:
    """Two players on many new spots, of which only those are judged on which they differ."""
    from sixprime.engine.lab.measuring import cubespots
    from sixprime.engine.lab.tallies import Mean
    from sixprime.engine.nets import weights

    if len(options.players) != 2 or options.set is not None or options.resume is None:
        raise UsageError("--differences takes two players and --resume FILE, and makes its own set")
    reporter = Reporter()
    plan = cubespots.CubePlan(spots=options.differences, seed=options.seed, error=options.error)
    path = weights.shipped()
    brain = weights.load_brain(path)
    spots = cubespots.begun(brain, plan, options.resume, {"weights": weights.digest(path)})
    first, second = (cubespots.views(name, spots) for name in options.players)
    judged = cubespots.judge_all(
        brain, spots, options.resume,
        where=cubespots.differ(first, second),
        threads=options.threads, report=reporter.count("spots"),
    )  # fmt: skip
    lost, less = (cubespots.losses(each, judged) for each in (first, second))
    figures = {"double": lost.double - less.double, "take": lost.take - less.take}
    result = {
        "spots": len(judged.boards),
        "judged": int((judged.trials > 0).sum()),
        "players": [described(name) for name in options.players],
        "less_than_the_first_meq": _thousandths(
            {what: Mean.of_values(each) for what, each in figures.items()}
        ),
    }
    print(json.dumps(result | when(reporter.seconds)))
    return 0


def make_references(options: argparse.Namespace) -> int:
    """Rolls out the same reference positions again, with our engine and gnubg."""
    from dataclasses import replace

    from sixprime.engine.lab.measuring import references
    from sixprime.engine.nets.weights import load_brain
    from sixprime.protocols.formats.ids import read_position_id

    brain = load_brain()
    trials, plies = options.gnubg_trials, options.gnubg_plies
    found = []
    for each in references.load_references():
        position = read_position_id(each.position)
        ours = references.rolled_by_us(position, brain, options.trials, options.threads)
        gnubg = references.rolled_by_gnubg(each.position, trials, plies)
        found.append(replace(each, ours=ours, gnubg=gnubg))
        print(f"{found[-1].name}: {found[-1].ours} {found[-1].gnubg}", file=sys.stderr)
    about: dict[str, object] = {
        "ours": {**described("ours"), "trials": options.trials},
        "gnubg": {"trials": trials, "plies": plies},
        "date": datetime.now(UTC).date().isoformat(),
    }
    references.save_references(found, about, options.out)
    print(json.dumps({"references": len(found), "out": str(options.out)}))
    return 0


def make_chances(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import benchmarksets, chances
    from sixprime.engine.nets.weights import load_brain
    from sixprime.engine.position import Position
    from sixprime.engine.search.rollout import RolloutSettings
    from sixprime.protocols.formats.ids import position_id

    reporter = Reporter()
    how = {"trials": options.trials, "keep": options.keep, "seed": options.seed}
    settings = chances.to_the_end(RolloutSettings(**how).checked(), options.deep_turns)
    found = chances.judged(
        load_brain(), options.positions, settings, options.threads, reporter.count("positions")
    )
    about = {
        **described("ours"), **how, "deep_turns": options.deep_turns,
        "gnubg": {"of_each_family": options.gnubg, "trials": options.gnubg_trials},
        "date": datetime.now(UTC).date().isoformat(),
    }  # fmt: skip
    sample = chances.Sample(**found, about=json.dumps(about))
    benchmarksets.save_set(options.out, sample)  # gnubg takes an hour, and may be missing
    if options.gnubg:
        asked = {
            place: position_id(Position.from_array(board))
            for place, board in enumerate(sample.boards)
            if place % options.positions < options.gnubg
        }
        sample = chances.rolled_by_gnubg(
            sample, asked, options.gnubg_trials, options.threads, reporter.count("by gnubg")
        )
        benchmarksets.save_set(options.out, sample)
    print(json.dumps({"positions": len(sample.boards), "out": str(options.out)}))
    return 0


def make_decisions(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import benchmarksets, decisions, peers
    from sixprime.engine.nets import weights

    plan = decisions.DecisionPlan(
        counts=(options.contact, options.race, options.bearoff),
        odd=options.odd,
        seed=options.seed,
        disputed=not options.everywhere,
        trials=options.trials,
    )
    path = options.weights or weights.shipped()
    brain = weights.load_brain(path)
    with ExitStack() as seats:
        others = [seats.enter_context(peers.player(name)) for name in options.include]
        about = {
            "weights": weights.digest(path),
            "judged_for": [described(name) for name in options.include],
            "date": datetime.now(UTC).date().isoformat(),
        }
        made = decisions.make(
            brain, plan, others,
            threads=options.threads, seconds=options.seconds, about=about,
            report=Reporter().count("decisions"),
        )  # fmt: skip
    benchmarksets.save_set(options.out, made)
    print(json.dumps({"decisions": len(made.boards), **json.loads(made.about)}))
    return 0


def make_cubes(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.measuring import cubespots
    from sixprime.engine.nets import weights

    plan = cubespots.CubePlan(
        spots=options.spots, seed=options.seed, truncate=options.truncate,
        error=options.error, most=options.most,
    )  # fmt: skip
    reporter = Reporter()
    path = options.weights or weights.shipped()
    brain = weights.load_brain(path)
    spots = cubespots.begun(brain, plan, options.out, {"weights": weights.digest(path)})
    made = cubespots.judge_all(
        brain, spots, options.out,
        threads=options.threads, seconds=options.seconds,
        report=reporter.count("spots"),
    ).judged()  # fmt: skip
    result = {"spots": len(made.boards), "of": plan.spots, "trials": int(made.trials.sum())}
    print(json.dumps(result | json.loads(made.about) | when(reporter.seconds)))
    return 0
