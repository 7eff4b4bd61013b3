"""A match while a file is being read: every action is checked against the board as it comes."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from sixprime.engine.position import Dice, Position
from sixprime.protocols.formats.ids import BEAVERS, MAX_LENGTH
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    BadRecord,
    Cube,
    CubeStep,
    Ending,
    Game,
    Match,
    Resignation,
    ResignStep,
    Rules,
    SetBoard,
    Turn,
    is_crawford,
)
from sixprime.protocols.formats.replay import Replay, games_of, outcome


class MatchDraft:
    """The games of a match as they are read; `match` is what is known besides them."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.games: list[Draft] = []
        self._crawford_seen = False

    def begin(self, line: int, score: tuple[int, int]) -> None:
        """Begin another game; the first that can be the Crawford game is taken to be it."""
        length, rules = self.match.length, self.match.rules
        crawford = is_crawford(length, score, rules, self._crawford_seen)
        self._crawford_seen |= crawford
        self.games.append(Draft(line, length, rules, Game(score, crawford)))

    def done(self) -> Match:
        """The match as far as it was read: results may show that the Jacoby rule was in force.

        A game that somebody doubled in cannot be the Crawford game: that one is not in the file.
        """
        pairs = zip_longest(self.games, self.games[1:])
        jacoby = self.match.rules.jacoby or any(one.shows_jacoby(next_) for one, next_ in pairs)
        match = replace(self.match, rules=replace(self.match.rules, jacoby=jacoby))
        games = []
        for game in (draft.done() for draft in self.games):
            doubled = any(isinstance(action, Cube) for action in game.actions)
            crawford = game.crawford and not doubled
            games.append(replace(game, crawford=crawford, result=outcome(match, game)))
        return with_beavers(replace(match, games=tuple(games)))


class Draft:
    """A game as it is read; `line` is where it begins."""

    def __init__(self, line: int, length: int, rules: Rules, game: Game) -> None:
        self.length = length
        self.rules = rules
        self.game = game
        try:
            self.replay = Replay(length, rules, game)
        except BadRecord as error:
            raise BadMatchFile(line, str(error)) from error
        self.actions: list[Action] = list(game.actions)
        self.said_points: int | None = None  # what the file says the winner got

    def add(self, line: int, action: Action) -> None:
        """One action; BadMatchFile with this line if it cannot have happened."""
        try:
            self.replay.apply(action)
        except BadRecord as error:
            raise BadMatchFile(line, str(error)) from error
        self.actions.append(action)

    def roll(self, line: int, turn: Turn) -> None:
        """Add a turn, and before it the take that files omit after a beaver."""
        state = self.replay.state
        if state.doubled and self.actions and _is_beaver(self.actions[-1]):
            self.add(line, Cube(state.to_act, CubeStep.TAKE))
        self.add(line, turn)

    def turn_cube(self, line: int, cube: Cube) -> None:
        """Add a double or its answer; doubling a double is a beaver."""
        if cube.step is CubeStep.DOUBLE and self.replay.state.doubled:
            cube = replace(cube, step=CubeStep.BEAVER)
        self.add(line, cube)

    def take_back(self) -> None:
        """Drop the open offer to resign, left unanswered because a connection broke."""
        if self.replay.state.resigned:
            self.replay.take_back()
            self.actions.pop()

    def drop_roll(self, line: int, seat: int, dice: Dice | None = None) -> None:
        """Forget dice that lie unplayed if somebody else goes on, or with other dice or the cube.

        `set turn` and `set dice` leave such rolls behind in what gnubg saves.
        """
        last = self.actions[-1] if self.actions else None
        if not isinstance(last, Turn) or last.play is not None or self.replay.result is not None:
            return
        if seat == last.seat and dice is not None and sorted(dice) == sorted(last.dice):
            return
        self.actions.pop()
        begun = bool(self.actions) and not isinstance(self.actions[-1], SetBoard)
        self.replay.drop_roll(begun=begun)
        if begun and seat != last.seat:  # out of turn: only a board set by hand can say so
            state, position = self.replay.state, self.replay.position.flipped()
            self.add(line, SetBoard(seat, position, state.cube, state.cube_owner))

    def position_of(self, seat: int) -> Position:
        """The board as this seat sees it now, assuming it is on roll."""
        replay = self.replay
        return replay.position if seat == replay.state.on_roll else replay.position.flipped()

    def won(self, line: int, winner: int, points: int | None) -> None:
        """The file says who won: add a resignation, unless the board shows the win already."""
        self.said_points = points
        result = self.replay.result
        if result is None:
            games = 1 if points is None else games_of(points, self.replay.state.cube)
            if not self.replay.state.resigned:
                self.add(line, Resignation(1 - winner, ResignStep.OFFERED, games))
            self.add(line, Resignation(winner, ResignStep.ACCEPTED, self.replay.state.resigned))
        elif result.winner != winner:
            raise BadMatchFile(line, "this player has not won the game")

    def done(self) -> Game:
        """The game as far as it was read."""
        return replace(self.game, actions=tuple(self.actions), result=self.replay.result)

    def may_show_jacoby(self) -> bool:
        """Is this a gammon that is worth a single game under the Jacoby rule?"""
        result, state = self.replay.result, self.replay.state
        return (
            self.length == 0
            and result is not None
            and result.ending is Ending.BORNE_OFF
            and result.points > state.cube
            and state.cube_owner is None
        )

    def shows_jacoby(self, following: Draft | None) -> bool:
        """Did such a gammon count as a single game, by the file's result or by the next score?"""
        result, cube = self.replay.result, self.replay.state.cube
        if result is None or not self.may_show_jacoby():
            return False
        seat = result.winner
        gain = following.game.score[seat] - self.game.score[seat] if following else None
        return cube in (self.said_points, gain)


def with_beavers(match: Match) -> Match:
    """The match, with beavers allowed where one was made: no format says it in words."""
    if match.length or not any(map(_is_beaver, (a for game in match.games for a in game.actions))):
        return match
    return replace(match, rules=replace(match.rules, beavers=max(match.rules.beavers, BEAVERS)))


def _is_beaver(action: Action) -> bool:
    return isinstance(action, Cube) and action.step is CubeStep.BEAVER


def check_length(line: int, length: int) -> None:
    """BadMatchFile if no match is that long."""
    if length > MAX_LENGTH:
        raise BadMatchFile(line, f"matches go up to {MAX_LENGTH} points, not {length}")
