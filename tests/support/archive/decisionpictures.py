"""Makes the pictures of docs/data.md: `python -m tests.support.archive.decisionpictures`.

The decisions are those of matches that gnubg played and analysed, so every machine draws the same.
"""

from __future__ import annotations

import datetime as dt
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sixprime
from sixprime.bot.analysis.collection.parquetfiles import export_decisions
from sixprime.bot.analysis.recorded import AS_RECORDED
from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.reports.charts_svg import alone, bars
from sixprime.protocols.formats.record import Player
from tests.support.archive.imported import add
from tests.support.archive.told import settings_in
from tests.support.engine.analyses import analysis_in_record
from tests.support.gnubg.analyses import fixture, injected
from tests.support.places import ROOT

PAGE = ROOT / "docs" / "data.md"
OUT = ROOT / "docs" / "pictures"
ME = "lasse"
DRAWN = {  # question -> the file, the title, the columns of the label, the column of the bar
    "In which phase do I lose most?": ("data-phase", "EMG lost by phase", (0, 1), 3),
    "At which scores do my cubes go wrong?": ("data-score", "MWC lost by score", (0, 1), 3),
    "Which rolls do I misplay?": ("data-roll", "EMG lost per roll", (0,), 2),
}


def questions() -> dict[str, str]:
    """The questions of the page, and their SQL."""
    return dict(re.findall(r"### (.+?)\n\n```sql\n(.+?)```", PAGE.read_text(), re.DOTALL))


def some_decisions(folder: Path) -> Path:
    """The folder of the decisions of 20 matches, half a month apart."""
    with closing(Archive(settings_in(folder))) as archive:
        for number, case in enumerate(case for case in fixture() if case.plies == 2):
            started = dt.datetime(2026, 1, 3, 20, tzinfo=dt.UTC) + dt.timedelta(days=15 * number)
            players = Player(ME), Player(f"player{number % 4}")
            match = replace(injected(case), players=players, date=started.date(), started=started)
            kept = add(archive, match)
            assert kept is not None
            analysis = packed(analysis_in_record(match))
            keep(archive, AS_RECORDED.key, [(Wanted(kept, 0), analysis)])
        export_decisions(archive, folder / "decisions", AS_RECORDED.key)
    return folder / "decisions"


def pictures(folder: Path) -> dict[str, str]:
    """SVG by the name of its file."""
    asked, drawn = questions(), {}
    for question, (name, title, labels, value) in DRAWN.items():
        rows = sixprime.sql(asked[question], folder).fetchall()
        shown = [
            (", ".join(_word(row[i]) for i in labels), row[value]) for row in rows if row[value] > 0
        ]
        drawn[f"{name}.svg"] = alone(bars(title, shown[:12], form="{:.3f}"))
    return drawn


def _word(value: Any) -> str:
    return f"{value}-away" if isinstance(value, int) else str(value)


def main() -> None:
    with TemporaryDirectory() as folder:
        for name, text in pictures(some_decisions(Path(folder))).items():
            (OUT / name).write_text(text)


if __name__ == "__main__":
    main()
