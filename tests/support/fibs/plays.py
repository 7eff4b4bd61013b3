"""Plays between a scripted server and a session."""

from __future__ import annotations

from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.settings import Setup
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from tests.support.fibs.transcripts import on_the_wire

MARVIN, SIXBOT = Player("marvin"), Player("sixbot")
GREETING = (
    "1 {me} 1699913600 bot.example.org",
    "2 {me} 1 1 0 0 0 0 1 1 40 0 1 0 1 1512.50 1 1 0 0 1 UTC",
    "3",
    "Welcome!",
    "4",
    "5 {me} - - 1 0 1512.50 40 0 1700000000 bot.example.org sixbot_1.0 -",
    "6",
)
OUR_TURN = "board:You:marvin:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-3:4:0:0:0:-3:1:-5:0:0:-2:0:1:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"  # noqa: E501
OUR_DICE = OUR_TURN.replace(":1:0:0:0:0:1:1:1:0:", ":1:3:1:0:0:1:1:1:0:")
THEIR_TURN = OUR_TURN.replace(":1:0:0:0:0:1:1:1:0:", ":-1:0:0:0:0:1:1:1:0:")
OVER = OUR_TURN.replace(":1:0:0:0:0:1:1:1:0:", ":0:0:0:0:0:1:1:1:0:")


class Play:
    """A session and a clock; the server is what the test says."""

    def __init__(self, me: str = "sixbot", setup: Setup | None = None) -> None:
        self.now = 1000.0
        self.login = Login("sixbot 1.0", me, "secret99")
        self.setup = setup
        self.session = Session(self.login, self.now, setup or Setup({}, {}))

    def hear(self, *lines: str) -> list[Message]:
        messages: list[Message] = []
        for line in lines:
            self.now += 0.1
            messages += self.session.receive(on_the_wire(line), self.now)
        return messages

    def send(self, command: Command) -> str:
        self.now += 0.1
        return self.session.send(command, self.now).decode().removesuffix("\r\n")

    def wait(self, seconds: float) -> None:
        """Time passes, nothing is heard; housekeeping is not sent."""
        self.now += seconds

    def wanted(self) -> list[str]:
        """Everything the session wants to send now, sent."""
        sent = []
        while (command := self.session.wanted(self.now)) is not None:
            sent.append(self.send(command))
        return sent

    def prompted(self) -> Play:
        """The server asks for the login and gets it."""
        self.hear("login:")
        self.wanted()
        return self

    def log_in(self) -> Play:
        self.hear("login:")
        self.send(self.login)
        self.hear(*(line.format(me=self.session.me) for line in GREETING))
        return self

    def idle(self) -> Play:
        self.log_in()
        self.settle()
        assert self.session.state is ConnectionState.IDLE
        return self

    def settle(self) -> None:
        """The server answers the housekeeping after a login or a match."""
        for _ in range(6):
            for line in self.wanted():
                if line == "toggle":
                    self.hear(
                        "The current settings are:", "ready           YES", "wrap            NO"
                    )
                elif line == "show saved":
                    self.hear("no saved games.")

    def playing(self, *lines: str) -> Play:
        self.idle()
        self.hear("marvin wants to play a 5 point match with you.", "Type 'join marvin' to accept.")
        self.send(c.Join(MARVIN))
        self.hear(
            "** You are now playing a 5 point match with marvin",
            own_line("marvin"),
            "6",
            "Starting a new game with marvin.",
            *lines,
        )
        return self


def own_line(opponent: str, ready: int = 1) -> str:
    return f"5 sixbot {opponent} - {ready} 0 1512.50 40 0 1700000000 bot.example.org sixbot_1.0 -"


BETWEEN_GAMES = "Type 'join' if you want to play the next game, type 'leave' if you don't."
