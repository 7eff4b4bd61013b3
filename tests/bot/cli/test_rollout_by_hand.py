"""Each option of `sixprime rollout`, its games followed by hand (tests/rolledbyhand.py).

The program is asked as users ask it: it writes every game as SGF, and figures as JSON. Luck is left
in, so the mean of the games' results has to be what it reports.
"""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.bearoff.files import OneSided, write_database
from sixprime.engine.nets.weights import save_brain, save_sides
from sixprime.engine.position import Position
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.record import Cube, CubeStep, Match, SetBoard, Turn
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.boards import side
from tests.support.engine.rolledbyhand import (
    CENTRED,
    MINE,
    THEIRS,
    Act,
    Hand,
    Hands,
    Look,
    Start,
    hand_nets,
    hand_side,
    rolls_to_go,
)

pytestmark = pytest.mark.patient

DECIDES = 1  # the seat of the player who decides, if no match says otherwise


RACE = Position(side(10, 9, 7), side(11, 8, 8))
TWO_EACH = Position(side(17, 14), side(16, 13))
CONTACT = Position(side(20, 13, 8), side(18, 14, 7))
LATE = Position(side(*[1] * 8, 2, 2, 3), side(8, 7))  # more than six checkers


class Rolled(NamedTuple):
    """What the program said: by candidate its figures, and where and how each game went."""

    figures: dict[str, dict[str, Any]]
    games: dict[str, list[tuple[Start, list[Act]]]]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("nets")
    save_sides(folder, hand_side(), {})
    return str(save_brain(folder, hand_nets(), {}))


Ask = Callable[..., Rolled]


