"""The pages of the person who sits here: figures, names, and the training of errors."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from urllib.parse import urlencode

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from sixprime.bot.web.frame.guard import came_from, visitor_of
from sixprime.bot.web.frame.pages import Pages, post
from sixprime.bot.web.frame.texts import gettext
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.views import number_of
from sixprime.bot.web.me.asking import (
    CUBES,
    NO_IDEA,
    PLAYS,
    answer_of,
    answered,
    asked,
    judgement,
)
from sixprime.bot.web.me.portrait import ME, choose, people, portrait
from sixprime.bot.web.me.training import (
    TrainedQuestion,
    TrainingProgress,
    TrainingStore,
    coming,
    next_of,
    rating_of,
)
from sixprime.engine.system.errors import InputError

log = structlog.get_logger("web")

DEEDS = (*PLAYS, *CUBES, NO_IDEA)


class MeViews:
    def __init__(self, pages: Pages, library: Library, store: TrainingStore) -> None:
        self._pages = pages
        self._library = library
        self._store = store
        self._answering = asyncio.Lock()

    def routes(self) -> list[Route]:
        return [
            Route("/me", self.me),
            Route("/me/names", self.names),
            post("/me/names", self.choose),
            Route("/me/train", self.train),
            post("/me/train", self.put_in),
            post("/me/out", self.leave_out),
            Route("/me/train/{key}", self.question),
            post("/me/train/{key}/{deed}", self.deed),
        ]

    # --- who one is, and how one plays

    async def me(self, request: Request) -> Response:
        fields = await self._library.ask(request, portrait, self._library)
        if fields is None:
            return await self.names(request)
        await self._fill_up(request)
        return self._pages.page(request, "me.html", **fields, **self._progress())

    async def names(self, request: Request) -> Response:
        """Show the players, to choose oneself among them."""
        find = request.query_params.get("find", "").strip()[:100]
        fields = await self._library.ask(request, people, self._library, find)
        return self._pages.page(request, "names.html", **fields, find=find)

    async def choose(self, request: Request) -> Response:
        form = await request.form()
        chosen = [str(each) for each in form.getlist("me")]
        await self._library.ask(request, choose, self._library, chosen)
        return RedirectResponse("/me", 303)

    # --- training

    async def train(self, request: Request) -> Response:
        """Lead to the next question, or tell when there is one again."""
        await self._fill_up(request)
        key = next_of(self._store.questions(), self._store.now())
        if key is not None:
            return RedirectResponse(f"/me/train/{key}", 303)
        return self._pages.page(request, "train.html", **self._progress())

    async def put_in(self, request: Request) -> Response:
        """Put a decision of a match into training."""
        form = await request.form()
        match_id, place = number_of(str(form.get("match", "")), "match"), str(form.get("place", ""))
        find = self._library.question
        question = await self._library.ask(request, find, match_id, place)
        key = self._store.put_in(question)
        log.info("put into training", match=match_id, place=place)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"key": key})
        return RedirectResponse(came_from(request) or f"/me/train/{key}", 303)

    async def question(self, request: Request) -> Response:
        """Ask a question, or show what an answer to it is worth."""
        key, trained = self._trained(request)
        answer = request.query_params.get("given")
        if answer is None:
            visitor = visitor_of(request)
            may_act = visitor is not None and visitor.may_act
            return self._shown(request, key, asked(trained, may_act=may_act))
        return self._judged(request, key, trained, answer[:100])

    async def deed(self, request: Request) -> Response:
        """Take an answer; it counts if the question is due and this was its page."""
        form, deed = await request.form(), request.path_params["deed"]
        async with self._answering:
            key, trained = self._trained(request)
            if deed not in DEEDS:
                raise HTTPException(404)
            try:
                answer = answer_of(trained.question, deed, form)
                judged = judgement(trained.question, answer)
            except KeyError:
                raise HTTPException(400, gettext("A field of the form is missing.")) from None
            except InputError as error:
                fields = asked(trained, may_act=True) | {"problem": str(error)}
                return self._shown(request, key, fields, status=409)
            seen, now = str(form.get("seen", trained.asked)), self._store.now()
            if trained.turn(now) is not None and seen == str(trained.asked):
                trained = trained.after(rating_of(judged), now)
                self._store.save(key, trained)
                log.info("answered", question=key, right=judged.right)
        if "fragment" in form:
            return self._judged(request, key, trained, answer)
        return RedirectResponse(f"/me/train/{key}?{urlencode({'given': answer})}", 303)

    async def leave_out(self, request: Request) -> Response:
        key = str((await request.form()).get("key", ""))
        try:
            self._store.leave_out(key)
        except InputError as error:
            raise HTTPException(404, gettext("There is no such question.")) from error
        return RedirectResponse("/me/train", 303)

    def _trained(self, request: Request) -> tuple[str, TrainedQuestion]:
        key = request.path_params["key"]
        try:
            trained = self._store.question(key)
            trained.question  # noqa: B018 - it may be unreadable
        except (InputError, KeyError, ValueError) as error:
            raise HTTPException(404, gettext("There is no such question.")) from error
        return key, trained

    def _judged(
        self, request: Request, key: str, trained: TrainedQuestion, answer: str
    ) -> Response:
        try:
            fields = answered(trained, answer)
        except InputError as error:
            raise HTTPException(400, str(error)) from None
        return self._shown(request, key, fields)

    def _shown(
        self, request: Request, key: str, fields: dict[str, Any], status: int = 200
    ) -> Response:
        fragment = request.headers.get("x-fragment") == "1"
        name = "_question.html" if fragment else "question.html"
        trained = self._store.question(key)
        back = coming(trained.schedule.due, self._store.now())
        more = {"key": key, "problem": "", "of": trained, "back": back} | self._progress()
        status = 200 if fragment else status
        return self._pages.page(request, name, status, **(more | fields))

    def _progress(self) -> dict[str, Any]:
        now = self._store.now()
        progress = TrainingProgress.at(self._store.questions().values(), now)
        return {"progress": progress, "next": progress.next and coming(progress.next, now)}

    async def _fill_up(self, request: Request) -> None:
        """Put the worst errors of the archive into training, where somebody may answer them."""
        visitor = visitor_of(request)
        if self._library.archive is None or visitor is None or not visitor.may_act:
            return
        work = partial(self._store.fill_up, partial(self._library.worst, ME))
        await self._library.ask(request, work)
