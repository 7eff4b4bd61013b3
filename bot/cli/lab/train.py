"""`sixprime train`: the stages that nets go through, each alone or all of a recipe."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.lab.reporting import Reporter
from sixprime.bot.cli.main import UsageError

if TYPE_CHECKING:
    from sixprime.engine.lab.training.runs import LearningCurve
    from sixprime.engine.nets.weights import Nets

REPORT_EVERY_S = 5.0
NETS = ("contact", "race", "pruner")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the stages and their options."""
    parser.epilog = (
        "example: sixprime train selfplay config/training/selfplay.yaml --out runs/selfplay\n"
        "then:    sixprime train refine config/training/refine.yaml "
        "--teacher runs/selfplay --out runs/refine\n"
        "A run that was stopped goes on from its checkpoint when it is started again.\n"
        "Training needs the extra `train`: pip install 'sixprime[train]'"
    )
    stages = parser.add_subparsers(dest="stage", required=True, metavar="STAGE")
    selfplay = stages.add_parser("selfplay", help="a net learns from its own games")
    refine = stages.add_parser("refine", help="a wide net learns from exact look-ahead")
    refine.add_argument("--teacher", type=Path, help="folder of the self-play run to begin with")
    for stage in (selfplay, refine):
        stage.add_argument(
            "--start",
            type=Path,
            metavar="BRAIN.npz",
            help="go on from these nets (narrower ones are widened), not from nothing",
        )
        stage.add_argument("run_file", type=Path, metavar="RUN.yaml", help="see config/training")
        stage.add_argument("--out", type=Path, required=True, help="folder of the run")
        stage.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    polish = stages.add_parser("polish", help="learn a refinement's positions with a falling rate")
    polish.add_argument("refinement", type=Path, metavar="RUN", help="folder of a refinement")
    polish.add_argument("run_file", type=Path, metavar="RUN.yaml", help="see config/training")
    polish.add_argument(
        "--start", type=Path, metavar="BRAIN.npz", help="these nets, not the refinement's own"
    )
    polish.add_argument("--race", type=Path, metavar="BRAIN.npz", help="take its race net as it is")
    polish.add_argument("--only", choices=NETS, action="append", help="only this net learns")
    polish.add_argument("--out", type=Path, required=True, help="folder for the weights")
    polish.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    correct = stages.add_parser(
        "correct", help="corrects gathered targets by the results of self-play games"
    )
    correct.add_argument("refinement", type=Path, metavar="RUN", help="folder of a refinement")
    correct.add_argument(
        "--start", type=Path, metavar="BRAIN.npz", help="default: the nets that ship"
    )
    correct.add_argument("--games", type=int, default=120_000, metavar="N", help="default 120000")
    correct.add_argument("--seed", type=int, default=1, help="of the dice; default 1")
    correct.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    correct.add_argument(
        "--out", type=Path, required=True, help="folder for the corrected positions"
    )
    average = stages.add_parser(
        "average", help="the mean of nets that learned from the same start, weight by weight"
    )
    average.add_argument("brains", type=Path, nargs="+", metavar="BRAIN.npz")
    average.add_argument("--out", type=Path, required=True, help="folder for the weights")
    recipe = stages.add_parser(
        "recipe",
        help="all the stages that nets go through, from nothing to those that ship",
        epilog="example: sixprime train recipe config/training/recipe.yaml --out runs/x\n"
        "Stopped, it goes on where it was when it is started again.",
    )
    recipe.add_argument("recipe", type=Path, metavar="RECIPE.yaml", help="see config/training")
    recipe.add_argument("--out", type=Path, required=True, help="folder with a folder a stage")
    recipe.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    recipe.add_argument("--threads", type=int, default=1, metavar="N", help="default 1")
    plot = stages.add_parser(
        "plot",
        help="draws columns of a curve, or of the history of the nets",
        epilog="example: sixprime train plot docs/history/nets.csv --x hours "
        "--y points_a_game points_a_game_200k --out docs/history/nets.svg",
    )
    plot.add_argument("table", type=Path, metavar="FILE.csv")
    plot.add_argument("--x", required=True, metavar="COLUMN")
    plot.add_argument("--y", required=True, nargs="+", metavar="COLUMN")
    plot.add_argument("--out", type=Path, required=True, metavar="PICTURE", help=".png or .svg")
    smoke = stages.add_parser("smoke", help="two minutes that show that it learns")
    smoke.add_argument("--out", type=Path, default=Path("runs/smoke"), help="folder of the run")
    smoke.add_argument("--device", default="cpu", help="cpu (default) or cuda")


