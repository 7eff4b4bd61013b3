"""The account's settings: changed to the needs of a bot, and verified.

A toggle can only be flipped, not set. So we read the list, flip those toggles that differ, and read
the list again. It outweighs the answers to the flips, as some servers swap two of them. Nothing
hangs: every request is given up after a time, and every goal after a few requests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from sixprime.protocols.fibs.wire import account
from sixprime.protocols.fibs.wire.commands import (
    Back,
    Command,
    ListToggles,
    SetVariable,
    ShowSaved,
    Toggle,
)
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused

WANTED_TOGGLES: Mapping[str, bool] = {
    "autoboard": True,
    "autodouble": False,
    "automove": False,
    "bell": False,
    "crawford": True,
    "double": True,
    "greedy": False,
    "moreboards": True,
    "moves": False,
    "notify": True,
    "ratings": True,
    "report": False,
    "silent": True,
    "telnet": True,
    "wrap": False,
}  # `ready` comes last and is the session's business
WANTED_VARIABLES: Mapping[str, str] = {
    "boardstyle": "3",
    "linelength": "0",
    "pagelength": "0",
    "redoubles": "none",
}
ANSWER_WITHIN_S = 5.0
LIST_WITHIN_S = 2.0  # lists have no end mark: they are over this long after the last row
TRIES = 3
MOST_SILENT = 2  # requests that were never answered: all others are tried once
LAST_TOGGLE = "wrap"
READY = "ready"


class Setup:
    """The settings as far as known, and the next command."""

    def __init__(
        self,
        toggles: Mapping[str, bool] = WANTED_TOGGLES,
        variables: Mapping[str, str] = WANTED_VARIABLES,
    ) -> None:
        self.wanted_toggles = dict(toggles)
        self.wanted_variables = dict(variables)
        self.toggles: dict[str, bool] = {}
        self.variables: dict[str, str] = {}
        self.ready = True  # the wanted toggle; set after everything else
        self.away = False
        self._listed: set[str] = set()  # toggles that the server's list knows
        self._list_is_fresh = False
        self._saved_known = False
        self._lists_saved = True  # this server knows the command
        self._tries: Counter[str] = Counter()
        self._silent: set[str] = set()  # requests without an answer since the last one
        self._asked: Command | None = None
        self._until = 0.0

    def next(self, now: float, is_spent: Callable[[Command], bool]) -> Command | None:
        """Return the next command towards the goal; None while we wait, or when all is done.

        Goals whose budget `is_spent` are given up, because a match matters more.
        """
        self._give_up_waiting(now)
        if self._asked is not None:
            return None
        while (goal := self._goal()) is not None and is_spent(goal):
            self._tries[_key(goal)] = 2 * TRIES
        return goal

    @property
    def done(self) -> bool:
        """True if every setting has been reached or given up."""
        return self._asked is None and self._goal() is None

    @property
    def deadline(self) -> float | None:
        """Time at which we stop waiting for an answer."""
        return None if self._asked is None else self._until

    def want_ready(self, ready: bool) -> None:
        """Set whether others may invite us; this takes effect in the lobby."""
        self.ready = ready
        del self._tries[READY], self._tries[Back.WORD]

    def give_up(self) -> None:
        self._asked = None
        while (goal := self._goal()) is not None:
            self._tries[_key(goal)] = 2 * TRIES

    def forget_saved(self) -> None:
        """Read the list of saved matches again, where there is one."""
        self._saved_known = not self._lists_saved
        del self._tries["saved"]

    def note_ready(self, ready: bool) -> None:
        """Note the toggle `ready`, which our own who line shows."""
        self.toggles[READY] = ready
        if ready == self.ready:
            del self._tries[READY]

    def sent(self, command: Command, now: float) -> None:
        if not isinstance(command, SetVariable | ListToggles | Toggle | Back | ShowSaved):
            return
        self._asked = command
        self._until = now + ANSWER_WITHIN_S
        self._tries[_key(command)] += 1

    def receive(self, message: Message, now: float) -> None:
        match message:
            case account.OwnInfo():
                self.toggles.update(message.toggles())
                self.away = message.away
            case account.ToggleIs(name, on):
                self._listed.add(name)
                self.toggles[name] = on
                self._row(ListToggles, now, last=name == LAST_TOGGLE)
            case account.TogglesBegin() if isinstance(self._asked, ListToggles):
                self._until = now + LIST_WITHIN_S
            case account.Toggled(name, on):
                self._toggled(name, on)
            case account.VariableSet(name, value) | account.VariableIs(name, value):
                self.variables[name] = value
                self._answered(lambda asked: isinstance(asked, SetVariable) and asked.name == name)
            case account.SavedHead() | account.SavedMatch():
                self._saved_known = True
                self._row(ShowSaved, now)
            case account.NoSavedMatches():
                self._saved_known = True
                self._row(ShowSaved, now, last=True)
            case account.YouAreAway() | account.WelcomeBack() | Refused(Refusal.NOT_AWAY):
                self.away = isinstance(message, account.YouAreAway)
                self._answered(lambda asked: isinstance(asked, Back) and not self.away)
            case Refused(why, about):
                self._refused(why, about)

    def _goal(self) -> Command | None:
        return next(self._goals(), None)

    def _goals(self) -> Iterator[Command]:
        for name, value in self.wanted_variables.items():
            if self.variables.get(name) != value and self._may_try(name):
                yield SetVariable(name, value)
        if not self._list_is_fresh and self._may_try("toggle", 2 * TRIES):
            yield ListToggles()
        for name, on in self.wanted_toggles.items():
            if self.toggles.get(name, on) != on and self._may_try(name):
                yield Toggle(name)
        if self.away and self._may_try(Back.WORD):
            yield Back()
        if not self._saved_known and self._may_try("saved", 2):
            yield ShowSaved()
        if self.toggles.get(READY, self.ready) != self.ready and self._may_try(READY):
            yield Toggle(READY)

    def _may_try(self, key: str, tries: int = TRIES) -> bool:
        return self._tries[key] < (tries if len(self._silent) < MOST_SILENT else 1)

    def _toggled(self, name: str, on: bool) -> None:
        # our own who line shows `ready`, too, and it may have come before this answer
        if name != READY and name in self._listed and name in self.toggles:
            self.toggles[name] = not self.toggles[name]
            self._list_is_fresh = False  # the list will show it
        else:
            self.toggles[name] = on
        self._answered(lambda asked: isinstance(asked, Toggle) and asked.name == name)

    def _row(self, of: type[Command], now: float, last: bool = False) -> None:
        """Note a row of a list, which is over with its last row, or some time after a row."""
        if isinstance(self._asked, of):
            self._until = now + LIST_WITHIN_S
            self._silent.clear()
        if of is ListToggles:
            self._list_is_fresh = True
        if last:
            self._answered(lambda asked: isinstance(asked, of))

    def _refused(self, why: Refusal, about: str) -> None:
        asked = self._asked
        if asked is None:
            return
        if why in _NAME_COMMANDS and about.split()[:1] != asked.line().split()[:1]:
            return  # the refusal is about another of our commands
        if why in _REFUSED_SETTINGS:
            self._silent.clear()
            self._tries[_key(asked)] = 2 * TRIES
            self._asked = None
            if isinstance(asked, ShowSaved):
                self._saved_known, self._lists_saved = True, False

    def _give_up_waiting(self, now: float) -> None:
        asked = self._asked
        if asked is None or now < self._until:
            return
        self._asked = None
        if self._tries[_key(asked)] >= TRIES:
            self._silent.add(_key(asked))
        if isinstance(asked, Toggle):  # it may be flipped or not
            self._list_is_fresh = False

    def _answered(self, answers: Callable[[Command], bool]) -> None:
        if self._asked is not None and answers(self._asked):
            self._asked = None
            self._silent.clear()


_NAME_COMMANDS = (Refusal.UNKNOWN_COMMAND, Refusal.NOT_IMPLEMENTED)
_REFUSED_SETTINGS = frozenset(
    {
        Refusal.UNKNOWN_COMMAND,
        Refusal.NOT_IMPLEMENTED,
        Refusal.UNKNOWN_TOGGLE,
        Refusal.UNKNOWN_SHOW,
        Refusal.BAD_VALUE,
        Refusal.BAD_VARIABLE,
    }
)


def _key(command: Command) -> str:
    match command:
        case SetVariable(name, _) | Toggle(name):
            return name
        case ListToggles():
            return "toggle"
        case ShowSaved():
            return "saved"
        case _:
            return command.WORD
