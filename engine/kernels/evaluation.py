"""Boards -> five probabilities, each class of position by its most exact source.

The rules score finished games; the two-sided database knows bearoffs with few checkers, the
one-sided one others with all checkers home; other races and contact have a net each. In a race
where one side only has to bear off, tables also give the other's chance of a backgammon.

`judge` answers for the player on roll. `judge_results` answers for the player who has just moved,
for many results at once: it builds the first layer's sums for the unmoved board and then only
exchanges the rows in which a result differs; later layers take ROWS results at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.lookup import (
    bearoff_outcomes,
    inside,
    inside_two_sided,
    outcomes_of_ranks,
    two_sided_outcomes,
)
from sixprime.engine.kernels.bearoff.ranks import HOME, rank_of
from sixprime.engine.kernels.inputs import COUNT_ROWS, SLOTS, any_off, encode, is_race, phase_of
from sixprime.engine.kernels.machine.compiled import kernel, stay_whole
from sixprime.engine.kernels.machine.vectors import NO_BITS, ONE_BIT, ROW_LANES, ROWS, SMALL, TAILS
from sixprime.engine.kernels.memory import scramble
from sixprime.engine.kernels.moves import CAPACITY, PLACES, RollResults, flip, roll_results
from sixprime.engine.kernels.network import (
    JUDGED,
    OUTPUTS,
    Net,
    build,
    constrain,
    constrain_gammons,
    finish,
    finish_rows,
    squash,
    turn_round,
    update,
)
from sixprime.engine.kernels.races import (
    SideScratch,
    judge_race,
    judge_race_results,
    side_scratch,
)

OVER, TWO_SIDED, ONE_SIDED, RACE, CONTACT = range(5)  # classes of positions
DATABASE_CHECKERS = 15  # the bearoff databases are for the standard game
PAIR = 6  # checkers a side in the two-sided one
LINE = 64  # bytes
HITS = 5  # in one play: none to four
LIKELY = 12  # results that a rough guess leaves


class Brain(NamedTuple):
    """The nets and databases that evaluations use."""

    contact: Net
    race: Net  # for other numbers of checkers
    pruner: Net  # a small net that only ranks replies inside a search
    sides: Net  # of one side of a race (engine.kernels.races)
    tails: NDArray[np.uint16]  # bearoff_outcomes: the one-sided database
    gammon_tails: NDArray[np.uint16]
    binomials: NDArray[np.int64]
    words: NDArray[np.uint16]  # two_sided_equity: the two-sided one
    word_binomials: NDArray[np.int64]
    leaving: NDArray[np.uint16]  # rolls to bring the last checkers out of the other's home
    far_tails: NDArray[np.uint16]  # a one-sided database of more points, or empty
    far_gammon_tails: NDArray[np.uint16]
    far_binomials: NDArray[np.int64]
    reach: NDArray[np.int64]  # [3]: points of the user's own, points and checkers of words; or 0


class Rows(NamedTuple):
    """Scratch for a net that judges ROWS positions at a time."""

    sums: NDArray[np.int16]  # [ROWS, ...], and so on
    wide: NDArray[np.float32]
    middle: NDArray[np.float32]
    narrow: NDArray[np.float32]
    logits: NDArray[np.float32]
    places: NDArray[np.int64]  # [ROWS]: their numbers among the results


class Layers(NamedTuple):
    """Scratch for one net."""

    old_slots: NDArray[np.int16]  # of the unmoved board, for the opponent on roll
    old_sums: NDArray[np.int16]
    slots: NDArray[np.int16]
    sums: NDArray[np.int16]
    middle: NDArray[np.float32]
    narrow: NDArray[np.float32]
    rows: Rows


class Guesses(NamedTuple):
    """Scratch for the pruning net, which judges TAILS results at a time."""

    slots: NDArray[np.int16]  # [TAILS, SLOTS]
    sums: NDArray[np.int16]  # [TAILS, ROW_LANES]
    values: NDArray[np.float32]  # [TAILS, ...]
    columns: NDArray[np.float32]  # [wide, COUNT_ROWS]: its table's rows of counts, by column
    board: NDArray[np.int16]  # [SLOTS]: the board of `slopes` and `rows`
    slopes: NDArray[np.float32]  # [wide]
    rows: NDArray[np.float32]  # [COUNT_ROWS]
    best: NDArray[np.float64]  # [HITS, LIKELY]: scores of results by their number of hits


class Scratch(NamedTuple):
    """Scratch for a thread: all that generating and judging plays writes to."""

    contact: Layers
    race: Layers
    side: SideScratch
    pruner: Layers
    rolled: RollResults
    outcomes: NDArray[np.float32]  # [CAPACITY, 8]: of contact with the cube's life
    kinds: NDArray[np.int64]  # [CAPACITY], OVER .. CONTACT
    races: NDArray[np.int64]  # [CAPACITY]: numbers of the results that are races
    scores: NDArray[np.float64]  # [CAPACITY]
    slots: NDArray[np.int16]  # [CAPACITY, SLOTS]
    tails: NDArray[np.int64]  # [CAPACITY]: the tail of the net that judges it
    guesses: Guesses
    turned: NDArray[np.float32]  # [8]
    turned_board: NDArray[np.int8]  # [2, 25]


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that starts on a cache line, so that no vector in it straddles two."""
    memory = np.empty(array.nbytes + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    bytes_of = memory[start : start + array.nbytes]
    copy: NDArray[Any] = bytes_of.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def layers(net: Net) -> Layers:
    """Return scratch that fits a net."""
    wide, middle, narrow = len(net.bias), net.b1.shape[1], net.b2.shape[1]
    return Layers(
        aligned(np.zeros(SLOTS, np.int16)),
        aligned(np.zeros(wide, np.int16)),
        aligned(np.zeros(SLOTS, np.int16)),
        aligned(np.zeros(wide, np.int16)),
        aligned(np.zeros(middle, np.float32)),
        aligned(np.zeros(narrow, np.float32)),
        Rows(
            aligned(np.zeros((ROWS, wide), np.int16)),
            aligned(np.zeros((ROWS, wide), np.float32)),
            aligned(np.zeros((ROWS, middle), np.float32)),
            aligned(np.zeros((ROWS, narrow), np.float32)),
            aligned(np.zeros((ROWS, net.b3.shape[1]), np.float32)),
            np.zeros(ROWS, np.int64),
        ),
    )


def scratch_for(brain: Brain) -> Scratch:
    """Return scratch for one thread that uses this brain."""
    return Scratch(
        layers(brain.contact),
        layers(brain.race),
        side_scratch(brain.sides),
        layers(brain.pruner),
        roll_results(),
        np.zeros((CAPACITY, JUDGED), np.float32),
        np.zeros(CAPACITY, np.int64),
        np.zeros(CAPACITY, np.int64),
        np.zeros(CAPACITY, np.float64),
        np.zeros((CAPACITY, SLOTS), np.int16),
        np.zeros(CAPACITY, np.int64),
        Guesses(
            aligned(np.zeros((TAILS, SLOTS), np.int16)),
            aligned(np.zeros((TAILS, ROW_LANES), np.int16)),
            aligned(np.zeros((TAILS, ROW_LANES + 2 * SMALL), np.float32)),
            aligned(brain.pruner.table[:COUNT_ROWS].T.astype(np.float32)),
            np.zeros(SLOTS, np.int16),
            aligned(np.zeros(len(brain.pruner.bias), np.float32)),
            aligned(np.zeros(COUNT_ROWS, np.float32)),
            np.zeros((HITS, LIKELY)),
        ),
        np.zeros(JUDGED, np.float32),
        np.zeros((2, PLACES), np.int8),
    )


@kernel
def is_over(mine, theirs):
    """Return whether either side has no checker left."""
    left = 0
    their_left = 0
    for place in range(25):
        left += mine[place]
        their_left += theirs[place]
    return left == 0 or their_left == 0


@kernel
def checkers_at_home(side):
    """Count the checkers of a side on its points 1..HOME."""
    count = 0
    for place in range(HOME):
        count += side[place]
    return count


@kernel
def final(mine, theirs, checkers, out):
    """Fill the outcome of a finished game for the owner of `mine`."""
    for k in range(OUTPUTS):
        out[k] = 0.0
    left = 0
    their_left = 0
    far = 0  # the loser's checkers in the winner's home or on the bar
    their_far = 0
    for place in range(25):
        left += mine[place]
        their_left += theirs[place]
        if place >= 18:
            far += mine[place]
            their_far += theirs[place]
    if left == 0:
        out[0] = 1.0
        if their_left == checkers:
            out[1] = 1.0
            if their_far > 0:
                out[2] = 1.0
    elif left == checkers:
        out[3] = 1.0
        if far > 0:
            out[4] = 1.0


@kernel
def class_of(board, checkers):
    """Return the class of int8[2, 25], OVER .. CONTACT."""
    if is_over(board[0], board[1]):
        return OVER
    if not is_race(board[0], board[1]):
        return CONTACT
    if checkers != DATABASE_CHECKERS or not inside(board, HOME):
        return RACE
    return TWO_SIDED if inside_two_sided(board, HOME, PAIR) else ONE_SIDED


@kernel
def kind_of(brain, board, checkers):
    """Return the class of a board, the user's own databases included."""
    kind = class_of(board, checkers)
    points = brain.reach[0]
    if points == 0 or checkers != DATABASE_CHECKERS or (kind != RACE and kind != ONE_SIDED):
        return kind
    if inside_two_sided(board, brain.reach[1], brain.reach[2]):
        return TWO_SIDED
    return ONE_SIDED if inside(board, points) else RACE


@kernel
def look_up(brain, board, checkers, kind, out):
    """Fill float32[5] for the player on roll of a board of class OVER, TWO_SIDED or ONE_SIDED."""
    if kind == OVER:
        final(board[0], board[1], checkers, out)
    elif kind == TWO_SIDED:
        two_sided_outcomes(board, brain.words, brain.word_binomials, out)
    elif inside(board, HOME):
        bearoff_outcomes(board, brain.tails, brain.gammon_tails, brain.binomials, out)
    else:
        bearoff_outcomes(board, brain.far_tails, brain.far_gammon_tails, brain.far_binomials, out)


@kernel
def judge(brain, board, checkers, work, out):
    """Fill float32[5 or 8] for the player on roll of int8[2, 25]; return the class."""
    stay_whole()
    kind = kind_of(brain, board, checkers)
    if kind <= ONE_SIDED:
        look_up(brain, board, checkers, kind, out)
        return kind
    if kind == RACE and checkers == DATABASE_CHECKERS:
        judge_race(brain, board, work.side, out)
        return kind
    if kind == RACE:
        net = brain.race
        layer = work.race
    else:
        net = brain.contact
        layer = work.contact
    encode(board[0], board[1], checkers, layer.slots)
    build(net, layer.slots, layer.sums)
    finish(net, layer.slots, layer.sums, layer.middle, layer.narrow, out)
    constrain(board[0], board[1], checkers, out)
    return kind


@kernel
def prepare(net, layer, board, checkers):
    """Build the sums of the unmoved board, opponent on roll; results are updated from them.

    They stay if the last board prepared, for another roll, was the same.
    """
    encode(board[1], board[0], checkers, layer.slots)
    same = True
    for i in range(SLOTS):
        same &= layer.slots[i] == layer.old_slots[i]
        layer.old_slots[i] = layer.slots[i]
    if not same:
        build(net, layer.old_slots, layer.old_sums)


@kernel
def judge_results(brain, board, checkers, count, work):
    """Fill work.outcomes and work.kinds: the mover's chances after each of the roll's results."""
    stay_whole()
    if checkers == DATABASE_CHECKERS and brain.reach[0] == 0 and inside(board, HOME):
        look_up_results(brain, board, count, work)
        return
    sided, races, contacts = 0, 0, 0
    turned_board = work.turned_board
    for i in range(count):
        result = work.rolled.results[i]
        kind = kind_of(brain, result, checkers)
        work.kinds[i] = kind
        if kind == RACE and checkers == DATABASE_CHECKERS:
            work.races[sided] = i
            sided += 1
            continue
        flip(result, turned_board)
        if kind <= ONE_SIDED:
            look_up(brain, turned_board, checkers, kind, work.outcomes[i])
            continue
        encode(turned_board[0], turned_board[1], checkers, work.slots[i])
        races += kind == RACE
        contacts += kind == CONTACT
    if sided > 0:
        results, which = work.rolled.results, work.races[:sided]
        judge_race_results(brain, board[1], results, which, work.side, work.outcomes)
    if races > 0:
        judge_class(brain.race, work.race, RACE, board, checkers, count, work)
    if contacts > 0:
        judge_class(brain.contact, work.contact, CONTACT, board, checkers, count, work)
    for i in range(count):
        for k in range(JUDGED):
            work.turned[k] = work.outcomes[i, k]
        turn_round(work.turned, work.outcomes[i])


@kernel
def look_up_results(brain, board, count, work):
    """Fill as `judge_results` a bearoff, in which the opponent's rank stays."""
    tails, gammon_tails, binomials = brain.tails, brain.gammon_tails, brain.binomials
    theirs = rank_of(board[1], HOME, binomials)
    their_left = checkers_at_home(board[1])
    for i in range(count):
        result = work.rolled.results[i]
        left = checkers_at_home(result[0])
        if left == 0:
            work.kinds[i] = OVER
            final(result[0], result[1], DATABASE_CHECKERS, work.outcomes[i])
            continue
        if left <= PAIR and their_left <= PAIR:
            work.kinds[i] = TWO_SIDED
            flip(result, work.turned_board)
            words = brain.words, brain.word_binomials
            two_sided_outcomes(work.turned_board, *words, work.turned)
        else:
            work.kinds[i] = ONE_SIDED
            mine = rank_of(result[0], HOME, binomials)
            outcomes_of_ranks(theirs, mine, tails, gammon_tails, work.turned)
        turn_round(work.turned, work.outcomes[i])


@kernel
def judge_class(net, layer, kind, board, checkers, count, work):
    """Fill work.outcomes of encoded results of a class, for the opponent.

    Results with the same tail of the net are judged together.
    """
    prepare(net, layer, board, checkers)
    met = NO_BITS
    for i in range(count):
        if work.kinds[i] == kind:
            work.tails[i] = phase_of(work.slots[i]) if len(net.b1) > 1 else 0
            met |= ONE_BIT << np.uint64(work.tails[i])
    rows = layer.rows
    for tail in range(len(net.b1)):
        if (met >> np.uint64(tail)) & ONE_BIT == NO_BITS:
            continue
        filled = 0
        for i in range(count):
            if work.kinds[i] != kind or work.tails[i] != tail:
                continue
            update(net, layer.old_slots, layer.old_sums, work.slots[i], rows.sums[filled])
            rows.places[filled] = i
            filled += 1
            if filled == ROWS:
                judge_rows(net, layer, tail, filled, work)
                filled = 0
        if filled > 0:
            judge_rows(net, layer, tail, filled, work)


@kernel
def judge_rows(net, layer, tail, count, work):
    """Fill work.outcomes of the first `count` of layer.rows by a tail of the net."""
    rows = layer.rows
    if count > 1:
        finish_rows(net, tail, rows, count)
    for row in range(count):
        place = rows.places[row]
        slots, out = work.slots[place], work.outcomes[place]
        if count > 1:
            squash(rows.logits[row], out)
        else:
            finish(net, slots, rows.sums[row], layer.middle, layer.narrow, out)
        constrain_gammons(out, any_off(slots, 0), any_off(slots, 1))


@kernel
def judge_many(brain, boards, checkers, work, outs):
    """Fill float32[n, 5] for the players on roll of int8[n, 2, 25]."""
    for i in range(len(boards)):
        judge(brain, boards[i], checkers, work, outs[i])


@kernel
def disturb(board, terms, checkers, out):
    """Add noise to the outcomes of a board, to play like someone who misjudges positions.

    It is normal, a quarter as much for gammons as for wins, a hundredth for backgammons. Without a
    seed it is a function of the position alone; with a seed it differs at each call.
    """
    key = np.uint64(0x9E3779B97F4A7C15)
    for side in range(2):
        for place in range(PLACES):
            key = scramble(key ^ np.uint64(board[side, place]))
    if terms.draws[0] != 0:
        terms.draws[1] += np.uint64(1)
        key = scramble(key ^ terms.draws[0]) ^ scramble(terms.draws[1])
    for k in range(OUTPUTS):
        share = 1.0 if k == 0 else (0.25 if k in (1, 3) else 0.01)
        key = scramble(key + np.uint64(1))
        radius = np.sqrt(
            -2.0 * np.log((np.float64(key >> np.uint64(11)) + 1.0) / 9007199254740993.0)
        )
        key = scramble(key + np.uint64(1))
        angle = 2.0 * np.pi * np.float64(key >> np.uint64(11)) / 9007199254740992.0
        out[k] = min(max(out[k] + terms.noise[0] * share * radius * np.cos(angle), 0.0), 1.0)
    constrain(board[0], board[1], checkers, out)
