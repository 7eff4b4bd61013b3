"""What must be true of a bot all along, whatever the server says. Known from bytes alone.

Progress is a situation on a board of ours that this bot has never been shown. Without progress a
bot says at most so much of a kind and in all, and stays in no state for ever.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    Who,
)
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire.lines import Lines
from sixprime.protocols.servers import Session
from tests.support.adversary.vocabulary import US
from tests.support.bot.scene import Memory

MINUTE_S, HOUR_S = 60.0, 3_600.0
OF_A_KIND, A_MINUTE = 6, 30  # commands without progress
AN_HOUR = {"logins": 40, "settings": 70, "others": 90}
SETTLING_S = 600.0  # of no progress, and then the hours count
PATIENCE_S = 180.0  # as the settings of our bots say
MATCH_S = PATIENCE_S + 900.0  # in a match without progress
LOBBY_S = 900.0  # online and neither idle nor playing
LOGIN_S = 180.0  # from dialling to being online
REMEMBERED = 5_000  # boards
MOST_KEPT = 20  # violations of a promise
WITH_TARGET = frozenset(
    {
        "invite",
        "join",
        "tell",
        "toggle",
        "set",
        "show",
        "who",
        "rawwho",
        "whois",
        "oldmoves",
        "watch",
    }
)
A_BOARD = re.compile(
    r"board:You:[^:\s]{1,64}(?::-?[0-9]{1,6}){49}:(?:9999|0|[1-9][0-9]?)", re.ASCII
)
CUBES = frozenset(1 << n for n in range(20))
UNLIMITED = 9_999
WELCOME = re.compile(rf"1 +(?i:{US})(?: .*)?")  # number and name suffice
GOODBYE = re.compile(
    r" ?Goodbye\.?|Thanks for using this server!|Connection timed out\.?"
    r"|\*\* You just logged in a second time from \S+, terminating this session\.?"
)
SETTINGS = frozenset({"set", "toggle", "show"})
ALIASES = {"b": "board", "m": "move", "rawwho": "who"}
LOGGING_IN = frozenset(
    {
        ConnectionState.AWAITING_PROMPT,
        ConnectionState.LOGGING_IN,
        ConnectionState.GREETED,
        ConnectionState.READING_MOTD,
    }
)
QUIET = frozenset({ConnectionState.IDLE, ConnectionState.CLOSED})


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that was broken, when, and how."""

    promise: str
    at: float
    how: str


def kind_of(command: str) -> str:
    """The first word, with the target where it has one."""
    word, _, rest = command.partition(" ")
    word = ALIASES.get(word, word)
    return f"{word} {rest.split(' ')[0]}" if word in WITH_TARGET else word


def purse_of(kind: str) -> str:
    """The budget of a command, as the server's administrator sees it."""
    if kind == "login":
        return "logins"
    word = kind.partition(" ")[0]
    return "settings" if word in SETTINGS and kind != "toggle ready" else "others"


