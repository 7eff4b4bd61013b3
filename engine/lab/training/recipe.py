"""A recipe: the stages of nets, from nothing to the nets that ship, in one file.

```yaml
stages:
  selfplay: {do: selfplay, settings: selfplay.yaml}
  wide: {do: refine, teacher: selfplay, settings: {like: refine.yaml, positions: 4_800_000}}
```

A stage takes nets (`start`, `teacher`, `race`, `nets`) and gathered positions (`positions`) from
stages before it. `settings` are a file beside the recipe, or settings, which may begin `like` a
file. Each stage has a folder of its own; `done.json` in it marks a finished stage. A stopped stage
goes on from its checkpoint and its shards, and ends with the same nets as without the stop, unless
it runs for a time instead of until so many positions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sixprime.engine.kernels.network import Net
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training import labels, learners, life, model
from sixprime.engine.lab.training import polish as polishing
from sixprime.engine.lab.training import selfplay as games
from sixprime.engine.lab.training.labels import Depth, Labelling
from sixprime.engine.lab.training.life import Life
from sixprime.engine.lab.training.polish import PARTS, Polish
from sixprime.engine.lab.training.refine import Refinement, Refiner, Shard, rewrite, shifted
from sixprime.engine.lab.training.runs import (
    LearningCurve,
    built,
    described,
    known_setting,
    read_mapping,
)
from sixprime.engine.lab.training.sides import SideRun, SideTrainer
from sixprime.engine.lab.training.train import Run, Trainer
from sixprime.engine.nets import weights
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import Nets
from sixprime.engine.system.wholefiles import write_json

DONE = "done.json"
REWRITING = ("correct", "shift", "label")  # steps that turn positions into positions, not nets


@dataclass(frozen=True, slots=True)
class Results:
    """The number of games that correct targets."""

    games: int = 120_000
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Nothing:
    """No settings."""


@dataclass(frozen=True, slots=True)
class RecipeStage:
    name: str
    do: str
    settings: Any
    start: str = ""  # the stage of its first nets
    teacher: str = ""  # the stage of the nets that judge while the learner starts from nothing
    race: str = ""  # the stage of the race net, which does not learn
    nets: tuple[str, ...] = ()  # the stages of the nets to average
    positions: tuple[str, ...] = ()  # the stages of the positions to learn; twice: double
    half: int = 0  # 1 or 2: every other shard; 0: all
    only: tuple[str, ...] = ()  # the nets that learn; none: all

    def after(self) -> list[str]:
        """Return the stages that have to be done before."""
        named = (self.start, self.teacher, self.race, *self.nets, *self.positions)
        return [name for name in dict.fromkeys(named) if name]


@dataclass(frozen=True, slots=True)
class Task:
    """The inputs of one stage."""

    settings: Any
    folder: Path
    start: Nets | None = None
    teacher: Nets | None = None
    race: Nets | None = None
    nets: tuple[Nets, ...] = ()
    positions: tuple[tuple[str, Path], ...] = ()  # runs that gathered them; by a name, if several
    half: int = 0
    only: tuple[str, ...] = ()
    device: str = "cpu"
    threads: int = 1
    report: Callable[[dict[str, Any]], None] = lambda row: None

    def shards(self) -> list[Path]:
        """Return the files to learn from."""
        paths = [path for _, folder in self.positions for path in folder.glob("shard-*.npz")]
        paths.sort(key=lambda path: (path.name, str(path)))
        return paths[self.half - 1 :: 2] if self.half else paths

    def learning(self) -> tuple[str, ...]:
        """Return the names of the nets that polishing changes."""
        names = self.only or Nets._fields
        return tuple(name for name in names if self.race is None or name != "race")


@dataclass
class RecipeRun:
    """A recipe being carried out in a folder."""

    out: Path
    device: str = "cpu"
    threads: int = 1
    on_stage: Callable[[RecipeStage, bool], None] = lambda stage, done: None
    report: Callable[[RecipeStage, Mapping[str, Any]], None] = lambda stage, row: None
    made: dict[str, Path] = field(default_factory=dict)  # weights by stage

    def task(self, stage: RecipeStage) -> Task:
        """Return the inputs of a stage, once the stages before it are done."""
        folder = self.out / stage.name
        curve = LearningCurve(folder)
        if stage.do == "polish":
            curve.path.unlink(missing_ok=True)  # it begins anew

        def report(facts: dict[str, Any]) -> None:
            if stage.do not in REWRITING:
                curve.add(facts)
            self.report(stage, facts)

        def nets(name: str) -> Nets | None:
            return weights.load_nets(self.made[name]) if name else None

        return Task(
            stage.settings, folder, nets(stage.start), nets(stage.teacher), nets(stage.race),
            tuple(weights.load_nets(self.made[name]) for name in stage.nets),
            tuple((f"-{name}", self.out / name) for name in stage.positions),
            stage.half, stage.only, self.device, self.threads, report,
        )  # fmt: skip


# --- reading a recipe


def load_recipe(path: Path) -> list[RecipeStage]:
    """Read the stages of a recipe in order; LabError names the file, the stage and the key."""
    tree = read_mapping(path)
    for name in tree:
        known_setting(name, ["stages"], str(path), "key")
    stages = tree.get("stages")
    if not isinstance(stages, dict) or not stages:
        raise LabError(f"{path}: stages: expected at least one stage by its name")
    known: dict[str, RecipeStage] = {}
    for name, given in stages.items():
        known[str(name)] = _stage(path, str(name), given, known)
    return list(known.values())


def _stage(path: Path, name: str, given: Any, before: dict[str, RecipeStage]) -> RecipeStage:
    where = f"{path}: stage {name}"
    if not isinstance(given, dict):
        raise LabError(f"{where}: expected settings, not {given!r}")
    if Path(name).name != name or name.startswith("."):
        raise LabError(f"{where}: a name that can be a folder's is needed")
    kind = given.get("do")
    if not isinstance(kind, str) or kind not in KINDS:
        known_setting(str(kind), KINDS, f"{where}: do", "step")
    settings, keys, needed, _ = KINDS[str(kind)]
    for key in given:
        known_setting(str(key), ["do", "settings", *keys], where, "key")
    for key in needed:
        if key not in given:
            raise LabError(f"{where}: {key} is missing")
    if kind == "refine" and ("start" in given) == ("teacher" in given):
        raise LabError(f"{where}: begins either with start or with teacher")
    values = {
        key: _value(f"{where}: {key}", key, given[key], before) for key in keys & given.keys()
    }
    return RecipeStage(
        name,
        str(kind),
        built(settings, _settings(path, where, given.get("settings", {})), f"{where}: settings"),
        **values,
    )


def _settings(path: Path, where: str, given: Any) -> dict[str, Any]:
    """Return the settings of a file beside the recipe, or those written in it, or both."""
    if isinstance(given, str):
        return read_mapping(path.parent / given)
    if not isinstance(given, dict):
        raise LabError(f"{where}: settings: expected a file or settings, not {given!r}")
    like = given.get("like")
    own = {key: value for key, value in given.items() if key != "like"}
    return own if like is None else read_mapping(path.parent / str(like)) | own


def _value(where: str, key: str, value: Any, before: dict[str, RecipeStage]) -> Any:
    if key == "half":
        if value not in (1, 2):
            raise LabError(f"{where}: expected 1 or 2, not {value!r}")
        return value
    many = key in ("nets", "positions", "only")
    values = value if many and isinstance(value, list) else [value]
    for each in values:
        if key == "only":
            known_setting(each, Nets._fields, where, "net")
            continue
        known_setting(each, before, where, "stage before this one")
        if before[each].do in (*REWRITING, "sides") and key != "positions":
            raise LabError(f"{where}: {each} makes no nets")
        if key == "positions" and before[each].do not in ("refine", *REWRITING):
            raise LabError(f"{where}: {each} gathers no positions")
    return tuple(values) if many else value


# --- carrying it out


def carry_out(stages: list[RecipeStage], run: RecipeRun) -> Path:
    """Carry out every stage that is not done yet; return the last weights made."""
    for stage in stages:
        folder = run.out / stage.name
        folder.mkdir(parents=True, exist_ok=True)
        card = _card(stage, run)
        mark = folder / DONE
        run.on_stage(stage, mark.exists())
        if mark.exists():
            done = json.loads(mark.read_text(encoding="utf-8"))
            if done["stage"] != card:
                raise LabError(
                    f"{folder}: made by another recipe or from other nets; "
                    "remove it to make it anew"
                )
        else:
            *_, do = KINDS[stage.do]
            nets = do(run.task(stage))
            path = None if nets is None else _saved(nets, folder, {"stage": card})
            done = {"stage": card, "weights": path and path.name}
            write_json(mark, done, indent=1)
        if done["weights"]:
            run.made[stage.name] = folder / done["weights"]
    return list(run.made.values())[-1]


def _saved(nets: Nets | Net, folder: Path, card: dict[str, Any]) -> Path:
    if isinstance(nets, Nets):
        return weights.save_brain(folder, nets, card)
    return weights.save_sides(folder, nets, card)


def _card(stage: RecipeStage, run: RecipeRun) -> dict[str, Any]:
    """Return everything that a stage's result depends on, as JSON."""
    card = asdict(stage) | {"settings": described(stage.settings)}
    made = {name: run.made[name].name if name in run.made else None for name in stage.after()}
    plain: dict[str, Any] = json.loads(json.dumps(card | {"from": made}))
    return plain


