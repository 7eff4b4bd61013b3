"""Everything a server can say, rendered from our own tables, and much that none should say."""

from __future__ import annotations

import random
from collections.abc import Callable

from sixprime.protocols.fibs.wire.account import SavedMatch
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.tables import NUMBERED, PROMPTS, PROSE
from sixprime.protocols.fibs.wire.templates import OptionalText, Part, Template, TemplateField

US = "sixbot"
OPPONENTS = ("marvin", "trillian")
STRANGERS = ("ford", "zaphod_b", "RepBotNG", "You", "slarti-7", "x" * 40)
NUMBERS = (
    "0",
    "1",
    "1",
    "2",
    "2",
    "3",
    "4",
    "5",
    "7",
    "9",
    "15",
    "64",
    "-1",
    "9999",
    "123456789012",
)
TIME = "Saturday, October 15 17:01:02 MEST   ( Sat Oct 15 15:01:02 2016 UTC )"
ROWS = (*(row for rows in NUMBERED.values() for row in rows), *PROSE)
SAVED_ROW = next(row for row in PROSE if row.message is SavedMatch)
TALK = tuple(row for number in (9, *range(12, 17), 20) for row in NUMBERED[number])

Dice = random.Random


def name(dice: Dice) -> str:
    """Ours, an opponent's, a known stranger's, or one never heard before."""
    chance = dice.random()
    if chance < 0.25:
        return US
    if chance < 0.75:
        return dice.choice(OPPONENTS)
    return dice.choice(STRANGERS) if chance < 0.98 else f"guest{dice.randrange(10**6)}"


def text(dice: Dice) -> str:
    """What people say: often the words of the server."""
    chance = dice.random()
    if chance < 0.5:
        return line(dice)
    return dice.choice(
        ("hello", "help", "stats?", "level", "are you a bot?", "roll please!", "", "no")
    )


def _number(dice: Dice) -> str:
    return dice.choice(NUMBERS)


def _counted(noun: str) -> Callable[[Dice], str]:
    return lambda dice: f"{_number(dice)} {noun}{dice.choice(('', 's'))}"


def _steps(dice: Dice) -> str:
    places = ("bar", "off", *(str(n) for n in range(1, 25)))
    return " ".join(
        f"{dice.choice(places)}-{dice.choice(places)}" for _ in range(dice.choice((1, 2, 2, 4)))
    )


def _die(dice: Dice) -> str:
    return str(dice.randint(1, 6))


def _match(wording: str) -> Callable[[Dice], str]:
    def written(dice: Dice) -> str:
        length = dice.choice(("1", "1", "3", "5", "5", "9", "64", None))
        return "unlimited match" if length is None else wording.format(length)

    return written


# by the name of a template's kind
KINDS: dict[str, Callable[[Dice], str]] = {
    "name": name,
    "name?": lambda dice: "-" if dice.random() < 0.5 else name(dice),
    "user15": lambda dice: f"{name(dice):<15}",
    "user>15": lambda dice: f"{name(dice):>15}",
    "int": _number,
    "flag": lambda dice: dice.choice("01"),
    "yes": lambda dice: dice.choice(("YES", "NO")),
    "rating": lambda dice: dice.choice(("1500.00", "1812.50", "-3.5", "0.00", "99999.99")),
    "points": _counted("point"),
    "points?": _counted("point"),
    "pieces": _counted("piece"),
    "users": _counted("user"),
    "games": lambda dice: dice.choice(("no saved games", "1 saved game", "3 saved games")),
    "match": _match("a {} point match"),
    "matchof": _match("{} point match"),
    "theirmatch": _match("their {}-point match"),
    "length": _match("match length: {}"),
    "dice": lambda dice: f"{_die(dice)} and {_die(dice)}",
    "die": _die,
    "steps": lambda dice: _steps(dice) + " ",
    "toggle15": lambda dice: (
        f"{dice.choice(('ready', 'double', 'greedy', 'moreboards', 'new')):<15}"
    ),
    "variable": lambda dice: dice.choice(("boardstyle", "linelength", "redoubles", "new")),
    "stars": lambda dice: dice.choice((" *", "**", "  ")),
    "length>10": lambda dice: f"{dice.choice(('1', '5', '9', 'unlimited')):>10}",
    "int>17": lambda dice: f"{dice.randrange(10):>17}",
    "int>2": lambda dice: f"{dice.randrange(10):>2}",
    "seat": lambda dice: dice.choice("OX"),
    "value": lambda dice: dice.choice(("3", "'none'", "0", "UTC")),
    "word": lambda dice: dice.choice(("host.example.com", "board", "time", "leave", "-", US)),
    "word?": lambda dice: dice.choice(("", "host.example.com", "-")),
    "lazy": name,
    "quoted": lambda dice: dice.choice(("board", "b", "time", "leave", "rawwho", "login", "?")),
    "text": text,
    "rest": lambda dice: "",
}


