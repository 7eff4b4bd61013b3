"""The archive's pages without a browser: what is shown, what is done, what is refused."""

from __future__ import annotations

import asyncio
import io
import json
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.analysis.store import analysis_of
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import add_file
from sixprime.bot.archive.collection.names import join
from sixprime.bot.web.frame.guard import MOST_UPLOAD, Busy
from sixprime.bot.web.frame.tasks import LongTask, TaskRunner
from sixprime.bot.web.library.actions import shown_name
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.listquery import SORTS, ListQuery
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.archive.told import needs_postgres, settings_in
from tests.support.web.manymatches import ANALYSED, ATTACKS, SETTINGS, analysed, filled, variation
from tests.support.web.visit import HOST, ORIGIN, Visit

COUNT = 60
CUBES = (3, 4)  # matches with missed and wrong doubles, and a wrong answer
A_FILE = Path(__file__).parents[2] / "data" / "interop" / "external-match-3pt.mat"


class Reader(Visit):
    """Somebody who looks at an archive of their own."""

    home = "/archive"

    def __init__(self, folder: Path, *, act: str | None = None, watch: str | None = None) -> None:
        archive = filled(folder, COUNT, with_analysis=COUNT, opponents=ATTACKS)
        super().__init__(folder, archive, act=act, watch=watch)

    def listed(self, **query: str | int) -> list[int]:
        """The ids of a page of the list, in order."""
        return [
            int(each)
            for each in re.findall(r'<a href="/archive/(\d+)">', self.get("/archive", **query))
        ]

    def wait(self) -> str:
        """How the chore ended, as the page says it."""
        for _ in range(1200):
            text = self.get("/archive/chore")
            if 'data-state="going"' not in text:
                return text
            time.sleep(0.1)
        pytest.fail("the chore does not end")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    made = Reader(tmp_path_factory.mktemp("library"))
    with made.client:
        yield made
    made.archive.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Reader]:
    """For what changes the archive."""
    made = Reader(tmp_path)
    with made.client:
        yield made
    made.archive.close()


# --- lists


def everything(archive: Archive) -> list[tuple[dict[str, str], Callable[[Any], bool]]]:
    """Queries, and which rows they mean."""
    found = {row.id: analysis_of(archive, row.id, SETTINGS.key) for row in archive.rows()}
    rates = {match_id: each.statistics for match_id, each in found.items() if each is not None}

    def pr(row: Any) -> float:
        known = rates[row.id][0].pr if row.id in rates else None
        return -1.0 if known is None else known

    def day(row: Any) -> str:
        return f"{row.started:%F}"

    return [
        ({"opponent": "player1"}, lambda row: row.opponent == "player1"),
        ({"player": "Reserve", "me": "0"}, lambda row: row.account == "Reserve"),
        ({"text": "PLAYER1"}, lambda row: "player1" in row.opponent),
        ({"text": "<script>"}, lambda row: "<script>" in row.opponent),
        ({"text": "%"}, lambda row: "%" in row.opponent),
        ({"length": "3"}, lambda row: row.length == 3),
        ({"length": "money"}, lambda row: row.length == 0),
        ({"level": "expert"}, lambda row: row.level == "expert"),
        ({"server": "nowhere"}, lambda row: False),
        ({"result": "lost"}, lambda row: row.winner == 1),
        ({"result": "open"}, lambda row: row.winner is None),
        ({"from": "2026-01-20"}, lambda row: day(row) >= "2026-01-20"),
        ({"to": "2026-01-20"}, lambda row: day(row) <= "2026-01-20"),
        ({"pr": "10"}, lambda row: pr(row) >= 10),
        ({"length": "3", "result": "won", "to": "2026-02-10"},
         lambda row: row.length == 3 and row.winner == 0 and day(row) <= "2026-02-10"),
    ]  # fmt: skip


