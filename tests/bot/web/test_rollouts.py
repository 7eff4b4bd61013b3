"""One rollout at a time: a page's own gives way to its next one, another page's does not."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.tasks import TaskRunner
from sixprime.bot.web.positions.rollouts import RolloutTask, roll_out
from sixprime.bot.web.positions.setup import read_setup

TRIALS = 5184


def test_a_page_may_begin_anew_before_it_is_known_to_have_hung_up() -> None:
    asyncio.run(begun_anew())


async def begun_anew() -> None:
    runner, work = TaskRunner("rollout"), partial(roll_out, read_setup({"set": "start"}), TRIALS)
    first = await runner.restart(RolloutTask("A rollout", page="mine"), work)
    with pytest.raises(Busy):
        await runner.restart(RolloutTask("A rollout", page="another"), work)
    assert not first.stopping
    second = await runner.restart(RolloutTask("A rollout", page="mine"), work)
    assert first.ended.is_set()
    assert not second.ended.is_set()
    runner.stop()
    await asyncio.to_thread(second.ended.wait)
