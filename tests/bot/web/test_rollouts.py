"""One rollout at a time: a page's own gives way to its next one, another page's does not."""

from __future__ import annotations

import asyncio

import pytest

from sixprime.bot.web.positions.rollouts import Roller, RollerBusy
from sixprime.bot.web.positions.setup import read

TRIALS = 5184


def test_a_page_may_begin_anew_before_it_is_known_to_have_hung_up() -> None:
    asyncio.run(begun_anew())


async def begun_anew() -> None:
    roller, setup = Roller(), read({"set": "start"})
    first = await roller.begin(setup, TRIALS, "mine")
    with pytest.raises(RollerBusy):
        await roller.begin(setup, TRIALS, "another")
    assert not first.stop.is_set()
    second = await roller.begin(setup, TRIALS, "mine")
    assert first.ended.is_set()
    assert not second.ended.is_set()
    roller.close()
    await asyncio.to_thread(second.ended.wait)
