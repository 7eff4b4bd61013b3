"""Match, Game, Turn: the one in-memory record that every format reads and writes.

Everything is frozen. Players are seats 0 and 1, as in a Match ID; plays are in the mover's own
numbering, as everywhere. A game is the list of what happened, in order; protocols.formats.replay
turns it into positions and match states.

A resignation that ended a game is always an offer and its acceptance, even if a file only says who
won.
"""

from __future__ import annotations

import datetime as dt
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from sixprime.engine.analysis.values import CubeWorth, Mark, RankedPlay
from sixprime.engine.position import Dice, Play, Position, Variant
from sixprime.engine.system.errors import InputError, shortened


class BadMatchFile(InputError):
    """A file that breaks its format; `line` counts from 1, and is 0 for the file as a whole.

    The reason is one printable line.
    """

    def __init__(self, line: int, reason: str) -> None:
        reason = one_line(shortened(reason))
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.line = line
        self.reason = reason


_DAYS = ("%Y.%m.%d", "%Y-%m-%d", "%Y/%m/%d", "%b %d %Y", "%B %d %Y")


@contextmanager
def on_line(line: int) -> Iterator[None]:
    """Turn any ValueError into a BadMatchFile with this line."""
    try:
        yield
    except BadMatchFile:
        raise
    except ValueError as error:
        raise BadMatchFile(line, str(error)) from error


class BadRecord(InputError):
    """A record that contradicts the rules."""


class CannotCarry(InputError):
    """A record with something that the format cannot hold."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """An engine's opinion of one decision, at the time or later."""

    candidates: tuple[RankedPlay, ...] = ()  # best first
    chosen: int | None = None  # the index of the play that was made
    cube: CubeWorth | None = None  # of doubling before this roll, or of this cube action
    luck: float | None = None  # of the roll, for the roller
    luck_mark: int = 0  # 2 very lucky, 1 lucky, -1 and -2 unlucky
    mark: Mark = Mark.NONE  # of the play, or of the cube action itself
    cube_mark: Mark = Mark.NONE  # of not doubling before the roll
    to_roll_out: tuple[int, ...] = ()  # candidates a user has marked
    roll_out_cube: bool = False


class Opinion(Enum):
    """A person's opinion of a play, or of an action with the cube."""

    VERY_GOOD = "very good"
    GOOD = "good"
    INTERESTING = "interesting"
    DOUBTFUL = "doubtful"
    BAD = "bad"
    VERY_BAD = "very bad"


LUCK = {2: "very lucky", 1: "lucky", 0: "", -1: "unlucky", -2: "very unlucky"}  # by mark
_NO_DOUBLE = "no double: "


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks that a person set; a mark of an engine belongs to its Analysis."""

    action: Opinion | None = None  # of the play, or of this action with the cube
    cube: Opinion | None = None  # of not doubling before the roll
    luck: int = 0  # of the roll: 2 very lucky, 1 lucky, -1 and -2 unlucky

    @property
    def words(self) -> list[str]:
        return [
            *([self.action.value] if self.action else []),
            *([f"{_NO_DOUBLE}{self.cube.value}"] if self.cube else []),
            *([f"{LUCK[self.luck]} roll"] if self.luck else []),
        ]

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Marks:
        """Return the marks that have these words; unknown words are left out."""
        known = {each.value: each for each in Opinion}
        luck = {f"{word} roll": number for number, word in LUCK.items()}
        marks = cls()
        for word in words:
            if word in luck:
                marks = replace(marks, luck=luck[word])
            elif word.startswith(_NO_DOUBLE):
                marks = replace(marks, cube=known.get(word.removeprefix(_NO_DOUBLE)))
            else:
                marks = replace(marks, action=known.get(word, marks.action))
        return marks


@dataclass(frozen=True, slots=True)
class Turn:
    """A roll and its play: None while the dice are unplayed, () for a dance.

    If something happened between roll and play, a Turn without the play comes first, and later a
    Turn of the same dice with it.

    A file may have an illegal turn, with too few dice, too many, or other ones. Its steps lead by
    hand from a checker to a place that is not held.
    """

    seat: int
    dice: Dice  # in the order of the file, which has no meaning
    play: Play | None = None
    analysis: Analysis | None = None
    comment: str = ""
    illegal: str = ""  # the reason, and the line in the file: "line 12: ..."
    marks: Marks | None = None


class CubeStep(Enum):
    """Actions with the cube; a raccoon is another beaver."""

    DOUBLE = "double"
    BEAVER = "beaver"
    TAKE = "take"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Cube:
    seat: int
    step: CubeStep
    analysis: Analysis | None = None
    comment: str = ""
    marks: Marks | None = None


class ResignStep(Enum):
    OFFERED = "offered"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Resignation:
    """A step of a resignation; `games` is 1 for a single game, 2 a gammon, 3 a backgammon."""

    seat: int
    step: ResignStep
    games: int = 1
    comment: str = ""


class Break(Enum):
    """Interruptions of a match, and its resumption."""

    LEFT = "left"
    DROPPED = "dropped"
    RESUMED = "resumed"


@dataclass(frozen=True, slots=True)
class Interruption:
    """A break: a player left or lost the connection, or the match was resumed.

    It cancels an open offer to resign, and a roll or double that is repeated after it.
    """

    seat: int
    what: Break
    at: dt.datetime | None = None
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SetBoard:
    """A board set by hand, or known only from here on; earlier actions no longer matter.

    Files are unreliable about who is on roll then, so the next turn or double decides.
    """

    on_roll: int
    position: Position  # as `on_roll` sees it
    cube: int = 1
    cube_owner: int | None = None
    comment: str = ""


Action = Turn | Cube | Resignation | Interruption | SetBoard


class Ending(Enum):
    BORNE_OFF = "borne off"
    DROPPED = "dropped"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class GameResult:
    """The winner and the points, the cube included."""

    winner: int
    points: int
    ending: Ending


@dataclass(frozen=True, slots=True)
class Statistics:
    """Sums over a game, laid out as in the GS property of gnubg's SGF."""

    moves: tuple[float, ...]
    cube: tuple[float, ...]
    dice: tuple[float, ...]

    def turned(self) -> Statistics:
        """Return the sums with the seats exchanged."""
        rows = zip((self.moves, self.cube, self.dice), COUNTS_IN_STATISTICS, strict=True)
        return Statistics(*(_turned_row(row, counts) for row, counts in rows))


