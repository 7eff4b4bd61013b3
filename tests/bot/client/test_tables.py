"""Bots at the tables of a server of bgammon's kind: the fake one, in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from sixprime.bot.client.connection import Backoff, Streams
from sixprime.bot.client.leaving import ASKED
from sixprime.bot.client.lobby.foyer import owner_of
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import considered
from sixprime.bot.control.steering import NotDone, Steering
from sixprime.bot.matchlog.events import MatchOver, MatchSaved, Rated
from sixprime.bot.settings.passwords import find_password
from sixprime.bot.settings.schema import AccountSettings, Reconnect, ServerSettings
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import preset
from sixprime.engine.search.players import EnginePlayer
from sixprime.protocols.bgammon.events import OpenTable
from sixprime.protocols.bgammon.orientation import board_shown
from sixprime.protocols.fibs.questions import AnswerDouble
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Player
from tests.support.bot.scene import Crew, check_replay
from tests.support.bot.tables import Hall, crew_of, quick, settings, virtual_time
from tests.support.bot.virtual import PASSWORD, VirtualServer

pytestmark = pytest.mark.patient

OPENS = "{invite: {match_length: 3}}"
SITS = "{invite: {match_length: 3, after_idle_s: 5, whom: anyone}}"
_FIBS = "server: {kind: fibs, host: fibs, port: 4321}"
ON_FIBS = {
    "anna": f"{{invite: {{match_length: 1, after_idle_s: 5, preferred: [ben]}}}}, {_FIBS}",
    "ben": f"{{}}, {_FIBS}",
}
AGAIN = "{rematches: true, invite: {match_length: 3}}"


def evening(
    hall: Hall, play: Callable[[Crew], Awaitable[None]], how: Stop = Stop.SAVE, **profiles: str
) -> Crew:
    """Let these profiles play until `play` is over."""
    with virtual_time() as run:
        return run.run(_evening(hall, play, how, settings(**profiles)))


async def _evening(
    hall: Hall, play: Callable[[Crew], Awaitable[None]], how: Stop, config: object
) -> Crew:
    crew = crew_of(hall, config)  # type: ignore[arg-type]
    pings = asyncio.create_task(hall.pings())
    running = asyncio.create_task(crew.run())
    await play(crew)
    crew.service.request_stop(how)
    await running
    pings.cancel()
    return crew


def overs(crew: Crew, name: str) -> int:
    return len(crew.memories[name].of(MatchOver))


def until(crew: Crew, happened: Callable[[], bool]) -> Awaitable[None]:
    return crew.until(happened, within_s=40_000)


def test_a_bot_opens_a_table_and_another_sits_down_and_both_record_the_same() -> None:
    hall = Hall()

    async def play(crew: Crew) -> None:
        await until(crew, lambda: overs(crew, "karl") >= 4)

    crew = evening(hall, play, Stop.FINISH, bot_six=OPENS, karl=SITS)
    assert hall.server.refused == []
    assert not any(line.startswith("join") for name, line in hall.heard if name == "BOT_six")
    six, karl = crew.memories["bot_six"], crew.memories["karl"]
    assert len(six.of(MatchOver)) == len(karl.of(MatchOver)) >= 4
    for ours, theirs in zip(six.matches, karl.matches, strict=True):
        check_replay(ours)
        assert ours.winner is not None
        assert theirs.winner == 1 - ours.winner
        assert ours.score == theirs.score[::-1]
        assert [len(game.actions) for game in ours.games] == [
            len(game.actions) for game in theirs.games
        ]
    assert len(six.of(Rated)) == len(six.of(MatchOver))
    assert ("BOT_six", "say Hello karl, I am a bot. Good luck!") in hall.heard


def test_who_wants_a_rematch_gets_one_at_the_same_table() -> None:
    hall = Hall(2)

    async def play(crew: Crew) -> None:
        await until(crew, lambda: overs(crew, "karl") >= 3)

    evening(hall, play, Stop.FINISH, bot_six=AGAIN, karl=SITS)
    joined = [line for _, line in hall.heard if line.startswith("join")]
    assert len(joined) == 1
    assert sum(line == "rematch" for _, line in hall.heard) >= 4


def test_a_bot_that_stops_keeps_its_seat_and_plays_on_when_it_is_back() -> None:
    hall = Hall(3)

    async def play(crew: Crew) -> None:
        await until(crew, lambda: crew.service.bots[1].client.playing)
        await asyncio.sleep(20)
        six, karl = crew.service.bots
        six.request_stop(Stop.SAVE)
        await until(crew, lambda: six.stopped)
        assert ("BOT_six", "disconnect") in hall.heard
        assert karl.client.playing
        again = crew_of(hall, settings(bot_six=OPENS))
        running = asyncio.create_task(again.run())
        await until(crew, lambda: overs(crew, "karl") >= 1)
        again.service.request_stop(Stop.FINISH)
        await running
        assert overs(again, "bot_six") == 1

    crew = evening(hall, play, bot_six=OPENS, karl=SITS)
    assert not crew.memories["karl"].of(MatchSaved)


@pytest.mark.parametrize(
    "seed",
    [2, pytest.param(0, marks=pytest.mark.slow), pytest.param(1, marks=pytest.mark.slow)],
)
def test_cut_lines_and_a_server_that_is_away_end_no_match(seed: int) -> None:
    hall, dice = Hall(seed), random.Random(seed)

    async def play(crew: Crew) -> None:
        while overs(crew, "karl") < 3:
            await asyncio.sleep(dice.uniform(5, 60))
            hall.is_down = dice.random() < 0.2
            for line in dice.sample(hall.lines, min(len(hall.lines), dice.choice((1, 1, 2)))):
                line.cut()
            await asyncio.sleep(dice.uniform(0, 30))
            hall.is_down = False

    crew = evening(hall, play, Stop.FINISH, bot_six=OPENS, karl=SITS)
    assert hall.server.refused == []
    assert not hall.server.tables
    six, karl = (
        [match for match in crew.memories[name].matches if match.winner is not None]
        for name in ("bot_six", "karl")
    )
    assert len(six) == len(karl) >= 3
    for ours, theirs in zip(six, karl, strict=True):
        check_replay(ours)
        check_replay(theirs)
        assert ours.score == theirs.score[::-1]


def test_a_guest_whom_we_do_not_want_is_left_before_the_dice() -> None:
    hall = Hall()

    async def play(crew: Crew) -> None:
        await asyncio.sleep(200)
        assert overs(crew, "karl") == 0

    evening(hall, play, bot_six="{accept: {block: [karl]}, invite: {match_length: 3}}", karl=SITS)
    said = [line for name, line in hall.heard if name == "BOT_six"]
    assert "say Sorry, I am not playing now." in said
    assert "leave" in said
    assert "roll" not in said
    assert all(table.started == 0 for table in hall.server.tables)


def test_a_match_that_we_leave_for_good_is_not_called_saved() -> None:
    hall = Hall(4)

    async def play(crew: Crew) -> None:
        await until(crew, lambda: crew.service.bots[1].client.playing)
        await asyncio.sleep(20)
        crew.service.bots[0].client.leave_match(Player("karl"))
        await until(crew, lambda: ("BOT_six", "leave") in hall.heard)

    evening(hall, play, bot_six=OPENS, karl=SITS)
    said = [line for name, line in hall.heard if name == "BOT_six"]
    assert f"say {ASKED}" in said[: said.index("leave")]


def test_our_own_table_has_a_length_that_we_play() -> None:
    hall = Hall(5)

    async def play(crew: Crew) -> None:
        await until(crew, lambda: overs(crew, "karl") >= 1)

    terms = "{accept: {match_lengths: [7]}, invite: {match_length: 3}}"
    evening(hall, play, Stop.FINISH, bot_six=terms, karl=SITS)


def test_every_state_at_the_tables_has_its_reason() -> None:
    hall, reasons = Hall(4), set()

    async def play(crew: Crew) -> None:
        for _ in range(300):
            for bot in crew.service.bots:
                reasons.add(bot.waiting(asyncio.get_running_loop().time()).reason)
            await asyncio.sleep(1.0)
        lobby = crew.service.bots[0].profile.lobby
        paused = crew.service.bots[0].profile.model_copy(
            update={"lobby": lobby.model_copy(update={"paused": True})}
        )
        crew.service.bots[0].adopt(paused)
        client = crew.service.bots[0].client
        await until(crew, lambda: not client.playing)
        await asyncio.sleep(60)
        assert client.session is not None
        assert client.session.state.value == "in the lobby"
        assert client.session.seat.table is None  # type: ignore[union-attr]
        reasons.add(crew.service.bots[0].waiting(asyncio.get_running_loop().time()).reason)

    evening(hall, play, bot_six=AGAIN, karl=SITS)
    assert {"nobody", "thinking", "opponent", "paused"} <= reasons


def test_tables_of_others_that_do_not_suit_us_are_passed_over() -> None:
    hall = Hall()
    wants = (
        "{accept: {match_lengths: [5]}, invite: {match_length: 5, after_idle_s: 5, whom: anyone}}"
    )

    async def play(crew: Crew) -> None:
        await asyncio.sleep(300)

    crew = evening(hall, play, bot_six=OPENS, karl=wants)
    assert not any(line.startswith("join") for _, line in hall.heard)
    assert overs(crew, "karl") == 0
    assert owner_of(OpenTable(1, False, 3, 1, 0, "bot_six's match")) == "bot_six"
    assert owner_of(OpenTable(1, False, 3, 1, 0, "James' match")) == "James"
    assert owner_of(OpenTable(1, False, 3, 1, 0, "come and lose")) == ""


def test_an_operator_sends_a_bot_to_a_table_but_none_to_a_person_who_may_not() -> None:
    hall = Hall()

    async def play(crew: Crew) -> None:
        await asyncio.sleep(60)
        steering = Steering(crew.service, lambda: crew.service.config)
        with pytest.raises(NotDone, match="being a BOT_"):
            steering.invite("karl", 3, "bot_six")
        assert "sits down at" in steering.invite("BOT_six", 3, "karl")
        await until(crew, lambda: overs(crew, "karl") >= 1)

    evening(hall, play, Stop.FINISH, bot_six=OPENS, karl=OPENS)


@pytest.mark.parametrize(("games", "answer"), [(1, c.Reject), (2, c.Accept)])
def test_a_pass_that_loses_a_gammon_is_rarely_right(games: int, answer: type) -> None:
    ours, theirs = [0] * 25, [0] * 25
    ours[8], ours[7], ours[5], theirs[7], theirs[5], theirs[4] = 5, 5, 5, 3, 6, 6  # 115 pips, 90
    state = MatchState(7, (0, 0), 1, 0, doubled=True)
    board = board_shown(Position(tuple(ours), tuple(theirs)), state, "karl")
    question = AnswerDouble(board, games)
    player = EnginePlayer(Engine(preset("expert")))
    assert isinstance(considered(question, player).command, answer)


def test_many_cut_lines_are_no_sign_of_a_second_login_where_none_is_let_in() -> None:
    here, there = Backoff(Reconnect()), Backoff(Reconnect(), kicks=False)
    for _ in range(4):
        pauses = here.after(None, 20.0), there.after(None, 20.0)
    assert here.suspects_twin
    assert not there.suspects_twin
    assert pauses[1] < 120.0 < pauses[0]


def test_a_kind_of_server_has_its_own_public_address() -> None:
    kinds = {"fibs": ("fibs.com", 4321), "bgammon": ("bgammon.org", 1337)}
    for kind, place in kinds.items():
        server = ServerSettings.model_validate({"kind": kind})
        assert (server.host, server.port) == place
    own = ServerSettings.model_validate({"kind": "bgammon", "port": 7000, "host": "here"})
    assert (own.host, own.port) == ("here", 7000)
    assert find_password(AccountSettings(user="six", guest=True), {}).text == ""


def test_one_process_plays_on_both_kinds_of_servers() -> None:
    hall = Hall(6)

    async def both() -> Crew:
        fibs = VirtualServer(1)
        for name in ("anna", "ben"):
            fibs.open_account(name)

        async def dial(host: str, port: int, within_s: float) -> Streams:
            place = hall if host == "tables" else fibs
            return await place.dial(host, port, within_s)

        crew = Crew(
            settings(bot_six=OPENS, karl=SITS, **ON_FIBS), PASSWORD, dial=dial, thinker=quick()
        )
        pings = asyncio.create_task(hall.pings())
        running = asyncio.create_task(crew.run())
        await until(crew, lambda: min(overs(crew, "karl"), overs(crew, "anna")) >= 1)
        crew.service.request_stop(Stop.FINISH)
        await running
        pings.cancel()
        return crew

    with virtual_time() as run:
        crew = run.run(both())
    servers = {
        name: {e.who.server for e in crew.memories[name].of(MatchOver)} for name in crew.memories
    }
    assert servers["karl"] == servers["bot_six"] == {"tables"}
    assert servers["anna"] == servers["ben"] == {"fibs"}
