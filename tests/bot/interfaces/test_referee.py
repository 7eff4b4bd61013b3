"""gnubg as opponent and referee: what it is told, what it says, and real matches at its table."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.interfaces.external import ExternalPlayer
from sixprime.bot.interfaces.referee import (
    Opponent,
    RefereedMatch,
    judged,
    refereed_matches,
    report,
    script,
)
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Match,
    Player,
)
from tests.support.gnubg.players import TidyPlayer

pytestmark = pytest.mark.patient

SAID = """\
Players will be known as `gnubg' and `sixprime'.
A new 5 points match has been started.
gnubg wins a single game and 4 points.
The score (after 1 game) is: gnubg 4, sixprime 0 (match to 5 points, Crawford game)\
sixprime wins a gammon and 2 points.
The score (after 2 games) is: gnubg 4, sixprime 2 (match to 5 points, post-Crawford play)\
gnubg wins a single game and 1 point.
The score (after 3 games) is: gnubg 5, sixprime 2 (match to 5 points)gnubg has won the match.
 GNU Backgammon  Position ID: 9gEAAMdJHAA8AA
Dice rolls will be analysed.
Actual and luck adjusted results for gnubg

Game       Actual     Luck adj.

         0     67.00%     61.26%
     Final    100.00%     70.25%
"""


def test_results_and_scores_are_no_remarks() -> None:
    played = judged(SAID, Path("none.sgf"), seed=3, seat=1, questions=40)
    assert played.remarks == ()
    assert played.luck_adjusted == pytest.approx(0.2975)
    assert not played.finished


def test_anything_else_that_gnubg_says_is_a_remark() -> None:
    complaint = "Badly formed move in external player's answer."
    said = SAID.replace("sixprime wins a gammon", f"{complaint}\nsixprime wins a gammon")
    assert judged(said, Path("none.sgf"), 3, 1, 40).remarks == (complaint,)
    refused = "localhost: Connection refused\n"
    assert judged(refused, Path("none.sgf"), 3, 1, 0).remarks == (refused.strip(),)


def test_gnubg_is_told_who_sits_where() -> None:
    said = script(Opponent(plies=1, noise=0.25), 5, 42, 1, 4000, Path("x y.sgf"))
    assert "set player 1 external 127.0.0.1:4000\n" in said
    assert "set player 0 chequer evaluation plies 1\n" in said
    assert "set player 0 cubedecision evaluation noise 0.25\n" in said
    assert "set defaultnames gnubg sixprime\n" in said
    assert "new match 5\n" in said
    assert 'save match "x y.sgf"\n' in said


def match_of(*games: Game) -> Match:
    return Match((Player("sixprime"), Player("gnubg")), 3, games)


def test_a_report_counts_for_us_whatever_our_seat() -> None:
    game = Game(
        actions=(Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.DROP)),
        result=GameResult(1, 1, Ending.DROPPED),
    )
    last = Game(score=(0, 1), result=GameResult(1, 2, Ending.BORNE_OFF))
    lost = RefereedMatch(1, 0, match_of(game, last), 0.25, (), 10)
    won = replace(lost, seat=1, luck_adjusted=0.75)
    unfinished = RefereedMatch(2, 0, match_of(game), None, ("oh",), 1)
    found = report([lost, won, unfinished])
    assert (found.matches, found.finished, found.won) == (3, 2, 1)
    assert (found.games, found.games_won, found.points) == (5, 2, (3, 4))
    assert (found.our_actions.doubles, found.our_actions.drops) == (1, 2)
    assert (found.their_actions.doubles, found.their_actions.drops) == (2, 1)
    assert found.chance is not None
    assert found.chance.mean == 0.5
    assert found.luck_adjusted is not None
    assert found.luck_adjusted.mean == 0.5
    assert found.remarks == ("seed 2 seat 0: oh", "seed 2 seat 0: unfinished")
    assert json.dumps(found.described())


def test_bad_input_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["referee", "--length", "65"]) == 2
    assert capsys.readouterr().err == "sixprime referee: --length 65: 1 to 64 are possible\n"
    assert main(["referee", "--peer-plies", "5"]) == 2
    assert "0 to 4 plies" in capsys.readouterr().err
    assert main(["referee", "--log", __file__]) == 2
    assert capsys.readouterr().err == f"sixprime referee: --log {__file__}: File exists\n"


def played(
    decider: ExternalPlayer, matches: int, length: int, seed: int, folder: Path
) -> list[RefereedMatch]:
    async def collect() -> list[RefereedMatch]:
        table = refereed_matches(
            decider,
            Opponent(plies=0, noise=0.02),
            matches=matches,
            length=length,
            seed=seed,
            limit_s=300,
            folder=folder,
        )
        return [match async for match in table]

    return asyncio.run(collect())


@pytest.mark.gnubg
def test_gnubg_plays_a_match_from_each_seat_without_complaint(tmp_path: Path) -> None:
    kept = tmp_path / "aufgehobene Märsche"  # gnubg is told nothing but ASCII
    kept.mkdir()
    matches = played(TidyPlayer(1), 2, 3, 7, kept)
    found = report(matches)
    assert found.remarks == ()
    assert found.finished == 2
    assert [match.seat for match in matches] == [0, 1]
    assert all(match.luck_adjusted is not None for match in matches)
    assert len(list(kept.glob("*.sgf"))) == 2


@pytest.mark.gnubg
def test_our_engine_and_gnubg_finish_two_matches_and_report(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = "--matches 2 --length 5 --level expert --peer-plies 0 --seed 11 --log"
    assert main(["referee", *words.split(), str(tmp_path)]) == 0
    out, err = capfd.readouterr()
    found = json.loads(out)
    assert (found["finished"], found["remarks"]) == (2, [])
    assert (found["level"], found["opponent"]) == ("expert", "gnubg 0-ply")
    assert err.startswith("match 1 of 2: seat 0, ")


@pytest.mark.gnubg
@pytest.mark.slow
def test_gnubg_plays_ten_matches_with_all_that_can_happen_without_complaint(tmp_path: Path) -> None:
    found = report(played(TidyPlayer(1), 10, 5, 7, tmp_path))
    assert found.remarks == ()
    assert found.finished == 10
    ours, theirs = found.our_actions, found.their_actions
    assert min(ours.doubles, ours.takes, ours.drops, ours.resignations) > 0
    assert min(theirs.doubles, theirs.takes) > 0


class StayBack(TidyPlayer):
    """Falls behind and offers a single game where gnubg hopes for a gammon, again and again."""

    offers = 0

    def refereed_matches(self, position: Position, match: MatchState) -> Play:
        assert match.dice is not None
        return min(
            legal_plays(position, match.dice), key=lambda each: sum(each.result.mine[:18])
        ).play

    def double(self, position: Position, match: MatchState) -> bool:
        return False

    def resign(self, position: Position, match: MatchState) -> int:
        hopeless = sum(position.theirs) < 12 and sum(position.mine) == position.checkers
        self.offers += hopeless
        return int(hopeless)


@pytest.mark.gnubg
def test_a_resignation_that_gnubg_declines_does_not_stop_the_game(tmp_path: Path) -> None:
    decider = StayBack(1)
    (match,) = played(decider, 1, 3, 7, tmp_path)
    assert match.remarks == ()
    assert match.finished
    assert match.record is not None
    assert decider.offers > len(match.record.games)