COUNTS_IN_STATISTICS = (12, 20, 10)  # in pairs of the seats; then seat 0's amounts, and seat 1's


def _turned_row(row: tuple[float, ...], counts: int) -> tuple[float, ...]:
    pairs = (row[place ^ 1] for place in range(counts))
    half = (counts + len(row)) // 2
    return (*pairs, *row[half:], *row[counts:half])


@dataclass(frozen=True, slots=True)
class Game:
    """One game; `result` is None while it is unfinished."""

    score: tuple[int, int] = (0, 0)  # before it
    crawford: bool = False
    actions: tuple[Action, ...] = ()
    result: GameResult | None = None
    cube: int = 1  # at the start; more than 1 only after automatic doubles
    statistics: Statistics | None = None
    comment: str = ""

    @property
    def score_after(self) -> tuple[int, int]:
        won = (0, 0) if self.result is None else points_by_seat(self.result)
        return self.score[0] + won[0], self.score[1] + won[1]


@dataclass(frozen=True, slots=True)
class Player:
    """The player in a seat; None means unknown."""

    name: str
    rating_before: float | None = None
    rating_after: float | None = None
    experience_before: int | None = None
    experience_after: int | None = None
    level: str = ""  # of our engine, if it played


MOST_AUTOMATIC_DOUBLES = 6  # in a game: the cube then shows 64


@dataclass(frozen=True, slots=True)
class Rules:
    crawford: bool = True
    jacoby: bool = False  # money only
    beavers: int = 0
    cube: bool = True
    automatic_doubles: int = 0  # money only: the most in a game, by equal dice before it
    variant: Variant = Variant.STANDARD


@dataclass(frozen=True, slots=True)
class Match:
    """A match, or a money session: length 0."""

    players: tuple[Player, Player]
    length: int
    games: tuple[Game, ...] = ()
    rules: Rules = field(default_factory=Rules)
    date: dt.date | None = None
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    place: str = ""  # for our own matches: the server
    event: str = ""
    round: str = ""
    annotator: str = ""
    comment: str = ""

    @property
    def day(self) -> dt.date | None:
        """The day of the match, as far as known."""
        return self.date or (self.started.date() if self.started else None)

    @property
    def score(self) -> tuple[int, int]:
        return self.games[-1].score_after if self.games else (0, 0)

    @property
    def finished(self) -> bool:
        """True if the match is won, or the session's last game is over."""
        if self.length:
            return max(self.score) >= self.length
        return bool(self.games) and self.games[-1].result is not None

    @property
    def winner(self) -> int | None:
        """The winner of the match, or the seat ahead when a session is over; None if neither."""
        first, second = self.score
        return int(second > first) if self.finished and first != second else None


def match_between(names: tuple[str, str], length: int = 0, **known: Any) -> Match:
    """Return a match of players of whom only the names are known, without games."""
    return Match((Player(names[0]), Player(names[1])), length, **known)


def turned(match: Match) -> Match:
    """Return the match with the seats exchanged: names, ratings, scores, actions, statistics."""
    first, second = match.players
    games = tuple(_turned_game(game) for game in match.games)
    return replace(match, players=(second, first), games=games)


