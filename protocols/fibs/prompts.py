"""Our turn: is it announced after the board, or is the board enough?"""

from __future__ import annotations

from sixprime.protocols.fibs.dialect import LearnedDialect


class TurnPrompt:
    """After a board with our turn a prompt may follow, or a roll that the server makes for us."""

    def __init__(self, dialect: LearnedDialect, *, announced: bool) -> None:
        self.announced = announced
        self._dialect = dialect
        self._may_double = False
        self._until: float | None = None

    @property
    def deadline(self) -> float:
        """When to act on the board alone."""
        return float("inf") if self._until is None else self._until

    def heard(self) -> None:
        """The prompt has come, or none can come."""
        self.announced, self._until = True, None

    def used(self) -> None:
        """We have acted: the next turn will be announced again."""
        self.announced, self._until = False, None

    def expected(self, may_double: bool, now: float) -> None:
        """A board shows our turn."""
        self._may_double = may_double
        wait_s = self._dialect.prompt_within_s[may_double]
        if wait_s == 0.0:
            self.heard()
        elif not self.announced:
            self._until = now + wait_s

    def missed(self, now: float) -> None:
        """Note if none has come in time: the board is enough, now and next time."""
        if not self.announced and now >= self.deadline:
            self.heard()
            self._dialect.misses_prompt(self._may_double)

    def refused(self) -> None:
        """The server had rolled already when we did."""
        self._dialect.rolls_by_itself(self._may_double)
