"""Judges by its schema every JSON that a command prints while tests run it in this process."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

from sixprime.bot.cli.line.command import ShellCommand

Work = Callable[[Namespace], int]
MANY = 30  # entries of a list that are judged
FAULTS: list[str] = []  # since the last test
SEEN: dict[str, list[Any]] = {}  # JSON by the words of its command


def judging(work_of: Callable[[ShellCommand], Work]) -> Callable[[ShellCommand], Work]:
    """Return a `work_of` whose commands are judged when they print JSON."""

    def judged(command: ShellCommand) -> Work:
        work = work_of(command)
        takes_json = any("--json" in option.names for option in command.flags)
        return partial(_watched, work) if takes_json or command.name == "decide" else work

    return judged


def _watched(work: Work, options: Namespace) -> int:
    if not getattr(options, "json", True):
        return work(options)
    told: list[str] = []
    write = sys.stdout.write

    def heard(text: str) -> int:
        told.append(text)
        return write(text)

    with patch.object(sys.stdout, "write", heard):
        code = work(options)
    words = " ".join(options.words)
    for answer in answers_in("".join(told)):
        SEEN.setdefault(words, []).append(answer)
        FAULTS.extend(faults_of(words, answer))
    return code


def answers_in(text: str) -> list[Any]:
    """Return the JSON of one object, or of one a line."""
    try:
        return [json.loads(text)] if text.strip() else []
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def faults_of(words: str, answer: object) -> Iterator[str]:
    for fault in validator(words).iter_errors(_thinned(answer)):
        yield f"sixprime {words} --json: {fault.json_path}: {fault.message[:300]}"


@cache
def validator(words: str) -> Any:
    from sixprime.bot.cli.answers.known import schema_of  # few tests need it

    kind = import_module("jsonschema").Draft202012Validator
    kind.check_schema(schema_of(words))
    return kind(schema_of(words))


def _thinned(value: Any) -> Any:
    """Return the value with long lists cut: validation of all would take seconds."""
    if isinstance(value, dict):
        return {key: _thinned(each) for key, each in value.items()}
    return [_thinned(each) for each in value[:MANY]] if isinstance(value, list) else value
