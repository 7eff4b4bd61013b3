"""The other side of gnubg's external player protocol: gnubg that asks, a client that asks gnubg."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from itertools import pairwise

from sixprime.engine.game import (
    Action,
    Answer,
    BeforeRoll,
    CheckerPlay,
    ResignAnswer,
    ResignOffer,
)
from sixprime.engine.position import PLACES, POINTS, Play, Step
from sixprime.protocols.engines.external import (
    BadRequest,
    Decide,
    Evaluate,
    ExternalBoard,
    Numbers,
    Plain,
    Request,
    Switch,
)
from sixprime.protocols.formats.notation import BadPlay, parse_chains

LONGEST_TO_GNUBG = 255  # one more ends gnubg 1.07


class BadAnswer(ValueError):
    """A line that answers no question of ours."""


class Question(Enum):
    """The decision that a board asks for."""

    CUBE = "roll or double"
    MOVE = "a move"
    DOUBLE = "take or drop"
    RESIGNATION = "accept or reject"


def question_of(board: ExternalBoard) -> Question:
    if board.match.resigned:
        return Question.RESIGNATION
    if board.match.doubled:
        return Question.DOUBLE
    return Question.MOVE if board.match.dice else Question.CUBE


def board_line(board: ExternalBoard) -> str:
    """As gnubg sends it, without the line's end."""
    match = board.match
    view = board.position if match.on_roll == 1 else board.position.flipped()
    names = [name.replace(":", "_") for name in board.names]
    score = list(match.score)
    if match.doubled:
        names.reverse()
        score.reverse()
    dice = match.dice or (0, 0)
    numbers = (
        match.length,
        *score,
        -view.theirs[PLACES - 1],
        *(view.mine[i] - view.theirs[POINTS - 1 - i] for i in range(POINTS)),
        view.mine[PLACES - 1],
        1 if match.on_roll == 1 else -1,
        *dice,
        *dice,
        match.cube,
        match.cube_owner in (None, 1),
        match.cube_owner in (None, 0),
        match.doubled,
        *(1, -1, 0, 25),
        *view.off(),
        *(0,) * 4,
        match.post_crawford,
        not match.crawford,
    )
    return ":".join(("board", *names, *(str(int(number)) for number in numbers)))


def request_line(request: Request) -> bytes:
    """A request to a gnubg that listens; BadRequest if it would kill it."""
    match request:
        case Plain():
            text = request.value
        case Switch("debug", on):
            text = f"set debug {'on' if on else 'off'}"
        case Switch(_, on):
            text = f"set interface {'new' if on else 'old'}"
        case Decide(board):
            text = _asked(board)
        case Evaluate(board, plies):
            text = (
                f"evaluation fibsboard {_asked(board)} plies {plies}"
                f" cube {'on' if request.cubeful else 'off'}"
                f" prune {'on' if request.prune else 'off'}"
                f" noise {request.noise:.4f}"
                f" deterministic {'on' if request.deterministic else 'off'}"
            )
    line = text.encode("ascii", "replace") + b"\n"
    if len(line) > LONGEST_TO_GNUBG:
        raise BadRequest(f"{len(line)} bytes, and gnubg survives {LONGEST_TO_GNUBG}")
    return line


def _asked(board: ExternalBoard) -> str:
    """The line and the options that differ from what the reader assumes anyway."""
    match = board.match
    names = tuple(re.sub(r"\W", "_", name, flags=re.ASCII)[:32] or "_" for name in board.names)
    words = [board_line(replace(board, names=(names[0], names[1])))]
    if match.length == 0:
        words.append(f"jacobyrule {'on' if match.jacoby else 'off'}")
        words.append(f"beavers {'on' if match.beavers else 'off'}")
    if match.resigned:
        words.append(f"resignation {match.resigned}")
    return " ".join(words)


def question_line(board: ExternalBoard) -> bytes:
    """A question as gnubg asks it: with a NUL behind the newline."""
    return board_line(board).encode("utf-8") + b"\n\0"


_RESIGN = re.compile(r"re\w*(?:\s+(\w+))?")
_GAMES = {"1": 1, "2": 2, "3": 3, "n": 1, "s": 1, "g": 2, "b": 3}


def read_answer(text: str, board: ExternalBoard) -> Action:
    """What an answer means, with gnubg's leniency; BadAnswer if gnubg would stop playing.

    A move is only read, not held against the rules.
    """
    text = text.strip("\0\r\n ").lower()
    question = question_of(board)
    resigning = _RESIGN.fullmatch(text)
    if resigning and question in (Question.CUBE, Question.MOVE):
        games = _GAMES.get((resigning[1] or "1")[:1])
        if games:
            return ResignOffer(games)
    if question is Question.MOVE:
        try:
            chains = parse_chains(text)
        except BadPlay as error:
            raise BadAnswer(str(error)) from None
        return CheckerPlay(tuple(step for chain in chains for step in _steps(chain)))
    for say, starts in _STARTS[question]:
        if text.startswith(starts):
            return say
    raise BadAnswer(f"{text[:40]!r} does not answer {question.value}")


_STARTS: dict[Question, tuple[tuple[BeforeRoll | Answer | ResignAnswer, tuple[str, ...]], ...]] = {
    Question.CUBE: ((BeforeRoll.ROLL, ("r",)), (BeforeRoll.DOUBLE, ("d",))),
    Question.DOUBLE: (
        (Answer.PASS, ("d", "p", "rej")),
        (Answer.BEAVER, ("b", "red")),
        (Answer.TAKE, ("a", "t")),
    ),
    Question.RESIGNATION: ((ResignAnswer.ACCEPT, ("a",)), (ResignAnswer.DECLINE, ("r",))),
    Question.MOVE: (),
}


def _steps(chain: tuple[int, ...]) -> Play:
    return tuple(Step(start, end) for start, end in pairwise(chain))


def read_evaluation(text: str) -> Numbers:
    """The six numbers of an answer."""
    words = text.split()
    if len(words) != 6 or not all(re.fullmatch(r"-?[0-9]+\.[0-9]+", word) for word in words):
        raise BadAnswer(f"{text.strip()[:60]!r} is not six numbers")
    win, gammon, backgammon, lost_gammon, lost_backgammon, value = map(float, words)
    return win, gammon, backgammon, lost_gammon, lost_backgammon, value
