"""A decision always comes: from the level asked for, a cheaper one, or at random."""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.ladder import ladder, level_name
from sixprime.bot.client.thinking import BrokenEngine, Rung, Thinker, considered
from sixprime.bot.interfaces.external import ExternalEngine
from sixprime.bot.settings.schema import Pace, PlayerSettings
from sixprime.engine.compiling.kept import compiling
from sixprime.engine.game import Answer
from sixprime.engine.nets.weights import BadWeights
from sixprime.engine.people import Person
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search import players
from sixprime.engine.search.decide import Engine, MoveDecision
from sixprime.engine.search.levels import preset
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer, PipCounter
from sixprime.engine.system.errors import ConfigError
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Question,
    RollOrDouble,
)
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import DOWN, UP, FibsBoard, O, X, board_of
from tests.support.engine.brains import random_brain

PLAYING = MatchState(length=5, on_roll=0, to_act=0)


def board(position: Position | None = None, colour: int = O, **match: object) -> FibsBoard:
    state = PLAYING.with_(**match)
    return board_of(position or Position.start(), state, opponent="marvin", colour=colour)


def questions(colour: int = O) -> list[Question]:
    doubled = board(colour=colour, doubled=True, on_roll=1, to_act=0)
    return [
        ChoosePlay(board(colour=colour, dice=(3, 1)), (3, 1)),
        RollOrDouble(board(colour=colour), may_double=True),
        AnswerDouble(doubled),
        AnswerResignation(board(colour=colour), 2),
        JoinNextGame(),
    ]


def decide(rungs: list[Rung], question: Question) -> c.Command | None:
    return asyncio.run(Thinker(rungs, dice=random.Random(1)).decide(question)).command


class Bad(PipCounter):
    """Crashes at everything."""

    def play(self, position: Position, match: MatchState) -> Play:
        raise RuntimeError("broken")

    def double(self, position: Position, match: MatchState) -> bool:
        raise RuntimeError("broken")

    def answer(self, position: Position, match: MatchState) -> Answer:
        raise RuntimeError("broken")

    def accept(self, position: Position, match: MatchState) -> bool:
        raise RuntimeError("broken")


class Slow(PipCounter):
    """Thinks for half a second."""

    def play(self, position: Position, match: MatchState) -> Play:
        time.sleep(0.5)
        return super().play(position, match)


class Cheat(PipCounter):
    """Moves as it likes."""

    def play(self, position: Position, match: MatchState) -> Play:
        return legal_plays(position, (6, 6))[0].play


class Resigns(PipCounter):
    """Gives up a gammon at once."""

    def resign(self, position: Position, match: MatchState) -> int:
        return 2


PLAIN = Rung("plain", PipCounter, 5.0)


@pytest.mark.parametrize("colour", [O, X])
def test_a_play_is_sent_in_the_direction_of_the_board(colour: int) -> None:
    command = decide([PLAIN], questions(colour)[0])
    assert isinstance(command, c.Move)
    assert command.direction == (DOWN if colour == O else UP)
    assert command.play in [legal.play for legal in legal_plays(Position.start(), (3, 1))]


def test_the_quiet_answers() -> None:
    answers = [decide([PLAIN], question) for question in questions()[1:]]
    assert answers == [c.Roll(), c.Accept(), c.Accept(), c.JoinNext()]


def test_no_legal_play_needs_no_command() -> None:
    mine = (0,) * 24 + (15,)
    theirs = (2,) * 6 + (0,) * 18 + (3,)
    question = ChoosePlay(board(Position(mine, theirs), dice=(3, 1)), (3, 1))
    assert decide([PLAIN], question) is None


@pytest.mark.parametrize(
    ("broken", "event"),
    [(Bad, "thinking failed"), (Cheat, "thinking failed"), (Slow, "thinking takes too long")],
)
def test_what_fails_is_decided_one_rung_cheaper(broken: type[BackgammonPlayer], event: str) -> None:
    with capture_logs() as logs:
        within_s = 0.1 if broken is Slow else 60.0
        command = decide([Rung("bad", broken, within_s), PLAIN], questions()[0])
    assert isinstance(command, c.Move)
    assert [(entry["event"], entry["level"]) for entry in logs] == [(event, "bad")]


def test_when_everything_fails_something_legal_is_played_and_told() -> None:
    bad = [Rung("bad", Bad, 5.0)] * 4
    for question in questions()[:4]:
        with capture_logs() as logs:
            command = decide(bad, question)
        assert command is not None
        command.line()
        expected = 0 if isinstance(question, RollOrDouble) else 1
        events = [entry["event"] for entry in logs]
        assert events.count("deciding at random") in (expected, 1)


