"""The real service against a scripted server that says less than it should."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.writer import ArchiveRecorder
from sixprime.bot.client.connection import Streams
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import ArchiveSettings, MetricsSettings
from sixprime.engine.search.players import PipCounter
from tests.support.bot.virtual import PromptThread, VirtualLoop, at_once

WELCOME = ("1 sixbot 1 h", "2 sixbot 1 1 0 0 0 0 1 1 40 0 1 0 1 1512.50 1 1 0 0 1 UTC", "3", "4")
FREE = ("5 sixbot - - 1 0 1512.50 40 0 1 h c -", "6")
IN_MATCH = ("5 sixbot marvin - 1 0 1512.50 40 0 1 h c -", "6")
BOARD = "board:You:marvin:5:0:0:0:{}:{}:1:1:1:0:1:-1:0:25:0:0:0:0:{}:0:0:0"  # points, turn and dice
OPENING = "-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
THEY_ROLLED = BOARD.format(OPENING, "-1:0:0:6:2", 0)
THEY_MOVED = BOARD.format("0:0:-2:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0", "1:0:0:0:0", 0)
BEGINS = (
    "** You are now playing a 5 point match with marvin",
    *IN_MATCH,
    "Starting a new game with marvin.",
    "You rolled 2, marvin rolled 6",
    "marvin makes the first move.",
    THEY_ROLLED,
)


class Scripted:
    """Invites at 20 s, begins a match when that is accepted, and then leaves all to the test."""

    def __init__(self, begun: Callable[[Scripted], None], board: str) -> None:
        self.begun = begun
        self.board = board
        self.playing = False
        self.heard: list[tuple[float, str]] = []  # seconds after the match began
        self._began = 0.0
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()

    async def dial(self, host: str, port: int, within_s: float) -> Streams:
        self._lines = asyncio.Queue()
        self._lines.put_nowait(b"login: ")
        return Streams(self, self)

    def says(self, *lines: str) -> None:
        self._lines.put_nowait("".join(f"{line}\r\n" for line in lines).encode())

    def later(self, seconds: float, *lines: str) -> None:
        asyncio.get_running_loop().call_later(seconds, self.says, *lines)

    async def read(self, size: int) -> bytes:
        return await self._lines.get()

    def write(self, data: bytes) -> None:
        line = data.decode().strip()
        now = asyncio.get_running_loop().time()
        if self.playing:
            self.heard.append((now - self._began, line))
        match line.split()[0]:
            case "login" if self.playing:  # and is put back into the match
                self.says(*WELCOME, self.board, *IN_MATCH)
            case "login":
                self.says(*WELCOME, *FREE)
                self.later(20, "marvin wants to play a 5 point match with you.")
            case "join":
                self.says(*BEGINS)
                self.playing, self._began = True, now
                self.begun(self)
            case "board":
                self.says(self.board)
            case "time":
                self.says("Saturday, October 15 17:01:02 MEST   ( Sat Oct 15 15:01:02 2016 UTC )")
            case "leave":
                self.says("** You terminated the game. The game was saved.", *FREE)
            case "show":
                self.says("no saved games.")

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        self._lines.put_nowait(b"")


def run(server: Scripted, folder: Path, seconds: float, patience: str = "{}") -> LiveArchive:
    """What is in the archive of a bot that stayed so long after the match began."""
    archive = LiveArchive(
        ArchiveSettings(database=f"sqlite:///{folder / 'a.db'}", folder=folder / "m")
    )
    config = read_config(
        "server: {host: h}\naccount: {user: sixbot}\n"
        "player: {level: pips, thinking: {cheaper_level: pips}, patience: " + patience + "}\n",
        Path("bot.yaml"),
    )

    async def evening() -> None:
        service = Service(
            config.model_copy(update={"metrics": MetricsSettings(listen=None)}),
            {"sixbot": Secret("pw")},
            recorder=lambda profile: ArchiveRecorder(archive, PromptThread()),
            dial=server.dial,
            thinker=lambda profile: Thinker([Rung("p", PipCounter, 5.0)], run=at_once),
        )
        task = asyncio.create_task(service.run())
        while not server.playing:  # noqa: ASYNC110, time is free here
            await asyncio.sleep(1)
        await asyncio.sleep(seconds)
        service.request_stop(Stop.SAVE)
        await task

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(evening())
    return archive


def test_a_match_that_a_board_alone_takes_up_again_stays_one(tmp_path: Path) -> None:
    """In its first game: at 0-0 the score does not tell that it is not a new one."""

    def drop_once(server: Scripted) -> None:
        asyncio.get_running_loop().call_later(10, server.close)

    archive = run(Scripted(drop_once, THEY_ROLLED), tmp_path, 60)
    (row,) = archive.rows()
    assert (row.opponent, row.length, row.state) == ("marvin", 5, "saved")
    assert len(archive.match(row.id).games) == 1
    archive.close()


@pytest.mark.parametrize(("hint", "at"), [("15 marvin roll", 30), ("15 marvin hello", 60)])
def test_who_may_be_waited_for_looks_at_the_board_first(
    hint: str, at: float, tmp_path: Path
) -> None:
    """The line that told of marvin's play is lost, and marvin waits for us."""

    def hints(server: Scripted) -> None:
        for seconds in (30, 50):
            server.later(seconds, hint)

    server = Scripted(hints, THEY_MOVED)
    archive = run(server, tmp_path, 100, "{ask_after_s: 60, leave_after_s: 180}")
    archive.close()
    times = {line.split()[0]: seconds for seconds, line in reversed(server.heard)}
    assert times["board"] == pytest.approx(at, abs=2)
    assert times["roll"] == pytest.approx(at, abs=3)
    assert not [line for _, line in server.heard if "still there" in line]


def test_who_does_nothing_is_asked_and_left_when_the_board_says_so(tmp_path: Path) -> None:
    server = Scripted(lambda server: None, THEY_ROLLED)
    run(server, tmp_path, 200, "{ask_after_s: 60, leave_after_s: 180}").close()
    lines = [(seconds, line) for seconds, line in server.heard if not line.startswith("time")]
    said = [(line.split()[0], seconds) for seconds, line in lines[1:6]]  # after the greeting
    assert [word for word, _ in said] == ["board", "tell", "board", "tell", "leave"]
    assert [seconds for _, seconds in said] == pytest.approx([60, 60, 180, 180, 185], abs=5)
