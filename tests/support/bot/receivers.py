"""A web server and a mail server on this machine, as much of them as a notice needs."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


@dataclass
class Receiver:
    """What came, and how it answers."""

    answers: list[str] = field(default_factory=list)  # the last one stays
    received: list[Any] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)  # commands of SMTP
    greeting: str = "220 here"
    bye: str = "221 bye"
    port: int = 0
    came: threading.Event = field(default_factory=threading.Event)

    def answer(self) -> str:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def web(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines if line)
        body = await reader.readexactly(int(fields.get("Content-Length", "0")))
        answer = self.answer()
        if answer == "silence":
            await asyncio.sleep(3_600)
        self.heads.append({"": first, **fields})
        self.received.append(json.loads(body))
        self.came.set()
        writer.write(f"HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()

    async def mail(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"{self.greeting}\r\n".encode())
        while line := (await reader.readline()).decode().strip():
            self.said.append(line)
            word = line.split(" ")[0].upper()
            if word == "EHLO":
                writer.write(b"250-here\r\n250 AUTH PLAIN\r\n")
            elif word == "RCPT":
                writer.write(f"{self.answer()}\r\n".encode())
            elif word == "DATA":
                writer.write(b"354 go on\r\n")
                data = await reader.readuntil(b"\r\n.\r\n")
                self.received.append(message_from_bytes(data[:-3], policy=policy.default))
                self.came.set()
                writer.write(b"250 kept\r\n")
            elif word == "QUIT":
                writer.write(f"{self.bye}\r\n".encode())
                break
            else:
                writer.write(b"235 welcome\r\n" if word == "AUTH" else b"250 well\r\n")
        await writer.drain()

    @property
    def mails(self) -> list[EmailMessage]:
        return self.received

    @property
    def login(self) -> list[str]:
        """User and password, as AUTH PLAIN says them."""
        plain = next(line for line in self.said if line.startswith("AUTH PLAIN "))
        return base64.b64decode(plain.split()[2]).decode().split("\0")[1:]


@contextmanager
def receiving(kind: str, *answers: str, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """It listens in a thread of its own."""
    receiver = Receiver(list(answers))
    answer: Serve = receiver.web if kind == "web" else receiver.mail
    listening = threading.Event()
    loop = asyncio.new_event_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
        receiver.port = server.sockets[0].getsockname()[1]
        listening.set()
        await stopping.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.sleep(0)  # transports close

    stopping = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(run()))
    thread.start()
    try:
        assert listening.wait(10)
        yield receiver
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join()
        loop.close()
