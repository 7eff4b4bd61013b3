"""Every command is one line, whatever names and texts somebody made up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.position import Step
from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Player

WILD = st.text(max_size=12) | st.sampled_from(
    ["x\ny", "x\rresign", "a b", "", " ", "\x00", "\u2028", "x" * 2_000, "é" * 600, "\ud800"]
)
COMMANDS: st.SearchStrategy[Command] = st.one_of(
    st.builds(b.CreateTable, st.integers(), WILD, WILD),
    st.builds(b.JoinTable, st.integers() | WILD.map(Player), WILD),
    st.builds(b.AskHistory, WILD.map(Player)),
    st.builds(c.Tell, WILD.map(Player), WILD),
    st.builds(Login, WILD, WILD, WILD),
    st.builds(b.MakeStep, st.builds(Step, st.integers(1, 25), st.integers(0, 24))),
    st.sampled_from([b.Confirm(), b.Pong(), c.Leave(), c.Roll(), c.Invite(Player("x"), 1)]),
)


@settings(max_examples=60)
@given(COMMANDS)
def test_a_command_is_one_line_that_begins_with_its_own_word(command: Command) -> None:
    try:
        line = b.line_of(command)
    except IllegalCommand as error:
        assert str(error)
        return
    assert len(line.encode()) <= b.LONGEST_LINE
    assert line.split() == line.split(" ")  # no other blanks, none at an end
    assert len(line.splitlines()) == 1
    words = {
        b.CreateTable: "create",
        b.JoinTable: "join",
        b.AskHistory: "history",
        c.Tell: "say",
        Login: "loginjson",
        b.MakeStep: "move",
        b.Confirm: "ok",
        b.Pong: "pong",
        c.Leave: "leave",
        c.Roll: "roll",
    }
    assert line.split(" ")[0] == words[type(command)]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (b.CreateTable(5), "create public 5 0"),
        (b.CreateTable(1, "Come in", "open sesame"), "create private open_sesame 1 0 Come in"),
        (b.JoinTable(12), "join 12"),
        (b.JoinTable(Player("BOT_x"), "a b"), "join BOT_x a_b"),
        (b.MakeStep(Step(25, 20)), "move bar/20"),
        (b.MakeStep(Step(6, 0)), "move 6/off"),
        (c.Move((Step(13, 8), Step(8, 5)), -1), "move 13/8"),
        (c.Accept(), "ok"),
        (c.Reject(), "resign"),
        (c.Resign(3), "resign"),
        (b.SetAutoplay(True), "set autoplay 1"),
        (
            Login("Sixprime 1/x", "bot_six", "two words"),
            "loginjson Sixprime_1-x/en bot_six two_words",
        ),
        (Login("Sixprime", "ford", ""), "loginjson Sixprime/en ford"),
    ],
)
def test_the_words_of_the_server(command: Command, line: str) -> None:
    assert b.line_of(command) == line


@pytest.mark.parametrize(
    "command",
    [
        b.CreateTable(0),
        b.CreateTable(128),
        b.JoinTable(0),
        b.JoinTable(Player("12")),
        c.Invite(Player("ford"), 5),
        c.AskTime(),
        c.Move((), -1),
    ],
)
def test_what_the_server_has_not_or_would_refuse_is_illegal(command: Command) -> None:
    with pytest.raises(IllegalCommand):
        b.line_of(command)
