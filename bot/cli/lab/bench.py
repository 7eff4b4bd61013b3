"""`sixprime bench`: the engine's speed on this machine, as one JSON object.

Every figure is a row of MEASUREMENTS, and is a number or a mapping of names to numbers. Seconds are
CPU seconds of one core, which other work disturbs less. Absolute figures vary between machines, so
compare only `ratio` (above 1: we are better), measured in one run. `peer` says how the other
program was built; `more_peers` has both objects for each further build.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.bot.cli.lab.costs import Figure, changed, children_s, cost_of_command, cpu_s_of
from sixprime.bot.cli.lab.reporting import chosen
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.interfaces.jsonlines import answer_all
from sixprime.bot.sandbox.loadtest.clients import measure
from sixprime.engine.bearoff.files import OneSided, TwoSided, write_database
from sixprime.engine.kernels import moves
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import decisions
from sixprime.engine.lab.measuring.gnubg import (
    build_of,
    printed_error,
    printed_rollout,
    program,
    run_inside,
)
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import Level, preset
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.rollout import CHUNK, RolloutSettings, of_position
from sixprime.protocols.formats import ids
from sixprime.protocols.formats.ids import position_id, read_position_id

MEASURED_S = 1.0  # CPU time of one figure, at least


@dataclass(frozen=True, slots=True)
class Measurement:
    """A figure of our engine, and gnubg's if it has an equivalent."""

    name: str  # its key in the JSON object
    ours: Callable[[], Figure]
    peer: Callable[[str], Figure] | None = None  # of this program
    more_is_better: bool = True


def measure_speeds(options: Namespace) -> int:
    figures: dict[str, object] = {}
    peers = _peers(options)
    rows = {row.name: row for row in MEASUREMENTS}
    for name in chosen(rows, options.only):
        row = rows[name]
        ours = row.ours()
        figures[row.name] = changed(ours, _rounded)
        for peer in peers if row.peer else ():
            command = peer["peer"]["command"]
            print(f"measuring {row.name} of {command} ...", file=sys.stderr, flush=True)
            assert row.peer is not None
            with refusing(LabError, at="--peer gnubg"):
                theirs = row.peer(command)
            peer["peer"][row.name] = changed(theirs, _rounded)
            ratio = changed(_ratio(ours, theirs, row.more_is_better), _rounded)
            peer["ratio"][row.name] = ratio
    if peers:
        figures |= peers[0]
    if len(peers) > 1:
        figures["more_peers"] = peers[1:]
    print(json.dumps(figures))
    return 0


def _peers(options: Namespace) -> list[dict[str, dict[str, Any]]]:
    """Return an object for each build of gnubg that is measured, still without figures."""
    if not (options.peer or options.peer_command):
        return []
    with refusing(LabError, at="--peer gnubg"):
        commands = [program(given) for given in options.peer_command or ("",)]
        return [
            {"peer": {"name": "gnubg", "command": command, **build_of(command)}, "ratio": {}}
            for command in commands
        ]


def _ratio(ours: Figure, theirs: Figure, more_is_better: bool) -> Figure:
    """Divide our figures by the peer's; more than 1 means that ours are better."""
    if isinstance(ours, Mapping):
        assert isinstance(theirs, Mapping)
        ratios: Figure = {name: ours[name] / theirs[name] for name in ours if name in theirs}
    else:
        assert not isinstance(theirs, Mapping)
        ratios = ours / theirs
    return ratios if more_is_better else changed(ratios, lambda ratio: 1 / ratio)


def _rounded(figure: float) -> float:
    """Round to four significant digits; the clocks give no more."""
    return float(f"{figure:.4g}")


def per_second(work: Callable[[], int]) -> float:
    """Return things done per CPU second, after a warm-up; `work` returns the number of a call."""
    work()
    done = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < MEASURED_S:
        done += work()
    return done / spent


# --- positions generated ----------------------------------------------------------------------


def _boards_of_random_games(count: int) -> list[NDArray[np.int8]]:
    draw = random.Random(1)
    boards = []
    position = Position.start()
    for _ in range(count):
        play = draw.choice(legal_plays(position, (draw.randint(1, 6), draw.randint(1, 6))))
        position = play.result.flipped()
        if position.is_over():
            position = Position.start()
        boards.append(position.array())
    return boards


def _positions_generated_per_second() -> float:
    """Count distinct results of all 21 rolls in positions of random games, without objects."""
    boards = _boards_of_random_games(500)
    results, plays, keys, table = moves.roll_results()

    def work() -> int:
        return sum(
            int(moves.generate_into(board, first, second, results, plays, keys, table))
            for board in boards
            for first in range(1, 7)
            for second in range(1, first + 1)
        )

    return per_second(work)


