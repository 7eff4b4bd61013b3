"""Knowledge of earlier matches, restored from the archive and the server.

The archive reports our opponents of today, and whether part of the last game is missing; if so, we
ask the server for its list of that game. `bot.archive.gaps` decides when to check.
"""

from __future__ import annotations

import asyncio

from sixprime.bot.archive.gaps import GapTracker
from sixprime.bot.archive.recovery import OldMovesReply
from sixprime.bot.client.lobby.acquaintances import Acquaintances
from sixprime.bot.client.lobby.rests import DAY_S
from sixprime.bot.client.records import Records
from sixprime.bot.client.stopping import Stop, Stopping
from sixprime.bot.matchlog.events import GameRecovered, MatchOver, PlayerRating, Rated, Who
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.formats.record import Match as Record

STANDINGS_S = 3_600.0  # before the archive is asked again
_LOOKING_BACK = frozenset(
    {
        ConnectionState.IDLE,
        ConnectionState.AWAY,
        ConnectionState.PLAYING,
        ConnectionState.BETWEEN_GAMES,
    }
)


class Recollection:
    """One bot's knowledge of earlier matches, across its connections."""

    def __init__(self, records: Records, known: Acquaintances, stopping: Stopping) -> None:
        self.gaps = GapTracker()
        records.noted.append(self.gaps.note)
        self._records = records
        self._known = known
        self._stopping = stopping
        self._knows_recent = False
        self._standings_at = float("-inf")

    def _may_ask(self, session: Session) -> bool:
        return self._stopping.how is Stop.NO and session.state in _LOOKING_BACK

    def waits(self, session: Session) -> bool:
        """Return whether `settle` has to ask the archive before the next command."""
        return self.gaps.is_due and self._may_ask(session)

    def next(self, session: Session, now: float) -> Command | None:
        """Ask the server for the last game, if the archive lacks part of it."""
        missed = self.gaps.missed
        if missed is None or not self._may_ask(session):
            return None
        if not session.known.dialect.knows(c.AskOldMoves()):
            self.gaps.missed = None
        if self.gaps.missed is None or not session.affords(c.AskOldMoves(), now):
            return None  # later, if too many commands had no effect
        self._records.log.info("asking for the last game", opponent=missed.opponent)
        self.gaps.ask(missed, now)
        return c.AskOldMoves()

    async def settle(self, session: Session) -> None:
        """Wait until every event is durable and the archive has answered our questions."""
        back = self.gaps
        while True:
            await self._records.kept()
            if back.gives_up(asyncio.get_running_loop().time()):
                self._records.log.info("the server does not list the last game")
            if not self._knows_recent:
                await self._find_recent()
            elif session.state is ConnectionState.IDLE and self._standings_are_old():
                await self._find_standings()
            elif back.listed is not None:
                reply, back.listed = back.listed, None
                await self.keep(session, reply)
            elif self.waits(session):
                back.is_due = False
                await self._find_missed(session)
            else:
                return

    async def _find_recent(self) -> None:
        """Count matches of the last day that an earlier run of this program played."""
        self._knows_recent = True
        us = self._records.who("")
        async with self._records.asking("recent"):
            recent = await self._records.recorder.recent(us.server, us.account, DAY_S)
            now = asyncio.get_running_loop().time()
            for opponent, ago_s in recent:
                self._known.add_match(opponent, now - ago_s)

    def _standings_are_old(self) -> bool:
        return asyncio.get_running_loop().time() >= self._standings_at + STANDINGS_S

    async def _find_standings(self) -> None:
        """Learn who leaves matches; later events are seen the next time."""
        self._standings_at = asyncio.get_running_loop().time()
        async with self._records.asking("standings"):
            server = self._records.who("").server
            self._known.judge(await self._records.recorder.standings(server))

    async def _find_missed(self, session: Session) -> None:
        """Ask whether the archive lacks part of the last game."""
        alive = {str(name) for name in session.people.saved}
        if session.match is not None:
            alive.add(session.match.opponent)
        us = self._records.who("")
        async with self._records.asking("missed"):
            missed = await self._records.recorder.missed(us.server, us.account, alive)
            self.gaps.found(missed)

    async def keep(self, session: Session, reply: OldMovesReply) -> None:
        """Record the last game from the server's list."""
        who, records = reply.who, self._records
        async with records.asking("Recalled"):
            game = reply.game()
            found = None if game is None else GameRecovered(who, records.now(), game)
            match = None if found is None else await records.recorder.recover(found)
            known = match is not None
            records.log.info(
                "the server listed the last game", opponent=who.opponent, is_ours=known
            )
            if match is not None:
                self._follow(session, who, match)

    def _follow(self, session: Session, who: Who, match: Record) -> None:
        in_play = session.match is not None and session.match.opponent == who.opponent
        is_over = match.winner is not None and match.length > 0
        if in_play and not is_over:
            return
        records = self._records
        if match.winner is not None and is_over:  # the match in play is another one
            if not in_play:
                records.forget(who.opponent)
            over = MatchOver(who, records.now(), match.winner, match.score)
            user = session.people.users.get(Player(who.opponent))
            theirs = PlayerRating() if user is None else PlayerRating(user.rating, user.experience)
            ours = PlayerRating(session.rating, session.experience)
            records.note([over, Rated(who, records.now(), ours, theirs)])
            records.log.info("match had ended", opponent=who.opponent, won=match.winner == 0)
        records.finish(who)