def situation_of(line: str) -> tuple[object, ...] | None:
    """What matters of a board of ours, as we see it; None if it is none, or cannot be true."""
    if not A_BOARD.fullmatch(line):
        return None
    opponent, *texts = line.split(":")[2:]
    n = [int(each) for each in texts]
    (turn, *dice, cube), (colour, direction), off, bar = n[29:35], n[38:40], n[42:44], n[44:46]
    ends = n[3:29] if direction < 0 else n[28:2:-1]  # theirs on the bar, the points, ours
    points = ends[1:25]
    sides = [tuple(max(sign * each, 0) for each in points) for sign in (colour, -colour)]
    shown = [max(-colour * ends[0], 0), max(colour * ends[25], 0)][::-1]

    def whole(on_bar: list[int]) -> bool:
        sums = [sum(side) + out + on for side, out, on in zip(sides, off, on_bar, strict=True)]
        return min(*off, *on_bar) >= 0 and sums == [15, 15]

    bar = bar if whole(bar) else shown
    true = (
        abs(colour) == abs(direction) == 1
        and turn in (-1, 0, 1)
        and cube in CUBES
        and all(0 <= die <= 6 for die in dice)
        and whole(bar)
    )
    if opponent == US or not true:
        return None
    length, score, may_double, doubled = min(n[0], UNLIMITED), n[1:3], n[35:37], n[37] != 0
    may = tuple(bool(each) for each in may_double)
    theirs = turn == -colour
    rolled = sorted((dice[2:] if theirs else dice[:2]) if turn else ())
    rolled = rolled if min(rolled, default=0) else []
    one_away = [points == length - 1 for points in score]
    crawford = 1 < length < UNLIMITED and not n[48] and one_away[0] != one_away[1]
    waits = not any(may) and not doubled and turn != 0 and not rolled  # for an answer to our double
    waits = waits and length != 1 and not crawford
    on_roll = 1 if doubled else 0 if waits else int(theirs)
    owner = None if cube == 1 or may[0] == may[1] else may
    game = (opponent, length, *score, *sides, *bar)
    return *game, turn == 0, on_roll, *rolled, cube, owner, doubled, waits


def asks_for_move(line: str) -> bool:
    """Is this a board of ours on which we have dice to play?"""
    if not A_BOARD.fullmatch(line):
        return False
    n = [int(each) for each in line.split(":")[3:]]
    turn, die, colour, can_move = n[29], n[30], n[38], n[46]
    return turn == colour and die > 0 and can_move > 0


@dataclass(slots=True)
class Speech:
    """What one bot has said since something last went on."""

    progress_at: float = 0.0
    most_an_hour: int = 0  # after the first minutes without progress
    dice_at: float | None = None  # when dice of ours came that are not played yet
    _shown: dict[int, None] = field(default_factory=dict)
    _lines: Lines = field(default_factory=Lines)
    _greeting: int = -1  # 0: logged in, 1: welcome, 2: message of the day, 3: online
    _last: deque[tuple[float, str]] = field(default_factory=deque)  # of a minute
    _late: deque[tuple[float, str]] = field(default_factory=deque)  # of an hour

    def connects(self) -> None:
        self._lines = Lines()
        self._greeting = -1
        self.dice_at = None

    def hears(self, data: bytes, now: float) -> None:
        for line in self._lines.feed(data):
            if not isinstance(line, str) or not self._is_online(line):
                continue
            if line.startswith("board:You:"):
                asks = asks_for_move(line)
                self.dice_at = (self.dice_at or now) if asks else None
            situation = situation_of(line)
            if situation is not None and self._is_new(situation):
                self.progress_at = now
                self._last.clear()
                self._late.clear()

    def _is_new(self, situation: tuple[object, ...]) -> bool:
        if (known := hash(situation)) in self._shown:
            return False
        self._shown[known] = None
        if len(self._shown) > REMEMBERED:
            del self._shown[next(iter(self._shown))]
        return True

    def _is_online(self, line: str) -> bool:
        """Between greeting and farewell; what else looks like a board of ours is none."""
        if self._greeting == 0 and WELCOME.fullmatch(line):
            self._greeting = 1
        elif self._greeting == 1 and line == "3":
            self._greeting = 2
        elif self._greeting in (1, 2) and line == "4":
            self._greeting = 3
        elif self._greeting != 2 and GOODBYE.fullmatch(line):
            self._greeting = -1
        return self._greeting == 3

    def says(self, line: str, now: float) -> str | None:
        """What is wrong with saying this now."""
        kind = kind_of(line)
        if kind in ("move", "resign"):
            self.dice_at = None
        if kind == "login":
            self._greeting = max(self._greeting, 0)
        self._last.append((now, kind))
        while self._last[0][0] <= now - MINUTE_S + 1e-6:
            self._last.popleft()
        if now > self.progress_at + SETTLING_S:
            self._late.append((now, purse_of(kind)))
            while self._late[0][0] <= now - HOUR_S + 1e-6:
                self._late.popleft()
            self.most_an_hour = max(self.most_an_hour, len(self._late))
        alike = sum(other == kind for _, other in self._last)
        if alike > OF_A_KIND:
            return f"{alike} times {kind} in a minute"
        if len(self._last) > A_MINUTE:
            return f"{len(self._last)} commands in a minute, {kind} the last"
        purse = purse_of(kind)
        count = sum(other == purse for _, other in self._late)
        if count > AN_HOUR[purse]:
            return f"{count} {purse} in an hour, {kind} the last"
        return None


