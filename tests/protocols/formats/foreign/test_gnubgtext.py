"""Text with boards, read back: what `convert` writes, and so gnubg, which writes the same."""

from __future__ import annotations

import pytest

from sixprime.bot.reports.export import text
from sixprime.bot.reports.export.scenes import acts
from sixprime.engine.position import Dice, Position
from sixprime.protocols import readers
from sixprime.protocols.formats.record import Cube, CubeStep, GameResult, Match, SetBoard, Turn
from sixprime.protocols.formats.replay import moments
from tests.support.formats.plain import plain

Did = tuple[Position, Dice | CubeStep]


def written(match: Match) -> str:
    return text.document(match, acts(match))


def read(document: str) -> Match:
    reading = readers.read_match_file("some.txt", document.encode())
    assert reading.what == "a match as text with boards"
    (match,) = reading.strictly()
    return match


def told(match: Match) -> list[tuple[tuple[int, int], bool, list[Did], GameResult | None]]:
    """The text joins the steps of a checker, and forgets a roll before a resignation."""
    games = []
    for game in match.games:
        done: list[Did] = []
        for action, position, _ in moments(match, game):
            if isinstance(action, Turn) and action.play is not None:
                done.append((position, action.dice))
            elif isinstance(action, Cube):
                done.append((position, action.step))
        games.append((game.score, game.crawford, done, game.result))
    return games


@pytest.mark.parametrize("seed", range(30))
def test_text_with_boards_is_read_back(seed: int) -> None:
    match = plain(seed)
    found = read(written(match))
    assert told(found) == told(match)
    assert (found.players, found.length) == (match.players, match.length)
    assert found.rules.jacoby == match.rules.jacoby


def test_files_of_single_games_are_one_match_and_of_two_matches_two() -> None:
    match, other = [match for match in map(plain, range(40)) if len(match.games) > 2][:2]
    files = [text.document(match, [act]) for act in acts(match)]
    assert told(read("\n".join(files))) == told(match)
    both = readers.read_match_file("some.txt", "\n".join((*files, written(other))).encode())
    assert list(map(told, both.strictly())) == [told(match), told(other)]
    over = "The score (after 0 games) is: ann 3, bob 1 (match to 3 points)\n"
    kept = readers.read_match_file("some.txt", (over + written(match)).encode())
    assert (list(map(told, kept.matches)), len(kept.remarks)) == ([told(match)], 1)


def test_a_board_that_the_plays_do_not_give_is_set() -> None:
    document = written(plain(3))
    lines = document.split("\n")
    lost = [i for i, line in enumerate(lines) if line.startswith("* anna moves")][4]
    del lines[lost]
    reading = readers.read_match_file("some.txt", "\n".join(lines).encode())
    assert len(reading.remarks) == 1
    boards = [each for each in reading.matches[0].games[0].actions if isinstance(each, SetBoard)]
    assert len(boards) == 1
    (found,) = reading.matches
    assert told(found)[0][2][12:] == told(plain(3))[0][2][12:]
