"""The scribe writes down whatever the server says, in any order, and what it writes is told."""

from __future__ import annotations

import datetime as dt
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.archive.matchrecord import record_of
from sixprime.bot.matchlog.eventjson import body_of, event_of, kind_of
from sixprime.bot.matchlog.events import Acted, Event, GameStarted, MatchStarted, Who
from sixprime.bot.matchlog.scribe import Scribe
from sixprime.engine.position import MatchState, Position, Step
from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds, PutAside
from sixprime.protocols.fibs.linewatch import AnswerOrder
from sixprime.protocols.fibs.match import MatchInPlay
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.wire import matches, turns
from sixprime.protocols.fibs.wire.board import FibsBoard, board_of
from sixprime.protocols.fibs.wire.commands import Login, Move
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refused
from sixprime.protocols.formats.record import Cube, CubeStep, Interruption, Match, SetBoard, Turn
from sixprime.protocols.formats.replay import moments
from tests.support.formats.played import MATCHES

WHO = Who("fibs.com", "anna", "ben")
MORNING = dt.datetime(2026, 11, 21, 9, tzinfo=dt.UTC)
BEN = Player("ben")
BEGINS = MatchBegins(BEN, Beginning.NEW)
KINDS = [
    kind
    for module in (turns, matches)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Message) and kind.__module__ == module.__name__
]


def said_as(kind: type[Message]) -> st.SearchStrategy[Message]:
    """Any message of a class; that dice show 1 to 6 is the parser's promise."""
    promised = {"mine": die, "theirs": die, "dice": st.tuples(die, die)}
    return st.builds(kind, **{name: promised[name] for name in promised.keys() & fields_of(kind)})


def fields_of(kind: type[Message]) -> set[str]:
    return {each.name for each in fields(kind)} if is_dataclass(kind) else set()


def boards_of(match: Match) -> list[FibsBoard]:
    seen = [moment for game in match.games for moment in moments(match, game)]
    return [board_of(each.position, each.state, opponent="ben") for each in seen] or [
        board_of(Position.start(), MatchState(), opponent="ben")
    ]


def may_be(board: FibsBoard) -> bool:
    """Is it one that the parser would let through?"""
    return board.fault() is None


flags = st.booleans()
die = st.integers(1, 6)
dice = st.tuples(st.integers(0, 6), st.integers(0, 6))
some_board = MATCHES.flatmap(lambda match: st.sampled_from(boards_of(match)))
changed_board = st.builds(
    replace,
    some_board,
    turn=st.integers(-1, 1),
    dice=dice,
    opponent_dice=dice,
    cube=st.sampled_from((1, 2, 4, 8, 1 << 19)),
    score=st.tuples(st.integers(0, 999_999), st.integers(0, 9)),
    length=st.none() | st.integers(1, 9_998),
    may_double=st.tuples(flags, flags),
    was_doubled=flags,
    colour=st.sampled_from((-1, 1)),
    direction=st.sampled_from((-1, 1)),
    did_crawford=flags,
).filter(may_be)
message: st.SearchStrategy[object] = st.one_of(
    st.sampled_from(KINDS).flatmap(said_as),
    st.from_type(Refused),
    some_board,
    changed_board,
    st.builds(Move, st.lists(st.builds(Step, st.integers(1, 25), st.integers(0, 24))).map(tuple)),
    st.builds(
        MatchEnds, st.just(BEN), st.sampled_from(Ended), st.tuples(st.integers(), st.integers())
    ),
    st.sampled_from(PutAside),
    st.just(Session(Login("test", "anna", "secret"), 0.0)),
)


def written(scribe: Scribe, match: MatchInPlay, *said: Message) -> list[Event]:
    events: list[Event] = []
    for each in said:
        match.receive(each, 0.0)
        events += scribe.events_of(each, match, MORNING)
    return events


def test_the_length_of_a_match_that_nobody_announced_is_what_the_board_says() -> None:
    scribe = Scribe(WHO, Session(Login("test", WHO.account, "secret"), 0.0), "pips")
    match = MatchInPlay(MatchBegins(BEN, Beginning.FOUND), LearnedDialect(), AnswerOrder(), 0.0)
    state = MatchState(length=5, dice=(3, 1), on_roll=0)
    board = board_of(Position.start(), state, opponent="ben")
    begin = matches.GameStarts(BEN), turns.OpeningRoll(3, BEN, 1)
    events = written(scribe, match, *begin, board, matches.GameStarts(BEN), board)
    began = [each for each in events if isinstance(each, MatchStarted)]
    assert [(each.length, each.resumed) for each in began] == [(5, False)]
    assert [each.score for each in events if isinstance(each, GameStarted)] == [(0, 0)]
    assert [each.action for each in events if isinstance(each, Acted)] == [Turn(0, (3, 1))]


