"""A bot in a process, steered by commands."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sixprime.bot.sandbox.loadtest.clients import PASSWORD, Walker
from sixprime.bot.sandbox.state.server import ServerState
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.talk import Kibitzed, Said
from tests.support.bot.scene import hall

SIXPRIME = (sys.executable, "-c", "from sixprime.bot.cli.main import run; run()")
ANNA, BEN = Player("anna"), Player("ben")
WITHIN_S = 300.0  # machines are slow now and then
SETTINGS = """
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 0, most_s: 0}}
lobby: {accept: {bots: true}}
chat: {greeting: "", farewell: ""}
logging: {level: info}
metrics: {listen: null}
archive: {database: "sqlite:///FOLDER/archive.db", folder: null}
account: {user: anna, password_env: THE_PASSWORD}
"""


@dataclass
class Steered:
    """A bot in a process, the server and its opponent in this one."""

    config: Path
    server: ServerState
    ben: Walker
    heard: list[Message]
    process: subprocess.Popen[bytes]
    environment: dict[str, str]

    async def control(self, *words: str) -> tuple[int, str]:
        """Exit code and what it printed."""
        where = ("--config", str(self.config))
        process = await asyncio.create_subprocess_exec(
            *(*SIXPRIME, "control", *words, *where),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=self.environment,
        )
        said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode()

    async def does(self, *words: str) -> str:
        """One line, which says what was done."""
        code, said = await self.control(*words)
        assert (code, said.count("\n")) == (0, 1), said
        return said

    async def refuses(self, *words: str) -> str:
        """One line, which says why not."""
        code, said = await self.control(*words)
        assert (code, said.count("\n")) == (1, 1), said
        assert said.startswith("sixprime control: ")
        return said

    async def until(self, happened: Callable[[], object]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not happened():
                assert self.process.poll() is None, self.log
                await asyncio.sleep(0.02)

    async def end(self) -> int:
        return await asyncio.to_thread(self.process.wait, WITHIN_S)

    @property
    def log(self) -> str:
        return (self.config.parent / "bot.log").read_text()

    def says(self, name: str) -> list[str]:
        """What the opponent was told."""
        talk = [each for each in self.heard if isinstance(each, Said | Kibitzed)]
        return [each.text for each in talk if each.name == name]

    def sits(self) -> bool:
        """Has the opponent seen the board?"""
        match = self.ben.session.match
        return match is not None and match.board is not None

    def is_ready(self) -> bool:
        account = self.server.accounts[ANNA]
        return account.has("ready") and account.away is None


@asynccontextmanager
async def steered(
    folder: Path, *, terminal: int | None = None, more: str = ""
) -> AsyncIterator[Steered]:
    """Both are logged in; ben makes no decisions until he is allowed to."""
    environment = {**os.environ, "THE_PASSWORD": PASSWORD}
    environment.pop("PYTHONUNBUFFERED", None)  # what is buffered must not fail at the end either
    config, heard = folder / "bot.yaml", list[Message]()
    async with hall(folder, ANNA, BEN) as server:
        text = SETTINGS.replace("PORT", str(server.port)).replace("FOLDER", str(folder))
        config.write_text(text + more)
        ben = Walker(BEN, seed=1, pause_s=0.0, heard=heard.append)
        ben.deciding = False
        arriving = asyncio.create_task(ben.run("127.0.0.1", server.port))
        log = os.open(folder / "bot.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        process = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
            [*SIXPRIME, "play", "--config", str(config)],
            stdin=subprocess.DEVNULL if terminal is None else terminal,
            stdout=log,
            stderr=log if terminal is None else terminal,
            env=environment,
            start_new_session=True,
            preexec_fn=None if terminal is None else _takes_terminal,
        )
        os.close(log)
        made = Steered(config, server.server.world.server, ben, heard, process, environment)
        try:
            await made.until(lambda: ANNA in made.server.online and made.is_ready())
            await made.until(lambda: ben.session.state is ConnectionState.IDLE)
            yield made
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            arriving.cancel()
            await asyncio.gather(arriving, return_exceptions=True)


def _takes_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
