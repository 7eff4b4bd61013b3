"""What the server still knows of the last game, when we did not hear how it ended.

A bot that dies, or a connection that breaks, between the server's last word on a game and our
note of it leaves a gap that no board explains. `oldmoves` lists the last finished game of an
account: `Recall` takes down the answer, and `merged` puts it together with what was kept.
"""

from __future__ import annotations

from dataclasses import replace

from bot.keeper import Who
from bot.matchdigest import moved
from protocols import oldmoves
from protocols.fibs.messages import Message, Notice, OldMove, OldScore, OldSeats
from protocols.record import (
    Action,
    BadMatchFile,
    Cube,
    Game,
    Interruption,
    Match,
    Resignation,
    ResignStep,
    Setup,
    Turn,
    settled,
)

US = 0
MOST_LINES = 2_000


class Recall:
    """The answer to `oldmoves`, while it comes; `until` is when to give it up."""

    def __init__(self, who: Who, until: float) -> None:
        self.who = who
        self.until = until
        self.is_over = False
        self._x = self._o = ""
        self._lines: list[str] = []

    def hear(self, message: Message) -> None:
        """Take down what belongs to the answer."""
        match message:
            case OldScore(score, other, length):
                kind = f"a {length} point match" if length else "an unlimited match"
                self._lines = [f"Score is {score}-{other} in {kind}."]
            case OldSeats(x, o) if len(self._lines) == 1:
                self._x, self._o = x, o
                self._lines.append("x is X - o is O.")
            case OldMove(seat, text) if 2 <= len(self._lines) < MOST_LINES:
                self._lines.append(f"{seat}: {text}")
                self.is_over = text.startswith("wins")
            case Notice(text) if not self._lines and " game" in text:
                self.is_over = True  # in words that differ from server to server: there is none

    def game(self) -> Game | None:
        """The game, seat 0 the account; None if it is not one of these two players."""
        seats = {self._x, self._o}
        if not self.is_over or seats != {self.who.account, self.who.opponent}:
            return None
        try:
            (match,) = oldmoves.read("\n".join(self._lines))
        except (BadMatchFile, ValueError):
            return None
        return _turned(match) if self._o == self.who.account else match.games[0]


def _turned(match: Match) -> Game:
    """With the seats changed."""
    (game,) = match.games
    result = game.result
    return replace(
        game,
        score=game.score[::-1],
        actions=tuple(_on_the_other_seat(action) for action in game.actions),
        result=None if result is None else replace(result, winner=1 - result.winner),
    )


def _on_the_other_seat(action: Action) -> Action:
    if isinstance(action, Setup):  # never in oldmoves
        return action
    return replace(action, seat=1 - action.seat)


def merged(known: Game, told: Game) -> Game | None:
    """The game as told, with the analyses and interruptions that were kept; None if another game.

    It is the same game if the plays and cube actions that were kept stand in it in their order.
    Resignations do not count: one is made up where the end of a game was missed.
    """
    if told.score not in (known.score, known.score[::-1]):
        return None  # servers print the two numbers either way round
    actions: list[Action] = []
    waiting = list(told.actions)
    lasting = settled(known)
    for action in settled(known, every_offer=True):
        if isinstance(action, Interruption):
            actions.append(action)
            continue
        at = next((i for i, each in enumerate(waiting) if _same(each, action)), None)
        if at and action not in lasting:
            continue  # an offer that was taken back, and another one that was not
        if at is not None:
            actions += [*waiting[:at], action]
            del waiting[: at + 1]
            if _is_offer(action) and waiting and isinstance(waiting[0], Resignation):
                actions.append(waiting.pop(0))  # answered, before we heard of anything else
        elif isinstance(action, Cube) or (isinstance(action, Turn) and action.play is not None):
            return None
    return replace(known, actions=(*actions, *waiting), result=None)


def _is_offer(action: Action) -> bool:
    return isinstance(action, Resignation) and action.step is ResignStep.OFFERED


def _same(one: Action, other: Action) -> bool:
    match one, other:
        case Turn(), Turn():
            plays = [None if each.play is None else moved(each.play) for each in (one, other)]
            same_dice = sorted(one.dice) == sorted(other.dice)
            return one.seat == other.seat and same_dice and plays[0] == plays[1]
        case Cube(), Cube():
            return (one.seat, one.step) == (other.seat, other.step)
        case Resignation(), Resignation():
            return (one.seat, one.step) == (other.seat, other.step)
    return False
