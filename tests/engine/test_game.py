"""A game refuses what the rules refuse, in words, and counts what it must."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sixprime.engine.game import Game, IllegalStep, Outcome
from sixprime.engine.position import Dice, MatchState, Phase, Play, Position, Step, Variant
from tests import reference


def refuses(reason: str) -> AbstractContextManager[object]:
    """Expect exactly this reason."""
    return pytest.raises(IllegalStep, match=f"^{reason}$")


def side(places: dict[int, int]) -> tuple[int, ...]:
    """25 counts from counts by point; 25 is the bar."""
    return tuple(places.get(point, 0) for point in range(1, 26))


def board(mine: dict[int, int], theirs: dict[int, int], dice: Dice, **match: object) -> Game:
    """A money game with this position and roll, seat 1 to play."""
    return Game(Position(side(mine), side(theirs)), MatchState(dice=dice).with_(**match))


def opened(length: int = 0, seat: int = 1, **rules: object) -> Game:
    """A game in which this seat has played an opening 3-1."""
    game = Game.start(length, **rules)  # type: ignore[arg-type]
    game = game.opened(1, 3) if seat else game.opened(3, 1)
    return game.played(steps("8/5 6/5"))


def steps(text: str) -> Play:
    """One step a word."""
    words = {"bar": 25, "off": 0}
    pairs = [word.split("/") for word in text.split()]
    return tuple(Step(words.get(a) or int(a), words[b] if b in words else int(b)) for a, b in pairs)


def at_score(length: int, score: tuple[int, int], cube: int = 1, **match: object) -> Game:
    """A game at this score in which seat 1 may roll or double."""
    state = MatchState(length=length, score=score, cube=cube).with_(**match)
    return Game(Position.start(), state)


def test_the_higher_opening_die_starts_with_both_dice() -> None:
    game = Game.start(5).opened(2, 6)
    assert (game.match.on_roll, game.match.dice, game.match.phase) == (1, (6, 2), Phase.PLAYING)
    assert Game.start(5).opened(4, 1).match.on_roll == 0


def test_equal_opening_dice_are_rolled_again() -> None:
    assert Game.start(5, automatic_doubles=1).opened(4, 4) == Game.start(5)


def test_equal_opening_dice_double_the_cube_as_often_as_agreed() -> None:
    game = Game.start(automatic_doubles=2)
    assert [game.opened(4, 4).match.cube, game.opened(4, 4).opened(1, 1).match.cube] == [2, 4]
    assert game.opened(4, 4).opened(1, 1).opened(2, 2).match.cube == 4
    assert game.opened(4, 4).opened(2, 1).match.cube_owner is None


WRONG_PLAYS = [
    # a plain step
    ({24: 2}, {7: 2}, (6, 1), "24/18 24/23", "24/18 is blocked"),
    ({24: 2}, {}, (6, 1), "13/7 24/23", "13/7: there is no checker on point 13"),
    ({24: 2}, {}, (6, 1), "bar/19 24/23", "bar/19: there is no checker on the bar"),
    ({24: 2, 25: 1}, {}, (6, 1), "24/18 24/23", "24/18: the checker on the bar must enter first"),
    ({24: 2}, {}, (6, 1), "24/20", "24/20 takes a 4, left to play: 6 and 1"),
    ({24: 2}, {}, (6, 1), "24/18 24/18", "24/18 takes a 6, left to play: 1"),
    ({24: 2}, {}, (6, 1), "24/23 24/18 18/17", "18/17 is one step too many for two dice"),
    ({24: 2}, {}, (6, 1), "18/24", "18/24 is not a step forward on the board"),
    ({24: 2}, {}, (6, 1), "24/24", "24/24 is not a step forward on the board"),
    # bearing off
    ({9: 1, 6: 2}, {}, (6, 5), "6/off 6/1", "6/off: the checker on 9 is not home yet"),
    ({25: 1, 6: 2}, {}, (6, 5), "6/off bar/20", "6/off: the checker on the bar must enter first"),
    ({6: 2, 4: 2}, {}, (5, 1), "4/off 6/5", "4/off: with a 5 the checker on 6 must go first"),
    ({6: 2, 4: 2}, {}, (2, 1), "4/off", "4/off takes a 4, left to play: 2 and 1"),
    # legal steps, but not enough
    ({24: 2}, {}, (6, 1), "24/18", "both dice can be played, this plays one"),
    ({24: 2}, {}, (6, 1), "", "both dice can be played, this plays none"),
    ({10: 1}, {18: 2, 24: 1}, (5, 3), "10/5", "both dice can be played, this plays one"),
    ({24: 4}, {}, (6, 6), "24/18 18/12", "four sixes can be played, this plays two"),
    ({24: 1}, {16: 2}, (5, 5), "24/19", "two fives can be played, this plays one"),
    ({24: 1}, {7: 2, 12: 2}, (6, 5), "", "one die can be played, this plays none"),
    ({24: 1, 1: 1}, {12: 2}, (6, 5), "24/19", "the larger die, 6, must be played"),
    # a dance
    ({25: 1}, dict.fromkeys(range(1, 7), 2), (6, 1), "bar/19", "bar/19 is blocked"),
]


@pytest.mark.parametrize(("mine", "theirs", "dice", "play", "reason"), WRONG_PLAYS)
def test_a_wrong_play_is_refused_with_what_is_wrong(
    mine: dict[int, int], theirs: dict[int, int], dice: Dice, play: str, reason: str
) -> None:
    for roll in (dice, dice[::-1]):
        with refuses(reason):
            board(mine, theirs, roll).played(steps(play))


def test_steps_may_be_told_in_any_order_if_one_order_is_legal() -> None:
    game = board({25: 1, 13: 2}, {1: 2}, (4, 3))
    assert game.played(steps("13/9 bar/22")) == game.played(steps("bar/22 13/9"))


def test_a_dance_is_played_as_the_empty_play() -> None:
    danced = board({25: 1, 1: 1}, dict.fromkeys(range(1, 7), 2), (6, 1)).played(())
    assert (danced.match.on_roll, danced.match.dice) == (0, None)


def test_a_play_turns_the_board_to_the_other_player() -> None:
    game = opened(seat=1)
    assert game.match.on_roll == game.match.to_act == 0
    assert game.position.theirs[4] == 2
    assert game.position.mine == Position.start().mine


def test_nothing_is_rolled_or_played_twice() -> None:
    game = opened()
    with refuses("the dice have not been rolled"):
        game.played(())
    with refuses("the dice have been rolled: 6 and 5"):
        game.rolled((6, 5)).rolled((6, 5))
    with refuses("a die shows 1 to 6, not 7 and 1"):
        game.rolled((7, 1))
    with refuses("the game has started"):
        game.opened(1, 2)
    with refuses("the game has not started"):
        Game.start().rolled((2, 1))


ACTS: list[Callable[[Game, int], Game]] = [
    lambda game, seat: game.rolled((2, 1), seat),
    lambda game, seat: game.doubled(seat),
]
OFFERED: list[Callable[[Game, int], Game]] = [
    lambda game, seat: game.doubled().taken(seat),
    lambda game, seat: game.doubled().dropped(seat),
    lambda game, seat: game.doubled().beavered(seat),
    lambda game, seat: game.resigned(1 - game.match.on_roll, 1).resignation_accepted(1 - seat),
]


@pytest.mark.parametrize("act", ACTS)
def test_only_the_player_on_roll_may_act(act: Callable[[Game, int], Game]) -> None:
    act(opened(seat=1, beavers=1), 0)
    with refuses("it is not seat 1's turn"):
        act(opened(seat=1, beavers=1), 1)


@pytest.mark.parametrize("act", OFFERED)
def test_only_the_other_player_answers_an_offer(act: Callable[[Game, int], Game]) -> None:
    act(opened(seat=0, beavers=1), 0)
    with pytest.raises(IllegalStep, match=r"^it is not seat [01]'s turn$"):
        act(opened(seat=0, beavers=1), 1)


# The cube


def test_a_take_doubles_the_cube_and_gives_it_to_the_taker() -> None:
    offered = opened(5).doubled()
    assert (offered.match.cube, offered.match.on_roll, offered.match.to_act) == (1, 0, 1)
    taken = offered.taken()
    assert (taken.match.cube, taken.match.cube_owner, taken.match.to_act) == (2, 1, 0)
    with refuses("the cube is the opponent's"):
        taken.doubled()


def test_a_drop_loses_the_old_value_of_the_cube() -> None:
    assert opened(5).doubled().dropped().outcome == Outcome(0, 1)


def test_a_beaver_doubles_at_once_and_keeps_the_cube() -> None:
    beavered = opened(beavers=3).doubled().beavered()
    assert (beavered.match.cube, beavered.match.to_act) == (2, 0)
    taken = beavered.taken()
    assert (taken.match.cube, taken.match.cube_owner, taken.match.to_act) == (4, 1, 0)
    assert beavered.dropped().outcome == Outcome(1, 2)
    raccoon = beavered.beavered()
    assert (raccoon.match.cube, raccoon.match.to_act) == (4, 1)
    assert raccoon.dropped().outcome == Outcome(0, 4)
    assert (raccoon.taken().match.cube, raccoon.taken().match.cube_owner) == (8, 1)


def test_beavers_are_counted_anew_for_every_double() -> None:
    game = opened(beavers=1).doubled().beavered().taken()
    game = game.rolled((6, 6)).played(game.rolled((6, 6)).legal_plays()[0].play)
    assert game.doubled().beavered().match.cube == 8


WRONG_CUBES: list[tuple[Callable[[], Game], str]] = [
    (lambda: at_score(5, (4, 1), crawford=True).doubled(), "the Crawford game has no cube"),
    (lambda: at_score(5, (0, 0), cube_owner=0, cube=2).doubled(), "the cube is the opponent's"),
    (lambda: at_score(5, (0, 3), cube=2).doubled(),
     "the cube is dead: it is at 2 and seat 1 needs 2"),
    (lambda: at_score(1, (0, 0)).doubled(), "the cube is dead: it is at 1 and seat 1 needs 1"),
    (lambda: at_score(0, (0, 0), cube=64, max_cube=64).doubled(), "the cube ends at 64"),
    (lambda: at_score(0, (0, 0), dice=(2, 1)).doubled(), "the dice have been rolled"),
    (lambda: at_score(5, (0, 0)).doubled().doubled(), "a double waits for an answer"),
    (lambda: at_score(5, (0, 0)).doubled().rolled((2, 1)), "a double waits for an answer"),
    (lambda: at_score(5, (0, 0)).doubled().resigned(0, 1), "a double waits for an answer"),
    (lambda: at_score(5, (0, 0)).doubled().beavered(), "beavers are for money play"),
    (lambda: at_score(0, (0, 0)).doubled().beavered(), "beavers are not allowed"),
    (
        lambda: at_score(0, (0, 0), beavers=1).doubled().beavered().beavered(),
        "no more than 1 in a row",
    ),
    (
        lambda: at_score(0, (0, 0), beavers=1, max_cube=2).doubled().beavered(),
        "the cube ends at 2",
    ),
    (lambda: at_score(5, (0, 0)).taken(), "there is no double to answer"),
    (lambda: at_score(5, (0, 0)).dropped(), "there is no double to answer"),
    (lambda: at_score(5, (0, 0)).resignation_accepted(), "there is no resignation to answer"),
    (lambda: at_score(5, (0, 0)).resigned(0, 1).doubled(), "a resignation waits for an answer"),
    (lambda: at_score(5, (0, 0)).resigned(0, 1).resigned(1, 1),
     "a resignation waits for an answer"),
    (lambda: at_score(5, (0, 0)).resigned(0, 4), "a resignation is of 1, 2 or 3 games, not 4"),
    (lambda: at_score(5, (0, 0)).resigned(2, 1), "there is no seat 2"),
    (lambda: at_score(5, (0, 0)).doubled().dropped().doubled(), "the game is over"),
    (lambda: at_score(5, (0, 0)).next_game(), "the game is not over"),
    (lambda: at_score(5, (0, 4)).resigned(0, 1).resignation_accepted().next_game(),
     "the match is over, seat 1 has won it"),
]  # fmt: skip


@pytest.mark.parametrize(("attempt", "reason"), WRONG_CUBES)
def test_a_wrong_offer_or_answer_is_refused_with_the_reason(
    attempt: Callable[[], Game], reason: str
) -> None:
    with refuses(reason):
        attempt()


# Resignation, results, the next game


def test_a_resignation_costs_its_games_times_the_cube() -> None:
    game = opened(7).doubled().taken().resigned(1, 2)
    assert (game.match.to_act, game.match.on_roll) == (0, 0)
    over = game.resignation_accepted()
    assert over.outcome == Outcome(0, 4)
    assert over.score_after == (4, 0)


def test_a_declined_resignation_changes_nothing() -> None:
    for seat in (0, 1):
        for game in (opened(7), opened(7).rolled((6, 2))):
            assert game.resigned(seat, 3).resignation_rejected() == game


@pytest.mark.parametrize(
    ("theirs", "games"), [({6: 14}, 1), ({6: 15}, 2), ({6: 14, 19: 1}, 3), ({6: 14, 25: 1}, 3)]
)
@pytest.mark.parametrize("cube", [1, 4])
def test_the_last_checker_off_wins_single_gammon_or_backgammon(
    theirs: dict[int, int], games: int, cube: int
) -> None:
    game = board({1: 1}, theirs, (2, 1), cube=cube, cube_owner=0, on_roll=0, to_act=0)
    over = game.played(steps("1/off"))
    assert over.outcome == Outcome(0, games * cube)
    with refuses("the game is over"):
        over.rolled((2, 1))


def test_by_jacobys_rule_gammons_count_only_after_a_double() -> None:
    game = board({1: 1}, {6: 15}, (2, 1), jacoby=True)
    assert game.played(steps("1/off")).outcome == Outcome(1, 1)
    assert game.resigned(0, 2).resignation_accepted().outcome == Outcome(1, 1)
    turned = board({1: 1}, {6: 15}, (2, 1), jacoby=True, cube=2, cube_owner=1)
    assert turned.played(steps("1/off")).outcome == Outcome(1, 4)


def test_an_automatic_double_does_not_turn_jacobys_rule_off() -> None:
    game = Game.start(jacoby=True, automatic_doubles=1).opened(2, 2).opened(3, 1)
    assert game.resigned(1, 3).resignation_accepted().outcome == Outcome(0, 2)


def test_matches_know_no_jacoby_beavers_or_automatic_doubles() -> None:
    game = Game.start(5, jacoby=True, beavers=3, automatic_doubles=2)
    assert (game.match.jacoby, game.match.beavers, game.automatic_doubles) == (False, 0, 0)


def lost_by(game: Game, seat: int) -> Game:
    """The next game after this seat gave up one point."""
    return game.opened(3, 1).resigned(seat, 1).resignation_accepted().next_game()


def test_the_crawford_game_is_the_first_with_a_player_one_point_away() -> None:
    first = Game.start(3)
    second = lost_by(first, 0)
    third = lost_by(second, 0)
    fourth = lost_by(third, 1)
    fifth = lost_by(fourth, 1)
    assert [g.match.score for g in (first, second, third, fourth, fifth)] == [
        (0, 0), (0, 1), (0, 2), (1, 2), (2, 2),
    ]  # fmt: skip
    games = (first, second, third, fourth, fifth)
    assert [g.match.crawford for g in games] == [False, False, True, False, False]
    assert [g.match.post_crawford for g in games] == [False, False, False, True, True]


def test_without_the_crawford_rule_there_is_no_crawford_game() -> None:
    assert not lost_by(Game.start(2, crawford_rule=False), 0).match.crawford


def test_the_next_game_starts_afresh_with_the_same_rules() -> None:
    rules = {"variant": Variant.NACKGAMMON, "jacoby": True, "beavers": 2, "automatic_doubles": 1}
    over = opened(**rules, max_cube=64).doubled().dropped()  # type: ignore[arg-type]
    fresh = Game.start(**rules, max_cube=64)  # type: ignore[arg-type]
    assert over.next_game() == replace(fresh, match=fresh.match.with_(score=(1, 0)))


def test_the_match_is_won_by_the_first_to_reach_its_length() -> None:
    game = at_score(5, (1, 3)).doubled().taken().resigned(0, 1).resignation_accepted()
    assert (game.score_after, game.match_winner) == ((1, 5), 1)
    assert at_score(5, (1, 3)).match_winner is None


class AnyGame(RuleBasedStateMachine):
    """Random legal steps of a money game or a match: the invariants hold wherever they lead."""

    def __init__(self) -> None:
        super().__init__()
        self.game = Game.start(3)
        self.seen: list[int] = [0]

    def try_(self, step: Callable[[], Game]) -> None:
        """Take the step if the rules allow it."""
        try:
            self.game = step()
        except IllegalStep as refused:
            assert str(refused)

    @rule(length=st.integers(0, 4), beavers=st.integers(0, 2), jacoby=st.booleans())
    @precondition(lambda self: self.game == Game.start(3))
    def choose_rules(self, length: int, beavers: int, jacoby: bool) -> None:
        self.game = Game.start(length, beavers=beavers, jacoby=jacoby, automatic_doubles=1)

    @rule(dice=reference.dice(), pick=st.integers(0, 999), doubles=st.booleans())
    def take_a_turn(self, dice: Dice, pick: int, doubles: bool) -> None:
        game = self.game
        if game.match.phase is Phase.NOT_STARTED:
            self.try_(lambda: game.opened(*dice))
        elif game.match.dice is None:
            if doubles:
                self.try_(game.doubled)
            self.try_(lambda: self.game.rolled(dice))
        else:
            plays = game.legal_plays()
            self.try_(lambda: game.played(plays[pick % len(plays)].play))

    @rule(answer=st.sampled_from(["taken", "dropped", "beavered", "resignation_accepted"]))
    def answer(self, answer: str) -> None:
        self.try_(getattr(self.game, answer))

    @rule(seat=st.integers(0, 1), games=st.integers(1, 3))
    def resign(self, seat: int, games: int) -> None:
        self.try_(lambda: self.game.resigned(seat, games))
        self.try_(self.game.resignation_rejected)

    @rule()
    def go_on(self) -> None:
        self.try_(self.game.next_game)

    @invariant()
    def checkers_stand_legally(self) -> None:
        self.game.position.checked()

    @invariant()
    def the_score_never_shrinks(self) -> None:
        total = sum(self.game.score_after)
        if self.game != Game.start(3):
            assert total >= self.seen[-1]
        self.seen.append(total)

    @invariant()
    def the_cube_is_a_power_of_two_and_offers_go_to_the_right_seat(self) -> None:
        match = self.game.match
        assert match.cube.bit_count() == 1
        if match.phase is Phase.PLAYING and not match.doubled and not match.resigned:
            assert match.to_act == match.on_roll


TestAnyGame = AnyGame.TestCase
TestAnyGame.settings = settings(max_examples=40, stateful_step_count=60, deadline=None)


def random_match(seed: int, length: int) -> tuple[Game, list[tuple[str, tuple[object, ...]]]]:
    """A match of random steps to its end, and the steps."""
    pick = reference.seeded(seed)
    game, log = Game.start(length), []

    def do(name: str, *arguments: object) -> None:
        nonlocal game
        log.append((name, arguments))
        game = getattr(game, name)(*arguments)

    while game.match_winner is None:
        if game.outcome:
            do("next_game")
        elif game.match.phase is Phase.NOT_STARTED:
            do("opened", pick(1, 6), pick(1, 6))
        elif game.match.doubled:
            do("taken" if pick(0, 2) else "dropped")
        elif game.match.dice:
            plays = game.legal_plays()
            do("played", plays[pick(0, len(plays) - 1)].play)
        elif game.match.may_double() and pick(0, 19) == 0:
            do("doubled")
        else:
            do("rolled", (pick(1, 6), pick(1, 6)))
        assert all(0 <= off <= 15 for off in game.position.off())
    return game, log


@pytest.mark.parametrize("seed", range(20))
def test_a_random_match_ends_and_replays_to_the_same_end(seed: int) -> None:
    game, log = random_match(seed, length=1 + seed % 5)
    again = Game.start(1 + seed % 5)
    for name, arguments in log:
        again = getattr(again, name)(*arguments)
    assert again == game
    assert game.match_winner is not None


@given(reference.positions(), reference.dice(), st.data())
def test_every_legal_sequence_of_steps_is_accepted(
    position: Position, dice: Dice, data: st.DataObject
) -> None:
    sequences = []
    for sequence in reference.legal_sequences(position, dice):
        sequences.append(sequence)
        if len(sequences) == 200:
            break
    if sequences:
        play = data.draw(st.sampled_from(sequences))
        after = Game(position, MatchState(dice=dice)).played(play)
        assert after.position in (position.after(play).flipped(), position.after(play))


@given(reference.positions(), reference.dice(), st.data())
def test_no_other_steps_are_accepted(position: Position, dice: Dice, data: st.DataObject) -> None:
    step = st.builds(Step, st.integers(1, 25), st.integers(0, 24))
    play = tuple(data.draw(st.lists(step, max_size=4)))
    game = Game(position, MatchState(dice=dice))
    try:
        game.played(play)
    except IllegalStep:
        return
    assert position.after(play) in reference.legal_results(position, dice)