def chosen_and_sorted(archive: Archive) -> None:
    """The database chooses as one would by hand, and sorts both ways, with the unknown last."""
    rows, catalogue = archive.rows(), Catalogue(archive)
    for query, fits in everything(archive):
        wanted = {row.id for row in rows if fits(row)}
        assert set(catalogue.ids(ListQuery.from_query(query))) == wanted, query
    for sort in SORTS:

        def values(order: str, sort: str = sort) -> list[Any]:
            page = catalogue.page(ListQuery.from_query({"sort": sort, "order": order}))["rows"]
            return [_value(row, sort) for row in page]

        rising, falling = values("rising"), values("falling")
        for found, backwards in ((rising, False), (falling, True)):
            known = [each for each in found if each is not None]
            missing = [None] * (len(found) - len(known))
            assert found == sorted(known, reverse=backwards) + missing, sort
        assert len(set(rising + falling)) > 1, sort


def test_filters_and_columns_do_what_they_say(reader: Reader) -> None:
    chosen_and_sorted(reader.archive)
    count = len(reader.archive.rows())
    for query, fits in everything(reader.archive):
        said = re.search(r"(\d+) match", reader.get("/archive", **query))
        assert said
        assert int(said[1]) == sum(map(fits, reader.archive.rows())) < count


@pytest.mark.postgres
@needs_postgres
def test_filters_and_columns_do_the_same_on_postgresql(tmp_path: Path) -> None:
    archive = filled(settings_in(tmp_path, "postgres"), COUNT, COUNT, ATTACKS)
    chosen_and_sorted(archive)
    archive.close()


def test_a_player_is_found_by_each_name(own: Reader) -> None:
    join(own.archive, "player2", "player1")
    ids = own.listed(opponent="player1")
    assert ids == own.listed(opponent="player2")
    assert {own.archive.row(each).opponent for each in ids} == {"player1", "player2"}


def _value(row: dict[str, Any], sort: str) -> Any:
    ours, theirs = (int(each) for each in row["score"].split("–"))
    if sort in ("pr", "their_pr"):
        return row["prs"][sort == "their_pr"]
    if sort == "score":
        return ours - theirs
    if sort == "result":
        return {"won": 0, "lost": 1}.get(row["result"])
    value = row["day" if sort == "started" else sort]
    return value.lower() if isinstance(value, str) else value


def test_pages_hold_every_match_once(reader: Reader) -> None:
    pages = [reader.listed(page=page) for page in range(3)]
    assert [len(each) for each in pages[:2]] == [50, COUNT - 50]
    assert len({*pages[0], *pages[1]}) == COUNT
    assert pages[2] == pages[1]  # behind the last there is the last


@given(
    st.dictionaries(
        st.sampled_from(["opponent", "length", "level", "result", "from", "to", "pr", "sort",
                         "order", "page", "player", "me", "text", "account"]),
        st.text(max_size=12) | st.sampled_from(["9" * 30, "nan", "-1", "²", "9999-12-31", "'--"]),
    )
)  # fmt: skip
def test_whatever_an_address_asks_for_is_answered(query: dict[str, str]) -> None:
    asked = ListQuery.from_query(query)
    assert ListQuery.from_query(asked.words()).words() == asked.words()


def test_what_is_no_day_and_no_number_is_said(reader: Reader) -> None:
    wrong = {"pr": "<b>nan", "from": "2026-13-01", "to": "9999-12-31"}
    answer = reader.client.get("/archive", params=wrong)
    assert answer.status_code == 400
    page = answer.text
    assert page.count('class="problem" role="alert">“') == 2
    assert "<b>nan" not in page
    for path in ("/archive/statistics", "/archive/matches.zip", "/archive/1?step=x"):
        sent = wrong if "?" not in path else None
        assert reader.client.get(path, params=sent).status_code == 400


# --- statistics


@pytest.mark.parametrize("query", [{}, {"player": "SixprimeBot"}])
def test_each_figure_of_the_statistics_leads_to_its_matches(
    reader: Reader, query: dict[str, str]
) -> None:
    page = reader.get("/archive/statistics", **query)
    rows = re.findall(
        r'<td class="name"><a href="([^"]+)">[^<]+</a></td>\s*<td class="number">(\d+)</td>', page
    )
    assert len(rows) > 20
    for link, count in rows:
        said = re.search(r"(\d+)(</a></dd>| match)", reader.get(link.replace("&amp;", "&")))
        assert said
        assert said[1] == count, link
    charts = re.findall(r'<a href="(/archive\?[^"]+)" tabindex="-1" aria-hidden="true">', page)
    assert charts
    for link in charts:
        assert reader.get(link.replace("&amp;", "&"))


