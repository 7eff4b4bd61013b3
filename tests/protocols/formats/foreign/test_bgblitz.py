"""Files of BGBlitz: a match is itself again, but for dice that BGBlitz does not keep."""

from __future__ import annotations

import gzip
import json
import os
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from sixprime.engine.position import Step
from sixprime.protocols import readers
from sixprime.protocols.formats.foreign import smile
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from tests.support.formats.played import random_match

PLAYER = (-1, 1)  # green, red
ACTS = {CubeStep.DOUBLE: 1, CubeStep.TAKE: 2, CubeStep.DROP: 3}
START = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0, 0, 0, 0]
# Matches that BGBlitz and others wrote, as pairs NAME.bgf and NAME.mat; they are not ours to keep.
PAIRS = Path(os.environ.get("SIXPRIME_BGBLITZ_PAIRS", "/nowhere"))


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


def kept(match: Match) -> list[Any]:
    """What BGBlitz keeps: of a dance only that it was one."""
    found: list[Any] = []
    for game in match.games:
        for action in game.actions:
            if isinstance(action, Turn) and action.play:
                found.append((action.seat, sorted(action.dice), sorted(action.play)))
            elif isinstance(action, Cube):
                found.append((action.seat, action.step))
            elif isinstance(action, Turn | SetBoard):
                found.append("dance")
        found.append(game.result)
    return found


def plain(match: Match) -> bool:
    cubes = [a for game in match.games for a in game.actions if isinstance(a, Cube)]
    unplayed = [a for g in match.games for a in g.actions if isinstance(a, Turn) and a.play is None]
    return all(cube.step in ACTS for cube in cubes) and not unplayed


MATCHES = [
    match
    for match in (random_match(seed, interruptions=False) for seed in range(60))
    if plain(match)
]


@pytest.mark.parametrize("packed", [True, False])
def test_a_match_is_read_back_but_for_the_dice_of_dances(packed: bool) -> None:
    assert len(MATCHES) > 10
    for match in MATCHES:
        reading = readers.read("a.bgf", bgf(match, packed=packed))
        (back,) = reading.matches
        assert kept(back) == kept(match)
        assert not reading.remarks
        assert back.rules == match.rules
        assert [player.name for player in back.players] == [p.name for p in match.players]
        assert (back.length, back.event, reading.what) == (
            match.length,
            "Zo\u00eb",
            "a BGBlitz file",
        )


@pytest.mark.parametrize("seat", [0, 1])
def test_a_resigned_game_counts_by_the_score_after_it(seat: int) -> None:
    """BGBlitz says that nothing was won."""
    opening = Turn(0, (3, 1), (Step(8, 5), Step(6, 5)))
    won = GameResult(seat, 2, Ending.RESIGNED)
    games = (Game(actions=(opening,), result=won),)
    match = Match((Player("a"), Player("b")), 5, rules=Rules(crawford=seat == 1), games=games)
    head, _, body = bgf(match, packed=False).partition(b"\n")
    values = json.loads(body)
    values["games"][0]["wonPoints"] = 0
    (back,) = readers.read("a.bgf", head + b"\n" + json.dumps(values).encode()).matches
    assert [game.result for game in back.games] == [won]
    assert back.rules == match.rules


def test_every_kind_of_value_in_smile() -> None:
    texts = ["", "a", "\u00e9", "b" * 64, "\u00e9" * 32, "c" * 65, "\u00e9" * 200]
    texts += [f"text {number}" for number in range(400)]
    value = {
        **{f"name {number}": number for number in range(300)}, "\u00fc": 0.1, "n": None,
        "numbers": [0, -1, 15, 16, -16, -17, 10**9, -(10**9)], "texts": texts * 2, "flag": True,
    }  # fmt: skip
    assert smile.read(Writer().file([value, value])) == [value, value]


def test_a_damaged_file_is_refused_in_a_line_or_read() -> None:
    whole = bgf(MATCHES[0], packed=False)
    raw = Writer().file(json.loads(whole.partition(b"\n")[2]))
    head = bgf(MATCHES[0]).partition(b"\n")[0] + b"\n"
    draw = random.Random(1)
    for number in range(1500):
        damaged = bytearray(whole if number % 3 == 0 else raw)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        del damaged[draw.choice((len(damaged), draw.randrange(len(damaged)))) :]
        data = bytes(damaged) if number % 3 == 0 else head + gzip.compress(bytes(damaged), 1)
        try:
            assert readers.read("a.bgf", data).matches
        except BadMatchFile as error:
            assert str(error).isprintable()
    with pytest.raises(BadMatchFile, match=r"breaks off.*BGBlitz"):
        readers.read("a.bgf", bgf(MATCHES[0])[:-20])


def test_a_file_without_games_is_refused_in_a_line() -> None:
    head, _, body = bgf(MATCHES[0], packed=False).partition(b"\n")
    nothing = json.dumps({**json.loads(body), "games": []}).encode()
    with pytest.raises(BadMatchFile, match="no game in it"):
        readers.read("a.bgf", head + b"\n" + nothing)


def test_real_files_are_the_same_matches_as_mat() -> None:
    pairs = [(path, path.with_suffix(".mat")) for path in sorted(PAIRS.glob("*.bgf"))]
    if not pairs:
        pytest.skip(f"no real files in {PAIRS} (SIXPRIME_BGBLITZ_PAIRS names a folder)")
    for ours, theirs in pairs:
        found, known = (readers.read(each.name, each.read_bytes()) for each in (ours, theirs))
        if known.remarks:  # its plays are not legal: programs go on differently
            continue
        one, other = kept(found.matches[0]), kept(known.matches[0])
        open_end = other[-2] == "dance" and one != other  # a dance before a resignation
        assert one == (other[:-2] + other[-1:] if open_end else other), ours.name
