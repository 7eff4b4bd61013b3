"""Runs the bot against the server's side of a recording, in virtual time, and compares.

The server's lines come at their recorded times, relative to the commands before them. They wait for
the commands that were recorded before them, but not forever: a missing command is a difference. The
recording decides if its decisions fit the question, else pip count does, so another engine or level
makes no difference.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Considered, Thinker, considered
from sixprime.bot.control.requests import carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.recording.dialects import unpacked
from sixprime.bot.recording.sessionfile import BY_US, Entry, EntryMark, RecordedSession
from sixprime.bot.settings.blanking import HIDDEN
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, MetricsSettings, Pace, Profile
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.players import PipCounter
from sixprime.protocols.fibs.questions import ChoosePlay, JoinNextGame, Question, RollOrDouble
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command

PATIENCE_S = 10.0  # wait for a recorded command
AHEAD, AHEAD_S = 6, 30.0  # most commands, and seconds, that a command may come early
MOST_DIFFERENCES = 500  # then we stop
AT_LAST_S = 3_600.0  # for the bot to end after the last entry
SAME_MOMENT_S = 1e-6
SOON_S = 1.0  # lines within this time may have been heard, or not
UNRECORDED_S = 2.0  # to make a decision that was not recorded, perhaps interrupted

Show = Callable[[float, str, str], None]  # seconds in the recording; `S`, `C`, `+` or `-`; text


@dataclass(frozen=True, slots=True)
class Difference:
    """A command that the bot sends now and did not send then, or the reverse."""

    at: float  # in the recording
    now: bool
    what: str

    def __str__(self) -> str:
        return f"{self.at:10.3f}  only {'now ' if self.now else 'then'}  {self.what}"


class RecordedServer:
    """One recorded connection, in place of reader and writer."""

    def __init__(self, entries: Sequence[Entry], replay: SessionReplay) -> None:
        ended = any(each.mark is EntryMark.CLOSED for each in entries)
        end = Entry(entries[-1].at, EntryMark.CLOSED)  # a crash did not record it
        self._entries: list[Entry] = [*entries[1:], *(() if ended else (end,))]
        self._next = 0
        ours = (i for i, each in enumerate(self._entries) if each.mark is EntryMark.BOT)
        self._unsaid = OrderedDict((i, _text(self._entries[i].data)) for i in ours)
        self._replay = replay
        self._moment = (_now(), entries[0].at)  # the same one, now and then
        self._stir = asyncio.Event()
        self._closed = False

    @property
    def at(self) -> float:
        return self._moment[1] + _now() - self._moment[0]

    async def read(self, _: int) -> bytes:
        """Return the server's next data, when it is due; see Reader."""
        while not self._closed and self._next < len(self._entries):
            entry = self._entries[self._next]
            if entry.mark is not EntryMark.BOT:
                await self._wait_for(self._next, entry)
                self._moment = (_now(), entry.at)
            self._next += 1
            if entry.mark is EntryMark.OPERATOR:
                await self._replay.obey(_text(entry.data))
            elif entry.mark is EntryMark.SERVER and not self._closed:
                self._replay.show(entry.at, "S", _text(entry.data))
                return entry.data
        return b""

    async def _wait_for(self, i: int, entry: Entry) -> None:
        """Wait until this entry is due and earlier commands were sent, or will not be."""
        hangs_up = entry.mark is EntryMark.CLOSED and entry.data == BY_US
        while not self._closed:
            until = self._moment[0] + entry.at - self._moment[1]
            if hangs_up or next(iter(self._unsaid), i) < i:
                until += PATIENCE_S
            if _now() >= until - SAME_MOMENT_S:
                break
            self._stir.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(until):
                    await self._stir.wait()
        while next(iter(self._unsaid), i) < i:
            self._replay.differs(entry.at, self._unsaid.popitem(last=False)[1], now=False)
        if hangs_up and not self._closed:
            self._replay.differs(entry.at, "(hangs up)", now=False)

    def recorded(self, answers: Iterable[Command]) -> tuple[Command, float] | None:
        """Return the first of these commands in the recording, and when to say it."""
        possible = {_key(each.line()): each for each in answers}
        for i, line in islice(self._unsaid.items(), AHEAD):
            if _key(line) in possible:
                return possible[_key(line)], self._entries[i].at - self.at
        return None

    def write(self, data: bytes) -> None:
        """Take a command of the bot; see Writer."""
        line = _text(data)
        soon = [
            (i, each)
            for i, each in islice(self._unsaid.items(), AHEAD)
            if self._entries[i].at < self.at + AHEAD_S
        ]
        said = next((i for i, each in soon if each == line), None)
        if said is not None:
            self._replay.show(self.at, "C", line)
        else:
            self._replay.differs(self.at, line, now=True)
            if soon and soon[0][1].split()[:1] == line.split()[:1]:  # said in its place
                said = soon[0][0]
                self._replay.differs(self.at, soon[0][1], now=False)
        if said is not None:
            del self._unsaid[said]
            if all(each.mark is EntryMark.BOT for each in self._entries[self._next : said]):
                self._moment = (_now(), self._entries[said].at)
        self._stir.set()

    async def drain(self) -> None:
        """See Writer."""

    def close(self) -> None:
        """Hang up for the bot; see Writer."""
        if not self._closed:
            self._closed = True
            self._stir.set()
            later = self._entries[self._next :]
            if any(each.mark is EntryMark.SERVER and each.at > self.at + SOON_S for each in later):
                self._replay.differs(self.at, "(hangs up)", now=True)
            for line in self._unsaid.values():
                self._replay.differs(self.at, line, now=False)


