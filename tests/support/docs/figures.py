"""Measures the figures of docs/ again: `python -m tests.support.docs.figures [--minutes N]`.

`FIGURES` has every part of a page that has an origin, by its page and heading, with the minutes
that it takes on two idle cores and what it needs. The commands are those that the page shows.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sixprime.engine.nets.weights import shipped
from tests.support.docs.origins import ORIGIN, Part, parts
from tests.support.gnubg.program import GNUBG
from tests.support.places import ROOT

DOCS = ROOT / "docs"
Cells = Mapping[str, Sequence[str]]  # the other cells of a row, by its first
Outcomes = Sequence[dict[str, Any]]  # the JSON that each command printed
OUT = re.compile(r"--out (\S+\.json)\b")
# figures of another day, outside of code
EXCEPTED = re.compile(r"[,;][^`,;]* (?:earlier|later)\b[^.`]*(?=[^`]*(?:`[^`]*`[^`]*)*$)")
LEAST_ALIKE = 0.5  # of a line of a transcript and its new form
NATIVE = Path("/opt/gnubg-native/bin/gnubg")  # of tests/support/gnubg/native.sh
NEEDED: Mapping[str, tuple[Callable[[Path | None], bool], str]] = {
    "gnubg": (lambda _: GNUBG is not None, "the Debian package gnubg"),
    "native": (lambda _: NATIVE.exists(), "tests/support/gnubg/native.sh"),
    "chromium": (lambda _: shutil.which("chromium") is not None, "chromium"),
    "matplotlib": (lambda _: find_spec("matplotlib") is not None, "the extra `train`"),
    "matches": (lambda matches: matches is not None, "--matches, a folder with files of lasse"),
    "people": (lambda _: False, "1,447 matches of people, and a new card of the model"),
    "labels": (lambda _: False, "labels, which take hours"),
    "release": (lambda _: False, "a decision: it changes what levels mean"),
}  # what a figure may need: a check of this machine, and its name
SPEEDS = {  # rows of one table, and their measurements
    "play 0/1/2-ply, ms": ("decision_ms", [f"play {plies}-ply" for plies in range(3)]),
    "cube 0/1/2-ply, ms": ("decision_ms", [f"cube {plies}-ply" for plies in range(3)]),
    "rollout to 0.005: start/contact/race, s": ("rollout_s", ["start", "contact", "race"]),
    "bearoff one-sided 8/two-sided 6x6, s": ("bearoff_s", ["one-sided 8", "two-sided 6x6"]),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A part of a page that can be made again."""

    minutes: float
    show: Callable[[Outcomes], Cells] | None = None  # None: the command writes files
    needs: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()  # instead of those that the page shortens


