"""A recipe goes through its stages, resumes where it was stopped, and says what is wrong."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("torch") is None:
    pytest.skip("needs the extra `train` (torch)", allow_module_level=True)

from sixprime.bot.cli.main import main
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training import polish, recipe, selfplay
from sixprime.engine.lab.training.labels import Depth
from sixprime.engine.lab.training.life import Life
from sixprime.engine.lab.training.polish import Polish
from sixprime.engine.lab.training.refine import Refinement, Refiner
from sixprime.engine.lab.training.runs import LearningCurve
from sixprime.engine.lab.training.sides import SideRun
from sixprime.engine.lab.training.train import Run, Trainer
from sixprime.engine.nets.weights import load_nets, shipped

pytestmark = [pytest.mark.patient, pytest.mark.train]

SHIPPED = Path("config/training/recipe.yaml")
DEEPER = SHIPPED.with_name("two-plies.yaml")
TINY = """
stages:
  selfplay:
    do: selfplay
    settings: {NETS, chunks: 3, chunk: 800, batch: 256, save_every: 1, keep: 0.9}
  wide:
    do: refine
    teacher: selfplay
    settings: {NETS, positions: 960, shard: 120, window: 360, batch: 64, first_teaching: 120,
               promote_every: 600, replies: 1, save_every_s: 0.0}
  rivals:
    do: refine
    start: wide
    settings: {like: gather-rivals.yaml, NETS, positions: 400, shard: 200, replies: 1}
  mistakes:
    do: refine
    start: wide
    settings: {like: gather-mistakes.yaml, NETS, positions: 400, shard: 200, replies: 1}
  sides:
    do: sides
    start: wide
    settings: {points: 7, starts: 20, walked: 2_000, far: 50, rounds: 2, steps: 6, batch: 64,
               layers: [32, 8, 8]}
  corrected: {do: correct, start: wide, positions: [rivals, mistakes], settings: {games: 5}}
  a: {do: polish, start: wide, positions: [corrected], half: 1, only: [contact], settings: PHASES}
  b: {do: polish, start: wide, positions: [corrected], half: 2, only: [contact], settings: PHASES}
  average: {do: average, nets: [a, b]}
  shifted: {do: shift, start: average, positions: [rivals]}
  labels: {do: label, start: wide, positions: [rivals, mistakes], settings: {plies: 1}}
  nets:
    do: polish
    start: average
    positions: [rivals, shifted, labels]
    race: wide
    only: [pruner]
    settings: {passes: 1}
  living: {do: life, start: nets, settings: {positions: 300, rounds: 1, plies: 1, passes: 1}}
