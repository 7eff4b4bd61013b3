"""People and servers that mean no good, or mean nothing at all: the bot plays on.

All in virtual time with the whole service: what happens is what a bot on a socket would see.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from sixprime.bot.archive.gaps import MOST_REQUESTS
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.writer import ArchiveRecorder
from sixprime.bot.client.activity import Activity
from sixprime.bot.client.connection import Backoff, CannotConnect, Dial, Streams
from sixprime.bot.client.leaving import STUCK_S
from sixprime.bot.client.records import ARCHIVE_WITHIN_S
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import SHUTDOWN_S, Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.events import Evidence, MatchOver, Who, Wire
from sixprime.bot.matchlog.recorder import Recorder, Standing
from sixprime.bot.sandbox.network.chaos import CALM
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import ArchiveSettings, MetricsSettings, Reconnect
from sixprime.protocols.fibs.progress import LOGINS
from sixprime.protocols.fibs.wire import commands as c
from tests.support.bot.scene import Memory
from tests.support.bot.simulator import Link
from tests.support.bot.soak import REFUSED, Guest, Quick
from tests.support.bot.virtual import PASSWORD, PromptThread, VirtualLoop, VirtualServer, at_once

pytestmark = pytest.mark.patient

HOST = """
server: {host: 127.0.0.1, command_gap_s: 0.05, reconnect: {first_s: 2, most_s: 30}}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 0.1, most_s: 0.5}}
lobby:
  resume_again_after_s: 30
  accept: {bots: true, matches_per_opponent_and_day: 0}
profiles:
  host: {account: {user: host}}
"""
PAIR = """
  twin:
    account: {user: twin}
    lobby: {invite: {after_idle_s: 1, preferred: [host], match_length: 3, leave_alone_s: 10}}
