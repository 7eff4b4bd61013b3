"""The pages of the archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import urlencode

import structlog
from starlette.concurrency import iterate_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from sixprime.bot.web.frame.guard import address_of
from sixprime.bot.web.frame.pages import Pages, events, fields_of, post
from sixprime.bot.web.frame.tasks import LongTask, TaskRunner
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.library.actions import (
    TRIALS,
    Inbox,
    analyse,
    import_uploads,
    roll_out,
    shown_name,
)
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.engine.compiling.preparations import ANALYSIS, ROLLOUTS
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.system.faults import undone_by
from sixprime.protocols.formats.record import LUCK, Opinion

log = structlog.get_logger("web")

MOST_FILES = 500  # in one upload
MOST_ZIPS = 2  # at the same time
LOGGED = 20  # names in the log
OPINIONS = [each.value for each in Opinion]
LUCKS = [word for word in LUCK.values() if word]
T = TypeVar("T")


class LibraryViews:
    def __init__(self, pages: Pages, library: Library, tasks: TaskRunner) -> None:
        self._pages = pages
        self._library = library
        self._tasks = tasks
        self._zips = 0

    def routes(self) -> list[Route]:
        return [
            Route("/archive", self.archive),
            Route("/archive/statistics", self.statistics),
            Route("/archive/errors", self.errors),
            Route("/archive/openings", self.openings),
            Route("/archive/matches.zip", self.download_all),
            Route("/archive/chore", self.chore),
            Route("/archive/chore/live", self.watch),
            post("/archive/chore/stop", self.stop),
            post("/archive/analyse", self.analyse),
            post("/archive/rollout", self.roll_out),
            post("/archive/annotate", self.annotate),
            post("/archive/import", self.bring_in, most_files=MOST_FILES),
            Route("/archive/{id:int}", self.archived),
            Route("/archive/{id:int}.png", self.picture),
            Route("/archive/{id:int}.{format}", self.download),
        ]

    async def _ask(
        self, request: Request, work: Callable[..., T], *given: object, to_end: bool = False
    ) -> T:
        return await self._library.ask(request, work, *given, to_end=to_end)

    def _task(self) -> dict[str, Any]:
        """Return the facts of the latest task for a page.

        Ask before the archive is read: a page that says "done" then holds all that was done.
        """
        task = self._tasks.last
        return {
            "chore": None if task is None else task.shown(),
            "told": [] if task is None else list(task.results),
        }

    async def _listed(
        self, request: Request, name: str, work: Callable[[ListQuery], dict[str, Any]]
    ) -> Response:
        task = self._task()
        found = await self._ask(request, work, ListQuery.from_query(request.query_params))
        return self._shown(request, name, task | found)

    def _shown(self, request: Request, name: str, fields: dict[str, Any]) -> Response:
        fields |= {"levels_of_analysis": tuple(PRESETS), "trials": TRIALS}
        status = 400 if (asked := fields.get("asked")) and asked.problems else 200
        return self._pages.page(request, name, status, **fields)

    # --- reading

    async def archive(self, request: Request) -> Response:
        return await self._listed(request, "archive.html", self._library.listed)

    async def statistics(self, request: Request) -> Response:
        return await self._listed(request, "statistics.html", self._library.counted)

    async def errors(self, request: Request) -> Response:
        return await self._listed(request, "errors.html", self._library.erred)

    async def openings(self, request: Request) -> Response:
        return await self._listed(request, "openings.html", self._library.opened)

    async def archived(self, request: Request) -> Response:
        """Show a step of a match; a script asks for the step alone."""
        step = number_of(request.query_params.get("step") or "0", "step")
        match_id = int(request.path_params["id"])
        if place := request.query_params.get("error"):
            step = await self._ask(request, self._library.step_of, match_id, place)
        fields = await self._ask(request, self._library.replayed, match_id, step)
        fields |= {"opinions": OPINIONS, "lucks": LUCKS}
        if "x-fragment" in request.headers:
            return self._pages.page(request, "_replay.html", **fields)
        fields |= self._task()
        fields |= await self._ask(request, self._library.surveyed, match_id, step)
        return self._shown(request, "match.html", fields)

    async def download(self, request: Request) -> Response:
        asked = int(request.path_params["id"]), request.path_params["format"]
        name, kind, data = await self._ask(request, self._library.exported, *asked)
        return Response(data, media_type=kind, headers=_as_file(name))

    async def picture(self, request: Request) -> Response:
        step = number_of(request.query_params.get("step") or "0", "step")
        match_id = int(request.path_params["id"])
        data = await self._ask(request, self._library.pictured, match_id, step)
        return Response(data, media_type="image/png")

    async def download_all(self, request: Request) -> Response:
        """Send all matches of a list in one file."""
        if self._zips >= MOST_ZIPS:
            raise HTTPException(
                503, gettext("Other downloads are being made. Try again in a minute.")
            )
        asked = _checked_query(request.query_params)
        form = request.query_params.get("format", "sgf")
        self._zips += 1
        with undone_by(self._zip_ended):
            ids = await self._ask(request, self._library.ids, asked)
            log.info("download", matches=len(ids), address=address_of(request))
            parts = self._counted(await self._ask(request, self._library.zipped, ids, form))
        # once started it ends, and is counted
        first = await self._ask(request, next, parts, b"", to_end=True)
        whole = iterate_in_threadpool(chain([first], parts))
        headers = _as_file("matches.zip")
        return StreamingResponse(whole, media_type="application/zip", headers=headers)

    def _counted(self, parts: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from parts
        finally:
            self._zip_ended()

    def _zip_ended(self) -> None:
        self._zips -= 1

    async def chore(self, request: Request) -> Response:
        return self._shown(request, "_chore.html", self._task())

    async def watch(self, request: Request) -> Response:
        if request.method == "HEAD":
            raise HTTPException(405)
        return events(self._tasks.pictures())

    # --- changing

    async def analyse(self, request: Request) -> Response:
        words = await fields_of(request)
        archive, level = self._library.there(), words.get("level_of_analysis", "")
        if level not in PRESETS:
            raise HTTPException(400, gettext("There is no such level."))
        asked, only = _checked_query(words), words.get("match", "")
        if only:
            ids = [number_of(only, "match")]
            back = f"/archive/{only}?{urlencode({'step': words.get('step', 0)})}"
        else:
            ids, back = await self._ask(request, self._library.ids, asked), asked.link()
        await self._pages.first.need(request, ANALYSIS)
        log.info("analyse", matches=len(ids), level=level, address=address_of(request))
        self._tasks.start(LongTask(N_("Analysis"), len(ids)), partial(analyse, archive, ids, level))
        return RedirectResponse(f"{back}#chore", 303)

    async def roll_out(self, request: Request) -> Response:
        """Roll out the marked decisions of a match."""
        words = await fields_of(request)
        only, trials = number_of(words.get("match", ""), "match"), words.get("trials", "")
        if trials not in map(str, TRIALS):
            raise HTTPException(400, gettext("Choose how many trials."))
        there = await self._ask(request, self._library.spots, only)
        marks = words.get("marks", "").split()
        if not marks or not set(marks) <= set(there):
            raise HTTPException(400, gettext("Mark decisions of an analysed match first."))
        spots = {mark: there[mark] for mark in marks}
        await self._pages.first.need(request, ROLLOUTS)
        log.info("roll out", match=only, decisions=len(spots), address=address_of(request))
        total = int(trials) * sum(4 if each.is_play else 2 for each in spots.values())
        work = partial(roll_out, self._library, only, spots, int(trials))
        self._tasks.start(LongTask(N_("Rollout"), total), work)
        back = urlencode({"step": words.get("step", 0)})
        return RedirectResponse(f"/archive/{only}?{back}#chore", 303)

    async def annotate(self, request: Request) -> Response:
        """Store words on a match, or on a game and a move of it."""
        words = {
            name: text.replace("\r\n", "\n") for name, text in (await fields_of(request)).items()
        }
        only = number_of(words.get("match", ""), "match")
        about = {name: words[name] for name in ("event", "round", "annotator") if name in words}
        said: list[tuple[int, int, str, dict[str, str]]] = []
        if "game" in words:
            game, move = (number_of(words.get(name, "0"), name) for name in ("game", "move"))
            marks = {"action": "mark", "cube": "cube_mark", "luck": "luck"}
            found = {field: words[name] for field, name in marks.items() if name in words}
            said.append((game, 0, words.get("of_game", ""), {}))
            if move:
                said.append((game, move, words.get("comment", ""), found))
        log.info("annotate", match=only, address=address_of(request))
        await self._ask(request, self._library.annotate, only, words.get("note"), about, said)
        return RedirectResponse(f"/archive/{only}?{urlencode({'step': words.get('step', 0)})}", 303)

    async def bring_in(self, request: Request) -> Response:
        form = await request.form()
        found = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
        files = [(each.filename, each.file) for each in found if each.filename]
        if not files:
            raise HTTPException(400, gettext("No file was chosen."))
        archive, names = self._library.there(), [shown_name(name) for name, _ in files[:LOGGED]]
        log.info("import", files=len(files), names=names, address=address_of(request))
        inbox = await self._ask(request, Inbox, files)  # the form deletes its own files
        try:
            self._tasks.start(
                LongTask(N_("Import"), len(files)), partial(import_uploads, archive, inbox)
            )
        except HTTPException:
            inbox.folder.cleanup()
            raise
        return RedirectResponse("/archive#chore", 303)

    async def stop(self, request: Request) -> Response:
        log.info("stop", address=address_of(request), going=self._tasks.stop())
        return RedirectResponse("/archive#chore", 303)


def _checked_query(query: Mapping[str, str]) -> ListQuery:
    """Return the query of a list; 400 for an unreadable filter."""
    asked = ListQuery.from_query(query)
    if asked.problems:
        raise HTTPException(400, " ".join(asked.problems))
    return asked


def number_of(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise HTTPException(400, gettext("There is no such page."))
    return int(text)


def _as_file(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
