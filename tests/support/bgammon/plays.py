"""Sessions that play on a fake server, by a clock of their own."""

from __future__ import annotations

import random
from collections.abc import Callable

from sixprime.engine.rules import legal_plays
from sixprime.protocols.bgammon.session import BgammonSession
from sixprime.protocols.fibs.lifecycle import MatchEnds
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, Question, RollOrDouble
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.fibs.wire.messages import Message
from tests.support.bgammon.fakeserver import FakeServer

HELLO = b"hello Welcome to bgammon.org!\n"
ACCOUNTS = {"alice": "pw1", "carol": "pw2", "bot_six": "pw3"}
Decide = Callable[["Side", Question], Command | None]


class Side:
    """One session, and the messages that came of it."""

    def __init__(self, server: FakeServer, name: str, decide: Decide | None = None) -> None:
        self.server, self.name = server, name
        self.decide = decide
        self.messages: list[Message] = []
        self.lines: list[str] = []  # ours
        self.guest = server.connects()
        self.dial(1_000.0)

    def dial(self, now: float) -> None:
        """A new connection; an older one is cut."""
        self.server.hangs_up(self.guest)
        self.guest = self.server.connects()
        login = Login("six 1.0", self.name, ACCOUNTS.get(self.name, ""))
        self.session = BgammonSession(login, now)
        self.hear(HELLO, now)

    def hear(self, data: bytes, now: float) -> list[Message]:
        told = list(self.session.receive(data, now))
        self.messages += told
        return told

    def say(self, command: Command, now: float) -> str:
        line = self.session.send(command, now).decode()
        assert line.endswith("\n")
        assert line.count("\n") == 1
        self.lines.append(line.rstrip())
        self.server.hears(self.guest, line)
        return self.lines[-1]

    def turn(self, now: float, *, hears: bool = True) -> bool:
        """Hear what was said, and say what is due; False if there is nothing to say."""
        if hears:
            self.hear(self.guest.take(), now)
        command = self.session.wanted(now)
        question = self.session.question()
        if command is None and question is not None and self.decide is not None:
            command = self.decide(self, question)
        if command is None:
            return False
        self.say(command, now)
        return True

    def of(self, *kinds: type[Message]) -> list[Message]:
        return [each for each in self.messages if isinstance(each, kinds)]


class Room:
    """A server, some sides, and the time."""

    def __init__(self, *names: str, seed: int = 1, decide: Decide | None = None) -> None:
        self.now = 1_000.0
        self.dice = random.Random(seed)
        self.server = FakeServer(seed, ACCOUNTS)
        self.sides = [Side(self.server, name, decide or at_random(seed)) for name in names]
        self.settle()

    def settle(self, most: int = 20_000) -> None:
        """Go on until nobody has anything to say."""
        for _ in range(most):
            self.now += 0.05
            said = [side.turn(self.now) for side in self.sides]
            if not any(said):
                return
        raise AssertionError("the sides never come to rest")

    def settle_lobby(self) -> None:
        """Everybody hears what was said."""
        for side in self.sides:
            side.hear(side.guest.take(), self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.settle()

    def until(self, comes: Callable[[], object], most: int = 200_000) -> None:
        """Go on until this is so."""
        for _ in range(most):
            if comes():
                return
            self.now += 0.05
            for side in self.sides:  # events and commands may cross
                side.turn(self.now, hears=self.dice.random() < 0.6)
        raise AssertionError("it never comes")

    def until_match_ends(self) -> None:
        side = self.sides[0]
        ends = len(side.of(MatchEnds))
        self.until(lambda: len(side.of(MatchEnds)) > ends)


def at_random(seed: int, *, doubles: float = 0.1, passes: float = 0.2) -> Decide:
    """Any legal answer."""
    dice = random.Random(seed)

    def decide(side: Side, question: Question) -> Command | None:
        match question:
            case ChoosePlay(board, roll):
                plays = [legal.play for legal in legal_plays(board.position(), roll)]
                return c.Move(dice.choice(plays), board.direction)
            case RollOrDouble(_, may_double):
                return c.Double() if may_double and dice.random() < doubles else c.Roll()
            case AnswerDouble():
                return c.Reject() if dice.random() < passes else c.Accept()
        raise AssertionError(question)

    return decide


def racing(side: Side, question: Question) -> Command | None:
    """The play that leaves the fewest pips, never the cube."""
    match question:
        case ChoosePlay(board, roll):
            plays = legal_plays(board.position(), roll)
            best = min(plays, key=lambda legal: (legal.result.pips()[0], legal.play))
            return c.Move(best.play, board.direction)
        case AnswerDouble():
            return c.Accept()
    return c.Roll()
