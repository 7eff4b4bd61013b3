"""`sixprime ubgi`: whole sessions, with a player that needs no nets, and with the engine."""

from __future__ import annotations

import io

from sixprime.bot.interfaces.ubgi import EngineOptions, UbgiConversation, converse, with_engine
from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import PipCounter
from tests.support.engine.brains import random_brain

OPENING = "position gnubgid 4HPwATDgc/ABMA"


class FirstPlay(PipCounter):
    """Makes the first legal play, doubles, and takes."""

    def play(self, position: Position, match: MatchState) -> Play:
        """The first."""
        assert match.dice is not None
        return legal_plays(position, match.dice)[0].play

    def double(self, position: Position, match: MatchState) -> bool:
        """Always."""
        return True

    def answer(self, position: Position, match: MatchState) -> Answer:
        """Always a take."""
        return Answer.TAKE


def talk(*lines: str, draft: bool = False, looks: list[EngineOptions] | None = None) -> list[str]:
    """What is answered to these lines."""

    def make(look: EngineOptions) -> FirstPlay:
        if looks is not None:
            looks.append(look)
        return FirstPlay()

    answers = io.BytesIO()
    commands = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
    converse(commands, answers, UbgiConversation(make, tuple(PRESETS), "expert", draft=draft))
    return answers.getvalue().decode().splitlines()


def test_the_session_of_the_fact_sheet() -> None:
    answers = talk("ubgi", "isready", "newgame", OPENING, "dice 3 1", "go role chequer", "quit")
    assert answers[0] == "id name Sixprime"
    assert "ubgiok" in answers
    assert answers[-2] == "readyok"
    assert answers[-1].startswith("bestmove ")


def test_nothing_is_answered_after_quit() -> None:
    assert talk("isready", "quit", "isready") == ["readyok"]


def test_a_cube_question_is_answered_by_rule_and_by_wish() -> None:
    assert talk(OPENING, "go cube") == ["bestcube double"]
    assert talk(OPENING, "setcube value 2 owner p1", "go cube") == ["bestcube nodouble"]
    crawford = ("newsession type match length 5", "setscore 4 0", OPENING)
    assert talk(*crawford, "go role cube") == ["bestcube nodouble"]


def test_a_turn_is_both_in_one_line() -> None:
    (answer,) = talk(OPENING, "dice 3 1", "go turn")
    assert answer.startswith("bestturn cube=double move=")
    assert talk(OPENING, "go turn") == ["bestturn cube=double"]


def test_a_double_on_offer_is_answered() -> None:
    doubled = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:5:10"
    assert talk(f"position xgid {doubled}", "go role cube") == ["bestcube take"]
    assert talk(doubled) == ["take"]


def test_the_draft_is_answered_by_the_action_alone() -> None:
    assert talk("ubgi", draft=True)[-1] == "readyok"
    assert talk("XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:5:10") == ["double"]
    (answer,) = talk("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:5:10")
    assert "/" in answer


def test_no_legal_play_is_a_pass_and_to_the_draft_a_blank_line() -> None:
    closed = "XGID=aBBBBBB--------------c----:0:0:-1:61:0:0:0:5:10"
    assert talk(f"position xgid {closed}", "go") == ["bestmove pass"]
    assert talk(closed) == [""]


def test_errors_go_on() -> None:
    answers = talk("fly", "go", OPENING, "go chequer", "dice 3 1", "go role cube", "dice 0 0", "")
    assert answers == [
        "error bad_command unknown command 'fly'",
        "error bad_state no position",
        "error bad_state no dice",
        "bestcube double",
        "error bad_argument dice: '0' is not from 1 to 6",
    ]


def test_a_line_that_never_ends_is_one_error() -> None:
    answers = talk("x" * 100_000, "isready")
    assert len(answers) == 2
    assert answers[0].startswith("error bad_command")
    assert answers[1] == "readyok"


def test_the_look_follows_the_settings_and_is_kept_while_they_stay() -> None:
    looks: list[EngineOptions] = []
    talk(
        *(OPENING, "dice 3 1", "go", "go"),
        *("set engine.ply 1", "set engine.seed 7", "go", "go chequer depth 2 movetime 1500"),
        "quit",
        looks=looks,
    )
    assert looks == [
        EngineOptions("expert"),
        EngineOptions("expert", 0, seed=7),
        EngineOptions("expert", 2, 1.5, seed=7),
    ]


def test_settings_are_told_and_kept() -> None:
    answers = talk("set engine.level supremo", "get engine.level", "keys")
    assert answers[0] == "value engine.level supremo"
    assert any(line.startswith("key engine.level enum beginner|") for line in answers)


def test_every_kind_of_level_is_taken() -> None:
    answers = talk(*(f"set engine.level {name}" for name in ("pr 6.5", "PR3", "1650", "pr10")))
    assert answers == []
    assert talk("set engine.level pr 6.5", "get engine.level")[-1] == "value engine.level pr 6.5"
    for wrong in ("pr 31", "pr", "9999", "pr 6 7"):
        (refused,) = talk(f"set engine.level {wrong}")
        assert refused.startswith(f"error bad_value engine.level: '{wrong}' is not one of beginner")


def test_people_play_from_first_sight_and_a_seed_is_a_person() -> None:
    """Asked for two plies, the level still plays as it does; other seeds play differently."""

    def moves(*settings: str) -> list[str]:
        conversation = UbgiConversation(
            with_engine(PRESETS, random_brain()), tuple(PRESETS), "expert"
        )
        for line in ("set engine.level pr 20", *settings, OPENING):
            assert conversation.respond(line) == []
        found = []
        for dice in ("3 1", "4 1", "4 2", "5 1", "6 2", "6 3", "5 4"):
            conversation.respond(f"dice {dice}")
            found += conversation.respond("go")
        return found

    assert moves() == moves("set engine.ply 2") == moves("set engine.threads 2")
    assert moves() != moves("set engine.seed 2")


def test_the_engine_answers_too() -> None:
    make = with_engine(PRESETS, random_brain())
    conversation = UbgiConversation(make, tuple(PRESETS), "expert")
    for line in (OPENING, "dice 3 1"):
        assert conversation.respond(line) == []
    (move,) = conversation.respond("go")
    position = Position.start()
    ways = {legal.play for legal in legal_plays(position, (3, 1))}
    assert move.startswith("bestmove ")
    assert any(" ".join(f"{a}/{b}" for a, b in way) == move[9:] for way in ways)
    assert conversation.respond("go cube")[0] in ("bestcube double", "bestcube nodouble")
    over = "position gnubgid AAAAAAAAAAAAAA"
    assert conversation.respond(over)[0].startswith("error bad_value")


def test_the_game_is_chosen_by_its_name() -> None:
    names = "standard|nackgammon|hypergammon-1|hypergammon-2|hypergammon-3"
    assert f"key game.variant enum {names} standard" in talk("keys")
    words = " ".join(f"var {name}" for name in names.split("|"))
    assert f"option name Variant type combo default standard {words}" in talk("ubgi")
    chosen = "setoption name Variant value hypergammon-2"
    assert talk(chosen, "newgame", "dice 6 6", "go role chequer") == [
        "bestmove 24/18 23/17 18/12 17/11"  # both checkers run: there are no others
    ]
    assert talk(chosen, OPENING, "dice 3 1", "go role chequer") == [
        "error missing_context the player on roll has 15 checkers, more than 2"
    ]
    (error,) = talk("set game.variant chess")
    assert error.startswith("error bad_value game.variant: 'chess' is not one of standard, ")
