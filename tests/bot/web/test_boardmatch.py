"""A match against the engine without its pages: dice by hand, beavers, ratings, the tutor."""

from __future__ import annotations

import json

import pytest

from sixprime.bot.web.play import boardmatch
from sixprime.bot.web.play.boardmatch import (
    ENGINE,
    YOU,
    Asks,
    BoardMatch,
    match_from_plain,
    match_to_plain,
)
from sixprime.bot.web.play.coach import Coach, CubeHint, ratings
from sixprime.bot.web.play.table import shown
from sixprime.bot.web.play.tutor import Tutor, Warned
from sixprime.engine.game import Answer
from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.notation import BadPlay
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)

PLAYERS = Player("me"), Player("Sixprime")
BEAVERS = Rules(beavers=3)


class Puppet:
    """An engine that doubles always, answers as told, and makes any play."""

    def __init__(self, answer: Answer = Answer.TAKE) -> None:
        self._answer = answer

    def play(self, position: Position, match: MatchState) -> Play:
        assert match.dice is not None
        return legal_plays(position, match.dice)[0].play

    def double(self, position: Position, match: MatchState) -> bool:
        return True

    def answer(self, position: Position, match: MatchState) -> Answer:
        return self._answer

    def resign(self, position: Position, match: MatchState) -> int:
        return 0

    def accept(self, position: Position, match: MatchState) -> bool:
        return True


def session(rules: Rules, on_roll: int = YOU) -> BoardMatch:
    """Money, before a roll."""
    board = SetBoard(on_roll, Position.start())
    other: Dice = (3, 1)
    turn = Turn(1 - on_roll, other, legal_plays(Position.start(), other)[0].play)
    return BoardMatch("simple", Match(PLAYERS, 0, (Game(actions=(board, turn)),), rules))


def asks(match: BoardMatch) -> Asks:
    """Call the property anew: mypy thinks that it stays what it was."""
    return match.asks


def kept(match: BoardMatch) -> BoardMatch:
    """The match after a killed server."""
    again = match_from_plain(json.loads(json.dumps(match_to_plain(match))))
    assert again == match
    return again


def test_rolled_ties_turn_the_cube_as_often_as_the_rule_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ties: tuple[Dice, ...] = ((3, 3), (5, 5), (1, 1), (6, 1))
    monkeypatch.setattr(boardmatch, "opening", lambda _: iter(ties))
    for most, cube in ((0, 1), (1, 2), (2, 4), (6, 8)):
        match = BoardMatch.new(0, "simple", Rules(automatic_doubles=most))
        assert (kept(match).game.cube, match.replay().state.dice) == (cube, (6, 1))
    assert BoardMatch.new(3, "simple", Rules(automatic_doubles=2)).game.cube == 1


def test_all_dice_come_by_hand() -> None:
    match = BoardMatch.new(3, "simple", Rules(), by_hand=True)
    assert asks(match) is Asks.OPENING
    with pytest.raises(InputError, match="Roll again"):
        match.enter((4, 4))
    match = kept(match)
    match.enter((2, 5))
    assert asks(match) is Asks.ENGINE
    assert match.replay().state.dice == (2, 5)
    match.engine_acts(Puppet())
    assert asks(match) is Asks.ROLL
    with pytest.raises(InputError, match="enter them"):
        match.roll()
    match.enter((3, 1))
    match.write_play("8/5 6/5")
    match.confirm()
    match.engine_acts(Puppet())  # doubles
    match.answer(take=True)
    match.engine_acts(Puppet())
    assert asks(kept(match)) is Asks.DICE
    match.enter((6, 6))
    turn = match.game.actions[-1]
    assert isinstance(turn, Turn)
    assert (turn.seat, turn.dice) == (ENGINE, (6, 6))
    with pytest.raises(InputError, match="No dice"):
        match.enter((1, 2))


def test_a_double_is_beavered_and_the_beaver_answered() -> None:
    match = session(BEAVERS, ENGINE)
    match.engine_acts(Puppet())
    assert asks(match) is Asks.ANSWER
    assert match.may_beaver
    match.beaver()
    match.engine_acts(Puppet(Answer.BEAVER))  # a raccoon
    assert asks(kept(match)) is Asks.ANSWER
    assert match.may_beaver
    match.answer(take=True)
    state = match.replay().state
    assert (state.cube, state.cube_owner, state.to_act) == (8, YOU, ENGINE)


def test_no_more_beavers_than_the_rules_allow() -> None:
    match = session(Rules(beavers=1))
    match.double()
    match.engine_acts(Puppet(Answer.BEAVER))
    assert asks(match) is Asks.ANSWER  # the beaver
    assert not match.may_beaver
    with pytest.raises(InputError):
        match.beaver()
    match.answer(take=True)
    assert match.replay().state.cube == 4
    match = session(Rules())
    match.double()
    match.engine_acts(Puppet(Answer.BEAVER))  # is only a take here
    assert match.game.actions[-1] == Cube(ENGINE, CubeStep.TAKE)


def test_three_beavers_follow_a_double_and_no_more() -> None:
    match = session(BEAVERS)
    match.double()
    match.engine_acts(Puppet(Answer.BEAVER))
    match.beaver()
    match.engine_acts(Puppet(Answer.BEAVER))
    assert asks(match) is Asks.ANSWER
    assert not match.may_beaver
    assert shown(match)["says"] == "The engine turns it again, to 16: take or drop?"


