"""A server that repeats lines at the bot."""

from __future__ import annotations

from tests.support.bot.simulator import Link
from tests.support.bot.virtual import PASSWORD, VirtualServer

REPEATS = (
    f"** Unknown command: 'login sixprime_bot 1008 anna {PASSWORD}'\r\n",
    f"sec\x00ret\x1b[0m99 and {PASSWORD * 3}{'x' * 970}{PASSWORD}{'x' * 3_000}{PASSWORD}\r\n",
    f"12 {PASSWORD} you are {PASSWORD}\r\n",
)


class Parrot(VirtualServer):
    """Repeats the password whenever something is said, cut in the middle."""

    said = 0

    def server_receives(self, link: Link, data: bytes) -> None:
        super().server_receives(link, data)
        line = REPEATS[self.said % len(REPEATS)].encode()
        self.said += 1
        if link.open:
            link.to_client(line[:-7])
            link.to_client(line[-7:])
