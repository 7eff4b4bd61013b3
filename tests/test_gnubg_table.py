"""Every command of docs/gnubg.md does what its row says it does: it runs, or is at least parsed."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from sixprime.bot.cli.main import build_parser, main
from tests.places import CONFIG, INTEROP, ROOT

TABLE = (ROOT / "docs" / "gnubg.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!capability|---)(.+?) \| (.+?) \|$", TABLE, re.MULTILINE)
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
    shutil.copy(CONFIG / "fibs.yaml", place)
    (place / "position.txt").write_text("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\n")
    (place / "levels.yaml").write_text(LEVELS)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.chdir(place)
        assert main(["archive", "import", "match.mat"]) == 0
        assert main(["archive", "analyse", "--level", "beginner"]) == 0
    return place


def test_every_row_has_a_command_a_page_or_a_reason() -> None:
    assert len(ROWS) >= 120
    for what, here in ROWS:
        page = re.match(r"\[.+\]\((.+)\)$", here)
        assert re.match(r"`sixprime [^`]+`$|No: .{10}", here) or page, what
        assert page is None or (ROOT / "docs" / page[1]).exists()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_of_a_row_runs(
    command: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    words = shlex.split(command)
    if words[0] in PARSED:
        assert build_parser(words[0]).parse_args(words).command == words[0]
        return
    words[1:1] = QUICK.get(words[0], [])  # what the row says comes later, and counts
    before = max(each.stat().st_mtime_ns for each in folder.rglob("*"))
    if "--help" in words:
        with pytest.raises(SystemExit, match="0"):
            main(words)
    else:
        assert main(words) == 0, capsys.readouterr().err
    written = {each for each in folder.rglob("*") if each.stat().st_mtime_ns > before}
    assert capsys.readouterr().out or written