def test_an_abandoned_decision_does_not_disturb_the_next_one() -> None:
    made: list[BackgammonPlayer] = []

    def make() -> BackgammonPlayer:
        made.append(Slow() if not made else PipCounter())
        return made[-1]

    async def twice() -> list[str]:
        thinker = Thinker([Rung("first", make, 0.1), PLAIN])
        return [(await thinker.decide(questions()[0])).level for _ in range(2)]

    with capture_logs():
        assert asyncio.run(twice()) == ["plain", "first"]
    assert len(made) == 2


def test_a_question_that_no_longer_stands_leaves_its_player_to_itself() -> None:
    at_work: list[BackgammonPlayer] = []

    class Alone(PipCounter):
        def play(self, position: Position, match: MatchState) -> Play:
            assert self not in at_work
            at_work.append(self)
            time.sleep(0.3)
            at_work.remove(self)
            return super().play(position, match)

    async def twice() -> str:
        thinker = Thinker([Rung("first", Alone, 5.0), PLAIN])
        first = asyncio.create_task(thinker.decide(questions()[0]))
        await asyncio.sleep(0.1)
        first.cancel()
        return (await thinker.decide(questions()[0])).level

    with capture_logs() as logs:
        assert asyncio.run(twice()) == "first"
    assert logs == []


def test_resigning_can_be_forbidden() -> None:
    question = questions()[1]
    thinker = Thinker([Rung("r", Resigns, 5.0)])
    never = Thinker([Rung("r", Resigns, 5.0)], resigns=False)
    assert asyncio.run(thinker.decide(question)).command == c.Resign(2)
    assert asyncio.run(thinker.decide(question, may_resign=False)).command == c.Roll()
    assert asyncio.run(never.decide(question)).command == c.Roll()


def test_doubling_is_for_those_who_may() -> None:
    ahead = Position((5,) * 3 + (0,) * 22, (5,) * 3 + (0,) * 10 + (0,) * 12)
    ahead = replace(ahead, theirs=(0,) * 12 + (5,) * 1 + (0,) * 12)
    for may, expected in ((True, c.Double()), (False, c.Roll())):
        question = RollOrDouble(board(ahead), may_double=may)
        assert decide([PLAIN], question) == expected
    dead = RollOrDouble(board(ahead, cube=8, cube_owner=0), may_double=True)
    assert decide([PLAIN], dead) == c.Roll()


@pytest.mark.parametrize(
    ("points", "cube", "expected"),
    [(2, 2, c.Reject()), (4, 2, c.Accept()), (None, 1, c.Reject()), (3, 2, c.Reject())],
)
def test_a_resignation_is_counted_in_games(
    points: int | None, cube: int, expected: c.Command
) -> None:
    shown = board(cube=cube, cube_owner=None if cube == 1 else 0)
    assert decide([PLAIN], AnswerResignation(shown, points)) == expected


def test_without_any_player_no_gammon_is_given_away() -> None:
    with capture_logs():
        assert decide([], AnswerResignation(board(), 1)) == c.Reject()
        assert decide([], AnswerResignation(board(), 3)) == c.Accept()


@pytest.mark.slow  # compiles every kernel of the engine
def test_the_engine_answers_every_question() -> None:
    brain = random_brain()
    rung = Rung("expert", lambda: EnginePlayer(Engine(preset("expert"), brain=brain)), 500.0)
    for question in questions()[:4]:
        decision = asyncio.run(Thinker([rung]).decide(question))
        assert decision.command is not None
        assert decision.level == "expert"
        if isinstance(question, ChoosePlay):
            assert decision.analysis is not None
            assert len(decision.analysis.candidates) == 10
            assert decision.analysis.chosen == 0


def test_the_ladder_goes_down_to_a_plain_player() -> None:
    rungs = [rung.name for rung in ladder(PlayerSettings())]
    assert rungs == ["world-class", "cheaper: expert", "0-ply", "pips"]
    assert [rung.name for rung in ladder(PlayerSettings(level="pips"))] == ["pips"]


@pytest.mark.parametrize(
    ("level", "name"),
    [("pr 6.5", "pr 6.5"), ("PR6", "pr 6"), ({"pr": 6, "seed": 3}, "pr 6"), ("1650", "about 1650")],
)
def test_a_level_has_one_name_in_chat_log_and_archive(level: Any, name: str) -> None:
    assert ladder(PlayerSettings(level=level))[0].name == level_name(level) == name


