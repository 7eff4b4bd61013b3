"""A match that somebody plays in the browser against the engine.

The person has seat 0. Everything is in the record and a few fields beside it, so that a match goes
on where it was after a closed tab or a killed server. `engine.game` and `replay` say what follows.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from sixprime.bot.web.play.steps import is_whole, next_steps
from sixprime.engine.dice import Unpredictable, opening, roll
from sixprime.engine.game import is_crawford
from sixprime.engine.position import MatchState, Play, Position, Step
from sixprime.engine.search.cube import Answer
from sixprime.engine.search.players import BackgammonPlayer
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Resignation,
    ResignStep,
    Rules,
    Turn,
)
from sixprime.protocols.formats.recordjson import from_json, to_json
from sixprime.protocols.formats.replay import Replay, outcome

YOU, ENGINE = 0, 1


class NotNow(ValueError):
    """It cannot be done now; the text says why."""


class Asks(Enum):
    """What the match waits for."""

    ROLL = "roll or double"
    PLAY = "move your checkers"
    ANSWER = "take or drop"
    RESIGNATION = "accept the resignation or play on"
    ENGINE = "the engine's turn"
    NEXT_GAME = "the next game"
    NOTHING = "the match is over"


@dataclass(slots=True)
class BoardMatch:
    """See the module's docstring."""

    level: str
    record: Match
    tutor: bool = False
    begun: Play = ()  # steps of the play in progress
    said: list[str] = field(default_factory=list)  # what the engine has done since our last turn
    _replayed: tuple[Game, Replay] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def new(cls, length: int, level: str, rules: Rules, *, name: str, tutor: bool) -> BoardMatch:
        """A match, or a money session of length 0."""
        now = dt.datetime.now(dt.UTC)
        players = Player(name), Player(f"Sixprime {level}", level=level)
        record = Match(players, length, (), rules, now.date(), place="browser", started=now)
        match = cls(level, record, tutor)
        match.begin_game()
        return match

    # --- where the game stands

    @property
    def game(self) -> Game:
        """The game in play, or the last one."""
        return self.record.games[-1]

    def replay(self) -> Replay:
        """The game as it stands, to be read only."""
        if self._replayed is None or self._replayed[0] is not self.game:
            replay = Replay(self.record.length, self.record.rules, self.game)
            for action in self.game.actions:
                replay.apply(action)
            self._replayed = self.game, replay
        return self._replayed[1]

    @property
    def asks(self) -> Asks:
        """What has to happen next."""
        if self.game.result is not None:
            return Asks.NOTHING if self.is_over else Asks.NEXT_GAME
        state = self.replay().state
        if state.to_act == ENGINE:
            return Asks.ENGINE
        if state.resigned:
            return Asks.RESIGNATION
        if state.doubled:
            return Asks.ANSWER
        return Asks.ROLL if state.dice is None else Asks.PLAY

    @property
    def is_over(self) -> bool:
        """Has somebody won the match?"""
        length = self.record.length
        return bool(length) and max(self.game.score_after) >= length

    def seen(self) -> tuple[Position, MatchState]:
        """The board as the person sees it, with the steps that have been taken."""
        replay = self.replay()
        position, state = replay.position, replay.state
        if state.on_roll != YOU:
            position = position.flipped()
        return position.after(self.begun), state

    def next_steps(self) -> tuple[Step, ...]:
        """The steps that the person may take now."""
        if self.asks is not Asks.PLAY:
            return ()
        replay = self.replay()
        assert replay.state.dice is not None
        return next_steps(replay.position, replay.state.dice, self.begun)

    @property
    def may_confirm(self) -> bool:
        """Do the steps make a whole play?"""
        replay = self.replay()
        dice = replay.state.dice
        ours = self.asks is Asks.PLAY and dice is not None
        return ours and dice is not None and is_whole(replay.position, dice, self.begun)

    # --- the person

    def begin_game(self) -> None:
        """Roll for the first turn."""
        games = self.record.games
        if games and self.asks is not Asks.NEXT_GAME:
            raise NotNow("the game is not over")
        score = games[-1].score_after if games else (0, 0)
        length = self.record.length
        played = any(game.crawford for game in games)
        crawford = self.record.rules.crawford and is_crawford(length, score, played_before=played)
        self.record = replace(self.record, games=(*games, Game(score, crawford)))
        *_, dice = opening(Unpredictable())
        self._do(Turn(YOU if dice[0] > dice[1] else ENGINE, dice))

    def roll(self) -> None:
        """Roll the dice."""
        self._expect(Asks.ROLL)
        self._roll(YOU)

    def step(self, start: int, end: int) -> None:
        """Move one checker by one die."""
        self._expect(Asks.PLAY)
        step = Step(start, end)
        if step not in self.next_steps():
            raise NotNow("that checker cannot move there")
        self.begun = (*self.begun, step)

    def undo(self) -> None:
        """Take the last step back."""
        self._expect(Asks.PLAY)
        self.begun = self.begun[:-1]

    def confirm(self) -> None:
        """The play is made; the engine is next."""
        self._expect(Asks.PLAY)
        replay = self.replay()
        dice = replay.state.dice
        assert dice is not None
        if not is_whole(replay.position, dice, self.begun):
            raise NotNow("the play is not complete")
        play, self.begun = self.begun, ()
        self._played(Turn(YOU, dice, tuple(sorted(play, key=lambda step: -step.start))))

    def double(self) -> None:
        """Offer the cube."""
        self._expect(Asks.ROLL)
        if not self.replay().state.may_double():
            raise NotNow("you may not double")
        self._do(Cube(YOU, CubeStep.DOUBLE))

    def answer(self, *, take: bool) -> None:
        """Take or drop the engine's double."""
        self._expect(Asks.ANSWER)
        self._do(Cube(YOU, CubeStep.TAKE if take else CubeStep.DROP))

    def resign(self, games: int) -> None:
        """Offer to lose so many games' worth; the engine answers at once."""
        if self.asks not in (Asks.ROLL, Asks.PLAY) or not 1 <= games <= 3:
            raise NotNow("you cannot resign now")
        self.begun = ()
        self._do(Resignation(YOU, ResignStep.OFFERED, games))

    def answer_resignation(self, *, accept: bool) -> None:
        """Accept the engine's resignation, or play on."""
        self._expect(Asks.RESIGNATION)
        self._do(Resignation(YOU, ResignStep.ACCEPTED if accept else ResignStep.REJECTED))

    # --- the engine

    def engine_acts(self, player: BackgammonPlayer) -> None:
        """One action of the engine; call this while it is the engine's turn."""
        replay = self.replay()
        position, state = replay.position, replay.state
        if state.to_act != ENGINE or self.game.result is not None:
            raise NotNow("it is not the engine's turn")
        if state.resigned:
            accepts = player.accept(position, state)
            self._says("accepts" if accepts else "plays on")
            step = ResignStep.ACCEPTED if accepts else ResignStep.REJECTED
            self._do(Resignation(ENGINE, step, state.resigned))
        elif state.doubled:
            takes = player.answer(position, state) is not Answer.PASS
            self._says("takes" if takes else "drops")
            self._do(Cube(ENGINE, CubeStep.TAKE if takes else CubeStep.DROP))
        elif state.dice is not None:
            self._engine_plays(player, position, state)
        elif state.may_double() and player.double(position, state):
            self._says("doubles")
            self._do(Cube(ENGINE, CubeStep.DOUBLE))
        else:
            self._roll(ENGINE)

    def _engine_plays(
        self, player: BackgammonPlayer, position: Position, state: MatchState
    ) -> None:
        assert state.dice is not None
        play = player.play(position, state)
        dice = "-".join(map(str, sorted(state.dice, reverse=True)))
        self._says(f"{dice}: {format_play(position, play) or 'cannot move'}")
        self._played(Turn(ENGINE, state.dice, play))

    def _says(self, what: str) -> None:
        self.said.append(what)

    # --- the record

    def _expect(self, asks: Asks) -> None:
        if self.asks is not asks:
            raise NotNow(f"now it is: {self.asks.value}")

    def _roll(self, seat: int) -> None:
        if seat == YOU:
            self.said.clear()
        self._do(Turn(seat, roll(Unpredictable())))

    def _played(self, turn: Turn) -> None:
        """Lay the play beside its roll, which is the last action."""
        actions = self.game.actions
        last = actions[-1]
        if isinstance(last, Turn) and last.play is None:
            actions = actions[:-1]
        self._keep((*actions, turn))

    def _do(self, action: Action) -> None:
        self._keep((*self.game.actions, action))

    def _keep(self, actions: tuple[Action, ...]) -> None:
        game = replace(self.game, actions=actions)
        game = replace(game, result=outcome(self.record, game))
        self.record = replace(self.record, games=(*self.record.games[:-1], game))
        if self.is_over:
            self.record = replace(self.record, ended=dt.datetime.now(dt.UTC))

    # --- on disk

    def plain(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "version": 1,
            "level": self.level,
            "tutor": self.tutor,
            "begun": [list(step) for step in self.begun],
            "said": self.said,
            "record": to_json(self.record),
        }

    @classmethod
    def from_plain(cls, tree: dict[str, Any]) -> BoardMatch:
        """From JSON; ValueError or KeyError if it is none of ours."""
        if tree["version"] != 1:
            raise ValueError("made by a newer version")
        begun = tuple(Step(int(start), int(end)) for start, end in tree["begun"])
        record = from_json(tree["record"])
        said = [str(each) for each in tree["said"]]
        return cls(str(tree["level"]), record, bool(tree["tutor"]), begun, said)
