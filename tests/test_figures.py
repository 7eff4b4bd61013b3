"""Figures of docs/: each has its origin, and the command that measures it again puts it there."""

from __future__ import annotations

import datetime as dt
import re
import shlex
from importlib.util import find_spec
from typing import Any

import pytest

from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import SIXPRIME
from tests.support.docs.figures import (
    FIGURES,
    NEEDED,
    SPEEDS,
    Figure,
    chances,
    cubes,
    dated,
    decisions,
    presets,
    ratings,
    reason_to_leave,
    renewed,
    shown_commands,
    speed,
    with_cells,
    with_outputs,
)
from tests.support.docs.origins import ORIGIN, Part, parts, without_origin
from tests.support.places import ROOT

DOCS = ROOT / "docs"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
RULES = (  # lines with numbers that are settings and limits, not measured
    "Play at a human pace |",
    "PR | 500 times",
    "**Never lost.**",
    "**Limits.**",
    "`logging.file` rotates",
)


@pytest.mark.parametrize("name", PAGES)
def test_every_figure_has_an_origin(name: str) -> None:
    lines = [line for line in without_origin(PAGES[name]) if not line.startswith(RULES)]
    assert [line for line in lines if line not in PAGES["pictures.md"].splitlines()] == []


@pytest.mark.parametrize(
    "figure",
    [
        "a | 0.5 | 1.25\n",
        "![A game](pictures/play.png)\n",
        "It takes 40 MiB and 3 % of a core.\n",
        "```\n$ sixprime hint\nequity 0.239\n```\n",
    ],
)
def test_a_figure_without_an_origin_is_noticed(figure: str) -> None:
    origin = "Measured 2026-11-29 with nets 749b36e9b502: `sixprime bench`.\n\n"
    assert without_origin(f"# Page\n\n{figure}") != []
    assert without_origin(f"# Page\n\n{origin}{figure}") == []
    assert without_origin(f"# Page\n\n{origin}## Below\n\n{figure}") == []
    assert without_origin(f"## Part\n\n{origin}## Another\n\n{figure}") != []


def test_rules_and_versions_are_no_figures() -> None:
    rules = (
        "a | b\nIntervals are 95 %.\n`0.5` | `0.25`\n127.0.0.1 | 10.0.0.2\n```yaml\npr: 0.5\n```\n"
    )
    assert without_origin(rules) == []


def test_every_origin_is_declared_and_every_declaration_has_its_part() -> None:
    assert {(name, part.heading) for name in PAGES for part in parts(PAGES[name])} == set(FIGURES)
    assert all(set(figure.needs) <= set(NEEDED) for figure in FIGURES.values())


@pytest.mark.parametrize("place", FIGURES, ids=": ".join)
def test_an_origin_has_a_day_nets_and_commands_that_exist(place: tuple[str, str]) -> None:
    name, heading = place
    (part,) = (part for part in parts(PAGES[name]) if part.heading == heading)
    origin = ORIGIN.match(part.lines[0])
    assert origin is not None
    assert dt.date(2026, 11, 20) < dt.date.fromisoformat(origin[2])
    nets = (DOCS / "history" / "nets.csv").read_text(encoding="utf-8")
    assert origin[3] is None or f"\n{origin[3]}," in nets
    commands = FIGURES[place].commands or part.commands or shown_commands(part)
    assert commands
    for command in commands:
        program, *words = shlex.split(command.removeprefix("$ "), comments=True)
        if program == "python" and words[1] != "sixprime":
            assert find_spec(words[1]) is not None
        else:
            parse(words[2:] if program == "python" else words, SIXPRIME)


def table(name: str, heading: str) -> Part:
    (part,) = (part for part in parts(PAGES[name]) if part.heading == heading)
    return part


def labels(part: Part) -> set[str]:
    """First cells of the rows that hold figures."""
    rows = (line for line in part.lines if " | " in line and re.search(r"\d", line.split(" | ")[1]))
    return {row.split(" | ")[0].strip("*") for row in rows if not row.startswith("|")}


def test_cells_are_renewed_and_the_rest_of_a_row_stays() -> None:
    part = Part(
        "", 0, ("a | b | c", "---|---|---", "**ours** | **1.0** | 2 | `sixprime x`", "it | 3")
    )
    assert with_cells(part, {"ours": ["1.5 [1, 2]", "4"], "other": ["0"]}) == [
        "a | b | c",
        "---|---|---",
        "**ours** | **1.5 [1, 2]** | 4 | `sixprime x`",
        "it | 3",
    ]


def test_transcripts_are_renewed_and_left_out_lines_stay_left_out() -> None:
    lines = (
        "```",
        "$ sixprime a  # why",
        "3 matches added",
        "...",
        "worst 0.125",
        "```",
        "3 matches added",
    )
    part = Part("", 0, lines)
    printed = "reading\n12 matches added\nthis\nworst 1.250\nend\n"
    assert shown_commands(part) == ["$ sixprime a  # why"]
    assert with_outputs(part, {"$ sixprime a  # why": printed}) == [
        "```", "$ sixprime a  # why", "12 matches added", "...", "worst 1.250", "```",
        "3 matches added",
    ]  # fmt: skip


