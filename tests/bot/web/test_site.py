"""The pages without a browser: what is refused, what is shown, what is kept."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.web.frame.guard import LOGINS_PER_MINUTE
from sixprime.bot.web.library import library
from sixprime.bot.web.play.boardmatch import Asks, BoardMatch, match_to_plain
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.protocols.formats.record import Rules
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.web.person import planted
from tests.support.web.visit import HOST, NEW, ORIGIN, Visit

DEEDS = {Asks.ROLL: "roll", Asks.ANSWER: "take", Asks.RESIGNATION: "accept"}


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    made = Visit(tmp_path)
    with made.client:
        yield made
    made.archive.close()


def first_play(match: BoardMatch) -> str:
    """The steps that come first, as the page's script sends them."""
    open_ways, stage, steps = match.ways, 0, []
    assert open_ways is not None
    while open_ways.steps[stage]:
        step, stage = next(iter(open_ways.steps[stage].items()))
        steps.append(f"{step.start}/{step.end}")
    return " ".join(steps)


def play_out(visit: Visit, path: str) -> None:
    """Take the first step and the first answer there is, until the match is over."""
    store, key = visit.store, path.rpartition("/")[2]
    token = visit.token()
    for _ in range(2_000):
        match = store.open_match(key)
        asks = match.asks
        if asks is Asks.NOTHING:
            return
        fields: dict[str, str] = {}
        deed = DEEDS.get(asks, "next")
        if asks is Asks.PLAY:
            deed, fields = "play", {"steps": first_play(match)}
        answer = visit.client.post(
            f"{path}/{deed}", data={"token": token, **fields}, headers=ORIGIN
        )
        assert answer.status_code == 303, (deed, answer.text)
    pytest.fail("the match does not end")


# --- playing


def test_a_match_is_played_to_its_end_and_archived(visit: Visit) -> None:
    path = visit.begin(length="3")
    play_out(visit, path)
    page = visit.client.get(path).text
    assert "the match" in page
    (row,) = visit.archive.rows()
    assert (row.length, row.opponent) == (3, "Sixprime simple")
    assert row.winner in (0, 1)
    replay = visit.client.get(f"/archive/{row.id}?step=7")
    assert replay.status_code == 200
    for suffix in ("sgf", "mat"):
        assert visit.client.get(f"/archive/{row.id}.{suffix}").status_code == 200


def test_people_are_offered_first_and_a_match_against_them_is_archived_with_its_level(
    visit: Visit,
) -> None:
    lobby = visit.client.get("/play").text
    assert '<option value="pr 7" selected>a club player, PR 7</option>' in lobby
    assert lobby.index("a casual player, PR 14") < lobby.index("beginner")
    path = visit.begin(level="pr 8")
    play_out(visit, path)
    (row,) = visit.archive.rows()
    assert row.opponent == "Sixprime pr 8"
    (told,) = sgf.read_sgf(visit.client.get(f"/archive/{row.id}.sgf").text).matches
    for match in (told, visit.archive.match(row.id)):
        assert [player.level for player in match.players] == ["", "pr 8"]


def test_a_pr_may_be_typed(visit: Visit) -> None:
    path = visit.begin(level="beginner", pr="07.50")
    assert visit.store.open_match(path.rpartition("/")[2]).level == "pr 7.5"


