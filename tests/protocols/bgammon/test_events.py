"""Bytes become events, whatever they are; nothing raises, and memory stays bounded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.protocols.bgammon import events
from sixprime.protocols.bgammon.events import (
    LONGEST,
    EventLines,
    Garbled,
    TableShown,
    cleaned,
    read_event,
)
from sixprime.protocols.fibs.wire.messages import LineTooLong, Message, Unknown
from sixprime.protocols.fibs.wire.talk import Said
from tests.support.bgammon.fakeserver import FakeServer

KINDS = [*events._READERS, "new", ""]
NAMES = ["Type", "Player", "Message", "Board", "Roll1", "Roll2", "Moves", "Available", "Turn"]
NAMES += ["Player1", "Player2", "Name", "Points", "Games", "DoubleValue", "Winner", "PlayerName"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(KINDS),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)


def a_board() -> dict[str, Any]:
    """A board of an honest server."""
    server = FakeServer()
    guest = server.connects()
    server.hears(guest, "loginjson x/en ford")
    server.hears(guest, "create public 5 0")
    return guest.said[-1]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6), st.sampled_from(KINDS))
def test_any_object_is_an_event_or_says_why_not(fields: dict[str, Any], kind: str) -> None:
    message = read_event(json.dumps(fields | {"Type": kind}))
    assert isinstance(message, Message)


@settings(max_examples=60)
@given(st.sampled_from(sorted(a_board())), JSON)
def test_a_board_with_any_field_changed_is_read_or_refused(name: str, value: Any) -> None:
    message = read_event(json.dumps(a_board() | {name: value}))
    assert isinstance(message, TableShown | Garbled | Unknown | Message)
    if isinstance(message, TableShown):
        assert len(message.places) == 28
        assert all(-15 <= count <= 15 for count in message.places)
        assert message.cube in (1, 2, 4, 8, 16, 32, 64)


@settings(max_examples=40)
@given(JSON)
def test_any_json_is_read(value: Any) -> None:
    assert isinstance(read_event(json.dumps(value)), Message)


@given(st.lists(st.binary(max_size=200) | st.sampled_from([b"\n", b'{"Type":"ping"}\n', b"{"])))
def test_any_bytes_are_read_the_same_however_they_are_cut(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    whole, cut = EventLines(), EventLines()
    told = list(whole.feed(data))
    assert [each for piece in pieces for each in cut.feed(piece)] == told
    assert told == [read_event(text) for line in data.split(b"\n")[:-1] if (text := _text(line))]


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()


@settings(max_examples=5)
@given(st.integers(LONGEST // 2, 3 * LONGEST))
def test_a_line_that_never_ends_costs_no_memory(length: int) -> None:
    lines = EventLines()
    told = []
    for start in range(0, length, 50_000):
        told += list(lines.feed(b"x" * min(50_000, length - start)))
        assert len(lines._rest) <= LONGEST
    told += list(lines.feed(b'\n{"Type":"ping","Message":"1"}\n'))
    assert isinstance(told[-1], events.Pinged)
    assert isinstance(told[0], LineTooLong) == (length > LONGEST)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 200_000,
        '{"Type":' * 50_000,
        '{"Type":"ping","Message":' + "9" * 5_000 + "}",
        '{"Type":"joined","Player":"x","GameID":' + "9" * 5_000 + "}",
        '{"Type":"joined","Player":"x","GameID":NaN}',
        '{"Type":"joined","Player":"x","GameID":1e400}',
        '{"Type":"joined","Player":"x","GameID":true}',
        '{"Type":"joined","Player":"two words","GameID":1}',
        '{"Type":["joined"]}x',
        "hello? no",
        "null",
    ],
)
def test_what_is_no_event_is_garbled(line: str) -> None:
    assert isinstance(read_event(line), Garbled)


def test_unknown_events_and_fields_survive() -> None:
    assert read_event('{"Type":"tournament","Prize":7}') == Unknown(
        '{"Type":"tournament","Prize":7}'
    )
    assert read_event('{"Type":{"a":1}}') == Unknown('{"Type":{"a":1}}')
    plain = read_event('{"Type":"say","Player":"ford","Message":"hi"}')
    assert read_event('{"Type":"say","Player":"ford","Message":"hi","Colour":"red"}') == plain


@given(st.text(st.characters(codec="utf-8"), max_size=50))
def test_what_people_say_is_one_printable_line(text: str) -> None:
    message = read_event(json.dumps({"Type": "say", "Player": "ford", "Message": text}))
    assert isinstance(message, Said)
    assert message.text == cleaned(text)
    assert message.text.isprintable()


def test_half_a_character_is_no_trouble() -> None:
    message = read_event('{"Type":"say","Player":"ford","Message":"a\\ud800b\\u0000c"}')
    assert message == Said(message.name, "a?b c")  # type: ignore[attr-defined]
