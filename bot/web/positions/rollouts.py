"""Rollouts of the page of a position, with results while they run.

A rollout runs in a thread of the lowest priority whose kernels release the interpreter, so neither
bots nor pages wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sixprime.bot.interfaces.notebook import rollout_of
from sixprime.bot.process.workers import at_lowest_priority
from sixprime.bot.reports.decisions import RolledPlays
from sixprime.bot.web.frame.tasks import LongTask, TaskEnded, TaskState
from sixprime.bot.web.positions.setup import BoardSetup
from sixprime.engine.search.decide import NoDecision, within_tables
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.search.rollout import BadRollout, Rolled, Rollout, RolloutSettings, verdict

BEST = 5  # plays that are rolled out
MOST_S = 600.0
SURE = 1.96  # standard errors on each side: 95 %


@dataclass
class RolloutTask(LongTask):
    """A rollout and its results so far."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    action: str = ""

    def shown(self) -> dict[str, Any]:
        """Return the state as the page shows it."""
        problem = self.summary if self.state is TaskState.FAILED else ""
        return {
            "done": self.done, "total": self.total, "says": self._says(), "rows": self.rows,
            "action": self.action, "problem": problem, "ended": self.ended.is_set(),
        }  # fmt: skip


def roll_out(setup: BoardSetup, trials: int, task: RolloutTask) -> None:
    """Roll out the best plays, or doubling and not doubling."""
    at_lowest_priority()
    brain, settings = shipped_brain(), RolloutSettings(trials=trials)
    try:
        match = within_tables(setup.position, setup.match)
        rollout, names = rollout_of(setup.position, match, match.dice, settings, BEST, brain)
    except (NoDecision, BadRollout) as error:
        raise TaskEnded(str(error)) from error
    task.total = trials * len(names)

    def show(done: int, total: int) -> None:
        task.rows, task.action = _rows(names, rollout), _action(rollout)

    rollout.run(brain, spread=task.spread, progress=show)


def _rows(names: Sequence[str], rollout: Rollout) -> list[dict[str, Any]]:
    """The rows, best first, with numbers ready to be shown."""
    shown = RolledPlays.named(names, rollout.rolled())
    best = shown[0][1].equity
    return [_row(name, rolled, best) for name, rolled in shown]


def _row(name: str, rolled: Rolled, best: float) -> dict[str, Any]:
    win, gammon, _, lost, _ = (f"{100 * chance:z.1f} %" for chance in rolled.outcomes)
    return {
        "name": name,
        "equity": f"{rolled.equity:+z.3f}",
        "within": f"± {SURE * rolled.error:z.3f}",
        "loss": f"{best - rolled.equity:z.3f}" if rolled.equity < best else "–",
        "win": win,
        "gammon": gammon,
        "lost": lost,
        "trials": rolled.trials,
    }


def _action(rollout: Rollout) -> str:
    return "" if rollout.match.dice is not None else verdict(rollout).action
