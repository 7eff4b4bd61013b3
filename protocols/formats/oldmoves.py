"""FIBS `oldmoves` text, in the dialect that gnubg 1.07 imports: `read` and `write`.

Written with player 0 as X, X descending and O ascending. Not carried: dates, ratings, everything
about the match but names, length and scores; the kind of a resignation that was refused; a roll at
the end of an unfinished game; analyses, comments, interruptions, Jacoby. gnubg takes every
resignation for a single game, so a resigned gammon comes out right here but not there. Boards set
by hand, variants and automatic doubles are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from sixprime.engine.position import BAR, OFF, Dice, Play, Position, Variant
from sixprime.protocols.formats.hops import Hop, steps_of
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    BadRecord,
    CannotCarry,
    Cube,
    CubeStep,
    Ending,
    Game,
    Interruption,
    Match,
    Player,
    Resignation,
    ResignStep,
    Result,
    Rules,
    Setup,
    Turn,
    is_crawford,
    plain_names,
    points_by_seat,
    settled,
    split_lines,
)
from sixprime.protocols.formats.replay import (
    Draft,
    can_move,
    games_of,
    outcome,
    shows_jacoby,
    with_beavers,
)

MAX_LENGTH = 64
SIDES = "XO"


# -- writing


def write(match: Match) -> str:
    """The match as text, a blank line between games."""
    if not match.games:
        raise CannotCarry("a match without games")
    if match.rules.variant is not Variant.STANDARD:
        raise CannotCarry(f"oldmoves cannot carry {match.rules.variant.value}")
    first, second = (_name(name) for name in plain_names(match, 31))
    kind = f"a {match.length} point match" if match.length else "an unlimited match"
    games = []
    for number, game in enumerate(match.games, start=1):
        lines = [f"Score is {game.score[0]}-{game.score[1]} in {kind}."]
        lines += [f"{first} is X - {second} is O", *_game(game, number)]
        games.append("\n".join(lines) + "\n")
    return "\n".join(games)


def _name(name: str) -> str:
    """Without what the line of names is cut at."""
    return name.replace(" is X - ", " is X ").rstrip(".") or "."


def _game(game: Game, number: int) -> list[str]:
    actions = [action for action in settled(game) if not isinstance(action, Interruption)]
    if game.cube > 1:
        raise CannotCarry(f"game {number}: oldmoves cannot carry automatic doubles")
    lines = []
    for action in actions:
        if isinstance(action, Setup):
            raise CannotCarry(f"game {number}: oldmoves cannot carry a board set by hand")
        if isinstance(action, Turn) and action.play is None and action is actions[-1]:
            continue  # gnubg would take it for a dance
        lines.append(f"{SIDES[action.seat]}: {_action(action)}")
    if game.result is not None:
        points = game.result.points
        plural = "" if points == 1 else "s"
        lines.append(f"{SIDES[game.result.winner]}: wins {points} point{plural}")
    return lines


_CUBE_WORDS = {
    CubeStep.DOUBLE: "doubles",
    CubeStep.BEAVER: "doubles",
    CubeStep.TAKE: "accepts",
    CubeStep.DROP: "rejects",
}
_RESIGN_WORDS = {
    ResignStep.OFFERED: "wants to resign",
    ResignStep.ACCEPTED: "accepts",
    ResignStep.REJECTED: "rejects",
}


def _action(action: Turn | Cube | Resignation) -> str:
    if isinstance(action, Cube):
        return _CUBE_WORDS[action.step]
    if isinstance(action, Resignation):
        return _RESIGN_WORDS[action.step]
    roll = f"({action.dice[0]} {action.dice[1]}) "
    if action.play is None:
        return roll
    if not action.play:
        return roll + "can't move"
    return roll + " ".join(
        f"{_place(start, action.seat)}-{_place(end, action.seat)}" for start, end in action.play
    )


def _place(place: int, seat: int) -> str:
    if place in (BAR, OFF):
        return "bar" if place == BAR else "off"
    return str(place if seat == 0 else BAR - place)


# -- reading

_SCORE = re.compile(r"Score is (\d{1,6})-(\d{1,6})(?: in an? (\d{1,6}))?")
_NAMES = re.compile(r"\s*(\S.*?) is X - (\S.*?) is O\.?\s*$")
_RECORD = re.compile(r"([XO]):\s*(.*)$")
_ROLL = re.compile(r"\(\s*([1-6])\s+([1-6])\s*\)\s*(.*)$")
_WINS = re.compile(r"wins(?:\s+(?:the\s+)?(\d{1,6}))?")
_MOVE = re.compile(r"((?:\d{1,2}|bar|b)(?:[-/](?:\d{1,2}|off|o|home|h)){1,4})(?:\(([1-4])\))?")


@dataclass(slots=True)
class _Heading:
    """The two lines a game starts with."""

    score: tuple[int, int]  # X, O; perhaps the wrong way round
    length: int
    names: tuple[str, str]  # X, O


def read(text: str) -> list[Match]:
    """Every match of the file; BadMatchFile if one of them makes no sense."""
    reader = _Reader()
    lines = split_lines(text)
    skip = False
    for i, line in enumerate(lines):
        if skip:
            skip = False
        elif heading := _heading(lines, i):
            reader.begin(i + 1, heading)
            skip = True
        else:
            reader.line(i + 1, line.strip())
    reader.finish()
    if not reader.matches:
        raise BadMatchFile(max(len(lines), 1), "no line `Score is` in it")
    return [with_beavers(match) for match in reader.matches]


def _heading(lines: list[str], i: int) -> _Heading | None:
    score = _SCORE.search(lines[i])
    if not score:
        return None
    names = _NAMES.match(lines[i + 1]) if i + 1 < len(lines) else None
    if not names:
        raise BadMatchFile(min(i + 2, len(lines)), "expected `NAME is X - NAME is O`")
    length = int(score[3] or 0)
    if length > MAX_LENGTH:
        raise BadMatchFile(i + 1, f"matches go up to {MAX_LENGTH} points, not {length}")
    return _Heading((int(score[1]), int(score[2])), length, (names[1], names[2]))


class _Reader:
    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.names: tuple[str, str] = ("", "")
        self.length = 0
        self.drafts: list[Draft] = []
        self.ended = False  # a blank line has ended the game
        self.crawford_seen = False
        self.mirrored = False  # O is seat 0 in this game

    def begin(self, number: int, heading: _Heading) -> None:
        self.mirrored = heading.names[::-1] == self.names != heading.names
        score = heading.score[::-1] if self.mirrored else heading.score
        settled_score = self._continued(heading, score)
        if settled_score is None:
            self.finish()
            self.names, self.length = heading.names, heading.length
            self.mirrored = False
            score = heading.score
        else:
            score = settled_score
        if self.length and max(score) >= self.length:
            raise BadMatchFile(number, f"a {self.length} point match is over at this score")
        crawford = is_crawford(self.length, score, Rules(), self.crawford_seen)
        self.crawford_seen |= crawford
        self.drafts.append(Draft(self.length, Rules(), Game(score, crawford)))
        self.ended = False

    def _continued(self, heading: _Heading, score: tuple[int, int]) -> tuple[int, int] | None:
        """The true score before this game of the match so far; None if another match begins."""
        if not self.drafts or heading.length != self.length:
            return None
        if heading.names not in (self.names, self.names[::-1]):
            return None
        return _true_score(self.drafts[-1], score)

    def line(self, number: int, line: str) -> None:
        if not line:
            self.ended = True
        elif not self.drafts or self.ended:
            return  # whatever stands between games
        else:
            found = _RECORD.match(line)
            if not found:
                return  # chat, or the prompt, in the log of a telnet session
            seat = int((found[1] == "O") != self.mirrored)
            _act(number, self.drafts[-1], seat, found[2])

    def finish(self) -> None:
        """Put the match that has been read with the others."""
        if not self.drafts:
            return
        rules = Rules(jacoby=shows_jacoby(self.drafts))
        players = Player(self.names[0]), Player(self.names[1])
        match = Match(players, self.length, rules=rules)
        games = tuple(_finished(match, draft) for draft in self.drafts)
        self.matches.append(replace(match, games=games))
        self.drafts, self.crawford_seen = [], False


def _finished(match: Match, draft: Draft) -> Game:
    game = draft.done()
    doubled = any(isinstance(action, Cube) for action in game.actions)
    game = replace(game, crawford=game.crawford and not doubled)
    return replace(game, result=outcome(match, game))


def _true_score(before: Draft, score: tuple[int, int]) -> tuple[int, int] | None:
    """The score as the games say it: FIBS may print the two numbers the wrong way round.

    A resignation whose points the file does not tell is settled by this score. None: the score
    does not follow from the games so far, another match begins.
    """
    swapped = score[::-1]
    if before.replay.result is None and before.game.score in (score, swapped):
        return None  # no game follows an unfinished one
    for possible in _possible_results(before):
        won = points_by_seat(possible)
        expected = before.game.score[0] + won[0], before.game.score[1] + won[1]
        if expected in (score, swapped):
            _resigned_for(before, possible.points // before.replay.state.cube)
            return expected
    old = before.game.score
    if score[0] >= old[0] and score[1] >= old[1] and score != (0, 0):
        return score  # a game is missing in between
    return None


def _possible_results(draft: Draft) -> list[Result]:
    result = draft.replay.result
    if result is None:
        return []
    if draft.may_show_jacoby():
        return [result, replace(result, points=draft.replay.state.cube)]
    if result.ending is not Ending.RESIGNED or draft.said_points is not None:
        return [result]
    cube = draft.replay.state.cube
    return [replace(result, points=games * cube) for games in (1, 2, 3)]


def _resigned_for(draft: Draft, games: int) -> None:
    """Let the resignation that ended this game be worth what is known now."""
    if draft.replay.result is None or draft.replay.result.ending is not Ending.RESIGNED:
        return
    last_two = [i for i, each in enumerate(draft.actions) if isinstance(each, Resignation)][-2:]
    for i in last_two:
        action = draft.actions[i]
        assert isinstance(action, Resignation)
        draft.actions[i] = replace(action, games=games)
    draft.replay.result = replace(draft.replay.result, points=games * draft.replay.state.cube)


def _act(number: int, draft: Draft, seat: int, words: str) -> None:
    roll = _ROLL.match(words)
    lowered = words.lower()
    if not lowered.startswith(("accepts", "rejects", "wins")):
        draft.take_back()
    if roll:
        _roll(number, draft, seat, (int(roll[1]), int(roll[2])), roll[3])
    elif won := _WINS.match(lowered):
        _won(number, draft, seat, int(won[1]) if won[1] else None)
    else:
        for word, answer in _WORDS.items():
            if lowered.startswith(word):
                draft.add(number, answer(draft, seat, lowered))
                return
        raise BadMatchFile(number, f"cannot read `{words[:40]}`")


def _won(number: int, draft: Draft, seat: int, points: int | None) -> None:
    draft.won(number, seat, points)
    if points is not None and draft.replay.result is not None:
        cube = draft.replay.state.cube
        _resigned_for(draft, games_of(points, cube))


def _doubles(draft: Draft, seat: int, _: str) -> Action:
    return Cube(seat, CubeStep.BEAVER if draft.replay.state.doubled else CubeStep.DOUBLE)


def _accepts(draft: Draft, seat: int, _: str) -> Action:
    resigned = draft.replay.state.resigned
    if resigned:
        return Resignation(seat, ResignStep.ACCEPTED, resigned)
    return Cube(seat, CubeStep.TAKE)


def _rejects(draft: Draft, seat: int, _: str) -> Action:
    resigned = draft.replay.state.resigned
    if resigned:
        return Resignation(seat, ResignStep.REJECTED, resigned)
    return Cube(seat, CubeStep.DROP)


def _resigns(_: Draft, seat: int, words: str) -> Action:
    games = 3 if "backgammon" in words else 2 if "gammon" in words else 1
    return Resignation(seat, ResignStep.OFFERED, games)


_WORDS = {
    "doubles": _doubles,
    "redoubles": _doubles,
    "beavers": _doubles,
    "accepts": _accepts,
    "rejects": _rejects,
    "wants to resign": _resigns,
}


def _roll(number: int, draft: Draft, seat: int, dice: Dice, moves: str) -> None:
    position = draft.position_of(seat)
    play: Play | None
    if not moves or moves.lower().replace("cannot", "can't") == "can't move":
        play = None if can_move(position, dice) else ()
        if moves and play is None:
            raise BadMatchFile(number, "can't move, it says, but there is a move")
    else:
        play = _play(number, position, dice, moves)
    draft.roll(number, Turn(seat, dice, play))


def _play(number: int, position: Position, dice: Dice, moves: str) -> Play:
    words = [_places(number, word) for word in moves.replace(",", " ").split()]
    if not words:
        raise BadMatchFile(number, f"cannot read the move `{moves[:40]}`")
    ascending = _ascends(words[0][0][0], words[0][0][1])
    hops: list[Hop] = []
    for places, times in words:
        numbers = [_number(place, ascending) for place in places]
        if not all(OFF <= place <= BAR for place in numbers):
            raise BadMatchFile(number, f"there is no such point in `{moves}`")
        hops += list(pairwise(numbers)) * times
    try:
        return steps_of(position, hops, dice)
    except BadRecord as error:
        raise BadMatchFile(number, str(error)) from error


def _places(number: int, word: str) -> tuple[list[str], int]:
    """`13-8`, `bar-20`, `6-off(2)`, `24-18-14`: the places, and how many times they are meant."""
    found = _MOVE.fullmatch(word.replace("*", "").lower())
    if not found:
        raise BadMatchFile(number, f"cannot read the move `{word[:40]}`")
    return re.split("[-/]", found[1]), int(found[2] or 1)


def _ascends(start: str, end: str) -> bool:
    """Does the line count from 1 up, where ours counts from 24 down? Its first step tells."""
    if not end.isdigit():
        return start.isdigit() and int(start) > 18
    if not start.isdigit():
        return int(end) < 7
    return int(start) < int(end)


def _number(place: str, ascending: bool) -> int:
    if not place.isdigit():
        return BAR if place in ("bar", "b") else OFF
    return BAR - int(place) if ascending else int(place)
