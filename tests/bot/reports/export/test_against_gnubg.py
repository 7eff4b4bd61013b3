"""Our text and HTML beside gnubg's own exports of the same SGF: both tell the same of a match.

gnubg loads what we write, with comments, marks and facts of people, and its analysis.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.analysis.recorded import recorded_analysis
from sixprime.bot.matchlog.words import Comment, commentary_in, moves, with_comment
from sixprime.bot.reports.export import text, webpage
from sixprime.bot.reports.export.sceneanalysis import SceneAnalyses
from sixprime.bot.reports.export.scenes import acts
from sixprime.protocols.formats.record import Marks, Match, Opinion, Turn
from sixprime.protocols.formats.sgf import match as sgf
from sixprime.protocols.formats.sgf.marks import with_marks
from tests.support.formats import oracle
from tests.support.formats.plain import plain
from tests.support.gnubg import exports
from tests.support.gnubg.analyses import fixture

pytestmark = pytest.mark.gnubg
MATCHES = 20
IN_CI = (3, 18)  # a match and a session
OPINIONS = (Opinion.DOUBTFUL, Opinion.BAD, Opinion.VERY_BAD)  # gnubg 1.07 knows no praise
WORDS = ("Why not 13/7?", "a \\ [b] : c", "two\nlines", "Žižka — “no”", "100 %")


def analysed(match: Match, folder: Path) -> Match:
    """The match with gnubg's analysis."""
    (folder / "bare.sgf").write_text(sgf.write_sgf(match))
    plies = "".join(
        f"set analysis {each} evaluation plies 0\n" for each in ("chequerplay", "cubedecision")
    )
    commands = "load match bare.sgf\nanalyse match\nsave match analysed.sgf\n"
    oracle.gnubg(f"set threads 1\n{plies}{commands}", folder)
    (found,) = sgf.read_sgf((folder / "analysed.sgf").read_text()).matches
    return found


def annotated(match: Match, seed: int, *, opinions: bool = False) -> Match:
    """The match with comments and marks on some moves, and the facts of an event.

    gnubg makes the marks on plays anew that it has analysed: `opinions` are on those alone.
    """
    draw = random.Random(seed)
    match = replace(match, event="Cup of “Ü”", round="final", place="Praha", comment="long ago")
    match = replace(match, annotator="anna & ben")
    for number, game in enumerate(match.games, 1):
        for place, action in enumerate(moves(game), 1):
            if draw.random() < 0.2:
                is_play = isinstance(action, Turn) and bool(action.play)
                luck = draw.choice((0, 0, -2, -1, 1, 2)) if is_play else 0
                opinion = draw.choice(OPINIONS) if opinions and is_play else None
                said = Comment(number, place, draw.choice(WORDS), Marks(opinion, luck=luck))
                match = with_comment(match, said)
    return match


def told_in(match: Match) -> object:
    """All that people say of a match; a mark that an analysis explains is nobody's."""
    said = commentary_in(match)
    unmarked = [replace(each, marks=Marks()) for each in said.comments]
    marks = [with_marks(action) for game in match.games for action in moves(game)]
    shown = [(each.mark, each.cube_mark, each.luck_mark) for each in marks if each]
    return replace(said, comments=tuple(unmarked)), shown


def test_gnubg_keeps_all_marks_on_plays_without_an_analysis(tmp_path: Path) -> None:
    matches = {seed: annotated(plain(seed), seed, opinions=True) for seed in range(6)}
    commands = ""
    for seed, match in matches.items():
        (tmp_path / f"{seed}.sgf").write_text(sgf.write_sgf(match))
        commands += f"load match {seed}.sgf\nsave match {seed}-again.sgf\n"
    oracle.gnubg(commands, tmp_path)
    for seed, match in matches.items():
        (back,) = sgf.read_sgf((tmp_path / f"{seed}-again.sgf").read_text()).matches
        assert told_in(back) == told_in(match), seed
    assert sum(len(commentary_in(match).comments) for match in matches.values()) > 20


@pytest.mark.parametrize(
    "which",
    [
        *(pytest.param(n, id=str(n)) for n in IN_CI),
        *(
            pytest.param(n, id=str(n), marks=pytest.mark.slow)
            for n in range(MATCHES)
            if n not in IN_CI
        ),
    ],
)
def test_both_tell_the_same(which: int, tmp_path: Path) -> None:
    bare = [each.match for each in fixture() if each.plies == 0]
    assert len(bare) == MATCHES
    match = annotated(analysed(bare[which], tmp_path), which)
    (tmp_path / "m.sgf").write_text(sgf.write_sgf(match))
    rules = f"set beavers {match.rules.beavers}\n"
    rules += f"set jacoby {'on' if match.rules.jacoby else 'off'}\n"
    commands = "load match m.sgf\nexport match text m.txt\nexport match html m.html\n"
    oracle.gnubg(f"{rules}{commands}save match again.sgf\n", tmp_path)
    (back,) = sgf.read_sgf((tmp_path / "m.sgf").read_text()).matches
    (again,) = sgf.read_sgf((tmp_path / "again.sgf").read_text()).matches
    assert told_in(again) == told_in(match)
    analyses = SceneAnalyses(recorded_analysis(back))
    faults, compared = [], Counter[str]()
    for act in acts(back):
        name = "m" if act.number == 0 else f"m_{act.number + 1:03}"
        theirs = (tmp_path / f"{name}.txt").read_text()
        ours = text.document(back, [act], analyses)
        scenes, own = (
            exports.scenes_of_gnubg(act.number, theirs),
            exports.our_scenes(act.number, ours),
        )
        for key in scenes:
            found = exports.differences(own.get(key, {}), scenes[key])
            faults += [f"{name}, move {key[1]}: {each}" for each in found]
            compared.update(each.split(" ")[0] for each in scenes[key])
        if act.number == 0:
            faults += exports.differences(exports.information(ours), exports.information(theirs))
        sums = exports.statistics_of_gnubg(theirs)[0]
        mine = exports.our_statistics(ours)[0]
        found = exports.differences(mine, sums)
        faults += [f"{name}: {each}" for each in found if " rolls: " not in each]  # it counts marks
        compared.update(dict.fromkeys(sums, 1))
        page = exports.Classed((tmp_path / f"{name}.html").read_text(errors="replace"))
        own_page = exports.Classed(webpage.document(back, [act], analyses))
        for each in exports.BY_CLASS:
            found = exports.different_lists(each, own_page, page)
            faults += [f"{name}.html {each}: {fault}" for fault in found]
            compared[each] += len(page.found[each])
    assert not faults, f"{len(faults)}:\n" + "\n".join(faults[:20])
    assert {"play", "comment", "luck", "Moves", "movemove"} <= compared.keys()
    assert match.length == 1 or {"cube", "cubeless", "proper", "cubeequity"} <= compared.keys()
    assert sum(compared.values()) > 500
