"""Counts and races: as gnubg shows them, and as slower and simpler ways find them."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

from sixprime.engine.bearoff.databases import PIPS_PER_ROLL, OneSidedDatabase
from sixprime.engine.bearoff.files import OneSided
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.position import PLACES, Position
from sixprime.engine.study import counts, races
from tests.support.engine.reference import random_position, seeded
from tests.support.gnubg.shows import PYTHON, shown

SHOWS = [f"show {what}" for what in ("thorp", "keith", "kleinman", "8912", "isight")]
RACE = "show onesidedrollout"
CHANCES = f"{PYTHON}gnubg.evaluate(gnubg.board(), gnubg.cubeinfo(), gnubg.evalcontext(0, 0, 1, 0))"
POSITIONS = 60
FAR = 15  # races that are rolled out


def some(count: int, wanted: str) -> list[Position]:
    """Races, races in the home boards, positions with contact, or hypergammon."""
    pick = seeded(28)
    found: list[Position] = []
    while len(found) < count:
        position = random_position(pick)
        at_home = not any(any(side[races.HOME :]) for side in (position.mine, position.theirs))
        kind = "home" if at_home and position.is_race() else "race"
        if not position.is_race():
            kind = "contact"
        if position.checkers < 15:
            kind = "hypergammon"
        if kind == wanted:
            found.append(position)
    return found


@pytest.fixture(scope="module")
def gnubg(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Position, dict[str, str]]]:
    positions = [
        position
        for wanted in ("race", "home", "contact", "hypergammon")
        for position in some(POSITIONS, wanted)
    ]
    folder = tmp_path_factory.mktemp("gnubg")
    asked = [
        (each, [f"set variation {played(each)}", "new session"], [*SHOWS, RACE, CHANCES])
        for each in positions
    ]
    return list(zip(positions, shown(asked, folder), strict=True))


def played(position: Position) -> str:
    """The game, in gnubg's words."""
    checkers = position.checkers
    return "standard" if checkers == 15 else f"{checkers}-chequer-hypergammon"


def said(text: str) -> str:
    """Gnubg's verdict in our words."""
    found = re.search(r"((?:No ?|Re)?[Dd]ouble(?:, (?:Take|Drop))?) \(", text)
    assert found
    words = found[1].lower().replace("nodouble", "no double, take")
    return words.replace("drop", "pass")


@pytest.mark.gnubg
@pytest.mark.parametrize("name", ["Thorp", "Keith"])
def test_adjusted_counts_are_gnubgs(
    name: str, gnubg: list[tuple[Position, dict[str, str]]]
) -> None:
    for position, answers in gnubg:
        text = answers[f"show {name.lower()}"]
        ours = next(each for each in counts.counts(position) if each.name == name)
        printed = re.findall(r"(?:Leader +|Leader\(.*L|Trailer +T): +([\d.]+)", text)
        assert printed == [f"{ours.mine}", f"{ours.raised:.1f}", f"{ours.theirs}"]
        ahead = ours.raised - ours.theirs
        if name == "Keith" and ahead in (2, 3, 4):
            continue  # single precision decides what gnubg makes of a draw
        assert ours.verdict == said(text)


@pytest.mark.gnubg
def test_chances_by_rule_are_gnubgs(gnubg: list[tuple[Position, dict[str, str]]]) -> None:
    for position, answers in gnubg:
        kleinman, isight = counts.chances(position)
        text = answers["show kleinman"]
        printed = re.findall(r"(?:= *|Chance: +)(-?[\d.e-]+)\n", text)
        if sum(position.pips()) > 4:  # of no more gnubg makes a division by zero
            assert printed == [f"{kleinman.value:.4g}", f"{kleinman.chance:.4f}"]
        text = answers["show isight"]
        printed = re.findall(r"(?:L:|T:|GWC:) *(-?[\d.]+)", text)
        assert printed == [f"{isight.mine}", f"{isight.theirs}", f"{100 * isight.chance:.1f}"]
        assert isight.verdict == said(text)


@pytest.mark.gnubg
def test_per_cents_are_gnubgs(gnubg: list[tuple[Position, dict[str, str]]]) -> None:
    """But gnubg says "redouble" from 8 % and "double" from 9 %, the rule the other way round."""
    for position, answers in gnubg:
        text, ours = answers["show 8912"], counts.per_cent(position)
        ahead = re.search(r"Leader is (-?[\d.]+) percent", text)
        assert ahead
        assert ahead[1] == f"{100 * (ours.theirs - ours.mine) / ours.mine:.1f}"
        if 100 * (ours.theirs - ours.mine) == 8 * ours.mine:
            continue  # gnubg waits for more
        words = [each.replace("redouble", "double") for each in (ours.verdict, said(text))]
        assert words[0] == words[1]


@pytest.mark.gnubg
def test_a_race_in_the_home_boards_is_gnubgs_and_others_are_near(
    gnubg: list[tuple[Position, dict[str, str]]],
) -> None:
    """Further out gnubg's dice are random, and its plan wastes more pips than ours.

    At home its gammons are those of its evaluation; its rollout takes rare ones for none.
    """
    for position, answers in gnubg[POSITIONS - FAR : 2 * POSITIONS]:
        found = races.race(position)
        numbers = re.findall(r"\d+\.\d+", answers[RACE].split("roll):")[1])
        win, gammon, _, lose, lose_gammon, _ = map(float, numbers[:6])
        ours, wasted = found.outcomes, found.wastage(position)
        exact = found.trials == 0
        if exact:
            _, gammon, _, lose_gammon, *_ = json.loads(answers[CHANCES])
        chances, gammons = (ours.win, 1 - ours.win), (ours.win_gammon, ours.lose_gammon)
        assert chances == pytest.approx((win, lose), abs=1.5e-6 if exact else 0.025)
        assert gammons == pytest.approx((gammon, lose_gammon), abs=1.5e-6 if exact else 0.06)
        pips = [found.theirs.effective_pips, wasted[1], found.mine.effective_pips, wasted[0]]
        if exact:
            assert [f"{each:.3f}" for each in pips] == numbers[6:10]
        else:
            told = list(map(float, numbers[6:10]))
            assert all(mine - theirs < 0.9 for mine, theirs in zip(pips, told, strict=True))


