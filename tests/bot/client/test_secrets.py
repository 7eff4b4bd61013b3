"""A password, however it is given and whatever goes wrong, is read by nobody afterwards.

`sixprime play` runs as a process at debug level. Everything that it leaves is searched: its log on
the console or as JSON, its arguments, metrics and status while it plays, the archive with its raw
log, the match files. One password holds characters that JSON, URLs and Python write in other ways.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import sys
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pexpect
import pytest
import structlog

from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.line.command import every_command
from sixprime.bot.cli.line.operator import REFUSED
from sixprime.bot.cli.line.parsing import parser_of
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.bot.process.logs import configure
from sixprime.bot.sandbox.loadtest.clients import PASSWORD
from sixprime.bot.settings.file import load_config, shown
from sixprime.bot.settings.schema import ArchiveSettings, Logging
from tests.support.bot.scene import hall

pytestmark = pytest.mark.patient

ENTRY = ("-c", "from sixprime.bot.cli.main import run; run()")
WITHIN_S = 300  # machines are slow now and then
TRICKY = 'Gr3at"Sec\\ret/%41#'
SETTINGS = """
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0, reconnect: {first_s: 0.2, jitter: 0}}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 0, most_s: 0.05}}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  invite: {after_idle_s: 0.1, preferred: [house_simple], match_length: 1}
logging: {level: debug, format: FORMAT}
metrics: {listen: "127.0.0.1:0"}
archive: {database: "sqlite:///FOLDER/archive.db", folder: "FOLDER/matches"}
account: {user: anna, SOURCE}
"""


def forms_of(secret: str) -> set[str]:
    """How it may be written."""
    quoted = {secret, repr(secret)[1:-1], json.dumps(secret)[1:-1], quote(secret), secret[:-1]}
    return quoted | {quote(secret, safe="")}


def assert_free(text: str, secret: str, where: str) -> None:
    for form in forms_of(secret):
        assert form not in text, where


def settings_in(folder: Path, port: int, source: str, form: str = "console") -> Path:
    text = SETTINGS.replace("PORT", str(port)).replace("FORMAT", form)
    file = folder / "bot.yaml"
    file.write_text(text.replace("FOLDER", str(folder)).replace("SOURCE", source))
    return file


@dataclass
class Run:
    """A bot in a process, and all that it said."""

    process: asyncio.subprocess.Process
    log: str = ""
    code: int | None = None
    seen: dict[str, str] = field(default_factory=dict)

    async def until(self, words: str) -> None:
        assert self.process.stderr is not None
        while words not in self.log:
            line = await self.process.stderr.readline()
            if not line:
                raise AssertionError(f"ended without {words!r}:\n{self.log}")
            self.log += line.decode()

    async def end(self, *, stop: bool = True) -> None:
        if stop and self.process.returncode is None:
            self.process.terminate()
        assert self.process.stderr is not None
        self.log += (await self.process.stderr.read()).decode()
        self.code = await self.process.wait()


@asynccontextmanager
async def running(config: Path, *more: str, **environment: str) -> AsyncIterator[Run]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *ENTRY, "play", "--config", str(config), *more),
        stderr=asyncio.subprocess.PIPE,
        stdin=asyncio.subprocess.DEVNULL,
        env={**os.environ, **environment},
    )
    try:
        async with asyncio.timeout(WITHIN_S):
            yield Run(process)
    finally:
        if process.returncode is None:
            process.kill()


def of_process(pid: int, what: str) -> str:
    """What others may read of a process, as `ps` does."""
    return Path(f"/proc/{pid}/{what}").read_text()


def left_by(folder: Path, *without: str) -> str:
    """Every file, and what is packed inside the archive."""
    found = [
        file.read_bytes().decode("latin-1")
        for file in folder.rglob("*")
        if file.is_file() and file.name not in ("sandbox.db", *without)
    ]
    if (folder / "archive.db").exists():
        archive = Archive(ArchiveSettings(database=f"sqlite:///{folder}/archive.db"))
        for row in archive.rows():
            found.append(archive.conversation(row.id))
            found += [repr(event) for event in archive.events(row.id)]
        archive.close()
    return "\n".join(found)


@pytest.mark.parametrize(
    ("source", "form"), [("env", "json"), pytest.param("file", "console", marks=pytest.mark.slow)]
)
def test_a_password_that_is_right_is_found_nowhere(tmp_path: Path, source: str, form: str) -> None:
    async def scene() -> None:
        async with hall(tmp_path, "anna", house=("simple",)) as server:
            given = "password_env: THE_PASSWORD"
            if source == "file":
                (tmp_path / "secret").write_text(PASSWORD + "\n")
                given = f"password_env: null, password_file: {tmp_path / 'secret'}"
            config = settings_in(tmp_path, server.port, given, form)
            env = {"THE_PASSWORD": PASSWORD} if source == "env" else {}
            async with running(config, **env) as run:
                await run.until("match over")
                arguments = of_process(run.process.pid, "cmdline")
                environment = of_process(run.process.pid, "environ")
                await run.end()
        assert run.code == 0, run.log
        assert_free(run.log, PASSWORD, "log")
        assert_free(arguments, PASSWORD, "arguments")
        assert (PASSWORD in environment) is (source == "env")  # as the guide says
        everything = left_by(tmp_path, "secret")
        assert "C move " in everything  # the raw log is there
        assert_free(everything, PASSWORD, "files")

    asyncio.run(scene())


def test_a_password_that_is_typed_is_neither_shown_nor_logged(tmp_path: Path) -> None:
    async def scene() -> str:
        async with hall(tmp_path, "anna", house=("simple",)) as server:
            source = "password_env: null, password_prompt: true"
            config = settings_in(tmp_path, server.port, source)
            return await asyncio.to_thread(type_it, config)

    def type_it(config: Path) -> str:
        child = pexpect.spawn(
            sys.executable,
            [*ENTRY, "play", "--config", str(config)],
            encoding="utf-8",
            timeout=WITHIN_S,
        )
        seen = io.StringIO()
        child.logfile_read = seen
        child.expect("Password of anna: ")
        child.sendline(PASSWORD)
        child.expect("logged in")
        child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
        return seen.getvalue()

    screen = asyncio.run(scene())
    assert_free(screen + left_by(tmp_path), PASSWORD, "screen and files")


def test_a_refused_password_is_found_nowhere_and_is_not_tried_again(tmp_path: Path) -> None:
    async def scene() -> None:
        async with hall(tmp_path, "anna") as server:
            config = settings_in(tmp_path, server.port, "password_env: THE_PASSWORD", "json")
            async with running(config, THE_PASSWORD=TRICKY) as run:
                await run.end(stop=False)
        assert run.code == REFUSED
        assert "not trying again" in run.log
        assert_free(run.log + left_by(tmp_path), TRICKY, "log and files")

    asyncio.run(scene())


@pytest.mark.slow
def test_after_a_refused_login_a_bot_that_stays_says_so_until_it_is_stopped(tmp_path: Path) -> None:
    async def scene() -> None:
        async with hall(tmp_path, "anna") as server:
            config = settings_in(tmp_path, server.port, "password_env: THE_PASSWORD")
            config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{free()}"))
            listen = load_config(config).metrics.listen
            async with running(config, "--stay", THE_PASSWORD=TRICKY) as run:
                await run.until("not trying again")
                answers = await asyncio.to_thread(asked, f"http://{listen}")
                await run.end()
        assert '"healthy": false' in answers
        assert run.code == REFUSED
        assert_free(run.log + answers, TRICKY, "log and answers")

    asyncio.run(scene())


def free() -> int:
    import socket

    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        port: int = made.getsockname()[1]
        return port


def asked(address: str) -> str:
    """All that the endpoint tells."""
    told = ""
    for path in ("/status", "/metrics"):
        with urllib.request.urlopen(address + path, timeout=10) as answer:
            told += answer.read().decode()
    return told


Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that repeats what it is told, also in riddles, and hangs up."""
    writer.write(b"login: ")
    line = await reader.readline()
    writer.write(b"\r\n" + line + b"unknown command '" + line.strip() + b"'\r\n")
    await writer.drain()
    await asyncio.sleep(0.3)
    writer.close()


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A server that breaks the connection at the login."""
    writer.write(b"login: ")
    await reader.readline()
    writer.transport.abort()


@pytest.mark.parametrize(
    ("server", "form"), [(echo, "json"), pytest.param(hang_up, "console", marks=pytest.mark.slow)]
)
def test_a_password_sent_to_a_broken_server_is_found_nowhere(
    tmp_path: Path, server: Server, form: str
) -> None:
    async def scene() -> None:
        listening = await asyncio.start_server(server, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        config = settings_in(tmp_path, port, "password_env: THE_PASSWORD", form)
        async with listening, running(config, THE_PASSWORD=TRICKY) as run:
            await run.until("again_in_s")
            await run.end()
        assert_free(run.log + left_by(tmp_path), TRICKY, "log and files")

    asyncio.run(scene())


CRASHES = """
from sixprime.bot.cli.main import run
from sixprime.protocols.fibs.session import Session