def test_commands_that_show_nothing_are_not_run() -> None:
    assert shown_commands(Part("", 0, ("```", "$ rm -r archive", "$ sixprime x", "```"))) == []


def test_a_renewed_part_changes_no_other_line_of_its_page() -> None:
    page = "# A\n\nMade 2026-11-01: `python -m x`.\nold\n\n# B\n\nrest\n"
    (part,) = parts(page)
    day = dt.date(2026, 11, 29)
    first = dated(part.lines[0], "", day)
    assert renewed(page, part, [first, "new", ""]) == (
        "# A\n\nMade 2026-11-29: `python -m x`.\nnew\n\n# B\n\nrest\n"
    )
    with_nets = "Measured 2026-11-01 with nets 000000000000: x"
    assert dated(with_nets, "749b36e9b502", day).endswith("29 with nets 749b36e9b502: x")
    excepted = "Made 2026-11-01: `a; b later`, one core; rollouts a day later, with others. Rest."
    assert dated(excepted, "", day) == "Made 2026-11-29: `a; b later`, one core. Rest."


def test_what_takes_too_long_or_lacks_something_is_left_with_its_reason() -> None:
    assert reason_to_leave(Figure(5), 5, None) == ""
    assert reason_to_leave(Figure(30), 5, None) == "takes about 30 minutes"
    lacking = reason_to_leave(Figure(1, needs=("matches",)), 5, None)
    assert "--matches" in lacking
    assert lacking.endswith("; takes about 1 minutes")
    assert reason_to_leave(Figure(1, needs=("matches",)), 5, ROOT) == ""


def lost(mean: float) -> dict[str, Any]:
    return {"mean": mean, "interval_95": [mean - 1, mean + 1]}


def players(kinds: tuple[str, ...], less: str = "less_than_the_first_meq") -> list[dict[str, Any]]:
    return [
        {"name": name, "plies": plies,
         "lost_meq": {kind: lost(0.5) for kind in kinds},
         less: {kind: lost(-0.001) for kind in kinds}}
        for name, plies in (("ours", 0), ("ours:2", 2), ("gnubg", 0), ("gnubg:2", 2),
                            ("level:roller", 3))
    ]  # fmt: skip


def bench_of_two_builds() -> dict[str, Any]:
    """The JSON of `sixprime bench`: gnubg is half as fast, and three quarters when built anew."""

    def speeds(share: float) -> dict[str, Any]:
        groups: dict[str, Any] = {"evaluations_per_second": 2_000_000 * share}
        for group, names in SPEEDS.values():
            groups.setdefault(group, {}).update(dict.fromkeys(names, share))
        return groups

    def ratios(share: float) -> dict[str, Any]:
        return speeds(share) | {"evaluations_per_second": 1 / share}

    builds = [{"peer": speeds(share), "ratio": ratios(share)} for share in (0.5, 0.75)]
    return {**speeds(1), **builds[0], "more_peers": builds[1:]}


def test_rows_of_the_pages_are_those_that_the_commands_give() -> None:
    off = {"off": [0.0123], "within_0.015": 3}
    families = ("ordinary", "ending", "containing", "crunched", "back_game", "prime", "blitz",
                "stacked", "snake")  # fmt: skip
    seen = dict.fromkeys(families, off)
    judged = {**seen, "by_gnubg_rollouts": seen}
    given = {
        "Decisions": decisions([{"players": players(("contact", "race", "containing", "snake"))}]),
        "Cube": cubes([{"players": players(("double", "early", "late", "take"))}]),
        "Chances": chances([judged] * 4),
        "Speed": speed([bench_of_two_builds()]),
    }
    for heading, cells in given.items():
        assert labels(table("strength.md", heading)) <= set(cells), heading
    assert given["Decisions"]["ours 2-ply, less than gnubg"][:2] == ["0.00 [-1.00, 1.00]", "0.00"]
    assert given["Chances"]["back game"] == [".012/.012"] * 4
    assert labels(table("strength.md", "Speed")) == set(given["Speed"])
    assert given["Speed"]["play 0/1/2-ply, ms"][::2] == ["1/1/1", "0.5/0.5/0.5", "0.75/0.75/0.75"]
    assert given["Speed"]["evaluations a second"] == [
        "2,000,000",
        "1,000,000",
        "2",
        "1,500,000",
        "1.33",
    ]


def test_ratings_of_levels_are_read_from_their_table() -> None:
    pairs = [
        {"first": "expert", "second": "@1500", "rating_95": [497.6, 275.2, 833.0]},
        {"first": "expert", "second": "casual", "rating_95": [1, 0, 2]},
    ]
    found = ratings([{"reference": {"rating": 2000.0}, "pairs": pairs}])
    assert found == {"1500": ["1502 [1167, 1725]"]}
    pair = {"first": "a", "second": "b", "adjusted": [0.6104, 0.01], "rating_90": [173, 130, 218]}
    assert presets([{"pairs": [pair]}]) == {"a:b": ["61.0", "173 [130, 218]"]}