def shipped(task: Task) -> Nets:
    """Begin with the nets that ship."""
    return weights.load_nets(weights.shipped())


def selfplay(task: Task) -> Nets:
    """Let nets learn from their own games."""
    trainer = Trainer(task.settings, task.folder, task.device, task.start)
    trainer.train(task.report)
    return trainer.nets()


def refine(task: Task) -> Nets:
    """Let nets learn from exact look-ahead; without learning they only gather positions."""
    teacher = task.start or task.teacher
    assert teacher is not None  # `RecipeRun.task` ensures it
    brain = weights.brain_of(teacher)
    refiner = Refiner(task.settings, task.folder, brain, task.device, task.start)
    refiner.refine(task.report)
    return task.start if task.start and task.settings.reuse == 0 else refiner.nets()


def polish(task: Task) -> Nets:
    """Let nets learn gathered positions with a falling rate."""
    nets = task.start
    assert nets is not None
    if task.race is not None:
        nets = nets._replace(race=task.race.race)
    model.threads(task.threads)
    return polishing.polish(nets, task.shards(), task.settings, task.learning(), task.report)


def correct(task: Task) -> None:
    """Correct gathered targets by the results of games."""
    assert task.start is not None
    model.threads(task.threads)
    said, ended = games.played(
        weights.brain_of(task.start), task.settings.games, task.settings.seed,
        lambda done, games: task.report({"games": done}),
    )  # fmt: skip
    correction = model.fit(said, ended, task.settings.seed)
    for name, gathered in task.positions:
        rewrite(
            gathered, task.folder, name,
            lambda shard: shard._replace(targets=correction.corrected(shard.targets)),
        )  # fmt: skip


