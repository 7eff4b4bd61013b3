"""`sixprime train`: the stages that nets go through, each alone or all of a recipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.declaring import file, number
from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.process.printable import counted

if TYPE_CHECKING:
    from sixprime.engine.lab.training.recipe import Task
    from sixprime.engine.nets.weights import Nets

REPORT_EVERY_S = 5.0
NETS = ("contact", "race", "pruner")
CHECKPOINT = "checkpoint.pt"  # of sixprime.engine.lab.training.learners
SHOWN = {  # of a stage: what shows its progress, and the x and y columns of its curve
    "selfplay": ("chunk", "games", ("contact_loss", "race_loss")),
    "refine": ("seconds", "positions", NETS),
    "polish": ("part", "part", NETS),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    nothing = {"start": None, "teacher": None, "race": None, "refinement": None}
    parser.set_defaults(
        **nothing, only=(), device="cpu", threads=1
    )  # for stages without these options
    parser.epilog = (
        "examples:\n"
        "  sixprime train selfplay config/training/selfplay.yaml --out runs/selfplay\n"
        "  sixprime train refine config/training/refine.yaml --teacher runs/selfplay "
        "--out runs/refine\n"
        "A stopped run resumes from its checkpoint when it is started again.\n"
        "Training needs the extra `train`: pip install 'sixprime[train]'"
    )
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    selfplay = stages.add_parser("selfplay", help="a net learns from its own games")
    refine = stages.add_parser("refine", help="a wide net learns from exact look-ahead")
    polish = stages.add_parser("polish", help="learn a refinement's positions with a falling rate")
    correct = stages.add_parser(
        "correct", help="corrects gathered targets by the results of self-play games"
    )
    average = stages.add_parser(
        "average", help="the mean of nets that learned from the same start, weight by weight"
    )
    recipe = stages.add_parser(
        "recipe",
        help="all the stages that nets go through, from nothing to those that ship",
        epilog="example: sixprime train recipe config/training/recipe.yaml --out runs/x\n"
        "Stopped, it resumes when it is started again.",
    )
    plot = stages.add_parser(
        "plot",
        help="draws columns of a curve, or of the history of the nets",
        epilog="example: sixprime train plot docs/history/nets.csv --x hours "
        "--y points_a_game points_a_game_200k --out docs/history/nets.svg",
    )
    smoke = stages.add_parser("smoke", help="shows in two minutes that training learns")

    refine.add_argument("--teacher", type=Path, help="folder of the self-play run to begin with")
    for stage in (polish, correct):
        stage.add_argument("refinement", type=Path, metavar="RUN", help="folder of a refinement")
    for stage in (selfplay, refine, polish):
        stage.add_argument("run_file", type=Path, metavar="RUN.yaml", help="see config/training")
    fresh = "start from these nets (narrower ones are widened), not from nothing"
    for stage, text in (
        (selfplay, fresh), (refine, fresh), (polish, "these nets, not the refinement's own"),
        (correct, "default: the nets that ship"),
    ):  # fmt: skip
        file(stage, "--start", text, metavar="BRAIN.npz")
    file(polish, "--race", "take its race net as it is", metavar="BRAIN.npz")
    polish.add_argument(
        "--only", choices=NETS, action="append", default=[], help="only this net learns"
    )
    number(correct, "--games", 120_000, "default 120000", least=1)
    number(correct, "--seed", 1, "of the dice; default 1", None)
    average.add_argument("brains", type=Path, nargs="+", metavar="BRAIN.npz")
    recipe.add_argument("recipe", type=Path, metavar="RECIPE.yaml", help="see config/training")
    plot.add_argument("table", type=Path, metavar="FILE.csv")
    plot.add_argument("--x", required=True, metavar="COLUMN")
    plot.add_argument("--y", required=True, nargs="+", metavar="COLUMN")
    plot.add_argument("--out", type=Path, required=True, metavar="PICTURE", help=".png or .svg")
    smoke.add_argument("--out", type=Path, default=Path("runs/smoke"), help="folder of the run")
    for stage, what in (
        (selfplay, "of the run"), (refine, "of the run"), (polish, "for the weights"),
        (correct, "for the corrected positions"), (average, "for the weights"),
        (recipe, "with a folder a stage"),
    ):  # fmt: skip
        stage.add_argument("--out", type=Path, required=True, help=f"folder {what}")
    for stage in (selfplay, refine, recipe, smoke):
        stage.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    for stage in (polish, correct, recipe):
        stage.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")


def run(options: argparse.Namespace) -> int:
    if find_spec("torch") is None:
        raise UsageError("training needs torch: pip install 'sixprime[train]'")
    from sixprime.engine.lab.training.average import OtherShapes
    from sixprime.engine.lab.training.polish import NothingGathered
    from sixprime.engine.lab.training.runs import BadRun
    from sixprime.engine.nets.weights import BadWeights

    stages = {
        "correct": _correct,
        "average": _average,
        "recipe": _recipe,
        "plot": _plot,
        "smoke": _smoke,
    }
    with refusing(BadRun, BadWeights, NothingGathered, OtherShapes):
        return stages.get(options.stage, _stage)(options)


def _stage(options: argparse.Namespace) -> int:
    """One of the stages that learn, alone."""
    from sixprime.engine.lab.training.recipe import KINDS
    from sixprime.engine.lab.training.runs import load

    kind, _, _, do = KINDS[options.stage]
    task = _task(options, load(options.run_file, kind))
    position, x, columns = SHOWN[options.stage]
    if options.stage == "polish":
        columns = task.learning()
    elif options.stage == "refine":
        position = "positions" if task.settings.positions > 0 else position
        columns = ("race",) if task.settings.gathering.races else columns
    _learn(do, task, position, x, columns)
    return 0


def _correct(options: argparse.Namespace) -> int:
    """Play games, compare results with the net's chances, and correct the targets accordingly."""
    from shutil import copyfile

    from sixprime.engine.lab.training.recipe import Results, correct

    task = _task(options, Results(options.games, options.seed))
    if options.out.resolve() == options.refinement.resolve():
        raise UsageError("--out is another folder than RUN, which stays as it is")

    def report(row: Mapping[str, Any]) -> None:
        print(f"{row['games']:,} of {counted(options.games, 'game')}", file=sys.stderr, flush=True)

    correct(replace(task, report=report))
    copyfile(options.refinement / CHECKPOINT, options.out / CHECKPOINT)  # `polish` reads it
    print(f"{len(task.shards())} shards corrected: {options.out}")
    return 0


