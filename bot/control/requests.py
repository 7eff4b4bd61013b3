"""The control socket's requests: one JSON object per line in, and one out.

`{"action": "invite", "name": "ben", "length": 3, "profile": "anna"}` is answered by `{"done": true,
"text": "..."}`; if `done` is false, the text says why. `status` adds a list. Lines, clients and
their time are bounded, so no client delays a bot by writing or reading slowly, or without end.
"""

from __future__ import annotations

import asyncio
import json
import pwd
import socket
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog

from sixprime.bot.control.steering import NotDone, Steering
from sixprime.bot.process.listeners import Clients, Places
from sixprime.engine.system.faults import Surviving

log = structlog.get_logger("bot.control")

LONGEST_REQUEST = 4_096  # bytes
MOST_CLIENTS = 8
REQUEST_WITHIN_S = 30.0
READ_WITHIN_S = 5.0  # our answer
PAUSE_S = 0.05  # between two requests of a client

Kinds = Mapping[str, tuple[type, ...]]
NEEDS: Mapping[str, Kinds] = {
    "pause": {},
    "resume": {},
    "finish": {},
    "stop": {},
    "leave": {},
    "dial": {},
    "invite": {"name": (str,), "length": (int,)},
    "say": {"text": (str,)},
    "block": {"name": (str,)},
    "allow": {"name": (str,)},
    "unblock": {"name": (str,)},
    "forgive": {"name": (str,)},
    "reload": {},
    "level": {"level": (str, dict)},
    "status": {},
}
ONE_BOT: Kinds = {"profile": (str,)}
MAY_HAVE: Mapping[str, Kinds] = {"reload": {}, "level": {"now": (bool,), **ONE_BOT}}  # or ONE_BOT

Answer = dict[str, Any]


async def carry_out(steering: Steering, request: object, by: str) -> Answer:
    """Carry out a request; answer it in any case, and log every change."""
    faults: list[Exception] = []
    with Surviving(faults.append):  # a failed order must not stop a bot
        return await _carry_out(steering, request, by)
    (error,) = faults
    if isinstance(error, NotDone):
        log.warning("not done", by=by, request=request, why=str(error))
        return {"done": False, "text": " ".join(str(error).splitlines())}
    log.error("an order failed", by=by, request=request, exc_info=error)
    return {"done": False, "text": f"failed: {type(error).__name__}; the log has more"}


async def _carry_out(steering: Steering, request: object, by: str) -> Answer:
    action, words = _checked(request)
    result = getattr(steering, action)(**words)
    found = await result if asyncio.iscoroutine(result) else result
    if action == "status":
        return {"done": True, "text": "", "status": found}
    steering.obeyed(action, words)
    log.info("done", by=by, request=request, what=found)
    return {"done": True, "text": " ".join(found.splitlines())}


def _checked(request: object) -> tuple[str, dict[str, Any]]:
    """Return the action and its arguments."""
    words = dict(request) if isinstance(request, dict) else {}
    action = words.pop("action", None)
    if not isinstance(action, str) or action not in NEEDS:
        raise NotDone(f"'action' is one of: {', '.join(NEEDS)}")
    needs = NEEDS[action]
    known = {**needs, **MAY_HAVE.get(action, ONE_BOT)}
    words = {name: value for name, value in words.items() if value is not None}
    if wrong := words.keys() - known.keys() or needs.keys() - words.keys():
        names = ", ".join(map(repr, known)) or "nothing more"
        raise NotDone(f"{action} takes {names}; see {min(wrong)!r}")
    for name, value in words.items():
        if type(value) not in known[name]:
            raise NotDone(f"{name!r} is no {' or '.join(kind.__name__ for kind in known[name])}")
    return action, words


@asynccontextmanager
async def answering(steering: Steering, listener: socket.socket) -> AsyncIterator[None]:
    """Answer all clients."""
    full = _line({"done": False, "text": "too many clients; try again"})
    clients = Clients(
        Places("control", MOST_CLIENTS), partial(_talk, steering), REQUEST_WITHIN_S, full
    )
    talks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(clients.serve(reader, writer))
        talks.add(talk)
        talk.add_done_callback(talks.discard)

    # start_unix_server would, from Python 3.13 on, look for a file by the address in /proc
    server = await asyncio.start_server(connected, sock=listener, limit=LONGEST_REQUEST)
    try:
        yield
    finally:
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


async def _talk(
    steering: Steering,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    silence: asyncio.Timeout,
) -> None:
    by = _peer(writer.get_extra_info("socket"))
    while True:
        try:
            async with asyncio.timeout(REQUEST_WITHIN_S):
                line = await reader.readuntil(b"\n")
            silence.reschedule(None)
            request = json.loads(line)
        except asyncio.LimitOverrunError:
            text = f"a request has at most {LONGEST_REQUEST} bytes"
            await _say(writer, {"done": False, "text": text})
            return
        except (ValueError, RecursionError):
            answer = {"done": False, "text": "a request is one JSON object on one line"}
        else:
            answer = await carry_out(steering, request, by)
        await _say(writer, answer)
        await asyncio.sleep(PAUSE_S)


async def _say(writer: asyncio.StreamWriter, answer: Answer) -> None:
    writer.write(_line(answer))
    async with asyncio.timeout(READ_WITHIN_S):
        await writer.drain()


def _line(answer: Answer) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _peer(connection: socket.socket) -> str:
    """Return the user at the other end, who is the owner or root."""
    try:
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _, user, _ = struct.unpack("3i", packed)
        return pwd.getpwuid(user).pw_name
    except (AttributeError, OSError, KeyError):  # not on Linux, or a user without a name
        return "control"
