"""Every player acts in one order, and never against the rules."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from sixprime.engine.game import Action, Answer, BeforeRoll, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.position import MatchState, Play, Position, Step
from sixprime.engine.search.acting import IllegalAnswer, Stopgap, act

START = Position.start()
CLOSED = Position((0,) * 24 + (15,), (2,) * 6 + (0,) * 18 + (3,))  # nobody can enter
MONEY = MatchState(beavers=1)


@dataclass
class Puppet:
    """Says what it is told, and notes what it was asked."""

    move: Play = ()
    games: int = 0
    asked: list[str] = field(default_factory=list)

    def play(self, position: Position, match: MatchState) -> Play:
        self.asked.append("play")
        return self.move

    def double(self, position: Position, match: MatchState) -> bool:
        self.asked.append("double")
        return True

    def answer(self, position: Position, match: MatchState) -> Answer:
        self.asked.append("answer")
        return Answer.BEAVER

    def resign(self, position: Position, match: MatchState) -> int:
        self.asked.append("resign")
        return self.games

    def accept(self, position: Position, match: MatchState) -> bool:
        self.asked.append("accept")
        return True


@pytest.mark.parametrize(
    ("match", "asked", "action"),
    [
        (MONEY.with_(resigned=1, doubled=True), ["accept"], ResignAnswer.ACCEPT),
        (MONEY.with_(doubled=True, to_act=0), ["answer"], Answer.BEAVER),
        (MONEY.with_(doubled=True, to_act=0, beavers=0), ["answer"], Answer.TAKE),
        (MONEY, ["resign", "double"], BeforeRoll.DOUBLE),
        (MONEY.with_(cube=2, cube_owner=0), ["resign"], BeforeRoll.ROLL),
    ],
)
def test_offers_come_first_and_nobody_is_asked_without_a_choice(
    match: MatchState, asked: list[str], action: Action
) -> None:
    player = Puppet()
    assert act(player, START, match, may_resign=True) == action
    assert player.asked == asked


def test_resigning_and_doubling_can_be_forbidden() -> None:
    assert act(Puppet(games=2), START, MONEY, may_resign=True) == ResignOffer(2)
    assert act(Puppet(games=7), START, MONEY, may_resign=True) == BeforeRoll.DOUBLE
    assert act(Puppet(games=2), START, MONEY, may_double=False) == BeforeRoll.ROLL


def test_a_play_is_legal_in_any_order_of_its_steps() -> None:
    rolled = MONEY.with_(dice=(3, 1))
    made = act(Puppet((Step(6, 5), Step(8, 5))), START, rolled)
    assert made == CheckerPlay((Step(8, 5), Step(6, 5)))
    for wrong in ((), (Step(24, 18),), (Step(8, 5), Step(8, 5))):
        with pytest.raises(IllegalAnswer, match=r"is not a legal play of \(3, 1\)"):
            act(Puppet(wrong), START, rolled)


def test_a_dance_needs_no_player_and_the_stopgap_gives_nothing_away() -> None:
    player = Puppet((Step(25, 22),))
    assert act(player, CLOSED, MONEY.with_(dice=(3, 1))) == CheckerPlay(())
    assert player.asked == []
    for games, answer in ((1, ResignAnswer.DECLINE), (3, ResignAnswer.ACCEPT)):
        assert act(Stopgap(), START, MONEY.with_(resigned=games)) == answer
