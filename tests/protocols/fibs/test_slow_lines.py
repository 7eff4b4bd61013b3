"""Long round trips: a server executes what it receives, so nothing may be said twice."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.protocols.fibs.questions import AnswerDouble, AnswerResignation, RollOrDouble
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import IllegalCommand
from sixprime.protocols.fibs.wire.refusals import IN_GAME, Refusal
from tests.support.adversary.vocabulary import TIME
from tests.support.bot.simulator import Link, Robot, Simulator, play_match
from tests.support.fibs.plays import OUR_TURN, THEIR_TURN, Play


class Slow(Simulator):
    """A server far away: each piece takes half a round trip, and all stay in order."""

    def __init__(self, seed: int, least_s: float, most_s: float, dialect: Dialect) -> None:
        super().__init__(seed, dialect=dialect)
        self.trip = partial(self.random.uniform, least_s / 2, most_s / 2)
        self.logins: Counter[int] = Counter()

    def latency_s(self) -> float:
        return self.trip()

    def server_receives(self, link: Link, data: bytes) -> None:
        self.logins[link.sid] += data.startswith(b"login ")
        super().server_receives(link, data)


def said_in_vain(robot: Robot) -> list[str]:
    """Refusals of what was said twice, or too late."""
    late = IN_GAME | {Refusal.ANSWER_RESIGNATION}
    return [text for text in robot.refused if any(f"{why!r}" in text for why in late)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("least_s", "most_s"), [(24, 36), (30, 30), (24, 60)])
def test_nothing_is_said_twice_however_slow_the_line(
    seed: int, least_s: float, most_s: float
) -> None:
    simulator = Slow(seed, least_s, most_s, Dialect())
    play_match(simulator, 3)
    for robot in simulator.robots.values():
        assert said_in_vain(robot) == []
    assert set(simulator.logins.values()) == {1}


@pytest.mark.parametrize("seed", range(2))
def test_a_server_that_loses_commands_hears_them_again_and_none_twice(seed: int) -> None:
    simulator = Slow(seed, 24, 36, Dialect(swallow_every=9))
    play_match(simulator, 1)
    for robot in simulator.robots.values():
        assert said_in_vain(robot) == []


DOUBLED = THEIR_TURN.replace(":1:1:1:0:1:-1:", ":1:0:0:1:1:-1:")
RESIGNS = "marvin wants to resign. You will win 1 point. Type 'accept' or 'reject'."


def waits_for_its_answer(play: Play, *on_their_way: str) -> None:
    """Nothing that was on its way lets the command go out again."""
    for _ in range(3):
        play.hear(*on_their_way)
        assert play.session.question() is None
        play.wait(11.0)
        play.wanted()
        play.hear(*on_their_way)
        assert play.session.question() is None


def test_a_double_is_accepted_once_so_a_later_offer_is_not() -> None:
    play = Play().playing(THEIR_TURN, "marvin doubles. Type 'accept' or 'reject'.")
    assert isinstance(play.session.question(), AnswerDouble)
    play.send(c.Accept())
    waits_for_its_answer(play, DOUBLED, "marvin doubles. Type 'accept' or 'reject'.")
    play.hear("You accept the double. The cube shows 2.", RESIGNS)
    with pytest.raises(IllegalCommand):
        play.send(c.Accept())  # not before a board shows what it is worth


def test_a_resignation_is_answered_once() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.Roll())
    play.hear(RESIGNS)
    assert isinstance(play.session.question(), AnswerResignation)
    play.send(c.Reject())
    play.hear("** marvin wanted to resign. Type 'accept' or 'reject'.")  # the answer to our roll
    waits_for_its_answer(play, OUR_TURN)


def test_only_an_answer_to_a_later_question_shows_that_a_command_is_lost() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.send(c.AskTime())  # its answer shows nothing about the roll
    play.send(c.Roll())
    play.hear(TIME)
    waits_for_its_answer(play, OUR_TURN, "It's your turn. Please roll or double.")
    play.hear(TIME, OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)


def test_a_server_without_time_answers_with_our_own_line() -> None:
    play = Play().playing(OUR_TURN, "It's your turn. Please roll or double.")
    play.hear("** Unknown command: 'time'")
    play.send(c.Roll())
    play.wait(10.0)
    assert play.wanted() == ["rawwho sixbot", "board"]
    play.hear("5 sixbot marvin - 1 0 1512.50 40 0 1 h c -", "6", OUR_TURN)
    assert isinstance(play.session.question(), RollOrDouble)
