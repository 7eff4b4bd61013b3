"""A match played in the browser against the engine.

The person has seat 0. Everything is in the record and a few fields beside it, so a match survives a
closed tab or a killed server. `engine.game` and `replay` have the rules.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import takewhile
from typing import Any, assert_never

from sixprime.bot.web.play.movelist import from_other_side
from sixprime.bot.web.play.steps import Ways, ways
from sixprime.bot.web.play.tutor import Tutor
from sixprime.engine.codec import Codec, Layout, Scalar
from sixprime.engine.dice import Unpredictable, opening, roll
from sixprime.engine.game import (
    Answer,
    BeforeRoll,
    CheckerPlay,
    ResignAnswer,
    ResignOffer,
    is_crawford,
)
from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.acting import act
from sixprime.engine.search.players import BackgammonPlayer
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.notation import format_play, parse_play
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
from sixprime.protocols.formats.replay import Replay, outcome, replayed

YOU, ENGINE = 0, 1
CUBE_STEPS = {
    BeforeRoll.DOUBLE: (CubeStep.DOUBLE, "doubles"),
    Answer.TAKE: (CubeStep.TAKE, "takes"),
    Answer.PASS: (CubeStep.DROP, "drops"),
    Answer.BEAVER: (CubeStep.BEAVER, "beavers"),
}


class Asks(Enum):
    """An action to wait for; its value is the page's answer to any other action."""

    OPENING = "Enter the dice of the opening first."
    ROLL = "Your turn: roll or double."
    PLAY = "Your move."
    ANSWER = "Take or drop first."
    RESIGNATION = "Accept the resignation or play on."
    ENGINE = "It is the engine's turn."
    DICE = "Enter the engine's dice first."
    NEXT_GAME = "The next game has not begun."
    NOTHING = "The match is over."


