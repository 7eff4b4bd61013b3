"""One trial of a rollout: a game from a position to its end, or to its truncation.

Results are float64[6] from the side of the root player (side 0): the five chances and the worth
(engine.kernels.cube). With variance reduction the luck of the rolls (engine.kernels.luck) is taken
out of all six, at 0-ply after pruning.

To measure the luck of a roll takes ten times as long as to play it. Mostly the luck equals the
change of our own value of the game in that turn: the two differ where that value is wrong, and less
if less is at stake. So if trials begin in contact, lots decide which turns are measured, more of
them where more is at stake. The change in value stands in for the luck of the other turns, and the
measured turns make up for them: they count the difference 1 / chance times. This is unbiased even
if the values are wrong.

Dice: for the first turns the roll comes from permutations of the 36 rolls, so that over 36 trials
each first roll, and over 1296 each pair of rolls, comes up equally often; later rolls are random,
from the trial's own seed. So a trial depends neither on the others nor on the machine.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.choosing import RankedPlays, choose, ranked_plays
from sixprime.engine.kernels.cube import CUBE, MONEY, OWNER, THEIRS, may_double, pass_worth
from sixprime.engine.kernels.evaluation import CONTACT, ONE_SIDED, OVER, TWO_SIDED, judge
from sixprime.engine.kernels.inputs import is_race
from sixprime.engine.kernels.luck import (
    FIRST_ROLLS,
    RESULTS,
    WORTH,
    Averages,
    averages,
    for_root,
    known_luck,
    luck_of_roll,
    play_roll,
    shared_luck,
)
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.kernels.memory import salt_of, scramble
from sixprime.engine.kernels.moves import NONE, ONE, PLACES, TWO, copy_board
from sixprime.engine.kernels.network import (
    JUDGED,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    OUTPUTS,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    money,
)
from sixprime.engine.kernels.tree import (
    CHECKERS,
    CUBEFUL,
    KEEP,
    TreeSearch,
    as_it_is,
    before_roll,
    dead,
    expect,
    worths_of,
)

PLAIN = 6  # the worth with its luck left in
LONGEST = 1000  # turns; then the position is judged as it stands

# The chance to measure the luck of a turn, by the standard deviation of the result of the game.
IN_CONTACT, IN_RACE = 1.1, 0.5
LEAST = 0.4
SHARED = 4  # turns in which trials often meet the same positions
GUESSED = 2  # replies that measure the luck of a roll; all of them would take twice the time
GAMMONLESS = np.float32(0.002)  # chance of gammons below which races are pruned, too

# indices of looks: phase, then side, then CHECKER or CUBE_ACTION; after them two more
CHECKER, CUBE_ACTION = range(2)
LATER = 4  # the first look of the second phase
AT_THE_CUT = 8
LUCK = 9  # its terms are also common to all values
LOOKS = 10

# options int64[7]; a double is refused before the first roll unless FIRST_DOUBLE is set
TRUNCATE, REDUCE, TWO_SIDED_ENDS, ONE_SIDED_ENDS, FIRST_DOUBLE, OPENING, LATER_AFTER = range(7)

# log int8[turns, LOG]: a row a turn, then the board after it, as the next player sees it
SIDE, DIE_1, DIE_2, TURNED, LOGGED = range(5)
LOG = LOGGED + 2 * PLACES
NOT_TURNED, PASSED, TAKEN = range(3)  # the values of TURNED


class TrialStart(NamedTuple):
    """The position and cube at the start of trials."""

    board: NDArray[np.int8]  # [2, 25]
    side: int  # the side on roll; 0 is the root player
    cube: int
    owner: int  # of the cube, as the player on roll sees it


class TrialDice(NamedTuple):
    """The source of the trials' dice."""

    permutations: NDArray[np.int8]  # [levels, turns, 36]
    seed: int


class TrialLooks(NamedTuple):
    """The depth of the players' evaluations, by the indices above."""

    searches: tuple[Held[TreeSearch], ...]
    plies: NDArray[np.int64]  # [LOOKS]
    filters: NDArray[np.float64]  # [LOOKS, plies, 3]: engine.kernels.choosing


class TrialPlan(NamedTuple):
    """The settings shared by all trials of one alternative."""

    start: TrialStart
    dice: TrialDice
    looks: TrialLooks
    options: NDArray[np.int64]
    keep: int  # plays of a roll that the pruning net leaves; 0: all


