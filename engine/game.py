"""A game as a value: what may happen next, what comes of it, and why anything else may not.

A Game never changes; each transition returns the next one or raises IllegalStep with the reason in
words. `position` is always as the player `match.on_roll` sees it, also while the other player must
answer a double, and after the game. Dice are given from outside (sixprime.engine.dice).

    not started --opened--> dice on the table --played--> the other player to roll or double
    to roll --rolled--> dice on the table        to roll --doubled--> a double waits
    a double waits --taken--> to roll   --dropped--> over   --beavered--> a double waits, other side

A player may resign at any time, on either side's turn, except while an offer waits for an answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations

from sixprime.engine.position import (
    BAR,
    OFF,
    POINTS,
    Dice,
    MatchState,
    Phase,
    Play,
    Position,
    Step,
    Variant,
)
from sixprime.engine.rules import LegalPlay, legal_plays

HOME = 6  # the home board is points 1..6
NUMBERS = ("", "one", "two", "three", "four", "five", "six")


class IllegalStep(ValueError):
    """The rules do not allow this now; the text says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Who won a game and how many points, the cube included; more than the match needs, too."""

    winner: int
    points: int


@dataclass(frozen=True, slots=True)
class Game:
    """One game of a match or of money play, at one moment.

    Every transition takes an optional `seat`: whoever claims to act, refused out of turn.
    """

    position: Position
    match: MatchState
    variant: Variant = Variant.STANDARD
    crawford_rule: bool = True
    automatic_doubles: int = 0  # money: how many equal opening rolls double the cube
    beavers_made: int = field(default=0)  # in a row, in answer to the double that waits
    automatics_made: int = field(default=0)

    @classmethod
    def start(
        cls,
        length: int = 0,
        *,
        variant: Variant = Variant.STANDARD,
        crawford_rule: bool = True,
        jacoby: bool = False,
        beavers: int = 0,
        automatic_doubles: int = 0,
        max_cube: int | None = None,
    ) -> Game:
        """The first game of a match to `length` points, 0 for money, before the opening roll."""
        money = length == 0
        match = MatchState(
            length=length,
            jacoby=jacoby and money,
            beavers=beavers if money else 0,
            phase=Phase.NOT_STARTED,
            max_cube=max_cube,
        )
        return cls(
            Position.start(variant),
            match,
            variant,
            crawford_rule,
            automatic_doubles if money else 0,
        )

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the points, None while the game goes on."""
        match = self.match
        if match.phase is Phase.OVER:
            result = self.position.result()
            winner = match.on_roll if result > 0 else 1 - match.on_roll
            return Outcome(winner, self._points(abs(result)))
        if match.phase is Phase.DROPPED:
            return Outcome(1 - match.to_act, match.cube)
        if match.phase is Phase.RESIGNED:
            return Outcome(match.to_act, self._points(match.resigned))
        return None

    @property
    def score_after(self) -> tuple[int, int]:
        """The score with this game's outcome, if it has one."""
        first, second = self.match.score
        if outcome := self.outcome:
            first += outcome.points * (outcome.winner == 0)
            second += outcome.points * (outcome.winner == 1)
        return first, second

    @property
    def match_winner(self) -> int | None:
        """The seat that has won the match; None while it goes on, and in money play."""
        score = self.score_after
        if self.match.length == 0 or max(score) < self.match.length:
            return None
        return int(score[1] > score[0])

    def legal_plays(self) -> list[LegalPlay]:
        """What `played` accepts now; a dance is the one play ()."""
        if self.match.dice is None:
            raise IllegalStep("the dice have not been rolled")
        return legal_plays(self.position, self.match.dice)

    # Starting, and going on to the next game

    def opened(self, first: int, second: int) -> Game:
        """After the opening roll: one die of seat 0, one of seat 1; equal dice are rolled again."""
        if self.match.phase is not Phase.NOT_STARTED:
            raise IllegalStep("the game has started")
        _check_dice((first, second))
        if first == second:
            if self.automatics_made >= self.automatic_doubles or self._cube_is_at_its_limit():
                return self
            doubled = self.match.with_(cube=2 * self.match.cube)
            return replace(self, match=doubled, automatics_made=self.automatics_made + 1)
        seat = int(second > first)
        dice = (max(first, second), min(first, second))
        return self._with(on_roll=seat, to_act=seat, dice=dice, phase=Phase.PLAYING)

    def next_game(self) -> Game:
        """The game after this one, before its opening roll."""
        if self.outcome is None:
            raise IllegalStep("the game is not over")
        if self.match_winner is not None:
            raise IllegalStep(f"the match is over, seat {self.match_winner} has won it")
        old, score = self.match, self.score_after
        length = old.length
        was_near = length - 1 in old.score  # then the Crawford game is behind us
        crawford = self.crawford_rule and length > 1 and length - 1 in score and not was_near
        match = MatchState(
            length=length,
            score=score,
            crawford=crawford,
            jacoby=old.jacoby,
            beavers=old.beavers,
            phase=Phase.NOT_STARTED,
            max_cube=old.max_cube,
        )
        return Game(
            Position.start(self.variant),
            match,
            self.variant,
            self.crawford_rule,
            self.automatic_doubles,
        )

    # Dice and checkers

    def rolled(self, dice: Dice, seat: int | None = None) -> Game:
        """The player on roll has rolled."""
        self._check_free(seat)
        if self.match.dice is not None:
            raise IllegalStep(f"the dice have been rolled: {_spoken(self.match.dice)}")
        _check_dice(dice)
        return self._with(dice=dice)

    def played(self, play: Play, seat: int | None = None) -> Game:
        """The player on roll has moved; the order of the steps does not matter if one is legal."""
        self._check_free(seat)
        dice = self.match.dice
        if dice is None:
            raise IllegalStep("the dice have not been rolled")
        result = _checked_result(self.position, dice, play)
        if result.is_over():
            return replace(self._with(dice=None, phase=Phase.OVER), position=result)
        other = 1 - self.match.on_roll
        after = self._with(on_roll=other, to_act=other, dice=None)
        return replace(after, position=result.flipped())

    # The cube

    def doubled(self, seat: int | None = None) -> Game:
        """The player on roll offers the cube at twice its value."""
        self._check_free(seat)
        if reason := self._why_no_double():
            raise IllegalStep(reason)
        return self._with(doubled=True, to_act=1 - self.match.on_roll)

    def taken(self, seat: int | None = None) -> Game:
        """The double is accepted; the player who was doubled first owns the cube."""
        self._check_double_waits(seat)
        match = self.match
        after = self._with(
            doubled=False,
            cube=2 * match.cube,
            cube_owner=1 - match.on_roll,
            to_act=match.on_roll,
        )
        return replace(after, beavers_made=0)

    def dropped(self, seat: int | None = None) -> Game:
        """The double is declined and the game lost at the cube's old value."""
        self._check_double_waits(seat)
        return self._with(doubled=False, phase=Phase.DROPPED)

    def beavered(self, seat: int | None = None) -> Game:
        """The double is accepted and doubled again at once; a beaver of a beaver is a raccoon."""
        self._check_double_waits(seat)
        match = self.match
        if match.length:
            raise IllegalStep("beavers are for money play")
        if self.beavers_made >= match.beavers:
            allowed = match.beavers
            raise IllegalStep(
                "beavers are not allowed" if not allowed else f"no more than {allowed} in a row"
            )
        if match.max_cube is not None and 4 * match.cube > match.max_cube:
            raise IllegalStep(f"the cube ends at {match.max_cube}")
        after = self._with(
            cube=2 * match.cube, cube_owner=1 - match.on_roll, to_act=1 - match.to_act
        )
        return replace(after, beavers_made=self.beavers_made + 1)

    # Resignation

    def resigned(self, seat: int, games: int) -> Game:
        """A seat offers to lose 1 (single), 2 (gammon) or 3 (backgammon) times the cube."""
        self._check_playing()
        if seat not in (0, 1):
            raise IllegalStep(f"there is no seat {seat}")
        if self.match.doubled:
            raise IllegalStep("a double waits for an answer")
        if games not in (1, 2, 3):
            raise IllegalStep(f"a resignation is of 1, 2 or 3 games, not {games}")
        return self._with(resigned=games, to_act=1 - seat)

    def resignation_accepted(self, seat: int | None = None) -> Game:
        """The other player accepts: the game is over."""
        self._check_resignation_waits(seat)
        return self._with(phase=Phase.RESIGNED)

    def resignation_rejected(self, seat: int | None = None) -> Game:
        """The other player declines: the game goes on where it was."""
        self._check_resignation_waits(seat)
        return self._with(resigned=0, to_act=self.match.on_roll)

    # What all of them need

    def _with(self, **changes: object) -> Game:
        return replace(self, match=self.match.with_(**changes))

    def _points(self, games: int) -> int:
        match = self.match
        if match.jacoby and match.length == 0 and match.cube_owner is None:
            games = 1  # nobody has doubled
        return games * match.cube

    def _check_playing(self) -> None:
        if self.match.phase is Phase.NOT_STARTED:
            raise IllegalStep("the game has not started")
        if self.match.phase is not Phase.PLAYING:
            raise IllegalStep("the game is over")
        if self.match.resigned:
            raise IllegalStep("a resignation waits for an answer")

    def _check_turn(self, seat: int | None) -> None:
        if seat is not None and seat != self.match.to_act:
            raise IllegalStep(f"it is not seat {seat}'s turn")

    def _check_free(self, seat: int | None) -> None:
        """No offer waits, and it is this seat's turn."""
        self._check_playing()
        if self.match.doubled:
            raise IllegalStep("a double waits for an answer")
        self._check_turn(seat)

    def _check_double_waits(self, seat: int | None) -> None:
        self._check_playing()
        if not self.match.doubled:
            raise IllegalStep("there is no double to answer")
        self._check_turn(seat)

    def _check_resignation_waits(self, seat: int | None) -> None:
        if self.match.phase is not Phase.PLAYING or not self.match.resigned:
            raise IllegalStep("there is no resignation to answer")
        self._check_turn(seat)

    def _cube_is_at_its_limit(self) -> bool:
        return self.match.max_cube is not None and self.match.cube >= self.match.max_cube

    def _why_no_double(self) -> str | None:
        match = self.match
        if match.may_double():
            return None
        if match.dice is not None:
            return "the dice have been rolled"
        if match.crawford:
            return "the Crawford game has no cube"
        if match.cube_owner == 1 - match.on_roll:
            return "the cube is the opponent's"
        if self._cube_is_at_its_limit():
            return f"the cube ends at {match.max_cube}"
        needed = match.away[match.on_roll]
        return f"the cube is dead: it is at {match.cube} and seat {match.on_roll} needs {needed}"


