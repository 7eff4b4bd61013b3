"""A quiz of past errors: the questions that are due, and the judging of answers.

Position, match and decision identify a question, so an error made twice is one question. After a
wrong answer a question is due at once; after each right one in a row it waits longer.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from sixprime.bot.analysis.worst import Lost
from sixprime.engine.analysis.values import (
    Answered,
    Error,
    MatchAnalysis,
    TurnAnalysis,
    What,
    decisions,
)
from sixprime.engine.position import Dice, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import private_folder, read_whole, write_json
from sixprime.protocols.formats.ids import BadId, match_id, position_id
from sixprime.protocols.formats.notation import BadPlay, parse_play

WAITS = (0, 1, 3, 7, 16, 35, 90)  # days until a question comes back, by right answers in a row
SMALL = 0.01  # EMG; a smaller loss counts as right
VERSION = 1


class QuizQuestion(NamedTuple):
    """A decision that went wrong once."""

    match_id: int
    analysis: MatchAnalysis
    error: Error

    @property
    def turn(self) -> TurnAnalysis:
        return self.analysis.turn_of(self.error)

    @property
    def key(self) -> str:
        """The name of the question in the file of answers."""
        turn, state = self.turn, self.analysis.state_at(self.error)
        try:
            match = match_id(state)
        except BadId:  # no Match ID has room for so long a match
            match = f"{state.length} {state.score} {state.cube} {turn.dice}"
        return f"{position_id(turn.position)}:{match}:{self.error.what.value}"

    def alone(self) -> QuizQuestion:
        """Return the question with an analysis of its turn alone."""
        analysis, error = self.analysis, self.error
        game = replace(analysis.games[error.game], turns=(self.turn,))
        alone = replace(analysis, games=(game,))
        return QuizQuestion(self.match_id, alone, replace(error, game=0, turn=0))

    @property
    def choices(self) -> str:
        """The possible answers, in words."""
        if self.error.what is What.PLAY:
            dice = self.turn.dice
            return "play" if dice is None else f"play {dice[0]}-{dice[1]}"
        return "double or no double" if self.error.what is What.DOUBLE else "take, pass or beaver"


class Judgement(NamedTuple):
    """The judgement of an answer; `given` is its EMG loss, None if the play was not listed."""

    right: bool
    given: float | None


def question_at(match_id: int, analysis: MatchAnalysis, place: str) -> QuizQuestion | None:
    """Return the decision at a place as `Error.place` names it, an error or not."""
    return next(
        (
            QuizQuestion(match_id, analysis, decision)
            for number, game in enumerate(analysis.games)
            for index, turn in enumerate(game.turns)
            if place.startswith(f"{number}.{index}.")
            for what, seat, verdict in decisions(turn)
            for decision in (Error(number, index, what, seat, verdict),)
            if decision.place == place
        ),
        None,
    )


def judged(question: QuizQuestion, answer: str) -> Judgement:
    """Judge an answer as people write it; InputError if it is unreadable."""
    if question.error.what is What.PLAY:
        return _play(question, answer)
    worths = _worths(question)
    word = " ".join(answer.lower().replace("-", " ").split())
    chosen = _WORDS.get(word)
    if chosen not in worths:
        raise InputError(f"{answer[:30]!r}: answer {question.choices}")
    given = max(worths.values()) - worths[chosen]
    return Judgement(given < SMALL, given)


_WORDS: dict[str, str] = {
    "d": "double", "double": "double", "redouble": "double", "yes": "double", "y": "double",
    "n": "no double", "no double": "no double", "nd": "no double", "no": "no double",
    "roll": "no double", "no redouble": "no double", "t": "take", "take": "take",
    "accept": "take", "p": "pass", "pass": "pass", "drop": "pass", "reject": "pass",
    "b": "beaver", "beaver": "beaver",
}  # fmt: skip


def _worths(question: QuizQuestion) -> dict[str, float]:
    """Return the equity of each answer for the deciding player."""
    cube = question.turn.cube_analysis
    assert cube is not None
    no_double, take, passed = cube.equities
    if question.error.what is What.DOUBLE:
        return {"double": min(take, passed), "no double": no_double}
    worths = {"take": -take, "pass": -passed}
    if cube.answer is Answered.BEAVER or question.analysis.beavers:
        worths["beaver"] = -2 * take
    return worths


def _play(question: QuizQuestion, answer: str) -> Judgement:
    turn = question.turn
    assert turn.move is not None
    assert turn.dice is not None
    result = played(turn.position, turn.dice, answer)
    best = turn.move.candidates[0].equity
    for each in turn.move.candidates:
        if turn.position.after(each.play) == result:
            given = best - each.equity
            return Judgement(given < SMALL, given)
    return Judgement(right=False, given=None)


def played(position: Position, dice: Dice, text: str) -> Position:
    """Return the result of a play written as 8/5 6/5, 8-5, 6-5 or `m 8 5 6 5`; or InputError."""
    words = text.lower().replace(",", " ").split()
    if words[:1] in (["m"], ["move"]):
        words = words[1:]
    bare = [word.rstrip("*") for word in words]
    if words and not any(mark in text for mark in "/-(") and len(words) % 2 == 0:
        words = [f"{start}/{end}" for start, end in zip(bare[::2], bare[1::2], strict=True)]
    try:
        return parse_play(" ".join(words), position, dice, legal_plays(position, dice)).result
    except BadPlay as error:
        raise InputError(str(error)) from None


@dataclass(frozen=True)
class Card:
    """The past answers to a question."""

    right: int = 0  # in a row
    asked: int = 0
    missed: int = 0
    day: str = ""  # ISO; when it was last asked

    def due(self, today: dt.date) -> bool:
        if not self.day:
            return True
        wait = WAITS[min(self.right, len(WAITS) - 1)]
        return dt.date.fromisoformat(self.day) + dt.timedelta(days=wait) <= today

    def after(self, today: dt.date, *, right: bool) -> Card:
        """Return the card after one more answer."""
        return replace(
            self,
            right=self.right + 1 if right else 0,
            asked=self.asked + 1,
            missed=self.missed + (not right),
            day=today.isoformat(),
        )


class QuizMemory:
    """The answers so far, in a file that is rewritten after each answer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._cards: dict[str, Card] = {}
        if not path.exists():
            return
        try:
            tree: Any = json.loads(read_whole(path))
            if tree["version"] != VERSION:
                raise InputError(f"{path}: answers of version {tree['version']}, not {VERSION}")
            self._cards = {key: Card(**card) for key, card in tree["cards"].items()}
            for card in self._cards.values():
                card.due(dt.date.min)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path}: no file of answers") from error

    def card(self, question: QuizQuestion) -> Card:
        return self._cards.get(question.key, Card())

    def missed(self, today: dt.date) -> set[str]:
        """Return the keys of the questions that were missed last and are due."""
        return {
            key
            for key, card in self._cards.items()
            if card.missed and not card.right and card.due(today)
        }

    def note(self, question: QuizQuestion, today: dt.date, *, right: bool) -> None:
        self._cards[question.key] = self.card(question).after(today, right=right)
        self.save()

    def save(self) -> None:
        """Write the file, also before the first question, so that no answer is lost."""
        private_folder(self.path.parent)
        cards = {key: card.__dict__ for key, card in self._cards.items()}
        write_json(self.path, {"version": VERSION, "cards": cards})


def questions(worst: Iterable[tuple[Lost, MatchAnalysis]]) -> Iterator[QuizQuestion]:
    """Yield a question for each erroneous decision, worst first."""
    known = set()
    for lost, analysis in worst:
        question = QuizQuestion(lost.match_id, analysis, lost.error)
        if question.key not in known:
            known.add(question.key)
            yield question


def drawn(
    asked: Iterable[QuizQuestion], memory: QuizMemory, today: dt.date, most: int
) -> list[QuizQuestion]:
    """Return so many questions that are due, and read no more of them than that takes."""
    missed, new, read = memory.missed(today), 0, []
    for question in asked:
        read.append(question)
        missed.discard(question.key)
        new += not memory.card(question).asked
        if new >= most and not missed:
            break
    return due(read, memory, today)[:most]


def due(asked: Sequence[QuizQuestion], memory: QuizMemory, today: dt.date) -> list[QuizQuestion]:
    """Return the questions that are due: missed ones, then new ones, then old ones."""
    ready = [question for question in asked if memory.card(question).due(today)]

    def rank(question: QuizQuestion) -> int:
        card = memory.card(question)
        return 0 if card.missed and not card.right else 2 if card.asked else 1

    return sorted(ready, key=rank)
