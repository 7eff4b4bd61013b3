"""Reference positions of different kinds, with chances from long rollouts, ours and gnubg's.

A net is compared with the rollouts chance by chance. The rollouts only measure: nothing learns from
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.lab.measuring import benchmarksets
from sixprime.engine.lab.measuring.gnubg import printed_chances, printed_rollout
from sixprime.engine.position import Chances, MatchState, Position, chances_of
from sixprime.engine.search.rollout import RolloutSettings, of_position
from sixprime.engine.system.wholefiles import write_json

CLOSE = 0.015  # a chance this near to the rollout's is close


@dataclass(frozen=True, slots=True)
class Reference:
    """One position, its kind and name, and its chances by rollouts."""

    kind: str
    name: str
    position: str  # a Position ID
    ours: Chances
    gnubg: Chances


def load_references(file: Path | None = None) -> list[Reference]:
    """Read the references of a file, or the project's own."""
    file = file or benchmarksets.shipped("references.json")
    rows = json.loads(file.read_text(encoding="utf-8"))["references"]
    return [
        Reference(**{**row, "ours": tuple(row["ours"]), "gnubg": tuple(row["gnubg"])})
        for row in rows
    ]


def save_references(references: Sequence[Reference], about: dict[str, object], file: Path) -> None:
    rows = [asdict(reference) for reference in references]
    write_json(file, {"about": about, "references": rows}, indent=1)


def rolled_by_us(position: Position, brain: Brain, trials: int, threads: int) -> Chances:
    """Return the cubeless chances that our own rollout gives the player on roll."""
    settings = RolloutSettings(trials=trials, cubeful=False)
    (rolled,) = of_position(position, MatchState(), settings).run(brain, threads=threads)
    return chances_of(round(chance, 5) for chance in rolled.outcomes)


def rolled_by_gnubg(position_id: str, trials: int, plies: int, command: str = "") -> Chances:
    """Return the cubeless chances that gnubg's rollout gives the player on roll."""
    return printed_chances(printed_rollout(position_id, trials, plies, command))[0]
