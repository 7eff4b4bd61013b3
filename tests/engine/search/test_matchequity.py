"""Match equity: the tables, their continuation, and what take points and prices follow."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.position import MatchState
from sixprime.engine.search import matchequity
from sixprime.engine.search.equityfile import BadEquityTable, parsed
from sixprime.engine.search.equitymodels import REACH, Zadeh, ZadehAfter
from tests.support.engine.cubemodel import Shares, gammon_prices, money_take_point, take_point
from tests.support.gnubg.program import scripted

FAVOURITES = ("jacobs-trice-plus100", "jacobs-trice-plus50")
BY_FORMULA = ("mec", "zadeh")
EXPLICIT = tuple(name for name in matchequity.names() if name not in BY_FORMULA)
FAIR = tuple(name for name in matchequity.names() if name not in FAVOURITES)
WOOLSEY = matchequity.load_table("woolsey")
# Black trails 3-0 to 7; the rates of the manual's example, as static evaluation printed them
BLACK, WHITE = 0, 1
EXAMPLE = MatchState(length=7, score=(0, 3))
RATES = (Shares(0.102 / 0.454, 0.001 / 0.454), Shares(0.103 / 0.546, 0.003 / 0.546))

THEIR_FILES = {
    "kazaross-xg2": "Kazaross-XG2",
    "rockwell-kazaross": "Rockwell-Kazaross",
    "g11": "g11",
    "jacobs-trice": "jacobs",
    "jacobs-trice-plus50": "jac050",
    "jacobs-trice-plus100": "jac100",
    "mec26": "mec26",
    "ortega-kleinman": "ortega",
    "snowie21": "snowie",
    "woolsey": "woolsey",
}

aways = st.integers(1, REACH)


def test_the_default_table_is_kazaross_xg2() -> None:
    table = matchequity.load_table()
    assert table.name == "kazaross-xg2"
    assert table.chance((1, 2), 0) == 0.67736
    assert table.chance((1, 2), 1) == pytest.approx(0.32264)
    assert table.chance((2, 1), 0, post_crawford=True) == 0.48803


def test_there_are_ten_tables_as_data_and_two_by_formula() -> None:
    assert len(EXPLICIT) == 10
    assert set(THEIR_FILES) == set(EXPLICIT)


def test_an_unknown_table_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(BadEquityTable, match="no match equity table 'kazaros'; there are g11, "):
        matchequity.load_table("kazaros")


def test_longer_matches_than_the_tables_reach_are_refused() -> None:
    with pytest.raises(BadEquityTable, match="reach 64 points, not 65"):
        matchequity.load_table().chance((65, 3), 0)


@given(st.sampled_from(matchequity.names()), aways, aways)
def test_both_seats_share_one_match(name: str, a: int, b: int) -> None:
    table = matchequity.load_table(name)
    assert table.chance((a, b), 0) + table.chance((a, b), 1) == pytest.approx(1)


@given(st.sampled_from(FAIR), aways, aways)
def test_equal_players_have_equal_chances_at_mirrored_scores(name: str, a: int, b: int) -> None:
    table = matchequity.load_table(name)
    slack = 0.0021 if name == "ortega-kleinman" else 1e-9  # its source has two such entries
    assert table.chance((a, b), 0) == pytest.approx(table.chance((b, a), 1), abs=slack)


@pytest.mark.parametrize("name", matchequity.names())
def test_needing_more_is_never_better_within_a_table(name: str) -> None:
    table = matchequity.load_table(name)
    size = 15 if name in ("ortega-kleinman", "snowie21", "woolsey") else 25
    for other in range(1, size + 1):
        chances = [table.chance((away, other), 0) for away in range(1, size + 1)]
        assert all(less <= more for more, less in pairwise(chances))


@pytest.mark.parametrize("name", matchequity.names())
def test_after_crawford_needing_more_is_never_better(name: str) -> None:
    table = matchequity.load_table(name)
    slack = 0.0041 if name == "mec" else 1e-12  # as in gnubg, a free drop at 4-away helps
    for seat in (0, 1):
        after = [float(table.after[seat, k]) for k in range(1, REACH + 1)]
        assert all(less <= more + slack for more, less in pairwise(after))


def test_a_favourite_is_one_whatever_the_score_leaves_open() -> None:
    table = matchequity.load_table("jacobs-trice-plus50")
    assert table.chance((1, 1), 0) == 0.51
    assert table.chance((1, 1), 0, post_crawford=True) == pytest.approx(0.51)
    assert table.chance((3, 1), 0, post_crawford=True) == 0.323
    assert table.chance((1, 3), 1, post_crawford=True) == pytest.approx(0.298)


def test_the_crawford_game_and_the_games_after_it_are_followed_by_the_post_crawford_table() -> None:
    table = matchequity.load_table()
    crawford = MatchState(length=5, score=(4, 2), crawford=True)
    assert table.standing(crawford, 1) == table.chance((1, 3), 1)
    assert table.chances(crawford, 1).win(1) == table.chance((1, 2), 1, post_crawford=True)
    later = MatchState(length=5, score=(4, 2))
    assert table.standing(later, 1) == table.chance((1, 3), 1, post_crawford=True)
    before = MatchState(length=5, score=(3, 2))
    assert table.chances(before, 1).lose(1) == table.chance((1, 3), 1)
    senseless = MatchState(length=5, score=(3, 2), crawford=True)  # some files say so
    assert table.chances(senseless, 1) == table.chances(before, 1)


def test_points_beyond_the_match_are_worth_the_match() -> None:
    chances = matchequity.load_table().chances(EXAMPLE, WHITE)
    assert chances.win(4) == chances.win(64) == chances.win(96) == 1.0
    assert chances.lose(8) == 0.0


def test_the_manuals_take_points_at_three_nil_to_seven() -> None:
    """Live take points of Black and White at a cube of 4, 2 and 1."""
    points = {
        cube: tuple(
            round(100 * take_point(WOOLSEY, EXAMPLE, seat, RATES, cube).live, 1)
            for seat in (BLACK, WHITE)
        )
        for cube in (4, 2, 1)
    }
    assert points == {4: (0.0, 41.0), 2: (15.0, 38.5), 1: (24.5, 27.3)}


@given(aways, aways, st.sampled_from((1, 2, 4, 8, 16, 32)), st.integers(0, 1))
def test_a_live_cube_never_needs_more_than_a_dead_one(
    a: int, b: int, cube: int, taker: int
) -> None:
    state = MatchState(length=64, score=(64 - a, 64 - b), cube=cube)
    if state.away[1 - taker] <= cube or 1 in (a, b):
        return  # no one doubles here
    point = take_point(matchequity.load_table(), state, taker)
    assert -1e-9 <= point.live <= point.dead + 1e-9 <= 1


def test_far_from_the_end_a_match_is_money() -> None:
    point = take_point(matchequity.load_table(), MatchState(length=25), 0)
    assert point.live == pytest.approx(0.2, abs=0.01)
    assert point.dead == pytest.approx(0.25, abs=0.01)
    assert money_take_point() == (0.25, 0.2)


def test_gammons_raise_the_price_of_a_money_take() -> None:
    point = money_take_point(lost=Shares(0.25, 0.01))
    assert point.dead == pytest.approx(0.77 / 2.27)
    assert point.live == pytest.approx(0.77 / 2.77)


@pytest.mark.parametrize(
    ("state", "seat", "prices"),
    [
        (MatchState(length=7, score=(6, 6)), 0, (0, 0, 0, 0)),  # double match point
        (MatchState(length=7, score=(2, 4), cube=2), 1, (0.925773, 1.467334, 0, 1.458439)),
        (MatchState(length=7, score=(2, 4), cube=2), 0, (1.467334, 0.925773, 1.458439, 0)),
    ],
)
def test_gammon_prices_are_those_gnubg_prints(
    state: MatchState, seat: int, prices: tuple[float, ...]
) -> None:
    found = gammon_prices(matchequity.load_table().chances(state, seat), state.cube)
    assert tuple(found) == pytest.approx(prices, abs=1e-6)


def test_early_in_a_long_match_gammons_cost_what_they_do_for_money() -> None:
    prices = gammon_prices(matchequity.load_table().chances(MatchState(length=25), 0), 1)
    assert tuple(prices) == pytest.approx((1, 1, 1, 1), abs=0.08)


@given(aways, aways, st.sampled_from((1, 2, 4, 8)), st.floats(-3, 3))
def test_emg_and_mwc_convert_into_each_other(a: int, b: int, cube: int, emg: float) -> None:
    chances = matchequity.load_table().chances(MatchState(length=64, score=(64 - a, 64 - b)), 0)
    if chances.win(cube) - chances.lose(cube) > 1e-6:
        assert chances.emg(chances.mwc(emg, cube), cube) == pytest.approx(emg, abs=1e-6)
        gained = chances.mwc(emg, cube) - chances.mwc(0, cube)
        assert chances.cost(emg, cube) == pytest.approx(gained, abs=1e-9)


def test_plus_and_minus_one_are_winning_and_losing_the_cube() -> None:
    chances = matchequity.load_table().chances(EXAMPLE, BLACK)
    assert chances.mwc(1, 2) == pytest.approx(chances.win(2))
    assert chances.emg(chances.lose(2), 2) == pytest.approx(-1)


def test_where_a_rounded_table_cannot_tell_winning_from_losing_every_equity_is_0() -> None:
    chances = matchequity.load_table("jacobs-trice-plus50").chances(
        MatchState(length=25, score=(23, 0)), 0
    )
    assert chances.win(1) == chances.lose(1)
    assert chances.emg(0.9, 1) == 0.0


def test_the_manuals_example_of_a_normalised_equity() -> None:
    """At 3-1 to 5 with the cube on 2, MWC 0, 25, 50, 75, 100 % are EMG -1, 0, 1, 2, 3."""
    trailer = MatchState(length=5, score=(3, 1), cube=2)
    chances = matchequity.Chances(
        tuple(0.5 if n < 4 else 1.0 for n in range(REACH + 1)), (0.0,) * (REACH + 1)
    )
    assert [chances.emg(mwc, trailer.cube) for mwc in (0, 0.25, 0.5, 0.75, 1)] == [-1, 0, 1, 2, 3]
    assert matchequity.load_table().chances(trailer, 1).win(2) == pytest.approx(0.5)


def test_money_has_no_match_to_win() -> None:
    with pytest.raises(ValueError, match="money session"):
        matchequity.load_table().chances(MatchState(), 0)


def test_zadeh_stays_within_two_points_of_the_default_up_to_25_away() -> None:
    ours, default = matchequity.load_table("zadeh"), matchequity.load_table()
    worst = max(
        abs(ours.chance((a, b), 0) - default.chance((a, b), 0))
        for a in range(1, 26)
        for b in range(1, 26)
    )
    assert worst < 0.02


def test_zadeh_without_gammons_and_with_dead_cubes_is_a_fair_game_at_mirrored_scores() -> None:
    before = Zadeh(0.0, 0.0, 0.0, 0.0).before(ZadehAfter(0.0, 0.0, 0.0).after())
    assert before[2, 2] == pytest.approx(0.5)
    assert before[2, 1] == pytest.approx(0.25)  # wins the Crawford game, then the last


def their_tables(files: dict[str, Path], folder: Path) -> dict[str, list[list[Any]]]:
    """The 64 x 64 of gnubg itself, as its embedded Python has them."""
    lines = ["import gnubg, json", "tables = {}"]
    for name, file in files.items():
        lines.append(f"gnubg.command('set met {file}')")
        lines.append(f"tables[{name!r}] = gnubg.met(64)")
    lines.append("json.dump(tables, open('tables.json', 'w'))")
    scripted("\n".join(lines), folder)
    found: dict[str, list[list[Any]]] = json.loads((folder / "tables.json").read_text())
    return found


FORMULAS = """<?xml version="1.0"?>
<met><info><name>n</name><description>d</description><length>{length}</length></info>
<pre-crawford-table type="{kind}"><parameters>{before}</parameters></pre-crawford-table>
<post-crawford-table type="{kind}" player="both"><parameters>{after}</parameters>
</post-crawford-table></met>
"""


def formula(kind: str, length: int, before: dict[str, float], after: dict[str, float]) -> str:
    """A file in gnubg's XML."""
    texts = (
        "".join(f'<parameter name="{name}">{value}</parameter>' for name, value in each.items())
        for each in (before, after)
    )
    return FORMULAS.format(kind=kind, length=length, before=next(texts), after=next(texts))


