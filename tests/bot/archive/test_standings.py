"""Who leaves matches, and while he is behind: from the archive's own events."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Who,
)
from sixprime.bot.matchlog.recorder import Standing
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.engine.position import Play, Step
from sixprime.protocols.formats.record import Turn

NOW = dt.datetime.now(dt.UTC)
LONG_AGO, JUST_NOW = NOW - dt.timedelta(hours=2), NOW - dt.timedelta(minutes=10)
DROPPED, LEFT, OURS = "OpponentDropped", "OpponentLeft", "YouLeft"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[LiveArchive]:
    settings = ArchiveSettings(database=f"sqlite:///{tmp_path / 'a.db'}", folder=None)
    with closing(LiveArchive(settings)) as archive:
        yield archive


def match(
    opponent: str,
    *events: Event | str,
    score: tuple[int, int] = (1, 0),
    at: dt.datetime = LONG_AGO,
    account: str = "anna",
    new: bool = True,
) -> list[Event]:
    """A match at this score; a word is why it was saved, `over` that it ended."""
    who, rating = Who("fibs.com", account, opponent), PlayerRating()
    told: list[Event] = [MatchStarted(who, at, 5, not new, score, rating, rating, "expert")]
    told.append(GameStarted(who, at, score, crawford=False))
    for each in events:
        if each == "over":
            told.append(MatchOver(who, at, 0, (5, score[1])))
        else:
            told.append(MatchSaved(who, at, each) if isinstance(each, str) else each)
    return told


def standings(archive: LiveArchive, *told: list[Event]) -> dict[str, Standing]:
    for events in told:
        for event in events:
            archive.note(event)
    return archive.standings("fibs.com")


def test_matches_left_while_behind_are_counted_beside_the_others(archive: LiveArchive) -> None:
    found = standings(
        archive,
        match("ben", "over"),
        match("ben", DROPPED),
        match("ben", DROPPED, score=(0, 1), account="dora"),  # he was ahead
        match("ben", LEFT, account="bob"),
        match("ben", "over", account="carl"),
        match("fair", DROPPED, score=(0, 2)),
    )
    assert found == {"ben": Standing(finished=2, left=3, behind=2)}


@pytest.mark.parametrize(
    "told",
    [
        match("ben", OURS),
        match("ben", "the connection is lost"),
        match("ben", DROPPED, at=JUST_NOW),  # he may come back
        match("ben", DROPPED, OURS),
        match("ben"),  # goes on
        match("ben", DROPPED) + match("ben", "over", new=False),
    ],
)
def test_what_is_not_left_by_the_opponent_is_not_held_against_him(
    archive: LiveArchive, told: list[Event]
) -> None:
    assert standings(archive, told) == {}


@pytest.mark.parametrize(("seat", "expected"), [(0, {"ben": Standing(0, 1, 1)}), (1, {})])
def test_at_a_level_score_the_race_decides(
    archive: LiveArchive, seat: int, expected: dict[str, Standing]
) -> None:
    who = Who("fibs.com", "anna", "ben")
    play = Play((Step(13, 7), Step(13, 8)))
    turn = Acted(who, LONG_AGO, Turn(seat, (6, 5), play))
    assert standings(archive, match("ben", turn, DROPPED, score=(0, 0))) == expected


def test_only_the_asked_servers_matches_count(archive: LiveArchive) -> None:
    standings(archive, match("ben", DROPPED))
    assert archive.standings("tigergammon.com") == {}
