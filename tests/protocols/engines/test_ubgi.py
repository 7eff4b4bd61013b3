"""The Universal Backgammon Interface: commands of all generations, and what they add up to."""

from __future__ import annotations

import random
import re
import string

import pytest

from sixprime.engine.position import MatchState, Position
from sixprime.protocols.engines.ubgi import (
    BadCommand,
    BarePosition,
    Fault,
    GetKey,
    Go,
    NewSession,
    Role,
    SetCube,
    SetDice,
    SetKey,
    SetOption,
    SetPosition,
    SetScore,
    SetTurn,
    Word,
    parse_command,
    play_text,
)
from sixprime.protocols.engines.ubgistate import UbgiState, greeting, settings_of
from sixprime.protocols.formats.ids import read_position_id

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---b-db---B-:0:0:1:64:2:1:0:5:10"
PAIR = "sGfwATDgc/ABMA:cAmzABAAEAAE"  # the same
LEVELS = ("expert", "world-class")


def state_after(*lines: str) -> UbgiState:
    """After these commands."""
    found = UbgiState(settings_of(LEVELS, "expert"))
    for line in lines:
        found = found.after(parse_command(line))
    return found


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ubgi", Word.HELLO),
        ("isready", Word.IS_READY),
        ("quit", Word.QUIT),
        ("newsession type money jacoby off", NewSession(0, jacoby=False)),
        ("newsession type match length 7 crawford off", NewSession(7, crawford=False)),
        ("setscore 3 4", SetScore((3, 4))),
        ("setcube value 4 owner p1", SetCube(4, 1)),
        ("setcube value 1 owner center", SetCube(1, None)),
        ("setturn p1", SetTurn(1)),
        (f"position gnubgid {START}", SetPosition(Position.start(), None)),
        ("dice 3 1", SetDice((3, 1))),
        ("set engine.ply 2", SetKey("engine.ply", "2")),
        ("setoption name EvalPlies value 1", SetOption("EvalPlies", "1")),
        ("get game.length", GetKey("game.length")),
        ("go", Go()),
        ("go cube", Go(Role.CUBE)),
        ("go role chequer", Go(Role.CHEQUER, old=True)),
        ("go role turn movetime 500 depth 2", Go(Role.TURN, 2, 0.5, old=True)),
    ],
)
def test_commands_of_every_generation_are_understood(line: str, command: object) -> None:
    assert parse_command(line) == command


@pytest.mark.parametrize(
    ("line", "fault", "text"),
    [
        ("hello", Fault.UNKNOWN, "unknown command 'hello'"),
        (f"{XGID} or {START}", Fault.ARGUMENT, "two positions"),
        ("position xgid 4HPw", Fault.ARGUMENT, "no position in '4HPw'"),
        ("UBGI", Fault.UNKNOWN, "unknown command 'UBGI'"),
        ("ubgi now", Fault.UNKNOWN, "unknown command 'ubgi'"),
        ("dice 7 1", Fault.ARGUMENT, "dice: '7' is not from 1 to 6"),
        ("dice 3", Fault.ARGUMENT, "dice: two numbers"),
        ("position gnubgid 4HPw", Fault.ARGUMENT, "no position in '4HPw'"),
        ("position fen x", Fault.ARGUMENT, "gnubgid or xgid"),
        ("position xgid XGID=-:0", Fault.ARGUMENT, "not 10"),
        ("setcube value 3", Fault.ARGUMENT, "3 is not a power of 2"),
        ("setcube value 2 owner you", Fault.ARGUMENT, "owner center, p0 or p1"),
        ("setturn p2", Fault.ARGUMENT, "p0 or p1"),
        ("newsession type match", Fault.ARGUMENT, "length"),
        ("newsession type match length 65", Fault.ARGUMENT, "from 1 to 64"),
        ("newsession length", Fault.ARGUMENT, "has no value"),
        ("go role fish", Fault.ARGUMENT, "chequer, cube or turn"),
        ("go nodes 100", Fault.UNSUPPORTED, "no limit of nodes"),
        ("go sideways", Fault.ARGUMENT, "'sideways' has no value"),
        ("set engine.ply", Fault.ARGUMENT, "a key and a value"),
        ("setoption Threads 2", Fault.ARGUMENT, "name NAME value VALUE"),
    ],
)
def test_a_bad_command_is_told_what_is_wrong(line: str, fault: Fault, text: str) -> None:
    with pytest.raises(BadCommand, match=re.escape(text)) as caught:
        parse_command(line)
    assert caught.value.fault is fault


def test_a_position_is_what_the_player_on_roll_sees_whoever_that_is() -> None:
    made = state_after("position gnubgid sGfwATDgc/ABMA", "setturn p1", "dice 6 4")
    assert made.position == read_position_id("sGfwATDgc/ABMA")
    assert (made.match.on_roll, made.match.to_act, made.match.dice) == (1, 1, (6, 4))


def test_an_xgid_brings_the_match_along() -> None:
    made = state_after(f"position xgid {XGID}")
    assert made.match == MatchState(length=5, score=(1, 2), dice=(6, 4))
    assert made.asked(Go())[2] is Role.CHEQUER


