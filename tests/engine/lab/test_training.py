from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

if find_spec("torch") is None:
    pytest.skip("needs the extra `train` (torch)", allow_module_level=True)

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import RACE, class_of, judge_many, scratch_for
from sixprime.engine.kernels.inputs import PHASES, encode_many, phases_of
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training import model, polish, runs, selfplay, targets
from sixprime.engine.lab.training.polish import Polish
from sixprime.engine.lab.training.refine import ALONE, Refinement, Refiner, read_shard
from sixprime.engine.lab.training.starts import KINDS, OPENINGS, contact, odd_starts, race_starts
from sixprime.engine.lab.training.train import Run, Trainer, mixing_of, rate_of
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import BadWeights, Nets, brain_of
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from tests.support.engine.brains import random_brain, random_net, random_nets
from tests.support.engine.reference import random_rolls

pytestmark = [pytest.mark.patient, pytest.mark.train]

SMALL = Run(
    contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
    chunks=3, chunk=1500, batch=256, save_every=1, keep=0.9,
)  # fmt: skip


def refinement(**settings: object) -> Refinement:
    return runs.built(Refinement, settings, "a test")


BOARDS = np.stack([each.array() for each, _ in random_rolls(3, 400) if each.checkers == 15])


@pytest.mark.parametrize("tails", [1, PHASES])
def test_torch_and_the_kernels_see_the_same_net(tails: int) -> None:
    learner = model.Learner(model.Shape(64, 16, 16, tails), seed=3)
    for _ in range(3):  # away from the start, so that every part counts
        draws = np.random.default_rng(1)
        slots = encode_many(BOARDS, 15)
        learner.learn(slots, draws.random((len(BOARDS), 5), np.float32) * 0.5, 1e-2, 64, 0.0)
    net = learner.net()
    brain = brain_of(random_nets()._replace(contact=net))
    contact = ~selfplay.races(BOARDS)
    said = learner.judge(slots[contact])
    found = Evaluator(brain).array(BOARDS[contact])
    allowed = (found > 0) & (found < np.roll(found, 1, axis=1))  # not touched by the rules
    assert np.abs(said - found)[:, 0].max() < 4e-3  # the table is rounded to 1/1024
    assert np.abs(said - found)[allowed].max() < 4e-3


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = []
    Trainer(SMALL, tmp_path).train(rows.append)
    assert [row["chunk"] for row in rows] == [1, 2, 3]
    again = Trainer.saved(tmp_path)
    assert again.progress.chunk == 3
    assert again.run == SMALL
    finished = Trainer(SMALL, tmp_path)
    for before, after in zip(again.nets(), finished.nets(), strict=True):
        for a, b in zip(map(np.asarray, before), map(np.asarray, after), strict=True):
            assert np.array_equal(a, b)


def test_a_run_can_go_on_from_finished_nets(tmp_path: Path) -> None:
    nets = Trainer(SMALL, tmp_path / "first").nets(averaged=False)
    again = Trainer(SMALL, tmp_path / "second", start=nets).nets()
    for before, after in zip(nets, again, strict=True):
        for a, b in zip(map(np.asarray, before), map(np.asarray, after), strict=True):
            assert a == pytest.approx(b, rel=1e-6)


def test_rates_fall_from_the_first_to_the_last() -> None:
    assert rate_of(SMALL, 0) == SMALL.rate
    assert rate_of(SMALL, SMALL.chunks - 1) == pytest.approx(SMALL.last_rate)
    assert mixing_of(SMALL, 0) == SMALL.mixing
    assert mixing_of(SMALL, 10_000) == SMALL.last_mixing


def test_targets_of_self_play_are_chances_and_end_with_the_result() -> None:
    brain = random_brain()
    boards = np.zeros((3000, 2, 25), np.int8)
    wanted = np.zeros((3000, 5), np.float32)
    start = Position.start().array()[None]
    games = selfplay.play_games(
        CubelessPlayer(brain, scratch_for(brain)), start, 1, 1, np.float32(0.5), boards, wanted
    )
    assert games > 0
    assert ((wanted >= 0) & (wanted <= 1)).all()
    assert (boards[0] == start[0]).all()
    assert all(Position.from_array(board).checked() for board in boards[::97])


