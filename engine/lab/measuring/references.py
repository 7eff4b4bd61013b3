"""Reference positions of different kinds, with chances from long rollouts, ours and gnubg's.

A net is compared with the rollouts chance by chance. The rollouts only measure: nothing learns from
them.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.measuring import benchmarkfile
from sixprime.engine.lab.measuring.peers import PeerError, program
from sixprime.engine.position import Chances, MatchState, Position, chances_of
from sixprime.engine.search.rollout import RolloutSettings, of_position
from sixprime.engine.system.wholefiles import write_json

CLOSE = 0.015  # how near a chance should be to what rollouts say


@dataclass(frozen=True, slots=True)
class Reference:
    """One position, what is going on in it, and the chances that rollouts gave it."""

    kind: str
    name: str
    position: str  # a Position ID
    ours: Chances
    gnubg: Chances


def path() -> Path:
    """Where the project's own references are."""
    return benchmarkfile.shipped("references.json")


def load(file: Path | None = None) -> list[Reference]:
    """The references of a file, or the project's own."""
    found = json.loads((file or path()).read_text(encoding="utf-8"))
    return [
        Reference(
            each["kind"], each["name"], each["position"], tuple(each["ours"]), tuple(each["gnubg"])
        )
        for each in found["references"]
    ]


def save(references: Sequence[Reference], about: dict[str, object], file: Path) -> None:
    """Write the file, whole or not at all."""
    rows = [asdict(each) for each in references]
    write_json(file, {"about": about, "references": rows}, indent=1)


def rolled_by_us(position: Position, brain: Brain, trials: int, threads: int) -> Chances:
    """The cubeless chances that our own rollout gives the player on roll."""
    settings = RolloutSettings(trials=trials, cubeful=False)
    (rolled,) = of_position(position, MatchState(), settings).run(brain, threads=threads)
    return chances_of(round(each, 5) for each in rolled.outcomes)


def rolled_by_gnubg(position_id: str, trials: int, plies: int) -> Chances:
    """The same from gnubg's."""
    return chances_said(shown_by_gnubg(position_id, trials, plies))[0]


def shown_by_gnubg(position_id: str, trials: int, plies: int) -> str:
    """What gnubg prints of a rollout: cubeless, variance-reduced, to the end.

    gnubg shows a rollout only on a terminal; `script` (of util-linux) pretends to be one.
    """
    commands = [
        *("set automatic game off", "set automatic roll off"),
        *("set player 0 human", "set player 1 human", "set threads 1"),
        "set output digits 6",
        *("new session", "set turn 1", f"set board {position_id}", "set jacoby off"),
        *(f"set rollout {each}" for each in _GNUBG_ROLLOUT),
        *(f"set rollout {kind} plies {plies}" for kind in ("chequerplay", "cubedecision")),
        *(f"set rollout trials {trials}", "rollout", "exit", "y"),
    ]
    with tempfile.TemporaryDirectory(prefix="sixprime-gnubg-") as folder:
        return subprocess.run(
            ["script", "-qec", f"{program()} -t -q -r", "/dev/null"],
            input="\n".join(commands) + "\n",
            capture_output=True, text=True, check=False, cwd=folder,
        ).stdout  # fmt: skip


_GNUBG_ROLLOUT = (
    *("seed 1", "cubeful off", "varredn on", "quasirandom on", "initial off"),
    *("truncation enable off", "bearofftruncation exact off", "bearofftruncation onesided off"),
    *("limit enable off", "jsd stop off", "chequerplay cubeful off", "cubedecision cubeful off"),
)


def chances_said(terminal: str) -> tuple[Chances, Chances]:
    """The last result that gnubg has printed to a terminal, and its standard errors."""
    *chances, _ = _last(terminal, r"Current Position:\s+(.*?) CL\s+(\S+)")
    *errors, _ = _last(terminal, r"\[(\d.*?) CL\s+(\S+)\]")
    return chances_of(chances), chances_of(errors)


def error_said(terminal: str) -> float:
    """The standard error of the equity in the last result."""
    return _last(terminal, r"\[(\d.*?) CL\s+(\S+)\]")[-1]


def _last(terminal: str, line: str) -> list[float]:
    """Five chances and an equity of the last such line; PeerError if there is none."""
    results = re.findall(line, terminal)
    if not results or "Rollout done" not in terminal:
        raise PeerError("gnubg did not finish its rollout")
    won, lost = (each.split() for each in results[-1][0].split("-"))
    return [float(each) for each in (*won, *lost[1:], results[-1][1])]
