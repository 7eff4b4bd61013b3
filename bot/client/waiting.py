"""One sentence for each state in which a bot does nothing.

Invariant: while a bot neither thinks nor sends, `waiting` returns a reason. The bot asks its parts
in the order of what stops it first: login, engine, line, session, match, lobby.
"""

from __future__ import annotations

from sixprime.bot.client.client import Client
from sixprime.bot.client.lobby.waiting import Waiting
from sixprime.bot.client.stopping import Stop
from sixprime.protocols.fibs.match import Awaited, MatchInPlay
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ONLINE, ConnectionState

_FROM_OPPONENT = {
    Awaited.OPPONENT: "to play",
    Awaited.OPPONENTS_ANSWER: "to answer",
    Awaited.OPPONENT_TO_JOIN: "to join the next game",
}
_FROM_SERVER = {
    Awaited.EFFECT: "show the effect of the last command",
    Awaited.BOARD: "show the board",
    Awaited.PROMPT: "announce the bot's turn",
    Awaited.NEXT_GAME: "offer the next game",
}


def online_waiting(client: Client, session: Session, now: float) -> Waiting | None:
    """Return the reason on an open connection; None: the bot thinks or is about to send."""
    if session.state not in ONLINE:
        return Waiting("login", f"logs in: {session.state.value}", session.waiting.since)
    if session.match is not None:
        return _in_match(client, session, session.match)
    return _in_lobby(client, session, now)


def _in_lobby(client: Client, session: Session, now: float) -> Waiting | None:
    since = session.waiting.since
    if client.stopping.how is not Stop.NO:
        return Waiting("stopping", "waits for the server to end the connection", since)
    if session.state is ConnectionState.SETTING_UP:
        return Waiting("settings", "checks the settings of the account", since)
    if client.profile.lobby.paused:
        return Waiting("paused", "is paused", ends_with="resume")
    if client.stopping.server_goes_down(now):
        return Waiting("shutdown", "begins no match, because the server will go down")
    return client.desk.waiting(session.people, session.me, now)


def _in_match(client: Client, session: Session, match: MatchInPlay) -> Waiting | None:
    what, since, name = session.waiting.what, session.waiting.since, match.opponent
    if client.is_leaving:
        return Waiting("leaving", f"leaves the match with {name}", since)
    if what in _FROM_OPPONENT:
        patience = client.leaving.leaves_at(session)
        sentence = f"waits for {name} {_FROM_OPPONENT[what]}"
        return Waiting("opponent", sentence, since, patience, ends_with="leave")
    if what in _FROM_SERVER:
        sentence = f"waits for the server to {_FROM_SERVER[what]}"
        return Waiting("server", sentence, since, client.leaving.leaves_at(session), "leave")
    return None
