"""Matches as events told to an archive, and archives to tell them to."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from sixprime.bot.archive import tables as archivetables
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchrecord import record_of
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    PlayerRating,
    Rated,
    Who,
)
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.protocols.formats.record import (
    Action,
    Break,
    Interruption,
    Match,
    Rules,
    SetBoard,
    Turn,
    settled,
)
from sixprime.protocols.formats.replay import moments
from tests.support.formats.played import random_match

POSTGRES = os.environ.get("SIXPRIME_TEST_POSTGRES")
WHO = Who("fibs.example", "anna", "ben")
MORNING = dt.datetime(2026, 11, 21, 9, 30, tzinfo=dt.UTC)
OURS, THEIRS = PlayerRating(1500.25, 10), PlayerRating(1723.5, 400)
needs_postgres = pytest.mark.skipif(
    not POSTGRES, reason="no server URL in SIXPRIME_TEST_POSTGRES, such as postgresql://me@/tests"
)


def settings_in(folder: Path, kind: str = "sqlite") -> ArchiveSettings:
    url = f"sqlite:///{folder}/kept/sixprime.db"
    if kind == "postgres":
        assert POSTGRES
        url = POSTGRES
        engine = create_engine(POSTGRES.replace("postgresql://", "postgresql+psycopg://"))
        with engine.begin() as connection:
            for table in reversed(archivetables.metadata.sorted_tables):
                connection.execute(text(f"DROP TABLE IF EXISTS {table.name}"))
        engine.dispose()
    return ArchiveSettings(database=url, folder=folder / "files")


def fibs_match(seed: int) -> Match:
    """A match as it can be on a server, between us and ben."""
    while True:
        match = random_match(seed, interruptions=False)
        players = (
            replace(match.players[0], name=WHO.account),
            replace(match.players[1], name=WHO.opponent),
        )
        if match.length and match.finished:
            return replace(match, players=players, rules=Rules())
        seed += 1_000


def told(match: Match, *, resumed: bool = False) -> Iterator[Event]:
    """A match as the service tells it."""
    yield began(match.length, resumed=resumed)
    score = (0, 0)
    for game in match.games:
        yield GameStarted(WHO, MORNING, game.score, game.crawford)
        for action in game.actions:
            if isinstance(action, Turn) and action.play is not None:
                yield Acted(WHO, MORNING, replace(action, play=None, analysis=None))
            yield Acted(WHO, MORNING, action)
        if game.result is not None:
            won = [game.result.points * (game.result.winner == seat) for seat in (0, 1)]
            score = (game.score[0] + won[0], game.score[1] + won[1])
            yield GameOver(WHO, MORNING, game.result, score)
    if match.winner is not None:
        yield MatchOver(WHO, MORNING + dt.timedelta(hours=1), match.winner, score)
        yield Rated(WHO, MORNING, PlayerRating(1502.5, 17), PlayerRating())


def began(length: int | None, *, resumed: bool, score: tuple[int, int] = (0, 0)) -> MatchStarted:
    return MatchStarted(WHO, MORNING, length, resumed, score, OURS, THEIRS, "expert")


def bones(match: Match) -> list[object]:
    """What happened, without what may be told in more than one way."""
    return [
        (
            game.score,
            game.result,
            [
                each
                for each in settled(game)
                if not isinstance(each, Interruption)
                and not (isinstance(each, Turn) and each.play is None)
            ],
        )
        for game in match.games
    ]


def keep(archive: LiveArchive, events: Iterator[Event] | list[Event], who: Who = WHO) -> None:
    for event in events:
        archive.note(event)
    archive.finish(who)


def again(past: list[Event], match: Match) -> Iterator[Event]:
    """What a bot that remembers nothing tells when it finds the match as it is."""
    story = record_of(WHO, past)
    game = story.games[-1] if story.games else None
    yield began(match.length, resumed=True, score=story.score)
    if game is None or game.result is not None:
        return
    yield GameStarted(WHO, MORNING, game.score, game.crawford)
    now: Action | None = None
    if game.actions:
        with_end = replace(game, actions=(*game.actions, Interruption(0, Break.LEFT)))
        *_, (_, position, state) = moments(story, with_end)
        if state.doubled or state.resigned:
            yield Acted(WHO, MORNING, game.actions[-1])
            return
        yield Acted(WHO, MORNING, SetBoard(state.on_roll, position, state.cube, state.cube_owner))
        if state.dice is not None:
            now = Turn(state.on_roll, state.dice)
    if now is not None:
        yield Acted(WHO, MORNING, now)