def _rounded(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"  # no minus zero


def _interval(result: Mapping[str, Any]) -> str:
    low, high = result["interval_95"]
    return f"{_rounded(result['mean'])} [{_rounded(low)}, {_rounded(high)}]"


def _player(player: Mapping[str, Any]) -> str:
    name = player["name"].partition(":")[0]
    return "roller" if name == "level" else f"{name} {player['plies']}-ply"


def games(outcomes: Outcomes) -> Cells:
    """The results with luck taken out."""
    found = {}
    labels = ("0-ply, money", "0-ply, one point", "2-ply, with the cube", "roller")
    for label, outcome in zip(labels, outcomes, strict=True):
        result = outcome.get("without_luck", outcome)
        low, high = result["interval_95"]
        if "won_percent" in result:
            found[label] = [f"{result['won_percent']:.2f} % [{low:.2f}, {high:.2f}]"]
        else:
            found[label] = [f"{result['points_per_game']:+.4f} [{low:+.4f}, {high:+.4f}]"]
    return found


def decisions(outcomes: Outcomes) -> Cells:
    """The loss of each player per decision, and how much less it is than gnubg's."""

    def cells(lost: Mapping[str, Any]) -> list[str]:
        odd = (_interval(lost[family]) for family in ("containing", "snake"))
        return [_interval(lost["contact"]), _rounded(lost["race"]["mean"]), *odd]

    players = outcomes[0]["players"]
    (ours,) = (player for player in players if _player(player) == "ours 2-ply")
    return {
        **{_player(player): cells(player["lost_meq"]) for player in players},
        "ours 2-ply, less than gnubg": cells(ours["less_than_the_first_meq"]),
    }


def cubes(outcomes: Outcomes) -> Cells:
    """The loss of each player by cube decisions."""
    return {
        _player(player): [_interval(player["lost_meq"][kind])
                          for kind in ("double", "early", "late", "take")]
        for player in outcomes[0]["players"]
    }  # fmt: skip


def cube_differences(outcomes: Outcomes) -> Cells:
    """How much less the second player loses than the first."""
    return {
        label: [_interval(outcome["players"][1]["lost_meq"][kind])
                for kind in ("less_than_the_first", "take_less_than_the_first")]
        for label, outcome in zip(("ours 2-ply, than gnubg", "roller, than ours 2-ply"), outcomes,
                                  strict=True)
    }  # fmt: skip


def chances(outcomes: Outcomes) -> Cells:
    """Root mean square errors of the chance of winning by family."""
    ours, ours_2, gnubg, gnubg_2 = outcomes

    def off(family: str, one: Mapping[str, Any], two: Mapping[str, Any]) -> str:
        return "/".join(f"{each[family]['off'][0]:.3f}".lstrip("0") for each in (one, two))

    judged = [each["by_gnubg_rollouts"] for each in outcomes]
    return {
        family.replace("_", " "): [
            off(family, ours, ours_2),
            off(family, gnubg, gnubg_2),
            off(family, *judged[:2]),
            off(family, *judged[2:]),
        ]
        for family in judged[0]
    }


def ratings(outcomes: Outcomes) -> Cells:
    """The rating at which each level played, from its difference to `expert`."""
    expert = outcomes[0]["reference"]["rating"]
    found = {}
    for pair in outcomes[0]["pairs"]:
        if pair["second"].startswith("@"):
            rating, low, high = (expert - difference for difference in pair["rating_95"])
            low, high = sorted((low, high))
            found[pair["second"][1:]] = [f"{rating:.0f} [{low:.0f}, {high:.0f}]"]
    return found


def presets(outcomes: Outcomes) -> Cells:
    """The results of presets against the next weaker ones."""
    return {
        f"{pair['first']}:{pair['second']}": [
            f"{100 * pair['adjusted'][0]:.1f}",
            "{:.0f} [{:.0f}, {:.0f}]".format(*pair["rating_90"]),
        ]
        for pair in outcomes[0]["pairs"]
    }


def cost(outcomes: Outcomes) -> Cells:
    """The memory and time of a bot alone, and of fifty."""
    single, crowd = (outcomes[0][name] for name in ("single", "crowd"))
    return {
        "one, `world-class`, idle": [
            f"{single['idle_memory_mib']['resident']:.0f} MiB",
            f"{single['idle_cpu_percent_of_a_core']:.0f} % of a core",
        ],
        "50, 0-ply, all in matches": [
            f"{crowd['memory_mib']['resident']:.0f} MiB",
            f"{crowd['cpu_percent_of_a_core']:.0f} % of a core",
        ],
    }


def speed(outcomes: Outcomes) -> Cells:
    """Our speeds beside those of two builds of gnubg."""
    (outcome,) = outcomes
    sides = [outcome, *(side for built in (outcome, *outcome["more_peers"])
                        for side in (built["peer"], built["ratio"]))]  # fmt: skip
    found = {"evaluations a second": [_three(side["evaluations_per_second"]) for side in sides]}
    for label, (group, names) in SPEEDS.items():
        found[label] = ["/".join(_three(side[group][name]) for name in names) for side in sides]
    return found


def _three(value: float) -> str:
    """Show three digits that count."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 1000 else f"{value:.3g}"


def analysing(outcomes: Outcomes) -> Cells:
    """Matches that one core analyses in a second."""
    return {outcome["level"]: [f"{outcome['ours']['matches_per_s']:.3g}"] for outcome in outcomes}


FIGURES = {
    ("collecting.md", "A collector's evening"): Figure(2, needs=("matches",)),
    ("data.md", "Ten questions"): Figure(1),
    ("faq.md", "How long does an analysis take?"): Figure(1, analysing),
    ("levels.md", "Levels like people"): Figure(15, needs=("people",)),
    ("levels.md", "Figures"): Figure(120, needs=("release",)),
    ("levels.md", "The check of ratings"): Figure(25, ratings),
    ("levels.md", "The check of presets"): Figure(20, presets),
    ("operating.md", "Running it"): Figure(5, cost),
    ("pictures.md", "Pictures"): Figure(3, needs=("chromium",)),
    ("playing.md", "Playing against the bot"): Figure(2, needs=("chromium",)),
    ("strength.md", "Games, luck taken out, against gnubg 1.07"): Figure(
        600, games, needs=("gnubg",)
    ),
    ("strength.md", "Decisions"): Figure(4, decisions, needs=("gnubg",)),
    ("strength.md", "Cube"): Figure(30, cubes, needs=("gnubg",)),
    ("strength.md", "Cube, side by side"): Figure(300, cube_differences, needs=("gnubg",)),
    ("strength.md", "Chances"): Figure(
        1, chances, needs=("gnubg",),
        commands=tuple(f"sixprime strength chances {player}"
                       for player in ("ours", "ours:2", "gnubg", "gnubg:2")),
    ),
    ("strength.md", "Speed"): Figure(20, speed, needs=("gnubg", "native")),
    ("training.md", "How the nets are made"): Figure(1, needs=("matplotlib",)),
    ("training.md", "Labels of two plies"): Figure(180, needs=("labels",)),
}  # fmt: skip


# --- renewing


def with_cells(part: Part, cells: Cells) -> list[str]:
    """Return the lines of a part with new cells in the rows of its table; bold ones stay bold."""
    return [_renewed_row(line, cells) for line in part.lines]


def _renewed_row(line: str, cells: Cells) -> str:
    label, *old = line.split(" | ")
    new = cells.get(label.strip("*"))
    if new is None or not old:
        return line
    bold = ("**" if cell.startswith("**") else "" for cell in old)
    shown = [f"{mark}{cell}{mark}" for mark, cell in zip(bold, new, strict=False)]
    return " | ".join([label, *shown, *old[len(new) :]])


def shown_commands(part: Part) -> list[str]:
    """Return the `$` lines of transcripts that show what commands print."""
    blocks = re.findall(r"^```\n(.+?)^```$", "\n".join(part.lines), re.MULTILINE | re.DOTALL)
    return [
        line
        for block in (block.splitlines() for block in blocks)
        if not all(line.startswith("$ ") for line in block)
        for line in block
        if line.startswith("$ ")
    ]


def with_outputs(part: Part, outputs: Mapping[str, str]) -> list[str]:
    """Return the lines of a part with what its `$` commands print now; `...` stays."""
    found, left = [], []
    for line in part.lines:
        if line.startswith("$ "):
            left = outputs.get(line, "").splitlines()
        elif line.startswith("```"):
            left = []
        elif left and line not in ("", "..."):
            alike = [SequenceMatcher(None, _shape(line), _shape(other)).ratio() for other in left]
            best = max(range(len(left)), key=alike.__getitem__)
            if alike[best] >= LEAST_ALIKE:
                line, left = left[best].rstrip(), left[best + 1 :]
        found.append(line)
    return found


def _shape(line: str) -> str:
    return re.sub(r"\d", "0", line)


def dated(line: str, nets: str, today: dt.date) -> str:
    """Return an origin with this day and these nets, without figures of other days."""
    match = ORIGIN.match(line)
    assert match is not None
    told = f"{match[1]} {today}" + (f" with nets {nets}" if match[3] else "")
    return f"{told}: {EXCEPTED.sub('', line[match.end() :])}"


def renewed(page: str, part: Part, lines: list[str]) -> str:
    """Return the page with other lines of this part."""
    old = page.splitlines()
    return "\n".join([*old[: part.first], *lines, *old[part.first + len(part.lines) :]]) + "\n"


def words_of(command: str) -> list[str]:
    """Return the program's words for a command of a page."""
    first, *rest = shlex.split(command)
    return [sys.executable, "-m", "sixprime", *rest] if first == "sixprime" else [
        sys.executable, *rest
    ]  # fmt: skip


class Workplace:
    """A folder in which commands of the pages run, with the collector's matches."""

    def __init__(self, folder: Path, matches: Path | None) -> None:
        self.folder = folder
        (folder / "tests").symlink_to(ROOT / "tests")
        if matches is not None:
            shutil.copytree(matches, folder / "galaxy", ignore=_others)

    def output(self, command: str) -> str:
        """Return what a command prints."""
        path = f"{os.environ['PATH']}:/usr/games"
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
        is_module = command.startswith("python")
        done = subprocess.run(
            words_of(command), cwd=ROOT if is_module else self.folder, env=environment,
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def outcome(self, command: str) -> dict[str, Any]:
        """Return the JSON that a command prints last, or writes with `--out`."""
        printed = self.output(command)
        if written := OUT.search(command):
            printed = (self.folder / written[1]).read_text()
            outcome: dict[str, Any] = json.loads(printed)
        else:
            outcome = json.loads(printed.splitlines()[-1])
        return outcome


def _others(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith("lasse")]


def renew(name: str, part: Part, figure: Figure, place: Workplace) -> None:
    """Run the commands of a part, and write the page with its new figures."""
    commands = figure.commands or part.commands
    if figure.show is not None:
        lines = with_cells(part, figure.show([place.outcome(each) for each in commands]))
    elif commands:
        for command in commands:
            place.output(command)
        lines = list(part.lines)
    else:
        outputs = {line: place.output(line[2:].partition("#")[0]) for line in shown_commands(part)}
        lines = with_outputs(part, outputs)
    lines[0] = dated(
        lines[0], shipped().stem.removeprefix("brain-"), dt.datetime.now(dt.UTC).date()
    )
    page = DOCS / name
    page.write_text(renewed(page.read_text(encoding="utf-8"), part, lines), encoding="utf-8")


def reason_to_leave(figure: Figure, minutes: float, matches: Path | None) -> str:
    """Return why this machine does not measure a figure now; empty: it does."""
    lacking = [NEEDED[need][1] for need in figure.needs if not NEEDED[need][0](matches)]
    reasons = [f"needs {', '.join(lacking)}"] if lacking else []
    if reasons or figure.minutes > minutes:
        reasons.append(f"takes about {figure.minutes:g} minutes")
    return "; ".join(reasons)


def main() -> int:
    """Renew what the machine and the time allow, and say what is left; 1 if a command failed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=5, help="leave what takes longer (5)")
    parser.add_argument("--matches", type=Path, help="the folder of docs/collecting.md's matches")
    parser.add_argument("--only", default="", help="only figures whose page and heading have this")
    options = parser.parse_args()
    failed = 0
    for (name, heading), figure in FIGURES.items():
        place = f"{name}, {heading}"
        if options.only not in place:
            continue
        if reason := reason_to_leave(figure, options.minutes, options.matches):
            print(f"{place}: left, {reason}")  # noqa: T201
            continue
        page = (DOCS / name).read_text(encoding="utf-8")
        (part,) = (part for part in parts(page) if part.heading == heading)
        print(f"{place}: takes about {figure.minutes:g} minutes", flush=True)  # noqa: T201
        began = time.monotonic()
        try:
            with tempfile.TemporaryDirectory() as folder:
                renew(name, part, figure, Workplace(Path(folder), options.matches))
        except subprocess.CalledProcessError as error:
            print(f"{place}: left as it is, {shlex.join(error.cmd)} failed")  # noqa: T201
            failed = 1
        else:
            print(f"{place}: renewed in {time.monotonic() - began:.0f} s")  # noqa: T201
    return failed


if __name__ == "__main__":
    sys.exit(main())
