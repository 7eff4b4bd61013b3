"""A match that people enter by hand, one action at a time.

The record is all there is. Every action is checked against the board, an illegal play is kept on
request, and the last action can be taken back as often as there is one. `engine.game` and `replay`
have the rules.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from itertools import takewhile

from sixprime.engine.game import is_crawford
from sixprime.engine.position import Dice, MatchState, Play, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.draft import as_played
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.notation import NO_PLAY, format_steps, parse_play
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.replay import Replay, outcome, replayed


class Asks(Enum):
    """An action to wait for; its value is the answer to any other action."""

    OPENING = "Enter the dice of the opening first."
    ROLL = "Your turn: roll or double."
    PLAY = "Your move."
    ANSWER = "Take or drop first."
    RESIGNATION = "Accept the resignation or play on."
    ENGINE = "It is the engine's turn."
    DICE = "Enter the engine's dice first."
    NEXT_GAME = "The next game has not begun."
    KEEPING = "The match is won: take something back, or end it."
    NOTHING = "The match is over."


class HandMatch:
    """A match of which both seats are entered by hand."""

    record: Match
    over: bool = False  # nothing more is entered
    _replayed: tuple[Game, Replay] | None = None

    def __init__(self, record: Match) -> None:
        self.record = record
        if not record.games:
            self._add_game()

    # --- where the match stands

    @property
    def game(self) -> Game:
        """Return the game in play, or the last one."""
        return self.record.games[-1]

    def replay(self) -> Replay:
        """Return the game as it stands; do not change it."""
        if self._replayed is None or self._replayed[0] is not self.game:
            rules = self.record.rules
            self._replayed = self.game, replayed(self.record.length, rules, self.game)
        return self._replayed[1]

    @property
    def asks(self) -> Asks:
        if self.is_over:
            return Asks.NOTHING
        if self.game.result is not None:
            is_won = self.record.length and self.record.finished
            return Asks.KEEPING if is_won else Asks.NEXT_GAME
        if not self.game.actions:
            return Asks.OPENING
        state = self.replay().state
        if state.resigned:
            return Asks.RESIGNATION
        if state.doubled:
            return Asks.ANSWER
        return Asks.ROLL if state.dice is None else Asks.PLAY

    @property
    def seat(self) -> int:
        """Return the seat whose turn it is to act."""
        return self.replay().state.to_act

    @property
    def is_over(self) -> bool:
        """Return whether the match is won, or its entry is over."""
        return self.over or self.record.ended is not None

    @property
    def turned(self) -> int:
        """Count the turns of the cube in a row: 1 is a double, 2 a beaver, 3 a raccoon."""
        last = reversed(self.game.actions)
        return sum(1 for _ in takewhile(lambda action: isinstance(action, Cube), last))

    @property
    def may_beaver(self) -> bool:
        return self.asks is Asks.ANSWER and self.turned <= self.replay().state.beavers

    @property
    def may_double(self) -> bool:
        """Return whether the cube may be turned now, even if it is dead."""
        return self.asks is Asks.ROLL and self.replay().state.may_double(dead_cube=True)

    @property
    def may_take_back(self) -> bool:
        games = self.record.games
        if not games[-1].actions:
            return len(games) > 1 or games[-1].cube > 1
        return not isinstance(games[-1].actions[-1], SetBoard)

    def rolled(self) -> tuple[Position, Dice]:
        """Return the board and the dice to be played."""
        replay = self.replay()
        assert replay.state.dice is not None
        return replay.position, replay.state.dice

    # --- entries

    def enter(self, dice: Dice) -> None:
        """Enter a roll; in the opening the die of seat 0 is the first, and a tie may double."""
        if self.asks in (Asks.OPENING, Asks.NEXT_GAME):
            is_tie = dice[0] == dice[1]
            if is_tie and not self._tie_doubles:
                raise InputError("Equal dice do not decide who begins. Roll again.")
            if self.asks is Asks.NEXT_GAME:
                self._add_game()
            if is_tie:
                self._double_automatically()
            else:
                self.open(dice)
        elif self.asks is Asks.ROLL:
            self.act(Turn(self.seat, dice))
        else:
            raise InputError(f"No dice are needed now. {self.asks.value}")

    def open(self, dice: Dice) -> None:
        """Begin the game with its opening roll."""
        self.act(Turn(int(dice[0] < dice[1]), dice))

    def legal_play(self, text: str) -> Play:
        """Return the legal play that a text means; BadPlay says why there is none."""
        self._expect(Asks.PLAY)
        position, dice = self.rolled()
        return parse_play(text, position, dice, legal_plays(position, dice)).play

    def put(self, play: Play) -> None:
        """Make a legal play of the dice."""
        self._expect(Asks.PLAY)
        _, dice = self.rolled()
        self._played(Turn(self.seat, dice, tuple(sorted(play, key=lambda step: -step.start))))

    def keep(self, hops: Sequence[Step]) -> None:
        """Make a play of moves of any length, even if it is illegal, which the record then says."""
        self._expect(Asks.PLAY)
        position, dice = self.rolled()
        turn = as_played(position, Turn(self.seat, dice), hops)
        if turn.illegal and len(turn.play or ()) < len(hops):
            written = format_steps(tuple(hops))
            raise InputError(f"Not even against the rules can anybody play {written} here.")
        self._played(turn)

    def keep_written(self, text: str) -> None:
        """Make a play as it is written, legal or not."""
        self.keep(() if text.strip().lower() in NO_PLAY else hops_in(0, text))

    def double(self) -> None:
        self._expect(Asks.ROLL)
        if not self.may_double:
            raise InputError("The cube may not be turned now.")
        self.act(Cube(self.seat, CubeStep.DOUBLE))

    def answer(self, *, take: bool) -> None:
        """Take or drop a double."""
        self._expect(Asks.ANSWER)
        self.act(Cube(self.seat, CubeStep.TAKE if take else CubeStep.DROP))

    def beaver(self) -> None:
        """Take a double and turn the cube again at once."""
        if not self.may_beaver:
            raise InputError("Nobody may beaver now.")
        self.act(Cube(self.seat, CubeStep.BEAVER))

    def resign(self, games: int, seat: int | None = None) -> None:
        """Offer to lose this many games; it is the player to act who does, or this seat."""
        if self.asks not in (Asks.ROLL, Asks.PLAY) or not 1 <= games <= 3:
            raise InputError("Nobody can resign so now.")
        self.act(Resignation(self.seat if seat is None else seat, ResignStep.OFFERED, games))

    def answer_resignation(self, *, accept: bool) -> None:
        self._expect(Asks.RESIGNATION)
        step = ResignStep.ACCEPTED if accept else ResignStep.REJECTED
        self.act(Resignation(self.seat, step, self.replay().state.resigned))

    def begin_game(self) -> None:
        """Begin the next game."""
        self._expect(Asks.NEXT_GAME)
        self._add_game()

    def finish(self) -> None:
        """End the entry of this match, won or not."""
        if self.is_over:
            raise InputError(Asks.NOTHING.value)
        self.over = True
        if self.record.started is not None:
            self.record = replace(self.record, ended=dt.datetime.now(dt.UTC))

    def take_back(self) -> None:
        """Take the last step back; a play that is taken back leaves its dice."""
        if self.is_over:
            self.over = False
            self.record = replace(self.record, ended=None)
            return
        if not self.may_take_back:
            raise InputError("There is nothing to take back.")
        games = list(self.record.games)
        if not games[-1].actions and games[-1].cube == 1:
            games.pop()
            self.record = replace(self.record, games=tuple(games))
            self.take_back()
            return
        before = self._before_last(games[-1])
        is_begun = before.actions or before.cube > 1
        games[-1:] = [before] if is_begun or len(games) == 1 else []
        self.record = replace(self.record, games=tuple(games))

    def take_turn_back(self) -> None:
        """Take the last action back; of a turn, the play with its dice."""
        actions = self.game.actions
        last = actions[-1] if actions else None
        self.take_back()
        if isinstance(last, Turn) and last.play is not None and self.asks is Asks.PLAY:
            self.take_back()

    # --- the record

    def act(self, action: Action) -> None:
        """Add an action; BadRecord if it is impossible."""
        self._keep((*self.game.actions, action))

    @property
    def _tie_doubles(self) -> bool:
        """Return whether equal dice before the coming game, or this one, turn the cube."""
        rules, cube = self.record.rules, self.game.cube if self.asks is Asks.OPENING else 1
        return self.record.length == 0 and cube < 2**rules.automatic_doubles

    def _double_automatically(self) -> None:
        """Turn the cube of a game that has not begun."""
        game = replace(self.game, cube=2 * self.game.cube)
        self.record = replace(self.record, games=(*self.record.games[:-1], game))

    def _before_last(self, game: Game) -> Game:
        """Return the game before its last step; without actions, before an automatic double."""
        if not game.actions:
            return replace(game, cube=game.cube // 2)
        *actions, last = game.actions
        before = replace(game, actions=tuple(actions), result=None)
        if isinstance(last, Turn) and last.play is not None:
            known = replayed(self.record.length, self.record.rules, before).state.dice
            if known is None:
                before = replace(before, actions=(*actions, Turn(last.seat, last.dice)))
        return before

    def _expect(self, asks: Asks) -> None:
        if self.asks is not asks:
            raise InputError(self.asks.value)

    def _add_game(self) -> None:
        games = self.record.games
        score = games[-1].score_after if games else (0, 0)
        played = any(game.crawford for game in games)
        crawford = self.record.rules.crawford and is_crawford(
            self.record.length, score, played_before=played
        )
        self.record = replace(self.record, games=(*games, Game(score, crawford)))

    def _played(self, turn: Turn) -> None:
        """Add the play to its roll, if that is the last action."""
        actions = self.game.actions
        last = actions[-1]
        if isinstance(last, Turn) and last.play is None:
            actions = actions[:-1]
        self._keep((*actions, turn))

    def _keep(self, actions: tuple[Action, ...]) -> None:
        game = replace(self.game, actions=actions)
        game = replace(game, result=outcome(self.record, game))
        self.record = replace(self.record, games=(*self.record.games[:-1], game))


def seen_from_below(position: Position, state: MatchState) -> Position:
    """Return the board as seat 0 sees it."""
    return position if state.on_roll == 0 else position.flipped()
