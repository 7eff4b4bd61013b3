"""The pages as an app: installed by a browser, and with a page of its own without a server."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Served, browsing
from tests.support.web.visit import ORIGIN, Visit

STATIC = Path(__file__).parents[3] / "bot" / "web" / "static"
KEPT = """
async () => {
  const found = [];
  for (const name of await caches.keys()) {
    const kept = await caches.open(name);
    for (const request of await kept.keys()) {
      const { pathname, search } = new URL(request.url);
      found.push([pathname + search, await (await kept.match(request)).text()]);
    }
  }
  return found;
}
"""


def test_the_icons_have_the_sizes_that_the_manifest_says() -> None:
    manifest = json.loads((STATIC / "app.webmanifest").read_text())
    sizes = {}
    for icon in manifest["icons"]:
        data = (STATIC / icon["src"]).read_bytes()
        assert len(data) < 10_000
        if icon["type"] == "image/png":
            assert data.startswith(b"\x89PNG")
            assert icon["sizes"] == "{}x{}".format(*struct.unpack(">II", data[16:24]))
            sizes[icon["sizes"], icon.get("purpose", "any")] = icon["src"]
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= set(sizes)


def test_the_app_needs_no_login_and_tells_nothing_before_it(tmp_path: Path) -> None:
    made = Visit(tmp_path, act="open sesame")
    with made.client as client:
        for path in ("/worker.js", "/offline", "/static/app.webmanifest", "/static/icon-192.png"):
            answer = client.get(path)
            assert answer.status_code == 200, path
            assert "set-cookie" not in answer.headers
        assert "json" in client.get("/static/app.webmanifest").headers["content-type"]
        assert client.get("/worker.js").headers["content-type"].startswith("text/javascript")
        assert client.get("/play").status_code == 303
        client.post("/login", data={"password": "open sesame"}, headers=ORIGIN)
        assert made.token() not in client.get("/offline").text
    assert made.archive is not None
    made.archive.close()


@needs_chromium
@pytest.mark.patient
def test_a_browser_installs_the_app_and_keeps_nothing_private(served: Served) -> None:
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play")
        person.page.evaluate("() => navigator.serviceWorker.ready")
        tools = person.page.context.new_cdp_session(person.page)
        assert tools.send("Page.getAppManifest")["errors"] == []
        faults = tools.send("Page.getInstallabilityErrors")["installabilityErrors"]
        # every window of Playwright's is private to Chromium
        assert [each["errorId"] for each in faults] in ([], ["in-incognito"])
        person.page.goto(f"{served.url}/archive")
        person.page.wait_for_function("() => navigator.serviceWorker.controller")
        kept = dict(person.page.evaluate(KEPT))
        assert set(kept) == {"/offline", "/static/style.css?offline", "/static/offline.js?offline"}
        token = person.page.get_attribute("input[name=token]", "value")
        assert not any(token in text for text in kept.values())
        assert person.complaints == []


@needs_chromium
@pytest.mark.patient
def test_without_a_server_a_page_says_so_and_goes_on_by_itself(tmp_path: Path) -> None:
    with Served(tmp_path) as served, browsing(served, locale="de-DE") as person:
        person.page.goto(f"{served.url}/play")
        person.page.evaluate("() => navigator.serviceWorker.ready")
        served.kill()
        person.page.goto(f"{served.url}/position?dice=31")
        assert person.page.title() == "Keine Verbindung · Sixprime"
        assert "Engine" in person.page.inner_text("main")
        colour = person.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(247, 245, 241)"  # its style is there
        served.start()
        person.page.wait_for_selector("#position")
        assert person.page.url == f"{served.url}/position?dice=31"
        assert [said for said in person.complaints if "content security" in said.lower()] == []