def _check_dice(dice: Dice) -> None:
    if not all(1 <= die <= 6 for die in dice):
        raise IllegalStep(f"a die shows 1 to 6, not {_spoken(dice)}")


def _checked_result(position: Position, dice: Dice, play: Play) -> Position:
    """The result of a legal play; IllegalStep says what is wrong with any other."""
    legal = legal_plays(position, dice)
    for candidate in legal:
        if candidate.play == play:
            return candidate.result
    results = {candidate.result for candidate in legal}
    most = len(legal[0].play)
    for steps in dict.fromkeys((play, *permutations(play))) if len(play) <= 4 else ():
        if _first_fault(position, dice, steps) is None and position.after(steps) in results:
            return position.after(steps)
    raise IllegalStep(_first_fault(position, dice, play) or _too_little(dice, len(play), most))


def _first_fault(position: Position, dice: Dice, play: Play) -> str | None:
    """Why the steps cannot be taken one after the other; the order of the dice that goes furthest.

    None if they can, be they enough or not.
    """
    orders = [(dice[0],) * 4] if dice[0] == dice[1] else [dice, dice[::-1]]
    furthest, reason = -1, ""
    for order in orders:
        taken, fault = _walk(position, order, play)
        if fault is None:
            return None
        if taken > furthest:
            furthest, reason = taken, fault
    return reason


