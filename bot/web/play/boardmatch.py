"""A match in the browser: against the engine, or with both seats played by hand.

Against the engine the person has seat 0. Everything is in the record and a few fields beside it, so
a match survives a closed tab or a killed server.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, assert_never

from sixprime.bot.transcribing.handmatch import Asks as Asks
from sixprime.bot.transcribing.handmatch import HandMatch, seen_from_below
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.play.clock import MatchClock
from sixprime.bot.web.play.movelist import from_other_side
from sixprime.bot.web.play.steps import Ways, ways
from sixprime.bot.web.play.tutor import Tutor
from sixprime.engine.analysis.values import What
from sixprime.engine.codec import Codec, Layout, Scalar
from sixprime.engine.dice import Unpredictable, opening, roll
from sixprime.engine.game import (
    Answer,
    BeforeRoll,
    CheckerPlay,
    ResignAnswer,
    ResignOffer,
)
from sixprime.engine.position import Dice, MatchState, Play, Position, Step
from sixprime.engine.search.acting import act
from sixprime.engine.search.players import BackgammonPlayer
from sixprime.engine.system.errors import InputError
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
from sixprime.protocols.formats.replay import Replay, replayed

YOU, ENGINE = 0, 1
UNNAMED = "You"  # a person without a name
HANDS, DICE_TOO = "hands", "hands dice"  # instead of a level: both seats are played by hand
SIDES = "Dark", "Light"  # without names
CUBE_STEPS = {
    BeforeRoll.DOUBLE: (CubeStep.DOUBLE, N_("doubles")),
    Answer.TAKE: (CubeStep.TAKE, N_("takes")),
    Answer.PASS: (CubeStep.DROP, N_("drops")),
    Answer.BEAVER: (CubeStep.BEAVER, N_("beavers")),
}


class Loss(NamedTuple):
    """A decision's loss, by the places of its game and action."""

    game: int
    action: int
    what: What
    loss: float


