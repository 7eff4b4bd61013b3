"""The two tables of lines: numbered CLIP lines, and prose. Earlier rows win.

Most lines stand with their messages. Here are the answers to `toggle`, the refusals, and the order.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.protocols.fibs.wire import account, login, matches, talk, turns, users
from sixprime.protocols.fibs.wire.account import TOGGLE_TEXTS
from sixprime.protocols.fibs.wire.refusals import OTHER_WORDS, Refusal, Refused
from sixprime.protocols.fibs.wire.templates import Template

PROMPTS = (
    "login: ",
    "password: ",
    "Please give your password: ",
    "Please retype your password: ",
    "** The two passwords were not identical. Please give them again. Password: ",
)  # they come without a line end


def _toggles() -> Iterator[Template]:
    for name, texts in TOGGLE_TEXTS.items():
        for text, on in zip(texts, (True, False), strict=True):
            needed, _, _ = text.partition("|")
            yield Template(account.Toggled, "** " + text.replace("|", ""), name=name, on=on)
            yield Template(account.Toggled, f"** {needed.strip()}[~ {{_:rest}}]", name=name, on=on)


def _refusals() -> Iterator[Template]:
    for refusal in Refusal:
        if refusal not in _LATE:
            yield Template(Refused, refusal.value, why=refusal)
    for refusal, text in OTHER_WORDS:
        yield Template(Refused, text, why=refusal)
    for refusal in _LATE:
        yield Template(Refused, refusal.value, why=refusal)


_LATE = (Refusal.BAD_STEP,)  # their free text would swallow other rows

_MODULES = (login, account, matches, turns, talk, users)
_LINES: tuple[Template, ...] = tuple(
    row
    for module in _MODULES
    for kind in vars(module).values()
    for row in getattr(kind, "LINES", ())
)

NUMBERED: dict[int, tuple[Template, ...]] = {
    int(row.number): (row,) for row in _LINES if row.number is not None
}

PROSE: tuple[Template, ...] = (
    *(row for row in _LINES if row.number is None),
    *(
        Template(account.Variable, f"{name + ':':<11} {{value:word}}", name=name)
        for name in account.VARIABLES
    ),
    *_toggles(),
    *_refusals(),
    Template(talk.Notice, "** {text}"),
)
