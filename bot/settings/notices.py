"""The settings of notices by webhook and mail; secrets come from files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from pydantic import model_validator

from sixprime.bot.settings.values import (
    Address,
    Count,
    MailAddress,
    Section,
    SomeSeconds,
    WebAddress,
    setting,
)
from sixprime.engine.system.endpoint import Endpoint

Topic = Literal["offline", "refused", "stuck", "waiting", "engine", "archive", "disk", "upgrade"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
LOCAL = ("localhost", "127.0.0.1", "::1")


class NoticeSettings(Section):
    """Notices to the operator when something is wrong."""

    webhook: WebAddress | None = setting(
        None, "address that gets a POST of JSON; `sixprime config notify` tries it"
    )
    webhook_file: Path | None = setting(
        None, "the first line of this file is the address, if that is a secret"
    )
    webhook_token_file: Path | None = setting(
        None, "its first line is sent as `Authorization: Bearer`"
    )
    mail_to: tuple[MailAddress, ...] = setting((), "[] sends no mail")
    mail_from: MailAddress | None = setting(None, "the sender; null: the first of mail_to")
    mail_server: Address = setting("localhost:25", "the server that sends the mail")
    mail_tls: Literal["none", "starttls", "tls"] = setting(
        "none", "starttls (port 587), tls (465) or none"
    )
    mail_user: str | None = setting(None, "if the server wants a login")
    mail_password_file: Path | None = setting(None, "the first line of this file is its password")
    about: tuple[Topic, ...] = setting(TOPICS, f"topics: {', '.join(TOPICS)}")
    offline_after_s: SomeSeconds = setting(1800.0, "report a bot that has been offline this long")
    waiting_after_s: SomeSeconds = setting(
        1800.0, "report a bot that rests, or waits for its server or archive, this long"
    )
    disk_mib: Count = setting(500, "report less room than this for archive and log")
    again_after_s: SomeSeconds = setting(
        21600.0, "report the same trouble of a bot again after this time"
    )
    most_an_hour: int = setting(10, "notices at most; further ones are only counted", ge=1)

    @model_validator(mode="after")
    def _sensible(self) -> NoticeSettings:
        if self.webhook and self.webhook_file:
            raise ValueError("give webhook or webhook_file, not both")
        if (self.mail_user is None) != (self.mail_password_file is None):
            raise ValueError("give both mail_user and mail_password_file, or neither")
        host = Endpoint.parse(self.mail_server).host
        if self.mail_user is not None and self.mail_tls == "none" and host not in LOCAL:
            raise ValueError("a password needs mail_tls: starttls or tls")
        return self
