"""Owners of matches: the lobby shows people first the matches that their browser began."""

from __future__ import annotations

import re
import secrets

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.bot.web.play.matchstore import MatchStore

COOKIE = "person"
LASTS_S = 5 * 365 * 86_400


def is_own(request: Request, match: BoardMatch) -> bool:
    """Return whether this browser began the match; matches of older versions are everybody's."""
    return match.person in ("", _person_of(request))


def begun(request: Request, store: MatchStore, match: BoardMatch) -> Response:
    """Store a match that this browser begins, and lead to its page."""
    match.person = _person_of(request) or secrets.token_hex(8)
    answer = RedirectResponse(f"/play/{store.add(match)}", 303)
    answer.set_cookie(
        COOKIE, match.person, LASTS_S,
        secure=request.url.scheme == "https", httponly=True, samesite="strict",
    )  # fmt: skip
    return answer


def _person_of(request: Request) -> str:
    told = request.cookies.get(COOKIE, "")
    return told if re.fullmatch("[0-9a-f]{16}", told) else ""
