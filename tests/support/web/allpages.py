"""A site with something on every page, and the addresses of its pages."""

from __future__ import annotations

from pathlib import Path

from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import Game, Match, Player, Rules, SetBoard
from tests.support.web.manymatches import filled
from tests.support.web.person import Served, planted

MATCHES = 60
POSITION = "/position?id=4HPwATDgc/ABMA"


def site(folder: Path) -> Served:
    """Return a server with an archive of its own, not yet started."""
    filled(folder, MATCHES, with_analysis=MATCHES // 2).close()
    return Served(folder)


def addresses(served: Served) -> dict[str, str]:
    """Return the path of each kind of page, by its name."""
    key = served.store.add(planted())
    by_hand = served.store.add(BoardMatch.new(1, "simple", Rules(), by_hand=True))
    race = Game(actions=(SetBoard(0, Position.start()),))
    doubling = served.store.add(BoardMatch("simple", Match((Player("a"), Player("b")), 5, (race,))))
    return {
        "lobby": "/play",
        "play": f"/play/{key}",
        "hint": f"/play/{key}?hint=1",
        "dice": f"/play/{by_hand}",
        "double": f"/play/{doubling}?hint=1",
        "position": f"{POSITION}&dice=31",
        "cube": f"{POSITION}&look=1",
        "archive": "/archive",
        "replay": "/archive/1?step=12",
        "statistics": "/archive/statistics?player=SixprimeBot",
        "errors": "/archive/errors",
        "openings": "/archive/openings",
        "login": "/login",
        "offline": "/offline",
    }
