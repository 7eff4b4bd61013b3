"""The two tables of lines: numbered CLIP lines, and prose. Earlier rows win.

Most lines stand with their messages. Here are the answers to `toggle`, the refusals, and the order.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.protocols.fibs.wire import account, login, matches, talk, turns, users
from sixprime.protocols.fibs.wire.refusals import OTHER_WORDS, Refusal, Refused
from sixprime.protocols.fibs.wire.templates import Template

PROMPTS = (
    "login: ",
    "password: ",
    "Please give your password: ",
    "Please retype your password: ",
    "** The two passwords were not identical. Please give them again. Password: ",
)  # they come without a line end

# The answers to `toggle NAME`: YES, NO. Text after a bar is another server's wording.
TOGGLE_TEXTS: dict[str, tuple[str, str]] = {
    "allowpip": (
        "You allow |the use the server's 'pip' command.",
        "You don't allow |the use of the server's 'pip' command.",
    ),
    "autoboard": (
        "The board will |be refreshed after every move.",
        "The board won't |be refreshed after every move.",
    ),
    "autodouble": (
        "You agree |that doublets during opening double the cube.",
        "You don't agree |that doublets during opening double the cube.",
    ),
    "automove": (
        "Forced moves will |be done automatically.",
        "Forced moves won't |be done automatically.",
    ),
    "bell": (
        "Your terminal will ring |the bell if someone talks to you or invites you",
        "Your terminal won't ring |the bell if someone talks to you or invites you",
    ),
    "crawford": (
        "You insist |on playing with the Crawford rule.",
        "You would like to play without |using the Crawford rule.",
    ),
    "double": (
        "You will be asked |if you want to double.",
        "You won't be asked |if you want to double.",
    ),
    "greedy": (
        "Will use |automatic greedy bearoffs.",
        "Won't use |automatic greedy bearoffs.",
    ),
    "moreboards": (
        "Will send |rawboards after rolling.",
        "Won't send |rawboards after rolling.",
    ),
    "moves": (
        "You want a list |of moves after this game.",
        "You won't see a list |of moves after this game.",
    ),
    "notify": (
        "You'll be notified |when new users log in.",
        "You won't be notified |when new users log in.",
    ),
    "ratings": (
        "You'll see how |the rating changes are calculated.",
        "You won't see how |the rating changes are calculated.",
    ),
    "ready": (
        "You're now ready |to invite or join someone.",
        "You're now refusing |to play with someone.",
    ),
    "report": (
        "You will be informed |about starting and ending matches.",
        "You won't be informed |about starting and ending matches.",
    ),
    "silent": (
        "You won't hear |what other players shout.",
        "You will hear |what other players shout.",
    ),
    "telnet": (
        "You use telnet |and don't need extra 'newlines'.",
        "You use a client program |and will receive extra 'newlines'.",
    ),
    "wrap": (
        "The server will wrap |long lines.",
        "Your terminal knows |how to wrap long lines.",
    ),
}


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
