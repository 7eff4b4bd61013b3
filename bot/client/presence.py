"""Whether a bot is online and what it is doing, as logs, metrics and `sixprime status` show it."""

from __future__ import annotations

from typing import Any

from sixprime.bot.client.activity import Activity, activity
from sixprime.bot.client.metrics import Metrics
from sixprime.protocols.fibs.session import Session


class Presence:
    """One bot's, over many connections."""

    def __init__(self, profile: str, metrics: Metrics, log: Any) -> None:
        self.connecting = False
        self.online = False
        self.online_since = self.last_online = 0.0
        self._profile = profile
        self._metrics = metrics
        self._log = log
        self._shown: Activity | None = None

    def connects(self) -> None:
        """A connection is attempted."""
        self.connecting = True
        self.online_since = self.last_online  # not for a moment, so far

    def hear(self, session: Session, now: float) -> bool:
        """Something was heard online; is it the first of this connection?"""
        self.last_online = now
        if self.online:
            return False
        self.online, self.online_since = True, now
        self._log.info("logged in", rating=session.rating, experience=session.experience)
        return True

    def activity(self, session: Session | None, *, stopping: bool) -> Activity:
        """What the bot is doing."""
        return activity(session, connecting=self.connecting, stopping=stopping)

    def show(self, session: Session | None, *, stopping: bool) -> None:
        """Log and publish the activity, when it changes."""
        now = self.activity(session, stopping=stopping)
        if now is not self._shown:
            self._shown = now
            self._metrics.is_now(self._profile, now)
            self._log.debug("state", state=now.value)

    def show_rating(self, session: Session) -> None:
        """Publish rating and experience, as far as the server has told them."""
        if session.rating is not None:
            self._metrics.rating.labels(self._profile).set(session.rating)
        if session.experience is not None:
            self._metrics.experience.labels(self._profile).set(session.experience)
