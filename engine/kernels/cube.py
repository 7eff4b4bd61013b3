"""Cube arithmetic for one node of a search: the worth of outcomes when a cube is in play.

Every worth is seen by the player on roll in the position of the outcomes, called `side` here: 0 is
the player on roll at the root of the decision, 1 the other. `owner` is seen by that player, too. A
worth is a match winning chance in a match, and points (not units of the cube) for money, so that
worths of different cubes compare; `turned` gives the other player's.

Arrays that stay the same for a whole decision:

    rules    int64[6]        indexed by MONEY, JACOBY, CRAWFORD, AWAY (+ side), MAX_CUBE
    chances  float64[2, 65]  [side, n]: MWC of `side` after winning this game for n points; n of 64
                             stands for more. All 0 for money.

and per node:

    outcomes float32[5 or 8] win, gammon, backgammon, lose gammon, lose backgammon, as in WIN..;
                             perhaps the efficiency of an own, a centred and the other's cube
    states   int64[k, 2]     cubes to be evaluated at once: CUBE (its value), OWNER (MINE, ..)

A search over plies works like this: `expand` the states of a node into the opponent's next states,
search each roll for them, average, `fold` the averages back into the worths of the node's own
states. At a leaf `leaf_worths` does all that at once. These worths include the right to double now;
the worth from `cubeful` does not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import CONTACT, RACE
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.network import LIFE

WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(5)
MONEY, JACOBY, CRAWFORD, AWAY, _AWAY_OF_OTHER, MAX_CUBE = range(6)
RULES = 6  # length of `rules`
CUBE, OWNER = range(2)
MINE, CENTRED, THEIRS = range(3)  # also the order of the bearoff database's equities
MOST_POINTS = 64  # last index of `chances`
KEPT, TAKEN = range(2)  # the child of a state if its cube stays, or is turned and taken
NEVER = -1  # in place of a child: this state's cube cannot be turned

CERTAIN = 1e-7  # chances closer than this to 0 or 1 make the cube useless
CONTACT_EFFICIENCY = 0.68  # of nets that know nothing of the cube's life
RACE_LEAST, RACE_MOST, RACE_BASE, RACE_PER_PIP = 0.6, 0.7, 0.55, 0.00125
EXACT_MOST = 0.6  # the largest efficiency taken from the two-sided database
EXACT_FLAT = 1e-4  # if live and dead differ by less, no efficiency follows


class Liveness(NamedTuple):
    """The liveness of a cube: efficiencies, unless money's equities are known exactly.

    Both are by its owner: MINE, CENTRED, THEIRS.
    """

    efficiencies: tuple[float, float, float]  # 0: a dead cube; 1: both turn it in the best moment
    exact: NDArray[np.float64]  # [3], from a database
    is_exact: bool


@kernel
def race_efficiency(pips):
    """Return the efficiency of a cube in a race, by the pips of the player on roll."""
    return min(max(RACE_BASE + RACE_PER_PIP * pips, RACE_LEAST), RACE_MOST)


@kernel
def efficiency_of(board, kind, efficiencies):
    """Return the efficiency for a class of position; float64[3] as in SearchTerms."""
    if kind == CONTACT:
        return efficiencies[0]
    if kind == RACE and efficiencies[2] >= 0.0:
        return efficiencies[2]
    if kind == RACE:
        pips = 0
        for place in range(board.shape[1]):
            pips += (place + 1) * board[0, place]
        return race_efficiency(pips)
    return efficiencies[1]


@kernel
def efficiencies_of(board, kind, outcomes, efficiencies):
    """Return the efficiencies by owner of the cube, of contact as its net says if so set."""
    if kind == CONTACT and efficiencies[0] < 0.0:
        mine, centred, theirs = outcomes[LIFE], outcomes[LIFE + 1], outcomes[LIFE + 2]
        return np.float64(mine), np.float64(centred), np.float64(theirs)
    usual = efficiency_of(board, kind, efficiencies)
    return usual, usual, usual


@kernel
def turned(worth, rules):
    """Return the other player's worth."""
    return -worth if rules[MONEY] else 1.0 - worth


@kernel
def won(chances, side, points):
    """Return the MWC of `side` after winning the game for this many points."""
    return chances[side, min(points, MOST_POINTS)]


@kernel
def lost(chances, side, points):
    """Return the MWC of `side` after losing the game for this many points."""
    return 1.0 - chances[1 - side, min(points, MOST_POINTS)]


@kernel
def pass_worth(side, cube, rules, chances):
    """Return the worth of doubling this cube if the opponent passes."""
    return float(cube) if rules[MONEY] else won(chances, side, cube)


