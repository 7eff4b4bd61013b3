"""`archive alias --me` seats me below: in exported files, reports and pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import join
from sixprime.bot.archive.matchfiles import FORMATS, read_matches
from sixprime.bot.cli.main import main
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.replaying import Replayed
from sixprime.protocols.formats.record import turned
from tests.support.archive.collected import MATCHES, analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
LABEL = re.compile(r"The board as (\S+) sees it")


def named(seat: int) -> str:
    return MATCHES[0].players[seat].name


@pytest.mark.parametrize("me", [0, 1])
def test_exported_files_have_me_below(me: int, archive: Archive, tmp_path: Path) -> None:
    database = ["--database", str(archive.settings.database)]
    folder = tmp_path / "out"
    everybody = {player.name for match in MATCHES for player in match.players}
    join(archive, named(me), named(me), ours=True)
    assert main(["archive", "export", str(folder), *database]) == 0
    assert everybody - {named(me)}
    for path in folder.iterdir():
        (match,) = read_matches(path)
        seated = [player.name for player in match.players]
        assert (seated[0] == named(me)) <= (seated[1] == named(me)), path


def test_the_analysis_stays_with_its_player(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", str(archive.settings.database)]
    shown = []
    for _ in range(2):
        assert main(["archive", "show", "1", "--to", "sgf", *database]) == 0
        (match,) = FORMATS["sgf"].reading(capsys.readouterr().out).matches
        shown.append(match)
        join(archive, shown[0].players[0].name, shown[0].players[0].name, ours=True)
    assert shown[1] == turned(shown[0])
    assert any(game.statistics for game in shown[1].games)


@pytest.mark.parametrize("me", [0, 1])
def test_reports_show_every_board_from_my_side(me: int, archive: Archive, tmp_path: Path) -> None:
    database = ["--database", str(archive.settings.database)]
    out = tmp_path / "page.html"
    assert main(["archive", "show", "1", "--html", str(out), *database]) == 0
    assert len(set(LABEL.findall(out.read_text()))) == 2  # of the player of the turn
    join(archive, named(me), named(me), ours=True)
    for words in (["show", "1"], ["errors", "--most", "9"]):
        assert main(["archive", *words, "--html", str(out), *database]) == 0
        page = out.read_text()
        sees = set(LABEL.findall(page))
        assert named(me) in sees
        assert named(1 - me) not in sees or words[0] == "errors"


def test_a_replay_draws_what_exchanged_seats_would_show() -> None:
    match = MATCHES[0]
    mine, other = Replayed.from_match(match, None, 1), Replayed.from_match(turned(match), None)
    for step in range(0, len(mine.stages), 3):
        one, same = mine.shown(step), other.shown(step)
        assert (one["board"], one["spoken"]) == (same["board"], same["spoken"]), step


def test_a_page_of_the_archive_has_me_below(archive: Archive) -> None:
    library = Library(archive)
    before = library.replayed(1, 4)["board"]
    join(archive, named(1), named(1), ours=True)
    assert library.replayed(1, 4)["board"] != before
