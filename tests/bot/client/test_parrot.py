"""A server that repeats our password in every way it can, and an opponent of that name."""

from __future__ import annotations

import asyncio
import io
import logging

from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.events import Evidence, MatchOver, Wire
from sixprime.bot.process.logs import configure
from sixprime.bot.settings.blanking import HIDDEN
from sixprime.bot.settings.schema import Logging
from sixprime.engine.search.players import PipCounter
from tests.support.bot.parrot import Parrot
from tests.support.bot.scene import Crew, config_for
from tests.support.bot.virtual import PASSWORD, VirtualLoop, at_once

PAIR = f"""
profiles:
  anna:
    account: {{user: anna}}
    lobby: {{invite: {{after_idle_s: 1, preferred: [{PASSWORD}], match_length: 1}}}}
  other: {{account: {{user: {PASSWORD}}}}}
"""


async def evening() -> Crew:
    server = Parrot(3)
    for name in ("anna", PASSWORD):
        server.open_account(name)
    server.at(server.now + 30.0, server.tick)
    crew = Crew(
        config_for(4321, PAIR),
        PASSWORD,
        dial=server.dial,
        thinker=lambda _: Thinker([Rung("pips", PipCounter, 5.0)], run=at_once),
    )
    task = asyncio.create_task(crew.run())
    memory = crew.memories["anna"]
    await crew.until(lambda: bool(memory.of(Wire)), 20_000)
    crew.service.bots[0].client.records.evidence("a test")
    assert PASSWORD not in repr(crew.service.status()[0])
    await crew.until(lambda: bool(memory.of(MatchOver)), 20_000)
    crew.service.request_stop(Stop.SAVE)
    await task
    return crew


def test_what_a_server_repeats_of_the_password_is_kept_nowhere() -> None:
    log, before = io.StringIO(), logging.getLogger().handlers[:]
    try:
        configure(Logging(level="debug", format="json"), [PASSWORD], log)
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            crew = runner.run(evening())
    finally:
        logging.getLogger().handlers = before
    memory = crew.memories["anna"]
    assert len(memory.of(Evidence)) == 1
    for each in (*memory.events, *memory.finished, log.getvalue()):
        assert PASSWORD not in repr(each)
        assert "sec\\x00ret" not in repr(each)
    assert f"12 {HIDDEN} you are {HIDDEN}" in repr(memory.of(Wire))
    assert f"login sixprime_bot 1008 anna {HIDDEN}" in log.getvalue()
