"""Matches that every foreign format can carry."""

from __future__ import annotations

from dataclasses import replace

from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    settled,
)

SEEDS = (*range(9000, 9030), 9040, 9061, 9188, 9231, 9273, 9290, 9492)  # the last for money


def plain(match: Match) -> Match | None:
    """The match as these formats can tell it: nobody refuses a resignation; no beavers."""
    games = []
    for game in match.games:
        actions: list[Action] = []
        for action in settled(game):
            if isinstance(action, Resignation) and action.step is ResignStep.REJECTED:
                actions.pop()
            elif not isinstance(action, Interruption):
                actions.append(action)
        if any(isinstance(each, Cube) and each.step is CubeStep.BEAVER for each in actions):
            return None
        games.append(replace(game, actions=tuple(actions)))
    return replace(match, players=(Player("anna"), Player("ben")), games=tuple(games))
