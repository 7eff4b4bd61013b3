"""What a demonstration leaves behind, in the real gnubg: each log is the match of the archive."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.matchfiles import read_matches
from sixprime.bot.cli.main import main
from sixprime.bot.demo.demonstration import Plan
from sixprime.engine.position import Dice, Position
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import Cube, CubeStep, Match, Turn, settled
from sixprime.protocols.formats.replay import moments
from tests.support.gnubg.matches import exported, resigned_dearly

pytestmark = pytest.mark.gnubg

Told = tuple[int, Dice, Position] | tuple[int, CubeStep]


def told(match: Match) -> list[list[Told]]:
    """Who rolled what and how the board stood afterwards, and what was done with the cube.

    Plays that lead to the same board are the same. A file tells a roll that nobody played as a
    dance or not at all, so it is left out.
    """
    games = []
    for game in match.games:
        acts: list[Told] = []
        for moment in moments(match, game):
            match moment.action:
                case Turn(seat, dice, play) if play:
                    low, high = sorted(dice)
                    acts.append((seat, (low, high), moment.position.after(play)))
                case Cube(seat, step):
                    acts.append((seat, step))
        games.append(acts)
    return games


def results(match: Match) -> list[tuple[int, int]]:
    """Who won how much, game by game."""
    return [(each.result.winner, each.result.points) for each in match.games if each.result]


def dances(match: Match) -> int:
    """How often nobody could move."""
    turns = [each for game in match.games for each in settled(game) if isinstance(each, Turn)]
    return sum(turn.play == () for turn in turns)


@pytest.mark.parametrize(
    ("seed", "variant"), [(1, "standard"), (2, "standard"), (3, "nackgammon"), (4, "hypergammon-2")]
)
def test_gnubg_replays_the_logs_of_a_demo_to_the_same_score_and_moves(
    seed: int, variant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.bot.client.lobby.desk.SETTLE_S", 0.1)
    arguments = ["demo", "--length", "3", "--seed", str(seed), "--out", str(tmp_path)]
    arguments += ["--variant", variant]
    assert main(arguments) == 0
    with closing(Archive(Plan(tmp_path, 3, 1, seed).archive)) as archive:
        (row,) = archive.rows()
        kept = archive.match(row.id)
        assert (row.our_score, row.their_score) == kept.score
    assert kept.finished
    logs = {path.suffix: path for path in (tmp_path / "matches").iterdir()}
    standard = {".fibs"} if variant == "standard" else set()
    assert set(logs) == {".sgf", ".mat"} | standard
    folder = tmp_path / "gnubg"
    folder.mkdir()
    seen = exported({f"log{s}": p.read_text() for s, p in logs.items()}, folder, jacoby={})
    for suffix, path in logs.items():
        (ours,) = read_matches(path)
        (gnubgs,) = mat.read_mat(seen[f"log{suffix}"]).strictly()
        names = [player.name for player in gnubgs.players]
        assert names == [player.name for player in kept.players], suffix
        assert told(ours) == told(gnubgs) == told(kept), suffix
        assert dances(gnubgs) >= dances(kept), suffix
        if suffix == ".fibs" and resigned_dearly(kept):
            continue  # gnubg takes every resignation of an oldmoves file for a single game
        assert results(gnubgs) == results(kept), suffix
        assert gnubgs.score == kept.score, suffix
        assert [game.score for game in gnubgs.games] == [game.score for game in kept.games]
