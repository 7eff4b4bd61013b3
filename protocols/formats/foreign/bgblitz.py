"""BGBlitz's own files (.bgf): a line of JSON, then the match as Smile or JSON, packed with gzip.

Green is seat 0. A move whose `green` is no die is an act, named by `red`. BGBlitz does not keep the
dice of a dance, so such a turn is a set board. Its analysis is not read. The format has no public
description; matches that other programs had also written show it.
"""

from __future__ import annotations

import json
import re
import zlib
from typing import Any

from sixprime.engine.position import Step
from sixprime.protocols.formats.draft import (
    VARIANT_UNKNOWN,
    Draft,
    MatchDraft,
    check_length,
    rules_of,
    understood,
)
from sixprime.protocols.formats.foreign import smile
from sixprime.protocols.formats.reading import MOST, MatchReader, Reading, Remarks, count
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Cube,
    CubeStep,
    Match,
    Player,
    Turn,
    day_in,
    one_line,
)

_FORMAT = re.compile(rb'"format"\s*+:\s*+"BGF"')
_COLOURS = ("Green", "Red")
_SEATS = {-1: 0, 1: 1}
_ACT = 7  # instead of a die
_CUBES = {1: CubeStep.DOUBLE, 2: CubeStep.TAKE, 3: CubeStep.DROP}
_END, _DANCE, _GIVES_UP = 4, 5, 9
_START = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0, 0, 0, 0]

Values = dict[str, Any]


def read_bgblitz(data: bytes) -> Reading:
    with understood():
        values = _values(data)
        draft = MatchDraft(_match(values), Remarks())
        games = list(values["games"])
    final = {f"score{each}": values.get(f"final{each}") for each in _COLOURS}
    ends = [*games, final][1:]  # each ends with the score that the next begins with
    for number, (game, end) in enumerate(zip(games, ends, strict=True), start=1):
        with draft.remarks.instead(f"game {number} ends here"), understood():
            _game(draft, game, end)
    if not draft.games:
        raise BadMatchFile(0, "no game in it")
    return Reading((draft.done(),), draft.remarks.all())


def _is_ours(data: bytes) -> bool:
    """Return whether the first line begins a BGBlitz file."""
    first = data[:1000].lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and _FORMAT.search(first) is not None


def _values(data: bytes) -> Values:
    first, _, body = data.partition(b"\n")
    head = json.loads(first)
    if head.get("compress"):
        machine = zlib.decompressobj(wbits=31)
        try:
            body = machine.decompress(body, MOST["bytes unpacked"] + 1)
        except zlib.error as error:
            raise BadMatchFile(0, str(error)) from error
        count("bytes unpacked", len(body))
        if not machine.eof:
            raise BadMatchFile(0, "it breaks off")
    values = smile.read_smile(body) if head.get("useSmile") else _json(body)
    if not isinstance(values, dict):
        raise BadMatchFile(0, "no match in it")
    return values


def _json(body: bytes) -> Any:
    count("values", sum(body.count(sign) for sign in b"[{,"))  # no fewer than will be made
    return json.loads(body)


def _match(values: Values) -> Match:
    length = int(values["matchlen"])
    check_length(0, length)
    if values.get("gameMode"):
        raise BadMatchFile(0, VARIANT_UNKNOWN)
    first, second = (
        Player(one_line(str(values[f"name{each}"])) or each, values.get(f"rating{each}") or None)
        for each in _COLOURS
    )
    return Match(
        players=(first, second),
        length=length,
        rules=rules_of(
            length, values.get("useCrawford"), values.get("useJacoby"), values.get("useBeaver")
        ),
        date=day_in(str(values.get("date"))),
        place=one_line(str(values.get("location") or values.get("site") or "")),
        event=one_line(str(values.get("event") or "")),
        round=one_line(str(values.get("round") or "")),
        comment=str(values.get("comment") or ""),
    )


def _game(match: MatchDraft, values: Values, end: Values) -> None:
    """Read a game; `end` has the scores after it: a resignation leaves `wonPoints` at 0."""
    if values["initial"]["points"] != _START or values["initial"]["cube"] != 1:
        raise BadMatchFile(0, "it begins with another board or cube")
    score = int(values["scoreGreen"]), int(values["scoreRed"])
    match.begin_game(0, score)
    draft, winner = match.games[-1], None
    for move in values["moves"]:
        seat, act = _SEATS[move["player"]], int(move["red"])
        if move["green"] != _ACT:
            _roll(draft, seat, move)
        elif act in _CUBES:
            draft.cube(0, Cube(seat, _CUBES[act]))
        elif act == _DANCE:
            draft.pass_to(0, 1 - seat, "a roll that could not be played; its dice are not kept")
        elif act == _END:
            winner = seat
        elif act != _GIVES_UP:
            draft.remarks.add(0, f"an act of kind {act}", "left out")
    if winner is not None:
        gained = int(end[f"score{_COLOURS[winner]}"]) - score[winner]
        draft.won(0, winner, max(gained, int(values["wonPoints"])) or None)


def _roll(draft: Draft, seat: int, move: Values) -> None:
    pairs = zip(move["from"], move["to"], strict=True)
    hops = [Step(int(start), int(end)) for start, end in pairs if start > 0]
    draft.add_roll(0, Turn(seat, (int(move["red"]), int(move["green"]))), hops or ())


READER = MatchReader("bgf", "a BGBlitz file", (".bgf",), _is_ours, read_bgblitz)
