"""`sixprime train`: the stages that nets go through, each alone or all of a recipe."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np

from sixprime.bot.analysis.matches import examined
from sixprime.bot.cli.lab.reporting import Reporter, today
from sixprime.bot.cli.line.errors import Skipped, UsageError, refusing
from sixprime.bot.cli.line.lab import NETS
from sixprime.bot.cli.matchfiles import matches_in
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.printable import counted, duration
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.phases import phase_of
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import contestants, games
from sixprime.engine.lab.people import fitting
from sixprime.engine.lab.people.cubes import Habit, fit_cube, habits_of
from sixprime.engine.lab.people.gathering import (
    HumanMatch,
    MadePlay,
    PlayerTotal,
    gathered,
    is_unseen,
    parts_of,
)
from sixprime.engine.lab.people.judging import calibrated, likeness, prs_of_players
from sixprime.engine.lab.training import model, recipe
from sixprime.engine.lab.training.learners import average
from sixprime.engine.lab.training.recipe import KINDS, Results, Task, correct, length, selfplay
from sixprime.engine.lab.training.runs import LearningCurve, described, load_run, plot
from sixprime.engine.lab.training.train import Run, Trainer
from sixprime.engine.nets.weights import (
    BadWeights,
    Nets,
    brain_of,
    digest,
    load_nets,
    save_brain,
    shipped,
    version_of,
)
from sixprime.engine.people.choosing import save_people
from sixprime.engine.people.cube import MODEL
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.wholefiles import write_json
from sixprime.protocols.formats.record import Match

REPORT_EVERY_S = 5.0
CHECKPOINT = "checkpoint.pt"  # of sixprime.engine.lab.training.learners
SHOWN = {  # of a stage: the column that shows its progress, and the x and y columns of its curve
    "selfplay": ("chunk", "games", ("contact_loss", "race_loss")),
    "refine": ("seconds", "positions", NETS),
    "polish": ("part", "part", NETS),
}


_refusing_bad_runs = refusing(LabError, BadWeights, ConfigError)
_DEFAULTS: dict[str, Any] = {  # of options that a stage lacks
    "start": None, "teacher": None, "race": None, "refinement": None,
    "only": (), "device": "cpu", "threads": 1,
}  # fmt: skip


@_refusing_bad_runs
def train_stage(options: Namespace) -> int:
    """Run one of the stages that learn, alone."""
    kind, _, _, do = KINDS[options.words[-1]]
    task = _task(options, load_run(options.run_file, kind))
    position, x, columns = SHOWN[options.words[-1]]
    if options.words[-1] == "polish":
        columns = task.learning()
    elif options.words[-1] == "refine":
        position = "positions" if task.settings.positions > 0 else position
        columns = ("race",) if task.settings.gathering.races else columns
    _learn(do, task, position, x, columns)
    return 0


@_refusing_bad_runs
def correct_targets(options: Namespace) -> int:
    """Play games, compare their results with the chances that nets gave, and correct targets."""
    task = _task(options, Results(options.games, options.seed))
    if options.out.resolve() == options.refinement.resolve():
        raise UsageError("--out must be another folder than RUN, which stays as it is")

    def report(row: Mapping[str, Any]) -> None:
        print(f"{row['games']:,} of {counted(options.games, 'game')}", file=sys.stderr, flush=True)

    correct(replace(task, report=report))
    copyfile(options.refinement / CHECKPOINT, options.out / CHECKPOINT)  # `polish` reads it
    print(f"{len(task.shards())} shards corrected: {options.out}")
    return 0


def _task(options: Namespace, settings: Any) -> Task:
    stage, options = options.words[-1], Namespace(**(_DEFAULTS | vars(options)))
    for folder, kind in ((options.teacher, "self-play run"), (options.refinement, "refinement")):
        if folder is not None and not (folder / CHECKPOINT).exists():
            raise UsageError(f"{folder}: no checkpoint of a {kind}")
    if stage == "refine" and (options.teacher is None) == (options.start is None):
        raise UsageError("refine begins either with --teacher RUN or with --start BRAIN.npz")
    start = None
    if options.start is not None or stage == "correct":
        start = load_nets(options.start or shipped())
    elif stage == "polish":
        learners = model.restored(str(options.refinement / CHECKPOINT))
        start = Nets(**{name: learner.net(True) for name, learner in learners.items()})
    return Task(
        settings, options.out, start,
        teacher=options.teacher and Trainer.saved(options.teacher).nets(),
        race=options.race and load_nets(options.race),
        positions=(("", options.refinement),) if options.refinement else (),
        only=tuple(options.only), device=options.device, threads=options.threads,
    )  # fmt: skip


@_refusing_bad_runs
def average_nets(options: Namespace) -> int:
    nets = average([load_nets(path) for path in options.brains])
    provenance = {"mean of": [digest(path) for path in options.brains]}
    print(f"weights: {save_brain(options.out, nets, provenance)}")
    return 0


@_refusing_bad_runs
def run_recipe(options: Namespace) -> int:
    stages = recipe.load_recipe(options.recipe)
    reporter = Reporter(REPORT_EVERY_S)

    def begin(stage: recipe.RecipeStage, done: bool) -> None:
        place = f"stage {stages.index(stage) + 1} of {len(stages)}"
        how = "is done" if done else f"{stage.do} {recipe.length(stage.settings)}".rstrip()
        print(f"{place}, {stage.name}: {how}", file=sys.stderr, flush=True)

    def report(stage: recipe.RecipeStage, row: Mapping[str, Any]) -> None:
        reporter.say(lambda: f"{stage.name}, {recipe.length(stage.settings)}: {_facts(row)}")

    run = recipe.RecipeRun(options.out, options.device, options.threads, begin, report)
    print(f"weights: {recipe.carry_out(stages, run)}")
    return 0


@_refusing_bad_runs
def plot_columns(options: Namespace) -> int:
    plot(options.table, options.x, options.y, options.out)
    return 0


@_refusing_bad_runs
def train_briefly(options: Namespace) -> int:
    """Train shortly from scratch; then play the untrained net and a random player."""
    settings = load_run(
        Path(str(resources.files("sixprime"))) / "config" / "training" / "smoke.yaml", Run
    )
    untrained = brain_of(Trainer(settings, options.out / "untrained", options.device).nets())
    task = Task(settings, options.out, device=options.device)
    nets = _learn(selfplay, task, *SHOWN["selfplay"])
    learned = True
    others: dict[str, contestants.Contestant] = {
        "untrained net": contestants.OurPlayer(untrained),
        "random": contestants.RandomPlayer(),
    }
    for name, other in others.items():
        score = games.play(contestants.OurPlayer(brain_of(nets)), other, games=2000, seed=1)
        print(f"against {name}: {score.mean:+.3f} ± {score.half_width:.3f} points a game")
        learned &= score.mean - score.half_width > 0
    return 0 if learned else 1


@_refusing_bad_runs
def train_people(options: Namespace) -> int:
    """Fit the model of how people choose plays; write it, and its figures beside it."""
    skipped = Skipped("train people")
    get_ready()
    brain = shipped_brain()
    examiner = Examiner(brain, AnalysisSettings.of("expert"))
    matches = _human_matches(options.matches, examiner, skipped)
    habits: list[Habit] = []
    plays = gathered(_with_habits(matches, habits), Engine("expert", brain=brain))
    parts = parts_of(plays)
    if min(map(len, parts)) == 0:
        raise UsageError(f"{counted(len(plays.matches), 'match')}: a few dozen are needed")
    run = fitting.PeopleRun(passes=options.passes, seed=options.seed)
    reporter = Reporter(REPORT_EVERY_S)

    def report(row: fitting.FitProgress) -> None:
        reporter.say(
            lambda: (
                f"{row.steps:,} of {row.total:,} steps, {row.nats:.3f} nats a play, "
                f"{duration(row.seconds_left)} left"
            )
        )

    net = fitting.fitted(plays, parts.known, run, report)
    print("calibrating", file=sys.stderr, flush=True)
    model_of_people = calibrated(net, plays, parts, run.seed)
    save_people(options.out, model_of_people)
    prs = dict(zip(plays.players, prs_of_players(plays).tolist(), strict=True))
    cube = options.out.with_name(MODEL.name)
    np.savez_compressed(cube, **fit_cube((each.by_one_of(prs) for each in habits), run.seed))  # type: ignore[arg-type]
    card = {
        "date": today(),
        "command": f"sixprime train people MATCHES --passes {run.passes} --seed {run.seed}",
        "matches": len(plays.matches),
        "players": len(plays.players),
        "decisions": len(plays.made),
        "run": described(run),
        "brain": version_of(),
        "unseen": likeness(model_of_people, plays, parts.unseen),
    }
    write_json(options.out.with_suffix(".json"), card, indent=1)
    print(json.dumps(card["unseen"], indent=1))
    for path in (options.out, cube):
        print(f"model: {path}, {path.stat().st_size:,} bytes")
    return skipped.code


def _with_habits(matches: Iterable[HumanMatch], habits: list[Habit]) -> Iterator[HumanMatch]:
    """Yield the matches; collect the habits in matches that a fit may see."""
    for match in matches:
        if not is_unseen(match.name):
            habits += match.habits
        yield match


def _human_matches(names: list[str], examiner: Examiner, skipped: Skipped) -> Iterator[HumanMatch]:
    """Analyse the matches of files and folders, one after the other."""
    paths = [path for name in names for path in _files_in(Path(name))]
    report = Reporter(REPORT_EVERY_S).count("files analysed")
    for done, path in enumerate(paths, start=1):
        matches: list[Match] = []
        with skipped.at(str(path)):
            matches = matches_in(str(path), "train people", strict=False)
        found = []
        for number, match in enumerate(matches, start=1):
            with skipped.at(str(path)):
                found.append(_human_match(f"{path.name} {number}", match, examiner))
        yield from found
        report(done, len(paths))


def _files_in(path: Path) -> list[Path]:
    return sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]


def _human_match(name: str, match: Match, examiner: Examiner) -> HumanMatch:
    analysis = examined(match, examiner)
    plays = []
    for number, game in enumerate(analysis.games):
        for turn in game.turns:
            if turn.move is None or turn.move.chosen is None or turn.move.legal < 2:
                continue
            state = analysis.state(game, turn, rolled=True).with_(dice=turn.dice)
            made, kind = turn.position.after(turn.move.played), phase_of(turn.position, turn.action)
            plays.append(MadePlay(turn.position, state, made, number, kind))
    first, second = (
        PlayerTotal(player or f"{name} {seat}", -statistics.errors.emg, statistics.counted)
        for seat, (player, statistics) in enumerate(
            zip(analysis.players, analysis.statistics, strict=True)
        )
    )
    names = analysis.players[0] or f"{name} 0", analysis.players[1] or f"{name} 1"
    habits = habits_of(replace(analysis, players=names), dict.fromkeys(names, 0.0))
    return HumanMatch(name, (first, second), tuple(plays), tuple(habits))


def _learn(
    do: Callable[[Task], Nets | None], task: Task, position: str, x: str, columns: tuple[str, ...]
) -> Nets:
    """Run one stage; save its weights and its curve, `columns` of it drawn over `x`.

    Progress is reported every few seconds, `position` of it first.
    """
    task.folder.mkdir(parents=True, exist_ok=True)
    curve, reporter = LearningCurve(task.folder), Reporter(REPORT_EVERY_S)

    def report(row: dict[str, Any]) -> None:
        curve.add(row)
        others = {name: value for name, value in row.items() if name != position}
        reporter.say(lambda: f"{row[position]} {length(task.settings)}: {_facts(others)}")

    nets = do(replace(task, report=report))
    assert nets is not None
    provenance = {"run": described(task.settings), "curve": str(curve.path)}
    print(f"weights: {save_brain(task.folder, nets, provenance)}")
    print(f"curve: {curve.path}, {curve.draw(x, columns)}")
    return nets


def _facts(row: Mapping[str, Any]) -> str:
    facts = "  ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value:,}"
        for name, value in row.items()
        if value is not None
    )
    if "games" in row and "seconds" in row:
        facts += f"  {row['games'] / max(row['seconds'], 1e-9):.0f} games/s"
    return facts
