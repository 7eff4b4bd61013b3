"""What the real gnubg shows of positions, for tests marked `gnubg`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sixprime.engine.position import Position
from sixprime.protocols.formats.ids import position_id
from tests.support.gnubg.program import scripted

PYTHON = "python: "  # in front of an expression, whose value is answered as JSON

# Run by gnubg's own interpreter; C and Python write to one stream, each through its own buffer.
_ASK = """
import ctypes, gnubg, json
def run(command):
    gnubg.command(command)
    ctypes.CDLL(None).fflush(None)
for command in ("set player 0 human", "set player 1 human", "set automatic roll off",
                "set automatic game off", "set display off", "set output digits 6"):
    run(command)
for line in open("asked"):
    position, before, questions = json.loads(line)
    for command in before:
        run(command)
    run("set turn 1")
    run("set board " + position)
    print("@@POSITION", flush=True)
    for question in questions:
        print("@@QUESTION " + question, flush=True)
        if question.startswith({python!r}):
            print(json.dumps(eval(question[len({python!r}):])), flush=True)
        else:
            run(question)
    print("@@END", flush=True)
"""

Asked = tuple[Position, Sequence[str], Sequence[str]]  # commands before it is set; questions


def shown(asked: Sequence[Asked], folder: Path) -> list[dict[str, str]]:
    """For each position, on roll as seat 1: question -> what gnubg printed."""
    lines = "".join(json.dumps([position_id(each), *rest]) + "\n" for each, *rest in asked)
    (folder / "asked").write_text(lines)
    said = scripted(_ASK.format(python=PYTHON), folder)
    blocks = [block.split("@@END")[0] for block in said.split("@@POSITION\n")[1:]]
    answers = [
        dict(part.split("\n", 1) for part in block.split("@@QUESTION ")[1:]) for block in blocks
    ]
    assert len(answers) == len(asked), said[-500:]
    return answers
