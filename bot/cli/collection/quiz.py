"""`sixprime quiz`: questions about positions that were misplayed."""

from __future__ import annotations

import datetime as dt
import json
import os
import sys
from argparse import Namespace
from collections import deque
from pathlib import Path

from sixprime.bot.analysis.collection.answers import count_analysed
from sixprime.bot.analysis.collection.quiz import (
    QuizMemory,
    QuizQuestion,
    due,
    judged,
    questions,
)
from sixprime.bot.archive.collection.selection import seen
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.collection.verbs.collecting import settings_key, worst_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.text import details, question_of
from sixprime.engine.system.errors import InputError

POOL = 1000  # errors from which questions are drawn


def ask_again(options: Namespace) -> int:
    if options.json and not options.list:
        raise UsageError("--json goes only with --list")
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("it asks questions, so it needs a terminal; --list shows what is due")
    with refusing(InputError, OSError):
        memory = QuizMemory(options.memory or _place())
        if not options.list:
            memory.save()
    today = dt.datetime.now().astimezone().date()
    found = due(_questions(options), memory, today)[: options.number]
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


def _questions(options: Namespace) -> list[QuizQuestion]:
    with opened(options) as archive:
        key = settings_key(archive, options.analysis)
        matches = seen(archive, selection_of(options, archive))
        worst = worst_of(archive, matches, key, POOL, of_account=True)
        count = count_analysed(archive, matches, key)
    wanted = [(lost, analysis) for lost, analysis in worst if lost.size >= options.at_least]
    if not wanted:
        raise UsageError(f"no error of at least {options.at_least} in {counted(count, 'match')}")
    return questions(wanted)


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
