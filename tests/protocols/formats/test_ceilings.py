"""No file becomes more in memory than the ceilings of `reading.MOST`, however small on disk."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sixprime.bot.archive.collection import importing
from sixprime.bot.archive.collection.importing import read_file
from sixprime.engine.system.errors import MOST_SHOWN, ConfigError, InputError, shortened
from sixprime.protocols import readers
from sixprime.protocols.formats import mat, oldmoves, reading
from sixprime.protocols.formats.reading import MOST, Reading, Remarks, TooLarge, count, counted_file
from sixprime.protocols.formats.record import BadMatchFile, CannotCarry, Match
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats import xgfiles
from tests.support.formats.bgf import START, Writer, bgf
from tests.support.formats.played import random_match
from tests.support.formats.thoughts import thoughts


def bomb(doubles: int, *, smile: bool = False) -> bytes:
    """A small file of BGBlitz that would become a game of very many actions."""
    game = {
        "initial": {"points": START, "cube": 1},
        "scoreGreen": 0,
        "scoreRed": 0,
        "wonPoints": 1,
        "moves": [{"player": seat, "red": 5, "green": 7} for seat in (-1, 1)] * doubles,
    }
    names = {"nameGreen": "a", "nameRed": "b", "finalGreen": 0, "finalRed": 0}
    tree = {"matchlen": 0, **names, "games": [game]}
    head = json.dumps({"format": "BGF", "compress": True, "useSmile": smile}).replace('":', '" :')
    body = Writer().file(tree) if smile else json.dumps(tree).encode()
    return head.encode() + b"\n" + gzip.compress(body, 9)


@pytest.mark.parametrize("smile", [False, True])
def test_a_few_kilobytes_become_no_gigabyte(smile: bool) -> None:
    data = bomb(60_000, smile=smile)
    assert len(data) < 40_000
    file = read_file(Path("a.bgf"), "", data, strict=False)
    assert file.broken is not None and not file.rows
    assert "more than" in file.broken.reason and "split it" in file.broken.reason


def test_a_text_is_bounded_by_its_lines_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST, "lines", 100)
    text = b" 5 point match\n\n Game 1\n a : 0    b : 0\n" + b"\n" * 100
    with pytest.raises(TooLarge, match="more than 100 lines in one file: split it"):
        readers.read_match_file("a.mat", text)
    monkeypatch.setitem(MOST, "bytes", 100)
    with pytest.raises(TooLarge, match="more than 100 bytes in one file"):
        readers.read_match_file("a.mat", text)


def test_a_file_on_disk_is_not_even_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def read_whole(path: Path, largest: int) -> bytes:
        asked.append(largest)
        raise OSError(27, "File too large")

    monkeypatch.setattr(importing, "read_whole", read_whole)
    (tmp_path / "a.mat").touch()
    [(_, data, fault)] = importing._contents([tmp_path / "a.mat"])
    assert (asked, data, fault) == ([MOST["bytes"]], b"", "File too large")


def test_the_record_that_the_archive_stores_has_a_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MOST, "bytes of record", 1_000)
    data = mat.write_mat(random_match(3, interruptions=False)).encode()
    broken = read_file(Path("a.mat"), "", data, strict=False).broken
    assert broken is not None and "more than 1,000 bytes of record" in broken.reason


def written(match: Match) -> dict[str, bytes]:
    """The match in every format that we write."""
    files: dict[str, Callable[[], bytes]] = {
        "a.bgf": lambda: bgf(match),
        "a.mat": lambda: mat.write_mat(match).encode(),
    }
    files["a.sgf"] = lambda: sgf.write_sgf(match).encode()
    files["a.txt"] = lambda: oldmoves.write_oldmoves(match).encode()
    content = xgfiles.head_record(match) + b"".join(xgfiles.game_records(match, thoughts(match)))
    files["a.xg"] = lambda: xgfiles.file_of([content], b"{\\rtf1 a\\par}\r\n")
    made = {}
    for name, write in files.items():
        try:
            made[name] = write()
        except (CannotCarry, KeyError):
            continue
    return made


def size_of(found: Reading) -> dict[str, int]:
    games = [game for match in found.matches for game in match.games]
    actions = [action for game in games for action in game.actions]
    analyses = [getattr(action, "analysis", None) for action in actions]
    return {
        "games": len(games),
        "actions": len(actions),
        "candidates": sum(len(each.candidates) for each in analyses if each is not None),
    }


@settings(max_examples=20, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.integers(0, 40), st.sampled_from(["games", "actions", "candidates"]), st.data())
def test_what_is_read_is_under_every_ceiling_or_refused(
    seed: int, what: str, data: st.DataObject
) -> None:
    match = random_match(seed, interruptions=False)
    games = [replace(game, actions=game.actions[:12]) for game in match.games[:2]]
    match = replace(match, games=(*games[:-1], replace(games[-1], result=None)))
    for name, content in written(match).items():
        with pytest.MonkeyPatch.context() as patch:
            whole = size_of(readers.read_match_file(name, content))
            most = data.draw(st.integers(0, max(1, whole[what])))
            patch.setitem(MOST, what, most)
            try:
                found = size_of(readers.read_match_file(name, content))
            except TooLarge as error:
                assert f"more than {most:,} {what}" in error.reason
            else:
                assert found[what] <= most and found == whole


def test_no_reader_can_drop_the_refusal() -> None:
    """Readers leave out damaged parts; a file that is too large is not damaged."""
    with pytest.raises(TooLarge), counted_file():
        for _ in range(3):
            with pytest.raises(BadMatchFile):
                count("games", MOST["games"] + 1)
    with pytest.raises(TooLarge), counted_file(), Remarks().instead("left out"):
        count("games", MOST["games"] + 1)
    count("games", MOST["games"] + 1)  # of no file


def test_two_files_are_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        with counted_file():
            count("actions", MOST["actions"])
    assert reading._counted.get() is None


# --- quoted texts


@given(st.text(max_size=3 * MOST_SHOWN), st.integers(1, 1_000))
def test_a_text_of_any_length_is_cut_in_its_middle(text: str, times: int) -> None:
    long = text * times
    short = shortened(long)
    assert short == long if len(long) <= MOST_SHOWN else len(short) <= MOST_SHOWN
    assert shortened(short) == short


def test_every_error_quotes_a_few_hundred_characters() -> None:
    huge = "x" * 7_000_000
    assert len(str(InputError(huge))) <= MOST_SHOWN
    assert len(BadMatchFile(7, huge).reason) <= MOST_SHOWN
    many = ConfigError([huge, "no such setting"], Path("a.yaml"))
    assert len(str(many)) <= MOST_SHOWN and many.faults[1] == "no such setting"
    assert len(many.faults[0]) <= MOST_SHOWN


def test_a_damaged_file_is_not_quoted_whole() -> None:
    game = {"initial": {"points": START, "cube": 1}, "scoreGreen": 0, "scoreRed": 0}
    tree = {
        "matchlen": 0,
        "nameGreen": "a",
        "nameRed": "b",
        "finalGreen": 0,
        "finalRed": 0,
        "games": [{**game, "moves": [{"player": "x" * 7_000_000}]}],
    }
    data = b'{"format" : "BGF", "compress": false, "useSmile": false}\n' + json.dumps(tree).encode()
    broken = read_file(Path("a.bgf"), "", data, strict=False).broken
    assert broken is not None and len(str(broken)) <= MOST_SHOWN + 20
