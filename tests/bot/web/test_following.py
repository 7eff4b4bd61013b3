"""A bot's card: what it shows of a match, and who is sent what."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import json
import time
from collections.abc import AsyncGenerator
from contextvars import copy_context
from pathlib import Path
from typing import Any, cast

import pytest
import structlog

from sixprime.bot.cli.lab.spectators import watching
from sixprime.bot.client.lobby.rests import Why
from sixprime.bot.client.service import Service
from sixprime.bot.control.steering import Steering
from sixprime.bot.matchlog.events import Acted, GameStarted, MatchStarted, PlayerRating, Who
from sixprime.bot.process.logs import TAIL, LogTail, configure
from sixprime.bot.process.printable import Sentence, reworded
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import AccountSettings, Config, Logging, Profile, WebSettings
from sixprime.bot.web.bots import cards, livebots
from sixprime.bot.web.bots.following import FollowedMatch
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.frame import connections
from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.texts import language, read_in
from sixprime.bot.web.frame.told import told
from sixprime.bot.web.serving import listen, server
from sixprime.engine.position import BAR
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import Turn
from sixprime.protocols.formats.replay import moments
from sixprime.protocols.formats.sgf import match as sgf

NOW = dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)
WHO = Who("fibs.com", "anna", "<i>ben")
ANALYSED = Path("tests/data/interop/money-analysed.sgf")  # by gnubg
LONGER = Path("tests/data/interop/external-match-3pt.mat")
FREE = PlayerRating()


@pytest.mark.parametrize(("path", "analysed"), [(ANALYSED, True), (LONGER, False)])
def test_a_match_is_followed_as_it_was_played(path: Path, analysed: bool) -> None:
    (match,) = (sgf.read_sgf if analysed else mat.read_mat)(path.read_text()).strictly()
    for game in match.games:
        followed = FollowedMatch()
        followed.follow(MatchStarted(WHO, NOW, None, False, (0, 0), FREE, FREE, "expert"))
        followed.follow(GameStarted(WHO, NOW, (0, 0), False))
        seen = []
        for number, moment in enumerate(moments(match, game)):
            action, at = moment.action, NOW + dt.timedelta(seconds=2 * number)
            if isinstance(action, Turn):
                followed.follow(Acted(WHO, at, Turn(action.seat, action.dice)))
                assert followed.rolled == (action.seat, action.dice)
            followed.follow(Acted(WHO, at, action))
            if not isinstance(action, Turn) or action.play is None:
                continue
            assert followed.rolled is None
            who = "We" if action.seat == 0 else "<i>ben"
            words = format_play(moment.position, action.play) or "cannot move"
            assert followed.last == f"{who} {action.dice[0]}-{action.dice[1]}: {words}"
            starts = {step.start for step in action.play}
            ends = {step.end for step in action.play if step.end and step.end not in starts}
            assert set(followed.marked) == (ends if action.seat == 0 else {BAR - e for e in ends})
            analysis = action.analysis
            if action.seat == 0 and analysis is not None and analysis.chosen is not None:
                seen.append(analysis.candidates[analysis.chosen].probabilities[0])
                assert followed.chances[-1] == seen[-1]
        assert bool(seen) == analysed
        assert followed.pace()[0] is not None


# --- who is sent what


@pytest.fixture
def live() -> LiveBots:
    names = ("anna", "b<i>")
    profiles = tuple(Profile(name=name, account=AccountSettings(user="anna")) for name in names)
    service = Service(Config(profiles=profiles), {name: Secret("") for name in names})
    return LiveBots(service, cast(Steering, None))


def sent(message: str) -> dict[str, Any]:
    assert message.startswith("data: ")
    assert message.endswith("\n\n")
    bots: dict[str, Any] = json.loads(message[6:])["bots"]
    return bots


def test_a_spectator_is_sent_what_has_changed_and_a_slow_one_misses_pictures(
    live: LiveBots,
) -> None:
    async def check() -> None:
        cards = {name: each.bot.client.chatter for name, each in live._cards.items()}
        quick, slow = live.pictures("here", "anna"), live.pictures("here", "anna")
        crowd = live.pictures("here")
        for each in (quick, slow):
            assert sent(await anext(each))["anna"]["state"] == "offline"
        assert set(sent(await anext(crowd))) == {"anna", "b<i>"}
        for level in ("one", "two", "three"):
            cards["anna"].level = level
            live._look(["anna", "b<i>"])
            assert sent(await anext(quick)) == {"anna": {"level": level}}
        assert sent(await anext(slow)) == {"anna": {"level": "three"}}
        assert sent(await anext(crowd)) == {"anna": {"level": "three"}}
        assert len(live._messages) <= 3

        waiting = asyncio.ensure_future(anext(quick))
        cards["b<i>"].level = "four"
        live._look(["anna", "b<i>"])
        await asyncio.sleep(0)
        assert not waiting.done()  # that is not the bot which it watches
        assert sent(await anext(crowd)) == {"b<i>": {"level": "four"}}
        waiting.cancel()

    asyncio.run(check())


def test_spectators_read_their_own_languages(live: LiveBots) -> None:
    async def check() -> None:
        seen = {}
        for code in ("de", "en"):
            read_in(language(code))
            seen[code] = sent(await anext(live.pictures("here", "anna")))["anna"]
        assert seen["de"]["waits"] == "Bereitet seine Engine vor, bevor er wählt"
        assert seen["en"]["waits"] == "Prepares its engine before it dials"
        assert (seen["de"]["next"], seen["en"]["next"]) == ("meldet sich an", "logs in")
        assert seen["de"]["today"] == "keine in 24 Stunden"

    asyncio.run(check())


def test_fields_of_sentences_are_told_in_the_same_language() -> None:
    why = Sentence(Why.TROUBLE.value)
    sentence = Sentence("rests from %(name)s, because %(why)s", name="ben\x1b%(why)s", why=why)
    assert str(told(sentence)) == "rests from ben?%(why)s, because the match could not go on"

    def german() -> str:
        read_in(language("de"))
        return str(told(sentence))

    assert (
        copy_context().run(german) == "pausiert mit ben?%(why)s, denn das Match ging nicht weiter"
    )
    hidden = reworded(sentence, lambda text: text.replace("ben", "***"))
    assert isinstance(hidden, Sentence)
    assert "ben" not in str(told(hidden))


def test_who_reads_nothing_gets_no_queue_and_is_cut_off(
    live: LiveBots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def large(*given: Any) -> dict[str, Any]:
        return real(*given) | {"last": f"{time.monotonic()} {'x' * 40_000}"}

    async def check() -> None:
        settings = WebSettings(listen="127.0.0.1:0")
        listener = listen(settings)
        port = listener.getsockname()[1]
        serving = server(settings, listener, None, tmp_path, live)
        running = asyncio.create_task(serving.serve(sockets=[listener]))
        async with watching(port, "anna", 2) as audience:
            await asyncio.sleep(4.0)
        assert audience.sent > 20 * 2 * 40_000  # the others saw it all meanwhile
        assert 0 < audience.waiting < 10 * 40_000
        assert not live._spectators
        serving.should_exit = True
        await running

    real = cards.card
    monkeypatch.setattr(livebots, "card", large)
    monkeypatch.setattr(connections, "READ_WITHIN_S", 2.0)
    asyncio.run(check())


def test_there_are_only_so_many_spectators_and_one_who_leaves_makes_room(
    live: LiveBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check() -> None:
        monkeypatch.setattr(livebots, "MOST_FROM_ADDRESS", 2)
        seated = [live.pictures("here") for _ in range(2)]
        for each in seated:
            await anext(each)
        with pytest.raises(Busy):
            live.pictures("here")
        await anext(live.pictures("there"))
        await cast(AsyncGenerator[str], seated[0]).aclose()
        await anext(live.pictures("here"))
        with pytest.raises(KeyError):
            live.pictures("here", "nobody")

    asyncio.run(check())


def test_the_log_shows_no_secret_and_no_more_than_its_last_lines() -> None:
    tail, before = LogTail(), structlog.get_config()
    try:
        configure(Logging(), ["hunter2"], io.StringIO(), tail)
        log = structlog.get_logger("bot", profile="anna")
        for number in range(1_000):
            log.info("said", line=f"{number} my password is hunter2\n\x1b[2J")
        structlog.get_logger("bot", profile="ben").error("<script>")
    finally:
        structlog.configure(**before)
    lines = tail.lines_of("anna")
    assert len(lines) == TAIL
    assert "999 my password is *" in lines[-1][1]
    assert not any(bad in text for _, text in lines for bad in ("hunter2", "\n", "\x1b"))
    assert tail.lines_of("ben")[0][1].endswith("<script>")
    assert tail.lines_of("nobody") == []
