"""Games between players: fair, repeatable, resumable, and told with an honest interval."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.bot.cli.main import main
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import games, gameseries
from sixprime.engine.lab.measuring.contestants import RandomPlayer
from sixprime.engine.lab.measuring.games import GameTally, GameTerms
from sixprime.engine.lab.measuring.gameseries import GameSeries
from sixprime.engine.lab.measuring.gnubg import GnubgPeer
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.position import Position

TERMS = GameTerms(block=20)
ABOUT = {"player": "random"}


class Onlooker(RandomPlayer):
    """A random player who remembers the dice of each call, and plays the highest result."""

    def __init__(self) -> None:
        super().__init__(7)
        self.seen: list[tuple[int, list[list[int]]]] = []

    def choose(self, boards: NDArray[np.int8], dice: NDArray[np.int8]) -> NDArray[np.int8]:
        self.seen.append((len(boards), dice.tolist()))
        return super().choose(boards, dice)


@pytest.mark.patient
def test_a_player_against_itself_is_exactly_even() -> None:
    both = games.play(RandomPlayer(), RandomPlayer(), games=40)
    assert (both.mean, both.half_width) == (0.0, 0.0)


def test_players_of_the_same_strength_are_about_even() -> None:
    score = games.play(RandomPlayer(1), RandomPlayer(2), games=2000)
    assert abs(score.mean) < 2 * score.half_width
    assert 0.02 < score.half_width < 0.2


def test_both_games_of_a_pair_have_the_same_dice_and_exchanged_seats() -> None:
    first, second = Onlooker(), Onlooker()
    games.play_block(first, second, TERMS, 0, 10)
    shared = 0
    for ours, theirs in zip(first.seen, second.seen, strict=False):
        if ours[0] == theirs[0] == 10:
            assert ours == theirs
            shared += 1
    assert shared > 10
    opening = first.seen[0][1]
    assert all(a != b for a, b in opening)


def test_opening_rolls_are_all_non_doubles_about_as_often() -> None:
    draws = games.dice_of(GameTerms(block=60_000), 0)
    dice = games.roll(draws, GameTerms(block=60_000), opening=True)
    counts = np.bincount(6 * (dice[:, 0] - 1) + dice[:, 1] - 1, minlength=36).reshape(6, 6)
    assert (np.diag(counts) == 0).all()
    others = counts[~np.eye(6, dtype=bool)]
    assert (np.abs(others - 1000) < 150).all()


@pytest.mark.parametrize(
    ("theirs", "points"),
    [({1: 3}, 1), ({1: 15}, 2), ({18: 1, 3: 14}, 2), ({19: 1, 3: 14}, 3), ({25: 1, 3: 14}, 3)],
)
def test_points_are_one_two_for_a_gammon_three_for_a_backgammon(
    theirs: dict[int, int], points: int
) -> None:
    side = tuple(theirs.get(point, 0) for point in range(1, 26))
    over = Position((0,) * 25, side)
    going = Position.start()
    boards = np.stack([over.array(), going.array()])
    assert games.points_won(boards, one_point=False).tolist() == [points, 0]
    assert games.points_won(boards, one_point=True).tolist() == [1, 0]
    assert over.result() == points


def test_a_score_has_the_normal_interval() -> None:
    values = np.array([1.0, -1.0, 0.5, 2.0, 0.0])
    score = Mean.from_sums(5, float(values.sum()), float((values**2).sum()))
    assert score.mean == pytest.approx(values.mean())
    assert score.half_width == pytest.approx(1.959964 * values.std(ddof=1) / np.sqrt(5))


def test_a_series_that_was_interrupted_ends_the_same(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    names = ("random", "random")
    whole = GameSeries(None, ABOUT)
    gameseries.play_series(names, 70, TERMS, whole)

    def stop(series: GameSeries) -> None:
        if len(series.blocks) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gameseries.play_series(names, 70, TERMS, GameSeries(state, ABOUT), report=stop)
    rest = GameSeries(state, ABOUT)
    assert len(rest.blocks) == 2
    gameseries.play_series(names, 70, TERMS, rest)
    assert rest.tally() == whole.tally() == GameSeries(state, ABOUT).tally()
    assert rest.tally().pairs == 35
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


def test_a_series_can_be_made_longer(tmp_path: Path) -> None:
    series = GameSeries(tmp_path / "state.json", ABOUT)
    gameseries.play_series(("random", "random"), 30, TERMS, series)
    assert series.missing(30, TERMS) == []
    assert series.missing(50, TERMS) == [(1, 10), (2, 5)]  # the half block is played again


def test_a_state_of_other_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    GameSeries(path, ABOUT).add(0, GameTally())
    with pytest.raises(LabError, match="other games"):
        GameSeries(path, {"player": "ours"})
    path.write_text(path.read_text()[:-9])
    with pytest.raises(LabError, match="not the state"):
        GameSeries(path, ABOUT)


def test_the_command_tells_the_games_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["strength", "games", "random", "random", "--games", "20", "--one-point"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 20
    assert told["win_percent"] == 50.0
    assert told["game"] == "one-point match"
    assert told["seed"] == 1


def test_the_command_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strength", "games", "random", "nobody"]) == 2
    assert "no player 'nobody'" in capsys.readouterr().err


@pytest.mark.gnubg
def test_gnubg_beats_random_plays() -> None:
    with GnubgPeer() as gnubg:
        score = games.play(gnubg, RandomPlayer(), games=40)
    assert score.interval[0] > 1