def test_a_match_that_begins_anew_where_a_saved_one_began_has_its_own_game() -> None:
    session = Session(Login("test", WHO.account, "secret"), 0.0)
    scribe = Scribe(WHO, session, "pips")
    board = board_of(Position.start(), MatchState(length=5, dice=(3, 1), on_roll=0), opponent="ben")
    for _ in range(2):
        match = MatchInPlay(MatchBegins(BEN, Beginning.FOUND), LearnedDialect(), AnswerOrder(), 0.0)
        events = written(scribe, match, matches.GameStarts(BEN), board)
        kinds = [type(each) for each in events]
        assert kinds == [MatchStarted, GameStarted, Acted]
        scribe.saved(PutAside.LINE_LOST, MORNING)
        scribe.resume(session)


def begun(*, we_roll: bool, length: int = 5) -> tuple[Scribe, MatchInPlay, list[Event]]:
    """A match at the opening roll 3-1 of one side."""
    scribe = Scribe(WHO, Session(Login("test", WHO.account, "secret"), 0.0), "pips")
    match = MatchInPlay(BEGINS, LearnedDialect(), AnswerOrder(), 0.0)
    state = MatchState(length=length, dice=(3, 1), on_roll=int(not we_roll))
    board = board_of(Position.start(), state, opponent="ben")
    return scribe, match, written(scribe, match, matches.JoinedYou(BEN, length), board)


def actions(events: list[Event]) -> list[object]:
    return [
        replace(e.action, at=None) if isinstance(e.action, Interruption) else e.action
        for e in events
        if isinstance(e, Acted)
    ]


POINT = (Step(8, 5), Step(6, 5))  # 3-1
BLOCK = (Step(8, 4), Step(6, 4))  # 4-2, and no other roll does it
DOWN = (Step(13, 8), Step(8, 6))  # 5-2, or 6-1, or 4-3


def theirs(view: Position, play: tuple[Step, ...]) -> Position:
    return view.flipped().after(play).flipped()


def test_what_we_sent_was_played_when_the_opponent_goes_on_before_its_board_comes() -> None:
    """Autoboard may be late or off; then the roll and the double are all that is heard of it."""
    moved = Position.start().after(POINT).flipped()
    late = board_of(moved, MatchState(length=5, on_roll=1), opponent="ben")
    for goes_on in (turns.PlayerRolls(BEN, (6, 5)), turns.OpponentDoubles(BEN)):
        scribe, match, events = begun(we_roll=True)
        events += scribe.said(Move(POINT, -1), MORNING)
        events += written(scribe, match, goes_on, late)
        assert actions(events)[:2] == [Turn(0, (3, 1)), Turn(0, (3, 1), POINT)]
        assert not [each for each in actions(events) if isinstance(each, SetBoard)]


def test_a_turn_of_the_opponent_that_was_not_heard_is_deduced_if_one_roll_fits() -> None:
    """We drop; meanwhile our move arrives, or had arrived, and the opponent plays."""
    after = Position.start().after(POINT)
    for heard in (True, False):
        for play, dice in ((BLOCK, (2, 4)), (DOWN, None)):
            scribe, match, events = begun(we_roll=True)
            events += scribe.said(Move(POINT, -1), MORNING)
            if heard:
                board = board_of(after.flipped(), MatchState(length=5, on_roll=1), opponent="ben")
                events += written(scribe, match, board)
            events += scribe.saved(PutAside.LINE_LOST, MORNING)
            scribe.resume(Session(Login("test", WHO.account, "secret"), 0.0))
            board = board_of(theirs(after, play), MatchState(length=5, on_roll=0), opponent="ben")
            events += written(scribe, match, matches.Resumed(BEN), board)
            played = [each for each in actions(events) if isinstance(each, Turn) and each.play]
            ours = Turn(0, (3, 1), POINT)
            if dice is None:
                assert played == [ours] * heard
                assert isinstance(actions(events)[-1], SetBoard)
            else:
                assert played == [ours, Turn(1, dice, play)]


def test_nothing_is_deduced_where_we_may_have_danced_between_two_turns() -> None:
    """On the bar the server rolls for us, unless we may double."""
    split = (Step(24, 23), Step(13, 10))  # 3-1
    board = theirs(Position.start().after(split), (Step(6, 2), Step(24, 22)))  # 4-2 hits
    for length, last in ((1, SetBoard), (5, Turn)):
        scribe, match, _ = begun(we_roll=True, length=length)
        scribe.said(Move(split, -1), MORNING)
        shown = board_of(board, MatchState(length=length, on_roll=0), opponent="ben")
        assert type(actions(written(scribe, match, shown))[-1]) is last


def test_a_take_that_was_not_heard_is_deduced_with_the_turn_after_it_if_the_double_was() -> None:
    after = Position.start().after(POINT)
    moved = board_of(after.flipped(), MatchState(length=5, on_roll=1), opponent="ben")
    state = MatchState(length=5, on_roll=0, cube=2, cube_owner=0)
    taken = board_of(theirs(after, BLOCK), state, opponent="ben")
    for heard in (True, False):
        scribe, match, _ = begun(we_roll=True)
        events = written(scribe, match, moved, *[turns.OpponentDoubles(BEN)] * heard, taken)
        if heard:
            cubes = Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)
            assert actions(events)[-4:] == [*cubes, Turn(1, (2, 4)), Turn(1, (2, 4), BLOCK)]
        else:
            assert isinstance(actions(events)[-1], SetBoard)


