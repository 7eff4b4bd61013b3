"""What the real gnubg makes of cubes, for tests marked `gnubg`.

It answers a batch of questions through its embedded Python, in one process or in several: in each
evaluation it sleeps for a hundredth of a second.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sixprime.engine.position import MatchState, Position
from tests.support.gnubg.program import COMMAND, scripted

SCRIPT = """
import gnubg, json
if {met!r}:
    gnubg.command('set matchequitytable ' + {met!r})
cubeless = gnubg.evalcontext(0, 0, 1, 0, 0.0)
answers = []
for q in json.load(open('asked')):
    cube = gnubg.cubeinfo(q['cube'], q['owner'], q['on_roll'], q['length'], tuple(q['score']),
                          q['crawford'], q['variation'])
    cube['jacoby'], cube['beavers'] = q['jacoby'], q['beavers']
    board = tuple(map(tuple, q['board']))
    answer = dict(outcomes=gnubg.evaluate(board, cube, cubeless)[:5],
                  kind=gnubg.classifypos(board, q['variation']))
    if q['plies'] is not None:
        found = gnubg.cfevaluate(board, cube, gnubg.evalcontext(1, q['plies'], 1, 0, 0.0))
        answer.update(equities=found[1:4], action=found[5])
        if q['length']:
            answer['mwc'] = [gnubg.eq2mwc(equity, cube) for equity in found[1:4]]
    answers.append(answer)
json.dump(answers, open('answered', 'w'))
"""

Answer = dict[str, Any]


class Question(NamedTuple):
    """A position of the player on roll; no plies asks for the cubeless probabilities alone."""

    position: Position
    state: MatchState
    plies: int | None = 0
    hypergammon: bool = False  # of as many checkers as there are; else they are what is left of 15

    def asked(self) -> dict[str, Any]:
        state = self.state
        return {
            "board": (self.position.theirs, self.position.mine),
            "cube": state.cube,
            "owner": -1 if state.cube_owner is None else state.cube_owner,
            "on_roll": state.on_roll,
            "length": state.length,
            "score": state.score,
            "crawford": int(state.crawford),
            "jacoby": int(state.jacoby),
            "beavers": int(state.beavers > 0),
            "variation": self.position.checkers + 1 if self.hypergammon else 0,
            "plies": self.plies,
        }


def answers_to(
    questions: Sequence[Question],
    folder: Path,
    met: str = "",
    *,
    program: str = COMMAND[0],
    processes: int = 1,
) -> list[Answer]:
    """With gnubg's own match equity table, or the file `met`."""
    shares = [questions[share::processes] for share in range(processes)]
    folders = [folder / f"share{share}" for share in range(processes)]
    asks = partial(_answered, met=met, program=program)
    with ThreadPoolExecutor(processes) as pool:
        told = list(pool.map(asks, shares, folders))
    return [told[i % processes][i // processes] for i in range(len(questions))]


def _answered(questions: Sequence[Question], folder: Path, met: str, program: str) -> list[Answer]:
    folder.mkdir(exist_ok=True)
    (folder / "asked").write_text(json.dumps([question.asked() for question in questions]))
    scripted(SCRIPT.format(met=met), folder, program)
    found: list[Answer] = json.loads((folder / "answered").read_text())
    return found