class TrialScratch(NamedTuple):
    """The state of a trial, and scratch."""

    board: NDArray[np.int8]  # [2, 25], as the player on roll sees it
    known: NDArray[np.int64]  # [1]: its class if `outcomes` are known, else -1
    outcomes: NDArray[np.float32]  # [8]
    state: NDArray[np.int64]  # [2]: CUBE and OWNER
    luckless: NDArray[np.float64]  # [RESULTS]: minus the luck of all turns so far
    lots: NDArray[np.float64]  # [1]: sum of the chances since the last measured turn, below 1
    weight: NDArray[np.float64]  # [1]: of the luck measured in the last turn
    before: NDArray[np.float64]  # [RESULTS]: the value of the game before the last roll
    value: NDArray[np.float64]  # [RESULTS]
    luck: NDArray[np.float64]  # [RESULTS], of a roll
    average: NDArray[np.float64]  # [RESULTS], of all rolls
    averages: Averages
    choice: RankedPlays


def trial_scratch() -> TrialScratch:
    """Return scratch for one thread."""
    return TrialScratch(
        np.zeros((2, PLACES), np.int8),
        np.zeros(1, np.int64),
        np.zeros(JUDGED, np.float32),
        np.zeros(2, np.int64),
        np.zeros(RESULTS),
        np.zeros(1),
        np.zeros(1),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
        averages(),
        ranked_plays(),
    )


@kernel
def roll_of(trial, turn, permutations, seed):
    """Return the dice of a turn of a trial; permutations int8[levels, turns, 36]."""
    levels, turns, rolls = permutations.shape
    if turn < turns:
        roll = 0
        share = trial
        for level in range(min(turn + 1, levels)):
            roll = permutations[level, turn, (share + roll) % rolls]
            share //= rolls
        return roll // 6 + 1, roll % 6 + 1
    key = scramble(np.uint64(seed) ^ scramble(np.uint64(trial)))
    key = scramble(key + np.uint64(turn))
    return np.int64(key % np.uint64(6)) + 1, np.int64((key >> np.uint64(32)) % np.uint64(6)) + 1


