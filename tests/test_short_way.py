"""The way from one board line to one command, as docs/architecture.md tells it."""

from __future__ import annotations

import ast
import asyncio
import os
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from sixprime.bot.client.client import Client
from sixprime.bot.client.connection import Connection, Streams
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.recorder import NullRecorder
from sixprime.bot.settings.file import read_config
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.players import EnginePlayer
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.wire.commands import Login
from tests.support.bot.virtual import VirtualLoop, at_once
from tests.support.engine.brains import random_brain
from tests.support.places import ROOT

Place = tuple[str, str]  # file, function
MOST_LINES = 15
PAUSE_S, WITHIN_S = 5.0, 600.0  # of virtual time
SETTINGS = """
server: {host: h, command_gap_s: 0}
account: {user: sixbot}
player: {pace: {least_s: 0, most_s: 0}}
"""


def told() -> list[Place]:
    """What the page says."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    found = re.findall(r"^(\d+)\. `([\w/.]+): ([\w.]+)`", page, re.M)
    assert [int(number) for number, _, _ in found] == list(range(1, len(found) + 1))
    return [(file, function) for _, file, function in found]


def functions_in(file: str) -> set[str]:
    """Of a module, methods with their class."""
    found = set()
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = (ast.FunctionDef, ast.AsyncFunctionDef)
            found |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, methods)}
    return found


class Transcript:
    """The server's side of a transcript, line by line; where the client spoke there is a pause."""

    def __init__(self, name: str, trace: Trace) -> None:
        text = (ROOT / "tests/transcripts" / name).read_text(encoding="utf-8")
        self._lines = [line for line in text.splitlines() if line[:2] in ("S ", "C ")]
        self._trace = trace
        self.moved = asyncio.Event()

    async def read(self, n: int) -> bytes:
        """The next line of the server."""
        while self._lines[0].startswith("C "):
            await asyncio.sleep(PAUSE_S)
            self._lines.pop(0)
        line = self._lines.pop(0)[2:]
        if line.startswith("board:"):
            await asyncio.sleep(PAUSE_S)  # until all that came before is answered
            self._trace.begin()
            await asyncio.sleep(0)
        return f"{line}\r\n".encode()

    def write(self, data: bytes) -> None:
        """A command of ours."""
        if data.startswith(b"move "):
            self._trace.end()
            self.moved.set()

    async def drain(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


real = cache(os.path.realpath)  # modules are reached through the links in sixprime/


class Trace:
    """Which of these functions were called, in order."""

    def __init__(self, places: list[Place]) -> None:
        self.calls: list[Place] = []
        self._places = {(str(ROOT / file), function): (file, function) for file, function in places}

    def begin(self) -> None:
        """From now on."""
        sys.setprofile(self._see)

    def end(self) -> None:
        """Enough."""
        sys.setprofile(None)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call":
            place = self._places.get((real(code.co_filename), code.co_qualname))
            if place is not None:
                self.calls.append(place)


def walked(places: list[Place]) -> list[Place]:
    """The calls between the first board and our move."""
    trace = Trace(places)

    async def play() -> None:
        (profile,) = read_config(SETTINGS, Path("bot.yaml")).profiles
        engine = Engine("expert", brain=random_brain())
        thinker = Thinker([Rung("expert", lambda: EnginePlayer(engine), 60.0)], run=at_once)
        client = Client(profile, thinker, NullRecorder(), BotMetrics())
        await thinker.warm_up()
        session = Session(Login("sixbot_1.0", "sixbot", "secret99"), 0.0)
        server = Transcript("login-to-first-moves.txt", trace)
        connection = Connection(Streams(server, server), session, client, 0.0)
        async with asyncio.TaskGroup() as group:
            client.attach(session, group, connection.stir.set)
            talking = group.create_task(connection.run())
            async with asyncio.timeout(WITHIN_S):
                await server.moved.wait()
            talking.cancel()

    try:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(play())
    finally:
        trace.end()
    return trace.calls


def test_the_way_is_short_and_each_function_is_there() -> None:
    places = told()
    assert 0 < len(places) <= MOST_LINES
    for file, function in places:
        assert function in functions_in(file), f"{file} has no {function}"


def test_a_board_line_becomes_a_command_on_this_way_and_no_step_is_climbed_twice() -> None:
    places = told()
    calls = walked(places)
    assert list(dict.fromkeys(calls)) == places
    times = Counter(calls)
    again = {place for place in places if times[place] > 1}
    assert again <= {places[0], places[1]}, "only what gives one thing after another is resumed"
