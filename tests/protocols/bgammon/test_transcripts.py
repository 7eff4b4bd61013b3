"""Conversations with the real server: our session says the same again, line by line.

A file's first line says what it shows; `D` begins a connection, `S` is a line of the server and `C`
one of ours. All were recorded on loopback, between users of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest

from sixprime.engine.position import BAR, OFF, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import Garbled, TableShown, read_event
from sixprime.protocols.bgammon.orientation import step_of, view_of
from sixprime.protocols.bgammon.session import BgammonSession, RematchOffered
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds
from sixprime.protocols.fibs.questions import AnswerDouble, ChoosePlay, RollOrDouble
from sixprime.protocols.fibs.states import Failure
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import turns
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.fibs.wire.messages import Message, Player, Unknown
from sixprime.protocols.fibs.wire.refusals import Refused

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))
Lines = list[tuple[str, str]]
PLAIN: dict[str, Command] = {
    "create": b.CreateTable(3, "six"),
    "rematch": b.OfferRematch(),
    "leave": c.Leave(),
    "disconnect": c.Logout(),
    "resign": c.Resign(3),
    "double": c.Double(),
    "roll": c.Roll(),
}


class Replayed:
    """The connections of one transcript, and everything that came of them."""

    def __init__(self, path: Path) -> None:
        self.told: list[Message] = []
        self.questions: set[type] = set()
        self.sessions: list[BgammonSession] = []
        self.now = 1_000.0
        for connection in path.read_text().split("\nD\n")[1:]:
            lines = [(line[0], line[2:]) for line in connection.splitlines()]
            self._connect(lines)

    def _connect(self, lines: Lines) -> None:
        _, _, name, password = next(line for who, line in lines if who == "C").split()
        session = BgammonSession(Login("sixprime test", name, password), self.now)
        self.sessions.append(session)
        for place, (who, line) in enumerate(lines):
            self.now += 0.01
            if who == "S":
                self.told += session.receive(line.encode() + b"\n", self.now)
                self.questions.add(type(session.question()))
            else:
                command = self._command(session, [said for by, said in lines[place:] if by == "C"])
                assert session.send(command, self.now).decode() == f"{line}\n"

    def _command(self, session: BgammonSession, ours: list[str]) -> Command:
        """The session's own wish, or the answer to its question that was given then."""
        wanted = session.wanted(self.now)
        if wanted is not None and b.line_of(wanted) == ours[0]:
            return wanted
        word, _, rest = ours[0].partition(" ")
        match session.question():
            case ChoosePlay(board) if word == "move":
                return c.Move(tuple(_steps(ours)), board.direction)
            case AnswerDouble():
                return c.Accept() if word == "ok" else c.Reject()
        if word == "say":
            partner = session.match or session.last_match
            assert partner is not None
            return c.Tell(partner.opponent, rest)
        if word == "history":
            return b.AskHistory(Player(rest))
        return PLAIN[word]

    def of(self, *kinds: type[Message]) -> list[Message]:
        return [each for each in self.told if isinstance(each, kinds)]


def _steps(ours: list[str]) -> Iterator[Step]:
    quiet = (line for line in ours if not line.startswith("say "))
    for line in takewhile(lambda line: line.startswith("move "), quiet):
        start, end = line[5:].split("/")
        yield Step(BAR if start == "bar" else int(start), OFF if end == "off" else int(end))


@pytest.fixture(scope="module")
def replays() -> dict[str, Replayed]:
    return {path.stem: Replayed(path) for path in FILES}


def test_each_transcript_is_said_again_and_nothing_in_it_is_strange(
    replays: dict[str, Replayed],
) -> None:
    assert len(replays) >= 4
    for replay in replays.values():
        assert replay.of(Garbled, Unknown, Refused) == []
    asked = set.union(*(replay.questions for replay in replays.values()))
    assert {RollOrDouble, ChoosePlay, AnswerDouble} < asked


def test_a_cube_a_resignation_and_a_rematch(replays: dict[str, Replayed]) -> None:
    replay = replays["cube_resignation_rematch"]
    first, second = replay.of(MatchEnds)
    assert isinstance(first, MatchEnds)
    assert isinstance(second, MatchEnds)
    assert first.by is None
    assert max(first.score) >= 3
    assert second.how is Ended.LOST  # we left it
    assert len(replay.of(RematchOffered)) == 1
    assert replay.of(turns.YouGiveUp, turns.GivesUp, turns.OpponentResigns, turns.YouResign)


def test_lost_lines(replays: dict[str, Replayed]) -> None:
    begun = [
        each.how for each in replays["lost_lines"].of(MatchBegins) if isinstance(each, MatchBegins)
    ]
    assert begun == [Beginning.NEW, Beginning.RESUMED]
    assert replays["lost_lines"].of(MatchEnds) == []


def test_the_end_of_a_match(replays: dict[str, Replayed]) -> None:
    replay = replays["bearing_off"]
    (ends,) = replay.of(MatchEnds)
    (won,) = replay.of(turns.YouWinGame, turns.OpponentWinsGame)
    assert isinstance(ends, MatchEnds)
    assert isinstance(won, turns.YouWinGame) == (ends.how is Ended.WON)


def test_refused_logins(replays: dict[str, Replayed]) -> None:
    failures = [session.failure for session in replays["refused"].sessions]
    assert failures == [Failure.LOGIN_CLOSED, Failure.LOGIN_REFUSED]


def test_the_servers_next_steps_are_those_of_our_plays() -> None:
    compared = 0
    for path in FILES:
        for line in path.read_text().splitlines():
            shown = read_event(line[2:])
            if not isinstance(shown, TableShown) or shown.moves or not shown.available:
                continue
            seat = shown.turn - 1
            mover = view_of(shown) if seat == 0 else view_of(shown).flipped()
            results = {legal.result: len(legal.play) for legal in legal_plays(mover, shown.dice)}
            dice = shown.dice * (2 if shown.dice[0] == shown.dice[1] else 1)
            ours = {
                step
                for at, die in enumerate(dice)
                for step in _by(mover, die)
                if _leads_to(mover.after((step,)), (*dice[:at], *dice[at + 1 :]), 1, results)
            }
            assert ours == {step_of(pair, seat) for pair in shown.available}, line
            compared += 1
    assert compared > 15


def _by(view: Position, die: int) -> Iterator[Step]:
    """Every checker moved by this die, by the rule book and slowly."""
    last = max(point for point in range(1, BAR + 1) if view.mine[point - 1])
    for start in [BAR] if view.mine[BAR - 1] else range(1, BAR):
        end = start - die
        if view.mine[start - 1] == 0 or (end > 0 and view.theirs[24 - end] > 1):
            continue
        if end > 0 or (last <= 6 and (end == 0 or start == last)):
            yield Step(start, max(end, OFF))


def _leads_to(
    view: Position, dice: tuple[int, ...], made: int, results: dict[Position, int]
) -> bool:
    if results.get(view) == made:
        return True
    if not any(view.mine):
        return False
    return any(
        _leads_to(view.after((step,)), (*dice[:at], *dice[at + 1 :]), made + 1, results)
        for at, die in enumerate(dice)
        for step in _by(view, die)
    )