class Judge:
    """Watches one run; bots may follow one another in it."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []
        self.broken: Counter[str] = Counter()
        self.commands: Counter[str] = Counter()
        self.speech = Speech()
        self.dice_within_s = float("inf")  # of an honest server: then they are played
        self._known: tuple[object, object] | None = None
        self._since = 0.0

    def breaks(self, promise: str, now: float, how: str) -> None:
        self.broken[promise] += 1
        if self.broken[promise] <= MOST_KEPT:
            self.violations.append(Violation(promise, now, how))

    def new_bot(self, now: float) -> None:
        self.speech = Speech(now)
        self._known = None

    def said(self, line: str, now: float) -> None:
        """The bot has sent a line."""
        self.commands[line.partition(" ")[0]] += 1
        wrong = self.speech.says(line, now)
        if wrong is not None:
            self.breaks("budget", now, wrong)

    def looks(self, session: Session | None, now: float) -> None:
        """To be called now and then: how old is the state that the bot is in?"""
        dice_at = self.speech.dice_at
        if dice_at is not None and now > dice_at + self.dice_within_s:
            self.breaks("dice", now, f"not played for {now - dice_at:.0f} s")
            self.speech.dice_at = None
        if session is None:
            self._known = None
            return
        here = (
            session,
            session.state if session.match is None else Session,
        )  # whatever match it is
        if self._known is None or any(a is not b for a, b in zip(here, self._known, strict=True)):
            self._known, self._since = here, now
        since, limit = self._since, float("inf")
        if session.match is not None:
            since, limit = max(since, self.speech.progress_at), MATCH_S
        elif session.state in LOGGING_IN:
            limit = LOGIN_S
        elif session.state not in QUIET:
            limit = LOBBY_S
        if now > since + limit:
            self.breaks("age", now, f"{now - since:.0f} s in {session.state.value}")
            self._since = now


class Ledger(Memory):
    """A recorder that keeps nothing but whether each match is told once, and in order."""

    def __init__(self, judge: Judge, now: Any) -> None:
        super().__init__()
        self.open: dict[Who, bool] = {}  # matches that have begun; is a game of theirs on?
        self.saved: dict[Who, bool] = {}
        self.told: Counter[str] = Counter()
        self._judge = judge
        self._now = now

    def note(self, event: Event) -> None:
        self.told[type(event).__name__] += 1
        wrong = self._follow(event)
        if wrong is not None:
            self._judge.breaks("archive", self._now(), f"{wrong}: {event}"[:300])

    def finish(self, who: Who) -> None:
        pass

    def _follow(self, event: Event) -> str | None:
        who = event.who
        match event:
            case MatchStarted(resumed=resumed):
                twice = who in self.open
                self.open[who] = self.saved.pop(who, False) and resumed
                return "begins twice" if twice else None
            case GameStarted():
                return self._in_match(who, game=True)
            case Acted() | GameOver():
                playing = self.open.get(who, False)
                if isinstance(event, GameOver):
                    self.open[who] = False
                return None if playing else "outside a game"
            case MatchOver():
                known = who in self.open or who in self.saved
                self.open.pop(who, None)
                self.saved.pop(who, None)
                return None if known else "ends twice"
            case MatchSaved():
                known = who in self.open
                self.saved[who] = self.open.pop(who, False)
                return None if known else "saved twice"
            case _:
                return None

    def _in_match(self, who: Who, *, game: bool) -> str | None:
        if who not in self.open:
            return "a game outside a match"
        self.open[who] = game
        return None