def shift(task: Task) -> None:
    """Shift gathered targets of rivals to the mean that nets give them."""
    assert task.start is not None
    judge = Evaluator(weights.brain_of(task.start), task.threads)

    def anew(shard: Shard) -> Shard:
        said = judge.array(shard.boards)
        return shard._replace(targets=shifted(shard.targets, said, shard.groups))

    for name, gathered in task.positions:
        rewrite(gathered, task.folder, name, anew)


def sides(task: Task) -> Net:
    """Teach the net of one side of a race; the nets before only play the games."""
    nets = weights.load_nets() if task.start is None else task.start
    model.threads(task.threads)
    return SideTrainer(task.settings, task.folder, nets).train(task.report)


def teach_life(task: Task) -> Nets:
    """Teach the contact net how alive the cube is; its chances stay."""
    assert task.start is not None
    return life.teach(task.start, task.settings, task.threads, task.report)


def label(task: Task) -> None:
    """Search gathered positions some plies deep."""
    assert task.start is not None
    jobs = [
        Labelling(path, task.folder / f"{path.stem}{name}.npz")
        for name, gathered in dict.fromkeys(task.positions)  # twice: double only for learning
        for path in sorted(gathered.glob("shard-*.npz"))
    ]
    brain = weights.brain_of(task.start)
    labels.label(jobs, brain, task.settings.plies, task.threads, task.report)


def average(task: Task) -> Nets:
    try:
        return learners.average(task.nets)
    except LabError as error:
        raise LabError(f"stage {task.folder.name}: nets: {error}") from error


# by step: the class of its settings, its possible and its needed inputs, and the function
KINDS: dict[
    str, tuple[type[Any], set[str], tuple[str, ...], Callable[[Task], Any]]
] = {
    "shipped": (Nothing, set(), (), shipped),
    "selfplay": (Run, {"start"}, (), selfplay),
    "refine": (Refinement, {"start", "teacher"}, (), refine),
    "polish": (
        Polish, {"start", "positions", "race", "only", "half"}, ("start", "positions"), polish,
    ),
    "correct": (Results, {"start", "positions"}, ("start", "positions"), correct),
    "shift": (Nothing, {"start", "positions"}, ("start", "positions"), shift),
    "sides": (SideRun, {"start"}, (), sides),
    "label": (Depth, {"start", "positions"}, ("start", "positions"), label),
    "life": (Life, {"start"}, ("start",), teach_life),
    "average": (Nothing, {"nets"}, ("nets",), average),
}  # fmt: skip


def length(settings: Any) -> str:
    """Return the length of a stage in words for the user."""
    match settings:
        case Run():
            return f"of {settings.chunks} chunks"
        case Refinement() if settings.positions > 0:
            return f"of {settings.positions:,} positions"
        case Refinement():
            return f"of {settings.seconds:.0f} s"
        case Polish():
            return f"of {settings.passes * PARTS} parts"
        case Results():
            return f"of {settings.games:,} games"
    return ""
