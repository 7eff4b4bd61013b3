"""Formats text for a session: folded and paged for people, in the dialect for programs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from sixprime.bot.sandbox.state.accounts import UserAccount
from sixprime.bot.sandbox.state.dialect import Dialect

CRLF = "\r\n"


@dataclass(slots=True)
class SessionOutput:
    """One session's output: lines sent, and lines that wait after a full page."""

    prompt: str = "> "
    held: deque[str] = field(default_factory=deque)
    lines_sent: int = 0
    boards_sent: int = 0
    last_board: str = ""

    def for_people(self, pieces: list[str], pagelength: int, *, answer: bool) -> str:
        """Return one page and a prompt; `answer`: to a command of this session."""
        if pagelength:
            self.held.extend(piece for piece in pieces if piece)
            pieces = [self.held.popleft() for _ in range(min(len(self.held), pagelength))]
            if self.held:
                return "".join(pieces) + "-- press Return for more --"
        return ("" if answer else CRLF) + "".join(pieces) + self.prompt

    def for_program(self, pieces: list[str], dialect: Dialect, *, answer: bool) -> str:
        """Return the text for client programs, with the dialect's oddities."""
        if dialect.stale_boards:
            pieces = [each for piece in pieces for each in self._with_stale_board(piece, dialect)]
        if dialect.blank_before_async and not answer:
            pieces = [CRLF, *pieces]
        dressed = []
        for piece in pieces:
            self.lines_sent += 1
            stray = dialect.stray_prompts and self.lines_sent % dialect.stray_prompts == 0
            dressed.append("> " + piece if stray else piece)
            if _glues(dialect, piece):
                dressed[-1] = dressed[-1].removesuffix(CRLF)
        if dressed and not dressed[-1].endswith(CRLF):
            dressed.append(CRLF)  # nothing followed that could be glued on
        return "".join(dressed)

    def _with_stale_board(self, piece: str, dialect: Dialect) -> list[str]:
        if not piece.startswith("board:"):
            return [piece]
        before, self.last_board = self.last_board, piece
        self.boards_sent += 1
        repeated = before.split(":")[:4] == piece.split(":")[:4]  # of the same match
        repeated = repeated and self.boards_sent % dialect.stale_boards == 0
        return [piece, before] if repeated else [piece]


def folded(pieces: list[str], account: UserAccount) -> list[str]:
    """Fold lines to the user's length; without the toggle `telnet`, an empty line follows."""
    if width := account.linelength:
        pieces = [part for piece in pieces for part in _folded(piece, width)]
    return pieces if account.has("telnet") else [*pieces, CRLF]


def _glues(dialect: Dialect, piece: str) -> bool:
    if piece.startswith("board:"):
        return dialect.glue_board
    return dialect.glue_accept and " the double." in piece and "The cube shows" in piece


def _folded(piece: str, width: int) -> list[str]:
    body = piece.removesuffix(CRLF)
    if body == piece or len(body) <= width or body.startswith("board:"):
        return [piece]
    return [body[i : i + width] + CRLF for i in range(0, len(body), width)]
