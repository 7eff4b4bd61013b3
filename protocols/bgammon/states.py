"""The states of a connection as tables: transitions, and what may be said when.

    AWAITING_PROMPT --login--> LOGGING_IN --welcome--> IDLE
    IDLE --opponent sits--> STARTING --board--> PLAYING <--> BETWEEN_GAMES --match over--> IDLE

FIBS has the same states, and more. In IDLE we may sit at a table, alone
or after a match; then the server takes no other seat for us. `NEXT` lists every transition; without
a row the state stays. In a match our commands also depend on the open question; see `match.py`.
"""

from __future__ import annotations

from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import Welcomed
from sixprime.protocols.fibs.lifecycle import MatchBegins, MatchEnds
from sixprime.protocols.fibs.states import ConnectionState, Failure, Happening
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message

S, H = ConnectionState, Happening

NEXT: dict[ConnectionState, dict[Happening | type[Message], ConnectionState]] = {
    S.AWAITING_PROMPT: {H.LOGIN_SENT: S.LOGGING_IN, H.FAILED: S.CLOSED},
    S.LOGGING_IN: {Welcomed: S.IDLE, H.FAILED: S.CLOSED},
    S.IDLE: {MatchBegins: S.STARTING, H.FAILED: S.CLOSED},
    S.STARTING: {
        H.BOARD_SHOWN: S.PLAYING,
        H.GAME_OVER: S.BETWEEN_GAMES,
        MatchEnds: S.IDLE,
        H.FAILED: S.CLOSED,
    },
    S.PLAYING: {
        H.GAME_STARTS: S.STARTING,
        H.GAME_OVER: S.BETWEEN_GAMES,
        MatchEnds: S.IDLE,
        H.FAILED: S.CLOSED,
    },
    S.BETWEEN_GAMES: {
        H.GAME_STARTS: S.STARTING,
        H.BOARD_SHOWN: S.PLAYING,
        MatchEnds: S.IDLE,
        H.FAILED: S.CLOSED,
    },
    S.CLOSED: {},
}

_ANYWHERE: frozenset[type[Command]] = frozenset(
    {c.Logout, c.Leave, b.ListTables, b.Pong, b.SetAutoplay}
)
_LOBBY = _ANYWHERE | {b.CreateTable, b.JoinTable, b.AskHistory, b.OfferRematch}
_MATCH = _ANYWHERE | {c.Tell, c.Kibitz, b.ShowTable, b.RollForStart}
_GAME: frozenset[type[Command]] = frozenset(
    {c.Roll, c.Double, c.Move, c.Accept, c.Reject, c.Resign, b.MakeStep, b.Confirm, b.TakeBack}
)
ALLOWED: dict[ConnectionState, frozenset[type[Command]]] = {
    S.AWAITING_PROMPT: frozenset({c.Login}),
    S.LOGGING_IN: frozenset(),  # the server would take it after the welcome, in any order
    S.IDLE: _LOBBY | {c.Tell},  # after a match, to whom still sits at the table
    S.STARTING: _MATCH,
    S.PLAYING: _MATCH | _GAME,
    S.BETWEEN_GAMES: _MATCH,
    S.CLOSED: frozenset(),
}

# The ends of a connection, by the words with which the server ends it.
TERMINATED = "Connection terminated"
ENDINGS: tuple[tuple[str, Failure], ...] = (
    ("No account was found", Failure.LOGIN_REFUSED),
    ("Invalid username", Failure.LOGIN_REFUSED),
    ("You are banned", Failure.LOGIN_REFUSED),
    ("only registered users", Failure.LOGIN_REFUSED),
    ("already in use", Failure.LOGIN_CLOSED),  # perhaps by our own connection that was cut
    ("did not send login", Failure.LOGIN_SILENT),
    ("Kicked", Failure.KICKED),
    ("Client disconnected", Failure.FAREWELL),
)
REMATCH_OFFERED = "Your opponent would like to play again."
SHUTDOWN = "SERVER BROADCAST: The server is shutting down"
