"""The fit of the model of how people choose, on a few games of our own."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.lab import LabError
from sixprime.engine.lab.people.gathering import (
    KINDS,
    HumanMatch,
    HumanPlays,
    MadePlay,
    Parts,
    PlayerTotal,
    gathered,
    parts_of,
)
from sixprime.engine.people.choosing import BadPeople, judged, people_model, save_people
from sixprime.engine.people.figures import CONTEXT, FIGURES, PR, see_spots
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import noisy
from sixprime.engine.search.players import shipped_brain
from tests.support.places import ROOT

fitting = pytest.importorskip(
    "sixprime.engine.lab.people.fitting", reason="needs the extra `train`"
)
judging = pytest.importorskip(
    "sixprime.engine.lab.people.judging", reason="needs the extra `train`"
)
TINY = fitting.PeopleRun(wide=16, passes=8, batch=16, rate=1e-2, most=100)


@cache
def matches() -> tuple[HumanMatch, ...]:
    """Six games between players who misjudge positions."""
    engine, rolls, made = Engine(noisy("tiny", 0.05), brain=shipped_brain()), random.Random(3), []
    for number in range(6):
        position, plays, seat = Position.start(), [], 0
        while not position.is_over():
            dice = rolls.randint(1, 6), rolls.randint(1, 6)
            match = MatchState(length=3, on_roll=seat, to_act=seat, dice=dice)
            candidates = engine.move(position, match).candidates
            result = candidates[0].result
            if len(candidates) > 1:
                plays.append(MadePlay(position, match, result, number, KINDS[1]))
            position, seat = result.flipped(), 1 - seat
        players = PlayerTotal("Ann", 0.5, 30), PlayerTotal(f"guest {number}", 1.0, 30)
        made.append(HumanMatch(f"match {number}", players, tuple(plays)))
    return tuple(made)


@cache
def plays() -> HumanPlays:
    return gathered(matches(), Engine("expert", brain=shipped_brain()))


def test_gathered_plays_hold_the_play_that_was_made() -> None:
    found, made = plays(), [play for match in matches() for play in match.plays]
    assert len(found.made) == len(made)
    for i, play in enumerate(made):
        assert found.offsets[i] <= found.made[i] < found.offsets[i + 1]
        np.testing.assert_array_equal(found.results[found.made[i]], play.made.array())
        np.testing.assert_array_equal(found.boards[i], play.position.array())
    assert found.players[0] == "ann"
    assert found.given[0] == pytest.approx(6 * 0.5)
    assert found.losses.min() == 0
    assert all(found.losses[a] == 0 for a in found.offsets[:-1])  # ranked, best first


def test_every_match_is_in_one_part() -> None:
    parts = parts_of(plays())
    together = np.sort(np.concatenate(parts))
    np.testing.assert_array_equal(together, np.arange(len(plays().made)))
    of_parts = [set(plays().match[rows].tolist()) for rows in parts]
    assert sum(map(len, of_parts)) == len(set.union(*of_parts)) == 6


def test_without_plays_there_is_nothing_to_fit() -> None:
    bare = [match._replace(plays=()) for match in matches()]
    with pytest.raises(LabError, match="no play"):
        gathered(bare, Engine("expert", brain=shipped_brain()))
    with pytest.raises(LabError, match="at least 256"):
        fitting.fitted(plays(), np.arange(100), fitting.PeopleRun())


def test_the_net_learns_and_the_seed_decides_what() -> None:
    rows = np.arange(len(plays().made))
    prs = fitting.shrunk_prs(plays())
    nets = [fitting.fitted(plays(), rows, run) for run in (TINY, TINY, replace(TINY, seed=2))]
    for first, second in zip(nets[0], nets[1], strict=True):
        np.testing.assert_array_equal(first, second)
    assert any((a != b).any() for a, b in zip(nets[0], nets[2], strict=True))
    sizes = np.diff(plays().offsets)
    learned = judging.expected(nets[0], plays(), rows, prs)
    assert learned.nats.mean() < 0.7 * np.log(sizes).mean()


def test_the_engine_and_torch_have_one_net() -> None:
    import torch

    torch.manual_seed(5)
    chooser = fitting.Chooser(24, 0.1).eval()
    torch.nn.init.normal_(chooser.liking.weight)
    spots, _ = plays().spots(np.arange(7), np.full(7, 5.0))
    figures = np.empty((len(spots.results), FIGURES), np.float32)
    contexts = np.empty((7, CONTEXT), np.float32)
    see_spots(spots, figures, contexts)
    owner = torch.from_numpy(np.repeat(np.arange(7), np.diff(spots.offsets)))
    with torch.no_grad():
        likings = chooser(torch.from_numpy(figures), torch.from_numpy(contexts), owner)
        shares = (likings - fitting.totals(likings, owner, 7)[owner]).numpy()
    for i in range(7):
        one, _ = plays().spots(np.array([i]), np.array([5.0]))
        ours = judged(chooser.arrays(), one).shares
        theirs = shares[spots.offsets[i] : spots.offsets[i + 1]]
        np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_the_pr_that_is_learned_does_not_show_the_decision() -> None:
    found = plays()
    prs = fitting.shrunk_prs(found)
    row = 0
    worst = int(found.offsets[1] - 1)
    other = found._replace(made=np.concatenate(([worst], found.made[1:])))
    lost = float(other.losses[worst] - found.losses[found.made[row]])
    given = found.given.copy()
    given[found.player[row]] += lost  # as the analysis would say
    np.testing.assert_allclose(fitting.shrunk_prs(other._replace(given=given))[row], prs[row])


def test_a_busy_player_is_weighed_down() -> None:
    rows = np.arange(len(plays().made))
    weights = fitting.weights_of(plays(), rows, 100)
    hers = plays().player == 0
    assert weights[hers].sum() == pytest.approx(100)
    assert (weights[~hers] == 1).all()


def test_a_level_gives_away_what_its_name_says() -> None:
    rows = np.arange(len(plays().made))
    net = fitting.fitted(plays(), rows, TINY)
    rows = rows[::6]
    model = judging.calibrated(net, plays(), Parts(rows, rows, rows), seed=1)
    constant, slope = judging.loss_of_prs(plays(), judging.people_prs(plays()))
    assert (np.diff(model.inner) >= 0).all()
    inside = [
        (pr, inner)
        for pr, inner in zip(model.named, model.inner, strict=True)
        if pr * judging.RATIOS[0] < inner < pr * judging.RATIOS[-1]
    ]
    for pr, inner in inside:
        lost = judging.expected(model.net, plays(), rows, np.full(len(rows), inner)).loss.mean()
        assert lost == pytest.approx(judging.SHALLOW * (constant + slope * pr), rel=0.05)
    assert inside


def test_a_model_file_is_read_as_written_and_others_are_refused(tmp_path: Path) -> None:
    model = people_model()
    save_people(tmp_path / "same.npz", model)
    for first, second in zip(people_model(tmp_path / "same.npz").net, model.net, strict=True):
        np.testing.assert_array_equal(first, second)
    save_people(
        tmp_path / "short.npz",
        model._replace(net=model.net._replace(figures=np.zeros((3, 4), np.float32))),
    )
    with pytest.raises(BadPeople, match="other figures"):
        people_model(tmp_path / "short.npz")
    np.savez(tmp_path / "old.npz", version=np.array(1))
    with pytest.raises(BadPeople, match="version"):
        people_model(tmp_path / "old.npz")


def test_facts_take_the_input_at_its_place() -> None:
    spots, _ = plays().spots(np.array([3, 1]), np.array([4.0, 9.0]))
    assert spots.facts[:, PR].tolist() == [4.0, 9.0]


def test_too_few_matches_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "people.npz"
    few = ROOT / "tests" / "data" / "interop" / "oldmoves-2games.mat"
    assert main(["train", "people", str(few), "--out", str(out)]) == 2
    assert "a few dozen are needed" in capsys.readouterr().err
    assert not out.exists()
    missing = tmp_path / "none.mat"
    assert main(["train", "people", str(missing), "--out", str(out)]) == 2
    assert "none.mat" in capsys.readouterr().err
