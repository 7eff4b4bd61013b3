"""The bots of this process as they play: drawn once for everybody who watches.

What a spectator sees is the latest picture, never a queue of them: who reads slowly misses some.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from typing import Any

from sixprime.bot.client.service import Bot, Service
from sixprime.bot.control.requests import MAY_HAVE, NEEDS, ONE_BOT, carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.printable import printable
from sixprime.bot.web.frame.boardview import board, spoken
from sixprime.protocols.fibs.wire.board import FibsBoard

LOOK_S = 0.1
STILL_THERE_S = 15.0  # a line to spectators when nothing happens
MOST_SPECTATORS = 200
ACTIONS = NEEDS.keys() - {"status"}
DRAWINGS = 256  # boards kept; most have not changed when we look again


class TooManySpectators(Exception):
    """Nobody else can watch now."""


class LiveBots:
    """The bots, and what can be done with them."""

    def __init__(self, service: Service, steering: Steering) -> None:
        self._service = service
        self._steering = steering
        self._shown = ""
        self._changed = asyncio.Event()
        self._spectators = 0

    def bots(self) -> list[dict[str, Any]]:
        """Each bot as its card shows it."""
        return [
            status | _seen(bot)
            for bot, status in zip(self._service.bots, self._service.status(), strict=True)
        ]

    async def watch(self) -> None:
        """Look at the bots again and again, and tell the spectators what has changed."""
        while True:
            if self._spectators:
                self._look()
            await asyncio.sleep(LOOK_S)

    def _look(self) -> None:
        shown = json.dumps({each["profile"]: each for each in self.bots()})
        if shown != self._shown:
            self._shown = shown
            self._changed.set()
            self._changed = asyncio.Event()

    def pictures(self) -> AsyncIterator[str]:
        """The latest picture whenever it has changed, as server-sent events."""
        if self._spectators >= MOST_SPECTATORS:
            raise TooManySpectators
        return self._pictures()

    async def _pictures(self) -> AsyncIterator[str]:
        self._spectators += 1
        try:
            self._look()
            sent = ""
            while True:
                changed, shown = self._changed, self._shown
                if shown != sent:
                    sent = shown
                    yield f"data: {shown}\n\n"
                try:
                    async with asyncio.timeout(STILL_THERE_S):
                        await changed.wait()
                except TimeoutError:
                    yield ": still there\n\n"
        finally:
            self._spectators -= 1

    async def order(self, action: str, form: Mapping[str, Any], by: str) -> tuple[bool, str]:
        """Do what somebody asks for on a card: was it done, and what came of it?"""
        request: dict[str, Any] = {"action": action}
        known = {**NEEDS[action], **MAY_HAVE.get(action, ONE_BOT)}
        for name, kinds in known.items():
            value: Any = str(form.get(name, "")).strip()
            if int in kinds:
                value = int(value) if value.isdigit() and len(value) < 4 else 0
            if value or name in NEEDS[action]:
                request[name] = value
        answer = await carry_out(self._steering, request, by)
        return bool(answer["done"]), printable(str(answer["text"]))


def _seen(bot: Bot) -> dict[str, Any]:
    """The board of a bot's match, and who is waited for."""
    session = bot.client.session
    match = None if session is None else session.match
    shown = None if match is None else match.board
    waits = "" if session is None else session.waiting.what.value
    fields: dict[str, Any] = {"board": "", "spoken": "", "waits": waits, "cube": 1}
    if isinstance(shown, FibsBoard):
        fields |= _drawn(shown)
    return fields


@lru_cache(maxsize=DRAWINGS)
def _drawn(shown: FibsBoard) -> dict[str, Any]:
    position, state = shown.view(), shown.match_state()
    return {
        "board": board(position, state),
        "spoken": spoken(position),
        "cube": state.cube,
    }
