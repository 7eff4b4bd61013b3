"""Rollouts for the pages, one at a time, with progress.

A rollout runs in a thread of the lowest priority whose kernels release the interpreter, so neither
bots nor pages wait for it. It ends when it is done, after some minutes, or when its page stops
listening.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from sixprime.bot.interfaces.notebook import rollout_of
from sixprime.bot.process.workers import at_lowest_priority
from sixprime.bot.web.frame.rolling import RolloutStopped, one_by_one
from sixprime.bot.web.positions.setup import BoardSetup
from sixprime.engine.search.decide import within_tables
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.search.rollout import Rolled, Rollout, RolloutSettings, verdict

log = structlog.get_logger("web")

BEST = 5  # plays that are rolled out
MOST_S = 600.0
LOOK_S = 0.25  # between progress reports
SURE = 1.96  # standard errors on each side: 95 %


class RollerBusy(Exception):
    """Another rollout is running."""


@dataclass(slots=True)
class Running:
    """A rollout under way, as its thread and its listener see it."""

    page: str  # that asked for it
    stop: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    done: int = 0  # trials
    total: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    action: str = ""
    problem: str = ""

    def shown(self) -> dict[str, Any]:
        return {
            "done": self.done, "total": self.total, "rows": self.rows, "action": self.action,
            "problem": self.problem, "ended": self.ended.is_set(),
        }  # fmt: skip


class Roller:
    """Runs rollouts for all pages of this server, one at a time."""

    def __init__(self) -> None:
        self._running: Running | None = None

    def close(self) -> None:
        if self._running is not None:
            self._running.stop.set()

    async def begin(self, setup: BoardSetup, trials: int, page: str) -> Running:
        """Start a rollout; RollerBusy if another page has one, while the page's own gives way."""
        while (last := self._running) is not None and not last.ended.is_set():
            if last.page == page:  # that it hung up may reach us after its next request
                last.stop.set()
            if not last.stop.is_set():
                raise RollerBusy
            await asyncio.to_thread(last.ended.wait)
        self._running = running = Running(page)
        work = threading.Thread(
            target=_roll, args=(running, setup, trials), name="rollout", daemon=True
        )
        work.start()
        log.info("rollout", trials=trials)
        return running


async def progress(running: Running) -> AsyncIterator[dict[str, Any]]:
    """Its progress until it ends; it also ends when nobody listens."""
    until = time.monotonic() + MOST_S
    try:
        while not running.ended.is_set() and time.monotonic() < until:
            yield running.shown()
            await asyncio.sleep(LOOK_S)
        running.stop.set()
        await asyncio.to_thread(running.ended.wait)
        yield running.shown()
    finally:
        running.stop.set()


def _roll(running: Running, setup: BoardSetup, trials: int) -> None:
    """The thread."""
    try:
        at_lowest_priority()
        brain = shipped_brain()
        position, match = setup.position, setup.match
        match = within_tables(position, match)
        settings = RolloutSettings(trials=trials)
        rollout, names = rollout_of(position, match, match.dice, settings, BEST, brain)
        running.total = trials * len(names)

        def count(played: int) -> None:
            running.done += played

        def show(done: int, total: int) -> None:
            running.rows, running.action = _rows(names, rollout), _action(rollout)

        rollout.run(brain, spread=one_by_one(running.stop.is_set, count), progress=show)
    except RolloutStopped:
        pass
    except Exception as error:
        log.exception("rollout failed")
        running.problem = str(error)
    finally:
        running.ended.set()


def _rows(names: Sequence[str], rollout: Rollout) -> list[dict[str, Any]]:
    """The rows, best first, with numbers ready to be shown."""
    found = sorted(zip(names, rollout.rolled(), strict=True), key=lambda pair: -pair[1].equity)
    best = found[0][1].equity
    return [_row(name, rolled, best) for name, rolled in found]


def _row(name: str, rolled: Rolled, best: float) -> dict[str, Any]:
    win, gammon, _, lost, _ = (f"{100 * chance:.1f} %" for chance in rolled.outcomes)
    return {
        "name": name,
        "equity": f"{rolled.equity:+.3f}",
        "within": f"± {SURE * rolled.error:.3f}",
        "loss": f"{best - rolled.equity:.3f}" if rolled.equity < best else "–",
        "win": win,
        "gammon": gammon,
        "lost": lost,
        "trials": rolled.trials,
    }


def _action(rollout: Rollout) -> str:
    return "" if rollout.match.dice is not None else verdict(rollout).action
