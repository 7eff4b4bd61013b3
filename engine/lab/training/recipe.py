"""A recipe: the stages that nets go through, from nothing to those that ship, in one file.

```yaml
stages:
  selfplay: {do: selfplay, settings: selfplay.yaml}
  wide: {do: refine, teacher: selfplay, settings: {like: refine.yaml, positions: 4_800_000}}
```

A stage takes what stages before it have made: nets (`start`, `teacher`, `race`, `nets`) and
gathered positions (`positions`). `settings` are a file beside the recipe, or settings, which may
begin `like` a file. Each stage has a folder of its own; `done.json` there marks a finished one. One
that was stopped goes on from its checkpoint and the shards it has. It ends with the same nets as if
it had not been stopped, unless it runs for a time instead of until so many positions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sixprime.engine.lab.training import average as averaging
from sixprime.engine.lab.training import model, racetruth, results
from sixprime.engine.lab.training import polish as polishing
from sixprime.engine.lab.training.polish import PARTS, Polish
from sixprime.engine.lab.training.racetruth import Truth
from sixprime.engine.lab.training.refine import Refinement, Refiner, Shard, rewrite
from sixprime.engine.lab.training.runs import (
    BadRun,
    LearningCurve,
    built,
    described,
    known_setting,
    read,
)
from sixprime.engine.lab.training.shifting import shifted
from sixprime.engine.lab.training.train import Run, Trainer
from sixprime.engine.nets import weights
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import Nets
from sixprime.engine.system.wholefiles import write_json

DONE = "done.json"
REWRITING = ("correct", "shift", "value")  # steps that make positions of positions, and no nets


@dataclass(frozen=True, slots=True)
class Results:
    """How many games correct targets."""

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
    start: str = ""  # the stage whose nets it begins with
    teacher: str = ""  # the stage whose nets judge while the learner starts from nothing
    race: str = ""  # the stage whose race net is used unchanged
    nets: tuple[str, ...] = ()  # the stages whose nets are averaged
    positions: tuple[str, ...] = ()  # stages whose positions are learned from; twice: double
    half: int = 0  # 1 or 2: every other shard of these; 0: all
    only: tuple[str, ...] = ()  # the nets that learn; none: all

    def after(self) -> list[str]:
        """The stages that have to be done before."""
        named = (self.start, self.teacher, self.race, *self.nets, *self.positions)
        return [name for name in dict.fromkeys(named) if name]


@dataclass(frozen=True, slots=True)
class Task:
    """What the work of one stage needs."""

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
        """The files to learn from."""
        found = [path for _, folder in self.positions for path in folder.glob("shard-*.npz")]
        found.sort(key=lambda path: (path.name, str(path)))
        return found[self.half - 1 :: 2] if self.half else found

    def learning(self) -> tuple[str, ...]:
        """The names of the nets that polishing changes."""
        names = self.only or Nets._fields
        return tuple(name for name in names if self.race is None or name != "race")


@dataclass
class Kitchen:
    """Where a recipe is carried out."""

    out: Path
    device: str = "cpu"
    threads: int = 1
    begin: Callable[[RecipeStage, bool], None] = lambda stage, done: None
    report: Callable[[RecipeStage, Mapping[str, Any]], None] = lambda stage, row: None
    made: dict[str, Path] = field(default_factory=dict)  # weights by stage

    def task(self, stage: RecipeStage) -> Task:
        """A stage's, once those before it are done."""
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


# --- reading one


def load(path: Path) -> list[RecipeStage]:
    """The stages of a recipe in their order; BadRun names the file, the stage and the key."""
    tree = read(path)
    for name in tree:
        known_setting(name, ["stages"], str(path), "key")
    stages = tree.get("stages")
    if not isinstance(stages, dict) or not stages:
        raise BadRun(f"{path}: stages: expected at least one stage by its name")
    found: dict[str, RecipeStage] = {}
    for name, given in stages.items():
        found[str(name)] = _stage(path, str(name), given, found)
    return list(found.values())


def _stage(path: Path, name: str, given: Any, before: dict[str, RecipeStage]) -> RecipeStage:
    where = f"{path}: stage {name}"
    if not isinstance(given, dict):
        raise BadRun(f"{where}: expected settings, not {given!r}")
    if Path(name).name != name or name.startswith("."):
        raise BadRun(f"{where}: a name that can be a folder's is needed")
    kind = given.get("do")
    if not isinstance(kind, str) or kind not in KINDS:
        known_setting(str(kind), KINDS, f"{where}: do", "step")
    settings, keys, needed, _ = KINDS[str(kind)]
    for key in given:
        known_setting(str(key), ["do", "settings", *keys], where, "key")
    for key in needed:
        if key not in given:
            raise BadRun(f"{where}: {key} is missing")
    if kind == "refine" and ("start" in given) == ("teacher" in given):
        raise BadRun(f"{where}: begins either with start or with teacher")
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
    """The settings of a file beside the recipe, or those given there, or both."""
    if isinstance(given, str):
        return read(path.parent / given)
    if not isinstance(given, dict):
        raise BadRun(f"{where}: settings: expected a file or settings, not {given!r}")
    like = given.get("like")
    own = {key: value for key, value in given.items() if key != "like"}
    return own if like is None else read(path.parent / str(like)) | own


