"""Hypergammon at the board in the browser: played to its end against the engine."""

from __future__ import annotations

import pytest

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.views import VARIANTS
from sixprime.engine.position import Variant
from sixprime.protocols.formats.record import Rules

pytestmark = pytest.mark.patient


def test_a_match_of_one_point_ends() -> None:
    assert Variant.HYPERGAMMON_1 in VARIANTS
    coach, rules = Coach("expert"), Rules(variant=Variant.HYPERGAMMON_1)
    match = BoardMatch.new(1, "expert", rules, name="You", tutor=None, by_hand=False)
    for _ in range(300):
        if match.is_over:
            break
        if match.asks is Asks.PLAY and match.may_confirm:
            match.confirm()
        elif match.asks is Asks.PLAY:
            first = next(iter(match.routes()))
            match.step(first.start, first.end)
        elif match.asks is Asks.ROLL:
            match.roll()
        else:
            coach.reply(match)
    coach.close()
    assert match.is_over
