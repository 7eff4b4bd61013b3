"""An archive that is away or hangs: we play on, say so, and forget no question and no list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

import pytest
import structlog
from structlog.testing import capture_logs

from sixprime.bot.archive.database import ArchiveAway
from sixprime.bot.archive.recovery import OldMovesReply
from sixprime.bot.client import recollection
from sixprime.bot.client.client import Client
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.records import ARCHIVE_WITHIN_S, HELD_WITHIN_S, STILL_HANGS_S, Records
from sixprime.bot.client.thinking import Thinker
from sixprime.bot.matchlog.events import Acted, Event, GameOver, GameRecovered, GameStarted, Who
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.schema import AccountSettings, Profile, ServerSettings
from sixprime.engine.position import Position
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire.commands import AskOldMoves, Login
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.users import OldMove, OldScore, OldSeats
from sixprime.protocols.formats.record import Match, SetBoard
from tests.support.archive.told import MORNING, WHO, began, fibs_match
from tests.support.bot.scene import Memory

SETUP = SetBoard(0, Position.start(), 1, None)
PROFILE = Profile(
    name="anna", server=ServerSettings(host=WHO.server), account=AccountSettings(user="anna")
)


def in_virtual_time(scene: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(run())


class Away(Memory):
    """An archive that answers from some time on."""

    back_at = float("inf")

    def __init__(self) -> None:
        super().__init__()
        self.recovered: list[GameRecovered] = []

    def _check(self) -> None:
        if asyncio.get_running_loop().time() < self.back_at:
            raise ArchiveAway("the server closed the connection")

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        self._check()
        return [("carl", 60.0)]

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        self._check()
        return WHO

    async def recover(self, recovered: GameRecovered) -> Match | None:
        self._check()
        self.recovered.append(recovered)
        return None


def idle(recorder: Memory) -> tuple[Client, Session]:
    client = Client(PROFILE, Thinker([]), recorder, BotMetrics())
    session = Session(Login("test", "anna", "secret"), 0.0)
    session.state = ConnectionState.IDLE
    client.recollection.gaps.connected()
    return client, session


def test_a_question_stays_open_until_the_archive_answers() -> None:
    async def scene() -> None:
        recorder = Away()
        client, session = idle(recorder)
        await client.recollection.settle(session)
        gaps = client.recollection.gaps
        told = [(gaps.is_due, gaps.missed)]
        assert not client.recollection.waits(session)  # we play on
        recorder.back_at = 0.0
        await client.recollection.settle(session)
        told.append((gaps.is_due, gaps.missed))  # not yet
        await asyncio.sleep(recollection.ASK_AGAIN_S)
        await client.recollection.settle(session)
        told.append((gaps.is_due, gaps.missed))
        assert told == [(True, None), (True, None), (False, WHO)]

    in_virtual_time(scene)


def test_a_list_is_kept_until_the_archive_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    game = fibs_match(5).games[0]
    monkeypatch.setattr(OldMovesReply, "game", lambda _: game)

    async def scene() -> None:
        recorder = Away()
        client, session = idle(recorder)
        gaps = client.recollection.gaps
        gaps.is_due, gaps.listed = False, OldMovesReply(WHO, 0.0)
        await client.recollection.settle(session)
        recorder.back_at = 0.0
        await asyncio.sleep(recollection.ASK_AGAIN_S)
        await client.recollection.settle(session)
        left = [gaps.listed]
        assert left == [None]
        assert [each.game for each in recorder.recovered] == [game]

    in_virtual_time(scene)


def test_a_game_seen_in_part_is_asked_for_at_once_though_the_archive_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server lists one game: when the archive is back, it lists another."""
    match = fibs_match(5)
    game = match.games[0]
    assert game.result is not None
    over = GameOver(WHO, MORNING, game.result, (1, 0))
    resumed: list[Event] = [began(5, resumed=True), GameStarted(WHO, MORNING, (0, 0), False)]
    monkeypatch.setattr(OldMovesReply, "game", lambda _: game)

    async def scene() -> None:
        recorder = Away()
        client, session = idle(recorder)
        session.state = ConnectionState.BETWEEN_GAMES
        await client.recollection.settle(session)
        client.records.note([*resumed, Acted(WHO, MORNING, SETUP), over])
        await client.recollection.settle(session)
        now = asyncio.get_running_loop().time()
        assert client.recollection.next(session, now) == AskOldMoves()
        client.recollection.gaps.collect(OldScore(0, 0, 5))
        for line in (OldSeats(Player("anna"), Player("ben")), OldMove("X", "wins 1 point.")):
            client.recollection.gaps.collect(line)
        await client.recollection.settle(session)
        (noted,) = recorder.of(GameRecovered)
        assert isinstance(noted, GameRecovered)
        assert noted.game == game
        assert recorder.events[-1] is noted
        assert client.recollection.next(session, now) is None

    in_virtual_time(scene)


class Hanging(Memory):
    """A database that does not answer, and a disk for its waiting file that does or does not."""

    is_waiting = True

    def __init__(self, held_after_s: float) -> None:
        super().__init__()
        self.held_after_s = held_after_s
        self.held_at: list[float] = []

    async def kept(self) -> None:
        await asyncio.Event().wait()

    async def held(self) -> str | None:
        await asyncio.sleep(self.held_after_s)
        self.held_at.append(asyncio.get_running_loop().time())
        return None


@pytest.mark.parametrize("held_after_s", [0.5, float("inf")])
def test_a_slow_disk_is_waited_for_but_not_for_ever(held_after_s: float) -> None:
    """The line goes out when the event is in the waiting file, or that disk hangs, too."""
    recorder, waited = Hanging(min(held_after_s, 1e6)), []

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        records = Records(PROFILE, "", recorder, BotMetrics(), structlog.get_logger("test"))
        for number in range(3):
            records.note([replace(began(5, resumed=False), at=MORNING.replace(second=number))])
            since = loop.time()
            await records.kept()
            waited.append(loop.time() - since)

    with capture_logs() as logs:
        in_virtual_time(scene)
    said = [each["event"] for each in logs]
    assert said.count("the archive is away, what happens is kept for it") == 1
    if held_after_s == 0.5:
        assert waited == pytest.approx([ARCHIVE_WITHIN_S + 0.5] + 2 * [STILL_HANGS_S + 0.5])
        assert len(recorder.held_at) == 3
    else:
        first = ARCHIVE_WITHIN_S + HELD_WITHIN_S
        assert waited == pytest.approx([first] + 2 * [2 * STILL_HANGS_S])
        assert said.count("what happens is in memory only") == 1