@pytest.fixture
def ask(weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs `sixprime rollout` and reads what it wrote."""

    def asked(position: Position, words: str, *, reduced: bool = False) -> Rolled:
        folder = tmp_path / f"log{len(list(tmp_path.iterdir()))}"
        command = ["rollout", position_id(position), *words.split(), "--weights", weights]
        command += ["--json", "--log", str(folder), *([] if reduced else ["--no-reduction"])]
        assert main(command) == 0
        figures = json.loads(capsys.readouterr().out)["candidates"]
        games: dict[str, list[tuple[Start, list[Act]]]] = {}
        for path in sorted(folder.iterdir()):
            (match,) = sgf.read_sgf(path.read_text()).strictly()
            said = re.search(r"RE\[[WB]\+(\d+)", path.read_text())
            result = match.games[0].result  # as its actions have it
            assert (None if said is None else int(said[1])) == (result and result.points)
            name, trial = match.event.rsplit(", trial ", 1)
            assert int(trial) == len(games.setdefault(name, [])) + 1
            games[name].append(game_of(match, name))
        return Rolled({each["name"]: each for each in figures}, games)

    return asked


def game_of(match: Match, name: str) -> tuple[Start, list[Act]]:
    """Where the game of a trial starts, and what happens."""
    (game,) = match.games
    board = game.actions[0]
    assert isinstance(board, SetBoard)
    owner = {None: CENTRED, board.on_roll: MINE}.get(board.cube_owner, THEIRS)
    first = board.on_roll != DECIDES
    start = Start(board.position, first, board.cube, owner, may_double=first)
    acts: list[Act] = []
    doubled, position = False, board.position
    for moment in moments(match, game):
        action = moment.action
        if isinstance(action, Cube) and action.step is CubeStep.DOUBLE:
            doubled = True
        elif isinstance(action, Cube) and action.step is CubeStep.DROP:
            assert game.result is not None
            assert game.result.points == moment.state.cube
            return start, [*acts, Act(None, True, True, None)]
        elif isinstance(action, Turn):
            assert action.play is not None
            position = position.after(action.play).flipped()
            acts.append(Act(action.dice, doubled, False, position))
            doubled = False
    assert (game.result is not None) is position.is_over()
    if game.result is not None:
        assert game.result.points == moment.state.cube
        assert game.result.winner == moment.state.on_roll
    return start, [*acts, Act(None, False, False, None)]


def follow(rolled: Rolled, hand: Hand) -> None:
    """Every game is as `hand` has it, and the figures are the means of their results."""
    for name, games in rolled.games.items():
        results = [hand.follow(start, acts) for start, acts in games]
        figures, points = rolled.figures[name], [result[0] for result in results]
        assert figures["trials"] == len(points)
        assert figures["equity"] == pytest.approx(fmean(points), abs=1e-4)
        assert figures["error"] == pytest.approx(stdev(points) / math.sqrt(len(points)), abs=1e-4)
        if hand.cut_plies == 0:
            chances = [result[1] for result in results]
            assert figures["outcomes"][0] == pytest.approx(fmean(chances), abs=1e-4)


def departs(rolled: Rolled, hand: Hand) -> bool:
    """Is there a game that is not as `hand` has it?"""
    try:
        follow(rolled, hand)
    except AssertionError:
        return True
    return False


TINY = Look(1, ((0, 5, 0.08),))
AHEAD = Look(1, ((0, 8, 0.16),))
FAR = Look(2, ((0, 8, 0.16), None))
PLAIN = Hands()
ANY = Hands(None, None)
OPTIONS: dict[str, tuple[Position, str, Hand]] = {
    "nothing": (CONTACT, "", Hand()),
    "dice": (CONTACT, "--dice 52 --most 2", Hand()),
    "cubeless": (CONTACT, "--cubeless", Hand(cubeful=False)),
    "plies": (CONTACT, "--plies 1", Hand((Hands(AHEAD, AHEAD),) * 2)),
    "cube plies": (CONTACT, "--cube-plies 1", Hand((Hands(Look(), AHEAD),) * 2)),
    "plies of one player": (
        CONTACT, "--plies 1,0", Hand((Hands(AHEAD, AHEAD), PLAIN)),
    ),
    "plies of the other": (CONTACT, "--plies 0,1", Hand((PLAIN, Hands(AHEAD, AHEAD)))),
    "filter": (
        CONTACT, "--plies 1 --filter tiny --cubeless",
        Hand((Hands(TINY, TINY),) * 2, cubeful=False),
    ),
    "later plies": (
        CONTACT, "--later-plies 1 --later-after 2",
        Hand(later=(Hands(AHEAD, AHEAD),) * 2, later_after=2),
    ),
    "later level of the other": (
        CONTACT, "--level world-class,expert --plies 1 --later-level expert --later-after 3",
        Hand((Hands(AHEAD, AHEAD),) * 2, later=(PLAIN, PLAIN), later_after=3),
    ),
    "later filter": (
        CONTACT, "--plies 1 --later-filter tiny --later-after 1 --cubeless",
        Hand(
            (Hands(AHEAD, AHEAD),) * 2, later=(Hands(TINY, TINY),) * 2, later_after=1,
            cubeful=False,
        ),
    ),
    "a noisy opponent": (CONTACT, "--level expert,beginner", Hand((PLAIN, ANY))),
    "truncation": (CONTACT, "--truncate 3", Hand(truncate=3)),
    "truncation, judged deeper": (
        CONTACT, "--truncate 2 --truncate-plies 1", Hand(truncate=2, cut_plies=1),
    ),
    "no databases": (RACE, "--no-databases", Hand(one_sided=False, two_sided=False)),
    "no two-sided database": (RACE, "--no-two-sided", Hand(two_sided=False)),
    "one-sided database": (LATE, "--cubeless", Hand(cubeful=False)),
    "no one-sided database": (
        LATE, "--cubeless --no-one-sided", Hand(cubeful=False, one_sided=False),
    ),
}  # fmt: skip
OTHERWISE = {
    "nothing": Hand(cubeful=False),
    "dice": Hand(cubeful=False),
    "one-sided database": Hand(cubeful=False, one_sided=False),
    "no one-sided database": Hand(cubeful=False),
    "filter": Hand((Hands(AHEAD, AHEAD),) * 2, cubeful=False),
    "later filter": Hand((Hands(AHEAD, AHEAD),) * 2, cubeful=False),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_games_are_played_as_the_option_says(name: str, ask: Ask) -> None:
    position, words, hand = OPTIONS[name]
    rolled = ask(position, f"{words} --trials 8 --seed 3")
    follow(rolled, hand)
    assert departs(rolled, OTHERWISE.get(name, Hand()))


def test_filters_of_ones_own_hold_for_the_player_whose_level_they_are(
    ask: Ask, tmp_path: Path
) -> None:
    (tmp_path / "levels.yaml").write_text(
        "levels: {pair: {plies: 1, passes: [{accept: 2, extra: 0, threshold: 0}], prune: false}}"
    )
    words = f"--levels-file {tmp_path / 'levels.yaml'} --level expert,pair --cubeless --trials 8"
    pair = Look(1, ((2, 0, 0.0),))
    rolled = ask(CONTACT, words)
    follow(rolled, Hand((PLAIN, Hands(pair, pair)), cubeful=False))
    assert departs(rolled, Hand((PLAIN, Hands(AHEAD, AHEAD)), cubeful=False))


def test_databases_and_match_equities_are_those_of_the_level(
    weights: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_database(OneSided(7), tmp_path / "seven.bd")
    (tmp_path / "levels.yaml").write_text(
        f"levels: {{mine: {{met: mec26, bearoff: {{one_sided: {tmp_path / 'seven.bd'}}}}}}}"
    )
    mine = ["--levels-file", str(tmp_path / "levels.yaml"), "--level", "mine"]
    race = Position(side(7, 5, 3), side(7, 6, 1))

    def rolled(position: Position, *words: str) -> dict[str, Any]:
        command = ["rollout", position_id(position), *words, "--weights", weights, "--json"]
        assert main([*command, "--trials", "36", "--no-reduction"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)["candidates"][0]
        return found

    mine_sides, theirs = (rolls_to_go(each) for each in (race.mine, race.theirs))
    chance = sum(each * sum(theirs[roll:]) for roll, each in enumerate(mine_sides))
    known = rolled(race, "--cubeless", *mine)
    assert known["outcomes"][0] == pytest.approx(chance, abs=1e-4)
    assert known["error"] == 0 < rolled(race, "--cubeless")["error"]
    at_score = ["--match", "cAngACAACAAE", "--truncate", "1"]
    assert rolled(CONTACT, *at_score, *mine) == rolled(CONTACT, *at_score, "--met", "mec26")
    assert rolled(CONTACT, *at_score, *mine) != rolled(CONTACT, *at_score)
    other = ["--levels-file", str(tmp_path / "levels.yaml"), "--level", "mine,expert"]
    assert main(["rollout", position_id(race), *other]) == 2
    said = "sixprime rollout: --level mine,expert: both need the same bearoff databases"
    assert capsys.readouterr().err.splitlines()[-1] == said


def test_the_last_game_of_a_match_is_its_winning_chance(ask: Ask) -> None:
    dmp = "--match cAkgAAAAAAAE"  # one point, so no cube
    hand = Hand(cubeful=False, one_sided=False, two_sided=False)
    rolled = ask(CONTACT, f"{dmp} --trials 8")
    for name, games in rolled.games.items():
        chances = [hand.follow(start, acts)[1] for start, acts in games]
        assert rolled.figures[name]["mwc"] == pytest.approx(fmean(chances), abs=1e-4)


def test_dice_thrown_by_somebody_else_give_the_same_answer(ask: Ask) -> None:
    dice = Random(28)
    for words, hand in (("", Hand()), ("--cubeless", Hand(cubeful=False))):
        rolled = ask(RACE, f"{words} --trials 720", reduced=True)
        for name, figures in rolled.figures.items():
            start = rolled.games[name][0][0]
            points = [hand.play_out(start, dice)[0] for _ in range(1500)]
            error = math.hypot(figures["error"], stdev(points) / math.sqrt(len(points)))
            assert figures["equity"] == pytest.approx(fmean(points), abs=3.5 * error)
            assert figures["error"] < stdev(points) / math.sqrt(720)


def thrown(rolled: Rolled, turn: int) -> list[tuple[int, int]]:
    """The roll of a turn, game by game."""
    (games,) = rolled.games.values()
    return [acts[turn].dice or (0, 0) for _, acts in games]


def test_each_roll_comes_equally_often_unless_dice_are_plain(ask: Ask) -> None:
    words = "--cubeless --truncate 3 --trials 1296"
    even, plain = ask(CONTACT, words), ask(CONTACT, f"{words} --plain-dice")
    pairs = list(zip(thrown(even, 0), thrown(even, 1), strict=True))
    assert set(Counter(pairs).values()) == {1}
    for turn, block in product(range(3), range(0, 1296, 36)):
        assert len(set(thrown(even, turn)[block : block + 36])) == 36
    counts = Counter(thrown(plain, 0))
    assert 15 < sum((count - 36) ** 2 / 36 for count in counts.values()) < 73  # chi-square, 35
    assert even.games != ask(CONTACT, f"{words} --seed 2").games


def test_rolling_out_from_the_opening_skips_doubles_and_the_first_cube(ask: Ask) -> None:
    rolled = ask(CONTACT, "--opening --truncate 2 --trials 60")
    first = thrown(rolled, 0)
    assert {roll for roll in product(range(1, 7), repeat=2) if roll[0] != roll[1]} == set(first)
    assert set(Counter(first).values()) == {2}
    follow(rolled, Hand(truncate=2))
    every = ask(CONTACT, "--opening --truncate 2 --trials 1080")
    pairs = Counter(zip(thrown(every, 0), thrown(every, 1), strict=True))
    assert (len(pairs), set(pairs.values())) == (30 * 36, {1})


def test_without_its_luck_each_game_is_worth_the_average(ask: Ask) -> None:
    """One turn ahead the luck is all there is, so nothing varies."""
    hand = Hand(cubeful=False)
    for race in (TWO_EACH, RACE):
        rolled = ask(race, "--cubeless --truncate 1 --trials 36", reduced=True)
        (figures,) = rolled.figures.values()
        assert figures["equity"] == pytest.approx(hand.rolling(race, 1, CENTRED, 1), abs=1e-4)
        if race == TWO_EACH:  # with more plays than four, only the likely ones are judged
            assert figures["error"] < 1e-5


def running(games: list[float]) -> Callable[[int], tuple[float, float]]:
    """Mean and standard error of the first games."""
    return lambda count: (fmean(games[:count]), stdev(games[:count]) / math.sqrt(count))


def test_rollouts_stop_at_a_standard_error_and_a_play_at_joint_ones(ask: Ask) -> None:
    words = "--dice 61 --most 3 --cubeless --truncate 2 --trials 720"
    hand, looks = Hand(cubeful=False, truncate=2), range(144, 721, 144)
    found = {
        name: running([hand.follow(start, acts)[0] for start, acts in games])
        for name, games in ask(CONTACT, words).games.items()
    }
    for wanted, least in ((0.03, 1), (0.03, 300), (0.001, 1)):
        rolled = ask(CONTACT, f"{words} --stop-at-error {wanted} --stop-after {least}")
        for name, at in found.items():
            ends = [look for look in looks if look >= least and at(look)[1] <= wanted]
            assert rolled.figures[name]["trials"] == min(ends, default=720)
    for wanted, least in ((1.5, 1), (1.5, 400), (9.0, 1)):
        rolled = ask(CONTACT, f"{words} --stop-at {wanted} --stop-after {least}")
        left = dict.fromkeys(found, 720)
        for look in (each for each in looks if each >= least):
            going = {name: at(look) for name, at in found.items() if left[name] == 720}
            best, best_error = max(going.values())
            for name, (mean, error) in going.items():
                if best - mean > wanted * math.hypot(error, best_error):
                    left[name] = look
        assert {name: each["trials"] for name, each in rolled.figures.items()} == left
        assert wanted == 9.0 or min(left.values()) < 720


EVERYTHING = (
    "--dice 61 --most 2 --trials 216 --seed 8 --truncate 5 --truncate-plies 1 --plies 0,1"
    " --filter tiny --cube-plies 0 --later-level casual,expert --later-after 3 --stop-at 3"
    " --stop-after 144 --stop-at-error 0.01 --no-one-sided"
)


def test_threads_extending_and_being_killed_change_no_byte(weights: str, tmp_path: Path) -> None:
    program = [sys.executable, "-c", "from sixprime.bot.cli.main import run; run()"]
    program += ["rollout", position_id(CONTACT), *EVERYTHING.split(), "--json"]
    program += ["--weights", weights]

    def end(name: str, *words: str) -> tuple[bytes, dict[str, bytes], bytes]:
        state, log = tmp_path / f"{name}.npz", tmp_path / name
        command = [*program, *words, "--resume", str(state), "--log", str(log)]
        said = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        return said, {each.name: each.read_bytes() for each in log.iterdir()}, state.read_bytes()

    whole = end("whole")
    assert end("threads", "--threads", "3") == whole
    shorter = [*program, "--trials", "100", "--resume", str(tmp_path / "longer.npz")]
    subprocess.run(shorter, stdout=subprocess.DEVNULL, check=True)
    assert end("longer") == whole
    state, kills = tmp_path / "killed.npz", 0
    for _ in range(2):
        was = state.stat().st_mtime_ns if state.exists() else 0
        with subprocess.Popen(
            [*program, "--resume", str(state)], stdout=subprocess.DEVNULL
        ) as going:
            while going.poll() is None and (not state.exists() or state.stat().st_mtime_ns == was):
                time.sleep(0.001)
            going.send_signal(signal.SIGKILL)
            kills += going.wait(timeout=60) == -signal.SIGKILL
    assert kills
    assert end("killed") == whole
