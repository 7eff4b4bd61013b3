"""How a server differs from others: learned on the wire, kept for the next connection.

Only dispensable commands are ever struck off: a server that refuses `move` once must not keep us
from playing for good.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player

OPTIONAL = frozenset({"b", "board", "kibitz", "oldmoves", "rawwho", "tell", "time", "version"})


PROMPT_WITHIN_S = 0.5  # at first
PROMPT_TO_DOUBLE_WITHIN_S = 0.1  # no server rolls for us here, so acting early does no harm
ROLL_WITHIN_S = 5.0  # of a server that rolls for us


@dataclass(slots=True)
class LearnedDialect:
    """What we learned of one server."""

    unknown: set[str] = field(default_factory=set)  # commands
    # after a board that shows our turn a prompt may follow, or a roll: by whether we may double
    prompt_within_s: dict[bool, float] = field(
        default_factory=lambda: {True: PROMPT_TO_DOUBLE_WITHIN_S, False: PROMPT_WITHIN_S}
    )

    def lacks(self, word: str) -> None:
        """The server does not know this word."""
        self.unknown |= OPTIONAL & {word}
        if {"b", "board"} <= self.unknown:
            self.unknown -= {"b", "board"}  # one of the two was an accident

    def knows(self, command: Command) -> bool:
        """Might the server understand it?"""
        return getattr(command, "spelling", getattr(command, "WORD", "")) not in self.unknown

    def misses_prompt(self, may_double: bool) -> None:
        """No prompt came: next time act on the board alone."""
        if self.prompt_within_s[may_double] <= PROMPT_WITHIN_S:
            self.prompt_within_s[may_double] = 0.0

    def rolls_by_itself(self, may_double: bool) -> None:
        """We rolled on the board alone, and the server had rolled already."""
        self.prompt_within_s[may_double] = ROLL_WITHIN_S

    def who(self, name: Player | None = None) -> c.AskWho:
        return c.AskWho(name, "who" if "rawwho" in self.unknown else "rawwho")

    @property
    def board(self) -> c.AskBoard:
        """How to ask for the board."""
        return c.AskBoard("b" if "board" in self.unknown else "board")
