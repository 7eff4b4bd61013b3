"""The peculiarities of a server, learned on the wire and kept for the next connection.

Only dispensable commands are ever struck off: a server that refuses `move` once must not keep us
from playing for good.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player

OPTIONAL = frozenset(
    {"b", "board", "kibitz", "oldmoves", "rawwho", "say", "tell", "time", "version", "whisper"}
)


PROMPT_WITHIN_S = 0.5  # at first
ROLL_WITHIN_S = 5.0  # of a server that rolls for us


@dataclass(slots=True)
class LearnedDialect:
    """The words that one server lacks, and its prompts."""

    unknown: set[str] = field(default_factory=set)  # commands
    # wait for a prompt, or a roll, after a board that shows our turn; by whether we may double
    prompt_within_s: dict[bool, float] = field(
        default_factory=lambda: dict.fromkeys((True, False), PROMPT_WITHIN_S)
    )

    def note_unknown(self, word: str) -> None:
        """Note that the server does not know this word."""
        self.unknown |= OPTIONAL & {word}
        if {"b", "board"} <= self.unknown:
            self.unknown -= {"b", "board"}  # one of the two was an accident

    def knows(self, command: Command) -> bool:
        """Return whether the server may understand this command."""
        return getattr(command, "spelling", getattr(command, "WORD", "")) not in self.unknown

    def note_missing_prompt(self, may_double: bool) -> None:
        """Wait less next time: no prompt came, and no roll; in the end act on the board alone."""
        waited_long = self.prompt_within_s[may_double] > PROMPT_WITHIN_S
        self.prompt_within_s[may_double] = PROMPT_WITHIN_S if waited_long else 0.0

    def note_early_roll(self, may_double: bool) -> None:
        """Wait for the roll next time: the server rolls for us."""
        self.prompt_within_s[may_double] = ROLL_WITHIN_S

    def who(self, name: Player | None = None) -> c.AskWho:
        return c.AskWho(name, "who" if "rawwho" in self.unknown else "rawwho")

    @property
    def board(self) -> c.AskBoard:
        """The request for a board, as this server spells it."""
        return c.AskBoard("b" if "board" in self.unknown else "board")
