"""A match imported from several files knows what any of them knew."""

from __future__ import annotations

import datetime as dt
import itertools
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import import_files
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.archive.pooling import pooled
from sixprime.protocols.formats.record import Cube, Match, Player, Turn
from sixprime.protocols.formats.recordjson import to_json
from tests.support.archive.imported import played
from tests.support.archive.told import WHO, fibs_match, keep, settings_in, told

SEEN = (
    "started", "ended", "length", "our_score", "their_score", "winner", "level", "account",
    "opponent", "server",
    *(f"{whose}_{what}_{when}" for whose in ("our", "their")
      for what in ("rating", "experience") for when in ("before", "after")),
)  # fmt: skip


@pytest.mark.parametrize("order", list(itertools.permutations(FORMATS)))
def test_what_was_exported_comes_back_with_dates_ratings_levels_and_times(
    order: tuple[str, ...], tmp_path: Path
) -> None:
    with closing(LiveArchive(settings_in(tmp_path))) as live:
        keep(live, told(fibs_match(5)))
        (before,) = live.rows()
        match = live.match(before.id)
    with closing(Archive(settings_in(tmp_path / "again"))) as archive:
        for name in order:
            path = tmp_path / f"match{FORMATS[name].suffixes[0]}"
            path.write_text(FORMATS[name].write(match))
            assert import_files(archive, [path]).broken == []
        (after,) = archive.rows()
        record = archive.match(after.id)
    assert before.started is not None
    assert before.our_rating_after is not None
    assert {name: getattr(after, name) for name in SEEN} == {
        name: getattr(before, name) for name in SEEN
    }
    assert record.players == match.players
    assert (record.started, record.ended) == (match.started, match.ended)


def swapped(match: Match) -> Match:
    """The same match with the seats changed, as another player's file has it."""
    players = match.players[::-1]
    games = []
    for game in match.games:
        result = game.result
        games.append(
            replace(
                game,
                score=game.score[::-1],
                result=None if result is None else replace(result, winner=1 - result.winner),
                actions=tuple(
                    replace(each, seat=1 - each.seat) if not hasattr(each, "on_roll") else each
                    for each in game.actions
                ),
            )
        )
    return replace(match, players=players, games=tuple(games))


def test_the_other_players_file_tells_what_he_knew() -> None:
    (match,) = played(40, 1)
    bare = tuple(Player(each.name) for each in match.players)
    mine = replace(match, players=(replace(bare[0], rating_before=1500.0), bare[1]), date=None)
    theirs = swapped(replace(match, players=(bare[0], replace(bare[1], level="expert"))))
    theirs = replace(theirs, date=dt.date(2026, 11, 3))
    assert digest_of(mine) == digest_of(theirs)
    both = pooled(mine, theirs)
    assert both.players[0].rating_before == 1500.0
    assert both.players[1].level == "expert"
    assert both.date == dt.date(2026, 11, 3)
    assert both.games == mine.games


def bare(match: Match, draw: Any) -> Match:
    """The match with some of what is known of it left out."""
    hidden: dict[str, Any] = {
        "date": None,
        "started": None,
        "place": "",
        "event": "",
        "comment": "",
    }
    gone = draw(st.sets(st.sampled_from(sorted(hidden))))
    players = [
        replace(each, rating_before=None, level="") if draw(st.booleans()) else each
        for each in match.players
    ]
    quiet = draw(st.booleans())
    games = tuple(
        replace(game, actions=tuple(
            replace(each, analysis=None, comment="") if quiet and isinstance(each, Turn | Cube)
            else each for each in game.actions
        ))
        for game in match.games
    )  # fmt: skip
    return replace(
        match,
        players=(players[0], players[1]),
        games=games,
        **{name: hidden[name] for name in gone},
    )


@settings(max_examples=60)
@given(st.integers(0, 50), st.data())
def test_nothing_that_either_knew_is_lost(seed: int, data: st.DataObject) -> None:
    (match,) = played(seed * 20, 1)
    one, other = bare(match, data.draw), bare(match, data.draw)
    both = pooled(one, other)
    assert pooled(both, other) == pooled(both, one) == both
    assert digest_of(both) == digest_of(match)
    for name in ("date", "started", "place", "event", "comment"):
        assert getattr(both, name) == (getattr(one, name) or getattr(other, name))
    for seat in (0, 1):
        known = {one.players[seat].level, other.players[seat].level}
        assert both.players[seat].level == max(known)
    said = [sum(len(to_json(each)) for each in (record,)) for record in (one, other, both)]
    assert said[2] >= max(said[:2])


def test_a_match_of_ours_stays_as_it_was_played(tmp_path: Path) -> None:
    with closing(LiveArchive(settings_in(tmp_path))) as live:
        keep(live, told(fibs_match(5)))
        match = live.match(1)
        path = tmp_path / "other.sgf"
        path.write_text(FORMATS["sgf"].write(replace(match, event="a lie")))
        assert import_files(live, [path]).skipped == 1
        assert live.match(1) == match
        assert live.rows()[0].account == WHO.account
