"""Positions and their IDs in every notation."""

from __future__ import annotations

import random

from sixprime.engine.position import MatchState, Phase, Position


def random_position(draw: random.Random) -> Position:
    """Checkers anywhere; some borne off, often stacked, sometimes on the bar."""
    mine, theirs = [0] * 25, [0] * 25
    for side, facing in ((mine, theirs), (theirs, mine)):
        for _ in range(draw.choice((1, 2, 7, 14, 15, 15, 15))):
            place = draw.randrange(25)
            if place == 24 or not facing[23 - place]:
                side[place] += 1
    if not any(mine) and not any(theirs):
        return Position.start()
    return Position(tuple(mine), tuple(theirs))


def random_match(draw: random.Random) -> MatchState:
    """Any state that a Match ID can hold."""
    length = draw.choice((0, 0, draw.randint(1, 64)))
    highest = length or 32767
    score = (draw.randint(0, highest), draw.randint(0, highest))
    on_roll = draw.randint(0, 1)
    doubled = draw.random() < 0.1
    resigned = draw.randint(1, 3) if draw.random() < 0.1 else 0
    rolled = not doubled and draw.random() < 0.5
    dice = (draw.randint(1, 6), draw.randint(1, 6))
    cube = 1 << draw.randint(0, 15)
    return MatchState(
        length=length,
        score=score,
        on_roll=on_roll,
        to_act=1 - on_roll if doubled or resigned else on_roll,
        dice=(max(dice), min(dice)) if rolled else None,
        cube=cube,
        cube_owner=draw.choice((None, 0, 1)),
        doubled=doubled,
        resigned=resigned,
        crawford=length > 1 and length - 1 in score and draw.random() < 0.5,
        jacoby=length == 0 and draw.random() < 0.5,
        phase=draw.choice(list(Phase)) if draw.random() < 0.2 else Phase.PLAYING,
    )


def in_xgid(match: MatchState, draw: random.Random) -> MatchState:
    """The nearest state that an XGID can hold, with what a Match ID cannot."""
    unfinished = match.length == 0 or max(match.score) < match.length
    return match.with_(
        score=match.score if unfinished else (0, 0),
        crawford=match.crawford and unfinished,
        cube=min(match.cube, 1 << 12),
        resigned=0,
        to_act=1 - match.on_roll if match.doubled else match.on_roll,
        phase=Phase.PLAYING,
        beavers=draw.choice((0, 3)) if match.length == 0 else 0,
        max_cube=draw.choice((None, None, 1, 4, 512)),
    )


# The beginning of scripts for gnubg's own interpreter: it does nothing by itself any more.
QUIET_GNUBG = """
import gnubg, json, sys
for command in (
    "set automatic game off", "set automatic roll off", "set player 0 human",
    "set player 1 human", "set display off", "set confirm new off", "new session",
):
    gnubg.command(command)
"""


def states_for_gnubg(draw: random.Random, count: int) -> list[tuple[Position, MatchState]]:
    """What gnubg can restore: no doubles and no resignations, and no cube in a Crawford game."""
    states: list[tuple[Position, MatchState]] = []
    while len(states) < count:
        position, match = random_position(draw), in_xgid(random_match(draw), draw)
        if position.is_over() or match.doubled or max(match.score) > 500:
            continue  # gnubg cuts long XGIDs off
        if match.crawford:
            match = match.with_(cube=1, cube_owner=None)
        states.append((position, match.with_(max_cube=None)))
    return states