@kernel
def emg(worth, side, cube, rules, chances):
    """Return a worth as EMG: +1 is winning this cube, -1 losing it; 0 if both are the same."""
    if rules[MONEY]:
        return worth / cube
    high, low = won(chances, side, cube), lost(chances, side, cube)
    if high == low:
        return 0.0
    return (2.0 * worth - high - low) / (high - low)


@kernel
def may_double(side, cube, owner, rules):
    """Return whether the player on roll may turn this cube, and can gain by that."""
    if owner == THEIRS or (rules[MAX_CUBE] > 0 and cube >= rules[MAX_CUBE]):
        return False
    return rules[MONEY] == 1 or (rules[CRAWFORD] == 0 and rules[AWAY + side] > cube)


@kernel
def best(no_double, double_take, double_pass):
    """Return the worth with the right to double, if the opponent answers well."""
    if double_take >= no_double and double_pass >= no_double:
        return min(double_take, double_pass)
    return no_double


@kernel
def between(x, left, at_left, right, at_right):
    """Return the value at x on the line through two points; the right one's if they coincide."""
    if right == left:
        return at_right
    return at_left + (x - left) * (at_right - at_left) / (right - left)


@kernel
def live_line(p, owner, low, take, at_take, cash, at_cash, high):
    """Return the worth at winning chance p of a perfectly used cube: `low` at 0, `high` at 1."""
    if owner != MINE and p <= take:
        return between(p, 0.0, low, take, at_take)
    if owner != THEIRS and p > cash:
        return between(p, cash, at_cash, 1.0, high)
    if owner == MINE:
        return between(p, 0.0, low, cash, at_cash)
    if owner == THEIRS:
        return between(p, take, at_take, 1.0, high)
    return between(p, take, at_take, cash, at_cash)


# For money


@kernel
def money_dead(outcomes, owner, jacoby):
    """Return the equity per unit of a cube that nobody will turn any more."""
    equity = 2.0 * np.float64(outcomes[WIN]) - 1.0
    if jacoby and owner == CENTRED:
        return equity
    won_more = np.float64(outcomes[WIN_GAMMON]) + np.float64(outcomes[WIN_BACKGAMMON])
    lost_more = np.float64(outcomes[LOSE_GAMMON]) + np.float64(outcomes[LOSE_BACKGAMMON])
    return equity + won_more - lost_more


@kernel
def money_points(outcomes):
    """Return the winning chance, the points lost and won on average, and the take and cash points.

    The chance is neither 0 nor 1.
    """
    p = np.float64(outcomes[WIN])
    high = 1.0 + (outcomes[WIN_GAMMON] + outcomes[WIN_BACKGAMMON]) / p
    low = 1.0 + (outcomes[LOSE_GAMMON] + outcomes[LOSE_BACKGAMMON]) / (1.0 - p)
    take = (low - 0.5) / (high + low + 0.5)
    cash = (low + 1.0) / (high + low + 0.5)
    return p, low, high, take, cash


@kernel
def money_live(points, owner, jacoby):
    """Return the equity per unit of a cube that both turn at the perfect moment."""
    p, low, high, take, cash = points
    if jacoby and owner == CENTRED:
        return live_line(p, owner, -1.0, take, -1.0, cash, 1.0, 1.0)
    return live_line(p, owner, -low, take, -1.0, cash, 1.0, high)


@kernel
def is_open(outcomes):
    """Return whether both may still win."""
    return CERTAIN < outcomes[WIN] < 1.0 - CERTAIN


@kernel
def money_equity(outcomes, points, cube, owner, efficiency, rules):
    """Return the equity per unit of the cube, between dead and live, while the game is open."""
    dead = money_dead(outcomes, owner, rules[JACOBY])
    if rules[MAX_CUBE] > 0 and cube >= rules[MAX_CUBE]:
        return dead
    live = money_live(points, owner, rules[JACOBY])
    return (1.0 - efficiency) * dead + efficiency * live


# In a match


@kernel
def shares(outcomes, won_game, gammon, backgammon):
    """Return the shares (gammons, backgammons) of the games that one player wins, apart."""
    if won_game <= 0.0:
        return 0.0, 0.0
    backgammons = np.float64(outcomes[backgammon]) / won_game
    return np.float64(outcomes[gammon]) / won_game - backgammons, backgammons


