"""Every analysed decision as a row: the columns, and their values from a stored analysis.

A stored analysis is read as plain JSON, since to build its values takes most of the time.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import select

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.statistics import pr
from sixprime.bot.archive.tables import analyses, figures, matches
from sixprime.engine.analysis.choices import is_choice_of_double, is_choice_of_plays
from sixprime.engine.analysis.phases import phase_of
from sixprime.engine.analysis.values import Mark, What
from sixprime.engine.analysis.valuesjson import position_of
from sixprime.engine.codec import tree_of
from sixprime.engine.position import MatchState, Play, Position, Step
from sixprime.protocols.formats.ids import StateIds, board_letters, position_id
from sixprime.protocols.formats.notation import format_play

MARKS = tuple(mark.name.lower().replace("_", " ") for mark in Mark)


class Column(NamedTuple):
    """A column of the table; `kind` is the name of an Arrow type."""

    name: str
    kind: str
    meaning: str


COLUMNS = tuple(
    Column(*words)
    for words in (
        ("match", "int64", "number of the match in the archive"),
        ("game", "int32", "number of the game in the match, from 1"),
        ("turn", "int32", "number of the turn in the game, from 1"),
        ("decision", "string", "play, double (or not) or answer"),
        ("seat", "int8", "seat of the player who decides: 0 or 1"),
        ("player", "string", "player who decides"),
        ("opponent", "string", "the other player"),
        ("date", "date32", "day on which the match began (UTC); null if unknown"),
        ("server", "string", "server or place of the match"),
        ("played_at", "string", "level of seat 0, if an engine played there"),
        ("length", "int32", "points of the match; 0 is money play"),
        ("score", "int32", "points of the player before the game"),
        ("their_score", "int32", "points of the opponent before the game"),
        ("crawford", "bool", "whether this is the Crawford game"),
        ("cube", "int32", "value of the cube at the decision"),
        ("cube_owner", "string", "player, opponent or centre"),
        ("position_id", "string", "gnubg's Position ID, as the player on roll sees the board"),
        ("match_id", "string", "gnubg's Match ID; null where it has no room"),
        ("xgid", "string", "XGID; null where it has no room"),
        ("dice", "string", "the roll, such as 61; null before it"),
        ("played", "string", "play, or double, no double, take, pass, beaver"),
        ("best", "string", "the same for the best choice; null if no play is known"),
        ("rank", "int32", "rank of the play among the candidates; null for the cube"),
        ("legal", "int32", "number of legal plays, or choices with the cube"),
        ("equity", "double", "EMG of the choice, for the player who decides"),
        ("best_equity", "double", "EMG of the best choice"),
        ("win", "double", "chance of winning: after the best play, or before the roll"),
        ("gammon", "double", "chance of winning a gammon or more"),
        ("backgammon", "double", "chance of winning a backgammon"),
        ("lose_gammon", "double", "chance of losing a gammon or more"),
        ("lose_backgammon", "double", "chance of losing a backgammon"),
        ("loss_emg", "double", "EMG given away, from 0 up"),
        ("loss", "double", "the same as MWC in a match, or as points for money"),
        ("luck_emg", "double", "EMG gained by the roll; null where there is none"),
        ("luck", "double", "the same as MWC or points"),
        ("mark", "string", "none, doubtful, bad or very bad"),
        ("phase", "string", "opening, play with contact, race or bearoff"),
        ("error", "string", "kind of the error, as `archive errors` names it; null without one"),
        ("counted", "bool", "whether XG's PR counts the decision"),
        ("decided", "bool", "whether gnubg's error rate counts the decision"),
        ("pr", "double", "PR of the player in this match; null where nothing counted"),
        ("their_pr", "double", "PR of the opponent in this match"),
        ("won_game", "bool", "whether the player won the game; null if unfinished"),
        ("points", "int32", "points of the game for its winner"),
        ("won_match", "bool", "whether the player won the match; null if unfinished"),
        ("proper", "string", "proper cube action in gnubg's words; null for plays"),
        ("analysis", "string", "settings of the analysis"),
    )
)
NAMES = tuple(column.name for column in COLUMNS)
Row = tuple[Any, ...]


class MatchFacts(NamedTuple):
    """Facts about a match that its analysis does not hold; pairs are by seat."""

    number: int
    date: Any
    server: str
    played_at: str
    winner: int | None
    prs: tuple[float | None, float | None]


def decisions_of(tree: Mapping[str, Any], match: MatchFacts) -> Iterator[Row]:
    """Yield a row for every decision of a match, in the order of play."""
    for number, game in enumerate(tree["games"], start=1):
        for place, turn in enumerate(game["turns"], start=1):
            yield from _Turn(tree, match, game, turn, (match.number, number, place)).rows()


class StoredDecisions(NamedTuple):
    """The decisions of an archived match; `rows` is None if its analysis cannot be read."""

    match: int
    number: int  # of the analysis: another one if it is made anew
    month: str
    rows: list[Row] | None


def current_analyses(archive: Archive, key: str) -> dict[int, int]:
    """Return match and number of the current analyses at these settings, oldest match first."""
    asked = (
        select(figures.c.match_id, figures.c.id)
        .join(matches, matches.c.id == figures.c.match_id)
        .where(figures.c.settings == key, figures.c.noted == matches.c.noted)
        .order_by(matches.c.started, matches.c.id)
    )
    with archive.reading() as connection:
        return {int(row[0]): int(row[1]) for row in connection.execute(asked)}


def stored_decisions(archive: Archive, key: str, ids: Collection[int]) -> Iterator[StoredDecisions]:
    columns = [column for column in matches.c if column.name not in ("record", "id", "noted")]
    is_same = (analyses.c.match_id == figures.c.match_id) & (analyses.c.settings == key)
    asked = (
        select(figures, analyses.c.body, *columns)
        .join(matches, matches.c.id == figures.c.match_id)
        .join(analyses, is_same)
        .where(figures.c.settings == key, figures.c.match_id.in_(ids))
        .order_by(matches.c.started, matches.c.id)
    )
    with archive.reading() as connection:
        for row in connection.execute(asked.execution_options(yield_per=20)):
            month = f"{row.started:%Y-%m}" if row.started else "unknown"
            rows = None
            with suppress(zlib.error, ValueError, KeyError, TypeError):
                rows = list(decisions_of(tree_of(zlib.decompress(row.body)), _facts_of(row)))
            yield StoredDecisions(row.match_id, row.id, month, rows)


def _facts_of(row: Any) -> MatchFacts:
    date = row.started.date() if row.started else None
    prs = pr(row._mapping, "our"), pr(row._mapping, "their")
    return MatchFacts(row.match_id, date, row.server, row.level, row.winner, prs)


class _Turn:
    """One turn, its decisions, and the values that they share."""

    def __init__(
        self,
        tree: Mapping[str, Any],
        match: MatchFacts,
        game: Mapping[str, Any],
        turn: Mapping[str, Any],
        place: tuple[int, int, int],
    ) -> None:
        self._tree, self._match, self._game, self._turn = tree, match, game, turn
        self._place = place
        self._position: Position = position_of(turn["position"], turn["checkers"])
        self._id = position_id(self._position)
        seen = self._position if turn["seat"] == 1 else self._position.flipped()
        self._letters = board_letters(seen)  # as an XGID has them
        self._phase = phase_of(self._position, turn["action"])

    def rows(self) -> Iterator[Row]:
        cube = self._turn["cube_analysis"]
        if cube is not None:
            yield self._double(cube)
            if cube["answer_verdict"] is not None:
                yield self._answer(cube)
        if self._turn["dice"] is not None:
            yield self._play(self._turn["move"])

    def _double(self, cube: Mapping[str, Any]) -> Row:
        no_double, take, passed = cube["equities"]
        verdict = cube["double_verdict"]
        doubled = min(take, passed)
        is_right = take >= no_double and passed >= no_double
        return self._row(
            What.DOUBLE,
            self._turn["seat"],
            (self._turn["cube"], self._turn["cube_owner"]),
            ("double" if cube["doubled"] else "no double", "double" if is_right else "no double"),
            (doubled if cube["doubled"] else no_double, doubled if is_right else no_double),
            cube["outcomes"],
            verdict,
            choices=2,
            counted=cube["doubled"] or is_choice_of_double(cube["equities"], verdict[0]),
            decided=cube["close"] or cube["doubled"],
            proper=cube["proper"],
        )

    def _answer(self, cube: Mapping[str, Any]) -> Row:
        seat = 1 - self._turn["seat"]
        _, take, passed = cube["equities"]
        worths = {"take": -take, "pass": -passed}
        best = "take" if take <= passed else "pass"
        win, gammon, backgammon, lose_gammon, lose_backgammon = cube["outcomes"]
        return self._row(
            What.ANSWER,
            seat,
            (self._turn["cube"], self._turn["cube_owner"]),
            (cube["answer"], best),
            (worths[cube["answer"]], worths[best]),
            (1.0 - win, lose_gammon, lose_backgammon, gammon, backgammon),
            cube["answer_verdict"],
            choices=2,
            counted=True,
            decided=True,
            proper=cube["proper"],
        )

    def _play(self, move: Mapping[str, Any] | None) -> Row:
        """Return the roll and its play; nothing is known of a play that never came."""
        turn = self._turn
        seat, stake = turn["seat"], turn["stake"]
        owner = 1 - seat if stake != turn["cube"] else turn["cube_owner"]
        cube = stake, owner
        if move is None:
            nothing = (None, None)
            return self._row(What.PLAY, seat, cube, nothing, nothing, (None,) * 5, _NO_ERROR)
        candidates, chosen, legal = move["candidates"], move["chosen"], move["legal"]
        best = candidates[0] if candidates else None
        words = format_play(self._position, _steps(move["played"]))
        right = None
        if best is not None:
            right = words if chosen == 0 else format_play(self._position, _steps(best[0]))
        return self._row(
            What.PLAY,
            seat,
            cube,
            (words, right),
            (None if chosen is None else candidates[chosen][1], None if best is None else best[1]),
            (None,) * 5 if best is None else best[3],
            move["verdict"],
            rank=None if chosen is None else chosen + 1,
            choices=legal,
            counted=legal > 1 and is_choice_of_plays([each[1] for each in candidates]),
            decided=legal > 1,
        )

    def _row(
        self,
        what: What,
        seat: int,
        cube: tuple[int, int | None],
        words: tuple[str | None, str | None],
        equities: tuple[float | None, float | None],
        chances: Sequence[float | None],
        verdict: Sequence[Any],
        **more: Any,
    ) -> Row:
        match, game, turn = self._match, self._game, self._turn
        error, cost, mark, kind = verdict
        is_play = what is What.PLAY
        if error < 0 and kind is None:
            kind = self._phase if is_play else "cube"
        value, owner = cube
        dice = turn["dice"] if is_play else None
        tree, score, winner = self._tree, game["score"], game["winner"]
        rules = tree["length"], game["crawford"], tree["jacoby"], tree["beavers"]
        ids = _ids_of(*rules, *score, turn["seat"], value, owner, doubled=what is What.ANSWER)
        players = tree["players"]
        return (
            *self._place,
            what.value,
            seat,
            players[seat],
            players[1 - seat],
            match.date,
            match.server,
            match.played_at,
            tree["length"],
            score[seat],
            score[1 - seat],
            game["crawford"],
            value,
            "centre" if owner is None else "player" if owner == seat else "opponent",
            self._id,
            ids.match_id(dice),
            ids.xgid(self._letters, dice),
            f"{max(dice)}{min(dice)}" if dice else None,
            *words,
            more.get("rank"),
            more.get("choices"),
            *equities,
            *chances,
            0.0 - error,
            0.0 - cost,
            turn["luck"] if is_play else None,
            turn["luck_cost"] if is_play else None,
            MARKS[mark],
            self._phase,
            kind if error < 0 else None,
            more.get("counted", False),
            more.get("decided", False),
            match.prs[seat],
            match.prs[1 - seat],
            None if winner is None else winner == seat,
            game["points"],
            None if match.winner is None else match.winner == seat,
            more.get("proper"),
            tree["settings"],
        )


@lru_cache(maxsize=1024)
def _ids_of(
    length: int,
    crawford: bool,
    jacoby: bool,
    beavers: int,
    *state: Any,  # both scores, the seat on roll, the cube and its owner
    doubled: bool,
) -> StateIds:
    first, second, seat, cube, owner = state
    return StateIds(
        MatchState(
            length=length,
            score=(first, second),
            on_roll=seat,
            to_act=1 - seat if doubled else seat,
            cube=cube,
            cube_owner=owner,
            doubled=doubled,
            crawford=crawford,
            jacoby=jacoby,
            beavers=beavers,
        )
    )


_NO_ERROR = (0.0, 0.0, 0, None)


def _steps(play: Sequence[Sequence[int]]) -> Play:
    return tuple([Step(start, end) for start, end in play])