@dataclass
class BoardMatch(HandMatch):
    level: str  # of the engine, or HANDS
    record: Match
    tutor: Tutor | None = None
    by_hand: bool = False  # the person enters real dice
    begun: Play = ()  # steps of an unfinished play
    said: list[str] = field(
        default_factory=list
    )  # actions of the engine since the person's last turn
    awaits_dice: bool = False  # by hand: the engine rolls, and does not double
    archived: int | None = None  # its number in the archive, once it is over
    over: bool = False
    taken_back: int = 0  # steps, so that no two boards have one mark
    losses: list[Loss] = field(default_factory=list)  # of the person, while the tutor looked
    clock: MatchClock = field(default_factory=MatchClock)
    person: str = ""  # the browser that began it
    _replayed: tuple[Game, Replay] | None = field(default=None, repr=False, compare=False)

    @classmethod
    def new(
        cls,
        length: int,
        level: str,
        rules: Rules,
        *,
        name: str = UNNAMED,
        tutor: Tutor | None = None,
        by_hand: bool = False,
    ) -> BoardMatch:
        """A match, or a money session of length 0."""
        now = dt.datetime.now(dt.UTC)
        players = Player(name), Player(f"Sixprime {level}", level=level)
        record = Match(players, length, (), rules, now.date(), place="browser", started=now)
        return cls.begun_with(level, record, tutor=tutor, by_hand=by_hand)

    @classmethod
    def begun_with(cls, level: str, record: Match, **more: Any) -> BoardMatch:
        """Return a match of this record, with its first game."""
        match = cls(level, record, **more)
        match.begin_game()
        return match

    # --- where the game stands

    @property
    def hands(self) -> bool:
        """Return whether both seats are played by hand."""
        return self.level in (HANDS, DICE_TOO)

    @property
    def against(self) -> str:
        """The opponent's level, or both names if no engine plays."""
        names = (player.name for player in self.record.players)
        return " – ".join(names) if self.hands else self.level

    @property
    def mark(self) -> str:
        """Return a name of the match's state, so that a deed fits one board only."""
        steps = (f"{start}/{end}" for start, end in self.begun)
        back = (f"-{self.taken_back}",) if self.taken_back else ()
        game = self.game
        cube = (f"x{game.cube}",) if game.cube > 1 else ()  # by automatic doubles, no actions
        return " ".join((str(len(self.record.games)), str(len(game.actions)), *cube, *back, *steps))

    @property
    def asks(self) -> Asks:
        asks = super().asks
        waits = (Asks.ROLL, Asks.PLAY, Asks.ANSWER, Asks.RESIGNATION)
        if not self.hands and asks in waits and self.replay().state.to_act == ENGINE:
            return Asks.DICE if self.awaits_dice else Asks.ENGINE
        return asks

    @property
    def seat(self) -> int:
        return super().seat if self.hands else YOU

    @property
    def may_double(self) -> bool:
        dead_cube = self.hands
        return self.asks is Asks.ROLL and self.replay().state.may_double(dead_cube=dead_cube)

    def seen(self) -> tuple[Position, MatchState]:
        """Return the board from below, before the steps of an unfinished play."""
        replay = self.replay()
        return seen_from_below(replay.position, replay.state), replay.state

    def last_played(self) -> tuple[Position, Turn] | None:
        """Return the engine's play since the person's last one, and the board before it.

        If both seats are played by hand, it is the last play of either.
        """
        actions = self.game.actions
        for i, turn in reversed(list(enumerate(actions))):
            if isinstance(turn, Turn) and turn.play is not None:
                if turn.seat == YOU and not self.hands:
                    return None
                earlier = replace(self.game, actions=actions[:i], result=None)
                before = replayed(self.record.length, self.record.rules, earlier)
                before.expect(turn)
                return seen_from_below(before.position, before.state), turn
        return None

    @property
    def ways(self) -> Ways | None:
        """Return the ways to play the dice, if the person is to play."""
        return ways(*self.rolled()) if self.asks is Asks.PLAY else None

    @property
    def may_confirm(self) -> bool:
        return (open_ways := self.ways) is not None and open_ways.is_whole(self.begun)

    def note_loss(self, what: What, loss: float) -> None:
        """Note what the last action lost."""
        games = self.record.games
        self.losses.append(Loss(len(games) - 1, len(games[-1].actions) - 1, what, loss))

    # --- the person

    def begin_game(self) -> None:
        """Begin a new game, with the opening roll unless dice are entered by hand."""
        if self.record.games:
            super().begin_game()
        else:
            self._add_game()
        self.said.clear()
        self.clock.begin_game()
        if not self.by_hand:
            for dice in opening(Unpredictable()):
                if dice[0] != dice[1]:
                    self.open(dice)
                elif self._tie_doubles:
                    self._double_automatically()

    def finish(self) -> None:
        if not self.hands and (self.asks is not Asks.NEXT_GAME or self.record.length):
            raise InputError("A session can end only after a game.")
        super().finish()

    def roll(self) -> None:
        self._expect(Asks.ROLL)
        if self.by_hand:
            raise InputError("Roll real dice and enter them.")
        self.act(Turn(self.seat, roll(Unpredictable())))

    def enter(self, dice: Dice) -> None:
        """Enter real dice; in the opening the die of seat 0 is the first."""
        if not self.by_hand:
            raise InputError("No dice are needed now.")
        if self.asks is not Asks.DICE:
            super().enter(dice)
            return
        self.awaits_dice = False
        self.act(Turn(ENGINE, dice))

    def make(self, steps: Play) -> None:
        """Put the checkers where these steps lead, not confirmed; InputError if one is illegal."""
        self._expect(Asks.PLAY)
        ways(*self.rolled()).stage(steps)
        self.begun = steps

    def write_play(self, text: str) -> None:
        """Move as written, such as 8/5 6/5, which by hand is confirmed at once; BadPlay."""
        play = self.legal_play(text)
        if self.hands:
            self.put(play)
        else:
            self.make(play)

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
        self.put(self.begun)

    def keep(self, hops: Sequence[Step]) -> None:
        if not self.hands:
            raise InputError("Only legal plays are played against the engine.")
        super().keep(hops)

    def take_back(self) -> None:
        if not self.hands:
            raise InputError("Nothing is taken back against the engine.")
        super().take_back()
        self.begun = ()
        self.taken_back += 1

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
                words = format_play(position, play) or gettext("cannot move")
                if play:
                    yours = from_other_side(play)
                    words = gettext("%(play)s (in your numbers %(yours)s)", play=words, yours=yours)
                self._says(f"{dice}, {words}")
                self._played(Turn(ENGINE, state.dice, play))
            case ResignOffer(games):
                self._says(gettext("resigns"))
                self.act(Resignation(ENGINE, ResignStep.OFFERED, games))
            case ResignAnswer():
                accepts = action is ResignAnswer.ACCEPT
                text = N_("accepts") if accepts else N_("refuses to win so little, and plays on")
                self._says(gettext(text))
                step = ResignStep.ACCEPTED if accepts else ResignStep.REJECTED
                self.act(Resignation(ENGINE, step, state.resigned))
            case BeforeRoll.ROLL:
                if self.by_hand:
                    self.awaits_dice = True
                else:
                    self.act(Turn(ENGINE, roll(Unpredictable())))
            case BeforeRoll.DOUBLE | Answer():
                does, says = CUBE_STEPS[action]
                self._says(gettext(says))
                self.act(Cube(ENGINE, does))
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

    def _keep(self, actions: tuple[Action, ...]) -> None:
        super()._keep(actions)
        match actions[-1]:
            case Turn(play=None):
                pass
            case Turn() | Cube() | Resignation() as action if action.seat == YOU or self.hands:
                self.said.clear()
                self.begun = ()
        length = self.record.length
        if length and max(self.game.score_after) >= length and not self.hands:
            self.record = replace(self.record, ended=dt.datetime.now(dt.UTC))


def _of_version_2(plain: dict[str, Any]) -> dict[str, Any]:
    """Return a saved match as version 2 has it; version 1 had a tutor or none."""
    tutor = plain["tutor"]
    return {**plain, "tutor": ({} if tutor else None) if isinstance(tutor, bool) else tutor}


VERSION = 2
SAVED = Codec(
    {
        BoardMatch: Layout(
            (
                "level",
                "tutor",
                "by_hand",
                "awaits_dice",
                "archived",
                "over",
                "taken_back",
                "begun",
                "said",
                "record",
                "losses",
                "clock",
                "person",
            ),
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
