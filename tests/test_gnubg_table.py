"""Every command of docs/gnubg.md does what its row says: it shows that, or is at least parsed."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.engine.bearoff.files import TwoSided, write_database
from sixprime.engine.search.levels import PRESETS, Level
from sixprime.engine.search.plies import Rolling
from tests.support.places import CONFIG, INTEROP, ROOT

TABLE = (ROOT / "docs" / "gnubg.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^(?!capability |---)([^|\n]+) \| (.+)$", TABLE, re.MULTILINE)
COMMANDS = sorted({found[1] for _, here in ROWS if (found := re.match("`sixprime (.+)`$", here))})
# They serve until they are stopped, read what a program says, or take hours.
PARSED = {
    "web",
    "play",
    "sandbox",
    "external",
    "referee",
    "strength",
    "train",
    "ubgi",
    "decide",
    "bench",
}
# What the page leaves out because nobody would type it: it only makes a command quick.
QUICK = {
    "analyse": ["--level", "expert"],
    "compare": ["--level", "expert"],
    "hint": ["--level", "expert"],
    "position": ["--level", "expert"],
    "rollout": ["--trials", "36", "--truncate", "2"],
}
# The search alone decides on a machine too busy for a first round of trials in the level's time.
_ONE_ROUND = replace(PRESETS["roller"].checker, plies=1, rollout=Rolling(trials=36))
UNTIMED = Level("roller", _ONE_ROUND, _ONE_ROUND)
HINT, RACE, ROLL = "hint 4HPwATDgc/ABMA", "position 2+4HAADb7gIAAA", "rollout 4HPwATDgc/ABMA"
MINE, MATCH = "levels show mine --levels-file levels.yaml", "analyse match.sgf"
DOUBLE = r"no double +\+0\.\d+ .*\ndouble, take +-0\.\d+ "
# What an output, or a file that is written, has to show.
SHOWN = {
    f"{HINT} --dice 31 --most 3": r"(?s)^(?!.*\n4  ).*\n3  ",
    HINT: r"double, pass +\+1\.000 +\+0\.\d+\n.*\ncubeless equity \+0\.\d+\n"
    r"market window.* dead .* live .*\na double gains if .* wrongly passes .*\nNo double, take",
    f"{HINT} --jacoby --beavers": r"money, Jacoby, beavers\n(.*\n)+No double, beaver\n",
    f"{HINT} --dice 31 --plies 0..2": r"0-ply +1-ply +2-ply .*\n 1  8/5 6/5( +\+0\.2\d+){3} ",
    f"{HINT} --plies 0..2": r"\n0-ply .*\n1-ply .*\n2-ply .* No double, take\n",
    f"{HINT} --dice 66": r"1  24/18\(2\) 13/7\(2\) ",
    f"{HINT} --threads 2": r"No double, take",
    f"{HINT} --dice 21 --level roller": r"\d+ trials ±0\.0",
    f"{HINT} --dice 31 --level supremo": r"1  8/5 6/5 .* 2\n",
    f"{HINT}:cAngADAAKAAE --json": r'"no_double": -0\..*"mwc": \[0\.6',
    f"{HINT}:cAngADAAKAAE": r"equity +difference +MWC %\nno double +-0\.\d+ +68\.",
    "hint XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10": r"Position ID 4HPwATDgc/ABMA",
    "hint position.txt": r"Position ID 4HPwATDgc/ABMA",
    f"{HINT} --svg board.svg": r"<svg ",
    "position AABAAQAACgAAAA --variant hypergammon-2 --level expert": r"chances % +53\.55 +41\.84 ",
    RACE: r"(?s)race, X +45 +55\.625 +10\.625 .*\n6-6  6/off 5/off\(3\) ",
    f"{RACE} --json": r'"Kleinman".*0\.827',
    f"{RACE}:cAngADAAKAAE": r"(?s)cube of X, 1 to 2\n.*market window dead 34\.89 to 62\.87",
    f"{RACE}:cAngADAAKAAE --json": r"0\.8638.*0\.4628",
    f"{RACE} --map rolls.svg": r"<svg ",
    "position tt1jAABjd+YAAA": r"(?s)one checker, X .*race: wins 2.*by the net.*Thorp.*Keith.*Ward"
    r".*Trice.*8-9-12.*Kleinman.*Isight",
    "config init bot.yaml": r"account:",
    "config show fibs.yaml": r"host: fibs.com",
    "levels list": r"\nexpert +2000  0-ply",
    "levels show world-class": r"plies: 2\n +filter: normal",
    MINE: r"(?s)accept/extra/threshold after each ply: 2/3/0.1\n.*cube efficiency 0.7 .*rolls: 12",
    "levels show 1650": r"noise: 0.028",
    "levels show casual": r"noise: 0.05\n",
    "levels ratings": r"\n +1500 +0.0237 ",
    "met list": r"kazaross-xg2 \(default\)\nmec\nmec26\n",
    "met show woolsey --length 5": r"\n2 +30.00 +50.00 +60.00 +68.00 +75.00",
    "met show mec --length 5": r"\n1 +50\.00 +68\.50 +75\.5",
    "met show --length 9": r"\n9 +5.60 +9.80 +15.98 ",
    "met score 3-5 7": r"you win the match 33.13 %",
    "met score 5-3 7": r"you win the match 66.87 %",
    "archive alias": r"player +also called",
    f"{ROLL} --cubeless": r"\nno cube +\+0\.",
    f"{ROLL} --dice 31 --most 2": r"\n8/5 6/5 +\+0\.2.*\n24/23 13/10 .*\n$",
    ROLL: DOUBLE,
    f"{ROLL} --trials 36 --seed 5": DOUBLE,
    f"{ROLL} --plies 1 --filter tiny --cube-plies 0": DOUBLE,
    f"{ROLL} --level expert,casual": DOUBLE,
    f"{ROLL} --plies 1 --filter tiny --later-after 1 --later-plies 0": DOUBLE,
    f"{ROLL} --truncate 2 --truncate-plies 1": DOUBLE,
    "rollout 2+4HAADb7gIAAA --cubeless --no-one-sided": r"no cube +\+0\.77\d+ ",
    f"{ROLL} --no-reduction": r"double, take .* 36\n",
    f"{ROLL} --plain-dice": DOUBLE,
    f"{ROLL} --opening": r"opening roll +\+0\.0",
    f"{ROLL} --stop-at-error 0.05 --stop-after 144": DOUBLE,
    f"{ROLL} --dice 31 --most 2 --stop-at 2": r"\n8/5 6/5 ",
    f"{ROLL} --trials 3 --log games": r"EV\[double, take, trial 3\]",
    f"{ROLL} --resume rollout.npz": DOUBLE,
    f"{ROLL} --json": r'"error": 0\.0',
    f"{MATCH} --rollout --most 1 --trials 6": r"6 trials, ±",
    "analyse marked.sgf --rollout-marked --trials 6": r"(?s)Marked decisions \(1\).*6 trials, ±",
    MATCH: r"(?s)Checker play\n.*Luck\n.*Cube\n.*Overall\n.*Absolute FIBS rating.*Worst errors",
    f"{MATCH} --game 1 --from 1.8": r"(?s)^7 points: game 1, from game 1, turn 8 on "
    r".*Worst errors(?!.*(game 2,|turn [1-7]:)).*game 1,",
    f"{MATCH} --player anna": r"(?s)^7 points: anna +anna\n.*Worst errors(?!.*ben gives).*anna",
    f"{MATCH} --only plays": r"(?s)^7 points: plays (?!.*(Luck|Cube)).*Checker play",
    f"{MATCH} --only luck": r"Luck rating +None +Go to bed",
    f"{MATCH} --only plays,cube --most 0": r"(?s)Checker rating +Casual player.*Rating +\w",
    f"{MATCH} --met woolsey": r"(?s)^7 points  .*Absolute FIBS rating",
    f"{MATCH} --doubtful 0.02 --bad 0.05": r"Doubtful +1 +2\n",
    f"{MATCH} --lucky 0.4": r"Lucky rolls +\d",
    f"{MATCH} --luck-plies 1": r"Luck total EMG",
    f"{MATCH} --most 3": r"(?s)Wrong passes +0 +1 .*\n3\. game(?!.*\n4\. game)",
    f"{MATCH} --most 0": r"Error rate mEMG(.*\n)+.*Snowie error rate",
    f"{MATCH} --games": r"(?s)Game 2 at 4-0.*Luck-adjusted.*MWC against this opponent, by errors",
    "archive stats": r"ben +1 +0 +0 +1 ",
    "archive list": r"anna +ben +7  5-0",
    "archive list --length 5": r"^id .*\n$",
    "archive stats --plots charts": r"<svg ",
    "archive errors --most 2": r"(?s)\n1\. match 1, game 2.*\n2\. match 1(?!.*\n3\. )",
    "archive openings": r"5-2 +13/6 +1 ",
    "archive annotate 1 'well played' --event Cup": r"well played",
    "compare analysed.sgf --most 1": r"the same best in 11",
    "compare analysed.sgf --json": r'"theirs"|"file"',
    f"{MATCH} --html match.html": r"very bad",
    "convert match.mat match2.sgf": r"MI\[length:7\]",
    f"{MATCH} --sgf analysed2.sgf": r"A\[\d+\]\[",
    "convert match.mat match.fibs": r"Score is|anna",
    "convert match.sgf match2.mat": r"7 point match",
    "convert matches.fibs folder --to sgf": r"GM\[6\]",
    "archive import match.mat --database sqlite:///imported.db": r"1 match added",
    "archive import match.mat match.sgf --database sqlite:///imported.db": r"(1 match added, 1|2) "
    r"already archived",
    "transcribe live.txt --out live.sgf --database sqlite:///live.db": r";W\[31hc\]",
    "transcribe ties.txt --out ties.sgf": r"CV\[2\]",
    "convert illegal.mat illegal.sgf": r"\[54uptn\]",
    "archive export exported": r"7 point match",
    "convert analysed.sgf analysed.txt": r"(?s)Proper cube action: .*\(\d+\.\d%\)\n.*\n \*  1\.",
    "convert analysed.sgf match.html --style own.css": r"(?s)\.movethemove { color: teal }.*<svg "
    r'.*class="plays movetable"',
    "convert analysed.sgf analysed.tex": r"(?s)\\begin{picture}.*Proper cube action",
    "convert analysed.sgf game.pdf --game 1": r"^%PDF-",
    "convert analysed.sgf move.svg --move 2": r"<svg ",
    "convert match.sgf game.gam --game 1": r"^ \S+ +\S+\n  1\) ",
    "convert match.sgf move.pos --move 2": r"^~\x00",
    "convert match.sgf move.txt --to snowie --move 2": r"^\d+;0;0;0;[01];\w+;\w+;",
    "convert match.sgf swapped.sgf --swap": r"PW\[ben\]PB\[anna\]",
    "archive alias anna --me": r"anna",
    f"{HINT} --flip": r"\+-12-11-10-9--8--7-\+---\+-6-",
    "convert position.txt board.html --game 1 --move 1": r"<svg ",
    "quiz --list": r"gave away \d",
    "bearoff show 0,1,0,0,1 0,1,1": r"(?s)effective +12\.048 +10\.662.*exact: win 67\.11%",
    "bearoff one-sided --points 3 os.bd": r"gnubg-OS-03-15-1-1-0",
    "bearoff two-sided --points 3 --checkers 3 ts.bd": r"gnubg-TS-03-03-1",
    "bearoff entry ts.bd 100": r"entry 100, Position ID AAAACgAAAAAAAA\n(.*\n)*centred +-1\.0",
    "bearoff check ts.bd": r"two-sided \(points 3, checkers 3, .*400 entries; whole",
    "bearoff hyper --checkers 1 hyper1.bd": r"gnubg-H1",
    "run commands.txt": r"(?s)you win the match 33.13 %.*you win the match 66.87 %",
}
LEVELS = """
levels:
  mine:
    checker: {plies: 1, noise: 0.02, rolls: 12, passes: [{accept: 2, extra: 3, threshold: 0.1}]}
    cube: {plies: 0, efficiency: {contact: 0.7}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the table's commands read."""
    place = tmp_path_factory.mktemp("table")
    for name in ("mat", "sgf"):
        shutil.copy(INTEROP / f"oldmoves-2games.{name}", place / f"match.{name}")
    shutil.copy(INTEROP / "oldmoves-2games.fibs", place / "matches.fibs")
    shutil.copy(INTEROP / "money-analysed.sgf", place / "analysed.sgf")
    marked = (INTEROP / "money-analysed.sgf").read_text().replace("MR[]", "MR[1 2]", 1)
    (place / "marked.sgf").write_text(marked)
    illegal = (place / "match.mat").read_text().replace("21/16 20/16", "21/16 20/14")
    (place / "illegal.mat").write_text(illegal)
    (place / "ties.txt").write_text("money automatic\nplayers Anna, Ben\n33\n31: 8/5 6/5\nend\n")
    (place / "live.txt").write_text("match 3\nplayers Anna, Ben\n31: 8/3 !\nend\n")
    (place / "commands.txt").write_text("met score 3-5 7\n# and\nmet score 5-3 '7'\n")
    shutil.copy(CONFIG / "fibs.yaml", place)
    (place / "position.txt").write_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\n")
    (place / "levels.yaml").write_text(LEVELS)
    write_database(TwoSided(3, 3), place / "ts.bd")
    (place / "own.css").write_text(".movethemove { color: teal }\n")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(place)
        assert main(["archive", "import", "match.mat"]) == 0
        assert main(["archive", "analyse", "--level", "beginner"]) == 0
    return place


def test_every_row_has_a_command_a_page_or_a_reason() -> None:
    assert len(ROWS) >= 110
    for what, here in ROWS:
        page = re.match(r"\[.+\]\((.+)\)$", here)
        assert re.match(r"`sixprime [^`]+`$|No: .{10}", here) or page, what
        assert page is None or (ROOT / "docs" / page[1]).exists()


def test_every_command_that_runs_has_something_to_show() -> None:
    assert {each for each in COMMANDS if not is_parsed(each)} == SHOWN.keys()


def is_parsed(command: str) -> bool:
    words = command.split()
    return words[0] in PARSED or "--scheduler" in words


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_of_a_row_shows_what_the_row_says(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    words = shlex.split(command)
    if is_parsed(command):
        assert parse(words, SIXPRIME)[1].words[0] == words[0]
        return
    monkeypatch.setitem(PRESETS, "roller", UNTIMED)
    words[1:1] = QUICK.get(words[0], [])  # what the row says comes later, and counts
    before = max(each.stat().st_mtime_ns for each in folder.rglob("*"))
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            main(words)
    else:
        assert main(words) == 0, capsys.readouterr().err
    texts = [each.read_bytes().decode(errors="replace") for each in written(folder, before)]
    shown = [capsys.readouterr().out, *texts]
    assert any(re.search(SHOWN[command], text) for text in shown), shown[0]


def written(folder: Path, before: int) -> list[Path]:
    """The files that are newer."""
    found = [each for each in folder.rglob("*") if each.is_file()]
    return [each for each in found if each.stat().st_mtime_ns > before]