def test_a_refused_resignation_is_told_and_nothing_else() -> None:
    class Proud(Puppet):
        def accept(self, position: Position, match: MatchState) -> bool:
            return False

    match = session(Rules())
    match.said.append("3-1, 8/5 6/5")
    match.resign(1)
    match.engine_acts(Proud())
    assert match.said == ["refuses to win so little, and plays on"]
    assert asks(match) is Asks.ROLL


def test_a_play_is_written_or_refused() -> None:
    match = session(Rules())
    match.roll()
    with pytest.raises(BadPlay):
        match.write_play("24/1")
    best = legal_plays(match.replay().position, match.replay().state.dice or (1, 1))[0]
    match.write_play(" ".join(f"{start}/{end}" for start, end in best.play))
    assert match.may_confirm
    match.rethink()
    assert match.begun == ()


def test_a_session_ends_when_the_person_says_so() -> None:
    match = session(Rules())
    with pytest.raises(InputError):
        match.finish()
    match.resign(1)
    match.engine_acts(Puppet())
    assert asks(match) is Asks.NEXT_GAME
    match.finish()
    assert asks(kept(match)) is Asks.NOTHING


def test_a_rating_is_played_at_by_its_noise() -> None:
    least, most = ratings()
    assert least < 1500 < most
    coach = Coach("expert")
    weak, strong = (BoardMatch.new(1, str(rating), Rules()) for rating in (least, most))
    for match in (weak, strong):
        coach.reply(match)
        assert asks(match) is not Asks.ENGINE


def warned(coach: Coach, match: BoardMatch, deed: str) -> Warned | None:
    judged = coach.judged(match, deed)
    return None if match.tutor is None else match.tutor.warned(judged)


@pytest.mark.parametrize(
    ("tutor", "says"),
    [
        (Tutor(), "very bad"),
        (Tutor("very bad"), "very bad"),
        (Tutor(plays=False), None),
        (None, None),
    ],
)
def test_the_tutor_warns_of_plays_as_asked(tutor: Tutor | None, says: str | None) -> None:
    game = Game(actions=(SetBoard(YOU, Position.start()), Turn(YOU, (3, 1))))
    match = BoardMatch("simple", Match(PLAYERS, 1, (game,)), tutor)
    match.write_play("24/21 6/5")
    coach = Coach("expert")
    found = warned(coach, match, "confirm")
    assert (None if found is None else found.how) == says


@pytest.mark.parametrize(
    ("mine", "deed", "right"),
    [  # two checkers on these points, to be borne off by this roll: 23 of 36 rolls, or 10
        ((5, 1), "double", None),
        ((5, 1), "roll", "double"),
        ((5, 4), "roll", None),
        ((5, 4), "double", "do not double yet"),
    ],
)
def test_the_tutor_warns_of_the_cube(mine: tuple[int, int], deed: str, right: str | None) -> None:
    side = tuple(int(point in mine) for point in range(1, 26))
    board = SetBoard(YOU, Position(side, (2, *(0,) * 24)))
    match = BoardMatch("simple", Match(PLAYERS, 0, (Game(actions=(board,)),)), Tutor())
    assert asks(match) is Asks.ROLL
    coach = Coach("expert")
    found = warned(coach, match, deed)
    assert (None if found is None else found.better) == right


@pytest.mark.parametrize(
    ("theirs", "rules", "deed", "right"),
    [  # the engine doubles, and has to bear two checkers off by this roll
        ((5, 4), BEAVERS, "take", "better is to beaver"),
        ((5, 4), BEAVERS, "drop", "better is to beaver"),
        ((5, 4), BEAVERS, "beaver", None),
        ((5, 4), Rules(), "take", None),
        ((5, 1), BEAVERS, "take", None),
        ((5, 1), BEAVERS, "drop", "better is to take"),
        ((5, 1), BEAVERS, "beaver", "better is to take"),
        ((2, 1), BEAVERS, "take", "better is to drop"),
    ],
)
def test_the_tutor_warns_of_answers_to_a_double(
    theirs: tuple[int, int], rules: Rules, deed: str, right: str | None
) -> None:
    side = tuple(int(point in theirs) for point in range(1, 26))
    board = SetBoard(ENGINE, Position(side, (2, *(0,) * 24)))
    game = Game(actions=(board, Cube(ENGINE, CubeStep.DOUBLE)))
    match = BoardMatch("simple", Match(PLAYERS, 0, (game,), rules), Tutor())
    coach = Coach("expert")
    found, hint = warned(coach, match, deed), coach.hints(match)
    assert (None if found is None else found.better) == right
    assert isinstance(hint, CubeHint)
    assert (right or f"better is to {deed}").endswith(hint.says.lower())


def test_the_tutor_answers_a_beaver_too() -> None:
    side = tuple(int(point in (5, 1)) for point in range(1, 26))  # it wins 23 times of 36
    board = SetBoard(YOU, Position(side, (2, *(0,) * 24)))
    cubes = Cube(YOU, CubeStep.DOUBLE), Cube(ENGINE, CubeStep.BEAVER)
    match = BoardMatch(
        "simple", Match(PLAYERS, 0, (Game(actions=(board, *cubes)),), BEAVERS), Tutor()
    )
    coach = Coach("expert")
    found = warned(coach, match, "drop")
    assert found is not None
    assert found.better == "better is to beaver"
