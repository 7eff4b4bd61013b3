"""Servers that answer each command always in the same way, after a good login."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from tests.support.adversary import vocabulary
from tests.support.adversary.stage import Line
from tests.support.adversary.vocabulary import TIME, US

GREETING = (
    f"1 {US} 1 h",
    f"2 {US} 1 1 0 0 0 0 1 1 40 0 1 0 1 1512.50 1 1 0 0 1 UTC",
    "3",
    "4",
    f"5 {US} - - 1 0 1512.50 40 0 1 h c -",
    "5 marvin - - 1 0 1623.41 2115 0 1 h c -",
    "6",
)
OPENING = "-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
BOARD = (
    "board:You:marvin:{}:1:1:1:0:1:-1:0:25:0:0:0:0:{}:0:0:0"  # length to turn and dice; can move
)
THEIRS = BOARD.format(f"5:0:0:0:{OPENING}:-1:0:0:6:2", 0)
OURS = BOARD.format(f"5:0:0:0:{OPENING}:1:0:0:0:0", 0)
HOME = ":".join("-15" if each == 20 else "0" for each in range(26))
OVER = BOARD.format(f"1:1:0:{HOME}:0:0:0:0:0", 0).replace(":25:0:0:0:", ":25:15:0:0:")
FREE = (GREETING[4], "6")
PLAYING = (f"5 {US} marvin - 1 0 1512.50 40 0 1 h c -", "6")
INVITATION = ("marvin wants to play a 5 point match with you.", "Type 'join marvin' to accept.")
BEGINS = (
    "** You are now playing a 5 point match with marvin",
    *PLAYING,
    "Starting a new game with marvin.",
    "You rolled 2, marvin rolled 6",
    "marvin makes the first move.",
)

Answers = dict[str, tuple[str, ...]]


class Fixed:
    """Logs us in, invites us once or again and again, and has one answer for each first word."""

    over = False

    def __init__(
        self, answer: Callable[[str], tuple[str, ...]], invites_every_s: float = 0.0
    ) -> None:
        self._answer = answer
        self._known: Answers = {}
        self._every_s = invites_every_s
        self._line: Line | None = None

    def connected(self, line: Line) -> bool:
        self._line = line
        line.tell(b"login: ")
        return True

    def hears(self, command: str) -> None:
        word = command.partition(" ")[0]
        if word == "login":
            self.says(*GREETING)
            asyncio.get_running_loop().call_later(20.0, self._invites, self._line)
            return
        if word not in self._known:
            self._known[word] = self._answer(word)
        self.says(*self._known[word])

    @property
    def makes_sense(self) -> bool:
        """Does it tell the time, or who we are?"""
        told = [line for word in ("time", "who", "rawwho") for line in self._known.get(word, ())]
        return any(line == TIME or line.startswith(f"5 {US} ") for line in told)

    def _invites(self, line: Line | None) -> None:
        if line is not None and line is self._line:
            self.says(*INVITATION)
            if self._every_s:
                asyncio.get_running_loop().call_later(self._every_s, self._invites, line)

    def says(self, *lines: str) -> None:
        if self._line is not None:
            self._line.tell("".join(f"{each}\r\n" for each in lines).encode("latin-1"))

    def lost(self) -> None:
        self._line = None


def at_random(seed: int) -> Fixed:
    """Answers of one to three lines drawn from all that servers say."""
    dice = random.Random(seed)

    def answer(word: str) -> tuple[str, ...]:
        said: list[str] = []
        for _ in range(dice.randint(1, 3)):
            said += vocabulary.says(dice, lambda: vocabulary.board(dice))
        return tuple(said)

    return Fixed(answer, dice.choice((0.0, 0.0, 5.0, 60.0)))


def scripted(answers: Answers, invites_every_s: float = 0.0) -> Fixed:
    """These answers; it knows no other commands."""
    return Fixed(
        lambda word: answers.get(word, (f"** Unknown command: '{word}'",)), invites_every_s
    )


_LEFT = ("** You terminated the game. The game was saved.", *FREE)
_SAVED = (
    "  opponent          matchlength   score (your points first)",
    f" *{'marvin':<15}{'1':>10}{1:>17} - {0:>2}",
)
_KNOWN: Answers = {
    "join": (*BEGINS, THEIRS),
    "time": (TIME,),
    "leave": _LEFT,
    "board": (THEIRS,),
    "show": ("no saved games.",),
    "rawwho": (*GREETING[4:],),
}
SPECIAL: dict[str, Callable[[], Fixed]] = {
    "hears nothing but the login": lambda: Fixed(lambda word: (), 5.0),
    "a silent opponent, and board is unknown": lambda: scripted(
        {k: v for k, v in _KNOWN.items() if k != "board"}
    ),
    "leave is refused": lambda: scripted(_KNOWN | {"leave": ("** You can't leave now.",)}),
    "no one to leave": lambda: scripted(_KNOWN | {"leave": ("** Error: No one to leave",)}),
    "leave does nothing": lambda: scripted(_KNOWN | {"leave": ()}),
    "another finished match after each leave": lambda: scripted(
        _KNOWN
        | {"join": (*BEGINS, OVER)}
        | {"leave": (*_LEFT, "marvin has joined you. Your running match was loaded.", OVER)}
    ),
    "who says playing, the board says not": lambda: scripted(
        _KNOWN | {"rawwho": PLAYING, "join": PLAYING, "board": ("** You're not playing.",)}
    ),
    "a finished match listed as saved": lambda: scripted(
        _KNOWN
        | {
            "show": _SAVED,
            "invite": (
                "marvin wants to resume a saved match with you.",
                "Type 'join marvin' to accept.",
            ),
            "join": (
                "marvin has joined you. Your running match was loaded.",
                "Starting a new game with marvin.",
                "** The match is already over.",
            ),
            "board": (OVER,),
        }
    ),
    "a finished match, joined at each login": lambda: scripted(
        _KNOWN | {"set": (OVER,), "show": _SAVED, "board": ("** The match is already over.",)}
    ),
    "a board that cannot be true": lambda: scripted(
        _KNOWN | dict.fromkeys(("join", "board"), (*PLAYING, OURS.replace(":-2:", ":-3:"))), 60.0
    ),
    "our turn, and nothing helps": lambda: scripted(
        _KNOWN | {"join": (*BEGINS, OURS), "board": (OURS,)}
    ),
}
