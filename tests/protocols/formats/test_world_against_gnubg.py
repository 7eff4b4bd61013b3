"""Files as sites and people write them, in the real gnubg and here: the same match."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sixprime.protocols import readers
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Cube, CubeStep, Interruption, Match, Turn
from sixprime.protocols.formats.replay import moments
from tests.support.formats.played import random_match
from tests.support.gnubg.matches import HUMANS, QUIET, body, short_names
from tests.support.gnubg.program import typed

pytestmark = pytest.mark.gnubg

# Real files of others, which are not ours to keep; where they lie, all of them are compared.
REAL = Path(os.environ.get("SIXPRIME_REAL_MATCHES", "/work/shared/data/real-matches"))
NAMELESS = "a player has no name: gnubg takes `: 0` for it"
DIFFERENT = {
    "bgc_0023.mat": "6/off with 52: gnubg's 6/1 1/0 is no legal way while a checker stands behind",
    "bgc_0054.mat": "`32: Concedes`: gnubg forgets the roll",
    "lasse_0068.mat": "gnubg reads the cell before ` Losses 1 point` twice",
    "lasse_0551.mat": NAMELESS,
    "lasse_0637.mat": NAMELESS,
    "lasse_1026.mat": NAMELESS,
}
WORDS = {CubeStep.TAKE: "Takes", CubeStep.DROP: "Drops"}


def seen_by_gnubg(path: Path, folder: Path) -> list[str]:
    """What gnubg, in a process of its own, exports of a file."""
    load = "load match" if path.suffix == ".sgf" else "import mat"
    folder.mkdir()
    (folder / path.name).write_bytes(path.read_bytes())
    commands = f"{QUIET}{HUMANS}{load} {path.name}\nexport match mat out.mat\n"
    typed(commands, folder)
    return body((folder / "out.mat").read_text(errors="replace"))


def seen_by_us(path: Path) -> list[str]:
    return body(mat.write_mat(readers.read_match_file(path.name, path.read_bytes()).matches[0]))


def both(paths: list[Path], tmp_path: Path) -> list[tuple[list[str], list[str]]]:
    with ThreadPoolExecutor(2) as pool:
        folders = [tmp_path / f"{number}" for number in range(len(paths))]
        theirs = list(pool.map(seen_by_gnubg, paths, folders))
    return [(seen_by_us(path), seen) for path, seen in zip(paths, theirs, strict=True)]


@pytest.mark.patient
def test_real_files_are_the_same_matches_in_gnubg(tmp_path: Path) -> None:
    paths = sorted(path for path in REAL.glob("*") if path.suffix in (".mat", ".sgf"))
    if not paths:
        pytest.skip(f"no real files in {REAL} (SIXPRIME_REAL_MATCHES names another folder)")
    pairs = both(paths, tmp_path)
    different = {
        path.name for path, (ours, theirs) in zip(paths, pairs, strict=True) if ours != theirs
    }
    assert different <= DIFFERENT.keys()


def transcribed(match: Match) -> str:
    """The match as XG and Studio write it: steps joined, `bar`, `off`, wide columns, the winner."""
    names = [player.name for player in match.players]
    lines = ['\ufeff; [Site "Here"]', "", f"{match.length} point match", ""]
    for number, game in enumerate(match.games, start=1):
        score = game.score
        lines += [f"Game {number}", f" {names[0]} : {score[0]:<30} {names[1]} : {score[1]}"]
        cells: list[str] = []
        for action, position, state in moments(match, game):
            if isinstance(action, Turn):
                words = format_play(position, action.play or ()).replace("*", "") or "Cannot Move"
                cell = f"{action.dice[0]}{action.dice[1]}: {words.replace('bar', 'Bar')}"
            elif isinstance(action, Cube):
                cell = " " + WORDS.get(action.step, f"Doubles => {2 * state.cube}")
            else:
                continue
            if len(cells) % 2 != action.seat:
                cells.append("")
            cells.append(cell)
        for row in range(0, len(cells), 2):
            right = cells[row + 1] if row + 1 < len(cells) else ""
            lines.append(f"  {row // 2 + 1}) {cells[row]:<37} {right}")
        if game.result is not None:
            end = f" Wins {game.result.points} point"
            left = "" if game.result.winner == 0 else " " * 38
            lines.append(f"  {len(cells) // 2 + 1}) {left}{end}")
        lines.append("")
    return "\r\n".join(lines)


def plain(match: Match) -> bool:
    """Has it nothing that gnubg reads otherwise: beavers, unplayed rolls, interruptions?"""
    actions = [action for game in match.games for action in game.actions]
    return match.length > 0 and not any(
        isinstance(action, Interruption)
        or (isinstance(action, Cube) and action.step is CubeStep.BEAVER)
        or (isinstance(action, Turn) and action.play is None)
        for action in actions
    )


def test_a_transcription_in_other_words_is_the_same_match_in_gnubg(tmp_path: Path) -> None:
    matches = [short_names(random_match(seed, interruptions=False)) for seed in range(700, 760)]
    chosen = [match for match in matches if plain(match)][:12]
    assert len(chosen) >= 6
    paths = []
    for number, match in enumerate(chosen):
        paths.append(tmp_path / f"match{number}.mat")
        paths[-1].write_text(transcribed(match), encoding="utf-8", newline="")
    for path, (ours, theirs) in zip(paths, both(paths, tmp_path), strict=True):
        assert ours == theirs, path.name
