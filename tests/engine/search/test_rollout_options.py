"""Every option of a rollout against a plain twin, which asks the search at each decision.

The twin shares the dice with the kernel (tested in test_rollout.py) and nothing else: plays come
from Search.plays, doubles from Search.see, which have slow twins of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from typing import Any

import numpy as np
import pytest

from sixprime.engine.analysis.settings import rolled_by
from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels.pruning import FEW, NEEDED
from sixprime.engine.kernels.rollout import roll_of
from sixprime.engine.nets.weights import brain_of
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.plies import FILTERS, Evaluation, Search, Seen
from sixprime.engine.search.rollout import (
    LOOK,
    BadRollout,
    RolloutSettings,
    of_cube,
    of_plays,
    of_position,
)
from sixprime.engine.search.trials import (
    COLUMNS,
    PLAIN,
    Alternative,
    RolledTurn,
    RolloutPlayer,
    _permutations,
    logged_trial,
    play_trials,
)
from tests.support.engine.boards import side
from tests.support.engine.brains import random_nets, random_side

pytestmark = pytest.mark.patient

BRAIN = brain_of(random_nets(), sides=random_side(5))  # the shipped one races too well
MONEY = MatchState()
FAR_RACE = Position(side(1, 3, 4, 7, 9, 11, 12, 12), side(2, 3, 4, 7, 8, 10, 12, 12))
MATCH = MatchState(length=5, score=(1, 2), cube=2, cube_owner=0)
TRIALS = 18
WORTH = PLAIN - 1
TIE = 1e-9
RACE = RolloutSettings(trials=TRIALS, databases=False, seed=3)
CONTACT = replace(RACE, truncate=3)
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
AHEAD = Evaluation(1)
NARROW = replace(AHEAD, filter=FILTERS["tiny"])
DEEP = RolloutPlayer(AHEAD, AHEAD)
PLAIN_PLAYER = RolloutPlayer()
NOISY = RolloutPlayer(PRESETS["beginner"].checker, PRESETS["beginner"].cube)


class Twin:
    """One trial after the other, decision by decision."""

    def __init__(self, match: MatchState, alternative: Alternative, settings: RolloutSettings):
        self.match, self.settings, self.start = match, settings, alternative
        self.search = Search(BRAIN)

    def trial(self, number: int) -> tuple[float, float, list[RolledTurn]]:
        """The worth to the root player, the luck in it, and the game."""
        self.state, self.luck, self.sure = self._at_start(), 0.0, True
        position, side, turns = self.start.position, self.start.side, []
        for turn, dice in enumerate(self._dice(number)):
            may_double = turn > 0 or self.start.may_double
            if (worth := self._end(position, turn, may_double)) is not None:
                turns.append(RolledTurn(side, None, False, False, position))
                return self._for_root(worth, side), self.luck, turns
            doubled, passed = may_double and self._player(turn, side, position), False
            if doubled:
                passed = doubled == "passed"
                if passed:
                    turns.append(RolledTurn(side, None, True, True, position))
                    return self._for_root(self._passed(), side), self.luck, turns
            if self.settings.reduce_variance:
                self._add_luck(position, side, dice, opening=turn == 0 and self.settings.opening)
            look = self._look(turn, side).checker
            best = self._plays(position, dice, look)[0]
            position = best.result.flipped()
            turns.append(RolledTurn(side, dice, bool(doubled), False, position))
            self.state = self._turned(self.state)
            side = 1 - side
        raise AssertionError("the dice ended first")

    def _at_start(self) -> MatchState:
        root, start = self.match.on_roll, self.start
        seat = root if start.side == 0 else 1 - root
        owner = {cube_kernel.MINE: seat, cube_kernel.THEIRS: 1 - seat}.get(start.owner)
        return self.match.with_(on_roll=seat, to_act=seat, cube=start.cube, cube_owner=owner)

    @staticmethod
    def _turned(state: MatchState) -> MatchState:
        return state.with_(on_roll=1 - state.on_roll, to_act=1 - state.on_roll)

    def _dice(self, number: int) -> Iterator[Dice]:
        settings = self.settings
        table = _permutations(settings.seed, settings.stratified)
        roll = partial(roll_of, permutations=table, seed=settings.seed)
        if settings.opening:
            fit = (n for n in range(10**6) if roll(n, 0)[0] != roll(n, 0)[1])
            number = next(islice(fit, number, None))
        for turn in range(1000):
            yield roll(number, turn)

    def _look(self, turn: int, side: int) -> RolloutPlayer:
        settings = self.settings
        late = settings.later is not None and turn >= settings.later_after
        return (settings.later if late and settings.later else settings.players)[side]

    def _plays(self, position: Position, dice: Dice, look: Evaluation) -> Sequence[Any]:
        look = replace(look, cubeful=look.cubeful and self.settings.cubeful)
        return self.search.plays(position, self.state, dice, look)

    def _seen(self, position: Position, look: Evaluation) -> Seen:
        return self.search.see(position, self.state, replace(look, cubeful=self.settings.cubeful))

    def _passed(self) -> float:
        context = CubeContext.of(self.state)
        return float(cube_kernel.pass_worth(0, context.cube, context.rules, context.chances))

    def _player(self, turn: int, side: int, position: Position) -> str:
        """Empty without a double, else how it was answered."""
        if not self.settings.cubeful or not CubeContext.of(self.state).available():
            return ""
        seen, passed = self._seen(position, self._look(turn, side).cube), self._passed()
        if min(seen.double_take, passed) < seen.no_double:
            return ""
        if passed <= seen.double_take:
            return "passed"
        seat = self.state.on_roll
        self.state = self.state.with_(cube=2 * self.state.cube, cube_owner=1 - seat)
        return "taken"

    def _end(self, position: Position, turn: int, may_double: bool) -> float | None:
        """The worth to the player on roll if the trial ends here."""
        settings, context = self.settings, CubeContext.of(self.state)
        if position.is_over():
            points = context.cube * position.result()
            if self.state.length == 0:
                return float(points)
            if points > 0:
                return float(cube_kernel.won(context.chances, 0, points))
            return float(cube_kernel.lost(context.chances, 0, -points))
        cut = 0 < settings.truncate <= turn
        if not cut and not self._known(position):
            return None
        seen = self._seen(position, settings.at_truncation if cut else Evaluation())
        if not may_double or not settings.cubeful or not context.available():
            return seen.no_double
        return float(cube_kernel.best(seen.no_double, seen.double_take, self._passed()))

    def _known(self, position: Position) -> bool:
        home = not any(position.mine[6:]) and not any(position.theirs[6:])
        few = max(sum(position.mine), sum(position.theirs)) <= 6
        settings = self.settings
        if not settings.databases or not home:
            return False
        if few and settings.two_sided:
            return not settings.cubeful or self.state.length == 0
        return settings.one_sided and not settings.cubeful

    def _add_luck(self, position: Position, side: int, dice: Dice, *, opening: bool) -> None:
        """What the roll is worth, less the average, both at 0-ply and by the likely plays."""
        worths = {}
        for roll in ROLLS:
            plays = self._plays(position, roll, Evaluation(prune=False))
            best, sure = likely(position, plays)
            self.sure &= sure
            worth = best.equity * self.state.cube if best.mwc is None else best.mwc
            worths[roll] = self._for_root(worth, side)
        weight = {roll: 1 if roll[0] == roll[1] else 2 for roll in ROLLS}
        if opening:
            weight = {roll: 2 for roll in ROLLS if roll[0] != roll[1]}
        mean = sum(weight[roll] * worths[roll] for roll in weight) / sum(weight.values())
        self.luck += worths[max(dice), min(dice)] - mean

    def _for_root(self, worth: float, side: int) -> float:
        if side == 0:
            return worth
        return -worth if self.match.length == 0 else 1.0 - worth


def likely(position: Position, plays: Sequence[Any]) -> tuple[Any, bool]:
    """The best play of those that luck is judged by; False if a tie in rank may have let it out.

    In a far race without gammons these are the two plays that race best.
    """
    if len(plays) <= FEW or not any(any(side[6:]) for side in (position.mine, position.theirs)):
        return plays[0], True
    second = sorted(rolls_needed(play.result) for play in plays)[1]
    near = [play for play in plays if rolls_needed(play.result) < second + TIE]
    return near[0], len(near) == 2 or rolls_needed(near[0].result) < second - TIE


def rolls_needed(position: Position) -> float:
    return sum(float(NEEDED[each]) for each in enumerate(position.mine))


def alike(match: MatchState, alternative: Alternative, settings: RolloutSettings) -> list[float]:
    """Plays the trials both ways and compares them; returns their worths."""
    twin = Twin(match, alternative, settings)
    rows = play_trials(match, alternative, settings, 0, settings.trials, BRAIN)
    # In contact the luck is judged by a few replies, and lots decide which turns are measured.
    # Without a cube the databases measure it, by plays of their own.
    measured = alternative.position.is_race() and settings.cubeful
    sure = 0
    for number, row in enumerate(rows):
        worth, luck, turns = twin.trial(number)
        game = logged_trial(match, alternative, settings, number, BRAIN)
        assert [turn.dice for turn in game] == [turn.dice for turn in turns]  # plays may tie
        assert row[PLAIN] == pytest.approx(worth, abs=1e-6)
        if measured and twin.sure:
            sure += 1
            assert row[PLAIN] - row[WORTH] == pytest.approx(luck, abs=1e-5)
    if measured:
        assert sure > len(rows) / 2
    return [float(each) for each in rows[:, PLAIN]]


def race(settings: RolloutSettings, match: MatchState = MONEY) -> list[float]:
    return alike(match, of_position(FAR_RACE, match, settings).alternatives[0], settings)


def contact(settings: RolloutSettings, match: MatchState = MONEY) -> list[float]:
    return alike(match, of_cube(Position.start(), match, settings).alternatives[1], settings)


@cache
def default(where: Any, settings: RolloutSettings) -> list[float]:
    found: list[float] = where(settings)
    return found


CHANGES: dict[str, dict[str, Any]] = {
    "plies": {"players": (RolloutPlayer(AHEAD), RolloutPlayer(AHEAD))},
    "plies of one player": {"players": (RolloutPlayer(AHEAD), PLAIN_PLAYER)},
    "plies of the other": {"players": (PLAIN_PLAYER, RolloutPlayer(AHEAD))},
    "a filter": {"players": (RolloutPlayer(NARROW), PLAIN_PLAYER)},
    "cube plies": {"players": (RolloutPlayer(cube=AHEAD), RolloutPlayer(cube=AHEAD))},
    "a noisy opponent": {"players": (PLAIN_PLAYER, NOISY)},
    "later plies": {"later": (DEEP, DEEP), "later_after": 2},
    "later plies of one player": {"later": (PLAIN_PLAYER, DEEP), "later_after": 1},
    "truncation": {"truncate": 4},
    "cubeless": {"cubeful": False},
    "databases": {"databases": True},
    "plain dice": {"stratified": False},
    "another seed": {"seed": 4},
    "no reduction": {"reduce_variance": False, "truncate": 3},
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_option_changes_trials_of_a_race_as_in_the_twin(name: str) -> None:
    assert race(replace(RACE, **CHANGES[name])) != default(race, RACE)


@pytest.mark.parametrize(
    "name", ["plies of one player", "a filter", "a noisy opponent", "later plies"]
)
def test_an_option_changes_trials_in_contact_as_in_the_twin(name: str) -> None:
    assert contact(replace(CONTACT, **CHANGES[name])) != default(contact, CONTACT)


def test_the_cut_is_judged_as_deep_as_asked() -> None:
    cut = replace(RACE, truncate=2)
    assert race(replace(cut, at_truncation=AHEAD)) != race(cut)


def test_trials_of_a_match_are_those_of_the_twin() -> None:
    settings = replace(RACE, seed=4)
    assert race(replace(settings, players=(DEEP, DEEP)), MATCH) != race(settings, MATCH)
    race(replace(RACE, truncate=2, at_truncation=AHEAD), MATCH)


def test_each_database_can_be_left_out() -> None:
    settings = replace(RACE, cubeful=False, databases=True)
    none = race(replace(settings, one_sided=False, two_sided=False))
    few = race(replace(settings, one_sided=False))
    both = race(replace(settings, two_sided=False))  # the one-sided ones know these positions too
    assert none == race(replace(settings, databases=False))
    assert none != few != both != none


def test_the_opening_roll_is_no_double_and_each_other_comes_equally_often() -> None:
    settings = replace(RACE, opening=True, truncate=1)
    for stratified in (True, False):
        each = replace(settings, stratified=stratified)
        alternative = of_position(Position.start(), MONEY, each).alternatives[0]
        games = [logged_trial(MONEY, alternative, each, n, BRAIN) for n in range(60)]
        rolls = [game[0].dice for game in games]
        assert not any(game[0].doubled for game in games)
        assert all(dice and dice[0] != dice[1] for dice in rolls)
        assert (len(set(rolls)) == len(set(rolls[:30])) == 30) is stratified
    race(replace(RACE, opening=True))


def test_plain_dice_do_not_spread_the_first_rolls() -> None:
    settings = replace(RACE, stratified=False, truncate=1)
    alternative = of_position(FAR_RACE, MONEY, settings).alternatives[0]
    games = [logged_trial(MONEY, alternative, settings, n, BRAIN) for n in range(36)]
    assert len({game[0].dice for game in games}) < 36


def test_a_rollout_ends_at_the_error_that_was_asked_for() -> None:
    settings = replace(RACE, trials=10 * LOOK, truncate=4, reduce_variance=False, cubeful=False)
    whole = of_position(FAR_RACE, MONEY, settings).run(BRAIN)[0]
    wanted = whole.error * 1.6  # 10 / 1.6 ** 2 is 4 looks
    ended = of_position(FAR_RACE, MONEY, replace(settings, stop_at_error=wanted)).run(BRAIN)[0]
    assert 3 * LOOK <= ended.trials <= 5 * LOOK
    assert ended.error <= wanted
    late = replace(settings, stop_at_error=wanted, stop_after=7 * LOOK - 1)
    assert of_position(FAR_RACE, MONEY, late).run(BRAIN)[0].trials == 7 * LOOK


def test_its_errors_are_of_what_it_gives_chances_of_the_match_included() -> None:
    rollout = of_position(FAR_RACE, MATCH, CONTACT)
    (row,), (errors,) = (by := rolled_by(rollout.run(BRAIN), 1)).outputs, by.errors
    worths = rollout.results[0][:, WORTH]
    assert row[-1] == pytest.approx(worths.mean())
    assert errors[-1] == pytest.approx(worths.std(ddof=1) / len(worths) ** 0.5)


def test_an_alternative_is_given_up_behind_one_that_is_known_well_enough() -> None:
    settings = replace(
        RACE, trials=6 * LOOK, truncate=1, cubeful=False, reduce_variance=False,
        stop_at=3.0, stop_at_error=0.01, stop_after=LOOK,
    )  # fmt: skip
    plays = [each.play for each in legal_plays(FAR_RACE, (5, 2))][:2]
    rollout = of_plays(FAR_RACE, MONEY, plays, settings)
    draws = np.random.default_rng(1)
    for i, (mean, spread, count) in enumerate(((0.5, 0.01, LOOK), (-0.5, 1.0, 2 * LOOK))):
        rollout.results[i] = np.zeros((count, COLUMNS))
        rollout.results[i][:, WORTH] = draws.normal(mean, spread, count)
    rollout.stopped = [True, False]
    assert [each.trials for each in rollout.run(BRAIN)] == [LOOK, 3 * LOOK]


def test_with_every_option_threads_and_stopping_change_nothing(tmp_path: Any) -> None:
    settings = RolloutSettings(
        trials=2 * LOOK, truncate=5, seed=9, players=(DEEP, NOISY), later=(PLAIN_PLAYER, DEEP),
        later_after=2, at_truncation=AHEAD, one_sided=False, stratified=False, stop_at=3.0,
        stop_after=LOOK, stop_at_error=0.02,
    )  # fmt: skip
    random = replace(NOISY.checker, deterministic=False)
    settings = replace(settings, players=(DEEP, RolloutPlayer(random, random)))
    plays = [each.play for each in legal_plays(FAR_RACE, (5, 2))][:2]
    whole = of_plays(FAR_RACE, MONEY, plays, settings).run(BRAIN, threads=3)
    part = of_plays(FAR_RACE, MONEY, plays, replace(settings, trials=50, stop_at_error=0.0))
    part.run(BRAIN, save=tmp_path / "state")
    rest = of_plays(FAR_RACE, MONEY, plays, settings)
    rest.resume(tmp_path / "state")
    assert rest.run(BRAIN) == whole


def test_the_luck_that_is_taken_out_is_nought_on_average() -> None:
    """The exact value of what a random net plays, with and without reduction of the variance."""
    settings = replace(RACE, trials=4320, cubeful=False)
    for position in (
        Position(side(24), side(24)),  # contact, then a race and the databases
        Position(side(5, 7), side(4, 8)),  # a race, then the databases
    ):
        truth = exact(position)
        for reduced in (True, False):
            each = replace(settings, reduce_variance=reduced, stratified=reduced)
            found = of_position(position, MONEY, each).run(BRAIN)[0]
            assert found.equity == pytest.approx(truth, abs=3.5 * found.error)
            assert found.error < 0.05


def exact(start: Position) -> float:
    """The value of a position without a cube as our net plays, from the equations of all values."""
    search, look = Search(BRAIN), Evaluation(prune=False, cubeful=False)
    values, moves, new = {}, {}, [start]
    while new:
        position = new.pop()
        if position in values:
            continue
        values[position] = float(position.result())
        if not position.is_over():
            moves[position] = [
                (search.plays(position, MONEY, roll, look)[0].result.flipped(), weight / 36)
                for roll in ROLLS
                for weight in [1 if roll[0] == roll[1] else 2]
            ]
            new += [result for result, _ in moves[position]]
    change = 1.0
    while change > 1e-9:
        change = 0.0
        for position, results in moves.items():
            value = -sum(weight * values[result] for result, weight in results)
            change = max(change, abs(value - values[position]))
            values[position] = value
    return values[start]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"stop_at_error": -1.0}, "stop_at_error -1.0: a finite number of"),
        ({"later_after": -1}, "later_after -1: a finite number of"),
        ({"players": (DEEP, RolloutPlayer(Evaluation(7)))}, "7 plies: 0 to 4"),
        ({"at_truncation": Evaluation(-1)}, "-1 plies: 0 to 4"),
    ],
)
def test_a_senseless_option_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadRollout, match=said):
        of_position(FAR_RACE, MONEY, replace(RACE, **wrong))


def test_only_a_position_can_be_rolled_out_from_the_opening_roll() -> None:
    opening = replace(RACE, opening=True)
    with pytest.raises(BadRollout, match="opening roll"):
        of_cube(FAR_RACE, MONEY, opening)
    with pytest.raises(BadRollout, match="opening roll"):
        of_plays(FAR_RACE, MONEY, [legal_plays(FAR_RACE, (5, 2))[0].play], opening)
    assert np.isfinite(of_position(FAR_RACE, MONEY, opening).run(BRAIN)[0].equity)
