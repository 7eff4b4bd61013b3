"""What attackers try on a bot's pages: all of it is refused and logged, and the bot plays on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from sixprime.bot.process.passwordhash import HashCost, matches
from sixprime.bot.settings.schema import WebSettings
from sixprime.bot.web.bots.livebots import ACTIONS
from sixprime.bot.web.frame import guard
from sixprime.bot.web.frame.connections import (
    MOST_CONNECTIONS,
    MOST_FROM_ADDRESS,
    REQUEST_WITHIN_S,
    places,
)
from sixprime.bot.web.frame.guard import LOGINS_IN_ALL, LOGINS_PER_MINUTE, Guard, Passwords
from sixprime.bot.web.serving import listen, server
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.fibs.wire import commands as c
from tests.support.bot.steered import ANNA, Steered, steered

ACT, WATCH, TOKEN = "open sesame", "only looking", "t" * 40
WEB = "web: {{listen: '127.0.0.1:0', password_file: {0}/act, watch_password_file: {0}/watch, token_file: {0}/token}}\n"  # noqa: E501
LORISES = 40
TOO_MUCH = 100 * 2**20
WITHIN_S = 60.0
PATHS = (
    "/static/../../settings/schema.py", "/static/%2e%2e/%2e%2e/logs.py", "/static//etc/passwd",
    "/static/..%2f..%2f..%2f..%2fetc%2fpasswd", "/bots/..%2f..%2fetc/passwd", "/archive/../etc",
    "/archive/%00", "/play/..%2f..%2fact", "//evil.example/%2e%2e", "/static/%5c..%5cact",
    "/{{7*7}}", "/<script>alert(1)</script>",
)  # fmt: skip


class Wire:
    """Requests as bytes, since a polite client could not send them."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.cookie = ""

    @classmethod
    def to(cls, bot: Steered) -> Wire:
        """The pages of this bot."""
        (host,) = re.findall(r"address=http://([^/\s]+)", bot.log)
        return cls(host, int(host.rpartition(":")[2]))

    async def talk(self, data: bytes, *, more: bytes = b"", times: int = 0) -> bytes:
        """Everything that is answered until the server hangs up."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        try:
            async with asyncio.timeout(WITHIN_S):
                for _ in range(times):
                    writer.write(more)
                    await writer.drain()
                return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def ask(self, line: str, body: str = "", **headers: str) -> tuple[int, str]:
        """Status and text of an answer."""
        head = {"Host": self.host, "Connection": "close", "Cookie": self.cookie}
        if line.startswith("POST"):
            head |= {
                "Content-Length": str(len(body)),
                "Content-Type": "application/x-www-form-urlencoded",
                "Origin": f"http://{self.host}",
            }
        head |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{line} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items() if value)]
        answer = await self.talk(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        return int(answer.split(b" ", 2)[1]) if answer else 0, answer.decode(errors="replace")

    async def log_in(self, secret: str) -> str:
        """The token of the forms of a session that begins."""
        status, text = await self.ask("POST /login", f"password={secret.replace(' ', '+')}")
        assert status == 303, text
        (found,) = re.findall(r"set-cookie: ([^;]+);", text)
        self.cookie = found
        _, page = await self.ask("GET /bots")
        return next(iter(re.findall(r'name="token" value="([^"]+)"', page)), "")


@pytest.mark.patient
def test_whatever_is_tried_is_refused_and_logged_and_the_bot_plays_on(tmp_path: Path) -> None:
    for name, secret in (("act", ACT), ("watch", WATCH), ("token", TOKEN)):
        (tmp_path / name).write_text(secret + "\n")
        (tmp_path / name).chmod(0o600)

    async def check() -> None:
        async with steered(tmp_path, more=WEB.format(tmp_path)) as bot:
            bot.ben.deciding = True
            playing = asyncio.create_task(_plays_on(bot))
            await asyncio.gather(_without_session(bot), _floods(bot), _lorises(bot))
            await _spectator(bot)
            await _foreign(bot)
            assert bot.ben.matches >= await playing
            said = bot.log
            for each in ("421", "403", "404", "405", "413", "no whole request", "wrong password"):
                assert each in said, each
            assert "Traceback" not in said
            assert not any(secret in said for secret in (ACT, WATCH, TOKEN))
            assert "anna: " in await bot.does("status")

    asyncio.run(check())


async def _plays_on(bot: Steered) -> int:
    """A match from its beginning to its end, whatever happens beside it."""
    before = bot.ben.matches
    while bot.ben.matches == before:
        if bot.ben.session.match is None:
            bot.ben.send(c.Invite(ANNA, 1))
        await asyncio.sleep(0.2)
    return before + 1


async def _without_session(bot: Steered) -> None:
    wire = Wire.to(bot)
    for path in ("/bots", "/bots/live", "/archive", "/"):
        assert (await wire.ask(f"GET {path}"))[0] == 303
    for action in sorted(ACTIONS):
        assert (await wire.ask(f"POST /bots/{action}", "profile=anna&token="))[0] == 403
    status, text = await wire.ask("POST /login", "password=guess&token=x")
    assert status == 403
    assert "Set-Cookie" not in text
    for path in PATHS:
        status, text = await wire.ask(f"GET {path}")
        assert status in (303, 400, 404, 405), path
        assert "root:" not in text
        assert "import" not in text
    for path in PATHS:
        wire.cookie = f"sixprime-{wire.host.rpartition(':')[2]}={path}"
        assert (await wire.ask("GET /bots"))[0] in (303, 400)


async def _floods(bot: Steered) -> None:
    wire = Wire.to(bot)
    head = f"POST /bots/pause HTTP/1.1\r\nHost: {wire.host}\r\nOrigin: http://{wire.host}\r\n"
    long = f"{head}Content-Length: {TOO_MUCH}\r\n\r\n".encode()
    for path in ("/bots/pause", "/login", "/archive/import", "/play"):
        said = await wire.talk(
            long.replace(b"/bots/pause", path.encode()), more=b"x" * 2**20, times=100
        )
        assert said[9:12] in (b"413", b""), path  # or hung up before we had read it
    assert b" 413 " in await wire.talk(long)
    for length in ("", "Content-Length: 1\r\n"):
        assert b" 413 " in await wire.talk(
            f"{head}{length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode()
        )
    many = b"X-Flood: " + b"y" * 1_000 + b"\r\n"
    said = await wire.talk(
        f"GET / HTTP/1.1\r\nHost: {wire.host}\r\n".encode(), more=many, times=9_999
    )
    assert said[9:12] in (b"400", b"")
    for garbage in (
        b"\x00" * 70_000,
        b"GET\r\n\r\n",
        b"\x16\x03\x01" + b"\x00" * 200,
        b"PRI * HTTP/2.0\r\n\r\n",
    ):
        assert (await wire.talk(garbage + b"\r\n\r\n"))[9:12] in (b"400", b"421", b"505", b"")


async def _lorises(bot: Steered) -> None:
    """They send a letter now and then, for ever; they are cut off, all together."""
    wire, began = Wire.to(bot), asyncio.get_running_loop().time()

    async def drip() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        dripping = asyncio.create_task(_drips(writer))
        try:
            async with asyncio.timeout(REQUEST_WITHIN_S + WITHIN_S):
                await reader.read()  # it alone ends however the server hangs up
        except ConnectionError:
            pass
        finally:
            dripping.cancel()
            writer.close()

    await asyncio.gather(*(drip() for _ in range(LORISES)))
    assert asyncio.get_running_loop().time() - began < REQUEST_WITHIN_S + WITHIN_S / 2


async def _drips(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"z")
        await asyncio.sleep(0.5)


async def _spectator(bot: Steered) -> None:
    """Who may only watch sees the page and can do nothing, not even with a token from it."""
    wire, other = Wire.to(bot), Wire.to(bot)
    token = await wire.log_in(WATCH)
    page = (await wire.ask("GET /bots"))[1]
    assert "anna" in page
    assert "<button" not in page
    stolen = await other.log_in(TOKEN)
    for action in sorted(ACTIONS):
        for each in (token, stolen, "", "old"):
            body = f"profile=anna&token={each}&name=ben&length=3&text=hi&level=casual"
            assert (await wire.ask(f"POST /bots/{action}", body))[0] == 403, action
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "TRACE"):
        assert (await wire.ask(f"{method} /bots/pause"))[0] in (404, 405)
    assert bot.is_ready()


async def _foreign(bot: Steered) -> None:
    """Somebody may act, but the request is another site's."""
    wire = Wire.to(bot)
    token = await wire.log_in(ACT)
    body, port = f"profile=anna&token={token}", wire.host.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.nip.io:{port}", "", "[::1]:1"):
        assert (await wire.ask("POST /bots/pause", body, Host=host))[0] in (400, 421), host
    for origin in (
        "http://evil.example",
        "null",
        f"http://127.0.0.1:{int(port) + 1}",
        "x",
        "http://",
    ):
        assert (await wire.ask("POST /bots/pause", body, Origin=origin))[0] == 403, origin
    cross = {"Origin": "", "Sec_Fetch_Site": "cross-site"}
    assert (await wire.ask("POST /bots/pause", body, **cross))[0] == 403
    assert (await wire.ask("POST /bots/pause", "profile=anna&token=old"))[0] == 403
    assert (await wire.ask("POST /bots/pause", "profile=anna"))[0] == 403
    assert bot.is_ready()
    assert (await wire.ask("POST /bots/nothing", body))[0] == 404
    assert (await wire.ask("POST /bots/pause", body))[0] == 200
    await bot.until(lambda: not bot.is_ready())
    wire.cookie = ""
    assert (await wire.ask("POST /bots/resume", body))[0] == 403


