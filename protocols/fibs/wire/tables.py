"""The two tables of lines: numbered CLIP lines, and prose. Earlier rows win.

Most lines stand with their messages. This module adds the answers to `toggle`, the refusals and the
lines on which nothing depends, and orders them all.
"""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.protocols.fibs.wire import account, login, matches, messages, talk, turns, users
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

KNOWN = """\
There are {_:int} users logged on[.]
The following users are away:
None of the users is away[.]
{_:name} has {_:word} saved {_:word}
List of games:
{_:name} - {_:name} ({_:matchof} {_:int}-{_:int})
Watching players:
Watching players: none[.]
{_:name} is watching {_:name}[.]
Information about {_:name}:
  {_:text}
No information found on user {_:name}[.]
Pipcounts: {_:name} {_:int} {_:name} {_:int}[~.]
{_:name} is not doing anything interesting[.]
{_:name} starts watching {_:name}[.]
{_:name} stops watching {_:name}[.]
You look great[.]
[~** ]{_:name} is not playing[.]
max_logins is {_:int} (maximum: {_:int})
There are messages for you:
** {_:int} user[~s] heard you[.]
You say to yourself: {_:text}
** You gag {_:name}[.]
** You ungag {_:name}[.]
** You blind {_:name}[.]
** You unblind {_:name}[.]
You wave goodbye[~ again and log out][.]
{_:name} waves goodbye[~ again][.]
** FINALLY!!! {_:name} logs in[~.]
{_:name} is waiting for you to log in[.]
Settings of variables:
Your email address is '{_:quoted}'[.]
** You invited {_:name} to {_:match}[.]
** You invited {_:name} to resume a saved match[.]
{_:name} and {_:name} start {_:match}[.]
{_:name} and {_:name} are resuming their {_:matchof}[.]
{_:name} has left the game with {_:name}[.]
{_:name} wins a {_:int} point match against {_:name} {_:int}-{_:int}[~ ][.]
{_:name} rolls {_:die}, {_:name} rolls {_:die}[.]
{_:name} rolled {_:die}, {_:name} rolled {_:die}[.]
Time (UTC)  average min max
{_:int}:{_:int}-{_:int}:{_:int} {_:rest}
{_:name} bans you from watching[.]
The number on the doubling cube is now {_:int}[~.]
{_:name} makes the first move[.]
{_:name} doubles[.]
{_:name} gives up. {_:name} wins {_:points}[.]
{_:name} wants to resign. {_:name} will win {_:points?}[~ ][.]
"""  # lines that change nothing and are read by nobody: users, watchers, other matches


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
    number: tuple(row for row in _LINES if row.number == str(number))
    for number in sorted({int(row.number) for row in _LINES if row.number is not None})
}

PROSE: tuple[Template, ...] = (
    *(row for row in _LINES if row.number is None),
    *(Template(messages.Known, text, line=text) for text in KNOWN.splitlines()),
    *(
        Template(account.Variable, f"{name + ':':<11} {{value:word}}", name=name)
        for name in account.VARIABLES
    ),
    *_toggles(),
    *_refusals(),
    Template(talk.Notice, "** {text}"),
)
