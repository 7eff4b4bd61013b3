"""What the readers of old formats keep, mark and refuse, where gnubg cannot judge."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from sixprime.engine.position import MatchState, Position, Variant
from sixprime.protocols import readers
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.reading import Reading
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Break,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Interruption,
    Player,
    Resignation,
    ResignStep,
    Turn,
)
from tests.support.formats import samples, writers
from tests.support.formats.foreign import SEEDS, plain
from tests.support.formats.played import carried, random_match

TEXTS = {
    "sgg": samples.SGG,
    "tmg": samples.TMG,
    "gam": samples.GAM,
    "party": samples.PARTY,
    "bgroom": samples.BGROOM,
    "bkg": samples.BKG,
    "javafibs": samples.JAVAFIBS,
    "bgammon": samples.BGAMMON,
    "positions": samples.SNOWIE,
}
JELLYFISH = [
    writers.pos(Position.start(), MatchState(), ("anna", "ben"), version) for version in (124, 126)
]


def read(text: str) -> Reading:
    return readers.read_match_file("some.file", text.encode())


@pytest.mark.parametrize("kind", TEXTS)
def test_a_file_is_known_by_its_content(kind: str) -> None:
    for text in TEXTS[kind].values():
        for spelled in (text, text.replace("\n", "\r\n"), f"\ufeff{text}"):
            reader = readers.reader_of("some.file", spelled.encode())
            assert reader is not None
            assert reader.name == kind


@pytest.mark.parametrize("kind", TEXTS)
def test_line_ends_make_no_difference(kind: str) -> None:
    for text in TEXTS[kind].values():
        assert read(text.replace("\n", "\r\n") + "\x1a") == read(text)  # as in DOS


@pytest.mark.parametrize("kind", ["sgg", "tmg", "gam", "party", "bgroom", "javafibs"])
def test_files_put_together_are_as_many_matches(kind: str) -> None:
    one, *_, other = [*TEXTS[kind].values()] * 2
    other = other.replace("anna", "carl").replace("ben", "dora")
    both = read(one + other)
    alone = read(one), read(other)
    assert both.matches == tuple(match for each in alone for match in each.matches)
    counted = one.count("\n")
    lines = [each.line for each in alone[0].remarks]
    lines += [each.line + counted for each in alone[1].remarks]
    assert [each.line for each in both.remarks] == lines
    broken = read(one + other.replace("Game 1", "Game x").replace("GAME_1", "GAME_x"))
    assert broken.matches[: len(alone[0].matches)] == alone[0].matches


def test_gamesgrid_keeps_date_ratings_and_chat() -> None:
    reading = read(samples.SGG["money"])
    (match,) = reading.matches
    assert reading.remarks == ()
    assert match.players == (
        Player("ben", rating_before=1612.5, experience_before=88),
        Player("anna_b", rating_before=1702.25, experience_before=345),
    )
    assert match.date == dt.date(2026, 11, 17)
    assert match.rules.jacoby
    assert match.games[0].actions[1].comment == "ben: good luck\n"
    assert [game.result for game in match.games] == [
        GameResult(1, 1, Ending.DROPPED),
        GameResult(1, 4, Ending.RESIGNED),
    ]


def test_gamesgrid_marks_the_crawford_game() -> None:
    (match,) = read(samples.SGG["match"]).matches
    assert [game.crawford for game in match.games] == [False, True, False]
    assert match.games[-1].result is None


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (samples.BGAMMON, "bgammon.org"),
        (samples.BGROOM, "BackGammonRoom"),
        (samples.PARTY, "PartyGammon"),
        (samples.SGG, "GamesGrid"),
        (samples.TMG, "TrueMoneyGames"),
        (samples.BKG, ""),  # a program, not a site
    ],
)
def test_the_format_of_one_site_tells_where_the_match_was_played(
    texts: dict[str, str], place: str
) -> None:
    assert {match.place for text in texts.values() for match in read(text).matches} == {place}


def test_truemoneygames_keeps_date_number_and_variant() -> None:
    (match,) = read(samples.TMG["money"]).matches
    assert (match.date, match.comment) == (dt.date(2026, 11, 17), "TMG MatchID: 1883")
    (other,) = read(samples.TMG["unfinished"]).matches
    assert other.rules.variant is Variant.NACKGAMMON
    assert other.games[0].actions[-1] == Turn(0, (5, 3))


def test_javafibs_names_the_user_in_the_scores() -> None:
    (match,) = read(samples.JAVAFIBS["match"]).strictly()
    assert [player.name for player in match.players] == ["anna", "ben"]
    assert [(game.score, game.crawford, game.result) for game in match.games] == [
        ((0, 0), False, GameResult(0, 2, Ending.RESIGNED)),
        ((2, 0), True, GameResult(1, 1, Ending.RESIGNED)),
        ((2, 1), False, GameResult(1, 1, Ending.DROPPED)),
    ]


def test_bgammon_counts_what_a_resignation_or_a_pass_loses_on_the_board() -> None:
    (match,) = read(samples.BGAMMON["match"]).strictly()
    assert [player.name for player in match.players] == ["anna", "ben"]
    assert [(game.score, game.result) for game in match.games] == [
        ((0, 0), GameResult(0, 3, Ending.RESIGNED)),
        ((3, 0), GameResult(1, 6, Ending.RESIGNED)),
        ((3, 6), GameResult(0, 3, Ending.RESIGNED)),
    ]
    assert match.games[1].actions[-1] == Resignation(1, ResignStep.ACCEPTED, 3)
    assert match.started == dt.datetime(2023, 12, 16, 14, 57, 50, tzinfo=dt.UTC)


def test_bgammon_tells_a_match_that_was_left_from_a_resignation() -> None:
    (match,) = read(samples.BGAMMON["real"]).strictly()
    assert [(game.score, game.result) for game in match.games] == [
        ((0, 0), GameResult(1, 3, Ending.RESIGNED)),
        ((0, 3), GameResult(0, 2, Ending.DROPPED)),
        ((2, 3), None),
    ]
    assert match.games[2].actions[-1] == Interruption(1, Break.LEFT)


def test_bkg_counts_whites_points_from_the_other_side() -> None:
    reading = read(samples.BKG["drop"])
    assert reading.remarks == ()
    (match,) = reading.matches
    first = read(samples.PARTY["money"]).matches[0].games[0]
    assert match.games[0].actions == first.actions
    assert match.games[0].result == GameResult(0, 4, Ending.RESIGNED)
    (other,) = read(samples.BKG["refused"]).matches
    assert [game.result for game in other.games] == [
        GameResult(1, 1, Ending.DROPPED),
        GameResult(1, 3, Ending.RESIGNED),
    ]


def test_bkg_gives_back_what_was_written() -> None:
    money = [match for seed in SEEDS if (match := plain(random_match(seed))) and not match.length]
    assert len(money) > 5
    for match in money:
        jacoby = replace(match, rules=replace(match.rules, jacoby=False))
        (found,) = read(writers.bkg(jacoby)).matches
        ours, theirs = (carried(each) for each in (found, *read(mat.write_mat(jacoby)).matches))
        assert _plain_actions(ours) == _plain_actions(theirs)


def _plain_actions(carried_match: tuple[object, ...]) -> list[object]:
    games = carried_match[1]
    assert isinstance(games, tuple)
    return [game.actions for game in games if isinstance(game, Game)]


BROKEN = [
    ("sgg", "13/11, 13/8", "13/12, 13/8", "13/12"),
    ("tmg", "-2 4 24/18 13/11", "-2 4 24/18 13/10", "13/10"),
    ("gam", "51: 13/8 11/10", "51: 13/8 13/10", "13/10"),
    ("bkg", "White (5,1)  12-17, 14-15", "White (5,1)  12-17, 14-16", "11/9"),
    ("javafibs", "1:ben:24-22 13-8", "1:ben:24-22 13-9", "13/9"),
    ("bgammon", "2 r 5-2 1/3 12/17", "2 r 5-2 1/3 12/18", "13/7"),
    ("bgroom", "4.0:(5 1)13/8 11/10", "4.0:(5 1)13/8 11/9", "11/9"),
]


@pytest.mark.parametrize(("kind", "right", "wrong", "named"), BROKEN)
def test_an_impossible_play_is_marked_where_it_stands_and_other_games_stay(
    kind: str, right: str, wrong: str, named: str
) -> None:
    text = next(each for each in TEXTS[kind].values() if right in each)
    line = 1 + text[: text.index(right)].count("\n")
    reading = read(text.replace(right, wrong, 1))
    assert [remark.line for remark in reading.remarks][:1] == [line]
    assert named in reading.remarks[0].text
    games, before = reading.matches[0].games, read(text).matches[0].games
    assert [len(game.actions) for game in games] == [len(game.actions) for game in before]
    assert [game.result for game in games] == [game.result for game in before]
    marked = (each for game in games for each in game.actions if isinstance(each, Turn))
    assert next(each.illegal for each in marked if each.illegal).startswith(f"line {line}: ")
    with pytest.raises(BadMatchFile, match=f"line {line}"):
        reading.strictly()


def test_a_roll_without_its_play_is_marked_and_the_next_player_goes_on() -> None:
    text = samples.SGG["money"].replace("2\t42: \n2\t42: 8/4, 6/4\n", "2\t42: \n", 1)
    text = text.replace("2\t42: \n2\t42: \n", "2\t42: \n", 1)
    line = 1 + text[: text.index("2\t42: \n")].count("\n")
    reading = read(text)
    (lost, next_) = reading.matches[0].games[0].actions[2:4]
    assert isinstance(lost, Turn)
    assert isinstance(next_, Turn)
    assert (lost.dice, lost.play, next_.dice) == ((4, 2), (), (5, 1))
    assert lost.illegal == f"line {line}: no play is given"


def test_a_game_that_went_wrong_keeps_its_result() -> None:
    text = samples.SGG["match"].replace("24/18(2), 13/7(2)", "24/17(2), 13/7(2)")
    (match,) = read(text).matches
    assert match.games[0].result == GameResult(0, 2, Ending.RESIGNED)
    assert match.games[1].score == (2, 0)


def test_bgroom_says_that_nobody_won() -> None:
    reading = read(samples.BGROOM["resigned"])
    assert [(remark.line, remark.text) for remark in reading.remarks] == [
        (7, "the game ends here, and the file does not say who won it")
    ]
    (swapped,) = read(samples.BGROOM["swapped"]).matches
    assert [player.name for player in swapped.players] == ["ben", "anna"]
    assert Cube(0, CubeStep.TAKE) in swapped.games[0].actions


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"anna vs. ben\nGame 1.5-0/3\n1\t31:\n", "over at this score"),
        (b"BOARDID=1\nCREATOR=x\nMATCHLENGTH=-2\nGAME_1_GAMEPLAY=1 Double", "not a match length"),
        (b"BOARDID=1\nCREATOR=x\nMATCHLENGTH=1\n", "no game"),
        (b"BGF version 1.2\n", "no line `Game 1"),
        (JELLYFISH[0][:-8] + b"\x28\0\x28\0" + JELLYFISH[0][-4:], "checkers"),
        (JELLYFISH[0][:40], "ends too early"),
        (JELLYFISH[0][:-4] + b"\x7f\0\0\0", "on the other's bar"),
    ],
)
def test_a_file_without_a_game_is_refused_in_one_line(data: bytes, why: str) -> None:
    with pytest.raises(BadMatchFile, match=why):
        readers.read_match_file("some.file", data)
