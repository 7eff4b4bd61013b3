"""gnubg's own Python interpreter: a script runs inside it, values go in and come out as JSON.

This gives what its socket does not (cubeful equities at any match score), and times its decisions
without its start-up or communication.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from sixprime.engine.lab.measuring.peers import PeerError, program

# Before any script: `asked` is what came in, `answer` what will go out. Cubes are given as the
# fields of sixprime.engine.position.MatchState; boards as (theirs, mine), as gnubg wants them.
_BEFORE = """
import gnubg, json
asked = json.load(open({asked!r}))
answer = []
for command in ("set automatic game off", "set automatic roll off", "set automatic move off",
                "set automatic bearoff off", "set player 0 human", "set player 1 human",
                "set display off", "set threads 1", "new session", "set turn 1"):
    gnubg.command(command)

def cube_of(fields):
    owner = -1 if fields["cube_owner"] is None else fields["cube_owner"]
    cube = gnubg.cubeinfo(fields["cube"], owner, fields["on_roll"], fields["length"],
                          tuple(fields["score"]), int(fields["crawford"]), 0)
    cube["jacoby"], cube["beavers"] = int(fields["jacoby"]), int(fields["beavers"] > 0)
    return cube

def look(plies):
    context = gnubg.evalcontext(1, plies, 1, 0, 0.0)
    context["prune"] = 1
    return context
"""
_AFTER = """
json.dump(answer, open({answered!r}, "w"))
"""


def ask(script: str, asked: object, timeout_s: float = 3600.0) -> Any:
    """Run a script inside gnubg that makes `answer` out of `asked`; PeerError if it fails."""
    with tempfile.TemporaryDirectory(prefix="sixprime-gnubg-") as folder:
        file, question, answer = (Path(folder) / name for name in ("script", "asked", "answer"))
        question.write_text(json.dumps(asked))
        before, after = _BEFORE.format(asked=str(question)), _AFTER.format(answered=str(answer))
        file.write_text(before + script + after)
        said = subprocess.run(
            [program(), "-t", "-q", "-r", "-p", str(file)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=timeout_s,
        )  # fmt: skip
        if not answer.exists():
            last = (said.stdout + said.stderr).strip().rpartition("\n")[2]
            raise PeerError(f"a script inside gnubg failed; its last words: {last}")
        return json.loads(answer.read_text())
