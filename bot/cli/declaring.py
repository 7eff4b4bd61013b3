"""Declares the kinds of options that most commands have: flags, values, numbers, files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sixprime.bot.cli.main import at_least


def flag(parser: argparse._ActionsContainer, name: str, text: str) -> None:
    parser.add_argument(name, action="store_true", help=text)


def option(
    parser: argparse._ActionsContainer,
    name: str,
    metavar: str,
    text: str,
    kind: Callable[[str], Any] = str,
    default: object = None,
) -> None:
    """An option with one value."""
    parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)


def number(
    parser: argparse._ActionsContainer,
    name: str,
    default: float,
    text: str = "default %(default)s",
    metavar: str | None = "N",
    least: float = 0,
) -> None:
    """An option whose value is a number, of the same type as its default."""
    kind = at_least(least, type(default))
    parser.add_argument(name, type=kind, default=default, metavar=metavar, help=text)


def file(
    parser: argparse._ActionsContainer,
    name: str,
    text: str,
    metavar: str = "FILE",
    kind: Callable[[str], Path] = Path,
) -> None:
    parser.add_argument(name, type=kind, metavar=metavar, help=text)