def _turned_game(game: Game) -> Game:
    return replace(
        game,
        score=game.score[::-1],
        actions=tuple(_turned_action(action) for action in game.actions),
        result=game.result and replace(game.result, winner=1 - game.result.winner),
        statistics=game.statistics and game.statistics.turned(),
    )


def _turned_action(action: Action) -> Action:
    if not isinstance(action, SetBoard):
        return replace(action, seat=1 - action.seat)
    owner = None if action.cube_owner is None else 1 - action.cube_owner
    return replace(action, on_roll=1 - action.on_roll, cube_owner=owner)


def points_by_seat(result: GameResult) -> list[int]:
    return [result.points if seat == result.winner else 0 for seat in (0, 1)]


def settled(game: Game, *, every_offer: bool = False) -> tuple[Action, ...]:
    """Return the actions without rolls that a later Turn of the same dice plays.

    Offers that an interruption cancelled are left out too, as no file can show them; offers to
    resign stay if `every_offer` is set.
    """
    kept: list[Action] = []
    played = False
    following: Action | None = None
    after: Action | None = None  # that, or what follows an interruption
    for action in reversed(game.actions):
        is_offer = isinstance(action, Resignation) and action.step is ResignStep.OFFERED
        taken_back = is_offer and isinstance(following, Interruption)
        forgotten = is_double(action) and (isinstance(after, Turn) or is_double(after))
        if forgotten and isinstance(following, Interruption):
            continue
        following = action
        after = after if isinstance(action, Interruption) else action
        if isinstance(action, Turn):
            if action.play is None and played:
                continue
            played = True
        elif isinstance(action, SetBoard):
            played = False
        if every_offer or not taken_back:
            kept.append(action)
    return tuple(reversed(kept))


def moves_of(game: Game) -> list[int]:
    """Return the places of the moves, which people count from 1: plays, and actions of the cube."""
    places, kept = [], list(settled(game))
    for place in range(len(game.actions) - 1, -1, -1):
        action = game.actions[place]
        if kept and action is kept[-1]:
            kept.pop()
            if is_move(action):
                places.append(place)
    return places[::-1]


def step_of_move(match: Match, game: int, move: int) -> int:
    """Return the step of a replay that shows this move of a game; both count from 1."""
    if not 1 <= game <= len(match.games):
        raise InputError(f"no game {game}, there are {len(match.games)}")
    shown = [settled(each) for each in match.games[:game]]
    moves = [step for step, action in enumerate(shown[-1]) if is_move(action)]
    if not 1 <= move <= len(moves):
        raise InputError(f"no move {move} in game {game}, there are {len(moves)}")
    return sum(map(len, shown[:-1])) + moves[move - 1]


def is_move(action: Action) -> bool:
    return isinstance(action, Cube) or (isinstance(action, Turn) and action.play is not None)


def is_double(action: Action | None) -> bool:
    return isinstance(action, Cube) and action.step is CubeStep.DOUBLE


def plain_names(match: Match, size: int, forbidden: str = "") -> tuple[str, str]:
    """Return the players' names, different, on one line, of at most `size` bytes each."""
    names = (one_line(player.name, forbidden) for player in match.players)
    first, second = (_cut(name, size).strip() for name in names)
    first, second = first or "X", second or "O"
    return first, _cut(second, size - 2) + "-2" if first == second else second


def one_line(text: str, forbidden: str = "") -> str:
    """Return the text on one line, without unprintable or forbidden characters."""
    signs = (" " if char in forbidden or not char.isprintable() else char for char in text)
    return " ".join("".join(signs).split())


def _cut(text: str, size: int) -> str:
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8 with or without a byte order mark, or else Windows-1252.

    UTF-16 needs its mark. If all these fail, the file is read as Latin-1, which accepts any byte.
    A Ctrl-Z ends files of DOS.
    """
    data = data.removesuffix(b"\x1a")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "cp1252"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("latin-1")


def day_in(text: str) -> dt.date | None:
    """Return the day that a text says in one of `_DAYS`; None if it says none."""
    words = " ".join(text.replace(",", " ").split())
    for form in _DAYS:
        with suppress(ValueError):
            return dt.datetime.strptime(words, form).date()  # noqa: DTZ007 - files know no zone
    return None


def number_in(text: str) -> int | None:
    """Return the number that a text of at most six digits is; None for any other text."""
    digits = text.strip()
    return int(digits) if re.fullmatch("[0-9]{1,6}", digits) else None


def split_lines(text: str) -> list[str]:
    """Return the lines of a file; str.splitlines would also cut names at Unicode separators."""
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    return lines[:-1] if lines[-1] == "" else lines