class RecordedThinker(Thinker):
    """A thinker that decides as recorded, after as long."""

    def __init__(self, replay: SessionReplay) -> None:
        super().__init__(())
        self._replay = replay

    async def warm_up(self) -> None:
        """There is nothing to compile."""

    async def decide(self, question: Question, *, may_resign: bool = True) -> Considered:
        server = self._replay.server
        found = None if server is None else server.recorded(_answers(question))
        if found is None:
            await asyncio.sleep(UNRECORDED_S)
            return considered(question, PipCounter(), may_resign=may_resign)
        command, wait_s = found
        await asyncio.sleep(max(wait_s, 0.0))
        return Considered(command, level="recorded")


class SessionReplay:
    """A recording, and a bot that plays against it."""

    def __init__(self, session: RecordedSession, profile: Profile, show: Show) -> None:
        self.differences: list[Difference] = []
        self.server: RecordedServer | None = None
        self.show = show
        self._connections = deque(session.connections)
        self._within_s = AT_LAST_S + sum(
            each[-1].at - each[0].at + PATIENCE_S * len(each) for each in session.connections
        )
        at_once = profile.player.model_copy(update={"pace": Pace(least_s=0, most_s=0)})
        profile = profile.model_copy(update={"player": at_once})
        config = Config(profiles=(profile,), metrics=MetricsSettings(listen=None))
        self._service = Service(
            config,
            {profile.name: Secret(HIDDEN)},
            dial=self._dial,
            thinker=lambda _: RecordedThinker(self),
        )
        self._steering = Steering(self._service, lambda: config)
        _, _, dialect = session.connections[0][0].data.partition(b" ")
        with suppress(ValueError):  # of another version
            self._service.bots[0].known.dialect = unpacked(dialect.decode("latin-1"))

    async def play(self) -> list[Difference]:
        """Play until the recording, or our patience with the bot, is at its end."""
        try:
            async with asyncio.timeout(self._within_s):
                await self._service.run()
        except TimeoutError:
            self.differs(_now(), "(never ends)", now=True)
        for each in self._connections:
            self.differs(each[0].at, "(connects)", now=False)
        return self.differences

    async def _dial(self, host: str, port: int, within_s: float) -> Streams:
        if not self._connections:
            self._service.request_stop(Stop.SAVE)
            raise CannotConnect("the recording ends here")
        server = self.server = RecordedServer(self._connections.popleft(), self)
        return Streams(server, server)

    async def obey(self, order: str) -> None:
        """Carry out a recorded order of the operator."""
        if order in Stop.__members__:
            self._service.request_stop(Stop[order])
        else:
            with suppress(ValueError):  # of a line written by hand
                await carry_out(self._steering, json.loads(order), "recording")

    def differs(self, at: float, what: str, *, now: bool) -> None:
        """Note a difference; after too many the bot is stopped."""
        self.differences.append(Difference(at, now, what))
        self.show(at, "+" if now else "-", what)
        if len(self.differences) == MOST_DIFFERENCES:
            self._connections.clear()
            self._service.request_stop(Stop.SAVE)


async def replayed(session: RecordedSession, profile: Profile, show: Show) -> list[Difference]:
    """Return the differences; to be run in a VirtualLoop."""
    return await SessionReplay(session, profile, show).play()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _text(data: bytes) -> str:
    return data.decode("latin-1").rstrip("\r\n")


def _key(line: str) -> str:
    """Return a key that is the same for a play whose moves come in another order."""
    return " ".join(sorted(line.split()))


def _answers(question: Question) -> list[Command]:
    match question:
        case ChoosePlay(board, dice):
            plays = (legal.play for legal in legal_plays(board.position(), dice))
            return [c.Move(play, board.direction) for play in plays if play]
        case RollOrDouble():
            return [c.Roll(), c.Double(), *map(c.Resign, (1, 2, 3))]
        case JoinNextGame():
            return [c.JoinNext()]
        case _:
            return [c.Accept(), c.Reject()]