def test_of_many_months_the_last_are_shown(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.bot.web.library.statistics.MOST_ROWS", 1)
    page = reader.get("/archive/statistics")
    months = page.partition('id="by-month"')[2].partition("</section>")[0]
    assert re.findall(r">(\d{4}-\d\d)<", months) == ["2026-02"]  # January has more matches
    assert "1 earlier are not shown." in months


# --- replay


@pytest.mark.parametrize("number", CUBES)
def test_every_step_of_a_match_is_shown_with_what_the_analysis_says(
    reader: Reader, number: int
) -> None:
    found = analysed(number)
    match_id = reader.listed(sort="started", order="rising")[number]
    first = reader.get(f"/archive/{match_id}")
    said = re.search(r"1 of (\d+)", first)
    assert said
    shown = [
        reader.get(f"/archive/{match_id}", step=step).partition('id="graphs"')[0]
        for step in range(int(said[1]))
    ]
    errors = [each for each in found.errors() if each.verdict.error < 0]
    assert sum(text.count("gives away") for text in shown) == len(errors)
    for error in errors:
        assert any(f"gives away {-error.verdict.error:.3f}" in text for text in shown)
    assert sum(text.count("Proper action") for text in shown) > 0
    assert sum('class="chances"' in text for text in shown) > len(shown) / 2


@pytest.mark.parametrize("number", CUBES)
def test_links_of_graphs_and_errors_lead_to_their_steps(reader: Reader, number: int) -> None:
    match_id = reader.listed(sort="started", order="rising")[number]
    page = reader.get(f"/archive/{match_id}")
    worst = re.findall(r'<a href="\?step=(\d+)" data-step="\d+"><span class="given">([\d.]+)', page)
    assert worst
    for step, lost in worst:
        assert f"gives away {lost}" in reader.get(f"/archive/{match_id}", step=step)
    assert (
        len(set(re.findall(r'<a href="\?step=(\d+)" tabindex="-1" aria-hidden="true">', page))) > 10
    )


def test_a_script_gets_the_step_alone(reader: Reader) -> None:
    match_id = reader.listed()[0]
    whole = reader.get(f"/archive/{match_id}", step=3)
    part = reader.client.get(f"/archive/{match_id}?step=3", headers={"x-fragment": "1"}).text
    assert part.strip() in whole
    assert "<html" not in part


@pytest.mark.parametrize("path", ["/archive/0", "/archive/99999999999999999999", "/archive/1.exe",
                                  "/archive/1.%2e%2e%2fetc", "/archive/x"])  # fmt: skip
def test_what_is_not_there_is_not_found(reader: Reader, path: str) -> None:
    assert reader.client.get(path).status_code == 404


# --- downloads


def test_a_match_is_downloaded_in_every_format(reader: Reader) -> None:
    match_id = reader.listed(sort="started", order="rising")[0]
    for form, mark in (("sgf", "(;"), ("mat", "point match"), ("oldmoves", "Score is")):
        answer = reader.client.get(f"/archive/{match_id}.{form}")
        assert mark in answer.text
        assert "attachment" in answer.headers["content-disposition"]
    report = reader.client.get(f"/archive/{match_id}.html")
    assert "attachment" in report.headers["content-disposition"]
    assert "Move by move" in report.text
    (match,) = sgf.read_sgf(reader.get(f"/archive/{match_id}.sgf")).strictly()
    assert any(getattr(each, "analysis", None) for each in match.games[0].actions)


def test_names_of_downloads_are_names_and_nothing_else(reader: Reader) -> None:
    for name in ATTACKS:
        for match_id in reader.listed(opponent=name):
            header = reader.client.get(f"/archive/{match_id}.mat").headers["content-disposition"]
            assert re.fullmatch(r'attachment; filename="[A-Za-z0-9_~-]+\.mat"', header)


def test_what_is_asked_for_comes_as_a_zip(reader: Reader) -> None:
    query = {"opponent": "player1", "format": "mat"}
    data = reader.client.get("/archive/matches.zip", params=query).content
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        assert len(found.namelist()) == len(reader.listed(opponent="player1")) > 1
        assert found.testzip() is None
        assert all(b"point match" in found.read(each) for each in found.namelist())
    data = reader.client.get("/archive/matches.zip", params={"format": "html"}).content
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        reports = [each for each in found.namelist() if each.endswith(".html")]
        left_out = found.read("left-out.txt").decode()
        assert len(reports) == COUNT * ANALYSED // 20
        assert left_out.count("has none yet") == COUNT - len(reports)
        assert all(re.fullmatch(r"[\w~.-]+", each) for each in found.namelist())
    assert reader.client.get("/archive/matches.zip?format=exe").status_code == 404


# --- import


def test_an_archive_of_files_says_what_became_of_its_members(own: Reader) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("evening.mat", A_FILE.read_bytes())
        archive.writestr("deep/bad.sgf", "(;FF[4]")
    own.upload("/archive/import", [("all.zip", packed.getvalue())])
    told = own.wait()
    assert "1 match added, 1 of 2 files refused" in told
    assert "1 of 2 refused: bad.sgf: " in told


def test_files_are_imported_and_each_says_what_became_of_it(own: Reader) -> None:
    good = A_FILE.read_bytes()
    files = [
        ("evening.mat", good),
        ("again.mat", good),
        ("../../../etc/passwd", b"root:x:0:0\n"),
        ("..\\..\\windows\\<script>alert(1)</script>.sgf", b"(;FF[4]"),
        ("{{7*191}}.mat", b"\0\1\2"),
        ("empty.mat", b""),
    ]
    with structlog.testing.capture_logs() as logged:
        assert own.upload("/archive/import", files).headers["location"] == "/archive#chore"
        told = own.wait()
    assert "1 match added, 1 archived already" in told
    assert "4 of 6 files refused" in told
    assert told.count('<li class="bad">') == 4
    assert "passwd" in told
    assert "etc/passwd" not in told
    assert "<script>" not in told
    assert "1337" not in told
    assert len(own.archive.rows()) == COUNT + 1
    (entry,) = [each for each in logged if each["event"] == "import"]
    assert entry["files"] == len(files)
    assert entry["address"] == "testclient"


@given(st.text())
def test_the_name_of_a_file_is_one_short_line(name: str) -> None:
    shown = shown_name(name)
    assert shown
    assert len(shown) <= 80
    assert shown.isprintable()
    assert "/" not in shown
    assert "\\" not in shown


def test_what_says_that_it_is_too_large_is_refused(own: Reader) -> None:
    for size in (100 * 2**20, MOST_UPLOAD + 1, 10**20, -1):
        headers = {**ORIGIN, "content-length": str(size)}
        answer = own.client.post("/archive/import", content=b"x", headers=headers)
        assert answer.status_code == 413
    large = own.client.post("/archive/analyse", content=b"x" * 70_000, headers=ORIGIN)
    assert large.status_code == 413


def test_no_file_and_no_form_of_files_is_refused(own: Reader) -> None:
    assert own.post("/archive/import").status_code == 400
    assert own.upload("/archive/import", [("", b"")]).status_code == 400
    many = [(f"{i}.mat", b"") for i in range(501)]
    assert own.upload("/archive/import", many).status_code == 400


# --- analysis


def test_what_is_asked_for_is_analysed_and_shown(own: Reader) -> None:
    row = own.archive.rows()[ANALYSED + 1]
    page = own.get(f"/archive/{row.id}")
    assert "Not analysed yet" in page
    level = "casual"
    answer = own.post("/archive/analyse", match=str(row.id), step="4", level_of_analysis=level)
    assert answer.headers["location"] == f"/archive/{row.id}?step=4#chore"
    assert "1 match analysed" in own.wait()
    assert analysis_of(own.archive, row.id, AnalysisSettings.of("casual").key) is not None
    assert "Worst errors" in own.get(f"/archive/{row.id}")
    answer = own.post("/archive/analyse", opponent=row.opponent, level_of_analysis="casual")
    assert answer.headers["location"] == f"/archive?{urlencode({'opponent': row.opponent})}#chore"
    assert "1 were already" in own.wait()
    for page in ("/archive", f"/archive/{own.archive.rows()[ANALYSED + 2].id}"):
        offered = re.findall(r"<option selected>([^<]+)</option>", own.get(page))
        assert offered.count("casual") == 1
        assert "world-class" not in offered


def test_an_analysis_is_stopped_and_only_one_is_under_way(own: Reader) -> None:
    assert own.post("/archive/analyse", level_of_analysis="grandmaster").status_code == 303
    assert own.post("/archive/analyse", level_of_analysis="casual").status_code == 409
    assert own.upload("/archive/import", [("a.mat", b"")]).status_code == 409
    with own.client.stream("GET", "/archive/chore") as answer:
        assert answer.status_code == 200
    assert own.post("/archive/chore/stop").status_code == 303
    assert "stopped" in own.wait()
    assert own.post("/archive/analyse", level_of_analysis="none").status_code == 400
    assert own.post("/archive/analyse", level_of_analysis="casual", match="x").status_code == 400


def test_the_task_is_asked_before_the_list(own: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that says "done" lists all that was done."""
    own.upload("/archive/import", [("evening.mat", A_FILE.read_bytes())])
    own.wait()
    asked: list[str] = []

    def note(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            asked.append(name)
            return work(*given)

        return noted

    monkeypatch.setattr(LongTask, "shown", note("task", LongTask.shown))
    monkeypatch.setattr(Library, "listed", note("list", Library.listed))
    own.get("/archive")
    assert asked == ["task", "list"]


def test_the_progress_of_a_chore_is_told_as_it_changes() -> None:
    asyncio.run(the_progress_is_told())


async def the_progress_is_told() -> None:
    tasks = TaskRunner("archive")
    task = LongTask("Import", 2)
    steps = iter([1, 2])

    def work(task: LongTask) -> None:
        for step in steps:
            task.progress(step, 2)
            time.sleep(0.4)
        raise ValueError("a fault of ours")

    tasks.start(task, work)
    with pytest.raises(Busy):
        tasks.start(LongTask("Import", 1), work)
    seen = []
    async for line in tasks.pictures():
        seen.append(json.loads(line.removeprefix("data: ")))
        if seen[-1]["state"] != "going":
            break
    assert [each["done"] for each in seen][-1] == 2
    assert seen[-1]["state"] == "failed"
    assert "fault of ours" not in seen[-1]["summary"]
    tasks.stop()


# --- who may do what

DEEDS = ("/archive/analyse", "/archive/import", "/archive/chore/stop")
PAGES = ("/archive", "/archive/statistics", "/archive/1", "/archive/1.sgf", "/archive/matches.zip",
         "/archive/chore")  # fmt: skip


def test_foreign_names_origins_and_tokens_do_nothing(own: Reader) -> None:
    token = own.token()
    for path in DEEDS:
        good = {"token": token, "level_of_analysis": "casual"}
        for origin in ("http://evil.example", "null", f"https://{HOST}.evil.example"):
            answer = own.client.post(path, data=good, headers={"origin": origin})
            assert answer.status_code == 403
        assert own.client.post(path, data=good, headers={"host": "evil.example"}).status_code == 421
        for wrong in ("", "old", token[:-1], "é"):
            answer = own.client.post(path, data=good | {"token": wrong}, headers=ORIGIN)
            assert answer.status_code == 403
        assert own.client.get(path).status_code in (404, 405)
    files = [("files", ("a.mat", A_FILE.read_bytes()))]
    refused = own.client.post("/archive/import", data={"token": "x"}, files=files, headers=ORIGIN)
    assert refused.status_code == 403
    assert len(own.archive.rows()) == COUNT
    assert own.get("/archive/chore").strip() == ""


def test_who_may_only_watch_sees_everything_and_does_nothing(tmp_path: Path) -> None:
    made = Reader(tmp_path, act="open sesame", watch="only looking")
    with made.client as client:
        for path in PAGES:
            assert client.get(path).headers["location"].startswith("/login")
        client.post("/login", data={"password": "only looking"}, headers=ORIGIN)
        for path in PAGES:
            answer = client.get(path)
            assert answer.status_code == 200
            if "html" in answer.headers["content-type"]:
                assert 'method="post"' not in answer.text
                assert 'name="token"' not in answer.text
        with structlog.testing.capture_logs() as logged:
            for path in DEEDS:
                files = [("files", ("a.mat", A_FILE.read_bytes()))]
                answer = client.post(path, data={"token": "x"}, files=files, headers=ORIGIN)
                assert answer.status_code == 403
                assert "only watch" in answer.text
        assert [each["event"] for each in logged] == ["refused"] * len(DEEDS)
    assert len(made.archive.rows()) == COUNT
    made.archive.close()


def test_a_player_without_a_name_is_called_unnamed(tmp_path: Path) -> None:
    archive = filled(tmp_path, 1)
    (match_id,) = add_file(archive, "nameless", [variation(1, "")])
    with Visit(tmp_path, archive).client as client:
        for path in ("/archive", f"/archive/{match_id}", "/archive/statistics"):
            text = client.get(path).text
            assert "unnamed" in text
            assert not re.search(r"<a [^>]*></a>", text)
    archive.close()


def test_markup_in_names_is_text_on_every_page(reader: Reader) -> None:
    for name in ATTACKS:
        (match_id, *_) = reader.listed(opponent=name)
        pages = [
            reader.get("/archive", opponent=name, level=name),
            reader.get("/archive/statistics"),
            reader.get("/archive/statistics", opponent=name),
            *(reader.get(f"/archive/{match_id}", step=step) for step in (0, 5, 9999)),
        ]
        for page in pages:
            assert "<script>alert" not in page
            assert "<svg onload" not in page
            assert "<b>bold" not in page
            assert "1337" not in page
            assert not re.search(r'href="javascript:', page)
            assert not re.search(r"<script>|<style|\sstyle=|\son\w+=(?!alert\(1\)&gt;|\w*…)", page)


def test_comments_and_marks_are_edited_on_the_page_of_the_match(own: Reader) -> None:
    form = {"match": "1", "step": "2", "game": "1", "move": "3", "of_game": "game of\r\ndice"}
    words = {
        "comment": "<b>too</b> early",
        "mark": "very bad",
        "luck": "lucky",
        "cube_mark": "none",
    }
    assert own.post("/archive/annotate", **form, **words).status_code == 303
    page = own.get("/archive/1", step=2)
    for shown in ("&lt;b&gt;too&lt;/b&gt; early", "Marked: very bad, lucky roll", "game of\ndice"):
        assert shown in page
    assert "too" not in own.get("/archive/1", step=3).split('id="words"')[1]
    about = {"match": "1", "note": "my best", "event": "Cup", "round": "1", "annotator": "anna"}
    assert own.post("/archive/annotate", **about).status_code == 303
    match = own.archive.match(1)
    assert (match.comment, match.event, match.annotator) == ("my best", "Cup", "anna")
    assert 'value="Cup"' in own.get("/archive/1")
    assert "my best" in own.get("/archive/1")
    assert own.post("/archive/annotate", **form | {"move": "9999"}).status_code == 400
    assert own.post("/archive/annotate", **form | {"match": "9999"}).status_code in (404, 503)
    removed = {"comment": "", "mark": "none", "luck": "none", "of_game": ""}
    assert own.post("/archive/annotate", **form | removed).status_code == 303
    assert "Marked" not in own.get("/archive/1", step=2)
    untold = own.client.post("/archive/annotate", data=form, headers=ORIGIN)
    assert untold.status_code == 403  # without the token of the session