def _walk(position: Position, order: tuple[int, ...], play: Play) -> tuple[int, str | None]:
    """How many steps can be taken with the dice in this order, and what stops the next one."""
    for taken, step in enumerate(play):
        if taken == len(order):
            return taken, f"{_words(step)} is one step too many for {_number(len(order))} dice"
        if fault := _fault(position, step, order[taken:]):
            return taken, fault
        position = position.after((step,))
    return len(play), None


def _fault(position: Position, step: Step, dice: tuple[int, ...]) -> str | None:
    """What is wrong with this step if the first of these dice is to be used for it."""
    start, end = step
    if not (OFF <= end < start <= BAR):
        return f"{_words(step)} is not a step forward on the board"
    if position.mine[start - 1] == 0:
        where = "the bar" if start == BAR else f"point {start}"
        return f"{_words(step)}: there is no checker on {where}"
    if start != BAR and position.mine[BAR - 1]:
        return f"{_words(step)}: the checker on the bar must enter first"
    if end != OFF and position.theirs[POINTS - end] > 1:
        return f"{_words(step)} is blocked"
    return _wrong_die(position, step, dice)


def _wrong_die(position: Position, step: Step, dice: tuple[int, ...]) -> str | None:
    start, end = step
    die = dice[0]
    rear = max(i + 1 for i, count in enumerate(position.mine) if count)
    if end == OFF and rear > HOME:
        return f"{_words(step)}: the checker on {_place(rear)} is not home yet"
    if start - end == die:
        return None
    if end == OFF and start < die and start == rear:
        return None
    if end == OFF and start not in dice and start < max(dice):
        return f"{_words(step)}: with a {max(dice)} the checker on {rear} must go first"
    left = " and ".join(str(die) for die in sorted(set(dice), reverse=True))
    return f"{_words(step)} takes a {start - end}, left to play: {left}"


def _too_little(dice: Dice, used: int, most: int) -> str:
    """What legal steps fall short of."""
    if used == most:
        return f"the larger die, {max(dice)}, must be played"
    if most == 1:
        return "one die can be played, this plays none"
    possible = "both dice" if dice[0] != dice[1] else f"{_number(most)} {_number(dice[0])}s"
    possible = possible.replace("sixs", "sixes")
    return f"{possible} can be played, this plays {_number(used) or 'none'}"


def _number(count: int) -> str:
    return NUMBERS[count]


def _spoken(dice: Dice) -> str:
    return f"{dice[0]} and {dice[1]}"


def _place(point: int) -> str:
    return "the bar" if point == BAR else str(point)


def _words(step: Step) -> str:
    start = "bar" if step.start == BAR else str(step.start)
    return f"{start}/{'off' if step.end == OFF else step.end}"