"""
HOUR_S = 3_600.0
AWAY = "the archive is away, what happens is kept for it"
SLOW = pytest.mark.slow


class Table:
    """A server, the bot `host` on it, and somebody who comes to play."""

    def __init__(self, text: str = HOST, folder: Path | None = None) -> None:
        self.server = VirtualServer(5)
        config = read_config(text, Path("adversity.yaml"))
        self.memories: dict[str, Memory] = {}
        self.archive: LiveArchive | None = None
        if folder is not None:
            self.archive = LiveArchive(
                ArchiveSettings(database=f"sqlite:///{folder / 'a.db'}", folder=folder / "matches")
            )
        for profile in config.profiles:
            self.server.open_account(profile.account.user)
        dice = random.Random(5)
        steps = [Rung("quick", lambda: Quick(dice, 0.05), 5.0)]
        self.service = Service(
            config.model_copy(update={"metrics": MetricsSettings(listen=None)}),
            {profile.name: Secret(PASSWORD) for profile in config.profiles},
            recorder=lambda profile: self._recorder(profile.name),
            dial=self.server.dial,
            thinker=lambda _: Thinker(steps, dice=dice, run=at_once),
        )
        self.bot = self.service.bots[0]

    def _recorder(self, name: str) -> Recorder:
        if self.archive is not None:
            return ArchiveRecorder(self.archive, PromptThread())
        return self.memories.setdefault(name, Memory())

    def guest(self, kind: type[Guest] = Guest, name: str = "guest", **fields: Any) -> Guest:
        """Somebody who invites the host."""
        self.server.open_account(name)
        guest = kind(self.server, name, 7)
        guest.hosts = ("host",)
        for field, value in fields.items():
            setattr(guest, field, value)
        self.server.robots[name] = guest
        self.server.at(self.server.now + 2.0, guest.dial)
        return guest

    async def until(self, happened: Callable[[], bool], within_s: float = 10 * HOUR_S) -> None:
        async with asyncio.timeout(within_s):
            for _ in iter(lambda: bool(happened()), True):
                await asyncio.sleep(1.0)

    @property
    def memory(self) -> Memory:
        return self.memories["host"]

    def won(self) -> int:
        return len(self.memory.of(MatchOver))

    async def last_match(self) -> int:
        """A while into a match of a guest who wants no other; how many were over before."""
        guest = self.guest(**ONE)
        await self.until(lambda: self.bot.client.playing)
        await asyncio.sleep(5.0)
        guest.going = True  # no more matches
        return self.won()

    def link_of(self, name: str) -> Link:
        hall = self.server.world.server
        return self.server.links[hall.online[name].id]


def played(
    scene: Callable[[Table], Coroutine[Any, Any, None]],
    text: str = HOST,
    folder: Path | None = None,
    table_of: type[Table] = Table,
    stay: bool = False,
) -> tuple[Table, list[Any]]:
    """The scene in virtual time, the bots running before and stopping after it."""

    async def act() -> Table:
        table = table_of(text, folder)
        task = asyncio.create_task(table.service.run(stay=stay))
        table.server.at(table.server.now + 30.0, table.server.tick)
        await scene(table)
        table.server.rates = CALM
        table.service.request_stop(Stop.SAVE)
        await asyncio.wait_for(task, HOUR_S)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return table

    with capture_logs() as logs, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        table = runner.run(act())
    assert not [entry for entry in logs if entry["event"].startswith("unexpected")]
    return table, logs


def lines(memory: Memory, start: str) -> list[str]:
    """What went over the wire in matches: `S ...` or `C ...`."""
    return [
        event.line
        for event in memory.events
        if isinstance(event, Wire) and f"{event.way.value} {event.line}".startswith(start)
    ]


ONE: dict[str, Any] = {"lengths": (1,), "rudeness": 0.0}
HELP = b"12 guest help\r\n"
FLOODS = {
    "chat": HELP * 500,
    "shouts": b"13 guest are you a bot?\r\n" * 500,
    "a line of a megabyte": b"13 guest " + b"x" * 2**20 + b"\r\n",
    "a megabyte without a line end": b"x" * 2**20,
    "terminal escapes": b"13 guest \x1b[2J\x1b]0;owned\x07\x9b31m\r\n" * 20,
    "noise": bytes(byte for byte in range(256) if byte not in b"\r\n") * 20 + b"\r\n",
}


@pytest.mark.parametrize("what", FLOODS)
def test_a_flood_changes_nothing_but_the_log(what: str) -> None:
    async def scene(table: Table) -> None:
        table.guest(**ONE)

        def flood() -> None:
            if table.bot.client.playing and "host" in table.server.world.server.online:
                table.link_of("host").to_client(FLOODS[what])
            table.server.at(table.server.now + 5.0, flood)

        table.server.at(table.server.now + 5.0, flood)
        await table.until(lambda: table.won() >= 2)

    table, logs = played(scene)
    assert table.server.finished >= 2
    assert len(lines(table.memory, "C tell guest")) <= 12
    told = [str(value) for entry in logs for value in entry.values() if entry["event"] == "told"]
    assert not [text for text in told if "\x1b" in text or "\x9b" in text]


PATHS = ["../../etc/passwd", "-rf", "..\\..\\x"]  # a colon would end a name on a board
INVITING = HOST.replace("profiles:", "  invite: {after_idle_s: 1, preferred: [guest]}\nprofiles:")


@pytest.mark.parametrize("name", [PATHS[0], *(pytest.param(n, marks=SLOW) for n in PATHS[1:])])
def test_a_name_like_a_path_writes_no_file_elsewhere(tmp_path: Path, name: str) -> None:
    """Nobody of such a name is invited or joined, but the server may say that such a one came."""

    async def scene(table: Table) -> None:
        table.guest(**ONE, hosts=("nobody",))
        await table.until(lambda: "host" in table.server.world.server.online)
        link = table.link_of("host")
        to_client = link.to_client

        def disguised(data: bytes) -> None:
            if table.server.world.server.playing or table.server.finished:
                data = data.replace(b"guest", name.encode())
            to_client(data)

        link.to_client = disguised  # type: ignore[method-assign]
        await table.until(lambda: table.server.finished >= 1, HOUR_S)
        await asyncio.sleep(20.0)

    folder = tmp_path / "in" / "here"
    table, _ = played(scene, INVITING, folder=folder)
    assert table.archive is not None
    rows = table.archive.rows()
    assert {row.opponent for row in rows} == {name}
    assert rows[0].state == "over"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.parent for path in files} == {folder, folder / "matches"}
    table.archive.close()


def test_an_opponent_may_double_resign_and_leave_at_random() -> None:
    async def scene(table: Table) -> None:
        guest = table.guest(lengths=(1, 3), rudeness=6.0)
        await table.until(lambda: table.server.finished >= 3)
        guest.going, guest.rudeness = True, 0.0
        await table.until(lambda: not table.server.matches)

    table, _ = played(scene)
    assert table.won() == table.server.finished


def test_after_two_refused_moves_the_match_is_left_and_the_bot_plays_others() -> None:
    async def scene(table: Table) -> None:
        table.guest(**ONE)
        receives = table.server.server_receives

        def refusing(link: Link, data: bytes) -> None:
            hall = table.server.world.server
            session = hall.sessions.get(link.sid)
            facing = None if session is None else hall.opponent_of(session.name)
            if data.startswith(b"move ") and facing == "guest":
                moves.append(data)
                link.to_client(REFUSED)
            else:
                receives(link, data)

        moves: list[bytes] = []
        table.server.server_receives = refusing  # type: ignore[method-assign]
        await table.until(lambda: ("guest", "host") in table.server.matches)
        await table.until(lambda: not table.server.world.server.playing)
        assert len(moves) == 2
        table.guest(name="other", **ONE)
        await table.until(lambda: table.won() >= 2)
        assert len(moves) == 2

    table, logs = played(scene)
    assert ("guest", "host") in table.server.matches
    assert [event.who.opponent for event in table.memory.of(Evidence)] == ["guest"]
    assert "a second move is refused, leaving" in [entry["event"] for entry in logs]
    spoken = lines(table.memory, "C ")
    first = next(i for i, line in enumerate(spoken) if line.startswith("move "))
    assert "board" in spoken[first + 1 :][:3]


def test_a_server_that_falls_silent_is_probed_then_dialled_again() -> None:
    async def scene(table: Table) -> None:
        won = await table.last_match()
        link = table.link_of("host")
        heard: list[bytes] = []
        link.to_client = lambda data: None  # type: ignore[method-assign]
        receives = table.server.server_receives

        def noting(other: Link, data: bytes) -> None:
            if other is link:
                heard.append(data)
            receives(other, data)

        table.server.server_receives = noting  # type: ignore[assignment,method-assign]
        await table.until(lambda: not table.bot.client.online)
        assert heard, "no probe"
        await table.until(lambda: table.won() > won)

    table, logs = played(scene)
    assert "SILENT" in [entry.get("why") for entry in logs if entry["event"] == "offline"]
    assert not table.server.matches


def test_a_game_that_was_interrupted_is_looked_at_when_it_is_over() -> None:
    """If something is missing, its list is asked for, and more than once if nothing comes."""

    async def scene(table: Table) -> None:
        won = await table.last_match()
        receives = table.server.server_receives
        asked: list[int] = []

        def silent(link: Link, data: bytes) -> None:
            if data.startswith(b"oldmoves"):
                asked.append(table.won())
            else:
                receives(link, data)

        async def missed(*_: object) -> Who | None:
            over = table.won() > won
            return Who("127.0.0.1", "host", "guest") if over else None

        table.server.server_receives = silent  # type: ignore[method-assign]
        table.memory.missed = missed  # type: ignore[assignment,method-assign]
        table.link_of("host").cut()
        await table.until(lambda: table.won() > won)
        await asyncio.sleep(60.0)
        assert asked == [won + 1] * MOST_REQUESTS

    played(scene)


def test_two_bots_that_greet_and_answer_each_other_soon_fall_silent() -> None:
    chat = "chat: {greeting: hello, farewell: help, help: help, bot: hello}\n"
    text = (
        chat
        + HOST.replace("user: host", "user: host, client: x")
        + PAIR.replace("user: twin", "user: twin, client: x")
    )

    async def scene(table: Table) -> None:
        said: list[bytes] = []
        receives = table.server.server_receives

        def noting(link: Link, data: bytes) -> None:
            said.extend(line for line in data.split(b"\r\n") if line.startswith(b"tell "))
            receives(link, data)

        table.server.server_receives = noting  # type: ignore[method-assign]
        await table.until(lambda: table.won() >= 2)
        began = asyncio.get_running_loop().time()
        del said[:]
        await asyncio.sleep(HOUR_S / 4)
        minutes = (asyncio.get_running_loop().time() - began) / 60.0
        matches = table.won()
        assert len(said) <= 2 * matches + 2 * 3 * minutes / 5 + 6

    table, _ = played(scene, text)
    assert table.won() > 4


class Forgetful(Memory):
    """Remembers of an earlier run only what the archive would say."""

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        assert within_s == 24 * HOUR_S
        return [("guest", 23.5 * HOUR_S), ("guest", HOUR_S)]


def test_a_restart_is_no_way_around_the_limits() -> None:
    text = HOST.replace("matches_per_opponent_and_day: 0", "matches_per_opponent_and_day: 2")

    async def scene(table: Table) -> None:
        table.guest(**ONE)
        await asyncio.sleep(HOUR_S / 4)
        assert not table.server.matches
        assert table.server.finished == 0
        await asyncio.sleep(HOUR_S / 2)
        assert table.server.finished == 1  # the first of the two is more than a day ago

    class Again(Table):
        def _recorder(self, name: str) -> Recorder:
            return self.memories.setdefault(name, Forgetful())

    _, logs = played(scene, text, table_of=Again)
    reasons = {entry["reason"] for entry in logs if entry["event"] == "declined"}
    assert reasons == {"opponent's limit"}


class Foe:
    """An ordinary account that does one thing again and again; counts what the host says to it."""

    def __init__(self, table: Table, answers: dict[bytes, bytes]) -> None:
        self.server, self.answers, self.heard = table.server, answers, 0
        self.server.open_account("foe")
        self.link = self.server.connect(self)  # type: ignore[arg-type]
        self.says(c.Login("telnet", "foe", PASSWORD).line().encode())

    def says(self, line: bytes) -> None:
        self.link.to_server(line + b"\r\n")

    def receives(self, _link: Link, data: bytes) -> None:
        for line in data.split(b"\r\n"):
            self.heard += b"host wants to" in line or b"12 host " in line or b"joined you" in line
            for start, answer in self.answers.items():
                if start in line:
                    self.server.at(self.server.now + 0.5, partial(self.says, answer))

    def loses(self, _link: Link) -> None: ...


INVITES = b"invite host 5"
RESUMES = {
    b"joined you": b"leave",  # a new match, or one that goes on
    b"You are now playing": b"leave",
    b"Your running match was loaded": b"leave",
    b"The game was saved": b"invite host",
    b"You terminated the game": b"invite host",
}
WAR = {
    b"joined you": b"leave",
    b"The game was saved": INVITES,
    b"You terminated the game": INVITES,
    b"host wants to": INVITES,
    b"12 host ": INVITES,
}


@pytest.mark.parametrize("answers", [RESUMES, WAR])
def test_no_account_makes_the_bot_answer_for_ever(answers: dict[bytes, bytes]) -> None:
    async def scene(table: Table) -> None:
        await table.until(lambda: table.bot.client.online)
        foe = Foe(table, answers)
        await asyncio.sleep(10.0)
        foe.says(b"toggle ready")
        begun = []
        for minutes in (5, 10, 20):
            for _ in range(6 * minutes):  # and it begins anew of itself
                foe.says(INVITES)
                await asyncio.sleep(10.0)
            begun.append(foe.heard)
        assert 2 <= begun[0] <= 16  # a join is heard twice
        assert begun[2] <= 16
        assert not table.bot.client.playing

    played(scene)


def test_the_bot_plays_on_with_a_guest_whose_line_breaks_again_and_again() -> None:
    async def scene(table: Table) -> None:
        await table.until(lambda: table.bot.client.online)
        foe = Foe(table, {})
        for drop in range(9):
            await asyncio.sleep(10.0)
            foe.says(b"toggle ready")
            foe.says(b"invite host" if drop else b"invite host 5")
            await table.until(lambda: table.bot.client.playing, 20.0)
            await asyncio.sleep(5.0)
            foe.link.open = False
            table.server.server_loses(foe.link)
            await table.until(lambda: not table.bot.client.playing, 20.0)
            await asyncio.sleep(5.0)
            foe = Foe(table, {})

    played(scene)


@pytest.mark.parametrize("leaves", [True, False])
def test_the_place_is_kept_after_a_lost_line_alone(leaves: bool) -> None:
    async def scene(table: Table) -> None:
        await table.until(lambda: table.bot.client.online)
        foe = Foe(table, {})
        await asyncio.sleep(10.0)
        foe.says(b"toggle ready")
        foe.says(b"invite host 5")
        await table.until(lambda: table.bot.client.playing, 20.0)
        if leaves:
            foe.says(b"leave")
        else:
            table.server.server_loses(foe.link)
        await table.until(lambda: not table.bot.client.playing, 20.0)
        table.guest(lengths=(1,), rudeness=0.0)
        began = table.server.now
        await table.until(lambda: table.bot.client.playing)
        assert (table.server.now < began + 30.0) is leaves

    played(scene)


class Critical(Memory):
    """An archive that knows that the guest leaves his matches."""

    asked = 0

    async def standings(self, server: str) -> dict[str, Standing]:
        self.asked += 1
        return {"guest": Standing(finished=2, left=4, behind=4)}


def test_the_archive_says_once_an_hour_who_leaves_his_matches() -> None:
    class Knowing(Table):
        def _recorder(self, name: str) -> Recorder:
            return self.memories.setdefault(name, Critical())

    async def scene(table: Table) -> None:
        guest = table.guest(**ONE)
        await table.until(lambda: table.won() >= 2)
        guest.looks_s = (200.0, 600.0)  # some thirty matches more
        await asyncio.sleep(3 * HOUR_S)
        memory = table.memory
        assert isinstance(memory, Critical)
        assert table.won() >= 15
        assert 3 <= memory.asked <= 5

    _, logs = played(scene, table_of=Knowing)
    told = "tell guest Let us finish this one, please: you left 4 of our 6 matches unfinished."
    assert [entry["line"] for entry in logs if "Let us" in entry.get("line", "")] == [told]


class Broken(Memory):
    """An archive that has gone away, as far as questions go."""

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        raise OSError("disk I/O error")


def test_a_question_about_the_archive_that_fails_is_no_reason_to_go() -> None:
    class WithoutArchive(Table):
        def _recorder(self, name: str) -> Recorder:
            return self.memories.setdefault(name, Broken())

    async def scene(table: Table) -> None:
        table.guest(**ONE)
        await table.until(lambda: table.bot.client.playing)
        for question in (b"hello", b"stats"):
            table.link_of("host").to_client(b"12 guest " + question + b"\r\n")
            await asyncio.sleep(10.0)
        await table.until(lambda: table.won() >= 1)

    table, logs = played(scene, table_of=WithoutArchive)
    answers = lines(table.memory, "C tell guest")
    assert any("against you: unknown." in answer for answer in answers)
    assert len([entry for entry in logs if entry["event"] == "the archive failed"]) == 1
    assert not [entry for entry in logs if entry["event"] == "offline"]


class Hanging(Memory):
    """An archive that neither answers nor fails, while `hangs`; then it has taken everything."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()
        self.answers.set()

    async def kept(self) -> None:
        await self.answers.wait()

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        await self.answers.wait()
        return 1, 2

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        await self.answers.wait()
        return None


