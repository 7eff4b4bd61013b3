"""The state table: the session does what it says, and nothing in it is superfluous."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds, PutAside
from sixprime.protocols.fibs.states import ALLOWED, IN_MATCH, NEXT, ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from tests.support.fibs.plays import (
    BETWEEN_GAMES,
    GREETING,
    MARVIN,
    OUR_DICE,
    OUR_TURN,
    OVER,
    THEIR_TURN,
    Play,
    own_line,
)
from tests.support.fibs.transcripts import TRANSCRIPTS, Transcript

S = ConnectionState
WELCOME, SETTINGS, MOTD, *REST = (line.format(me="sixbot") for line in GREETING)
WATCHES, AWAY = "You're now watching marvin.", "You're away. Please type 'back'"
JOINED = "** Player marvin has joined you for a 3 point match."
STARTS = "Starting a new game with marvin."
WINS = "marvin wins the game and gets 1 point. Sorry."
LEFT = "** Player marvin has left the game. The game was saved."

# Where it begins, what is heard one by one, and where that leads.
SCENES: list[tuple[S, str, tuple[tuple[str, S], ...]]] = [
    (S.AWAITING_PROMPT, "hears", (("a banner", S.AWAITING_PROMPT),)),
    (S.LOGGING_IN, "is prompted", (("login:", S.AWAITING_PROMPT), (WELCOME, S.GREETED))),
    (S.LOGGING_IN, "without a message of the day", ((WELCOME, S.GREETED), ("4", S.SETTING_UP))),
    (
        S.LOGGING_IN,
        "with one",
        (
            (WELCOME, S.GREETED),
            (SETTINGS, S.GREETED),
            (MOTD, S.READING_MOTD),
            (WATCHES, S.READING_MOTD),
            ("4", S.SETTING_UP),
        ),
    ),
    (S.SETTING_UP, "goes away", ((AWAY, S.AWAY), ("Welcome back.", S.IDLE))),
    (S.SETTING_UP, "watches", ((WATCHES, S.WATCHING),)),
    (S.SETTING_UP, "is joined", ((JOINED, S.STARTING),)),
    (S.IDLE, "goes away", ((AWAY, S.AWAY), (WATCHES, S.WATCHING), (AWAY, S.AWAY))),
    (S.IDLE, "watches", ((WATCHES, S.WATCHING), ("You stop watching marvin.", S.IDLE))),
    (
        S.IDLE,
        "watches one who leaves",
        ((WATCHES, S.WATCHING), ("marvin logs out. You're not watching anymore.", S.IDLE)),
    ),
    (S.IDLE, "is joined", ((JOINED, S.STARTING),)),
    (S.AWAY, "is joined", ((JOINED, S.STARTING),)),
    (S.WATCHING, "is joined", ((JOINED, S.STARTING),)),
    (S.STARTING, "plays", ((OUR_TURN, S.PLAYING), (OVER, S.PLAYING), (STARTS, S.STARTING))),
    (S.STARTING, "is asked to join", ((WINS, S.STARTING), (BETWEEN_GAMES, S.BETWEEN_GAMES))),
    (S.STARTING, "is left", ((LEFT, S.SETTING_UP),)),
    (
        S.PLAYING,
        "goes on",
        ((OVER, S.PLAYING), (BETWEEN_GAMES, S.BETWEEN_GAMES), (STARTS, S.STARTING)),
    ),
    (S.PLAYING, "is left", ((LEFT, S.SETTING_UP),)),
    (S.BETWEEN_GAMES, "shows a game", ((THEIR_TURN, S.PLAYING),)),
    (S.BETWEEN_GAMES, "is left", ((LEFT, S.SETTING_UP),)),
]


def online(*lines: str) -> Play:
    play = Play().idle()
    play.hear(*lines)
    return play


def greeted(*lines: str) -> Play:
    play = Play().prompted()
    play.hear(WELCOME, SETTINGS, *lines)
    return play


def setting_up() -> Play:
    return greeted(MOTD, "4")


def joined_the_next_game() -> Play:
    play = Play().playing(OUR_DICE, OVER, BETWEEN_GAMES)
    play.send(c.JoinNext())
    return play


AT: dict[S, Callable[[], Play]] = {
    S.AWAITING_PROMPT: Play,
    S.LOGGING_IN: lambda: Play().prompted(),
    S.GREETED: greeted,
    S.READING_MOTD: lambda: greeted(MOTD),
    S.SETTING_UP: setting_up,
    S.IDLE: lambda: Play().idle(),
    S.AWAY: lambda: online(AWAY),
    S.WATCHING: lambda: online(WATCHES),
    S.STARTING: lambda: Play().playing(),
    S.PLAYING: lambda: Play().playing(OUR_DICE),
    S.BETWEEN_GAMES: joined_the_next_game,
}


def act_scene(begins: S, steps: tuple[tuple[str, S], ...]) -> None:
    play = AT[begins]()
    assert play.session.state is begins
    for line, state in steps:
        play.hear(line)
        assert play.session.state is state, line


def close_at(state: S) -> None:
    """The end may come anywhere; in the message of the day only silence can tell it."""
    play = AT[state]()
    assert play.session.state is state
    if state is S.READING_MOTD:
        play.wait(91)
        play.wanted()
    else:
        play.hear("Connection timed out.")
    assert play.session.state is S.CLOSED


def checks() -> Iterator[Callable[[], object]]:
    """Everything that shows a state, the quickest first."""
    for begins, _, steps in SCENES:
        yield partial(act_scene, begins, steps)
    for state in AT:
        yield partial(close_at, state)


@pytest.mark.parametrize(
    ("begins", "steps"), [pytest.param(b, steps, id=f"{b.name} {how}") for b, how, steps in SCENES]
)
def test_a_line_leads_where_the_scene_says(begins: S, steps: tuple[tuple[str, S], ...]) -> None:
    act_scene(begins, steps)


@pytest.mark.parametrize("state", list(AT), ids=lambda state: state.name)
def test_the_end_may_come_anywhere(state: S) -> None:
    close_at(state)


ROWS = [(state, by) for state, rows in NEXT.items() for by in rows]


@pytest.mark.parametrize(
    ("state", "by"), ROWS, ids=[f"{state.name} {getattr(by, '__name__', by)}" for state, by in ROWS]
)
def test_every_row_is_needed(state: S, by: object, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {key: value for key, value in NEXT[state].items() if key is not by}
    monkeypatch.setitem(NEXT, state, rows)
    for check in checks():
        try:
            check()
        except AssertionError:
            return
    pytest.fail("nothing fails without this row")


def test_a_row_moves_somewhere() -> None:
    assert all(target is not state for state, rows in NEXT.items() for target in rows.values())


def test_the_tables_know_every_state() -> None:
    assert set(NEXT) == set(ConnectionState)
    assert set(ALLOWED) == set(ConnectionState)
    assert set(ConnectionState) > IN_MATCH
    assert set(AT) == set(ConnectionState) - {S.CLOSED}


# --- the match of a session


@pytest.mark.parametrize(
    ("line", "begins"),
    [
        (JOINED, MatchBegins(MARVIN, Beginning.NEW, 3)),
        (
            "** You are now playing an unlimited match with marvin",
            MatchBegins(MARVIN, Beginning.NEW, None),
        ),
        (
            "marvin has joined you. Your running match was loaded.",
            MatchBegins(MARVIN, Beginning.RESUMED),
        ),
        (STARTS, MatchBegins(MARVIN, Beginning.FOUND)),
        (OUR_DICE, MatchBegins(MARVIN, Beginning.FOUND)),
    ],
)
def test_a_match_begins_right_before_the_line_that_shows_it(line: str, begins: MatchBegins) -> None:
    heard = Play().idle().hear(line)
    assert heard[0] == begins
    assert len(heard) == 2


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (LEFT, PutAside.OPPONENT_LEFT),
        ("** You terminated the game. The game was saved.", PutAside.WE_LEFT),
        ("8 marvin marvin drops connection.", PutAside.OPPONENT_LOGGED_OUT),
        ("admin closes connection with marvin, who knows why", PutAside.OPPONENT_CUT_OFF),
        ("** You're not playing.", PutAside.NOT_PLAYING),
        (own_line("-"), PutAside.NOT_PLAYING),
    ],
)
def test_a_match_ends_right_behind_the_line_that_ends_it(line: str, why: PutAside) -> None:
    heard = Play().playing(OUR_DICE).hear(line)
    assert heard[1:] == [MatchEnds(MARVIN, Ended.SAVED, (0, 0), why)]


def test_another_match_puts_the_one_in_play_aside() -> None:
    heard = Play().playing(OUR_DICE).hear("** Player zaphod has joined you for a 1 point match.")
    kinds = [type(message) for message in heard[:2]]
    assert kinds == [MatchEnds, MatchBegins]
    assert heard[0] == MatchEnds(MARVIN, Ended.SAVED, (0, 0), PutAside.ANOTHER_MATCH)


def test_a_match_that_was_put_aside_ends_once_more_with_a_late_result() -> None:
    play = Play().playing(THEIR_TURN)
    heard = play.hear(own_line("-"), "marvin wins the 5 point match 5-2 .")
    ends = [message for message in heard if isinstance(message, MatchEnds)]
    assert [each.how for each in ends] == [Ended.SAVED, Ended.LOST]
    assert ends[1] == MatchEnds(MARVIN, Ended.LOST, (2, 5))


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=str)
def test_matches_begin_and_end_in_turns(transcript: Transcript) -> None:
    play = Play(transcript.player).idle()
    open_match = False
    for line in transcript.server_lines:
        for message in play.hear(line):
            if isinstance(message, MatchBegins | MatchEnds):
                assert isinstance(message, MatchBegins) is not open_match
                open_match = not open_match
    assert open_match is (play.session.match is not None)