def mec(length: int, gammons: float, win: float) -> str:
    rates = {"gammon-rate": gammons, "win-rate": win}
    drops = {"free-drop-2-away": 0.02, "free-drop-4-away": 0.01}
    return formula("mec", length, rates, rates | drops)


def zadeh(length: int, leader: float, trailer: float) -> str:
    rates = {"gammon-rate-leader": leader, "gammon-rate-trailer": trailer}
    rest = {"delta": 0.09, "delta-bar": 0.05}
    return formula("zadeh", length, rates | rest, {"gammon-rate-trailer": 0.25})


OWN = {
    "mec25.xml": mec(25, 0.2, 0.5),
    "mec64.xml": mec(64, 0.28, 0.6),
    "mec-none.xml": mec(-1, 0.3, 0.5),
    "zadeh25.xml": zadeh(25, 0.3, 0.2),
    "zadeh64.xml": zadeh(64, 0.2, 0.1),
}


@pytest.mark.gnubg
def test_all_tables_are_gnubgs_to_the_digits_it_displays(tmp_path: Path) -> None:
    """Those that ship with us, every file that ships with gnubg, and formulas of other numbers."""
    theirs = Path("/usr/share/gnubg/met")
    files = {name: theirs / f"{file}.xml" for name, file in THEIR_FILES.items()}
    files |= {str(path): path for path in theirs.glob("*.xml") if path.stem != "catalog"}
    for name, text in OWN.items():
        path = tmp_path / name
        path.write_text(text)
        files[str(path)] = path
    found = their_tables(files, tmp_path)
    assert len(found) >= 25
    for name, (before, *after) in found.items():
        table = matchequity.load_table(name)
        displayed = 1e-6  # 0.0001 %
        assert np.abs(np.array(before) - table.before[1:, 1:]).max() < displayed, name
        assert np.abs(np.array(after) - table.after[:, 1:]).max() < displayed, name