class WithHangingArchive(Table):
    """A bot whose archive may hang."""

    def _recorder(self, name: str) -> Recorder:
        return self.memories.setdefault(name, Hanging())

    def archive_answers(self, answers: bool) -> None:
        assert isinstance(self.memory, Hanging)
        (self.memory.answers.set if answers else self.memory.answers.clear)()


def failures(logs: list[Any]) -> int:
    return len([entry for entry in logs if entry["event"] == AWAY])


def test_an_archive_that_hangs_stops_neither_match_nor_connection() -> None:
    """It is waited for once, and again when it has answered meanwhile."""

    async def hangs_for_a_while(table: Table) -> None:
        assert isinstance(table, WithHangingArchive)
        await table.until(lambda: table.bot.client.playing)
        won = table.won()
        table.archive_answers(False)
        table.link_of("host").to_client(b"12 guest stats\r\n")
        await asyncio.sleep(ARCHIVE_WITHIN_S + 20.0)
        table.link_of("host").cut()
        await table.until(lambda: table.won() > won + 1, HOUR_S)
        table.archive_answers(True)
        await asyncio.sleep(60.0)

    async def scene(table: Table) -> None:
        table.guest(lengths=(3,), rudeness=0.0)
        await hangs_for_a_while(table)
        await hangs_for_a_while(table)

    table, logs = played(scene, table_of=WithHangingArchive)
    assert failures(logs) == 2
    answers = lines(table.memory, "C tell guest")
    assert any("against you: unknown." in answer for answer in answers)


