"""Any position begins a match, and a match ends with a look back at its errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.archive.collection.importing import add_file
from sixprime.bot.web.library.origins import Origin
from sixprime.bot.web.library.replaying import Replayed
from sixprime.bot.web.play.boardmatch import Asks
from sixprime.bot.web.play.fromhere import match_from
from sixprime.engine.position import MatchState
from sixprime.protocols.formats.ids import xgid
from sixprime.protocols.formats.record import SetBoard, Turn
from tests.support.web.manymatches import played
from tests.support.web.person import planted, played_on
from tests.support.web.visit import Visit

CUBE = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:5:10"  # below holds the cube at 2-3 of 5
ROLLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:1:10"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:7:10"


@pytest.fixture
def visit(tmp_path: Path) -> Iterator[Visit]:
    made = Visit(tmp_path)
    with made.client:
        yield made
    made.archive.close()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(0, 1), st.integers(0, 1))
def test_the_match_begins_with_the_position_as_the_person_sees_it(
    seed: int, turns: int, on_roll: int, person: int
) -> None:
    position = played_on(seed, turns)
    state = MatchState(
        length=7, score=(2, 5), cube=2, cube_owner=on_roll, on_roll=on_roll, to_act=on_roll,
        dice=(6, 2),
    )  # fmt: skip
    match = match_from("simple", position, state, person)
    seen, now = match.seen()
    assert seen == (position if on_roll == person else position.flipped())
    assert (now.score, now.cube, now.dice) == ((2, 5) if person == 0 else (5, 2), 2, (6, 2))
    assert (now.on_roll == 0) == (on_roll == person)
    assert (now.cube_owner == 0) == (on_roll == person)
    assert match.asks is (Asks.PLAY if on_roll == person else Asks.ENGINE)


@pytest.mark.parametrize(
    ("text", "asks"), [(CUBE, Asks.ROLL), (ROLLED, Asks.PLAY), (DOUBLED, Asks.ANSWER)]
)
def test_an_id_is_played_on(visit: Visit, text: str, asks: Asks) -> None:
    answer = visit.post("/position/play", id=text, level="simple")
    assert answer.status_code == 303
    match = visit.store.open_match(answer.headers["location"].rpartition("/")[2])
    assert match.asks is asks
    assert match.level == "simple"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"id": "nonsense", "level": "simple"}, ""),
        ({"id": CUBE, "level": "nobody"}, "Choose a level"),
        ({"at": "-" * 26, "level": "simple"}, "Nobody can play this position"),
    ],
)
def test_nonsense_is_refused(visit: Visit, fields: dict[str, str], why: str) -> None:
    answer = visit.post("/position/play", **fields)
    assert answer.status_code == 400
    assert why in answer.text


@given(
    st.integers(0, 5_000),
    st.integers(0, 30),
    st.one_of(st.none(), st.tuples(st.integers(1, 10**17), st.integers(0, 99_999))),
    st.text(),
)
def test_a_comment_tells_the_origin(
    seed: int, turns: int, place: tuple[int, int] | None, words: str
) -> None:
    text = xgid(played_on(seed, turns), MatchState(length=5, score=(1, 2)))
    origin = Origin.at(text, "" if place is None else f"{place[0]} {place[1]}")
    told = Origin.told(f"{words} {origin.comment}, so {words}")
    assert told == origin or "Played on" in words
    assert (origin.match, origin.step) == (place or (None, 0))


@given(st.text())
def test_any_comment_and_any_place_is_bearable(text: str) -> None:
    assert Origin.at("XGID=x", text).link.startswith(("/position?id=XGID", "/archive/"))
    assert Origin.told(text) is None or "Played on from" in text


@pytest.mark.parametrize("seat", [0, 1])
def test_every_step_of_a_replay_is_played_on_as_either_player(visit: Visit, seat: int) -> None:
    (number,) = add_file(visit.archive, "a file", [played()[0]])
    found = Replayed.from_match(played()[0], None)
    steps = [step for step, stage in enumerate(found.stages)][::7]
    assert len(steps) > 5
    for step in steps:
        page = visit.get(f"/archive/{number}", step=step)
        text, name = re.findall(r'<option value="(XGID[^"]*)">([^<]*)</option>', page)[seat]
        assert name == found.names[seat]
        assert f'name="place" value="{number} {step}"' in page
        answer = visit.post("/position/play", id=text, level="simple", place=f"{number} {step}")
        match = visit.store.open_match(answer.headers["location"].rpartition("/")[2])
        action, position, state = found.stages[step].moment
        begun = match.game.actions[0]
        assert isinstance(begun, SetBoard)
        assert begun.position == position
        assert begun.on_roll == (0 if state.on_roll == seat else 1)
        assert match.game.score == (state.score if seat == 0 else state.score[::-1])
        rolls = [each.dice for each in match.game.actions[1:2] if isinstance(each, Turn)]
        if isinstance(action, Turn):
            assert [sorted(each) for each in rolls] == [sorted(action.dice)]
        assert Origin.told(match.record.comment) == Origin(text, number, step)


def test_the_archive_leads_back_to_the_position_that_a_match_came_from(visit: Visit) -> None:
    (number,) = add_file(visit.archive, "a file", [played()[0]])
    record = replace(played()[1], comment=Origin(CUBE, number, 4).comment)
    (other,) = add_file(visit.archive, "another", [record])
    page = visit.get(f"/archive/{other}")
    assert f'Played on from <a href="/archive/{number}?step=4">step 5 of another match</a>' in page
    assert "Played on from <a" not in visit.get(f"/archive/{number}")


def test_a_match_that_is_over_shows_its_errors_to_be_played_again(visit: Visit) -> None:
    match = planted()
    match.tutor = None
    match.write_play("24/21 6/5")  # a blunder
    match.confirm()
    key = visit.store.add(match)
    visit.post(f"/play/{key}/resign", games="1")  # before the engine's roll it may not
    for _ in range(4):
        match = visit.store.open_match(key)
        if match.asks is Asks.NOTHING:
            break
        deed = {Asks.ROLL: "resign", Asks.PLAY: "resign", Asks.ANSWER: "drop"}
        visit.client.get(f"/play/{key}")
        visit.post(f"/play/{key}/{deed.get(match.asks, 'accept')}", games="3")
    assert visit.store.open_match(key).asks is Asks.NOTHING
    page = visit.client.get(f"/play/{key}").text
    assert "Your worst errors" in page
    assert "better 8/5 6/5" in page
    state = MatchState(length=1, on_roll=1, to_act=1, dice=(3, 1))
    assert f'name="id" value="{xgid(played_on(0, 0), state)}"' in page
