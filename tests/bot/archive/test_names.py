"""Who is who: aliases, ourselves, and matches seen from a player's seat."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import choose_ourselves, forget, join, known_names
from sixprime.bot.archive.collection.selection import Selection, chosen
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.cli.main import main
from sixprime.protocols.formats.record import Match, Player
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in

MATCHES = played(40, 5)


def named(match: Match, first: str, second: str, day: int) -> Match:
    return replace(
        match,
        players=(Player(first, rating_after=1500.0 + day), Player(second, rating_after=1600.0)),
        date=dt.date(2026, 11, day),
        started=None,
        place="fibs.example" if day < 3 else "elsewhere",
        comment="a mémorable night" if day == 2 else "",
    )


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    pairs = [("lasse", "ben"), ("ben", "lasse"), ("Llabba", "ben"), ("ada", "ben"), ("ben", "ada")]
    with closing(Archive(settings_in(tmp_path))) as archive:
        for day, (match, pair) in enumerate(zip(MATCHES, pairs, strict=True), start=1):
            add(archive, named(match, *pair, day))
        yield archive


def said(archive: Archive, capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["archive", *words, "--json", "--database", str(archive.settings.database)]) == 0
    return json.loads(capsys.readouterr().out)


def test_names_of_one_player_are_one_player(archive: Archive) -> None:
    assert join(archive, "Llabba", "lasse") == "lasse"
    assert join(archive, "L", "Llabba") == "lasse"
    assert known_names(archive).all_names("L") == {"lasse", "Llabba", "L"}
    join(archive, "lasse", "Lasse H.", ours=True)
    assert known_names(archive).all_names("L") == {"lasse", "Llabba", "L", "Lasse H."}
    assert known_names(archive).ours == {"lasse", "Llabba", "L", "Lasse H."}
    forget(archive, "Lasse H.")
    known = known_names(archive)
    assert known.player("lasse") == known.player("L") == "L"
    assert known.ours == {"lasse", "Llabba", "L"}
    with pytest.raises(ArchiveError, match="nobody's alias"):
        forget(archive, "ben")


def test_several_names_are_said_at_once_and_the_last_one_stands_for_them(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(archive, capsys, "alias", "--me", "Llabba", "You", "lasse")
    assert told == {"players": {"lasse": ["Llabba", "You"]}, "me": ["lasse"]}
    told = said(archive, capsys, "alias", "--me", "ada")
    assert told == {"players": {"lasse": ["Llabba", "You"], "ada": []}, "me": ["ada", "lasse"]}
    told = said(archive, capsys, "alias", "--remove", "You", "ada")
    assert told == {"players": {"lasse": ["Llabba"]}, "me": ["lasse"]}


def test_whoever_is_chosen_is_ourselves_under_all_names_and_nobody_else_is(
    archive: Archive,
) -> None:
    join(archive, "Llabba", "lasse")
    join(archive, "ben", "Ben S.", ours=True)
    choose_ourselves(archive, ["Llabba", "ada"])
    known = known_names(archive)
    assert known.ours == {"Llabba", "lasse", "ada"}
    assert known.player("ben") == "Ben S."
    choose_ourselves(archive, [])
    assert not known_names(archive).ours


def test_a_player_is_counted_from_either_seat_and_under_every_name(
    archive: Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    said(archive, capsys, "alias", "Llabba", "lasse", "--me")
    won = [
        (MATCHES[0].winner == 0), (MATCHES[1].winner == 1), (MATCHES[2].winner == 0)
    ]  # fmt: skip
    for whose in (["--me"], ["--player", "Llabba"], ["--player", "lasse", "--opponent", "ben"]):
        stats = said(archive, capsys, "stats", *whose)
        assert (stats["total"]["matches"], stats["total"]["won"]) == (3, sum(won))
        points = [MATCHES[0].score[0], MATCHES[1].score[1], MATCHES[2].score[0]]
        assert stats["total"]["points_won"] == sum(points)
        assert list(stats["by_opponent"]) == ["ben"]
        assert {key: each["matches"] for key, each in stats["by_server"].items()} == {
            "fibs.example": 2, "elsewhere": 1,
        }  # fmt: skip
    against = said(archive, capsys, "stats", "--player", "ben")
    assert {key: each["matches"] for key, each in against["by_opponent"].items()} == {
        "ada": 2, "lasse": 3,
    }  # fmt: skip
    players = said(archive, capsys, "players")
    assert [(row["player"], row["matches"], row["me"]) for row in players] == [
        ("ben", 5, False), ("lasse", 3, True), ("ada", 2, False),
    ]  # fmt: skip
    assert sum(row["won"] + row["lost"] for row in players) == 2 * len(MATCHES)


@pytest.mark.parametrize(
    ("asked", "days"),
    [
        (Selection(), [1, 2, 3, 4, 5]),
        (Selection(since=dt.date(2026, 11, 2), until=dt.date(2026, 11, 4)), [2, 3, 4]),
        (Selection(server="elsewhere"), [3, 4, 5]),
        (Selection(text="MÉMORABLE"), [2]),
        (Selection(text="lasse"), [1, 2]),
        (Selection(text="Turn"), []),  # a word of how records are kept
        (Selection(text="100%"), []),
        (Selection(player="ada", opponent="ben"), [4, 5]),
        (Selection(account="ben"), [2, 5]),
        (Selection(ours=True), []),
        (Selection(ids=frozenset({3, 9})), [3]),
    ],
)
def test_matches_are_chosen(archive: Archive, asked: Selection, days: list[int]) -> None:
    assert [row.started.day for row in chosen(archive, asked)] == days


def test_won_and_lost_are_a_players_own(archive: Archive) -> None:
    won = chosen(archive, Selection(player="ada", result="won"))
    lost = chosen(archive, Selection(player="ben", opponent="ada", result="lost"))
    assert [row.id for row in won] == [row.id for row in lost]
    assert len(won) == (MATCHES[3].winner == 0) + (MATCHES[4].winner == 1)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["alias", "ben"], "whose name is ben?"),
        (["alias", "--remove"], "--remove takes names"),
        (["alias", "ben", "--remove"], "ben is nobody's alias"),
        (["list", "--since", "yesterday"], "yesterday is not a day"),
        (["list", "--me", "--player", "ben"], "not allowed with"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    archive: Archive, words: list[str], answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    archive.close()
    try:
        code = main(["archive", *words, "--database", str(archive.settings.database)])
    except SystemExit as ended:
        code = int(str(ended.code))
    assert code == 2
    found = capsys.readouterr().err
    assert answer in found
    assert found.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        (("list", "--player", "lase"), ["no match is lase's, did you mean 'lasse'?"]),
        (("stats", "--opponent", "LLABA"), ["no match is LLABA's, did you mean 'Llabba'?"]),
        (("list", "--account", "xyz"), ["no match is xyz's"]),
        (("list", "--me"), ["nobody is known to be you: sixprime archive alias --me NAME"]),
        (("list", "--player", "ada"), []),
    ],
)
def test_who_asks_for_somebody_without_a_match_is_told_so(
    archive: Archive,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    said_of_it: list[str],
) -> None:
    said(archive, capsys, *words)
    main(["archive", *words, "--database", str(archive.settings.database)])
    told = capsys.readouterr().err.splitlines()
    assert told == [f"sixprime archive: {line}" for line in said_of_it]
