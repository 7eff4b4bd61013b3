"""Answers in chat. Pure.

We answer only the questions of a table, only if they are put to us, never to bots, and at a limited
rate. We say that we are a bot before anybody has to ask.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sixprime.bot.client.lobby.terms import is_bot
from sixprime.bot.settings.schema import Chat
from sixprime.protocols.fibs.wire import LONGEST_COMMAND
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import User

GREETING_AGAIN_S = 600.0  # a match resumed at once is not greeted twice
MINUTE_S = 60.0
LONGEST_QUESTION = 60  # longer lines are no questions, and cost time to search
MOST_USERS = 1_000


class Topic(Enum):
    BOT = "bot"
    LEVEL = "level"
    STATS = "stats"
    HELP = "help"


QUESTIONS: tuple[tuple[Topic, str], ...] = (
    (Topic.BOT, r"(are|r) (you|u) (a |an )?(bot|robot|computer|program|human|person|real).*"),
    (Topic.BOT, r"(bot|robot|human)"),
    (Topic.LEVEL, r"(what |which )?(is )?(your )?(level|strength)( are you| do you play.*)?"),
    (Topic.LEVEL, r"how (strong|good) are you"),
    (Topic.STATS, r"(your )?(stats|statistics|rating|record|score)"),
    (Topic.HELP, r"help( me)?"),
    (Topic.HELP, r"(hi|hello|hey)( there| bot| sixprime)?"),
)
_QUESTIONS = tuple((topic, re.compile(pattern)) for topic, pattern in QUESTIONS)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that an answer may tell."""

    level: str
    rating: float | None = None
    experience: int | None = None
    record: str = "no matches yet"  # against the asker


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """An answer with `{facts}` still to be filled in."""

    name: Player
    text: str

    @property
    def tells_record(self) -> bool:
        """Return whether it needs the archive."""
        return "{record}" in self.text

    def filled(self, facts: Facts) -> c.Tell:
        """Return the sentence with the facts."""
        text = self.text.format(
            opponent=self.name,
            level=facts.level,
            rating="unknown" if facts.rating is None else f"{facts.rating:.2f}",
            experience="unknown" if facts.experience is None else facts.experience,
            record=facts.record,
        )
        return c.Tell(self.name, _cut(text))


class Chatter:
    """The answers for one account, and the users answered lately."""

    def __init__(self, settings: Chat, level: str) -> None:
        self.settings = settings
        self.level = level
        self._answers: deque[tuple[Player, float]] = deque()
        self._greeted: dict[Player, float] = {}

    def greets(self, opponent: Player, length: int | None, now: float) -> Command | None:
        """Return the greeting to opponent and watchers when a match begins."""
        last = self._greeted.pop(opponent, None)
        self._greeted[opponent] = now
        while len(self._greeted) > MOST_USERS:
            del self._greeted[next(iter(self._greeted))]
        if not self.settings.greeting or (last is not None and now < last + GREETING_AGAIN_S):
            return None
        terms = "unlimited" if length is None else str(length)
        text = self.settings.greeting.format(opponent=opponent, length=terms, level=self.level)
        return c.Kibitz(_cut(text))

    def parts(self, opponent: Player, score: tuple[int, int]) -> Command | None:
        """Return the line at the end of a match, given our points and the opponent's."""
        if not self.settings.farewell:
            return None
        score_text = f"{score[0]}-{score[1]}"
        text = self.settings.farewell.format(opponent=opponent, score=score_text)
        return c.Tell(opponent, _cut(text))

    def answers(self, message: Message, user: User | None, now: float) -> ChatAnswer | None:
        if not isinstance(message, Said) or not self.settings.answers:
            return None
        name = message.name
        topic = topic_of(message.text)
        if (
            topic is None
            or is_bot(self.settings.bots, name, user)
            or not self._may_answer(name, now)
        ):
            return None
        text: str = getattr(self.settings, topic.value)
        if not text:
            return None
        self._answers.append((name, now))
        return ChatAnswer(name, text)

    def _may_answer(self, name: Player, now: float) -> bool:
        settings = self.settings
        longest = max(settings.per_s, MINUTE_S)
        while self._answers and self._answers[0][1] <= now - longest:
            self._answers.popleft()
        to_user = self._count(now - settings.per_s, (name,))
        to_all = self._count(now - MINUTE_S)
        return to_user < settings.answers_per_user and to_all < settings.answers_per_minute

    def _count(self, since: float, names: Sequence[Player] = ()) -> int:
        return sum(at > since and (not names or name in names) for name, at in self._answers)


def topic_of(text: str) -> Topic | None:
    if len(text) > LONGEST_QUESTION:
        return None
    words = " ".join(re.sub(r"[^a-z ]", " ", text.lower()).split())
    return next((topic for topic, pattern in _QUESTIONS if pattern.fullmatch(words)), None)


def _cut(text: str) -> str:
    return text[: LONGEST_COMMAND - 60]
