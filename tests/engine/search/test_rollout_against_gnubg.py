"""1,296 cubeless trials of three positions, ours against gnubg's own.

gnubg's numbers are recorded (tests/data/gnubg-rollouts.json, with the commands that gave them); one
test asks the real program again for a few trials, so that the record stays honest. What the two
agree on is the position, not the plays, so both look as deep as it takes to play it alike: in the
contact position one ply. 0-ply play differs there: gnubg wins 0.719 of its games, worth 0.782
points, and we win 0.721, worth 0.791, more of them as gammons than either at one ply.
"""

from __future__ import annotations

import json
import math
import os
import pty
import re
import subprocess
from typing import Any

import pytest

from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MatchState
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.rollout import RolloutSettings, of_position
from sixprime.engine.search.trials import RolloutPlayer
from sixprime.protocols.formats.ids import read_position_id
from tests.support.gnubg.program import COMMAND
from tests.support.places import DATA

RECORD = json.loads((DATA / "gnubg-rollouts.json").read_text(encoding="utf-8"))
ROUNDED = 0.0005  # of three printed decimals
JOINT = 3.0  # standard errors; of three comparisons one in 120 would fail by chance


@pytest.mark.slow
@pytest.mark.parametrize("name", ["start", "contact", "race"])
def test_our_rollouts_agree_with_gnubgs_within_the_joint_error(name: str) -> None:
    theirs = RECORD["rollouts"][name]
    position = read_position_id(theirs["position"])
    player = RolloutPlayer(Evaluation(theirs["plies"]))
    settings = RolloutSettings(trials=1296, cubeful=False, players=(player, player))
    rolled = of_position(position, MatchState(), settings).run(load_brain(), threads=2)[0]
    assert rolled.reduction is not None
    assert rolled.reduction > 5
    ours = (*rolled.outcomes[:2], rolled.equity)
    errors = (*rolled.outcome_errors[:2], rolled.error)
    for i, (mine, error) in zip((0, 1, 5), zip(ours, errors, strict=True), strict=True):
        joint = math.hypot(error, theirs["errors"][i] + ROUNDED)
        assert abs(mine - theirs["found"][i]) < JOINT * joint + ROUNDED, (i, mine, error)


@pytest.mark.gnubg
def test_the_recorded_commands_make_gnubg_say_such_numbers() -> None:
    race = RECORD["rollouts"]["race"]
    found, errors = rolled_by_gnubg(race["position"], race["plies"], trials=36)
    assert found[0] == pytest.approx(race["found"][0], abs=4 * errors[0] + 2 * ROUNDED)
    assert found[5] == pytest.approx(race["found"][5], abs=4 * errors[5] + 2 * ROUNDED)


def rolled_by_gnubg(position: str, plies: int, trials: int) -> tuple[list[float], list[float]]:
    """The six numbers of a rollout and their errors, from the program's terminal."""
    commands = [line.replace("{position}", position) for line in RECORD["commands"]]
    commands = [line.replace("{plies}", str(plies)) for line in commands]
    commands = [re.sub(r"trials \d+", f"trials {trials}", line) for line in commands]
    keyboard, screen = pty.openpty()
    with subprocess.Popen(COMMAND, stdin=screen, stdout=screen, stderr=screen) as gnubg:
        os.close(screen)
        os.write(keyboard, ("\n".join(commands) + "\n").encode())
        said = b""
        while True:
            try:
                piece = os.read(keyboard, 65536)
            except OSError:  # how a terminal tells that the other end is gone
                break
            if not piece:
                break
            said += piece
        gnubg.wait(timeout=60)
    os.close(keyboard)
    return _last_result(said.decode(errors="replace"))


def _last_result(said: str) -> tuple[list[float], list[float]]:
    """It prints `win gammon backgammon - lose gammon backgammon CL equity`, errors below it."""
    number = r"([+-]?\d\.\d{3})"
    line = rf"{number} {number} {number} - {number} {number} {number} CL +{number}"
    found: list[list[Any]] = [list(map(float, each)) for each in re.findall(line, said)]
    result, errors = ([*row[:3], *row[4:]] for row in found[-2:])
    return result, errors