@pytest.mark.parametrize(
    "text", [XGID[5:], f"xgid {XGID[5:]}", f"({XGID})", f"{XGID} 5 points", f"GNUID={PAIR}", PAIR]
)
def test_a_position_is_read_as_people_paste_it(text: str) -> None:
    wanted = parse_command(XGID)
    assert isinstance(wanted, BarePosition)
    assert parse_command(text) == wanted
    for named in ("xgid", "gnubgid"):
        found = parse_command(f"position {named} {text}")
        assert found == SetPosition(wanted.position, wanted.match)


def test_a_bare_position_is_the_drafts_way_to_ask() -> None:
    command = parse_command(XGID)
    assert isinstance(command, BarePosition)
    assert UbgiState(settings_of(LEVELS, "expert")).after(command).asked(command)[2] is Role.CHEQUER


def test_a_side_1_away_makes_a_crawford_game_unless_it_is_switched_off() -> None:
    assert state_after("newsession type match length 5", "setscore 4 2").match.crawford
    assert not state_after(
        "newsession type match length 5 crawford off", "setscore 4 2"
    ).match.crawford
    assert not state_after("newsession type match length 5", "setscore 3 2").match.crawford
    assert not state_after("newsession type match length 1", "setscore 0 0").match.crawford


def test_the_rules_of_an_xgid_outlast_settings_of_the_engine() -> None:
    for score, rules in (("0:0:0:0", {"jacoby": False}), ("4:2:0:5", {"crawford": False})):
        lines = (f"position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:{score}:10",)
        made = state_after(*lines, "set engine.seed 5", "setoption name Threads value 2")
        assert made.match == state_after(*lines).match
        assert {name: getattr(made.match, name) for name in rules} == rules


def test_jacoby_is_for_money() -> None:
    assert state_after("newsession type money").match.jacoby
    assert not state_after("newsession type money jacoby off").match.jacoby
    assert not state_after("newsession type match length 5 jacoby on").match.jacoby
    assert not state_after("set game.jacoby off").match.jacoby


def test_a_new_game_starts_with_the_cube_in_the_middle_and_keeps_the_score() -> None:
    made = state_after(
        "newsession type match length 5", "setscore 1 2", "setcube value 2 owner p0", "newgame"
    )
    assert made.position == Position.start()
    assert (made.match.cube, made.match.cube_owner, made.match.score) == (1, None, (1, 2))


def test_a_score_that_ends_the_match_is_refused() -> None:
    with pytest.raises(BadCommand, match="5 ends a match to 5"):
        state_after("newsession type match length 5", "setscore 5 2")


def test_keys_and_options_are_two_names_of_one_setting() -> None:
    assert state_after("set engine.ply 3").value("engine.ply") == "3"
    assert (
        state_after("setoption name EvalPlies value 2").value("engine.ply") == "3"
    )  # counted from 1
    assert state_after("setoption name EvalPlies value -1").value("engine.ply") == "0"
    assert state_after("set engine.level world-class").value("engine.level") == "world-class"
    assert (
        state_after("setoption name Deterministic value false").value("engine.deterministic")
        == "false"
    )
    assert state_after("set game.length 7").value("game.type") == "match"
    for line in ("set engine.ply 9", "set engine.level x", "set nothing 1", "get nothing"):
        with pytest.raises(BadCommand):
            state_after(line).value("nothing")


def test_what_is_missing_is_named_before_anything_is_thought() -> None:
    with pytest.raises(BadCommand, match="no position"):
        state_after().asked(Go())
    with pytest.raises(BadCommand, match="no dice"):
        state_after("newgame").asked(Go(Role.CHEQUER))
    assert state_after("newgame").asked(Go())[2] is Role.CUBE


def test_errors_have_the_names_of_the_clients_generation() -> None:
    error = BadCommand(Fault.CONTEXT, "no\tdice")
    assert state_after().error_line(error) == "error bad_state no?dice"
    assert state_after("go role cube").error_line(error) == "error missing_context no?dice"


def test_the_greeting_ends_as_the_generation_expects() -> None:
    lines = greeting(state_after(), "Six", "us", "1", draft=False)
    assert lines[:4] == ["id name Six", "id author us", "id version 1", "proto 0.2"]
    assert "option name EvalPlies type spin default -1 min -1 max 4" in lines
    assert "option name Deterministic type check default true" in lines
    assert "option name EvalMode type combo default cubeful var cubeful var cubeless" in lines
    assert lines[-1] == "ubgiok"
    assert greeting(state_after(), "Six", "us", "1", draft=True)[-1] == "readyok"


def test_keys_are_told_with_their_range_and_default() -> None:
    lines = [setting.key_line() for setting in state_after().settings.values()]
    assert "key engine.ply int 0..5 0" in lines
    assert "key engine.level enum expert|world-class expert" in lines
    assert "key game.jacoby bool true" in lines


def test_plays_are_written_out_with_bar_and_off_in_words() -> None:
    from sixprime.engine.position import Step

    play = (Step(25, 20), Step(6, 0))
    assert play_text(play) == "bar/20 6/off"
    assert play_text(()) == "pass"


def test_nonsense_raises_nothing_but_bad_command() -> None:
    draw = random.Random(5)
    lines = (f"position gnubgid {START}", XGID, "go role cube depth 2", "setcube value 2 owner p0")
    for _ in range(20_000):
        letters = list(draw.choice(lines))
        for _ in range(draw.randint(1, 4)):
            letters[draw.randrange(len(letters))] = draw.choice(string.printable)
        try:
            state_after().after(parse_command("".join(letters)))
        except BadCommand as error:
            assert state_after().error_line(error).isascii()