def rendered(row: Template, dice: Dice) -> str:
    """A line of this form."""
    return "".join(_written(part, dice) for part in row.parts)


def _written(part: Part, dice: Dice) -> str:
    if isinstance(part, OptionalText):
        there = dice.random() < (0.9 if part.usual else 0.2)
        return "".join(_written(each, dice) for each in part.parts) if there else ""
    return KINDS[part.kind](dice) if isinstance(part, TemplateField) else part


def line(dice: Dice) -> str:
    """One line of any kind."""
    return rendered(dice.choice(ROWS), dice)


def chat(dice: Dice) -> str:
    """Somebody says something."""
    return rendered(dice.choice(TALK), dice)


def board(dice: Dice) -> str:
    """A board that may be true, of any match at any time; a few cannot be true."""
    ours, theirs = _checkers(dice)
    points = [0] * 26
    colour, direction = dice.choice((1, -1)), dice.choice((1, -1))
    for place in ours:
        points[place] += colour
    free = [place for place in range(1, 25) if not points[place]]
    for _ in theirs:
        points[dice.choice(free)] -= colour
    length = dice.choice((None, 1, 1, 3, 5, 5, 9))
    score = (dice.choice((0, 0, 1, 2, 4, 5)), dice.choice((0, 0, 1, 2, 4, 5)))
    rolled = (dice.randint(1, 6), dice.randint(1, 6)) if dice.random() < 0.5 else (0, 0)
    turn = dice.choice((1, 1, 1, -1, -1, -1, 0))
    mine = rolled if turn == colour or dice.random() < 0.1 else (0, 0)
    made = FibsBoard(
        "You" if dice.random() < 0.9 else name(dice),
        name(dice) if dice.random() < 0.2 else dice.choice(OPPONENTS),
        length,
        score,
        tuple(points),
        turn,
        dice=mine,
        opponent_dice=rolled if turn == -colour else (0, 0),
        cube=dice.choice((1, 1, 1, 2, 4)),
        may_double=dice.choice(((True, True), (True, False), (False, True), (False, False))),
        was_doubled=dice.random() < 0.1,
        colour=colour,
        direction=direction,
        off=(15 - len(ours), 15 - len(theirs)),
        can_move=dice.choice((0, 0, 1, 2, 4)),
        did_crawford=dice.random() < 0.1,
    ).line()
    if dice.random() < 0.1:  # a broken one
        fields = made.split(":")
        fields[dice.randrange(len(fields))] = _number(dice)
        made = ":".join(fields)
    return made


def _checkers(dice: Dice) -> tuple[list[int], list[int]]:
    count = dice.choice((15, 15, 15, 8, 2, 0)), dice.choice((15, 15, 15, 8, 2, 0))
    few = dice.sample(range(1, 25), 8)
    return [dice.choice(few) for _ in range(count[0])], [0] * count[1]


def who(dice: Dice, who_is_it: str, opponent: str = "-") -> str:
    """A who line."""
    return f"5 {who_is_it} {opponent} - 1 0 1612.50 {dice.choice((0, 40, 900))} 0 1700000000 h c -"