def test_an_archive_that_hangs_keeps_nobody_from_stopping() -> None:
    async def scene(table: Table) -> None:
        assert isinstance(table, WithHangingArchive)
        table.guest(**ONE)
        await table.until(lambda: table.bot.client.playing)
        table.archive_answers(False)
        await asyncio.sleep(ARCHIVE_WITHIN_S + 1.0)

    _, logs = played(scene, table_of=WithHangingArchive)
    assert failures(logs) == 1


@asynccontextmanager
async def cut_off(table: Table, dial: Dial) -> AsyncIterator[None]:
    """After an hour online the line is cut, and while the block runs the bot dials like that."""
    await table.until(lambda: table.bot.client.online)
    await asyncio.sleep(HOUR_S)
    before, table.bot.dial = table.bot.dial, dial
    table.link_of("host").cut()
    yield
    table.bot.dial = before
    await table.until(lambda: table.bot.client.online)


def test_a_server_that_is_gone_for_long_is_called_ever_less_often() -> None:
    async def scene(table: Table) -> None:
        async with cut_off(table, nobody_there):
            await asyncio.sleep(HOUR_S / 12)

    async def nobody_there(host: str, port: int, within_s: float) -> Streams:
        raise CannotConnect(f"{host} does not answer")

    _, logs = played(scene, HOST.replace("most_s: 30", "most_s: 30, jitter: 0"))
    pauses = [entry["again_in_s"] for entry in logs if entry["event"] == "offline"]
    assert pauses[:6] == [2, 4, 8, 16, 30, 30]