def test_plays_and_cube_may_have_people_of_their_own() -> None:
    player = PlayerSettings(level="expert", cube_level="pr 6", pace=Pace(most_s=2.0))
    first = ladder(player)[0].make()
    assert isinstance(first, EnginePlayer)
    level = first._engine_for(PLAYING).level
    assert (level.person, level.cube_person) == (None, Person(6))


@pytest.mark.parametrize("resign", ["when-certain", "like-people"])
def test_only_who_resigns_like_people_gives_up_early(
    resign: Literal["when-certain", "like-people"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.engine.search.decide.resigns", lambda *_: 2)
    player = ladder(PlayerSettings(level="pr 6", resign=resign))[0].make()
    start = Position.start()
    assert player.resign(start, PLAYING) == (2 if resign == "like-people" else 0)
    assert ExternalEngine(Engine("pr 6", brain=random_brain())).resign(start, PLAYING) == 0


def test_the_play_that_was_made_is_recorded_even_if_ten_are_better() -> None:
    brain, seen = random_brain(), []
    for seed in range(1, 80):
        level = preset("pr 25").of_seed(seed)
        player = EnginePlayer(Engine(level, brain=brain))
        found = considered(questions()[0], player)
        assert found.analysis is not None
        assert found.analysis.chosen is not None
        assert player.seen is not None
        decision = player.seen[0]
        assert isinstance(decision, MoveDecision)
        made = found.analysis.candidates[found.analysis.chosen].play
        assert made == decision.played.play
        assert len(found.analysis.candidates) <= 11
        seen.append(decision.chosen)
    assert max(seen) > 10 > min(seen)


def test_levels_of_ones_own_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "levels.yaml"
    file.write_text("levels: {sleepy: {noise: 0.03}}")
    assert ladder(PlayerSettings(level="sleepy", levels_file=file))[0].name == "sleepy"
    assert ladder(PlayerSettings(level={"plies": 1}))[0].name == "custom"
    with pytest.raises(ConfigError, match="no setting 'plis', did you mean"):
        ladder(PlayerSettings(level={"plis": 1}))


def test_a_player_that_cannot_be_warmed_up_has_a_fault_until_it_can() -> None:
    made: list[type[PipCounter]] = [Bad, PipCounter]
    thinker = Thinker([Rung("bad", lambda: made.pop(0)(), 1.0), PLAIN])
    with capture_logs() as logs:
        with pytest.raises(BrokenEngine, match=r"^bad: broken$"):
            asyncio.run(thinker.warm_up())
        assert (thinker.ready, thinker.fault) == (False, "bad: broken")
        asyncio.run(thinker.warm_up())
    assert (thinker.ready, thinker.fault) == (True, None)
    assert [entry["event"] for entry in logs] == ["warming up failed"]


def test_warming_up_says_once_that_kernels_are_compiled() -> None:
    def compiles() -> PipCounter:
        for kernel in ("moves", "tree"):
            for tell in compiling:
                tell(kernel)
        return PipCounter()

    with capture_logs() as logs:
        asyncio.run(Thinker([Rung("engine", compiles, 1.0)]).warm_up())
    assert [each["event"] for each in logs] == ["getting ready"]
    assert compiling == []


def test_the_last_rung_is_for_a_late_decision_and_not_for_an_engine_that_fails() -> None:
    bad = Rung("bad", Bad, 5.0)

    async def decided(thinker: Thinker, times: int) -> list[str | None]:
        faults = []
        for _ in range(times):
            await thinker.decide(questions()[0])
            faults.append(thinker.fault)
        return faults

    with capture_logs() as logs:
        thinker = Thinker([bad, bad, PLAIN])
        assert asyncio.run(decided(thinker, 4)) == [None, None, "bad: broken", "bad: broken"]
        assert thinker.failures == 8
        assert asyncio.run(decided(Thinker([bad, PLAIN, PLAIN]), 9)) == [None] * 9
        assert asyncio.run(decided(Thinker([bad]), 3))[-1] == "bad: broken"
    assert [each["event"] for each in logs].count("the engine does not work") == 2


def test_without_its_nets_the_engine_is_no_pip_counter(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged() -> Path:
        raise BadWeights("brain-0123456789ab.npz: damaged")

    monkeypatch.setattr(players, "_shipped_brain", damaged)
    with capture_logs(), pytest.raises(BrokenEngine, match=r"world-class: .*npz: damaged"):
        asyncio.run(Thinker(ladder(PlayerSettings())).warm_up())