def test_a_match_that_ends_while_the_archive_is_away_is_archived_when_it_is_looked_at(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise ArchiveError("the database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(library, "keep_match", away)
        path = visit.begin(length="1")
        play_out(visit, path)
        page = visit.client.get(path)
    assert (page.status_code, "Replay" in page.text) == (200, False)
    assert "Replay" in visit.client.get(path).text
    assert visit.client.get(path).text.count("Replay") == len(visit.archive.rows()) == 1


def test_a_match_goes_on_where_it_was_after_a_restart(visit: Visit, tmp_path: Path) -> None:
    path = visit.begin()
    key = path.rpartition("/")[2]
    match = visit.store.open_match(key)
    while match.asks is not Asks.PLAY:
        match.roll()
    assert match.ways is not None
    step = next(iter(match.ways.steps[0]))
    match.make((step,))
    visit.store.save(key, match)
    again = MatchStore(tmp_path / "matches").open_match(key)
    assert match_to_plain(again) == match_to_plain(match)
    assert again.begun == (step,)


@pytest.mark.parametrize(
    "steps",
    ["8/5", "1/24", "x", "", "8/5 " * 5, "25/0", "8/5 6/5 5/4", "99/98", "8/5 ;6/5", "-1/3"],
)
def test_an_illegal_play_is_refused_and_changes_nothing(visit: Visit, steps: str) -> None:
    key = visit.store.add(planted())
    before = match_to_plain(visit.store.open_match(key))
    assert visit.post(f"/play/{key}/play", steps=steps).status_code == 409
    assert match_to_plain(visit.store.open_match(key)) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"level": "none"},
        {"level": "pr 31"},
        {"pr": "0"},
        {"pr": "x"},
        {"rating": "\u0661\u0666\u0665\u0660"},
        {"length": "99999"},
        {"length": "-1"},
        {"variant": "chess"},
        {"length": "x"},
    ],
)
def test_no_such_match_is_begun(visit: Visit, fields: dict[str, str]) -> None:
    assert visit.post("/play", **(NEW | fields)).status_code == 400


def test_a_damaged_match_is_not_there_and_the_others_are(visit: Visit) -> None:
    path = visit.begin()
    (visit.store.folder / f"{'0' * 16}.json").write_text('{"version": 2}')
    text = (visit.store.folder / f"{path[6:]}.json").read_text()
    damaged = json.loads(text)
    damaged["record"] = re.sub(r'"dice": ?\[[0-9], ?[0-9]', '"dice": [7, 7', damaged["record"])
    (visit.store.folder / f"{'1' * 16}.json").write_text(json.dumps(damaged))
    for key in ("0" * 16, "1" * 16):
        assert visit.client.get(f"/play/{key}").status_code == 404
    assert visit.client.get("/play").text.count(path) == 1


@pytest.mark.parametrize("key", ["nothing", "..%2f..%2fetc%2fpasswd", "0" * 16, "a" * 5_000])
def test_no_other_file_is_read(visit: Visit, key: str) -> None:
    assert visit.client.get(f"/play/{key}").status_code == 404


def test_an_empty_archive_says_so(visit: Visit) -> None:
    assert "The archive is empty" in visit.client.get("/archive").text
    assert "By opponent" not in visit.client.get("/archive/statistics").text
    filtered = visit.client.get("/archive", params={"opponent": "ben"}).text
    assert "0 matches" in filtered


# --- positions


def test_a_position_is_shown_with_its_plays_and_a_wrong_one_with_its_fault(visit: Visit) -> None:
    page = visit.client.get("/position", params={"id": "4HPwATDgc/ABMA", "dice": "31"}).text
    assert "8/5 6/5" in page
    assert "No double" in visit.client.get("/position", params={"id": "4HPwATDgc/ABMA"}).text
    late = f"{'A long letter. ' * 100} 4HPwATDgc/ABMA"
    assert "No double" in visit.client.get("/position", params={"id": late}).text
    for wrong in ("<b>x</b>", "4HPwATDgc/ABM", "XGID=nothing"):
        answer = visit.client.get("/position", params={"id": wrong})
        assert answer.status_code == 400
        assert 'role="alert"' in answer.text
        assert "<b>x" not in answer.text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"at": "x"}, "26 places"),
        ({"id": "hello world"}, "no position in"),
        ({"id": "4HPwATDgc/ABMA" + 4_000 * " ;"}, "not 8014 characters"),
        ({"at": "A" + "-" * 25}, "a bar of their own"),
        ({"at": "-" * 13 + "P" + "-" * 12}, "1 to 15 checkers"),
        ({"at": "-" * 13 + "OA" + "-" * 11}, "at most 15 checkers"),
        ({"length": "7", "below": "7"}, "is over"),
        ({"length": "65"}, "from 0 to 64"),
        ({"cube": "3"}, "No cube shows 3"),
        ({"dice": "70"}, "numbers from 1 to 6"),
        ({"turn": "²"}, "from 0 to 1"),
    ],
)
def test_a_position_that_cannot_be_set_up_is_refused(
    visit: Visit, fields: dict[str, str], told: str
) -> None:
    page = visit.client.get("/position", params=fields)
    assert page.status_code == 400
    assert told in page.text
    drawn = visit.client.get("/position", params=fields, headers={"x-fragment": "1"})
    assert drawn.status_code == 200  # a browser's console would complain
    assert told in drawn.text
    assert visit.client.get("/position.svg", params=fields).status_code == 400


