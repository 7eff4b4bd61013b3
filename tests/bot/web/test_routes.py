"""Every route there is, found by listing them: a new one is attacked without being named here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from sixprime.bot.archive.archive import Archive
from sixprime.bot.client.service import Service
from sixprime.bot.control.steering import Steering
from sixprime.bot.process.passwordhash import HashCost
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import AccountSettings, ArchiveSettings, Config, Profile
from sixprime.bot.web.app import Site, application
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.frame.guard import MOST_UPLOAD, Passwords
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore
from tests.support.web.visit import HOST, ORIGIN

OPEN = {  # before there is a session; what guards the first is in test_attacks.py
    "/login", "/worker.js", "/offline", "/language/de",
}  # fmt: skip
WATCHERS = {"/logout"}  # what those who may only watch may do, too
FOREIGN = ("http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", "x", "file://")
WORDS = {
    "key": "abcdefghijkl", "deed": "roll", "action": "pause", "id": "1", "format": "sgf",
    "code": "de",
}  # fmt: skip
NASTY = (
    "..%2f..%2fetc%2fpasswd", "%2e%2e", "..%5c..%5cact", "%00", "%7b%7b7*191%7d%7d", "%0d%0aX: y",
    "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "a" * 3_000, "-1", "9" * 40, "%ff%fe", "con.sgf",
)  # fmt: skip


class Attacked:
    """A site with everything on it, and clients of all kinds."""

    def __init__(self, folder: Path) -> None:
        database = f"sqlite:///{folder / 'archive.db'}"
        self.archive = Archive(ArchiveSettings(database=database, folder=None))
        profiles = (Profile(name="anna", account=AccountSettings(user="anna")),)
        live = LiveBots(
            Service(Config(profiles=profiles), {"anna": Secret("")}), cast(Steering, None)
        )
        site = Site(MatchStore(folder / "m"), Library(self.archive), Coach("casual"), live)
        secrets = Passwords("act", "watch", cost=HashCost(n=2))
        self.app = application(site, {HOST}, secrets, cookie="c")
        self.routes = [each for each in self.app.routes if isinstance(each, Route)]

    def client(self, password: str = "") -> TestClient:
        made = TestClient(
            self.app, base_url=f"http://{HOST}", follow_redirects=False,
            raise_server_exceptions=False,
        )  # fmt: skip
        if password:
            answer = made.post("/login", data={"password": password}, headers=ORIGIN)
            assert answer.status_code == 303
        return made

    def paths(self, method: str) -> list[str]:
        found = [_filled(each.path) for each in self.routes if method in (each.methods or ())]
        assert found
        return [path for path in found if path not in OPEN]


def _filled(path: str, word: str = "") -> str:
    """A route's path with words for its parameters; KeyError if one is new."""
    return re.sub(r"\{(\w+)(:\w+)?\}", lambda found: word or WORDS[found[1]], path)


@pytest.fixture
def attacked(tmp_path: Path) -> Iterator[Attacked]:
    made = Attacked(tmp_path)
    yield made
    made.archive.close()


def token_of(client: TestClient) -> str:
    found = re.search(r'name="token" value="([^"]+)"', client.get("/play").text)
    assert found
    return found[1]


def test_no_route_changes_anything_without_the_token_of_its_session(attacked: Attacked) -> None:
    client, other = attacked.client("act"), attacked.client("act")
    stolen, own = token_of(other), token_of(client)
    for path in attacked.paths("POST"):
        for fields in ({}, {"token": ""}, {"token": "old"}, {"token": stolen}, {"tokén": "ü"}):
            answer = client.post(path, data=fields, headers=ORIGIN)
            assert answer.status_code == 403, (path, fields, answer.text)
        in_address = client.post(f"{path}?token={own}", headers=ORIGIN)
        assert in_address.status_code == 403, path
        assert attacked.client().post(path, data={"token": own}, headers=ORIGIN).status_code == 403
    for path in attacked.paths("POST"):  # so it was the token that they missed
        if path not in WATCHERS:
            answer = client.post(path, data={"token": own}, headers=ORIGIN)
            assert answer.status_code not in (403, 405), (path, answer.text)
            assert "too old" not in answer.text


def test_no_route_serves_another_site_or_name(attacked: Attacked) -> None:
    client = attacked.client("act")
    right = {"token": token_of(client)}
    for path in attacked.paths("POST"):
        for origin in FOREIGN:
            answer = client.post(path, data=right, headers={"origin": origin})
            assert answer.status_code == 403, (path, origin)
        cross = client.post(path, data=right, headers={"sec-fetch-site": "cross-site"})
        assert cross.status_code == 403, path
    for method in ("GET", "POST"):
        for path in attacked.paths(method):
            for host in ("evil.example", "127.0.0.1.nip.io:8760", "127.0.0.1"):
                answer = client.request(method, path, data=right, headers=ORIGIN | {"host": host})
                assert answer.status_code == 421, (path, host)


def test_who_may_only_watch_changes_nothing_by_any_route(attacked: Attacked) -> None:
    spectator, owner = attacked.client("watch"), attacked.client("act")
    stolen = token_of(owner)
    page = spectator.get("/bots").text
    own = next(iter(re.findall(r'name="token" value="([^"]+)"', page)), "")
    for path in attacked.paths("POST"):
        for token in (own, stolen, ""):
            answer = spectator.post(path, data={"token": token}, headers=ORIGIN)
            assert answer.status_code == 403, (path, answer.text)
            assert path in WATCHERS or "only watch" in answer.text


def test_nobody_reads_or_does_anything_before_the_login(attacked: Attacked) -> None:
    client = attacked.client()
    for path in attacked.paths("GET"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"][:6]) == (303, "/login"), path
        assert client.head(path).status_code == 403, path
    for path in attacked.paths("POST"):
        assert client.post(path, headers=ORIGIN).status_code == 403, path


def test_a_change_is_never_a_link_and_no_body_is_too_large(attacked: Attacked) -> None:
    client = attacked.client("act")
    readable = set(attacked.paths("GET"))
    for path in attacked.paths("POST"):
        if path not in readable:
            assert client.get(path).status_code in (404, 405), path
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            assert client.request(method, path, headers=ORIGIN).status_code == 405, path
        for size in (str(MOST_UPLOAD + 1), "-1", "1e3", "9" * 30, "٣"):
            headers = ORIGIN | {"content-length": size}
            answer = client.post(path, content=b"", headers=_latin(headers))
            assert answer.status_code == 413, (path, size)


def _latin(headers: dict[str, str]) -> Any:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def test_no_path_leads_out_of_the_pages(attacked: Attacked) -> None:
    client = attacked.client("act")
    token = token_of(client)
    routes = [each for each in attacked.routes if "{" in each.path]
    assert len(routes) > 3
    for route in routes:
        for word in NASTY:
            path = _filled(route.path, word)
            for method in sorted((route.methods or set()) & {"GET", "POST"}):
                data = {"token": token} if method == "POST" else None
                answer = client.request(method, path, data=data, headers=ORIGIN)
                assert answer.status_code in (400, 404, 405, 409), (path, answer.status_code)
                assert "root:" not in answer.text
                assert "<script>" not in answer.text
                assert "1337" not in answer.text
                assert "x" not in answer.headers