@dataclass(slots=True)
class BoardMatch:
    level: str
    record: Match
    tutor: Tutor | None = None
    by_hand: bool = False  # the person enters real dice
    begun: Play = ()  # steps of an unfinished play
    said: list[str] = field(
        default_factory=list
    )  # actions of the engine since the person's last turn
    awaits_dice: bool = False  # by hand: the engine rolls, and does not double
    archived: int | None = None  # its number in the archive, once it is over
    _replayed: tuple[Game, Replay] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def new(
        cls,
        length: int,
        level: str,
        rules: Rules,
        *,
        name: str = "You",
        tutor: Tutor | None = None,
        by_hand: bool = False,
    ) -> BoardMatch:
        """A match, or a money session of length 0."""
        now = dt.datetime.now(dt.UTC)
        players = Player(name), Player(f"Sixprime {level}", level=level)
        record = Match(players, length, (), rules, now.date(), place="browser", started=now)
        match = cls(level, record, tutor, by_hand)
        match.begin_game()
        return match

    # --- where the game stands

    @property
    def game(self) -> Game:
        """Return the game in play, or the last one."""
        return self.record.games[-1]

    @property
    def mark(self) -> str:
        """Return a name of the match's state, so that a deed fits one board only."""
        steps = (f"{start}/{end}" for start, end in self.begun)
        return " ".join((str(len(self.record.games)), str(len(self.game.actions)), *steps))

    def replay(self) -> Replay:
        """Return the game as it stands; do not change it."""
        if self._replayed is None or self._replayed[0] is not self.game:
            rules = self.record.rules
            self._replayed = self.game, replayed(self.record.length, rules, self.game)
        return self._replayed[1]

    @property
    def asks(self) -> Asks:
        if self.game.result is not None:
            return Asks.NOTHING if self.is_over else Asks.NEXT_GAME
        if not self.game.actions:
            return Asks.OPENING
        state = self.replay().state
        if state.to_act == ENGINE:
            return Asks.DICE if self.awaits_dice else Asks.ENGINE
        if state.resigned:
            return Asks.RESIGNATION
        if state.doubled:
            return Asks.ANSWER
        return Asks.ROLL if state.dice is None else Asks.PLAY

    @property
    def is_over(self) -> bool:
        """Return whether the match is won or the session is over."""
        return self.record.ended is not None

    def seen(self) -> tuple[Position, MatchState]:
        """Return the board as the person sees it, before the steps of an unfinished play."""
        replay = self.replay()
        position, state = replay.position, replay.state
        return position if state.on_roll == YOU else position.flipped(), state

    def engine_played(self) -> tuple[Position, Turn] | None:
        """Return the engine's play since the person's last one, and the board before it."""
        actions = self.game.actions
        for i, turn in reversed(list(enumerate(actions))):
            if isinstance(turn, Turn) and turn.play is not None:
                if turn.seat == YOU:
                    return None
                earlier = replace(self.game, actions=actions[:i], result=None)
                before = replayed(self.record.length, self.record.rules, earlier)
                on_roll = before.state.on_roll
                return before.position if on_roll == YOU else before.position.flipped(), turn
        return None

    @property
    def ways(self) -> Ways | None:
        """Return the ways to play the dice, if the person is to play."""
        return ways(*self._rolled()) if self.asks is Asks.PLAY else None

    def _rolled(self) -> tuple[Position, Dice]:
        replay = self.replay()
        assert replay.state.dice is not None
        return replay.position, replay.state.dice

    @property
    def may_beaver(self) -> bool:
        return self.asks is Asks.ANSWER and self.turned <= self.replay().state.beavers

    @property
    def turned(self) -> int:
        """Count the turns of the cube in a row: 1 is a double, 2 a beaver, 3 a raccoon."""
        last = reversed(self.game.actions)
        return sum(1 for _ in takewhile(lambda each: isinstance(each, Cube), last))

    @property
    def may_confirm(self) -> bool:
        return (open_ways := self.ways) is not None and open_ways.is_whole(self.begun)

    # --- the person

    def begin_game(self) -> None:
        """Begin a new game, with the opening roll unless dice are entered by hand."""
        games = self.record.games
        if games and self.asks is not Asks.NEXT_GAME:
            raise InputError("The game is not over.")
        score = games[-1].score_after if games else (0, 0)
        length = self.record.length
        played = any(game.crawford for game in games)
        crawford = self.record.rules.crawford and is_crawford(length, score, played_before=played)
        self.record = replace(self.record, games=(*games, Game(score, crawford)))
        self.said.clear()
        if not self.by_hand:
            *_, dice = opening(Unpredictable())
            self._open(dice)

    def finish(self) -> None:
        if self.asks is not Asks.NEXT_GAME or self.record.length:
            raise InputError("A session can end only after a game.")
        self.record = replace(self.record, ended=dt.datetime.now(dt.UTC))

    def roll(self) -> None:
        self._expect(Asks.ROLL)
        if self.by_hand:
            raise InputError("Roll real dice and enter them.")
        self._do(Turn(YOU, roll(Unpredictable())))

    def enter(self, dice: Dice) -> None:
        """Enter real dice; in the opening the person's die is the first."""
        asks = self.asks
        if not self.by_hand or asks not in (Asks.OPENING, Asks.ROLL, Asks.DICE):
            raise InputError("No dice are needed now.")
        if asks is Asks.OPENING:
            if dice[0] == dice[1]:
                raise InputError("Equal dice do not decide who begins. Roll again.")
            self._open(dice)
            return
        self.awaits_dice = False
        self._do(Turn(ENGINE if asks is Asks.DICE else YOU, dice))

    def make(self, steps: Play) -> None:
        """Put the checkers where these steps lead, not confirmed; InputError if one is illegal."""
        self._expect(Asks.PLAY)
        ways(*self._rolled()).stage(steps)
        self.begun = steps

    def write_play(self, text: str) -> None:
        """Move as written, such as 8/5 6/5; BadPlay says why not."""
        self._expect(Asks.PLAY)
        position, dice = self._rolled()
        self.make(parse_play(text, position, dice, legal_plays(position, dice)).play)

    def undo(self) -> None:
        self._expect(Asks.PLAY)
        self.begun = self.begun[:-1]

    def rethink(self) -> None:
        """Put the checkers back where they were."""
        self.begun = ()

    def confirm(self) -> None:
        """End the play."""
        self._expect(Asks.PLAY)
        if not self.may_confirm:
            raise InputError("The play is not complete.")
        play, self.begun = self.begun, ()
        self.said.clear()
        _, dice = self._rolled()
        self._played(Turn(YOU, dice, tuple(sorted(play, key=lambda step: -step.start))))

    def double(self) -> None:
        self._expect(Asks.ROLL)
        if not self.replay().state.may_double():
            raise InputError("You may not double.")
        self.said.clear()
        self._do(Cube(YOU, CubeStep.DOUBLE))

    def answer(self, *, take: bool) -> None:
        """Take or drop the engine's double."""
        self._expect(Asks.ANSWER)
        self.said.clear()
        self._do(Cube(YOU, CubeStep.TAKE if take else CubeStep.DROP))

    def beaver(self) -> None:
        """Take the engine's double and turn the cube again at once."""
        if not self.may_beaver:
            raise InputError("You may not beaver.")
        self.said.clear()
        self._do(Cube(YOU, CubeStep.BEAVER))

    def resign(self, games: int) -> None:
        """Offer to lose this many games; the engine answers at once."""
        if self.asks not in (Asks.ROLL, Asks.PLAY) or not 1 <= games <= 3:
            raise InputError("You cannot resign now.")
        self.begun = ()
        self.said.clear()
        self._do(Resignation(YOU, ResignStep.OFFERED, games))

    def answer_resignation(self, *, accept: bool) -> None:
        self._expect(Asks.RESIGNATION)
        self._do(Resignation(YOU, ResignStep.ACCEPTED if accept else ResignStep.REJECTED))

    # --- the engine

    def engine_acts(self, player: BackgammonPlayer) -> None:
        """One action of the engine; call this while it is the engine's turn."""
        replay = self.replay()
        position, state = replay.position, replay.state
        if state.to_act != ENGINE or self.game.result is not None:
            raise InputError("It is not the engine's turn.")
        if self.turned > state.beavers:
            state = state.with_(beavers=0)
        match action := act(player, position, state, may_resign=self._engine_may_resign()):
            case CheckerPlay(play):
                assert state.dice is not None
                dice = "-".join(map(str, sorted(state.dice, reverse=True)))
                yours = f" (in your numbers {from_other_side(play)})" if play else ""
                self._says(f"{dice}, {format_play(position, play) or 'cannot move'}{yours}")
                self._played(Turn(ENGINE, state.dice, play))
            case ResignOffer(games):
                self._says("resigns")
                self._do(Resignation(ENGINE, ResignStep.OFFERED, games))
            case ResignAnswer():
                accepts = action is ResignAnswer.ACCEPT
                self._says("accepts" if accepts else "refuses to win so little, and plays on")
                step = ResignStep.ACCEPTED if accepts else ResignStep.REJECTED
                self._do(Resignation(ENGINE, step, state.resigned))
            case BeforeRoll.ROLL:
                if self.by_hand:
                    self.awaits_dice = True
                else:
                    self._do(Turn(ENGINE, roll(Unpredictable())))
            case BeforeRoll.DOUBLE | Answer():
                does, says = CUBE_STEPS[action]
                self._says(says)
                self._do(Cube(ENGINE, does))
            case _:
                assert_never(action)

    def _engine_may_resign(self) -> bool:
        """Return whether it may offer to resign: once in a game, before a roll in a race."""
        replay = self.replay()
        offered = any(isinstance(action, Resignation) for action in self.game.actions)
        return not offered and replay.state.dice is None and replay.position.is_race()

    def _says(self, what: str) -> None:
        self.said.append(what)

    # --- the record

    def _expect(self, asks: Asks) -> None:
        if self.asks is not asks:
            raise InputError(self.asks.value)

    def _open(self, dice: Dice) -> None:
        self._do(Turn(YOU if dice[0] > dice[1] else ENGINE, dice))

    def _played(self, turn: Turn) -> None:
        """Add the play to its roll, which is the last action."""
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
        length = self.record.length
        if length and max(game.score_after) >= length:
            self.record = replace(self.record, ended=dt.datetime.now(dt.UTC))


def _of_version_2(plain: dict[str, Any]) -> dict[str, Any]:
    """Return a saved match as version 2 has it; version 1 had a tutor or none."""
    tutor = plain["tutor"]
    return {**plain, "tutor": ({} if tutor else None) if isinstance(tutor, bool) else tutor}


VERSION = 2
SAVED = Codec(
    {
        BoardMatch: Layout(
            ("level", "tutor", "by_hand", "awaits_dice", "archived", "begun", "said", "record"),
            upgraded=_of_version_2,
        ),
        Match: Scalar(str, to_json, from_json),
    },
    lenient=True,
)


def match_to_plain(match: BoardMatch) -> dict[str, Any]:
    """Return the match as JSON can store it."""
    return {"version": VERSION, **SAVED.plain(match)}


def match_from_plain(plain: dict[str, Any]) -> BoardMatch:
    """Return the match that `match_to_plain` stored; InputError or KeyError if it is none."""
    if plain["version"] not in (1, VERSION):
        raise InputError("made by a newer version")
    return SAVED.value(BoardMatch, plain)
