"""The records of temp.xg, 2560 bytes each: matches, games, decisions about the cube, moves.

Offsets and meanings follow the format description that XG's author published. Numbers are left
unchanged, except that missing or infinite ones are None.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import IntEnum
from math import isfinite
from struct import unpack_from

SIZE = 2560
ROLLOUT_SIZE = 2184
UNLIMITED = 99999  # the length of a money session
MOST_CANDIDATES = 32

_UNSAID = -1000.0
_DAY_ZERO = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - the files know no time zone
_MOST_DAYS = 100_000
_TEXT = 129  # characters of a Unicode field

Board = tuple[int, ...]  # 26: the other's bar, points 1 to 24, own bar; the other's are negative
Hops = tuple[tuple[int, int], ...]  # from, to; in the mover's numbering, 25 the bar, 0 off
Eval = tuple[float, ...]  # W, WG, WBG, LG, LBG, equity


class RecordKind(IntEnum):
    """Kinds of records."""

    MATCH = 0
    GAME = 1
    CUBE = 2
    MOVE = 3
    GAME_END = 4
    MATCH_END = 5


@dataclass(frozen=True, slots=True)
class MatchHead:
    names: tuple[str, str]
    length: int
    variation: int  # 0 is backgammon
    crawford: bool
    jacoby: bool
    beavers: bool
    automatic: bool  # doubles before a game
    ratings: tuple[float | None, float | None]
    experience: tuple[int, int]
    date: dt.datetime | None
    event: str
    place: str
    round: str
    transcriber: str
    comment: int


@dataclass(frozen=True, slots=True)
class GameHead:
    score: tuple[int, int]
    crawford: bool
    board: Board
    auto_doubles: int
    comment: int


@dataclass(frozen=True, slots=True)
class CubeRecord:
    """A decision whether to double, and its answer."""

    seat: int
    doubled: bool
    answers: tuple[int, int, int]  # by turns: 0 pass, 1 take, 2 beaver or raccoon
    cube: int  # log2; positive: seat 0 owns it, negative: seat 1
    board: Board  # as seat 0 sees it
    analysed: bool
    level: int
    no_double: Eval  # its equity is cubeless
    double_take: Eval
    equities: tuple[float, float]  # cubeful: no double, double/take
    rollout: int
    comment: int


@dataclass(frozen=True, slots=True)
class XgCandidate:
    board: Board  # after it, as the mover sees it
    hops: Hops
    level: int
    worth: Eval
    rollout: int


@dataclass(frozen=True, slots=True)
class MoveRecord:
    seat: int
    before: Board  # as seat 0 sees it
    after: Board  # as the mover sees it
    dice: tuple[int, int]
    hops: Hops
    played: bool
    candidates: tuple[XgCandidate, ...]
    cube: int  # as in a CubeRecord
    luck: float | None
    comment: int


def kind_of(record: bytes) -> int:
    """Return the kind of a record; some are none of `RecordKind`."""
    return record[8]


def match_head(record: bytes) -> MatchHead:
    version, magic = unpack_from("<i4s", record, 552)
    if magic != b"DMLI":
        raise ValueError("the header of the match is damaged")
    wide = version >= 24
    names = [_wide(record, 880 + 258 * seat) if wide else "" for seat in (0, 1)]
    first, second = (name or _narrow(record, 9 + 41 * seat, 40) for seat, name in enumerate(names))
    length, variation, crawford, jacoby, beavers, ties = unpack_from("<ii????", record, 92)
    ratings, experience = unpack_from("<dd", record, 104), unpack_from("<ii", record, 120)
    return MatchHead(
        (first, second),
        0 if length == UNLIMITED else length,
        variation,
        crawford,
        jacoby,
        beavers,
        ties,
        (_finite(ratings[0]), _finite(ratings[1])),
        (experience[0], experience[1]),
        _date(unpack_from("<d", record, 128)[0]),
        (_wide(record, 622) if wide else "") or _narrow(record, 136, 128),
        (_wide(record, 1396) if wide else "") or _narrow(record, 283, 128),
        (_wide(record, 1654) if wide else "") or _narrow(record, 417, 128),
        _wide(record, 1960) if version >= 30 else "",
        unpack_from("<i", record, 576)[0],
    )


def game_head(record: bytes) -> GameHead:
    first, second, crawford = unpack_from("<ii?", record, 12)
    comment, _, automatic = unpack_from("<iii", record, 56)
    return GameHead(
        (first, second), crawford, _board(record, 21), max(0, min(automatic, 6)), comment
    )


def cube_record(record: bytes) -> CubeRecord:
    active, doubled, answer, beaver_answer, raccoon_answer, cube = unpack_from("<6i", record, 12)
    (flag,) = unpack_from("<h", record, 120)
    error, no_double, double_take = (
        *unpack_from("<d", record, 200),
        _eval(record, 124),
        _eval(record, 168),
    )
    equities = unpack_from("<2f", record, 152)
    said = error != _UNSAID and flag != -100 and all(map(isfinite, equities))
    return CubeRecord(
        _seat(active),
        doubled == 1,
        (answer, beaver_answer, int(raccoon_answer != 0)),
        cube,
        _board(record, 36),
        bool(said and no_double and double_take),
        unpack_from("<i", record, 92)[0],
        no_double,
        double_take,
        (equities[0], equities[1]),
        unpack_from("<i", record, 224)[0],
        unpack_from("<i", record, 292)[0],
    )


def move_record(record: bytes) -> MoveRecord:
    (active,) = unpack_from("<i", record, 64)
    hops = _hops(unpack_from("<8i", record, 68))
    first, second, cube = unpack_from("<iii", record, 100)
    (count,) = unpack_from("<i", record, 120)
    luck_level, luck = *unpack_from("<i", record, 2476), _finite(*unpack_from("<d", record, 2320))
    return MoveRecord(
        _seat(active),
        _board(record, 9),
        _board(record, 35),
        (first, second),
        hops,
        record[2308] != 0,
        tuple(_candidates(record, max(0, min(count, MOST_CANDIDATES)))),
        cube,
        None if luck_level < 0 or luck == _UNSAID else luck,
        unpack_from("<i", record, 2524)[0],
    )


def game_end(record: bytes) -> tuple[int | None, int]:
    """Return the winner, if there is one, and the points."""
    winner, points = unpack_from("<ii", record, 24)
    return _seat(winner) if winner in (1, -1) else None, points


def ratings_after(record: bytes) -> tuple[float | None, float | None]:
    first, second = unpack_from("<dd", record, 24)
    return _finite(first), _finite(second)


def trials_of(rollouts: bytes, index: int) -> int:
    """Return the number of games of a rollout, from temp.xgr; 0 if it is not there."""
    at = index * ROLLOUT_SIZE + 84
    if index < 0 or at + 4 > len(rollouts):
        return 0
    return max(0, int(unpack_from("<i", rollouts, at)[0]))


def _candidates(record: bytes, count: int) -> list[XgCandidate]:
    found = []
    for number in range(count):
        worth = _eval(record, 1408 + 28 * number)
        if worth:
            found.append(
                XgCandidate(
                    _board(record, 192 + 26 * number),
                    _hops(unpack_from("<8b", record, 1024 + 8 * number)),
                    unpack_from("<h", record, 1280 + 4 * number)[0],
                    worth,
                    unpack_from("<i", record, 2344 + 4 * number)[0],
                )
            )
    return found


def _board(record: bytes, at: int) -> Board:
    return unpack_from("<26b", record, at)


def _hops(numbers: tuple[int, ...]) -> Hops:
    """Return the moves; XG counts points from 0, the bar as 24, and off as negative."""
    found = []
    for start, end in zip(numbers[::2], numbers[1::2], strict=True):
        if start < 0:
            break
        found.append((start + 1, max(end + 1, 0)))
    return tuple(found)


def _eval(record: bytes, at: int) -> Eval:
    """Return the evaluation; empty if the numbers make no sense."""
    lost_bg, lost_g, lost, won, won_g, won_bg, equity = unpack_from("<7f", record, at)
    chances = (won, won_g, won_bg, lost_g, lost_bg)
    if not (isfinite(equity) and all(-1e-4 <= each <= 1.0001 for each in chances)):
        return ()
    if not 0.99 < lost + won < 1.01:
        return ()
    return (*(round(min(max(each, 0.0), 1.0), 6) for each in chances), round(equity, 6))


def _seat(active: int) -> int:
    return 0 if active == 1 else 1


def _finite(number: float) -> float | None:
    return number if isfinite(number) and abs(number) < 1e6 else None


def _date(days: float) -> dt.datetime | None:
    if not isfinite(days) or not 1 <= days < _MOST_DAYS:
        return None
    return _DAY_ZERO + dt.timedelta(days=days)


def _wide(record: bytes, at: int) -> str:
    text = record[at : at + 2 * _TEXT].decode("utf-16-le", "replace")
    return text.partition("\0")[0].strip()


def _narrow(record: bytes, at: int, most: int) -> str:
    return record[at + 1 : at + 1 + min(record[at], most)].decode("cp1252", "replace").strip()