@pytest.mark.gnubg
def test_nobody_needs_fewer_pips_than_he_has_although_gnubg_says_so(tmp_path: Path) -> None:
    """A roll uses at most 49/6 pips, so wastage is above 0: gnubg cuts races at 31 rolls."""
    stack = tuple(15 if place == 17 else 0 for place in range(PLACES))
    position = Position(stack, stack)
    (told,) = shown([(position, ["new session"], [RACE])], tmp_path)
    effective, wasted = map(float, re.findall(r"\nroot +([\d.]+) +(-?[\d.]+)", told[RACE])[0])
    assert effective <= 31 * PIPS_PER_ROLL
    assert wasted < 0 < races.race(position).wastage(position)[0] < 10


@cache
def rolls_of_one(pips: int, n: int) -> float:
    """The chance that one checker is off after exactly n rolls, by trying all dice."""
    if pips <= 0:
        return float(n == 0)
    if n == 0:
        return 0.0
    every = ((a, b) for a in range(1, 7) for b in range(1, 7))
    return sum(rolls_of_one(pips - (4 * a if a == b else a + b), n - 1) for a, b in every) / 36


@pytest.mark.parametrize(("mine", "theirs"), [(1, 1), (7, 24), (40, 38), (53, 61)])
def test_one_checker_wins_as_often_as_all_dice_say(mine: int, theirs: int) -> None:
    def side(pips: int) -> tuple[int, ...]:
        places = [0] * PLACES
        for place in (24, 16, 9, 4, 1):
            places[place - 1], pips = divmod(pips, place)
        return tuple(places)

    found = races.one_checker(Position(side(mine), side(theirs)))
    slow = [rolls_of_one(theirs, n) for n in range(60)]
    fast = [rolls_of_one(mine, n) for n in range(60)]
    wins = sum(chance * sum(slow[n:]) for n, chance in enumerate(fast))
    assert found.outcomes.win == pytest.approx(wins)
    assert found.mine.mean == pytest.approx(sum(n * chance for n, chance in enumerate(fast)))


def test_sides_rolled_home_need_little_more_than_the_fewest_rolls() -> None:
    """A larger database knows the fewest."""
    database = OneSidedDatabase.built(OneSided(7))
    for counts7 in ((2, 2, 2, 3, 3, 2, 1), (0, 0, 0, 3, 3, 4, 5), (5, 0, 0, 1, 0, 2, 4)):
        side = (*counts7, *(0,) * 18)
        found = races.race(Position(side, side))
        assert found.trials
        fewest = database.rolls(side).effective_pips
        assert -0.2 < found.mine.effective_pips - fewest < 0.6  # the dice are a sample
        assert races.race(Position(side, side)) == found


def test_in_hypergammon_a_race_is_won_and_a_gammon_as_often_as_its_database_says() -> None:
    database = hypergammon(2)
    sides = [
        tuple(side.count(place) for place in range(PLACES))
        for side in combinations_with_replacement(range(races.HOME), 2)
    ]
    for mine, theirs in product(sides, sides[::5]):
        position = Position(mine, theirs, 2)
        found, known = races.race(position).outcomes, database.figures(position).chances
        assert found == pytest.approx(known, abs=0.004)  # which weighs speed against gammons
    outside, at_six = (1, 1, 0, 0, 0, 0, 0, 0, 1, *(0,) * 16), (0, 0, 0, 0, 0, 3, *(0,) * 19)
    rolled = races.race(Position(outside, at_six, 3)).outcomes
    assert 0 < rolled.win_gammon < rolled.win
    assert 0 < races.race(Position(at_six, outside, 3)).outcomes.lose_gammon < 1 - rolled.win_gammon


@pytest.mark.parametrize(("pips", "last"), [(40, 5), (61, 8), (62, 8), (63, 7), (100, 11)])
def test_trices_last_take(pips: int, last: int) -> None:
    def race(theirs: int) -> Position:
        six, rest = divmod(theirs, 6)
        ours, one = divmod(pips, 10)
        return Position(
            tuple({9: ours, one - 1: 1}.get(i, 0) for i in range(PLACES)),
            tuple({5: six, rest - 1: 1 if rest else 0}.get(i, 0) for i in range(PLACES)),
        )

    assert counts.trice(race(pips + last)).verdict != "double, pass"
    assert counts.trice(race(pips + last + 1)).verdict == "double, pass"


def test_ward_counts_only_what_one_side_has_more_of() -> None:
    mine = (4, 0, 2, 2, 2, 2, 1, *(0,) * 18)  # 13 checkers, 5 points, 1 outside
    theirs = (0, 3, 3, 3, 3, 3, *(0,) * 19)  # 15 checkers, 5 points
    found = counts.ward(Position(mine, theirs))
    assert (found.mine, found.theirs) == (47 + 4 + 0.5, 60 + 4)
