"""A server of many moods: behind it plays an honest one, and what that says is twisted on the way.

So the bot gets deep into matches before it is lied to, and what it is told contradicts what
happens. A mood lasts some minutes; all follows from the seed.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from dataclasses import dataclass

from tests.support.adversary import vocabulary
from tests.support.adversary.judge import asks_for_move
from tests.support.adversary.stage import Line
from tests.support.adversary.vocabulary import OPPONENTS, US
from tests.support.bot.simulator import Link
from tests.support.bot.soak import Guest
from tests.support.bot.virtual import VirtualServer

JOINING = re.compile(
    r"\*\* Please wait for \S+ to join too|Type 'join' if|Starting a new game with|score in "
    r"|You win the game|\S+ wins the game|\S+ gives up|You rolled|\S+ makes the first move"
)
POOL = 40  # boards of a mood: few enough to run out of new ones
REMEMBERED = 200  # things said


@dataclass(frozen=True, slots=True)
class Mood:
    """How often what happens, as parts of what an honest server would say."""

    often: float  # how often this mood comes
    lasts_s: float
    lose: float = 0.0
    lie: float = 0.0  # says something else
    add: float = 0.0  # and something else
    repeat: float = 0.0
    reboard: float = 0.0  # with another board
    swallow: float = 0.0  # commands that are not heard
    speaks_every_s: float = 0.0  # by itself
    flood: int = 1  # things at once
    fixed: bool = False  # one answer for each command
    parrot: bool = False  # says what it has said before
    hang_up: float = 0.0
    login: float = 0.0  # a login is answered with anything


MOODS = (
    Mood(1, 200),
    Mood(2, 300, lose=0.02, lie=0.01, add=0.03, repeat=0.03, hang_up=0.001),
    Mood(2, 300, lose=0.1, lie=0.1, add=0.2, repeat=0.2, reboard=0.1, speaks_every_s=3),
    Mood(2, 300, lie=0.8, speaks_every_s=0.5, login=0.3),
    Mood(2, 300, reboard=0.5, add=0.2, speaks_every_s=5),
    Mood(1, 600, lose=1.0),
    Mood(1, 600, swallow=1.0),
    Mood(1, 600, swallow=1.0, speaks_every_s=2),
    Mood(2, 900, swallow=0.9, fixed=True, speaks_every_s=10),
    Mood(1, 900, swallow=1.0, fixed=True, login=0.1),
    Mood(1, 300, parrot=True, speaks_every_s=1, swallow=0.5),
    Mood(1, 120, add=0.3, speaks_every_s=5, flood=60),
    Mood(1, 300, hang_up=0.3, login=0.1),
    Mood(0.3, 20_000, lose=0.9),  # time jumps
    Mood(0.3, 20_000, swallow=1.0),
)


class Hostile(VirtualServer):
    """See the module's docstring."""

    def __init__(self, seed: int, exchanges: int) -> None:
        super().__init__(seed)
        self.dice = random.Random(seed)
        self.left = exchanges
        self.mood = MOODS[0]
        self._line: Line | None = None
        self._link: Link | None = None
        self._online = False
        self._pool: list[str] = []
        self._answers: dict[str, list[str]] = {}
        self._history: deque[bytes] = deque(maxlen=REMEMBERED)
        self.open_account(US)
        for name in OPPONENTS:
            self.open_account(name)
            guest = Guest(self, name, self.random.getrandbits(32))
            guest.hosts, guest.rudeness = (US,), 0.3
            self.robots[name] = guest
            self.at(self.now + 1 + self.random.random(), guest.dial)
        self.at(self.now + 30.0, self.tick)
        self._changes()
        self._speaks()

    @property
    def over(self) -> bool:
        return self.left <= 0

    # --- the bot's connection

    def connected(self, line: Line) -> bool:
        if self.mood.hang_up and self.dice.random() < 0.5:
            return False
        self._line, self._online = line, False
        self._link = self.connect(self)  # type: ignore[arg-type]
        return True

    def lost(self) -> None:
        self._line = None
        if self._link is not None and self._link.open:
            self._link.open = False
            self.server_loses(self._link)

    def loses(self, link: Link) -> None:
        """The honest server hangs up."""
        if link is self._link and self._line is not None:
            self._line.hang_up()
            self._line = None

    def hears(self, command: str) -> None:
        link, word = self._link, command.partition(" ")[0]
        if link is None or not link.open:
            return
        if word == "login":
            self._online = True
            if self.dice.random() < self.mood.login:
                self._say(self._anything())
                return
        elif self.mood.fixed:
            if word not in self._answers:
                self._answers[word] = self._anything()
            self._say(self._answers[word])
        if word == "login" or self.dice.random() >= self.mood.swallow:
            link.to_server(f"{command}\r\n".encode())
        if self._chance(self.mood.hang_up):
            self._hang_up()

    def receives(self, _link: Link, data: bytes) -> None:
        """What the honest server says to the bot."""
        lines = data.decode("latin-1").split("\r\n")
        if lines[-1] == "":
            lines.pop()
        mood, said = self.mood, []
        for each in lines:
            if each.startswith("board:") and self._chance(mood.reboard):
                said.append(self._board())
            elif self._chance(mood.lie):
                said += self._anything()
            elif not self._chance(mood.lose):
                said += [each] * (2 if self._chance(mood.repeat) else 1)
            if self._chance(mood.add):
                said += self._anything()
        if said == lines:
            self._tell(data)
        else:
            self._say(said)

    def _chance(self, chance: float) -> bool:
        """Only after the login: what comes before it is known soon."""
        return self._online and self.dice.random() < chance

    # --- by itself

    def _changes(self) -> None:
        dice = self.dice
        (self.mood,) = dice.choices(MOODS, [mood.often for mood in MOODS])
        self._pool = [vocabulary.board(dice) for _ in range(POOL)]
        self._answers = {}
        lasts_s = dice.expovariate(1 / self.mood.lasts_s)
        asyncio.get_running_loop().call_later(lasts_s, self._changes)

    def _speaks(self) -> None:
        every_s = self.mood.speaks_every_s
        if every_s and self._online:
            for _ in range(self.mood.flood):
                if self.mood.parrot and self._history:
                    self._tell(self.dice.choice(self._history))
                else:
                    self._say(self._anything())
            if self.dice.random() < self.mood.hang_up:
                self._hang_up()
        wait_s = self.dice.expovariate(1 / (every_s or 10.0))
        asyncio.get_running_loop().call_later(wait_s, self._speaks)

    def _anything(self) -> list[str]:
        dice, said = self.dice, []
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            said += vocabulary.says(dice, self._board)
        return said

    def _board(self) -> str:
        return (
            self.dice.choice(self._pool)
            if self.dice.random() < 0.98
            else vocabulary.board(self.dice)
        )

    def _say(self, lines: list[str]) -> None:
        self._tell(vocabulary.as_bytes(lines, self.dice))

    def _tell(self, data: bytes) -> None:
        if self._line is not None and data:
            self.left -= 1
            self._history.append(data)
            self._line.tell(data)

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.hang_up()
            self.lost()


class LateJoins(Hostile):
    """An honest server, but its lines about joining come again behind our dice, or only there."""

    def __init__(self, seed: int, exchanges: int) -> None:
        self._late: list[str] = []
        super().__init__(seed, exchanges)

    def _changes(self) -> None:
        """No other moods."""

    def receives(self, link: Link, data: bytes) -> None:
        said: list[str] = []
        for line in data.decode("latin-1").split("\r\n"):
            is_late = JOINING.match(line) is not None and self.dice.random() < 0.7
            if is_late:
                self._late.append(line)
            if line and not (is_late and self.dice.random() < 0.4):
                said.append(line)
            if asks_for_move(line):
                said += reversed(self._late)
                self._late = []
        self._tell("".join(f"{each}\r\n" for each in said).encode("latin-1"))
