"""Servers that drip, stall in any phase or never read: every try ends at its deadline."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.main import main
from sixprime.bot.cli.operator import asking
from sixprime.bot.notices import delivery
from sixprime.bot.notices.delivery import Couriers, OperatorNotice
from sixprime.bot.process.outgoing import Deadline
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.notices import NoticeSettings
from sixprime.engine.system.endpoint import LOOPBACK
from sixprime.engine.system.errors import ConfigError
from tests.support.answers import FAULTS

NOTICE = OperatorNotice("offline", "anna", "offline for 31 minutes")
WITHIN_S = 0.4
DRIP_S = 0.05  # less than any timeout from byte to byte
SOON_S = 10.0  # far less than it would take to the end of what drips


def dripping(text: bytes) -> Callable[[socket.socket], None]:
    """Say this byte by byte, again and again."""

    def serve(client: socket.socket) -> None:
        while True:
            for byte in text:
                client.sendall(bytes([byte]))
                time.sleep(DRIP_S)

    return serve


def smtp_that_drips_later(client: socket.socket) -> None:
    client.sendall(b"220 here\r\n")
    client.recv(1_000)
    dripping(b"250-x\r\n")(client)


def silent(client: socket.socket) -> None:
    while client.recv(1_000):
        pass


@contextmanager
def server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server of this machine that treats each client so; its address."""

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=treat, args=(client,), daemon=True).start()

    def treat(client: socket.socket) -> None:
        with client, suppress(OSError):
            serve(client)

    with socket.create_server((LOOPBACK, 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield f"{LOOPBACK}:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


SLOW = {
    "head": dripping(b"HTTP/1.1 200 OK\r\nX: "),
    "interim": dripping(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "silence": silent,
}


@pytest.mark.parametrize("slow", SLOW)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_webhook_that_drips_ends_at_its_deadline(
    monkeypatch: pytest.MonkeyPatch, slow: str, scheme: str
) -> None:
    monkeypatch.setattr(delivery, "WITHIN_S", WITHIN_S)
    with server(SLOW[slow]) as address:
        check_ends(NoticeSettings(webhook=f"{scheme}://{address}/hook"), "webhook")


@pytest.mark.parametrize(
    ("serve", "tls"),
    [
        (dripping(b"220-x\r\n"), "none"),
        (smtp_that_drips_later, "none"),
        (smtp_that_drips_later, "starttls"),
        (dripping(b"\x16\x03\x03\x40\x00"), "tls"),
        (silent, "tls"),
    ],
)
def test_a_mail_server_that_drips_ends_at_its_deadline(
    monkeypatch: pytest.MonkeyPatch, serve: Callable[[socket.socket], None], tls: str
) -> None:
    monkeypatch.setattr(delivery, "WITHIN_S", WITHIN_S)
    with server(serve) as address:
        to = {"mail_to": ["me@example.org"], "mail_server": address, "mail_tls": tls}
        check_ends(NoticeSettings.model_validate_json(json.dumps(to)), "mail")


def check_ends(settings: NoticeSettings, way: str) -> None:
    couriers = Couriers(settings)
    began = time.monotonic()
    failed = couriers.tried(NOTICE)
    assert time.monotonic() - began < SOON_S
    assert list(failed) == [way]
    couriers.close()


def test_a_try_that_took_too_long_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "WITHIN_S", WITHIN_S)
    with server(SLOW["head"]) as address:
        couriers = Couriers(NoticeSettings(webhook=f"http://{address}/"))
        with pytest.raises(OSError, match="timed out"):
            couriers._sends["webhook"](NOTICE)
        couriers.close()


def test_status_ends_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WITHIN_S", WITHIN_S)
    body = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + b" " * 900)
    with server(body) as address:
        began = time.monotonic()
        with pytest.raises(UsageError, match=r"nothing answers at .* timed out"):
            asking.status_at(address)
        assert time.monotonic() - began < SOON_S


def test_nobody_reads_and_the_try_ends() -> None:
    with server(lambda _: time.sleep(SOON_S)) as address:
        host, _, port = address.partition(":")
        with Deadline(WITHIN_S).connected((host, int(port))) as connection:
            began = time.monotonic()
            with pytest.raises(TimeoutError):
                while True:
                    connection.sendall(b"x" * 100_000)
        assert time.monotonic() - began < SOON_S


@pytest.mark.parametrize("name", ["an\nna", "an\rna", "anna\x1b[2J", "an\x00na", "an\u2028na"])
def test_the_name_of_a_profile_is_one_line(name: str) -> None:
    text = f"profiles: {{{json.dumps(name)}: {{account: {{user: anna}}}}}}"
    with pytest.raises(ConfigError) as refused:
        read_config(text, Path("a.yaml"))
    assert any("not one printable line" in fault for fault in refused.value.faults)


def test_a_line_break_in_a_name_or_text_breaks_no_mail() -> None:
    notice = OperatorNotice("stuck", "an\nna", "left a match:\r\nBcc: you@example.org")
    assert notice.line == "an na: left a match:? Bcc: you@example.org"
    mail = delivery.Mail(NoticeSettings(mail_to=("me@example.org",)))
    assert mail._message(notice)["Bcc"] is None


EVIL = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
KEYS = ("profile", "state", "account", "server", "level", "opponent", "fault", "archive", "trouble",
        "offline_why", "rating", "experience", "score", "length")  # fmt: skip


def answering(head: str, status: object) -> Callable[[socket.socket], None]:
    def serve(client: socket.socket) -> None:
        client.recv(1_000)
        client.sendall(f"HTTP/1.1 {head}\r\n\r\n{json.dumps(status)}".encode())

    return serve


@pytest.mark.parametrize("head", ["200 OK", f"500 {EVIL}", EVIL])
@pytest.mark.parametrize("more", [[], ["--json"], ["--watch"]])
def test_status_prints_no_escape_sequence_of_the_server_that_answers(
    head: str, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = {"dials_in_s": None, "saved": 0, "match": None, "offline_s": 0}
    bot = {**dict.fromkeys(KEYS, EVIL), **numbers, "healthy": True, "score": [EVIL, EVIL]}
    with server(answering(head, [bot])) as address:
        main(["status", "--address", address, *more])
    FAULTS.clear()  # this answer is no status
    said = "".join(capsys.readouterr())
    assert said.strip()
    assert not set(said) & set(EVIL) - set("]0;owned[2J31m")