def run(options: argparse.Namespace) -> int:
    """Run the chosen stage."""
    if find_spec("torch") is None:
        raise UsageError("training needs torch: pip install 'sixprime[train]'")
    from sixprime.engine.lab.training.runs import BadRun

    stages = {
        "selfplay": _selfplay,
        "refine": _refine,
        "polish": _polish,
        "correct": _correct,
        "average": _average,
        "recipe": _recipe,
        "plot": _plot,
        "smoke": _smoke,
    }
    stage = stages[options.stage]
    try:
        return stage(options)
    except BadRun as error:
        raise UsageError(str(error)) from error


def _selfplay(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.runs import LearningCurve, load
    from sixprime.engine.lab.training.train import Run, Trainer
    from sixprime.engine.nets.weights import BadWeights, load_nets

    settings = load(options.run_file, Run)
    try:
        start = None if options.start is None else load_nets(options.start)
        trainer = Trainer(settings, options.out, options.device, start)
    except (BadWeights, RuntimeError) as error:  # torch's complaint about other shapes
        raise UsageError(str(error).splitlines()[0]) from error
    curve = LearningCurve(options.out)
    trainer.train(_rows(curve, f"of {settings.chunks} chunks", "chunk"))
    _finish(curve, "games", ("contact_loss", "race_loss"), trainer.nets(), settings, options.out)
    return 0


def _refine(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.refine import Refinement, Refiner
    from sixprime.engine.lab.training.runs import LearningCurve, load
    from sixprime.engine.lab.training.train import Trainer
    from sixprime.engine.nets.weights import BadWeights, brain_of, load_nets

    if (options.teacher is None) == (options.start is None):
        raise UsageError("refine begins either with --teacher RUN or with --start BRAIN.npz")
    settings = load(options.run_file, Refinement)
    start = None
    try:
        if options.start is not None:
            start = load_nets(options.start)
            teacher = brain_of(start)
        elif (options.teacher / "checkpoint.pt").exists():
            teacher = brain_of(Trainer.saved(options.teacher).nets())
        else:
            raise UsageError(f"{options.teacher}: no checkpoint of a self-play run")
        refiner = Refiner(settings, options.out, teacher, options.device, start)
    except (BadWeights, RuntimeError) as error:  # torch's complaint about other shapes
        raise UsageError(str(error).splitlines()[0]) from error
    curve = LearningCurve(options.out)
    refiner.refine(_rows(curve, f"of {settings.seconds:.0f} s", "seconds"))
    nets = refiner.nets()
    shown = ("race",) if settings.gathering.races else NETS
    _finish(curve, "positions", shown, nets, settings, options.out)
    return 0


def _polish(options: argparse.Namespace) -> int:
    """Polish: the refinement's nets (or others) learn its newest positions in full passes."""
    from sixprime.engine.lab.training import model
    from sixprime.engine.lab.training.polish import PARTS, NothingGathered, Polish, polish
    from sixprime.engine.lab.training.runs import LearningCurve, load
    from sixprime.engine.nets.weights import BadWeights, Nets, load_nets

    if not (options.refinement / "checkpoint.pt").exists():
        raise UsageError(f"{options.refinement}: no checkpoint of a refinement")
    settings = load(options.run_file, Polish)
    options.out.mkdir(parents=True, exist_ok=True)
    learners = model.restored(str(options.refinement / "checkpoint.pt"))
    model.threads(options.threads)
    try:
        own = Nets(**{name: learner.net(True) for name, learner in learners.items()})
        nets = own if options.start is None else load_nets(options.start)
        names = tuple(options.only or NETS)
        if options.race is not None:
            nets = nets._replace(race=load_nets(options.race).race)
            names = tuple(name for name in names if name != "race")
        shapes = {name: learner.shape for name, learner in learners.items()}
        curve = LearningCurve(options.out)
        report = _rows(curve, f"of {settings.passes * PARTS} parts", "part")
        shards = list(options.refinement.glob("shard-*.npz"))
        nets = polish(nets, shapes, shards, settings, names, report)
    except (BadWeights, NothingGathered) as error:
        raise UsageError(str(error)) from error
    _finish(curve, "part", names, nets, settings, options.out)
    return 0


def _correct(options: argparse.Namespace) -> int:
    """Play games, compare results with the net's chances, and correct the targets accordingly."""
    from shutil import copyfile

    from sixprime.engine.lab.training import model, results
    from sixprime.engine.nets.weights import BadWeights, load_brain

    checkpoint = options.refinement / "checkpoint.pt"
    if not checkpoint.exists():
        raise UsageError(f"{options.refinement}: no checkpoint of a refinement")
    if options.out.resolve() == options.refinement.resolve():
        raise UsageError("--out is another folder than RUN, which stays as it is")
    if options.games < 1 or options.seed < 0:
        raise UsageError("--games is at least 1, --seed not negative")
    model.threads(options.threads)
    try:
        brain = load_brain(options.start)
    except BadWeights as error:
        raise UsageError(str(error)) from error

    def report(done: int, games: int) -> None:
        print(f"{done:,} of {games:,} games", file=sys.stderr, flush=True)

    said, ended = results.played(brain, options.games, options.seed, report)
    correction = model.fit(said, ended, options.seed)
    shards = results.correct_folder(correction, options.refinement, options.out)
    copyfile(checkpoint, options.out / checkpoint.name)  # `polish` looks for shapes there
    print(f"{shards} shards corrected by {len(said):,} positions: {options.out}")
    return 0


def _average(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.average import OtherShapes, average
    from sixprime.engine.nets.weights import BadWeights, digest, load_nets, save_brain

    try:
        nets = average([load_nets(path) for path in options.brains])
        provenance = {"mean of": [digest(path) for path in options.brains]}
    except (BadWeights, OtherShapes) as error:
        raise UsageError(str(error)) from error
    print(f"weights: {save_brain(options.out, nets, provenance)}")
    return 0


def _recipe(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training import recipe
    from sixprime.engine.lab.training.polish import NothingGathered
    from sixprime.engine.nets.weights import BadWeights

    stages = recipe.load(options.recipe)
    reporter = Reporter(REPORT_EVERY_S)

    def begin(stage: recipe.RecipeStage, done: bool) -> None:
        place = f"stage {stages.index(stage) + 1} of {len(stages)}"
        how = "is done" if done else f"{stage.do} {recipe.length(stage)}".rstrip()
        print(f"{place}, {stage.name}: {how}", file=sys.stderr, flush=True)

    def report(stage: recipe.RecipeStage, row: Mapping[str, Any]) -> None:
        reporter.say(lambda: f"{stage.name}, {recipe.length(stage)}: {_facts(row)}")

    kitchen = recipe.Kitchen(options.out, options.device, options.threads, begin, report)
    try:
        path = recipe.carry_out(stages, kitchen)
    except (BadWeights, NothingGathered) as error:
        raise UsageError(str(error)) from error
    print(f"weights: {path}")
    return 0


def _plot(options: argparse.Namespace) -> int:
    from sixprime.engine.lab.training.runs import plot

    plot(options.table, options.x, options.y, options.out)
    return 0


def _smoke(options: argparse.Namespace) -> int:
    """A short run from scratch; then the net plays its untrained self and a random player."""
    from sixprime.engine.lab.measuring import games, peers
    from sixprime.engine.lab.training.runs import LearningCurve, load
    from sixprime.engine.lab.training.train import Run, Trainer
    from sixprime.engine.nets.weights import brain_of

    settings = load(Path("config/training/smoke.yaml"), Run)
    untrained = brain_of(Trainer(settings, options.out / "untrained", options.device).nets())
    trainer = Trainer(settings, options.out, options.device)
    curve = LearningCurve(options.out)
    trainer.train(_rows(curve, f"of {settings.chunks} chunks", "chunk"))
    nets = trainer.nets()
    _finish(curve, "games", ("contact_loss", "race_loss"), nets, settings, options.out)
    learned = True
    others: dict[str, peers.Contestant] = {
        "untrained net": peers.OurPlayer(untrained),
        "random": peers.RandomPlayer(),
    }
    for name, other in others.items():
        score = games.play(peers.OurPlayer(brain_of(nets)), other, games=2000, seed=1)
        print(f"against {name}: {score.mean:+.3f} ± {score.half_width:.3f} points a game")
        learned &= score.mean - score.half_width > 0
    return 0 if learned else 1


def _rows(curve: LearningCurve, end: str, position: str) -> Callable[[dict[str, Any]], None]:
    """Saves the curve, and prints progress every few seconds."""
    reporter = Reporter(REPORT_EVERY_S)

    def row(facts: dict[str, Any]) -> None:
        curve.add(facts)
        others = {name: value for name, value in facts.items() if name != position}
        reporter.say(lambda: f"{facts[position]} {end}: {_facts(others)}")

    return row


def _facts(row: Mapping[str, Any]) -> str:
    facts = "  ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value:,}"
        for name, value in row.items()
        if value is not None
    )
    if "games" in row and "seconds" in row:
        facts += f"  {row['games'] / max(row['seconds'], 1e-9):.0f} games/s"
    return facts


def _finish(
    curve: LearningCurve, x: str, columns: tuple[str, ...], nets: Nets, settings: object, out: Path
) -> None:
    from sixprime.engine.lab.training.runs import described
    from sixprime.engine.nets.weights import save_brain

    provenance = {"run": described(settings), "curve": str(curve.path)}
    print(f"weights: {save_brain(out, nets, provenance)}")
    print(f"curve: {curve.path}, {curve.draw(x, columns)}")