@kernel
def match_dead(outcomes, side, cube, chances):
    """Return the MWC with a cube that nobody will turn; a gammon never counts less than a game."""
    high, low = won(chances, side, cube), lost(chances, side, cube)
    middle = 0.5 * (high + low)
    unit = high - middle
    if abs(unit) < CERTAIN:
        return middle + (2.0 * np.float64(outcomes[WIN]) - 1.0) * unit
    gammon_won = (won(chances, side, 2 * cube) - middle) / unit - 1.0
    gammon_lost = (middle - lost(chances, side, 2 * cube)) / unit - 1.0
    backgammon_won = (won(chances, side, 3 * cube) - middle) / unit - 1.0 - gammon_won
    backgammon_lost = (middle - lost(chances, side, 3 * cube)) / unit - 1.0 - gammon_lost
    equity = (
        2.0 * np.float64(outcomes[WIN])
        - 1.0
        + max(gammon_won, 0.0) * outcomes[WIN_GAMMON]
        - max(gammon_lost, 0.0) * outcomes[LOSE_GAMMON]
        + max(backgammon_won, 0.0) * outcomes[WIN_BACKGAMMON]
        - max(backgammon_lost, 0.0) * outcomes[LOSE_BACKGAMMON]
    )
    return middle + unit * equity


@kernel
def winning(chances, side, stake, kinds):
    """Return the average MWC of `side` over the kinds of games that it wins at this stake."""
    gammon, backgammon = kinds
    return (
        (1.0 - gammon - backgammon) * won(chances, side, stake)
        + gammon * won(chances, side, 2 * stake)
        + backgammon * won(chances, side, 3 * stake)
    )


@kernel
def losing(chances, side, stake, kinds):
    """Return the average MWC of `side` over the kinds of games that it loses at this stake."""
    return 1.0 - winning(chances, 1 - side, stake, kinds)


@kernel
def has_use(rules, side, cube):
    """Return whether `side` needs more than this cube, so that doubling it can gain."""
    return rules[AWAY + side] > cube and (rules[MAX_CUBE] == 0 or cube < rules[MAX_CUBE])


@kernel
def last_cash_point(doubler, stake, kinds, rules, chances):
    """Return the chance from which turning `stake` is a pass, if no redouble can gain after it.

    A taker who would lose the match with the doubled cube redoubles at once.
    """
    taker = 1 - doubler
    final = 2 * stake
    if rules[AWAY + doubler] <= final and has_use(rules, taker, final):
        final *= 2
    if_lost = losing(chances, doubler, final, kinds[taker])
    if_won = winning(chances, doubler, final, kinds[doubler])
    if if_won == if_lost:
        return 1.0
    return (won(chances, doubler, stake) - if_lost) / (if_won - if_lost)


@kernel
def cash_point(doubler, stake, kinds, rules, chances):
    """Return the chance from which `doubler` turning `stake` is a pass, all cubes live.

    `kinds[side]` are the (gammon, backgammon) shares of the games that `side` wins. The chain of
    cubes is followed up to the last useful one; the cash points follow from there down.
    """
    cube, who = stake, doubler
    while has_use(rules, 0, 2 * cube) and has_use(rules, 1, 2 * cube):
        cube, who = 2 * cube, 1 - who
    point = last_cash_point(who, cube, kinds, rules, chances)
    while cube > stake:
        cube, who = cube // 2, 1 - who
        if_won = winning(chances, who, 2 * cube, kinds[who])
        redoubled_out = lost(chances, who, 2 * cube)
        if if_won == redoubled_out:
            point = 1.0
        else:
            point = 1.0 - point * (if_won - won(chances, who, cube)) / (if_won - redoubled_out)
    return point


@kernel
def is_dead(cube, rules):
    """Return whether this cube has no use left in the match."""
    if rules[CRAWFORD] or (rules[AWAY] == 2 and rules[AWAY + 1] == 2):
        return True
    return not has_use(rules, 0, cube) and not has_use(rules, 1, cube)


@kernel
def match_live(outcomes, side, cube, owner, rules, chances):
    """Return the MWC with a cube that both turn at the perfect moment."""
    p = np.float64(outcomes[WIN])
    mine = shares(outcomes, p, WIN_GAMMON, WIN_BACKGAMMON)
    theirs = shares(outcomes, 1.0 - p, LOSE_GAMMON, LOSE_BACKGAMMON)
    kinds = (mine, theirs) if side == 0 else (theirs, mine)
    low = losing(chances, side, cube, theirs)
    high = winning(chances, side, cube, mine)
    take, cash = 0.0, 1.0
    if owner != MINE:
        take = 1.0 - cash_point(1 - side, cube, kinds, rules, chances)
    if owner != THEIRS:
        cash = cash_point(side, cube, kinds, rules, chances)
    at_take, at_cash = lost(chances, side, cube), won(chances, side, cube)
    return live_line(p, owner, low, take, at_take, cash, at_cash, high)


@kernel
def match_worth(outcomes, side, cube, owner, efficiency, rules, chances):
    """Return the MWC between dead and live."""
    dead = match_dead(outcomes, side, cube, chances)
    if is_dead(cube, rules):
        return dead
    live = match_live(outcomes, side, cube, owner, rules, chances)
    return (1.0 - efficiency) * dead + efficiency * live