def test_look_ahead_is_the_mean_over_the_rolls_of_the_best_replies() -> None:
    brain = random_brain()
    work = scratch_for(brain)
    evaluator = Evaluator(brain)
    from sixprime.engine.rules import legal_plays

    for position, _ in random_rolls(9, 6):
        if position.checkers != 15 or position.is_over():
            continue
        wanted = np.zeros(5)
        for first in range(1, 7):
            for second in range(1, 7):
                results = [play.result.flipped() for play in legal_plays(position, (first, second))]
                worst = min(evaluator.many(results), key=lambda each: each.equity)
                win, gammon, backgammon, lost, lost_backgammon = worst
                wanted += np.array((1 - win, lost, lost_backgammon, gammon, backgammon)) / 36
        found = np.zeros((1, 5), np.float32)
        targets.look_ahead_many(CubelessPlayer(brain, work), position.array()[None], found)
        assert found[0] == pytest.approx(wanted, abs=1e-5)


def test_without_luck_one_turn_is_the_look_ahead_and_more_turns_add_what_they_revealed() -> None:
    brain = random_brain()
    sure = brain.contact._replace(w3=40 * brain.contact.w3)  # so that chances are near 0 and 1
    brain = brain._replace(contact=sure)
    work = scratch_for(brain)
    roots = np.stack([p.array() for p, _ in random_rolls(3, 90) if not p.is_over()])
    roots = roots[roots.sum(axis=(1, 2)) == 30]

    def played(mixing: float, plies: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        boards = np.zeros((len(roots) * plies, 2, 25), np.int8)
        wanted = np.zeros((len(boards), 5), np.float32)
        targets.play_without_luck(
            CubelessPlayer(brain, work), roots, 5, np.float32(mixing), plies, boards, wanted
        )
        return boards, wanted

    for mixing, plies in ((0.0, 4), (1.0, 1)):
        boards, wanted = played(mixing, plies)
        ahead = np.zeros_like(wanted)
        targets.look_ahead_many(CubelessPlayer(brain, work), boards, ahead)
        assert wanted == pytest.approx(ahead, abs=1e-6)
    boards, wanted = played(1.0, 4)
    assert (boards[::4] == roots[: len(boards[::4])]).all()
    ahead = np.zeros_like(wanted)
    targets.look_ahead_many(CubelessPlayer(brain, work), boards, ahead)
    last = np.arange(3, len(boards), 4)
    assert wanted[last] == pytest.approx(ahead[last], abs=1e-6)
    said = Evaluator(brain).array(boards[last])
    # one turn earlier: the mean, plus how wrong the net was about the position that came
    revealed = turned(ahead[last]) - turned(said)
    expected = ahead[last - 1] + revealed
    assert ((expected < 0) | (expected > 1)).any()  # noise is not cut off
    assert wanted[last - 1] == pytest.approx(expected, abs=1e-5)


def turned(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same for the opponent."""
    win, gammon, backgammon, lost, lost_backgammon = chances.T
    return np.stack([1 - win, lost, lost_backgammon, gammon, backgammon], axis=1)


@pytest.mark.parametrize("tails", [1, PHASES])
def test_a_widened_net_says_the_same_until_it_learns(tmp_path: Path, tails: int) -> None:
    nets = Trainer(SMALL, tmp_path / "first").nets(averaged=False)
    wider = model.Learner(model.Shape(48, 16, 12, tails), 3)
    wider.take(nets.contact)
    narrow = model.Learner(model.Shape(*SMALL.contact), 3)
    narrow.take(nets.contact)
    slots = encode_many(odd_starts(2), 15)
    assert wider.judge(slots) == pytest.approx(narrow.judge(slots), abs=1e-6)


def test_a_tail_learns_from_its_own_phase_only() -> None:
    learner = model.Learner(model.Shape(32, 8, 8, PHASES), 3)
    slots = encode_many(BOARDS, 15)
    phases = phases_of(slots)
    before = learner.net()
    own = slots[phases == 2]
    learner.learn(own, np.full((len(own), 5), 0.25, np.float32), 1e-2, 64)
    after = learner.net()
    changed = [not np.array_equal(a, b) for a, b in zip(before.w1, after.w1, strict=True)]
    assert changed == [phase == 2 for phase in range(PHASES)]


def test_a_net_in_phases_does_not_fit_into_one_tail() -> None:
    learner = model.Learner(model.Shape(32, 8, 8), 3)
    with pytest.raises(BadWeights, match="a net of 9 tails does not fit into 1"):
        learner.take(random_net(1, tails=PHASES))


def test_a_checkpoint_from_before_there_were_tails_is_read(tmp_path: Path) -> None:
    learners = {name: model.Learner(model.Shape(32, 8, 8), 3) for name in Nets._fields}
    states = {name: learner.state() for name, learner in learners.items()}
    for state in states.values():
        for part in ("model", "average"):
            names = {"tails.0.0": "l1", "tails.0.2": "l2", "tails.0.4": "l3"}
            state[part] = {
                names.get(name[:9], name[:9]) + name[9:]: array
                for name, array in state[part].items()
            }
        assert "l2.bias" in state["model"]
    model.save_checkpoint(tmp_path / "old.pt", states)
    for name, learner in model.restored(str(tmp_path / "old.pt")).items():
        for old, new in zip(learners[name].net(), learner.net(), strict=True):
            assert np.array_equal(np.asarray(old), np.asarray(new))


def test_refinement_keeps_shards_and_goes_on(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.5, shard=300, batch=64, players=1, first_teaching=300, promote_every=300,
    )  # fmt: skip
    rows: list[dict[str, object]] = []
    Refiner(settings, tmp_path, random_brain()).refine(rows.append)
    again = Refiner(settings, tmp_path, random_brain())
    assert again.progress.positions == rows[-1]["positions"]
    assert again.progress.teaching
    assert len(again.shards) == len(rows)
    assert brain_of(again.nets()).contact.table.dtype == np.int16


def test_gathering_alone_leaves_the_nets_as_they_were(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.5, shard=300, players=1, reuse=0.0,
    )  # fmt: skip
    nets = random_nets()
    Refiner(settings, tmp_path, brain_of(nets), start=nets).refine(lambda row: None)
    after = Refiner(settings, tmp_path, brain_of(nets), start=nets).nets()
    assert (after.contact.table == nets.contact.table).all()
    assert list(tmp_path.glob("shard-*.npz"))


def test_rivals_are_the_best_plays_of_one_roll_and_are_judged_by_one_ply(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.5, shard=300, players=1, reuse=0.0, rivals=3, margin=0.2,
    )  # fmt: skip
    nets = random_nets()
    brain = brain_of(nets)
    Refiner(settings, tmp_path, brain, start=nets).refine(lambda row: None)
    shard = read_shard(min(tmp_path.glob("shard-*.npz")))
    work = scratch_for(brain)
    wanted, said = np.zeros((2, 300, 5), np.float32)
    targets.look_ahead_many(CubelessPlayer(brain, work), shard.boards, wanted)
    assert (shard.targets == wanted).all()
    judge_many(brain, shard.boards, 15, work, said)
    of_mover = -model.equity(said)
    sizes = np.bincount(shard.groups)
    assert sizes.max() == 3
    assert (sizes[:-1] != 1).all()  # a play without a rival decides nothing
    for group in np.flatnonzero(sizes[:-1] > 1):  # the last may be cut off
        equities = of_mover[shard.groups == group]
        assert (np.diff(equities) <= 1e-6).all()
        assert equities[0] - equities[-1] <= 0.2 + 1e-6
        # what rivals have in common: the opponent's checkers, but for those that were hit
        theirs = shard.boards[shard.groups == group, 0, :].astype(int)
        assert (theirs.sum(axis=1) == theirs[0].sum()).all()


def test_plays_to_be_ranked_are_the_best_and_others_of_whole_rolls(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8), shard=600, ranked=6, wander=0.3,
    )  # fmt: skip
    brain = brain_of(random_nets())
    shard = Refiner(settings, tmp_path, brain).gather(3, brain)
    said = np.zeros((600, 5), np.float32)
    judge_many(brain, shard.boards, 15, scratch_for(brain), said)
    assert shard.targets == pytest.approx(said, abs=1e-6)
    sizes = np.bincount(shard.groups)
    assert sizes.max() == 6
    assert len(np.unique(shard.boards[shard.groups == sizes.argmax()], axis=0)) == 6
    of_mover = -model.equity(said)
    apart = []
    for group in np.flatnonzero(sizes[:-1] == 6):
        equities = of_mover[shard.groups == group]
        assert (np.diff(equities[:3]) <= 1e-6).all()
        assert equities[2] >= equities[3:].max() - 1e-6
        apart.append(equities[0] - equities[3:].min())
    assert np.mean(apart) > 0.1  # bad ones too, not the next best only


def test_a_run_that_meets_no_race_ends_with_its_curve(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.2, shard=300, players=1, reuse=0.0, rivals=2,
    )  # fmt: skip
    curve = runs.LearningCurve(tmp_path)
    Refiner(settings, tmp_path, random_brain()).refine(curve.add)
    assert curve.draw("positions", ("contact", "race", "pruner")).exists()


def test_rivals_can_be_races(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.5, shard=300, players=1, reuse=0.0, rivals=4, races=True,
    )  # fmt: skip
    nets = random_nets()
    Refiner(settings, tmp_path, brain_of(nets), start=nets).refine(lambda row: None)
    shard = read_shard(min(tmp_path.glob("shard-*.npz")))
    assert all(class_of(board, 15) == RACE for board in shard.boards)
    assert np.bincount(shard.groups).max() > 1


@pytest.mark.parametrize("turns", [1, 2])
def test_short_games_leave_their_starts_by_a_roll_each_turn(tmp_path: Path, turns: int) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        shard=1200, rivals=2, replies=2, slow=True, turns=turns,
    )  # fmt: skip
    refiner = Refiner(settings, tmp_path, random_brain())
    starts = refiner.starts(4 + settings.seed * 1_000_003)
    assert len(starts) >= 1200 // 2 // turns
    whole = replace(settings, gathering=replace(settings.gathering, plies=250, rivals=0))
    refiner_of_games = Refiner(whole, tmp_path / "whole", random_brain())
    assert len(refiner_of_games.starts(1)) >= 1200 // 40 // turns  # not a few games' worth
    ordinary = replace(settings, gathering=replace(settings.gathering, slow=False, ordinary=True))
    games = Refiner(ordinary, tmp_path / "ordinary", random_brain()).starts(1)
    assert len(games) == 200
    assert max(abs(int(np.diff((game * np.arange(1, 26)).sum(1))[0])) for game in games) < 110
    first = {
        play.result.flipped()
        for start in starts
        for high in range(1, 7)
        for low in range(1, high + 1)
        for play in legal_plays(Position.from_array(start), (high, low))
    }
    boards = [Position.from_array(board) for board in refiner.gather(4, refiner.teacher).boards]
    after_one_roll = sum(board in first for board in boards)
    assert after_one_roll == 1200 if turns == 1 else 400 < after_one_roll < 800


def test_pairs_are_a_best_play_and_a_worse_one_each_played_on(tmp_path: Path) -> None:
    settings = refinement(
        contact=(32, 8, 8), race=(32, 8, 8), pruner=(32, 8, 8),
        seconds=0.5, shard=300, players=1, reuse=0.0, pairs=True, margin=0.4, plies=5, mixing=0.9,
    )  # fmt: skip
    nets = random_nets()
    brain = brain_of(nets)
    Refiner(settings, tmp_path, brain, start=nets).refine(lambda row: None)
    shard = read_shard(min(tmp_path.glob("shard-*.npz")))
    said = np.zeros((300, 5), np.float32)
    judge_many(brain, shard.boards, 15, scratch_for(brain), said)
    of_mover = -model.equity(said)
    begun = np.flatnonzero(shard.groups != ALONE)
    assert len(begun) == 60
    assert shard.groups[begun].tolist() == np.repeat(np.arange(30), 2).tolist()
    assert (np.diff(begun) <= 5).all()  # turns of each short game
    best, worse = begun[::2], begun[1::2]
    lost = of_mover[best] - of_mover[worse]
    assert (lost >= -1e-6).all()
    assert 0.05 < lost.max() <= 0.4 + 1e-6
    assert (shard.boards[best, 0].sum(axis=1) == shard.boards[worse, 0].sum(axis=1)).all()


def test_races_are_begun_where_contact_ended_and_anywhere_else() -> None:
    starts = race_starts(random_brain(), 3, most=20)
    positions = [Position.from_array(board) for board in starts]
    assert 2 <= len(positions) <= 40
    assert all(position.checked().is_race() for position in positions)
    assert max(position.pips()[0] for position in positions) > 100


@pytest.mark.parametrize("kind", KINDS)
def test_made_positions_are_legal_and_have_contact(kind: Callable[..., Any]) -> None:
    draws = random.Random(5)
    for _ in range(300):
        position = contact(draws, kind).checked()
        assert position.checkers == 15
        assert not position.is_race()
        assert not position.is_over()


def test_games_also_begin_where_our_own_play_would_never_get() -> None:
    starts = odd_starts(1)
    assert (starts[:OPENINGS] == Position.start().array()).all()
    assert len({board.tobytes() for board in starts}) > 20
    slow = sum(KINDS.values())
    assert len({board.tobytes() for board in starts[-slow:]}) == slow
    assert all(Position.from_array(board).checked() for board in starts)


def test_a_setting_with_a_typo_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("seeed: 3\n")
    with pytest.raises(LabError, match=r"no setting 'seeed', did you mean 'seed'\?"):
        runs.load_run(path, Run)
    path.write_text("rate: fast\n")
    with pytest.raises(LabError, match="rate: expected float, not 'fast'"):
        runs.load_run(path, Run)
    path.write_text("contact: [1, 2]\n")
    with pytest.raises(LabError, match="contact: expected three whole numbers"):
        runs.load_run(path, Run)


@pytest.mark.parametrize(
    "path",
    sorted(p for p in Path("config/training").glob("*.yaml") if "\nstages:" not in p.read_text()),
    ids=lambda p: p.stem,
)
def test_the_shipped_run_files_are_valid(path: Path) -> None:
    command = re.search(r"sixprime train (\w+)", path.read_text(encoding="utf-8"))
    if command is None:  # the smoke run's, whose command needs no file
        assert path.stem == "smoke"
    stage = "smoke" if command is None else command[1]
    kinds = {"selfplay": Run, "smoke": Run, "refine": Refinement, "polish": Polish}
    assert runs.load_run(path, kinds[stage])


def test_a_lesson_has_every_row_once_and_the_same_share_of_rivals_in_each_batch() -> None:
    draws = np.random.default_rng(4)
    groups = np.repeat(np.arange(40, dtype=np.int32), draws.integers(1, 6, 40))
    groups = np.concatenate([groups, np.full(3 * len(groups), ALONE, np.int32)])
    rows = np.flatnonzero(draws.random(len(groups)) < 0.9)
    order = polish.lesson(rows, groups, 64, draws)
    assert sorted(order) == rows.tolist()
    rivals = groups[order] != ALONE
    batches = np.array_split(rivals, -(-len(rows) // 64))
    shares = [batch.mean() for batch in batches]
    assert max(shares) - min(shares) < 0.05
    numbers = groups[order][rivals]
    assert len(np.unique(numbers)) == 1 + np.count_nonzero(np.diff(numbers))  # side by side


def rivals_with_a_reason(
    seed: int, least: float, most: float, better: float
) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.int32]]:
    """500 times 4 rivals, worth anything from `least` to `most`; some are `better` for a reason."""
    draws = np.random.default_rng(seed)
    boards = BOARDS[draws.integers(len(BOARDS), size=2000)]
    together = np.repeat(draws.uniform(least, most, 500), 4)
    wanted = together[:, None].repeat(5, axis=1).astype(np.float32)
    wanted[:, 0] += np.float32(better) * (boards[:, 0, 5] > boards[:, 1, 5])
    return encode_many(boards, 15), wanted, np.repeat(np.arange(500, dtype=np.int32), 4)


@pytest.mark.parametrize("stress", [model.Stress(contrast=20.0), model.Stress(win=20.0)])
def test_contrast_teaches_differences_between_rivals_first(stress: model.Stress) -> None:
    """Rivals whose targets are far from each other's groups' but close to their own."""
    slots, wanted, groups = rivals_with_a_reason(5, 0.2, 0.8, 0.03)
    errors = []
    for stressed in (model.NO_STRESS, stress):
        learner = model.Learner(model.Shape(32, 8, 8), 3)
        for _ in range(4):
            learner.learn(slots, wanted, 2e-3, 200, 0.9, groups, stressed)
        gap = np.subtract(model.equity(learner.judge(slots)), model.equity(wanted))
        errors.append(float((polish.apart(gap, groups) ** 2).mean()))
    assert errors[1] < 0.7 * errors[0]


def test_regret_teaches_which_play_is_best() -> None:
    """What a play is worth is out of reach here, but which is best depends on one checker."""
    slots, wanted, groups = rivals_with_a_reason(6, 0.3, 0.7, 0.05)
    lost = []
    for regret in (0.0, 20.0):
        learner = model.Learner(model.Shape(32, 8, 8), 3)
        for _ in range(4):
            learner.learn(slots, wanted, 2e-3, 200, 0.9, groups, model.Stress(regret=regret))
        said = model.equity(learner.judge(slots)).reshape(500, 4)
        true = model.equity(wanted).reshape(500, 4)
        lost.append(float((true[np.arange(500), said.argmin(1)] - true.min(1)).mean()))
    assert lost[1] < 0.7 * lost[0]


@pytest.mark.slow
def test_polishing_learns_what_was_gathered_and_leaves_the_other_nets(tmp_path: Path) -> None:
    shape = (32, 8, 8)
    learners = {
        name: model.Learner(model.Shape(*shape), 1) for name in ("contact", "race", "pruner")
    }
    nets = Nets(**{name: learner.net() for name, learner in learners.items()})
    draws = np.random.default_rng(1)
    for number in range(2):
        boards = BOARDS[draws.integers(len(BOARDS), size=polish.HELD_OUT)]
        wanted = np.full((len(boards), 5), 0.25, np.float32)
        np.savez(tmp_path / f"shard-{number}.npz", boards=boards, targets=wanted)
    shards = list(tmp_path.glob("shard-*.npz"))
    rows: list[dict[str, float]] = []
    settings = polish.Polish(passes=1, rate=3e-3, batch=256)
    polished = polish.polish(nets, shards, settings, ("contact",), rows.append)
    assert rows[-1]["contact"] < 0.8 * rows[0]["contact"]
    assert np.allclose([row["rate"] for row in rows], np.linspace(3e-3, 2e-5, polish.PARTS))
    assert polished.race is nets.race
    assert len(polished.contact.b1) == 1
    split = polish.polish(
        polished, shards, replace(settings, phases=True), ("contact", "race"), rows.append
    )
    assert (len(split.contact.b1), len(split.race.b1)) == (PHASES, 1)
    again = polish.polish(split, shards, settings, ("contact",), rows.append)
    assert len(again.contact.b1) == PHASES
    tails = polish.polish(
        split, shards, replace(settings, tails_only=True), ("contact",), rows.append
    ).contact
    assert np.array_equal(tails.table, split.contact.table)
    assert np.array_equal(tails.bias, split.contact.bias)
    assert not np.array_equal(tails.w1, split.contact.w1)
    with pytest.raises(LabError, match="fewer than"):
        polish.gathered([], 100)