def _value(where: str, key: str, value: Any, before: dict[str, RecipeStage]) -> Any:
    if key == "half":
        if value not in (1, 2):
            raise BadRun(f"{where}: expected 1 or 2, not {value!r}")
        return value
    many = key in ("nets", "positions", "only")
    values = value if many and isinstance(value, list) else [value]
    for each in values:
        if key == "only":
            known_setting(each, Nets._fields, where, "net")
            continue
        known_setting(each, before, where, "stage before this one")
        if before[each].do in REWRITING and key != "positions":
            raise BadRun(f"{where}: {each} makes no nets")
        if key == "positions" and before[each].do not in ("refine", *REWRITING):
            raise BadRun(f"{where}: {each} gathers no positions")
    return tuple(values) if many else value


# --- carrying it out


def carry_out(stages: list[RecipeStage], kitchen: Kitchen) -> Path:
    """Go through every stage that is not done yet; the weights of the last that made some."""
    for stage in stages:
        folder = kitchen.out / stage.name
        folder.mkdir(parents=True, exist_ok=True)
        card = _card(stage, kitchen)
        mark = folder / DONE
        kitchen.begin(stage, mark.exists())
        if mark.exists():
            done = json.loads(mark.read_text(encoding="utf-8"))
            if done["stage"] != card:
                raise BadRun(
                    f"{folder}: made by another recipe or from other nets; "
                    "remove it to make it anew"
                )
        else:
            *_, do = KINDS[stage.do]
            try:
                nets = do(kitchen.task(stage))
            except averaging.OtherShapes as error:
                raise BadRun(f"stage {stage.name}: nets: {error}") from error
            path = None if nets is None else weights.save_brain(folder, nets, {"stage": card})
            done = {"stage": card, "weights": path and path.name}
            write_json(mark, done, indent=1)
        if done["weights"]:
            kitchen.made[stage.name] = folder / done["weights"]
    return list(kitchen.made.values())[-1]


def _card(stage: RecipeStage, kitchen: Kitchen) -> dict[str, Any]:
    """Everything a stage's result depends on, as JSON."""
    card = asdict(stage) | {"settings": described(stage.settings)}
    made = {
        name: kitchen.made[name].name if name in kitchen.made else None for name in stage.after()
    }
    found: dict[str, Any] = json.loads(json.dumps(card | {"from": made}))
    return found


def selfplay(task: Task) -> Nets:
    """A net learns from its own games."""
    trainer = Trainer(task.settings, task.folder, task.device, task.start)
    trainer.train(task.report)
    return trainer.nets()


def refine(task: Task) -> Nets:
    """Nets learn from exact look-ahead; if they only gather, they stay unchanged."""
    teacher = task.start or task.teacher
    assert teacher is not None  # `Kitchen.task` ensures it
    brain = weights.brain_of(teacher)
    refiner = Refiner(task.settings, task.folder, brain, task.device, task.start)
    refiner.refine(task.report)
    return task.start if task.start and task.settings.reuse == 0 else refiner.nets()


def polish(task: Task) -> Nets:
    """Nets learn gathered positions with a falling rate."""
    nets = task.start
    assert nets is not None
    if task.race is not None:
        nets = nets._replace(race=task.race.race)
    model.threads(task.threads)
    return polishing.polish(nets, task.shards(), task.settings, task.learning(), task.report)


def correct(task: Task) -> None:
    """Gathered targets are corrected by how games end."""
    assert task.start is not None
    model.threads(task.threads)
    said, ended = results.played(
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
    """Rivals keep their differences and get the mean that nets give them."""
    assert task.start is not None
    judge = Evaluator(weights.brain_of(task.start), task.threads)

    def anew(shard: Shard) -> Shard:
        said = judge.array(shard.boards)
        return shard._replace(targets=shifted(shard.targets, said, shard.groups))

    for name, gathered in task.positions:
        rewrite(gathered, task.folder, name, anew)


def value(task: Task) -> None:
    """Gathered races are valued by a one-sided database, and by nets that have it at hand."""
    assert task.start is not None
    brain = racetruth.within(weights.brain_of(task.start), task.settings.points)
    draws = np.random.default_rng(task.settings.seed)
    for name, gathered in task.positions:
        rewrite(
            gathered, task.folder, name,
            lambda shard: racetruth.truth_of(shard, brain, draws, task.threads),
        )  # fmt: skip


def average(task: Task) -> Nets:
    return averaging.average(task.nets)


# what a step's settings are, what it may begin with, what it needs, and who does it
KINDS: dict[
    str, tuple[type[Any], set[str], tuple[str, ...], Callable[[Task], Nets | None]]
] = {
    "selfplay": (Run, {"start"}, (), selfplay),
    "refine": (Refinement, {"start", "teacher"}, (), refine),
    "polish": (
        Polish, {"start", "positions", "race", "only", "half"}, ("start", "positions"), polish,
    ),
    "correct": (Results, {"start", "positions"}, ("start", "positions"), correct),
    "shift": (Nothing, {"start", "positions"}, ("start", "positions"), shift),
    "value": (Truth, {"start", "positions"}, ("start", "positions"), value),
    "average": (Nothing, {"nets"}, ("nets",), average),
}  # fmt: skip


def length(settings: Any) -> str:
    """How long a stage is, to show the user."""
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
