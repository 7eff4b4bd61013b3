"""`sixprime quiz`: asks you again about positions that were misplayed."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.collection.verbs.options import (
    analysis_argument,
    opened,
    selection_of,
    settings_key,
    source_arguments,
    which_arguments,
)
from sixprime.bot.cli.declaring import file, flag, number
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.process.printable import counted, printable

if TYPE_CHECKING:
    from sixprime.bot.analysis.quiz import QuizMemory, QuizQuestion

EPILOG = """\
examples:
  sixprime quiz --me
  sixprime quiz --player arthur_d --number 20 --at-least 0.08
  sixprime quiz --me --list
It asks about errors in analysed matches (sixprime archive analyse). Answer with a play (8/5 6/5,
8-5 6-5, m 8 5 6 5), d or n to double or not, t, p or b to take, pass or beaver;
? shows the answer, q ends.
Wrong answers come back in the same quiz and the next, right ones after longer and longer times.
"""
NUMBER, POOL, LEAST = 10, 1000, 0.04


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    source_arguments(parser)
    number(parser, "--number", NUMBER, f"questions ({NUMBER})", least=1)
    number(parser, "--at-least", LEAST, f"only errors of at least this size ({LEAST})", "EMG")
    analysis_argument(parser)
    file(parser, "--memory", "where answers are kept")
    flag(parser, "--list", "show what is due and do not ask")
    flag(parser, "--json", "with --list, for programs")
    which_arguments(parser, ids=True)


def run(options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.quiz import BadMemory, QuizMemory, due

    if options.json and not options.list:
        raise UsageError("--json: only with --list")
    if not options.list and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("it asks questions, so it needs a terminal; --list shows what is due")
    with refusing(BadMemory, OSError):
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


def _questions(options: argparse.Namespace) -> list[QuizQuestion]:
    from sixprime.bot.analysis.collected import collected
    from sixprime.bot.analysis.quiz import questions
    from sixprime.bot.analysis.worst import LostEquity
    from sixprime.bot.archive.collection.selection import chosen
    from sixprime.bot.cli.progress import bar

    losses, analyses = LostEquity(POOL), {}
    with opened(options) as archive, bar("reading analyses") as progress:
        key = settings_key(archive, options.analysis)
        rows = chosen(archive, selection_of(options, archive))
        for match_id, analysis, seats in collected(
            archive, rows, key, of_account=True, progress=progress
        ):
            losses.add(match_id, analysis, seats)
            analyses[match_id] = analysis
    worst = [each for each in losses.worst() if each.size >= options.at_least]
    if not worst:
        among = counted(len(analyses), "match")
        raise UsageError(f"no error of at least {options.at_least} in {among}")
    return questions(worst, analyses)


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
    """Asks until every question was answered correctly once, or the user stops."""
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
    """Asks until it understands an answer; EOFError if the user stops."""
    from sixprime.bot.analysis.quiz import BadAnswer, judged
    from sixprime.bot.reports.text import details, question_of

    print(f"\n{printable(question_of(question.analysis, question.error))}")
    while True:
        said = input(f"{question.choices}? ").strip()
        if said.lower() in ("q", "quit", "exit"):
            raise EOFError
        if not said:
            continue
        try:
            right, given = (False, None) if said == "?" else judged(question, said)
        except BadAnswer as error:
            print(printable(str(error)))
            continue
        cost = "" if given is None or given <= 0 else f", {given:.3f} behind the best"
        print(f"right{cost}" if right else "" if said == "?" else f"wrong{cost}")
        print(printable("\n".join(details(question.error, question.turn))))
        return right
