"""Files of BGBlitz, written from matches."""

from __future__ import annotations

import gzip
import json
import struct
from typing import Any

from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Game,
    Match,
    Turn,
)

PLAYER = (-1, 1)  # green, red
ACTS = {CubeStep.DOUBLE: 1, CubeStep.TAKE: 2, CubeStep.DROP: 3}
START = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0, 0, 0, 0]


class Writer:
    """Smile as its description says, with names and texts that come again as numbers."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.texts: list[str] = []

    def file(self, value: Any) -> bytes:
        return b":)\n\x03" + self.value(value)

    def value(self, value: Any) -> bytes:
        if value is None or isinstance(value, bool):
            return {None: b"\x21", False: b"\x22", True: b"\x23"}[value]
        if isinstance(value, int):
            zigzag = value << 1 if value >= 0 else ~(value << 1)
            return bytes([0xC0 + zigzag]) if zigzag < 32 else b"\x24" + vint(zigzag)
        if isinstance(value, float):
            return b"\x29" + sevens(struct.unpack(">Q", struct.pack(">d", value))[0], 10)
        if isinstance(value, list):
            return b"\xf8" + b"".join(map(self.value, value)) + b"\xf9"
        if isinstance(value, dict):
            inside = b"".join(self.name(name) + self.value(value[name]) for name in value)
            return b"\xfa" + inside + b"\xfb"
        return self.text(value)

    def name(self, name: str) -> bytes:
        if name in self.names:
            at = self.names.index(name)
            return bytes([0x40 + at]) if at < 64 else bytes([0x30 | at >> 8, at & 0xFF])
        self.names.append(name)
        raw = name.encode()
        return bytes([0x80 + len(raw) - 1 if name.isascii() else 0xC0 + len(raw) - 2]) + raw

    def text(self, text: str) -> bytes:
        raw = text.encode()
        if not raw:
            return b"\x20"
        if len(raw) > 64:
            return (b"\xe0" if text.isascii() else b"\xe4") + raw + b"\xfc"
        if text in self.texts:
            at = self.texts.index(text)
            return bytes([at + 1]) if at < 31 else bytes([0xEC | at >> 8, at & 0xFF])
        self.texts.append(text)
        if text.isascii():
            return bytes([0x40 + len(raw) - 1 if len(raw) < 33 else 0x60 + len(raw) - 33]) + raw
        return bytes([0x80 + len(raw) - 2 if len(raw) < 34 else 0xA0 + len(raw) - 34]) + raw


def vint(number: int) -> bytes:
    found = [number & 0x3F | 0x80]
    number >>= 6
    while number:
        found.append(number & 0x7F)
        number >>= 7
    return bytes(reversed(found))


def sevens(number: int, count: int) -> bytes:
    return bytes(number >> 7 * i & 0x7F for i in reversed(range(count)))


def bgf(match: Match, *, packed: bool = True) -> bytes:
    names = [player.name for player in match.players]
    head = {"format": "BGF", "version": "1.0", "compress": packed, "useSmile": packed}
    values = {
        "matchlen": match.length, "useCrawford": match.rules.crawford, "gameMode": 0,
        "useJacoby": match.rules.jacoby, "useBeaver": match.rules.beavers > 0,
        "date": "2026.01.04", "nameGreen": names[0], "nameRed": names[1], "event": "Zo\u00eb",
        "finalGreen": match.games[-1].score_after[0], "finalRed": match.games[-1].score_after[1],
        "games": list(map(game_of, match.games)),
    }  # fmt: skip
    body = Writer().file(values) if packed else json.dumps(values).encode()
    return json.dumps(head).encode() + b"\n" + (gzip.compress(body) if packed else body)


def game_of(game: Game) -> dict[str, Any]:
    moves = []
    for action in game.actions:
        if isinstance(action, Cube):
            moves.append(act(action.seat, ACTS[action.step]))
        elif isinstance(action, Turn) and not action.play:
            moves.append(act(action.seat, 5))
        elif isinstance(action, Turn):
            starts, ends = ([step[side] for step in action.play or ()] for side in (0, 1))
            moves.append({**act(action.seat, action.dice[0]), "green": action.dice[1]})
            moves[-1] |= {"from": (starts + [-1] * 4)[:4], "to": (ends + [-1] * 4)[:4]}
    if game.result is not None:
        moves.append(act(game.result.winner, 4))
    points = 0 if game.result is None else game.result.points
    return {
        "scoreGreen": game.score[0], "scoreRed": game.score[1], "wonPoints": points,
        "initial": {"points": START, "cube": 1}, "moves": moves,
    }  # fmt: skip


def act(seat: int, kind: int) -> dict[str, Any]:
    return {"player": PLAYER[seat], "red": kind, "green": 7, "from": [-1] * 4, "to": [-1] * 4}


def plain(match: Match) -> bool:
    cubes = [a for game in match.games for a in game.actions if isinstance(a, Cube)]
    unplayed = [a for g in match.games for a in g.actions if isinstance(a, Turn) and a.play is None]
    return all(cube.step in ACTS for cube in cubes) and not unplayed
