"""The states of a connection and of a match; transitions and allowed commands as tables.

    AWAITING_PROMPT --login--> LOGGING_IN --1--> GREETED --3--> READING_MOTD --4--> SETTING_UP
    SETTING_UP --all set--> IDLE
    IDLE --joined--> STARTING --board--> PLAYING <--> BETWEEN_GAMES --match over--> SETTING_UP

A match can begin in any state of the lobby, because the server may put us into one. `NEXT` lists
every transition; without a row the state stays. In a match our commands also depend on the open
question; see `match.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import ClassVar

from sixprime.protocols.fibs.lifecycle import MatchBegins, MatchEnds
from sixprime.protocols.fibs.wire import account, login, users
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.parse import Context


class ConnectionState(Enum):
    AWAITING_PROMPT = "waiting for the login prompt"
    LOGGING_IN = "waiting for the welcome"
    GREETED = "waiting for the message of the day"
    READING_MOTD = "waiting for the end of the message of the day"
    SETTING_UP = "bringing the settings to what we need"
    IDLE = "in the lobby"
    AWAY = "away"
    WATCHING = "watching others"
    STARTING = "waiting for the first board of a game"
    PLAYING = "in a game"
    BETWEEN_GAMES = "between two games of a match"
    CLOSED = "over"


class Failure(Enum):
    """Reasons for which a connection is over; the driver decides when to dial again."""

    LOGIN_REFUSED = "the server refused name or password: final, unless it has welcomed us before"
    LOGIN_SILENT = "the login was not answered, or not understood"
    LOGIN_CLOSED = "the server hung up when it had our login: a refusal, if it goes on so"
    KICKED = "the same account logged in elsewhere: wait some minutes"
    TIMED_OUT = "the server thought us idle"
    SILENT = "the server does not answer any more"
    STUCK = "nothing goes on with this server, whatever we say"
    FAREWELL = "we said good-bye"


class Happening(Enum):
    """Events that change the state but are no messages."""

    LOGIN_SENT = "our login went out"
    PROMPTED_AGAIN = "another prompt came instead of a welcome"
    ALL_SET = "nothing is left to be set"
    GAME_STARTS = "a game has no board yet"
    BOARD_SHOWN = "a game has a board"
    GAME_OVER = "the next game waits to be joined"
    FAILED = "the connection is over"


class GameStage(Enum):
    ON = "a game is on, or begins"
    OVER = "a game is over"
    TO_JOIN = "the next game waits for us to join"
    JOINED = "the next game waits for the opponent to join"
    MATCH_OVER = "the match was played to its end before; the server does not know"


class Trust(Enum):
    CURRENT = "nothing has happened since"
    PAUSED = "it is as before, but ask for it before the next turn"
    STALE = "lines that came since have changed it"


class Awaited(Enum):
    DECISION = "our own decision"
    EFFECT = "the effect of our command"
    BOARD = "a board"
    PROMPT = "our turn to be announced"
    OPPONENT = "the opponent's turn to be over"
    OPPONENTS_ANSWER = "the opponent's answer"
    NEXT_GAME = "the question for the next game"
    OPPONENT_TO_JOIN = "the opponent to join the next game"


S, H = ConnectionState, Happening
IN_MATCH = frozenset({S.STARTING, S.PLAYING, S.BETWEEN_GAMES})
IN_LOBBY = frozenset({S.SETTING_UP, S.IDLE, S.AWAY, S.WATCHING})
ONLINE = IN_MATCH | IN_LOBBY

Transitions = dict[ConnectionState, dict[Happening | type[Message], ConnectionState]]
NEXT: Transitions = {
    S.AWAITING_PROMPT: {
        H.LOGIN_SENT: S.LOGGING_IN,
        login.Welcome: S.GREETED,  # after a prompt that came twice
        H.FAILED: S.CLOSED,
    },
    S.LOGGING_IN: {
        H.PROMPTED_AGAIN: S.AWAITING_PROMPT,
        login.Welcome: S.GREETED,
        H.FAILED: S.CLOSED,
    },
    S.GREETED: {login.MotdBegins: S.READING_MOTD, login.MotdEnds: S.SETTING_UP, H.FAILED: S.CLOSED},
    S.READING_MOTD: {login.MotdEnds: S.SETTING_UP, H.FAILED: S.CLOSED},
    S.SETTING_UP: {
        H.ALL_SET: S.IDLE,
        account.YouAreAway: S.AWAY,
        users.YouWatch: S.WATCHING,
        MatchBegins: S.STARTING,
        H.FAILED: S.CLOSED,
    },
    S.IDLE: {
        account.YouAreAway: S.AWAY,
        users.YouWatch: S.WATCHING,
        MatchBegins: S.STARTING,
        H.FAILED: S.CLOSED,
    },
    S.AWAY: {
        account.WelcomeBack: S.IDLE,
        users.YouWatch: S.WATCHING,
        MatchBegins: S.STARTING,
        H.FAILED: S.CLOSED,
    },
    S.WATCHING: {
        users.YouStopWatching: S.IDLE,
        users.WatchedLeft: S.IDLE,
        account.YouAreAway: S.AWAY,
        MatchBegins: S.STARTING,
        H.FAILED: S.CLOSED,
    },
    S.STARTING: {
        H.BOARD_SHOWN: S.PLAYING,
        H.GAME_OVER: S.BETWEEN_GAMES,
        MatchEnds: S.SETTING_UP,
        H.FAILED: S.CLOSED,
    },
    S.PLAYING: {
        H.GAME_STARTS: S.STARTING,
        H.GAME_OVER: S.BETWEEN_GAMES,
        MatchEnds: S.SETTING_UP,
        H.FAILED: S.CLOSED,
    },
    S.BETWEEN_GAMES: {
        H.GAME_STARTS: S.STARTING,
        H.BOARD_SHOWN: S.PLAYING,
        MatchEnds: S.SETTING_UP,
        H.FAILED: S.CLOSED,
    },
    S.CLOSED: {},
}

_ANYWHERE: frozenset[type[c.Command]] = frozenset(
    {
        c.Logout, c.ListToggles, c.Toggle, c.SetVariable, c.Back, c.AskTime, c.AskVersion,
        c.AskWho, c.AskWhois, c.ShowSaved, c.Tell, c.AskOldMoves, c.AskBoard, c.Leave,
    }
)  # fmt: skip
_FREE: frozenset[type[c.Command]] = frozenset({c.Away, c.Invite, c.InviteToResume, c.Join, c.Watch})
_GAME: frozenset[type[c.Command]] = frozenset(
    {c.Roll, c.Double, c.Move, c.Accept, c.Reject, c.Resign}
)
ALLOWED: dict[ConnectionState, frozenset[type[c.Command]]] = {
    S.AWAITING_PROMPT: frozenset({c.Login}),
    S.LOGGING_IN: frozenset({c.Login}),  # once more, where our older login had to end first
    S.GREETED: frozenset(),
    S.READING_MOTD: frozenset(),
    S.SETTING_UP: _ANYWHERE | _FREE,
    S.IDLE: _ANYWHERE | _FREE,
    S.AWAY: _ANYWHERE | _FREE,
    S.WATCHING: _ANYWHERE | _FREE | {c.Kibitz, c.Unwatch},
    S.STARTING: _ANYWHERE | {c.Kibitz},
    S.PLAYING: _ANYWHERE | _GAME | {c.Kibitz},
    S.BETWEEN_GAMES: _ANYWHERE | {c.Kibitz, c.JoinNext},
    S.CLOSED: frozenset(),
}
CONTEXTS = {
    S.AWAITING_PROMPT: Context.BANNER,
    S.LOGGING_IN: Context.BANNER,
    S.READING_MOTD: Context.MOTD,
}
FAREWELLS: dict[type[Message], Failure] = {
    login.KickedByTwin: Failure.KICKED,
    login.TimedOut: Failure.TIMED_OUT,
    login.Farewell: Failure.FAREWELL,
}


class Stateful:
    """A connection's state, which only the table of transitions changes."""

    transitions: ClassVar[Transitions]

    def __init__(self) -> None:
        self.state = ConnectionState.AWAITING_PROMPT
        self.failure: Failure | None = None

    def _move(self, by: Happening | type[Message]) -> None:
        """Go to the state of the table, or stay."""
        self.state = self.transitions[self.state].get(by, self.state)

    def _fail(self, failure: Failure) -> None:
        self.failure = self.failure or failure
        self._move(Happening.FAILED)

    def hung_up(self) -> None:
        if self.failure is None and self.state is ConnectionState.LOGGING_IN:
            self._fail(Failure.LOGIN_CLOSED)

    def give_up(self) -> None:
        """End the connection: our commands have no effect."""
        self._fail(Failure.STUCK)