send = Session.send

def broken(self, command, now):
    data = send(self, command, now)
    raise RuntimeError(f"cannot send {data!r} of {command!r} {self.login.password!r}")

Session.send = broken
run()
"""


def test_a_crash_that_quotes_the_password_tells_everything_but_that(tmp_path: Path) -> None:
    async def scene() -> str:
        async with hall(tmp_path, "anna") as server:
            config = settings_in(tmp_path, server.port, "password_env: THE_PASSWORD")
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", CRASHES, "--debug", "play", "--config", str(config)),
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "THE_PASSWORD": TRICKY},
            )
            run = Run(process)
            try:
                async with asyncio.timeout(WITHIN_S):
                    await run.until("again_in_s")
                    await run.end()
            finally:
                if process.returncode is None:
                    process.kill()
        return run.log

    log = asyncio.run(scene())
    assert "Traceback" in log
    assert "RuntimeError" in log
    assert_free(log, TRICKY, "log")


def test_what_libraries_log_goes_through_the_same_hands() -> None:
    import logging

    stream = io.StringIO()
    before = logging.getLogger().handlers[:]
    try:
        configure(Logging(level="debug", format="json"), [TRICKY], stream)
        logging.getLogger("asyncio").error("task failed: %r", TRICKY)
        structlog.get_logger("bot").info("x", given={"a": [TRICKY]}, b=TRICKY.encode())
        error = RuntimeError(f"{TRICKY} and {TRICKY!r}")
        structlog.get_logger("bot").error("y", exc_info=error)
    finally:
        logging.getLogger().handlers = before
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["error", "info", "error"]
    assert_free(stream.getvalue(), TRICKY, "log")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://bot:ge%2Fheim-1@127.0.0.1:1/bg",
        "postgresql://bot:ge#heim-1@127.0.0.1:1/bg",
        "postgresql://127.0.0.1:1/bg?user=bot&password=geheim-1",
        "postgresql://127.0.0.1:1/bg?user=bot&PASSWORD=geheim-1",
        "postgresql://127.0.0.1:1/bg?user=bot&passwd=geheim-1",
        "postgresql://bot:geheim-1@127.0.0.1:port/bg",
    ],
)
def test_the_password_of_a_database_is_shown_by_nothing(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg", reason="`config show` wants the driver of PostgreSQL")
    file = tmp_path / "bot.yaml"
    file.write_text(f"account: {{user: anna}}\narchive: {{database: {json.dumps(url)}}}\n")
    assert "heim-1" not in shown(load_config(file)) + repr(load_config(file))
    assert main(["config", "show", str(file)]) == 0
    main(["archive", "list", "--config", str(file)])
    main(["archive", "list", "--database", url])
    told = capsys.readouterr()
    assert "heim-1" not in told.out + told.err


def test_a_password_on_a_command_line_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "list", "--database", "postgresql://a:geheim@127.0.0.1:1/b"]) == 2
    error = capsys.readouterr().err
    assert "no password on a command line" in error
    assert "geheim" not in error


def test_no_command_takes_a_password() -> None:
    for words, command in every_command(SIXPRIME):
        text = parser_of(words, command).format_help()
        assert not re.search(r"--\w*(password|secret|passwd)(?!-file)", text)
