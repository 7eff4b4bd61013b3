"""What the engine saw of a cube, put into an SGF while a match is played, is what gnubg reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixprime.bot.client.thinking import considered
from sixprime.engine.position import Chances, MatchState, Position, Step
from sixprime.engine.search.cube import CubeDecision, cubeful_equity, judged
from sixprime.engine.search.decide import MONEY, CubeAdvice, Engine
from sixprime.engine.search.levels import Level, preset
from sixprime.engine.search.players import EnginePlayer
from sixprime.engine.search.plies import Seen
from sixprime.protocols.fibs.questions import AnswerDouble, Question, RollOrDouble
from sixprime.protocols.fibs.wire.board import board_of
from sixprime.protocols.formats.record import Analysis, Cube, CubeStep, Game, Match, Player, Turn
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.gnubg.program import typed

OUTCOMES: Chances = (0.66, 0.2, 0.02, 0.11, 0.01)
SEEN = {0: (0.45, 0.7), 5: (0.55, 0.57), 99: (0.55, 0.57)}  # ND and DT, by the length of a match
SCORE = (2, 1)


class Convinced(Engine):
    """An engine that always sees the same."""

    def __init__(self) -> None:
        self.level: Level = preset("expert")

    def cube(
        self, position: Position, match: MatchState = MONEY, *, cubeful: bool = True
    ) -> CubeAdvice:
        return CubeAdvice(verdict(match), OUTCOMES, Seen(OUTCOMES, *SEEN[match.length]))

    def resignation(
        self, position: Position, match: MatchState, seat: int, *, certain: bool = False
    ) -> int:
        return 0


def verdict(match: MatchState) -> CubeDecision:
    return judged(*SEEN[match.length], match.shortened(64))


def state(length: int, doubler: int) -> MatchState:
    score = SCORE if length else (0, 0)
    return MatchState(length=length, score=score, on_roll=doubler, to_act=doubler)


def seen(length: int, doubler: int) -> Analysis:
    """What goes into the record of our double, or of our answer to one."""
    match = state(length, doubler)
    question: Question
    if doubler == 0:
        board = board_of(Position.start(), match, opponent="marvin")
        question = RollOrDouble(board, may_double=True)
    else:
        doubled = match.with_(doubled=True, to_act=0)
        question = AnswerDouble(board_of(Position.start(), doubled, opponent="marvin"))
    found = considered(question, EnginePlayer(Convinced())).analysis
    assert found is not None
    return found


@pytest.mark.parametrize("doubler", [0, 1])
@pytest.mark.parametrize("length", [0, 5, 99])
def test_a_cube_is_recorded_in_mwc_in_a_match_and_in_equities_for_money(
    length: int, doubler: int
) -> None:
    cube, match = seen(length, doubler).cube, state(length, doubler).shortened(64)
    assert cube is not None
    assert (cube.no_double[6], cube.double_take[6]) == pytest.approx(SEEN[length])
    assert cube.no_double[:5] == cube.double_take[:5] == OUTCOMES
    dead = [
        cubeful_equity(OUTCOMES, each, 0.0).equity
        for each in (match, match.with_(cube=2, cube_owner=1 - doubler))
    ]
    assert [cube.no_double[5], cube.double_take[5]] == pytest.approx(dead)


@pytest.mark.gnubg
@pytest.mark.parametrize("doubler", [0, 1])
@pytest.mark.parametrize("length", [0, 5])
def test_gnubg_reads_the_equities_that_we_saw(length: int, doubler: int, tmp_path: Path) -> None:
    found = seen(length, doubler)
    actions = (
        Turn(1 - doubler, (3, 1), (Step(8, 5), Step(6, 5))),
        Cube(doubler, CubeStep.DOUBLE, found if doubler == 0 else None),
        Cube(1 - doubler, CubeStep.TAKE, found if doubler == 1 else None),
    )
    players = (Player("anna"), Player("marvin"))
    game = Game(SCORE if length else (0, 0), actions=actions)
    file, text = tmp_path / "live.sgf", tmp_path / "live.txt"
    file.write_text(sgf.write_sgf(Match(players, length, (game,))))
    typed(f"load match {file}\nexport match text {text}\n", tmp_path)
    shown = re.findall(r"^\d\. (\D+?) +([+-]\d\.\d{3})", text.read_text(), re.MULTILINE)
    ours = verdict(state(length, doubler)).equities
    labels = ("No double", "Double, take", "Double, pass")
    told = {label: float(number) for label, number in shown[:3]}  # then for the one who answers
    assert tuple(told[label] for label in labels) == pytest.approx(ours, abs=6e-4)
