"""Text with boards: gnubg writes the same."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.reports.export import text
from sixprime.bot.reports.export.scenes import Act, acts
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats import positionfile
from sixprime.protocols.formats.ids import read_xgid
from sixprime.protocols.formats.record import Match, Player
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import oracle
from tests.support.formats.plain import plain

HIGHEST = 4096  # of gnubg's cube


def lines_of(document: str) -> list[str]:
    """The lines that both write, less their own names and what gnubg has wrong.

    It says `doubles` of a beaver and `post-Crawford` of a match to 1 point, and has another state
    in the Match ID of the first move.
    """
    document = re.sub(r"(?s)\n\nGame statistics.*|Output generated.*", "", document)
    document = re.sub(r"(?m)^Rolled \d\d:\n\*.*\n", "", document)  # its one candidate
    document = document.replace("to 1 point), post-Crawford play", "to 1 point)")
    document = document.replace(" beavers\n", " doubles\n")
    document = re.sub(r"(Move number 1: .*\n\n.*\n).*Match ID.*\n", r"\1", document)
    document = re.sub(r"GNU Backgammon |Sixprime       ", "", document)
    kept = (line.rstrip() for line in document.split("\n"))
    return [line for line in kept if line and not line.startswith(("Match Info", "Date", "XGID="))]


def highest_cube(match: Match) -> int:
    return max(m.state.cube for game in match.games for m in moments(match, game))


@pytest.mark.gnubg
def test_gnubg_writes_the_same(tmp_path: Path) -> None:
    matches = {seed: plain(seed) for seed in range(40)}
    commands = "set export include analysis no\n"
    for seed, match in matches.items():
        (tmp_path / f"{seed}.sgf").write_text(sgf.write_sgf(match))
        commands += f"set jacoby {'on' if match.rules.jacoby else 'off'}\n"
        commands += f"load match {seed}.sgf\nexport match text {seed}.txt\n"
    oracle.gnubg(commands, tmp_path)
    compared = 0
    for seed, match in matches.items():
        for act in acts(match):
            name = f"{seed}.txt" if act.number == 0 else f"{seed}_{act.number + 1:03}.txt"
            ours, theirs = (
                lines_of(each)
                for each in (text.document(match, [act]), (tmp_path / name).read_text())
            )
            if act.game.result is None:  # gnubg shows what it would play last, or nothing
                last = max(i for i, line in enumerate(theirs) if line.startswith("Move number"))
                ours, theirs = ours[:last], theirs[:last]
            if highest_cube(match) < HIGHEST:
                assert ours == theirs, name
                compared += len(act.scenes)
    assert compared > 1_000


def test_one_game_and_one_move_are_shown_alone() -> None:
    match = next(match for match in map(plain, range(99)) if len(match.games) > 2)
    whole = text.document(match, acts(match))
    second = text.document(match, acts(match, 2))
    third = text.document(match, acts(match, 2, 3))
    assert second in whole
    assert third.count("Position ID") == 1
    assert third.split("Move number 3")[1].strip() in second
    with pytest.raises(InputError, match="no game 90"):
        acts(match, 90)
    with pytest.raises(InputError, match="no move 9999 in game 2"):
        acts(match, 2, 9999)


def test_a_position_shows_the_roll_or_the_double_that_waits() -> None:
    position, state = read_xgid("XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:2:3:0:7:10")
    rolled = text.document(*_of(positionfile.match_of(position, state)))
    assert "X to play 52" in rolled
    assert "Rolled 52" in rolled
    doubled = replace(state, dice=None, cube=1, cube_owner=None, doubled=True, to_act=0)
    waiting = text.document(*_of(positionfile.match_of(position, doubled)))
    assert "X doubles to 2" in waiting
    assert "Cube offered at 2" in waiting


def _of(match: Match) -> tuple[Match, list[Act]]:
    return match, acts(match)


def test_each_board_has_an_xgid_that_is_the_same_position() -> None:
    match = plain(0)
    scenes = acts(match)[0].scenes
    written = text.document(match, acts(match, 1))
    found = [read_xgid(line) for line in written.split("\n") if line.startswith("XGID=")]
    assert [position for position, _ in found] == [scene.position for scene in scenes]


def test_nothing_from_a_file_steers_the_terminal() -> None:
    match = replace(plain(3), players=(Player("a\x1b[2Jb\n"), Player("ben")), comment="x\x07y")
    written = text.document(match, acts(match))
    assert not re.search(r"[^\n -~]", written)
