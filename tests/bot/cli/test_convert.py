"""`sixprime convert`, and match files on disk."""

from __future__ import annotations

import io
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.archive import matchfiles
from sixprime.bot.archive.matchfiles import (
    FORMATS,
    read_matches,
    stem_of,
    write_match,
)
from sixprime.bot.cli.main import main
from sixprime.engine.system.wholefiles import safe_part, write_whole
from sixprime.protocols import readers
from sixprime.protocols.formats import mat, oldmoves
from sixprime.protocols.formats.record import Game, Match, Player
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.formats.played import random_match
from tests.support.places import INTEROP

SAMPLE = INTEROP / "oldmoves-2games.fibs"


@pytest.mark.parametrize("source", [".fibs", ".sgf", ".mat"])
@pytest.mark.parametrize("target", [".fibs", ".sgf", ".mat", ".oldmoves"])
def test_suffixes_say_what_files_are(source: str, target: str, tmp_path: Path) -> None:
    out = tmp_path / f"out{target}"
    assert main(["convert", str(SAMPLE.with_suffix(source)), str(out)]) == 0
    assert [match.games[0].actions for match in read_matches(out)] == [
        match.games[0].actions for match in read_matches(SAMPLE)
    ]
    assert os.listdir(tmp_path) == [out.name]  # noqa: PTH208


def test_a_match_with_automatic_doubles_is_written_in_the_format_that_carries_them(
    tmp_path: Path,
) -> None:
    match = Match((Player("anna"), Player("ben")), 0, (Game(cube=2),))
    written = write_match(match, tmp_path, "match", FORMATS)
    assert [path.suffix for path in written.files] == [".sgf"]
    assert set(written.left_out) == {"mat", "oldmoves"}


def test_content_says_what_a_file_without_a_suffix_is(tmp_path: Path) -> None:
    for source in (".fibs", ".sgf", ".mat"):
        plain = tmp_path / "match"
        plain.write_bytes(SAMPLE.with_suffix(source).read_bytes())
        out = tmp_path / "out"
        assert main(["convert", str(plain), str(out), "--to", "mat"]) == 0
        assert mat.read_mat(out.read_text()).strictly()[0].score == (5, 0)


def test_a_position_may_be_given_instead_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "board.sgf"
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
    assert main(["convert", text, str(out)]) == 0
    assert sgf.read_sgf(out.read_text()).matches[0].score == (1, 2)
    assert main(["convert", f"{text} " * 10, str(out)]) == 0  # too long for the name of a file
    assert main(["convert", text[:40], str(out)]) == 2
    assert "fields between colons" in capsys.readouterr().err
    assert main(["convert", "XGID.mat", str(out)]) == 2
    assert "No such file" in capsys.readouterr().err


def test_standard_input_and_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = io.TextIOWrapper(io.BytesIO(SAMPLE.read_bytes()))
    monkeypatch.setattr(sys, "stdin", data)
    assert main(["convert", "-", "-", "--from", "oldmoves", "--to", "mat"]) == 0
    assert capfdbinary.readouterr().out == SAMPLE.with_suffix(".mat").read_bytes()


def test_many_matches_go_into_one_file_or_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matches = [random_match(1), random_match(2), random_match(3)]
    source = tmp_path / "evening.mat"
    source.write_text("\n".join(mat.write_mat(match) for match in matches))
    one = tmp_path / "all.sgf"
    assert main(["convert", str(source), str(one)]) == 0
    assert "3 matches in one file" in capsys.readouterr().err
    assert len(sgf.read_sgf(one.read_text()).strictly()) == 3
    folder = tmp_path / "folder"
    folder.mkdir()
    assert main(["convert", str(source), str(folder), "--to", "oldmoves"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "evening-1.fibs",
        "evening-2.fibs",
        "evening-3.fibs",
    ]
    second = tmp_path / "second.mat"
    assert main(["convert", str(source), str(second), "--match", "2"]) == 0
    assert second.read_text() == mat.write_mat(
        mat.read_mat(mat.write_mat(matches[1])).strictly()[0]
    )


def test_a_match_that_cannot_be_carried_does_not_keep_the_others_from_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doubled = Match((Player("anna"), Player("ben")), 0, (Game(cube=2),))
    source = tmp_path / "many.sgf"
    source.write_text("".join(map(sgf.write_sgf, (random_match(1), doubled, random_match(2)))))
    folder = tmp_path / "folder"
    folder.mkdir()
    complaint = f"{source}: match 2: game 1: .mat cannot carry automatic doubles"
    assert main(["convert", str(source), str(folder), "--to", "mat"]) == 1
    assert complaint in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["many-1.mat", "many-3.mat"]
    assert main(["convert", str(source), str(tmp_path / "all.mat")]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "all.mat").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("missing.mat out.sgf", "missing.mat: No such file or directory"),
        (
            "bad.mat out.sgf --strict",
            "bad.mat: line 6: illegal: 8/bar 6/5 cannot be played with 3 and 1"
            " (read as a .mat file)",
        ),
        ("odd.bin out.sgf", "odd.bin: neither its name nor its content is that of a match file"),
        ("odd.bin out.sgf --from sgf", "odd.bin: line 2: expected `(` (read as SGF)"),
        (
            "good.sgf out",
            "out: which format? use --to oldmoves, sgf, mat, text, html, pdf, png, svg, latex, "
            "gam, pos, snowie",
        ),
        ("good.sgf no/folder/out.mat", "no/folder/out.mat: No such file or directory"),
        ("good.sgf out.mat --match 2", "good.sgf: no match 2, there are 1"),
        ("set.sgf out.fibs", "set.sgf: game 1: oldmoves cannot carry a board set by hand"),
    ],
)
def test_what_goes_wrong_is_one_clear_line(
    words: str,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "\n 7 point match\n\n Game 1\n anna : 0                       ben : 0\n"
    Path("bad.mat").write_text(head + "  1) 31: 8/25 6/5\n")
    Path("odd.bin").write_bytes(bytes(range(256)))
    Path("good.sgf").write_bytes(SAMPLE.with_suffix(".sgf").read_bytes())
    Path("set.sgf").write_text("(;GM[6]PW[a]PB[b]MI[length:7];AE[a:y]AW[f]AB[s];W[31feeb])")
    assert main(["convert", *words.split()]) == 2
    assert capsys.readouterr().err == f"sixprime convert: {line}\n"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(("out", "."))]


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    assert "sixprime convert match.sgf match.mat" in capsys.readouterr().out


