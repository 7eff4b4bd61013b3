"""FIBS `oldmoves` text, in the dialect that gnubg 1.07 imports.

Player 0 is X and descends; player 1 is O and ascends. The format keeps names, length, scores, plays
and the cube. It loses all other facts about a match, the kind of a refused resignation, a roll at
the end of an unfinished game, analyses, comments, interruptions and the Jacoby rule. gnubg reads
every resignation as a single game, while this module reads a resigned gammon right. Boards set by
hand, variants and automatic doubles are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sixprime.engine.position import BAR, OFF, Dice, Play, Variant, parse_dice
from sixprime.protocols.formats.draft import Draft, MatchDraft, check_length
from sixprime.protocols.formats.hops import hops_in
from sixprime.protocols.formats.reading import Reading, Remarks, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CannotCarry,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Match,
    Resignation,
    ResignStep,
    SetBoard,
    Turn,
    match_between,
    plain_names,
    points_by_seat,
    settled,
    split_lines,
)
from sixprime.protocols.formats.replay import games_of

SIDES = "XO"


# -- writing


def write_oldmoves(match: Match) -> str:
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
    """Return the name without the words that separate the two names."""
    return name.replace(" is X - ", " is X ").rstrip(".") or "."


def _game(game: Game, number: int) -> list[str]:
    actions = [action for action in settled(game) if not isinstance(action, Interruption)]
    if game.cube > 1:
        raise CannotCarry(f"game {number}: oldmoves cannot carry automatic doubles")
    lines = []
    for action in actions:
        if isinstance(action, SetBoard):
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
_BEGINS = re.compile(r"^.*Score is \d++-\d", re.MULTILINE)
_NAMES = re.compile(r"(?>\s*+(\S.*?) is X - )(\S.*?) is O\.?\s*+$")
_RECORD = re.compile(r"([XO]):\s*+(.*+)$")
_ROLL = re.compile(r"\(\s*+([1-6]\s++[1-6])\s*+\)\s*+(.*+)$")
_WINS = re.compile(r"wins(?:\s++(?:the\s++)?(\d{1,6}))?")


@dataclass(slots=True)
class _Heading:
    """The two lines at the start of a game."""

    score: tuple[int, int]  # X, O; perhaps the wrong way round
    length: int
    names: tuple[str, str]  # X, O


def read_oldmoves(text: str) -> Reading:
    """Return the matches in a file; BadMatchFile if there is none."""
    reader = _Reader()
    lines = split_lines(text)
    skip = False
    for i, line in enumerate(lines):
        if skip:
            skip = False
        elif heading := _heading(lines, i):
            with reader.remarks.instead("the game is left out"):
                reader.begin_game(i + 1, heading)
            skip = True
        else:
            with reader.remarks.instead("left out"):
                reader.read_line(i + 1, line.strip())
    reader.finish()
    return reader.remarks.reading(reader.matches, max(len(lines), 1), "no line `Score is` in it")


def _heading(lines: list[str], i: int) -> _Heading | None:
    score = _SCORE.search(lines[i])
    if not score:
        return None
    names = _NAMES.match(lines[i + 1]) if i + 1 < len(lines) else None
    if not names:
        raise BadMatchFile(min(i + 2, len(lines)), "expected `NAME is X - NAME is O`")
    length = int(score[3] or 0)
    check_length(i + 1, length)
    return _Heading((int(score[1]), int(score[2])), length, (names[1], names[2]))


class _Reader:
    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.remarks = Remarks()
        self.draft: MatchDraft | None = None
        self.ended = False  # a blank line has ended the game
        self.mirrored = False  # O is seat 0 in this game

    def begin_game(self, number: int, heading: _Heading) -> None:
        score = self._continued(heading)
        if self.draft is None or score is None:
            self.finish()
            self.draft = MatchDraft(match_between(heading.names, heading.length), self.remarks)
            self.mirrored, score = False, heading.score
        self.draft.begin_game(number, score)
        self.ended = False

    def _continued(self, heading: _Heading) -> tuple[int, int] | None:
        """Return the true score before this game; None if it begins another match."""
        if self.draft is None or not self.draft.games:
            return None
        if heading.length != self.draft.match.length:
            return None
        names = tuple(player.name for player in self.draft.match.players)
        if names not in (heading.names, heading.names[::-1]):
            return None
        self.mirrored = heading.names != names
        score = heading.score[::-1] if self.mirrored else heading.score
        return _true_score(self.draft.games[-1], score)

    def read_line(self, number: int, line: str) -> None:
        if not line:
            self.ended = True
        elif self.draft is None or self.ended or not self.draft.games:
            return  # text between games
        else:
            found = _RECORD.match(line)
            if not found:
                return  # chat, or the prompt, in the log of a telnet session
            seat = int((found[1] == "O") != self.mirrored)
            _act(number, self.draft.games[-1], seat, found[2])

    def finish(self) -> None:
        if self.draft is not None and self.draft.games:
            self.matches.append(self.draft.done())
        self.draft = None


def _true_score(before: Draft, score: tuple[int, int]) -> tuple[int, int] | None:
    """Return the score by the games so far, as FIBS may print the two numbers swapped.

    It also decides how many games were resigned, if the file does not say so. None means that the
    score does not follow from the games so far, so another match begins.
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


def _possible_results(draft: Draft) -> list[GameResult]:
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
    """Correct the worth of the resignation that ended this game."""
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
        draft.withdraw_resignation()
    if roll:
        _roll(number, draft, seat, parse_dice(roll[1]), roll[2])
    elif won := _WINS.match(lowered):
        points = int(won[1]) if won[1] else None
        draft.won(number, seat, points)
        if points is not None and draft.replay.result is not None:
            _resigned_for(draft, games_of(points, draft.replay.state.cube))
    elif lowered.startswith("wants to resign"):
        games = 3 if "backgammon" in lowered else 2 if "gammon" in lowered else 1
        draft.add_action(number, Resignation(seat, ResignStep.OFFERED, games))
    elif said := next((said for word, said in _WORDS.items() if lowered.startswith(word)), None):
        turned, answered = said
        resigned = draft.replay.state.resigned
        if answered is not None and resigned:
            draft.add_action(number, Resignation(seat, answered, resigned))
        else:
            draft.cube(number, Cube(seat, turned))
    else:
        raise BadMatchFile(number, f"cannot read `{words[:40]}`")


_WORDS = {  # as cube action, and as answer to a resignation
    "doubles": (CubeStep.DOUBLE, None),
    "redoubles": (CubeStep.DOUBLE, None),
    "beavers": (CubeStep.DOUBLE, None),
    "accepts": (CubeStep.TAKE, ResignStep.ACCEPTED),
    "rejects": (CubeStep.DROP, ResignStep.REJECTED),
}


def _roll(number: int, draft: Draft, seat: int, dice: Dice, moves: str) -> None:
    hops: Play | None = None
    if moves.lower().replace("cannot", "can't") == "can't move":
        hops = ()
    elif moves:
        with draft.remarks.instead("the play is missing"):
            hops = hops_in(number, moves, fibs=True)
    draft.add_roll(number, Turn(seat, dice), hops)


READER = text_reader(
    "oldmoves", "FIBS oldmoves", (".fibs", ".oldmoves"), _BEGINS.search, read_oldmoves
)
