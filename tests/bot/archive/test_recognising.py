"""A match is known again in whatever file it comes back, and no other match is taken for it."""

from __future__ import annotations

import datetime as dt
import random
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.changing import duplicates
from sixprime.bot.archive.collection.importing import Imported, import_files
from sixprime.bot.archive.collection.names import join
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.cli.main import main
from sixprime.engine.position import Variant
from sixprime.protocols import readers
from sixprime.protocols.formats.record import CannotCarry, Match, Player, Turn
from sixprime.protocols.formats.replay import rear_first
from sixprime.protocols.formats.xg import ogxm
from tests.support.archive.imported import add, played
from tests.support.archive.told import fibs_match, keep, settings_in, told
from tests.support.formats.played import random_match

NAMES = (
    "", "anna", "anna", "Anna", "anna-2", "a very long name of thirty-nine characters",
    "a very long name of thirty-nine ch", 'the "big" [one]: part\\two', "Zoë is X - Æ.", "x (1500)",
    "Joe, 1500", "  two  words ", "***", "\u2028\x1b[31m", "王小明" * 9, "White", "O", ";",
    "1) 31: 8/5",
)  # fmt: skip
EVERY = (*FORMATS, "ogxm")


def written(match: Match, form: str) -> bytes:
    return ogxm.write_ogxm(match) if form == "ogxm" else FORMATS[form].write(match).encode()


@contextmanager
def new_archive() -> Iterator[Archive]:
    with tempfile.TemporaryDirectory() as folder, closing(Archive(settings_in(Path(folder)))) as it:
        yield it


def imported(archive: Archive, *files: tuple[str, bytes]) -> Imported:
    with tempfile.TemporaryDirectory() as folder:
        for number, (form, data) in enumerate(files):
            suffix = ".ogxm" if form == "ogxm" else FORMATS[form].suffixes[0]
            (Path(folder) / f"{number:03}{suffix}").write_bytes(data)
        found = import_files(archive, [Path(folder)])
    assert found.broken == []
    return found


def exported(match: Match) -> list[tuple[str, bytes]]:
    found = []
    for form in EVERY:
        try:
            found.append((form, written(match, form)))
        except CannotCarry:
            continue
    return found


def cut(match: Match, size: int) -> Match:
    """The match while it was played: the last game after its first `size` actions."""
    last = replace(match.games[-1], actions=match.games[-1].actions[:size], result=None)
    return replace(match, games=(*match.games[:-1], last))


@pytest.mark.parametrize("seed", range(40))
def test_what_an_archive_exported_it_knows_again(seed: int) -> None:
    draw = random.Random(seed)
    variant = draw.choice((Variant.STANDARD, *Variant))
    first, second = draw.choice(NAMES), draw.choice(NAMES)
    size = draw.choice((0, 1, 3, 9, 40, 999))
    match = random_match(seed, interruptions=seed % 2 == 0, variant=variant)
    one, two = match.players
    match = replace(match, players=(replace(one, name=first), replace(two, name=second)))
    match = cut(match, size) if size < 999 else match
    files = exported(match)
    with new_archive() as archive:
        assert add(archive, match) == 1
        found = imported(archive, *files)
        assert (found.added, found.skipped) == ([], len(set(files)))


