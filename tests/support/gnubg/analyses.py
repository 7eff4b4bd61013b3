"""What gnubg says of matches: its equities to all their digits, and its statistics as text.

An analysed SGF has six decimals of an equity and five of luck, too few to add up to the digits that
`show statistics match` prints; gnubg's own interpreter hands out all of them.

The fixture tests/data/analysed.json.xz is written by
`python -m tests.support.gnubg.analyses FILE.sgf... > /dev/null` from matches that gnubg played.
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sixprime.engine.analysis.values import CubeWorth, EvalContext, RankedPlay
from sixprime.protocols.formats.record import (
    Action,
    Analysis,
    Cube,
    Game,
    Match,
    Turn,
    decode,
    settled,
)
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.gnubg.program import scripted
from tests.support.places import DATA

FIXTURE = DATA / "analysed.json.xz"

# gnubg's own interpreter runs this
_ASK = """
import gnubg, json
for command in (
    "set display off", "set threads 1",
    "set analysis chequerplay evaluation plies {plies}",
    "set analysis cubedecision evaluation plies {plies}",
    "load match {match}", "analyse clear match", "analyse match",
):
    gnubg.command(command)
found = gnubg.match(analysis=1, boards=0, statistics=0, verbose=0)
json.dump(found, open("found.json", "w"))
gnubg.command("show statistics match")
gnubg.command("show matchresult")
gnubg.command("save match analysed.sgf")
"""

Told = list[list[dict[str, Any]]]  # of each game, of each roll and cube action


@dataclass(frozen=True, slots=True)
class Analysed:
    """A match, what gnubg found at so many plies, and what it made of it."""

    match: Match
    plies: int
    told: Told
    statistics: str


def fixture() -> list[Analysed]:
    """The committed ones: 20 matches and sessions at 0 and at 2 plies."""
    kept = json.loads(lzma.decompress(FIXTURE.read_bytes()))
    return [
        Analysed(
            sgf.read_sgf(each["sgf"]).strictly()[0], int(plies), found["told"], found["statistics"]
        )
        for each in kept
        for plies, found in each["plies"].items()
    ]


def analysed_by_gnubg(match: Path, plies: int, folder: Path) -> Analysed:
    """Let gnubg analyse a file, now; `folder` then has the analysed match as analysed.sgf too."""
    said = scripted(_ASK.format(plies=plies, match=match.resolve()), folder)
    found = json.loads((folder / "found.json").read_text())
    record = sgf.read_sgf(decode(match.read_bytes())).strictly()[0]
    return Analysed(record, plies, _told(found), said)


def _told(found: dict[str, Any]) -> Told:
    return [
        [_one(action) for action in game["game"] if action["action"] != "resign"]
        for game in found["games"]
    ]


def _one(action: dict[str, Any]) -> dict[str, Any]:
    """The numbers of an action: luck, no double and double/take, scores down to the play made."""
    analysis = action.get("analysis", {})
    one: dict[str, Any] = {}
    if "luck-value" in analysis:
        one["luck"] = analysis["luck-value"]
    if "nd-cubeful-eq" in analysis:
        one["cube"] = [analysis["nd-cubeful-eq"], analysis["dt-cubeful-eq"]]
    if "moves" in analysis:
        chosen = analysis["imove"]
        one["chosen"] = chosen
        one["scores"] = [play["score"] for play in analysis["moves"][: max(chosen, 1) + 1]]
    return one


def injected(analysed: Analysed) -> Match:
    """The match with gnubg's equities, as if a file had carried them with all their digits."""
    games = zip(analysed.match.games, analysed.told, strict=True)
    return replace(analysed.match, games=tuple(_game(*each) for each in games))


def _game(game: Game, told: list[dict[str, Any]]) -> Game:
    found = iter(told)
    actions = [_with(action, found) for action in settled(game)]
    assert next(found, None) is None
    return replace(game, actions=tuple(actions))


def _with(action: Action, found: Any) -> Action:
    if not isinstance(action, Turn | Cube):
        return action
    one = next(found)
    by, none = EvalContext(0), (0.5, 0.0, 0.0, 0.0, 0.0)
    scores = one.get("scores", [])
    play = action.play if isinstance(action, Turn) else None
    worth = None
    if "cube" in one:
        no_double, double_take = one["cube"]
        worth = CubeWorth((*none, 0.0, no_double), (*none, 0.0, double_take), by)
    analysis = Analysis(
        candidates=tuple(RankedPlay(play or (), none, score, by) for score in scores),
        chosen=one.get("chosen"),
        cube=worth,
        luck=one.get("luck"),
    )
    return replace(action, analysis=analysis)


def lines_of(statistics: str) -> list[tuple[str, str, str]]:
    """(label, first player's value, second's) of `show statistics match`, blanks taken out."""
    table = statistics[statistics.index("\nPlayer ") :].strip()
    lines = []
    for line in table[: table.index("\nActual and luck")].splitlines()[1:]:
        if line.strip() and not line.endswith(" statistics"):
            first, second = line[41:65], line[65:]
            lines.append((line[:41].strip(), _plain(first), _plain(second)))
    return lines


def _plain(value: str) -> str:
    return re.sub(r"\s+", "", value)


def _bare(match: Match) -> Match:
    games = []
    for game in match.games:
        actions = tuple(
            replace(action, analysis=None) if isinstance(action, Turn | Cube) else action
            for action in settled(game)
        )
        games.append(replace(game, actions=actions, statistics=None))
    return replace(match, games=tuple(games))


def main(files: list[str]) -> None:
    """Write the fixture."""
    import tempfile

    kept = []
    for name in files:
        path = Path(name).resolve()
        found = {}
        for plies in (0, 2):
            with tempfile.TemporaryDirectory() as folder:
                analysed = analysed_by_gnubg(path, plies, Path(folder))
            text = analysed.statistics
            text = text[text.index("\nPlayer ") :]
            found[str(plies)] = {"told": analysed.told, "statistics": text}
        kept.append({"sgf": sgf.write_sgf(_bare(analysed.match)), "plies": found})
    FIXTURE.write_bytes(lzma.compress(json.dumps(kept).encode(), preset=9))


if __name__ == "__main__":
    main(sys.argv[1:])
