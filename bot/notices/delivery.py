"""Sends notices by webhook and mail, each in a thread of its own.

`post` never waits, and the queue is bounded. Temporary failures are retried, later each time;
refusals are not. Nothing here logs an address or a password.
"""

from __future__ import annotations

import datetime as dt
import json
import smtplib
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from functools import partial
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import Request

import structlog

from sixprime.bot.process.outgoing import Deadline, Mailer, TlsMailer, opened
from sixprime.bot.process.printable import printable
from sixprime.bot.settings.notices import NoticeSettings, Topic
from sixprime.bot.settings.passwords import Secret, first_line
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import ConfigError, SixprimeError
from sixprime.engine.system.faults import fault_of, undone_by

log = structlog.get_logger("bot.notices")

MOST_WAITING = 100
WITHIN_S = 20.0  # for one try in all
AGAIN_S = 30.0  # after a failure; doubled each time, up to
LONGEST_S = 1_800.0
KEPT_S = 86_400.0  # then it is too old to send
LAST_WITHIN_S = 10.0  # when the program ends
TRY_LATER = (408, 425, 429)  # of HTTP, beside 5xx


class NotWanted(SixprimeError):
    """The receiver refuses the notice for good; the text says how."""


@dataclass(frozen=True, slots=True)
class OperatorNotice:
    topic: Topic
    profile: str  # "": the whole process
    text: str
    over: bool = False
    at: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))

    @property
    def line(self) -> str:
        """The notice on one printable line, as the subject of a mail has to be."""
        line = f"{self.profile}: {self.text}" if self.profile else self.text
        return " ".join(printable(line).split())


Send = Callable[[OperatorNotice], None]


class Courier:
    """One way of delivery, and its thread."""

    def __init__(self, name: str, send: Send) -> None:
        self._name, self._send = name, send
        self._waiting: deque[OperatorNotice] = deque(maxlen=MOST_WAITING)  # the oldest are dropped
        self._changed = threading.Condition()
        self._ends = False
        self._thread = threading.Thread(target=self._run, name=f"notices by {name}", daemon=True)
        self._thread.start()

    def post(self, notice: OperatorNotice) -> None:
        with self._changed:
            self._waiting.append(notice)
            self._changed.notify()

    def close(self, within_s: float) -> None:
        """Try once more to send the waiting notices, for at most `within_s`."""
        with self._changed:
            self._ends = True
            self._changed.notify()
        self._thread.join(within_s)

    def _run(self) -> None:
        pause = AGAIN_S
        while True:
            with self._changed:
                while not self._waiting and not self._ends:
                    self._changed.wait()
                if not self._waiting:
                    return
                notice = self._waiting.popleft()
            error = fault_of(partial(self._send, notice))
            if error is None:
                pause = AGAIN_S
            elif not self._gives_up(notice, error):
                with self._changed:
                    if self._ends:
                        return
                    if len(self._waiting) < MOST_WAITING:
                        self._waiting.appendleft(notice)
                    self._rest(pause)
                    pause = min(2 * pause, LONGEST_S)

    def _gives_up(self, notice: OperatorNotice, error: Exception) -> bool:
        age = (dt.datetime.now(dt.UTC) - notice.at).total_seconds()
        lost = isinstance(error, NotWanted) or age > KEPT_S
        why = str(error) if isinstance(error, NotWanted | OSError) else type(error).__name__
        log.warning("not sent" if lost else "not sent yet", by=self._name, why=why[:200])
        return lost

    def _rest(self, pause: float) -> None:
        until = time.monotonic() + pause
        while not self._ends and (left := until - time.monotonic()) > 0:
            self._changed.wait(left)


class Couriers:
    """All ways of delivery in the settings; ConfigError."""

    def __init__(self, settings: NoticeSettings) -> None:
        self._sends = dict(_ways(settings))
        self._couriers = [Courier(name, send) for name, send in self._sends.items()]

    @property
    def ways(self) -> tuple[str, ...]:
        return tuple(self._sends)

    def post(self, notice: OperatorNotice) -> None:
        """Send it in the background, and return at once."""
        for each in self._couriers:
            each.post(notice)

    def close(self) -> None:
        """Send the notices that still wait, if that is quick."""
        until = time.monotonic() + LAST_WITHIN_S
        for each in self._couriers:
            each.close(max(0.0, until - time.monotonic()))

    def tried(self, notice: OperatorNotice) -> dict[str, str]:
        """Send it now, and return the failures by way of delivery."""
        failed = {}
        for name, send in self._sends.items():
            if (error := fault_of(partial(send, notice))) is not None:
                failed[name] = str(error) or type(error).__name__
        return failed


def secrets_of(settings: NoticeSettings) -> list[str]:
    """Return the secrets that must not be logged; ConfigError if a file cannot be read."""
    names = "webhook_file", "webhook_token_file", "mail_password_file"
    found = [secret.text for name in names if (secret := _secret(settings, name))]
    return [*found, *([settings.webhook] if settings.webhook else [])]


