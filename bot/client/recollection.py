"""Knowledge of earlier matches, restored from the archive and the server.

The archive reports our opponents of today, and whether part of the last game is missing; if so, we
ask the server for its list of that game. `bot.archive.gaps` decides when to check. A question stays
open until the archive has answered it, and a list until the archive has it: while the archive is
away, we play on and ask again now and then.
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
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.formats.record import Match as Record
from sixprime.protocols.servers import Session

ASK_AGAIN_S = 20.0  # after a question that the archive has not answered
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
        self._again_at = float("-inf")  # not before this time

    def _may_ask(self, session: Session) -> bool:
        return self._stopping.how is Stop.NO and session.state in _LOOKING_BACK

    def waits(self, session: Session) -> bool:
        """Return whether `settle` has to ask the archive before the next command."""
        now = asyncio.get_running_loop().time()
        return self.gaps.is_due and self._may_ask(session) and now >= self._again_at

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
            now = asyncio.get_running_loop().time()
            if back.gives_up(now):
                self._records.log.info("the server does not list the last game")
            if now < self._again_at:
                if back.listed is None or back.listed.who != back.doubtful:
                    back.trust_ourselves()
                    return
                self._note_unasked(back.listed)
                continue
            if not self._knows_recent:
                answered = await self._find_recent(now)
            elif session.state is ConnectionState.IDLE and now >= self._standings_at + STANDINGS_S:
                answered = await self._find_standings(now)
            elif back.listed is not None:
                answered = await self.keep(session, back.listed)
            elif self.waits(session):
                answered = await self._find_missed(session)
            else:
                return
            if not answered:
                self._again_at = now + ASK_AGAIN_S

    async def _find_recent(self, now: float) -> bool:
        """Count matches of the last day that an earlier run of this program played."""
        us = self._records.who("")
        async with self._records.asking("recent"):
            recent = await self._records.recorder.recent(us.server, us.account, DAY_S)
            self._knows_recent = True
            for opponent, ago_s in recent:
                self._known.add_match(opponent, now - ago_s)
        return self._knows_recent

    async def _find_standings(self, now: float) -> bool:
        """Learn who leaves matches; later events are seen the next time."""
        async with self._records.asking("standings"):
            server = self._records.who("").server
            self._known.judge(await self._records.recorder.standings(server))
            self._standings_at = now
        return self._standings_at == now

    async def _find_missed(self, session: Session) -> bool:
        """Ask whether the archive lacks part of the last game."""
        alive = {str(name) for name in session.people.saved}
        if session.match is not None:
            alive.add(session.match.opponent)
        us, answered = self._records.who(""), False
        self.gaps.is_due = False
        async with self._records.asking("missed"):
            missed = await self._records.recorder.missed(us.server, us.account, alive)
            self.gaps.found(missed)
            answered = True
        self.gaps.is_due = self.gaps.is_due or not answered
        return answered

    def _note_unasked(self, reply: OldMovesReply) -> None:
        """Record the list of a game that we have seen in part, while the archive is away."""
        self.gaps.listed = self.gaps.doubtful = None
        game = reply.game()
        if game is not None:
            self._records.note([GameRecovered(reply.who, self._records.now(), game)])

    async def keep(self, session: Session, reply: OldMovesReply) -> bool:
        """Record the last game from the server's list; return whether the archive answered."""
        who, records = reply.who, self._records
        async with records.asking("Recalled"):
            game = reply.game()
            found = None if game is None else GameRecovered(who, records.now(), game)
            match = None if found is None else await records.recorder.recover(found)
            self.gaps.listed = self.gaps.doubtful = None
            known = match is not None
            records.log.info(
                "the server listed the last game", opponent=who.opponent, is_ours=known
            )
            if match is not None:
                self._follow(session, who, match)
        return self.gaps.listed is None

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
