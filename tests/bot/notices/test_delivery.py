"""A notice reaches a receiver on this machine, waits for one that is away, and tells no secret."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import structlog

from sixprime.bot.cli.main import main
from sixprime.bot.notices import delivery
from sixprime.bot.notices.delivery import Couriers, NotWanted, OperatorNotice, secrets_of
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.notices import NoticeSettings
from sixprime.engine.system.errors import ConfigError
from tests.support.bot.receivers import Receiver, receiving

OFFLINE = OperatorNotice("offline", "anna", "offline for 31 minutes: no route to host")
WITHIN_S = 60.0


def by_web(receiver: Receiver, folder: Path, token: str = "the-token") -> NoticeSettings:
    (folder / "address").write_text(f"http://127.0.0.1:{receiver.port}/hook/the-secret\n")
    (folder / "token").write_text(token + "\n")
    return NoticeSettings(webhook_file=folder / "address", webhook_token_file=folder / "token")


def by_mail(receiver: Receiver, folder: Path) -> NoticeSettings:
    (folder / "password").write_text("the-password\n")
    return NoticeSettings(
        mail_to=("me@example.org", "you@example.org"),
        mail_from="bot@example.org",
        mail_server=f"127.0.0.1:{receiver.port}",
        mail_user="bot",
        mail_password_file=folder / "password",
    )


def test_a_webhook_gets_it_as_json(tmp_path: Path) -> None:
    with receiving("web", "200 OK") as receiver:
        couriers = Couriers(by_web(receiver, tmp_path))
        couriers.post(OFFLINE)
        couriers.close()
    (tree,), (head,) = receiver.received, receiver.heads
    assert tree["text"] == tree["content"] == f"[sixprime] anna: {OFFLINE.text}"
    assert (tree["topic"], tree["profile"], tree["over"]) == ("offline", "anna", False)
    assert head[""] == "POST /hook/the-secret HTTP/1.1"
    assert head["Authorization"] == "Bearer the-token"


def test_a_mail_server_gets_it_as_a_mail(tmp_path: Path) -> None:
    with receiving("mail", "250 well") as receiver:
        couriers = Couriers(by_mail(receiver, tmp_path))
        couriers.post(OFFLINE)
        couriers.close()
    (mail,) = receiver.mails
    assert mail["Subject"] == f"sixprime: anna: {OFFLINE.text}"
    assert (mail["From"], mail["To"]) == ("bot@example.org", "me@example.org, you@example.org")
    assert OFFLINE.text in mail.get_content()
    assert receiver.login == ["bot", "the-password"]
    assert [each.lower() for each in receiver.said if each.startswith("rcpt")] == [
        "rcpt to:<me@example.org>",
        "rcpt to:<you@example.org>",
    ]


def test_what_fails_for_a_while_is_sent_again_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "AGAIN_S", 0.01)
    with receiving("web", "503 later", "429 slower", "200 OK") as receiver:
        couriers = Couriers(by_web(receiver, tmp_path))
        for text in ("one", "two"):
            couriers.post(OperatorNotice("stuck", "anna", text))
        until = time.monotonic() + WITHIN_S
        while len(receiver.received) < 4 and time.monotonic() < until:
            time.sleep(0.01)
        couriers.close()
    assert [each["text"][-3:] for each in receiver.received] == ["one", "one", "one", "two"]


@pytest.mark.parametrize(
    ("kind", "answer"),
    [("web", "404 no"), ("web", "301 x\r\nLocation: http://127.0.0.1:1/"), ("mail", "550 no")],
)
def test_what_is_not_wanted_is_not_sent_again_and_no_secret_is_logged(
    kind: str, answer: str, tmp_path: Path
) -> None:
    by = by_web if kind == "web" else by_mail
    with (
        structlog.testing.capture_logs() as logged,
        receiving(kind, answer, "200 OK" if kind == "web" else "250 well") as receiver,
    ):
        settings = by(receiver, tmp_path)
        if kind == "mail":
            settings = settings.model_copy(update={"mail_to": ("me@example.org",)})
        couriers = Couriers(settings)
        couriers.post(OperatorNotice("stuck", "anna", "one"))
        couriers.post(OperatorNotice("stuck", "anna", "two"))
        couriers.close()
    assert "two" in str(receiver.received[-1])
    assert len(receiver.received) == (2 if kind == "web" else 1)
    assert [each["event"] for each in logged] == ["not sent"]
    assert "the-" not in str(logged)


@pytest.mark.parametrize("code", [550, 451])
def test_a_recipient_who_is_refused_is_told_and_the_others_get_it_once(
    code: int, tmp_path: Path
) -> None:
    with receiving("mail", "250 well", f"{code} no") as receiver:
        couriers = Couriers(by_mail(receiver, tmp_path))
        with pytest.raises(NotWanted, match=rf"^1 of 2 recipients refused \({code}\)$"):
            couriers._sends["mail"](OFFLINE)
        couriers.close()
    assert len(receiver.mails) == 1


def test_what_a_mail_server_says_to_good_bye_is_nothing_against_the_mail(tmp_path: Path) -> None:
    with receiving("mail", "250 well") as receiver:
        receiver.bye = "250 well"
        couriers = Couriers(by_mail(receiver, tmp_path))
        assert couriers.tried(OFFLINE) == {}
        receiver.answers = ["550 no"]
        assert couriers.tried(OFFLINE) == {"mail": "no recipient is taken (550)"}
        couriers.close()


def test_a_password_that_the_login_cannot_carry_is_told_without_a_piece_of_it(
    tmp_path: Path,
) -> None:
    with receiving("mail", "250 well") as receiver:
        settings = by_mail(receiver, tmp_path)
        (tmp_path / "password").write_text("p\u00e4ssword\n")
        couriers = Couriers(settings)
        failed = couriers.tried(OFFLINE)
        couriers.close()
    assert failed == {"mail": "mail_user and its password may only be ASCII"}


def test_a_web_server_in_place_of_a_mail_server_is_told(tmp_path: Path) -> None:
    with receiving("mail", "") as receiver:
        receiver.greeting = "HTTP/1.1 400 Bad Request"
        couriers = Couriers(by_mail(receiver, tmp_path))
        assert couriers.tried(OFFLINE) == {"mail": "it does not speak SMTP"}
        couriers.close()


def test_a_receiver_that_says_nothing_holds_nobody_up_and_the_queue_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "LAST_WITHIN_S", 0.1)
    with receiving("web", "silence") as receiver:
        others = set(threading.enumerate())
        couriers = Couriers(by_web(receiver, tmp_path))
        for number in range(3 * delivery.MOST_WAITING):
            couriers.post(OperatorNotice("stuck", "anna", f"{number}"))
        (courier,) = couriers._couriers
        assert len(courier._waiting) <= delivery.MOST_WAITING
        assert courier._waiting[-1].text == f"{3 * delivery.MOST_WAITING - 1}"  # the newest stay
        assert set(threading.enumerate()) - others == {courier._thread}
        couriers.close()


def test_nobody_listens_and_the_trial_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(
        "account: {user: anna}\n"
        "notices: {webhook: 'http://127.0.0.1:1/the-secret', mail_to: [me@example.org],"
        " mail_server: '127.0.0.1:1'}\n"
    )
    assert main(["config", "notify", str(tmp_path / "a.yaml")]) == 1
    said = capsys.readouterr()
    assert said.err.count("Connection refused\n") == said.err.count("\n") == 2
    assert "the-secret" not in said.err + said.out


def test_the_trial_reaches_whoever_listens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with receiving("web", "204 fine") as receiver:
        address = f"http://127.0.0.1:{receiver.port}/"
        (tmp_path / "a.yaml").write_text(
            f"account: {{user: anna}}\nnotices: {{webhook: '{address}'}}\n"
        )
        assert main(["config", "notify", str(tmp_path / "a.yaml")]) == 0
    assert capsys.readouterr().out == "webhook: sent\n"
    assert "a trial" in receiver.received[0]["text"]


def test_secrets_come_from_files_and_are_known_to_the_log(tmp_path: Path) -> None:
    settings = by_web(Receiver(), tmp_path)
    assert secrets_of(settings) == ["http://127.0.0.1:0/hook/the-secret", "the-token"]
    with pytest.raises(ConfigError, match=r"notices.webhook_file: .*none: No such file"):
        Couriers(NoticeSettings(webhook_file=tmp_path / "none"))
    (tmp_path / "bare").write_text("hooks.example.org/the-secret")
    with pytest.raises(ConfigError, match=r"webhook_file: its first line is not http") as wrong:
        Couriers(NoticeSettings(webhook_file=tmp_path / "bare"))
    assert "the-secret" not in str(wrong.value)


@pytest.mark.parametrize(
    ("section", "fault"),
    [
        ("{webhook: ftp://x}", "notices.webhook: not http://... or https://..."),
        (
            "{webhook: 'http://x/', webhook_file: y}",
            "notices: give webhook or webhook_file, not both",
        ),
        ("{mail_to: [nobody]}", "notices.mail_to[0]: not an address such as me@example.org"),
        ("{mail_user: me}", "notices: give both mail_user and mail_password_file, or neither"),
        (
            "{mail_user: me, mail_password_file: x, mail_server: 'example.org:25'}",
            "notices: a password needs mail_tls: starttls or tls",
        ),
        ("{about: [weather]}", "notices.about[0]"),
    ],
)
def test_settings_that_cannot_work_are_refused(section: str, fault: str) -> None:
    with pytest.raises(ConfigError) as found:
        read_config(f"account: {{user: anna}}\nnotices: {section}\n", Path("a.yaml"))
    assert found.value.faults[0].startswith(fault)