def _ways(settings: NoticeSettings) -> list[tuple[str, Send]]:
    found: list[tuple[str, Send]] = []
    address = _secret(settings, "webhook_file") or Secret(settings.webhook or "")
    if address.text and not address.text.startswith(("http://", "https://")):
        raise ConfigError("notices.webhook_file: its first line is not http://... or https://...")
    if address.text:
        found.append(("webhook", Webhook(address, _secret(settings, "webhook_token_file"))))
    if settings.mail_to:
        found.append(("mail", Mail(settings, _secret(settings, "mail_password_file"))))
    return found


def _secret(settings: NoticeSettings, name: str) -> Secret | None:
    """Return the first line of the file that this setting names, if it names one; ConfigError."""
    path = getattr(settings, name)
    return None if path is None else Secret(first_line(path, f"notices.{name}"))


# --- webhook


@dataclass(frozen=True, slots=True)
class Webhook:
    """A POST of JSON; Slack and Mattermost show `text`, Discord shows `content`."""

    address: Secret
    token: Secret | None = None

    def __call__(self, notice: OperatorNotice) -> None:
        """Send it; NotWanted, OSError."""
        text = f"[sixprime] {notice.line}"
        tree = {
            "text": text,
            "content": text,
            "topic": notice.topic,
            "profile": notice.profile,
            "over": notice.over,
            "host": socket.gethostname(),
            "at": notice.at.isoformat(timespec="seconds"),
        }
        head = {"Content-Type": "application/json", "User-Agent": "sixprime"}
        if self.token is not None:
            head["Authorization"] = f"Bearer {self.token.text}"
        try:
            request = Request(self.address.text, json.dumps(tree).encode(), head)
            with opened(request, Deadline(WITHIN_S)):
                pass
        except HTTPError as error:
            error.close()
            if error.code < 500 and error.code not in TRY_LATER:
                raise NotWanted(f"HTTP {error.code}") from None
            raise OSError(f"HTTP {error.code}") from None
        except URLError as error:
            raise OSError(str(error.reason)) from None
        except (HTTPException, ValueError) as error:  # an address that is none would be in its text
            raise NotWanted(type(error).__name__) from None


# --- mail


@dataclass(frozen=True, slots=True)
class Mail:
    settings: NoticeSettings
    password: Secret | None = None

    def __call__(self, notice: OperatorNotice) -> None:
        """Send it; NotWanted, OSError."""
        try:
            with closing(self._server()) as server:
                if self.settings.mail_user is not None and self.password is not None:
                    server.login(self.settings.mail_user, self.password.text)
                refused = server.send_message(self._message(notice))
                with suppress(smtplib.SMTPException):
                    server.quit()
        except smtplib.SMTPRecipientsRefused as error:
            codes = {code for code, _ in error.recipients.values()}
            self._failed("no recipient is taken", min(codes, default=0))
        except UnicodeEncodeError:
            raise NotWanted("mail_user and its password may only be ASCII") from None
        except smtplib.SMTPAuthenticationError as error:
            self._failed("the login is refused", error.smtp_code)
        except smtplib.SMTPResponseException as error:
            self._failed("refused", error.smtp_code)
        except smtplib.SMTPNotSupportedError as error:
            raise NotWanted(str(error)) from None
        if refused:  # again would be twice for the others
            why = ", ".join(sorted({str(code) for code, _ in refused.values()}))
            raise NotWanted(
                f"{len(refused)} of {len(self.settings.mail_to)} recipients refused ({why})"
            )

    def _server(self) -> Mailer:
        where, deadline = Endpoint.parse(self.settings.mail_server), Deadline(WITHIN_S)
        if self.settings.mail_tls == "tls":
            return TlsMailer(*where, deadline)
        server = Mailer(*where, deadline)
        if self.settings.mail_tls == "starttls":
            with undone_by(server.close):
                server.starttls(context=deadline.tls())
        return server

    def _message(self, notice: OperatorNotice) -> EmailMessage:
        message, sender = EmailMessage(), self.settings.mail_from or self.settings.mail_to[0]
        message["From"], message["To"] = sender, ", ".join(self.settings.mail_to)
        message["Subject"] = f"sixprime: {notice.line}"[:120]
        message["Date"] = format_datetime(notice.at)
        message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        when = f"{notice.at:%Y-%m-%d %H:%M:%S} UTC"
        message.set_content(f"{notice.line}\n\n{when}, {socket.gethostname()}\n")
        return message

    @staticmethod
    def _failed(what: str, code: int) -> None:
        if code == -1:
            raise NotWanted("it does not speak SMTP") from None
        raise (NotWanted if code >= 500 else OSError)(f"{what} ({code})") from None