@kernel
def opening_trial(number, dice):
    """Return the number of the trial to play instead if the first roll must not be a double."""
    left = number % FIRST_ROLLS
    trial = 36 * (number // FIRST_ROLLS) - 1
    while left >= 0:
        trial += 1
        die1, die2 = roll_of(trial, NONE, dice.permutations, dice.seed)
        if die1 != die2:
            left -= 1
    return trial


@kernel
def next_roll(plan, number, turn):
    """Return the dice of a turn; the opening roll is not a double."""
    permutations, seed = plan.dice
    die1, die2 = roll_of(number, turn, permutations, seed)
    again = np.int64(LONGEST)
    while turn == 0 and plan.options[OPENING] == 1 and die1 == die2:
        again += 1
        die1, die2 = roll_of(number, again, permutations, seed)
    return die1, die2


@kernel
def knows(kind, terms, options):
    """Return whether a trial ends here because a database knows the rest of the game."""
    if kind == OVER:
        return True
    if kind == TWO_SIDED and options[TWO_SIDED_ENDS] == 1:
        return terms.settings[CUBEFUL] == 0 or terms.rules[MONEY] == 1
    return kind <= ONE_SIDED and options[ONE_SIDED_ENDS] == 1 and terms.settings[CUBEFUL] == 0


@kernel
def put_at_root(scratch, walk):
    """Put the trial's board and cube at depth 0 of the walk."""
    copy_board(scratch.board, walk.boards[0])
    walk.known[0] = scratch.known[0]
    for k in range(JUDGED):
        walk.outcomes[0, k] = scratch.outcomes[k]
    walk.states[0, 0, CUBE] = scratch.state[CUBE]
    walk.states[0, 0, OWNER] = scratch.state[OWNER]


@kernel
def turn_cube(search, plies, scratch, side):
    """Double if that is right; return NOT_TURNED, PASSED or TAKEN.

    The board at depth 0 is judged; a take changes scratch.state.
    """
    terms, walk = search.terms, search.walk
    cube = scratch.state[CUBE]
    if terms.settings[CUBEFUL] == 0 or not may_double(
        side, cube, scratch.state[OWNER], terms.rules
    ):
        return NOT_TURNED
    walk.states[0, 1, CUBE] = 2 * cube
    walk.states[0, 1, OWNER] = THEIRS
    kind = scratch.known[0]
    if plies > 0 or terms.noise[0] > 0.0:
        walk.known[0] = -1
        walk.counts[0] = TWO
        before_roll(search, plies, side, scratch.choice.stop)
        no_double, taken = walk.worths[0, 0], walk.worths[0, 1]
    else:
        no_double = as_it_is(search, kind, side, NONE)
        taken = as_it_is(search, kind, side, ONE)
    passed = pass_worth(side, cube, terms.rules, terms.chances)
    if min(taken, passed) < no_double:
        return NOT_TURNED
    if passed <= taken:
        return PASSED
    scratch.state[CUBE] = 2 * cube
    scratch.state[OWNER] = THEIRS
    return TAKEN


@kernel
def play(search, plan, look, scratch, side, die1, die2):
    """Play a roll at this depth; the board in `scratch` is then the opponent's."""
    walk, plies = search.walk, plan.looks.plies[look]
    if plies == 0:
        keep = search.terms.settings[KEEP]
        search.terms.settings[KEEP] = plan.keep
        play_roll(search, side, die1, die2)
        search.terms.settings[KEEP] = keep
        copy_board(walk.boards[1], scratch.board)
        scratch.known[0] = walk.known[1]
        for k in range(JUDGED):
            scratch.outcomes[k] = walk.outcomes[1, k]
    else:
        how = (plies, plan.keep, plan.looks.filters[look])
        best = choose(search, scratch.choice, how, side, die1, die2)
        copy_board(scratch.choice.boards[best], scratch.board)
        scratch.known[0] = scratch.choice.known[best]
        for k in range(JUDGED):
            scratch.outcomes[k] = scratch.choice.outcomes[best, k]
    if search.terms.noise[0] > 0.0:
        scratch.known[0] = -1
    scratch.state[OWNER] = THEIRS - scratch.state[OWNER]


@kernel
def value_now(search, kind, side, out):
    """Fill float64[6] with the root player's value of the judged board at depth 0."""
    walk = search.walk
    outcomes, worths = walk.outcomes[0], walk.worths[0]
    worths_of(search, walk.boards[0], kind, outcomes, side, walk.states[0], ONE, worths)
    for_root(side, outcomes, worths[0], search.terms, out)


@kernel
def stake(outcomes):
    """Return the standard deviation of the result of a game for money."""
    equity = money(outcomes)
    gammons = outcomes[WIN_GAMMON] + outcomes[LOSE_GAMMON]
    backgammons = outcomes[WIN_BACKGAMMON] + outcomes[LOSE_BACKGAMMON]
    square = 1.0 + 3.0 * gammons + 5.0 * backgammons
    return np.sqrt(max(square - equity * equity, 0.0))


@kernel
def draw_lots(scratch):
    """Set the weight of the luck of the next roll, 0 if that is not to be measured.

    The chances add up from turn to turn, so that measured turns are spread evenly.
    """
    factor = IN_CONTACT if scratch.known[0] == CONTACT else IN_RACE
    chance = min(max(factor * stake(scratch.outcomes), LEAST), 1.0)
    scratch.lots[0] += chance
    scratch.weight[0] = 0.0
    if scratch.lots[0] >= 1.0:
        scratch.lots[0] -= 1.0
        scratch.weight[0] = 1.0 / chance


@kernel
def add_luck(search, plan, scratch, turn, side, die1, die2):
    """Subtract the luck of a roll from the sum, if lots choose it. Nothing is played."""
    kind, value, luck = scratch.known[0], scratch.value, scratch.luck
    settings, start = search.terms.settings, plan.start.board
    opening = turn == 0 and plan.options[OPENING] == 1
    is_known = kind <= ONE_SIDED and settings[CUBEFUL] == 0
    scratch.weight[0] = 1.0
    if not is_known and turn >= SHARED and not is_race(start[0], start[1]):
        draw_lots(scratch)
        value_now(search, kind, side, scratch.before)
    weight = scratch.weight[0]
    if weight == 0.0:
        return
    if is_known:
        known_luck(search, kind, side, die1, die2, value, luck)
    else:
        keep = settings[KEEP]
        gammons = scratch.outcomes[WIN_GAMMON] + scratch.outcomes[LOSE_GAMMON]
        if kind == CONTACT or gammons < GAMMONLESS:
            settings[KEEP] = -keep
        if turn < SHARED:
            shared_luck(search, side, die1, die2, opening, scratch.averages, value, luck)
        else:
            luck_of_roll(search, side, die1, die2, opening, value, scratch.average, luck)
        settings[KEEP] = keep
    for k in range(RESULTS):
        scratch.luckless[k] -= weight * luck[k]


@kernel
def add_change(search, scratch, kind, side):
    """Subtract the change in value for the share of the last turn's luck that was not measured."""
    if scratch.weight[0] == 1.0:
        return
    value_now(search, kind, side, scratch.value)
    for k in range(RESULTS):
        change = scratch.value[k] - scratch.before[k]
        scratch.luckless[k] -= (1.0 - scratch.weight[0]) * change


@kernel
def begin_trial(plan, scratch, number):
    copy_board(plan.start.board, scratch.board)
    scratch.known[0] = -1
    scratch.state[CUBE] = plan.start.cube
    scratch.state[OWNER] = plan.start.owner
    for k in range(RESULTS):
        scratch.luckless[k] = 0.0
    key = scramble(~np.uint64(plan.dice.seed) ^ scramble(np.uint64(number)))
    scratch.lots[0] = np.float64(key >> np.uint64(11)) / 2.0**53
    scratch.weight[0] = 1.0
    for look in plan.looks.searches:
        look.terms.draws[1] = scramble(np.uint64(number))


@kernel
def trial(search, plan, scratch, number, log, out):
    """Play one trial; fill float64[7], the last figure the worth with its luck.

    `search` has the terms LUCK; log int8[turns, LOG] is filled as far as it reaches.
    """
    brain, terms, work, walk = search.brain, search.terms, search.work, search.walk
    looks, options = plan.looks, plan.options
    if options[OPENING] == 1 and plan.dice.permutations.shape[1] > 0:
        number = opening_trial(number, plan.dice)
    begin_trial(plan, scratch, number)
    side = plan.start.side
    turn = 0
    while True:
        if scratch.known[0] < 0:
            scratch.known[0] = judge(
                brain, scratch.board, terms.settings[CHECKERS], work, scratch.outcomes
            )
        kind = scratch.known[0]
        put_at_root(scratch, walk)
        add_change(search, scratch, kind, side)
        first_look = 2 * side + (LATER if turn >= options[LATER_AFTER] else 0)
        may_double = turn > 0 or options[FIRST_DOUBLE] == 1
        cut = turn == LONGEST or (options[TRUNCATE] > 0 and turn >= options[TRUNCATE])
        if turn < len(log):
            log[turn, SIDE] = side
            log[turn, DIE_1] = 0
            log[turn, TURNED] = NOT_TURNED
        if cut or knows(kind, terms, options):
            settle(search, plan, scratch, side, may_double, out)
            break
        if may_double:
            look = first_look + CUBE_ACTION
            deeper = looks.searches[look]
            turned_cube = turn_cube(deeper, looks.plies[look], scratch, side)
            if turn < len(log):
                log[turn, TURNED] = turned_cube
            if turned_cube == PASSED:
                passed = pass_worth(side, scratch.state[CUBE], terms.rules, terms.chances)
                for k in range(OUTPUTS):
                    scratch.outcomes[k] = 0.0
                scratch.outcomes[0] = 1.0
                for_root(side, scratch.outcomes, passed, terms, out)
                break
            put_at_root(scratch, walk)
        die1, die2 = next_roll(plan, number, turn)
        if options[REDUCE] == 1:
            add_luck(search, plan, scratch, turn, side, die1, die2)
        look = first_look + CHECKER
        deeper = looks.searches[look]
        play(deeper, plan, look, scratch, side, die1, die2)
        if turn < len(log):
            log[turn, DIE_1] = die1
            log[turn, DIE_2] = die2
            for place in range(PLACES):
                log[turn, LOGGED + place] = scratch.board[0, place]
                log[turn, LOGGED + PLACES + place] = scratch.board[1, place]
        side = 1 - side
        turn += 1
    out[PLAIN] = out[WORTH]
    for k in range(RESULTS):
        out[k] += scratch.luckless[k]


@kernel
def settle(search, plan, scratch, side, may_double, out):
    """Fill the result of the judged board at depth 0, the end of a trial, perhaps with a double."""
    terms, walk, kind = search.terms, search.walk, scratch.known[0]
    outcomes, states = walk.outcomes[0], walk.states[0]
    plies = plan.looks.plies[AT_THE_CUT]
    if kind == OVER:
        worth = dead(outcomes, side, scratch.state[CUBE], scratch.state[OWNER], terms)
    elif plies > 0:
        deeper = plan.looks.searches[AT_THE_CUT]
        walk.counts[0] = 1
        if may_double:
            expect(deeper, NONE, plies, side, scratch.choice.stop)
        else:
            before_roll(deeper, plies, side, scratch.choice.stop)
        worth = walk.worths[0, 0]
    elif not may_double:
        worth = as_it_is(search, kind, side, NONE)
    else:
        worths_of(search, walk.boards[0], kind, outcomes, side, states, ONE, walk.worths[0])
        worth = walk.worths[0, 0]
    for_root(side, outcomes, worth, terms, out)


@kernel
def trials(search, plan, scratch, first, log, outs):
    """Play trials first, first + 1, ... into float64[n, 7]; the log keeps the last."""
    scratch.averages.salt[0] = salt_of(search.terms)
    for i in range(len(outs)):
        trial(search, plan, scratch, first + i, log, outs[i])
