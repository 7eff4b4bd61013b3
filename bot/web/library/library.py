"""The archive for the browser: lists, replays, downloads, and matches played there."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import IO, Any, TypeVar, cast

import structlog
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from sixprime.bot.analysis.annotation import with_analysis
from sixprime.bot.analysis.collection.quiz import QuizQuestion, question_at
from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.rollouts import Spot
from sixprime.bot.analysis.store import (
    USUAL_LEVEL,
    Wanted,
    asked_level,
    fill_facts,
    first_analysis,
    keep,
    keys,
    packed,
)
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.changing import annotate
from sixprime.bot.archive.collection.importing import keep_match
from sixprime.bot.archive.collection.names import known_names, with_us_below
from sixprime.bot.archive.collection.selection import MatchSeen
from sixprime.bot.archive.database import ArchiveError, reason_of
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.matchlog.words import comment_on, marked
from sixprime.bot.process.printable import printable
from sixprime.bot.reports.html import page
from sixprime.bot.reports.text import result_words
from sixprime.bot.web.frame.texts import gettext
from sixprime.bot.web.frame.workpool import WorkPool
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.listquery import SORTS, ListQuery
from sixprime.bot.web.library.losses import errors_shown, openings_shown, worst_questions
from sixprime.bot.web.library.origins import Origin
from sixprime.bot.web.library.replaying import Replayed
from sixprime.bot.web.library.sharing import png
from sixprime.bot.web.library.statistics import counted
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.faults import Surviving
from sixprime.engine.system.wholefiles import safe_part
from sixprime.protocols.formats.record import BadRecord, CannotCarry, Match

log = structlog.get_logger("web")
T = TypeVar("T")

KINDS = {
    "sgf": "application/x-go-sgf", "mat": "text/plain", "oldmoves": "text/plain",
    "html": "text/html",
}  # fmt: skip
COLUMNS = {  # heading and kind
    "started": ("Date (UTC)", ""), "account": ("Player", ""), "opponent": ("Opponent", ""),
    "length": ("Length", "number"), "score": ("Score", "number"), "result": ("Result", ""),
    "level": ("Level", ""), "pr": ("PR", "number"), "their_pr": ("Opp. PR", "number"),
    "rating": ("Rating", "number"),
}  # fmt: skip
SUFFIXES = {name: each.suffixes[0] for name, each in FORMATS.items()} | {"html": ".html"}
_ABOUT = ("event", "round", "annotator")  # facts that the page edits
THREADS = 2
AT_ONCE = "expert"  # quick enough to judge a match while its player waits
BELOW_USUAL = tuple(PRESETS)[: tuple(PRESETS).index(USUAL_LEVEL)]
AGAIN = 3  # errors offered to be played again
KEPT = 16  # parsed matches, so that each step need not parse its match again


def not_archived(why: str) -> HTTPException:
    """Return the answer for a match or file that the archive does not have."""
    return HTTPException(404, why)


class Library:
    def __init__(self, archive: Archive | None) -> None:
        self.archive = archive
        self.pool = WorkPool("library", THREADS)
        self._opened: dict[tuple[object, ...], Replayed] = {}

    def begin(self) -> None:
        """Read older analyses in the background, so that lists and statistics know them."""
        if self.archive is not None:
            work = partial(fill_facts, self.archive)
            threading.Thread(target=_filled, args=(work,), name="facts", daemon=True).start()

    def there(self) -> Archive:
        """Return the archive; 404 without one."""
        if self.archive is None:
            raise not_archived(gettext("There is no archive."))
        return self.archive

    async def ask(
        self, request: Request, work: Callable[..., T], *given: object, to_end: bool = False
    ) -> T:
        """Return the result of work with the archive in a thread; 503 if the archive is away."""
        try:
            return await self.pool.do(request, partial(work, *given), to_end=to_end)
        except (ArchiveError, DBAPIError) as error:
            log.error("archive", why=reason_of(error))
            raise HTTPException(503, gettext("The archive does not answer.")) from None

    # --- many matches

    def listed(self, asked: ListQuery) -> dict[str, Any]:
        columns = [(name, *COLUMNS[name], asked.sorted_by(name)) for name in SORTS]
        fields: dict[str, Any] = {"sorts": SORTS, "formats": list(KINDS), "columns": columns}
        fields["level_of_analysis"] = self._next_level()
        if self.archive is None:
            return fields | {"asked": asked, "is_there": False}
        catalogue = Catalogue(self.archive)
        return fields | catalogue.page(asked) | catalogue.form(asked) | {"is_there": True}

    def counted(self, asked: ListQuery) -> dict[str, Any]:
        catalogue = Catalogue(self.there())
        return counted(catalogue, asked) | catalogue.form(asked)

    def erred(self, asked: ListQuery) -> dict[str, Any]:
        catalogue = Catalogue(self.there())
        return errors_shown(catalogue, asked) | catalogue.form(asked)

    def opened(self, asked: ListQuery) -> dict[str, Any]:
        catalogue = Catalogue(self.there())
        return openings_shown(catalogue, asked) | catalogue.form(asked)

    def worst(self, asked: ListQuery, known: Collection[str]) -> Iterator[QuizQuestion]:
        """Yield the worst errors as questions, but for known ones, each named match/place."""
        return worst_questions(Catalogue(self.there()), asked, known)

    def ids(self, asked: ListQuery) -> list[int]:
        return Catalogue(self.there()).ids(asked)

    # --- one match

    def replayed(self, match_id: int, step: int) -> dict[str, Any]:
        row, found = self._open(match_id)
        seen = MatchSeen(dict(row._mapping))
        return {
            **found.shown(step),
            "id": match_id,
            "comment": printable(found.match.comment),
            "origin": Origin.told(found.match.comment),
            "note": self.there().note_of(match_id),
            "about": {name: getattr(found.match, name) for name in _ABOUT},
            "names": found.names,
            "length": found.match.length,
            "day": seen.day,
            "level": printable(row.level or ""),
            "result": seen.result,
            "final": f"{row.our_score}–{row.their_score}",
            "analysed": None if found.analysis is None else found.analysis.level,
            "games": [(i + 1, at) for i, at in enumerate(found.starts) if at < len(found.stages)],
            "formats": [each for each in KINDS if each != "html" or found.analysis is not None],
        }

    def surveyed(self, match_id: int, step: int) -> dict[str, Any]:
        """Return the graphs and the worst errors of a match."""
        _, found = self._open(match_id)
        return {
            "graphs": found.graphs(step),
            "worst": found.worst(),
            "skill": found.skill(),
            "level_of_analysis": self._next_level(),
        }

    def looked_back(self, match_id: int, seat: int) -> dict[str, Any]:
        """Return the figures of a finished match and a seat's worst errors, judged at once."""
        row, found = self._open(match_id)
        if found.analysis is None:
            examiner = Examiner(shipped_brain(), AnalysisSettings.of(AT_ONCE))
            made = examined(found.match, examiner)
            keep(self.there(), made.settings, [(Wanted(match_id, row.noted), packed(made))])
            row, found = self._open(match_id)
        assert found.analysis is not None
        adjusted = found.analysis.figures(seat).luck_adjusted
        return {
            "id": match_id,
            "replayed": found,
            "last": len(found.stages) - 1,
            "may_deepen": found.analysis.level in BELOW_USUAL,
            "analysed": found.analysis.level,
            "skill": found.skill(),
            "without_luck": result_words(adjusted, found.match.length > 0),
            "worst": found.worst_of(seat, AGAIN),
        }

    def _next_level(self) -> str:
        """Return the level to offer first: the last one, if it is offered at all."""
        asked = None if self.archive is None else asked_level(self.archive)
        return asked if asked in PRESETS else USUAL_LEVEL

    def step_of(self, match_id: int, place: str) -> int:
        """Return the step of an error that the list of errors names; the first if it is gone."""
        _, found = self._open(match_id)
        steps = (found.step_of(error) for error in found.errors() if error.place == place)
        return next(steps, 0)

    def _open(self, match_id: int) -> tuple[Any, Replayed]:
        archive = self.there()
        try:
            row = archive.row(match_id)
            match, analysis = None, None
            words = hash(row.record), archive.words_of(match_id)
            below = known_names(archive).our_seat((row.account, row.opponent)) or 0
            known = (match_id, row.noted, row.state, words, tuple(keys(archive)), below)
            found = self._opened.get(known)
            if found is None:
                match, analysis = archive.match(match_id), first_analysis(archive, match_id)
                found = Replayed.from_match(match, analysis, below)
        except ArchiveError as error:
            raise not_archived(str(error)) from error
        except BadRecord as error:
            raise not_archived(
                gettext("This match cannot be replayed: %(why)s", why=error)
            ) from error
        if not found.stages:
            raise not_archived(gettext("Nothing was played in this match."))
        self._opened[known] = found
        for each in list(self._opened)[:-KEPT]:
            self._opened.pop(each, None)
        return row, found

    def question(self, match_id: int, place: str) -> QuizQuestion:
        """Return a decision of a match as a question; 404 if it is not analysed."""
        _, found = self._open(match_id)
        analysis = found.analysis
        question = None if analysis is None else question_at(match_id, analysis, place)
        if question is None:
            raise not_archived(gettext("There is no such decision."))
        return question

    def spots(self, match_id: int) -> dict[str, Spot]:
        """Return the decisions of a match to roll out, by their mark on the page."""
        _, found = self._open(match_id)
        return {mark: spot for step in range(len(found.stages)) for mark, spot in found.spots(step)}

    def annotate(
        self,
        match_id: int,
        note: str | None,
        about: Mapping[str, str],
        said: Sequence[tuple[int, int, str, Mapping[str, str]]],
    ) -> None:
        """Set the note, facts and words of people; each `said` is game, move, comment, marks."""
        archive = self.there()
        try:
            match = archive.record(match_id)
            comments = [
                replace(was, text=text, marks=marked(was.marks, marks))
                for game, move, text, marks in said
                for was in (comment_on(match, game, move),)
            ]
            annotate(archive, match_id, note, about, comments)
        except InputError as error:
            raise HTTPException(400, f"{error}.") from error
        self._opened = {known: each for known, each in self._opened.items() if known[0] != match_id}

    def judge_anew(self, match_id: int, judge: Callable[[MatchAnalysis], MatchAnalysis]) -> None:
        """Replace the analysis of a match by a better one."""
        row, found = self._open(match_id)
        if found.analysis is None:
            raise not_archived(gettext("This match has no analysis yet."))
        better = judge(found.analysis)
        keep(self.there(), better.settings, [(Wanted(match_id, row.noted), packed(better))])
        self._opened = {known: each for known, each in self._opened.items() if known[0] != match_id}

    # --- files

    def pictured(self, match_id: int, step: int) -> bytes:
        """Return a step of a match as a PNG picture to share."""
        _, found = self._open(match_id)
        try:
            return png(found, step)
        except ImportError:
            raise not_archived("Pictures need the extra `print`.") from None

    def exported(self, match_id: int, form: str) -> tuple[str, str, bytes]:
        """Return the file name, media type and content of a match in a format."""
        if form not in KINDS:
            raise not_archived(gettext("There is no such format."))
        archive = self.there()
        try:
            match = archive.match(match_id)
            data = self._written(archive, match_id, match, form)
        except (ArchiveError, BadRecord) as error:
            raise not_archived(str(error)) from error
        stem = "_".join(safe_part(player.name) for player in match.players)
        return f"{stem}_{match_id}{SUFFIXES[form]}", KINDS[form], data

    def _written(self, archive: Archive, match_id: int, match: Match, form: str) -> bytes:
        analysis = first_analysis(archive, match_id) if form in ("sgf", "html") else None
        if form == "html":
            if analysis is None:
                raise not_archived(
                    gettext("A report needs the analysis, and this match has none yet.")
                )
            below = known_names(archive).our_seat(analysis.players)
            return page(analysis, match, below=below).encode("utf-8", "replace")
        if analysis is not None:
            match = with_analysis(match, analysis)
        match = with_us_below(match, known_names(archive))
        try:
            return FORMATS[form].write(match).encode("utf-8", "replace")
        except CannotCarry as error:
            raise not_archived(
                gettext("This format cannot hold the match: %(why)s", why=error)
            ) from error

    def zipped(self, ids: Collection[int], form: str) -> Iterator[bytes]:
        """Yield a zip of these matches while it is made; a file in it lists the failures."""
        if form not in KINDS:
            raise not_archived(gettext("There is no such format."))
        archive = self.there()
        return self._zip(archive, ids, form, archive.stems())

    def _zip(
        self, archive: Archive, ids: Collection[int], form: str, stems: dict[int, str]
    ) -> Iterator[bytes]:
        made, left_out = _Passed(), []
        with zipfile.ZipFile(cast(IO[bytes], made), "w", zipfile.ZIP_DEFLATED) as into:
            for match_id in ids:
                faults: list[Exception] = []
                with Surviving(faults.append):
                    data = self._written(archive, match_id, archive.match(match_id), form)
                    into.writestr(f"{stems.get(match_id, match_id)}{SUFFIXES[form]}", data)
                left_out += [f"match {match_id}: {printable(str(each))}\n" for each in faults]
                yield made.taken()
            if left_out:
                into.writestr("left-out.txt", "".join(left_out))
        yield made.taken()

    def keep(self, match: Match) -> int | None:
        """Store a match played in the browser; return its id, or None if the archive fails now."""
        if self.archive is None:
            return None
        try:
            return keep_match(self.archive, match)
        except (ArchiveError, DBAPIError) as error:
            log.error("not archived yet", why=reason_of(error))
            return None


def _filled(work: Callable[[], None]) -> None:
    with Surviving(lambda error: log.error("older analyses are not counted", why=reason_of(error))):
        work()


class _Passed:
    """A file that is passed on while it is written; its writer cannot seek."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Buffer data until it is taken."""
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def flush(self) -> None:
        """Leave the data until it is taken."""

    def taken(self) -> bytes:
        """Return the data since the last call."""
        parts, self._parts = self._parts, []
        return b"".join(parts)