""".replace("NETS", "contact: [32, 8, 8], race: [32, 8, 8], pruner: [32, 8, 8]").replace(
    "PHASES", "{like: polish-phases.yaml, passes: 1}"
)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(polish, "HELD_OUT", 50)
    monkeypatch.setattr(selfplay, "CHUNK", 1000)
    for path in SHIPPED.parent.glob("*.yaml"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"))
    (tmp_path / "tiny.yaml").write_text(TINY)
    return tmp_path / "tiny.yaml"


def weights_of(out: Path) -> dict[str, str | None]:
    marks = {mark.parent.name: json.loads(mark.read_text()) for mark in out.glob("*/done.json")}
    return {name: mark["weights"] for name, mark in marks.items()}


def interrupting(method: Any, after: int) -> Any:
    """Does what it does, and the time after that Ctrl-C comes."""
    calls = 0

    def called(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyboardInterrupt
        return method(*given)

    return called


def test_a_recipe_that_was_stopped_again_and_again_ends_with_the_same_nets(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    command = ["train", "recipe", str(tiny), "--out"]
    assert main([*command, str(whole)]) == 0
    said = capsys.readouterr()
    assert re.search(r"weights: .*/living/brain-[0-9a-f]{12}\.npz\n", said.out)
    assert "stage 12 of 13, nets: polish of 16 parts" in said.err
    for owner, name, after in (
        (Trainer, "save", 2),  # in the middle of the first stage,
        (Refiner, "save", 3),  # of the second,
        (Refiner, "gather", 3),  # of a later one that gathers,
        (selfplay, "played", 0),
        (polish, "lesson", 0),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupting(getattr(owner, name), after))
            assert main([*command, str(stopped)]) == 130
    told: list[dict[str, Any]] = []
    with monkeypatch.context() as patch:
        patch.setattr(LearningCurve, "add", lambda _, row: told.append(row))
        assert main([*command, str(stopped)]) == 0
    assert "stage 1 of 13, selfplay: is done" in capsys.readouterr().err
    assert not any(
        {"chunk", "positions"} & set(row) for row in told
    )  # only polishing was left to do
    assert weights_of(stopped) == weights_of(whole)
    assert len(load_nets(stopped / "nets" / str(weights_of(stopped)["nets"])).contact.b1) > 1


def test_a_stage_begins_where_its_checkpoint_is(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage,) = recipe.load_recipe(tiny)[:1]
    rows: list[Any] = []
    run = recipe.RecipeRun(tmp_path / "out", report=lambda _, row: rows.append(row["chunk"]))
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "save", interrupting(Trainer.save, 2))
        with pytest.raises(KeyboardInterrupt):
            recipe.carry_out([stage], run)
    recipe.carry_out([stage], run)
    assert rows == [1, 2, 3, 3]
    recipe.carry_out([stage], run)
    assert rows == [1, 2, 3, 3]  # it was done


def test_a_stage_of_another_recipe_is_not_taken_for_this_one(tiny: Path, tmp_path: Path) -> None:
    (stage,) = recipe.load_recipe(tiny)[:1]
    run = recipe.RecipeRun(tmp_path / "out")
    recipe.carry_out([stage], run)
    tiny.write_text(TINY.replace("chunks: 3", "chunks: 4"))
    with pytest.raises(LabError, match=r"out/selfplay: made by another recipe"):
        recipe.carry_out(recipe.load_recipe(tiny)[:1], run)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("chunks: 3", "chunk5: 3", "stage selfplay: settings: no setting 'chunk5', did you mean"),
        ("chunks: 3", "chunks: few", "stage selfplay: settings: chunks: expected int, not 'few'"),
        ("do: average", "do: avarage", "stage average: do: no step 'avarage', did you mean"),
        ("nets: [a, b]", "net: [a, b]", "stage average: no key 'net', did you mean 'nets'?"),
        ("nets: [a, b]", "nets: [a, c]", "stage average: nets: no stage before this one 'c'"),
        ("nets: [a, b]", "nets: [a, nets]", "stage average: nets: no stage before this one 'nets'"),
        ("nets: [a, b]", "nets: [corrected]", "average: nets: corrected makes no nets"),
        (
            "positions: [rivals, shifted, labels]",
            "positions: [a]",
            "positions: a gathers no positions",
        ),
        ("    positions: [rivals, shifted, labels]\n", "", "stage nets: positions is missing"),
        ("half: 2", "half: 3", "stage b: half: expected 1 or 2, not 3"),
        ("only: [pruner]", "only: [pruners]", "stage nets: only: no net 'pruners', did"),
        ("teacher: selfplay", "x: 1", "stage wide: no key 'x'"),
        ("    teacher: selfplay\n", "", "stage wide: begins either with start or with teacher"),
        ("like: polish-phases", "like: polish-phrases", "polish-phrases.yaml: "),
        ("stages:", "steps:", "no key 'steps', did you mean 'stages'?"),
    ],
)
def test_a_wrong_recipe_is_answered_with_its_file_stage_and_key(
    tiny: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, complaint: str
) -> None:
    assert before in TINY
    tiny.write_text(TINY.replace(before, after))
    assert main(["train", "recipe", str(tiny), "--out", str(tiny.parent / "out")]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
    assert ".yaml" in said


KINDS = {
    "selfplay": Run,
    "refine": Refinement,
    "polish": Polish,
    "correct": recipe.Results,
    "sides": SideRun,
    "label": Depth,
    "life": Life,
}
STAGES = [(path, stage) for path in (SHIPPED, DEEPER) for stage in recipe.load_recipe(path)]


@pytest.mark.parametrize(("path", "stage"), STAGES, ids=[f"{p.stem} {s.name}" for p, s in STAGES])
def test_the_recipes_have_settings_that_their_stages_take(
    path: Path, stage: recipe.RecipeStage
) -> None:
    settings: Any = stage.settings
    assert type(stage.settings) is KINDS.get(stage.do, recipe.Nothing)
    if stage.do == "refine":
        assert settings.positions > 0  # resumed, it ends with the same nets
    if stage.do == "polish":
        gathered = {
            each.name: each.settings for each in recipe.load_recipe(path) if each.do == "refine"
        }
        found = [gathered[name].positions for name in stage.positions if name in gathered]
        assert settings.newest >= sum(found) // (2 if stage.half else 1)


def test_the_recipes_end_with_all_that_ship() -> None:
    for path in (SHIPPED, DEEPER):
        stages = recipe.load_recipe(path)
        assert stages[-1].name == "nets"
        used = {name for stage in stages for name in stage.after()}
        nets = {stage.name for stage in stages[:-1] if stage.do != "sides"}  # that has its own file
        assert used == nets  # no stage in vain
    assert {stage.do for _, stage in STAGES} == set(recipe.KINDS)


def test_the_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "recipe", "--help"])
    assert "sixprime train recipe recipe.yaml --out runs/x" in capsys.readouterr().out


def test_the_history_of_the_nets_can_be_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history, columns = "docs/history/nets.csv", ["points_a_game", "points_a_game_200k"]
    out = tmp_path / "nets.svg"
    command = ["train", "plot", history, "--x", "hours", "--out", str(out), "--y"]
    assert main([*command, *columns]) == 0
    assert b"<svg" in out.read_bytes()[:1000]
    assert main([*command, "point_a_game"]) == 2
    assert "no column 'point_a_game', did you mean 'points_a_game'?" in capsys.readouterr().err
    hashes = [line.split(",")[0] for line in Path(history).read_text().splitlines()[1:]]
    assert f"brain-{hashes[-1]}" == shipped().stem  # a row for each that shipped