class Nothing:
    """The way to a server that hears nothing."""

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_login_that_takes_its_time_is_not_ill() -> None:
    async def scene(table: Table) -> None:
        async with cut_off(table, silent):
            await table.until(lambda: table.bot.client.state is Activity.LOGGING_IN)
            assert table.bot.status(asyncio.get_running_loop().time())["healthy"]

    async def silent(host: str, port: int, within_s: float) -> Streams:
        return Streams(asyncio.StreamReader(), Nothing())

    played(scene)


def test_an_answer_that_comes_at_once_does_not_make_us_slow() -> None:
    """Also one that comes before the next command may be sent."""
    said: list[tuple[float, bytes]] = []

    async def scene(table: Table) -> None:
        receives = table.server.server_receives

        def noting(link: Link, data: bytes) -> None:
            if link is table.link_of("host"):
                said.append((table.server.now, data))
            receives(link, data)

        table.guest(lengths=(7,), rudeness=0.0)
        await table.until(lambda: table.bot.client.playing)
        table.server.server_receives = noting  # type: ignore[method-assign]
        await table.until(lambda: table.won() >= 3)

    played(scene, HOST.replace("command_gap_s: 0.05", "command_gap_s: 0.25"))
    moves = [
        after - before
        for (before, one), (after, other) in pairwise(said)
        if one.startswith(b"roll") and other.startswith(b"move")
    ]
    assert len(moves) > 5
    assert max(moves) < 2.0


