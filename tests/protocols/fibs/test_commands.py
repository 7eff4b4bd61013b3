"""What we say: one command a line, whatever names and texts contain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.position import BAR, OFF, Step
from sixprime.protocols.fibs.wire import LONGEST_COMMAND
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import DOWN, UP
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand
from sixprime.protocols.fibs.wire.messages import Player

MARVIN = Player("marvin")

LINES: list[tuple[Command, str]] = [
    (c.Login("sixprime bot 1.0", "sixbot", "s3cret99"),
     "login sixprime_bot_1.0 1008 sixbot s3cret99"),
    (c.Logout(), "bye"),
    (c.ListToggles(), "toggle"),
    (c.Toggle("ready"), "toggle ready"),
    (c.SetVariable("boardstyle", "3"), "set boardstyle 3"),
    (c.Away("back at nine"), "away back at nine"),
    (c.Back(), "back"),
    (c.AskTime(), "time"),
    (c.AskVersion(), "version"),
    (c.AskWho(), "rawwho"),
    (c.AskWho(MARVIN), "rawwho marvin"),
    (c.AskWhois(MARVIN), "whois marvin"),
    (c.ShowSaved(), "show saved"),
    (c.Invite(MARVIN, 5), "invite marvin 5"),
    (c.Invite(MARVIN, None), "invite marvin unlimited"),
    (c.InviteToResume(MARVIN), "invite marvin"),
    (c.Join(MARVIN), "join marvin"),
    (c.JoinNext(), "join"),
    (c.Leave(), "leave"),
    (c.Roll(), "roll"),
    (c.Move((Step(8, 5), Step(6, 5)), DOWN), "move 8-5 6-5"),
    (c.Move((Step(8, 5), Step(6, 5)), UP), "move 17-20 19-20"),
    (c.Move((Step(6, OFF), Step(BAR, 22)), DOWN), "move bar-22 6-off"),
    (c.Double(), "double"),
    (c.Accept(), "accept"),
    (c.Reject(), "reject"),
    (c.Resign(1), "resign n"),
    (c.Resign(2), "resign g"),
    (c.Resign(3), "resign b"),
    (c.AskBoard(), "board"),
    (c.AskBoard("b"), "b"),
    (c.AskOldMoves(), "oldmoves"),
    (c.AskOldMoves(MARVIN), "oldmoves marvin"),
    (c.Watch(MARVIN), "watch marvin"),
    (c.Unwatch(), "unwatch"),
    (c.Tell(MARVIN, "I am a bot"), "tell marvin I am a bot"),
    (c.Kibitz("good luck"), "kibitz good luck"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), LINES)
def test_a_command_is_the_line_of_the_protocol(command: Command, line: str) -> None:
    assert command.line() == line


def test_every_command_has_its_line_here() -> None:
    kinds = [k for k in vars(c).values() if isinstance(k, type) and issubclass(k, Command)]
    shared = {base for kind in kinds for base in kind.__mro__[1:]}  # hold what some have in common
    assert {type(command) for command, _ in LINES} == set(kinds) - shared


@pytest.mark.parametrize(
    "command",
    [
        c.Join(Player("marvin\r\nleave")),
        c.Join(Player("marvin 5")),
        c.Join(Player("")),
        c.Join(Player("-")),
        c.Join(Player("x" * 41)),
        c.Join(Player("mårvin")),
        c.Tell(Player("all hello"), "x"),
        c.Tell(MARVIN, "a\nshout b"),
        c.Tell(MARVIN, "a\rb"),
        c.Tell(MARVIN, "\x1b[2J"),
        c.Tell(MARVIN, "a\x85b"),
        c.Tell(MARVIN, ""),
        c.Tell(MARVIN, "   "),
        c.Tell(MARVIN, "x" * 250),
        c.SetVariable("boardstyle", "3\nbye"),
        c.SetVariable("boardstyle", "3 4"),
        c.SetVariable("no such", "3"),
        c.Toggle("ready\nbye"),
        c.Toggle("foo"),
        c.Invite(MARVIN, 0),
        c.Invite(MARVIN, 100),
        c.Resign(0),
        c.Resign(4),
        c.Move((), DOWN),
        c.Move((Step(8, 5),) * 5, DOWN),
        c.AskBoard("board\nbye"),
        c.Login("c", "sixbot", "a b"),
        c.Login("c", "sixbot", "a:b"),
        c.Login("c", "sixbot", ""),
        c.Login("c", "six bot", "abcd"),
        c.Login("c\nbye", "sixbot", "abcd"),
        c.Login("", "sixbot", "abcd"),
    ],
)
def test_what_would_not_be_one_command_is_illegal(command: Command) -> None:
    with pytest.raises(IllegalCommand):
        command.line()


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_and_no_name_becomes_a_second_command(name: str, text: str) -> None:
    for command in (
        c.Tell(Player(name), text),
        c.Tell(MARVIN, text),
        c.Join(Player(name)),
        c.Kibitz(text),
        c.Away(text),
        c.SetVariable("timezone", text),
        c.Login(text, "sixbot", name),
        c.InviteToResume(Player(name)),
    ):
        try:
            line = command.line()
        except IllegalCommand:
            continue
        assert line.isascii()
        assert line.isprintable()
        assert len(line) <= LONGEST_COMMAND


def test_letters_beyond_ascii_are_replaced() -> None:
    assert c.Kibitz("naïve café").line() == "kibitz na?ve caf?"