@given(st.text(max_size=80))
def test_any_player_name_makes_a_safe_file_name(name: str) -> None:
    part = safe_part(name)
    assert 0 < len(part) <= 60
    assert part.isascii()
    assert not set(part) & set('/\\. :*?"<>|\x00\n')


@given(st.text(max_size=60), st.text(max_size=60))
def test_two_players_never_share_a_file_name(one: str, two: str) -> None:
    assert (safe_part(one) == safe_part(two)) == (one == two)


def test_names_stay_inside_the_folder() -> None:
    stem = stem_of("{date}_{player}_{opponent}", date="2026-11-21", player="me", opponent="../x")
    assert stem == "2026-11-21_me_~2e~~2e~~2f~x"


def test_an_unfinished_match_is_marked_until_it_is_over(tmp_path: Path) -> None:
    seeds = range(100)
    unfinished = next(m for m in map(random_match, seeds) if m.length and not m.finished)
    finished = next(m for m in map(random_match, seeds) if m.length and m.finished)
    first = write_match(unfinished, tmp_path, "match", matchfiles.FORMATS)
    assert {path.name for path in first.files} == {
        "match.unfinished.fibs",
        "match.unfinished.sgf",
        "match.unfinished.mat",
    }
    second = write_match(finished, tmp_path, "match", matchfiles.FORMATS)
    assert {path.name for path in second.files} == {"match.fibs", "match.sgf", "match.mat"}
    assert set(tmp_path.iterdir()) == set(second.files)


def test_a_format_that_cannot_carry_the_match_is_left_out(tmp_path: Path) -> None:
    (match,) = sgf.read_sgf(
        "(;GM[6]PW[a]PB[b]MI[length:7];PL[W]AE[a:y]AW[f]AB[s];W[31feeb])"
    ).strictly()
    written = write_match(match, tmp_path / "new" / "folder", "match", ("oldmoves", "sgf", "mat"))
    assert [path.suffix for path in written.files] == [".sgf", ".mat"]
    assert "game 1" in written.left_out["oldmoves"]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "match.mat"
    write_whole(path, "old")

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    real, link, pipe = (tmp_path / name for name in ("real.mat", "link.mat", "pipe"))
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as reader:
        heard = reader.submit(pipe.read_text)
        write_whole(pipe, "told")
        assert heard.result(10) == "told"
    assert pipe.is_fifo()


def test_read_and_write_are_those_of_the_formats() -> None:
    match = random_match(9)
    writers = {
        "oldmoves": oldmoves.write_oldmoves, "sgf": sgf.write_sgf, "mat": mat.write_mat,
    }  # fmt: skip
    for name, write in writers.items():
        each = matchfiles.FORMATS[name]
        assert each.write(match) == write(match)
        reader = readers.reader_of("-", each.write(match).encode())
        assert reader is not None and reader.name == name


@pytest.mark.parametrize("suffix", [".fibs", ".sgf", ".mat"])
def test_swapped_seats_are_swapped_back(suffix: str, tmp_path: Path) -> None:
    plain, once, twice = (tmp_path / f"{name}{suffix}" for name in ("plain", "once", "twice"))
    assert main(["convert", str(SAMPLE), str(plain)]) == 0
    assert main(["convert", str(plain), str(once), "--swap"]) == 0
    assert main(["convert", str(once), str(twice), "--swap"]) == 0
    names = [player.name for player in read_matches(plain)[0].players]
    assert [player.name for player in read_matches(once)[0].players] == names[::-1]
    assert twice.read_bytes() == plain.read_bytes()