@pytest.mark.parametrize("wrong", [{"dice": "7"}, {"length": "5"}, {"cube": "3"}, {"turn": "05"}])
def test_a_field_that_cannot_be_read_leaves_the_others_as_they_are(
    visit: Visit, wrong: dict[str, str]
) -> None:
    board = "-b----E-C---eE---c-e------"
    fields = {"at": board, "turn": "0", "dice": "31", "length": "7", "above": "3", "below": "6"}
    page = visit.client.get("/position", params=fields | wrong).text
    assert 'class="problem"' in page
    assert f'name="at" value="{board}"' in page
    assert 'name="above" value="3"' in page


def test_a_position_seen_by_the_player_above_is_asked_about_in_his_numbers(visit: Visit) -> None:
    fields = {"turn": "0", "dice": "31", "look": "1"}
    page = visit.client.get("/position", params=fields).text
    assert "8/5 6/5" in page
    pasted = re.search(r"XGID=[^<]*", page)
    assert pasted is not None
    assert pasted[0].split(":")[3] == "-1"
    again = visit.client.get("/position", params={"id": pasted[0]}).text
    assert "8/5 6/5" in again


def test_a_rollout_ends_with_its_results_and_only_who_may_act_starts_one(visit: Visit) -> None:
    race = {"id": "XGID=-BB--------------------bb-:0:0:1:00:0:0:0:0:10", "trials": "144"}
    assert visit.post("/position/rollout", **(race | {"trials": "9999999"})).status_code == 400
    assert visit.post("/position/rollout", **race, token="guess").status_code == 403
    answer = visit.post("/position/rollout", **race)
    assert answer.headers["x-accel-buffering"] == "no"  # nginx shows progress as it is made
    last = json.loads(answer.text.split("data: ")[-1])
    assert (last["ended"], last["done"]) == (True, 288)
    assert last["action"].endswith("pass")
    assert {row["name"] for row in last["rows"]} == {"no double", "double, take"}


# --- what is refused


def test_markup_in_a_name_is_text(visit: Visit) -> None:
    path = visit.begin(name="<script>alert(1)")
    for page in (path, "/play"):
        text = visit.client.get(page).text
        assert "<script>alert" not in text
    path = visit.begin(name="{{77*77}}")
    assert "5929" not in visit.client.get(path).text


def test_a_foreign_host_or_origin_gets_no_answer(visit: Visit) -> None:
    for host in ("evil.example", "evil.example:8760", "127.0.0.1:1", ""):
        assert visit.client.get("/play", headers={"host": host}).status_code == 421
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1"):
        assert visit.post("/play", origin=origin, **NEW).status_code == 403
    foreign = {"sec-fetch-site": "cross-site"}
    data = NEW | {"token": visit.token()}
    assert visit.client.post("/play", data=data, headers=foreign).status_code == 403
    assert not list(visit.store.recent())


def test_tabs_that_were_opened_at_once_may_all_act(visit: Visit) -> None:
    first = visit.token()
    visit.client.cookies.clear()  # as the second asks before the first has its cookie
    second = visit.token()
    for token in (first, second):
        assert visit.post("/play", token=token, **NEW).status_code == 303


