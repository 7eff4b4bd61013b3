"""Decisions that are asked again at growing intervals, each in a file that keeps its analysis.

A question needs no archive once it is here. `fsrs` says when it is asked next; an answer counts
only when the question is due, so that a repeated request or an exercise between changes nothing.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fsrs import Card, Rating, Scheduler, State

from sixprime.bot.analysis.collection.quiz import SMALL, Judgement, QuizQuestion, question_at
from sixprime.bot.web.frame.texts import gettext
from sixprime.engine.analysis.judging import Thresholds
from sixprime.engine.analysis.values import Mark, What
from sixprime.engine.analysis.valuesjson import match_from_json, match_to_json
from sixprime.engine.codec import tree_of
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import private_folder, write_json

VERSION = 1
NEW_A_DAY = 10  # a person may put in more
AHEAD = dt.timedelta(minutes=20)  # a question of today may be asked so much too early
_KEY = re.compile("[0-9a-f]{16}")
_SCHEDULER = Scheduler(enable_fuzzing=False)
Clock = Callable[[], dt.datetime]


def local_time() -> dt.datetime:
    return dt.datetime.now().astimezone()


@dataclass(frozen=True)
class TrainedQuestion:
    """A decision with its past answers; `analysis` is that of its turn alone, as JSON."""

    match_id: int
    place: str  # in the match
    loss: float  # EMG, by which it went wrong
    analysis: dict[str, Any]
    schedule: Card
    wanted: bool = False  # put in by the person
    asked: int = 0
    missed: int = 0
    first: str = ""  # ISO; the day when it was first asked
    is_out: bool = False  # not asked any more, nor put in again by itself

    @classmethod
    def of(cls, question: QuizQuestion, now: dt.datetime, *, wanted: bool) -> TrainedQuestion:
        loss, alone = -question.error.verdict.error, question.alone()
        card = Card(card_id=0, due=now.astimezone(dt.UTC))
        body = match_to_json(alone.analysis)
        return cls(question.match_id, question.error.place, loss, body, card, wanted)

    @cached_property
    def question(self) -> QuizQuestion:
        what = What(self.place.rpartition(".")[2])
        analysis = match_from_json(self.analysis)
        question = question_at(self.match_id, analysis, f"0.0.{what.value}")
        if question is None:
            raise InputError("There is no such question.")
        return question

    def after(self, rating: Rating, now: dt.datetime) -> TrainedQuestion:
        """Return the question after one more answer."""
        schedule, _ = _SCHEDULER.review_card(self.schedule, rating, now.astimezone(dt.UTC))
        return replace(
            self,
            schedule=schedule,
            asked=self.asked + 1,
            missed=self.missed + (rating is Rating.Again),
            first=self.first or now.date().isoformat(),
        )

    def turn(self, now: dt.datetime) -> tuple[int, float] | None:
        """Return the rank of the question among those to be asked now; None if it is not due."""
        due = self.schedule.due
        if self.is_out:
            return None
        if not self.asked:
            return (2 if self.wanted else 3), -self.loss
        if self.schedule.state is State.Review:
            return (1, due.timestamp()) if due < _midnight(now) else None
        if due > now + AHEAD:
            return None
        return (0 if due <= now else 4), due.timestamp()


def rating_of(judged: Judgement) -> Rating:
    """Return how well a question was answered; an answer worth no mark is only a hard one."""
    if judged.given is None:
        return Rating.Again
    if judged.given < SMALL:
        return Rating.Good
    return Rating.Hard if Thresholds().mark(-judged.given) is Mark.NONE else Rating.Again


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """Counts of questions; `next` is when the first one is due that is not due now."""

    due: int
    new: int  # never asked
    learning: int
    learned: int  # waiting for days
    next: dt.datetime | None

    @classmethod
    def at(cls, questions: Iterable[TrainedQuestion], now: dt.datetime) -> TrainingProgress:
        there = [each for each in questions if not each.is_out]
        asked = [each for each in there if each.asked]
        later = [each.schedule.due for each in asked if each.turn(now) is None]
        waiting = [each for each in asked if each.schedule.state is State.Review]
        return cls(
            due=sum(each.turn(now) is not None for each in asked),
            new=len(there) - len(asked),
            learning=len(asked) - len(waiting),
            learned=len(waiting),
            next=min(later, default=None),
        )

    @property
    def to_ask(self) -> int:
        return self.due + self.new


def coming(due: dt.datetime, now: dt.datetime) -> str:
    """Return in words when a question comes back."""
    days = (due.astimezone(now.tzinfo).date() - now.date()).days
    if due <= now + AHEAD:
        return gettext("in a few minutes")
    if not days:
        return gettext("later today")
    return gettext("tomorrow") if days == 1 else gettext("in %(days)s days", days=days)


def next_of(questions: dict[str, TrainedQuestion], now: dt.datetime) -> str | None:
    """Return the key of the question to ask now, if there is one."""
    turns = ((each.turn(now), key) for key, each in questions.items())
    return min(((turn, key) for turn, key in turns if turn is not None), default=(None, None))[1]


class TrainingStore:
    """A folder of questions, and the clock of their schedule."""

    def __init__(self, folder: Path, clock: Clock = local_time) -> None:
        self._folder = folder
        self._read: tuple[int, dict[str, TrainedQuestion]] = (0, {})
        self.now = clock
        private_folder(folder)

    def questions(self) -> dict[str, TrainedQuestion]:
        """Return all questions by key, those left out, too; every change is one of the folder."""
        changed = self._folder.stat().st_mtime_ns
        if self._read[0] != changed:
            found = {}
            for path in self._folder.glob("*.json"):
                with suppress(InputError):
                    found[path.stem] = self.question(path.stem)
            self._read = changed, found
        return self._read[1]

    def question(self, key: str) -> TrainedQuestion:
        """Return a question; InputError if there is none that can be read."""
        if not _KEY.fullmatch(key):
            raise InputError("There is no such question.")
        try:
            plain = tree_of(self._path(key).read_bytes())
            if plain.pop("version") != VERSION:
                raise InputError("There is no such question.")
            schedule = Card.from_dict(plain.pop("schedule"))
            return TrainedQuestion(**plain, schedule=schedule)
        except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("There is no such question.") from error

    def places(self) -> frozenset[str]:
        """Return the decisions in training, as match/place."""
        there = self.questions().values()
        return frozenset(f"{each.match_id}/{each.place}" for each in there if not each.is_out)

    def put_in(self, question: QuizQuestion) -> str:
        """Put a decision that the person chose into training; return its key."""
        key = _key_of(question)
        new = TrainedQuestion.of(question, self.now(), wanted=True)
        with suppress(InputError):
            was = self.question(key)
            new = replace(new, asked=was.asked, missed=was.missed, first=was.first,
                          schedule=was.schedule)  # fmt: skip
        self.save(key, new)
        return key

    def fill_up(self, worst: Callable[[Sequence[str]], Iterator[QuizQuestion]]) -> None:
        """Put in as many new questions as a day has room for.

        `worst` gets the places that are known already.
        """
        there, today = self.questions(), self.now().date().isoformat()
        own = [each for each in there.values() if not each.wanted]
        fresh = sum(not each.asked and not each.is_out for each in own)
        room = NEW_A_DAY - fresh - sum(each.first == today for each in own)
        if room <= 0:
            return
        for question in worst([f"{each.match_id}/{each.place}" for each in there.values()]):
            if (key := _key_of(question)) not in there:
                self.save(key, TrainedQuestion.of(question, self.now(), wanted=False))
                room -= 1
            if not room:
                return

    def leave_out(self, key: str) -> None:
        """Ask a question no more."""
        self.save(key, replace(self.question(key), is_out=True))

    def save(self, key: str, question: TrainedQuestion) -> None:
        plain = {name: getattr(question, name) for name in TrainedQuestion.__dataclass_fields__}
        schedule = question.schedule.to_dict()
        write_json(self._path(key), {"version": VERSION, **plain, "schedule": schedule})

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _key_of(question: QuizQuestion) -> str:
    return hashlib.sha256(question.key.encode()).hexdigest()[:16]


def _midnight(now: dt.datetime) -> dt.datetime:
    """Return the end of the day."""
    return now.replace(hour=0, minute=0, second=0, microsecond=0) + dt.timedelta(days=1)