class Speechless(VirtualServer):
    """Takes no move, and has words of its own for that."""

    def server_receives(self, link: Link, data: bytes) -> None:
        if data.startswith(b"move"):
            link.to_client(b"** The board is being cleaned.\r\n")
        else:
            super().server_receives(link, data)


def test_a_match_in_which_nothing_happens_is_left_with_the_evidence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{__name__}.VirtualServer", Speechless)

    def counted(table: Table) -> float | None:
        labels = {"profile": table.bot.profile.name, "what": "stuck"}
        return table.bot.client.metrics.registry.get_sample_value("sixprime_errors_total", labels)

    async def scene(table: Table) -> None:
        table.guest(**ONE)
        await table.until(lambda: table.bot.client.playing)
        assert counted(table) == 0  # a counter that begins at 1 never increases
        await table.until(lambda: not table.bot.client.playing, 2 * STUCK_S)
        assert counted(table) == 1

    table, logs = played(scene)
    assert table.memory.of(Evidence)
    assert [entry for entry in logs if entry["event"] == "nothing happens, leaving"]


BANNER = b"*** ATTENTION ! FIBS will restart on Sunday for maintenance\r\n"


def test_a_shutdown_that_was_announced_long_ago_keeps_nobody_from_playing() -> None:
    async def scene(table: Table) -> None:
        await table.until(lambda: table.bot.client.online)
        table.link_of("host").to_client(BANNER)
        await asyncio.sleep(1.0)
        table.guest(**ONE)
        await asyncio.sleep(SHUTDOWN_S / 2)
        assert not table.server.finished
        await table.until(lambda: table.won() >= 1)

    _, logs = played(scene)
    assert "the server will go down" in [entry["event"] for entry in logs]


