"""Records without the facts that text formats leave out."""

from __future__ import annotations

from dataclasses import replace

from sixprime.protocols.formats.record import Match, Player
from tests.support.formats.played import random_match


def plain(seed: int) -> Match:
    match = random_match(seed, interruptions=False)
    players = Player("anna"), Player("ben")
    return replace(match, players=players, date=None, started=None, place="", event="", comment="")