@pytest.mark.parametrize("token", ["", "old", "é" * 20])
def test_a_form_without_the_token_of_its_session_is_refused(visit: Visit, token: str) -> None:
    assert visit.post("/play", token=token, **NEW).status_code == 403
    assert not list(visit.store.recent())


def test_what_is_too_large_is_not_read(visit: Visit) -> None:
    answer = visit.client.post("/play", content=b"x" * 200_000, headers=ORIGIN)
    assert answer.status_code == 413
    assert visit.client.request("PUT", "/play").status_code == 405


def test_every_answer_forbids_what_is_not_ours(visit: Visit) -> None:
    for path in ("/play", "/static/style.css", "/nothing", "/position"):
        policy = visit.client.get(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    for page in ("/play", "/position?id=4HPwATDgc/ABMA", "/archive"):
        text = visit.client.get(page).text
        assert not re.search(r"<script>|<style|\sstyle=|\son\w+=", text)


def test_every_change_goes_through_the_door_that_asks_for_the_token(tmp_path: Path) -> None:
    made = Visit(tmp_path)
    paths = ("/play", "/play/abc/roll", "/logout")
    with made.client as client:
        client.get("/play")
        for path in paths:
            answer = client.post(path, data={"x": "1"}, headers=ORIGIN)
            assert answer.status_code == 403, path
    made.archive.close()


def test_a_deed_that_was_done_on_an_older_board_is_not_done(visit: Visit) -> None:
    path = visit.begin(by_hand="1")
    key = path.rpartition("/")[2]
    fields = {"token": visit.token(), "first": "3", "second": "1"}
    stale = re.search(r'name="seen" value="([^"]+)"', visit.client.get(path).text)
    assert stale is not None
    assert visit.post(f"{path}/dice", **fields, seen=stale[1]).status_code == 303
    match = visit.store.open_match(key)
    match.write_play("24/23 24/21")
    visit.store.save(key, match)
    answer = visit.post(f"{path}/confirm", seen=stale[1])
    assert answer.status_code == 409
    assert "The match had gone on" in answer.text
    assert visit.store.open_match(key) == match
    assert visit.post(f"{path}/confirm", seen=match.mark).status_code == 303


def test_a_match_of_another_version_says_what_is_missing(visit: Visit) -> None:
    match = BoardMatch.new(1, "level of tomorrow", Rules(), by_hand=True)
    match.enter((1, 3))
    key = visit.store.add(match)
    answer = visit.client.get(f"/play/{key}")
    assert (answer.status_code, "level of tomorrow" in answer.text) == (409, True)


def test_a_script_is_told_in_plain_words_what_is_wrong(visit: Visit) -> None:
    told = visit.client.get("/play/nowhere", headers={"accept": "*/*"})
    assert told.text == "There is no such match."
    shown = visit.client.get("/play/nowhere", headers={"accept": "text/html"})
    assert "<h1>Sorry</h1>" in shown.text
    assert visit.post("/position/rollout", token="old").text.startswith("This page is too old")


def test_who_hangs_up_in_mid_upload_is_no_error_of_ours(visit: Visit) -> None:
    said: list[Any] = []
    scope = {
        "type": "http", "method": "POST", "path": "/archive/import", "query_string": b"",
        "scheme": "http",
        "headers": [(b"host", HOST.encode()), (b"origin", ORIGIN["origin"].encode()),
                    (b"content-length", b"500"),
                    (b"content-type", b"multipart/form-data; boundary=x")],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8760),
    }  # fmt: skip
    parts = iter([b'--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'])

    async def receive() -> Any:
        for part in parts:
            return {"type": "http.request", "body": part, "more_body": True}
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        said.append(message)

    async def ask() -> None:
        await visit.client.app(scope, receive, send)

    asyncio.run(ask())
    assert said == []


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_who_follows_a_link_of_another_site_is_asked_again_for_the_cookie(
    visit: Visit, site: str
) -> None:
    followed = {"sec-fetch-site": site, "sec-fetch-mode": "navigate"}
    first = visit.client.get("/play", headers=followed)
    assert "set-cookie" not in first.headers  # it would take the place of the one there is
    assert 'http-equiv="refresh"' in first.text
    again = visit.client.get("/play", headers=followed | {"sec-fetch-site": "same-origin"})
    assert "set-cookie" in again.headers
    assert "New match" in visit.client.get("/play", headers=followed).text


