"""Answers in chat. Pure.

We answer only the questions of a table, only if they are put to us, never to bots, and at a limited
rate. We say that we are a bot before anybody has to ask.
"""

from __future__ import annotations

import re
from collections import deque
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


_A_BOT = r"(a |an |the )?(bot|robot|computer|program|machine|ai|human|person|real|real person)"
QUESTIONS: tuple[tuple[Topic, str], ...] = (
    (Topic.BOT, rf"(are|r|is) (you|u|this|that)( really)? {_A_BOT}.*"),
    (Topic.BOT, rf"(you|u)( are| re)? {_A_BOT}|{_A_BOT}|(who|what) are you"),
    (Topic.LEVEL, r"((what|which)( is| s)? |whats )?(your )?(level|strength)( are you| do you.*)?"),
    (Topic.LEVEL, r"how (strong|good|well) (are|do) you( play)?"),
    (
        Topic.STATS,
        r"((what( is| s)?|whats|how is) )?(your |my )?(stats|statistics|rating|record|score)",
    ),
    (Topic.HELP, r"help( me)?|info|commands|what can (you|i) (do|ask|say)"),
    (Topic.HELP, r"(hi|hello|hey|hiya|howdy|good (morning|evening|day))( there| bot| sixprime)?"),
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
        self._answers: deque[tuple[Player, float, str]] = deque()
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
        name, text = message.name, self._text_for(message.text)
        if not text or is_bot(self.settings.bots, name, user):
            return None
        if not self._may_answer(name, text, now):
            return None
        self._answers.append((name, now, text))
        return ChatAnswer(name, text)

    def _text_for(self, question: str) -> str:
        topic = topic_of(question)
        if topic is not None:
            return str(getattr(self.settings, topic.value))
        asked, others = words_of(question), self.settings.others
        return next((others[each] for each in others if re.fullmatch(each, asked)), "")

    def _may_answer(self, name: Player, text: str, now: float) -> bool:
        settings = self.settings
        longest = max(settings.per_s, MINUTE_S)
        while self._answers and self._answers[0][1] <= now - longest:
            self._answers.popleft()
        to_user = [
            said for to, at, said in self._answers if to == name and at > now - settings.per_s
        ]
        to_all = sum(at > now - MINUTE_S for _, at, _ in self._answers)
        return (
            text not in to_user
            and len(to_user) < settings.answers_per_user
            and to_all < settings.answers_per_minute
        )


def topic_of(text: str) -> Topic | None:
    asked = words_of(text)
    return next((topic for topic, pattern in _QUESTIONS if pattern.fullmatch(asked)), None)


def words_of(text: str) -> str:
    """Return the words in small letters, without punctuation; nothing of a longer line."""
    if len(text) > LONGEST_QUESTION:
        return ""
    return " ".join(re.sub(r"[^a-z ]", " ", text.lower()).split())


def _cut(text: str) -> str:
    return text[: LONGEST_COMMAND - 60]
