"""The states of a connection, as tables: what moves us on, and what we may say where.

    AWAITING_PROMPT  --login-->  LOGGING_IN  --1-->  GREETED  --4-->  SETTING_UP  ---->  IDLE
    IDLE  --joined-->  STARTING  --board-->  PLAYING  <-->  BETWEEN_GAMES  --match over-->  IDLE

A match can begin in any state after GREETED, because the server may put us into one; it ends into
SETTING_UP, which is left as soon as all settings are as wanted. What may be said in a match depends
further on what the match asks; see `match.py`.
"""

from __future__ import annotations

from enum import Enum

from sixprime.protocols.fibs.wire import account, login, matches, users
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.messages import Message


class State(Enum):
    """Where a connection stands."""

    AWAITING_PROMPT = "waiting for the login prompt"
    LOGGING_IN = "waiting for the welcome"
    GREETED = "waiting for the end of the message of the day"
    SETTING_UP = "bringing the settings to what we need"
    IDLE = "in the lobby"
    AWAY = "away"
    WATCHING = "watching others"
    STARTING = "waiting for the first board of a game"
    PLAYING = "in a game"
    BETWEEN_GAMES = "between two games of a match"
    CLOSED = "over"


# Messages that move a connection; the session takes only those that are about ourselves.
_CLOSING = {
    login.KickedByTwin: State.CLOSED,
    login.TimedOut: State.CLOSED,
    login.Farewell: State.CLOSED,
}
_MATCH_BEGINS = {
    matches.NowPlaying: State.STARTING,
    matches.JoinedYou: State.STARTING,
    matches.Resumed: State.STARTING,
    matches.ResumedBy: State.STARTING,
    matches.GameStarts: State.STARTING,
    FibsBoard: State.PLAYING,
}
_LOBBY = _CLOSING | _MATCH_BEGINS | {users.YouWatch: State.WATCHING, account.YouAreAway: State.AWAY}
_MATCH = (
    _CLOSING
    | _MATCH_BEGINS
    | {
        matches.JoinOrLeave: State.BETWEEN_GAMES,
        matches.WaitForJoin: State.BETWEEN_GAMES,
    }
)
NEXT: dict[State, dict[type[Message], State]] = {
    State.AWAITING_PROMPT: dict(_CLOSING),
    State.LOGGING_IN: _CLOSING | {login.Welcome: State.GREETED, login.LoginFailed: State.CLOSED},
    State.GREETED: _CLOSING | {login.MotdEnds: State.SETTING_UP},
    State.SETTING_UP: dict(_LOBBY),
    State.IDLE: dict(_LOBBY),
    State.AWAY: _LOBBY | {account.WelcomeBack: State.IDLE},
    State.WATCHING: _LOBBY | {users.YouStopWatching: State.IDLE, users.WatchedLeft: State.IDLE},
    State.STARTING: dict(_MATCH),
    State.PLAYING: dict(_MATCH),
    State.BETWEEN_GAMES: dict(_MATCH),
    State.CLOSED: {},
}

IN_MATCH = frozenset({State.STARTING, State.PLAYING, State.BETWEEN_GAMES})
IN_LOBBY = frozenset({State.SETTING_UP, State.IDLE, State.AWAY, State.WATCHING})
ONLINE = IN_MATCH | IN_LOBBY

_ANYWHERE: frozenset[type[c.Command]] = frozenset(
    {
        c.Logout, c.ListToggles, c.Toggle, c.ListVariables, c.SetVariable, c.Back, c.AskTime,
        c.AskVersion, c.AskWho, c.AskWhois, c.ShowSaved, c.ShowSavedCount, c.ShowGames, c.Tell,
        c.LeaveMessage, c.Shout, c.AskOldMoves, c.AskOldBoard, c.AskBoard, c.Look,
    }
)  # fmt: skip
_FREE: frozenset[type[c.Command]] = frozenset({c.Away, c.Invite, c.InviteToResume, c.Join, c.Watch})
_TALK: frozenset[type[c.Command]] = frozenset({c.Kibitz, c.Whisper})
_BESIDES: frozenset[type[c.Command]] = frozenset({c.Say, c.Leave, c.AskPips})
_GAME: frozenset[type[c.Command]] = frozenset(
    {c.Roll, c.Double, c.Move, c.Accept, c.Reject, c.Resign}
)
ALLOWED: dict[State, frozenset[type[c.Command]]] = {
    State.AWAITING_PROMPT: frozenset({c.Login}),
    State.LOGGING_IN: frozenset({c.Login}),  # once more, where a twin had to go first
    State.GREETED: frozenset(),
    State.SETTING_UP: _ANYWHERE | _FREE,
    State.IDLE: _ANYWHERE | _FREE,
    State.AWAY: _ANYWHERE | _FREE,
    State.WATCHING: _ANYWHERE | _FREE | _TALK | {c.Unwatch},
    State.STARTING: _ANYWHERE | _TALK | _BESIDES,
    State.PLAYING: _ANYWHERE | _TALK | _BESIDES | _GAME,
    State.BETWEEN_GAMES: _ANYWHERE | _TALK | _BESIDES | {c.JoinNext},
    State.CLOSED: frozenset(),
}
