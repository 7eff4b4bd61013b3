"""Training targets for positions: exact look-ahead instead of one sampled roll."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import cube
from sixprime.engine.kernels.bearoff.ranks import HOME, WORDS
from sixprime.engine.kernels.cubeless import best_of_roll
from sixprime.engine.kernels.evaluation import CONTACT, ONE_SIDED, RACE, class_of, judge_results
from sixprime.engine.kernels.inputs import COUNTS
from sixprime.engine.kernels.machine.compiled import array_kernel
from sixprime.engine.kernels.moves import NONE, copy_board, flip, generate
from sixprime.engine.kernels.network import OUTPUTS, money, turn_round
from sixprime.engine.kernels.pruning import NEEDED
from sixprime.engine.kernels.races import ALL, CHECKERS, ENDS, LEARNED, fill_ends
from sixprime.engine.kernels.tree import before_roll
from sixprime.engine.lab.training.selfplay import LONGEST_GAME, advance


class Course(NamedTuple):
    """The course of the games that positions are gathered from."""

    starts: NDArray[np.int8]  # [n, 2, 25]: first positions of games
    turns: int  # of a game
    seed: int
    margin: np.float32  # equity behind the best, at most, of the plays of interest
    wander: float  # share of turns in which a play of interest replaces the best


@array_kernel
def look_ahead(player, board, value, out):
    """Fill float32[5] with the mean over the 21 rolls of the chances after the best play.

    `board` comes back unchanged; `value` float32[5] is scratch.
    """
    for k in range(OUTPUTS):
        out[k] = 0.0
    after = np.empty((2, 25), np.int8)
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            weight = np.float32(1.0 / 36.0) if die1 == die2 else np.float32(2.0 / 36.0)
            after[:] = board
            advance(player, after, die1, die2, value)
            out[0] += weight * (np.float32(1.0) - value[0])
            out[1] += weight * value[3]
            out[2] += weight * value[4]
            out[3] += weight * value[1]
            out[4] += weight * value[2]
    for k in range(OUTPUTS):  # the weights add up to 1 only nearly
        out[k] = min(max(out[k], np.float32(0.0)), np.float32(1.0))


@array_kernel
def near_best(outcomes, count, margin):
    """Draw one of the results with an equity within `margin` of the best."""
    best = money(outcomes[0])
    for i in range(1, count):
        best = max(best, money(outcomes[i]))
    seen = 0
    chosen = 0
    for i in range(count):
        if money(outcomes[i]) >= best - margin:
            seen += 1
            if np.random.randint(seen) == 0:
                chosen = i
    return chosen


@array_kernel
def next_roll(player, board, course, last, turn):
    """Roll for the next turn; return its number, both dice, and the number of results.

    A game that has come to the class `last` of positions makes way for another.
    """
    if turn >= course.turns or class_of(board, player.checkers) <= last:
        board[:] = course.starts[np.random.randint(len(course.starts))]
        turn = 0
    die1 = np.random.randint(1, 7)
    die2 = np.random.randint(1, 7)
    return turn + 1, die1, die2, generate(board, die1, die2, player.work.rolled)


@array_kernel
def next_decision(player, board, course, last, turn, value):
    """Roll until there are results and judge them; return the turn and their number."""
    while True:
        turn, die1, die2, count = next_roll(player, board, course, last, turn)
        if count > 0:
            judge_results(player.brain, board, player.checkers, count, player.work)
            return turn, count
        advance(player, board, die1, die2, value)


@array_kernel
def collect(player, course, boards):
    """Fill int8[n, 2, 25] with the positions of decisions in our own games.

    After each roll a random play of interest gives a position, as does a dance. Finished positions
    and positions in the bearoff databases are left out.
    """
    np.random.seed(course.seed)
    work = player.work
    filled = 0
    board = np.zeros((2, 25), np.int8)
    value = np.zeros(OUTPUTS, np.float32)
    turn = LONGEST_GAME
    while filled < len(boards):
        turn, die1, die2, count = next_roll(player, board, course, ONE_SIDED, turn)
        if count == 0:  # only a dance leads to a position with a shut-out opponent
            advance(player, board, die1, die2, value)
            boards[filled] = board
            filled += 1
            continue
        judge_results(player.brain, board, player.checkers, count, work)
        chosen = near_best(work.outcomes, count, course.margin * np.random.random())
        if class_of(work.rolled.results[chosen], player.checkers) > ONE_SIDED:
            flip(work.rolled.results[chosen], boards[filled])
            filled += 1
        if np.random.random() >= course.wander:
            chosen, _ = best_of_roll(player, board, die1, die2, player.keep)
        flip(work.rolled.results[chosen], board)


@array_kernel
def best_of(work, count, margin, chosen):
    """Fill int64[most] with the best results' places, best first; return their number.

    Results more than `margin` below the best are left out. Scores of the others stay in `work`.
    """
    scores = work.scores
    for i in range(count):
        scores[i] = money(work.outcomes[i])
    found = 0
    while found < min(len(chosen), count):
        best = 0
        for i in range(count):
            if scores[i] > scores[best]:
                best = i
        if found == 0:
            least = scores[best] - margin
        if scores[best] < least:
            break
        chosen[found] = best
        scores[best] = -np.inf
        found += 1
    return found


@array_kernel
def add_group(player, chosen, kind, group, boards, groups, filled):
    """Append the chosen results of the class `kind` as one group; return the number of boards."""
    for place in chosen:
        result = player.work.rolled.results[place]
        if filled < len(boards) and class_of(result, player.checkers) == kind:
            flip(result, boards[filled])
            groups[filled] = group
            filled += 1
    return filled


@array_kernel
def collect_rivals(player, course, most, kind, boards, groups):
    """Fill int8[n, 2, 25] with results of rival plays, and int32[n] with their groups.

    Of each roll come the best plays of interest, up to `most`, with results of the class `kind`,
    CONTACT or RACE; they lie side by side and have the same number in `groups`. A play without a
    rival is left out.
    """
    np.random.seed(course.seed)
    filled = 0
    group = 0
    board = np.zeros((2, 25), np.int8)
    value = np.zeros(OUTPUTS, np.float32)
    rivals = np.zeros(most, np.int64)
    last = RACE if kind == CONTACT else ONE_SIDED
    turn = LONGEST_GAME
    while filled < len(boards):
        turn, count = next_decision(player, board, course, last, turn, value)
        found = best_of(player.work, count, course.margin, rivals)
        first = filled
        filled = add_group(player, rivals[:found], kind, group, boards, groups, filled)
        if filled == first + 1 and filled < len(boards):
            filled = first
        group += 1
        chosen = rivals[np.random.randint(found) if np.random.random() < course.wander else 0]
        flip(player.work.rolled.results[chosen], board)


@array_kernel
def collect_replies(player, course, most, boards, groups):
    """Fill int8[n, 2, 25] with results of whole rolls, and int32[n] with the roll of each.

    Of each roll come the best plays and as many random others, up to `most` together, with results
    in contact; they lie side by side and have the same number in `groups`. They teach the ranking
    of replies; the game may go on with any of them.
    """
    np.random.seed(course.seed)
    work = player.work
    filled = 0
    group = 0
    board = np.zeros((2, 25), np.int8)
    value = np.zeros(OUTPUTS, np.float32)
    chosen = np.zeros(most, np.int64)
    turn = LONGEST_GAME
    while filled < len(boards):
        turn, count = next_decision(player, board, course, RACE, turn, value)
        best = best_of(work, count, np.inf, chosen[: most // 2])
        seen = best
        for i in range(count):
            if work.scores[i] == -np.inf:  # one of the best
                continue
            place = seen if seen < most else np.random.randint(best, seen + 1)
            if place < most:
                chosen[place] = i
            seen += 1
        found = min(seen, most)
        filled = add_group(player, chosen[:found], CONTACT, group, boards, groups, filled)
        group += 1
        played = np.random.randint(found) if np.random.random() < course.wander else 0
        flip(work.rolled.results[chosen[played]], board)


@array_kernel
def collect_pairs(player, course, boards):
    """Fill int8[2 n, 2, 25] with pairs: the result of the best play of a roll, and of a worse one.

    The worse one is a random play of interest, so mostly a mistake; neither ends contact.
    """
    np.random.seed(course.seed)
    work = player.work
    filled = 0
    board = np.zeros((2, 25), np.int8)
    value = np.zeros(OUTPUTS, np.float32)
    turn = LONGEST_GAME
    while filled < len(boards):
        turn, count = next_decision(player, board, course, RACE, turn, value)
        best = near_best(work.outcomes, count, 0.0)
        other = near_best(work.outcomes, count, course.margin * np.random.random())
        if (
            other != best
            and class_of(work.rolled.results[best], player.checkers) == CONTACT
            and class_of(work.rolled.results[other], player.checkers) == CONTACT
        ):
            for result in (best, other):
                flip(work.rolled.results[result], boards[filled])
                filled += 1
        chosen = other if np.random.random() < course.wander else best
        flip(work.rolled.results[chosen], board)


@array_kernel
def number_pairs(boards, roots, groups):
    """Fill `groups` with the pair of each board that begins a game of play_without_luck.

    Games lie one after the other, in the order of their `roots`; some are shorter than others.
    """
    which = 0
    for i in range(len(boards)):
        if which < len(roots) and (boards[i] == roots[which]).all():
            groups[i] = which // 2
            which += 1


@array_kernel
def look_ahead_many(player, boards, targets):
    """Fill float32[n, 5] with `look_ahead` of int8[n, 2, 25]."""
    value = np.zeros(OUTPUTS, np.float32)
    for i in range(len(boards)):
        look_ahead(player, boards[i], value, targets[i])


@array_kernel
def play_without_luck(player, starts, seed, mixing, plies, boards, targets):
    """Fill `boards` with short games from each of `starts` in turn, and `targets` with values.

    A target is the exact mean over the next roll, plus the surprises of later turns: the mean over
    each roll less the brain's own value before that roll, weighted by `mixing` a turn. That is a
    lambda-return with the luck of the dice taken out: it carries the truth from far away (with
    `mixing` 1 from the end of the game) at a fraction of the noise. A game ends after `plies`
    turns, or at an exact value. Noise may bring a chance below 0 or above 1: cut off there, rare
    gammons would seem less rare on average.
    """
    np.random.seed(seed)
    means = np.zeros((plies, OUTPUTS), np.float32)
    said = np.zeros((plies, OUTPUTS), np.float32)  # of the position after each turn
    turned_said = np.zeros(OUTPUTS, np.float32)
    turned_later = np.zeros(OUTPUTS, np.float32)
    value = np.zeros(OUTPUTS, np.float32)
    board = np.zeros((2, 25), np.int8)
    filled = 0
    which = 0
    while filled < len(boards):
        board[:] = starts[which % len(starts)]
        which += 1
        first = filled
        turn = 0
        while (
            turn < plies and filled < len(boards) and class_of(board, player.checkers) > ONE_SIDED
        ):
            boards[filled] = board
            look_ahead(player, board, value, means[turn])
            die1 = np.random.randint(1, 7)
            die2 = np.random.randint(1, 7)
            advance(player, board, die1, die2, said[turn])
            filled += 1
            turn += 1
        for t in range(turn - 1, -1, -1):
            targets[first + t] = means[t]
            if t == turn - 1:
                continue
            turn_round(targets[first + t + 1], turned_later)
            turn_round(said[t], turned_said)
            for k in range(OUTPUTS):
                targets[first + t, k] = means[t, k] + mixing * (turned_later[k] - turned_said[k])


# --- the cube -----------------------------------------------------------------------------------

OWNERS, (DEAD, LIVE, KEPT) = 3, range(3)  # cubes; if nobody turns one, if both do at best, searched


@array_kernel
def worths_of_cubes(search, boards, plies, worths, stop):
    """Fill float64[n, OWNERS, 3] with the worths of cubes at int8[n, 2, 25], for money."""
    walk, outcomes = search.walk, search.walk.outcomes[0]
    for i in range(len(boards)):
        copy_board(boards[i], walk.boards[0])
        walk.known[0] = -1
        walk.counts[0] = OWNERS
        for owner in range(OWNERS):
            walk.states[0, owner, cube.CUBE] = 1
            walk.states[0, owner, cube.OWNER] = owner
        before_roll(search, plies, NONE, stop)
        for owner in range(OWNERS):
            worths[i, owner] = walk.worths[0, owner]
            if cube.is_open(outcomes):
                points = cube.money_points(outcomes)
                worths[i, owner, DEAD] = cube.money_dead(outcomes, owner, False)
                worths[i, owner, LIVE] = cube.money_live(points, owner, False)


# --- one side of a race -------------------------------------------------------------------------

POINTS = 25
PER_PIP = 0.12  # rolls, of a checker that has to come home first
PIPS_PER_ROLL = 49 / 6
UNTAUGHT = 0.3  # rolls beyond the fewest
SCATTERED = 0.35  # of the sides that walks begin with
BEHIND = 0.4  # rolls, for results that are gathered more often
NEAR = (0.3, 3.0)  # estimated rolls beyond the best of a roll, for plays that are tried


@array_kernel
def walk(starts, seed, most, rolled, out):
    """Fill int8[n, 25] with sides that have a checker outside, from walks that begin at `starts`.

    Of each roll come the play made, and up to `most` others, mostly good ones.
    """
    np.random.seed(seed)
    board = np.zeros((2, POINTS), np.int8)
    scores = np.zeros(len(rolled.results))
    side = board[0]
    filled, saving, noise = 0, False, 0.0
    while filled < len(out):
        if side[HOME:].sum() == 0:
            begin(starts, side)
            noise = 0.0 if np.random.random() < 0.5 else 0.15
            saving = side.sum() == CHECKERS and np.random.random() < 0.3
            continue
        count = generate(board, np.random.randint(1, 7), np.random.randint(1, 7), rolled)
        for i in range(count):
            scores[i] = rolls_about(rolled.results[i, 0], saving)
        filled = gather(rolled.results[:count, 0], scores[:count], most, filled, out)
        side[:] = rolled.results[one_near_best(scores[:count], noise), 0]


@array_kernel
def begin(starts, side):
    """Draw a side to begin with, every third one scattered; of every fourth some are off."""
    side[:] = starts[np.random.randint(len(starts))]
    if np.random.random() < SCATTERED:
        scatter(side)
    gone = np.random.randint(1, 13) if np.random.random() < 0.25 else 0
    for place in range(POINTS):
        while gone > 0 and side[place] > 0:
            side[place] -= 1
            gone -= 1


@array_kernel
def scatter(side):
    """Draw a side with a few checkers anywhere outside, the others at home, more or less deep."""
    side[:] = 0
    outside = np.random.randint(1, 5)
    depth = np.random.uniform(0.4, 2.5)
    for checker in range(CHECKERS):
        if checker < outside:
            side[np.random.randint(HOME, POINTS)] += 1
        else:
            side[int(HOME * np.random.random() ** depth)] += 1


@array_kernel
def rolls_about(side, saving):
    """Estimate the rolls until all are off, or until all are home if `saving` a gammon."""
    rolls, home = 0.0, 0.0
    for place in range(POINTS):
        rolls += NEEDED[place, side[place]]
        home += PER_PIP * max(place - HOME + 1, 0) * side[place]
    return home + 0.02 * rolls if saving else rolls


@array_kernel
def gather(sides, scores, most, filled, out):
    """Append the best side and some others that are not all home; return the new number."""
    for attempt in range(3 * most + 1):
        i = np.random.randint(len(sides)) if attempt > 0 else scores.argmin()
        likely = scores[i] <= scores.min() + BEHIND or np.random.random() < 0.1
        if likely and sides[i, HOME:].sum() > 0 and filled < len(out):
            out[filled] = sides[i]
            filled += 1
    return filled


@array_kernel
def one_near_best(scores, noise):
    """Draw one of the plays within `noise` of the best."""
    if noise == 0.0:
        return scores.argmin()
    places = np.flatnonzero(scores <= scores.min() + noise)
    return places[np.random.randint(len(places))]


@array_kernel
def look_ahead_sides(brain, sides, estimates, rolled, scratch, ends):
    """Fill float32[n, LEARNED, WORDS] with the means over the next roll of int8[n, 25] sides.

    Each roll is played for the fewest rolls to either end; only plays that `estimates` float32[*,
    LEARNED], added up over the rows of counts, find near the best are tried.
    """
    board = np.zeros((2, POINTS), np.int8)
    about = np.zeros(len(rolled.results))
    best = np.zeros((2, ENDS, WORDS), np.float32)  # the second is scratch
    ends[:] = 0.0
    for i in range(len(sides)):
        known = LEARNED if sides[i].sum() == CHECKERS else 1
        for high in range(1, 7):
            for low in range(1, high + 1):
                weight = np.float32((1.0 if high == low else 2.0) / 36.0)
                board[0] = sides[i]
                count = generate(board, high, low, rolled)
                for end in range(known):
                    results = rolled.results[:count]
                    best_end(brain, results, estimates, end, about[:count], scratch, best)
                    for n in range(WORDS):
                        ends[i, end, min(n + 1, WORDS - 1)] += weight * best[0, end, n]


@array_kernel
def best_end(brain, results, estimates, end, about, scratch, best):
    """Fill best[0] float32[ENDS, WORDS] with the ends after the play that brings one end soonest.

    A side beyond the database that nobody has taught yet may seem to need fewer rolls than its
    pips; the estimates replace it.
    """
    about[:] = 0.0
    for k in range(len(results)):
        for place in range(POINTS):
            about[k] += estimates[place * COUNTS + results[k, 0, place], end]
    fewest, tried = np.inf, best[1]
    for k in range(len(results)):
        if about[k] > about.min() + NEAR[end]:
            continue
        fill_ends(brain, results[k, 0], scratch, tried)
        rolls = 0.0
        for n in range(WORDS):
            rolls += n * tried[end, n]
        least = fewest_by_pips(results[k, 0], end)
        if rolls < least and results[k, 0, brain.reach[0] :].sum() > 0:
            rolls = max(about[k], least + UNTAUGHT)
            whole = np.int64(min(rolls, WORDS - 2.0))
            tried[end] = 0.0
            tried[end, whole] = 1.0 - (rolls - whole)
            tried[end, whole + 1] = rolls - whole
        if rolls < fewest:
            fewest = rolls
            best[0] = tried


@array_kernel
def fewest_by_pips(side, end):
    """Return rolls that a side needs at least on average; the first checker off waits at home."""
    rolls, near = (0.0, 0) if end == ALL else (0.9, HOME)
    for place in range(near, POINTS):
        rolls += (place + 1 - near) * side[place] / PIPS_PER_ROLL
    return rolls