def test_what_a_banner_says_of_a_shutdown_is_not_for_us() -> None:
    async def scene(table: Table) -> None:
        connect = table.server.connect

        def greeted(robot: Any) -> Link:
            link = connect(robot)
            link.to_client(BANNER)
            return link

        table.server.connect = greeted  # type: ignore[method-assign]
        table.guest(**ONE)
        await table.until(lambda: table.won() >= 1)

    _, logs = played(scene)
    assert "the server will go down" not in [entry["event"] for entry in logs]


def test_a_server_that_hangs_up_on_every_login_is_not_asked_for_ever() -> None:
    attempts: list[float] = []

    async def scene(table: Table) -> None:
        receives = table.server.server_receives

        def refusing(link: Link, data: bytes) -> None:
            if data.startswith(b"login"):
                attempts.append(table.server.now)
                link.cut()
            else:
                receives(link, data)

        table.server.server_receives = refusing  # type: ignore[method-assign]
        await table.until(lambda: table.bot.refused)

    played(scene, HOST.replace("most_s: 30", "most_s: 30, jitter: 0"))
    pauses = [round(after - before) for before, after in pairwise(attempts)]
    assert pauses == [2, 30, 30, 30, 30]


def test_a_longest_pause_that_a_reload_lowers_holds_at_once() -> None:
    backoff = Backoff(Reconnect(first_s=600, jitter=0))
    backoff.settings = Reconnect(first_s=5, most_s=10, jitter=0)
    assert [backoff.after(None, 0.0) for _ in range(2)] == [10, 10]


def test_twins_do_not_kick_each_other_for_ever() -> None:
    backoff = Backoff(Reconnect(first_s=10, jitter=0, after_kick_s=300))
    assert [backoff.after(None, 5.0) for _ in range(4)] == [10, 20, 300, 300]
    assert backoff.after(None, 400.0) == 10
    assert [backoff.after(None, 0.0) for _ in range(3)] == [20, 40, 80]


