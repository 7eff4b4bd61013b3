"""The state and activity of a bot, for logs, metrics and `sixprime status`."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import Any

from sixprime.bot.client.metrics import BotMetrics
from sixprime.protocols.fibs.states import IN_MATCH, Awaited, ConnectionState
from sixprime.protocols.servers import Session


class Activity(Enum):
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
_LOGGING_IN = frozenset(
    {
        ConnectionState.AWAITING_PROMPT,
        ConnectionState.LOGGING_IN,
        ConnectionState.GREETED,
        ConnectionState.READING_MOTD,
    }
)


def activity(session: Session | None, *, connecting: bool, stopping: bool) -> Activity:
    """Return the activity of a bot with this connection."""
    if session is None or session.state is ConnectionState.CLOSED:
        dialling = Activity.CONNECTING if connecting else Activity.OFFLINE
        return Activity.STOPPING if stopping else dialling
    if session.state in IN_MATCH:
        return _in_match(session)
    if stopping:
        return Activity.STOPPING
    lobby = Activity.INVITED if session.people.invitations else Activity.IDLE
    if session.state in _LOGGING_IN:
        lobby = Activity.LOGGING_IN
    return Activity.AWAY if session.state is ConnectionState.AWAY else lobby


def _in_match(session: Session) -> Activity:
    if session.state is ConnectionState.BETWEEN_GAMES:
        return Activity.BETWEEN_GAMES
    return Activity.WAITING if session.waiting.what in _OPPONENTS else Activity.PLAYING


class Presence:
    """The online state of one bot, across its connections."""

    def __init__(self, profile: str, metrics: BotMetrics, log: Any) -> None:
        self.connecting = False
        self.online = False
        self.online_since = self.last_online = 0.0
        self.tally = Counter[str]()  # since the start: won, lost, saved, troubles, unknown lines
        self.trouble = ""  # the last trouble
        self._profile = profile
        self._metrics = metrics
        self._log = log
        self._shown: Activity | None = None

    def connects(self) -> None:
        """Note that the bot is about to dial."""
        self.connecting = True
        self.online_since = self.last_online  # not online yet

    def on_message(self, session: Session, now: float) -> None:
        """Note that the bot is online."""
        self.last_online = now
        if not self.online:
            self.online, self.online_since = True, now
            self._log.info("logged in", rating=session.rating, experience=session.experience)

    def activity(self, session: Session | None, *, stopping: bool) -> Activity:
        return activity(session, connecting=self.connecting, stopping=stopping)

    def show(self, session: Session | None, *, stopping: bool) -> None:
        now = self.activity(session, stopping=stopping)
        if now is not self._shown:
            self._shown = now
            for each in Activity:
                self._metrics.state.labels(self._profile, each.value).set(each is now)
            self._log.debug("state", state=now.value)

    def show_rating(self, session: Session) -> None:
        """Publish the rating and experience that the server has shown."""
        if session.rating is not None:
            self._metrics.rating.labels(self._profile).set(session.rating)
        if session.experience is not None:
            self._metrics.experience.labels(self._profile).set(session.experience)