def _task(options: argparse.Namespace, settings: Any) -> Task:
    from sixprime.engine.lab.training import model
    from sixprime.engine.lab.training.recipe import Task
    from sixprime.engine.lab.training.train import Trainer
    from sixprime.engine.nets.weights import Nets, load_nets, shipped

    for folder, kind in ((options.teacher, "self-play run"), (options.refinement, "refinement")):
        if folder is not None and not (folder / CHECKPOINT).exists():
            raise UsageError(f"{folder}: no checkpoint of a {kind}")
    if options.stage == "refine" and (options.teacher is None) == (options.start is None):
        raise UsageError("refine begins either with --teacher RUN or with --start BRAIN.npz")
    start = None
    if options.start is not None or options.stage == "correct":
        start = load_nets(options.start or shipped())
    elif options.stage == "polish":
        learners = model.restored(str(options.refinement / CHECKPOINT))
        start = Nets(**{name: learner.net(True) for name, learner in learners.items()})
    return Task(
        settings, options.out, start,
        teacher=options.teacher and Trainer.saved(options.teacher).nets(),
        race=options.race and load_nets(options.race),
        positions=(("", options.refinement),) if options.refinement else (),
        only=tuple(options.only), device=options.device, threads=options.threads,
    )  # fmt: skip


def _average(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.average import average
    from sixprime.engine.nets.weights import digest, load_nets, save_brain

    nets = average([load_nets(path) for path in options.brains])
    provenance = {"mean of": [digest(path) for path in options.brains]}
    print(f"weights: {save_brain(options.out, nets, provenance)}")
    return 0


def _recipe(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training import recipe

    stages = recipe.load(options.recipe)
    reporter = Reporter(REPORT_EVERY_S)

    def begin(stage: recipe.RecipeStage, done: bool) -> None:
        place = f"stage {stages.index(stage) + 1} of {len(stages)}"
        how = "is done" if done else f"{stage.do} {recipe.length(stage.settings)}".rstrip()
        print(f"{place}, {stage.name}: {how}", file=sys.stderr, flush=True)

    def report(stage: recipe.RecipeStage, row: Mapping[str, Any]) -> None:
        reporter.say(lambda: f"{stage.name}, {recipe.length(stage.settings)}: {_facts(row)}")

    kitchen = recipe.Kitchen(options.out, options.device, options.threads, begin, report)
    print(f"weights: {recipe.carry_out(stages, kitchen)}")
    return 0


def _plot(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.runs import plot

    plot(options.table, options.x, options.y, options.out)
    return 0


def _smoke(options: argparse.Namespace) -> int:
    """A short run from scratch; then the net plays its untrained self and a random player."""
    from sixprime.engine.lab.measuring import contestants, games
    from sixprime.engine.lab.training.recipe import Task, selfplay
    from sixprime.engine.lab.training.runs import load
    from sixprime.engine.lab.training.train import Run, Trainer
    from sixprime.engine.nets.weights import brain_of

    settings = load(Path("config/training/smoke.yaml"), Run)
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


def _learn(
    do: Callable[[Task], Nets | None], task: Task, position: str, x: str, columns: tuple[str, ...]
) -> Nets:
    """Run one stage; save its weights and its curve, `columns` of it drawn over `x`.

    Progress is reported every few seconds, `position` of it first.
    """
    from sixprime.engine.lab.training.recipe import length
    from sixprime.engine.lab.training.runs import LearningCurve, described
    from sixprime.engine.nets.weights import save_brain

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
