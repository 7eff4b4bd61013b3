"""Addresses written HOST:PORT, and free ports of this machine."""

from __future__ import annotations

import socket
from typing import NamedTuple, Self

LOOPBACK = "127.0.0.1"
MOST_PORT = 65535


class Endpoint(NamedTuple):
    """A host and a TCP port; 0 asks the system for a free one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, default_host: str = "") -> Self:
        """Parse `HOST:PORT` or `[::1]:PORT`, and `:PORT` or `PORT` if a host is the default.

        ValueError for anything else.
        """
        host, colon, port = text.rpartition(":")
        host = host.strip("[]") or default_host
        try:
            host.encode("idna")  # as the resolver does it
        except UnicodeError:
            host = ""
        is_complete = bool(host) and bool(colon or default_host)
        if not (is_complete and port.isascii() and port.isdigit() and int(port) <= MOST_PORT):
            raise ValueError("not HOST:PORT, such as 127.0.0.1:9321")
        return cls(host, int(port))

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def in_url(self) -> str:
        """Return the address for a URL, with brackets around an IPv6 address."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else str(self)


def free_port() -> int:
    """Return a port of the loopback address that nobody listens on."""
    with socket.create_server((LOOPBACK, 0)) as probe:
        return int(probe.getsockname()[1])