EXPLICIT_FILE = """<met>
<info><name>two</name><length>2</length></info>
<pre-crawford-table type="explicit">
<row><me>0.5</me><me>0.7</me></row>
<row><me>0.3</me><me>0.5</me></row>
</pre-crawford-table>
<post-crawford-table type="explicit" player="0"><row><me>0.5</me></row></post-crawford-table>
<post-crawford-table type="explicit" player="1"><row><me>0.4</me></row></post-crawford-table>
</met>
"""


def test_players_of_different_strength_have_numbers_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    path.write_text(EXPLICIT_FILE)
    table = matchequity.load_table(str(path))
    assert table.name == "two"
    assert table.chance((1, 2), 0) == 0.7
    assert (table.after[0, 1], table.after[1, 1]) == (0.5, 0.4)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("0.7", "70", "line 4: 70 is not between 0 and 1"),
        ("0.3</me><me>0.5", "0.3", "line 5: 1 numbers in a row, not 2"),
        ("<row><me>0.3</me><me>0.5</me></row>\n", "", "line 3: 1 rows, not 2"),
        ("explicit", "guessed", "line 7: type='guessed' is none of explicit, zadeh, mec"),
        ('player="0"', 'player="2"', "line 7: player='2' is not 0, 1 or both"),
        ('player="1"', 'player="0"', "it has no post-crawford-table"),
        ("<length>2", "<length>65", "line 2: 65 is not between -1 and 64"),
        ("<length>2", "<length>2.5", "line 2: 2.5 is not a length"),
        ("<met>", '<?xml version="1.0" encoding="nope"?><met>', "line 1: unknown encoding: nope"),
        ("<me>0.4", "<my>0.4", "line 8: <my> is unknown"),
        ("</met>", "", "line 10: no element found"),
        ("<met>", '<!DOCTYPE met [<!ENTITY e "x">]><met>', "line 1: entities are not read"),
    ],
)
def test_a_wrong_file_is_answered_by_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    path = tmp_path / "wrong.xml"
    path.write_text(EXPLICIT_FILE.replace(old, new))
    with pytest.raises(BadEquityTable, match=re.escape(why)):
        matchequity.load_table(str(path))


@given(st.binary(max_size=200), st.integers(0, len(EXPLICIT_FILE)), st.integers(0, 40))
def test_no_file_is_answered_by_anything_but_a_reason(noise: bytes, at: int, cut: int) -> None:
    text = EXPLICIT_FILE.encode()
    for data in (noise, text[:at] + noise + text[at + cut :]):
        with suppress(BadEquityTable):
            parsed(data)


def test_mec_is_the_formula_behind_the_printed_mec26() -> None:
    ours, printed = matchequity.load_table("mec"), matchequity.load_table("mec26")
    assert np.abs(ours.before - printed.before)[1:10, 1:10].max() < 0.006
    assert ours.before[2, 2] == pytest.approx(0.5)
    assert ours.name == "mec"
