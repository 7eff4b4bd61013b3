"""Boards of gnubg's external player protocol."""

from __future__ import annotations

import random
from functools import cache

from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.engines.external import (
    ExternalBoard,
)
from tests.support.gnubg.client import (
    board_line,
)
from tests.support.places import INTEROP

GOLDEN = INTEROP / "external-match-3pt.txt"
START = (
    "board:ext:gnu:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:"
    "-1:4:1:4:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
DOUBLE = (
    "board:gnu:ext:3:0:1:0:-3:-1:0:2:0:4:0:2:0:0:0:-4:5:0:0:1:-1:-2:-3:-1:0:0:0:1:0:"
    "1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)


def recorded() -> list[tuple[str, bytes]]:
    """Who sent which bytes."""
    found = []
    for line in GOLDEN.read_text().splitlines():
        if line[:4] in ("G>E ", "E>G "):
            raw = line[4:].replace("\\n", "\n").replace("\\0", "\0").encode("ascii")
            found.append((line[:3], raw))
    return found


def with_fields(line: str, fields: dict[int, int]) -> str:
    """Some fields replaced, numbered from 0, the word `board`."""
    parts = line.split(":")
    for number, value in fields.items():
        parts[number] = str(value)
    return ":".join(parts)


def drawn(board: ExternalBoard, colour: int, direction: int) -> str:
    """The line of the same board with other signs and the points in another order."""
    fields = [0, 0, 0, *map(int, board_line(board).split(":")[3:])]
    places = fields[6:32] if direction < 0 else fields[31:5:-1]
    changed = {6 + i: colour * count for i, count in enumerate(places)}
    changed |= {32: colour * fields[32], 41: colour, 42: direction}
    return with_fields(board_line(board), changed)


@cache
def met_in_games() -> tuple[Position, ...]:
    """Every position of a few random games."""
    draw = random.Random(7)
    found = []
    for _ in range(6):
        position = Position.start()
        while not position.is_over():
            found.append(position)
            dice = (draw.randint(1, 6), draw.randint(1, 6))
            position = draw.choice(legal_plays(position, dice)).result.flipped()
    return tuple(found)


def random_board(draw: random.Random) -> ExternalBoard:
    """A position of a random game, any score and cube."""
    position = draw.choice(met_in_games())
    length = draw.choice((0, 1, 5, 7, 64))
    score = (draw.randrange(length or 20), draw.randrange(length or 20))
    on_roll, doubled = draw.randint(0, 1), draw.random() < 0.2
    cube = 1 << draw.randint(0, 4)
    owners = (on_roll,) if doubled else (0, 1)
    dice = (draw.randint(1, 6), draw.randint(1, 6))
    match = MatchState(
        length=length,
        score=score,
        on_roll=on_roll,
        to_act=1 - on_roll if doubled else on_roll,
        dice=dice if not doubled and draw.random() < 0.7 else None,
        cube=cube,
        cube_owner=None if cube == 1 else draw.choice(owners),
        doubled=doubled,
        crawford=length > 1 and length - 1 in score and draw.random() < 0.5,
        jacoby=length == 0,
        beavers=0 if length else 3,
    )
    return ExternalBoard(("ext", "gnu"), position, match)
