"""A visitor of the site without a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from sixprime.bot.archive.archive import Archive
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.bot.web.app import Site, application
from sixprime.bot.web.frame.guard import Passwords
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore

HOST = "127.0.0.1:8760"
ORIGIN = {"origin": f"http://{HOST}"}
NEW = {"level": "simple", "length": "1", "variant": "standard", "name": "<script>alert(1)</script>"}


class Visit:
    """A client of a site of its own, with this archive or an empty one."""

    home = "/play"  # a page with a token

    def __init__(
        self,
        folder: Path,
        archive: Archive | None = None,
        *,
        act: str | None = None,
        watch: str | None = None,
    ) -> None:
        database = f"sqlite:///{folder / 'archive.db'}"
        self.archive = archive or Archive(ArchiveSettings(database=database, folder=None))
        self.store = MatchStore(folder / "matches")
        site = Site(self.store, Library(self.archive), Coach("casual"))
        app = application(site, {HOST}, Passwords(act, watch))
        self.client = TestClient(app, base_url=f"http://{HOST}", follow_redirects=False)

    def get(self, path: str, **query: str | int) -> str:
        answer = self.client.get(path, params=query or None)
        assert answer.status_code == 200, answer.text
        return answer.text

    def token(self, path: str | None = None) -> str:
        found = re.search(r'name="token" value="([^"]+)"', self.client.get(path or self.home).text)
        return found[1] if found else ""

    def post(self, path: str, *, origin: str = ORIGIN["origin"], **fields: str) -> Any:
        data = {"token": self.token()} | fields
        return self.client.post(path, data=data, headers={"origin": origin})

    def upload(self, path: str, files: list[tuple[str, bytes]]) -> Any:
        given = [("files", each) for each in files]
        return self.client.post(path, data={"token": self.token()}, files=given, headers=ORIGIN)

    def begin(self, **fields: str) -> str:
        answer = self.post("/play", **(NEW | fields))
        assert answer.status_code == 303, answer.text
        return str(answer.headers["location"])
