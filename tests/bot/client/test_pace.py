"""The time from a question to our answer, on a clock that jumps."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.records import Records
from sixprime.bot.client.thinking import Considered, Thinker, hardness
from sixprime.bot.client.turn import OwnTurn, pause_of
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.schema import Pace, Profile
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import judged
from sixprime.engine.search.decide import CubeAdvice, Engine, MoveDecision
from sixprime.engine.search.levels import preset
from sixprime.engine.search.players import EnginePlayer
from sixprime.engine.search.plies import Candidate, Seen
from sixprime.protocols.fibs.questions import ChoosePlay, Question
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import board_of

PEOPLE = Pace(like="people", least_s=1.0, most_s=13.0)
ROLLED = MatchState(5, on_roll=0, to_act=0, dice=(3, 1))
QUESTION = ChoosePlay(board_of(Position.start(), ROLLED, opponent="x"), (3, 1))
CHANCES = (0.5, 0.1, 0.0, 0.1, 0.0)


class Asking:
    """A session with one question, which any command answers."""

    match = None

    def question(self) -> Question:
        return QUESTION

    def affords(self, command: c.Command, now: float) -> bool:
        return True


class Deciding:
    """A thinker that needs some time for one decision."""

    def __init__(self, took_s: float, hard: float) -> None:
        self.took_s, self.hard = took_s, hard

    async def decide(self, question: Question, *, may_resign: bool = True) -> Considered:
        await asyncio.sleep(self.took_s)
        return Considered(c.Roll(), level="expert", took_s=self.took_s, hardness=self.hard)


class Silent:
    def sending(self, command: c.Command) -> None: ...
    def decided(self, decision: Considered) -> None: ...


def answered_after(pace: Mapping[str, Any], hard: float, took_s: float = 0.0) -> float:
    """Ask once; return the seconds until our command is ready to send."""
    text = f"account: {{user: anna}}\nplayer: {{pace: {dict(pace)}}}\n"
    profile: Profile = read_config(text, Path("x.yaml")).profiles[0]

    async def ask() -> float:
        thinker = cast(Thinker, Deciding(took_s, hard))
        metrics = BotMetrics()
        turn = OwnTurn(profile, thinker, cast(Records, Silent()), metrics)
        session, loop = cast(Session, Asking()), asyncio.get_running_loop()
        stirred = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            turn.attach(group, stirred.set)
            turn.start_thinking(session, loop.time())
            await stirred.wait()
            while turn.answer(session, loop.time()) is None:
                wake = turn.wake_at(loop.time())
                assert wake is not None
                await asyncio.sleep(wake - loop.time())
        return loop.time()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(ask())


def test_people_answer_at_once_where_there_is_no_choice_and_late_where_it_is_hard() -> None:
    pace = {"like": "people", "least_s": 1, "most_s": 13}
    assert answered_after(pace, 0.0) == pytest.approx(1.0)
    assert answered_after(pace, 0.9) > 7.0


def test_the_usual_pace_does_not_look_at_the_choice() -> None:
    """Any time between the bounds, as before."""
    times = [answered_after({"least_s": 2, "most_s": 3}, hard) for hard in (0.0, 0.9)]
    assert all(2.0 <= time <= 3.0 for time in times)


def test_thinking_counts() -> None:
    pace = {"like": "people", "least_s": 1, "most_s": 13}
    assert answered_after(pace, 0.0, took_s=5.0) == pytest.approx(5.0)
    assert answered_after(pace, 0.5, took_s=0.5) <= 13.0


@given(st.floats(0, 1), st.integers(0, 999))
def test_a_pause_keeps_the_bounds(hard: float, seed: int) -> None:
    pause = pause_of(Considered(None, hardness=hard), PEOPLE, random.Random(seed))
    assert PEOPLE.least_s <= pause <= PEOPLE.most_s


def test_harder_choices_take_longer_on_average() -> None:
    dice = random.Random(1)
    means = [
        mean(pause_of(Considered(None, hardness=hard), PEOPLE, dice) for _ in range(200))
        for hard in (0.0, 0.2, 0.5, 0.9)
    ]
    assert means == sorted(means)
    assert means[0] == PEOPLE.least_s


def played(*equities: float) -> float:
    """How hard it is to choose between plays of these equities."""
    start = Position.start()
    plays = [Candidate((), start, equity, None, CHANCES, 0) for equity in equities]
    return of(MoveDecision(tuple(plays)), ROLLED)


def cube(no_double: float, double_take: float, match: MatchState) -> float:
    worths = no_double, double_take
    return of(CubeAdvice(judged(*worths, match), CHANCES, Seen(CHANCES, *worths)), match)


def of(seen: MoveDecision | CubeAdvice, match: MatchState) -> float:
    player = EnginePlayer(cast(Engine, None))
    player.seen = seen, preset("expert")
    return hardness(player, match)


def test_close_choices_and_many_plays_are_hard() -> None:
    assert played(0.3) == 0.0
    assert played(0.3, -0.5) < 0.1 < played(0.3, 0.25) < played(0.3, 0.299) < 1.0
    assert played(0.3, 0.299) < played(0.3, 0.299, *[0.1] * 8) < 1.0
    assert hardness(EnginePlayer(cast(Engine, None)), ROLLED) == 0.0  # nobody was asked


def test_cubes_near_a_turning_point_are_hard() -> None:
    money = MatchState()
    answering = money.with_(doubled=True, to_act=1)
    assert cube(-0.2, -0.9, money) < 0.2 < cube(0.5, 0.49, money)
    assert cube(0.6, 0.2, answering) < cube(0.6, 0.98, answering)
    assert cube(0.6, 0.98, money) < cube(0.6, 0.98, answering)  # double, but is it a take?
