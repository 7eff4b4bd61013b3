"""Hypergammon at the board in the browser: played to its end against the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.bot.web.play.coach import Coach
from sixprime.engine.bearoff.hypergammon import hypergammon
from sixprime.engine.position import Variant
from sixprime.protocols.formats.record import Rules
from tests.support.web.visit import NEW, Visit

pytestmark = pytest.mark.patient


def test_a_match_of_one_point_ends() -> None:
    coach, rules = Coach("expert"), Rules(variant=Variant.HYPERGAMMON_1)
    match = BoardMatch.new(1, "expert", rules, name="You", tutor=None, by_hand=False)
    for _ in range(300):
        if match.is_over:
            break
        if match.asks is Asks.PLAY and match.may_confirm:
            match.confirm()
        elif match.asks is Asks.PLAY:
            assert match.ways is not None
            step = next(iter(match.ways.steps[match.ways.stage(match.begun)]))
            match.make((*match.begun, step))
        elif match.asks is Asks.ROLL:
            match.roll()
        else:
            coach.reply(match)
    assert match.is_over


def test_three_checkers_are_offered_where_their_database_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.engine.bearoff.databases.cache_folder", lambda: tmp_path)
    hypergammon.cache_clear()
    visit = Visit(tmp_path)
    with visit.client:
        offered = visit.client.get("/play").text
        assert "<option>nackgammon</option>" in offered
        assert "hypergammon-3" not in offered
        refused = visit.post("/play", **(NEW | {"variant": "hypergammon-3"}))
        assert refused.status_code == 400
        assert "needs its database: sixprime bearoff hyper --checkers 3." in refused.text
        monkeypatch.setattr("sixprime.bot.web.play.views.needs", lambda variant: "")
        assert "<option>hypergammon-3</option>" in visit.client.get("/play").text
        begun = visit.begin(variant="hypergammon-3")  # the simple player needs no database
        assert "hypergammon-3" in visit.client.get(begun).text
    visit.archive.close()
