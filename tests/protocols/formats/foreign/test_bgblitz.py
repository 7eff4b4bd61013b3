"""Files of BGBlitz: a match is itself again, but for dice that BGBlitz does not keep."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from sixprime.engine.position import Step
from sixprime.protocols import readers
from sixprime.protocols.formats.foreign import smile
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Cube,
    Ending,
    Game,
    GameResult,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from tests.support.formats.bgf import Writer, bgf, plain
from tests.support.formats.played import random_match

# Matches that BGBlitz and others wrote, as pairs NAME.bgf and NAME.mat; they are not ours to keep.
PAIRS = Path(os.environ.get("SIXPRIME_BGBLITZ_PAIRS", "/nowhere"))


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


MATCHES = [
    match
    for match in (random_match(seed, interruptions=False) for seed in range(60))
    if plain(match)
]


@pytest.mark.parametrize("packed", [True, False])
def test_a_match_is_read_back_but_for_the_dice_of_dances(packed: bool) -> None:
    assert len(MATCHES) > 10
    for match in MATCHES:
        reading = readers.read_match_file("a.bgf", bgf(match, packed=packed))
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
    (back,) = readers.read_match_file("a.bgf", head + b"\n" + json.dumps(values).encode()).matches
    assert [game.result for game in back.games] == [won]
    assert back.rules == match.rules


def test_every_kind_of_value_in_smile() -> None:
    texts = ["", "a", "\u00e9", "b" * 64, "\u00e9" * 32, "c" * 65, "\u00e9" * 200]
    texts += [f"text {number}" for number in range(400)]
    value = {
        **{f"name {number}": number for number in range(300)}, "\u00fc": 0.1, "n": None,
        "numbers": [0, -1, 15, 16, -16, -17, 10**9, -(10**9)], "texts": texts * 2, "flag": True,
    }  # fmt: skip
    assert smile.read_smile(Writer().file([value, value])) == [value, value]


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
            assert readers.read_match_file("a.bgf", data).matches
        except BadMatchFile as error:
            assert str(error).isprintable()
    with pytest.raises(BadMatchFile, match=r"breaks off.*BGBlitz"):
        readers.read_match_file("a.bgf", bgf(MATCHES[0])[:-20])


def test_a_file_without_games_is_refused_in_a_line() -> None:
    head, _, body = bgf(MATCHES[0], packed=False).partition(b"\n")
    nothing = json.dumps({**json.loads(body), "games": []}).encode()
    with pytest.raises(BadMatchFile, match="no game in it"):
        readers.read_match_file("a.bgf", head + b"\n" + nothing)


def test_real_files_are_the_same_matches_as_mat() -> None:
    pairs = [(path, path.with_suffix(".mat")) for path in sorted(PAIRS.glob("*.bgf"))]
    if not pairs:
        pytest.skip(f"no real files in {PAIRS} (SIXPRIME_BGBLITZ_PAIRS names a folder)")
    for ours, theirs in pairs:
        found, known = (
            readers.read_match_file(each.name, each.read_bytes()) for each in (ours, theirs)
        )
        if known.remarks:  # its plays are not legal: programs go on differently
            continue
        one, other = kept(found.matches[0]), kept(known.matches[0])
        open_end = other[-2] == "dance" and one != other  # a dance before a resignation
        assert one == (other[:-2] + other[-1:] if open_end else other), ours.name