def test_a_server_that_restarts_is_not_taken_for_a_twin() -> None:
    """It does not answer at first, and a kick leaves it running."""
    backoff = Backoff(Reconnect(first_s=10, most_s=20, jitter=0, after_kick_s=300))
    drops = (5.0, 0.0, 5.0, 5.0, 0.0, 5.0, 5.0)
    assert max(backoff.after(None, online_s) for online_s in drops) == 20


def pauses_of(logs: list[Any]) -> list[float]:
    return [entry["again_in_s"] for entry in logs if entry["event"] == "offline"]


STEADY = HOST.replace("most_s: 30", "most_s: 20, after_kick_s: 20, jitter: 0")


def test_logins_that_are_cut_short_never_keep_the_bot_offline_for_long() -> None:
    """A budget of logins spreads them: the pause never exceeds two minutes."""

    async def scene(table: Table) -> None:
        for _ in range(LOGINS.at_once + 8):
            await table.until(lambda: table.bot.client.online)
            await asyncio.sleep(5.0)
            table.link_of("host").cut()
            await asyncio.sleep(1.0)
        waiting = table.bot.status(asyncio.get_running_loop().time())["waiting"]
        assert waiting["reason"] == "budget"
        assert waiting["ends_with"] == "dial"
        table.bot.dial_now()
        await table.until(lambda: table.bot.client.online, 10.0)

    _, logs = played(scene, STEADY)
    pauses = pauses_of(logs)
    assert max(pauses[: LOGINS.at_once - 1]) <= 20.0
    assert 20.0 < max(pauses) <= LOGINS.every_s


def prompts_again(link: Link) -> None:
    link.to_client(b"login: ")


def refuses_in_words(link: Link) -> None:
    link.to_client(b"** User not known or wrong password.\r\nlogin: ")


def refuse_logins(table: Table, refuse: Callable[[Link], None]) -> Callable[[], None]:
    """Let the server refuse every login; return a way to take them again."""
    receives = table.server.server_receives

    def refusing(link: Link, data: bytes) -> None:
        if data.startswith(b"login"):
            refuse(link)
        else:
            receives(link, data)

    table.server.server_receives = refusing  # type: ignore[method-assign]
    return partial(setattr, table.server, "server_receives", receives)


@pytest.mark.parametrize("refuse", [prompts_again, refuses_in_words, Link.cut])
def test_a_login_that_worked_is_tried_again_however_the_server_answers(
    refuse: Callable[[Link], None],
) -> None:
    async def scene(table: Table) -> None:
        await table.until(lambda: table.bot.client.online)
        take_again = refuse_logins(table, refuse)
        table.link_of("host").cut()
        await asyncio.sleep(3 * HOUR_S)
        status = table.bot.status(asyncio.get_running_loop().time())
        assert not status["refused"]
        assert status["waiting"]["reason"] == "refused"
        assert status["waiting"]["ends_with"] == "dial"
        assert "worked before" in status["waiting"]["sentence"]
        take_again()
        await table.until(lambda: table.bot.client.online, HOUR_S)

    _, logs = played(scene, STEADY)
    lost, *refused = pauses_of(logs)
    assert lost == 2.0
    assert refused[:8] == [30.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 3600.0]


def test_a_refused_bot_that_stays_dials_when_it_is_told_to() -> None:
    async def scene(table: Table) -> None:
        take_again = refuse_logins(table, refuses_in_words)
        await table.until(lambda: table.bot.refused)
        take_again()
        await asyncio.sleep(HOUR_S)
        waiting = table.bot.waiting(asyncio.get_running_loop().time())
        assert (waiting.reason, waiting.ends_with) == ("refused", "dial")
        table.bot.dial_now()
        await table.until(lambda: table.bot.client.online, 10.0)
        assert not table.bot.refused

    played(scene, STEADY, stay=True)