# --- evaluations --------------------------------------------------------------------------------


def _evaluations_per_second() -> float:
    """Positions of random games judged from scratch on one core, by the clock, as `calibrate`."""
    boards = np.stack(_boards_of_random_games(5000))
    evaluator = Evaluator()
    evaluator.array(boards[:10])
    rates = []
    for _ in range(5):
        start = time.monotonic()
        evaluator.array(boards)
        rates.append(len(boards) / (time.monotonic() - start))
    return median(rates)


def _gnubg_evaluations_per_second(command: str) -> float:
    """The result of gnubg's `calibrate` with one thread."""
    said = subprocess.run(
        [command, "-t", "-q", "-r"],
        input="set threads 1\ncalibrate 5\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"Calibration result: (\d+)", said)
    if found is None:
        raise UsageError("gnubg's `calibrate` printed no result")
    return float(found.group(1))


# --- text ---------------------------------------------------------------------------------------


def _ids_per_second() -> float:
    """Position IDs and Match IDs written and read again, each counted twice."""
    positions = [Position.from_array(board) for board in _boards_of_random_games(1000)]
    matches = [MatchState(length=n, score=(n // 2, n // 3), dice=(5, 2)) for n in range(1, 65)]

    def work() -> int:
        for position in positions:
            ids.read_position_id(ids.position_id(position))
        for match in matches:
            ids.read_match_id(ids.match_id(match))
        return 2 * (len(positions) + len(matches))

    return per_second(work)


def _decide_per_second() -> float:
    """Rolls that `sixprime decide` answers at 0-ply, from text to text, with all plays."""
    draw = random.Random(2)
    lines = [
        json.dumps(
            {
                "id": place,
                "position": position_id(Position.from_array(board)),
                "match": None,
                "dice": [draw.randint(1, 6), draw.randint(1, 6)],
            }
        )
        for place, board in enumerate(_boards_of_random_games(1000))
    ]
    requests = "\n".join(lines).encode()
    engine = Engine("expert")

    def work() -> int:
        answer_all(io.BytesIO(requests), io.StringIO(), engine)
        return len(lines)

    return per_second(work)


# --- decisions ---------------------------------------------------------------------------------

DEPTHS = (0, 1, 2)
DECISIONS = 200

# Times whole decisions inside gnubg, whose cache is emptied between depths.
_TIMED = """
import time
for plies in asked["depths"]:
    gnubg.command("clear cache")
    plays, cubes = [], []
    for board, (first, second), cube in asked["decisions"]:
        gnubg.command("set dice %d %d" % (first, second))
        board, cube, context = tuple(map(tuple, board)), cube_of(cube), look(plies)
        start = time.process_time()
        gnubg.findbestmove(board, cube, context)
        plays.append(1000 * (time.process_time() - start))
    gnubg.command("clear cache")
    for board, _, cube in asked["decisions"]:
        board, cube, context = tuple(map(tuple, board)), cube_of(cube), look(plies)
        start = time.process_time()
        gnubg.cfevaluate(board, cube, context)
        cubes.append(1000 * (time.process_time() - start))
    answer.append((plays, cubes))
"""


def _mixed_decisions() -> list[tuple[Position, Dice]]:
    """Draw decisions of the benchmark: contact, races and bearoffs from our own play."""
    found = decisions.load_benchmark()
    which = random.Random(3).sample(range(len(found.boards)), DECISIONS)
    return [
        (Position.from_array(found.boards[i]), (int(found.dice[i][0]), int(found.dice[i][1])))
        for i in which
    ]


def _decision_ms() -> Figure:
    """Milliseconds of one core for a play, and for a cube decision, cubeful, median of 200.

    Pruned, with the filter `normal`, as gnubg's world class looks.
    """
    brain, asked = load_brain(), _mixed_decisions()
    figures: dict[str, float] = {}
    for plies in DEPTHS:
        look = Evaluation(plies)
        engine = Engine(Level(f"{plies}-ply", look, look), brain=brain)
        plays, cubes = [], []
        for position, dice in asked[:1] + asked:  # the first twice, as kernels compile
            plays.append(1000 * cpu_s_of(partial(engine.move, position, dice=dice)))
            cubes.append(1000 * cpu_s_of(partial(engine.cube, position)))
        figures |= _medians(plies, plays[1:], cubes[1:])
    return figures


def _gnubg_decision_ms(command: str) -> Figure:
    """The same for gnubg, timed inside gnubg."""
    money = asdict(MatchState())
    asked = [
        ((position.theirs, position.mine), dice, money) for position, dice in _mixed_decisions()
    ]
    found = run_inside(_TIMED, {"depths": DEPTHS, "decisions": asked}, command=command)
    figures: dict[str, float] = {}
    for plies, (plays, cubes) in zip(DEPTHS, found, strict=True):
        figures |= _medians(plies, plays, cubes)
    return figures


def _medians(plies: int, plays: list[float], cubes: list[float]) -> dict[str, float]:
    return {f"play {plies}-ply": median(plays), f"cube {plies}-ply": median(cubes)}


ROLLER_S = 1.0
ROLLER_DECISIONS = 100  # plays and cubes in turns


def _roller() -> Figure:
    """Seconds of the level `roller` with a limit of ROLLER_S, and the share of them within it."""
    engine = Engine(replace(preset("roller"), seconds=ROLLER_S))
    took, rolled = [], []
    for place, (position, dice) in enumerate(_mixed_decisions()[: ROLLER_DECISIONS + 2]):
        start = time.monotonic()
        if place % 2:
            rolled.append(bool(engine.cube(position).seen.rolled))
        else:
            rolled.append(engine.move(position, dice=dice).best.rolled is not None)
        took.append(time.monotonic() - start)
    took = took[2:]  # the first two compile kernels
    within = sum(seconds <= ROLLER_S for seconds in took) / len(took)
    shares = {"within": within, "rolled_out": sum(rolled[2:]) / len(took)}
    return {**shares, "median_s": median(took), "most_s": max(took)}


# --- rollouts -----------------------------------------------------------------------------------

ROLLED = {"start": "4HPwATDgc/ABMA", "contact": "sLeDARhwb4MBBg", "race": "3O5mAADc3ZkAAA"}
TRIALS = 648
PRECISION = 0.005  # points of equity


def _rollout_s() -> Figure:
    """Seconds until a rollout's standard error is PRECISION: cubeless, to the end, at 0-ply."""
    brain = load_brain()
    seconds = {}
    for name, text in ROLLED.items():
        position = read_position_id(text)
        for trials in (CHUNK, TRIALS):  # the first are to warm up
            settings = RolloutSettings(trials=trials, cubeful=False, databases=False)
            start = time.process_time()
            (rolled,) = of_position(position, MatchState(), settings).run(brain)
            seconds[name] = (time.process_time() - start) * (rolled.error / PRECISION) ** 2
    return seconds


def _gnubg_rollout_s(command: str) -> Figure:
    seconds = {}
    for name, text in ROLLED.items():
        before = children_s()
        error = printed_error(printed_rollout(text, TRIALS, plies=0, command=command))
        seconds[name] = (children_s() - before) * (error / PRECISION) ** 2
    return seconds


# --- bearoff databases ------------------------------------------------------------------------


def _databases() -> dict[str, tuple[OneSided | TwoSided, list[str]]]:
    """The databases to build, and makebearoff's options for the same."""
    return {
        "one-sided 6": (OneSided(6), ["-o", "6"]),
        "one-sided 8": (OneSided(8), ["-o", "8"]),
        "two-sided 6x6": (TwoSided(6, 6), ["-t", "6x6"]),
    }


def _bearoff_s() -> Figure:
    """Median seconds, of three runs, to build and write each database with compiled kernels."""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "database.bd"
        for warm in (OneSided(1), TwoSided(6, 1)):
            write_database(warm, file)
        for name, (kind, _) in _databases().items():
            write_it = partial(write_database, kind, file)
            seconds[name] = median(cpu_s_of(write_it) for _ in range(3))
    return seconds


def _gnubg_bearoff_s(command: str) -> Figure:
    """Seconds that makebearoff, built with this gnubg, takes for each of them, once."""
    maker = Path(command).with_name("makebearoff")
    if not maker.exists():
        raise UsageError(f"--peer gnubg needs {maker}, which comes with gnubg")
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, options) in _databases().items():
            words = [str(maker), *options, "-f", str(Path(folder) / "database.bd")]
            seconds[name] = cost_of_command(words).cpu_s
    return seconds


# --- the sandbox --------------------------------------------------------------------------------


def _sandbox() -> Figure:
    """The sandbox's CPU and memory while 200 clients play 100 matches at once."""
    return asyncio.run(measure())


MEASUREMENTS: tuple[Measurement, ...] = (
    Measurement("positions_generated_per_second", _positions_generated_per_second),
    Measurement("evaluations_per_second", _evaluations_per_second, _gnubg_evaluations_per_second),
    Measurement("ids_per_second", _ids_per_second),
    Measurement("decide_per_second", _decide_per_second),
    Measurement("decision_ms", _decision_ms, _gnubg_decision_ms, more_is_better=False),
    Measurement("roller", _roller),
    Measurement("rollout_s", _rollout_s, _gnubg_rollout_s, more_is_better=False),
    Measurement("bearoff_s", _bearoff_s, _gnubg_bearoff_s, more_is_better=False),
    Measurement("sandbox", _sandbox),
)