@pytest.mark.parametrize("seed", range(24))
def test_a_later_state_of_a_match_completes_the_earlier_one(seed: int) -> None:
    first, second = EVERY[seed % 4], EVERY[seed // 4 % 4]
    (match,) = played(seed, 1)
    early = cut(match, len(match.games[-1].actions) // 2)
    if not any(isinstance(each, Turn) for game in early.games for each in game.actions):
        return
    files = (first, written(early, first)), (second, written(match, second))
    with new_archive() as archive:
        found = [imported(archive, each) for each in (files[::-1] if seed % 2 else files)]
        assert [len(each.added) for each in found] == [1, 0]
        (row,) = archive.rows()
        assert row.winner == match.winner
        assert archive.match(row.id).score == match.score


def test_the_file_of_a_saved_match_of_ours_is_known(tmp_path: Path) -> None:
    whole = fibs_match(5)
    with closing(LiveArchive(settings_in(tmp_path))) as live:
        keep(live, list(told(whole))[:60])
        (row,) = live.rows()
        assert row.winner is None
        files = exported(live.match(row.id))
        assert len(files) >= 3
        found = imported(live, *files)
        assert (found.added, found.skipped) == ([], len(files))
        keep(live, list(told(whole))[60:])
        assert imported(live, *((form, data + b"\n") for form, data in files[:3])).added == []
        assert len(live.rows()) == 1


def test_names_in_other_letters_and_aliases_are_the_same_players() -> None:
    (match,) = played(60, 1)
    same = [("lasse", "ben"), ("LASSE", "Ben"), ("Ben", "lasse "), ("Llabba", "ben")]
    with new_archive() as archive:
        join(archive, "Llabba", "lasse")
        for number, (first, second) in enumerate(same):
            named = replace(match, players=(Player(first), Player(second)))
            if number != 2:
                assert add(archive, named) == (None if number else 1)
        other = replace(match, players=(Player("lasse"), Player("zoe")))
        assert add(archive, other) is not None
        assert duplicates(archive) == []


def test_matches_that_differ_in_length_or_variant_are_others() -> None:
    (match,) = played(60, 1)
    with new_archive() as archive:
        assert add(archive, match) == 1
        assert add(archive, replace(match, length=match.length + 2)) == 2
        rules = replace(match.rules, variant=Variant.NACKGAMMON)
        assert add(archive, replace(match, rules=rules)) == 3
        for rules in (replace(match.rules, crawford=False), replace(match.rules, beavers=3)):
            assert add(archive, replace(match, rules=rules)) is None


DAY = dt.datetime(2026, 11, 3, 20, tzinfo=dt.UTC)


def test_only_a_short_match_needs_its_time_to_be_known_again() -> None:
    (long,) = played(60, 1)
    first = replace(long.games[0], actions=long.games[0].actions[:5], result=None)
    short = replace(long, length=long.length + 2, games=(first,))
    with new_archive() as archive:
        for match, others in ((long, 1), (short, 3)):
            at = [
                replace(match, date=day.date(), started=day)
                for day in (DAY, DAY, DAY + dt.timedelta(hours=3), DAY + dt.timedelta(days=9))
            ]
            before = len(archive.rows())
            for each in (*at, replace(match, date=None, started=None)):
                add(archive, each)
            assert len(archive.rows()) - before == others


def test_merging_keeps_the_record_that_tells_more(tmp_path: Path) -> None:
    (match,) = played(60, 1)
    early = replace(cut(match, 9), players=(Player("Llabba"), match.players[1]))
    with closing(Archive(settings_in(tmp_path))) as archive:
        assert [add(archive, early), add(archive, match)] == [1, 2]
        join(archive, "Llabba", match.players[0].name)
        assert duplicates(archive) == [[2, 1]]
        assert main(["archive", "merge", "--database", str(archive.settings.database)]) == 0
        assert [row.id for row in archive.rows()] == [2]
        assert archive.match(2).score == match.score


# --- what a format loses

STANDING = {"rating_before", "rating_after", "experience_before", "experience_after", "level"}
LOST = {
    "sgf": {"rules.beavers"},
    "mat": {*STANDING, "started", "ended", "rules.jacoby", "rules.beavers"},
    "oldmoves": {
        *STANDING, "started", "ended", "rules.jacoby", "rules.beavers", "comment", "date", "place",
        "event", "round", "annotator",
    },
    "ogxm": {*STANDING - {"rating_before"}, "rules.beavers", "ended", "annotator", "comment"},
}  # fmt: skip


def differences(one: Any, other: Any, where: str = "") -> set[str]:
    return {
        where + each.name
        for each in fields(one)
        if getattr(one, each.name) not in (None, "", getattr(other, each.name))
    }


def rear_first_throughout(match: Match) -> Match:
    """The match with every play's steps in the order of most formats."""
    games = [
        replace(game, actions=tuple(
            replace(each, play=rear_first(each.play)) if isinstance(each, Turn) and each.play
            else each for each in game.actions
        )) for game in match.games
    ]  # fmt: skip
    names = tuple(replace(each, name=each.name[:16]) for each in match.players)
    return replace(match, players=(names[0], names[1]), games=tuple(games))


def lost(match: Match, back: Match) -> set[str]:
    found = differences(match, back) - {"players", "games", "rules"}
    for pair in zip(match.players, back.players, strict=True):
        found |= differences(*pair)
    found |= differences(match.rules, back.rules, "rules.")
    for one, other in zip(match.games, back.games, strict=True):
        found |= differences(one, other, "game.") - {"game.actions"}
    return found


@pytest.mark.parametrize("form", EVERY)
def test_a_format_loses_what_is_listed_and_writes_the_same_again(form: str) -> None:
    gone: set[str] = set()
    for seed in range(60):
        match = random_match(seed, interruptions=False)
        match = rear_first_throughout(replace(match, ended=DAY, round="2", annotator="ada"))
        try:
            data = written(match, form)
        except CannotCarry:
            continue
        (back,) = readers.read_match_file(f"x.{form}", data).matches
        gone |= lost(match, back)
        assert written(back, form) == data
    assert gone == LOST[form]
