"""Small .xg files, built record by record from a match, as XG lays them out."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sixprime.engine.position import Play, Position
from sixprime.protocols.formats.ids import board_integers
from sixprime.protocols.formats.record import Cube, CubeStep, Game, Match, Turn
from sixprime.protocols.formats.replay import Moment, moments

DAYS = 45969.5  # 8 November 2025, noon
_ANSWERS = {CubeStep.DROP: 0, CubeStep.TAKE: 1, CubeStep.BEAVER: 2, CubeStep.DOUBLE: 1}
PICTURE = b"\xff\xd8 a picture \xff\xd9"


@dataclass(frozen=True)
class Said:
    """What XG is to have thought of a turn: each candidate with its level and numbers."""

    plays: Sequence[tuple[Play, int, tuple[float, ...]]] = ()  # W, WG, WBG, LG, LBG, equity
    cube: tuple[float, float, int] | None = None  # no double, double/take, level
    luck: float | None = None
    comment: int = -1


def file_of(records: Sequence[bytes], comments: bytes = b"", rollouts: bytes = b"") -> bytes:
    """A whole file; `records` are those of temp.xg."""
    content = {"temp.xg": b"".join(records), "temp.xgr": rollouts, "temp.xgc": comments}
    body, index, count = b"", b"", 0
    for name, data in content.items():
        if data:
            packed = zlib.compress(data)
            index += _short(name, 256) + _short("", 256)
            index += struct.pack(
                "<iiiIBB2x", len(data), len(packed), len(body), zlib.crc32(data), 0, 2
            )
            body, count = body + packed, count + 1
    index = zlib.compress(index)
    checksum = zlib.crc32(body + index)
    trailer = struct.pack("<IiiiiB15x", checksum, count, 1, len(index), len(body), 1)
    head = struct.pack("<4siiqi", b"RGMH", 1, 8232, 0, len(PICTURE)).ljust(8232, b"\0")
    return head + PICTURE + body + index + trailer


def match_file(match: Match, said: dict[tuple[int, int], Said], comments: bytes = b"") -> bytes:
    """The match with what XG says of the actions (game, index)."""
    return file_of([head_record(match), *game_records(match, said), _end_record(match)], comments)


def head_record(match: Match, **more: float) -> bytes:
    """The first record."""
    record = _blank(0)
    for seat, player in enumerate(match.players):
        _put(record, 9 + 41 * seat, _short(player.name[:20], 41))
        _put(record, 880 + 258 * seat, player.name.encode("utf-16-le"))
        struct.pack_into("<d", record, 104 + 8 * seat, player.rating_before or 1600.0)
        struct.pack_into("<i", record, 120 + 4 * seat, player.experience_before or 0)
    rules = match.rules
    struct.pack_into(
        "<ii????", record, 92, match.length or 99999, int(more.get("variation", 0)),
        bool(match.length and rules.crawford), rules.jacoby, rules.beavers > 0,
        rules.automatic_doubles > 0,
    )  # fmt: skip
    struct.pack_into("<d", record, 128, DAYS if match.date else 0.0)
    struct.pack_into("<i4s", record, 552, 32, b"DMLI")
    struct.pack_into("<ii", record, 576, -1, -1)
    for at, text in ((622, match.event), (1396, match.place), (1654, match.round)):
        _put(record, at, text.encode("utf-16-le"))
    return bytes(record)


def game_record(game: Game, position: Position, number: int = 1) -> bytes:
    """A game begins; the position as seat 0 sees it."""
    record = _blank(1)
    struct.pack_into("<ii?", record, 12, *game.score, game.crawford)
    _put(record, 21, _board(position))
    struct.pack_into("<i", record, 48, number)
    struct.pack_into("<iii", record, 56, -1, -1, game.cube.bit_length() - 1)
    return bytes(record)


def cube_record(moment: Moment, said: Said, *answers: int) -> bytes:
    """A decision to double, or not to where the action is a turn."""
    action, record = moment.action, _blank(2)
    assert isinstance(action, Turn | Cube)
    doubled = isinstance(action, Cube)
    seen = moment.position if action.seat == 0 else moment.position.flipped()
    fields = (_active(action.seat), int(doubled), *[*answers, -1, -1, -1][:3], _cube(moment))
    struct.pack_into("<6i", record, 12, *fields)
    _put(record, 36, _board(seen))
    struct.pack_into("<d", record, 200, -1000.0)
    if said.cube is not None:
        no_double, double_take, level = said.cube
        struct.pack_into("<i", record, 92, level)
        for at in (124, 168):
            struct.pack_into("<7f", record, at, 0.01, 0.125, 0.375, 0.625, 0.25, 0.02, 0.385)
        struct.pack_into("<3f", record, 152, no_double, double_take, 1.0)
        struct.pack_into("<d", record, 200, 0.0)
    struct.pack_into("<i", record, 224, -1)
    struct.pack_into("<i", record, 292, -1)
    return bytes(record)


def move_record(moment: Moment, said: Said, *, after: Position | None = None) -> bytes:
    """A roll and its play; all zeros if it was not played."""
    turn, record = moment.action, _blank(3)
    assert isinstance(turn, Turn)
    before = moment.position
    _put(record, 9, _board(before if turn.seat == 0 else before.flipped()))
    struct.pack_into("<i", record, 64, _active(turn.seat))
    if turn.play is not None:
        _put(record, 35, _board(after or before.after(turn.play)))
        struct.pack_into("<8i", record, 68, *_hops(turn.play))
    struct.pack_into("<iii", record, 100, *turn.dice, _cube(moment))
    struct.pack_into("<i", record, 120, len(said.plays))
    for number, (play, level, worth) in enumerate(said.plays):
        win, gammon, backgammon, lost, lost_backgammon, equity = worth
        _put(record, 192 + 26 * number, _board(before.after(play)))
        struct.pack_into("<8b", record, 1024 + 8 * number, *_hops(play))
        struct.pack_into("<h", record, 1280 + 4 * number, level)
        numbers = (lost_backgammon, lost, 1 - win, win, gammon, backgammon, equity)
        struct.pack_into("<7f", record, 1408 + 28 * number, *numbers)
    record[2308] = turn.play is not None
    struct.pack_into("<d", record, 2320, -1000.0 if said.luck is None else said.luck)
    struct.pack_into("<32i", record, 2344, *[-1] * 32)
    struct.pack_into("<ii", record, 2472, 3, 3)
    struct.pack_into("<i", record, 2524, said.comment)
    return bytes(record)


def game_records(match: Match, said: dict[tuple[int, int], Said]) -> Iterator[bytes]:
    for number, game in enumerate(match.games):
        yield game_record(game, Position.start(match.rules.variant), number + 1)
        seen = list(moments(match, game))
        for index, moment in enumerate(seen):
            thought = said.get((number, index), Said())
            if isinstance(moment.action, Turn):
                yield cube_record(moment, thought)
                yield move_record(moment, thought)
            elif isinstance(moment.action, Cube) and moment.action.step is CubeStep.DOUBLE:
                answers = []
                for following, *_ in seen[index + 1 : index + 4]:
                    if not isinstance(following, Cube):
                        break
                    answers.append(_ANSWERS[following.step])
                yield cube_record(moment, thought, *answers)
        yield _game_end(game)


def _game_end(game: Game) -> bytes:
    record = _blank(4)
    if game.result is not None:
        won = _active(game.result.winner), game.result.points, 101
        struct.pack_into("<iii", record, 24, *won)
    return bytes(record)


def _end_record(match: Match) -> bytes:
    record = _blank(5)
    for seat, player in enumerate(match.players):
        struct.pack_into("<d", record, 24 + 8 * seat, player.rating_after or 0.0)
    return bytes(record)


def _hops(play: Play) -> tuple[int, ...]:
    """XG counts from 0, and a checker that is off from -1 down; -1 ends the list."""
    numbers = [place - 1 for step in play for place in step]
    return tuple([*numbers, *[-1] * 8][:8])


def _board(seen: Position) -> bytes:
    own_bar, *points, other_bar = board_integers(seen)
    return struct.pack("<26b", -other_bar, *points, own_bar)


def _cube(moment: Moment) -> int:
    state = moment.state
    log2 = state.cube.bit_length() - 1
    return -log2 if state.cube_owner == 1 else log2


def _active(seat: int) -> int:
    return 1 if seat == 0 else -1


def _blank(kind: int) -> bytearray:
    record = bytearray(2560)
    record[8] = kind
    return record


def _put(record: bytearray, at: int, data: bytes) -> None:
    record[at : at + len(data)] = data


def _short(text: str, size: int) -> bytes:
    data = text.encode("cp1252", "replace")[: size - 1]
    return (bytes([len(data)]) + data).ljust(size, b"\0")
