"""gnubg's external player socket: gnubg dials in and lets us play one of its players.

The same socket also answers programs written to query a listening gnubg. protocols.engines.external
parses the lines. Every answer is legal, because gnubg treats an illegal play as a pass and stops at
an unexpected word.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, assert_never

import structlog

from sixprime.bot.process.listeners import Clients, Places
from sixprime.bot.process.release import installed
from sixprime.bot.reports.board_text import draw
from sixprime.engine.game import Action, ResignOffer
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.acting import IllegalAnswer, Stopgap, act
from sixprime.engine.search.cube import cubeful_equity, judged
from sixprime.engine.search.decide import NoDecision, check
from sixprime.engine.search.players import BackgammonPlayer, EnginePlayer
from sixprime.engine.search.plies import DEEPEST, Evaluation
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.protocols.engines.external import (
    HELP_LINE,
    BadRequest,
    Decide,
    Evaluate,
    ExternalBoard,
    ExternalLines,
    Numbers,
    Plain,
    SessionRules,
    Switch,
    answer_line,
    error_line,
    evaluation_line,
    parse_request,
    read_board,
    setting_line,
    version_lines,
)

if TYPE_CHECKING:
    from sixprime.engine.search.decide import Engine

log = structlog.get_logger("bot.external")

CHUNK = 4096
MOST_CONNECTIONS = 16
FIRST_LINE_WITHIN_S = 600.0  # gnubg dials when its player is set, and asks when a match begins

# gnubg does not say whether it allows beavers, and stops at one if it does not
ASKED_BY_GNUBG = SessionRules(beavers=False)
MOST_BEAVERS = 2  # gnubg's line distinguishes no further turns of the cube


class ExternalPlayer(BackgammonPlayer, Protocol):
    """A player that decides for the seat `match.to_act` and evaluates positions."""

    def evaluates(self, request: Evaluate) -> Numbers:
        """Return the five chances and the value for the player on roll."""


class ExternalEngine(EnginePlayer):
    """Our engine, which also evaluates positions on request."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine, certain=True)
        self._engine = engine

    def resign(self, position: Position, match: MatchState) -> int:
        """Resign only a race that is certainly lost; contact always leaves a chance."""
        return super().resign(position, match) if position.is_race() else 0

    def evaluates(self, request: Evaluate) -> Numbers:
        """Evaluate at the requested depth; with the cube, the player on roll may double first."""
        position, match = request.board.position, request.board.match
        check(position, match)
        if request.plies > DEEPEST:
            raise NoDecision(f"{request.plies} plies: 0 to {DEEPEST} can be searched")
        evaluation = Evaluation(
            request.plies,
            prune=request.prune,
            cubeful=request.cubeful,
            noise=request.noise,
            deterministic=request.deterministic,
        )
        seen = self._engine.search.see(position, match, evaluation, self._engine.level.seconds)
        if not request.cubeful:
            dead = cubeful_equity(seen.outcomes, match, 0.0)
            return (*seen.outcomes, dead.equity if dead.mwc is None else dead.mwc)
        verdict = judged(seen.no_double, seen.double_take, match)
        waiting, taken, passed = verdict.mwc or verdict.equities
        return (*seen.outcomes, max(waiting, min(taken, passed)) if verdict.available else waiting)


def decide(board: ExternalBoard, player: ExternalPlayer, *, may_resign: bool = False) -> Action:
    """Return the player's action, always legal; NoDecision if there is nothing to decide."""
    position, match = board.position, board.match
    check(position, match)
    match = match.with_(beavers=min(match.beavers, MOST_BEAVERS))
    try:
        return act(player, position, match, may_resign=may_resign)
    except IllegalAnswer as error:
        log.error("an illegal play was chosen", why=str(error), position=position)
        return act(Stopgap(), position, match)


