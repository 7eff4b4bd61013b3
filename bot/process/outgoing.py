"""Connections that we open to other servers, with one deadline in all.

Invariant: a try ends within its time, however slowly the other side answers: timeouts of Python's
libraries count from byte to byte, so a server that drips would hold its thread for ever. Only the
system's resolver of names has a time of its own.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import time
from functools import partial
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from sixprime.engine.system.faults import undone_by

TOO_SLOW = "timed out"  # the words of a socket


class _Timely:
    """A mixin for sockets whose waits all end at `until`."""

    until: float

    def _wait_no_longer(self: Any) -> None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError(TOO_SLOW)
        self.settimeout(left)

    def recv_into(self, *words: Any, **named: Any) -> int:
        self._wait_no_longer()
        return super().recv_into(*words, **named)  # type: ignore[misc,no-any-return]

    def send(self, *words: Any, **named: Any) -> int:
        self._wait_no_longer()
        return super().send(*words, **named)  # type: ignore[misc,no-any-return]

    def sendall(self, *words: Any, **named: Any) -> None:
        self._wait_no_longer()
        super().sendall(*words, **named)  # type: ignore[misc]


class _PlainSocket(_Timely, socket.socket):
    pass


class _TlsSocket(_Timely, ssl.SSLSocket):
    """A socket whose handshake has the time that the plain one had left."""


class Deadline:
    """The end of one try."""

    def __init__(self, within_s: float) -> None:
        self.within_s = within_s
        self._until = time.monotonic() + within_s

    def connected(self, address: tuple[str, int], *_: object) -> socket.socket:
        """Connect, in place of socket.create_connection; OSError."""
        fault = OSError(f"{address[0]} has no address")
        for family, kind, protocol, _name, place in socket.getaddrinfo(
            *address, type=socket.SOCK_STREAM
        ):
            connection = _PlainSocket(family, kind, protocol)
            connection.until = self._until
            try:
                connection._wait_no_longer()
                connection.connect(place)
                connection._wait_no_longer()
            except OSError as error:
                connection.close()
                fault = error
            else:
                return connection
        raise fault

    def tls(self) -> ssl.SSLContext:
        """Return a context that trusts the system's authorities, and keeps to this deadline."""
        context = ssl.create_default_context()
        context.sslsocket_class = type("_TlsSocket", (_TlsSocket,), {"until": self._until})
        return context


class _Web(HTTPHandler, HTTPSHandler):
    """Opens connections of HTTP with a deadline."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: Request) -> Any:
        return self.do_open(partial(self._connection, HTTPConnection), req)

    def https_open(self, req: Request) -> Any:
        made = partial(self._connection, HTTPSConnection)
        return self.do_open(made, req, context=self._deadline.tls())

    def _connection(self, kind: type[HTTPConnection], host: str, **named: Any) -> HTTPConnection:
        connection: Any = kind(host, **named)
        connection._create_connection = self._deadline.connected
        made: HTTPConnection = connection
        return made


def opened(request: Request, deadline: Deadline) -> Any:
    """Send a request, and return the answer, of which only the head was read.

    No redirection is followed: it would take a token elsewhere.
    """
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        _Web(deadline),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener.open(request, timeout=deadline.within_s)


class Mailer(smtplib.SMTP):
    """A connection to a mail server with a deadline."""

    def __init__(self, host: str, port: int, deadline: Deadline) -> None:
        self.deadline = deadline
        super().__init__(host, port, timeout=deadline.within_s)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self.deadline.connected((host, port), timeout)


class TlsMailer(Mailer):
    """A connection that is encrypted from its first byte."""

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = super()._get_socket(host, port, timeout)
        with undone_by(plain.close):
            return self.deadline.tls().wrap_socket(plain, server_hostname=host)
