"""The reasons for which a connected bot does nothing, and the report of each.

Invariant: in every state a bot has a reason, and its sentence names whom it waits for. The bot
asks in the order of what stops it first: login, engine, line, session, match, lobby.
`lobby_hold` decides that we hold back, and gives the reason at once.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

from sixprime.bot.client.lobby.waiting import LEAVES, REASONS, Waiting, text_of
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.process.printable import Sentence
from sixprime.protocols.fibs.states import ONLINE, Awaited, ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.servers import MatchInPlay, Session

LASTS_S = 60.0  # then a wait is worth a line in the log
SILENT_S = 5.0  # without an answer to a probe
FROM_OPPONENT = {
    Awaited.OPPONENT: "waits for %(name)s to play",
    Awaited.OPPONENTS_ANSWER: "waits for %(name)s to answer",
    Awaited.OPPONENT_TO_JOIN: "waits for %(name)s to join the next game",
}
_FROM_SERVER = {
    Awaited.EFFECT: Sentence("waits for the server to show the effect of the last command"),
    Awaited.BOARD: Sentence("waits for the server to show the board"),
    Awaited.PROMPT: Sentence("waits for the server to announce the bot's turn"),
    Awaited.NEXT_GAME: Sentence("waits for the server to offer the next game"),
}


class WaitingLog:
    """One bot's reason as a metric, and in the log: one line once it has lasted."""

    def __init__(self, profile: str, metrics: BotMetrics, log: Any) -> None:
        self._profile = profile
        self._metrics = metrics
        self._log = log
        self._seen: tuple[str, str] | None = None  # the last reason and sentence
        self._since = 0.0
        self._is_told = False

    def dated(self, waiting: Waiting, now: float) -> Waiting:
        """Return it with the time since which it was seen, if it has none of its own."""
        seen = waiting.reason, waiting.sentence
        if seen != self._seen:
            self._seen, self._since, self._is_told = seen, now, False
        return waiting if waiting.since is not None else replace(waiting, since=self._since)

    def look(self, waiting: Waiting, now: float, clock: dt.datetime) -> None:
        """Show this dated wait; call it now and then."""
        for reason in REASONS:
            gauge = self._metrics.waiting.labels(self._profile, reason)
            gauge.set(reason == waiting.reason)
        if not self._is_told and now >= self._since + LASTS_S:
            self._is_told = True
            why = text_of(waiting.shown(now), clock.astimezone())
            self._log.info("waiting", reason=waiting.reason, why=why)


def line_hold(session: Session, now: float) -> Waiting | None:
    """Return why nothing can be said on this connection, in a match or not."""
    if session.state not in ONLINE:
        if session.state is ConnectionState.CLOSED:
            sentence = Sentence("closes the connection")
            return Waiting("line", sentence, session.waiting.since)
        sentence = Sentence("logs in and is %(state)s", state=Sentence(session.state.value))
        return Waiting("login", sentence, session.waiting.since)
    if (asked_at := session.probed_at) is not None and now >= asked_at + SILENT_S:
        sentence = Sentence("waits for the server, which is silent, to give any sign of life")
        return Waiting("server", sentence, asked_at, session.deadline)
    if session.held_until > now:
        return budget(session.held_until)
    return None


def budget(until: float) -> Waiting:
    """Return the wait after too many commands without a new board."""
    sentence = Sentence("sends nothing, because many commands have led to no new board")
    return Waiting("budget", sentence, until=until)


def match_hold(
    session: Session, match: MatchInPlay, answer: Command | None, leaves_at: float, now: float
) -> Waiting:
    """Return whom a match waits for; `answer` is ours, once we have it."""
    what, since, name = session.waiting.what, session.waiting.since, match.opponent
    if what in FROM_OPPONENT:
        sentence = Sentence(FROM_OPPONENT[what], name=name)
        return Waiting("opponent", sentence, since, leaves_at, "leave", LEAVES)
    if what in _FROM_SERVER:
        return Waiting("server", _FROM_SERVER[what], since, leaves_at, "leave", LEAVES)
    if answer is not None and not session.affords(answer, now):
        return budget(session.free_at(answer))
    return Waiting("thinking", Sentence("thinks about its turn against %(name)s", name=name), since)


def lobby_hold(session: Session, *, paused: bool, asks: bool, now: float) -> Waiting | None:
    """Return why we neither answer nor invite anybody yet; None: the lobby is ours.

    `asks`: the server lists our last game.
    """
    state, since = session.state, session.waiting.since
    if state is ConnectionState.WATCHING:
        sentence = Sentence("watches others and waits for the server to end it")
        return Waiting("settings", sentence, since)
    if asks:
        return Waiting("server", Sentence("waits for the server's list of the last game"), since)
    if state not in (ConnectionState.IDLE, ConnectionState.AWAY) or not (
        session.setup.done or paused
    ):  # we are not yet back or ready, and invitations would be refused
        return Waiting("settings", Sentence("checks the settings of the account"), since)
    if not session.affords(c.AskVersion(), now):
        return budget(session.free_at(c.AskVersion()))
    return None