def begins(dice: Dice, shown: str) -> list[str]:
    """A match begins, by whatever words; `shown` is its board."""
    opponent = dice.choice(OPPONENTS)
    first = dice.choice(
        (
            f"** You are now playing a 5 point match with {opponent}",
            f"** Player {opponent} has joined you for a 1 point match.",
            f"You are now playing with {opponent}. Your running match was loaded.",
            f"{opponent} has joined you. Your running match was loaded.",
        )
    )
    start = [f"Starting a new game with {opponent}.", "You rolled 2, marvin rolled 6"]
    return [first, who(dice, US, opponent), "6", *start, shown]


def ends(dice: Dice) -> list[str]:
    """A game, a match, or its being saved."""
    opponent = dice.choice(OPPONENTS)
    free = [who(dice, US), "6"]
    return dice.choice(
        (
            [
                "You win the game and get 1 point. Congratulations!",
                "You win the 5 point match 5-3 .",
            ],
            ["You win the game and get 0 points. Congratulations!"],
            [f"{opponent} wins the game and gets 2 points. Sorry.", *_NEXT_GAME],
            ["** You terminated the game. The game was saved.", *free],
            [f"** Player {opponent} has left the game. The game was saved."],
            [f"{opponent} wins the 5 point match 5-3 .", *free],
            ["** The match is already over."],
        )
    )


_NEXT_GAME = (
    f"score in 5 point match: {US}-1 marvin-2",
    "Type 'join' if you want to play the next game, type 'leave' if you don't.",
)


def invites(dice: Dice) -> list[str]:
    """Somebody invites us."""
    opponent = name(dice)
    match = dice.choice(("play a 1 point match", "play a 3 point match", "resume a saved match"))
    lines = [f"{opponent} wants to {match} with you.", f"Type 'join {opponent}' to accept."]
    if dice.random() < 0.1:
        lines.insert(1, "** WARNING: Don't accept if you want to continue your saved match!")
    return lines


def saved(dice: Dice) -> list[str]:
    """The list of our saved matches."""
    head = "  opponent          matchlength   score (your points first)"
    return [head, *(rendered(SAVED_ROW, dice) for _ in range(dice.randrange(4)))]


WHOLE = (invites, saved, ends)


def says(dice: Dice, shown: Callable[[], str]) -> list[str]:
    """One thing: a line, a board, talk, or a few lines that belong together."""
    chance = dice.random()
    if chance < 0.35:
        return [line(dice)]
    if chance < 0.55:
        return [shown()]
    if chance < 0.65:
        return [chat(dice)]
    if chance < 0.75:
        return begins(dice, shown())
    if chance < 0.8:
        return [who(dice, US, dice.choice(("-", *OPPONENTS))), "6"]
    if chance < 0.82:
        return [dice.choice((TIME, *PROMPTS, "", "> ", "6", "4", "3"))]
    return dice.choice(WHOLE)(dice)


def as_bytes(lines: list[str], dice: Dice) -> bytes:
    """On the wire: mostly as it should be."""
    end = (
        "\r\n" if dice.random() < 0.95 else dice.choice(("\n", "\n\r", "\r\r\n", "\r", " \r\n", ""))
    )
    data = "".join(each + end for each in lines).encode(
        "latin-1" if dice.random() < 0.97 else dice.choice(("utf-16", "utf-8")), "replace"
    )
    if dice.random() < 0.03:  # telnet, escapes, junk, half a line
        place = dice.randrange(len(data) + 1)
        junk = (
            b"\xff\xfd\x01",
            b"\xff\xfa\x56\xff\xf0",
            b"\x1b[2J",
            b"\x00",
            b"\x07" * 9,
            b"> > ",
            bytes(range(128, 160)),
        )
        data = data[:place] + dice.choice(junk) + data[place:]
    if dice.random() < 0.02:
        data = data[: dice.randrange(len(data) + 1)]
    return data
