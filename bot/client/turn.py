"""Our turns: thoughts about the server's questions in a match, and the answers.

Each question starts a task that thinks about it. The answer is sent no sooner than our pace allows,
and only if the same question still stands. A pace like people's depends on the answer: a choice
between two plays of nearly one worth takes longest, no choice at all the shortest time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass

from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.records import Records
from sixprime.bot.client.thinking import Considered, Thinker
from sixprime.bot.settings.schema import Pace, Profile
from sixprime.protocols.bgammon.match import BgammonMatch
from sixprime.protocols.fibs.questions import JoinNextGame, Question
from sixprime.protocols.fibs.wire.commands import Command, Resign
from sixprime.protocols.servers import Session

DECIDED_RECHECK_S = 1.0
SPREAD = (0.6, 1.4)  # of the times that people take for one choice


@dataclass(slots=True)
class Asked:
    """A question that we are thinking about, and its answer once there is one."""

    question: Question
    at: float
    task: asyncio.Task[None] | None = None
    decision: Considered | None = None
    not_before: float = 0.0  # known with the decision


class OwnTurn:
    """Questions in, commands out, for one bot."""

    def __init__(
        self, profile: Profile, thinker: Thinker, records: Records, metrics: BotMetrics
    ) -> None:
        self.thinker = thinker
        self.dice = random.Random()
        self.pace = profile.player.pace
        self._profile = profile.name
        self._records = records
        self._metrics = metrics
        self._asked: Asked | None = None
        self._may_resign = True  # until the opponent rejects an offer
        self._group: asyncio.TaskGroup | None = None
        self._stir: Callable[[], None] = lambda: None

    def attach(self, group: asyncio.TaskGroup, stir: Callable[[], None]) -> None:
        """Take the task group of a new connection, and the callback after a decision."""
        self._group, self._stir = group, stir
        self._asked = None

    def allow_resigning(self, allowed: bool) -> None:
        """Set whether we may resign in this game; after a rejected offer we make no other."""
        self._may_resign = allowed

    def start_thinking(self, session: Session, now: float) -> None:
        """Start thinking about the question, unless we already have."""
        question = session.question()
        if question is None:
            return
        if self._asked is not None and self._asked.question == question:
            return
        self.drop()
        assert self._group is not None
        self._asked = Asked(question, now)
        self._asked.task = self._group.create_task(self._think(self._asked, session))

    async def _think(self, asked: Asked, session: Session) -> None:
        match = session.match
        may_resign = self._may_resign and match is not None and match.may_resign
        decision = await self.thinker.decide(asked.question, may_resign=may_resign)
        resigns = decision.command if isinstance(decision.command, Resign) else None
        if resigns and isinstance(match, BgammonMatch) and resigns.games < match.lost_games:
            decision = await self.thinker.decide(asked.question, may_resign=False)
        asked.not_before = asked.at + pause_of(decision, self.pace, self.dice)
        asked.decision = decision
        if decision.failed:
            self._metrics.errors.labels(self._profile, "thinking").inc(decision.failed)
        if decision.command is not None:
            self._records.sending(decision.command)
        if not isinstance(asked.question, JoinNextGame):
            took = self._metrics.deciding.labels(self._profile, decision.level)
            took.observe(decision.took_s)
        self._stir()

    def answer(self, session: Session, now: float) -> Command | None:
        """Return the answer to the open question, when it is due."""
        asked = self._asked
        if asked is None or asked.question != session.question():
            self.start_thinking(session, now)  # a question may arise just because time has passed
            return None
        decision = asked.decision
        if decision is None or decision.command is None or now < asked.not_before:
            return None
        if not session.affords(decision.command, now):
            return None  # sent too often without effect; `Leaving` deals with it
        self._asked = None
        self._records.decided(decision)
        return decision.command

    @property
    def is_thinking(self) -> bool:
        """Return whether a decision is under way."""
        task = None if self._asked is None else self._asked.task
        return task is not None and not task.done()

    @property
    def decided(self) -> Command | None:
        """The answer to the open question, once we have it."""
        decision = None if self._asked is None else self._asked.decision
        return None if decision is None else decision.command

    def drop(self) -> None:
        """Stop thinking: the question no longer stands."""
        if self._asked is not None and self._asked.task is not None:
            self._asked.task.cancel()
        self._asked = None

    def wake_at(self, now: float) -> float | None:
        """Return the time at which the answer may be sent; None while we are still thinking."""
        asked = self._asked
        if asked is None or asked.decision is None:
            return None
        waits = asked.decision.command is not None and asked.not_before > now
        return asked.not_before if waits else now + DECIDED_RECHECK_S


def pause_of(decision: Considered, pace: Pace, dice: random.Random) -> float:
    """Return the seconds from a question to our answer."""
    share = dice.random()
    if pace.like == "people":
        least, most = SPREAD
        share = min(decision.hardness * (least + (most - least) * share), 1.0)
    return pace.least_s + share * (pace.most_s - pace.least_s)