class ExternalConversation:
    """The answers to one connection. `respond` thinks: call it off the event loop."""

    def __init__(
        self, player: ExternalPlayer, rules: SessionRules = ASKED_BY_GNUBG, *, resigns: bool = True
    ) -> None:
        self.over = False
        self._player = player
        self._rules = rules
        self._resigns = resigns
        self._debug = False
        self._seat: int | None = None  # ours, once gnubg's questions have shown it
        self._score: tuple[int, int] | None = None  # the game in which we have offered to resign
        self._offered = 0  # the last offer; gnubg stops at one that is not higher than before

    def respond(self, line: str | None, *, gnubg: bool) -> bytes:
        """Return the answer with its newline, or b"" if none is due.

        `gnubg`: gnubg itself asks.
        """
        if line is None:
            return error_line("the line is too long")
        try:
            if gnubg:
                return self._to_gnubg(line)
            return self._to_client(line)
        except (BadRequest, NoDecision) as error:
            if gnubg:
                log.warning("gnubg's question cannot be answered", line=line, error=str(error))
            return error_line(str(error))
        except Exception as error:
            log.error("no answer could be found", line=line, exc_info=error)
            return error_line(f"no answer could be found, {type(error).__name__}")

    def _to_gnubg(self, line: str) -> bytes:
        board = self._placed(read_board(line, self._rules))
        if board.match.score != self._score:
            self._score, self._offered = board.match.score, 0
        answer = decide(board, self._player, may_resign=self._resigns)
        if isinstance(answer, ResignOffer):
            if answer.games > self._offered:
                self._offered = answer.games
            else:
                answer = decide(board, self._player)
        return answer_line(answer, board, gnubg=True)

    def _placed(self, board: ExternalBoard) -> ExternalBoard:
        """Return the board with the right player to act, where the line leaves it open.

        A beaver and a raccoon both show the doubler's turn and a cube that the other player owns.
        """
        match = board.match
        if not match.doubled:
            self._seat = match.on_roll
        elif match.cube_owner == 1 - match.on_roll and self._seat == match.on_roll:
            return replace(board, match=match.with_(to_act=match.on_roll))
        return board

    def _to_client(self, line: str) -> bytes:
        request = parse_request(line)
        match request:
            case Decide(board):
                return self._shown(board) + answer_line(
                    decide(board, self._player), board, gnubg=False
                )
            case Evaluate(board):
                return self._shown(board) + evaluation_line(self._player.evaluates(request))
            case Switch(name, on):
                if name == "debug":
                    self._debug = on
                return setting_line(request)
            case Plain.VERSION:
                return version_lines(f"Sixprime {installed()}")
            case Plain.HELP:
                return HELP_LINE
            case Plain.EXIT:
                self.over = True
                return b""
            case _:
                assert_never(request)

    def _shown(self, board: ExternalBoard) -> bytes:
        """Return the lines that `set debug on` puts before an answer."""
        if not self._debug:
            return b""
        signs = ("X", "O") if board.match.on_roll == 1 else ("O", "X")
        lines = [str(board.match), *draw(board.position, signs).splitlines()]
        return "".join(f"DBG: {line}\n" for line in lines).encode("ascii", "replace")


def parse_listen(text: str) -> Endpoint | Path:
    """Parse `HOST:PORT`, or the path of a Unix socket; ValueError says what is wrong."""
    if ":" in text:
        return Endpoint.parse(text, LOOPBACK)
    if "/" in text:  # a bare name is more likely a host than a socket
        return Path(text)
    raise ValueError("not HOST:PORT, and not the path of a socket, such as ./name")


class ExternalServer:
    def __init__(
        self, player: ExternalPlayer, rules: SessionRules = ASKED_BY_GNUBG, *, resigns: bool = True
    ) -> None:
        self.questions = 0
        self._player = player
        self._rules = rules
        self._resigns = resigns
        self._thinking = asyncio.Lock()

    async def listen(self, address: Endpoint | Path) -> asyncio.Server:
        """Return a server that listens; OSError if it cannot."""
        places, full = Places("external", MOST_CONNECTIONS), error_line("too many connections")
        clients = Clients(places, self._converse, FIRST_LINE_WITHIN_S, full)
        if isinstance(address, Path):
            return await asyncio.start_unix_server(clients.serve, address)
        return await asyncio.start_server(clients.serve, address.host, address.port)

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silence: asyncio.Timeout
    ) -> None:
        log.info("connected", peer=str(writer.get_extra_info("peername") or "socket"))
        try:
            await self._answer(reader, writer, silence)
        except OSError as error:
            log.info("connection lost", error=str(error))
        finally:
            log.info("disconnected")

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, silence: asyncio.Timeout
    ) -> None:
        lines = ExternalLines()
        conversation = ExternalConversation(self._player, self._rules, resigns=self._resigns)
        while data := await reader.read(CHUNK):
            for line in lines.feed(data):
                silence.reschedule(None)
                async with self._thinking:
                    answer = await asyncio.to_thread(conversation.respond, line, gnubg=lines.gnubg)
                    self.questions += 1
                if conversation.over:
                    return
                writer.write(answer)
                await writer.drain()


async def serve(
    address: Endpoint | Path, server: ExternalServer, ready: Callable[[Endpoint | Path], None]
) -> None:
    """Listen until cancelled; `ready` gets the address with the port that was opened."""
    async with await server.listen(address) as listening:
        if isinstance(address, Endpoint):
            address = Endpoint(address.host, listening.sockets[0].getsockname()[1])
        ready(address)
        try:
            await listening.serve_forever()
        finally:
            if isinstance(address, Path):  # before Python 3.13 asyncio leaves it behind
                address.unlink(missing_ok=True)
