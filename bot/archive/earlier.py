"""Questions of a bot to its archive about earlier matches; see bot.matchlog.recorder."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Row, func, select

from sixprime.bot.archive.archive import GOING_ON, Archive, MatchStatus, last_active, who_of
from sixprime.bot.archive.matchrecord import RecordBuilder, record_of
from sixprime.bot.archive.tables import matches
from sixprime.bot.matchlog.events import Event, MatchSaved, Who
from sixprime.bot.matchlog.recorder import Standing
from sixprime.protocols.fibs.lifecycle import PutAside
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.replay import is_behind

LAST_UNFINISHED = 100  # newest matches whose ends count
COMES_BACK_S = 3_600.0  # an opponent who does not resume within this time has left


class EarlierMatches(Archive):
    """An archive that answers a bot's questions from the events written so far."""

    def results(self, account: str, opponent: str) -> tuple[int, int]:
        """Count the finished matches of two players: won, lost."""
        asked = (
            select(matches.c.winner, func.count())
            .where(matches.c.account == account, matches.c.opponent == opponent)
            .where(matches.c.state == MatchStatus.OVER.value)
            .group_by(matches.c.winner)
        )
        with self.reading() as connection:
            found = {row[0]: int(row[1]) for row in connection.execute(asked)}
        return found.get(0, 0), found.get(1, 0)

    def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """Return opponents and ages of the matches that began within these seconds."""
        now = dt.datetime.now(dt.UTC)
        asked = (
            select(matches.c.opponent, matches.c.started)
            .where(
                matches.c.server == server,
                matches.c.account == account,
                matches.c.state != MatchStatus.IMPORTED.value,
                matches.c.started > now - dt.timedelta(seconds=within_s),
            )
            .order_by(matches.c.started)
        )
        with self.reading() as connection:
            found = list(connection.execute(asked))
        return [(row.opponent, max(0.0, (now - row.started).total_seconds())) for row in found]

    def standings(self, server: str) -> dict[str, Standing]:
        """Return the record of every opponent who recently left a match while behind."""
        ended = MatchStatus.SAVED.value, MatchStatus.ABANDONED.value
        unfinished = (
            select(matches)
            .where(matches.c.server == server, matches.c.state.in_(ended))
            .order_by(matches.c.id.desc())
            .limit(LAST_UNFINISHED)
        )
        finished = (
            select(matches.c.opponent, func.count())
            .where(matches.c.server == server, matches.c.state == MatchStatus.OVER.value)
            .group_by(matches.c.opponent)
        )
        with self.reading() as connection:
            rows = list(connection.execute(unfinished))
            finishers = {opponent: int(count) for opponent, count in connection.execute(finished)}
        left: dict[str, list[bool]] = {}
        for row in rows:
            events = list(self.events(row.id))
            if _left_by_opponent(events):
                left.setdefault(row.opponent, []).append(
                    is_behind(record_of(who_of(row), events), 1)
                )
        return {
            opponent: Standing(finishers.get(opponent, 0), len(behind), sum(behind))
            for opponent, behind in left.items()
            if any(behind)
        }

    def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """Return the latest match, if we may have missed the end of it or of one of its games."""
        with self.reading() as connection:
            row = last_active(connection, server, account)
        if row is None or row.state == MatchStatus.ABANDONED.value:
            return None
        if row.state in GOING_ON and row.opponent not in alive:
            return who_of(row)
        builder = self._builder(row)
        has_more_games = row.length != 1  # the end of its only game would be its own
        doubtful = builder.last_is_doubtful or (has_more_games and builder.may_have_ended)
        return who_of(row) if doubtful else None

    def _builder(self, row: Row[Any]) -> RecordBuilder:
        return RecordBuilder(who_of(row), self.events(row.id))


def _left_by_opponent(events: Sequence[Event | BadRecord]) -> bool:
    """Return whether the opponent left the match, too long ago to come back."""
    saved = [event for event in events if isinstance(event, MatchSaved)]
    reasons = {why.value for why in PutAside if why.by_opponent}
    return (
        bool(saved)
        and saved[-1].reason in reasons
        and saved[-1].at < dt.datetime.now(dt.UTC) - dt.timedelta(seconds=COMES_BACK_S)
    )
