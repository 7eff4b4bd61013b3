"""The same filters give the same matches and figures on a page and in the command line."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator

import pytest

from sixprime.bot.archive.collection.changing import annotate
from sixprime.bot.archive.collection.filters import EXCLUDING, MATCH_FILTERS, SWITCH
from sixprime.bot.archive.collection.names import join
from sixprime.bot.cli.main import main
from tests.support.web.manymatches import ATTACKS, filled
from tests.support.web.visit import Visit

COUNT = 45  # on one page of the list
VALUES = {
    "text": ("player1", "PLAYER1", "%", "splendid", "Ü", "<script>"),
    "player": ("player1", "other", "Reserve", "nobody", *ATTACKS),
    "ours": ("1",),
    "opponent": ("player3", "player1", "SixprimeBot", "Reserve"),
    "account": ("Reserve", "SixprimeBot", "player1"),
    "length": ("3", "5", "7", "money"),
    "level": ("casual", "expert", "world-class"),
    "server": ("", "fibs.com"),
    "result": ("won", "lost", "open"),
    "since": ("2026-01-10", "2026-01-25"),
    "until": ("2026-01-20", "2026-02-05"),
    "least_pr": ("0", "4.5", "12"),
}


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    folder = tmp_path_factory.mktemp("alike")
    archive = filled(folder, COUNT, with_analysis=COUNT // 2, opponents=ATTACKS)
    join(archive, "other", "player1")
    join(archive, "player2", "Reserve", ours=True)
    annotate(archive, 7, "a splendid Ürsula", {})
    made = Visit(folder, archive)
    with made.client:
        yield made
    archive.close()


def _random_filters(dice: random.Random) -> dict[str, str]:
    """Values of a few filters, by name."""
    names = dice.sample(sorted(VALUES), dice.choice((0, 1, 1, 2, 3)))
    if set(EXCLUDING) <= set(names):
        names.remove(dice.choice(EXCLUDING))
    return {name: value for name in names if (value := dice.choice(VALUES[name]))}


def test_pages_and_commands_choose_the_same_matches(
    visit: Visit, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(VALUES) == {each.name for each in MATCH_FILTERS}
    dice, sizes = random.Random(51), set()
    for _ in range(60):
        asked = _random_filters(dice)
        query, words = {}, ["--database", visit.archive.settings.database or ""]
        for each in MATCH_FILTERS:
            if each.name in asked:
                value = asked[each.name]
                query[each.key] = value
                words += [each.option] if each.kind is SWITCH else [f"{each.option}={value}"]
        assert main(["archive", "list", "--json", *words]) == 0
        printed = capsys.readouterr()
        rows = json.loads(printed.out)
        page = visit.get("/archive", **query)
        ids = [int(match_id) for match_id in re.findall(r'<a href="/archive/(\d+)">', page)]
        assert sorted(ids) == sorted(row["id"] for row in rows), asked
        remarks = re.findall(r'<p class="warning" role="status">', page)
        assert len(remarks) == len(printed.err.splitlines()), printed.err
        shown = dict(re.findall(r'/archive/(\d+)">.*?data-label="PR">([^<]*)<', page, re.DOTALL))
        for row in rows:
            pr = "–" if row["pr"] is None else f"{row['pr']:.1f}"
            assert shown[str(row["id"])] == pr
        assert main(["archive", "stats", "--json", *words]) == 0
        total = json.loads(capsys.readouterr().out)["total"]
        said = re.search(r">(\d+)</a></dd>", visit.get("/archive/statistics", **query))
        assert said
        assert int(said[1]) == total["matches"] == len(rows)
        sizes.add(len(rows))
    assert len(sizes) > 10


def test_every_link_keeps_the_filters(visit: Visit) -> None:
    query = {"player": "player1", "length": "3", "text": "player"}
    for path in ("/archive", "/archive/statistics", "/archive/errors", "/archive/openings"):
        page = visit.get(path, **query)
        links = re.findall(r'href="(/archive(?:/statistics|/errors|/openings)?\?[^"]+)"', page)
        assert len(links) > 3
        for link in links:
            assert {"player=player1", "text=player"} <= set(re.split("[?]|&amp;", link)), link


def test_a_player_and_oneself_exclude_each_other(
    visit: Visit, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = visit.client.get("/archive", params={"player": "player1", "me": "1"})
    assert answer.status_code == 400
    assert "not both" in answer.text
    with pytest.raises(SystemExit):
        main(["archive", "list", "--player", "player1", "--me"])
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize("query", [{}, {"me": "1"}, {"player": "SixprimeBot", "length": "3"}])
def test_pages_of_errors_and_openings_say_what_the_commands_say(
    visit: Visit, capsys: pytest.CaptureFixture[str], query: dict[str, str]
) -> None:
    words = ["--json", "--database", visit.archive.settings.database or ""]
    for key, value in query.items():
        words += [f"--{key}"] if key == "me" else [f"--{key}", value]
    assert main(["archive", "errors", "--most", "50", *words]) == 0
    told = json.loads(capsys.readouterr().out)
    page = visit.get("/archive/errors", **query)
    kinds = re.findall(r'<tr><td>[^<]+</td><td class="number">(\d+)</td>', page)
    assert [int(errors) for errors in kinds] == [kind["errors"] for kind in told["kinds"]]
    shown = re.findall(r'<a href="(/archive/\d+\?error=[^"]+)">([\d.]+)</a>', page)
    given = [f"{error['given']:.3f}" for error in told["worst"]]
    assert shown
    assert [size for _, size in shown] == given[: len(shown)]
    for link, size in shown[:5]:
        assert f"gives away {size}" in visit.get(link)
    assert main(["archive", "openings", *words]) == 0
    plays = json.loads(capsys.readouterr().out)["plays"]
    rows = re.findall(
        r"<td class=.play.>([^<]+)</td><td class=.number.>(\d+)<",
        visit.get("/archive/openings", **query),
    )
    assert [(row["play"], str(row["times"])) for row in plays] == rows