# --- passwords


def test_without_the_password_nothing_is_shown(tmp_path: Path) -> None:
    made = Visit(tmp_path, act="open sesame", watch="only looking")
    with made.client as client:
        for path in ("/play", "/archive", "/position"):
            assert client.get(path).headers["location"] == f"/login?to={path}"
        assert client.get("/").headers["location"] == "/login"
        assert client.post("/play", data=NEW, headers=ORIGIN).status_code == 403
        wrong = client.post("/login", data={"password": "wrong"}, headers=ORIGIN)
        assert wrong.status_code == 403
        right = client.post("/login", data={"password": "open sesame"}, headers=ORIGIN)
        assert right.status_code == 303
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert made.begin()
        assert "Log out" in client.get("/play").text
        assert made.post("/logout").headers["location"] == "/login"
        assert client.get("/play").headers["location"] == "/login?to=/play"
    made.archive.close()


@pytest.mark.parametrize(
    ("to", "goes"),
    [
        ("/position?id=XGID%3D-b&look=1", "/position?id=XGID%3D-b&look=1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/play\r\nX: y", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_who_logs_in_goes_on_to_what_was_asked_for_here(tmp_path: Path, to: str, goes: str) -> None:
    made = Visit(tmp_path, act="open sesame")
    with made.client as client:
        asked = client.get("/position?id=XGID%3D-b&look=1").headers["location"]
        page = client.get(asked).text
        assert 'name="to" value="/position?id=XGID%3D-b&amp;look=1"' in page
        fields = {"password": "open sesame", "to": to}
        assert client.post("/login", data=fields, headers=ORIGIN).headers["location"] == goes
    made.archive.close()


def test_who_may_only_watch_changes_nothing(tmp_path: Path) -> None:
    made = Visit(tmp_path, act="open sesame", watch="only looking")
    path = f"/play/{made.store.add(BoardMatch.new(1, 'simple', Rules(), name='a'))}"
    with made.client as client:
        client.post("/login", data={"password": "only looking"}, headers=ORIGIN)
        page = client.get(path)
        assert page.status_code == 200
        assert 'type="submit"' not in page.text  # the list of keys has a button, too
        assert 'method="post"' not in page.text
        assert "data-start" not in page.text
        assert "You may only watch" in page.text
        token = made.token(path) or "guessed"
        for deed in ("roll", "resign", "next"):
            answer = client.post(f"{path}/{deed}", data={"token": token}, headers=ORIGIN)
            assert answer.status_code == 403
    made.archive.close()


def test_wrong_passwords_are_soon_not_even_looked_at(tmp_path: Path) -> None:
    made = Visit(tmp_path, act="open sesame")
    with made.client as client:
        answers = [
            client.post("/login", data={"password": str(i)}, headers=ORIGIN).status_code
            for i in range(LOGINS_PER_MINUTE + 3)
        ]
    assert answers == [403] * LOGINS_PER_MINUTE + [429] * 3
    made.archive.close()


def test_a_form_that_a_lost_session_sends_leads_to_the_login_and_back(tmp_path: Path) -> None:
    made = Visit(tmp_path, act="open sesame")
    with made.client as client:
        by_hand = ORIGIN | {"accept": "text/html"}
        for referer, to in (
            (f"http://{HOST}/archive?page=2", "/archive%3Fpage%3D2"),
            ("http://elsewhere/x", None),
            (f"http://{HOST}//elsewhere", None),
            ("", None),
        ):
            answer = client.post("/play", data=NEW, headers=by_hand | {"referer": referer})
            assert answer.status_code == 303
            assert answer.headers["location"] == (f"/login?to={to}" if to else "/login")
        assert client.post("/play", data=NEW, headers=ORIGIN).status_code == 403
    made.archive.close()
