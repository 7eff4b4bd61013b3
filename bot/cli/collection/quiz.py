"""`sixprime quiz`: questions about positions that were misplayed."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from argparse import Namespace
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, islice, takewhile
from pathlib import Path

from sixprime.bot.analysis.collection.answers import count_analysed
from sixprime.bot.analysis.collection.quiz import (
    QuizMemory,
    QuizQuestion,
    drawn,
    judged,
    questions,
)
from sixprime.bot.archive.collection.selection import seen
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.collection.verbs.collecting import settings_key, worst_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.export.anki import AnkiCard, write_deck
from sixprime.bot.reports.text import CUBE_ERRORS, MARKS, details, question_of
from sixprime.bot.reports.turns import ShownError, ShownTurn
from sixprime.engine.analysis.phases import phase_of
from sixprime.engine.analysis.values import What
from sixprime.engine.system.errors import InputError, Unavailable
from sixprime.engine.system.wholefiles import written_whole

NUMBER = 10
POOL = 1000  # errors from which questions are drawn


def ask_again(options: Namespace) -> int:
    if options.json and not options.list:
        raise UsageError("--json goes only with --list")
    if options.anki is not None:
        return _write_deck(options)
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("it asks questions, so it needs a terminal; --list shows what is due")
    with refusing(InputError, OSError):
        memory = QuizMemory(options.memory or _place())
        if not options.list:
            memory.save()
    today = dt.datetime.now().astimezone().date()
    most = options.most or NUMBER
    found = _questions(options, lambda asked: drawn(asked, memory, today, most))
    if options.list:
        _list(found, memory, as_json=options.json)
        return 0
    if not found:
        print("nothing is due today")
        return 0
    _ask(found, memory, today)
    return 0


def _place() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "sixprime" / "quiz.json"


def _questions(
    options: Namespace, take: Callable[[Iterator[QuizQuestion]], list[QuizQuestion]]
) -> list[QuizQuestion]:
    """Return the questions that `take` chooses of all, which come worst first."""
    with opened(options) as archive:
        key = settings_key(archive, options.analysis)
        matches = seen(archive, selection_of(options, archive))
        worst = worst_of(archive, matches, key, POOL, of_account=True)
        wanted = takewhile(lambda item: item[0].size >= options.at_least, worst)
        first = next(wanted, None)
        if first is None:
            count = counted(count_analysed(archive, matches, key), "match")
            raise UsageError(f"no error of at least {options.at_least} in {count}")
        return take(questions(chain([first], wanted)))


def _write_deck(options: Namespace) -> int:
    asked = _questions(options, lambda found: list(islice(found, options.most)))
    of_player = "my" if options.me else f"{options.player}'s" if options.player else "all"
    deck = " ".join(("Sixprime:", of_player, "errors"))
    with refusing(OSError, Unavailable, at=options.anki), written_whole(options.anki) as file:
        write_deck(file, deck, map(_card, asked))
    print(f"{counted(len(asked), 'card')}: {options.anki}", file=sys.stderr)
    return 0


def _card(question: QuizQuestion) -> AnkiCard:
    analysis, error = question.analysis, question.error
    turn = ShownTurn(analysis, error.game, error.turn)
    place = f"match {question.match_id}, {turn.name}"
    phase = phase_of(question.turn.position, question.turn.action)
    kinds = {phase, "checker play" if error.what is What.PLAY else "cube", error.what.value}
    kind = error.verdict.kind
    kinds |= {CUBE_ERRORS[kind]} if kind else set()
    kinds |= {MARKS[error.verdict.mark] or "small", "match" if analysis.length else "money"}
    return AnkiCard(question.key, ShownError(turn, error, place), question.choices, sorted(kinds))


def _list(found: list[QuizQuestion], memory: QuizMemory, *, as_json: bool) -> None:
    rows = [
        {
            "question": question.key,
            "match": question.match_id,
            "given": round(-question.error.verdict.error, 4),
            "asked": memory.card(question).asked,
            "missed": memory.card(question).missed,
        }
        for question in found
    ]
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("{question}  match {match}, gave away {given}, asked {asked}".format(**row))
    print(f"{counted(len(rows), 'question')} due")


def _ask(found: list[QuizQuestion], memory: QuizMemory, today: dt.date) -> None:
    """Ask until every question was answered correctly once, or the user stops."""
    waiting, first, right = deque(found), set(found), 0
    print(f"{counted(len(found), 'question')}; ? shows the answer, q ends")
    try:
        while waiting:
            question = waiting.popleft()
            well = _one(question)
            if question in first:  # only the first answer of a day counts
                first.discard(question)
                right += well
                memory.note(question, today, right=well)
            if not well:
                waiting.append(question)
    except EOFError:
        print()
    asked = len(found) - len(first)
    print(f"{right} of {asked} right at once; the others come back" if asked else "none asked")


def _one(question: QuizQuestion) -> bool:
    """Ask until an answer is understood; return whether it is right. EOFError if the user stops."""
    print(f"\n{printable(question_of(question.analysis, question.error))}")
    while True:
        said = input(f"{question.choices}? ").strip()
        if said.lower() in ("q", "quit", "exit"):
            raise EOFError
        if not said:
            continue
        try:
            right, given = (False, None) if said == "?" else judged(question, said)
        except InputError as error:
            print(printable(str(error)))
            continue
        cost = "" if given is None or given <= 0 else f", {given:.3f} behind the best"
        print(f"right{cost}" if right else "" if said == "?" else f"wrong{cost}")
        print(printable("\n".join(details(question.error, question.turn))))
        return right
