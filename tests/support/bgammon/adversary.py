"""A server of bgammon.org's kind that plays against our session; see tests/support/adversary.

    python -m tests.support.bgammon.adversary --seed 7 --exchanges 20000

Behind it plays an honest server with an honest opponent, and the lines between it and us are lost,
repeated, changed, invented or swallowed, by moods that last some minutes of a virtual clock.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass
from typing import Any

from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import Garbled
from sixprime.protocols.bgammon.session import BgammonSession, RematchOffered
from sixprime.protocols.fibs.lifecycle import MatchBegins, MatchEnds
from sixprime.protocols.fibs.progress import KnownServer
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, RollOrDouble
from sixprime.protocols.fibs.states import ONLINE, ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from tests.support.bgammon.fakeserver import FakeServer, places_of
from tests.support.bgammon.plays import ACCOUNTS, HELLO, Side, at_random

US, THEM = "alice", "carol"
OF_A_KIND, A_MINUTE = 6, 30  # commands without progress
SETTLING_S = 600.0  # of no progress, and then the hour counts
AN_HOUR = 160  # commands without progress
PATIENCE_S, LEAVE_AGAIN_S, LEAVE_WITHIN_S = 180.0, 15.0, 60.0
TABLE_AGAIN_S, ALONE_S = 20.0, 120.0
MOST_WAKES = 400  # in a row, without a line in either direction
REMEMBERED = 200
LOBBY_WORDS = {"loginjson", "create", "join", "leave", "list", "say", "rematch", "history", "pong"}
WORDS = LOBBY_WORDS | {"roll", "move", "ok", "double", "resign", "reset", "board", "disconnect"}
FAILED = ("failedmove", "failedroll", "failedok", "failedjoin", "failedcreate", "failedleave")
SHOWN = ("welcome", "notice", "say", "ping", "list", "joined", "left", "rolled", "moved", "win")
KINDS = (*SHOWN, *FAILED, "settings", "history", "replay", "helpful", "Connection")


@dataclass(frozen=True, slots=True)
class Mood:
    """How often what happens, as parts of what an honest server would say or hear."""

    often: float
    lasts_s: float
    lose: float = 0.0
    lie: float = 0.0
    add: float = 0.0
    repeat: float = 0.0
    change: float = 0.0
    swallow: float = 0.0
    speaks_every_s: float = 0.0
    hang_up: float = 0.0
    flood: int = 1
    fixed: bool = False  # one answer for each command
    refuse: float = 0.0  # of our steps


MOODS = (
    Mood(3, 300),
    Mood(2, 300, lose=0.02, lie=0.01, add=0.03, repeat=0.03, hang_up=0.001),
    Mood(2, 300, lose=0.1, lie=0.1, add=0.2, repeat=0.2, change=0.1, speaks_every_s=3),
    Mood(2, 300, lie=0.8, speaks_every_s=0.5),
    Mood(2, 300, change=0.5, add=0.2, speaks_every_s=5),
    Mood(1, 600, lose=1.0),
    Mood(1, 600, swallow=1.0, speaks_every_s=5),
    Mood(1, 900, swallow=1.0),
    Mood(2, 600, swallow=1.0, fixed=True),
    Mood(1, 600, refuse=0.9),
    Mood(1, 600, swallow=0.5, fixed=True, speaks_every_s=10),
    Mood(1, 120, add=0.3, speaks_every_s=5, flood=60),
    Mood(1, 300, hang_up=0.1),
    Mood(0.3, 20_000, lose=0.9),  # time jumps
)


def anything(dice: random.Random) -> dict[str, Any]:
    """An event of any kind, often a table that may be true."""
    name = dice.choice((US, THEM, THEM, "ford", "", "BOT_x", "x" * 70, "two words"))
    number = dice.choice((0, 1, 2, 3, 5, 64, 127, -1, 10**9, True, None, "1", 1.5))
    if dice.random() < 0.4:
        return table(dice)
    kind = dice.choice(KINDS)
    texts = ("Your opponent would like to play again.", "until your opponent rejoins", "{", "hello")
    return {
        "Type": kind,
        "Player": name,
        "PlayerName": name,
        "Message": dice.choice(texts),
        "Reason": dice.choice(texts),
        "GameID": number,
        "PlayerNumber": dice.choice((1, 1, 2, 0)),
        "Roll1": dice.randint(0, 6),
        "Roll2": dice.randint(0, 6),
        "Moves": [[dice.randrange(28), dice.randrange(28)] for _ in range(dice.randrange(5))],
        "Points": dice.choice((0, 1, 3, number)),
        "Resigned": dice.choice(("", US, THEM)),
        "Games": dice.choice((None, [], [{"ID": 1, "Points": 3, "Players": 1, "Name": name}])),
    }


def table(dice: random.Random) -> dict[str, Any]:
    """A table of ours, true or nearly."""
    view = Position.start()
    for _ in range(dice.choice((0, 0, 3, 10, 40, 80))):
        plays = legal_plays(view, (dice.randint(1, 6), dice.randint(1, 6)))
        after = dice.choice(plays).result
        if after.is_over():
            break
        view = after.flipped()
    turn = dice.choice((0, 1, 1, 1, 2, 2))
    rolled = [dice.randint(1, 6), dice.randint(1, 6)] if dice.random() < 0.6 else [0, 0]
    plays = legal_plays(view, (rolled[0], rolled[1])) if all(rolled) else []
    first = [list(play.play[0]) for play in plays if play.play]
    length = dice.choice((1, 3, 3, 5))
    seats = [
        {"Number": n, "Name": name, "Rating": dice.choice((0, 1500)), "Points": dice.randrange(6)}
        for n, name in ((1, US), (2, dice.choice((THEM, THEM, THEM, "ford", ""))))
    ]
    board = places_of(view)
    if dice.random() < 0.1:
        board[dice.randrange(28)] += dice.choice((-1, 1))
    return {
        "Type": "board",
        "Started": dice.choice((0, 1_795_930_332)),
        "Player1": seats[0],
        "Player2": seats[1],
        "Variant": dice.choice((0,) * 20 + (1, 2)),
        "Board": board,
        "Turn": turn,
        "Roll1": rolled[0],
        "Roll2": rolled[1],
        "Moves": dice.choice(([], [], [], [[8, 5]], [[26, 20], [6, 0]], [[1, 9]])),
        "Winner": dice.choice((0,) * 12 + (1, 2)),
        "Points": length,
        "Crawford": dice.choice((0, 0, 1, 2)),
        "DoubleValue": dice.choice((1, 1, 2, 4, 64, 3)),
        "DoublePlayer": dice.choice((0, 1, 2)),
        "DoubleOffered": dice.random() < 0.2,
        "PlayerNumber": 1,
        "Available": dice.choice((first, first, None, [[8, 5]])),
        "Forced": dice.random() < 0.05,
        "Spectating": dice.random() < 0.02,
    }


class Adversary:
    """One run."""

    def __init__(self, seed: int, exchanges: int) -> None:
        self.dice = random.Random(seed)
        self.server = FakeServer(seed, ACCOUNTS)
        self.opponent = Side(self.server, THEM, at_random(seed + 1, doubles=0.05))
        self.now = 1_000.0
        self.exchanges = exchanges
        self.said = 0  # by the server
        self.broken: list[tuple[str, float, str]] = []
        self.commands: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.known = KnownServer()
        self.mood, self._mood_ends = MOODS[0], self.now + 200
        self._speaks_at = float("inf")
        self._history: deque[bytes] = deque(maxlen=REMEMBERED)
        self._sent: deque[tuple[float, str]] = deque()
        self._hour: deque[float] = deque()
        self._tried: list[float] = []  # to leave this match
        self._table_at = self._alone_since = self.now
        self._table: dict[str, Any] = {}  # the last that we have heard
        self._wakes = 0
        self._answers: dict[str, list[dict[str, Any]]] = {}  # of a fixed mood
        self._progress = float("-inf")  # the last that we know of
        self._dial()

    # --- the line

    def _dial(self) -> None:
        self.session = BgammonSession(Login("six", US, ACCOUNTS[US]), self.now, self.known)
        self.guest = self.server.connects()
        self._table, self._tried = {}, []
        self._hear(HELLO)

    def _hang_up(self) -> None:
        self.server.hangs_up(self.guest)
        self.session.hung_up()
        pause = max(self.dice.uniform(2, 60), self.known.progress.login_at() - self.now)
        self.now += pause
        self._dial()

    def _hear(self, data: bytes) -> None:
        self.said += 1
        self._wakes = 0
        self._history.append(data)
        place = self.dice.randrange(len(data) + 1)
        told = [
            message
            for piece in (data[:place], data[place:])
            for message in self.session.receive(piece, self.now)
        ]
        if b'"board"' in data and not any(isinstance(each, Garbled) for each in told):
            table = json.loads(data.split(b"\n")[-2])
            is_ours = table["Variant"] == 0 and not table["Spectating"]
            self._table = table if is_ours and table["PlayerNumber"] == 1 else self._table
        for message in told:
            self._message(message)

    def _message(self, message: Message) -> None:
        self.seen[type(message).__name__] += 1
        if isinstance(message, MatchBegins | MatchEnds):
            self._tried = []
        if isinstance(message, RematchOffered) and self.dice.random() < 0.5:
            self._say(b.OfferRematch())

    # --- the bot

    def _say(self, command: Command) -> bool:
        if not self.session.may_send(command, self.now):
            return False
        line = self.session.send(command, self.now).decode()
        self._judge(command, line)
        self._wakes = 0
        self._answered(line.rstrip("\n"), line.split()[0])
        return True

    def _answered(self, line: str, word: str) -> None:
        """Let the server hear the line, or say something instead."""
        if self.mood.fixed and self.session.state in ONLINE:
            if word not in self._answers:
                self._answers[word] = [anything(self.dice) for _ in range(self.dice.randint(1, 3))]
            self.guest.said += self._answers[word]
        if word == "move" and self.dice.random() < self.mood.refuse:
            self.guest.said.append({"Type": "failedmove", "Reason": "Illegal move."})
        elif self.guest.open and self.dice.random() >= self.mood.swallow:
            self.server.hears(self.guest, line)

    def _answer(self) -> Command | None:
        dice, question = self.dice, self.session.question()
        match question:
            case ChoosePlay(board, roll):
                play = dice.choice(legal_plays(board.position(), roll)).play
                return c.Move(play, board.direction) if play else None
            case RollOrDouble(_, may_double):
                return c.Double() if may_double and dice.random() < 0.05 else c.Roll()
            case AnswerDouble():
                return c.Reject() if dice.random() < 0.2 else c.Accept()
        return self._lobby() if self.session.match is None else None

    def _lobby(self) -> Command | None:
        session, now = self.session, self.now
        if session.state not in ONLINE or now < self._table_at + TABLE_AGAIN_S:
            return None
        self._table_at = now
        if session.seat.table is not None:
            return c.Leave() if now > self._alone_since + ALONE_S else None
        self._alone_since = now
        kinds = (b.CreateTable(self.dice.choice((1, 3))), b.JoinTable(Player(THEM)), b.ListTables())
        return self.dice.choice(kinds)

    def _leaves(self) -> Command | None:
        """Be patient as a bot is, then leave, then give up."""
        if self.session.match is None or self.now < self.known.progress.at + PATIENCE_S:
            return None
        if self._tried and self.now > self._tried[0] + LEAVE_WITHIN_S:
            self.session.give_up()
            return None
        if self._tried and self.now < self._tried[-1] + LEAVE_AGAIN_S:
            return None
        self._tried.append(self.now)
        return c.Leave()

    # --- the judge

    def _breaks(self, promise: str, how: str) -> None:
        self.broken.append((promise, self.now, how))

    def _judge(self, command: Command, line: str) -> None:
        word = line.split()[0]
        self.commands[word] += 1
        if line.count("\n") != 1 or not line.endswith("\n") or word not in WORDS:
            self._breaks("line", repr(line))
        if word == "ok":
            self._judge_ok(isinstance(command, b.Confirm))
        if word in ("history", "create", "join") and self.session.match is not None:
            self._breaks("seat", line)
        if word != "pong":
            self._judge_budget(line.strip() if word in ("join", "history") else word)

    def _judge_budget(self, kind: str) -> None:
        if self.known.progress.at > self._progress:
            self._progress = self.known.progress.at
            self._sent.clear()
            self._hour.clear()
        self._sent.append((self.now, kind))
        while self._sent[0][0] <= self.now - 60:
            self._sent.popleft()
        alike = sum(other == kind for _, other in self._sent)
        if alike > 2 * OF_A_KIND or len(self._sent) > A_MINUTE:
            self._breaks("budget", f"{alike} times {kind}, {len(self._sent)} commands in a minute")
        if self.now > self._progress + SETTLING_S:
            self._hour.append(self.now)
            while self._hour[0] <= self.now - 3_600:
                self._hour.popleft()
            if len(self._hour) > AN_HOUR:
                self._breaks("budget", f"{len(self._hour)} commands in an hour")

    def _judge_ok(self, confirms: bool) -> None:
        """It ends our turn or takes a double: never the one where the other was meant."""
        told = self._table
        if confirms and told.get("DoubleOffered"):
            self._breaks("ok", "a double was taken unasked")
        if not confirms and not told.get("DoubleOffered"):
            self._breaks("ok", "no double was there")

    # --- the server

    def play(self) -> Adversary:
        while self.said < self.exchanges:
            self._round()
        return self

    def _round(self) -> None:
        dice, said, lines = self.dice, self.said, sum(self.commands.values())
        if self.now >= self._mood_ends:
            (self.mood,) = dice.choices(MOODS, [mood.often for mood in MOODS])
            self._mood_ends = self.now + dice.expovariate(1 / self.mood.lasts_s)
            every_s, self._answers = self.mood.speaks_every_s, {}
            self._speaks_at = self.now + every_s if every_s else float("inf")
        self._opponent()
        self._tells()
        if self.session.state is ConnectionState.CLOSED or not self.guest.open:
            self._hang_up()
            return
        if self.session.state in ONLINE and dice.random() < self.mood.hang_up:
            self._hang_up()
            return
        for _ in range(8):
            command = self.session.wanted(self.now) or self._leaves() or self._answer()
            if command is None or not self._say(command):
                break
        busy = self.said > said or sum(self.commands.values()) > lines
        self._wait(0.05 if busy else None)

    def _opponent(self) -> None:
        side, dice = self.opponent, self.dice
        if not side.guest.open or side.session.state is ConnectionState.CLOSED:
            side.dial(self.now)
        for _ in range(3):
            if not side.turn(self.now):
                break
        session = side.session
        if session.state in ONLINE and session.match is None and dice.random() < 0.02:
            if session.seat.table is None:
                command: Command = dice.choice((b.CreateTable(1), b.JoinTable(Player(US))))
                if session.may_send(command, self.now):
                    side.say(command, self.now)
            elif session.seat.leave_at is not None and session.may_send(b.OfferRematch(), self.now):
                side.say(b.OfferRematch(), self.now)
        elif dice.random() < 0.0005:
            side.dial(self.now)
        del side.messages[:], side.lines[:]

    def _tells(self) -> None:
        dice, mood = self.dice, self.mood
        online = self.session.state in ONLINE
        events, self.guest.said = self.guest.said, []
        said: list[bytes] = []
        for event in events:
            told = [event]
            if online:
                told = [] if dice.random() < mood.lose else told
                told = told * (2 if dice.random() < mood.repeat else 1)
                told = [anything(dice)] if dice.random() < mood.lie else told
                if told and dice.random() < mood.change:
                    told[-1] = told[-1] | dict([dice.choice([*anything(dice).items()])])
                told += [anything(dice)] if dice.random() < mood.add else []
            said += [json.dumps(each).encode() + b"\n" for each in told]
        if online and self.now >= self._speaks_at:
            self._speaks_at = self.now + dice.expovariate(1 / mood.speaks_every_s)
            for _ in range(mood.flood):
                again = self._history and dice.random() < 0.3
                said.append(
                    dice.choice(self._history)
                    if again
                    else json.dumps(anything(dice)).encode() + b"\n"
                )
        for data in said:
            if dice.random() < 0.002 and online:
                self._hear(dice.randbytes(20) + b"\n")
            self._hear(data)

    def _wait(self, least_s: float | None) -> None:
        if least_s is not None:
            self.now += least_s
            return
        deadline = self.session.deadline
        self._wakes += 1
        if self._wakes > MOST_WAKES:
            session = self.session
            self._breaks("rest", f"awake until {deadline}, {session.state.value}, {session.seat}")
            self._wakes = 0
        times = [self.now + 5.0, self._mood_ends]
        times += [self._speaks_at] if self.session.state in ONLINE else []
        times += [] if deadline is None else [deadline]
        self.now = max(min(times), self.now + 0.01)
        if self.dice.random() < 0.02:
            self.server.ping()


def main() -> int:
    """1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.bgammon.adversary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exchanges", type=int, default=20_000)
    asked = parser.parse_args()
    began = time.process_time()
    run = Adversary(asked.seed, asked.exchanges).play()
    shown = {
        "exchanges": run.said,
        "hours": round(run.now / 3_600, 1),
        "commands": run.commands,
        "seen": run.seen,
        "broken": Counter(promise for promise, _, _ in run.broken),
        "first": run.broken[:5],
        "cpu_s": round(time.process_time() - began, 1),
    }
    json.dump(shown, sys.stdout, indent=1)
    sys.stdout.write("\n")
    return 1 if run.broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
