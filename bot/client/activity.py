"""The few named states of a bot, as logs, metrics and `sixprime status` show them. Pure."""

from __future__ import annotations

from enum import Enum

from sixprime.protocols.fibs.match import Awaited
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import IN_MATCH, State


class Activity(Enum):
    """What a bot is doing."""

    OFFLINE = "offline"
    CONNECTING = "connecting"
    LOGGING_IN = "logging in"
    IDLE = "idle"
    INVITED = "invited"
    PLAYING = "playing"
    WAITING = "waiting for the opponent"
    BETWEEN_GAMES = "between games"
    AWAY = "away"
    STOPPING = "stopping"


_OPPONENTS = frozenset({Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER})
_LOGGING_IN = frozenset({State.AWAITING_PROMPT, State.LOGGING_IN, State.GREETED, State.SETTING_UP})


def activity(session: Session | None, *, connecting: bool, stopping: bool) -> Activity:
    """What a bot with this connection is doing."""
    if session is None or session.state is State.CLOSED:
        dialling = Activity.CONNECTING if connecting else Activity.OFFLINE
        return Activity.STOPPING if stopping else dialling
    if session.state in IN_MATCH:
        return _in_match(session)
    if stopping:
        return Activity.STOPPING
    lobby = Activity.INVITED if session.people.invitations else Activity.IDLE
    if session.state in _LOGGING_IN:
        lobby = Activity.LOGGING_IN
    return Activity.AWAY if session.state is State.AWAY else lobby


def _in_match(session: Session) -> Activity:
    if session.state is State.BETWEEN_GAMES:
        return Activity.BETWEEN_GAMES
    return Activity.WAITING if session.waiting.what in _OPPONENTS else Activity.PLAYING
