"""Connections that die unnoticed right behind a command: it is heard, what comes of it is not.

The opponent plays on meanwhile: accepts the offer, wins the game or the match. Whoever was deaf
finds out afterwards.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixprime.bot.client.lobby.rests import Rests
from sixprime.bot.sandbox.network.chaos import CALM
from tests.support.bot import soak
from tests.support.bot.simulator import Link
from tests.support.bot.soak import Guest, Witness, play_block

pytestmark = pytest.mark.patient

POLICIES = (
    soak.MANNERS
    + """\
  accept: {bots: true, matches_per_opponent_and_day: 0}
profiles:
  anna:
    account: {user: anna}
    lobby:
      invite: {preferred: [ben], match_length: 3, after_idle_s: 2, wait_s: 10, leave_alone_s: 30}
  ben: {account: {user: ben}}
  dora:
    account: {user: dora}
    lobby: {accept: {unlimited: true, only_allowed: true, allow: [gast]}}
"""
)


class Deafening(Witness):
    """A server whose answers to some commands, and all that follows, come nowhere."""

    words: tuple[bytes, ...] = ()
    chance = 0.3

    def server_receives(self, link: Link, data: bytes) -> None:
        faulty = self.rates is not CALM  # the last matches of an evening end in peace
        if faulty and data.startswith(self.words) and self.random.random() < self.chance:
            link._down.chaos.dead = True
        super().server_receives(link, data)


@pytest.mark.parametrize(
    ("words", "chance", "quits", "seed"),
    [
        pytest.param((b"resign",), 0.3, 0.5, 1, marks=pytest.mark.slow),
        pytest.param((b"resign",), 0.3, 0.5, 2, marks=pytest.mark.slow),
        pytest.param((b"double", b"accept", b"reject"), 0.15, 0.1, 3, marks=pytest.mark.slow),
        pytest.param((b"move", b"roll"), 0.03, 0.1, 4, marks=pytest.mark.slow),
    ],
)
def test_what_happens_while_we_are_deaf_is_known_later(
    words: tuple[bytes, ...],
    chance: float,
    quits: float,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Matches of three points between anna and ben, an unlimited one of dora with a guest."""
    monkeypatch.setattr(soak, "POLICIES", POLICIES)
    monkeypatch.setattr(soak, "GUESTS", ("gast",))
    monkeypatch.setattr(soak, "Witness", Deafening)
    monkeypatch.setattr(soak, "REFUSES", 0.0)  # two such moves would part these two for a day
    monkeypatch.setattr(Rests, "tried", lambda *_: None)  # so would many that broke off
    monkeypatch.setattr(Guest, "lengths", (None,))
    monkeypatch.setattr(Deafening, "words", words)
    monkeypatch.setattr(Deafening, "chance", chance)
    monkeypatch.setitem(soak.RATES, "deaf", replace(CALM))
    block = play_block(seed, 8, "deaf", quits=quits)
    assert block.faults == []
    assert block.connections > 3  # three bots, and some of them again
    assert block.told["the server listed the last game"] > 0
