"""A queue of password checks: few at once, and few wrong ones per host or account.

A wrong password costs its host and its account a token each; without tokens a login waits, and
after a while is refused without a check. Nobody can lock others out for long: hosts without recent
mistakes on an account go first, and the network that used the account last has tokens of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sixprime.bot.sandbox.state.limits import Allowances, Limits

SessionId = int
CHECKS_AT_ONCE = 2  # each takes 50 ms of a core and 16 MiB
WAITS_S = 15.0
FORGOTTEN_S = 900.0  # a host's mistakes with an account


@dataclass(frozen=True, slots=True)
class PasswordCheck:
    """Somebody claims to be this account; `stored` is empty where no such account exists."""

    session: SessionId
    password: str = field(repr=False)
    stored: str = field(repr=False)
    account: str = ""
    network: str = ""  # where it comes from
    known: bool = False  # the account was last used from this network
    pause_s: float = 0.0  # shortest wait


@dataclass(frozen=True, slots=True)
class PasswordWish:
    session: SessionId
    password: str = field(repr=False)


Slow = PasswordCheck | PasswordWish
Token = tuple[Allowances, tuple[str, bool]]  # the bucket and its key


class PasswordQueue:
    """Passwords that wait for their check, and passwords being checked."""

    def __init__(self, limits: Limits) -> None:
        rate, burst = limits.wrong_passwords_per_minute / 60, float(limits.wrong_password_burst)
        self._hosts = Allowances(rate, burst)
        self._accounts = Allowances(2 * rate, 2 * burst)  # no single host can use them up
        self._pairs = Allowances(1 / FORGOTTEN_S, 1.0)
        self._waiting: list[tuple[float, Slow]] = []  # since when, the longest first
        self._running: dict[SessionId, tuple[Slow, list[Token]]] = {}
        self._stirred = False  # something new may begin

    def put(self, question: Slow, now: float) -> None:
        self._waiting.append((now, question))
        self._stirred = True

    def due(self, now: float) -> list[Slow]:
        """Return the passwords to check now; call `done` for each later."""
        begun: list[Slow] = []
        stirred, self._stirred = self._stirred, False
        while stirred and len(self._running) < CHECKS_AT_ONCE:
            ready = [each for each in self._waiting if self._may_begin(*each, now)]
            if not ready:
                break
            chosen = min(ready, key=lambda each: not self._is_clean(each[1], now))
            self._waiting.remove(chosen)
            self._begin(chosen[1], now)
            begun.append(chosen[1])
        return begun

    def done(self, session: SessionId, now: float, *, wrong: bool = False) -> None:
        """Take the result of a check."""
        self._stirred = True
        question, tokens = self._running.pop(session, (None, []))
        if wrong and isinstance(question, PasswordCheck):
            self._pairs.take((question.network, question.account), now)
            return
        for buckets, key in tokens:  # a right password costs nothing
            buckets.give_back(key)

    def late(self, now: float) -> list[SessionId]:
        """Return the sessions whose passwords could not be checked in time, and drop these."""
        late = [each for each in self._waiting if now > each[0] + WAITS_S]
        self._waiting = self._waiting[len(late) :]
        self._stirred = True
        return [question.session for _, question in late]

    def forget(self, session: SessionId) -> None:
        """Drop the password of a closed session."""
        self._waiting = [each for each in self._waiting if each[1].session != session]

    def _may_begin(self, since: float, question: Slow, now: float) -> bool:
        if isinstance(question, PasswordWish):
            return True
        tokens = self._tokens(question, now)
        return now >= since + question.pause_s and all(where.has(key, now) for where, key in tokens)

    def _begin(self, question: Slow, now: float) -> None:
        tokens = self._tokens(question, now)
        for buckets, key in tokens:
            buckets.take(key, now)
        self._running[question.session] = question, tokens

    def _tokens(self, question: Slow, now: float) -> list[Token]:
        if isinstance(question, PasswordWish):
            return []
        trusted = question.known and self._is_clean(question, now)
        of_host, of_account = (question.network, trusted), (question.account, trusted)
        return [(self._hosts, of_host), (self._accounts, of_account)]

    def _is_clean(self, question: Slow, now: float) -> bool:
        if isinstance(question, PasswordWish):
            return True
        return self._pairs.has((question.network, question.account), now)
