"""The event loop that browsers share with the bots."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from sixprime.bot.web.frame.connections import options, places

LOOKS = 60


class Socket(asyncio.Transport):
    """A connection that takes everything."""

    def __init__(self) -> None:
        super().__init__()
        self.closing = False

    def is_closing(self) -> bool:
        return self.closing

    def write(self, data: Any) -> None:
        pass

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = True


def test_the_event_loop_begins_one_request_in_a_pass_and_none_that_hung_up() -> None:
    begun: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope["path"])

    async def check() -> None:
        config = uvicorn.Config(app, log_config=None, lifespan="off", **options(places()))
        config.load()
        protocol: Any = config.http_protocol_class
        state, sockets = ServerState(), list[Socket]()
        for i in range(LOOKS):
            made = protocol(config=config, server_state=state, app_state={})
            sockets.append(Socket())
            made.connection_made(sockets[-1])
            made.data_received(f"GET /{i} HTTP/1.1\r\nHost: h\r\n\r\n".encode())
        for each in sockets[1::2]:
            each.close()
        counts = []
        for _ in range(LOOKS + 3):
            await asyncio.sleep(0)
            counts.append(len(begun))
        assert all(after - before <= 1 for before, after in zip([0, *counts], counts, strict=False))

    asyncio.run(check())
    assert begun == [f"/{i}" for i in range(0, LOOKS, 2)]
