"""Whatever an archive holds, in whatever order, is told as a record that every reader can use."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

from hypothesis import example, given
from hypothesis import strategies as st

from sixprime.bot.analysis.matches import turns_of
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.archive.matchrecord import RecordBuilder
from sixprime.bot.matchlog.eventjson import body_of, event_of, kind_of
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    Evidence,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Rated,
    Resigning,
    Sending,
    VariantSeen,
    Who,
)
from sixprime.engine.position import Position, Step, Variant
from sixprime.protocols.formats.record import (
    Break,
    CannotCarry,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.recordjson import from_json, to_json

WHO = Who("fibs.com", "anna", "ben")
MORNING = dt.datetime(2026, 11, 21, 9, tzinfo=dt.UTC)
START = Position.start()

number = st.integers(-1, 5) | st.integers()
few = st.integers(1, 3) | number
seat = st.integers(0, 1) | number
score = st.just((0, 0)) | st.tuples(number, number)
count = st.integers(-1, 16) | st.integers()
side = st.just(START.mine) | st.lists(count, min_size=24, max_size=26).map(tuple)
position = st.just(START) | st.builds(Position, side, side, st.just(15) | number)
dice = st.tuples(st.integers(1, 6), st.integers(1, 6)) | st.tuples(number, number)
step = st.sampled_from((Step(8, 5), Step(6, 5), Step(24, 18))) | st.builds(Step, number, number)
play = st.none() | st.just(()) | st.lists(step, max_size=5).map(tuple)
words = st.text(max_size=8)
moment = st.just(MORNING)
action = st.one_of(
    st.builds(Turn, seat, dice, play),
    st.builds(Cube, seat, st.sampled_from(CubeStep)),
    st.builds(Resignation, seat, st.sampled_from(ResignStep), few),
    st.builds(Interruption, seat, st.sampled_from(Break), st.none() | moment),
    st.builds(SetBoard, seat, position, st.sampled_from((1, 2, 4)) | number, st.none() | seat),
)
result = st.builds(GameResult, seat, few, st.sampled_from(Ending))
game = st.builds(
    Game,
    score,
    st.booleans(),
    st.lists(action, max_size=6).map(tuple),
    st.none() | result,
    st.just(1) | number,
)
rating = st.builds(PlayerRating, st.none() | st.floats(allow_nan=False), st.none() | st.integers())
head = (st.just(WHO), moment)
event: st.SearchStrategy[Event] = st.one_of(
    st.builds(MatchStarted, *head, st.none() | number, st.booleans(), score, rating, rating, words),
    st.builds(GameStarted, *head, score, st.booleans()),
    st.builds(Acted, *head, action),
    st.builds(Acted, *head, action),
    st.builds(Acted, *head, action),
    st.builds(Resigning, *head, few),
    st.builds(Sending, *head, action),
    st.builds(GameOver, *head, result, score),
    st.builds(MatchSaved, *head, words),
    st.builds(MatchOver, *head, seat, score),
    st.builds(GameRecovered, *head, game),
    st.builds(Rated, *head, rating, rating),
    st.builds(VariantSeen, *head, st.sampled_from(Variant)),
    st.builds(Evidence, *head, words, st.just(())),
)

STARTED = MatchStarted(WHO, MORNING, 3, False, (0, 0), PlayerRating(), PlayerRating(), "")


def began(at: tuple[int, int]) -> Event:
    return GameStarted(WHO, MORNING, at, crawford=False)


def ended(winner: int, points: int) -> Event:
    return GameOver(WHO, MORNING, GameResult(winner, points, Ending.BORNE_OFF), (0, 0))


@given(st.lists(event, max_size=30))
@example([STARTED, began((0, 0)), ended(0, 0), began((1, 0)), ended(0, 1)])
def test_any_events_in_any_order_are_told_as_a_record(events: list[Event]) -> None:
    builder = RecordBuilder(WHO)
    for each in events:
        assert event_of(kind_of(each), WHO, each.at, body_of(each)) == each
        builder.add(each)
        assert builder.last_is_doubtful in (True, False)
        assert builder.may_have_ended in (True, False)
    match = builder.match()
    assert from_json(to_json(match)) == match
    for each_game in match.games:
        assert list(turns_of(match, each_game)) is not None
    for form in FORMATS.values():
        with suppress(CannotCarry):
            assert form.reading(form.write(match)).matches
