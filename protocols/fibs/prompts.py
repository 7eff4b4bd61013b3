"""The announcement of our turn, which may follow a board or never come.

It is a prompt, or a roll that the server makes for us; we learn which for each server. After a
resume nothing announces our turn.
"""

from __future__ import annotations

from sixprime.protocols.fibs.dialect import LearnedDialect


class TurnPrompt:
    """The prompt, or the roll made by the server, that may follow a board with our turn."""

    def __init__(self, dialect: LearnedDialect, *, announced: bool) -> None:
        self.announced = announced
        self._dialect = dialect
        self._may_double = False
        self.excused = False  # the server's next roll tells nothing about other turns
        self._until: float | None = None

    @property
    def deadline(self) -> float:
        """Time at which to act on the board alone."""
        return float("inf") if self._until is None else self._until

    def announce(self) -> None:
        """Note that the prompt has come, or that none can come."""
        self.announced, self._until = True, None

    def start_over(self) -> None:
        """Note that we have acted: the next turn will be announced again."""
        self.announced, self._until = False, None
        self.excused = False

    def expect(self, may_double: bool, now: float) -> None:
        """Wait for the prompt: a board shows our turn."""
        self._may_double = may_double
        wait_s = self._dialect.prompt_within_s[may_double]
        if wait_s == 0.0:
            self.announce()
        elif not self.announced:
            self._until = now + wait_s

    def check(self, now: float) -> None:
        """Take the board as enough, now and next time, if no prompt has come in time."""
        if not self.announced and now >= self.deadline:
            self.announce()
            self._dialect.note_missing_prompt(self._may_double)

    def note_server_rolls(self) -> None:
        """Note that the server has rolled for us: wait for that next time."""
        if not self.excused:
            self._dialect.note_early_roll(self._may_double)
