"""The actions of a player: the order of the questions, and the check of every answer.

Everything that plays backgammon here calls `act` and translates the Action into its own words.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from sixprime.engine.game import Action, Answer, BeforeRoll, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.players import BackgammonPlayer, turns_of_cube
from sixprime.engine.system.errors import SixprimeError

if TYPE_CHECKING:
    from sixprime.engine.position import Dice, MatchState, Play, Position


class IllegalAnswer(SixprimeError, ValueError):
    """A player's answer breaks the rules."""


def act(
    player: BackgammonPlayer,
    position: Position,
    match: MatchState,
    *,
    may_resign: bool = False,
    may_double: bool = True,
) -> Action:
    """Return the action of the seat `match.to_act`; IllegalAnswer if it breaks the rules.

    The player first answers an offer to resign, then a double. Otherwise it may resign where the
    caller allows that; then it plays its roll, or without one doubles or rolls. A player without a
    choice is not asked. `may_double` False forbids a double that the rules allow. A beaver that the
    rules do not allow counts as a take, an offer of other than 1 to 3 games as none.
    """
    if match.resigned:
        accepts = player.accept(position, match)
        return ResignAnswer.ACCEPT if accepts else ResignAnswer.DECLINE
    if match.doubled:
        answer = player.answer(position, match)
        return Answer.TAKE if answer is Answer.BEAVER and not _may_beaver(match) else answer
    if may_resign and (games := player.resign(position, match)) in (1, 2, 3):
        return ResignOffer(games)
    if match.dice is not None:
        return CheckerPlay(_play(player, position, match, match.dice))
    doubles = may_double and match.may_double() and player.double(position, match)
    return BeforeRoll.DOUBLE if doubles else BeforeRoll.ROLL


def _may_beaver(match: MatchState) -> bool:
    return match.length == 0 and turns_of_cube(match) <= match.beavers


def _play(player: BackgammonPlayer, position: Position, match: MatchState, dice: Dice) -> Play:
    plays = {legal.result: legal.play for legal in legal_plays(position, dice)}
    if () in plays.values():
        return ()
    chosen = player.play(position, match)
    if not chosen or (result := position.after(chosen)) not in plays:
        raise IllegalAnswer(f"{chosen} is not a legal play of {dice}")
    return plays[result]


class Stopgap:
    """A player without thought, for questions that no other player answers."""

    def __init__(self, dice: random.Random | None = None) -> None:
        self._dice = dice or random.Random()

    def play(self, position: Position, match: MatchState) -> Play:
        assert match.dice is not None
        return self._dice.choice(legal_plays(position, match.dice)).play

    def double(self, position: Position, match: MatchState) -> bool:
        return False

    def answer(self, position: Position, match: MatchState) -> Answer:
        return Answer.TAKE

    def resign(self, position: Position, match: MatchState) -> int:
        return 0

    def accept(self, position: Position, match: MatchState) -> bool:
        """Accept only a backgammon: no play can win more."""
        return match.resigned == 3
