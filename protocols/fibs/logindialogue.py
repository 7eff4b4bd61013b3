"""The login: a prompt, our one line, and the welcome in time.

A server may prompt twice, refuse by prompting again, or ask for the line again once it has ended
our older login. So the line is sent twice at most. If the prompt takes so long that we do not wait
for it, the first prompt behind our line is no answer to it.
"""

from __future__ import annotations

from sixprime.protocols.fibs.states import ConnectionState, Failure, Happening
from sixprime.protocols.fibs.wire import login
from sixprime.protocols.fibs.wire.messages import Message

PROMPT_WITHIN_S = 45.0  # then the login is sent anyway
LOGIN_WITHIN_S = 90.0  # from one step to the next
PROMPTED_WITHIN_S = 10.0  # refused, or a prompt that came twice
LOGINS = 2


class LoginDialogue:
    def __init__(self, now: float) -> None:
        self.logins = 0
        self.until = now + PROMPT_WITHIN_S
        self._prompted = False
        self._is_ahead = False  # our line went out before its prompt

    def note_prompt(
        self, message: Message, state: ConnectionState, now: float
    ) -> Happening | Failure | None:
        """Note a prompt, or another line in place of the welcome; return its effect."""
        if isinstance(message, login.PasswordPrompt | login.LoginFailed):
            if state is not ConnectionState.LOGGING_IN:
                return None
            garbled = isinstance(message, login.PasswordPrompt)  # we never give a name alone
            return Failure.LOGIN_SILENT if garbled else Failure.LOGIN_REFUSED
        if self._is_ahead and isinstance(message, login.LoginPrompt):
            self._is_ahead = False
            return None
        if self.logins >= LOGINS:
            return Failure.LOGIN_REFUSED if isinstance(message, login.LoginPrompt) else None
        self._prompted = isinstance(message, login.LoginPrompt)
        if not self.logins:
            return None
        self.until = now + PROMPTED_WITHIN_S
        return Happening.PROMPTED_AGAIN

    def note_step(self, now: float) -> None:
        """Wait for the next step: the login goes on."""
        self.until = now + LOGIN_WITHIN_S

    def note_sent(self, now: float) -> None:
        self._is_ahead = not (self._prompted or self.logins)
        self.logins += 1
        self._prompted = False
        self.note_step(now)

    def is_our_turn(self, state: ConnectionState, now: float) -> bool:
        """Return whether the server waits for our line."""
        waits = state is ConnectionState.AWAITING_PROMPT and self.logins < LOGINS
        return waits and (self._prompted or now >= self.until)