# Money or match


@kernel
def implied_efficiency(outcomes, owner, equity, least, most):
    """Return the efficiency behind an exact money equity, from `least` to `most`."""
    p = np.float64(outcomes[WIN])
    if p <= CERTAIN or p >= 1.0 - CERTAIN:
        return min(1.0, most)
    dead = money_dead(outcomes, owner, False)
    live = money_live(money_points(outcomes), owner, False)
    if abs(live - dead) < EXACT_FLAT:
        return min(1.0, most)
    return min(max((equity - dead) / (live - dead), least), most)


@kernel
def cubeful(outcomes, side, cube, owner, liveness, rules, chances):
    """Return the worth with this cube if the player on roll does not double now."""
    if rules[MONEY]:
        if not liveness.is_exact:
            if not is_open(outcomes):
                return cube * money_dead(outcomes, owner, rules[JACOBY])
            points = money_points(outcomes)
            efficiency = liveness.efficiencies[owner]
            return cube * money_equity(outcomes, points, cube, owner, efficiency, rules)
        if rules[MAX_CUBE] > 0 and cube >= rules[MAX_CUBE]:
            return cube * money_dead(outcomes, owner, rules[JACOBY])
        return cube * liveness.exact[owner]
    efficiency = liveness.efficiencies[owner]
    if liveness.is_exact:
        efficiency = implied_efficiency(outcomes, owner, liveness.exact[owner], 0.0, EXACT_MOST)
    return match_worth(outcomes, side, cube, owner, efficiency, rules, chances)


@kernel
def leaf_worths(outcomes, side, states, count, liveness, rules, chances, worths):
    """Fill the states' `worths`, float64[count], each with the right to double now."""
    if rules[MONEY] and not liveness.is_exact and is_open(outcomes):
        money_worths(outcomes, side, states, count, liveness.efficiencies, rules, chances, worths)
        return
    for i in range(count):
        cube, owner = states[i, CUBE], states[i, OWNER]
        worth = cubeful(outcomes, side, cube, owner, liveness, rules, chances)
        if may_double(side, cube, owner, rules):
            taken = cubeful(outcomes, side, 2 * cube, THEIRS, liveness, rules, chances)
            worth = best(worth, taken, pass_worth(side, cube, rules, chances))
        worths[i] = worth


@kernel
def money_worths(outcomes, side, states, count, efficiencies, rules, chances, worths):
    """Do as `leaf_worths` for money while the game is open; all cubes share the slow part."""
    points = money_points(outcomes)
    for i in range(count):
        cube, owner = states[i, CUBE], states[i, OWNER]
        worth = cube * money_equity(outcomes, points, cube, owner, efficiencies[owner], rules)
        if may_double(side, cube, owner, rules):
            twice, theirs = 2 * cube, efficiencies[THEIRS]
            taken = twice * money_equity(outcomes, points, twice, THEIRS, theirs, rules)
            worth = best(worth, taken, pass_worth(side, cube, rules, chances))
        worths[i] = worth


@kernel
def find_or_add(states, count, cube, owner):
    """Return the index of a state among the first `count`, put at `count` if it is new."""
    for i in range(count):
        if states[i, CUBE] == cube and states[i, OWNER] == owner:
            return i
    states[count, CUBE] = cube
    states[count, OWNER] = owner
    return count


@kernel
def expand(states, count, side, rules, alive, children, ways):
    """Fill `children` with the opponent's distinct states after this turn; return their number.

    State i becomes child ways[i, KEPT] if the cube stays, ways[i, TAKEN] (or NEVER) if it is turned
    and taken; `ways` is int64[count, 2]. No cube is turned unless cubes are `alive`. `children`,
    the opponent's view, needs room for 2 * count.
    """
    found = 0
    for i in range(count):
        cube, owner = states[i, CUBE], states[i, OWNER]
        ways[i, KEPT] = find_or_add(children, found, cube, THEIRS - owner)
        found = max(found, ways[i, KEPT] + 1)
        ways[i, TAKEN] = NEVER
        if alive and may_double(side, cube, owner, rules):
            ways[i, TAKEN] = find_or_add(children, found, 2 * cube, MINE)
            found = max(found, ways[i, TAKEN] + 1)
    return found


@kernel
def fold(states, count, side, rules, chances, averages, ways, worths):
    """Fill the states' `worths` from the opponent's `averages` over all rolls."""
    for i in range(count):
        worth = turned(averages[ways[i, KEPT]], rules)
        if ways[i, TAKEN] != NEVER:
            taken = turned(averages[ways[i, TAKEN]], rules)
            passed = pass_worth(side, states[i, CUBE], rules, chances)
            worth = best(worth, taken, passed)
        worths[i] = worth