def test_the_doubler_rolls_because_the_double_was_taken() -> None:
    """Whose line we could not read: of a user called 16, it looks like an echo."""
    scribe, match, _ = begun(we_roll=True)
    events = written(
        scribe,
        match,
        board_of(
            Position.start().after(POINT).flipped(), MatchState(length=5, on_roll=1), opponent="ben"
        ),
    )
    events += written(scribe, match, turns.OpponentDoubles(BEN), turns.PlayerRolls(BEN, (4, 2)))
    state = MatchState(length=5, on_roll=1, dice=(4, 2), cube=2, cube_owner=0)
    events += written(
        scribe, match, board_of(Position.start().after(POINT).flipped(), state, opponent="ben")
    )
    cubes = [each for each in actions(events) if isinstance(each, Cube)]
    assert cubes == [Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)]
    assert actions(events)[-1] == Turn(1, (4, 2))


@pytest.mark.parametrize("taken", [True, False])
@pytest.mark.parametrize("again", [(2, 1), (6, 5)])
def test_a_double_after_a_roll_of_the_server_makes_the_roll_void(
    taken: bool, again: tuple[int, int]
) -> None:
    """As on jIBS, which rolls for the side on roll while its double is on the way."""

    def shown(view: Position, **state: Any) -> FibsBoard:
        return board_of(view, MatchState(length=5, **state), opponent="ben")

    after = Position.start().after(POINT)
    answered = theirs(after, BLOCK)
    scribe, match, events = begun(we_roll=True)
    said: list[Message] = [
        shown(after.flipped(), on_roll=1),
        turns.PlayerRolls(BEN, (4, 2)),
        shown(answered, on_roll=0),
        turns.YouRoll((6, 5)),
        shown(answered, on_roll=0, dice=(6, 5)),
        turns.YouDouble(BEN),
    ]
    if taken:
        said += [
            turns.AcceptsDouble(BEN, 2),
            turns.YouRoll(again),
            shown(answered, on_roll=0, dice=again, cube=2, cube_owner=1),
        ]
    else:
        said.append(turns.GivesUp(BEN, 1))
    events += written(scribe, match, *said)
    record = record_of(WHO, events)
    step = CubeStep.TAKE if taken else CubeStep.DROP
    cubes = [Cube(0, CubeStep.DOUBLE), Cube(1, step)]
    assert list(record.games[0].actions[4:]) == [*cubes, *[Turn(0, again)] * taken]
    assert record.comment == ""


def test_their_double_after_a_roll_of_the_server_makes_the_roll_void_too() -> None:
    after = Position.start().after(POINT)
    free = board_of(after.flipped(), MatchState(length=5, on_roll=1), opponent="ben")
    scribe, match, events = begun(we_roll=True)
    events += written(
        scribe,
        match,
        free,
        turns.PlayerRolls(BEN, (6, 5)),
        turns.OpponentDoubles(BEN),
        turns.YouAcceptDouble(2),
        turns.PlayerRolls(BEN, (4, 2)),
    )
    record = record_of(WHO, events)
    cubes = [Cube(1, CubeStep.DOUBLE), Cube(0, CubeStep.TAKE)]
    assert list(record.games[0].actions[2:]) == [*cubes, Turn(1, (4, 2))]
    assert record.comment == ""


def test_a_board_at_another_score_is_another_game() -> None:
    """The end of the last one was lost with the connection; no line need announce the next."""
    scribe, match, events = begun(we_roll=False)
    events += scribe.saved(PutAside.LINE_LOST, MORNING)
    scribe.resume(Session(Login("test", WHO.account, "secret"), 0.0))
    state = MatchState(length=5, score=(1, 0), dice=(5, 2), on_roll=0)
    opening = turns.OpeningRoll(5, BEN, 2)
    events = written(
        scribe,
        match,
        matches.Resumed(BEN),
        opening,
        board_of(Position.start(), state, opponent="ben"),
    )
    assert [each.score for each in events if isinstance(each, GameStarted)] == [(1, 0)]
    assert actions(events)[-1] == Turn(0, (5, 2))


@given(st.lists(message, max_size=40))
def test_whatever_the_server_says_the_scribe_writes_what_can_be_told(said: list[object]) -> None:
    session = Session(Login("test", WHO.account, "secret"), 0.0)
    scribe, match = (
        Scribe(WHO, session, "pips"),
        MatchInPlay(BEGINS, LearnedDialect(), AnswerOrder(), 0.0),
    )
    events: list[Event] = []
    for each in said:
        if isinstance(each, FibsBoard):
            match.board, match.length, match.score = each, each.length, each.score
        if isinstance(each, Message):
            events += scribe.events_of(each, match, MORNING)
        elif isinstance(each, Move):
            events += scribe.said(each, MORNING)
        elif isinstance(each, MatchEnds):
            events += scribe.over(each, MORNING)
        elif isinstance(each, PutAside):
            events += scribe.saved(each, MORNING)
        elif isinstance(each, Session):
            scribe.resume(each)
    for event in events:
        assert event_of(kind_of(event), WHO, event.at, body_of(event)) == event
    record_of(WHO, events)