@pytest.mark.parametrize("proxies", [(), ("127.0.0.1",)])
def test_only_a_proxy_that_the_settings_name_says_who_asks(
    tmp_path: Path, proxies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")  # uvicorn would believe it
    said: list[tuple[str, dict[str, str]]] = []
    monkeypatch.setattr(
        guard.log, "warning", lambda event, **words: said.append((event, words)), raising=False
    )
    (tmp_path / "act").write_text(ACT)
    names = ("BG.Example.org",)  # browsers say it in small letters

    async def check() -> None:
        settings = WebSettings(
            listen="127.0.0.1:0", names=names, proxies=proxies, password_file=tmp_path / "act"
        )
        listener = listen(settings)
        serving = server(settings, listener, None, tmp_path)
        running = asyncio.create_task(serving.serve(sockets=[listener]))
        wire = Wire("bg.example.org", listener.getsockname()[1])
        told = {"X_Forwarded_For": "6.6.6.6, 203.0.113.7", "X_Forwarded_Proto": "https"}
        origin = {"Origin": "https://bg.example.org"}
        assert (await wire.ask("POST /login", "password=guess", **told, **origin))[0] == 403
        status, text = await wire.ask("POST /login", "password=open+sesame", **told, **origin)
        assert status == 303
        assert ("; Secure" in text) == bool(proxies)
        for line, host, why in (
            (
                "POST /login",
                f"127.0.0.1:{wire.port}",
                f"bg.example.org, but to 127.0.0.1:{wire.port}: a proxy",
            ),
            ("GET /", "bg.example.org:8443", "'bg.example.org:8443' is not a name of this server"),
        ):
            status, text = await wire.ask(line, Host=host, **told, **origin)
            assert status in (403, 421)
            assert why in text
            assert why in said[-1][1]["why"]
        serving.should_exit = True
        await running

    asyncio.run(check())
    assert {words["address"] for _, words in said} == {"203.0.113.7" if proxies else "127.0.0.1"}
    unknown = [event for event, _ in said if "web.proxies does not name" in event]
    assert len(unknown) == (not proxies)  # it is told once


def test_other_names_and_proxies_need_a_password(tmp_path: Path) -> None:
    token = tmp_path / "token"
    for names, proxies in ((["bg.example.org"], []), ([], ["127.0.0.1"]), (["1.2.3.4:80"], [])):
        with pytest.raises(Unavailable, match="a password is needed"):
            listen(WebSettings(listen="127.0.0.1:0", names=tuple(names), proxies=tuple(proxies)))
    for text, fault in (("short", "fewer than 32 characters"), ("", "empty")):
        token.write_text(text)
        settings = WebSettings(listen="127.0.0.1:0", token_file=token)
        with listen(settings) as listener, pytest.raises(Unavailable, match=fault):
            server(settings, listener, None, tmp_path)


# --- limits, without a server

App = Callable[[Any, Any, Any], Awaitable[None]]


def guarded(passwords: Passwords) -> Guard:
    """A site whose only page takes passwords."""

    async def page(scope: Any, receive: Any, send: Any) -> None:
        try:
            asked = await scope["guard"].log_in(Request(scope, receive), scope["path"])
        except guard.Busy:
            asked = Response(status_code=429)
        await (asked or Response(status_code=403))(scope, receive, send)

    return Guard(page, hosts={"h"}, passwords=passwords)


async def tried(site: Guard, password: str, address: str) -> int:
    """The status of one try."""
    said: list[Any] = []
    scope = {
        "type": "http", "method": "GET", "path": "/login" + password, "query_string": b"",
        "headers": [(b"host", b"h")], "client": (address, 1), "scheme": "http", "server": ("h", 1),
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    await site(scope, receive, send)
    return int(said[0]["status"])


def test_ten_thousand_wrong_logins_cost_no_more_than_a_few(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    checked, told = 0, 0

    def counted(password: str, stored: str) -> bool:
        nonlocal checked
        checked += 1
        return matches(password, stored)

    def logged(*_: object, **__: object) -> None:
        nonlocal told
        told += 1

    monkeypatch.setattr(guard, "matches", counted)
    monkeypatch.setattr(guard.log, "warning", logged, raising=False)

    async def check() -> None:
        passwords = Passwords("/loginright", None, tokens=["/login" + TOKEN], cost=HashCost(n=2))
        site = guarded(passwords)
        answers = [await tried(site, str(i), "10.0.0.1") for i in range(5_000)]
        assert answers.count(403) == LOGINS_PER_MINUTE
        assert answers.count(429) == 5_000 - LOGINS_PER_MINUTE
        many = [await tried(site, str(i), f"10.1.{i % 250}.{i // 250}") for i in range(5_000)]
        assert many.count(403) + LOGINS_PER_MINUTE == LOGINS_IN_ALL
        assert checked == LOGINS_IN_ALL
        assert len(passwords._tries) <= LOGINS_IN_ALL + 1
        assert await tried(site, "right", "10.9.9.9") == 429  # for a minute
        assert await tried(site, TOKEN, "10.9.9.9") == 303  # who has a token need not wait
        assert len(site._visitors) == 1

    asyncio.run(check())
    assert told >= 10_000


def test_nobody_takes_all_connections_but_a_proxy_that_we_know() -> None:
    browsers = places(["10.0.0.8/31", "::1"])
    assert sum(browsers.take("10.0.0.1") for _ in range(1_000)) == MOST_FROM_ADDRESS
    assert browsers.take("10.0.0.2")
    browsers.leave("10.0.0.2")
    assert (
        sum(browsers.take("10.0.0.9") for _ in range(1_000)) == MOST_CONNECTIONS - MOST_FROM_ADDRESS
    )
    assert not browsers.take("10.0.0.2")
    for _ in range(MOST_FROM_ADDRESS):
        browsers.leave("10.0.0.1")
    assert browsers.take("10.0.0.1")
