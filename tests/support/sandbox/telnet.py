"""A telnet client in one page: `python -m tests.support.sandbox.telnet HOST PORT`.

The terminal keeps its own line discipline (the kernel edits and echoes lines); only the server's
WILL ECHO and WONT ECHO turn the local echo off and on, as telnet(1) does.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import termios

WILL_ECHO, WONT_ECHO = b"\xff\xfb\x01", b"\xff\xfc\x01"


def set_echo(on: bool) -> None:
    """Let the terminal echo what is typed, or not."""
    if not os.isatty(0):
        return
    mode = termios.tcgetattr(0)
    mode[3] = mode[3] | termios.ECHO if on else mode[3] & ~termios.ECHO
    termios.tcsetattr(0, termios.TCSANOW, mode)


def main(host: str, port: int) -> None:
    """Copy both ways until the server closes."""
    with socket.create_connection((host, port)) as server, selectors.DefaultSelector() as ready:
        ready.register(server, selectors.EVENT_READ)
        ready.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj == 0:
                    typed = os.read(0, 4_096)
                    if not typed:
                        return
                    server.sendall(typed.replace(b"\n", b"\r\n"))
                    continue
                data = server.recv(4_096)
                if not data:
                    return
                for command, on in ((WILL_ECHO, False), (WONT_ECHO, True)):
                    if command in data:
                        set_echo(on)
                        data = data.replace(command, b"")
                os.write(1, data.replace(b"\r", b""))  # the terminal makes its own line ends


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
