"""Analyses that an .xg file carries."""

from __future__ import annotations

from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import Cube, Match, Turn
from sixprime.protocols.formats.replay import moments
from tests.support.formats.xgfiles import Said


def thoughts(match: Match) -> dict[tuple[int, int], Said]:
    """Something to think of every turn: three plays, the cube, luck."""
    found = {}
    for number, game in enumerate(match.games):
        for index, moment in enumerate(moments(match, game)):
            turn = moment.action
            if isinstance(turn, Turn) and turn.play is not None:
                better = [each.play for each in legal_plays(moment.position, turn.dice)[:2]]
                plays = [
                    (play, level, (0.5, 0.125, 0.015625, 0.25, 0.03125, 0.25 - rank / 16))
                    for rank, (play, level) in enumerate(
                        zip([*better, turn.play], (1002, 3, 1), strict=False)
                    )
                ]
                cube = (0.25, -0.125, 3) if index else None
                found[number, index] = Said(plays, cube, luck=(index % 5) / 8)
            elif isinstance(turn, Cube):
                found[number, index] = Said(cube=(0.5, 0.75, 1001))
    return found
