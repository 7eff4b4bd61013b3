"""Files of old servers and programs: gnubg and we see the same matches in them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.engine.position import MatchState, Position
from sixprime.protocols import readers
from sixprime.protocols.formats import positionfile
from sixprime.protocols.formats.foreign import jellyfish
from sixprime.protocols.formats.record import (
    Ending,
    Match,
    Player,
    Turn,
)
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import oracle, samples, writers
from tests.support.formats.foreign import SEEDS, plain
from tests.support.formats.played import carried, random_match
from tests.support.gnubg.matches import gnubg_misreads, multiple

pytestmark = pytest.mark.gnubg
WRITERS = {
    "sgg": writers.sgg,
    "tmg": writers.tmg,
    "gam": writers.gam,
    "party": writers.party,
    "bgroom": writers.bgroom,
}
MONEY_ONLY = {"gam", "bgroom"}
SAMPLES = {
    "sgg": samples.SGG,
    "tmg": samples.TMG,
    "gam": samples.GAM,
    "party": samples.PARTY,
    "bgroom": samples.BGROOM,
}


def ours(kind: str, text: str) -> list[str]:
    reader = next(each for each in readers.READERS if each.name == kind)
    data = text.encode()
    assert readers.reader_of("some.file", data) is reader
    return oracle.body(readers.read_match_file("some.file", data).matches[0])


def comparable(kind: str, lines: list[str]) -> list[str]:
    """The lines without what gnubg makes up.

    It begins every game of BGRoom at 0-0, and gives those to the second player that nobody won.
    """
    if kind != "bgroom":
        return lines
    kept = (line.split("Wins")[0].rstrip() for line in lines if " : " not in line)
    return [line for line in kept if line]


def tellable(kind: str, match: Match) -> bool:
    """Has the format words for it, and gnubg no mistake of its own?"""
    if match.length and kind in MONEY_ONLY:
        return False
    return kind != "party" or match.games[-1].result is not None  # gnubg: wins 0 points


def test_gnubg_sees_what_we_see_in_played_matches(tmp_path: Path) -> None:
    drawn = (plain(random_match(seed, interruptions=False)) for seed in SEEDS)
    matches = [match for match in drawn if match is not None and not gnubg_misreads(match)]
    wins = {
        (bool(match.length), each.result.ending, multiple(each))
        for match in matches
        for each in match.games
        if each.result is not None and each.result.ending is not Ending.DROPPED
    }
    assert len(wins) == 2 * 2 * 3, "matches and money, borne off and resigned, up to backgammons"
    files = {
        f"{kind}{number}": (kind, write(match), match.rules.jacoby)
        for kind, write in WRITERS.items()
        for number, match in enumerate(matches)
        if tellable(kind, match)
    }
    theirs = oracle.seen(files, tmp_path)
    for name, (kind, text, _) in files.items():
        assert comparable(kind, ours(kind, text)) == comparable(kind, theirs[name]), name


@pytest.mark.parametrize("kind", SAMPLES)
def test_gnubg_sees_what_we_see_in_files_written_by_hand(kind: str, tmp_path: Path) -> None:
    files = {
        f"{number}.{kind}": (kind, text, name in ("money", "jellyfish"))
        for number, (name, text) in enumerate(SAMPLES[kind].items())
        if name != "automatic"  # no .mat can show it: see the next test
    }
    assert len(SAMPLES[kind]) >= 3
    theirs = oracle.seen(files, tmp_path)
    for name, (_, text, _) in files.items():
        assert theirs[name]
        assert comparable(kind, ours(kind, text)) == comparable(kind, theirs[name]), name


def test_gnubg_sees_the_same_automatic_double_beaver_and_variant(tmp_path: Path) -> None:
    (tmp_path / "a.sgg").write_text(samples.SGG["automatic"])
    oracle.gnubg("import sgg a.sgg\nsave match a.sgf\n", tmp_path)
    (theirs,) = sgf.read_sgf((tmp_path / "a.sgf").read_text()).strictly()
    theirs = replace(theirs, games=tuple(replace(each, statistics=None) for each in theirs.games))
    (mine,) = readers.read_match_file("a.sgg", (tmp_path / "a.sgg").read_bytes()).matches
    assert mine.games[0].cube == 2
    assert (mine.players, mine.rules) == (theirs.players, theirs.rules)
    assert carried(mine) == carried(theirs)


def seen_position(commands: str, folder: Path) -> Match:
    """The position that gnubg has after these commands."""
    oracle.gnubg(f"{commands}\nexport position snowietxt seen.txt\n", folder)
    (match,) = positionfile.read_positions((folder / "seen.txt").read_text())
    return match


def a_position(seed: int) -> tuple[Position, MatchState]:
    """Some position of some game, before a roll or behind one."""
    draw = random.Random(seed)
    match = replace(random_match(seed), players=(Player("anna"), Player("ben")))
    game = draw.choice(match.games)
    seen = [
        (moment.position, moment.state)
        for moment in moments(match, game)
        if isinstance(moment.action, Turn) and not moment.state.doubled
    ] or [(Position.start(), MatchState())]
    position, state = draw.choice(seen)
    return position, state.with_(dice=draw.choice((None, (3, 1), (6, 6))), beavers=0, resigned=0)


@pytest.mark.parametrize("seed", range(12))
def test_gnubg_sees_what_we_see_in_positions_of_jellyfish(seed: int, tmp_path: Path) -> None:
    position, state = a_position(seed)
    data = writers.pos(position, state, ("anna", "ben"), version=124 + seed % 3)
    (tmp_path / "a.pos").write_bytes(data)
    reader = readers.reader_of("a.pos", data)
    assert reader is jellyfish.READER
    (mine,) = readers.read_match_file("a.pos", data).matches
    theirs = seen_position("import pos a.pos", tmp_path)
    assert mine.games == theirs.games
    assert (mine.players, mine.length) == (theirs.players, theirs.length)
    assert mine.games == positionfile.match_of(position, state).games
    oracle.gnubg("import pos a.pos\nexport position pos b.pos\n", tmp_path)
    (again,) = readers.read_match_file("b.pos", (tmp_path / "b.pos").read_bytes()).matches
    assert again.games == mine.games, "a file that gnubg wrote"


@pytest.mark.parametrize("name", samples.SNOWIE)
def test_gnubg_sees_what_we_see_in_positions_of_snowie(name: str, tmp_path: Path) -> None:
    data = samples.SNOWIE[name].encode()
    (tmp_path / "a.txt").write_bytes(data)
    (mine,) = readers.read_match_file("a.txt", data).matches
    oracle.gnubg("import snowietxt a.txt\nexport position pos a.pos\n", tmp_path)
    (theirs,) = readers.read_match_file("a.pos", (tmp_path / "a.pos").read_bytes()).matches
    assert mine.games == theirs.games
    assert (mine.players, mine.length) == (theirs.players, theirs.length)
