"""Our last command before a kill explains the board after it, where only one thing can."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from sixprime.bot.archive.fingerprint import moved
from sixprime.bot.archive.matchrecord import RecordBuilder
from sixprime.bot.matchlog.events import Acted, Event, GameStarted, Sending
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.replay import Moment, moments
from tests.support.archive.told import MORNING, WHO, began, fibs_match

pytestmark = pytest.mark.patient


def killed_at(
    match: Match, game: Game, sent: int, seen: Moment, *, sending: bool = True
) -> RecordBuilder:
    """A bot sends its action of this number, is killed, and finds this board."""
    builder = RecordBuilder(WHO)
    for event in story(match, game, sent, seen, sending=sending):
        builder.add(event)
    return builder


def story(match: Match, game: Game, sent: int, seen: Moment, *, sending: bool) -> Iterator[Event]:
    yield began(match.length, resumed=False, score=game.score)
    yield GameStarted(WHO, MORNING, game.score, game.crawford)
    for action in game.actions[:sent]:
        yield Acted(WHO, MORNING, action)
    ours = game.actions[sent]
    if isinstance(ours, Turn):
        yield Acted(WHO, MORNING, Turn(ours.seat, ours.dice))
    if sending:
        yield Sending(WHO, MORNING, ours)
    yield began(match.length, resumed=True, score=game.score)
    yield GameStarted(WHO, MORNING, game.score, game.crawford)
    state = seen.state
    yield Acted(WHO, MORNING, SetBoard(state.on_roll, seen.position, state.cube, state.cube_owner))


def played(builder: RecordBuilder) -> list[object]:
    return keys(builder.match().games[-1].actions)


def keys(actions: Sequence[Action]) -> list[object]:
    """The events without the order of dice and steps."""
    return [
        (each.seat, sorted(each.dice), moved(each.play or ())) if isinstance(each, Turn) else each
        for each in actions
        if isinstance(each, Cube | SetBoard) or (isinstance(each, Turn) and each.play is not None)
    ]


def test_what_we_sent_is_on_record_and_no_guess_is_wrong() -> None:
    dice = random.Random(1)
    found = whole = without = 0
    for seed in range(40):
        match = fibs_match(seed)
        game = dice.choice(match.games)
        if any(isinstance(each, Resignation) for each in game.actions):
            continue
        steps = list(enumerate(moments(match, game)))
        for (number, now), (_, _), (_, later) in zip(steps, steps[1:], steps[2:], strict=False):
            action = now.action
            is_ours = isinstance(action, Turn | Cube) and action.seat == 0
            ends = isinstance(action, Cube) and action.step is CubeStep.DROP
            if not is_ours or ends or later.state.doubled or later.state.on_roll != 0:
                continue
            found += 1
            expected = keys(game.actions[: number + 2])
            if (told := played(killed_at(match, game, number, later))) == expected:
                whole += 1
            else:
                assert isinstance(told[-1], SetBoard)  # a gap, for the server's list
                assert told[:-1] == expected[:number]
            told = played(killed_at(match, game, number, later, sending=False))
            without += told == expected
    assert found > 100
    assert whole > 0.3 * found  # more than one play leads to most boards
    assert without == 0


def test_a_command_that_never_arrived_changes_nothing() -> None:
    match = fibs_match(5)
    game = match.games[0]
    steps = list(moments(match, game))
    for number, (now, _) in enumerate(pairwise(steps)):
        if isinstance(now.action, Turn) and now.action.seat == 0:
            assert played(killed_at(match, game, number, now)) == keys(game.actions[:number])
